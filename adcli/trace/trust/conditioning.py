"""Digits that rounding takes: of a value or a slope how many are left, where the others went, what keeps them.

Rounding is followed to first order, and what seems lost is compared with the true numbers where those can be had.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ...graph.order import ancestors
from ...notation.table_formulas import barred, partial
from ...records import NamedTuple
from ..digit_loss_screen import Suspicion
from ..faults import Evaluation, row_text
from ..model import TRUSTED, Note, Output
from .rewriting import rewritten
from .rounding_errors import Error, Rounding
from .true_numbers import Key, affordable, right_digits, true_numbers

if TYPE_CHECKING:
    from mpmath import mpf

_LOST = 10.0**-TRUSTED
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
    true: mpf | None = None

    @property
    def checked(self) -> bool:
        return self.true is not None


def conditioning_notes(evaluation: Evaluation, suspicion: Suspicion, at: Mapping[str, float]) -> list[Note]:
    """One note where a value or a slope has fewer than ten right digits; none where all have them."""
    graph, values = evaluation.graph, evaluation.values
    outputs, slopes = suspicion
    rounding = Rounding(graph, values, at)
    checkable = affordable(graph, values)
    losses = list(_suspected(rounding, outputs, slopes, _CAUTION if checkable else 1))
    true: dict[Key, mpf] = {}
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
        text += _advice(evaluation, at, losses, true)
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


def _confirmed(losses: Sequence[Loss], doubles: Mapping[Key, float], true: Mapping[Key, mpf]) -> Iterator[Loss]:
    """The losses that the true numbers confirm, and those whose true number is not to be had."""
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


def _advice(evaluation: Evaluation, at: Mapping[str, float], losses: Sequence[Loss], true: Mapping[Key, mpf]) -> str:
    """`; 2*sin(x/2)^2/x^2 has 16 digits of y right`, or nothing where no rewriting helps."""
    names = {loss.key: loss.name for loss in losses if loss.checked}  # of the others nobody knows the digits
    found = rewritten(evaluation, at, list(names), true)
    if found is None:
        return ""
    formula, right = found
    return f"; {formula} has {joined([f'{count} of {names[key]}' for key, count in list(right.items())[:3]])}"


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
