"""Derivatives of higher orders: swept order by order, or with the terms of all orders collected, if that is shorter. A
function with conditions is collected case by case: in a case it is decided which comparisons hold.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from copy import copy

from ..errors import RequestError
from ..graph.gc_pause import pause_gc
from ..graph.graph import Graph
from ..graph.order import arrange, share_subexpressions
from .collecting import Collecting
from .condition_cases import Cases, Path, UndecidedComparison, Unfit
from .derivative import derivative
from .guarded import GuardedTerms
from .kernels import Kernels
from .knowledge import Knowledge, always_evaluated, write_with_facts
from .monomial_sums import Swollen
from .slot_sums import extend_sizes
from .terms import Term

_BOTH_WAYS = 2  # orders up to which both ways are tried
_LONG = 5000  # slots; of a longer function the first derivative is collected too
_SMALL = 400  # slots; a longer derivative without cases is not swept again if it can be collected
_LARGEST = 50_000  # the largest length of a formula that is swept again
_OBSERVED = 4  # orders from which the growth of formulas is estimated
_CASES = 12  # comparisons by which cases are split
_CASES_OF_TERM = 6  # the same for one term of a sum whose terms are differentiated separately
_CASES_OF_TERMS = 80  # and for all terms together
_PARTS = 100  # terms; the terms of a longer sum are not differentiated separately


def derivative_formula(graph: Graph, wrt: Sequence[str], later: int = 0) -> Graph:
    """Return the graph of the derivatives of all outputs with respect to one name in `wrt` after another, for people.

    The outputs keep their names; without `wrt` the graph itself is returned. `later` is how often they will still be
    differentiated. The first derivative of a graph with more than _LONG (5000) slots is collected
    (`collect_derivatives`), if that is possible; else it is a sweep (`derivative`). The others follow by
    `differentiate_further`. Raises RequestError if the formulas become too long.
    """
    if not wrt:
        return graph
    ahead, first = later + len(wrt) - 1, None
    with suppress(Swollen):
        first = collect_derivatives(graph, wrt[:1], ahead) if len(graph) > _LONG else None
    return differentiate_further(derivative(graph, wrt[:1], later=ahead) if first is None else first, wrt[1:], later)


def differentiate_further(graph: Graph, wrt: Sequence[str], later: int = 0) -> Graph:
    """Return the derivatives of `graph`, itself a derivative, with respect to one name in `wrt` after another.

    Without names it is `graph` itself. Outputs keep their names; they will be differentiated `later` more times. There
    are two ways: the terms of all orders are collected, or the graph is swept order by order. The swept result is
    returned, unless the collected one is shorter by two operations or more, written out, and has no more distinct ones.
    The sweep is not tried if the collected result has no choices, and there are more than 2 names or more than 400
    slots; it is given up for the collected one if it becomes too long.

    Raises RequestError if the formulas become too long both ways; for more than 2 names if they do when collected.
    """
    try:
        result = collect_derivatives(graph, wrt, later) if wrt else None
    except Swollen as swollen:
        if len(wrt) > _BOTH_WAYS:
            raise _length_error(len(wrt) + 1, str(swollen)) from None
        result = None
    if result is not None and (len(wrt) > _BOTH_WAYS or len(graph) > _SMALL) and not result.has_choices():
        return result
    longest = len(result) if result is not None and len(wrt) > _BOTH_WAYS else _LARGEST
    sizes: list[int] = []
    for k, name in enumerate(wrt, 1):
        sizes.append(len(graph))
        if _predict_length(sizes, len(wrt)) > longest:
            if result is not None:
                return result
            raise _length_error(k, f"{len(graph)} operations")
        graph = derivative(graph, [name], later=later + len(wrt) - k)
    return result if result is not None and _shorter(result, graph) else graph


def _shorter(one: Graph, other: Graph) -> bool:
    """Return whether `one` is shorter than `other` by two operations or more, and has no more distinct operations."""
    steps, others = [sum(row is not None for row in graph.rows) for graph in (one, other)]
    return _count_operations(one) < _count_operations(other) - 1 and steps <= others


def _predict_length(sizes: Sequence[int], last: int) -> float:
    """Return the predicted number of slots at order `last`; `sizes` are those at orders 1, 2, … so far. The first that
    applies:

    - fewer than 4 sizes, or the last three do not grow: the last size
    - the last factor of growth is not smaller than the one before: growth by this factor, at most 10⁹ times the last
      size
    - growth by a power of the order
    """
    k, now = len(sizes), sizes[-1]
    if k < _OBSERVED or not sizes[-3] < sizes[-2] < now:
        return now
    factor = now / sizes[-2]
    if factor * sizes[-3] >= sizes[-2]:  # no smaller than the one before
        return now * min(factor ** (last - k), 10.0**9)
    return now * math.exp(math.log(factor) * math.log(last / k) / math.log(k / (k - 1)))


def _length_error(order: int, length: str) -> RequestError:
    """Return the error for a derivative of this order whose formulas are too long."""
    title = f"the derivative of order {order} already has {length}"
    return RequestError(title, help="ask for a lower order; adcli taylor computes high orders as numbers")


def _count_operations(graph: Graph) -> int:
    """Return the number of operations of all outputs together, written out without shared parts; of each slot at most
    10^9 count.
    """
    sizes: list[int] = []
    extend_sizes(graph, sizes)
    return sum(sizes[slot] for _, slot in graph.outputs)


def collect_derivatives(graph: Graph, wrt: Sequence[str], later: int = 0) -> Graph | None:
    """Return a new graph with the derivative of each output with respect to one name in `wrt` after another.

    The terms of all orders are collected. Outputs keep their names, all inputs stay. `later` is how often they will
    still be differentiated. None if a name is not an input, if an output has too many cases, or if a condition does not
    consist of comparisons. Raises Swollen beyond 10,000 terms in a sum or 300 digits in a number.
    """
    copy = share_subexpressions(graph)
    inputs = {name: slot for slot, name in copy.inputs.items()}
    if not all(name in inputs for name in wrt):
        return None
    outputs = []
    with pause_gc(len(graph)):
        for name, slot in copy.outputs:
            derivative_slot = _collect_output(copy, slot, [inputs[one] for one in wrt], later)
            if derivative_slot is None:
                return None
            outputs.append((name, derivative_slot))
        copy.outputs = outputs
        copy.aliases = {}
        return arrange(copy, "call", extra=graph.inputs.values())


def _collect_output(graph: Graph, slot: int, wrt: Sequence[int], later: int) -> int | None:
    """Return the slot of the derivative of `slot` with respect to the input slots `wrt` in turn, appended to `graph`.

    If the whole has more than 12 comparisons, the terms of a sum are differentiated separately, with at most 6
    comparisons each, 80 together. `later` is how often the derivative will still be differentiated. None if there are
    too many cases, or if a condition does not consist of comparisons. Raises Swollen.
    """
    m = GuardedTerms(graph, (), later)
    parts = [slot]
    trees = _find_comparisons(m, parts, wrt, _CASES, _CASES)
    if trees is None:
        parts = _split_sum(m, slot)
        trees = _find_comparisons(m, parts, wrt, _CASES_OF_TERM, _CASES_OF_TERMS) if len(parts) > 1 else None
    if trees is None:
        return None
    part_slots = [_differentiate_by_cases(m, part, wrt, tree) for part, tree in zip(parts, trees, strict=True)]
    total: Term = m.number(0)
    for part_slot in part_slots:
        if part_slot is None:
            return None
        total = m.add(total, m.term(part_slot))
    return total.slot


def _find_comparisons(
    m: GuardedTerms, slots: Sequence[int], wrt: Sequence[int], each: int, all_of_them: int
) -> list[dict[Path, int]] | None:
    """Return for each of `slots` the tree of its cases: {path of decided comparisons: slot of the next comparison}.

    The comparisons are those that the slot and its first derivative need (the slot alone if `wrt` has one name); one
    that is needed on several paths counts on each. None if one slot has more than `each` comparisons, all together more
    than `all_of_them`, or if a condition does not consist of comparisons. Raises Swollen.
    """
    trees: list[dict[Path, int]] = []
    for slot in slots:
        tree: dict[Path, int] = {}
        stack: list[Path] = [()]
        while stack:
            path = stack.pop()
            try:
                _differentiate_in_case(m, slot, wrt, path, min(1, len(wrt) - 1))
            except UndecidedComparison as undecided:
                tree[path] = undecided.slot
                stack += _split_cases(path, undecided.slot)
            except Unfit:
                return None
            if len(tree) > each or len(tree) + sum(map(len, trees)) > all_of_them:
                return None
        trees.append(tree)
    return trees


def _differentiate_by_cases(m: GuardedTerms, slot: int, wrt: Sequence[int], tree: dict[Path, int]) -> int | None:
    """Return the slot of the derivative of `slot` with respect to all of `wrt`: a choice between all cases of `tree`.

    `tree` maps the path of each case that must be split further, a tuple of (slot of a comparison, whether it holds),
    to the slot of the comparison that splits it; comparisons found to be needed are added in place. None for more than
    12 comparisons, or if a condition does not consist of comparisons. Raises Swollen.
    """
    slots: dict[Path, int] = {}
    stack: list[Path] = [()]
    while stack:
        path = stack.pop()
        if path not in tree:
            try:
                slots[path] = _differentiate_in_case(m, slot, wrt, path, len(wrt))
            except UndecidedComparison as undecided:
                tree[path] = undecided.slot
            except Unfit:
                return None
        if path in tree:
            stack += _split_cases(path, tree[path])
        if len(tree) > _CASES:
            return None
    for path in sorted(tree, key=len, reverse=True):
        branches = [m.term(slots[case]) for case in _split_cases(path, tree[path])]
        slots[path] = _join_branches(m, m.term(tree[path]), *branches)
    return slots[()]


def _split_cases(path: Path, comparison: int) -> tuple[Path, Path]:
    """Return the two cases inside `path` in which a comparison holds, and in which it does not."""
    return (*path, (comparison, True)), (*path, (comparison, False))


def _join_branches(m: GuardedTerms, condition: Term, a: Term, b: Term) -> int:
    """Return the slot of if(condition, a, b), merged with a choice inside that shares a branch.

    if(p, if(q, x, y), y) becomes if(p and q, x, y), and if(p, x, if(q, x, y)) becomes if(p or q, x, y), or if(q, x, y)
    if p implies q. Equal branches need no choice.
    """
    inner = m.parts(a, "if")
    if inner and inner[2].slot == b.slot:
        condition, a = m.write("and", condition, inner[0]), inner[1]
    inner = m.parts(b, "if")
    if inner and inner[1].slot == a.slot:
        implied = _implies(m, condition, inner[0])
        condition, b = inner[0] if implied else m.number(m.either(condition, inner[0])), inner[2]
    return m.choose(condition, a, b).slot


def _implies(m: GuardedTerms, condition: Term, other: Term) -> bool:
    """Return whether the comparison `condition` implies the comparison `other`, and `other` always has a value.

    It is proven by what `condition` says about the same two slots, or by the ranges that follow from it. False if that
    is not certain, or if `other` is not a comparison.
    """
    known, row = Knowledge(m.graph), m.graph.rows[other.slot]
    if row is None or not known.has_value(other.slot):
        return False
    inner = copy(m)
    cases = Cases(inner, ((condition.slot, True),))
    inner.known_comparison = cases.compare
    inner.knowledge = Knowledge(m.graph, here=cases.facts(known))
    arguments = [inner.term(parent) for parent in m.graph.parents[other.slot]]
    return bool(row.truth and not row.truth_arguments) and inner.compare(row.name, *arguments) is True


def _differentiate_in_case(m: GuardedTerms, slot: int, wrt: Sequence[int], path: Path, orders: int) -> int:
    """Return the slot of the derivative of `slot` with respect to all of `wrt` in the case `path`.

    The terms of all orders are collected. If the result does not require all facts that were used, it is written again
    with fewer. If `orders` is smaller than len(wrt), only this many orders are tried, to find the comparisons that they
    need: nothing is written, and the slot of the function without the choices decided in this case is returned. Raises
    UndecidedComparison, Unfit and Swollen.
    """
    m, graph, seen, later = copy(m), m.graph, m.knowledge.seen, m.later or 0
    here = Cases(m, path).facts(Knowledge(graph, seen=seen))

    def resolve() -> tuple[Cases, int]:
        """Return the case, and the slot of the function in it; both are looked at with the facts of the case alone."""
        cases = Cases(m, path)
        m.known_comparison = cases.compare
        m.knowledge = Knowledge(graph, seen=seen, here=here)
        return cases, cases.resolve(slot)

    def write(known: Knowledge) -> int:
        """Return the slot of the derivative, or that of the function if only the first orders are tried; `known`
        becomes the knowledge of `m`.
        """
        cases, case_slot = resolve()
        m.knowledge = known
        kernels = Kernels(m, case_slot, cases)
        form = kernels.form(case_slot)
        for k, name in enumerate(wrt[:orders], 1):
            form = kernels.differentiate(form, name, later + len(wrt) - k)
        return Collecting(kernels).write_sum(form).slot if orders == len(wrt) else case_slot

    case_slot = resolve()[1]
    if not orders:
        return case_slot
    return write_with_facts(graph, always_evaluated(graph, [case_slot]), seen, write, here)


def _split_sum(m: GuardedTerms, slot: int) -> list[int]:
    """Return the slots of the terms whose sum `slot` is, from left to right; new slots are appended to the graph.

    Sums inside sums are split, and a product or quotient with a sum as an argument of its own, above the line: a*(b-c)
    has the terms b*a and (-c)*a, (b-c)/d the terms b/d and (-c)/d. Every other slot is a single term, also a*(b-c)/d,
    whose numerator is a product. Of a product of several sums only the first one is split. [] for more than 100 terms.
    """
    graph = m.graph
    terms: list[int] = []
    # With the operations around each slot, outermost last: the name of the row, and its other arguments.
    stack: list[tuple[int, tuple[tuple[str, tuple[int, ...]], ...]]] = [(slot, ())]
    while stack:
        current, factors = stack.pop()
        row, parents = graph.rows[current], graph.parents[current]
        sums = [place for place, parent in enumerate(parents) if _is_sum(graph, parent)]
        if row is not None and row.signs:
            negated = (("neg", ()), *factors)
            parts = [
                (parent, factors if sign > 0 else negated) for parent, sign in zip(parents, row.signs, strict=True)
            ]
            stack += parts[::-1]
        elif row is not None and sums and row.exponents and row.exponents[sums[0]] > 0:
            rest = parents[: sums[0]] + parents[sums[0] + 1 :]
            stack.append((parents[sums[0]], ((row.name, rest), *factors)))
        else:
            term: Term = m.term(current)
            for name, others in factors:
                term = m.write(name, term, *[m.term(other) for other in others])
            terms.append(term.slot)
        if len(terms) + len(stack) > _PARTS:
            return []
    return terms


def _is_sum(graph: Graph, slot: int) -> bool:
    """Return whether a slot is a sum of several arguments."""
    row = graph.rows[slot]
    return row is not None and len(row.signs) > 1
