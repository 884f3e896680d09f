"""Correction: slopes by a word behind the row of their value, `v1 = log(x1) = 0.693, tangent 0.5`.

Signs: tangent adjoint derivative gradient grad slope ableitung dérivée ␣dot ,dot ;dot (dot [dot
␣bar ,bar ;bar (bar [bar
"""

from __future__ import annotations

from ..answer_model import VALUE
from ..row_tokens import NUMBER
from . import AnswerLine, Correction, NewRow, hint_of_word

_WORDS = ("tangent", "dot", "adjoint", "bar", "derivative", "gradient", "grad", "slope", "ableitung", "dérivée")
_SHAPE = (
    r"(?P<row>[^=≈]+[=≈].*?[\d.])\s*+[,;(\[]\s*+(?:the |with |its )?"
    rf"(?P<word>{'|'.join(_WORDS)})\s*+(?:is|=|:|≈)?\s*+(?P<slope>{NUMBER})\s*+[)\]]?\s*+[.;]?\s*+\Z"
)


def _rows(line: AnswerLine) -> list[NewRow] | None:
    """Return the row of the value and that of its derivative.

    The word says the kind: a tangent for tangent and dot, an adjoint for adjoint and bar, either kind for other words.
    None unless the text before the word is exactly one row, of a value.
    """
    rows = line.split_rows(*line.match.span("row"))
    symbol = line.lefts[rows[0].left.text] if len(rows) == 1 else None
    if symbol is None or symbol.quantity.kind != VALUE:
        return None
    return [*rows, NewRow(rows[0].left, [line.group("slope")], hint_of_word(line.match["word"]))]


CORRECTION = Correction(
    "a number after a word such as tangent is read as a row", "v1 = log(x1) = 0.693, tangent 0.5", _rows,
    shape=_SHAPE,
)  # fmt: skip
