"""Chains of equals signs in lines of text: `v1 = log(x1) = 0.693, v2 = 10`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from ...errors import Source, Span
from ...patterns import pattern
from ...records import NamedTuple
from ...table.primitive import lookup
from .collector import PIECES, Cut

# What joins the expressions of a row.  Comparisons (<=, ==, !=) stand inside brackets, where nothing is split.
RELATION = (
    r"(?:[+-]=|=:|\\mathrel\s*+\{\s*+[+-]?=?\s*+\}\s*+=?|:=|==|(?<![<>!])=(?![>])|=>|≈|≃|≅|≐|≡|≜|∼|~|->|→|⇒|↦|⟶|⟹|"
    r"\\(?:approx|doteq|simeq|cong|sim|equiv|triangleq|coloneqq|to|mapsto|Rightarrow|implies|rightarrow|"
    r"longrightarrow)(?![A-Za-z]))"
)
# A sign that every relation has one of.
_SIGNS = ("=", "->", "\\", *"≈≃≅≐≡≜∼~→⇒↦⟶⟹")
_RELATION = pattern(RELATION, signs=_SIGNS)
_JOINT = pattern(
    rf"(?P<arrow>←|<-(?=\s))|(?P<relation>{RELATION})|(?P<open>[(\[{{]|\\(?:left|[bB]igg?l?)\s*+[(\[|])|(?P<close>[)\]}}]|\\right\s*+[)\]|])"
    r"|(?P<stop>;|,(?!\d)|(?<!\d),|(?<=\s)\|(?=\s+[^|=\s][^|=]{0,40}=)"
    r"|(?<![\w\\])(?:and|at|where|with|when|while|whereas|which|for|if|since|because|so|then|hence|thus|therefore|that|then|und|während|somit|daher|mit|dann|also|et|puis|donc|alors|luego|entonces)(?![\w(])"
    r"|(?<=[^\s.])\.(?=\s++(?:[^\W\d_]{2,}(?:[\s,]|\Z)|[∂∇])))"
)
_ARROWS = frozenset(("→", "⇒", "⟹", "->", "=>", "\\to", "\\Rightarrow", "\\implies", "\\rightarrow"))
# Words between two numbers of which only one can be meant.
HEDGES = (
    r"or(?:\s++is\s++it)?|vs\.?|versus|maybe|perhaps|possibly|oder|bzw\.?|beziehungsweise|vielleicht|ou|peut-être|o"
    r"|quizás"
)
_MOST = 20  # rows on one line
_GAP = pattern(r" {2,}|\t|: ", signs=("  ", "\t", ": "))
_OPERATORS = ("+", "-", "−", "*", "·", "×", "⋅", "∙", "/", "÷", "^", "\\cdot", "\\times")
_LAST_WORD = pattern(r"(?<![^\W\d_])([^\W\d_]++)\Z")
_LONGEST_WORD = 12
_WORD = pattern(r"\S++")
_MOST_WORDS = 3  # of a symbol: `adjoint of v5`
_NUMBER = pattern(r"\s*+[-−+]?\d++(?:\.\d++)?\s*+\Z")
_DOUBT = pattern(rf"\s*+(?:{HEDGES})[\s:]++(?=[-−+]?\d)", re.IGNORECASE)
_STARTS = pattern(rf"\s*+{RELATION}")


class Chain(NamedTuple):
    """One row of a line: start and end of its left side, and for each piece its sign ("+", "-" or empty), start and
    end.
    """

    left: tuple[int, int]
    pieces: list[tuple[str, int, int]]


def begins_with_relation(text: str) -> bool:
    """Return whether a text begins with an equals sign or arrow, so that it continues the row before it."""
    return _STARTS.match(text) is not None


def has_relation(text: str) -> bool:
    """Return whether a text has an equals sign, arrow or the like, which joins the pieces of a row."""
    return " = " in text or _RELATION.search(text) is not None


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
    found: list[tuple[int, Joint]] = []
    depth = 0
    for match in _JOINT.finditer(text):
        kind = match.lastgroup or ""
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(depth - 1, 0)
        else:
            found.append((depth, Joint(kind, match.group(), *match.span())))
    return [joint for inside, joint in found if depth or not inside]


def chains(
    text: str,
    is_symbol: Callable[[str], bool] | None = None,
    is_apart: Callable[[str, str], bool] | None = None,
    after_words: Callable[[str], int | None] | None = None,
) -> list[Chain]:
    """Return the rows of a line, split at relations; at most about 20 rows of 30 pieces.

    A new row begins at a stop, and after a wide gap before a symbol with a relation: two tables side by side.
    `is_symbol` returns whether a text names a row. `is_apart(left, symbol)` returns whether the symbol cannot occur in
    the row of that left side; then one blank is gap enough. `after_words` returns the offset in a piece where a symbol
    begins after words, as in `6 we have f`, or None. Without these callbacks only stops separate rows.
    """
    found: list[Chain] = []
    segment = 0
    current: list[tuple[str, int, int]] = []  # sign, start and end of each relation in this segment

    def close(end: int) -> None:
        nonlocal current
        if current:
            pieces = [
                (sign, after, following)
                for (sign, _, after), following in zip(current, [*(b for _, b, _ in current[1:]), end], strict=True)
            ]
            found.append(Chain((segment, current[0][1]), pieces))
        current = []

    def go_on(end: int) -> None:
        """Append the number after a stop to a row that ends in a number: the two are a list, not one number
        and a rest.
        """
        if current or not found:
            return
        doubt = _DOUBT.match(text, segment, end)
        start = doubt.end() if doubt else segment
        if _NUMBER.match(text, start, end):
            last = found[-1].pieces
            if len(last) < PIECES and _NUMBER.match(text, last[-1][1], last[-1][2]):
                last.append(("", start, end))

    for kind, sign, start, end in joints(text):
        if len(found) > _MOST or len(current) > PIECES:
            break
        if kind == "stop" or (kind == "arrow" and current):
            go_on(start)
            close(start)
            segment = end
            continue
        gap = None
        if is_symbol and not _is_path(text, current, sign) and is_symbol(text[current[-1][2] : start]):
            *current, (_, arrow, after) = current  # 6 → f = m + c: another row follows from this one
            close(arrow)
            segment, current = after, []
        if current and is_symbol:
            gap = _last_gap(text, current[-1][2], start)
            gap = gap if gap and is_symbol(text[gap:start]) else None
        if current and after_words and not gap:
            begun = current[-1][2]
            place = after_words(text[begun:start])
            gap = begun + place if place else None
        if current and is_apart and not gap:
            left = text[segment : current[0][1]]
            places = _last_words(text, current[-1][2], start)
            begun = current[-1][2]
            gap = next(
                (
                    place
                    for place in places
                    if is_apart(left, text[place:start]) and _is_whole(text[begun:place].rstrip())
                ),
                None,
            )
        if gap:
            close(gap)
            segment = gap
        plus = sign.removeprefix("\\mathrel").strip(" {")[:1]
        current.append((plus if plus in ("+", "-") and "=" in sign else "", start, end))
    go_on(len(text))
    close(len(text))
    return found


def _is_path(text: str, signs: Sequence[tuple[str, int, int]], sign: str) -> bool:
    """Return whether the last of the relations `signs`, followed by the relation `sign`, does not lead on to another
    row.

    `signs` has sign, start and end of each relation in the line `text`. An arrow leads on only if a relation other than
    an arrow precedes it and `sign` is not an arrow.
    """
    found = [text[start:end] in _ARROWS for _, start, end in signs]
    return len(found) < 2 or not found[-1] or all(found) or sign in _ARROWS


def _is_whole(text: str) -> bool:
    """Return whether a formula may end here: not after an operator, and not between a function and its argument."""
    word = _LAST_WORD.search(text[-_LONGEST_WORD:])
    return bool(text.strip()) and not text.endswith(_OPERATORS) and not (word and lookup(word[1]))


def _last_gap(text: str, start: int, end: int) -> int | None:
    """Return where the last wide gap from `start` to `end` ends that follows a whole formula; None if there is none."""
    part = text[start:end].rstrip()
    gaps = [match.end() for match in _GAP.finditer(part) if _is_whole(part[: match.start()])]
    return start + gaps[-1] if gaps else None


def _last_words(text: str, start: int, end: int) -> list[int]:
    """Return where the last word from `start` to `end` begins, the last two, and the last three; never the
    first word.
    """
    words = [match.start() for match in _WORD.finditer(text, start, end)]
    return words[1:][: -_MOST_WORDS - 1 : -1]


def cut(source: Source, text: str, start: int, end: int, sign: str = "") -> Cut:
    """Return the part of `text` from `start` to `end` without blanks around it; `text` is as long as its source."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Cut(text[start:end], Span(start, max(end, start + 1), source), sign)


def inner(cell: Cut, start: int, end: int, sign: str = "") -> Cut:
    """Return the part of a cell's text from `start` to `end`, with `sign` ("+", "-" or empty).

    If text and span of the cell differ in length, the part has the span of the whole cell.
    """
    if len(cell.text) != cell.span.end - cell.span.start:
        return Cut(cell.text[start:end].strip(), cell.span, sign)
    found = cut(cell.span.source, cell.text, start, end, sign)
    offset = cell.span.start
    return found._replace(span=Span(found.span.start + offset, found.span.end + offset, cell.span.source))


def cuts(
    source: Source,
    text: str,
    is_symbol: Callable[[str], bool],
    is_apart: Callable[[str, str], bool],
    after_words: Callable[[str], int | None],
) -> Iterator[tuple[Cut, list[Cut]]]:
    """Yield the left side and the pieces of each row of `text`, which is the source's text with markup blanked out.

    The callbacks are those of `chains`: whether a text names a row, whether a symbol cannot occur in a row, and the
    offset of a symbol after words.
    """
    for chain in chains(text, is_symbol, is_apart, after_words):
        pieces = [cut(source, text, start, end, sign) for sign, start, end in chain.pieces]
        yield cut(source, text, *chain.left), pieces
