"""Formulas as tables write them, which know their pieces; and words with formulas among them.

A table wants the text alone, and has it at once: it is joined where the formula is made.  Documents ask for the pieces,
which are made when they are asked for.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial as later
from typing import TYPE_CHECKING

from .numbers import MINUS

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from .formula import Leaf
    from .pieces import Origin, Piece

Source = Callable[[], "Piece"]


class Formula(str):
    """A formula: as a text what tables write, and in pieces what documents do."""

    __slots__ = ("_source",)
    _source: Source | Piece

    def __new__(cls, text: str, source: Source | Piece) -> Formula:
        self = str.__new__(cls, text)
        self._source = source
        return self

    def __getnewargs__(self) -> tuple[str, Source | Piece]:  # type: ignore[override]
        return str(self), self._source

    @property
    def piece(self) -> Piece:
        """What documents write."""
        source = self._source
        return source() if callable(source) else source


class Phrase(str):
    """Words of ours with formulas among them; as a text what plain formats write."""

    __slots__ = ("parts",)
    parts: tuple[str, ...]

    def __new__(cls, *parts: str) -> Phrase:
        self = str.__new__(cls, "".join(parts))
        self.parts = parts
        return self

    def __getnewargs__(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.parts


def named(name: str, origin: Origin | None = None) -> Formula:
    """A name."""
    return Formula(name, later(_name, name, "", origin))


def dotted(name: str) -> Formula:
    """The tangent of a name: ẋ1."""
    text = unicodedata.normalize("NFC", name[:1] + "\u0307" + name[1:])
    return Formula(text, later(_name, name, "dot", None))


def barred(name: str) -> Formula:
    """The adjoint of a name: x̄1."""
    text = unicodedata.normalize("NFC", name[:1] + "\u0304" + name[1:])
    return Formula(text, later(_name, name, "bar", None))


def partial(above: str, below: str) -> Formula:
    """A partial derivative: ∂v1/∂x1."""
    return Formula(f"∂{above}/∂{below}", later(_quotient, "∂", 1, above, ((below, 1),)))


def quotient(sign: str, order: int, above: str, below: Sequence[tuple[str, int]], text: str) -> Formula:
    """A derivative of any order (`sign` is d or ∂), by names each so many times; `text` is what tables write."""
    return Formula(text, later(_quotient, sign, order, above, tuple(below)))


def numeral(text: str) -> Formula:
    """A number as it is shown, with the typographic minus."""
    text = MINUS + text[1:] if text.startswith("-") else text
    return Formula(text, later(_number, text))


def unfolded(text: str, graph: Graph, slot: int, leaves: Mapping[int, Leaf], first: bool = True) -> Formula:
    """The formula of a slot, of which tables write this text."""
    return Formula(text, later(_unfolded, graph, slot, leaves, first))


def joined(*parts: str | Piece, text: str | None = None) -> Formula:
    """Formulas and pieces side by side; a text that is no formula stays a text.

    Signs are given as pieces with their blanks in `text`, or as texts with blanks: `joined(a, " + ", b)`.
    """
    return Formula("".join([p for p in parts if isinstance(p, str)]) if text is None else text, later(_joined, parts))


def sentence_parts(text: str) -> Iterator[str]:
    """The words and formulas of a text."""
    yield from text.parts if isinstance(text, Phrase) else (text,)


def _name(text: str, accent: str, origin: Origin | None) -> Piece:
    from .pieces import NamePiece

    if isinstance(text, Formula):  # the bar of a dotted name
        return text.piece
    return NamePiece(text, accent, origin)


def _number(text: str) -> Piece:
    from .mathematics import number_piece

    return number_piece(text)


def _unfolded(graph: Graph, slot: int, leaves: Mapping[int, Leaf], first: bool) -> Piece:
    from .mathematics import pieces

    return pieces(graph, slot, leaves.get, first)


def _quotient(sign: str, order: int, above: str, below: tuple[tuple[str, int], ...]) -> Piece:
    from .pieces import ALONE, Fraction, Joined, NumberPiece, Power, Sign

    def raised(piece: Piece, count: int) -> Piece:
        return piece if count == 1 else Power(piece, NumberPiece(str(count)))

    letter = Sign(sign, ALONE)
    moving = [part for name, count in below for part in (letter, raised(_name(name, "", None), count))]
    return Fraction(Joined((raised(letter, order), _name(above, "", None))), Joined(tuple(moving)))


_SIGNS = {
    " + ": ("+", "between"), f" {MINUS} ": (MINUS, "between"), "= ": ("=", "relating"), " = ": ("=", "relating"),
    " × ": ("·", "between"), ", ": (",", "listing"), MINUS: (MINUS, "before"), "…": ("…", "alone"),
    " → ": ("→", "relating"),
}  # fmt: skip


def _joined(parts: tuple[str | Piece, ...]) -> Piece:
    from .pieces import TIMES, Joined, Sign, Text

    def made(part: str | Piece) -> Piece:
        if isinstance(part, Formula):
            return part.piece
        if not isinstance(part, str):
            return part
        if part == " ":
            return TIMES
        found = _SIGNS.get(part)
        return Sign(*found) if found else Text(part)

    return Joined(tuple([made(part) for part in parts]))
