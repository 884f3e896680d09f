"""Correction: pairs of a value and its derivative, `v1 = (0.693, 0.5)`, `v1 = Dual(0.693, 0.5)`."""

from __future__ import annotations

import re
from collections.abc import Collection

from ...model import DERIVATIVE, DOT, VALUE
from ..chains import inner
from ..collector import Hint, RawRow
from ..headers import COLUMN_WORDS
from ..left_sides import LeftSides
from ..row_grammar import parse
from . import AnswerLine, Correction, NewRow

_NAMED = r"\s*+(?P<name>[^\s:=(]++)\s*+:\s*+(?P<pair>[(<⟨].*)\Z"
_SEPARATORS = frozenset(",;|")


def _rows(row: RawRow, lefts: LeftSides, _: Collection[str]) -> list[RawRow] | None:
    """Return a row of the value, with all pieces before the pair, and one of the derivative.

    It is a tangent for a call of Dual, else a derivative of either kind. None if the last piece is not a pair of
    numbers, or the row is not that of a value.
    """
    left = lefts[row.left.text]
    listed = bool(row.pieces) and row.hint is None and not _SEPARATORS.isdisjoint(row.pieces[-1].text)
    pair = parse("pair", row.pieces[-1].text) if listed else None
    if pair is None or left is None or left.quantity.kind != VALUE:
        return None
    last = row.pieces[-1]
    value, slope = (inner(last, *pair.places[part]) for part in ("value", "slope"))
    hint = Hint(DOT if pair["maker"].lower().startswith("dual") else DERIVATIVE)
    derivative = row._replace(pieces=[slope], hint=hint, place=slope.span)
    return [row._replace(pieces=[*row.pieces[:-1], value]), derivative]


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
