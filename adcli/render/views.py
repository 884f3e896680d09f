"""Views that `--show` prints: the table of nodes, the orders of the sweeps, the levels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..graph.graph import Graph
from ..graph.order import forward_search, heights, reverse_search
from ..notation.display_formula import Formula
from ..notation.formula import TABLE, Leaf, render
from ..notation.number_text import Digits
from ..notation.table_formulas import bracket, equals, join_with_commas, unfold, write_indexed, write_name
from ..trace.levels import level_symbols
from ..trace.trace_model import Trace
from .document_parts import Runs, Table
from .trace_tables import number


def show(trace: Trace, view: str, digits: Digits) -> list[Table]:
    """Return the tables of the view called `view`: `nodes` (the table of nodes), `order` (the search and tape of each
    sweep) or `levels` (the nodes by level). Another name raises KeyError.
    """
    return {"nodes": _node_tables, "order": _order_tables, "levels": _level_tables}[view](trace, digits)


def _labels(trace: Trace) -> dict[int, str]:
    """Return the number of a node (slot) → its label, for the rows of the trace."""
    return {row.slot: row.label for row in trace.rows}


def _node_tables(trace: Trace, digits: Digits) -> list[Table]:
    """Return one table, in a list, with the paper's fields of every row.

    Columns: label, value, parents (labels, or numbers), children, operator; except in mode value the local derivatives
    (`None` for a parent without one); the tangents and adjoints of each key. Lists are in brackets. The header has the
    paper's names (`parent_nodes`, …). `digits` is how numbers are shown.
    """
    labels = _labels(trace)
    below = trace.graph.children()
    by_name = {row.name: row.label for row in trace.rows}
    dots, bars = trace.keys
    header: list[str] = ["node", "value", "parent_nodes", "child_nodes", "operator"]
    header += ["grad_wrt_parents"] if trace.mode != "value" else []
    header += [Runs("partial_derivative (", write_name(key), ")") for key in (*dots, *bars)]
    rows = []
    for row in trace.rows:
        parents = [write_name(by_name[p]) if isinstance(p, str) else number(p, digits) for p in row.parents]
        children = [write_name(labels[child]) for child in below[row.slot] if child in labels]
        cells: list[str] = [write_name(row.label), number(row.value, digits)]
        cells += [_bracket_list(parents), _bracket_list(children), row.operator]
        if trace.mode != "value":
            cells.append(_bracket_list(["None" if g is None else number(g, digits) for g in row.gradient]))
        cells += [number(row.dot[key], digits) for key in dots] + [number(row.bar[key], digits) for key in bars]
        rows.append(tuple(cells))
    return [Table(rows, tuple(header))]


def _bracket_list(items: Sequence[str]) -> Formula:
    """Return the items as a formula in square brackets, with commas between them; `[]` without items."""
    return bracket(join_with_commas(items), "[]")


def _order_tables(trace: Trace, _: Digits) -> list[Table]:
    """Return a table for each sweep, forward ones first: reachable set, edges, post-order of the search, and tape
    (paper, sections 4.1 and 5.1), titled `forward from x` or `reverse from v3`.

    Sweeps along a seed, and reverse sweeps of outputs that are not a row, have none.
    """
    graph, labels = trace.graph, _labels(trace)
    inputs, results = {name: slot for slot, name in graph.inputs.items()}, dict(graph.outputs)
    starts = [("forward from ", forward_search, inputs.get(key, -1)) for key in trace.keys[0]]
    starts += [("reverse from ", reverse_search, results.get(key, -1)) for key in trace.keys[1]]
    return [
        _order_table(graph, labels, Runs(title, write_name(labels[slot])), search(graph, slot))
        for title, search, slot in starts
        if slot in labels
    ]


def _order_table(graph: Graph, labels: dict[int, str], title: Runs, search: list[int]) -> Table:
    """Return the table of one sweep with the rows reachable, edges, post-order and tape, in the `labels` of nodes.

    `search` is the post-order of the depth-first search as numbers of nodes, the tape its reverse. Edges are (parent,
    child) pairs within the reachable set, one for each argument. Reachable nodes, and edges by their child, are in
    ascending order.
    """

    def names(slots: Iterable[int]) -> Formula:
        return join_with_commas([write_name(labels[slot]) for slot in slots])

    reached, members = sorted(search), set(search)
    edges = [bracket(names((parent, slot))) for slot in reached for parent in graph.parents[slot] if parent in members]
    rows: list[tuple[str, ...]] = [
        ("reachable", names(reached)),
        ("edges", join_with_commas(edges)),
        ("post-order", names(search)),
        ("tape", names(reversed(search))),
    ]
    return Table(rows, title=title)


def _level_tables(trace: Trace, digits: Digits) -> list[Table]:
    """Return one table, in a list, of the graph by levels in the notation t_mj.

    Columns: level, symbol, `= formula` in these symbols (for an input its label), `= value`, the row's label. The
    header names the first and the last column (`level`, `row`) only. There is a rule between levels. Below the last
    rule is a row (empty, name, `= symbol` or, without one, `= label`, `= value`, empty) for each output.
    """
    graph = trace.graph
    symbols = level_symbols(graph)
    labels = _labels(trace)

    leaves = {slot: Leaf(write_indexed(symbol)) for slot, symbol in symbols.items()}
    height = heights(graph)
    rows: list[tuple[str, ...]] = []
    for slot, symbol in symbols.items():
        formula = write_name(labels[slot])
        if slot not in graph.inputs:
            formula = unfold(render(graph, slot, TABLE, leaves.get), graph, slot, leaves)
        shown = number(trace.values[slot], digits)
        sides = equals(formula), equals(shown)
        rows.append((str(height[slot]), write_indexed(symbol), *sides, write_name(labels[slot])))
    rules = tuple(k for k in range(1, len(rows)) if rows[k][0] != rows[k - 1][0])
    for output in trace.outputs:
        slot = dict(graph.outputs)[output.name]
        same = write_indexed(symbols[slot]) if slot in symbols else write_name(output.label)
        rows.append(("", write_name(output.shown), equals(same), equals(number(output.value, digits)), ""))
    return [Table(rows, ("level", "", "", "", "row"), (*rules, len(rows) - len(trace.outputs)))]
