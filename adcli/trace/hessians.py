"""Hessians and Hessian–vector products at a point: forward over reverse, the reverse sweep evaluated in dual numbers.

If the inputs move along a direction, the tangent of every adjoint is its derivative along that direction; those of the
inputs' adjoints are the Hessian times the direction.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from ..errors import RequestError
from ..graph.graph import Graph
from ..graph.tape import Gradients, adjoints, linearize, tangents
from ..numbers.dual import Dual, Duals
from ..table.arithmetic import Evaluating, T
from ..table.suggest import advice_on_name
from ..typings import cast
from .analysis_results import Moving, Second
from .sweeping import without_sign_of_zero
from .trace_model import DIRECTION, Note, Trace


def move_along(
    graph: Graph,
    m: Evaluating[T],
    values: Sequence[T | None],
    gradients: Gradients,
    output: int,
    direction: Mapping[int, float],
) -> Moving[T]:
    """Return the sweeps along a direction as a Moving, each a list by slot.

    Its fields: `dots`, the tangents of the values; `bars`, the adjoints of the slot `output`; `bar_dots`, the tangents
    of these adjoints. `values` and `gradients` are those of an evaluation in the arithmetic `m` (None in a branch not
    taken); `direction` has the tangents of inputs by slot (0 if missing). An adjoint that is not finite has the tangent
    `m.undefined`. Adjoints and their tangents have no negative zeros.
    """
    duals = Duals(m)
    dots = tangents(graph, gradients, {slot: m.number(x) for slot, x in direction.items()})
    pairs = [None if x is None else Dual(duals, x, m.number(dot)) for x, dot in zip(values, dots, strict=True)]
    # An adjoint without contributions stays the plain number that it was initialized with.
    bars = cast("list[Dual | T]", adjoints(graph, linearize(graph, duals, pairs), {output: 1.0}))
    bends = [_slope_of(x, m) for x in bars]
    return Moving(dots, [without_sign_of_zero(x.value if isinstance(x, Dual) else x) for x in bars], bends)


def _slope_of(bar: Dual | T, m: Evaluating[T]) -> T:
    """Return the tangent of an adjoint; undefined if the adjoint is not finite, 0 if it is a plain number."""
    if not m.finite(bar.value if isinstance(bar, Dual) else bar):
        return m.undefined
    return without_sign_of_zero(bar.dot if isinstance(bar, Dual) else cast("T", 0.0))


def second_notes(
    entries: Sequence[Second[float]],
    shown: Mapping[str, str],
    finite: Callable[[float], bool],
    *,
    vertical: bool = True,
    undecided: Collection[str] = (),
) -> list[Note]:
    """Return a note of kind "undefined" on each entry of a Hessian that is not finite, by output, row and column.

    A note has the name of the row's input and begins with the derivative, `∂²y/∂x1∂x2`; (x2, x1) gets a note too.
    Products with a direction are skipped. `shown` has the outputs' names in sentences, `finite` is the test of the
    arithmetic. With `vertical` an infinite entry "is infinite here" and nan "has no value here". Without, an infinite
    entry is too large for a double, and nan is not known because something is too large. That of an output in
    `undecided`, of which it is not known whether it is smooth, "is not known here".
    """
    notes = []
    size, unknown = "is infinite here", "has no value here"
    if not vertical:
        size = "is too large for a double and counts as infinite"
        unknown = "is not known: it or an intermediate result is too large"
    for entry in entries:
        for name, row in (entry.hessian or {}).items():
            for other, x in row.items():
                if not finite(x):
                    nan = "is not known here" if entry.output in undecided else unknown
                    problem = size if x == x else nan
                    notes.append(Note(name, "undefined", f"∂²{shown[entry.output]}/∂{name}∂{other} {problem}"))
    return notes


def lost_digits(trace: Trace) -> list[str]:
    """Return the texts of the notes that second derivatives of a trace have lost digits."""
    return [note.text for note in trace.notes if note.kind == "conditioning" and "∂²" in note.text]


def second_derivatives(
    graph: Graph, m: Evaluating[T], values: Sequence[T | None], direction: Mapping[str, float] | None = None
) -> list[Second[T]]:
    """Return second derivatives of every output at the point of an evaluation, one Second for each output, in order.

    Without `direction` (None) its `hessian` is set, {input: {input: entry}}, and `sweeps` is {input: Moving}. With
    `direction` (by input name, 0 if missing) its `product` is set, {input: number}, and `sweeps` is {DIRECTION:
    Moving}. `values` are by slot in the arithmetic `m`; zeros have no sign. Raises RequestError if `direction` has a
    name that is not an input.
    """
    inputs = {name: slot for slot, name in graph.inputs.items()}
    for wrong in [name for name in direction or () if name not in inputs]:
        title = f"the direction names {wrong}, which is not an input"
        raise RequestError(title, help=advice_on_name(wrong, inputs))
    gradients = linearize(graph, m, values)
    entries = []
    for name, slot in graph.outputs:
        if direction is not None:
            tangent = {inputs[other]: x for other, x in direction.items()}
            along = move_along(graph, m, values, gradients, slot, tangent)
            product = {other: without_sign_of_zero(along.bar_dots[place]) for other, place in inputs.items()}
            entries.append(Second(name, None, product, {DIRECTION: along}))
            continue
        sweeps = {other: move_along(graph, m, values, gradients, slot, {place: 1.0}) for other, place in inputs.items()}
        # the column of a direction is, by symmetry, the row of its input
        bends = [(column, sweep.bar_dots) for column, sweep in sweeps.items()]
        hessian = {x: {column: without_sign_of_zero(bars[at]) for column, bars in bends} for x, at in inputs.items()}
        entries.append(Second(name, hessian, None, sweeps))
    return entries
