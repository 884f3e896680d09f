"""adcli on the work of `work`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import adcli
from adcli.errors import Source
from adcli.expression import Expression
from adcli.graph.graph import Graph
from adcli.graph.tape import vjp
from adcli.language.program import Program
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


_FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "sin": lambda a, _: adcli.sin(a),
    "tanh": lambda a, _: adcli.tanh(a),
}


def by_nodes(found: Sequence[Operation]) -> list[float]:
    """Build and `backward()` with Nodes, as one writes it in Python."""
    nodes = [adcli.Node(x) for x in INPUTS]
    for name, a, b in found:
        nodes.append(_FUNCTIONS[name](nodes[a], nodes[b]))
    nodes[-1].backward()
    return [node.partial_derivative for node in nodes[: len(INPUTS)]]


def by_expression(steps: Recorded) -> list[float]:
    """The first `value_and_gradient` of an expression, from the operations on; parsing has a suite of its own."""
    graph = build(steps)
    graph.outputs.append(("y", len(graph) - 1))
    expression = Expression(Program(Source("y"), graph, [], frozenset(), ()))
    _, slopes = expression.value_and_gradient({f"x{k + 1}": x for k, x in enumerate(INPUTS)})
    return list(slopes.values())
