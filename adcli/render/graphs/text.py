"""A diagram in characters: columns of nodes by level, and lines between them; or a list, where it does not fit."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ...errors import visible, width
from ..document_parts import Table, ascii_text, padded
from .diagram import Diagram, in_words
from .layers import layered
from .letters import shortened
from .routing import Net, lanes
from .spacing import tops

_LONGEST, _LONGEST_LABEL = 40, 12  # characters
_MOST_NODES = 60  # beyond, lines are no help
_MOST_SHIFTS = 200
_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_LINES = {
    3: "│", 12: "─", 10: "┌", 6: "┐", 9: "└", 5: "┘", 11: "├", 7: "┤", 14: "┬", 13: "┴", 15: "┼", 1: "│", 2: "│",
    4: "─", 8: "─",
}  # fmt: skip
_ASCII_LINES = {1: "|", 2: "|", 3: "|", 4: "-", 8: "-", 12: "-"}


def draw(diagram: Diagram, columns: int, ascii_only: bool = False) -> str | None:
    """The diagram as lines of at most so many columns; None where it does not fit (see `listed`)."""
    if len(diagram.vertices) > _MOST_NODES:
        return None
    if ascii_only:
        diagram = _in_ascii(diagram)
    found = _Canvas(diagram).text(columns, ascii_only)
    told = [visible(line.replace("shaded:", "in [ ]:")) for line in diagram.told]
    return found if found is None or not told else "\n".join([found, *told, ""])


def _in_ascii(diagram: Diagram) -> Diagram:
    vertices = [v._replace(lines=tuple(ascii_text(line) for line in v.lines)) for v in diagram.vertices]
    edges = [edge._replace(label=ascii_text(edge.label)) for edge in diagram.edges]
    return diagram._replace(vertices=vertices, edges=edges, caption=ascii_text(diagram.caption))


def listed(diagram: Diagram) -> Table:
    """The nodes by level, each with the nodes that it is made of."""
    coming: dict[int, list[str]] = {}
    for edge in diagram.edges:
        name = diagram.vertices[edge.source].label
        coming.setdefault(edge.target, []).append(f"{name} ({edge.label})" if edge.label else name)
    rows: list[tuple[str, ...]] = []
    rules = []
    level = 0
    order = sorted(range(len(diagram.vertices)), key=lambda place: diagram.vertices[place].level)
    for place in order:
        vertex = diagram.vertices[place]
        if vertex.level != level:
            rules.append(len(rows))
            level = vertex.level
        mark = ("visited" if vertex.reached else "",) if diagram.caption else ()
        rows.append((str(level), in_words(vertex.lines), ", ".join(coming.get(place, ())), *mark))
    header = ("level", "node", "from", *(("sweep",) if diagram.caption else ()))
    return Table(rows, header, tuple(rules), "; ".join(diagram.told))


class _Canvas:
    """A diagram on a grid of characters.

    `top` is the first row of each place, `entries` the place among the entries of its node for each edge.
    """

    def __init__(self, diagram: Diagram) -> None:
        self.diagram = diagram
        self.layers = layered([v.level for v in diagram.vertices], [(e.source, e.target) for e in diagram.edges])
        brackets = [("(", ")") if diagram.caption and not vertex.reached else ("[", "]") for vertex in diagram.vertices]
        lines = [[visible(shortened(line, _LONGEST)) for line in vertex.lines] for vertex in diagram.vertices]
        self.wide = [max(width(line) for line in found) + 2 for found in lines]
        self.entries, counts = self._entries()
        self.lines = [
            [f"{left}{padded(line, wide - 2)}{right}" for line in [*found, *[""] * (count - len(found))]]
            for found, wide, count, (left, right) in zip(lines, self.wide, counts, brackets, strict=True)
        ]
        self.heights = [len(found) for found in self.lines] + [1] * (len(self.layers.level) - self.layers.nodes)
        self.labels = [visible(shortened(edge.label, _LONGEST_LABEL)) for edge in diagram.edges]
        self.top = [round(y) for y in tops(self.layers, self.heights, self._gap)]
        self.cells: dict[tuple[int, int], str] = {}
        self.strokes: dict[tuple[int, int], dict[int, int]] = {}

    def _entries(self) -> tuple[list[int], list[int]]:
        """The place of each edge among those into its node, in the order of where they come from, and their number."""
        order = {place: k for row in self.layers.rows for k, place in enumerate(row)}
        arriving: list[list[int]] = [[] for _ in self.diagram.vertices]
        for k, edge in enumerate(self.diagram.edges):
            arriving[edge.target].append(k)
        entries = [0] * len(self.diagram.edges)
        for found in arriving:
            found.sort(key=lambda k: (order[self.layers.paths[k][-2]], self.diagram.edges[k].position))
            for place, k in enumerate(found):
                entries[k] = place
        return entries, [len(found) for found in arriving]

    def _gap(self, above: int, below: int) -> int:
        """Blank rows between neighbours of a column: between nodes of several lines there is one."""
        nodes = above < self.layers.nodes and below < self.layers.nodes
        return 1 if nodes and max(self.heights[above], self.heights[below]) > 1 else 0

    def text(self, columns: int, ascii_only: bool) -> str | None:
        """The picture, or None where it is wider than so many columns or its lines cannot be told apart."""
        rows, layers = self.layers.rows, self.layers
        if any(layers.level[b] != layers.level[a] + 1 for path in layers.paths for a, b in pairwise(path)):
            return None
        left = 0
        for level, row in enumerate(rows):
            self._settle(row, 0)
            nets, chosen = self._routed(level - 1) if level else ({}, [])
            if chosen is None:
                return None
            gap = self._gap_width(level, chosen) if level else 0
            wide = max((self.wide[place] for place in row if place < layers.nodes), default=0)
            if left + gap + wide > columns:
                return None
            for (place, net), lane in zip(nets.items(), chosen, strict=True):
                self._line(place, net, left, gap, lane)
            left += gap
            self._column(row, left, wide, level)
            left += wide
        return self._drawn(ascii_only)

    def _settle(self, row: Sequence[int], start: int) -> None:
        """Moves the places of a row down, from one on, as far as they would lie on each other."""
        for above, below in pairwise(row[max(start - 1, 0) :]):
            self.top[below] = max(self.top[below], self.top[above] + self.heights[above] + self._gap(above, below))

    def _routed(self, level: int) -> tuple[dict[int, Net], list[int] | None]:
        """The nets from a level to the next by source, and their lanes; rows of the next move where they have to."""
        row = self.layers.rows[level + 1]
        for _ in range(_MOST_SHIFTS):
            nets = self._nets(level)
            found = lanes(list(nets.values()))
            if not isinstance(found, int):
                return nets, found
            moved = next(k for k, p in enumerate(row) if self.top[p] <= found < self.top[p] + self.heights[p])
            self.top[row[moved]] += 1
            self._settle(row, moved + 1)
        return {}, None

    def _nets(self, level: int) -> dict[int, Net]:
        targets: dict[int, set[int]] = {}
        for k, path in enumerate(self.layers.paths):
            for a, b in pairwise(path):
                if self.layers.level[a] == level:
                    row = self.top[b] + (self.entries[k] if b < self.layers.nodes else 0)
                    targets.setdefault(a, set()).add(row)
        return {place: Net(self.top[place], tuple(sorted(rows))) for place, rows in sorted(targets.items())}

    def _gap_width(self, level: int, chosen: Sequence[int]) -> int:
        """Columns before a level: a lane and a blank for each, then the longest label and the arrow."""
        longest = max(
            (width(self.labels[k]) for k, e in enumerate(self.diagram.edges) if self._level(e.target) == level),
            default=0,
        )
        return 2 * max(chosen, default=-1) + 3 + (longest + 2 if longest else 1)

    def _level(self, place: int) -> int:
        return self.layers.level[place]

    def _line(self, place: int, net: Net, left: int, gap: int, lane: int) -> None:
        """The strokes of a net in the gap that starts at a column."""
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
        for x in range(start, end):
            self._stroke(net, row, x, _LEFT | _RIGHT)

    def _stroke(self, net: int, row: int, x: int, ends: int) -> None:
        here = self.strokes.setdefault((row, x), {})
        here[net] = here.get(net, 0) | ends

    def _column(self, row: Sequence[int], left: int, wide: int, level: int) -> None:
        """The nodes of a level, lines past them, and the arrows and labels before them."""
        for place in row:
            if place >= self.layers.nodes:
                self._across(place, self.top[place], left, left + wide)
                continue
            for k, line in enumerate(self.lines[place]):
                self._put(self.top[place] + k, left, line)
            if self.layers.after[place]:
                self._across(place, self.top[place], left + self.wide[place], left + wide)
        for k, edge in enumerate(self.diagram.edges):
            if self._level(edge.target) == level:
                at = self.top[edge.target] + self.entries[k]
                self._put(at, left - 1, "→")
                self._put(at, left - 2 - width(self.labels[k]), self.labels[k])

    def _put(self, row: int, x: int, text: str) -> None:
        """A text on the grid: the whole of it in its first cell."""
        for k in range(width(text)):
            self.cells[row, x + k] = "" if k else text

    def _drawn(self, ascii_only: bool) -> str:
        for (row, x), nets in self.strokes.items():
            # where lines cross, the one that goes up and down lies above
            ends = max(nets.values(), key=lambda mask: mask & (_UP | _DOWN))
            self.cells.setdefault((row, x), _ASCII_LINES.get(ends, "+") if ascii_only else _LINES[ends])
        first = min((row for row, _ in self.cells), default=0)
        found: list[dict[int, str]] = [{} for _ in range(first, max((row for row, _ in self.cells), default=-1) + 1)]
        for (row, x), text in self.cells.items():
            found[row - first][x] = ">" if ascii_only and text == "→" else text
        lines = ("".join(cells.get(x, " ") for x in range(max(cells, default=-1) + 1)).rstrip() for cells in found)
        return "\n".join(lines) + "\n"
