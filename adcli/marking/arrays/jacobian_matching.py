"""Matching of rows with the Jacobian of a result that is an array, as a whole or in part."""

from __future__ import annotations

from collections.abc import Sequence

from ...answers.answer_model import VALUE
from ...answers.shown_numbers import ROUNDED
from ...numbers.double_intervals import Spread
from .array_claims import ArrayClaim, entry_place
from .array_matching import RESULTS, ArrayMatching
from .formula_readings import readings

_SLACK = 1e-7  # of the largest entry, in a formula that is compared at one point only


class JacobianMatching(ArrayMatching):
    """The rows of one answer next to the blocks and the Jacobian of a problem."""

    def _derivatives_meant(self, claim: ArrayClaim, number: int) -> list[list[float]]:
        """Return the rows, or entries, of the Jacobian for the input `number` that a claim is about; [] if not clear.

        These are all, or those of the entry of the result in `∂s1/∂z`; of the row's index, if it has one, as in
        `∂s/∂z[1]`, only the entry with it. Not clear are the derivatives of something else, and of an unknown name
        that results seldom have."""
        row, rows = claim.rows[0], self.reference.jacobian(number)
        rows = [rows[k] for k in self._entries_meant(row.written, len(rows))]
        if not row.entry:
            return rows
        place = entry_place(row.entry, self.reference.blocks[number].shape)
        return [[each[place]] for each in rows if place is not None]

    def _entries_meant(self, written: str, count: int) -> Sequence[int]:
        """Return the indices of the `count` entries of the result that `written` differentiates; [] if not clear."""
        above, bar, _ = written.replace("∂", "d").partition("/d")
        above = (above if "(" in above else above.rpartition(" ")[2]).removeprefix("d") if bar else ""
        shapes, output = {name: array[0] for name, array in self.truths[0].items()}, self.reference.output
        read = readings(above, shapes) if above else []
        if not read:
            return range(count if not above or above.casefold() in RESULTS else 0)
        if any(self._is_function(each, VALUE, output) for each in read):
            return range(count)
        return [k for k in range(count) for each in read if self._is_function(each, VALUE, output, place=k)][:1]

    def _judge_formulas_here(self, claim: ArrayClaim, entries: Sequence[float]) -> str:
        """Return `right`, `wrong` or `absent` for the formulas of a claim at the point of the task, by their values.

        Only formulas with as many values as there are `entries`, the true ones, are compared. Absent without any."""
        slack = _SLACK * max(map(abs, entries))
        truth, kinds = [Spread(x - slack, x + slack) for x in entries], set()
        for piece in claim.whole_formulas:
            every = [each.values(ROUNDED, self._exact(each.names))[1] for each in self._readings([piece])]
            alike = [xs for xs in every if len(xs) == len(truth)]
            if alike:
                kinds.add(any(all(x.meets(t) for x, t in zip(xs, truth, strict=True)) for xs in alike))
        return "absent" if not kinds else "right" if all(kinds) else "wrong"
