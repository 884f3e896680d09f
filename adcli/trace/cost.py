"""Cost of a gradient: operations of the value, of a forward sweep and of a reverse sweep, counted by kind.

The programs counted are those that one would write by hand from the rules of the table: a factor of 1 is not a
multiplication, 1/x times an adjoint is one division, what a row's partials share is computed once, and what depends on
no input has no derivative. Values are counted with each derivative program, since its partials need them.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import reduce

from ..graph.graph import Graph
from ..graph.order import ancestors, dependents, share_subexpressions
from ..graph.rules import value_function
from ..notation.formula import TEXT, render
from ..numbers.doubles import RAISING
from ..records import NamedTuple
from ..symbolic.terms import Term, Terms
from ..table.primitive import Primitive

ADDITION, MULTIPLICATION, DIVISION, SIGN, CALL, CONDITION = KINDS = (
    "additions", "multiplications", "divisions", "changes of sign", "function calls", "conditions",
)  # fmt: skip

Count = Counter[str]
MANY = 10**15  # larger counts are cut off here


class Cost(NamedTuple):
    """Operations by kind: of the value, of the value with one direction (forward), of the value with the gradient.

    A reverse sweep propagates the adjoint of a value as soon as it is complete. `passed` values have one use, so that
    it is complete at once; `accumulated` ones have several, whose contributions are added up and propagated together.
    `one_by_one` is the cost of the reverse program if every contribution were propagated separately, MANY at most.
    """

    value: Count
    forward: Count
    reverse: Count
    passed: int
    accumulated: int
    one_by_one: int

    @property
    def forward_ratio(self) -> float | None:
        return _ratio(self.forward, self.value)

    @property
    def reverse_ratio(self) -> float | None:
        return _ratio(self.reverse, self.value)

    @property
    def one_by_one_or_many(self) -> int | str:
        """Return the number of operations if every contribution is passed on separately, `one_by_one`; "more than 1e15"
        from MANY on.
        """
        return self.one_by_one if self.one_by_one < MANY else "more than 1e15"


def _ratio(count: Count, value: Count) -> float | None:
    return count.total() / value.total() if value.total() else None


def _rules_of_rows(
    graph: Graph, rows: Iterable[int], active: bytearray, values: Sequence[float | None] | None
) -> dict[int, _RuleCost]:
    """Return the cost of the derivative rule of each of the `rows` (slots), by slot, in their order.

    Rows that depend on no input (`active` is 0) and conditions are left out. Arguments that depend on no input, and
    conditions, count as constants; with `values` (by slot) so do arguments whose value is None. Equal rules are counted
    once and shared: those with the same row name, the same arguments that are not constant, the same literals and the
    same positions of equal arguments.
    """
    known: dict[object, _RuleCost] = {}
    rules: dict[int, _RuleCost] = {}
    for slot in rows:
        row, parents = graph.row(slot), graph.parents[slot]
        if active[slot] and not row.truth:
            moving = tuple(_moves(graph, p, active, values) for p in parents)
            literals = tuple(render(graph, p, TEXT, lambda _: None) if graph.literal[p] else None for p in parents)
            key = (row.name, moving, literals, tuple(parents.index(p) for p in parents))
            if key not in known:
                known[key] = _RuleCost(graph, slot, row, moving)
            rules[slot] = known[key]
    return rules


def cost(graph: Graph, values: Sequence[float | None] | None = None) -> Cost:
    """Return the Cost of all outputs of a graph together: of the values, of these with one forward sweep, and with one
    reverse sweep.

    `forward` and `reverse` include `value`. Rows that no output needs cost nothing. With `values` (by slot) rows whose
    value is None, those of branches that are not taken, cost nothing either. A seed of 1 costs nothing; the tangents of
    inputs are any numbers. A negative contribution to an adjoint is subtracted; a change of sign counts only if all
    contributions are negative. `passed` and `accumulated` count rows between inputs and outputs whose adjoint has one
    contribution or several; `one_by_one` is the cost if each contribution were passed on separately, at most MANY.
    """
    needed = ancestors(graph, [slot for _, slot in graph.outputs])
    active = dependents(graph)
    rows = [s for s in graph.operations() if needed[s] and (values is None or values[s] is not None)]
    rules_by_slot = _rules_of_rows(graph, rows, active, values)
    value = Counter(_kind_of_operation(graph.row(slot)) for slot in rows)
    forward = sum((rule.tangent for rule in rules_by_slot.values()), Counter[str]())
    seeds = Counter(slot for _, slot in graph.outputs if active[slot])
    reverse, contributions_to, contributions = _reverse_sweep(graph, rules_by_slot, seeds)
    intermediate = [slot for slot in contributions_to if slot not in seeds]
    accumulated = sum(1 for slot in intermediate if contributions[slot] > 1)
    sweeps = _count_separate_sweeps(graph, rules_by_slot, contributions_to, seeds)
    again = sum(contributions_to[slot] * (times - 1) for slot, times in sweeps.items())
    one_by_one = min((value + reverse).total() + again, MANY)
    passed = len(intermediate) - accumulated
    return Cost(value, value + forward, value + reverse, passed, accumulated, one_by_one)


def _reverse_sweep(
    graph: Graph, rules_by_slot: dict[int, _RuleCost], seeds: Counter[int]
) -> tuple[Count, dict[int, int], Counter[int]]:
    """Return (operations of a reverse sweep by kind, operations of each swept row, contributions to each adjoint).

    The last two are numbers by slot. Those of a swept row are the operations of its rule alone; additions of
    contributions and changes of sign of adjoints are only in the first. `seeds` has the number of seeds of 1 by slot,
    which count as contributions; `rules_by_slot` has the cost of each derivative rule, in the order of rows. Rows
    without contributions are left out. A row whose only contribution is a seed has the adjoint 1, and its partials are
    not multiplied. Each contribution after the first costs an addition; a change of sign counts only if all
    contributions to the adjoint are negative.
    """
    reverse: Count = Counter()
    contributions, signs = seeds.copy(), Counter[int]()
    contributions_to: dict[int, int] = {}
    for slot, rule in reversed(rules_by_slot.items()):
        if not contributions[slot]:
            continue
        alone = slot in seeds and contributions[slot] == 1  # its adjoint is the number 1
        count = rule.plain if alone else rule.weighted
        reverse += count
        contributions_to[slot] = count.total()
        for position, negative in rule.contributions_to:
            contributions[graph.parents[slot][position]] += 1
            signs[graph.parents[slot][position]] += negative
    for slot, uses in contributions.items():
        reverse[ADDITION] += uses - 1
        # a negative contribution that is added is a subtraction; it costs something of its own only where all are
        reverse[SIGN] += int(signs[slot] == uses)
    return reverse, contributions_to, contributions


def _count_separate_sweeps(
    graph: Graph, rules_by_slot: dict[int, _RuleCost], contributions_to: dict[int, int], seeds: Collection[int]
) -> dict[int, int]:
    """Return, by slot, how often a row would be swept if it passed on each contribution to its adjoint separately.

    The keys are those of `contributions_to`: the slots that an adjoint reaches. A slot in `seeds` counts 1; each
    contribution counts as often as the row that makes it is swept. `rules_by_slot` has the rule of each row. Numbers
    are cut off at MANY (10^15).
    """
    times = dict.fromkeys(contributions_to, 0)
    for slot in sorted(contributions_to, reverse=True):
        times[slot] += slot in seeds
        for position, _ in rules_by_slot[slot].contributions_to:
            parent = graph.parents[slot][position]
            if parent in times:
                times[parent] = min(times[parent] + times[slot], MANY)
    return times


def _moves(graph: Graph, slot: int, active: bytearray, values: Sequence[float | None] | None) -> bool:
    """Return whether the slot has a tangent that costs something: it depends on an input, is not a condition, and has a
    value.
    """
    return bool(active[slot]) and not graph.is_condition(slot) and (values is None or values[slot] is not None)


# --- kinds ------------------------------------------------------------------------------------------------------------


_KINDS = {
    operator.add: ADDITION, operator.sub: ADDITION, operator.mul: MULTIPLICATION, operator.truediv: DIVISION,
    operator.neg: SIGN,
}  # fmt: skip


def _kind_of_operation(row: Primitive) -> str:
    """Return the kind of operation of a row, one of KINDS.

    CONDITION for a truth value or a choice of branches. ADDITION (for a difference too), MULTIPLICATION, DIVISION or
    SIGN if the value rule is the Python operator. CALL for each other row.
    """
    return CONDITION if row.truth or row.route is not None else _KINDS.get(value_function(row, RAISING), CALL)


# --- rules ------------------------------------------------------------------------------------------------------------


class _RuleCost:
    """The cost of the derivative of one kind of row, as operations by kind.

    tangent           of the tangent of the row from the tangents of its arguments
    plain             of the contributions to the arguments if the adjoint of the row is 1
    weighted          of these contributions if the adjoint is any number
    contributions_to  (position of the argument, whether the contribution is negative) for each contribution; these
                      signs are not counted as operations
    """

    def __init__(self, graph: Graph, slot: int, row: Primitive, moving: tuple[bool, ...]) -> None:
        """Count the operations of the derivative rule of `row` at `slot` of the graph, and set all attributes.

        `moving` says for each argument whether it depends on an input; only these arguments have partials. Partials
        that are 0 are left out. Literal arguments are copied into the rule, so that products with 0 and 1 are not
        counted. Equal arguments are one term. A minus sign in front of a contribution is not counted;
        `contributions_to` has (position of the argument, whether there is one).
        """
        m = Terms(Graph())
        places: dict[int, Term] = {}
        arguments = []
        for parent in graph.parents[slot]:
            if parent not in places:
                places[parent] = m.copy_formula(graph, parent) if graph.literal[parent] else _new_input(m)
            arguments.append(places[parent])
        result, bar = _new_input(m), _new_input(m)
        partials = enumerate(m.partials(row, result, tuple(arguments), moving))
        numbers = {k: m.number(partial) for k, partial in partials if partial is not None and moving[k]}
        terms = {position: term for position, term in numbers.items() if not m.equals(term, 0)}
        tangent = reduce(m.add, [m.mul(_new_input(m), term) for term in terms.values()], m.number(0))
        self.tangent = _count_operations(m.graph, [tangent])
        self.plain = _count_operations(m.graph, [_split_sign(m, term)[0] for term in terms.values()])
        weighted = {position: _split_sign(m, m.mul(bar, term)) for position, term in terms.items()}
        self.weighted = _count_operations(m.graph, [term for term, _ in weighted.values()])
        self.contributions_to = [(position, negative) for position, (_, negative) in weighted.items()]


def _new_input(m: Terms) -> Term:
    """Return a new symbolic number; inputs are distinguished by their names."""
    return Term(m, m.graph.input(str(len(m.graph))))


def _split_sign(m: Terms, term: Term) -> tuple[Term, bool]:
    """Return (the term without a leading minus sign, whether it had one); negative literals are left as they are."""
    negated = m.parts(term, "neg")
    if negated and not m.graph.literal[term.slot]:
        return negated[0], True
    return term, False


def _count_operations(graph: Graph, terms: Sequence[Term]) -> Count:
    """Return the operations that the terms need, by kind; equal subexpressions are counted once.

    A kind is one of KINDS. Changes `graph` in place: its outputs are replaced by the terms.
    """
    graph.outputs = [("", term.slot) for term in terms]
    merged = share_subexpressions(graph)
    reached = ancestors(merged, [slot for _, slot in merged.outputs])
    return Counter(_kind_of_operation(merged.row(slot)) for slot in merged.operations() if reached[slot])
