"""The order of the slots of a graph: depth-first searches, heights, dependences, renumbering.  Nothing recurses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, MutableMapping, Sequence
from functools import lru_cache
from itertools import chain, compress

from ..table.primitive import Kink, Primitive
from ..typings import TypeVar
from .graph import Constant, Graph

Vertex = TypeVar("Vertex", bound=Hashable)
Known = TypeVar("Known")


def search(
    root: Vertex, neighbours: Callable[[Vertex], Iterable[Vertex]]
) -> Iterator[tuple[list[Vertex], list[Vertex]]]:
    """Search depth first from `root`, first neighbours first; yield (path, neighbours) for each vertex when it is
    finished.

    This is postorder. `path` leads from the root to the vertex, both included; it is one list that is changed in place
    between the steps. `neighbours` are all neighbours of the vertex, visited or not.
    """
    visited = {root}
    path = [root]
    adjacent = [list(neighbours(root))]
    iterators = [iter(adjacent[0])]
    while path:
        for neighbour in iterators[-1]:
            if neighbour not in visited:
                visited.add(neighbour)
                path.append(neighbour)
                adjacent.append(list(neighbours(neighbour)))
                iterators.append(iter(adjacent[-1]))
                break
        else:
            yield path, adjacent[-1]
            path.pop()
            adjacent.pop()
            iterators.pop()


def postorder(root: Vertex, neighbours: Callable[[Vertex], Iterable[Vertex]]) -> list[Vertex]:
    """Return the vertices reachable from `root`, each after all that are reachable from it, first neighbours first.

    This is the list that the paper's recursive search builds before reversing it (listings 2 and 5).
    """
    return [path[-1] for path, _ in search(root, neighbours)]


def complete(
    known: MutableMapping[Vertex, Known], root: Vertex, needs: Callable[[Vertex], Iterable[Vertex]],
    compute: Callable[[Vertex], Known],
) -> Known:  # fmt: skip
    """Add `compute(root)` to `known`, after all entries that it needs, depth first; return the entry of `root`.

    `needs(vertex)` are the vertices that have to be in `known` before `compute(vertex)` is called. Vertices that are in
    `known` already are not computed again, nor are their needs. Needs must not be circular, or this does not return.
    """
    stack = [root]
    while stack:
        current = stack[-1]
        missing = [] if current in known else [vertex for vertex in needs(current) if vertex not in known]
        if not missing:
            stack.pop()
            if current not in known:
                known[current] = compute(current)
        stack += missing
    return known[root]


def forward_search(graph: Graph, slot: int) -> list[int]:
    """Return the slots that depend on `slot`, and itself, in postorder over children; reversed: the forward tape."""
    return postorder(slot, over_children(graph))


def reverse_search(graph: Graph, slot: int) -> list[int]:
    """Return the slots that `slot` depends on, and itself, in postorder over parents; reversed: the reverse tape.

    Literals are left out.
    """
    return postorder(slot, over_parents(graph))


def over_children(graph: Graph) -> Callable[[int], list[int]]:
    """Return the function from a slot to the slots that use it, ascending, for a forward search."""
    return graph.children().__getitem__


def over_parents(graph: Graph) -> Callable[[int], list[int]]:
    """Return the function from a slot to its parents in order, literals left out, for a reverse search."""
    literal, parents = graph.literal, graph.parents
    return lambda slot: [p for p in parents[slot] if not literal[p]]


def heights(graph: Graph) -> list[int]:
    """Return for each slot its height: 0 for inputs, constants and literals, and 1 + the largest height of its parents.

    A literal operation, such as 1/2, has the height 0.
    """
    height = [0] * len(graph)
    for slot, (parents, literal) in enumerate(zip(graph.parents, graph.literal, strict=True)):
        if parents and not literal:
            if len(parents) == 2:
                left, right = height[parents[0]], height[parents[1]]
                height[slot] = (left if left > right else right) + 1
            else:
                height[slot] = max([height[parent] for parent in parents]) + 1
    return height


def ancestors(graph: Graph, slots: Iterable[int], above: Sequence[tuple[int, ...]] | None = None) -> bytearray:
    """Return a byte for each slot of the graph: 1 for `slots` and all slots that one of them depends on, else 0.

    `above` has the slots that count as the arguments of each slot (None: its parents).
    """
    needed = bytearray(len(graph))
    for slot in slots:
        needed[slot] = 1
    above = graph.parents if above is None else above
    for slot in range(len(needed) - 1, -1, -1):
        if needed[slot]:
            for parent in above[slot]:
                needed[parent] = 1
    return needed


def count_uses(graph: Graph, needed: Sequence[int]) -> Counter[int]:
    """Return how often each slot is an argument of the operations that are marked in `needed`, by slot."""
    return Counter(chain.from_iterable(compress(graph.parents, needed)))


def dependents(graph: Graph, slots: Iterable[int] | None = None) -> bytearray:
    """Return a byte for each slot of the graph: 1 for `slots` (None: the inputs) and all slots that depend on one of
    them (also conditions), else 0.
    """
    active = bytearray(len(graph))
    for slot in graph.inputs if slots is None else slots:
        active[slot] = 1
    for slot, parents in enumerate(graph.parents):
        for parent in parents:
            active[slot] |= active[parent]
    return active


def kinked_slots(graph: Graph, *, seams: bool = False) -> list[tuple[int, dict[Kink, int], tuple[int, ...]]]:
    """Return (slot, kinks, parents) for each slot that depends on an input and whose row has a cell `smooth` (so that
    it may have kinks), in order; with `seams` also if it has a cell `seam`, which counts as a kink of the row.

    `kinks` are the distinct kinks for the arguments that depend on an input, perhaps none, each with the position of
    its first argument (0 for a seam); `parents` are the slots of all arguments.
    """
    slots = []
    kinked = bytes([row is not None and bool(row.smooth or (seams and row.seam)) for row in graph.rows])
    active = dependents(graph) if any(kinked) else b""
    for slot, (row, parents) in enumerate(zip(graph.rows, graph.parents, strict=True)):
        if row is not None and kinked[slot] and active[slot]:
            kinks: dict[Kink, int] = {row.seam: 0} if seams and row.seam else {}
            for position, parent in enumerate(parents):
                kink = row.kink(position)
                if kink is not None and active[parent]:
                    kinks.setdefault(kink, position)
            slots.append((slot, kinks, parents))
    return slots


def inputs_above(graph: Graph) -> list[int]:
    """Return for each slot the inputs that it depends on as a bit set: bit k is the k-th input of the graph."""
    bits = [0] * len(graph)
    for bit, slot in enumerate(graph.inputs):
        bits[slot] = 1 << bit
    for slot, parents in enumerate(graph.parents):
        for parent in parents:
            bits[slot] |= bits[parent]
    return bits


@lru_cache(maxsize=256)
def _natural_key(name: str) -> tuple[str, int, str, str]:
    """Return (name without its final digits, number of digits, digits, name): as a sorting key x2 comes before x10.

    Leading zeros of the digits are dropped, also the only one of x0.
    """
    stem = name.rstrip("0123456789")
    digits = name[len(stem) :].lstrip("0")
    return stem, len(digits), digits, name


def by_appearance(names: Iterable[str]) -> list[str]:
    """Return the distinct names in order of first appearance, but names that differ only in their final digits
    together.

    Such names are at the place of the first one, in order of their numbers (a name without digits first), so that x2
    comes before x10.
    """
    first: dict[str, int] = {}
    keys = map(_natural_key, dict.fromkeys(names))
    positions = sorted((first.setdefault(key[0], position), key) for position, key in enumerate(keys))
    return [key[3] for _, key in positions]


def usable(graph: Graph) -> Graph:
    """Return the graph without slots that no output needs; the graph itself if there are none.  Inputs always stay."""
    needed = ancestors(graph, [slot for _, slot in graph.outputs])
    for slot in graph.inputs:
        needed[slot] = 1
    return graph if needed.find(0) < 0 else _permute(graph, list(compress(range(len(graph)), needed)))


def arrange(graph: Graph, numbering: str = "level", extra: Iterable[str] = ()) -> Graph:
    """Return a new graph with renumbered slots, without operations and literals that no output needs.

    First come all inputs, needed or not (`inputs_in_order`), then literals, then operations. With `numbering` "level"
    these are sorted by height, those of one height as before; with "call" they keep their order. Parents stay before
    children. `extra` names inputs that are added if the graph lacks them. `graph` is not changed.
    """
    graph = _with_inputs(graph, extra)
    return _permute(graph, _arrangement(graph, numbering))


def arrangement(graph: Graph, numbering: str = "level", extra: Iterable[str] = ()) -> list[int]:
    """Return, for each slot of `arrange(graph, numbering, extra)`, its slot in `graph`.

    Inputs in `extra` that the graph lacks have the slots after its last one.
    """
    return _arrangement(_with_inputs(graph, extra), numbering)


def _arrangement(graph: Graph, numbering: str) -> list[int]:
    """Return the slots of a graph in the order of `arrange`: all inputs, then needed literals, then needed operations.

    An output depends on a needed slot. With `numbering` "level" operations are sorted by height; with any other value
    they keep their order.
    """
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
    return [*inputs, *literals, *operations]


def inputs_in_order(graph: Graph) -> dict[str, int]:
    """Return {name: slot} of the inputs in the order of `by_appearance`: of first appearance, but x2 before x10."""
    places = {name: slot for slot, name in graph.inputs.items()}
    return {name: places[name] for name in by_appearance(places)}


def _with_inputs(graph: Graph, names: Iterable[str]) -> Graph:
    """Return the graph itself if it has inputs of all these `names`, or a copy with the missing ones appended, in
    order.
    """
    known, required = set(graph.inputs.values()), dict.fromkeys(names)
    if known.issuperset(required):
        return graph
    graph = _permute(graph, list(range(len(graph))))
    for name in required:
        if name not in known:
            graph.input(name)
    return graph


def _permute(graph: Graph, order: list[int]) -> Graph:
    """Return a new graph whose slot k is slot `order[k]` of `graph`, with parents, outputs and names renumbered.

    Slots that are not in `order` are dropped, with their names; the ranges `assumed` are shared. Raises KeyError if an
    output, or a parent of a slot that stays, is among them. Parents must come before children in `order`.
    """
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
    new.assumed = graph.assumed
    return new


class Unique:
    """A graph whose operations are indexed by function and arguments, so that none is added twice (hash-consing).

    `first` has for each slot of the original graph the first slot with the same expression.  Two constants are the same
    if `constant(slot)` is equal for them; the default compares their texts.  If `commutative` is true, the arguments of
    max, min, a sum and a product may be in any order.
    """

    def __init__(
        self, graph: Graph, constant: Callable[[int], object] | None = None, *, commutative: bool = False
    ) -> None:
        """Set `first`: for each slot the first slot with the same function on the same arguments, by `first` of these.

        Inputs are the same if their names are. `constant(slot)` returns what makes two constants equal (None: their
        texts). With `commutative`, the order of arguments does not matter for rows that commute.
        """
        self.graph = graph
        self.first: list[int] = []
        self._slots: dict[object, int] = {}
        for slot, row in enumerate(graph.rows):
            if row is not None:
                places = [self.first[p] for p in graph.parents[slot]]
                key: object = (row.name, *(sorted(places) if commutative and row.commutes else places))
            elif slot in graph.inputs:
                key = ("input", graph.inputs[slot])
            else:
                key = ("constant", constant(slot) if constant else graph.constants[slot].text)
            self.first.append(self._slots.setdefault(key, slot))

    def apply(self, row: Primitive, parents: tuple[int, ...]) -> int:
        """Return the slot of this operation; it is appended to the graph if the graph does not have it."""
        return self._slot((row.name, *parents), lambda: self.graph.apply(row, parents))

    def constant(self, constant: Constant) -> int:
        """Return the slot of the constant with this text; it is appended to the graph if the graph does not have it."""
        return self._slot(("constant", constant.text), lambda: self.graph.constant(constant))

    def _slot(self, key: object, append: Callable[[], int]) -> int:
        if key not in self._slots:
            self._slots[key] = append()
        return self._slots[key]


def share_subexpressions(graph: Graph) -> Graph:
    """Return a new graph in which identical subexpressions are one slot (common-subexpression elimination).

    The first slot of each stays, in the present order; a + b and b + a are different, and so are constants with
    different texts (0.5 and .5). Of several aliases of one slot the first is kept. Outputs keep their names, and
    operations that no output needs stay.
    """
    place = Unique(graph).first
    keep = [slot for slot, first in enumerate(place) if slot == first]
    merged = graph.copy()
    merged.parents = [tuple([place[p] for p in parents]) for parents in graph.parents]
    merged.outputs = [(name, place[slot]) for name, slot in graph.outputs]
    merged.aliases = {}
    for slot, alias in graph.aliases.items():
        merged.aliases.setdefault(place[slot], alias)
    return _permute(merged, keep)


_TOP = -1  # an artificial slot whose parents are all outputs


def meaning_key(graph: Graph) -> Hashable:
    """Return a key that is equal for two graphs whose outputs are the same operations on the same inputs.

    What does not matter: the order and the spans of slots, aliases, and operations that no output needs. What matters:
    the names of all inputs, in the order of `by_appearance`, the names and order of the outputs, the order of
    arguments, and whether a slot is used twice or two slots hold the same operation or constant. Constants are compared
    by value; named ones, and those with exponents beyond ±1200 or more than 1200 characters, by text.
    """
    from ..numbers.exact import read_fraction  # loads fractions, and few graphs are compared

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
            constant = graph.constants[slot]
            number = None if constant.named else read_fraction(constant.text)
            operations.append((constant.named, constant.text) if number is None else (False, number))
    outputs = tuple([(name, place[slot]) for name, slot in graph.outputs])
    return tuple(operations), tuple(by_appearance(graph.inputs.values())), outputs
