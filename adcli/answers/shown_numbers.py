"""Shown numbers of an answer as intervals: all numbers that round to what is written. The unit of a number is one in
its last place."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable
from fractions import Fraction
from functools import lru_cache
from struct import pack, unpack

from ..language.advice import synonyms
from ..numbers.double_intervals import SPREAD, Spread, SpreadArithmetic
from ..numbers.exact import read_fraction
from ..records import NamedTuple
from ..typings import override
from .answer_model import Numeral

_MANY = 5  # digits or places, of which the last one may have been cut off
_FEWEST = 2  # digits that anybody rounds to: 10 next to 0.5 is 10
_ONE_PLACE, _LARGEST_FRACTION = 10, Fraction(1, 10)  # last places that are mixed in one answer: 0.69 and 0.693
_DOUBLE = 2**51
_MACHINE_DIGITS = 14  # from here on a program printed the number: it has the rounding errors of that program
_COMPUTED = 2**31  # of such a number, a part that its program's rounding may change: some 9 digits are sure
_SINGLE = 2**20  # the same of a number of single precision, as loss.item() prints it
_LARGEST = 1e308
_LARGEST_SINGLE = 3e38
_NOT_WHOLE = 1 - 1e-9  # of a unit: a number that is a whole unit away is not cut off


def as_double(value: Fraction) -> float:
    """Return the nearest double; ±1e308 for larger numbers."""
    try:
        return max(min(value.numerator / value.denominator, _LARGEST), -_LARGEST)
    except OverflowError:
        return _LARGEST if value > 0 else -_LARGEST


@lru_cache(maxsize=1024)
def numeral_spread(number: Numeral) -> Spread:
    """Return the interval of all numbers that a written number may have been rounded from.

    It extends to either side by half a unit of the last place, or by the number's size divided by 2**51 if that is
    more. For a number of 14 significant digits or more, which a program has printed, 2**31 replaces 2**51: another
    order of the operations may change its last digits, as in 1 - tanh(x)^2. If these digits are those of a number of
    single precision, 3.6666667461395264, 2**20 does.
    """
    precision = _DOUBLE
    if digits(number) >= _MACHINE_DIGITS:
        precision = _SINGLE if _is_single(number) else _COMPUTED
    return _around(number.value, max(number.unit / 2, abs(number.value) / precision))


def _is_single(number: Numeral) -> bool:
    """Return whether a number may be one of single precision, printed with the digits of a double.

    True if the nearest number of single precision is at most half a unit of the last place of `number` away. False if
    the size of `number` is above 3e38.
    """
    double = as_double(number.value)
    if abs(double) > _LARGEST_SINGLE:
        return False
    (single,) = unpack("f", pack("f", double))
    return abs(Fraction(single) - number.value) <= number.unit / 2


def differ(one: Numeral, other: Numeral) -> bool:
    """Return whether two written numbers cannot be roundings of the same: 5.5 and 5.6 differ, 0.69 and 0.693 do not."""
    away = 2 * abs(one.value - other.value)
    return away > 0 and away >= one.unit + other.unit


def are_unequal(one: Numeral, other: Numeral) -> bool:
    """Return whether two written numbers cannot be equal, even if one is cut off: those with equal last places if they
    are not the same, others if they are further apart than the larger unit of the last place."""
    away = abs(one.value - other.value)
    return away > 0 and (one.unit == other.unit or away > max(one.unit, other.unit))


def states_constant(name: str, number: Numeral | None) -> bool:
    """Return whether `number` is the value of the constant `name` of mathematics or physics, `g` or `pi`: as the table
    has it, or rounded or cut off to three digits or more.
    """
    values = [Fraction(each.partition("=")[2]) for each in synonyms("constants") if each.startswith(f"{name}=")]
    shown, unit = (number.value, number.unit) if number is not None else (Fraction(0), Fraction(0))
    return any(value == shown or abs(value - shown) < unit < value / 100 for value in values)


class Rounded(SpreadArithmetic):
    """Intervals in which a number with a decimal point is all numbers that round to it, or with five digits or more are
    cut off to it; whole numbers are exact."""

    def __init__(self, exact: Container[Fraction] = ()) -> None:
        """Take numbers in `exact` as exact, too."""
        self._exact = exact

    @override
    def number(self, x: object) -> Spread:
        """Return a decimal text with a point as the interval of all numbers that round to it; other numbers exactly.

        The interval has half a unit of the last place to either side, of five digits or more just less than a unit; the
        unit of `1.5e3` is 100. Exact are whole numbers, numbers that are not texts, and those whose fraction is in
        `exact`. A text that is not a number is left to the base class.
        """
        if isinstance(x, str) and "." in x:
            fraction = read_fraction(x)
            if fraction is not None and fraction not in self._exact:
                mantissa, _, power = x.lower().partition("e")
                unit = Fraction(10) ** (int(power or 0) - len(mantissa.partition(".")[2]))
                is_long = digits(Numeral(fraction, unit)) >= _MANY
                return _around(fraction, unit * Fraction(_NOT_WHOLE) if is_long else unit / 2)
        return super().number(x)


ROUNDED = Rounded()


def digits(number: Numeral) -> int:
    """Return the number of significant digits that are written; 0 for the number 0."""
    value, unit, _ = number
    if not unit or not value:
        return 0
    return len(str(abs(value.numerator) * unit.denominator // (value.denominator * unit.numerator)))


def _zeros(number: Numeral) -> int:
    """Return the number of zeros at the end of a whole number, which may be fillers; 0 for other numbers."""
    text = str(number.value) if number.unit == 1 else ""
    return len(text) - len(text.rstrip("0"))


class Habit(NamedTuple):
    """The way in which most numbers of an answer are written: the unit of their last place, and their
    number of significant digits.

    `is_mixed` says that each number is rounded to a place of its own.
    """

    unit: Fraction
    digits: int
    is_mixed: bool = False


def habit(numbers: Iterable[Numeral]) -> Habit:
    """Return the usual last place and number of digits of an answer's numbers.

    If some numbers have decimal places (a unit below 1), only these count: `unit` is the lower quartile of the units
    (one quarter are finer), `digits` the median of the numbers of significant digits, the larger of the middle two.
    With whole numbers only, the unit is 1 and `digits` the largest number of digits (1 if there are no numbers).
    Numbers with unit 0 are ignored. Places are mixed if some of the decimals have a final zero (0.50), so that zeros
    are not dropped, and the places of two of them differ by more than one.
    """
    numbers = [number for number in numbers if number.unit]
    decimals = [number for number in numbers if number.unit < 1]
    if not decimals:
        return Habit(Fraction(1), max(map(digits, numbers), default=1))
    units = sorted((number.unit for number in decimals), key=as_double)
    counts = sorted(map(digits, decimals))
    unit = units[len(units) // 4]
    has_zeros = any(number.value and not number.value % (_ONE_PLACE * number.unit) for number in decimals)
    return Habit(unit, counts[len(counts) // 2], has_zeros and units[-1] > _ONE_PLACE * units[0])


class ShownNumber(NamedTuple):
    """A number of an answer as intervals.

    `wide` is what its own digits say, which decides. `narrow` is its interval if it is written to the answer's usual
    place with its last zeros dropped (10 next to 0.693); the same as `wide` if it has all its places, or all but one.
    `brief` says that it has fewer digits than usual and lacks more than one place.
    """

    wide: Spread
    narrow: Spread
    brief: bool
    number: Numeral

    @property
    def unit(self) -> float:
        """Return the unit of the last place, dropped zeros written out."""
        return self.narrow.high - self.narrow.low

    @property
    def cut_off(self) -> Spread:
        """Return the interval of all numbers that this one may have been rounded or cut off from.

        It extends just less than a unit of the last written place to either side, or half the width of `wide` if that
        is more; it is `wide` if that is unknown.
        """
        if not self.wide.known:
            return self.wide
        unit = self.number.unit * Fraction(_NOT_WHOLE)
        return _around(self.number.value, max(unit, Fraction(self.wide.high - self.wide.low) / 2))

    @property
    def has_many_digits(self) -> bool:
        """Return whether it has enough digits that it does not matter if they were rounded or cut off, or an ellipsis
        that says that they are cut off, `0.1533…`."""
        count = digits(self.number)
        is_long = count >= _MANY or (count >= _FEWEST and self.number.unit <= Fraction(1, 10**_MANY))
        return is_long or bool(self.number.is_cut)

    def near(self, truth: Spread) -> bool:
        """Return whether the number is the truth cut off towards 0 instead of rounded.

        The middle of `truth` must be larger in size by more than 0 and less than a unit of the last written place.
        """
        rest = (truth.middle - as_double(self.number.value)) * (1 if truth.middle > 0 else -1)
        return 0 < rest < as_double(self.number.unit) * _NOT_WHOLE


@lru_cache(maxsize=1024)
def shown(number: Numeral, usual: Habit) -> ShownNumber:
    """Return `number` as a ShownNumber with two intervals; `usual` is how most numbers of the answer are written.

    `wide` is what the digits say (`numeral_spread`). In a whole number, final zeros beyond the usual number of digits,
    but at least two digits, are fillers: 140 next to 6.3 and 0.71 is rounded to tens. For the rest the written last
    place counts, not that of the fillers. If it is at most the usual one, or coarser by one place and at most 0.1, or
    if places are mixed, `narrow` is `wide` and `brief` False. Otherwise `narrow` is what rounding at the usual place
    would allow, or, if that place is higher but not above the written one, at the last of as many significant digits as
    usual. Then `brief` is True if the number has fewer digits than usual.
    """
    wide = numeral_spread(number)
    if number.unit == 1:
        fillers = min(_zeros(number), max(digits(number) - max(usual.digits, _FEWEST), 0))
        wide = _around(number.value, Fraction(10) ** fillers / 2)
    if usual.is_mixed or number.unit <= max(usual.unit, min(_ONE_PLACE * usual.unit, _LARGEST_FRACTION)):
        return ShownNumber(wide, wide, False, number)
    unit = usual.unit
    while unit * 10**usual.digits <= abs(number.value):  # the usual number of significant digits ends at a higher place
        unit *= 10
    return ShownNumber(wide, _around(number.value, min(unit, number.unit) / 2), digits(number) < usual.digits, number)


ENOUGH, COARSE, NOTHING = "enough", "coarse", "nothing"
_ALWAYS_ENOUGH = Fraction(1, 100)  # a last place of hundredths or less is never too coarse
_EQUAL = 1e-6  # as a fraction of the truth: 1 for 0.9999999 is not rounded to ones
_SHARE = 5  # a number says enough if its last place is at most so small a part of what is true


def informativeness(number: Numeral | Spread, truth: Spread, allowed: Fraction = _ALWAYS_ENOUGH) -> str:
    """Return how much `number` tells about its true value: ENOUGH, COARSE or NOTHING.

    The size of the truth is that of the middle of `truth`. The first that applies:

    - An interval (arithmetic left undone): NOTHING if it is wider than 0.01 and at least as wide as the size of the
      truth (an unknown interval is infinitely wide), else ENOUGH.
    - The last place is at most `allowed` or 0.01, or the truth is unknown: ENOUGH.
    - The number is in `truth`, or within a millionth of its middle: ENOUGH, but NOTHING for a 0 with a last place above
      1.
    - 0 is in `truth`: NOTHING if the last place is above 1, else ENOUGH.
    - The number is at most half its last place, or this is at least the size of the truth (`0` for 0.06): NOTHING.
    - The last place is more than a fifth of the size of the truth (`1e1` for 11.652): COARSE.
    - Otherwise ENOUGH.
    """
    if isinstance(number, Spread):
        return NOTHING if _is_undone(number, truth) else ENOUGH
    if number.unit <= max(allowed, _ALWAYS_ENOUGH) or not truth.known:
        return ENOUGH
    size = Fraction(abs(truth.middle))
    if truth.meets(SPREAD.number(number.value)) or abs(as_double(number.value) - truth.middle) <= _EQUAL * size:
        return ENOUGH if number.value or number.unit <= 1 else NOTHING
    if truth.meets(SPREAD.zero):
        return ENOUGH if number.unit <= 1 else NOTHING
    if abs(number.value) <= number.unit / 2 or number.unit >= size:
        return NOTHING
    return COARSE if number.unit * _SHARE > size else ENOUGH


def _is_undone(number: Spread, truth: Spread) -> bool:
    """Return whether an interval is wider than 0.01 and at least as wide as the true value is large."""
    width = number.high - number.low if number.known else math.inf
    return width > float(_ALWAYS_ENOUGH) and width >= abs(truth.middle)


def _around(value: Fraction, half: Fraction) -> Spread:
    low, high = SPREAD.number(value - half), SPREAD.number(value + half)
    return Spread(low.low, high.high)
