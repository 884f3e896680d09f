"""Brackets of a text, located without parsing: where they close and open, and what is between commas outside of them.

Nothing here looks further than a few thousand characters, whatever is typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..patterns import pattern

_FAR = 5_000  # characters in which the other bracket is looked for
OPENING, CLOSING = "([{", ")]}"
_BRACKET_OR_COMMA = pattern(r"[()\[\]{},]")


def depth_of(code: str) -> int:
    """Return how many brackets of a text are open at its end; negative if more are closed."""
    return sum(map(code.count, OPENING)) - sum(map(code.count, CLOSING))


def opened_before(text: str, place: int) -> str:
    """Return the opening brackets that are not closed before `place`, the outermost one first, such as "([".

    Only the last 5,000 characters before `place` are read; a closing bracket of any kind closes the innermost one.
    """
    opened = ""
    for sign in text[max(place - _FAR, 0) : place]:
        opened = opened + sign if sign in OPENING else opened[:-1] if sign in CLOSING else opened
    return opened


def skip_blanks(text: str, place: int, stop: int) -> int:
    """Return the place of the first character from `place` on that is not blank, at most `stop`."""
    return place + len(text[place:stop]) - len(text[place:stop].lstrip())


def with_depth(signs: re.Pattern[str], text: str, start: int, stop: int) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield (depth, match) for each match of `signs` in `text[start:stop]`; `signs` must also match every bracket.

    The depth is the number of brackets open around the match; an opening and its closing bracket have the same depth.
    All kinds of bracket count alike, whether or not they fit. The depth is negative from a bracket on that closes
    nothing.
    """
    depth = 0
    for match in signs.finditer(text, start, stop):
        sign = match.group()
        depth -= sign in CLOSING
        yield depth, match
        depth += sign in OPENING


def closing(text: str, place: int, stop: int) -> int | None:
    """Return the index just after the bracket that closes the one at `place`.

    None if it is not closed before `stop`, or within 5000 characters. `text[place]` must be an opening bracket. Kinds
    are not compared: `)` closes `[`.
    """
    brackets = with_depth(_BRACKET_OR_COMMA, text, place, min(stop, place + _FAR))
    return next((match.end() for depth, match in brackets if not depth and match.group() in CLOSING), None)


def opening(text: str, place: int) -> int | None:
    """Return the index of the bracket or bar that the one at `place` closes; None if it is not within 5000 characters
    before.

    `text[place]` is a closing bracket or `|`. Kinds of brackets are not compared; a bar is closed by the nearest bar
    before it.
    """
    if text[place] == "|":
        bar = text.rfind("|", max(place - _FAR, 0), place)
        return None if bar < 0 else bar
    depth = 0
    for at in range(place, max(place - _FAR, -1), -1):
        depth += (text[at] in CLOSING) - (text[at] in OPENING)
        if not depth:
            return at
    return None


def parts(text: str) -> list[str]:
    """Return the pieces of `text` between commas outside brackets, in order, with their blanks: `a, f(b, c),d` gives
    ["a", " f(b, c)", "d"]. An empty text gives [""]. Commas behind a bracket that closes nothing do not separate.
    """
    signs = with_depth(_BRACKET_OR_COMMA, text, 0, len(text))
    commas = [match.start() for depth, match in signs if not depth and match.group() == ","]
    return [text[start + 1 : end] for start, end in zip([-1, *commas], [*commas, len(text)], strict=True)]
