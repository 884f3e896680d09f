"""Tokens to code: a table-driven LALR(1) parser whose reductions write down what to compute, in postfix order.

There is no tree and no recursion: a reduction appends one instruction, and the value of a symbol on the parser's stack
is only the piece of text that it covers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..calculus.primitive import lookup
from ..errors import ArityProblem, NameProblem, Source, Span, SyntaxProblem
from .scanner import AGGREGATES, Reading, Token, logarithm_base
from .tables import tables


class Instruction(NamedTuple):
    """One step of a program in postfix order: what to do with the topmost values, and where it was written."""

    action: str
    argument: Any
    taken: int
    start: int
    end: int


Code = list[Instruction]


class Definition(NamedTuple):
    """A function of the user's: its parameters and its body."""

    name: str
    parameters: list[str]
    code: Code
    start: int
    end: int


class Repetition(NamedTuple):
    """The body of a sum or product over an index."""

    row: str
    variable: str
    code: Code


class Piece:
    """The text that a symbol covers; `mark` remembers its shape where the reading of what follows hangs on it."""

    __slots__ = ("end", "mark", "start")

    def __init__(self, start: int, end: int, mark: str = "") -> None:
        self.start = start
        self.end = end
        self.mark = mark


_BINARY = {"PLUS": "add", "MINUS": "sub", "STAR": "mul", "SLASH": "div", "PERCENT": "mod"}
_RELATIONS = {
    "<": "lt", ">": "gt", "<=": "le", ">=": "ge", "==": "eq", "!=": "ne", "≤": "le", "≥": "ge", "≠": "ne",
    "\\le": "le", "\\leq": "le", "\\ge": "ge", "\\geq": "ge", "\\ne": "ne", "\\neq": "ne",
}  # fmt: skip
_SUPERSCRIPTS = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")


class Recorder:
    """The actions of the grammar; afterwards `code` and `definitions` hold the program."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.code: Code = []
        self.main = self.code
        self.definitions: dict[str, Definition] = {}
        self.readings: list[Reading] = []

    # Every action takes the values of the symbols of its production, left to right.

    def _emit(self, action: str, argument: Any, count: int, start: int, end: int, mark: str = "") -> Piece:
        self.code.append(Instruction(action, argument, count, start, end))
        return Piece(start, end, mark)

    def _text(self, piece: Any) -> str:
        return self.source.text[piece.start : piece.end]

    def _span(self, piece: Any) -> Span:
        return Span(piece.start, piece.end, self.source)

    def _note(self, start: int, end: int, text: str) -> None:
        self.readings.append(Reading(text, (start, end)))

    def program(self, parts: Sequence[Any]) -> Recorder:
        return self

    def first_statement(self, parts: Sequence[Any]) -> None:
        return None

    next_statement = empty_statement = first_statement

    def output(self, parts: Sequence[Any]) -> None:
        self._emit("output", None, 1, parts[0].start, parts[0].end)

    def assign(self, parts: Sequence[Any]) -> None:
        self._emit("assign", parts[0].text, 1, parts[0].start, parts[2].end)

    def header(self, parts: Sequence[Any]) -> Piece:
        name = parts[0].text
        if name in self.definitions or lookup(name) is not None or name in AGGREGATES:
            raise NameProblem(f"{name} is already a function", self._span(parts[0]), help="choose another name")
        parameters = [token.text for token in parts[2]]
        if len(set(parameters)) < len(parameters):
            raise NameProblem(f"{name} has two parameters of one name", self._span(parts[0]))
        self.code = []
        self.definitions[name] = Definition(name, parameters, self.code, parts[0].start, parts[3].end)
        return Piece(parts[0].start, parts[-1].end, name)

    def define(self, parts: Sequence[Any]) -> None:
        self.code = self.main
        definition = self.definitions[parts[0].mark]
        self._emit("defined", definition.name, 0, definition.start, parts[1].end)

    def first_item(self, parts: Sequence[Any]) -> list[Any]:
        return [parts[0]]

    def next_item(self, parts: Sequence[Any]) -> list[Any]:
        parts[0].append(parts[2])
        items: list[Any] = parts[0]
        return items

    def first_argument(self, parts: Sequence[Any]) -> list[tuple[Piece, int]]:
        return [(parts[0], len(self.code))]

    def next_argument(self, parts: Sequence[Any]) -> list[tuple[Piece, int]]:
        arguments: list[tuple[Piece, int]] = parts[0]
        arguments.append((parts[2], len(self.code)))
        return arguments

    def either(self, parts: Sequence[Any]) -> Piece:
        return self._emit("apply", "or", 2, parts[0].start, parts[2].end)

    def both(self, parts: Sequence[Any]) -> Piece:
        return self._emit("apply", "and", 2, parts[0].start, parts[2].end)

    def negate(self, parts: Sequence[Any]) -> Piece:
        return self._emit("apply", "not", 1, parts[0].start, parts[1].end)

    def compare(self, parts: Sequence[Any]) -> Piece:
        return self._emit("compare", _RELATIONS[parts[1].text], 2, parts[0].start, parts[2].end, "relation")

    def binary(self, parts: Sequence[Any]) -> Piece:
        left, sign, right = parts
        if left.mark == "numeric application" and sign.type in ("STAR", "SLASH"):
            self._note(
                left.start, right.end, f"{self._text(left)}{sign.text}… is read with {self._text(left)} taken first"
            )
        mark = "quotient" if sign.type == "SLASH" else ""
        return self._emit("apply", _BINARY[sign.type], 2, left.start, right.end, mark)

    def juxtaposed(self, parts: Sequence[Any]) -> Piece:
        left, right = parts
        if left.mark in ("quotient", "numeric power"):
            self._note(
                left.start, right.end, f"{self._read(left, right)} is read as ({self._text(left)})*{self._text(right)}"
            )
        return self._emit("apply", "mul", 2, left.start, right.end)

    def _read(self, left: Piece, right: Piece) -> str:
        return self.source.text[left.start : right.end]

    def minus(self, parts: Sequence[Any]) -> Piece:
        mark = parts[1].mark if parts[1].mark == "number" else ""
        return self._emit("apply", "neg", 1, parts[0].start, parts[1].end, mark)

    def plus(self, parts: Sequence[Any]) -> Piece:
        return Piece(parts[0].start, parts[1].end, parts[1].mark)

    def power(self, parts: Sequence[Any]) -> Piece:
        base, _, exponent = parts
        mark = "numeric power" if base.mark in ("number", "constant") and exponent.mark == "number" else ""
        return self._emit("apply", "pow", 2, base.start, exponent.end, mark)

    def superscript(self, parts: Sequence[Any]) -> Piece:
        base, raised = parts
        self._emit("number", raised.text.translate(_SUPERSCRIPTS), 0, raised.start, raised.end)
        return self._emit("apply", "pow", 2, base.start, raised.end)

    def factorial(self, parts: Sequence[Any]) -> Piece:
        if parts[0].mark == "factorial":
            raise SyntaxProblem(
                "a double factorial is not defined here",
                Span(parts[0].end - 1, parts[1].end, self.source),
                "two factorial signs",
                help="for the factorial of a factorial write brackets: (5!)!",
            )
        return self._emit("apply", "factorial", 1, parts[0].start, parts[1].end, "factorial")

    def number(self, parts: Sequence[Any]) -> Piece:
        token = parts[0]
        return self._emit("number", token.text, 0, token.start, token.end, "number")

    def name(self, parts: Sequence[Any]) -> Piece:
        token = parts[0]
        mark = "constant" if token.text in ("e", "pi", "tau") else ""
        return self._emit("name", token.text, 0, token.start, token.end, mark)

    def bars(self, parts: Sequence[Any]) -> Piece:
        return self._emit("apply", "abs", 1, parts[0].start, parts[2].end)

    def group(self, parts: Sequence[Any]) -> Piece:
        return Piece(parts[0].start, parts[2].end, "number" if parts[1].mark == "number" else "")

    def root(self, parts: Sequence[Any]) -> Piece:
        return self._emit("apply", "sqrt", 1, parts[0].start, parts[1].end)

    def fraction(self, parts: Sequence[Any]) -> Piece:
        return self._emit("apply", "div", 2, parts[0].start, parts[6].end)

    def opener(self, parts: Sequence[Any]) -> tuple[Any, int]:
        return parts[0], len(self.code)

    def head(self, parts: Sequence[Any]) -> tuple[Token, str | None, bool]:
        return parts[0], None, False

    def raised_head(self, parts: Sequence[Any]) -> tuple[Token, str | None, bool]:
        """The function, the power that its result is raised to, and whether that power is a name."""
        exponent = "".join(token.text for token in parts[1:] if token.type in ("NUMBER", "MINUS", "NAME", "SUPER"))
        return parts[0], exponent.translate(_SUPERSCRIPTS), any(token.type == "NAME" for token in parts[1:])

    def call(self, parts: Sequence[Any]) -> Piece:
        head, begin = parts[0]
        arguments = parts[1] if len(parts) == 3 else []
        name = head[0].text
        if name in AGGREGATES and name not in self.definitions:
            return self._repeat(head[0], begin, arguments, parts[-1].end)
        return self._apply(head, len(arguments), parts[-1].end)

    def application(self, parts: Sequence[Any]) -> Piece:
        head, argument = parts
        name = head[0].text
        if name in AGGREGATES and name not in self.definitions:
            raise self._aggregate_usage(head[0], argument.end)
        piece = self._apply(head, 1, argument.end)
        if argument.mark == "number":
            piece.mark = "numeric application"
        return piece

    def _apply(self, head: tuple[Token, str | None, bool], count: int, end: int) -> Piece:
        token, exponent, named = head
        name, start = token.text, token.start
        if name in self.definitions:
            self._emit("call", name, count, start, end)
        else:
            base = logarithm_base(name)
            if base is not None:
                self._emit("number", base, 0, token.start, token.end)
                name, count = "logb", count + 1
            row = lookup(name)
            if row is None:  # only a definition that stands further down
                raise NameProblem(
                    f"{name} is used before it is defined", self._span(token), help="put its definition first"
                )
            if exponent == "-1":
                row = self._inverse(row.name, token, end)
                exponent = None
            if row.reading and token.text == row.name and count not in row.forms:
                self._note(start, token.end, row.reading)
            self._emit("apply", row.name, count, start, end)
        if exponent is None:
            return Piece(start, end)
        self._emit("name" if named else "number", exponent, 0, token.end, token.end)
        return self._emit("apply", "pow", 2, start, end)

    def _inverse(self, name: str, token: Token, end: int) -> Any:
        row = lookup(name)
        inverse = row.inverse if row is not None else None
        if inverse is None:
            raise NameProblem(
                f"{name} has no inverse function here",
                Span(token.start, end, self.source),
                help=f"for the reciprocal write 1/{name}(…)",
            )
        self._note(token.start, end, f"{name}^-1 is read as the inverse function {inverse}")
        return lookup(inverse)

    def _aggregate_usage(self, token: Token, end: int) -> ArityProblem:
        name = token.text
        return ArityProblem(
            f"{name} takes an index, its first and last value, and a term",
            Span(token.start, end, self.source),
            help=f"write {name}(i, 1, 10, i*x)",
        )

    def _repeat(self, token: Token, begin: int, arguments: list[tuple[Piece, int]], end: int) -> Piece:
        """Takes the body out of the code, so that it can be run once for each value of the index."""
        index_end = arguments[0][1] if arguments else begin
        index = self.code[begin] if index_end == begin + 1 else None
        if len(arguments) != 4 or index is None or index.action != "name":
            raise self._aggregate_usage(token, end)
        body_start = arguments[2][1]
        body = self.code[body_start:]
        del self.code[body_start:]
        del self.code[begin]
        row = "add" if token.text == "sum" else "mul"
        return self._emit("repeat", Repetition(row, index.argument, body), 2, token.start, end)


class Failure(NamedTuple):
    """Where the tables had no way on: the parser's state, the token found (None at the end) and the one before."""

    state: int
    found: Token | None
    before: Token | None


class Unparsed(Exception):
    """The tokens are no program; `explain` turns this into a message."""

    def __init__(self, failure: Failure) -> None:
        super().__init__()
        self.failure = failure


def parse(tokens: Sequence[Token], recorder: Recorder) -> Recorder:
    """Runs the tables over the tokens; afterwards the recorder holds the program."""
    table = tables()
    states, rules = table.states, table.rules
    actions: list[Callable[[Sequence[Any]], Any] | None] = [
        getattr(recorder, action) if action else None for _, _, action in rules
    ]
    stack = [table.start]
    values: list[Any] = []
    before: Token | None = None
    for token in [*tokens, None]:
        kind = "$END" if token is None else token.type
        while True:
            move = states[stack[-1]].get(kind)
            if move is None:
                raise Unparsed(Failure(stack[-1], token, before))
            if move >= 0:
                stack.append(move)
                values.append(token)
                break
            symbol, size, _ = rules[-1 - move]
            action = actions[-1 - move]
            if action is not None:
                parts = values[-size:]
                del values[-size:]
                values.append(action(parts))
            del stack[-size:]
            stack.append(states[stack[-1]][symbol])
            if kind == "$END" and stack[-1] == table.end:
                return recorder
        before = token
    return recorder
