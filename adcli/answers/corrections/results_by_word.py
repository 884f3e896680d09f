"""Correction: results by a word for them, `value: 39`, `Wert: 39`, `epoch 0: loss = 0.371`.

Signs: function función fonction funktion val result answer wert ergebnis
résultat forward primal loss cost out pred error energy objective
"""

from __future__ import annotations

from ..line_rewriting import part
from ..row_tokens import word_sets
from . import AnswerLine, Correction, NewRow

_OWN_NAMES, _WORDS = word_sets("results", "name", "result")
WORDS = [word.replace("_", " ") for word in _WORDS]
_SHAPE = part("RESULT_WORD").replace("WORDS", "|".join(sorted((*WORDS, *_OWN_NAMES))))


def _rows(line: AnswerLine) -> list[NewRow] | None:
    """Return [the row] of the problem's only output; if the word may be its name, such as loss, the row has this name,
    else that of the output.

    None if the problem has several outputs, and for a word that is a name of the problem. None also for a word such as
    loss before an equals sign at the start of the line, which is a row already.
    """
    names, word = line.lefts.names, line.match["word"]
    is_name = word.lower() in _OWN_NAMES
    is_row = is_name and line.match["sign"] == "=" and not line.text[: line.match.start("word")].strip()
    if len(names.outputs) != 1 or word in names.known or is_row:
        return None
    name = line.group("word")
    return [NewRow(name if is_name else name._replace(text=names.outputs[0]), [line.group("number")])]


CORRECTION = Correction("a word for the result is read as its name", "value: 39", _rows, shape=_SHAPE)
