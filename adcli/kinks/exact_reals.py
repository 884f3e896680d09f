"""Real numbers as they are: fractions, and polynomials over the fractions in numbers that are none.

A number such as exp(1) or sqrt(2) is an atom; sums, products and quotients of atoms are kept as what they are, so that
what cancels is 0 and is known to be.  A sign is that of a fraction, or of an enclosure that does not hold 0: what
neither tells is `Unknown`, and never guessed.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, NoReturn, cast

from ..numbers.doubles import FLOAT, Ordered
from ..numbers.exact import Exact, exactly, read_fraction
from ..overriding import override
from ..table.primitive import ROWS

if TYPE_CHECKING:
    from flint import arb

    from ..numbers.interval import Interval
    from ..numbers.spread import Spread, SpreadArithmetic
    from ..table.arithmetic import Arithmetic, Numeral, T

_BITS = (0, 128, 1024)  # of the enclosures that a sign is read from; 0 for those of doubles, which need no library
_MOST_WORK = 300_000  # products of terms
_LONGEST = 8192  # bits of a coefficient
_HIGHEST = 60  # whole exponent that is multiplied out
_LARGEST = 1 << 20  # exponent of a power that is enclosed
_MOST_TERMS = 40

Monomial = tuple[tuple[int, int], ...]  # atoms with their exponents, in order; () is 1


class Unknown(ArithmeticError):
    """What is asked is not known: a sign that no enclosure shows, a value that is none, more work than it is worth."""


class Flat(Unknown):
    """More terms of a series may tell."""


class Real:
    """A number: the coefficients of its monomials; none for 0."""

    __slots__ = ("m", "terms")

    def __init__(self, m: Reals, terms: dict[Monomial, Fraction]) -> None:
        self.m = m
        self.terms = terms
        if len(terms) > _MOST_TERMS:
            raise Unknown("too many terms")

    @override
    def __repr__(self) -> str:
        return f"<Real {self.terms}>"

    @property
    def fraction(self) -> Fraction | None:
        """The number where it is a fraction."""
        if not self.terms:
            return Fraction(0)
        return self.terms.get(()) if len(self.terms) == 1 else None

    @property
    def key(self) -> frozenset[tuple[Monomial, Fraction]]:
        return frozenset(self.terms.items())

    @override
    def __hash__(self) -> int:
        return hash(self.key)

    def __add__(self, other: Real | Numeral) -> Real:
        terms = dict(self.terms)
        for monomial, c in self.m.number(other).terms.items():
            total = terms.get(monomial, 0) + c
            if total:
                terms[monomial] = total
            else:
                del terms[monomial]
        return Real(self.m, terms)

    __radd__ = __add__

    def __neg__(self) -> Real:
        return Real(self.m, {monomial: -c for monomial, c in self.terms.items()})

    def __sub__(self, other: Real | Numeral) -> Real:
        return self + -self.m.number(other)

    def __rsub__(self, other: Real | Numeral) -> Real:
        return self.m.number(other) - self

    def __mul__(self, other: Real | Numeral) -> Real:
        return self.m.product(self, self.m.number(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Real | Numeral) -> Real:
        return self * self.m.inverse(self.m.number(other))

    def __rtruediv__(self, other: Real | Numeral) -> Real:
        return self.m.number(other) / self

    def __abs__(self) -> Real:
        return self if self.m.signum(self) >= 0 else -self

    def __bool__(self) -> bool:
        return self.m.signum(self) != 0

    def __float__(self) -> float:
        return self.m.double(self)

    @override
    def __eq__(self, other: object) -> bool:
        return self.m.signum(self - other) == 0  # type: ignore[operator]  # of any number

    def __lt__(self, other: Real | Numeral) -> bool:
        return self.m.signum(self - other) < 0

    def __le__(self, other: Real | Numeral) -> bool:
        return self.m.signum(self - other) <= 0

    def __gt__(self, other: Real | Numeral) -> bool:
        return self.m.signum(self - other) > 0

    def __ge__(self, other: Real | Numeral) -> bool:
        return self.m.signum(self - other) >= 0


class Void(Real):
    """No number: Unknown is raised where one is needed."""

    __slots__ = ()

    def __init__(self, m: Reals) -> None:
        self.m = m

    def __getattr__(self, name: str) -> NoReturn:
        raise Unknown("an operation without a value")


class Reals(Ordered[Real]):
    """The arithmetic of such numbers.  Raises Unknown where a sign is needed and not known, and beyond its budget."""

    def __init__(self) -> None:
        self.zero, self.one = Real(self, {}), self.number(1)
        self._atoms: list[tuple[str, tuple[Real, ...]]] = []
        self._places: dict[object, int] = {}
        self._balls: dict[tuple[int, int], arb | Spread] = {}
        self._bases: dict[int, Interval | SpreadArithmetic] = {}
        self._exact = Exact()
        self._work = 0
        self.undefined = self.infinity = Void(self)

    @property
    def pi(self) -> Real:
        return self._atom("pi", ())

    @property
    def e(self) -> Real:
        return self._atom("exp", (self.one,))

    def number(self, x: Real | Numeral) -> Real:
        """The number exactly: text, integer, fraction or double."""
        if isinstance(x, Real):
            return x
        fraction = read_fraction(x) if isinstance(x, str) else exactly(x).fraction
        if fraction is None:
            raise Unknown("no number that can be written down")
        if max(fraction.numerator.bit_length(), fraction.denominator.bit_length()) > _LONGEST:
            raise Unknown("too long a fraction")
        return Real(self, {(): fraction} if fraction else {})

    @override
    def finite(self, x: Real | Numeral) -> bool:
        return True

    # --- signs

    def signum(self, x: Real) -> int:
        """-1, 0 or 1; raises Unknown where the number may be 0 and is not known to be."""
        fraction = x.fraction
        if fraction is not None:
            return (fraction > 0) - (fraction < 0)
        for bits in _BITS:
            try:
                low, high = self.bounds(x, bits)
            except Unknown:
                if bits:
                    raise
                continue  # too large for doubles
            if low > 0 or high < 0:
                return 1 if low > 0 else -1
        raise Unknown("a number that may be 0 or not")

    def bounds(self, x: Real, bits: int = _BITS[0]) -> tuple[arb | float, arb | float]:
        """Numbers below and above."""
        base = self._base(bits)
        if hasattr(base, "working"):
            with cast("Interval", base).working():
                ball = cast("arb", self._enclosed(x, bits))
                return ball.lower(), ball.upper()
        spread = self._enclosed(x, bits)
        return spread.low, spread.high

    def double(self, x: Real) -> float:
        """The number in doubles."""
        fraction = x.fraction
        return float(self.read(x, FLOAT)) if fraction is None else float(exactly(fraction))

    def _base(self, bits: int) -> Interval | SpreadArithmetic:
        """Intervals of so many bits."""
        if bits not in self._bases:
            self._bases[bits] = _intervals(bits)
        return self._bases[bits]

    def _enclosed(self, x: Real, bits: int) -> arb | Spread:
        base = self._base(bits)
        total = base.number(0)
        for monomial, c in x.terms.items():
            term = base.number(c)
            for atom, power in monomial:
                ball = self._ball(atom, bits)
                for _ in range(abs(power)):
                    term = term * ball if power > 0 else base.div(term, ball)
            total = total + term
        return total

    def _ball(self, atom: int, bits: int) -> arb | Spread:
        """An enclosure of an atom; raises Unknown where there is none."""
        if (atom, bits) not in self._balls:
            base, (name, arguments) = self._base(bits), self._atoms[atom]
            ball = base.pi if name == "pi" else getattr(base, name)(*[self._enclosed(a, bits) for a in arguments])
            if not base.finite(ball):
                raise Unknown("no number, or too large")
            self._balls[atom, bits] = ball
        return self._balls[atom, bits]

    # --- operations

    def _atom(self, name: str, arguments: tuple[Real, ...]) -> Real:
        key = (name, *[a.key for a in arguments])
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = len(self._atoms)
            self._atoms.append((name, arguments))
            self._has_value(Real(self, {((place, 1),): Fraction(1)}))
        return Real(self, {((place, 1),): Fraction(1)})

    def _has_value(self, x: Real) -> None:
        """Raises Unknown where no enclosure of a number is finite."""
        try:
            self.bounds(x)
        except Unknown:
            self.bounds(x, _BITS[1])

    def product(self, a: Real, b: Real) -> Real:
        self._work += len(a.terms) * len(b.terms)
        if self._work > _MOST_WORK:
            raise Unknown("too much work")
        terms: dict[Monomial, Fraction] = {}
        roots = []
        for left, c in a.terms.items():
            for right, d in b.terms.items():
                monomial = _joined(left, right)
                if c.numerator.bit_length() + d.denominator.bit_length() > _LONGEST:
                    raise Unknown("too long a fraction")
                if any(power > 1 and self._atoms[atom][0] == "pow" for atom, power in monomial):
                    roots.append((monomial, c * d))
                    continue
                total = terms.get(monomial, 0) + c * d
                if total:
                    terms[monomial] = total
                else:
                    del terms[monomial]
        found = Real(self, terms)
        for monomial, c in roots:
            found = found + self._reduced(monomial, c)
        return found

    def _reduced(self, monomial: Monomial, c: Fraction) -> Real:
        """A monomial in which no root is left that comes out even."""
        rest, factors = [], []
        for atom, power in monomial:
            name, arguments = self._atoms[atom]
            exponent = arguments[1].fraction if name == "pow" else None
            if exponent is not None and exponent.numerator == 1 and power > 0:
                factors += [arguments[0]] * (power // exponent.denominator)
                power %= exponent.denominator
            if power:
                rest.append((atom, power))
        found = Real(self, {tuple(rest): c})
        for factor in factors:
            found = self.product(found, factor)
        return found

    def inverse(self, x: Real) -> Real:
        """1/x; raises Unknown where x is 0 or may be."""
        if self.signum(x) == 0:
            raise Unknown("a division by zero")
        if len(x.terms) == 1:
            ((monomial, c),) = x.terms.items()
            return Real(self, {tuple([(atom, -power) for atom, power in monomial]): 1 / c})
        return self._atom("div", (self.one, x))

    def div(self, a: Real | Numeral, b: Real | Numeral) -> Real:
        a, b = self.number(a), self.number(b)
        return a / b if isinstance(b, Void) or b.terms else Void(self)

    def pow(self, a: Real | Numeral, b: Real | Numeral) -> Real:
        return self._power(self.number(a), self.number(b))

    def _power(self, a: Real, b: Real) -> Real:
        exponent = b.fraction
        if exponent is not None and exponent.denominator == 1 and abs(exponent) <= _HIGHEST:
            found: Real = self.one
            for _ in range(abs(int(exponent))):
                found = found * a
            return found if exponent >= 0 else self.inverse(found)
        if not a.terms and exponent is not None and exponent > 0:
            return a
        if self.signum(a) <= 0 or (exponent is not None and abs(exponent) > _LARGEST):
            raise Unknown("a power of no positive number")
        known = self._fraction("pow", (a, b))
        if known is not None:
            return known
        if exponent is not None and exponent.denominator <= _HIGHEST and abs(exponent.numerator) <= _HIGHEST:
            root = self._atom("pow", (a, self.number(Fraction(1, exponent.denominator))))
            return self.pow(root, self.number(exponent.numerator))
        return self._atom("pow", (a, b))

    def sqrt(self, x: Real | Numeral) -> Real:
        return self.pow(x, Fraction(1, 2))

    def cbrt(self, x: Real | Numeral) -> Real:
        x = self.number(x)
        return self.pow(x, Fraction(1, 3)) if self.signum(x) >= 0 else -self.pow(-x, Fraction(1, 3))

    def hypot(self, a: Real | Numeral, b: Real | Numeral) -> Real:
        a, b = self.number(a), self.number(b)
        return self.sqrt(a * a + b * b)

    def atan2(self, y: Real | Numeral, x: Real | Numeral) -> Real:
        y, x = self.number(y), self.number(x)
        if self.signum(x) > 0:
            return self.number(self.atan(self.div(y, x)))
        side = self.signum(y)
        if side:
            return self.number(self.pi * Fraction(side, 2) - self.atan(self.div(x, y)))
        return self.number(self.pi) if self.signum(x) else Void(self)

    @override
    def sign(self, x: Real | Numeral) -> Real:
        return self.number(self.signum(self.number(x)))

    def floor(self, x: Real | Numeral) -> Real:
        """The whole number below; of a number that is no fraction by its enclosure."""
        x = self.number(x)
        known = self._fraction("floor", (x,))
        if known is not None:
            return known
        low, high = self.bounds(x)
        below, above = int(Fraction(float(low)) // 1), int(Fraction(float(high)) // 1)
        for guess in (below, above):
            if self.signum(x - guess) > 0 and self.signum(x - guess - 1) < 0:
                return self.number(guess)
        raise Unknown("a step that may be met or not")

    def ceil(self, x: Real | Numeral) -> Real:
        return -self.floor(-self.number(x))

    def round(self, x: Real | Numeral) -> Real:
        """The nearest whole number, halves away from zero."""
        x = self.number(x)
        half = Fraction(1, 2)
        return self.floor(x + half) if self.signum(x) >= 0 else -self.floor(-x + half)

    def mod(self, a: Real | Numeral, b: Real | Numeral) -> Real:
        return self.number(a) - self.number(b) * self.floor(self.div(a, b))

    @override
    def choose(self, condition: object, a: Real | Numeral, b: Real | Numeral) -> Real:
        return self.number(a if condition else b)

    def _fraction(self, name: str, arguments: tuple[Real, ...]) -> Real | None:
        """What a function makes of fractions, where that is one."""
        fractions = [f for a in arguments if (f := a.fraction) is not None]
        if len(fractions) < len(arguments):
            return None
        found = getattr(self._exact, name)(*[self._exact.number(f) for f in fractions])
        return None if getattr(found, "fraction", None) is None else self.number(found.fraction)

    @override
    def __getattr__(self, name: str) -> Callable[..., Real]:
        row = ROWS.get(name)
        if getattr(FLOAT.__class__, name, None) is None and (row is None or row.own is None):
            return super().__getattr__(name)

        def function(*arguments: Real | Numeral) -> Real:
            given = tuple(self.number(a) for a in arguments)
            if any(isinstance(a, Void) for a in given):
                return Void(self)
            known = self._fraction(name, given)
            if known is not None:
                return known
            try:
                return self._atom(name, given)
            except Unknown:
                return Void(self)

        return function

    def read(self, x: Real, m: Arithmetic[T]) -> T:
        """The number in another arithmetic."""
        fraction = x.fraction
        if fraction is not None:
            return m.number(fraction)
        total = m.number(0)
        for monomial, c in x.terms.items():
            term = m.number(c)
            for atom, power in monomial:
                name, arguments = self._atoms[atom]
                own = m.pi if name == "pi" else getattr(m, name)(*[self.read(a, m) for a in arguments])
                for _ in range(abs(power)):
                    term = term * own if power > 0 else m.div(term, own)
            total = total + term
        return total


def _joined(left: Monomial, right: Monomial) -> Monomial:
    """The product of two monomials."""
    if not left or not right:
        return left or right
    powers = dict(left)
    for atom, power in right:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted((atom, power) for atom, power in powers.items() if power))


def _intervals(bits: int) -> Interval | SpreadArithmetic:
    """Intervals of so many bits, or those of doubles for 0 and where the library for them is not installed."""
    from ..errors import RequestError
    from ..numbers.spread import SPREAD

    if not bits:
        return SPREAD
    try:
        from ..numbers.interval import Interval

        return Interval(bits)
    except RequestError:
        return SPREAD
