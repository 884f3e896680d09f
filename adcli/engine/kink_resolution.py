"""Points that meet kinks, decided one by one as an evaluation of the point decides them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

from ..graph.graph import Graph
from ..graph.order import ancestors, inputs_above
from ..graph.rules import partials
from ..graph.tape import Gradients, adjoints, differentiated
from ..kinks.decision import Decision, curvatures, decided, kinks_met
from ..kinks.exact_reals import Real, Reals
from ..numbers.doubles import FLOAT
from ..table.primitive import Kink, Primitive


class Settling:
    """What the derivatives of a graph are at points that meet kinks, one point at a time."""

    __slots__ = ("_above", "_graph", "_hessian", "_needed")

    def __init__(self, graph: Graph, *, hessian: bool) -> None:
        self._graph = graph
        self._hessian = hessian
        self._above = inputs_above(graph)
        self._needed = [ancestors(graph, [slot]) for _, slot in graph.outputs]

    def at(self, point: dict[int, float]) -> tuple[list[list[float | None]] | None, bool]:
        """The derivatives of every output at a point by slot, in the order of their columns, and whether all are
        smooth; None where the conventions stay."""
        graph = self._graph
        values, gradients = differentiated(graph, point)
        met = kinks_met(graph, FLOAT, values)
        if met and self._cornered(values, gradients, met):
            return None, False
        decision = decided(graph, met, lambda reals: _exactly(reals, point)) if met else None
        if decision is None:
            return None, not met
        smooth = all(found.kind == "smooth" for found in decision.around.values())
        if not decision.pieced and not any(decision.slopes(name, FLOAT) for name, _ in graph.outputs):
            return None, smooth
        gradients = decision.gradients(gradients, FLOAT)
        inputs = {name: slot for slot, name in graph.inputs.items()}
        found = []
        for name, slot in graph.outputs:
            bars = adjoints(graph, gradients, {slot: 1.0})
            slopes = decision.gradient(name, {wrt: bars[place] for wrt, place in inputs.items()}, FLOAT)
            row: list[float | None] = [float(x) for x in slopes.values()]
            if self._hessian:
                row += _second(decision, name, slot, list(inputs.values()))
            found.append(row)
        return found, smooth

    def _cornered(self, values: Sequence[float], gradients: Gradients, met: frozenset[int]) -> bool:
        """Whether no decision is needed: every output that depends on a kink has a corner or a jump, as plain as those
        of abs(x)*y and floor(x)*y at x = 0, y = 2."""
        for (_, output), needed in zip(self._graph.outputs, self._needed, strict=True):
            mine = [slot for slot in met if needed[slot]]
            if mine and not any(self._corner(values, gradients, mine, slot, output, needed) for slot in mine):
                return False
        return True

    def _corner(
        self, values: Sequence[float], gradients: Gradients, met: list[int], slot: int, output: int, needed: bytearray
    ) -> bool:
        """Whether the output has a corner or a jump along an input that moves this one of the kinks that are met alone.

        It is y = f(x, k(u(x))), where f and u have derivatives by x and neither f_k nor u_x is 0.  Where k has other
        slopes on both sides of u, those of y are f_x + f_k k' u_x with both of k'; where k jumps, y does if f is affine
        in k.
        """
        graph, above = self._graph, self._above
        row, parents = graph.rows[slot], graph.parents[slot]
        others = 0
        for k in met:
            others |= above[k] if k != slot else 0
        free = above[slot] & ~others
        if not free or row is None:
            return False
        bar = adjoints(graph, gradients, {output: 1.0})[slot]
        if not bar or not math.isfinite(bar):
            return False
        for position, parent in enumerate(parents):
            moving = free & above[parent]
            for other in parents[:position] + parents[position + 1 :]:
                moving &= ~above[other]
            kink, arguments = row.kink(position), [values[p] for p in parents]
            if not moving or kink is None or kink.holds(FLOAT, *arguments):
                continue
            if not _two_slopes(kink, arguments) and not (
                _jumps(row, kink, arguments, position) and self._affine(slot, needed)
            ):
                continue
            bars = adjoints(graph, gradients, {parent: 1.0})
            for bit, place in enumerate(graph.inputs):
                alone = moving >> bit & 1 and bars[place] and math.isfinite(bars[place])
                if alone and self._goes_on(values, 1 << bit, needed):
                    return True
        return False

    def _affine(self, slot: int, needed: bytearray) -> bool:
        """Whether what is needed is made of this slot by sums and by products with what does not depend on it."""
        found = {slot}
        for k in range(slot + 1, len(self._graph)):
            row, parents = self._graph.rows[k], self._graph.parents[k]
            mine = sum(p in found for p in parents)
            if not mine or not needed[k] or row is None:
                continue
            slopes = partials(row)
            if slopes is None or not (slopes.always is not None or (slopes.crossed and mine == 1)):
                return False
            found.add(k)
        return True

    def _goes_on(self, values: Sequence[float], moving: int, needed: bytearray) -> bool:
        """Whether the point lies within the domains of all that an output needs, with what an input moves, and not at
        their ends."""
        for slot, (row, parents) in enumerate(zip(self._graph.rows, self._graph.parents, strict=True)):
            if row is None or not row.domain or values[slot] is None:
                continue
            if not needed[slot] or not self._above[slot] & moving:
                continue
            near = [_beside(values[p]) if self._above[p] & moving else (values[p],) for p in parents]
            if math.prod(map(len, near)) > 4 or any(row.broken(FLOAT, arguments) for arguments in product(*near)):
                return False
        return True


def _two_slopes(kink: Kink, arguments: Sequence[float]) -> bool:
    """Whether there are two slopes at these arguments of a kink, one on each side."""
    if len(arguments) > 2 and not callable(kink.sides):
        return False  # of three that are compared it need not be this one that is level with another
    sides = kink.sides(FLOAT, *arguments) if callable(kink.sides) else kink.sides
    left, right = sides or (None, None)
    return left is not None and right is not None and math.isfinite(left) and math.isfinite(right) and left != right


def _jumps(row: Primitive, kink: Kink, arguments: Sequence[float], position: int) -> bool:
    """Whether there are two values at these arguments of a kink, when the one at this position moves."""
    if kink.sides is not None or row.truth:
        return False
    here = row.value(FLOAT, *arguments)
    for x in _beside(arguments[position]):
        there = row.value(FLOAT, *arguments[:position], x, *arguments[position + 1 :])
        if abs(there - here) > 2.0**10 * abs(x - arguments[position]):
            return True
    return False


def _beside(x: float) -> tuple[float, float]:
    """The numbers on both sides of one, a small step away that is far more than a rounding."""
    step = max(abs(x) * 2.0**-40, 2.0**-900)
    return x - step, x + step


def _exactly(reals: Reals, point: dict[int, float]) -> dict[int, Real]:
    return {slot: reals.number(repr(x)) for slot, x in point.items()}


def _second(decision: Decision, name: str, slot: int, inputs: Sequence[int]) -> list[float | None]:
    """Second derivatives where the output is smooth, nan where it has none; None for those that stay as they are."""
    pairs = [(a, b) for k, a in enumerate(inputs) for b in inputs[k:]]
    if not decision.smooth(name):
        return [None] * len(pairs)
    entries = curvatures(decision.pieces, slot, inputs)
    return [float(entries[pair]) if pair in entries else float("nan") for pair in pairs]
