"""Curves to plot, as plain data: outputs over an interval of one input, where they are not smooth, and tangents. A mark
is a pole, the edge of the domain, a jump, a vertical tangent or a kink.

Value and slope of every point come from the engine.  Between neighbours a smooth function is nearly the cubic that
their values and slopes give; where it is not, the interval is halved.  What remains at the smallest width is a corner,
a jump, a pole or the end of the domain; no line connects the sides of a jump or a pole.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from ..errors import RequestError
from ..graph.graph import Graph
from ..graph.order import ancestors, arrange
from ..graph.tape import Gradients, evaluate, faults, linearize, tangents
from ..language.program import Program
from ..numbers.doubles import FLOAT
from ..numbers.exact import Exact, exactly
from ..records import NamedTuple
from ..table.suggest import check_inputs
from .labels import shown_name
from .trace_model import Note, Request
from .trace_program import trace

_INTERVALS = 256
_FINEST = 16 * _INTERVALS  # parts of the interval, where it is smooth
_MOST_POINTS = 12_000
_MOST_WORK = 5_000_000  # operations that are evaluated in all points together
_NARROWEST = 1e-10  # of the whole interval
_SMOOTH = 1e-5  # of the height that the curve covers (`smooth`): how far it may be from the cubic
_VISIBLE, _INVISIBLE = 1e-2, 4e-7  # of a usual value
_LARGEST = 1e300  # beyond, there is no room for differences
_HUGE = 1e5  # times a usual value: beyond it the curve tends to infinity
_BENT = 1e-3  # of a usual slope: the slopes on the sides of a corner differ by more
_STEEP = 1e4  # times a usual slope: the tangent is vertical
_TOGETHER = 1e-6  # of the whole interval: marks nearer than this are one
KINK, JUMP, POLE, EDGE, VERTICAL = "kink", "jump", "pole", "edge", "vertical"
_BESIDE = 1e-12  # of the whole interval: written numbers are not nearer to each other
_PARTS = (*range(1, 13), 100, 1000, 10**4, 10**6)  # denominators of places that are written by hand
_KINDS = (POLE, EDGE, JUMP, VERTICAL, KINK)


class Point(NamedTuple):
    """A point (x, y) of a curve, the slope there, and a bound on the rounding error of y."""

    x: float
    y: float
    slope: float
    rounding: float


class CurveMark(NamedTuple):
    """A place where a curve is not smooth.

    kind         POLE, EDGE (an end of the domain), JUMP, VERTICAL (an infinite slope) or KINK
    x            the place, rounded to few digits
    left, right  the nearest points on both sides; None if there is no value
    value        the value of the function at exactly x; None if it has none, or if `decided` is False
    decided      whether the place is proven to be exactly x, not a number next to it
    """

    kind: str
    x: float
    left: Point | None
    right: Point | None
    value: float | None = None
    decided: bool = False


class Curve(NamedTuple):
    """An output over the interval.

    output    its name for people
    pieces    the sampled points in order of x, split where the curve has no value, jumps or has a pole
    marks     the places where the curve is not smooth, in order of x
    complete  False if the curve changes too fast to be sampled finely enough everywhere
    """

    output: str
    pieces: list[list[Point]]
    marks: list[CurveMark]
    complete: bool

    @property
    def smooth_pieces(self) -> list[list[Point]]:
        """Return the pieces, split at marks of every kind that have a point on both sides; empty pieces are left out.

        Points strictly between the two sides of a mark are left out, because slopes there are a convention; the sides
        themselves stay.
        """
        between = [(m.left.x, m.right.x) for m in self.marks if m.left is not None and m.right is not None]
        pieces: list[list[Point]] = []
        for piece in self.pieces:
            pieces.append([])
            corners = [ends for ends in between if ends[1] > piece[0].x]
            for point in piece:
                while corners and point.x >= corners[0][1]:
                    corners.pop(0)
                    pieces.append([])
                if not corners or point.x <= corners[0][0]:
                    pieces[-1].append(point)
        return [piece for piece in pieces if piece]


class Tangent(NamedTuple):
    """The line through the point (x, y) of a curve, with the slope there."""

    output: str
    x: float
    y: float
    slope: float

    def at(self, x: float) -> float:
        return self.y + self.slope * (x - self.x)


class Plot(NamedTuple):
    """The outputs of a program as functions of one input.

    label       the label of the problem, or None
    expression  its text
    variable    the input on the axis, from `low` to `high`, ends included
    at          the values of the other inputs
    curves      one for each output, in their order; `tangents` are the lines requested at some values of `variable`
    graph       that of the program
    """

    label: str | None
    expression: str
    variable: str
    low: float
    high: float
    at: dict[str, float]
    curves: list[Curve]
    tangents: list[Tangent]
    notes: list[Note]
    graph: Graph


def axis(inputs: Sequence[str], at: Mapping[str, float], advice: str) -> str:
    """Return the input on the axis of a plot: the only one of `inputs` that has no value in `at`.

    If all have a value, it is the only input. Raises RequestError if there is not exactly one candidate; its help is
    `advice`, with the first candidate for `{}` (x if there are no inputs).
    """
    free = [name for name in inputs if name not in at] or inputs
    if len(free) == 1:
        return free[0]
    raise RequestError("it is not clear which input is on the axis", help=advice.format((free or ["x"])[0]))


def plot(
    program: Program,
    variable: str,
    between: tuple[float, float],
    at: Mapping[str, float],
    tangents: Sequence[float] = (),
    label: str | None = None,
) -> Plot:
    """Return the Plot of every output of `program` over `between` (start, end, both included), with tangents.

    There is a tangent to every output at each of the values `tangents` of `variable`, value by value. `at` has the
    other inputs (a value of `variable` is ignored), `label` is the problem's label. Notes are those of a trace in which
    `variable` is nan, then new ones of the traces for the tangents.

    Raises RequestError if the interval is empty, reversed or infinite, if `variable` is not an input, and for more than
    9765 operations. Raises NameProblem if another input has no value, and DomainProblem for a tangent at a value of
    `variable` where an output has no value.
    """
    low, high = between
    if not low < high or not high - low < math.inf:
        advice = f"write two numbers, the smaller one first: --over {variable}=-3:3"
        raise RequestError(f"the input {variable} cannot go from {low:g} to {high:g}", help=advice)
    inputs = list(program.graph.inputs.values())
    check_inputs([variable], inputs, "--over {}=…")
    others = {name: x for name, x in at.items() if name != variable}
    whole = trace(program, {**others, variable: math.nan}, Request("value", steps=False), label)
    lines, notes = [], whole.notes
    for x in tangents:
        point_trace = trace(program, {**others, variable: x}, Request("forward", (variable,), steps=False))
        notes += [note for note in point_trace.notes if note not in notes]
        slopes = [(output, output.gradient or {}) for output in point_trace.outputs]
        lines += [Tangent(output.shown, x, output.value, gradient[variable]) for output, gradient in slopes]
    plot_lines = curves(program, variable, low, high, others)
    return Plot(label, whole.expression, variable, low, high, others, plot_lines, lines, notes, program.graph)


def curves(program: Program, wrt: str, low: float, high: float, at: Mapping[str, float]) -> list[Curve]:
    """Return every output of `program`, in order, as a function of the input `wrt` from `low` to `high`, ends included.

    `at` has the other inputs. An input that is missing is nan, so that outputs that need it have no points. A `wrt`
    that the program lacks is an input on which no output depends. Raises RequestError for more than 9765 operations.
    """
    graph = arrange(program.graph, extra=[wrt])
    most = _MOST_WORK // (2 * _INTERVALS)
    if len(graph) > most:
        title = f"a plot of {len(graph)} operations takes too long"
        raise RequestError(title, help=f"adcli plot takes up to {most} operations")
    inputs = {name: slot for slot, name in graph.inputs.items()}
    point = {slot: float(at.get(name, math.nan)) for name, slot in inputs.items()}
    samplers = {name: _Sampler(graph, point, inputs[wrt], slot) for name, slot in graph.outputs}
    return [sampler.curve(shown_name(name, inputs), low, high) for name, sampler in samplers.items()]


class _Sampler:
    """A sampler of one output at one value of the input after another; a point without a value is None in `points`."""

    def __init__(self, graph: Graph, point: dict[int, float], moving: int, result: int) -> None:
        self.graph, self.point, self.moving, self.result = graph, point, moving, result
        self.needed = ancestors(graph, [result])
        self.points: dict[float, Point | None] = {}

    def at(self, x: float) -> Point | None:
        """Return the point of the curve at `x`, computed once; None if there is no finite value."""
        if x not in self.points:
            self.points[x] = self._sample_point(x)
        return self.points[x]

    def _sample_point(self, x: float) -> Point | None:
        """Return the Point of the output at `x`, computed anew: value, slope and rounding error.

        None if the output has no value or is above 1e300 in size, or if a row that it needs fails a domain check or is
        nan. The slope may be infinite or nan.
        """
        graph = self.graph
        values = evaluate(graph, FLOAT, {**self.point, self.moving: x})
        y = values[self.result]
        broken = (s for s, check in faults(graph, values, FLOAT) if check is not None or values[s] != values[s])
        if any(self.needed[slot] for slot in broken) or y is None or not abs(y) <= _LARGEST:
            return None
        gradients = linearize(graph, FLOAT, values)
        slope = tangents(graph, gradients, {self.moving: 1.0})[self.result]
        return Point(x, float(y), float(slope), _rounding_bounds(graph, values, gradients)[self.result])

    def curve(self, output: str, low: float, high: float) -> Curve:
        """Return the curve of the output from `low` to `high`, named `output`, and fill `points`.

        The curve is sampled at 257 points, then more closely: intervals are halved, the widest first, until
        `_judge_interval` is content: the interval is smooth and nearly straight (or 1/4096 of the whole), its
        deviations are rounding errors, or it is too narrow. Intervals with a value at neither end are skipped.
        `complete` is False if 12000 points or the allowed work run out before. Each interval may give a mark
        (`_SmoothnessJudge.mark`); marks nearer to each other than 1e-6 of the whole width are merged. Jumps and edges
        at simple fractions get the value there (`_decide`).
        """
        width = high - low
        grid = [low + width * k / _INTERVALS for k in range(_INTERVALS)] + [high]
        usual = [point for x in grid if (point := self.at(x)) is not None]
        narrowest = max(width * _NARROWEST, 4 * math.ulp(max(abs(low), abs(high))))
        judge = _SmoothnessJudge(usual, width)
        marks: list[CurveMark] = []
        queue = deque(pairwise(grid))
        most = min(_MOST_POINTS, _MOST_WORK // len(self.graph))
        while queue and len(self.points) < most:
            start, end = queue.popleft()
            if not start < end or (self.at(start) is None and self.at(end) is None):
                continue
            middle = start + (end - start) / 2
            is_coarse, mark = self._judge_interval(judge, (start, middle, end), width / (end - start), narrowest)
            if is_coarse:
                queue += [(start, middle), (middle, end)]
            elif mark is not None:
                marks.append(mark)
        marks.sort(key=lambda mark: mark.x)
        breaks = {mark.right.x for mark in marks if mark.kind in (JUMP, POLE) and mark.right is not None}
        merged_marks = _merge_near_marks(marks, width * _TOGETHER)
        decided = [self._decide(mark, width) for mark in merged_marks]
        return Curve(output, self._pieces(breaks, merged_marks), decided, not queue)

    def _judge_interval(
        self, judge: _SmoothnessJudge, places: tuple[float, float, float], parts: float, narrowest: float
    ) -> tuple[bool, CurveMark | None]:
        """Return (whether an interval is to be halved, the mark in it).

        The mark is None if the interval is to be halved or the curve is smooth there. `judge` tests smoothness and
        makes the mark; `places` are start, middle and end of the interval; `parts` is the width of the whole curve
        divided by that of the interval. The first that applies:

        - smooth: halved until straight lines look like the curve, or the interval is 1/4096 of the whole
        - wider than `narrowest`: halved, except if the deviation from smoothness is only rounding error
        - otherwise: a mark, if `judge` finds one
        """
        left, center, right = map(self.at, places)
        if left and center and right and judge.is_smooth(left, center, right, parts < 2 * _INTERVALS):
            return parts < _FINEST and not judge.is_straight(left, center, right), None
        is_settled = left and center and right and judge.is_rounding_error(left, center, right)
        if places[2] - places[0] > narrowest and not is_settled:
            return True, None
        return False, judge.mark(left, center, right, places)

    def _decide(self, mark: CurveMark, width: float) -> CurveMark:
        """Return a jump or edge with `value` and `decided` (but not x) set, if it lies at a simple fraction; other
        marks unchanged.

        Fractions with denominators 1 to 12 and some powers of ten are tried. The first one counts that is within 8e-10
        of `width` (the length of the plotted interval), and whose neighbours on both sides agree with the sides of the
        mark. If a double is exactly this fraction, `value` is the function there (None if it has no value). If not, the
        value of a jump is computed in exact arithmetic, and an edge is returned unchanged.
        """
        if mark.kind not in (JUMP, EDGE):
            return mark
        near = 8 * width * _NARROWEST
        for place in dict.fromkeys(Fraction(round(mark.x * k), k) for k in _PARTS):
            x = float(place)
            if abs(x - mark.x) > near:
                continue
            step = max(width * _BESIDE, 16 * math.ulp(x))
            left, right = self._sample_point(x - step), self._sample_point(x + step)
            if _agrees_with_side(left, mark.left, mark) and _agrees_with_side(right, mark.right, mark):
                point = self._sample_point(x)
                if Fraction(x) == place:
                    return mark._replace(value=point.y if point else None, decided=True)
                if point is not None and mark.kind == JUMP:
                    return mark._replace(value=self._exact_value(place), decided=True)
        return mark

    def _exact_value(self, place: Fraction) -> float:
        """Return the value of the output at exactly `place`, in exact arithmetic as far as operations allow it."""
        point = {slot: exactly(x) for slot, x in self.point.items()}
        return float(evaluate(self.graph, Exact(), {**point, self.moving: exactly(place)})[self.result])

    def _pieces(self, breaks: Collection[float], marks: Sequence[CurveMark]) -> list[list[Point]]:
        """Return the sampled points in the order of x, split into pieces.

        A new piece begins after a point without a value, at each x in `breaks` (the far sides of jumps and poles), and
        at each pole in `marks`. Points strictly between the two sides of a pole are left out. Empty pieces are left
        out.
        """
        places = sorted(self.points)
        at_poles: set[float] = set()
        for mark in marks:
            if mark.kind == POLE and mark.left is not None and mark.right is not None:
                at_poles.update(places[bisect_right(places, mark.left.x) : bisect_left(places, mark.right.x)])
        pieces: list[list[Point]] = [[]]
        for x in places:
            point = None if x in at_poles else self.points[x]
            if point is None or x in breaks:
                pieces.append([])
            if point is not None:
                pieces[-1].append(point)
        return [piece for piece in pieces if piece]


def _rounding_bounds(graph: Graph, values: Sequence[float | None], gradients: Gradients) -> list[float]:
    """Return, by slot, a first-order bound on the absolute rounding error of its value.

    That is one ulp of the value plus, for each argument, |partial| times the bound of the argument. Inputs, literals
    and slots without a value have no ulp; missing partials count as 0. `values` and `gradients` (partials by argument)
    are by slot.
    """
    bounds: list[float] = []
    for value, parents, partials in zip(values, graph.parents, gradients, strict=True):
        error = math.ulp(value) if value is not None and parents else 0.0
        for parent, partial in zip(parents, partials, strict=False):
            if partial and bounds[parent]:
                error += abs(partial) * bounds[parent]
        bounds.append(error)
    return bounds


class _SmoothnessJudge:
    """A test whether a curve is smooth, which knows the usual sizes of its values and slopes."""

    def __init__(self, usual: Sequence[Point], width: float) -> None:
        self.size = _usual([abs(point.y) for point in usual])
        self.slope = _usual([abs(point.slope) for point in usual if math.isfinite(point.slope)])
        self.steep = _STEEP * max(self.slope, self.size / width, 1e-300)

    def is_smooth(self, left: Point, center: Point, right: Point, wide: bool) -> bool:
        """Return whether `center` lies near the cubic with the values and slopes of `left` and `right`.

        The distance (`_distance_from_cubic`) may be 1e-5 of the height that the curve covers: |center.y - left.y| +
        |right.y - center.y| plus the width times the sum of the sizes of the three slopes. With `wide` it may also be
        4e-7 of a usual value (`_usual` of the first points), which is invisible in a plot. False if a slope is
        infinite; a slope that is nan is ignored.
        """
        slopes = [abs(point.slope) for point in (left, center, right) if point.slope == point.slope]
        way = abs(center.y - left.y) + abs(right.y - center.y) + (right.x - left.x) * sum(slopes)
        allowed = max(_SMOOTH * way, _INVISIBLE * self.size if wide else 0.0)
        return math.isfinite(way) and _distance_from_cubic(left, center, right) <= allowed

    def is_straight(self, left: Point, center: Point, right: Point) -> bool:
        """Return whether straight lines between the three points look like the curve."""
        return abs(center.y - (left.y + right.y) / 2) <= _VISIBLE * self.size

    def is_rounding_error(self, left: Point, center: Point, right: Point) -> bool:
        """Return whether the distance from the cubic is only rounding error."""
        return _distance_from_cubic(left, center, right) <= 4 * (left.rounding + center.rounding + right.rounding)

    def mark(
        self, left: Point | None, center: Point | None, right: Point | None, at: tuple[float, float, float]
    ) -> CurveMark | None:
        """Return the mark between `left` and `right`, the closest points sampled; None if the curve is smooth there.

        `at` has the x of `left`, `center` and `right`; a point is None if there is no value. A usual size is the 7/8
        quantile at the first points. The first that applies:

        - a missing point: POLE if a known value is above 1e5 times a usual one, EDGE if not
        - such a value: POLE
        - a step of more than 10 times what slopes and rounding explain: JUMP
        - a slope that is nan or steeper than 1e4 times a usual one: VERTICAL
        - slopes of `left` and `right` that differ by more than 1/1000 of a usual one, unless the slope of `center` is
          about half-way between: KINK

        The sides of the mark are `left` and `right`. At a JUMP, and a POLE without a missing point, `center` is the
        right side if its value is nearer to that of `right` than to that of `left`.
        """
        x = _round_within(at[1], 4 * (at[2] - at[0]))
        known = [point for point in (left, center, right) if point is not None]
        huge = any(abs(point.y) > _HUGE * (self.size + 1e-300) for point in known)
        if left is None or center is None or right is None:
            return CurveMark(POLE if huge else EDGE, x, left, right)
        # the point between belongs to the side that it is nearer to
        far = center if abs(center.y - right.y) < abs(center.y - left.y) else right
        if huge:
            return CurveMark(POLE, x, left, far)
        step, width = abs(right.y - left.y), right.x - left.x
        rounding = left.rounding + right.rounding
        if step > 10 * (width * (abs(left.slope) + abs(right.slope)) + rounding):
            return CurveMark(JUMP, x, left, far)
        if not all(abs(point.slope) <= self.steep for point in known):
            return CurveMark(VERTICAL, x, left, right)
        bend = abs(right.slope - left.slope)
        # where the slope only changes fast, it is half-way changed in the middle
        if bend > _BENT * self.slope and abs(center.slope - (left.slope + right.slope) / 2) > bend / 4:
            return CurveMark(KINK, x, left, right)
        return None


def _usual(sizes: Sequence[float]) -> float:
    """Return the 7/8 quantile of the sizes, or the largest if that is 0; 0 without sizes."""
    ordered = sorted(sizes) or [0.0]
    return ordered[len(ordered) * 7 // 8] or ordered[-1]


def _distance_from_cubic(left: Point, center: Point, right: Point) -> float:
    """Return the distance of `center` from the cubic with the values and slopes of `left` and `right`.

    `center` is halfway between them. The result is the distance in value or, if larger, the distance in slope times a
    quarter of the width. A slope of `left` or `right` that is nan counts as the slope of the chord. If the slope of
    `center` is nan, only values are compared.
    """
    width, straight = right.x - left.x, (right.y - left.y) / (right.x - left.x)
    first, last = (straight if math.isnan(point.slope) else point.slope for point in (left, right))
    cubic = (left.y + right.y) / 2 + width * (first - last) / 8
    off = abs(center.y - cubic)
    if math.isnan(center.slope):
        return off
    return max(off, abs(center.slope - (1.5 * straight - (first + last) / 4)) * width / 4)


def _agrees_with_side(point: Point | None, side: Point | None, mark: CurveMark) -> bool:
    """Return whether the value at `point` agrees with `side`, one side of `mark`.

    True if both are None, False if only one is. For a jump the values may differ by 1/8 of its step; for other marks
    two values always agree.
    """
    if point is None or side is None:
        return point is side
    step = abs(mark.left.y - mark.right.y) if mark.left and mark.right and mark.kind == JUMP else math.inf
    return abs(point.y - side.y) <= step / 8


def _round_within(x: float, near: float) -> float:
    """Return a number with few decimals within `near` of x; x itself if rounding would move it further."""
    if near <= 0:
        return x
    rounded = round(x, max(0, int(-math.log10(near)) - 3)) + 0.0
    return rounded if abs(rounded - x) <= near else x


def _merge_near_marks(marks: Sequence[CurveMark], near: float) -> list[CurveMark]:
    """Return `marks`, sorted by x, with groups merged in which each mark is at most `near` after the one before.

    A merged mark has the left side of the first and the right side of the last mark of its group. Its kind is the one
    in the group that comes first in `_KINDS` (pole, edge, jump, vertical, kink); its x is the middle of the first and
    the last mark of this kind, rounded. `value` and `decided` get their defaults, also in a group of one.
    """
    groups: list[list[CurveMark]] = []
    for mark in marks:
        if not groups or mark.x - groups[-1][-1].x > near:
            groups.append([])
        groups[-1].append(mark)
    merged = []
    for group in groups:
        kind = min((mark.kind for mark in group), key=_KINDS.index)
        places = [mark.x for mark in group if mark.kind == kind]
        x = _round_within((places[0] + places[-1]) / 2, places[-1] - places[0]) if len(places) > 1 else places[0]
        merged.append(CurveMark(kind, x, group[0].left, group[-1].right))
    return merged
