"""The arithmetic of ranges: what each function of the table comes to on ranges of its arguments.

The C library's functions are not rounded correctly, so that ends move apart by more than they are wrong by, and never
past a value that is known exactly: sinh is positive wherever its argument is.  A result is a new object, since one
object in two places is one number.  Where a function is monotone and which
values bound it is in DLMF chapters 4 to 7; a test holds every function against fifty digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..overriding import override
from ..table.primitive import ROWS, Bounds, Monotone
from .conditions import Conditional, Truth, truth
from .doubles import FLOAT, enclosed
from .ranges import (
    EMPTY,
    GREATEST,
    NEGATIVE,
    ONE,
    POSITIVE,
    ZERO,
    Range,
    around,
    hull,
    made,
)

if TYPE_CHECKING:
    from ..table.arithmetic import Numeral
    from ..table.primitive import Own
    from .ranges import Given

inf, pi = math.inf, math.pi

_SHORT = 15  # digits of a whole number that is a double
_SLACK = 2.0**-46  # of a result: many times what the C library is wrong by
_TINY = 1e-320  # the same for results too small to have all their digits
_COARSE = 1e-12  # of a result, and of 1: what the gamma family may be wrong by between 1e-300 and 1e300
_FAR = 1e13  # from here on digamma is the logarithm, but for 1e-13
_TURNS = 1e6  # arguments up to which a turn of sin and cos is found in doubles
_NEAR = 1e-6  # how near to an end a turn is taken to be inside
_LEAST_GAMMA = 1.4616321449683622  # where gamma is least, DLMF 5.4.20
_LOWEST_GAMMA, _LOWEST_LGAMMA = 0.8856, -0.1215  # just below the values there


_UNIT = Range(-1.0, 1.0)
_HALF_TURN = Range(-math.nextafter(pi / 2, 2), math.nextafter(pi / 2, 2))


def _loosely(x: float, outwards: float, slack: float = _SLACK, least: float = _TINY) -> float:
    """A computed end moved outwards by what may be wrong with it; past the greatest double there is only infinity."""
    if math.isinf(x):
        return x if x == outwards else math.copysign(GREATEST, x)
    moved = x + math.copysign(abs(x) * slack + least, outwards)
    return math.copysign(GREATEST, moved) if math.isinf(moved) and moved != outwards else moved


def _over(
    kind: Monotone, exact: tuple[tuple[float, float], ...], function: Callable[[float], float], x: Range
) -> Range:
    """The range of a monotone function over a range of its domain."""
    x = x.meeting(Range(*kind.domain))
    if x.empty:
        return EMPTY
    ends = [(x.low, x.open_low), (x.high, x.open_high)]
    if not kind.rising:
        ends.reverse()
    found: list[tuple[float, bool]] = []
    for (place, opened), outwards in zip(ends, (-inf, inf), strict=True):
        exactly = dict(exact).get(place)
        if exactly is not None:
            found.append((exactly, opened))
            continue
        value = function(place)
        if value != value:  # an end that the function does not reach
            value = outwards
        found.append((_loosely(value, outwards), False))
    result = Range(found[0][0], found[1][0], found[0][1], found[1][1]).meeting(Range(*kind.image))
    for place, value in exact:
        if place <= x.low:  # all of it lies beyond what is known here
            beyond = Range(value, inf, x.low > place or x.open_low)
        elif place >= x.high:
            beyond = Range(-inf, value, False, x.high < place or x.open_high)
        else:
            continue
        result = result.meeting(beyond if kind.rising else _mirrored(beyond, value))
    return result


def _mirrored(side: Range, value: float) -> Range:
    """What lies on the other side of a value."""
    if side.high == inf:
        return Range(-inf, value, False, side.open_low)
    return Range(value, inf, side.open_high, False)


class Ranges(Conditional[Range]):
    """Ranges of real numbers; where a function has no value on part of a range the rest of it counts."""

    zero, one, undefined = ZERO, ONE, EMPTY
    infinity = EMPTY  # no number
    pi = Range(3.141592653589793, math.nextafter(pi, 4))
    e = Range(2.718281828459045, math.nextafter(math.e, 4))

    @override
    def __getattr__(self, name: str) -> Callable[..., Range]:
        row = ROWS.get(name)
        if row is None or row.monotone is None:
            return super().__getattr__(name)
        kind, exact, function = row.monotone, row.exact, getattr(FLOAT, name)

        def over(x: Given) -> Range:
            return _over(kind, exact, function, made(x))

        setattr(self, name, over)
        return over

    @override
    def brought(self, own: Own) -> Callable[..., Range]:
        def over(*arguments: Given) -> Range:
            xs = [made(x) for x in arguments]
            if any(x.empty for x in xs):
                return EMPTY
            low, high = enclosed(own, *[(x.low, x.high) for x in xs])
            return EMPTY if low != low else Range(low, high).meeting(Range(*own.image))

        return over

    def number(self, x: Given | Numeral) -> Range:
        """A range that holds the number: text, fraction, double, or what a condition is."""
        if not isinstance(x, str):
            return made(x)
        if len(x) <= _SHORT and x.isdecimal() and x.isascii():
            return made(int(x))
        from .exact import read_fraction

        fraction = read_fraction(x)
        if fraction is not None:
            return made(fraction)
        try:
            return around(float(x)) if math.isfinite(float(x)) else Range(-inf, inf)
        except ValueError:
            return Range(-inf, inf)

    @override
    def finite(self, x: Given) -> bool:
        return True

    # --- conditions: 1, 0, or a range that holds both -----------------------------------------------------------------

    @override
    def less(self, a: Given, b: Given) -> Truth:
        return made(a) < made(b)

    @override
    def equal(self, a: Given, b: Given) -> Truth:
        return made(a) == made(b)

    @override
    def truth(self, x: Given) -> Truth:
        return truth(x)

    @override
    def hull(self, a: Given, b: Given) -> Range:
        return hull((made(a), made(b)))

    @override
    def condition(self, truth: Truth) -> Range:
        return made(truth)

    # --- corners and steps --------------------------------------------------------------------------------------------

    @override
    def abs(self, x: Given) -> Range:
        return abs(made(x))

    @override
    def sign(self, x: Given) -> Range:
        x = made(x)
        if x.empty or x.point:
            return x if x.empty else made(FLOAT.sign(x.low))
        return (
            Range(-1.0 if x.low < 0 else 0.0, 1.0 if x.high > 0 else 0.0, nonzero=x.nonzero)
            if not (x.positive or x.negative)
            else made(1 if x.positive else -1)
        )

    @override
    def max(self, *xs: Given) -> Range:
        found = [made(x) for x in xs]
        if any(x.empty for x in found):
            return EMPTY
        low, high = max(x.low for x in found), max(x.high for x in found)
        return Range(
            low,
            high,
            any(x.open_low for x in found if x.low == low),
            all(x.open_high for x in found if x.high == high),
            all(x.nonzero for x in found) or any(x.positive for x in found),
        )

    @override
    def min(self, *xs: Given) -> Range:
        largest: Range = self.max(*(-made(x) for x in xs))
        return -largest

    def floor(self, x: Given) -> Range:
        x = made(x)
        if x.empty:
            return EMPTY
        high = FLOAT.floor(x.high)
        return Range(FLOAT.floor(x.low), high - 1 if x.open_high and high == x.high else high)

    def ceil(self, x: Given) -> Range:
        below: Range = self.floor(-made(x))
        return -below

    def round(self, x: Given) -> Range:
        x = made(x)
        return x if x.empty else Range(FLOAT.round(x.low), FLOAT.round(x.high))

    def mod(self, a: Given, b: Given) -> Range:
        a, b = made(a), made(b)
        if a.empty or b.empty or b.low == b.high == 0:
            return EMPTY
        return Range(min(b.low, 0.0), max(b.high, 0.0), b.low < 0, b.high > 0)

    # --- powers -------------------------------------------------------------------------------------------------------

    def div(self, a: Given, b: Given) -> Range:
        return made(a) / made(b)

    def pow(self, a: Given, b: Given) -> Range:
        a, b = made(a), made(b)
        if a.empty or b.empty:
            return EMPTY
        if b.point and b.low.is_integer():
            return _whole_power(a, b.low)
        above = a.meeting(POSITIVE)
        # a^b is exp(b log a), which rises or falls in each of the two
        found = [self.exp(b * self.log(above))]
        if a.holds(0):
            found += [ZERO] if b.high > 0 else []
            found += [ONE] if b.holds(0) else []
        below = a.meeting(NEGATIVE)
        if not below.empty and not b.point:  # for whole exponents, with either sign
            size = self.exp(b * self.log(-below))
            found += [size, -size]
        return hull(found)

    def hypot(self, a: Given, b: Given) -> Range:
        a, b = abs(made(a)), abs(made(b))
        if a.empty or b.empty:
            return EMPTY
        low = max(_loosely(math.hypot(a.low, b.low), -inf), a.low, b.low)
        return Range(low, _loosely(math.hypot(a.high, b.high), inf), nonzero=a.nonzero or b.nonzero)

    def cosh(self, x: Given) -> Range:
        return _over(Monotone(image=Bounds(1.0, inf)), ROWS["cosh"].exact, FLOAT.cosh, abs(made(x)))

    # --- angles -------------------------------------------------------------------------------------------------------

    def sin(self, x: Given) -> Range:
        return self._wave(made(x), FLOAT.sin, 0.25)

    def cos(self, x: Given) -> Range:
        return self._wave(made(x), FLOAT.cos, 0.0)

    def _wave(self, x: Range, function: Callable[[float], float], crest: float) -> Range:
        """A wave of height 1 whose crest is at this part of a turn."""
        if x.empty:
            return x
        if x.low == x.high == 0:
            return made(function(0.0))
        if not (-_TURNS <= x.low <= x.high <= _TURNS):
            return Range(-1.0, 1.0)
        ends = [function(x.low), function(x.high)]
        low, high = _loosely(min(ends), -inf), _loosely(max(ends), inf)
        low = -1.0 if _meets(x, crest - 0.5) else low
        high = 1.0 if _meets(x, crest) else high
        nonzero = low > 0 or high < 0
        if min(ends) == 0 and low > -1:  # sin is 0 at 0 and at no other double
            low, nonzero = 0.0, 0.0 in (x.low, x.high) and not x.holds(0)
        if max(ends) == 0 and high < 1:
            high, nonzero = 0.0, 0.0 in (x.low, x.high) and not x.holds(0)
        return Range(low, high, nonzero=nonzero).meeting(_UNIT)

    def tan(self, x: Given) -> Range:
        x = made(x)
        if not (-_TURNS <= x.low <= x.high <= _TURNS) or _meets(x, 0.25) or _meets(x, -0.25):
            return x if x.empty else Range(-inf, inf)
        zeros = ((0.0, 0.0),) if x.low > -1.6 and x.high < 1.6 else ()
        return _over(Monotone(), zeros, FLOAT.tan, x)

    def atan2(self, y: Given, x: Given) -> Range:
        y, x = made(y), made(x)
        if y.empty or x.empty:
            return EMPTY
        turn = math.nextafter(pi, 4)
        found = Range(-turn if y.low < 0 else 0.0, turn if y.high > 0 or x.low < 0 else 0.0, nonzero=y.nonzero)
        return found.meeting(_HALF_TURN) if x.low >= 0 else found

    # --- the gamma family ---------------------------------------------------------------------------------------------

    def gamma(self, x: Given) -> Range:
        x = made(x)
        if x.empty or x.low < 0:
            return x if x.empty else Range(-inf, inf, nonzero=True)
        found = self._convex(x, FLOAT.gamma, _LOWEST_GAMMA)
        return found.meeting(POSITIVE)

    def lgamma(self, x: Given) -> Range:
        x = made(x)
        return x if x.empty else Range(-inf, inf) if x.low < 0 else self._convex(x, FLOAT.lgamma, _LOWEST_LGAMMA)

    def _convex(self, x: Range, function: Callable[[float], float], least: float) -> Range:
        """gamma or its logarithm over positive numbers: falling, then rising."""
        ends = [inf if place <= 0 else function(place) for place in (x.low, x.high)]
        high = _loosely(max(ends), inf, _COARSE, _COARSE)
        if x.low - _NEAR <= _LEAST_GAMMA <= x.high + _NEAR:
            return Range(least, high)
        return Range(max(_loosely(min(ends), -inf, _COARSE, _COARSE), least), high)

    def polygamma(self, n: Given, x: Given) -> Range:
        """The sum of all (-1)^(n+1) n!/(x + k)^(n+1), DLMF 5.15.1; digamma rises between poles, 5.7.6."""
        n, x = made(n), made(x)
        if x.empty or not n.point or n.low < 0 or not n.low.is_integer():
            return x if x.empty else Range(-inf, inf)
        if n.low % 2 == 1:
            return Range(0.0, inf, nonzero=True)
        if x.low < 0:
            return Range(-inf, inf)
        if n.low > 0:
            return Range(-inf, 0.0, nonzero=True)
        low, high = _digamma(x.low), _digamma(x.high)
        return Range(_loosely(low, -inf, _COARSE, _COARSE), _loosely(high, inf, _COARSE, _COARSE))


def _digamma(x: float) -> float:
    """digamma of a number that is not negative; log x is above it by 1/x at most."""
    return -inf if x == 0 else math.log(x) if x > _FAR else FLOAT.polygamma(0, x)


def _meets(x: Range, part: float) -> bool:
    """Whether a place that comes back every turn, at this part of it, may lie in a range."""
    turns = (x.high + _NEAR) / (2 * pi) - part
    return math.floor(turns) >= (x.low - _NEAR) / (2 * pi) - part


def _whole_power(a: Range, n: float) -> Range:
    """A power with a whole exponent: of the size alone where that is even."""
    if n == 0:
        return ONE
    if n < 0:
        return ONE / _whole_power(a, -n)
    if n == 1:
        return a
    x = abs(a) if n % 2 == 0 else a
    low, exact_low = _power_of_end(x.low, n, -inf)
    high, exact_high = _power_of_end(x.high, n, inf)
    low = max(low, 1.0 if x.low >= 1 else 0.0) if x.low >= 0 else low
    high = min(high, 0.0) if x.high <= 0 else high
    return Range(low, high, x.open_low and exact_low, x.open_high and exact_high, x.nonzero)


def _power_of_end(x: float, n: float, outwards: float) -> tuple[float, bool]:
    """The power of an end, and whether it is exact."""
    value = FLOAT.pow(x, n)
    exact = math.isinf(x) or x in (0, 1, -1) or (x.is_integer() and abs(value) <= 2.0**53)
    return (value if exact else _loosely(value, outwards)), exact


RANGES = Ranges()
UNKNOWN = (ArithmeticError, AttributeError, TypeError, ValueError)  # what a rule may raise that ranges do not decide
