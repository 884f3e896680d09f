"""Rows and steps of a trace, written from the numbers of its sweeps, and those of a reverse sweep in symbols alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..graph.graph import Graph
from ..graph.order import ancestors, arrange, heights
from ..graph.tape import Gradients, literal_value
from ..notation import table_formulas as tf
from ..notation.display_formula import Formula
from ..notation.number_text import Digits
from ..numbers.doubles import FLOAT
from ..records import NamedTuple
from .labels import node_labels, node_names, shown_name
from .row_formulas import Working
from .sweeping import Sweeps, without_sign_of_zero
from .trace_model import SEED, Row, Step


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

    A Place has `kind` ("value", "dot", "bar"), `key` (the input, output or SEED of the sweep; "" for the value) and
    `slot`. The names are the label, `v̇ with respect to x` and `v̄ of y`; x and y are the key. Nothing for a row in a
    branch not taken.
    """
    if row.value is None:
        return
    yield Place("value", "", row.slot), row.label, row.value
    for key, dot in row.dot.items():
        yield Place("dot", key, row.slot), f"{tf.write_tangent(row.label)} with respect to {key}", dot
    for key, bar in row.bar.items():
        yield Place("bar", key, row.slot), f"{tf.write_adjoint(row.label)} of {key}", bar


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
    def slots(self) -> list[int]:
        """Return the slots of the rows: inputs, then operations in the order of their numbers."""
        return [*self.graph.inputs, *self.graph.operations()]

    def rows(self) -> Iterator[Row]:
        """Yield the rows of the inputs, then of the operations in the order of their numbers."""
        height = heights(self.graph)
        return (self._row(slot, height[slot]) for slot in self.slots)

    def _row(self, slot: int, level: int) -> Row:
        """Return the Row of a slot, whose height is `level`, with tangents and adjoints by the key of their sweep.

        The formulas of an input are its label and its number. `parents` has names such as v1 (not the user's own names)
        and, for literals, numbers. `value` is None in a branch not taken. `gradient` has None for a missing partial,
        and is () if there are none at all. Zeros have no sign.
        """
        graph, values = self.graph, self.values
        row = graph.rows[slot]
        if row is None:
            formula, substituted = tf.write_name(self.working.names[slot]), self.working.number(values[slot])
        else:
            formula, substituted = self.working.formula(slot)
        return Row(
            slot=slot,
            name=self.names[slot],
            label=self.working.names[slot],
            alias=graph.aliases.get(slot),
            level=level,
            operator=graph.operator(slot),
            parents=tuple(self.names[p] or self._literal(p) for p in graph.parents[slot]),
            formula=formula,
            substituted=substituted,
            value=without_sign_of_zero(values[slot]),
            truth=graph.is_condition(slot),
            gradient=tuple(map(without_sign_of_zero, self.gradients[slot])) if self.gradients else (),
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
            yield from self._reverse_steps(key)
        for key, dots in self.sweeps.dots.items():
            yield from self._forward_steps(key, dots)

    def _forward_steps(self, key: str, dots: Sequence[float]) -> Iterator[Step]:
        """Yield the steps of the forward sweep `key` (an input, or SEED): inputs, then operations, as numbered.

        All have a step, also in a branch not taken. `dots` are its tangents by slot. The formula of an input is ∂x1/∂x2
        (x2 is `key`), or the word `seed` for SEED; its number is its tangent. The formula of an operation is its
        tangent rule, with the partials of the trace as numbers. `source` is None, and `chain` is the same formula as
        `symbolic`.
        """
        for slot in self.slots:
            if slot in self.graph.inputs:
                symbolic = tf.write_words("seed") if key == SEED else tf.write_partial(self.names[slot], key)
                numbers = self.working.number(dots[slot])
            else:
                symbolic, numbers = self.working.tangent(slot, self.gradients[slot], dots)
            name, label, value = self.names[slot], self.working.names[slot], without_sign_of_zero(dots[slot])
            yield Step(name, label, "forward", key, None, symbolic, symbolic, numbers, value)

    def _reverse_steps(self, key: str) -> Iterator[Step]:
        """Yield the reverse steps of the output `key` (or SEED), one for each seed and each contribution.

        The seeds come first: 1 for `key`, or the weights of the outputs; an output that is a literal has none. The
        formula of a seed is ∂y/∂y, or `seed` for SEED; but for an output z whose row has another label it is z̄.

        Then rows are visited in decreasing number, the arguments of each from left to right, as in section 2.2 of the
        paper; an argument that occurs twice has two steps. The first contribution to an adjoint assigns, every later
        one is added: the step has the sum so far, and its formula begins with the adjoint. Contributions of 0 have
        steps, as seeds of weight 0 have; literals, and arguments without a partial, have none.

        `source` is the name (v1, not the label) of the row that contributes, None for a seed.
        """
        graph, labels = self.graph, self.working.names
        so_far: dict[int, float] = {}

        def contribute(slot: int, source: str | None, written: tuple[Formula, ...], amount: float) -> Step:
            """Add `amount` to the adjoint of `slot` and return the step; `source` is the row it comes from (None: the
            seed).

            `written` has the contribution three times: by the chain rule, in symbols, and with numbers.
            """
            if slot in so_far:
                symbol, number = self.working.write_bar(slot), self.working.number(so_far[slot])
                pairs = zip((symbol, symbol, number), written, strict=True)
                written = tuple([tf.join(before, " + ", formula) for before, formula in pairs])
            so_far[slot] = so_far.get(slot, 0.0) + amount
            value = without_sign_of_zero(so_far[slot])
            chain, symbolic, numbers = written
            return Step(self.names[slot], labels[slot], "reverse", key, source, chain, symbolic, numbers, value)

        seeds = self.sweeps.seeds if key == SEED else {key: 1.0}
        for name, slot in graph.outputs:
            weight = seeds.get(name)
            if weight is not None and labels[slot]:
                shown = shown_name(name, self.sweeps.inputs)
                symbol = tf.write_words("seed") if key == SEED else tf.write_partial(shown, shown)
                symbol = tf.write_adjoint(shown) if shown != labels[slot] else symbol
                yield contribute(slot, None, (symbol, symbol, self.working.number(weight)), weight)
        for slot in filter(so_far.__contains__, range(len(graph) - 1, -1, -1)):  # looked up when it is its turn
            bar = so_far[slot]
            for position, parent in enumerate(graph.parents[slot]):
                slope = self.gradients[slot][position]
                if slope is not None and labels[parent]:
                    symbolic, numbers = self.working.contribution(slot, position, slope, bar)
                    written = (self.working.chain(slot, parent), symbolic, numbers)
                    yield contribute(parent, self.names[slot], written, bar * slope)


# --- without a point ---


class SymbolicSweep(NamedTuple):
    """One reverse sweep in symbols, without a point.

    wrt    the inputs that it reaches
    title  "adjoints of y"; empty if there is one output
    rows   (name, formula) of each operation that the output needs
    steps  (target, source or None for the seed, chain rule, the same with the rule substituted)
    """

    output: str
    wrt: tuple[str, ...]
    title: str
    rows: list[tuple[str, Formula]]
    steps: list[tuple[Formula, str | None, Formula, Formula]]


def symbolic_sweeps(graph: Graph) -> list[SymbolicSweep]:
    """Return the reverse sweep of every output in symbols; rows are numbered as those of a trace."""
    graph = arrange(graph)
    return [_symbolic_sweep(graph, output, slot) for output, slot in graph.outputs]


def _symbolic_sweep(graph: Graph, output: str, slot: int) -> SymbolicSweep:
    """Return the reverse sweep of the output in `slot` in symbols.

    `rows` has (label, formula) of the operations that the output needs. `steps` has (adjoint, name of the row that
    contributes or None for the seed, the new sum by the chain rule, the same with the rule of the row substituted). The
    first step is the seed, if the output is not a literal: ∂y/∂y (z̄ for an output z whose row has another label),
    substituted 1. Then come rows in decreasing order, their arguments from left to right. Contributions whose partial
    is 0 are left out. `wrt` has the inputs that the sweep reaches; `title` is "adjoints of y", empty if the graph has
    one output.
    """
    shown = shown_name(output, dict.fromkeys(graph.inputs.values(), 0))
    title = f"adjoints of {shown}" if len(graph.outputs) > 1 else ""
    names = node_names(graph)
    labels = node_labels(graph, names)
    working = Working(graph, labels, [0.0] * len(graph), Digits())
    needed = ancestors(graph, [slot])
    rows = [(labels[s], working.formula(s)[0]) for s in graph.operations() if needed[s]]
    steps: list[tuple[Formula, str | None, Formula, Formula]] = []
    reached: set[int] = set()

    def contribute(target: int, source: str | None, chain: Formula, symbolic: Formula) -> None:
        adjoint = tf.write_adjoint(labels[target])
        if target in reached:
            chain, symbolic = tf.join(adjoint, " + ", chain), tf.join(adjoint, " + ", symbolic)
        reached.add(target)
        steps.append((adjoint, source, chain, symbolic))

    if labels[slot]:
        seed = tf.write_adjoint(shown) if shown != labels[slot] else tf.write_partial(shown, shown)
        contribute(slot, None, seed, tf.numeral("1"))
    for s in filter(reached.__contains__, range(slot, -1, -1)):
        for position, parent in enumerate(graph.parents[s]):
            symbolic = working.symbolic_contribution(s, position)
            if symbolic is not None and labels[parent]:
                contribute(parent, names[s], working.chain(s, parent), symbolic)
    return SymbolicSweep(output, tuple(name for s, name in graph.inputs.items() if s in reached), title, rows, steps)
