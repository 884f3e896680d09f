"""The catalogue of slips: what people compute instead of a row, each recomputed from the numbers that they had. A slip
is a known mistake; it gives the number that the row then has.

`read(kind, slot, key)` gives the numbers to start from: the student's own, to name a slip; the true ones, to know what
a slip would give; those at a random point, to recognise a wrong formula.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ...answers.answer_model import BAR, DOT, VALUE, Task
from ...graph.tape import adjoints, evaluate, linearize, tangents
from ...numbers.double_intervals import SPREAD, Spread
from ...records import NamedTuple
from ...typings import Final
from ..model import row_name
from ..programs.resolving import Resolved
from ..programs.worksheet import Cell, Read, SlipNumbers, Solution, Worksheet
from .step_arithmetic import (
    RowSlips,
    Use,
    adjoint_with_slips,
    in_degrees,
    is_exactly,
    tangent_with_slips,
    value_with_slips,
)

Places = Collection[int]

# Slips that are made with numbers: the formula next to them may be right.
NUMBER_SLIPS: Final = frozenset(
    ("degrees", "log10_for_log", "sign", "adjoint_overwritten", "decimal_point", "digits_transposed", "row_copied")
)


class Plant(NamedTuple):
    """The number that one slip gives in one row of the standard trace, and the true number.

    `row` is the name of the row; `kind`, `slot` and `key` identify its quantity in the worksheet.
    """

    row: str
    slip: str
    number: float
    truth: float
    kind: str
    slot: int
    key: str | None


def slips_of(
    sheet: Worksheet, quantity: Resolved, read: Read, chosen: Places | None = None, before: Places = ()
) -> SlipNumbers:
    """Yield (slip, number that the slip gives) for each slip in a quantity, a slip's most likely number first.

    They are those of the row's RowSlips: `slips` in order, then `whole`, then `besides`; never two at once. `read(kind,
    slot, key)` returns the numbers to start from. Of an adjoint the contributions `chosen` are added up (places among
    the uses of the row, None: all); those in `before` were written in an earlier row and may be overwritten.

    Two kinds of rows have only the slip `seed` (2 and 0 if the right seed is exactly 1, else 1): a tangent of an input,
    and an adjoint to which no (chosen) use contributes, mostly of an output. Values of inputs have no slips. A slip may
    occur several times; numbers may be unknown or equal the right one. A local partial must not be passed: it would be
    treated as a tangent.
    """
    if (row := terms_with_slips(sheet, quantity, read, chosen, before)) is not None:
        yield from row.singles()
    elif quantity.kind != VALUE:
        wrong = (SPREAD.number(2.0), SPREAD.zero) if is_exactly(read(*quantity[:3]), 1) else (SPREAD.one,)
        yield from (("seed", z) for z in wrong)


def whole_in_degrees(sheet: Worksheet, quantity: Resolved, read: Read) -> SlipNumbers:
    """Yield (`degrees`, number) of a quantity in the program of the sheet with all angles in degrees; nothing without.

    Only the values of inputs are those of `read`. Also nothing for a derivative without a key, and a local partial.
    """
    kind, slot, key, _ = quantity
    rows = [in_degrees(row) if row and (row.angle or row.angular) else row for row in sheet.graph.rows]
    if rows == sheet.graph.rows or (kind != VALUE and key not in (sheet.outputs if kind == BAR else sheet.inputs)):
        return
    graph = sheet.graph.copy()
    graph.rows = rows
    numbers = evaluate(graph, SPREAD, {place: read(VALUE, place, None) for place in sheet.inputs.values()})
    if kind != VALUE:
        sweep, seed = (adjoints, sheet.outputs) if kind == BAR else (tangents, sheet.inputs)
        numbers = sweep(graph, linearize(graph, SPREAD, numbers), {seed[key or ""]: SPREAD.one})
    yield "degrees", SPREAD.number(numbers[slot])


def terms_with_slips(
    sheet: Worksheet, quantity: Resolved, read: Read, chosen: Places | None = None, before: Places = ()
) -> RowSlips | None:
    """Return the RowSlips of the row of a quantity: its terms and slips, from the numbers of `read(kind, slot, key)`.

    Of an adjoint (`_adjoint`), `chosen` are the places of the uses that are added (None: all), `before` those of an
    earlier row; both are ignored for other kinds. A tangent has as `besides` the value of the row (`value_for_adjoint`)
    and its adjoint for each output (`mode_confused`). None for values and tangents of inputs, and for an output's
    adjoint to which no (chosen) use contributes; other adjoints always have terms. Every kind other than value and bar,
    also a local partial, is treated as a tangent.
    """
    kind, slot, key, _ = quantity
    if kind == BAR:
        return _adjoint(sheet, slot, key or "", read, chosen, before)
    if (cell := sheet.cells.get(slot)) is None:
        return None
    known = _values(cell, read)
    if kind == VALUE:
        return value_with_slips(cell, known)
    besides = [("value_for_adjoint", read(VALUE, slot, None))]
    besides += [("mode_confused", read(BAR, slot, output)) for output in sheet.outputs]
    return tangent_with_slips(cell, known, {leaf: read(DOT, leaf, key) for leaf in cell.leaves}, besides)


def _adjoint(
    sheet: Worksheet, slot: int, key: str, read: Read, chosen: Places | None, before: Places
) -> RowSlips | None:
    """Return the terms of the adjoint of `slot` for the output `key`, with their slips; None for a seed alone.

    Uses come in the order of `Worksheet.users`, last row first, one for each operand that is `slot`. `chosen` are the
    places of the uses to add (None: all). `before` are the places of those that an earlier row has; if there are any,
    the chosen ones that are not in it count as written late. The sum begins with the seed 1 if `slot` is the output
    `key`, else with 0, whatever `before` is. Without a chosen use, the result is None for a seed of 1, but an empty sum
    for 0. `besides` are the value of `slot` (`value_for_adjoint`) and its tangent for each input (`mode_confused`),
    also if they are unknown. `read(kind, slot, key)` returns the numbers to compute with.
    """
    uses: list[Use] = []
    late: list[int] = []
    place = 0
    for user in sheet.users(slot):
        known, value, bar = _values(user, read), read(VALUE, user.slot, None), read(BAR, user.slot, key)
        dots = tuple(read(DOT, user.slot, name) for name in sheet.inputs)
        for number in range(user.count(slot)):
            if chosen is None or place in chosen:
                late += [len(uses)] if before and place not in before else []
                uses.append(Use(user, known, value, bar, dots, number))
            place += 1
    seeded = slot == sheet.outputs.get(key)
    if seeded and not uses:
        return None
    besides = [("value_for_adjoint", read(VALUE, slot, None))]
    besides += [("mode_confused", read(DOT, slot, name)) for name in sheet.inputs]
    return adjoint_with_slips(slot, uses, SPREAD.one if seeded else SPREAD.zero, late, besides)


def plants_in(
    sheet: Worksheet, truth: Solution, task: Task, mode: str, kind: str, slot: int, key: str | None
) -> Iterator[Plant]:
    """Yield a Plant for each slip that applies to the quantity (`kind`, `slot`, `key`) at the point of `truth`.

    A Plant has the name of the row, the slip, its number, the true number (middles of intervals), and the quantity.
    Each slip is yielded once, with its first number that is known and differs from the true one (their intervals do not
    meet). If `mode` is not "both", the slip mode_confused is left out. So is a `sign` with a number that an earlier
    `quotient_sign` has. KeyError if `truth` cannot read the quantity.
    """
    true, seen = truth.read(kind, slot, key), {"mode_confused"} if mode != "both" else set()
    of_quotients: list[Spread] = []
    for name, number in slips_of(sheet, Resolved(kind, slot, key), truth.read):
        if name == "quotient_sign":
            of_quotients.append(number)
        if name == "sign" and any(number.meets(other) for other in of_quotients):
            continue  # it goes by its own name
        if name not in seen and number.known and not number.meets(true):
            seen.add(name)
            row = row_name(kind, sheet.label(slot), key, several(sheet, task, kind))
            yield Plant(row, name, number.middle, true.middle, kind, slot, key)


def several(sheet: Worksheet, task: Task, kind: str) -> bool:
    """Return whether rows of this `kind` must say which input or output they belong to; always False for values.

    True for tangents if there are several inputs (those of `task.wrt`, if it names any), for adjoints if there are
    several outputs.
    """
    return len(task.wrt or sheet.inputs) > 1 if kind == DOT else kind == BAR and len(sheet.outputs) > 1


def quantities(sheet: Worksheet, task: Task, mode: str) -> Iterator[tuple[str, int, str | None]]:
    """Yield (kind, slot, key) of all that a full answer computes in a mode: values, then tangents, then adjoints.

    `mode` is value (or any other text), forward, reverse or both; values are always included. Values are those of the
    rows, in order, without inputs. Tangents are those of inputs and rows, for each input of `task.wrt` (empty: all).
    Adjoints are those of rows and inputs in reverse order, for each output. `key` is None for values, the input for
    tangents, the output for adjoints.
    """
    for slot in sheet.cells:
        yield VALUE, slot, None
    if mode in ("forward", "both"):
        for name in task.wrt or sheet.inputs:
            for slot in (*sheet.inputs.values(), *sheet.cells):
                yield DOT, slot, name
    if mode in ("reverse", "both"):
        for output in sheet.outputs:
            for slot in reversed((*sheet.inputs.values(), *sheet.cells)):
                yield BAR, slot, output


def _values(cell: Cell, read: Read) -> dict[int, Spread]:
    return {leaf: read(VALUE, leaf, None) for leaf in cell.leaves}
