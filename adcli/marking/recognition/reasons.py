"""Reasons behind numbers, `f_x = 12, since 2·3·2 = 14`: one that can be computed and is false belongs to its row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from ...answers.answer import Script
from ...answers.answer_model import LeftOut, RowPiece, Task
from ...answers.chains import cut
from ...answers.collector import Cut, RawRow, RawSection
from ...answers.markup import without_markup
from ...answers.row_tokens import chunks, word_sets
from ...numbers.double_intervals import SPREAD, Spread
from .matching import names_of, value_of

(_REASONS,) = word_sets("other_homework", "reason")
_AROUND = " \u00a0.,;:([{)]}"
_LOOSE = 0.01  # the relative difference of sides with rounded numbers
_REMARK = "arithmetic next to the rows"


def with_reasons(part: RawSection, script: Script, task: Task) -> RawSection:
    """Return the section in which rows begin with the sides of a false reason, `2·3·2 = 14 = 2xy = 12`.

    A reason is behind the number of a row and a word such as `since`, up to the next row with a name. All its sides can
    be computed at the point. It is an equation with two neighbouring sides that differ, or a formula without names that
    is not the number; a formula with names that is not the number is left out. Rows that are read in a false reason are
    dropped. `part` itself is returned if no row has a reason.
    """
    texts = {row.left.span.source.text for row in part.rows}
    if not any(word in text.lower() for text in texts for word in _REASONS):
        return part
    names, known = names_of([task]), {name: SPREAD.number(value) for name, value in task.at.items()}
    rows: list[RawRow] = []
    omitted: list[LeftOut] = []
    place = 0, 0  # line and end of the last false reason
    for row, end in zip(part.rows, _starts_of_next(part.rows, script), strict=True):
        if (row.left.span.source.first_line, row.left.span.start) < place:
            continue
        number, *sides = _number_and_reason(row, end)
        pieces = [piece for side in (*sides, number) if (piece := script.formula(side, names)) is not None]
        is_false = _is_false(pieces[:-1] if len(sides) > 1 else pieces, known)
        if is_false and len(sides) == 1 and pieces[0].quantities:
            omitted.append(LeftOut(sides[0].span, _REMARK))
        elif is_false:
            row = row._replace(pieces=[*sides, *row.pieces[:-1], number])
            place = row.left.span.source.first_line, sides[-1].span.end
        rows.append(row)
    return part.with_rows(rows, omitted)


def _starts_of_next(rows: Sequence[RawRow], script: Script) -> list[int | None]:
    """Return for each row where the next one with a name begins in its line, or None."""
    starts: list[int | None] = []
    following: dict[int, int] = {}  # by line
    for row in reversed(rows):
        line = row.left.span.source.first_line
        starts.append(following.get(line))
        if script.lefts[row.left.text] is not None:
            following[line] = row.left.span.start
    return starts[::-1]


def _number_and_reason(row: RawRow, end: int | None) -> list[Cut]:
    """Return the last piece of a row before a word for a reason, and the sides of the reason up to the offset `end` of
    the line (None: its end); only the last piece, or the left side, without a reason.
    """
    last = row.pieces[-1] if row.pieces else row.left
    source, start = last.span.source, last.span.start
    if source is not row.left.span.source:
        return [last]
    text = without_markup(source.text)[:end].partition("\n")[0] if "\n" not in source.text else source.text[:end]
    for begin, stop in chunks(text, start):
        if text[begin:stop].strip(_AROUND).lower() in _REASONS:
            places = [stop]
            sides: list[Cut] = []
            for side in text[stop:].rstrip(_AROUND).split("="):
                sides.append(cut(source, text, places[-1], places[-1] + len(side)))
                places.append(places[-1] + len(side) + 1)
            number = cut(source, text, start, start + len(text[start:begin].rstrip(_AROUND)))
            return [number, *sides] if all(side.text for side in sides) else [last]
    return [last]


def _is_false(pieces: Sequence[RowPiece], known: Mapping[str, Spread]) -> bool:
    """Return whether two neighbours of `pieces` differ, among those before the first one without a value.

    They differ if they are at least a unit in the last place of a number among them apart, and at least a hundredth of
    the first one's size if one is a formula with a decimal point, which is rounded, else 1e-9 of it."""
    values = [value_of(piece, known) for piece in pieces]
    for (one, x), (other, y) in pairwise(zip(pieces, values, strict=True)):
        if x is None or y is None:
            return False
        formulas = [piece.span.text for piece in (one, other) if piece.number is None]
        loose = (_LOOSE if any("." in text for text in formulas) else 1e-9) * abs(x.middle)
        units = [float(piece.number.unit) for piece in (one, other) if piece.number is not None]
        if abs(x.middle - y.middle) >= max(loose, 1e-12, *units):
            return True
    return False
