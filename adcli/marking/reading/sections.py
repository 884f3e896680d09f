"""Headings in an answer: which problem comes next, and which input a table of tangents is about."""

from __future__ import annotations

import re

from .patterns import pattern
from .symbols import Names, opened

_LABEL = r"[A-Za-z]?\d{1,3}(?:[.)]?\(?[a-z]\)?)?|[a-z]|[IVX]{1,4}"
_WORD = r"problem|exercise|question|task|aufgabe|übung|prob\.?|ex\.?|q"
_NAMED = pattern(
    rf"(?:#{{1,6}}\s*+)?(?:{_WORD})\s*+(?:no\.?|nr\.?|#)?\s*+(?P<label>{_LABEL})(?![\w=])\s*+(?P<rest>[.:)—–-]?.*)\Z",
    re.IGNORECASE,
)
_HEADED = pattern(rf"#{{1,6}}\s++\(?(?P<label>{_LABEL})(?:[.:)]+|\s*\Z)(?P<rest>.*)\Z")
_ALONE = pattern(r"(?:\((?P<label>[a-z]|\d{1,3})\)|(?P<numbered>\d{1,3}|[a-z])[.)])\s*+\Z")
_SECTIONED = pattern(r"\\(?:sub)*section\*?\{(.*)\}\s*\Z")
_STATED = pattern(r"(?:(?P<label>[^:=]{1,200}): )?.{1,4000}? {3}at \S+ = ")
_SYMBOL = r"\$?(\\?[^\W\d]\w*+(?:_\{\w++\})?+'*+)"
_MOVING = pattern(
    r"(?:with respect to|w\.?\s?r\.?\s?t\.?|along|(?:∂|d|\\partial)\s*/\s*(?:∂|d|\\partial)\s?)\s*" + _SYMBOL,
    re.IGNORECASE,
)
_RESULT = pattern(r"(?:adjoints?|reverse mode|derivatives)\s+(?:of|for|from)\s+" + _SYMBOL, re.IGNORECASE)


def heading(line: str) -> str | None:
    """The label of the problem that a line opens: `Problem 2`, `## 2.`, `(b)`, `Exercise 3: …`."""
    text = line.strip().strip("*_").strip()
    found = _SECTIONED.match(text)
    if found:
        text = "# " + found[1].strip()
    match = _NAMED.match(text.removeprefix("# ") if found else text) or _HEADED.match(text)
    if match and not re.search(r"[=≈]|(?<![\w(])[-+*/^]", match["rest"].strip(" .:)—–-")):
        return match["label"]
    alone = _ALONE.match(text)
    return (alone["label"] or alone["numbered"]) if alone else None


def label(title: str) -> str:
    """What a title calls its problem: 2 for `Problem 2`; a title of another kind itself."""
    return heading(title) or title.strip()


def stated(line: str) -> str | None:
    """The label of the problem that a line of this program's own output states, an empty one where it has none."""
    match = _STATED.match(line)
    return None if match is None else match["label"] or ""


def moving(line: str, names: Names) -> str | None:
    """The input that a title names: `tangents with respect to x1`."""
    return _named(_MOVING, line, names, names.inputs)


def result(line: str, names: Names) -> str | None:
    """The output that a title names: `adjoints of y`."""
    return _named(_RESULT, line, names, names.outputs)


def _named(shape: re.Pattern[str], line: str, names: Names, known: tuple[str, ...]) -> str | None:
    match = shape.search(line)
    if match is None:
        return None
    own = names.own(opened(match[1])[0])
    return own if own in known else None
