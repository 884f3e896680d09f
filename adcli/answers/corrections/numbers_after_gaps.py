"""Correction: numbers after a wide gap, as in a table without lines: `u = -x*y      -0.5`.

Signs: ␣␣␣
"""

from __future__ import annotations

from ..chains import inner
from ..collector import RawRow
from ..numerals import numeral
from . import Correction, SplitRow

_GAPS = ("   ", "\t")
_OPERATORS = frozenset("+-−*·×/^=(")


def _rows(split: SplitRow) -> list[RawRow] | None:
    """Return [the row], with the number after the last wide gap of its last piece as a piece of its own.

    A wide gap is three blanks or a tab. None if there is no gap, if what follows it is not a number without a blank in
    it, or if what precedes it has numbers only or ends in an operator.
    """
    row, piece = split.row, split.last
    if not any(gap in piece.text for gap in _GAPS):
        return None
    start = max(piece.text.rfind(gap) + len(gap) for gap in _GAPS if gap in piece.text)
    before, number = piece.text[:start].rstrip(), piece.text[start:]
    is_number = " " not in number.strip() and numeral(number) is not None
    is_after_formula = any(numeral(part) is None for part in before.split()) and before[-1] not in _OPERATORS
    if not is_number or not is_after_formula:
        return None
    formula, last = inner(piece, 0, len(before), piece.sign), inner(piece, start, len(piece.text))
    return [row._replace(pieces=[*row.pieces[:-1], formula, last])]


CORRECTION = Correction("a number after a wide gap is that of the row", "u = -x*y      -0.5", of_row=_rows)
