"""Formulas as typed pieces, and the base class of the printers that write them. A piece says what a formula contains,
not how a format spells it: names, numbers and signs are leaves; calls, powers, fractions, roots and fences hold other
pieces; a Joined is several pieces side by side.

A format is a Printer with one method for each kind of piece; it returns texts and inner pieces in the order in which
they are written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from ..records import NamedTuple

# Kinds of signs by position: before or after one operand, between two, in a relation, in a list, or alone as an
# operand; and the brackets of a sum that continues on the next line.
BEFORE, AFTER, BETWEEN, RELATING, LISTING, ALONE = "before", "after", "between", "relating", "listing", "alone"
OPENING, CLOSING = "opening", "closing"

DOT, BAR, BOLD = "dot", "bar", "mathbf"


class Origin(NamedTuple):
    """The source of a piece: a slot of its graph, and the (start, end) `span` in the text of the program."""

    slot: int
    span: tuple[int, int]


class NamePiece(NamedTuple):
    """A name as the language spells it, with the accents over it, the innermost first: `DOT` for a tangent, `BAR` for
    an adjoint; `BOLD` makes it bold."""

    text: str
    accents: tuple[str, ...] = ()
    origin: Origin | None = None


class NumberPiece(NamedTuple):
    """A number that is not negative, as it is shown: `0.693`, `1.5e-7`."""

    text: str
    origin: Origin | None = None


class Sign(NamedTuple):
    """A sign as tables write it, with its position `kind`; a product by juxtaposition has an empty text.

    Operators that are words (`and`, `mod`), the ∂ and d of a derivative, and the ellipsis (…) are signs too.
    """

    text: str
    kind: str = BETWEEN


class Text(NamedTuple):
    """Words within a formula: `seed`."""

    text: str


class Application(NamedTuple):
    """A function and its arguments; a `bare` one has no brackets.

    `function` is its name in the language, `symbol` its name in mathematics, `subscript` the piece below the symbol (it
    may be one of the arguments), `raised` the exponent of `sin^2 x`; `tall` means more than one line high.
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
        """The arguments that follow the name, without the one that is its subscript."""
        return tuple([argument for argument in self.arguments if argument is not self.subscript])


class Power(NamedTuple):
    """A base and its exponent."""

    base: Piece
    exponent: Piece
    origin: Origin | None = None


class Fraction(NamedTuple):
    """A fraction: numerator `above` and denominator `below`."""

    above: Piece
    below: Piece
    origin: Origin | None = None


class Root(NamedTuple):
    """A root; a square root has no degree."""

    inside: Piece
    degree: Piece | None = None
    origin: Origin | None = None


class Fence(NamedTuple):
    """A piece between brackets or the bars of an absolute value; `tall` if it is more than one line high."""

    opening: str
    inside: Piece
    closing: str
    tall: bool = False
    origin: Origin | None = None


class Matrix(NamedTuple):
    """Rows of pieces between brackets, all of one length; with `cases` (value, condition) behind one brace."""

    rows: tuple[tuple[Piece, ...], ...]
    cases: bool = False


class Joined(NamedTuple):
    """Pieces side by side."""

    parts: tuple[Piece, ...]
    origin: Origin | None = None


Piece = NamePiece | NumberPiece | Sign | Text | Application | Power | Fraction | Root | Fence | Matrix | Joined
Parts = Sequence[str | Piece]

TIMES = Sign("")
DOTTED_TIMES = Sign("·")
MINUS_SIGN = Sign("−", BEFORE)
EQUALS = Sign("=", RELATING)
COMMA = Sign(",", LISTING)
EMPTY = Joined(())


_METHODS: Mapping[type, str] = MappingProxyType(
    {
        NamePiece: "name", NumberPiece: "number", Sign: "sign", Text: "text", Application: "call", Power: "power",
        Fraction: "fraction", Root: "root", Fence: "fence", Matrix: "matrix", Joined: "join",
    }
)  # fmt: skip


class Printer:
    """A format of formulas.

    A subclass has one method for each kind of piece (`_METHODS`), which takes the piece and returns the texts and inner
    pieces that it consists of, in the order in which they are written. `power_of_ten` are the texts before and after
    the exponent of a number in scientific form, and the sign between its mantissa and these.
    """

    power_of_ten: tuple[str, str, str]

    def number(self, piece: NumberPiece) -> Parts:
        """Return the digits, as a tuple of one text; `1.5e-7` becomes 1.5 · 10^−7, a mantissa of 1 is left out."""
        mantissa, power = scientific_parts(piece.text)
        if power is None:
            return (mantissa,)
        before, after, times = self.power_of_ten
        return (f"{mantissa}{times}" * bool(mantissa) + f"{before}{power}{after}",)

    def join(self, piece: Joined) -> Parts:
        """Return the pieces side by side as they are."""
        return piece.parts

    def printed(self, piece: Piece) -> str:
        """Return `piece` as text in the format of this printer.

        Each piece is written by the method for its type (`name` for a NamePiece and so on), which returns texts and
        inner pieces in reading order.
        """
        out: list[str] = []
        stack: list[str | Piece] = [piece]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                out.append(item)
            else:
                parts: Parts = getattr(self, _METHODS[type(item)])(item)
                stack.extend(reversed(parts))
        return "".join(out)


def separate_by_commas(pieces: Sequence[Piece], comma: Sign = COMMA) -> list[Piece]:
    """Return the pieces with `comma` between them; [] if there are none."""
    separated: list[Piece] = []
    for piece in pieces:
        separated += [comma, piece] if separated else [piece]
    return separated


def scientific_parts(number: str) -> tuple[str, int | None]:
    """Return (mantissa, power of ten) of a number that is not negative: ("1.5", −7) for `1.5e-7`.

    With a power a mantissa 1 is "", as in ("", 5) for `1e5`; the power is None for a number without one.
    """
    mantissa, e, power = number.lower().partition("e")
    if not e:
        return mantissa, None
    return "" if mantissa == "1" else mantissa, int(power.replace("−", "-"))


def between(rows: Sequence[Sequence[Piece]], cell: str, row: str) -> list[str | Piece]:
    """Return the pieces of a matrix with the text `cell` between those of one row and `row` between rows."""
    parts: list[str | Piece] = []
    for k, pieces in enumerate(rows):
        for j, piece in enumerate(pieces):
            parts += ([cell] if j else [row] if k else []) + [piece]
    return parts


def inner(piece: Piece) -> Sequence[Piece]:
    """Return the pieces directly inside a piece, in reading order (a degree before its radicand); empty for a leaf.

    For a call they are exponent, subscript and operands; an argument that is the subscript is listed once. An empty
    Joined counts as a leaf.
    """
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
        case Matrix(rows):
            return [cell for row in rows for cell in row]
    return ()


def leaves_of(piece: Piece) -> Iterator[Piece]:
    """Yield the names, numbers, signs, texts and empty rows (Joined) inside `piece`, from left to right; `piece` itself
    if it is one of these.
    """
    stack = [piece]
    while stack:
        item = stack.pop()
        parts = inner(item)
        if parts:
            stack.extend(reversed(parts))
        else:
            yield item


def first_of(piece: Piece) -> Piece:
    """Return the piece that a formula begins with: the first one of a row, the base of a power, and so on inside these.

    Only rows (Joined) and powers are opened, so that a fraction, call or fence is returned as it is; an empty Joined,
    too.
    """
    while True:
        if isinstance(piece, Joined) and piece.parts:
            piece = piece.parts[0]
        elif isinstance(piece, Power):
            piece = piece.base
        else:
            return piece


def last_of(piece: Piece) -> Piece:
    """Return the last piece of a row, recursively: the rightmost one that is not a Joined."""
    while isinstance(piece, Joined) and piece.parts:
        piece = piece.parts[-1]
    return piece
