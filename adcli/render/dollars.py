"""Markdown with mathematics between dollar signs: as pandoc, GitHub and notebooks read it, for every engine of TeX."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import chain
from string import ascii_letters, digits

from ..notation.display_formula import Formula
from ..notation.formula_pieces import LISTING, Fence, Joined, Matrix, Parts, Sign, Text, leaves_of
from ..notation.latex_printer import SIGNS, TextLatex, latex_name, with_text_command
from ..notation.line_breaking import break_lines
from ..notation.typeset_names import greek_command
from ..typings import override
from .document_parts import Bar, Table, column_widths, split_columns
from .formats.latex import find_word_columns, printed_width
from .formats.markdown import Markdown

_PAGE = 66  # characters on a line of a page as pandoc makes it
_LINE = 72  # characters of a source line, beyond which pandoc distributes the page among the columns
_BETWEEN = 2  # characters between two columns
_LONG_FORMULA, _WORDS = 20, 14  # least widths of formulas and words in a table that is split
_DISPLAY = 60  # characters on a line of a display
_JOINT = "\x00"  # marks where mathematics begins or ends; no text contains it
_TOUCHING = re.compile(f"(?<=[0-9A-Za-z\\\\]){_JOINT}+|(?<=\\$){_JOINT}+(?=\\$)|{_JOINT}+(?=[0-9A-Za-z])")
_ACCENTS = {"\u0307": "dot", "\u0304": "bar"}
_PIECES = re.compile(
    "(?P<letter>[^\\W\\d_])(?P<accent>[\u0307\u0304])(?P<rest>\\w*'*)"
    "|(?P<before>[−∂√])(?P<after>\\d+(?:\\.\\d+)?|[A-Za-z]\\w*)"
    "|(?:[ -~](?![\u0307\u0304]))+|.",
    re.DOTALL,
)
# Characters that some TeX engines lack in text fonts.
_SIGNS = {"÷": r"\div", "²": "^2", "³": "^3", **{sign: SIGNS[sign] for sign in "−×·√∂→≤≥≠≈∞±"}}
_SAFE = frozenset(f"{ascii_letters}{digits} .,:()='+-")


class _DollarMathematics(TextLatex):
    """A LaTeX printer for Markdown: without backslashes before punctuation, and without bars, which separate cells."""

    @override
    def sign(self, piece: Sign) -> tuple[str]:
        if piece.kind == LISTING and piece.text == ";":
            return (";\\quad ",)
        return (r" \bmod ",) if piece.text == "%" else super().sign(piece)

    @override
    def fence(self, piece: Fence) -> Parts:
        return [_without_bars(part) if isinstance(part, str) else part for part in super().fence(piece)]

    @override
    def matrix(self, piece: Matrix) -> Parts:
        return [part.replace(r"\\", r"\cr") if isinstance(part, str) else part for part in super().matrix(piece)]

    @override
    def join(self, piece: Joined) -> Parts:
        return [r"\thinspace " if part == r"\," else part for part in super().join(piece)]


def _without_bars(body: str) -> str:
    r"""Return the LaTeX with commands instead of `\{`, `\}` and `|`, since Markdown drops those backslashes and ends
    cells at bars.
    """
    for sign, command in (("\\{", "\\lbrace "), ("\\}", "\\rbrace "), ("|", "\\vert ")):
        body = body.replace(sign, command)
    return body


MATHEMATICS = _DollarMathematics()


class Dollars(Markdown):
    """Markdown whose formulas are mathematics between dollar signs."""

    displays = True
    around_formula = (f"{_JOINT}$", f"${_JOINT}")
    printer = MATHEMATICS
    has_signs = False

    # --- texts

    @override
    def escaped(self, text: str) -> str:
        """Return `text` with nothing that Markdown would interpret; marks show where mathematics begins and ends.

        `inline` replaces these marks. Letters with a dot or bar over them, Greek letters, and signs that text fonts may
        lack become mathematics; a sign `−`, `∂` or `√` does so together with the number or name after it.
        """
        decomposed = "".join(nfd if (nfd := unicodedata.normalize("NFD", c))[-1] in _ACCENTS else c for c in text)
        out: list[str] = []
        for match in _PIECES.finditer(decomposed):
            if match["letter"]:
                out.append(_between_dollars(latex_name(match["letter"] + match["rest"], _ACCENTS[match["accent"]])))
            elif match["before"]:
                after = match["after"]
                shown = after if after[0].isdecimal() else latex_name(after)
                out.append(_between_dollars(f"{_SIGNS[match['before']]} {shown}"))
            else:
                shown = _SIGNS.get(match[0]) or greek_command(match[0])
                out.append(_between_dollars(shown) if shown else super().escaped(match[0]))
        return "".join(out)

    @override
    def formula(self, formula: Formula) -> str:
        """Return a formula as mathematics, or as escaped text if it contains a text that mathematics could not hold:
        one with other characters than ASCII letters, digits, blanks and `.,:()='+-`.
        """
        texts = (leaf.text for leaf in leaves_of(formula.piece) if isinstance(leaf, Text))
        is_safe = _SAFE.issuperset(chain.from_iterable(texts))
        return super().formula(formula) if is_safe else self.escaped(formula)

    @override
    def code(self, text: str) -> str:
        """Return the text between backquotes; as escaped text also if it is not printable ASCII, or begins or ends with
        a blank.
        """
        is_code = text.isascii() and text.isprintable() and text == text.strip()
        return super().code(text) if is_code else self.escaped(text)

    @override
    def bar(self, text: Bar) -> str:
        return _between_dollars(f"\\rule{{{float(8 * text.fraction):.2f}em}}{{1.4ex}}")

    @override
    def inline(self, text: str) -> str:
        """Return a text or formula of any kind; an empty comment separates a dollar sign from a letter, digit or
        dollar next to it."""
        return _TOUCHING.sub("<!-- -->", super().inline(text)).replace(_JOINT, "")

    # --- parts

    @override
    def formulas(self, lines: Sequence[Formula]) -> str:
        """Return each formula as a display between double dollars; sums that are longer than 60 characters
        are broken.
        """
        displays = (break_lines(line.piece, _DISPLAY, r"\cr", MATHEMATICS.printed) for line in lines)
        return self.between.join(f"$$\n{display}\n$$\n" for display in displays)

    @override
    def latex(self, text: str) -> str:
        r"""Return displays of LaTeX between double dollars instead of brackets, line ends as \cr."""
        for old, new in (("\\[\n", "$$\n"), ("\\]\n", "$$\n\n"), (" \\\\\n", " \\cr\n"), ("\\,", "\\thinspace ")):
            text = text.replace(old, new)
        return with_text_command(text).removesuffix("\n")

    @override
    def table_pieces(self, table: Table) -> Iterator[str]:
        """Yield the table in pieces; a table too wide for a page is split into several, with an empty line between.

        The tables have fewer columns each (`split_columns`). A table is never split if it has no right-aligned columns
        and no column of words alone (texts, but no formula) after the first, since its columns continue one another. A
        page holds 66 characters; columns that are not right-aligned count at most 14 (words) or 20 (formulas), as
        pandoc breaks their lines, and each column 2 more.
        """
        words = find_word_columns(table)
        if not table.right and not any(words[1:]):
            yield from super().table_pieces(table)
            return
        most = [_WORDS if is_words else _LONG_FORMULA for is_words in words]
        least = [wide if k in table.right else min(wide, most[k]) for k, wide in enumerate(_printed_widths(table))]
        parts = split_columns(table, [wide + _BETWEEN for wide in least], _PAGE)
        for place, part in enumerate(parts):
            yield "\n" * bool(place)
            yield from super().table_pieces(part)

    @override
    def column_widths(self, table: Table, columns: Sequence[int]) -> Sequence[int]:
        """Return the widths by which the columns of `table` share the page, one for each column.

        They are `columns`, the widths in the source, or the approximate widths in print if a line of the source has
        more than 72 characters. Only for such tables does pandoc distribute the page by widths.
        """
        is_short = sum(columns) + 3 * len(columns) + 1 <= _LINE
        return columns if is_short else _printed_widths(table)


def _between_dollars(body: str) -> str:
    """Return the LaTeX between dollar signs, with the mark `_JOINT` on both sides, which `inline` replaces."""
    return f"{_JOINT}${with_text_command(body)}${_JOINT}"


def _printed_widths(table: Table) -> list[int]:
    """Return the approximate width of each column in print, in digits; at least 3."""
    return [max(3, wide) for wide in column_widths(table, printed_width)]


DOLLARS = Dollars()
