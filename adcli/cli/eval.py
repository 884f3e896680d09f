"""`adcli eval`."""

from __future__ import annotations

from typing import Any

from ..errors import AdcliError, OutputProblem, RequestError
from ..language.numbers import Digits
from ..language.problems import Problem
from ..language.program import read_program
from ..trace.model import MODES, NUMBERINGS, Request, Trace
from ..trace.trace import trace
from .arguments import chosen_format, given_point, point_of, problems, split_names
from .documents import DOCUMENTS
from .options import APPEARANCE, Command, Option
from .stream import Stream

_HELP = """Value, derivatives and evaluation trace of expressions.

\b
Examples:
  adcli eval "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5
  adcli eval "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5 --mode reverse --style paper
  adcli eval "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5 --mode forward --wrt x1
  adcli eval "a = x*y; b = sin(a); a + b^2 @ x=1, y=2" --show order
  adcli eval --file problems.txt --no-trace --format csv -o results.csv
  cat problems.txt | adcli eval --format ndjson

\b
A problem is  [label:] expression [@ x1=2, x2=5]  on one line; # starts a comment.
  2x  x^2  sin x  |x|  3!  sqrt(x)  log(x, 2)  if(x > 0, x, -x)  sum(i, 1, n, i*x)
  name = expression names a step, f(a, b) = expression a function, ; separates.

EXPR is - to read problems from standard input.
"""

FORMATS = ("table", "plain", "csv", "json", "ndjson")


OPTIONS = (
    Option(("-f", "--file"), "file", "Read problems from FILE, one a line.", "FILE"),
    Option(("--at",), "at", "The point; values may be expressions (x=pi/2).", "x1=2,x2=5", many=True),
    Option(("--mode",), "mode", "What to compute.", choices=MODES, default="both"),
    Option(("--wrt",), "wrt", "Forward mode for these inputs only.", "x1", many=True),
    Option(
        ("--seed",),
        "seed",
        "Direction of inputs (forward: J·v) or weights of outputs (reverse: vᵀ·J).",
        "x1=1,x2=0.5",
        many=True,
    ),
    Option(
        ("--style",),
        "style",
        "One wide table, the paper's tables, or primal and derivative traces side by side.",
        choices=("wide", "paper", "baydin"),
        default="wide",
    ),
    Option(
        ("--numbering",),
        "numbering",
        "Number rows by height above the inputs, or in the order of nested calls.",
        choices=NUMBERINGS,
        default="level",
    ),
    Option(("--cse",), "cse", "Make identical subexpressions one row."),
    Option(("--show",), "show", "Show the graph instead of the trace.", choices=("nodes", "order", "levels")),
    Option(("--no-trace",), "no_trace", "Only the outputs and their derivatives."),
    Option(("--places",), "places", "Decimals in tables.", between=(0, 17), default=3),
    Option(("--digits",), "digits", "Significant digits in tables, instead of --places.", between=(1, 17)),
    Option(
        ("--kinks",),
        "kinks",
        "Where no derivative exists: a convention and a note, or an error.",
        choices=("note", "error"),
        default="note",
    ),
    Option(("--fail-fast",), "fail_fast", "Stop at the first problem that fails."),
    Option(("--format",), "wanted", "Default: table (plain off a terminal).", choices=FORMATS),
    *APPEARANCE,
)


def run(stream: Stream, flags: dict[str, Any]) -> int | None:
    """Evaluates the problems of a command line; None when there is nothing to read."""
    stream.dress(flags)
    found = problems(flags["expr"], flags["file"])
    if found is None:
        return None
    form = chosen_format(flags["wanted"], flags["output"], FORMATS, "table")
    try:
        request, given = _request(flags), given_point(flags["at"], "--at")
    except AdcliError as error:
        refused = DOCUMENTS[form](stream, Request(), flags)
        refused.fail(error)
        refused.finish(True)
        stream.close()
        raise
    document = DOCUMENTS[form](stream, request, flags)
    each, single = found
    number = 0
    for number, problem in enumerate(each, 1):
        try:
            if isinstance(problem, AdcliError):
                raise problem
            document.add(_traced(problem, given, request, single), problem, single)
        except OutputProblem:
            raise
        except AdcliError as error:
            stream.error(error)
            document.fail(error)
            if flags["fail_fast"] or flags["debug"]:
                break
        stream.progress(f"{number} problems")
    stream.clear_progress()
    if number == 0:
        raise RequestError("there is no problem in the input", help="write one a line, such as x^2 @ x=3")
    document.finish(single)
    stream.close()
    return stream.code


def _request(flags: dict[str, Any]) -> Request:
    if flags["show"] == "order" and flags["mode"] == "value":
        raise RequestError("the orders belong to the sweeps", help="choose --mode forward, reverse or both")
    return Request(
        mode=flags["mode"], wrt=split_names(flags["wrt"]), seed=given_point(flags["seed"], "--seed") or None,
        numbering=flags["numbering"], cse=flags["cse"], steps=not flags["no_trace"], kinks=flags["kinks"],
        digits=Digits(flags["places"], flags["digits"]),
    )  # fmt: skip


def _traced(problem: Problem, given: dict[str, float], request: Request, single: bool) -> Trace:
    """The trace of a problem.  Of a point for many problems only what this one needs is used."""
    at, own = point_of(problem, given)
    program = read_program(problem.source, at)
    if not single:
        needed = set(program.graph.inputs.values())
        at = {name: x for name, x in at.items() if name in needed or name in own}
    return trace(program, at, request, problem.label)


COMMAND = Command(_HELP, OPTIONS, "expr", 1, run)
