"""`adcli check`: its help and its options; the work is loaded when it is to be done."""

from __future__ import annotations

from typing import Any

from ..trace.model import MODES
from .options import APPEARANCE, Command, Option
from .stream import Stream

_HELP = """Marks an answer that was worked out by hand, line by line.

\b
Examples:
  adcli check answer.txt --problem "log(x1)+x1*x2-sin(x2) @ x1=2,x2=5"
  adcli check answer.md --key hw.toml --student alice
  adcli check answer.csv --problem "x1*sin(x2) @ x1=2,x2=1" --mode reverse --format json
  adcli check answer.txt --key hw.toml --student alice --disclose 1 -o report.html

Any way to write a trace is read: text, tables in Markdown, CSV or LaTeX, JSON, notebooks, what adcli prints.
Numbering, order and steps are the student's own; rows that follow from a wrong one earn the method's share.

Exit code 0: right, 1: wrong, 4: not gradable.

ANSWER is - to read it from standard input.
"""

FORMATS = ("table", "plain", "markdown", "html", "json")

OPTIONS = (
    Option(("--problem",), "problem", "The problem and its point: log(x1)*x2 @ x1=2,x2=5.", "PROBLEM"),
    Option(("--key",), "key", "A homework: its problems and how they are marked.", "FILE"),
    Option(("--student",), "student", "Whose problems of the key.", "ID"),
    Option(("--mode",), "mode", "What was to be worked out; without it, whatever the answer has.", choices=MODES),
    Option(("--wrt",), "wrt", "Forward mode was to be done for these inputs.", "x1", many=True),
    Option(("--decimal",), "decimal", "How the answer writes numbers.", choices=("point", "comma")),
    Option(
        ("--disclose",),
        "disclose",
        "What is shown: 0 score, 1 right or wrong, 2 first error, 3 hints (default), 4 formulas, 5 the key.",
        between=(0, 5),
    ),
    Option(("--places",), "places", "Decimals that numbers must have.", between=(0, 17)),
    Option(("--method",), "method", "What a row earns that follows from a wrong one; 1/2 by default.", "1/2"),
    Option(("--format",), "wanted", "Default: table (plain off a terminal).", choices=FORMATS),
    *APPEARANCE,
)


def run(stream: Stream, flags: dict[str, Any]) -> int | None:
    """Marks the answer of a command line; None when there is nothing to read."""
    from .checking import check

    return check(stream, flags)


COMMAND = Command(_HELP, OPTIONS, "answer", 1, run)
