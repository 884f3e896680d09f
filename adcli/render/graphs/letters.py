"""Letters of labels: how wide they are, which digits are subscripts, where a long one is cut."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from typing import NamedTuple

_ACCENTS = "\u0304\u0307"
_NAME = re.compile(f"[^\\W\\d][{_ACCENTS}]*\\w*'*")
_NUMBERED = re.compile(r"(\D+?)_?(\d+)('*)")

# Advance widths in hundredths of the font size, as in DejaVu Sans, which is wider than most: what fits it fits them.
_WIDTHS = {
    28: "'ijl", 30: "IJ", 33: " ,.·/:;\\|", 37: "f-", 40: "()[]t⌊⌋⌈⌉!²³", 43: 'r"', 51: "*_`°", 53: "sz∂?εc", 58: "LFk",
    61: "vxyγλPπτTYaoδθ", 64: "ebdghnpquσES$0123456789{}√βμ", 68: "AVKαφ", 71: "BRXZC", 75: "UHN∧∨", 79: "DGOQ&",
    85: "w∞#+<=>^~×−≤≥≠ω¬M", 99: "%mW@…",
}  # fmt: skip
_WIDTH_OF = {letter: width for width, letters in _WIDTHS.items() for letter in letters}
_OTHER, _WIDE = 85, 110
SMALL = 0.75  # the size of a subscript


class Run(NamedTuple):
    """A piece of a label; a `low` one is a subscript."""

    text: str
    low: bool


def runs(text: str, names: Collection[str]) -> list[Run]:
    """The label in pieces: the digits at the end of one of these names, accented or not, are its subscript."""
    found: list[Run] = []
    end = 0
    for match in _NAME.finditer(text):
        token = match.group()
        numbered = _NUMBERED.fullmatch(token)
        if numbered is None or bare(token) not in names:
            continue
        stem, digits, primes = numbered.groups()
        found += [Run(text[end : match.start()] + stem, False), Run(digits, True)]
        end = match.end() - len(primes)
    found.append(Run(text[end:], False))
    return [run for run in found if run.text]


def bare(token: str) -> str:
    """The name without the dot or the bar over its first letter."""
    letters = unicodedata.normalize("NFD", token)
    rest = 1
    while letters[rest : rest + 1] and letters[rest] in _ACCENTS:
        rest += 1
    return unicodedata.normalize("NFC", letters[:1] + letters[rest:])


def breadth(text: str, names: Collection[str], size: float) -> float:
    """About how wide a label is at a font size; rather too much than too little."""
    total = 0.0
    for piece, low in runs(text, names):
        total += sum(_letter(letter) for letter in unicodedata.normalize("NFC", piece)) * (SMALL if low else 1.0)
    return total * size / 100


def _letter(letter: str) -> int:
    known = _WIDTH_OF.get(letter)
    if known is not None:
        return known
    if unicodedata.combining(letter):
        return 0
    plain = unicodedata.normalize("NFD", letter)[0]
    return _WIDTH_OF.get(plain, _WIDE if unicodedata.east_asian_width(letter) in "WF" else _OTHER)


def shortened(text: str, longest: int) -> str:
    """The text, cut in the middle where it is longer than so many characters."""
    if len(text) <= longest:
        return text
    tail = longest // 3
    return f"{text[: longest - tail - 1].rstrip()}…{text[-tail:].lstrip()}"
