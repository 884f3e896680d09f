"""The table read with operations that will be computed: formulas that are right at every point.

`GuardedTerms(graph)` differs from `Terms` in that exceptional points count (`guard` becomes an `if`, unless it can be
decided at once), that identical operations are one slot, and that products with a number keep it in front.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Protocol

from ..graph.graph import Constant, Graph
from ..graph.order import Unique, shared
from ..numbers.conditions import truth
from ..numbers.doubles import FLOAT
from ..numbers.range_arithmetic import RANGES
from ..numbers.ranges import Range
from ..overriding import override
from ..table.primitive import ROWS
from .knowledge import Knowledge
from .terms import Ratio, Term, Terms

if TYPE_CHECKING:
    from ..table.arithmetic import LimitRule
    from ..table.primitive import Primitive
    from .terms import Condition, Operand

_DEEPEST = 4  # conditions inside conditions that a sum looks into


class GuardedTerm(Term):
    """A slot that also answers to comparisons, by writing them, or with True or False where they can be decided."""

    __slots__ = ()
    m: GuardedTerms

    @override
    def __hash__(self) -> int:
        return hash(self.slot)

    @override
    def __eq__(self, other: Operand) -> Condition:  # type: ignore[override]
        return self.m.compare("eq", self, other)

    @override
    def __ne__(self, other: Operand) -> Condition:  # type: ignore[override]
        return self.m.compare("ne", self, other)

    def __lt__(self, other: Operand) -> Condition:
        return self.m.compare("lt", self, other)

    def __le__(self, other: Operand) -> Condition:
        return self.m.compare("le", self, other)

    def __gt__(self, other: Operand) -> Condition:
        return self.m.compare("gt", self, other)

    def __ge__(self, other: Operand) -> Condition:
        return self.m.compare("ge", self, other)

    def __or__(self, other: Condition) -> Condition:
        return self.m.either(self, other)

    def __and__(self, other: Condition) -> Condition:
        return self.m.both(self, other)

    __ror__, __rand__ = __or__, __and__


class RealFacts:
    """What is certain of real numbers without a point: by fractions, by the case, by the ranges of terms."""

    in_doubles = False

    def holds(self, m: GuardedTerms, name: str, a: Operand, b: Operand) -> bool | None:
        """Return whether the comparison called `name` holds of a and b; None if that needs a point."""
        left, right = m.rational(a), m.rational(b)
        if left is not None and right is not None:
            ahead = left.plus(right.negative()).numerator
            return bool(getattr(FLOAT, name)(float((ahead > 0) - (ahead < 0)), 0.0))
        held_here = None if m.told is None else m.told(name, m.number(a).slot, m.number(b).slot)
        if held_here is not None:
            return held_here
        x = m.range(a)
        y = x if isinstance(b, Term) and isinstance(a, Term) and a.slot == b.slot else m.range(b)
        held = truth(getattr(RANGES, name)(x, y))
        if not held.always and not held.never:
            return None
        m.use(a, b)
        return held.always

    def sign(self, m: GuardedTerms, x: Operand) -> int | None:
        """Return the sign of x: -1, 0 or 1; None if that needs a point."""
        found = RANGES.sign(m.range(x))
        if not found.point:
            return None
        m.use(x)
        return int(found.low)

    def inverts(self, m: GuardedTerms, x: Operand) -> bool:
        """Return whether 1/x has all digits at every point: of real numbers too little is known to say so."""
        return False


class NumberFacts(Protocol):
    """What is certain at every point: of real numbers (RealFacts), or of doubles, which may lose what is true of those.

    The methods are as in RealFacts.
    """

    @property
    def in_doubles(self) -> bool: ...
    def holds(self, m: GuardedTerms, name: str, a: Operand, b: Operand) -> bool | None: ...
    def sign(self, m: GuardedTerms, x: Operand) -> int | None: ...
    def inverts(self, m: GuardedTerms, x: Operand) -> bool: ...


class GuardedTerms(Terms):
    """The arithmetic of operations over a graph that has no identical slots (`order.shared`).

    `facts` decide comparisons.  `later` says of formulas that people read how often they will still be differentiated;
    None of those that are only computed, where limits hold in every order.

    With a list of `exceptions`, limits and whatever a shortcut lacks are left out: the conditions under which the
    result is not right are appended.  Of what will be `differentiated` no shortcut is taken.
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
        super().__init__(graph)
        self.always = always
        self.later = later
        self.facts: NumberFacts = RealFacts() if facts is None else facts
        self.exceptions = exceptions
        self.differentiated = differentiated
        self.knowledge = Knowledge(graph, always, given=len(graph))
        self.unique = Unique(graph)
        self.told: Callable[[str, int, int], bool | None] | None = None  # what holds in a case: a comparison of slots

    def apart(self) -> GuardedTerms:
        """The same over a copy of the graph, with what is known of the function itself."""
        return GuardedTerms(shared(self.graph), self.always, self.later)

    def again(self) -> GuardedTerms:
        """The same over the same graph, for which something else may be known or told."""
        return copy(self)

    @override
    def term(self, slot: int) -> GuardedTerm:
        return GuardedTerm(self, slot)

    @override
    def number(self, x: Operand) -> Term:
        if isinstance(x, Term):
            return x
        if isinstance(x, bool):
            x = int(x)
        return self._constant(Constant(str(x)))

    @property
    @override
    def pi(self) -> Term:
        if "pi" in self.graph.inputs.values():  # there the name means something else
            return self._constant(Constant(repr(FLOAT.pi)))
        return self._constant(Constant("pi", named=True))

    def _constant(self, constant: Constant) -> Term:
        return self.term(self.unique.constant(constant))

    @override
    def write(self, name: str, *arguments: Operand) -> Term:
        """Return the operation as it stands; one that is there already is used again.

        Where exceptions are possible, quotients by what is never small share one division, to an ulp.
        """
        shares = name == "div" and self.exceptions is not None and not self.equals(arguments[0], 1)
        if shares and self.facts.inverts(self, arguments[1]):
            return self.write("mul", arguments[0], self.write("div", 1, arguments[1]))
        return self.term(self.unique.apply(ROWS[name], tuple([self.number(a).slot for a in arguments])))

    @override
    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Return what writes an operation of the table; of comparisons, what decides them or writes them."""
        write, row = super().__getattr__(name), ROWS[name]
        if row.truth and not row.truth_arguments:
            return lambda a, b: self.compare(name, a, b)
        return write if self.later is None or not row.mirrored else lambda *of: self._mirrored(name, *of)

    def _mirrored(self, name: str, order: Operand, *arguments: Operand) -> Term:
        """In formulas for people: a function of negative order as one of positive order."""
        exact = self.rational(order)
        if exact is None or exact.numerator >= 0 or exact.denominator != 1:
            return self.write(name, order, *arguments)
        mirrored = self.write(name, -exact.numerator, *arguments)
        return self.neg(mirrored) if ROWS[name].mirrored < 0 and exact.numerator % 2 else mirrored

    def exact(self, numerator: int, denominator: int) -> Ratio:
        return Ratio(numerator, denominator)

    # --- arithmetic ---------------------------------------------------------------------------------------------------

    def literal(self, x: Operand) -> bool:
        """Whether a term is a number written down, in any form."""
        return not isinstance(x, Term) or bool(self.graph.literal[x.slot])

    def _unsigned(self, x: Operand) -> tuple[int, Operand]:
        """A term without the minus signs before it, and what these come to."""
        sign = 1
        while not self.literal(x) and (negated := self.parts(x, "neg")):
            sign, x = -sign, negated[0]
        return sign, x

    def settled(self, x: Term) -> Term:
        """In formulas for people: the number itself for a term that can only be one whole number, `0*x`."""
        if self.later is None or x.slot in self.graph.inputs:
            return x
        number = self.knowledge.settled(x.slot)
        return x if number is None or (number and self.literal(x)) else self.number(number)

    @override
    def add(self, a: Operand, b: Operand) -> Term:
        sign, b = self._unsigned(b)
        if sign < 0:
            return super().sub(a, b)
        merged = self._merged(a, b, _DEEPEST)
        return super().add(a, b) if merged is None else merged

    @override
    def sub(self, a: Operand, b: Operand) -> Term:
        sign, b = self._unsigned(b)
        return super().sub(a, b) if sign > 0 else super().add(a, b)

    def _merged(self, a: Operand, b: Operand, depth: int) -> Term | None:
        """A sum of choices by one condition as one choice between sums."""
        left, right = self.parts(a, "if"), self.parts(b, "if")
        if not left or not right or left[0].slot != right[0].slot or not depth:
            return None
        branches = []
        for x, y in zip(left[1:], right[1:], strict=True):
            merged = self._merged(x, y, depth - 1)
            branches.append(super().add(x, y) if merged is None else merged)
        return self.choose(left[0], *branches)

    @override
    def mul(self, a: Operand, b: Operand) -> Term:
        a, b = [self.settled(x) if isinstance(x, Term) else x for x in (a, b)]
        (p, a), (q, b) = self._unsigned(a), self._unsigned(b)
        product = self._positive_product(a, b)
        return product if p == q else self.neg(product)

    def _positive_product(self, a: Operand, b: Operand) -> Term:
        if self.literal(b) and not self.literal(a):
            a, b = b, a
        left = self.rational(a)
        if left is not None and self.rational(b) is None:
            for name, again in (("mul", super().mul), ("div", super().div)):
                parts = self.parts(b, name)
                inner = self.rational(parts[0]) if parts else None
                if parts and inner is not None:
                    return again(self._folded(left.times(inner), a, parts[0]), parts[1])
        quotient = self.parts(a, "div")
        if quotient and self.equals(quotient[0], 1) and not self.literal(a):
            return super().div(b, quotient[1])
        return super().mul(a, b)

    @override
    def div(self, a: Operand, b: Operand) -> Term:
        (p, a), (q, b) = self._unsigned(a), self._unsigned(b)
        quotient = super().div(a, b)
        return quotient if p == q else self.neg(quotient)

    # --- conditions ---------------------------------------------------------------------------------------------------

    def compare(self, name: str, a: Operand, b: Operand) -> Condition:
        """Return a comparison, written down unless it is certain."""
        held = self.facts.holds(self, name, a, b)
        return self.write(name, a, b) if held is None else held

    def range(self, x: Operand) -> Range:
        """All that a term may be, wherever the function has a value; each time an object of its own."""
        return Range(*self.knowledge.look(x.slot).key) if isinstance(x, Term) else RANGES.number(x)

    def use(self, *terms: Operand) -> None:
        """Note that the ranges of these terms were of use."""
        for x in terms:
            if isinstance(x, Term):
                self.knowledge.use(x.slot)

    @override
    def both(self, a: Condition, b: Condition) -> Condition:
        if isinstance(a, bool):
            return b if a else False
        if isinstance(b, bool):
            return a if b else False
        return False if self._excluded(a, b) else self.write("and", a, b)

    def _excluded(self, a: Term, b: Term) -> bool:
        """Whether one condition asks for an input to be 0, or another number, and the other one is false there.

        x^sin(x) would ask for x = 0 and sin(x) > 0.
        """
        tested = self.parts(a, "eq")
        root = self._root(tested[0]) if tested and self.equals(tested[1], 0) else None
        return root is not None and truth(self.knowledge.at(b.slot, dict([root]))).never

    def _root(self, x: Term) -> tuple[int, Range] | None:
        """Where a term is 0, if it is an input, or an input and a number: the input, and a range of its value."""
        if x.slot in self.graph.inputs:
            return x.slot, RANGES.zero
        for name in ("add", "sub"):
            parts = self.parts(x, name)
            if parts and parts[0].slot in self.graph.inputs and self.literal(parts[1]):
                number = self.range(parts[1])
                return parts[0].slot, -number if name == "add" else number
        return None

    @override
    def either(self, a: Condition, b: Condition) -> Condition:
        if isinstance(a, bool):
            return True if a else b
        return (True if b else a) if isinstance(b, bool) else self.write("or", a, b)

    def log(self, x: Operand) -> Term:
        constant = self.graph.constants.get(x.slot) if isinstance(x, Term) else None
        return self.number(1) if constant is not None and constant.text == "e" else self.write("log", x)

    def sign(self, x: Operand) -> Term:
        sign = self.facts.sign(self, x)
        return self.write("sign", x) if sign is None else self.number(sign)

    def abs(self, x: Operand) -> Term:
        exact = self.rational(x)
        if exact is None:
            return self.write("abs", x)
        return self.number(x) if exact.numerator >= 0 else self.neg(x)

    @override
    def choose(self, condition: Operand, a: Operand, b: Operand) -> Term:
        if isinstance(condition, bool):
            return self.number(a if condition else b)
        a, b = self.number(a), self.number(b)
        return a if a.slot == b.slot else self.write("if", condition, a, b)

    @override
    def guard(self, limit: LimitRule, rule: Operand, *arguments: Operand) -> Term:
        """The rule and its limit, unless that is never met; in formulas for people it is 0, or left out.

        Where the rule is true of numbers and only doubles lose it, the limit is written for doubles alone.
        """
        if self.later is not None:
            return self.choose(limit.shown is not None and self.holds(limit.shown, self.later, *arguments), 0, rule)
        if limit.lossy and not self.facts.in_doubles:
            return self.number(rule)
        condition = self.holds(limit.where, *arguments)
        if condition is False:
            return self.number(rule)
        if self.exceptions is not None and condition is not True and not limit.often and not self.literal(rule):
            self.exceptions.append(condition)  # of a literal rule what it is multiplied with would be left out too
            return self.number(rule)
        return self.choose(condition, self.asked(limit.value, *arguments), rule)

    @override
    def partials(self, row: Primitive, z: Term, arguments: Sequence[Term], wanted: Sequence[bool]) -> list[Operand]:
        """Return the partials by the rules of the row; those with a shortcut by that, where exceptions are possible."""
        if self.exceptions is None or self.differentiated or not row.shortcuts:
            return super().partials(row, z, arguments, wanted)
        short = {
            position: shortcut
            for position, (wish, shortcut) in enumerate(zip(wanted, row.shortcuts, strict=True))
            if wish and shortcut is not None and self.holds(shortcut.idle, *arguments) is not True
        }
        ruled = tuple([wish and position not in short for position, wish in enumerate(wanted)])
        partials = super().partials(row, z, arguments, ruled)
        for position, shortcut in short.items():
            self.exceptions.append(self.holds(shortcut.unless, z, *arguments))
            partials[position] = self.asked(shortcut.rule, z, *arguments)
        return partials

    def weight(self, x: Operand) -> bool:
        """Whether a term is a choice between numbers."""
        chosen = self.parts(x, "if")
        return chosen is not None and all(
            self.rational(branch) is not None or self.weight(branch) for branch in chosen[1:]
        )

    def weighted(self, weight: Term, x: Term) -> Term:
        """The product with a choice between numbers, as a choice: what is not chosen is 0, whatever x is."""
        chosen = self.parts(weight, "if")
        if chosen is None:
            return self.mul(weight, x)
        branches = [
            self.weighted(w, self._where(x, chosen[0], held)) for w, held in zip(chosen[1:], (True, False), strict=True)
        ]
        return self.choose(chosen[0], *branches)

    def _where(self, x: Term, condition: Term, held: bool) -> Term:
        """What a term is where a condition holds or does not, if it is a choice by that, or a product with one."""
        direct = self._chosen(x, condition, held)
        if direct.slot != x.slot:
            return direct
        for name, joined in (("mul", self.mul), ("div", self.div), ("neg", self.neg)):
            parts = self.parts(x, name)
            found = [self._chosen(part, condition, held) for part in parts or ()]
            if parts and any(new.slot != part.slot for new, part in zip(found, parts, strict=True)):
                return joined(*found)
        return x

    def _chosen(self, x: Term, condition: Term, held: bool) -> Term:
        chosen = self.parts(x, "if")
        return chosen[1 if held else 2] if chosen and chosen[0].slot == condition.slot else x

    def grafted(self, weight: Term, there: Term, nowhere: Term, decided: Mapping[int, bool] | None = None) -> Term:
        """A choice between numbers with another one in place of those that are 0, and of the others."""
        decided = decided or {}
        chosen = self.parts(weight, "if")
        if chosen is None:
            picked = nowhere if self.equals(weight, 0) else there
            return self.grafted(picked, self.number(1), self.number(0), decided) if self.weight(picked) else picked
        condition = chosen[0].slot
        if condition in decided:
            return self.grafted(chosen[1 if decided[condition] else 2], there, nowhere, decided)
        branches = [
            self.grafted(branch, there, nowhere, {**decided, condition: held})
            for branch, held in zip(chosen[1:], (True, False), strict=True)
        ]
        return self.choose(chosen[0], *branches)

    def leaves(self, weight: Term) -> int:
        """The numbers of a choice between numbers."""
        chosen = self.parts(weight, "if")
        return 1 if chosen is None else sum(map(self.leaves, chosen[1:]))
