"""Correction: slopes by a word behind the row of their value, `v1 = log(x1) = 0.693, tangent 0.5`."""

from __future__ import annotations

from ..answer_model import BAR, DERIVATIVE, DOT, VALUE
from ..chains import chains
from ..collector import Hint
from ..row_tokens import NUMBER
from . import AnswerLine, Correction, NewRow

_KINDS = {"tan": DOT, "dot": DOT, "adj": BAR, "bar": BAR}  # by the first three letters; else either kind
_WORDS = ("tangent", "dot", "adjoint", "bar", "derivative", "gradient", "grad", "slope", "ableitung", "dérivée")
_SHAPE = (
    r"(?P<row>[^=≈]+[=≈].*?[\d.])\s*+[,;(\[]\s*+(?:the |with |its )?"
    rf"(?P<word>{'|'.join(_WORDS)})\s*+(?:is|=|:|≈)?\s*+(?P<slope>{NUMBER})\s*+[)\]]?\s*+[.;]?\s*+\Z"
)


def _rows(line: AnswerLine) -> list[NewRow] | None:
    """Return the row of the value and that of its derivative, a tangent (tangent, dot), an adjoint (adjoint, bar) or
    either (other words); None unless the text before the word is one row of a value.
    """
    split = chains(line.match["row"])
    if len(split) != 1:
        return None
    left, pieces = split[0]
    name = line.cut(*left)
    symbol = line.lefts[name.text]
    if symbol is None or symbol.quantity.kind != VALUE:
        return None
    hint = Hint(_KINDS.get(line.match["word"].lower()[:3], DERIVATIVE))
    value = NewRow(name, [line.cut(start, end) for _, start, end in pieces])
    return [value, NewRow(name, [line.group("slope")], hint)]


CORRECTION = Correction(
    "a number behind a word such as tangent is read as a row", "v1 = log(x1) = 0.693, tangent 0.5", _WORDS, _rows,
    shape=_SHAPE,
)  # fmt: skip
