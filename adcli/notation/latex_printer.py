"""Printer of formulas in LaTeX: each kind of piece becomes texts and inner pieces in the order in which they are
written.
"""

from __future__ import annotations

from ..graph.graph import Graph
from ..typings import override
from . import formula_pieces as fp
from .mathematics import program_piece
from .typeset_names import GREEK, LOGIC_SIGNS, name_parts

SIGNS = {
    "−": "-", "×": r"\times", "·": r"\cdot", "≤": r"\le", "≥": r"\ge", "≠": r"\ne", "→": r"\to", "…": r"\dots",
    "∂": r"\partial", "≈": r"\approx", "∧": r"\land", "∨": r"\lor", "¬": r"\lnot", "mod": r"\bmod", "∞": r"\infty",
    "%": r"\mathbin{\%}", "√": r"\surd", "±": r"\pm",
    "⊙": r"\odot", "⊘": r"\oslash", "⊤": r"\top", "∘": r"\circ",
}  # fmt: skip
_FENCES = {"⌊": r"\lfloor ", "⌋": r" \rfloor", "⌈": r"\lceil ", "⌉": r" \rceil", "{": r"\{", "}": r"\}", "‖": r"\|"}
# Special characters in texts.
SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip
_UPRIGHT = SPECIAL | {"−": r"\ensuremath{-}"}
# Functions that have their own command in LaTeX.
_COMMANDS = "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth exp log max min"
COMMANDS = frozenset(_COMMANDS.split())


class Latex(fp.Printer):
    """A printer of formulas in LaTeX math mode."""

    power_of_ten = ("10^{", "}", " \\cdot ")

    def name(self, piece: fp.NamePiece) -> fp.Parts:
        """Return the name in LaTeX, as a tuple of one, with its accents over the stem, its subscript and its primes."""
        return (latex_name(piece.text, *piece.accents),)

    def sign(self, piece: fp.Sign) -> tuple[str]:
        r"""Return the LaTeX command of the sign, as a tuple of one, with the spaces that its kind has in the source.

        OPENING and CLOSING, the brackets of broken sums, get \Bigl and \Bigr. LISTING: a space after the sign; a
        semicolon is ` ;\; `. BEFORE and ALONE have a space after a command only, AFTER and an empty sign none, all
        others one on both sides. Signs of logic are replaced first (`LOGIC_SIGNS`).
        """
        sign = LOGIC_SIGNS.get(piece.text, piece.text)
        shown = SIGNS.get(sign, sign)
        if piece.kind in (fp.OPENING, fp.CLOSING):
            return (f"\\Big{'l' if piece.kind == fp.OPENING else 'r'}{shown}",)
        if piece.kind == fp.LISTING:
            return (" ;\\; " if shown == ";" else f"{shown} ",)
        if piece.kind in (fp.BEFORE, fp.ALONE):
            return (f"{shown} " if shown.startswith("\\") else shown,)
        return (f" {shown} " if shown and piece.kind != fp.AFTER else shown,)

    def text(self, piece: fp.Text) -> fp.Parts:
        return (f"\\textnormal{{{upright(piece.text)}}}",)

    def call(self, piece: fp.Application) -> fp.Parts:
        r"""Return the parts of a function: its name with subscript and exponent, and its arguments.

        Greek names and those in COMMANDS become commands, single letters stay, other names use \operatorname. Arguments
        are separated by commas in round brackets, which grow with them if `tall`; a `bare` call has a blank instead.
        """
        if piece.symbol in GREEK or piece.symbol in COMMANDS:
            name = f"\\{piece.symbol}"
        elif len(piece.symbol) == 1:
            name = piece.symbol
        else:
            name = f"\\operatorname{{{upright(piece.symbol)}}}"
        parts: list[str | fp.Piece] = [name]
        if piece.subscript is not None:
            parts += _write_script("_", piece.subscript)
        if piece.raised is not None:
            parts += _write_script("^", piece.raised)
        if piece.bare:
            return [*parts, " ", *piece.operands]
        operands = fp.Joined(tuple(fp.separate_by_commas(piece.operands)))
        return [*parts, *self.fence(fp.Fence("(", operands, ")", piece.tall))]

    def power(self, piece: fp.Power) -> fp.Parts:
        base = self.sign(piece.base)[0].rstrip() if isinstance(piece.base, fp.Sign) else piece.base
        return [base, *_write_script("^", piece.exponent)]

    def fraction(self, piece: fp.Fraction) -> fp.Parts:
        return "\\frac{", piece.above, "}{", piece.below, "}"

    def root(self, piece: fp.Root) -> fp.Parts:
        degree: fp.Parts = () if piece.degree is None else ("[", piece.degree, "]")
        return ["\\sqrt", *degree, "{", piece.inside, "}"]

    def fence(self, piece: fp.Fence) -> fp.Parts:
        r"""Return the parts of a piece in brackets: the opening one, the piece, the closing one.

        If it is `tall` the brackets grow with the piece (\left, \right); otherwise `|` becomes \lvert and \rvert.
        """
        left, right = _FENCES.get(piece.opening, piece.opening), _FENCES.get(piece.closing, piece.closing)
        if piece.tall:
            return f"\\left{left}", piece.inside, f"\\right{right.lstrip()}"
        if piece.opening == "|":
            left, right = "\\lvert ", " \\rvert"
        return left, piece.inside, right

    def matrix(self, piece: fp.Matrix) -> fp.Parts:
        kind = "cases" if piece.cases else "pmatrix"
        return [f"\\begin{{{kind}}}", *fp.between(piece.rows, " & ", r" \\ "), f"\\end{{{kind}}}"]

    @override
    def join(self, piece: fp.Joined) -> fp.Parts:
        r"""Return the parts of a row side by side; the empty sign of a product between two pieces becomes the space
        that these need (`_factor_space`).

        That is `\,` if one of them is a name of several letters or the second a differential; nothing after a number or
        before a function, fraction, root or bracket; else a blank. An empty sign at an end of the row stays.
        """
        parts: list[str | fp.Piece] = []
        for place, part in enumerate(piece.parts):
            if isinstance(part, fp.Sign) and not part.text and 0 < place < len(piece.parts) - 1:
                parts.append(_factor_space(piece.parts[place - 1], piece.parts[place + 1]))
            else:
                parts.append(part)
        return parts


LATEX = Latex()


class TextLatex(Latex):
    r"""A printer of LaTeX for readers that know \text, but not \textnormal."""

    @override
    def printed(self, piece: fp.Piece) -> str:
        return with_text_command(super().printed(piece))


def _write_script(sign: str, piece: fp.Piece) -> fp.Parts:
    """Return an exponent (`sign` is `^`) or an index (`_`), in braces unless it is a single digit or ASCII letter."""
    match piece:
        case fp.NumberPiece(text) | fp.NamePiece(text, ()) if len(text) == 1 and text.isascii():
            return (sign + text,)
    return f"{sign}{{", piece, "}"


def _factor_space(left: fp.Piece, right: fp.Piece) -> str:
    r"""Return the space between two factors: `\,` next to long names and before differentials, nothing after a
    number or before a function, fraction, root or bracket, else a blank."""
    if has_long_stem(fp.last_of(left)) or has_long_stem(fp.first_of(right)) or _is_differential(right):
        return "\\,"
    tight = isinstance(right, fp.Application | fp.Fraction | fp.Root | fp.Fence) or isinstance(left, fp.NumberPiece)
    return "" if tight else " "


def _is_differential(piece: fp.Piece) -> bool:
    return isinstance(piece, fp.Joined) and piece.parts[:1] == (fp.Sign("d", fp.ALONE),)


def has_long_stem(piece: fp.Piece) -> bool:
    """Return whether the piece is a name whose stem has several letters (not a Greek letter), or a power of one."""
    base = piece.base if isinstance(piece, fp.Power) else piece
    stem = name_parts(base.text)[0] if isinstance(base, fp.NamePiece) else ""
    return len(stem) > 1 and stem not in GREEK


def upright(text: str) -> str:
    """Return the text with LaTeX's special characters escaped, so that it holds no command."""
    return "".join(_UPRIGHT.get(c, c) for c in text)


def with_text_command(latex: str) -> str:
    r"""Return the LaTeX with the command \text instead of \textnormal, which docutils and MathJax do not know."""
    return latex.replace("\\textnormal", "\\text")


def latex_name(name: str, *accents: str) -> str:
    r"""Return a name in LaTeX with its subscript and primes: Greek names as commands, stems of several letters upright.

    It is split by `name_parts`: the subscript is what follows the first underscore, or else trailing digits, and then
    the index in square brackets. Stems and subscripts that are not ASCII are \textnormal; other subscripts stay as they
    are, in braces if longer than a character, with further underscores escaped. `accents` are accent commands over the
    stem, the innermost first: `dot` gives `\dot v_1`.
    """
    stem, subscript, primes = name_parts(name)
    if stem in GREEK:
        stem = f"\\{stem}"
    elif not stem.isascii():
        stem = f"\\textnormal{{{stem}}}"
    elif len(stem) > 1:
        stem = f"\\mathrm{{{stem}}}"
    for accent in accents:
        stem = f"\\{accent} {stem}" if len(stem) == 1 else f"\\{accent}{{{stem}}}"
    subscript = subscript.replace("_", "\\_")
    if not subscript.isascii():
        subscript = f"\\textnormal{{{subscript}}}"
    lowered = f"_{subscript}" if len(subscript) == 1 else f"_{{{subscript}}}" if subscript else ""
    return stem + lowered + primes


def expression_latex(graph: Graph) -> str:
    """Return the program in LaTeX: an equation for each step that has a name or is used more than once, then the
    outputs that the user has not named, separated by `;`.
    """
    return LATEX.printed(program_piece(graph))
