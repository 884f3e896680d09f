"""Arrays and their formulas typeset as pieces for documents: bold names, signs, matrices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..graph.graph import CONSTANTS
from ..notation import formula_pieces as fp
from ..notation.formula_pieces import Piece
from ..notation.mathematics import number_piece
from ..notation.number_text import MINUS
from ..typings import Final
from .formula_trees import BINDING, ArrayName, FormulaStyle, FormulaTree, name_text, print_tree, program_trees
from .shapes import split


def name_piece(name: ArrayName) -> Piece:
    """Return a name or a constant such as pi, arrays in bold and with the accent; a number as a number piece."""
    if name.is_number and name.text not in CONSTANTS:
        return number_piece(name_text(name))
    accents = ((fp.BOLD,) if name.is_array else ()) + ((name.accent,) if name.accent else ())
    return fp.NamePiece(name.text, accents)


_TRANSPOSED: Final = fp.Sign("⊤", fp.ALONE)


_INVERTED: Final = fp.Joined((fp.MINUS_SIGN, fp.NumberPiece("1")))


def _raised(base: Piece, exponent: Piece) -> Piece:
    """Return a transpose or an inverse; of an inverse or a transpose in brackets the power −⊤ of what is inside."""
    inside = base.inside if isinstance(base, fp.Fence) else None
    if isinstance(inside, fp.Power) and {inside.exponent, exponent} == {_TRANSPOSED, _INVERTED}:
        return fp.Power(inside.base, fp.Joined((fp.MINUS_SIGN, _TRANSPOSED)))
    return fp.Power(base, exponent)


_OPERATORS: Final = {"": "", "@": "", ".*": "⊙", "./": "⊘", "+": "+", "-": MINUS}
_RELATIONS: Final = {"<": "<", "<=": "≤", ">": ">", ">=": "≥", "==": "=", "!=": "≠"}
_SIGNS: Final = {operation: fp.Sign(text) for operation, text in _OPERATORS.items()} | {
    operation: fp.Sign(text, fp.RELATING) for operation, text in _RELATIONS.items()
}
_BUILDERS: Final[Mapping[str, Callable[..., Piece]]] = {
    "/": fp.Fraction,
    "^": fp.Power,
    ".^": lambda base, exponent: fp.Power(base, fp.Joined((fp.Sign("∘", fp.ALONE), exponent))),
    "transpose": lambda base: _raised(base, _TRANSPOSED),
    "inv": lambda base: _raised(base, _INVERTED),
    "eye": lambda _: fp.NamePiece("I", (fp.BOLD,)),
    "neg": lambda inside: fp.Joined((fp.MINUS_SIGN, inside)),
    "norm": lambda inside: fp.Fence("‖", inside, "‖", _is_tall(inside)),
    "abs": lambda inside: fp.Fence("|", inside, "|", _is_tall(inside)),
    "sqrt": fp.Root,
    "index": lambda base, *indices: fp.Joined(
        (base, fp.Fence("[", fp.Joined(tuple(fp.separate_by_commas(indices))), "]"))
    ),
}


def _operation_piece(operation: str, operands: Sequence[Piece], lengths: Sequence[int]) -> Piece:
    """Return an operation on the pieces `operands` as a piece.

    An operator is joined with its sign (a dotted times before a number in a product without a sign); fractions, powers,
    transposes, inverses, norms, roots and indices have builders; a list is a matrix, where one row (`lengths` has one
    item) is shown as a column; all others are function applications.
    """
    if operation in _SIGNS:
        is_dotted = operation == "" and isinstance(operands[1], fp.NumberPiece)
        return fp.Joined((operands[0], fp.DOTTED_TIMES if is_dotted else _SIGNS[operation], operands[1]))
    if operation in _BUILDERS:
        return _BUILDERS[operation](*operands)
    if operation == "list":
        rows = split(operands, lengths) if len(lengths) > 1 else [[each] for each in operands]  # a vector is a column
        return fp.Matrix(tuple(map(tuple, rows)))
    return fp.Application(operation, operation, tuple(operands), tall=any(map(_is_tall, operands)))


def _is_tall(piece: Piece) -> bool:
    """Return whether a piece is more than one line high, so that brackets around it grow."""
    if isinstance(piece, fp.Joined):
        return any(map(_is_tall, piece.parts))
    if isinstance(piece, fp.Power):
        return _is_tall(piece.base)
    return isinstance(piece, fp.Fraction | fp.Matrix) or (isinstance(piece, fp.Fence | fp.Application) and piece.tall)


def _bracketed(piece: Piece) -> Piece:
    return fp.Fence("(", piece, ")", _is_tall(piece))


# Fractions and exponents need no brackets: how many cells of their binding are left.
_UNFENCED: Final = {"/": 1, "^": 2, ".^": 2}
_BINDING: Final = {**BINDING, **{operation: BINDING[operation][:count] for operation, count in _UNFENCED.items()}}
_PIECES: Final[FormulaStyle[Piece]] = (name_piece, _bracketed, _operation_piece, _BINDING)


def formula_piece(tree: FormulaTree, names: Mapping[str, ArrayName]) -> Piece:
    """Return a formula; `names` are the operands by letter."""
    return print_tree(tree, names, _PIECES)[0]


def program_piece(text: str, arrays: Mapping[str, bool]) -> Piece:
    """Return the program `text` in one row: its statements in their order, separated by `;`.

    An assignment is an equation, an output is its formula; an output that is only a name assigned before is left out.
    `arrays` has for each name of the program whether it is an array, which is printed bold. Raises the errors of
    `parse_arrays`.
    """
    names = {name: ArrayName(name, is_array=bold) for name, bold in arrays.items() if name}
    assigned: set[str] = set()
    shown: list[Piece] = []
    for name, tree in program_trees(text, arrays):
        piece = formula_piece(tree, names)
        if name:
            assigned.add(name)
            shown.append(fp.Joined((name_piece(names.get(name, ArrayName(name))), fp.EQUALS, piece)))
        elif tree.leaf not in assigned:
            shown.append(piece)
    return fp.Joined(tuple(fp.separate_by_commas(shown, fp.Sign(";", fp.LISTING))))


def matrix_piece(rows: Sequence[Sequence[str]], is_column: bool) -> Piece:
    """Return an array of numbers as a Matrix; with `is_column` the only row is a vector, which becomes a column."""
    cells = [[fp.Sign("…", fp.ALONE) if text == "…" else number_piece(text) for text in row] for row in rows]
    return fp.Matrix(tuple([(cell,) for cell in cells[0]] if is_column else map(tuple, cells)))
