"""The engine: value, partials and both sweeps over the columns of a graph, in any arithmetic.

Nothing is stored on the graph, so every sweep starts from zero by construction.  The loops forward and back do sums,
differences and products themselves; for all else a plan tells them what a row comes to.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from ..numbers.doubles import FLOAT, RAISING
from ..table.primitive import Primitive
from .graph import Graph
from .order import postorder
from .plan import DIFFERENCES, FUNCTIONS, LEAF, PRODUCTS, Plan
from .rules import apply, partials_at

if TYPE_CHECKING:
    from ..table.arithmetic import Evaluating, T


class Untaken(float):
    """The partial by a branch not taken: a 0 that hands on nothing, not even of an infinity."""

    __slots__ = ()


class Unreached(float):
    """The derivative of a slot that a sweep did not come to: a 0 that is handed on to nobody."""

    __slots__ = ()


UNTAKEN: Final = Untaken()
_UNREACHED: Final = Unreached()
_FAULTS: Final = (ZeroDivisionError, ValueError, OverflowError)
_SUMS: Final = ((1, 1), (None, 1), (1, None))
_DIFFERENCES: Final = ((1, -1), (None, -1), (1, None))

# Values, tangents and adjoints count as numbers of the arithmetic to a checker.  Yet a value is None where only a
# branch not taken needs it, which no output is, and what a sweep has not come to has a double, 0, for its derivative.
# Partials are Any: besides numbers of the arithmetic whole numbers, None and UNTAKEN, which every sweep tells apart.
Gradients = list[tuple[Any, ...]]


# --- values ---


def evaluate(graph: Graph, m: Evaluating[T], point: Mapping[int, T]) -> list[T]:
    """The value of every slot in the arithmetic `m`; None for what only a branch not taken needs.

    `point` gives the inputs by slot.  Outside a domain a value is nan or infinite: `trace.faults` finds the place.
    """
    return values_of(Plan(graph), m, point)


def values_of(plan: Plan, m: Evaluating[T], point: Mapping[int, T]) -> list[T]:
    """As `evaluate`."""
    graph, kinds = plan.graph, plan.kinds
    known = leaves(graph, m, point)
    if kinds.routed:
        return on_demand(graph, m, known, [slot for _, slot in graph.outputs])
    pairs, others = kinds.pairs, kinds.others
    functions, _ = kinds.bound(_quick(m))
    values: list[T] = []
    append = values.append
    steps = zip(plan.of_slot, graph.parents, known, strict=True)
    while True:
        try:
            for kind, parents, leaf in steps:
                if kind < FUNCTIONS:
                    if kind < PRODUCTS:
                        i, j = parents
                        append(values[i] + values[j])
                    elif kind < DIFFERENCES:
                        i, j = parents
                        append(values[i] * values[j])
                    elif kind < LEAF:
                        i, j = parents
                        append(values[i] - values[j])
                    else:
                        append(leaf)  # type: ignore[arg-type]  # every leaf has one
                elif kind < pairs:
                    append(functions[kind](values[parents[0]]))
                elif kind < others:
                    i, j = parents
                    append(functions[kind](values[i], values[j]))
                else:
                    append(functions[kind](*[values[i] for i in parents]))
            return values
        except _FAULTS:
            append(apply(_row(graph, len(values)), m, [values[i] for i in graph.parents[len(values)]]))


def _row(graph: Graph, slot: int) -> Primitive:
    """The function of a slot that is no leaf."""
    row = graph.rows[slot]
    assert row is not None  # something was computed there  # noqa: S101
    return row


def _quick(m: Evaluating[T]) -> Evaluating[T]:
    """The arithmetic for a loop that turns to `m` itself where this one raises."""
    mine: object = m
    return cast("Evaluating[T]", RAISING) if mine is FLOAT else m


def leaves(graph: Graph, m: Evaluating[T], point: Mapping[int, T]) -> list[T | None]:
    """The values of inputs and constants; None elsewhere."""
    values: list[T | None] = [None] * len(graph)
    for slot, number in point.items():
        values[slot] = number
    for slot, constant in graph.constants.items():
        values[slot] = constant.read(m)
    return values


def on_demand(graph: Graph, m: Evaluating[T], values: list[T | None], outputs: Iterable[int]) -> list[T]:
    """The values that these slots need, from those of the leaves: conditions first, then only the branch taken."""
    rows, parents = graph.rows, graph.parents
    stack = [*outputs][::-1]
    while stack:
        slot = stack[-1]
        row = rows[slot]
        if row is None or values[slot] is not None:
            stack.pop()
            continue
        wanted: Sequence[int] = parents[slot]
        if row.route is not None:
            first = values[wanted[0]]
            wanted = wanted[:1] if first is None else [wanted[0], *(wanted[k] for k in row.route(first))]
        missing = [p for p in wanted if values[p] is None]
        if missing:
            stack.extend(reversed(missing))
            continue
        values[slot] = apply(row, m, [values[p] for p in parents[slot]])  # type: ignore[misc]  # as for `evaluate`
        stack.pop()
    return cast("list[T]", values)


def literal_value(graph: Graph, m: Evaluating[T], slot: int) -> T:
    """The number that a literal slot stands for, without a look at the rest of the graph."""
    values: dict[int, T] = {}
    for s in postorder(slot, lambda k: graph.parents[k]):
        row = graph.rows[s]
        values[s] = graph.constants[s].read(m) if row is None else apply(row, m, [values[p] for p in graph.parents[s]])
    return values[slot]


# --- partials ---


def linearize(graph: Graph, m: Evaluating[T], values: Sequence[T | None]) -> Gradients:
    """The partials of every slot with respect to its parents, by position.

    None stands where nothing is asked: for a literal, for a condition, and for what only a branch not taken needs;
    UNTAKEN by such a branch, which must contribute nothing even where an adjoint is infinite.
    """
    return partials_of(Plan(graph), m, values)


def differentiated(graph: Graph, point: Mapping[int, float]) -> tuple[list[float], Gradients]:
    """What `evaluate` and `linearize` say in doubles."""
    plan = Plan(graph)
    values = values_of(plan, FLOAT, point)
    return values, partials_of(plan, FLOAT, values)


def partials_of(plan: Plan, m: Evaluating[T], values: Sequence[T | None]) -> Gradients:
    """As `linearize`."""
    quick, kinds, of_slot = _quick(m), plan.kinds, plan.of_slot
    ruled, pairs, others = kinds.ruled, kinds.pairs, kinds.others
    if kinds.routed:
        of_slot = [others if z is None else kind for kind, z in zip(of_slot, values, strict=True)]
    _, slopes = kinds.bound(quick)
    found: Gradients = []
    append = found.append
    steps = zip(of_slot, plan.graph.parents, values, strict=True)
    while True:
        try:
            for kind, parents, z in steps:
                if kind < FUNCTIONS:
                    if kind < PRODUCTS:
                        append(_SUMS[kind])
                    elif kind < DIFFERENCES:
                        i, j = parents
                        asked = kind - PRODUCTS
                        append((None if asked == 1 else values[j], None if asked == 2 else values[i]))
                    elif kind < LEAF:
                        append(_DIFFERENCES[kind - DIFFERENCES])
                    else:
                        append(())
                elif kind < ruled:
                    append((slopes[kind](values[parents[0]]),))
                elif kind < pairs:
                    append((slopes[kind](quick, z, values[parents[0]]),))
                elif kind < others:
                    i, j = parents
                    left, right = slopes[kind]
                    a, b = values[i], values[j]
                    append((left and left(quick, z, a, b), right and right(quick, z, a, b)))
                else:
                    append(_partials_at(plan, m, values, len(found)))
            return found
        except _FAULTS:
            append(_partials_at(plan, m, values, len(found)))


def _partials_at(plan: Plan, m: Evaluating[T], values: Sequence[T | None], slot: int) -> tuple[T | float | None, ...]:
    """The partials of one slot by its row, in the arithmetic that never raises."""
    graph, silent, z = plan.graph, plan.silent, values[slot]
    row, parents = graph.rows[slot], graph.parents[slot]
    if row is None or graph.literal[slot]:
        return ()
    if z is None or row.truth:
        return (None,) * len(parents)
    arguments = cast("tuple[T, ...]", tuple([values[p] for p in parents]))  # by a branch not taken nothing is wanted
    wanted = tuple([not silent[p] and values[p] is not None for p in parents])
    found = partials_at(row, m, z, arguments, wanted)
    if row.route is not None:
        taken = (0, *row.route(arguments[0]))
        return tuple([g if g is None or k in taken else UNTAKEN for k, g in enumerate(found)])
    return tuple(found)


# --- sweeps over partials ---


def tangents(graph: Graph, gradients: Gradients, seed: Mapping[int, T]) -> list[T]:
    """Forward sweep: the directional derivative of every slot when the inputs move by `seed` (by slot).

    Slots that depend on no seeded input take no part and keep a zero.
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
    """One forward sweep for many inputs: of every slot its derivatives by those of these slots that it depends on."""
    dots: list[dict[int, float]] = [{} for _ in graph.rows]
    for slot in slots:
        dots[slot] = {slot: 1.0}
    for found, parents, slopes in zip(dots, graph.parents, gradients, strict=True):
        for parent, slope in zip(parents, slopes, strict=False):
            if slope is not None and slope is not UNTAKEN:
                for key, dot in dots[parent].items():
                    found[key] = found.get(key, 0.0) + slope * dot
    return dots


def adjoints(graph: Graph, gradients: Gradients, seed: Mapping[int, T]) -> list[T]:
    """Reverse sweep: the derivative of the seeded combination of slots with respect to every slot.

    Slots are visited in decreasing number, the parents of each from left to right, as in the paper's table.  Slots that
    no seeded one depends on take no part and keep a zero.
    """
    unreached = cast("T", _UNREACHED)
    bars = [unreached] * len(graph)
    for slot, number in seed.items():
        bars[slot] = bars[slot] + number
    for bar, parents, slopes in zip(reversed(bars), reversed(graph.parents), reversed(gradients), strict=True):
        if bar is unreached:
            continue
        if len(slopes) == 2:
            first, second = parents
            left, right = slopes
            if left is not None:
                bars[first] += bar * left
            if right is not None:
                bars[second] += bar * right
        else:
            for parent, slope in zip(parents, slopes, strict=False):
                if slope is not None and slope is not UNTAKEN:
                    bars[parent] += bar * slope
    return bars


# --- value and adjoints alone ---


def vjp(graph: Graph, point: Mapping[int, float], seed: Mapping[int, float]) -> tuple[list[float], list[float]]:
    """The values of all slots in doubles, and the derivatives of the seeded combination of slots by every slot.

    This is the vector–Jacobian product with the seed; `point` and `seed` go by slot.  Outside a domain a value is nan
    or infinite.
    """
    plan = Plan(graph)
    values = values_of(plan, FLOAT, point)
    return values, pulled_back(plan, FLOAT, values, seed)


def pulled_back(plan: Plan, m: Evaluating[T], values: Sequence[T], seed: Mapping[int, T]) -> list[T]:
    """What `adjoints` says of these values, with no partials kept: they are worked out where the sweep needs them."""
    graph, kinds = plan.graph, plan.kinds
    if kinds.truths or kinds.routed:
        return adjoints(graph, partials_of(plan, m, values), seed)
    quick = _quick(m)
    ruled, pairs, others = kinds.ruled, kinds.pairs, kinds.others
    _, slopes = kinds.bound(quick)
    unreached = cast("T", _UNREACHED)
    bars = [unreached] * len(graph)
    for slot, number in seed.items():
        bars[slot] = bars[slot] + number
    ahead = reversed(graph.parents)  # as many slots are still to come as it has left
    steps = zip(reversed(plan.of_slot), ahead, reversed(bars), reversed(values), strict=True)
    while True:
        try:
            for kind, parents, bar, z in steps:
                if bar is unreached:
                    continue
                if kind < FUNCTIONS:
                    if kind < PRODUCTS:
                        i, j = parents
                        bars[i] += bar
                        bars[j] += bar
                    elif kind < DIFFERENCES:
                        i, j = parents
                        bars[i] += bar * values[j]
                        bars[j] += bar * values[i]
                    elif kind < LEAF:
                        i, j = parents
                        bars[i] += bar
                        bars[j] -= bar
                elif kind < ruled:
                    (i,) = parents
                    bars[i] += bar * slopes[kind](values[i])
                elif kind < pairs:
                    (i,) = parents
                    bars[i] += bar * slopes[kind](quick, z, values[i])
                elif kind < others:
                    i, j = parents
                    left, right = slopes[kind]
                    a, b = values[i], values[j]
                    first, second = left and left(quick, z, a, b), right and right(quick, z, a, b)
                    if left:
                        bars[i] += bar * first
                    if right:
                        bars[j] += bar * second
                else:
                    _hand_down(plan, m, operator.length_hint(ahead), values, bars)
            break
        except _FAULTS:
            _hand_down(plan, m, operator.length_hint(ahead), values, bars)
    slot = graph.literal.find(1)
    while slot >= 0:  # products and sums hand something down to literals too, which nobody asked for
        bars[slot] = 0.0 + seed.get(slot, unreached)
        slot = graph.literal.find(1, slot + 1)
    return bars


def _hand_down(plan: Plan, m: Evaluating[T], slot: int, values: Sequence[T | None], bars: list[T]) -> None:
    """The step back at one slot, in the arithmetic that never raises."""
    for parent, slope in zip(plan.graph.parents[slot], _partials_at(plan, m, values, slot), strict=False):
        if slope is not None:
            bars[parent] += bars[slot] * slope
