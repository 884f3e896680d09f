"""The reverse sweep in symbols alone, with no point: how a derivative's formula comes about."""

from __future__ import annotations

from ..graph.graph import Graph
from ..graph.order import ancestors, arrange
from ..notation.display_formula import Formula
from ..notation.number_text import Digits
from ..notation.table_formulas import join, numeral, write_adjoint, write_partial
from ..records import NamedTuple
from .derivative_formulas import Derivatives
from .labels import node_labels, node_names, shown_name
from .row_formulas import Working


class Sweep(NamedTuple):
    """One reverse sweep in symbols.

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


def sweeps(derivatives: Derivatives) -> list[Sweep]:
    """Return the symbolic reverse sweep of every output."""
    graph = arrange(derivatives.graph)
    return [_sweep(graph, output, slot) for output, slot in graph.outputs]


def _sweep(graph: Graph, output: str, slot: int) -> Sweep:
    """Return the reverse sweep of the output in `slot` in symbols, with the formulas of the operations that it needs.

    The first step is the seed 1 (none if the output is a literal); then rows in decreasing order, their arguments from
    left to right. Contributions whose partial is 0 are left out. `wrt` has the inputs that the sweep reaches; the title
    is empty if there is one output.
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
        own = write_adjoint(labels[target])
        if target in reached:
            chain, symbolic = join(own, " + ", chain), join(own, " + ", symbolic)
        reached.add(target)
        steps.append((own, source, chain, symbolic))

    if labels[slot]:
        seed = write_adjoint(shown) if shown != labels[slot] else write_partial(shown, shown)
        contribute(slot, None, seed, numeral("1"))
    for s in range(slot, -1, -1):
        if s in reached:
            for position, parent in enumerate(graph.parents[s]):
                symbolic = working.symbolic(s, position)
                if symbolic is not None and labels[parent]:
                    contribute(parent, names[s], working.chain(s, parent), symbolic)
    return Sweep(output, tuple(name for s, name in graph.inputs.items() if s in reached), title, rows, steps)
