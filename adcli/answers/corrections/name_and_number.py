"""Correction: names and numbers without equals signs, `v1 0.693`, on consecutive lines or several in one line.

Signs: 0 1 2 3 4 5 6 7 8 9
"""

from __future__ import annotations

from ..collector import Cut
from ..left_sides import is_derivative
from ..row_tokens import DIGITS, chunks
from . import AnswerLine, Correction, NewRow, hint_of_inputs

_NUMBER = rf"\[?(?:−|[-+]?){DIGITS}\]?"
_SHAPE = rf"\s*+∂?[^\W\d][^\s=]*+[ \t\u00a0]++{_NUMBER}\s*+\Z"
# The sign ≈ is not in sets with others: they would take half a millisecond to compile.
_PAIR = rf"∂?[^\W\d](?:(?!≈)[^\s=:~,;])*+(?:\s*+(?:[:=~]|≈)\s*+|\s++){_NUMBER}(?:\s*+[,;|/]\s++|\s++|\Z)"
_SEPARATORS = str.maketrans(":=≈~,;|", " " * 7)


def _rows(line: AnswerLine) -> list[NewRow] | None:
    """Return the rows of the names, each with the number after it; the line is pairs of a name and a number.

    None if the line has as many signs = ≈ ~ as names, or if one of the names is not a symbol (`_symbol`). None for a
    single name if neither the line before nor the line after has this form. If all names are inputs below a line about
    gradients, and no number is the input's value, they are derivatives (`hint_of_inputs`).
    """
    plain = line.text.translate(_SEPARATORS)
    cuts = [line.cut(*place) for place in chunks(plain) if plain[slice(*place)] != "/"]
    is_alone = len(cuts) == 2 and not any(map(line.match.re.match, (line.before, line.after)))
    if is_alone or 2 * sum(map(line.text.count, "=≈~")) == len(cuts):
        return None
    names = [_symbol(line, name, is_only=len(cuts) == 2) for name in cuts[::2]]
    items = [(name.text, number.text) for name, number in zip(cuts[::2], cuts[1::2], strict=True)]
    hint = hint_of_inputs(line, items, alone=False)
    rows = [NewRow(name, [number], hint) for name, number in zip(names, cuts[1::2], strict=True) if name is not None]
    return rows if len(rows) == len(names) else None


def _symbol(line: AnswerLine, name: Cut, *, is_only: bool) -> Cut | None:
    """Return the symbol of the row that a name before a number is; None if no case applies.

    The first that applies:
    - a word such as `val` that is not a name of the answer, if there is one output: the output;
    - a text that is not the symbol of a row: None;
    - a known row, an output, or a derivative, as `L_x` below a row `L` for an input x: the name;
    - a name with exactly one letter, such as `a` or `v1`, if it `is_only` one in its line: the name.
    """
    from .results_by_word import WORDS

    names, left = line.lefts.names, line.lefts[name.text]
    if name.text.lower() in WORDS and len(names.outputs) == 1 and name.text not in names.known:
        return name._replace(text=names.outputs[0])
    if left is None:
        return None
    is_short = is_only and sum(map(str.isalpha, left.quantity.name)) == 1
    stem, _, index = name.text.partition("_")
    is_indexed = index in names.inputs and any(row.left.text.strip(":") == stem for row in line.rows)
    is_known = names.is_row(name.text) or names.result_of(name.text) is not None
    return name if is_short or is_indexed or is_known or is_derivative(left) else None


CORRECTION = Correction(
    "a name and a number are read as a row", "v1 0.693", _rows, shape=rf"{_SHAPE}|\s*+(?:{_PAIR}){{2,}}\Z"
)
