"""Letters of labels: their widths, which digits are subscripts, and where a long label is cut."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator

from ...records import NamedTuple

DOT, BAR = "\u0307", "\u0304"
_NAME = re.compile(f"[^\\W\\d][{DOT}{BAR}]?\\w*'*")

# Advance widths in hundredths of the font size, as in DejaVu Sans, which is wider than most: what fits it fits them.
_WIDTHS = {
    28: "'ijl", 30: "IJ", 33: " ,.·/:;\\|", 37: "f-", 40: "()[]t⌊⌋⌈⌉!²³", 43: 'r"', 51: "*_`°", 53: "sz∂?εc", 58: "LFk",
    61: "vxyγλPπτTYaoδθ", 64: "ebdghnpquσES$0123456789{}√βμ", 68: "AVKαφ", 71: "BRXZC", 75: "UHN∧∨", 79: "DGOQ&",
    85: "w∞#+<=>^~×−≤≥≠ω¬M", 99: "%mW@…",
}  # fmt: skip
_WIDTH_OF = {letter: width for width, letters in _WIDTHS.items() for letter in letters}
_OTHER, _WIDE = 85, 110
SMALL = 0.75  # the size of a subscript


class Name(NamedTuple):
    """A name in a label: accent (DOT, BAR or empty), letters without it, the number after them, primes."""

    accent: str
    letters: str
    number: str
    primes: str


class Run(NamedTuple):
    """A piece of a label; a `low` one is a subscript."""

    text: str
    low: bool


def pieces(text: str, names: Collection[str]) -> Iterator[str | Name]:
    """Yield the label in order: Name for each of `names`, accented or not, and the text between them."""
    end = 0
    for match in _NAME.finditer(text):
        accent, bare = _split_accent(match.group())
        if bare in names:
            stem = bare.rstrip("'")
            letters = stem.rstrip("0123456789") or stem
            yield text[end : match.start()]
            yield Name(accent, letters, stem[len(letters) :], bare[len(stem) :])
            end = match.end()
    yield text[end:]


def _split_accent(token: str) -> tuple[str, str]:
    """Return (accent, name without it) if the first letter has a dot or bar, else ("", token)."""
    marked = unicodedata.normalize("NFD", token)
    place = next((k for k in range(1, len(marked)) if not unicodedata.combining(marked[k])), len(marked)) - 1
    if marked[place] not in (DOT, BAR):
        return "", token
    return marked[place], unicodedata.normalize("NFC", marked[:place] + marked[place + 1 :])


def runs(text: str, names: Collection[str]) -> list[Run]:
    """Return the label `text` in pieces for drawing: digits at the end of one of the `names` are its subscript."""
    raw: list[Run] = []
    for piece in pieces(text, names):
        if isinstance(piece, str):
            raw.append(Run(piece, False))
        else:
            accented = unicodedata.normalize("NFC", piece.letters[0] + piece.accent + piece.letters[1:])
            raw += [Run(accented, False), Run(piece.number, True), Run(piece.primes, False)]
    joined: list[Run] = []
    for run in raw:
        if joined and joined[-1].low == run.low:
            joined[-1] = Run(joined[-1].text + run.text, run.low)
        elif run.text:
            joined.append(run)
    return joined


def breadth(text: str, names: Collection[str], size: float) -> float:
    """Return the approximate width of a label at a font size, rather too large than too small."""
    total = 0.0
    for piece, low in runs(text, names):
        total += sum(_letter_width(letter) for letter in unicodedata.normalize("NFC", piece)) * (SMALL if low else 1.0)
    return total * size / 100


def _letter_width(letter: str) -> int:
    """Return the width of a letter in hundredths of the font size."""
    known = _WIDTH_OF.get(letter)
    if known is not None:
        return known
    if unicodedata.combining(letter):
        return 0
    plain = unicodedata.normalize("NFD", letter)[0]
    return _WIDTH_OF.get(plain, _WIDE if unicodedata.east_asian_width(letter) in "WF" else _OTHER)


def shortened(text: str, longest: int) -> str:
    """Return the text, cut in the middle with `…` if it has more than `longest` characters."""
    if len(text) <= longest:
        return text
    tail = longest // 3
    return f"{text[: longest - tail - 1].rstrip()}…{text[-tail:].lstrip(f' {DOT}{BAR}')}"
