"""The smooth pieces of a program around a point: every kink that it reaches, decided in every way. A form is a number
to first order on one piece: value, slopes by input, and how rough it is (SMOOTH; LIPSCHITZ: no gradient, but bounded by
a multiple of the distance; CONTINUOUS: no more than that).

A piece is followed to first order: its value at the point and its gradient there.  If the value does not show the sign
that decides a kink, both ways are followed, and the gradient of the number that decides says in which directions from
the point the piece can lie.  More pieces may be followed than there are: what holds for all of them holds for the
function.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from ..table.primitive import ROWS, Primitive
from ..typings import TYPE_CHECKING, NoReturn, TypeAlias, override
from .directions import Constraint, Slopes, scale_first_to_one
from .exact_reals import NearPoint, Real, Reals, has_vertical_slope
from .polynomials import Polynomial, add_known, degree, multiply_known, negate_known, polynomial_key
from .signs import SignedNumber, Unknown

if TYPE_CHECKING:
    from ..table.arithmetic import Numeral

    NumberLike: TypeAlias = "FirstOrder | Real | Numeral"
    Factor: TypeAlias = "tuple[FirstOrder, Fraction]"  # a form and an exponent

SMOOTH, LIPSCHITZ, CONTINUOUS = range(3)  # how much is known of a number around the point


class FirstOrder(SignedNumber):
    """A number around the point on one piece: its value there and its gradient (`slopes`, by input).

    rough     SMOOTH; LIPSCHITZ: no gradient, but bounded by a multiple of the distance; CONTINUOUS: no more than that
    analytic  the form is right up to the square of the distance
    affine    the form is the whole number
    factors   forms with exponents, if the number is 0 at the point and known as the product of such powers; else ().
              A form with an exponent that is not whole is not negative
    whole     the number on the whole piece; None if it is not known
    """

    __slots__ = ("_whole", "affine", "analytic", "factors", "rough", "slopes", "value")
    m: PieceArithmetic

    def __init__(
        self, m: PieceArithmetic, value: Real, slopes: Slopes, rough: int = SMOOTH, *, analytic: bool = True,
        affine: bool = False, whole: Polynomial | None = None,
    ) -> None:  # fmt: skip
        """Take value and `slopes` (by input, zeros are dropped) of a number on one piece.

        `rough` says how much is known; LIPSCHITZ and CONTINUOUS numbers have no slopes and are neither `analytic` nor
        `affine`. `whole` is the number on the piece as a polynomial (None: unknown).
        """
        self.m, self.value, self.rough = m, value, rough
        self.slopes = {} if rough else {k: c for k, c in slopes.items() if c.terms}
        self.analytic = analytic and not rough
        self.affine = affine and not rough
        self.factors: tuple[Factor, ...] = ()
        self._whole = whole

    @property
    def whole(self) -> Polynomial | None:
        """Return the number as a polynomial in the distances of the inputs and in named parts; None if it is not known.

        The unknowns are -1 - slot for an input, and numbers from 0 for parts. For an affine number with fractions as
        value and slopes the polynomial is derived and cached. Numbers with one polynomial are one function on the
        piece, so that a sign is decided once for all.
        """
        if self._whole is None and self.affine:
            slopes = {k: c.fraction for k, c in self.slopes.items()}
            exact: Polynomial = {((-1 - k, 1),): c for k, c in slopes.items() if c}
            value = self.value.fraction
            if value is not None and len(exact) == len(slopes):
                self._whole = {(): value} | exact if value else exact
        return self._whole

    @property
    def constant(self) -> bool:
        return self.affine and not self.slopes

    def __add__(self, other: NumberLike) -> FirstOrder:
        """Return the sum, as rough as the rougher of both; if the polynomials cancel to value and slopes, an affine
        number.

        If both numbers are 0 at the point and one is known as a product, the sum has their common factors, if there are
        any.
        """
        other = self.m.number(other)
        whole = add_known(self.whole, other.whole)
        plain = self.m.plain(whole)
        if plain is not None:
            return plain
        result = FirstOrder(
            self.m, self.value + other.value, _add_slopes(self.slopes, other.slopes), max(self.rough, other.rough),
            analytic=self.analytic and other.analytic, affine=self.affine and other.affine, whole=whole,
        )  # fmt: skip
        if (self.factors or other.factors) and not (self.value.terms or other.value.terms):
            result.factors = self._common_factors(other)
        return result

    def _common_factors(self, other: FirstOrder) -> tuple[Factor, ...]:
        """Return the sum of two products as one: g^4 + g^5 is g^4 (1 + g).

        () if no factor with a whole positive exponent is common to both; the smaller of both exponents counts.
        """
        powers = {_base_key(base): power for base, power in other.as_factors()}
        shared = [(base, min(power, powers.get(_base_key(base), Fraction(0)))) for base, power in self.as_factors()]
        common = [(base, power) for base, power in shared if power > 0 and power.denominator == 1]
        if not common:
            return ()
        divisor = [(base, -power) for base, power in common]
        rests = [_join_factors([*divisor, *x.as_factors()]) for x in (self, other)]
        rest = self.m.product_of_powers(rests[0]) + self.m.product_of_powers(rests[1])
        return _join_factors([*common, *rest.as_factors()])

    def __neg__(self) -> FirstOrder:
        """Return the negative, as rough, analytic and affine as the number; its sign is decided together with that of
        the number.
        """
        negative = FirstOrder(
            self.m, -self.value, {k: -c for k, c in self.slopes.items()}, self.rough, analytic=self.analytic,
            affine=self.affine, whole=negate_known(self.whole),
        )  # fmt: skip
        if self.factors:
            negative.factors = _join_factors([*self.factors, (self.m.number(-1), Fraction(1))])
        return negative

    def as_factors(self) -> tuple[Factor, ...]:
        """Return the factors of the number; the number itself if it is not known as a product."""
        return self.factors or ((self, Fraction(1)),)

    def _factors_of_product(self, other: FirstOrder) -> tuple[Factor, ...]:
        """Return the factors of a product that is 0 at the point; () of another one."""
        if self.value.terms and other.value.terms:
            return ()
        return _join_factors([*self.as_factors(), *other.as_factors()])

    def __mul__(self, other: NumberLike) -> FirstOrder:
        """Return the product to first order: slopes of one factor times the value of the other, added.

        The product is as rough as a rough factor whose cofactor is not 0 at the point, CONTINUOUS if both factors are,
        else SMOOTH. If roots of one number are multiplied, it is the product of the powers that result:
        cbrt(g) cbrt(g)^2 is g.
        """
        other = self.m.number(other)
        whole = multiply_known(self.whole, other.whole)
        plain = self.m.plain(whole)
        if plain is not None:
            return plain
        factors = self._factors_of_product(other)
        if factors and self.rough and other.rough and len(factors) < len(self.factors) + len(other.factors):
            return self.m.product_of_powers(factors)
        slopes = _add_slopes(
            {k: c * other.value for k, c in self.slopes.items()}, {k: c * self.value for k, c in other.slopes.items()}
        )
        rough = CONTINUOUS if self.rough == other.rough == CONTINUOUS else SMOOTH
        rough = max([rough, *(a.rough for a, factor in ((self, other), (other, self)) if factor.value.terms)])
        result = FirstOrder(
            self.m, self.value * other.value, slopes, rough, analytic=self.analytic and other.analytic,
            affine=(self.constant and other.affine) or (other.constant and self.affine), whole=whole,
        )  # fmt: skip
        result.factors = factors
        return result

    def __truediv__(self, other: NumberLike) -> FirstOrder:
        """Return the quotient to first order.

        By a constant it is the product with the exact inverse. If the numerator is 0 at the point and not constant, the
        quotient has the factors of the numerator and `other` to the power -1.
        """
        other = self.m.number(other)
        if other.constant:
            return self * self.m.number(self.m.reals.inverse(other.value))
        quotient = self.m.smooth(ROWS["div"], self, other)
        if not self.value.terms and not self.constant:
            quotient.factors = _join_factors([*self.as_factors(), (other, Fraction(-1))])
        return quotient


class MissingForm(FirstOrder):
    """A number that does not exist or is not known: every use of it raises the error."""

    __slots__ = ("_error",)

    def __init__(self, error: ArithmeticError) -> None:
        self._error = error

    def __getattr__(self, name: str) -> NoReturn:
        raise self._error


class PieceArithmetic(NearPoint[FirstOrder]):
    """The arithmetic of forms on one piece: the piece on which undecided signs are those of `choices`.

    `choices` has a list for each undecided sign, in the order in which `sign_of` needs them: the signs left to try, of
    which the first is taken on this piece. New choices are appended in place. `constraints` collects the conditions on
    directions in which the piece lies.
    """

    def __init__(self, reals: Reals, choices: list[list[int]]) -> None:
        super().__init__(reals)
        self.choices = choices
        self.constraints: list[Constraint] = []
        self._count = 0
        self._lines: dict[object, tuple[int, bool]] = {}

    @override
    def number(self, x: NumberLike) -> FirstOrder:
        return x if isinstance(x, FirstOrder) else FirstOrder(self, self.reals.number(x), {}, affine=True)

    def plain(self, whole: Polynomial | None) -> FirstOrder | None:
        """Return the number whose polynomial is `whole` if it is only value and slopes; None if it is not, or is
        unknown.
        """
        if whole is None or any(monomial and (monomial[0][0] >= 0 or degree(monomial) > 1) for monomial in whole):
            return None
        slopes = {-1 - monomial[0][0]: self.reals.number(c) for monomial, c in whole.items() if monomial}
        return FirstOrder(self, self.reals.number(whole.get((), Fraction(0))), slopes, affine=True)

    def name_slots(self, polynomial: Polynomial) -> Polynomial:
        """Return the polynomial with its unknowns from 0 on, which are slots, as named parts."""
        slots = {unknown for monomial in polynomial for unknown, _ in monomial if unknown >= 0}
        parts = {slot: unknown for slot in slots for ((unknown, _),) in self.name_part(slot) or ()}
        return {tuple(sorted([(parts.get(u, u), power) for u, power in x])): c for x, c in polynomial.items()}

    @override
    def limit(self, x: FirstOrder) -> Real:
        return x.value

    def choose_sign(self, options: tuple[int, ...]) -> int:
        """Return the sign of the next choice: the one to be followed, or the first option of a new choice."""
        if self._count == len(self.choices):
            self.choices.append(list(options))
        self._count += 1
        return self.choices[self._count - 1][0]

    def _sign_of_product(self, factors: Sequence[Factor], *, ties: bool) -> int | None:
        """Return the sign of a product of powers on this piece, 0 only with `ties`; None if more than one of the
        factors decides it.

        Factors decide if they are 0 at the point, without `ties` only those with odd exponents. Powers with other
        exponents count as positive, or as 0 with a base that is 0.
        """
        deciding = [(base, power) for base, power in factors if not self.reals.sign_of(base.value)]
        if not ties:
            deciding = [(base, power) for base, power in deciding if power % 2 == 1]
        if len(deciding) > 1:
            return None
        sign = 1
        for base, power in factors:
            if power % 2 == 1:
                sign *= self.sign_of(base, ties=ties)
            elif (base, power) in deciding:
                sign *= abs(self.sign_of(base, ties=True))
        return sign

    @override
    def sign_of(self, x: FirstOrder, *, ties: bool = False) -> int:
        """Return the sign of `x` on this piece: that of its value or, if the value is 0 but `x` is not constant, a
        chosen one.

        With `ties` 0 may be chosen, too: the border between two pieces. Multiples of a number, its powers and its roots
        share one choice, also times a number that is not 0 at the point; but a choice made without `ties` is made anew
        with it. A choice for a SMOOTH number with slopes is appended to `constraints`. Raises Unknown if the sign of
        the value is not known.
        """
        sign = self.reals.sign_of(x.value)
        if sign or x.constant:
            return sign
        if x.factors and (product := self._sign_of_product(x.factors, ties=ties)) is not None:
            return product
        line, negated = _line_through_zero(x)
        known, with_ties = self._lines.get(line, (0, False))
        if line in self._lines and (with_ties or not ties):
            return -known if negated else known
        sign = self.choose_sign((1, -1, 0) if ties else (1, -1))
        if line is not None:
            self._lines[line] = -sign if negated else sign, ties
        if x.rough == SMOOTH and x.slopes:
            self.constraints.append(Constraint(x.slopes, sign))
        return sign

    @override
    def root_of(self, x: FirstOrder, exponent: Fraction) -> FirstOrder:
        """Return `x` to a positive power that is not whole, to first order. The first that applies:

        - `x` is constant: a constant
        - `x` is not 0 at the point: the smooth power
        - `x` is known as a product of powers: that of the powers of the sizes of its factors
        - an exponent above 1, and `x` is not CONTINUOUS: the slopes are 0
        - otherwise a number 0 without slopes, whose factor is `x` with this exponent, so that its power is `x` again:
          LIPSCHITZ if `x` is analytic without slopes and the exponent at least 1/2, else CONTINUOUS

        Raises Unknown if `x` is negative.
        """
        if x.constant:
            return self.number(self.reals.pow(x.value, exponent))
        if self.reals.sign_of(x.value):
            return self.smooth(ROWS["pow"], x, self.number(exponent))
        if x.factors:
            return self.product_of_powers(
                (base if power.denominator != 1 or power * exponent % 2 == 0 else self.abs(base), power * exponent)
                for base, power in x.factors
            )
        whole = self.name_part(("root", exponent), x.whole)
        if exponent > 1 and x.rough <= LIPSCHITZ:
            return FirstOrder(self, self.reals.zero, {}, analytic=False, whole=whole)
        is_bounded = x.analytic and not x.slopes and exponent >= Fraction(1, 2)
        root = FirstOrder(self, self.reals.zero, {}, LIPSCHITZ if is_bounded else CONTINUOUS, whole=whole)
        root.factors = ((x, exponent),)
        return root

    def product_of_powers(self, factors: Iterable[Factor]) -> FirstOrder:
        """Return the product of `factors`, (form, exponent) pairs; 1 without them.

        Whole positive powers are multiplied out, other powers of a form that is not 0 at the point are smooth, the rest
        is `root_of`. The caller has made sure that a form with an exponent that is not whole is not negative.
        """
        result = self.one
        for base, power in factors:
            if power.denominator == 1 and power > 0:
                result = result * self._short_power(base, power)
            elif self.reals.sign_of(base.value):
                result = result * self.smooth(ROWS["pow"], base, self.number(power))
            else:
                result = result * self.root_of(base, power)
        return result

    def _short_power(self, a: FirstOrder, exponent: Fraction) -> FirstOrder:
        """Return a^exponent for a small whole exponent, multiplied out.

        A power of roots is the product of the powers that result: cbrt(g)^3 is g.
        """
        if exponent and a.rough and a.factors:
            return self.product_of_powers([(base, power * exponent) for base, power in a.factors])
        return self._whole_power(a, int(exponent))

    @override
    def _power(self, a: FirstOrder, b: FirstOrder) -> FirstOrder:
        """Return a^b. The first that applies:

        - a constant whole exponent from 0 to 16: multiplied out (`_short_power`)
        - a constant 0 to a positive power: 0
        - `a` is 0 at the point, and the exponent is a positive constant: `root_of`
        - a smooth function of both

        Raises Unknown outside the domain, and if a sign is not known.
        """
        exponent = b.value.fraction if b.constant else None
        if exponent is not None and exponent.denominator == 1 and 0 <= exponent <= 16:
            return self._short_power(a, exponent)
        if a.constant and not a.value.terms and self.reals.sign_of(b.value) > 0:
            return a
        if exponent is not None and exponent > 0 and self.reals.sign_of(a.value) == 0:
            return self.root_of(a, exponent)
        return self.smooth(ROWS["pow"], a, b)

    @override
    def hypot(self, a: NumberLike, b: NumberLike) -> FirstOrder:
        """Return sqrt(a^2 + b^2), which has a kink only if both are 0 at the point.

        At the kink it is |b| if `a` is constant, and |a| if `b` is. If both have a common factor, it is
        the root of the sum of squares. If not, it has the value 0 and no slopes, is LIPSCHITZ or as rough as the
        rougher argument, and is known as the named part "hypot".
        """
        a, b = self.number(a), self.number(b)
        if self.reals.sign_of(a.value) or self.reals.sign_of(b.value):
            return self.smooth(ROWS["hypot"], a, b)
        if a.constant or b.constant:
            return self.number(self.abs(b if a.constant else a))
        square = a * a + b * b
        if square.factors:
            return self.sqrt(square)
        return FirstOrder(
            self, self.reals.zero, {}, max(LIPSCHITZ, a.rough, b.rough), whole=self.name_part("hypot", a.whole, b.whole)
        )

    @override
    def compose(self, row: Primitive, *arguments: FirstOrder) -> FirstOrder:
        """Return the function `row`, whose rule is composed of other functions, by this rule.

        Raises Unknown if an argument that is not constant is at a kink without slopes: a jump, or the end of a domain.
        """
        values = tuple([a.value for a in arguments])
        kinks = [row.kink(position) for position, a in enumerate(arguments) if not a.constant]
        for kink in [kink for kink in kinks if kink is not None and kink.slope is None and kink.sides is None]:
            if not kink.holds(self.reals, *values):
                raise Unknown("a jump, or the end of a domain")
        return super().compose(row, *arguments)

    @override
    def smooth(self, row: Primitive, *arguments: FirstOrder) -> FirstOrder:
        """Return the elementary function `row` by the chain rule: a value and slopes by input.

        At a vertical slope the result has the value alone (CONTINUOUS). A rough argument makes the result as rough,
        except if it is LIPSCHITZ and its partial is 0. Raises Unknown at a pole or outside of the domain.
        """
        values = tuple([a.value for a in arguments])
        if row.find_violation(self.reals, values) is not None:
            raise Unknown("a pole, or outside a domain")
        z = self.reals.number(row.value(self.reals, *values))
        whole = self.name_part(row.name, *[a.whole for a in arguments])
        varies = tuple([not a.constant for a in arguments])
        if has_vertical_slope(row, self.reals, values, varies):
            return FirstOrder(self, z, {}, CONTINUOUS, whole=whole)
        slopes: Slopes = {}
        rough = SMOOTH
        for a, partial in zip(arguments, row.rules(self.reals, z, values, varies), strict=True):
            if partial is None:
                continue
            partial = self.reals.number(partial)
            if a.rough == CONTINUOUS or (a.rough and partial.terms):
                rough = max(rough, a.rough)
            slopes = _add_slopes(slopes, {k: c * partial for k, c in a.slopes.items()})
        return FirstOrder(self, z, slopes, rough, analytic=all(a.analytic for a in arguments), whole=whole)


def _join_factors(factors: Iterable[Factor]) -> tuple[Factor, ...]:
    """Return the powers of a product, one for each base, by first appearance; bases are the same if their polynomials
    are.

    Exponents of one base are added; bases whose sum is 0, and the constant 1, are left out. Of equal bases the last
    form is kept.
    """
    joined: dict[object, Factor] = {}
    for base, power in factors:
        if base.constant and base.value.fraction == 1:
            continue
        key = _base_key(base)
        joined[key] = base, power + (joined[key][1] if key in joined else 0)
    return tuple([(base, power) for base, power in joined.values() if power])


def _base_key(base: FirstOrder) -> object:
    """Return a key that is equal for the same number, as far as polynomials show it."""
    return id(base) if base.whole is None else polynomial_key(base.whole)


def _line_through_zero(x: FirstOrder) -> tuple[object, bool]:
    """Return (key, negated): a key that all multiples of `x` share, and whether its first coefficient or slope is below
    0.

    Polynomials share keys with polynomials alone; other affine numbers, whose values do not count, share them by their
    slopes. (None, False) for a number that is neither known as a polynomial nor affine with slopes.
    """
    if x.whole:
        first = x.whole[min(x.whole)]
        return polynomial_key({monomial: c / first for monomial, c in x.whole.items()}), first < 0
    if not x.affine or not x.slopes:
        return None, False
    unit = scale_first_to_one(x.slopes)
    negated = x.m.reals.sign_of(unit[min(unit)]) < 0
    return tuple([(k, (-unit[k] if negated else unit[k]).key) for k in sorted(unit)]), negated


def _add_slopes(left: Slopes, right: Slopes) -> Slopes:
    """Return the sums of slopes by input, as a new dictionary."""
    return left | {k: left[k] + c if k in left else c for k, c in right.items()}
