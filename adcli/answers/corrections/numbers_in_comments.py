"""Correction: several numbers in comments, `v1 = x^2; d1 = 2*x  # 4.0, 4.0`, one for each statement.

Signs: # // %
"""

from __future__ import annotations

from ...patterns import pattern
from ..chains import between
from ..row_tokens import NUMBER
from ..vectors import parts
from . import AnswerLine, Correction, NewRow

_NUMBERS = rf"{NUMBER}(?:\s*[,;/|]\s*{NUMBER}|\s+{NUMBER})+"
_SHAPE = rf"(?P<code>[^#]*=[^#]*?)\s*(?:#|//|%)\s*\(?\s*(?P<numbers>{_NUMBERS})\s*\)?\s*\Z"
_ONE = pattern(NUMBER)


def _rows(line: AnswerLine) -> list[NewRow] | None:
    """Return the rows of the statements before a comment with several numbers.

    Statements are those of `u, du = x^2, 2*x`, one for each name, or else the rows before the sign of the comment. Each
    row ends in its number if there are as many numbers as statements; if there are not, the numbers are ignored. None
    without statements, or if one of their left sides is not the symbol of a row.
    """
    rows = _assigned_together(line) or line.split_rows(0, line.match.end("code"))
    if not rows or any(line.lefts[row.left.text] is None for row in rows):
        return None
    numbers = [line.cut(*number.span()) for number in _ONE.finditer(line.text, *line.match.span("numbers"))]
    if len(numbers) == len(rows):
        for row, number in zip(rows, numbers, strict=True):
            row.pieces.append(number)
    return rows


def _assigned_together(line: AnswerLine) -> list[NewRow]:
    """Return the rows of `u, du = x^2, 2*x`, one for each name; [] without several names and as many values."""
    before, _, _ = line.match["code"].partition("=")
    commas = [(place, place + 1) for place, sign in enumerate(before) if sign == ","]
    names = [line.cut(*place) for place in between(commas, 0, len(before))]
    values = parts(line.cut(len(before) + 1, line.match.end("code")), len(names)) if commas else None
    return [NewRow(name, [value]) for name, value in zip(names, values or (), strict=False)]


CORRECTION = Correction(
    "the numbers in a comment are read as the results of the statements before it",
    "v1 = x^2; d1 = 2*x  # 4.0, 4.0",
    _rows,
    shape=_SHAPE,
)
