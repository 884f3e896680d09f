"""Points with standard uncertainties: `x1 = 2±0.1, x2 = 5 +- 2%`."""

from __future__ import annotations

import math
import re

from ..errors import RequestError, Source, Span, SyntaxProblem
from ..records import NamedTuple
from .problems import pieces, read_point

_BOTH_WAYS = re.compile(r"±|\+/-|\+-|\+−|\\pm\b")


class UncertainPoint(NamedTuple):
    """Values as they are written and standard uncertainties (standard deviations) by name; what has none is exact."""

    texts: dict[str, str]
    sigmas: dict[str, float]


def read_uncertain_point(source: Source) -> UncertainPoint:
    """The values in `x1=2±0.1, x2=5+-2%, x3=1`; both numbers may be expressions, a percentage is of the value's size.

    Raises what `read_point` raises, and RequestError for an uncertainty that is no finite number from 0 on.
    """
    texts: dict[str, str] = {}
    sigmas: dict[str, float] = {}
    for start, end in pieces(source.text):
        text = source.text[start:end]
        if not text.strip():
            continue
        sign = _BOTH_WAYS.search(text)
        exact = text[: sign.start()] if sign and "=" in text[: sign.start()] else text
        (name, x), *_ = read_point(Source(exact, source.name)).items()
        if name in texts:
            raise RequestError(f"{name} has two values", Span(start, end, source), "the second one", help="leave one")
        texts[name] = exact.partition("=")[2].strip()
        if sign:
            sigmas[name] = _sigma(source, name, start + sign.end(), end, x)
    if not texts:
        end = len(source.shown.rstrip())
        raise SyntaxProblem("the point is empty", Span(end, end + 1, source), help="write it as x1=2±0.1, x2=5±0.2")
    return UncertainPoint(texts, sigmas)


def _sigma(source: Source, name: str, start: int, end: int, value: float) -> float:
    """The uncertainty that stands in this piece of the text."""
    text = source.text[start:end].strip()
    share = text.endswith("%")
    found = read_point(Source(f"{name}={text.removesuffix('%') if share else text}", source.name))[name]
    sigma = found / 100 * abs(value) if share else found
    if not (math.isfinite(sigma) and sigma >= 0):
        raise RequestError(
            f"the uncertainty of {name} is no number from 0 on",
            Span(start, end, source), help="it is a standard deviation: x1=2±0.1, or x1=2±5%",
        )  # fmt: skip
    return sigma


def read_correlation(source: Source) -> tuple[str, str, float]:
    """Two names and their correlation, as in `x1,x2=0.3`."""
    names, equals, text = source.text.partition("=")
    pair = [name.strip() for name in names.split(",")]
    if not equals or len(pair) != 2 or not all(pair) or pair[0] == pair[1]:
        raise RequestError(
            "a correlation is of two inputs", Span(0, len(source.shown), source), help="write it as x1,x2=0.3"
        )
    (_, x), *_ = read_point(Source(f"{pair[0]}={text}", source.name)).items()
    if not -1 <= x <= 1:
        raise RequestError("a correlation lies from -1 to 1", Span(0, len(source.shown), source))
    return pair[0], pair[1], x
