"""The points of a plot as CSV."""

from __future__ import annotations

from ...trace.curves import Plot
from ..data import Bare, sheet


def draw(plot: Plot) -> str:
    """A line for each point of each output, with value and slope in full precision.

    Points of one `piece` are joined by a line, those of different ones are not.
    """
    return sheet(
        [
            {"output": curve.output, "piece": piece, "input": Bare(point.x), "value": Bare(point.y)}
            | {f"d/d{plot.variable}": Bare(point.slope)}
            for curve in plot.curves
            for piece, points in enumerate(curve.pieces, 1)
            for point in points
        ]
    )
