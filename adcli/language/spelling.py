"""The spelling of a text in the language, errors for what cannot be spelled, and notes on how ambiguous pieces were
read."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..errors import SyntaxProblem
from ..records import NamedTuple

# The error for a subscript that is not letters and digits: title, label, help.
BAD_SUBSCRIPT = (
    "this subscript cannot be part of a name",
    "a subscript may contain only letters and digits",
    "write a plain one, as in x_next or x_{12}",
)


class Reading(NamedTuple):
    """A note on how an ambiguous piece of text was read, at the place `span`.

    `topic` is the name by which the note is turned off; `kind` says what sort of note it is.
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

    If these lists are None every character is at its original place. `readings` tell how ambiguous LaTeX was read, by
    original places; `variables` are names of functions that are variables in it.
    """

    text: str
    starts: list[int] | None = None
    ends: list[int] | None = None
    readings: Sequence[Reading] = ()
    variables: Collection[str] = ()
