"""Composing the rows of an answer into one program, in which wrong rows are replaced. A step is a row of the problem's
trace, known by its slot (index) there; the worksheet is the student's program as a graph. A supplied step is one that
the answer lacks and that is added from the trace; literal are unnamed constants and arithmetic on them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from heapq import heapify, heappop, heappush

from ...answers.answer_model import BAR, RowPiece
from ...answers.shown_numbers import as_double
from ...graph.graph import Constant, Graph
from ...graph.order import ancestors, postorder
from ...records import grouped
from ...table.primitive import ROWS
from ...typings import TYPE_CHECKING
from ..function_values import Print
from .reference_traces import Candidates
from .value_rows import RESULTS, ValueRow, within
from .worksheet import Worksheet, same

if TYPE_CHECKING:
    from .corrected_program import RowCorrection


class Alignment:
    """A student's program as a worksheet, composed row by row, with the rows that differ from the problem's trace.

    - `wrong` are the rows whose formula is wrong, `extra` those that represent nothing in the problem, `strange` those
      with formulas that do not occur in the problem.
    - `given_rows` are the value rows of the answer, `missing_names` those of the trace that it lacks although it works
      with them; `supplied` counts the rows of the problem that are needed but missing.
    - `prints` are those of the worksheet; `problem` is the problem's own trace, `reference_prints` has the prints of
      its rows by slot.
    - `slots_as_written` maps the slot of the right formula of a wrong row to the slot of the formula as written.
    - `slot_of_step` maps slots of the problem's trace to slots of the worksheet, `meanings` the other way round.
    """

    def __init__(
        self, aligner: Candidates, accepted: Collection[str], *, corrects: bool,
        correction: RowCorrection | None = None, unused: Collection[str] = (),
    ) -> None:  # fmt: skip
        """Compose the rows of an answer into one worksheet.

        `accepted` are names of rows that are not replaced; with `corrects` the others are replaced if they do not occur
        in the problem. `correction` is a correction of one row, or None. Rows in `unused`, names of rows that the rest
        of the answer does not use, are placed last, so that they replace no step that another row represents; usual
        names of results are not. Renamed inputs, names that derivatives and formulas mention and results that the
        answer lacks are added from the problem's trace. Raises no error: rows that cannot be placed are in `extra`.
        """
        self.aligner, self.accepted, self.corrects = aligner, accepted, corrects
        self.correction, self.unused = correction, {*unused}.difference(RESULTS)
        self.supplied = 0
        self._supplied_slots: set[int] = set()  # slots that were supplied for rows of the answer
        self.problem = self.reference = aligner.reference
        self.reference_prints: Mapping[int, Print] = aligner.prints
        self.results = dict(self.reference.graph.outputs)
        self.sheet = Worksheet(aligner.task, aligner.inputs)
        self.prints = self.sheet.prints()
        self.slot_of_step = {slot: self.sheet.inputs[name] for slot, name in self.reference.graph.inputs.items()}
        self.meanings = {own_slot: slot for slot, own_slot in self.slot_of_step.items()}
        self.wrong: set[str] = set()
        self.slots_as_written: dict[int, int] = {}
        self.extra: set[str] = set()
        self.missing_names: list[str] = []
        self.strange: set[str] = set()
        self.given_rows = [row.name for row in aligner.rows]
        for row in self._ordered_rows():
            self._place(row)
        for name in (*aligner.called, *aligner.mentioned):
            if name not in self.sheet.slots and name in self.reference.slots:
                self.sheet.slots[name] = self._supply(self.reference.slots[name])
        outputs = {}
        for name, slot in self.reference.graph.outputs:
            student_slot = self.sheet.slots.get(name) if name not in self.sheet.inputs else None
            outputs[name] = self._supply(slot) if student_slot is None else student_slot
        self._name_parts(outputs.values())
        self.sheet.finish(outputs)

    def count_unwritten(self) -> int:
        """Return how many rows of the trace no row of the answer is, by the function that it is."""
        steps = {self.meanings.get(self.sheet.slots.get(name, -1)) for name in self.given_rows}
        return len(self.reference.names.keys() - steps)

    def label(self, slot: int) -> str:
        """Return the name of the row in `slot` of the program; "" if it has no name.

        It is the first name that a row of the answer, a supplied step or a result gives the slot. If that is the name
        of a missing row (`missing_names`), the first result's name for the slot goes before it.
        """
        label = self.sheet.label(slot)
        if label not in self.missing_names:
            return label
        return next((name for name, result in self.sheet.outputs.items() if result == slot), label)

    def _name_parts(self, outputs: Collection[int]) -> None:
        """Let rows that no result uses name a part of another row: u = L/g, the part of T = 2π√(L/g).

        These are rows that the results in `outputs` (slots) do not need, and with respect to which the answer has a
        derivative or an adjoint; also missing ones, which are then not missing. Parts are operations without a row's
        name that the results need. In `sheet.slots` such a row gets the lowest slot of a part with its function at all
        sample points. In the graph this slot replaces the other parts with the same function as an operand, in place.
        Rows without such a part stay. Names are treated in alphabetical order.
        """
        graph, slots = self.sheet.graph, self.sheet.slots
        needed = ancestors(graph, outputs)
        inner = [s for s, row in enumerate(graph.rows) if needed[s] and row is not None and s not in slots.values()]
        # Names by which the answer differentiates.
        derived = {e.quantity.name if e.quantity.kind == BAR else e.quantity.key for e in self.aligner.entries}
        for name in sorted(slots.keys() & derived & {*self.given_rows, *self.missing_names}):
            slot = slots[name]
            if needed[slot]:
                continue
            parts = {s for s in inner if same(self.prints[s], self.prints[slot])}
            slots[name] = first = min(parts, default=slot)
            merged = dict.fromkeys(parts, first)
            graph.parents[:] = [tuple([merged.get(p, p) for p in parents]) for parents in graph.parents]
        self.missing_names[:] = [name for name in self.missing_names if slots.get(name) not in inner]

    def _ordered_rows(self) -> Iterator[ValueRow]:
        """Yield the rows in the order in which they can be placed: each after all rows that it uses.

        The caller must place each row before it asks for the next. Of the rows that are ready come, in this order:
        those that use no step missing in the answer; those that use one; rows that only repeat the number of a result
        (`_is_result_alone`; of several with one number only the last); rows in `unused`. In each group the earlier row
        is first. If no row is ready, the first remaining row comes. A row without a slot does not make its users ready.
        """
        rows = self.aligner.rows
        lacking = [{name for name in self._names_before(row) if name not in self.sheet.slots} for row in rows]
        users = grouped((name, place) for place, names in enumerate(lacking) for name in names)
        results = {row.number: place for place, row in enumerate(rows) if self._is_result_alone(row)}
        last = set(results.values())  # of several rows with the number of a result the last one is it
        late = [2 if place in last else self._uses_lacking_steps(row) for place, row in enumerate(rows)]
        late = [3 if row.name in self.unused else stage for row, stage in zip(rows, late, strict=True)]
        ready = [(late[place], place) for place, names in enumerate(lacking) if not names]
        heapify(ready)
        done: set[int] = set()
        first = 0
        while len(done) < len(rows):
            first = next(place for place in range(first, len(rows)) if place not in done)
            place = heappop(ready)[1] if ready else first
            if place in done:
                continue
            done.add(place)
            name = rows[place].name
            yield rows[place]
            for user in users.get(name, ()) if name in self.sheet.slots else ():
                lacking[user].discard(name)
                if not lacking[user]:
                    heappush(ready, (late[user], user))

    def _uses_lacking_steps(self, row: ValueRow) -> bool:
        """Return whether the first formula of a row names steps of the problem's trace for which the answer has no row.

        Such steps are supplied, composed from the rows that are placed by then.
        """
        names = {quantity.name for piece in row.formulas[:1] for quantity in piece.quantities.values()}
        return any(name in self.reference.slots for name in names - self.aligner.own - self.sheet.slots.keys())

    def _is_result_alone(self, row: ValueRow) -> bool:
        """Return whether a row only states the number of a result: no formulas, and no step of the trace is nearer.

        The row needs a number, which may be the result of arithmetic. The nearest step, by the middle of its value,
        must be a result, and the number must be the result's up to one unit of the last place. A step that is as near
        does not matter, except if it is not a result and has the row's name: then False. `_ordered_rows` places the
        last such row after all others.
        """
        number, aligner = row.number, self.aligner
        if row.formulas or number is None:
            return False
        shown = as_double(number.value)
        steps = [slot for slot in self.reference.names if slot in aligner.prints]
        distances = {slot: abs(aligner.prints[slot][0].middle - shown) for slot in steps}
        named = self.reference.slots.get(row.name)
        nearest = min(distances.values(), default=0)
        if named is not None and named not in aligner.results and distances.get(named) == nearest:
            return False
        results = [slot for slot in aligner.results if distances.get(slot) == nearest]
        return any(within(number, aligner.prints[slot][0]) for slot in results)

    def _names_before(self, row: ValueRow) -> Iterator[str]:
        """Yield the names that must be placed before `row`: those in its first formula and in its correction.

        If the answer has no row of a name but the problem's trace has, that step can be supplied. Then, instead of the
        name, all other rows of the answer are yielded that are, by the trace's names, steps from which it is computed,
        directly or not. All other names are yielded as they are, also inputs and unknown names, which are never placed.
        Names may repeat. Those in the correction's `line` are yielded as they are.
        """
        slots, candidates = self.reference.slots, self.aligner.own
        for piece in row.formulas[:1]:
            for quantity in piece.quantities.values():
                if quantity.name in candidates or quantity.name not in slots:
                    yield quantity.name
                else:
                    below = ancestors(self.reference.graph, [slots[quantity.name]])
                    yield from (name for name in candidates - {row.name} if name in slots and below[slots[name]])
        if self.correction is not None and self.correction.name == row.name and self.correction.line is not None:
            yield from self.correction.line.names.values()

    def _place(self, row: ValueRow) -> None:
        """Store the slot of a row in `sheet.slots` under its name, or add its name to `extra` if it has no slot.

        The first of these that gives a slot:
        - its formula, which is added to the worksheet's graph (`_compose_row`);
        - its number or arithmetic (`_slot_of_constant`). Not tried if the trace has no `constants`, if the aligner's
          `steps` has the row, or if the row has the name of a result whose number no row without such a name shows;
        - its step in the aligner's `steps`, or else its name or number in the trace (`_slot_from_trace`).
        """
        slot = self._compose_row(row)
        is_identified = row.name in self.aligner.steps or self._is_only_result(row)
        if slot is None and not is_identified and self.reference.constants and row.constant is not None:
            slot = self._slot_of_constant(row, row.constant)
        if slot is None:
            slot = self._slot_from_trace(row)
        if slot is None:
            self.extra.add(row.name)
        else:
            self.sheet.slots[row.name] = slot

    def _is_only_result(self, row: ValueRow) -> bool:
        """Return whether a row has the name of a result, whose number no row that has no such name shows."""
        prints, slot = self.aligner.prints, self.results.get(row.name)
        others = (other for other in self.aligner.rows if other.name not in self.results)
        return slot in prints and not any(other.shows(prints[slot][0]) for other in others)

    def _compose_row(self, row: ValueRow) -> int | None:
        """Return the slot of a row by its first formula, corrected if necessary; None if no formula can be used.

        None if the row has no formula, if the first could not be read, or if it uses an undefined name (`_operands`).
        The first that applies:
        - the planned `correction` is about this row: the slot of the corrected formula;
        - its function is a step of the problem: its slot, recorded as that of the step (`_record`), or the step's if
          that was supplied for an earlier row by the same operation. But a function does not count as a step if the row
          has the name of a result that is another function, or has the name and number of another step
          (`_by_name_and_number`);
        - the row is in `accepted`, or `corrects` is False: its slot; its name is added to `strange`;
        - otherwise: the slot of the right formula (`_correct_slot`), which is that of such a result or step if there is
          one. Its name is added to `strange`, and to `wrong`, or to `extra` if no right formula is known.

        The worksheet is extended in any case with a formula.
        """
        graph = row.formulas[0].graph if row.formulas else None
        leaves = None if graph is None else self._operands(graph, row.formulas[0])
        if graph is None or leaves is None:
            return None
        slot = self.sheet.graft(graph, graph.outputs[0][1], leaves)
        if self.correction is not None and row.name == self.correction.name:
            return self._apply_correction(slot, self.correction)
        meaning = self.aligner.meaning(self.prints[slot], row.name, self._written_steps())
        result = self.results.get(row.name, self._by_name_and_number(row, meaning))
        if result in self.aligner.prints and not same(self.prints[slot], self.aligner.prints[result]):
            meaning = None
        if meaning is not None:
            if self._is_supplied(meaning, slot):
                return self.slot_of_step[meaning]  # a row before this one uses it
            self._record(meaning, slot)
        else:
            self.strange.add(row.name)
            if self.corrects and row.name not in self.accepted:
                return self._correct_slot(row, slot, result, leaves)
        return slot

    def _written_steps(self) -> Mapping[int, int]:
        """Return `slot_of_step` without the steps that were supplied because the answer lacks them."""
        if not self._supplied_slots:
            return self.slot_of_step
        return {meant: slot for meant, slot in self.slot_of_step.items() if slot not in self._supplied_slots}

    def _is_supplied(self, meaning: int, slot: int) -> bool:
        """Return whether `slot` repeats the supplied slot of the trace's step `meaning`, operation and operands.

        Only the last operation is compared. Operands are the same if they are one slot, or constants with the same
        text, and come in the same order. False if that step was not supplied.
        """
        graph, known = self.sheet.graph, self.slot_of_step.get(meaning)
        if known is None or known not in self._supplied_slots or graph.rows[known] is not graph.rows[slot]:
            return False
        texts = {p: constant.text for p, constant in graph.constants.items()}
        one, other = ([texts.get(p, p) for p in graph.parents[each]] for each in (known, slot))
        return one == other

    def _operands(self, graph: Graph, piece: RowPiece) -> dict[int, int] | None:
        """Return {input slot of the formula `graph`: slot of the worksheet}; None if one of its names is undefined.

        Steps of the trace for which the answer has no row are supplied, and added to `sheet.slots`; those before an
        undefined name stay. A name of a row of the answer is undefined until that row is placed, another one if the
        trace does not have it. Only the names of `piece.quantities` count, not their kinds.
        """
        leaves: dict[int, int] = {}
        for leaf, symbol in graph.inputs.items():
            name = piece.quantities[symbol].name
            if name not in self.sheet.slots and (name in self.aligner.own or name not in self.reference.slots):
                return None
            if name not in self.sheet.slots:
                self.sheet.slots[name] = self._supply(self.reference.slots[name])
            leaves[leaf] = self.sheet.slots[name]
        return leaves

    def _correct_slot(self, row: ValueRow, slot: int, result: int | None, leaves: Mapping[int, int]) -> int:
        """Return the slot of the right formula for a wrong row; `slot`, its own formula, if none is known.

        The right formula is that of the trace's slot `result` (None: unknown), else of the likeliest step that no row
        has (`likely_slot`: by name, operands and last operation), else of the step with the row's name, which may be
        another row's. Its operands are the rows placed so far, themselves corrected. Then the row's name is added to
        `wrong`, and `slot` to `slots_as_written` under the right slot; without a right formula the name is added to
        `extra`. The right slot represents the first two kinds of step from now on (`_record`). `leaves` maps inputs of
        the row's formula to slots of the worksheet. Steps that only the correction needs are removed from
        `missing_names`, unless a derivative or formula of the answer mentions them.
        """
        used = [self.meanings[leaf] for leaf in leaves.values() if leaf in self.meanings]
        taken = self._written_steps() if row.name in self.unused else self.slot_of_step
        meaning = self.aligner.likely_slot(row, used, taken) if result is None else result
        count = len(self.missing_names)
        named = self.reference.slots.get(row.name)
        right = self._slot_of_trace(row, named) if meaning is None else self._operation(meaning)
        self._forget_missing(count)
        if right is None:
            self.extra.add(row.name)
            return slot
        self.wrong.add(row.name)
        self.slots_as_written[right] = slot
        if meaning is not None:
            self._record(meaning, right)
        return right

    def _apply_correction(self, slot: int, correction: RowCorrection) -> int:
        """Return the slot of the corrected formula of a row whose formula as written is in `slot`.

        It is `correction.line`, or if that is None the operation of the step `correction.slot`. The row is added to
        `wrong`, and `slot` to `slots_as_written` under the corrected slot. With a `line`, the corrected slot then
        represents the step `correction.slot` (not if that is -1) and the step with the same function, if there is one;
        else the step `correction.slot`. A `line` that is only another row is multiplied by 1, so that it has a slot of
        its own. If the `line` uses a row that is not placed, `slot` itself is returned and nothing is recorded.
        """
        sheet, count = self.sheet, len(self.missing_names)
        if correction.line is None:
            corrected = self._operation(correction.slot)
        else:
            graph = correction.line.graph
            if any(name not in sheet.slots for name in correction.line.names.values()):
                return slot
            leaves = {leaf: sheet.slots[name] for leaf, name in correction.line.names.items()}
            corrected = sheet.graft(graph, graph.outputs[0][1], leaves)
            if corrected in leaves.values():
                corrected = self._copy_in_own_slot(corrected)
        self._forget_missing(count)
        self.wrong.add(correction.name)
        self.slots_as_written[corrected] = slot
        if correction.line is not None and correction.slot >= 0:
            self.slot_of_step[correction.slot] = corrected
        meaning: int | None = correction.slot
        if correction.line is not None:
            meaning = self.aligner.meaning(self.prints[corrected], correction.name, self.slot_of_step)
        if meaning is not None:
            self._record(meaning, corrected)
        return corrected

    def _forget_missing(self, count: int) -> None:
        """Remove from `missing_names[count:]` the names that no derivative or formula mentions.

        Only a corrected row needed these.
        """
        self.missing_names[count:] = [name for name in self.missing_names[count:] if name in self.aligner.mentioned]

    def _by_name_and_number(self, row: ValueRow, meaning: int | None) -> int | None:
        """Return the slot of the trace that has a row's name and number, if its formula is another step, `meaning`.

        A number fits a slot if it is within one unit of its last place of the value at the point of the task. None in
        these cases: the row has no number, or `meaning` is None; no row of the trace has the name, or `meaning` is the
        slot of that name; the number does not fit the slot of that name, or also fits `meaning`; another row already
        represents that slot.
        """
        named, prints = self.reference.slots.get(row.name), self.aligner.prints
        is_free = named in prints and named != meaning and named not in self.slot_of_step
        if row.number is None or meaning is None or named is None or not is_free:
            return None
        return named if within(row.number, prints[named][0]) and not within(row.number, prints[meaning][0]) else None

    def _slot_of_constant(self, row: ValueRow, graph: Graph) -> int | None:
        """Return the slot of a row that is only a number or arithmetic, `graph`; None if its name must tell.

        It is a slot of the worksheet. The first that applies:
        - the row shows the value of the step of its name: None;
        - the row shows a constant of the problem (`by_constant`), has the function of a step (`meaning`), or has the
          value of a step (`by_result`), in this order: the slot of this constant or step (`_slot_of_trace`);
        - a formula of a value row uses the row, and its name is not that of a constant step of the trace: a new slot
          with the arithmetic;
        - otherwise None.
        """
        aligner, named = self.aligner, self.reference.slots.get(row.name)
        if named in aligner.prints and row.shows(aligner.prints[named][0]):
            return None
        slot = self.sheet.graft(graph, graph.outputs[0][1], {})
        if (known := aligner.by_constant(row, self.slot_of_step)) is None:
            known = aligner.meaning(self.prints[slot], row.name, self.slot_of_step)
        if known is None:
            known = aligner.by_result(row, self.slot_of_step)
        if known is not None:
            return self._slot_of_trace(row, known)
        return None if named in aligner.constants or row.name not in aligner.used else slot

    def _slot_from_trace(self, row: ValueRow) -> int | None:
        """Return the slot of a row without a usable formula, as a step of the problem's trace; None if none fits.

        It is a slot of the worksheet. Tried in this order: the step that the aligner's `steps` give the row; the step
        of its name, whatever its number; the step with its number (`by_number`). Then, only for rows without formulas:
        the step with the value of its arithmetic (`by_result`); the only result, if the row is meant for it
        (`as_result`). Only the first two may be steps that another row represents. Steps from which the step is
        computed may be supplied (`_slot_of_trace`).
        """
        if (slot := self.aligner.steps.get(row.name, self.reference.slots.get(row.name))) is None:
            slot = self.aligner.by_number(row, self.slot_of_step)
        if slot is None and row.shows_arithmetic and not row.formulas:
            slot = self.aligner.by_result(row, self.slot_of_step)
        if slot is None and not row.formulas:
            slot = self.aligner.as_result(row, self.slot_of_step)
        return self._slot_of_trace(row, slot)

    def _slot_of_trace(self, row: ValueRow, slot: int | None) -> int | None:
        """Return the worksheet's slot for the step `slot` of the trace, which is added if new; None for None.

        `row` is the answer's row for the step. Missing steps from which it is computed are added as rows of their own.
        They become part of the row's formula instead if the answer mentions no rows that it lacks, and the row is
        arithmetic or in the aligner's `steps`. A row in `steps` also represents all steps of the same function that no
        row in `steps` is, except if the function is 0 at all points.
        """
        if slot is None:
            return None
        if slot in self.slot_of_step:
            return self.slot_of_step[slot]
        fused = (row.shows_arithmetic or row.name in self.aligner.steps) and not self.aligner.lacking
        own_slot = self.sheet.graft(self.reference.graph, slot, self.slot_of_step) if fused else self._operation(slot)
        self._record(slot, own_slot)
        steps = self.aligner.steps
        values = self.aligner.prints[slot] if row.name in steps else ()
        is_zero = not any(x.middle for x in values)  # as relu(x) and w relu(x) are for x < 0
        for other in () if is_zero else self.aligner.functions.like(values):
            if other not in steps.values():
                self._record(other, own_slot)  # what is written once represents all that are the same
        return own_slot

    def _record(self, slot: int, own_slot: int) -> None:
        """Record that the worksheet's slot `own_slot` represents the trace's slot `slot`, in both mappings.

        Entries that are already there stay.
        """
        self.slot_of_step.setdefault(slot, own_slot)
        self.meanings.setdefault(own_slot, slot)

    def _operation(self, slot: int) -> int:
        """Return the worksheet's slot of a copy of one operation of the trace, in `slot` there; of an input 1 times it.

        Operands that nothing represents yet are supplied, and recorded as such (`_supply`). The caller records what the
        copy itself represents (`_record`).
        """
        if slot in self.reference.graph.inputs:
            return self._copy_in_own_slot(self.slot_of_step[slot])
        for parent in self.reference.graph.parents[slot]:
            self._supply(parent)
        return self._copy_one(slot)

    def _copy_in_own_slot(self, own_slot: int) -> int:
        """Return a new slot of the worksheet with 1 times the value of `own_slot`."""
        return self.sheet.graph.apply(ROWS["mul"], (own_slot, self.sheet.graph.constant(Constant("1"))))

    def _copy_one(self, slot: int) -> int:
        """Return the worksheet's slot of a copy of one operation of the trace, on what represents its operands.

        Operands that nothing represents are copied down to the inputs, in this one formula (`Worksheet.graft`). Nothing
        is recorded, so that another copy would repeat them.
        """
        graph = self.reference.graph
        operands = {p: self.slot_of_step[p] for p in graph.parents[slot] if p in self.slot_of_step}
        return self.sheet.graft(graph, slot, operands)

    def _supply(self, slot: int) -> int:
        """Return the worksheet's slot for the step `slot` of the problem's trace; all steps missing for it are added.

        Operands are added first; a step that is already represented is not added. Each added step is recorded and
        counted in `supplied`. Its name (an alias, if it has one) is added to `sheet.slots` and `missing_names`, except
        if the answer has a row of that name or the step is a constant. A literal is copied and neither recorded nor
        counted.
        """
        graph = self.reference.graph
        for s in postorder(slot, lambda k: () if k in self.slot_of_step or graph.literal[k] else graph.parents[k]):
            if s in self.slot_of_step or graph.literal[s]:
                continue
            alias = self.reference.graph.aliases.get(s, "")
            name = alias if self.reference.slots.get(alias) == s else self.reference.names[s]
            self.supplied += 1
            self._record(s, self._copy_one(s))
            self._supplied_slots.add(self.slot_of_step[s])
            if name not in self.aligner.own and s not in self.aligner.constants:
                self.sheet.slots[name] = self.slot_of_step[s]
                self.missing_names.append(name)
        return self.slot_of_step[slot] if slot in self.slot_of_step else self.sheet.graft(graph, slot, {})
