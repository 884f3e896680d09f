"""The text of mathematical requests in pieces: statements, brackets and terms, located without parsing.

Nothing here looks further than a few thousand characters, whatever is typed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from ..patterns import pattern
from ..records import NamedTuple
from .name_parts import GREEK
from .tokens import plain_name

MOST = 50  # signs of one kind that are looked at
_FAR = 5_000  # characters in which the other bracket is looked for
_GREEK = "|".join(sorted(GREEK, key=len, reverse=True))
NAME = r"\\?[^\W\d]\w*+(?:_\{\w++\})?+"
# What differentiates in Leibniz's notation, its power, and what it may stand in front of: a letter, a Greek name.
DERIVING = (
    r"(?:\\(?:mathrm|text|textrm|operatorname|mathit|mathbf)\s*+\{\s*+d\s*+\}|\{\s*+\\rm\s++d\s*+\}|\\(?:mathrm|rm)\s++d"
    r"|\\partial(?![a-zA-Z])|\\dd(?![a-zA-Z])|∂|ⅆ|d|D)"
)
POWER = (
    r"(?:\s*+(?:(?:\^|\*\*)\s*+(?:\{\s*+[0-9a-z]{1,3}\s*+\}|\(\s*+[0-9a-z]{1,3}\s*+\)"
    r"|[0-9]{1,3}|[nkm](?!\w))|[²³⁴-⁹ⁿ]))?+"
)
WRT = rf"(?:\\?(?:{_GREEK})(?![a-zA-Z])|[^\W\d_])(?:_\{{\w++\}}|_?[0-9]++|_[a-zA-Z]\w*+)?+"
SIZED = r"(?:\\(?:left|mleft|[bB]igg?l?)(?![a-zA-Z])\s*+)?+"
_ENCLOSED = pattern(rf"{SIZED}(?:[(\[{{]|\\\{{)(.*?)(?:\\(?:right|mright|[bB]igg?r?)\s*+)?(?:[)\]}}]|\\\}})", re.DOTALL)
_BRACKET = pattern(r"[()\[\]{}]")
_ASSIGNED = pattern(r"(?:\A|[;\n])[ \t]*+([^\W\d]\w*+'*+)[ \t]*+(?:\(([\w, ]*+)\)[ \t]*+)?:?=(?!=)", signs=("=",))
_BOUNDARY = pattern(r"[()\[\]{}+\-,;]|(?<![=<>!:])=(?!=)")
_HARMLESS = pattern(r"[\w\s+*/^()\[\]{}.,;:<>=|@'%-]*\Z", re.ASCII)


class MathRequest(NamedTuple):
    """A request for something that is not part of an expression.

    `kind` is a word of the table `requests` of advice; the sign stands from `start` to `end`.  `operand` is what the
    request is for, empty if that is not said (of a sum: all of it, as the language writes it); `wrt` are the names with
    respect to which it is made, `order` how often, `at` a point.  With `rest` there is more of the expression around
    it; `term` is the first term of the operand if it has several.
    """

    kind: str
    start: int
    end: int
    operand: str = ""
    wrt: tuple[str, ...] = ()
    order: int = 1
    rest: bool = False
    term: str = ""
    at: str = ""


class Notation(NamedTuple):
    """A way to write a request: an example, its sign, and what reads the request there; None if it is not one.

    `read` receives the text, the match of the sign, and the names that have a value.
    """

    example: str
    sign: re.Pattern[str]
    read: Callable[[str, re.Match[str], Collection[str]], MathRequest | None]


def assigned(text: str) -> set[str]:
    """Return the names that a text itself gives a value: assigned ones, functions, their parameters."""
    names: set[str] = set()
    for match in _ASSIGNED.finditer(text):
        names |= {match[1], *(match[2] or "").replace(",", " ").split()}
    return names


def statement(text: str, place: int) -> tuple[int, int]:
    """Return (start, end) of the statement of `text` that contains `place`; statements are separated by `;` and line
    ends.
    """
    first, stop = 0, len(text)
    for match in re.finditer(r"(?<!\\);|\n", text):
        if match.start() < place:
            first = match.end()
        else:
            stop = match.start()
            break
    return first, stop


def closing(text: str, place: int, stop: int) -> int | None:
    """Return the end of the bracket that opens at `place`, one behind its closing sign.

    None if it is not closed before `stop`, or only far away.
    """
    depth = 0
    for match in _BRACKET.finditer(text, place, min(stop, place + _FAR)):
        depth += 1 if match.group() in "([{" else -1
        if not depth:
            return match.end()
    return None


def opening(text: str, place: int) -> int | None:
    """Return where the bracket or bar opens that is closed at `place`; None if it opens nowhere near."""
    if text[place] == "|":
        bar = text.rfind("|", max(place - _FAR, 0), place)
        return None if bar < 0 else bar
    depth = 0
    for at in range(place, max(place - _FAR, -1), -1):
        if text[at] in ")]}":
            depth += 1
        elif text[at] in "([{":
            depth -= 1
            if not depth:
                return at
    return None


def group(text: str, place: int) -> tuple[str, int] | None:
    """Return the content of the braces that open at a place, and where the text goes on; None without braces."""
    start = place + len(text[place : place + 80]) - len(text[place : place + 80].lstrip())
    close = closing(text, start, len(text)) if text[start : start + 1] == "{" else None
    return None if close is None else (text[start + 1 : close - 1].strip(), close)


def frame(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the start and end of a sign with the brackets around it, if there are any, as in `(d/dx)`."""
    before, after = text[max(start - 40, 0) : start].rstrip(), text[end : end + 40].lstrip()
    if before[-1:] + after[:1] in ("()", "[]", "{}"):
        return text.rindex(before[-1], 0, start), text.index(after[0], end) + 1
    return start, end


def within(text: str) -> str:
    """Return a text without the brackets around it."""
    match = _ENCLOSED.fullmatch(text.strip())
    return (match[1] if match else text).strip()


def parts(text: str) -> list[str]:
    """Return the pieces between commas outside brackets; of an empty text one empty piece."""
    pieces, depth, start = [], 0, 0
    for match in re.finditer(r"[()\[\]{},]", text):
        if match.group() == ",":
            if not depth:
                pieces.append(text[start : match.start()])
                start = match.end()
        else:
            depth += 1 if match.group() in "([{" else -1
    return [*pieces, text[start:]]


def _boundaries(text: str, start: int, stop: int) -> Iterator[tuple[int, str]]:
    """Yield (place, sign) of the signs in `text[start:stop]` that may end a term, outside brackets.

    A bracket that closes nothing comes last.
    """
    depth = 0
    for match in _BOUNDARY.finditer(text, start, stop):
        sign = match.group()
        if sign in ")]}":
            if not depth:
                yield match.start(), sign
                return
            depth -= 1
        elif sign in "([{":
            depth += 1
        elif not depth:
            yield match.start(), sign


def end_of_term(text: str, start: int, stop: int, sums: bool) -> int:
    """Return where the expression ends that starts at `start`, at most `stop`; with `sums` where its first
    term ends.
    """
    for place, sign in _boundaries(text, start, stop):
        if sign not in "+-":
            return place
        before = text[max(place - 3, start) : place].rstrip()
        operand = before[-1:].isalnum() or before[-1:] in tuple(")]}'!|")
        if sums and operand and not re.search(r"[0-9.][eE]\Z", before):
            return place
    return stop


def plain(name: str) -> str:
    """Return a name without LaTeX commands and braces around it."""
    return plain_name(name.strip().strip("{}").strip())


def quoted(text: str, always: bool = True) -> str:
    """Return a text as a shell takes it in one piece, in double quotes where these do no harm.

    Unless `always`, a plain word gets no quotes.
    """
    text = " ".join(text.split())
    if _HARMLESS.match(text):
        return f'"{text}"' if always or not re.fullmatch(r"[\w=,.+/^-]*", text, re.ASCII) else text
    import shlex

    return (
        shlex.quote(text)
        if text.isascii() or "'" in text or "\\" in text or "$" in text or "`" in text
        else f'"{text}"'
    )
