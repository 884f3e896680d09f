"""Correction: a formula before the equals sign, next to the name of its row: `[v1] x^2 = 9`, `x^2 gives v1 = 9`.

Signs: [ gives yields ergibt donne da
"""

from __future__ import annotations

from ...patterns import pattern
from ..chains import inner
from ..collector import RawRow
from ..line_rewriting import row_pattern
from . import Correction, SplitRow

_LABELLED = pattern(r"\s*\[(?P<name>[^\W\d]\w*'*)\]\s*(?P<formula>\S.*)\Z", signs="[")
_GIVES = row_pattern("{FORMULA_GIVES}", signs=("gives", "yields", "ergibt", "donne", "da"))


def _rows(split: SplitRow) -> list[RawRow] | None:
    """Return [the row] whose left side is `[v1] x^2` or `x^2 gives v1`: v1 becomes its left side, x^2 its first piece.

    None if the left side has another form or is itself a symbol. None also if the name has several letters and is not
    that of a row that the problem has (`names.is_row`).
    """
    row, lefts = split.row, split.lefts
    text = row.left.text
    match = _LABELLED.match(text) or _GIVES.match(text)
    if match is None or lefts[text] is not None or not (len(match["name"]) == 1 or lefts.names.is_row(match["name"])):
        return None
    name, formula = (inner(row.left, *match.span(part)) for part in ("name", "formula"))
    return [row._replace(left=name, pieces=[formula, *row.pieces])]


CORRECTION = Correction("a formula before the equals sign is read as part of its row", "x^2 gives v1 = 9", of_row=_rows)
