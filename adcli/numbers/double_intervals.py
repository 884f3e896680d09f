"""Closed intervals with double end points (`Spread`), a little wider than the true range, never narrower.

A number computed by hand represents all numbers from which it may have been rounded; evaluated in this arithmetic, a
rule returns an interval of all possible results. No library is needed, and a plain double is an interval as wide as its
own rounding error. Comparisons inside rules use midpoints. Functions are enclosed in doubles here only; `ranges` are
intervals of real numbers, with open ends and conditions that may be undecided, and add these to the enclosures of this
file; the intervals of Arb (`arb_intervals`) have any number of bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from fractions import Fraction
from functools import partial
from itertools import product, starmap

from ..table.operator_methods import Ranked, Reflections
from ..table.primitive import ROWS, Monotone, Own
from ..typings import Any, ClassVar, cast, override
from .conditions import Conditional, Truth
from .doubles import FLOAT, enclose, is_step
from .ranges import bounds_of

_SLACK = 2.0**-48  # of a result: more than the C library's functions are wrong by
_LEAST, _GREATEST = 5e-324, 1.7976931348623157e308
_EXACT = 2.0**50  # whole numbers below this come out exactly, where exact numbers go in
nan, inf, pi = math.nan, math.inf, math.pi


def _spread(x: Spread | float) -> Spread:
    return x if isinstance(x, Spread) else Spread(float(x), float(x))


class Spread(Ranked, Reflections):
    """The closed interval of real numbers from `low` to `high`; undefined if these are nan."""

    __slots__ = ("high", "low")
    m: ClassVar[object]  # the arithmetic
    alike = staticmethod(_spread)

    def __init__(self, low: float, high: float) -> None:
        self.low = low
        self.high = high

    @override
    def __repr__(self) -> str:
        return f"<Spread {self.low!r} … {self.high!r}>"

    @property
    def middle(self) -> float:
        return self.low if self.low == self.high else self.low / 2 + self.high / 2

    rank = middle  # a domain or a kink is where the numbers shown say that it is

    @property
    def known(self) -> bool:
        """Return whether both ends are finite numbers."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def whole(self) -> bool:
        """Return whether the interval is a single integer, whose sums and products are exact."""
        return self.low == self.high and abs(self.low) < _EXACT and self.low.is_integer()

    def lower(self) -> float:
        return self.low

    def upper(self) -> float:
        return self.high

    def meets(self, other: Spread) -> bool:
        """Return whether both intervals have a number in common."""
        return self.low <= other.high and other.low <= self.high

    def __bool__(self) -> bool:
        return self.rank != 0

    def __neg__(self) -> Spread:
        return Spread(-self.high, -self.low)

    def __abs__(self) -> Spread:
        ends = sorted((abs(self.low), abs(self.high)))
        return Spread(0.0 if self.low < 0 < self.high else ends[0], ends[1])

    def __add__(self, other: Spread | float) -> Spread:
        if type(other) is not Spread:
            other = _spread(other)
        low, high = self.low + other.low, self.high + other.high
        return _widen(low, high, low == high and self.whole and other.whole)

    def __sub__(self, other: Spread | float) -> Spread:
        return self + -(other if type(other) is Spread else _spread(other))

    def __mul__(self, other: Spread | float) -> Spread:
        """Return an interval of all products, rounded outwards; undefined if an end is nan.

        Two single integers with a product below 2^50 give the exact product. 0 times an infinite end counts as 0.
        """
        if type(other) is not Spread:
            other = _spread(other)
        a, b, c, d = self.low, self.high, other.low, other.high
        if a == b and c == d:
            product = _product(a, c)
            return _widen(product, product, self.whole and other.whole)
        if 0 < a <= b:  # where signs are known, so are the ends of the product
            if 0 < c <= d:
                return _widen(a * c, b * d)
            if c <= d < 0:
                return _widen(b * c, a * d)
        elif a <= b < 0:
            if 0 < c <= d:
                return _widen(a * d, b * c)
            if c <= d < 0:
                return _widen(b * d, a * c)
        return _hull([_product(x, y) for x in (a, b) for y in (c, d)])

    def __truediv__(self, other: Spread | float) -> Spread:
        """Return an interval of all quotients, rounded outwards. The first that applies:

        - the divisor is exactly 0: undefined
        - the divisor may be 0: -inf…inf
        - single integers that divide without a remainder: exact
        - infinity by infinity: -inf…inf; an end is nan: undefined
        """
        other = _spread(other)
        if other.low <= 0 <= other.high:
            return Spread(nan, nan) if other.low == other.high == 0 else Spread(-inf, inf)
        exact = self.whole and other.whole and not math.fmod(self.low, other.low)
        if self.low == self.high and other.low == other.high and abs(self.low) < inf:
            quotient = self.low / other.low
            return _widen(quotient, quotient, exact)
        ends = [a / b for a in (self.low, self.high) for b in (other.low, other.high)]
        if any(x != x for x in ends) and self.low == self.low and other.low == other.low:  # infinity by infinity
            return Spread(-inf, inf)
        return _hull(ends, exact)


def _product(a: float, b: float) -> float:
    return 0.0 if a == 0 or b == 0 else a * b


def _widen(low: float, high: float, exact: bool = False, noise: float = 0.0) -> Spread:
    """Return the interval from `low` to `high`, with both ends moved outwards by 2^-48 of their size and a little more.

    That is the least double plus `noise` (absolute). With `exact`, a single number below 2^50 in size is not widened. A
    low end of +inf becomes the greatest double, a high end of -inf its negative; nan stays.
    """
    if exact and low == high and abs(low) < _EXACT:
        return Spread(low, high)
    below, above = abs(low) * _SLACK + _LEAST + noise, abs(high) * _SLACK + _LEAST + noise
    return Spread(low - below if low != inf else _GREATEST, high + above if high != -inf else -_GREATEST)  # nan stays


def _hull(ends: Iterable[float], exact: bool = False, noise: float = 0.0) -> Spread:
    """Return the widened interval of the smallest and largest of `ends`; undefined if one is nan."""
    values = list(ends)
    return Spread(nan, nan) if any(map(math.isnan, values)) else _widen(min(values), max(values), exact, noise)


def _inside(first: float, step: float, x: Spread) -> list[float]:
    """Return the numbers `first + k·step` inside the interval, up to rounding errors; at most two of them."""
    off = max(abs(x.low), abs(x.high), 1.0) * _SLACK
    k = math.ceil((x.low - off - first) / step)
    return [first + j * step for j in range(k, k + 2) if first + j * step <= x.high + off]


_FARTHEST = 2.0**30  # up to here doubles are fine enough for the places of the extrema of sines and cosines


def _range_of_monotone(kind: Monotone, name: str) -> Callable[[Spread | float], Spread]:
    """Return the interval function of the monotone function called `name`, from its values at both ends.

    `kind` has its domain and direction. The argument is cut to the domain; the result is undefined (nan ends) if
    nothing is left or an end is nan. A value that is nan at an end becomes the infinity to which the function tends
    there.
    """
    least, most, function = kind.domain.low, kind.domain.high, getattr(FLOAT, name)
    limits = (-inf, inf) if kind.rising else (inf, -inf)  # for ends that the function does not reach

    def over(x: Spread | float) -> Spread:
        """Return the interval of the function over `x`: one value, widened unless exact arithmetic confirms it as an
        integer, or the widened hull of both end values.

        Undefined (nan ends) for an undefined `x`, and outside the domain.
        """
        x = _spread(x)
        if x.low != x.low or x.high < least or x.low > most:
            return Spread(nan, nan)
        low, high = max(x.low, least), min(x.high, most)
        if low == high:
            value = function(low)
            return Spread(value, value) if _exactly(name, low) else _widen(value, value)
        ends = zip(limits, (function(low), function(high)), strict=True)
        return _hull(limit if math.isnan(value) else value for limit, value in ends)

    return over


def _exactly(name: str, x: float) -> bool:
    """Return whether the value at `x` is an integer that exact arithmetic confirms, as for sqrt(4) or exp(0)."""
    if not math.isfinite(x) or not float(getattr(FLOAT, name)(x)).is_integer():
        return False
    from .exact import Exact

    return getattr(Exact(), name)(x).fraction is not None


def _step(name: str) -> Callable[[Spread | float], Spread]:
    function = getattr(FLOAT, name)
    return lambda x: Spread(function(_spread(x).low), function(_spread(x).high))


class SpreadArithmetic(Conditional[Spread]):
    """The arithmetic of closed intervals with double ends, rounded outwards."""

    zero, one, open = Spread(0.0, 0.0), Spread(1.0, 1.0), Spread(0.0, 1.0)
    undefined = Spread(nan, nan)
    infinity = Spread(inf, inf)
    pi, e = (Spread(math.nextafter(x, -inf), math.nextafter(x, inf)) for x in (math.pi, math.e))

    @override
    def __getattr__(self, name: str) -> Callable[..., Spread]:
        """Return the function called `name` for intervals: of a step function or a monotone one from the values at both
        ends, of any other by the row. Raises AttributeError for an unknown name."""
        row = ROWS.get(name)
        if row is None or (row.monotone is None and not is_step(row)):
            return super().__getattr__(name)
        over = _step(name) if row.monotone is None else _range_of_monotone(row.monotone, name)
        setattr(self, name, over)
        return over

    @override
    def row_function(self, own_code: Own) -> Callable[..., Spread]:
        return lambda *arguments: Spread(*enclose(own_code, *[(x.low, x.high) for x in map(_spread, arguments)]))

    def number(self, x: object) -> Spread:
        """Return an interval that contains the number, which may be a text, fraction, double or interval."""
        if type(x) is Spread:  # by far the most frequent
            return x
        return Spread(*bounds_of(x)) if isinstance(x, (str, Fraction)) else _spread(cast("Spread | float", x))

    def working(self) -> AbstractContextManager[None]:
        """Return a context manager without effect: doubles always have the same precision."""
        return nullcontext()

    @override
    def finite(self, x: Spread | float) -> bool:
        return _spread(x).known

    @override
    def less(self, a: Spread | float, b: Spread | float) -> Truth:
        a, b = _spread(a), _spread(b)
        return Truth(a.high < b.low, a.low >= b.high)

    @override
    def equal(self, a: Spread | float, b: Spread | float) -> Truth:
        a, b = _spread(a), _spread(b)
        return Truth(a.low == a.high == b.low == b.high, not a.meets(b))

    @override
    def truth(self, x: Spread | float) -> Truth:
        x = _spread(x)
        return Truth(x.low > 0 or x.high < 0, x.low == x.high == 0)

    @override
    def hull(self, a: Spread | float, b: Spread | float) -> Spread:
        a, b = _spread(a), _spread(b)
        return _ends(min(a.low, b.low), max(a.high, b.high), [a, b])

    def sin(self, x: Spread | float) -> Spread:
        return self._range_of_wave(FLOAT.sin, pi / 2, _spread(x))

    def cos(self, x: Spread | float) -> Spread:
        return self._range_of_wave(FLOAT.cos, 0.0, _spread(x))

    def _range_of_wave(self, function: Callable[[float], float], crest: float, x: Spread) -> Spread:
        """Return the interval of a sine or cosine (`function`) with a maximum at `crest` and an extremum every half
        turn.

        The first that applies: undefined for infinite ends; the rounded value for a single number; -1…1 for an interval
        that reaches beyond ±2^30; the hull of the ends and the extrema inside.
        """
        if not x.known:
            return self.undefined
        if x.low == x.high:
            value = function(x.low)
            return Spread(value, value) if x.low == 0 else _widen(value, value)
        if max(-x.low, x.high) > _FARTHEST:
            return Spread(-1.0, 1.0)
        extrema = [math.copysign(1.0, function(place)) for place in _inside(crest, pi, x)]
        return _hull((function(x.low), function(x.high), *extrema))

    def tan(self, x: Spread | float) -> Spread:
        """Return the interval of the tangent. The first that applies:

        - infinite ends: undefined
        - a single number: the rounded value
        - an interval that contains a pole or reaches beyond ±2^30: -inf…inf
        - the hull of both end values
        """
        x = _spread(x)
        if not x.known:
            return self.undefined
        if x.low == x.high:
            return _hull([FLOAT.tan(x.low)], x.low == 0)
        if max(-x.low, x.high) > _FARTHEST or _inside(pi / 2, pi, x):
            return Spread(-inf, inf)
        return _hull((FLOAT.tan(x.low), FLOAT.tan(x.high)))

    def cosh(self, x: Spread | float) -> Spread:
        return _range_of_monotone(Monotone(), "cosh")(abs(_spread(x)))

    def div(self, a: Spread | float, b: Spread | float) -> Spread:
        return _spread(a) / _spread(b)

    def pow(self, a: Spread | float, b: Spread | float) -> Spread:
        """Return the interval of a^b.

        - a base that may be negative, and an exponent that is not a single number: ±|a|^b
        - a base that may be negative, and a single exponent that is not an integer: that of the nonnegative part of the
          base (undefined without one)
        - a pole inside: -inf…inf
        - else the hull of the powers of the ends; 0^0 is 1, and an exponent around 0 with a base from 0 on includes 0
          and 1
        """
        a, b = _spread(a), _spread(b)
        if a.low < 0:
            if b.low < b.high:  # some whole exponents, of a base with any sign
                size = self.pow(abs(a), b)
                return Spread(-size.high, size.high)
            if not b.low.is_integer():
                return self.pow(Spread(0.0, a.high), b)  # undefined if a.high is negative
        corners = list(starmap(FLOAT.pow, product({a.low, a.high}, {b.low, b.high})))
        # A pole inside; or one at the end 0, where an odd power goes to -inf and FLOAT says inf of 0 itself.
        if a.low < 0 <= a.high and b.low < 0 and (a.high > 0 or b.low % 2):
            return Spread(-inf, inf)
        if a.low < 0 < a.high:
            corners.append(0.0)
        if a.low == 0 and b.low <= 0 <= b.high and b.low < b.high:  # 0^0 is 1, and next to it anything from 0 on
            corners += (0.0, 1.0)
        return _hull(corners, a.whole and b.whole and b.low >= 0)

    def hypot(self, a: Spread | float, b: Spread | float) -> Spread:
        a, b = abs(_spread(a)), abs(_spread(b))
        return _hull((math.hypot(a.low, b.low), math.hypot(a.high, b.high)))

    def atan2(self, y: Spread | float, x: Spread | float) -> Spread:
        y, x = _spread(y), _spread(x)
        if y.low <= 0 <= y.high and x.low <= 0 and (y.low < y.high or x.high >= 0):
            return Spread(-self.pi.high, self.pi.high)
        return _hull(FLOAT.atan2(b, a) for b in (y.low, y.high) for a in (x.low, x.high))

    def mod(self, a: Spread | float, b: Spread | float) -> Spread:
        whole: Spread = self.floor(self.div(a, b))
        return _spread(a) - _spread(b) * whole

    @override
    def sign(self, x: Spread | float) -> Spread:
        return _step("sign")(x)

    @override
    def _extreme(self, xs: tuple[Spread | float, ...], pick: Callable[..., Any]) -> Spread:
        intervals = [_spread(x) for x in xs]
        return _ends(pick(x.low for x in intervals), pick(x.high for x in intervals), intervals)

    # --- the gamma family: polygamma grows between its poles where its order is even; else, as lgamma, it is convex

    def polygamma(self, n: Spread | float, x: Spread | float) -> Spread:
        """Return the interval of polygamma of the order in the middle of `n`: from the end values for even orders, by
        convexity for odd ones.

        Everything (-inf…inf) if a pole is inside, or an end is infinite.
        """
        order, x = _spread(n).middle, _spread(x)
        if _pole(x):
            return Spread(-inf, inf)
        function, slope = partial(FLOAT.polygamma, order), partial(FLOAT.polygamma, order + 1)
        if order % 2 == 0:
            return _hull((function(x.low), function(x.high)), noise=_noise(order, x))
        return _convex(x, function, slope, _noise(order, x))

    def lgamma(self, x: Spread | float) -> Spread:
        x = _spread(x)
        if _pole(x):
            return Spread(-inf, inf)
        noise = _SLACK * (4 + max(abs(FLOAT.lgamma(1 + abs(t))) for t in (x.low, x.high)))
        return _convex(x, FLOAT.lgamma, partial(FLOAT.polygamma, 0), noise)

    def gamma(self, x: Spread | float) -> Spread:
        """Return the interval of gamma: everything (-inf…inf) if a pole is inside or an end is infinite, the double for
        a single integer, widened from 2^50 on.

        Otherwise the hull of both ends, widened; between poles and below 2, where |gamma| has one extremum, the
        smallest size is also bounded by exp of the lower end of lgamma.
        """
        x = _spread(x)
        if _pole(x):
            return Spread(-inf, inf)
        if x.whole:
            return _hull([FLOAT.gamma(x.low)], exact=True)
        ends = sorted(abs(FLOAT.gamma(t)) for t in (x.low, x.high))
        if x.low < 2 and x.low < x.high:  # it may turn inside
            ends[0] = min(ends[0], FLOAT.exp(self.lgamma(x).low))
        sizes = _widen(ends[0] * (1 - 8 * _SLACK), ends[1] * (1 + 8 * _SLACK))
        return -sizes if x.low < 0 and math.floor(x.low) % 2 else sizes


def _ends(low: float, high: float, intervals: list[Spread]) -> Spread:
    """Return the interval from `low` to `high`, or an undefined one if one of the intervals is undefined."""
    return Spread(nan, nan) if any(x.low != x.low for x in intervals) else Spread(low, high)


def _pole(x: Spread) -> bool:
    """Return whether gamma has a pole in the interval, or the interval is not finite."""
    return not x.known or (x.low <= 0 and math.floor(x.high) >= x.low)


def _noise(order: float, x: Spread) -> float:
    """Return the absolute error of `FLOAT.polygamma`, besides a relative one: it is a difference of larger numbers."""
    if x.high > 0:
        return _SLACK * (4 + abs(FLOAT.log(x.high)) + 1 / x.low) if order == 0 else 0.0
    sizes = [abs(FLOAT.polygamma(order, t)) + 2 * abs(FLOAT.polygamma(order, 1 - t)) for t in (x.low, x.high)]
    return _SLACK * (4 + order) * (4 + max(sizes))


def _convex(x: Spread, function: Callable[[float], float], slope: Callable[[float], float], noise: float) -> Spread:
    """Return the range of a convex function over `x`: at most the larger end value, at least the smaller one, or, if
    the slope changes its sign inside, the value where the tangents at both ends meet.

    `slope` is the derivative, `noise` the absolute error of the function; undefined if an end value is nan.
    """
    left, right = function(x.low), function(x.high)
    first, last = slope(x.low), slope(x.high)
    ends = [left, right]
    if x.low < x.high and first < 0 < last:
        width = x.high - x.low
        place = min(max((left - right + last * width) / (last - first), 0.0), width)
        ends.append(min(left + first * place, right + last * (place - width)))
        noise += _SLACK * (abs(first) + abs(last)) * width
    return _hull(ends, noise=noise + _SLACK * (abs(left) + abs(right)))


SPREAD = SpreadArithmetic()
Spread.m = SPREAD
