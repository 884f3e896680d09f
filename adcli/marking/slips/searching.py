"""Searching for slips that are not on the list: two slips in one step, and one edit of its formula."""

from __future__ import annotations

from collections.abc import Sequence

from ...numbers.double_intervals import SPREAD, Spread
from ..model import BAR
from ..programs.contributions import Expected
from ..programs.edits import RowFormula, nearby
from ..programs.resolving import Resolved
from ..programs.worksheet import Worksheet, uses_of
from .catalogue import Read, reckoned
from .step_arithmetic import Found, joined

_TENFOLD = SPREAD.number("10"), SPREAD.number("0.1")


def deeper(
    asked: Resolved, expected: Expected | None, sheet: Worksheet, read: Read, constants: Sequence[Spread] = ()
) -> Found:
    """Yield (slips, number) for two slips in the row `asked`, then (slip, number) for edits of its formula.

    `read(kind, slot, key)` returns the numbers to start from. `expected` says which contributions an adjoint has (None:
    all), `constants` are those that the student writes. Nothing is yielded for inputs and seeds.
    """
    chosen = None if expected is None else expected.chosen
    found = reckoned(sheet, asked.kind, asked.slot, asked.key, read, chosen)
    if found is None:
        return
    for name, z in found.worked():
        yield from ((joined(name, "decimal_point"), z * factor) for factor in _TENFOLD)
    yield from found.pairs()
    users = None
    if asked.kind == BAR and chosen is not None:
        users = {slot for place, slot in enumerate(uses_of(sheet, asked.slot)) if place in chosen}
    formula = RowFormula(sheet, asked.kind, asked.slot, asked.key, users)
    yield from formula.edits(read, nearby(sheet, asked.kind, asked.slot, asked.key), constants)
