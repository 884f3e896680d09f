"""Proofs that two formulas are the same function, by normal forms: sums of products of powers of atoms.

The rows of the table are read in an arithmetic whose numbers are such sums.  Atoms are inputs, primes below roots, sums
that are divided by, exponentials, sines and cosines of single terms, and functions that nothing is known of.  A proof
says that the formulas agree wherever both have values, and so has every step of it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from typing import NoReturn, TypeAlias

from ...graph.graph import Graph
from ...graph.order import postorder
from ...numbers.exact import read_fraction
from ...table.primitive import ROWS

_TERMS = 600  # of a sum
_POWER = 12  # to which sums are multiplied out, and multiples of an angle that are
_ANGLES = 3  # terms of an angle
_SLOTS = 1_500
_ROUNDS = 12
_LARGEST = 10**30  # of a coefficient
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)

Number: TypeAlias = "NormalForm | Fraction | float"
Monomial = tuple[tuple[int, Fraction], ...]
Terms = dict[Monomial, Fraction]
_ONE: Monomial = ()
_UNIT = Fraction(1)


class Unproved(Exception):
    """A normal form would be too large, or does not exist."""


class _Atom:
    """A factor that is taken as it is: its kind, what tells it from others, the sum that it is, if it is one, and of
    what it is the logarithm."""

    __slots__ = ("argument", "key", "kind", "sum")

    def __init__(self, kind: str, key: Hashable, whole: Terms | None = None) -> None:
        self.kind, self.key, self.sum = kind, key, whole
        self.argument: Terms | None = None


class NormalForm:
    """A sum of monomials with coefficients."""

    __slots__ = ("m", "terms")

    def __init__(self, m: NormalForms, terms: Terms) -> None:
        self.m = m
        self.terms = terms

    def __add__(self, other: Number) -> NormalForm:
        found = dict(self.terms)
        for monomial, coefficient in self.m.number(other).terms.items():
            total = found.get(monomial, Fraction(0)) + coefficient
            if total:
                found[monomial] = total
            else:
                del found[monomial]
        return self.m.form(found)

    def __neg__(self) -> NormalForm:
        return self.m.form({monomial: -coefficient for monomial, coefficient in self.terms.items()})

    def __sub__(self, other: Number) -> NormalForm:
        return self + -self.m.number(other)

    def __mul__(self, other: Number) -> NormalForm:
        return self.m.times(self, self.m.number(other))

    def __truediv__(self, other: Number) -> NormalForm:
        return self * self.m.power(self.m.number(other), Fraction(-1))

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: Number) -> NormalForm:
        return self.m.number(other) - self

    def __rtruediv__(self, other: Number) -> NormalForm:
        return self.m.number(other) / self

    @property
    def key(self) -> Hashable:
        return frozenset(self.terms.items())

    @property
    def rational(self) -> Fraction | None:
        """The number that it is, if it is a rational one."""
        if not self.terms:
            return Fraction(0)
        return self.terms.get(_ONE) if len(self.terms) == 1 else None

    def __bool__(self) -> NoReturn:
        raise Unproved

    def _undecided(self, _: object) -> NoReturn:
        raise Unproved

    __lt__ = __le__ = __gt__ = __ge__ = _undecided


class NormalForms:
    """The arithmetic of normal forms over the inputs of a graph."""

    def __init__(self) -> None:
        self.atoms: list[_Atom] = []
        self._known: dict[Hashable, int] = {}

    # --- what they are made of ----------------------------------------------------------------------------------------

    def form(self, terms: Terms) -> NormalForm:
        if len(terms) > _TERMS:
            raise Unproved
        return NormalForm(self, terms)

    def number(self, x: object) -> NormalForm:
        if isinstance(x, NormalForm):
            return x
        if isinstance(x, str):
            exact = read_fraction(x)
        elif isinstance(x, int | Fraction) or (isinstance(x, float) and x.is_integer()):
            exact = Fraction(x)
        else:
            exact = None
        if exact is None:
            raise Unproved
        return self.form({_ONE: exact} if exact else {})

    def atom(self, kind: str, key: Hashable, whole: Terms | None = None) -> int:
        found = self._known.get((kind, key))
        if found is None:
            found = self._known[kind, key] = len(self.atoms)
            self.atoms.append(_Atom(kind, key, whole))
        return found

    def single(self, atom: int, exponent: Fraction = _UNIT) -> NormalForm:
        return self.form({((atom, exponent),): _UNIT} if exponent else {_ONE: _UNIT})

    def __getattr__(self, name: str) -> Callable[..., NormalForm]:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *arguments: self._applied(name, [self.number(argument) for argument in arguments])

    def _applied(self, name: str, arguments: Sequence[NormalForm]) -> NormalForm:
        """Return a function as what it is by definition, or as an atom if only its name is known."""
        row = ROWS.get(name)
        if row is not None and row.composed is not None:
            return self.number(row.composed(self, *arguments))
        return self.single(self.atom(name, tuple(argument.key for argument in arguments)))

    @property
    def undefined(self) -> NormalForm:
        raise Unproved

    @property
    def infinity(self) -> NormalForm:
        raise Unproved

    @property
    def zero(self) -> NormalForm:
        return self.number(0)

    @property
    def one(self) -> NormalForm:
        return self.number(1)

    @property
    def pi(self) -> NormalForm:
        return self.single(self.atom("pi", ()))

    @property
    def e(self) -> NormalForm:
        return self.exp(self.one)

    # --- products and powers ------------------------------------------------------------------------------------------

    def times(self, a: NormalForm, b: NormalForm) -> NormalForm:
        if len(a.terms) * len(b.terms) > 4 * _TERMS:
            raise Unproved
        found: Terms = {}
        whole: list[tuple[NormalForm, list[tuple[int, int]]]] = []
        for one, c in a.terms.items():
            for other, d in b.terms.items():
                powers = dict(one)
                for atom, exponent in other:
                    powers[atom] = powers.get(atom, Fraction(0)) + exponent
                coefficient = c * d
                sums: list[tuple[int, int]] = []
                for atom, exponent in list(powers.items()):
                    known = self.atoms[atom]
                    if not exponent:
                        del powers[atom]
                    elif known.kind == "prime" and exponent.denominator == 1:
                        coefficient *= Fraction(int(str(known.key))) ** int(exponent)
                        del powers[atom]
                    elif known.sum is not None and exponent >= 1:
                        sums.append((atom, int(exponent)))
                        powers[atom] = exponent - int(exponent)
                        if not powers[atom]:
                            del powers[atom]
                if abs(coefficient.numerator) > _LARGEST or coefficient.denominator > _LARGEST:
                    raise Unproved
                monomial = tuple(sorted(powers.items()))
                if sums:
                    whole.append((self.form({monomial: coefficient}), sums))
                else:
                    _add(found, monomial, coefficient)
        result = self.form(found)
        for part, sums in whole:
            for atom, count in sums:
                base = self.atoms[atom].sum
                if count > _POWER or base is None:
                    raise Unproved
                for _ in range(count):
                    part = self.times(part, self.form(base))
            result = result + part
        return result

    def power(self, a: NormalForm, q: Fraction) -> NormalForm:
        """The form to a rational power."""
        if q.denominator == 1 and q >= 0 and (len(a.terms) != 1 or q <= 1):
            if q > _POWER:
                raise Unproved
            result = self.one
            for _ in range(int(q)):
                result = result * a
            return result
        if not a.terms:
            raise Unproved
        if len(a.terms) == 1:
            ((monomial, coefficient),) = a.terms.items()
            powered = self._monomial_power(monomial, coefficient, q)
            if powered is not None:
                return powered
        size = max(a.terms.items(), key=lambda item: _sorted_key(item[0]))[1]
        base = {monomial: coefficient / abs(size) for monomial, coefficient in a.terms.items()}
        scale = self._number_power(abs(size), q)
        if len(base) == 1 and next(iter(base)) == _ONE:
            return scale * self.single(self.atom("root", -1, base), q)
        return scale * self.single(self.atom("sum", frozenset(base.items()), base), q)

    def _monomial_power(self, monomial: Monomial, coefficient: Fraction, q: Fraction) -> NormalForm | None:
        """A single term to a power; None where that takes more than powers of its factors."""
        if q.denominator == 1:
            if abs(q) > 40:
                raise Unproved
            powers = {atom: exponent * q for atom, exponent in monomial}
            return self.times(self.form({tuple(sorted(powers.items())): coefficient ** int(q)}), self.one)
        if coefficient < 0:
            return None
        positive = {atom: exponent for atom, exponent in monomial if self.atoms[atom].kind in ("exp", "prime", "pi")}
        rest = [(atom, exponent) for atom, exponent in monomial if atom not in positive]
        if len(rest) > 1 or (rest and rest[0][1].numerator % 2 == 0):
            return None
        found = self._number_power(coefficient, q)
        for atom, exponent in (*positive.items(), *rest):
            found = found * self.single(atom, exponent * q)
        return found

    def _number_power(self, x: Fraction, q: Fraction) -> NormalForm:
        """A positive number to a power: primes to powers, as far as the number has small ones."""
        if q.denominator == 1:
            if abs(q) > 40:
                raise Unproved
            return self.number(x ** int(q))
        found = self.one
        for number, sign in ((x.numerator, 1), (x.denominator, -1)):
            for prime, count in _factors(number).items():
                found = found * self.single(self.atom("prime", prime), q * sign * count)
        return found

    def pow(self, a: Number, b: Number) -> NormalForm:
        a, b = self.number(a), self.number(b)
        exponent = b.rational
        if exponent is not None:
            return self.power(a, exponent)
        return self.exp(b * self.log(a))

    def div(self, a: Number, b: Number) -> NormalForm:
        return self.number(a) / self.number(b)

    # --- exponentials, logarithms, angles -----------------------------------------------------------------------------

    def exp(self, x: Number) -> NormalForm:
        found = self.one
        for monomial, coefficient in self.number(x).terms.items():
            atom = self.atoms[monomial[0][0]] if len(monomial) == 1 and monomial[0][1] == 1 else None
            if atom is not None and atom.argument is not None:
                found = found * self.power(self.form(atom.argument), coefficient)
            else:
                found = found * self.single(self.atom("exp", monomial), coefficient)
        return found

    def log(self, x: Number) -> NormalForm:
        x = self.number(x)
        if len(x.terms) != 1:
            return self._log_atom(x)
        ((monomial, coefficient),) = x.terms.items()
        if coefficient <= 0:
            return self._log_atom(x)
        found = self.zero
        for number, sign in ((coefficient.numerator, 1), (coefficient.denominator, -1)):
            for prime, count in _factors(number).items():
                found = found + self._log_atom(self.number(prime)) * Fraction(sign * count)
        rest: list[tuple[int, Fraction]] = []
        for atom, exponent in monomial:
            known = self.atoms[atom]
            if known.kind == "exp":
                found = found + self.form({known.key: exponent})  # type: ignore[dict-item]
            elif known.kind == "prime":
                found = found + self._log_atom(self.number(known.key)) * exponent
            else:
                rest.append((atom, exponent))
        if len(rest) == 1 and rest[0][1].numerator % 2:
            return found + self._log_atom(self.single(rest[0][0])) * rest[0][1]
        return found + self._log_atom(self.form({tuple(rest): _UNIT})) if rest else found

    def _log_atom(self, x: NormalForm) -> NormalForm:
        """A logarithm that is taken as it is; `exp` knows of what it is one."""
        name = self.atom("log", x.key)
        self.atoms[name].argument = x.terms
        return self.form({((name, _UNIT),): _UNIT}) if x.rational != 1 else self.zero

    def sin(self, x: Number) -> NormalForm:
        return self._wave(self.number(x))[0]

    def cos(self, x: Number) -> NormalForm:
        return self._wave(self.number(x))[1]

    def _wave(self, x: NormalForm) -> tuple[NormalForm, NormalForm]:
        """Sine and cosine of a sum, by those of single terms."""
        if len(x.terms) > _ANGLES:
            sign = 1 if max(x.terms.items(), key=lambda item: _sorted_key(item[0]))[1] > 0 else -1
            key = (x if sign > 0 else -x).key
            return self.single(self.atom("sin", key)) * sign, self.single(self.atom("cos", key))
        sine, cosine = self.zero, self.one
        for monomial, coefficient in x.terms.items():
            count, part = abs(coefficient.numerator), Fraction(1, coefficient.denominator)
            if count > _POWER:
                count, part = 1, abs(coefficient)
            key = frozenset({monomial: part}.items())
            s, c = self.single(self.atom("sin", key)), self.single(self.atom("cos", key))
            one_sine, one_cosine = self.zero, self.one
            for _ in range(count):
                one_sine, one_cosine = one_sine * c + one_cosine * s, one_cosine * c - one_sine * s
            if coefficient < 0:
                one_sine = -one_sine
            sine, cosine = sine * one_cosine + cosine * one_sine, cosine * one_cosine - sine * one_sine
        return sine, cosine

    # --- is it zero ---------------------------------------------------------------------------------------------------

    def is_zero(self, x: NormalForm) -> bool:
        """Whether a form is 0 wherever it has a value, once all that is divided by is multiplied with."""
        for _ in range(_ROUNDS):
            least: dict[int, Fraction] = {}
            for monomial in x.terms:
                for atom, exponent in monomial:
                    least[atom] = min(least.get(atom, exponent), exponent)
            below = {atom: exponent for atom, exponent in least.items() if exponent < 0}
            squares = self._squares(x)
            if not x.terms:
                return True
            if below:
                for atom, exponent in below.items():
                    x = self.times(x, self.single(atom, -exponent))
            elif squares is not None:
                x = squares
            else:
                return False
        return False

    def _squares(self, x: NormalForm) -> NormalForm | None:
        """The form with 1 - cos² for sin², None where there is none."""
        found, changed = self.zero, False
        for monomial, coefficient in x.terms.items():
            place = next(
                (k for k, (a, exponent) in enumerate(monomial) if exponent >= 2 and self.atoms[a].kind == "sin"), None
            )
            if place is None:
                found = found + self.form({monomial: coefficient})
                continue
            changed = True
            atom, exponent = monomial[place]
            rest = dict(monomial)
            rest[atom] = exponent - 2
            if not rest[atom]:
                del rest[atom]
            cosine = self.single(self.atom("cos", self.atoms[atom].key))
            found = found + self.form({tuple(sorted(rest.items())): coefficient}) * (1 - cosine * cosine)
        return found if changed else None


def _add(terms: Terms, monomial: Monomial, coefficient: Fraction) -> None:
    total = terms.get(monomial, Fraction(0)) + coefficient
    if total:
        terms[monomial] = total
    else:
        terms.pop(monomial, None)


def _sorted_key(monomial: Monomial) -> tuple[int, Monomial]:
    return len(monomial), monomial


def _factors(x: int) -> Mapping[int, int]:
    """Small prime factors of a positive number with their powers; what is left counts as one."""
    found: dict[int, int] = {}
    for prime in _PRIMES:
        while x > 1 and x % prime == 0:
            found[prime] = found.get(prime, 0) + 1
            x //= prime
    if x > 1:
        found[x] = 1
    return found


def proved_equal(graph: Graph, mine: int, theirs: int) -> bool:
    """Whether normal forms show that two slots are the same function; False where they do not decide it."""
    order = [*dict.fromkeys(s for slot in (mine, theirs) for s in postorder(slot, graph.parents.__getitem__))]
    if len(order) > _SLOTS:
        return False
    m = NormalForms()
    values: dict[int, NormalForm] = {}
    try:
        for s in order:
            row = graph.rows[s]
            if row is not None:
                values[s] = m.number(row.value(m, *[values[p] for p in graph.parents[s]]))
            elif s in graph.inputs:
                values[s] = m.single(m.atom("input", graph.inputs[s]))
            else:
                values[s] = m.number(graph.constants[s].read(m))
        return m.is_zero(values[mine] - values[theirs])
    except (Unproved, ArithmeticError, TypeError, ValueError):
        return False
