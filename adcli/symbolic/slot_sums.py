"""Slots of a graph as sums of monomials, and such sums written back as slots, with the same domain. A sum is {monomial:
number}, a monomial ((slot of a factor, exponent), …). The user's function is in the slots below `first_new_slot`, its
derivative in those that follow.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from fractions import Fraction
from functools import reduce

from ..graph.graph import Graph
from ..typings import TypeAlias, override
from .guarded import GuardedTerms
from .knowledge import Knowledge, always_evaluated
from .monomial_sums import ONE, Monomial, MonomialSums, Number, Sum, quotient, shorten
from .terms import Term, decimal_text

_BITS = 200  # of a number that is raised to a power

Key: TypeAlias = frozenset[tuple[Monomial, Number]]


def extend_sizes(graph: Graph, sizes: list[int]) -> None:
    """Append to `sizes` the number of operations of each further slot of the graph when it is written out without
    shared parts, at most 10^9.
    """
    for slot in range(len(sizes), len(graph)):
        inner = sum(sizes[parent] for parent in graph.parents[slot])
        sizes.append(min(10**9, inner + (graph.rows[slot] is not None)))


class SlotSums(MonomialSums, ABC):
    """Sums of monomials whose factors are slots of the graph of `m`.

    A slot is read by the cells of its row: a sum of its arguments, a product of them, a power, or a function, which is
    not expanded. Subclasses define the sum of an argument (`operand`) and the slot that a sum becomes (`close`). A
    factor that might be 0 may be in a monomial twice, above and below the fraction bar.

    first_new_slot  slots below this number are the user's own and stay as written
    decimal         whether the formula has numbers with decimal places: then numbers are written in decimals
    sums            the sums of several terms that slots are known to be
    terms           the same with those of a single term
    has_divisors    whether a product had a factor that might be 0 above and below the line, so that it stayed there
    """

    highest = 10**4  # the largest exponent that is read as one
    keeps_divisors = True  # whether a factor that might be 0, cancelled from below the line, leaves one of it there
    largest: float = math.inf  # numerator or denominator of a number that products and powers are read as

    def __init__(self, m: GuardedTerms, first_new_slot: int) -> None:
        """Prepare to read the slots of the graph of `m` as sums of monomials; no slot is read yet.

        Slots below `first_new_slot` are the user's program and stay as written.
        """
        self.m = m
        self.first_new_slot = first_new_slot
        self.graph = m.graph
        self.decimal = any("." in constant.text for constant in m.graph.constants.values())
        self.sums: dict[int, Sum] = {}
        self.terms: dict[int, Sum] = {}
        self.has_divisors = False
        self._slots: dict[Key, int] = {}
        self._sizes: list[int] = []
        self._nonzero: dict[int, bool] = {}

    # --- reading slots ------------------------------------------------------------------------------------------------

    @abstractmethod
    def operand(self, slot: int) -> Sum:
        """Return the sum that an argument is read as."""

    @abstractmethod
    def sum_of_function(self, slot: int) -> Sum:
        """Return the sum of one term that is this slot itself, its arguments rewritten."""

    def close(self, form: Sum, slot: int | None = None) -> int:
        """Return the slot of a sum; `slot` is one that has its value already."""
        return self.slot_of(form, slot)

    def rewrite_slot(self, slot: int) -> int:
        """Return the slot that an argument is after it was rewritten."""
        return slot

    def number(self, slot: int) -> Number | None:
        """Return the rational number that a slot is, if it is written as one."""
        is_number = self.graph.literal[slot] or self.m.is_folded_call(slot)
        exact = self.m.rational(self.m.term(slot)) if is_number else None
        return None if exact is None else shorten(exact)

    def atom(self, slot: int) -> Sum:
        """Return the sum of one term that is this slot."""
        return {((slot, 1),): 1}

    def read(self, slot: int) -> Sum:
        """Return the sum that `slot` is, from those of its arguments: {} for 0, one term for a number, input or
        function.

        Sums, products, quotients and powers (the row pow alone, not sqrt) are read by `read_sum`, `read_product` and
        `read_power`.
        """
        number, row = self.number(slot), self.graph.rows[slot]
        if number is not None:
            return {ONE: number} if number else {}
        if row is None:
            return self.atom(slot)
        if row.signs:
            return self.read_sum(slot, row.signs)
        if row.exponents:
            return self.read_product(slot, row.exponents)
        return self.read_power(slot) if row.name == "pow" else self.sum_of_function(slot)

    def read_sum(self, slot: int, signs: Sequence[int]) -> Sum:
        """Return the sum of the arguments of a slot, each with its sign."""
        terms = zip(self.graph.parents[slot], signs, strict=True)
        return self.total((self.operand(parent), sign) for parent, sign in terms)

    def read_product(self, slot: int, exponents: Sequence[int]) -> Sum:
        """Return the product of the arguments of `slot`, those with exponent -1 in `exponents` below the fraction bar.

        Arguments are first taken as `factors` (as a rule each as a single term). If this makes one of them 0 and all
        certainly have values, a product is {} (0), and a quotient stays as it is (`sum_of_function`). The slot also
        stays as it is if a divisor is 0 or has no inverse, or if a number has a numerator or denominator above
        `largest`.
        """
        parents = self.graph.parents[slot]
        forms = [self.operand(parent) for parent in parents]
        total: Sum = {ONE: 1}
        factors = self.factors(parents, forms, exponents)
        if (
            factors != forms
            and {} in factors
            and all(self.may_vanish(monomial) for form in factors for monomial in form)
        ):
            return {} if all(exponent == 1 for exponent in exponents) else self.sum_of_function(slot)
        for form, exponent in zip(factors, exponents, strict=True):
            raised = self.raise_term(form, exponent)
            if raised is None:
                return self.sum_of_function(slot)
            total = raised if total == {ONE: 1} else self.times(total, raised)
        return total if self.has_short_numbers(total) else self.sum_of_function(slot)

    def has_short_numbers(self, form: Sum) -> bool:
        """Return whether no number of the sum has a numerator or denominator above `largest`."""
        return all(max(abs(number.numerator), number.denominator) <= self.largest for number in form.values())

    def factors(self, parents: Sequence[int], forms: Sequence[Sum], exponents: Sequence[int]) -> list[Sum]:
        """Return the sums of arguments as factors of a product, here all as single terms; below the bar first."""
        factors = list(forms)
        for place in sorted(range(len(forms)), key=exponents.__getitem__):
            factors[place] = self.factor(forms[place], parents[place])
        return factors

    def factor(self, form: Sum, slot: int) -> Sum:
        """Return a sum, which `slot` is, as a single term; 0 is left as it is."""
        return form if len(form) < 2 else self.atom(self.close(form, slot))

    def raise_term(self, form: Sum, exponent: int) -> Sum | None:
        """Return the sum `form` itself for exponent 1; for the exponent -1 the inverse of its term, which must be
        single.

        The exponents of its factors are negated. If that could change the domain, the whole term, with its number,
        becomes one factor, its slot, to the power -1. None if `form` or its number is 0, or if the numerator is above
        `largest`.
        """
        if exponent == 1 or not form:
            return form or None
        ((monomial, number),) = form.items()
        if not number or abs(number.numerator) > self.largest:
            return None
        raised = self.raise_power(monomial, exponent)
        return {((self.close(form), exponent),): 1} if raised is None else {raised: quotient(1, number)}

    def read_power(self, slot: int) -> Sum:
        """Return the sum that the power in `slot` is. The first that applies:

        - the base is 0: the slot as it is (`sum_of_function`)
        - the exponent is not a rational number: the power as a factor, for a positive base split into a^c · a^n with
          the whole number n of the exponent (`_general_power`)
        - the exponent is 0 or above `highest` in size, or the base has the number 0: the slot as it is
        - the exponents of the base's factors are multiplied, and its number is raised, if no domain changes and the
          number stays short (with a fraction only for a single factor to the power 1 with the number 1)
        - the base becomes one factor with this exponent
        """
        a, b = self.graph.parents[slot]
        form, upper = self.operand(a), self.operand(b)
        if not form:
            return self.sum_of_function(slot)
        if not set(upper) <= {ONE}:
            return self._general_power(slot, a, b)
        exponent = upper.get(ONE, 0)
        if not exponent or not -self.highest <= exponent <= self.highest:
            return self.sum_of_function(slot)
        factor = self.factor(form, a)
        ((monomial, number),) = factor.items()
        if not number:
            return self.sum_of_function(slot)
        whole = exponent.denominator == 1
        bits = abs(int(exponent)) * (abs(number.numerator).bit_length() + number.denominator.bit_length() - 2)
        raised = None
        if whole or (number == 1 and len(monomial) == 1 and monomial[0][1] == 1):
            raised = self.raise_power(monomial, exponent)
        if raised is not None and bits <= _BITS:
            power = {raised: shorten(Fraction(number) ** int(exponent)) if whole else number}
            if self.has_short_numbers(power):
                return power
        return {((self.close(factor, a), exponent),): 1}

    def _general_power(self, slot: int, a: int, b: int) -> Sum:
        """Return the power a^b in `slot` with a variable exponent; `a` and `b` are the slots of its arguments.

        a^(c + n), n a whole number, is a^c * a^n if a is certainly positive and has no number in front. If not, a slot
        of the user's program stays as it is, and every other slot is written again with its arguments rewritten.
        """
        upper = dict(self.operand(b))
        whole = upper.pop(ONE, 0)
        base = self.rewrite_slot(a)
        ((monomial, number),) = self.factor(self.operand(a), a).items()
        raised = None
        if whole and whole.denominator == 1 and number == 1 and self.m.knowledge.positive(base):
            raised = self.raise_power(monomial, whole)
        if raised is None and slot < self.first_new_slot:
            return self.atom(slot)
        if raised is None:
            upper, raised = self.operand(b), ONE
        power = self.m.write("pow", self.m.term(base), self.m.term(self.close(upper))).slot
        return self.times(self.atom(power), {raised: 1})

    def slot_of(self, form: Sum, slot: int | None = None) -> int:
        """Return the slot of the sum `form`, always the same for an equal sum.

        A new sum gets the slot `slot` or, if that is None, is written now. It is entered under this slot in `terms`
        ({slot: sum}) and, if it has several terms, in `sums` ({slot: sum}), unless the slot has an entry there.
        """
        key = frozenset(form.items())
        if key not in self._slots:
            if slot is None:
                slot = self.write_sum(form).slot
            self._slots[key] = slot
            self.terms.setdefault(slot, form)
            if len(form) > 1:
                self.sums.setdefault(slot, form)
        return self._slots[key]

    # --- domains ------------------------------------------------------------------------------------------------------

    @override
    def join_exponents(self, base: int, powers: list[Number], exponent: Number) -> list[Number]:
        """Return the exponents of the factor `base` in the product of `powers` and `exponent`, joined if no domain
        changes.

        With `keeps_divisors` and only whole exponents, of sum n: [n + 1, -1] if the factor may be 0, one exponent is
        negative and n is not (x^3/x is [3, -1], that is x^2*x/x); [n] in other cases, [] for 0. Without, `exponent` is
        added to the first power that it may join; if it may join none, it is appended and `has_divisors` is set.
        """
        every = [*powers, exponent]
        if self.keeps_divisors and all(power.denominator == 1 for power in every):
            total = sum(every)
            if min(every) < 0 <= total and not self.never_zero(base):
                return [total + 1, -1]
            return [total] if total else []
        for place, power in enumerate(powers):
            if self._may_join(base, power, exponent):
                total = power + exponent
                return powers[:place] + ([total] if total else []) + powers[place + 1 :]
        self.has_divisors = True
        return every

    def _may_join(self, base: int, p: Number, q: Number) -> bool:
        """Return whether two powers of the factor `base` may be joined to one without changing the domain."""
        knowledge = self.m.knowledge
        if q.denominator != 1 and (p + q).denominator == 1:
            return knowledge.positive(base)
        return (p < 0) == (q < 0) or self.never_zero(base)

    def never_zero(self, base: int) -> bool:
        """Return whether the slot `base` is certainly not 0 wherever it has a value; cached."""
        if base not in self._nonzero:
            self._nonzero[base] = self.m.knowledge.never_zero(base)
            self._nonzero[base] |= self.has_nonzero_conjugate(base)  # which may need the fact about this base
        return self._nonzero[base]

    def has_nonzero_conjugate(self, base: int) -> bool:
        """Return whether the slot is a sum p + q of which p^2 - q^2 is a number other than 0; here always False."""
        return False

    def raise_power(self, monomial: Monomial, exponent: Number) -> Monomial | None:
        """Return the monomial with the power of each factor multiplied by `exponent`; None if that could change its
        domain.

        It could in two cases. A fraction (`exponent`, or a power other than 1) meets a factor that is not certainly
        positive: (x^2)^(1/2) is not x. Both are negative and the factor may be 0, as in 1/(1/x); with `keeps_divisors`
        this becomes x*x/x instead of None.
        """
        total = ONE
        for base, power in monomial:
            whole = power.denominator == 1 and exponent.denominator == 1
            if not whole and power != 1 and not self.m.knowledge.positive(base):
                return None
            size = shorten(Fraction(power * exponent))
            is_double_inverse = whole and power < 0 and exponent < 0 and not self.never_zero(base)
            if is_double_inverse and not self.keeps_divisors:
                return None
            total = self.product(total, ((base, size + 1), (base, -1)) if is_double_inverse else ((base, size),))
        return total

    @override
    def may_vanish(self, monomial: Monomial) -> bool:
        """Return whether a term 0 times the monomial may be left out: the monomial certainly has a value wherever the
        function has one.

        That is so if its slots have values, divisors are never 0, and roots are never of negative numbers.
        """
        knowledge = self.m.knowledge
        return all(
            knowledge.has_value(base)
            and (exponent > 0 or knowledge.never_zero(base))
            and (exponent.denominator == 1 or knowledge.never_negative(base))
            for base, exponent in monomial
        )

    def is_evaluated(self, monomial: Monomial, others: Collection[Monomial]) -> bool:
        """Return whether the monomial certainly has a value wherever all of `others` have one.

        Each factor must have a value there. A divisor must be a divisor in one of `others` too, or never 0 there. A
        factor with a fractional exponent must have one in one of `others` too, or never be negative there.
        """
        factors = [factor for other in others for factor in other]
        divisors = {base for base, exponent in factors if exponent < 0}
        roots = {base for base, exponent in factors if exponent.denominator > 1}
        cases = [
            (base, exponent > 0 or base in divisors, exponent.denominator == 1 or base in roots)
            for base, exponent in monomial
        ]
        known_bases = {base for base, _ in factors}
        if all(base in known_bases and not_zero and not_negative for base, not_zero, not_negative in cases):
            return True
        always = always_evaluated(self.graph, [*known_bases])
        known = Knowledge(self.graph, always, valued=always, seen=self.m.knowledge.seen)
        return all(
            known.has_value(base) and (not_zero or known.of(base).nonzero) and (not_negative or known.of(base).low >= 0)
            for base, not_zero, not_negative in cases
        )

    # --- equal sums ---------------------------------------------------------------------------------------------------

    def flatten(self, form: Sum, longest: int | None = None) -> Sum:
        """Return `form` with each term that is a known sum (a slot of `sums` to the first power) replaced by its terms.

        Only one level, and only sums of at most `longest` terms (None: all). `form` itself if there are none. Raises
        Swollen.
        """
        parts: dict[Monomial, Sum] = {
            monomial: inner
            for monomial in form
            if len(monomial) == 1
            and monomial[0][1] == 1
            and (inner := self.sums.get(monomial[0][0]))
            and (longest is None or len(inner) <= longest)
        }
        if not parts:
            return form
        return self.total((parts.get(monomial, {monomial: 1}), number) for monomial, number in form.items())

    # --- lengths ------------------------------------------------------------------------------------------------------

    def size(self, slot: int) -> int:
        """Return the number of operations of a slot when it is written out without shared parts, at most
        10^9; cached.
        """
        extend_sizes(self.graph, self._sizes)
        return self._sizes[slot]

    def operations(self, form: Sum) -> int:
        """Return the number of operations of `form` written out, with one more for each fraction and each root.

        A term is a fraction if its coefficient has a denominator or a factor a negative exponent: 3/2 counts 2. Signs
        count nothing. A power counts one, in addition to the operations of its base.
        """
        total = max(len(form) - 1, 0)
        for monomial, number in form.items():
            above, below = int(abs(number.numerator) != 1), int(number.denominator != 1)
            for base, exponent in monomial:
                total += self.size(base) + (abs(exponent) != 1) + (exponent.denominator != 1)
                above, below = above + (exponent > 0), below + (exponent < 0)
            total += max(above - 1, 0) + below + (below > 0)
        return total

    # --- writing ------------------------------------------------------------------------------------------------------

    def write_sum(self, form: Sum) -> Term:
        """Append the sum to the graph as operations and return its term; 0 for the empty sum.

        Polynomials (all factors are inputs to positive whole powers, or literals) are written by falling degree, others
        in the order of the sum with a number last. Then the first term with a positive number is moved to the front.
        """
        if not form:
            return self.m.number(0)
        terms = list(form.items())
        if all(self._degree(monomial) is not None for monomial, _ in terms):
            terms.sort(key=lambda term: -(self._degree(term[0]) or 0))
        else:
            terms.sort(key=lambda term: term[0] == ONE)
        first = next((place for place, (_, coefficient) in enumerate(terms) if coefficient > 0), 0)
        terms.insert(0, terms.pop(first))
        total = self._write_monomial(*terms[0])
        for monomial, coefficient in terms[1:]:
            if coefficient < 0:
                total = self.m.write("sub", total, self._write_monomial(monomial, -coefficient))
            else:
                total = self.m.write("add", total, self._write_monomial(monomial, coefficient))
        return total

    def _degree(self, monomial: Monomial) -> Number | None:
        """Return the degree of a monomial in the inputs; None if it is not a product of their powers and of numbers."""
        if all(self._polynomial(base) and e > 0 and e.denominator == 1 for base, e in monomial):
            return sum((e for base, e in monomial if base in self.graph.inputs), Fraction(0))
        return None

    def _polynomial(self, base: int) -> bool:
        """Return whether the slot `base` is an input or a literal, and so a factor of polynomials."""
        return base in self.graph.inputs or bool(self.graph.literal[base])

    def _sort_key(self, base: int) -> tuple[int, int]:
        """Return (kind, slot) to sort the factor in slot `base` by.

        The kinds, by the row in the slot: 0 literal, 1 input, 2 function or other operation, 3 sum or difference of two
        or more.
        """
        row = self.graph.rows[base]
        if self.graph.literal[base]:
            return 0, base
        return (1 if row is None else 3 if len(row.signs) > 1 else 2), base

    def _write_monomial(self, monomial: Monomial, coefficient: Number) -> Term:
        """Append `coefficient` times a monomial as a product, or as one fraction, and return its term.

        A minus sign belongs to the first factor; a coefficient 0 is written as a factor 0. A fractional coefficient is
        written as a decimal if the formula has decimals and this one is short; if not, its denominator is below the
        line.
        """
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
        factors = numbers + self._append_powers(above)
        if not factors:
            factors = [self.m.number(1)]
        if sign < 0:
            factors[0] = self.m.neg(factors[0])
        numerator = self._times(factors)
        under = ([self.m.number(bottom)] if bottom != 1 else []) + self._append_powers(below)
        return self.m.write("div", numerator, self._times(under)) if under else numerator

    def _decimal(self, number: Fraction) -> str | None:
        """Return a number as a decimal text; None if the text has more than 17 characters or does not end."""
        text = decimal_text(number)
        return text if text is not None and len(text) <= 17 else None

    def _append_powers(self, pairs: list[tuple[int, Number]]) -> list[Term]:
        """Append the powers of `pairs`, (slot of the base, exponent above 0), to the graph and return their terms.

        They are sorted: literals, inputs, functions, sums, those of one kind by slot. An exponent 1 gives the base
        itself; a fraction, also 1/2, is written as a quotient in the exponent of pow.
        """
        powers: list[Term] = []
        for base, exponent in sorted(pairs, key=lambda pair: self._sort_key(pair[0])):
            term: Term = self.m.term(base)
            if exponent.denominator != 1:
                term = self.m.write("pow", term, self.m.write("div", exponent.numerator, exponent.denominator))
            elif exponent != 1:
                term = self.m.write("pow", term, exponent.numerator)
            powers.append(term)
        return powers

    def _times(self, factors: list[Term]) -> Term:
        return reduce(lambda product, factor: self.m.write("mul", product, factor), factors)
