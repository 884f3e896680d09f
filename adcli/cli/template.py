"""`adcli template`: its help and its options; the work is loaded when it is to be done."""

from __future__ import annotations

from typing import Any

from ..trace.model import MODES
from .options import APPEARANCE, AT, FAIL_FAST, FILE, WRT, Command, Option
from .stream import Stream

_HELP = """Blank forms for answers, to be filled in and handed to adcli check.

\b
Examples:
  adcli template "log(x1)+x1*x2-sin(x2) @ x1=2,x2=5" --mode reverse
  adcli template "log(x1)+x1*x2-sin(x2) @ x1=2,x2=5" --mode forward --wrt x1 --formulas
  adcli template --file problems.txt --format markdown -o form.md
  adcli template --key hw.toml --student alice -o form.xlsx

Rows stand in the order in which they are computed: values, tangents, adjoints from the seed down. With --formulas
the formulas are there and only the numbers are left blank.

EXPR is - to read problems from standard input.
"""

FORMATS = ("text", "markdown", "csv", "latex", "json", "xlsx", "ipynb")

OPTIONS = (
    FILE,
    Option(("--key",), "key", "All problems of a homework.", "FILE"),
    Option(("--student",), "student", "Whose problems of the key.", "ID"),
    AT,
    Option(("--mode",), "mode", "What is to be worked out; both, unless the key says so.", choices=MODES),
    WRT,
    Option(("--formulas",), "formulas", "With the formulas, for practice: adcli check takes a right one for the row."),
    Option(("--sums",), "sums", "One row for each adjoint, not one for each contribution to it."),
    FAIL_FAST,
    Option(("--format",), "wanted", "Default: text.", choices=FORMATS),
    *APPEARANCE,
)


def run(stream: Stream, flags: dict[str, Any]) -> int | None:
    """Prints the forms of a command line; None when there is nothing to read."""
    from .templates import template

    return template(stream, flags)


COMMAND = Command(_HELP, OPTIONS, "expr", 1, run)
