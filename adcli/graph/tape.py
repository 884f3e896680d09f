"""The engine: value, partials and both sweeps over the columns of a graph, in any arithmetic.

Nothing is stored on the graph, so every sweep starts from zero by construction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from ..numbers.algebra import FLOAT, RAISING
from ..table.primitive import Primitive
from .graph import Graph
from .order import postorder
from .rules import Partials, apply, by_row, partials, partials_at, value

Gradients = list[tuple[Any, ...]]
UNTAKEN = float(
    "0"
)  # this very object is the partial by a branch not taken, which hands on nothing even of an infinity


def evaluate(graph: Graph, m: Any, point: Mapping[int, Any]) -> list[Any]:
    """The value of every slot in the arithmetic `m`; None for what only a branch not taken needs.

    `point` gives the inputs by slot.  Outside a domain a value is nan or infinite: `trace.faults` finds the place.
    """
    values = leaves(graph, m, point)
    found = set(graph.rows)
    if any(row is not None and row.route is not None for row in found):
        return _evaluate_on_demand(graph, m, values)
    functions = by_row(found, value, _quick(m))
    for slot, (row, parents) in enumerate(zip(graph.rows, graph.parents, strict=True)):
        if row is None:
            continue
        try:
            if len(parents) == 2:
                a, b = parents
                values[slot] = functions[row](values[a], values[b])
            elif len(parents) == 1:
                values[slot] = functions[row](values[parents[0]])
            else:
                values[slot] = functions[row](*[values[p] for p in parents])
        except (ZeroDivisionError, ValueError, OverflowError):
            values[slot] = apply(row, m, [values[p] for p in parents])
    return values


def leaves(graph: Graph, m: Any, point: Mapping[int, Any]) -> list[Any]:
    """The values of inputs and constants; None elsewhere."""
    values: list[Any] = [None] * len(graph)
    for slot, number in point.items():
        values[slot] = number
    for slot, constant in graph.constants.items():
        values[slot] = constant.read(m)
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
    rules = by_row(set(graph.rows), partials, _quick(m))
    gradients: Gradients = []
    for slot, (row, parents) in enumerate(zip(graph.rows, graph.parents, strict=True)):
        if row is None or graph.literal[slot]:
            gradients.append(())
        elif silent[slot]:
            gradients.append((None,) * len(parents))
        else:
            arguments = tuple([values[p] for p in parents])
            wanted = tuple([not silent[p] for p in parents])
            found = _gradient(row, rules[row], m, values[slot], arguments, wanted)
            if row.route is not None:
                taken = (0, *row.route(arguments[0]))
                found = tuple([g if g is None or k in taken else UNTAKEN for k, g in enumerate(found)])
            gradients.append(found)
    return gradients


def differentiated(graph: Graph, point: Mapping[int, Any]) -> tuple[list[Any], Gradients]:
    """What `evaluate` and `linearize` say in doubles, in one pass where every operation is to be computed."""
    found = set(graph.rows)
    if any(row is not None and (row.truth or row.route is not None) for row in found):
        values = evaluate(graph, FLOAT, point)
        return values, linearize(graph, FLOAT, values)
    values = leaves(graph, FLOAT, point)
    gradients: Gradients = [()] * len(graph)
    literal = graph.literal
    quiet = literal.find(1) < 0
    rules = by_row(found, _fused, RAISING)
    for slot, (row, parents) in enumerate(zip(graph.rows, graph.parents, strict=True)):
        if row is None:
            continue
        function, rule, always, together, each = rules[row]
        try:
            if len(parents) == 2:
                i, j = parents
                a, b = values[i], values[j]
                values[slot] = z = function(a, b)
                if quiet or not (literal[i] or literal[j]):
                    gradients[slot] = always or together(z, a, b)
                    continue
                if literal[j] and each and not literal[i]:
                    gradients[slot] = (each[0](RAISING, z, a, b), None)
                    continue
                if literal[i] and each and not literal[j]:
                    gradients[slot] = (None, each[1](RAISING, z, a, b))
                    continue
            elif len(parents) == 1:
                a = values[parents[0]]
                values[slot] = z = function(a)
                if quiet or not literal[parents[0]]:
                    gradients[slot] = together(z, a)
                    continue
            else:
                values[slot] = function(*[values[p] for p in parents])
        except (ZeroDivisionError, ValueError, OverflowError):
            values[slot] = apply(row, FLOAT, [values[p] for p in parents])
        if not literal[slot]:
            arguments = tuple([values[p] for p in parents])
            wanted = tuple([not literal[p] for p in parents])
            gradients[slot] = _gradient(row, rule, FLOAT, values[slot], arguments, wanted)
    return values, gradients


@lru_cache(maxsize=1024)
def _fused(row: Primitive, m: Any) -> tuple[Any, ...]:
    """The value, and the partials: as an object, where they are the same always, together, and one at a time."""
    found = partials(row, m)
    if found is None:
        return value(row, m), None, None, lambda z, *a: tuple(row.gradient(m, z, a, (True,) * len(a))), None
    return value(row, m), found, found.always, found.all, found.each


def _silent(graph: Graph, values: Sequence[Any]) -> bytearray:
    """1 for each slot that no derivative is asked of: literals, conditions, and what only a branch not taken needs."""
    silent = bytearray(graph.literal)
    if any(row is not None and (row.truth or row.route is not None) for row in set(graph.rows)):
        for slot, row in enumerate(graph.rows):
            if values[slot] is None or (row is not None and row.truth):
                silent[slot] = 1
    return silent


def _gradient(
    row: Primitive, found: Partials | None, m: Any, z: Any, arguments: tuple[Any, ...], wanted: tuple[bool, ...]
) -> tuple[Any, ...]:
    """The partials of one operation by its rules one at a time, None where not wanted."""
    if found is None:
        return tuple(partials_at(row, m, z, arguments, wanted))
    quick = _quick(m)
    try:
        return tuple(
            [rule(quick, z, *arguments) if wish else None for rule, wish in zip(found.each, wanted, strict=True)]
        )
    except (ZeroDivisionError, OverflowError, ValueError):
        return tuple(partials_at(row, m, z, arguments, wanted))


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
            if reached[parent] and partial is not None and partial is not UNTAKEN:
                dots[slot] += partial * dots[parent]
                reached[slot] = 1
    return dots


def tangents_by_input(graph: Graph, gradients: Gradients, slots: Iterable[int]) -> list[dict[int, Any]]:
    """One forward sweep for many inputs: of every slot its derivatives by those of these slots that it depends on."""
    dots: list[dict[int, Any]] = [{} for _ in graph.rows]
    for slot in slots:
        dots[slot] = {slot: 1.0}
    for found, parents, slopes in zip(dots, graph.parents, gradients, strict=True):
        for parent, slope in zip(parents, slopes, strict=False):
            if slope is not None and slope is not UNTAKEN:
                for key, dot in dots[parent].items():
                    found[key] = found.get(key, 0.0) + slope * dot
    return dots


def adjoints(graph: Graph, gradients: Gradients, seed: Mapping[int, Any]) -> list[Any]:
    """Reverse sweep: the derivative of the seeded combination of slots with respect to every slot.

    Slots are visited in decreasing number, the parents of each from left to right, as in the paper's table.  Slots that
    no seeded one depends on take no part and keep a zero.
    """
    untouched = 0.0  # a slot that still holds this very object was not reached
    bars: list[Any] = [untouched] * len(graph)
    for slot, number in seed.items():
        bars[slot] = bars[slot] + number
    for bar, parents, slopes in zip(reversed(bars), reversed(graph.parents), reversed(gradients), strict=True):
        if bar is untouched:
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
