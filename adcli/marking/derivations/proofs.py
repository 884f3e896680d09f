"""Proofs that two formulas are the same function, by normal forms: sums of products of powers of atoms. An atom is a
factor that is taken as it is, known by its index, a monomial a product of powers of atoms.

The rows of the table are read in an arithmetic whose numbers are such sums.  Atoms are inputs, primes below roots, sums
that are divided by, exponentials, sines and cosines of single terms, and functions of which only the name is known.  A
proof says that the formulas agree wherever both have values, and so does every step of it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from fractions import Fraction

from ...graph.graph import Graph
from ...graph.order import postorder
from ...numbers.exact import read_fraction
from ...records import NamedTuple
from ...symbolic.monomial_sums import ONE, Monomial, MonomialSums, Sum, Swollen, monomial_of
from ...symbolic.monomial_sums import Number as Rational
from ...table.operator_methods import Reflections
from ...table.primitive import ROWS
from ...typings import NoReturn, TypeAlias, override

_TERMS = 600  # of a sum
_POWER = 12  # to which sums are multiplied out, and multiples of an angle that are
_ANGLES = 3  # terms of an angle
_SLOTS = 1_500  # of both formulas
_HIGHEST = 40  # power of a number or a single term
_ROUNDS = 12  # in which divisors and sin² are removed
_LARGEST = 10**300  # numerator or denominator of a coefficient
_POSITIVE = ("exponential", "prime", "pi")  # kinds of atoms that are above 0
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)

Number: TypeAlias = "NormalForm | Fraction | float"


class Unproved(Exception):
    """A normal form would be too large, or does not exist."""


class _Atom(NamedTuple):
    """A factor that is taken as it is.

    kind      `input`, `prime`, `pi`, `radicand`, `sum`, `exponential`, `logarithm`, `sine`, `cosine`, or the name of a
              function of which nothing else is known
    key       what distinguishes it from others of its kind
    sum       the sum that it is; None if it is not a sum
    argument  what it is the exponential or the logarithm of; None for other kinds
    """

    kind: str
    key: Hashable
    sum: Sum | None
    argument: Sum | None


class NormalForm(Reflections):
    """A sum of monomials with coefficients."""

    __slots__ = ("m", "terms")

    def __init__(self, m: NormalForms, terms: Sum) -> None:
        self.m = m
        self.terms = terms

    def __add__(self, other: Number) -> NormalForm:
        total = dict(self.terms)
        self.m.add(total, self.m.number(other).terms)
        return self.m.form(total)

    def __neg__(self) -> NormalForm:
        return self.m.form(self.m.scale(self.terms, -1))

    def __sub__(self, other: Number) -> NormalForm:
        return self + -self.m.number(other)

    def __mul__(self, other: Number) -> NormalForm:
        return self.m.form(self.m.times(self.terms, self.m.number(other).terms))

    def __truediv__(self, other: Number) -> NormalForm:
        return self * self.m.power(self.m.number(other), Fraction(-1))

    @override
    def alike(self, other: Number) -> NormalForm:
        return self.m.number(other)

    @property
    def key(self) -> Hashable:
        return frozenset(self.terms.items())

    @property
    def rational(self) -> Fraction | None:
        """Return the form as a rational number; None if it is not one."""
        return Fraction(self.terms.get(ONE, 0)) if set(self.terms) <= {ONE} else None

    def __bool__(self) -> NoReturn:
        raise Unproved

    def _undecided(self, _: object) -> NoReturn:
        """Raise Unproved: the order of two normal forms is not known."""
        raise Unproved

    __lt__ = __le__ = __gt__ = __ge__ = _undecided


class NormalForms(MonomialSums):
    """The arithmetic of normal forms over the inputs of a graph."""

    longest = _TERMS

    def __init__(self) -> None:
        self.atoms: list[_Atom] = []
        self._known: dict[Hashable, int] = {}
        self.zero, self.one = self.number(0), self.number(1)

    # --- what they are made of ----------------------------------------------------------------------------------------

    def form(self, terms: Sum) -> NormalForm:
        """Return the normal form of a sum; terms that have become 0 are removed from it in place."""
        return NormalForm(self, self.drop_zeros(terms))

    def number(self, x: object) -> NormalForm:
        """Return `x` as a normal form: a normal form as it is, an exact number or its text as a constant.

        Exact are int, Fraction, whole floats, and texts of decimal numbers such as "0.1" and "1e-3" (not "1/2"). Raises
        Unproved for everything else.
        """
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
        return self.form({ONE: exact})

    def atom(self, kind: str, key: Hashable, whole: Sum | None = None, argument: Sum | None = None) -> int:
        """Return the index in `atoms` of the factor with this `kind` (`input`, `sine`, …; see _Atom) and this `key`.

        A new factor is appended. `key` distinguishes it from others of its kind. `whole` is stored as the `sum` of a
        new factor, None if it is not a sum; `argument` is what it is the exponential or the logarithm of.
        """
        place = self._known.setdefault((kind, key), len(self.atoms))
        if place == len(self.atoms):
            self.atoms.append(_Atom(kind, key, whole, argument))
        return place

    def single(self, atom: int, exponent: Rational = 1) -> NormalForm:
        return self.form({monomial_of({atom: exponent}): 1})

    def __getattr__(self, name: str) -> Callable[..., NormalForm]:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in ("undefined", "infinity"):
            raise Unproved
        return lambda *arguments: self._apply(name, [self.number(argument) for argument in arguments])

    def _apply(self, name: str, arguments: Sequence[NormalForm]) -> NormalForm:
        """Return the function `name` of the table, applied to `arguments`.

        If its row is composed from other functions, it is computed so, and raises Unproved as they do. If it is not, it
        is an atom with the name as its kind and the keys of the arguments as its key.
        """
        row = ROWS.get(name)
        if row is not None and row.composed is not None:
            return self.number(row.composed(self, *arguments))
        return self.single(self.atom(name, tuple(argument.key for argument in arguments)))

    @property
    def pi(self) -> NormalForm:
        return self.single(self.atom("pi", ()))

    @property
    def e(self) -> NormalForm:
        return self.exp(self.one)

    # --- products and powers ------------------------------------------------------------------------------------------

    @override
    def times(self, a: Sum, b: Sum) -> Sum:
        """Return the product of two sums, in which powers of sums are multiplied out (`_expand_powers`).

        Raises Unproved if there are more than 2,400 products of terms, or if a coefficient becomes too large; Swollen
        if more than 600 terms remain.
        """
        if len(a) * len(b) > 4 * _TERMS:
            raise Unproved
        products: Sum = {}
        for left, p in a.items():
            self.add(products, {self.product(left, right): q for right, q in b.items()}, p)
        total: Sum = {}
        for monomial, number in products.items():
            self.add(total, self._expand_powers(monomial, number) if number else {})
        return self.drop_zeros(total)

    def _expand_powers(self, monomial: Monomial, number: Rational) -> Sum:
        """Return `number` · `monomial` as a sum, with whole powers of primes and of sums multiplied out.

        `monomial` has pairs (index of an atom, exponent). By the kind of the atom:
        - A prime with a whole exponent from -40 to 40 goes into the coefficient.
        - A sum with an exponent from 1 to below 13: the whole part of the power is multiplied out, the fraction stays.
        - All other powers stay.

        Raises Unproved if the numerator or denominator exceeds 1e300, or if a product has too many terms; Swollen if a
        sum has.
        """
        powers: dict[int, Rational] = {}
        sums: list[Sum] = []
        for place, exponent in monomial:
            atom, count = self.atoms[place], 0
            if atom.kind == "prime" and exponent.denominator == 1 and -_HIGHEST <= exponent <= _HIGHEST:
                number *= Fraction(int(str(atom.key))) ** int(exponent)
                continue
            if atom.sum is not None and 1 <= int(exponent) <= _POWER:
                count = int(exponent)
                sums += [atom.sum] * count
            powers[place] = exponent - count
        if abs(number.numerator) > _LARGEST or number.denominator > _LARGEST:
            raise Unproved
        product: Sum = {monomial_of(powers): number}
        for factor in sums:
            product = self.times(product, factor)
        return product

    def power(self, a: NormalForm, q: Rational) -> NormalForm:
        """Return the form `a` to the rational power `q`.

        The first that applies:
        - `a` is 0: it stays 0, or is 1 if `q` is 0.
        - `a` is a single term, and `_monomial_power` can form the power: a product of powers of its factors.
        - `a` is divided by the size of its leading coefficient. What is left becomes an atom (kind sum; radicand for
          -1) with the exponent `q`, times that size to the power `q`; whole powers up to 12 are multiplied out.

        Raises Unproved if 0 has a negative power, and if the result becomes too large.
        """
        if not a.terms:
            if q < 0:
                raise Unproved
            return a if q else self.one
        if len(a.terms) == 1:
            ((monomial, coefficient),) = a.terms.items()
            if (powered := self._monomial_power(monomial, coefficient, q)) is not None:
                return powered
        size = abs(Fraction(_leading(a.terms)))
        base = self.scale(a.terms, 1 / size)
        scale = self._number_power(size, q)
        if set(base) == {ONE}:
            return scale * self.single(self.atom("radicand", -1, base), q)
        return scale * self.single(self.atom("sum", frozenset(base.items()), base), q)

    def _monomial_power(self, monomial: Monomial, coefficient: Rational, q: Rational) -> NormalForm | None:
        """Return the term `coefficient` times `monomial` to the power `q`, as powers of its factors.

        `coefficient` is not 0. For a whole `q` that is always valid. None for a fractional `q` in these cases (all
        factors but exponentials, primes and pi may be negative):
        - the coefficient is negative;
        - two or more factors may be negative;
        - the only one that may be has, before the power is taken, an exponent with an even numerator: (x^2)^(1/2) is
          not x.

        Raises Unproved or Swollen if the result becomes too large.
        """
        if q.denominator == 1:
            powers = {atom: exponent * q for atom, exponent in monomial}
            sign = -1 if coefficient < 0 and q.numerator % 2 else 1
            size = abs(Fraction(coefficient))
            return self.form(self._expand_powers(monomial_of(powers), sign)) * self._number_power(size, q)
        if coefficient < 0:
            return None
        rest = [pair for pair in monomial if self.atoms[pair[0]].kind not in _POSITIVE]
        if len(rest) > 1 or (rest and rest[0][1].numerator % 2 == 0):
            return None
        power = self._number_power(coefficient, q)
        for atom, exponent in monomial:
            power = power * self.single(atom, exponent * q)
        return power

    def _number_power(self, x: Rational, q: Rational) -> NormalForm:
        """Return the positive number `x` to the power `q`.

        If `q` is whole and from -40 to 40, it is computed. If not, it is a product of powers of the primes of `x` up to
        37 and of what is left over from `x`, taken as a prime. In it an exponent that is whole and from -40 to 40 is
        computed, 4^(1/2) is 2, but a fractional one is not split: 8^(1/2) is 2^(3/2), not 2·2^(1/2).
        """
        if q.denominator == 1 and abs(q.numerator) <= _HIGHEST:
            return self.number(Fraction(x) ** int(q))
        power = self.one
        for prime, count in _factors(x):
            power = power * self.single(self.atom("prime", prime), q * count)
        return power

    def pow(self, a: Number, b: Number) -> NormalForm:
        """Return the power `a` to `b`: with the exponent `b` if that is rational (`power`), or else exp(b log a)."""
        a, b = self.number(a), self.number(b)
        exponent = b.rational
        return self.power(a, exponent) if exponent is not None else self.exp(b * self.log(a))

    def div(self, a: Number, b: Number) -> NormalForm:
        return self.number(a) / self.number(b)

    # --- exponentials, logarithms, angles -----------------------------------------------------------------------------

    def exp(self, x: Number) -> NormalForm:
        """Return the exponential of `x` as a product over the terms of `x`; it is 1 for 0.

        A term that is a number times a logarithm gives the logarithm's argument to that power. Every other term gives
        an atom of kind "exponential", whose `argument` is the monomial, with the coefficient as its exponent. Raises
        Unproved or Swollen if a power does not exist or the result becomes too large.
        """
        product = self.one
        for monomial, coefficient in self.number(x).terms.items():
            atom = self.atoms[monomial[0][0]] if len(monomial) == 1 and monomial[0][1] == 1 else None
            if atom is not None and atom.kind == "logarithm" and atom.argument is not None:
                product = product * self.power(self.form(atom.argument), coefficient)
            else:
                place = self.atom("exponential", monomial, argument={monomial: 1})
                product = product * self.single(place, coefficient)
        return product

    def log(self, x: Number) -> NormalForm:
        """Return the logarithm of `x`, if possible as a sum: log(12·exp(x)·y^3) is 2·log 2 + log 3 + x + 3·log y.

        If `x` is one term with a positive coefficient:
        - The coefficient and roots of numbers give logarithms of primes, exponentials give their arguments.
        - One other factor that is left: its exponent is put in front if its numerator is odd. y^2 is positive for
          negative y too, so log(y^2) stays as it is.
        - Two or more other factors give one logarithm of their product, which is an atom.

        The logarithm of every other argument (0, negative, a sum) is one atom.
        """
        x = self.number(x)
        if len(x.terms) != 1:
            return self._log_atom(x)
        ((monomial, coefficient),) = x.terms.items()
        if coefficient <= 0:
            return self._log_atom(x)
        total = self.zero
        for prime, count in _factors(coefficient):
            total = total + self._log_atom(self.number(prime)) * Fraction(count)
        rest: list[tuple[int, Rational]] = []
        for place, exponent in monomial:
            atom = self.atoms[place]
            if atom.kind == "exponential" and atom.argument is not None:
                total = total + self.form(self.scale(atom.argument, exponent))
            elif atom.kind == "prime":
                total = total + self._log_atom(self.number(atom.key)) * Fraction(exponent)
            else:
                rest.append((place, exponent))
        if len(rest) == 1 and rest[0][1].numerator % 2:
            return total + self._log_atom(self.single(rest[0][0])) * Fraction(rest[0][1])
        return total + self._log_atom(self.form({tuple(rest): 1})) if rest else total

    def _log_atom(self, x: NormalForm) -> NormalForm:
        """Return a logarithm that is taken as it is, 0 for 1; its atom holds the argument, which `exp` uses."""
        place = self.atom("logarithm", x.key, argument=x.terms)
        return self.single(place) if x.rational != 1 else self.zero

    def sin(self, x: Number) -> NormalForm:
        return self._sine_and_cosine(self.number(x))[0]

    def cos(self, x: Number) -> NormalForm:
        return self._sine_and_cosine(self.number(x))[1]

    def _sine_and_cosine(self, x: NormalForm) -> tuple[NormalForm, NormalForm]:
        """Return (sine, cosine) of `x` by the addition theorems, over its terms.

        If `x` has more than 3 terms, the sine of the whole of `x` is one atom, and its cosine another, with the sign of
        the leading term taken out. Else each term with the coefficient k/n is expanded as k times the term with 1/n,
        for k up to 12; for higher k it is one atom (for each of the two functions). Signs of terms are taken out, since
        sine is odd and cosine even. 0 gives (0, 1).
        """
        if len(x.terms) > _ANGLES:
            sign = 1 if _leading(x.terms) > 0 else -1
            s, c = self._sine_and_cosine_atoms(x if sign > 0 else -x)
            return s * sign, c
        sine, cosine = self.zero, self.one
        for monomial, coefficient in x.terms.items():
            count, part = abs(coefficient.numerator), Fraction(1, coefficient.denominator)
            if count > _POWER:
                count, part = 1, abs(Fraction(coefficient))
            s, c = self._sine_and_cosine_atoms(self.form({monomial: part}))
            one_sine, one_cosine = self.zero, self.one
            for _ in range(count):
                one_sine, one_cosine = one_sine * c + one_cosine * s, one_cosine * c - one_sine * s
            if coefficient < 0:
                one_sine = -one_sine
            sine, cosine = sine * one_cosine + cosine * one_sine, cosine * one_cosine - sine * one_sine
        return sine, cosine

    def _sine_and_cosine_atoms(self, x: NormalForm) -> tuple[NormalForm, NormalForm]:
        """Return sine and cosine of an angle as one atom each."""
        return self.single(self.atom("sine", x.key)), self.single(self.atom("cosine", x.key))

    # --- is it zero ---------------------------------------------------------------------------------------------------

    def is_zero(self, x: NormalForm) -> bool:
        """Return whether `x` is proved to be 0 wherever it has a value; False if 12 rounds do not prove it.

        Each round multiplies the form by all that it is divided by. If it is not divided by anything, the round
        replaces sin² by 1 - cos² instead; without a sin² it ends. May raise Unproved or Swollen.
        """
        for _ in range(_ROUNDS):
            if not x.terms:
                return True
            least: dict[int, Rational] = {}
            for monomial in x.terms:
                for atom, exponent in monomial:
                    least[atom] = min(least.get(atom, 0), exponent)
            below = [(atom, exponent) for atom, exponent in least.items() if exponent < 0]
            squares = None if below else self._replace_squared_sines(x)
            for atom, exponent in below:
                x = x * self.single(atom, -exponent)
            if squares is not None:
                x = squares
            elif not below:
                return False
        return False

    def _replace_squared_sines(self, x: NormalForm) -> NormalForm | None:
        """Return `x` with one sin² replaced by 1 - cos² in each term that has one; None if no term has one.

        Of several sines in a term with a power of 2 or more the first is replaced; of a higher power the remaining
        factor stays.
        """
        total, changed = self.zero, False
        for monomial, coefficient in x.terms.items():
            sines = [atom for atom, exponent in monomial if exponent >= 2 and self.atoms[atom].kind == "sine"]
            if not sines:
                total = total + self.form({monomial: coefficient})
                continue
            changed = True
            rest = self.product(monomial, ((sines[0], -2),))
            cosine = self.single(self.atom("cosine", self.atoms[sines[0]].key))
            total = total + self.form({rest: coefficient}) * (1 - cosine * cosine)
        return total if changed else None


def _leading(terms: Sum) -> Rational:
    """Return the coefficient of the term with the most factors (of equals the last one in the order of the atoms)."""
    return max(terms.items(), key=lambda item: (len(item[0]), item[0]))[1]


def _factors(x: Rational) -> Iterator[tuple[int, int]]:
    """Yield (prime, exponent) for the primes up to 37 of a positive fraction; its denominator has negative exponents.

    What is left over of the numerator, and of the denominator, is yielded like a prime, with the exponent 1 or -1.
    Nothing is yielded for 1.
    """
    for left, sign in ((x.numerator, 1), (x.denominator, -1)):
        for prime in _PRIMES:
            count = 0
            while left % prime == 0:
                left, count = left // prime, count + 1
            if count:
                yield prime, sign * count
        if left > 1:
            yield left, sign


def prove_equal(graph: Graph, left: int, right: int) -> bool:
    """Return whether normal forms prove that the slots `left` and `right` are equal wherever both have values.

    False if they do not prove it, if a normal form does not exist or gets too large, and if the two formulas have more
    than 1,500 different slots together.
    """
    order = [*dict.fromkeys(s for slot in (left, right) for s in postorder(slot, graph.parents.__getitem__))]
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
        return m.is_zero(values[left] - values[right])
    except (Unproved, Swollen, ArithmeticError, TypeError, ValueError):
        return False
