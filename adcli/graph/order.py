"""Orders over a graph: depth-first searches, heights, numberings.  Nothing here recurses."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import compress
from typing import TypeVar

from ..table.primitive import Kink, Primitive
from .graph import NUMBER, Constant, Graph

Vertex = TypeVar("Vertex", bound=Hashable)


def search(
    root: Vertex, neighbours: Callable[[Vertex], Iterable[Vertex]]
) -> Iterator[tuple[list[Vertex], list[Vertex]]]:
    """The depth-first search from `root`, first neighbours first, at each vertex that is left for good.

    Each time the path from the root to that vertex, and its neighbours; the path is one list that changes.
    """
    visited = {root}
    path = [root]
    around = [list(neighbours(root))]
    waiting = [iter(around[0])]
    while path:
        for neighbour in waiting[-1]:
            if neighbour not in visited:
                visited.add(neighbour)
                path.append(neighbour)
                around.append(list(neighbours(neighbour)))
                waiting.append(iter(around[-1]))
                break
        else:
            yield path, around[-1]
            path.pop()
            around.pop()
            waiting.pop()


def postorder(root: Vertex, neighbours: Callable[[Vertex], Iterable[Vertex]]) -> list[Vertex]:
    """Return the vertices reachable from `root`, each after all that are reachable from it, first neighbours first.

    This is the list that the paper's recursive search builds before reversing it (listings 2 and 5).
    """
    ordering, visited = [], {root}
    path = [(root, iter(neighbours(root)))]
    while path:
        vertex, remaining = path[-1]
        for neighbour in remaining:
            if neighbour not in visited:
                visited.add(neighbour)
                path.append((neighbour, iter(neighbours(neighbour))))
                break
        else:
            ordering.append(vertex)
            path.pop()
    return ordering


def forward_search(graph: Graph, slot: int) -> list[int]:
    """The post-order list of the search from a slot over children; reversed it is the forward tape."""
    return postorder(slot, over_children(graph))


def reverse_search(graph: Graph, slot: int) -> list[int]:
    """The post-order list of the search from a slot over parents; reversed it is the reverse tape.  No literals."""
    return postorder(slot, over_parents(graph))


def over_children(graph: Graph) -> Callable[[int], list[int]]:
    """The way of the forward search: from a slot to the slots that use it."""
    return graph.children().__getitem__


def over_parents(graph: Graph) -> Callable[[int], list[int]]:
    """The way of the reverse search: from a slot to those that it uses, literals left out."""
    literal, parents = graph.literal, graph.parents
    return lambda slot: [p for p in parents[slot] if not literal[p]]


def heights(graph: Graph) -> list[int]:
    """For each slot its height above the inputs: 0 for inputs and literals, else 1 + that of its highest parent."""
    height = [0] * len(graph)
    for slot, (parents, literal) in enumerate(zip(graph.parents, graph.literal, strict=True)):
        if parents and not literal:
            if len(parents) == 2:
                one, other = height[parents[0]], height[parents[1]]
                height[slot] = (one if one > other else other) + 1
            else:
                height[slot] = max([height[parent] for parent in parents]) + 1
    return height


def ancestors(graph: Graph, slots: Iterable[int]) -> bytearray:
    """1 for each slot on which one of the given slots depends, and for these themselves."""
    needed = bytearray(len(graph))
    for slot in slots:
        needed[slot] = 1
    above = graph.parents
    for slot in range(len(needed) - 1, -1, -1):
        if needed[slot]:
            for parent in above[slot]:
                needed[parent] = 1
    return needed


def dependents(graph: Graph) -> bytearray:
    """1 for each slot that depends on an input."""
    active = bytearray(len(graph))
    for slot in graph.inputs:
        active[slot] = 1
    for slot, parents in enumerate(graph.parents):
        for parent in parents:
            if active[parent]:
                active[slot] = 1
                break
    return active


def kinked(graph: Graph) -> list[tuple[int, list[Kink], tuple[int, ...]]]:
    """The slots that depend on inputs and have kinks in arguments that do, each with these kinks and its arguments."""
    found = []
    active = dependents(graph) if any(row is not None and row.smooth is not None for row in graph.rows) else b""
    for slot, (row, parents) in enumerate(zip(graph.rows, graph.parents, strict=True)):
        if row is not None and row.smooth is not None and active[slot]:
            kinks = dict.fromkeys(row.kink(k) for k, parent in enumerate(parents) if active[parent])
            found.append((slot, [kink for kink in kinks if kink is not None], parents))
    return found


def inputs_above(graph: Graph) -> list[int]:
    """The inputs that each slot depends on: bit k is the k-th input's."""
    found = [0] * len(graph)
    for bit, slot in enumerate(graph.inputs):
        found[slot] = 1 << bit
    for slot, parents in enumerate(graph.parents):
        for parent in parents:
            found[slot] |= found[parent]
    return found


@lru_cache(maxsize=256)
def _natural(name: str) -> tuple[str, int, str, str]:
    """A sorting key under which x2 comes before x10."""
    stem = name.rstrip("0123456789")
    digits = name[len(stem) :].lstrip("0")
    return stem, len(digits), digits, name


def by_appearance(names: Iterable[str]) -> list[str]:
    """Names in order of first appearance, but x1, x2, … x10 by their numbers."""
    first: dict[str, int] = {}
    found = [
        (first.setdefault(key[0], position), key) for position, key in enumerate(map(_natural, dict.fromkeys(names)))
    ]
    found.sort()
    return [key[3] for _, key in found]


def usable(graph: Graph) -> Graph:
    """The graph itself where its outputs need all of it, else without what none needs; inputs always stay."""
    needed = ancestors(graph, [slot for _, slot in graph.outputs])
    for slot in graph.inputs:
        needed[slot] = 1
    return graph if needed.find(0) < 0 else _permuted(graph, list(compress(range(len(graph)), needed)))


def arranged(graph: Graph, numbering: str = "level", extra: Iterable[str] = ()) -> Graph:
    """The same graph with its slots in the order of the numbering, without what no output needs.

    `extra` names inputs that the graph lacks; they are added.  Inputs come first, then literals, then the operations:
    by height and then as written (`level`), or in the order in
    which nested calls create them (`call`).  Parents stay before children either way.
    """
    graph = _with_inputs(graph, extra)
    inputs = list(inputs_in_order(graph).values())
    needed = ancestors(graph, [slot for _, slot in graph.outputs])
    literals: list[int] = []
    operations: list[int] = []
    rows, literal = graph.rows, graph.literal
    for slot in compress(range(len(graph)), needed):
        if literal[slot]:
            literals.append(slot)
        elif rows[slot] is not None:
            operations.append(slot)
    if numbering == "level":
        operations.sort(key=heights(graph).__getitem__)
    return _permuted(graph, [*inputs, *literals, *operations])


def inputs_in_order(graph: Graph) -> dict[str, int]:
    """The slots of the inputs by name, in the order in which inputs are shown."""
    places = {name: slot for slot, name in graph.inputs.items()}
    return {name: places[name] for name in by_appearance(places)}


def _with_inputs(graph: Graph, names: Iterable[str]) -> Graph:
    """The graph itself, or a copy with the inputs of these names that it lacks."""
    known, wanted = set(graph.inputs.values()), dict.fromkeys(names)
    if known.issuperset(wanted):
        return graph
    graph = _permuted(graph, list(range(len(graph))))
    for name in wanted:
        if name not in known:
            graph.input(name)
    return graph


def _permuted(graph: Graph, order: list[int]) -> Graph:
    place = dict(zip(order, range(len(order)), strict=True))
    new = Graph()
    rows, spans, literal, inputs = graph.rows, graph.spans, graph.literal, graph.inputs
    new.rows = [rows[s] for s in order]
    new.spans = [spans[s] for s in order]
    new.literal = bytearray([literal[s] for s in order])
    new.parents = [
        (place[ps[0]], place[ps[1]]) if len(ps) == 2 else tuple(map(place.__getitem__, ps)) if ps else ()
        for ps in map(graph.parents.__getitem__, order)
    ]
    new.constants = {place[s]: constant for s, constant in graph.constants.items() if s in place}
    new.inputs = {place[s]: inputs[s] for s in order if s in inputs}
    new.outputs = [(name, place[s]) for name, s in graph.outputs]
    new.aliases = {place[s]: alias for s, alias in graph.aliases.items() if s in place}
    return new


class Unique:
    """The operations of a graph by what they are, so that none need be there twice (hash-consing).

    `first` has for each slot that the graph had the first one that is the same expression; constants are the same where
    `constant` says the same of them, which is their text if it is not given.
    """

    __slots__ = ("_slots", "first", "graph")

    def __init__(self, graph: Graph, constant: Callable[[int], object] | None = None) -> None:
        self.graph = graph
        self.first: list[int] = []
        self._slots: dict[object, int] = {}
        for slot, row in enumerate(graph.rows):
            if row is not None:
                key: object = (row.name, *[self.first[p] for p in graph.parents[slot]])
            elif slot in graph.inputs:
                key = ("input", graph.inputs[slot])
            else:
                key = ("constant", constant(slot) if constant else graph.constants[slot].text)
            self.first.append(self._slots.setdefault(key, slot))

    def apply(self, row: Primitive, parents: tuple[int, ...]) -> int:
        """The slot of an operation, a new one if it is not there yet."""
        key = (row.name, *parents)
        slot = self._slots.get(key)
        if slot is None:
            slot = self._slots[key] = self.graph.apply(row, parents)
        return slot

    def constant(self, constant: Constant) -> int:
        """The slot of a constant, a new one if it is not there yet."""
        key = ("constant", constant.text)
        slot = self._slots.get(key)
        if slot is None:
            slot = self._slots[key] = self.graph.constant(constant)
        return slot


def shared(graph: Graph) -> Graph:
    """The same graph with identical subexpressions made one node (common-subexpression elimination)."""
    place = Unique(graph).first
    keep = [slot for slot, first in enumerate(place) if slot == first]
    merged = Graph()
    merged.rows, merged.spans, merged.literal = graph.rows, graph.spans, graph.literal
    merged.parents = [tuple([place[p] for p in parents]) for parents in graph.parents]
    merged.constants, merged.inputs = graph.constants, graph.inputs
    merged.outputs = [(name, place[slot]) for name, slot in graph.outputs]
    for slot, alias in graph.aliases.items():
        merged.aliases.setdefault(place[slot], alias)
    return _permuted(merged, keep)


_TOP = -1  # stands above all outputs
_EXACT = 400  # the power of ten up to which constants are told apart as fractions


def meaning(graph: Graph) -> Hashable:
    """The same for two graphs whose outputs are the same operations on the same inputs, however they were written."""
    ends = [slot for _, slot in graph.outputs]
    order = postorder(_TOP, lambda slot: ends if slot == _TOP else graph.parents[slot])[:-1]
    place = {slot: k for k, slot in enumerate(order)}
    operations: list[Hashable] = []
    for slot in order:
        row = graph.rows[slot]
        if row is not None:
            operations.append((row.name, *[place[parent] for parent in graph.parents[slot]]))
        elif slot in graph.inputs:
            operations.append(graph.inputs[slot])
        else:
            operations.append(_number(graph.constants[slot]))
    return (
        tuple(operations),
        tuple(by_appearance(graph.inputs.values())),
        tuple([(name, place[slot]) for name, slot in graph.outputs]),
    )


def _number(constant: Constant) -> Hashable:
    """What tells constants apart: a name, or the number as a fraction (as text where that would be huge)."""
    text = constant.text
    power = text.lower().partition("e")[2]
    if constant.named or not NUMBER.fullmatch(text) or abs(int(power or 0)) > _EXACT:
        return constant.named, text
    return False, Fraction(text)
