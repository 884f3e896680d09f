"""LaTeX: booktabs tables to paste into a document, or a document that compiles alone."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from ...errors import visible, width
from ...notation.display_formula import Formula
from ...notation.formula_pieces import Joined, Parts, Sign
from ...notation.latex_printer import LATEX as MATHEMATICS
from ...notation.latex_printer import SIGNS, SPECIAL, Latex
from ...notation.line_breaking import breadth, break_lines
from ...notation.typeset_names import greek_command
from ...typings import override
from .. import document_parts as dp
from .. import read_file
from ..document_format import Document, Format

PACKAGES = "amsmath,array,booktabs,longtable"

_WIDEST = 104  # digits on a line of a page
_BETWEEN = 3  # digits between two columns
_NARROWEST = 14  # least width of a column of words, and below of a long formula; else the table is split
_LONG_FORMULA = 40
_LONGEST = 40  # a table with more rows may break over pages
_DISPLAY = 64  # signs of a sum on a line of a display
_UNBROKEN = 60  # a longer text without blanks may be broken at its signs

_TEXT = {
    **SPECIAL, **{sign: f"${SIGNS[sign]}$" for sign in "−×·√∂→≤≥≠≈"}, "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\char34{}", "`": r"\textasciigrave{}", "\ufffd": "?", "÷": r"$\div$", "✓": r"$\surd$",
    "✗": r"$\times$", "↷": r"$\hookrightarrow$", "…": r"\dots{}", "²": "$^2$", "³": "$^3$",
}  # fmt: skip
_ACCENTS = {"\u0307": r"\dot", "\u0304": r"\bar"}
_LIGATURES = "-,'"  # signs that TeX joins to another one of their kind
_NO_BREAK = r"= \nobreak "
_DECLARED = (
    r"\ifcsname u8:\detokenize{{{0}}}\endcsname\else\DeclareUnicodeCharacter{{{1}}}{{\texttt{{U+{1}}}}}\fi" + "\n"
)
_ZEROS = str.maketrans("123456789", "000000000")
_BREAKABLE = re.compile(r"([-+*/=;,)])(?=[^\s])")


def escape_latex(text: str) -> str:
    """Return the text as LaTeX text: without commands, mathematics or ligatures of the input.

    Greek letters become their commands, known symbols such as × and ≤ mathematics. A dot or bar over a letter becomes
    an accent in mathematics; a combining dot or bar is put on the letter before it. Other characters beyond ASCII are
    kept; those that cannot be printed are replaced first (`visible`). `{}` separates repeated `-`, `,` and `'`.
    """
    out: list[str] = []  # of a letter each
    for c in visible(text):
        letter, accent = _split_accent(c)
        if letter:
            out.append(_letter_code(letter))
        if accent:
            out[-1:] = [f"${accent}{{\\textnormal{{{''.join(out[-1:])}}}}}$"]
    text = "".join(out)
    for sign in _LIGATURES:
        while sign * 2 in text:
            text = text.replace(sign * 2, f"{sign}{{}}{sign}")
    return text


def _split_accent(c: str) -> tuple[str, str]:
    r"""Return (letter, LaTeX command of the dot or bar over it): (`x`, `\dot`) for ẋ.

    The command is empty for a letter without accent or with another one. The letter is empty for a combining dot or bar
    alone.
    """
    if c.isascii():
        return c, ""
    decomposed = unicodedata.normalize("NFD", c)
    accent = _ACCENTS.get(decomposed[-1], "")
    return (decomposed[:-1], accent) if accent and len(decomposed) <= 2 else (c, "")


def _letter_code(c: str) -> str:
    r"""Return one character as LaTeX text: a special character or sign as in `_TEXT`, a Greek letter as mathematics
    (`$\theta$`), others as they are.
    """
    command = greek_command(c)
    return _TEXT.get(c) or (f"${command}$" if command else c)


# --- the format ------------------------------------------------------------------------------------------------------


_DISPLAYS = (dp.Formulas, dp.LatexLines)


class LaTeX(Format):
    """LaTeX, with tables and displays to be pasted into a document."""

    name = "latex"
    suffixes = (".tex",)
    displays = True
    around_strong = ("\\textbf{", "}")
    around_code = ("\\texttt{", "}")
    around_marked = ("\\underline{", "}")
    around_formula = ("$", "$")
    around_paragraph = ("\\noindent ", "\\par\n")
    bar_form = "\\rule{%.2fem}{1.4ex}"
    printer = MATHEMATICS

    @override
    def escaped(self, text: str) -> str:
        return escape_latex(text)

    @override
    def heading(self, text: str, level: int) -> str:
        """Return an unnumbered section, subsection or subsubsection, for `level` 1 to 3.

        If a word is longer than `_UNBROKEN` (60) characters and the text has no mathematics, lines may be broken after
        signs.
        """
        if "$" not in text and any(len(word) > _UNBROKEN for word in text.split()):
            text = _BREAKABLE.sub(r"\1\\allowbreak{}", text)
        return f"\\{'sub' * (level - 1)}section*{{\\raggedright {text}}}\n"

    @override
    def items(self, items: dp.Items) -> str:
        """Return an itemize environment, or, if `items.first` is not None, an enumerate one that starts at that number.

        An item's texts are on lines of their own; empty ones are left out.
        """
        kind = "itemize" if items.first is None else "enumerate"
        start = f"\\setcounter{{enumi}}{{{items.first - 1}}}\n" if items.first is not None else ""
        item_lines = [[self.inline(text) for text in item if text] for item in items.items]
        lines = "".join("\\item{} " + "\\newline{}\n".join(item) + "\n" for item in item_lines)
        return f"\\begin{{{kind}}}\n{start}{lines}\\end{{{kind}}}\n"

    @override
    def formulas(self, lines: Sequence[Formula]) -> str:
        r"""Return each formula as a display `\[ … \]`; sums that are longer than `_DISPLAY` (64) signs are broken into
        aligned lines.
        """
        displays = (break_lines(line.piece, _DISPLAY, r"\\", MATHEMATICS.printed) for line in lines)
        return "".join(f"\\[\n{display}\n\\]\n" for display in displays)

    @override
    def latex(self, text: str) -> str:
        return text

    @override
    def are_separated(self, before: dp.Part, part: dp.Part) -> bool:
        return not (isinstance(before, _DISPLAYS) and isinstance(part, _DISPLAYS))

    @override
    def opening(self, parts: Document) -> str:
        return f"% needs \\usepackage{{{PACKAGES}}}\n" if any(isinstance(part, dp.Table) for part in parts) else ""

    @override
    def document(self, problems: Sequence[Document], title: str) -> str:
        """Return a complete document; characters that pdflatex has no font for are declared to print as their code
        points.  The title is not used."""
        return _whole_document("\n".join(self.body(parts) for parts in problems))

    @override
    def table(self, table: dp.Table) -> str:
        """Return the table between booktabs rules; if it is too wide for a page, as several tables with fewer columns.

        A page holds 104 digits; columns of words (texts, and no formula below the header) count as at most 14, others
        as at most 40, and each as 3 more. An empty line is between the tables. A table is never split if it has no
        right-aligned columns and no column of words after the first, since its columns continue one another.
        """
        words = find_word_columns(table)
        if not table.right and not any(words[1:]):
            return self._draw_table(table)
        widths = zip(dp.column_widths(table), words, strict=True)
        least = [min(wide, _NARROWEST if is_words else _LONG_FORMULA) + _BETWEEN for wide, is_words in widths]
        return "\n".join(self._draw_table(part) for part in dp.split_columns(table, least, _WIDEST))

    def _draw_table(self, table: dp.Table) -> str:
        """Return one table, with its title before it, as tabular; with more than `_LONGEST` (40) rows as longtable.

        Columns that are too wide for the page wrap in paragraphs. Other columns are right-aligned if they are in
        `table.right`, otherwise left-aligned. Short rows are filled with empty cells. Rules are above and below all,
        below the header, and before each row in `table.rules`. A longtable repeats its header and starts with a row of
        the widest cells that is not printed.
        """
        widths = [wide + _BETWEEN for wide in dp.column_widths(table)]
        limits = _column_limits(widths, find_word_columns(table))
        kinds = [
            f">{{\\raggedright\\arraybackslash}}p{{{(limit - _BETWEEN) / _WIDEST:.2f}\\linewidth}}" if wide > limit
            else "r" if k in table.right else "l"
            for k, (wide, limit) in enumerate(zip(widths, limits, strict=True))
        ]  # fmt: skip
        long = len(table.rows) > _LONGEST
        lines = [self._widest_row(table, [wide > limit for wide, limit in zip(widths, limits, strict=True)])] * long
        lines.append("\\toprule")
        if table.header:
            lines += [_row(self.cells(table.header, len(widths))), "\\midrule"]
        if long:
            lines.append("\\endhead")
        for place, row in enumerate(table.rows):
            if place in table.rules:
                lines.append("\\midrule")
            cells = [self._cell(text, width(text) + _BETWEEN > limits[k]) for k, text in enumerate(row)]
            lines.append(_row([*cells, *[""] * (len(widths) - len(row))]))
        lines.append("\\bottomrule")
        title = f"\\noindent {self.inline(table.title)}\\par\\nobreak\\medskip\n" if table.title else ""
        environment, start, side = ("longtable", "", "[l]") if long else ("tabular", "\\noindent", "")
        body = "".join(line + "\n" for line in lines)
        opening = f"{title}{start}\\begin{{{environment}}}{side}{{@{{}}{''.join(kinds)}@{{}}}}\n"
        return f"{opening}{body}\\end{{{environment}}}\\par\\bigskip\n"

    def _cell(self, text: str, broken: bool) -> str:
        """Return a cell as LaTeX; a formula in a column that wraps (`broken`) may break after commas and signs.

        A formula that begins with an equals sign does not break after it. Other texts, and cells of columns that do not
        wrap, are written as anywhere.
        """
        if not broken or not isinstance(text, Formula):
            return self.inline(text)
        shown = _BREAKING.printed(text.piece).strip().replace(", ", ",\\allowbreak ")
        return f"${shown.replace('= ', _NO_BREAK, 1) if shown.startswith('= ') else shown}$"

    def _widest_row(self, table: dp.Table, broken: Sequence[bool]) -> str:
        r"""Return a row that is not printed (`\kill`), with the widest cells, one below the other, of each column that
        does not wrap.

        The row gives a longtable its column widths in the first run of LaTeX. Columns that wrap (`broken` True) are
        empty. Cells of less than half the largest width are left out. Of several cells that differ only in the digits 1
        to 9 only the last is kept, since digits are equally wide.
        """
        cells = []
        for k, is_broken in enumerate(broken):
            rows = [] if is_broken else [table.header, *table.rows]
            column = [text for row in rows for text in row[k : k + 1] if text]
            most = max(map(printed_width, column), default=0)
            texts = (self.inline(text) for text in column if 2 * printed_width(text) >= most)
            kept = {shown.translate(_ZEROS): shown for shown in texts}.values()
            boxes = "".join(f"\\hbox{{{shown}}}" for shown in kept)
            cells.append(boxes and f"\\vbox{{{boxes}}}")
        return f"{' & '.join(cells)} \\kill"


def printed_width(text: str) -> int:
    """Return the approximate width of a cell in print, in digits: of a formula as it is typeset (a fraction is as wide
    as its wider part), of a text in characters.
    """
    return breadth(text.piece) if isinstance(text, Formula) else width(text)


class _Breaking(Latex):
    """A LaTeX printer for cells that wrap: lines may be broken at products that are written without a sign."""

    @override
    def join(self, piece: Joined) -> Parts:
        """Return the printed pieces side by side, with an allowed line break after each sign that has no text (an
        invisible product sign).
        """
        parts = super().join(piece)
        without = [isinstance(part, Sign) and not part.text for part in piece.parts]
        pairs = zip(parts, without, strict=True)
        return [f"{x}\\allowbreak " if is_product and isinstance(x, str) else x for x, is_product in pairs]


_BREAKING = _Breaking()


def find_word_columns(table: dp.Table) -> list[bool]:
    """Return for each column whether its cells, without the header, are words alone: at least one, and no formula."""
    columns = [[text for row in table.rows for text in row[k : k + 1] if text] for k in range(table.columns)]
    return [bool(column) and not any(isinstance(text, Formula) for text in column) for column in columns]


def _column_limits(widths: Sequence[int], worded: Sequence[bool]) -> list[float]:
    """Return for each column the width, in digits, beyond which it is wrapped.

    Columns of words (True in `worded`) need 17 digits each, or their width if that is less. If they fit the page next
    to the other columns, they share the width that the others leave, and the limit of each other column is its width,
    so that it is not wrapped. Otherwise one limit applies to all columns.
    """
    of_words = [wide for wide, is_words in zip(widths, worded, strict=True) if is_words]
    page = _WIDEST - (sum(widths) - sum(of_words))
    if page >= sum(min(wide, _NARROWEST + _BETWEEN) for wide in of_words):
        limit = _fair_width(of_words, page)
        return [limit if is_words else float(wide) for wide, is_words in zip(widths, worded, strict=True)]
    return [_fair_width(widths, _WIDEST)] * len(widths)


def _fair_width(widths: Sequence[int], page: float) -> float:
    """Return the width up to which columns keep their size, so that the wider ones share the rest of the page equally.

    The largest width if all fit the `page`; 0 without columns.
    """
    for place, wide in enumerate(sorted(widths)):
        fair = page / (len(widths) - place)
        if wide > fair:
            return fair
        page -= wide
    return max(widths, default=0)


def _row(cells: Sequence[str]) -> str:
    r"""Return the source of a table row: the cells (at least one), with `&` between them, and `\\` but no line break at
    the end.

    Below fractions there are 3 points more, below a row with a matrix a source line of its own with some space, so that
    brackets do not touch. A first cell that begins with `[` gets `{}` before it.
    """
    first = "{}" if cells[0].startswith("[") else ""  # LaTeX would read a bracket as an argument of the row before
    below = "[3pt]" if any("\\frac" in cell for cell in cells) else ""
    space = "\n\\addlinespace[2pt]" if any("{pmatrix}" in cell for cell in cells) else ""
    return f"{first}{' & '.join(cells)} \\\\{below}{space}"


def _whole_document(text: str) -> str:
    """Return a complete LaTeX article whose body is `text`, which has to end with a line break.

    For pdflatex every character of the text that is not ASCII and has no definition is declared to print as its code
    point, `U+1F600`.
    """
    unknown = sorted({c for c in text if ord(c) > 0x7F and unicodedata.category(c)[0] in "LMNPSZC"})
    declared = "".join(_DECLARED.format(c, f"{ord(c):04X}") for c in unknown)
    if declared:
        declared = f"\\ifdefined\\DeclareUnicodeCharacter\n{declared}\\fi\n"
    before, after = read_file("formats/frame.tex").split("BODY")
    return before.replace("PACKAGES", PACKAGES).replace("DECLARED", declared) + text + after


FORMAT = LaTeX()
