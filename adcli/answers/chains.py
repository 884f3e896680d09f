"""Chains of equals signs in lines of text: `v1 = log(x1) = 0.693, v2 = 10`. A row is a left side and pieces, with
relations (equals signs, arrows) between them; a stop ends a row.

A relation is an equals sign, arrow or the like between the pieces of a row; a stop is a comma, semicolon or word that
ends a row; a symbol is a text that names a row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from ..errors import Source, Span
from ..patterns import pattern
from ..records import NamedTuple
from ..table.primitive import lookup
from .collector import PIECES, Cut
from .line_rewriting import BLANK, part, row_pattern
from .numerals import numeral
from .row_tokens import chunks, words_of

RELATION = part("RELATION")
# A sign that every relation has one of.
_SIGNS = ("=", "->", "\\", *"≈≃≅≐≡≜∼~→⇒↦⟶⟹")
relations = pattern(RELATION, signs=_SIGNS)
_JOINT = row_pattern("{JOINT}")
_ARROWS = frozenset(("→", "⇒", "⟹", "->", "=>", "\\to", "\\Rightarrow", "\\implies", "\\rightarrow"))
_MOST = 20  # rows on one line
_GAP = pattern(r" {2,}|\t|: ", signs=("  ", "\t", ": "))
OPERATORS = ("+", "-", "−", "*", "·", "×", "⋅", "∙", "/", "÷", "^", "\\cdot", "\\times")
_LONGEST_WORD = 12
_LONGEST_LABEL = 3  # with its bracket
_MOST_WORDS = 3  # of a symbol: `adjoint of v5`
_DOUBT = row_pattern(r"\s*+(?:{HEDGES}|{ELSE})[\s:]++(?=[-−+]?\d)", re.IGNORECASE)


class SymbolTests(NamedTuple):
    """Tests that decide where a row begins without a stop before it.

    `is_symbol` returns whether a text names a row, `is_apart(left, before, symbol, spaced)` whether the symbol cannot
    occur in the row of that left side, behind the text `before` of its last piece, if a blank has separated rows of the
    line already (`spaced`); `after_words(left, piece)` returns the offsets in the piece where it ends and where a
    symbol begins after words, as in `6 we have f`, or None.
    """

    is_symbol: Callable[[str], bool]
    is_apart: Callable[[str, str, str, bool], bool]
    after_words: Callable[[str, str], tuple[int, int] | None]


class Chain(NamedTuple):
    """One row of a line: start and end of its left side, and for each piece its sign ("+", "-" or empty), start and
    end.
    """

    left: tuple[int, int]
    pieces: list[tuple[str, int, int]]


def begins_with_relation(text: str) -> bool:
    """Return whether a text begins with an equals sign or arrow, so that it continues the row before it."""
    return relations.match(text.lstrip()) is not None


def has_relation(text: str) -> bool:
    """Return whether a text has an equals sign, arrow or the like, which joins the pieces of a row."""
    return " = " in text or relations.search(text) is not None


class Joint(NamedTuple):
    """A separator of expressions and its offsets; `kind` is "relation", "arrow" (backwards) or "stop", `text` as
    written.
    """

    kind: str
    text: str
    start: int
    end: int


def joints(text: str) -> list[Joint]:
    """Return the separators of expressions in the line `text`, in order: relations, backward arrows and stops.

    Those inside brackets are left out, unless a bracket is not closed.
    """
    separators, is_open = joints_with_depth(_JOINT, text, 0, len(text))
    return [joint for depth, joint in separators if is_open or not depth]


def joints_with_depth(shape: re.Pattern[str], text: str, start: int, end: int) -> tuple[list[tuple[int, Joint]], bool]:
    """Return the separators from `start` to `end`, with bracket depths, and whether a bracket is still open at `end`.

    Each separator, in order, is a pair (number of open brackets before it, Joint). Each match of `shape` must be one
    named group: the name is the kind of the separator, or `open` or `close` for a bracket. A closing bracket without an
    open one is ignored.
    """
    joints: list[tuple[int, Joint]] = []
    depth = 0
    for match in shape.finditer(text, start, end):
        kind = match.lastgroup or ""
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(depth - 1, 0)
        else:
            joints.append((depth, Joint(kind, match.group(), *match.span())))
    return joints, depth > 0


class _Splitter:
    """A splitter of one line into rows; `rows` are those that are complete.

    `start` is the offset where the row that is open begins, `signs` has sign, start and end of its relations; `spaced`
    says that a row ended at a blank.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.rows: list[Chain] = []
        self.start = 0
        self.signs: list[tuple[str, int, int]] = []
        self.spaced = False

    def split(self, tests: SymbolTests | None) -> list[Chain]:
        """Return the rows of the line, in order; [] if it has no relation (equals sign or arrow).

        A stop ends a row, and so does a backward arrow after a relation. A part between stops that has no relation is
        dropped, except a number after a number: the 3 in `v1 = 2, 3` becomes a piece of that row. With `tests` a row
        also ends before the symbol of another row (`_begin_row`). The sign of a piece is "+" after `+=`, "-" after
        `-=`, otherwise "". After more than 20 rows, or 30 relations in a row, no further relation is split.
        """
        if not has_relation(self.text) and "←" not in self.text and "<-" not in self.text:
            return []
        for joint in joints(self.text):
            if len(self.rows) > _MOST or len(self.signs) > PIECES:
                break
            if joint.kind == "stop" or (joint.kind == "arrow" and self.signs):
                self._add_number(joint.start)
                self._close(joint.start, joint.end)
                continue
            if tests and self.signs:
                self._begin_row(joint, tests)
            plus = joint.text.removeprefix("\\mathrel").strip(" {")[:1]
            sign = plus if plus in ("+", "-") and "=" in joint.text else ""
            self.signs.append((sign, joint.start, joint.end))
        self._add_number(len(self.text))
        self._close(len(self.text), len(self.text))
        return self.rows

    def _close(self, end: int, following: int) -> None:
        """Add the open row, up to the offset `end`, to `rows`, if it has a relation; the next row begins at
        `following`.

        Without a relation its text is dropped.
        """
        if self.signs:
            ends = [*(start for _, start, _ in self.signs[1:]), end]
            pieces = [(sign, begin, stop) for (sign, _, begin), stop in zip(self.signs, ends, strict=True)]
            self.rows.append(Chain((self.start, self.signs[0][1]), pieces))
        self.start, self.signs = following, []

    def _add_number(self, end: int) -> None:
        """Append the text from the last stop to `end` to the last row, if this text and its last piece are numbers.

        So `v1 = 2, 3` has two numbers, which is an error later; a word such as `or` before the second number is
        skipped, and so is the condition in `4 if positive else -4`. Nothing is added if there is no row, if a relation
        follows the last stop (a row is open), for such a word after a comparison or a letter, or to a row with 30
        pieces.
        """
        if self.signs or not self.rows:
            return
        doubt = _DOUBT.match(self.text, self.start, end)
        start = doubt.end() if doubt else self.start
        last = self.rows[-1].pieces
        places = (start, end), last[-1][1:]
        between = self.text[last[-1][1] : start]
        if doubt and (any(map(between.__contains__, f"<>≤≥={BLANK}")) or 1 in map(len, words_of(between)[:-1])):
            return  # 1 if x > 0, else -1
        if len(last) < PIECES and all(numeral(self.text[slice(*place)]) is not None for place in places):
            last.append(("", start, end))

    def _begin_row(self, joint: Joint, tests: SymbolTests) -> None:
        """End the open row and begin another one before the relation `joint`, if the last piece ends in a row's symbol.

        The first that applies; if none does, nothing changes:

        - The row adds to its symbol, which is the piece behind the first, `x̄ += 2 → x̄ = 5`: nothing changes.
        - The whole piece is a symbol after an arrow, as in `v1 = 6 → f = m + c`: the row ends before the arrow, which
          is dropped, unless the signs form a path (`_is_path`).
        - The text after the last gap of the piece (two blanks, a tab or `: `) is a symbol.
        - A symbol comes after words (`tests.after_words`).
        - A symbol is at the end that cannot belong to the open row (`_place_apart`).
        """
        text, (_, arrow, begin), end = self.text, self.signs[-1], joint.start
        sign, first, _ = self.signs[len(self.signs) - 2]
        if sign and text[begin:end].strip() == text[self.start : first].strip():
            return
        if not _is_path(text, self.signs, joint.text) and tests.is_symbol(text[begin:end]):
            self.signs.pop()
            self._close(arrow, begin)
            return
        gap = _last_gap(text, begin, end)
        if gap and tests.is_symbol(text[gap:end]):
            self._close(gap, gap)
            return
        words = tests.after_words(text[self.start : self.signs[0][1]], text[begin:end])
        place = None if words else self._place_apart(begin, end, tests)
        if words:
            self._close(begin + words[0], begin + words[1])
        elif place:
            self.spaced = True
            self._close(begin + len(_without_mark(text[begin:place])), place)

    def _place_apart(self, begin: int, end: int, tests: SymbolTests) -> int | None:
        """Return where a symbol at the end of the text from `begin` to `end` starts, if it is not part of the open row.

        The last word, then the last two, then the last three are tried, but never with the first word of the text; None
        if none fits. The text before the symbol, without a label or separator (`_without_mark`), must be a whole
        formula (`is_whole`), before a slash a number, and `tests.is_apart` be true.
        """
        left = self.text[self.start : self.signs[0][1]]
        for place, _ in chunks(self.text, begin, end)[1:][: -_MOST_WORDS - 1 : -1]:
            before, symbol = _without_mark(self.text[begin:place]), self.text[place:end]
            is_quotient = self.text[begin + len(before) : place].strip() == "/" and not (
                numeral(before) and (self.spaced or len(symbol.strip()) > 1)  # f_x = 3 / f = 0.6
            )
            if is_whole(before) and not is_quotient and tests.is_apart(left, before, symbol, self.spaced):
                return place
        return None


def chains(text: str, tests: SymbolTests | None = None) -> list[Chain]:
    """Return the rows of a line, split at relations; at most about 20 rows of 30 pieces.

    A row ends at a stop. With `tests` it also ends at a wide gap before a symbol with a relation (two tables side by
    side), and at a single blank before a symbol that cannot be in this row.
    """
    return _Splitter(text).split(tests)


def _without_mark(text: str) -> str:
    """Return the text without blanks, and without a slash, bullet or label of a list at its end: `18 /`, `18 b)`."""
    before, _, last = text.rstrip().rpartition(" ")
    is_label = last[-1:] == ")" and last[:-1].isalnum() and len(last) <= _LONGEST_LABEL
    return before.rstrip() if last in ("/", "•") or is_label else text.rstrip()


def _is_path(text: str, signs: Sequence[tuple[str, int, int]], sign: str) -> bool:
    """Return whether the relation `sign` continues the open row; `signs` are its relations so far: (sign, start, end).

    False for `v1 = 6 → f = 2`, where the arrow leads to another row: the last of two or more relations is an arrow, an
    earlier one is not, and `sign` is not. True for `6 → f = 2` and `v1 = 6 → 7 → 8`.
    """
    are_arrows = [text[start:end] in _ARROWS for _, start, end in signs]
    return len(are_arrows) < 2 or not are_arrows[-1] or all(are_arrows) or sign in _ARROWS


def is_whole(text: str) -> bool:
    """Return whether a formula may end here: not after an operator, and not between a function and its argument."""
    words = words_of(text[-_LONGEST_WORD:])
    is_function = bool(words) and text.endswith(words[-1]) and lookup(words[-1]) is not None
    return bool(text.strip()) and not text.endswith(OPERATORS) and not is_function


def _last_gap(text: str, start: int, end: int) -> int | None:
    """Return where the last wide gap from `start` to `end` ends that follows a whole formula; None if there is none."""
    part = text[start:end].rstrip()
    gaps = [match.end() for match in _GAP.finditer(part) if is_whole(part[: match.start()])]
    return start + gaps[-1] if gaps else None


def cut(source: Source, text: str, start: int, end: int, sign: str = "") -> Cut:
    """Return `text[start:end]` without blanks around it, as a Cut with its span in `source` and its `sign`.

    `end` may be beyond the end of `text`, which then counts as `end`. `text` has the length of the line of `source`, so
    that offsets agree. `sign` is that of `+=` ("+") or `-=` ("-") before the text, or "". If only blanks are there, the
    text is empty and the span is the one character at `end`.
    """
    part = text[start:end]
    start += len(part) - len(part.lstrip())
    return Cut(part.strip(), Span(start, start + max(len(part.strip()), 1), source), sign)


def between(gaps: Iterable[tuple[int, int]], start: int, end: int) -> list[tuple[int, int]]:
    """Return (start, end) of each part from `start` to `end` outside of the `gaps`, pairs (start, end) in order."""
    places = [start, *(place for gap in gaps for place in gap), end]
    return list(zip(places[::2], places[1::2], strict=True))


def inner(cell: Cut, start: int, end: int, sign: str = "") -> Cut:
    """Return the text of `cell` from `start` to `end`, without the blanks around this part, as a Cut with `sign`.

    `sign` is "+" (after `+=`), "-" (after `-=`) or "". The span covers the part, at least one character; if text and
    span of `cell` differ in length, it is the span of `cell`.
    """
    if len(cell.text) != cell.span.end - cell.span.start:
        return Cut(cell.text[start:end].strip(), cell.span, sign)
    part = cut(cell.span.source, cell.text, start, end, sign)
    offset = cell.span.start
    return part._replace(span=Span(part.span.start + offset, part.span.end + offset, cell.span.source))


def behind_arrow(pieces: list[Cut]) -> list[Cut]:
    """Return the pieces of a line behind the first arrow between two of them; [] if there is none."""
    return next((pieces[place:] for place, two in enumerate(pairwise(pieces), 1) if are_joined_by_arrow(*two)), [])


def are_joined_by_arrow(one: Cut, other: Cut) -> bool:
    """Return whether nothing but an arrow, `→` or `=>`, and blanks is between `one` and `other`, the next piece, which
    may be on a later line.
    """
    start = one.span.end if one.span.source is other.span.source else 0
    return other.span.source.text[start : other.span.start].strip() in _ARROWS


def first_left(text: str) -> str:
    """Return the left side of the first row in a text; empty if there is no row."""
    rows = chains(text)
    return text[slice(*rows[0].left)] if rows else ""


def cuts(source: Source, text: str, tests: SymbolTests | None = None) -> Iterator[tuple[Cut, list[Cut]]]:
    """Yield the left side and the pieces of each row of `text`, which is the source's text with markup blanked out."""
    for chain in chains(text, tests):
        pieces = [cut(source, text, start, end, sign) for sign, start, end in chain.pieces]
        yield cut(source, text, *chain.left), pieces
