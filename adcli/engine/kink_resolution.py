"""Resolution of kinks that points of a kernel lie on, one point at a time, as a single evaluation decides them."""

from __future__ import annotations

from collections.abc import Sequence

from ..graph.graph import Graph
from ..graph.tape import differentiated
from ..kinks.decision import Decision, decide, kinks_reached
from ..kinks.plain_corners import PlainCorners
from ..numbers.doubles import FLOAT


class KinkResolution:
    """The derivatives of a graph at points that reach kinks; second ones too with `hessian`."""

    __slots__ = ("_corners", "_graph", "_hessian")

    def __init__(self, graph: Graph, *, hessian: bool) -> None:
        self._graph = graph
        self._hessian = hessian
        self._corners = PlainCorners(graph)

    def at(self, point: dict[int, float]) -> tuple[list[list[float | None]] | None, bool]:
        """Return the derivatives at a point, given by slot, and whether all outputs are smooth there.

        The derivatives are a row for each output, in the order of a kernel's columns: first ones with respect to the
        inputs, then second ones; None for an entry, or for all of them, if the derivatives by convention remain.
        """
        graph = self._graph
        values, gradients = differentiated(graph, point)
        reached = kinks_reached(graph, FLOAT, values)
        if not reached or self._corners.has_all(values, gradients, reached):
            return None, not reached
        decision = decide(graph, reached, point)
        proven = any(decision.slopes(name, FLOAT) for name, _ in graph.outputs)
        if not decision.on_piece and not proven:
            return None, decision.is_decided and decision.all_smooth
        inputs = list(graph.inputs)
        rows: list[list[float | None]] = [list(row) for row in decision.jacobian(gradients)]
        if self._hessian:
            for row, (name, _) in zip(rows, graph.outputs, strict=True):
                row += _second(decision, name, inputs)
        return rows, decision.all_smooth


def _second(decision: Decision, output: str, inputs: Sequence[int]) -> list[float | None]:
    """Return second derivatives of an output by pairs of inputs: None each if it is not smooth, nan if it has none."""
    pairs = [(a, b) for k, a in enumerate(inputs) for b in inputs[k:]]
    if not decision.is_smooth(output):
        return [None] * len(pairs)
    entries = decision.second_derivatives(output, inputs)
    return [float(entries[pair]) if pair in entries else float("nan") for pair in pairs]
