"""Missing rows of an answer: results without a row, and values that it uses without computing them. A quantity is the
value, tangent or adjoint of a row."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import product

from ...answers.answer_model import BAR, DOT, VALUE, Task
from ...graph.order import ancestors
from ..model import Marking, row_name
from ..programs.resolving import Resolved, mentions
from .evidence import Evidence


def find_missing(task: Task, evidence: Evidence) -> list[tuple[Resolved, str, str]]:
    """Return the rows that an answer lacks, each once: (quantity, name of the row, kind: value, dot, bar or final).

    They come in the order steps, results, tangents, adjoints; rows that were left blank are not among them. Steps are
    expected only of an answer with value rows. Results are not expected of one that has only derivatives, unless the
    mode is value or both. Tangents and adjoints are if it has any of that kind or the mode asks for them. Without a
    mode the tangent and the adjoint of one derivative count for each other.
    """
    there = {quantity for quantity in evidence.quantities if quantity is not None}
    kinds = {quantity.kind for quantity in there}
    if task.mode is None:  # dy/dx is the end of a forward sweep and of a reverse one
        there |= set(_in_both_sweeps(evidence, there))
    expected = {quantity: (quantity, name, kind) for quantity, name, kind in _expected_items(task, evidence, kinds)}
    return [item for quantity, item in expected.items() if quantity not in there]


def without_missing(marking: Marking) -> Marking:
    """Return the marking of a right answer without the marks `missing` of rows that were not written; a written one
    that says nothing, such as `y = output`, becomes `extra` without feedback. `rows` of the quantities are adapted."""
    kept = [place for place, mark in enumerate(marking.marks) if mark.verdict != "missing" or mark.line is not None]
    places = {old: new for new, old in enumerate(kept)}
    marks = [marking.marks[place] for place in kept]
    marks = [mark._replace(verdict="extra", feedback="") if mark.verdict == "missing" else mark for mark in marks]
    quantities = [
        each._replace(rows=tuple(places[row] for row in each.rows if row in places)) for each in marking.quantities
    ]
    return marking._replace(marks=tuple(marks), quantities=tuple(quantities))


def _in_both_sweeps(evidence: Evidence, there: Collection[Resolved]) -> Iterator[Resolved]:
    """Yield the two spellings of each derivative of a result with respect to an input of which `there` has one.

    They are the tangent of the result along the input and the adjoint of the input from the result, in this order, also
    the one that is in `there`. All pairs of an output and an input are tried, outputs first.
    """
    sheet = evidence.sheet
    for output, result in sheet.outputs.items():
        for name, slot in sheet.inputs.items():
            twins = Resolved(DOT, result, name), Resolved(BAR, slot, output)
            if twins[0] in there or twins[1] in there:
                yield from twins


def _expected_items(task: Task, evidence: Evidence, kinds: set[str]) -> Iterator[tuple[Resolved, str, str]]:
    """Yield (quantity, name of the row, kind: value, dot, bar or final) of each row that an answer with rows of these
    `kinds` should have, whether it is there or not.

    Steps if it has value rows; results if it has value rows or no derivatives, or the mode is value or both; tangents
    or adjoints if it has any of that kind, or the mode requests them.
    """
    sheet, mode = evidence.sheet, task.mode
    if VALUE in kinds and evidence.alignment.given_rows:
        yield from _absent_steps(task, evidence)
    if evidence.alignment.given_rows or mode in ("value", "both") or not kinds - {VALUE}:
        for name, slot in sheet.outputs.items():
            yield Resolved(VALUE, slot), name, "final"
    if DOT in kinds or mode in ("forward", "both"):
        yield from _derivatives(task, evidence, DOT)
    if BAR in kinds or mode in ("reverse", "both"):
        yield from _derivatives(task, evidence, BAR)


def _derivatives(task: Task, evidence: Evidence, kind: str) -> Iterator[tuple[Resolved, str, str]]:
    """Yield (quantity, name of the row, `kind`) of each tangent of a result (`kind` dot) or adjoint of an input (bar)
    that an answer should have, sweep by sweep.

    With `task.wrt` only those with respect to its inputs, also where they are 0; else those on which the result
    depends. Tangents without `wrt`, and adjoints, are those of the sweeps that the answer has, or of all if it has
    none. Names have the input or output in brackets if there are several sweeps.
    """
    sheet = evidence.sheet
    inputs, outputs = sheet.inputs, sheet.outputs
    needed = {name: ancestors(sheet.graph, [slot]) for name, slot in outputs.items()}
    if kind == DOT:
        keys = task.wrt or _keys_in_answer(evidence, DOT) or tuple(inputs)
        for key, (name, slot) in product(keys, outputs.items()):
            if key in task.wrt or (key in inputs and needed[name][inputs[key]]):
                yield Resolved(DOT, slot, key), row_name(DOT, name, key, len(keys) > 1), DOT
    else:
        keys = _keys_in_answer(evidence, BAR) or tuple(outputs)
        for key, (name, slot) in product(keys, inputs.items()):
            if name in task.wrt or (needed[key][slot] and not task.wrt):
                yield Resolved(BAR, slot, key), row_name(BAR, name, key, len(keys) > 1), BAR


def _absent_steps(task: Task, evidence: Evidence) -> Iterator[tuple[Resolved, str, str]]:
    """Yield (quantity, name, "value") for each step that an answer works with and lacks, in the order of the alignment.

    All that the alignment calls absent if a value row of the answer is a step. If all value rows are results, only the
    steps that derivatives or formulas of the answer name.
    """
    slots, results = evidence.sheet.slots, evidence.sheet.outputs.values()
    named = set(mentions(evidence.entries, task.at))
    stepwise = any(name in slots and slots[name] not in results for name in evidence.alignment.given_rows)
    for name in evidence.alignment.missing_names:
        if stepwise or name in named:
            yield Resolved(VALUE, slots[name]), name, VALUE


def _keys_in_answer(evidence: Evidence, kind: str) -> tuple[str, ...]:
    """Return the keys (inputs or outputs) of the derivatives of this `kind` that the answer has, in the
    order written.
    """
    keys = (quantity.key for quantity in evidence.quantities if quantity is not None and quantity.kind == kind)
    return tuple(dict.fromkeys(key for key in keys if key is not None))
