"""Correction: dictionaries of a program, `adjoints = {'v1': 0.5, 'v2': 1.0}`, as one row for each name.

Signs: {
"""

from __future__ import annotations

from ...patterns import pattern
from ..answer_model import VALUE
from ..collector import Hint
from ..headers import column
from ..row_tokens import NUMBER
from ..sessions import get_print, without_prompt
from . import AnswerLine, Correction, NewRow, hint_of_inputs

_ITEM = rf"['\"]?(?P<name>[^\W\d][\w./∂]*(?:'(?=['\"]))?|∂[\w./∂]*)['\"]?\s*:\s*(?P<number>{NUMBER})"
_EACH = pattern(_ITEM)
_ANY = _ITEM.replace("?P<name>", "?:").replace("?P<number>", "?:")
_SHAPE = rf"\s*(?:(?P<title>[^\W\d]\w*)\s*[=:]\s*)?\{{(?P<items>\s*{_ANY}(?:\s*,\s*{_ANY})*)\s*,?\s*\}}\s*;?\s*\Z"


def _rows(line: AnswerLine) -> list[NewRow] | None:
    """Return a row for each item, a name and its number, in order; None if a name is not that of a row.

    If the title before the braces is the header of a column of derivatives, as `adjoints` is, all rows have its kind as
    their hint; without a title, the name that the line above prints, `print(grads)`, is the title. Other titles are
    ignored. Without such a title all rows get the hint DERIVATIVE if every name is an input and no number is its value
    at the point; a single item also needs a line or row about gradients above it (`hint_of_inputs`). Otherwise they are
    values.
    """
    above, _ = without_prompt(line.before)
    printed = get_print(above)
    shown = above[slice(*printed.names[0])] if printed is not None and len(printed.names) == 1 else ""
    title = line.match["title"] or shown
    head = column(title, line.lefts.names) or column(title.removesuffix("s"), line.lefts.names)
    hint = None if head is None or head.kind == VALUE else Hint(head.kind, head.key)
    items = [*_EACH.finditer(line.text, *line.match.span("items"))]
    hint = hint or hint_of_inputs(line, [(item["name"], item["number"]) for item in items], alone=len(items) > 1)
    rows: list[NewRow] = []
    for item in items:
        name = line.cut(*item.span("name"))
        if line.lefts[name.text] is None:
            return None
        rows.append(NewRow(name, [line.cut(*item.span("number"))], hint))
    return rows


CORRECTION = Correction("a dictionary is read as rows", "adjoints = {'v1': 0.5, 'v2': 1.0}", _rows, shape=_SHAPE)
