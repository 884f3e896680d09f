"""Correction: numbers after a wide gap, as in a table without lines: `u = -x*y      -0.5`."""

from __future__ import annotations

from collections.abc import Collection

from ..chains import inner
from ..collector import RawRow
from ..left_sides import LeftSides
from ..numerals import numeral
from . import Correction

_GAPS = ("   ", "\t")
_OPERATORS = frozenset("+-−*·×/^=(")


def _rows(row: RawRow, _: LeftSides, __: Collection[str]) -> list[RawRow] | None:
    """Return the row with the number after the last wide gap of its last piece as a piece of its own, in a list of one.

    None if what follows the gap is not a number without a blank in it, or what precedes it has numbers only or ends in
    an operator.
    """
    piece = row.pieces[-1] if row.pieces else None
    if piece is None or not any(gap in piece.text for gap in _GAPS):
        return None
    start = max(piece.text.rfind(gap) + len(gap) for gap in _GAPS if gap in piece.text)
    before, number = piece.text[:start].rstrip(), piece.text[start:]
    if (
        all(numeral(part) is not None for part in before.split())
        or before[-1] in _OPERATORS
        or " " in number.strip()
        or numeral(number) is None
    ):
        return None
    return [
        row._replace(
            pieces=[*row.pieces[:-1], inner(piece, 0, len(before), piece.sign), inner(piece, start, len(piece.text))]
        )
    ]


CORRECTION = Correction("a number after a wide gap is that of the row", "u = -x*y      -0.5", of_row=_rows)
