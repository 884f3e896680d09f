"""Unnamed tables, of nothing but numbers: which rows of the problem's own trace their rows may be.

A row is a step whose number it has, in whatever order and with whatever steps left out, as long as no row comes after
one that uses it.  Rows whose numbers are not in the problem take a step that is left, the result sooner than another.
Steps that are the same function are one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice, product

from ...answers.answer_model import Numeral
from ...graph.graph import Graph
from ...graph.order import ancestors
from ...numbers.double_intervals import Spread
from ..function_values import Print
from .reference_traces import Standard
from .value_rows import ValueRow, is_near, within
from .worksheet import FunctionIndex

_MOST_ROWS, _MOST_READINGS, _MOST_TRIED = 60, 8, 400
_DRIFT = 0.002
_ROUNDED = 0.05  # error of a number of few digits: 0.9 is not 0.81
_LEAST_KNOWN = 2  # rows with a number of the problem
_MOST_PLACES = 4  # that a row with a wrong number may have


def readings(
    rows: Sequence[ValueRow], reference: Standard, prints: Mapping[int, Print], functions: FunctionIndex
) -> list[dict[str, int]]:
    """Return up to 8 ways to assign steps to the rows of a table, as {row name: slot of the trace}, those with the
    likeliest options of the first rows first.

    Empty if there are no rows, more than 60 or more than twice as many as the trace has, or if less than two, or less
    than two in five, have a number of the problem. `prints` are the values of the slots of `reference`; `functions` is
    the index of these.
    """
    if not rows or len(rows) > min(_MOST_ROWS, 2 * len(reference.names)):
        return []
    return list(islice(_StepSearch(rows, reference, prints, functions).readings(), _MOST_READINGS))


class _StepSearch:
    """A search for the steps that the rows of a table of numbers represent, one row after the other.

    `alike` maps each step to all steps of the same function, in order, `first` to the first of these, `below` to all
    slots that it is computed from; `options` are the possible steps of each row.
    """

    def __init__(
        self, rows: Sequence[ValueRow], reference: Standard, prints: Mapping[int, Print], functions: FunctionIndex
    ) -> None:
        """Collect the possible steps of each row, in `options` by the row's index; the parameters are those of
        `readings`, the attributes are described at the class.
        """
        self.rows, self.reference, self.graph = rows, reference, reference.graph
        self.results = dict(reference.graph.outputs)
        self.named = {alias: slot for slot, alias in reference.graph.aliases.items()} | self.results
        steps = [slot for slot in reference.names if slot in prints]
        self.alike = {slot: sorted(s for s in functions.like(prints[slot]) if s in reference.names) for slot in steps}
        self.first = {slot: alike[0] for slot, alike in self.alike.items()}
        self.below = {slot: _below(self.graph, slot) for slot in steps}
        self.options = [self._options(row, steps, prints) for row in rows]

    def _options(self, row: ValueRow, steps: Sequence[int], prints: Mapping[int, Print]) -> list[int]:
        """Return those of `steps` that have the number of a row, that of its name first; of equal functions only the
        first step.

        A number may differ by one unit of its last place, but not by more than 5 %. If no step fits, those within 0.2 %
        are taken; [] if there are none either. A row that has the name of a result, or of a step that the problem
        names, can only be this, and nothing if the number does not fit.
        """
        if row.name in self.named:
            steps = [slot for slot in steps if slot == self.named[row.name]]
        number, named = row.number, self.reference.slots.get(row.name)
        trues = {slot: prints[slot][0] for slot in steps}
        shown = [slot for slot, x in trues.items() if row.shows(x) or (number and _is_close(number, x))]
        shown = shown or [slot for slot, x in trues.items() if number and is_near(number, x, _DRIFT)]
        known = dict.fromkeys(self.first[slot] for slot in shown)
        return sorted(known, key=lambda slot: self.first.get(named) != slot)  # type: ignore[arg-type]

    def readings(self) -> Iterator[dict[str, int]]:
        """Yield consistent assignments of steps to the rows, by name, from at most 400 combinations of options.

        Rows without an option are assigned by `_with_strays`. Nothing is yielded if some have no option and less than
        two rows, or less than two in five, have one.
        """
        strays = [place for place, options in enumerate(self.options) if not options]
        known = len(self.rows) - len(strays)
        if strays and (known < _LEAST_KNOWN or 3 * known < 2 * len(strays)):
            return
        for chosen in islice(product(*(options or [-1] for options in self.options)), _MOST_TRIED):
            if self._is_in_order(chosen):
                yield from self._with_strays(list(chosen), strays)

    def _is_in_order(self, chosen: Sequence[int]) -> bool:
        """Return whether the steps `chosen` for the rows may stand in this order: no step after one that is computed
        from it.

        `chosen` has the step of each row, negative if it has none yet, which is always in order. Steps of the same
        function are all given as the first of them, and may occur as often as there are such steps; only the first
        occurrence has to come before the rows that use it.
        """
        taken: set[int] = set()
        for slot in chosen:
            if slot >= 0 and slot not in taken and any(slot in self.below[other] for other in taken):
                return False
            if slot >= 0:
                taken.add(slot)
        return all(chosen.count(slot) <= len(self.alike[slot]) for slot in taken)

    def _with_strays(self, chosen: list[int], strays: Sequence[int]) -> Iterator[dict[str, int]]:
        """Yield assignments, {name of a row: slot}, in which rows whose number is not in the problem also have a step.

        `chosen` has the step of each row, -1 at the indices in `strays`; the steps that fit there are combined, at most
        _MOST_READINGS (8) combinations. Those that are out of order or lack a result are left out. Rows of one function
        get its steps in turn.
        """
        for places in islice(product(*(self._places(place, chosen) for place in strays)), _MOST_READINGS):
            found = dict(zip(strays, places, strict=True))
            whole = [found.get(place, slot) for place, slot in enumerate(chosen)]
            if self._is_in_order(whole) and self._has_results(whole):
                again = [whole[:place].count(slot) for place, slot in enumerate(whole)]
                triples = zip(self.rows, whole, again, strict=True)
                yield {row.name: self.alike[slot][count] for row, slot, count in triples if slot >= 0}

    def _has_results(self, chosen: Collection[int]) -> bool:
        return all(self.first.get(slot, slot) in chosen for slot in self.results.values() if slot in self.first)

    def _places(self, place: int, chosen: Sequence[int]) -> list[int]:
        """Return up to 4 steps that the row at index `place` may be, the likeliest first.

        Its number is not in the problem. A row with the name of a result can only be this result: [its step], even if
        in `chosen`, or [-1] if the result is not a step. Any other row may be each step of `first` that is not in
        `chosen`; [] if there is none. In order: for the last row results first, for others results last; then the step
        of its name; then those whose operands are literals, inputs or in `chosen`; then in the order of `first`.
        """
        row, last = self.rows[place], place == len(self.rows) - 1
        if row.name in self.results:
            return [self.first.get(self.results[row.name], -1)]
        free = [slot for slot in dict.fromkeys(self.first.values()) if slot not in chosen]
        results, named = set(self.results.values()), self.reference.slots.get(row.name)
        known = {slot for slot in chosen if slot >= 0} | set(self.graph.inputs)

        def merit(slot: int) -> tuple[bool, bool, bool]:
            ready = all(self.graph.literal[p] or self.first.get(p, p) in known for p in self.graph.parents[slot])
            return ((slot in results) != last, self.first.get(named) != slot, not ready)  # type: ignore[arg-type]

        return sorted(free, key=merit)[:_MOST_PLACES]


def _is_close(number: Numeral, true: Spread) -> bool:
    """Return whether a number is the true value up to one unit of its last place, and up to 5 %."""
    return within(number, true) and is_near(number, true, _ROUNDED)


def _below(graph: Graph, slot: int) -> set[int]:
    """Return all slots that `slot` is computed from."""
    needed = ancestors(graph, [slot])
    return {other for other in range(slot) if needed[other]}
