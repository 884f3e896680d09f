"""Correction: rows in brackets after another row, `v1 = 0.693 (v1' = 0.5)`."""

from __future__ import annotations

from ..chains import chains
from ..left_sides import is_derivative
from . import AnswerLine, Correction, NewRow

_SHAPE = r"(?P<row>[^()=]+=.*?\S)\s*[(\[](?P<other>[^()\[\]=≈]+[=≈][^()\[\]]+)[)\]]\s*[.;,]?\s*\Z"


def _rows(line: AnswerLine) -> list[NewRow] | None:
    """Return the two rows before and in the brackets; None unless the first is of a value and the other of a
    derivative.

    None also if either part is not exactly one row.
    """
    rows: list[NewRow] = []
    for part in ("row", "other"):
        start, end = line.match.span(part)
        split = chains(line.text[start:end])
        if len(split) != 1:
            return None
        (left_start, left_end), pieces = split[0]
        left = line.cut(start + left_start, start + left_end)
        if line.lefts[left.text] is None or is_derivative(line.lefts[left.text]) != (part == "other"):
            return None
        rows.append(NewRow(left, [line.cut(start + first, start + last) for _, first, last in pieces]))
    return rows


CORRECTION = Correction(
    "a row in brackets is read as a row of its own", "v1 = 0.693 (v1' = 0.5)", (" (", " ["), _rows, shape=_SHAPE
)
