"""Uncertain points, with standard uncertainties: `x1 = 2±0.1, x2 = 5 +- 2%, x3 = 1.234(5)`."""

from __future__ import annotations

import math

from ..errors import RequestError, Source, Span
from ..patterns import compile_pattern
from ..records import NamedTuple
from .problems import empty_point_error, pieces, read_point, refuse_second_value, source_of_part

_BOTH_WAYS = compile_pattern(r"±|\+/-|\+-|\+−|\\pm\b")
# The uncertainty of the last digits, or with a point itself, in brackets (GUM, 7.2.2).
_IN_BRACKETS = compile_pattern(
    r"([^=]*+=\s*+[+\-−]?)((?:[0-9]++\.?[0-9]*+|\.[0-9]++))\(([0-9]++\.?[0-9]*+)\)([eE][+-]?[0-9]++)?\s*+\Z"
)


class UncertainPoint(NamedTuple):
    """The texts of the values and the standard uncertainties (standard deviations) by name; a name without one is
    exact.

    `exact` is the text of the point without the uncertainties, every value in its place.
    """

    texts: dict[str, str]
    sigmas: dict[str, float]
    exact: Source


def read_uncertain_point(source: Source) -> UncertainPoint:
    r"""Return the UncertainPoint of a text such as `x1=2±0.1, x2=5+-2%, x3=1.234(5)`.

    `texts` are the values as they are written, without their uncertainties (of `(x, y) = (1, 2)` as numbers); `sigmas`
    the standard uncertainties (no entry for a value without one); `exact` the Source of the point with blanks for the
    uncertainties, so that places stay. Empty pieces are skipped. Both sides of ± (also +-, +/-, \pm) may be expressions
    of numbers. A percentage is relative to the absolute value; digits in brackets count in units of the last digit.

    Raises SyntaxProblem for an empty point or a piece without `name = value`. Raises RequestError for a name with two
    values, a value that is not a number, or an uncertainty that is negative or not finite. Raises another AdcliError if
    a value or an uncertainty cannot be read.
    """
    texts: dict[str, str] = {}
    sigmas: dict[str, float] = {}
    left = source.text
    for start, end in pieces(source.text):
        text = source.text[start:end]
        if not text.strip():
            continue
        exact, spread = _split_uncertainty(text)
        values = read_point(source_of_part(source, start, exact))
        for name, x in values.items():  # several of `(x, y) = (1, 2)`
            refuse_second_value(source, name, texts, start, end)
            texts[name] = exact.partition("=")[2].strip() if len(values) == 1 else repr(x)
            if spread is not None:
                sigmas[name] = _read_sigma(source, name, Span(start + spread.start, end, source), spread.text, x)
        left = left[:start] + exact.ljust(end - start) + left[end:]
    if not texts:
        raise empty_point_error(source, "write it as x1=2±0.1, x2=5±0.2")
    return UncertainPoint(texts, sigmas, Source(left, source.name, source.first_line, source.shown))


class _WrittenSigma(NamedTuple):
    """An uncertainty in a piece of a point: its place, and a text `name = uncertainty` of the same length."""

    start: int
    text: str


def _split_uncertainty(text: str) -> tuple[str, _WrittenSigma | None]:
    """Return (text up to the uncertainty, the uncertainty or None) of a piece such as `x=2±0.1` or `x=2.0(1)`.

    A sign such as ± counts only behind the =. Digits in brackets are scaled to the last digit of the value, `2.00(5)`
    to 5e-2, if they have no point; they take the exponent of the value, which also stays in the first text. The
    uncertainty is written as a value of the same name: (its index in `text`, `x=  0.1` with blanks up to its place or
    `x=5e-2`).
    """
    sign = _BOTH_WAYS.search(text)
    name = text[: text.find("=") + 1]
    if sign and "=" in text[: sign.start()]:
        return text[: sign.start()], _WrittenSigma(sign.end(), name.ljust(sign.end()) + text[sign.end() :])
    brackets = _IN_BRACKETS.fullmatch(text)
    if brackets is None:
        return text, None
    before, number, digits, exponent = brackets.groups("")
    unit = 0 if "." in digits else -len(number.partition(".")[2])
    spread = f"{name}{digits}e{unit + int(exponent[1:] or 0)}"
    return f"{before}{number}{exponent}", _WrittenSigma(brackets.start(3), spread)


def _read_sigma(source: Source, name: str, place: Span, text: str, value: float) -> float:
    """Return the standard uncertainty written in `text`, which is `name = uncertainty` (blanks between them allowed)
    and ends at the end of `place`.

    With % at the end it is a percentage of the absolute `value`. Raises RequestError if it is negative, infinite, nan
    or depends on a name, another AdcliError if it is missing or cannot be read.
    """
    is_percentage = text.rstrip().endswith("%")
    start = place.end - len(text) if len(text) <= place.end else 0
    number = read_point(source_of_part(source, start, text.rstrip().removesuffix("%") if is_percentage else text))[name]
    sigma = number / 100 * abs(value) if is_percentage else number
    if not (math.isfinite(sigma) and sigma >= 0):
        raise wrong_uncertainty(name, "it is a standard deviation: x1=2±0.1, or x1=2±5%", place)
    return sigma


def wrong_uncertainty(name: str, advice: str, place: Span | None = None) -> RequestError:
    """Return the error for an uncertainty that is negative, infinite or nan."""
    return RequestError(f"the uncertainty of {name} is not a finite number of 0 or more", place, help=advice)


def read_correlation(source: Source) -> tuple[str, str, float]:
    """Return (first name, second name, correlation) of `x1,x2=0.3`.

    The number may be an expression. Raises RequestError unless there are two different names before =, and a number
    from -1 to 1 (ends included) behind it, another AdcliError if that is missing or cannot be read.
    """
    names, equals, text = source.text.partition("=")
    pair = [name.strip() for name in names.split(",")]
    if not equals or len(pair) != 2 or not all(pair) or pair[0] == pair[1]:
        title = "a correlation is between two inputs"
        raise RequestError(title, Span(0, len(source.shown), source), help="write it as x1,x2=0.3")
    (_, x), *_ = read_point(Source(f"{pair[0]}={text}", source.name)).items()
    if not -1 <= x <= 1:
        raise RequestError("a correlation is a number from -1 to 1", Span(0, len(source.shown), source))
    return pair[0], pair[1], x
