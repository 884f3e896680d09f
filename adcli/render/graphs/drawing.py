"""Drawing: a diagram with positions: boxes in columns by level, smooth curves between them. Units are those of SVG. A
place is a node or a bend, where an edge passes a level; a row has levels side by side; lines from one row to the next
run in the lanes between them.

Positions are computed along the edges (u) and across them (v): x and y from left to right, y and x top-down.  If there
are too many levels for one row of columns, they continue in a new row, like words in a text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ...records import NamedTuple
from .diagram import Diagram
from .layers import Layers, arriving_edges, assign_layers, tops
from .letters import label_width, shorten

SIZE = 15.0  # of letters
LABEL_SIZE, LABEL_HEIGHT = 12.0, 13.5
LINE = 21.0
_PADDING = 11.0
_MARGIN = 16.0
_BETWEEN = 18.0  # boxes of one column
_BEND = 12.0  # between lines that pass through a column
_PORT, _LABELED_PORT = 9.0, 19.0  # between edges that end at one box
_GAP, _WIDEST_GAP = 44.0, 260.0  # between columns
_DOWN_GAP, _WIDEST_DOWN_GAP = 38.0, 110.0  # the same between levels from top to bottom
_STEEP, _STEEP_DOWN = 3.0, 6.0  # slope of an edge, across per unit along, above which the gap is widened
_LANE, _ROW_GAP = 9.0, 30.0  # between lines that continue in the next row, between rows
_LONGEST, _LONGEST_LABEL = 40, 16  # characters
_TIP = 8.0  # length of an arrow's head
_NEAR_END = 34.0  # largest distance across between a label and the end of its edge
_ASIDE = (0.0, 0.1, -0.1, 0.2, -0.2, 0.3, -0.3, -0.4)  # offsets along the curve that are tried for a label

Point = tuple[float, float]


class Box(NamedTuple):
    """A node of a drawing: its middle (x, y), its size, and its lines as they are drawn; `whole` has them uncut."""

    name: str
    level: int
    kind: str
    reached: bool
    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]
    whole: tuple[str, ...]


class Arc(NamedTuple):
    """An edge of a drawing: straight lines between points that are level or plumb, else curves that are level at both
    ends.

    name    source, target and position of the argument
    points  the ends and bends; top-down curves are plumb at both ends
    label   the label as it is drawn, perhaps cut; `whole` the uncut one
    at      the middle of the label
    """

    name: str
    points: tuple[Point, ...]
    label: str
    whole: str
    at: Point
    reached: bool


class Drawing(NamedTuple):
    """A picture as plain data, in units of SVG.

    captions  the lines below it
    names     as in `Diagram`
    nodes     the number of nodes in the whole graph, folded ones included; `edges` likewise
    down      whether it goes from top to bottom
    page      (width, height) of its page in millimetres; None without one
    """

    title: str
    captions: tuple[str, ...]
    width: float
    height: float
    boxes: list[Box]
    arcs: list[Arc]
    names: frozenset[str]
    nodes: int
    edges: int
    down: bool = False
    page: tuple[float, float] | None = None


def drawing(diagram: Diagram) -> Drawing:
    """Return the diagram with every box and edge in place, from left to right.

    Boxes do not overlap, and the result is deterministic.
    """
    return place_nodes(diagram, layers_of(diagram))


def layers_of(diagram: Diagram) -> Layers:
    """Return the layers of a diagram: the places (nodes and bends of edges) of every level in an order in which few
    edges cross.
    """
    return assign_layers([v.level for v in diagram.vertices], [(e.source, e.target) for e in diagram.edges])


def place_nodes(
    diagram: Diagram, layers: Layers, down: bool = False, cuts: Sequence[int] = (), room: float = 1.0
) -> Drawing:
    """Return the diagram in these layers as a drawing, from left to right or `down` (top to bottom).

    `cuts` are the levels that begin a new row, ascending and without level 0; `room` is the factor on the usual space
    between boxes. Captions (`diagram.captions`) add a line each below the picture and may widen it. The drawing's
    `page` is None.
    """
    arrangement = Arrangement(diagram, layers, down, cuts, room)
    boxes = [arrangement.box(place) for place in range(layers.nodes)]
    arcs = list(arrangement.arcs())
    width, height = arrangement.size(boxes)
    captions = diagram.captions
    if captions:
        height += LINE * len(captions)
        widest = max(label_width(text, diagram.names, LABEL_SIZE) for text in captions)
        width = max(width, widest + 2 * _MARGIN)
    return Drawing(diagram.title, captions, width, height, boxes, arcs, diagram.names, *diagram.whole, down)


class Arrangement:
    """The positions of nodes and edges.

    `middle` is the position across the edges of every node and bend, `columns` the two ends of every level along them.
    """

    def __init__(self, diagram: Diagram, layers: Layers, down: bool, cuts: Sequence[int], room: float) -> None:
        """Place the boxes of a diagram in rows of levels, in the order of `layers`; `cuts` are levels that begin a row.

        With `down` edges run downwards, otherwise to the right. `room` is the factor on all usual distances. Lengths
        are in SVG units. Sets `sizes`, `middle`, `rows`, `columns`, `lanes` and `end`. `lanes` has for each row a dict:
        the place of each line that continues in the next row → (across, right end, left end).
        """
        self.diagram, self.layers, self.down, self.room = diagram, layers, down, room
        labels = [label_width(shorten(e.label, _LONGEST_LABEL), diagram.names, LABEL_SIZE) for e in diagram.edges]
        self.widest = max(labels, default=0.0)
        self.port = (self.widest + _PORT if down else _LABELED_PORT) if self.widest else _PORT + 3 * down
        self.sizes = self._sizes()
        self.rows = [range(*pair) for pair in pairwise([0, *cuts, len(layers.rows)])]
        self.row_of = [k for k, levels in enumerate(self.rows) for _ in levels]
        self.middle = [0.0] * len(layers.level)
        self.lanes: list[dict[int, tuple[float, float, float]]] = []
        self.columns: list[tuple[float, float]] = []
        self.end = 0.0  # along the edges, of all lanes
        self._place_rows(labels)

    def _sizes(self) -> list[tuple[float, float]]:
        """Return (extent along the edges, extent across) of every node, and (0, 0) for every bend after them.

        A node is large enough for its lines, shortened to 40 characters, and across also for the ports of the edges
        that end in it. With `down` the extent along is its height, otherwise its width.
        """
        arriving = Counter(edge.target for edge in self.diagram.edges)
        sizes = []
        for place, vertex in enumerate(self.diagram.vertices):
            widest = max(label_width(shorten(line, _LONGEST), self.diagram.names, SIZE) for line in vertex.lines)
            width, height = widest + 2 * _PADDING, len(vertex.lines) * LINE + _PADDING
            ports = (arriving[place] + 1) * self.port
            sizes.append((height, max(width, ports)) if self.down else (width, max(height, ports)))
        return sizes + [(0.0, 0.0)] * (len(self.layers.level) - self.layers.nodes)

    def _place_rows(self, labels: Sequence[float]) -> None:
        """Set `middle` (position across the edges) of every node and bend, row after row; fill `lanes` and `columns`.

        A dict is appended to `lanes` for each row: {place whose line continues in the next row: (position across of its
        lane, end in this row, end in the next)}. Space for these lanes is left between the rows. The two ends,
        positions along the edges, are 0 until `_set_columns`, which is called last, sets them. `labels` are the widths
        of the edges' labels.
        """
        start = _MARGIN
        for levels in self.rows:
            part = _select_levels(self.layers, levels)
            top = tops(part, [across for _, across in self.sizes], self._least_gap)
            places = [place for row in part.rows for place in row]
            least = min((top[place] for place in places), default=0.0)
            for place in places:
                self.middle[place] = top[place] - least + self.sizes[place][1] / 2 + start
            bottom = max((self.middle[place] + self.sizes[place][1] / 2 for place in places), default=start)
            going = self._lines_to_next_row(levels)
            lane = self.room * _LANE
            self.lanes.append({place: (bottom + lane * k, 0.0, 0.0) for k, place in enumerate(going, 1)})
            start = bottom + self.room * max(_ROW_GAP, _LANE * (len(going) + 2))
        self._set_columns(labels)

    def _least_gap(self, above: int, below: int) -> float:
        """Return the least distance, across the edges, between the two neighbours at places `above` and `below` of a
        level: that of boxes, or the smaller one of lines if at least one is a bend.
        """
        return self.room * (_BETWEEN if above < self.layers.nodes and below < self.layers.nodes else _BEND)

    def _lines_to_next_row(self, levels: range) -> list[int]:
        """Return the places of the last level of the row `levels` from which lines continue in the next row, the one
        furthest across first; [] for the last row.
        """
        if levels.stop == len(self.layers.rows):
            return []
        places = [place for place in self.layers.rows[levels.stop - 1] if self.layers.after[place]]
        return sorted(places, key=lambda place: -self.middle[place])

    def _set_columns(self, labels: Sequence[float]) -> None:
        """Append both ends of every level along the edges to `columns`, and set both ends in `lanes` (`_place_rows`).

        `end` is enlarged to the far end of the longest row. Every row starts at the margin, after its incoming lanes.
        Gaps between levels are wider for labels, whose widths are in `labels`, and for steep edges.
        """
        along = [max((self.sizes[place][0] for place in row), default=0.0) for row in self.layers.rows]
        gaps, lane = self._gaps(labels), self.room * _LANE
        for k, levels in enumerate(self.rows):
            u = _MARGIN
            if k:
                u += lane * len(self.lanes[k - 1]) + gaps[levels.start - 1]
            for level in levels:
                self.columns.append((u, u + along[level]))
                u += along[level] + gaps[level]
            right = self.columns[-1][1] if levels else _MARGIN
            for rank, (place, (across, _, _)) in enumerate(self.lanes[k].items()):
                self.lanes[k][place] = (across, right + lane * (rank + 1), _MARGIN + lane * rank)
            self.end = max(self.end, right + lane * len(self.lanes[k]))

    def _gaps(self, labels: Sequence[float]) -> list[float]:
        """Return the gap after every level: the largest of the usual one, the usual one with space for the label of an
        edge that ends after it, and what a steep edge needs.

        Widening for steep edges ends at a limit, and edges between two rows do not count. `labels` has the width of
        each edge's label, 0 for none. All but the space for labels scales with `room`.
        """
        least, widest, steep = (_DOWN_GAP, _WIDEST_DOWN_GAP, _STEEP_DOWN) if self.down else (_GAP, _WIDEST_GAP, _STEEP)
        least, widest, steep = least * self.room, widest * self.room, steep / self.room
        gaps = [least] * len(self.layers.rows)
        for edge, path, label in zip(self.diagram.edges, self.layers.paths, labels, strict=True):
            last = self.diagram.vertices[edge.target].level - 1
            if label:
                gaps[last] = max(gaps[last], least + (2 * LABEL_HEIGHT if self.down else 1.3 * label))
            for start, end in pairwise(path):
                level = self.layers.level[end] - 1
                if self.row_of[self.layers.level[start]] == self.row_of[level + 1]:
                    gaps[level] = max(gaps[level], min(abs(self.middle[end] - self.middle[start]) / steep, widest))
        return gaps

    def box(self, place: int) -> Box:
        """Return the box of the node at `place`: its centre, in the middle of its level, and its size as (x, y); lines
        longer than 40 characters are shortened.
        """
        vertex = self.diagram.vertices[place]
        lines = tuple(shorten(line, _LONGEST) for line in vertex.lines)
        at = self._to_xy((sum(self.columns[vertex.level]) / 2, self.middle[place]))
        size = self._to_xy(self.sizes[place])
        return Box(vertex.name, vertex.level, vertex.kind, vertex.reached, *at, *size, lines, vertex.lines)

    def _to_xy(self, point: Point) -> Point:
        """Return a point or size (along the edges, across them) as (x, y) or (width, height): swapped if the drawing
        goes down.
        """
        return (point[1], point[0]) if self.down else point

    def arcs(self) -> Iterator[Arc]:
        """Yield the arc of each edge in the diagram's order, with its points, rounded, and a position for its label,
        all as (x, y).

        The name of an arc is `SOURCE TARGET POSITION` with the names of the nodes. Labels are placed one after the
        other, so that later ones avoid earlier ones. Labels longer than 16 characters are shortened.
        """
        ports = self._ports()
        labels = _Labels(self.diagram, self.down, self.widest)
        vertices = self.diagram.vertices
        for k, edge in enumerate(self.diagram.edges):
            pieces = self._edge_points(self.layers.paths[k], ports[k])
            label = shorten(edge.label, _LONGEST_LABEL)
            at = labels.place(label, pieces[-1][-3], pieces[-1][-2], pieces[-1][-1])
            points = tuple(self._to_xy(point) for piece in pieces for point in _drop_repeats(piece))
            name = f"{vertices[edge.source].name} {vertices[edge.target].name} {edge.position}"
            yield Arc(name, points, label, edge.label, self._to_xy(at), edge.reached)

    def _ports(self) -> list[float]:
        """Return for each edge the position across the edges at which it ends.

        Edges into one node end `self.port` apart, centred at the node, in the order of `arriving_edges`.
        """
        positions = [edge.position for edge in self.diagram.edges]
        ends = [0.0] * len(positions)
        for target, edges in enumerate(arriving_edges(self.layers, positions, self.middle.__getitem__)):
            for place, k in enumerate(edges):
                ends[k] = self.middle[target] + (place - (len(edges) - 1) / 2) * self.port
        return ends

    def _edge_points(self, path: Sequence[int], end: float) -> list[list[Point]]:
        """Return the points (along, across) of an edge in pieces: out of its box, through each column, into the next.

        `path` has the places that the edge passes, from its source to its target. `end` is the coordinate across at
        which the edge enters the target. A path within one row has one piece. Each change of row starts three more,
        joined by lines at right angles in the lane between the rows; the third goes on in the new row. The last point
        is at the target's box.
        """
        level, columns, middle = self.layers.level, self.columns, self.middle
        source, target = path[0], path[-1]
        out = sum(columns[level[source]]) / 2 + self.sizes[source][0] / 2
        pieces = [[(out, middle[source]), (columns[level[source]][1], middle[source])]]
        for before, place in pairwise(path):
            arrives = end if place == target else middle[place]
            row = self.row_of[level[before]]
            if row != self.row_of[level[place]]:
                across, right, left = self.lanes[row][before]
                pieces[-1].append((right, middle[before]))
                pieces += [[(right, across)], [(left, across)], [(left, arrives)]]
            if place != target:
                pieces[-1] += [(u, arrives) for u in columns[level[place]]]
        into = sum(columns[level[target]]) / 2 - self.sizes[target][0] / 2
        pieces[-1] += [(columns[level[target]][0], end), (into, end)]
        return pieces

    def size(self, boxes: Sequence[Box]) -> tuple[float, float]:
        """Return (width, height) of the drawing with all boxes, bends, lanes and a margin, swapped for a drawing that
        goes down.
        """
        nodes = range(len(boxes))
        across = max((self.middle[place] + self.sizes[place][1] / 2 for place in nodes), default=_MARGIN) + _MARGIN
        across = max([across, *(v + _BEND + _MARGIN for v in self.middle[len(boxes) :])])
        return self._to_xy((max(self.end, _MARGIN) + _MARGIN, across))


def _select_levels(layers: Layers, levels: range) -> Layers:
    """Return the layers with only the rows of `levels`, and only neighbours in these levels; unchanged if these are all
    levels.

    `rows[0]` is then the row of the first of `levels`. `level` and `paths` are those of all places.
    """
    if len(levels) == len(layers.rows):
        return layers

    def within(neighbours: list[list[int]]) -> list[list[int]]:
        return [[p for p in others if layers.level[p] in levels] for others in neighbours]

    rows = [layers.rows[level] for level in levels]
    return layers._replace(rows=rows, before=within(layers.before), after=within(layers.after))


def _drop_repeats(points: Sequence[Point]) -> tuple[Point, ...]:
    """Return the points (along the edges, across), rounded to 0.1, without points that are too close along the edges.

    A rounded point is close if it is less than 0.2 further along than the last point kept, or behind it. It replaces
    that point, unless this is the first: a point close to the first one is dropped. If it is close to the point before
    the replaced one, too, both are dropped. The first point always stays.
    """
    rounded = [(round(x, 1), round(y, 1)) for x, y in points]
    kept = rounded[:1]
    for point in rounded[1:]:
        if point[0] - kept[-1][0] < 0.2 and len(kept) > 1:
            kept.pop()
        if point[0] - kept[-1][0] >= 0.2:
            kept.append(point)
    return tuple(kept)


class _Labels:
    """A finder of positions for the labels of edges, so that they do not overlap; all points are (along the edges,
    across).

    `taken` has the labels that have a position, as (middle, half sizes), by the number of their band across the edges.
    """

    def __init__(self, diagram: Diagram, down: bool, widest: float) -> None:
        self.names, self.down = diagram.names, down
        self.band = max(widest + 6, LABEL_HEIGHT) if down else LABEL_HEIGHT
        self.taken: dict[int, list[tuple[Point, Point]]] = {}

    def place(self, label: str, start: Point, end: Point, tip: Point) -> Point:
        """Return the middle of a label (along, across), and record its area as taken.

        The edge's last curve goes from `start` to `end`; a straight line goes on from `end` to `tip`, the point of the
        arrow. Candidates are the middle of the straight line, if there is room, and eight positions on the curve. The
        candidate with the least overlap with earlier labels and the arrow's head is taken, the first of equals. An
        empty label gets the preferred position on the curve and takes no space.
        """
        wide = label_width(label, self.names, LABEL_SIZE) / 2 + 3
        half = (LABEL_HEIGHT / 2, wide) if self.down else (wide, LABEL_HEIGHT / 2)
        # a steep curve leaves a bundle of others only shortly before its end
        best = 1 - (min(0.43, _NEAR_END / max(abs(end[1] - start[1]), 1.0)) / 3) ** 0.5
        spots = [_on_curve(start, end, min(max(best + aside, 0.2), 0.93)) for aside in _ASIDE]
        if not label:
            return spots[0]
        room = tip[0] - _TIP - half[0]
        if room - half[0] > end[0]:
            spots.insert(0, ((end[0] + room + half[0]) / 2, tip[1]))
        spot = min(spots, key=lambda spot: self._overlap(spot, half) + LABEL_SIZE * max(spot[0] - room, 0.0))
        self.taken.setdefault(self._band(spot[1]), []).append((spot, half))
        return spot

    def _overlap(self, spot: Point, half: Point) -> float:
        """Return the area of earlier labels that a label at `spot` would cover, in square units.

        `half` is (half the extent along, half the extent across). Only labels in the same band (`_band`, of positions
        across) and the two next to it are compared. An area that several of them share counts for each.
        """
        near = [label for band in (-1, 0, 1) for label in self.taken.get(self._band(spot[1]) + band, ())]
        return sum(
            max(half[1] + other[1] - abs(spot[1] - v), 0.0) * max(half[0] + other[0] - abs(spot[0] - u), 0.0)
            for (u, v), other in near
        )

    def _band(self, across: float) -> int:
        """Return the number of the band that contains this coordinate across the edges; labels two bands apart do not
        overlap.
        """
        return int(across // self.band)


def _on_curve(start: Point, end: Point, t: float) -> Point:
    """Return the point at parameter `t` (0 at `start`, 1 at `end`) of the cubic curve that is parallel to the edges at
    both ends, with its control points half-way along.
    """
    across, down = end[0] - start[0], end[1] - start[1]
    return start[0] + across * (1.5 * t * (1 - t) + t**3), start[1] + down * (3 * t**2 - 2 * t**3)
