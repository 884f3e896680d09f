"""What a plot shows, as plain data: curves over an interval, and their tangents at chosen points."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..errors import RequestError
from ..language.program import Program
from ..table.suggest import similar
from .curve import Curve, curves
from .model import Note, Request
from .trace import trace


class Tangent(NamedTuple):
    """The line through a point of a curve with the slope there."""

    output: str
    x: float
    y: float
    slope: float

    def at(self, x: float) -> float:
        return self.y + self.slope * (x - self.x)


class Plot(NamedTuple):
    """The outputs of a program as functions of `variable` from `low` to `high`, the other inputs being as in `at`."""

    label: str | None
    expression: str
    variable: str
    low: float
    high: float
    at: dict[str, float]
    curves: list[Curve]
    tangents: list[Tangent]
    notes: list[Note]


def plot(
    program: Program,
    variable: str,
    between: tuple[float, float],
    at: Mapping[str, float],
    tangents: Sequence[float] = (),
    label: str | None = None,
) -> Plot:
    """The curves of every output, and its tangents at these values of the variable.

    Raises NameProblem for another input without a value, DomainProblem for a tangent where there is no value,
    RequestError for an interval that is none.
    """
    low, high = between
    if not low < high or not high - low < math.inf:
        raise RequestError(
            f"{variable} cannot go from {low:g} to {high:g}",
            help=f"write two numbers, the smaller one first: --over {variable}=-3:3",
        )
    inputs = list(program.graph.inputs.values())
    if variable not in inputs:
        guess = similar(variable, inputs)
        raise RequestError(
            f"there is no input called {variable}",
            help=f"did you mean --over {guess}=…?" if guess else f"the inputs are {', '.join(inputs) or 'none'}",
        )
    others = {name: x for name, x in at.items() if name != variable}
    whole = trace(program, {**others, variable: math.nan}, Request("value", steps=False), label)
    lines, notes = [], whole.notes
    for x in tangents:
        found = trace(program, {**others, variable: x}, Request("forward", (variable,), steps=False))
        notes += [note for note in found.notes if note not in notes]
        lines += [
            Tangent(output.shown, x, output.value, output.gradient[variable])
            for output in found.outputs
            if output.gradient is not None
        ]
    found_curves = curves(program, variable, low, high, others)
    return Plot(label, whole.expression, variable, low, high, others, found_curves, lines, notes)
