"""The arithmetics in which the rules of the table are read.

An arithmetic is an object `m` with one function for each name that a rule may call.  Its functions are total: outside
a domain they answer nan (or an infinity at a pole) and on overflow an infinity, so that a sweep over a graph never
stops half way and the place of a failure can be told afterwards, from the numbers.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..table.primitive import ROWS
from .budget import HIGHEST

if TYPE_CHECKING:
    from ..table.arithmetic import LimitRule
    from .precise import Precise

__all__ = ["FLOAT", "RAISING", "Float", "Ordered", "Precise"]

nan, inf = math.nan, math.inf


class Ordered:
    """What every arithmetic of real numbers shares: comparisons, choices and truth values, as 1 and 0."""

    zero: Any = 0.0
    one: Any = 1.0
    undefined: Any = nan
    infinity: Any = inf

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """A function of the table that this arithmetic does not know by itself, through the row's own value rule."""
        row = ROWS.get(name)
        if row is None:
            raise AttributeError(name)
        return lambda *arguments: row.value(self, *arguments)

    def finite(self, x: Any) -> bool:
        """Whether a number is one, and no infinity."""
        return math.isfinite(x)

    def _truth(self, condition: bool) -> Any:
        return self.one if condition else self.zero

    def lt(self, a: Any, b: Any) -> Any:
        return self._truth(a < b)

    def le(self, a: Any, b: Any) -> Any:
        return self._truth(a <= b)

    def gt(self, a: Any, b: Any) -> Any:
        return self._truth(a > b)

    def ge(self, a: Any, b: Any) -> Any:
        return self._truth(a >= b)

    def eq(self, a: Any, b: Any) -> Any:
        return self._truth(a == b)

    def ne(self, a: Any, b: Any) -> Any:
        return self._truth(a != b)

    def both(self, a: Any, b: Any) -> Any:
        return self._truth(bool(a) and bool(b))

    def either(self, a: Any, b: Any) -> Any:
        return self._truth(bool(a) or bool(b))

    def choose(self, condition: Any, a: Any, b: Any) -> Any:
        """`a` where the condition holds, else `b`; the other one is not looked at."""
        return a if condition else b

    def guard(self, limit: LimitRule, rule: Any, *arguments: Any) -> Any:
        """The rule, save where it has no number of its own: there its limit."""
        return limit.value(self, *arguments) if limit.where(self, *arguments) else rule

    def abs(self, x: Any) -> Any:
        return abs(x)

    def sign(self, x: Any) -> Any:
        return self.one if x > 0 else -self.one if x < 0 else self.zero if x == 0 else self.undefined

    def max(self, *xs: Any) -> Any:
        return self._extreme(xs, max)

    def min(self, *xs: Any) -> Any:
        return self._extreme(xs, min)

    def _extreme(self, xs: tuple[Any, ...], pick: Callable[[tuple[Any, ...]], Any]) -> Any:
        for x in xs:
            if x != x:  # nan: an unknown argument makes the result unknown
                return x
        return pick(xs)


def _marked(method: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    method.unguarded = function  # type: ignore[attr-defined]
    return method


def _unguarded(function: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Tells of a method the function that does the same where nothing is undefined or overflows, and raises there."""
    return lambda method: _marked(method, function)


def _total(function: Callable[..., float], on_overflow: float = inf) -> Callable[..., float]:
    """The function with nan outside its domain and an infinity on overflow, instead of exceptions."""

    def total(*arguments: float) -> float:
        try:
            return function(*arguments)
        except ValueError:
            return nan
        except OverflowError:
            return on_overflow

    return _marked(total, function)


class Float(Ordered):
    """IEEE double precision through the C library."""

    pi = math.pi
    e = math.e

    finite = staticmethod(math.isfinite)  # type: ignore[assignment]
    cos = staticmethod(_total(math.cos))
    sin = staticmethod(_total(math.sin))
    tan = staticmethod(_total(math.tan))
    acos = staticmethod(_total(math.acos))
    asin = staticmethod(_total(math.asin))
    exp = staticmethod(_total(math.exp))
    expm1 = staticmethod(_total(math.expm1))
    cosh = staticmethod(_total(math.cosh))
    sqrt = staticmethod(_total(math.sqrt))
    acosh = staticmethod(_total(math.acosh))
    gamma = staticmethod(_total(math.gamma))
    hypot = staticmethod(_total(math.hypot))
    atan = staticmethod(math.atan)
    tanh = staticmethod(math.tanh)
    asinh = staticmethod(math.asinh)
    cbrt = staticmethod(math.cbrt)
    erf = staticmethod(math.erf)
    erfc = staticmethod(math.erfc)

    def number(self, x: Any) -> float:
        try:
            return float(x)
        except OverflowError:  # a fraction beyond all doubles
            return inf if x > 0 else -inf

    def guard(self, limit: LimitRule, rule: Any, *arguments: Any) -> Any:
        return rule if rule == rule and not limit.lossy else super().guard(limit, rule, *arguments)

    @_unguarded(operator.truediv)
    def div(self, a: float, b: float) -> float:
        try:
            return a / b
        except ZeroDivisionError:
            return nan if a == 0 or a != a else math.copysign(inf, a) * math.copysign(1.0, b)

    @_unguarded(math.pow)
    def pow(self, a: float, b: float) -> float:
        try:
            return math.pow(a, b)
        except ValueError:
            return inf if a == 0 else nan
        except OverflowError:
            return -inf if a < 0 and b % 2 == 1 else inf

    def _logarithm(self, function: Callable[[float], float], x: float, pole: float) -> float:
        return function(x) if x > pole else -inf if x == pole else nan

    @_unguarded(math.log)
    def log(self, x: float) -> float:
        return self._logarithm(math.log, x, 0.0)

    @_unguarded(math.log2)
    def log2(self, x: float) -> float:
        return self._logarithm(math.log2, x, 0.0)

    @_unguarded(math.log10)
    def log10(self, x: float) -> float:
        return self._logarithm(math.log10, x, 0.0)

    @_unguarded(math.log1p)
    def log1p(self, x: float) -> float:
        return self._logarithm(math.log1p, x, -1.0)

    @_unguarded(math.sinh)
    def sinh(self, x: float) -> float:
        try:
            return math.sinh(x)
        except OverflowError:
            return math.copysign(inf, x)

    @_unguarded(math.atanh)
    def atanh(self, x: float) -> float:
        return math.atanh(x) if -1 < x < 1 else math.copysign(inf, x) if abs(x) == 1 else nan

    def atan2(self, y: float, x: float) -> float:
        return math.atan2(y, x) if x or y else nan

    def mod(self, a: float, b: float) -> float:
        return a % b if b and not math.isinf(a) else nan

    def floor(self, x: float) -> float:
        return float(math.floor(x)) if math.isfinite(x) else x

    def ceil(self, x: float) -> float:
        return float(math.ceil(x)) if math.isfinite(x) else x

    def round(self, x: float) -> float:
        """The nearest integer, halves away from zero, as schools teach it."""
        if not math.isfinite(x):
            return x
        below = math.floor(abs(x))
        return math.copysign(below + (abs(x) - below >= 0.5), x)

    def lgamma(self, x: float) -> float:
        if LGAMMA_LOW <= x <= LGAMMA_HIGH:
            from .lgamma import lgamma

            return lgamma(x)
        try:
            return math.lgamma(x)
        except ValueError:
            return nan
        except OverflowError:
            return inf

    def polygamma(self, n: float, x: float) -> float:
        return _polygamma(n, x)


# Here lgamma has its zeros 1 and 2, next to which libraries lose its digits.
LGAMMA_LOW, LGAMMA_HIGH = 0.5, 2.5
# Bernoulli numbers B_2, B_4, … of the asymptotic series, DLMF 24.2.
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798)


def _polygamma(order: float, x: float) -> float:
    """The derivative of digamma of this order: upward recurrence, then the asymptotic series (DLMF 5.15.8, 5.15.5).

    Below 0 by reflection.
    """
    if order != order or x != x or order < 0 or order % 1 or order > HIGHEST:
        return nan
    n = int(order)
    if math.isinf(x):
        return (inf if n == 0 else 0.0) if x > 0 else nan
    if x <= 0 and x % 1 == 0:
        return nan
    if x < 0:
        from .polygamma import reflected

        return float(reflected(n, _polygamma(n, 1 - x), math.pi, _cotangent(x)))
    return _polygamma_of_positive(n, x)


def _cotangent(x: float) -> float:
    """cot(pi x) for x < 0, no whole number, from the distance to the next pole or half way between two of them."""
    rest = math.fmod(x, 1.0)
    nearest = rest + 1 if rest < -0.5 else rest
    if abs(nearest) <= 0.25:
        return 1 / math.tan(math.pi * nearest)
    return math.copysign(math.tan(math.pi * (0.5 - abs(nearest))), nearest)


def _polygamma_of_positive(n: int, x: float) -> float:
    total = 0.0
    sign = -1.0 if n % 2 == 0 else 1.0
    factorial = float(math.factorial(n))
    try:
        while x < 12 + n:
            total += sign * factorial / x ** (n + 1)
            x += 1
    except (OverflowError, ZeroDivisionError):  # next to the pole
        return sign * inf
    inverse = 1 / x
    square = inverse * inverse
    series = 0.0
    for k in range(len(BERNOULLI), 0, -1):  # after Horner: no power of x is ever too large
        series = square * (series + BERNOULLI[k - 1] * (math.comb(2 * k + n - 1, 2 * k) if n else -1 / (2 * k)))
    if n == 0:
        return total + (math.log(x) - 0.5 * inverse + series)
    first = inverse
    for k in range(1, n):
        first *= k * inverse
    return total + sign * first * (1 + 0.5 * n * inverse + series)


class Raising(Float):
    """Doubles whose functions raise ValueError or OverflowError where those of `Float` answer nan or an infinity.

    A loop over many operations is faster with them, and turns to `Float` for the few that raise.
    """

    def __init__(self) -> None:
        for name in dir(Float):
            unguarded = getattr(getattr(Float, name), "unguarded", None)
            if unguarded is not None:
                setattr(self, name, unguarded)


FLOAT = Float()
RAISING = Raising()


def __getattr__(name: str) -> Any:
    """`Precise` has a room of its own, which builds on this one."""
    if name == "Precise":
        from .precise import Precise

        return Precise
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
