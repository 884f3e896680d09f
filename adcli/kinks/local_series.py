"""A function on one side of a point, as close to it as one likes: series in a power of the distance, read as numbers.

A germ is a series c₀ sᵛ + c₁ sᵛ⁺¹ + …, where s > 0 and sᵠ is the distance from the point: with q above 1 roots have
series too (Puiseux).  It is positive near the point where its first coefficient is, so that every corner, step and
condition is decided, also one in which another one ends.  Coefficients are real numbers as they are (`formal`).

Functions that are smooth are read from the table by `series`, and where their slope is infinite by their own partial:
z = z(0) + ∫ f'(u) du.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING

from ..numbers.series import ENDLESS, Series, Taylor
from ..overriding import override
from ..table.primitive import ROWS, Primitive
from .exact_reals import Flat, Real, Reals, Unknown
from .signs import Decided

if TYPE_CHECKING:
    from typing import TypeAlias

    from ..table.arithmetic import Numeral

    Given: TypeAlias = "Germ | Real | Numeral"

_FINEST = 24  # the largest q


class Outside(ArithmeticError):
    """The function does not go on to this side."""


class Finer(ArithmeticError):
    """A root does not come out even: the distance has to be a power this many times as high."""

    def __init__(self, times: int) -> None:
        super().__init__(times)
        self.times = times


class Germ:
    """c₀ sᵛ + c₁ sᵛ⁺¹ + … + O(sᵉ): `coefficients`, `start` v and `end` e, which is None where nothing is left out."""

    __slots__ = ("coefficients", "end", "m", "start")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, m: Germs, start: int, coefficients: list[Real], end: int | None) -> None:
        if len(coefficients) > m.terms:
            end = start + m.terms
            coefficients = coefficients[: m.terms]
        skip = 0
        while skip < len(coefficients) and not coefficients[skip].terms:
            skip += 1
        last = len(coefficients)
        while last > skip and not coefficients[last - 1].terms:
            last -= 1
        self.m = m
        self.coefficients = coefficients[skip:last]
        self.start = start + skip if self.coefficients else 0
        self.end = end

    def at(self, exponent: int) -> Real:
        """The coefficient of a power of s."""
        if self.end is not None and exponent >= self.end:
            raise Flat("a series that is not known so far")
        k = exponent - self.start
        return self.coefficients[k] if 0 <= k < len(self.coefficients) else self.m.reals.zero

    def __bool__(self) -> bool:
        return self.m.side(self) != 0

    def __add__(self, given: Given) -> Germ:
        other = self.m.number(given)
        if not other.coefficients and other.end is None:
            return self
        if not self.coefficients and self.end is None:
            return other
        end = _least(self.end, other.end)
        starts = [g.start for g in (self, other) if g.coefficients]
        if not starts:
            return Germ(self.m, 0, [], end)
        start = min(starts)
        stop = max(g.start + len(g.coefficients) for g in (self, other) if g.coefficients)
        stop = min(stop, end if end is not None else stop, start + self.m.terms + 1)
        found = []
        for exponent in range(start, stop):
            a, b = self._plain(exponent), other._plain(exponent)
            found.append(a + b if a.terms and b.terms else a if a.terms else b)
        return Germ(self.m, start, found, end)

    __radd__ = __add__

    def _plain(self, exponent: int) -> Real:
        k = exponent - self.start
        return self.coefficients[k] if 0 <= k < len(self.coefficients) else self.m.reals.zero

    def __neg__(self) -> Germ:
        return Germ(self.m, self.start, [-c for c in self.coefficients], self.end)

    def __sub__(self, other: Given) -> Germ:
        return self + -self.m.number(other)

    def __rsub__(self, other: Given) -> Germ:
        return self.m.number(other) - self

    def __mul__(self, other: Given) -> Germ:
        other = self.m.number(other)
        for g in (self, other):
            if not g.coefficients and g.end is None:
                return self.m.number(0)
        ends = []
        for one, mate in ((self, other), (other, self)):
            if one.end is not None:
                first = mate.start if mate.coefficients else mate.end
                ends.append(one.end + (first or 0))
        end = min(ends, default=None)
        found = [self.m.reals.zero] * min(len(self.coefficients) + len(other.coefficients), self.m.terms + 1)
        for i, a in enumerate(self.coefficients):
            for j, b in enumerate(other.coefficients[: len(found) - i]):
                if a.terms and b.terms:
                    found[i + j] = found[i + j] + a * b
        start = self.start + other.start
        if end is not None:
            found = found[: max(end - start, 0)]
        return Germ(self.m, start, found, end)

    __rmul__ = __mul__

    def __truediv__(self, other: Given) -> Germ:
        other = self.m.number(other)
        found = self * self.m.power(other, Fraction(-1))
        terms = len(self.coefficients) - len(other.coefficients) + 1
        if found.end is None or self.end is not None or other.end is not None or terms < 1:
            return found
        exact = Germ(self.m, found.start, found.coefficients[:terms], None)  # of polynomials, if nothing is left over
        left = exact * other - self
        return found if left.coefficients or left.end is not None else exact

    def __rtruediv__(self, other: Given) -> Germ:
        return self.m.number(other) / self

    def __abs__(self) -> Germ:
        return self.m.abs(self)

    # Conditions hold where they hold near the point.

    def __lt__(self, other: Given) -> bool:
        return self.m.side(self - other) < 0

    def __le__(self, other: Given) -> bool:
        return self.m.side(self - other) <= 0

    def __gt__(self, other: Given) -> bool:
        return self.m.side(self - other) > 0

    def __ge__(self, other: Given) -> bool:
        return self.m.side(self - other) >= 0

    @override
    def __eq__(self, other: object) -> bool:
        return self.m.side(self - other) == 0  # type: ignore[operator]  # of any number

    @override
    def __ne__(self, other: object) -> bool:
        return not self == other


def _least(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else min(a, b)


class Germs(Decided[Germ]):
    """The arithmetic of germs with so many terms, in the root of degree q of the distance."""

    def __init__(self, reals: Reals, q: int = 1, terms: int = 8) -> None:
        if q > _FINEST:
            raise Unknown("roots of roots")
        self.reals = reals
        self.q = q
        self.terms = max(terms, 2 * q + 2)

    @override
    def number(self, x: Given) -> Germ:
        return x if isinstance(x, Germ) else Germ(self, 0, [self.reals.number(x)], None)

    def moving(self, at: Real | Numeral, slope: Real | Numeral) -> Germ:
        """at + slope times the distance."""
        zeros = [self.reals.zero] * (self.q - 1)
        return Germ(self, 0, [self.reals.number(at), *zeros, self.reals.number(slope)], None)

    @override
    def side(self, x: Germ, *, ties: bool = False) -> int:
        if not x.coefficients:
            if x.end is None:
                return 0
            raise Flat("a function too flat to tell its sign")
        return self.reals.signum(x.coefficients[0]) or self._cancelled()

    def _cancelled(self) -> int:
        raise Unknown("a coefficient that may be 0")

    @override
    def limit(self, x: Germ) -> Real:
        if x.coefficients and x.start < 0:
            raise Unknown("a function without bounds")
        return x.at(0)

    def power(self, x: Germ, exponent: Fraction) -> Germ:
        """x to a power that is a fraction, x being positive where it is not whole."""
        if not x.coefficients:
            if x.end is None and exponent > 0:
                return x
            raise Unknown("a division by 0") if x.end is None else Flat("a function too flat to tell its powers")
        side = self.side(x)
        if exponent.denominator != 1 and side < 0:
            raise Outside
        start = x.start * exponent
        if start.denominator != 1:
            raise Finer(start.denominator)
        first = x.coefficients[0]
        head = self.reals.pow(first, exponent)
        if len(x.coefficients) == 1 and x.end is None:
            return Germ(self, int(start), [head], None)
        known = self.terms if x.end is None else min(self.terms, x.end - x.start)
        w = [c / first for c in x.coefficients[:known]]
        found = [self.reals.one]
        for k in range(1, known):
            total = self.reals.zero
            for j in range(1, min(k, len(w) - 1) + 1):
                if w[j].terms and found[k - j].terms:
                    total = total + w[j] * found[k - j] * (exponent * j - (k - j))
            found.append(total * Fraction(1, k))
        return Germ(self, int(start), [head * c for c in found], int(start) + known)

    @override
    def root_of(self, x: Germ, exponent: Fraction) -> Germ:
        return self.power(x, exponent)

    def pow(self, a: Given, b: Given) -> Germ:
        return self._power(self.number(a), self.number(b))

    def _power(self, a: Germ, b: Germ) -> Germ:
        exponent = b.coefficients[0].fraction if b.coefficients else Fraction(0)
        if not a.coefficients and a.end is None and self.reals.signum(self.limit(b)) > 0:
            return a
        constant = b.end is None and (not b.coefficients or (b.start == 0 and len(b.coefficients) == 1))
        if not constant or exponent is None:
            return self.smooth(ROWS["pow"], a, b)
        if exponent.denominator == 1 and 0 <= exponent <= self.terms:
            found = self.number(1)
            for _ in range(int(exponent)):
                found = found * a
            return found
        return self.power(a, exponent)

    def hypot(self, a: Given, b: Given) -> Germ:
        a, b = self.number(a), self.number(b)
        return self.power(a * a + b * b, Fraction(1, 2))

    def atan(self, x: Given) -> Germ:
        """Also of what grows without bounds: ±π/2 − atan(1/x)."""
        x = self.number(x)
        if x.coefficients and x.start < 0:
            return self.number(self.pi / 2 * self.side(x) - self.atan(1 / x))
        return self.smooth(ROWS["atan"], x)

    @override
    def __getattr__(self, name: str) -> Callable[..., Germ]:
        row = ROWS.get(name)
        if row is None:
            raise AttributeError(name)
        if getattr(self.reals.__class__, name, None) is None and not _basic(name):
            return lambda *arguments: row.value(self, *arguments)
        return lambda *arguments: self.smooth(row, *[self.number(a) for a in arguments])

    def smooth(self, row: Primitive, *arguments: Germ) -> Germ:
        """A function of the table at a place where it has a series, or an infinite slope."""
        limits = tuple([self.limit(a) for a in arguments])
        if row.broken(self.reals, limits) is not None:
            if row.broken(self, arguments) is not None:
                raise Outside
            raise Unknown("a pole, or the end of a domain")
        moving = [len(a.coefficients) > 1 or a.start > 0 or a.end is not None for a in arguments]
        kinks = [row.kink(position) for position, moves in enumerate(moving) if moves]
        if any(kink is not None and kink.slope is not None and not kink.holds(self.reals, *limits) for kink in kinks):
            if row.broken(self, arguments) is not None:
                raise Outside
            return self._integrated(row, limits, arguments, tuple(moving))
        if not any(moving):
            return self.number(row.value(self.reals, *limits))
        order = min(self.terms, *[a.end - 1 for a in arguments if a.end is not None], self.terms)
        taylor = Taylor(self.reals, order)
        parts = [self._series(taylor, a, order) for a in arguments]
        z = taylor.apply(row, *parts)
        taylor.extend([z])
        return Germ(self, 0, z.coefficients[: order + 1], None if z.top <= order else order + 1)

    def _series(self, taylor: Taylor, x: Germ, order: int) -> Series:
        if x.end is None and (not x.coefficients or (len(x.coefficients) == 1 and x.start == 0)):
            return taylor.constant(self.limit(x))
        found = taylor.variable(self.limit(x), self.reals.one)
        found.coefficients[1:] = [x.at(k) for k in range(1, order + 1)]
        found.top = ENDLESS if x.end is not None else max(order, 1)
        return found

    def _integrated(
        self, row: Primitive, limits: tuple[Real, ...], arguments: tuple[Germ, ...], moving: tuple[bool, ...]
    ) -> Germ:
        """z(0) + ∫ f'(u) du, where f' grows without bounds."""
        first = row.value(self.reals, *limits)
        z = Germ(self, 0, [first], 1)
        slope = self.number(0)
        for partial, u in zip(row.rules(self, z, arguments, moving), arguments, strict=True):
            if partial is None:
                continue
            rise = [c * (u.start + k) for k, c in enumerate(u.coefficients)]
            slope = slope + self.number(partial) * Germ(self, u.start - 1, rise, None if u.end is None else u.end - 1)
        if slope.coefficients and slope.start < 0:
            raise Unknown("a logarithm in a series")
        found = [c * Fraction(1, slope.start + k + 1) for k, c in enumerate(slope.coefficients)]
        end = None if slope.end is None else slope.end + 1
        return Germ(self, slope.start + 1, found, end) + Germ(self, 0, [first], None)


def _basic(name: str) -> bool:
    """Whether a function is one of the arithmetic's own, and no row that is put together from others."""
    from ..numbers.doubles import Float

    return getattr(Float, name, None) is not None or ROWS[name].own is not None


def finest(q: int, times: int) -> int:
    """The degree of roots that is tried next."""
    return lcm(q, q * times)
