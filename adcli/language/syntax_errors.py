"""Syntax errors explained by example, characters without a meaning, and functions with the wrong arguments.

An example of the table `syntax` is parsed until the parse tables have no way on; the parser's state and the kind of
token found there are the key.  A user's error with the same key gets the same sentence, whatever stands around it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NoReturn

from ..errors import AdcliError, ArityProblem, Source, Span, SyntaxProblem
from ..table.primitive import Primitive
from .advice import Advice, advise, tables
from .parser import Failure, Recorder, Unparsed, parse
from .scanner import scan

_TOO_SHORT, _MISSING = "the expression ends too soon", "a value is missing before {it.token}"
_SHORT = 60  # characters of a program that a help line repeats
_FAR = 40  # characters in front of a point in which the name of a module is looked for

_MODULES = frozenset({"np", "numpy", "jnp", "math", "cmath", "Math", "mpmath", "sp", "sympy", "scipy", "torch", "tf"})

# --- where the parser stops -------------------------------------------------------------------------------------------


class Stop:
    """The place where the parser stopped: the token there and the one before it, as the user wrote them."""

    def __init__(self, failure: Failure, source: Source) -> None:
        here, before = failure.found, failure.before
        end = len(source.text.rstrip())
        self.span = Span(here.start, here.end, source) if here else Span(end, end + 1, source)
        self.token = self.span.text if here else "the end"
        self.before = source.text[before.start : before.end] if before else "the start"

    def has_word(self, word: str) -> bool:
        return self.token == word


def explain(failure: Failure, source: Source) -> AdcliError:
    """Return the error for a place where the parse tables have no way on."""
    by_token, by_state = _examples_by_state()
    table = tables()["syntax"]
    entry = by_token.get(_key(failure)) or by_state.get(failure.state) or table[-1]
    if entry.title == _TOO_SHORT and failure.found is not None:
        entry = next(entry for entry in table if entry.title == _MISSING)  # the same state, but the text goes on
    return entry.error(Stop(failure, source))


def _key(failure: Failure) -> tuple[int, str]:
    return failure.state, failure.found.type if failure.found else "$END"


@lru_cache(maxsize=1)
def _examples_by_state() -> tuple[dict[tuple[int, str], Advice], dict[int, Advice]]:
    """Return the entry for each parser state with the kind of token found there, and for each state alone.

    Among entries whose examples share a key the first one counts.
    """
    by_token: dict[tuple[int, str], Advice] = {}
    by_state: dict[int, Advice] = {}
    for entry in tables()["syntax"]:
        for example in entry.examples.split("  "):
            failure = _failure(Source(example))
            if failure is not None:
                by_token.setdefault(_key(failure), entry)
                by_state.setdefault(failure.state, entry)
    return by_token, by_state


def _failure(source: Source) -> Failure | None:
    """Return where the parser stops in a program of x and y; None if it does not, or another error comes first."""
    try:
        parse(scan(source, ("x", "y"))[0], Recorder(source))
    except Unparsed as unparsed:
        return unparsed.failure
    except AdcliError:
        pass
    return None


# --- characters without a meaning -------------------------------------------------------------------------------------


class Character:
    """A character with which no token starts."""

    def __init__(self, source: Source, position: int) -> None:
        self.source, self.position = source, position
        self.character = source.text[position]
        self.code = f"{ord(self.character):04X}"
        self.following = source.text[position + 1 : position + 2]
        self.has_text_before = bool(source.text[:position].strip())
        match = re.search(r"[^\W\d]\w*\Z", source.text[max(position - _FAR, 0) : position])
        self.name = match.group() if match else ""  # the name that ends in front of the place
        self.is_module = self.name in _MODULES
        self.is_member = self.character == "." and self.name and self.following.isalpha()
        self.is_choice = self.character == "?" and ":" in source.shown[position:]
        self.is_no_text = self.character == "\ufffd" or "\udc80" <= self.character <= "\udcff"  # bytes, not UTF-8
        self.quoted = f"the character {self.character}" if self.character.isprintable() else "this character"
        self.span = Span(position, position + 1, source)
        self.pair = Span(position, position + 2, source)
        self.named = Span(position - len(self.name), position + 1, source)

    def has_word(self, word: str) -> bool:
        return self.source.text.startswith(word, self.position)


def refuse_character(source: Source, position: int) -> NoReturn:
    """Raise the SyntaxProblem for the character at a position, with which no token starts."""
    advise("characters", Character(source, position))
    raise AssertionError("the last entry applies to every character")


# --- functions and programs -------------------------------------------------------------------------------------------


def wrong_count(row: Primitive, count: int, span: Span) -> ArityProblem:
    """Return the error for a function with too few or too many arguments: `count` of them."""
    expected = f"{row.least} or more arguments" if row.arity is None else arguments(row.arity)
    if row.forms:
        expected = f"{row.arity} or {' or '.join(map(str, row.forms))} arguments"
    return ArityProblem(
        f"{row.name} takes {expected}, got {count or 'none'}",
        span,
        f"{arguments(count)} here" if count else "the brackets are empty",
        help=f"write {row.name}({', '.join(row.arguments)})",
    )


def arguments(count: int) -> str:
    """Return "1 argument", "2 arguments" and so on."""
    return f"{count} argument" if count == 1 else f"{count} arguments"


def nothing_computed(source: Source, defined: Sequence[tuple[str, Sequence[str]]]) -> SyntaxProblem:
    """Return the error for a program without an expression; `defined` are its functions with their parameters."""
    text = source.text.strip().rstrip("; ")
    advice = "end with the expression whose value is wanted"
    if defined and len(text) <= _SHORT and text.isprintable():
        name, parameters = defined[-1]
        advice += f": {text}; {name}({', '.join(parameters)})"
    end = len(source.text.rstrip())
    here = Span(end, end + 1, source)
    return SyntaxProblem("nothing is computed", here, "an expression is missing here", help=advice)
