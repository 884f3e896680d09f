"""Slopes at kinks that a course chooses: rows whose one-sided slopes differ get another slope than the table's."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import isfinite

from ...answers.answer_model import Task
from ...graph.graph import Graph
from ...graph.order import kinked_slots
from ...graph.tape import evaluate
from ...numbers.double_intervals import SPREAD, Spread
from ...numbers.doubles import FLOAT
from ...table.primitive import Kink, Primitive
from ...typings import TYPE_CHECKING

if TYPE_CHECKING:
    from ...table.arithmetic import Arithmetic, T

_NEAR = Spread(-1e-9, 1e-9)  # around an argument: far below the distance of the sample points


def set_slopes(graph: Graph, task: Task) -> None:
    """Give the rows of `graph` whose kink is, or may be, at the point of the task the slope
    s = left + `task.kink_weight` (right - left), in place; nothing changes if the weight is None.

    Of two arguments (max), the first that moves gets s and the other one 1 - s.
    """
    if task.kink_weight is None:
        return
    for slot, kink, position, arguments, (left, right) in kinks_at(graph, task):
        slope = left + task.kink_weight * (right - left)
        slopes = tuple([slope if k == position else 1 - slope for k in range(len(arguments))])
        graph.rows[slot] = _with_slopes(graph.row(slot), kink, arguments, slopes)


def kinks_at(graph: Graph, task: Task) -> Iterator[tuple[int, Kink, int, tuple[float, ...], tuple[float, float]]]:
    """Yield the kinks with finite slopes that are at the point of the task, or may be within rounding errors.

    Each is (slot, kink, position of the first argument that moves, values of the arguments, (slope from the left, from
    the right)).
    """
    kinked = [(slot, *each) for slot, kinks, _ in kinked_slots(graph) for each in kinks.items()]
    if not kinked:
        return
    from ...kinks.near_kinks import NearKinks  # few problems have kinks

    values = evaluate(graph, FLOAT, {slot: float(task.at[name]) for slot, name in graph.inputs.items()})
    near = NearKinks(graph).slots(values)
    for slot, kink, position in kinked:
        arguments = tuple([values[p] for p in graph.parents[slot]])
        left, right = kink.slopes_at(FLOAT, arguments) if slot in near else (None, None)
        if left is not None and right is not None and isfinite(left - right):
            yield slot, kink, position, arguments, (left, right)


@lru_cache(maxsize=256)
def _with_slopes(row: Primitive, kink: Kink, point: tuple[float, ...], slopes: tuple[float, ...]) -> Primitive:
    """Return a copy of `row` that has the partials `slopes` where its arguments, doubles or their intervals, are
    `point`; elsewhere, and in other arithmetics, it has its own.
    """

    def partials(m: Arithmetic[T], z: T, *xs: T) -> list[T | float | None]:
        pairs = zip(xs, point, strict=True)
        if all(isinstance(x, (float, Spread)) and SPREAD.number(x - a).meets(_NEAR) for x, a in pairs):
            return [*slopes]
        return row.rules(m, z, xs, [True] * len(xs))

    return row.with_cells(partials=partials, smooth=Kink(kink.holds, kink.title))
