"""Arrays and their formulas typeset as pieces for documents: bold names, signs, matrices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from ..notation.formula_pieces import (
    ALONE,
    BETWEEN,
    BOLD,
    DOTTED_TIMES,
    MINUS_SIGN,
    RELATING,
    Application,
    Fence,
    Fraction,
    Joined,
    Matrix,
    NamePiece,
    NumberPiece,
    Piece,
    Power,
    Sign,
    listed,
)  # fmt: skip
from ..notation.mathematics import number_piece
from ..notation.number_text import MINUS
from .formula_trees import BINDING, ArrayName, FormulaStyle, name_text
from .shapes import split


def name_piece(name: ArrayName) -> Piece:
    """Return a name, arrays in bold and with the accent; a number as a number piece."""
    if name.is_number:
        return number_piece(name_text(name))
    accents = ((BOLD,) if name.is_array else ()) + ((name.accent,) if name.accent else ())
    return NamePiece(name.text, accents)


_SIGNS: Final = {
    "": Sign(""), "@": Sign(""), ".*": Sign("⊙"), "./": Sign("⊘"), "+": Sign("+"), "-": Sign(MINUS, BETWEEN),
    "<": Sign("<", RELATING), "<=": Sign("≤", RELATING), ">": Sign(">", RELATING), ">=": Sign("≥", RELATING),
    "==": Sign("=", RELATING), "!=": Sign("≠", RELATING),
}  # fmt: skip
_BUILDERS: Final[Mapping[str, Callable[..., Piece]]] = {
    "/": Fraction,
    "^": Power,
    ".^": lambda base, exponent: Power(base, Joined((Sign("∘", ALONE), exponent))),
    "transpose": lambda base: Power(base, Sign("⊤", ALONE)),
    "inv": lambda base: Power(base, Joined((MINUS_SIGN, NumberPiece("1")))),
    "neg": lambda inside: Joined((MINUS_SIGN, inside)),
    "norm": lambda inside: Fence("‖", inside, "‖"),
    "index": lambda base, *indices: Joined((base, Fence("[", Joined(tuple(listed(indices))), "]"))),
}


def _operation(operation: str, operands: Sequence[Piece], lengths: Sequence[int]) -> Piece:
    """Return an operation as a piece; `lengths` are those of the rows of a list."""
    if operation in _SIGNS:
        is_dotted = operation == "" and isinstance(operands[1], NumberPiece)
        return Joined((operands[0], DOTTED_TIMES if is_dotted else _SIGNS[operation], operands[1]))
    if operation in _BUILDERS:
        return _BUILDERS[operation](*operands)
    if operation == "list":
        return Matrix(tuple(map(tuple, split(operands, lengths))))
    return Application(operation, operation, tuple(operands))


# Fractions and exponents need no brackets: how many cells of their binding are left.
_UNFENCED: Final = {"/": 1, "^": 2, ".^": 2, "index": 1}
_BINDING: Final = {**BINDING, **{operation: BINDING[operation][:count] for operation, count in _UNFENCED.items()}}
PIECES: Final[FormulaStyle[Piece]] = (name_piece, lambda piece: Fence("(", piece, ")"), _operation, _BINDING)


def matrix_piece(rows: Sequence[Sequence[str]], is_column: bool) -> Piece:
    """Return an array of numbers as a Matrix; with `is_column` the only row is a vector, which becomes a column."""
    cells = [[Sign("…", ALONE) if text == "…" else number_piece(text) for text in row] for row in rows]
    return Matrix(tuple([(cell,) for cell in cells[0]] if is_column else map(tuple, cells)))
