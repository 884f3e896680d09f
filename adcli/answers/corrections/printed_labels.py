"""Correction: labels and numbers in a call that prints them, `print('dy/dx1 =', 5.5)`, `puts "y = 9"`.

Signs: print disp puts echo console show cat
"""

from __future__ import annotations

from ...patterns import pattern
from ..line_rewriting import part
from ..row_tokens import NUMBER
from . import AnswerLine, Correction, NewRow

_SHAPE = rf"\s*+(?:{part('PRINTERS')})(?![\w.])\s*+\(?\s*+[\[f]?\s*+(?P<items>[\"'].*?)\s*+\]?\s*+\)?\s*+;?\s*+\Z"
_JOINS = pattern(r"\\n|[\"']\s*[,+]?\s*(?:(?:num2str|str|String)\(\s*)?|[{})]|:?\.\d+f")
_LABELLED = pattern(rf"\s*(?P<label>[^=:→≈]+?)\s*(?:[=:→≈]|->|is\b)\s*(?P<number>{NUMBER})(?=[\s,;]|\Z)[\s,;]*")


def _rows(line: AnswerLine) -> list[NewRow] | None:
    """Return a row for each label and the number after it, in order, inside or outside of the quotation marks.

    None if anything else is printed, or if a label is not the symbol of a row.
    """
    start, end = line.match.span("items")
    text = line.text[:start] + _JOINS.sub(lambda join: " " * len(join[0]), line.text[start:end])
    rows = []
    while start < len(text.rstrip()):
        match = _LABELLED.match(text, start)
        if match is None or line.lefts[match["label"]] is None:
            return None
        rows.append(NewRow(line.cut(*match.span("label")), [line.cut(*match.span("number"))]))
        start = match.end()
    return rows or None


CORRECTION = Correction("printed labels are names of rows", "print('dy/dx1 =', 5.5)", _rows, shape=_SHAPE)
