"""Digits that rounding takes: of a value or a slope how many are left, where the others went, what keeps them.

A cheap look at the numbers of a sweep says whether there can be anything to tell; only then rounding is followed to
first order, and what seems lost is compared with the true numbers where those can be had.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from operator import mul
from typing import TYPE_CHECKING, Any, NamedTuple

from ..calculus.algebra import RAISING
from ..graph.node import Graph
from ..graph.order import ancestors
from ..graph.rules import partials as rules_of
from ..graph.tape import Gradients, adjoints, linearize
from .faults import Evaluation, row_text
from .model import Note, Output
from .names import barred, partial

if TYPE_CHECKING:
    from .rounding import Error, Rounding

TRUSTED = 10  # a number with fewer right digits is worth a note
_LOST = 10.0**-TRUSTED
_HALF = 2.0**-53
_MAGNIFIED = 2.0**17  # Σ|v̄·v| over |y| from which a value is looked at closely: of single ulps some 1e-11
_SHAKY = 2.0**14  # the same for slopes, of a bound that grows with every step
_FLAT = 0.03  # a function that hands on less than this of a relative error may be near an extremum
_SMALL = 3_000  # operations times inputs up to which slopes are looked at
_LARGE = 30_000  # operations up to which a value without slopes is
_CAUTION = 4  # functions may be off by more than the ulp they are taken for, and what seems lost is checked
_NAMED = 3  # numbers that a note names


class Loss(NamedTuple):
    """A number that has lost digits: its name in a sentence, how many are right, and the error that explains it.

    `true` is the true number, where it is known; `exact` says that the count is no mere bound.
    """

    key: tuple[str, str]
    name: str
    right: int
    error: Error
    true: Any = None

    @property
    def checked(self) -> bool:
        return self.true is not None


def conditioning_notes(
    evaluation: Evaluation,
    gradients: Gradients,
    outputs: Sequence[Output],
    bars: Mapping[str, Sequence[Any]],
    at: Mapping[str, Any],
    *,
    slopes: bool,
) -> list[Note]:
    """One note where a value or a slope has fewer than ten right digits; none where all have them.

    `bars` are the adjoints that are known, by output.  Without `slopes` the values alone are looked at.
    """
    graph, values = evaluation.graph, evaluation.values
    if not outputs or not graph.outputs:
        return []
    if not gradients:
        if len(graph) > _LARGE:
            return []
        gradients = linearize(graph, evaluation.m, values)
    slots = dict(graph.outputs)
    doubtful = []
    small = len(graph) * max(len(graph.inputs), 1) * len(outputs) <= _SMALL
    shaky = slopes and small and _unsteady(graph, values, gradients)
    by_output: dict[str, Sequence[Any]] = {}
    for output in outputs:
        slot = slots[output.name]
        if values[slot] is None or not math.isfinite(values[slot]):
            continue
        found = bars.get(output.name)
        if found is None:
            if not small:
                continue
            found = adjoints(graph, gradients, {slot: 1.0})
        by_output[output.name] = found
        limit = _MAGNIFIED if small else _LOST / _HALF * math.sqrt(len(graph))
        lost = not _magnified(found, values) <= limit * abs(values[slot])
        if lost or (slopes and small and (shaky or _cancelled(graph, gradients, found, slot))):
            doubtful.append(output)
    if not doubtful or (len(doubtful) * len(graph) > _LARGE and not small):
        return []
    return _told(evaluation, gradients, doubtful, at, slopes=slopes and small)


def _magnified(bars: Sequence[Any], values: Sequence[Any]) -> float:
    """Σ|v̄·v|: what rounding every value by a relative error of 1 would do, to first order."""
    try:
        return sum(map(abs, map(mul, bars, values)))
    except TypeError:  # a branch was not taken
        return sum(abs(bar * x) for bar, x in zip(bars, values, strict=True) if x is not None)


def _unsteady(graph: Graph, values: Sequence[Any], gradients: Gradients) -> bool:
    """Whether some row may have lost so many digits that slopes suffer: relative errors are followed, all added up."""
    reach = [1.0] * len(graph)
    for slot, partials in enumerate(gradients):
        if not partials:
            continue
        z = values[slot]
        total = 1.0
        for slope, parent in zip(partials, graph.parents[slot], strict=True):
            if not slope:
                continue
            moved = abs(slope * values[parent])
            if not moved:
                continue
            if not z:
                return True
            share = moved / abs(z)
            if share < _FLAT:
                rules = rules_of(graph.rows[slot], RAISING)  # type: ignore[arg-type]
                if rules is None or rules.always is None:
                    return True
            total += share * reach[parent]
        if not total < _SHAKY:
            return True
        reach[slot] = total
    return False


def _cancelled(graph: Graph, gradients: Gradients, bars: Sequence[Any], output: int) -> bool:
    """Whether the terms of some input's adjoint cancel, or those of an adjoint on the way."""
    sizes = [0.0] * len(graph)
    sizes[output] = 1.0
    for slot in range(output, -1, -1):
        size = sizes[slot]
        if size:
            for slope, parent in zip(gradients[slot], graph.parents[slot], strict=False):
                if slope:
                    sizes[parent] += size * abs(slope)
    return any(not sizes[slot] <= _SHAKY * abs(bars[slot]) for slot in graph.inputs)


# --- a closer look ----------------------------------------------------------------------------------------------------


def _told(
    evaluation: Evaluation, gradients: Gradients, outputs: Sequence[Output], at: Mapping[str, Any], *, slopes: bool
) -> list[Note]:
    from .rounding import Rounding
    from .truth import affordable

    graph, values = evaluation.graph, evaluation.values
    rounding = Rounding(graph, values, at)
    checkable = affordable(graph, values)
    losses = list(_suspected(rounding, outputs, slopes, _CAUTION if checkable else 1))
    if losses and checkable:
        losses = _checked(graph, at, losses, outputs)
    if not losses:
        return []
    worst = min(losses, key=lambda loss: (loss.key[1] != "", loss.right))
    slot = dict(graph.outputs)[worst.key[0]]
    place = rounding.place(max(worst.error.source, 0), ancestors(graph, [slot]))
    text = f"{_counted(losses)}: {_where(evaluation, worst, place)}"
    if all(loss.checked for loss in losses):
        from .rewriting import advice

        text += advice(evaluation, at, losses, rounding)
    return [Note(evaluation.names[place] or None, "conditioning", text)]


def _suspected(rounding: Rounding, outputs: Sequence[Output], slopes: bool, caution: float) -> list[Loss]:
    """The numbers whose error, by its bound, takes them below ten right digits."""
    slots = dict(rounding.graph.outputs)
    inputs = {name: slot for slot, name in rounding.graph.inputs.items()}
    found = []
    for output in outputs:
        bars = rounding.bars(slots[output.name])
        numbers = {"": output.value, **((output.gradient or {}) if slopes else {})}
        for wrt, x in numbers.items():
            if not math.isfinite(x):
                continue
            if wrt:
                error = rounding.of_slope(bars, slots[output.name], inputs[wrt])
            else:
                error = rounding.of_value(bars)
            bound = abs(error.known) + caution * error.rest
            if bound > _LOST * abs(x) or (bound != bound and caution > 1):
                name = partial(output.shown, wrt) if wrt else output.shown
                found.append(Loss((output.name, wrt), name, _by_bound(error.bound, x), error))
    return found


def _by_bound(bound: float, x: float) -> int:
    """How many digits a bound of the error leaves at least."""
    if not bound < abs(x):
        return 0
    return int(-math.log10(bound / abs(x)))


def _checked(
    graph: Graph, at: Mapping[str, Any], losses: list[Loss], outputs: Sequence[Output]
) -> list[Loss]:
    """The losses that the true numbers confirm, and those whose true number is not to be had."""
    from .truth import right_digits, true_numbers

    doubles = {}
    for output in outputs:
        doubles[output.name, ""] = output.value
        doubles |= {(output.name, wrt): x for wrt, x in (output.gradient or {}).items()}
    true = true_numbers(graph, at, {loss.key: doubles[loss.key] for loss in losses})
    found = []
    for loss in losses:
        if loss.key not in true:
            if loss.error.bound > _LOST * abs(doubles[loss.key]):
                found.append(loss)
        elif true[loss.key] == true[loss.key]:
            right = right_digits(doubles[loss.key], true[loss.key])
            if right < TRUSTED:
                found.append(loss._replace(right=right, true=true[loss.key]))
    return found


# --- sentences --------------------------------------------------------------------------------------------------------


def _counted(losses: Sequence[Loss]) -> str:
    """`no digit of y and 3 digits of ∂y/∂x are right`."""
    told = [f"{_count(loss.right)} of {loss.name}" for loss in losses[:_NAMED]]
    if len(losses) > _NAMED:
        told.append(f"few of {len(losses) - _NAMED} more")
    several = len(told) > 1 or losses[0].right > 1
    sure = all(loss.checked for loss in losses)
    only = "" if losses[0].right == 0 else "only "
    verb = ("are" if several else "is") if sure else "may be"
    return f"{only}{_joined(told)} {verb} right here"


def _count(right: int) -> str:
    return "no digit" if right == 0 else f"{right} digit{'s' if right > 1 else ''}"


def _joined(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def _where(evaluation: Evaluation, worst: Loss, place: int) -> str:
    if worst.error.in_sum:
        label = evaluation.labels[worst.error.source]
        if label:
            return f"the terms of {barred(label)} cancel"
    if not evaluation.labels[place]:
        return "a number that was written has no double of its own"
    if place in evaluation.graph.inputs:
        return f"they hang on digits of {evaluation.labels[place]} that its double does not have"
    return f"the others are lost in {row_text(evaluation, place)}"
