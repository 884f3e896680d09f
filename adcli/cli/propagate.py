"""`adcli propagate`: uncertainties of the inputs carried to the outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import RequestError, Source
from ..notation.numbers import Digits
from .arguments import chosen_format
from .options import (
    DIGITS,
    FILE,
    FORMATS,
    PLACES,
    Command,
    DocumentOptions,
    Option,
    arguments,
    left_out,
    texts,
    whole,
)  # fmt: skip
from .pages import Pages
from .stream import Stream

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..trace.model import Note
    from ..trace.propagation import Propagation
    from ..trace.uncertainties import Uncertainties
    from .each import Posed

_HELP = """Uncertainties of the inputs carried to the outputs.

\b
Examples:
  adcli propagate "log(x1)+x1*x2-sin(x2)" --at "x1=2±0.1, x2=5±0.2"
  adcli propagate "V/I" --at "V=4.999+-0.0032, I=19.661e-3+-9.5e-6" --correlation V,I=-0.36
  adcli propagate "x^2" --at "x=0±10" --monte-carlo 1000000 --seed 7
  adcli propagate "a*b" --at "a=2±1%, b=3±0.1" --distribution b=uniform --monte-carlo 100000 --format json
  adcli propagate "a*b" points.csv --sigma b=5% -o out.parquet

Uncertainties are standard deviations (2±5% is a share of the value). First order from the gradient, second order from
the Hessian, the budget says which input matters. --monte-carlo draws points beside it and tells whether first order
will do (JCGM 101).

A file of points (CSV, NDJSON, Parquet or Arrow) has a column for each input, and for its uncertainty sigma_a, a_sigma,
u_a or a_err; what is the same in all rows comes by --sigma and --at. Out come the other columns, and for each output y,
sigma_y, second_mean_y and second_sigma_y.
"""


class PropagateRequest(DocumentOptions):
    """What `adcli propagate` is asked."""

    expr: Option[str | None] = left_out(None)  # what the command line has of it stands before the points
    expr_points = arguments()
    file = FILE
    at = texts("--at", metavar="x1=2±0.1", help="The point with its uncertainties; +- is read as ±.")
    sigma = texts("--sigma", metavar="x1=0.1,x2=5%", help="Uncertainties in all rows of a file.")
    carry = texts("--carry", metavar="id,x1", help="Columns of a file to carry over; by default all others.")
    correlation = texts("--correlation", metavar="x1,x2=0.3", help="The correlation of two inputs.")
    distribution = texts(
        "--distribution",
        metavar="x1=uniform",
        help="What is drawn: normal, uniform, triangular, arcsine (of that standard deviation), t(9) (of that scale).",
    )
    draws = whole("--monte-carlo", between=(1_000, 20_000_000), help="Draw so many random points.", metavar="N")
    random_seed = whole("--seed", between=(0, 2**32 - 1), help="Where the random points begin.", default=0)
    places = PLACES
    digits = DIGITS


def run(stream: Stream, asked: PropagateRequest) -> int | None:
    """Propagates through the problems of a command line; None when there is nothing to read."""
    from ..render import propagation as render
    from ..trace.propagation import Propagation, propagated
    from .each import Results

    asked.dress(stream)
    values, given = _given(asked)
    expr, path = _named(asked)
    if path is not None:
        from .uncertain_rows import propagate_rows

        return propagate_rows(stream, asked, expr, path, values, given)
    if asked.sigma or asked.carry:
        raise RequestError("--sigma and --carry are for a file of points", help='at one point: --at "x1=2±0.1"')
    form = chosen_format(asked.wanted, asked.path, FORMATS, "table")
    pages = Pages(stream, form, "Uncertainties", asked.standalone)
    digits = Digits(asked.places, asked.digits)
    results = Results[Propagation](
        pages,
        data=render.as_dict,
        parts=lambda found, named: render.parts(found, digits, named),
        lines=render.lines,
    )

    def find(posed: Posed) -> tuple[Propagation, Iterable[Note]]:
        found = propagated(posed.program, posed.at, given, posed.problem.label, asked.draws, asked.random_seed)
        return found, found.notes

    point = tuple([f"{name}={text}" for name, text in values.items()])
    return results.of_each(PropagateRequest(**{**vars(asked), "expr": expr, "at": point}), find)


def _named(asked: PropagateRequest) -> tuple[str | None, str | None]:
    """The expression (None where a file has it, or standard input) and the file of points, if there is one."""
    texts = [*([None] if asked.file is not None and len(asked.expr_points) == 1 else []), *asked.expr_points]
    if len(texts) > 2:
        raise RequestError(
            "adcli propagate takes an expression and one file of points", label=f"left over: {texts[2]}",
            help="quotation marks keep an expression in one piece",
        )  # fmt: skip
    expr, path = [*texts, None, None][:2]
    if path == "-" and expr == "-":
        raise RequestError("there are no points", help='name a file of them: adcli propagate "x1*x2" points.csv')
    return expr, path


def _given(asked: PropagateRequest) -> tuple[dict[str, str], Uncertainties]:
    """The values of the point as they are written, and what is known of their uncertainties."""
    from ..language.uncertain import read_correlation, read_uncertain_point
    from ..trace.uncertainties import Uncertainties

    values: dict[str, str] = {}
    sigmas: dict[str, float] = {}
    for text in asked.at:
        point = read_uncertain_point(Source(text, "--at"))
        values |= point.texts
        sigmas |= point.sigmas
    correlations: dict[tuple[str, str], float] = {}
    for text in asked.correlation:
        first, second, x = read_correlation(Source(text, "--correlation"))
        if (first, second) in correlations or (second, first) in correlations:
            raise RequestError(f"{first} and {second} have two correlations", help="leave one")
        correlations[first, second] = x
    shapes = {}
    for text in asked.distribution:
        name, equals, shape = text.partition("=")
        if not equals:
            raise RequestError(f"--distribution {text} names no input", help="write it as --distribution x1=uniform")
        shapes[name.strip()] = shape.strip()
    return values, Uncertainties(sigmas, correlations, shapes)


COMMAND = Command(_HELP, PropagateRequest, run)
