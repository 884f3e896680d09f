"""Dual numbers: the rules of the table of functions, read with pairs of a value and its tangent for numbers.

A sweep of the engine that is evaluated in this arithmetic also gives derivatives along a direction of the inputs: the
values carry tangents, and the adjoints of a reverse sweep carry their own derivatives, which is forward-over-reverse.
"""

from __future__ import annotations

from collections.abc import Callable

from ..table.operator_methods import Ranked, Reflections
from ..table.primitive import ROWS, Primitive
from ..typings import TYPE_CHECKING, Any, override

if TYPE_CHECKING:
    from ..table.arithmetic import LimitRule, Numeral


class Dual(Ranked, Reflections):
    """A dual number: `value` and tangent `dot`, both numbers of the arithmetic that `m` is over; comparisons use the
    value.
    """

    __slots__ = ("dot", "m", "value")

    def __init__(self, m: Duals, value: Any, dot: Any) -> None:
        self.m, self.value, self.dot = m, value, dot

    def __add__(self, other: Dual | float) -> Dual:
        value, dot = self.m.pair(other)
        return Dual(self.m, self.value + value, self.dot + dot)

    def __sub__(self, other: Dual | float) -> Dual:
        value, dot = self.m.pair(other)
        return Dual(self.m, self.value - value, self.dot - dot)

    @override
    def alike(self, other: Dual | float) -> Dual:
        return Dual(self.m, *self.m.pair(other))

    def __mul__(self, other: Dual | float) -> Dual:
        value, dot = self.m.pair(other)
        return Dual(self.m, self.value * value, _times(self.value, dot) + _times(value, self.dot))

    def __truediv__(self, other: Dual | float) -> Dual:
        return self.m.apply(ROWS["div"], (self, other))

    def __neg__(self) -> Dual:
        return Dual(self.m, -self.value, -self.dot)

    def __abs__(self) -> Dual:
        return self.m.apply(ROWS["abs"], (self,))

    def __bool__(self) -> bool:
        return bool(self.value)

    def __float__(self) -> float:
        return float(self.value)

    @property
    @override
    def rank(self) -> Any:
        return self.value


def _times(slope: Any, dot: Any) -> Any:
    """Return slope·dot; 0 for a zero tangent, even if the slope is infinite."""
    return dot if dot == 0 else slope * dot


def _condition(name: str) -> Callable[..., Any]:
    """Return a method that compares the values in the inner arithmetic, which may leave the condition undecided."""
    return lambda self, a, b: getattr(self.m, name)(self.pair(a)[0], self.pair(b)[0])


class Duals:
    """The arithmetic of dual numbers over another one: values by the rows, tangents by their partials."""

    def __init__(self, m: Any) -> None:
        self.m = m
        self.zero, self.one, self.undefined, self.infinity = m.zero, m.one, m.undefined, m.infinity
        self.pi, self.e = self.number(m.pi), self.number(m.e)

    def number(self, x: Dual | float | Numeral) -> Dual:
        """Return a constant with tangent 0; a dual number is returned as it is."""
        return x if isinstance(x, Dual) else Dual(self, self.m.number(x), self.zero)

    def pair(self, x: object) -> tuple[Any, Any]:
        """Return value and tangent; the tangent of a plain number is 0."""
        return (x.value, x.dot) if isinstance(x, Dual) else (x, self.zero)

    def apply(self, row: Primitive, arguments: tuple[Dual | float, ...]) -> Dual:
        """Return the function `row` of the table for `arguments`, as a dual number.

        Its value is `row` of the arguments' values; errors of this are passed on. Its tangent is the sum of the
        partials times the arguments' tangents. A tangent of 0 contributes 0, even if the partial is infinite; its
        partial is not evaluated. If a partial raises ZeroDivisionError, OverflowError or ValueError, the tangent is
        `self.undefined` (nan). If no argument is a dual number, the plain value is returned.
        """
        pairs = [self.pair(a) for a in arguments]
        values = tuple([value for value, _ in pairs])
        needs_partial = tuple([not bool(dot == 0) for _, dot in pairs])  # an interval around 0 may move
        z = row.value(self.m, *values)
        dot = self.zero
        if any(needs_partial):
            try:
                for partial, (_, along) in zip(row.gradient(self.m, z, values, needs_partial), pairs, strict=True):
                    if partial is not None:
                        dot = dot + _times(partial, along)
            except (ZeroDivisionError, OverflowError, ValueError):
                dot = self.undefined
        return Dual(self, z, dot) if any(isinstance(a, Dual) for a in arguments) else z

    def __getattr__(self, name: str) -> Callable[..., Dual]:
        if name not in ROWS:
            raise AttributeError(name)
        return lambda *arguments: self.apply(ROWS[name], arguments)

    lt, le, gt, ge, eq, ne, both, either = map(_condition, ("lt", "le", "gt", "ge", "eq", "ne", "both", "either"))

    def finite(self, x: Dual | float) -> bool:
        return bool(self.m.finite(self.pair(x)[0]))

    def choose(self, condition: Dual | float, a: Dual | float, b: Dual | float) -> Dual | float:
        return a if self._holds(condition) else b

    def guard(self, limit: LimitRule, rule: Dual, *arguments: Dual) -> Dual:
        return limit.value(self, *arguments) if self._holds(limit.where(self, *arguments)) else rule

    def _holds(self, condition: object) -> bool:
        value = self.pair(condition)[0]
        truth_of = getattr(type(self.m), "truth", bool)
        return bool(value if truth_of is bool else truth_of(self.m, value))
