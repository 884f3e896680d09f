"""The row grammar: texts read by the parse tables of grammar/rows.lark, a part of the text for each rule."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ..language.tables import tables
from ..patterns import compile_pattern, pattern

Place = tuple[int, int]  # start and end in a text
# An alternative in a pattern that begins with a backslash, with the bar after it.
_COMMAND = pattern(r"\\\\(?:[^|()]|\([^()]*\))*+\|")
_NEXT_TOKEN, _RAISED = "|(?P<", "|[¹²³]|[⁰⁴-⁹]"  # in the pattern of all tokens
_RARE_TOKENS = ("ACCENTED>", "MARKED>", "FRAC>")  # which ASCII texts without commands do not have


class RowParts:
    """A row as the grammar reads it in `text`: the offset `end` of its end, and the `places` of its parts by rule.

    Of several parts of the same rule the first one counts, of nested ones the innermost; the names of alternatives are
    keys too.
    """

    def __init__(self, text: str, end: int, places: dict[str, Place]) -> None:
        self.text, self.end, self.places = text, end, places

    def __contains__(self, rule: str) -> bool:
        return rule in self.places

    def __getitem__(self, rule: str) -> str:
        """Return the text of a part; empty if the text does not have it."""
        start, end = self.places.get(rule, (0, 0))
        return self.text[start:end]


class _Stack:
    """The states of the parser, the places of the symbols above the first one, and the parts so far."""

    def __init__(self, states: list[int], places: list[Place], parts: dict[str, Place]) -> None:
        self.states, self.places, self.parts = states, places, parts

    def take(self, kind: str, place: Place) -> bool:
        """Shift a token of this `kind` at `place` (start, end), after the required reductions; return whether it fits.

        If the token fits, its state and place are on top of `states` and `places`. If it does not, the stack may have
        been reduced and must not be used again.
        """
        move = self._reduce(kind)
        if move is None:
            return False
        self.states.append(move)
        self.places.append(place)
        return True

    def end_parts(self, end: int) -> dict[str, Place] | None:
        """Return the parts if the text ends here, `end` being the last state; None if it may not. Nothing changes."""
        stack = _Stack(self.states.copy(), self.places.copy(), self.parts.copy())
        stack._reduce("$END")
        return stack.parts if stack.states[-1] == end else None

    def _reduce(self, kind: str) -> int | None:
        """Reduce as far as a token of this `kind` requires; return the state to push for it, None if it may not follow.

        The token is not pushed. The stack may be changed even if the result is None. The place of each reduced part is
        added to `parts` under its rule and under its alternative, unless `parts` has that key already.
        """
        table = tables("rows.lark")
        while (move := table.states[self.states[-1]].get(kind)) is not None and move < 0:
            symbol, size, action = table.rules[-1 - move]
            place = self.places[-size][0], self.places[-1][1]
            self.parts.setdefault(symbol, place)
            self.parts.setdefault(action, place)
            del self.states[-size:], self.places[-size:]
            self.states.append(table.states[self.states[-1]][symbol])
            self.places.append(place)
        return move


@lru_cache(maxsize=3)
def _token(has_commands: bool, is_ascii: bool) -> re.Pattern[str]:
    """Return the pattern of all tokens of a row and of blanks, from the grammar `rows.lark`; its groups are their
    kinds.

    If `has_commands` is False, the pattern has no commands of LaTeX. If also `is_ascii` is True, it has no accents and
    raised digits either; with commands `is_ascii` has no effect. Both take long to compile, and most texts have none.
    """
    text = tables("rows.lark").pattern
    if is_ascii and not has_commands:
        tokens = text.replace(_RAISED, "").split(_NEXT_TOKEN)
        text = _NEXT_TOKEN.join(
            ["(?!)", *(each for each in tokens if not each.lstrip("(?P<").startswith(_RARE_TOKENS))]
        )
    return compile_pattern(text if has_commands else _COMMAND.sub("", text))


def _tokens(text: str, place: int) -> Iterator[tuple[str, int, int]]:
    """Yield (kind, start, end) of each token of `text` from offset `place` on, without blanks and without an end token.

    At the first character that begins no token, yield ("", its offset, length of the text) and end.
    """
    find = _token("\\" in text, text.isascii()).match
    while match := find(text, place):
        start, place = match.span()
        if match.lastgroup != "SPACE":
            yield match.lastgroup or "", start, place
    if place < len(text):
        yield "", place, len(text)


def parse(rule: str, text: str, place: int = 0, *, whole: bool = True) -> RowParts | None:
    """Return the parts of `text` from offset `place` on, parsed as `rule` of the row grammar; None if it does not fit.

    Rules are derivative, ratio, call, pair and dual; raises KeyError for another. With `whole` False, the longest part
    of the text from `place` on that fits is parsed. Blanks between tokens are skipped. The field `end` of the result is
    the offset after the last token; a part that the text does not have is "".
    """
    start, last = tables("rows.lark").starts[rule]
    stack = _Stack([start], [], {})
    longest: RowParts | None = None
    end = place
    for kind, begin, stop in _tokens(text, place):
        if not whole and (parts := stack.end_parts(last)) is not None:
            longest = RowParts(text, end, parts)
        if not stack.take(kind, (begin, stop)):
            return longest
        end = stop
    parts = stack.end_parts(last)
    return longest if parts is None else RowParts(text, end, parts)
