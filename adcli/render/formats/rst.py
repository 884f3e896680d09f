"""reStructuredText (rst), for Sphinx and docutils: list tables, and mathematics as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...errors import visible, width
from ...notation.display_formula import Formula
from ...notation.formula_pieces import CLOSING, OPENING, Application, NamePiece, Parts, Sign
from ...notation.latex_printer import TextLatex, latex_name
from ...notation.typeset_names import name_parts
from ...typings import override
from ..document_format import Format, escapes
from ..document_parts import Strong, Table

_SHOWN = {"…": "\\ldots ", "%": " \\% "}
_LINES = "=-~"  # under headings of levels 1, 2, 3
_JOINT = "\x00"  # marks where markup begins or ends, which needs a separator; no text contains it
_NO_JOINT = re.compile(f"(?:(?<=\\s)|^){_JOINT}+|{_JOINT}+(?=\\s|$)")


class _RstMathematics(TextLatex):
    """A LaTeX printer for docutils, which knows fewer commands, sets no space after a function and puts indices
    below accents."""

    @override
    def name(self, piece: NamePiece) -> Parts:
        """Return the name as LaTeX; accents are on the stem alone, which is in braces before the subscript and primes.

        A tuple of one text without accents, of two texts with them.
        """
        stem, plain = name_parts(piece.text)[0], latex_name(piece.text)
        if not piece.accents:
            return (plain,)
        return f"{{{latex_name(stem, *piece.accents)}{{}}}}", plain.removeprefix(latex_name(stem))

    @override
    def sign(self, piece: Sign) -> tuple[str]:
        if piece.text in _SHOWN:
            return (_SHOWN[piece.text],)
        if piece.kind in (OPENING, CLOSING):  # of any size
            return (piece.text,)
        return super().sign(piece)

    @override
    def call(self, piece: Application) -> Parts:
        return [r"\," if part == " " else part for part in super().call(piece)]


_PRINTER = _RstMathematics()


class Rst(Format):
    """reStructuredText as docutils reads it."""

    name = "rst"
    suffixes = (".rst",)
    between_items = "\n"
    line_break = "\n\n"
    around_formula = (f"{_JOINT}:math:`", f"`{_JOINT}")
    printer = _PRINTER
    special = escapes("\\`*|_:<>@")

    @override
    def strong(self, text: Strong) -> str:
        inner = self.escaped(text).strip()
        return f"{_JOINT}**{inner}**{_JOINT}" if inner else ""

    @override
    def code(self, text: str) -> str:
        """Return the text as an inline literal, with the blanks around it outside of it.

        The literal is between two marks `_JOINT`, which become separators later (`_escape_start`). Characters that
        cannot be displayed are replaced (`visible`). A text that is blank or contains a backquote, which a literal
        cannot have, becomes escaped text.
        """
        shown = visible(text)
        inner = shown.strip()
        if not inner or "`" in inner:
            return self.escaped(text)
        return shown.replace(inner, f"{_JOINT}``{inner}``{_JOINT}", 1)

    @override
    def inline(self, text: str) -> str:
        return _escape_start(super().inline(text))

    @override
    def heading(self, text: str, level: int) -> str:
        return f"{text}\n{_LINES[level - 1] * max(len(text), width(text))}\n" if text else ""

    @override
    def formulas(self, lines: Sequence[Formula]) -> str:
        return "".join(f".. math:: {_PRINTER.printed(line.piece).strip()}\n" for line in lines)

    @override
    def table(self, table: Table) -> str:
        """Return a list table, whose cells may have any length and content; "" without columns.

        All columns are in one list. It has the title, if there is one, and the header as header row; without other rows
        the header is an ordinary row. Short rows are filled with empty cells. Rules and alignment are not shown.
        """
        columns = table.columns
        if not columns:
            return ""
        rows = [self.cells(row, columns) for row in ([table.header, *table.rows] if table.header else table.rows)]
        out = f".. list-table:: {self.inline(table.title)}".rstrip() + "\n   :widths: auto\n"
        out += "   :header-rows: 1\n\n" if table.header and table.rows else "\n"
        for row in rows:
            for k, cell in enumerate(row):
                out += f"{'     ' if k else '   * '}- {cell}".rstrip() + "\n"
        return out


def _escape_start(text: str) -> str:
    """Return the text on one line, blanks joined to one, whose start is not taken for a list, a title or other markup.

    Marks of `_JOINT` first become separators where markup needs them. Then the first that applies:

    - A text that is empty or starts with mathematics, bold or a literal is unchanged.
    - A first word of letters, digits and underscores before a dot or closing bracket, `1.`, `a)` or `Hello.`, gets a
      backslash before that sign.
    - A text without letters and digits begins with an escaped blank.
    - A text that starts with neither letter, digit nor backslash gets a backslash before it.
    """
    text = _NO_JOINT.sub("", " ".join(text.split())).replace(_JOINT, "\\ ")
    if not text or text.startswith((":math:`", "**", "``")):
        return text
    head = text.partition(" ")[0]
    if head[-1:] in ".)" and head[:-1].replace("_", "a").isalnum():  # the start of a numbered list
        return f"{head[:-1]}\\{text[len(head) - 1 :]}"
    if not any(map(str.isalnum, text)):
        return f"\\ {text}"  # no line under a title
    return text if text[0].isalnum() or text[0] == "\\" else f"\\{text}"


FORMAT = Rst()
