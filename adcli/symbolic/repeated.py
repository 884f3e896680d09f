"""Derivatives of higher orders, the terms of all orders collected."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import RequestError
from ..graph.graph import Graph
from ..graph.order import arranged, shared
from ..graph.resting import resting
from .collecting import Collecting
from .derivative import derivative
from .guarded import GuardedTerms
from .kernels import Kernels, Swollen, Unfit
from .knowledge import Knowledge, always_evaluated

_ALSO = 2  # orders of which both ways are tried
_LONG = 5000  # slots of a function whose first derivative is collected too
_SMALL = 400  # slots of a graph for which they are
_LARGEST = 50_000  # slots of a formula that is swept once more
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
            raise _too_long(len(wrt), str(swollen)) from None
        found = None
    for k, name in enumerate(wrt, 1):
        if found is not None and (len(wrt) > _ALSO or len(graph) > _SMALL):
            return found
        if len(graph) > _LARGEST:
            raise _too_long(k, f"{len(graph)} operations")
        graph = derivative(graph, [name], later=later + len(wrt) - k)
    return found if found is not None and _shorter(found, graph) else graph


def _shorter(one: Graph, other: Graph) -> bool:
    """Whether a graph is shorter than another one by more than an operation, and with names for its parts no longer."""
    steps, others = [sum(row is not None for row in graph.rows) for graph in (one, other)]
    return _length(one) < _length(other) - 1 and steps <= others


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
    with resting(len(graph)):
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
    m = GuardedTerms(graph, (), later)
    always: Sequence[int] = always_evaluated(graph, [slot])
    valued = always
    without: set[int] = set()
    for attempt in range(_ATTEMPTS):
        if attempt == _ATTEMPTS - 1:
            always = valued = ()
        known = m.knowledge = Knowledge(
            graph, always, without=without, valued=valued, seen=m.knowledge.seen, signs=True
        )
        try:
            kernels = Kernels(m, slot)
            form = kernels.form(slot)
            for k, one in enumerate(wrt, 1):
                form = kernels.derived(form, one, later + len(wrt) - k)
            found = Collecting(kernels).written(form).slot
        except Unfit:
            return None
        evaluated = always_evaluated(graph, [found]) if known.used or known.trusted else ()
        asked = Knowledge(graph, evaluated if known.used else (), seen=known.seen, signs=True)
        lost = {used for used in known.used if not asked.of(used).within(known.of(used))}
        unsure = not known.trusted.issubset(evaluated)
        if not lost and not unsure:
            return found
        without |= lost
        valued = () if unsure else valued
    return found
