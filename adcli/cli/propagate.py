"""`adcli propagate`: uncertainties of the inputs carried to the outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import RequestError, Source
from ..notation.numbers import Digits
from .arguments import chosen_format
from .options import DIGITS, FILE, FORMATS, PLACES, Command, DocumentOptions, texts, whole
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

Uncertainties are standard deviations (2±5% is a share of the value). First order from the gradient, second order from
the Hessian, the budget says which input matters. --monte-carlo draws points beside it and tells whether first order
will do (JCGM 101).
"""


class PropagateRequest(DocumentOptions):
    """What `adcli propagate` is asked."""

    file = FILE
    at = texts("--at", metavar="x1=2±0.1", help="The point with its uncertainties; +- is read as ±.")
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
    form = chosen_format(asked.wanted, asked.path, FORMATS, "table")
    values, given = _given(asked)
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

    plain = PropagateRequest(**{**vars(asked), "at": tuple([f"{name}={text}" for name, text in values.items()])})
    return results.of_each(plain, find)


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
