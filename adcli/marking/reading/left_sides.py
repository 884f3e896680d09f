"""The left side of a row: words, numbers of steps and bullets, and at their end the symbol of the row."""

from __future__ import annotations

import re

from ...patterns import pattern
from ...records import NamedTuple
from ...table.primitive import lookup
from ..model import BAR, DERIVATIVE, DOT, VALUE, Quantity
from .symbols import WORDS, Names, may_be_derivative

_LONGEST = 200
_REMARK = pattern(r"\s*+[(\[]\s*+(?:[^\W\d_]{3,}[^()\[\]]*+|by [^()\[\]]*+)[)\]]\s*\Z")
_CALL = pattern(
    r"([^\W\d_]\w*+(?:_\{\w++\})?+)('*+)\s*+\((?:\s*+[-+]?[\w.\\{}/]++\s*+,)*+\s*+([-+]?[\w.\\{}/]++)\s*+\)\s*+\Z"
)
_AT_NUMBERS = pattern(r"(?<=[\w})])\s?\(\s*+[-+]?\d[-+\d.,;\s]*+\)\Z")  # ∂f/∂x(2, 3)
_BULLET = pattern(
    r"(?:\s*+(?:[-*•·+>–—→⇒∴✓▪◦]++\s++|[•→⇒∴✓▪]|\(?\w{1,3}'*+[.)]\s*+(?!\d)|\[[\w ]{0,3}\]\s*+"
    r"|#++\s*+(?:\d++[.:)]?\s++)?+))*+\s*+"
)
_PROSE = pattern(r"(?:[^\W\d_][^\W\d]*+(?:['’][a-z]+)?[\s.,:;!–—-]++(?:\d++[.:)]?\s++)?|\(?\d{1,3}[.):]\s*+)*+\Z")
_LABEL = pattern(
    r"\s*+(?:from|via|by|for|at|edge|node|use of|contribution)\b[^:=]{1,40}:\s++", re.IGNORECASE, signs=":"
)
_WORDS = pattern(r"[^\W\d_]+")
_BRACKETED = pattern(r"\(([^()]*+)\)\Z")
_NAME = pattern(r"(?:\\?[^\W\d]\w*(?:_\{[-+]?\w+\})?'*|[^\W\d_]-\d+)\Z")
_SUPERSCRIPTS = frozenset("⁰¹²³⁴⁵⁶⁷⁸⁹")
_STARTS = pattern(r"(?<![\w\\{_^])(?=[\w\\∂])")


class LeftSide(NamedTuple):
    """A symbol found on a left side: what it stands for, where it is, its plain name as it is written, if it is one.

    `called` is the name of a function with its arguments, `f(x1, x2)`.
    """

    quantity: Quantity
    start: int
    end: int
    written: str | None
    called: str | None = None


class LeftSides(dict[str, LeftSide | None]):
    """By the text of a left side the symbol that it names, None where it names none; each is read once."""

    def __init__(self, names: Names) -> None:
        super().__init__()
        self.names = names

    def __missing__(self, text: str) -> LeftSide | None:
        found = self[text] = None if len(text) > _LONGEST else _left_side(text, self.names)
        return found


def _left_side(text: str, names: Names) -> LeftSide | None:
    plain, places = names.opened(text)
    stop = len(plain.rstrip(" \t:"))
    remark = _REMARK.search(plain[:stop]) if plain[:stop].rstrip().endswith((")", "]")) else None
    if remark and not _is_called(remark.group(), names):
        stop = remark.start()
    if "/" in plain or "∂" in plain:
        place = _AT_NUMBERS.search(plain[:stop])
        stop = place.start() if place else stop
    plain = plain[:stop]
    inside = _BRACKETED.match(plain) if plain[:1] == "(" else None
    if inside:
        plain = f" {inside[1]}"
        stop -= 1
    first = _start(plain)
    first = first if first < stop else 0
    starts = (
        [0, *(match.start() for match in _STARTS.finditer(plain))]
        if not plain[:1].isspace()
        else [match.start() for match in _STARTS.finditer(plain)]
    )
    for start in [first, *(s for s in starts if s > first), *([0] if first else [])][:12]:
        before = plain[first:start] if start >= first else ""
        if before.strip() and not _is_prose(before, names):
            continue
        found = _whole(plain, start, names)
        if found and (not before.strip() or _stands_out(found, names)):
            return LeftSide(found.quantity, places[start], places[stop], found.written, found.called)
    return None


def _start(text: str) -> int:
    """Where the blanks, bullets and words end that say nothing of what a row is."""
    if text.strip().isidentifier():
        return len(text) - len(text.lstrip())
    found = _LABEL.match(text) or _BULLET.match(text)
    return found.end() if found else 0


def are_apart(one: LeftSide | None, other: LeftSide | None) -> bool:
    """Whether the row of one symbol has no use for the other: values for derivatives, tangents for adjoints."""
    if one is None or other is None or other.quantity.kind == VALUE:
        return False
    kind, theirs = one.quantity.kind, other.quantity.kind
    if kind == VALUE:  # in da = 2x dx = 6 nobody has said yet that there is a row a
        return not may_be_derivative(one.written or "")
    return {kind, theirs} == {DOT, BAR}


def is_derivative(found: LeftSide | None) -> bool:
    """Whether a symbol is that of a tangent or an adjoint, of whatever row."""
    return found is not None and (found.quantity.kind != VALUE or may_be_derivative(found.written or ""))


def _is_called(remark: str, names: Names) -> bool:
    """Whether brackets at the end hold arguments, as in `f(x1, x2)`, and no words."""
    words = _WORDS.findall(remark)
    return not words or all(names.own(part.strip(" ()[]")) in names.known.values() for part in remark.split(","))


def _is_prose(text: str, names: Names) -> bool:
    """Whether what stands before a symbol is words and numbers of steps, and nothing to compute with."""
    if not _PROSE.match(text):
        return False
    words = _WORDS.findall(text)
    if any(lookup(word) is not None for word in words):
        return False
    names_too = [word for word in words if word in names.known]
    return not names_too or (len(names_too) < len(words) and any(len(word) > 1 for word in set(words) - set(names_too)))


def _whole(text: str, start: int, names: Names) -> LeftSide | None:
    """The symbol that a text consists of from a place on."""
    if start >= len(text):
        return None
    call = _CALL.match(text, start) if text.rstrip().endswith(")") else None
    if call and call[1] not in WORDS:
        if lookup(call[1]) is not None and call[1] not in names.known:
            return None
        return LeftSide(_called(call, names), start, len(text), None, call[1])
    found = names.at(text, start)
    plain = _NAME.match(text, start)
    if plain and not _SUPERSCRIPTS.isdisjoint(plain.group()):
        return None  # a formula
    if found and found.end == len(text) and len(found.parts) == 1 and not isinstance(found.parts[0], str):
        return LeftSide(found.parts[0], start, len(text), plain and plain.group())
    # a row may be called e, and v-1 as in a survey
    return LeftSide(Quantity(VALUE, names.own(plain.group())), start, len(text), plain.group()) if plain else None


def _called(call: re.Match[str], names: Names) -> Quantity:
    """What `f(x1, x2)`, `f'(x)`, `f'(3)` and `f'(g)` stand for."""
    result = names.result(call[1])
    whole = names.at(call[1], 0)
    if whole and whole.end == len(call[1]) and len(whole.parts) == 1:
        symbol = whole.parts[0]
        if not isinstance(symbol, str) and symbol.kind == DERIVATIVE:  # f_x(2, 3)
            return symbol
    if not call[2]:
        return Quantity(VALUE, result)
    by = names.own(call[3])
    if by not in names.known.values():
        by = names.inputs[0] if len(names.inputs) == 1 and result in names.outputs else ""
    return Quantity(DERIVATIVE, result, by) if by and call[2] == "'" else Quantity(DOT, result)


def _stands_out(found: LeftSide, names: Names) -> bool:
    """Whether a symbol at the end of some words is likely to be one, and no word itself."""
    name = found.quantity.name
    return (
        found.quantity.kind != VALUE or len(name) == 1 or any(c.isdigit() for c in name) or name in names.known.values()
    )
