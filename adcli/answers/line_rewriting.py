"""Rewriting of lines: the notations of grammar/row_notations.txt and the parts of patterns; what is rewritten keeps its
place in the line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from ..grammar_files import read_tables
from ..language.advice import synonyms
from ..patterns import pattern
from ..records import NamedTuple

_HEX_DIGITS = "0123456789abcdefABCDEF"
BLANK = "\u00a0"  # of a kind that is not a gap between columns
NewText = str | Callable[[re.Match[str]], str]


@lru_cache(maxsize=1)
def notations() -> dict[str, list[dict[str, str]]]:
    """Return {table: its entries, {field: text}} of grammar/row_notations.txt; parts are not yet filled in."""
    return read_tables("row_notations.txt", dict)


@lru_cache(maxsize=256)
def part(name: str) -> str:
    """Return the part of patterns with this name in grammar/row_notations.txt, filled in.

    In a part of the table `phrases` a blank means white space. A name of neither table is that of a table of
    synonyms.txt, whose words are alternatives.
    """
    (parts,), (phrases,) = notations()["parts"], notations()["phrases"]
    if name in phrases:
        return fill_parts(phrases[name].replace(" ", r"\s++"))
    return fill_parts(parts[name]) if name in parts else "|".join(synonyms(name.lower()))


def row_pattern(text: str, flags: int = 0, *, signs: Iterable[str] = ()) -> re.Pattern[str]:
    """Return `pattern` of a text in which the parts replace their names in braces."""
    return pattern(fill_parts(text), flags, signs=signs)


def fill_parts(text: str) -> str:
    """Return a text in which the parts of patterns replace their names in braces, {NAME}."""
    filled, *rest = text.split("{")
    for each in rest:
        name, _, behind = each.partition("}")
        filled += part(name) + behind if name.isidentifier() and name.isupper() else "{" + each
    return filled


class LineRewriting(NamedTuple):
    """A notation, and what is written instead of it.

    Only lines with one of the `signs` in them, in small letters, are tried. `new` is a template of groups as in
    `re.sub`, empty for a blank, or a function that returns the new text for a match.
    """

    signs: tuple[str, ...]
    shape: re.Pattern[str]
    new: NewText


def rewritings(table: str, **functions: NewText) -> tuple[LineRewriting, ...]:
    """Return a table of grammar/row_notations.txt; `functions` are those that its entries name in `by`.

    A shape is only compiled for a text that has one of its signs, if no sign is a letter, which may be a capital.
    """
    rules = []
    for entry in notations()[table]:
        signs = tuple(map(_plain, entry.get("signs", "").split(" ")))
        needed = () if any(not sign or sign.lower() != sign.upper() for sign in signs) else signs
        new = functions[entry["by"]] if "by" in entry else _plain(entry.get("new", ""))
        rules.append(LineRewriting(signs, row_pattern(entry["shape"], signs=needed), new))
    return tuple(rules)


def _plain(text: str) -> str:
    """Return a sign or new text of grammar/row_notations.txt with what its names of parts, escapes and ␣ stand for."""
    filled, *rest = fill_parts(text).replace("␣", " ").split("\\u")
    for each in rest:
        is_number = len(each[:4].strip(_HEX_DIGITS)) == 0 < len(each)
        filled += chr(int(each[:4], 16)) + each[4:] if is_number else f"\\u{each}"
    return filled


def replace_all(text: str, rules: Sequence[LineRewriting]) -> str:
    """Return `text` after all `rules` that have one of their signs in it, in order; it may become longer or shorter."""
    for signs, shape, new in rules:
        if any(map(text.__contains__, signs)):
            text = shape.sub(new, text)
    return text


def apply_rules(text: str, rules: Sequence[LineRewriting], blank: str = BLANK) -> str:
    """Return the line `text` after all `rules` have been applied in order; the length stays the same.

    A rule is (signs, shape, new text). It is skipped if none of the texts in `signs` is in the original line in lower
    case; the sign "" is in every line. Otherwise each match of its shape is replaced by the new text (`apply_rule`). A
    shorter replacement is filled up with `blank`; a match whose replacement would be longer stays as it is.
    """
    lower = text.lower()
    for signs, shape, new in rules:
        for sign in signs:
            if sign in lower:
                text = apply_rule(text, shape, new, blank)
                break
    return text


def apply_rule(text: str, shape: re.Pattern[str], new: NewText, blank: str = BLANK) -> str:
    """Return `text` with each match of `shape` replaced by `new`, a template or a function of the match; same length.

    A shorter replacement is filled up with `blank`, by default no-break spaces; a match whose replacement would be
    longer stays.
    """

    def filled(match: re.Match[str]) -> str:
        instead = new(match) if callable(new) else match.expand(new) if "\\" in new else new
        return instead.ljust(len(match[0]), blank) if len(instead) <= len(match[0]) else match[0]

    return shape.sub(filled, text)
