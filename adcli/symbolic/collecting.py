"""Collecting: sums of monomials as short formulas, by common factors, one denominator where it helps, and groups. A sum
is {monomial: number}, a monomial ((slot of a factor, exponent), …).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial, reduce
from itertools import filterfalse

from ..graph.order import complete
from .kernels import Kernels
from .knowledge import Knowledge
from .monomial_sums import (
    ONE,
    Monomial,
    Number,
    Sum,
    common_powers,
    content,
    exponent_of,
    monomial_of,
    quotient,
    single_powers,
)  # fmt: skip
from .slot_sums import Key
from .terms import Term

_TERMS = 600  # terms; a longer sum is not multiplied out
_SHORT = 16  # the same if a factor that may be 0 is multiplied out, which loses digits near its zeros
_PENALTY = 2  # the factor by which a form that loses digits must be shorter
_HIGHEST = 64  # the largest power of a sum that is multiplied out
_LOW = 2  # the same for a sum that may be 0
_DEEP = 3  # levels of groups inside groups
_SMALL = 250  # terms; in a longer sum there is one level
_FEW = 80  # terms; for a longer sum fewer groupings are tried
_MANY = 8  # terms from which a sum is grouped by powers of inputs too
_NESTED = 8  # levels of sums inside sums that are multiplied out
_BELOW = 8  # polynomials in one denominator

_Test = Callable[[tuple[int, Number]], bool]  # of a factor: a slot and its exponent


class Collecting:
    """A writer of sums over `kernels` as slots, each in the shortest of a few forms."""

    def __init__(self, kernels: Kernels) -> None:
        self.kernels = kernels
        self.graph = kernels.graph
        self._anywhere = Knowledge(kernels.graph, seen=kernels.m.knowledge.seen)
        self._levels: dict[int, int] = {}
        self._short: dict[tuple[Key, int], Sum] = {}
        self._powers: dict[tuple[int, int, bool], Sum | None] = {}

    def write_sum(self, form: Sum) -> Term:
        """Append the shortest of the candidate forms of `form` to the graph and return its Term.

        Each candidate (`_candidates`) is first shortened by groups: to 3 levels, or to one if it has more than 250
        terms. Aggressive candidates, which lose digits, count twice their operations. Of equally short forms the first
        candidate is taken; the sum as it is comes first.
        """
        options: list[tuple[int, int, Sum]] = []
        for candidate, aggressive in self._candidates(form):
            short = self.kernels.flatten(self._shorten(candidate, _DEEP if len(candidate) <= _SMALL else 1))
            options.append((self._cost(short) * (_PENALTY if aggressive else 1), len(options), short))
        return self.kernels.write_sum(self._sort_powers(min(options)[2]))

    def _candidates(self, form: Sum) -> Iterator[tuple[Sum, bool]]:
        """Yield (sum, whether it is aggressive): forms that are equal to the sum `form`, first `form` itself.

        Then come `form` multiplied out over one denominator and, if terms differ in their factors that are functions,
        the terms with the same such factors over one denominator each. Aggressive forms multiply out sums that may be
        0, beyond the power 2; they come last, and only if such a sum is below the line. Forms that become too long are
        left out.
        """
        yield form, False
        groups = self._split_into_groups(form, self._is_function)
        below = {base for monomial in form for base, e in monomial if e < -_LOW and self.algebraic(base)}
        for aggressive in (False, True) if any(not self._never_zero(base) for base in below) else (False,):
            for whole in [{ONE: form}, groups] if len(groups) > 1 else [{ONE: form}]:
                total = self._expand_over_denominator(whole, aggressive)
                if total is not None:
                    yield total, aggressive

    def _expand_over_denominator(self, groups: dict[Monomial, Sum], aggressive: bool) -> Sum | None:
        """Return the sum of all groups, each multiplied out over its common denominator; None if a group becomes too
        long.

        `groups` is {factor: sum that is multiplied by it}. With `aggressive` higher powers are multiplied out. Terms
        whose numbers have become 0 are kept. Raises Swollen.
        """
        total: Sum = {}
        for part, group in groups.items():
            common, numerator = self._clear_denominators(group, aggressive)
            spread = self._multiply_out(numerator, aggressive)
            if spread is None:
                return None
            for monomial, number in spread.items():
                key = self.kernels.product(self.kernels.product(monomial, common), part)
                total[key] = total.get(key, 0) + number
        return total

    def _sort_powers(self, form: Sum) -> Sum:
        """Return the sum by descending powers, if it has one kernel only; else as it is."""
        if len({base for monomial in form for base, _ in monomial}) > 1:
            return form
        return dict(sorted(form.items(), key=lambda term: -sum(exponent for _, exponent in term[0])))

    def _cost(self, form: Sum) -> int:
        """Return the number of operations of `form`, plus 4 if some term is a fraction inside a fraction.

        Such a term has a divisor, or a number that is a fraction, and also a factor that is a sum with negative powers.
        """
        nested = any(
            (number.denominator != 1 or any(exponent < 0 for _, exponent in monomial))
            and any(self._fractions(base) for base, _ in monomial)
            for monomial, number in form.items()
        )
        return self.kernels.operations(form) + 4 * nested

    def _fractions(self, base: int) -> bool:
        """Return whether a kernel is a sum with a negative power in it."""
        return any(e < 0 for monomial in self.kernels.sums.get(base, ()) for _, e in monomial)

    # --- kinds of factors ---------------------------------------------------------------------------------------------

    def algebraic(self, base: int) -> bool:
        """Return whether the kernel in slot `base` is an input, or a polynomial of inputs with at most 8 levels of
        sums.
        """
        return complete(self._levels, base, self._inner, self._nesting_level) <= _NESTED

    def _inner(self, base: int) -> list[int]:
        """Return the kernels that the sum in slot `base` consists of; none if it is not a sum."""
        return [b for monomial in self.kernels.sums.get(base, ()) for b, _ in monomial]

    def _nesting_level(self, base: int) -> int:
        """Return the level of the slot `base`: 0 for an input, 1 + the highest level inside for a polynomial.

        More than _NESTED (8) for other slots: functions, sums with negative or fractional powers, sums of numbers only.
        The levels of the kernels inside must be in `_levels` already.
        """
        if base in self.graph.inputs:
            return 0
        form = self.kernels.sums.get(base)
        if form is None or any(e < 0 or e.denominator != 1 for monomial in form for _, e in monomial):
            return _NESTED + 1
        return 1 + max([self._levels[b] for b in self._inner(base)], default=_NESTED)

    def _is_function(self, factor: tuple[int, Number]) -> bool:
        """Return whether a factor, (slot, exponent), is not algebraic."""
        return not self.algebraic(factor[0])

    def _split_into_groups(self, form: Sum, belongs: _Test) -> dict[Monomial, Sum]:
        """Return {monomial of the factors that belong: sum of the terms with these factors, without them}.

        Factors keep their order. A term without a factor that belongs is in the group of ONE.
        """
        groups: dict[Monomial, Sum] = {}
        for monomial, number in form.items():
            key = tuple(filter(belongs, monomial))
            groups.setdefault(key, {})[tuple(filterfalse(belongs, monomial))] = number
        return groups

    def _never_zero(self, base: int) -> bool:
        """Return whether a kernel is an input, or a sum that is not 0 for any inputs, so that no digits are lost."""
        return base in self.graph.inputs or self._anywhere.of(base).nonzero

    # --- denominators -------------------------------------------------------------------------------------------------

    def _clear_denominators(self, form: Sum, aggressive: bool) -> tuple[Monomial, Sum]:
        """Return (common denominator as a monomial of negative powers, `form` multiplied with its inverse).

        The denominator has only algebraic factors (inputs and polynomials of inputs). A factor is left out if its
        powers differ by fractions; without `aggressive` also if it may be 0 and its lowest power is below -2. (ONE,
        form) without such factors, and for more than 8. No domain changes: a factor below the line in one term remains
        below it. Raises Swollen beyond 10,000 terms.
        """
        lowest: dict[int, Number] = {}
        for monomial in form:
            for base, exponent in monomial:
                if exponent < 0 and self.algebraic(base):
                    lowest[base] = min(lowest.get(base, exponent), exponent, exponent_of(base, monomial))
        if not 0 < len(lowest) <= _BELOW:
            return ONE, form
        for base, least in list(lowest.items()):
            near = not aggressive and least < -_LOW and not self._never_zero(base)
            if near or any((exponent_of(base, monomial) - least).denominator != 1 for monomial in form):
                del lowest[base]
        return monomial_of(lowest), self.kernels.divide(form, lowest)

    def _multiply_out(self, form: Sum, aggressive: bool) -> Sum | None:
        """Return `form` with positive whole powers of algebraic sums multiplied out; None if it becomes too long.

        Too long are more than 600 terms; without `aggressive` more than 16 from the first factor on that may be 0,
        since digits could be lost near its zeros. Inputs, functions and denominators stay. Raises Swollen beyond 10,000
        terms.
        """
        total: Sum = {}
        near = False
        for monomial, number in form.items():
            factors: Sum = {ONE: 1}
            rest = []
            for base, exponent in monomial:
                whole = exponent > 0 and exponent.denominator == 1
                if whole and self.algebraic(base) and base not in self.graph.inputs:
                    power = self._power_multiplied_out(base, int(exponent), aggressive)
                    near = near or not self._never_zero(base)
                    if power is None or len(power) * len(factors) > _TERMS:
                        return None
                    factors = self.kernels.times(factors, power)
                else:
                    rest.append((base, exponent))
            for inner, factor in factors.items():
                key = self.kernels.product(tuple(rest), inner)
                total[key] = total.get(key, 0) + number * factor
            if len(total) > (_SHORT if near and not aggressive else _TERMS):
                return None
        return self.kernels.drop_zeros(total)

    def _power_multiplied_out(self, base: int, exponent: int, aggressive: bool) -> Sum | None:
        """Return the sum in slot `base`, raised to the positive integer `exponent` and multiplied out; cached.

        None if it becomes too long (`_multiply_out`; for an exponent above 1 also if the next lower power has more than
        150 terms), or if `exponent` exceeds 64; without `aggressive`, for a sum that may be 0, if it exceeds 2. Raises
        Swollen.
        """
        if (base, exponent, aggressive) not in self._powers:
            power = self._multiply_out(self.kernels.sums[base], aggressive)
            if exponent > 1:
                allowed = exponent <= (_HIGHEST if aggressive or self._never_zero(base) else _LOW)
                below = self._power_multiplied_out(base, exponent - 1, aggressive) if allowed else None
                power = None if below is None or len(below) > _TERMS // 4 else self.kernels.times(below, power or {})
            self._powers[base, exponent, aggressive] = power
        return self._powers[base, exponent, aggressive]

    # --- common factors -----------------------------------------------------------------------------------------------

    def _shorten(self, form: Sum, depth: int) -> Sum:
        """Return the shortest form of the sum with common factors in front and terms in groups; cached.

        `depth` is the number of nested levels of groups. With depth 0, or if all factors are inputs, only common
        factors are taken out. A sum of fewer than two terms is returned flat (`flatten`). Raises Swollen.
        """
        form = self.kernels.flatten(form)
        if len(form) < 2:
            return form
        key = frozenset(form.items()), depth
        if key not in self._short:
            common, inner = self._factor_out(form)
            inner = self.kernels.flatten(inner)
            inputs = self.graph.inputs
            options = [inner]
            if depth > 0 and any(base not in inputs for monomial in inner for base, _ in monomial):
                options += [self._join_groups(inner, belongs, depth - 1) for belongs in self._group_tests(inner, depth)]
            self._short[key] = self._times_monomial(common, min(options, key=self._cost))
        return self._short[key]

    def _group_tests(self, form: Sum, depth: int) -> Iterator[_Test]:
        """Yield the tests of factors, (slot, exponent), by which the terms of `form` may be grouped, in this order:

        - functions
        - from 8 terms on polynomials
        - denominators that are not inputs
        - up to 80 terms: powers of one factor, for each of the `depth` factors with the largest total size (operations,
          in all terms that have it), which are not literals, inputs or polynomials (from 8 terms on they may be inputs)
        """
        inputs = self.graph.inputs
        yield self._is_function
        if len(form) >= _MANY:
            yield lambda factor: self.algebraic(factor[0])
        yield lambda factor: factor[1] < 0 and factor[0] not in inputs
        if len(form) <= _FEW:
            counts = Counter[int]()
            for monomial in form:
                for base, _ in monomial:
                    plain = self.algebraic(base) and (len(form) < _MANY or base not in inputs)
                    if not plain and not self.graph.literal[base]:
                        counts[base] += self.kernels.size(base)
            for largest, _ in counts.most_common(depth):
                yield partial(_is_power_of, largest)

    def _join_groups(self, form: Sum, belongs: _Test, depth: int) -> Sum:
        """Return the sum with the terms joined that share the factors for which `belongs` is true.

        Each group is shortened and becomes one factor; `depth` levels of groups may be formed inside. Terms without
        such factors stay separate. `form` itself if all terms are in one group, or each is in a different one. A result
        with fewer terms is grouped further.
        """
        groups = self._split_into_groups(form, belongs)
        if len(groups) in (1, len(form)):
            return form
        total: Sum = {}
        for shared, group in groups.items():
            short = self._shorten(group, depth)
            if len(short) > 1 and shared:
                short = {((self.kernels.slot_of(self._sort_powers(short)), 1),): 1}
            elif not shared:
                short = self.kernels.flatten(short)
            for monomial, number in short.items():
                key = self.kernels.product(shared, monomial)
                total[key] = total.get(key, 0) + number
        return self._shorten(total, depth) if len(total) < len(form) else total

    def _factor_out(self, form: Sum) -> tuple[tuple[Monomial, Number], Sum]:
        """Return ((monomial of the common factors of all terms, divisor of all numbers), the remaining sum).

        A factor is common if each term has it once, on the same side of the fraction bar: above with its least power,
        below if all powers are equal. The divisor is negative if no number is positive; a divisor that is a fraction is
        replaced by 1 if numbers are written in decimals. Raises Swollen beyond 10,000 terms.
        """
        divisor = content(form)
        if divisor.denominator != 1 and self.kernels.decimal:
            divisor = 1
        common = reduce(common_powers, map(_powers_of_single_factors, form)) if form else {}
        inner = self.kernels.divide(form, common)
        if divisor != 1:
            inner = self.kernels.scale(inner, quotient(1, divisor))
        return (monomial_of(common), divisor), inner

    def _times_monomial(self, common: tuple[Monomial, Number], form: Sum) -> Sum:
        """Return `common` (monomial, number) times the sum `form`.

        `form` itself if `common` is 1. A sum of several terms becomes one factor, which may append slots to the graph.
        """
        monomial, number = common
        if not monomial and number == 1:
            return form
        if len(form) > 1:
            form = {((self.kernels.slot_of(self._sort_powers(form)), 1),): 1}
        return {self.kernels.product(monomial, inner): number * c for inner, c in form.items()}


def _powers_of_single_factors(monomial: Monomial) -> dict[int, Number]:
    """Return the exponents of the factors that are in a monomial only once, by base."""
    powers = {**single_powers(monomial, 1), **single_powers(monomial, -1)}
    return {base: e for base, e in powers.items() if e == exponent_of(base, monomial)}


def _is_power_of(base: int, factor: tuple[int, Number]) -> bool:
    return factor[0] == base
