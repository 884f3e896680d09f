"""Formulas as tables write them, which also know their pieces: names, numbers, derivatives, and formulas joined of
these.

A table needs only the text, which is joined when the formula is created.  Documents need the pieces, which are built on
demand.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache

from ..typings import TYPE_CHECKING
from .display_formula import Formula
from .number_text import MINUS

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from .formula import Leaf
    from .formula_pieces import Piece

Order = int | str  # a number, or a letter for it
Place = tuple[int, tuple[int, int]]  # a slot, and where it is in the program's text


def write_name(name: str, place: Place | None = None) -> Formula:
    """Return a name as a Formula; with `place` (slot, span) its piece records that origin."""
    return Formula(name, _build_name, name) if place is None else Formula(name, _build_placed_name, (name, place))


def write_indexed(name: str) -> Formula:
    """Return a name whose first letter is the stem and the rest its subscript: t10."""
    return Formula(name, _build_name, f"{name[:1]}_{name[1:]}")


def write_tangent(name: str) -> Formula:
    """Return the tangent of a name: a dot over its first letter, ẋ1."""
    return Formula(unicodedata.normalize("NFC", name[:1] + "\u0307" + name[1:]), _build_accented, (name, "dot"))


def write_adjoint(name: str) -> Formula:
    """Return the adjoint of a name: a bar over its first letter, x̄1."""
    return Formula(unicodedata.normalize("NFC", name[:1] + "\u0304" + name[1:]), _build_accented, (name, "bar"))


def write_partial(above: str, below: str) -> Formula:
    """Return a partial derivative: ∂v1/∂x1."""
    return Formula(f"∂{above}/∂{below}", _build_partial, (above, below))


def write_contribution(bar: Formula, above: str, below: str) -> Formula:
    """Return an adjoint times a partial derivative: v̄3 ∂v3/∂x2."""
    return Formula(f"{bar} ∂{above}/∂{below}", _build_contribution, (bar, above, below))


def jacobian(above: Sequence[str], below: Sequence[str], rows: Sequence[Sequence[str]]) -> Formula:
    """Return `∂(x, y)/∂(r, t) = [1, 0; 0, 1]`, whose piece is a matrix; `rows` are the entries, a row for each of the
    names `above`.
    """
    cells = "; ".join(", ".join(row) for row in rows)
    text = f"∂({', '.join(above)})/∂({', '.join(below)}) = [{cells}]"
    return Formula(text, _build_jacobian, (tuple(above), tuple(below), tuple(map(tuple, rows))))


def quotient(text: str, sign: str, order: Order, above: str, below: Sequence[tuple[str, Order]]) -> Formula:
    """Return the derivative of `above` of this `order`; `text` is what tables write, `sign` is d or ∂. `below` holds
    (name, order) for each variable, where an order is a number or a letter."""
    return Formula(text, _build_quotient, (sign, order, above, tuple(below)))


@lru_cache(maxsize=2048)  # tables repeat numbers
def numeral(text: str) -> Formula:
    """Return a number as a Formula, in the digits of `text`, with a typographic minus."""
    text = MINUS + text[1:] if text.startswith("-") else text
    return Formula(text, _build_number, text)


def write_words(text: str) -> Formula:
    """Return words in the position of a formula, such as the seed of a sweep."""
    return Formula(text, _build_words, text)


def attach_piece(text: str, piece: Piece) -> Formula:
    """Return a Formula with this text and this piece."""
    return Formula(text, _identity, piece)


def juxtapose(left: Formula, right: Formula) -> Formula:
    """Return a product written side by side: `t10 dt00`."""
    return Formula(f"{left} {right}", _build_product, (left, right))


def unfold(text: str, graph: Graph, slot: int, leaves: Mapping[int, Leaf], first: bool = True) -> Formula:
    """Return a Formula with this text whose piece is the formula of `slot`, down to the slots in `leaves`; with
    `first` the slot itself is expanded even if it has a leaf."""
    return Formula(text, _build_slot, (graph, slot, leaves, first))


def join(*parts: str) -> Formula:
    """Return formulas side by side with the signs between them, as tables write them: `join(a, " + ", b)`.

    A part that is neither a Formula nor a known sign becomes a text.
    """
    return Formula("".join(parts), _build_joined, parts)


def equals(formula: str) -> Formula:
    """Return a right-hand side: `= x1 × x2`."""
    return join("= ", formula)


def join_with_commas(formulas: Sequence[str]) -> Formula:
    """Return the formulas with commas between them."""
    return join(*[part for formula in formulas for part in (", ", formula)][1:])


def program(text: str, graph: Graph) -> Formula:
    """Return a Formula with the program as it was typed as text, and its typeset outputs as piece."""
    return Formula(text, _build_program, graph)


def bracket(formula: str, signs: str = "()") -> Formula:
    """Return the formula between the two characters of `signs`."""
    return Formula(f"{signs[0]}{formula}{signs[1]}", _build_fence, (formula, signs))


def piece_of(text: str) -> Piece:
    """Return the piece of a Formula, or the text as a Text piece."""
    return text.piece if isinstance(text, Formula) else _build_words(text)


def _build_words(text: str) -> Piece:
    from .formula_pieces import Text

    return Text(text)


def _build_name(name: str) -> Piece:
    from .formula_pieces import NamePiece

    return name.piece if isinstance(name, Formula) else NamePiece(name)


def _build_placed_name(key: tuple[str, Place]) -> Piece:
    from .formula_pieces import NamePiece, Origin

    name, place = key
    return NamePiece(name, (), Origin(*place))


def _build_accented(key: tuple[str, str]) -> Piece:
    """Return the piece of a name with one more accent; `key` is (name, accent). Another piece is returned as it is."""
    from .formula_pieces import NamePiece

    name, accent = key
    piece = _build_name(name)
    return piece._replace(accents=(*piece.accents, accent)) if isinstance(piece, NamePiece) else piece


def _build_number(text: str) -> Piece:
    from .mathematics import number_piece

    return number_piece(text)


def _identity(piece: Piece) -> Piece:
    return piece


def _build_product(key: tuple[Formula, Formula]) -> Piece:
    from .mathematics import multiply

    left, right = key
    return multiply(left.piece, right.piece)


def _build_slot(key: tuple[Graph, int, Mapping[int, Leaf], bool]) -> Piece:
    from .mathematics import pieces

    graph, slot, leaves, first = key
    return pieces(graph, slot, leaves.get, first)


def _build_partial(key: tuple[str, str]) -> Piece:
    above, below = key
    return _build_quotient(("∂", 1, above, ((below, 1),)))


def _build_jacobian(key: tuple[tuple[str, ...], tuple[str, ...], tuple[tuple[str, ...], ...]]) -> Piece:
    """Return the piece `∂(x, y)/∂(r, t) = matrix` for `key`: (names above, names below, rows of entries)."""
    from .formula_pieces import ALONE, RELATING, Fraction, Joined, Matrix, Sign

    above, below, rows = key
    over, under = (
        Joined((Sign("∂", ALONE), bracket(join_with_commas([write_name(name) for name in names])).piece))
        for names in (above, below)
    )
    matrix = Matrix(tuple(tuple(map(piece_of, row)) for row in rows))
    return Joined((Fraction(over, under), Sign("=", RELATING), matrix))


def _build_contribution(key: tuple[Formula, str, str]) -> Piece:
    from .formula_pieces import TIMES, Joined

    bar, above, below = key
    return Joined((bar.piece, TIMES, _build_partial((above, below))))


def _build_quotient(key: tuple[str, Order, str, tuple[tuple[str, Order], ...]]) -> Piece:
    """Return a derivative as a Fraction; `key` is (sign, order, above, ((name, order), …)).

    `sign` is the letter d or ∂, the first `order` the power of it above the line, `above` the name of the result, and
    the pairs are the variables below the line, each with its power. An Order is a number or a name such as n; orders of
    1 are not written.
    """
    from .formula_pieces import ALONE, Fraction, Joined, NamePiece, NumberPiece, Power, Sign

    def raise_to(piece: Piece, count: Order) -> Piece:
        if count == 1:
            return piece
        return Power(piece, NamePiece(count) if isinstance(count, str) else NumberPiece(str(count)))

    sign, order, above, below = key
    letter = Sign(sign, ALONE)
    moving = [part for name, count in below for part in (letter, raise_to(_build_name(name), count))]
    return Fraction(Joined((raise_to(letter, order), _build_name(above))), Joined(tuple(moving)))


def _build_program(graph: Graph) -> Piece:
    from .mathematics import program_piece

    return program_piece(graph)


def _build_fence(key: tuple[str, str]) -> Piece:
    from .formula_pieces import Fence

    formula, signs = key
    return Fence(signs[0], piece_of(formula), signs[1])


_SIGNS = {
    "+": "between", MINUS: "between", "×": "between", "=": "relating", "→": "relating", "<": "relating",
    ">": "relating", "≤": "relating", "≥": "relating", "≠": "relating", ",": "listing", "…": "alone", ";": "listing",
}  # fmt: skip


def _build_joined(parts: tuple[str, ...]) -> Piece:
    """Return the Joined piece of `parts`: formulas, signs and other texts, side by side.

    A blank is the sign of a product without a dot, × becomes ·, and a + or − at the start is a prefix. Blanks around
    signs are dropped; a text that is not a known sign becomes Text.
    """
    from .formula_pieces import TIMES, Joined, Sign, Text

    def to_piece(place: int, part: str) -> Piece:
        """Return the piece of one part: that of a Formula, the sign of a product for a blank, a Sign (a + or − at
        `place` 0 is a prefix), or Text."""
        if isinstance(part, Formula):
            return part.piece
        if part == " ":
            return TIMES
        sign = part.strip()
        kind = _SIGNS.get(sign)
        if kind is None:
            return Text(part)
        return Sign("·" if sign == "×" else sign, "before" if kind == "between" and place == 0 else kind)

    return Joined(tuple([to_piece(place, part) for place, part in enumerate(parts)]))
