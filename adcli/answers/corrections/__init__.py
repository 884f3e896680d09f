"""Corrections: notations that people use instead of a row, each one file of this folder with a `CORRECTION`.

The last paragraph of the file's docstring, `Signs: …`, lists texts in small letters, with ␣ for a blank and ␣␣␣ for a
tab. A line or row is tried only with the corrections of which it has a sign, and only these files are imported.

A line correction turns a line of text into rows, before the line is split at its equals signs; a row correction turns a
row, after that, into other rows. They are tried in the order of their files' names, and the first that reads the line
or row counts. The notes, which `--as-read` shows, list those that were used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from unicodedata import normalize

from ...errors import Source
from ...patterns import compile_pattern
from ...records import NamedTuple
from ..answer_model import BAR, DERIVATIVE, DOT
from ..chains import cut, cuts
from ..collector import Collector, Cut, Hint, RawRow, RawSection
from ..docstring_signs import signs_by_module
from ..left_sides import LeftSides
from ..line_rewriting import apply_rules
from ..sessions import NUMBERS, without_prompt
from ..stated_numbers import is_other_value, take_stated_number
from ..vectors import go_on_in_list

_MOST_ROUNDS = 3  # times that the rows of one row are corrected again
_OPENING = ("(", "<", "⟨", "[")
_MOST_LINES = 5  # that a note names
DUAL_LETTERS = ("e", "E", "d", "D")  # for ε
# Kinds of derivatives by the first three letters of a word for them.
_KINDS = {"adj": BAR, "bar": BAR, "tan": DOT, "dot": DOT, "eps": DOT, "dua": DOT}


class AnswerLine(NamedTuple):
    """A line of an answer whose beginning has the shape of a line correction; `match` is the match of the shape.

    `text` is as long as the text of `source`; `before` and `after` are the texts of the lines next to it. `lefts` reads
    left sides as symbols. `rows` are the rows above the line in its section.
    """

    source: Source
    text: str
    match: re.Match[str]
    before: str
    after: str
    lefts: LeftSides
    rows: Sequence[RawRow]

    def cut(self, start: int, end: int) -> Cut:
        """Return the part from `start` to `end` without the blanks around it."""
        return cut(self.source, self.text, start, end)

    def group(self, name: str) -> Cut:
        """Return the part of the line that the group `name` of the shape matched, without the blanks around it."""
        return self.cut(*self.match.span(name))

    def split_rows(self, start: int, end: int, text: str = "") -> list[NewRow]:
        """Return the rows of the line from `start` to `end`, split at relations by `chains` without tests of symbols;
        [] if it has no relation.

        With `text`, which is as long as the line, that text is split instead.
        """
        rows = cuts(self.source, " " * start + (text or self.text)[start:end])
        return [NewRow(left, pieces) for left, pieces in rows]


class SplitRow(NamedTuple):
    """A raw row that a row correction may read; `lefts` reads left sides as symbols.

    `rows` are all rows of its section, `written` the texts of their left sides. `lists` is the number of those whose
    last piece begins with a bracket. `duals` is the number of those that end in a coefficient (0, 1 or with a point)
    and the letter e or d, as `3 + 1e`.
    """

    row: RawRow
    lefts: LeftSides
    written: Collection[str]
    lists: int
    duals: int = 0
    rows: Sequence[RawRow] = ()

    @property
    def last(self) -> Cut:
        """Return its last piece; if it has no pieces, the left side with an empty text."""
        return self.row.pieces[-1] if self.row.pieces else self.row.left._replace(text="")


class NewRow(NamedTuple):
    """A row that a line correction reads: its symbol, its pieces, and the kind of its quantity.

    `hint` is None for a value.
    """

    left: Cut
    pieces: list[Cut]
    hint: Hint | None = None


def hint_of_word(word: str) -> Hint:
    """Return the hint that a word for derivatives gives: a tangent, an adjoint, or either if the word is open."""
    return Hint(_KINDS.get(word.lower()[:3], DERIVATIVE))


def hint_of_inputs(line: AnswerLine, items: Sequence[tuple[str, str]], *, alone: bool) -> Hint | None:
    """Return the hint of a derivative if `items`, (name, number as written), are slopes of inputs; else None.

    All names must be inputs with a value at the point, and no number may be that value, to half a unit of its last
    place. The line above must have `grad` in it, or the last row be such a slope on the line above; with `alone` that
    is not necessary.
    """
    names, rows = line.lefts.names, line.rows[-1:]
    follows = any(row.hint == Hint(DERIVATIVE) and row.left.span.source.text == line.before for row in rows)
    if not (alone or follows or "grad" in line.before.lower()):
        return None
    return Hint(DERIVATIVE) if all(is_other_value(name, text, names) for name, text in items) else None


class Correction(NamedTuple):
    """A notation: its name, an example, and a function that reads it, of a line or of a row (or both).

    `of_line` returns the rows that replace a line, `of_row` those that replace a row; each returns None for another
    notation. A line is tried only if it begins with the pattern `shape`, which ignores case.
    """

    name: str
    example: str
    of_line: Callable[[AnswerLine], list[NewRow] | None] | None = None
    of_row: Callable[[SplitRow], list[RawRow] | None] | None = None
    shape: str = ""


def corrections(text: str | None = None) -> Iterator[Correction]:
    """Yield the corrections with one of their signs in `text` (None: all), by the names of their files."""
    plain = normalize("NFKD", (text or "").lower()).replace("\t", "   ")
    for name, signs in _signs().items():
        if text is None or any(map(plain.__contains__, signs)):
            yield import_module(f"{__name__}.{name}").CORRECTION


@lru_cache(maxsize=1)
def _signs() -> dict[str, list[str]]:
    """Return {file name of a correction, without .py: its signs}, spelled as `corrections` spells the text."""
    files = signs_by_module(tuple(__path__), "Signs")
    return {name: [normalize("NFKD", sign) for sign in signs] for name, signs in files.items()}


def correct_line(collector: Collector, source: Source, text: str, before: str, after: str) -> bool:
    """Add the rows of the first correction that reads the line `text` to the collector; return whether one reads it.

    Before that, a number that the line states for the row above is added to that row (`take_stated_number`); then True
    is returned, too. `text` is as long as the line of `source`; `before` and `after` are the lines next to it. A
    correction gets the text without its prompt, if its `shape` matches from its start, in small or capital letters; it
    reads the line unless its `of_line` returns None ([] adds no row). A row with a hint is underlined at its first
    piece. The number of the line is then added to `collector.corrected` under the name of the correction, also for [].
    """
    number = take_stated_number(collector, source, text)
    if number is not None:
        go_on_in_list(collector, [number])
        return True
    text, _ = without_prompt(text)
    text = text if "data=" in text else apply_rules(text, NUMBERS)  # Value(data=2.0, grad=-1.5)
    for correction in corrections(text):
        if correction.of_line is None:
            continue
        match = compile_pattern(correction.shape, re.IGNORECASE).match(text)
        if match is None:
            continue
        rows = correction.of_line(AnswerLine(source, text, match, before, after, collector.lefts, collector.part.rows))
        if rows is not None:
            for row in rows:
                place = row.left.span if row.hint is None else row.pieces[0].span
                collector.row(row.left, row.pieces, hint=row.hint, place=place)
            collector.corrected.setdefault(correction.name, []).append(source.first_line)
            return True
    return False


def correct_rows(parts: Sequence[RawSection], lefts: LeftSides, corrected: dict[str, list[int]]) -> None:
    """Replace the rows of the sections `parts` by those that corrections read in them.

    Each section gets a new list of rows, made in up to three rounds over all of its rows, until a round changes none.
    The lines of rows that are read so are added to `corrected`, {name of the correction: lines, counted from 1}, in
    each round.
    """
    for part in parts:
        for _ in range(_MOST_ROUNDS):
            written = {row.left.text.strip() for row in part.rows}
            lists = sum(row.pieces[-1].text[:1] in _OPENING for row in part.rows if row.pieces)
            duals = sum(_ends_in_dual_part(row.pieces[-1].text) for row in part.rows if row.pieces)
            splits = [SplitRow(row, lefts, written, lists, duals, part.rows) for row in part.rows]
            rows = [_correct_row(split, corrected) for split in splits]
            if all(new == [old] for new, old in zip(rows, part.rows, strict=True)):
                break
            part.rows = [row for each in rows for row in each]


def _ends_in_dual_part(text: str) -> bool:
    """Return whether a text ends in e, E, d or D after a coefficient 0, 1 or one with a point: a dual part, `3 + 1.5e`.

    The coefficient is the text after the last sign; another whole number, as in `3 + 2e`, is not a dual part.
    """
    coefficient = text[:-1].replace("-", "+").replace("−", "+").rpartition("+")[2].strip()
    return text[-1:] in DUAL_LETTERS and (coefficient in ("0", "1") or coefficient.replace(".", "", 1) != coefficient)


def _correct_row(split: SplitRow, corrected: dict[str, list[int]]) -> list[RawRow]:
    """Return the rows that the first correction of rows reads in a row; [the row itself] if no correction reads it.

    A correction is tried if one of its signs is in the row, as read or as written. [] takes the row away. The line of a
    row that is read so, also with [], is added to `corrected` under the name of that correction.
    """
    row = split.row
    for correction in corrections(" ".join((row.left.span.text, *(part.text for part in (row.left, *row.pieces))))):
        rows = correction.of_row(split) if correction.of_row is not None else None
        if rows is not None:
            corrected.setdefault(correction.name, []).append(row.left.span.source.first_line)
            return rows
    return [row]


def correction_notes(corrected: dict[str, list[int]]) -> Iterable[str]:
    """Yield a sentence on each correction in `corrected` ({name: lines, counted from 1}): `lines 2, 5: NAME`.

    Each line is named once, in the order given, one alone as `line 2: NAME`; if there are more than five, five are
    named, and `, …` follows.
    """
    for name, lines in corrected.items():
        numbers = list(dict.fromkeys(lines))
        more = ", …" if len(numbers) > _MOST_LINES else ""
        yield f"line{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers[:_MOST_LINES]))}{more}: {name}"
