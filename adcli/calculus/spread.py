"""The spread of rounded numbers: intervals of doubles, a little wider than the true range, never narrower.

A number worked out by hand stands for all that it may have been rounded from; read in this arithmetic a rule tells what
may come out.  It needs no library, and a plain double is an interval as wide as its own rounding.  `interval` is the
same idea with as many bits as one likes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from .algebra import FLOAT, Ordered
from .primitive import Limit

_SLACK = 2.0**-48  # of a result: more than the C library's functions are wrong by
_LEAST, _GREATEST = 5e-324, 1.7976931348623157e308
_EXACT = 2.0**50  # whole numbers below this come out exactly, where exact numbers go in
nan, inf, pi = math.nan, math.inf, math.pi


class Spread:
    """All numbers from `low` to `high`; undefined where these are nan."""

    __slots__ = ("high", "low")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, low: float, high: float) -> None:
        self.low = low
        self.high = high

    def __repr__(self) -> str:
        return f"<Spread {self.low!r} … {self.high!r}>"

    @property
    def middle(self) -> float:
        return self.low if self.low == self.high else self.low / 2 + self.high / 2

    @property
    def known(self) -> bool:
        """Whether both ends are numbers."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    def meets(self, other: Spread) -> bool:
        """Whether some number lies in both."""
        return self.low <= other.high and other.low <= self.high

    # Comparisons are those of the middles: a domain or a kink is where the numbers shown say that it is.

    def __lt__(self, other: Any) -> bool:
        return self.middle < _spread(other).middle

    def __le__(self, other: Any) -> bool:
        return self.middle <= _spread(other).middle

    def __gt__(self, other: Any) -> bool:
        return self.middle > _spread(other).middle

    def __ge__(self, other: Any) -> bool:
        return self.middle >= _spread(other).middle

    def __eq__(self, other: object) -> bool:
        middle: float = _spread(other).middle
        return self.middle == middle

    def __bool__(self) -> bool:
        return self.middle != 0

    def __neg__(self) -> Spread:
        return Spread(-self.high, -self.low)

    def __abs__(self) -> Spread:
        return _over((self.low, self.high), abs, (0.0,) if self.low < 0 < self.high else ())

    def __add__(self, other: Any) -> Spread:
        other = _spread(other)
        return _outwards(self.low + other.low, self.high + other.high)

    def __sub__(self, other: Any) -> Spread:
        return self + -_spread(other)

    def __mul__(self, other: Any) -> Spread:
        other = _spread(other)
        return _hull(_product(a, b) for a in (self.low, self.high) for b in (other.low, other.high))

    def __truediv__(self, other: Any) -> Spread:
        other = _spread(other)
        if other.low <= 0 <= other.high:
            return Spread(nan, nan) if other.low == other.high == 0 else Spread(-inf, inf)
        return _hull(a / b for a in (self.low, self.high) for b in (other.low, other.high))

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: Any) -> Spread:
        return _spread(other) - self

    def __rtruediv__(self, other: Any) -> Spread:
        return _spread(other) / self


def _spread(x: Any) -> Spread:
    return x if isinstance(x, Spread) else Spread(float(x), float(x))


def _product(a: float, b: float) -> float:
    return 0.0 if a == 0 or b == 0 else a * b


def _outwards(low: float, high: float) -> Spread:
    """The ends moved apart by what rounding may have taken."""
    if low == high and abs(low) < _EXACT and low.is_integer():
        return Spread(low, high)
    if math.isinf(low) or math.isinf(high):
        return Spread(low if low < inf else _GREATEST, high if high > -inf else -_GREATEST)
    return Spread(low - abs(low) * _SLACK - _LEAST, high + abs(high) * _SLACK + _LEAST)


def _hull(ends: Iterable[float]) -> Spread:
    found = list(ends)
    if any(x != x for x in found):
        return Spread(nan, nan)
    return _outwards(min(found), max(found))


def _over(places: Iterable[float], function: Callable[[float], float], turning: Iterable[float] = ()) -> Spread:
    """The range of a function that is monotone between these places."""
    return _hull(function(x) for x in (*places, *turning))


def _inside(first: float, step: float, x: Spread) -> list[float]:
    """The places `first + k·step` inside an interval, two of them at most."""
    k = math.ceil((x.low - first) / step)
    return [place for j in range(k, k + 2) if x.low <= (place := first + j * step) <= x.high]


# Where the functions that have a domain end, and where those that are not monotone turn.
_DOMAINS = {
    "sqrt": (0.0, inf), "log": (0.0, inf), "log2": (0.0, inf), "log10": (0.0, inf), "log1p": (-1.0, inf),
    "asin": (-1.0, 1.0), "acos": (-1.0, 1.0), "acosh": (1.0, inf), "atanh": (-1.0, 1.0),
}  # fmt: skip
_LOWEST_GAMMA = 1.4616321449683622  # where gamma is least, DLMF 5.4.20
_TURNING = {"cosh": (0.0,), "gamma": (_LOWEST_GAMMA,), "lgamma": (_LOWEST_GAMMA,)}
_MONOTONE = (
    "exp", "expm1", "sinh", "tanh", "asinh", "atan", "cbrt", "erf", "erfc", "floor", "ceil", "round", "sign",
)  # fmt: skip


def _monotone(name: str) -> Callable[[Any], Spread]:
    """The function of this name, from its values at both ends and where it turns."""
    least, most = _DOMAINS.get(name, (-inf, inf))
    turning = _TURNING.get(name, ())

    def over(x: Any) -> Spread:
        x, function = _spread(x), getattr(FLOAT, name)
        if x.high < least or x.low > most:
            return Spread(nan, nan)
        low, high = max(x.low, least), min(x.high, most)
        return _over((low, high), function, [place for place in turning if low < place < high])

    return over


class SpreadArithmetic(Ordered):
    """Intervals of doubles, rounded outwards."""

    zero, one = Spread(0.0, 0.0), Spread(1.0, 1.0)
    undefined = Spread(nan, nan)
    infinity = Spread(inf, inf)
    pi = Spread(math.nextafter(math.pi, 0), math.nextafter(math.pi, 4))
    e = Spread(math.nextafter(math.e, 0), math.nextafter(math.e, 4))

    def number(self, x: Any) -> Spread:
        """An interval that holds the number: text, fraction or double."""
        if isinstance(x, Spread):
            return x
        if isinstance(x, str | Fraction):
            from .exact import read_fraction

            fraction = read_fraction(x) if isinstance(x, str) else x
            double = float(x) if fraction is None else _double(fraction)
            if fraction is not None and math.isfinite(double) and Fraction(double) == fraction:
                return Spread(double, double)
            return Spread(math.nextafter(double, -inf), math.nextafter(double, inf))
        return _spread(x)

    def finite(self, x: Any) -> bool:
        return _spread(x).known

    # A condition that the intervals do not decide is 0 or 1, and a choice that hangs on it takes in both sides.

    def _decided(self, yes: bool, no: bool) -> Spread:
        return self.one if yes else self.zero if no else Spread(0.0, 1.0)

    def lt(self, a: Any, b: Any) -> Spread:
        a, b = _spread(a), _spread(b)
        return self._decided(a.high < b.low, a.low >= b.high)

    def le(self, a: Any, b: Any) -> Spread:
        return self.one - self.lt(b, a)

    def gt(self, a: Any, b: Any) -> Spread:
        return self.lt(b, a)

    def ge(self, a: Any, b: Any) -> Spread:
        return self.le(b, a)

    def eq(self, a: Any, b: Any) -> Spread:
        a, b = _spread(a), _spread(b)
        return self._decided(a.low == a.high == b.low == b.high, not a.meets(b))

    def ne(self, a: Any, b: Any) -> Spread:
        return self.one - self.eq(a, b)

    def choose(self, condition: Any, a: Any, b: Any) -> Any:
        condition = _spread(condition)
        if condition.low == condition.high or a is None or b is None:
            return a if condition else b
        a, b = _spread(a), _spread(b)
        return _hull((a.low, a.high, b.low, b.high))

    def guard(self, limit: Limit, rule: Any, *arguments: Any) -> Any:
        return self.choose(limit.where(self, *arguments), limit.value(self, *arguments), rule)

    def sin(self, x: Any) -> Spread:
        x = _spread(x)
        return _over((x.low, x.high), FLOAT.sin, _inside(pi / 2, pi, x)) if x.known else self.undefined

    def cos(self, x: Any) -> Spread:
        x = _spread(x)
        return _over((x.low, x.high), FLOAT.cos, _inside(0.0, pi, x)) if x.known else self.undefined

    def tan(self, x: Any) -> Spread:
        x = _spread(x)
        if not x.known:
            return self.undefined
        return Spread(-inf, inf) if _inside(pi / 2, pi, x) else _over((x.low, x.high), FLOAT.tan)

    def div(self, a: Any, b: Any) -> Spread:
        return _spread(a) / _spread(b)

    def pow(self, a: Any, b: Any) -> Spread:
        a, b = _spread(a), _spread(b)
        corners = [FLOAT.pow(x, y) for x in {a.low, a.high} for y in {b.low, b.high}]
        if a.low < 0 < a.high:
            if b.low < 0:
                return Spread(-inf, inf)
            corners.append(0.0)
        return _hull(corners)

    def hypot(self, a: Any, b: Any) -> Spread:
        a, b = abs(_spread(a)), abs(_spread(b))
        return _hull((math.hypot(a.low, b.low), math.hypot(a.high, b.high)))

    def atan2(self, y: Any, x: Any) -> Spread:
        y, x = _spread(y), _spread(x)
        if y.low <= 0 <= y.high and x.low <= 0 and y.low < y.high:
            return Spread(-pi, pi)
        return _hull(FLOAT.atan2(b, a) for b in (y.low, y.high) for a in (x.low, x.high))

    def mod(self, a: Any, b: Any) -> Spread:
        whole: Spread = self.floor(self.div(a, b))
        return _spread(a) - _spread(b) * whole

    def max(self, *xs: Any) -> Spread:
        found = [_spread(x) for x in xs]
        return _hull((max(x.low for x in found), max(x.high for x in found)))

    def min(self, *xs: Any) -> Spread:
        found = [_spread(x) for x in xs]
        return _hull((min(x.low for x in found), min(x.high for x in found)))

    def polygamma(self, n: Any, x: Any) -> Spread:
        order, x = _spread(n).middle, _spread(x)
        return _over((x.low, x.high), lambda place: FLOAT.polygamma(order, place))


def _double(fraction: Fraction) -> float:
    try:
        return float(fraction)
    except OverflowError:
        return inf if fraction > 0 else -inf


for _name in (*_DOMAINS, *_TURNING, *_MONOTONE):
    setattr(SpreadArithmetic, _name, staticmethod(_monotone(_name)))

SPREAD = SpreadArithmetic()
