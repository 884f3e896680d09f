"""Tokens to code: a table-driven LALR(1) parser without recursion, whose reductions are the actions of `recorder`."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

from .recorder import Lexeme, Recorder
from .scanner import Token, Tokens
from .tables import tables

__all__ = ["Failure", "Recorder", "Unparsed", "parse"]


class Failure(NamedTuple):
    """Where the tables had no way on: the parser's state, the token found (None at the end) and the one before."""

    state: int
    found: Token | None
    before: Token | None


class Unparsed(Exception):
    """The tokens are no program; `explain` turns this into a message."""

    def __init__(self, failure: Failure) -> None:
        super().__init__()
        self.failure = failure


@lru_cache(maxsize=1)
def _settled() -> dict[tuple[int, int, str], tuple[int, int | None]]:
    """Where reductions without an action lead: see `_settle`, which fills this."""
    return {}


def _settle(below: int, symbol: str, kind: str) -> tuple[int, int | None]:
    """The state above `below` after a reduction to `symbol`, and its move, when the next token is of this kind.

    Productions of a single part are gone through at once; most operands pass half a dozen of them.
    """
    table = tables()
    state = table.states[below][symbol]
    while True:
        move = table.states[state].get(kind)
        if move is None or move >= 0 or table.rules[-1 - move][2]:
            return state, move
        state = table.states[below][table.rules[-1 - move][0]]


@lru_cache(maxsize=1)
def _reductions() -> tuple[list[Any], list[int]]:
    """Actions and sizes of the rules, last rule first: a move of -1 - r, which reduces by rule r, is its place."""
    rules = tables().rules[::-1]
    return [getattr(Recorder, action) if action else None for _, _, action in rules], [size for _, size, _ in rules]


_END: Lexeme = (0, 0, "", "$END")


def parse(tokens: Tokens, recorder: Recorder) -> Recorder:
    """Runs the tables over the tokens; afterwards the recorder holds the program."""
    table, settled = tables(), _settled()
    states, rules = table.states, table.rules
    actions, sizes = _reductions()
    state = table.start
    stack = [state]
    values: list[Any] = []
    for lexeme in chain(zip(tokens.starts, tokens.ends, tokens.texts, tokens.kinds, strict=True), [_END]):
        kind = lexeme[3]
        move = states[state].get(kind)
        while move is not None and move < 0:
            action, size = actions[move], sizes[move]
            if size == 1:
                if action is not None:
                    values[-1] = action(recorder, values[-1])
            elif size == 3:
                last = values.pop()
                middle = values.pop()
                values[-1] = action(recorder, values[-1], middle, last)
                del stack[-2:]
            else:
                parts = values[-size:]
                values[-size:] = [action(recorder, *parts)]
                del stack[1 - size :]
            key = (stack[-2], move, kind)
            state, move = settled.get(key) or settled.setdefault(key, _settle(stack[-2], rules[-1 - move][0], kind))
            stack[-1] = state
        if state == table.end:
            return recorder
        if move is None:
            place = len(tokens) if lexeme is _END else tokens.starts.index(lexeme[0])
            before = tokens[place - 1] if place else None
            raise Unparsed(Failure(state, None if lexeme is _END else tokens[place], before))
        state = move
        stack.append(state)
        values.append(lexeme)
    return recorder
