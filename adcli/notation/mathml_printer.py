"""Printer of formulas in MathML, which browsers draw and screen readers speak: each kind of piece becomes texts and
inner pieces in the order in which they are written.
"""

from __future__ import annotations

from html import escape

from ..typings import override
from . import formula_pieces as fp
from .typeset_names import GREEK, LOGIC_SIGNS, greek_letter, name_parts

_SIGNS = {"·": "⋅", **LOGIC_SIGNS}
_ACCENTS = {"dot": "˙", "bar": "¯"}
_THIN = '<mspace width="0.17em"/>'


class MathML(fp.Printer):
    """A printer of formulas in MathML, without the surrounding element `math`."""

    def name(self, piece: fp.NamePiece) -> fp.Parts:
        """Return the name as MathML, a tuple of one text: Greek names as letters, BOLD as a bold character of Unicode.

        Accents stand above the stem (mover). Subscript and primes are added by msub, msup or msubsup; a subscript of
        digits is a number (mn), any other text (mtext).
        """
        stem, subscript, primes = name_parts(piece.text)
        stem = greek_letter(stem) if stem in GREEK else stem
        letter = f"<mi>{escape(_bold(stem) if fp.BOLD in piece.accents else stem)}</mi>"
        for accent in [accent for accent in piece.accents if accent != fp.BOLD]:
            # without accent="true", under which browsers set some fonts' dots and bars into the letter
            letter = f'<mover>{letter}<mo stretchy="false">{_ACCENTS[accent]}</mo></mover>'
        kind = "mn" if subscript.isdecimal() else "mtext"
        below = f"<{kind}>{escape(subscript)}</{kind}>"
        above = f"<mo>{'′' * len(primes)}</mo>"
        if subscript and primes:
            return (f"<msubsup>{letter}{below}{above}</msubsup>",)
        if subscript:
            return (f"<msub>{letter}{below}</msub>",)
        return (f"<msup>{letter}{above}</msup>" if primes else letter,)

    @override
    def number(self, piece: fp.NumberPiece) -> fp.Parts:
        """Return the digits of a number in `mn`, as a tuple of one text.

        `1.5e-7` becomes 1.5 ⋅ 10^−7 in an mrow; a mantissa of 1 is left out, with its dot.
        """
        mantissa, power = fp.scientific_parts(piece.text)
        if power is None:
            return (f"<mn>{escape(mantissa)}</mn>",)
        sign = "<mo>−</mo>" if power < 0 else ""
        factor = f"<mn>{mantissa}</mn><mo>⋅</mo>" if mantissa else ""
        return (f"<mrow>{factor}<msup><mn>10</mn><mrow>{sign}<mn>{abs(power)}</mn></mrow></msup></mrow>",)

    def sign(self, piece: fp.Sign) -> fp.Parts:
        """Return the `mo` element of a sign, as a tuple of one text.

        The empty sign of a product becomes invisible times and a thin space. `/` and the d of a differential have no
        space around them; words between operands, such as `mod`, have wide space; prefix and postfix signs (BEFORE,
        AFTER) say so in `form`. Others have the browser's spacing.
        """
        shown = escape(_SIGNS.get(piece.text, piece.text))
        if not shown:
            return (f"<mo>&#x2062;</mo>{_THIN}",)
        if piece.text in ("/", "d"):
            return (f'<mo lspace="0" rspace="0">{shown}</mo>',)
        if piece.kind == fp.BETWEEN and shown.isalpha():
            return (f'<mo lspace="0.3em" rspace="0.3em">{shown}</mo>',)
        forms = {fp.BEFORE: ' form="prefix"', fp.AFTER: ' form="postfix"'}
        return (f"<mo{forms.get(piece.kind, '')}>{shown}</mo>",)

    def text(self, piece: fp.Text) -> fp.Parts:
        """Return the text; blanks at its ends, which browsers leave out, become no-break spaces."""
        shown = piece.text if piece.text.strip(" ") == piece.text else piece.text.replace(" ", "\u00a0")
        return (f"<mtext>{escape(shown)}</mtext>",)

    def call(self, piece: fp.Application) -> fp.Parts:
        """Return the parts of a call: the function's symbol (`mi`, a Greek name as letter) with subscript and exponent,
        the invisible function application, and the operands.

        Operands are the arguments without the one that is the subscript. They are in round brackets with commas between
        them, or after a thin space if the call is `bare`. With both scripts, `msup` is around `msub`.
        """
        symbol = greek_letter(piece.symbol) if piece.symbol in GREEK else piece.symbol
        name: list[str | fp.Piece] = [f"<mi>{escape(symbol)}</mi>"]
        if piece.subscript is not None:
            name = ["<msub>", *name, *_as_one_element(piece.subscript), "</msub>"]
        if piece.raised is not None:
            name = ["<msup>", *name, *_as_one_element(piece.raised), "</msup>"]
        applied = "<mo>&#x2061;</mo>"
        if piece.bare:
            return [*name, applied, _THIN, *piece.operands]
        operands = fp.Joined(tuple(fp.separate_by_commas(piece.operands)))
        return [*name, applied, *self.fence(fp.Fence("(", operands, ")", piece.tall))]

    def power(self, piece: fp.Power) -> fp.Parts:
        """Return the base with its exponent; above the subscript if the base is a name that has one."""
        name = self.name(piece.base)[0] if isinstance(piece.base, fp.NamePiece) else ""
        if isinstance(name, str) and name.startswith("<msub>"):
            below = name.removeprefix("<msub>").removesuffix("</msub>")
            return ["<msubsup>", below, *_as_one_element(piece.exponent), "</msubsup>"]
        return ["<msup>", *_as_one_element(piece.base), *_as_one_element(piece.exponent), "</msup>"]

    def fraction(self, piece: fp.Fraction) -> fp.Parts:
        return ["<mfrac>", *_as_one_element(piece.above), *_as_one_element(piece.below), "</mfrac>"]

    def root(self, piece: fp.Root) -> fp.Parts:
        if piece.degree is None:
            return "<msqrt>", piece.inside, "</msqrt>"
        return ["<mroot>", *_as_one_element(piece.inside), *_as_one_element(piece.degree), "</mroot>"]

    def fence(self, piece: fp.Fence) -> fp.Parts:
        """Return the piece between two `mo` brackets in an `mrow`; the brackets stretch only if it is `tall`."""
        stretchy = "" if piece.tall else ' stretchy="false"'
        opening = f'<mrow><mo form="prefix"{stretchy}>{escape(piece.opening)}</mo>'
        return opening, piece.inside, f'<mo form="postfix"{stretchy}>{escape(piece.closing)}</mo></mrow>'

    def matrix(self, piece: fp.Matrix) -> fp.Parts:
        cells = fp.between(piece.rows, "</mtd><mtd>", "</mtd></mtr><mtr><mtd>")
        align = ' columnalign="left"' * piece.cases
        table = [f"<mtable{align}><mtr><mtd>", *cells, "</mtd></mtr></mtable>"]
        if piece.cases:
            return ['<mrow><mo form="prefix">{</mo>', *table, "</mrow>"]
        return ['<mrow><mo form="prefix">(</mo>', *table, '<mo form="postfix">)</mo></mrow>']


MATHML = MathML()


def _as_one_element(piece: fp.Piece) -> fp.Parts:
    """Return the piece alone if it is a name, number or text, else inside `mrow`, so that it is a single element."""
    return (piece,) if isinstance(piece, fp.NamePiece | fp.NumberPiece | fp.Text) else ("<mrow>", piece, "</mrow>")


def _bold(stem: str) -> str:
    """Return a name with its ASCII letters as bold letters of Unicode; browsers do not draw mathvariant="bold"."""
    bold = {c: chr(ord(c) + (0x1D3BF if c.isupper() else 0x1D3B9)) for c in stem if c.isascii() and c.isalpha()}
    return "".join(bold.get(c, c) for c in stem)
