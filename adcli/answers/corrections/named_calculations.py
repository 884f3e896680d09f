"""Correction: names above their calculation, `f_x:` with `2xy` and `= 12` in the lines below.

Signs: :
"""

from __future__ import annotations

from ...table.primitive import lookup
from ..chains import begins_with_relation, first_left
from ..left_sides import is_derivative
from ..markup import without_markup
from ..row_tokens import words_of
from . import AnswerLine, Correction, NewRow

_LONGEST_WORD = 2  # letters of what is no word in a formula


def _rows(line: AnswerLine) -> list[NewRow] | None:
    """Return [the row] of a name and a colon, without pieces: the lines below go on with it.

    The name must be that of a derivative or a known row. The next line must begin with a relation, or be a formula or
    number: it has no words but functions and known names, no colon, and no symbol of a row before its relation. None
    for any other line.
    """
    names, name = line.lefts.names, line.group("name")
    name = name._replace(text=without_markup(name.text).strip())
    left, below = line.lefts[name.text], line.after.strip()
    is_indexed = name.text[1:] in names.inputs and names.result_of(name.text[:1]) is not None  # fx
    if left is None or not (is_indexed or is_derivative(left) or names.is_row(name.text) or left.called):
        return None
    words = (word for word in words_of(below) if len(word) > _LONGEST_WORD)
    is_formula = ":" not in below and all(word in names.known or lookup(word) is not None for word in words)
    is_formula &= below != "" and line.lefts[first_left(below)] is None
    return [NewRow(name, [])] if is_formula or begins_with_relation(below) else None


CORRECTION = Correction(
    "a name and a colon are the name of the calculation below", "f_x:", _rows,
    shape=r"[\s*]*+(?P<name>[^=:*]{1,60}?)[\s*]*+:[\s*]*+\Z",
)  # fmt: skip
