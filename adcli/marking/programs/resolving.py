"""Resolving the symbols of an answer: which row each represents, and a derivative's input or output."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ...graph.order import postorder
from ...records import NamedTuple
from ..model import BAR, DERIVATIVE, DOT, VALUE, Entry, Quantity, Task
from ..shown_numbers import Habit, shown
from .composing import Alignment
from .value_rows import shown_number
from .worksheet import Solution, Worksheet

if TYPE_CHECKING:
    from .uncorrected_program import AsWritten

PARTIAL = "partial"


class Resolved(NamedTuple):
    """A quantity of a worksheet, by the slot of its row.

    A value; a tangent, where the input `key` moves; an adjoint of the output `key`; or a local partial derivative, by
    the slot `by`.
    """

    kind: str
    slot: int
    key: str | None = None
    by: int = -1


class Resolver:
    """Tells what the symbols of one answer stand for."""

    def __init__(
        self, task: Task, alignment: Alignment, entries: Sequence[Entry], truth: Solution, usual: Habit
    ) -> None:
        self.sheet = alignment.sheet
        self.astray = alignment.astray
        self.truth = truth
        self.usual = usual
        kinds = {entry.quantity.kind for entry in entries}
        self.written = {entry.quantity[1:] for entry in entries if entry.quantity.kind == DERIVATIVE}
        self.results = {slot: name for name, slot in self.sheet.outputs.items()}
        self.forward = task.mode == "forward" or (task.mode != "reverse" and self._goes_forward(entries, kinds))
        self.wrt = [name for name in task.wrt if name in self.sheet.inputs] or list(self.sheet.inputs)
        self.backward = not self.forward and self._are_for_adjoints(entries)
        self.ends = task.mode == "reverse" and self._has_results_alone(entries, kinds)

    def row(self, name: str) -> int | None:
        """The slot of a row by its name; an unknown name is the result where there is one result."""
        return self.sheet.slots.get(name, self.sheet.outputs.get(name))

    def _goes_forward(self, entries: Sequence[Entry], kinds: Collection[str]) -> bool:
        """Whether an answer has tangents, be they spelled `v̇3` or, with no result by another row, `dv3/dx1`."""
        if BAR in kinds or DOT in kinds:
            return BAR not in kinds
        steps = [entry.quantity for entry in entries if entry.quantity.kind == DERIVATIVE]
        swept = any(self.row(by or "") in self.sheet.cells for _, _, by in steps)
        own = [self.row(name) for _, name, _ in steps]
        return not swept and any(slot in self.sheet.cells and slot not in self.results for slot in own)

    def _has_results_alone(self, entries: Sequence[Entry], kinds: Collection[str]) -> bool:
        """Whether the derivatives of an answer are those of results by inputs, the ends of a sweep."""
        slots = (self.row(entry.quantity.name) for entry in entries if entry.quantity.kind == DERIVATIVE)
        return not {DOT, BAR} & set(kinds) and all(slot in self.results for slot in slots)

    def _are_for_adjoints(self, entries: Sequence[Entry]) -> bool:
        """Whether the answer goes backwards, and its derivatives of rows are what adjoints are put together from."""
        cells, local, swept = self.sheet.cells, True, False
        for kind, name, by in (entry.quantity for entry in entries):
            slot, below = self.row(name), self.row(by or "")
            if kind == BAR or (kind == DERIVATIVE and slot in self.results and below in cells):
                swept = True
            elif kind == DERIVATIVE and slot in cells and slot not in self.results:
                local = local and below in cells[slot].leaves
        return local and swept

    def asked(self, quantity: Quantity, key: str | None) -> Resolved | None:
        """What a row works out; `key` goes on where it does not say by which input or of which output."""
        found = self._resolved(quantity, key, within=False)
        return found if found is None or found.kind in (VALUE, PARTIAL) or found.key is not None else None

    def symbol(self, quantity: Quantity, row: Resolved) -> Resolved | None:
        """What a symbol in the formula of a row stands for: tangents and adjoints are those that the row is about."""
        key = row.key
        if quantity.kind in (DOT, BAR) and quantity.kind != row.kind:
            choices = self.wrt if quantity.kind == DOT else list(self.sheet.outputs)
            key = next(iter(choices), None)
        return self._resolved(quantity, key, within=True)

    def _resolved(self, quantity: Quantity, key: str | None, within: bool) -> Resolved | None:
        kind, name, own = quantity
        slot = self.row(name)
        if kind == DERIVATIVE:
            return self._derivative(name, slot, own or "", within)
        if slot is None:
            return None
        known = self.sheet.inputs if kind == DOT else self.sheet.outputs
        return Resolved(kind, slot, None if kind == VALUE else own if own in known else key)

    def _derivative(self, name: str, slot: int | None, by: str, within: bool) -> Resolved | None:
        """What `d name / d by` is.

        `within` a formula the local derivative of a row that uses `by` directly; else the derivative of a result by
        anything (an adjoint), or of anything by an input (a tangent).
        """
        below = self.row(by)
        if below is None:
            return None
        outputs = self.sheet.outputs
        if slot is None and len(outputs) == 1:  # dy/dx whatever y is called
            slot = next(iter(outputs.values()))
        if slot is None:
            return None
        cell = self.sheet.cells.get(slot)
        local = cell is not None and (below in cell.leaves or self._strays_to(slot, below))
        if within and local and (name, by) not in self.written:  # a row of that name is what its symbol stands for
            return Resolved(PARTIAL, slot, None, below)
        output = name if name in outputs else self.results.get(slot)
        a_row = name in self.sheet.slots and name not in outputs  # dv5/dx1 is a tangent, though v5 is the result
        if local and ((self.backward and output is None) or (self.forward and by not in self.sheet.inputs)):
            return Resolved(PARTIAL, slot, None, below)
        if by in self.sheet.inputs and (output is None or self.forward or (a_row and not (self.backward or self.ends))):
            return Resolved(DOT, slot, by)
        if output is not None:
            return Resolved(BAR, below, output)
        return Resolved(PARTIAL, slot, None, below) if local else None

    def _strays_to(self, slot: int, below: int) -> bool:
        """Whether a row that went astray uses another one that it should not use."""
        top, graph = self.astray.get(slot), self.sheet.graph
        named = {*self.sheet.cells, *self.sheet.inputs.values()}
        return top is not None and below in postorder(top, lambda s: () if s in named else graph.parents[s])

    def keys(self, entries: Sequence[Entry]) -> dict[int, str]:
        """By place in the answer: the input that a tangent belongs to, the output of an adjoint, if not written."""
        found: dict[int, str] = {}
        written = {entry.quantity.key for entry in entries}
        for kind, choices in (DOT, self.wrt), (BAR, list(self.sheet.outputs)):
            blocks = list(self._blocks(entries, kind))
            choices = sorted(choices, key=lambda key: key not in written)  # those that other rows speak of go first
            free = list(choices)
            while blocks and choices:  # what fits best goes first, and each has one of its own as long as there are any
                free = free or list(choices)
                merit, place, _, best = max(
                    (self._merit(entries, block, kind, key), -place, -order, key)
                    for place, block in enumerate(blocks)
                    for order, key in enumerate(free)
                )
                block = blocks.pop(-place)
                whole = sum(shown_number(entries[k]) is not None for k in block)
                if merit < whole:  # rows that only repeat those of a sweep belong to it
                    better = {key: self._merit(entries, block, kind, key) for key in choices}
                    repeated = max(choices, key=lambda key: better[key])
                    best = repeated if 2 * (better[repeated] - merit) > whole else best
                found |= dict.fromkeys(block, best)
                if best in free:
                    free.remove(best)
        return found

    def _blocks(self, entries: Sequence[Entry], kind: str) -> Iterable[list[int]]:
        """Runs of derivatives that belong together.

        A tangent that is there already starts anew, and so does the seed of a result once a sweep has come down to it
        again or to the inputs.
        """
        block: list[int] = []
        seen: set[int] = set()
        named: set[str] = set()
        announced: set[int] = set()  # a formula alone, whose numbers are put in further down
        ends = set(self.sheet.inputs.values())
        for place, entry in enumerate(entries):
            slot = self.row(entry.quantity.name)
            if entry.quantity.kind != kind or entry.quantity.key is not None or slot is None:
                continue
            alone = all(piece.quantities for piece in entry.pieces)
            again = entry.quantity.name in named  # ȳ is no second v̄5
            if kind == DOT:
                anew = again and (alone or slot not in announced)
            else:
                anew = slot in self.results and (again or bool(seen & ends))
            if anew:
                yield block
                block, seen, named, announced = [], set(), set(), set()
            block.append(place)
            seen.add(slot)
            named.add(entry.quantity.name)
            (announced.add if alone else announced.discard)(slot)
        if block:
            yield block

    def _merit(self, entries: Sequence[Entry], block: Sequence[int], kind: str, key: str) -> int:
        """How many numbers of a block are true for an input or output; a seed in its place counts most."""
        merit = 0
        seed = self.sheet.inputs[key] if kind == DOT else self.sheet.outputs[key]
        for place in block:
            number, slot = shown_number(entries[place]), self.row(entries[place].quantity.name)
            if number is None or slot is None:
                continue
            merit += shown(number, self.usual).narrow.meets(self.truth.read(kind, slot, key)) + 3 * (
                slot == seed and number.value == 1
            )
        return merit


def used_directly(asked: Resolved, sheet: Worksheet | AsWritten) -> list[Resolved]:
    """Return the quantities of its own kind that a row is computed from: for an adjoint those of the row's users.

    A partial derivative has none.
    """
    if asked.kind == BAR:
        return [asked._replace(slot=cell.slot) for cell in sheet.users(asked.slot)]
    cell = sheet.cells.get(asked.slot) if asked.kind in (VALUE, DOT) else None
    return [asked._replace(slot=leaf) for leaf in cell.leaves] if cell is not None else []


def mentioned(entries: Iterable[Entry], inputs: Mapping[str, int] | Iterable[str]) -> list[str]:
    """The rows that an answer names in derivatives and in formulas, in order."""
    names: dict[str, None] = {}
    for entry in entries:
        for quantity in (
            *([] if entry.quantity.kind == VALUE else [entry.quantity]),
            *(quantity for piece in entry.pieces for quantity in piece.quantities.values()),
        ):
            names[quantity.name] = None
            if quantity.kind == DERIVATIVE and quantity.key:
                names[quantity.key] = None
    known = set(inputs)
    return [name for name in names if name not in known]
