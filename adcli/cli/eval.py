"""`adcli eval`: its help and its options; the work is loaded when it is to be done."""

from __future__ import annotations

from typing import Any

from .accuracy import ACCURACY
from .options import (
    APPEARANCE,
    AT,
    CSE,
    DIGITS,
    FAIL_FAST,
    FILE,
    FORMAT,
    FUNCTIONS,
    INTERACTIVE,
    KINKS,
    MODE,
    NUMBERING,
    PLACES,
    SEED,
    STANDALONE,
    WRT,
    Command,
    Option,
)
from .stream import Stream

_HELP = """Value, derivatives and evaluation trace of expressions.

\b
Examples:
  adcli eval "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5
  adcli eval "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5 --mode reverse --style paper
  adcli eval "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5 --mode forward --wrt x1
  adcli eval "x1^2*x2" --at x1=2,x2=5 --hessian
  adcli eval "a = x*y; b = sin(a); a + b^2 @ x=1, y=2" --show order
  adcli eval --file problems.txt --no-trace --format csv -o results.csv
  cat problems.txt | adcli eval --format ndjson

\b
A problem is a line  [label:] expression [@ x1=2, x2=5]; # starts a comment.
  2x  x^2  sin x  |x|  3!  sqrt(x)  log(x, 2)  if(x > 0, x, -x)
  sum(i, 1, 10, i*x)
  a = x*y names a step, f(u, v) = u*v a function; a semicolon separates.

EXPR is - to read problems from standard input.
"""


OPTIONS = (
    FILE,
    AT,
    MODE,
    WRT,
    SEED,
    Option(
        ("--style",),
        "style",
        "One wide table, the paper's tables, or primal and derivative traces side by side.",
        choices=("wide", "paper", "baydin"),
        default="wide",
    ),
    NUMBERING,
    CSE,
    Option(("--hessian",), "hessian", "Second derivatives too, forward over reverse."),
    Option(("--hvp",), "hvp", "The Hessian times this direction.", "x1=1,x2=0", many=True),
    Option(("--show",), "show", "Show the graph instead of the trace.", choices=("nodes", "order", "levels")),
    Option(("--count",), "count", "What the gradient costs: operations of value, forward and reverse programs."),
    Option(("--no-trace",), "no_trace", "Only the outputs and their derivatives."),
    PLACES,
    DIGITS,
    KINKS,
    *ACCURACY,
    FUNCTIONS,
    INTERACTIVE,
    FAIL_FAST,
    Option(("--workers",), "workers", "Processes for a large file, with ndjson; default: all cores.", between=(1, 64)),
    FORMAT,
    STANDALONE,
    *APPEARANCE,
)


def run(stream: Stream, flags: dict[str, Any]) -> int | None:
    """Evaluates the problems of a command line; None when there is nothing to read."""
    from .evaluating import evaluate

    return evaluate(stream, flags)


COMMAND = Command(_HELP, OPTIONS, "expr", 1, run)
