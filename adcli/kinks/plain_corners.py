"""Plain corners: kinks at which doubles alone show that a result has no slope, so that no exact decision is needed.

Files have many points on the corner of abs(x)*y or floor(x)*y, and exact reals take far longer than this test.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from functools import reduce
from itertools import product
from operator import or_

from ..graph.graph import Graph
from ..graph.order import ancestors, inputs_above
from ..graph.rules import constant_partials, is_product
from ..graph.tape import Gradients, adjoints
from ..numbers.doubles import FLOAT
from ..table.primitive import Kink, Primitive


class PlainCorners:
    """The outputs of a graph that have a corner or a jump at a point, as far as doubles show it."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._above = inputs_above(graph)
        self._needed = [ancestors(graph, [slot]) for _, slot in graph.outputs]

    def has_all(self, values: Sequence[float], gradients: Gradients, reached: Collection[int]) -> bool:
        """Return whether every output that depends on a kink in `reached` certainly has a corner or a jump."""
        for (_, output), needed in zip(self._graph.outputs, self._needed, strict=True):
            corners = [slot for slot in reached if needed[slot]]
            if corners and not any(self._is_corner(values, gradients, corners, k, output, needed) for k in corners):
                return False
        return True

    def _is_corner(
        self, values: Sequence[float], gradients: Gradients, corners: list[int], slot: int, output: int,
        needed: bytearray,
    ) -> bool:  # fmt: skip
        """Return whether the slot `output` certainly has a corner or a jump along an input that moves no corner but
        `slot`.

        `corners` are the slots at kinks, among them `slot`; `needed` marks the slots of the output; `values` and
        `gradients` are those of all slots in doubles. The output is y = f(x, k(u(x))), where f and u have derivatives
        with respect to x and neither f_k nor u_x is 0. If the slopes k' on both sides of u differ, those of y, f_x +
        f_k k' u_x, do too. If k jumps, y does if f is affine in k. False if this is not shown.
        """
        graph, above = self._graph, self._above
        others = reduce(or_, [above[k] for k in corners if k != slot], 0)
        free = above[slot] & ~others
        bar = adjoints(graph, gradients, {output: 1.0})[slot] if free else 0.0
        if not bar or not math.isfinite(bar):
            return False
        for position, parent in enumerate(graph.parents[slot]):
            moving = free & above[parent]
            for other in graph.parents[slot][:position] + graph.parents[slot][position + 1 :]:
                moving &= ~above[other]
            if not moving or not self._shows_kink(values, slot, position, needed):
                continue
            bars = adjoints(graph, gradients, {parent: 1.0})
            for bit, place in enumerate(graph.inputs):
                alone = moving >> bit & 1 and bars[place] and math.isfinite(bars[place])
                if alone and self._is_inside_domains(values, 1 << bit, needed):
                    return True
        return False

    def _shows_kink(self, values: Sequence[float], slot: int, position: int, needed: bytearray) -> bool:
        """Return whether `slot` has two slopes or two values here as its argument at `position` moves, which change an
        output.

        False if the row has no kink in this argument or is not on it. Two values (a jump) count only if the output is
        affine in the slot, in all slots with 1 in `needed`.
        """
        row = self._graph.rows[slot]
        kink = None if row is None else row.kink(position)
        arguments = [values[p] for p in self._graph.parents[slot]]
        if row is None or kink is None or kink.holds(FLOAT, *arguments):
            return False
        return _two_slopes(kink, arguments) or (_jumps(row, kink, arguments, position) and self._affine(slot, needed))

    def _affine(self, slot: int, needed: bytearray) -> bool:
        """Return whether all slots marked in `needed` that depend on `slot` are affine in it.

        They must be operations with constant partials, such as sums, or products of which one factor depends on `slot`.
        """
        affine = {slot}
        for k in range(slot + 1, len(self._graph)):
            row, parents = self._graph.rows[k], self._graph.parents[k]
            uses = sum(p in affine for p in parents)
            if not uses or not needed[k] or row is None:
                continue
            if constant_partials(row) is None and not (is_product(row) and uses == 1):
                return False
            affine.add(k)
        return True

    def _is_inside_domains(self, values: Sequence[float], moving: int, needed: bytearray) -> bool:
        """Return whether the point is inside the domains of all operations that an output needs, and not at their ends.

        `values` are by slot in doubles; a slot that is None (in a branch not taken) is skipped. Examined are rows with
        1 in `needed` that depend on an input in the bit set `moving`, at neighbouring doubles of the arguments that
        move. False if a row has more than four such combinations.
        """
        for slot, (row, parents) in enumerate(zip(self._graph.rows, self._graph.parents, strict=True)):
            has_domain = row is not None and row.domain and values[slot] is not None
            if row is None or not has_domain or not needed[slot] or not self._above[slot] & moving:
                continue
            near = [_around(values[p]) if self._above[p] & moving else (values[p],) for p in parents]
            if math.prod(map(len, near)) > 4 or any(row.find_violation(FLOAT, xs) for xs in product(*near)):
                return False
        return True


def _two_slopes(kink: Kink, arguments: Sequence[float]) -> bool:
    """Return whether a kink has two different finite slopes at these `arguments`.

    With three or more arguments it is False if `sides` is not a rule of the arguments, because the tie may be between
    two other arguments.
    """
    if len(arguments) > 2 and not callable(kink.sides):
        return False  # of three that are compared it need not be this one that is level with another
    left, right = kink.slopes_at(FLOAT, arguments)
    return left is not None and right is not None and math.isfinite(left) and math.isfinite(right) and left != right


def _jumps(row: Primitive, kink: Kink, arguments: Sequence[float], position: int) -> bool:
    """Return whether the value of `row` jumps if the argument at `position` moves a little to either side.

    `kink` is the row's kink in this argument. The step is 2^-40 of the argument's size. A jump is a change of more than
    2^10 times the step. False for conditions, and for kinks with slopes on both sides.
    """
    if kink.sides is not None or row.truth:
        return False
    here = row.value(FLOAT, *arguments)
    for x in _around(arguments[position]):
        there = row.value(FLOAT, *arguments[:position], x, *arguments[position + 1 :])
        if abs(there - here) > 2.0**10 * abs(x - arguments[position]):
            return True
    return False


def _around(x: float) -> tuple[float, float]:
    """Return the numbers on both sides of one, a small step away that is far more than a rounding."""
    step = max(abs(x) * 2.0**-40, 2.0**-900)
    return x - step, x + step
