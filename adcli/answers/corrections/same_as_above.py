"""Correction: a row that repeats another in words, `x2bar = same as above`, `ȳ = ebenso`, `bbar = same as abar`.

Signs: same likewise ditto idem ídem dito ebenso genauso ebenfalls desgleichen dasselbe oben même pareil identique igual
mismo ″ 〃 '' "
"""

from __future__ import annotations

from collections.abc import Iterator

from ..answer_model import Quantity
from ..collector import Cut, RawRow
from ..sentences import words_for_names
from . import Correction, SplitRow


def _rows(split: SplitRow) -> list[RawRow] | None:
    """Return [the row] with the pieces that it means instead of words such as `same`.

    The first that applies:
    - Only some of its pieces are such words, `= same = 0.5`: the others are kept.
    - It does not have exactly one piece, that piece has no such words, or its left side is not a symbol: None.
    - The words name no quantity: its piece is the last piece of the nearest row above.
    - They name one quantity: its piece is the last piece of the nearest row of this quantity above.
    - They name several, or there is no such row: None.

    Only rows of the section with the same hint (in a table: of the same column), with pieces and a known symbol, count.
    The piece has the span of the words.
    """
    row, lefts = split.row, split.lefts
    others = [piece for piece in row.pieces if words_for_names(piece.text) is None]
    if others and len(others) < len(row.pieces):
        return [row._replace(pieces=others)]
    words = words_for_names(split.last.text)
    if len(row.pieces) != 1 or words is None or lefts[row.left.text] is None:
        return None
    meant = [name and name.quantity for name in map(lefts.__getitem__, words)]
    last = next((piece for quantity, piece in _pieces_above(split) if meant in ([], [quantity])), None)
    return last and [row._replace(pieces=[last._replace(span=split.last.span)])]


def _pieces_above(split: SplitRow) -> Iterator[tuple[Quantity, Cut]]:
    """Yield (quantity, last piece) of the rows above in the same column, from the nearest row upwards."""
    place = next(place for place, other in enumerate(split.rows) if other is split.row)
    for row in reversed(split.rows[:place]):
        left = split.lefts[row.left.text]
        if left is not None and row.pieces and row.hint == split.row.hint:
            yield left.quantity, row.pieces[-1]


CORRECTION = Correction("words such as `same` are read as the row above", "x2bar = same as above", of_row=_rows)
