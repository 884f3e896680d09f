"""Corrections: notations that people use instead of a row, each one file of this folder with a `CORRECTION`.

A line correction turns a line of text into rows, a row correction turns a row into other ones. All are tried in one
loop; the notes, which `--as-read` shows, list those that were used.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from importlib import import_module

from ...errors import Source
from ...patterns import pattern
from ...records import NamedTuple
from ..chains import cut
from ..collector import Collector, Cut, Hint, RawRow, RawSection
from ..left_sides import LeftSides

_MOST_ROUNDS = 3  # times that the rows of one row are corrected again
_MOST_LINES = 5  # that a note names


class AnswerLine(NamedTuple):
    """A line of an answer: `text` is as long as that of its `source`; `before` and `after` are its neighbours.

    `lefts` has the symbols of left sides, `rows` are those above it in its section.
    """

    source: Source
    text: str
    before: str
    after: str
    lefts: LeftSides
    rows: Sequence[RawRow] = ()

    def cut(self, start: int, end: int) -> Cut:
        """Return the part from `start` to `end` without the blanks around it."""
        return cut(self.source, self.text, start, end)


class NewRow(NamedTuple):
    """A row that a line correction reads: its symbol, its pieces, and the kind of its quantity (None: a value)."""

    left: Cut
    pieces: list[Cut]
    hint: Hint | None = None


class Correction(NamedTuple):
    """A notation: its name, an example, and a function that reads it, of a line or of a row.

    Both functions return None if the line or row is written in another way.  A line is tried only if one of the
    `signs` is in it in small letters and it begins with the pattern `shape`, whose match its function gets too; a row
    comes with all texts on the left of rows next to it.
    """

    name: str
    example: str
    signs: tuple[str, ...] = ()
    of_line: Callable[[AnswerLine, re.Match[str]], list[NewRow] | None] | None = None
    of_row: Callable[[RawRow, LeftSides, Collection[str]], list[RawRow] | None] | None = None
    shape: str = ""


@lru_cache(maxsize=1)
def corrections() -> tuple[Correction, ...]:
    """Return all corrections, by the names of their files."""
    files = (file for folder in __path__ for file in os.listdir(folder) if file.endswith(".py") and file[:1] != "_")
    return tuple(import_module(f"{__name__}.{file[:-3]}").CORRECTION for file in sorted(files))


@lru_cache
def _shape(text: str) -> re.Pattern[str]:
    """Return the pattern of a correction, which ignores case, compiled when it is first used."""
    return pattern(text, re.IGNORECASE)


def correct_line(collector: Collector, line: AnswerLine) -> bool:
    """Add the rows of the first correction that reads `line` to the collector; return whether there is one.

    Corrections are tried in the order of their files' names; one is tried if it is of lines, the line in lower case has
    one of its signs and its shape matches. The line is added to `collector.corrected` under the name of the correction.
    """
    text = line.text.lower()
    for correction in corrections():
        if correction.of_line is None or not any(sign in text for sign in correction.signs):
            continue
        match = _shape(correction.shape).match(line.text)
        rows = correction.of_line(line, match) if match else None
        if rows is not None:
            for row in rows:
                place = row.left.span if row.hint is None else row.pieces[0].span
                collector.row(row.left, row.pieces, hint=row.hint, place=place)
            collector.corrected.setdefault(correction.name, []).append(line.source.first_line)
            return True
    return False


def correct_rows(parts: Sequence[RawSection], lefts: LeftSides, corrected: dict[str, list[int]]) -> None:
    """Replace rows of sections, in place, by those that corrections read in them.

    In `corrected`, the lines of these rows are added to the list of the correction's name. New rows are corrected
    again, up to `_MOST_ROUNDS` rounds in all.
    """
    of_rows = [correction for correction in corrections() if correction.of_row is not None]
    for part in parts:
        for _ in range(_MOST_ROUNDS):
            rows: list[RawRow] = []
            written = {row.left.text.strip() for row in part.rows}
            for row in part.rows:
                rows += _correct_row(row, lefts, written, of_rows, corrected) or [row]
            if len(rows) == len(part.rows) and all(new is old for new, old in zip(rows, part.rows, strict=True)):
                break
            part.rows = rows


def _correct_row(
    row: RawRow,
    lefts: LeftSides,
    written: Collection[str],
    of_rows: Sequence[Correction],
    corrected: dict[str, list[int]],
) -> list[RawRow] | None:
    """Return the rows that the first correction of `of_rows` reads in a row; None if none of them does.

    The line of the row is added to `corrected` under the name of that correction. `lefts` and `written`, the texts of
    the section's left sides, are passed on.
    """
    for correction in of_rows:
        rows = correction.of_row(row, lefts, written) if correction.of_row is not None else None
        if rows is not None:
            corrected.setdefault(correction.name, []).append(row.left.span.source.first_line)
            return rows
    return None


def correction_notes(corrected: dict[str, list[int]]) -> Iterable[str]:
    """Yield a sentence on each correction that was used, `lines 2, 5: NAME`, with the numbers of its lines, each once;
    after `_MOST_LINES` numbers it goes on with `, …`.
    """
    for name, lines in corrected.items():
        numbers = list(dict.fromkeys(lines))
        more = ", …" if len(numbers) > _MOST_LINES else ""
        yield f"line{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers[:_MOST_LINES]))}{more}: {name}"
