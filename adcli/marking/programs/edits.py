"""Edits of a formula: its value with another operation, operand, sign, exponent or constant, or without a part.

The formula of a row is a graph over what the row uses, so that each edit changes one slot, and with it the few slots
that depend on that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from ...graph.graph import Graph
from ...graph.rules import apply, partials
from ...numbers.double_intervals import SPREAD, Spread
from ...symbolic.terms import Term, Terms
from ...table.primitive import POWER, PRODUCT, ROWS, SUM, Primitive, Template
from ..model import BAR, DOT, VALUE
from .worksheet import Cell, Worksheet

if TYPE_CHECKING:
    from ..slips.catalogue import Read

_NEARBY = 20  # rows one of which may stand in a formula by mistake
_LARGEST = 60  # slots of a formula that is edited

Asked = tuple[str, int, str | None]  # a quantity: its kind, its slot, the input that moves or the output
Found = Iterator[tuple[str, Spread]]


class RowFormula:
    """The formula that a row should have, written out: a graph whose inputs are the quantities that it uses."""

    def __init__(self, sheet: Worksheet, kind: str, slot: int, key: str | None, users: Collection[int] | None) -> None:
        self.sheet, self.kind, self.key = sheet, kind, key
        self.graph = Graph()
        self.m = Terms(self.graph)
        self.asked: dict[str, Asked] = {}  # by the name of the input that stands for it
        self._inputs: dict[Asked, int] = {}
        self.written = self._written(slot, users)

    def _written(self, slot: int, users: Collection[int] | None) -> int | None:
        """The slot of the formula in its graph; None where there is none that is small."""
        cells = self.sheet.users(slot) if self.kind == BAR else [self.sheet.cells[slot]]
        cells = [cell for cell in cells if users is None or cell.slot in users]
        if not cells or sum(len(cell.inner) for cell in cells) > _LARGEST:
            return None
        result: Term | None = None
        for cell in cells:
            place = self._copied(cell)
            if self.kind == VALUE:
                return place[cell.slot]
            slopes = self._slopes(cell, place)
            for leaf, slope in slopes.items():
                if self.kind == BAR and leaf != slot:
                    continue
                moved = self._input((self.kind, cell.slot if self.kind == BAR else leaf, self.key))
                term = slope * moved
                result = term if result is None else result + term
        return None if result is None else result.slot

    def _input(self, asked: Asked) -> Term:
        found = self._inputs.get(asked)
        if found is None:
            name = str(len(self._inputs))
            found = self._inputs[asked] = self.graph.input(name)
            self.asked[name] = asked
        return self.m.term(found)

    def _copied(self, cell: Cell) -> dict[int, int]:
        """The slots of a cell in this graph."""
        place = {leaf: self._input((VALUE, leaf, None)).slot for leaf in cell.leaves}
        for slot in cell.inner:
            row = cell.graph.rows[slot]
            if row is None:
                place[slot] = self.graph.constant(cell.graph.constants[slot])
            else:
                place[slot] = self.graph.apply(row, tuple(place[p] for p in cell.graph.parents[slot]))
        return place

    def _slopes(self, cell: Cell, place: Mapping[int, int]) -> dict[int, Term]:
        """The derivatives of a cell by its leaves, written down: a reverse sweep over it."""
        m, graph = self.m, cell.graph
        bars: dict[int, Term] = {cell.slot: m.number(1)}
        for slot in reversed(cell.inner):
            row, bar = graph.rows[slot], bars.get(slot)
            if row is None or bar is None or graph.literal[slot]:
                continue
            parents = graph.parents[slot]
            wanted = tuple(not graph.literal[p] for p in parents)
            arguments = tuple(m.term(place[p]) for p in parents)
            for parent, partial, wish in zip(
                parents, m.partials(row, m.term(place[slot]), arguments, wanted), wanted, strict=True
            ):
                if wish and not m.equals(m.number(partial), 0):
                    share = bar * partial
                    bars[parent] = bars[parent] + share if parent in bars else share
        return {leaf: bars[leaf] for leaf in cell.leaves if leaf in bars}

    def edits(self, read: Read, others: Sequence[Asked], constants: Sequence[Spread] = ()) -> Found:
        """What the formula comes to after each edit, with the numbers that `read` gives; an operand that is wrong is
        one of the `others`, a constant a likely one or one of the `constants`.
        """
        graph = None if self.written is None else unfolded(self.graph, self.written)
        if graph is None:
            return
        near = [(other[0], read(*other)) for other in others]
        asked = {slot: self.asked[name] for slot, name in graph.inputs.items()}
        known = {slot: read(*what) for slot, what in asked.items()}
        wrong = {slot: [x for kind, x in near if kind == what[0]] for slot, what in asked.items()}
        yield from Edits(graph, known, wrong, constants).made()


class Edits:
    """The output of an unfolded graph at one point, and what it comes to after each edit: `known` are the inputs there,
    `wrong` what may stand in the place of each, `constants` what may stand for a constant.
    """

    def __init__(
        self,
        graph: Graph,
        known: Mapping[int, Spread],
        wrong: Mapping[int, Sequence[Spread]],
        constants: Sequence[Spread] = (),
    ) -> None:
        self.graph, self.wrong, self.constants = graph, wrong, constants
        self.order = range(len(graph))
        self.values = dict(known)
        self.exponents = {
            graph.parents[slot][1]
            for slot in self.order
            if (row := graph.rows[slot]) is not None and _level(row) == POWER and len(graph.parents[slot]) == 2
        }
        for slot in self.order:
            if slot not in self.values:
                self.values[slot] = self._value(slot, self.values)

    def made(self) -> Found:
        """The name of each edit, and what it leads to."""
        for slot in self.order:
            for name, number in self._at(slot):
                yield name, self._with(slot, number)

    def _value(self, slot: int, values: Mapping[int, Spread]) -> Spread:
        row = self.graph.rows[slot]
        if row is None:
            return self.graph.constants[slot].read(SPREAD)
        return SPREAD.number(apply(row, SPREAD, [values[p] for p in self.graph.parents[slot]]))

    def _with(self, slot: int, number: Spread) -> Spread:
        """The formula with another number in one slot."""
        changed = {slot: number}  # every slot leads to the last one
        for later in self.order[slot + 1 :]:
            if not changed.keys().isdisjoint(self.graph.parents[later]):
                changed[later] = self._value(later, {**self.values, **changed})
        return changed[self.order[-1]]

    def _at(self, slot: int) -> Found:
        """What may stand in one slot in place of what does."""
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
            for other in _kin(row):
                yield "wrong_operation", SPREAD.number(apply(other, SPREAD, [argument]))
        elif len(parents) == 2 and row.folds:
            yield from _of_two(row, self.values[parents[0]], self.values[parents[1]])


def unfolded(graph: Graph, output: int) -> Graph | None:
    """A formula with a slot for each place at which something is written, so that each can be edited alone; None for
    long ones.
    """
    found = Graph()
    stack: list[tuple[int, bool]] = [(output, False)]
    made: list[int] = []
    while stack:
        slot, ready = stack.pop()
        row, parents = graph.rows[slot], graph.parents[slot]
        if len(found) > _LARGEST or len(stack) > _LARGEST:
            return None
        if row is None:
            name = graph.inputs.get(slot)
            made.append(found.constant(graph.constants[slot]) if name is None else found.input(name))
        elif not ready:
            stack.append((slot, True))
            stack += [(parent, False) for parent in reversed(parents)]
        else:
            first = len(made) - len(parents)
            made[first:] = [found.apply(row, tuple(made[first:]))]
    found.outputs = [("", made[0])]
    return found


def _of_two(row: Primitive, a: Spread, b: Spread) -> Found:
    """What may stand in place of an operation on two operands: another one, one operand, the operands exchanged."""
    level = _level(row)
    for other in _two():
        if other is not row:
            turned = level == _level(other) == SUM
            yield "sign" if turned else "wrong_operation", SPREAD.number(apply(other, SPREAD, [a, b]))
    alone = {SUM: "term_missing", PRODUCT: "factor_forgotten", POWER: "wrong_exponent"}.get(level, "wrong_operation")
    yield alone, a
    yield alone if level != POWER else "wrong_operation", b
    yield "operands_swapped", SPREAD.number(apply(row, SPREAD, [b, a]))


def _level(row: Primitive) -> int:
    """How tightly an operator binds; 0 for functions."""
    return row.notation.level if isinstance(row.notation, Template) else 0


@cache
def _two() -> tuple[Primitive, ...]:
    """The operations on two operands that arithmetic is done with."""
    return tuple(row for row in ROWS.values() if row.folds and row.arity == 2)


@cache
def _kin(row: Primitive) -> tuple[Primitive, ...]:
    """The functions that are taken for this one: its slope, what it is the slope of, and its inverse."""

    def slope(of: Primitive) -> str:
        found = partials(of) if of.arity == 1 else None
        return found.of_argument if found is not None else ""

    names = {slope(row), row.inverse or ""} | {
        other.name for other in ROWS.values() if other.arity == 1 and row.name in (slope(other), other.inverse)
    }
    return tuple(ROWS[name] for name in sorted(names - {"", row.name}) if name in ROWS)


def nearby(sheet: Worksheet, kind: str, slot: int, key: str | None) -> list[Asked]:
    """What may stand in the formula of a row in place of what should: values, and derivatives of the same sweep."""
    slots = sorted((*sheet.inputs.values(), *sheet.cells), key=lambda other: abs(other - slot))[:_NEARBY]
    found: list[Asked] = [(VALUE, other, None) for other in slots if kind != VALUE or other < slot]
    if kind in (DOT, BAR):
        found += [(kind, other, key) for other in slots if other != slot]
    return found
