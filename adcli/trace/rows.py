"""Rows and steps of a trace, written from the numbers of its sweeps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..graph.graph import Graph
from ..graph.order import heights
from ..graph.tape import Gradients, literal_value
from ..notation.display_formula import Formula
from ..notation.table_formulas import join, write_adjoint, write_name, write_partial, write_tangent, write_words
from ..numbers.doubles import FLOAT
from ..records import NamedTuple
from .labels import shown_name
from .model import SEED, Row, Step
from .row_formulas import Working
from .sweeping import Sweeps, without_sign_of_zero


class Place(NamedTuple):
    """The place of a number in a trace.

    kind  "value", "dot" (a tangent) or "bar" (an adjoint)
    key   the input or output of the sweep, or `seed`; "" for a value
    """

    kind: str
    key: str
    slot: int


def numbers_of(row: Row) -> Iterator[tuple[Place, str, float]]:
    """Yield (place, name in sentences, number) of the value of a row, then of its tangents, then of its adjoints.

    A place has the kind (value, dot, bar), the key (the input, output or SEED; "" for the value) and the slot. Names
    are the label, `v̇ with respect to x`, `v̄ of y`. Nothing for a row in a branch not taken.
    """
    if row.value is None:
        return
    yield Place("value", "", row.slot), row.label, row.value
    for key, dot in row.dot.items():
        yield Place("dot", key, row.slot), f"{write_tangent(row.label)} with respect to {key}", dot
    for key, bar in row.bar.items():
        yield Place("bar", key, row.slot), f"{write_adjoint(row.label)} of {key}", bar


def _number(x: float | None) -> float | None:
    return None if x is None else without_sign_of_zero(x)


class RowWriter(NamedTuple):
    """A writer of the rows and steps of one trace, from its graph, the numbers by slot, the sweeps, and the
    formulas.
    """

    graph: Graph
    names: Sequence[str]
    values: Sequence[float]
    gradients: Gradients
    sweeps: Sweeps
    working: Working

    @property
    def labels(self) -> Sequence[str]:
        """Return the labels of the rows, by slot: the user's own name of each, else its name."""
        return self.working.names

    @property
    def slots(self) -> list[int]:
        """Return the slots of the rows: inputs, then operations in the order of their numbers."""
        return [*self.graph.inputs, *self.graph.operations()]

    def rows(self) -> Iterator[Row]:
        """Yield the rows of the inputs, then of the operations in the order of their numbers."""
        height = heights(self.graph)
        return (self._row(slot, height[slot]) for slot in self.slots)

    def _row(self, slot: int, level: int) -> Row:
        """Return the row of a slot: formulas, value, partials, tangents and adjoints by key; `level` is its height.

        The formulas of an input are its label and its number. Literals among the parents have their text. The gradient
        is () if there are no partials; zeros of tangents and adjoints have no sign.
        """
        graph, values = self.graph, self.values
        row = graph.rows[slot]
        if row is None:
            formula, substituted = write_name(self.labels[slot]), self.working.number(values[slot])
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
        """Return the number of a literal, even of one that only a branch not taken needs."""
        value = self.values[slot]
        return without_sign_of_zero(literal_value(self.graph, FLOAT, slot) if value is None else value)

    def steps(self) -> Iterator[Step]:
        """Yield the steps of all sweeps, reverse sweeps first, each in the order of its computation."""
        for key in self.sweeps.bars:
            yield from self._reverse(key)
        for key, dots in self.sweeps.dots.items():
            yield from self._forward(key, dots)

    def _forward(self, key: str, dots: Sequence[float]) -> Iterator[Step]:
        """Yield the steps of the forward sweep `key` (an input, or SEED), one for each input and then for each
        operation, in slot order.

        `dots` are its tangents by slot. The formula of an input is its seed; the partials are those of the trace.
        """
        for slot in self.slots:
            if slot in self.graph.inputs:
                symbolic = write_words("seed") if key == SEED else write_partial(self.names[slot], key)
                numbers = self.working.number(dots[slot])
            else:
                symbolic, numbers = self.working.tangent(slot, self.gradients[slot], dots)
            name, label, value = self.names[slot], self.labels[slot], without_sign_of_zero(dots[slot])
            yield Step(name, label, "forward", key, None, symbolic, symbolic, numbers, value)

    def _reverse(self, key: str) -> Iterator[Step]:
        """Yield the reverse steps of the output `key` (or SEED): one for each seed and each contribution, in the order
        of the paper (section 2.2).

        Rows are visited in decreasing number, the parents of each from left to right; the first contribution to an
        adjoint assigns, every later one accumulates.
        """
        graph, labels = self.graph, self.labels
        so_far: dict[int, float] = {}

        def contribute(slot: int, source: str | None, written: tuple[Formula, ...], amount: float) -> Step:
            """Add `amount` to the adjoint of `slot` and return the step; `source` is the row it comes from (None: the
            seed).

            `written` has the contribution three times: by the chain rule, in symbols, and with numbers.
            """
            if slot in so_far:
                symbol, number = self.working.write_bar(slot), self.working.number(so_far[slot])
                pairs = zip((symbol, symbol, number), written, strict=True)
                written = tuple([join(before, " + ", formula) for before, formula in pairs])
            so_far[slot] = so_far.get(slot, 0.0) + amount
            value = without_sign_of_zero(so_far[slot])
            chain, symbolic, numbers = written
            return Step(self.names[slot], labels[slot], "reverse", key, source, chain, symbolic, numbers, value)

        seeds = self.sweeps.seeds if key == SEED else {key: 1.0}
        for name, slot in graph.outputs:
            weight = seeds.get(name)
            if weight is not None and labels[slot]:
                shown = shown_name(name, self.sweeps.inputs)
                symbol = write_words("seed") if key == SEED else write_partial(shown, shown)
                symbol = write_adjoint(shown) if shown != labels[slot] else symbol
                yield contribute(slot, None, (symbol, symbol, self.working.number(weight)), weight)
        for slot in range(len(graph) - 1, -1, -1):
            if slot not in so_far or not labels[slot]:
                continue
            bar = so_far[slot]
            for position, parent in enumerate(graph.parents[slot]):
                slope = self.gradients[slot][position]
                if slope is not None and labels[parent]:
                    symbolic, numbers = self.working.contribution(slot, position, slope, bar)
                    written = (self.working.chain(slot, parent), symbolic, numbers)
                    yield contribute(parent, self.names[slot], written, bar * slope)
