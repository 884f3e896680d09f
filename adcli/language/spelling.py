"""The spelling of a text in the language, errors for what cannot be spelled, and notes on how ambiguous pieces were
read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from ..errors import SyntaxProblem
from ..records import NamedTuple

# The error for a subscript that is not letters and digits: title, label, help.
BAD_SUBSCRIPT = (
    "this subscript cannot be part of a name",
    "a subscript may contain only letters and digits",
    "write a plain one, as in x_next or x_{12}",
)

LATEX_SIGNS = ("\\", "^{", "_{", "{,}")  # of which LaTeX has one, besides pairs of $
LOGIC_WORDS = {"and": "AND", "or": "OR", "not": "NOT"}  # the words of the language, with the types of their tokens


class Reading(NamedTuple):
    """A note on how an ambiguous piece of text was read, at the place `span`.

    `topic` is the name by which the note is switched off; `kind` says what sort of note it is.
    """

    text: str
    span: tuple[int, int]
    kind: str = "reading"
    topic: str = "reading"


class Unspellable(SyntaxProblem):
    """A SyntaxProblem for text without a spelling in the language; its place is in `start` and `end` until its source
    is known."""

    def __init__(self, start: int, end: int, title: str, label: str = "", advice: str = "") -> None:
        super().__init__(title, None, label, help=advice)
        self.start, self.end = start, end


class Spelling(NamedTuple):
    """A text as the language spells it, with the start and end of each of its characters in the original.

    If these lists are None every character is at its original place. `readings` say how ambiguous LaTeX was read, by
    original places; `variables` are names of functions that are variables in it.
    """

    text: str
    starts: list[int] | None = None
    ends: list[int] | None = None
    readings: Sequence[Reading] = ()
    variables: Collection[str] = ()

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Return (start, end) in the original of the stretch from `start` to `end` of this text.

        Indices beyond the text are moved to its last character. An empty stretch inside the text gives (start
        of the character behind it, end of the one before it); at an end of the text it gives the character there.
        """
        first, last = min(start, len(self.text) - 1), max(min(end, len(self.text)), 1)
        start = first if self.starts is None else self.starts[first]
        return start, last if self.ends is None else self.ends[last - 1]


def replace_stretches(text: str, replacements: Iterable[tuple[int, int, str]]) -> Spelling:
    """Return the spelling of a text with stretches replaced, by (start, end, new text) from left to right without
    overlaps.

    Each new character has the place of the whole stretch; an empty new text removes the stretch. All other characters
    have their place in `text`, also if nothing is replaced (the places are never None). `a½b` with [(1, 2, "0.5")] is
    `a0.5b`, whose `0.5` has the place (1, 2).
    """
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    done = 0
    for start, end, new in [*replacements, (len(text), len(text), "")]:
        pieces += text[done:start], new
        starts += [*range(done, start), *[start] * len(new)]
        ends += [*range(done + 1, start + 1), *[end] * len(new)]
        done = end
    return Spelling("".join(pieces), starts, ends)


def spell_again(first: Spelling, spell: Callable[[str], Spelling]) -> Spelling:
    """Return `spell(first.text)`, with its places, and those of its notes, moved to the original text from which
    `first` was spelled.

    The notes and variables are those of `spell` alone; the caller adds those of `first`. Raises the Unspellable of
    `spell`, with its place moved likewise.
    """
    try:
        second = spell(first.text)
    except Unspellable as problem:
        problem.start, problem.end = first.origin(problem.start, problem.end)
        raise
    if second.starts is None or second.ends is None:
        return Spelling(second.text, first.starts, first.ends, second.readings, second.variables)
    places = list(map(first.origin, second.starts, second.ends))
    starts, ends = [start for start, _ in places], [end for _, end in places]
    readings = [reading._replace(span=first.origin(*reading.span)) for reading in second.readings]
    return Spelling(second.text, starts, ends, readings, second.variables)
