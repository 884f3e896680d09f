"""Letters of labels: their widths, which digits are subscripts, what is under a root, and where a long label is cut."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from itertools import accumulate, groupby

from ...notation.typeset_names import GREEK, greek_letter, name_parts
from ...records import NamedTuple
from ...table.primitive import ROWS, Call

DOT, BAR = "\u0307", "\u0304"
OPENING, CLOSING = "\x0e", "\x0f"  # around what is under a root; no label has these characters
_TOKEN = re.compile(f"[^\\W\\d][{DOT}{BAR}]?\\w*'*|{OPENING}+|{CLOSING}")

_EXPONENT = re.compile("\\^(−?[0-9]+(?:\\.[0-9]+)?)(?![\\w^!])")
_LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_BRACKETED = re.compile(r"\^\((−[0-9.]+)\)")
_ROOT = re.compile(f"\\bsqrt(\\(| [\\w.'{DOT}{BAR}]+)")

_SYMBOLS = {
    row.name: greek_letter(row.notation.symbol)
    for row in ROWS.values()
    if isinstance(row.notation, Call) and row.notation.symbol in GREEK
}
_FUNCTION = re.compile(f"\\b({'|'.join(_SYMBOLS)})(?: ([\\w.'{DOT}{BAR}]+)|(?=\\())")

# Advance widths in hundredths of the font size, as in DejaVu Sans, which is wider than most: what fits it fits them.
_WIDTHS = {
    28: "'ijl", 30: "IJ", 33: " ,.·/:;\\|", 37: "f-", 40: "()[]t⌊⌋⌈⌉!²³", 43: 'r"', 51: "*_`°", 53: "sz∂?εc", 58: "LFk",
    61: "vxyγλPπτTYaoδθ", 64: "ebdghnpquσES$0123456789{}√βμ", 68: "AVKαφ", 71: "BRXZC", 75: "UHN∧∨", 79: "DGOQ&",
    85: "w∞#+<=>^~×−≤≥≠ω¬M", 99: "%mW@…",
}  # fmt: skip
_WIDTH_OF = {letter: width for width, letters in _WIDTHS.items() for letter in letters}
_OTHER, _WIDE = 85, 110
SMALL = 0.75  # the size of a subscript
TALLER = 0.2  # by which a root sign is larger for each root in the root


class Name(NamedTuple):
    """A name in a label: accent (DOT, BAR or empty), letters without it (of a Greek letter its name), subscript,
    primes."""

    accent: str
    letters: str
    subscript: str
    primes: str


class Run(NamedTuple):
    """A piece of a label: `height` is -1 for a subscript and 1 for an exponent; `barred` if a bar is over all of it.

    It is under `roots` root signs; a root sign is a piece of its own if there are other roots under it, at most
    `nested` in one another.
    """

    text: str
    height: int = 0
    barred: bool = False
    roots: int = 0
    nested: int = 0

    @property
    def size(self) -> float:
        """The size of its letters, relative to that of the label."""
        return (SMALL if self.height else 1.0) * (1 + TALLER * self.nested)

    @property
    def width(self) -> float:
        """Its approximate width in hundredths of the size of the label, rather too large than too small."""
        return sum(map(_letter_width, unicodedata.normalize("NFC", self.text))) * self.size


def pieces(text: str, names: Collection[str]) -> Iterator[str | Name]:
    """Yield the label in order: a Name (accent, letters, subscript, primes) for each word that is one of `names`, and
    the texts around these words.

    A name may have an accent; a text may be empty. Functions whose symbol is a Greek letter are written as that letter
    first. A root is written as √, OPENING (a control character), its content, CLOSING. OPENING is repeated once more
    for each level of roots in the content. OPENING, with its repeats, and CLOSING are texts of their own; √ is the end
    of the text before OPENING.
    """
    end = 0
    text = _mark_roots(_FUNCTION.sub(lambda match: _write_function(match, names), text))
    for match in _TOKEN.finditer(text):
        token = match.group()
        accent, bare = _split_accent(token)
        if bare not in names and token[0] not in (OPENING, CLOSING):
            continue
        yield text[end : match.start()]
        end = match.end()
        if bare not in names:
            yield token
            continue
        letters, subscript, primes = name_parts(bare)
        if not letters or bare.endswith("_"):
            letters, subscript = bare.rstrip("'"), ""
        yield Name(accent, letters, subscript, primes)
    yield text[end:]


def _write_function(match: re.Match[str], names: Collection[str]) -> str:
    """Return what replaces a match of `_FUNCTION`: the Greek letter that is the symbol of the function, with its
    argument in brackets, σ(z) for `sigmoid z`; unchanged if the function's name is one of `names`.
    """
    name, argument = match.groups()
    return match[0] if name in names else _SYMBOLS[name] + (f"({argument})" if argument else "")


def _mark_roots(text: str) -> str:
    """Return the label with `√`, OPENING and CLOSING (control characters) instead of `sqrt` and its brackets or blank.

    `sqrt(x1) + 1` and `sqrt x1 + 1` become √, OPENING, `x1`, CLOSING, ` + 1`. OPENING is repeated once more for each
    level of roots in the content. If a bracket is not closed, only `√` is written before it. Roots inside of roots are
    marked first.
    """
    for match in reversed([*_ROOT.finditer(text)]):  # so that roots in a root come first
        before, rest, inside = text[: match.start()], text[match.end() :], match[1].strip()
        if inside == "(":
            depths = accumulate((c == ")") - (c == "(") for c in rest)
            end = next((k for k, depth in enumerate(depths) if depth > 0), None)
            if end is None:
                text = f"{before}√({rest}"
                continue
            inside, rest = rest[:end], rest[end + 1 :]
        levels = max(accumulate((c == "√") - (c == CLOSING) for c in inside))
        text = f"{before}√{OPENING * (1 + levels)}{inside}{CLOSING}{rest}"
    return text


def _split_accent(token: str) -> tuple[str, str]:
    """Return (accent, `token` without it) if the last accent of the first letter is DOT or BAR, else ("", `token`): ẋ1
    gives (DOT, `x1`).
    """
    marked = unicodedata.normalize("NFD", token)
    place = next((k for k in range(1, len(marked)) if not unicodedata.combining(marked[k])), len(marked)) - 1
    if marked[place] not in (DOT, BAR):
        return "", token
    return marked[place], unicodedata.normalize("NFC", marked[:place] + marked[place + 1 :])


def runs(text: str, names: Collection[str]) -> list[Run]:
    """Return the label `text` in pieces for drawing; neighbours of one look are joined, and no piece is empty.

    The subscript of one of the `names` is the digits at its end, or the text after its underscore. Names of Greek
    letters, and functions whose symbol is a Greek letter, become this letter. A number or name after `^` is an
    exponent, without the `^` (but `^` stays before a name whose subscript is a word); `sqrt` is the root sign. A bar
    over a name of several letters covers all of them, other accents are on the first letter.
    """
    raw: list[Run] = []
    roots = 0
    for piece in pieces(text, names):
        if isinstance(piece, Name):
            _append_name(raw, piece, roots)
        elif OPENING in piece:
            sign = Run("√", roots=roots, nested=len(piece) - 1)
            raw[-1:] = [raw[-1]._replace(text=raw[-1].text.removesuffix("√")), sign]
            roots += 1
        elif piece == CLOSING:
            roots -= 1
        else:
            parts = _EXPONENT.split(_BRACKETED.sub(r"^\1", piece))
            raw += [Run(part, k % 2, roots=roots) for k, part in enumerate(parts)]
    alike = groupby((run for run in raw if run.text), key=lambda run: run[1:])
    return [Run("".join(run.text for run in group), *look) for look, group in alike]


def _append_name(raw: list[Run], name: Name, roots: int) -> None:
    """Append the pieces of a name under `roots` root signs to `raw`, in place: letters, subscript and primes.

    Directly after `^` the name, with its digits lowered and its primes, becomes an exponent, which replaces the sign;
    but not if its subscript is a word. An accent is on the first letter; a bar over several letters covers all of them.
    Pieces may be empty.
    """
    letters = greek_letter(name.letters) if name.letters in GREEK else name.letters
    if raw and raw[-1].text.endswith("^") and not name.subscript.strip("0123456789"):
        exponent = letters + name.subscript.translate(_LOWERED) + name.primes
        raw[-1:] = [raw[-1]._replace(text=raw[-1].text[:-1]), Run(exponent, 1, roots=roots)]
        return
    barred = name.accent == BAR and len(letters) > 1
    shown = letters if barred else unicodedata.normalize("NFC", letters[0] + name.accent + letters[1:])
    raw += [Run(shown, 0, barred, roots), Run(name.subscript, -1, roots=roots), Run(name.primes, roots=roots)]


def label_width(text: str, names: Collection[str], size: float) -> float:
    """Return the approximate width of the label `text` in letters of the given `size`, in the same unit, rather too
    large than too small. `names` are those whose digits become subscripts.
    """
    return sum(run.width for run in runs(text, names)) * size / 100


def _letter_width(letter: str) -> int:
    """Return the approximate width of a letter in hundredths of the font size.

    A letter with an accent is as wide as its base letter, a combining accent 0. Of unknown letters, a wide one such as
    a Chinese character counts 110, others 85.
    """
    known = _WIDTH_OF.get(letter)
    if known is not None:
        return known
    if unicodedata.combining(letter):
        return 0
    plain = unicodedata.normalize("NFD", letter)[0]
    return _WIDTH_OF.get(plain, _WIDE if unicodedata.east_asian_width(letter) in "WF" else _OTHER)


def shorten(text: str, longest: int) -> str:
    """Return the text; one of more than `longest` characters is cut in the middle, where an `…` is put: `abcdef…xyz`
    for the alphabet and 10.

    Its last third of `longest` stays, and as much of its beginning as there is room for. Blanks next to the `…` are
    left out, and accents that would follow it, so that the result may be shorter.
    """
    if len(text) <= longest:
        return text
    tail = longest // 3
    return f"{text[: longest - tail - 1].rstrip()}…{text[len(text) - tail :].lstrip(f' {DOT}{BAR}')}"
