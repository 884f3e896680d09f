"""`adcli eval`."""

from __future__ import annotations

from typing import Any

import click

from ..errors import AdcliError, RequestError
from ..language.numbers import Digits
from ..language.problems import Problem
from ..language.program import read_program
from ..trace.data import as_dict
from ..trace.model import MODES, NUMBERINGS, Request, Trace
from ..trace.trace import trace
from .arguments import ExpressionCommand, appearance, chosen_format, given_point, point_of, problems, split_names
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


@click.command(cls=ExpressionCommand, help=_HELP, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("expr", required=False)
@click.option("-f", "--file", metavar="FILE", help="Read problems from FILE, one a line.")
@click.option("--at", multiple=True, metavar="x1=2,x2=5", help="The point; values may be expressions (x=pi/2).")
@click.option("--mode", type=click.Choice(MODES), default="both", show_default=True, help="What to compute.")
@click.option("--wrt", multiple=True, metavar="x1", help="Forward mode for these inputs only.")
@click.option(
    "--seed",
    multiple=True,
    metavar="x1=1,x2=0.5",
    help="Direction of inputs (forward: J·v) or weights of outputs (reverse: vᵀ·J).",
)
@click.option(
    "--style",
    type=click.Choice(["wide", "paper", "baydin"]),
    default="wide",
    show_default=True,
    help="One wide table, the paper's tables, or primal and derivative traces side by side.",
)
@click.option(
    "--numbering",
    type=click.Choice(NUMBERINGS),
    default="level",
    show_default=True,
    help="Number rows by height above the inputs, or in the order of nested calls.",
)
@click.option("--cse", is_flag=True, help="Make identical subexpressions one row.")
@click.option("--show", type=click.Choice(["nodes", "order", "levels"]), help="Show the graph instead of the trace.")
@click.option("--no-trace", is_flag=True, help="Only the outputs and their derivatives.")
@click.option("--places", type=click.IntRange(0, 17), default=3, show_default=True, help="Decimals in tables.")
@click.option("--digits", type=click.IntRange(1, 17), help="Significant digits in tables, instead of --places.")
@click.option(
    "--kinks",
    type=click.Choice(["note", "error"]),
    default="note",
    show_default=True,
    help="Where no derivative exists: a convention and a note, or an error.",
)
@click.option("--fail-fast", is_flag=True, help="Stop at the first problem that fails.")
@click.option("--format", "wanted", type=click.Choice(FORMATS), help="Default: table (plain off a terminal).")
@appearance
@click.pass_context
def command(
    ctx: click.Context,
    /,
    expr: str | None,
    file: str | None,
    at: tuple[str, ...],
    seed: tuple[str, ...],
    wrt: tuple[str, ...],
    **flags: Any,
) -> int:
    stream: Stream = ctx.obj
    stream.dress(flags)
    found = problems(expr, file)
    if found is None:
        stream.write(ctx.get_help() + "\n")
        return 0
    if flags["show"] == "order" and flags["mode"] == "value":
        raise RequestError("the orders belong to the sweeps", help="choose --mode forward, reverse or both")
    request = Request(
        mode=flags["mode"], wrt=split_names(wrt), seed=given_point(seed, "--seed") or None,
        numbering=flags["numbering"], cse=flags["cse"], steps=not flags["no_trace"], kinks=flags["kinks"],
        digits=Digits(flags["places"], flags["digits"]),
    )  # fmt: skip
    form = chosen_format(flags["wanted"], flags["output"], FORMATS, "table")
    document = _DOCUMENTS[form](stream, request, flags)
    given = given_point(at, "--at")
    each, single = found
    number = 0
    for number, problem in enumerate(each, 1):
        try:
            if isinstance(problem, AdcliError):
                raise problem
            document.add(_traced(problem, given, request, single), problem, single)
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


def _traced(problem: Problem, given: dict[str, float], request: Request, single: bool) -> Trace:
    """The trace of a problem.  Of a point for many problems only what this one needs is used."""
    at, own = point_of(problem, given)
    program = read_program(problem.source, at)
    if not single:
        needed = set(program.graph.inputs.values())
        at = {name: x for name, x in at.items() if name in needed or name in own}
    return trace(program, at, request, problem.label)


class _Document:
    """What becomes of the traces: written one by one, or gathered until the end."""

    def __init__(self, stream: Stream, request: Request, flags: dict[str, Any]) -> None:
        self.stream = stream
        self.request = request
        self.flags = flags
        self.count = 0

    def add(self, trace: Trace, problem: Problem, single: bool) -> None:
        """Takes the trace of a problem."""
        raise NotImplementedError

    def fail(self, error: AdcliError) -> None:
        """Takes note of a problem without a trace."""

    def finish(self, single: bool) -> None:
        """Writes what is still to be written."""

    def say_notes(self, trace: Trace, problem: Problem, single: bool) -> None:
        where = None
        if not single:
            where = f"{problem.source.name or 'line'}{':' if problem.source.name else ' '}{problem.line}"
        for note in trace.notes:
            reading = note.kind == "reading"
            self.stream.note(note.text, None if single or reading else where, once=reading)


class _Tables(_Document):
    def add(self, trace: Trace, problem: Problem, single: bool) -> None:
        from ..render import layout, plain
        from ..render.cells import ascii_table

        digits = self.request.digits
        if not self.request.steps:
            found = [layout.outputs_table(trace, digits)]
        elif self.flags["show"]:
            from ..render.views import show

            found = show(trace, self.flags["show"], digits)
        else:
            found = layout.tables(trace, self.flags["style"], digits)
        if self.stream.ascii:
            found = [ascii_table(table) for table in found]
        out = []
        if trace.label or not single:
            out.append(layout.heading(trace, digits) + "\n")
        if self.stream.is_terminal and type(self) is _Tables:
            from ..render.terminal import draw

            color = self.stream.wants_color()
            out += [draw(table, self.stream.width(), color, self.stream.ascii) for table in found]
        else:
            out += ["\n".join(plain.draw(table) for table in found)]
        self.stream.write(("\n" if self.count else "") + "".join(out))
        self.count += 1
        self.say_notes(trace, problem, single)


class _Plain(_Tables):
    pass


class _Csv(_Document):
    def __init__(self, stream: Stream, request: Request, flags: dict[str, Any]) -> None:
        super().__init__(stream, request, flags)
        self.traces: list[Trace] = []

    def add(self, trace: Trace, problem: Problem, single: bool) -> None:
        self.traces.append(trace)
        self.say_notes(trace, problem, single)

    def finish(self, single: bool) -> None:
        from ..render.data import csv_text

        if self.traces:
            self.stream.write(csv_text(self.traces, self.request.steps))


class _Json(_Document):
    def __init__(self, stream: Stream, request: Request, flags: dict[str, Any]) -> None:
        super().__init__(stream, request, flags)
        self.found: list[dict[str, Any]] = []

    def add(self, trace: Trace, problem: Problem, single: bool) -> None:
        self.record(as_dict(trace, self.request.steps))

    def fail(self, error: AdcliError) -> None:
        self.record(error.as_dict())

    def record(self, data: dict[str, Any]) -> None:
        self.found.append(data)

    def finish(self, single: bool) -> None:
        from ..render.data import json_text

        self.stream.write(json_text(self.found[0] if len(self.found) == 1 else self.found) + "\n")


class _Ndjson(_Json):
    def record(self, data: dict[str, Any]) -> None:
        from ..render.data import json_text

        self.stream.write(json_text(data, indent=None) + "\n")

    def finish(self, single: bool) -> None:
        return None


_DOCUMENTS: dict[str, type[_Document]] = {
    "table": _Tables,
    "plain": _Plain,
    "csv": _Csv,
    "json": _Json,
    "ndjson": _Ndjson,
}
