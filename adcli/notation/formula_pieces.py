"""Formulas as typed pieces, and how a format writes them.

A piece says what stands there, never how a format spells it: names, numbers and signs are leaves; calls, powers,
fractions, roots and fences hold others; a Joined is pieces side by side.  A format is a Printer: one method for each
kind, which gives texts and inner pieces in the order in which they are written.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from ..records import NamedTuple

# Where a sign stands: before or after one operand, between two, in a relation, in a list, or alone as an operand; and
# the brackets of a sum that goes on in the next line.
BEFORE, AFTER, BETWEEN, RELATING, LISTING, ALONE = "before", "after", "between", "relating", "listing", "alone"
OPENING, CLOSING = "opening", "closing"

DOT, BAR = "dot", "bar"


class Origin(NamedTuple):
    """What a piece stands for: a slot of its graph, and where that is in the text of the program."""

    slot: int
    span: tuple[int, int]


class NamePiece(NamedTuple):
    """A name as the language spells it, with the accents over it: `DOT` for a tangent, `BAR` for an adjoint."""

    text: str
    accents: tuple[str, ...] = ()
    origin: Origin | None = None


class NumberPiece(NamedTuple):
    """A number that is not negative, as it is shown: `0.693`, `1.5e-7`."""

    text: str
    origin: Origin | None = None


class Sign(NamedTuple):
    """A sign as tables write it, and where it stands; products by juxtaposition have an empty one.

    Words that are operators (`and`, `mod`), the ∂ and d of a derivative, and what is left out (…) are signs too.
    """

    text: str
    kind: str = BETWEEN


class Text(NamedTuple):
    """Words within a formula: `seed`."""

    text: str


class Application(NamedTuple):
    """A function before its arguments; without brackets (`bare`) before one that needs none.

    `function` is what the language calls it, `symbol` the name that mathematics has for it, `subscript` what stands
    below that (it may be one of the arguments), `raised` the exponent of `sin^2 x`.
    """

    function: str
    symbol: str
    arguments: tuple[Piece, ...]
    subscript: Piece | None = None
    raised: Piece | None = None
    bare: bool = False
    tall: bool = False
    origin: Origin | None = None

    @property
    def operands(self) -> tuple[Piece, ...]:
        """The arguments that stand after the name, not below it."""
        return tuple([argument for argument in self.arguments if argument is not self.subscript])


class Power(NamedTuple):
    """A base and its exponent."""

    base: Piece
    exponent: Piece
    origin: Origin | None = None


class Fraction(NamedTuple):
    """What stands above a line, and below."""

    above: Piece
    below: Piece
    origin: Origin | None = None


class Root(NamedTuple):
    """A root; a square root has no degree."""

    inside: Piece
    degree: Piece | None = None
    origin: Origin | None = None


class Fence(NamedTuple):
    """Brackets, or the signs of an absolute value, around a piece; `tall` where that is more than a line high."""

    opening: str
    inside: Piece
    closing: str
    tall: bool = False
    origin: Origin | None = None


class Joined(NamedTuple):
    """Pieces side by side."""

    parts: tuple[Piece, ...]
    origin: Origin | None = None


Piece = NamePiece | NumberPiece | Sign | Text | Application | Power | Fraction | Root | Fence | Joined
Parts = Sequence[str | Piece]

TIMES = Sign("")
DOTTED_TIMES = Sign("·")
MINUS_SIGN = Sign("−", BEFORE)
EQUALS = Sign("=", RELATING)
COMMA = Sign(",", LISTING)
EMPTY = Joined(())


class Printer(ABC):
    """How a format writes formulas: for each kind of piece the texts and inner pieces that it is made of."""

    @abstractmethod
    def name(self, piece: NamePiece) -> Parts: ...

    @abstractmethod
    def number(self, piece: NumberPiece) -> Parts: ...

    @abstractmethod
    def sign(self, piece: Sign) -> Parts: ...

    @abstractmethod
    def text(self, piece: Text) -> Parts: ...

    @abstractmethod
    def call(self, piece: Application) -> Parts: ...

    @abstractmethod
    def power(self, piece: Power) -> Parts: ...

    @abstractmethod
    def fraction(self, piece: Fraction) -> Parts: ...

    @abstractmethod
    def root(self, piece: Root) -> Parts: ...

    @abstractmethod
    def fence(self, piece: Fence) -> Parts: ...

    def joined(self, piece: Joined) -> Parts:
        return piece.parts

    def printed(self, piece: Piece) -> str:
        """The formula in this format."""
        out: list[str] = []
        stack: list[str | Piece] = [piece]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                out.append(item)
            else:
                stack.extend(reversed(self._parts(item)))
        return "".join(out)

    def _parts(self, piece: Piece) -> Parts:
        match piece:
            case NamePiece():
                return self.name(piece)
            case NumberPiece():
                return self.number(piece)
            case Sign():
                return self.sign(piece)
            case Joined():
                return self.joined(piece)
            case Application():
                return self.call(piece)
            case Power():
                return self.power(piece)
            case Fraction():
                return self.fraction(piece)
            case Root():
                return self.root(piece)
            case Fence():
                return self.fence(piece)
            case Text():
                return self.text(piece)


def listed(pieces: Sequence[Piece], comma: Sign = COMMA) -> list[Piece]:
    """The pieces with commas between them."""
    found: list[Piece] = []
    for piece in pieces:
        found += [comma, piece] if found else [piece]
    return found


def inner(piece: Piece) -> Sequence[Piece]:
    """The pieces that a piece is made of; none for a leaf."""
    match piece:
        case Joined(parts):
            return parts
        case Application():
            return [part for part in (piece.raised, piece.subscript, *piece.operands) if part is not None]
        case Power(base, exponent):
            return base, exponent
        case Fraction(above, below):
            return above, below
        case Root(inside, degree):
            return (inside,) if degree is None else (degree, inside)
        case Fence():
            return (piece.inside,)
    return ()


def leaves_of(piece: Piece) -> Iterator[Piece]:
    """The leaves of a piece from left to right."""
    stack = [piece]
    while stack:
        item = stack.pop()
        parts = inner(item)
        if parts:
            stack.extend(reversed(parts))
        else:
            yield item


def first_of(piece: Piece) -> Piece:
    """What a piece begins with."""
    while True:
        if isinstance(piece, Joined) and piece.parts:
            piece = piece.parts[0]
        elif isinstance(piece, Power):
            piece = piece.base
        else:
            return piece


def last_of(piece: Piece) -> Piece:
    """What a row of pieces ends in."""
    while isinstance(piece, Joined) and piece.parts:
        piece = piece.parts[-1]
    return piece
