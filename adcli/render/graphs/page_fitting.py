"""Pictures for a page: which way a graph goes, where its levels go on in a new row, and how large its letters are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType

from ...errors import RequestError
from ...records import NamedTuple
from .diagram import Diagram
from .drawing import SIZE, Drawing, layers_of, placed
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
_WIDE = 1800.0  # units: what is wider goes on in a second row
_MOST_ROWS, _MOST_PLACES = 10, 6_000
_MANY, _CLOSE = 50, 0.55  # more nodes than so many stand closer on a page, with so much of the usual room
_WORTH = 1.05  # how much larger letters must become for another way to be taken
_LANE_COST = 0.04  # of the width of a row, for each line that goes on in the next
SMALL_PRINT = 5.0  # points: letters that are smaller are told of


class PageSize(NamedTuple):
    """Width and height in millimetres; `turns` if it may lie as well as stand."""

    width: float
    height: float
    turns: bool


class Wish(NamedTuple):
    """How a graph is to be laid out: `right` or `down` (nothing: whichever fits), and the page that it is to fit."""

    direction: str = ""
    page: PageSize | None = None


ANY_SIZE = Wish()


def page_of(text: str) -> PageSize:
    """The page of a name (A4, letter), which may lie or stand, or of a size such as 160x90mm."""
    for name, size in PAGES.items():
        if text.casefold() == name.casefold():
            return PageSize(*size, turns=True)
    found = _SIZED.fullmatch(text.strip().casefold())
    if found is None:
        raise RequestError(f"--fit {text} is no size of a page", help=f"take {', '.join(PAGES)}, or a size: 160x90mm")
    width, height = (float(side) * _MILLIMETRES[found[3] or ""] for side in found.groups()[:2])
    if not (_LEAST <= width <= _MOST and _LEAST <= height <= _MOST):
        raise RequestError(
            f"--fit {text} is no size of a page", label=f"sides are {_LEAST:g} to {_MOST:g} millimetres",
            help="without a unit they are millimetres: --fit 160x90",
        )  # fmt: skip
    return PageSize(width, height, turns=False)


def direction_of(text: str) -> str:
    """The direction that a word stands for: `right` or `down`."""
    found = DIRECTIONS.get(text.casefold())
    if found is None:
        raise RequestError(f"--direction {text} is no direction", help="take right (left-right) or down (top-down)")
    return found


def laid_out(diagram: Diagram, wish: Wish = ANY_SIZE) -> Drawing:
    """The diagram as it is wished: on a page with letters as large as may be, else no wider than people look at."""
    layers = layers_of(diagram)
    if wish.page is None:
        first = placed(diagram, layers, wish.direction == "down")
        if first.down or first.width <= _WIDE:
            return first
        return next((found for found in _in_rows(diagram, first) if found.width <= _WIDE), first)
    best, largest = None, 0.0
    for found in _ways(diagram, layers, wish.direction):
        for size in _sides(wish.page):
            scale = _scale(found, size)
            if best is None or scale > largest * (_WORTH if largest else 1.0):
                best, largest = found._replace(page=size), scale
    assert best is not None  # there is one way at least  # noqa: S101
    return best


def letters(drawing: Drawing) -> float:
    """How high letters are in print, in points."""
    scale = _scale(drawing, drawing.page) if drawing.page else 1.0
    return SIZE * 0.75 * scale


def scale_of(drawing: Drawing) -> float:
    """How much smaller than its own size a drawing is on its page."""
    return _scale(drawing, drawing.page) if drawing.page else 1.0


def window(drawing: Drawing) -> tuple[float, float, float, float]:
    """Left, top, width and height of what is seen, in units: all of the drawing, in the middle of its page."""
    if drawing.page is None:
        return 0.0, 0.0, drawing.width, drawing.height
    width, height = (side / (UNIT * scale_of(drawing)) for side in drawing.page)
    return (drawing.width - width) / 2, (drawing.height - height) / 2, width, height


def _scale(drawing: Drawing, page: tuple[float, float]) -> float:
    width, height = ((side - 2 * _EDGE) / UNIT for side in page)
    return min(1.0, width / drawing.width, height / drawing.height)


def _sides(page: PageSize) -> Iterator[tuple[float, float]]:
    yield page.width, page.height
    if page.turns:
        yield page.height, page.width


def _ways(diagram: Diagram, layers: Layers, direction: str) -> Iterator[Drawing]:
    """The ways to lay a diagram out, the plainest first."""
    downs = [False, True] if not direction else [direction == "down"]
    for down in downs:
        first = placed(diagram, layers, down)
        yield first
        yield from _in_rows(diagram, first, _CLOSE if len(diagram.vertices) > _MANY else 1.0)


def _in_rows(diagram: Diagram, first: Drawing, room: float = 1.0) -> Iterator[Drawing]:
    """The diagram in one row of columns, in two, and so on; inputs stand before their first use."""
    late = _late(diagram)
    layers = layers_of(late)
    count = len(layers.rows)
    if len(layers.level) > _MOST_PLACES or any(
        layers.level[b] != layers.level[a] + 1 for path in layers.paths for a, b in pairwise(path)
    ):
        return
    once = placed(late, layers, first.down, (), room)
    yield once
    widths = [0.0] * count
    for box in once.boxes:
        widths[box.level] = max(widths[box.level], box.height if first.down else box.width)
    total = once.height if first.down else once.width
    between = (total - sum(widths)) / max(count, 1)
    widths = [width + between for width in widths]
    lines = [sum(1 for place in row if layers.after[place]) for row in layers.rows]
    for rows in range(2, min(_MOST_ROWS, count) + 1):
        yield placed(late, layers, first.down, _cuts(widths, lines, rows), room)


def _late(diagram: Diagram) -> Diagram:
    """The same with everything that has no edges into it in the level before its first use."""
    first: dict[int, int] = {}
    fixed = {edge.target for edge in diagram.edges}
    for edge in diagram.edges:
        first[edge.source] = min(first.get(edge.source, len(diagram.vertices)), diagram.vertices[edge.target].level)
    vertices = [
        vertex if place in fixed or place not in first else vertex._replace(level=first[place] - 1)
        for place, vertex in enumerate(diagram.vertices)
    ]
    return diagram._replace(vertices=vertices)


def _cuts(widths: Sequence[float], lines: Sequence[int], rows: int) -> list[int]:
    """The levels that begin a row, so that rows are about as long as each other and few lines go from one to the next.

    `widths` are those of the levels, `lines` the numbers of lines out of them.
    """
    count = len(widths)
    share = sum(widths) / rows
    ends = [0.0]
    for width in widths:
        ends.append(ends[-1] + width)
    best = [(ends[k] / share) ** 2 for k in range(count + 1)]
    chosen: list[list[int]] = []
    for _ in range(rows - 1):
        following, starts = [float("inf")] * (count + 1), [0] * (count + 1)
        for end in range(1, count + 1):
            for start in range(1, end):
                cost = best[start] + ((ends[end] - ends[start]) / share) ** 2 + _LANE_COST * lines[start - 1]
                if cost < following[end]:
                    following[end], starts[end] = cost, start
        best = following
        chosen.append(starts)
    cuts = [count]
    for starts in reversed(chosen):
        cuts.append(starts[cuts[-1]])
    return cuts[:0:-1]
