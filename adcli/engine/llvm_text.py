"""Text of LLVM IR, written line by line: the part of the language that a compiled program needs.

Pointers have types, which LLVM before 15 requires; later versions accept them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

from ..typings import override

DOUBLE, LONG, INT, BYTE, BIT = "double", "i64", "i32", "i8", "i1"


def lanes_of(kind: str, lanes: int) -> str:
    """Return the LLVM type of a vector of `lanes` numbers of type `kind`: `<4 x double>`."""
    return f"<{lanes} x {kind}>"


def word_of(x: float) -> int:
    """Return the 64 bits of a double as an unsigned integer."""
    return int.from_bytes(struct.pack("<d", x), "little")


class Value:
    """An LLVM value, the result of an instruction or a constant: `kind` is its type, `name` how it is written as an
    operand.
    """

    __slots__ = ("kind", "name")

    def __init__(self, kind: str, name: str) -> None:
        self.kind = kind
        self.name = name

    @override
    def __str__(self) -> str:
        """Return type and name, as an operand is written that needs its type: `double %v3`."""
        return f"{self.kind} {self.name}"


def constant(kind: str, number: object) -> Value:
    """Return a constant of type `kind`; `number` is written with `str`."""
    return Value(kind, str(number))


def alike(kind: str, number: object, lanes: int) -> Value:
    """Return a constant vector: `lanes` times the same number of type `kind`."""
    return Value(lanes_of(kind, lanes), f"<{', '.join([f'{kind} {number}'] * lanes)}>")


class Instructions:
    """A list of LLVM instructions, whose results are named by `letter` and a number, and the external functions they
    call.

    `written` holds the lines in order, `declared` the declaration of each called function by its symbol.
    """

    def __init__(self, letter: str) -> None:
        self._letter = letter
        self.written: list[str] = []
        self.declared: dict[str, str] = {}

    def put(self, line: str) -> None:
        """Append an instruction without a result."""
        self.written.append(line)

    def value(self, kind: str, instruction: str) -> Value:
        """Append an instruction and return its result, a value of type `kind`."""
        name = f"%{self._letter}{len(self.written)}"
        self.written.append(f"{name} = {instruction}")
        return Value(kind, name)

    def operation(self, name: str, *operands: Value) -> Value:
        """Append an instruction on operands of one type; return its result, which has the same type."""
        first = operands[0]
        return self.value(first.kind, f"{name} {', '.join([str(first), *[x.name for x in operands[1:]]])}")

    def compare(self, relation: str, a: Value, b: Value, truths: str) -> Value:
        """Return the truth values (of type `truths`) of a comparison of doubles: `relation` is `olt`, `une`, …."""
        return self.value(truths, f"fcmp {relation} {a}, {b.name}")

    def select(self, condition: Value, a: Value, b: Value) -> Value:
        """Return `a` where `condition` is true, else `b`."""
        return self.value(a.kind, f"select {condition}, {a}, {b}")

    def convert(self, name: str, x: Value, kind: str) -> Value:
        """Return `x` converted to type `kind` by the instruction `name`: `bitcast`, `trunc`, …."""
        return self.value(kind, f"{name} {x} to {kind}")

    def call(self, symbol: str, kind: str, arguments: Sequence[Value]) -> Value:
        """Return the result, of type `kind`, of a call of the function `symbol`; declare the function if it is new."""
        if symbol not in self.declared:
            self.declared[symbol] = f'declare {kind} @"{symbol}"({", ".join([x.kind for x in arguments])})'
        return self.value(kind, f'call {kind} @"{symbol}"({", ".join(map(str, arguments))})')

    def element(self, x: Value, place: int, kind: str) -> Value:
        """Return the number at position `place` of the vector `x`."""
        return self.value(kind, f"extractelement {x}, {INT} {place}")

    def with_element(self, x: Value, one: Value, place: int) -> Value:
        """Return the vector `x` with the number `one` at position `place`."""
        return self.value(x.kind, f"insertelement {x}, {one}, {INT} {place}")

    def place(self, column: Value, index: Value, kind: str = "") -> Value:
        """Return a pointer to the element of the array `column` at `index`, cast to a pointer to `kind` unless
        that is empty.
        """
        element_kind = column.kind.removesuffix("*")
        pointer = self.value(column.kind, f"getelementptr {element_kind}, {column}, {index}")
        return pointer if kind in ("", element_kind) else self.convert("bitcast", pointer, f"{kind}*")

    def load(self, place: Value, align: int = 8) -> Value:
        """Return the value that the pointer `place` refers to; `align` is in bytes."""
        kind = place.kind.removesuffix("*")
        return self.value(kind, f"load {kind}, {place}, align {align}")

    def store(self, x: Value, place: Value, align: int = 1) -> None:
        """Write `x` to memory at the pointer `place`; `align` is in bytes."""
        self.put(f"store {x}, {place}, align {align}")


def block(name: str, lines: Iterable[str]) -> str:
    """Return the text of a basic block: a label and its instructions."""
    return "\n  ".join([f"{name}:", *lines])


def function(head: str, blocks: Iterable[str], declared: Iterable[str]) -> str:
    """Return the text of a module with one function (`head` and basic blocks) and the declarations of those that it
    calls.
    """
    return "\n".join([*declared, f"define {head} {{", *blocks, "}", ""])
