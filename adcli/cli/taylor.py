"""`adcli taylor`."""

from __future__ import annotations

from typing import Any

from ..errors import RequestError
from ..notation.numbers import Digits
from ..render import series as render
from ..render.cells import FORMULA, HEADING, LATEX, Line, Part
from ..trace.taylor import TaylorSeries, taylor
from .arguments import chosen_format, given_point
from .each import Found, Posed, Results
from .options import APPEARANCE, DIGITS, FAIL_FAST, FILE, FORMAT, FORMATS, FUNCTIONS, STANDALONE, Command, Option
from .pages import Pages
from .stream import Stream

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

OPTIONS = (
    FILE,
    Option(("--at",), "at", "The point; values may be expressions (x=pi/2).", "x=2", many=True),
    Option(("--order",), "order", "The highest power.", between=(0, 1000), default=8),
    Option(("--along",), "along", "The direction in which the inputs move.", "x=1,y=2", many=True),
    Option(("--exact",), "exact", "Every coefficient that is a fraction as a fraction, however long."),
    Option(("--precision",), "precision", "Compute with so many decimal digits.", between=(2, 10_000)),
    Option(
        ("--kinks",),
        "kinks",
        "At a corner, where no series exists: an error, or the convention for slopes and a note.",
        choices=("note", "error"),
        default="error",
    ),
    Option(("--no-trace",), "no_trace", "Only the polynomials, no table of coefficients."),
    Option(("--places",), "places", "Decimals of what is no short fraction.", between=(0, 17), default=3),
    DIGITS,
    FUNCTIONS,
    FAIL_FAST,
    FORMAT,
    STANDALONE,
    *APPEARANCE,
)


def run(stream: Stream, flags: dict[str, Any]) -> int | None:
    """Expands the problems of a command line; None when there is nothing to read."""
    stream.dress(flags)
    if flags["exact"] and flags["precision"]:
        raise RequestError("--exact and --precision are given", help="leave one of them out")
    form = chosen_format(flags["wanted"], flags["output"], FORMATS, "table")
    along = given_point(flags["along"], "--along")
    exact: bool = flags["exact"]
    pages = Pages(stream, form, "Taylor series", flags["standalone"])
    results = Results(
        pages,
        data=lambda series: render.as_dict(series, exact),
        parts=lambda series, named: _parts(flags, form, series, named),
        lines=lambda series, number: render.lines(series, number, exact),
    )

    def find(posed: Posed) -> Found:
        series = taylor(
            posed.program, posed.at, flags["order"], along=along or None, digits=flags["precision"],
            exact=exact or None, kinks=flags["kinks"], label=posed.problem.label,
        )  # fmt: skip
        return series, series.notes

    return results.of_each(flags, find)


def _parts(flags: dict[str, Any], form: str, series: TaylorSeries, named: bool) -> list[Part]:
    digits = Digits(flags["places"], flags["digits"])
    longest = None if flags["exact"] else render.SHORT
    if form == "latex":
        return [Line(render.latex(series, output, digits, longest) + "\n", LATEX) for output in series.outputs]
    found: list[Part] = [Line(render.heading(series, digits), HEADING)] if series.label or named else []
    for output in series.outputs:
        found.append(Line(render.polynomial(series, output, digits, longest), FORMULA))
        if not flags["no_trace"]:
            found.append(render.table(series, output, digits, longest))
    return found


COMMAND = Command(_HELP, OPTIONS, "expr", 1, run)
