"""Range arithmetic: the range of each function of the table over ranges of its arguments.

The closed range of a function is that of `double_intervals`, which is widened by more than the error of the C library;
open ends, signs and values that are known exactly are added here: sinh is positive wherever its argument is. A result
is a new object, because the same object in two places means the same number. Where a function is monotone and which
values bound it is in DLMF chapters 4 to 7; a test checks every function against fifty digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from ..table.primitive import ROWS, Own
from ..typings import TYPE_CHECKING, override
from .conditions import Conditional, Truth, truth
from .double_intervals import SPREAD, Spread
from .doubles import FLOAT
from .ranges import ANY, EMPTY, NEGATIVE, ONE, POSITIVE, ZERO, Range, as_range, bounds_of, hull

if TYPE_CHECKING:
    from ..table.arithmetic import Numeral
    from .ranges import RangeLike

inf, pi = math.inf, math.pi

_LEAST_GAMMA = 1.4616321449683622  # where gamma is least, DLMF 5.4.20
_UNIT = Range(-1.0, 1.0)
_HALF_TURN = Range(-math.nextafter(pi / 2, 2), math.nextafter(pi / 2, 2))


def _apply_closed(function: Callable[..., Spread], *xs: Range) -> Range:
    """Return the range of a function of `SPREAD` over closed intervals: EMPTY if one of them is, ANY if not known."""
    if any(x.empty for x in xs):
        return EMPTY
    spread = function(*[Spread(x.low, x.high) for x in xs])
    return ANY if spread.low != spread.low else Range(spread.low, spread.high)


def _beyond_exact_values(exact: Iterable[tuple[float, float]], rising: bool, x: Range, y: Range) -> Range:
    """Return the part of `y` that a function can reach over `x`, on which it only rises (`rising`) or only falls.

    `exact` are pairs (argument, value): over arguments above one of them all values are above its value (below it if
    falling), and conversely; the value itself is excluded if `x` does not contain the argument. Pairs inside `x` say
    nothing.
    """
    for place, value in exact:
        if place <= x.low:
            above = x.low > place or x.open_low
            y = y.meeting(Range(value, inf, above) if rising else Range(-inf, value, open_high=above))
        if place >= x.high:
            below = x.high < place or x.open_high
            y = y.meeting(Range(-inf, value, open_high=below) if rising else Range(value, inf, below))
    return y


class Ranges(Conditional[Range]):
    """Ranges of real numbers; if a function has no value on part of a range, the result is for the rest of it."""

    zero, one, undefined = ZERO, ONE, EMPTY
    infinity = EMPTY  # no number
    pi = Range(3.141592653589793, math.nextafter(pi, 4))
    e = Range(2.718281828459045, math.nextafter(math.e, 4))

    @override
    def __getattr__(self, name: str) -> Callable[..., Range]:
        """Return the function called `name` for ranges: a monotone row from the values at both ends, limited to its
        domain, image and exact values; any other by the row's rule.

        Raises AttributeError for an unknown name.
        """
        row = ROWS.get(name)
        if row is None or row.monotone is None:
            return super().__getattr__(name)
        kind, exact, function = row.monotone, row.exact, getattr(SPREAD, name)

        def over(x: RangeLike) -> Range:
            x = as_range(x).meeting(Range(*kind.domain))
            return _beyond_exact_values(exact, kind.rising, x, _apply_closed(function, x).meeting(Range(*kind.image)))

        setattr(self, name, over)
        return over

    @override
    def row_function(self, own_code: Own) -> Callable[..., Range]:
        """Return a function with its own implementation (`own_code`), over the closed intervals and limited
        to its image.
        """
        return lambda *arguments: _apply_closed(SPREAD.row_function(own_code), *map(as_range, arguments)).meeting(
            Range(*own_code.image)
        )

    def number(self, x: RangeLike | Numeral) -> Range:
        """Return a range that holds the number: text, fraction, double, or a condition."""
        return Range(*bounds_of(x)) if isinstance(x, str) else as_range(x)

    # --- conditions: 1, 0, or a range that holds both -----------------------------------------------------------------

    @override
    def less(self, a: RangeLike, b: RangeLike) -> Truth:
        return as_range(a) < as_range(b)

    @override
    def equal(self, a: RangeLike, b: RangeLike) -> Truth:
        return truth(as_range(a) == as_range(b))

    @override
    def truth(self, x: RangeLike) -> Truth:
        return truth(x)

    @override
    def hull(self, a: RangeLike, b: RangeLike) -> Range:
        return hull((as_range(a), as_range(b)))

    @override
    def condition(self, truth: Truth) -> Range:
        return as_range(truth)

    # --- corners and steps --------------------------------------------------------------------------------------------

    @override
    def abs(self, x: RangeLike) -> Range:
        return abs(as_range(x))

    @override
    def sign(self, x: RangeLike) -> Range:
        """Return the range of the sign: a single -1, 0 or 1 if it is known, else the hull of those that are possible,
        without 0 if the range excludes it; EMPTY for an empty range.
        """
        x = as_range(x)
        if x.empty or x.point:
            return x if x.empty else as_range(FLOAT.sign(x.low))
        if x.positive or x.negative:
            return as_range(1 if x.positive else -1)
        return Range(-1.0 if x.low < 0 else 0.0, 1.0 if x.high > 0 else 0.0, nonzero=x.nonzero)

    @override
    def max(self, *xs: RangeLike) -> Range:
        """Return the range of the largest of the arguments; EMPTY if one of them is empty.

        The lower end is open if it is for any argument with that lower end, the upper one if it is for all arguments
        with that upper end. 0 is excluded if all arguments exclude it, or if one is positive.
        """
        ranges = [as_range(x) for x in xs]
        if any(x.empty for x in ranges):
            return EMPTY
        low, high = max(x.low for x in ranges), max(x.high for x in ranges)
        open_low = any(x.open_low for x in ranges if x.low == low)
        open_high = all(x.open_high for x in ranges if x.high == high)
        nonzero = all(x.nonzero for x in ranges) or any(x.positive for x in ranges)
        return Range(low, high, open_low, open_high, nonzero)

    @override
    def min(self, *xs: RangeLike) -> Range:
        largest: Range = self.max(*(-as_range(x) for x in xs))
        return -largest

    def floor(self, x: RangeLike) -> Range:
        """Return the range of the floors; an open end at a whole number does not reach it."""
        x = as_range(x)
        if x.empty:
            return EMPTY
        high = FLOAT.floor(x.high)
        return Range(FLOAT.floor(x.low), high - 1 if x.open_high and high == x.high else high)

    def ceil(self, x: RangeLike) -> Range:
        below: Range = self.floor(-as_range(x))
        return -below

    def round(self, x: RangeLike) -> Range:
        x = as_range(x)
        return x if x.empty else Range(FLOAT.round(x.low), FLOAT.round(x.high))

    def mod(self, a: RangeLike, b: RangeLike) -> Range:
        a, b = as_range(a), as_range(b)
        if a.empty or b.empty or b.low == b.high == 0:
            return EMPTY
        return Range(min(b.low, 0.0), max(b.high, 0.0), b.low < 0, b.high > 0)

    # --- powers -------------------------------------------------------------------------------------------------------

    def div(self, a: RangeLike, b: RangeLike) -> Range:
        return as_range(a) / as_range(b)

    def pow(self, a: RangeLike, b: RangeLike) -> Range:
        """Return the range of a^b over all pairs for which it has a value; EMPTY if a or b is empty, or no pair has
        one.

        A single integer exponent is exact (`_whole_power`). Otherwise the hull of exp(b log a) over positive bases, the
        powers of 0 (0 for positive exponents, 1 for 0), and ±|a|^b for negative bases, unless b is a single number.
        """
        a, b = as_range(a), as_range(b)
        if a.empty or b.empty:
            return EMPTY
        if b.point and b.low.is_integer():
            return _whole_power(a, b.low)
        above = a.meeting(POSITIVE)
        # a^b is exp(b log a), which rises or falls in each of the two
        parts = [self.exp(b * self.log(above))]
        if a.holds(0):
            parts += [ZERO] if b.high > 0 else []
            parts += [ONE] if b.holds(0) else []
        below = a.meeting(NEGATIVE)
        if not below.empty and not b.point:  # for whole exponents, with either sign
            size = self.exp(b * self.log(-below))
            parts += [size, -size]
        return hull(parts)

    def hypot(self, a: RangeLike, b: RangeLike) -> Range:
        a, b = abs(as_range(a)), abs(as_range(b))
        least = Range(max(a.low, b.low), inf, nonzero=a.nonzero or b.nonzero)
        return _apply_closed(SPREAD.hypot, a, b).meeting(least)

    def cosh(self, x: RangeLike) -> Range:
        x = abs(as_range(x))
        return _beyond_exact_values(ROWS["cosh"].exact, True, x, _apply_closed(SPREAD.cosh, x))

    # --- angles -------------------------------------------------------------------------------------------------------

    def sin(self, x: RangeLike) -> Range:
        x = as_range(x)
        return _with_sign_of(x, _apply_closed(SPREAD.sin, x).meeting(_UNIT), pi)

    def cos(self, x: RangeLike) -> Range:
        return _apply_closed(SPREAD.cos, as_range(x)).meeting(_UNIT)

    def tan(self, x: RangeLike) -> Range:
        x = as_range(x)
        return _with_sign_of(x, _apply_closed(SPREAD.tan, x), pi / 2)

    def atan2(self, y: RangeLike, x: RangeLike) -> Range:
        """Return a range that contains the angle in -pi…pi. EMPTY if an argument is.

        The lower end is 0 unless `y` can be negative, the upper end 0 unless `y` can be positive or `x` negative (pi
        for y = 0); 0 is excluded if `y` excludes it. Within ±pi/2 if `x` is not negative.
        """
        y, x = as_range(y), as_range(x)
        if y.empty or x.empty:
            return EMPTY
        turn = math.nextafter(pi, 4)
        angles = Range(-turn if y.low < 0 else 0.0, turn if y.high > 0 or x.low < 0 else 0.0, nonzero=y.nonzero)
        return angles.meeting(_HALF_TURN) if x.low >= 0 else angles

    # --- the gamma family ---------------------------------------------------------------------------------------------

    def gamma(self, x: RangeLike) -> Range:
        x = as_range(x)
        if x.empty or x.low < 0:
            return x if x.empty else Range(-inf, inf, nonzero=True)
        return _falling_then_rising("gamma", x).meeting(POSITIVE)

    def lgamma(self, x: RangeLike) -> Range:
        x = as_range(x)
        return x if x.empty else ANY if x.low < 0 else _falling_then_rising("lgamma", x)

    def polygamma(self, n: RangeLike, x: RangeLike) -> Range:
        """Return the range of polygamma, by the sign of the sum of (-1)^(n+1) n!/(x + k)^(n+1), DLMF 5.15.1.

        Odd orders are positive everywhere, even ones from 2 on negative for positive x; digamma (order 0) rises from 0
        on and has the range between its end values. Any number for other x, and unless n is a single nonnegative
        integer; EMPTY for an empty x.
        """
        n, x = as_range(n), as_range(x)
        if x.empty or not n.point or n.low < 0 or not n.low.is_integer():
            return x if x.empty else Range(-inf, inf)
        if n.low % 2 == 1:
            return Range(0.0, inf, nonzero=True)
        if x.low < 0:
            return Range(-inf, inf)
        if n.low > 0:
            return Range(-inf, 0.0, nonzero=True)
        low, high = [SPREAD.polygamma(0.0, Spread(end, end)) for end in (x.low, x.high)]
        return Range(low.low, high.high)


def _falling_then_rising(name: str, x: Range) -> Range:
    """Return the range of gamma or lgamma over positive numbers, which falls up to `_LEAST_GAMMA` and then rises."""
    least = min(max(_LEAST_GAMMA, x.low), x.high)
    lowest, *ends = [getattr(SPREAD, name)(Spread(place, place)) for place in (least, x.low, x.high)]
    return Range(lowest.low, max(end.high for end in ends))


def _with_sign_of(x: Range, y: Range, reach: float) -> Range:
    """Return the part of `y` with the sign of `x`, for an odd function without another zero up to `reach`."""
    if x.low >= 0 and x.high <= reach:
        return y.meeting(Range(0.0, inf, nonzero=x.nonzero))
    return y.meeting(Range(-inf, 0.0, nonzero=x.nonzero)) if -reach <= x.low and x.high <= 0 else y


def _whole_power(a: Range, n: float) -> Range:
    """Return the range of a^n for an integer n: 1 for n = 0, an even power from |a|, a negative one as a reciprocal,
    `a` itself for n = 1.

    Ends that are exact stay open or closed as those of `a`.
    """
    if n == 0:
        return ONE
    if n < 0:
        return ONE / _whole_power(a, -n)
    if n == 1:
        return a
    x = abs(a) if n % 2 == 0 else a
    below, above = [SPREAD.pow(Spread(end, end), n) for end in (x.low, x.high)]
    low, high = below.low, above.high
    low = max(low, 1.0 if x.low >= 1 else 0.0) if x.low >= 0 else low
    high = min(high, 0.0) if x.high <= 0 else high
    return Range(low, high, x.open_low and low == below.high, x.open_high and high == above.low, x.nonzero)


RANGES = Ranges()
Range.m = RANGES
UNKNOWN = (ArithmeticError, AttributeError, TypeError, ValueError)  # what a rule may raise that ranges do not decide
