"""Values and gradients at one point after another, where there is nothing to say beside the numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING

from ..graph.graph import Graph
from ..graph.order import dependents
from ..graph.plan import Plan
from ..graph.straight import Straight, straight
from ..graph.tape import pulled_back, values_of
from ..numbers.doubles import FLOAT
from .sweeping import without_sign_of_zero

if TYPE_CHECKING:
    from ..table.arithmetic import Predicate

_Check = tuple["Predicate", tuple[int, ...]]  # a condition, and what it is on


class Evaluator:
    """An arranged graph, ready for any number of points; it answers as a trace would, with the numbers alone.

    Where a trace has more to say (no value, a number too large, a name without a value or one too many, branches, a
    kink that a derivative meets), the answer is None.
    """

    __slots__ = (
        "_asked", "_checks", "_graph", "_kinks", "_lists", "_names", "_plan", "_silent", "inputs", "output", "outputs",
    )  # fmt: skip

    def __init__(self, graph: Graph) -> None:
        self.inputs = {name: slot for slot, name in graph.inputs.items()}
        self.outputs = graph.outputs
        self.output = graph.outputs[0][1]
        self._graph = graph
        self._plan = Plan(graph)
        self._names = list(self.inputs)
        self._asked: set[tuple[int, ...]] = set()
        self._lists: dict[tuple[int, ...], Straight | None] = {}
        rows = list(zip(graph.rows, graph.parents, strict=True))
        self._silent = not any(row is not None and (row.truth or row.route is not None) for row, _ in rows)
        self._checks: list[_Check] = list(
            dict.fromkeys((check.holds, parents) for row, parents in rows if row is not None for check in row.domain)
        )
        active = dependents(graph)
        self._kinks: list[_Check] = list(
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
        found = self.values(at)
        return None if found is None else found[0]

    def values(self, at: Mapping[str, float]) -> list[float] | None:
        """The values of all outputs, in order."""
        done, numbers = self._quick((), at)
        if done is not None:
            places = done.places
            return [numbers[places[slot]] + 0.0 for _, slot in self.outputs]
        values = self._values(at)
        return None if values is None else [without_sign_of_zero(values[slot]) for _, slot in self.outputs]

    def value_and_gradient(self, at: Mapping[str, float]) -> tuple[float, dict[str, float]] | None:
        """Value and gradient of the first output."""
        done, numbers = self._quick((self.output,), at)
        if done is not None:
            slopes = {name: numbers[place] + 0.0 for name, place in zip(self._names, done.rows[0], strict=True)}
            return numbers[done.places[self.output]] + 0.0, slopes
        found = self._slowly([self.output], at)
        return None if found is None else (found[0][0], dict(zip(self._names, found[1][0], strict=True)))

    def values_and_rows(self, at: Mapping[str, float]) -> tuple[list[float], list[list[float]]] | None:
        """The values of all outputs, and for each its derivatives by the inputs, all in order."""
        outputs = tuple([slot for _, slot in self.outputs])
        done, numbers = self._quick(outputs, at)
        if done is None:
            return self._slowly(outputs, at)
        places = done.places
        rows = [[numbers[place] + 0.0 for place in row] for row in done.rows]
        return [numbers[places[slot]] + 0.0 for slot in outputs], rows

    def _quick(self, outputs: tuple[int, ...], at: Mapping[str, float]) -> tuple[Straight | None, list[float]]:
        """The list for the derivatives of these outputs, and its registers after a run; None where that is no answer.

        It is made when it is asked for the second time.
        """
        done = self._lists.get(outputs)
        if done is None:
            if outputs in self._lists or not self._silent:
                return None, []
            if outputs not in self._asked:
                self._asked.add(outputs)
                return None, []
            checks = self._checks + (self._kinks if outputs else [])
            done = self._lists[outputs] = straight(self._graph, outputs, checks)
        if done is None or at.keys() != self.inputs.keys():
            return None, []
        numbers = done.run([float(at[name]) for name in self._names])
        return (None, []) if numbers is None else (done, numbers)

    def _slowly(self, outputs: Sequence[int], at: Mapping[str, float]) -> tuple[list[float], list[list[float]]] | None:
        """Values and derivatives of these outputs by sweeps over the graph."""
        values = self._values(at)
        if values is None or not all(holds(FLOAT, *[values[p] for p in parents]) for holds, parents in self._kinks):
            return None
        rows = []
        for output in outputs:
            bars = pulled_back(self._plan, FLOAT, values, {output: 1.0})
            rows.append([without_sign_of_zero(bars[slot]) for slot in self.inputs.values()])
        return [without_sign_of_zero(values[slot]) for slot in outputs], rows

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
