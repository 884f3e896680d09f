"""Candidates for a row of an answer among the rows of the problem's trace: by its function, its name, its number. A
slot is the index of a row in the trace; a Print has the values of a row at all sample points."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import chain, product

from ...answers.answer_model import Entry, Task, numbered_inputs
from ...answers.shown_numbers import as_double, numeral_spread
from ...numbers.double_intervals import SPREAD, Spread
from ...table.primitive import ROWS
from ..function_values import Print
from .problem_cache import cache_of, structure
from .reference_traces import Standard, constants_of
from .value_rows import ValueRow, constant_value, is_near, value_rows, within
from .worksheet import FunctionIndex, Worksheet

_DRIFT = 0.002  # how far a step may be off by rounding, as a fraction of it
_NEAR = 0.02  # how far a result may be off by rounding, as a fraction of it


class Candidates:
    """The value rows of an answer and the rows of the problem's trace in one numbering, which are compared as
    functions.

    `rows` are the value rows except those that only rename inputs (`called` maps such names to inputs), `own` their
    names, `used` the names in their formulas. `reference` is the trace; its `slots` also have names of inputs: those in
    `called` and by number, as v0 and v-1. `prints` has the values of the trace's inputs, rows and `constants` by slot,
    `functions` finds them by values, `results` are the slots of results, `constants` the slots that depend on no input
    (only if the numbering has `constants`). `lacking` says that derivatives or formulas use rows of the trace that the
    answer does not have. `steps` maps rows of only a number to slots of the trace; it is empty at first.
    """

    def __init__(
        self, task: Task, entries: Sequence[Entry], reference: Standard, mentioned: Collection[str],
        called: Mapping[str, str],
    ) -> None:  # fmt: skip
        """Read the value rows of `entries` and evaluate the rows of `reference` at all places.

        `mentioned` are the names of rows that derivatives and formulas use, `called` maps those that only rename inputs
        to these. The attributes are described at the class; `prints` and `functions` are cached for the problem.
        """
        self.task, self.entries, self.mentioned, self.called = task, entries, mentioned, called
        self.inputs = list(reference.graph.inputs.values())
        self.rows = value_rows(entries, self.inputs)
        self.rows = [row for row in self.rows if row.name not in self.called]
        self.own = {row.name for row in self.rows}
        numbered = zip(numbered_inputs(len(self.inputs)), reference.graph.inputs, strict=True)
        free = {name: slot for name, slot in numbered if name not in self.own}
        input_slots = {name: slot for slot, name in reference.graph.inputs.items()}
        own_inputs = {name: input_slots[meant] for name, meant in self.called.items()}
        known = reference.slots.keys() - self.own
        self.lacking = not known.isdisjoint(mentioned)  # it works with rows that it has not computed
        self.reference = reference._replace(slots={**free, **reference.slots, **own_inputs})
        sheet = Worksheet(task, self.inputs)
        self.places = sheet.places
        self.constants = constants_of(reference.graph) if reference.constants else []
        key = "functions", structure(reference.graph), tuple(self.inputs), tuple(reference.names), reference.constants
        self.prints, self.functions = cache_of(task).get_or_make(key, lambda: self._evaluate_trace(sheet))
        self.results = [slot for _, slot in reference.graph.outputs if slot in self.prints]
        self.steps: Mapping[str, int] = {}  # which rows those of a table of nothing but numbers are
        self.used = {q.name for row in self.rows for piece in row.formulas for q in piece.quantities.values()}

    def _evaluate_trace(self, sheet: Worksheet) -> tuple[dict[int, Print], FunctionIndex]:
        """Return (the values of the trace's inputs, rows and constants at all points, by slot; an index of these
        functions).

        `sheet` is an empty worksheet, to which the trace is copied.
        """
        reference = self.reference
        place = sheet.graft_whole(reference.graph)
        values = sheet.prints()
        slots = dict.fromkeys((*reference.graph.inputs, *reference.names, *self.constants))
        prints = {slot: values[place[slot]] for slot in slots}
        return prints, FunctionIndex(prints)

    def likely_slot(self, row: ValueRow, used: Collection[int], taken: Mapping[int, int]) -> int | None:
        """Return the slot of the trace that a wrong row most likely should be; None if nothing about the row fits.

        An equal name counts 4, equal operands 3, the same last operation 2, a common operand 1; the first of the best
        is returned. `used` are the slots of the trace that the row's formulas use; the keys of `taken`, slots that
        other rows represent, are excluded.
        """
        graph, best, most = self.reference.graph, None, 0
        operators = {piece.graph.operator(piece.graph.outputs[0][1]) for piece in row.formulas if piece.graph}
        for slot in self.reference.names:
            if slot in taken:
                continue
            parents = {p for p in graph.parents[slot] if not graph.literal[p]}
            merit = (
                4 * (self.reference.slots.get(row.name) == slot)
                + 3 * (parents == set(used))
                + 2 * (graph.operator(slot) in operators)
                + bool(parents & set(used))
            )
            if merit > most:
                best, most = slot, merit
        return best

    def by_number(self, row: ValueRow, taken: Mapping[int, int]) -> int | None:
        """Return the first slot of the trace, not among the keys of `taken`, that has the number of a row.

        That is the first one that rounds to it, else within one unit of its last place, else within 0.2 % of it. Only
        rows of the trace count, not inputs. None if the row has no number or nothing fits.
        """
        if row.number is None:
            return None
        free = [slot for slot in self.reference.names if slot not in taken]
        interval = numeral_spread(row.number)
        rounded = (slot for slot in free if self.prints[slot][0].meets(interval))
        shown = (slot for slot in free if within(row.number, self.prints[slot][0]))
        near = (slot for slot in free if is_near(row.number, self.prints[slot][0], _DRIFT))
        return next(chain(rounded, shown, near), None)

    def by_result(self, row: ValueRow, taken: Collection[int]) -> int | None:
        """Return the first slot of the trace, not in `taken`, with the value that a row without a formula shows; None
        without one.

        Values that its arithmetic gives only up to the rounding of its numbers come last. Inputs and numbers as written
        do not count; the name of the row is ignored.
        """
        rows = dict.fromkeys((*self.reference.names, *self.constants))
        free = {slot: self.prints[slot][0] for slot in rows if slot not in taken and self.reference.graph.parents[slot]}
        shown = (slot for slot, true in free.items() if row.shows(true))
        return next(shown, next((slot for slot, true in free.items() if row.computes(true)), None))

    def as_result(self, row: ValueRow, taken: Collection[int]) -> int | None:
        """Return the slot of the only result, not in `taken`, if a row without formula is meant for it; else None.

        It is the last row, has a number, no formula uses it, and its number is within 2 % of the result or derivatives
        mention it. The caller checks that it has no formula.
        """
        if len(self.results) != 1 or row is not self.rows[-1] or row.name in self.used or row.number is None:
            return None
        (slot,) = self.results
        is_meant = is_near(row.number, self.prints[slot][0], _NEAR) or row.name in self.mentioned
        return slot if slot not in taken and is_meant else None

    def support(self, row: ValueRow) -> int:
        """Return from 0 to 2 how well a row of only a number fits as a step of another way to the results.

        1 if an operation on inputs, constants and numbers of other rows gives its number; 1 if its number, with these,
        gives that of another row; together 1 if both are one relation (2r = r + r and r = 2r - r). Operations are `+ -
        * /` and those of the trace. 2 also for a row with formulas or arithmetic, and for one with the number of a
        step.
        """
        trues = (self.prints[slot][0] for slot in self.reference.names if slot in self.prints)
        if row.number is None or row.formulas or row.shows_arithmetic or any(map(row.shows, trues)):
            return 2
        makers, users = self._relations(row, numeral_spread(row.number))
        is_one_relation = len(makers | users) == 1
        return bool(makers) + bool(users) - (bool(makers and users) and is_one_relation)

    def _relations(self, row: ValueRow, own: Spread) -> tuple[set[frozenset[float]], set[frozenset[float]]]:
        """Return (relations that give the number `own` of `row`, those that use it for another row's number).

        Each is the set of its numbers, operands and result. Operations are `+ - * /` and those of the trace with one or
        two operands, operands the numbers of other rows, inputs at the point, constants, and `own`.
        """
        graph = self.reference.graph
        others = [numeral_spread(other.number) for other in self.rows if other.number and other is not row]
        known = [*others, *self.places[0].values(), *(constant_value(graph, slot) for slot in graph.constants)]
        operations = {ROWS[name] for name in ("add", "sub", "mul", "div")}
        operations |= {each for each in graph.rows if each is not None and each.arity in (1, 2)}
        makers: set[frozenset[float]] = set()
        users: set[frozenset[float]] = set()
        for operation in operations:
            for operands in product((*known, own), repeat=operation.arity or 0):
                value, is_used = SPREAD.number(operation.value(SPREAD, *operands)), any(x is own for x in operands)
                results = [x for x in (others if is_used else (own,)) if value.known and value.meets(x)]
                relations = (frozenset(each.middle for each in (*operands, x)) for x in results)
                (users if is_used else makers).update(relations)
        return makers, users

    def by_constant(self, row: ValueRow, taken: Collection[int]) -> int | None:
        """Return the slot of the problem's constant that a row of nothing but a number shows (formulas of the row are
        ignored).

        Slots not in `taken` go first, then computed constants before numbers as written, then the nearest; of equals
        the first. None if the row shows arithmetic, has no number, or fits no constant, and if the numbering has no
        `constants`.
        """
        number = row.number
        if row.shows_arithmetic or number is None:
            return None
        near = [slot for slot in self.constants if row.shows(self.prints[slot][0])]
        away = {slot: abs(as_double(number.value) - self.prints[slot][0].middle) for slot in near}
        steps = self.reference.graph.parents
        return min(near, key=lambda slot: (slot in taken, not steps[slot], away[slot]), default=None)

    def meaning(self, values: Print, name: str, taken: Mapping[int, int]) -> int | None:
        """Return the slot of the trace with the same function as `values`, those of the row `name` at all sample
        points; None if none is.

        The keys of `taken` are slots that rows already represent. Of several slots, in this order of preference: a
        result, for the last row if no other uses it; the slot of that name (for a row that no other uses only if it is
        a result or free); computed slots before numbers as written; results, for a row that no other uses; slots that
        are not taken.
        """
        known = self.functions.like(values)
        slots, written = self.reference.slots, self.reference.graph.constants
        ends = name not in self.used
        last = ends and name == self.rows[-1].name
        return min(
            known,
            key=lambda slot: (
                last and slot not in self.results,
                slots.get(name) != slot or (ends and slot in taken and slot not in self.results),
                slot in written,
                ends and slot not in self.results,
                slot in taken,
            ),
            default=None,
        )
