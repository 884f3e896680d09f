"""Typst: tables between rules, and mathematics in its own notation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ...errors import visible
from ...notation import formula_pieces as fp
from ...notation.display_formula import Formula
from ...notation.latex_printer import COMMANDS, has_long_stem
from ...notation.typeset_names import GREEK, name_parts
from ...typings import override
from ..document_format import Format
from ..document_parts import Table

_SIGNS = re.compile(r"""([\\#*_`$<>@=~\[\]"'/+-]|\.(?=\.)|(?<=\.)\.|^\d+(?=\.))""")


def _cells(cells: Iterable[str]) -> str:
    """Return the cells, already Typst, as arguments of a table: `[a], [b]`."""
    return ", ".join(f"[{cell}]" for cell in cells)


def _escape_sign(match: re.Match[str]) -> str:
    """Return the special character that `_SIGNS` matched with a backslash before it; of digits before a dot at the
    start, which would begin a list, the backslash is after them.
    """
    return f"{match[1]}\\" if match[1].isdecimal() else f"\\{match[1]}"


def _quote(text: str) -> str:
    """Return the text as a string of Typst, in quotation marks."""
    return '"' + visible(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


# --- formulas ---------------------------------------------------------------------------------------------------------

_SHOWN = {
    "−": "-", "×": "times", "·": "dot.op", "≤": "<=", "≥": ">=", "≠": "!=", "→": "->", "…": "dots", "∂": "partial",
    "≈": "approx", "∞": "infinity", "±": "plus.minus", "%": "mod", ",": "comma", ";": "semi",
    "⊙": "dot.o", "⊘": "slash.o", "⊤": "top", "∘": "compose",
}  # fmt: skip
_KNOWN = frozenset("+ = < > ! and or not mod d ( ) [ ]".split())  # noqa: SIM905
_SIGNED = ("−", "+")
_ACCENTS = {"dot": "dot", "bar": "macron", "mathbf": "bold"}
_FENCES = {"|": "abs(", "⌊": "floor(", "⌈": "ceil(", "‖": "norm("}


class TypstMathematics(fp.Printer):
    """A printer of formulas in Typst's math mode, with blanks between pieces."""

    power_of_ten = ("10^(", ")", " dot.op ")

    def name(self, piece: fp.NamePiece) -> fp.Parts:
        """Return the name with accents, primes and subscript.

        Stems other than one ASCII letter or a Greek name are quoted, as are subscripts that are not numbers.
        """
        stem, subscript, primes = name_parts(piece.text)
        if stem not in GREEK and (len(stem) > 1 or not stem.isascii() or not stem.isalpha()):
            stem = _quote(stem)
        for accent in piece.accents:
            stem = f"{_ACCENTS[accent]}({stem})"
        lowered = subscript if subscript.isdecimal() else _quote(subscript)
        return (stem + primes + (f"_{lowered}" if subscript else ""),)

    def sign(self, piece: fp.Sign) -> fp.Parts:
        return (_SHOWN.get(piece.text) or (piece.text if piece.text in _KNOWN else _quote(piece.text)),)

    def text(self, piece: fp.Text) -> fp.Parts:
        return (_quote(piece.text),)

    def call(self, piece: fp.Application) -> fp.Parts:
        """Return a function with its subscript, exponent and operands (the arguments but the subscript) in brackets; a
        `bare` call has a blank instead of brackets.

        Names that Typst knows (COMMANDS, Greek letters) are written as they are, others as op("…").
        """
        known = piece.symbol in COMMANDS or piece.symbol in GREEK
        name: list[str | fp.Piece] = [piece.symbol if known else f"op({_quote(piece.symbol)})"]
        for sign, script in (("_(", piece.subscript), ("^(", piece.raised)):
            name += [sign, script, ")"] if script is not None else []
        if piece.bare:
            return [*name, " ", *piece.operands]
        return [*name, " (", fp.Joined(tuple(fp.separate_by_commas(piece.operands))), ")"]

    def power(self, piece: fp.Power) -> fp.Parts:
        return piece.base, "^(", piece.exponent, ")"

    def fraction(self, piece: fp.Fraction) -> fp.Parts:
        return "frac(", piece.above, ", ", piece.below, ")"

    def root(self, piece: fp.Root) -> fp.Parts:
        if piece.degree is None:
            return "sqrt(", piece.inside, ")"
        return "root(", piece.degree, ", ", piece.inside, ")"

    def fence(self, piece: fp.Fence) -> fp.Parts:
        call = _FENCES.get(piece.opening)
        return (call, piece.inside, ")") if call else (piece.opening, piece.inside, piece.closing)

    def matrix(self, piece: fp.Matrix) -> fp.Parts:
        if piece.cases:
            return ["cases(", *fp.between(piece.rows, " quad ", ", "), ")"]
        return ["mat(", *fp.between(piece.rows, ", ", "; "), ")"]

    @override
    def join(self, piece: fp.Joined) -> fp.Parts:
        """Return the pieces separated by blanks, without a blank after a leading + or −.

        An invisible product sign becomes a thin space if a factor next to it is a long name, else nothing.
        """
        parts: list[str | fp.Piece] = []
        blank = ""
        for place, part in enumerate(piece.parts):
            if isinstance(part, fp.Sign) and not part.text:  # factors side by side
                sides = [fp.last_of(left) for left in piece.parts[max(place - 1, 0) : place]]
                sides += [fp.first_of(right) for right in piece.parts[place + 1 : place + 2]]
                parts += [" thin"] if any(map(has_long_stem, sides)) else []
                continue
            parts += [blank, part]
            blank = "" if isinstance(part, fp.Sign) and part.kind == fp.BEFORE and part.text in _SIGNED else " "
        return parts


MATHEMATICS = TypstMathematics()


# --- the format ------------------------------------------------------------------------------------------------------


class Typst(Format):
    """Typst as its compiler reads it."""

    name = "typst"
    suffixes = (".typ",)
    line_break = " \\\n"
    around_strong = ("#strong[", "];")
    around_marked = ("#underline[", "];")
    around_formula = ("$", "$")
    bar_form = "#rect(width: %.2fem, height: 0.8em, fill: gray);"
    hashes = "="
    printer = MATHEMATICS

    @override
    def escaped(self, text: str) -> str:
        return _SIGNS.sub(_escape_sign, visible(text))

    @override
    def code(self, text: str) -> str:
        return f"#raw({_quote(text)});"

    @override
    def formulas(self, lines: Sequence[Formula]) -> str:
        return "".join(f"$ {MATHEMATICS.printed(line.piece).strip()} $\n" for line in lines)

    @override
    def table(self, table: Table) -> str:
        """Return a table with its title above it and rules above, below the header and at the end; "" without columns.

        Thin rules are before the rows in `table.rules`. Short rows are filled with empty cells. All columns are in one
        table, however many there are.
        """
        count = table.columns
        if not count:
            return ""
        sides = ", ".join("right" if k in table.right else "left" for k in range(count))
        out = f"{self.inline(table.title)}\n\n" if table.title else ""
        out += f"#table(\n  columns: {count}, align: ({sides},), stroke: none,\n  table.hline(),\n"
        if table.header:
            out += f"  table.header({_cells(self.cells(table.header, 0))}),\n  table.hline(),\n"
        for place, row in enumerate(table.rows):
            if place in table.rules:
                out += "  table.hline(stroke: 0.5pt),\n"
            out += f"  {_cells(self.cells(row, count))},\n"
        return f"{out}  table.hline(),\n)\n"


FORMAT = Typst()
