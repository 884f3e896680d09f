"""The pieces of formulas that tables write, for documents: a function for each kind of formula of `table_formulas`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..graph.graph import Graph
from . import formula_pieces as fp
from .display_formula import Formula
from .formula import Leaf
from .formula_pieces import Piece
from .mathematics import multiply, pieces
from .mathematics import number_piece as number_piece
from .mathematics import program_piece as program_piece
from .number_text import MINUS

Order = int | str  # a number, or a letter for it


def piece_of(text: str) -> Piece:
    """Return the piece of a Formula, or the text as a Text piece."""
    return text.piece if isinstance(text, Formula) else text_piece(text)


def text_piece(text: str) -> Piece:
    return fp.Text(text)


def same_piece(piece: Piece) -> Piece:
    return piece


def name_piece(name: str, slot: int | None = None, span: tuple[int, int] = (0, 0)) -> Piece:
    """Return the piece of a name, which records `slot` and `span` as its origin if there is a slot."""
    if slot is None and isinstance(name, Formula):
        return name.piece
    return fp.NamePiece(name, (), None if slot is None else fp.Origin(slot, span))


def accented_piece(name: str, accent: str) -> Piece:
    """Return the piece of a name with one more accent. Another piece is returned as it is."""
    piece = name_piece(name)
    return piece._replace(accents=(*piece.accents, accent)) if isinstance(piece, fp.NamePiece) else piece


def product_piece(left: Formula, right: Formula) -> Piece:
    return multiply(left.piece, right.piece)


def slot_piece(graph: Graph, slot: int, leaves: Mapping[int, Leaf], first: bool) -> Piece:
    return pieces(graph, slot, leaves.get, first)


def fence_piece(formula: str, signs: str) -> Piece:
    return fp.Fence(signs[0], piece_of(formula), signs[1])


def partial_piece(above: str, below: str) -> Piece:
    return quotient_piece("∂", 1, above, ((below, 1),))


def quotient_piece(sign: str, order: Order, above: str, below: Sequence[tuple[str, Order]]) -> Piece:
    """Return a derivative as a Fraction.

    `sign` is the letter d or ∂, `order` the power of it above the line, `above` the name of the result, and `below` are
    the variables below the line, each with its power. An Order is a number or a name such as n; orders of 1 are not
    written.
    """

    def raise_to(piece: Piece, count: Order) -> Piece:
        if count == 1:
            return piece
        return fp.Power(piece, fp.NamePiece(count) if isinstance(count, str) else fp.NumberPiece(str(count)))

    letter = fp.Sign(sign, fp.ALONE)
    moving = [part for name, count in below for part in (letter, raise_to(name_piece(name), count))]
    return fp.Fraction(fp.Joined((raise_to(letter, order), name_piece(above))), fp.Joined(tuple(moving)))


def jacobian_piece(above: Sequence[str], below: Sequence[str], rows: Sequence[Sequence[str]]) -> Piece:
    """Return the piece `∂(x, y)/∂(r, t) = matrix` for names above and below the line and rows of entries."""
    fences = [fp.Fence("(", _list_names(names), ")") for names in (above, below)]
    over, under = (fp.Joined((fp.Sign("∂", fp.ALONE), fence)) for fence in fences)
    return fp.Joined((fp.Fraction(over, under), fp.EQUALS, fp.Matrix(tuple(tuple(map(piece_of, row)) for row in rows))))


def _list_names(names: Sequence[str]) -> Piece:
    return fp.Joined(tuple(fp.separate_by_commas([name_piece(name) for name in names])))


_SIGNS = {
    "+": fp.BETWEEN, MINUS: fp.BETWEEN, "×": fp.BETWEEN, "=": fp.RELATING, "→": fp.RELATING, "<": fp.RELATING,
    ">": fp.RELATING, "≤": fp.RELATING, "≥": fp.RELATING, "≠": fp.RELATING, ",": fp.LISTING, "…": fp.ALONE,
    ";": fp.LISTING,
}  # fmt: skip


def joined_piece(*parts: str) -> Piece:
    """Return the Joined piece of `parts`: formulas, signs and other texts, side by side.

    A blank is the sign of a product without a dot, × becomes ·, and a + or − at the start is a prefix. Blanks around
    signs are dropped; a text that is not a known sign becomes Text.
    """
    joined: list[Piece] = []
    for part in parts:
        sign = part.strip()
        kind = _SIGNS.get(sign)
        if part == " " and not isinstance(part, Formula):
            joined.append(fp.TIMES)
        elif isinstance(part, Formula) or kind is None:
            joined.append(piece_of(part))
        else:
            kind = fp.BEFORE if kind == fp.BETWEEN and not joined else kind
            joined.append(fp.Sign("·" if sign == "×" else sign, kind))
    return fp.Joined(tuple(joined))
