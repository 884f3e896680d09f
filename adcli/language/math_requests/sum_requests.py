"""Mathematical requests for sums and products in other notations: `sum i=1 to 10 i*x`, `Σ`, `Sum[i x, {i, 1, 10}]`."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import islice

from ...patterns import IDENTIFIER, pattern
from ..brackets import closing, parts, skip_blanks
from .request_text import MathRequest, plain, statement

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
_TRIPLE = pattern(r"[({]\s*([^\W\d_]\w*)\s*,\s*(\S+?)\s*,\s*(\S+?)\s*[)}]")


def first_sum(text: str, known: Collection[str]) -> MathRequest | None:
    """Return the request of the first sum or product in another notation than the language's; None if there is none.

    Passed over are names in `known`, mere words, the language's own notation, and SUM and PRODUCT in a text that begins
    with "=" (a cell); at most _MOST (100) signs are looked at. The kind is `sum` or `prod`, start and end are the
    sign's, the operand is the text in the language, "" if a part is missing.
    """
    for match in islice(_SIGN.finditer(text), _MOST):
        sign = match["head"].lstrip("\\")
        if sign in known or (sign in ("SUM", "PRODUCT") and text.lstrip().startswith("=")):
            continue
        kind = "prod" if sign[0] in "pPΠ∏" else "sum"
        series = _parts_of_sum(text, match.start(), match.end(), kind)
        if series is not None:
            operand = f"{kind}({', '.join(series)})" if all(series) and series else ""
            return MathRequest(kind, match.start(), match.end(), operand)
    return None


def _parts_of_sum(text: str, start: int, end: int, kind: str) -> tuple[str, ...] | None:
    r"""Return (index, first value, last value, term) of the sum or product (`kind`) whose sign is `text[start:end]`, as
    texts.

    The parts are in brackets (see `_in_brackets`), or a range before or after words and then the term, up to the end of
    the statement; a missing term is "". () if it is clearly a sum whose parts cannot be read; None if this is the
    language's own notation (`sum(i, 1, 3, i)`, `\sum_`, `∑_`) or only a word.
    """
    _, stop = statement(text, start)
    here = skip_blanks(text, end, end + 40)
    close = closing(text, here, stop) if text[here : here + 1] in ("(", "[") else None
    if close is not None:
        inside = _in_brackets(text[here + 1 : close - 1], is_other_word=end - start != len(kind))
        if inside is not None:
            return inside
    if text[here : here + 1] == "_" and text[start] in "\\∑∏":
        return None  # that is the language's own
    lead = _LEAD.match(text, end, stop)
    match = _RANGE.match(text, lead.end() if lead else end, stop)
    if match is None:
        return () if text[start] in "Σ∑Π∏" or kind != text[start:end].lstrip("\\") else None
    tail = _TAIL.match(text, match.end(), stop)
    term = text[tail.end() if tail else match.end() : stop].strip()
    if lead and "(" in lead.group() and term.endswith(")") and term.count("(") < term.count(")"):
        term = term[:-1].rstrip()
    return *_index_and_bounds(match), term


def _index_and_bounds(match: re.Match[str]) -> tuple[str, str, str]:
    return plain(match["index"]), match["low"].strip("{}() "), match["high"].strip("{}() ")


def _in_brackets(inside: str, is_other_word: bool) -> tuple[str, ...] | None:
    """Return (index, first value, last value, term), as texts, of the arguments `inside` of a sum in another program's
    notation.

    Read are Python's `f(i) for i in range(1, n)` (the last value is n - 1, a missing first one 0; only below 2,000
    characters), `f(i), i=1..n` in either order, `f(i), {i, 1, n}`, `f(i), i, 1, n`; with `is_other_word` (`product(k,
    1, 3, k)`) also any other four arguments, returned in the order written. None for other texts.
    """
    python = _PYTHON.match(inside) if len(inside) < 2_000 else None
    if python is not None:
        high = python["high"]
        last = str(int(high) - 1) if high.isdigit() else f"{high}-1"
        return python["index"], python["low"] or "0", last, python["term"].strip()
    pieces = [piece.strip() for piece in parts(inside)]
    if len(pieces) == 2:
        ranges = [(k, match) for k, piece in enumerate(pieces) if (match := _RANGE.fullmatch(piece))]
        if len(ranges) == 1:
            place, match = ranges[0]
            return *_index_and_bounds(match), pieces[1 - place]
        if named := _TRIPLE.fullmatch(pieces[1]):
            return named[1], named[2], named[3], pieces[0]
    if len(pieces) == 4:
        if IDENTIFIER.fullmatch(pieces[1]) and not IDENTIFIER.fullmatch(pieces[0]):
            return pieces[1], pieces[2], pieces[3], pieces[0]
        if is_other_word:
            return tuple(pieces)
    return None
