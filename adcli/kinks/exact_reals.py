"""Exact real numbers: fractions, and polynomials over the fractions in irrational numbers. An irrational number such
as exp(1) or sqrt(2) is an atom, with an index.

Sums, products and quotients of atoms are kept as they are, so that terms that cancel leave an exact 0.  The sign is
that of a fraction, or of an enclosure that does not contain 0; if neither decides, it is `Unknown` and never guessed.
`NearPoint` is what series along a direction and forms of first order, whose coefficients are such numbers, have in
common.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache

from ..numbers.doubles import FLOAT
from ..numbers.exact import Exact, exactly, read_fraction
from ..table.primitive import ROWS, Primitive
from ..typings import TYPE_CHECKING, NoReturn, cast, override
from .polynomials import Monomial, Polynomial, add_polynomials, add_term, multiply_monomials, polynomial_key
from .signs import WITHOUT_VALUE, SignedArithmetic, SignedNumber, Unknown, is_elementary
from .signs import T as Near

if TYPE_CHECKING:
    from flint import arb

    from ..numbers.arb_intervals import Interval
    from ..numbers.double_intervals import Spread, SpreadArithmetic
    from ..table.arithmetic import Arithmetic, Numeral, T

_BITS = (0, 128, 1024)  # of the enclosures that a sign is read from; 0 for those of doubles, which need no library
_MOST_WORK = 300_000  # products of terms
_LONGEST = 8192  # bits of a coefficient
HIGHEST = 60  # whole exponent that is multiplied out, and degree of a root that is kept as one
_LARGEST = 1 << 20  # exponent of a power that is enclosed
_PRIMES = 100
_SCALED = 500  # bits by which a fraction under a root is above 1 or below it
_MOST_TERMS = 40
_ROUNDED = 1e-9  # more than the rounding error of a simple function
_MISSING = {"undefined": WITHOUT_VALUE, "infinity": "an infinite number"}


class Real(SignedNumber):
    """An exact number, as a polynomial in the atoms of its arithmetic `m`; without terms it is 0."""

    __slots__ = ("terms",)
    m: Reals

    def __init__(self, m: Reals, terms: Polynomial) -> None:
        self.m = m
        self.terms = terms
        if len(terms) > _MOST_TERMS:
            raise Unknown("too many terms")

    @property
    def fraction(self) -> Fraction | None:
        """Return the number as a fraction; None if it is irrational."""
        if not self.terms:
            return Fraction(0)
        return self.terms.get(()) if len(self.terms) == 1 else None

    @property
    def key(self) -> frozenset[tuple[Monomial, Fraction]]:
        """Return the terms as a set that can be hashed, equal for numbers with the same terms."""
        return frozenset(self.terms.items())

    @override
    def __hash__(self) -> int:
        return hash(self.key)

    def __add__(self, other: Real | Numeral) -> Real:
        return Real(self.m, add_polynomials(self.terms, self.m.number(other).terms))

    def __neg__(self) -> Real:
        return Real(self.m, {monomial: -c for monomial, c in self.terms.items()})

    def __mul__(self, other: Real | Numeral) -> Real:
        return self.m.product(self, self.m.number(other))

    def __truediv__(self, other: Real | Numeral) -> Real:
        return self * self.m.inverse(self.m.number(other))

    def __float__(self) -> float:
        return self.m.double(self)


class MissingReal(Real):
    """The result of an operation without a value: every use of its terms raises Unknown."""

    __slots__ = ()

    def __init__(self, m: Reals) -> None:
        self.m = m

    def __getattr__(self, name: str) -> NoReturn:
        raise Unknown(WITHOUT_VALUE)

    @override
    def __sub__(self, other: object) -> NoReturn:
        raise Unknown(WITHOUT_VALUE)


class Reals(SignedArithmetic[Real]):
    """The arithmetic of exact numbers.

    Raises Unknown if a sign is needed and not known, and beyond its budget of work.
    """

    def __init__(self) -> None:
        """Begin an arithmetic without atoms and with its whole budget of work.

        Numbers of one instance can be compared and combined, those of two cannot.
        """
        self.reals = self
        self.zero, self.one = Real(self, {}), self.number(1)
        self._atoms: list[tuple[str, tuple[Real, ...]]] = []
        self._places: dict[object, int] = {}
        self._balls: dict[tuple[int, int], arb | Spread] = {}
        self._exact = Exact()
        self._work = 0
        self.undefined = self.infinity = MissingReal(self)

    @property
    @override
    def pi(self) -> Real:
        return self._make_atom("pi", ())

    @property
    def e(self) -> Real:
        return self.exp(self.one)

    @override
    def number(self, x: Real | Numeral) -> Real:
        """Return the exact number of a decimal text, an integer, a fraction or a double (its binary value); a Real is
        returned unchanged.

        Raises Unknown for nan, infinities and other texts, and for fractions of more than 8192 bits.
        """
        if isinstance(x, Real):
            return x
        fraction = read_fraction(x) if isinstance(x, str) else exactly(x).fraction
        if fraction is None:
            raise Unknown("a number without an exact value")
        if max(fraction.numerator.bit_length(), fraction.denominator.bit_length()) > _LONGEST:
            raise Unknown("too long a fraction")
        return Real(self, {(): fraction} if fraction else {})

    # --- signs

    @override
    def sign_of(self, x: Real, *, ties: bool = False) -> int:
        """Return the sign of `x`, -1, 0 or 1; `ties` makes no difference here.

        0 only for the fraction 0. Raises Unknown if an enclosure of 1024 bits still contains 0, or is not finite.
        """
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
        raise Unknown("a number that may be 0")

    @override
    def limit(self, x: Real) -> Real:
        return x

    def bounds(self, x: Real, bits: int = _BITS[0]) -> tuple[arb | float, arb | float]:
        """Return (lower bound, upper bound) of `x`, from enclosures of `bits` bits (0: those of doubles)."""
        with _intervals(bits).working():
            ball = self._enclose(x, bits)
            return ball.lower(), ball.upper()

    def double(self, x: Real) -> float:
        """Return the number in doubles; a fraction is rounded once."""
        fraction = x.fraction
        return float(self.read(x, FLOAT)) if fraction is None else float(exactly(fraction))

    def read(self, x: Real, m: Arithmetic[T]) -> T:
        """Return the number in another arithmetic."""
        fraction = x.fraction
        if fraction is not None:
            return m.number(fraction)
        return self._evaluate(x, m, lambda atom: self._read_atom(atom, m, lambda a: self.read(a, m)))

    def _evaluate(self, x: Real, m: Arithmetic[T], value_of: Callable[[int], T]) -> T:
        """Return the sum of the terms of `x` in the arithmetic `m`; 0 without terms.

        `value_of` gives an atom (an irrational number) by its index. Powers are repeated products, negative ones
        repeated divisions.
        """
        total = m.number(0)
        for monomial, c in x.terms.items():
            term = m.number(c)
            for atom, power in monomial:
                value = value_of(atom)
                for _ in range(abs(power)):
                    term = term * value if power > 0 else m.div(term, value)
            total = total + term
        return total

    def _read_atom(self, atom: int, m: Arithmetic[T], read: Callable[[Real], T]) -> T:
        """Return an atom in an arithmetic in which `read` gives its arguments."""
        name, arguments = self._atoms[atom]
        value: T = m.pi if name == "pi" else getattr(m, name)(*[read(a) for a in arguments])
        return value

    def _enclose(self, x: Real, bits: int) -> arb | Spread:
        return self._evaluate(x, _intervals(bits), lambda atom: self._enclose_atom(atom, bits))

    def _enclose_atom(self, atom: int, bits: int) -> arb | Spread:
        """Return an interval of `bits` bits (0: doubles) that contains the atom (irrational number) with this index;
        cached.

        Raises Unknown if the interval is not finite.
        """
        if (atom, bits) not in self._balls:
            base = _intervals(bits)
            ball = self._read_atom(atom, base, lambda a: self._enclose(a, bits))
            if not base.finite(ball):
                raise Unknown("a number that is undefined or too large")
            self._balls[atom, bits] = ball
        return self._balls[atom, bits]

    # --- operations

    def _make_atom(self, name: str, arguments: tuple[Real, ...]) -> Real:
        """Return the function `name` of numbers as an atom: an irrational number that is kept as it is, here to the
        power 1.

        The same arguments give the same atom; a new atom is stored, also if it then fails, so that a second call
        returns it. Raises Unknown if a new atom has no finite enclosure in doubles or 128 bits: the arguments are
        outside of the domain, or the value is too large.
        """
        key = (name, *[a.key for a in arguments])
        atom = self._atom(self._places.setdefault(key, len(self._atoms)))
        if len(self._places) > len(self._atoms):
            self._atoms.append((name, arguments))
            try:
                self.bounds(atom)
            except Unknown:
                self.bounds(atom, _BITS[1])
        return atom

    def _atom(self, index: int) -> Real:
        return Real(self, {((index, 1),): Fraction(1)})

    def product(self, a: Real, b: Real) -> Real:
        """Return the product of two numbers, in which whole powers of roots are reduced.

        Raises Unknown if a coefficient gets too long (about 8192 bits), if the product has more than 40 terms, or if
        all products of this instance together exceed 300,000 products of terms.
        """
        self._work += len(a.terms) * len(b.terms)
        if self._work > _MOST_WORK:
            raise Unknown("too much work")
        terms: Polynomial = {}
        roots = []
        for left, c in a.terms.items():
            for right, d in b.terms.items():
                monomial = multiply_monomials(left, right)
                if c.numerator.bit_length() + d.denominator.bit_length() > _LONGEST:
                    raise Unknown("too long a fraction")
                if any(not 0 <= power <= 1 and self._atoms[atom][0] == "pow" for atom, power in monomial):
                    roots.append((monomial, c * d))
                else:
                    add_term(terms, monomial, c * d)
        total = Real(self, terms)
        for monomial, c in roots:
            total = total + self._reduce_roots(monomial, c)
        return total

    def _reduce_roots(self, monomial: Monomial, c: Fraction) -> Real:
        """Return `c` times a monomial in which powers of roots are reduced: sqrt(2)^3 is 2 sqrt(2).

        Each q-th power of an atom a^(1/q), q up to 60, becomes the factor a. If a is one term, negative powers are
        reduced too: 1/sqrt(2) is sqrt(2)/2. Raises Unknown as `product` does.
        """
        rest, factors = [], []
        for atom, power in monomial:
            name, arguments = self._atoms[atom]
            exponent = arguments[1].fraction if name == "pow" else None
            has_inverse = len(arguments) > 0 and len(arguments[0].terms) == 1
            is_root = exponent is not None and exponent.numerator == 1 and exponent.denominator <= HIGHEST
            if exponent is not None and is_root and (power > 0 or has_inverse):
                times, power = divmod(power, exponent.denominator)
                factors += [arguments[0] if times > 0 else self.inverse(arguments[0])] * abs(times)
            if power:
                rest.append((atom, power))
        reduced = Real(self, {tuple(rest): c})
        for factor in factors:
            reduced = self.product(reduced, factor)
        return reduced

    def inverse(self, x: Real) -> Real:
        """Return 1/x: a term if `x` has one term, an atom 1/x if it has several.

        Raises Unknown if `x` is 0, or if its sign is not known.
        """
        if self.sign_of(x) == 0:
            raise Unknown("a division by zero")
        if len(x.terms) == 1:
            ((monomial, c),) = x.terms.items()
            return self._reduce_roots(tuple([(atom, -power) for atom, power in monomial]), 1 / c)
        return self._make_atom("div", (self.one, x))

    @override
    def div(self, a: Real | Numeral, b: Real | Numeral) -> Real:
        a, b = self.number(a), self.number(b)
        return a / b if isinstance(b, MissingReal) or b.terms else MissingReal(self)

    @override
    def root_of(self, x: Real, exponent: Fraction) -> Real:
        return self.pow(x, exponent)

    @override
    def _power(self, a: Real, b: Real) -> Real:
        """Return a^b. The first that applies:

        - a whole exponent up to ±60: multiplied out
        - 0 to a positive fraction: 0
        - a result that is a fraction: this fraction
        - an exponent p/q with p and q up to 60: the p-th power of the atom a^(1/q)
        - an exponent with a whole part up to ±60: the whole power times the power of the remainder (a^0.91 is a *
          a^-0.09)
        - an atom

        Raises Unknown for a negative power of 0. From the third case on, raises Unknown if `a` is not positive or the
        exponent is a fraction above 2^20 in size.
        """
        exponent = b.fraction
        if exponent is not None and exponent.denominator == 1 and abs(exponent) <= HIGHEST:
            power = self._whole_power(a, abs(int(exponent)))
            return power if exponent >= 0 else self.inverse(power)
        if not a.terms and exponent is not None and exponent > 0:
            return a
        if self.sign_of(a) <= 0 or (exponent is not None and abs(exponent) > _LARGEST):
            raise Unknown("a power of a number that may not be positive")
        known = self._fraction("pow", (a, b))
        if known is not None:
            return known
        if exponent is not None and max(exponent.denominator, abs(exponent.numerator)) <= HIGHEST:
            return self.pow(self._root_of_factors(a, exponent.denominator), self.number(exponent.numerator))
        whole = round(b.terms.get((), 0))
        if 0 < abs(whole) <= HIGHEST:
            return self.pow(a, self.number(whole)) * self.pow(a, b - whole)
        return self._make_atom("pow", (a, b))

    def _root_of_factors(self, a: Real, q: int) -> Real:
        """Return a^(1/q) of a positive number; if `a` is one term of positive factors, the product of their roots.

        Then the root of a product is the same number however the product is written. The factors are small primes, what
        remains of the fraction, and atoms.
        """
        ((monomial, c),) = a.terms.items() if len(a.terms) == 1 else [((), Fraction(-1))]
        atoms = [(self._atom(atom), power) for atom, power in monomial]
        if c < 0 or any(self.sign_of(atom) < 0 for atom, _ in atoms):
            return self._root(a, q)
        primes = [(p, k * sign) for sign, n in ((1, c.numerator), (-1, c.denominator)) for p, k in _factorize(n, q)]
        root = self.one
        for factor, power in [*((self.number(p), k) for p, k in primes), *atoms]:
            whole, rest = divmod(power, q)
            common = math.gcd(rest, q)
            root = root * self.pow(factor, self.number(whole))
            if rest:
                root = root * self._whole_power(self._root(factor, q // common), rest // common)
        return root

    def _root(self, a: Real, q: int) -> Real:
        """Return the atom a^(1/q); a fraction that doubles may not hold has its powers of 2^q in front of the root."""
        fraction = a.fraction or Fraction(1)
        shift = (fraction.numerator.bit_length() - fraction.denominator.bit_length()) // q
        scale = Fraction(2) ** (shift if abs(shift) * q > _SCALED else 0)
        return self._make_atom("pow", (a * (1 / scale**q), self.number(Fraction(1, q)))) * scale

    @override
    def atan2(self, y: Real | Numeral, x: Real | Numeral) -> Real:
        """Return the angle; the origin has none."""
        y, x = self.number(y), self.number(x)
        return super().atan2(y, x) if y or x else MissingReal(self)

    @override
    def floor(self, x: Real | Numeral) -> Real:
        """Return the largest whole number not above `x`; exact for a fraction.

        Other numbers are enclosed in doubles, and the floors of both ends are tried. Raises Unknown if none is shown to
        be right, as for a whole `x` that is not known as a fraction. Raises OverflowError if the enclosure is infinite.
        """
        x = self.number(x)
        known = self._fraction("floor", (x,))
        if known is not None:
            return known
        for guess in [math.floor(float(bound)) for bound in self.bounds(x)]:
            if self.sign_of(x - guess) > 0 and self.sign_of(x - guess - 1) < 0:
                return self.number(guess)
        raise Unknown("a number that may be on either side of a step")

    def _by_degrees(self, name: str, x: Real) -> Real | None:
        """Return the exact value at `x` of the trigonometric function `name` or its inverse; None if it is not known.

        It is found by the row for degrees (sind for sin, asind for asin), None without this row. The angle, `x` or the
        result, must be a multiple of 30 or 45 degrees. Then the square of sin, cos or tan is a multiple of 1/12, at
        most 3, so that doubles suffice; None at a pole of tan.
        """
        row = ROWS.get(f"{name}d")
        if row is None or len(x.terms) > 1:
            return None
        if row.exact:
            degrees = self._fraction(row.name, (x,))
            return None if degrees is None else self.pi * degrees / 180
        part = (x / self.pi).fraction
        if part is None or (part * 6 % 1 and part * 4 % 1):
            return None
        z = row.value(FLOAT, float(part % 2 * 180))
        n = round(min(12 * z * z, 37.0))
        return self.sqrt(Fraction(n, 12)) * (-1 if z < 0 else 1) if abs(12 * z * z - n) < _ROUNDED else None

    def _fraction(self, name: str, arguments: tuple[Real, ...]) -> Real | None:
        """Return the function `name` of the arguments if they and the result are fractions; None if not."""
        fractions = [exactly(f) for a in arguments if (f := a.fraction) is not None]
        if len(fractions) < len(arguments):
            return None
        value = getattr(self._exact, name)(*fractions)
        return None if getattr(value, "fraction", None) is None else self.number(value.fraction)

    @override
    def __getattr__(self, name: str) -> Callable[..., Real]:
        """Return the elementary function called `name`, for exact numbers; other names are looked up in the base class.

        The result of the function is the first that applies: a MissingReal if an argument is one; a fraction, root or
        multiple of π if it is known as one; an atom; a MissingReal if there is no atom (`_make_atom`: outside of the
        domain, or too large).
        """
        if not is_elementary(name):
            return super().__getattr__(name)

        def function(*arguments: Real | Numeral) -> Real:
            """Return the exact value; a MissingReal for a missing argument, outside the domain, and if too large."""
            exact = tuple(self.number(a) for a in arguments)
            if any(isinstance(a, MissingReal) for a in exact):
                return MissingReal(self)
            known = self._fraction(name, exact)
            if known is None:
                known = self._by_degrees(name, exact[0])
            if known is not None:
                return known
            try:
                return self._make_atom(name, exact)
            except Unknown:
                return MissingReal(self)

        return function


def _factorize(n: int, q: int) -> list[tuple[int, int]]:
    """Return (factor, exponent) pairs whose product is the positive integer `n`; [] for 1.

    First come its primes below 100, ascending; then the rest, as (root, q) if it has less than 500 bits and its root,
    computed as a double, shows that it is a q-th power (so roots of up to 53 bits), else as (rest, 1).
    """
    factors = []
    for p in range(2, _PRIMES):
        count = 0
        while n % p == 0:
            n, count = n // p, count + 1
        if count:
            factors.append((p, count))
    if n > 1:
        root = round(n ** (1 / q)) if n.bit_length() < _SCALED else 0
        factors.append((root, q) if root**q == n else (n, 1))
    return factors


@cache
def _intervals(bits: int) -> Interval | SpreadArithmetic:
    """Return the interval arithmetic of `bits` bits, cached; that of doubles for 0 or without python-flint."""
    from ..numbers.double_intervals import SPREAD

    if not bits:
        return SPREAD
    from ..numbers.arb_intervals import interval_if_installed

    return interval_if_installed(bits) or SPREAD


class NearPoint(SignedArithmetic[Near]):
    """An arithmetic of numbers near a point; functions of the table are read at the limits of their arguments."""

    reals: Reals

    def __init__(self, reals: Reals) -> None:
        """Take the exact numbers; a subclass calls this when its `number` can be called."""
        self.reals = reals
        self._names: dict[object, int] = {}
        self.zero, self.one = self.number(0), self.number(1)

    def name_part(self, name: object, *arguments: Polynomial | None) -> Polynomial | None:
        """Return the function `name` of `arguments` as a named part, a polynomial of one unknown, numbered from 0.

        None if an argument is None, not known. The same name and arguments give the same part.
        """
        keys = [polynomial_key(a) for a in arguments if a is not None]
        if len(keys) < len(arguments):
            return None
        return {((self._names.setdefault((name, *keys), len(self._names)), 1),): Fraction(1)}

    @property
    @override
    def pi(self) -> Near:
        return self.number(self.reals.pi)

    @property
    def e(self) -> Near:
        return self.number(self.reals.e)

    @abstractmethod
    def smooth(self, row: Primitive, *arguments: Near) -> Near:
        """Return an elementary function of the table, at a place where it is smooth or its slope infinite."""

    def compose(self, row: Primitive, *arguments: Near) -> Near:
        """Return a function whose rule is composed of other functions."""
        return cast("Callable[..., Near]", row.value)(self, *arguments)

    @override
    def __getattr__(self, name: str) -> Callable[..., Near]:
        """Return the function of the table called `name`; its arguments may be plain numbers.

        An elementary function is computed by `smooth`, any other by its rule (`compose`). Raises Unknown for
        `undefined` and `infinity`, which do not exist here, and AttributeError for a name that is not in the table.
        """
        if name in _MISSING:
            raise Unknown(_MISSING[name])
        row = ROWS.get(name)
        if row is None:
            raise AttributeError(name)
        rule = self.smooth if is_elementary(name) else self.compose
        return lambda *arguments: rule(row, *[self.number(a) for a in arguments])


def has_vertical_slope(row: Primitive, reals: Reals, values: Sequence[Real], moving: Sequence[bool]) -> bool:
    """Return whether a moving argument of an elementary function is at a place where the slope is infinite."""
    kinks = [row.kink(position) for position, moves in enumerate(moving) if moves]
    return any(kink is not None and kink.slope is not None and not kink.holds(reals, *values) for kink in kinks)
