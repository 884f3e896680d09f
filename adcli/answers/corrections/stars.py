"""Correction: stars as the mark of adjoints, `v2* = 1`, `v1* = v2* = 1`, `x* = v1* 2x`."""

from __future__ import annotations

from ...patterns import pattern
from ..collector import Cut, RawRow
from . import Correction, SplitRow

_STARS = r"(?:\^\s?)?\{?[*∗⋆†]\}?"
_SIGNS = ("*", "∗", "⋆", "†")
_STARRED = pattern(rf"([^\W\d]\w*(?:_\{{\w+\}})?){_STARS}\s*:?\Z", signs=_SIGNS)
# A star after a name is no product if an operator, a blank or nothing follows.
_USED = pattern(rf"(?<![\w.\\])([^\W\d]\w*+(?:_\{{\w+\}})?){_STARS}(?=\s*+(?:[-+−)*/·×]|\Z)|\s++[\w\\(])")


def _rows(split: SplitRow) -> list[RawRow] | None:
    """Return the row of the adjoint `v2*`, as a list of one, with a bar instead of the star, also in its formulas.

    None unless two or more rows of the section have a star after their name.
    """
    row = split.row
    if not _STARRED.match(row.left.text) or sum(_STARRED.match(text) is not None for text in split.written) < 2:
        return None
    pieces = [_with_bars(piece) for piece in row.pieces]
    return [row._replace(left=_with_bars(row.left), pieces=pieces, place=row.place or row.left.span)]


def _with_bars(part: Cut) -> Cut:
    """Return a left side or piece with a bar over each name that has a star, `v2**x1` -> `v̄2*x1`."""
    return part._replace(text=_USED.sub("\\1\u0304", part.text))


CORRECTION = Correction("a star after a name is read as the mark of an adjoint", "v2* = 1; v1* = v2* = 1", of_row=_rows)
