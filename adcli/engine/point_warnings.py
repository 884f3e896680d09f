"""Warnings about points: those without a value and those that lie exactly on a kink."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..graph.graph import Graph
from ..graph.tape import evaluate, faults
from ..numbers.doubles import FLOAT
from ..records import NamedTuple
from ..typings import override
from .layout import Places
from .numpy_doubles import Doubles


class Undefined(NamedTuple):
    """Points without a value.

    points  how many of the `total` points these are
    first   the index of the first one, in the shape of the points
    at      {input: number} at that one
    title   the message about the first operation that fails there
    """

    points: int
    total: int
    first: tuple[int, ...]
    at: dict[str, float]
    title: str

    @override
    def __str__(self) -> str:
        point = ", ".join(f"{name} = {x!r}" for name, x in self.at.items())
        place = f"first at index {', '.join(map(str, self.first))} ({point})" if self.first else f"at {point}"
        points = "1 point" if self.total == 1 else f"{self.total:,} points"
        return f"no value at {self.points:,} of {points}: {self.title}, {place}"


def report_undefined(
    graph: Graph, outside: Sequence[Places], inputs: Sequence[Doubles], shape: tuple[int, ...]
) -> Undefined:
    """Return the report of points without a value: their number, the number of all points, index (in C order) and
    inputs by name of the first one, and the message about it (`describe_violation`).

    `outside` are arrays of flat indices in order: at least one, and none of them empty. `inputs` are flat arrays, of
    one element if the input is the same at all points. `shape` is that of the points.
    """
    first, total = int(outside[0][0]), math.prod(shape)
    index = tuple([first // math.prod(shape[k + 1 :]) % length for k, length in enumerate(shape)])
    point = {slot: float(x[first if len(x) > 1 else 0]) for slot, x in zip(graph.inputs, inputs, strict=True)}
    at = {graph.inputs[slot]: x for slot, x in point.items()}
    return Undefined(sum(map(len, outside)), total, index, at, describe_violation(graph, point))


def describe_violation(graph: Graph, point: dict[int, float]) -> str:
    """Return the message about the first operation, in slot order, without a value at a point, {slot of an input:
    value}.

    It is the title of the domain condition that is broken or, for a result that is nan, "f has no value for …" with the
    first operation before it that made an infinity of finite arguments. Operations in branches not taken and those with
    nan as an argument are skipped; if none is left, it is "an intermediate result has no value".
    """
    values, infinite = evaluate(graph, FLOAT, point), ""
    for slot, check in faults(graph, values, FLOAT):
        if check is not None:
            return check.title
        name, shown = graph.row(slot).name, ", ".join([repr(values[parent]) for parent in graph.parents[slot]])
        if math.isnan(values[slot]):
            return f"{name} has no value for {shown}{infinite}"
        infinite = infinite or f", since {name} of {shown} is infinite"
    return "an intermediate result has no value"


class KinkCount(NamedTuple):
    """Points that lie exactly on a kink.

    points   their number
    smooth   at how many of them all outputs have derivatives
    missing  at how many of them a second derivative of an output that has first ones does not exist or is not known;
             0 if there are no second derivatives
    """

    points: int
    smooth: int
    missing: int = 0

    def merge(self, other: KinkCount | None) -> KinkCount:
        """Return the sums of both counts; `self` if `other` is None."""
        return self if other is None else KinkCount(*[a + b for a, b in zip(self, other, strict=True)])

    @property
    def is_harmless(self) -> bool:
        """Return whether all derivatives at these points are known, and none is by convention."""
        return self.smooth == self.points and not self.missing

    @override
    def __str__(self) -> str:
        kind = "have first derivatives" if self.missing else "are smooth"
        lost = "; second derivatives that do not exist or are not known are NaN" if self.missing else ""
        if self.points == 1:
            effect = f"but the results {kind}" if self.smooth else "and derivatives are by convention"
            return f"1 point lies exactly on a kink, {effect}{lost}"
        text = f"{self.points:,} points lie exactly on a kink; the results {kind} at {self.smooth:,} of them"
        text += ", derivatives at the others are by convention" if self.smooth < self.points else ""
        return text + (f"{lost} at {self.missing:,} of them" if lost else "")
