"""The arithmetic of doubles, and the base class of all arithmetics in which the rules of the table of functions are
evaluated.

An arithmetic is an object `m` with one function for each name that a rule may call.  Its functions are total: outside a
domain they return nan (or an infinity at a pole) and on overflow an infinity, so that a sweep over a graph never stops
half way and the place of a failure can be reported afterwards, from the numbers.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence

from ..table.primitive import ROWS, Own, Primitive
from ..typings import TYPE_CHECKING, Any, Generic, TypeVar, override

if TYPE_CHECKING:
    from ..table.arithmetic import Arithmetic, Comparison, Evaluating, LimitRule, Numeral, Numeric

    T = TypeVar("T", bound=Numeric)
else:
    T = TypeVar("T")  # a bound in quotes starts the compiler, which takes longer than all the rest here

nan, inf = math.nan, math.inf


class Ordered(Generic[T]):
    """The base class of arithmetics of real numbers: comparisons, choices and truth values, which are 1 and 0.

    Plain numbers among the arguments are used, and may be returned, as they are.
    """

    zero: T
    one: T
    undefined: T
    infinity: T

    def __getattr__(self, name: str) -> Callable[..., T]:
        """Return a function of the table that this arithmetic does not define: by `row_function` if the row has its own
        implementations, else by its composed rule or value rule.

        Raises AttributeError for an unknown name.
        """
        row = ROWS.get(name)
        if row is None:
            raise AttributeError(name)
        if row.own is not None:
            return self.row_function(row.own)
        rule: Callable[..., T] = row.composed or row.value
        return lambda *arguments: rule(self, *arguments)

    def row_function(self, own_code: Own) -> Callable[..., T]:
        """Return a function with its own implementation for this type of number; here one that is undefined
        everywhere.
        """
        return lambda *arguments: self.undefined

    def finite(self, x: Any) -> bool:
        """Return whether the number `x` is neither infinite nor nan."""
        return math.isfinite(x)

    def _truth(self, condition: Comparison) -> T:
        return self.one if condition else self.zero

    def lt(self, a: T | float, b: T | float) -> T:
        return self._truth(a < b)

    def le(self, a: T | float, b: T | float) -> T:
        return self._truth(a <= b)

    def gt(self, a: T | float, b: T | float) -> T:
        return self._truth(a > b)

    def ge(self, a: T | float, b: T | float) -> T:
        return self._truth(a >= b)

    def eq(self, a: T | float, b: T | float) -> T:
        return self._truth(a == b)

    def ne(self, a: T | float, b: T | float) -> T:
        return self._truth(a != b)

    def both(self, a: T | float, b: T | float) -> T:
        return self._truth(bool(a) and bool(b))

    def either(self, a: T | float, b: T | float) -> T:
        return self._truth(bool(a) or bool(b))

    def choose(self, condition: T | float, a: T | float, b: T | float) -> T:
        """Return `a` if the condition holds, else `b`."""
        return a if condition else b  # type: ignore[return-value]

    def guard(self, limit: LimitRule, rule: T, *arguments: T) -> T:
        """Return the limit of a rule if its condition holds for the arguments, else `rule`, the computed value."""
        m: Arithmetic[T] = self  # type: ignore[assignment]  # what it lacks comes from rows
        return limit.value(m, *arguments) if limit.where(m, *arguments) else rule

    def abs(self, x: T | float) -> T:
        return abs(x)  # type: ignore[arg-type, return-value]

    def sign(self, x: T | float) -> T:
        return self.one if x > 0 else -self.one if x < 0 else self.zero if x == 0 else self.undefined

    def max(self, *xs: T | float) -> T:
        return self._extreme(xs, max)

    def min(self, *xs: T | float) -> T:
        return self._extreme(xs, min)

    def _extreme(self, xs: tuple[T | float, ...], pick: Callable[..., T | float]) -> T:
        unknown = [x for x in xs if x != x]  # nan: an unknown argument makes the result unknown
        return unknown[0] if unknown else pick(xs)  # type: ignore[return-value]


def apply(row: Primitive, m: Evaluating[T], arguments: Sequence[T]) -> T:
    """Return the value of the function `row` for these arguments in the arithmetic `m`.

    Arguments of a branch not taken may be None. It is `m.undefined` if the rule raises ZeroDivisionError or ValueError,
    and +infinity after an OverflowError. Other errors pass.
    """
    try:
        return row.value(m, *arguments)
    except (ZeroDivisionError, ValueError):
        return m.undefined
    except OverflowError:
        return m.one * float("inf")


_Function = TypeVar("_Function", bound=Callable[..., float])


def _store_raising(method: _Function, function: Callable[..., float]) -> _Function:
    """Store with a method a function that does the same, but raises where the method returns nan or an infinity."""
    vars(method)["unguarded"] = function
    return method


def _without_guard(function: Callable[..., float]) -> Callable[[_Function], _Function]:
    return lambda method: _store_raising(method, function)


def _make_total(function: Callable[..., float]) -> Callable[..., float]:
    """Return the function with nan where it raises ValueError (outside its domain), and infinity where it raises
    OverflowError; the original is stored as its attribute `unguarded`.
    """

    def total(*arguments: float) -> float:
        try:
            return function(*arguments)
        except ValueError:
            return nan
        except OverflowError:
            return inf

    return _store_raising(total, function)


def _logarithm(function: Callable[[float], float], pole: float) -> Callable[[float], float]:
    """Return the logarithm with -inf at its pole and nan below."""
    return _store_raising(lambda x: function(x) if x > pole else -inf if x == pole else nan, function)


class Float(Ordered[float]):
    """The arithmetic of doubles, by the C library."""

    zero, one, undefined, infinity = 0.0, 1.0, nan, inf
    pi = math.pi
    e = math.e

    finite = staticmethod(math.isfinite)  # type: ignore[assignment]

    @override
    def row_function(self, own_code: Own) -> Callable[..., float]:
        return own_code.double

    def number(self, x: float | Numeral) -> float:
        try:
            return float(x)
        except OverflowError:  # a fraction beyond all doubles
            return inf if x > 0 else -inf  # type: ignore[operator]

    @override
    def guard(self, limit: LimitRule, rule: float, *arguments: float) -> float:
        return rule if rule == rule and not limit.lossy else super().guard(limit, rule, *arguments)

    @_without_guard(operator.truediv)
    def div(self, a: float, b: float) -> float:
        try:
            return a / b
        except ZeroDivisionError:
            return nan if a == 0 or a != a else math.copysign(inf, a) * math.copysign(1.0, b)

    @_without_guard(math.pow)
    def pow(self, a: float, b: float) -> float:
        """Return a^b of doubles by the C library.

        A negative power of 0 is inf (also of -0.0), a negative base with an exponent that is not an integer gives nan,
        overflow ±inf with the right sign.
        """
        try:
            return math.pow(a, b)
        except ValueError:
            return inf if a == 0 else nan
        except OverflowError:
            return -inf if a < 0 and b % 2 == 1 else inf

    @_without_guard(math.sinh)
    def sinh(self, x: float) -> float:
        try:
            return math.sinh(x)
        except OverflowError:
            return math.copysign(inf, x)

    @_without_guard(math.atanh)
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
        """Return the nearest integer, halves away from zero; infinities and nan as they are."""
        if not math.isfinite(x):
            return x
        below = math.floor(abs(x))
        return math.copysign(below + (abs(x) - below >= 0.5), x)

    def lgamma(self, x: float) -> float:
        from .gamma_functions import lgamma

        return lgamma(x)

    def polygamma(self, n: float, x: float) -> float:
        from .gamma_functions import polygamma

        return polygamma(n, x)


# Functions of the C library that have a value for every double, that raise for some, and logarithms with their poles.
_EVERYWHERE = (math.atan, math.tanh, math.asinh, math.cbrt, math.erf, math.erfc)
_SOMEWHERE = (
    math.cos, math.sin, math.tan, math.acos, math.asin, math.exp, math.expm1, math.cosh, math.sqrt, math.acosh,
    math.gamma, math.hypot,
)  # fmt: skip
_LOGARITHMS = {math.log: 0.0, math.log2: 0.0, math.log10: 0.0, math.log1p: -1.0}
for _function in (
    *_EVERYWHERE,
    *[_make_total(function) for function in _SOMEWHERE],
    *[_logarithm(function, pole) for function, pole in _LOGARITHMS.items()],
):
    setattr(Float, getattr(_function, "unguarded", _function).__name__, staticmethod(_function))


class Raising(Float):
    """Doubles whose functions raise ValueError or OverflowError where those of `Float` return nan or an infinity.

    A loop over many operations is faster with them, and repeats the few that raise with `Float`.
    """

    def __init__(self) -> None:
        for name in dir(Float):
            unguarded = getattr(getattr(Float, name), "unguarded", None)
            if unguarded is not None:
                setattr(self, name, unguarded)


FLOAT = Float()
RAISING = Raising()


def is_step(row: Primitive) -> bool:
    """Return whether a function rises in steps (floor, sign, …) and has no value rule made of other functions."""
    return row.partials == (None,) and hasattr(Float, row.name)


def enclose(own_code: Own, *arguments: tuple[float, float]) -> tuple[float, float]:
    """Return (lower, upper) bounds of the function `own_code` over the last argument's interval (low, high); the
    arguments before it should be single numbers (equal ends).

    They are the value at the midpoint ± the largest slope times half the width, rounded outwards, within the function's
    image. The image itself if the slope is not known, an argument before is not single, or an end, the value or the
    slope is not finite; (nan, nan) if low equals high and the value is nan.
    """
    *orders, (low, high) = arguments
    least, most = own_code.image.low, own_code.image.high
    if own_code.slope is None or any(a != b for a, b in orders) or not math.isfinite(high - low):
        return least, most
    leading = [a for a, _ in orders]
    middle = low / 2 + high / 2
    value = own_code.double(*leading, middle)
    reach = 0.0 if low == high else own_code.slope(*leading, low, high) * (high - low) * 0.51
    if not math.isfinite(value) or not math.isfinite(reach):
        return (nan, nan) if low == high and value != value else (least, most)
    slack = (abs(value) + reach) * 2.0**-50 + 5e-324
    return max(value - reach - slack, least), min(value + reach + slack, most)


def times_power(x: float, exponent: int) -> float:
    """Return x·2^exponent; ±inf if that is too large."""
    try:
        return math.ldexp(x, exponent)
    except OverflowError:
        return math.copysign(math.inf, x)


def scaled_product(*factors: float) -> float:
    """Return the product of the factors, even if an intermediate product would overflow or underflow."""
    parts = [math.frexp(x) for x in factors]
    return times_power(math.prod(x for x, _ in parts), sum(exponent for _, exponent in parts))
