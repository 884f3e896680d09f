"""Markup of Markdown and LaTeX: what means nothing in a row is blanked out, so that every character stays where it is;
and where rows and tables of LaTeX begin and end.
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
    """As many blanks as a match is long, of a kind that is no gap between columns."""
    return "\u00a0" * len(match.group())


def _with_accent(match: re.Match[str]) -> str:
    """A letter of text under an accent, with the number after it, as mathematics of the same length."""
    return f"{match[1]}{match[2]}{match[3]}}}".ljust(len(match.group()), "\u00a0")


def without_markup(text: str) -> str:
    """A line of text or Markdown without emphasis, backticks, dollars, LaTeX spacing and what is crossed out."""
    text = _STRUCK.sub(blanks, text) if "~~" in text else text
    text = text.replace("`", "\u00a0").replace("\0", " ").replace("\\*", "\u00a0*")
    text = (
        _EMPHASIS.sub(lambda match: f"\u00a0\u00a0{match[2]}\u00a0\u00a0", text)
        if "**" in text or "__" in text
        else text
    )
    return without_latex(text)


def without_latex(text: str) -> str:
    """The same for mathematics: what only lays it out is blanked out."""
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
    """A line of LaTeX up to its comment."""
    return _COMMENT.sub(blanks, text)


def unescaped(text: str) -> str:
    """A cell of Markdown without backslashes before signs, unless it is LaTeX."""
    return text if "$" in text.replace("\\$", "") else _ESCAPES.sub(r"\1", text)


def latex_marks(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and kind of what parts the rows in a line: breaks, and environments that begin or end."""
    if "\\" in text:
        for match in _MARK.finditer(text):
            kind = BREAK
            if match["begin"]:
                kind = TABLE if match["begin"] in _TABLES else OTHER
            elif match["end"]:
                kind = TABLE_END if match["end"] in _TABLES else OTHER
            yield match.start(), match.end(), kind


def latex_cells(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The places of the cells between two places of a line."""
    for match in _CELL.finditer(text, start, end):
        yield start, match.start()
        start = match.end()
    yield start, end
