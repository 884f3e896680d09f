"""Correction: adjoints called gradients of rows, `grad(y) = 1` next to `grad(v1) = 0.5`, with one input.

Signs: grad(
"""

from __future__ import annotations

from ..collector import RawRow
from . import Correction, SplitRow

_CALL = "grad("


def _rows(split: SplitRow) -> list[RawRow] | None:
    """Return [the row] of `grad(y)` with its left side as the student wrote it, so that it is the adjoint of y.

    The text of the left side had been respelled as the gradient with respect to the only input; the text of its span
    replaces it. None if it had not been, or is not `grad(…)`, if the problem has several inputs, or if no left side of
    the section is still `grad(…)`.
    """
    row, lefts, written, *_ = split
    span = row.left.span
    text = span.source.text[span.start : span.end].strip()
    if row.left.text == text or not text.startswith(_CALL) or not text.endswith(")"):
        return None
    if len(lefts.names.inputs) != 1 or not any(left.startswith(_CALL) for left in written):
        return None
    return [row._replace(left=row.left._replace(text=text))]


CORRECTION = Correction(
    "grad of a row is read as its adjoint, like those of other rows", "grad(y) = 1; grad(v1) = 0.5", of_row=_rows
)
