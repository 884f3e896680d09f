r"""Sums and products in other notations than `sum(i, 1, 10, i*x)`: `sum i=1 to 10 i*x`, `Σ`, `Sum[i x, {i, 1, 10}]`."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import islice

from ..patterns import pattern
from ..records import NamedTuple
from .asked_text import closing, parts, plain, statement

_MOST = 100
_HEAD = r"(?P<head>(?<![\w\\])(?:[Ss]um|[Pp]rod(?:uct)?|SUM|PRODUCT)(?![^\W_])|\\(?:sum|prod)(?![a-zA-Z])|[Σ∑Π∏](?!\w))"
_SIGN = pattern(_HEAD, signs=("um", "SUM", "rod", "PRODUCT", "Σ", "∑", "Π", "∏"))
_BOUND = r"(?:[-+]?[0-9]++|[^\W\d]\w*+(?:\s*+[-+]\s*+[0-9]++)?|\{[^{}]{1,40}\}|\([^()]{1,40}\))"
_RANGE = pattern(
    rf"(?P<index>\\?[^\W\d_]\w*+)\s*+(?:=|:=|∈|\bin\b|\bfrom\b)\s*+(?P<low>{_BOUND})"
    rf"\s*+(?:\.\.\.?|…|\bto\b|->|→|:|,|\)\s*+\^|\}}\s*+\^|\^)\s*+(?P<high>{_BOUND})"
)
_LEAD = pattern(r"(?:\s*+(?:_|of\b|over\b|from\b|for\b|[({\[]))*+\s*+")
_TAIL = pattern(r"\s*+[)}\]]?\s*+(?:of\b|,|:)?\s*+")
_PYTHON = pattern(
    rf"(?P<term>.+?)\s+for\s+(?P<index>[^\W\d_]\w*+)\s+in\s+range\(\s*+(?:(?P<low>{_BOUND})\s*+,\s*+)?(?P<high>{_BOUND})\s*+\)\s*+\Z",
    re.DOTALL,
)


class OtherSum(NamedTuple):
    """A sum or product as it is written here, and the place of its sign; empty parts where they are not said."""

    start: int
    end: int
    word: str
    variable: str = ""
    low: str = ""
    high: str = ""
    term: str = ""

    @property
    def text(self) -> str:
        """The sum as the language writes it; nothing where a part is missing."""
        if not (self.variable and self.low and self.high and self.term):
            return ""
        return f"{self.word}({self.variable}, {self.low}, {self.high}, {self.term})"


def other_sum(text: str, known: Collection[str]) -> OtherSum | None:
    """The first sum that is written in another notation."""
    for match in islice(_SIGN.finditer(text), _MOST):
        sign = match["head"].lstrip("\\")
        if sign in known:
            continue
        word = "prod" if sign[0] in "pPΠ∏" else "sum"
        _, stop = statement(text, match.start())
        found = _found(text, match.start(), match.end(), stop, word)
        if found is not None:
            return found
    return None


def _found(text: str, start: int, end: int, stop: int, word: str) -> OtherSum | None:
    here = end + len(text[end : end + 40]) - len(text[end : end + 40].lstrip())
    close = closing(text, here, stop) if text[here : here + 1] in ("(", "[") else None
    if close is not None:
        inside = _in_brackets(text[here + 1 : close - 1], start, end, word)
        if inside is not None:
            return inside
    if text[here : here + 1] == "_" and text[start] in "\\∑∏":
        return None  # that is the language's own
    lead = _LEAD.match(text, end, stop)
    match = _RANGE.match(text, lead.end() if lead else end, stop)
    if match is None:
        return OtherSum(start, end, word) if text[start] in "Σ∑Π∏" or word != text[start:end].lstrip("\\") else None
    tail = _TAIL.match(text, match.end(), stop)
    term = text[tail.end() if tail else match.end() : stop].strip()
    if lead and "(" in lead.group() and term.endswith(")") and term.count("(") < term.count(")"):
        term = term[:-1].rstrip()
    return _made(start, end, word, match, term)


def _made(start: int, end: int, word: str, match: re.Match[str], term: str) -> OtherSum:
    low, high = (match[name].strip("{}() ") for name in ("low", "high"))
    return OtherSum(start, end, word, plain(match["index"]), low, high, term)


def _in_brackets(inside: str, start: int, end: int, word: str) -> OtherSum | None:
    """A sum written as a function whose arguments come in another order."""
    python = _PYTHON.match(inside) if len(inside) < 2_000 else None
    if python is not None:
        high = python["high"]
        last = str(int(high) - 1) if high.isdigit() else f"{high}-1"
        return OtherSum(start, end, word, python["index"], python["low"] or "0", last, python["term"].strip())
    pieces = [piece.strip() for piece in parts(inside)]
    ranges = [(k, match) for k, piece in enumerate(pieces) if (match := _RANGE.fullmatch(piece))]
    if len(ranges) == 1 and len(pieces) == 2:
        place, match = ranges[0]
        return _made(start, end, word, match, pieces[1 - place])
    if len(pieces) == 2 and (
        named := re.fullmatch(r"[({]\s*([^\W\d_]\w*)\s*,\s*(\S+?)\s*,\s*(\S+?)\s*[)}]", pieces[1])
    ):
        return OtherSum(start, end, word, named[1], named[2], named[3], pieces[0])
    if len(pieces) == 4 and re.fullmatch(r"[^\W\d_]\w*", pieces[1]) and not re.fullmatch(r"[^\W\d_]\w*", pieces[0]):
        return OtherSum(start, end, word, pieces[1], pieces[2], pieces[3], pieces[0])
    if len(pieces) == 4 and end - start != len(word):  # product(k, 1, 3, k)
        return OtherSum(start, end, word, *pieces)
    return None
