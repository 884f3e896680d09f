"""Correction: the gradient of a step as a list, `grad u = (0, 0.8, -2)` or `u' = [0, 0.8, -2]`.

Signs: , ;
"""

from __future__ import annotations

from ..answer_model import VALUE
from ..collector import RawRow
from ..row_tokens import depths
from ..vectors import components
from . import Correction, SplitRow

_OPENING = ("(", "[", "<", "⟨", "{")


def _differentiated(split: SplitRow) -> str:
    """Return the name u of the row in `grad u`, `du` or `u'`; "" if the left side is not such a derivative.

    The last two are read so only if the section has a row u.
    """
    left = split.lefts[split.row.left.text]
    if left is None:
        return ""
    kind, name, key = left.quantity
    stem = (left.written or "").rstrip("'").removeprefix("d" if "'" not in (left.written or "") else "")
    if kind == VALUE:
        return stem if stem != left.written and stem in split.written else ""
    return "" if key else name


def _rows(split: SplitRow) -> list[RawRow] | None:
    """Return a row `∂u/∂x` for each x in `names.wrt`, with its entry of each piece that is a list of that length.

    None if there is one input only, the row is not a tangent, adjoint or derivative that names no input, or its last
    piece is not such a list. None also for an input, unless it is called a gradient: `dx = (1, 0)` is a direction.
    """
    row, names = split.row, split.lefts.names
    name = _differentiated(split) if row.hint is None and len(names.wrt) > 1 else ""
    text = split.last.text.rstrip(" .;")
    is_list = text.startswith(_OPENING) and all(depths(text)[1:-1])  # one pair of brackets around all of it
    if not name or not is_list or (name in names.inputs and "grad" not in row.left.text):
        return None
    symbols = [f"∂{name}/∂{wrt}" for wrt in names.wrt]
    columns = components(symbols, row.pieces)
    if columns is None:
        return None
    pairs = zip(symbols, columns, strict=True)
    left, place = row.left, row.left.span
    return [row._replace(left=left._replace(text=symbol), pieces=column, place=place) for symbol, column in pairs]


CORRECTION = Correction(
    "a list for a derivative of a row has its partial derivatives", "grad u = (0, 0.8, -2)", of_row=_rows
)
