"""Exact integers and fractions as long as the operations allow; after that doubles, whose `fraction` is None."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction

from ..table.operator_methods import Ranked, Reflections
from ..table.primitive import ROWS
from ..typings import TYPE_CHECKING, ClassVar, override
from .doubles import FLOAT, Ordered

if TYPE_CHECKING:
    from ..table.arithmetic import LimitRule, Numeral

# A numerator or denominator beyond this many bits (some 1,200 digits) becomes a double: it is too long to be read.
_MOST_BITS = 4000
_MOST_DIGITS = 1200


def exactly(x: Number | Fraction | float) -> Number:
    """Return a plain number as an exact one; infinities and nan have no fraction. A Number is returned as it is."""
    if isinstance(x, Number):
        return x
    return Number(None, x) if isinstance(x, float) and not math.isfinite(x) else Number(Fraction(x))


class Number(Ranked, Reflections):
    """A number that is known exactly (`fraction`), or as a rounded `double` (then `fraction` is None).

    The result of an operation is a double as soon as one argument is. `+ - * /` and comparisons also take plain
    integers and floats, which count as exact. A fraction of more than 4000 bits becomes a double.
    """

    __slots__ = ("double", "fraction")
    m: ClassVar[object]  # the arithmetic
    alike = staticmethod(exactly)

    def __init__(self, fraction: Fraction | None, double: float = math.nan) -> None:
        if fraction is not None and _bits(fraction) > _MOST_BITS:
            double = FLOAT.number(fraction)
            fraction = None
        self.fraction = fraction
        self.double = double

    @override
    def __str__(self) -> str:
        return repr(self.double) if self.fraction is None else str(self.fraction)

    def __float__(self) -> float:
        return self.double if self.fraction is None else FLOAT.number(self.fraction)

    @override
    def __hash__(self) -> int:
        return hash(self.rank)

    def __bool__(self) -> bool:
        return bool(self.rank)

    def _operate(self, other: Number | float, operation: Callable[..., Fraction]) -> Number:
        """Return `operation(self, other)`, as a fraction if both numbers are, else computed in doubles."""
        right = exactly(other)
        if self.fraction is not None and right.fraction is not None:
            return Number(operation(self.fraction, right.fraction))
        return Number(None, float(operation(float(self), float(right))))

    def __add__(self, other: Number | float) -> Number:
        return self._operate(other, operator.add)

    def __sub__(self, other: Number | float) -> Number:
        return self._operate(other, operator.sub)

    def __mul__(self, other: Number | float) -> Number:
        """Return the product: a fraction if both factors are fractions, a double if not.

        An exact zero times a finite number is an exact zero; times inf or nan it is nan.
        """
        mate = exactly(other)
        if self.fraction == 0 or mate.fraction == 0:  # an exact zero stays one, whatever the other finite number is
            rest = mate if self.fraction == 0 else self
            if rest.fraction is not None or math.isfinite(rest.double):
                return Number(Fraction(0))
        return self._operate(mate, operator.mul)

    def __truediv__(self, other: Number | float) -> Number:
        return self._operate(other, operator.truediv)

    def __neg__(self) -> Number:
        return Number(None, -self.double) if self.fraction is None else Number(-self.fraction)

    def __abs__(self) -> Number:
        return Number(None, abs(self.double)) if self.fraction is None else Number(abs(self.fraction))

    @property
    @override
    def rank(self) -> Fraction | float:
        return self.double if self.fraction is None else self.fraction


def _bits(fraction: Fraction) -> int:
    return max(fraction.numerator.bit_length(), fraction.denominator.bit_length())


def read_fraction(text: str) -> Fraction | None:
    """Return a decimal number with or without exponent as a fraction; None for every other text, such as `1/2` and inf.

    None too if the text is longer than 1200 characters, or the exponent exceeds 1200 in size.
    """
    mantissa, mark, power = text.replace("E", "e").partition("e")
    whole, _, decimals = mantissa.partition(".")
    if not (whole[whole[:1] in ("+", "-") :] + decimals).isdecimal():
        return None
    if mark and not power[power[:1] in ("+", "-") :].isdecimal():
        return None
    is_short = len(text) <= _MOST_DIGITS and len(power) <= 6 and abs(int(power or 0)) <= _MOST_DIGITS
    return Fraction(text) if is_short else None


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
        """Return the function called `name` of exact numbers.

        The result is exact by a rule in `_FractionRules`, or at the arguments whose exact values the row lists; at all
        others it is a double. A function that doubles lack is computed by the rule of its row. Raises AttributeError
        for an unknown name.
        """
        function = getattr(FLOAT, name, None)
        if function is None:
            return super().__getattr__(name)
        known = {Fraction(x): Fraction(z) for x, z in ROWS[name].exact} if name in ROWS else {}
        rule = getattr(_FractionRules, name, lambda *arguments: known.get(arguments[0]))
        return lambda *arguments: _apply_rule(rule, function, *arguments)

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
        """Return a power: 1 for an exact exponent 0 (of nan too), exact for other integer exponents and rational roots
        that are not too long, a double for all others.
        """
        return self.one if exactly(b).fraction == 0 else _apply_rule(_power, FLOAT.pow, a, b)

    def atan2(self, y: Number | float, x: Number | float) -> Number:
        if exactly(y).fraction == 0 and exactly(x) > 0:
            return self.zero
        return Number(None, FLOAT.atan2(float(y), float(x)))


def _apply_rule(
    rule: Callable[..., Fraction | int | None], function: Callable[..., float], *arguments: Number | float
) -> Number:
    """Return the result of `rule` as an exact number, if all arguments are fractions and it is not None.

    A finite float counts as the fraction that it is, a Number without a fraction does not. Otherwise the result, which
    is not exact, is that of `function` of the arguments as doubles.
    """
    numbers = [exactly(x) for x in arguments]
    fractions = [x.fraction for x in numbers]
    exact = None if None in fractions else rule(*fractions)
    return Number(None, function(*map(float, numbers))) if exact is None else Number(Fraction(exact))


def _power(base: Fraction, exponent: Fraction) -> Fraction | None:
    """Return `base` to the power of `exponent` as a fraction; None if it is not one. The first that applies:

    - 0 to a positive power is 0, to every other power None
    - ±1 to an integer is ±1
    - a power that may have more than about 8000 bits: None
    - the exact power, None if the root is not rational or the base of a root is negative
    """
    if base == 0:
        return base if exponent > 0 else None
    if abs(base) == 1 and exponent.denominator == 1:
        return base if exponent.numerator % 2 else Fraction(1)
    if abs(exponent.numerator) * max(_bits(base) - 1, 1) > 2 * _MOST_BITS:
        return None
    root = base if exponent.denominator == 1 else _root(base, exponent.denominator)
    return None if root is None else Fraction(root**exponent.numerator)


def _cube_root(x: Fraction) -> Fraction | None:
    root = _root(abs(x), 3)
    return -root if root is not None and x < 0 else root


def _round(x: Fraction) -> int:
    half = Fraction(1, 2)
    return math.floor(x + half) if x >= 0 else -math.floor(half - x)


class _FractionRules:
    """Functions of fractions, by their names in the table: a fraction or integer, or None if the result is not one."""

    pow, cbrt, round = staticmethod(_power), staticmethod(_cube_root), staticmethod(_round)
    floor, ceil = staticmethod(math.floor), staticmethod(math.ceil)
    sqrt = staticmethod(lambda x: _root(x, 2))
    hypot = staticmethod(lambda a, b: _root(a**2 + b**2, 2))
    log2 = staticmethod(lambda x: _logarithm(x, 2, FLOAT.log2(float(Number(x)))))
    log10 = staticmethod(lambda x: _logarithm(x, 10, FLOAT.log10(float(Number(x)))))
    gamma = staticmethod(
        lambda x: math.factorial(int(x) - 1) if x.denominator == 1 and 0 < x <= _LARGEST_FACTORIAL else None
    )
    mod = staticmethod(lambda a, b: a % b if b else None)


def _logarithm(x: Fraction, base: int, guess: float) -> int | None:
    """Return the integer nearest to `guess`, the logarithm of x in doubles, if it is the exact one; else None."""
    return round(guess) if math.isfinite(guess) and Fraction(base) ** round(guess) == x else None


def _root(x: Fraction, degree: int) -> Fraction | None:
    """Return the root of a nonnegative fraction, if it is a fraction; else None, also for a negative one."""
    if x < 0:
        return None
    top, bottom = _whole_root(x.numerator, degree), _whole_root(x.denominator, degree)
    return None if top is None or bottom is None else Fraction(top, bottom)


def _whole_root(n: int, degree: int) -> int | None:
    """Return the integer r with r^degree = n, by Newton's method from above; None if there is no such integer.

    `n` must not be negative, `degree` must be positive.
    """
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


Number.m = Exact()
