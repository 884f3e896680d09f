"""Points of a plot as CSV."""

from __future__ import annotations

from ...trace.curves import Plot
from ..data import Bare, sheet


def draw(plot: Plot) -> str:
    """Return one row for each point of each output, with value and derivative in full precision.

    Points with the same number in the column `piece` are connected by a line.
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
