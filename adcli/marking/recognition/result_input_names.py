"""Results with the name of an input: `y = 3.768` at the end of an answer about x and y is the result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...answers.answer_model import BAR, DERIVATIVE, DOT, VALUE, Answer, Entry, Quantity, Task
from ...numbers.exact import read_fraction
from ..model import Marking
from ..programs.value_rows import shown_number


def with_result_apart(answer: Answer, task: Task) -> Answer | None:
    """Return the answer with the result under its own name if the student gave it the name of an input; else None.

    So in a task for y = f(x) a last row `x = 3.768` becomes one of y. The task must have one output, whose name is no
    input's and has no row. The ambiguous name is that of the last row of values with an input's name that does not just
    give the input's value, and no formula of values after the first such row may use it; without such a row it is that
    of the first derivative. Tangents and derivatives of that name are the result's, except seeds of sweeps, and so is
    an adjoint of 1 that opens a sweep; in formulas the name is the input. A note is added; `answer` is unchanged.
    """
    outputs = task.program.graph.outputs
    inputs = [name for name in task.program.graph.inputs.values() if name in task.at]
    if len(outputs) != 1 or outputs[0][0] in inputs:
        return None
    result = outputs[0][0]
    entries = [entry for entry in answer.entries if entry.quantity.kind == VALUE and entry.pieces]
    entries = [entry for entry in entries if not _is_given(entry, task, inputs)]
    values = [entry.quantity.name for entry in entries]
    derivatives = (e.quantity.name for e in answer.entries if e.quantity.kind == DERIVATIVE)
    name = next(filter(inputs.__contains__, reversed(values)), None) or next(derivatives, "")
    if name not in inputs or result in values:
        return None
    later = entries[values.index(name) :] if name in values else ()
    if any(_uses(entry, name) for entry in later if entry.quantity.name != name):
        return None  # it uses the value of an input
    note = f"{name} on the left of = is the result, {name} in a formula is the input"
    renamed = tuple(_rename_results(answer.entries, name, result, inputs, task))
    return answer._replace(entries=renamed, notes=(*answer.notes, note))


def with_step_apart(answer: Answer, task: Task) -> Answer | None:
    """Return the answer with its own step f called f0 if the only result is called f because an input is called y.

    None if no input is called y, if the last value row has that name or no row of a value has it, for several outputs,
    and for a name that the problem gives.
    """
    outputs, inputs = task.program.graph.outputs, {*task.program.graph.inputs.values()}
    name = outputs[0][0]
    values = [entry.quantity.name for entry in answer.entries if entry.quantity.kind == VALUE]
    named = task.program.graph.aliases.values()
    if len(outputs) != 1 or "y" not in inputs or name not in values or name in (*named, values[-1]):
        return None
    return answer.with_names({name: f"{name}0"}, f"{name} is read as a step, not the result")


def goes_on_from(marking: Marking, other: Marking) -> bool:
    """Return whether a row that counts as carried over in `marking` is an error in `other`, another reading.

    Then it uses what the other reading takes for the result.
    """
    carried = {mark.span for mark in marking.marks if mark.verdict == "carried"}
    return any(mark.verdict == "error" and mark.span in carried for mark in other.marks)


def _is_given(entry: Entry, task: Task, inputs: Sequence[str]) -> bool:
    """Return whether a row, without a formula, gives one of `inputs` the value that the task gives it."""
    name, number = entry.quantity.name, shown_number(entry)
    if name not in inputs or number is None or any(piece.quantities for piece in entry.pieces):
        return False
    point_value = read_fraction(str(task.at[name]))
    return point_value is not None and abs(number.value - point_value) <= number.unit / 2


def _uses(entry: Entry, name: str) -> bool:
    """Return whether a formula of a row uses the value of `name`."""
    return any(quantity[:2] == (VALUE, name) for quantity in entry.symbols)


def _rename_results(
    entries: Sequence[Entry], name: str, result: str, inputs: Sequence[str], task: Task
) -> Iterator[Entry]:
    """Yield the entries, in order, with the input's name `name` changed to `result` where it means the result.

    That is where a row with pieces does not just give the input's value, where a tangent or derivative is not a seed,
    and for the first adjoint of all if it is 1 and another of the same name follows; formulas between these two use the
    result's adjoint. In formulas derivatives with respect to other than inputs are the result's.
    """
    bars = [p for p, e in enumerate(entries) if e.quantity.kind == BAR]
    own_bars = [place for place in bars if entries[place].quantity.name == name]
    # ȳ = 1 at the start of a sweep is that of the result, where one of the input stands further down
    is_seed = len(own_bars) > 1 and own_bars[0] == bars[0] and _alone(entries[bars[0]]) == 1
    start, end = own_bars[:2] if is_seed else (-1, -1)
    for place, entry in enumerate(entries):
        kind, own, key = entry.quantity
        used = {quantity for quantity in entry.symbols if quantity.name == name}
        of_result = {q for q in used if q.kind == DERIVATIVE and q.key not in inputs}  # an input depends on no row
        of_result |= {Quantity(BAR, name, key)} if start < place < end else set()
        renamed = {each: each._replace(name=result) for each in of_result}
        pieces = tuple(piece.renamed(renamed) for piece in entry.pieces) if renamed else entry.pieces
        is_result = {
            VALUE: bool(entry.pieces) and not _is_given(entry, task, inputs),
            DOT: not _is_seed(entries, place, inputs),
            DERIVATIVE: not _is_seed(entries, place, inputs),
            BAR: place == start,
        }
        quantity = Quantity(kind, result, key) if own == name and is_result[kind] else entry.quantity
        yield entry._replace(quantity=quantity, pieces=pieces)


def _alone(entry: Entry) -> int | None:
    """Return the whole number that is the only piece of a row; None if it has anything else."""
    number = entry.pieces[0].number if len(entry.pieces) == 1 else None
    return int(number.value) if number is not None and number.value.denominator == 1 else None


def _is_seed(entries: Sequence[Entry], place: int, inputs: Sequence[str]) -> bool:
    """Return whether the row at `place` is a 0 or 1 as seeds of sweeps are: a later row has the same name and kind, or
    another of `inputs` has a row in the sweep of the same key, as in `dy/dy = 1` next to `dx/dy = 0`.
    """
    entry = entries[place]
    kind, name, key = entry.quantity
    later = any(e.quantity.kind == kind and e.quantity.name == name for e in entries[place + 1 :])
    others = {e.quantity.name for e in entries if (e.quantity.kind, e.quantity.key) == (kind, key)}
    return (later or not others.isdisjoint({*inputs} - {name})) and _alone(entry) in (0, 1)
