"""Resolution of kinks that points of a kernel lie on, one point at a time, as a single evaluation decides them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ..graph.graph import Graph
from ..graph.tape import faults, value_and_partials
from ..kinks.decision import Decision, decide, find_reached_kinks
from ..kinks.near_kinks import NearKinks, has_few_bits, is_exact
from ..kinks.plain_corners import PlainCorners
from ..numbers.doubles import FLOAT
from ..records import NamedTuple


class KinkResolution:
    """The derivatives of a graph at points that reach kinks; second ones too with `hessian`."""

    def __init__(self, graph: Graph, *, hessian: bool) -> None:
        self._graph = graph
        self._hessian = hessian
        self._corners = PlainCorners(graph)
        self._near = NearKinks(graph, seams=hessian)
        tests = [test for test in self._near.tests if test.kink.sides is None]
        self._divisions = {test.slot for test in tests if len(graph.parents[test.slot]) > 1}  # 0.6 mod 0.2

    def resolve(self, point: dict[int, float]) -> ResolvedPoint:
        """Return the ResolvedPoint (rows, on a kink, smooth, lacking second derivatives) at `point`, {slot of an input:
        value}.

        With rows None the numbers of the kernel remain. The first that applies:

        - no operation is near a kink: (None, False, True)
        - the kinks are reached exactly, and doubles prove corners of all outputs that depend on them: (None, True,
          False)
        - exact numbers decide nothing, or a domain is left: (None, whether a kink is reached, False)
        - (the decided values and slopes, whether a kink is reached, whether all outputs are smooth, whether a second
          derivative of a smooth one is missing)
        """
        graph = self._graph
        values, gradients = value_and_partials(graph, point)
        near = self._near.slots(values)
        if not near:
            return ResolvedPoint(None, False, True)
        reached = find_reached_kinks(graph, FLOAT, values, seams=self._hessian)
        certain = near == reached and all(map(partial(self._is_sure, values), near))
        if certain and self._corners.has_all(values, gradients, near):
            return ResolvedPoint(None, True, False)
        decision = decide(graph, near, point, self._hessian)
        decided, _ = decision.correct(values, [], FLOAT)
        broken = {slot for slot, check in faults(graph, decided, FLOAT) if check is not None}
        if broken - decision.only_in_piece or not decision.is_decided:
            return ResolvedPoint(None, bool(decision.reached), False)
        inputs = list(graph.inputs)
        numbers, slopes = decision.jacobian(values, gradients)
        rows: list[list[float | None]] = [[y, *row] for y, row in zip(numbers, slopes, strict=True)]
        seconds = [_second(decision, name, inputs) for name, _ in graph.outputs] if self._hessian else []
        for row, second in zip(rows, seconds, strict=False):
            row += second
        is_missing = any(x != x for second in seconds for x in second)
        return ResolvedPoint(rows, bool(decision.reached), decision.all_smooth, is_missing)

    def _is_sure(self, values: Sequence[float | None], slot: int) -> bool:
        """Return whether the operands of the row in `slot` are exact in the doubles `values` (`is_exact`).

        For a row that divides its operands, as mod does, each must also have few bits (`has_few_bits`), which the input
        0.6 does not. False if such an operand has no value.
        """
        operands = {p: values[p] for p in self._graph.parents[slot]}
        if slot in self._divisions and not all(x is not None and has_few_bits(x) for x in operands.values()):
            return False
        return all(is_exact(self._graph, values, p) for p in operands)


class ResolvedPoint(NamedTuple):
    """The decision at one point of a kernel.

    rows        for each output the value, the first derivatives with respect to the inputs, and second ones, in the
                order of a kernel's columns; None for an entry, or for all of them, if the numbers of the kernel remain
    is_on_kink  whether a kink is reached, or may be
    is_smooth   whether all outputs have derivatives
    is_missing  whether a second derivative of an output that has first ones does not exist or is not known
    """

    rows: list[list[float | None]] | None
    is_on_kink: bool
    is_smooth: bool
    is_missing: bool = False


def _second(decision: Decision, output: str, inputs: Sequence[int]) -> list[float | None]:
    """Return second derivatives of an output by pairs of `inputs`, (a, b) with a before or equal to b.

    All are None if the output is not smooth; nan for a pair whose second derivative is not known.
    """
    pairs = [(a, b) for k, a in enumerate(inputs) for b in inputs[k:]]
    if not decision.is_smooth(output):
        return [None] * len(pairs)
    entries = decision.second_derivatives(output, inputs)
    return [float(entries[pair]) if pair in entries else float("nan") for pair in pairs]
