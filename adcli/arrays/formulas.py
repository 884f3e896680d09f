"""Formulas of arrays for people: texts for tables, pieces with bold names and matrices for documents."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from ..errors import Source
from ..notation.display_formula import Formula
from ..notation.number_text import MINUS, NOT_TAKEN, Digits
from ..notation.table_formulas import numeral
from ..records import NamedTuple
from .parser import RELATIONS, ArrayParser
from .program import is_function
from .rows import OPERANDS
from .shapes import Shape
from .tokens import scan

if TYPE_CHECKING:
    from ..notation.formula_pieces import Piece

_RELATION, _SUM, _ENTRYWISE, _PRODUCT, _POWER, _ATOM = range(6)
_VARIABLES: Final = frozenset((*OPERANDS, "g", "z"))
_WORDS: Final = {"lt": "<", "le": "≤", "gt": ">", "ge": "≥", "eq": "=", "ne": "≠"}
_MOST_SHOWN = 5  # entries of a row, and rows of a matrix, that are shown; longer ones are folded
_MOST_CELLS = 16


class ArrayName(NamedTuple):
    """The name of an array in a formula, or a number: its text, its accent (`bar`, `dot` or empty), and whether it is
    an array, which documents write in bold."""

    text: str
    accent: str = ""
    is_array: bool = False
    is_number: bool = False


class FormulaTree(NamedTuple):
    """A small formula: an operation as in `parser.Step` with its operands; `leaf` is an operand of the row, by letter,
    or a number."""

    operation: str
    operands: tuple[FormulaTree, ...] = ()
    leaf: str = ""


# --- trees ------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=512)
def tree_of(text: str) -> FormulaTree:
    """Return the tree of `text`, a formula of the table of rows (`rows.py`); brackets are left out.

    Results are cached.
    """
    source = Source(text)
    built: list[FormulaTree] = []
    for step in ArrayParser(source, scan(source, {}), is_function, _VARIABLES).parse():
        operands = tuple([built[k] for k in step.arguments])
        if step.operation in ("name", "number"):
            built.append(FormulaTree(step.operation, (), step.text))
        elif step.operation in ("group", "output"):
            built.append(operands[0])
        else:
            built.append(_tidied(FormulaTree(step.operation, operands, step.text if step.operation == "list" else "")))
    return built[-1]


def _tidied(tree: FormulaTree) -> FormulaTree:
    """Return the tree with the minus sign of a first factor before the whole product or quotient."""
    if tree.operation in ("", "@", "/", "./", ".*") and tree.operands[0].operation == "neg":
        inside = FormulaTree(tree.operation, (tree.operands[0].operands[0], *tree.operands[1:]))
        return FormulaTree("neg", (inside,))
    return tree


_TURNED_INSIDE: Final = frozenset(("neg", "+", "-", ".*", "./", "inv"))


def transpose(tree: FormulaTree, numbers: frozenset[str]) -> FormulaTree:
    """Return the transpose of a formula; `numbers` are the letters of operands that are numbers."""
    operation, operands = tree.operation, tree.operands
    if operation == "transpose":
        return operands[0]
    if operation == "number" or tree.leaf in numbers or operation in ("dot", "sum", "det", "norm"):
        return tree
    if operation in ("", "@"):
        left, right = (transpose(each, numbers) for each in operands)
        if is_number(left, numbers):
            return _tidied(FormulaTree("", (left, right)))
        return numbers_first(_tidied(FormulaTree("", (right, left))), numbers)
    if operation in _TURNED_INSIDE:
        return _tidied(FormulaTree(operation, tuple([transpose(each, numbers) for each in operands])))
    if operation in ("/", ".^"):
        return FormulaTree(operation, (transpose(operands[0], numbers), operands[1]))
    return FormulaTree("transpose", (tree,))


def with_transposes(tree: FormulaTree, letters: frozenset[str], numbers: frozenset[str]) -> FormulaTree:
    """Return the tree in which the operands in `letters` are transposed."""
    if tree.operation == "name":
        return FormulaTree("transpose", (tree,)) if tree.leaf in letters else tree
    operands = tuple([with_transposes(each, letters, numbers) for each in tree.operands])
    if tree.operation == "transpose":
        return transpose(operands[0], numbers)
    return numbers_first(FormulaTree(tree.operation, operands, tree.leaf), numbers)


def numbers_first(tree: FormulaTree, numbers: frozenset[str]) -> FormulaTree:
    """Return a product with a number as its second factor the other way round; any other tree as it is."""
    if tree.operation != "" or not is_number(tree.operands[1], numbers) or is_number(tree.operands[0], numbers):
        return tree
    left, right = tree.operands
    if left.operation == "" and is_number(left.operands[0], numbers):  # 2 A g: the number comes after other numbers
        return FormulaTree("", (FormulaTree("", (left.operands[0], right)), left.operands[1]))
    return _tidied(FormulaTree("", (right, left)))


def is_number(tree: FormulaTree, numbers: frozenset[str]) -> bool:
    """Return whether a formula is a product or quotient of numbers; `numbers` are the letters of such operands."""
    if tree.operation in ("", "neg", "/", "^"):
        return all(is_number(each, numbers) for each in tree.operands)
    return tree.operation == "number" or tree.leaf in numbers


def written(tree: FormulaTree, names: Mapping[str, ArrayName]) -> Formula:
    """Return a tree as a Formula; `names` are the operands by letter."""
    return Formula(_text(tree, names)[0], _piece_of, (tree, names))


def without_minus(formula: Formula) -> Formula | None:
    """Return a formula made by `written` without the minus sign before all of it; None if it has none."""
    if not isinstance(formula.key, tuple) or not isinstance(formula.key[0], FormulaTree):
        return None
    tree: FormulaTree = formula.key[0]
    return written(tree.operands[0], formula.key[1]) if tree.operation == "neg" else None


# --- texts ------------------------------------------------------------------------------------------------------------

_ACCENTS: Final = {"bar": "\u0304", "dot": "\u0307", "": ""}


def name_text(name: ArrayName) -> str:
    """Return a name with its accent over the first letter, numbers with a typographic minus."""
    if name.is_number:
        return MINUS + name.text[1:] if name.text.startswith("-") else name.text
    return unicodedata.normalize("NFC", name.text[:1] + _ACCENTS[name.accent] + name.text[1:])


def _bracketed(part: tuple[str, int], least: int) -> str:
    return f"({part[0]})" if part[1] < least else part[0]


def _text(tree: FormulaTree, names: Mapping[str, ArrayName]) -> tuple[str, int]:
    """Return (text, binding level) of a tree; the level is one of `_RELATION` to `_ATOM`."""
    operation = tree.operation
    if operation in ("name", "number"):
        name = names.get(tree.leaf, ArrayName(tree.leaf, is_number=True))
        text = name_text(name)
        return text, _PRODUCT if text.startswith(MINUS) else _ATOM
    parts = [_text(each, names) for each in tree.operands]
    if operation in ("", "@"):
        left, right = _bracketed(parts[0], _PRODUCT), _bracketed(parts[1], _PRODUCT)
        right = f"({right})" if right.startswith(MINUS) else right
        between = " × " if right[0].isdigit() else "" if left[-1] == "ᵀ" and right[0] == "(" else " "
        return f"{left}{between}{right}", _PRODUCT
    if operation in (".*", "./"):
        sign = "⊙" if operation == ".*" else "⊘"
        return f"{_bracketed(parts[0], _ENTRYWISE)} {sign} {_bracketed(parts[1], _PRODUCT)}", _ENTRYWISE
    if operation == "/":
        return f"{_bracketed(parts[0], _PRODUCT)}/{_bracketed(parts[1], _POWER)}", _PRODUCT
    if operation in ("+", "-"):
        sign = "+" if operation == "+" else MINUS
        return f"{_bracketed(parts[0], _SUM)} {sign} {_bracketed(parts[1], _SUM + (sign == MINUS))}", _SUM
    if operation == "neg":
        return f"{MINUS}{_bracketed(parts[0], _ENTRYWISE)}", _PRODUCT
    if operation in ("^", ".^"):
        return f"{_bracketed(parts[0], _ATOM)}{operation}{_bracketed(parts[1], _ATOM)}", _POWER
    if operation == "transpose":
        return f"{_bracketed(parts[0], _ATOM)}ᵀ", _POWER
    if operation == "inv":
        return f"{_bracketed(parts[0], _ATOM)}⁻¹", _POWER
    if operation in RELATIONS:
        return f"{parts[0][0]} {operation} {parts[1][0]}", _RELATION
    if operation == "norm":
        return f"‖{parts[0][0]}‖", _ATOM
    if operation == "index":
        return f"{_bracketed(parts[0], _ATOM)}[{','.join(text for text, _ in parts[1:])}]", _ATOM
    if operation == "list":
        return _list_text([text for text, _ in parts], tree.leaf), _ATOM
    return f"{operation}({', '.join(text for text, _ in parts)})", _ATOM


def _cut(items: Sequence[str], lengths: str) -> list[list[str]]:
    """Return the items in rows of the given lengths ("2,2")."""
    rows, start = [], 0
    for length in map(int, lengths.split(",")):
        rows.append(list(items[start : start + length]))
        start += length
    return rows


def _list_text(items: Sequence[str], lengths: str) -> str:
    return f"[{'; '.join(', '.join(row) for row in _cut(items, lengths))}]"


# --- pieces -----------------------------------------------------------------------------------------------------------


def label(name: ArrayName) -> Formula:
    """Return the name of an array or number as a Formula."""
    return Formula(name_text(name), _name_piece, name)


def _name_piece(name: ArrayName) -> Piece:
    """Return a name as a piece for documents, arrays in bold and with the accent; a number as a number piece."""
    from ..notation.formula_pieces import BOLD, NamePiece
    from ..notation.mathematics import number_piece

    if name.is_number:
        return number_piece(name_text(name))
    accents = ((BOLD,) if name.is_array else ()) + ((name.accent,) if name.accent else ())
    return NamePiece(name.text, accents)


def _piece_of(key: tuple[FormulaTree, Mapping[str, ArrayName]]) -> Piece:
    return _piece(*key)[0]


def _fenced(part: tuple[Piece, int], least: int) -> Piece:
    from ..notation.formula_pieces import Fence

    return Fence("(", part[0], ")") if part[1] < least else part[0]


def _piece(tree: FormulaTree, names: Mapping[str, ArrayName]) -> tuple[Piece, int]:
    """Return (piece, binding level) of a tree; the level is one of `_RELATION` to `_ATOM`."""
    from ..notation import formula_pieces as fp

    operation = tree.operation
    if operation in ("name", "number"):
        name = names.get(tree.leaf, ArrayName(tree.leaf, is_number=True))
        return _name_piece(name), _PRODUCT if name_text(name).startswith(MINUS) else _ATOM
    parts = [_piece(each, names) for each in tree.operands]
    inside = tuple([part[0] for part in parts])
    if operation in _INFIX:
        sign, level, right = _INFIX[operation]
        shown = fp.DOTTED_TIMES if operation == "" and isinstance(inside[1], fp.NumberPiece) else fp.Sign(sign)
        return fp.Joined((_fenced(parts[0], level), shown, _fenced(parts[1], right))), level
    if operation == "/":
        return fp.Fraction(inside[0], inside[1]), _PRODUCT
    if operation == "neg":
        return fp.Joined((fp.MINUS_SIGN, _fenced(parts[0], _ENTRYWISE))), _PRODUCT
    if operation in ("^", ".^", "transpose", "inv"):
        exponent: Piece = inside[-1]
        if operation == "transpose":
            exponent = fp.Sign("⊤", fp.ALONE)
        elif operation == "inv":
            exponent = fp.Joined((fp.MINUS_SIGN, fp.NumberPiece("1")))
        elif operation == ".^":
            exponent = fp.Joined((fp.Sign("∘", fp.ALONE), exponent))
        return fp.Power(_fenced(parts[0], _ATOM), exponent), _POWER
    if operation in RELATIONS:
        return fp.Joined((inside[0], fp.Sign(_WORDS[RELATIONS[operation]], fp.RELATING), inside[1])), _RELATION
    if operation == "norm":
        return fp.Fence("‖", inside[0], "‖"), _ATOM
    if operation == "list":
        cells = iter(inside)
        return fp.Matrix(
            tuple([tuple([next(cells) for _ in row]) for row in _cut(["x"] * len(inside), tree.leaf)])
        ), _ATOM
    if operation == "index":
        return fp.Joined((inside[0], fp.Fence("[", fp.Joined(tuple(fp.listed(inside[1:]))), "]"))), _ATOM
    return fp.Application(operation, operation, inside), _ATOM


_INFIX: Final = {
    "": ("", _PRODUCT, _PRODUCT), "@": ("", _PRODUCT, _PRODUCT), ".*": ("⊙", _ENTRYWISE, _PRODUCT),
    "./": ("⊘", _ENTRYWISE, _PRODUCT), "+": ("+", _SUM, _SUM), "-": (MINUS, _SUM, _ENTRYWISE),
}  # fmt: skip


# --- values -----------------------------------------------------------------------------------------------------------


def value(entries: Sequence[float], shape: Shape, digits: Digits) -> Formula:
    """Return an array as `[1, 2; 3, 4]`, a number as itself; of long rows and columns only the ends are shown."""
    if not shape:
        return numeral(_number_text(entries[0], digits))
    columns = shape[-1]
    folds = len(entries) > _MOST_CELLS or (len(shape) == 2 and columns > _MOST_CELLS)
    rows = [entries[k : k + columns] for k in range(0, len(entries), columns)]
    texts = [[_number_text(x, digits) for x in row] for row in (_ends(rows) if folds else rows)]
    texts = [_folded_row(row) if folds else row for row in texts]
    if folds and len(rows) > _MOST_SHOWN:
        texts.insert(2, ["…"] * len(texts[0]))
    text = "; ".join("…" if set(row) == {"…"} else ", ".join(row) for row in texts)
    return Formula(f"[{text}]", _matrix_piece, (tuple(map(tuple, texts)), len(shape) == 1))


def _number_text(x: float | None, digits: Digits) -> str:
    """Return a number as it is shown; `…` for one in a branch that is not taken."""
    return NOT_TAKEN if x is None else str(numeral(digits.show(x)))


def _ends(rows: Sequence[Sequence[float]]) -> Sequence[Sequence[float]]:
    return rows if len(rows) <= _MOST_SHOWN else [*rows[:2], rows[-1]]


def _folded_row(row: list[str]) -> list[str]:
    return row if len(row) <= _MOST_SHOWN else [*row[:2], "…", row[-1]]


def _matrix_piece(key: tuple[tuple[tuple[str, ...], ...], bool]) -> Piece:
    """Return an array of numbers as a Matrix, a vector as a column."""
    from ..notation.formula_pieces import ALONE, Matrix, Sign
    from ..notation.mathematics import number_piece

    rows, is_column = key

    def cell(text: str) -> Piece:
        return Sign("…", ALONE) if text == "…" else number_piece(text)

    if is_column:
        return Matrix(tuple([(cell(text),) for text in rows[0]]))
    return Matrix(tuple([tuple(map(cell, row)) for row in rows]))
