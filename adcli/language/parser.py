"""The parser of tokens: table-driven LALR(1) without recursion, whose reductions call the actions of `recorder`."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import chain
from sys import maxsize

from ..errors import AdcliError
from ..records import NamedTuple
from ..typings import Any, TypeVar
from .recorder import Lexeme, Recorder
from .tables import tables
from .tokens import Token, Tokens, match_brackets

__all__ = ["Failure", "Recorder", "Unparsed", "parse"]

AnyRecorder = TypeVar("AnyRecorder", bound=Recorder)
_END: Lexeme = (0, 0, "", "$END")
_NONE = maxsize  # no move


class Failure(NamedTuple):
    """The place where the parser stopped: its state, the next token (None at the end) and the one before it."""

    state: int
    next_token: Token | None
    before: Token | None


class Unparsed(Exception):
    """The tokens are not a program; `explain` turns this into a message."""

    def __init__(self, failure: Failure) -> None:
        super().__init__()
        self.failure = failure


@lru_cache(maxsize=2)
def _list_actions(recorder: type[Recorder]) -> list[Callable[..., Any] | None]:
    """Return the action of the recorder for each rule of the tables; None for a rule that only passes a value on."""
    return [getattr(recorder, action) if action else None for _, _, action in tables().rules]


def parse(tokens: Tokens, recorder: AnyRecorder) -> AnyRecorder:
    """Run the LALR parser over the tokens, calling the recorder's actions, and return the recorder with the program.

    Raises Unparsed with the place where the parser stopped, and the errors of actions. In both cases brackets are
    checked first, and SyntaxProblem for the first unmatched one is raised instead.
    """
    table = tables()
    states, rules = table.states, table.rules
    actions = _list_actions(type(recorder))  # type: ignore[arg-type]  # mypy takes __hash__ for that of an instance
    state, last_state = table.starts["program"]
    stack = [state]
    values: list[Any] = []  # what the actions make, each of its own type
    lexemes = chain(zip(tokens.starts, tokens.ends, tokens.texts, tokens.kinds, strict=True), [_END])
    try:
        for place, lexeme in enumerate(lexemes):
            kind = lexeme[3]
            while (move := states[state].get(kind, _NONE)) < 0:
                symbol, size, _ = rules[-1 - move]
                action = actions[-1 - move]
                if action is not None:
                    values[-size:] = [action(recorder, *values[-size:])]
                del stack[-size:]
                state = states[stack[-1]][symbol]
                stack.append(state)
            if state == last_state:
                break
            if move == _NONE:
                next_token = tokens.at(place) if place < len(tokens.kinds) else None
                raise Unparsed(Failure(state, next_token, tokens.at(place - 1) if place else None))
            state = move
            stack.append(state)
            values.append(lexeme)
    except (Unparsed, AdcliError):
        match_brackets(tokens, recorder.source)
        raise
    return recorder
