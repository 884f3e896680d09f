"""Readers of the forms of answers: one for each file of this folder, with a `READER` that accepts its own form.

If the file's docstring ends in a paragraph `Begins with: …`, only answers that begin with one of these signs are of the
form, and the file is imported for these alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module

from ...records import NamedTuple
from ..collector import Collector
from ..docstring_signs import signs_by_module
from ..symbols import Names

PACKED = "␀"


class AnswerFile(NamedTuple):
    """An answer as it was handed in: its bytes, its text (PACKED for a zip archive) and its file name."""

    data: bytes
    text: str
    name: str

    @property
    def suffix(self) -> str:
        """Return the suffix of the file name in small letters, with its dot; empty if there is none."""
        return os.path.splitext(self.name)[1].lower()


class AnswerReader(NamedTuple):
    """A reader of one form of answers.

    `rows` returns the rows of an answer, or None for an answer of another form. Readers are tried in the order of
    `turn`.
    """

    turn: int
    rows: Callable[[AnswerFile, Names], Collector | None]


def readers(text: str) -> list[AnswerReader]:
    """Return the readers of answers that begin as `text`, in the order in which they are tried."""
    modules = signs_by_module(tuple(__path__), "Begins with").items()
    likely = (name for name, signs in modules if text.lstrip().startswith(tuple(signs)))
    return sorted((import_module(f"{__name__}.{name}").READER for name in likely), key=lambda reader: reader.turn)
