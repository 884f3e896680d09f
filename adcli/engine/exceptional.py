"""What is said of points that have no value: how many there are, what is broken, and where first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..graph.graph import Graph
from ..graph.tape import evaluate
from ..numbers.doubles import FLOAT


class Outside(NamedTuple):
    """Points without a value.

    points   how many of `total` points; first: the index of the first one, in the shape of the points
    at       its inputs; title: what is broken there
    """

    points: int
    total: int
    first: tuple[int, ...]
    at: dict[str, float]
    title: str

    def __str__(self) -> str:
        point = ", ".join(f"{name} = {x!r}" for name, x in self.at.items())
        place = f"first at index {', '.join(map(str, self.first))} ({point})" if self.first else f"at {point}"
        points = "1 point" if self.total == 1 else f"{self.total:,} points"
        return f"no value at {self.points:,} of {points}: {self.title}, {place}"


def outside(graph: Graph, lost: Sequence[Any], inputs: Sequence[Any], shape: tuple[int, ...]) -> Outside | None:
    """What is to be said of the points at these places, given in arrays; None where there are none."""
    if not lost:
        return None
    first, index, total = int(lost[0][0]), [], 1
    for length in reversed(shape):
        index.append(first // total % length)
        total *= length
    point = {slot: float(x[first if len(x) > 1 else 0]) for slot, x in zip(graph.inputs, inputs, strict=True)}
    at = {graph.inputs[slot]: x for slot, x in point.items()}
    return Outside(sum(map(len, lost)), total, tuple(reversed(index)), at, broken(graph, point))


def broken(graph: Graph, point: dict[int, float]) -> str:
    """What the first operation without a value says at a point, and which one made it infinite."""
    values, infinite = evaluate(graph, FLOAT, point), ""
    for slot, row in enumerate(graph.rows):
        z = values[slot]
        arguments = tuple([values[parent] for parent in graph.parents[slot]])
        if row is None or z is None or any(a is not None and a != a for a in arguments):
            continue
        check = row.broken(FLOAT, arguments)
        if check is not None:
            return check.title
        if z != z:
            return f"{row.name} has no value for {', '.join(f'{a!r}' for a in arguments)}{infinite}"
        if not infinite and abs(z) == math.inf and not any(a is not None and abs(a) == math.inf for a in arguments):
            infinite = f", since {row.name} of {', '.join(f'{a!r}' for a in arguments)} is infinite"
    return "an intermediate result has no value"
