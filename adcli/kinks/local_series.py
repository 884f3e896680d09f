"""Local series: a function on one side of a point, in powers of the distance from it. What it cannot do it raises:
Outside (not defined there), Flat (more terms are needed), Finer (powers of a root are needed), or another Unknown.

A series is c₀ sᵛ + c₁ sᵛ⁺¹ + … with exact real coefficients, where s > 0 and sᵠ is the distance from the point: with q
above 1 roots have series too (Puiseux).  Near the point it has the sign of its first coefficient, so that every corner,
step and condition is decided, also those that are nested.

Smooth functions are expanded by `numbers.series`, and where their slope is infinite by their own partial:
z = z(0) + ∫ f'(u) du.
"""

from __future__ import annotations

from fractions import Fraction

from ..numbers.series import ENDLESS, Series, Taylor
from ..table.primitive import ROWS, Primitive
from ..typings import TYPE_CHECKING, TypeAlias, override
from .exact_reals import HIGHEST, NearPoint, Real, Reals, has_vertical_slope
from .polynomials import Polynomial, add_known, multiply_known, negate_known
from .signs import Finer, Flat, Outside, SignedNumber, Unknown

if TYPE_CHECKING:
    from ..table.arithmetic import Numeral

    NumberLike: TypeAlias = "LocalSeries | Real | Numeral"

FEWEST = 2  # terms that tell a slope; from 4 on the series has second derivatives, too
_FINEST = 24  # the largest q
_DISTANCE = -1  # the unknown of polynomials that is s; the atom k of exact numbers is -2 - k, named parts are from 0 on


class LocalSeries(SignedNumber):
    """The series c₀ sᵛ + c₁ sᵛ⁺¹ + … + O(sᵉ): `coefficients`, `start` v, and `end` e or None if it is exact."""

    __slots__ = ("_whole", "coefficients", "end", "start")
    m: SeriesArithmetic

    def __init__(
        self, m: SeriesArithmetic, start: int, coefficients: list[Real], end: int | None,
        whole: Polynomial | None = None,
    ) -> None:  # fmt: skip
        """Take `coefficients` of the powers from `start` on; leading and trailing zeros are dropped.

        Terms from the power `end` on are unknown; with `end` None all other terms are 0. Only the first `m.terms`
        coefficients are kept; with more, the others count as unknown. `whole` is the number as a polynomial, None if it
        is not known.
        """
        if len(coefficients) > m.terms:
            end = start + m.terms
            coefficients = coefficients[: m.terms]
        places = [k for k, c in enumerate(coefficients) if c.terms]
        self.m = m
        self.coefficients = coefficients[places[0] : places[-1] + 1] if places else []
        self.start = start + places[0] if places else 0
        self.end = end
        self._whole = whole

    @property
    def whole(self) -> Polynomial | None:
        """Return the number as a polynomial in s, in the atoms of exact numbers and in named parts; None if it is not
        known.

        Numbers with one polynomial are one function on this side, however little is known of their series.
        """
        if self._whole is None and self.end is None:
            self._whole = {
                tuple(sorted([*((-2 - atom, power) for atom, power in monomial), *([(_DISTANCE, k)] if k else [])])): c
                for k, number in enumerate(self.coefficients, self.start)
                for monomial, c in number.terms.items()
            }
        return self._whole

    def at(self, exponent: int) -> Real:
        """Return the coefficient of a power of s; raises Flat if the series is not known so far."""
        if self.end is not None and exponent >= self.end:
            raise Flat("a series that is not known so far")
        return self._known_coefficient(exponent)

    @property
    def is_zero(self) -> bool:
        """Return whether it is exactly 0."""
        return not self.coefficients and self.end is None

    @property
    def is_constant(self) -> bool:
        """Return whether it is the same number at every distance."""
        alone = not self.coefficients or (self.start == 0 and len(self.coefficients) == 1)
        return alone and self.end is None

    def _known_coefficient(self, exponent: int) -> Real:
        """Return the coefficient of a power of s, 0 beyond those that are known."""
        k = exponent - self.start
        return self.coefficients[k] if 0 <= k < len(self.coefficients) else self.m.reals.zero

    def slope(self) -> Real | int:
        """Return the derivative with respect to the distance at distance 0; if it is infinite, its sign (1 or -1) as an
        int.

        The limit (power 0) and negative powers do not count. Raises Flat or Unknown if a term up to the distance itself
        is not known.
        """
        q = self.m.q
        for exponent in range(1, q):
            c = self.at(exponent)
            if c.terms:
                return self.m.reals.sign_of(c)
        return self.at(q)

    def __add__(self, other: NumberLike) -> LocalSeries:
        """Return the sum with a series or number; it is known up to the first power that is unknown in one of both.

        If the polynomial of the sum (`whole`) has no named parts, as that of f + 1 - f, the sum is exact. An exact 0
        returns the other operand itself.
        """
        other = self.m.number(other)
        if other.is_zero:
            return self
        if self.is_zero:
            return other
        if self.end is None and other.end is None:
            return self._add_terms(other, None, None)
        whole = add_known(self.whole, other.whole)
        plain = self.m.plain(whole)
        if plain is not None:
            return plain
        return self._add_terms(other, min(end for end in (self.end, other.end) if end is not None), whole)

    def _add_terms(self, other: LocalSeries, end: int | None, whole: Polynomial | None) -> LocalSeries:
        """Return the sum term by term; its terms from `end` on are unknown, and its polynomial is `whole`."""
        parts = [series for series in (self, other) if series.coefficients]
        if not parts:
            return LocalSeries(self.m, 0, [], end, whole)
        start = min(series.start for series in parts)
        stop = max(series.start + len(series.coefficients) for series in parts)
        stop = min(stop, end if end is not None else stop, start + self.m.terms + 1)
        sums = []
        for exponent in range(start, stop):
            a, b = self._known_coefficient(exponent), other._known_coefficient(exponent)
            sums.append(a + b if a.terms and b.terms else a if a.terms else b)
        return LocalSeries(self.m, start, sums, end, whole)

    def __neg__(self) -> LocalSeries:
        whole = negate_known(self._whole)
        return LocalSeries(self.m, self.start, [-c for c in self.coefficients], self.end, whole)

    def __mul__(self, other: NumberLike) -> LocalSeries:
        """Return the product, known as far as the known terms of both determine it; an exact 0 stays an exact 0.

        At most `m.terms` terms are kept. If the polynomial of the product (`whole`) has no named parts, as that of f ·
        1/f, the product is exact.
        """
        other = self.m.number(other)
        if self.is_zero or other.is_zero:
            return self.m.number(0)
        ends = []
        for left, right in ((self, other), (other, self)):
            if left.end is not None:
                first = right.start if right.coefficients else right.end
                ends.append(left.end + (first or 0))
        end = min(ends, default=None)
        products = [self.m.reals.zero] * min(len(self.coefficients) + len(other.coefficients), self.m.terms + 1)
        for i, a in enumerate(self.coefficients):
            for j, b in enumerate(other.coefficients[: len(products) - i]):
                if a.terms and b.terms:
                    products[i + j] = products[i + j] + a * b
        start = self.start + other.start
        if end is not None:
            products = products[: max(end - start, 0)]
        result = LocalSeries(self.m, start, products, end)
        if result.end is not None:
            result._whole = multiply_known(self.whole, other.whole)
        plain = self.m.plain(result._whole)
        return result if plain is None else plain

    def __truediv__(self, other: NumberLike) -> LocalSeries:
        """Return the quotient of this series and `other`; exact if both are polynomials and the division leaves no
        remainder.

        Raises Unknown or Flat if `other` is 0 as far as is known.
        """
        other = self.m.number(other)
        quotient = self * self.m.root_of(other, Fraction(-1))
        terms = len(self.coefficients) - len(other.coefficients) + 1
        if quotient.end is None or self.end is not None or other.end is not None or terms < 1:
            return quotient
        exact = LocalSeries(self.m, quotient.start, quotient.coefficients[:terms], None)
        rest = exact * other - self
        return exact if rest.is_zero else quotient


class SeriesArithmetic(NearPoint[LocalSeries]):
    """The arithmetic of local series of `terms` terms or more, in the root of degree `q` of the distance.

    They reach the second power of the distance, with the `FEWEST` terms only the first.
    """

    def __init__(self, reals: Reals, q: int = 1, terms: int = 8) -> None:
        if q > _FINEST:
            raise Unknown("roots of roots")
        self.q = q
        self.terms = max(terms, 2 * q + 2 if terms > FEWEST else q + 1)
        super().__init__(reals)

    @override
    def number(self, x: NumberLike) -> LocalSeries:
        return x if isinstance(x, LocalSeries) else LocalSeries(self, 0, [self.reals.number(x)], None)

    def moving(self, at: Real | Numeral, slope: Real | Numeral) -> LocalSeries:
        """Return at + slope times the distance."""
        zeros = [self.reals.zero] * (self.q - 1)
        return LocalSeries(self, 0, [self.reals.number(at), *zeros, self.reals.number(slope)], None)

    def plain(self, whole: Polynomial | None) -> LocalSeries | None:
        """Return the number whose polynomial is `whole` if it has no named parts; None if it has, or is not known.

        So f + g - g is f, also where only the first terms of f and g are known.
        """
        if whole is None or any(unknown >= 0 for monomial in whole for unknown, _ in monomial):
            return None
        numbers: dict[int, Real] = {}
        for monomial, c in whole.items():
            powers = dict(monomial)
            k = powers.pop(_DISTANCE, 0)
            atoms = tuple(sorted((-2 - unknown, power) for unknown, power in powers.items()))
            numbers[k] = numbers.get(k, self.reals.zero) + self.reals._reduce_roots(atoms, c)
        start, stop = min(numbers, default=0), max(numbers, default=0) + 1
        return LocalSeries(self, start, [numbers.get(k, self.reals.zero) for k in range(start, stop)], None, whole)

    @override
    def sign_of(self, x: LocalSeries, *, ties: bool = False) -> int:
        """Return the sign of `x` at small distances, that of its first coefficient; 0 only for an exact 0.

        `ties` makes no difference here. Raises Flat if `x` is not exactly 0 but has no known term. Raises Unknown if
        the sign of the coefficient is not known.
        """
        if not x.coefficients:
            if x.is_zero:
                return 0
            raise Flat("a function too flat to tell its sign")
        sign = self.reals.sign_of(x.coefficients[0])
        if not sign:
            raise Unknown("a coefficient that may be 0")
        return sign

    @override
    def limit(self, x: LocalSeries) -> Real:
        if x.coefficients and x.start < 0:
            raise Unknown("a function without bounds")
        return x.at(0)

    def _power_of_series(self, coefficients: list[Real], exponent: Fraction, count: int) -> list[Real]:
        """Return `count` coefficients of (1 + r₁s + r₂s² + …)^exponent, by its differential equation.

        1, r₁, r₂, … are the quotients of the coefficients by the first one; those beyond the end are 0.
        """
        inverse = self._inverse_by_root(coefficients[0], exponent.denominator)
        ratios = [c * inverse for c in coefficients]
        powers = [self.reals.one]
        for k in range(1, count):
            terms = [
                ratios[j] * powers[k - j] * (exponent * j - (k - j))
                for j in range(1, min(k, len(ratios) - 1) + 1)
                if ratios[j].terms and powers[k - j].terms
            ]
            powers.append(sum(terms, self.reals.zero) * Fraction(1, k))
        return powers

    def _inverse_by_root(self, x: Real, q: int) -> Real:
        """Return 1/x as the power q of 1/x^(1/q), so that slopes with this root are equal term by term; plain for a `q`
        above 60.
        """
        if q > HIGHEST:
            return self.reals.inverse(x)
        return self.reals._whole_power(self.reals.inverse(self.reals.pow(x, Fraction(1, q))), q)

    @override
    def root_of(self, x: LocalSeries, exponent: Fraction) -> LocalSeries:
        """Return `x` to the power of any fraction; exact for an exact single term, for the root (1/q, q up to 60) of
        the q-th power of a polynomial, and for 0 to a positive power.

        Raises Outside if `x` is negative and the exponent not whole. Raises Finer if the result has no series in this
        root of the distance. Raises Flat if `x` has no known term. Raises Unknown if `x` is 0 and the exponent not
        positive, or if the sign of `x` is not known.
        """
        sign = self.sign_of(x)
        if not sign:
            if exponent > 0:
                return x
            raise Unknown("a division by 0")
        if sign < 0 and exponent.denominator != 1:
            raise Outside
        start = x.start * exponent
        if start.denominator != 1:
            raise Finer(start.denominator)
        q = exponent.denominator
        head = self.reals.pow(x.coefficients[0], exponent)
        if len(x.coefficients) == 1 and x.end is None:
            return LocalSeries(self, int(start), [head], None)
        known = self.terms if x.end is None else min(self.terms, x.end - x.start)
        powers = self._power_of_series(x.coefficients[:known], exponent, known)
        whole = self.name_part(("root", exponent), x.whole)
        root = LocalSeries(self, int(start), [head * c for c in powers], int(start) + known, whole)
        if x.end is None and exponent.numerator == 1 and q <= HIGHEST and len(root.coefficients) < len(x.coefficients):
            exact = LocalSeries(self, int(start), root.coefficients, None)
            rest = self._whole_power(exact, q) - x
            return exact if rest.is_zero else root
        return root

    @override
    def _power(self, a: LocalSeries, b: LocalSeries) -> LocalSeries:
        """Return a^b. The first that applies:

        - an exact 0 to a positive power: 0
        - an exponent that is not a constant fraction: expanded as a smooth function
        - a whole exponent from 0 to `terms`: multiplied out
        - another fraction: `root_of`

        Raises Outside if the power is not defined on this side, Finer if it needs a finer root of the distance, and
        Unknown or Flat if a sign is not known.
        """
        exponent = b.coefficients[0].fraction if b.coefficients else Fraction(0)
        if a.is_zero and self.reals.sign_of(self.limit(b)) > 0:
            return a
        if not b.is_constant or exponent is None:
            return self.smooth(ROWS["pow"], a, b)
        if exponent.denominator == 1 and 0 <= exponent <= self.terms:
            return self._whole_power(a, int(exponent))
        return self.root_of(a, exponent)

    def atan(self, x: NumberLike) -> LocalSeries:
        """Return the arc tangent, also of a series that grows without bounds: ±π/2 − atan(1/x)."""
        x = self.number(x)
        if x.coefficients and x.start < 0:
            return self.number(self.pi / 2 * self.sign_of(x) - self.atan(1 / x))
        return self.smooth(ROWS["atan"], x)

    @override
    def smooth(self, row: Primitive, *arguments: LocalSeries) -> LocalSeries:
        """Return the series of the elementary function `row` of the table: a Taylor series, constant for constant
        arguments.

        If a moving argument makes the slope infinite, it is the integral of the series of the partials (`_integrate`).
        Raises Outside if the function is not defined on this side. Raises Unknown at a pole, at the end of a domain
        that the series does not leave, or if a sign is not known.
        """
        limits = tuple([self.limit(a) for a in arguments])
        if row.find_violation(self.reals, limits) is not None:
            if row.find_violation(self, arguments) is not None:
                raise Outside
            raise Unknown("a pole, or the end of a domain")
        moving = tuple([not a.is_constant for a in arguments])
        if has_vertical_slope(row, self.reals, limits, moving):
            if row.find_violation(self, arguments) is not None:
                raise Outside
            return self._integrate(row, limits, arguments, moving)
        if not any(moving):
            return self.number(row.value(self.reals, *limits))
        order = min([self.terms, *(a.end - 1 for a in arguments if a.end is not None)])
        taylor = Taylor(self.reals, order)
        z = taylor.apply(row, *[self._expand(taylor, a, order) for a in arguments])
        taylor.extend([z])
        whole = self.name_part(row.name, *[a.whole for a in arguments])
        return LocalSeries(self, 0, z.coefficients[: order + 1], None if z.top <= order else order + 1, whole)

    def _expand(self, taylor: Taylor, x: LocalSeries, order: int) -> Series:
        """Return the local series `x` as a Series of the arithmetic `taylor`, with its coefficients up to `order`.

        A constant becomes a constant. The caller sees to it that the limit of any other `x` is finite. The degree `top`
        of the Series is `ENDLESS` if the terms of `x` are unknown from some power on; if not, `order`, at least 1.
        """
        if x.is_constant:
            return taylor.constant(self.limit(x))
        series = taylor.variable(self.limit(x), self.reals.one)
        series.coefficients[1:] = [x.at(k) for k in range(1, order + 1)]
        series.top = ENDLESS if x.end is not None else max(order, 1)
        return series

    def _integrate(
        self, row: Primitive, limits: tuple[Real, ...], arguments: tuple[LocalSeries, ...], moving: tuple[bool, ...]
    ) -> LocalSeries:
        """Return z(0) + ∫ f'(u) du, for a function `row` whose partials f' grow without bounds at the point.

        `limits` are the values of the `arguments` there, `moving` marks those that are not constant. z(0) is the value
        at these limits. Raises Unknown if the integrand has a negative power: its integral has a pole or a logarithm.
        """
        first = row.value(self.reals, *limits)
        z = LocalSeries(self, 0, [first], 1)
        slope = self.number(0)
        for partial, u in zip(row.rules(self, z, arguments, moving), arguments, strict=True):
            if partial is None:
                continue
            rise = [c * (u.start + k) for k, c in enumerate(u.coefficients)]
            end = None if u.end is None else u.end - 1
            slope = slope + self.number(partial) * LocalSeries(self, u.start - 1, rise, end)
        if slope.coefficients and slope.start < 0:
            raise Unknown("a logarithm in a series")
        rises = [c * Fraction(1, slope.start + k + 1) for k, c in enumerate(slope.coefficients)]
        end = None if slope.end is None else slope.end + 1
        z = LocalSeries(self, slope.start + 1, rises, end) + LocalSeries(self, 0, [first], None)
        z._whole = self.name_part(row.name, *[a.whole for a in arguments])
        return z
