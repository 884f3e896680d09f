"""Derivative graphs: a reverse sweep read with operations, whose adjoints become slots of the same graph.

What comes out is a graph like any other, so that it can be evaluated, printed and differentiated again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from ..graph.graph import Graph
from ..graph.order import ancestors, arranged, shared
from ..table.primitive import Primitive
from .guarded import GuardedTerms
from .knowledge import Knowledge, always_evaluated
from .terms import Term


class _Condition:
    """The cases in which an adjoint counts: the choices between numbers on the way from the output, outermost first.

    Inside a branch that may not be taken adjoints are carried without its condition, which is written where they meet
    others; a branch not taken then contributes 0, whatever its operations would give.
    """

    __slots__ = ("depth", "parent", "weight")

    def __init__(self, parent: _Condition | None, weight: int) -> None:
        self.parent = parent
        self.weight = weight
        self.depth: int = 1 if parent is None else parent.depth + 1


class Adjoints:
    """The adjoints of one output as terms, for slots on a path from the inputs asked for to that output.

    At a kink whose slope by convention is infinite the rule is left to find it, unless `exactly`: then the convention
    is written there too, for rules that find another infinity, or none.  Without `conventions` what is written is not
    right at kinks of the output.
    """

    def __init__(
        self, m: GuardedTerms, output: int, wrt: Sequence[int], *, exactly: bool = False, conventions: bool = True
    ) -> None:
        self.m = m
        self.exactly = exactly
        self.conventions = conventions
        self.graph = m.graph
        self.active = _active(self.graph, output, wrt)
        # a fact that one derivative asks for is none about another one
        self._counted = self._certainly_counted(output) if len(wrt) == 1 and not m.facts.in_doubles else set()
        self._cases: dict[tuple[_Condition | None, int], _Condition] = {}
        self._given: dict[int, list[tuple[_Condition | None, Term]]] = {}
        self.bars: dict[int, Term] = {}
        self._sweep(output)

    def of(self, slot: int) -> Term:
        """The derivative of the output with respect to a slot."""
        return self.bars[slot] if slot in self.bars else self.m.number(0)

    def _sweep(self, output: int) -> None:
        if not self.active[output]:
            return
        self._given[output] = [(None, self.m.number(1))]
        for slot in range(output, -1, -1):
            if slot not in self._given:
                continue
            hands_over = self.graph.rows[slot] is not None
            case, bar = self._summed(self._given.pop(slot), supported=hands_over)
            if self.m.equals(bar, 0):
                continue
            if not hands_over:
                self.bars[slot] = self._written(case, bar, None)
            else:
                if case is None:
                    self.bars[slot] = bar
                self._hand_over(slot, case, bar)

    def _hand_over(self, slot: int, case: _Condition | None, bar: Term) -> None:
        """Gives every active parent its contribution, by position."""
        parents = self.graph.parents[slot]
        for position, partial in self._partials(slot, case):
            given = self._given.setdefault(parents[position], [])
            if self.m.weight(partial):
                given.append((self._case(case, partial.slot), bar))
            elif not self.m.equals(partial, 0):
                given.append((case, self.m.mul(bar, partial)))
            if not given:
                del self._given[parents[position]]

    def _partials(self, slot: int, case: _Condition | None) -> list[tuple[int, Term]]:
        """The partials of a slot for its active parents.

        The last ones are read first: what their domains ask of the arguments helps to read the others, unless any of
        this counts in some cases only.
        """
        m, row, parents = self.m, self.graph.row(slot), self.graph.parents[slot]
        arguments = tuple([m.term(parent) for parent in parents])
        wanted = [bool(self.active[parent]) for parent in parents]
        found: list[tuple[int, Term]] = []
        alone = isinstance(row.partials, tuple)
        for position in reversed(range(len(parents))):
            if not wanted[position]:
                continue
            before = len(self.graph)
            asked = tuple([wish and (not alone or k == position) for k, wish in enumerate(wanted)])
            partials = m.partials(row, m.term(slot), arguments, asked)
            for place in [position] if alone else [k for k, wish in enumerate(wanted) if wish]:
                partial = m.settled(m.number(partials[place]))
                if self.conventions:
                    partial = with_convention(m, row, place, partial, arguments, exactly=self.exactly)
                found.append((place, partial))
            if not alone:
                break
            if case is None and (slot, position) in self._counted:
                self._learn(before)
        return sorted(found, key=lambda pair: pair[0])

    def _certainly_counted(self, output: int) -> set[tuple[int, int]]:
        """Return the slots with those positions whose partials are part of the derivative at every point.

        That of acosh in acosh(max(x, 1)) is not: where 1 is larger the slope is 0, whatever acosh has there.
        """
        m, graph = self.m.apart(), self.graph
        counted: set[tuple[int, int]] = set()
        reaching = bytearray(output + 1)  # 1 where one way to an input has nothing on it that may be 0 by a choice
        for slot in range(output + 1):
            row, parents = graph.rows[slot], graph.parents[slot]
            if row is None:
                reaching[slot] = self.active[slot]
                continue
            wanted = tuple([bool(self.active[parent]) for parent in parents])
            reached = [position for position, parent in enumerate(parents) if wanted[position] and reaching[parent]]
            if not self.active[slot] or not reached:
                continue
            rules = m.partials(row, m.term(slot), tuple([m.term(parent) for parent in parents]), wanted)
            for position in reached:
                partial = m.settled(m.number(rules[position]))
                if not (m.weight(partial) or m.equals(partial, 0)):
                    counted.add((slot, position))
                    reaching[slot] = 1
        return counted

    def _learn(self, before: int) -> None:
        """What a rule evaluates in any case has a value wherever the derivative has one."""
        rows = self.graph.rows
        new = range(before, len(rows))
        if all((row := rows[slot]) is None or row.route is None for slot in new):
            for slot in new:
                self.m.knowledge.learn(slot)

    # --- cases --------------------------------------------------------------------------------------------------------

    def _case(self, parent: _Condition | None, weight: int) -> _Condition:
        key = (parent, weight)
        if key not in self._cases:
            self._cases[key] = _Condition(parent, weight)
        return self._cases[key]

    def _written(self, case: _Condition | None, bar: Term, down_to: _Condition | None) -> Term:
        """The adjoint with the conditions of its case written out, as far as another case."""
        while case is not None and case is not down_to:
            bar = self.m.weighted(self.m.term(case.weight), bar)
            case = case.parent
        return bar

    def _summed(
        self, given: list[tuple[_Condition | None, Term]], *, supported: bool
    ) -> tuple[_Condition | None, Term]:
        """The sum of all contributions, first ones last, and the innermost case that all of them share.

        With `supported` that case says where any of them counts: what the sum is multiplied with may have a value there
        alone.
        """
        groups: dict[_Condition | None, Term] = {}
        for case, bar in reversed(given):
            groups[case] = self.m.add(groups[case], bar) if case in groups else bar
        (total_case, total), *rest = groups.items()
        for case, bar in rest:
            common = _common(total_case, case)
            total = self.m.add(self._written(total_case, total, common), self._written(case, bar, common))
            total_case = common
        support = self._support(groups, total_case) if supported and total_case not in groups else None
        if support is None:
            return total_case, total
        if self.m.weight(total):
            return self._case(total_case, total.slot), self.m.number(1)
        return self._case(total_case, support.slot), total

    def _support(self, cases: Iterable[_Condition | None], within: _Condition | None) -> Term | None:
        """Where any of these cases counts, as a choice between 1 and 0; None where that is in any case, or too long."""
        m, zero, one = self.m, self.m.number(0), self.m.number(1)
        counted: dict[_Condition | None, Term] = dict.fromkeys(cases, one)
        at: dict[int, dict[_Condition, None]] = {}  # by depth, in the order in which they came
        for case in counted:
            if case is not None:
                at.setdefault(case.depth, {})[case] = None
        for depth in range(max(at), 0 if within is None else within.depth, -1):
            for case in at.get(depth, ()):
                own = m.grafted(m.term(case.weight), counted[case], zero)
                joined = m.grafted(counted.get(case.parent, zero), one, own)
                if m.leaves(joined) > _SUPPORT:
                    return None
                counted[case.parent] = joined
                if case.parent is not None:
                    at.setdefault(depth - 1, {})[case.parent] = None
        return None if m.equals(counted[within], 1) else counted[within]


def with_convention(
    m: GuardedTerms, row: Primitive, position: int, partial: Term, arguments: Sequence[Term], *, exactly: bool = False
) -> Term:
    """The rule, and at a kink with a slope by convention that slope; `exactly` as in `Adjoints`."""
    kink = row.kink(position)
    if kink is None or kink.slope is None:
        return partial
    slope = m.asked(kink.slope, *arguments)
    if isinstance(slope, float) and not math.isfinite(slope) and not exactly:
        return partial
    return m.choose(m.holds(kink.holds, *arguments), partial, slope)


def _common(a: _Condition | None, b: _Condition | None) -> _Condition | None:
    while a is not b:
        if b is None or (a is not None and a.depth >= b.depth):
            a = a.parent if a is not None else None
        else:
            b = b.parent
    return a


def _active(graph: Graph, output: int, wrt: Iterable[int]) -> bytearray:
    """1 for each slot on a path from one of the inputs to the output along which a derivative flows."""
    found = bytearray(len(graph))
    for slot in wrt:
        found[slot] = 1
    for slot in range(output + 1):
        row = graph.rows[slot]
        if row is None or row.truth or graph.literal[slot]:
            continue
        rules = row.partials
        if any(
            found[parent] and (not isinstance(rules, tuple) or rules[position] is not None)
            for position, parent in enumerate(graph.parents[slot])
        ):
            found[slot] = 1
    needed = ancestors(graph, [output])
    return bytearray(a & b for a, b in zip(found, needed, strict=True))


LARGEST = 20_000  # slots of a derivative that is still put in order
_SUPPORT = 4  # numbers in a choice that tells where an adjoint counts
_ATTEMPTS = 4  # with fewer and fewer facts, at last with none


def gradient_graph(
    graph: Graph, wrt: Sequence[str] | None = None, *, tidy: bool = False, later: int | None = None
) -> Graph:
    """The graph whose outputs are the partial derivatives of every output by every input (or those of `wrt`), in order.

    They are named by output and input: `dy_dx1`.  With `tidy` they are written as a mathematician would leave them.
    `later` as in `GuardedTerms`.
    """
    copy = shared(graph)
    inputs = {name: slot for slot, name in copy.inputs.items()}
    names = list(inputs) if wrt is None else list(wrt)
    slots = [inputs[name] for name in names if name in inputs]
    given = len(copy)
    outputs = []
    for output, slot in copy.outputs:
        m = GuardedTerms(copy, always_evaluated(copy, [slot]), later)
        swept = Adjoints(m, slot, slots)
        bars = [swept.of(inputs[name]).slot if name in inputs else m.number(0).slot for name in names]
        if tidy:
            bars = [_tidied(m, bar, given, slot) for bar in bars]
        outputs += [(f"d{output}_d{name}", bar) for name, bar in zip(names, bars, strict=True)]
    copy.outputs = outputs
    copy.aliases = {}
    return arranged(copy, "call", extra=graph.inputs.values())


def _tidied(m: GuardedTerms, slot: int, given: int, output: int) -> int:
    """The slot rewritten, or itself where that would not be shorter; 0 for what is 0 wherever the output has a value.

    What the slot asks of the inputs may be used to rewrite it (log(x)*x/x is log(x), for x > 0), and that its parts
    have values (1/log(x) + 0*log(x) is 1/log(x)), as long as the result asks for the same.
    """
    from .tidy import tidied  # fractions are slow to import, and sweeps alone need none

    graph = m.graph
    before = sum(ancestors(graph, [slot]))
    if before > LARGEST:
        return slot
    kept = m.knowledge
    always: Sequence[int] = always_evaluated(graph, [slot])
    valued = always
    without: set[int] = set()
    for attempt in range(_ATTEMPTS):
        if attempt == _ATTEMPTS - 1:
            always = valued = ()
        m.knowledge = Knowledge(graph, always, without=without, valued=valued, seen=kept.seen, signs=True)
        (found,) = tidied(m, [slot], given)
        evaluated = always_evaluated(graph, [found])
        asked = Knowledge(graph, evaluated, seen=kept.seen, signs=True)
        lost = {used for used in m.knowledge.used if not asked.of(used).within(m.knowledge.of(used))}
        unsure = not m.knowledge.trusted.issubset(evaluated)
        if not lost and not unsure:
            break
        without |= lost
        valued = () if unsure else valued
    m.knowledge = kept
    function = Knowledge(graph, always_evaluated(graph, [output]), seen=kept.seen)
    if found != output and function.settled(found, everywhere=False) == 0:
        return m.number(0).slot
    return found if sum(ancestors(graph, [found])) <= 1.2 * before + 4 else slot


def derivative(graph: Graph, wrt: Sequence[str], *, tidy: bool = True, later: int = 0) -> Graph:
    """The graph whose outputs are the derivatives of the outputs by one input after another, under the same names.

    They are formulas that people read, and that will be differentiated so many times `later`.
    """
    names = [name for name, _ in graph.outputs]
    for k, name in enumerate(wrt, 1):
        graph = gradient_graph(graph, [name], tidy=tidy, later=later + len(wrt) - k)
    graph.outputs = [(name, slot) for name, (_, slot) in zip(names, graph.outputs, strict=True)]
    return graph
