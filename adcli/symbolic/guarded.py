"""Guarded terms: formulas that are to be evaluated, and are right at every point. A term is a slot of a graph; an
operation on terms appends a slot. A condition is a term, or True or False if it is certain; a choice is if(c, a, b).

`GuardedTerms(graph)` differs from `Terms` in three ways: exceptional points count (`guard` becomes an `if`, unless its
condition is certain), identical operations are one slot, and in products a number comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..graph.graph import Constant, Graph
from ..graph.order import Unique
from ..numbers.conditions import truth
from ..numbers.doubles import FLOAT
from ..numbers.range_arithmetic import RANGES
from ..numbers.ranges import POSITIVE, Range
from ..table.operator_methods import Comparisons
from ..table.primitive import ROWS, Primitive
from ..typings import TYPE_CHECKING, Any, Protocol, override
from .knowledge import Knowledge
from .terms import RATIONAL_OPERATIONS, Condition, Operand, Term, Terms, fold_factorial, fold_power

if TYPE_CHECKING:
    from ..table.arithmetic import LimitRule

_DEEPEST = 4  # levels of nested choices that a sum merges


class GuardedTerm(Comparisons, Term):
    """A Term with comparisons, `&` and `|`: each gives the slot of a condition, or a bool if it is certain."""

    __slots__ = ()
    m: GuardedTerms

    @override
    def compare_with(self, name: str, other: Operand) -> Condition:
        return self.m.compare(name, self, other)

    def __bool__(self) -> bool:
        """Raise TypeError: a rule with `if x > 0:` would have one of its branches only."""
        raise TypeError("a formula has no truth value; write m.choose(m.gt(x, 0), a, b) instead of if x > 0")


class RealFacts:
    """Facts about real numbers that hold at every point: by exact fractions, by the case, by ranges."""

    in_doubles = False

    def holds(self, m: GuardedTerms, name: str, a: Operand, b: Operand) -> bool | None:
        """Return whether the comparison called `name` of `a` and `b` holds at every point; None if that depends on the
        point.

        `name` is a comparison of the table, such as lt. Two rational literals decide first, then the case
        (`known_comparison`), then ranges, where equal slots are one number; only ranges that decide are recorded as
        used (`m.use`).
        """
        left, right = m.rational(a), m.rational(b)
        if left is not None and right is not None:
            return bool(getattr(FLOAT, name)(float((left > right) - (left < right)), 0.0))
        known_truth = (
            None if m.known_comparison is None else m.known_comparison(name, m.number(a).slot, m.number(b).slot)
        )
        if known_truth is not None:
            return known_truth
        x = m.range(a)
        y = x if isinstance(b, Term) and isinstance(a, Term) and a.slot == b.slot else m.range(b)
        condition_truth = truth(getattr(RANGES, name)(x, y))
        if not condition_truth.always and not condition_truth.never:
            return None
        m.use(a, b)
        return condition_truth.always

    def sign(self, m: GuardedTerms, x: Operand) -> int | None:
        """Return the sign of x: -1, 0 or 1; None if that needs a point."""
        sign = RANGES.sign(m.range(x))
        if not sign.point:
            return None
        m.use(x)
        return int(sign.low)

    def inverts(self, m: GuardedTerms, x: Operand) -> bool:
        """Return whether 1/x keeps all digits at every point; False, since that is not known of real numbers."""
        return False


class NumberFacts(Protocol):
    """Facts that hold at every point, about real numbers (RealFacts) or doubles, where rounding may break them.

    The methods are as in RealFacts.
    """

    @property
    def in_doubles(self) -> bool: ...
    def holds(self, m: GuardedTerms, name: str, a: Operand, b: Operand) -> bool | None: ...
    def sign(self, m: GuardedTerms, x: Operand) -> int | None: ...
    def inverts(self, m: GuardedTerms, x: Operand) -> bool: ...


class GuardedTerms(Terms):
    """The arithmetic of guarded terms over a graph without identical slots (`order.shared`).

    always            slots that are evaluated at every point, whose domains are facts (see Knowledge)
    later             how often a formula for people will still be differentiated; None for formulas to be evaluated,
                      whose limits hold in every order
    facts             decides comparisons; by default RealFacts
    exceptions        if it is a list: limits, and what a shortcut leaves out, are not written, but the conditions
                      under which the result is then not right are appended to it
    differentiated    if true, partials use no shortcuts
    known_comparison  (comparison, slot, slot) -> whether it holds in the case that is considered, None if unknown
    """

    def __init__(
        self,
        graph: Graph,
        always: Sequence[int] = (),
        later: int | None = None,
        *,
        facts: NumberFacts | None = None,
        exceptions: list[Condition] | None = None,
        differentiated: bool = False,
    ) -> None:
        """Prepare to write terms into `graph`; the parameters are the attributes that the class describes.

        Slots that the graph already has count as those of the function: they have a value wherever the function has
        one. Without `exceptions` (None) no shortcuts are used.
        """
        super().__init__(graph)
        self.always = always
        self.later = later
        if later is not None:
            self.folded = {**RATIONAL_OPERATIONS, "pow": fold_power, "factorial": fold_factorial}
        self.facts: NumberFacts = RealFacts() if facts is None else facts
        self.exceptions = exceptions
        self.differentiated = differentiated
        self.knowledge = Knowledge(graph, always, first_new_slot=len(graph))
        self.unique = Unique(graph)
        self.known_comparison: Callable[[str, int, int], bool | None] | None = None

    @override
    def term(self, slot: int) -> GuardedTerm:
        return GuardedTerm(self, slot)

    @property
    @override
    def pi(self) -> Term:
        """The named constant pi, or its double if an input is called pi."""
        if "pi" in self.graph.inputs.values():  # there the name means something else
            return self._constant(Constant(repr(FLOAT.pi)))
        return self._constant(Constant("pi", named=True))

    @override
    def _constant(self, constant: Constant) -> Term:
        return self.term(self.unique.constant(constant))

    @override
    def write(self, name: str, *arguments: Operand) -> Term:
        """Return the term of the operation `name` without simplification; an equal operation in the graph is used
        again.

        Numbers become constants. If there is a list of `exceptions` (formulas for kernels), a/b is written a * (1/b) if
        1/b certainly keeps all digits, so that quotients share a division.
        """
        uses_inverse = name == "div" and self.exceptions is not None and not self.equals(arguments[0], 1)
        if uses_inverse and self.facts.inverts(self, arguments[1]):
            return self.write("mul", arguments[0], self.write("div", 1, arguments[1]))
        return self.term(self.unique.apply(ROWS[name], tuple([self.number(a).slot for a in arguments])))

    @override
    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Return the function that writes the operation `name` of the table.

        A comparison is decided first, and is a bool if it is certain. In formulas for people (`later` not None) a
        function with `mirrored` orders, such as a Bessel function, gets a positive order instead of a negative whole
        one. Raises AttributeError for other names.
        """
        write, row = super().__getattr__(name), ROWS[name]
        if row.truth and not row.truth_arguments:
            return lambda a, b: self.compare(name, a, b)
        return write if self.later is None or not row.mirrored else lambda *of: self._mirror_order(name, *of)

    def _mirror_order(self, name: str, order: Operand, *arguments: Operand) -> Term:
        """Return the term of the call of `name` with this order and the other arguments, without a negative whole
        order.

        Order -n becomes n, and the call is negated if the row's `mirrored` is negative and n is odd. Order 0, positive
        orders, fractions, and orders that are not numbers are written as they are.
        """
        exact = self.rational(order)
        if exact is None or exact.numerator >= 0 or exact.denominator != 1:
            return self.write(name, order, *arguments)
        positive_order = self.write(name, -exact.numerator, *arguments)
        return self.neg(positive_order) if ROWS[name].mirrored < 0 and exact.numerator % 2 else positive_order

    # --- arithmetic ---------------------------------------------------------------------------------------------------

    def is_literal(self, x: Operand) -> bool:
        """Return whether a term is a number, or a literal slot of the graph."""
        return not isinstance(x, Term) or bool(self.graph.literal[x.slot])

    def _split_sign(self, x: Operand) -> tuple[int, Operand]:
        """Return (sign, term) without the minus signs in front of a term; sign is 1 or -1. A literal keeps its sign."""
        sign = 1
        while not self.is_literal(x) and (negated := self.parts(x, "neg")):
            sign, x = -sign, negated[0]
        return sign, x

    def fold_constant(self, x: Term) -> Term:
        """Return the integer that `x` is at every point as a constant (0 for `0*x`); `x` itself if it is not one, or if
        it may lack a value for some inputs.

        Only in formulas for people (`later` not None). Inputs, and literals other than 0, are returned as they are.
        """
        if self.later is None or x.slot in self.graph.inputs:
            return x
        number = self.knowledge.constant_value(x.slot)
        return x if number is None or (number and self.is_literal(x)) else self.number(number)

    @override
    def add(self, a: Operand, b: Operand) -> Term:
        """Return the sum: a difference if `b` is negative, or one choice if both are choices that can be merged."""
        sign, b = self._split_sign(b)
        if sign < 0:
            return super().sub(a, b)
        merged = self._merge_choices(a, b, _DEEPEST)
        return super().add(a, b) if merged is None else merged

    @override
    def sub(self, a: Operand, b: Operand) -> Term:
        sign, b = self._split_sign(b)
        return super().sub(a, b) if sign > 0 else super().add(a, b)

    def _merge_choices(self, a: Operand, b: Operand, depth: int) -> Term | None:
        """Return if(c, p, q) + if(c, r, s) as if(c, p+r, q+s), to `depth` nested levels.

        None if `a` and `b` are not both choices by the same condition, or if `depth` is 0.
        """
        left, right = self.parts(a, "if"), self.parts(b, "if")
        if not left or not right or left[0].slot != right[0].slot or not depth:
            return None
        branches = []
        for x, y in zip(left[1:], right[1:], strict=True):
            merged = self._merge_choices(x, y, depth - 1)
            branches.append(super().add(x, y) if merged is None else merged)
        return self.choose(left[0], *branches)

    @override
    def mul(self, a: Operand, b: Operand) -> Term:
        a, b = [self.fold_constant(x) if isinstance(x, Term) else x for x in (a, b)]
        (p, a), (q, b) = self._split_sign(a), self._split_sign(b)
        product = self._multiply_unsigned(a, b)
        return product if p == q else self.neg(product)

    def _multiply_unsigned(self, a: Operand, b: Operand) -> Term:
        """Return the product of two terms without signs, simplified. A literal comes first. The first that applies:

        - a rational number times a product or quotient that begins with one: the numbers are multiplied (2 * (3*x) is
          6*x)
        - (1/c) * b, if 1/c is not a literal: b/c
        - numbers are folded, 0 gives 0, 1 is dropped, x*x is x^2, any other product is appended to the graph
        """
        if self.is_literal(b) and not self.is_literal(a):
            a, b = b, a
        left = self.rational(a)
        if left is not None and self.rational(b) is None:
            for name, operation in (("mul", super().mul), ("div", super().div)):
                parts = self.parts(b, name)
                inner = self.rational(parts[0]) if parts else None
                if parts and inner is not None:
                    return operation(self._write_rational(left * inner, a, parts[0]), parts[1])
        quotient = self.parts(a, "div")
        if quotient and self.equals(quotient[0], 1) and not self.is_literal(a):
            return super().div(b, quotient[1])
        return super().mul(a, b)

    @override
    def div(self, a: Operand, b: Operand) -> Term:
        (p, a), (q, b) = self._split_sign(a), self._split_sign(b)
        quotient = super().div(a, b)
        return quotient if p == q else self.neg(quotient)

    # --- conditions ---------------------------------------------------------------------------------------------------

    def compare(self, name: str, a: Operand, b: Operand) -> Condition:
        """Return whether the comparison `name` holds if that is certain, else its slot as a term."""
        result = self.facts.holds(self, name, a, b)
        return self.write(name, a, b) if result is None else result

    def range(self, x: Operand) -> Range:
        """Return the range of a term wherever the function has a value, as a new Range."""
        return Range(*self.knowledge.range_of(x.slot).key) if isinstance(x, Term) else RANGES.number(x)

    def use(self, *terms: Operand) -> None:
        """Record in the knowledge that a result depends on the ranges of these terms."""
        for x in terms:
            if isinstance(x, Term):
                self.knowledge.record_use(x.slot)

    @override
    def both(self, a: Condition, b: Condition) -> Condition:
        """Return the condition that both hold; False if they are seen to contradict each other."""
        if isinstance(a, bool):
            return b if a else False
        if isinstance(b, bool):
            return a if b else False
        return False if self._contradicts(a, b) else self.write("and", a, b)

    def _contradicts(self, a: Term, b: Term) -> bool:
        """Return whether the conditions `a` and `b` certainly contradict each other.

        One of them must be "x = 0", "x ± number = 0" or "x > 0" of an input x, and the other one certainly false there:
        x = 0 and sin(x) > 0 (conditions of x^sin(x)), or 1 + 1/x = 0 and x > 0 (of (1 + 1/x)^x). False if that is not
        certain.
        """
        for condition, other in ((a, b), (b, a)):
            equal, above = self.parts(condition, "eq"), self.parts(condition, "gt")
            place = self._zeros_of(equal[0]) if equal and self.equals(equal[1], 0) else None
            if above and above[0].slot in self.graph.inputs and self.equals(above[1], 0):
                place = above[0].slot, POSITIVE
            if place is not None and truth(self.knowledge.range_with(other.slot, dict([place]))).never:
                return True
        return False

    def _zeros_of(self, x: Term) -> tuple[int, Range] | None:
        """Return (slot of an input, range of the only value at which `x` is 0).

        `x` must be an input (the value is 0), or an input plus or minus a literal behind it. None for every other `x`.
        """
        if x.slot in self.graph.inputs:
            return x.slot, RANGES.zero
        for name in ("add", "sub"):
            parts = self.parts(x, name)
            if parts and parts[0].slot in self.graph.inputs and self.is_literal(parts[1]):
                number = self.range(parts[1])
                return parts[0].slot, -number if name == "add" else number
        return None

    @override
    def either(self, a: Condition, b: Condition) -> Condition:
        if isinstance(a, bool):
            return True if a else b
        return (True if b else a) if isinstance(b, bool) else self.write("or", a, b)

    def log(self, x: Operand) -> Term:
        """Return the logarithm as written; 1 for the constant e."""
        constant = self.graph.constants.get(x.slot) if isinstance(x, Term) else None
        return self.number(1) if constant is not None and constant.text == "e" else self.write("log", x)

    def sign(self, x: Operand) -> Term:
        """Return the sign of `x` as a number if the facts show it, else as an operation."""
        sign = self.facts.sign(self, x)
        return self.write("sign", x) if sign is None else self.number(sign)

    def abs(self, x: Operand) -> Term:
        exact = self.rational(x)
        if exact is None:
            return self.write("abs", x)
        return self.number(x) if exact.numerator >= 0 else self.neg(x)

    @override
    def choose(self, condition: Operand, a: Operand, b: Operand) -> Term:
        """Return a choice, or a branch alone if the condition is True or False or both branches are one slot."""
        if isinstance(condition, bool):
            return self.number(a if condition else b)
        a, b = self.number(a), self.number(b)
        return a if a.slot == b.slot else self.write("if", condition, a, b)

    @override
    def guard(self, limit: LimitRule, rule: Operand, *arguments: Operand) -> Term:
        """Return `rule`, or a choice that has another value at the exceptional points of `limit`, where the rule is not
        right.

        The rules of the limit take `arguments`. In formulas for people (`later` not None) the value is 0 where
        `limit.shown` holds for `later` more derivatives. In others the first that applies:

        - the limit is lossy (it matters in doubles only) and the facts are those of real numbers: `rule`
        - `limit.where` never holds: `rule`
        - `exceptions` is a list, and the condition is not certain, not `limit.often`, and `rule` not a literal: `rule`,
          and the condition is appended to `exceptions`
        - `limit.value` where `limit.where` holds, else `rule`
        """
        if self.later is not None:
            return self.choose(limit.shown is not None and self.holds(limit.shown, self.later, *arguments), 0, rule)
        if limit.lossy and not self.facts.in_doubles:
            return self.number(rule)
        condition = self.holds(limit.where, *arguments)
        if condition is False:
            return self.number(rule)
        if self.exceptions is not None and condition is not True and not limit.often and not self.is_literal(rule):
            self.exceptions.append(condition)  # of a literal rule what it is multiplied with would be left out too
            return self.number(rule)
        return self.choose(condition, self.evaluate_rule(limit.value, *arguments), rule)

    @override
    def partials(self, row: Primitive, z: Term, arguments: Sequence[Term], needed: Sequence[bool]) -> list[Operand]:
        """Return the partials of `row` by position, 0 where not `needed`.

        `z` is the row's value, `arguments` are its arguments as terms. If `exceptions` is a list and the terms are not
        `differentiated`, the row's shortcut replaces a rule: a cheaper rule that is wrong at some points, the condition
        of which (a term, or a bool if it is certain) is appended to `exceptions`, one for each shortcut. A rule stays
        if it has no shortcut, or if the shortcut saves nothing (is idle).
        """
        if self.exceptions is None or self.differentiated or not row.shortcuts:
            return super().partials(row, z, arguments, needed)
        shortcuts = {
            position: shortcut
            for position, (is_needed, shortcut) in enumerate(zip(needed, row.shortcuts, strict=True))
            if is_needed and shortcut is not None and self.holds(shortcut.idle, *arguments) is not True
        }
        by_rule = tuple([is_needed and position not in shortcuts for position, is_needed in enumerate(needed)])
        partials = super().partials(row, z, arguments, by_rule)
        for position, shortcut in shortcuts.items():
            self.exceptions.append(self.holds(shortcut.unless, z, *arguments))
            partials[position] = self.evaluate_rule(shortcut.rule, z, *arguments)
        return partials

    def is_weight(self, x: Operand) -> bool:
        """Return whether a term is a choice between numbers, possibly nested."""
        chosen = self.parts(x, "if")
        return chosen is not None and all(
            self.rational(branch) is not None or self.is_weight(branch) for branch in chosen[1:]
        )

    def multiply_weight(self, weight: Term, x: Term) -> Term:
        """Return weight * x as a choice with the conditions of `weight`, a choice between numbers.

        Where the weight is 0 the product is 0, whatever `x` is there. In each branch choices of x by the same condition
        are resolved. A weight that is not a choice is multiplied by `mul`.
        """
        chosen = self.parts(weight, "if")
        if chosen is None:
            return self.mul(weight, x)
        branches = [
            self.multiply_weight(w, self._in_branch(x, chosen[0], is_true))
            for w, is_true in zip(chosen[1:], (True, False), strict=True)
        ]
        return self.choose(chosen[0], *branches)

    def _in_branch(self, x: Term, condition: Term, holds: bool) -> Term:
        """Return x where `condition` is `holds`: choices by this very condition are replaced by their branch.

        Only x itself, or the arguments of a product, quotient or negation, are replaced; deeper choices stay.
        """
        branch_term = self._branch_of(x, condition, holds)
        if branch_term.slot != x.slot:
            return branch_term
        for name, operation in (("mul", self.mul), ("div", self.div), ("neg", self.neg)):
            parts = self.parts(x, name)
            branches = [self._branch_of(part, condition, holds) for part in parts or ()]
            if parts and any(branch.slot != part.slot for branch, part in zip(branches, parts, strict=True)):
                return operation(*branches)
        return x

    def _branch_of(self, x: Term, condition: Term, holds: bool) -> Term:
        """Return the branch of x that is taken if x is a choice by this very condition; x itself if it is not."""
        chosen = self.parts(x, "if")
        return chosen[1 if holds else 2] if chosen and chosen[0].slot == condition.slot else x

    def graft(self, weight: Term, nonzero: Term, zero: Term, decided: Mapping[int, bool] | None = None) -> Term:
        """Return the choice `weight` between numbers with its numbers replaced: 0 by `zero`, all others by `nonzero`.

        A replacement that is itself a choice between numbers becomes a choice between 1 (if it is not 0) and 0.
        Conditions in `decided` ({slot: whether it holds}), and those already passed on the way, are resolved. A
        `weight` that is not a choice counts as one number, as 0 only if it is the number 0.
        """
        decided = decided or {}
        chosen = self.parts(weight, "if")
        if chosen is None:
            branch = zero if self.equals(weight, 0) else nonzero
            return self.graft(branch, self.number(1), self.number(0), decided) if self.is_weight(branch) else branch
        condition = chosen[0].slot
        if condition in decided:
            return self.graft(chosen[1 if decided[condition] else 2], nonzero, zero, decided)
        branches = [
            self.graft(branch, nonzero, zero, {**decided, condition: is_true})
            for branch, is_true in zip(chosen[1:], (True, False), strict=True)
        ]
        return self.choose(chosen[0], *branches)

    def count_leaves(self, weight: Term) -> int:
        """Return how many branches a choice has, nested choices counted through; 1 for other terms."""
        chosen = self.parts(weight, "if")
        return 1 if chosen is None else sum(map(self.count_leaves, chosen[1:]))
