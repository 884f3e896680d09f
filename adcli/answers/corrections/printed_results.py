"""Correction: printed results, `print('dy/dx1 =', 5.5)`, where the number belongs to the name before it."""

from __future__ import annotations

from ..row_tokens import NUMBER
from . import AnswerLine, Correction, NewRow

_SHAPE = (
    r"\s*+(?:print|disp|println|cout)\s*\(\s*(?:f?(?P<quote>[\"'])(?P<name>[^\"':=]+?)\s*[:=]?\s*(?P=quote)\s*,\s*|"
    rf"f?(?P<mark>[\"'])(?P<label>[^\"':=]+?)\s*[:=]\s*)\{{?(?P<number>{NUMBER})\}}?[\"']?\s*\)\s*;?\s*\Z"
)


def _rows(line: AnswerLine) -> list[NewRow] | None:
    """Return the row of the printed name with its number, as a list of one; None if the name is not a row's."""
    place = line.match.span("name") if line.match["name"] else line.match.span("label")
    name = line.cut(*place)
    return None if line.lefts[name.text] is None else [NewRow(name, [line.group("number")])]


CORRECTION = Correction(
    "a printed number is read as a row", "print('dy/dx1 =', 5.5)", ("print", "disp", "cout"), _rows, shape=_SHAPE
)
