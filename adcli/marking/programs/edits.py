"""Edits of a formula: its value with another operation, operand, sign, exponent or constant, or without a part. A slot
is the index of an operation, input or constant in a graph; slips are named as in the catalogue.

The formula of a row is a graph over the quantities that the row uses; each edit changes one slot, and with it the few
slots that depend on it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache

from ...answers.answer_model import BAR, DOT, VALUE
from ...graph.copies import copy_formula
from ...graph.graph import Graph
from ...graph.rules import value_of_slot
from ...numbers.double_intervals import SPREAD, Spread
from ...numbers.doubles import apply
from ...symbolic.terms import Term, Terms
from ...table.primitive import POWER, PRODUCT, ROWS, SUM, Primitive, Template
from .worksheet import Cell, Read, SlipNumbers, Worksheet

_NEARBY = 20  # rows one of which may stand in a formula by mistake
_LARGEST = 60  # slots of a formula that is edited

QuantityKey = tuple[str, int, str | None]  # a quantity: its kind, its slot, the input that moves or the output


class RowFormula:
    """The formula that a row should have, written out as a graph whose inputs are the quantities that the row uses.

    `inputs` maps quantities (kind, slot, key) to the slots of these inputs. `written` is the slot of the formula in
    `graph`; None if the row has no formula, or one with too many operations.
    """

    def __init__(self, sheet: Worksheet, kind: str, slot: int, key: str | None, users: Collection[int] | None) -> None:
        """Write the formula of the quantity (kind, slot, key) of a worksheet, and set `written` to its slot.

        `written` is None if the quantity is computed from nothing, or if the rows used have more than 60 inner slots.
        `users` limits an adjoint to the contributions of the rows in these slots; None means all. Raises KeyError for
        the value or tangent of an input.
        """
        self.sheet, self.kind, self.key = sheet, kind, key
        self.graph = Graph()
        self.m = Terms(self.graph)
        self.inputs: dict[QuantityKey, int] = {}  # the input k of the graph, called k, represents the k-th of them
        self.written = self._write_formula(slot, users)

    def _write_formula(self, slot: int, users: Collection[int] | None) -> int | None:
        """Build the formula of the quantity for the row `slot` in the graph and return the slot of the formula.

        A value is its cell. A tangent is the sum of slopes times tangents of operands; an adjoint is that of slopes
        times adjoints of users, without the seed, one term for each user in the order of a reverse sweep. Slopes that
        are identically 0 are left out. Only rows in `users` count (None: all): for a value or tangent the row itself,
        for an adjoint its users. None if no term remains, or if these rows have more than 60 inner slots, operations
        and constants without names. Raises KeyError for the value or tangent of an input.
        """
        cells = self.sheet.users(slot) if self.kind == BAR else [self.sheet.cells[slot]]
        cells = [cell for cell in cells if users is None or cell.slot in users]
        if sum(len(cell.inner) for cell in cells) > _LARGEST:
            return None
        result: Term | None = None
        for cell in cells:
            leaves = {leaf: self._input((VALUE, leaf, None)).slot for leaf in cell.leaves}
            place = copy_formula(self.graph, cell.graph, cell.top, leaves)
            if self.kind == VALUE:
                return place[cell.slot]
            slopes = self._slopes(cell, place)
            for leaf in slopes.keys() & {slot} if self.kind == BAR else slopes:
                moved = self._input((self.kind, cell.slot if self.kind == BAR else leaf, self.key))
                term = slopes[leaf] * moved
                result = term if result is None else result + term
        return None if result is None else result.slot

    def _input(self, quantity: QuantityKey) -> Term:
        """Return the input of the graph that represents `quantity`, (kind, slot, key); it is added if it is new.

        Inputs are named `0`, `1`, … in order; `self.inputs` maps quantities to the slots of these inputs.
        """
        if quantity not in self.inputs:
            self.inputs[quantity] = self.graph.input(str(len(self.inputs)))
        return self.m.term(self.inputs[quantity])

    def _slopes(self, cell: Cell, place: Mapping[int, int]) -> dict[int, Term]:
        """Return {leaf: derivative of the cell with respect to this leaf}, by a reverse sweep over the cell.

        A leaf is a named slot that the row uses (`cell.leaves`): an input or another row. It is a slot of the cell's
        graph, its derivative a term of this graph. `place` maps slots of the cell to slots of this graph. Partials that
        are identically 0 are skipped, and so are leaves that only these reach. A slope whose parts cancel stays, as in
        `(x - x)*z`. A cell that only gives another name has none.
        """
        m, graph = self.m, cell.graph
        bars: dict[int, Term] = {cell.slot: m.number(1)}
        for slot in reversed(cell.inner):
            row, bar = graph.rows[slot], bars.get(slot)
            if row is None or bar is None or graph.literal[slot]:
                continue
            parents = graph.parents[slot]
            is_needed = tuple(not graph.literal[p] for p in parents)
            arguments = tuple(m.term(place[p]) for p in parents)
            partials = m.partials(row, m.term(place[slot]), arguments, is_needed)
            for parent, partial, wish in zip(parents, partials, is_needed, strict=True):
                if wish and not m.equals(m.number(partial), 0):
                    contribution = bar * partial
                    bars[parent] = bars[parent] + contribution if parent in bars else contribution
        return {leaf: bars[leaf] for leaf in cell.leaves if leaf in bars}

    def edits(self, read: Read, others: Sequence[QuantityKey], constants: Sequence[Spread] = ()) -> SlipNumbers:
        """Yield (name of the slip, value of the formula) for each change of one slot in the formula written as a tree.

        In the tree each use of an operand is a slot of its own. `read(kind, slot, key)` returns the numbers to compute
        with. The changes (`Edits._edits_at`) are another sign, operation, operand or constant, one operand instead of
        an operation, and exchanged operands; they also concern slopes in it. Another operand is one of `others` of the
        same kind, whatever its key. Another constant is x ± 1, 2x, x/2 or one of `constants`. Values may be unknown, or
        equal the right one. Nothing is yielded if `written` is None or the tree has more than about 60 slots.
        """
        graph = None if self.written is None else unfold_formula(self.graph, self.written)
        if graph is None:
            return
        near = [(other[0], read(*other)) for other in others]
        every = [*self.inputs]
        quantities = {slot: every[int(name)] for slot, name in graph.inputs.items()}
        known = {slot: read(*what) for slot, what in quantities.items()}
        wrong = {slot: [x for kind, x in near if kind == what[0]] for slot, what in quantities.items()}
        yield from Edits(graph, known, wrong, constants, is_slope=self.kind != VALUE).apply_edits()


class Edits:
    """The output of an unfolded graph (each slot is used once) at one point, and after each edit of one slot."""

    def __init__(
        self, graph: Graph, known: Mapping[int, Spread], wrong: Mapping[int, Sequence[Spread]],
        constants: Sequence[Spread] = (), *, is_slope: bool = True,
    ) -> None:  # fmt: skip
        """Evaluate the graph at one point; that each slot is used once, the output last, is not checked.

        `known` are the values of its inputs by slot, `wrong` the values that each input, by slot, may have by mistake,
        `constants` the values that a constant in it may have by mistake. `is_slope` says that it is a derivative, in
        which a function may be written for its derivative, and an argument be changed; not the value of a row. `values`
        has the right values of all slots, `exponents` the slots that are exponents of powers.
        """
        self.graph, self.wrong, self.constants, self.is_slope = graph, wrong, constants, is_slope
        self.order = range(len(graph))
        self.values = dict(known)
        powers = [slot for slot, row in enumerate(graph.rows) if row is not None and level_of(row) == POWER]
        self.exponents = {graph.parents[slot][1] for slot in powers if len(graph.parents[slot]) == 2}
        for slot in self.order:
            if slot not in self.values:
                self.values[slot] = SPREAD.number(value_of_slot(graph, SPREAD, slot, self.values))

    def apply_edits(self) -> SlipNumbers:
        """Yield (slip, value of the output) for each edit of one slot, from the first slot to the last.

        In the argument of a function of a derivative, `wrong_operation` is chain_rule_forgotten: exp(2x) for exp(x²).
        """
        inside: set[int] = set()
        for slot in reversed(self.order) if self.is_slope else ():
            row, parents = self.graph.rows[slot], self.graph.parents[slot]
            is_function = row is not None and len(parents) == 1 and not row.signs
            inside.update(parents if is_function or slot in inside else ())
        for slot in self.order:
            for name, number in self._edits_at(slot):
                is_changed = slot in inside and name == "wrong_operation"
                yield "chain_rule_forgotten" if is_changed else name, self._output_with(slot, number)

    def _output_with(self, slot: int, number: Spread) -> Spread:
        """Return the value of the output if the slot `slot` has the value `number`; nothing is changed."""
        changed = {slot: number}  # every slot leads to the last one
        for later in self.order[slot + 1 :]:
            if not changed.keys().isdisjoint(self.graph.parents[later]):
                value = value_of_slot(self.graph, SPREAD, later, {**self.values, **changed})
                changed[later] = SPREAD.number(value)
        return changed[self.order[-1]]

    def _edits_at(self, slot: int) -> SlipNumbers:
        """Yield (slip, number) for each value that one slot may have by mistake, its negative (`sign`) first.

        The number is that of the slot, not yet of the formula. What follows depends on the slot:
        - an input: its wrong values (`wrong_operand`);
        - a constant x: x ± 1, 2x, x/2 and `constants`, as `wrong_exponent` for the exponent of a power, else
          `wrong_constant`;
        - a function: its argument, then related functions of the argument (`wrong_operation`, but in a derivative
          `value_for_adjoint` for one whose derivative it is);
        - arithmetic on two operands: what `_edits_of_two` yields;
        - other operations: nothing.
        """
        row, parents = self.graph.rows[slot], self.graph.parents[slot]
        here = self.values[slot]
        yield "sign", -here
        if slot in self.graph.inputs:
            yield from (("wrong_operand", other) for other in self.wrong.get(slot, ()))
        elif row is None:
            name = "wrong_exponent" if slot in self.exponents else "wrong_constant"
            yield from ((name, number) for number in (here + 1, here - 1, 2 * here, here / 2, *self.constants))
        elif len(parents) == 1:
            argument = self.values[parents[0]]
            yield "wrong_operation", argument
            for other in _related_functions(row):
                is_value = self.is_slope and _slope_name(other) == row.name
                number = SPREAD.number(apply(other, SPREAD, [argument]))
                yield "value_for_adjoint" if is_value else "wrong_operation", number
        elif len(parents) == 2 and row.folds:
            yield from _edits_of_two(row, self.values[parents[0]], self.values[parents[1]])


def unfold_formula(graph: Graph, output: int) -> Graph | None:
    """Return a formula as a tree: a graph in which each operand is used once, so that each can be edited alone.

    `output` is the slot of the formula in `graph`; in the result it is the last slot and the only output, called "".
    Operands come before their operation, the first one first. A constant or input that occurs several times gets
    several slots, inputs with the same name. None if the tree has more than about 60 slots.
    """
    unfolded = Graph()
    stack: list[tuple[int, bool]] = [(output, False)]
    copies: list[int] = []
    while stack:
        slot, ready = stack.pop()
        row, parents = graph.rows[slot], graph.parents[slot]
        if len(unfolded) > _LARGEST or len(stack) > _LARGEST:
            return None
        if row is None:
            name = graph.inputs.get(slot)
            copies.append(unfolded.constant(graph.constants[slot]) if name is None else unfolded.input(name))
        elif not ready:
            stack.append((slot, True))
            stack += [(parent, False) for parent in reversed(parents)]
        else:
            first = len(copies) - len(parents)
            copies[first:] = [unfolded.apply(row, tuple(copies[first:]))]
    unfolded.outputs = [("", copies[0])]
    return unfolded


def _edits_of_two(row: Primitive, a: Spread, b: Spread) -> SlipNumbers:
    """Yield (slip, value) for what may be written instead of the operation `row` on `a` and `b`.

    - First each other arithmetic operation, powers among them: `sign` between + and -, else `wrong_operation`.
    - Then `a` alone and `b` alone, of a difference also -b: `term_missing` for a sum or difference, `factor_forgotten`
      for a product or quotient; for a power `wrong_exponent` for `a` and `wrong_operation` for `b`; else
      `wrong_operation`.
    - Then the operands exchanged, also of + and ×: `operands_swapped`.
    """
    level = level_of(row)
    for other in operations():
        if other is not row:
            is_negated = level == level_of(other) == SUM
            yield "sign" if is_negated else "wrong_operation", SPREAD.number(apply(other, SPREAD, [a, b]))
    alone = {SUM: "term_missing", PRODUCT: "factor_forgotten", POWER: "wrong_exponent"}.get(level, "wrong_operation")
    yield alone, a
    yield alone if level != POWER else "wrong_operation", b
    if row.signs == (1, -1):
        yield alone, -b
    yield "operands_swapped", SPREAD.number(apply(row, SPREAD, [b, a]))


def level_of(row: Primitive) -> int:
    """Return the binding strength of an operator (SUM, PRODUCT or POWER, …); 0 for functions."""
    return row.notation.level if isinstance(row.notation, Template) else 0


@cache
def operations() -> tuple[Primitive, ...]:
    """Return the arithmetic operations on two operands, in the order of the table of functions."""
    return tuple(row for row in ROWS.values() if row.folds and row.arity == 2)


@cache
def _related_functions(row: Primitive) -> tuple[Primitive, ...]:
    """Return the functions that may be mistaken for `row`, sorted by name; not `row` itself.

    They are the derivative and the inverse of `row`, and the functions whose derivative or inverse is `row`. The
    derivative counts if it is one function of the argument (`_slope_name`).
    """
    names = {_slope_name(row), row.inverse or ""} | {
        other.name for other in ROWS.values() if other.arity == 1 and row.name in (_slope_name(other), other.inverse)
    }
    return tuple(ROWS[name] for name in sorted(names - {"", row.name}) if name in ROWS)


def _slope_name(row: Primitive) -> str:
    """Return the name of the function that is the derivative of `row`: `cos` for `sin`.

    "" if `row` has several arguments, or if its derivative is not a single operation on the same argument. So it is for
    `cos` (with a sign), for `log` (1/x), and for `exp`, whose derivative is computed from its value.
    """
    if row.arity != 1:
        return ""
    m = Terms(Graph())
    z, x = m.term(m.graph.input("z")), m.term(m.graph.input("x"))
    slot = m.number(m.partials(row, z, (x,), (True,))[0]).slot
    slope = m.graph.rows[slot]
    return slope.name if slope is not None and m.graph.parents[slot] == (x.slot,) else ""


def nearby(sheet: Worksheet, kind: str, slot: int, key: str | None) -> list[QuantityKey]:
    """Return the quantities that may be mistaken for one in the formula of (kind, slot, key): of the 20 nearest slots.

    Slots are those of inputs and rows, `slot` itself among the 20. First come values, the nearest slot first: for a
    value only those of earlier slots, otherwise those of all 20. For tangents and adjoints the same kind and `key` in
    the other slots follow, the nearest first. Of two slots at the same distance inputs come first.
    """
    slots = sorted((*sheet.inputs.values(), *sheet.cells), key=lambda other: abs(other - slot))[:_NEARBY]
    keys: list[QuantityKey] = [(VALUE, other, None) for other in slots if kind != VALUE or other < slot]
    if kind in (DOT, BAR):
        keys += [(kind, other, key) for other in slots if other != slot]
    return keys
