"""The arithmetics in which the rules of the table are read.

An arithmetic is an object `m` with one function for each name that a rule may call.  Its functions are total: outside
a domain they answer nan (or an infinity at a pole) and on overflow an infinity, so that a sweep over a graph never
stops half way and the place of a failure can be told afterwards, from the numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .primitive import ROWS

nan, inf = math.nan, math.inf


class Ordered:
    """What every arithmetic of real numbers shares: comparisons, choices and truth values, as 1 and 0."""

    zero: Any = 0.0
    one: Any = 1.0
    undefined: Any = nan

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """A function of the table that this arithmetic does not know by itself, through the row's own value rule."""
        row = ROWS.get(name)
        if row is None:
            raise AttributeError(name)
        return lambda *arguments: row.value(self, *arguments)

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

    def guard(self, condition: Any, exception: Any, rule: Any) -> Any:
        """The rule, save where the condition holds; a formula for people shows the rule alone."""
        return exception if condition else rule

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


def _total(function: Callable[..., float], on_overflow: float = inf) -> Callable[..., float]:
    """The function with nan outside its domain and an infinity on overflow, instead of exceptions."""

    def total(*arguments: float) -> float:
        try:
            return function(*arguments)
        except ValueError:
            return nan
        except OverflowError:
            return on_overflow

    return total


class Float(Ordered):
    """IEEE double precision through the C library."""

    pi = math.pi
    e = math.e

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
        return float(x)

    def div(self, a: float, b: float) -> float:
        try:
            return a / b
        except ZeroDivisionError:
            return nan if a == 0 or a != a else math.copysign(inf, a) * math.copysign(1.0, b)

    def pow(self, a: float, b: float) -> float:
        try:
            return math.pow(a, b)
        except ValueError:
            return inf if a == 0 else nan
        except OverflowError:
            return -inf if a < 0 and b % 2 == 1 else inf

    def _logarithm(self, function: Callable[[float], float], x: float, pole: float) -> float:
        return function(x) if x > pole else -inf if x == pole else nan

    def log(self, x: float) -> float:
        return self._logarithm(math.log, x, 0.0)

    def log2(self, x: float) -> float:
        return self._logarithm(math.log2, x, 0.0)

    def log10(self, x: float) -> float:
        return self._logarithm(math.log10, x, 0.0)

    def log1p(self, x: float) -> float:
        return self._logarithm(math.log1p, x, -1.0)

    def sinh(self, x: float) -> float:
        try:
            return math.sinh(x)
        except OverflowError:
            return math.copysign(inf, x)

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
        try:
            return math.lgamma(x)
        except ValueError:
            return nan
        except OverflowError:
            return inf

    def polygamma(self, n: float, x: float) -> float:
        return _polygamma(n, x)


# Bernoulli numbers B_2, B_4, … of the asymptotic series, DLMF 24.2.
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798)
_FARTHEST = 10_000.0  # how far below zero the recurrence is followed


def _polygamma(order: float, x: float) -> float:
    """The derivative of digamma of this order: upward recurrence, then the asymptotic series (DLMF 5.15.8, 5.15.5)."""
    if order != order or x != x or order < 0 or order % 1 or order > 100:
        return nan
    n = int(order)
    if math.isinf(x):
        return (inf if n == 0 else 0.0) if x > 0 else nan
    if x <= 0 and x % 1 == 0:
        return nan
    if n == 0 and x < 0:  # reflection, DLMF 5.5.4; the remainder keeps the argument of tan small
        return _polygamma(0, 1 - x) - math.pi / math.tan(math.pi * math.fmod(x, 1.0))
    if x < -_FARTHEST:
        return nan
    try:
        return _polygamma_series(n, x)
    except OverflowError:
        return nan if x < 0 else inf if n % 2 else -inf


def _polygamma_series(n: int, x: float) -> float:
    total = 0.0
    sign = -1.0 if n % 2 == 0 else 1.0
    factorial = float(math.factorial(n))
    while x < 12 + n:
        total += sign * factorial / x ** (n + 1)
        x += 1
    if n == 0:
        series = math.log(x) - 0.5 / x
        for k, bernoulli in enumerate(_BERNOULLI, 1):
            series -= bernoulli / (2 * k * x ** (2 * k))
        return total + series
    series = math.factorial(n - 1) / x**n + factorial / (2 * x ** (n + 1))
    for k, bernoulli in enumerate(_BERNOULLI, 1):
        rising = math.factorial(2 * k + n - 1) / math.factorial(2 * k)
        series += bernoulli * rising / x ** (2 * k + n)
    return total + sign * series


class Precise(Ordered):
    """Floating point with any number of decimal digits, by mpmath; used where doubles need an independent judge."""

    def __init__(self, digits: int = 50) -> None:
        import mpmath

        self.context: Any = mpmath.mp.clone() if hasattr(mpmath.mp, "clone") else mpmath.MPContext()
        self.context.dps = digits
        self.zero, self.one = self.context.mpf(0), self.context.mpf(1)
        self.undefined = self.context.nan
        self.pi, self.e = +self.context.pi, +self.context.e

    def number(self, x: Any) -> Any:
        """The number exactly, as far as the digits go: text, integer, fraction or double."""
        if hasattr(x, "numerator") and not isinstance(x, int):
            return self.context.mpf(x.numerator) / self.context.mpf(x.denominator)
        return self.context.mpf(x)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function = getattr(self.context, name, None)
        if function is None:
            return super().__getattr__(name)

        def total(*arguments: Any) -> Any:
            try:
                result = function(*arguments)
            except (ValueError, ZeroDivisionError):
                return self.undefined
            # A complex result means that the arguments were outside the real domain.
            return result if self.context.isnan(result) or not self._is_complex(result) else self.undefined

        return total

    def _is_complex(self, x: Any) -> bool:
        return isinstance(x, self.context.mpc)

    def div(self, a: Any, b: Any) -> Any:
        return a / b if b else self.undefined if not a or a != a else self.context.sign(a) * self.context.inf

    def pow(self, a: Any, b: Any) -> Any:
        if a == 0 and b < 0:
            return self.context.inf
        result = self.context.power(a, b)
        return self.undefined if self._is_complex(result) else result

    def log(self, x: Any) -> Any:
        return self.context.log(x) if x > 0 else -self.context.inf if x == 0 else self.undefined

    def log2(self, x: Any) -> Any:
        return self.log(x) / self.context.log(2)

    def log10(self, x: Any) -> Any:
        return self.log(x) / self.context.log(10)

    def cbrt(self, x: Any) -> Any:
        return self.context.sign(x) * self.context.cbrt(abs(x))

    def atan2(self, y: Any, x: Any) -> Any:
        return self.context.atan2(y, x) if x or y else self.undefined

    def mod(self, a: Any, b: Any) -> Any:
        return a - b * self.context.floor(a / b) if b else self.undefined

    def round(self, x: Any) -> Any:
        return self.sign(x) * self.context.floor(abs(x) + self.context.mpf(0.5))

    def lgamma(self, x: Any) -> Any:
        return self.context.log(abs(self.context.gamma(x)))

    def polygamma(self, n: Any, x: Any) -> Any:
        return self.context.psi(int(n), x)


FLOAT = Float()
