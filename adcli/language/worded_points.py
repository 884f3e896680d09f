"""Points in words: where the point of a problem begins that has a word or a comma instead of @, as `x^2 at x=2`."""

from __future__ import annotations

from itertools import islice

from ..errors import Source
from ..patterns import pattern
from .brackets import depth_of
from .name_parts import letters_of
from .tokens import plain_name

WRITTEN_NAME = r"\\?[^\W\d][\w{}]*+'*+"
_USED = pattern(WRITTEN_NAME)
# Between a name and its value.
SIGN = r"\s*+(?::?=(?![=>])|(?<=\s)(?:is|equals)(?=\s))"
_NAMED = pattern(rf"(?<![\w\\])({WRITTEN_NAME}){SIGN}")
# Words and signs between an expression and its point instead of @, also those of headings that adcli prints.
_POINT_SIGN = pattern(
    rf"(?:\s(?:at|where|for|when|with|if|für|bei|mit|pour|avec|para|con)\s|[,;|])\s*+(?={WRITTEN_NAME}{SIGN})"
    rf"|/\.\s*+(?=\{{?\s*+{WRITTEN_NAME}\s*+(?:->|→))",
    signs=("=", "is", "equals", "/."),
)
_MOST = 100  # signs that are tried in a text
_FEW = 3  # letters of a product that is written as one name
_SIGNS_OF_RANGES = ("==", "<", ">", "≤", "≥", "..", "…")
_WORDS_OF_RANGES = frozenset({"to", "until"})


def point_in_words(text: str, start: int) -> tuple[int, int]:
    """Return (end of the program, start of the point) in a text such as `x^2 at x=2`, `x^2 where x is 2`; (-1, 0)
    without.

    The program begins at `start`, and the point behind the first fitting sign outside brackets and bars: a word (at,
    where, for, when, with, if, für, bei, mit, pour, avec, para, con), comma or | before `name =` (`x*y, x=2, y=3`); /.
    (`x^2 /. x -> 2`); or the only semicolon, if commas are between the values (`m*a; m=2, a=3`). The point must not
    have a range (`<`, `..`, `to`), and the program, not blank, must contain each of its names; the letters of a name of
    up to three characters count as names, too (`mgh`).
    """
    for match in islice(_POINT_SIGN.finditer(text, start), _MOST):
        program, point = text[start : match.start()], text[match.end() :]
        if _has_range(point) or not _ends_program(match.group(), program, point):
            continue
        used = {plain_name(name) for name in _USED.findall(program)}
        used |= {letter for name in used if len(name) <= _FEW for letter in letters_of(name)}  # mgh, m=2, g=9.8, h=1
        if program.strip() and all(plain_name(name) in used for name in _NAMED.findall(point)):
            return match.start(), match.end()
    return -1, 0


def write_point(source: Source) -> str:
    """Return the point that follows the program in the text that a source shows; empty if there is none."""
    rest = source.shown[len(source.text) :]
    match = _POINT_SIGN.match(rest)
    return rest[match.end() if match else 1 :].strip()


def _has_range(point: str) -> bool:
    """Return whether a sign or word of a range is in the text: `x < 2`, `x=1..3`, `x=1 to 3`."""
    has_sign = any(sign in point.replace("->", "=") for sign in _SIGNS_OF_RANGES)
    return has_sign or not _WORDS_OF_RANGES.isdisjoint(point.split())


def _ends_program(sign: str, program: str, point: str) -> bool:
    """Return whether `sign` between the two texts is outside brackets and bars, and, a semicolon, the only one, with
    commas behind it.
    """
    if sign == ";" and ("," not in point or ";" in point):
        return False
    return not depth_of(program) and not (sign[0] == "|" and program.count("|") % 2)
