"""Names that may have been meant as something else: `sinx`, `xy`, `xe^x`, `PI`.

A name without a value is told of where it begins or ends with a function's name or falls apart into names that the
expression has: as an error where one reading is clearly meant, as a reading where it may be a name of its own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence

from ..errors import NameProblem, Source, Span
from ..table.primitive import lookup
from ..table.suggest import ELSEWHERE, near_function
from .name_parts import CLEAR, GREEK, INDEXED, USUAL, NamePart, functions, is_greek, pieces_of, put_apart
from .spelling import Reading
from .tokens import Token

_NUMBERED_LETTER = re.compile(rf"(?:[^\W\d_]|{'|'.join(GREEK)})_?[0-9]*\Z", re.IGNORECASE)
_DIFFERENCES = frozenset("Δδ∂∇")  # a name may begin so
# Names that begin with a function's and may well be names of their own; and words that are nothing else.
_AMBIGUOUS = frozenset({"cost", "sink", "sing", "tank", "tang", "sect", "logs", "signs"})
_WORDS = frozenset({"signal", "login", "logic", "logos", "logo", "cosmo", "tango", "since", "sinus", "expo", "basin"})
_ENDLESS = frozenset({"inf", "infinity", "Infinity", "Inf", "oo", "infty"})
_ANGLES = frozenset({"deg", "degree", "degs", "rad", "radian"})
_DIFFERENTIALS = re.compile(r"(?:d[^\W\d_](?:_?[0-9]+)?)+\Z")
# Letters of other scripts that look like Latin ones.
_LATIN = str.maketrans(
    "абсеһіјӏорѕхуԁԛԝАВСЕНІЈКМОРЅТХУΑΒΕΖΗΙΚΜΝΟΡΤΥΧοıⅈⅉⅆℓ", "a6cehijlopsxydqwABCEHIJKMOPSTXYABEZHIKMNOPTYXoiijdl"
)
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_WHOLE = re.compile(r"(?<![\w.^])[0-9]++\Z")
_FEW = 3  # pieces that somebody may have run together without having them elsewhere


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
        if not name.isascii() and (twin := self._look_alike(name, Span(*span, self.source))) is not None:
            return Reading(twin, span, topic="scripts")
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
        if name[0] == "_" and name[1:2].isdigit() and (number := _WHOLE.search(self.source.text[: span[0]][-40:])):
            digits = f"{number.group()}{name}".replace("_", "")
            raise NameProblem("numbers have no underscores", here, "read as a name", help=f"write {digits}")
        if name[0] == "_" and name[1:].isdigit():  # x^2_1
            raise NameProblem(
                f"{name} has no value", here, "a subscript stands right behind its name", help="write x_1^2"
            )
        if name in _ENDLESS:
            advice = "infinite inputs are given by --at, as in --at x=inf"
            raise NameProblem("infinity is not a number of the language", here, help=advice)
        if name in ELSEWHERE:
            raise _elsewhere(name, here)
        if name.endswith("e") and name not in _WORDS and name[:-1] in functions() and near_function(name, 1):  # sine x
            raise unknown_function(Token("NAME", name, *span), 1, self.source, ())
        if name in _ANGLES:
            return f"{name} is read as a variable; degrees are written 30°"
        row = lookup(name)
        if row is not None and not is_greek(name):
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
        return self._in_front(name, span)

    def _in_front(self, name: str, span: tuple[int, int]) -> str | None:
        """What is said of a word in front of what a function would be applied to; NameProblem where it is like one."""
        pieces = pieces_of(name, self.known - {name})
        together = len(pieces) > 1 and all(piece.function is not None or piece.is_clear for piece in pieces)
        if len(name) < 3 or not name.isalpha() or is_greek(name) or together or not self._is_applied(span):
            return None
        if name not in _WORDS and near_function(name, 1):
            raise unknown_function(Token("NAME", name, *span), 1, self.source, ())
        has_function = any(piece.function is not None for piece in pieces)
        return None if has_function else f"{name} is read as a variable, times what follows"

    def _look_alike(self, name: str, here: Span) -> str | None:
        """What is said of letters that look like others; NameProblem where scripts are mixed in one name."""
        if name.isascii():
            return None
        plain = unicodedata.normalize("NFKC", name).translate(_LATIN)
        scripts = {unicodedata.name(c, "").partition(" ")[0] for c in name if c.isalpha()}
        strange = next((c for c in name if not c.isascii()), name)
        if len(scripts) > 1 and plain.isascii():
            label = f"{strange} is {unicodedata.name(strange, 'no Latin letter').lower()}"
            raise NameProblem(f"{name} mixes letters of several scripts", here, label, help=f"type {plain} anew")
        if plain.isascii() and plain != name:
            return f"{name} is read as a name of its own: {unicodedata.name(strange, '').lower()}, not {plain}"
        return None

    def _is_applied(self, span: tuple[int, int]) -> bool:
        """Whether what follows a name is what a function would be applied to."""
        return re.match(r"[ \t]+[\w(|√\\]", self.source.text[span[1] : span[1] + 9]) is not None

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
        if name[0] == "d" and _DIFFERENTIALS.match(name):
            return all(piece.sure for piece in pieces)
        if pieces[-1].text == "e" and raised and "e" not in self.known:
            rest = pieces[:-1]  # xe^x
            return all(p.sure or p.text in CLEAR or p.is_usual for p in rest) or (None if len(rest) > 1 else False)
        if any(piece.text in ("pi", "π") for piece in pieces):
            others = [piece for piece in pieces if piece.text not in ("pi", "π")]
            if all(p.sure or p.number or p.text in CLEAR or p.is_usual for p in others) or "π" in name:
                return True
            return False if len(others) == 1 else None
        indexed = all(INDEXED.match(piece.text) for piece in pieces)
        if all(piece.sure for piece in pieces) and (len(pieces) <= _FEW or indexed):
            return True
        letters = {piece.text[0] for piece in pieces}
        if indexed and (len(letters) == 1 or letters <= USUAL):
            return True
        if all(piece.is_usual for piece in pieces):
            return len(letters) > 1
        if any(piece.number for piece in pieces) or len(pieces) > _FEW:
            return False if all(piece.sure or piece.number for piece in pieces) else None
        if len(name) == 2 and any(name[0] + other in self.names for other in USUAL - {name[1]} if name[1] in USUAL):
            return None  # components of a vector
        if name in _ALPHABET or all(piece.text in CLEAR for piece in pieces):
            return False
        if any(piece.sure for piece in pieces) or indexed or any(is_greek(piece.text) for piece in pieces):
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
