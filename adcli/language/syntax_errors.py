"""Syntax errors explained by example: an entry of the advice table `syntax` has the texts of an error, and examples of
programs in which the parser stops for that reason.

Each example of the table `syntax` is parsed until the parser stops; its state and the kind of the next token are the
key. A user's error with the same key gets the same sentence, whatever surrounds it.
"""

from __future__ import annotations

from functools import lru_cache

from ..errors import AdcliError, Source, Span
from .advice import Advice, tables
from .parser import Failure, Recorder, Unparsed, parse
from .scanner import scan

_TOO_SHORT, _MISSING = "the expression ends too soon", "a value is missing before {it.token}"


class Stop:
    """The place where the parser stopped: the token there and the one before it, as the user wrote them."""

    def __init__(self, failure: Failure, source: Source) -> None:
        here, before = failure.next_token, failure.before
        end = len(source.text.rstrip())
        self.span = Span(here.start, here.end, source) if here else Span(end, end + 1, source)
        self.token = self.span.text if here else "the end"
        self.before = source.text[before.start : before.end] if before else "the start"

    def has_word(self, word: str) -> bool:
        return self.token == word


def explain(failure: Failure, source: Source) -> AdcliError:
    """Return the error for `failure`, the place where the parser stopped in `source`; nothing is raised.

    Its texts are those of an entry of the table `syntax`: the first with an example at which the parser stops in the
    same state before the same kind of token; without one, in the same state; without that, the last entry. If this
    entry says that the text ends too soon, but the text goes on, the entry for a missing value is taken.
    """
    by_token, by_state = _parse_examples()
    table = tables()["syntax"]
    entry = by_token.get(_make_key(failure)) or by_state.get(failure.state) or table[-1]
    if entry.title == _TOO_SHORT and failure.next_token is not None:
        entry = next(entry for entry in table if entry.title == _MISSING)  # the same state, but more text follows
    return entry.error(Stop(failure, source))


def _make_key(failure: Failure) -> tuple[int, str]:
    return failure.state, failure.next_token.type if failure.next_token else "$END"


@lru_cache(maxsize=1)
def _parse_examples() -> tuple[dict[tuple[int, str], Advice], dict[int, Advice]]:
    """Return ({(parser state, kind of the next token): entry}, {parser state: entry}) from parsing all examples of the
    table `syntax` (cached).

    The first entry wins; examples at which the parser does not stop are left out.
    """
    by_token: dict[tuple[int, str], Advice] = {}
    by_state: dict[int, Advice] = {}
    for entry in tables()["syntax"]:
        for example in entry.examples.split("  "):
            failure = _find_failure(Source(example))
            if failure is not None:
                by_token.setdefault(_make_key(failure), entry)
                by_state.setdefault(failure.state, entry)
    return by_token, by_state


def _find_failure(source: Source) -> Failure | None:
    """Return where the parser stops in the program of `source`, in which x and y are known variables.

    None if the whole program can be parsed, or if an error other than a stop of the parser is raised first.
    """
    try:
        parse(scan(source, ("x", "y"))[0], Recorder(source))
    except Unparsed as unparsed:
        return unparsed.failure
    except AdcliError:
        pass
    return None
