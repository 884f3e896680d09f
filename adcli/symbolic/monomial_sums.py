"""Sums of monomials, the normal form of derivatives and of proofs: numbers times products of powers of factors. A sum
is {monomial: number}, a monomial ((base, exponent), …) by ascending base; a base is a whole number that identifies a
factor: the slot of a graph, or the place of an atom.

Which powers of one factor may join, and which terms that cancel may go, is decided by subclasses: that depends on where
the factors have values.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction

from ..typings import TypeAlias

Number: TypeAlias = Fraction | int
Monomial: TypeAlias = tuple[tuple[int, Number], ...]  # bases with exponents that are not 0, in ascending order
Sum: TypeAlias = dict[Monomial, Number]
ONE: Monomial = ()


class Swollen(Exception):
    """Raised if a sum or one of its numbers is too long; the message says which."""


def shorten(number: Number) -> Number:
    """Return the number as an int if it is a whole one."""
    return number.numerator if number.denominator == 1 else number


def quotient(a: Number, b: Number) -> Number:
    """Return a/b exactly."""
    return shorten(Fraction(a) / b)


def monomial_of(powers: Mapping[int, Number]) -> Monomial:
    """Return the monomial with these exponents, by base; exponents that are 0 are left out."""
    return tuple(sorted([pair for pair in powers.items() if pair[1]]))


def exponent_of(base: int, monomial: Monomial) -> Number:
    """Return the exponent of the factor `base` in a monomial: the sum if it occurs several times, 0 if it does not
    occur.
    """
    return sum([exponent for other, exponent in monomial if other == base])


def single_powers(monomial: Monomial, sign: int) -> dict[int, Number]:
    """Return {base: exponent} of the factors with exponents of this `sign` that are on that side of the fraction bar
    once.
    """
    side = [(base, exponent) for base, exponent in monomial if exponent * sign > 0]
    counts = Counter([base for base, _ in side])
    return {base: exponent for base, exponent in side if counts[base] == 1}


def common_powers(powers: Mapping[int, Number], others: Mapping[int, Number]) -> dict[int, Number]:
    """Return the powers that both have, by base: above the line the smaller exponent, below it only equal exponents."""
    return {
        base: min(exponent, others[base])
        for base, exponent in powers.items()
        if base in others and (exponent == others[base] or min(exponent, others[base]) > 0)
    }


def content(form: Sum) -> Number:
    """Return the positive rational number that divides all numbers of `form` into integers without a common divisor.

    It is negated if no number is positive. 1 if all numbers are 0 or `form` is empty.
    """
    numbers = form.values()
    if not any(numbers):
        return 1
    above = math.gcd(*(number.numerator for number in numbers))
    below = math.lcm(*(number.denominator for number in numbers))
    divisor = shorten(Fraction(above, below))
    return -divisor if all(number <= 0 for number in numbers) else divisor


class MonomialSums:
    """The arithmetic of sums of monomials.

    `longest` is how many terms a sum may have; longer ones raise Swollen.
    """

    longest = 10_000

    # --- what subclasses decide ---------------------------------------------------------------------------------------

    def join_exponents(self, base: int, powers: list[Number], exponent: Number) -> list[Number]:
        """Return the exponents of the factor `base` in the product of its `powers` so far and one more, `exponent`.

        Here they join into one, which holds wherever both factors of the product have values; [] if they cancel.
        """
        total = sum(powers, exponent)
        return [total] if total else []

    def may_vanish(self, monomial: Monomial) -> bool:
        """Return whether a term may be dropped when its number has become 0; here it always may."""
        return True

    # --- operations ---------------------------------------------------------------------------------------------------

    def product(self, a: Monomial, b: Monomial) -> Monomial:
        """Return the product of two monomials, sorted by base.

        Exponents of a factor that both have are combined by `join_exponents`: into one, or none if they cancel; a
        subclass may keep two, above and below the fraction bar.
        """
        if a and b and min(len(a), len(b)) == 1 and (a[-1][0] < b[0][0] or b[-1][0] < a[0][0]):
            return a + b if a[0][0] < b[0][0] else b + a  # long products grow by one factor after another
        powers: dict[int, list[Number]] = {}
        for base, exponent in a:
            powers.setdefault(base, []).append(exponent)
        for base, exponent in b:
            powers[base] = self.join_exponents(base, powers[base], exponent) if powers.get(base) else [exponent]
        return tuple(sorted([(base, power) for base, joined in powers.items() for power in joined]))

    def add(self, total: Sum, form: Sum, factor: Number = 1) -> None:
        """Add a sum times a number to `total` in place; terms that have become 0 stay until `drop_zeros`."""
        for monomial, number in form.items():
            total[monomial] = total.get(monomial, 0) + factor * number

    def drop_zeros(self, total: Sum) -> Sum:
        """Remove from `total`, in place, the terms whose number is 0 and that `may_vanish`; return `total`.

        Here all such terms may vanish; a subclass keeps those that restrict the domain. Raises Swollen if more than
        `longest` terms are left.
        """
        for monomial in [monomial for monomial, number in total.items() if not number]:
            if self.may_vanish(monomial):
                del total[monomial]
        if len(total) > self.longest:
            raise Swollen(f"more than {self.longest} terms")
        return total

    def total(self, parts: Iterable[tuple[Sum, Number]]) -> Sum:
        """Return the sum of forms, each times its number, without the terms that vanish; raises as `drop_zeros`."""
        total: Sum = {}
        for form, factor in parts:
            self.add(total, form, factor)
        return self.drop_zeros(total)

    def scale(self, form: Sum, factor: Number) -> Sum:
        """Return the sum times a number that is not 0."""
        return {monomial: shorten(Fraction(number * factor)) for monomial, number in form.items()}

    def times(self, a: Sum, b: Sum) -> Sum:
        """Return the product of two sums, multiplied out, without terms that are 0 and may vanish (`drop_zeros`).

        Raises Swollen if more than `longest` terms are left.
        """
        total: Sum = {}
        for left, p in a.items():
            for right, q in b.items():
                monomial = self.product(left, right)
                total[monomial] = (total.get(monomial, 0) if total else 0) + p * q
        return self.drop_zeros(total)

    def divide(self, form: Sum, powers: Mapping[int, Number]) -> Sum:
        """Return `form` with each term divided by `powers`, {base: exponent}, without looking at domains.

        Positive powers are subtracted from positive exponents, negative from negative ones. For a base that a term does
        not have on that side of the fraction bar the inverse power is added. Raises Swollen.
        """
        total: Sum = {}
        for monomial, number in form.items():
            left = {base: -power for base, power in powers.items()}
            rest = []
            for base, exponent in monomial:
                if base in powers and exponent * powers[base] > 0:
                    left[base] += exponent
                else:
                    rest.append((base, exponent))
            key = self.product(tuple(rest), monomial_of(left))
            total[key] = total.get(key, 0) + number
        return self.drop_zeros(total)
