"""Sums of monomials as short formulas: common factors before them, one denominator where it helps, terms in groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from .kernels import Kernels
from .knowledge import Knowledge
from .monomial_sums import ONE, Monomial, Number, Sum, content, exponent_of, monomial_of, quotient, single_powers
from .slot_sums import Key
from .terms import Term

_TERMS = 600  # of a sum that is multiplied out
_SHORT = 16  # the same where sums that may be 0 are multiplied out, which loses digits
_DEAR = 2  # how much shorter what loses digits must be
_HIGHEST = 64  # power of a sum that is multiplied out
_LOW = 2  # power of a sum that may be 0 and is multiplied out
_DEEP = 3  # groups inside groups
_SMALL = 250  # terms of a sum in which there are any
_FEW = 80  # terms of a sum for which more groupings are tried
_MANY = 8  # terms of a sum that is grouped by powers of an input too
_NESTED = 8  # sums inside sums that are multiplied out
_BELOW = 8  # polynomials of one denominator


class Collecting:
    """Writes sums over kernels in the shortest of a few ways."""

    def __init__(self, kernels: Kernels) -> None:
        self.kernels = kernels
        self.graph = kernels.graph
        self._anywhere = Knowledge(kernels.graph, seen=kernels.m.knowledge.seen)
        self._levels: dict[int, int] = {}
        self._short: dict[tuple[Key, int], Sum] = {}
        self._powers: dict[tuple[int, int, bool], Sum | None] = {}

    def written(self, form: Sum) -> Term:
        """The shortest of the ways to write a sum; what loses digits must be much shorter."""
        found: list[tuple[int, int, Sum]] = []
        for candidate, bold in self._candidates(form):
            short = self.kernels.flat(self._arranged(candidate, _DEEP if len(candidate) <= _SMALL else 1))
            found.append((self._cost(short) * (_DEAR if bold else 1), len(found), short))
        return self.kernels.written(self._ordered(min(found)[2]))

    def _candidates(self, form: Sum) -> Iterator[tuple[Sum, bool]]:
        """The sum itself, and multiplied out over one denominator for each function, or for all.

        Each with whether it is `bold`: whether sums that may be 0 were multiplied out in high powers.
        """
        yield form, False
        groups = self._groups(form, self._functions)
        below = {base for monomial in form for base, e in monomial if e < -_LOW and self.algebraic(base)}
        for bold in (False, True) if any(not self._never_zero(base) for base in below) else (False,):
            for whole in [{ONE: form}, groups] if len(groups) > 1 else [{ONE: form}]:
                total = self._multiplied_out(whole, bold)
                if total is not None:
                    yield total, bold

    def _multiplied_out(self, groups: dict[Monomial, Sum], bold: bool) -> Sum | None:
        total: Sum = {}
        for part, group in groups.items():
            common, lifted = self._lifted(group, bold)
            spread = self._spread(lifted, bold)
            if spread is None:
                return None
            for monomial, number in spread.items():
                key = self.kernels.product(self.kernels.product(monomial, common), part)
                total[key] = total.get(key, 0) + number
        return total

    def _ordered(self, form: Sum) -> Sum:
        """The sum by falling powers, if there is one kernel in it."""
        if len({base for monomial in form for base, _ in monomial}) > 1:
            return form
        return dict(sorted(form.items(), key=lambda term: -sum(exponent for _, exponent in term[0])))

    def _cost(self, form: Sum) -> int:
        """The operations of a sum, with fines for fractions, and more for those above or below a line."""
        nested = any(
            (number.denominator != 1 or any(exponent < 0 for _, exponent in monomial))
            and any(self._fractions(base) for base, _ in monomial)
            for monomial, number in form.items()
        )
        return self.kernels.operations(form) + 4 * nested

    def _fractions(self, base: int) -> bool:
        """Whether a kernel is a sum with a fraction in it."""
        return any(e < 0 for monomial in self.kernels.sums.get(base, ()) for _, e in monomial)

    # --- kinds of factors ---------------------------------------------------------------------------------------------

    def algebraic(self, base: int) -> bool:
        """Whether a kernel is an input or a polynomial of inputs, not too deep a one."""
        waiting = [] if base in self._levels else [base]
        while waiting:
            current = waiting[-1]
            inner = [b for monomial in self.kernels.sums.get(current, ()) for b, _ in monomial]
            missing = [b for b in inner if b not in self._levels]
            if not missing:
                self._levels[current] = self._level(current, inner)
                waiting.pop()
            waiting += missing
        return self._levels[base] <= _NESTED

    def _level(self, base: int, inner: Sequence[int]) -> int:
        """How many sums are inside sums; large for what is no polynomial."""
        if base in self.graph.inputs:
            return 0
        form = self.kernels.sums.get(base)
        if form is None or any(e < 0 or e.denominator != 1 for monomial in form for _, e in monomial):
            return _NESTED + 1
        return 1 + max([self._levels[b] for b in inner], default=_NESTED)

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

    def _lifted(self, form: Sum, bold: bool) -> tuple[Monomial, Sum]:
        """The common denominator of polynomials, and the sum times it.

        No domain changes: what stands below a line in one term stands below it still.
        """
        lowest: dict[int, Number] = {}
        for monomial in form:
            for base, exponent in monomial:
                if exponent < 0 and self.algebraic(base):
                    lowest[base] = min(lowest.get(base, exponent), exponent, exponent_of(base, monomial))
        if not 0 < len(lowest) <= _BELOW:
            return ONE, form
        for base, least in list(lowest.items()):
            near = not bold and least < -_LOW and not self._never_zero(base)
            if near or any((exponent_of(base, monomial) - least).denominator != 1 for monomial in form):
                del lowest[base]
        return monomial_of(lowest), self.kernels.divided(form, lowest)

    def _spread(self, form: Sum, bold: bool) -> Sum | None:
        """The sum with polynomials above the line multiplied out, unless that is too long."""
        total: Sum = {}
        near = False
        for monomial, number in form.items():
            factors: Sum = {}
            rest = []
            for base, exponent in monomial:
                whole = exponent > 0 and exponent.denominator == 1
                if whole and self.algebraic(base) and base not in self.graph.inputs:
                    power = self._power(base, int(exponent), bold)
                    near = near or not self._never_zero(base)
                    if power is None or len(power) * max(len(factors), 1) > _TERMS:
                        return None
                    factors = self.kernels.times(factors, power) if factors else power
                else:
                    rest.append((base, exponent))
            for inner, factor in (factors or {ONE: 1}).items():
                key = self.kernels.product(tuple(rest), inner)
                total[key] = total.get(key, 0) + number * factor
            if len(total) > (_SHORT if near and not bold else _TERMS):
                return None
        return self.kernels.settled(total)

    def _power(self, base: int, exponent: int, bold: bool) -> Sum | None:
        """A polynomial raised to a power, multiplied out; None where that is long, or loses digits."""
        if (base, exponent, bold) not in self._powers:
            found = self._spread(self.kernels.sums[base], bold)
            if exponent > 1:
                fair = exponent <= (_HIGHEST if bold or self._never_zero(base) else _LOW)
                below = self._power(base, exponent - 1, bold) if fair else None
                found = None if below is None or len(below) > _TERMS // 4 else self.kernels.times(below, found or {})
            self._powers[base, exponent, bold] = found
        return self._powers[base, exponent, bold]

    # --- common factors -----------------------------------------------------------------------------------------------

    def _arranged(self, form: Sum, depth: int) -> Sum:
        """The sum with common factors before it, its terms in groups."""
        form = self.kernels.flat(form)
        if len(form) < 2:
            return form
        key = frozenset(form.items()), depth
        if key not in self._short:
            common, inner = self._taken_out(form)
            inner = self.kernels.flat(inner)
            inputs = self.graph.inputs
            found = [inner]
            if depth > 0 and any(base not in inputs for monomial in inner for base, _ in monomial):
                found += [self._grouped(inner, part, depth - 1) for part in self._parts(inner, depth)]
            self._short[key] = self._times(common, min(found, key=self._cost))
        return self._short[key]

    def _parts(self, form: Sum, depth: int) -> Iterator[Callable[[Monomial], Monomial]]:
        """By what the terms of a sum may be grouped."""
        yield self._functions
        if len(form) >= _MANY:
            yield self._polynomials
        yield self._denominators
        if len(form) <= _FEW:
            counts: dict[int, int] = {}
            for monomial in form:
                for base, _ in monomial:
                    plain = self.algebraic(base) and (len(form) < _MANY or base not in self.graph.inputs)
                    if not plain and not self.graph.literal[base]:
                        counts[base] = counts.get(base, 0) + self.kernels.size(base)
            for wanted in sorted(counts, key=counts.__getitem__, reverse=True)[:depth]:
                yield partial(_of, wanted)

    def _grouped(self, form: Sum, part: Callable[[Monomial], Monomial], depth: int) -> Sum:
        """The sum with terms that share a part taken together."""
        groups = self._groups(form, part)
        if len(groups) in (1, len(form)):
            return form
        total: Sum = {}
        for shared, group in groups.items():
            short = self._arranged(group, depth)
            if len(short) > 1 and shared:
                short = {((self.kernels.slot_of(self._ordered(short)), 1),): 1}
            elif not shared:
                short = self.kernels.flat(short)
            for monomial, number in short.items():
                key = self.kernels.product(shared, monomial)
                total[key] = total.get(key, 0) + number
        return self._arranged(total, depth) if len(total) < len(form) else total

    def _taken_out(self, form: Sum) -> tuple[tuple[Monomial, Number], Sum]:
        """Return the factors of all terms, with the number that divides all numbers, and what is left of the sum."""
        divisor = content(form)
        if divisor.denominator != 1 and self.kernels.decimal:
            divisor = 1
        common: dict[int, Number] | None = None
        for monomial in form:
            powers = {**single_powers(monomial, 1), **single_powers(monomial, -1)}
            powers = {base: e for base, e in powers.items() if e == exponent_of(base, monomial)}
            common = powers if common is None else _common_powers(common, powers)
        inner = self.kernels.divided(form, common or {})
        if divisor != 1:
            inner = self.kernels.scaled(inner, quotient(1, divisor))
        return (monomial_of(common or {}), divisor), inner

    def _times(self, common: tuple[Monomial, Number], form: Sum) -> Sum:
        """A sum times a monomial, as one term where there is something before it."""
        monomial, number = common
        if not monomial and number == 1:
            return form
        if len(form) > 1:
            form = {((self.kernels.slot_of(self._ordered(form)), 1),): 1}
        return {self.kernels.product(monomial, inner): number * c for inner, c in form.items()}


def _common_powers(powers: Mapping[int, Number], others: Mapping[int, Number]) -> dict[int, Number]:
    """Return the powers that both have, by base: the smaller one above the line, those that are equal below it."""
    return {
        base: min(exponent, others[base])
        for base, exponent in powers.items()
        if base in others and (exponent == others[base] or min(exponent, others[base]) > 0)
    }


def _of(base: int, monomial: Monomial) -> Monomial:
    return tuple([pair for pair in monomial if pair[0] == base])


def _without(monomial: Monomial, part: Monomial) -> Monomial:
    return tuple([pair for pair in monomial if pair not in part])
