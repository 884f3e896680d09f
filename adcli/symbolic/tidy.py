"""Derivatives as a mathematician would leave them: like terms collected, one fraction where that is shorter.

Sums and products are read as sums of monomials over factors that are left as they are, and written again in the
shortest of a few forms.  Nothing is cancelled that could be 0 where the rest has a value: no domain changes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from ..graph.graph import Graph
from ..graph.order import ancestors
from .guarded import GuardedTerms
from .monomials import ONE, Monomial, Monomials, Number, Sum, single

_INLINE = 12  # operations of a shared part that is small enough to be written at every use
_TERMS = 120  # terms of a sum that are looked at together
_FEW = 24  # terms of a sum in which common factors are looked for
_SPREAD = 8  # terms of a factor that may be multiplied out
_ROUNDS = 24  # how often sums are multiplied out
_DEEP = 3  # how often a numerator is looked at again
_SMALL = 800  # slots of a graph in which that is done
_HUGE = 10**15


class Tidy:
    """Rewrites slots of a graph; `given` is the number of slots that are the user's own and stay as written."""

    def __init__(self, m: GuardedTerms, outputs: Sequence[int], *, given: int, inline: int = _INLINE) -> None:
        self.m = m
        self.graph: Graph = m.graph
        self.given = given
        self.inline = inline
        self.depth = _DEEP if sum(ancestors(m.graph, outputs)) <= _SMALL else 1
        self.monomials = Monomials(m)
        self._forms: dict[int, Sum] = {}
        self._shortest: dict[object, Sum] = {}
        self._written: dict[object, int] = {}
        self._sums: dict[int, Sum] = {}
        self._built: dict[int, int] = {}
        self.results = self._rewritten(outputs)

    def _rewritten(self, outputs: Sequence[int]) -> list[int]:
        graph = self.graph
        needed = ancestors(graph, outputs)
        self._uses = [0] * len(graph)
        for slot, parents in enumerate(graph.parents):
            if needed[slot]:
                for parent in parents:
                    self._uses[parent] += 1
        arithmetic: dict[str, Callable[..., Sum]] = {
            "add": self._add, "sub": self._sub, "mul": self._mul, "div": self._div, "neg": self._neg, "pow": self._pow,
        }  # fmt: skip
        for slot in [slot for slot in range(len(graph)) if needed[slot]]:
            row, exact = graph.rows[slot], self._number(slot)
            if exact is not None:
                self._forms[slot] = {ONE: exact} if exact else {}
            elif row is None or graph.literal[slot]:
                self._forms[slot] = self._atom(slot)
            elif row.name in arithmetic:
                self._forms[slot] = arithmetic[row.name](slot, *graph.parents[slot])
            else:
                self._forms[slot] = self._atom(self._applied(slot))
        return [self._close_old(slot) for slot in outputs]

    def _number(self, slot: int) -> Fraction | None:
        if not self.graph.literal[slot]:
            return None
        exact = self.m.rational(self.m.term(slot))
        return None if exact is None else Fraction(exact.numerator, exact.denominator)

    def _atom(self, slot: int) -> Sum:
        return {((slot, Fraction(1)),): Fraction(1)}

    def _applied(self, slot: int) -> int:
        """A function with its arguments rewritten; the user's own stays as it is."""
        if slot < self.given:
            return slot
        row = self.graph.rows[slot]
        assert row is not None  # only functions are applied  # noqa: S101
        return self.m.write(row.name, *(self.m.term(self._close_old(p)) for p in self.graph.parents[slot])).slot

    def _close_old(self, slot: int) -> int:
        """The slot that stands for a slot of the graph as it was."""
        if slot not in self._built:
            own = slot < self.given or self.graph.rows[slot] is None or bool(self.graph.literal[slot])
            self._built[slot] = self._kept(slot) if own else self._close(self._forms[slot])
        return self._built[slot]

    def _kept(self, slot: int) -> int:
        """The user's own sum as written, known as a sum all the same."""
        form = self._forms[slot]
        if len(form) > 1:
            self._sums[slot] = form
            self._written.setdefault(frozenset(form.items()), slot)
            return self._written[frozenset(form.items())]
        return slot

    def _form(self, slot: int) -> Sum:
        """What a slot is as an argument; a large part that is used elsewhere too stays one part."""
        form = self._forms[slot]
        limit = self.inline if len(form) > 1 else 3 * self.inline
        if self._uses[slot] > 1 and not self.graph.literal[slot] and self.monomials.cost(form) > limit:
            return self._atom(self._close_old(slot))
        return form

    # --- arithmetic on forms ------------------------------------------------------------------------------------------

    def _add(self, slot: int, a: int, b: int, sign: int = 1) -> Sum:
        left, right = self._form(a), self._form(b)
        if len(left) + len(right) > _TERMS:
            left = left if len(left) <= 1 else self._atom(self._close_old(a))
            right = right if len(right) <= 1 else self._atom(self._close_old(b))
        total: Sum = {}
        self._accumulate(total, self._flat(left), Fraction(1))
        self._accumulate(total, self._flat(right), Fraction(sign))
        return total

    def _flat(self, form: Sum) -> Sum:
        """The form with small sums among its terms taken apart."""
        total: Sum = {}
        for monomial, coefficient in form.items():
            inner = self._sums.get(monomial[0][0], {}) if len(monomial) == 1 and monomial[0][1] == 1 else {}
            if 0 < len(inner) < _SPREAD:
                self._accumulate(total, inner, coefficient)
            else:
                self._accumulate(total, {monomial: coefficient}, Fraction(1))
        return total

    def _accumulate(self, total: Sum, more: Sum, factor: Number) -> None:
        """Adds terms; what cancels goes, unless it might have had no value."""
        for monomial, coefficient in more.items():
            found = total.get(monomial, Fraction(0)) + factor * coefficient
            if found or not self.monomials.has_value(monomial):
                total[monomial] = found
            else:
                total.pop(monomial, None)

    def _sub(self, slot: int, a: int, b: int) -> Sum:
        return self._add(slot, a, b, -1)

    def _neg(self, slot: int, a: int) -> Sum:
        return {monomial: -coefficient for monomial, coefficient in self._form(a).items()}

    def _mul(self, slot: int, a: int, b: int) -> Sum:
        return self._product(self._factor(self._form(a), a), self._factor(self._form(b), b)) or self._opaque(slot)

    def _div(self, slot: int, a: int, b: int) -> Sum:
        below = self._power(self._factor(self._form(b), b), Fraction(-1))
        return (below and self._product(self._factor(self._form(a), a), below)) or self._opaque(slot)

    def _pow(self, slot: int, a: int, b: int) -> Sum:
        exponent = self._number(b)
        if exponent is None:
            return self._general_power(slot, a, b)
        if not exponent:
            return self._opaque(slot)
        return self._power(self._factor(self._form(a), a), exponent) or self._opaque(slot)

    def _general_power(self, slot: int, a: int, b: int) -> Sum:
        """a^(b - 1) as a^b/a, where a cannot be 0."""
        form = dict(self._form(b))
        whole = form.get(ONE, Fraction(0))
        base = self._close_old(a)
        if slot < self.given or whole.denominator != 1 or not whole or not self.m.knowledge.positive(base):
            return self._opaque(slot)
        del form[ONE]
        power = self.m.write("pow", self.m.term(base), self.m.term(self._close(form))).slot
        return self._product(self._atom(power), {((base, whole),): Fraction(1)}) or self._opaque(slot)

    def _opaque(self, slot: int) -> Sum:
        return self._atom(self._applied(slot))

    def _factor(self, form: Sum, slot: int) -> Sum:
        """A form as one term: a sum becomes a factor that is left as it is, in its shortest form."""
        if len(form) == 1:
            return form
        if not form:
            return form
        if slot < self.given:
            return self._atom(self._close_old(slot))
        return self._sum_factor(form)

    def _sum_factor(self, form: Sum) -> Sum:
        short = self._short(form, self.depth)
        return short if len(short) == 1 else self._without_content(short)

    def _without_content(self, form: Sum) -> Sum:
        """A sum as a factor, with what divides all its numbers before it."""
        numbers = list(form.values())
        whole = all(number.denominator == 1 for number in numbers)
        if not whole and (self.monomials.decimal or any(number.denominator == 1 for number in numbers)):
            content = Fraction(1)
        else:
            content = Fraction(math.gcd(*(n.numerator for n in numbers)), math.lcm(*(n.denominator for n in numbers)))
        if all(number < 0 for number in numbers):
            content = -content
        if content == 1 or not content:
            return self._atom(self._closed(form))
        inner = self._closed({monomial: number / content for monomial, number in form.items()})
        return {((inner, Fraction(1)),): content}

    def _product(self, a: Sum, b: Sum) -> Sum | None:
        if not a or not b:
            return None
        ((left, p),), ((right, q),) = a.items(), b.items()
        if max(abs((p * q).numerator), (p * q).denominator) > _HUGE:
            return None
        return {self.monomials.product(left, right): p * q}

    def _power(self, form: Sum, exponent: Fraction) -> Sum | None:
        if not form:
            return None
        ((monomial, coefficient),) = form.items()
        whole = exponent.denominator == 1
        if abs(exponent) > 64 or not coefficient:
            return None
        if not whole and (coefficient != 1 or len(monomial) != 1 or monomial[0][1] != 1):
            return self._power(self._atom(self._close(form)), exponent)
        raised = self.monomials.power(monomial, exponent)
        if raised is None:
            return {((self._close(form), exponent),): Fraction(1)}
        factor = coefficient ** int(exponent) if whole else coefficient
        return None if max(abs(factor.numerator), factor.denominator) > _HUGE else {raised: factor}

    # --- the shortest form --------------------------------------------------------------------------------------------

    def _close(self, form: Sum) -> int:
        """The slot of a form, written in its shortest way."""
        short = self._short(form, self.depth)
        key = frozenset(short.items())
        if key not in self._written:
            slot = self.monomials.written(short).slot
            self._written[key] = slot
            if len(short) > 1:
                self._sums.setdefault(slot, short)
        return self._written[key]

    def _short(self, form: Sum, depth: int) -> Sum:
        """The cheapest of a few equal forms."""
        if not form or depth <= 0:
            return form
        form = self._without_zeros(self._flat(form))
        key = (frozenset(form.items()), depth)
        if key not in self._shortest:
            spread = []
            if len(form) > 1 or self._has_fractions(form):
                spread = [self._spread(form, powers) for powers in ((False, True) if depth == _DEEP else (False,))]
            found = [form]
            for candidate in [form, *(self._without_zeros(sums) for sums in spread if sums is not None)]:
                found += [candidate, *self._one_fraction(candidate, depth), *self._factored(candidate, depth)]
                found += self._grouped(candidate, depth)
            found = [self._without_zeros(sums) for sums in found]
            self._shortest[key] = min(found, key=lambda sums: self.monomials.cost(sums) + 4 * self._has_fractions(sums))
        return self._shortest[key]

    def _without_zeros(self, form: Sum) -> Sum:
        """The sum without terms that are 0 and have values wherever the others have."""
        zeros = [monomial for monomial, coefficient in form.items() if not coefficient]
        if not zeros or len(zeros) == len(form):
            return form
        kept = {monomial: coefficient for monomial, coefficient in form.items() if coefficient}
        return kept | {monomial: Fraction(0) for monomial in zeros if not self.monomials.evaluated(monomial, kept)}

    def _has_fractions(self, form: Sum) -> bool:
        """Whether a term is a fraction with a sum of fractions above its line, which is not how one leaves it."""
        return any(
            exponent < 0
            for monomial in form
            if any(power < 0 for _, power in monomial)
            for factor, power in monomial
            if power == 1
            for inner in self._sums.get(factor, ())
            for base, exponent in inner
        )

    def _spread(self, form: Sum, powers: bool) -> Sum | None:
        """The form with small sums among its factors multiplied out, as far as it goes with `powers` of sums."""
        changed = False
        total = form
        for _ in range(_ROUNDS if powers else 1):
            found: Sum = {}
            again = False
            for monomial, coefficient in total.items():
                place = self._sum_place(monomial, powers)
                if place is None:
                    self._accumulate(found, {monomial: coefficient}, Fraction(1))
                    continue
                again = True
                base, exponent = monomial[place]
                left = ((base, exponent - 1),) if exponent > 1 else ()
                rest = (*monomial[:place], *left, *monomial[place + 1 :])
                for inner, factor in self._sums[base].items():
                    self._accumulate(found, {self.monomials.product(rest, inner): factor}, coefficient)
            if not again:
                break
            total, changed = found, True
            if len(total) > _TERMS:
                return None
        return total if changed else None

    def _sum_place(self, monomial: Monomial, powers: bool) -> int | None:
        """Where a monomial has a sum as a factor that may be multiplied out."""
        for place, (base, exponent) in enumerate(monomial):
            size = len(self._sums.get(base, ()))
            whole = exponent == 1 or (powers and exponent > 0 and exponent.denominator == 1)
            if whole and 0 < size <= (_TERMS if powers else _SPREAD):
                return place
        return None

    def _one_fraction(self, form: Sum, depth: int) -> list[Sum]:
        """The form over one denominator, if all terms have a part of it in common."""
        if len(form) < 2:
            return []
        below = [single(monomial, -1) for monomial in form]
        if not set.intersection(*(set(found) for found in below)):
            return []
        if any(len(found) < sum(e < 0 for _, e in monomial) for found, monomial in zip(below, form, strict=True)):
            return []  # a factor stands below the line twice
        common: dict[int, Number] = {}
        for found in below:
            for base, exponent in found.items():
                common[base] = max(common.get(base, Fraction(0)), exponent)
        lifted = self.monomials.ordered(common)
        numerator: Sum = {}
        for monomial, coefficient in form.items():
            self._accumulate(numerator, {self.monomials.lifted(monomial, common): coefficient}, Fraction(1))
        return self._over(numerator, self.monomials.inverse(lifted), depth)

    def _factored(self, form: Sum, depth: int) -> list[Sum]:
        """The form with the functions that all terms share taken out."""
        if not 2 <= len(form) <= _FEW:
            return []
        shared = None
        for monomial in form:
            mine = {base: e for base, e in single(monomial, 1).items() if base not in self.graph.inputs}
            shared = (
                mine if shared is None else {base: min(e, mine[base]) for base, e in shared.items() if base in mine}
            )
        if not shared:
            return []
        common = self.monomials.ordered(shared)
        rest: Sum = {}
        for monomial, coefficient in form.items():
            self._accumulate(rest, {self.monomials.without(monomial, shared): coefficient}, Fraction(1))
        return self._over(rest, common, depth)

    def _grouped(self, form: Sum, depth: int) -> list[Sum]:
        """The form with a function that several terms share, not all, taken out of these."""
        if len(form) > _FEW:
            return []
        counts: dict[int, int] = {}
        for monomial in form:
            for base, exponent in monomial:
                if exponent > 0 and base not in self.graph.inputs and not self.graph.literal[base]:
                    counts[base] = counts.get(base, 0) + 1
        found = []
        for base, count in counts.items():
            if not 1 < count < len(form):
                continue
            group = {monomial: c for monomial, c in form.items() if any(b == base and e > 0 for b, e in monomial)}
            for product in self._factored(group, depth):
                total = dict(product)
                self._accumulate(total, {mono: c for mono, c in form.items() if mono not in group}, Fraction(1))
                found.append(total)
        return found

    def _over(self, form: Sum, factor: Monomial, depth: int) -> list[Sum]:
        """A sum times a monomial, as one term; no terms times what might have no value are still that."""
        if not form:
            return [form if self.monomials.has_value(factor) else {factor: Fraction(0)}]
        short = self._short(form, depth - 1)
        if len(short) > 1:
            short = self._without_content(short)
        product = self._product(short, {factor: Fraction(1)})
        return [] if product is None else [product]

    def _closed(self, short: Sum) -> int:
        key = frozenset(short.items())
        if key not in self._written:
            self._written[key] = self.monomials.written(short).slot
            self._sums.setdefault(self._written[key], short)
        return self._written[key]


def tidied(m: GuardedTerms, outputs: Sequence[int], given: int) -> list[int]:
    """The slots of the outputs rewritten."""
    return Tidy(m, outputs, given=given).results
