"""Text picture of a diagram: columns of nodes by level with lines between them, or a list if that does not fit. A place
is a node or a bend, where an edge passes a level; a net is all lines from a place to the next level, its lane the
column in which they run up and down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from ...errors import visible, width
from ...records import NamedTuple, grouped
from ..document_parts import Table, ascii_text, pad
from .diagram import Diagram, in_words
from .drawing import layers_of
from .layers import arriving_edges, tops
from .letters import shorten

_LONGEST, _LONGEST_LABEL = 40, 12  # characters
_MOST_NODES = 60  # lines do not help with more nodes
_MOST_SHIFTS = 200
_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_LINES = {
    3: "│", 12: "─", 10: "┌", 6: "┐", 9: "└", 5: "┘", 11: "├", 7: "┤", 14: "┬", 13: "┴", 15: "┼", 1: "│", 2: "│",
    4: "─", 8: "─",
}  # fmt: skip
_ASCII_LINES = {1: "|", 2: "|", 3: "|", 4: "-", 8: "-", 12: "-"}


def draw(diagram: Diagram, columns: int, ascii_only: bool = False) -> str | None:
    """Return the diagram as lines of at most `columns` columns, each with a line break, with its captions below (which
    may be longer).

    None if the picture is wider, if its lines would overlap, if an edge is too long to be drawn through all levels, or
    if there are more than 60 nodes. If a sweep is shown, the nodes that it does not visit are in ( ) instead of [ ].
    The title is not shown. With `ascii_only` the picture is in ASCII characters.
    """
    if len(diagram.vertices) > _MOST_NODES:
        return None
    if ascii_only:
        diagram = _in_ascii(diagram)
    picture = _Canvas(diagram).text(columns, ascii_only)
    captions = [visible(line.replace("shaded:", "in [ ]:")) for line in diagram.captions]
    return picture if picture is None or not captions else "\n".join([picture, *captions, ""])


def _in_ascii(diagram: Diagram) -> Diagram:
    """Return the diagram with the lines of nodes, labels of edges and caption in ASCII; names and title stay."""
    vertices = [v._replace(lines=tuple(ascii_text(line) for line in v.lines)) for v in diagram.vertices]
    edges = [edge._replace(label=ascii_text(edge.label)) for edge in diagram.edges]
    return diagram._replace(vertices=vertices, edges=edges, caption=ascii_text(diagram.caption))


def node_table(diagram: Diagram) -> Table:
    """Return a table of the nodes by level: level, lines (joined into one), parents (`label (label of the edge)`,
    separated by commas).

    If the diagram has a caption, a fourth column says which nodes the sweep visits (`visited` or empty). There is a
    header and a rule between levels; the title is the captions.
    """
    sources = ((edge, diagram.vertices[edge.source].label) for edge in diagram.edges)
    coming = grouped((edge.target, f"{name} ({edge.label})" if edge.label else name) for edge, name in sources)
    rows: list[tuple[str, ...]] = []
    for place in sorted(range(len(diagram.vertices)), key=lambda place: diagram.vertices[place].level):
        vertex = diagram.vertices[place]
        mark = ("visited" if vertex.reached else "",) if diagram.caption else ()
        rows.append((str(vertex.level), in_words(vertex.lines), ", ".join(coming.get(place, ())), *mark))
    rules = [k for k, (above, below) in enumerate(pairwise(rows), 1) if above[0] != below[0]]
    header = ("level", "node", "from", *(("sweep",) if diagram.caption else ()))
    return Table(rows, header, tuple(rules), "; ".join(diagram.captions))


class _Canvas:
    """A diagram on a grid of characters.

    `top` is the first row of each node or bend, `entries` the position of each edge among the edges into its node.
    """

    def __init__(self, diagram: Diagram) -> None:
        """Measure the boxes of a diagram in characters and place its levels in columns; nothing is drawn yet.

        Lines are cut at 40 characters, labels at 12. Boxes are as high as the number of their lines or of the edges
        into them, if that is more. Nodes that are not visited by a sweep that is shown are in ( ), others in [ ]. Sets
        for each node `wide` (columns) and `lines` (with brackets, padded), for each edge `entries` (its row in the box
        of its target) and `labels`, and for each node and bend `heights` (rows, 1 for a bend) and `top` (first row).
        """
        self.diagram = diagram
        self.layers = layers_of(diagram)
        brackets = [("(", ")") if diagram.caption and not vertex.reached else ("[", "]") for vertex in diagram.vertices]
        lines = [[visible(shorten(line, _LONGEST)) for line in vertex.lines] for vertex in diagram.vertices]
        self.wide = [max(width(line) for line in node_lines) + 2 for node_lines in lines]
        self.entries, counts = self._entries()
        self.lines = [
            [f"{left}{pad(line, wide - 2)}{right}" for line in [*node_lines, *[""] * (count - len(node_lines))]]
            for node_lines, wide, count, (left, right) in zip(lines, self.wide, counts, brackets, strict=True)
        ]
        bends = len(self.layers.level) - self.layers.nodes
        self.heights = [*map(len, self.lines), *[1] * bends]
        self.labels = [visible(shorten(edge.label, _LONGEST_LABEL)) for edge in diagram.edges]
        self.top = [round(y) for y in tops(self.layers, self.heights, self._gap)]
        self.cells: dict[tuple[int, int], str] = {}
        self.strokes: dict[tuple[int, int], dict[int, int]] = {}

    def _entries(self) -> tuple[list[int], list[int]]:
        """Return (position of each edge among the edges into its node, number of edges into each node).

        The first list is by edge; edges into a node are counted from 0, in the order of their parents' places in the
        level before, then of the arguments. The second list is by node; a node needs as many lines.
        """
        order = {place: k for row in self.layers.rows for k, place in enumerate(row)}
        positions = [edge.position for edge in self.diagram.edges]
        arriving = arriving_edges(self.layers, positions, order.__getitem__)
        entries = [0] * len(positions)
        for edges in arriving:
            for place, k in enumerate(edges):
                entries[k] = place
        return entries, [len(edges) for edges in arriving]

    def _gap(self, above: int, below: int) -> int:
        """Return the blank rows between neighbours of a column: 1 between nodes if one has several lines, else 0."""
        nodes = above < self.layers.nodes and below < self.layers.nodes
        return 1 if nodes and max(self.heights[above], self.heights[below]) > 1 else 0

    def text(self, columns: int, ascii_only: bool) -> str | None:
        """Return the picture, with `ascii_only` in ASCII characters.

        None if it is wider than `columns`, if its lines would overlap, or if an edge does not go from one level to the
        next. Moves nodes down and fills `cells` and `strokes`; to be called once.
        """
        rows, layers = self.layers.rows, self.layers
        if any(layers.level[b] != layers.level[a] + 1 for path in layers.paths for a, b in pairwise(path)):
            return None
        left = 0
        for level, row in enumerate(rows):
            self._push_down(row, 0)
            nets, chosen = self._route(level - 1) if level else ({}, [])
            if chosen is None:
                return None
            gap = self._gap_width(level, chosen) if level else 0
            wide = max((self.wide[place] for place in row if place < layers.nodes), default=0)
            if left + gap + wide > columns:
                return None
            for (place, net), lane in zip(nets.items(), chosen, strict=True):
                self._draw_net(place, net, left, gap, lane)
            left += gap
            self._draw_level(row, left, wide, level)
            left += wide
        return self._join_cells(ascii_only)

    def _push_down(self, row: Sequence[int], start: int) -> None:
        """Move the places of a level, `row`, down, in `top`, until none overlap; those before index `start` stay."""
        for above, below in pairwise(row[max(start - 1, 0) :]):
            self.top[below] = max(self.top[below], self.top[above] + self.heights[above] + self._gap(above, below))

    def _route(self, level: int) -> tuple[dict[int, Net], list[int] | None]:
        """Return (nets by source, lane of each net in the same order) for the lines from `level` to the next.

        If lanes without overlap do not exist, the node or bend of the next level at the row in conflict moves down by
        one, and those below it as needed (in place, in `top`). This is repeated at most 200 times; then the result is
        ({}, None).
        """
        row = self.layers.rows[level + 1]
        for _ in range(_MOST_SHIFTS):
            nets = self._level_nets(level)
            result = assign_lanes(list(nets.values()))
            if not isinstance(result, int):
                return nets, result
            moved = next(k for k, p in enumerate(row) if self.top[p] <= result < self.top[p] + self.heights[p])
            self.top[row[moved]] += 1
            self._push_down(row, moved + 1)
        return {}, None

    def _level_nets(self, level: int) -> dict[int, Net]:
        """Return the nets from a level to the next one, by the place that they leave, in ascending order of the numbers
        of places.

        A Net has the row in which its lines leave and the rows in which they enter, ascending and each once. Bends
        count as places; a place without an edge to the next level has no net.
        """
        targets: dict[int, set[int]] = {}
        for k, path in enumerate(self.layers.paths):
            for a, b in pairwise(path):
                if self.layers.level[a] == level:
                    row = self.top[b] + (self.entries[k] if b < self.layers.nodes else 0)
                    targets.setdefault(a, set()).add(row)
        return {place: Net(self.top[place], tuple(sorted(rows))) for place, rows in sorted(targets.items())}

    def _gap_width(self, level: int, chosen: Sequence[int]) -> int:
        """Return the columns before a level: two for each lane in `chosen`, then the longest label and the arrow."""
        ends = (k for k, edge in enumerate(self.diagram.edges) if self.layers.level[edge.target] == level)
        longest = max((width(self.labels[k]) for k in ends), default=0)
        return 2 * max(chosen, default=-1) + 3 + (longest + 2 if longest else 1)

    def _draw_net(self, place: int, net: Net, left: int, gap: int, lane: int) -> None:
        """Draw the edges from `place`, whose rows `net` has, in the gap of `gap` columns that starts at column `left`,
        into `strokes`.

        `lane` is the number of the upright line that they use, in column `left` + 1 + 2 `lane`; -1 is a straight line
        across.
        """
        end = left + gap
        if lane < 0:
            self._across(place, net.source, left, end)
            return
        x = left + 1 + 2 * lane
        self._across(place, net.source, left, x)
        self._stroke(place, net.source, x, _LEFT)
        top, bottom = net.span
        for row in range(top, bottom + 1):
            self._stroke(place, row, x, (_UP if row > top else 0) | (_DOWN if row < bottom else 0))
        for row in net.targets:
            self._stroke(place, row, x, _RIGHT)
            self._across(place, row, x + 1, end)

    def _across(self, net: int, row: int, start: int, end: int) -> None:
        """Add a horizontal line of the net that starts at the place `net` to `strokes`: in `row`, from column `start`
        to before `end`.
        """
        for x in range(start, end):
            self._stroke(net, row, x, _LEFT | _RIGHT)

    def _stroke(self, net: int, row: int, x: int, ends: int) -> None:
        """Add ends of a line to the cell (`row`, `x`) in `strokes`; `ends` is a mask of _UP, _DOWN, _LEFT and _RIGHT,
        `net` the place at which the line's net starts.
        """
        here = self.strokes.setdefault((row, x), {})
        here[net] = here.get(net, 0) | ends

    def _draw_level(self, row: Sequence[int], left: int, wide: int, level: int) -> None:
        """Put the nodes of `level` (its places are `row`) on the grid, into the `wide` columns from `left` on.

        The labels and arrows of the edges that end in the level are put before these columns. Lines that pass the
        level, and lines from the first row of narrower nodes, are drawn to the right end of the columns.
        """
        for place in row:
            if place >= self.layers.nodes:
                self._across(place, self.top[place], left, left + wide)
                continue
            for k, line in enumerate(self.lines[place]):
                self._put(self.top[place] + k, left, line)
            if self.layers.after[place]:
                self._across(place, self.top[place], left + self.wide[place], left + wide)
        for k, edge in enumerate(self.diagram.edges):
            if self.layers.level[edge.target] == level:
                at = self.top[edge.target] + self.entries[k]
                self._put(at, left - 1, "→")
                self._put(at, left - 2 - width(self.labels[k]), self.labels[k])

    def _put(self, row: int, x: int, text: str) -> None:
        """Put a text on the grid `cells`, from column `x` on: all of it in its first cell, empty texts in the other
        cells that it covers.
        """
        for k in range(width(text)):
            self.cells[row, x + k] = "" if k else text

    def _join_cells(self, ascii_only: bool) -> str:
        """Return the grid as text, without trailing blanks and empty rows above; with a line break at the end.

        With `ascii_only` lines are `+`, `-` and `|`, arrows `>`. Texts cover lines. Where lines cross in a cell, the
        one that leaves the cell upwards and downwards is on top. The signs of lines are added to `cells`, so that this
        method is to be called once. An empty grid gives one line break.
        """
        for (row, x), nets in self.strokes.items():
            # where lines cross, the one that goes up and down lies above
            ends = max(nets.values(), key=lambda mask: mask & (_UP | _DOWN))
            self.cells.setdefault((row, x), _ASCII_LINES.get(ends, "+") if ascii_only else _LINES[ends])
        first = min((row for row, _ in self.cells), default=0)
        grid: list[dict[int, str]] = [{} for _ in range(first, max((row for row, _ in self.cells), default=-1) + 1)]
        for (row, x), text in self.cells.items():
            grid[row - first][x] = ">" if ascii_only and text == "→" else text
        lines = ("".join(cells.get(x, " ") for x in range(max(cells, default=-1) + 1)).rstrip() for cells in grid)
        return "\n".join(lines) + "\n"


# --- routing of lines between two columns: every source has its own lane, in which its line goes up or down -----------


class Net(NamedTuple):
    """The lines from one place to the next level: the row `source` in which they leave, and the rows `targets` in which
    they enter.
    """

    source: int
    targets: tuple[int, ...]

    @property
    def straight(self) -> bool:
        """Return whether the lines only go across: they enter in the row in which they leave, and in no other."""
        return set(self.targets) == {self.source}

    @property
    def span(self) -> tuple[int, int]:
        """Return (first row, last row) of all rows in which the lines leave or enter."""
        return min(self.source, *self.targets), max(self.source, *self.targets)


def assign_lanes(nets: Sequence[Net]) -> list[int] | int:
    """Return the lane of each of `nets`, from the left (-1 for a straight one), so that no two lines share a cell.

    Lane 0 is the leftmost. A net that enters in a row from which another one, not straight, leaves has a lane to the
    right of that one's. Nets whose rows do not overlap may share a lane. If no order of lanes is possible, because such
    nets form a cycle, the result is an int instead of a list: the row of an entry that must be moved.
    """
    leaving = {net.source: k for k, net in enumerate(nets) if not net.straight}
    # a line that leaves in a row must turn before another one enters in that row
    earlier = {k: {leaving[row] for row in net.targets if row in leaving} - {k} for k, net in enumerate(nets)}
    chosen = [-1] * len(nets)
    taken: list[list[tuple[int, int]]] = []
    pending = sorted((k for k, net in enumerate(nets) if not net.straight), key=lambda k: nets[k].span)
    placed: set[int] = set()
    while pending:
        ready = next((k for k in pending if earlier[k] <= placed), None)
        if ready is None:
            return _row_in_cycle(nets, leaving, earlier, placed, pending[0])
        pending.remove(ready)
        placed.add(ready)
        least = 1 + max((chosen[k] for k in earlier[ready]), default=-1)
        chosen[ready] = _free_lane(taken, nets[ready].span, least)
    return chosen


def _row_in_cycle(
    nets: Sequence[Net], leaving: Mapping[int, int], earlier: Mapping[int, set[int]], placed: set[int], start: int
) -> int:
    """Return a row that prevents an order of lanes: a net enters in it, and another net without a lane leaves from it.

    The entering net is part of a cycle, in which each net must come before the next; of its rows of this kind the
    smallest is returned. The search for the cycle begins at the net `start`. `earlier` has for each net those that must
    come before it, `placed` the nets that have a lane, `leaving` the net that leaves from a row.
    """
    seen: list[int] = []
    k = start
    while k not in seen:
        seen.append(k)
        k = min(earlier[k] - placed)
    return min(row for row in nets[k].targets if leaving.get(row, k) not in (k, *placed))


def _free_lane(taken: list[list[tuple[int, int]]], span: tuple[int, int], least: int) -> int:
    """Return the first lane from `least` on that is free in the rows of `span`, and mark it as taken there.

    `span` is (first row, last row), both included. `taken` has the spans of each lane; it gets this span in place, and
    more lanes if there are too few.
    """
    lane = least
    while lane < len(taken) and any(top <= span[1] and span[0] <= bottom for top, bottom in taken[lane]):
        lane += 1
    while len(taken) <= lane:
        taken.append([])
    taken[lane].append(span)
    return lane
