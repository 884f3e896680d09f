"""Correction: sweeps of all inputs side by side, `v1' = 0.5 | 0` below the seeds `x1' = 1 | 0` and `x2' = 0 | 1`.

Signs: |
"""

from __future__ import annotations

from ..answer_model import DOT
from ..chains import between, inner
from ..collector import Cut, RawRow
from ..numerals import numeral
from . import Correction, SplitRow


def _cells(row: RawRow) -> list[Cut]:
    """Return the numbers between the bars of the last piece of a row; [] if there are other texts or no bars."""
    piece = row.pieces[-1] if row.pieces else None
    bars = [(k, k + 1) for k, sign in enumerate(piece.text) if sign == "|"] if piece else []
    cells = [inner(piece, *place) for place in between(bars, 0, len(piece.text))] if piece and bars else []
    return cells if all(numeral(cell.text) for cell in cells) else []


def _rows(split: SplitRow) -> list[RawRow] | None:
    """Return a row for each number of a tangent, with the input whose seed is 1 in the same place.

    None if the left side is not a tangent, and if the rows of seeds do not name an input for each place."""
    row, lefts, cells = split.row, split.lefts, _cells(split.row)
    left = lefts[row.left.text] if cells else None
    if left is None or left.quantity.key is not None or not (left.quantity.kind == DOT or row.left.text.endswith("'")):
        return None
    moving: dict[int, str] = {}
    for other in split.rows:
        seed, texts = lefts[other.left.text], [cell.text for cell in _cells(other)]
        if seed and seed.quantity.name in lefts.names.inputs and texts.count("1") == 1:
            moving[texts.index("1")] = seed.quantity.name
    if sorted(moving) != [*range(len(cells))] or len({*moving.values()}) < len(cells):
        return None
    return [
        row._replace(pieces=[*row.pieces[:-1], cell], moving=moving[k], place=cell.span if k else None)
        for k, cell in enumerate(cells)
    ]


CORRECTION = Correction("sweeps side by side are read as rows", "x1' = 1 | 0; v1' = 0.5 | 0", of_row=_rows)
