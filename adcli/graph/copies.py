"""Copies of graphs: the formula of a slot, copied into another graph, and a whole program with some rows changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .graph import Graph
from .order import postorder


def copy_formula(
    graph: Graph, source: Graph, slot: int, leaves: Mapping[int, int], add_input: Callable[[str], int] | None = None
) -> dict[int, int]:
    """Append the formula of `slot` of the graph `source` to `graph`, without spans; return the new slot by old slot.

    The result has `leaves`, which maps slots of `source` to slots of `graph` that replace them, and all slots below
    `slot` down to these. `add_input` (None: there is no other input) returns the slot in `graph` for the name of any
    other input. Equal operations are not merged. Raises KeyError if there is such an input and no `add_input`.
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


def copy_program(program: Graph, instead: Callable[[Graph, Sequence[int], int], int | None]) -> tuple[Graph, list[int]]:
    """Return (a copy of the program with its outputs, the new slot of each old one); aliases and spans are not copied.

    `instead(copy, new_slots, slot)` may append operations to the copy. It returns the new slot for an old one, or None
    if the old one is to be copied. `new_slots` has the new slots of the slots before it.
    """
    new = Graph()
    place: list[int] = []
    for slot, row in enumerate(program.rows):
        replacement = instead(new, place, slot)
        if replacement is not None:
            place.append(replacement)
        elif row is not None:
            place.append(new.apply(row, tuple([place[parent] for parent in program.parents[slot]])))
        elif slot in program.inputs:
            place.append(new.input(program.inputs[slot]))
        else:
            place.append(new.constant(program.constants[slot]))
    new.outputs = [(name, place[slot]) for name, slot in program.outputs]
    return new, place
