"""Formulas in MathML, which browsers draw and screen readers speak."""

from __future__ import annotations

import html

from ..overriding import override
from .formula_pieces import (
    AFTER,
    BEFORE,
    BETWEEN,
    Application,
    Fence,
    Fraction,
    Joined,
    NamePiece,
    NumberPiece,
    Parts,
    Piece,
    Power,
    Printer,
    Root,
    Sign,
    Text,
    listed,
)
from .typeset_names import GREEK, greek_letter, name_parts

_SIGNS = {"·": "⋅", "and": "∧", "or": "∨", "not": "¬"}
_ACCENTS = {"dot": "˙", "bar": "¯"}
_THIN = '<mspace width="0.17em"/>'


class MathML(Printer):
    """Formulas in MathML, for the inside of an element `math`."""

    @override
    def name(self, piece: NamePiece) -> Parts:
        stem, subscript, primes = name_parts(piece.text)
        stem = greek_letter(stem) if stem in GREEK else stem
        letter = f"<mi>{_escaped(stem)}</mi>"
        for accent in piece.accents:
            # without accent="true", under which browsers set some fonts' dots and bars into the letter
            letter = f'<mover>{letter}<mo stretchy="false">{_ACCENTS[accent]}</mo></mover>'
        kind = "mn" if subscript.isdecimal() else "mtext"
        below = f"<{kind}>{_escaped(subscript)}</{kind}>"
        above = f"<mo>{'′' * len(primes)}</mo>"
        if subscript and primes:
            return (f"<msubsup>{letter}{below}{above}</msubsup>",)
        if subscript:
            return (f"<msub>{letter}{below}</msub>",)
        return (f"<msup>{letter}{above}</msup>" if primes else letter,)

    @override
    def number(self, piece: NumberPiece) -> Parts:
        mantissa, e, power = piece.text.lower().partition("e")
        if not e:
            return (f"<mn>{_escaped(mantissa)}</mn>",)
        sign = "<mo>−</mo>" if power[0] in "-−" else ""
        factor = "" if mantissa == "1" else f"<mn>{mantissa}</mn><mo>⋅</mo>"
        return (
            f"<mrow>{factor}<msup><mn>10</mn>"
            f"<mrow>{sign}<mn>{power.lstrip('+-−').lstrip('0') or '0'}</mn></mrow></msup></mrow>",
        )

    @override
    def sign(self, piece: Sign) -> Parts:
        shown = _escaped(_SIGNS.get(piece.text, piece.text))
        if not shown:
            return (f"<mo>&#x2062;</mo>{_THIN}",)
        if piece.text == "/":
            return ('<mo lspace="0" rspace="0">/</mo>',)
        if piece.kind == BETWEEN and shown.isalpha():
            return (f'<mo lspace="0.3em" rspace="0.3em">{shown}</mo>',)
        forms = {BEFORE: ' form="prefix"', AFTER: ' form="postfix"'}
        return (f"<mo{forms.get(piece.kind, '')}>{shown}</mo>",)

    @override
    def text(self, piece: Text) -> Parts:
        return (f"<mtext>{_escaped(piece.text)}</mtext>",)

    @override
    def call(self, piece: Application) -> Parts:
        symbol = greek_letter(piece.symbol) if piece.symbol in GREEK else piece.symbol
        name: list[str | Piece] = [f"<mi>{_escaped(symbol)}</mi>"]
        if piece.subscript is not None:
            name = ["<msub>", *name, *_grouped(piece.subscript), "</msub>"]
        if piece.raised is not None:
            name = ["<msup>", *name, *_grouped(piece.raised), "</msup>"]
        applied = "<mo>&#x2061;</mo>"
        if piece.bare:
            return [*name, applied, _THIN, *piece.operands]
        return [*name, applied, *_fenced("(", Joined(tuple(listed(piece.operands))), ")", piece.tall)]

    @override
    def power(self, piece: Power) -> Parts:
        return ["<msup>", *_grouped(piece.base), *_grouped(piece.exponent), "</msup>"]

    @override
    def fraction(self, piece: Fraction) -> Parts:
        return ["<mfrac>", *_grouped(piece.above), *_grouped(piece.below), "</mfrac>"]

    @override
    def root(self, piece: Root) -> Parts:
        if piece.degree is None:
            return "<msqrt>", piece.inside, "</msqrt>"
        return ["<mroot>", *_grouped(piece.inside), *_grouped(piece.degree), "</mroot>"]

    @override
    def fence(self, piece: Fence) -> Parts:
        return _fenced(piece.opening, piece.inside, piece.closing, piece.tall)


MATHML = MathML()


def _grouped(piece: Piece) -> Parts:
    """A piece as one element."""
    return (piece,) if isinstance(piece, NamePiece | NumberPiece | Text) else ("<mrow>", piece, "</mrow>")


def _fenced(opening: str, inside: Piece, closing: str, tall: bool) -> Parts:
    stretchy = "" if tall else ' stretchy="false"'
    return [
        f'<mrow><mo form="prefix"{stretchy}>{_escaped(opening)}</mo>',
        inside,
        f'<mo form="postfix"{stretchy}>{_escaped(closing)}</mo></mrow>',
    ]


def _escaped(text: str) -> str:
    return html.escape(text)
