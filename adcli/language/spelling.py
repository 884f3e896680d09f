"""A text as the language spells it, what it has no spelling for, and how doubtful pieces were read."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..errors import SyntaxProblem


class Reading:
    """How an ambiguous piece of text was read, for a note; `topic` is what it is about, by which it is turned off."""

    __slots__ = ("kind", "span", "text", "topic")

    def __init__(self, text: str, span: tuple[int, int], kind: str = "reading", topic: str = "") -> None:
        self.text = text
        self.span = span
        self.kind = kind
        self.topic = topic or kind


class Unspellable(SyntaxProblem):
    """What the language has no spelling for, at a place of the text: an error that lacks its source."""

    def __init__(self, start: int, end: int, title: str, label: str = "", advice: str = "") -> None:
        super().__init__(title, None, label, help=advice)
        self.start, self.end = start, end


class Spelling:
    """A text as the language spells it, and where each of its characters starts and ends in what was written.

    Without these lists every character stands where it stood.  `readings` say how doubtful LaTeX was read, by places in
    what was written; `variables` are names of functions that are variables in it.
    """

    __slots__ = ("ends", "readings", "starts", "text", "variables")

    def __init__(
        self,
        text: str,
        starts: list[int] | None = None,
        ends: list[int] | None = None,
        readings: Sequence[Reading] = (),
        variables: Collection[str] = (),
    ) -> None:
        self.text, self.starts, self.ends = text, starts, ends
        self.readings, self.variables = readings, variables
