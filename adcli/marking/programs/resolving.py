"""Resolving the symbols of an answer: which row each represents, and a derivative's input or output. A Quantity is what
a symbol says (kind, name, key), a Resolved has the slot of the row instead of its name; a key is an input or output."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product

from ...answers.answer_model import BAR, DERIVATIVE, DOT, VALUE, Entry, Quantity, Task
from ...answers.shown_numbers import Habit, shown
from ...graph.order import postorder
from ...numbers.exact import read_fraction
from ...records import NamedTuple
from .composing import Alignment
from .uncorrected_program import AsWritten
from .value_rows import shown_number
from .worksheet import Cell, Solution, Worksheet

PARTIAL = "partial"


class Resolved(NamedTuple):
    """A quantity of a worksheet, identified by the `slot` of its row.

    By its `kind` it is a value; a tangent, if the input `key` moves; an adjoint of the output `key`; or a local partial
    derivative with respect to the slot `by`. `key` is None, and `by` is -1, for the other kinds.
    """

    kind: str
    slot: int
    key: str | None = None
    by: int = -1


class Resolver:
    """The meaning of the symbols of one answer.

    `forward`: derivatives are tangents. `backward`: derivatives of rows are local partials, from which adjoints are
    computed. `ends`: the task is in reverse mode and the answer has only derivatives of results. `wrt` are the inputs
    whose tangents are requested; all inputs if the task names none.
    """

    def __init__(
        self, task: Task, alignment: Alignment, entries: Sequence[Entry], truth: Solution, usual: Habit
    ) -> None:
        """Determine in which modes the answer works, from its rows and the task's mode (a forward task: `forward`).

        `truth` is the solution at the point of the task, with which blocks of derivatives are compared; `usual` is how
        the answer usually rounds. `forward`, `backward`, `ends` and `wrt` are described at the class; `wrt` are the
        inputs of `task.wrt`, or all inputs if none of these is an input of the answer's program.
        """
        self.sheet = alignment.sheet
        self.slots_as_written = alignment.slots_as_written
        self.truth = truth
        self.usual = usual
        kinds = {entry.quantity.kind for entry in entries}
        self.written = {entry.quantity[1:] for entry in entries if entry.quantity.kind == DERIVATIVE}
        self.results = {slot: name for name, slot in self.sheet.outputs.items()}
        self.values = {entry.quantity.name for entry in entries if entry.quantity.kind == VALUE}
        self.input_names = {slot: name for name, slot in self.sheet.inputs.items()}
        self.forward = task.mode == "forward" or (task.mode != "reverse" and self._goes_forward(entries, kinds))
        self.wrt = [name for name in task.wrt if name in self.sheet.inputs] or list(self.sheet.inputs)
        self.backward = not self.forward and self._are_for_adjoints(entries, reverse=task.mode == "reverse")
        self.ends = task.mode == "reverse" and self._has_results_alone(entries, kinds)

    def row(self, name: str) -> int | None:
        """Return the slot of the row or output with this name; None if neither has the name."""
        return self.sheet.slots.get(name, self.sheet.outputs.get(name))

    def decimal_constants(self) -> list[Resolved]:
        """Return the constants in the worksheet that are not whole numbers, one value for each time that one occurs.

        The worksheet is the student's corrected program: numbers in the student's own formulas count too.
        """
        sizes = {slot: read_fraction(constant.text) for slot, constant in self.sheet.graph.constants.items()}
        return [Resolved(VALUE, slot) for slot, size in sizes.items() if size is not None and size.denominator > 1]

    def _only_result(self, name: str, by: str) -> int | None:
        """Return the slot of the only output, of which dy/dx is a derivative whatever y is called.

        `name` is a name of neither a row nor an output, as y in dy/dx; this is not checked. None if there are several
        outputs. None also if the answer has the output next to `name` (F' is not f'): it has an own derivative of a row
        or output in that slot with respect to `by`, or a value row called `name` and one for that slot.
        """
        derived = {other for other, key in self.written if key == by}
        rivals = derived | (self.values if name in self.values else set())
        is_other = not self.results.keys().isdisjoint(map(self.row, rivals))
        return None if is_other or len(self.sheet.outputs) != 1 else next(iter(self.results))

    def _goes_forward(self, entries: Sequence[Entry], kinds: Collection[str]) -> bool:
        """Return whether the derivatives of an answer are tangents (`v̇3`, `dv3/dx1`), if the task does not set a mode.

        `kinds` are the kinds of the answer's quantities. The first that applies, the others by its rows dy/dx only:
        - it has a bar: False; it has a dot: True;
        - something is differentiated with respect to a row that is not an input: False;
        - a row that is neither a result nor an input is differentiated: True;
        - otherwise False.
        """
        if BAR in kinds or DOT in kinds:
            return BAR not in kinds
        steps = [entry.quantity for entry in entries if entry.quantity.kind == DERIVATIVE]
        swept = any(self.row(by or "") in self.sheet.cells for _, _, by in steps)
        rows = [self.row(name) for _, name, _ in steps]
        return not swept and any(slot in self.sheet.cells and slot not in self.results for slot in rows)

    def _has_results_alone(self, entries: Sequence[Entry], kinds: Collection[str]) -> bool:
        """Return whether all rows dy/dx of an answer are derivatives of results, also if it has none.

        False if `kinds`, the kinds of its rows, have a dot or bar.
        """
        slots = (self.row(entry.quantity.name) for entry in entries if entry.quantity.kind == DERIVATIVE)
        return not {DOT, BAR} & set(kinds) and all(slot in self.results for slot in slots)

    def _are_for_adjoints(self, entries: Sequence[Entry], *, reverse: bool) -> bool:
        """Return whether the answer works backwards, so that its derivatives of steps are local partials for adjoints.

        The answer must have an adjoint: a bar, or a derivative of a result with respect to a row that is not an input;
        in a task in reverse mode (`reverse`) of a result with respect to anything. Each derivative of a row that is not
        a result, if there are any, must be with respect to an operand in that row's formula in the worksheet. Its
        number must not be true as a tangent alone (`_is_tangent`).
        """
        cells, local, swept = self.sheet.cells, True, False
        for entry in entries:
            kind, name, by = entry.quantity
            slot, below = self.row(name), self.row(by or "")
            if kind == BAR or (kind == DERIVATIVE and slot in self.results and (reverse or below in cells)):
                swept = True
            elif kind == DERIVATIVE and slot in cells and slot not in self.results:
                local = local and below in cells[slot].leaves and not self._is_tangent(entry, slot, below)
        return local and swept

    def _is_tangent(self, entry: Entry, slot: int, below: int) -> bool:
        """Return whether a derivative of the row `slot` by an input shows the row's tangent and not the local partial.

        `below` is the slot of the input, and must be a leaf of the row (else KeyError). The narrow interval of the
        number must meet the true tangent, but not the true partial, both of the corrected program at the point of the
        task. False for an entry without a number, and if the derivative is not with respect to an input.
        """
        number, cell = shown_number(entry), self.sheet.cells[slot]
        if number is None or entry.quantity.key not in self.sheet.inputs:
            return False
        partial = cell.partials({leaf: self.truth.value(leaf) for leaf in cell.leaves})[below]
        seen = shown(number, self.usual).narrow
        return seen.meets(self.truth.read(DOT, slot, entry.quantity.key)) and not seen.meets(partial)

    def resolve_row(self, quantity: Quantity, key: str | None) -> Resolved | None:
        """Return the quantity that a row computes, as a Resolved with its slot and its input or output.

        `key` is this input or output if the row itself names none that is known: a row `v̇1` with `key` "x1" is
        dv1/dx1. Of a derivative dy/dv it is not used (`_derivative`). None if the row is unknown, if such a derivative
        means nothing, or if neither the row nor `key` names the input of a tangent or the output of an adjoint.
        """
        meaning = self._meaning_of(quantity, key, in_formula=False)
        return meaning if meaning is None or meaning.kind in (VALUE, PARTIAL) or meaning.key is not None else None

    def symbol(self, quantity: Quantity, row: Resolved) -> Resolved | None:
        """Return the quantity that a symbol in the formula of `row` represents.

        A tangent that names no input, or an unknown one, gets the key of `row` if `row` is a tangent, else the first
        input of `wrt` (the task's, or all). An adjoint without a known output gets the key of `row` if `row` is an
        adjoint, else the first output. These, and values, are None if no row or output has the symbol's name. A
        derivative dy/dv is a local partial, a tangent, an adjoint or None, as `_derivative` says.
        """
        key = row.key
        if quantity.kind in (DOT, BAR) and quantity.kind != row.kind:
            choices = self.wrt if quantity.kind == DOT else list(self.sheet.outputs)
            key = next(iter(choices), None)
        return self._meaning_of(quantity, key, in_formula=True)

    def _meaning_of(self, quantity: Quantity, key: str | None, in_formula: bool) -> Resolved | None:
        """Return the quantity of the worksheet that a quantity means as it is written, as a Resolved.

        A tangent or adjoint is that of the input or output that it names. If it names no input or output, or an unknown
        one, the input or output is `key`; if that is None, not known, the Resolved has the key None. `in_formula` says
        whether it is in the formula of a row; else it is what a row computes. None if the worksheet has no row or
        output of its name, or if it is a derivative that means nothing here (`_derivative`).
        """
        kind, name, wrt = quantity
        slot = self.row(name)
        if kind == DERIVATIVE:
            return self._derivative(name, slot, wrt or "", in_formula)
        if slot is None:
            return None
        known = self.sheet.inputs if kind == DOT else self.sheet.outputs
        return Resolved(kind, slot, None if kind == VALUE else wrt if wrt in known else key)

    def _derivative(self, name: str, slot: int | None, by: str, in_formula: bool) -> Resolved | None:
        """Return what `d name / d by` represents, by the first rule that applies.

        `slot` is the row or output of `name`, None if unknown: then the only output is meant (`_only_result`). None if
        `by` is unknown, if no row is found, or if no rule applies. A row uses `by` directly if its formula does, also
        as written if it is wrong. Rules:

        1. in a formula (`in_formula`) the local derivative of a row that uses `by` directly, unless the answer has a
           row for this derivative;
        2. the local derivative of such a row in a backward answer if it is not a result, in a forward one if `by` is
           not an input;
        3. with respect to an input the tangent of a row that is not a result, and of any row in a forward answer; also
           of a result called by the name of its row (v5), but not in a backward answer, and not if the answer has only
           derivatives of results (`ends`);
        4. the adjoint of `by`, if `name` or its slot is a result;
        5. the local derivative of a row that uses `by` directly.
        """
        below, outputs = self.row(by), self.sheet.outputs
        slot = self._only_result(name, by) if slot is None else slot
        if below is None or slot is None:
            return None
        cell = self.sheet.cells.get(slot)
        local = cell is not None and (below in cell.leaves or self._uses_as_written(slot, below))
        if in_formula and local and (name, by) not in self.written:  # a row of that name is what its symbol means
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

    def _uses_as_written(self, slot: int, below: int) -> bool:
        """Return whether the wrong formula of the row in `slot`, as written, uses the row `below` directly.

        That is so if `below`, a slot of the corrected worksheet, is reached in the formula without passing another row
        or input, also if the formula is just that row. False if the row in `slot` is not wrong (`slots_as_written` has
        no such key).
        """
        top, graph = self.slots_as_written.get(slot), self.sheet.graph
        named = {*self.sheet.cells, *self.sheet.inputs.values()}
        return top is not None and below in postorder(top, lambda s: () if s in named else graph.parents[s])

    def keys(self, entries: Sequence[Entry]) -> dict[int, str]:
        """Return {index of entry: key} for rows that do not say their key, such as `v̇1 = 6`.

        The key of a tangent is an input in `wrt`, that of an adjoint an output. Rows with an unknown name are left out.
        Rows of one sweep (`_blocks`) get one key. The block and key with the most true numbers (`_merit`: a seed of 1
        counts 3 more) are joined first, of equals the earlier block, then a key that other rows name. A key is used
        again only when all are used.

        But if this count is less than how many numbers the block has, the block may get another key, also a used one:
        that for which the larger of two counts is largest, its `_merit` and the rows of the block that are copies, in
        name and texts, of rows that already have the key. It gets it if this count is one of these:
        - at least the numbers of the block;
        - more than that of the first key, by over half of the numbers;
        - not less than that of the first key, and a row is such a copy.
        """
        keys: dict[int, str] = {}
        texts = [(entry.quantity, *(piece.span.text for piece in entry.pieces)) for entry in entries]
        written = {entry.quantity.key for entry in entries}
        for kind, choices in (DOT, self.wrt), (BAR, list(self.sheet.outputs)):
            blocks = list(self._blocks(entries, kind))
            choices = sorted(choices, key=lambda key: key not in written)  # those that other rows speak of go first
            free = list(choices)
            merits = {(block[0], key): self._merit(entries, block, kind, key) for block in blocks for key in choices}
            while blocks and choices:  # what fits best goes first, and each has one of its own as long as there are any
                free = free or list(choices)
                pairs = product(enumerate(blocks), enumerate(free))
                ranks = ((merits[block[0], key], -place, -order, key) for (place, block), (order, key) in pairs)
                merit, place, _, best = max(ranks)
                block = blocks.pop(-place)
                whole = sum(shown_number(entries[k]) is not None for k in block)
                if merit < whole:  # rows that only repeat those of a sweep belong to it
                    twins = [key for place in block for other, key in keys.items() if texts[place] == texts[other]]
                    better = {key: max(merits[block[0], key], twins.count(key)) for key in choices}
                    repeated = max(choices, key=lambda key: better[key])
                    gain = better[repeated] - merit
                    if better[repeated] >= whole or 2 * gain > whole or (repeated in twins and gain >= 0):
                        best = repeated
                keys |= dict.fromkeys(block, best)
                if best in free:
                    free.remove(best)
        return keys

    def _blocks(self, entries: Sequence[Entry], kind: str) -> Iterable[list[int]]:
        """Yield a list of indices of `entries` for each block: the derivatives of one `kind` (dot or bar) of one sweep.

        Left out are entries of other kinds, those that name a key (input or output), and those whose row is unknown;
        they do not end a block. A new block begins with:
        - a tangent whose name is already in the block, except if the row had only formulas before and has now a number.
          Nor if its number only repeats the row's last one, unless it is that of an input and the block has a result;
        - a tangent of 1 of an input that is new in the block, if the block has a row that is not an input, and a 1 for
          an input;
        - the adjoint of a result, if its name is already in the block or the block has the adjoint of an input.
        """
        block: list[int] = []
        seen: set[int] = set()
        named: set[str] = set()
        announced: set[int] = set()  # a formula alone, whose numbers are put in further down
        numbers: dict[int, Fraction] = {}  # the last one of each row
        ends = set(self.sheet.inputs.values())
        for place, entry in enumerate(entries):
            slot = self.row(entry.quantity.name)
            if entry.quantity.kind != kind or entry.quantity.key is not None or slot is None:
                continue
            alone = all(piece.quantities for piece in entry.pieces)
            again = entry.quantity.name in named  # ȳ is not a second v̄5
            number = shown_number(entry)
            is_seed = slot in ends and not seen.isdisjoint(self.results)  # of the next sweep
            if again and kind == DOT and not is_seed and number is not None and numbers.get(slot) == number.value:
                again = False  # a repetition, of this sweep
            if kind == DOT:
                anew = again and (alone or slot not in announced)
                if slot in ends - seen and number is not None and number.value == 1 and not seen <= ends:
                    anew = Fraction(1) in {*map(numbers.get, ends)}  # the seed of the next sweep
            else:
                anew = slot in self.results and (again or bool(seen & ends))
            if anew:
                yield block
                block, seen, named, announced, numbers = [], set(), set(), set(), {}
            block.append(place)
            if number is not None:
                numbers[slot] = number.value
            seen.add(slot)
            named.add(entry.quantity.name)
            (announced.add if alone else announced.discard)(slot)
        if block:
            yield block

    def _merit(self, entries: Sequence[Entry], block: Sequence[int], kind: str, key: str) -> int:
        """Return how many numbers of a block are true for the input or output `key`, plus 3 for a seed of 1.

        True means that the narrow interval of the number meets the true value, 0 too, of the corrected program at the
        point of the task; what follows from the student's wrong numbers is not true. `block` has indices of entries,
        `kind` is dot (`key` is an input) or bar (an output). Each number 1 of `key` itself is a seed, and so counts 4.
        Entries without a number or a known row count 0.
        """
        merit = 0
        seed = self.sheet.inputs[key] if kind == DOT else self.sheet.outputs[key]
        for place in block:
            number, slot = shown_number(entries[place]), self.row(entries[place].quantity.name)
            if number is None or slot is None:
                continue
            is_seed = slot == seed and number.value == 1
            merit += shown(number, self.usual).narrow.meets(self.truth.read(kind, slot, key)) + 3 * is_seed
        return merit


def cells_of(quantity: Resolved, sheet: Worksheet | AsWritten) -> list[Cell]:
    """Return the rows whose formulas compute a quantity: for an adjoint the users of its row, else the row itself.

    Users come in the order of a reverse sweep, each once. [] for the value, tangent or partial of an input, and for an
    adjoint that nothing uses.
    """
    if quantity.kind == BAR:
        return sheet.users(quantity.slot)
    return [sheet.cells[quantity.slot]] if quantity.slot in sheet.cells else []


def used_directly(quantity: Resolved, sheet: Worksheet | AsWritten) -> list[Resolved]:
    """Return the quantities of the same kind and key that `quantity` is computed from directly, each once.

    For an adjoint they are adjoints of the row's users, in the order of a reverse sweep; for a value or tangent they
    are those of the row's operands. [] for a partial derivative, for the value or tangent of an input, and for an
    adjoint that nothing uses.
    """
    if quantity.kind == PARTIAL:
        return []
    cells = cells_of(quantity, sheet)
    slots = [cell.slot for cell in cells] if quantity.kind == BAR else [leaf for cell in cells for leaf in cell.leaves]
    return [quantity._replace(slot=slot) for slot in slots]


def mentions(entries: Iterable[Entry], inputs: Mapping[str, int] | Iterable[str]) -> list[str]:
    """Return the names that an answer uses in derivatives and in formulas, in order of appearance, each once.

    Of `dy/dx` both names count, of v̇3 and v̄3 that of the row. A value row's own name does only if it is in a formula,
    of any row. Names in `inputs` are left out.
    """
    names: dict[str, None] = {}
    for entry in entries:
        for quantity in (*([] if entry.quantity.kind == VALUE else [entry.quantity]), *entry.symbols):
            names[quantity.name] = None
            if quantity.kind == DERIVATIVE and quantity.key:
                names[quantity.key] = None
    known = set(inputs)
    return [name for name in names if name not in known]
