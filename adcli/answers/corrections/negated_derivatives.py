"""Correction: the negative of a derivative before the equals sign, `-f_y = -9`.

Signs: - −
"""

from __future__ import annotations

from ..answer_model import VALUE
from ..chains import inner
from ..collector import RawRow
from ..numerals import numeral
from . import Correction, SplitRow


def _rows(split: SplitRow) -> list[RawRow] | None:
    """Return [the row] of the derivative behind a minus sign, with the negatives of its pieces; None for other rows."""
    row, text = split.row, split.row.left.text
    left = split.lefts[text[1:]] if text[:1] in ("-", "−") and not text[1:2].isspace() else None
    if left is None or left.quantity.kind == VALUE or left.start > 0:
        return None
    pieces = [piece._replace(text=_negative(piece.text)) for piece in row.pieces]
    return [row._replace(left=inner(row.left, 1, len(text)), pieces=pieces)]


def _negative(text: str) -> str:
    """Return the negative of a number or formula."""
    if numeral(text) is None:
        return f"-({text})"
    return text.strip()[1:] if text.strip()[0] in "-−" else f"-{text}"


CORRECTION = Correction("the negative of a derivative is read as the derivative", "-f_y = -9", of_row=_rows)
