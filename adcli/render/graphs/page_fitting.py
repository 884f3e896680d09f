"""Fitting a picture to a page: the direction of the graph, where its levels continue in a new row, and the size of
letters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from types import MappingProxyType

from ...errors import RequestError
from ...records import NamedTuple
from .diagram import Diagram
from .drawing import SIZE, Drawing, layers_of, place_nodes
from .layers import Layers

PAGES: Mapping[str, tuple[float, float]] = MappingProxyType(
    {"A3": (297, 420), "A4": (210, 297), "A5": (148, 210), "A6": (105, 148), "letter": (215.9, 279.4),
     "legal": (215.9, 355.6)}
)  # fmt: skip
DIRECTIONS: Mapping[str, str] = MappingProxyType(
    {"right": "right", "left-right": "right", "lr": "right", "down": "down", "top-down": "down", "tb": "down",
     "td": "down"}
)  # fmt: skip
_MILLIMETRES: Mapping[str, float] = MappingProxyType({"": 1.0, "mm": 1.0, "cm": 10.0, "in": 25.4, "pt": 25.4 / 72})
_SIZED = re.compile(r"(\d{1,6}(?:\.\d{1,6})?)\s*[x×]\s*(\d{1,6}(?:\.\d{1,6})?)\s*(mm|cm|in|pt)?")
_LEAST, _MOST = 20.0, 5000.0  # millimetres
UNIT = 25.4 / 96  # millimetres of a unit of a drawing at its own size
_EDGE = 5.0  # millimetres of a page that stay free on every side
_WIDE = 1800.0  # units: a wider graph continues in a second row
_MOST_ROWS, _MOST_PLACES = 10, 6_000
_MANY, _CLOSE = 50, 0.55  # above this number of nodes a page has this fraction of the usual space between them
_WORTH = 1.05  # factor by which another layout must enlarge the letters to be preferred
_LANE_COST = 0.04  # of the width of a row, for each line that continues in the next
SMALL_PRINT = 5.0  # points: a note warns of smaller letters


class PageSize(NamedTuple):
    """The size of a page in millimetres; with `turns` it may also be landscape."""

    width: float
    height: float
    turns: bool


class LayoutRequest(NamedTuple):
    """A requested layout: direction `right` or `down` (empty: whichever fits better), and the page to fit (None: any
    size)."""

    direction: str = ""
    page: PageSize | None = None


ANY_SIZE = LayoutRequest()


def parse_page(text: str) -> PageSize:
    """Return the size in millimetres of the page called `text`: a name such as A4 or letter, in any case, or a size
    such as 160x90mm.

    Units are mm, cm, in, pt (default mm). A named page may be rotated (`turns`), a size may not. Raises RequestError
    for another text, or sides outside 20 to 5,000 mm.
    """
    for name, size in PAGES.items():
        if text.casefold() == name.casefold():
            return PageSize(*size, turns=True)
    match = _SIZED.fullmatch(text.strip().casefold())
    if match is None:
        title = f"--fit {text} is not a page size"
        raise RequestError(title, help=f"use {', '.join(PAGES)}, or a size such as 160x90mm")
    width, height = (float(side) * _MILLIMETRES[match[3] or ""] for side in match.groups()[:2])
    if not (_LEAST <= width <= _MOST and _LEAST <= height <= _MOST):
        raise RequestError(
            f"--fit {text} is not a page size", label=f"sides are {_LEAST:g} to {_MOST:g} millimetres",
            help="without a unit they are millimetres: --fit 160x90",
        )  # fmt: skip
    return PageSize(width, height, turns=False)


def parse_direction(text: str) -> str:
    """Return `right` for right, left-right and lr, `down` for down, top-down, tb and td, in any case. Raises
    RequestError for another word.
    """
    direction = DIRECTIONS.get(text.casefold())
    if direction is None:
        raise RequestError(f"--direction {text} is not a direction", help="use right (left-right) or down (top-down)")
    return direction


def lay_out(diagram: Diagram, request: LayoutRequest = ANY_SIZE) -> Drawing:
    """Return the diagram as a drawing in the direction and on the page of `request`.

    Without a page it is laid out in the requested direction, by default to the right. If it goes to the right and is
    wider than 1,800 units, the fewest rows that are at most that wide are used; if no number of rows is, it stays in
    one.

    With a page all layouts in one or several rows are tried, in the directions that the request allows and on both
    orientations of a page that may be rotated. The one with the largest letters is taken; a later, less plain one only
    if its letters are more than 5 % larger than those of the best so far. The `page` of the drawing is set to the size
    in its orientation.
    """
    layers = layers_of(diagram)
    if request.page is None:
        first = place_nodes(diagram, layers, request.direction == "down")
        if first.down or first.width <= _WIDE:
            return first
        return next((candidate for candidate in _layouts_in_rows(diagram, first) if candidate.width <= _WIDE), first)
    sides = (request.page.width, request.page.height)
    sizes = (sides, sides[::-1]) if request.page.turns else (sides,)
    candidates = ((each, size) for each in _layouts(diagram, layers, request.direction) for size in sizes)
    layouts = ((each._replace(page=size), _fit_scale(each, size)) for each, size in candidates)
    best, largest = next(layouts)
    for layout, scale in layouts:
        if scale > largest * _WORTH:
            best, largest = layout, scale
    return best


def letter_size(drawing: Drawing) -> float:
    """Return the size of the letters of a drawing in print, in points; smaller than usual if the drawing is scaled to
    its page.
    """
    return SIZE * 0.75 * scale_of(drawing)


def scale_of(drawing: Drawing) -> float:
    """Return the factor, at most 1, by which a drawing is scaled to fit its page; 1 without a page."""
    return _fit_scale(drawing, drawing.page) if drawing.page else 1.0


def window(drawing: Drawing) -> tuple[float, float, float, float]:
    """Return (left, top, width, height) of the visible area, in units of the drawing.

    Without a page it is the whole drawing, from (0, 0). With a page it is the page at its scale (at most 1), with the
    drawing in the middle, so that left and top are negative or 0.
    """
    if drawing.page is None:
        return 0.0, 0.0, drawing.width, drawing.height
    width, height = (side / (UNIT * scale_of(drawing)) for side in drawing.page)
    return (drawing.width - width) / 2, (drawing.height - height) / 2, width, height


def _fit_scale(drawing: Drawing, page: tuple[float, float]) -> float:
    """Return the factor, at most 1, by which the drawing must be scaled to fit on the page (width, height in
    millimetres) within its margins.
    """
    width, height = ((side - 2 * _EDGE) / UNIT for side in page)
    return min(1.0, width / drawing.width, height / drawing.height)


def _layouts(diagram: Diagram, layers: Layers, direction: str) -> Iterator[Drawing]:
    """Yield the possible layouts of a diagram, the plainest first: in one row; then, with inputs just before their
    first use, in one row, in two, and so on (`_layouts_in_rows`).

    `direction` is right, down or empty (all to the right, then all down). In diagrams of more than 50 nodes, all
    layouts but the first of each direction have 0.55 of the usual space. `layers` are those of the diagram.
    """
    for down in [False, True] if not direction else [direction == "down"]:
        first = place_nodes(diagram, layers, down)
        yield first
        yield from _layouts_in_rows(diagram, first, _CLOSE if len(diagram.vertices) > _MANY else 1.0)


def _layouts_in_rows(diagram: Diagram, first: Drawing, room: float = 1.0) -> Iterator[Drawing]:
    """Yield the diagram in one row of columns, in two, and so on up to 10 or the number of levels.

    Inputs are just before their first use. Nothing is yielded if there are more than 6,000 nodes and bends, or long
    edges without bends. `first` is a layout in the direction to use (only its `down` counts). `room` is the factor on
    the usual space between boxes.
    """
    late = _move_inputs_late(diagram)
    layers = layers_of(late)
    count = len(layers.rows)
    if len(layers.level) > _MOST_PLACES or any(
        layers.level[b] != layers.level[a] + 1 for path in layers.paths for a, b in pairwise(path)
    ):
        return
    once = place_nodes(late, layers, first.down, (), room)
    yield once
    widths = [0.0] * count
    for box in once.boxes:
        widths[box.level] = max(widths[box.level], box.height if first.down else box.width)
    total = once.height if first.down else once.width
    between = (total - sum(widths)) / max(count, 1)
    widths = [width + between for width in widths]
    lines = [sum(1 for place in row if layers.after[place]) for row in layers.rows]
    for rows in range(2, min(_MOST_ROWS, count) + 1):
        yield place_nodes(late, layers, first.down, _choose_cuts(widths, lines, rows), room)


def _move_inputs_late(diagram: Diagram) -> Diagram:
    """Return the diagram with each node that has no incoming edge (such as an input) in the level before its first use.

    This is the level before the lowest level of its targets. Nodes with incoming edges, and nodes without edges, stay
    in their levels.
    """
    first: dict[int, int] = {}
    fixed = {edge.target for edge in diagram.edges}
    for edge in diagram.edges:
        first[edge.source] = min(first.get(edge.source, len(diagram.vertices)), diagram.vertices[edge.target].level)
    moved = {place: level - 1 for place, level in first.items() if place not in fixed}
    vertices = [v._replace(level=moved.get(place, v.level)) for place, v in enumerate(diagram.vertices)]
    return diagram._replace(vertices=vertices)


def _choose_cuts(widths: Sequence[float], lines: Sequence[int], rows: int) -> list[int]:
    """Return the levels that begin a new row, ascending, `rows` - 1 of them, by dynamic programming.

    Minimized is the sum of the squares of the rows' lengths, plus a cost for each line that continues in the next row.
    `widths` are the widths of the levels, `lines` the numbers of lines that leave them. There must be at least `rows`
    levels.
    """
    count = len(widths)
    row_length = sum(widths) / rows
    ends = [*accumulate(widths, initial=0.0)]
    best = [(end / row_length) ** 2 for end in ends]
    chosen: list[list[int]] = []

    def cheapest(end: int) -> tuple[float, int]:
        """Return (cost, first level of the last row) of the best rows of the levels before `end`, with one row more
        than those in `best`.
        """
        places = range(1, end)
        costs = (best[k] + ((ends[end] - ends[k]) / row_length) ** 2 + _LANE_COST * lines[k - 1] for k in places)
        return min(zip(costs, places, strict=True), default=(float("inf"), 0))

    for _ in range(rows - 1):
        ways = [*map(cheapest, range(count + 1))]
        best = [cost for cost, _ in ways]
        chosen.append([start for _, start in ways])
    cuts = [count]
    for starts in reversed(chosen):
        cuts.append(starts[cuts[-1]])
    return cuts[:0:-1]
