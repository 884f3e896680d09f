"""Operands of a row as an answer names them, for hints: what the row is computed from."""

from __future__ import annotations

from collections.abc import Callable

from ...answers.answer_model import DOT, VALUE
from ...records import NamedTuple
from ...typings import TYPE_CHECKING
from ..programs.resolving import Resolved, used_directly
from ..programs.row_case import RowCase

if TYPE_CHECKING:
    from .evidence import Evidence


class Operands(NamedTuple):
    """What a row is computed from: the names of these quantities as the student writes them (empty if some are not in
    the answer), and whether its formula uses just these."""

    names: tuple[str, ...]
    are_used: bool


def operands_of(case: RowCase, evidence: Evidence, spelled: Callable[[Resolved, str], str]) -> Operands:
    """Return the quantities that the row of a case is computed from, in the order of its rule, as Operands.

    Tangents that are exactly 0 are left out. `names` is () if the row of one of them is named nowhere in the answer and
    is not an input, or if one is a tangent or adjoint that the answer itself does not mention. `are_used`: the row's
    formulas use just these, of its own kind. `spelled(quantity, label)` returns the student's name of a quantity.
    """
    sheet = evidence.sheet
    needed = [each for each in used_directly(case.quantity, sheet) if not _is_nothing(each, evidence)]
    names = tuple(spelled(each, sheet.label(each.slot)) for each in needed)
    used = {each for _, meaning in case.formulas for each in meaning.values() if each.kind == case.quantity.kind}
    are_there = all(sheet.label(each.slot) in evidence.names and _is_named(each, evidence) for each in needed)
    return Operands(names if are_there else (), used == {*needed})


def _is_named(quantity: Resolved, evidence: Evidence) -> bool:
    """Return whether a hint may name a quantity: of derivatives only those with a row or in a formula of the answer."""
    if quantity.kind == VALUE or quantity in evidence.quantities:
        return True
    label, entries = evidence.sheet.label(quantity.slot), evidence.entries
    symbols = (each for entry in entries for each in (entry.quantity, *entry.symbols))
    return any(each.kind == quantity.kind and each.name == label for each in symbols)


def _is_nothing(quantity: Resolved, evidence: Evidence) -> bool:
    """Return whether a quantity is a tangent that is exactly 0."""
    truth = evidence.truth(quantity) if quantity.kind == DOT else None
    return truth is not None and truth.low == truth.high == 0
