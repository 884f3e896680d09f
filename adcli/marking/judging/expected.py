"""The expected formula and number of a row, in the student's own names. A user of a row is another row with it as an
operand."""

from __future__ import annotations

from ...answers.answer_model import BAR, DOT, VALUE
from ...graph.tape import linearize
from ...notation.formula import TABLE, Leaf, render
from ...notation.number_text import Digits
from ...notation.table_formulas import write_adjoint, write_partial, write_tangent
from ...numbers.double_intervals import Spread
from ...numbers.doubles import FLOAT
from ...trace.row_formulas import Working
from ..programs.resolving import Resolved
from ..programs.worksheet import Solution, Worksheet

_KEY_DIGITS = 6  # significant digits of the numbers in the key


class ExpectedFormulas:
    """Writes the right formulas of a worksheet's rows."""

    def __init__(self, sheet: Worksheet, truth: Solution) -> None:
        """Prepare what formulas are written with; `truth` is the correct solution of the worksheet `sheet`.

        `labels` and `values` are by slot. The label of a row or input is its name, or else that of its output; slots
        without a name have "". The value is the middle of the true value, None if there is none. `gradients` are the
        local derivatives at these values.
        """
        self.sheet = sheet
        self.labels = [""] * len(sheet.graph)
        for slot in {*sheet.cells, *sheet.inputs.values()}:
            self.labels[slot] = sheet.label(slot)
        self.values = [None if value is None else truth.value(slot).middle for slot, value in enumerate(truth.values)]
        self.gradients = linearize(sheet.graph, FLOAT, self.values)
        self.working = Working(sheet.graph, self.labels, self.values, Digits())

    def formula(self, quantity: Resolved) -> str:
        """Return the right formula of a quantity in the student's names.

        - Value: the formula with the names of the rows that it uses.
        - Tangent: the rule of a single operation, or, for a row of several operations, `∂v/∂u u̇ + …` with a term for
          each row or input used.
        - Adjoint: a term for each use in another row that has a local derivative, for a row of several operations `v̄
          ∂v/∂u`; the seed of an output is not a term.
        - "" for the value or tangent of an input, an adjoint that no row uses, and a partial derivative.
        """
        cell, label = self.sheet.cells.get(quantity.slot), self.labels[quantity.slot]
        if quantity.kind == BAR:
            return self._sum_of_contributions(quantity)
        if cell is None:
            return ""
        if quantity.kind == VALUE:
            leaves = {leaf: Leaf(self.labels[leaf]) for leaf in cell.leaves}
            return render(self.sheet.graph, quantity.slot, TABLE, leaves.get)
        if quantity.kind == DOT:
            if self._is_one_step(quantity.slot):
                dots = [0.0] * len(self.values)  # only the names are used
                return self.working.tangent(quantity.slot, self.gradients[quantity.slot], dots)[0]
            names = [self.labels[leaf] for leaf in cell.leaves]
            return " + ".join(f"{write_partial(label, name)} {write_tangent(name)}" for name in names)
        return ""

    @staticmethod
    def number(truth: Spread) -> str:
        """Return a true value in 6 significant digits, as the key shows it."""
        return Digits(significant=_KEY_DIGITS).show(truth.middle + 0.0)

    def _sum_of_contributions(self, quantity: Resolved) -> str:
        """Return the formula of an adjoint: a term for each use, in the order of a reverse sweep; "" if no row uses it.

        A row of several operations gives one term, `v̄ ∂v/∂u`. Uses without a local derivative are left out; a seed is
        not a term.
        """
        texts: list[str] = []
        for user in self.sheet.users(quantity.slot):
            if self._is_one_step(user.slot):
                for position, parent in enumerate(self.sheet.graph.parents[user.slot]):
                    slope = self.gradients[user.slot][position]
                    if parent == quantity.slot and slope is not None:
                        texts.append(self.working.contribution(user.slot, position, slope, 1.0)[0])
            else:
                above = self.labels[user.slot]
                texts.append(f"{write_adjoint(above)} {write_partial(above, self.labels[quantity.slot])}")
        return " + ".join(texts)

    def _is_one_step(self, slot: int) -> bool:
        """Return whether a row is one operation on named rows and literals."""
        graph = self.sheet.graph
        return graph.rows[slot] is not None and all(self.labels[p] or graph.literal[p] for p in graph.parents[slot])
