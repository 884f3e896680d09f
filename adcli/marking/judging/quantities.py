"""What a problem asks for: its quantities, which are the same for every answer, and what each is worth.

Results are the values of the outputs and the derivatives that are asked for.  Steps are on the way to them in the
problem's own trace: the values of its rows; in forward mode the seed of each sweep and the tangents of rows that move;
in reverse mode the seed and the adjoints of rows that the result depends on.  Derivatives that are 0 for want of a
path, and arithmetic on numbers that are written down, are not quantities.  Without a mode only results are asked for,
and each derivative may be reached by either sweep.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from ...errors import RequestError
from ...graph.graph import Graph
from ...notation.table_formulas import partial
from ...records import NamedTuple
from ...table.suggest import similar
from ...trace.request_choices import NUMBERINGS
from ..model import BAR, DERIVATIVE, DOT, VALUE, Rules, Task, row_name
from ..programs.reference_traces import Standard, standard


class Wanted(NamedTuple):
    """A quantity that a problem asks for, by the slot of the problem's own trace, and its points.

    `label` is what its row is called there; `key` is the input that moves, or the output whose adjoint it is; of a
    derivative (without a mode) the slot is the output's and the key the input.  A `seed` is what a sweep starts from.
    """

    name: str
    label: str
    kind: str
    slot: int
    key: str | None
    result: bool
    points: Fraction = Fraction(0)
    seed: bool = False


def wanted(task: Task, rules: Rules, reference: Standard | None = None) -> tuple[Wanted, ...]:
    """The quantities of a task with their points, in the order of working; `reference` is its own trace.

    The points are the weights of the key, else those of the rules; where the task has points, their share of these.
    """
    found = list(_asked(task, reference if reference is not None else standard(task, NUMBERINGS[0])))
    weights = [task.weights.get(each.name, rules.results if each.result else rules.steps) for each in found]
    whole = sum(weights, Fraction(0))
    unit = Fraction(1) if task.points is None else task.points / whole if whole else Fraction(0)
    return tuple(each._replace(points=weight * unit) for each, weight in zip(found, weights, strict=True))


def possible(task: Task, rules: Rules) -> Fraction:
    """What a task is worth, whatever the answer."""
    return sum((each.points for each in wanted(task, rules)), Fraction(0))


def weights_of(task: Task, weights: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Weights of single quantities of a task by their names in marks; on a keyboard `v2bar`, `dv3[x1]`, `dy/dx1`.

    Raises RequestError for a name that is none of them.
    """
    found = wanted(task, Rules())
    names = {spelling: each.name for each in found for spelling in (*_typed(each), each.name)}
    for name in weights:
        if name not in names:
            guess = similar(name, names)
            raise RequestError(
                f"the problem has no quantity called {name}",
                help=f"did you mean {guess}?" if guess else f"its quantities are {', '.join(q.name for q in found)}",
            )
    return {names[name]: weight for name, weight in weights.items()}


def _typed(each: Wanted) -> Iterator[str]:
    """The names of a quantity in letters of a keyboard."""
    label, index = each.label, each.name[each.name.index("[") :] if "[" in each.name else ""
    if each.kind == DOT:
        yield from (f"d{label}{index}", f"{label}dot{index}")
    elif each.kind == BAR:
        yield f"{label}bar{index}"
    elif each.kind == DERIVATIVE:
        yield f"d{label}/d{each.key}"


def _asked(task: Task, reference: Standard) -> Iterator[Wanted]:
    graph, inputs = reference.graph, {name: slot for slot, name in reference.graph.inputs.items()}
    labels = {slot: graph.aliases.get(slot, name) for slot, name in reference.names.items()}
    outputs: dict[int, str] = {}
    for name, slot in graph.outputs:
        outputs.setdefault(slot, name)
    moved = _moved_by(graph)
    keys = [name for name in task.wrt if name in inputs] or list(inputs)
    for slot, label in labels.items():
        if task.mode is not None and slot not in outputs and moved[slot]:
            yield Wanted(label, label, VALUE, slot, None, result=False)
    for slot, name in outputs.items():
        yield Wanted(name, name, VALUE, slot, None, result=True)
    if task.mode is None:
        for slot, name in outputs.items():
            for key in keys:
                if key in task.wrt or moved[slot] & _bit(inputs[key]):
                    yield Wanted(str(partial(name, key)), name, DERIVATIVE, slot, key, result=True)
    if task.mode in ("forward", "both"):
        for key in keys:
            if any(slot != inputs[key] and moved[slot] & _bit(inputs[key]) for slot in outputs):
                yield Wanted(
                    row_name(DOT, key, key, len(keys) > 1), key, DOT, inputs[key], key, result=False, seed=True
                )
            for slot, label in labels.items():
                if slot not in outputs and moved[slot] & _bit(inputs[key]):
                    yield Wanted(row_name(DOT, label, key, len(keys) > 1), label, DOT, slot, key, result=False)
            for slot, name in outputs.items():
                if key in task.wrt or moved[slot] & _bit(inputs[key]):
                    yield Wanted(row_name(DOT, name, key, len(keys) > 1), name, DOT, slot, key, result=True)
    if task.mode in ("reverse", "both"):
        for result, output in outputs.items():
            reached = _reached_from(graph, result)
            if result not in inputs.values() and any(moved[result] & _bit(inputs[key]) for key in keys):
                name = row_name(BAR, output, output, len(outputs) > 1)
                yield Wanted(name, output, BAR, result, output, result=False, seed=True)
            for slot in reversed(labels):
                if slot != result and reached[slot] and moved[slot]:
                    name = row_name(BAR, labels[slot], output, len(outputs) > 1)
                    yield Wanted(name, labels[slot], BAR, slot, output, result=False)
            for key in keys:
                if key in task.wrt or moved[result] & _bit(inputs[key]):
                    yield Wanted(
                        row_name(BAR, key, output, len(outputs) > 1), key, BAR, inputs[key], output, result=True
                    )


def _bit(slot: int) -> int:
    return 1 << slot


def _moved_by(graph: Graph) -> list[int]:
    """For each slot the inputs that it depends on, a bit for each."""
    found: list[int] = []
    for slot, parents in enumerate(graph.parents):
        bits = _bit(slot) if slot in graph.inputs else 0
        for parent in parents:
            bits |= found[parent]
        found.append(bits)
    return found


def _reached_from(graph: Graph, result: int) -> bytearray:
    """1 for each slot that a result depends on, literals left out."""
    reached = bytearray(len(graph))
    reached[result] = 1
    for slot in range(result, -1, -1):
        if reached[slot]:
            for parent in graph.parents[slot]:
                reached[parent] = not graph.literal[parent]
    return reached
