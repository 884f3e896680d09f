"""Correction: a name and a number without an equals sign, `v1 0.693`, on consecutive lines."""

from __future__ import annotations

import re

from ..left_sides import is_derivative
from ..row_tokens import DIGITS
from . import AnswerLine, Correction, NewRow

_SHAPE = rf"\s*+(?P<name>[^\W\d][^\s=]*+)[ \t\u00a0]++(?P<number>[-−+]?{DIGITS})\s*+\Z"


def _rows(line: AnswerLine, match: re.Match[str]) -> list[NewRow] | None:
    """Return the row of a name and a number without an equals sign, as a list of one.

    None if neither the line before nor the one after has this form, or if the name is not that of a known row or a
    derivative, and has too many letters for a new row (`_is_short`).
    """
    if not any(match.re.match(neighbour) for neighbour in (line.before, line.after)):
        return None
    name = line.cut(*match.span("name"))
    left = line.lefts[name.text]
    if left is None or not (_is_short(left.quantity.name) or is_derivative(left) or line.lefts.names.is_row(name.text)):
        return None
    return [NewRow(name, [line.cut(*match.span("number"))])]


def _is_short(name: str) -> bool:
    """Return whether a name has one letter."""
    return sum(map(str.isalpha, name)) == 1


CORRECTION = Correction("a name and a number are read as a row", "v1 0.693", tuple("0123456789"), _rows, shape=_SHAPE)
