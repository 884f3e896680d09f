"""Formulas as tables write them, which know their pieces: names, numbers, derivatives, and what is joined of these.

A table wants the text alone, and has it at once: it is joined where the formula is made.  Documents ask for the pieces,
which are made only then.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from functools import partial as later
from typing import TYPE_CHECKING

from .formula import Formula
from .numbers import MINUS

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from .formula import Leaf
    from .pieces import Piece

Place = tuple[int, tuple[int, int]]  # a slot, and where it is in the program's text


def named(name: str, place: Place | None = None) -> Formula:
    """A name."""
    return Formula(name, later(_name, name, (), place))


def dotted(name: str) -> Formula:
    """The tangent of a name: ẋ1."""
    text = unicodedata.normalize("NFC", name[:1] + "\u0307" + name[1:])
    return Formula(text, later(_name, name, ("dot",)))


def barred(name: str) -> Formula:
    """The adjoint of a name: x̄1."""
    text = unicodedata.normalize("NFC", name[:1] + "\u0304" + name[1:])
    return Formula(text, later(_name, name, ("bar",)))


def partial(above: str, below: str) -> Formula:
    """A partial derivative: ∂v1/∂x1."""
    return Formula(f"∂{above}/∂{below}", later(_quotient, "∂", 1, above, ((below, 1),)))


def quotient(text: str, sign: str, order: int, above: str, below: Sequence[tuple[str, int]]) -> Formula:
    """A derivative of any order (`sign` is d or ∂), by names each so many times; `text` is what tables write."""
    return Formula(text, later(_quotient, sign, order, above, tuple(below)))


def numeral(text: str) -> Formula:
    """A number as it is shown, with the typographic minus."""
    text = MINUS + text[1:] if text.startswith("-") else text
    return Formula(text, later(_number, text))


def seed() -> Formula:
    """The word for a number that a sweep starts with."""
    return Formula("seed", later(piece_of, "seed"))


def unfolded(
    text: str, graph: Graph, slot: int, leaves: Mapping[int, Leaf], first: bool = True, place: Place | None = None
) -> Formula:
    """The formula of a slot, of which tables write this text; `place` is what all of it stands for."""
    return Formula(text, later(_unfolded, graph, slot, leaves, first, place))


def joined(*parts: str) -> Formula:
    """Formulas side by side, with the signs between them as tables write them: `joined(a, " + ", b)`.

    What is neither a formula nor such a sign is a text.
    """
    return Formula("".join(parts), later(_joined, parts))


def bracketed(formula: str) -> Formula:
    """A formula in brackets."""
    return Formula(f"({formula})", later(_bracketed, formula))


def piece_of(text: str) -> Piece:
    """The piece of a formula, and a text as a piece."""
    if isinstance(text, Formula):
        return text.piece
    from .pieces import Text

    return Text(text)


def _name(name: str, accents: tuple[str, ...] = (), place: Place | None = None) -> Piece:
    from .pieces import NamePiece, Origin

    if isinstance(name, Formula):
        own = name.piece
        return own._replace(accents=own.accents + accents) if isinstance(own, NamePiece) else own
    return NamePiece(name, accents, None if place is None else Origin(*place))


def _number(text: str) -> Piece:
    from .mathematics import number_piece

    return number_piece(text)


def _unfolded(graph: Graph, slot: int, leaves: Mapping[int, Leaf], first: bool, place: Place | None) -> Piece:
    from .mathematics import pieces
    from .pieces import Origin

    return pieces(graph, slot, leaves.get, first, None if place is None else Origin(*place))


def _quotient(sign: str, order: int, above: str, below: tuple[tuple[str, int], ...]) -> Piece:
    from .pieces import ALONE, Fraction, Joined, NumberPiece, Power, Sign

    def raised(piece: Piece, count: int) -> Piece:
        return piece if count == 1 else Power(piece, NumberPiece(str(count)))

    letter = Sign(sign, ALONE)
    moving = [part for name, count in below for part in (letter, raised(_name(name), count))]
    return Fraction(Joined((raised(letter, order), _name(above))), Joined(tuple(moving)))


def _bracketed(formula: str) -> Piece:
    from .pieces import Fence

    return Fence("(", piece_of(formula), ")")


_SIGNS = {
    "+": "between", MINUS: "between", "×": "between", "=": "relating", "→": "relating", "<": "relating", ",": "listing",
    "…": "alone", ";": "listing",
}  # fmt: skip


def _joined(parts: tuple[str, ...]) -> Piece:
    from .pieces import TIMES, Joined, Sign, Text

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
