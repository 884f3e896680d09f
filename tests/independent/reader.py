"""A reader of the language of its own: text into a straight list of operations, by one table of binding powers."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[^\W\d]\w*)|(?P<sign>\*\*|<=|>=|==|!=|.))"
)
_BINARY = {
    "or": (1, "or"), "and": (2, "and"), "<": (4, "lt"), "<=": (4, "le"), ">": (4, "gt"), ">=": (4, "ge"),
    "==": (4, "eq"), "!=": (4, "ne"), "+": (5, "add"), "-": (5, "sub"), "*": (6, "mul"), "/": (6, "div"),
    "%": (6, "mod"), "^": (8, "pow"), "**": (8, "pow"),
}  # fmt: skip
_NOT, _MINUS, _POWER = 3, 7, 8
_RELATIONS = {"lt", "le", "gt", "ge", "eq", "ne"}
_SAME = {"ln": "log", "fact": "factorial", "psi": "digamma", "arctan": "atan", "sgn": "sign", "Heaviside": "step"}


class Node(NamedTuple):
    """One operation: its name, the places of its arguments, and what a number or an input is."""

    name: str
    arguments: tuple[int, ...] = ()
    given: Fraction | str | None = None


class Program(NamedTuple):
    """Operations, each after its arguments; the outputs by name; the inputs in order of appearance."""

    nodes: list[Node]
    outputs: list[tuple[str, int]]
    inputs: list[str]


class Unreadable(ValueError):
    """The text is outside of what is read here."""


class _Reader:
    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str]] = []
        at, text = 0, text.rstrip()
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None or found.lastgroup is None:
                raise Unreadable(text[at:])
            self.tokens.append((found.lastgroup, found[found.lastgroup]))
            at = found.end()
        self.tokens.append(("end", ""))
        self.at = 0
        self.nodes: list[Node] = []
        self.known: dict[str, int] = {}
        self.inputs: list[str] = []

    def add(self, name: str, *arguments: int, given: Fraction | str | None = None) -> int:
        self.nodes.append(Node(name, arguments, given))
        return len(self.nodes) - 1

    def take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1][1]

    def expect(self, sign: str) -> None:
        if self.take() != sign:
            raise Unreadable(f"{sign} is missing")

    @property
    def next(self) -> str:
        return self.tokens[self.at][1]

    def program(self) -> Program:
        outputs, last = [], ("", 0)
        while self.tokens[self.at][0] != "end":
            named = self.tokens[self.at][0] == "name" and self.tokens[self.at + 1][1] == "="
            name = ""
            if named:
                name = self.take()
                self.take()
            slot = self.expression(0)
            if named:
                self.known[name] = slot
                last = (name, slot)
            else:
                outputs.append((name or "y", slot))
            if self.tokens[self.at][0] != "end":
                self.expect(";")
        if not outputs:
            outputs = [last]
        if len(outputs) > 1:
            outputs = [(f"y{k + 1}", slot) for k, (_, slot) in enumerate(outputs)]
        return Program(self.nodes, outputs, self.inputs)

    def expression(self, power: int) -> int:
        left = self.operand()
        chain: int | None = None  # the right side of the relation before: 0 < x < 1
        while True:
            sign = self.next
            if sign == "!" and power <= 9:
                self.take()
                left = self.add("factorial", left)
                continue
            binds = _BINARY.get(sign)
            if binds is None or self.tokens[self.at][0] == "end" or binds[0] < power:
                return left
            self.take()
            strength, name = binds
            right = self.expression(_MINUS if strength == _POWER else strength + 1)
            if name in _RELATIONS and chain is not None:
                left = self.add("and", left, self.add(name, chain, right))
            else:
                left = self.add(name, left, right)
            chain = right if name in _RELATIONS else None

    def operand(self) -> int:
        kind, text = self.tokens[self.at]
        self.take()
        if kind == "number":
            return self.add("number", given=Fraction(text))
        if text == "-":
            return self.add("neg", self.expression(_MINUS))
        if text == "+":
            return self.expression(_MINUS)
        if text == "not":
            return self.add("not", self.expression(_NOT))
        if text == "(":
            slot = self.expression(0)
            self.expect(")")
            return slot
        if kind != "name":
            raise Unreadable(f"{text!r} is no operand")
        return self.call(text) if self.next == "(" and text not in self.known else self.word(text)

    def call(self, name: str) -> int:
        self.take()
        arguments = [self.expression(0)]
        while self.next == ",":
            self.take()
            arguments.append(self.expression(0))
        self.expect(")")
        name = _SAME.get(name, name)
        if name == "log" and len(arguments) == 2:
            name = "logb"
        return self.add(name, *arguments)

    def word(self, name: str) -> int:
        if name not in self.known:
            if name in ("pi", "e", "tau"):
                self.known[name] = self.add("constant", given=name)
            else:
                self.inputs.append(name)
                self.known[name] = self.add("input", given=name)
        return self.known[name]


def read(text: str) -> Program:
    """The program that a text is; no implicit products, every function with brackets."""
    return _Reader(text).program()
