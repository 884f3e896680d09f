"""The arithmetics in which every kink is decided: what a corner, a step or a condition is, by the sign that decides it.

Whoever says what sign a number has near a point (a series along a direction, or a guess that is followed both ways)
has with it all functions that are put together from pieces.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

from ..numbers.doubles import Ordered
from ..overriding import override
from .exact_reals import Real, Reals, Unknown

if TYPE_CHECKING:
    from typing import Protocol, Self, TypeAlias

    from ..table.arithmetic import Comparison, Numeral, Numeric

    Given: TypeAlias = "T | Real | Numeral"

    class Nearby(Numeric, Protocol):
        """A number near a point, whose operators take constants of all kinds."""

        @override
        def __add__(self, other: Self | Real | Numeral, /) -> Self: ...
        @override
        def __sub__(self, other: Self | Real | Numeral, /) -> Self: ...


T = TypeVar("T", bound="Nearby")


class Decided(Ordered[T], ABC):
    """Numbers near a point, over an arithmetic of real numbers.

    `side(x)` is the sign of a number near the point, 0 where it is 0 all around; `limit(x)` is its limit there.
    """

    reals: Reals

    @abstractmethod
    def number(self, x: Given[T]) -> T:
        """The constant."""

    @abstractmethod
    def side(self, x: T, *, ties: bool = False) -> int:
        """The sign; without `ties` a sign that may be 0 may be told as either of the others, for what does not jump."""

    @abstractmethod
    def limit(self, x: T) -> Real:
        """Where the number goes at the point."""

    @property
    @override
    def zero(self) -> T:  # type: ignore[override]  # made when asked for, never set
        return self.number(0)

    @property
    @override
    def one(self) -> T:  # type: ignore[override]  # made when asked for, never set
        return self.number(1)

    @property
    def pi(self) -> T:
        return self.number(self.reals.pi)

    @property
    def e(self) -> T:
        return self.number(self.reals.e)

    @property
    @override
    def undefined(self) -> T:  # type: ignore[override]  # made when asked for, never set
        raise Unknown("an operation without a value")

    @property
    @override
    def infinity(self) -> T:  # type: ignore[override]  # made when asked for, never set
        raise Unknown("an infinite number")

    @override
    def finite(self, x: Given[T]) -> bool:
        return True

    @override
    def _truth(self, condition: Comparison) -> T:
        return self.number(1 if condition else 0)

    @override
    def choose(self, condition: Given[T], a: Given[T], b: Given[T]) -> T:
        return self.number(a if condition else b)

    @override
    def abs(self, x: Given[T]) -> T:
        x = self.number(x)
        return -x if self.side(x) < 0 else x

    @override
    def sign(self, x: Given[T]) -> T:
        return self.number(self.side(self.number(x), ties=True))

    @override
    def max(self, *xs: Given[T]) -> T:
        return self._best(xs, 1)

    @override
    def min(self, *xs: Given[T]) -> T:
        return self._best(xs, -1)

    def _best(self, xs: tuple[Given[T], ...], wanted: int) -> T:
        best = self.number(xs[0])
        for x in xs[1:]:
            x = self.number(x)
            if self.side(x - best) * wanted > 0:
                best = x
        return best

    @override
    def lt(self, a: Given[T], b: Given[T]) -> T:
        return self._truth(self.side(self.number(a) - b, ties=True) < 0)

    @override
    def le(self, a: Given[T], b: Given[T]) -> T:
        return self._truth(self.side(self.number(a) - b, ties=True) <= 0)

    @override
    def gt(self, a: Given[T], b: Given[T]) -> T:
        return self._truth(self.side(self.number(a) - b, ties=True) > 0)

    @override
    def ge(self, a: Given[T], b: Given[T]) -> T:
        return self._truth(self.side(self.number(a) - b, ties=True) >= 0)

    @override
    def eq(self, a: Given[T], b: Given[T]) -> T:
        return self._truth(self.side(self.number(a) - b, ties=True) == 0)

    @override
    def ne(self, a: Given[T], b: Given[T]) -> T:
        return self._truth(self.side(self.number(a) - b, ties=True) != 0)

    def floor(self, x: Given[T]) -> T:
        x = self.number(x)
        here = self.limit(x)
        below = self.reals.floor(here)
        if self.reals.signum(here - below) == 0 and self.side(x - below, ties=True) < 0:
            below = below - 1
        return self.number(below)

    def ceil(self, x: Given[T]) -> T:
        return -self.floor(-self.number(x))

    def round(self, x: Given[T]) -> T:
        """The nearest whole number, halves away from zero."""
        x = self.number(x)
        if self.reals.signum(self.limit(x)) < 0:
            return -self.round(-x)
        return self.floor(x + Fraction(1, 2))

    def mod(self, a: Given[T], b: Given[T]) -> T:
        a, b = self.number(a), self.number(b)
        return a - b * self.floor(a / b)

    def atan2(self, y: Given[T], x: Given[T]) -> T:
        """By the arc tangent of y/x or x/y, whichever has a finite argument."""
        y, x = self.number(y), self.number(x)
        if self.reals.signum(self.limit(x)) > 0:
            return self.atan(y / x)
        flat = self.reals.signum(self.limit(y)) == 0
        if flat and self.reals.signum(self.limit(x)) == 0:  # near the origin, from whichever side they come
            flat = self.side(self.abs(y) - self.abs(x), ties=True) <= 0
        if not flat:
            return self.pi / 2 * self.side(y) - self.atan(x / y)
        if self.side(x) > 0:
            return self.atan(y / x)
        return self.atan(y / x) + (self.pi if self.side(y, ties=True) >= 0 else -self.pi)

    def div(self, a: Given[T], b: Given[T]) -> T:
        return self.number(a) / self.number(b)

    @abstractmethod
    def root_of(self, x: T, exponent: Fraction) -> T:
        """A number that is not negative to a positive power."""

    def sqrt(self, x: Given[T]) -> T:
        return self.root_of(self.number(x), Fraction(1, 2))

    def cbrt(self, x: Given[T]) -> T:
        x = self.number(x)
        return -self.root_of(-x, Fraction(1, 3)) if self.side(x) < 0 else self.root_of(x, Fraction(1, 3))
