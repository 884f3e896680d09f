"""Tokens to code: a table-driven LALR(1) parser without recursion, whose reductions are the actions of `recorder`."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from typing import Any

from ..errors import AdcliError
from ..records import NamedTuple
from .recorder import Lexeme, Recorder
from .scanner import Token, Tokens, match_brackets
from .tables import tables

__all__ = ["Failure", "Recorder", "Unparsed", "parse"]

_END: Lexeme = (0, 0, "", "$END")


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


class _NoMove(Exception):
    """The tables have no way on."""


class _State(dict[str, Any]):  # Any: a move or, for a symbol, a state; which, the key says
    """A state of the tables above another one, and what follows from it, worked out when first asked for.

    For a kind of token it has the move (size, action, then).  With size 0 the token comes on top, in the state `then`;
    else so many of the topmost symbols become one, which `then` names.  The action makes the value of what is new; a
    token without one stands for itself.  For a symbol that takes its place it has the state that this gives.
    """

    __slots__ = ("below", "known", "number")

    def __init__(self, below: int, number: int, known: dict[tuple[int, int], _State]) -> None:
        super().__init__()
        self.below = below
        self.number = number
        self.known = known

    def __missing__(self, key: str) -> Any:
        if key[0].islower():  # a symbol of the grammar; tokens are in capitals
            found: Any = self._above(self.below, tables().states[self.below][key])
        else:
            found = self._move(key)
        self[key] = found
        return found

    def _above(self, below: int, number: int) -> _State:
        place = below, number
        if place not in self.known:
            self.known[place] = _State(below, number, self.known)
        return self.known[place]

    def _move(self, kind: str) -> tuple[int, Any, Any]:
        """Productions of a single part are gone through at once; most operands pass half a dozen of them.

        So is what a token becomes whatever follows it: a number or a name is an operand before the next token is seen.
        """
        table = tables()
        states, rules = table.states, table.rules
        number = self.number
        if number == table.end:
            return 0, None, self
        move = states[number].get(kind)
        while move is not None and move < 0 and not rules[-1 - move][2]:
            number = states[self.below][rules[-1 - move][0]]
            move = states[number].get(kind)
        if move is None:
            raise _NoMove
        if move < 0:
            symbol, size, action = rules[-1 - move]
            return size, getattr(Recorder, action), symbol
        made = ""
        while True:
            ways = set(states[move].values())
            symbol, size, action = rules[-1 - min(ways)] if min(ways) < 0 else ("", 0, "")
            if len(ways) > 1 or size != 1 or (made and action):
                return 0, getattr(Recorder, made) if made else None, self._above(number, move)
            made = made or action
            move = states[number][symbol]


@lru_cache(maxsize=1)
def _start() -> _State:
    known: dict[tuple[int, int], _State] = {}
    return _State(-1, tables().start, known)


def parse(tokens: Tokens, recorder: Recorder) -> Recorder:
    """Runs the tables over the tokens; afterwards the recorder holds the program."""
    state = _start()
    states = [state]
    values: list[Any] = []  # what the actions make, each of its own type
    try:
        for lexeme in chain(zip(tokens.starts, tokens.ends, tokens.texts, tokens.kinds, strict=True), [_END]):
            kind = lexeme[3]
            size, action, then = state[kind]
            while size:
                if size == 3:
                    last = values.pop()
                    middle = values.pop()
                    values[-1] = action(recorder, values[-1], middle, last)
                    states.pop()
                    states.pop()
                elif size == 1:
                    values[-1] = action(recorder, values[-1])
                else:
                    values[-size:] = [action(recorder, *values[-size:])]
                    del states[1 - size :]
                state = states[-1] = states[-1][then]
                size, action, then = state[kind]
            values.append(action(recorder, lexeme) if action else lexeme)
            states.append(then)
            state = then
    except (_NoMove, AdcliError) as problem:
        match_brackets(tokens, recorder.source)
        if isinstance(problem, AdcliError):
            raise
        raise Unparsed(_failure(tokens)) from None
    return recorder


def _failure(tokens: Tokens) -> Failure:
    """Where the tables, followed to the letter, have no way on."""
    table = tables()
    stack = [table.start]
    place = 0
    for kind in [*tokens.kinds, "$END"]:
        while (move := table.states[stack[-1]].get(kind, 0)) < 0:
            symbol, size, _ = table.rules[-1 - move]
            del stack[-size:]
            stack.append(table.states[stack[-1]][symbol])
        if not move:  # no state is followed by the start
            break
        stack.append(move)
        place += 1
    found = tokens[place] if place < len(tokens) else None
    return Failure(stack[-1], found, tokens[place - 1] if place else None)
