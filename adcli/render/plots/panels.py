"""Panels of a plot: the visible part of the y-axis, ticks, and sentences about the marks. A mark is a kink, jump, pole,
vertical tangent or end of the domain; a spot is a point that the curve has there, a ring one that it only approaches.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...notation.display_formula import Formula
from ...notation.number_text import Digits
from ...notation.table_formulas import write_name
from ...records import NamedTuple
from ...trace.curves import EDGE, JUMP, KINK, POLE, VERTICAL, Curve, CurveMark, Plot, Point, Tangent
from ..document_parts import Runs
from ..trace_tables import number, problem_heading, write_derivative

_SHORT = Digits(significant=6)
_MOST_DESCRIBED = 12  # marks that are described one by one
_BINS = 200
_OUTLYING = 20  # times the height of nearly all points: higher points are cut off
_NOTHING = 1e-9  # of the height of a jump
_TOUCHING = 1e-3  # of the height of a jump: how near a value is to the side that it belongs to
_MARGIN = 0.06  # of the height, above and below

Line = list[tuple[float, float]]


class Panel(NamedTuple):
    """One pair of axes of a plot.

    lines     the lines of the curve, each a list of points
    spots     points at which the function has its value
    rings     points that it only approaches
    poles     the x of poles
    tangents  the tangents to draw
    low, high the visible part of the y-axis
    """

    name: Formula
    lines: list[Line]
    spots: Line
    rings: Line
    poles: list[float]
    tangents: list[Tangent]
    low: float
    high: float


def panels(plot: Plot, curve: Curve) -> tuple[Panel, Panel]:
    """Return the panel of the function with its tangents, and the panel of its derivative."""
    poles = [mark.x for mark in curve.marks if mark.kind == POLE]
    return _value_panel(plot, curve, poles), _slope_panel(plot, curve, poles)


def _value_panel(plot: Plot, curve: Curve, poles: list[float]) -> Panel:
    """Return the panel of the function itself, for the output of `curve`.

    The Panel has the lines of the curve, the spots and rings of its marks (`_mark_points`), vertical lines at `poles`
    (values of x), and those tangents of `plot` that belong to this output. The visible range of y is that of the lines
    (`_visible_range`), widened to the points of contact of the tangents; spots and rings do not widen it.
    """
    tangents = [tangent for tangent in plot.tangents if tangent.output == curve.output]
    lines = [[(point.x, point.y) for point in piece] for piece in curve.pieces]
    points = [_mark_points(mark) for mark in curve.marks]
    spots, rings = ([point for both in points for point in both[k]] for k in (0, 1))
    seen = _visible_range(plot, lines, [tangent.y for tangent in tangents])
    return Panel(write_name(curve.output), lines, spots, rings, poles, tangents, *seen)


def _slope_panel(plot: Plot, curve: Curve, poles: list[float]) -> Panel:
    """Return the panel of the derivative of `curve`, with rings at the one-sided slopes of kinks and jumps.

    `poles` are the positions of vertical lines, `plot` the plot of the curve. Points without a finite slope and pieces
    of a single point are left out; there are no spots or tangents.
    """
    pieces = [[(p.x, p.slope) for p in piece if math.isfinite(p.slope)] for piece in curve.smooth_pieces]
    lines = [piece for piece in pieces if len(piece) > 1]
    marks = [mark for mark in curve.marks if mark.kind in (KINK, JUMP)]
    sides = [(mark.x, side.slope) for mark in marks for side in (mark.left, mark.right) if side is not None]
    rings = dict.fromkeys(side for side in sides if math.isfinite(side[1]))
    name = write_derivative(curve.output, (plot.variable,), len(plot.graph.inputs))
    return Panel(name, lines, [], list(rings), poles, [], *_visible_range(plot, lines, []))


def _mark_points(mark: CurveMark) -> tuple[Line, Line]:
    """Return (spots, rings) of a mark: the points that the curve has, and those that it only approaches.

    The first that applies:

    - A pole, or a mark without sides: no points.
    - A jump: the limits on both sides are rings. If the value belongs to one of them, this limit is a spot
      instead. Another value is a spot too.
    - A mark with a value: this value is a spot.
    - It is known that there is no value: the sides are rings.
    - It is not known whether there is a value: the mean of the sides is a spot.
    """
    sides = [side for side in (mark.left, mark.right) if side is not None]
    if mark.kind == POLE or not sides:
        return [], []
    if mark.kind == JUMP:
        ends = [(mark.x, _limit(mark, side, other)) for side, other in zip(sides, sides[::-1], strict=True)]
        reached = reached_end(mark)
        if reached is not None:
            return [ends.pop(reached)], ends
        return [] if mark.value is None else [(mark.x, mark.value)], ends
    if mark.value is not None:
        return [(mark.x, mark.value)], []
    if mark.decided:
        return [], [(mark.x, side.y) for side in sides]
    return [(mark.x, sum(side.y for side in sides) / len(sides))], []


def reached_end(mark: CurveMark) -> int | None:
    """Return the side of the jump `mark` to which the value belongs, 0 for left and 1 for right.

    The value is compared with the limits at the jump that `_limit` extrapolates from `left` and `right`. The nearer
    limit is taken, the left one if both are equally near. None if it is further away than 0.1 % of the jump's height,
    or if the value or a side is missing.
    """
    left, right = mark.left, mark.right
    if mark.value is None or left is None or right is None:
        return None
    ends = _limit(mark, left, right), _limit(mark, right, left)
    off = [abs(mark.value - end) for end in ends]
    nearest = off.index(min(off))
    return nearest if off[nearest] <= _TOUCHING * abs(ends[1] - ends[0]) else None


def _visible_range(plot: Plot, lines: Sequence[Line], included: Sequence[float]) -> tuple[float, float]:
    """Return (low, high) of the y-axis for the `lines` of a panel of `plot`; the range contains all of `included`.

    All points are visible, unless their range is more than 20 times the range of the middle 80 %, which is not 0. Then
    the range of the middle 80 % is visible, and half its height above and below it. For it one point counts in each of
    200 parts of the x-axis. A margin of 6 % is added on both sides; for a constant function it is 6 % of its value, or
    1 if the value is 0. If there are no points, the range is that of the function 0.
    """
    known = [y for line in lines for _, y in line] or [0.0]
    spread: dict[tuple[int, int], float] = {}
    for k, line in enumerate(lines):
        for x, y in line:
            spread.setdefault((k, int((x - plot.low) / (plot.high - plot.low) * _BINS)), y)
    usual = sorted(spread.values()) or [0.0]
    cut = len(usual) // 10
    first, last = usual[cut], usual[len(usual) - 1 - cut]
    low, high = min(known), max(known)
    if high - low > _OUTLYING * (last - first) > 0:
        low, high = max(low, first - (last - first) / 2), min(high, last + (last - first) / 2)
    low, high = min([low, *included]), max([high, *included])
    margin = (high - low) * _MARGIN or abs(high) * _MARGIN or 1.0
    return low - margin, high + margin


def ticks(low: float, high: float, about: int) -> list[float]:
    """Return the multiples of a round step from `low` to `high`, ends included, ascending.

    The step is 1, 2 or 5 times a power of ten, the smallest that is at least (high - low)/`about`, so that there are at
    most about `about` + 1 of them. Needs low < high.
    """
    rough = (high - low) / max(about, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * 0.999)
    return [k * step for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def tick_text(x: float) -> str:
    """Return a number at an axis, in six significant digits."""
    return number(x, _SHORT)


def heading(plot: Plot) -> Runs:
    """Return `label: expression   at y = 2`."""
    return problem_heading(plot.label, plot.expression, plot.graph, plot.at, _SHORT)


def sentences(plot: Plot, curve: Curve) -> list[str]:
    """Return the lines below a curve of `plot`, one for each of its first 12 marks and of the tangents to its output.

    After the marks `and 3 more such places` counts the others. Last, a line says that the curve has no values (no
    pieces), and another that it changes too fast to be drawn correctly (`complete` is False), if this is the case.
    """
    lines = [_mark_sentence(plot, mark) for mark in curve.marks[:_MOST_DESCRIBED]]
    if len(curve.marks) > _MOST_DESCRIBED:
        lines.append(f"and {len(curve.marks) - _MOST_DESCRIBED} more such places")
    for line in plot.tangents:
        if line.output == curve.output:
            x, y, slope = (number(part, _SHORT) for part in (line.x, line.y, line.slope))
            lines.append(f"tangent at {plot.variable} = {x}: slope {slope} through ({x}, {y})")
    if not curve.pieces:
        lines.append(f"{curve.output} has no value here")
    if not curve.complete:
        lines.append(f"{curve.output} changes too fast to be drawn correctly everywhere")
    return lines


def _mark_sentence(plot: Plot, mark: CurveMark) -> str:
    """Return a mark of a curve of `plot` in words: `kink at x = 0: slope −1 from the left, 1 from the right`.

    The first that applies:

    - The end of a curve, or a mark with a side missing: `no value at` the place if both or no sides are there;
      otherwise `pole` (for a pole) or `no value`, and `left of` or `right of` the place for the missing side.
    - A kink has its slopes on both sides.
    - A jump has its limits and the value there (`_value_at_jump`): `jump at x = 0: from −1 to 1, 0.5 there`.
    - `pole at` or `vertical tangent at` the place.
    """
    place = f"{plot.variable} = {number(mark.x, _SHORT)}"
    left, right = mark.left, mark.right
    if mark.kind == EDGE or left is None or right is None:
        if (left is None) == (right is None):
            return f"no value at {place}"
        return f"{'pole' if mark.kind == POLE else 'no value'} {'left' if left is None else 'right'} of {place}"
    if mark.kind == KINK:
        sides = (number(side.slope, Digits(significant=4)) for side in (left, right))
        return "kink at {}: slope {} from the left, {} from the right".format(place, *sides)
    if mark.kind == JUMP:
        ends = (number(_limit(mark, *pair), _SHORT) for pair in ((left, right), (right, left)))
        return "jump at {}: from {} to {}".format(place, *ends) + _value_at_jump(mark)
    return {POLE: f"pole at {place}", VERTICAL: f"vertical tangent at {place}"}[mark.kind]


def _value_at_jump(mark: CurveMark) -> str:
    """Return the end of the sentence on the jump `mark`, on the value there; "" if the value is one of the two limits.

    It is `, 0.5 there`, `, no value there` or ` (the value there is not known)`.
    """
    if reached_end(mark) is not None:
        return ""
    if not mark.decided:
        return " (the value there is not known)"
    return ", no value there" if mark.value is None else f", {number(mark.value, _SHORT)} there"


def _limit(mark: CurveMark, side: Point, other: Point) -> float:
    """Return the limit of a jump from one side, extrapolated to the jump by the slope; tiny values become 0."""
    y = side.y + (side.slope * (mark.x - side.x) if math.isfinite(side.slope) else 0.0)
    return 0.0 if abs(y) < _NOTHING * abs(other.y - y) else y
