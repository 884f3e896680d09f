"""Numerals as people write them: the value, and the unit of the last place."""

from __future__ import annotations

import operator
import re
import unicodedata
from fractions import Fraction
from functools import lru_cache

from ..language.scanner import plain_spelling
from ..patterns import pattern
from ..typings import override
from .answer_model import Numeral
from .line_rewriting import row_pattern

_SHAPE = row_pattern("{NUMERAL}")
_ELLIPSES = ("..", "…", "dots")  # also that of LaTeX
_SPACED = pattern("(?<=\\d)[\u2009\u202f\u00a0'](?=\\d{3}(?!\\d))", signs="\u2009\u202f\u00a0'")
_GROUPED = pattern(r"[1-9]\d{0,2}(?:(?:,\d{3})++\.\d*+|(?:,\d{3}){2,}+)\Z", signs=",")
_THOUSANDS = pattern(r"(?<![\d.,])[1-9]\d{0,2}(?:,\d{3})++(?![\d,])", signs=",")
_COMMA = pattern(r",|\A[1-9]\d{0,2}(?:\.\d{3})++\Z")  # what has decimal commas, or points between thousands
_OVERLINES = ("\u0304", "\u0305")
_SUPERSCRIPTS = str.maketrans("⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹", "-+0123456789")
_MIRRORED = str.maketrans(",.", ".,")
_LARGEST_EXPONENT = 400
_SHORT = 60  # characters of a text that is remembered
_FACTORS = frozenset(("percent", "prozent", "dozen", "hundred", "thousand", "million", "tausend", "mille", "mil"))
COMPARED = {">": operator.gt, "<": operator.lt, **dict.fromkeys(("≠", "!=", "\\ne", "\\neq"), operator.ne)}
_TOLERANCES = frozenset(("±", "+/-", "\\pm"))
COMPARED |= dict.fromkeys((">=", "=>", "≥", "\\ge", "\\geq"), operator.ge)
COMPARED |= dict.fromkeys(("<=", "=<", "≤", "\\le", "\\leq"), operator.le)
_BOUND = row_pattern("{BOUND}", signs="<>≤≥≠±!\\/")


def numeral(text: str, decimal: str = "point") -> Numeral | None:
    r"""Return the number that a numeral shows, with the unit of its last place; None for any other text, such as `1/3`.

    Accepted are `-0.284`, `+3`, `5.`, `.5`, `1.2e-3` (unit 10^-4), `1.2·10^-3`, `1.2 \times 10^{-3}`, `0.693…` (unit
    0.001), `0.3̄` and `1,234.5`, with blanks around them, and with a thin or no-break space or ' between thousands.
    `decimal` is "point" or "comma". None too for a comma in another place if points are decimal, `0,5`, and for a text
    that could be two numbers, such as `1,234` (`_number`). Short texts are remembered: many readers ask about the same.
    """
    return (_numeral if len(text) <= _SHORT else _numeral.__wrapped__)(text, decimal)


class FloatAsWritten(float):
    """A number with a point or exponent in a JSON text; its repr is that text, so that `0.50` keeps its digits."""

    def __init__(self, text: str) -> None:
        self.text = text

    @override
    def __repr__(self) -> str:
        return self.text


@lru_cache(maxsize=4096)
def _numeral(text: str, decimal: str) -> Numeral | None:
    """Return the number of a numeral, as `numeral` describes it; remembered for the latest texts."""
    if text.rstrip().endswith(_OVERLINES):
        text = _with_period(text.rstrip())
    match = _SHAPE.fullmatch(plain_spelling(_SPACED.sub("", text)))
    return None if match is None else _number(match, decimal)


def _with_period(text: str) -> str:
    """Return a numeral whose last digits have a line above them with these repeated: 0.3333333 for `0.3̄`."""
    plain = text.replace("\u0304", "").replace("\u0305", "")
    return plain + plain[len(plain) - (len(text) - len(plain)) :] * 6


def without_thousands(text: str) -> str:
    """Return a text without the commas of numbers that may have them between thousands: `7500*x` for `7,500*x`."""
    return _THOUSANDS.sub(lambda match: match[0].replace(",", ""), text)


def with_unit_of_program(number: Numeral, line: str) -> Numeral:
    """Return a number of the line `line` with a unit of at least 2⁻²⁰ of its size if the line has `float32`, which
    prints more digits than are sure; else itself."""
    return number._replace(unit=max(number.unit, abs(number.value) / 2**20)) if "float32" in line else number


def leading_numeral(text: str, decimal: str = "point") -> tuple[Numeral, int] | None:
    """Return (the number that a text starts with, the offset after it); None if it starts with none.

    Blanks before the numeral are skipped; blanks and an ellipsis (`…`, `...`) after it are included in the offset.
    Anything may follow: `2x` starts with 2, `1/3` with 1. `decimal` is "point" or "comma". None too if the first
    numeral is one that `_number` rejects, such as `1,234`.
    """
    match = _SHAPE.match(plain_spelling(text))
    number = None if match is None else _number(match, decimal)
    return None if number is None or match is None else (number, match.end())


def bound_behind(text: str, decimal: str = "point") -> tuple[int, bool] | None:
    """Return (where a bound begins behind the number or fraction that is `text` before it, whether it holds): (2, True)
    for `12 > 0` and `12 (> 0)`, (2, False) for `12 < 0`.

    A tolerance of at most a fifth of the number, `12 ± 1`, holds. None for any other text, and for bounds other than 0:
    of two numbers, `7 < 12`, none is the answer.
    """
    match = _BOUND.search(text)
    if match is None:
        return None
    left, right = _fraction(text[: match.start()], decimal), _fraction(match["bound"], decimal)
    if left is None or right is None or abs(right) > (abs(left) / 5 if match["sign"] in _TOLERANCES else 0):
        return None
    return match.start(), match["sign"] in _TOLERANCES or COMPARED[match["sign"]](left, right)


def _fraction(text: str, decimal: str) -> Fraction | None:
    """Return the value of a numeral or of a fraction of two; None for any other text, and for a fraction over 0."""
    numbers = [number.value for part in text.split("/") if (number := numeral(part, decimal))]
    is_fraction = len(numbers) == text.count("/") + 1 < 3 and all(numbers[1:])
    return numbers[0] / Fraction(*numbers[1:] or (1,)) if is_fraction else None


def is_smudged(text: str, decimal: str = "point") -> bool:
    """Return whether a sign that is no digit directly follows the number at the start of a text: `0.6#8`, `0.1▒▒`.

    True too if only a word for a factor (`_FACTORS`) follows it: `12 thousand`. The sign is #, a question mark before a
    digit, or a symbol of Unicode such as ▒ that is no tick. `decimal` is "point" or "comma".
    """
    text = text.strip()
    end = (leading_numeral(text, decimal) or (0, 0))[1]
    if not end or text[end - 1].isspace():
        return end > 0 and text[end:].rstrip(".,;").lower() in _FACTORS
    after = text[end : end + 1] or " "
    is_symbol = unicodedata.category(after) == "So" and after not in "°✓✔☑✅✗✘☒❌"
    return is_symbol or after == "#" or (after == "?" and text[end + 1 : end + 2].isdecimal())


def has_other_decimal(text: str, decimal: str = "point") -> bool:
    """Return whether a text has a comma and would be a numeral if a comma could be decimal; False if `decimal` is
    "comma".
    """
    return decimal == "point" and "," in text and (numeral(text) or numeral(text, "comma")) is not None


def _number(match: re.Match[str], decimal: str) -> Numeral | None:
    """Return the number in a match of `_SHAPE`, marked if it ends in dots (0.333…).

    None if it has a comma without a meaning, several points, or an exponent beyond ±400.

    Points are decimal. Commas between thousands are dropped if there are two or more, or a point follows (1,234,567 and
    1,234.5); so is a comma at the end. None for any other comma, as in `0,5` and `1,234`, which could be two numbers.
    With `decimal` "comma", points and commas first change roles in a number that has a comma, or has points only
    between thousands. So 0,5 and 0.5 are both a half, 1.234.567 is a whole number, and `1.234` gives None.
    """
    digits = match["digits"]
    if decimal == "comma" and _COMMA.search(digits):
        digits = digits.translate(_MIRRORED)
    if _GROUPED.match(digits):
        digits = digits.replace(",", "")
    digits = digits.removesuffix(",")
    written = match["e"] or match["braced"] or match["bracketed"] or match["raised"] or match["super"] or "0"
    whole, _, places = digits.partition(".")
    if not (whole + places).isdecimal() or len(written) > 5:
        return None
    exponent = int(written.translate(_SUPERSCRIPTS))
    if abs(exponent) > _LARGEST_EXPONENT:
        return None
    unit = Fraction(10) ** (exponent - len(places))
    value = int(whole + places) * unit
    return Numeral(-value if match["sign"] == "-" else value, unit, int(match[0].rstrip().endswith(_ELLIPSES)))
