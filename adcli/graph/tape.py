"""The engine: value, partials and both sweeps over the columns of a graph, in any arithmetic.

Nothing is stored on the graph, so every sweep starts from zero by construction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..calculus.algebra import FLOAT
from ..calculus.primitive import Primitive
from ..errors import DomainProblem
from .node import Graph
from .order import postorder

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
    rows = graph.rows
    if any(row is not None and row.route is not None for row in rows):
        return _evaluate_on_demand(graph, m, values)
    for slot, (row, parents) in enumerate(zip(rows, graph.parents, strict=True)):
        if row is None:
            continue
        try:
            if len(parents) == 2:
                values[slot] = row.value(m, values[parents[0]], values[parents[1]])
            else:
                values[slot] = row.value(m, *[values[p] for p in parents])
        except (ZeroDivisionError, ValueError, OverflowError):
            values[slot] = apply(row, m, [values[p] for p in parents])
    return values


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


def value_at(row: Primitive, numbers: tuple[float, ...]) -> float:
    """The value of one operation on doubles.  Raises DomainProblem where there is none."""
    broken = row.broken(FLOAT, numbers)
    if broken is not None:
        found = ", ".join(f"{number!r}" for number in numbers)
        raise DomainProblem(broken.title, label=f"{row.name} was given {found}")
    return float(apply(row, FLOAT, numbers))


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
    literal = graph.literal
    silent = bytearray(literal)
    for slot, row in enumerate(graph.rows):
        if values[slot] is None or (row is not None and row.truth):
            silent[slot] = 1
    gradients: Gradients = []
    for slot, parents in enumerate(graph.parents):
        row, z = graph.rows[slot], values[slot]
        if row is None or literal[slot]:
            gradients.append(())
        elif silent[slot]:
            gradients.append((None,) * len(parents))
        else:
            gradients.append(_partials(row, m, z, parents, values, silent))
    return gradients


def _partials(
    row: Primitive, m: Any, z: Any, parents: tuple[int, ...], values: Sequence[Any], silent: bytearray
) -> tuple[Any, ...]:
    rules = row.partials
    if row.smooth is None and isinstance(rules, tuple):  # the short way, for most rows
        try:
            if len(parents) == 2:
                first, second = parents
                a, b = values[first], values[second]
                left, right = rules
                return (
                    None if silent[first] else 0 if left is None else left(m, z, a, b),
                    None if silent[second] else 0 if right is None else right(m, z, a, b),
                )
            if len(parents) == 1:
                rule, only = rules[0], parents[0]
                return (None if silent[only] else 0 if rule is None else rule(m, z, values[only]),)
        except (ZeroDivisionError, OverflowError, ValueError):
            pass
    arguments = tuple([values[p] for p in parents])
    wanted = tuple([not silent[p] for p in parents])
    return tuple(partials_at(row, m, z, arguments, wanted))


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
    bars: list[Any] = [0.0] * len(graph)
    reached = bytearray(len(graph))
    for slot, number in seed.items():
        bars[slot] = bars[slot] + number
        reached[slot] = 1
    all_parents = graph.parents
    for slot in range(len(graph) - 1, -1, -1):
        if reached[slot]:
            bar = bars[slot]
            for parent, partial in zip(all_parents[slot], gradients[slot], strict=False):
                if partial is not None:
                    bars[parent] += bar * partial
                    reached[parent] = 1
    return bars
