"""Formulas as tables write them, which know their pieces: names, numbers, derivatives, and what is joined of these.

A table wants the text alone, and has it at once: it is joined where the formula is made.  Documents ask for the pieces,
which are made only then.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .display_formula import Formula
from .number_text import MINUS

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from .formula import Leaf
    from .formula_pieces import Piece

Order = int | str  # a number, or a letter for it
Place = tuple[int, tuple[int, int]]  # a slot, and where it is in the program's text


def named(name: str, place: Place | None = None) -> Formula:
    """A name; where it is known, with what it stands for."""
    return Formula(name, _name, name) if place is None else Formula(name, _placed_name, (name, place))


def indexed(name: str) -> Formula:
    """A name of one letter, with all that follows as its index: t10."""
    return Formula(name, _name, f"{name[:1]}_{name[1:]}")


def dotted(name: str) -> Formula:
    """The tangent of a name: ẋ1."""
    return Formula(unicodedata.normalize("NFC", name[:1] + "\u0307" + name[1:]), _dotted, name)


def barred(name: str) -> Formula:
    """The adjoint of a name: x̄1."""
    return Formula(unicodedata.normalize("NFC", name[:1] + "\u0304" + name[1:]), _barred, name)


def partial(above: str, below: str) -> Formula:
    """A partial derivative: ∂v1/∂x1."""
    return Formula(f"∂{above}/∂{below}", _partial, (above, below))


def chained(bar: Formula, above: str, below: str) -> Formula:
    """An adjoint times a partial derivative: v̄3 ∂v3/∂x2."""
    return Formula(f"{bar} ∂{above}/∂{below}", _chained, (bar, above, below))


def quotient(text: str, sign: str, order: Order, above: str, below: Sequence[tuple[str, Order]]) -> Formula:
    """A derivative of any order (`sign` is d or ∂), by names each so many times; `text` is what tables write."""
    return Formula(text, _quotient, (sign, order, above, tuple(below)))


def numeral(text: str) -> Formula:
    """A number as it is shown, with the typographic minus."""
    text = MINUS + text[1:] if text.startswith("-") else text
    return Formula(text, _number, text)


def worded(text: str) -> Formula:
    """Words in the place of a formula: the seed of a sweep."""
    return Formula(text, _words, text)


def pieced(text: str, piece: Piece) -> Formula:
    """A formula that is in pieces already."""
    return Formula(text, _itself, piece)


def juxtaposed(left: Formula, right: Formula) -> Formula:
    """A product as people write it: `t10 dt00`."""
    return Formula(f"{left} {right}", _multiplied, (left, right))


def unfolded(text: str, graph: Graph, slot: int, leaves: Mapping[int, Leaf], first: bool = True) -> Formula:
    """The formula of a slot, of which tables write this text."""
    return Formula(text, _unfolded, (graph, slot, leaves, first))


def joined(*parts: str) -> Formula:
    """Formulas side by side, with the signs between them as tables write them: `joined(a, " + ", b)`.

    What is neither a formula nor such a sign is a text.
    """
    return Formula("".join(parts), _joined, parts)


def equals(formula: str) -> Formula:
    """A right-hand side: `= x1 × x2`."""
    return joined("= ", formula)


def listed(formulas: Sequence[str]) -> Formula:
    """Formulas with commas between them."""
    return joined(*[part for formula in formulas for part in (", ", formula)][1:])


def program(text: str, graph: Graph) -> Formula:
    """A program as it was typed, and its outputs as documents write them."""
    return Formula(text, _program, graph)


def bracketed(formula: str, signs: str = "()") -> Formula:
    """A formula in brackets."""
    return Formula(f"{signs[0]}{formula}{signs[1]}", _bracketed, (formula, signs))


def piece_of(text: str) -> Piece:
    """The piece of a formula, and a text as a piece."""
    return text.piece if isinstance(text, Formula) else _words(text)


def _words(text: str) -> Piece:
    from .formula_pieces import Text

    return Text(text)


def _name(name: str) -> Piece:
    from .formula_pieces import NamePiece

    return name.piece if isinstance(name, Formula) else NamePiece(name)


def _placed_name(key: tuple[str, Place]) -> Piece:
    from .formula_pieces import NamePiece, Origin

    name, place = key
    return NamePiece(name, (), Origin(*place))


def _accented(name: str, accent: str) -> Piece:
    from .formula_pieces import NamePiece

    piece = _name(name)
    return piece._replace(accents=(*piece.accents, accent)) if isinstance(piece, NamePiece) else piece


def _dotted(name: str) -> Piece:
    return _accented(name, "dot")


def _barred(name: str) -> Piece:
    return _accented(name, "bar")


def _number(text: str) -> Piece:
    from .mathematics import number_piece

    return number_piece(text)


def _itself(piece: Piece) -> Piece:
    return piece


def _multiplied(key: tuple[Formula, Formula]) -> Piece:
    from .mathematics import multiplied

    left, right = key
    return multiplied(left.piece, right.piece)


def _unfolded(key: tuple[Graph, int, Mapping[int, Leaf], bool]) -> Piece:
    from .mathematics import pieces

    graph, slot, leaves, first = key
    return pieces(graph, slot, leaves.get, first)


def _partial(key: tuple[str, str]) -> Piece:
    above, below = key
    return _quotient(("∂", 1, above, ((below, 1),)))


def _chained(key: tuple[Formula, str, str]) -> Piece:
    from .formula_pieces import TIMES, Joined

    bar, above, below = key
    return Joined((bar.piece, TIMES, _partial((above, below))))


def _quotient(key: tuple[str, Order, str, tuple[tuple[str, Order], ...]]) -> Piece:
    from .formula_pieces import ALONE, Fraction, Joined, NamePiece, NumberPiece, Power, Sign

    def raised(piece: Piece, count: Order) -> Piece:
        if count == 1:
            return piece
        return Power(piece, NamePiece(count) if isinstance(count, str) else NumberPiece(str(count)))

    sign, order, above, below = key
    letter = Sign(sign, ALONE)
    moving = [part for name, count in below for part in (letter, raised(_name(name), count))]
    return Fraction(Joined((raised(letter, order), _name(above))), Joined(tuple(moving)))


def _program(graph: Graph) -> Piece:
    from .mathematics import program_piece

    return program_piece(graph)


def _bracketed(key: tuple[str, str]) -> Piece:
    from .formula_pieces import Fence

    formula, signs = key
    return Fence(signs[0], piece_of(formula), signs[1])


_SIGNS = {
    "+": "between", MINUS: "between", "×": "between", "=": "relating", "→": "relating", "<": "relating", ",": "listing",
    "…": "alone", ";": "listing",
}  # fmt: skip


def _joined(parts: tuple[str, ...]) -> Piece:
    from .formula_pieces import TIMES, Joined, Sign, Text

    def made(place: int, part: str) -> Piece:
        if isinstance(part, Formula):
            return part.piece
        if part == " ":
            return TIMES
        sign = part.strip()
        kind = _SIGNS.get(sign)
        if kind is None:
            return Text(part)
        return Sign("·" if sign == "×" else sign, "before" if kind == "between" and place == 0 else kind)

    return Joined(tuple([made(place, part) for place, part in enumerate(parts)]))
