"""The engine: value, partials and both sweeps over the columns of a graph, in any arithmetic.

Nothing is stored on the graph, so every sweep starts from zero by construction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..calculus.algebra import FLOAT, RAISING
from ..calculus.primitive import Primitive
from .node import Graph
from .order import postorder
from .rules import by_row, partials, value

Gradients = list[tuple[Any, ...]]


def evaluate(graph: Graph, m: Any, point: Mapping[int, Any]) -> list[Any]:
    """The value of every slot in the arithmetic `m`; None for what only a branch not taken needs.

    `point` gives the inputs by slot.  Outside a domain a value is nan or infinite: `trace.faults` finds the place.
    """
    values: list[Any] = [None] * len(graph)
    for slot, number in point.items():
        values[slot] = number
    for slot, constant in graph.constants.items():
        values[slot] = constant.read(m)
    found = set(graph.rows)
    if any(row is not None and row.route is not None for row in found):
        return _evaluate_on_demand(graph, m, values)
    functions = by_row(found, value, _quick(m))
    for slot, (function, parents) in enumerate(zip(map(functions.__getitem__, graph.rows), graph.parents, strict=True)):
        if function is None:
            continue
        try:
            if len(parents) == 2:
                a, b = parents
                values[slot] = function(values[a], values[b])
            elif len(parents) == 1:
                values[slot] = function(values[parents[0]])
            else:
                values[slot] = function(*[values[p] for p in parents])
        except (ZeroDivisionError, ValueError, OverflowError):
            values[slot] = apply(graph.rows[slot], m, [values[p] for p in parents])
    return values


def _quick(m: Any) -> Any:
    """The arithmetic for a loop that turns to `m` itself where this one raises."""
    return RAISING if m is FLOAT else m


def literal_value(graph: Graph, m: Any, slot: int) -> Any:
    """The number that a literal slot stands for, without a look at the rest of the graph."""
    values: dict[int, Any] = {}
    for s in postorder(slot, lambda k: graph.parents[k]):
        row = graph.rows[s]
        values[s] = graph.constants[s].read(m) if row is None else apply(row, m, [values[p] for p in graph.parents[s]])
    return values[slot]


def apply(row: Primitive, m: Any, arguments: Sequence[Any]) -> Any:
    """The value of one operation; nan or an infinity where the arithmetic itself would raise."""
    try:
        return row.value(m, *arguments)
    except (ZeroDivisionError, ValueError):
        return m.undefined
    except OverflowError:
        return m.one * float("inf")


def _evaluate_on_demand(graph: Graph, m: Any, values: list[Any]) -> list[Any]:
    """As `evaluate`, but conditions first, and then only the branch that is taken."""
    rows, parents = graph.rows, graph.parents
    stack = [slot for _, slot in reversed(graph.outputs)]
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
        values[slot] = apply(row, m, [values[p] for p in parents[slot]])
        stack.pop()
    return values


def linearize(graph: Graph, m: Any, values: Sequence[Any]) -> Gradients:
    """The partials of every slot with respect to its parents, by position.

    None stands where nothing is asked: for a literal, for a condition, and for a branch not taken, which must
    contribute nothing even where an adjoint is infinite.
    """
    silent = _silent(graph, values)
    quiet = silent.find(1) < 0
    quick = _quick(m)
    rules = by_row(set(graph.rows), partials, quick)
    gradients: Gradients = []
    append = gradients.append
    for row, parents, z, still in zip(graph.rows, graph.parents, values, silent, strict=True):
        if still or row is None:
            append((None,) * len(parents))
            continue
        found = rules[row]
        try:
            if found is None:
                pass
            elif len(parents) == 2:
                a, b = parents
                if quiet or not (silent[a] or silent[b]):
                    append(found.always or found.all(z, values[a], values[b]))
                    continue
                x, y = values[a], values[b]
                left, right = found.each
                append((None if silent[a] else left(quick, z, x, y), None if silent[b] else right(quick, z, x, y)))
                continue
            elif quiet or not silent[parents[0]]:
                append(found.all(z, values[parents[0]]))
                continue
        except (ZeroDivisionError, OverflowError, ValueError):
            pass
        wanted = tuple([not silent[p] for p in parents])
        append(tuple(partials_at(row, m, z, tuple([values[p] for p in parents]), wanted)))
    for slot, fixed in enumerate(graph.literal):
        if fixed:
            gradients[slot] = ()
    return gradients


def _silent(graph: Graph, values: Sequence[Any]) -> bytearray:
    """1 for each slot that no derivative is asked of: literals, conditions, and what only a branch not taken needs."""
    silent = bytearray(graph.literal)
    if any(row is not None and (row.truth or row.route is not None) for row in set(graph.rows)):
        for slot, row in enumerate(graph.rows):
            if values[slot] is None or (row is not None and row.truth):
                silent[slot] = 1
    return silent


def partials_at(row: Primitive, m: Any, z: Any, arguments: tuple[Any, ...], wanted: tuple[bool, ...]) -> list[Any]:
    """The partials of one operation at a point; undefined ones where the arithmetic itself would raise."""
    try:
        partials: list[Any] = row.gradient(m, z, arguments, wanted)
    except (ZeroDivisionError, OverflowError, ValueError):
        # One rule at a time, so that a partial without a number does not take the others with it.
        partials = []
        for position, wish in enumerate(wanted):
            alone = tuple(k == position and wish for k in range(len(wanted)))
            try:
                partials.append(row.gradient(m, z, arguments, alone)[position])
            except (ZeroDivisionError, OverflowError, ValueError):
                partials.append(m.undefined)
    return partials


def tangents(graph: Graph, gradients: Gradients, seed: Mapping[int, Any]) -> list[Any]:
    """Forward sweep: the directional derivative of every slot when the inputs move by `seed` (by slot).

    Slots that depend on no seeded input take no part and keep a zero.
    """
    dots: list[Any] = [0.0] * len(graph)
    reached = bytearray(len(graph))
    for slot, number in seed.items():
        dots[slot] = number
        reached[slot] = number != 0
    for slot, parents in enumerate(graph.parents):
        for parent, partial in zip(parents, gradients[slot], strict=False):
            if reached[parent] and partial is not None:
                dots[slot] += partial * dots[parent]
                reached[slot] = 1
    return dots


def adjoints(graph: Graph, gradients: Gradients, seed: Mapping[int, Any]) -> list[Any]:
    """Reverse sweep: the derivative of the seeded combination of slots with respect to every slot.

    Slots are visited in decreasing number, the parents of each from left to right, as in the paper's table.  Slots that
    no seeded one depends on take no part and keep a zero.
    """
    untouched = float(0)
    bars: list[Any] = [untouched] * len(graph)
    for slot, number in seed.items():
        bars[slot] = bars[slot] + number
    for bar, parents, partials in zip(reversed(bars), reversed(graph.parents), reversed(gradients), strict=True):
        if bar is untouched:
            continue
        if len(partials) == 2:
            first, second = parents
            left, right = partials
            if left is not None:
                bars[first] += bar * left
            if right is not None:
                bars[second] += bar * right
        else:
            for parent, partial in zip(parents, partials, strict=False):
                if partial is not None:
                    bars[parent] += bar * partial
    return bars
