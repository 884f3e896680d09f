"""Tokens to code: a table-driven LALR(1) parser whose reductions write down what to compute, in postfix order.

There is no tree and no recursion: a reduction appends one instruction, and the value of a symbol on the parser's stack
is only the piece of text that it covers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

from ..calculus import functions as _table  # noqa: F401 - importing it fills the table
from ..calculus.primitive import ROWS, lookup
from ..errors import ArityProblem, NameProblem, Source, Span, SyntaxProblem
from .scanner import AGGREGATES, Reading, Token, Tokens, logarithm_base
from .tables import tables

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

    # Every action takes the values of the symbols of its production, left to right.

    def _emit(self, action: str, argument: Any, count: int, start: int, end: int, mark: str = "") -> Piece:
        self.code.append((action, argument, count, start, end))
        return start, end, mark

    def _text(self, piece: Any) -> str:
        return self.source.text[piece[0] : piece[1]]

    def _span(self, piece: Any) -> Span:
        return Span(piece[0], piece[1], self.source)

    def _note(self, start: int, end: int, text: str) -> None:
        self.readings.append(Reading(text, (start, end)))

    def program(self, parts: Sequence[Any]) -> Recorder:
        return self

    def first_statement(self, parts: Sequence[Any]) -> None:
        return None

    next_statement = empty_statement = first_statement

    def output(self, parts: Sequence[Any]) -> None:
        start, end, _ = parts[0]
        self._emit("output", None, 1, start, end)

    def assign(self, parts: Sequence[Any]) -> None:
        start, _, name, _ = parts[0]
        self._emit("assign", name, 1, start, parts[2][1])

    def header(self, parts: Sequence[Any]) -> Piece:
        start, _, name, _ = parts[0]
        if name in self.definitions or lookup(name) is not None or name in AGGREGATES:
            raise NameProblem(f"{name} is already a function", self._span(parts[0]), help="choose another name")
        parameters = [text for _, _, text, _ in parts[2]]
        if len(set(parameters)) < len(parameters):
            raise NameProblem(f"{name} has two parameters of one name", self._span(parts[0]))
        self.code = []
        self.definitions[name] = Definition(name, parameters, self.code, start, parts[3][1])
        return start, parts[-1][1], name

    def define(self, parts: Sequence[Any]) -> None:
        self.code = self.main
        definition = self.definitions[parts[0][2]]
        self._emit("defined", definition.name, 0, definition.start, parts[1][1])

    def first_item(self, parts: Sequence[Any]) -> list[Any]:
        return [parts[0]]

    def next_item(self, parts: Sequence[Any]) -> list[Any]:
        parts[0].append(parts[2])
        items: list[Any] = parts[0]
        return items

    def first_argument(self, parts: Sequence[Any]) -> list[int]:
        """Where in the code each argument ends."""
        return [len(self.code)]

    def next_argument(self, parts: Sequence[Any]) -> list[int]:
        ends: list[int] = parts[0]
        ends.append(len(self.code))
        return ends

    def either(self, parts: Sequence[Any]) -> Piece:
        return self._emit("operate", ROWS["or"], 2, parts[0][0], parts[2][1])

    def both(self, parts: Sequence[Any]) -> Piece:
        return self._emit("operate", ROWS["and"], 2, parts[0][0], parts[2][1])

    def negate(self, parts: Sequence[Any]) -> Piece:
        return self._emit("operate", ROWS["not"], 1, parts[0][0], parts[1][1])

    def compare(self, parts: Sequence[Any]) -> Piece:
        return self._emit("compare", _RELATIONS[parts[1][2]], 2, parts[0][0], parts[2][1], "relation")

    def binary(self, parts: Sequence[Any]) -> Piece:
        left, (_, _, sign, kind), (_, end, _) = parts
        start = left[0]
        if left[2] == "numeric application" and kind in ("STAR", "SLASH"):
            self._note(start, end, f"{self._text(left)}{sign}… is read with {self._text(left)} taken first")
        self.code.append(("operate", _BINARY[kind], 2, start, end))
        return start, end, "quotient" if kind == "SLASH" else ""

    def juxtaposed(self, parts: Sequence[Any]) -> Piece:
        left, right = parts
        start, end = left[0], right[1]
        if left[2] in ("quotient", "numeric power"):
            whole = self.source.text[start:end]
            self._note(start, end, f"{whole} is read as ({self._text(left)})*{self._text(right)}")
        return self._emit("operate", ROWS["mul"], 2, start, end)

    def minus(self, parts: Sequence[Any]) -> Piece:
        (start, *_), (_, end, mark) = parts
        return self._emit("operate", ROWS["neg"], 1, start, end, mark if mark == "number" else "")

    def plus(self, parts: Sequence[Any]) -> Piece:
        return parts[0][0], parts[1][1], parts[1][2]

    def power(self, parts: Sequence[Any]) -> Piece:
        (start, _, base), _, (_, end, exponent) = parts
        mark = "numeric power" if base in ("number", "constant") and exponent == "number" else ""
        return self._emit("operate", ROWS["pow"], 2, start, end, mark)

    def superscript(self, parts: Sequence[Any]) -> Piece:
        (start, _, _), (raised, end, text, _) = parts
        self._emit("number", text.translate(_SUPERSCRIPTS), 0, raised, end)
        return self._emit("operate", ROWS["pow"], 2, start, end)

    def factorial(self, parts: Sequence[Any]) -> Piece:
        (start, before, mark), (_, end, _, _) = parts
        if mark == "factorial":
            raise SyntaxProblem(
                "a double factorial is not defined here",
                Span(before - 1, end, self.source),
                "two factorial signs",
                help="for the factorial of a factorial write brackets: (5!)!",
            )
        return self._emit("operate", ROWS["factorial"], 1, start, end, "factorial")

    def number(self, parts: Sequence[Any]) -> Piece:
        start, end, text, _ = parts[0]
        self.code.append(("number", text, 0, start, end))
        return start, end, "number"

    def name(self, parts: Sequence[Any]) -> Piece:
        start, end, text, _ = parts[0]
        self.code.append(("name", text, 0, start, end))
        return start, end, "constant" if text in ("e", "pi", "tau") else ""

    def bars(self, parts: Sequence[Any]) -> Piece:
        return self._emit("operate", ROWS["abs"], 1, parts[0][0], parts[2][1])

    def group(self, parts: Sequence[Any]) -> Piece:
        return parts[0][0], parts[2][1], "number" if parts[1][2] == "number" else ""

    def root(self, parts: Sequence[Any]) -> Piece:
        return self._emit("operate", ROWS["sqrt"], 1, parts[0][0], parts[1][1])

    def fraction(self, parts: Sequence[Any]) -> Piece:
        return self._emit("operate", ROWS["div"], 2, parts[0][0], parts[6][1])

    def opener(self, parts: Sequence[Any]) -> tuple[Any, int]:
        return parts[0], len(self.code)

    def head(self, parts: Sequence[Any]) -> tuple[Lexeme, str | None, bool]:
        return parts[0], None, False

    def raised_head(self, parts: Sequence[Any]) -> tuple[Lexeme, str | None, bool]:
        """The function, the power that its result is raised to, and whether that power is a name."""
        exponent = "".join(text for _, _, text, kind in parts[1:] if kind in ("NUMBER", "MINUS", "NAME", "SUPER"))
        return parts[0], exponent.translate(_SUPERSCRIPTS), any(kind == "NAME" for _, _, _, kind in parts[1:])

    def call(self, parts: Sequence[Any]) -> Piece:
        head, begin = parts[0]
        arguments = parts[1] if len(parts) == 3 else []
        token, end = head[0], parts[-1][1]
        if token[2] in AGGREGATES and token[2] not in self.definitions:
            return self._repeat(token, begin, arguments, end)
        return self._apply(head, len(arguments), end)

    def application(self, parts: Sequence[Any]) -> Piece:
        head, (_, end, mark) = parts
        name = head[0][2]
        if name in AGGREGATES and name not in self.definitions:
            raise self._aggregate_usage(head[0], end)
        piece = self._apply(head, 1, end)
        return (*piece[:2], "numeric application") if mark == "number" else piece

    def _apply(self, head: tuple[Lexeme, str | None, bool], count: int, end: int) -> Piece:
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


@lru_cache(maxsize=1)
def _settled() -> dict[tuple[int, int, str], tuple[int, int | None]]:
    """Where reductions without an action lead: see `_settle`, which fills this."""
    return {}


def _settle(below: int, symbol: str, kind: str) -> tuple[int, int | None]:
    """The state above `below` after a reduction to `symbol`, and its move, when the next token is of this kind.

    Productions of a single part are gone through at once; most operands pass half a dozen of them.
    """
    table = tables()
    state = table.states[below][symbol]
    while True:
        move = table.states[state].get(kind)
        if move is None or move >= 0 or table.rules[-1 - move][2]:
            return state, move
        state = table.states[below][table.rules[-1 - move][0]]


def parse(tokens: Tokens, recorder: Recorder) -> Recorder:
    """Runs the tables over the tokens; afterwards the recorder holds the program."""
    table = tables()
    states, rules, settled = table.states, table.rules, _settled()
    actions: list[Callable[[Sequence[Any]], Any] | None] = [
        getattr(recorder, action) if action else None for _, _, action in reversed(rules)
    ]  # a move of -1 - r reduces by rule r, so that moves are places from the end
    sizes = [size for _, size, _ in reversed(rules)]
    stack = [table.start]
    values: list[Any] = []
    kinds = [*tokens.kinds, "$END"]
    lexemes = chain(zip(tokens.starts, tokens.ends, tokens.texts, tokens.kinds, strict=True), [None])
    for kind, lexeme in zip(kinds, lexemes, strict=True):
        state = stack[-1]
        move = states[state].get(kind)
        while move is not None and move < 0:
            action, size = actions[move], sizes[move]
            if action is not None:
                parts = values[-size:]
                values[-size:] = [action(parts)]
            del stack[-size:]
            below = stack[-1]
            key = (below, move, kind)
            found = settled.get(key)
            if found is None:
                found = settled[key] = _settle(below, rules[-1 - move][0], kind)
            state, move = found
            stack.append(state)
            if state == table.end and kind == "$END":
                return recorder
        if move is None:
            place = len(tokens) if lexeme is None else tokens.starts.index(lexeme[0])
            before = tokens[place - 1] if place else None
            raise Unparsed(Failure(state, None if lexeme is None else tokens[place], before))
        stack.append(move)
        values.append(lexeme)
    return recorder
