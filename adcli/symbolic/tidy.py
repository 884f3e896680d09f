"""Tidy derivatives, as a mathematician would leave them: like terms collected, one fraction where that is shorter. A
sum is {monomial: number}, a monomial ((slot of a factor, exponent), …); a factor may itself be a sum. The user's
function is in the slots below `first_new_slot`, its derivative in those that follow.

Sums and products are read as sums of monomials over factors that are left as they are, and written again in the
shortest of a few forms. Nothing is cancelled that could be 0 where the rest has a value: no domain changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import reduce

from ..graph.order import ancestors, count_uses
from ..records import grouped
from ..table.identities import HYPOTENUSES
from ..typings import override
from .guarded import GuardedTerms
from .knowledge import Knowledge
from .monomial_sums import (
    ONE,
    Monomial,
    Number,
    Sum,
    Swollen,
    common_powers,
    content,
    monomial_of,
    quotient,
    single_powers,
)
from .slot_sums import Key
from .sum_identities import Identities
from .terms import Term

_REVERSED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}  # of negative numbers
_INLINE = 12  # operations of a sum with more than one use that is small enough to be written at each; thrice for a term
_PENALTY = 4  # operations by which a fraction inside a fraction, and sin^2 written with cos^2, must be shorter
_TERMS = 120  # terms of a sum that are looked at together
_SHORT = 4  # terms of a sum that are put over one denominator though not all have a divisor
_FEW = 24  # terms of a sum in which common factors are looked for
_COPIES = 4  # uses from which a long product stays one factor
_SPREAD = 7  # terms of a factor that may be multiplied out
_ROUNDS = 24  # how often sums are multiplied out
_DEEP = 3  # how often a numerator is looked at again
_SMALL = 800  # slots of a graph in which that is done
_MOST_FACTORS = 100_000  # factors of all terms of the sums that are shortened
_MOST_NEW = 2000  # slots that looking at parts of sums may append to a graph


class Tidy(Identities):
    """Slots of a graph rewritten in short forms; `results` are those of the outputs."""

    highest = 64
    largest = 10**15

    def __init__(
        self,
        m: GuardedTerms,
        outputs: Sequence[int],
        first_new_slot: int,
        function: Knowledge | None = None,
        keeps_divisors: bool = False,
    ) -> None:
        """Rewrite the slots `outputs` of the graph of `m`, to which new slots are appended; sets `results`, in the same
        order.

        Slots below `first_new_slot` are the user's own and stay as written. `function` has the facts that hold where
        the function has a value (None: no facts). With `keeps_divisors` x^3/x becomes x^2*x/x if x might be 0; without,
        it stays.
        """
        super().__init__(m, first_new_slot)
        self.keeps_divisors = keeps_divisors
        self.function = function
        self.most_slots = len(m.graph) + _MOST_NEW
        self.depth = _DEEP if sum(ancestors(m.graph, outputs)) <= _SMALL else 1
        self._forms: dict[int, Sum] = {}
        self._shortest: dict[tuple[Key, int], Sum] = {}
        self._without_proven_zeros: dict[Key, Sum] = {}
        self._built: dict[int, int] = {}
        self._factors = 0  # of the terms of all sums that were shortened
        self.results = self._rewrite_outputs(outputs)

    def _rewrite_outputs(self, outputs: Sequence[int]) -> list[int]:
        """Return the slots of the outputs rewritten (`rewrite_slot`), in their order.

        All slots that they need are read first, arguments before operations, into `_forms`; `_uses` counts how often
        each is an argument.
        """
        graph = self.graph
        needed = ancestors(graph, outputs)
        self._uses = count_uses(graph, needed)
        for slot in [slot for slot in range(len(graph)) if needed[slot]]:
            self._forms[slot] = self.read(slot)
        return [self.rewrite_slot(slot) for slot in outputs]

    # --- reading ------------------------------------------------------------------------------------------------------

    @override
    def read(self, slot: int) -> Sum:
        """Return the sum that a slot is; numbers that are not rational (`2*pi`) stay as they are."""
        if self.graph.literal[slot] and self.number(slot) is None:
            return self.atom(slot)
        form = super().read(slot)
        return form if slot < self.first_new_slot else self.with_names(form)

    @override
    def operand(self, slot: int) -> Sum:
        """Return the sum that `slot` is taken as where it is an argument.

        As a rule it is the slot's sum. A long slot that is used several times is a single term: the sum that `terms`
        ({slot: sum}) has for the rewritten slot, if that is one term and `slot` has fewer than 4 uses; the rewritten
        slot as a factor if not. Long is a cost of more than 12 operations and factors, more than 36 for a sum of one
        term; literals are never long.
        """
        form = self._forms[slot]
        limit = _INLINE if len(form) > 1 else 3 * _INLINE
        if self._uses[slot] > 1 and not self.graph.literal[slot] and self._cost(form) > limit:
            closed = self.rewrite_slot(slot)
            short = self.terms.get(closed, {})
            return short if len(short) == 1 and self._uses[slot] < _COPIES else self.atom(closed)
        return form

    @override
    def sum_of_function(self, slot: int) -> Sum:
        """Return the slot of a function rewritten, with rewritten arguments, as a sum of one factor.

        An input, and a slot below `first_new_slot`, stay as they are. hypot(a, b) and its like become sqrt(a^2 + b^2).
        A comparison of one term and a number with 0 is simplified (-n > 0 is n < 0).
        """
        row = self.graph.rows[slot]
        if slot < self.first_new_slot or row is None:
            return self.atom(slot)
        if row.name in HYPOTENUSES:
            legs = [self.factor(self.operand(parent), parent) for parent in self.graph.parents[slot]]
            squares = self.total((self.times(leg, leg), 1) for leg in legs)
            return self.atom(self.m.write("sqrt", self.m.term(self.close(squares))).slot)
        arguments = [self.m.term(self.rewrite_slot(parent)) for parent in self.graph.parents[slot]]
        solved = self._solve_comparison(slot)
        return self.atom((self.m.write(row.name, *arguments) if solved is None else solved).slot)

    def _solve_comparison(self, slot: int) -> Term | None:
        """Return the comparison in `slot`, of a·t + b with 0, as one of t with the number -b/a: 2*n - 2 == 0 is n == 1.

        t is a product of inputs, a and b are numbers. None if `slot` is not such a comparison, if nothing changes (a =
        1, b = 0), or if -b/a is not whole. None also if the formula will be differentiated: its cases are recognised by
        the conditions of the function.
        """
        row, parents = self.graph.row(slot), self.graph.parents[slot]
        if self.m.later or row.name not in _REVERSED or self._forms[parents[1]]:
            return None
        form = dict(self._forms[parents[0]])
        offset = form.pop(ONE, 0)
        ((monomial, number), *others) = form.items() or [(ONE, 0)]
        place = quotient(-offset, number) if number else Fraction(1, 2)
        changes = (number, offset) != (1, 0) and all(base in self.graph.inputs for base, _ in monomial)
        if others or not changes or place.denominator != 1:
            return None
        name = _REVERSED[row.name] if number < 0 else row.name
        return self.m.write(name, self.m.term(self.close({monomial: 1})), int(place))

    @override
    def rewrite_slot(self, slot: int) -> int:
        """Return the slot that `slot` is rewritten as; cached.

        The user's own slots, inputs and literals stay; if their sum has several terms, it is entered in `sums`. Every
        other slot is written from its sum in the shortest way (`close`).
        """
        if slot not in self._built:
            form = self._forms[slot]
            if slot >= self.first_new_slot and self.graph.rows[slot] is not None and not self.graph.literal[slot]:
                self._built[slot] = self.close(form)
            else:
                self._built[slot] = self.slot_of(form, slot) if len(form) > 1 else slot
        return self._built[slot]

    @override
    def close(self, form: Sum, slot: int | None = None) -> int:
        """Return the slot of a sum, written in its shortest way."""
        return self.slot_of(self._short(form, self.depth))

    @override
    def read_sum(self, slot: int, signs: Sequence[int]) -> Sum:
        """Return the sum in `slot`, whose arguments have these `signs`.

        Sums of at most 7 terms among its terms are replaced by their terms, except in a negation (a single sign). If
        all arguments together have more than 120 terms, each argument that is a sum stays one factor. Raises Swollen
        for a sum of more than 10,000 terms.
        """
        parents = self.graph.parents[slot]
        forms = [self.operand(parent) for parent in parents]
        if sum(map(len, forms)) > _TERMS:
            forms = [
                self.atom(self.rewrite_slot(parent)) if len(form) > 1 else form
                for form, parent in zip(forms, parents, strict=True)
            ]
        if len(signs) > 1:
            forms = [self.flatten(form, _SPREAD) for form in forms]
        return self.total(zip(forms, signs, strict=True))

    @override
    def factor(self, form: Sum, slot: int) -> Sum:
        """Return the sum `form` as one term.

        A `form` of fewer than two terms is returned itself. If `slot`, from which the sum was made, belongs to the
        user's function, the term is that slot as the user wrote it, with minus signs before it taken out as a factor.
        Otherwise it is the shortest form, without its common number (`_without_content`).
        """
        if len(form) < 2:
            return form
        if slot < self.first_new_slot:
            sign = 1
            while negated := self.m.parts(self.m.term(slot), "neg"):  # else -(x+y) and x+y would be different factors
                sign, slot = -sign, negated[0].slot
            return self.scale(self.atom(self.rewrite_slot(slot)), sign)
        return self._without_content(self._short(form, self.depth))

    @override
    def _general_power(self, slot: int, a: int, b: int) -> Sum:
        return self.atom(slot) if slot < self.first_new_slot else super()._general_power(slot, a, b)

    def _without_content(self, form: Sum) -> Sum:
        """Return a sum as one term: a factor (the slot of the sum divided by a number) times this number.

        The number is the `content` of the sum. It is only 1 or -1 (if no number is positive) if some numbers are
        fractions and others are not, or if some are and the formula has decimals. A single term is returned as it is.
        """
        if len(form) < 2:
            return form
        divisor = content(form)
        fractions = sum(number.denominator != 1 for number in form.values())
        if fractions and (self.decimal or fractions < len(form)):
            divisor = -1 if divisor < 0 else 1
        inner = form if divisor == 1 else self.scale(form, quotient(1, divisor))
        return {((self.slot_of(inner), 1),): divisor}

    # --- the shortest form --------------------------------------------------------------------------------------------

    def _short(self, form: Sum, depth: int) -> Sum:
        """Return the cheapest of a few equal forms (with no other domain); cached.

        Candidates are the forms of `_starts`, each as it is, over one denominator, with common factors taken out, and
        grouped; `depth` is how often the parts of a form are shortened in turn. `form` itself with depth 0, if it is
        empty, and for a part if the graph has grown by more than 2,000 slots. Raises Swollen for a sum of more than
        10,000 terms, and if all sums that were shortened have more than 100,000 factors.
        """
        if not form or depth <= 0 or (depth < self.depth and len(self.graph) > self.most_slots):
            return form
        form = self._without_zeros(self.flatten(form, _SPREAD))
        key = (frozenset(form.items()), depth)
        if key not in self._shortest:
            self._factors += sum(map(len, form))
            if self._factors > _MOST_FACTORS:
                raise Swollen(f"more than {_MOST_FACTORS} factors")
            starts: dict[Key, tuple[Sum, int]] = {}
            candidates: dict[Key, tuple[Sum, int]] = {}
            for start, penalty in self._starts(form, depth):
                if _offer(starts, start, penalty):
                    parts = [start, *self._one_fraction(start, depth), *self._factor_out(start, depth)]
                    for part in (*parts, *self._group_by_function(start, depth)):
                        _offer(candidates, part, penalty)
            joined = [(self._join(self._without_zeros(part)), penalty) for part, penalty in candidates.values()]
            # a fraction inside a fraction has to be shorter
            prices = [self._cost(part) + _PENALTY * self._has_fractions(part) + penalty for part, penalty in joined]
            self._shortest[key] = joined[prices.index(min(prices))][0]
        return self._shortest[key]

    def _join(self, form: Sum) -> Sum:
        """Return the sum with roots joined and, if it has no divisors, with identities used.

        With divisors it would be harder to see what they require of the inputs.
        """
        has_divisors = any(exponent < 0 for monomial in form for _, exponent in monomial)
        return self.join_roots(form if has_divisors else self.with_identities(form))

    def _starts(self, form: Sum, depth: int) -> Iterator[tuple[Sum, int]]:
        """Yield (sum, penalty) for the sums that are equal to `form` and from which shorter ones are sought.

        `penalty` is added to the price of all sums made from it, `depth` is that of `_multiply_out`. With the penalty
        0: `form`, `form` with fractions cancelled, and `form` multiplied out; after each of them, if it differs, the
        sum with identities and divisions applied. Of this sum only (the start itself if they change nothing), if it has
        2 to 24 terms, there follow with the penalty 4 its complements (sin(u)^2 as 1 - cos(u)^2), and the sum with one
        density instead of two. Raises Swollen if a sum grows beyond 10,000 terms.
        """
        for start in [form, *self._cancel(form), *self._multiply_out(form, depth)]:
            yield start, 0
            joined = self._divide_out(self.flatten(self.with_identities(start), _SPREAD))
            if joined is not start:
                yield joined, 0
            if 1 < len(joined) <= _FEW:
                for equal in (*self.complements(joined), *self.with_one_density(joined)):
                    yield equal, _PENALTY

    def _divide_out(self, form: Sum) -> Sum:
        """Return `form` with terms that together are factor · S/S replaced by the factor, as often as possible.

        S is a divisor that is a sum to the power -1 and never 0: 1 - a/(a + b) - b/(a + b) is 0. `form` itself if there
        are no such terms.
        """
        below = {base for monomial in form for base, exponent in monomial if exponent == -1 and base in self.sums}
        below = {base for base in below if len(self.sums[base]) <= len(form)}
        factors = {monomial: {base for base, _ in monomial} for monomial in form} if below else {}
        for base in filter(self.never_zero, below):
            needed = {base}.union(other for other, _ in next(iter(self.sums[base])))
            for monomial in form:
                if needed <= factors[monomial] and (quotient := self._multiple_of(form, monomial, base)) is not None:
                    return self._divide_out(quotient)
        return form

    def _multiple_of(self, form: Sum, monomial: Monomial, base: int) -> Sum | None:
        """Return `form` with the terms that together are factor · S/S replaced by the factor, S being the sum in slot
        `base`.

        The factor, with its number, is the one for which factor · (first term of S)/S is `monomial`, a term of `form`.
        `monomial` has the factors of the first term of S. None if a term of factor · S/S is not in `form` with just its
        number. None also if the first term of S has the number 0, or if `monomial` has S to another power than -1.
        """
        inner = self.sums[base]
        (leading, number), *_ = inner.items()
        if not number or (base, -1) not in monomial:
            return None
        inverse = tuple([(other, -exponent) for other, exponent in leading])
        factor, ratio = self.product(self.product(monomial, ((base, 1),)), inverse), quotient(form[monomial], number)
        parts = self.times({self.product(factor, ((base, -1),)): ratio}, inner)
        if any(form.get(part) != value for part, value in parts.items()):
            return None
        rest = {other: value for other, value in form.items() if other not in parts}
        return self.total([(rest, 1), ({factor: ratio}, 1)])

    def _cost(self, form: Sum) -> int:
        """Return the length of a sum: its operations and its factors."""
        factors = sum(
            len(monomial) + (abs(number.numerator) != 1) + (number.denominator != 1)
            for monomial, number in form.items()
        )
        return self.operations(form) + factors

    def _without_zeros(self, form: Sum) -> Sum:
        """Return the sum without those terms with the number 0 that have values wherever the terms with other numbers
        have; cached.

        All other terms with the number 0 stay, since they restrict the domain. A sum of such terms only is returned as
        it is.
        """
        zeros = [monomial for monomial, number in form.items() if not number]
        if not zeros or len(zeros) == len(form):
            return form
        key = frozenset(form.items())
        if key not in self._without_proven_zeros:
            nonzero = {monomial: number for monomial, number in form.items() if number}
            kept: Sum = {monomial: 0 for monomial in zeros if not self.is_evaluated(monomial, nonzero)}
            self._without_proven_zeros[key] = nonzero | kept
        return self._without_proven_zeros[key]

    def _has_fractions(self, form: Sum) -> bool:
        """Return whether a term of `form` that has a divisor also has a factor that is a sum with a divisor in it.

        Only sums to the first power are considered, and only factors with negative powers count as divisors.
        """
        return any(
            exponent < 0
            for monomial in form
            if any(power < 0 for _, power in monomial)
            for factor, power in monomial
            if power == 1
            for inner in self.sums.get(factor, ())
            for _, exponent in inner
        )

    def _cancels(self, form: Sum) -> bool:
        """Return whether some term has a factor, with any exponent, that is also a divisor inside a sum, another factor
        of the term, so that they would cancel.

        Such as exp(x) (1/2 - 1/exp(x)).
        """
        return any(
            exponent < 0 and base in powers
            for powers in map(dict, form)
            for factor in powers
            for inner in self.sums.get(factor, ())
            for base, exponent in inner
        )

    def _cancel(self, form: Sum) -> list[Sum]:
        """Return [the form with fractions cancelled]; [] if that changes nothing.

        sign(u)/|u| becomes 1/u, u/sqrt(u) becomes sqrt(u), and 1/(u^2 (1/u^2 + 1)) becomes 1/(1 + u^2). A fraction
        inside a sum below the line is multiplied away only if this makes the sum shorter, and if its denominator is an
        input or a sum that is not 0 wherever the function has a value. Terms of 0 are dropped. Raises Swollen for a sum
        of more than 10,000 terms. `form` is not changed.
        """
        total: Sum = {}
        for monomial, number in form.items():
            pairs: list[tuple[int, Number]] = []
            gains: dict[int, Number] = {}
            for base, exponent in self.without_roots(self.without_signs(monomial), powers_apart=True):
                inner = self.sums.get(base, {}) if exponent < 0 and exponent.denominator == 1 else {}
                least: dict[int, Number] = {}
                for factor, power in (pair for term in inner for pair in term):
                    if power < 0 and power.denominator == 1 and self._is_divisor(factor):
                        least[factor] = min(power, least.get(factor, power))
                whole = self.slot_of(self.divide(inner, least)) if least else base
                if least and self.size(whole) >= self.size(base):
                    whole, least = base, {}
                pairs.append((whole, exponent))
                for factor, power in least.items():
                    gains[factor] = gains.get(factor, 0) + power * exponent
            pairs = [(base, exponent + gains.pop(base, 0)) for base, exponent in pairs] + list(gains.items())
            self.add(total, {tuple(sorted([pair for pair in pairs if pair[1]])): number})
        return [] if total == form else [self.flatten(self.drop_zeros(total), _SPREAD)]

    def _is_divisor(self, slot: int) -> bool:
        """Return whether a slot is an input or a sum, and not 0 wherever the function has a value."""
        simple = slot in self.graph.inputs or slot in self.sums
        return simple and self.function is not None and self.function.never_zero(slot)

    def _multiply_out(self, form: Sum, depth: int) -> Iterator[Sum]:
        """Yield the sum with small sums among its factors multiplied out once, then with powers of sums, up to 24
        times.

        The second form only at the full `depth` (3). Forms without such sums, or of more than 120 terms, are left out
        (`_spread`). Nothing for a single term without a fraction inside a fraction and without a factor to cancel.
        """
        if len(form) > 1 or self._has_fractions(form) or self._cancels(form):
            for powers in (False, True) if depth == _DEEP else (False,):
                spread = self._spread(form, powers)
                if spread is not None:
                    yield self._without_zeros(spread)

    def _spread(self, form: Sum, powers: bool) -> Sum | None:
        """Return `form` with sums among its factors multiplied out; None if no factor is such a sum, or beyond 120
        terms.

        Without `powers`: in each term the first sum of at most 8 terms, to the first power, once. With `powers`: sums
        of at most 120 terms and their whole powers, repeated up to 24 times. Raises Swollen for a sum of more than
        10,000 terms.
        """
        total = form
        for _ in range(_ROUNDS if powers else 1):
            step: Sum = {}
            places = {monomial: self._sum_place(monomial, powers) for monomial in total}
            if all(place is None for place in places.values()):
                break
            for monomial, place in places.items():
                number = total[monomial]
                if place is None:
                    self.add(step, {monomial: number})
                    continue
                base, exponent = monomial[place]
                left = ((base, exponent - 1),) if exponent > 1 else ()
                rest = (*monomial[:place], *left, *monomial[place + 1 :])
                self.add(step, self.times({rest: number}, self.sums[base]))
            total = self.drop_zeros(step)
            if len(total) > _TERMS:
                return None
        return None if total is form else total

    def _sum_place(self, monomial: Monomial, powers: bool) -> int | None:
        """Return the index of the first factor of a monomial that is a sum to be multiplied out; None without such a
        factor.

        Without `powers` it has at most 8 terms and the power 1; with `powers` at most 120 terms and a positive whole
        power.
        """
        for place, (base, exponent) in enumerate(monomial):
            size = len(self.sums.get(base, ()))
            whole = exponent == 1 or (powers and exponent > 0 and exponent.denominator == 1)
            if whole and 0 < size <= (_TERMS if powers else _SPREAD + 1):
                return place
        return None

    def _one_fraction(self, form: Sum, depth: int) -> list[Sum]:
        """Return [the form over one common denominator, its numerator shortened, `depth` - 1 levels deep], or [].

        The denominator has the lowest negative power of each factor, not the denominators of numbers. [] if `form` has
        fewer than two terms or no divisor, if a factor is below the line twice in a term, or if a number of the result
        exceeds 10^15 (`largest`). If the terms have no common divisor, as in 1 - cos(x) (1 - cos(x))/sin(x)^2, three
        more conditions hold: there are at most 4 terms, one term has the divisors of all, and the numerator has fewer
        terms than `form`, none with a factor that is a sum.
        """
        if len(form) < 2:
            return []
        below = [single_powers(monomial, -1) for monomial in form]
        has_common = bool(set.intersection(*map(set, below)))
        if not has_common and (len(form) > _SHORT or not any(below) or set().union(*below) not in map(set, below)):
            return []
        if any(len(powers) < sum(e < 0 for _, e in monomial) for powers, monomial in zip(below, form, strict=True)):
            return []  # a factor is below the line twice
        bases = {base for powers in below for base in powers}
        common = {base: min(powers.get(base, 0) for powers in below) for base in bases}
        above = self.divide(form, common)
        if not has_common:
            inner = self._short(self.flatten(above, _SPREAD), depth - 1)
            if len(inner) >= len(form) or any(base in self.sums for monomial in inner for base, _ in monomial):
                return []
        return self._over_factor(above, monomial_of(common), depth)

    def _factor_out(self, form: Sum, depth: int) -> list[Sum]:
        """Return [`form` with the common factors of all terms taken out, the remaining sum shortened, `depth` - 1
        levels, and without its common number], or [].

        [] if `form` has fewer than two terms or more than 24, if the terms share no factor, or if a numerator or
        denominator of the result exceeds `largest` (10^15). Also [] if they share only inputs, and the remaining sum
        has a term without factors or is a polynomial of at most two terms.
        """
        if not 2 <= len(form) <= _FEW:
            return []
        powers = [single_powers(monomial, 1) for monomial in form]
        shared = reduce(common_powers, powers)
        inner: Sum = self.flatten(self.divide(form, shared), _SPREAD) if shared else {ONE: 0}
        is_short_polynomial = len(inner) < 3 and all(self._degree(monomial) is not None for monomial in inner)
        if all(base in self.graph.inputs for base in shared) and (ONE in inner or is_short_polynomial):
            return []
        return self._over_factor(inner, monomial_of(shared), depth)

    def _group_by_function(self, form: Sum, depth: int) -> Iterator[Sum]:
        """Yield the form with one factor taken out of the terms that share it, for each function or sum that some terms
        share.

        At least two terms must share it, but not all. What is left of them is shortened to `depth` - 1 levels. Inputs,
        literals and divisors are taken out too if all of these terms share them, but are not a reason by themselves.
        Nothing for more than 24 terms. Raises Swollen for a sum of more than 10,000 terms.
        """
        if len(form) > _FEW:
            return
        with_base = grouped((base, monomial) for monomial in form for base, exponent in monomial if exponent > 0)
        for base, monomials in with_base.items():
            if not 1 < len(monomials) < len(form) or base in self.graph.inputs or self.graph.literal[base]:
                continue
            group = {monomial: form[monomial] for monomial in monomials}
            for product in self._factor_out(group, depth):
                rest = {monomial: n for monomial, n in form.items() if monomial not in group}
                yield self.total([(product, 1), (rest, 1)])

    def _over_factor(self, form: Sum, factor: Monomial, depth: int) -> list[Sum]:
        """Return [`form`, shortened `depth` - 1 levels deep, times the monomial `factor` as one term]; [] if the
        numerator or denominator of its number is above 10^15.

        For the empty sum: [{}], or [{factor: 0}] if the factor may lack a value where the function has one.
        """
        if not form:
            return [form if self.may_vanish(factor) else {factor: 0}]
        inner = self._short(self.flatten(form, _SPREAD), depth - 1)
        product = self.times(self._without_content(inner), {factor: 1})
        return [product] if self.has_short_numbers(product) else []


def _offer(known: dict[Key, tuple[Sum, int]], form: Sum, penalty: int) -> bool:
    """Add (form, penalty) to `known`, in place, and return True; return False if an equal sum has no higher penalty
    there.

    An equal sum with a higher penalty is removed, and the new entry is the last.
    """
    key = frozenset(form.items())
    before = known.get(key)
    if before is not None and before[1] <= penalty:
        return False
    known.pop(key, None)
    known[key] = form, penalty
    return True


def tidy_outputs(
    m: GuardedTerms, outputs: Sequence[int], first_new_slot: int, function: Knowledge | None = None
) -> list[int]:
    """Return the slots of the outputs rewritten in short forms, in their order.

    Slots below `first_new_slot` are the user's own and stay. `function` has the facts that hold where the function has
    a value (None: no facts). If a factor that might be 0 is above and below a fraction bar, all is rewritten again with
    it cancelled down to one divisor; this result is returned if it is not longer, neither written out nor in distinct
    slots. If a sum becomes too long, the outputs are returned as they are.
    """
    try:
        first = Tidy(m, outputs, first_new_slot, function)
        if not first.has_divisors:
            return first.results
        second = Tidy(m, outputs, first_new_slot, function, keeps_divisors=True)
    except Swollen:
        return list(outputs)
    lengths = [
        (sum(map(second.size, slots)), sum(ancestors(m.graph, slots))) for slots in (first.results, second.results)
    ]
    return second.results if all(new <= old for old, new in zip(*lengths, strict=True)) else first.results
