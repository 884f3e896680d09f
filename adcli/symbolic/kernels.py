"""Kernels: derivatives of any order as sums of monomials over kernels, so that like terms of all orders are collected.
A kernel is a slot that is not expanded: an input, a function, a sum that is divided by or raised to a power. A sum is
{monomial: number}, a monomial ((slot of a kernel, exponent), …).

The derivative of a kernel is again such a sum; the product rule then gives that of any sum of monomials.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from ..graph.order import complete
from ..typings import override
from .condition_cases import Cases
from .derivative import with_convention
from .guarded import GuardedTerms
from .monomial_sums import ONE, Sum, Swollen
from .slot_sums import Key, SlotSums

_SPREAD = 9  # terms; a longer product of two sums is not multiplied out
_LONGEST = 300  # digits of numbers
_MOST_FACTORS = 500_000  # of the derivatives of all kernels: of nested functions each has more than the one before


class Kernels(SlotSums):
    """Slots of a graph as sums of monomials over kernels, and their derivatives.

    m       the arithmetic, with its knowledge of domains; slots up to `output` are those of the function
    cases   the case in which derivatives are taken (conditions are resolved)
    """

    def __init__(self, m: GuardedTerms, output: int, cases: Cases) -> None:
        super().__init__(m, output + 1)
        self.cases = cases
        self._forms: dict[int, Sum] = {}
        self._arguments: dict[Key, int] = {}
        self._factors = 0
        self._under = self._divisors(output)

    def _divisors(self, output: int) -> set[int]:
        """Return the slots that are divisors or bases of powers in any slot from 0 to `output`, needed for the output
        or not.

        Of products, quotients, powers and negations among them the arguments are included, too, in turn.
        """
        below: set[int] = set()
        for slot in range(output, -1, -1):
            row, parents = self.graph.rows[slot], self.graph.parents[slot]
            if row is None:
                continue
            below.update(parent for parent, exponent in zip(parents, row.exponents, strict=False) if exponent < 0)
            if row.name == "pow":
                below.add(parents[0])
            if slot in below and (row.exponents or len(row.signs) == 1):
                below.update(parents)
        return below

    # --- slots as sums of monomials -----------------------------------------------------------------------------------

    def form(self, slot: int) -> Sum:
        """Return a slot as a sum of monomials; all slots below it are computed first, without recursion."""
        return complete(self._forms, slot, self._read_before, self.read)

    def _read_before(self, slot: int) -> Iterable[int]:
        """Return the slots whose forms that of `slot` needs: its arguments, those of sums inside a sum too."""
        row = self.graph.rows[slot]
        is_sum = row is not None and len(row.signs) > 1
        return [term for term, _ in self._terms_of_sum(slot)] if is_sum else self.graph.parents[slot]

    @override
    def operand(self, slot: int) -> Sum:
        return self._forms[slot]

    @override
    def sum_of_function(self, slot: int) -> Sum:
        """Return a slot that is taken as it is; the same slot for the same function of the same arguments."""
        applied = self.graph.rows[slot] is not None and not self.graph.literal[slot]
        return self.atom(self._canonical(slot) if applied else slot)

    def _canonical(self, slot: int) -> int:
        """Return the slot of the same function with its arguments in normal form, so that equal functions are one
        kernel.

        The slot may be appended. Arguments that are numbers stay as they are written. Slots below `first_new_slot`, and
        those whose arguments are already in normal form, are returned as they are. `slot` must be an operation, and the
        forms of its arguments known.
        """
        row, parents = self.graph.row(slot), self.graph.parents[slot]
        arguments = [p if set(self._forms[p]) <= {ONE} else self._slot_of_argument(p) for p in parents]
        if slot < self.first_new_slot or arguments == list(parents):
            return slot
        return self.m.write(row.name, *[self.m.term(argument) for argument in arguments]).slot

    def _slot_of_argument(self, slot: int) -> int:
        """Return the slot to use for `slot` as an argument, the same for all slots with an equal sum.

        The first of them decides: below `first_new_slot` it stays; a newer one is written again from its sum (`n + 1 +
        1` becomes `n + 2`), and the shorter of both is kept.
        """
        form = self._forms[slot]
        key = frozenset(form.items())
        if key not in self._arguments:
            joined = self.write_sum(form).slot if slot >= self.first_new_slot else slot
            self._arguments[key] = min(slot, joined, key=self.size)
        return self._arguments[key]

    def _terms_of_sum(self, slot: int) -> list[tuple[int, int]]:
        """Return (slot, sign) of the terms whose sum `slot` is, from left to right.

        Sums inside are split too, except those whose form is known already, and negations, -(a + b). A slot that is not
        a sum of several arguments is its only term, with sign 1.
        """
        terms: list[tuple[int, int]] = []
        stack = [(slot, 1)]
        while stack:
            current, sign = stack.pop()
            row, parents = self.graph.rows[current], self.graph.parents[current]
            if row is not None and len(row.signs) > 1 and current not in self._forms:
                stack += [(parent, sign * s) for parent, s in zip(parents[::-1], row.signs[::-1], strict=True)]
            else:
                terms.append((current, sign))
        return terms

    @override
    def read_sum(self, slot: int, signs: Sequence[int]) -> Sum:
        """Return the sum of the arguments, each with its sign; sums inside sums are read as one."""
        terms = self._terms_of_sum(slot) if len(signs) > 1 else zip(self.graph.parents[slot], signs, strict=True)
        return self.total((self._forms[term], sign) for term, sign in terms)

    @override
    def factors(self, parents: Sequence[int], forms: Sequence[Sum], exponents: Sequence[int]) -> list[Sum]:
        """Return the arguments of a product as factors, in their order, each as a sum of monomials.

        `parents`, `forms` and `exponents` are the slots of the arguments, their sums, and 1 or -1 for each (above or
        below the line); exponents are not applied. An argument becomes a single term (its slot) if it is below the
        line, if it is in a divisor or power elsewhere, or if its sum already has a slot. All become terms if none is
        below the line, each has several terms and the product would have more than 9. Every other argument stays a sum,
        to be multiplied out.
        """
        lengths = [len(form) for form in forms]
        both = min(exponents) > 0 and min(lengths) > 1 and math.prod(lengths) > _SPREAD
        factors = list(forms)
        for place in sorted(range(len(forms)), key=exponents.__getitem__):
            form, parent = forms[place], parents[place]
            if both or exponents[place] < 0 or parent in self._under or frozenset(form.items()) in self._slots:
                factors[place] = self.factor(form, parent)
        return factors

    # --- derivatives --------------------------------------------------------------------------------------------------

    def differentiate(self, form: Sum, wrt: int, later: int) -> Sum:
        """Return the derivative of the sum `form` with respect to the input slot `wrt`, as a sum.

        `later` is how often it will still be differentiated, and is stored in `m`. Raises Swollen for more than 10,000
        terms, numbers of more than 300 digits, or kernels whose derivatives have more than 500,000 factors. Raises
        UndecidedComparison or Unfit if the case does not decide a condition of a partial.
        """
        self.m.later = later
        slopes: dict[int, Sum] = {}
        self._factors = 0
        for base in reversed(dict.fromkeys(base for monomial in form for base, _ in monomial)):
            complete(slopes, base, self._kernels_below, lambda slot: self._differentiate_kernel(slot, wrt, slopes))
        derivative = self._apply_product_rule(form, slopes)
        if any(max(abs(number.numerator), number.denominator) > 10**_LONGEST for number in derivative.values()):
            raise Swollen(f"numbers of more than {_LONGEST} digits")
        return derivative

    def _kernels_below(self, slot: int) -> Iterable[int]:
        """Return the kernels whose derivatives are needed for the derivative of the kernel `slot`, possibly repeated.

        They are those of its sum or, of a function, those of its arguments; none for inputs and literals.
        """
        if slot in self.sums:
            return [base for monomial in self.sums[slot] for base, _ in monomial]
        if self.graph.rows[slot] is None or self.graph.literal[slot]:
            return ()
        return [base for parent in self.graph.parents[slot] for monomial in self.form(parent) for base, _ in monomial]

    def _differentiate_kernel(self, slot: int, wrt: int, slopes: dict[int, Sum]) -> Sum:
        """Return the derivative of the kernel in `slot` with respect to the slot `wrt`, as a sum.

        `slopes` has the derivatives of the kernels below it. A kernel that is a sum is differentiated by the product
        rule, a function by the chain rule; `wrt` itself gives 1, other inputs and literals {}. Partials get their slope
        by convention, and choices are resolved by the case. Raises as `differentiate` does.
        """
        row, parents = self.graph.rows[slot], self.graph.parents[slot]
        if slot in self.sums:
            return self._apply_product_rule(self.sums[slot], slopes)
        if row is None or self.graph.literal[slot]:
            return {ONE: 1} if slot == wrt else {}
        inner = [self._apply_product_rule(self.form(parent), slopes) for parent in parents]
        m = self.m
        arguments = tuple([m.term(parent) for parent in parents])
        needed = tuple([bool(form) for form in inner])
        total: Sum = {}
        if not any(needed):
            return total
        for position, rule in enumerate(m.partials(row, m.term(slot), arguments, needed)):
            if needed[position]:
                partial = with_convention(m, row, position, m.fold_constant(m.number(rule)), arguments)
                partial = m.term(self.cases.resolve(partial.slot))
                self.add(total, self.times(self.form(partial.slot), inner[position]))
        return self.drop_zeros(total)

    def _apply_product_rule(self, form: Sum, slopes: dict[int, Sum]) -> Sum:
        """Return Σ number · exponent · (monomial / base) · slopes[base] over all terms and factors of `form`, as a sum
        without terms that vanish.

        `slopes` has the derivative of each factor, {} for 0. Raises Swollen for more than `longest` terms, and if this
        derivative and those before it have too many factors.
        """
        total: Sum = {}
        for monomial, number in form.items():
            if not number:
                continue
            for place, (base, exponent) in enumerate(monomial):
                slope = slopes[base]
                if not slope:
                    continue
                power = exponent - 1
                rest = monomial[:place] + (((base, power),) if power else ()) + monomial[place + 1 :]
                factor = number * exponent
                for inner, weight in slope.items():
                    joined = self.product(rest, inner)
                    self._factors += len(joined)
                    total[joined] = total.get(joined, 0) + factor * weight
                if len(total) > self.longest or self._factors > _MOST_FACTORS:
                    raise Swollen(f"more than {self.longest} terms or {_MOST_FACTORS} factors")
        return self.drop_zeros(total)
