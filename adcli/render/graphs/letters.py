"""Letters of labels: their widths, which digits are subscripts, and where a long label is cut."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from itertools import groupby

from ...notation.typeset_names import GREEK, greek_letter, name_parts
from ...records import NamedTuple

DOT, BAR = "\u0307", "\u0304"
_NAME = re.compile(f"[^\\W\\d][{DOT}{BAR}]?\\w*'*")

_EXPONENT = re.compile("\\^(−?[0-9]+(?:\\.[0-9]+)?)(?![\\w^!])")
_LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_BRACKETED = re.compile(r"\^\((−[0-9.]+)\)")
_ROOT = re.compile(r"\bsqrt\b ?")

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
    """A name in a label: accent (DOT, BAR or empty), letters without it (of a Greek letter its name), subscript,
    primes."""

    accent: str
    letters: str
    subscript: str
    primes: str


class Run(NamedTuple):
    """A piece of a label: `height` is -1 for a subscript and 1 for an exponent; `barred` if a bar is over all of it."""

    text: str
    height: int = 0
    barred: bool = False


def pieces(text: str, names: Collection[str]) -> Iterator[str | Name]:
    """Yield the label in order: a Name for each word that is one of `names`, with or without an accent, and the text
    before, between and after them (possibly empty).
    """
    end = 0
    for match in _NAME.finditer(text):
        accent, bare = _split_accent(match.group())
        if bare in names:
            yield text[end : match.start()]
            letters, subscript, primes = name_parts(bare)
            if not letters or bare.endswith("_"):
                letters, subscript = bare.rstrip("'"), ""
            yield Name(accent, letters, subscript, primes)
            end = match.end()
    yield text[end:]


def _split_accent(token: str) -> tuple[str, str]:
    """Return (DOT or BAR, token without it) if the first letter has it as its last accent, else ("", token)."""
    marked = unicodedata.normalize("NFD", token)
    place = next((k for k in range(1, len(marked)) if not unicodedata.combining(marked[k])), len(marked)) - 1
    if marked[place] not in (DOT, BAR):
        return "", token
    return marked[place], unicodedata.normalize("NFC", marked[:place] + marked[place + 1 :])


def runs(text: str, names: Collection[str]) -> list[Run]:
    """Return the label `text` in pieces for drawing, neighbours of one look joined, none empty.

    Digits at the end of one of the `names`, or what follows its underscore, are its subscript; names of Greek letters
    become these, a number or name after `^` is an exponent, `sqrt` the root sign. A bar over a name of several letters
    covers all of them, other accents the first letter.
    """
    raw: list[Run] = []
    for piece in pieces(text, names):
        if isinstance(piece, str):
            parts = _EXPONENT.split(_BRACKETED.sub(r"^\1", _ROOT.sub("√", piece)))
            raw += [Run(part, k % 2) for k, part in enumerate(parts)]
            continue
        letters = greek_letter(piece.letters) if piece.letters in GREEK else piece.letters
        if raw and raw[-1].text.endswith("^") and not piece.subscript.strip("0123456789"):
            exponent = Run(letters + piece.subscript.translate(_LOWERED) + piece.primes, 1)
            raw[-1:] = [Run(raw[-1].text[:-1]), exponent]
            continue
        if piece.accent == BAR and len(letters) > 1:
            raw.append(Run(letters, barred=True))
        else:
            raw.append(Run(unicodedata.normalize("NFC", letters[0] + piece.accent + letters[1:])))
        raw += [Run(piece.subscript, -1), Run(piece.primes)]
    alike = groupby((run for run in raw if run.text), key=lambda run: run[1:])
    return [Run("".join(run.text for run in group), *look) for look, group in alike]


def breadth(text: str, names: Collection[str], size: float) -> float:
    """Return the approximate width of a label at a font size, rather too large than too small."""
    total = 0.0
    for run in runs(text, names):
        size_of_run = SMALL if run.height else 1.0
        total += sum(_letter_width(letter) for letter in unicodedata.normalize("NFC", run.text)) * size_of_run
    return total * size / 100


def _letter_width(letter: str) -> int:
    """Return the approximate width of a letter in hundredths of the font size: that of its base letter if it has an
    accent, 0 for a combining accent, 110 for a wide one such as Chinese, 85 for others that are unknown.
    """
    known = _WIDTH_OF.get(letter)
    if known is not None:
        return known
    if unicodedata.combining(letter):
        return 0
    plain = unicodedata.normalize("NFD", letter)[0]
    return _WIDTH_OF.get(plain, _WIDE if unicodedata.east_asian_width(letter) in "WF" else _OTHER)


def shorten(text: str, longest: int) -> str:
    """Return the text; of more than `longest` characters the beginning and the last third of `longest`, with `…`
    between them.

    Blanks next to `…` are left out.
    """
    if len(text) <= longest:
        return text
    tail = longest // 3
    return f"{text[: longest - tail - 1].rstrip()}…{text[-tail:].lstrip(f' {DOT}{BAR}')}"
