"""The structure of a LaTeX text: groups and arguments, the terms of sums, the rows of environments. A stretch is
(start, end) of the text; a token is a command, a number, a run of letters or one character.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from ...patterns import compile_pattern
from ...records import NamedTuple
from ..spelling import Unspellable
from .latex_commands import CASE_WORDS, MISSING, TAKES

TOKEN = compile_pattern(
    r"(?P<command>\\[a-zA-Z]++\*?)|(?P<sign>\\.)"
    r"|(?P<number>(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+)"
    r"|(?P<letters>[a-zA-Z]++)|(?P<word>[^\W\d_]++)|(?P<blank>\s++|~)|(?P<other>.)",
    re.DOTALL,
)
_BLANK = compile_pattern(r"(?:\s|~|\\[,;:! ])*+")
_ARGUMENT = compile_pattern(r"\\[a-zA-Z]++|[^\\{}+\-*/=,;&()\[\]|<>^_!'$]", re.DOTALL)
_WORD_AND = r"\\(?:text(?:normal)?|mbox|mathrm|textrm)\s*+\{"
_CASE = compile_pattern(rf"{_WORD_AND}\s*+(?:{CASE_WORDS})\b")
_BEFORE_CONDITION = compile_pattern(
    rf"(?:[\s,;]|\\[,;:! ]|\\q?quad(?![a-zA-Z])|{_WORD_AND}\s*+(?:{CASE_WORDS})?\s*+\}}|(?:{CASE_WORDS})(?![a-zA-Z]))++"
)
_ENVIRONMENT = compile_pattern(r"\\(begin|end)\s*+\{[^{}]*+\}")
_CLOSING = frozenset({")", "]", "}", "\\}", "\\rfloor", "\\rceil", "\\rvert", "\\rVert", "\\end"})
_BARS = frozenset({"|", "\\|"})
_OPENING = frozenset({"(", "[", "{", "\\{", "\\lfloor", "\\lceil", "\\lvert", "\\lVert", "\\begin"})
_RELATION_NAMES = ("le", "leq", "ge", "geq", "ne", "neq", "lt", "gt", "quad", "qquad", "to")
_RIGHT = frozenset({"\\right", "\\mright", "\\bigr", "\\Bigr", "\\biggr", "\\Biggr"})
_RELATIONS = frozenset(["=", "<", ">", ",", ";", "&", r"\\", *(f"\\{name}" for name in _RELATION_NAMES)])
_DEEPEST = 20  # commands that follow each other as arguments without braces
_OPERATORS = frozenset({"\\cdot", "\\times", "\\div", "\\ast", "\\left", "\\bmod"})


class Stretch(NamedTuple):
    """A part of the text."""

    start: int
    end: int


class LatexText:
    """A LaTeX text with the places of its groups, arguments and terms."""

    def __init__(self, text: str) -> None:
        self.text = text.replace("\\cr ", "\\\\  ")  # of the same length

    @cached_property
    def partners(self) -> dict[int, int]:
        """Return {place of each opening brace: place of its closing brace}; escaped braces and those without a partner
        are left out. Cached.
        """
        partners: dict[int, int] = {}
        opened: list[int] = []
        for match in TOKEN.finditer(self.text):
            if match.group() == "{":
                opened.append(match.start())
            elif match.group() == "}" and opened:
                partners[opened.pop()] = match.start()
        return partners

    @cached_property
    def terms(self) -> dict[int, int]:
        """Return {place of each token: place where the term of a sum that contains it ends}, computed from right to
        left.

        A term ends before a + or - behind an operand, a relation, comma or semicolon, at the closing bracket around it,
        or at the end of the text. A token before which a term ends maps to its own place.
        """
        tokens = [(m.start(), m.group()) for m in TOKEN.finditer(self.text) if m.lastgroup != "blank"]
        ends: dict[int, int] = {}
        inner = [len(self.text)]  # where the term ends within each of the brackets that are open here
        after = ""
        for (place, token), (_, before) in zip(tokens[::-1], [*tokens[-2::-1], (0, "")], strict=True):
            operand = _ends_operand(before)
            is_bar = token in _BARS and before not in _RIGHT
            is_right_bar = token in _RIGHT and after in _BARS
            if token in _CLOSING or is_right_bar or (is_bar and operand):
                inner.append(place)
            elif token in _OPENING or is_bar:
                inner = inner[:-1] or [len(self.text)]
            elif token in _RIGHT or token in _RELATIONS or (operand and token in ("+", "-")):
                inner[-1] = place
            ends[place] = inner[-1]
            after = token
        return ends

    def skip(self, place: int, end: int) -> int:
        match = _BLANK.match(self.text, place, end)
        return match.end() if match else place

    def argument(self, place: int, end: int, of: str) -> tuple[Stretch, int]:
        r"""Return (the argument at `place`, without its braces or as one token; the next place).

        `of` is the command that needs it, for messages. Blanks in front are skipped. A command takes its own arguments
        along, as in `\sqrt\frac{x}{2}`. Raises Unspellable if the argument is missing before `end`, or has more than
        about 20 tokens or groups.
        """
        start = self.skip(place, end)
        if start < end and self.text[start] == "{":
            close = self.partners.get(start, end)
            if close < end:
                return Stretch(start + 1, close), close + 1
        stop, needed = start, 1
        for _ in range(_DEEPEST):
            if not needed:
                return Stretch(start, stop), stop
            stop = self.skip(stop, end)
            close = self.partners.get(stop, end) if stop < end and self.text[stop] == "{" else end
            match = _ARGUMENT.match(self.text, stop, end)
            if close < end:
                stop, needed = close + 1, needed - 1
            elif match is not None:
                stop, needed = match.end(), needed - 1 + TAKES.get(match.group()[1:], 0)
            else:
                break
        no_argument = (f"{of} has no argument", "nothing follows", f"write {of}{{…}}")
        raise Unspellable(max(place - 1, 0), place, *MISSING.get(of, no_argument))

    def content(self, part: Stretch) -> str:
        return self.text[part.start : part.end].strip()

    def split_case(self, value: Stretch, condition: list[Stretch]) -> tuple[Stretch, list[Stretch]]:
        r"""Return (value, [condition]) of a row of cases.

        If `condition` is not empty (the row has an &), both are returned as they are. Otherwise the value is split
        before the first word such as \text{if}, which stays in the condition; without one the list is empty.
        """
        if condition:
            return value, condition
        match = _CASE.search(self.text, *value)
        if match is None:
            return value, []
        return Stretch(value.start, match.start()), [Stretch(match.start(), value.end)]

    def strip_case_words(self, part: Stretch) -> Iterator[Stretch]:
        """Yield the condition of a case as one Stretch, without the words before it.

        Words such as "if" and blanks before it, and blanks and the signs .,; behind it are left out; words behind it
        stay. Nothing is yielded if only such words are left ("otherwise").
        """
        start, end = part
        match = _BEFORE_CONDITION.match(self.text, start, end)
        start = match.end() if match else start
        stop = start + len(self.text[start:end].rstrip().rstrip(".,;"))
        if start < stop:
            yield Stretch(start, stop)

    def environment_end(self, place: int, end: int) -> tuple[int, int]:
        r"""Return (start, end) of the `\end{…}` that closes the environment whose rows begin at `place`; its name is
        not compared.

        Environments inside are skipped; `end` is where the search stops. Raises Unspellable if it is missing.
        """
        depth = 1
        for match in _ENVIRONMENT.finditer(self.text, place, end):
            depth += 1 if match[1] == "begin" else -1
            if not depth:
                return match.start(), match.end()
        raise Unspellable(place - 1, place, "this environment has no end", "", "write \\end{cases}")


def _ends_operand(token: str) -> bool:
    """Return whether `token` can end an operand, so that a + or - behind it belongs to a sum."""
    if token.startswith("\\"):
        return token[1:2].isalpha() and token not in _OPERATORS and token not in _OPENING and token not in _RELATIONS
    return token[-1:].isalnum() or token in (")", "]", "}", "'", "!", ".", "|")


def split(text: str, start: int, end: int, mark: str) -> list[Stretch]:
    r"""Return the parts of `text[start:end]` between the tokens that are equal to `mark`, outside braces and nested
    environments; always at least one part.

    `mark` is a whole token such as `&` or two backslashes. Escaped characters (`\{`) do not count as braces.
    """
    stretches: list[Stretch] = []
    depth = 0
    begin = start
    for match in TOKEN.finditer(text, start, end):
        if match.group() == mark and not depth:
            stretches.append(Stretch(begin, match.start()))
            begin = match.end()
        depth += {"{": 1, "}": -1, "\\begin": 1, "\\end": -1}.get(match.group(), 0)
    return [*stretches, Stretch(begin, end)]
