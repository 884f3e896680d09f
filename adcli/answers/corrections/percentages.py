"""Correction: percentages, `y = 3.8%`, as decimals.

Signs: % percent Prozent
"""

from __future__ import annotations

from decimal import Decimal

from ...patterns import pattern
from ..collector import RawRow
from . import Correction, SplitRow

_PERCENT = pattern(
    r"(?<![\w.])(\d{1,15}(?:\.\d{1,15})?)\s?(?:\\%|%|percent|Prozent)(?=\s*(?:[-−+*·×/)=,;]|\Z))",
    signs=("%", "percent", "Prozent"),
)


def _rows(split: SplitRow) -> list[RawRow] | None:
    """Return [the row] with its percentages as decimals with the same digits, 3.8% as 0.038 and 50% as 0.50.

    Percentages inside of formulas are replaced too. None if the row has none.
    """
    row = split.row
    pieces = [
        piece._replace(text=_PERCENT.sub(lambda match: f"{Decimal(match[1]).scaleb(-2):f}", piece.text))
        for piece in row.pieces
    ]
    return [row._replace(pieces=pieces)] if pieces != row.pieces else None


CORRECTION = Correction("percentages are read as decimals", "y = 3.8%", of_row=_rows)
