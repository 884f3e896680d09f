"""The graph of operations in columns.

A million operations need not be a million objects, so the language builds a `Graph` and hands out the paper's Nodes
(`node`) only where something shows them or teaches with them.  Slot i of a graph, its Node i and row i of a trace are
the same thing.

A graph travels as plain data, rows of the table by their names, since rules are functions.  What comes back has been
looked through: a state that was damaged on its way, or made by somebody else, is an error and no graph that cannot be.
"""

from __future__ import annotations

import copyreg
import re
from collections.abc import Callable, Iterable, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Final

from ..errors import RequestError, damaged
from ..overriding import override
from ..patterns import pattern
from ..table.functions import lookup
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

    def row(self, slot: int) -> Primitive:
        """Return the function that is applied in a slot.  Raises LookupError for an input or a constant."""
        row = self.rows[slot]
        if row is None:
            raise LookupError(f"slot {slot} has no function")
        return row

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

    @override
    def __reduce__(self) -> tuple[Callable[..., Graph], tuple[object, ...]]:
        return unpacked, self.packed()

    def packed(self) -> tuple[object, ...]:
        """The graph as plain data that can be hashed, and that `unpacked` reads."""
        return (
            tuple([row and row.name for row in self.rows]),
            tuple(self.parents),
            tuple(self.spans),
            bytes(self.literal),
            tuple([(slot, constant.text, constant.named) for slot, constant in self.constants.items()]),
            tuple(self.inputs.items()),
            tuple(self.outputs),
            tuple(self.aliases.items()),
        )

    def __copy__(self) -> Graph:
        new = Graph()
        new.rows, new.parents, new.spans = self.rows.copy(), self.parents.copy(), self.spans.copy()
        new.literal, new.constants, new.inputs = self.literal.copy(), self.constants.copy(), self.inputs.copy()
        new.outputs, new.aliases = self.outputs.copy(), self.aliases.copy()
        return new

    def __deepcopy__(self, memo: object) -> Graph:
        return self.__copy__()  # what the columns hold is never changed


# --- graphs that travel ---


NUMBER: Final = pattern(r"-?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,5})?", re.ASCII)


def row_named(name: object) -> Primitive:
    """The row of the table that has this name.  Raises RequestError where there is none here."""
    row = lookup(name) if isinstance(name, str) else None
    if row is None:
        shown = name[:40] if isinstance(name, str) else type(name).__name__
        raise RequestError(
            f"there is no function called {shown} here",
            help="declare it where this is read as well: adcli.declare in a module that both processes import",
        )
    return row


copyreg.pickle(Primitive, lambda row: (row_named, (row.name,)))


def unpacked(*state: object) -> Graph:
    """The graph that was packed.  Raises RequestError for what is none, and for functions that nobody has declared."""
    try:
        graph = _columns(*state)  # type: ignore[arg-type]  # what is wrong is told by the errors below
        _check(graph)
    except (TypeError, ValueError, AttributeError) as error:
        raise damaged("a graph", str(error)) from None
    return graph


def _columns(
    rows: Sequence[str | None],
    parents: Sequence[Sequence[int]],
    spans: Sequence[tuple[int, int]],
    literal: bytes,
    constants: Sequence[tuple[int, str, bool]],
    inputs: Sequence[tuple[int, str]],
    outputs: Sequence[tuple[str, int]],
    aliases: Sequence[tuple[int, str]],
) -> Graph:
    graph = Graph()
    graph.rows = [None if name is None else row_named(name) for name in rows]
    graph.parents = [tuple(above) for above in parents]
    graph.spans = [(start, end) for start, end in spans]
    graph.literal = bytearray(bytes(memoryview(literal)))
    graph.constants = {slot: _constant(text, named) for slot, text, named in constants}
    graph.inputs, graph.aliases = dict(inputs), dict(aliases)
    graph.outputs = [(name, slot) for name, slot in outputs]
    return graph


def _constant(text: str, named: bool) -> Constant:
    if text not in CONSTANTS if named else not (NUMBER.fullmatch(text) and isfinite(float(text))):
        raise ValueError(f"{text[:40]!r} is no constant")
    return Constant(text, bool(named))


def _check(graph: Graph) -> None:
    """Raises ValueError where the columns are not those of a graph."""
    inputs, constants, count = graph.inputs, graph.constants, len(graph)
    if not count == len(graph.parents) == len(graph.spans) == len(graph.literal):
        raise ValueError("its columns differ in length")
    for slot, (row, parents) in enumerate(zip(graph.rows, graph.parents, strict=True)):
        if not all(type(parent) is int and 0 <= parent < slot for parent in parents):
            raise ValueError(f"the arguments in slot {slot} are not before it")
        if row is None:
            if parents or (slot in inputs) == (slot in constants):
                raise ValueError(f"slot {slot} is neither an input nor a constant")
        elif not row.accepts(len(parents)) or slot in inputs or slot in constants:
            raise ValueError(f"slot {slot} is no {row.name}")
    names = [*inputs.values(), *graph.aliases.values(), *(name for name, _ in graph.outputs)]
    places = [*inputs, *constants, *graph.aliases, *(slot for _, slot in graph.outputs)]
    if not all(type(slot) is int and 0 <= slot < count for slot in places):
        raise ValueError("a name is of no slot")
    if not all(isinstance(name, str) for name in names) or len(set(inputs.values())) < len(inputs):
        raise ValueError("its names are none")
    if not all(type(start) is int and type(end) is int and 0 <= start <= end for start, end in graph.spans):
        raise ValueError("its places in the text are none")
    for slot, literal in enumerate(graph.literal):
        row = graph.rows[slot]
        written = slot in constants if row is None else row.folds and all(graph.literal[p] for p in graph.parents[slot])
        if literal not in (0, 1) or literal > written or (slot in constants and not literal):
            raise ValueError(f"it is not so that slot {slot} is a literal, or none")
