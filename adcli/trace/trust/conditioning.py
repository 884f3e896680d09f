"""Digits that rounding takes: of a value or a slope how many are left, where the others went, what keeps them.

A cheap look at the numbers of a sweep says whether there can be anything to tell; only then rounding is followed to
first order, and what seems lost is compared with the true numbers where those can be had.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from operator import mul
from typing import TYPE_CHECKING, Any, NamedTuple

from ...graph.graph import Graph
from ...graph.order import ancestors
from ...graph.rules import partials as rules_of
from ...graph.tape import Gradients, adjoints, linearize
from ...numbers.algebra import RAISING
from ..faults import Evaluation, row_text
from ..labels import barred, partial
from ..model import Note, Output

if TYPE_CHECKING:
    from .rounding_errors import Error, Rounding
    from .truth import Key

TRUSTED = 10  # a number with fewer right digits is worth a note
_LOST = 10.0**-TRUSTED
_HALF = 2.0**-53
_MAGNIFIED = 2.0**17  # Σ|v̄·v| over |y| from which a value is looked at closely: of single ulps some 1e-11
_SHAKY = 2.0**14  # the same for slopes, of a bound that grows with every step
_FLAT = 0.03  # a function that hands on less than this of a relative error may be near an extremum
_CANCELLED = 1e-4  # what is left of written numbers, compared with them
_BLOTTED = 1e13  # times its own size: what a row has to be the difference of to be nothing but rounding
_SMALL = 3_000  # operations times inputs up to which slopes are looked at
_LARGE = 30_000  # operations up to which a value without slopes is
_CAUTION = 4  # functions may be off by more than the ulp they are taken for, and what seems lost is checked
_NAMED = 3  # numbers that a note names


class Loss(NamedTuple):
    """A number that has lost digits: its name in a sentence, how many are right, and the error that explains it.

    `true` is the true number, where it is known; without it the count is a bound.
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
    reach = _reach(graph, values, gradients) if slopes and small else 1.0
    written = small and _written(graph, values)
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
        lost = written or not _magnified(found, values) <= limit * abs(values[slot])
        if lost or (slopes and small and _shaken(graph, gradients, found, slot, reach)):
            doubtful.append(output)
    if not doubtful or (len(doubtful) * len(graph) > _LARGE and not small):
        return []
    return _told(evaluation, doubtful, at, slopes=slopes and small)


def _magnified(bars: Sequence[Any], values: Sequence[Any]) -> float:
    """Σ|v̄·v|: what rounding every value by a relative error of 1 would do, to first order."""
    try:
        return float(sum(map(abs, map(mul, bars, values))))
    except TypeError:  # a branch was not taken
        return float(sum(abs(bar * x) for bar, x in zip(bars, values, strict=True) if x is not None))


def _reach(graph: Graph, values: Sequence[Any], gradients: Gradients) -> float:
    """How far relative errors may have grown on the way, all of them added up; infinite where slopes may be worse."""
    reach = [1.0] * len(graph)
    most = 1.0
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
                return math.inf
            share = moved / abs(z)
            if (share < _FLAT or (share > 1 / _FLAT and abs(slope) < _FLAT * abs(z))) and not _straight(graph, slot):
                return math.inf
            total += share * reach[parent]
        if not total < _SHAKY:
            return math.inf
        reach[slot] = total
        if total > most:
            most = total
    return most


def blotted(graph: Graph, values: Sequence[Any], gradients: Gradients) -> bool:
    """Whether some row may have no digit left, whatever becomes of it in the results."""
    for slot, partials in enumerate(gradients):
        z = values[slot]
        if z and partials:
            limit = _BLOTTED * abs(z)
            for slope, parent in zip(partials, graph.parents[slot], strict=True):
                if slope and abs(slope * values[parent]) > limit:
                    return True
    return False


def _straight(graph: Graph, slot: int) -> bool:
    """Whether the slopes of an operation are the same everywhere."""
    rules = rules_of(graph.rows[slot], RAISING)  # type: ignore[arg-type]
    return rules is not None and rules.always is not None


def _shaken(graph: Graph, gradients: Gradients, bars: Sequence[Any], output: int, reach: float) -> bool:
    """Whether the terms of some input's adjoint cancel, so that errors that have grown so far may take its digits."""
    if reach == math.inf:
        return True
    sizes = [0.0] * len(graph)
    sizes[output] = 1.0
    for slot in range(output, -1, -1):
        size = sizes[slot]
        if size:
            for slope, parent in zip(gradients[slot], graph.parents[slot], strict=False):
                if slope:
                    sizes[parent] += size * abs(slope)
    return any(not reach * sizes[slot] <= _SHAKY * abs(bars[slot]) for slot in graph.inputs)


def _written(graph: Graph, values: Sequence[Any]) -> bool:
    """Whether numbers that were written down cancel before any input comes in."""
    if graph.literal.find(1) < 0:
        return False
    return any(
        row is not None and abs(z) < _CANCELLED * max(map(abs, map(values.__getitem__, parents)))
        for row, literal, z, parents in zip(graph.rows, graph.literal, values, graph.parents, strict=True)
        if literal and z is not None
    )


# --- a closer look ----------------------------------------------------------------------------------------------------


def _told(evaluation: Evaluation, outputs: Sequence[Output], at: Mapping[str, Any], *, slopes: bool) -> list[Note]:
    from .rounding_errors import Rounding
    from .truth import affordable, true_numbers

    graph, values = evaluation.graph, evaluation.values
    rounding = Rounding(graph, values, at)
    checkable = affordable(graph, values)
    losses = list(_suspected(rounding, outputs, slopes, _CAUTION if checkable else 1))
    true: dict[Key, Any] = {}
    if losses and checkable:
        doubles = {key: x for output in outputs for key, x in _numbers(output, slopes).items()}
        true = true_numbers(graph, at, doubles, [loss.key for loss in losses])
        losses = list(_confirmed(losses, doubles, true))
    if not losses:
        return []
    worst = min(losses, key=lambda loss: (loss.key[1] != "", loss.right))
    slot = dict(graph.outputs)[worst.key[0]]
    place = rounding.place(max(worst.error.source, 0), ancestors(graph, [slot]))
    text = f"{_counted(losses)}: {_where(evaluation, losses, worst, place)}"
    if true:
        from .rewriting import advice

        text += advice(evaluation, at, losses, true)
    return [Note(evaluation.names[place] or None, "conditioning", text)]


def _numbers(output: Output, slopes: bool) -> dict[Key, float]:
    """Value and slopes of an output, by output and input."""
    found = {(output.name, ""): output.value}
    if slopes and output.gradient is not None:
        found |= {(output.name, wrt): x for wrt, x in output.gradient.items()}
    return {key: x for key, x in found.items() if math.isfinite(x)}


def _suspected(rounding: Rounding, outputs: Sequence[Output], slopes: bool, caution: float) -> list[Loss]:
    """The numbers whose error, by its bound, takes them below ten right digits."""
    slots = dict(rounding.graph.outputs)
    inputs = {name: slot for slot, name in rounding.graph.inputs.items()}
    found = []
    for output in outputs:
        bars = rounding.bars(slots[output.name])
        for (_, wrt), x in _numbers(output, slopes).items():
            error = rounding.of_slope(bars, slots[output.name], inputs[wrt], x) if wrt else rounding.of_value(bars)
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


def _confirmed(losses: Sequence[Loss], doubles: Mapping[Key, float], true: Mapping[Key, Any]) -> Iterator[Loss]:
    """The losses that the true numbers confirm, and those whose true number is not to be had."""
    from .truth import right_digits

    for loss in losses:
        if loss.key not in true:
            if loss.error.bound > _LOST * abs(doubles[loss.key]):
                yield loss
        elif true[loss.key] == true[loss.key]:
            right = right_digits(doubles[loss.key], true[loss.key])
            if right < TRUSTED:
                yield loss._replace(right=right, true=true[loss.key])


# --- sentences --------------------------------------------------------------------------------------------------------


def _counted(losses: Sequence[Loss]) -> str:
    """`only 3 digits of y and none of ∂y/∂x are right here`."""
    told: list[str] = []
    for loss in losses[:_NAMED]:
        count = str(loss.right) if loss.right else "none" if told else "no"
        noun = "" if told else " digits" if loss.right > 1 else " digit"
        told.append(f"{count}{noun} of {loss.name}")
    if len(losses) > _NAMED:
        told.append(f"few of {len(losses) - _NAMED} other{'s' if len(losses) > _NAMED + 1 else ''}")
    verb = "are" if len(told) > 1 or losses[0].right > 1 else "is"
    sure = "right" if all(loss.checked for loss in losses) else "certain"
    return f"{'only ' if losses[0].right else ''}{joined(told)} {verb} {sure} here"


def joined(items: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def _where(evaluation: Evaluation, losses: Sequence[Loss], worst: Loss, place: int) -> str:
    """The row that loses the digits, or the adjoint whose terms cancel."""
    source = worst.error.source
    if worst.error.in_sum and evaluation.labels[source]:
        return f"the terms of {barred(evaluation.labels[source])} cancel"
    loses = "loses" if worst.checked else "may lose"
    what = "the others" if any(loss.right for loss in losses) else "them"
    if not evaluation.labels[place]:
        return f"what is written there in numbers {loses} {what}"
    if place in evaluation.graph.inputs:
        return f"{evaluation.labels[place]} is rounded to a double, which {loses} {what}"
    text = f"{row_text(evaluation, place)} {loses} {what}"
    if source in evaluation.graph.inputs:  # no rewriting helps against that
        text += f", for {evaluation.labels[source]} itself is rounded to a double"
    return text
