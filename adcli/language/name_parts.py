"""The parts of a name in which functions, numbers and variables run together: `xsin2y` is x, sin, 2 and y."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence
from functools import lru_cache

from ..patterns import pattern
from ..records import NamedTuple
from ..table.primitive import Primitive, lookup, spellings

_LONGEST = 40  # characters of a name that is split
GREEK = (
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "omicron", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "varepsilon", "vartheta", "varpi",
    "varrho", "varsigma", "varphi",
)  # fmt: skip
AGGREGATES = ("sum", "prod")
_BASE = pattern(r"log(?:_?([0-9]+)|_([^\W\d_](?:_?[0-9]+)?))\Z", signs=("log",))
ASSIGNED = pattern(
    r"(?:\A|[;\n])[ \t]*+(?P<name>[^\W\d]\w*+'*+)[ \t]*+(?:\((?P<parameters>[\w, ]*+)\)[ \t]*+)?:?=(?!=)", signs="="
)
_LETTER = pattern(r"[^\W\d_](?:_?[0-9]+)?")
USUAL = frozenset("xyz")  # letters that are always variables
CLEAR = frozenset("xyztuvwr")  # letters that are arguments behind a function's name


class NamePart(NamedTuple):
    """A part of a name: a function, a number, or what may be a variable; `sure` if it is known to be one."""

    text: str
    function: Primitive | None = None
    number: bool = False
    sure: bool = False

    @property
    def is_usual(self) -> bool:
        """Return whether it is x, y or z, perhaps with an index."""
        return self.text[0] in USUAL and is_letter(self.text)

    @property
    def is_indexed(self) -> bool:
        """Return whether it is a letter with an index."""
        return len(self.text) > 1 and is_letter(self.text)

    @property
    def is_clear(self) -> bool:
        """Return whether it must be the argument of a function before it: a known variable, a number, one of the
        letters xyztuvwr, x, y or z with an index, or a Greek letter."""
        return self.sure or self.number or self.text in CLEAR or self.is_usual or is_greek(self.text)


def letters_of(name: str) -> list[str]:
    """Return the letters of a name, each with its index, `a1b` -> ["a1", "b"]; [] if the name has only one letter or
    other characters."""
    letters = _LETTER.findall(name)
    return letters if len(letters) > 1 and "".join(letters) == name else []


def is_letter(name: str) -> bool:
    """Return whether a name is one letter, perhaps with an index."""
    return _LETTER.fullmatch(name) is not None


def is_greek(name: str) -> bool:
    """Return whether a name is a Greek letter, or the English name of one in any case (`alpha`, `varphi`)."""
    return name.lower() in GREEK or (len(name) == 1 and "GREEK" in unicodedata.name(name, ""))


def logarithm_base(name: str) -> str | None:
    """Return the base in `log_2`, `log3`, `log_a`; None for every other name, and for logarithms of the table such as
    log2.
    """
    match = _BASE.match(name) if name.startswith("log") else None
    return match[1] or match[2] if match and lookup(name) is None else None


def assigned_names(text: str) -> set[str]:
    """Return the names that a text itself gives a value: assigned ones, functions, their parameters."""
    names: set[str] = set()
    for match in ASSIGNED.finditer(text):
        names |= {match["name"], *(match["parameters"] or "").replace(",", " ").split()}
    return names


def functions() -> dict[str, Primitive]:
    """Return the functions that take one argument, by all their names except Greek letters."""
    return _find_functions(frozenset(spellings()))


@lru_cache(maxsize=4)
def _find_functions(names: frozenset[str]) -> dict[str, Primitive]:
    """Return {name: row} of the functions of one argument among `names` (cached by all names, because rows may be
    added)."""
    rows = {name: row for name in names if (row := lookup(name)) is not None and not is_greek(name)}
    return {name: row for name, row in rows.items() if row.arity == 1 and not row.truth_arguments and name != "neg"}


# --- the pieces of a name ---------------------------------------------------------------------------------------------


def pieces_of(name: str, sure: Collection[str]) -> list[NamePart]:
    """Return the name split into functions, numbers and variables, from left to right; [] if it cannot be split.

    `sure` are names of variables. Of several splits the one with the fewest unknown pieces is returned, then the one
    with the fewest pieces. Unknown is a variable that is not in `sure`, not x, y or z, and not Greek. A name that stays
    whole is a list of one piece. [] also for a name of more than 40 characters.
    """
    size = len(name)
    if size > _LONGEST:
        return []
    known = functions()
    # best[k] = (unknown letters, pieces, where the last one starts, the last one) of name[:k]
    best: list[tuple[int, int, int, NamePart] | None] = [(0, 0, 0, NamePart("")), *[None] * size]
    for start in range(size):
        before = best[start]
        if before is None:
            continue
        for piece in _find_pieces_at(name, start, sure, known):
            end = start + len(piece.text)
            unknown = piece.function is None and not (piece.sure or piece.number or piece.is_usual)
            cost = before[0] + (unknown and not is_greek(piece.text)), before[1] + 1
            there = best[end]
            if there is None or cost < there[:2]:
                best[end] = (*cost, start, piece)
    pieces: list[NamePart] = []
    end = size
    while end and best[end] is not None:
        _, _, end, piece = best[end] or (0, 0, 0, NamePart(""))
        pieces.append(piece)
    return pieces[::-1] if end == 0 else []


def _find_pieces_at(name: str, start: int, sure: Collection[str], known: dict[str, Primitive]) -> list[NamePart]:
    """Return the pieces that may start at index `start` of `name`, in the order in which they are tried.

    - at a digit: the number up to its last digit; [] if `start` is 0
    - at other characters: functions of `known`, names in `sure` (not the whole name), Greek letters by name and π, the
      shortest first; then one letter with its index, and the letter alone

    Pieces in `sure` are marked `sure`.
    """
    if name[start].isdecimal():
        rest = name[start:]
        number = rest.removesuffix(rest.lstrip("0123456789"))
        return [NamePart(number, number=True)] if number and start else []
    pieces = []
    for end in range(start + 1, len(name) + 1):
        text = name[start:end]
        if text in known:
            pieces.append(NamePart(text, known[text]))
        elif text in sure and text != name:
            pieces.append(NamePart(text, sure=True))
        elif text in ("pi", "π") or (len(text) > 1 and text in GREEK):
            pieces.append(NamePart(text))
    letter = _LETTER.match(name, start)
    if letter is not None:
        texts = {letter.group(), name[start]} if len(letter.group()) > 1 else {name[start]}
        pieces += [NamePart(text, sure=text in sure) for text in sorted(texts, key=len, reverse=True)]
    return pieces


def product_text(pieces: Sequence[NamePart], following: str = "") -> str:
    """Return the product or calls that the pieces of a name mean: `x*sin(2*y)`; "" without pieces.

    All pieces after a function, up to the next function, are its argument; a function directly after a function is its
    argument. `following` is the text behind the name: in brackets, such as `(…)`, it is the argument of a last
    function; any other text is a factor. A last function that no bracket follows gets the argument `…`, and `following`
    is dropped.
    """
    text, opened = "", 0
    for piece in pieces:
        if piece.function is not None and not text.endswith("("):  # cosxsinx
            text, opened = text + ")" * opened, 0
        text += ("" if not text or text.endswith("(") else "*") + piece.text
        if piece.function is not None:
            text, opened = f"{text}(", opened + 1
    if text.endswith("("):  # the last one is a function, to which what follows is the argument
        text += following[1:-1] if following.startswith("(") else "…"
        following = ""
    text += ")" * opened
    return f"{text}*{following}" if following else text
