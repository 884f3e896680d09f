"""`adcli diff`: derivatives as formulas, of any order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..notation.number_text import Digits
from .arguments import choose_format
from .options import DIGITS, FILE, FORMATS, PLACES, Command, DocumentOptions, flag, texts, whole
from .pages import Pages
from .stream import Stream

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..render.derivative_report import Differentiated
    from ..render.document_parts import Part
    from ..trace.model import Note
    from .problem_loop import PreparedProblem

_HELP = """Derivatives as formulas.

\b
Examples:
  adcli diff "x^2*sin(x)" --wrt x
  adcli diff "x^x" --wrt x --order 3
  adcli diff "log(x1)+x1*x2-sin(x2)"
  adcli diff "sin(x*y)" --wrt x,y --at x=1,y=2
  adcli diff "exp(x)*sin(x)" --wrt x --trace
  adcli diff "sqrt(x^2+y^2)" --format latex

Without --wrt all partial derivatives. Shared parts get names: a = ...; the whole is a program that eval reads.
"""


class DiffRequest(DocumentOptions):
    """Options of `adcli diff`."""

    file = FILE
    wrt = texts(
        "--wrt", metavar="x", help="Input to differentiate with respect to; x,y: first x, then y (default: each input)."
    )
    order = whole("--order", between=(1, 100), help="Order of the derivative (default: 1).")
    at = texts("--at", metavar="x1=2,x2=5", help="Point at which the derivatives are also evaluated.")
    trace = flag("--trace", help="Show the symbolic sweep that computes the derivatives.")
    places = PLACES
    digits = DIGITS


def run(stream: Stream, options: DiffRequest) -> int | None:
    """Write the derivatives of every problem and return the exit code; None if there is nothing to read."""
    from ..render import derivative_report as render
    from ..trace.derivative_formulas import derivatives
    from ..trace.symbolic_sweeps import sweeps
    from .problem_loop import Results

    options.configure(stream)
    form = choose_format(options.wanted, options.path, FORMATS, "table")
    wrt = [[name.strip() for name in text.split(",") if name.strip()] for text in options.wrt]
    pages = Pages(stream, form, "Derivatives", options.standalone, math=options.math)
    digits = Digits(options.places, options.digits)
    results = Results[render.Differentiated](
        pages,
        data=render.DIFF.data,
        parts=lambda done, named: _parts(pages, digits, done, named=named),
        lines=lambda done, number: render.lines(done.derivatives, number),
    )

    def differentiate(posed: PreparedProblem) -> tuple[render.Differentiated, Iterable[Note]]:
        inputs = posed.problem.differentiated(posed.program.graph.inputs.values()) if (options.order or 1) == 1 else ()
        names = wrt or [[name] for name in inputs]
        formulas = derivatives(posed.program, names, options.order, posed.at or None, posed.problem.label)
        return render.Differentiated(formulas, sweeps(formulas) if options.trace else ()), formulas.notes

    return results.write_all(options, differentiate)


def _parts(pages: Pages, digits: Digits, done: Differentiated, *, named: bool) -> list[Part]:
    """Return the parts of one result: heading, symbolic sweeps, and a table of formulas with their values.

    The heading is there if the problem is `named` or has a label. A format that displays formulas gets the sweeps and
    the formulas only.
    """

    from ..render import derivative_report as render
    from ..render.document_parts import Formulas, Heading

    formulas = done.derivatives
    swept = [render.sweep_table(sweep) for sweep in done.sweeps]
    if pages.format.displays:
        return [*swept, Formulas(render.formulas(formulas))]
    head = [Heading(render.heading(formulas))] if formulas.label or named else []
    return [*head, *swept, render.table(formulas, digits, pages.stream.ascii and not pages.whole)]


COMMAND = Command(_HELP, DiffRequest, run)
