"""The actions of the grammar: what each reduction of the parser writes down, in postfix order.

There is no tree: a reduction appends one instruction, and what stands for a symbol on the parser's stack is only the
piece of text that it covers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..calculus import functions as _table  # noqa: F401 - importing it fills the table
from ..calculus.primitive import ROWS, lookup
from ..errors import ArityProblem, NameProblem, Source, Span, SyntaxProblem
from ..graph.node import CONSTANTS
from .scanner import AGGREGATES, Reading, logarithm_base

# One step of a program in postfix order: what to do (`action`, `argument`), with how many of the topmost values, and
# where it was written (start, end).
Instruction = tuple[str, Any, int, int, int]
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


# What stands on the parser's stack: a token as (start, end, text, type), and for a symbol the text that it covers as
# (start, end, mark), where the mark remembers its shape if the reading of what follows hangs on it.
Lexeme = tuple[int, int, str, str]
Piece = tuple[int, int, str]
# A function, the power that its result is raised to, and whether that power is a name.
_Head = tuple[Lexeme, str | None, bool]


_BINARY = {
    kind: ROWS[name]
    for kind, name in {"PLUS": "add", "MINUS": "sub", "STAR": "mul", "SLASH": "div", "PERCENT": "mod"}.items()
}
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

    # Every action takes the symbols of its production, left to right.

    def _emit(self, action: str, argument: Any, count: int, start: int, end: int, mark: str = "") -> Piece:
        self.code.append((action, argument, count, start, end))
        return start, end, mark

    def _text(self, piece: Any) -> str:
        return self.source.text[piece[0] : piece[1]]

    def _span(self, piece: Any) -> Span:
        return Span(piece[0], piece[1], self.source)

    def _note(self, start: int, end: int, text: str) -> None:
        self.readings.append(Reading(text, (start, end)))

    def program(self, statements: None) -> Recorder:
        return self

    def first_statement(self, statement: None) -> None:
        return None

    def next_statement(self, *parts: Any) -> None:
        return None

    empty_statement = next_statement

    def output(self, value: Piece) -> None:
        self._emit("output", None, 1, value[0], value[1])

    def assign(self, target: Lexeme, sign: Lexeme, value: Piece) -> None:
        self._emit("assign", target[2], 1, target[0], value[1])

    def header(self, head: Lexeme, opening: Lexeme, found: list[Lexeme], closing: Lexeme, sign: Lexeme) -> Piece:
        start, _, name, _ = head
        if name in self.definitions or lookup(name) is not None or name in AGGREGATES:
            raise NameProblem(f"{name} is already a function", self._span(head), help="choose another name")
        parameters = [text for _, _, text, _ in found]
        if len(set(parameters)) < len(parameters):
            raise NameProblem(f"{name} has two parameters of one name", self._span(head))
        self.code = []
        self.definitions[name] = Definition(name, parameters, self.code, start, closing[1])
        return start, sign[1], name

    def define(self, header: Piece, body: Piece) -> None:
        self.code = self.main
        definition = self.definitions[header[2]]
        self._emit("defined", definition.name, 0, definition.start, body[1])

    def first_item(self, item: Lexeme) -> list[Lexeme]:
        return [item]

    def next_item(self, items: list[Lexeme], comma: Lexeme, item: Lexeme) -> list[Lexeme]:
        items.append(item)
        return items

    def first_argument(self, argument: Piece) -> list[int]:
        """Where in the code each argument ends."""
        return [len(self.code)]

    def next_argument(self, ends: list[int], comma: Lexeme, argument: Piece) -> list[int]:
        ends.append(len(self.code))
        return ends

    def either(self, left: Piece, word: Lexeme, right: Piece) -> Piece:
        return self._emit("operate", ROWS["or"], 2, left[0], right[1])

    def both(self, left: Piece, word: Lexeme, right: Piece) -> Piece:
        return self._emit("operate", ROWS["and"], 2, left[0], right[1])

    def negate(self, word: Lexeme, value: Piece) -> Piece:
        return self._emit("operate", ROWS["not"], 1, word[0], value[1])

    def compare(self, left: Piece, sign: Lexeme, right: Piece) -> Piece:
        return self._emit("compare", _RELATIONS[sign[2]], 2, left[0], right[1], "relation")

    def binary(self, left: Piece, sign: Lexeme, right: Piece) -> Piece:
        start, _, mark = left
        _, _, text, kind = sign
        end = right[1]
        if mark == "numeric application" and kind in ("STAR", "SLASH"):
            self._note(start, end, f"{self._text(left)}{text}… is read with {self._text(left)} taken first")
        self.code.append(("operate", _BINARY[kind], 2, start, end))
        return start, end, "quotient" if kind == "SLASH" else ""

    def juxtaposed(self, left: Piece, right: Piece) -> Piece:
        start, end = left[0], right[1]
        if left[2] in ("quotient", "numeric power"):
            whole = self.source.text[start:end]
            self._note(start, end, f"{whole} is read as ({self._text(left)})*{self._text(right)}")
        return self._emit("operate", ROWS["mul"], 2, start, end)

    def minus(self, sign: Lexeme, value: Piece) -> Piece:
        return self._emit("operate", ROWS["neg"], 1, sign[0], value[1], value[2] if value[2] == "number" else "")

    def plus(self, sign: Lexeme, value: Piece) -> Piece:
        return sign[0], value[1], value[2]

    def power(self, base: Piece, sign: Lexeme, exponent: Piece) -> Piece:
        mark = "numeric power" if base[2] in ("number", "constant") and exponent[2] == "number" else ""
        return self._emit("operate", ROWS["pow"], 2, base[0], exponent[1], mark)

    def superscript(self, base: Piece, raised: Lexeme) -> Piece:
        start, end, text, _ = raised
        self._emit("number", text.translate(_SUPERSCRIPTS), 0, start, end)
        return self._emit("operate", ROWS["pow"], 2, base[0], end)

    def factorial(self, value: Piece, sign: Lexeme) -> Piece:
        if value[2] == "factorial":
            raise SyntaxProblem(
                "a double factorial is not defined here",
                Span(value[1] - 1, sign[1], self.source),
                "two factorial signs",
                help="for the factorial of a factorial write brackets: (5!)!",
            )
        return self._emit("operate", ROWS["factorial"], 1, value[0], sign[1], "factorial")

    def number(self, token: Lexeme) -> Piece:
        start, end, text, _ = token
        self.code.append(("number", text, 0, start, end))
        return start, end, "number"

    def name(self, token: Lexeme) -> Piece:
        start, end, text, _ = token
        self.code.append(("name", text, 0, start, end))
        return start, end, "constant" if text in CONSTANTS else ""

    def bars(self, opening: Lexeme, value: Piece, closing: Lexeme) -> Piece:
        return self._emit("operate", ROWS["abs"], 1, opening[0], closing[1])

    def group(self, opening: Lexeme, value: Piece, closing: Lexeme) -> Piece:
        return opening[0], closing[1], "number" if value[2] == "number" else ""

    def root(self, sign: Lexeme, value: Piece) -> Piece:
        return self._emit("operate", ROWS["sqrt"], 1, sign[0], value[1])

    def fraction(self, sign: Lexeme, *parts: Any) -> Piece:
        return self._emit("operate", ROWS["div"], 2, sign[0], parts[-1][1])

    def indexed_root(self, sign: Lexeme, *parts: Any) -> Piece:
        start, end, text, _ = sign
        self._emit("number", text.partition("[")[2].strip("[] "), 0, start, end)
        return self._emit("operate", ROWS["root"], 2, start, parts[-1][1])

    def opener(self, head: _Head, opening: Lexeme) -> tuple[_Head, int]:
        return head, len(self.code)

    def head(self, token: Lexeme) -> _Head:
        return token, None, False

    def raised_head(self, token: Lexeme, *parts: Lexeme) -> _Head:
        exponent = "".join(text for _, _, text, kind in parts if kind in ("NUMBER", "MINUS", "NAME", "SUPER"))
        return token, exponent.translate(_SUPERSCRIPTS), any(kind == "NAME" for _, _, _, kind in parts)

    def call(self, opener: tuple[_Head, int], *parts: Any) -> Piece:
        head, begin = opener
        arguments = parts[0] if len(parts) == 2 else []
        name, end = head[0][2], parts[-1][1]
        if name in AGGREGATES and name not in self.definitions:
            return self._repeat(head[0], begin, arguments, end)
        return self._apply(head, len(arguments), end)

    def application(self, head: _Head, argument: Piece) -> Piece:
        _, end, mark = argument
        name = head[0][2]
        if name in AGGREGATES and name not in self.definitions:
            raise self._aggregate_usage(head[0], end)
        piece = self._apply(head, 1, end)
        return (*piece[:2], "numeric application") if mark == "number" else piece

    def _apply(self, head: _Head, count: int, end: int) -> Piece:
        token, exponent, named = head
        start, name_end, written, _ = token
        name = written
        if name in self.definitions:
            self._emit("call", name, count, start, end)
        else:
            base = logarithm_base(name)
            if base is not None:
                self._emit("number", base, 0, start, name_end)
                name, count = "logb", count + 1
            row = lookup(name)
            if row is None:  # only a definition that stands further down
                raise NameProblem(
                    f"{name} is used before it is defined", self._span(token), help="put its definition first"
                )
            if exponent == "-1":
                row = self._inverse(row.name, token, end)
                exponent = None
            if row.reading and written == row.name and count not in row.forms:
                self._note(start, name_end, row.reading)
            self._emit("apply", row.name, count, start, end)
        if exponent is None:
            return start, end, ""
        self._emit("name" if named else "number", exponent, 0, name_end, name_end)
        return self._emit("operate", ROWS["pow"], 2, start, end)

    def _inverse(self, name: str, token: Lexeme, end: int) -> Any:
        row = lookup(name)
        inverse = row.inverse if row is not None else None
        if inverse is None:
            raise NameProblem(
                f"{name} has no inverse function here",
                Span(token[0], end, self.source),
                help=f"for the reciprocal write 1/{name}(…)",
            )
        self._note(token[0], end, f"{name}^-1 is read as the inverse function {inverse}")
        return lookup(inverse)

    def _aggregate_usage(self, token: Lexeme, end: int) -> ArityProblem:
        start, _, name, _ = token
        return ArityProblem(
            f"{name} takes an index, its first and last value, and a term",
            Span(start, end, self.source),
            help=f"write {name}(i, 1, 10, i*x)",
        )

    def _repeat(self, token: Lexeme, begin: int, arguments: list[int], end: int) -> Piece:
        """Takes the body out of the code, so that it can be run once for each value of the index."""
        start, _, name, _ = token
        index_end = arguments[0] if arguments else begin
        action, variable = self.code[begin][:2] if index_end == begin + 1 else ("", "")
        if len(arguments) != 4 or action != "name":
            raise self._aggregate_usage(token, end)
        body_start = arguments[2]
        body = self.code[body_start:]
        del self.code[body_start:]
        del self.code[begin]
        return self._emit("repeat", Repetition("add" if name == "sum" else "mul", variable, body), 2, start, end)
