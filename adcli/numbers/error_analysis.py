"""Running error analysis of kernels: arrays of computed doubles, each with a bound of its rounding error.

An error bound is not an interval. The inputs are exact, and the bound is for the distance of a double that was computed
by one sequence of operations from the true result; `double_intervals` and `ranges` contain the results for uncertain
arguments and would be far wider. Sums, products and quotients are bounded as they are computed, functions to first
order: errors of arguments are multiplied by the slopes, and a function itself is assumed accurate to four units in the
last place, as in kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial, reduce
from operator import mul

from ..table.operator_methods import Comparisons, Reflections
from ..table.primitive import ROWS, Primitive
from ..typings import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias, override
from .doubles import FLOAT, Ordered, is_step
from .numpy_arrays import ARRAYS, np

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from ..table.arithmetic import LimitRule, Numeral

    Doubles: TypeAlias = NDArray[numpy.float64]

_HALF: Final = 2.0**-53 * (1 + 2.0**-20)  # of a result that is rounded; the rest is for the bounds' own rounding
_FUNCTION: Final = 4 * 2 * _HALF
_LEAST: Final = 5e-324
_UNSURE: Final = 0.5  # of a truth value
_PRODUCTS: Final = range(2, 7)


def _to_bounded(x: Any) -> Bounded:
    return x if isinstance(x, Bounded) else Bounded(float(x))


class Bounded(Comparisons, Reflections):
    """Doubles (`value`) and, for each, a bound (`error`) of its distance from the exact number."""

    __slots__ = ("error", "value")
    m: ClassVar[object]  # the arithmetic
    alike = staticmethod(_to_bounded)

    def __init__(self, value: Doubles | float, error: Doubles | float = 0.0) -> None:
        self.value: Doubles = np.asarray(value)
        self.error: Doubles = np.asarray(error)

    def __add__(self, other: Bounded | float) -> Bounded:
        a, b = self, _to_bounded(other)
        return _off(a.value + b.value, a.error + b.error)

    def __sub__(self, other: Bounded | float) -> Bounded:
        if self is other:  # rows test finiteness by x - x
            return Bounded(self.value - self.value)
        a, b = self, _to_bounded(other)
        return _off(a.value - b.value, a.error + b.error)

    def __mul__(self, other: Bounded | float) -> Bounded:
        a, b = self, _to_bounded(other)
        return _off(a.value * b.value, _of_product(a, b) + _LEAST)

    def __truediv__(self, other: Bounded | float) -> Bounded:
        a, b = self, _to_bounded(other)
        value = np.true_divide(a.value, b.value)
        left = np.abs(b.value) - b.error  # of the divisor
        error = np.where(left > 0, (a.error + _times(np.abs(value), b.error)) / left, np.inf)
        return _off(value, error + _LEAST)

    def __neg__(self) -> Bounded:
        return Bounded(-self.value, self.error)

    def __abs__(self) -> Bounded:
        return Bounded(np.abs(self.value), self.error)

    @override
    def compare_with(self, name: str, other: Bounded | float) -> Bounded:
        """Return a truth value as 1 or 0; its error is 1 where rounding errors may have decided it."""
        x = _to_bounded(other)
        unsure = 0 * self.error if self is x else self.error + x.error
        near = (np.abs(self.value - x.value) <= unsure) & (unsure > 0)
        return Bounded(getattr(ARRAYS, name)(self.value, x.value), np.where(near, 1.0, 0.0))


def _off(value: Doubles | float, error: Doubles | float) -> Bounded:
    """Return a result that was rounded once; `error` is the error inherited from its arguments."""
    return Bounded(value, error + _HALF * np.abs(value))


def _times(size: Doubles | float, error: Doubles) -> Doubles:
    """Return |size|·error; 0 where the error is 0, even if `size` is infinite."""
    return np.where(error == 0, 0.0, np.abs(size) * error)


def _of_product(a: Bounded, b: Bounded) -> Doubles:
    """Return the error that a product inherits from its factors."""
    return _times(a.value, b.error) + _times(b.value, a.error) + _times(a.error, b.error)


class RoundedArrays(Ordered[Any]):
    """The arithmetic of `Bounded` arrays."""

    zero, one, undefined, infinity = Bounded(0.0), Bounded(1.0), Bounded(FLOAT.undefined), Bounded(FLOAT.infinity)
    pi, e = _off(FLOAT.pi, 0.0), _off(FLOAT.e, 0.0)

    @override
    def __getattr__(self, name: str) -> Callable[..., Bounded]:
        """Return the function called `name` for arrays with error bounds: of a step function, of a function of the
        library (first order), else by the row's rule.

        Raises AttributeError if the table has no such row.
        """
        row = ROWS.get(name)
        if row is not None and is_step(row):
            return lambda x: _step(getattr(ARRAYS, name), _to_bounded(x))
        if row is not None and (row.libm or ARRAYS.knows(name)):
            return lambda *arguments: _function_with_error(row, [_to_bounded(x) for x in arguments])
        return super().__getattr__(name)

    def number(self, x: Bounded | Numeral) -> Bounded:
        """Return a number with its rounding error: 0 if it is a double, else that of rounding it once."""
        if isinstance(x, Bounded):
            return x
        value = FLOAT.number(x)
        exact = isinstance(x, float | int) or (np.isfinite(value) and Fraction(x) == Fraction(value))
        return Bounded(value) if exact else _off(value, 0.0)

    def fma(self, a: Bounded | float, b: Bounded | float, c: Bounded | float) -> Bounded:
        """Return a*b + c, rounded once."""
        x, y, z = _to_bounded(a), _to_bounded(b), _to_bounded(c)
        return _off(x.value * y.value + z.value, _of_product(x, y) + z.error + _LEAST)

    @override
    def _truth(self, condition: Any) -> Any:
        return condition

    @override
    def both(self, a: Bounded | float, b: Bounded | float) -> Bounded:
        return _join_bounded(np.logical_and, a, b)

    @override
    def either(self, a: Bounded | float, b: Bounded | float) -> Bounded:
        return _join_bounded(np.logical_or, a, b)

    @override
    def choose(self, condition: Bounded | float, a: Bounded | float, b: Bounded | float) -> Bounded:
        """Return `a` where the condition is not 0, else `b`, element by element.

        Where the condition is uncertain (its error is above 0.5) the error is the distance of both branches plus the
        larger of their errors.
        """
        chooser, x, y = _to_bounded(condition), _to_bounded(a), _to_bounded(b)
        chosen = chooser.value.astype(bool)
        value, error = np.where(chosen, x.value, y.value), np.where(chosen, x.error, y.error)
        difference = np.abs(np.subtract(x.value, y.value)) + np.maximum(x.error, y.error)
        return Bounded(value, np.where(chooser.error > _UNSURE, difference, error))

    @override
    def guard(self, limit: LimitRule, rule: Bounded, *arguments: Bounded) -> Bounded:
        return self.choose(limit.where(self, *arguments), limit.value(self, *arguments), rule)

    @override
    def _extreme(self, xs: tuple[Bounded | float, ...], pick: Callable[..., Any]) -> Bounded:
        return reduce(partial(_join_bounded, np.maximum if pick is max else np.minimum), xs[1:], _to_bounded(xs[0]))

    @override
    def abs(self, x: Bounded | float) -> Bounded:
        return abs(_to_bounded(x))

    def div(self, a: Bounded | float, b: Bounded | float) -> Bounded:
        return _to_bounded(a) / b

    def pow(self, a: Bounded | float, b: Bounded | float) -> Bounded:
        """Return a power; constant exponents 2…6 as products, whose errors count even where the slope is 0."""
        base, exponent = _to_bounded(a), _to_bounded(b)
        if exponent.value.ndim or exponent.error.any() or float(exponent.value) not in _PRODUCTS:
            return _function_with_error(ROWS["pow"], [base, exponent])
        return reduce(mul, [base] * int(exponent.value))

    def mod(self, a: Bounded | float, b: Bounded | float) -> Bounded:
        return _to_bounded(a) - self.floor(_to_bounded(a) / b) * b


def _join_bounded(join: Callable[..., Doubles], a: Bounded | float, b: Bounded | float) -> Bounded:
    x, y = _to_bounded(a), _to_bounded(b)
    return Bounded(join(x.value, y.value), np.maximum(x.error, y.error))


def _step(function: Callable[..., Doubles], x: Bounded) -> Bounded:
    """Return a step function (floor, sign, …); its error is the largest change at either end of the argument's error
    interval.
    """
    value = function(x.value)
    ends = [np.abs(function(x.value + sign * x.error) - value) for sign in (1, -1)]
    return Bounded(value, np.where(x.error == 0, 0.0, np.maximum(*ends)))


def _function_with_error(row: Primitive, arguments: list[Bounded]) -> Bounded:
    """Return the function `row` of the table, entry by entry, with its first-order error: the sum of each argument's
    error times the size of the partial, and 8 half-ulps of the function itself.

    The latter are relative to the larger of the value's size and `row.coarse`, plus four least doubles; they are 0
    where value and `row.coarse` are both 0. Only partials of arguments with an error are evaluated; an error 0 counts
    as 0 even if the partial is infinite.
    """
    values = [x.value for x in arguments]
    value = getattr(ARRAYS, row.name)(*values)
    needs_partial = [bool(np.any(x.error)) for x in arguments]
    size = np.maximum(np.abs(value), row.coarse)
    error = np.where(size == 0, 0.0, _FUNCTION * size + 4 * _LEAST)
    for slope, x in zip(row.rules(ARRAYS, value, values, needs_partial), arguments, strict=True):
        if slope is not None:
            error = error + _times(slope, x.error)
    return Bounded(value, error)


ROUNDED: Final = RoundedArrays()
Bounded.m = ROUNDED
