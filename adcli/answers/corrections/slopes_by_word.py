"""Correction: slopes by a word behind the row of their value, `v1 = log(x1) = 0.693, tangent 0.5`.

Signs: tangent adjoint derivative gradient grad slope ableitung dérivée ␣dot ,dot ;dot (dot [dot
␣bar ,bar ;bar (bar [bar
"""

from __future__ import annotations

from ..answer_model import VALUE
from ..line_rewriting import part
from . import AnswerLine, Correction, NewRow, hint_of_word


def _rows(line: AnswerLine) -> list[NewRow] | None:
    """Return [row of the value, row of its derivative] for a line such as `v1 = log(x1) = 0.693, tangent 0.5`.

    The second row has the same left side, the number after the word as its only piece, and the kind of the word as its
    hint: a tangent for tangent and dot, an adjoint for adjoint and bar, DERIVATIVE (either) for other words. The line
    must end after this number. None unless the text before the comma or bracket is exactly one row, whose left side is
    a value.
    """
    rows = line.split_rows(*line.match.span("row"))
    symbol = line.lefts[rows[0].left.text] if len(rows) == 1 else None
    if symbol is None or symbol.quantity.kind != VALUE:
        return None
    return [*rows, NewRow(rows[0].left, [line.group("slope")], hint_of_word(line.match["word"]))]


CORRECTION = Correction(
    "a number after a word such as tangent is read as a row", "v1 = log(x1) = 0.693, tangent 0.5", _rows,
    shape=part("SLOPE_BEHIND"),
)  # fmt: skip
