"""Monomials: products of powers of factors that are slots of a graph, and sums of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TypeAlias

from .guarded import GuardedTerms
from .knowledge import Knowledge, always_evaluated
from .terms import Term

Number: TypeAlias = Fraction | int
Monomial = tuple[tuple[int, Number], ...]
Sum = dict[Monomial, Number]
ONE: Monomial = ()


def single(monomial: Monomial, side: int) -> dict[int, Number]:
    """The factors above the line (side 1) or below it (-1) that stand there once, with the sizes of their powers."""
    there = [(base, exponent * side) for base, exponent in monomial if exponent * side > 0]
    bases = [base for base, _ in there]
    return {base: size for base, size in there if bases.count(base) == 1}


class Monomials:
    """Multiplies, weighs and writes monomials over the slots of a graph.

    A factor may stand twice, above and below the line, where it might be 0.
    """

    def __init__(self, m: GuardedTerms) -> None:
        self.m = m
        self.graph = m.graph
        self.decimal = any("." in constant.text for constant in m.graph.constants.values())
        self._sizes: list[int] = []

    # --- products -----------------------------------------------------------------------------------------------------

    def ordered(self, powers: Mapping[int, Number]) -> Monomial:
        return tuple(sorted(powers.items()))

    def product(self, a: Monomial, b: Monomial) -> Monomial:
        """The product; powers of one factor join where that changes no domain."""
        found = list(a)
        for base, exponent in b:
            for place, (other, power) in enumerate(found):
                if other == base and self.may_join(base, power, exponent):
                    joined = power + exponent
                    found[place : place + 1] = [(base, joined)] if joined else []
                    break
            else:
                found.append((base, exponent))
        return tuple(sorted(found))

    def may_join(self, base: int, p: Number, q: Number) -> bool:
        """Whether two powers of a factor are one power of it, with no other domain."""
        knowledge = self.m.knowledge
        if p.denominator != 1 and q.denominator != 1 and (p + q).denominator == 1:
            return knowledge.positive(base)
        return (p < 0) == (q < 0) or knowledge.never_zero(base)

    def power(self, monomial: Monomial, exponent: Number) -> Monomial | None:
        """The monomial raised to a power, if that changes no domain."""
        found: list[tuple[int, Number]] = []
        for base, power in monomial:
            knowledge = self.m.knowledge
            whole = power.denominator == 1 and exponent.denominator == 1
            if power != 1 and not whole and not knowledge.positive(base):
                return None
            if power < 0 and exponent < 0 and whole and not knowledge.never_zero(base):
                return None
            found.append((base, power * exponent))
        return tuple(found)

    def inverse(self, monomial: Monomial) -> Monomial:
        return tuple((base, -exponent) for base, exponent in monomial)

    def lifted(self, monomial: Monomial, common: Mapping[int, Number]) -> Monomial:
        """The monomial times a common denominator, its own part of that taken away."""
        own = {base: -exponent for base, exponent in monomial if exponent < 0}
        above = tuple(pair for pair in monomial if pair[1] > 0)
        left = {base: e - own.get(base, 0) for base, e in common.items() if e != own.get(base, 0)}
        return self.product(above, self.ordered(left))

    def without(self, monomial: Monomial, shared: Mapping[int, Number]) -> Monomial:
        """The monomial with shared factors taken out, each of which stands above the line once."""
        found = []
        for base, exponent in monomial:
            left = exponent - shared[base] if exponent > 0 and base in shared else exponent
            if left:
                found.append((base, left))
        return tuple(found)

    def has_value(self, monomial: Monomial) -> bool:
        """Whether the monomial has a value wherever the function has one."""
        knowledge = self.m.knowledge
        return all(
            knowledge.has_value(base)
            and (exponent > 0 or knowledge.never_zero(base))
            and (exponent.denominator == 1 or knowledge.never_negative(base))
            for base, exponent in monomial
        )

    def evaluated(self, monomial: Monomial, others: Iterable[Monomial]) -> bool:
        """Whether the monomial has a value wherever all of the others have."""
        factors = [factor for other in others for factor in other]
        always = always_evaluated(self.graph, [base for base, _ in factors])
        known = Knowledge(self.graph, always, valued=always, seen=self.m.knowledge.seen)
        for base, exponent in monomial:
            found = known.of(base)
            below = found.nonzero or any(base == other and e < 0 for other, e in factors)
            root = found.low >= 0 or any(base == other and e.denominator > 1 for other, e in factors)
            if not known.has_value(base) or (exponent < 0 and not below) or (exponent.denominator > 1 and not root):
                return False
        return True

    # --- what they cost -----------------------------------------------------------------------------------------------

    def size(self, slot: int) -> int:
        """How long a slot is when it is written out."""
        sizes, graph = self._sizes, self.graph
        while len(sizes) <= slot:
            current = len(sizes)
            row = graph.rows[current]
            inner = sum(sizes[parent] for parent in graph.parents[current])
            sizes.append(min(10**9, inner + (row is not None)))
        return sizes[slot]

    def cost(self, form: Sum) -> int:
        """How long a sum is when it is written out."""
        total = max(len(form) - 1, 0)
        for monomial, coefficient in form.items():
            above = below = 0
            for base, exponent in monomial:
                total += 2 * self.size(base) // 2 + (abs(exponent) != 1) + (exponent.denominator != 1) + 1
                if exponent > 0:
                    above += 1
                else:
                    below += 1
            above += abs(coefficient.numerator) != 1
            below += coefficient.denominator != 1
            total += (abs(coefficient.numerator) != 1) + (coefficient.denominator != 1)
            total += max(above - 1, 0) + max(below - 1, 0) + 2 * (below > 0)
        return total

    # --- writing ------------------------------------------------------------------------------------------------------

    def written(self, form: Sum) -> Term:
        """The sum as operations: polynomials by falling degree, otherwise as it came, no minus sign in front if it can
        be helped."""
        if not form:
            return self.m.number(0)
        terms = list(form.items())
        if all(self._degree(monomial) is not None for monomial, _ in terms):
            terms.sort(key=lambda term: -(self._degree(term[0]) or 0))
        else:
            terms.sort(key=lambda term: term[0] == ONE)
        first = next((place for place, (_, coefficient) in enumerate(terms) if coefficient > 0), 0)
        terms.insert(0, terms.pop(first))
        total: Term | None = None
        for monomial, coefficient in terms:
            if total is None:
                total = self._term(monomial, coefficient)
            elif coefficient < 0:
                total = self.m.write("sub", total, self._term(monomial, -coefficient))
            else:
                total = self.m.write("add", total, self._term(monomial, coefficient))
        assert total is not None  # the form is not empty  # noqa: S101
        return total

    def _degree(self, monomial: Monomial) -> Number | None:
        """The degree of a monomial in the inputs alone."""
        if all(self._polynomial(base) and e > 0 and e.denominator == 1 for base, e in monomial):
            return sum((e for base, e in monomial if base in self.graph.inputs), Fraction(0))
        return None

    def _polynomial(self, base: int) -> bool:
        return base in self.graph.inputs or bool(self.graph.literal[base])

    def _rank(self, base: int) -> tuple[int, int]:
        """Numbers first, then inputs, then functions, then sums."""
        row = self.graph.rows[base]
        if self.graph.literal[base]:
            return 0, base
        if row is None:
            return 1, base
        return (3 if row.name in ("add", "sub") else 2), base

    def _term(self, monomial: Monomial, coefficient: Number) -> Term:
        top, bottom = coefficient.numerator, coefficient.denominator
        above = [(base, e) for base, e in monomial if e > 0]
        below = [(base, -e) for base, e in monomial if e < 0]
        numbers: list[Term] = []
        sign = -1 if top < 0 else 1
        if self.decimal and bottom != 1 and (decimal := self._decimal(abs(Fraction(coefficient)))) is not None:
            numbers, bottom = [self.m.number(decimal)], 1
        elif abs(top) != 1:
            numbers = [self.m.number(abs(top))]
        if coefficient == 0:
            numbers, sign = [self.m.number(0)], 1
        factors = numbers + self._powers(above)
        if not factors:
            factors = [self.m.number(1)]
        if sign < 0:
            factors[0] = self.m.neg(factors[0])
        numerator = self._times(factors)
        under = ([self.m.number(bottom)] if bottom != 1 else []) + self._powers(below)
        return self.m.write("div", numerator, self._times(under)) if under else numerator

    def _decimal(self, number: Fraction) -> str | None:
        exact = self.m.exact(number.numerator, number.denominator)
        text = exact.decimal()
        return text if text is not None and len(text) <= 17 else None

    def _powers(self, pairs: list[tuple[int, Number]]) -> list[Term]:
        found: list[Term] = []
        for base, exponent in sorted(pairs, key=lambda pair: self._rank(pair[0])):
            term: Term = self.m.term(base)
            if exponent.denominator != 1:
                term = self.m.write("pow", term, self.m.write("div", exponent.numerator, exponent.denominator))
            elif exponent != 1:
                term = self.m.write("pow", term, exponent.numerator)
            found.append(term)
        return found

    def _times(self, factors: list[Term]) -> Term:
        product = factors[0]
        for factor in factors[1:]:
            product = self.m.write("mul", product, factor)
        return product
