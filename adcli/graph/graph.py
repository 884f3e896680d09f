"""The graph of operations in columns.

A million operations need not be a million objects, so the language builds a `Graph` and hands out the paper's Nodes
(`node`) only where something shows them or teaches with them.  Slot i of a graph, its Node i and row i of a trace are
the same thing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..table import functions as _table  # noqa: F401 - importing it fills the table
from ..table.primitive import Primitive

if TYPE_CHECKING:
    from ..table.arithmetic import Arithmetic, T

INPUT = "input"
CONSTANT = "constant"


class Constant:
    """A number as it was written, or one that has a name."""

    __slots__ = ("named", "text")

    def __init__(self, text: str, named: bool = False) -> None:
        self.text = text
        self.named = named

    def read(self, m: Arithmetic[T]) -> T:
        """The constant in the arithmetic `m`."""
        return CONSTANTS[self.text](m) if self.named else m.number(self.text)


# The numbers with names; a name of the user's goes before these.
CONSTANTS = {"pi": lambda m: m.pi, "e": lambda m: m.e, "tau": lambda m: 2 * m.pi}


class Graph:
    """Operations in columns, parents always before children.

    rows       the function of each slot; None for inputs and constants
    parents    the slots of its arguments, by position: `x*x` has the same slot twice
    spans      where it was written, as (start, end) in the program's text
    literal    1 where the slot is a number written down, or arithmetic on such numbers (`1/2`, `2*pi`)
    constants  the constants, by slot; inputs: the names of the inputs, by slot, in order
    outputs    (name, slot) of each result; aliases: the names that the user gave to slots
    """

    __slots__ = ("aliases", "constants", "inputs", "literal", "outputs", "parents", "rows", "spans")

    def __init__(self) -> None:
        self.rows: list[Primitive | None] = []
        self.parents: list[tuple[int, ...]] = []
        self.spans: list[tuple[int, int]] = []
        self.literal = bytearray()
        self.constants: dict[int, Constant] = {}
        self.inputs: dict[int, str] = {}
        self.outputs: list[tuple[str, int]] = []
        self.aliases: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self.rows)

    def _append(self, row: Primitive | None, parents: tuple[int, ...], span: tuple[int, int], literal: int) -> int:
        self.rows.append(row)
        self.parents.append(parents)
        self.spans.append(span)
        self.literal.append(literal)
        return len(self.rows) - 1

    def input(self, name: str, span: tuple[int, int] = (0, 0)) -> int:
        """A new input of this name."""
        slot = self._append(None, (), span, 0)
        self.inputs[slot] = name
        return slot

    def constant(self, constant: Constant, span: tuple[int, int] = (0, 0)) -> int:
        """A new constant leaf."""
        slot = self._append(None, (), span, 1)
        self.constants[slot] = constant
        return slot

    def apply(self, row: Primitive, parents: tuple[int, ...], span: tuple[int, int] = (0, 0)) -> int:
        """A new operation on earlier slots; arithmetic on literals stays a literal."""
        rows, literal = self.rows, self.literal
        rows.append(row)
        self.parents.append(parents)
        self.spans.append(span)
        literal.append(row.folds and literal[parents[0]] and all(map(literal.__getitem__, parents)))
        return len(rows) - 1

    def operator(self, slot: int) -> str:
        """The name of what happens in a slot: a function of the table, `input` or `constant`."""
        row = self.rows[slot]
        if row is None or self.literal[slot]:
            return INPUT if slot in self.inputs else CONSTANT
        return row.name

    def operations(self) -> Iterable[int]:
        """The slots that have a row of their own in a trace: neither inputs nor literals."""
        rows, literal = self.rows, self.literal
        return (slot for slot in range(len(rows)) if rows[slot] is not None and not literal[slot])

    def children(self) -> list[list[int]]:
        """For each slot the slots that use it, once for each edge, in order."""
        below: list[list[int]] = [[] for _ in self.rows]
        for slot, parents in enumerate(self.parents):
            for parent in parents:
                below[parent].append(slot)
        return below
