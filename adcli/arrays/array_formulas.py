"""Formulas of arrays for people: texts for tables, which know their pieces for documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..errors import visible
from ..notation.display_formula import Formula
from ..notation.number_text import NOT_TAKEN, Digits
from ..notation.table_formulas import numeral
from ..typings import TYPE_CHECKING, Any, TypeVar
from .formula_trees import TEXTS, ArrayName, FormulaTree, name_text, print_tree
from .lowering import as_matrix
from .shapes import Shape

if TYPE_CHECKING:
    from ..notation.formula_pieces import Piece
    from .array_blocks import ArrayBlock

X = TypeVar("X")

_MOST_SHOWN = 5  # entries of a row, and rows of a matrix, that are shown; longer ones are folded
_MOST_CELLS = 16


def write_formula(tree: FormulaTree, names: Mapping[str, ArrayName]) -> Formula:
    """Return a tree as a Formula; `names` are the operands by letter."""
    return Formula(print_tree(tree, names, TEXTS)[0], _typeset, ("formula_piece", tree, names))


def program_formula(text: str, blocks: Sequence[ArrayBlock]) -> Formula:
    """Return a program of arrays as it was typed, `text`, as a Formula; documents typeset it. `blocks` are its own."""
    return Formula(
        visible(text), _typeset, ("program_piece", text, {block.name: bool(block.shape) for block in blocks})
    )


def without_minus(formula: Formula) -> Formula | None:
    """Return a formula made by `write_formula` without the minus sign before all of it; None if it has none."""
    key: Any = formula.key
    if not isinstance(key, tuple) or key[0] != "formula_piece" or key[1].operation != "neg":
        return None
    return write_formula(key[1].operands[0], key[2])


def label(name: ArrayName) -> Formula:
    """Return the name of an array or number as a Formula."""
    return Formula(name_text(name), _typeset, ("name_piece", name))


def _typeset(key: tuple[Any, ...]) -> Piece:
    """Return the piece that the function of `typeset_arrays` called key[0] makes of the rest of the key."""
    from . import typeset_arrays

    piece: Piece = getattr(typeset_arrays, key[0])(*key[1:])
    return piece


# --- values -----------------------------------------------------------------------------------------------------------


def value(entries: Sequence[float], shape: Shape, digits: Digits) -> Formula:
    """Return an array as `[1, 2; 3, 4]`; a number (`shape` ()) without brackets.

    `entries` are row by row, `digits` those shown. A vector is written as one row. Of an array of more than 16 entries,
    rows and columns of more than 5 show the first two and the last one, with … between. An entry None, of a branch that
    is not taken, is shown as …, a row of such entries alone as a single …
    """
    if not shape:
        return numeral(_number_text(entries[0], digits))
    count, columns = as_matrix(shape) if len(shape) == 2 else (1, shape[0])
    rows = [entries[k * columns : (k + 1) * columns] for k in range(count)]
    texts: list[list[str]] = []
    if len(entries) <= _MOST_CELLS:
        texts = [[_number_text(x, digits) for x in row] for row in rows]
    else:
        for row in _ends(rows):
            numbers = [_number_text(x, digits) for x in _ends(row)]
            texts.append([*numbers[:2], "…", *numbers[2:]] if columns > _MOST_SHOWN else numbers)
        if count > _MOST_SHOWN:
            texts.insert(2, ["…"] * len(texts[0]))
    text = "; ".join("…" if set(row) == {"…"} else ", ".join(row) for row in texts)
    return Formula(f"[{text}]", _typeset, ("matrix_piece", tuple(map(tuple, texts)), len(shape) == 1))


def _number_text(x: float | None, digits: Digits) -> str:
    """Return a number as it is shown; `…` for one in a branch that is not taken."""
    return NOT_TAKEN if x is None else str(numeral(digits.show(x)))


def _ends(items: Sequence[X]) -> Sequence[X]:
    """Return the first two items and the last one of more than _MOST_SHOWN, else all."""
    return items if len(items) <= _MOST_SHOWN else [*items[:2], items[-1]]
