"""Markup of Markdown and LaTeX: layout is blanked out, so that every character keeps its place.

The module also finds where rows and tables of LaTeX begin and end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ..language.brackets import closing
from ..patterns import pattern
from .line_rewriting import BLANK, apply_rules, rewritings, row_pattern
from .spellings import respell_derivatives


def _at_end(match: re.Match[str]) -> str:
    """Return the first group of a match and a blank, filled up with blanks on the left to the length of the match (a
    callback of re.sub).
    """
    return (match[1] + BLANK).rjust(len(match[0]), BLANK)


_MARKUP = rewritings("markup", without_backslashes=lambda match: match[0].replace("\\", ""))
_LATEX, _COMMENT = rewritings("latex", at_end=_at_end), rewritings("latex_comment")
_ESCAPES = pattern(r"\\([\\`*_{}\[\]<>#|~$&!^])", signs="\\")
_TABLES = frozenset({"tabular", "tabularx", "array", "longtable"})
_MARK = row_pattern("{LATEX_MARK}", signs="\\")
_CELL = pattern(r"(?<!\\)&")
BREAK, TABLE, TABLE_END, OTHER = "break", "table", "end of table", "other"


@lru_cache(maxsize=1024)
def without_markup(text: str) -> str:
    """Return a line of text or Markdown with markup blanked out, LaTeX and derivatives (`respell_derivatives`) spelled
    in plain signs; the length stays the same.

    Markup is emphasis, backticks, dollars, LaTeX layout, everything that is crossed out, and brackets around all rows
    of a line, `(v1 = 6, v2 = 4)`.
    """
    text = apply_rules(text.replace("`", BLANK).replace("\0", " "), _MARKUP)
    text = respell_derivatives(apply_rules(text, _LATEX))
    start, end = len(text) - len(text.lstrip()), len(text.rstrip(" .,;"))
    left, sign, _ = text[start:end].partition("=")
    if left[:1] == "(" and sign and len(left.split()) == 1 and closing(text, start, end) == end:
        text = f"{text[:start]} {text[start + 1 : end - 1]} {text[end:]}"
    return text


def without_comment(text: str) -> str:
    """Return a line of LaTeX with its comment blanked out."""
    return apply_rules(text, _COMMENT)


def unescape(text: str) -> str:
    """Return a cell of Markdown without backslashes before signs; unchanged if it has a dollar sign and so is LaTeX."""
    return text if "$" in text.replace("\\$", "") else _ESCAPES.sub(r"\1", text)


def latex_marks(text: str) -> Iterator[tuple[int, int, str]]:
    r"""Yield (start, end, kind) of each row break, and of each environment's begin and end, in a line of LaTeX `text`.

    The kind is TABLE or TABLE_END for the begin or end of a tabular, tabularx, array or longtable, OTHER for the begin
    or end of any other environment, and BREAK for `\\` (with a length such as `[2pt]`) and `\tabularnewline`, in tables
    or not. The place of a begin includes its arguments, `{|c|c|}`. The marks come in the order of the text.
    """
    for match in _MARK.finditer(text):
        kind = BREAK
        if match["begin"]:
            kind = TABLE if match["begin"] in _TABLES else OTHER
        elif match["end"]:
            kind = TABLE_END if match["end"] in _TABLES else OTHER
        yield match.start(), match.end(), kind


_CASES, _END_CASES = r"\begin{cases}", r"\end{cases}"
_IF, _OTHERWISE = r"& \textnormal{if }", r"& \textnormal{otherwise}"
_MOST_CASES = 100  # of a line


def flatten_cases(text: str) -> str:
    r"""Return a line of LaTeX with each block of two cases as a call, with blanks behind it; the length stays the same.

    `\begin{cases}a & \textnormal{if }b \\ c & \textnormal{otherwise}\end{cases}` becomes `if(b,(a),(c))`. No other
    wording is read. The block that ends first is replaced first, so that cases inside others come before these, at most
    100 in all. The first block of another form ends the search, and what follows stays as it is.
    """
    for _ in range(_MOST_CASES):
        end = text.find(_END_CASES)
        start = text.rfind(_CASES, 0, max(end, 0))
        if start < 0:
            break
        rows = [row.strip() for row in text[start + len(_CASES) : end].split(r"\\")]
        yes, is_if, condition = rows[0].partition(_IF)
        if len(rows) != 2 or not is_if or not rows[1].endswith(_OTHERWISE):
            break
        end += len(_END_CASES)
        flat = f"if({condition},({yes.strip()}),({rows[1].removesuffix(_OTHERWISE).strip()}))"
        text = text[:start] + flat.ljust(end - start) + text[end:]
    return text


def latex_cells(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield start and end of the cells of a LaTeX table between two offsets of a line."""
    for match in _CELL.finditer(text, start, end):
        yield start, match.start()
        start = match.end()
    yield start, end
