"""Where rounding takes a program across a jump or out of the doubles, so that its numbers cannot be compared there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...graph.graph import Graph
from ...graph.order import ancestors
from ...graph.rules import apply
from ...graph.tape import UNTAKEN, linearize
from ...numbers.algebra import FLOAT
from ...numbers.precise import Precise
from .rounding_errors import freed

OFF = 4  # ulps that a function may be off by
PATIENCE = 64  # times the bound of first order: a route may round more often than the sweeps, and squares add to it
_STEEPER = 1e-3  # relative difference of two partials from which a slope has jumped

TOO_LARGE = "is too large for a double"
EDGE = "has a jump or a corner within the rounding of what it is given"


class Crossing(NamedTuple):
    """The row in which the doubles leave the true numbers by more than they can have been off before; -1 for none."""

    slot: int
    what: str


def crossing(graph: Graph, doubles: Sequence[Any], true: Sequence[Any], output: int, judge: Precise) -> Crossing | None:
    """The first row with a jump, or a number too large, between the doubles and the true numbers.

    None where some operation is wrong for the very doubles that it was given: rounding explains nothing then.
    """
    free = freed(graph)
    slopes = linearize(free, FLOAT, doubles)
    true_slopes = linearize(free, judge, true)
    needed = ancestors(graph, [output])
    reach = [0.0] * len(graph)
    found: Crossing | None = None
    for slot, (row, parents) in enumerate(zip(graph.rows, graph.parents, strict=True)):
        z, exact = doubles[slot], true[slot]
        if row is None or z is None or not needed[slot]:
            continue
        arguments = [doubles[p] for p in parents]
        if None not in arguments and not _right(judge, z, apply(row, judge, list(map(judge.number, arguments)))):
            return None
        reach[slot] = OFF * math.ulp(z) + sum(
            abs(slope) * reach[p] for slope, p in zip(slopes[slot], parents, strict=False) if slope and reach[p]
        )
        if found is not None or exact is None:
            continue
        if not math.isfinite(z) and judge.finite(exact):
            found = Crossing(slot, TOO_LARGE)
            continue
        off = judge.finite(exact) and abs(exact - judge.number(z)) > PATIENCE * reach[slot]
        if off or ((row.smooth or row.route) and _bent(slopes[slot], true_slopes[slot])):
            found = Crossing(slot, EDGE)
    return found or Crossing(-1, "")


def _right(judge: Precise, double: float, exact: Any) -> bool:
    """Whether a double is the exact result of an operation, as far as doubles can be."""
    if not math.isfinite(double):
        return float(exact) == double or exact != exact or double != double
    return not judge.finite(exact) or bool(abs(exact - judge.number(double)) <= PATIENCE * OFF * math.ulp(double))


def _bent(slopes: Sequence[Any], true: Sequence[Any]) -> bool:
    """Whether the partials of an operation are those of two different pieces."""
    for slope, other in zip(slopes, true, strict=False):
        if slope is None or other is None or slope is UNTAKEN or other is UNTAKEN:
            if (slope is UNTAKEN) != (other is UNTAKEN):
                return True
        elif abs(slope - other) > _STEEPER * max(abs(slope), abs(other)):
            return True
    return False
