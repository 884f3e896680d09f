"""Exact integers and fractions as long as the operations allow; after that doubles that are marked as such."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from ..overriding import override
from ..patterns import pattern
from ..table.primitive import ROWS
from .doubles import FLOAT, Ordered

if TYPE_CHECKING:
    from ..table.arithmetic import LimitRule, Numeral

# A numerator or denominator beyond this many bits (some 1,200 digits) becomes a double: nobody reads it.
_MOST_BITS = 4000
_DECIMAL = pattern(r"([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?\Z")
_MOST_DIGITS = 1200


class Number:
    """A number that is known exactly (`fraction`), or as a rounded `double` (then `fraction` is None).

    The result of an operation is a double as soon as one argument is. `+ - * /` and comparisons also take plain
    integers and floats, which count as exact. A fraction of more than 4000 bits becomes a double.
    """

    __slots__ = ("double", "fraction")

    def __init__(self, fraction: Fraction | None, double: float = math.nan) -> None:
        if fraction is not None and _bits(fraction) > _MOST_BITS:
            double = _double(fraction)
            fraction = None
        self.fraction = fraction
        self.double = double

    @override
    def __repr__(self) -> str:
        return f"<Number {self}>"

    @override
    def __str__(self) -> str:
        return repr(self.double) if self.fraction is None else str(self.fraction)

    def __float__(self) -> float:
        return self.double if self.fraction is None else _double(self.fraction)

    @override
    def __hash__(self) -> int:
        return hash(self.double if self.fraction is None else self.fraction)

    def __bool__(self) -> bool:
        return bool(self.double if self.fraction is None else self.fraction)

    def _operated(
        self, other: Number | float, exact: Callable[[Fraction, Fraction], Fraction], swapped: bool = False
    ) -> Number:
        """Return `exact(self, other)`, as a fraction if both numbers are, else computed in doubles; `swapped` exchanges
        them.
        """
        right = exactly(other)
        if self.fraction is not None and right.fraction is not None:
            pair = (right.fraction, self.fraction) if swapped else (self.fraction, right.fraction)
            return Number(exact(*pair))
        doubles = (float(right), float(self)) if swapped else (float(self), float(right))
        return Number(None, exact(*doubles))  # type: ignore[arg-type]

    def __add__(self, other: Number | float) -> Number:
        return self._operated(other, lambda a, b: a + b)

    __radd__ = __add__

    def __sub__(self, other: Number | float) -> Number:
        return self._operated(other, lambda a, b: a - b)

    def __rsub__(self, other: Number | float) -> Number:
        return self._operated(other, lambda a, b: a - b, swapped=True)

    def __mul__(self, other: Number | float) -> Number:
        mate = exactly(other)
        if self.fraction == 0 or mate.fraction == 0:  # an exact zero stays one, whatever the other finite number is
            rest = mate if self.fraction == 0 else self
            if rest.fraction is not None or math.isfinite(rest.double):
                return Number(Fraction(0))
        return self._operated(mate, lambda a, b: a * b)

    __rmul__ = __mul__

    def __truediv__(self, other: Number | float) -> Number:
        return self._operated(other, lambda a, b: a / b)

    def __rtruediv__(self, other: Number | float) -> Number:
        return self._operated(other, lambda a, b: a / b, swapped=True)

    def __neg__(self) -> Number:
        return Number(None, -self.double) if self.fraction is None else Number(-self.fraction)

    def __abs__(self) -> Number:
        return Number(None, abs(self.double)) if self.fraction is None else Number(abs(self.fraction))

    def _ordered(self) -> Fraction | float:
        return self.double if self.fraction is None else self.fraction

    @override
    def __eq__(self, other: object) -> bool:
        return self._ordered() == (other._ordered() if isinstance(other, Number) else other)

    def __lt__(self, other: Number | float) -> bool:
        return self._ordered() < (other._ordered() if isinstance(other, Number) else other)

    def __le__(self, other: Number | float) -> bool:
        return self._ordered() <= (other._ordered() if isinstance(other, Number) else other)

    def __gt__(self, other: Number | float) -> bool:
        return self._ordered() > (other._ordered() if isinstance(other, Number) else other)

    def __ge__(self, other: Number | float) -> bool:
        return self._ordered() >= (other._ordered() if isinstance(other, Number) else other)


def _bits(fraction: Fraction) -> int:
    return max(fraction.numerator.bit_length(), fraction.denominator.bit_length())


def _double(fraction: Fraction) -> float:
    try:
        return float(fraction)
    except OverflowError:
        return math.inf if fraction > 0 else -math.inf


def exactly(x: Number | Fraction | float) -> Number:
    """Return a plain number as an exact one; infinities and nan have no fraction. A Number is returned as it is."""
    if isinstance(x, Number):
        return x
    if isinstance(x, float) and not math.isfinite(x):
        return Number(None, x)
    return Number(Fraction(x))


def read_fraction(text: str) -> Fraction | None:
    """Return a decimal number as a fraction; None if the text is not a number, or has too many digits or too large an
    exponent.
    """
    match = _DECIMAL.match(text)
    if match is None or not (match.group(2) or match.group(3)):
        return None
    power = match.group(4) or "0"
    if len(text) > _MOST_DIGITS or len(power) > 6 or abs(int(power)) > _MOST_DIGITS:
        return None
    return Fraction(text)


_LARGEST_FACTORIAL = 450  # of an integer that is still short enough to be kept


class Exact(Ordered[Number]):
    """Exact integers and fractions; an operation whose result is not a fraction returns a double."""

    zero = Number(Fraction(0))
    one = Number(Fraction(1))
    undefined = Number(None, math.nan)
    infinity = Number(None, math.inf)
    pi = Number(None, math.pi)
    e = Number(None, math.e)

    def number(self, x: Number | Numeral) -> Number:
        """Return a text, integer, fraction or double as an exact number; a text with too many digits as a double."""
        if isinstance(x, str):
            fraction = read_fraction(x)
            return Number(None, float(x)) if fraction is None else Number(fraction)
        return exactly(x)

    @override
    def finite(self, x: Number | float) -> bool:
        number = exactly(x)
        return number.fraction is not None or math.isfinite(number.double)

    @override
    def __getattr__(self, name: str) -> Callable[..., Number]:
        """Return the function called `name` of doubles; at the arguments whose exact values the row lists, the result
        is exact.
        """
        function = getattr(FLOAT, name, None)
        if function is None:
            return super().__getattr__(name)
        known = dict(ROWS[name].exact) if name in ROWS else {}

        def rounded(*arguments: Number | float) -> Number:
            first = exactly(arguments[0])
            if len(arguments) == 1 and first.fraction is not None and first.fraction in known:
                return Number(Fraction(known[float(first.fraction)]))
            return Number(None, function(*map(float, arguments)))

        return rounded

    @override
    def choose(self, condition: Number | float, a: Number | float, b: Number | float) -> Number:
        return exactly(a if condition else b)

    @override
    def guard(self, limit: LimitRule, rule: Number | float, *arguments: Number) -> Number:
        rule = exactly(rule)
        if limit.lossy and rule.fraction is not None:  # which has lost nothing
            return rule
        return exactly(super().guard(limit, rule, *arguments))

    @override
    def sign(self, x: Number | float) -> Number:
        return super().sign(exactly(x))

    @override
    def _extreme(self, xs: tuple[Number | float, ...], pick: Callable[..., Number | float]) -> Number:
        return super()._extreme(tuple(exactly(x) for x in xs), pick)

    def div(self, a: Number | float, b: Number | float) -> Number:
        a, b = exactly(a), exactly(b)
        return a / b if b else Number(None, FLOAT.div(float(a), 0.0))

    def pow(self, a: Number | float, b: Number | float) -> Number:
        """Return a power: exact for integer exponents and rational roots, unless it would be too long; else a
        double.
        """
        a, b = exactly(a), exactly(b)
        base, exponent = a.fraction, b.fraction
        if b == 0 and exponent is not None:
            return self.one
        if base is None or exponent is None or abs(exponent.numerator) * max(_bits(base) - 1, 1) > 2 * _MOST_BITS:
            if base is not None and exponent is not None and exponent > 0 and abs(base) <= 1 and base.denominator == 1:
                whole = exponent.denominator == 1 and exponent.numerator % 2 == 0
                return self.one if whole and base else Number(None, FLOAT.pow(float(a), float(b))) if base else a
            return Number(None, FLOAT.pow(float(a), float(b)))
        if base == 0:
            return self.zero if exponent > 0 else self.infinity
        if exponent.denominator != 1:
            root = _root(base, exponent.denominator) if base > 0 else None
            if root is None:
                return Number(None, FLOAT.pow(float(a), float(b)))
            base = root
        return Number(base**exponent.numerator)

    def sqrt(self, x: Number | float) -> Number:
        return self._rooted(x, 2, FLOAT.sqrt)

    def cbrt(self, x: Number | float) -> Number:
        return self._rooted(x, 3, FLOAT.cbrt)

    def _rooted(self, x: Number | float, degree: int, otherwise: Callable[[float], float]) -> Number:
        """Return the root of this degree, exact if it is a fraction; else by `otherwise`, in doubles."""
        x = exactly(x)
        if x.fraction is not None and (x.fraction >= 0 or degree % 2):
            root = _root(abs(x.fraction), degree)
            if root is not None:
                return Number(root if x.fraction >= 0 else -root)
        return Number(None, otherwise(float(x)))

    def hypot(self, a: Number | float, b: Number | float) -> Number:
        a, b = exactly(a), exactly(b)
        if a.fraction is not None and b.fraction is not None:
            root = _root(a.fraction**2 + b.fraction**2, 2)
            if root is not None:
                return Number(root)
        return Number(None, FLOAT.hypot(float(a), float(b)))

    def log2(self, x: Number | float) -> Number:
        return self._logarithm_to(x, 2, FLOAT.log2)

    def log10(self, x: Number | float) -> Number:
        return self._logarithm_to(x, 10, FLOAT.log10)

    def _logarithm_to(self, x: Number | float, base: int, otherwise: Callable[[float], float]) -> Number:
        x = exactly(x)
        guess = otherwise(float(x))
        if x.fraction is not None and math.isfinite(guess) and Fraction(base) ** round(guess) == x.fraction:
            return Number(Fraction(round(guess)))
        return Number(None, guess)

    def atan2(self, y: Number | float, x: Number | float) -> Number:
        y, x = exactly(y), exactly(x)
        if y.fraction == 0 and x > 0:
            return self.zero
        return Number(None, FLOAT.atan2(float(y), float(x)))

    def gamma(self, x: Number | float) -> Number:
        x = exactly(x)
        if x.fraction is not None and x.fraction.denominator == 1 and 0 < x.fraction <= _LARGEST_FACTORIAL:
            return Number(Fraction(math.factorial(int(x.fraction) - 1)))
        return Number(None, FLOAT.gamma(float(x)))

    def mod(self, a: Number | float, b: Number | float) -> Number:
        a, b = exactly(a), exactly(b)
        if not b or not self.finite(a):
            return self.undefined
        return Number(a.fraction % b.fraction) if a.fraction is not None and b.fraction is not None else Number(
            None, FLOAT.mod(float(a), float(b))
        )  # fmt: skip

    def floor(self, x: Number | float) -> Number:
        return self._stepped(x, math.floor, FLOAT.floor)

    def ceil(self, x: Number | float) -> Number:
        return self._stepped(x, math.ceil, FLOAT.ceil)

    def round(self, x: Number | float) -> Number:
        """Return the nearest integer, halves away from zero."""
        half = Fraction(1, 2)
        return self._stepped(x, lambda f: math.floor(f + half) if f >= 0 else -math.floor(-f + half), FLOAT.round)

    def _stepped(
        self, x: Number | float, step: Callable[[Fraction], int], otherwise: Callable[[float], float]
    ) -> Number:
        x = exactly(x)
        return Number(None, otherwise(x.double)) if x.fraction is None else Number(Fraction(step(x.fraction)))


def _root(x: Fraction, degree: int) -> Fraction | None:
    """Return the root of a nonnegative fraction, if it is a fraction; else None."""
    top, bottom = _whole_root(x.numerator, degree), _whole_root(x.denominator, degree)
    return None if top is None or bottom is None else Fraction(top, bottom)


def _whole_root(n: int, degree: int) -> int | None:
    """Return the integer r with r^degree = n, or None if there is none; by Newton's method from above."""
    if n < 2:
        return n
    if degree >= n.bit_length():
        return None
    if degree == 2:
        root = math.isqrt(n)
        return root if root * root == n else None
    root = 1 << -(-n.bit_length() // degree)
    while True:
        better = ((degree - 1) * root + n // root ** (degree - 1)) // degree
        if better >= root:
            return root if root**degree == n else None
        root = better
