"""What each row's rounding has to do with the errors of the results: its condition number, and its share in ulps."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..model import Trace
from .rounding_errors import Rounding


class Shares(NamedTuple):
    """By slot: `conditions`, by how much a row magnifies the relative error of the argument on which it hangs most (a
    literal that is exact has none), and `ulps` of each output that its own rounding may come to.

    `bounds` has for each output how many ulps its value (under "") and its slopes may be off in all, to first order.
    """

    conditions: Sequence[float]
    ulps: Mapping[str, Sequence[float]]
    bounds: Mapping[str, Mapping[str, float]]


def shared_out(trace: Trace, at: Mapping[str, Any]) -> Trace:
    """The trace with what each of its rows contributes to the errors of its outputs."""
    graph = trace.graph
    rounding = Rounding(graph, trace.values, at)
    ulps, bounds = {}, {}
    for output in trace.outputs:
        slot = dict(graph.outputs)[output.name]
        bars = rounding.bars(slot)
        ulps[output.name] = [in_ulps(share, output.value) for share in rounding.shares(bars)]
        bounds[output.name] = {"": in_ulps(rounding.of_value(bars).bound, output.value)}
        for wrt, name in graph.inputs.items():
            if output.gradient is not None and math.isfinite(output.gradient[name]):
                slope = output.gradient[name]
                bounds[output.name][name] = in_ulps(rounding.of_slope(bars, slot, wrt, slope).bound, slope)
    return trace._replace(shares=Shares(rounding.conditions(), ulps, bounds))


def in_ulps(error: float, x: float) -> float:
    """An error as units in the last place of a number; infinite where that is 0 or none, and there is an error."""
    if error == 0:
        return 0.0
    return error / math.ulp(x) if x and math.isfinite(x) and error == error else math.inf
