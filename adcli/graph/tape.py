"""The tape: values, partials and both sweeps over the slots of a graph, in any arithmetic.

Nothing is stored on the graph, so every sweep starts from zero.  The loops compute sums, differences and products
themselves; for all other rows the plan has a value function and partials.
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
    """The partial with respect to a branch not taken: a 0 that contributes nothing, even if the adjoint is infinite."""

    __slots__ = ()


class Unreached(float):
    """The derivative of a slot that a sweep did not reach: a 0 that contributes nothing to other slots."""

    __slots__ = ()


UNTAKEN: Final = Untaken()
_UNREACHED: Final = Unreached()
_FAULTS: Final = (ZeroDivisionError, ValueError, OverflowError)
_SUMS: Final = ((1, 1), (None, 1), (1, None))
_DIFFERENCES: Final = ((1, -1), (None, -1), (1, None))

# For a type checker values, tangents and adjoints are numbers of the arithmetic.  In fact a value is None if only a
# branch not taken needs it, which no output is, and the derivative of a slot that a sweep does not reach is a 0.
# Partials are Any: numbers of the arithmetic, integers, None or UNTAKEN, which every sweep distinguishes.
Gradients = list[tuple[Any, ...]]


# --- values ---


def evaluate(graph: Graph, m: Evaluating[T], point: Mapping[int, T]) -> list[T]:
    """Return the value of every slot in the arithmetic `m`; None for what only a branch not taken needs.

    `point` is {slot of an input: its value}.  Outside a domain a value is nan or infinite; `trace.faults` finds where.
    If the graph has branches, slots that no output needs may be None too.
    """
    return values_of(Plan(graph), m, point)


def values_of(plan: Plan, m: Evaluating[T], point: Mapping[int, T]) -> list[T]:
    """Return the value of every slot, as `evaluate` does, for a plan that is already built."""
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
    """Return the function of a slot that is not a leaf."""
    row = graph.rows[slot]
    assert row is not None  # something was computed there  # noqa: S101
    return row


def _quick(m: Evaluating[T]) -> Evaluating[T]:
    """Return the arithmetic for a fast loop: RAISING instead of FLOAT, else `m`.

    After an exception the loop computes that slot in `m` itself.
    """
    arithmetic: object = m
    return cast("Evaluating[T]", RAISING) if arithmetic is FLOAT else m


def leaves(graph: Graph, m: Evaluating[T], point: Mapping[int, T]) -> list[T | None]:
    """Return a list with the values of inputs (from `point`, by slot) and constants, and None in all other slots."""
    values: list[T | None] = [None] * len(graph)
    for slot, number in point.items():
        values[slot] = number
    for slot, constant in graph.constants.items():
        values[slot] = constant.read(m)
    return values


def on_demand(graph: Graph, m: Evaluating[T], values: list[T | None], outputs: Iterable[int]) -> list[T]:
    """Compute the values that the slots `outputs` need, conditions first, then only the branch taken.

    `values` has those of the leaves; it is filled in place and returned, with None for what is not needed.
    """
    rows, parents = graph.rows, graph.parents
    stack = [*outputs][::-1]
    while stack:
        slot = stack[-1]
        row = rows[slot]
        if row is None or values[slot] is not None:
            stack.pop()
            continue
        needed: Sequence[int] = parents[slot]
        if row.route is not None:
            first = values[needed[0]]
            needed = needed[:1] if first is None else [needed[0], *(needed[k] for k in row.route(first))]
        missing = [p for p in needed if values[p] is None]
        if missing:
            stack.extend(reversed(missing))
            continue
        values[slot] = apply(row, m, [values[p] for p in parents[slot]])  # type: ignore[misc]  # as for `evaluate`
        stack.pop()
    return cast("list[T]", values)


def literal_value(graph: Graph, m: Evaluating[T], slot: int) -> T:
    """Return the value of a literal slot; only the slots that it depends on are computed."""
    values: dict[int, T] = {}
    for s in postorder(slot, lambda k: graph.parents[k]):
        row = graph.rows[s]
        values[s] = graph.constants[s].read(m) if row is None else apply(row, m, [values[p] for p in graph.parents[s]])
    return values[slot]


# --- partials ---


def linearize(graph: Graph, m: Evaluating[T], values: Sequence[T | None]) -> Gradients:
    """Return for every slot the tuple of its partials with respect to its parents, by position.

    A partial is None if the parent is a literal or a condition, if the slot is a condition, or if the value of one
    is None; it is UNTAKEN for a branch not taken that has a value.  Leaves have an empty tuple, literals may have one.
    """
    return partials_of(Plan(graph), m, values)


def differentiated(graph: Graph, point: Mapping[int, float]) -> tuple[list[float], Gradients]:
    """Return (values, partials) in doubles, as of `evaluate` and `linearize`; `point` is {slot of an input: value}."""
    plan = Plan(graph)
    values = values_of(plan, FLOAT, point)
    return values, partials_of(plan, FLOAT, values)


def partials_of(plan: Plan, m: Evaluating[T], values: Sequence[T | None]) -> Gradients:
    """Return the partials of every slot, as `linearize` does, for a plan that is already built."""
    quick, kinds, of_slot = _quick(m), plan.kinds, plan.of_slot
    ruled, pairs, others = kinds.ruled, kinds.pairs, kinds.others
    if kinds.routed:
        of_slot = [others if z is None else kind for kind, z in zip(of_slot, values, strict=True)]
    _, slopes = kinds.bound(quick)
    gradients: Gradients = []
    append = gradients.append
    steps = zip(of_slot, plan.graph.parents, values, strict=True)
    while True:
        try:
            for kind, parents, z in steps:
                if kind < FUNCTIONS:
                    if kind < PRODUCTS:
                        append(_SUMS[kind])
                    elif kind < DIFFERENCES:
                        i, j = parents
                        silent_arguments = kind - PRODUCTS
                        append(
                            (None if silent_arguments == 1 else values[j], None if silent_arguments == 2 else values[i])
                        )
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
                    append(_partials_at(plan, m, values, len(gradients)))
            return gradients
        except _FAULTS:
            append(_partials_at(plan, m, values, len(gradients)))


def _partials_at(plan: Plan, m: Evaluating[T], values: Sequence[T | None], slot: int) -> tuple[T | float | None, ...]:
    """Return the partials of one slot in the arithmetic `m`, which never raises; see `linearize`.

    They are () for leaves and literals, and all None if the slot is a condition or has no value.
    """
    graph, silent, z = plan.graph, plan.silent, values[slot]
    row, parents = graph.rows[slot], graph.parents[slot]
    if row is None or graph.literal[slot]:
        return ()
    if z is None or row.truth:
        return (None,) * len(parents)
    arguments = cast("tuple[T, ...]", tuple([values[p] for p in parents]))  # None for a branch not taken
    needed = tuple([not silent[p] and values[p] is not None for p in parents])
    partials = partials_at(row, m, z, arguments, needed)
    if row.route is not None:
        taken = (0, *row.route(arguments[0]))
        return tuple([g if g is None or k in taken else UNTAKEN for k, g in enumerate(partials)])
    return tuple(partials)


# --- sweeps over partials ---


def tangents(graph: Graph, gradients: Gradients, seed: Mapping[int, T]) -> list[T]:
    """Forward sweep: return the tangent of every slot in the direction `seed`, {slot of an input: its tangent}.

    Slots that depend on no input with a nonzero seed keep the double 0, whatever their partials are.
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

    One forward sweep in doubles.
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
    """Reverse sweep: return the adjoint of every slot, that is the derivative of Σ seed[slot] · value[slot].

    Slots are visited in descending order, the parents of each from left to right, as in the paper's table.  A slot on
    which no slot in `seed` depends keeps a 0 of type Unreached.
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
    """Return (values of all slots, adjoints of all slots) in doubles: the vector–Jacobian product with the seed.

    `point` is {slot of an input: value} and `seed` {slot: its adjoint}.  Outside a domain a value is nan or infinite.
    """
    plan = Plan(graph)
    values = values_of(plan, FLOAT, point)
    return values, pulled_back(plan, FLOAT, values, seed)


def pulled_back(plan: Plan, m: Evaluating[T], values: Sequence[T], seed: Mapping[int, T]) -> list[T]:
    """Return the adjoints at these values, as `adjoints` does, without storing partials.

    They are computed when the sweep reaches their slot; only in graphs with conditions or branches they are stored.
    The adjoint of a literal is its seed, or an Unreached 0.
    """
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
    ahead = reversed(graph.parents)  # its length hint is the number of the present slot
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
                    _propagate_adjoint(plan, m, operator.length_hint(ahead), values, bars)
            break
        except _FAULTS:
            _propagate_adjoint(plan, m, operator.length_hint(ahead), values, bars)
    slot = graph.literal.find(1)
    while slot >= 0:  # the adjoints that products and sums gave to literals are discarded
        bars[slot] = 0.0 + seed.get(slot, unreached)
        slot = graph.literal.find(1, slot + 1)
    return bars


def _propagate_adjoint(plan: Plan, m: Evaluating[T], slot: int, values: Sequence[T | None], bars: list[T]) -> None:
    """Add the contributions of one slot to the adjoints `bars` of its parents, in place, in the arithmetic `m`."""
    for parent, slope in zip(plan.graph.parents[slot], _partials_at(plan, m, values, slot), strict=False):
        if slope is not None:
            bars[parent] += bars[slot] * slope
