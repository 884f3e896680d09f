"""`adcli taylor`: Taylor series at a point, along a direction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import RequestError
from ..notation.number_text import Digits
from .arguments import chosen_format, given_point
from .options import DIGITS, FILE, FORMATS, Command, DocumentOptions, choice, flag, point, texts, whole
from .pages import Pages
from .stream import Stream

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..render.document_parts import Part
    from ..trace.model import Note
    from ..trace.taylor_series import TaylorSeries
    from .problem_loop import Posed

_HELP = """Taylor series of expressions at a point.

\b
Examples:
  adcli taylor "exp(sin(x))" --at x=0 --order 8
  adcli taylor "log(x)" --at x=2 --order 5 --format latex
  adcli taylor "x^y" --at x=2,y=3 --along x=1,y=-1
  adcli taylor "tan(x)" --at x=0 --order 15 --exact --format json
  adcli taylor "gamma(x)" --at x=1 --precision 30

With several inputs --along gives the direction v of t -> f(x + t v).
"""


class TaylorRequest(DocumentOptions):
    """What `adcli taylor` is asked."""

    file = FILE
    at = point("x=2")
    order = whole("--order", between=(0, 1000), help="The highest power.", default=8)
    along = texts("--along", metavar="x=1,y=2", help="The direction in which the inputs move.")
    exact = flag("--exact", help="Every coefficient that is a fraction as a fraction, however long.")
    precision = whole("--precision", between=(2, 10_000), help="Compute with so many decimal digits.")
    kinks = choice(
        "--kinks",
        choices=("note", "error"),
        help="At a corner, where no series exists: an error, or the convention for slopes and a note.",
        default="error",
    )
    no_trace = flag("--no-trace", help="Only the polynomials, no table of coefficients.")
    places = whole("--places", between=(0, 17), help="Decimals of what is no short fraction.", default=3)
    digits = DIGITS


def run(stream: Stream, asked: TaylorRequest) -> int | None:
    """Expands the problems of a command line; None when there is nothing to read."""
    from ..render import series_report as render
    from ..trace.taylor_series import TaylorSeries, taylor
    from .problem_loop import Results

    asked.dress(stream)
    if asked.exact and asked.precision:
        raise RequestError("--exact and --precision are given", help="leave one of them out")
    form = chosen_format(asked.wanted, asked.path, FORMATS, "table")
    along = given_point(asked.along, "--along")
    pages = Pages(stream, form, "Taylor series", asked.standalone, math=asked.math)
    results = Results[TaylorSeries](
        pages,
        data=lambda series: render.TAYLOR.data(render.SeriesDocument(series, asked.exact)),
        parts=lambda series, named: _parts(asked, pages, series, named),
        lines=lambda series, number: render.lines(series, number, asked.exact),
    )

    def find(posed: Posed) -> tuple[TaylorSeries, Iterable[Note]]:
        series = taylor(
            posed.program, posed.at, asked.order, along=along or None, digits=asked.precision,
            exact=asked.exact or None, kinks=asked.kinks, label=posed.problem.label,
        )  # fmt: skip
        return series, series.notes

    return results.of_each(asked, find)


def _parts(asked: TaylorRequest, pages: Pages, series: TaylorSeries, named: bool) -> list[Part]:
    from ..render import series_report as render
    from ..render.document_parts import Formulas, Heading, Paragraph

    digits = Digits(asked.places, asked.digits)
    longest = None if asked.exact else render.SHORT
    if pages.format.displays:
        return [Formulas([render.polynomial(series, output, digits, longest) for output in series.outputs])]
    found: list[Part] = [Heading(render.heading(series, digits))] if series.label or named else []
    for output in series.outputs:
        found.append(Paragraph(render.polynomial(series, output, digits, longest)))
        if not asked.no_trace:
            found.append(render.table(series, output, digits, longest))
    return found


COMMAND = Command(_HELP, TaylorRequest, run)
