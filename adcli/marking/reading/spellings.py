"""Spellings of derivatives and numbers in LaTeX packages, in Word and in words, replaced by those that are read, ∂y/∂x.

Every text keeps its length, so that each character still has its place in the student's line.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ...patterns import pattern

_BLANK = "\u00a0"  # of a kind that is no gap between columns
_NAME = r"\\?[^\W\d]\w*+(?:_\{[\w-]++\})?+'*+"
_BRACED = r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*+\})*+\})*+)\}"
_GIVEN = r"(?:\{[^{}]*+\}|\([^()]*+\)|[\w.=−-]++)"

_NUMBER = pattern(r"\\(?:num|SI|si|qty|unit|boxed|fbox|ensuremath|hl|colorbox\{\w*+\}|textcolor\{\w*+\})\s*+" + _BRACED)
_PLACE = pattern(
    r"\\left\s*+\.|(?:\\(?:right|[bB]igg?[lr]?)\s*+)?(?:\||∣|\\(?:rvert|vert|mid)(?![A-Za-z]))\s*+_\s*+" + _GIVEN
)
_PARTIAL = pattern(
    r"\\(?P<d>pdv|dv|pderiv|deriv|diffp|diff)\*?\s*+\{(?P<above>[^{}]*+(?:\{\w++\})?+)\}\s*+\{(?P<below>[^{}]*+(?:\{\w++\})?+)\}"
)
_SAID = pattern(
    rf"(?:the\s++)?(?:partial\s++)?(?:derivative|slope|ableitung|dérivée|derivada)\s++(?:of|von|de)\s++({_NAME})\s++"
    rf"(?:with\s++respect\s++to|w\.?\s?r\.?\s?t\.?|nach|par\s++rapport\s++à|con\s++respecto\s++a)\s++({_NAME})",
    re.IGNORECASE,
)
_QUOTIENT = pattern(
    rf"\(?\s*+(?P<d>∂|d|\\partial\s++|partial\s++)(?P<above>{_NAME})\s*+\)?\s*+/\s*+\(\s*+(?:∂|d|\\partial\s++|partial\s++)"
    rf"(?P<below>{_NAME})\s*+\)"
)
_SPOKEN = pattern(rf"(?<!\w)partial\s++(?P<above>{_NAME})\s*+/\s*+partial\s++(?P<below>{_NAME})")
_INDEXED = pattern(
    rf"(?<![\w}}])(?P<d>∂|\\partial|D)\s?_\s*+(?:\{{\s*+(?P<braced>{_NAME})\s*+\}}|(?P<below>[^\W\d_]\d*+))\s*+\(?\s*+"
    r"(?P<above>[^\W\d]\w*+)\s*+\)?"
)
_ACCENT = pattern(
    rf"\(\s*+(?P<name>{_NAME})\s*+\)\s?(?P<mark>[\u0307\u0304\u0305])|(?P<letter>\w)\s(?P<after>[\u0307\u0304\u0305])"
)
# As TeX refuses it: e^{x}^{2} is the square of e^x.
_TWICE = pattern(r"\^\{([^{}]++)\}\^\{?+(\w++)\}?+", signs=("}^",))
_DERIVATIVES = ("deriv", "dériv", "slope", "ableitung")
_WHERE = frozenset({"at", "bei", "für", "en", "pour", "for", "when"})
_AT = pattern(
    r"(?<=[^\s:;,])\s++(?:at|bei|für|en|pour|for|when)\s++[^\W\d]\w*+\s*+=\s*+[-−]?[\d.]++(?:\s*+,\s*+[^\W\d]\w*+\s*+=\s*+[-−]?[\d.]++)*+"
    r"(?=\s*+(?:[:=≈]|is\s|ist\s|est\s|es\s|equals\s))"
)
_WORD_SIGNS = str.maketrans({
    "〖": _BLANK, "〗": _BLANK, "\u2061": _BLANK, "\u2062": _BLANK, "\u200b": _BLANK, "\u2592": _BLANK, "█": _BLANK,
    "\ufe0f": _BLANK, "\u20e3": _BLANK, "\u2019": "'", "\u2032": "'", "\u02b9": "'", "\u00b4": "'",
})  # fmt: skip
_PICTURES = pattern("\\d\ufe0f?\u20e3|[\u2600-\u2612\u2614-\u27bf\U0001f000-\U0001faff]")
_KEPT = frozenset("✓✔✗✘☐☑")


def respelled(text: str) -> str:
    """Return the line `text` with derivatives of LaTeX packages, of Word and in words as ∂y/∂x; the length stays the
    same.

    Emoji, evaluation bars and points such as `at x = 2` are blanked out.
    """
    if "}^" in text:
        text = _changed(_TWICE, text, lambda match: f"^{{({match[1]})*{match[2]}}}")
    if "\\" in text:
        text = _changed(_NUMBER, text, lambda match: match[1])
        text = _changed(_PARTIAL, text, _fraction)
    if not text.isascii():
        text = _PICTURES.sub(lambda match: match[0] if match[0] in _KEPT else _BLANK * len(match[0]), text)
        text = text.translate(_WORD_SIGNS)
        text = _changed(_ACCENT, text, _accented)
    if "|" in text or "∣" in text or "\\" in text:
        text = _PLACE.sub(lambda match: _BLANK * len(match[0]), text)
    if "/" in text and ("d" in text or "∂" in text or "partial" in text):
        text = _changed(_QUOTIENT, text, _fraction) if "(" in text.partition("/")[2] else text
        text = _changed(_SPOKEN, text, _fraction) if "partial" in text else text
    if "_" in text and ("∂" in text or "D" in text or "\\partial" in text):
        text = _changed(_INDEXED, text, _indexed)
    if "=" in text and not _WHERE.isdisjoint(text.split()):
        text = _AT.sub(lambda match: _BLANK * len(match[0]), text)
    if any(word in text.lower() for word in _DERIVATIVES):
        text = _changed(_SAID, text, lambda match: f"∂{match[1]}/∂{match[2]}")
    return text


def _changed(shape: re.Pattern[str], text: str, told: Callable[[re.Match[str]], str]) -> str:
    """Return the text with each match of `shape` replaced by `told(match)`, filled up with no-break spaces.

    A match stays as it is if its replacement would be longer.
    """

    def filled(match: re.Match[str]) -> str:
        new = told(match)
        return new.ljust(len(match[0]), _BLANK) if len(new) <= len(match[0]) else match[0]

    return shape.sub(filled, text)


def _fraction(match: re.Match[str]) -> str:
    return f"∂{match['above'].strip()}/∂{match['below'].strip()}"


def _indexed(match: re.Match[str]) -> str:
    return f"∂{match['above']}/∂{match['braced'] or match['below']}"


def _accented(match: re.Match[str]) -> str:
    """Return the letter with the accent that Word writes after brackets or a blank, as in `(x_1 ) ̅`."""
    if match["letter"]:
        return match["letter"] + match["after"]
    name = match["name"]
    return name[0] + match["mark"] + name[1:]
