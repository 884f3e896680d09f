"""Rounding noise: numbers of a trace that are only rounding error, found by comparison with true numbers and marked. A
place is (kind: value, dot or bar; input or output; slot).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from ...errors import AdcliError
from ...graph.tape import adjoints, evaluate, linearize, tangents
from ...language.problems import in_arithmetic
from ...notation.number_text import Noise, with_and
from ...notation.table_formulas import write_partial
from ...numbers.precise import Precise
from ...typings import TYPE_CHECKING, TypeVar
from ..rows import Place, numbers_of
from ..trace_model import SEED, Deferred, Note, Output, Row, Step, Trace
from .true_numbers import affordable

if TYPE_CHECKING:
    from mpmath import mpf

_DIGITS = (50, 100)  # a number is judged with both
_NOTHING = 0.01  # a double is noise if the true number is at most this fraction of it
_NAMED = 4


def mark_noise(trace: Trace, at: Mapping[str, float]) -> Trace:
    """Return the trace with numbers that are only rounding error marked as `Noise`, and a sentence that names them.

    A number is noise if it is finite and not 0, and its true value, computed in 50 and in 100 digits, is at most 1 % of
    it both times. Marked are values, slopes, rows and steps (when they are read). The sentence is appended to the first
    note of kind "conditioning", or is a new such note at the end. The trace is returned unchanged:

    - if no number is noise
    - after a decision at kinks
    - if the true numbers cannot be computed, or are not affordable: slots × outputs above 3000, a value that is nan or
      infinite, or a huge argument
    """
    if trace.decision is not None or not affordable(trace.graph, trace.values):
        return trace
    try:
        judges = [_true_values(trace, Precise(digits), at) for digits in _DIGITS]
    except AdcliError:
        return trace
    doubles = [(place, abs(x)) for place, x in _numbers_by_place(trace) if x and math.isfinite(x)]
    noise = {place for place, size in doubles if all(abs(judge[place]) <= _NOTHING * size for judge in judges)}
    if not noise:
        return trace
    return trace._replace(
        rows=[_row(row, noise) for row in trace.rows],
        outputs=[_mark_output(trace, output, noise) for output in trace.outputs],
        steps=Deferred(lambda: _mark_steps(trace, noise)),
        notes=_with_note(trace.notes, _describe(trace, noise)),
    )


def _with_note(notes: Sequence[Note], sentence: str) -> list[Note]:
    """Return the notes with the sentence appended to the first note of kind "conditioning", or as a new such note."""
    place = next((k for k, note in enumerate(notes) if note.kind == "conditioning"), None)
    if place is None:
        return [*notes, Note(None, "conditioning", sentence)]
    return [*notes[:place], notes[place]._replace(text=f"{notes[place].text}; {sentence}"), *notes[place + 1 :]]


def _numbers_by_place(trace: Trace) -> Iterable[tuple[Place, float]]:
    """Yield (place, number) of value and gradient of every output, then of value, tangents and adjoints of every row.

    A Place is ("value", "", slot), ("dot", input, slot) for a tangent, or ("bar", output, slot) for an adjoint; a
    derivative of an output, in forward mode too, has that of the adjoint of its input. A place can occur twice. Values
    of inputs, numbers of seeded sweeps and rows of a branch not taken are left out.
    """
    slots = {name: slot for slot, name in trace.graph.inputs.items()}
    for output, (name, slot) in zip(trace.outputs, trace.graph.outputs, strict=True):
        yield Place("value", "", slot), output.value
        for wrt, slope in (output.gradient or {}).items():
            yield Place("bar", name, slots[wrt]), slope
    for row in trace.rows:
        for place, _, number in numbers_of(row):
            if place.key != SEED and (place.kind != "value" or row.operator != "input"):
                yield place, number


def _true_values(trace: Trace, m: Precise, at: Mapping[str, float]) -> dict[Place, mpf]:
    """Return values, adjoints and tangents of all slots at the point `at` in the arithmetic `m`, by place.

    Values of branches that are not taken are `m.undefined`. Raises an AdcliError if `m` cannot compute them.
    """
    graph = trace.graph
    values = evaluate(graph, m, {slot: in_arithmetic(m, at[name]) for slot, name in graph.inputs.items()})
    gradients = linearize(graph, m, values)
    columns: dict[tuple[str, str], Sequence[mpf]] = {("value", ""): [m.undefined if x is None else x for x in values]}
    columns |= {("bar", name): adjoints(graph, gradients, {slot: m.one}) for name, slot in graph.outputs}
    columns |= {("dot", name): tangents(graph, gradients, {slot: m.one}) for slot, name in graph.inputs.items()}
    return {Place(*kind, slot): x for kind, column in columns.items() for slot, x in enumerate(column)}


def _row(row: Row, noise: set[Place]) -> Row:
    """Return the row with its noise marked."""
    return row._replace(
        value=_mark_number(row.value, ("value", "", row.slot) in noise),
        dot={key: _mark_number(x, ("dot", key, row.slot) in noise) for key, x in row.dot.items()},
        bar={key: _mark_number(x, ("bar", key, row.slot) in noise) for key, x in row.bar.items()},
    )


X = TypeVar("X", float, float | None)


def _mark_number(x: X, noise: bool) -> X:
    return Noise(x) if noise and x is not None else x


def _mark_output(trace: Trace, output: Output, noise: set[Place]) -> Output:
    """Return the output with noise in its value and gradient marked.

    A slope is noise if the adjoint of the input is, or if the output's tangent with respect to the input is.
    """
    result = dict(trace.graph.outputs)[output.name]
    output = output._replace(value=_mark_number(output.value, ("value", "", result) in noise))
    if output.gradient is None:
        return output
    gradient = {}
    for slot, name in trace.graph.inputs.items():
        is_noise = ("bar", output.name, slot) in noise or ("dot", name, result) in noise
        gradient[name] = _mark_number(output.gradient[name], is_noise)
    return output._replace(gradient=gradient)


def _mark_steps(trace: Trace, noise: set[Place]) -> list[Step]:
    """Return new steps in their order, with `value` marked if its number is in `noise`.

    Of several steps of one number only the last is marked, since the earlier ones are partial sums.
    """
    slots = {row.name: row.slot for row in trace.rows}
    kinds = {"forward": "dot", "reverse": "bar"}
    marked_steps: list[Step] = []
    done: set[Place] = set()
    for step in reversed(trace.steps):
        place = Place(kinds[step.sweep], step.key, slots[step.target])
        last = place in noise and place not in done
        done.add(place)
        marked_steps.append(step._replace(value=_mark_number(step.value, last)))
    return marked_steps[::-1]


def _name(place: Place, label: str, shown: Mapping[str, str]) -> str:
    """Return `y` or `∂y/∂x` for a place whose slot has this label; `shown` has the outputs' names in sentences."""
    if place.kind == "value":
        return label
    return write_partial(label, place.key) if place.kind == "dot" else write_partial(shown[place.key], label)


def _describe(trace: Trace, noise: set[Place]) -> str:
    """Return `y and ∂y/∂x are only rounding error, shown as ≈ 0` for the places in `noise`.

    Results (values of outputs and their slopes) are named; rows only if no result is noise. A value of a row is named
    by its label, `v3`, its adjoint as `∂y/∂v3`, its tangent as `∂v3/∂x`. Values come first, each kind in the order of
    slots. Of more than four names three are written and the others counted: `2 more`. Rows without a label are left
    out.
    """
    labels = {row.slot: row.label for row in trace.rows}
    labels |= trace.graph.inputs
    shown = {output.name: output.shown for output in trace.outputs}
    labels |= {slot: shown[name] for name, slot in trace.graph.outputs}
    results = {Place("value", "", slot) for _, slot in trace.graph.outputs}
    results |= {Place("bar", name, slot) for name, _ in trace.graph.outputs for slot in trace.graph.inputs}
    places = sorted(noise & results or noise, key=lambda place: (place.kind != "value", place.slot, place))
    names = list(dict.fromkeys(_name(place, labels[place.slot], shown) for place in places if place.slot in labels))
    if len(names) > _NAMED:
        names = [*names[: _NAMED - 1], f"{len(names) - _NAMED + 1} more"]
    return f"{with_and(names)} {'are' if len(names) > 1 else 'is'} only rounding error, shown as {Noise.SHOWN}"
