"""Text picture of a plot: lines of Braille dots, or of stars in ASCII. A panel is the picture of a function or of its
derivative.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise, product, repeat

from ...errors import width
from ...trace.curves import Curve, Plot
from ..document_parts import ascii_text, pad
from .panels import Panel, heading, panels, sentences, tick_text, ticks

_HEIGHTS = (16, 9)  # rows of the function and of its derivative
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # of a Braille letter, by row and column
_BLANK = 0x2800

Point = tuple[float, float]


def draw(plot: Plot, columns: int, ascii_only: bool = False) -> str:
    """Return the plot as lines of at most `columns` columns, with `ascii_only` in ASCII alone; a curve has at least 10.

    First is the heading; then for every output the function, its derivative, and sentences about the marks (heading and
    sentences may be longer than `columns`). The text ends with a line break.
    """
    out: list[str] = [heading(plot)]
    for curve in plot.curves:
        out += _draw_curve(plot, curve, columns, ascii_only)
    text = "\n".join(line.rstrip() for line in out) + "\n"
    return ascii_text(text) if ascii_only else text


def _draw_curve(plot: Plot, curve: Curve, columns: int, ascii_only: bool) -> Iterator[str]:
    """Yield the lines of a curve: panel of the function, panel of its derivative, sentences about its marks.

    A blank line is before each of the three, also if there are no sentences. Panels are at most `columns` wide. With
    `ascii_only` panels are drawn in ASCII, but sentences may have other characters.
    """
    for panel, rows in zip(panels(plot, curve), _HEIGHTS, strict=True):
        yield ""
        yield from _draw_panel(plot, panel, columns, rows, ascii_only)
    yield ""
    yield from sentences(plot, curve)


def _draw_panel(plot: Plot, panel: Panel, columns: int, rows: int, ascii_only: bool) -> Iterator[str]:
    """Yield the lines of a panel: its name, `rows` lines of the curve with the y-axis, the x-axis, and its numbers.

    The lines are at most `columns` wide, with the margin for the numbers of the y-axis, but the curve has at least 10
    columns. With `ascii_only` the frame is in ASCII and dots are stars; names may still have other characters.
    """
    marks = {_row_of(panel, y, rows): tick_text(y) for y in ticks(panel.low, panel.high, rows // 3)}
    margin = max(width(text) for text in [panel.name, *marks.values()])
    wide = max(columns - margin - 2, 10)
    grid = _Grid(plot, panel, wide, rows, ascii_only)
    grid.fill()
    corner, rule, tick, side = ("+", "-", "+", "|") if ascii_only else ("└", "─", "┴", "│")
    yield pad(panel.name, margin, right=True)
    for row, line in enumerate(grid.lines()):
        edge = "┤" if row in marks and not ascii_only else side
        yield f"{pad(marks.get(row, ''), margin, right=True)} {edge}{line}"
    below = {grid.column(x): tick_text(x) for x in ticks(plot.low, plot.high, wide // 12)}
    yield " " * (margin + 1) + corner + "".join(tick if k in below else rule for k in range(wide))
    yield " " * (margin + 2) + _tick_labels(below, wide)


def _row_of(panel: Panel, y: float, rows: int) -> int:
    """Return the row, from 0 at the top, of the value `y` in a panel of `rows` rows; `y` must be in the
    visible range.
    """
    return min(int((panel.high - y) / (panel.high - panel.low) * rows), rows - 1)


def _tick_labels(below: dict[int, str], wide: int) -> str:
    """Return the line of numbers below the x-axis, at most `wide` columns.

    `below` maps the column of a tick to its number, in ascending order. Each number is centred on its column, but kept
    inside the line. A number is left out if no blank fits between it and the one before it.
    """
    line = ""
    for column, text in below.items():
        start = min(max(column - width(text) // 2, 0), wide - width(text))
        if start > width(line) or not line:
            line = pad(line, start) + text
    return line


class _Grid:
    """A grid of characters between the axes of a panel, `wide` columns and `rows` rows.

    `dots` has a mask of Braille dots for each cell, `signs` the characters that are put over them; in ASCII a cell has
    a single dot. `across` and `down` are the dots of a cell.
    """

    def __init__(self, plot: Plot, panel: Panel, wide: int, rows: int, ascii_only: bool) -> None:
        self.plot, self.panel, self.wide, self.rows, self.ascii = plot, panel, wide, rows, ascii_only
        self.across, self.down = (1, 1) if ascii_only else (2, 4)
        self.dots = [[0] * wide for _ in range(rows)]
        self.signs: dict[tuple[int, int], str] = {}

    def fill(self) -> None:
        """Draw the panel: put lines and, dashed, the tangents into `dots` (masks of Braille dots by row and column),
        other marks into `signs` ({(row, column): character}).

        Signs are the poles (only on cells without dots), the axis y = 0 (in every other column, never over another
        sign), the rings and the spots. Rings and spots outside the visible range are left out. Points of contact of
        tangents are spots. Spots replace rings.
        """
        panel = self.panel
        for line in panel.lines:
            self._line(line, dashed=False)
        for tangent in panel.tangents:
            self._line([(x, tangent.at(x)) for x in (self.plot.low, self.plot.high)], dashed=True)
        pole, axis, ring, spot = ":.o@" if self.ascii else "┊·◇◆"
        for row, x in product(range(self.rows), panel.poles):
            if not self.dots[row][self.column(x)]:
                self.signs[row, self.column(x)] = pole
        if panel.low < 0 < panel.high:
            for column in range(0, self.wide, 2):
                self.signs.setdefault((_row_of(panel, 0.0, self.rows), column), axis)
        spots = [*panel.spots, *((tangent.x, tangent.y) for tangent in panel.tangents)]
        for sign, (x, y) in chain(zip(repeat(ring), panel.rings, strict=False), zip(repeat(spot), spots, strict=False)):
            if panel.low <= y <= panel.high:
                self.signs[_row_of(panel, y, self.rows), self.column(x)] = sign

    def column(self, x: float, parts: int = 1) -> int:
        """Return the column of the grid in which `x` is; the last one also for the end of the axis.

        With `parts`, that many columns for each one of the grid are counted.
        """
        wide = self.wide * parts
        return min(int((x - self.plot.low) / (self.plot.high - self.plot.low) * wide), wide - 1)

    def _line(self, points: Sequence[Point], dashed: bool) -> None:
        """Draw a polyline, clipped to the visible range; with `dashed` in dashes, anew in each segment.

        A single point is drawn as a dot, at the edge if it is outside. Without points nothing is drawn.
        """
        if len(points) == 1:
            self._segment(points[0], points[0], dashed)
        for start, end in pairwise(points):
            inside = self._clip_segment(start, end)
            if inside is not None:
                self._segment(*inside, dashed)

    def _clip_segment(self, start: Point, end: Point) -> tuple[Point, Point] | None:
        """Return the part of the segment from `start` to `end` that is inside the visible range of y, as its two ends;
        None if it is entirely above or below it.
        """
        low, high = self.panel.low, self.panel.high
        if max(start[1], end[1]) < low or min(start[1], end[1]) > high:
            return None
        return self._clip_end(start, end), self._clip_end(end, start)

    def _clip_end(self, start: Point, end: Point) -> Point:
        """Return the end `start` of the segment from `start` to `end`, moved along it to the edge of the panel if it is
        above or below that.
        """
        (x, y), (other, far) = start, end
        bound = min(max(y, self.panel.low), self.panel.high)
        return (x, y) if bound == y else (x + (other - x) * ((bound - y) / (far - y)), bound)

    def _segment(self, start: Point, end: Point, dashed: bool) -> None:
        """Set the dots of the straight segment from `start` to `end` (both inside the panel, and included); if `dashed`
        the first three of every six.
        """
        (x, y), (right, down) = self._dot(*start), self._dot(*end)
        steps = max(abs(right - x), abs(down - y), 1)
        for k in range(steps + 1):
            column, row = x + round((right - x) * k / steps), y + round((down - y) * k / steps)
            if not dashed or k % 6 < 3:
                mark = 1 if self.ascii else _DOTS[row % 4][column % 2]
                self.dots[row // self.down][column // self.across] |= mark

    def _dot(self, x: float, y: float) -> tuple[int, int]:
        """Return (column, row) of a point in dots, kept inside the grid."""
        return self.column(x, self.across), max(_row_of(self.panel, y, self.rows * self.down), 0)

    def lines(self) -> Iterator[str]:
        """Yield the lines of the grid as text, from top to bottom."""
        for row, dots in enumerate(self.dots):
            yield "".join(self._character(row, column, mask) for column, mask in enumerate(dots))

    def _character(self, row: int, column: int, mask: int) -> str:
        """Return the character of the cell at (`row`, `column`); `mask` has a bit for each of its eight Braille dots.

        The first that applies:

        - The sign of the cell, if it is a ring or spot, or if there are no dots.
        - A blank, if there are no dots.
        - The dots as a Braille character, or a star in ASCII.
        """
        sign = self.signs.get((row, column))
        if sign is not None and (not mask or sign in "o@◆◇"):
            return sign
        if not mask:
            return " "
        return "*" if self.ascii else chr(_BLANK + mask)
