"""Formula copies: the formula of a slot, copied from one graph into another."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..graph.graph import Graph
from ..graph.order import postorder


def copy_formula(
    graph: Graph, source: Graph, slot: int, leaves: Mapping[int, int], add_input: Callable[[str], int] | None = None
) -> dict[int, int]:
    """Copy the formula of `slot` of the graph `source` into `graph`; return the new slot of each of its slots.

    `leaves` maps slots of `source` to slots of `graph` that replace them. `add_input` returns the slot in `graph` for
    the name of any other input. Raises KeyError if there is such an input and no `add_input`.
    """
    place = dict(leaves)
    for s in postorder(slot, lambda k: () if k in leaves else source.parents[k]):
        row = source.rows[s]
        if s in place:
            continue
        if row is not None:
            place[s] = graph.apply(row, tuple(place[p] for p in source.parents[s]))
        elif add_input is not None and s in source.inputs:
            place[s] = add_input(source.inputs[s])
        else:
            place[s] = graph.constant(source.constants[s])
    return place
