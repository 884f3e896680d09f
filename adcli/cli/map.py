"""`adcli map`: its help and its options; the work is loaded when there are points."""

from __future__ import annotations

import sys
from typing import Any

from .options import APPEARANCE, FAIL_FAST, FUNCTIONS, Command, Option
from .stream import Stream

_HELP = """Value and gradient of an expression at very many points.

\b
Examples:
  adcli map "log(x1)+x1*x2-sin(x2)" points.csv
  adcli map "log(x1)+x1*x2-sin(x2)" points.csv -o out.parquet
  adcli map "a*x1^2 + x2" points.parquet --at a=3 --wrt x1 -o out.csv
  adcli map "p = x1*x2; q = x1/x2; p; q" points.csv --hessian --carry id
  cat points.csv | adcli map "exp(-x1*x2)" - --format ndjson

POINTS has a column for each input, and names them in its first line: CSV (separated by commas, semicolons or tabs),
NDJSON, Parquet or Arrow; - is standard input. Files of any size stream through, and rows keep their order.

The result has the columns that are carried over, then for each output its value y and its slopes dy_dx1, dy_dx2, ...
A point without a value gets NaN in these, and so does a row that cannot be read.

Exit code 2: some row could not be read, 3: some point is outside a domain.
"""

FORMATS = ("csv", "ndjson", "parquet", "arrow")
ENGINES = ("auto", "numpy", "native")

OPTIONS = (
    Option(("-f", "--file"), "file", "Read the expression from FILE.", "FILE"),
    Option(("--at",), "at", "Values of inputs that have no column.", "x3=2,x4=pi/2", many=True),
    Option(("--wrt",), "wrt", "Slopes by these inputs only.", "x1", many=True),
    Option(("--hessian",), "hessian", "Second derivatives too: d2y_dx1_dx2."),
    Option(("--carry",), "carry", "Columns to carry over; by default all that are no inputs.", "id,x1", many=True),
    Option(("--engine",), "engine", "What computes: NumPy, or machine code by LLVM.", choices=ENGINES, default="auto"),
    Option(("--workers",), "workers", "Threads that share the batches.", between=(1, 256), default=1),
    FUNCTIONS,
    FAIL_FAST._replace(help="Stop at the first row that fails."),
    Option(("--format",), "wanted", "Default: by the suffix of the output, else csv.", choices=FORMATS),
    *APPEARANCE,
)


def run(stream: Stream, flags: dict[str, Any]) -> int | None:
    """Maps a file of points; None when there is neither an expression nor a file."""
    texts = flags["expr_points"]
    if not texts and flags["file"] is None and sys.stdin.isatty():
        return None
    from .mapping import mapped

    return mapped(stream, flags)


COMMAND = Command(_HELP, OPTIONS, "expr_points", None, run)
