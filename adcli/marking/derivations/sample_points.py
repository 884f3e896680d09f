"""Sample points at which formulas are compared: random ones, moved to where every part of the formulas has an effect.

`exp(-E/(1.38e-23*T))` is 0 in doubles at most points, and `exp(1e-18*x)` is 1; neither tells two formulas apart there.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from math import copysign, isfinite, log10

from ...graph.graph import Constant, Graph
from ...graph.order import postorder
from ...graph.tape import evaluate, vjp
from ...numbers.double_intervals import SPREAD, Spread
from ...numbers.doubles import FLOAT
from ...records import NamedTuple
from ...table.primitive import Primitive

POINTS = 12
_DRAWS = 600  # points that are tried
_ENOUGH = 48  # draws after which points count at which some part has no effect
_LEAST = 24  # draws, however much work they are
_MOVES = 12  # of one point
_WORK = 300_000  # operations that all draws together may take
_SCALES = (1.0, 0.3, 3.0, 10.0, 0.05, 100.0)
_FARTHEST = 60  # decimal exponent of a coordinate
_NARROW = 1e-7  # width of a value that others can be told from, relative to its size
_NORMAL = (1e-290, 1e290)
# Decimal exponents of the sizes that have an effect: of the argument of a function, of the result of a power, and of
# the smaller term of a sum in relation to the larger one.
_ARGUMENT, _POWER, _TERM = (-4.0, 1.3), 200.0, -5.0
_FREE = ("mul", "div", "neg", "sqrt", "cbrt", "abs", "log", "log2", "log10")  # whose arguments may have any size


class HidingPart(NamedTuple):
    """A slot whose size hides others, and the decimal exponent of the size that it should have."""

    slot: int
    exponent: float


def draw_points(graph: Graph, needed: Sequence[int]) -> list[dict[str, Spread]]:
    """Return at most 12 points {input name: value} where all `needed` slots have values; [] if there are none.

    The same graph always has the same points. Points where every part has an effect come first, then those where all
    values are normal numbers, then any others; drawing ends once there are 12 of the first kind, or, after some draws,
    of the first two. At most 600 points are tried, fewer if they take much work. Sets the outputs of `graph` to the
    slots.
    """
    graph.outputs = [("", slot) for slot in needed]  # these are computed whatever branches are taken
    source = random.Random(len(graph))  # noqa: S311 - any points will do, but the same ones
    order = sorted({s for slot in needed for s in postorder(slot, graph.parents.__getitem__)})
    kinds: tuple[list[dict[str, Spread]], ...] = ([], [], [])
    work = 0
    for draw, drawn in enumerate(_random_points(graph, source)):
        path, has_effect = _adjust_point(graph, order, drawn, source)
        for point in path[:-3:-1] if has_effect else [*path[:-3:-1], drawn]:
            quality = max(_worst_quality(graph, needed, point), int(not (has_effect and point is path[-1])))
            if quality < len(kinds):
                kinds[quality].append({graph.inputs[slot]: SPREAD.number(x) for slot, x in point.items()})
                break
        work += 3 * len(path) * len(graph)
        enough = len(kinds[0]) + (len(kinds[1]) if draw >= _ENOUGH else 0)
        if enough >= POINTS or (work > _WORK and draw >= _LEAST):
            break
    return [place for kind in kinds for place in kind][:POINTS]


def _worst_quality(graph: Graph, needed: Sequence[int], point: Mapping[int, float]) -> int:
    """Return the worst quality of the values of `needed` slots at a point {slot of an input: value}."""
    values = evaluate(graph, SPREAD, {slot: SPREAD.number(x) for slot, x in point.items()})
    return max(_quality(SPREAD.number(values[slot])) for slot in needed)


def _random_points(graph: Graph, source: random.Random) -> Iterator[dict[int, float]]:
    """Yield 600 random points {slot of an input: value}, at scales from 0.05 to 100 in turn.

    In every third point values are near a constant of the graph (one of up to 8, below 1e6 in size), of either sign,
    otherwise near 0; in every second one they are only larger than that centre.
    """
    centres = [0.0, *{abs(x): x for x in map(number_of, graph.constants.values()) if abs(x) < 1e6}.values()][:8]
    for draw in range(_DRAWS):
        scale = _SCALES[draw // 2 % len(_SCALES)]
        point = {}
        for slot in graph.inputs:
            centre = 0.0 if draw % 3 else source.choice(centres) * source.choice((1, -1))
            size = abs(source.uniform(-scale, scale)) if draw % 2 else source.uniform(-scale, scale)
            point[slot] = centre + size
        yield point


def number_of(constant: Constant) -> float:
    """Return the value of a number; 0 for a named constant such as pi, and for a text that is not a number."""
    try:
        return 0.0 if constant.named else float(constant.text)
    except ValueError:
        return 0.0


def _quality(value: Spread) -> int:
    """Return 0 for an exact 0 and for a normal number in a narrow interval, 2 for an interval that is narrow compared
    with 1e-3 or with its size, 3 for any other."""
    if not value.known:
        return 3
    low, high = sorted((abs(value.low), abs(value.high)))
    width = value.high - value.low
    if high == 0 or (_NORMAL[0] < low and high < _NORMAL[1] and width <= _NARROW * high):
        return 0
    return 2 if high < 1e12 and width <= _NARROW * max(high, 1e-3) else 3


# --- moving points ----------------------------------------------------------------------------------------------------


def _adjust_point(
    graph: Graph, order: Sequence[int], point: dict[int, float], source: random.Random
) -> tuple[list[dict[int, float]], bool]:
    """Return (the points on a way from `point`, whether every slot of `order` has an effect at the last of them).

    A point maps slots of inputs to values. At each of at most `_MOVES` (12) points the inputs of one step are changed
    so that the size of a part that hides others becomes what it should be. The way begins with `point`; it ends with
    True if no part hides another one, and with False if the part cannot be changed, or after the 12th move, whose point
    is not looked at again.
    """
    path = [point]
    for _ in range(_MOVES):
        values = evaluate(graph, FLOAT, path[-1])
        part = next(_hiding_parts(graph, order, values, source), None)
        step = None if part is None else _step(graph, part, path[-1], source)
        if step is None:
            return path, part is None
        path.append({**path[-1], **step})
    return path, False


def _hiding_parts(
    graph: Graph, order: Sequence[int], values: Sequence[float | None], source: random.Random
) -> Iterator[HidingPart]:
    """Yield the parts that are too large or too small for others to have an effect, in `order` (slots, operands first).

    `values` are those of all slots; `source` draws their new sizes. Skipped are slots that are not operations,
    literals, rows in `_FREE`, and rows an operand of which has no finite size.
    """
    for slot in order:
        row, parents = graph.rows[slot], graph.parents[slot]
        sizes = [size for p in parents if (size := _exponent(values[p])) is not None]
        if row is None or graph.literal[slot] or len(sizes) < len(parents) or row.name in _FREE:
            continue
        moving = [k for k, p in enumerate(parents) if not graph.literal[p]]
        for k, exponent in _hiding_operands(row, [values[p] or 0.0 for p in parents], sizes, moving, source):
            yield HidingPart(parents[k], exponent)


def _hiding_operands(
    row: Primitive, values: Sequence[float], sizes: Sequence[float], moving: Sequence[int], source: random.Random
) -> Iterator[tuple[int, float]]:
    """Yield (position of an operand, decimal exponent that it should have) for those that are too large or too small.

    `values` are those of the operands of `row`, `sizes` their decimal exponents, `moving` the positions of those that
    are not just numbers. A sum whose operands differ too much yields one of them at random, near the size of the other;
    a power with a constant exponent its base if the result is too large or small; other functions each operand outside
    `_ARGUMENT`, but not conditions and choices. The new exponents are random within a range.
    """
    if row.name in ("add", "sub"):
        if abs(sizes[0] - sizes[1]) > -_TERM and all(values):
            k = source.choice(moving)
            yield k, sizes[1 - k] + source.uniform(-1.5, 0.7)
    elif row.name == "pow" and list(moving) == [0]:
        power = abs(values[1])
        if abs(sizes[0]) * power > _POWER:
            yield 0, source.uniform(-3.0, 3.0) / power
    elif not row.truth and row.route is None:
        low, high = _ARGUMENT
        for k in moving:
            if values[k] and not low <= sizes[k] <= high:
                yield k, source.uniform(-1.0, 0.7)


def _exponent(x: float | None) -> float | None:
    """Return the decimal exponent of the size of a number; that of the smallest or largest double for 0 and
    infinity, None for nan and a missing value."""
    if x is None or x != x:
        return None
    return log10(min(max(abs(x), 5e-324), 1.7e308))


def _step(graph: Graph, part: HidingPart, point: Mapping[int, float], source: random.Random) -> dict[int, float] | None:
    """Return a new value for one random input {its slot: value}, at which a part has its size to first order.

    The step is in the logarithm of the input if the part must change by more than 1.5 orders of magnitude, else in the
    input itself. None if no input can do that: its slope is 0 or not finite, the value is 0 or not finite, or the input
    would not change or become too large.
    """
    values, bars = vjp(graph, point, {part.slot: 1.0})
    value = values[part.slot]
    goal = copysign(10.0**part.exponent, value)
    steps: list[dict[int, float]] = []
    for slot, x in point.items():
        slope = bars[slot]
        if not (isfinite(slope) and slope and isfinite(value) and value):
            continue
        orders = part.exponent - log10(abs(value))
        elasticity = slope * x / value
        if abs(orders) > 1.5 and x and 1e-3 < abs(elasticity) < 1e3:
            exponent = log10(abs(x)) + orders / elasticity
            moved = copysign(10.0**exponent, x) if abs(exponent) <= _FARTHEST else x
        else:
            moved = x + (goal - value) / slope
        if moved != x and isfinite(moved) and abs(moved) < 10.0**_FARTHEST:
            steps.append({slot: moved})
    return source.choice(steps) if steps else None
