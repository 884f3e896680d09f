"""Matching of rows with the Jacobian of a result that is an array, as a whole or in part."""

from __future__ import annotations

from collections.abc import Sequence

from ...answers.answer_model import VALUE
from ...answers.arrays.formula_readings import readings
from ...answers.shown_numbers import ROUNDED
from ...numbers.double_intervals import Spread
from .array_claims import ArrayClaim, entry_place
from .array_matching import RESULTS, ArrayMatching

_SLACK = 1e-7  # of the largest entry, in a formula that is compared at one point only


class JacobianMatching(ArrayMatching):
    """The rows of one answer next to the blocks and the Jacobian of a problem."""

    def _derivatives_meant(self, claim: ArrayClaim, number: int) -> list[list[float]]:
        """Return the rows of the Jacobian for the input `number` that a claim is about, one for each entry of the
        result it names.

        The derivatives are floats at the point of the task. These are all rows, or for `∂s1/∂z` the one of that entry,
        by what the claim's first row has on the left (`_entries_meant`). If that row has an index (`entry`), which is
        then that of the input, as in `∂s/∂z[1]`, each of them has only the derivative with respect to this entry. [] if
        it is not clear which entries are meant, or if the input has no such entry."""
        row, rows = claim.rows[0], self.reference.jacobian(number)
        rows = [rows[k] for k in self._entries_meant(row.written, len(rows))]
        if not row.entry:
            return rows
        place = entry_place(row.entry, self.reference.blocks[number].shape)
        return [[each[place]] for each in rows if place is not None]

    def _entries_meant(self, written: str, count: int) -> Sequence[int]:
        """Return the indices of the `count` entries of the result that `written`, the left side of a row,
        differentiates.

        The text before the first `/∂` or `/d` decides, without its d or ∂ and, unless it has a bracket, without words
        before it. All, if that is empty or there is no such sign (`J = …`), or if it is a formula equal to the result,
        or cannot be read but is a usual name of results (RESULTS). [k] if it is a formula equal to the entry k alone;
        the first of several equal entries. [] for everything else.
        """
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

        A formula is right if one of its readings equals `entries`, the true ones, in their order, to 1e-7 of the
        largest; one wrong formula makes all wrong. Numbers in it are taken as rounded; names are not required. Only
        readings with as many values as there are `entries` are compared. Absent without any. The caller makes sure that
        `entries` is not empty."""
        slack = _SLACK * max(map(abs, entries))
        truth, kinds = [Spread(x - slack, x + slack) for x in entries], set()
        for piece in claim.whole_formulas:
            every = [each.values(ROUNDED, self._exact(each.names))[1] for each in self._readings([piece])]
            alike = [xs for xs in every if len(xs) == len(truth)]
            if alike:
                kinds.add(any(all(x.meets(t) for x, t in zip(xs, truth, strict=True)) for xs in alike))
        return "absent" if not kinds else "right" if all(kinds) else "wrong"
