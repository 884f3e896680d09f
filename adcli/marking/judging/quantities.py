"""Quantities of a problem, which are the same for every answer, and what each is worth.

Results are the values of the outputs and the derivatives that are requested.  Steps are on the way to them in the
problem's own trace: the values of its rows; in forward mode the seed of each sweep and the tangents of rows that move;
in reverse mode the seed and the adjoints of rows between the inputs to differentiate by and the result.  Derivatives
that are 0 because there is no path, and arithmetic on literal numbers, are not quantities.  Without a mode only results
are asked for, and each derivative may be reached by either sweep.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from ...answers.answer_model import BAR, DERIVATIVE, DOT, VALUE, Task
from ...errors import RequestError
from ...graph.order import ancestors, inputs_above
from ...notation.table_formulas import write_partial
from ...records import NamedTuple
from ...table.suggest import did_you_mean
from ...trace.request_choices import NUMBERINGS
from ..model import Rules, row_name
from ..programs.reference_traces import Standard, standard


class Demand(NamedTuple):
    """A quantity that a problem asks for, by the slot of the problem's own trace, and its points.

    `name` is its name in marks, `label` that of its row; `key` is the input that moves, or the output whose adjoint it
    is; of a derivative (in a task without a mode) the slot is that of the output and the key the input. A `result` is
    no step on the way; a `seed` is what a sweep starts from.
    """

    name: str
    label: str
    kind: str
    slot: int
    key: str | None
    result: bool
    points: Fraction = Fraction(0)
    seed: bool = False


def list_quantities(task: Task, rules: Rules, reference: Standard | None = None) -> tuple[Demand, ...]:
    """Return the quantities of a task with their points, in the order of working.

    The weight of each is that of `task.weights` by its name in marks, else `results` or `steps` of the rules. If the
    task has points, they are split by weight (0 each if all weights are 0); else the weights are the points.
    `reference` is the problem's own trace (default: made from the task in the first numbering).
    """
    if task.arrays is not None:
        from ..programs.array_reference import array_quantities  # few problems have arrays

        demands = [
            Demand(name, label, kind, block, None, result, seed=seed)
            for name, label, kind, block, result, seed in array_quantities(task)
        ]
    else:
        demands = list(_quantities_of_task(task, reference if reference is not None else standard(task, NUMBERINGS[0])))
    weights = [task.weights.get(each.name, rules.results if each.result else rules.steps) for each in demands]
    whole = sum(weights, Fraction(0))
    unit = Fraction(1) if task.points is None else task.points / whole if whole else Fraction(0)
    return tuple(each._replace(points=weight * unit) for each, weight in zip(demands, weights, strict=True))


def possible(task: Task, rules: Rules) -> Fraction:
    """Return the points that a task is worth, for any answer."""
    return sum((each.points for each in list_quantities(task, rules)), Fraction(0))


def weights_of(task: Task, weights: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Return weights of single quantities by their names in marks, from names as they are typed: `v2bar`, `dv3[x1]`.

    Raises RequestError if the problem has no quantity of a name.
    """
    spellings = {
        spelling: each.name for each in list_quantities(task, Rules()) for spelling in (*_typed_names(each), each.name)
    }
    return resolve_weights(weights, spellings)


def resolve_weights(weights: Mapping[str, Fraction], spellings: Mapping[str, str]) -> dict[str, Fraction]:
    """Return weights by the names of quantities in marks, from names as they are typed.

    `spellings` maps what may be typed to names; of two spellings of one name the last weight counts. Raises
    RequestError with a similar name or all names if one is not among these.
    """
    for name in weights:
        if name not in spellings:
            every = ", ".join(dict.fromkeys(spellings.values()))
            advice = did_you_mean(name, spellings, f"its quantities are {every}")
            raise RequestError(f"the problem has no quantity called {name}", help=advice)
    return {spellings[name]: weight for name, weight in weights.items()}


def _typed_names(each: Demand) -> Iterator[str]:
    """Yield the names under which a quantity may be typed: `dv3[x1]` and `v3dot[x1]` for a tangent, `v3bar` for an
    adjoint, `dy/dx1` for a derivative; nothing for a value. An index in brackets is that of its name in marks.
    """
    label, index = each.label, each.name[each.name.index("[") :] if "[" in each.name else ""
    if each.kind == DOT:
        yield from (f"d{label}{index}", f"{label}dot{index}")
    elif each.kind == BAR:
        yield f"{label}bar{index}"
    elif each.kind == DERIVATIVE:
        yield f"d{label}/d{each.key}"


class _Reference:
    """The problem's own trace, with the names of its rows, its results, and what each row depends on."""

    def __init__(self, task: Task, reference: Standard) -> None:
        """Collect names, results and dependences of the rows of `reference`, the trace of the problem of `task`.

        `inputs` has slots by name; `labels` names by slot, aliases before numbers; `results` the first name of each
        output by slot; `moved` and `bits` which inputs a slot depends on, one bit for each; `keys` the inputs of
        `task.wrt`, or all inputs if none of these is one.
        """
        graph = self.graph = reference.graph
        self.inputs = {name: slot for slot, name in graph.inputs.items()}
        self.labels = {slot: graph.aliases.get(slot, name) for slot, name in reference.names.items()}
        self.results: dict[int, str] = {}  # the first name of each output, by slot
        for name, slot in graph.outputs:
            self.results.setdefault(slot, name)
        self.moved = inputs_above(graph)
        self.bits = {name: 1 << place for place, name in enumerate(graph.inputs.values())}
        self.keys = [name for name in task.wrt if name in self.inputs] or list(self.inputs)
        self.wrt = task.wrt

    def moves(self, key: str, slot: int) -> bool:
        """Return whether a row depends on the input `key`."""
        return bool(self.moved[slot] & self.bits[key])

    def derivatives(self, slot: int) -> list[str]:
        """Return the inputs by which an output is to be differentiated: those named, else those that it depends on."""
        return [key for key in self.keys if key in self.wrt or self.moves(key, slot)]


def _quantities_of_task(task: Task, reference: Standard) -> Iterator[Demand]:
    """Yield the quantities of a task, with 0 points: steps, results, then derivatives, tangents and adjoints as its
    mode has them.

    Steps are the values of rows that are not results and depend on an input; only with a mode. Of an output with two
    names the first counts. Derivatives come only without a mode and with `order` 1, tangents in forward and both,
    adjoints in reverse and both; each with respect to the inputs in `wrt`, else to those on which the output depends.
    """
    trace = _Reference(task, reference)
    if task.mode is not None:
        for slot, label in trace.labels.items():
            if slot not in trace.results and trace.moved[slot]:
                yield Demand(label, label, VALUE, slot, None, result=False)
    for slot, name in trace.results.items():
        yield Demand(name, name, VALUE, slot, None, result=True)
    if task.mode is None and task.order == 1:
        for slot, name in trace.results.items():
            for key in trace.derivatives(slot):
                yield Demand(str(write_partial(name, key)), name, DERIVATIVE, slot, key, result=True)
    if task.mode in ("forward", "both"):
        for key in trace.keys:
            yield from _tangents(trace, key)
    if task.mode in ("reverse", "both"):
        for slot, output in trace.results.items():
            yield from _adjoints(trace, slot, output)


def _tangents(trace: _Reference, key: str) -> Iterator[Demand]:
    """Yield the tangents of the sweep in which the input `key` moves: its seed, the steps that move, the results.

    The seed is left out if no result, other than the input itself, depends on it; results are those whose derivative
    with respect to `key` is requested. Names have `[key]` if several inputs are requested.
    """
    several, seed, results = len(trace.keys) > 1, trace.inputs[key], trace.results
    if any(slot != seed and trace.moves(key, slot) for slot in results):
        yield Demand(row_name(DOT, key, key, several), key, DOT, seed, key, result=False, seed=True)
    for slot, label in trace.labels.items():
        if slot not in results and trace.moves(key, slot):
            yield Demand(row_name(DOT, label, key, several), label, DOT, slot, key, result=False)
    for slot, name in results.items():
        if key in trace.derivatives(slot):
            yield Demand(row_name(DOT, name, key, several), name, DOT, slot, key, result=True)


def _adjoints(trace: _Reference, result: int, output: str) -> Iterator[Demand]:
    """Yield the adjoints of the sweep from one output: its seed, the steps that it depends on from the last to the
    first, the inputs.

    `result` is the slot of the output, `output` its name. The seed is left out if the output is an input or depends on
    none of the requested inputs; steps that depend on none of these are left out, such as those of data alone, and
    inputs whose derivative is not requested.
    """
    several, reached = len(trace.results) > 1, ancestors(trace.graph, [result])
    if result not in trace.inputs.values() and any(trace.moves(key, result) for key in trace.keys):
        yield Demand(row_name(BAR, output, output, several), output, BAR, result, output, result=False, seed=True)
    for slot, label in reversed(trace.labels.items()):
        if slot != result and reached[slot] and any(trace.moves(key, slot) for key in trace.keys):
            yield Demand(row_name(BAR, label, output, several), label, BAR, slot, output, result=False)
    for key in trace.derivatives(result):
        yield Demand(row_name(BAR, key, output, several), key, BAR, trace.inputs[key], output, result=True)
