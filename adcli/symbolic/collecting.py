"""Sums of monomials as short formulas: common factors before them, one denominator where that helps, like terms in groups."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import reduce

from .kernels import Kernels
from .knowledge import Knowledge
from .monomials import ONE, Monomial, Number, Sum
from .terms import Term

_TERMS = 600  # of a sum that is multiplied out
_HIGHEST = 64  # power of a sum that is multiplied out
_LOW = 2  # power of a sum that may be 0 and is multiplied out
_DEEP = 3  # groups inside groups
_FEW = 80  # terms of a sum for which more groupings are tried
_MANY = 8  # terms of a sum that is grouped by powers of an input too
_KEYS = 4  # functions by which such a sum is grouped


class Collecting:
    """Writes sums over kernels in the shortest of a few ways."""

    def __init__(self, kernels: Kernels) -> None:
        self.kernels = kernels
        self.graph = kernels.graph
        self.monomials = kernels.monomials
        self._anywhere = Knowledge(kernels.graph, seen=kernels.m.knowledge.seen)
        self._algebraic: dict[int, bool] = {}
        self._short: dict[tuple[frozenset[tuple[Monomial, Number]], int], Sum] = {}
        self._powers: dict[tuple[int, int], Sum | None] = {}

    def written(self, form: Sum) -> Term:
        """The shortest of the ways to write a sum."""
        found = [self._flat(self._arranged(candidate, _DEEP)) for candidate in self._candidates(form)]
        return self.monomials.written(min(found, key=self._cost))

    def _cost(self, form: Sum) -> int:
        """The operations of a sum, with fines for fractions, and more for those above or below a line."""
        total, nested = max(len(form) - 1, 0), False
        for monomial, number in form.items():
            above, below = int(abs(number.numerator) != 1), int(number.denominator != 1)
            for base, exponent in monomial:
                total += self.monomials.size(base) + (abs(exponent) != 1) + (exponent.denominator != 1)
                above, below = above + (exponent > 0), below + (exponent < 0)
            total += max(above - 1, 0) + below + (below > 0)
            nested = nested or (bool(below) and any(self._fractions(base) for base, _ in monomial))
        return total + 4 * nested

    def _fractions(self, base: int) -> bool:
        """Whether a kernel is a sum with a fraction in it."""
        return any(e < 0 for monomial in self.kernels.sums.get(base, ()) for _, e in monomial)

    def _candidates(self, form: Sum) -> Iterator[Sum]:
        """The sum itself, with one denominator for each function, and with one for all, multiplied out."""
        yield form
        groups = self._groups(form, self._functions)
        for whole in [{ONE: form}, groups] if len(groups) > 1 else [{ONE: form}]:
            total: Sum = {}
            for part, group in whole.items():
                common, lifted = self._lifted(group)
                spread = self._spread(lifted)
                if spread is None:
                    break
                for monomial, number in spread.items():
                    key = self.kernels.product(self.kernels.product(monomial, common), part)
                    total[key] = total.get(key, 0) + number
            else:
                yield {monomial: number for monomial, number in total.items()}

    # --- kinds of factors ---------------------------------------------------------------------------------------------

    def algebraic(self, base: int) -> bool:
        """Whether a kernel is an input or a polynomial of inputs."""
        if base not in self._algebraic:
            inner = self.kernels.sums.get(base)
            self._algebraic[base] = base in self.graph.inputs or bool(
                inner and all(b in self.graph.inputs and e > 0 for monomial in inner for b, e in monomial)
            )
        return self._algebraic[base]

    def _functions(self, monomial: Monomial) -> Monomial:
        """The factors of a monomial that are functions."""
        return tuple([pair for pair in monomial if not self.algebraic(pair[0])])

    def _polynomials(self, monomial: Monomial) -> Monomial:
        return tuple([pair for pair in monomial if self.algebraic(pair[0])])

    def _denominators(self, monomial: Monomial) -> Monomial:
        return tuple([(base, e) for base, e in monomial if e < 0 and base not in self.graph.inputs])

    def _groups(self, form: Sum, part: Callable[[Monomial], Monomial]) -> dict[Monomial, Sum]:
        """What each part of monomials is multiplied by."""
        groups: dict[Monomial, Sum] = {}
        for monomial, number in form.items():
            key = part(monomial)
            groups.setdefault(key, {})[_without(monomial, key)] = number
        return groups

    def _never_zero(self, base: int) -> bool:
        """Whether a kernel is an input, or a sum that is not 0 for any inputs: no digits are lost near its zeros."""
        return base in self.graph.inputs or self._anywhere.of(base).nonzero

    # --- denominators -------------------------------------------------------------------------------------------------

    def _lifted(self, form: Sum) -> tuple[Monomial, Sum]:
        """The common denominator of polynomials, and the sum times it.

        No domain changes: what stands below a line in one term stands below it still.
        """
        lowest: dict[int, Number] = {}
        for monomial in form:
            for base, exponent in monomial:
                if exponent < 0 and self.algebraic(base):
                    lowest[base] = min(lowest.get(base, -1), exponent, _power(monomial, base))
        for base, least in list(lowest.items()):
            if (least < -_LOW and not self._never_zero(base)) or any((_power(monomial, base) - lowest[base]).denominator != 1 for monomial in form):
                del lowest[base]
        if not lowest:
            return ONE, form
        total: Sum = {}
        for monomial, number in form.items():
            left = [(base, e) for base in lowest if (e := _power(monomial, base) - lowest[base])]
            key = tuple(sorted([*[pair for pair in monomial if pair[0] not in lowest], *left]))
            total[key] = total.get(key, 0) + number
        return tuple(sorted(lowest.items())), {key: number for key, number in total.items() if number} or total

    def _spread(self, form: Sum) -> Sum | None:
        """The sum with polynomials above the line multiplied out, unless that is too long."""
        total: Sum = {}
        for monomial, number in form.items():
            factors: Sum = {}
            rest = []
            for base, exponent in monomial:
                if exponent > 0 and exponent.denominator == 1 and base not in self.graph.inputs and self.algebraic(base):
                    power = self._power(base, int(exponent)) if exponent <= _LOW or self._never_zero(base) else None
                    if power is None or len(power) * max(len(factors), 1) > _TERMS:
                        return None
                    factors = self.kernels.times(factors, power) if factors else power
                else:
                    rest.append((base, exponent))
            for inner, factor in (factors or {ONE: 1}).items():
                key = self.kernels.product(tuple(rest), inner)
                total[key] = total.get(key, 0) + number * factor
            if len(total) > _TERMS:
                return None
        return {key: number for key, number in total.items() if number or not self.monomials.has_value(key)}

    def _power(self, base: int, exponent: int) -> Sum | None:
        """A polynomial raised to a power, multiplied out."""
        if (base, exponent) not in self._powers:
            found: Sum | None = self.kernels.sums[base]
            if exponent > 1:
                below = self._power(base, exponent - 1) if exponent <= _HIGHEST else None
                found = None if below is None or len(below) > _TERMS // 4 else self.kernels.times(below, found or {})
            self._powers[base, exponent] = found
        return self._powers[base, exponent]

    # --- common factors -----------------------------------------------------------------------------------------------

    def _flat(self, form: Sum) -> Sum:
        """The sum with sums among its terms taken apart."""
        sums = self.kernels.sums
        if not any(len(monomial) == 1 and monomial[0][1] == 1 and monomial[0][0] in sums for monomial in form):
            return form
        total: Sum = {}
        for monomial, number in form.items():
            inner = sums.get(monomial[0][0]) if len(monomial) == 1 and monomial[0][1] == 1 else None
            for each, factor in (inner or {monomial: 1}).items():
                total[each] = total.get(each, 0) + number * factor
        return {key: number for key, number in total.items() if number or not self.monomials.has_value(key)}

    def _arranged(self, form: Sum, depth: int) -> Sum:
        """The sum with common factors before it, its terms in groups."""
        form = self._flat(form)
        if len(form) < 2:
            return form
        key = frozenset(form.items()), depth
        if key not in self._short:
            common, inner = self._taken_out(form)
            inputs = self.graph.inputs
            found = [inner]
            if depth > 0 and any(base not in inputs for monomial in inner for base, _ in monomial):
                found += [self._grouped(inner, part, depth - 1) for part in self._parts(inner)]
            self._short[key] = self._times(common, min(found, key=self._cost))
        return self._short[key]

    def _parts(self, form: Sum) -> Iterator[Callable[[Monomial], Monomial]]:
        """By what the terms of a sum may be grouped."""
        yield self._functions
        yield self._polynomials
        yield self._denominators
        if len(form) <= _FEW:
            counts: dict[int, int] = {}
            for monomial in form:
                for base, _ in monomial:
                    plain = self.algebraic(base) and (len(form) < _MANY or base not in self.graph.inputs)
                    if not plain and not self.graph.literal[base]:
                        counts[base] = counts.get(base, 0) + self.monomials.size(base)
            for wanted in sorted(counts, key=counts.__getitem__, reverse=True)[:_KEYS]:
                yield lambda monomial, wanted=wanted: tuple([pair for pair in monomial if pair[0] == wanted])

    def _grouped(self, form: Sum, part: Callable[[Monomial], Monomial], depth: int) -> Sum:
        """The sum with terms that share a part taken together."""
        groups = self._groups(form, part)
        if len(groups) in (1, len(form)):
            return form
        total: Sum = {}
        for shared, group in groups.items():
            short = self._arranged(group, depth)
            if len(short) > 1 and shared:
                short = {((self.kernels.slot(short, None), 1),): 1}
            elif not shared:
                short = self._flat(short)
            for monomial, number in short.items():
                key = self.kernels.product(shared, monomial)
                total[key] = total.get(key, 0) + number
        return self._arranged(total, depth) if len(total) < len(form) else total

    def _taken_out(self, form: Sum) -> tuple[tuple[Monomial, Number], Sum]:
        """The factors of all terms, and what is left."""
        content = self._content(form)
        above: dict[int, Number] | None = None
        below: dict[int, Number] | None = None
        for monomial in form:
            mine = dict(monomial)
            if len(mine) < len(monomial):
                mine = {base: e for base, e in monomial if sum(b == base for b, _ in monomial) == 1}
            up = {base: e for base, e in mine.items() if e > 0}
            down = {base: e for base, e in mine.items() if e < 0}
            above = up if above is None else {b: min(e, up[b]) for b, e in above.items() if b in up}
            below = down if below is None else {b: e for b, e in below.items() if down.get(b) == e}
        common = {**(above or {}), **(below or {})}
        inner: Sum = {}
        for monomial, number in form.items():
            left = [(base, e - common[base] if base in common else e) for base, e in monomial]
            key = tuple([pair for pair in left if pair[1]])
            inner[key] = inner.get(key, 0) + _short(Fraction(number) / content)
        return (tuple(sorted(common.items())), _short(content)), inner

    def _content(self, form: Sum) -> Fraction:
        """What divides all numbers of a sum."""
        numbers = [Fraction(number) for number in form.values()]
        if not any(numbers):
            return Fraction(1)
        if self.monomials.decimal and any(number.denominator != 1 for number in numbers):
            content = Fraction(1)
        else:
            content = Fraction(math.gcd(*(n.numerator for n in numbers)), math.lcm(*(n.denominator for n in numbers)))
        return -content if all(number <= 0 for number in numbers) else content

    def _times(self, common: tuple[Monomial, Number], form: Sum) -> Sum:
        """A sum times a monomial, as one term where there is something before it."""
        monomial, number = common
        if not monomial and number == 1:
            return form
        if len(form) > 1:
            form = {((self.kernels.slot(form, None), 1),): 1}
        return {self.kernels.product(monomial, inner): number * c for inner, c in form.items()}


def _power(monomial: Monomial, base: int) -> Number:
    return reduce(lambda total, pair: total + pair[1] if pair[0] == base else total, monomial, 0)


def _without(monomial: Monomial, part: Monomial) -> Monomial:
    return tuple([pair for pair in monomial if pair not in part])


def _short(number: Fraction) -> Number:
    return number.numerator if number.denominator == 1 else number
