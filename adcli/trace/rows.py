"""Rows and steps of a trace, written from the numbers of its sweeps."""

from __future__ import annotations

from collections.abc import Sequence

from ..graph.graph import Graph
from ..graph.order import heights
from ..graph.tape import Gradients, literal_value
from ..notation.display_formula import Formula
from ..notation.table_formulas import barred, joined, named, partial, worded
from ..numbers.doubles import FLOAT
from .labels import shown_name
from .model import SEED, Row, Step
from .row_formulas import Working
from .sweeping import Sweeps, without_sign_of_zero


def _number(x: float | None) -> float | None:
    return None if x is None else without_sign_of_zero(x)


class RowWriter:
    """Writes down one trace: its graph, names, labels (what people call the rows), values and sweeps."""

    def __init__(
        self,
        graph: Graph,
        names: Sequence[str],
        values: Sequence[float],
        gradients: Gradients,
        sweeps: Sweeps,
        working: Working,
    ) -> None:
        """Take what the rows show: `names`, `values` and `gradients` by slot, the sweeps, and the writer of formulas
        `working`.
        """
        self.graph = graph
        self.names = names
        self.labels = working.names
        self.values = values
        self.gradients = gradients
        self.sweeps = sweeps
        self.working = working

    def rows(self) -> list[Row]:
        """The inputs, then the operations in the order of their numbers."""
        height = heights(self.graph)
        return [self._row(slot, height[slot]) for slot in [*self.graph.inputs, *self.graph.operations()]]

    def _row(self, slot: int, level: int) -> Row:
        """Return the row of a slot: formulas, value, partials, tangents and adjoints by key; `level` is its height."""
        graph, values = self.graph, self.values
        row = graph.rows[slot]
        if row is None:
            formula, substituted = named(self.labels[slot]), self.working.number(values[slot])
        else:
            formula, substituted = self.working.formula(slot)
        return Row(
            slot=slot,
            name=self.names[slot],
            label=self.labels[slot],
            alias=graph.aliases.get(slot),
            level=level,
            operator=graph.operator(slot),
            parents=tuple(self.names[p] or self._literal(p) for p in graph.parents[slot]),
            formula=formula,
            substituted=substituted,
            value=_number(values[slot]),
            truth=row is not None and row.truth,
            gradient=tuple(_number(g) for g in self.gradients[slot]) if self.gradients else (),
            dot={key: without_sign_of_zero(dots[slot]) for key, dots in self.sweeps.dots.items()},
            bar={key: without_sign_of_zero(bars[slot]) for key, bars in self.sweeps.bars.items()},
        )

    def _literal(self, slot: int) -> float:
        """The number of a literal, even of one that only a branch not taken would have needed."""
        value = self.values[slot]
        return without_sign_of_zero(literal_value(self.graph, FLOAT, slot) if value is None else value)

    def steps(self) -> list[Step]:
        """Return the steps of all sweeps, reverse sweeps first, each in the order of its computation."""
        steps: list[Step] = []
        for key in self.sweeps.bars:
            steps += self._reverse(key)
        for key, dots in self.sweeps.dots.items():
            steps += self._forward(key, dots)
        return steps

    def _forward(self, key: str, dots: Sequence[float]) -> list[Step]:
        """Return the steps of the forward sweep `key`, one for each row; `dots` are its tangents by slot."""
        steps = []
        for slot in [*self.graph.inputs, *self.graph.operations()]:
            if slot in self.graph.inputs:
                symbolic = worded("seed") if key == SEED else partial(self.names[slot], key)
                numbers = self.working.number(dots[slot])
            else:
                symbolic, numbers = self.working.tangent(slot, self.gradients[slot], dots)
            value = without_sign_of_zero(dots[slot])
            steps.append(
                Step(self.names[slot], self.labels[slot], "forward", key, None, symbolic, symbolic, numbers, value)
            )
        return steps

    def _reverse(self, key: str) -> list[Step]:
        """Return the reverse steps of the output `key` (or SEED): one for each seed and each contribution, in the order
        of the paper (section 2.2).

        Rows are visited in decreasing number, the parents of each from left to right; the first contribution to an
        adjoint assigns, every later one accumulates.
        """
        graph, labels = self.graph, self.labels
        steps: list[Step] = []
        so_far: dict[int, float] = {}

        def contribute(slot: int, source: str | None, written: tuple[Formula, Formula, Formula], amount: float) -> None:
            chain, symbolic, numbers = written
            if slot in so_far:
                bar_symbol, before = self.working.barred(slot), self.working.number(so_far[slot])
                chain, symbolic = joined(bar_symbol, " + ", chain), joined(bar_symbol, " + ", symbolic)
                numbers = joined(before, " + ", numbers)
            so_far[slot] = so_far.get(slot, 0.0) + amount
            value = without_sign_of_zero(so_far[slot])
            steps.append(Step(self.names[slot], labels[slot], "reverse", key, source, chain, symbolic, numbers, value))

        for name, slot in graph.outputs:
            weight = self.sweeps.seeds.get(name) if key == SEED else 1.0 if name == key else None
            if weight is not None and labels[slot]:
                shown = shown_name(name, self.sweeps.inputs)
                symbol = (
                    barred(shown) if shown != labels[slot] else worded("seed") if key == SEED else partial(shown, shown)
                )
                contribute(slot, None, (symbol, symbol, self.working.number(weight)), weight)
        for slot in range(len(graph) - 1, -1, -1):
            if slot not in so_far or not labels[slot]:
                continue
            bar = so_far[slot]
            for position, parent in enumerate(graph.parents[slot]):
                slope = self.gradients[slot][position]
                if slope is not None and labels[parent]:
                    symbolic, numbers = self.working.contribution(slot, position, slope, bar)
                    written = (self.working.chain(slot, parent), symbolic, numbers)
                    contribute(parent, self.names[slot], written, bar * slope)
        return steps
