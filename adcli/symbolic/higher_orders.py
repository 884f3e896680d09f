"""Derivatives of higher orders, the terms of all orders collected."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..errors import RequestError
from ..graph.gc_pause import pause_gc
from ..graph.graph import Graph
from ..graph.order import arranged, shared
from .collecting import Collecting
from .condition_cases import CaseAsked, Cases, Path, Unfit
from .derivative import derivative
from .guarded import GuardedTerms
from .kernels import Kernels
from .knowledge import Knowledge, always_evaluated
from .monomial_sums import Swollen
from .terms import Term

_ALSO = 2  # orders of which both ways are tried
_LONG = 5000  # slots of a function whose first derivative is collected too
_SMALL = 400  # slots of a graph for which they are
_LARGEST = 50_000  # slots of a formula that is swept once more
_TOLD = 4  # orders that tell how formulas grow
_CASES = 12  # comparisons that tell cases apart
_CASES_OF_TERM = 6  # the same of a term of a sum that is differentiated for itself
_CASES_OF_TERMS = 80  # and of all of them
_PARTS = 100  # terms of a sum that are differentiated one by one
_ATTEMPTS = 4  # with fewer and fewer facts, at last with none


def formula(graph: Graph, wrt: Sequence[str], later: int = 0) -> Graph:
    """The derivative by one input after another, as people read it, under the names of the outputs.

    `later` as in `GuardedTerms`.
    """
    if not wrt:
        return graph
    ahead = later + len(wrt) - 1
    first = collected(graph, wrt[:1], ahead) if len(graph) > _LONG else None
    return further(derivative(graph, wrt[:1], later=ahead) if first is None else first, wrt[1:], later)


def further(graph: Graph, wrt: Sequence[str], later: int = 0) -> Graph:
    """The same of what is a derivative: with the terms of all orders collected, or swept again, whichever is shorter.

    Raises RequestError where formulas have grown beyond use.
    """
    try:
        found = collected(graph, wrt, later) if wrt else None
    except Swollen as swollen:
        if len(wrt) > _ALSO:
            raise _too_long(len(wrt) + 1, str(swollen)) from None
        found = None
    if found is not None and (len(wrt) > _ALSO or len(graph) > _SMALL) and not _has_cases(found):
        return found
    longest = len(found) if found is not None and len(wrt) > _ALSO else _LARGEST
    sizes: list[int] = []
    for k, name in enumerate(wrt, 1):
        sizes.append(len(graph))
        if _in_the_end(sizes, len(wrt)) > longest:
            if found is not None:
                return found
            raise _too_long(k, f"{len(graph)} operations")
        graph = derivative(graph, [name], later=later + len(wrt) - k)
    return found if found is not None and _shorter(found, graph) else graph


def _has_cases(graph: Graph) -> bool:
    return any(row is not None and row.route is not None for row in graph.rows)


def _shorter(one: Graph, other: Graph) -> bool:
    """Whether a graph is shorter than another one by more than an operation, and with names for its parts no longer."""
    steps, others = [sum(row is not None for row in graph.rows) for graph in (one, other)]
    return _length(one) < _length(other) - 1 and steps <= others


def _in_the_end(sizes: Sequence[int], last: int) -> float:
    """How long formulas of the last order will be if they grow on as they do: by a factor, or a power of the order."""
    k, now = len(sizes), sizes[-1]
    if k < _TOLD or not sizes[-3] < sizes[-2] < now:
        return now
    factor = now / sizes[-2]
    if factor * sizes[-3] >= sizes[-2]:  # no smaller than the one before
        return now * min(factor ** (last - k), 10.0**9)
    return now * math.exp(math.log(factor) * math.log(last / k) / math.log(k / (k - 1)))


def _too_long(order: int, length: str) -> RequestError:
    return RequestError(
        f"the derivative of order {order} already has {length}",
        help="ask for a lower order; adcli taylor computes high orders as numbers",
    )


def _length(graph: Graph) -> int:
    """How long the outputs are when they are written out."""
    sizes: list[int] = []
    for row, parents in zip(graph.rows, graph.parents, strict=True):
        sizes.append(min(10**9, sum(sizes[parent] for parent in parents) + (row is not None)))
    return sum(sizes[slot] for _, slot in graph.outputs)


def collected(graph: Graph, wrt: Sequence[str], later: int = 0) -> Graph | None:
    """The graph whose outputs are the derivatives by one input after another; None where they are no sums."""
    with pause_gc(len(graph)):
        return _all_collected(graph, wrt, later)


def _all_collected(graph: Graph, wrt: Sequence[str], later: int) -> Graph | None:
    copy = shared(graph)
    inputs = {name: slot for slot, name in copy.inputs.items()}
    outputs = []
    if not all(one in inputs for one in wrt):
        return None
    for name, slot in copy.outputs:
        found = _collected(copy, slot, [inputs[one] for one in wrt], later)
        if found is None:
            return None
        outputs.append((name, found))
    copy.outputs = outputs
    copy.aliases = {}
    return arranged(copy, "call", extra=graph.inputs.values())


def _collected(graph: Graph, slot: int, wrt: Sequence[int], later: int) -> int | None:
    """The slot of the derivative; None where there are conditions that are no comparisons, or too many.

    Where there are too many for the whole, the terms of a sum are differentiated one by one.
    """
    m = GuardedTerms(graph, (), later)
    parts = [slot]
    asked = _asked(m, parts, wrt, _CASES, _CASES)
    if asked is None:
        parts = _terms(m, slot)
        asked = _asked(m, parts, wrt, _CASES_OF_TERM, _CASES_OF_TERMS) if len(parts) > 1 else None
    if asked is None:
        return None
    derived = [_by_cases(m, part, wrt, tree) for part, tree in zip(parts, asked, strict=True)]
    total: Term = m.number(0)
    for found in derived:
        if found is None:
            return None
        total = m.add(total, m.term(found))
    return total.slot


def _asked(
    m: GuardedTerms, slots: Sequence[int], wrt: Sequence[int], each: int, all_of_them: int
) -> list[dict[Path, int]] | None:
    """The comparisons that tell the cases of slots apart, as far as the first of several orders asks, or slots alone.

    None where one of them has more than `each`, or all together more than `all_of_them`.
    """
    found: list[dict[Path, int]] = []
    for slot in slots:
        asked: dict[Path, int] = {}
        waiting: list[Path] = [()]
        while waiting:
            path = waiting.pop()
            try:
                _in_case(m, slot, wrt, path, min(1, len(wrt) - 1))
            except CaseAsked as undecided:
                asked[path] = undecided.slot
                waiting += _both(path, undecided.slot)
            except Unfit:
                return None
            if len(asked) > each or len(asked) + sum(map(len, found)) > all_of_them:
                return None
        found.append(asked)
    return found


def _by_cases(m: GuardedTerms, slot: int, wrt: Sequence[int], asked: dict[Path, int]) -> int | None:
    """The derivative, in each case that these comparisons tell apart, and others, as a choice between them."""
    found: dict[Path, int] = {}
    waiting: list[Path] = [()]
    while waiting:
        path = waiting.pop()
        if path not in asked:
            try:
                found[path] = _in_case(m, slot, wrt, path, len(wrt))
            except CaseAsked as undecided:
                asked[path] = undecided.slot
            except Unfit:
                return None
        if path in asked:
            waiting += _both(path, asked[path])
        if len(asked) > _CASES:
            return None
    for path in sorted(asked, key=len, reverse=True):
        branches = [m.term(found[way]) for way in _both(path, asked[path])]
        found[path] = _chosen(m, m.term(asked[path]), *branches)
    return found[()]


def _both(path: Path, comparison: int) -> tuple[Path, Path]:
    """The cases in which a comparison holds, and does not."""
    return (*path, (comparison, True)), (*path, (comparison, False))


def _chosen(m: GuardedTerms, condition: Term, a: Term, b: Term) -> int:
    """A choice; by two conditions at once where they choose between the same, by one where it tells the other."""
    inner = m.parts(a, "if")
    if inner and inner[2].slot == b.slot:
        condition, a = m.write("and", condition, inner[0]), inner[1]
    inner = m.parts(b, "if")
    if inner and inner[1].slot == a.slot:
        implied = _implied(m, condition, inner[0])
        condition, b = inner[0] if implied else m.write("or", condition, inner[0]), inner[2]
    return m.choose(condition, a, b).slot


def _implied(m: GuardedTerms, condition: Term, other: Term) -> bool:
    """Whether a comparison holds wherever another one does, and has a value in any case."""
    known, row = Knowledge(m.graph), m.graph.rows[other.slot]
    if row is None or not known.has_value(other.slot):
        return False
    inner = m.again()
    cases = Cases(inner, ((condition.slot, True),))
    inner.told = cases.told
    inner.knowledge = Knowledge(m.graph, here=cases.facts(known))
    compared = [inner.term(parent) for parent in m.graph.parents[other.slot]]
    return bool(row.truth and not row.truth_arguments) and inner.compare(row.name, *compared) is True


def _in_case(m: GuardedTerms, slot: int, wrt: Sequence[int], path: Path, orders: int) -> int:
    """The derivative where the comparisons of a case hold or not, the terms of all orders collected.

    Where fewer `orders` are asked for than wanted, these are tried and nothing is written.
    """
    m, graph, seen, later = m.again(), m.graph, m.knowledge.seen, m.later or 0
    here = Cases(m, path).facts(Knowledge(graph, seen=seen))
    without: set[int] = set()
    valued = True
    for attempt in range(_ATTEMPTS):
        last = attempt == _ATTEMPTS - 1
        cases = Cases(m, path)
        m.told = cases.told
        m.knowledge = Knowledge(graph, seen=seen, here=here)
        own = cases.resolved(slot)
        if not orders:
            return own
        always: Sequence[int] = () if last else always_evaluated(graph, [own])
        known = m.knowledge = Knowledge(
            graph, always, without=without, valued=always if valued else (), seen=seen, signs=True, here=here
        )
        kernels = Kernels(m, own, cases)
        form = kernels.form(own)
        for k, one in enumerate(wrt[:orders], 1):
            form = kernels.derived(form, one, later + len(wrt) - k)
        if orders < len(wrt):
            return own
        found = Collecting(kernels).written(form).slot
        evaluated = always_evaluated(graph, [found]) if known.used or known.trusted else ()
        asked = Knowledge(graph, evaluated if known.used else (), seen=seen, signs=True, here=here)
        lost = {used for used in known.used if not asked.of(used).within(known.of(used))}
        unsure = not known.trusted.issubset(evaluated)
        if not lost and not unsure:
            break
        without |= lost
        valued = valued and not unsure
    return found


def _terms(m: GuardedTerms, slot: int) -> list[int]:
    """Return the slots that a slot is the sum of, sums taken out of minus signs and products; none if there are many.

    More than `_PARTS` are many.
    """
    graph = m.graph
    terms: list[int] = []
    # With the operations on the way down, outermost last: each a row and the other argument, which a sign has not.
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
