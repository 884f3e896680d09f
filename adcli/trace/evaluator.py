"""Values and gradients at one point after another, where there is nothing to say beside the numbers."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

from ..graph.graph import Graph
from ..graph.order import dependents
from ..graph.plan import Plan
from ..graph.tape import pulled_back, values_of
from ..numbers.doubles import FLOAT
from .sweeping import without_sign_of_zero


class Evaluator:
    """An arranged graph, ready for any number of points; it answers as a trace would, with the numbers alone.

    Where a trace has more to say (no value, a number too large, a name without a value or one too many, branches, a
    kink that a derivative meets), the answer is None.
    """

    __slots__ = ("_checks", "_kinks", "_plan", "_silent", "inputs", "output", "outputs")

    def __init__(self, graph: Graph) -> None:
        self.inputs = {name: slot for slot, name in graph.inputs.items()}
        self.outputs = graph.outputs
        self.output = graph.outputs[0][1]
        self._plan = Plan(graph)
        rows = list(zip(graph.rows, graph.parents, strict=True))
        self._silent = not any(row is not None and (row.truth or row.route is not None) for row, _ in rows)
        self._checks = [
            (check.holds, parents) for row, parents in rows if row is not None for check in row.domain
        ]  # fmt: skip
        active = dependents(graph)
        self._kinks = list(
            dict.fromkeys(
                (kink.holds, parents)
                for row, parents in rows
                if row is not None and row.smooth is not None
                for position, parent in enumerate(parents)
                if active[parent] and (kink := row.kink(position)) is not None
            )
        )

    def value(self, at: Mapping[str, float]) -> float | None:
        """The value of the first output."""
        values = self._values(at)
        return None if values is None else without_sign_of_zero(values[self.output])

    def value_and_gradient(self, at: Mapping[str, float]) -> tuple[float, dict[str, float]] | None:
        """Value and gradient of the first output."""
        values = self._values(at)
        if values is None or self._met(values):
            return None
        return without_sign_of_zero(values[self.output]), self._gradient(values, self.output)

    def jacobian(self, at: Mapping[str, float]) -> dict[str, dict[str, float]] | None:
        """The gradient of every output, by output and input."""
        values = self._values(at)
        if values is None or self._met(values):
            return None
        return {name: self._gradient(values, slot) for name, slot in self.outputs}

    def _met(self, values: list[float]) -> bool:
        """Whether a kink is met exactly."""
        return not all(holds(FLOAT, *[values[p] for p in parents]) for holds, parents in self._kinks)

    def _gradient(self, values: list[float], output: int) -> dict[str, float]:
        bars = pulled_back(self._plan, FLOAT, values, {output: 1.0})
        return {name: without_sign_of_zero(bars[slot]) for name, slot in self.inputs.items()}

    def _values(self, at: Mapping[str, float]) -> list[float] | None:
        if not self._silent or at.keys() != self.inputs.keys():
            return None
        values = values_of(self._plan, FLOAT, {slot: float(at[name]) for name, slot in self.inputs.items()})
        if not all(map(isfinite, values)):
            return None
        for holds, parents in self._checks:
            if not holds(FLOAT, *[values[p] for p in parents]):
                return None
        return values
