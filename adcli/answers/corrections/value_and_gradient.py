"""Correction: a value and its gradient with their names on one line, `v1: value = 0.693, grad = 0.5`.

Signs: data val wert primal real v: v=
"""

from __future__ import annotations

from ..line_rewriting import part
from . import AnswerLine, Correction, NewRow, hint_of_word

_MAKERS = ("Value", "Variable", "Node", "Var", "Scalar", "Tensor")


def _rows(line: AnswerLine) -> list[NewRow] | None:
    """Return [row of the value, row of the derivative], with the same left side, for `v1: value = 0.693, grad = 0.5`.

    The pieces of the first are the formula before `|`, if the line has one, and the number of the value; the second has
    its number. The hint of the second is the kind of the word: a tangent for tangent and dot, an adjoint for adjoint
    and bar, DERIVATIVE (either) for other words, `d` and `grad` too. None if the name is not a symbol of a row
    (`line.lefts`).
    """
    name, value, slope = map(line.group, ("name", "value", "slope"))
    printed = line.before.rpartition(">")[2].strip(" ()").removeprefix("print(").strip()
    if name.text in _MAKERS and line.lefts[printed] is not None:  # below `>>> a` or `print(a)`
        name = name._replace(text=printed)
    if line.lefts[name.text] is None:
        return None
    formula = [line.group("formula")] if line.match["formula"] else []
    return [NewRow(name, [*formula, value]), NewRow(name, [slope], hint_of_word(line.match["kind"]))]


CORRECTION = Correction(
    "value and gradient are read as two rows",
    "v1: value = 0.693, grad = 0.5",
    _rows,
    shape=part("VALUE_AND_GRADIENT"),
)
