"""Correction: pairs of a value and its derivative, `v1 = (0.693, 0.5)`, `v1 = Dual(0.693, 0.5)`, `v1 = 4 + 0.5ε`."""

from __future__ import annotations

from ..answer_model import DERIVATIVE, DOT, VALUE
from ..chains import inner
from ..collector import Hint, RawRow
from ..headers import COLUMN_WORDS
from ..row_grammar import parse
from . import AnswerLine, Correction, NewRow, SplitRow

_NAMED = r"\s*+(?P<name>[^\s:=(]++)\s*+:\s*+(?P<pair>[(<⟨].*)\Z"
_INFINITESIMALS = ("ε", "ϵ", "eps")
_AROUND = " +-−()[]{}"  # what is written around the size of a slope
_SIGNS = (",", ";", "|", *_INFINITESIMALS)


def _rows(split: SplitRow) -> list[RawRow] | None:
    """Return a row of the value, with the formulas before the pair, and one of the derivative.

    It is a tangent for a dual number or a call of Dual, else a derivative of either kind; a slope without digits, as in
    `4 + ε`, is 1. None if the last piece is not a pair of numbers, the row is not that of a value, or its name is one
    that the problem does not have and no other row has a pair: a direction is no value with its derivative.
    """
    row, last = split.row, split.last
    if row.hint is not None or not any(sign in last.text for sign in _SIGNS):
        return None
    left, dual = split.lefts[row.left.text], parse("dual", last.text)
    pair = dual or (parse("pair", last.text) if left is not None else None)
    if pair is None or (left is not None and left.quantity.kind != VALUE):
        return None
    if left is not None and split.lists == 1 and left.quantity.name not in split.lefts.names.known.values():
        return None
    value, slope = (inner(last, *pair.places[part]) for part in ("value", "slope_of_dual" if dual else "slope"))
    if dual:
        size = slope.text.strip(_AROUND)
        signs = slope.text[: slope.text.index(size)] if size else slope.text
        is_negative = (signs.count("-") + signs.count("−")) % 2
        slope = slope._replace(text=("-" if is_negative else "") + (size or "1"))
    hint = Hint(DOT if dual or pair["maker"].lower().startswith("dual") else DERIVATIVE)
    formulas = [piece for piece in row.pieces[:-1] if not any(sign in piece.text for sign in _INFINITESIMALS)]
    return [row._replace(pieces=[*formulas, value]), row._replace(pieces=[slope], hint=hint, place=slope.span)]


def _of_line(line: AnswerLine) -> list[NewRow] | None:
    """Return the row of `v1: (0.693, 0.5)` with the pair as its piece, as a list of one.

    None if it is not a pair of numbers, or the text before it is a word for a column, or not the symbol of a row.
    """
    name, pair = line.match.group("name", "pair")
    if parse("pair", pair) is None or name.casefold() in COLUMN_WORDS or line.lefts[name] is None:
        return None
    return [NewRow(line.group("name"), [line.group("pair")])]


CORRECTION = Correction(
    "pairs are read as a value and its derivative", "v1 = (0.693, 0.5)", (":",), _of_line, _rows, _NAMED
)
