"""Correction: differentials of a result, `df = 6 dx + 9 dy`, as its partial derivatives."""

from __future__ import annotations

from collections.abc import Collection

from ....patterns import pattern
from ..chains import inner
from ..collector import RawRow
from ..left_sides import LeftSides
from . import Correction

_NAME = pattern(r"\s*+(?:d|\\mathrm\{d\}|𝑑)\s?(?P<name>[^\W\d_]\w*+)(?:\([^()]*+\))?\s*+\Z")
_TERM = pattern(
    r"\s*+(?P<factor>[-−+]?.*?)\s*+[*·]?\s*+(?:d|\\mathrm\{d\}|𝑑)\s?(?P<input>[^\W\d_]\w*+)\s*+(?=[-−+]|\Z)"
)
_SIGNS = frozenset("d\\𝑑")
_MOST = 30  # terms


def _rows(row: RawRow, lefts: LeftSides, written: Collection[str]) -> list[RawRow] | None:
    """Return a row for each term of the last piece, each a factor times the differential of an input, as in `df = 6
    dx`.

    None if the row is not the differential of a result, a term has another form, or other rows in `written` begin with
    d too, since the row is a tangent then.
    """
    names = lefts.names
    last = row.pieces[-1].text if row.pieces else ""
    match = _NAME.match(row.left.text) if "d" in last and row.left.text.lstrip()[:1] in _SIGNS else None
    result = names.result_of(match["name"]) if match else None
    if result is None or sum(text[:1] == "d" for text in written) > 1:
        return None  # with other rows of differentials it is a tangent
    rows: list[RawRow] = []
    piece, place = row.pieces[-1], 0
    while place < len(piece.text.rstrip()) and len(rows) < _MOST:
        term = _TERM.match(piece.text, place)
        own = names.own(term["input"]) if term else ""
        if term is None or own not in names.inputs:
            return None
        factor = inner(piece, *term.span("factor"))
        plain = factor.text.replace(" ", "")
        factor = factor._replace(text=plain + "1" if plain in ("", "+", "-", "−") else factor.text.lstrip("+ "))
        left = row.left._replace(text=f"∂{result}/∂{own}")
        rows.append(row._replace(left=left, pieces=[factor], place=factor.span))
        place = term.end()
    return rows or None


CORRECTION = Correction("a differential is read as partial derivatives", "df = 6 dx + 9 dy", of_row=_rows)
