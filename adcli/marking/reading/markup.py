"""Markup of Markdown and LaTeX: layout is blanked out, so that every character keeps its place.

The module also finds where rows and tables of LaTeX begin and end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...patterns import pattern
from .spellings import respelled

_MACROS = pattern(
    r"\\(?:hline|toprule|midrule|bottomrule|cline\{[^{}]*+\}|cmidrule(?:\([^()]*+\))?\{[^{}]*+\}|nonumber|notag|end(?:first)?head|end(?:last)?foot|noindent|"
    r"displaystyle|centering|label\{[^{}]*+\}|tag\*?\{[^{}]*+\}|hspace\*?\{[^{}]*+\}|vspace\*?\{[^{}]*+\}|phantom\{[^{}]*+\}|"
    r"quad|qquad|nobreak|allowbreak|checkmark|limits|bigskip|medskip|smallskip|item(?:\[[^\[\]]*+\])?|ensuremath)(?![A-Za-z])|\\[,;:!]"
    # lengths that TeX is told
    r"|\\[a-zA-Z]*?(?:skip|skiplimit|sep|width|height|indent|margin)\s*+=\s*+-?[\d.]++\s*+"
    r"(?:pt|pc|in|bp|cm|mm|sp|ex|em)(?![A-Za-z])"
    r"|\\(?:set|addto)length\s*+\{[^{}]*+\}\s*+\{[^{}]*+\}"
)
_TEXT = pattern(r"\\(?:text|textrm|textit|mbox|textbf|intertext|shortintertext)\{[^{}]*+\}")
_UPRIGHT = pattern(r"\\(?:mathrm|textnormal)\{(\w{2,})\}")  # a name of several letters
_ACCENTED = pattern(r"(\\(?:bar|dot)\{)\\textnormal\{(\w)\}\}\$(\w*+)")  # as text has it: $\bar{\textnormal{v}}$3
_DOLLARS = pattern(r"(?<!\\)\${1,2}|\\[()\[\]](?!\w*\s*[})])")
_EMPHASIS = pattern(r"(?<![\w)\]*])(\*\*|__)(?=\S)([^*\n]{1,200}?)(?<=\S)\1(?![\w(])")
_STRUCK = pattern(r"(?<!~)~~(?![\s~])[^~\n]{1,400}(?<!\s)~~(?!~)")
_CROSSED = pattern(r"\\(?:sout|st|[bx]?cancel)\s*+\{(?:[^{}]|\{[^{}]*+\})*+\}")
_ESCAPES = pattern(r"\\([\\`*_{}\[\]<>#|~$&!^])")
_COMMENT = pattern(r"(?<!\\)%.*|\A.*\\kill\s*\Z")  # or a row that tells widths
_TABLES = frozenset({"tabular", "tabularx", "array", "longtable"})
_MARK = pattern(
    r"\\begin\s*+\{(?P<begin>[a-zA-Z]++)\*?\}(?:\s*+\[[^\[\]]*+\])?+(?:\s*+\{(?:[^{}]|\{[^{}]*+\})*+\})*+"
    r"|\\end\s*+\{(?P<end>[a-zA-Z]++)\*?\}|(?P<row>\\\\(?:\s*+\[[\d.]++\s*+[a-z]{2}\])?+|\\tabularnewline(?![A-Za-z]))"
)
_CELL = pattern(r"(?<!\\)&")
BREAK, TABLE, TABLE_END, OTHER = "break", "table", "end of table", "other"


def blanks(match: re.Match[str]) -> str:
    """Return as many no-break spaces as a match is long, which are not a gap between columns."""
    return "\u00a0" * len(match.group())


def _with_accent(match: re.Match[str]) -> str:
    """Return a letter of text under an accent, with the number after it, as mathematics of the same length."""
    return f"{match[1]}{match[2]}{match[3]}}}".ljust(len(match.group()), "\u00a0")


def without_markup(text: str) -> str:
    """Return a line of text or Markdown with markup blanked out and formulas respelled; the length stays the same.

    Markup is emphasis, backticks, dollars, LaTeX layout, and everything that is crossed out.
    """
    text = _STRUCK.sub(blanks, text) if "~~" in text else text
    text = text.replace("`", "\u00a0").replace("\0", " ").replace("\\*", "\u00a0*")
    text = (
        _EMPHASIS.sub(lambda match: f"\u00a0\u00a0{match[2]}\u00a0\u00a0", text)
        if "**" in text or "__" in text
        else text
    )
    return without_latex(text)


def without_latex(text: str) -> str:
    """Return `text` with LaTeX layout, words and dollar signs blanked out and formulas respelled; the length stays the
    same.
    """
    if "\\" in text:
        text = _CROSSED.sub(blanks, text)
        text = _ACCENTED.sub(_with_accent, text)
        text = _UPRIGHT.sub(lambda match: (match[1] + "\u00a0").rjust(len(match[0]), "\u00a0"), text)
        text = _TEXT.sub(blanks, text)
        text = _MACROS.sub(blanks, text)
    if "$" in text or "\\" in text:
        text = _DOLLARS.sub(blanks, text)
    return respelled(text)


def without_comment(text: str) -> str:
    """Return a line of LaTeX with its comment blanked out."""
    return _COMMENT.sub(blanks, text)


def unescaped(text: str) -> str:
    """Return a cell of Markdown without backslashes before signs; unchanged if it has a dollar sign and so is LaTeX."""
    return text if "$" in text.replace("\\$", "") else _ESCAPES.sub(r"\1", text)


def latex_marks(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and kind of each row break, and of each environment's begin and end, in a line of LaTeX `text`.

    The kind is BREAK, TABLE (a table begins), TABLE_END, or OTHER for other environments.
    """
    if "\\" in text:
        for match in _MARK.finditer(text):
            kind = BREAK
            if match["begin"]:
                kind = TABLE if match["begin"] in _TABLES else OTHER
            elif match["end"]:
                kind = TABLE_END if match["end"] in _TABLES else OTHER
            yield match.start(), match.end(), kind


def latex_cells(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield start and end of the cells of a LaTeX table between two offsets of a line."""
    for match in _CELL.finditer(text, start, end):
        yield start, match.start()
        start = match.end()
    yield start, end
