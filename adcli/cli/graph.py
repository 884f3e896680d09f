"""`adcli graph`: the computational graph as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import OutputProblem
from ..notation.numbers import Digits
from ..render.graphs.formats import PICTURES, SUFFIXES
from ..trace.choices import MODES
from .arguments import chosen_format, split_names
from .options import (
    CSE,
    DIGITS,
    FAIL_FAST,
    FILE,
    FUNCTIONS,
    KINKS,
    NUMBERING,
    PLACES,
    WRT,
    Command,
    ProblemOptions,
    choice,
    text,
    texts,
)
from .stream import Stream

if TYPE_CHECKING:
    from ..render.graphs.diagram import Diagram
    from .each import Posed

_HELP = """The computational graph of an expression as a picture.

\b
Examples:
  adcli graph "log(x1)+x1*x2-sin(x2)"
  adcli graph "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5 -o graph.svg
  adcli graph "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5 --mode forward --wrt x1 --reachable x1 -o graph.svg
  adcli graph "p = x*y; q = x/y; p; q" --mode reverse --format dot

Inputs are on the left; a node stands in the column of its height above them. With --at nodes show their values; with
--mode also their tangents or adjoints, and edges the partials (without --at as formulas).
"""

FORMATS = ("plain", *PICTURES)
_PAGE = 140  # columns of a drawing in characters, off a terminal


class GraphRequest(ProblemOptions):
    """What `adcli graph` is asked."""

    file = FILE
    at = texts("--at", metavar="x1=2,x2=5", help="A point, for the values.")
    mode = choice("--mode", choices=MODES, help="What stands at nodes and edges besides the values.", default="value")
    wrt = WRT
    reachable = text("--reachable", metavar="x1", help="Shade what a sweep from this input or output visits.")
    numbering = NUMBERING
    cse = CSE
    places = PLACES
    digits = DIGITS
    kinks = KINKS
    functions = FUNCTIONS
    fail_fast = FAIL_FAST
    wanted = choice("--format", choices=FORMATS, help="Default: plain, a drawing in characters.")


def run(stream: Stream, asked: GraphRequest) -> int | None:
    """Draws the graphs of a command line; None when there is nothing to read."""
    from ..render.graphs.formats import picture
    from .each import each

    asked.dress(stream)
    form = chosen_format(asked.wanted, asked.path, FORMATS, "plain", SUFFIXES)
    pictures: list[str | bytes] = []

    def work(posed: Posed) -> None:
        diagram = _diagram(stream, asked, posed)
        if form == "plain":
            stream.write(_text(stream, diagram, posed, first=not pictures))
        elif pictures:
            raise OutputProblem("a picture shows one problem", help="draw one at a time, or choose --format plain")
        pictures.append("" if form == "plain" else picture(diagram, form))

    if not each(stream, asked, work):
        return None
    if form != "plain" and pictures:
        stream.write(pictures[0])
    stream.close()
    return stream.code


def _diagram(stream: Stream, asked: GraphRequest, posed: Posed) -> Diagram:
    """What the picture of a problem shows: with a point, or without inputs, also numbers."""
    from ..render.graphs.diagram import of_program, of_trace
    from ..trace.model import Request
    from ..trace.trace import reading_notes, trace
    from .each import say_notes

    program, mode, start = posed.program, asked.mode, asked.reachable
    if not posed.at and program.graph.inputs:
        say_notes(stream, reading_notes(program), posed)
        return of_program(program, asked.numbering, asked.cse, mode != "value", start, posed.problem.label)
    digits = Digits(asked.places, asked.digits)
    request = Request(
        mode, split_names(asked.wrt), numbering=asked.numbering, cse=asked.cse, kinks=asked.kinks,
        digits=digits,
    )  # fmt: skip
    found = trace(program, posed.at, request, posed.problem.label)
    say_notes(stream, found.notes, posed)
    return of_trace(found, digits, start)


def _text(stream: Stream, diagram: Diagram, posed: Posed, first: bool) -> str:
    """The drawing in characters, below the name of its problem where there may be others."""
    from ..render.graphs.text import draw, listed
    from .pages import format_of

    columns = stream.width() if stream.is_terminal or stream.columns is not None else _PAGE
    drawn = draw(diagram, columns, stream.ascii) or format_of(stream, "table").table(listed(diagram))
    head = "" if posed.single and not posed.problem.label else f"{diagram.title}\n"
    return ("" if first else "\n") + head + drawn


COMMAND = Command(_HELP, GraphRequest, run)
