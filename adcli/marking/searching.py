"""What is searched where no slip on the list explains a row: two slips in one step, and one edit of its formula."""

from __future__ import annotations

from collections.abc import Iterator

from ..numbers.spread import SPREAD, Spread
from .contributions import Expected
from .edits import RowFormula, nearby
from .model import BAR, DOT, VALUE
from .reckoning import Reckoning, Use, bar_reckoned, dot_reckoned, joined, value_reckoned
from .resolving import Resolved
from .slips import Read
from .worksheet import Worksheet

Found = Iterator[tuple[str, Spread]]


def deeper(asked: Resolved, expected: Expected | None, sheet: Worksheet, read: Read) -> Found:
    """What two slips in one row would give, and edits of its formula, from the numbers that `read` gives.

    `expected` says which contributions an adjoint has.
    """
    reckoned = reckoning(asked, expected, sheet, read)
    if reckoned is None:
        return
    for name, z in reckoned.singles():
        yield from (
            (joined(name, "decimal_point"), z * factor) for factor in (SPREAD.number("10"), SPREAD.number("0.1"))
        )
    yield from reckoned.pairs()
    users = None
    if asked.kind == BAR and expected is not None:
        places = [user.slot for user in sheet.users(asked.slot) for _ in range(user.count(asked.slot))]
        users = {slot for place, slot in enumerate(places) if place in expected.chosen}
    formula = RowFormula(sheet, asked.kind, asked.slot, asked.key, users)
    yield from formula.edits(read, nearby(sheet, asked.kind, asked.slot, asked.key))


def reckoning(asked: Resolved, expected: Expected | None, sheet: Worksheet, read: Read) -> Reckoning | None:
    """The working of a row, from the numbers that `read` gives; None for what is given."""
    kind, slot, key, _ = asked
    if kind == BAR:
        uses = [
            Use(
                user,
                {leaf: read(VALUE, leaf, None) for leaf in user.leaves},
                read(VALUE, user.slot, None),
                read(BAR, user.slot, key),
                number,
            )
            for user in sheet.users(slot)
            for number in range(user.count(slot))
        ]
        if expected is not None:
            uses = [use for place, use in enumerate(uses) if place in expected.chosen]
        seeded = expected.seeded if expected is not None else slot == sheet.outputs.get(key or "")
        return bar_reckoned(slot, uses, SPREAD.one if seeded else SPREAD.zero) if uses else None
    cell = sheet.cells.get(slot)
    if cell is None or kind not in (VALUE, DOT):
        return None
    known = {leaf: read(VALUE, leaf, None) for leaf in cell.leaves}
    if kind == VALUE:
        return value_reckoned(cell, known)
    return dot_reckoned(cell, known, {leaf: read(DOT, leaf, key) for leaf in cell.leaves})
