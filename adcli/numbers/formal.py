"""Real numbers as they are: fractions, and polynomials over the fractions in numbers that are none.

A number such as exp(1) or sqrt(2) is an atom; sums, products and quotients of atoms are kept as what they are, so that
what cancels is 0 and is known to be.  A sign is that of a fraction, or of an enclosure that does not hold 0: what
neither tells is `Unknown`, and never guessed.  The arithmetic is in `reals`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .reals import Reals

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

    def __hash__(self) -> int:
        return hash(self.key)

    def __add__(self, other: Any) -> Real:
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

    def __sub__(self, other: Any) -> Real:
        return self + -self.m.number(other)

    def __rsub__(self, other: Any) -> Real:
        return self.m.number(other) - self

    def __mul__(self, other: Any) -> Real:
        return self.m.product(self, self.m.number(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Real:
        return self * self.m.inverse(self.m.number(other))

    def __rtruediv__(self, other: Any) -> Real:
        return self.m.number(other) / self

    def __abs__(self) -> Real:
        return self if self.m.signum(self) >= 0 else -self

    def __bool__(self) -> bool:
        return self.m.signum(self) != 0

    def __float__(self) -> float:
        return self.m.double(self)

    def __eq__(self, other: object) -> bool:
        return self.m.signum(self - other) == 0

    def __lt__(self, other: Any) -> bool:
        return self.m.signum(self - other) < 0

    def __le__(self, other: Any) -> bool:
        return self.m.signum(self - other) <= 0

    def __gt__(self, other: Any) -> bool:
        return self.m.signum(self - other) > 0

    def __ge__(self, other: Any) -> bool:
        return self.m.signum(self - other) >= 0


class Void(Real):
    """No number: Unknown is raised where one is needed."""

    __slots__ = ()

    def __init__(self, m: Reals) -> None:
        self.m = m

    def __getattr__(self, name: str) -> Any:
        raise Unknown("an operation without a value")
