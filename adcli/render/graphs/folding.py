"""Folding of large diagrams: a long sum becomes one node, and of repeated parts only the first and last are shown. A
node rules (dominates) the nodes all of whose paths to a result go through it.

Folded nodes are counted and named. A node with those that it rules is a *part*, which has one exit. Parts are alike if
their functions, their structure and the visits of the highlighted sweep are equal; numbers and inputs from outside may
differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from graphlib import TopologicalSorter
from heapq import heappop, heappush

from ...records import NamedTuple, grouped
from .diagram import FOLD, Diagram, Edge, Fold, Vertex

FEW = 40  # diagrams of at most this number of nodes are not folded
_TERMS = 6  # least number of terms of a sum that becomes one node
_ALIKE = 5  # least number of similar parts that are folded
_LONGEST_ROUND = 64  # longest repeated sequence of nodes
_ROUNDS = 8
_WORK = 400_000  # nodes visited

Code = tuple[object, ...]


class _FoldedNodes(NamedTuple):
    """Nodes that become one: `places` are the indices of these nodes, `vertex` is the node that is shown instead.

    `terms` is True for a sum: the edges into it stay separate, instead of being joined to one with their number.
    """

    places: frozenset[int]
    vertex: Vertex
    terms: bool


def fold_diagram(diagram: Diagram) -> Diagram:
    """Return the diagram with long sums, then repetitions folded; unchanged if it has at most `FEW` (40) nodes.

    Repetitions are folded in up to `_ROUNDS` (8) rounds, until nothing repeats or at most 20 nodes are left. The result
    may still have more than 40 nodes.
    """
    if len(diagram.vertices) <= FEW:
        return diagram
    diagram = _contract(diagram, list(_fold_sums(diagram)))
    for _ in range(_ROUNDS):
        groups = _Parts(diagram).groups() if len(diagram.vertices) > FEW // 2 else []
        if not groups:
            break
        diagram = _contract(diagram, groups)
    return diagram


# --- sums -------------------------------------------------------------------------------------------------------------


def _fold_sums(diagram: Diagram) -> Iterator[_FoldedNodes]:
    """Yield a group for each chain of sums, in which each sum is the first term (or minuend) of the next alone.

    A sum inside a chain must not be an output or have a label other than its name. Chains that end later come first.
    Chains of fewer than `_TERMS` (6) terms, that is of fewer than 5 sums, are skipped, and so are those whose formulas
    do not continue each other (`_fold_chain`).
    """
    arriving, leaving = _neighbours(diagram)
    vertices = diagram.vertices
    before: dict[int, int] = {}  # the sum that is the first term
    for place, vertex in enumerate(vertices):
        first = next((edge for edge in arriving[place] if edge.position == 0), None)
        if first is None or not vertex.is_sum:
            continue
        under = vertices[first.source]
        if under.is_sum and len(leaving[first.source]) == 1 and under.kind != "output" and under.label == under.name:
            before[place] = first.source
    for place in sorted(before.keys() - before.values(), reverse=True):
        chain = [place]
        while chain[-1] in before:
            chain.append(before[chain[-1]])
        if len(chain) + 1 >= _TERMS:
            group = _fold_chain(vertices, chain[::-1])
            if group is not None:
                yield group


def _fold_chain(vertices: Sequence[Vertex], chain: Sequence[int]) -> _FoldedNodes | None:
    """Return a `chain` of sums, each an argument of the next, as one node in place of all of them.

    None if a formula does not begin with the label of the sum before it and a blank. The node is the last vertex with
    other lines: `name = first formula + … last term` (the term with its sign), the further lines of the last vertex,
    and `(5 intermediate sums: v1 … v5)` for all sums but the last. `terms` is True.
    """
    terms: list[str] = []
    for k, place in enumerate(chain):
        formula = vertices[place].lines[0].rpartition(" = ")[2]
        if k:
            start = vertices[chain[k - 1]].label
            if not formula.startswith(f"{start} "):
                return None
            formula = formula.removeprefix(start)
        terms.append(formula)
    last = vertices[chain[-1]]
    named = last.lines[0].rpartition(" = ")[0]
    names = [vertices[place].name for place in chain[:-1]]
    first = f"{named} = {terms[0]} + …{terms[-1]}"
    lines = (first, *last.lines[1:], f"({len(names)} intermediate sums: {_name_range(names)})")
    return _FoldedNodes(frozenset(chain), last._replace(lines=lines), terms=True)


# --- what repeats -----------------------------------------------------------------------------------------------------


class _Parts:
    """The parts of a diagram as a tree: each node is under the one that rules it most closely; `top` is over all
    results.

    A node rules another one if all paths from that to a result go through it. Nodes are named by their places in the
    diagram.
    """

    def __init__(self, diagram: Diagram) -> None:
        """Build the dominator tree of a diagram, whose nodes must be in topological order.

        Sets for each node `ruler` (its immediate dominator towards the results), `under` (the nodes that it rules
        directly) and `size` (the number of nodes that it rules, and itself). `top` is one more node that rules all.
        `work` counts visited nodes.
        """
        self.diagram = diagram
        self.arriving, self.leaving = _neighbours(diagram)
        self.top = len(diagram.vertices)
        self.targets = [tuple(sorted({edge.target for edge in edges})) for edges in self.leaving]
        self.ruler = self._find_rulers()
        self.under: list[list[int]] = [[] for _ in range(self.top + 1)]
        for place in range(self.top):
            self.under[self.ruler[place]].append(place)
        self.size = [1] * (self.top + 1)
        for place in range(self.top):  # what is ruled comes before what rules
            self.size[self.ruler[place]] += self.size[place]
        self.work = 0

    def _find_rulers(self) -> list[int]:
        """Return the ruler (immediate dominator) of each node: the nearest node on all its paths to results.

        The ruler is `top`, the number of nodes, for results (nodes without targets) and for nodes whose paths to
        results have no node in common. The list has one more entry, for `top` itself. Edges must go to later nodes.
        """
        ruler = [self.top] * (self.top + 1)
        for place in range(self.top - 1, -1, -1):
            common: int | None = None
            for target in self.targets[place]:
                other = common if common is not None else target
                while other != target:
                    if other < target:
                        other = ruler[other]
                    else:
                        target = ruler[target]
                common = other
            ruler[place] = self.top if common is None else common
        return ruler

    def groups(self) -> list[_FoldedNodes]:
        """Return the groups to fold at once, siblings (`_fold_siblings`) and rounds of loops (`_fold_loops`).

        Groups of more nodes come first, and of equally large ones siblings. A group that shares a node with an earlier
        group is left out.
        """
        chosen: list[_FoldedNodes] = []
        taken: set[int] = set()
        for group in sorted((*self._fold_siblings(), *self._fold_loops()), key=lambda group: -len(group.places)):
            if taken.isdisjoint(group.places):
                taken |= group.places
                chosen.append(group)
        return chosen

    def _fold_siblings(self) -> Iterator[_FoldedNodes]:
        """Yield a group for each set of at least `_ALIKE` (5) similar parts: all of them but the first and the last.

        A part is a node with all that it rules. The nodes of a set have the same immediate dominator and edges to the
        same nodes, and the sizes and structure codes of their parts are equal.
        """
        for children in self.under:
            if len(children) < _ALIKE:
                continue
            for places in grouped(((self.targets[place], self.size[place]), place) for place in children).values():
                compared = places if len(places) >= _ALIKE else ()
                for similar in grouped((self._structure_code(place), place) for place in compared).values():
                    if len(similar) >= _ALIKE:
                        yield self._fold_middle([self._part_nodes(place) for place in similar])

    def _fold_loops(self) -> Iterator[_FoldedNodes]:
        """Yield the middle rounds of loops as groups (`_fold_rounds`); each round takes the result of the previous one.

        Loops are looked for along chains. Each node of a chain is followed by the node that rules most among those that
        it rules directly (`under`). Chains of fewer than `_ALIKE` (5) nodes are skipped.
        """
        heavy = [max(children, key=self.size.__getitem__, default=-1) for children in self.under[: self.top]]
        inner = set(heavy)
        for start in range(self.top):
            row = [] if start in inner else [start]
            while row and heavy[row[-1]] >= 0:
                row.append(heavy[row[-1]])
            if len(row) >= _ALIKE:
                yield from self._fold_rounds(row)

    def _fold_rounds(self, row: Sequence[int]) -> Iterator[_FoldedNodes]:
        """Yield the middle rounds of each repetition of at least `_ALIKE` (5) similar rounds along `row` as a group.

        `row` is a chain of nodes, each of which rules (dominates) the next. A round is one or several neighbours in
        `row` with all that they rule, without the nodes that the next round rules. The best repetition
        (`_best_repetition`) is taken first, then those behind it in `row`, then those before it. Groups that a path
        leaves and enters again are left out, and the search goes on behind and before them. Rounds are in the order of
        computation, that is, from the end of `row`.
        """
        known: dict[Code, int] = {}
        below = [*row[1:], -1]
        codes = [known.setdefault(self._structure_code(*pair), len(known)) for pair in zip(row, below, strict=True)]
        pending = [(0, len(row))]
        while pending:
            low, high = pending.pop()
            start, length, count = _best_repetition(codes[low:high])
            if count < _ALIKE:
                continue
            first, end = low + start, low + start + length * count
            starts = range(end - length, first - 1, -length)
            rounds = [[p for k in range(at, at + length) for p in self._part_nodes(row[k], below[k])] for at in starts]
            group = self._fold_middle(rounds)
            if self._is_closed(group.places):
                yield group
            pending += [(low, first), (end, high)]

    def _part_nodes(self, place: int, without: int = -1) -> list[int]:
        """Return the nodes of the part of `place` (this node and all that it rules), ascending; the node `without` (-1:
        no node) and all that it rules are left out.
        """
        inside = [place]
        for other in inside:
            inside += [p for p in self.under[other] if p != without]
        return sorted(inside)

    def _structure_code(self, start: int, before: int = -1) -> Code:
        """Return a code of the structure of the part of `start` (this node and all it rules), equal for similar parts.

        The code lists nodes in depth-first order. A node that was listed before is its number; one that is not in the
        part is `outside`; each other node is (operator, kind, reached, positions of its arguments). If `before` is a
        node of the part (-1: none), it is listed as `before`, and the nodes that it rules as `outside`. A node of kind
        FOLD is unlike all others. So is every node after `_WORK` (400000) visits in all calls together; `work` counts
        the visits.
        """
        inside = set(self._part_nodes(start, before))
        numbers: dict[int, int] = {}
        code: list[object] = []
        stack = [start]
        while stack:
            place = stack.pop()
            self.work += 1
            if place in numbers:
                code.append(numbers[place])
                continue
            numbers[place] = len(numbers)
            if place == before:
                code.append("before")
            elif place not in inside:
                code.append("outside")
            else:
                vertex = self.diagram.vertices[place]
                edges = self.arriving[place]
                code.append((vertex.operator, vertex.kind, vertex.reached, tuple(edge.position for edge in edges)))
                if self.work > _WORK or vertex.kind == FOLD:
                    code.append(("alone", place))
                else:
                    stack += [edge.source for edge in reversed(edges)]
        return tuple(code)

    def _fold_middle(self, parts: Sequence[list[int]]) -> _FoldedNodes:
        """Return all `parts` (lists of nodes) but the first and the last as one node of kind FOLD.

        Its lines are `… N more like label`, with the label of the last node of the first part, and the labels of the
        folded nodes (three or more as a range); of a FOLD node among these, the names that it stands for. The number of
        nodes comes first if it is larger than N, the number of folded parts. The node's name is `… first label`, its
        label that of the only exit (a node whose ruler is not folded), or, with several exits, the range of labels. The
        level is 0 for now. The node is reached if any folded node is.
        """
        vertices = self.diagram.vertices
        inside = sorted(place for part in parts[1:-1] for place in part)
        like = vertices[max(parts[0])].label  # what all of a part goes through comes last
        names = [name for place in inside for name in _folded_names(self.diagram, place)]
        count = f"{len(names)} nodes, " if len(names) > len(parts) - 2 else ""
        exits = [place for place in inside if self.ruler[place] not in set(inside)]
        label = vertices[exits[0]].label if len(exits) == 1 else _name_range(names)
        lines = (f"… {len(parts) - 2} more like {like}", f"{count}{_name_range(names)}")
        reached = any(vertices[place].reached for place in inside)
        return _FoldedNodes(frozenset(inside), Vertex(f"… {names[0]}", label, 0, lines, FOLD, reached), terms=False)

    def _is_closed(self, places: frozenset[int]) -> bool:
        """Return whether no path leaves the nodes in `places` and comes back to them, that is, whether they can be
        folded.

        Nodes are in topological order; only those of the diagram count, not `top`.
        """
        outside = bytearray(self.top)
        for place in range(self.top):
            for edge in self.arriving[place]:
                if outside[edge.source] or (edge.source in places and place not in places):
                    outside[place] = 1
        return not any(outside[place] for place in places)


def _best_repetition(codes: Sequence[int]) -> tuple[int, int, int]:
    """Return (start, length, count) of the repeated sequence in `codes` that folds most elements, (count - 2) * length.

    Only lengths up to `_LONGEST_ROUND` (64) and at least `_ALIKE` (5) repetitions count; (0, 0, 0) if there is no such
    sequence. A run of repetitions starts as early as possible and may end in an incomplete one, which is not counted.
    Of equals the shortest length is taken, then the last run.
    """
    best, most = (0, 0, 0), 0
    for length in range(1, min(_LONGEST_ROUND, len(codes) // _ALIKE) + 1):
        same = 0
        for k in range(len(codes) - length - 1, -2, -1):
            if k >= 0 and codes[k] == codes[k + length]:
                same += 1
                continue
            count = (same + length) // length
            if count >= _ALIKE and (count - 2) * length > most:
                best, most = (k + 1, length, count), (count - 2) * length
            same = 0
    return best


# --- contraction ------------------------------------------------------------------------------------------------------


def _neighbours(diagram: Diagram) -> tuple[list[list[Edge]], list[list[Edge]]]:
    """Return (edges into each node, edges out of each node), two lists by the node's place.

    Edges in are sorted by the position of the argument, edges out are in the diagram's order; a node without any has
    [].
    """
    arriving: list[list[Edge]] = [[] for _ in diagram.vertices]
    leaving: list[list[Edge]] = [[] for _ in diagram.vertices]
    for edge in diagram.edges:
        arriving[edge.target].append(edge)
        leaving[edge.source].append(edge)
    for edges_in in arriving:
        edges_in.sort(key=lambda edge: edge.position)
    return arriving, leaving


def _folded_names(diagram: Diagram, place: int) -> list[str]:
    """Return the label of a node and the names of the nodes folded into it; a FOLD node has only the latter."""
    inside = [name for fold in diagram.folds if fold.place == place for name in fold.names]
    vertex = diagram.vertices[place]
    return inside if vertex.kind == FOLD else [*inside, vertex.label]


def _name_range(names: Sequence[str]) -> str:
    """Return the names as `a` or `a, b`; three or more as `first … last`."""
    return ", ".join(names) if len(names) < 3 else f"{names[0]} … {names[-1]}"


def _contract(diagram: Diagram, groups: Sequence[_FoldedNodes]) -> Diagram:
    """Return the diagram with every group as one node, its `vertex`, in topological order and with new levels (the
    longest path from a node without arguments).

    The Fold of a group has its place, the names of its nodes (for a FOLD node all names that it stands for; not the
    last node of a folded sum, which is still shown), and the number of edges in it. Several edges to or from a FOLD
    node become one edge with their number. Without groups the diagram is unchanged.
    """
    if not groups:
        return diagram
    representatives = list(range(len(diagram.vertices)))  # the node shown for each: the last of its group
    vertices = list(diagram.vertices)
    folds = {fold.place: fold for fold in diagram.folds}
    for group in groups:
        last = max(group.places)
        vertices[last] = group.vertex
        inside = sorted(group.places)[: -1 if group.terms else None]
        names = [diagram.vertices[p].name for p in inside if diagram.vertices[p].kind != FOLD]
        edges = 0
        for place in group.places:
            representatives[place] = last
            old = folds.pop(place, Fold(place, (), 0))
            names += old.names
            edges += old.edges
        folds[last] = Fold(last, tuple(names), edges)
    kept = _contract_edges(diagram, vertices, representatives, folds)
    order = _topological_order(sorted(set(representatives)), kept)
    place_of = {old: new for new, old in enumerate(order)}
    edges_now = [edge._replace(source=place_of[edge.source], target=place_of[edge.target]) for edge in kept]
    edges_now.sort(key=lambda edge: edge.target)
    levels = [0] * len(order)
    for edge in edges_now:
        levels[edge.target] = max(levels[edge.target], levels[edge.source] + 1)
    shown = [vertices[old]._replace(level=level) for old, level in zip(order, levels, strict=True)]
    new_folds = tuple(fold._replace(place=place_of[fold.place]) for _, fold in sorted(folds.items()))
    return diagram._replace(vertices=shown, edges=edges_now, folds=new_folds)


def _contract_edges(
    diagram: Diagram, vertices: Sequence[Vertex], representatives: Sequence[int], folds: dict[int, Fold]
) -> list[Edge]:
    """Return the edges between shown nodes; the number of edges inside a group is added to its entry in `folds`.

    `representatives` maps each node to the node that is shown for it, `vertices` has the nodes after folding. Edges
    between the same two nodes, one of them a FOLD, become one edge, in the place of the first, labelled `N edges`,
    which is reached if one of them is. Edges that were joined before count with their number `many`. A single edge into
    a FOLD node loses its label. Edges from nodes other than FOLD into a folded sum (a node of another kind in `folds`)
    get new positions 0, 1, ….
    """
    edges: list[Edge] = []
    joined: dict[tuple[int, int], int] = {}
    terms: dict[int, int] = {}
    for edge in diagram.edges:
        source, target = representatives[edge.source], representatives[edge.target]
        if source == target:
            folds[target] = folds[target]._replace(edges=folds[target].edges + edge.many)
        elif FOLD not in (vertices[source].kind, vertices[target].kind):
            position = edge.position
            if target in folds:  # a sum of many terms
                position = terms[target] = terms.get(target, -1) + 1
            edges.append(edge._replace(source=source, target=target, position=position))
        elif (source, target) in joined:
            place = joined[source, target]
            many = edges[place].many + edge.many
            reached = edges[place].reached or edge.reached
            edges[place] = edges[place]._replace(many=many, label=f"{many} edges", reached=reached)
        else:
            joined[source, target] = len(edges)
            edges.append(edge._replace(source=source, target=target))
    is_single = [edge.many == 1 and vertices[edge.target].kind == FOLD for edge in edges]
    return [edge._replace(label="") if alone else edge for edge, alone in zip(edges, is_single, strict=True)]


def _topological_order(places: Sequence[int], edges: Sequence[Edge]) -> list[int]:
    """Return `places` (ascending) in topological order, so that every edge goes to a later one.

    Of the places that are ready the smallest comes first. Edges must connect these places only, without a cycle.
    """
    sorter = TopologicalSorter(dict.fromkeys(places, ()))
    for edge in edges:
        sorter.add(edge.target, edge.source)
    sorter.prepare()
    ready: list[int] = []
    order: list[int] = []
    while sorter.is_active():
        for place in sorter.get_ready():
            heappush(ready, place)
        order.append(heappop(ready))
        sorter.done(order[-1])
    return order
