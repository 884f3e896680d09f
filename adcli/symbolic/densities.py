"""Densities of one sum: φ(w) is φ(u) e^((u² − w²)/2), by which S φ(d1) and K e^(−r T) φ(d2) of Black and Scholes
are equal. A sum is {monomial: number}, a monomial ((slot of a factor, exponent), …).
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import permutations

from ..table.identities import DENSITIES
from .identities import Identities
from .monomial_sums import ONE, Monomial, MonomialSums, Sum, quotient, shorten

_TERMS = 24  # of a formula that is multiplied out
_ROUNDS = 24  # how often factors of it are replaced by their own sums
_FREE = MonomialSums()  # products in which factors cancel wherever all have values and no divisor is 0


class Densities(Identities, ABC):
    """Sums in which two densities may become one; no replacement changes where a sum has a value."""

    def with_one_density(self, form: Sum) -> Iterator[Sum]:
        """Yield the sum with φ(w) replaced by φ(u) e^((u² − w²)/2), for each two densities φ(u), φ(w) in it.

        Only if that exponent is a sum of logarithms times whole numbers and of a rest that turns an exponential next to
        each φ(w) into another one of the sum, or into 1. Terms that then cancel are gone.
        """
        calls = {base: call for monomial in form for base, _ in monomial if (call := self._call(base)) is not None}
        densities = [(base, argument) for base, (name, argument) in calls.items() if name in DENSITIES]
        if len(densities) < 2:
            return
        exponentials = {base: self._expand(argument) for base, (name, argument) in calls.items() if name == "exp"}
        for (base, u), (other, w) in permutations(densities, 2):
            first, second = self._expand(u), self._expand(w)
            plus, minus = (_FREE.total([(first, 1), (second, sign)]) for sign in (1, -1))
            factor, rest = self._powers_and_rest(self._expand_sum(_FREE.times(plus, minus)))
            factor = _FREE.product(factor, ((base, 1), (other, -1)))
            total: Sum = {}
            for monomial, number in form.items():
                if (other, 1) in monomial:
                    joined = _join_exponentials(monomial, rest, exponentials)
                    if joined is None:
                        break
                    monomial = _FREE.product(joined, factor)
                total[monomial] = total.get(monomial, 0) + number
            else:
                total = {monomial: number for monomial, number in total.items() if number}
                pairs = ((form, total), (total, form))
                if total and all(self.is_evaluated(each, others) for parts, others in pairs for each in parts):
                    yield total

    def _powers_and_rest(self, form: Sum) -> tuple[Monomial, Sum]:
        """Return (factor, rest) with e^(form/2) = factor · e^rest: the powers that the logarithms of the sum stand for,
        and half of its other terms."""
        factor, rest = ONE, Sum()
        for monomial, number in form.items():
            half = quotient(number, 2)
            name, argument = (self._call(monomial[0][0]) if len(monomial) == 1 == monomial[0][1] else None) or ("", 0)
            if name != "log" or half.denominator != 1:
                rest[monomial] = half
                continue
            ((power, one), *others) = self._expand(argument).items()
            power = ((argument, 1),) if others or one != 1 else power
            factor = _FREE.product(factor, tuple([(base, exponent * half) for base, exponent in power]))
        return factor, rest

    def _expand(self, slot: int) -> Sum:
        """Return the sum that `slot` is, multiplied out as `_expand_sum` does."""
        return self._expand_sum(self.atom(slot))

    def _expand_sum(self, form: Sum) -> Sum:
        """Return the sum with the sums among its factors multiplied out and even powers of roots without the root.

        Equal to `form` wherever all its factors have values and no divisor is 0. What is found after _ROUNDS (24)
        rounds or with more than _TERMS (24) terms stays as it is.
        """
        for _ in range(_ROUNDS):
            steps = {monomial: self._expand_factor(monomial) for monomial in form}
            if len(form) > _TERMS or not any(steps.values()):
                break
            form = _FREE.total((step or {monomial: 1}, form[monomial]) for monomial, step in steps.items())
        return form

    def _expand_factor(self, monomial: Monomial) -> Sum | None:
        """Return the monomial with its first factor that is a sum to a positive power, a single term or an even power
        of a root replaced by what it is; None if there is none."""
        for place, (base, exponent) in enumerate(monomial):
            rest: Sum = {monomial[:place] + monomial[place + 1 :]: 1}
            row, inner = self.graph.rows[base], self._forms.get(base) or self.terms.get(base) or self.atom(base)
            if row is not None and row.name == "sqrt" and exponent % 2 == 0:
                return _FREE.times(rest, {((self.graph.parents[base][0], quotient(exponent, 2)),): 1})
            if inner == self.atom(base) or exponent.denominator != 1:
                continue
            if len(inner) == 1:
                ((powers, number),) = inner.items()
                raised = tuple([(factor, power * exponent) for factor, power in powers])
                return _FREE.times(rest, {raised: shorten(Fraction(number) ** int(exponent))})
            if exponent > 0:
                left: Sum = {((base, exponent - 1),) if exponent > 1 else ONE: 1}
                return _FREE.times(_FREE.times(rest, left), inner)
        return None


def _join_exponentials(monomial: Monomial, rest: Sum, exponentials: Mapping[int, Sum]) -> Monomial | None:
    """Return the monomial times e^rest: with an exponential in it replaced by another of `exponentials`, {slot: sum of
    its argument}, or left out; None if none fits."""
    if not rest:
        return monomial
    for base, argument in exponentials.items():
        if (base, 1) in monomial:
            wanted = _FREE.total([(argument, 1), (rest, 1)])
            fitting: list[Monomial] = [((other, 1),) for other, inner in exponentials.items() if inner == wanted]
            left = tuple([factor for factor in monomial if factor[0] != base])
            if not wanted or fitting:
                return _FREE.product(left, fitting[0] if wanted else ONE)
    return None
