"""Identities of sums, by which these become shorter: of roots and signs, between functions of one argument, and between
two densities: φ(w) is φ(u) e^((u² − w²)/2), by which S φ(d1) and K e^(−r T) φ(d2) of Black and Scholes are equal. A sum
is {monomial: number}, a monomial ((slot of a factor, exponent), …)."""

from __future__ import annotations

from abc import ABC
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import chain, permutations

from ..table.identities import COMPLEMENTARY, DENSITIES, QUOTIENTS, RECIPROCAL, SLOPES, SQUARES
from ..table.primitive import ROWS
from ..typings import override
from .knowledge import Knowledge
from .monomial_sums import ONE, Monomial, MonomialSums, Number, Sum, quotient, shorten
from .slot_sums import SlotSums
from .terms import Term

_TERMS = 24  # of an argument of a density that is multiplied out
_ROUNDS = 24  # how often factors of it are replaced by their own sums
_FREE = MonomialSums()  # products in which factors cancel wherever all have values and no divisor is 0
_HIGHEST = 6  # the largest power of a function for which a complement is tried
_MOST_JOINED = 50  # factors of a monomial in which each pair is tried


class Identities(SlotSums, ABC):
    """Sums whose factors may be replaced by equal ones; no replacement changes where a sum has a value.

    `function` has the facts that hold where the function has a value (None: no facts).
    """

    function: Knowledge | None
    _forms: dict[int, Sum]

    def _rewrite_terms(self, form: Sum, rewrite: Callable[[Monomial], Monomial]) -> Sum:
        """Return the sum with each monomial rewritten; `form` itself if all stay the same objects."""
        changed = {monomial: rewrite(monomial) for monomial in form}
        if all(old is new for old, new in changed.items()):
            return form
        return self.total(({changed[monomial]: 1}, number) for monomial, number in form.items())

    # --- functions of one argument ------------------------------------------------------------------------------------

    def _call(self, base: int) -> tuple[str, int] | None:
        """Return (name, slot of the argument) of the function of one argument in slot `base`, with e^u as exp.

        For a slot of the user's program the argument is the rewritten one. None for every other slot, and for a slot of
        the user's program whose argument was not read.
        """
        row, parents = self.graph.rows[base], self.graph.parents[base]
        if row is not None and row.name == "pow" and self._is_e(parents[0]):
            row, parents = ROWS["exp"], parents[1:]
        if row is None or len(parents) != 1 or (base < self.first_new_slot and parents[0] not in self._forms):
            return None
        return row.name, self.rewrite_slot(parents[0]) if base < self.first_new_slot else parents[0]

    def _calls(self, form: Sum) -> dict[int, tuple[str, int]]:
        """Return the `_call` of each factor of `form` that has one, by slot; none if a term has too many factors."""
        bases = [base for monomial in form for base, _ in monomial] if max(map(len, form)) <= _MOST_JOINED else []
        return {base: call for base in bases if (call := self._call(base)) is not None}

    def _is_e(self, slot: int) -> bool:
        return slot in self.graph.constants and self.graph.constants[slot].text == "e"

    @override
    def has_nonzero_conjugate(self, base: int) -> bool:
        """Return whether the slot `base` is a sum of two terms p + q, and (p + q)·(p - q) is a number other than 0.

        Such a sum is never 0, as x + sqrt(x^2 + 1).
        """
        form = self.sums.get(base, {})
        if len(form) != 2:
            return False
        (p, number), (q, other) = form.items()
        product = self.flatten(self.join_roots(self.times(form, {p: number, q: -other})))
        return [*product] == [ONE] and product[ONE] != 0

    def _are_opposite(self, a: int, b: int) -> bool:
        """Return whether the slot `a` is known to be minus the slot `b`."""
        left, right = (self.terms.get(slot) or self._forms.get(slot) or self.atom(slot) for slot in (a, b))
        return left == self.scale(right, -1)

    def with_identities(self, form: Sum) -> Sum:
        """Return the sum with identities applied in its terms; `form` itself if that changes nothing.

        Within one term: sinh(u)/cosh(u) becomes tanh(u), exp(u) exp(-u) becomes 1, a factor 1 - f(u) becomes f(-u) (the
        sum `form` = 1 - f(u) itself stays), (a - b) (a + b) becomes a^2 - b^2.
        Terms of more than 50 factors stay.
        """
        return self._rewrite_terms(form, lambda x: self._join_factors(x) if len(x) <= _MOST_JOINED else x)

    def _join_factors(self, monomial: Monomial) -> Monomial:
        """Return the monomial with identities applied as long as one fits; a base that occurs twice in it is passed
        over, the others are tried.

        For each base in order, first a pair with any other base is joined (`_join_pair`), then 1 - f(u) becomes f(-u)
        (`_complement_of`). After each use the search begins again with the product of the result and the other factors.
        """
        bases = [base for base, _ in monomial]
        if len(bases) < 2 and self.sums.keys().isdisjoint(bases):
            return monomial
        powers = {base: exponent for base, exponent in monomial if bases.count(base) == 1}
        partners = self._partners(powers)
        for base, exponent in powers.items():
            for other in partners.get(base, ()):
                joined = self._join_pair((base, exponent), (other, powers[other]))
                if joined is not None:
                    rest = tuple([factor for factor in monomial if factor[0] not in (base, other)])
                    return self._join_factors(self.product(rest, joined))
            complement = self._complement_of(self.sums.get(base, {}))
            if complement is not None:
                rest = tuple([factor for factor in monomial if factor[0] != base])
                return self._join_factors(self.product(rest, ((complement, exponent),)))
        return monomial

    def _partners(self, bases: Iterable[int]) -> dict[int, list[int]]:
        """Return {base: the others in `bases` that `_join_pair` may join with it, in order}, without empty lists.

        They have something in common: both are sums, functions of the same argument, or exp.
        """
        kinds: dict[int, set[str | int]] = {}
        for base in bases:
            call = self._call(base)
            kinds[base] = {"sum"} if base in self.sums else set()
            kinds[base].update(() if call is None else (call[1], *RECIPROCAL.intersection(call[:1])))
        counts = Counter(chain.from_iterable(kinds.values()))
        shared = {base: kind for base, kind in kinds.items() if any(counts[each] > 1 for each in kind)}
        return {
            base: [x for x in shared if x != base and not kind.isdisjoint(shared[x])] for base, kind in shared.items()
        }

    def _join_pair(self, left: tuple[int, Number], right: tuple[int, Number]) -> Monomial | None:
        """Return the product of the powers `left` and `right`, (slot, exponent), as a shorter monomial; None if none
        fits.

        Two sums with the same exponent are joined if it is whole and they are conjugates, (a + b)(a - b); their product
        is a new slot with this exponent. Other bases are joined if both are functions of one argument, in this order
        only: exp(u)^p exp(-u)^q, and quotients such as sinh(u)/cosh(u) (`_join_calls`).
        """
        (base, exponent), (other, power) = left, right
        if exponent == power and base in self.sums and other in self.sums:
            product = self._conjugate_product(base, other) if exponent.denominator == 1 else None
            return None if product is None else ((product, exponent),)
        call, second = self._call(base), self._call(other)
        return None if call is None or second is None else self._join_calls(left, right, call, second)

    def _join_calls(
        self, left: tuple[int, Number], right: tuple[int, Number], call: tuple[str, int], second: tuple[str, int]
    ) -> Monomial | None:
        """Return the product of the powers `left` and `right`, (slot, exponent), of functions as a shorter monomial.

        `call` and `second` are their (name, slot of the argument); `left` has the exponent p. None if neither identity
        fits:

        - f(u)^p·f(-u)^q with p ≥ q > 0 is f(u)^(p - q), for a function of RECIPROCAL (exp)
        - f(u)^p·g(u)^-p with p > 0 is the p-th power of the function that QUOTIENTS has for (f, g), appended to the
          graph
        """
        (base, exponent), (_, power) = left, right
        if call[0] == second[0] in RECIPROCAL and exponent >= power > 0 and self._are_opposite(call[1], second[1]):
            return ((base, exponent - power),) if exponent > power else ONE
        joined = QUOTIENTS.get((call[0], second[0]))
        if joined is None or call[1] != second[1] or not exponent == -power > 0:
            return None
        return ((self.m.write(joined, self.m.term(call[1])).slot, exponent),)

    def _conjugate_product(self, a: int, b: int) -> int | None:
        """Return the slot of the product of the sums in slots `a` and `b`, if they are p·u + q·v and r·(p·u - q·v).

        p, q and r are numbers, u and v monomials. None if the sums do not have this form, or if the product, with roots
        joined, does not have exactly two terms.
        """
        left, right = self.sums[a], self.sums[b]
        if len(left) != 2 or left.keys() != right.keys():
            return None
        (first, p), (second, q) = left.items()
        if 0 in (p, q, right[first]) or p * right[second] + q * right[first]:
            return None
        product = self.join_roots(self.times(left, right))
        return self.slot_of(product) if len(product) == 2 else None

    def _complement_of(self, form: Sum) -> int | None:
        """Return the slot of f(-u) if the sum `form` is exactly 1 - f(u), for a function f of COMPLEMENTARY (sigmoid,
        Φ).

        The slot is written if it is new. None for every other sum.
        """
        if len(form) != 2 or form.get(ONE) != 1:
            return None
        (monomial,) = [monomial for monomial in form if monomial != ONE]
        call = self._call(monomial[0][0]) if form[monomial] == -1 and len(monomial) == 1 == monomial[0][1] else None
        if call is None or call[0] not in COMPLEMENTARY:
            return None
        argument = self.terms.get(call[1]) or self._forms.get(call[1]) or self.atom(call[1])
        return self.m.write(call[0], self.m.term(self.slot_of(self.scale(argument, -1)))).slot

    def complements(self, form: Sum) -> Iterator[Sum]:
        """Yield the sum with sin(u)^2 replaced by 1 - cos(u)^2, or f(-u) by 1 - f(u), once for each function with a
        partner.

        A partner also occurs in the sum: cos for sin, sinh and cosh for each other (of the same argument), sigmoid and
        Φ for themselves (of the opposite argument). Nothing for a sum with a term of more than 50 factors. Higher
        powers, up to the 6th, are replaced as powers of the square
        (`_replace_powers`). Raises Swollen.
        """
        calls = self._calls(form)
        for base, (name, argument) in calls.items():
            partner_name, number, constant = SQUARES.get(name, (name if name in COMPLEMENTARY else "", -1, 1))
            power = 1 if name in COMPLEMENTARY else 2
            for partner, (other, inner) in calls.items():
                same = self._are_opposite(argument, inner) if power == 1 else argument == inner
                if other == partner_name and same:
                    yield self._replace_powers(form, base, power, {((partner, power),): number, ONE: constant})

    def _replace_powers(self, form: Sum, base: int, power: int, value: Sum) -> Sum:
        """Return `form` with base^power (`base` is a slot) replaced by the sum `value`, multiplied out.

        A factor base^n with whole n from `power` to 6 becomes value^(n // power) times the remaining power. Other
        exponents, and a factor that a term has twice, stay. Raises Swollen.
        """
        total: Sum = {}
        for monomial, number in form.items():
            exponents = [exponent for other, exponent in monomial if other == base]
            product: Sum = {monomial: number}
            if len(exponents) == 1 and exponents[0].denominator == 1 and power <= exponents[0] <= _HIGHEST:
                times, left = divmod(int(exponents[0]), power)
                rest = tuple([factor for factor in monomial if factor[0] != base])
                product = {self.product(rest, ((base, left),) if left else ONE): number}
                for _ in range(times):
                    product = self.times(product, value)
            self.add(total, product)
        return self.drop_zeros(total)

    def with_names(self, form: Sum) -> Sum:
        """Return the sum with sigmoid(-u) and 1/cosh(u)^2 written by steps of the program that are sigmoid(u) or
        tanh(u).

        Only steps with a name of the user are used. `form` itself if there are none.
        """
        return self._rewrite_terms(form, self._with_names)

    @override
    def _write_monomial(self, monomial: Monomial, coefficient: Number) -> Term:
        """Append a term as `SlotSums` does, with derivatives of steps that have names written with these names."""
        return super()._write_monomial(self._with_names(monomial), coefficient)

    def _with_names(self, monomial: Monomial) -> Monomial:
        """Return the monomial with factors written by steps of the program that have a name.

        For s = sigmoid(u) or Φ(u), f(-u) becomes 1 - s; for t = tanh(u), 1/cosh(u)^2 becomes 1 - t^2. The first step
        that fits a factor counts; new factors are not merged with others. The same object if nothing changes, if there
        are no such steps, or if the monomial has a factor twice.
        """
        steps = [(slot, call) for slot in self.graph.aliases if (call := self._call(slot)) is not None]
        if not steps or len(dict(monomial)) < len(monomial):
            return monomial
        named = [next(self._named_powers(base, exponent, steps), (base, exponent)) for base, exponent in monomial]
        return monomial if named == list(monomial) else tuple(sorted(named))

    def _named_powers(
        self, base: int, exponent: Number, steps: list[tuple[int, tuple[str, int]]]
    ) -> Iterator[tuple[int, Number]]:
        """Yield (slot of a sum, exponent) for each of `steps` by which base^exponent can be written.

        A step is (slot, (name of the function, slot of its argument)). Nothing for a base with a name. The two cases:

        - the base is f(-u) and the step s = f(u), for sigmoid and Φ: 1 - s, with the same exponent
        - the base is cosh(u) or the like, with an even negative exponent n, and the step t = tanh(u): 1 - t^2, with
          -n/2
        """
        name, argument = self._call(base) or ("", base)
        for slot, (step, inner) in steps if base not in self.graph.aliases else ():
            if name == step and name in COMPLEMENTARY and self._are_opposite(argument, inner):
                yield self.slot_of({ONE: 1, ((slot, 1),): -1}), exponent
            elif argument == inner and exponent < 0 and not exponent % 2 and SLOPES.get((name, -2)) == step:
                yield self.slot_of({ONE: 1, ((slot, 2),): -1}), quotient(-exponent, 2)

    # --- densities of two arguments -----------------------------------------------------------------------------------

    def with_one_density(self, form: Sum) -> Iterator[Sum]:
        """Yield `form` with φ(w) replaced by φ(u) e^((u² − w²)/2), for each ordered pair of densities in it that allows
        it.

        The exponent is split into logarithms times whole numbers, which become powers, and a remainder. Only terms with
        φ(w) to the first power change; φ(w)² stays. In each the remainder must be 0, or turn an exponential of the term
        (to the first power) into another one of the sum or into 1. Terms that cancel are left out. Sums that are empty,
        or that may have values at other points than `form`, are not yielded.
        """
        calls = self._calls(form)
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
        """Return (factor, rest) with e^(form/2) = factor · e^rest.

        A term n log(u) with an even whole n gives the monomial `factor` u^(n/2), with u as its slot, or as its factors
        if u is one term with the number 1. Half of every other term is in the sum `rest`.
        """
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
        """Return the sum that `slot` is, with the sums among its factors multiplied out (`_expand_sum`)."""
        return self._expand_sum(self.atom(slot))

    def _expand_sum(self, form: Sum) -> Sum:
        """Return the sum with the sums among its factors multiplied out and even powers of roots without the root.

        Equal to `form` wherever all its factors have values and no divisor is 0. It ends after _ROUNDS (24) rounds of
        one replacement in each term, or with more than _TERMS (24) terms; what is not expanded then stays as it is.
        """
        for _ in range(_ROUNDS):
            steps = {monomial: self._expand_factor(monomial) for monomial in form}
            if len(form) > _TERMS or not any(steps.values()):
                break
            form = _FREE.total((step or {monomial: 1}, form[monomial]) for monomial, step in steps.items())
        return form

    def _expand_factor(self, monomial: Monomial) -> Sum | None:
        """Return the monomial with its first factor that can be expanded replaced, as a sum; None if no factor can.

        - an even power n of a root of u: u^(n/2)
        - a whole power of a single term: the powers of its factors
        - a sum to a positive whole power: one factor is multiplied out
        """
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

    # --- roots and signs ----------------------------------------------------------------------------------------------

    def without_signs(self, monomial: Monomial) -> Monomial:
        """Return the monomial with sign(u) times a power of u or |u| written without the sign, with an equal domain.

        - sign(u)·|u|^n becomes u^n for odd n, and u |u|^(n-1) for even positive n
        - without a power of |u|, sign(u)·u^n becomes u^(n-1) |u| for odd positive n

        This is done for each u whose sign(u) has the power 1, if neither factor is in the monomial twice.
        """
        rows, parents = self.graph.rows, self.graph.parents
        named = {(row.name, parents[base]): base for base, _ in monomial if (row := rows[base]) is not None}
        powers = dict(monomial)
        for (name, argument), base in named.items():
            if name != "sign" or powers[base] != 1:
                continue
            size = named.get(("abs", argument))
            other = argument[0] if size is None else size
            power = powers.get(other, 0)
            if sum(each in (base, other) for each, _ in monomial) != 2:  # x^3/x has its factor twice
                continue
            if size is not None and power % 2 == 1:
                joined = self._power_of(argument[0], power)
            elif power > 0 and power.denominator == 1 and (size is not None or power % 2):
                partner = self.m.write("abs", self.m.term(other)).slot if size is None else argument[0]
                joined = self.product(((other, power - 1),) if power > 1 else ONE, ((partner, 1),))
            else:
                continue
            rest = tuple([pair for pair in monomial if pair[0] not in (base, other)])
            return self.without_signs(self.product(rest, joined))
        return monomial

    def join_roots(self, form: Sum) -> Sum:
        """Return the sum with roots and powers of the same u joined in each term (u / sqrt(u) is sqrt(u)).

        Only for each u that is positive wherever the function has a value. `form` itself if nothing changes.
        """
        return self._rewrite_terms(form, self.without_roots)

    def without_roots(self, monomial: Monomial, powers_apart: bool = False) -> Monomial:
        """Return the monomial with roots and powers of the same u joined; the same object if nothing changes.

        Only for each u that is positive wherever the function has a value; without negative powers u may be 0. u /
        sqrt(u) becomes sqrt(u), sqrt(u)^2 becomes u. If u is an input or with `powers_apart`, sqrt(u)^3 becomes u
        sqrt(u).
        """
        joined: Monomial | None = monomial
        while joined is not None:
            monomial = joined
            powers = dict(monomial)
            options = (self._join_root(monomial, powers, base, powers_apart) for base in powers)
            joined = next((option for option in options if option is not None), None)
        return monomial

    def _join_root(
        self, monomial: Monomial, powers: Mapping[int, Number], base: int, powers_apart: bool
    ) -> Monomial | None:
        """Return the monomial with the powers of u and of the slot `base`, a root sqrt(u), joined (`_join_exponents`).

        `powers` has the exponents of its factors, by base.
        With `powers_apart`, or if u is an input, at most one root is left (u sqrt(u)), else no u (sqrt(u)^3). A power
        of u is written by the factors of u if u is a product. None in these cases:

        - `base` is not a root, or nothing changes
        - the monomial has a factor twice
        - no facts are known (`function` is None)
        - joining might change the domain: with a negative power u is not certainly positive, without one not certainly
          0 or positive (not required if a root stays and there are negative powers before and after)
        """
        row = self.graph.rows[base]
        if row is None or row.name != "sqrt" or self.function is None or len(powers) < len(monomial):
            return None
        inner = self.graph.parents[base][0]
        inner = self.rewrite_slot(inner) if inner < self.first_new_slot else inner
        before = powers[base], powers.get(inner, 0)
        odd, whole = _join_exponents(*before, powers_apart or inner in self.graph.inputs)
        positive_anyway = odd and min(odd, whole) < 0 and min(before) < 0  # as the root and the divisor require
        is_certain = self.function.positive if min(odd, whole, *before) < 0 else self.function.never_negative
        if (odd, whole) == before or not (positive_anyway or is_certain(inner)):
            return None
        rest = tuple([pair for pair in monomial if pair[0] not in (base, inner)])
        factors = self.product(rest, self._power_of(inner, whole) if whole else ONE)
        return self.product(factors, ((base, odd),) if odd else ONE)

    def _power_of(self, slot: int, exponent: Number) -> Monomial:
        """Return a power of a slot as a monomial: of its factors if it is a product with the number 1 and no domain
        changes (`raise_power`), else of the slot.
        """
        form = self._forms.get(slot, {})
        monomial, number = next(iter(form.items()), (ONE, 0))
        raised = self.raise_power(monomial, exponent) if len(form) == 1 and number == 1 else None
        return ((slot, exponent),) if raised is None else raised


def _join_exponents(root: Number, power: Number, is_single: bool) -> tuple[Number, Number]:
    """Return (exponent of sqrt(u), exponent of u) of the shortest form of sqrt(u)^root · u^power.

    With `is_single` at most one root is left. With n = root + 2·power the product is u^(n/2). The first that applies:

    - n is not whole: the arguments
    - without `is_single`, `root` is odd and `power` is 0 or has the same sign: the arguments (sqrt(u)^3 stays)
    - n is even: (0, n/2)
    - without `is_single`: (n, 0)
    - at most one root is left: (1, (n - 1)/2) for n > 0, (-1, (n + 1)/2) for n < 0
    """
    halves = root + 2 * power
    if halves.denominator != 1 or (not is_single and root % 2 and root * power >= 0):
        return root, power
    odd = halves % 2 and (halves if not is_single else 1 if halves > 0 else -1)
    return odd, (halves - odd) // 2


def _join_exponentials(monomial: Monomial, rest: Sum, exponentials: Mapping[int, Sum]) -> Monomial | None:
    """Return the monomial times e^rest, with one of its exponentials (to the first power) replaced by another or left
    out.

    `exponentials` is {slot: sum of its argument}. The monomial itself if `rest` is empty; None if no exponential fits.
    """
    if not rest:
        return monomial
    for base, argument in exponentials.items():
        if (base, 1) in monomial:
            exponent = _FREE.total([(argument, 1), (rest, 1)])
            fitting: list[Monomial] = [((other, 1),) for other, inner in exponentials.items() if inner == exponent]
            left = tuple([factor for factor in monomial if factor[0] != base])
            if not exponent or fitting:
                return _FREE.product(left, fitting[0] if exponent else ONE)
    return None
