"""Printer of formulas on one line (linear): in the language itself, for people, or in ASCII."""

from __future__ import annotations

import unicodedata

from adcli.notation.formula_pieces import (
    AFTER,
    ALONE,
    BAR,
    BEFORE,
    LISTING,
    Application,
    Fence,
    Fraction,
    Matrix,
    NamePiece,
    NumberPiece,
    Parts,
    Piece,
    Power,
    Printer,
    Root,
    Sign,
    Text,
    between,
    inner,
    separate_by_commas,
)
from adcli.notation.typeset_names import name_parts
from adcli.typings import override

_ACCENTS = {"dot": "\u0307", "bar": "\u0304"}
_ASCII = {"−": "-", "×": "*", "·": "*", "≤": "<=", "≥": ">=", "≠": "!=", "…": "...", "∂": "d", "≈": "~", "→": "->",
          "∞": "inf", "mod": "%"}  # fmt: skip
_FENCES = {"⌊": "floor(", "⌋": ")", "⌈": "ceil(", "⌉": ")", "|": "|"}


class Linear(Printer):
    """A printer of formulas on one line, with brackets instead of fraction bars, roots and raised text.

    With `ascii_only` Greek letters and signs are spelled in ASCII. Whatever the language can express is written in its
    syntax.
    """

    def __init__(self, ascii_only: bool = False) -> None:
        self.ascii = ascii_only

    @override
    def name(self, piece: NamePiece) -> Parts:
        """Return the name with combining accents over its first letter.

        In ASCII Greek letters are spelled out, a dot becomes a leading `d` and a bar a trailing `bar`.
        """
        if not self.ascii:
            accents = "".join(_ACCENTS[accent] for accent in piece.accents)
            return (unicodedata.normalize("NFC", piece.text[:1] + accents + piece.text[1:]),)
        plain = "".join(name_parts(c)[0] if not c.isascii() else c for c in piece.text)
        plain = plain.encode("ascii", "replace").decode("ascii")
        for accent in piece.accents:
            plain = plain + "bar" if accent == BAR else "d" + plain
        return (plain,)

    @override
    def number(self, piece: NumberPiece) -> Parts:
        return (piece.text,)

    @override
    def sign(self, piece: Sign) -> Parts:
        """Return the sign with the spaces of its kind: after a comma, none around prefix and postfix signs (one
        after a word such as `not`), else on both sides.  An empty product sign becomes `·`, in ASCII `*`."""
        shown = piece.text or "*"
        shown = _ASCII.get(shown, shown) if self.ascii else "·" if not piece.text else shown
        if piece.kind == LISTING:
            return (f"{shown} ",)
        if piece.kind in (BEFORE, AFTER, ALONE):
            return (f"{shown} " if shown.isalpha() and piece.kind == BEFORE else shown,)
        return (f" {shown} ",)

    @override
    def text(self, piece: Text) -> Parts:
        return (piece.text,)

    @override
    def call(self, piece: Application) -> Parts:
        raised: Parts = () if piece.raised is None else ("^", *_bracket_if_needed(piece.raised))
        return [piece.function, *raised, "(", *separate_by_commas(piece.arguments), ")"]

    @override
    def power(self, piece: Power) -> Parts:
        return [*_bracket_if_needed(piece.base), "^", *_bracket_if_needed(piece.exponent)]

    @override
    def fraction(self, piece: Fraction) -> Parts:
        return ["(", *_bracket_if_needed(piece.above), "/", *_bracket_if_needed(piece.below), ")"]

    @override
    def root(self, piece: Root) -> Parts:
        if piece.degree is None:
            return "sqrt(", piece.inside, ")"
        return "root(", piece.inside, ", ", piece.degree, ")"

    @override
    def matrix(self, piece: Matrix) -> Parts:
        if piece.cases:
            *rows, (last, _) = piece.rows
            held = [part for value, condition in rows for part in ("if(", inner(condition)[1], ", ", value, ", ")]
            return [*held, last, ")" * len(rows)]
        return ["[", *between(piece.rows, ", ", "; "), "]"]

    @override
    def fence(self, piece: Fence) -> Parts:
        return _FENCES.get(piece.opening, piece.opening), piece.inside, _FENCES.get(piece.closing, piece.closing)


LINEAR = Linear()
ASCII = Linear(ascii_only=True)


def _bracket_if_needed(piece: Piece) -> Parts:
    """Return the piece alone if it is a name, number, bracket, call or root, else in brackets."""
    return (piece,) if isinstance(piece, NamePiece | NumberPiece | Fence | Application | Root) else ("(", piece, ")")
