"""Taylor series of expressions at a point.

\b
Examples:
  adcli taylor "exp(sin(x))" --at x=0 --order 8
  adcli taylor "log(x)" --at x=2 --order 5 --format latex
  adcli taylor "x^y" --at x=2,y=3 --along x=1,y=-1
  adcli taylor "tan(x)" --at x=0 --order 15 --exact --format json
  adcli taylor "gamma(x)" --at x=1 --precision 30

With several inputs --along gives the direction v of t -> f(x + t v).
"""

from __future__ import annotations

from functools import partial

from ...errors import RequestError
from ...notation.number_text import Digits
from ...typings import TYPE_CHECKING
from ..arguments import merge_points
from ..options import Command, Option, flag, texts, whole
from ..shared_options import DIGITS, DocumentOptions, point
from ..stream import Stream

if TYPE_CHECKING:
    from ..problem_loop import PreparedProblem

_CORNERS = "At a corner, where no series exists: report an error, or use the convention for slopes and print a note."


class TaylorRequest(DocumentOptions):
    """Options of `adcli taylor`."""

    at = point("x=2")
    order = Option(("--order",), 8, "Highest power.", between=(0, 1000))
    along = texts("--along", metavar="x=1,y=2", help="Direction in which the inputs change.")
    exact = flag("--exact", help="Show every rational coefficient as a fraction, however long.")
    precision = whole("--precision", between=(2, 10_000), help="Compute with N decimal digits.")
    kinks = Option(("--kinks",), "error", _CORNERS, choices=("note", "error"))
    no_trace = flag("--no-trace", help="Show only the polynomials, without tables of coefficients.")
    places = Option(("--places",), 3, "Decimal places; short fractions such as 1/6 stay exact.", between=(0, 17))
    digits = DIGITS


def run(stream: Stream, options: TaylorRequest) -> None:
    """Write the Taylor series of every problem up to --order, along the direction of --along if there is one.

    Coefficients are doubles, with --precision of that many digits. They are also fractions if these are known: with
    --exact always, without both options if that takes little work, with --precision never. Raises NothingToRead if
    there is nothing to read, RequestError for --exact with --precision, AdcliError if --along cannot be read. Errors of
    single problems are printed, such as several inputs without --along, a direction that does not fit the inputs, or an
    input without a value.
    """
    from ...render import series_report as render
    from ...trace.taylor_series import taylor
    from ..problem_loop import ProblemResult, Results

    if options.exact and options.precision:
        raise RequestError("--exact and --precision exclude each other", help="leave one of them out")
    along = merge_points(options.along, "--along")
    pages, digits = options.pages(stream, "Taylor series"), Digits(options.places, options.digits)

    def expand(prepared: PreparedProblem) -> ProblemResult:
        """Return how to write the series of one problem as data, parts or lines, with its notes."""
        series = taylor(
            prepared.program, prepared.at, options.order, along=along or None, digits=options.precision,
            exact=options.exact or None, kinks=options.kinks, label=prepared.problem.label,
        )  # fmt: skip
        data = partial(render.TAYLOR.data, render.SeriesDocument(series, options.exact))
        lines = partial(render.lines, series, exact=options.exact)
        parts = partial(
            render.parts, series, digits, displays=pages.format.displays, has_tables=not options.no_trace,
            longest=None if options.exact else render.SHORT,
        )  # fmt: skip
        return ProblemResult(data, parts, lines, series.notes)

    Results(pages).write_all(options, expand)


COMMAND = Command(__doc__, TaylorRequest, run)
