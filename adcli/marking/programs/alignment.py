"""Which row of a student's program is which: the student's own straight-line program, mended where it goes astray.

A row whose formula is a function that occurs in the problem is right, whatever it is called and however it was put
together; so is every row of a program that ends in the problem's own result.  A row that is neither goes astray there:
its formula is replaced by the one that it should have been, so that the rows after it can be judged for themselves.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from ...graph.graph import Graph
from ...graph.order import ancestors
from ...graph.tape import evaluate
from ...numbers.double_intervals import Spread
from ...numbers.doubles import FLOAT
from ...patterns import pattern
from ..model import BAR, DOT, VALUE, Entry, Numeral, Task
from ..shown_numbers import as_double, stands_for
from .candidates import Candidates
from .composing import Alignment, Composition
from .reference_traces import constants_of, standards
from .value_rows import ValueRow, shown_number, value_rows, within
from .worksheet import Prints, Worksheet, same

if TYPE_CHECKING:
    from .corrected_program import Mend

_SHORT = pattern(r"[^\W\d_]{1,2}_?\d*'*\Z")  # names of rows, and no words
_MOST_MENDED, _MOST_MENDS = 200, 12  # rows one of which may be mended, and how many mends are looked into
_MOST_TOLD = 60  # steps that a row with a number of its own may be
_MOST_DOUBLES = 6  # rows of which it is tried whether they should have been another one
_DRIFTS = (0.02, 0.2)  # how far rounding leads away, as a share of a number: with three digits, with two


def align(task: Task, entries: Sequence[Entry], mentioned: Collection[str]) -> Alignment:
    """The program that an answer works with; `mentioned` are the names that occur in its derivatives."""
    rows = value_rows(entries, task.at)
    first, *others = standards(task, rows)
    own = _Aligner(task, entries, first, mentioned)
    best, told = own.aligned(), list(own.told_by_numbers())
    if not others and not told:
        return best
    merit = own.merit(best, entries) + _following(best.sheet, entries)
    if merit >= _most(task, entries, rows):
        return best
    found = [_Aligner(task, entries, other, mentioned, own.places) for other in others]
    for aligner in (*found, *told, *(each for other in found for each in other.told_by_numbers())):
        other = aligner.aligned()
        if other.baseless:
            continue
        its = aligner.merit(other, entries) + _following(other.sheet, entries)
        if its > merit:
            merit, best = its, other
    return best._replace(problem=own.reference, theirs=own.prints)


def _most(task: Task, entries: Iterable[Entry], rows: Iterable[ValueRow]) -> int:
    """The merit that an answer has at most, by whatever numbering: all its numbers and formulas are right."""
    numbers = [entry.quantity for entry in entries if shown_number(entry) is not None]
    values = {quantity.name for quantity in numbers if quantity.kind == VALUE} - task.at.keys()
    return 4 * len(numbers) + len(values) + sum(2 * bool(row.formulas) + 2 * (row.constant is not None) for row in rows)


def _following(sheet: Worksheet, entries: Iterable[Entry]) -> int:
    """How many numbers of values follow from the numbers of the rows that they use, right or wrong."""
    point = sheet.places[0]
    known = {slot: point[name] for name, slot in sheet.inputs.items()}
    for entry in entries:
        number, slot = shown_number(entry), sheet.slots.get(entry.quantity.name)
        if entry.quantity.kind == VALUE and number is not None and slot in sheet.cells:
            known[slot] = stands_for(number)
    cells = (sheet.cells[slot] for slot in known if slot in sheet.cells)
    return sum(
        known[cell.slot].meets(cell.value(known)) for cell in cells if all(leaf in known for leaf in cell.leaves)
    )


class _Aligner(Candidates):
    """Finds out which row is which, for one answer and one numbering."""

    def told_by_numbers(self) -> Iterator[_Aligner]:
        """The same for each way in which rows of nothing but numbers are other ones than those of their names."""
        if any(row.formulas or row.reckoned or row.number is None for row in self.rows):
            yield from self._told_by_use()
            return
        from copy import copy  # few answers are nothing but numbers

        from .unnamed_tables import readings

        for told in readings(self.rows, self.reference, self.prints, self.functions):
            if any(self.reference.slots.get(name) != slot for name, slot in told.items()):
                other = copy(self)
                other.told = told
                yield other

    def _told_by_use(self) -> Iterator[_Aligner]:
        """The same for each step that a row may be whose number is no step's, so that formulas use nothing else."""
        steps = [slot for slot in self.reference.names if slot in self.prints]
        strange = [
            row
            for row in self.rows
            if row.number is not None
            and not (row.formulas or row.reckoned)
            and row.name in self.used
            and not any(row.shows(self.prints[slot][0]) for slot in steps)
        ]
        if len(strange) != 1 or len(steps) > _MOST_TOLD:
            return
        from copy import copy  # few answers have such a row

        for slot in steps:
            other = copy(self)
            other.told = {strange[0].name: slot}
            if not other.aligned().wrong:
                yield other

    def _with_one_mended(self, best: Alignment, first: Alignment) -> Alignment:
        """A reading in which a single row is mended and all others stand as they are, where there is one."""
        formulas = frozenset(row.name for row in self.rows if row.formulas)
        alone = len(best.wrong) == 1 and not best.absent and best.extra <= first.extra and self._reaches(best, formulas)
        for mend in islice(self._mends(first), _MOST_MENDS):
            if alone and mend.name in best.wrong:
                return best
            other = self.composed(formulas - {mend.name}, mend=True, mended=mend)
            if other.wrong == {mend.name} and other.supplied <= best.supplied and self._reaches(other, formulas):
                return other
        return best

    def _mends(self, first: Alignment) -> Iterator[Mend]:
        """The rows that may be mended; those that are no step of the problem, nor part of one, go first."""
        from .corrected_program import Goal, Mending, OwnFormula, in_order  # only for an answer that goes astray
        from .portions import Portions

        slots, prints = first.sheet.slots, first.prints
        points = range(len(self.places))[1:3] or range(1)
        written = {row.name: row.formulas[0] for row in self.rows if row.formulas and row.name in slots}
        lines = in_order(
            {
                name: OwnFormula(
                    piece.graph, {slot: piece.quantities[symbol].name for slot, symbol in piece.graph.inputs.items()}
                )
                for name, piece in written.items()
                if piece.graph is not None and all(quantity.name in slots for quantity in piece.quantities.values())
            }
        )
        if not lines or len(lines) > _MOST_MENDED:
            return
        known = [{name: prints[slot][k].middle for name, slot in slots.items() if name not in lines} for k in points]
        operands = [name for name in known[0] if name in self.own or name in self.inputs]
        results = [
            [self.prints[slot][k].middle for _, slot in self.reference.graph.outputs if slot in self.prints]
            for k in points
        ]
        steps = {slot: [self.prints[slot][k].middle for k in points] for slot in self.reference.names}
        constants = {constant.text: constant for constant in self.task.program.graph.constants.values()}
        graph = self.reference.graph
        portions = Portions(
            graph,
            [
                evaluate(graph, FLOAT, {slot: self.places[k][x].middle for slot, x in graph.inputs.items()})
                for k in points
            ],
        )
        known_steps = {
            name
            for name in lines
            if self.functions.like(prints[slots[name]])
            or portions.have([prints[slots[name]][k].middle for k in points])
        }
        own = {row.name for row in self.rows if self._is_named_step(row)}
        rows = sorted((name for name in lines if name not in own), key=known_steps.__contains__)
        yield from Mending(lines, Goal(known, operands, results, steps, list(constants.values()))).mends(rows)

    def _is_named_step(self, row: ValueRow) -> bool:
        """Whether a row has the number of the step of its name, whatever its formula."""
        named = self.reference.slots.get(row.name)
        return row.number is not None and named in self.prints and within(row.number, self.prints[named][0])

    def _reaches(self, alignment: Alignment, rows: Iterable[str]) -> bool:
        """Whether some of these rows are the results of the problem."""
        own = {alignment.sheet.slots[row] for row in rows if row in alignment.sheet.slots}
        results = [slot for _, slot in self.reference.graph.outputs if slot in self.prints]
        return all(any(same(alignment.prints[mine], self.prints[slot]) for mine in own) for slot in results)

    def aligned(self) -> Alignment:
        """The program as it stands; if rows of it do not lead to the results, with those rows mended."""
        first = self.composed(frozenset(), mend=False)
        slots, prints = first.sheet.slots, Prints(first.sheet)
        results = [self.prints[slot] for _, slot in self.reference.graph.outputs if slot in self.prints]
        reached = [
            slots[row.name]
            for row in self.rows
            if row.formulas and row.name in slots and any(same(prints[slots[row.name]], known) for known in results)
        ]
        needed = ancestors(first.sheet.graph, reached)
        accepted = frozenset(row.name for row in self.rows if row.name in slots and needed[slots[row.name]])
        best = first if first.strange <= accepted else self.composed(accepted, mend=True)  # else nothing is mended
        past = None if best.wrong else self._past_result(first, best, reached)
        if past is not None:
            return self.composed(frozenset(row.name for row in self.rows if row.formulas), mend=True, mended=past)
        if best.wrong:
            best = self._with_one_mended(best, first)
        for name in best.doubles[:_MOST_DOUBLES] if best.wrong else ():
            other = self.composed(accepted, mend=True, astray=name)
            if len(other.wrong) + len(other.absent) < len(best.wrong) + len(best.absent):
                best = other
        return best

    def _past_result(self, first: Alignment, best: Alignment, reached: Sequence[int]) -> Mend | None:
        """That the last row should have been the result itself, where it goes on from it to something else.

        Derivatives that start from that row tell that it is meant for the result, and short names where only the value
        is asked for: others are checks.
        """
        last = next((row for row in reversed(self.rows) if row.formulas), None)
        if last is None or last.name not in best.extra or len(self.reference.graph.outputs) != 1:
            return None
        (name, slot), slots = self.reference.graph.outputs[0], first.sheet.slots
        told = last.name in self.mentioned or (self.task.mode == "value" and _SHORT.match(last.name))
        if not told or name in self.own or last.name not in slots:
            return None
        below = ancestors(first.sheet.graph, [slots[last.name]])
        row = next((row.name for row in self.rows if slots.get(row.name) in reached and below[slots[row.name]]), None)
        if row is None or len(self.rows) > _MOST_MENDED:
            return None
        from .corrected_program import Mend, OwnFormula  # few answers go on

        formula = Graph()
        formula.outputs = [("", formula.input(row))]
        return Mend(last.name, OwnFormula(formula, {formula.outputs[0][1]: row}), slot)

    def merit(self, alignment: Alignment, entries: Iterable[Entry]) -> int:
        """How much of an answer a numbering explains: numbers that are true, formulas that belong to their names."""
        sheet = alignment.sheet
        prints, truth = Prints(sheet), sheet.truths()[0]
        merit = -4 * len(alignment.wrong) - 2 * len(alignment.absent) - 2 * len(alignment.extra)
        if alignment.given:
            given = {sheet.slots.get(name) for name in alignment.given}
            merit -= 2 * sum(slot not in given for slot in sheet.outputs.values())
        constant = set(constants_of(sheet.graph))
        keys: dict[str, Collection[str | None]] = {VALUE: (None,), DOT: sheet.inputs, BAR: sheet.outputs}
        for entry in entries:
            slot, number = sheet.slots.get(entry.quantity.name), shown_number(entry)
            if slot is not None and number is not None:
                kind = entry.quantity.kind
                found = max((_nearness(number, truth.read(kind, slot, key)) for key in keys.get(kind, ())), default=0)
                merit += min(found, 1) if slot in constant and kind == VALUE else found  # a number alone tells little
        for row in self.rows:
            mine, known = sheet.slots.get(row.name), self.reference.slots.get(row.name)
            if mine is not None and row.formulas and known in self.prints:
                merit += 2 * same(prints[mine], self.prints[known])
            if mine is None or row.constant is None:
                continue
            if row.reckons(truth.value(mine)):
                merit += 2
            elif mine not in constant and known in self.prints and not same(prints[mine], self.prints[known]):
                meant = self.told.get(row.name)
                if meant is None or row.shows(self.prints[meant][0]):  # a wrong number goes by what it is used for
                    merit -= 4  # it goes by the name of another row
        return merit

    def composed(
        self, accepted: Collection[str], mend: bool, astray: str = "", mended: Mend | None = None
    ) -> Alignment:
        """The rows put together; with `mend` those that are neither accepted nor occur in the problem are replaced.

        So is the row `astray`, although it is one that occurs, and `mended` by what it should have been.
        """
        return Composition(self, accepted, mend, astray, mended).run()


def _nearness(number: Numeral, true: Spread) -> int:
    """4 for a number that is right, 2 or 1 for one that rounding may have led away."""
    if not true.known:
        return 0
    away = abs(as_double(number.value) - true.middle)
    return 4 if within(number, true) else sum(away < drift * abs(true.middle) for drift in _DRIFTS)
