"""Graphs as the paper's nodes: `as_nodes` builds one Node for each slot."""

from __future__ import annotations

from collections.abc import Sequence

from .graph import Graph
from .node import Node
from .plan import UNTAKEN


def as_nodes(
    graph: Graph, values: Sequence[float], gradients: Sequence[Sequence[float | None]], names: Sequence[str]
) -> list[Node]:
    """Return one Node for each slot, connected to its parents and children; literals are leaves without parents.

    `values`, `gradients` (the partials with respect to the parents, by position) and `names` (empty for none) are
    indexed by slot. The partial UNTAKEN, with respect to a branch not taken, becomes None. A parent that is used twice
    has the same child twice; children are in slot order.
    """
    nodes: list[Node] = []
    for slot, parents in enumerate(graph.parents):
        parent_nodes = [] if graph.literal[slot] else [nodes[parent] for parent in parents]
        partials = [None if g is UNTAKEN else g for g in gradients[slot]]
        node = Node(values[slot], parent_nodes, graph.operator(slot), partials, names[slot])
        for parent in parent_nodes:
            parent.child_nodes.append(node)
        nodes.append(node)
    return nodes
