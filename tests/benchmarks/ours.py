"""adcli on the work of `work`."""

from __future__ import annotations

from collections.abc import Sequence

from adcli.graph.graph import Graph
from adcli.graph.tape import vjp
from adcli.table.primitive import ROWS, Primitive

from .work import INPUTS, Operation

Recorded = list[tuple[Primitive, tuple[int, ...]]]


def recorded(found: Sequence[Operation]) -> Recorded:
    """The operations as rows of the table with their parents."""
    return [(ROWS[name], (a, b) if ROWS[name].arity == 2 else (a,)) for name, a, b in found]


def build(steps: Recorded) -> Graph:
    """The graph of recorded operations."""
    graph = Graph()
    for number in range(len(INPUTS)):
        graph.input(f"x{number + 1}")
    apply = graph.apply
    for row, parents in steps:
        apply(row, parents)
    return graph


def gradient(steps: Recorded) -> list[float]:
    """Build, forward and reverse: the derivatives of the last operation by the inputs."""
    graph = build(steps)
    _, bars = vjp(graph, dict(enumerate(INPUTS)), {len(graph) - 1: 1.0})
    return [float(bar) for bar in bars[: len(INPUTS)]]
