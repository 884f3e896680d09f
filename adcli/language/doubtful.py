"""Names that may have been meant as something else: `sinx`, `xy`, `xe^x`, `PI`.

A name without a value is told of where it begins or ends with a function's name or falls apart into names that the
expression has: as an error where one reading is clearly meant, as a reading where it may be a name of its own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple

from ..errors import NameProblem, Source, Span
from ..table.primitive import Primitive, lookup, spellings
from ..table.suggest import ELSEWHERE, near_function
from .tokens import Reading, Token

_LONGEST = 40  # characters of a name that anybody ran together
_GREEK = (
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "omicron", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "varepsilon", "vartheta", "varpi",
    "varrho", "varsigma", "varphi",
)  # fmt: skip
_LETTER = re.compile(r"[^\W\d_](?:_?[0-9]+)?")
_NUMBERED_LETTER = re.compile(rf"(?:[^\W\d_]|{'|'.join(_GREEK)})_?[0-9]*\Z", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]+")
_INDEXED = re.compile(r"[^\W\d_]_?[0-9]+\Z")
_PLACE = frozenset("xyz")  # what nobody calls anything but a variable
_CLEAR = frozenset("xyztuvwr")  # what is an argument wherever it stands behind a function's name
_DIFFERENCES = frozenset("Δδ∂∇")  # a name may begin so
# Names that begin with a function's and may well be names of their own; and words that are nothing else.
_AMBIGUOUS = frozenset({"cost", "sink", "sing", "tank", "tang", "sect", "logs", "signs"})
_WORDS = frozenset(
    {"signal", "login", "logic", "logos", "logo", "cosmo", "tango", "since", "sinus", "expo", "truncate"}
)
_ENDLESS = frozenset({"inf", "infinity", "Infinity", "Inf", "oo", "infty"})
_ANGLES = frozenset({"deg", "degree"})
_FEW = 3  # pieces that somebody may have run together without having them elsewhere


class NamePart(NamedTuple):
    """A part of a name: a function, a number, or what may be a variable; `sure` where it is known to be one."""

    text: str
    function: Primitive | None = None
    number: bool = False
    sure: bool = False

    @property
    def is_usual(self) -> bool:
        """Whether it is x, y or z, perhaps with an index."""
        return self.text[0] in _PLACE and (len(self.text) == 1 or _INDEXED.match(self.text) is not None)

    @property
    def is_clear(self) -> bool:
        """Whether it must be the argument of a function in front of it."""
        return self.sure or self.number or self.text in _CLEAR or self.is_usual or _is_greek(self.text)


def _is_greek(name: str) -> bool:
    """Whether a name is that of a Greek letter, or one."""
    return name.lower() in _GREEK or (len(name) == 1 and "GREEK" in unicodedata.name(name, ""))


def functions() -> dict[str, Primitive]:
    """The functions that take one argument, by all their names but Greek letters."""
    return _functions(frozenset(spellings()))


@lru_cache(maxsize=4)
def _functions(names: frozenset[str]) -> dict[str, Primitive]:
    """Those among names of functions; rows may be added to the table."""
    rows = {name: row for name in names if (row := lookup(name)) is not None and not _is_greek(name)}
    return {name: row for name, row in rows.items() if row.arity == 1 and not row.truth_arguments and name != "neg"}


# --- how a name falls apart -------------------------------------------------------------------------------------------


def pieces_of(name: str, sure: Collection[str]) -> list[NamePart]:
    """The name as functions, numbers and variables side by side; empty where it does not fall apart.

    `sure` are names of variables.  Among several ways the one with the fewest unknown letters is taken, then the one
    with the fewest pieces.
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
        for piece in _starting(name, start, sure, known):
            end = start + len(piece.text)
            unknown = piece.function is None and not (piece.sure or piece.number or piece.is_usual)
            cost = before[0] + (unknown and not _is_greek(piece.text)), before[1] + 1
            there = best[end]
            if there is None or cost < there[:2]:
                best[end] = (*cost, start, piece)
    found: list[NamePart] = []
    end = size
    while end and best[end] is not None:
        _, _, end, piece = best[end] or (0, 0, 0, NamePart(""))
        found.append(piece)
    return found[::-1] if end == 0 else []


def _starting(name: str, start: int, sure: Collection[str], known: dict[str, Primitive]) -> list[NamePart]:
    """The pieces that may start at a place of a name."""
    if name[start].isdigit():
        number = _NUMBER.match(name, start)
        return [NamePart(number.group(), number=True)] if number and start else []
    found = []
    for end in range(start + 1, len(name) + 1):
        text = name[start:end]
        if text in known:
            found.append(NamePart(text, known[text]))
        elif text in sure and text != name:
            found.append(NamePart(text, sure=True))
        elif text in ("pi", "π") or (len(text) > 1 and text in _GREEK):
            found.append(NamePart(text))
    letter = _LETTER.match(name, start)
    if letter is not None:
        texts = {letter.group(), name[start]} if len(letter.group()) > 1 else {name[start]}
        found += [NamePart(text, sure=text in sure) for text in sorted(texts, key=len, reverse=True)]
    return found


def put_apart(pieces: Sequence[NamePart], following: str = "") -> str:
    """What the pieces of a name say: `x*sin(2*y)`; `following` is what stands behind the name, such as `(…)`."""
    factors: list[str] = []
    closing: list[int] = []  # how many brackets each factor closes
    opened = 0
    fresh = True
    for piece in pieces:
        if piece.function is not None:
            if not fresh and opened:  # cosxsinx
                closing[-1] += opened
                opened = 0
            factors.append(f"{piece.text}(")
            closing.append(0)
            opened += 1
            fresh = True
            continue
        factors.append(piece.text)
        closing.append(0)
        fresh = False
    if fresh and opened:  # the last one is a function, to which what follows is the argument
        inside = following[1:-1] if following.startswith("(") else "…"
        factors.append(inside)
        closing.append(0)
        following = ""
    closing[-1] += opened
    text = ""
    for factor, brackets in zip(factors, closing, strict=True):
        text += ("" if not text or text.endswith("(") else "*") + factor + ")" * brackets
    return f"{text}*{following}" if following else text


# --- what is said of it -----------------------------------------------------------------------------------------------


class Doubts:
    """What is doubtful in the names of one program; `bound` are those with a value, `defined` its own."""

    def __init__(
        self, source: Source, names: Collection[str], bound: Collection[str], defined: Collection[str]
    ) -> None:
        self.source = source
        self.names = set(names)
        self.known = {*bound, *defined, *names}
        self.pointed = bool(bound)

    def reading(self, name: str, span: tuple[int, int]) -> Reading | None:
        """How a name without a value was read, where it may mean something else; NameProblem where it clearly does."""
        if name.endswith("'") or (_NUMBERED_LETTER.match(name) and name.lower() != "pi"):
            return None
        found = self._alone(name, span) or self._with_underscore(name)
        if found is None:
            others = self.known - {name}
            pieces = pieces_of(name, others)
            if len(pieces) < 2 or name in _WORDS:
                return None
            raised = self._is_raised(span)
            clear = self._is_clear(name, pieces, raised)
            if clear is None:
                return None
            meant = put_apart(pieces)
            if clear:
                raise self._run_together(name, pieces, span, raised)
            what = "the function" if any(piece.function for piece in pieces) else "a product"
            found = f"{name} is read as one name; {what} is {meant}"
        return Reading(found, span, topic="names")

    def _alone(self, name: str, span: tuple[int, int]) -> str | None:
        """What is said of a function's name without an argument, and of words that mean something elsewhere."""
        here = Span(*span, self.source)
        if name in _ENDLESS:
            advice = "infinite inputs are given by --at, as in --at x=inf"
            raise NameProblem("infinity is not a number of the language", here, help=advice)
        if name in ELSEWHERE:
            raise _elsewhere(name, here)
        if name.endswith("e") and name[:-1] in functions() and near_function(name, 1):  # sine x
            raise unknown_function(Token("NAME", name, *span), 1, self.source, ())
        if name in _ANGLES:
            return f"{name} is read as a variable; degrees are written 30°"
        row = lookup(name)
        if row is not None and not _is_greek(name):
            if name in functions() and len(name) > 2:
                label, advice = f"{name} is a function", f"write its argument: {name}(x)"
                raise NameProblem(f"{name} has nothing to apply to", here, label, help=advice)
            return f"{name} is read as a variable; the function is {name}({', '.join(row.arguments)})"
        lower = name.lower()
        if lower == "pi" != name:
            raise NameProblem(f"{name} is no constant", here, f"did you mean {lower}?", help=f"write {lower}")
        if lower != name and lower in functions() and len(name) > 2:
            label, advice = f"did you mean {lower}?", f"write {lower}(x)"
            raise NameProblem(f"there is no function called {name}", here, label, help=advice)
        return None

    def _with_underscore(self, name: str) -> str | None:
        """What is said of `sin_x`, which begins with a function's name and may be a name of its own."""
        head, underscore, tail = name.partition("_")
        if underscore and head in functions() and len(tail) == 1 and tail.isalpha():
            return f"{name} is read as one name; the function is {head}({tail})"
        return None

    def _is_raised(self, span: tuple[int, int]) -> bool:
        rest = self.source.text[span[1] :].lstrip()
        return rest.startswith(("^", "**"))

    def _is_clear(self, name: str, pieces: list[NamePart], raised: bool) -> bool | None:
        """Whether the pieces are clearly meant; None where the name is nothing to wonder at."""
        if any(piece.function is not None for piece in pieces):
            return _applies(name, pieces)
        return self._multiplies(name, pieces, raised)

    def _multiplies(self, name: str, pieces: list[NamePart], raised: bool) -> bool | None:
        """The same for a name that consists of variables and numbers."""
        if name[0] in _DIFFERENCES:
            return None
        if pieces[-1].text == "e" and raised and "e" not in self.known:
            rest = pieces[:-1]  # xe^x
            return all(p.sure or p.text in _CLEAR or p.is_usual for p in rest) or (None if len(rest) > 1 else False)
        if any(piece.text in ("pi", "π") for piece in pieces):
            others = [piece for piece in pieces if piece.text not in ("pi", "π")]
            if all(p.sure or p.number or p.text in _CLEAR or p.is_usual for p in others) or "π" in name:
                return True
            return False if len(others) == 1 else None
        indexed = all(_INDEXED.match(piece.text) for piece in pieces)
        if all(piece.sure for piece in pieces) and (len(pieces) <= _FEW or indexed):
            return True
        letters = {piece.text[0] for piece in pieces}
        if indexed and (len(letters) == 1 or letters <= _PLACE):
            return True
        if all(piece.is_usual for piece in pieces):
            return len(letters) > 1
        if any(piece.number for piece in pieces) or len(pieces) > _FEW:
            return False if all(piece.sure or piece.number for piece in pieces) else None
        if len(name) == 2 and any(name[0] + other in self.names for other in _PLACE - {name[1]} if name[1] in _PLACE):
            return None  # components of a vector
        if any(piece.sure for piece in pieces) or indexed or any(_is_greek(piece.text) for piece in pieces):
            return False
        return False if len(pieces) == 2 or not set(name.lower()) & set("aeiou") else None

    def _run_together(self, name: str, pieces: list[NamePart], span: tuple[int, int], raised: bool) -> NameProblem:
        meant = put_apart(pieces)
        advice = f"write {meant}"
        if raised and meant.endswith(")"):
            advice = f"write {meant[:-1]}^…) or {meant}^…, whichever is meant"
        elif other := _other_way(pieces):
            advice = f"write {meant} or {other}, whichever is meant"
        own = () if self.pointed else (f"a name of its own is given a value, as in --at {name}=1",)
        here = Span(*span, self.source)
        return NameProblem(f"{name} has no value", here, "names run together are one name", own, advice)


def _applies(name: str, pieces: list[NamePart]) -> bool | None:
    """Whether a function's name is clearly meant in a name; None where it is there by chance."""
    first = next(place for place, piece in enumerate(pieces) if piece.function is not None)
    before, after = pieces[:first], [piece for piece in pieces[first + 1 :] if piece.function is None]
    unknown = sum(1 for piece in (*before, *after) if not piece.is_clear)
    if name in _AMBIGUOUS:
        return False
    if before:
        if unknown == 0:
            return True
        return False if len(before) == 1 and not after and unknown == 1 else None
    row = pieces[first].function
    if unknown == 0:
        return len(pieces[first].text) > 2 or pieces[first].text in ("ln", "lg") or False
    if unknown == 1 and len(after) == 1:
        return row is not None and row.angle
    return False if unknown <= 2 and len(after) <= 2 else None


def _other_way(pieces: Sequence[NamePart]) -> str | None:
    """What `log2x` says if the digits are no part of the function's name."""
    head = pieces[0].text
    stem = head.rstrip("0123456789")
    if pieces[0].function is None or stem == head or stem not in functions():
        return None
    number = NamePart(head[len(stem) :], number=True)
    return put_apart([NamePart(stem, functions()[stem]), number, *pieces[1:]])


# --- functions that there are none ------------------------------------------------------------------------------------


def unknown_function(token: Token, arguments: int, source: Source, variables: Collection[str]) -> NameProblem:
    """A name before a bracket that is neither a function nor a variable; `arguments` stand in the bracket."""
    name = token.text
    title, here = f"there is no function called {name}", Span(token.start, token.end, source)
    if name in ELSEWHERE:
        return _elsewhere(name, here)
    if name.endswith("'"):
        return NameProblem(title, here, "derivatives have no name here", help="derivatives of a function: adcli diff")
    pieces = pieces_of(name, variables) if arguments == 1 else []
    clear = len(pieces) > 1 and all(piece.function is not None or piece.sure or piece.is_usual for piece in pieces)
    guess = None if clear else near_function(name, arguments)
    if guess is not None:
        return NameProblem(title, here, f"did you mean {guess}?", help=f"write {guess}(…)")
    if clear or (len(pieces) > 1 and any(piece.function is not None for piece in pieces[-1:])):
        meant = put_apart(pieces, "(…)")
        return NameProblem(title, here, "names run together are one name", help=f"write {meant}")
    advice = f"a product is {name}*(…); all functions: adcli functions"
    return NameProblem(title, here, "neither a function nor a known variable", help=advice)


def _elsewhere(name: str, here: Span) -> NameProblem:
    advice = f"write {ELSEWHERE[name]}"
    return NameProblem(f"there is no function called {name}", here, "a function of other programs", help=advice)
