"""Second derivatives at a point: the reverse sweep read with dual numbers, forward over reverse.

With the inputs moving along a direction, the dot of every adjoint is its derivative along that direction; those of the
inputs are the Hessian times the direction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from ..errors import RequestError
from ..graph.graph import Graph
from ..graph.tape import Gradients, adjoints, linearize, tangents
from ..numbers.dual import Dual, Duals
from ..table.arithmetic import Evaluating, T
from ..table.suggest import advice_on_name
from .analysis_results import Moving, Second
from .model import DIRECTION, Note
from .sweeping import without_sign_of_zero


def moving(
    graph: Graph,
    m: Evaluating[T],
    values: Sequence[T | None],
    gradients: Gradients,
    output: int,
    direction: Mapping[int, float],
) -> Moving[T]:
    """The sweeps of an output at evaluated slots, with the inputs moving along a direction (by slot)."""
    duals = Duals(m)
    dots = tangents(graph, gradients, {slot: m.number(x) for slot, x in direction.items()})
    pairs = [None if x is None else Dual(duals, x, m.number(dot)) for x, dot in zip(values, dots, strict=True)]
    # What no Dual comes to keeps the plain number that it began with.
    bars = cast("list[Dual | T]", adjoints(graph, linearize(graph, duals, pairs), {output: 1.0}))
    return Moving(
        list(values),
        dots,
        [without_sign_of_zero(x.value if isinstance(x, Dual) else x) for x in bars],
        [_slope_of(x, m) for x in bars],
    )


def _slope_of(bar: Dual | T, m: Evaluating[T]) -> T:
    """How an adjoint moves; one that is infinite has no slope."""
    if not m.finite(bar.value if isinstance(bar, Dual) else bar):
        return m.undefined
    return without_sign_of_zero(bar.dot) if isinstance(bar, Dual) else 0.0  # type: ignore[return-value]


def second_notes(
    found: Sequence[Second[float]], shown: Mapping[str, str], finite: Callable[[float], bool], *, vertical: bool = True
) -> list[Note]:
    """Notes on second derivatives that are no finite numbers; `vertical` as for `check_gradient`."""
    notes = []
    size, unknown = (
        "is too large for a double and counts as infinite",
        "is not known: it or a number on the way is too large",
    )
    if vertical:
        size, unknown = "is infinite here", "has no value here"
    for entry in found:
        for name, row in (entry.hessian or {}).items():
            for other, x in row.items():
                if not finite(x):
                    what = size if x == x else unknown
                    notes.append(Note(name, "undefined", f"∂²{shown[entry.output]}/∂{name}∂{other} {what}"))
    return notes


def second(
    graph: Graph, m: Evaluating[T], values: Sequence[T | None], direction: Mapping[str, float] | None = None
) -> list[Second[T]]:
    """The Hessian of every output at the point of an evaluation, or its product with a direction."""
    inputs = {name: slot for slot, name in graph.inputs.items()}
    gradients = linearize(graph, m, values)
    found = []
    for name, slot in graph.outputs:
        if direction is not None:
            for wrong in [given for given in direction if given not in inputs]:
                title = f"the direction names {wrong}, which is no input here"
                raise RequestError(title, help=advice_on_name(wrong, inputs))
            along = moving(graph, m, values, gradients, slot, {inputs[given]: x for given, x in direction.items()})
            product = {other: without_sign_of_zero(along.bar_dots[place]) for other, place in inputs.items()}
            found.append(Second(name, None, product, {DIRECTION: along}))
            continue
        sweeps = {other: moving(graph, m, values, gradients, slot, {place: 1.0}) for other, place in inputs.items()}
        # the column of a direction is, by symmetry, the row of its input
        hessian = {
            other: {column: without_sign_of_zero(sweeps[column].bar_dots[inputs[other]]) for column in inputs}
            for other in inputs
        }
        found.append(Second(name, hessian, None, sweeps))
    return found
