"""Correction: rows in brackets after another row, `v1 = 0.693 (v1' = 0.5)`.

Signs: ␣( ␣[
"""

from __future__ import annotations

from ..left_sides import is_derivative
from . import AnswerLine, Correction, NewRow

_SHAPE = r"(?P<row>[^()=]+=.*?\S)\s*[(\[](?P<other>[^()\[\]=≈]+[=≈][^()\[\]]+)[)\]]\s*[.;,]?\s*\Z"


def _rows(line: AnswerLine) -> list[NewRow] | None:
    """Return the two rows before and in the brackets.

    None unless each part is exactly one row, the first of a value and the second of a derivative.
    """
    parts = [line.split_rows(*line.match.span(part)) for part in ("row", "other")]
    if any(len(rows) != 1 for rows in parts):
        return None
    rows = [row for rows in parts for row in rows]
    symbols = [line.lefts[row.left.text] for row in rows]
    return rows if None not in symbols and [*map(is_derivative, symbols)] == [False, True] else None


CORRECTION = Correction("a row in brackets is read as a separate row", "v1 = 0.693 (v1' = 0.5)", _rows, shape=_SHAPE)
