"""Ranges of real numbers: all that is certain of a value whose arguments are only known to lie in ranges.

A range has ends that may be open or infinite, so that exp(x) lies in (0, inf) and x^2 + 1 in [1, inf), and it may
exclude 0.  It holds for numbers, not for their roundings: exp(x) is positive at -1000 too, where its double is 0.  Ends
are rounded outwards unless they are exact.  One object in two places is one number: `x*x` is a square and `x - x` is 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import product

from ..table.operator_methods import Reflections
from ..typings import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias, cast, override
from .conditions import Truth
from .doubles import FLOAT

if TYPE_CHECKING:
    from fractions import Fraction

    # What an operator or a rule accepts as a range: a condition is one of 0 and 1.
    RangeLike: TypeAlias = "Range | Truth | float"

inf = math.inf
GREATEST: Final = 1.7976931348623157e308
_WHOLE = 2.0**53  # whole numbers up to this are doubles


def as_range(x: RangeLike | Fraction) -> Range:
    """Return the range of a number, fraction, text or Truth; a range is returned as it is.

    A Truth is 1, 0, or [0, 1] if it is undecided. A double that is infinite or nan gives ANY, the whole line. Fractions
    and texts have the ends of `bounds_of`: neighbours of the nearest double. Raises ValueError if a text is not a
    number.
    """
    if isinstance(x, Range):
        return x
    if isinstance(x, Truth):
        return ONE if x.always else ZERO if x.never else Range(0.0, 1.0)
    if isinstance(x, float):
        return Range(x, x) if math.isfinite(x) else ANY
    return Range(*bounds_of(x))


class Range(Reflections):
    """The real numbers from `low` to `high`; `open_low` and `open_high` exclude an end, `nonzero` excludes 0.

    Infinite ends are open. A range without numbers is `empty`.
    """

    __slots__ = ("high", "low", "nonzero", "open_high", "open_low")
    m: ClassVar[object]  # the arithmetic
    alike = staticmethod(as_range)

    def __init__(
        self, low: float, high: float, open_low: bool = False, open_high: bool = False, nonzero: bool = False
    ) -> None:
        """Take the numbers from `low` to `high`; an open end does not belong to them, and with `nonzero` neither does
        0.

        Infinite ends, and with `nonzero` an end 0, become open; `nonzero` becomes true if 0 is not between the ends. A
        range without numbers, also one with nan, becomes the empty one (inf, -inf).
        """
        open_low = open_low or low == -inf or (nonzero and low == 0)
        open_high = open_high or high == inf or (nonzero and high == 0)
        if not low <= high or (low == high and (open_low or open_high)):
            low, high, open_low, open_high = inf, -inf, True, True
        self.low = float(low)
        self.high = float(high)
        self.open_low = open_low
        self.open_high = open_high
        self.nonzero = nonzero or (low, open_low) > (0, False) or (high, not open_high) < (0, True)

    @override
    def __repr__(self) -> str:
        ends = f"{'(' if self.open_low else '['}{self.low!r}, {self.high!r}{')' if self.open_high else ']'}"
        return f"<Range {ends}{' without 0' if self.nonzero and self.low < 0 < self.high else ''}>"

    @property
    def key(self) -> tuple[float, float, bool, bool, bool]:
        """Return the attributes by which ranges are equal."""
        return self.low, self.high, self.open_low, self.open_high, self.nonzero

    @property
    def empty(self) -> bool:
        return self.low > self.high

    @property
    def point(self) -> bool:
        """Return whether the range is a single number."""
        return self.low == self.high

    @property
    def positive(self) -> bool:
        return self.low >= 0 and self.nonzero and not self.empty

    @property
    def negative(self) -> bool:
        return self.high <= 0 and self.nonzero and not self.empty

    def holds(self, x: float) -> bool:
        """Return whether the range contains `x`."""
        above = self.low < x or (self.low == x and not self.open_low)
        below = x < self.high or (self.high == x and not self.open_high)
        return bool(above and below and not (self.nonzero and x == 0))

    def within(self, other: Range) -> bool:
        """Return whether the other range contains this one."""
        return self.meeting(other).key == self.key

    def meeting(self, other: Range) -> Range:
        """Return the intersection of both ranges."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        open_low = (self.open_low and low == self.low) or (other.open_low and low == other.low)
        open_high = (self.open_high and high == self.high) or (other.open_high and high == other.high)
        return Range(low, high, open_low, open_high, self.nonzero or other.nonzero)

    def __bool__(self) -> bool:
        return bool(self != 0)

    # --- comparisons --------------------------------------------------------------------------------------------------

    def __lt__(self, other: RangeLike) -> Truth:
        other = as_range(other)
        if self.empty or other.empty:
            return Truth(False, False)
        is_below = self.high < other.low or (self.high == other.low and (self.open_high or other.open_low))
        return Truth(is_below, other is self or self.low >= other.high)

    def __gt__(self, other: RangeLike) -> Truth:
        return as_range(other).__lt__(self)

    def __le__(self, other: RangeLike) -> Truth:
        return ~self.__gt__(other)

    def __ge__(self, other: RangeLike) -> Truth:
        return ~self.__lt__(other)

    @override
    def __eq__(self, other: object) -> Any:  # a Truth
        """Return a Truth: always for the same object or the same single number, never if the ranges have no number in
        common, else open; open too if one is empty."""
        other = as_range(cast("RangeLike", other))
        if self.empty or other.empty:
            return Truth(False, False)
        same = other is self or (self.point and other.point and self.low == other.low)
        lacking = (self.nonzero and other.low == other.high == 0) or (other.nonzero and self.low == self.high == 0)
        return Truth(same, lacking or self.__lt__(other).always or other.__lt__(self).always)

    @override
    def __ne__(self, other: object) -> Any:
        return ~self.__eq__(other)

    # --- arithmetic ---------------------------------------------------------------------------------------------------

    def __neg__(self) -> Range:
        return Range(-self.high, -self.low, self.open_high, self.open_low, self.nonzero)

    def __abs__(self) -> Range:
        """Return the range of absolute values; the range itself if it is not negative.

        With numbers on both sides of 0 it starts at 0, which is excluded if `nonzero`.
        """
        if self.low >= 0:
            return self
        if self.high <= 0:
            return -self
        high = max(-self.low, self.high)
        opened = [opened for end, opened in ((-self.low, self.open_low), (self.high, self.open_high)) if end == high]
        return Range(0.0, high, False, all(opened), self.nonzero)

    def __add__(self, other: RangeLike) -> Range:
        """Return the range of all sums, ends rounded outwards unless exact; EMPTY if an argument is.

        0 is excluded if both have the same sign and one of them excludes 0. A range plus itself is not recognised as
        the same number.
        """
        other = as_range(other)
        if self.empty or other.empty:
            return EMPTY
        low, high = _sum(self.low, other.low, -inf), _sum(self.high, other.high, inf)
        return Range(low, high, self.open_low or other.open_low, self.open_high or other.open_high)

    def __sub__(self, other: RangeLike) -> Range:
        return ZERO if other is self and not self.empty else self + -as_range(other)

    def __mul__(self, other: RangeLike) -> Range:
        """Return the range of all products, ends rounded outwards unless exact; EMPTY if an argument is.

        The product of a range with itself (the same object) is that of the squares, since both are the same number.
        """
        other = as_range(other)
        if self.empty or other.empty:
            return EMPTY
        if other is self:
            size = abs(self)
            return _range_at_corners(_product, [(end, end) for end in _ends(size)], size.nonzero, 1)
        sign = _sign(self) * _sign(other)
        return _range_at_corners(_product, product(_ends(self), _ends(other)), self.nonzero and other.nonzero, sign)

    def __truediv__(self, other: RangeLike) -> Range:
        """Return the range of all quotients by the divisors that are not 0; EMPTY if there are none, or an argument is
        empty.

        A range divided by itself (the same object) is 1, and 0 by anything 0. A divisor with both signs gives any
        number, except 0 if the numerator excludes it.
        """
        other = as_range(other)
        if self.empty or other.empty or other.low == other.high == 0:
            return EMPTY
        if other is self:
            return ONE
        if self.low == self.high == 0:
            return ZERO
        if other.low < 0 < other.high:
            return Range(-inf, inf, nonzero=self.nonzero)
        if other.high <= 0:
            return -self.__truediv__(-other)
        return _range_at_corners(_quotient, product(_ends(self), _ends(other)), self.nonzero, _sign(self))


ANY: Final = Range(-inf, inf)
EMPTY: Final = Range(inf, -inf)
ZERO: Final = Range(0.0, 0.0)
ONE: Final = Range(1.0, 1.0)
POSITIVE: Final = Range(0.0, inf, nonzero=True)
NEGATIVE: Final = -POSITIVE
# The line in pieces: what is known of a value is carried back to its arguments piece by piece.
SIGNS: Final = (NEGATIVE, ZERO, POSITIVE)
CELLS: Final = (
    Range(-inf, -1.0, open_high=True), Range(-1.0, -1.0), Range(-1.0, 0.0, True, True), ZERO,
    Range(0.0, 1.0, True, True), ONE, Range(1.0, inf, open_low=True),
)  # fmt: skip


def bounds_of(x: Fraction | str) -> tuple[float, float]:
    """Return (low, high) around the number `x`: the doubles below and above the one nearest to it; those of texts are
    cached.

    If it is exactly a double, both are this double. A number too large for a double gives (largest double, inf), a
    negative one (-inf, -largest double). A text beyond the digits of `read_fraction` counts as rounded; if its double
    is infinite or nan, the result is (-inf, inf). Raises ValueError if a text is not a number.
    """
    if isinstance(x, str):
        return _bounds_of_text(x)
    double = FLOAT.number(x)
    if math.isfinite(double) and double.as_integer_ratio() == x.as_integer_ratio():
        return double, double
    return math.nextafter(double, -inf), math.nextafter(double, inf)


@lru_cache(maxsize=1024)
def _bounds_of_text(text: str) -> tuple[float, float]:
    """Return (low, high) around the number in `text`: the doubles below and above the one nearest to it, or twice that
    double if it is the number; cached.

    A text that `read_fraction` can read is exact. Of any other one they are the neighbours of its rounded double, or
    (-inf, inf) if that is infinite or nan.
    """
    from .exact import read_fraction

    number = read_fraction(text)
    if number is not None:
        return bounds_of(number)
    double = FLOAT.number(text)
    return (math.nextafter(double, -inf), math.nextafter(double, inf)) if math.isfinite(double) else (-inf, inf)


def hull(ranges: Iterable[Range]) -> Range:
    """Return the smallest range that contains all of `ranges`; EMPTY if there are none or all are empty.

    An end is open if no range reaches it; 0 is excluded if all exclude it.
    """
    parts = [x for x in ranges if not x.empty]
    if not parts:
        return EMPTY
    low, high = min(x.low for x in parts), max(x.high for x in parts)
    open_low = all(x.open_low for x in parts if x.low == low)
    open_high = all(x.open_high for x in parts if x.high == high)
    return Range(low, high, open_low, open_high, all(x.nonzero for x in parts))


_End = tuple[float, bool]  # a number, and whether it is left out


def _ends(x: Range) -> tuple[_End, ...]:
    return ((x.low, x.open_low), (x.high, x.open_high))


def _sign(x: Range) -> int:
    """Return 1 if no number of the range is negative, -1 if none is positive, else 0."""
    return 1 if x.low >= 0 else -1 if x.high <= 0 else 0


def _sum(a: float, b: float, outwards: float) -> float:
    """Return a + b, moved by one double towards `outwards` (-inf or inf) unless it is exact, to whichever side it was
    rounded; the error is Knuth's two-sum.

    An overflow in the other direction gives ±GREATEST, the largest double. An infinite end stays infinite.
    """
    total = a + b
    if math.isinf(a) or math.isinf(b):
        return total
    if math.isinf(total):
        return total if total == outwards else math.copysign(GREATEST, total)
    other = total - a
    error = (a - (total - other)) + (b - other)
    return total if error == 0 else math.nextafter(total, outwards)


def _range_at_corners(
    rule: Callable[[float, float], tuple[float, bool]],
    pairs: Iterable[tuple[_End, _End]],
    nonzero: bool,
    sign: int,
) -> Range:
    """Return the range between the smallest and largest results of `rule` at pairs of ends; `rule` returns (result,
    whether it is exact), and inexact ends are rounded outwards.

    An end of `pairs` is (number, whether it is left out). `nonzero` says that no result is 0; `sign` is the sign of all
    results, or 0 if it is not known: an end that rounding moves beyond 0 against this sign becomes 0, left out with
    `nonzero`. An end of the result is open if only open ends reach it, except that 0 times anything reaches 0.
    """
    results = []
    for (a, without_a), (b, without_b) in pairs:
        result, exact = rule(a, b)
        reached = (a == 0 and not without_a) or (b == 0 and not without_b and rule is _product)
        results.append((result, exact, (without_a or without_b) and not reached))
    (low, open_low), (high, open_high) = _outermost_end(results, min, -inf), _outermost_end(results, max, inf)
    if sign > 0 and low < 0:
        low, open_low = 0.0, nonzero
    if sign < 0 and high > 0:
        high, open_high = 0.0, nonzero
    return Range(low, high, open_low, open_high, nonzero)


def _outermost_end(results: Sequence[tuple[float, bool, bool]], pick: Callable[..., float], outwards: float) -> _End:
    """Return (end, whether it is left out): the smallest or largest (`pick` is min or max) of `results`, (number,
    whether it is exact, whether it is left out).

    If a result equal to it is not exact, it is rounded by one double towards `outwards` and not left out; it is left
    out only if every equal result is.
    """
    end = pick(result for result, _, _ in results)
    equal = [(exact, opened) for result, exact, opened in results if result == end]
    if not all(exact for exact, _ in equal):
        return math.nextafter(end, outwards), False
    return end, all(opened for _, opened in equal)


def _product(a: float, b: float) -> tuple[float, bool]:
    """Return (product of the ends a and b, whether it is exact).

    0 times infinity is 0. Exact are 0, products with an infinite end, products of two integers if the product is at
    most 2^53 in size, and those with a factor ±1; all others, an overflow too, are not.
    """
    if a == 0 or b == 0:
        return 0.0, True
    result = a * b
    if math.isinf(result):
        return result, math.isinf(a) or math.isinf(b)
    whole = a.is_integer() and b.is_integer() and abs(result) <= _WHOLE
    return result, whole or abs(a) == 1 or abs(b) == 1


def _quotient(a: float, b: float) -> tuple[float, bool]:
    """Return (a/b, whether it is exact) for ends a and b ≥ 0 of intervals.

    0/b and a/inf are 0, also 0/0 and inf/inf; a/0 is the infinity with the sign of a; inf/b is infinite. These count as
    exact. Other quotients are exact if b is 1, or if both are whole numbers up to 2^53 and b divides a.
    """
    if a == 0 or b == inf:
        return 0.0, True
    if b == 0 or math.isinf(a):
        return math.copysign(inf, a), True
    result = a / b
    whole = abs(a) <= _WHOLE and a.is_integer() and b.is_integer() and a % b == 0
    return result, whole or b == 1
