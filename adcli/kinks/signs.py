"""Signs decide every kink: numbers that have a sign at or near a point, and the functions that follow from signs.

An arithmetic that can find the sign of its numbers has with it abs, max, floor, conditions, angles and all other
functions that are defined piece by piece.  There are three: exact reals, series along a direction (`local_series`), and
forms of first order on one smooth piece (`pieces`).  They give up with the exceptions of this file.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from operator import mul

from ..numbers.doubles import Float, Ordered
from ..table.operator_methods import Comparisons, Reflections
from ..table.primitive import ROWS
from ..typings import TYPE_CHECKING, Any, Protocol, Self, TypeAlias, TypeVar, override

if TYPE_CHECKING:
    from ..table.arithmetic import Numeric

    NumberLike: TypeAlias = Any  # a number of the arithmetic, an exact real, or a plain number of any kind

    class Signable(Numeric, Protocol):
        """The members that `SignedNumber` needs from its subclasses: an arithmetic and four operators."""

        @property
        def m(self) -> SignedArithmetic[Any]: ...
        @override
        def __add__(self, other: NumberLike, /) -> Self: ...
        @override
        def __sub__(self, other: NumberLike, /) -> Self: ...


T = TypeVar("T", bound="Signable")
WITHOUT_VALUE = "an operation without a value"  # why something is not known


class Unknown(ArithmeticError):
    """A sign that no enclosure shows, a value that does not exist, or too much work; the text says which."""


class Flat(Unknown):
    """The known terms of a series do not decide it; more terms may."""


class Outside(ArithmeticError):
    """An operation leaves its domain on this side or piece, so that the function is not defined there."""


class Finer(ArithmeticError):
    """A root has no series in the present root of the distance; one `times` as high is needed."""

    def __init__(self, times: int) -> None:
        super().__init__(times)
        self.times = times


class SignedNumber(Comparisons, Reflections):
    """A number of a `SignedArithmetic` m, with the operators that follow from +, unary -, *, / and its sign.

    Other operands may be numbers of any kind.  A comparison holds if it holds near the point; it raises Unknown if the
    sign of the difference is not known.
    """

    __slots__ = ("m",)

    @override
    def alike(self: T, other: NumberLike) -> T:
        number: T = self.m.number(other)
        return number

    def __sub__(self: T, other: NumberLike) -> T:
        right: T = self.m.number(other)
        return self.m.number(0) if right is self else self + -right

    def __abs__(self: T) -> T:
        size: T = self.m.abs(self)
        return size

    def __bool__(self: Signable) -> bool:
        return self.m.sign_of(self, ties=True) != 0

    @override
    def compare_with(self, name: str, other: NumberLike) -> bool:
        difference: Any = self - other
        return bool(getattr(operator, name)(difference.m.sign_of(difference, ties=True), 0))


def is_elementary(name: str) -> bool:
    """Return whether the function `name` is one of doubles or has implementations in its row, not composed of other
    rows.
    """
    row = ROWS.get(name)
    return getattr(Float, name, None) is not None or (row is not None and row.own is not None)


class SignedArithmetic(Ordered[T], ABC):
    """An arithmetic that finds the sign of a number at or near a point, over exact reals."""

    reals: SignedArithmetic[Any]

    @property
    @abstractmethod
    def pi(self) -> T: ...

    @abstractmethod
    def number(self, x: NumberLike) -> T:
        """Return the constant; a number of this arithmetic is returned as it is."""

    @abstractmethod
    def sign_of(self, x: T, *, ties: bool = False) -> int:
        """Return -1, 0 or 1; 0 only if the number is 0 all around the point.

        Without `ties` a number that may be 0 on part of the way may count as either sign, which is right for functions
        that do not jump.  Raises Unknown if the sign is not known.
        """

    @abstractmethod
    def limit(self, x: T) -> SignedNumber:
        """Return the limit of the number at the point; raises Unknown if it has no bounds."""

    @abstractmethod
    def root_of(self, x: T, exponent: Fraction) -> T:
        """Return a number that is not negative to a positive power."""

    @abstractmethod
    def _power(self, a: T, b: T) -> T:
        """Return a to the power b."""

    @override
    def finite(self, x: NumberLike) -> bool:
        return True

    @override
    def choose(self, condition: NumberLike, a: NumberLike, b: NumberLike) -> T:
        return self.number(a if condition else b)

    @override
    def abs(self, x: NumberLike) -> T:
        number = self.number(x)
        return -number if self.sign_of(number) < 0 else number

    @override
    def sign(self, x: NumberLike) -> T:
        return self.number(self.sign_of(self.number(x), ties=True))

    @override
    def _extreme(self, xs: tuple[NumberLike, ...], pick: Callable[..., NumberLike]) -> T:
        """Return the first of the largest or of the smallest numbers."""
        sign = 1 if pick is max else -1
        return reduce(lambda best, x: x if self.sign_of(x - best) * sign > 0 else best, map(self.number, xs))

    def floor(self, x: NumberLike) -> T:
        """Return the floor of `x` near the point, a constant; one less for a whole number that `x` approaches from
        below.

        Raises Unknown if a sign is not known.
        """
        x = self.number(x)
        here = self.limit(x)
        below = self.reals.floor(here)
        if self.reals.sign_of(here - below) == 0 and self.sign_of(x - below, ties=True) < 0:
            below = below - 1
        return self.number(below)

    def ceil(self, x: NumberLike) -> T:
        return -self.floor(-self.number(x))

    def round(self, x: NumberLike) -> T:
        """Return the nearest whole number, halves away from zero."""
        x = self.number(x)
        return -self.round(-x) if self.reals.sign_of(self.limit(x)) < 0 else self.floor(x + Fraction(1, 2))

    def div(self, a: NumberLike, b: NumberLike) -> T:
        return self.number(a) / self.number(b)

    def mod(self, a: NumberLike, b: NumberLike) -> T:
        left, right = self.number(a), self.number(b)
        return left - right * self.floor(self.div(left, right))

    def atan2(self, y: NumberLike, x: NumberLike) -> T:
        """Return the angle of the point (x, y), in -pi…pi. The first that applies (0 and signs of the values at the
        point):

        - x > 0: atan(y/x)
        - y is not 0, or both are 0 and abs(y) is greater near the point: sign(y) pi/2 - atan(x/y)
        - otherwise atan(y/x), and where x is negative near the point, plus pi if y >= 0 near the point, minus pi if not

        Raises Unknown if a sign is not known, or if both arguments are 0.
        """
        y, x = self.number(y), self.number(x)
        if self.reals.sign_of(self.limit(x)) > 0:
            return self.atan(y / x)
        flat = self.reals.sign_of(self.limit(y)) == 0
        if flat and self.reals.sign_of(self.limit(x)) == 0:  # near the origin, from whichever side they come
            flat = self.sign_of(self.abs(y) - self.abs(x), ties=True) <= 0
        if not flat:
            return self.pi / 2 * self.sign_of(y) - self.atan(x / y)
        if self.sign_of(x) > 0:
            return self.atan(y / x)
        return self.atan(y / x) + (self.pi if self.sign_of(y, ties=True) >= 0 else -self.pi)

    def sqrt(self, x: NumberLike) -> T:
        return self.root_of(self.number(x), Fraction(1, 2))

    def cbrt(self, x: NumberLike) -> T:
        number, exponent = self.number(x), Fraction(1, 3)
        return -self.root_of(-number, exponent) if self.sign_of(number) < 0 else self.root_of(number, exponent)

    def hypot(self, a: NumberLike, b: NumberLike) -> T:
        a, b = self.number(a), self.number(b)
        return self.sqrt(a * a + b * b)

    def pow(self, a: NumberLike, b: NumberLike) -> T:
        return self._power(self.number(a), self.number(b))

    def _whole_power(self, x: T, exponent: int) -> T:
        """Return x to a power of 0 or more, multiplied out."""
        return reduce(mul, [x] * exponent, self.number(1))
