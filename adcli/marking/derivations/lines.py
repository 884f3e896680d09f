"""The lines of an answer as statements: what is said to be equal to what, in the order written.

`f'(x) = cos(x^2) (x^2)' = 2x cos(x^2)` is one statement of a left side and two pieces.  A line that begins with an
equals sign goes on with the statement before it, and so does a formula alone beneath one.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Sequence

from ...answers.chains import joints_with_depth
from ...answers.collector import Cut
from ...answers.markup import without_markup
from ...answers.vectors import flatten_vectors
from ...errors import Source, Span
from ...patterns import pattern
from ...records import NamedTuple
from .cases import alike, by_cases, laid_out
from .plain_formulas import rewrite, rules

_AROUND = string.whitespace + "\u00a0,:"
LINES = 400  # of an answer that are read
LINE_LENGTH = 2_000
STATEMENTS = 300
PIECES = 20  # of one statement

_EQUALS = (
    r":=|==|≈|≃|≅|≡|∼|(?<![<>!:])=(?![>=])|\\(?:approx|equiv|simeq)(?![A-Za-z])"
    r"|(?<![\w\\])(?:which\s+|this\s+)?(?:simplif(?:y|ies)\s+(?:this\s+)?to|simplified(?:\s+to)?|is\s+equal\s+to|equals|reduces\s+to|becomes|gives|yields|is)(?!\w)"
)
_HENCE = (
    r"=>|⇒|⟹|→|⟶|↦|->|∴|\\(?:Rightarrow|implies|Longrightarrow|rightarrow|to|therefore|mapsto|iff|Leftrightarrow)(?![A-Za-z])"
    r"|<=>|⇔"
)
_STOPS = (
    r";|,(?=\s)|(?<=\S),(?=\S*\s*=)|(?<!\d)\.(?=\s|\Z)"
    r"|(?<![\w\\])(?:and|so|thus|hence|therefore|then|but|und|also|daher)(?![\w(])"
)
_ASIDE = (
    r"(?<![\w\\])(?:where|with(?!\s+respect)|since|because|for|let|if|when|by(?=\s+the\s)|using|mit|wobei|wo)(?![\w(])"
)
_JOINT = pattern(
    rf"(?P<open>[(\[{{⟨]|\\langle(?![a-z]))|(?P<close>[)\]}}⟩]|\\rangle(?![a-z]))|(?P<colon>:(?=\s))|(?P<hence>{_HENCE})|(?P<equals>{_EQUALS})|(?P<aside>{_ASIDE})|(?P<stop>{_STOPS})",
    re.IGNORECASE,
)
_TABLE_ROW = pattern(r"\s*+\|.*\s\|\s.*\|\s*\Z")
_BREAK = pattern(r"\\\\(?:\s*+\[[^\[\]]*+\])?|\\tabularnewline(?![A-Za-z])")
_BULLET = pattern(
    r"\s*+(?:>\s*+)*+(?:[-*•·+–—∴]\s++|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s++|(?:step|schritt|étape)\s*+\d++\s*+[:.)]?\s*+|[#✓✔]++\s*+)*+",
    re.IGNORECASE,
)
_BEGUN = pattern(r"\\begin\s*+\{([pbvBV]?matrix|d?cases|array)\}")
_LEFT = pattern(  # what may stand on a left side behind a colon: a name, or a derivative
    r"\s*+(?:[^\W\d_][^\W_]*+(?:_\{?\w++\}?)?+'*+\s*+(?:\([^()=]*+\))?|[d∂][^\s/]*+\s*+/\s*+[d∂]\s*+\S++|[D∂]_\S++[^=]*+|\\[dt]?frac[^=]*+)\s*+\Z"
)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


_LAYOUT = rules(  # replaced by texts of the same length
    (r"(?<==)(\s*+)<([^<>=]*,[^<>=]*)>(?=\s*\Z)", r"\1⟨\2⟩"),
    (r"\\(?:begin|end)\s*+\{[^{}]*+\}(?:\s*+\{[lcr|@{}]*+\})?", _blank),
    (r"(?s)\A(?!\s*#)(.*?)(?:\s#(?![\d])|\s//|\s--\s|\s%).*\Z", r"\1"),  # a comment
    ("&", " "),
)
_TALLEST = 20  # lines of one environment


class Statement(NamedTuple):
    """A left side and the pieces that it is said to equal; `left` is None if nothing precedes the first piece.

    `block` is the number of the paragraph, which blank lines separate.
    """

    left: Cut | None
    pieces: list[Cut]
    block: int

    @property
    def first(self) -> Cut:
        return self.left or self.pieces[0]


def statements(lines: Sequence[tuple[int, str]]) -> list[Statement]:
    """Return the statements in lines, in order; `lines` are pairs (number from 1, text).

    At most 400 lines are read, and no new one after 300 statements; lines of more than 2,000 characters are skipped.
    """
    reader = _StatementReader()
    for number, text in _join_lines(lines[:LINES]):
        if len(reader.found) >= STATEMENTS:
            break
        if len(text) <= LINE_LENGTH:
            reader.line(number, text)
    return reader.found


def _join_lines(lines: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield pairs (number, text) of lines, several joined into one, with the number of the first, if they belong
    together.

    They do if they are in the same LaTeX environment that ends within 20 further lines, or each define a case of one
    function, up to 2,000 characters.
    """
    waiting = list(reversed(lines))
    while waiting:
        number, text = waiting.pop()
        begun = _BEGUN.search(text)
        end = f"\\end{{{begun[1]}}}" if begun else ""
        if begun and end not in text[begun.end() :]:
            found = next((k for k, (_, other) in enumerate(waiting[: -_TALLEST - 1 : -1], 1) if end in other), 0)
            for _ in range(found):
                text += " " + waiting.pop()[1]
        while waiting and len(text) <= LINE_LENGTH and (both := alike(text, waiting[-1][1])):
            text = both
            waiting.pop()
        yield number, text


class _StatementReader:
    """A reader of one line after another; `found` are the statements so far."""

    def __init__(self) -> None:
        self.found: list[Statement] = []
        self.block = 0
        self.open: Statement | None = None  # what an equals sign at the start of a line goes on with

    def line(self, number: int, text: str) -> None:
        """Read the line with this number and text and append its statements to `found`; a blank line begins a new
        block.

        Markup, LaTeX environments, comments and bullets are blanked out so that positions stay the same; a LaTeX line
        break ends a part.
        """
        source = Source(text, None, number)
        plain = without_markup(laid_out(text))
        if not plain.strip():
            self.block += 1
            return
        plain = rewrite(_table_row_as_equation(flatten_vectors(plain)), _LAYOUT)
        start = 0
        for match in [*_BREAK.finditer(plain), None]:
            end = match.start() if match else len(plain)
            bullet = _BULLET.match(plain, start, end)
            first = bullet.end() if bullet else start
            if plain[first:end].strip():
                self.part(source, plain, first, end)
            start = match.end() if match else end

    def part(self, source: Source, text: str, start: int, end: int) -> None:
        """Read the part of a line from `start` to `end` (excluded) and append its statements to `found`.

        `text` is the line without markup, `source` the line as written. Each separator but an equals sign ends a
        statement; a colon does only before a new left side, otherwise it stays in the text. A definition by cases after
        an equals sign becomes one formula, up to `end`.
        """
        segment: list[Cut | None] = []
        began, before = start, ""
        joints = [*_joints(text, start, end), ("stop", end, end)]
        for place, (kind, first, last) in enumerate(joints):
            if kind == "colon":
                after = joints[place + 1]
                if not segment or after[0] != "equals" or not _LEFT.match(text, last, after[1]):
                    continue  # a heading, or words
                kind = "stop"
            cases = by_cases(text[last:end]) if kind == "equals" else None
            segment.append(_piece(source, text, began, first))
            began = last
            if cases is not None:
                whole = _piece(source, text, last, end)
                self.segment([*segment, whole and whole._replace(text=cases)], before)
                return
            if kind != "equals":
                self.segment(segment, before)
                segment = []
                before = before if kind == "stop" and before == "aside" else kind

    def segment(self, parts: Sequence[Cut | None], before: str) -> None:
        """Append the statement between two stops to `found`, or its pieces to the last statement.

        `parts` are the pieces between equals signs, None if empty. `before` is the kind of the stop before it: stop,
        hence, aside, or empty at the start. A segment without a left side, and a formula alone after an arrow (hence),
        continues the last statement. A formula alone is a statement without a left side, or, if it has a colon, with
        the text before the last colon as the left side; after `where` (aside) one without a colon is dropped. At most
        20 pieces after a left side are kept.
        """
        left, rest = parts[0], [piece for piece in parts[1:] if piece is not None]
        if left is None or (before == "hence" and len(parts) == 1):
            self.go_on(rest if left is None else [left])
        elif len(parts) > 1:
            self.add(Statement(left, rest[:PIECES], self.block), before)
        elif ":" in left.text:
            title, _, text = left.text.rpartition(":")
            source, start = left.span.source, left.span.start
            head = _piece(source, title, 0, len(title), start)
            piece = _piece(source, text, 0, len(text), start + len(title) + 1)
            self.add(
                Statement(None, [left], self.block) if piece is None else Statement(head, [piece], self.block), before
            )
        elif before != "aside":
            self.add(Statement(None, [left], self.block), before)

    def add(self, statement: Statement, before: str) -> None:
        """Append a statement; it becomes the one that a next line continues, unless it follows `where` and another is
        open.
        """
        self.found.append(statement)
        if before != "aside" or self.open is None:
            self.open = statement

    def go_on(self, pieces: Sequence[Cut]) -> None:
        """Append pieces to the open statement, up to 20; without one they begin a statement that has no left side."""
        if self.open is not None:
            room = PIECES - len(self.open.pieces)
            self.open.pieces.extend(pieces[: max(room, 0)])
        elif pieces:
            self.add(Statement(None, list(pieces[:PIECES]), self.block), "")


def _table_row_as_equation(text: str) -> str:
    """Return a row of a Markdown table, or of two cells with a tab between, as an equation, cells separated by `=`.

    The length stays the same. The rule below a table's head becomes empty; any other text, and one with a tab and an
    equals sign, is returned unchanged.
    """
    if _TABLE_ROW.match(text):
        if all(character in "|:-" or character.isspace() for character in text):
            return ""
        first, *rest = text.strip()[1:-1].split(" | ")
        return text[: len(text) - len(text.lstrip())] + " " + " = ".join((first, *rest)) + " "
    return text.replace("\t", "=") if text.strip().count("\t") == 1 and "=" not in text else text


def _joints(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Yield the separators in `text` from `start` to `end` as (kind, first, last), outside brackets.

    The kinds are colon, hence, equals, aside and stop (group names of `_JOINT`); `last` is excluded. If a bracket stays
    open, equals signs in brackets count too.
    """
    separators, is_open = joints_with_depth(_JOINT, text, start, end)
    for depth, joint in separators:
        if depth == 0 or (is_open and joint.kind == "equals"):
            yield joint.kind, joint.start, joint.end


def _piece(source: Source, text: str, start: int, end: int, offset: int = 0) -> Cut | None:
    """Return `text` from `start` to `end` without blanks, commas and colons around; None if nothing else is there.

    `offset` is the place of `text` in the source.
    """
    part = text[start:end]
    inner = part.strip(_AROUND)
    start += offset + part.find(inner)
    return Cut(inner, Span(start, start + len(inner), source)) if inner else None
