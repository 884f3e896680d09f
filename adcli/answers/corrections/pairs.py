"""Correction: pairs of a value and its derivative, `v1 = (0.693, 0.5)`, `v1 = Dual(0.693, 0.5)`, `v1 = 4 + 0.5ε`."""

from __future__ import annotations

import re
from collections.abc import Collection

from ..answer_model import DERIVATIVE, DOT, VALUE
from ..chains import inner
from ..collector import Hint, RawRow
from ..headers import COLUMN_WORDS
from ..left_sides import LeftSides
from ..row_grammar import parse
from . import AnswerLine, Correction, NewRow

_NAMED = r"\s*+(?P<name>[^\s:=(]++)\s*+:\s*+(?P<pair>[(<⟨].*)\Z"
_INFINITESIMALS = ("ε", "ϵ", "eps")
_SIGNS = (",", ";", "|", *_INFINITESIMALS)


def _rows(row: RawRow, lefts: LeftSides, _: Collection[str]) -> list[RawRow] | None:
    """Return a row of the value, with the formulas before the pair, and one of the derivative.

    It is a tangent for a dual number or a call of Dual, else a derivative of either kind; a slope without digits, as in
    `4 + ε`, is 1. None if the last piece is not a pair of numbers, or the row is not that of a value.
    """
    last = row.pieces[-1] if row.pieces and row.hint is None else None
    if last is None or not any(sign in last.text for sign in _SIGNS):
        return None
    left, dual = lefts[row.left.text], parse("dual", last.text)
    pair = dual or (parse("pair", last.text) if left is not None else None)
    if pair is None or (left is not None and left.quantity.kind != VALUE):
        return None
    value, slope = (inner(last, *pair.places[part]) for part in ("value", "slope_of_dual" if dual else "slope"))
    if dual:
        digits = slope.text.replace(" ", "")
        slope = slope._replace(text=digits if digits[-1:].isdigit() else digits + "1")
    hint = Hint(DOT if dual or pair["maker"].lower().startswith("dual") else DERIVATIVE)
    formulas = [piece for piece in row.pieces[:-1] if not any(sign in piece.text for sign in _INFINITESIMALS)]
    return [row._replace(pieces=[*formulas, value]), row._replace(pieces=[slope], hint=hint, place=slope.span)]


def _of_line(line: AnswerLine, match: re.Match[str]) -> list[NewRow] | None:
    """Return the row of `v1: (0.693, 0.5)` with the pair as its piece, as a list of one; None for a line of another
    form.
    """
    if parse("pair", match["pair"]) is None or match["name"].casefold() in COLUMN_WORDS:
        return None
    if line.lefts[match["name"]] is None:
        return None
    return [NewRow(line.cut(*match.span("name")), [line.cut(*match.span("pair"))])]


CORRECTION = Correction(
    "pairs are read as a value and its derivative", "v1 = (0.693, 0.5)", (":",), _of_line, _rows, _NAMED
)
