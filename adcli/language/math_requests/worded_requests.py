"""Mathematical requests in words: integrals, limits, commands such as `differentiate x^2` or `solve x^2 = 4`, and sums
and products in other notations: `sum i=1 to 10 i*x`, `Σ`, `Sum[i x, {i, 1, 10}]`."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import islice

from ...patterns import IDENTIFIER, pattern
from ..advice import synonyms
from ..brackets import closing, parts, skip_blanks
from .request_text import NAME, MathRequest, Notation, plain, sign_or_command, statement

_INTEGRAL = pattern(
    r"[∫∬∭∮⨌]|\\(?:i{0,3}int|oint|idotsint|intop)(?![a-zA-Z])"
    r"|(?<![\w\\])(?:[Ii]nt|[Ii]ntegral|[Ii]ntegrate|antiderivative|quad)(?=\s*+[(\[]|_|\s++(?:of\s)?\s*+[\w(\\|√])",
    signs=("∫", "∬", "∭", "∮", "⨌", "int", "Int", "antiderivative", "quad"),
)
_LIMIT = pattern(
    r"\\(?:lim|limsup|liminf|varlimsup|varliminf)(?![a-zA-Z])"
    r"|(?<![\w\\])(?:[Ll]im|[Ll]imit|limes)(?=\s*+[(\[{_]|\s++(?:of\s|as\s)?\s*+[\w(\\])",
    signs=("lim", "Lim"),
)
_TARGET = pattern(
    rf"({NAME})\s*+(?:\\(?:to|rightarrow|longrightarrow|downarrow|uparrow|nearrow)(?![a-zA-Z])|->|-->|→|⟶|=>)\s*+"
    r"([-+]?(?:\\?infty|∞|inf(?:inity)?|oo|[^\s,;(){}^]++))(?:\s*+\^?\s*+\{?[-+]\}?)?"
)
_VARIABLE, _VALUE_OF_NAME, _VALUE = map(pattern, (NAME, r"[^\W\d]\w*\s*=[^=]+", r"[-+]?[\w./*]+"))
# An integral sign with a subscript needs bounds or a differential: Int_0 is a name.
_BOUNDS = pattern(r"_\s*+(?:\{[^{}]*+\}|\([^()]*+\)|[^\s^{}()]++)\s*+\^|_\{?\w*+\}?\s++.*\bd[a-z]\b")
# The kind of work that each word requests: adcli's own, and that of computer algebra.
_TABLES = (synonyms("requests"), synonyms("algebra"))
_COMMANDS, ALGEBRA = ({word: kinds[0] for word, kinds in table.items()} for table in _TABLES)
_ANY_WORD = "|".join(sorted({*_COMMANDS, *ALGEBRA}, key=len, reverse=True))
_WORD = pattern(
    rf"(?<![\w\\.'])(?:(?P<order>first|second|third|fourth)\s++)?(?:(?:sp|sympy|sym)\.)?(?P<word>{_ANY_WORD})"
    r"(?:\s*+(?P<call>[(\[])|(?P<of>\s++(?:derivative\s++)?(?:(?:of|von|de|der)\s++)?)(?=[\w(\\|√]))",
    signs=(*_COMMANDS, *ALGEBRA),
)
_BY = pattern(
    rf" (?:with\s++respect\s++to|w\.?\s?r\.?\s?t\.?|by|in)\s++({NAME})(?:\s++(?:at|for|where)\s++([^;]++))?\s*+\Z"
)
_ORDERS = {None: 1, "first": 1, "second": 2, "third": 3, "fourth": 4}
# Sums and products in other notations: the sign, an index with its bounds, and what is around them.
_MOST = 100
_HEAD = (
    r"(?P<head>(?<![\w\\])(?:[Ss]um|[Pp]rod(?:uct)?|SUM|PRODUCT)(?![^\W_])|\\(?:sum|prod)(?![a-zA-Z])"
    r"|[Σ∑Π∏](?:(?!\w)|(?=_\{?\w++\s*+=)))"
)
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


def _is_name(text: str, match: re.Match[str], known: Collection[str]) -> bool:
    """Return whether a word is, or begins, a name that has a value."""
    whole = IDENTIFIER.match(text, match.start())
    return whole is not None and (whole.group() in known or match.group() in known)


def _read_integral(text: str, match: re.Match[str], known: Collection[str]) -> MathRequest | None:
    is_bare = text[match.end() : match.end() + 1] == "_" and not _BOUNDS.match(text, match.end())
    return None if is_bare or _is_name(text, match, known) else MathRequest("integral", *match.span())


def _read_limit(text: str, match: re.Match[str], known: Collection[str]) -> MathRequest | None:
    """Return the request for a limit, as `lim x->0 sin(x)/x`, `limit(x^2, x, 0)` or `limit of x^2 as x -> 0`; None if
    the word is in `known`.

    The sign is the word alone. `wrt` is (the variable, the text of where it goes, as "0" or "-inf"). The target is
    `x->0`, within 80 characters behind the word; the operand is the rest of the statement behind it or, if nothing is
    there, the text between the word and the target. Without a target it is read as a call of at least three arguments
    (operand, variable, place); else `wrt` is () and the operand "".
    """
    if _is_name(text, match, known):
        return None
    start, end = match.span()
    _, stop = statement(text, start)
    target = _TARGET.search(text, end, min(stop, end + 80))
    if target is None:
        close = closing(text, end, stop) if text[end : end + 1] in ("(", "[") else None
        pieces = [piece.strip() for piece in parts(text[end + 1 : close - 1])] if close else []
        if len(pieces) > 2 and _VARIABLE.fullmatch(pieces[1]):
            return MathRequest("limit", start, end, pieces[0], (pieces[1], pieces[2]))
        return MathRequest("limit", start, end)
    operand = text[target.end() : stop].lstrip("})] ,:\t").strip()
    before = f" {text[end : target.start()].strip()} ".removeprefix(" of ").removeprefix(" for ")
    before = before.removesuffix(" as ").removesuffix(" for ").strip(" ({[_,")
    if not operand and any(sign.isalnum() or sign == "_" for sign in before):  # limit of sin(x)/x as x -> 0
        operand = before
    return MathRequest("limit", start, end, operand, (plain(target[1]), target[2]))


def _read_word(text: str, match: re.Match[str], known: Collection[str]) -> MathRequest | None:
    """Return the request of `differentiate x^2`, `diff(x^2, x)`, `D[x^2, x]`, `gradient of x*y` or `solve x^2 = 4`.

    None if the word is in `known`, is `D` without a bracket, or its bracket is not closed in the statement. The sign is
    the word alone. In brackets `wrt`, `at` and order are read from the arguments (`_read_arguments`), and `rest` is
    True if anything follows; `D(f)` and `partial(f)` with a single argument have none of them. Without brackets the
    operand is the rest of the statement; `wrt` (one name) and `at` are from "with respect to x at x=2" at its end, the
    order is that of a word such as `second` before it, else 1. The kind is that of grammar/synonyms.txt, such as diff,
    gradient, hessian, taylor or plot, else "algebra".
    """
    word, start, end = match["word"], match.start("word"), match.end("word")
    if word in known or (word == "D" and not match["call"]):
        return None
    _, stop = statement(text, start)
    kind = _COMMANDS.get(word, "algebra")
    if match["call"]:
        close = closing(text, match.start("call"), stop)
        if close is None:
            return None
        first, *others = parts(text[match.start("call") + 1 : close - 1])
        if word in ("D", "partial") and not others and match["call"] == "(":
            return MathRequest(kind, start, end, first.strip())
        return _read_arguments(kind, start, end, first.strip(), others, bool(text[close:stop].strip()))
    operand, order = " ".join(text[match.end() : stop].split()), _ORDERS[match["order"]]
    by = _BY.search(operand)
    if by is None:
        return MathRequest(kind, start, end, operand, order=order)
    variable, point = (plain(by[1]),), (by[2] or "").strip()
    return MathRequest(kind, start, end, operand[: by.start()].strip(), variable, order, at=point)


def _read_arguments(kind: str, start: int, end: int, operand: str, others: Sequence[str], rest: bool) -> MathRequest:
    """Return the request of a command written as a function, `diff(operand, others…)`, in the text from `start` to
    `end`.

    Each of `others`, perhaps a list in brackets, in any order, is a variable, a number of one or two digits (the order,
    for diff and taylor; the last one counts), or `x=2` (part of the point); anything else is passed over. For `taylor`
    the first number or quotient after a variable is the point `x=2` of the first variable, as long as there is no
    point; a whole number after it is the order. For `diff` one variable n times gives order n. Without a number the
    order is 1, without values the point is "". `kind` and `rest` (whether the statement has more behind the call) are
    passed on.
    """
    names: list[str] = []
    order, at = 1, ""
    for other in others:
        piece = other.strip().strip("{}[]()")
        for part in parts(piece):
            word = part.strip()
            needs_point = kind == "taylor" and not at and bool(names)
            if _VARIABLE.fullmatch(word):
                names.append(plain(word))
            elif word.isdecimal() and len(word) < 3 and kind in ("diff", "taylor") and not needs_point:
                order = int(word)
            elif _VALUE_OF_NAME.fullmatch(word):
                at = f"{at},{word}".strip(",")
            elif needs_point and _VALUE.fullmatch(word):
                at = f"{names[0]}={word}"
    if kind == "diff" and len(names) > len(set(names)) == 1:
        names, order = names[:1], len(names)
    return MathRequest(kind, start, end, operand, tuple(names), order, rest, at=at)


WORDS = (
    Notation("int x^2 dx", _INTEGRAL, _read_integral),
    Notation("lim x->0 sin(x)/x", _LIMIT, _read_limit),
    Notation("derivative of x^2", _WORD, _read_word),
)
PARTIAL = Notation(
    "∂x + 1", sign_or_command("∂", "partial"), lambda _text, match, _known: MathRequest("derivative", *match.span())
)


# --- sums and products in other notations -----------------------------------------------------------------------------


def first_sum(text: str, known: Collection[str]) -> MathRequest | None:
    """Return the request of the first sum or product in another notation than the language's; None if there is none.

    Passed over are names in `known`, mere words, the language's own notation, and SUM and PRODUCT in a text that begins
    with "=" (a cell); at most _MOST (100) signs are tried. The kind is `sum` or `prod`, start and end are the sign's,
    the operand is the text in the language, "" if a part is missing.
    """
    for match in islice(_SIGN.finditer(text), _MOST):
        sign = match["head"].lstrip("\\")
        if sign in known or (sign in ("SUM", "PRODUCT") and text.lstrip().startswith("=")):
            continue
        kind = "prod" if sign[0] in "pPΠ∏" else "sum"
        series = _read_sum(text, match.start(), match.end(), kind)
        if series is not None:
            operand = f"{kind}({', '.join(series)})" if all(series) and series else ""
            return MathRequest(kind, match.start(), match.end(), operand)
    return None


def _read_sum(text: str, start: int, end: int, kind: str) -> tuple[str, ...] | None:
    r"""Return (index, first value, last value, term) of the sum or product (`kind`) whose sign is `text[start:end]`, as
    texts.

    Two forms are read: all parts in brackets, as in `Sum[f, {i, 1, n}]` or `sum(f for i in range(n))` (what is behind
    the brackets is passed over); or a range such as `i=1 to 10`, perhaps behind a word or bracket, followed by the term
    up to the end of the statement ("" if it is missing). None if this is the language's own notation (`sum(i, 1, 3,
    i)`, `\sum_`, `∑_`) or only the word sum or prod. () for any other sign (Σ) or word whose parts cannot be read.
    """
    _, stop = statement(text, start)
    here = skip_blanks(text, end, end + 40)
    close = closing(text, here, stop) if text[here : here + 1] in ("(", "[") else None
    if close is not None:
        inside = _read_sum_in_brackets(text[here + 1 : close - 1], is_other_word=end - start != len(kind))
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
    return *_read_bounds(match), term


def _read_bounds(match: re.Match[str]) -> tuple[str, str, str]:
    return plain(match["index"]), match["low"].strip("{}() "), match["high"].strip("{}() ")


def _read_sum_in_brackets(inside: str, is_other_word: bool) -> tuple[str, ...] | None:
    """Return (index, first value, last value, term), as texts, of the arguments `inside` of a sum in another program's
    notation; None if they have none of these forms:

    `f(i) for i in range(1, n)` of Python, below 2,000 characters (the last value is `n-1`, or 9 for `range(1, 10)`; the
    first one 0 if it is missing); `f(i), i=1..n` in either order; `f(i), {i, 1, n}`; `f(i), i, 1, n`, unless f(i) is a
    mere name. With `is_other_word` (`product(k, 1, 3, k)`) any other four arguments are returned in the order written.
    """
    python = _PYTHON.match(inside) if len(inside) < 2_000 else None
    if python is not None:
        high = python["high"]
        last = str(int(high) - 1) if high.isdecimal() else f"{high}-1"
        return python["index"], python["low"] or "0", last, python["term"].strip()
    pieces = [piece.strip() for piece in parts(inside)]
    if len(pieces) == 2:
        ranges = [(k, match) for k, piece in enumerate(pieces) if (match := _RANGE.fullmatch(piece))]
        if len(ranges) == 1:
            place, match = ranges[0]
            return *_read_bounds(match), pieces[1 - place]
        if named := _TRIPLE.fullmatch(pieces[1]):
            return named[1], named[2], named[3], pieces[0]
    if len(pieces) == 4:
        if IDENTIFIER.fullmatch(pieces[1]) and not IDENTIFIER.fullmatch(pieces[0]):
            return pieces[1], pieces[2], pieces[3], pieces[0]
        if is_other_word:
            return tuple(pieces)
    return None
