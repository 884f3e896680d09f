"""Conditioning notes: how many digits of a value or a slope rounding has left, where they were lost, what keeps them. A
loss is a number with too few right digits, its key (output, "") for a value, (output, input) for a slope.

Rounding is followed to first order, and numbers that seem to have lost digits are compared with true numbers if these
can be computed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...graph.graph import Graph
from ...graph.order import ancestors
from ...graph.tape import evaluate
from ...notation.number_text import with_and
from ...notation.table_formulas import write_adjoint, write_partial
from ...numbers.doubles import FLOAT
from ...records import NamedTuple
from ...typings import TYPE_CHECKING
from ..digit_loss_screen import Key, find_suspects, may_underflow
from ..faults import Evaluation, row_text
from ..trace_model import TRUSTED, Note, Output
from .rewriting import best_rewriting
from .rounding_errors import Error, Rounding
from .true_numbers import affordable, right_digits, true_numbers

if TYPE_CHECKING:
    from mpmath import mpf

_LOST = 10.0**-TRUSTED
_CAUTION = 4  # times the bound: functions may be off by more than 1 ulp, and every suspected loss is checked
_LEAST = 2.0**-1022  # smaller numbers have fewer digits in doubles
_NAMED = 3  # numbers that a note names
_CANCELLED = "large terms nearly cancel, and their rounding errors remain; compute with more digits"
_ROUNDED = "rounding loses the rest; compute with more digits"
_TOO_SMALL = "intermediate numbers are too large or too small for doubles; compute with more digits"


class Loss(NamedTuple):
    """A number that has lost digits.

    key    (output, ""), (output, input) or (output, input, input), of a value, a slope or a second derivative
    name   for sentences: y or ∂y/∂x
    right  the number of right digits; a lower bound if `true` is None
    error  the first-order rounding error
    true   the true number; None if it is not known
    """

    key: Key
    name: str
    right: int
    error: Error
    true: mpf | None = None

    @property
    def is_checked(self) -> bool:
        return self.true is not None


def conditioning_notes(
    evaluation: Evaluation, outputs: Sequence[Output], slopes: bool, at: Mapping[str, float]
) -> list[Note]:
    """Return [one note] on all values and slopes of `evaluation` with fewer than ten right digits; [] without any.

    `outputs` are tested, with `slopes` their slopes too; `at` is the point by input name, as it was written. If true
    numbers are `affordable` (a small graph, mpmath is installed), errors of unknown sign count four times
    (`_find_losses`), but only losses that true numbers confirm count; and the note ends with a better formula, if one
    is found. The note explains the worst number: the value with the fewest right digits or, without a value, such a
    slope; of equal ones the first. It is attached to the row that loses the digits (`find_losing_slot`).
    """
    graph, values = evaluation.graph, evaluation.values
    rounding = Rounding(graph, values, at)
    checkable = affordable(graph, values)
    losses = list(_find_losses(rounding, outputs, slopes, _CAUTION if checkable else 1))
    true: dict[Key, mpf] = {}
    if losses and checkable:
        doubles = _finite_numbers(outputs, slopes)
        true = true_numbers(graph, at, doubles, [loss.key for loss in losses])
        losses = list(_confirm_losses(losses, doubles, true))
    if not losses:
        return []
    worst = min(losses, key=lambda loss: (loss.key[1] != "", loss.right))
    slot = dict(graph.outputs)[worst.key[0]]
    place = rounding.find_losing_slot(max(worst.error.source, 0), ancestors(graph, [slot]))
    text = f"{_count_sentence(losses)}: {_where_lost(evaluation, losses, worst, place)}"
    if true:
        text += _advice(evaluation, at, losses, true)
    return [Note(evaluation.names[place] or None, "conditioning", text)]


def overflow_notes(evaluation: Evaluation, outputs: Sequence[Output], at: Mapping[str, float]) -> list[Note]:
    """Return notes on the values and slopes of `outputs` that an overflow on the way has made wrong or unknown.

    A note of kind "conditioning" names finite numbers with fewer than ten right digits that are more than 2^-1022 off,
    such as the 0 of x/sqrt(1 + x^2) at 1e200, but not slopes of 0 of an output that is not finite, which have another
    note. A note of kind "overflow" has these and the numbers that are not finite, if a rewritten formula has ten right
    digits of their finite true numbers: `written as FORMULA, y is 1.5 and ∂y/∂x is 2`. Both are on no row. [] without
    such numbers, without mpmath, and if slots × outputs exceed 3000; no rewriting for several outputs, and from 120
    slots on. `at` is the point by input name, as it was written.
    """
    if not affordable(evaluation.graph, ()):
        return []
    doubles = _all_numbers(outputs, slopes=True)
    known = {key: x if math.isfinite(x) else 1.0 for key, x in doubles.items()}
    true = true_numbers(evaluation.graph, at, known, list(known))
    true = {key: x for key, x in true.items() if math.isfinite(float(x))}
    names = _names_of_numbers(outputs)
    losses = [*_lost_by_overflow(doubles, true, names)]
    notes = [Note(None, "conditioning", f"{_count_sentence(losses)}: {_TOO_SMALL}")] if losses else []
    keys = [key for key in true if not math.isfinite(doubles[key])] + [loss.key for loss in losses]
    rewriting = best_rewriting(evaluation, at, keys, true) if keys else None
    if rewriting is None:
        return notes
    formula, right = rewriting
    numbers = [f"{names[key]} is {float(true[key]):.16g}" for key, count in right.items() if count >= TRUSTED]
    return notes + [Note(None, "overflow", f"written as {formula}, {with_and(numbers)}")] * bool(numbers)


def _names_of_numbers(outputs: Iterable[Output]) -> dict[Key, str]:
    """Return the names in sentences, `y` and `∂y/∂x`, of the values and slopes of `outputs`, by key."""
    keys = [(output, wrt) for output in outputs for wrt in ("", *(output.gradient or ()))]
    return {(y.name, wrt): write_partial(y.shown, wrt) if wrt else y.shown for y, wrt in keys}


def _lost_by_overflow(
    doubles: Mapping[Key, float], true: Mapping[Key, mpf], names: Mapping[Key, str]
) -> Iterator[Loss]:
    """Yield a Loss, without a place, for each number that an overflow on the way may have made wrong.

    Such a number is finite in `doubles`, has fewer than ten right digits and is more than 2^-1022 off its `true`
    number; slopes of 0 of an output that is not finite are left out. The keys are those of `true`, in its order;
    `names` has what each is called."""
    for key, x in true.items():
        is_known = math.isfinite(doubles[key]) and (doubles[key] or math.isfinite(doubles[key[0], ""]))
        right = right_digits(doubles[key], x) if is_known and abs(x - doubles[key]) > _LEAST else TRUSTED
        if right < TRUSTED:
            yield Loss(key, names[key], right, Error(0.0, 0.0, -1), x)


def second_derivative_notes(
    evaluation: Evaluation, suspects: Mapping[Key, float], shown: Mapping[str, str], at: Mapping[str, float]
) -> list[Note]:
    """Return [one note] on the second derivatives of which fewer than ten digits are right; [] without such numbers.

    `suspects` has the second derivatives in doubles by key (output, input, input). A derivative counts if it is also
    more than 2^-1022 away from its true number; of the two orders of a pair, the first that counts. The note is of kind
    "conditioning", on no row; it names those with the fewest right digits first, and the cause: cancellation, or
    numbers too small or large on the way. `shown` has the outputs' names in sentences, `at` is the point by input name,
    as it was written. [] also if true numbers are not `affordable`.
    """
    if not affordable(evaluation.graph, evaluation.values):
        return []
    by_pair: dict[tuple[str, frozenset[str]], Loss] = {}
    for key, x in true_numbers(evaluation.graph, at, suspects, list(suspects)).items():
        output, first, other = key
        right = right_digits(suspects[key], x)
        if right < TRUSTED and abs(x - suspects[key]) > _LEAST:  # not nan
            inputs = f"∂{first}²" if first == other else f"∂{first}∂{other}"
            loss = Loss(key, f"∂²{shown[output]}/{inputs}", right, Error(0.0, 0.0, -1), x)
            by_pair.setdefault((output, frozenset((first, other))), loss)
    losses = sorted(by_pair.values(), key=lambda loss: loss.right)
    cause = _TOO_SMALL if may_underflow(evaluation.graph, evaluation.values) else _CANCELLED
    return [Note(None, "conditioning", f"{_count_sentence(losses)}: {cause}")] if losses else []


def check_formula(
    graph: Graph, at: Mapping[str, float], candidates: Sequence[float], name: str
) -> tuple[float, list[Note]]:
    """Return (the best of `candidates`, [a note if fewer than ten of its digits are right]) for the output of `graph`.

    `candidates` are one or two different finite numbers for the only output, called `name` in the note, at the point
    `at`, by input name, as it was written. The best is nearest to the true number; it is the first one, without a note,
    if rounding takes no digits of the only candidate, if some input has no value, and if true numbers are not known.
    A number that is at most 2^-1022 off gets no note.
    """
    best, key = candidates[0], (graph.outputs[0][0], "")
    if at.keys() >= set(graph.inputs.values()):
        values = evaluate(graph, FLOAT, {slot: at[name] for slot, name in graph.inputs.items()})
        output = Output(key[0], name, "", "", best, None, None)
        is_doubtful = len(candidates) > 1 or find_suspects(graph, values, [], [output], {}, slopes=False)
        true = true_numbers(graph, at, {key: best}, [key]) if is_doubtful and affordable(graph, values) else {}
        for x in true.values():
            best = min(candidates, key=lambda candidate: abs(candidate - x))
            right = right_digits(best, x)
            if right < TRUSTED and not abs(x - best) <= _LEAST:
                loss = Loss(key, name, right, Error(0.0, 0.0, -1), x)
                return best, [Note(None, "conditioning", f"{_count_sentence([loss])}: {_ROUNDED}")]
    return best, []


def _all_numbers(outputs: Iterable[Output], slopes: bool) -> dict[Key, float]:
    """Return the values and, with `slopes`, the derivatives of the outputs, by (output, input), with "" for a value.

    Derivatives are missing if they were not computed.
    """
    numbers: dict[Key, float] = {}
    for output in outputs:
        numbers[output.name, ""] = output.value
        for wrt, x in (output.gradient or {}).items() if slopes else ():
            numbers[output.name, wrt] = x
    return numbers


def _finite_numbers(outputs: Iterable[Output], slopes: bool) -> dict[Key, float]:
    return {key: x for key, x in _all_numbers(outputs, slopes).items() if math.isfinite(x)}


def _find_losses(rounding: Rounding, outputs: Sequence[Output], slopes: bool, caution: float) -> list[Loss]:
    """Return a Loss for each finite number of the outputs whose error bound leaves fewer than ten digits right.

    The numbers are, output by output, the value and with `slopes` the first derivatives; `rounding` computes the Error
    of each. A number is lost if |error.known| + `caution`·error.rest is above 1e-10 of its size, or nan with a
    `caution` above 1. Where first order misses more, the error is that of `change_by_lost_digits`. (A bound up to
    2^-1022 does not count for a slope, nor for a value whose largest error is that of its last operation.) A Loss has
    the number of right digits by the bound without `caution` (0 if none is right), and the Error; `true` is None.
    """
    slots = dict(rounding.graph.outputs)
    inputs = {name: slot for slot, name in rounding.graph.inputs.items()}
    losses = []
    for output in outputs:
        bars = rounding.bars(slots[output.name])
        for (_, wrt), x in _finite_numbers([output], slopes).items():
            error = rounding.of_slope(bars, slots[output.name], inputs[wrt], x) if wrt else rounding.of_value(bars)
            change, source = rounding.change_by_lost_digits(slots[output.name], inputs[wrt] if wrt else None, x)
            if change > error.bound:
                error = Error(0.0, change, source)
            bound = abs(error.known) + caution * error.rest
            least = _LEAST if wrt or error.source == slots[output.name] else 0.0
            if bound > _LOST * abs(x) + least or (bound != bound and caution > 1):
                name = write_partial(output.shown, wrt) if wrt else output.shown
                right = int(-math.log10(error.bound / abs(x))) if error.bound < abs(x) else 0
                losses.append(Loss((output.name, wrt), name, right, error))
    return losses


def _confirm_losses(losses: Sequence[Loss], doubles: Mapping[Key, float], true: Mapping[Key, mpf]) -> Iterator[Loss]:
    """Yield the losses that true numbers confirm, with the right digits counted (fewer than ten) and `true` set.

    Digits are counted relative to the true number. A loss without a true number is yielded unchanged if its bound
    exceeds 1e-10 of the double. If the true number is nan, a value has no right digit, and a slope is left out.
    `doubles` and `true` are numbers by key.
    """
    for loss in losses:
        if loss.key not in true:
            if loss.error.bound > _LOST * abs(doubles[loss.key]):
                yield loss
        elif loss.key[1] == "" or true[loss.key] == true[loss.key]:
            right = right_digits(doubles[loss.key], true[loss.key])
            if right < TRUSTED:
                yield loss._replace(right=right, true=true[loss.key])


# --- sentences --------------------------------------------------------------------------------------------------------


def _count_sentence(losses: Sequence[Loss]) -> str:
    """Return `only 3 digits of y and none of ∂y/∂x are right here`, for at least one loss.

    The first three of `losses`, in their order, are named, the others counted: `few of 2 others`. "only" is left out if
    the first number has no right digit (`no digit of y is right here`). It is "right" if true numbers confirm all
    losses, and "certain" if one is only a bound.
    """
    parts: list[str] = []
    for loss in losses[:_NAMED]:
        count = str(loss.right) if loss.right else "none" if parts else "no"
        noun = "" if parts else " digits" if loss.right > 1 else " digit"
        parts.append(f"{count}{noun} of {loss.name}")
    if len(losses) > _NAMED:
        parts.append(f"few of {len(losses) - _NAMED} other{'s' if len(losses) > _NAMED + 1 else ''}")
    verb = "are" if len(parts) > 1 or losses[0].right > 1 else "is"
    sure = "right" if all(loss.is_checked for loss in losses) else "certain"
    return f"{'only ' if losses[0].right else ''}{with_and(parts)} {verb} {sure} here"


def _advice(evaluation: Evaluation, at: Mapping[str, float], losses: Sequence[Loss], true: Mapping[Key, mpf]) -> str:
    """Return `; the formula 2*sin(x/2)^2/x^2 gives 16 right digits of y`; "" if no formula helps.

    At most the first three numbers that gain two or more digits are named. Only `losses` that true numbers have
    confirmed count; `true` has the true numbers by key. `evaluation` has the doubles at the point `at`.
    """
    names = {loss.key: loss.name for loss in losses if loss.is_checked}  # digits of the others cannot be counted
    rewriting = best_rewriting(evaluation, at, list(names), true)
    if rewriting is None:
        return ""
    formula, right = rewriting
    digits = with_and([f"{count} of {names[key]}" for key, count in list(right.items())[:3]])
    return f"; the formula {formula} gives {digits.replace(' of ', ' right digits of ', 1)}"


def _where_lost(evaluation: Evaluation, losses: Sequence[Loss], worst: Loss, place: int) -> str:
    """Return a clause on where digits are lost: `v3 = v1 − v2 loses the others`, or `the terms of x̄ cancel`.

    `worst` is the loss that is explained, `place` the slot of the row that loses most. "the others" means that some
    digits of `losses` are right, "them" that none are; "may lose" instead of "loses" that `worst` is only a bound. The
    first that applies:

    - the source of the error is the sum of an adjoint (of a row with a label): `the terms of x̄ cancel`
    - the row has no label: `a subexpression of constants loses them`
    - the row is an input: `x is rounded to a double, which loses them`
    - `v3 = v1 − v2 loses them`; if the source is an input, with `, because x itself is rounded to a double`
    """
    source = worst.error.source
    if worst.error.in_sum and evaluation.labels[source]:
        return f"the terms of {write_adjoint(evaluation.labels[source])} cancel"
    loses = "loses" if worst.is_checked else "may lose"
    what = "the others" if any(loss.right for loss in losses) else "them"
    if not evaluation.labels[place]:
        return f"a subexpression of constants {loses} {what}"
    if place in evaluation.graph.inputs:
        return f"{evaluation.labels[place]} is rounded to a double, which {loses} {what}"
    text = f"{row_text(evaluation, place)} {loses} {what}"
    if source in evaluation.graph.inputs:  # which no rewriting can avoid
        text += f", because {evaluation.labels[source]} itself is rounded to a double"
    return text
