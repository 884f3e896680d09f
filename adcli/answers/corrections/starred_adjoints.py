"""Correction: starred adjoints, `v3* = -1`: a star behind the name of a row marks its adjoint."""

from __future__ import annotations

from ..answer_model import BAR, VALUE
from ..chains import chains
from ..collector import Hint
from . import AnswerLine, Correction, NewRow

_SHAPE = r"\s*+(?P<name>[^\W\d_]\w*+)\s?(?:\*|\^\*|\^\{\*\})\s*+[=:≈]"


def _rows(line: AnswerLine) -> list[NewRow] | None:
    """Return the row of the adjoint, as a list of one; formulas with a star are left out, since it may be a product.

    None if the line has more than one row, or the name is not that of a value.
    """
    symbol, split = line.lefts[line.match["name"]], chains(line.text)
    if symbol is None or symbol.quantity.kind != VALUE or len(split) != 1:
        return None
    pieces = [line.cut(start, end) for _, start, end in split[0][1]]
    kept = [piece for piece in pieces if "*" not in piece.text]
    return [NewRow(line.group("name"), kept, Hint(BAR))] if kept else None


CORRECTION = Correction(
    "a star behind a name marks an adjoint", "v3* = -1", ("*=", "* =", "*:", "* :", "*≈", "* ≈", "*} ="), _rows,
    shape=_SHAPE,
)  # fmt: skip
