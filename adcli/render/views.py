"""What `--show` prints: the node table, the orders of the sweeps, the levels."""

from __future__ import annotations

from collections.abc import Sequence

from ..graph.order import forward_search, heights, reverse_search
from ..notation.display_formula import Formula
from ..notation.formula import TABLE, Leaf, render
from ..notation.number_text import Digits
from ..notation.table_formulas import bracketed, equals, indexed, listed, named, unfolded
from ..trace.levels import level_symbols
from ..trace.model import Row, Trace
from .document_parts import AnyText, Runs, Table
from .trace_tables import number


def show(trace: Trace, what: str, digits: Digits) -> list[Table]:
    """The tables of a view: `nodes`, `order` or `levels`."""
    return {"nodes": _nodes, "order": _orders, "levels": _levels}[what](trace, digits)


def _labels(trace: Trace) -> dict[int, str]:
    return {row.slot: row.label for row in trace.rows}


def _nodes(trace: Trace, digits: Digits) -> list[Table]:
    """The paper's members of every node; `partial_derivative` as far as the mode has one."""
    labels = _labels(trace)
    below = trace.graph.children()
    by_name = {row.name: row.label for row in trace.rows}
    dots, bars = trace.keys
    header: list[str] = ["node", "value", "parent_nodes", "child_nodes", "operator"]
    header += ["grad_wrt_parents"] if trace.mode != "value" else []
    header += [Runs("partial_derivative (", named(key), ")") for key in (*dots, *bars)]
    rows = []
    for row in trace.rows:
        children = [named(labels[child]) for child in below[row.slot] if child in labels]
        cells: list[str] = [
            named(row.label),
            number(row.value, digits),
            _parents(row, by_name, digits),
            _listed(children),
        ]
        cells.append(AnyText(row.operator))
        if trace.mode != "value":
            cells.append(_listed(["None" if g is None else number(g, digits) for g in row.gradient]))
        cells += [number(row.dot[key], digits) for key in dots] + [number(row.bar[key], digits) for key in bars]
        rows.append(tuple(cells))
    return [Table(rows, tuple(header))]


def _parents(row: Row, by_name: dict[str, str], digits: Digits) -> Formula:
    return _listed([named(by_name[p]) if isinstance(p, str) else number(p, digits) for p in row.parents])


def _listed(items: Sequence[str]) -> Formula:
    return bracketed(listed(items), "[]")


def _orders(trace: Trace, _: Digits) -> list[Table]:
    """For each sweep the reachable set, its edges, the search's list and the tape (paper, sections 4.1 and 5.1)."""
    labels = _labels(trace)
    found = []
    inputs = {name: slot for slot, name in trace.graph.inputs.items()}
    for key in trace.keys[0]:
        if key in inputs:
            found.append(
                _order(trace, labels, Runs("forward from ", named(key)), forward_search(trace.graph, inputs[key]))
            )
    results = dict(trace.graph.outputs)
    for key in trace.keys[1]:
        if key in results and results[key] in labels:
            slot = results[key]
            found.append(
                _order(trace, labels, Runs("reverse from ", named(labels[slot])), reverse_search(trace.graph, slot))
            )
    return found


def _order(trace: Trace, labels: dict[int, str], title: Runs, search: list[int]) -> Table:
    reached = set(search)
    edges = [
        bracketed(listed([named(labels[parent]), named(labels[slot])]))
        for slot in sorted(reached)
        for parent in trace.graph.parents[slot]
        if parent in reached
    ]
    rows: list[tuple[str, ...]] = [
        (AnyText("reachable"), listed([named(labels[slot]) for slot in sorted(reached)])),
        (AnyText("edges"), listed(edges)),
        (AnyText("post-order"), listed([named(labels[slot]) for slot in search])),
        (AnyText("tape"), listed([named(labels[slot]) for slot in reversed(search)])),
    ]
    return Table(rows, title=title)


def _levels(trace: Trace, digits: Digits) -> list[Table]:
    """The levels of the graph in the notation t_mj, as in reference manuals of graph compilers."""
    graph = trace.graph
    symbols = level_symbols(graph)
    labels = _labels(trace)

    leaves = {slot: Leaf(indexed(symbol)) for slot, symbol in symbols.items()}
    height = heights(graph)
    rows: list[tuple[str, ...]] = []
    for slot, symbol in symbols.items():
        formula = named(labels[slot])
        if slot not in graph.inputs:
            formula = unfolded(render(graph, slot, TABLE, leaves.get), graph, slot, leaves)
        value = trace.values[slot]
        shown = number(value, digits)
        rows.append((str(height[slot]), indexed(symbol), equals(formula), equals(shown), named(labels[slot])))
    rules = tuple(k for k in range(1, len(rows)) if rows[k][0] != rows[k - 1][0])
    for output in trace.outputs:
        slot = dict(graph.outputs)[output.name]
        same = indexed(symbols[slot]) if slot in symbols else named(output.label)
        rows.append(("", named(output.shown), equals(same), equals(number(output.value, digits)), ""))
    return [Table(rows, ("level", "", "", "", "row"), (*rules, len(rows) - len(trace.outputs)))]
