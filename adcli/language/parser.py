"""The parser of tokens: table-driven LALR(1) without recursion, whose reductions call the actions of `recorder`."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from typing import Any, TypeVar

from ..errors import AdcliError
from ..records import NamedTuple
from .recorder import Lexeme, Recorder
from .tables import tables
from .tokens import Token, Tokens, match_brackets

__all__ = ["Failure", "Recorder", "Unparsed", "parse"]

AnyRecorder = TypeVar("AnyRecorder", bound=Recorder)
_END: Lexeme = (0, 0, "", "$END")


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


class _NoMove(Exception):
    """The tables have no move for the next token."""


class _State(dict[str, Any]):  # Any: a move or, for a symbol, a state; which, the key says
    """A state of the tables on top of the state `below`, as a dictionary of moves and successors that is filled when
    they are first needed.

    For a kind of token it holds the move (size, action, then). Size 0 is a shift: the token goes on top and `then` is
    the next state. Another size is a reduction of that many symbols to the symbol `then`. The action computes the new
    value; a token without an action is its own value. For a symbol of the grammar it holds the next state.
    """

    __slots__ = ("actions", "below", "known", "number")

    def __init__(self, below: int, number: int, known: dict[tuple[int, int], _State], actions: type[Recorder]) -> None:
        """Make a state without moves; `known` are the states made so far, `actions` is the class whose methods are
        the actions."""
        super().__init__()
        self.below = below
        self.number = number
        self.known = known
        self.actions = actions

    def __missing__(self, key: str) -> Any:
        """Return the move of a kind of token (`key` in capitals), or the state after a symbol (in lower case), and
        store it.

        Raises _NoMove if there is no move.
        """
        if key[0].islower():  # a symbol of the grammar; tokens are in capitals
            successor: Any = self._above(self.below, tables().states[self.below][key])
        else:
            successor = self._move(key)
        self[key] = successor
        return successor

    def _above(self, below: int, number: int) -> _State:
        place = below, number
        if place not in self.known:
            self.known[place] = _State(below, number, self.known, self.actions)
        return self.known[place]

    def _move(self, kind: str) -> tuple[int, Any, Any]:
        """Return the move for a kind of token, in one step over chains of productions with a single part.

        After a shift, reductions that do not depend on the next token are done at once (a number or a name becomes an
        operand). Raises _NoMove if there is no move.
        """
        table = tables()
        states, rules = table.states, table.rules
        number = self.number
        if number == table.starts["program"][1]:
            return 0, None, self
        move = states[number].get(kind)
        while move is not None and move < 0 and not rules[-1 - move][2]:
            number = states[self.below][rules[-1 - move][0]]
            move = states[number].get(kind)
        if move is None:
            raise _NoMove
        if move < 0:
            symbol, size, action = rules[-1 - move]
            return size, getattr(self.actions, action), symbol
        shift_action = ""
        while True:
            ways = set(states[move].values())
            symbol, size, action = rules[-1 - min(ways)] if min(ways) < 0 else ("", 0, "")
            if len(ways) > 1 or size != 1 or (shift_action and action):
                return 0, getattr(self.actions, shift_action) if shift_action else None, self._above(number, move)
            shift_action = shift_action or action
            move = states[number][symbol]


@lru_cache(maxsize=2)
def _start(actions: type[Recorder]) -> _State:
    return _State(-1, tables().starts["program"][0], {}, actions)


def parse(tokens: Tokens, recorder: AnyRecorder) -> AnyRecorder:
    """Run the parser over the tokens and return the recorder, which then holds the program.

    Raises SyntaxProblem for unmatched brackets, Unparsed where no move exists, and what the recorder's actions raise.
    """
    state = _start(type(recorder))  # type: ignore[arg-type]  # mypy takes __hash__ for that of an instance
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
    """Return where the parser stops if reductions are not merged, as error examples are stored by its state."""
    table = tables()
    stack = [table.starts["program"][0]]
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
    next_token = tokens.at(place) if place < len(tokens.kinds) else None
    return Failure(stack[-1], next_token, tokens.at(place - 1) if place else None)
