"""Correction: a name and a number without an equals sign, `v1 0.693`, on consecutive lines."""

from __future__ import annotations

from ....patterns import pattern
from ..left_sides import is_derivative
from . import AnswerLine, Correction, NewRow

_SHAPE = pattern(
    r"\s*+(?P<name>[^\W\d][^\s=]*+)[ \t\u00a0]++(?P<number>[-−+]?(?:\d++\.?\d*+|\.\d++)(?:[eE][-+]?\d++)?)\s*+\Z"
)


def _rows(line: AnswerLine) -> list[NewRow] | None:
    """Return the row of a name and a number without an equals sign, as a list of one.

    None if the line has another form, neither neighbour has this form, or the name cannot be a row's.
    """
    match = _SHAPE.match(line.text) if "=" not in line.text else None
    if match is None or not (_SHAPE.match(line.before) or _SHAPE.match(line.after)):
        return None
    name = line.cut(*match.span("name"))
    left = line.lefts[name.text]
    if left is None or not (_is_short(left.quantity.name) or is_derivative(left) or line.lefts.names.is_row(name.text)):
        return None
    return [NewRow(name, [line.cut(*match.span("number"))])]


def _is_short(name: str) -> bool:
    """Return whether a name has one letter."""
    return sum(map(str.isalpha, name)) == 1


CORRECTION = Correction("a name and a number are read as a row", "v1 0.693", tuple("0123456789"), _rows)
