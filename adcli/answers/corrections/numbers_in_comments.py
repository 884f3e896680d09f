"""Correction: several numbers in comments, `v1 = x^2; d1 = 2*x  # 4.0, 4.0`, one for each statement.

Signs: # // %
"""

from __future__ import annotations

from ...patterns import pattern
from ..row_tokens import NUMBER
from . import AnswerLine, Correction, NewRow

_NUMBERS = rf"{NUMBER}(?:\s*[,;/|]\s*{NUMBER}|\s+{NUMBER})+"
_SHAPE = rf"(?P<code>[^#]*=[^#]*?)\s*(?:#|//|%)\s*\(?\s*(?P<numbers>{_NUMBERS})\s*\)?\s*\Z"
_ONE = pattern(NUMBER)


def _rows(line: AnswerLine) -> list[NewRow] | None:
    """Return the rows of the statements before a comment with several numbers; None without statements or if one of
    them is not a row.

    Each row ends in its number if there are as many numbers as statements; otherwise the numbers are ignored.
    """
    rows = line.split_rows(0, line.match.end("code"))
    if not rows or any(line.lefts[row.left.text] is None for row in rows):
        return None
    numbers = [line.cut(*number.span()) for number in _ONE.finditer(line.text, *line.match.span("numbers"))]
    if len(numbers) == len(rows):
        for row, number in zip(rows, numbers, strict=True):
            row.pieces.append(number)
    return rows


CORRECTION = Correction(
    "several numbers in a comment belong to the statements before it, if there are as many",
    "v1 = x^2; d1 = 2*x  # 4.0, 4.0",
    _rows,
    shape=_SHAPE,
)
