"""Rewriting of lines: notations replaced by those that are read, while every character keeps its place in the line."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ..patterns import pattern
from ..records import NamedTuple

BLANK = "\u00a0"  # of a kind that is not a gap between columns
NewText = str | Callable[[re.Match[str]], str]


class LineRewriting(NamedTuple):
    """A notation, and what is written instead of it.

    Only lines with one of the `signs` in them, in small letters, are tried. `new` is a template of groups as in
    `re.sub`, empty for a blank, or a function that returns the new text for a match.
    """

    signs: tuple[str, ...]
    shape: re.Pattern[str]
    new: NewText


def rewritings(*rows: tuple[tuple[str, ...], str, NewText]) -> tuple[LineRewriting, ...]:
    """Return a table of rewritings from rows of signs, pattern and new text."""
    return tuple(LineRewriting(signs, pattern(shape), new) for signs, shape, new in rows)


def apply_rules(text: str, rules: Sequence[LineRewriting]) -> str:
    """Return the line `text` after all `rules` have been applied in order; the length stays the same.

    A rule is (signs, shape, new text). It is skipped if none of the texts in `signs` is in the original line in lower
    case; the sign "" is in every line. Otherwise each match of its shape is replaced by the new text (`apply_rule`). A
    shorter replacement is filled up with no-break spaces; a match whose replacement would be longer stays as it is.
    """
    lower = text.lower()
    for signs, shape, new in rules:
        for sign in signs:
            if sign in lower:
                text = apply_rule(text, shape, new)
                break
    return text


def apply_rule(text: str, shape: re.Pattern[str], new: NewText) -> str:
    """Return `text` with each match of `shape` replaced by `new`, a template or a function of the match; same length.

    A shorter replacement is filled up with no-break spaces; a match whose replacement would be longer stays.
    """

    def filled(match: re.Match[str]) -> str:
        instead = new(match) if callable(new) else match.expand(new) if "\\" in new else new
        return instead.ljust(len(match[0]), BLANK) if len(instead) <= len(match[0]) else match[0]

    return shape.sub(filled, text)
