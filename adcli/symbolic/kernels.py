"""Derivatives of any order as sums of monomials over kernels, so that like terms of all orders meet.

A kernel is a slot that is not taken apart: an input, a function, a sum that is divided by or raised to a power.  A
derivation takes each kernel to such a sum, and by the product rule all others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

from .cases import Cases
from .derivative import with_convention
from .guarded import GuardedTerms
from .monomials import ONE, Monomial, Monomials, Number, Sum
from .terms import Term

_MOST = 10_000  # terms of a sum
_SPREAD = 9  # terms of a product of two sums that is multiplied out
_LONGEST = 300  # digits of numbers
_HIGHEST = 10**4  # the largest power


class Swollen(Exception):
    """A sum is too long, by what it says."""


class Kernels:
    """The derivatives of slots of a graph, with what the arithmetic knows of their domains."""

    def __init__(self, m: GuardedTerms, output: int, cases: Cases) -> None:
        self.m = m
        self.cases = cases
        self.graph = m.graph
        self.monomials = Monomials(m)
        self.sums: dict[int, Sum] = {}  # what kernels that are sums are sums of
        self._sum_slots: dict[frozenset[tuple[Monomial, Number]], int] = {}
        self._forms: dict[int, Sum] = {}
        self._nonzero: dict[int, bool] = {}
        self._active: list[bool] = []
        self._arguments: dict[frozenset[tuple[Monomial, Number]], int] = {}
        self._given = output
        self._under = self._divisors(output)
        self._rules: dict[str, Callable[..., Sum]] = {
            "add": self._sum, "sub": self._sum, "mul": self._mul, "div": self._div, "neg": self._neg, "pow": self._pow,
        }  # fmt: skip

    def _divisors(self, output: int) -> set[int]:
        """The slots that something is divided by or that are raised to a power, and their factors."""
        found = set()
        for slot in range(output, -1, -1):
            row, parents = self.graph.rows[slot], self.graph.parents[slot]
            if row is not None and row.name in ("div", "pow"):
                found.add(parents[1 if row.name == "div" else 0])
            if row is not None and slot in found and row.name in ("mul", "div", "neg"):
                found.update(parents)
        return found

    # --- slots as sums of monomials -----------------------------------------------------------------------------------

    def form(self, slot: int) -> Sum:
        """What a slot is the sum of."""
        forms, parents = self._forms, self.graph.parents
        waiting = [slot]
        while waiting:
            current = waiting[-1]
            if current in forms:
                waiting.pop()
                continue
            row = self.graph.rows[current]
            if row is not None and row.name in ("add", "sub"):
                below: Iterable[int] = [term for term, _ in self._terms(current)]
            else:
                below = parents[current]
            missing = [p for p in below if p not in forms]
            if missing:
                waiting += missing
            else:
                forms[current] = self._read(current)
                waiting.pop()
        return forms[slot]

    def _rule(self, slot: int) -> Callable[..., Sum] | None:
        row = self.graph.rows[slot]
        return None if row is None else self._rules.get(row.name)

    def _read(self, slot: int) -> Sum:
        exact = self.m.rational(self.m.term(slot)) if self.graph.literal[slot] else None
        if exact is not None:
            number = _short(Fraction(exact.numerator, exact.denominator))
            return {ONE: number} if number else {}
        rule = self._rule(slot)
        if rule is None and self._applied(slot):
            slot = self._canonical(slot)
        return {((slot, 1),): 1} if rule is None else rule(slot, *self.graph.parents[slot])

    def _applied(self, slot: int) -> bool:
        """Whether a slot is a function of what depends on inputs."""
        return self.graph.rows[slot] is not None and not self.graph.literal[slot]

    def _canonical(self, slot: int) -> int:
        """The slot of the same function of the same arguments, however these were written first."""
        row, parents = self.graph.rows[slot], self.graph.parents[slot]
        assert row is not None  # only functions are applied  # noqa: S101
        arguments = [p if set(self._forms[p]) <= {ONE} else self._argument(p) for p in parents]
        if slot <= self._given or arguments == list(parents):
            return slot
        return self.m.write(row.name, *[self.m.term(argument) for argument in arguments]).slot

    def _argument(self, slot: int) -> int:
        """The slot that an argument has wherever it is that, with its numbers joined where a rule wrote `n + 1 + 1`."""
        form = self._forms[slot]
        key = frozenset(form.items())
        if key not in self._arguments:
            joined = self.monomials.written(form).slot if slot > self._given else slot
            self._arguments[key] = min(slot, joined, key=self.monomials.size)
        return self._arguments[key]

    def _terms(self, slot: int) -> list[tuple[int, int]]:
        """What a slot is the sum of when sums inside are taken apart, each with its sign."""
        found: list[tuple[int, int]] = []
        waiting = [(slot, 1)]
        while waiting:
            current, sign = waiting.pop()
            row, parents = self.graph.rows[current], self.graph.parents[current]
            name = None if row is None or current in self._forms else row.name
            if name in ("add", "sub"):
                waiting += [(parents[1], sign if name == "add" else -sign), (parents[0], sign)]
            else:
                found.append((current, sign))
        return found

    def _sum(self, slot: int, *_: int) -> Sum:
        total: Sum = {}
        for term, sign in self._terms(slot):
            for monomial, number in self._forms[term].items():
                total[monomial] = total.get(monomial, 0) + sign * number
        return self.settled(total)

    def _neg(self, slot: int, a: int) -> Sum:
        return {monomial: -number for monomial, number in self._forms[a].items()}

    def _mul(self, slot: int, a: int, b: int) -> Sum:
        left, right = self._forms[a], self._forms[b]
        both = len(left) > 1 and len(right) > 1 and len(left) * len(right) > _SPREAD
        if len(left) > 1 and (both or a in self._under or self._is_kernel(left)):
            left = self._kernel(left, a)
        if len(right) > 1 and (both or b in self._under or self._is_kernel(right)):
            right = self._kernel(right, b)
        return self.times(left, right) if left and right else {((slot, 1),): 1}

    def _div(self, slot: int, a: int, b: int) -> Sum:
        above, ((monomial, number),) = self._forms[a], self._kernel(self._forms[b], b).items()
        if len(above) > 1 and (a in self._under or self._is_kernel(above)):
            above = self._kernel(above, a)
        raised = self._raised(monomial, -1) if number else None
        if raised is None:
            return {((slot, 1),): 1}
        return self.times(above, {raised: _short(Fraction(1) / number)})

    def _pow(self, slot: int, a: int, b: int) -> Sum:
        exponent = self._forms[b].get(ONE, 0) if set(self._forms[b]) <= {ONE} else None
        if exponent is None:
            return self._general_power(slot, a, b)
        form = self._forms[a]
        ((monomial, number),) = self._kernel(form, a).items()
        whole = exponent.denominator == 1
        size = int(abs(Fraction(exponent)))
        if not exponent or not number or size > _HIGHEST:
            return {((slot, 1),): 1}
        if not whole and (number != 1 or len(monomial) != 1 or monomial[0][1] != 1):
            return {((self.slot(form, a), exponent),): 1}
        raised = self._raised(monomial, exponent)
        bits = size * (abs(number.numerator).bit_length() + number.denominator.bit_length() - 2)
        if raised is None or bits > 200:
            return {((self.slot(form, a), exponent),): 1}
        return {raised: _short(Fraction(number) ** int(exponent)) if whole else number}

    def _general_power(self, slot: int, a: int, b: int) -> Sum:
        """a^(b - 1) as a^b/a, where a cannot be 0."""
        form = dict(self._forms[b])
        number = form.pop(ONE, 0)
        ((base, factor),) = self._kernel(self._forms[a], a).items()
        raised = None
        if number and number.denominator == 1 and factor == 1 and self.m.knowledge.positive(a):
            raised = self._raised(base, number)
        if raised is None and slot > self._given:
            slot = self.m.write("pow", self.m.term(a), self.m.term(self.slot(self._forms[b], None))).slot
        if raised is None:
            return {((slot, 1),): 1}
        power = self.m.write("pow", self.m.term(a), self.m.term(self.slot(form, None))).slot
        return self.times({((power, 1),): 1}, {raised: 1})

    def _is_kernel(self, form: Sum) -> bool:
        return frozenset(form.items()) in self._sum_slots

    def _kernel(self, form: Sum, slot: int) -> Sum:
        """A form as one term: a sum becomes a kernel."""
        return form if len(form) == 1 else {((self.slot(form, slot), 1),): 1}

    def slot(self, form: Sum, slot: int | None) -> int:
        """The slot of a sum, the same for the same sum; a new one is written where there is none."""
        key = frozenset(form.items())
        if key not in self._sum_slots:
            if slot is None:
                slot = self.monomials.written(form).slot
            self._sum_slots[key] = slot
            if form != {((slot, 1),): 1}:
                self.sums[slot] = form
        return self._sum_slots[key]

    # --- sums ---------------------------------------------------------------------------------------------------------

    def product(self, a: Monomial, b: Monomial) -> Monomial:
        """The product; powers of one factor join where that changes no domain.

        What might be 0 and is cancelled from below a line leaves one of it there: x^3/x is x^2 unless x is 0.
        """
        found = list(a)
        for base, exponent in b:
            same = [power for other, power in found if other == base]
            if not same:
                found.append((base, exponent))
                continue
            powers = [*same, exponent]
            if all(power.denominator == 1 for power in powers):
                total = sum(powers)
                if min(powers) < 0 <= total and not self._never_zero(base):
                    joined: list[Number] = [total + 1, -1]
                else:
                    joined = [total] if total else []
            else:
                joined = self._joined(base, same, exponent)
            found = [pair for pair in found if pair[0] != base] + [(base, power) for power in joined]
        found.sort()
        return tuple(found)

    def _never_zero(self, base: int) -> bool:
        if base not in self._nonzero:
            self._nonzero[base] = self.m.knowledge.never_zero(base)
        return self._nonzero[base]

    def _joined(self, base: int, powers: list[Number], exponent: Number) -> list[Number]:
        """Powers of a factor, one more joined with one of them where it may be."""
        for place, power in enumerate(powers):
            if self.monomials.may_join(base, power, exponent):
                total = power + exponent
                return powers[:place] + ([total] if total else []) + powers[place + 1 :]
        return [*powers, exponent]

    def _raised(self, monomial: Monomial, exponent: Number) -> Monomial | None:
        """The monomial raised to a power, if that changes no domain."""
        if exponent.denominator != 1 or any(power.denominator != 1 for _, power in monomial):
            found = self.monomials.power(monomial, exponent)
            return None if found is None else _whole(found)
        total = ONE
        for base, power in monomial:
            lost = power < 0 and exponent < 0
            total = self.product(
                total, ((base, power * exponent + 1), (base, -1)) if lost else ((base, power * exponent),)
            )
        return total

    def times(self, a: Sum, b: Sum) -> Sum:
        """The product of two sums, multiplied out."""
        total: Sum = {}
        for left, p in a.items():
            for right, q in b.items():
                monomial = self.product(left, right)
                total[monomial] = total.get(monomial, 0) + p * q
        return self.settled(total)

    def settled(self, total: Sum) -> Sum:
        """The sum without what has cancelled, unless that might have no value."""
        if len(total) > _MOST:
            raise Swollen(f"more than {_MOST} terms")
        gone = [monomial for monomial, number in total.items() if not number]
        for monomial in gone:
            if self.monomials.has_value(monomial):
                del total[monomial]
        return total

    # --- derivatives --------------------------------------------------------------------------------------------------

    def derived(self, form: Sum, wrt: int, later: int) -> Sum:
        """The derivative of a sum by an input; `later` as in `GuardedTerms`."""
        self.m.later = later
        slopes: dict[int, Sum] = {}
        waiting = list(dict.fromkeys(base for monomial in form for base, _ in monomial))
        while waiting:
            current = waiting[-1]
            missing = [base for base in self._needed(current) if base not in slopes]
            if current not in slopes and not missing:
                slopes[current] = self._slope(current, wrt, slopes)
            waiting += missing
            if current in slopes:
                waiting.pop()
        found = self._chain(form, slopes)
        if any(max(abs(number.numerator), number.denominator) > 10**_LONGEST for number in found.values()):
            raise Swollen(f"numbers of more than {_LONGEST} digits")
        return found

    def _needed(self, slot: int) -> Iterable[int]:
        """The kernels whose slopes that of a kernel hangs on."""
        if slot in self.sums:
            return [base for monomial in self.sums[slot] for base, _ in monomial]
        if self.graph.rows[slot] is None or self.graph.literal[slot]:
            return ()
        return [base for parent in self.graph.parents[slot] for monomial in self.form(parent) for base, _ in monomial]

    def _slope(self, slot: int, wrt: int, slopes: dict[int, Sum]) -> Sum:
        row, parents = self.graph.rows[slot], self.graph.parents[slot]
        if slot in self.sums:
            return self._chain(self.sums[slot], slopes)
        if row is None or self.graph.literal[slot]:
            return {ONE: 1} if slot == wrt else {}
        inner = [self._chain(self.form(parent), slopes) for parent in parents]
        m = self.m
        arguments = tuple([m.term(parent) for parent in parents])
        wanted = tuple([bool(form) for form in inner])
        total: Sum = {}
        if not any(wanted):
            return total
        for position, rule in enumerate(m.partials(row, m.term(slot), arguments, wanted)):
            if wanted[position]:
                partial = with_convention(m, row, position, m.settled(m.number(rule)), arguments)
                partial = m.term(self.cases.resolved(partial.slot))
                for monomial, number in self.times(self._partial(partial), inner[position]).items():
                    total[monomial] = total.get(monomial, 0) + number
        return self.settled(total)

    def _partial(self, partial: Term) -> Sum:
        form = self.form(partial.slot)
        return form if form or self.m.equals(partial, 0) else {}

    def _chain(self, form: Sum, slopes: dict[int, Sum]) -> Sum:
        """The sum of what each factor of each term contributes, by the product rule."""
        total: Sum = {}
        for monomial, number in form.items():
            if not number:
                continue
            for place, (base, exponent) in enumerate(monomial):
                slope = slopes[base]
                if not slope:
                    continue
                left = exponent - 1
                rest = monomial[:place] + (((base, left),) if left else ()) + monomial[place + 1 :]
                factor = number * exponent
                for inner, weight in slope.items():
                    found = self.product(rest, inner)
                    total[found] = total.get(found, 0) + factor * weight
            if len(total) > _MOST:
                raise Swollen(f"more than {_MOST} terms")
        return self.settled(total)


def _short(number: Fraction) -> Number:
    return number.numerator if number.denominator == 1 else number


def _whole(monomial: Monomial) -> Monomial:
    return tuple([(base, _short(Fraction(exponent))) for base, exponent in monomial])
