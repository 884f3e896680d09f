"""Marks of Markdown and LaTeX that mean nothing in a row, blanked out so that every character stays where it is."""

from __future__ import annotations

import re

_MACROS = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|cline\{[^{}]*+\}|cmidrule(?:\([^()]*+\))?\{[^{}]*+\}|nonumber|notag|end(?:first)?head|end(?:last)?foot|noindent|"
    r"displaystyle|centering|label\{[^{}]*+\}|tag\*?\{[^{}]*+\}|hspace\*?\{[^{}]*+\}|vspace\*?\{[^{}]*+\}|phantom\{[^{}]*+\}|"
    r"quad|qquad|checkmark|limits|bigskip|medskip|smallskip|item(?:\[[^\[\]]*+\])?|ensuremath)(?![A-Za-z])|\\[,;:!]"
)
_TEXT = re.compile(r"\\(?:text|textrm|textit|mbox|textbf|intertext|shortintertext)\{[^{}]*+\}")
_UPRIGHT = re.compile(r"\\mathrm\{(\w{2,})\}")  # a name of several letters
_DOLLARS = re.compile(r"(?<!\\)\${1,2}|\\[()\[\]](?!\w*\s*[})])")
_EMPHASIS = re.compile(r"(?<![\w)\]*])(\*\*|__)(?=\S)([^*\n]{1,200}?)(?<=\S)\1(?![\w(])")
_STRUCK = re.compile(r"(?<!~)~~(?![\s~])[^~\n]{1,400}(?<!\s)~~(?!~)")
_CROSSED = re.compile(r"\\(?:sout|st|[bx]?cancel)\s*+\{(?:[^{}]|\{[^{}]*+\})*+\}")
_ESCAPES = re.compile(r"\\([\\`*_{}\[\]<>#|~$&!^])")
_COMMENT = re.compile(r"(?<!\\)%.*")


def blanks(match: re.Match[str]) -> str:
    """As many blanks as a match is long, of a kind that is no gap between columns."""
    return "\u00a0" * len(match.group())


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
        text = _UPRIGHT.sub(lambda match: "\u00a0" * 8 + match[1] + "\u00a0", text)
        text = _TEXT.sub(blanks, text)
        text = _MACROS.sub(blanks, text)
    if "$" in text or "\\" in text:
        text = _DOLLARS.sub(blanks, text)
    return text


def without_comment(text: str) -> str:
    """A line of LaTeX up to its comment."""
    return _COMMENT.sub(blanks, text)


def unescaped(text: str) -> str:
    """A cell of Markdown without backslashes before signs, unless it is LaTeX."""
    return text if "$" in text.replace("\\$", "") else _ESCAPES.sub(r"\1", text)
