"""The rows of an answer put together into one program, mended where they go astray."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

from ...graph.graph import Constant, Graph
from ...graph.order import ancestors, postorder
from ...graph.rules import apply
from ...numbers.double_intervals import SPREAD, Spread
from ...patterns import pattern
from ...records import NamedTuple
from ...table.primitive import ROWS
from ..shown_numbers import stands_for
from .candidates import Candidates
from .reference_traces import Standard
from .value_rows import ValueRow, constant_value, within
from .worksheet import Print, Prints, Worksheet, same

if TYPE_CHECKING:
    from .corrected_program import Mend

_LETTER = pattern(r"[^\W\d_]\d*\Z")


class Alignment(NamedTuple):
    """A student's program as a worksheet.

    `wrong` are the rows whose formula went astray, `extra` those that stand for nothing in the problem, `unknown` says
    by row which name nothing defines.  `given` are the rows of values that the answer has, `absent` those of the
    standard trace that it lacks although it works with them.  `prints` are those of the worksheet; `problem` is the
    problem's own trace, `theirs` the prints of its rows.  `astray` are the slots of wrong rows, each with the slot of
    the formula that it has in place of the right one; `doubles` are rows that are the same function as an earlier one;
    `supplied` counts the rows of the problem that are needed and are none of the answer's; `strange` are the rows with
    formulas that occur nowhere in the problem.  `baseless` says that some rows are numbers that are none of
    the problem's, and that none of its rows needs.
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
    strange: frozenset[str]
    baseless: bool


class Composition:
    """The rows of a student's program, put into one worksheet one after the other."""

    def __init__(
        self, aligner: Candidates, accepted: Collection[str], mend: bool, forced: str, mended: Mend | None
    ) -> None:
        self.aligner, self.accepted, self.mend = aligner, accepted, mend
        self.forced, self.mended = forced, mended
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
        self.strange: set[str] = set()  # rows that would be mended unless they are accepted
        self.doubtful: dict[str, None] = {}  # constants of the answer that are none of the problem

    def run(self) -> Alignment:
        for row in self._in_turn():
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
            frozenset(self.strange),
            self._is_baseless(),
        )

    def _is_baseless(self) -> bool:
        """Whether there are constants that are none of the problem's, and that no row of it works with."""
        needed = ancestors(self.sheet.graph, list(self.meanings)) if self.doubtful else ()
        return any(not needed[self.sheet.slots[name]] for name in self.doubtful)

    def _in_turn(self) -> Iterator[ValueRow]:
        """The rows, each when all that it uses is there or can be supplied; where none is so, the first of the rest."""
        rows = self.aligner.rows
        lacking = [{name for name in self._used(row) if name not in self.sheet.slots} for row in rows]
        users: dict[str, list[int]] = {}
        for place, names in enumerate(lacking):
            for name in names:
                users.setdefault(name, []).append(place)
        # A result that is told before its steps uses them all the same.
        results = [self.aligner.prints[slot][0] for slot in self.results.values() if slot in self.aligner.prints]
        late = [
            not row.formulas and row.number is not None and any(within(row.number, true) for true in results)
            for row in rows
        ]
        ready = [(late[place], place) for place, names in enumerate(lacking) if not names]
        heapify(ready)
        done: set[int] = set()
        first = 0
        while len(done) < len(rows):
            while first in done:
                first += 1
            place = heappop(ready)[1] if ready else first
            if place in done:
                continue
            done.add(place)
            yield rows[place]
            for user in users.get(rows[place].name, ()) if rows[place].name in self.sheet.slots else ():
                lacking[user].discard(rows[place].name)
                if not lacking[user]:
                    heappush(ready, (late[user], user))

    def _used(self, row: ValueRow) -> Iterator[str]:
        """What a row needs to be there: what its formula uses and cannot be supplied, and what its mended one uses."""
        for piece in row.formulas[:1]:
            for quantity in piece.quantities.values():
                if quantity.name in self.aligner.own or quantity.name not in self.reference.slots:
                    yield quantity.name
        if self.mended is not None and self.mended.name == row.name and self.mended.line is not None:
            yield from self.mended.line.names.values()

    def _place(self, row: ValueRow) -> None:
        slot = self._composed(row)
        told = row.name in self.aligner.told
        if slot is None and not told and self.reference.constants and row.constant is not None:
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
        if self.mended is not None and row.name == self.mended.name:
            return self._in_place(slot, self.mended)
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
        elif meaning is None and not self._is_left(row):
            used = [self.meanings[leaf] for leaf in leaves.values() if leaf in self.meanings]
            meaning = self.aligner.intended(row, used, self.stands) if result is None else result
            named = self.reference.slots.get(row.name)
            count = len(self.absent)
            mended = self._known(row, named) if meaning is None else self._operation(meaning)
            self._take_back(count)
            if mended is None:
                return None
            self.wrong.add(row.name)
            self.astray[mended], slot = slot, mended
        if meaning is not None:
            self._stand(meaning, slot)
        return slot

    def _is_left(self, row: ValueRow) -> bool:
        """Remembers a row that is none of the problem, and tells whether it stands as it is."""
        self.strange.add(row.name)
        return not self.mend or row.name in self.accepted

    def _in_place(self, slot: int, mend: Mend) -> int:
        """The slot of what a row should have been, its own formula being in another."""
        sheet, count = self.sheet, len(self.absent)
        if mend.line is None:
            mended = self._operation(mend.slot)
        else:
            graph = mend.line.graph
            if any(name not in sheet.slots for name in mend.line.names.values()):
                return slot
            leaves = {leaf: sheet.slots[name] for leaf, name in mend.line.names.items()}
            mended = sheet.graft(graph, graph.outputs[0][1], leaves)
            if mended in leaves.values():  # a row of its own all the same
                mended = sheet.graph.apply(ROWS["mul"], (mended, sheet.graph.constant(Constant("1"))))
        self._take_back(count)
        self.wrong.add(mend.name)
        self.astray[mended] = slot
        if mend.line is not None and mend.slot >= 0:
            self.stands[mend.slot] = mended
        meaning = self.aligner.meaning(self.prints[mended], mend.name, self.stands) if mend.line else mend.slot
        if meaning is not None:
            self._stand(meaning, mended)
        return mended

    def _take_back(self, count: int) -> None:
        """Rows that a mended row needs are not missing for that, unless the answer works with them."""
        self.absent[count:] = [name for name in self.absent[count:] if name in self.aligner.mentioned]

    def _by_name_and_number(self, row: ValueRow, meaning: int | None) -> int | None:
        """The row of the standard trace whose name and number a row has, though its formula is that of another."""
        named, prints = self.reference.slots.get(row.name), self.aligner.prints
        if row.number is None or meaning is None or named not in prints or named == meaning or named in self.stands:
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
        if slot is None and row.reckoned and not row.formulas:
            slot = self.aligner.by_result(row, self.stands)
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
        told = self.aligner.told
        for other in self.aligner.functions.like(self.aligner.prints[slot]) if row.name in told else ():
            if other not in told.values():
                self._stand(other, mine)  # what is written once stands for all that are the same
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
            alias = self.reference.graph.aliases.get(s, "")
            name = alias if self.reference.slots.get(alias) == s else self.reference.names[s]
            self.supplied += 1
            self._stand(
                s, self.sheet.graft(graph, s, {p: self.stands[p] for p in graph.parents[s] if p in self.stands})
            )
            if name not in self.aligner.own and s not in self.aligner.constants:
                self.sheet.slots[name] = self.stands[s]
                self.absent.append(name)
        return self.stands[slot] if slot in self.stands else self.sheet.graft(graph, slot, {})
