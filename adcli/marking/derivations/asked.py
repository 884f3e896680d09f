"""Derivatives that are asked for by a problem without a point: their names and weights."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from ...errors import RequestError
from ...table.suggest import similar
from ...trace.derivative_formulas import requested
from ..model import Rules, Task
from .expected import derivative_name

Asked = tuple[str, tuple[str, ...]]  # an output, and by which inputs it is differentiated, in the order of their names
_NOTHING = Fraction(0)


def quantities(task: Task) -> list[Asked]:
    """Return the derivatives that a task asks for, as pairs (output, inputs to differentiate by, sorted by name)."""
    graph = task.program.graph
    names = list(graph.inputs.values())
    together = task.order > 1 and len(task.wrt) > 1
    asked = requested(names, [task.wrt], None) if together else requested(names, [(n,) for n in task.wrt], task.order)
    return [(output, tuple(sorted(wrt))) for output, _ in graph.outputs for wrt in asked]


def quantity_name(task: Task, quantity: Asked) -> str:
    """Return the name of a requested derivative in marks: `dy/dx`, `∂²y/∂x∂y`."""
    return derivative_name(quantity[0], quantity[1], len(task.program.graph.inputs))


def weights(task: Task, rules: Rules) -> list[Fraction]:
    """Return the points of each derivative of `quantities(task)`, scaled so that they sum to `task.points` if that is
    set.
    """
    found = [task.weights.get(quantity_name(task, quantity), rules.results) for quantity in quantities(task)]
    whole = sum(found, _NOTHING)
    return found if task.points is None or not whole else [weight * task.points / whole for weight in found]


def named_weights(task: Task, own: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Return weights of single derivatives by their names in marks; `own` may have them as typed: `df/dx`, `d2f/dxdy`.

    Raises RequestError if a name is not a derivative that the task asks for.
    """
    names = {quantity_name(task, quantity): quantity for quantity in quantities(task)}
    typed = {name.replace("∂", "d").replace("²", "2").replace("³", "3"): name for name in names}
    for name in own:
        if name not in names and name not in typed:
            guess = similar(name, [*typed, *names])
            raise RequestError(
                f"the problem has no quantity called {name}",
                help=f"did you mean {guess}?" if guess else f"its quantities are {', '.join(names)}",
            )
    return {typed.get(name, name): weight for name, weight in own.items()}
