"""A diagram with places: boxes in columns by level, edges as smooth curves between them.  Units are those of SVG."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from .diagram import Diagram, Edge, Vertex
from .layers import Layers, layered
from .letters import breadth, shortened
from .spacing import tops

SIZE = 15.0  # of letters
LABEL_SIZE, LABEL_HEIGHT = 12.0, 13.5
LINE = 21.0
_PADDING = 11.0
_MARGIN = 16.0
_BETWEEN = 18.0  # boxes of one column
_BEND = 12.0  # between lines that pass through a column
_PORT, _LABELED_PORT = 9.0, 19.0  # between edges that end at one box
_GAP, _WIDEST_GAP = 44.0, 260.0  # between columns
_LONGEST, _LONGEST_LABEL = 40, 16  # characters
_TIP = 8.0  # length of an arrow's head
_NEAR_END = 34.0  # how far a label may be from the height at which its edge ends
_ASIDE = (0.0, 0.1, -0.1, 0.2, -0.2, 0.3, -0.3, -0.4)  # where else it may be, along the curve

Point = tuple[float, float]


class Box(NamedTuple):
    """A node: its middle, its size, and its lines as far as they are drawn; `whole` has the lines uncut."""

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
    """An edge: from point to point it is a curve that is level at both ends.

    `name` is source, target and position of the argument; `at` the middle of the label.
    """

    name: str
    points: tuple[Point, ...]
    label: str
    whole: str
    at: Point
    reached: bool


class Drawing(NamedTuple):
    """A picture as plain data; see `Diagram` for `names` and `caption`."""

    title: str
    caption: str
    width: float
    height: float
    boxes: list[Box]
    arcs: list[Arc]
    names: frozenset[str]


def drawing(diagram: Diagram) -> Drawing:
    """The diagram with every box and every edge in its place: no boxes overlap, and a diagram always gets the same."""
    vertices, edges = diagram.vertices, diagram.edges
    layers = layered([v.level for v in vertices], [(e.source, e.target) for e in edges])
    labeled = any(edge.label for edge in edges)
    sizes = _sizes(diagram, layers, _LABELED_PORT if labeled else _PORT)

    def between(above: int, below: int) -> float:
        return _BETWEEN if above < layers.nodes and below < layers.nodes else _BEND

    top = tops(layers, [height for _, height in sizes], between)
    middle = [y + height / 2 + _MARGIN for y, (_, height) in zip(top, sizes, strict=True)]
    columns = _columns(diagram, layers, sizes, middle)
    boxes = [_box(vertex, (sum(columns[vertex.level]) / 2, middle[k]), sizes[k]) for k, vertex in enumerate(vertices)]
    ports = _ports(layers, edges, middle, _LABELED_PORT if labeled else _PORT)
    arcs = []
    labels = _Labels(diagram)
    for k, edge in enumerate(edges):
        points = _points(layers.paths[k], layers.level, boxes, columns, middle, ports[k])
        name = f"{boxes[edge.source].name} {boxes[edge.target].name} {edge.position}"
        label = shortened(edge.label, _LONGEST_LABEL)
        at = labels.place(label, points[-3], points[-2], points[-1])
        arcs.append(Arc(name, _distinct(points), label, edge.label, at, edge.reached))
    width = (columns[-1][1] if columns else _MARGIN) + _MARGIN
    height = max((box.y + box.height / 2 for box in boxes), default=_MARGIN) + _MARGIN
    height = max([height, *(y + _BEND + _MARGIN for y in middle[len(boxes) :])])
    if diagram.caption:
        height += LINE
        width = max(width, breadth(diagram.caption, diagram.names, LABEL_SIZE) + 2 * _MARGIN)
    return Drawing(diagram.title, diagram.caption, width, height, boxes, arcs, diagram.names)


def _sizes(diagram: Diagram, layers: Layers, port: float) -> list[tuple[float, float]]:
    """Width and height of every place; a bend has none."""
    arriving = [0] * len(diagram.vertices)
    for edge in diagram.edges:
        arriving[edge.target] += 1
    sizes = []
    for vertex, count in zip(diagram.vertices, arriving, strict=True):
        widest = max(breadth(shortened(line, _LONGEST), diagram.names, SIZE) for line in vertex.lines)
        height = max(len(vertex.lines) * LINE + _PADDING, (count + 1) * port)
        sizes.append((widest + 2 * _PADDING, height))
    return sizes + [(0.0, 0.0)] * (len(layers.level) - layers.nodes)


def _box(vertex: Vertex, at: Point, size: tuple[float, float]) -> Box:
    lines = tuple(shortened(line, _LONGEST) for line in vertex.lines)
    return Box(vertex.name, vertex.level, vertex.kind, vertex.reached, *at, *size, lines, vertex.lines)


def _columns(
    diagram: Diagram, layers: Layers, sizes: Sequence[tuple[float, float]], middle: Sequence[float]
) -> list[tuple[float, float]]:
    """Left and right end of every level: gaps are as wide as their labels and their steepest edges need."""
    count = len(layers.rows)
    widest = [max((sizes[place][0] for place in row), default=0.0) for row in layers.rows]
    gaps = [_GAP] * count
    for edge, path in zip(diagram.edges, layers.paths, strict=True):
        last = diagram.vertices[edge.target].level - 1
        label = breadth(shortened(edge.label, _LONGEST_LABEL), diagram.names, LABEL_SIZE)
        gaps[last] = max(gaps[last], _GAP + 1.3 * label if label else 0.0)
        for start, end in pairwise(path):
            level = layers.level[end] - 1
            gaps[level] = max(gaps[level], min(abs(middle[end] - middle[start]) / 3, _WIDEST_GAP))
    columns = []
    x = _MARGIN
    for wide, gap in zip(widest, gaps, strict=True):
        columns.append((x, x + wide))
        x += wide + gap
    return columns


def _ports(layers: Layers, edges: Sequence[Edge], middle: Sequence[float], port: float) -> list[float]:
    """The height at which every edge ends: edges into one node apart from each other, and in the order they come in."""
    arriving: dict[int, list[int]] = {}
    for k, edge in enumerate(edges):
        arriving.setdefault(edge.target, []).append(k)
    ends = [0.0] * len(edges)
    for target, found in arriving.items():
        found.sort(key=lambda k: (middle[layers.paths[k][-2]], edges[k].position))
        for place, k in enumerate(found):
            ends[k] = middle[target] + (place - (len(found) - 1) / 2) * port
    return ends


def _points(
    path: Sequence[int],
    level: Sequence[int],
    boxes: Sequence[Box],
    columns: Sequence[tuple[float, float]],
    middle: Sequence[float],
    end: float,
) -> list[Point]:
    """The points of an edge: out of its box, level through each column on the way, into the other box."""
    source, target = boxes[path[0]], boxes[path[-1]]
    points = [(source.x + source.width / 2, source.y), (columns[source.level][1], source.y)]
    for bend in path[1:-1]:
        left, right = columns[level[bend]]
        points += [(left, middle[bend]), (right, middle[bend])]
    return [*points, (columns[target.level][0], end), (target.x - target.width / 2, end)]


def _distinct(points: Sequence[Point]) -> tuple[Point, ...]:
    """The points without those that are as good as the one before; the last one counts, as the edge ends there."""
    rounded = [(round(x, 1), round(y, 1)) for x, y in points]
    found = rounded[:1]
    for point in rounded[1:]:
        if point[0] - found[-1][0] < 0.2 and len(found) > 1:
            found.pop()
        if point[0] - found[-1][0] >= 0.2:
            found.append(point)
    return tuple(found)


class _Labels:
    """Finds places for the labels of edges where they do not lie on each other."""

    def __init__(self, diagram: Diagram) -> None:
        self.names = diagram.names
        self.taken: dict[int, list[tuple[Point, float]]] = {}

    def place(self, label: str, start: Point, end: Point, tip: Point) -> Point:
        """The middle of a label: on the level way after the curve if there is room, or on the curve near its end."""
        half = breadth(label, self.names, LABEL_SIZE) / 2 + 3
        # a steep curve leaves a bundle of others only shortly before its end
        best = 1 - (min(0.43, _NEAR_END / max(abs(end[1] - start[1]), 1.0)) / 3) ** 0.5
        spots = [_on_curve(start, end, min(max(best + aside, 0.2), 0.93)) for aside in _ASIDE]
        if not label:
            return spots[0]
        room = tip[0] - _TIP - half
        if room - half > end[0]:
            spots.insert(0, ((end[0] + room + half) / 2, tip[1]))
        spot = min(spots, key=lambda spot: self._covered(spot, half) + LABEL_SIZE * max(spot[0] - room, 0.0))
        self.taken.setdefault(_band(spot[1]), []).append((spot, half))
        return spot

    def _covered(self, spot: Point, half: float) -> float:
        """How much of other labels one at this place would cover."""
        near = [found for band in (-1, 0, 1) for found in self.taken.get(_band(spot[1]) + band, ())]
        return sum(
            max(LABEL_HEIGHT - abs(spot[1] - y), 0.0) * max(half + wide - abs(spot[0] - x), 0.0)
            for (x, y), wide in near
        )


def _band(y: float) -> int:
    return int(y // LABEL_HEIGHT)


def _on_curve(start: Point, end: Point, t: float) -> Point:
    """A point of the curve that is level at both ends: a cubic with its handles half-way across."""
    across, down = end[0] - start[0], end[1] - start[1]
    return start[0] + across * (1.5 * t * (1 - t) + t**3), start[1] + down * (3 * t**2 - 2 * t**3)
