"""Derivative graphs: a reverse sweep with terms instead of numbers, whose adjoints become slots of the same graph. An
adjoint may have a condition: nested choices between numbers that say where it counts (None: always).

The result is an ordinary graph, so that it can be evaluated, printed and differentiated again.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from functools import reduce
from operator import or_

from ..graph.graph import Graph
from ..graph.order import ancestors, arrange, complete, share_subexpressions
from ..table.primitive import Primitive
from .guarded import GuardedTerms
from .knowledge import Knowledge, always_evaluated, write_with_facts
from .terms import Condition, Term


class _Condition:
    """The condition under which an adjoint counts: nested choices between numbers.

    `weight` is the slot of the innermost choice, `parent` is the condition around it (None: always), `depth` the number
    of choices.  Inside a branch that may not be taken adjoints are carried without their condition, which is written
    where they are added to others; a branch not taken then contributes 0, whatever its operations would give.
    """

    def __init__(self, parent: _Condition | None, weight: int) -> None:
        self.parent = parent
        self.weight = weight
        self.depth: int = 1 if parent is None else parent.depth + 1


class Adjoints:
    """The adjoints of one output as terms, for slots on a path from the inputs `wrt` to that output.

    `bars` is {slot: term}. At a kink whose slope by convention is infinite the partial rule is written alone if it is
    infinite there too; with `exactly` the convention is written as well, for rules that are not, or have another sign.
    Without `conventions` the result is not right at kinks.
    """

    def __init__(
        self,
        m: GuardedTerms,
        output: int,
        wrt: Sequence[int],
        constants: Collection[int] = (),
        *,
        exactly: bool = False,
        conventions: bool = True,
    ) -> None:
        """Sweep back from the slot `output` to the input slots `wrt`, and set `bars`: adjoints as terms, by slot.

        `bars` has inputs, and operations whose adjoint has no condition. A slot that is missing has the adjoint 0, or a
        condition. Nothing is propagated through the slots `constants`. With `exactly` slopes by convention that are
        infinite are written too. Without `conventions` no kink gets its slope by convention, and adjoints are not right
        there. New slots are appended to the graph of `m`.
        """
        self.m = m
        self.exactly = exactly
        self.conventions = conventions
        self.graph = m.graph
        self.active = _find_active(self.graph, output, wrt, constants)
        # what holds where one derivative has a value need not hold for another one
        self._certain = self._find_certain(output) if len(wrt) == 1 and not m.facts.in_doubles else set()
        self._cases: dict[tuple[_Condition | None, int], _Condition] = {}
        self._contributions: dict[int, list[tuple[_Condition | None, Term]]] = {}
        self._sources: dict[int, int] = {}  # see _find_sources
        self.bars: dict[int, Term] = {}
        self._sweep(output)

    def of(self, slot: int) -> Term:
        """Return the derivative of the output with respect to an input of `wrt`; 0 if the output does not depend on it.

        For an operation it is the adjoint only if this has no condition.
        """
        return self.bars[slot] if slot in self.bars else self.m.number(0)

    def _sweep(self, output: int) -> None:
        """Fill `bars`, {slot: adjoint as a term}, from the output down to the inputs.

        An input has its adjoint with all conditions (choices that decide whether it counts); an operation is entered
        only if its adjoint has no condition. Slots whose adjoint is 0 are left out, and nothing is propagated from
        them.
        """
        if not self.active[output]:
            return
        self._contributions[output] = [(None, self.m.number(1))]
        for slot in range(output, -1, -1):
            if slot not in self._contributions:
                continue
            is_operation = self.graph.rows[slot] is not None
            case, bar = self._sum_contributions(self._contributions.pop(slot), supported=is_operation)
            if self.m.equals(bar, 0):
                continue
            if not is_operation:
                self.bars[slot] = self._apply_case(case, bar, None)
            else:
                if case is None:
                    self.bars[slot] = bar
                self._propagate(slot, case, bar)

    def _propagate(self, slot: int, case: _Condition | None, bar: Term) -> None:
        """Add `bar`, the adjoint of `slot`, times each partial to `_contributions` of the parents on a path to an
        input.

        They are added under the condition `case` (None: always). A partial that is a choice between numbers becomes a
        further condition of its contribution instead of a factor. A partial of 0 adds nothing.
        """
        parents = self.graph.parents[slot]
        for position, partial in self._partials(slot, case, bar):
            contributions = self._contributions.setdefault(parents[position], [])
            if self.m.is_weight(partial):
                contributions.append((self._case(case, partial.slot), bar))
            elif not self.m.equals(partial, 0):
                contributions.append((case, self.m.mul(bar, partial)))
            if not contributions:
                del self._contributions[parents[position]]

    def _partials(self, slot: int, case: _Condition | None, bar: Term) -> list[tuple[int, Term]]:
        """Return (position, partial) for each parent of `slot` on a path to an input, by ascending position.

        `bar` is the adjoint of `slot`, `case` its condition (None: always). With `conventions` kinks have their slope
        by convention. If the row has one rule for each position, the last one is evaluated first; if a partial is then
        certain to be a factor of the derivative, and `case` is None, the domains of its operations become known, which
        simplifies later ones.
        """
        m, row, parents = self.m, self.graph.row(slot), self.graph.parents[slot]
        arguments = tuple([m.term(parent) for parent in parents])
        positions = [position for position, parent in enumerate(parents) if self.active[parent]]
        has_rules = isinstance(row.partials, tuple)
        is_constant = self._is_constant_factor(slot, bar)
        results: dict[int, Term] = {}
        for group in [[position] for position in reversed(positions)] if has_rules else [positions]:
            before = len(self.graph)
            rules = m.partials(row, m.term(slot), arguments, [position in group for position in range(len(parents))])
            for position in group:
                partial = m.fold_constant(m.number(rules[position]))
                if self.conventions:
                    partial = with_convention(m, row, position, partial, arguments, is_constant, exactly=self.exactly)
                results[position] = partial
            if case is None and has_rules and (slot, group[0]) in self._certain:
                self._learn(before)
        return sorted(results.items(), key=lambda pair: pair[0])

    def _is_constant_factor(self, slot: int, bar: Term) -> Condition:
        """Return the condition that the adjoint `bar` of the row with kinks in `slot` is 0, whatever the row's inputs
        are.

        Where it holds even an infinite slope contributes 0. False without `exactly`, for rows without kinks, with
        `exceptions`, and if `bar` and the row depend on a common input of the graph.
        """
        if not self.exactly or not self.graph.row(slot).smooth or self.m.exceptions is not None:
            return False
        inputs, sources = [
            complete(self._sources, s, self.graph.parents.__getitem__, self._find_sources) for s in (slot, bar.slot)
        ]
        return False if inputs & sources else self.m.eq(bar, 0)

    def _find_sources(self, slot: int) -> int:
        """Return the inputs that `slot` depends on, as bits, from those of its arguments."""
        bit = 1 << slot if slot in self.graph.inputs else 0
        return reduce(or_, [self._sources[parent] for parent in self.graph.parents[slot]], bit)

    def _find_certain(self, output: int) -> set[tuple[int, int]]:
        """Return (slot, position) of each partial that is a factor of the derivative of `output` at every point.

        That is a partial that is neither 0 nor a choice, with a path from its argument to an input on which all
        partials are like this; the partials between the slot and the output do not matter. Slots that are not on a path
        from an input to the output are left out. The partial of acosh in acosh(max(x, 1)) does not count: where 1 is
        larger the slope is 0, whatever acosh has there.
        """
        graph = self.graph
        m = GuardedTerms(share_subexpressions(graph), self.m.always, self.m.later)
        certain: set[tuple[int, int]] = set()
        reaching = bytearray(output + 1)  # 1 where some path to an input has no partial that is 0 or a choice
        for slot in range(output + 1):
            row, parents = graph.rows[slot], graph.parents[slot]
            if row is None:
                reaching[slot] = self.active[slot]
                continue
            needed = tuple([bool(self.active[parent]) for parent in parents])
            reached = [position for position, parent in enumerate(parents) if needed[position] and reaching[parent]]
            if not self.active[slot] or not reached:
                continue
            rules = m.partials(row, m.term(slot), tuple([m.term(parent) for parent in parents]), needed)
            for position in reached:
                partial = m.fold_constant(m.number(rules[position]))
                if not (m.is_weight(partial) or m.equals(partial, 0)):
                    certain.add((slot, position))
                    reaching[slot] = 1
        return certain

    def _learn(self, before: int) -> None:
        """Add the domains of the slots from `before` on to the knowledge, unless one of them is a choice."""
        rows = self.graph.rows
        new = range(before, len(rows))
        if all((row := rows[slot]) is None or row.route is None for slot in new):
            for slot in new:
                self.m.knowledge.learn(slot)

    # --- cases --------------------------------------------------------------------------------------------------------

    def _case(self, parent: _Condition | None, weight: int) -> _Condition:
        """Return the condition `weight` inside `parent`; equal ones are one object."""
        return self._cases.setdefault((parent, weight), _Condition(parent, weight))

    def _apply_case(self, case: _Condition | None, bar: Term, down_to: _Condition | None) -> Term:
        """Return the adjoint times the conditions of `case`, up to `down_to`, which is left out (None: all of them)."""
        while case is not None and case is not down_to:
            bar = self.m.multiply_weight(self.m.term(case.weight), bar)
            case = case.parent
        return bar

    def _sum_contributions(
        self, contributions: list[tuple[_Condition | None, Term]], *, supported: bool
    ) -> tuple[_Condition | None, Term]:
        """Return (case, sum of all contributions); `case` is the innermost condition that all have, None (always) if
        none.

        `contributions` are (condition under which it counts or None, term), at least one; the last ones are added
        first. Each is multiplied with its conditions inside the common one.

        With `supported`, if all have further conditions, the case is narrowed to the points at which at least one
        contribution counts (`_where_counted`), unless these are all points or that takes more than 4 branches, because
        the factors of the sum may have a value only there. If the sum is then a choice between numbers, it becomes the
        case, and the sum is 1.
        """
        groups: dict[_Condition | None, Term] = {}
        for case, bar in reversed(contributions):
            groups[case] = self.m.add(groups[case], bar) if case in groups else bar
        (total_case, total), *rest = groups.items()
        for case, bar in rest:
            common = _common_condition(total_case, case)
            total = self.m.add(self._apply_case(total_case, total, common), self._apply_case(case, bar, common))
            total_case = common
        support = self._where_counted(groups, total_case) if supported and total_case not in groups else None
        if support is None:
            return total_case, total
        if self.m.is_weight(total):
            return self._case(total_case, total.slot), self.m.number(1)
        return self._case(total_case, support.slot), total

    def _where_counted(self, cases: Iterable[_Condition | None], within: _Condition | None) -> Term | None:
        """Return a choice that is 1 at the points inside the condition `within` where at least one of `cases` holds,
        else 0.

        All cases are inside `within`, at least one is not None; None means always. None is returned if the cases cover
        all points inside `within`, or if the choice needs more than 4 branches.
        """
        m, zero, one = self.m, self.m.number(0), self.m.number(1)
        totals: dict[_Condition | None, Term] = dict.fromkeys(cases, one)
        at: dict[int, dict[_Condition, None]] = {}  # cases by depth, in order of appearance
        for case in totals:
            if case is not None:
                at.setdefault(case.depth, {})[case] = None
        for depth in range(max(at), 0 if within is None else within.depth, -1):
            for case in at.get(depth, ()):
                weight = m.graft(m.term(case.weight), totals[case], zero)
                joined = m.graft(totals.get(case.parent, zero), one, weight)
                if m.count_leaves(joined) > _SUPPORT:
                    return None
                totals[case.parent] = joined
                if case.parent is not None:
                    at.setdefault(depth - 1, {})[case.parent] = None
        return None if m.equals(totals[within], 1) else totals[within]


def with_convention(
    m: GuardedTerms,
    row: Primitive,
    position: int,
    partial: Term,
    arguments: Sequence[Term],
    is_constant: Condition = False,
    *,
    exactly: bool = False,
) -> Term:
    """Return `partial`, or a choice that has the slope by convention instead of it at a kink.

    `partial` is that of `row` with respect to the argument at `position`; `arguments` are the row's. It is returned
    alone if this argument has no kink with such a slope, or if the slope is infinite and `exactly` is False (the rule
    is infinite there, too). With `exactly` an infinite slope is 0 where `is_constant` holds: it is multiplied with 0,
    whatever the inputs are.
    """
    kink = row.kink(position)
    if kink is None or kink.slope is None:
        return partial
    slope = m.evaluate_rule(kink.slope, *arguments)
    if isinstance(slope, float) and not math.isfinite(slope):
        if not exactly:
            return partial
        slope = m.choose(is_constant, 0, slope)
    return m.choose(m.holds(kink.holds, *arguments), partial, slope)


def _common_condition(a: _Condition | None, b: _Condition | None) -> _Condition | None:
    """Return the innermost condition that contains both `a` and `b`, which may be one of them; None means always."""
    while a is not b:
        if b is None or (a is not None and a.depth >= b.depth):
            a = a.parent if a is not None else None
        else:
            b = b.parent
    return a


def find_constants(graph: Graph) -> set[int]:
    """Return the slots of operations that are proven constants and arguments of functions with kinks: x - x in sqrt(x -
    x).

    No derivative flows through them, whatever the slope there. A proven constant is the same number wherever it has a
    value; proofs are ranges and, in a graph of at most 20,000 slots, normal forms. `graph` must not have identical
    slots, and is not changed.
    """
    from .tidy import tidy_outputs  # fractions are slow to import, and sweeps alone need none

    m = GuardedTerms(share_subexpressions(graph), later=0)
    kinked = [slot for slot, row in enumerate(graph.rows) if row is not None and row.smooth]
    arguments = sorted({p for slot in kinked for p in graph.parents[slot] if graph.rows[p] is not None})
    tidied = tidy_outputs(m, arguments, 0) if len(graph) <= LARGEST else arguments
    return {
        slot
        for slot, new in zip(arguments, tidied, strict=True)
        if any(m.knowledge.range_of(s).point for s in (slot, new))
    }


def _find_active(graph: Graph, output: int, wrt: Iterable[int], constants: Collection[int]) -> bytearray:
    """Return a bytearray over all slots of the graph: 1 for each slot that `output` needs and to which a derivative
    flows from a slot of `wrt`, else 0.

    The slots of `wrt` that `output` needs are 1, too, even if only a condition needs them. No derivative flows through
    conditions, literals, `constants`, and arguments for which the row has no partial rule.
    """
    moving = bytearray(len(graph))
    for slot in wrt:
        moving[slot] = 1
    for slot in range(output + 1):
        row = graph.rows[slot]
        if row is None or row.truth or graph.literal[slot] or slot in constants:
            continue
        rules = row.partials
        if any(
            moving[parent] and (not isinstance(rules, tuple) or rules[position] is not None)
            for position, parent in enumerate(graph.parents[slot])
        ):
            moving[slot] = 1
    needed = ancestors(graph, [output])
    return bytearray(a & b for a, b in zip(moving, needed, strict=True))


LARGEST = 20_000  # slots; a larger derivative is not tidied
_SUPPORT = 4  # branches of a choice that says where an adjoint counts


def gradient_graph(
    graph: Graph, wrt: Sequence[str] | None = None, *, tidy: bool = False, later: int | None = None
) -> Graph:
    """Return a new graph of the partial derivatives of every output with respect to the inputs, or to the names in
    `wrt`.

    Its outputs are called `dy_dx1`, ordered by output, then as the inputs or `wrt`; a name that is not an input gives
    0. All inputs stay, aliases do not. With `tidy` derivatives are shortened for people to read, up to 20,000 slots.
    `later` says how often they will still be differentiated (None: they are to be evaluated).
    """
    copy = share_subexpressions(graph)
    inputs = {name: slot for slot, name in copy.inputs.items()}
    names = list(inputs) if wrt is None else list(wrt)
    slots = [inputs[name] for name in names if name in inputs]
    first_new_slot = len(copy)
    constants = find_constants(copy)
    outputs = []
    for output, slot in copy.outputs:
        m = GuardedTerms(copy, always_evaluated(copy, [slot]), later)
        adjoints = Adjoints(m, slot, slots, constants)
        bars = [adjoints.of(inputs[name]).slot if name in inputs else m.number(0).slot for name in names]
        if tidy:
            bars = [_tidy_slot(m, bar, first_new_slot, slot) for bar in bars]
        outputs += [(f"d{output}_d{name}", bar) for name, bar in zip(names, bars, strict=True)]
    copy.outputs = outputs
    copy.aliases = {}
    return arrange(copy, "call", extra=graph.inputs.values())


def _tidy_slot(m: GuardedTerms, slot: int, first_new_slot: int, output: int) -> int:
    """Return a shorter slot for the derivative in `slot` of the function in `output`.

    It is 0 if the derivative is 0 wherever the function has a value. It is `slot` itself if this needs more than 20,000
    slots (itself and all below it, each once), or if the new one needs more than 1.2 times as many + 4. Slots below
    `first_new_slot` belong to the function and stay. Facts that the derivative requires of the inputs may be used, as
    long as the result requires them too: log(x)*x/x is log(x), for x > 0. Fractions inside a denominator are cleared
    where the function has a value: atan(1/x) has the derivative -1/(x^2 + 1), also at 0.
    """
    from .tidy import tidy_outputs  # fractions are slow to import, and sweeps alone need none

    graph = m.graph
    before = sum(ancestors(graph, [slot]))
    if before > LARGEST:
        return slot
    kept = m.knowledge
    function = Knowledge(graph, always_evaluated(graph, [output]), seen=kept.seen)

    def write(known: Knowledge) -> int:
        m.knowledge = known
        return tidy_outputs(m, [slot], first_new_slot, function)[0]

    shorter = write_with_facts(graph, always_evaluated(graph, [slot]), kept.seen, write)
    m.knowledge = kept
    if shorter != output and function.constant_value(shorter, everywhere=False) == 0:
        return m.number(0).slot
    return shorter if sum(ancestors(graph, [shorter])) <= 1.2 * before + 4 else slot


def derivative(graph: Graph, wrt: Sequence[str], *, tidy: bool = True, later: int = 0) -> Graph:
    """Return the graph of the derivatives of all outputs with respect to one name in `wrt` after another.

    Without names it is `graph` itself. The outputs keep their names; a name that is not an input gives 0. The formulas
    are for people, simplified if `tidy`, and will be differentiated `later` more times.
    """
    names = [name for name, _ in graph.outputs]
    for k, name in enumerate(wrt, 1):
        graph = gradient_graph(graph, [name], tidy=tidy, later=later + len(wrt) - k)
    graph.outputs = [(name, slot) for name, (_, slot) in zip(names, graph.outputs, strict=True)]
    return graph
