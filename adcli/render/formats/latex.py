"""LaTeX: booktabs tables to paste into a document, or a document that compiles alone."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from ...errors import visible, width
from ...notation.display_formula import Formula
from ...notation.formula_pieces import Joined, Parts, Piece, Sign
from ...notation.latex_printer import LATEX as MATHEMATICS
from ...notation.latex_printer import Latex
from ...notation.line_breaking import breadth, lines, sides
from ...notation.typeset_names import name_parts
from ...overriding import override
from ..document_format import Document, Format
from ..document_parts import (
    Bar,
    Formulas,
    Items,
    Judgement,
    LatexLines,
    Marked,
    Part,
    Strong,
    Table,
    column_widths,
    columns_apart,
)

PACKAGES = "amsmath,array,booktabs,longtable"

_WIDEST = 104  # digits that stand side by side on a page
_BETWEEN = 3  # digits between two columns
_NARROWEST = 14  # the same that a column of words must have, and a long formula; else the table is taken apart
_LONG_FORMULA = 40
_LONGEST = 40  # a table of more rows is broken over pages
_DISPLAY = 64  # signs of a sum on a line of a display
_UNBROKEN = 60  # a longer text without blanks may be broken at its signs

_TEXT = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\char34{}", "`": r"\textasciigrave{}",
    "\ufffd": "?", "−": "$-$", "×": r"$\times$", "·": r"$\cdot$", "÷": r"$\div$", "√": r"$\surd$", "∂": r"$\partial$",
    "→": r"$\to$", "≤": r"$\le$", "≥": r"$\ge$", "≠": r"$\ne$", "…": r"\dots{}", "²": "$^2$", "³": "$^3$",
    "≈": r"$\approx$",
}  # fmt: skip
_ACCENTS = {"\u0307": r"\dot", "\u0304": r"\bar"}
_LIGATURE = re.compile(r"([-,'])(?=\1)")
_EQUALS, _NO_BREAK = re.compile(r"\A= "), r"= \\nobreak "
_APART = "\\lineskiplimit=3pt\\lineskip=4pt\n"  # lines with fractions in them do not touch
_DIGIT = re.compile(r"\d")
_BREAKABLE = re.compile(r"([-+*/=;,)])(?=[^\s])")


def escaped(text: str) -> str:
    """The text as text in LaTeX: no command, no mathematics, no ligature."""
    out: list[str] = []  # of a letter each
    for c in visible(text):
        letter, accent = _apart(c)
        if letter:
            out.append(_letter(letter))
        if accent:
            out[-1:] = [f"${accent}{{\\textnormal{{{''.join(out[-1:])}}}}}$"]
    return _LIGATURE.sub(r"\1{}", "".join(out))


def _apart(c: str) -> tuple[str, str]:
    """A letter and the command of the dot or bar over it, as tangents and adjoints have them; either may be empty."""
    if c.isascii():
        return c, ""
    parted = unicodedata.normalize("NFD", c)
    accent = _ACCENTS.get(parted[-1], "")
    return (parted[:-1], accent) if accent and len(parted) <= 2 else (c, "")


def _letter(c: str) -> str:
    if c in _TEXT:
        return _TEXT[c]
    spelled = name_parts(c)[0] if not c.isascii() else c
    return f"$\\{spelled}$" if spelled != c else c


# --- the format ------------------------------------------------------------------------------------------------------


_DISPLAYS = (Formulas, LatexLines)


class LaTeX(Format):
    """LaTeX, with tables and displays to be pasted into a document."""

    name = "latex"
    suffixes = (".tex",)
    displays = True

    @override
    def escaped(self, text: str) -> str:
        return escaped(text)

    @override
    def mathematics(self, piece: Piece) -> str:
        body = MATHEMATICS.printed(piece).strip()
        return f"${body}$" if body else ""

    @override
    def strong(self, text: Strong) -> str:
        return f"\\textbf{{{escaped(text)}}}"

    @override
    def code(self, text: str) -> str:
        return f"\\texttt{{{escaped(text)}}}"

    @override
    def marked(self, text: Marked) -> str:
        return f"\\underline{{{self.code(text)}}}"

    @override
    def verdict(self, text: Judgement) -> str:
        return escaped(text.words)

    @override
    def bar(self, text: Bar) -> str:
        return f"\\rule{{{float(8 * text.share):.2f}em}}{{1.4ex}}"

    @override
    def heading(self, text: str, level: int) -> str:
        if "$" not in text and any(len(word) > _UNBROKEN for word in text.split()):
            text = _BREAKABLE.sub(r"\1\\allowbreak{}", text)
        return f"\\{'sub' * (level - 1)}section*{{\\raggedright {text}}}\n"

    @override
    def paragraph(self, text: str) -> str:
        return f"\\noindent {text}\\par\n"

    @override
    def items(self, items: Items) -> str:
        kind = "itemize" if items.first is None else "enumerate"
        start = f"\\setcounter{{enumi}}{{{items.first - 1}}}\n" if items.first is not None else ""
        found = [[self.inline(text) for text in item if text] for item in items.items]
        lines = "".join("\\item{} " + "\\newline{}\n".join(item) + "\n" for item in found)
        return f"\\begin{{{kind}}}\n{start}{lines}\\end{{{kind}}}\n"

    @override
    def formulas(self, lines: Sequence[Formula]) -> str:
        """Displays, in which sums that are too long for a page are broken."""
        return "".join(_displayed(line.piece) for line in lines)

    @override
    def latex(self, text: str) -> str:
        return text

    @override
    def apart(self, before: Part, part: Part) -> bool:
        return not (isinstance(before, _DISPLAYS) and isinstance(part, _DISPLAYS))

    @override
    def opening(self, parts: Document) -> str:
        return f"% needs \\usepackage{{{PACKAGES}}}\n" if any(isinstance(part, Table) for part in parts) else ""

    @override
    def document(self, problems: Sequence[Document], title: str) -> str:
        """A whole document; letters that no font of pdflatex has are declared to be shown by their numbers."""
        return _whole("\n".join(self.body(parts) for parts in problems))

    @override
    def table(self, table: Table) -> str:
        """The table between booktabs rules, or several of fewer columns where it is too wide for a page.

        Columns of formulas alone are never taken apart, since each goes on where the one before it ends.
        """
        words = worded(table)
        if not table.right and not any(words[1:]):
            return self._drawn(table)
        widths = zip(column_widths(table), words, strict=True)
        least = [min(wide, _NARROWEST if is_words else _LONG_FORMULA) + _BETWEEN for wide, is_words in widths]
        return "\n".join(self._drawn(part) for part in columns_apart(table, least, _WIDEST))

    def _drawn(self, table: Table) -> str:
        widths = [wide + _BETWEEN for wide in column_widths(table)]
        limits = _limits(widths, worded(table))
        kinds = [
            f">{{\\raggedright\\arraybackslash}}p{{{(limit - _BETWEEN) / _WIDEST:.2f}\\linewidth}}" if wide > limit
            else "r" if k in table.right else "l"
            for k, (wide, limit) in enumerate(zip(widths, limits, strict=True))
        ]  # fmt: skip
        long = len(table.rows) > _LONGEST
        lines = [self._widest(table, [wide > limit for wide, limit in zip(widths, limits, strict=True)])] * long
        lines.append("\\toprule")
        if table.header:
            lines += [_row([self.inline(text) for text in table.header], len(widths)), "\\midrule"]
        if long:
            lines.append("\\endhead")
        for place, row in enumerate(table.rows):
            if place in table.rules:
                lines.append("\\midrule")
            cells = [self._cell(text, width(text) + _BETWEEN > limits[k]) for k, text in enumerate(row)]
            lines.append(_row(cells, len(widths)))
        lines.append("\\bottomrule")
        title = f"\\noindent {self.inline(table.title)}\\par\\nobreak\\medskip\n" if table.title else ""
        environment, start, side = ("longtable", "", "[l]") if long else ("tabular", "\\noindent", "")
        body = "".join(line + "\n" for line in lines)
        return (
            f"{title}{start}\\begin{{{environment}}}{side}{{@{{}}{''.join(kinds)}@{{}}}}\n"
            f"{body}\\end{{{environment}}}\\par\\bigskip\n"
        )

    def _cell(self, text: str, broken: bool) -> str:
        if not broken or not isinstance(text, Formula):
            return self.inline(text)
        shown = _BREAKING.printed(text.piece).strip().replace(", ", ",\\allowbreak ")
        return f"${_EQUALS.sub(_NO_BREAK, shown)}$"

    def _widest(self, table: Table, broken: Sequence[bool]) -> str:
        """A row that is not shown, with all that may be widest in each column that is not broken.

        It is what tells a table over several pages the widths of its columns the first time it is typeset.  All digits
        are equally wide, so one of several cells that differ in digits alone is enough.
        """
        cells = []
        for k, is_broken in enumerate(broken):
            rows = [] if is_broken else [table.header, *table.rows]
            column = [text for row in rows for text in row[k : k + 1] if text]
            most = max(map(_breadth, column), default=0)
            found = (self.inline(text) for text in column if 2 * _breadth(text) >= most)
            kept = {_DIGIT.sub("0", shown): shown for shown in found}.values()
            boxes = "".join(f"\\hbox{{{shown}}}" for shown in kept)
            cells.append(boxes and f"\\vbox{{{boxes}}}")
        return f"{' & '.join(cells)} \\kill"


def _breadth(text: str) -> int:
    return breadth(text.piece) if isinstance(text, Formula) else width(text)


class _Breaking(Latex):
    """LaTeX whose products may be broken between factors that have no sign between them."""

    @override
    def joined(self, piece: Joined) -> Parts:
        parts = super().joined(piece)
        without = [isinstance(part, Sign) and not part.text for part in piece.parts]
        return [
            f"{part}\\allowbreak " if is_product and isinstance(part, str) else part
            for part, is_product in zip(parts, without, strict=True)
        ]


_BREAKING = _Breaking()


def _displayed(piece: Piece) -> str:
    """A display of a formula: one side below the other where it is broken."""
    left, right = sides(piece)
    head, first = MATHEMATICS.printed(Joined(tuple(left))).strip(), right[0]
    relation = MATHEMATICS.printed(first).strip() if left else ""
    rest = [MATHEMATICS.printed(line).strip() for line in lines(Joined(tuple(right[1:] if left else right)), _DISPLAY)]
    if len(rest) == 1:
        return f"\\[\n{' '.join(filter(None, (head, relation, rest[0])))}\n\\]\n"
    below = "".join(f" \\\\\n&\\quad {{}} {line}" for line in rest[1:])
    return f"\\[\n\\begin{{aligned}}\n{head} &{relation} {rest[0]}{below}\n\\end{{aligned}}\n\\]\n"


def worded(table: Table) -> list[bool]:
    """Which columns have nothing but words."""
    count = len(column_widths(table))
    columns = [[text for row in table.rows for text in row[k : k + 1] if text] for k in range(count)]
    return [bool(column) and not any(isinstance(text, Formula) for text in column) for column in columns]


def _limits(widths: Sequence[int], worded: Sequence[bool]) -> list[float]:
    """The width beyond which each column is broken into lines: words first, formulas where that is not enough."""
    of_words = [wide for wide, is_words in zip(widths, worded, strict=True) if is_words]
    page = _WIDEST - (sum(widths) - sum(of_words))
    if page >= sum(min(wide, _NARROWEST + _BETWEEN) for wide in of_words):
        limit = _fair(of_words, page)
        return [limit if is_words else float(wide) for wide, is_words in zip(widths, worded, strict=True)]
    return [_fair(widths, _WIDEST)] * len(widths)


def _fair(widths: Sequence[int], page: float) -> float:
    """The width up to which columns stay as they are, so that those which are broken share the rest of a page."""
    for place, wide in enumerate(sorted(widths)):
        fair = page / (len(widths) - place)
        if wide > fair:
            return fair
        page -= wide
    return max(widths, default=0)


def _row(cells: Sequence[str], count: int) -> str:
    first = "{}" if cells[0].startswith("[") else ""  # which would belong to the end of the row before
    return first + " & ".join([*cells, *[""] * (count - len(cells))]) + " \\\\"


def _whole(text: str) -> str:
    unknown = sorted({c for c in text if ord(c) > 0x7F and unicodedata.category(c)[0] in "LMNPSZC"})
    declared = "".join(
        f"\\ifcsname u8:\\detokenize{{{c}}}\\endcsname\\else\\DeclareUnicodeCharacter{{{ord(c):04X}}}"
        f"{{\\texttt{{U+{ord(c):04X}}}}}\\fi\n"
        for c in unknown
    )
    if declared:
        declared = f"\\ifdefined\\DeclareUnicodeCharacter\n{declared}\\fi\n"
    return (
        "\\documentclass[a4paper]{article}\n\\usepackage[T1]{fontenc}\n\\usepackage[utf8]{inputenc}\n"
        "\\IfFileExists{lmodern.sty}{\\usepackage{lmodern}}{}\n\\usepackage[margin=2cm]{geometry}\n"
        f"\\usepackage{{{PACKAGES}}}\n\\renewcommand{{\\arraystretch}}{{1.35}}\n{declared}"
        f"\\begin{{document}}\n\\small\n{_APART}{text}\\end{{document}}\n"
    )


FORMAT = LaTeX()
