"""Conventions at kinks: which slope an answer takes where a problem has none, such as relu'(0) = 0, 1 or ½. A weight
chooses the slope at a kink: 0 that from the left, 1 that from the right, ½ the middle."""

from __future__ import annotations

from collections import Counter
from functools import partial

from ...answers.answer_model import BAR, VALUE, Answer, Task
from ..programs.reference_traces import trace_worksheet
from ..programs.value_rows import shown_number
from ..programs.worksheet import cache_of, kinks_at

Gradient = dict[tuple[str, str], float]  # by the names of result and input

_NEAR = 1e-9  # of a slope
_USUAL = (0.0, 1.0, 0.5)
_MOST_OWN = 2  # weights that are read from an answer's numbers


def kink_weights(task: Task) -> list[float | None]:
    """Return the weights with which an answer to a task is marked, those of the table's convention first.

    They are those of 0, 1 and ½ with which every derivative of a result is between its one-sided derivatives. [None] if
    the point of the task is not at a kink, or if no weight is possible. Cached for the task.
    """
    return cache_of(task).get_or_make("kink_weights", lambda: _kink_weights(task))


def _kink_weights(task: Task) -> list[float | None]:
    """Return the weights (of 0, 1 and ½) of slopes at kinks that may be meant.

    A weight may be meant if its gradient is between the one-sided derivatives (`_is_between_sides`). Weights with
    exactly the gradient of the task's own trace (weight None) come first; apart from that the order is 0, 1, ½. [None]
    if the point is not at a kink, or if no weight may be meant.
    """
    if not any(kinks_at(task.program.graph, task)):
        return [None]
    usual = _gradient(task, None)
    allowed = [(weight, gradient) for weight in _USUAL if _is_between_sides(task, gradient := _gradient(task, weight))]
    return [weight for weight, _ in sorted(allowed, key=lambda each: each[1] != usual)] or [None]


def other_kink_weights(task: Task, answer: Answer) -> list[float]:
    """Return the weights except the first of `kink_weights` that may explain an answer.

    First the others of `kink_weights`. Then weights for which a derivative of a result by an input, which is linear in
    the weight, equals the last number of a row in the answer that is not a value. They are rounded to three decimals
    and between 0 and 1 (excluded). Of the two most frequent of these, those may be meant that keep each derivative
    between its one-sided ones (`_is_between_sides`). ½ may come twice. [] if `kink_weights` is [None].
    """
    known = kink_weights(task)
    if known == [None]:
        return []
    left, right = (_gradient(task, weight) for weight in (0.0, 1.0))
    numbers = [x.value for e in answer.entries if e.quantity.kind != VALUE and (x := shown_number(e)) is not None]
    counts = Counter[float]()
    for key in left:
        step = right[key] - left[key]
        counts.update(weight for x in numbers if step and 0 < (weight := round((float(x) - left[key]) / step, 3)) < 1)
    student_weights = dict(counts.most_common(_MOST_OWN))
    weights = (weight for weight in student_weights if _is_between_sides(task, _gradient(task, weight)))
    return [weight for weight in (*known[1:], *weights) if weight is not None]


def _gradient(task: Task, weight: float | None) -> Gradient:
    """Return {(result, input): derivative} for all results and inputs, with the slopes of `weight` at kinks."""
    sheet = trace_worksheet(task._replace(kink_weight=weight))
    truth = sheet.truths()[0]
    return {(y, x): truth.read(BAR, slot, y).middle for x, slot in sheet.inputs.items() for y in sheet.outputs}


def _is_between_sides(task: Task, gradient: Gradient) -> bool:
    """Return whether each derivative in `gradient` is between the one-sided derivatives of the result, by the same
    input.

    Ends count, with an absolute 1e-9 to spare; the left side need not be the smaller one. Only results that depend on a
    kink are compared. If only one side is known, the derivative must equal it; if none is, it is not compared. False
    for a derivative that is not a number.
    """
    from ...kinks.decision import decide
    from ...trace.faults import exact_point

    graph = task.program.graph
    near = {slot for slot, *_ in kinks_at(graph, task)}
    decision = decide(graph, near, partial(exact_point, graph, task.at))
    for output, outcome in decision.outcomes.items():
        for slot, (left, right) in outcome.sides.items():
            ends = [float(x) for x in (left.derivative(-1), right.derivative(1)) if x is not None]
            if ends and not min(ends) - _NEAR <= gradient[output, graph.inputs[slot]] <= max(ends) + _NEAR:
                return False
    return True


def note_of(task: Task, weight: float) -> str:
    """Return a sentence on the slope that an answer takes at the problem's first kink, with both one-sided slopes.

    `weight` is where this slope lies between them: 0 is the left one, 1 the right one. Raises StopIteration if the
    problem has no kink at its point.
    """
    slot, *_, (left, right) = next(kinks_at(task.program.graph, task))
    name = task.program.graph.row(slot).name
    sides = f"slope {left:g} from the left, {right:g} from the right"
    return f"{name} has no derivative at its kink: {sides}. The answer uses {left + weight * (right - left):g}"
