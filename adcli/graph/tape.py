"""The tape of a graph: values, partials and both sweeps over its slots, in any arithmetic.

Nothing is stored on the graph, so every sweep starts from zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..numbers.doubles import FLOAT
from ..typings import TYPE_CHECKING, cast
from .graph import Graph
from .order import postorder
from .plan import UNREACHED, Plan, initial_adjoints
from .plan import UNTAKEN as UNTAKEN
from .plan import Gradients as Gradients
from .rules import value_of_slot

if TYPE_CHECKING:
    from ..table.arithmetic import Evaluating, T
    from ..table.primitive import Check


def evaluate(graph: Graph, m: Evaluating[T], point: Mapping[int, T]) -> list[T]:
    """Return the value of every slot in the arithmetic `m`; None for what only a branch not taken needs.

    `point` is {slot of an input: its value}.  Outside a domain a value is nan or infinite; `trace.faults` finds where.
    If the graph has branches, slots that no output needs may be None too.
    """
    return Plan(graph, m).values(point)


def literal_value(graph: Graph, m: Evaluating[T], slot: int) -> T:
    """Return the value of a literal slot; only the slots that it depends on are computed."""
    values: dict[int, T] = {}
    for s in postorder(slot, lambda k: graph.parents[k]):
        values[s] = value_of_slot(graph, m, s, values)
    return values[slot]


def linearize(graph: Graph, m: Evaluating[T], values: Sequence[T | None]) -> Gradients:
    """Return for every slot the tuple of its partials with respect to its parents, by position.

    A partial is None if the parent is a literal or a condition, if the slot is a condition, or if the value of one
    is None; it is UNTAKEN for a branch not taken that has a value.  Leaves and literals have an empty tuple.
    """
    return Plan(graph, m).partials(values)


def value_and_partials(graph: Graph, point: Mapping[int, float]) -> tuple[list[float], Gradients]:
    """Return (values, partials) in doubles, as of `evaluate` and `linearize`; `point` is {slot of an input: value}."""
    plan = Plan(graph, FLOAT)
    values = plan.values(point)
    return values, plan.partials(values)


def vjp(graph: Graph, point: Mapping[int, float], seed: Mapping[int, float]) -> tuple[list[float], list[float]]:
    """Return (values of all slots, adjoints of all slots) in doubles: the vector–Jacobian product with the seed.

    `point` is {slot of an input: value} and `seed` {slot: its adjoint}, perhaps of several slots, whose sum counts.
    Outside a domain a value is nan or infinite; slots of branches not taken have the value None.
    """
    plan = Plan(graph, FLOAT)
    values = plan.values(point)
    return values, pull_back(plan, values, seed)


def pull_back(plan: Plan[T], values: Sequence[T], seed: Mapping[int, T]) -> list[T]:
    """Return the adjoints of all slots at these values, by slot; `seed` is {slot: its adjoint}.

    Partials are stored only if the plan is conditional.
    """
    return adjoints(plan.graph, plan.partials(values), seed) if plan.conditional else plan.pull(values, seed)


# --- sweeps over partials ---


def faults(graph: Graph, values: Sequence[T | None], m: Evaluating[T]) -> Iterator[tuple[int, Check | None]]:
    """Yield (slot, check) for each faulty operation of a graph with these `values` (by slot, in `m`), in slot order.

    `check` is the first domain check that fails. It is None if the value is nan, or infinite although all arguments are
    finite (an overflow or a pole). Operations with a nan among their arguments are skipped, since the fault is in an
    earlier slot, or nan was an input. Operations without a value (None), in branches not taken, are skipped too.
    """
    finite = m.finite
    for slot, (row, z) in enumerate(zip(graph.rows, values, strict=True)):
        if row is None or z is None or (not row.domain and finite(z)):
            continue
        arguments = cast("tuple[T, ...]", tuple([values[p] for p in graph.parents[slot]]))
        known = [a for a in arguments if a is not None]
        if any(a != a for a in known):
            continue  # an input is nan, or the fault is in an earlier row
        broken = row.find_violation(m, arguments)
        if broken is not None or z != z or (not finite(z) and all(map(finite, known))):
            yield slot, broken


def tangents(graph: Graph, gradients: Gradients, seed: Mapping[int, T]) -> list[T]:
    """Forward sweep: return the tangent of every slot in the direction `seed`, {slot of an input: its tangent}.

    `gradients` are the partials by slot and argument; one that is None or UNTAKEN contributes nothing. Slots that
    depend on no input with a nonzero seed keep the double 0, whatever their partials are; one that depends on such an
    input counts as dependent, also if its tangent is 0.
    """
    dots = [cast("T", 0.0)] * len(graph)
    reached = bytearray(len(graph))
    for slot, number in seed.items():
        dots[slot] = number
        reached[slot] = bool(number != 0)  # type: ignore[comparison-overlap]  # it compares with plain numbers
    for slot, parents in enumerate(graph.parents):
        for parent, partial in zip(parents, gradients[slot], strict=False):
            if reached[parent] and partial is not None and partial is not UNTAKEN:
                dots[slot] += partial * dots[parent]
                reached[slot] = 1
    return dots


def tangents_by_input(graph: Graph, gradients: Gradients, slots: Iterable[int]) -> list[dict[int, float]]:
    """Return for every slot {key: derivative with respect to slot `key`}, for those of `slots` that it depends on.

    One forward sweep in doubles, with the partials `gradients` of `linearize`. A slot of `slots` has {itself: 1.0} and
    what its parents contribute; dependence through a partial that is None or UNTAKEN does not count, and a zero
    derivative is kept.
    """
    dots: list[dict[int, float]] = [{} for _ in graph.rows]
    for slot in slots:
        dots[slot] = {slot: 1.0}
    for slot_dots, parents, slopes in zip(dots, graph.parents, gradients, strict=True):
        for parent, slope in zip(parents, slopes, strict=False):
            if slope is not None and slope is not UNTAKEN:
                for key, dot in dots[parent].items():
                    slot_dots[key] = slot_dots.get(key, 0.0) + slope * dot
    return dots


def adjoints(graph: Graph, gradients: Gradients, seed: Mapping[int, T]) -> list[T]:
    """Return the adjoint of every slot in a reverse sweep: the derivative of Σ seed[slot] · value[slot].

    `gradients` are the partials by slot and argument; one that is None or UNTAKEN contributes nothing. Slots are
    visited in descending order, the parents of each from left to right, as in the paper's table. A slot that the sweep
    does not reach keeps a 0 of type Unreached.
    """
    bars = initial_adjoints(graph, seed)
    for bar, parents, slopes in zip(reversed(bars), reversed(graph.parents), reversed(gradients), strict=True):
        if bar is UNREACHED:
            continue
        for parent, slope in zip(parents, slopes, strict=False):
            if slope is not None and slope is not UNTAKEN:
                bars[parent] += bar * slope
    return bars
