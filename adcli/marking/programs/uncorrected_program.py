"""The uncorrected program: a student's rows as written, wrong ones included, with the values and derivatives that
follow from them. A row is known by its slot in the worksheet's graph; a cell is its formula, and the leaves of a cell
are the slots of the rows and inputs that it uses.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from ...answers.answer_model import DOT, VALUE
from ...graph.order import postorder
from ...numbers.double_intervals import SPREAD, Spread
from ...records import grouped
from .worksheet import Cell, Solution, Worksheet, cell_of


class AsWritten:
    """A worksheet in which wrong rows have their formulas as written instead of the right ones.

    `cells` are the formulas by slot, `order` the slots in the order of evaluation, `wrong` the slots of rows whose
    formula as written is used. If a formula as written needs the row itself, the corrected formula stays.
    """

    def __init__(self, sheet: Worksheet, as_written: Mapping[int, int]) -> None:
        """Replace the cells of wrong rows by their formulas as written: `as_written` is {slot of a row: slot of that}.

        A row whose formula as written would need the row itself keeps the corrected cell. Slots that are not rows are
        ignored. The attribute `wrong` has the slots that are replaced; `order` has all rows after those that they use.
        """
        self.sheet, self.inputs, self.outputs = sheet, sheet.inputs, sheet.outputs
        named = {*sheet.cells, *sheet.inputs.values()}
        cells = {
            slot: cell_of(sheet.graph, slot, named, top) for slot, top in as_written.items() if slot in sheet.cells
        }
        self.cells = {**sheet.cells, **cells}
        for slot, cell in cells.items():
            if any(slot in postorder(leaf, self._operands_of) for leaf in cell.leaves):
                self.cells[slot] = sheet.cells[slot]
        self.wrong = frozenset(slot for slot in cells if self.cells[slot] is cells[slot])
        ends = self.cells.keys() - {leaf for cell in self.cells.values() for leaf in cell.leaves}
        above = len(sheet.graph)  # a slot that represents all of them
        order = postorder(above, lambda s: sorted(ends) if s == above else self._operands_of(s))
        self.order = [slot for slot in order if slot in self.cells]

    def _operands_of(self, slot: int) -> tuple[int, ...]:
        """Return the named slots that the row in `slot` uses; () for an input."""
        return self.cells[slot].leaves if slot in self.cells else ()

    @cached_property
    def _users(self) -> dict[int, list[Cell]]:
        """Return the cells that use each slot, the last evaluated first; slots without users are not keys."""
        cells = [self.cells[slot] for slot in reversed(self.order)]
        return grouped((leaf, cell) for cell in cells for leaf in cell.leaves)

    def users(self, slot: int) -> list[Cell]:
        """Return the rows that use the row in `slot`, in the order in which a reverse sweep reaches them."""
        return self._users.get(slot, [])


class Followed:
    """All values, tangents and adjoints of a program as it is written at one point; sweeps are made when needed.

    They are computed by the student's formulas, wrong ones too, from the inputs' values in the solution `truth`; the
    numbers that the student wrote are not used.
    """

    def __init__(self, program: AsWritten, truth: Solution) -> None:
        """Evaluate all rows of `program`, from the values of the inputs in `truth`."""
        self.program = program
        self.values = {slot: truth.value(slot) for slot in program.inputs.values()}
        for slot in program.order:
            cell = program.cells[slot]
            self.values[slot] = cell.value({leaf: self.values[leaf] for leaf in cell.leaves})
        self._sweeps: dict[tuple[str, str | None], dict[int, Spread]] = {}

    def read(self, kind: str, slot: int, key: str | None) -> Spread:
        """Return the value of a row, its tangent if the input `key` moves, or its adjoint of the output `key`.

        `kind` is value, dot or bar. The tangent is 0 if there is no such input. Raises KeyError if the program does not
        have the slot, or that output for an adjoint.
        """
        if kind == VALUE:
            return self.values[slot]
        if (kind, key) not in self._sweeps:
            self._sweeps[kind, key] = self._tangents(key or "") if kind == DOT else self._adjoints(key or "")
        return self._sweeps[kind, key][slot]

    def uses(self, cell: Cell, leaf: int) -> list[Spread]:
        """Return the derivatives of a row with respect to the named slot `leaf`, one for each use, as `Cell.uses`."""
        return cell.uses({each: self.values[each] for each in cell.leaves})[leaf]

    def _partials(self, slot: int) -> dict[int, Spread]:
        """Return {leaf: partial derivative of the row in `slot` by this leaf}, at the values as written."""
        cell = self.program.cells[slot]
        return cell.partials({leaf: self.values[leaf] for leaf in cell.leaves})

    def _tangents(self, key: str) -> dict[int, Spread]:
        """Return {slot: tangent} of all rows and inputs if the input `key` moves (seed 1).

        Rows that do not depend on it have 0. Operands with a tangent of 0 are left out of the sums, even where their
        partial is undefined.
        """
        program = self.program
        tangents = {slot: SPREAD.one if name == key else SPREAD.zero for name, slot in program.inputs.items()}
        for slot in program.order:
            tangents[slot] = SPREAD.zero
            for leaf, partial in self._partials(slot).items():
                if tangents[leaf] != SPREAD.zero:
                    tangents[slot] = tangents[slot] + partial * tangents[leaf]
        return tangents

    def _adjoints(self, key: str) -> dict[int, Spread]:
        """Return {slot: adjoint} of all rows and inputs for the output `key` (seed 1).

        Rows whose adjoint is 0 contribute nothing, even where a partial is undefined. Raises KeyError if there is no
        such output.
        """
        program = self.program
        adjoints = dict.fromkeys(self.values, SPREAD.zero)
        adjoints[program.outputs[key]] = SPREAD.one
        for slot in reversed(program.order):
            if adjoints[slot] != SPREAD.zero:
                for leaf, partial in self._partials(slot).items():
                    adjoints[leaf] = adjoints[leaf] + adjoints[slot] * partial
        return adjoints
