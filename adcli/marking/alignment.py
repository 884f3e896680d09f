"""Which row of a student's program is which: the student's own straight-line program, mended where it goes astray.

A row whose formula is a function that occurs in the problem is right, whatever it is called and however it was put
together; so is every row of a program that ends in the problem's own result.  A row that is neither goes astray there:
its formula is replaced by the one that it should have been, so that the rows after it can be judged for themselves.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from ..graph.graph import Graph
from ..graph.order import ancestors, postorder
from ..graph.rules import apply
from ..numbers.spread import SPREAD, Spread
from ..table.primitive import lookup
from ..trace.choices import NUMBERINGS
from .model import BAR, DOT, VALUE, Entry, Numeral, Task, surveyed
from .shown_numbers import as_double, stands_for
from .standards import Standard, constants_of, standard, standards
from .value_rows import ValueRow, constant_value, renamed_inputs, shown_number, value_rows, within
from .worksheet import FunctionIndex, Print, Prints, Worksheet, same

_LETTER = re.compile(r"[^\W\d_]\d*\Z")
_NUMBERED = re.compile(r"[^\W\d_]\d+\Z")
_OPERATIONS = ("add", "sub", "sub'", "mul", "div", "div'")  # that one is tried for another; ' for the other order
_MOST_TRIED = 16  # rows of which it is tried whether they alone go astray
_MOST_DOUBLES = 6  # rows of which it is tried whether they should have been another one
_DRIFTS = (0.02, 0.2)  # how far rounding leads away, as a share of a number: with three digits, with two


class Alignment(NamedTuple):
    """A student's program as a worksheet.

    `wrong` are the rows whose formula went astray, `extra` those that stand for nothing in the problem, `unknown` says
    by row which name nothing defines.  `given` are the rows of values that the answer has, `absent` those of the
    standard trace that it lacks although it works with them.  `prints` are those of the worksheet; `problem` is the
    problem's own trace, `theirs` the prints of its rows.  `astray` are the slots of wrong rows, each with the slot of
    the formula that it has in place of the right one; `doubles` are rows that are the same function as an earlier one;
    `supplied` counts the rows of the problem that are needed and are none of the answer's.
    """

    sheet: Worksheet
    wrong: frozenset[str]
    extra: frozenset[str]
    unknown: Mapping[str, str]
    given: tuple[str, ...]
    absent: tuple[str, ...]
    prints: Prints
    problem: Standard
    theirs: Mapping[int, Print]
    astray: Mapping[int, int]
    doubles: tuple[str, ...]
    supplied: int


def perfect(task: Task, numbering: str = NUMBERINGS[0]) -> Worksheet:
    """The problem's own trace as a worksheet."""
    reference = standard(task, numbering)
    graph, sheet = reference.graph, Worksheet(task, list(reference.graph.inputs.values()))
    stands = {slot: sheet.inputs[name] for slot, name in graph.inputs.items()}
    for _, output in graph.outputs:
        for s in postorder(output, lambda k: () if k in stands or graph.literal[k] else graph.parents[k]):
            if s not in stands and not graph.literal[s]:
                stands[s] = sheet.graft(graph, s, {p: stands[p] for p in graph.parents[s] if p in stands})
                sheet.slots[reference.names[s]] = stands[s]
    sheet.settle({
        name: stands[slot] if slot in stands else sheet.graft(graph, slot, {}) for name, slot in graph.outputs
    })  # fmt: skip
    return sheet


def align(task: Task, entries: Sequence[Entry], mentioned: Collection[str]) -> Alignment:
    """The program that an answer works with; `mentioned` are the names that occur in its derivatives."""
    rows = value_rows(entries, task.at)
    first, *others = standards(task, rows)
    found = [_Aligner(task, entries, first, mentioned)]
    found += [_Aligner(task, entries, other, mentioned, found[0].places) for other in others]
    alignments = [aligner.aligned() for aligner in found]
    alignments = [each._replace(problem=found[0].reference, theirs=found[0].prints) for each in alignments]
    if len(alignments) == 1:
        return alignments[0]
    merits = [
        aligner.merit(alignment, entries) + _following(alignment.sheet, entries)
        for aligner, alignment in zip(found, alignments, strict=True)
    ]
    return alignments[merits.index(max(merits))]


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


class _Aligner:
    """Finds out which row is which, for one answer and one numbering."""

    def __init__(
        self,
        task: Task,
        entries: Sequence[Entry],
        reference: Standard,
        mentioned: Collection[str],
        places: Sequence[Mapping[str, Spread]] = (),
    ) -> None:
        self.task, self.mentioned = task, mentioned
        self.inputs = list(reference.graph.inputs.values())
        self.rows = value_rows(entries, self.inputs)
        self.called = renamed_inputs(task, self.inputs, self.rows, entries)
        self.rows = [row for row in self.rows if row.name not in self.called]
        self.own = {row.name for row in self.rows}
        called = zip(surveyed(len(self.inputs)), reference.graph.inputs, strict=True)
        free = {name: slot for name, slot in called if name not in self.own}
        own_inputs = {
            name: slot
            for slot, own in reference.graph.inputs.items()
            for name in self.called
            if self.called[name] == own
        }
        known = reference.slots.keys() - self.own
        self.lacking = any(name in known for name in mentioned)  # it works with rows that it has not worked out
        self.reference = reference._replace(slots={**free, **reference.slots, **own_inputs})
        sheet = Worksheet(task, self.inputs, places)
        self.places = sheet.places
        place = sheet.grafted_whole(reference.graph)
        prints = Prints(sheet)
        self.constants = constants_of(reference.graph) if reference.constants else []
        self.prints: dict[int, Print] = {
            slot: prints[place[slot]]
            for slot in dict.fromkeys((*reference.graph.inputs, *reference.names, *self.constants))
        }
        self.functions = FunctionIndex(self.prints)
        self.told = self._told_by_numbers()
        self.used = {q.name for row in self.rows for piece in row.formulas for q in piece.quantities.values()}

    def _with_one_astray(self, best: Alignment) -> Alignment:
        """A reading in which a single row goes astray and all others stand as they are, where there is one.

        The row should be one of the problem, or the same with another operation or another operand.
        """
        formulas = [row.name for row in self.rows if row.formulas]
        first = [name for name in formulas if name in best.wrong][:1] if len(best.wrong) + len(best.absent) > 1 else []
        tried = [(name, "") for name in formulas[:_MOST_TRIED] if first]
        tried += [(name, operation) for name in first for operation in _OPERATIONS]
        operands = [*self.inputs, *formulas][:_MOST_DOUBLES]
        tried += [(name, f"{place}:{other}") for name in first for other in operands for place in (0, 1)]
        for name, operation in tried:
            other = self.composed(frozenset(formulas) - {name}, mend=True, astray=name, operation=operation)
            if other.wrong == {name} and other.supplied <= best.supplied and self._reaches(other, formulas):
                return other
        return best

    def _reaches(self, alignment: Alignment, rows: Iterable[str]) -> bool:
        """Whether some of these rows are the results of the problem."""
        own = {alignment.sheet.slots[row] for row in rows if row in alignment.sheet.slots}
        results = [slot for _, slot in self.reference.graph.outputs if slot in self.prints]
        return all(any(same(alignment.prints[mine], self.prints[slot]) for mine in own) for slot in results)

    def _told_by_numbers(self) -> dict[str, int]:
        """Which rows of the standard trace those of a table of nothing but numbers are, if not those of their names.

        That is so where the numbers of all of them are true, each of another row, and the results are among them.
        """
        slots, found = self.reference.slots, dict[str, int]()
        results = {slot for _, slot in self.reference.graph.outputs}
        if any(row.formulas or row.reckoned or row.number is None for row in self.rows):
            return {}
        for row in self.rows:
            known = [slot for slot in self.reference.names if row.shows(self.prints[slot][0])]
            best = min(known, key=lambda slot: (slot in found.values(), slots.get(row.name) != slot), default=None)
            if best is None or best in found.values():
                return {}
            found[row.name] = best
        others = any(slots.get(name) not in (None, slot) for name, slot in found.items())
        return found if others and results.issubset(found.values()) else {}

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
        best = self.composed(accepted, mend=True)
        if best.wrong:
            best = self._with_one_astray(best)
        for name in best.doubles[:_MOST_DOUBLES] if best.wrong else ():
            other = self.composed(accepted, mend=True, astray=name)
            if len(other.wrong) + len(other.absent) < len(best.wrong) + len(best.absent):
                best = other
        return best

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
                merit -= 4  # it goes by the name of another row
        return merit

    def composed(self, accepted: Collection[str], mend: bool, astray: str = "", operation: str = "") -> Alignment:
        """The rows put together; with `mend` those that are neither accepted nor occur in the problem are replaced.

        So is the row `astray`, although it is one that occurs; if an operation is given by the same row with that.
        """
        return _Composition(self, accepted, mend, astray, operation).run()

    def intended(self, row: ValueRow, used: Collection[int], taken: Mapping[int, int]) -> int | None:
        """The row of the standard trace that a row which went astray should have been; `used` are the rows it uses."""
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
        """The first row of the standard trace, of those not taken, that has the number of a row without a formula."""
        if row.number is None:
            return None
        free = [slot for slot in self.reference.names if slot not in taken]
        found = next((slot for slot in free if within(row.number, self.prints[slot][0])), None)
        if found is None and not row.formulas and _NUMBERED.match(row.name):  # w3 is v3 where nothing else can be told
            found = next((slot for slot in free if self.reference.names[slot][1:] == row.name[1:]), None)
        return found

    def by_result(self, row: ValueRow, taken: Collection[int]) -> int | None:
        """The first row of the standard trace, of those not taken, that a row without a formula may be: not by name."""
        rows = dict.fromkeys((*self.reference.names, *self.constants))
        free = {slot: self.prints[slot][0] for slot in rows if slot not in taken and self.reference.graph.parents[slot]}
        shown = (slot for slot, true in free.items() if row.shows(true))
        return next(shown, next((slot for slot, true in free.items() if row.reckons(true)), None))

    def by_constant(self, row: ValueRow, taken: Collection[int]) -> int | None:
        """The constant of the problem that a row of nothing but a number is, those not taken first."""
        number = row.number
        if row.reckoned or number is None:
            return None
        near = [slot for slot in self.constants if row.shows(self.prints[slot][0])]
        away = {slot: abs(as_double(number.value) - self.prints[slot][0].middle) for slot in near}
        steps = self.reference.graph.parents
        return min(near, key=lambda slot: (slot in taken, not steps[slot], away[slot]), default=None)

    def meaning(self, found: Print, name: str, taken: Mapping[int, int]) -> int | None:
        """The slot of the standard trace that is this function: the one of that name first, then one not yet taken.

        A number that is written down comes last.
        """
        known = self.functions.like(found)
        slots, written = self.reference.slots, self.reference.graph.constants
        return min(known, key=lambda slot: (slots.get(name) != slot, slot in written, slot in taken), default=None)


class _Composition:
    """The rows of a student's program, put into one worksheet one after the other."""

    def __init__(self, aligner: _Aligner, accepted: Collection[str], mend: bool, forced: str, operation: str) -> None:
        self.aligner, self.accepted, self.mend = aligner, accepted, mend
        self.forced, self.operation = forced, operation
        self.supplied = 0
        self.doubles: list[str] = []
        self.results = dict(self.aligner.reference.graph.outputs)
        self.reference = aligner.reference
        self.sheet = Worksheet(aligner.task, aligner.inputs, aligner.places)
        self.prints = Prints(self.sheet)
        # The slot here that stands for each slot of the standard trace, and the other way round.
        self.stands = {slot: self.sheet.inputs[name] for slot, name in self.reference.graph.inputs.items()}
        self.meanings = {mine: slot for slot, mine in self.stands.items()}
        self.wrong: set[str] = set()
        self.astray: dict[int, int] = {}
        self.extra: set[str] = set()
        self.unknown: dict[str, str] = {}
        self.absent: list[str] = []
        self.doubtful: dict[str, None] = {}  # constants of the answer that are none of the problem

    def run(self) -> Alignment:
        waiting = list(self.aligner.rows)
        while waiting:
            row = next((row for row in waiting if self._is_ready(row)), waiting[0])
            waiting.remove(row)
            self._place(row)
        for name in (*self.aligner.called, *self.aligner.mentioned):
            if name not in self.sheet.slots and name in self.reference.slots:
                self.sheet.slots[name] = self._standing(self.reference.slots[name])
        outputs = {}
        for name, slot in self.reference.graph.outputs:
            own = self.sheet.slots.get(name) if name not in self.sheet.inputs else None
            outputs[name] = self._standing(slot) if own is None else own
        self.sheet.settle(outputs)
        given = tuple(row.name for row in self.aligner.rows)
        return Alignment(
            self.sheet,
            frozenset(self.wrong),
            frozenset(self.extra),
            self.unknown,
            given,
            tuple(self.absent),
            self.prints,
            self.reference,
            self.aligner.prints,
            self.astray,
            tuple(self.doubles),
            self.supplied,
        )

    def _is_ready(self, row: ValueRow) -> bool:
        """Whether all that a row uses is there, or can be supplied."""
        return all(
            quantity.name in self.sheet.slots
            or (quantity.name not in self.aligner.own and quantity.name in self.reference.slots)
            for piece in row.formulas[:1]
            for quantity in piece.quantities.values()
        )

    def _place(self, row: ValueRow) -> None:
        slot = self._composed(row)
        if slot is None and self.reference.constants and row.constant is not None:
            slot = self._constant(row, row.constant)
        if slot is None:
            slot = self._supplied(row)
        if slot is None:
            self.extra.add(row.name)
        else:
            self.sheet.slots[row.name] = slot

    def _composed(self, row: ValueRow) -> int | None:
        """The slot of a row by its own formula, mended if need be; None where it has none that can be used."""
        if not row.formulas or not row.formulas[0].graph:
            return None
        graph, leaves = row.formulas[0].graph, {}
        for leaf, symbol in graph.inputs.items():
            name = row.formulas[0].quantities[symbol].name
            if name not in self.sheet.slots and (name in self.aligner.own or name not in self.reference.slots):
                self.unknown[row.name] = name
                return None
            if name not in self.sheet.slots:
                self.sheet.slots[name] = self._standing(self.reference.slots[name])
            leaves[leaf] = self.sheet.slots[name]
        slot = self.sheet.graft(graph, graph.outputs[0][1], leaves)
        meaning = self.aligner.meaning(self.prints[slot], row.name, self.stands)
        if meaning in self.stands:
            self.doubles.append(row.name)
        result = self.results.get(row.name, self._by_name_and_number(row, meaning))
        if meaning is None and row.name != self.forced:
            slot, meaning = self._with_right_constant(row, graph, leaves) or (slot, None)
        if row.name == self.forced or (result in self.aligner.prints and not self._is(slot, result)):
            meaning = None
        if meaning is None and self._is_constant(graph, leaves):
            self.doubtful[row.name] = None
        elif meaning is None and self.mend and row.name not in self.accepted:
            if row.name == self.forced and self.operation:
                return self._with_operation(row, slot)
            used = [self.meanings[leaf] for leaf in leaves.values() if leaf in self.meanings]
            meaning = self.aligner.intended(row, used, self.stands) if result is None else result
            named = self.reference.slots.get(row.name)
            mended = self._known(row, named) if meaning is None else self._operation(meaning)
            if mended is None:
                return None
            self.wrong.add(row.name)
            self.astray[mended], slot = slot, mended
        if meaning is not None:
            self._stand(meaning, slot)
        return slot

    def _with_operation(self, row: ValueRow, slot: int) -> int:
        """The slot of a row that goes astray, with another operation or operand; its own where there is none."""
        parents, row_of = list(self.sheet.graph.parents[slot]), self.sheet.graph.rows[slot]
        place, colon, other = self.operation.partition(":")
        if colon:
            mine = self.sheet.slots.get(other)
            if mine is None or mine == slot or int(place) >= len(parents):
                return slot
            parents[int(place)] = mine
        else:
            row_of = lookup(self.operation.rstrip("'")) if len(parents) == 2 else None
            parents = parents[::-1] if self.operation.endswith("'") else parents
        if row_of is None:
            return slot
        mended = self.sheet.graph.apply(row_of, tuple(parents))
        self.wrong.add(row.name)
        self.astray[mended] = slot
        meaning = self.aligner.meaning(self.prints[mended], row.name, self.stands)
        if meaning is not None:
            self._stand(meaning, mended)
        return mended

    def _by_name_and_number(self, row: ValueRow, meaning: int | None) -> int | None:
        """The row of the standard trace whose name and number a row has, though its formula is that of another."""
        named, prints = self.reference.slots.get(row.name), self.aligner.prints
        if row.number is None or meaning is None or named not in prints or named == meaning:
            return None
        return named if within(row.number, prints[named][0]) and not within(row.number, prints[meaning][0]) else None

    def _is(self, mine: int, theirs: int | None) -> bool:
        """Whether a slot here is the function of one of the standard trace."""
        return theirs is not None and same(self.prints[mine], self.aligner.prints[theirs])

    def _is_constant(self, graph: Graph, leaves: Mapping[int, int]) -> bool:
        """Whether a formula uses nothing but constants of the answer that are none of the problem."""
        own = {self.sheet.slots[name] for name in self.doubtful}
        return self.reference.constants and bool(leaves) and own.issuperset(leaves.values())

    def _constant(self, row: ValueRow, graph: Graph) -> int | None:
        """The slot of a row without symbols that need not be the row of its name; None where it is."""
        aligner, named = self.aligner, self.reference.slots.get(row.name)
        if named in aligner.prints and row.shows(aligner.prints[named][0]):
            return None
        own = self.sheet.graft(graph, graph.outputs[0][1], {})
        known = aligner.by_constant(row, self.stands)
        if known is None:
            known = aligner.meaning(self.prints[own], row.name, self.stands)
        if known is None:
            known = aligner.by_result(row, self.stands)
        if known is not None:
            return self._known(row, known)
        if named in aligner.constants or row.name not in aligner.used:
            return None
        self.doubtful[row.name] = None
        return own

    def _with_right_constant(
        self, row: ValueRow, graph: Graph, leaves: Mapping[int, int]
    ) -> tuple[int, int | None] | None:
        """The slot and the meaning of a formula that has one with a constant of the problem for one of the answer's."""
        for leaf, mine in leaves.items():
            names = [name for name in self.doubtful if self.sheet.slots[name] == mine]
            for slot in self.aligner.constants if names else ():
                if slot in self.stands:
                    continue
                right = self.sheet.graft(self.reference.graph, slot, {})
                found = self.sheet.graft(graph, graph.outputs[0][1], {**leaves, leaf: right})
                meaning = self.aligner.meaning(self.prints[found], row.name, self.stands)
                if meaning is not None:
                    for name in names:
                        self.sheet.slots[name] = right
                        del self.doubtful[name]
                    self._stand(slot, right)
                    return found, meaning
        return None

    def _supplied(self, row: ValueRow) -> int | None:
        """The slot of a row that has no formula of use: the row of the standard trace of its name or of its number."""
        slot = self.aligner.told.get(row.name, self.reference.slots.get(row.name))
        if slot is None:
            slot = self.aligner.by_number(row, self.stands)
        return self._known(row, self._by_turn(row) if slot is None else slot)

    def _by_turn(self, row: ValueRow) -> int | None:
        """Which row of the standard trace a letter with nothing but a number is, if its number is wrong or rounded.

        The one that its number follows from, by the numbers of the rows before; else the first that is ready.
        """
        aligner, graph = self.aligner, self.reference.graph
        if row.number is None or row.reckoned or row.formulas or not _LETTER.match(row.name):
            return None
        if any(other.formulas for other in aligner.rows) or len(aligner.rows) > len(self.reference.names):
            return None
        free = [slot for slot in self.reference.names if slot not in self.stands]
        shown = stands_for(row.number)
        for slot in free:
            operation, parents = graph.rows[slot], graph.parents[slot]
            known = [x for parent in parents if (x := self._number(parent)) is not None]
            if operation is not None and len(known) == len(parents):
                found = SPREAD.number(apply(operation, SPREAD, known))
                if found.known and found.meets(shown):
                    return slot
        ready = (slot for slot in free if all(p in self.stands or graph.literal[p] for p in graph.parents[slot]))
        return next(ready, None)

    def _number(self, slot: int) -> Spread | None:
        """The student's number for a row of the standard trace; None where there is none."""
        graph = self.reference.graph
        if graph.literal[slot]:
            return constant_value(graph, slot)
        if slot in graph.inputs:
            return self.aligner.prints[slot][0]
        names = (name for name, mine in self.sheet.slots.items() if mine == self.stands.get(slot))
        numbers = {row.name: row.number for row in self.aligner.rows}
        return next((stands_for(number) for name in names if (number := numbers.get(name)) is not None), None)

    def _known(self, row: ValueRow, slot: int | None) -> int | None:
        """The slot of a row that stands for this one of the standard trace."""
        if slot is None:
            return None
        if slot in self.stands:
            return self.stands[slot]
        fused = (row.reckoned or row.name in self.aligner.told) and not self.aligner.lacking
        mine = self.sheet.graft(self.reference.graph, slot, self.stands) if fused else self._operation(slot)
        self._stand(slot, mine)
        return mine

    def _stand(self, slot: int, mine: int) -> None:
        self.stands.setdefault(slot, mine)
        self.meanings.setdefault(mine, slot)

    def _operation(self, slot: int) -> int:
        """The operation of a slot of the standard trace, on what stands here for its parents."""
        graph = self.reference.graph
        for parent in graph.parents[slot]:
            self._standing(parent)
        return self.sheet.graft(graph, slot, self._leaves(slot))

    def _leaves(self, slot: int) -> dict[int, int]:
        return {p: self.stands[p] for p in self.reference.graph.parents[slot] if p in self.stands}

    def _standing(self, slot: int) -> int:
        """What stands for a slot of the standard trace; the rows that are lacking are supplied and noted as absent."""
        graph = self.reference.graph
        for s in postorder(slot, lambda k: () if k in self.stands or graph.literal[k] else graph.parents[k]):
            if s in self.stands or graph.literal[s]:
                continue
            name = self.reference.names[s]
            self.supplied += 1
            self._stand(
                s, self.sheet.graft(graph, s, {p: self.stands[p] for p in graph.parents[s] if p in self.stands})
            )
            if name not in self.aligner.own and s not in self.aligner.constants:
                self.sheet.slots[name] = self.stands[s]
                self.absent.append(name)
        return self.stands[slot] if slot in self.stands else self.sheet.graft(graph, slot, {})


def _nearness(number: Numeral, true: Spread) -> int:
    """4 for a number that is right, 2 or 1 for one that rounding may have led away."""
    if not true.known:
        return 0
    away = abs(as_double(number.value) - true.middle)
    return 4 if within(number, true) else sum(away < drift * abs(true.middle) for drift in _DRIFTS)
