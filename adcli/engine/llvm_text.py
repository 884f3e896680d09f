"""Text of LLVM IR, written line by line: the part of the language that a compiled program needs.

Pointers have types, which LLVM before 15 requires; later versions accept them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

from ..overriding import override

DOUBLE, LONG, INT, BYTE, BIT = "double", "i64", "i32", "i8", "i1"


def lanes_of(kind: str, lanes: int) -> str:
    """The type of so many numbers of a type."""
    return f"<{lanes} x {kind}>"


def word_of(x: float) -> int:
    """The bits of a double as a whole number."""
    return int.from_bytes(struct.pack("<d", x), "little")


class Value:
    """What an instruction makes, or a constant: its type and how it is written."""

    __slots__ = ("kind", "name")

    def __init__(self, kind: str, name: str) -> None:
        self.kind = kind
        self.name = name

    @override
    def __str__(self) -> str:
        """As an operand of whose type the instruction does not know."""
        return f"{self.kind} {self.name}"


def constant(kind: str, number: object) -> Value:
    """A number of this type, as LLVM writes it."""
    return Value(kind, str(number))


def alike(kind: str, number: object, lanes: int) -> Value:
    """So many times the same number of this type, as LLVM writes it."""
    return Value(lanes_of(kind, lanes), f"<{', '.join([f'{kind} {number}'] * lanes)}>")


class Instructions:
    """The instructions of a block in order, whose values are called by a letter of its own, and the functions that they
    call."""

    def __init__(self, letter: str) -> None:
        self._letter = letter
        self.written: list[str] = []
        self.declared: dict[str, str] = {}

    def put(self, line: str) -> None:
        """An instruction without a result."""
        self.written.append(line)

    def value(self, kind: str, instruction: str) -> Value:
        """What an instruction makes, of this type."""
        name = f"%{self._letter}{len(self.written)}"
        self.written.append(f"{name} = {instruction}")
        return Value(kind, name)

    def operation(self, name: str, *operands: Value) -> Value:
        """What an instruction makes of values of one type: a value of the same."""
        first = operands[0]
        return self.value(first.kind, f"{name} {', '.join([str(first), *[x.name for x in operands[1:]]])}")

    def compare(self, relation: str, a: Value, b: Value, truths: str) -> Value:
        """Where a relation of doubles holds: `olt`, `une`, …"""
        return self.value(truths, f"fcmp {relation} {a}, {b.name}")

    def select(self, condition: Value, a: Value, b: Value) -> Value:
        """The one where a condition holds, the other elsewhere."""
        return self.value(a.kind, f"select {condition}, {a}, {b}")

    def convert(self, name: str, x: Value, kind: str) -> Value:
        """The value as another type: `bitcast`, `trunc`, …"""
        return self.value(kind, f"{name} {x} to {kind}")

    def call(self, symbol: str, kind: str, arguments: Sequence[Value]) -> Value:
        """What a function makes of values."""
        if symbol not in self.declared:
            self.declared[symbol] = f'declare {kind} @"{symbol}"({", ".join([x.kind for x in arguments])})'
        return self.value(kind, f'call {kind} @"{symbol}"({", ".join(map(str, arguments))})')

    def element(self, x: Value, place: int, kind: str) -> Value:
        """One of the numbers of a value."""
        return self.value(kind, f"extractelement {x}, {INT} {place}")

    def with_element(self, x: Value, one: Value, place: int) -> Value:
        """The value with another number at a place."""
        return self.value(x.kind, f"insertelement {x}, {one}, {INT} {place}")

    def place(self, column: Value, index: Value, kind: str = "") -> Value:
        """Where what has an index lies in memory, from `column` on, as a place for this type, if one is said."""
        own = column.kind.removesuffix("*")
        found = self.value(column.kind, f"getelementptr {own}, {column}, {index}")
        return found if kind in ("", own) else self.convert("bitcast", found, f"{kind}*")

    def load(self, place: Value, align: int = 8) -> Value:
        """What lies there."""
        kind = place.kind.removesuffix("*")
        return self.value(kind, f"load {kind}, {place}, align {align}")

    def store(self, x: Value, place: Value, align: int = 1) -> None:
        """Afterwards the value lies there."""
        self.put(f"store {x}, {place}, align {align}")


def block(name: str, lines: Iterable[str]) -> str:
    """Instructions under a name that others jump to."""
    return "\n  ".join([f"{name}:", *lines])


def function(head: str, blocks: Iterable[str], declared: Iterable[str]) -> str:
    """The text of a module with one function, and those that it calls."""
    return "\n".join([*declared, f"define {head} {{", *blocks, "}", ""])
