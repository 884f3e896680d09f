"""Correction: rows in brackets after another row, `v1 = 0.693 (v1' = 0.5)`.

Signs: ␣( ␣[
"""

from __future__ import annotations

from ..left_sides import is_derivative
from . import AnswerLine, Correction, NewRow

_SHAPE = r"(?P<row>[^()=]+=.*?\S)\s*[(\[](?P<other>[^()\[\]=≈]+[=≈][^()\[\]]+)[)\]]\s*[.;,]?\s*\Z"


def _rows(line: AnswerLine) -> list[NewRow] | None:
    """Return the row before and the rows in the brackets, which are derivatives.

    None unless one row is before the brackets, and all rows are about different quantities.
    """
    first, others = (line.split_rows(*line.match.span(part)) for part in ("row", "other"))
    symbols = [line.lefts[row.left.text] for row in (*first, *others)]
    quantities = {symbol.quantity for symbol in symbols if symbol is not None}
    is_list = len(first) == 1 < len(symbols) == len(quantities) and all(map(is_derivative, symbols[1:]))
    return [*first, *others] if is_list else None


CORRECTION = Correction("a row in brackets is read as a separate row", "v1 = 0.693 (v1' = 0.5)", _rows, shape=_SHAPE)
