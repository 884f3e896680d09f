"""Markdown with mathematics between dollar signs: as pandoc, GitHub and notebooks read it, for every engine of TeX."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from ..errors import width
from ..notation.display_formula import Formula
from ..notation.formula_pieces import LISTING, Fence, Joined, NamePiece, Parts, Piece, Sign, Text, leaves_of
from ..notation.latex_printer import Latex, latex_name
from ..notation.line_breaking import breadth, lines, sides
from ..notation.typeset_names import GREEK, name_parts
from ..overriding import override
from .document_parts import Bar, Judgement, Runs, Table, column_widths, columns_apart
from .formats.latex import worded
from .formats.markdown import Markdown

_PAGE = 66  # signs side by side on a page as pandoc makes it
_LINE = 72  # letters of a line beyond which pandoc shares the page among the columns
_BETWEEN = 2  # signs between two columns
_LONG_FORMULA, _WORDS = 20, 14  # signs that formulas and words must have in a table that is taken apart
_DISPLAY = 60  # signs on a line of a display
_JOINT = "\x00"  # where mathematics begins or ends; no text has this sign
_TOUCHING = re.compile(f"(?<=[0-9A-Za-z\\\\]){_JOINT}+|(?<=\\$){_JOINT}+(?=\\$)|{_JOINT}+(?=[0-9A-Za-z])")
_ACCENTS = {"\u0307": "dot", "\u0304": "bar"}
_PIECES = re.compile(
    "(?P<letter>[^\\W\\d_])(?P<accent>[\u0307\u0304])(?P<rest>\\w*'*)"
    "|(?P<before>[−∂√])(?P<after>\\d+(?:\\.\\d+)?|[A-Za-z]\\w*)"
    "|(?:[ -~](?![\u0307\u0304]))+|.",
    re.DOTALL,
)
# What not every engine has a sign for in its texts.
_SIGNS = {
    "−": "-", "×": r"\times", "·": r"\cdot", "÷": r"\div", "√": r"\surd", "∂": r"\partial", "→": r"\to", "≤": r"\le",
    "≥": r"\ge", "≠": r"\ne", "≈": r"\approx", "²": "^2", "³": "^3", "∞": r"\infty", "±": r"\pm",
}  # fmt: skip
_SAFE = re.compile(r"[A-Za-z0-9 .,:()='+-]*")
_PRINTED = re.compile(r"[!-_a-{}~](?:[ -_a-{}~]*[!-_a-{}~])?")  # ASCII without bars and backticks


class _DollarMathematics(Latex):
    """LaTeX without backslashes before signs, which Markdown may take for its own, and without bars of cells."""

    @override
    def name(self, piece: NamePiece) -> Parts:
        return [_worded(part) if isinstance(part, str) else part for part in super().name(piece)]

    @override
    def sign(self, piece: Sign) -> tuple[str]:
        if piece.kind == LISTING and piece.text == ";":
            return (";\\quad ",)
        return (r" \bmod ",) if piece.text == "%" else super().sign(piece)

    @override
    def text(self, piece: Text) -> Parts:
        return [_worded(part) if isinstance(part, str) else part for part in super().text(piece)]

    @override
    def fence(self, piece: Fence) -> Parts:
        return [_barred(part) if isinstance(part, str) else part for part in super().fence(piece)]

    @override
    def joined(self, piece: Joined) -> Parts:
        return [r"\thinspace " if part == r"\," else part for part in super().joined(piece)]


def _worded(body: str) -> str:
    return body.replace("\\textnormal", "\\text")


def _barred(body: str) -> str:
    for sign, command in (("\\{", "\\lbrace "), ("\\}", "\\rbrace "), ("|", "\\vert ")):
        body = body.replace(sign, command)
    return body


MATHEMATICS = _DollarMathematics()


class Dollars(Markdown):
    """Markdown whose formulas are mathematics."""

    displays = True

    # --- texts

    @override
    def escaped(self, text: str) -> str:
        """Any text as nothing but text; letters and signs that fonts of text may lack are mathematics."""
        parted = "".join(apart if (apart := unicodedata.normalize("NFD", c))[-1] in _ACCENTS else c for c in text)
        out: list[str] = []
        for match in _PIECES.finditer(parted):
            if match["letter"]:
                out.append(_math(_worded(latex_name(match["letter"] + match["rest"], _ACCENTS[match["accent"]]))))
            elif match["before"]:
                after = match["after"]
                shown = after if after[0].isdigit() else _worded(latex_name(after))
                out.append(_math(f"{_SIGNS[match['before']]} {shown}"))
            else:
                shown = _SIGNS.get(match[0]) or _greek(match[0])
                out.append(_math(shown) if shown else super().escaped(match[0]))
        return "".join(out)

    @override
    def mathematics(self, piece: Piece) -> str:
        body = MATHEMATICS.printed(piece).strip()
        return _math(body) if body else ""

    @override
    def formula(self, formula: Formula) -> str:
        """A formula; one with a text in it that mathematics cannot hold is a text."""
        texts = (leaf.text for leaf in leaves_of(formula.piece) if isinstance(leaf, Text))
        return self.mathematics(formula.piece) if all(map(_SAFE.fullmatch, texts)) else self.escaped(formula)

    @override
    def code(self, text: str) -> str:
        return f"`{text}`" if _PRINTED.fullmatch(text) else self.escaped(text)

    @override
    def verdict(self, text: Judgement) -> str:
        return self.escaped(text.words)

    @override
    def bar(self, text: Bar) -> str:
        return _math(f"\\rule{{{float(8 * text.share):.2f}em}}{{1.4ex}}")

    @override
    def runs(self, text: Runs) -> str:
        return "".join(super(Dollars, self).inline(run) for run in text.runs)

    @override
    def inline(self, text: str) -> str:
        """A text or a formula of any kind; what a dollar must not touch is kept apart from it."""
        return _TOUCHING.sub("<!-- -->", super().inline(text)).replace(_JOINT, "")

    # --- parts

    @override
    def formulas(self, lines: Sequence[Formula]) -> str:
        """Displays, in which sums that are too long for a page are broken."""
        return self.between.join(_displayed(line.piece) for line in lines)

    @override
    def latex(self, text: str) -> str:
        """Displays of LaTeX as they are, between dollars."""
        for old, new in (("\\[\n", "$$\n"), ("\\]\n", "$$\n\n"), (" \\\\\n", " \\cr\n"), ("\\,", "\\thinspace ")):
            text = text.replace(old, new)
        return _worded(text).removesuffix("\n")

    @override
    def table(self, table: Table) -> str:
        """The table, or several of fewer columns where it is too wide for a page.

        Columns of formulas alone are never taken apart, since each goes on where the one before it ends.
        """
        words = worded(table)
        if not table.right and not any(words[1:]):
            return super().table(table)
        most = [_WORDS if is_words else _LONG_FORMULA for is_words in words]
        least = [wide if k in table.right else min(wide, most[k]) for k, wide in enumerate(_breadths(table))]
        parts = columns_apart(table, [wide + _BETWEEN for wide in least], _PAGE)
        return "\n".join(super(Dollars, self).table(part) for part in parts)

    @override
    def shares(self, table: Table, columns: Sequence[int]) -> Sequence[int]:
        """Where lines are so long that pandoc asks for shares of a page, what is printed counts, not what is typed."""
        is_short = sum(columns) + 3 * len(columns) + 1 <= _LINE
        return columns if is_short else _breadths(table)


def _math(body: str) -> str:
    return f"{_JOINT}${body}${_JOINT}"


def _greek(letter: str) -> str:
    """The command of a Greek letter."""
    spelled = letter if letter.isascii() else name_parts(letter)[0]
    return f"\\{spelled}" if spelled in GREEK and spelled != letter else ""


def _breadths(table: Table) -> list[int]:
    """About how many signs each column of a table has in print."""
    rows = [table.header, *table.rows]
    return [
        max(3, *(_breadth(row[k]) for row in rows if k < len(row)), 3) for k in range(len(column_widths(table)))
    ]  # fmt: skip


def _breadth(text: str) -> int:
    return breadth(text.piece) if isinstance(text, Formula) else width(text)


def _displayed(piece: Piece) -> str:
    """A display of a formula; `\\cr` ends its lines, since Markdown may take two backslashes for one."""
    left, right = sides(piece)
    head, relation = (MATHEMATICS.printed(Joined(tuple(part))).strip() for part in (left, right[:1] if left else []))
    rest = [MATHEMATICS.printed(line).strip() for line in lines(Joined(tuple(right[1:] if left else right)), _DISPLAY)]
    if len(rest) == 1:
        return f"$$\n{' '.join(filter(None, (head, relation, rest[0])))}\n$$\n"
    below = "".join(f" \\cr\n&\\quad {{}} {line}" for line in rest[1:])
    return f"$$\n\\begin{{aligned}}\n{head} &{relation} {rest[0]}{below}\n\\end{{aligned}}\n$$\n"


DOLLARS = Dollars()
