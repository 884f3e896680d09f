"""Correction: a name and a number without an equals sign, `v1 0.693`, on consecutive lines.

Signs: 0 1 2 3 4 5 6 7 8 9
"""

from __future__ import annotations

from ..left_sides import is_derivative
from ..row_tokens import DIGITS
from . import AnswerLine, Correction, NewRow

_NUMBER = rf"(?:−|[-+]?){DIGITS}"
_SHAPE = rf"\s*+(?P<name>[^\W\d][^\s=]*+)[ \t\u00a0]++(?P<number>{_NUMBER})\s*+\Z"


def _rows(line: AnswerLine) -> list[NewRow] | None:
    """Return the row of a name and a number without an equals sign, as a list of one; None if it may be something else.

    The line before or the one after must have this form too. The name must be the symbol of a known row or of a
    derivative, have a single letter, as v1, or be `L_x` of an input x below a row L.
    """
    if not any(line.match.re.match(neighbour) for neighbour in (line.before, line.after)):
        return None
    name = line.group("name")
    left = line.lefts[name.text]
    if left is None:
        return None
    is_short = sum(map(str.isalpha, left.quantity.name)) == 1
    stem, _, index = name.text.strip(":").partition("_")
    is_indexed = index in line.lefts.names.inputs and any(row.left.text.strip(":") == stem for row in line.rows)
    is_row = is_short or is_indexed or is_derivative(left) or line.lefts.names.is_row(name.text)
    return [NewRow(name, [line.group("number")])] if is_row else None


CORRECTION = Correction("a name and a number are read as a row", "v1 0.693", _rows, shape=_SHAPE)
