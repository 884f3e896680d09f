"""Spellings of derivatives and numbers in LaTeX packages, in Word and in words, replaced by those that are read, ∂y/∂x.

Every text keeps its length, so that each character still has its place in the student's line.
"""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import normalize

from ..patterns import pattern
from .line_rewriting import BLANK, apply_rule, apply_rules, rewritings
from .symbols import Names

_WORD_SIGNS = str.maketrans(
    dict.fromkeys("〖〗\u2061\u2062\u200b\u2592█\ufe0f\u20e3", BLANK) | dict.fromkeys("\u2019\u2032\u02b9\u00b4", "'")
)
_EMOJI = rewritings("emoji")
DUAL_CALLS = rewritings("dual_calls")
_SPELLINGS = rewritings(
    "spellings",
    primes=lambda match: match[1] + "'" * int(match[2]) + (match[3] or ""),
    plain_letters=lambda match: normalize("NFKD", match[0]),
)


def join_names(lines: Sequence[str], names: Names) -> Sequence[str]:
    """Return the lines with names such as `v 1`, written with a blank, changed to `v1` and a blank; lengths stay.

    If fewer than two lines begin with a word of letters, a blank and a number, or no single letter begins such a line
    before a relation or a mark (`v 1 =`, `v 1 bar`), return `lines`. Otherwise these letters, and those of numbered
    inputs such as x1, are joined in all lines with a number one blank behind them; not at the end of a word, and not
    with 1.5.
    """
    starts = [line.split(None, 3)[:3] for line in lines]
    numbered = [start for start in starts if len(start) > 2 and start[1].rstrip("'").isdecimal() and start[0].isalpha()]
    letters = {start[0] for start in numbered if len(start[0]) == 1 and start[2] in ("=", "≈", ":=", "bar", "dot")}
    if not letters or len(numbered) < 2:
        return lines
    letters |= {name[0] for name in names.inputs if name[1:].isdecimal()}
    shape = pattern(rf"(?<!\w)([{''.join(letters)}]) (\d++'*+)(?![\w.])")
    return [apply_rule(line, shape, r"\1\2") for line in lines]


def _without_script(text: str, command: str) -> str:
    r"""Return `text` with blanks for each `command` (with its backslash), as `L` for `\mathcal L` and `\mathcal{L}`.

    The letter moves next to the text behind it: blanks after the command, and braces around a single letter, are
    blanked out too; other braces stay. A longer command that begins with `command` is not told apart. The length stays
    the same.
    """
    first, *others = text.split(command)
    for other in others:
        letter = other.lstrip()
        has_braces = letter[:1] + letter[2:3] == "{}"
        bare = letter[1] + BLANK + letter[3:] if has_braces else letter
        first += BLANK * (len(command) + len(other) - len(bare)) + bare
    return first


def respell_derivatives(text: str) -> str:
    r"""Return the line `text` with derivatives of LaTeX packages, of Word and in words as ∂y/∂x; the length stays the
    same.

    Examples are `\pdv{y}{x}`, `(∂y)/(∂x)`, `∂_x y`, `dy wrt x` and `derivative of y with respect to x`. Other spellings
    of names and numbers are changed too, such as `grads['v1']`, `v1 bar` and `0. 141` (`_SPELLINGS`). Blanked out are
    mathcal of LaTeX, emoji, faces after a number, evaluation bars with their index, and points such as `at x = 2`
    before a relation or `is`, whatever their values.
    """
    for command in ("\\mathcal", "\\mathscr"):
        text = _without_script(text, command) if command in text else text
    if not text.isascii():
        text = apply_rules(text, _EMOJI).translate(_WORD_SIGNS)
    return apply_rules(text, (*DUAL_CALLS, *_SPELLINGS))
