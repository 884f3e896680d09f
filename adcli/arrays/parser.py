"""Parser of the language of arrays: tokens to instructions, by operator precedence, without recursion."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import takewhile

from ..errors import Source, Span, SyntaxProblem
from ..records import NamedTuple
from .tokens import END, NAME, NUMBER, TRANSPOSE, ArrayToken

RELATIONS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
# How tightly operators bind; a product written side by side binds like `*`, and tighter in a function without brackets.
_LEVELS = {
    **dict.fromkeys(RELATIONS, 1), "+": 2, "-": 2, ".*": 3, "./": 3, "*": 4, "/": 4, "@": 4, "": 4, "bare": 5,
    "inside": 6, "neg": 7, "^": 8, ".^": 8,
}  # fmt: skip
_CLOSING = {"(": ")", "call": ")", "[": "]", "index": "]", "‖": "‖", "|": "|"}
_OPENING = {")": "(", "]": "["}
_MOST_OPEN = 20_000


class ParsedStep(NamedTuple):
    """One instruction of a program of arrays.

    `operation` is number, name, list, index, group, assign, output, transpose, a sign (`""` for a product written side
    by side) or the name of a function; `arguments` are the places of earlier steps; `text` is a number, a name, the
    function as it was typed, or, for a list, the lengths of its rows. `start` and `end` are its place in the source.
    """

    operation: str
    arguments: tuple[int, ...]
    text: str
    start: int
    end: int


class PendingOperator:
    """An operator or bracket that waits for its operands: `kind` as in `_LEVELS` or `_CLOSING`, the operation of its
    step (`name`), and for brackets the steps of the items so far (`rows`: lengths of the rows of a list that are
    complete)."""

    __slots__ = ("items", "kind", "name", "rows", "start")

    def __init__(self, kind: str, start: int, name: str = "") -> None:
        self.kind, self.start, self.name = kind, start, name
        self.items: list[int] = []
        self.rows: list[int] = []


class ArrayParser:
    """Parses one source; `functions(name)` says whether a name is a function, `variables` are names that are not."""

    def __init__(
        self, source: Source, tokens: Sequence[ArrayToken], functions: Callable[[str], bool], variables: Collection[str]
    ) -> None:
        """Parse `tokens` of `source`, of which the last is END; nothing is parsed before `parse` is called.

        `functions(name)` says whether a name is a function; `variables` are names that are not, assigned names are
        added.
        """
        self.source, self.tokens, self.functions = source, tokens, functions
        self.variables = set(variables)
        self.steps: list[ParsedStep] = []
        self.operands: list[int] = []
        self.stack: list[PendingOperator] = []
        self.target: ArrayToken | None = None  # the name that the present statement assigns

    def parse(self) -> list[ParsedStep]:
        """Return the instructions; each statement ends in a step `assign` or `output`.

        Raises SyntaxProblem with its place for text that is not an expression.
        """
        self._check_brackets()
        place = self._statement(0)
        operand = True  # whether an operand comes next
        while True:
            token = self.tokens[place]
            if token.kind == END or (token.kind == ";" and not any(self._inside(kind) for kind in _CLOSING)):
                if operand and (self.operands or self.stack or self.target):
                    raise self._missing(token)
                self._finish()
                if token.kind == END:
                    return self.steps
                place, operand = self._statement(place + 1), True
                continue
            place, operand = self._operand(place) if operand else self._operator(place)

    # --- statements ---

    def _statement(self, place: int) -> int:
        """Return the place after `name =` at the start of a statement, and keep that name."""
        self.target = None
        if self.tokens[place].kind == NAME and self.tokens[place + 1].kind == "=":
            self.target = self.tokens[place]
            return place + 2
        return place

    def _finish(self) -> None:
        """End a statement: apply pending operators and add its step `assign` or `output`; nothing for an empty
        statement.

        Raises SyntaxProblem if a bracket is open.
        """
        self._reduce(0)
        if self.stack:
            bracket = self.stack[-1]
            raise self._unclosed(bracket.kind, bracket.start, bracket.start + 1)
        if not self.operands:
            return
        value = self.operands.pop()
        if self.target is not None:
            self.variables.add(self.target.text)
            self._add("assign", (value,), self.target.text, self.target.start, self.target.end)
        else:
            self._add("output", (value,), "", self.steps[value].start, self.steps[value].end)

    # --- operands ---

    def _operand(self, place: int) -> tuple[int, bool]:
        """Read the token at `place`, where an operand must start; return (next place, whether an operand is still
        expected).

        Raises SyntaxProblem if no operand can start there.
        """
        token = self.tokens[place]
        kind = token.kind
        if self._is_function(token):
            return self._function(place), True
        if kind in (NUMBER, NAME):
            self._push(kind, (), token.text, token.start, token.end)
            return place + 1, False
        if kind in ("(", "[", "‖", "|"):
            self._open(kind, token.start, {"‖": "norm", "|": "abs"}.get(kind, ""))
            return place + 1, True
        if kind in ("-", "+"):
            if kind == "-":
                self.stack.append(PendingOperator("neg", token.start, "neg"))
            return place + 1, True
        if kind == ")" and self.stack and self.stack[-1].kind == "call" and not self.stack[-1].items:
            return self._close(token, place), False
        raise self._missing(token)

    def _is_function(self, token: ArrayToken) -> bool:
        return token.kind == NAME and token.text not in self.variables and self.functions(token.text)

    def _function(self, place: int) -> int:
        """Open the function at `place`: a call if a bracket follows, else one without brackets; return the next place.

        Raises SyntaxProblem if it has no argument.
        """
        token, following = self.tokens[place], self.tokens[place + 1]
        if following.kind == "(":
            self._open("call", token.start, token.text)
            return place + 2
        if following.kind in (END, ")", "]", ",", ";", "*", "/", "+", "^", TRANSPOSE):
            raise self._error(f"{token.text} has no argument", token.start, token.end, help=f"write {token.text}(…)")
        self.stack.append(PendingOperator("bare", token.start, token.text))
        return place + 1

    def _open(self, kind: str, start: int, name: str) -> None:
        if len(self.stack) > _MOST_OPEN:
            raise self._error("the brackets are too deep", start, start + 1, help=f"at most {_MOST_OPEN} may be open")
        self.stack.append(PendingOperator(kind, start, name))

    # --- operators ---

    def _operator(self, place: int) -> tuple[int, bool]:
        """Read the token at `place`, after an operand; return (next place, whether an operand is expected next).

        A token that starts an operand is a product written side by side and is not consumed. Raises SyntaxProblem for
        `=`, and for a comma or bracket that does not belong there.
        """
        token = self.tokens[place]
        kind = token.kind
        if kind == TRANSPOSE:
            self._reduce(_LEVELS["^"])
            value = self.operands.pop()
            self._push(TRANSPOSE, (value,), token.text, self.steps[value].start, token.end)
            return place + 1, False
        if kind in (",", ";"):
            self._item(token)
            return place + 1, True
        if kind in _OPENING or (kind in ("‖", "|") and self._inside(kind)):
            return self._close(token, place), False
        if kind in _LEVELS:
            self._reduce(_LEVELS[kind] + (kind in ("^", ".^")))
            self.stack.append(PendingOperator(kind, token.start, kind))
            return place + 1, True
        if kind == "[" and token.start == self.tokens[place - 1].end and self._indexable(place - 1):
            self._open("index", token.start, "index")
            self.stack[-1].items.append(self.operands.pop())
            return place + 1, True
        if kind == "=":
            raise self._error("only a name can be assigned", token.start, token.end, help="write z = W x at the start")
        self._juxtapose(token)
        return place, True

    def _indexable(self, place: int) -> bool:
        """Return whether the bracket after the token at `place` is an index: after a variable, `)` or `]`, and with
        whole numbers only."""
        inside = [token.kind for token in takewhile(lambda token: token.kind != "]", self.tokens[place + 2 :])]
        return self.tokens[place].kind in (NAME, ")", "]") and inside in ([NUMBER], [NUMBER, ",", NUMBER])

    def _juxtapose(self, token: ArrayToken) -> None:
        """Put a product written side by side on the stack, before an operand that starts with `token`.

        A function without brackets takes the product that follows, up to the next function.
        """
        depth = len(self.stack)
        while depth and self.stack[depth - 1].kind in ("inside", "neg", "^", ".^"):
            depth -= 1
        within = depth > 0 and self.stack[depth - 1].kind == "bare" and not self._is_function(token)
        kind = "inside" if within else ""
        self._reduce(_LEVELS[kind])
        self.stack.append(PendingOperator(kind, token.start))

    def _reduce(self, level: int) -> None:
        """Apply the operators on the stack that bind at least as tightly as `level`, down to the last bracket."""
        while self.stack and self.stack[-1].kind in _LEVELS and _LEVELS[self.stack[-1].kind] >= level:
            operator = self.stack.pop()
            right = self.operands.pop()
            text = "-" if operator.kind == "neg" else operator.name
            if operator.kind in ("neg", "bare"):
                self._push(operator.name, (right,), text, operator.start, self.steps[right].end)
            else:
                left = self.operands.pop()
                self._push(operator.name, (left, right), text, self.steps[left].start, self.steps[right].end)

    # --- brackets ---

    def _inside(self, kind: str) -> bool:
        """Return whether the innermost open bracket is of this kind."""
        bracket = next((entry for entry in reversed(self.stack) if entry.kind in _CLOSING), None)
        return bracket is not None and bracket.kind == kind

    def _item(self, token: ArrayToken) -> None:
        """End an item of a call, list or index at a comma, or a row of a list at a semicolon.

        Raises SyntaxProblem outside of such brackets.
        """
        self._reduce(0)
        bracket = self.stack[-1] if self.stack else None
        if bracket is None or bracket.kind not in (("[",) if token.kind == ";" else ("call", "[", "index")):
            raise self._error(f"a {_SPOKEN[token.kind]} has no place here", token.start, token.end)
        bracket.items.append(self.operands.pop())
        if token.kind == ";":
            bracket.rows.append(len(bracket.items) - sum(bracket.rows))

    def _close(self, token: ArrayToken, place: int) -> int:
        """Close the innermost bracket with `token` at `place`, push its step, and return the next place.

        Raises SyntaxProblem if the brackets do not match.
        """
        self._reduce(0)
        bracket = self.stack.pop() if self.stack else None
        if bracket is None or _CLOSING[bracket.kind] != token.kind:
            raise self._error("this bracket closes nothing", token.start, token.end, help="remove it, or open one")
        start, end = bracket.start, token.end
        if not (bracket.kind == "call" and self.tokens[place - 1].kind == "(" and not bracket.items):
            bracket.items.append(self.operands.pop())
        items, operation, text = tuple(bracket.items), bracket.name, bracket.name
        if bracket.kind == "index":
            text, start = "", self.steps[items[0]].start
        elif bracket.kind == "[" and len(items) > 1:
            operation = "list"
            text = ",".join(map(str, [*bracket.rows, len(items) - sum(bracket.rows)]))
        elif bracket.kind in ("(", "["):
            operation, text = "group", ""
        self._push(operation, items, text, start, end)
        return place + 1

    def _check_brackets(self) -> None:
        """Raise SyntaxProblem at the first bracket without a partner."""
        opened: list[ArrayToken] = []
        for token in self.tokens:
            if token.kind in ("(", "["):
                opened.append(token)
            elif token.kind in _OPENING:
                if not opened or opened[-1].kind != _OPENING[token.kind]:
                    related = (Span(opened[-1].start, opened[-1].end, self.source), "opened here") if opened else None
                    raise SyntaxProblem(
                        f"a {token.text} closes nothing", Span(token.start, token.end, self.source),
                        help="close brackets with their partners", related=related,
                    )  # fmt: skip
                opened.pop()
        if opened:
            raise self._unclosed(opened[-1].kind, opened[-1].start, opened[-1].end)

    # --- steps and errors ---

    def _add(self, operation: str, arguments: tuple[int, ...], text: str, start: int, end: int) -> int:
        self.steps.append(ParsedStep(operation, arguments, text, start, end))
        return len(self.steps) - 1

    def _push(self, operation: str, arguments: tuple[int, ...], text: str, start: int, end: int) -> None:
        self.operands.append(self._add(operation, arguments, text, start, end))

    def _missing(self, token: ArrayToken) -> SyntaxProblem:
        """Return the error for a token where an operand should be."""
        what = "the expression ends too early" if token.kind == END else f"something is missing before {token.text}"
        return self._error(what, token.start, token.end, "a number, a name or a bracket belongs here")

    def _unclosed(self, kind: str, start: int, end: int) -> SyntaxProblem:
        help_text = f"add {_CLOSING[kind]} where it should end"
        return self._error("a bracket is not closed", start, end, "opened here", help_text)

    def _error(self, title: str, start: int, end: int, label: str = "", help: str = "") -> SyntaxProblem:
        return SyntaxProblem(title, Span(start, end, self.source), label, help=help)


_SPOKEN = {",": "comma", ";": "semicolon"}
