"""Readers of the forms of answers: one for each file of this folder, with a `READER` that accepts its own form."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module

from ...records import NamedTuple
from ..collector import Collector
from ..symbols import Names


class AnswerFile(NamedTuple):
    """An answer as it was handed in: its bytes, its text (empty for a packed file) and its file name."""

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
    `turn`; those with `packed` get binary files, the others text.
    """

    turn: int
    rows: Callable[[AnswerFile, Names], Collector | None]
    packed: bool = False


@lru_cache(maxsize=1)
def readers() -> tuple[AnswerReader, ...]:
    """Return all readers, in the order in which they are tried."""
    files = (file for folder in __path__ for file in os.listdir(folder) if file.endswith(".py") and file[:1] != "_")
    modules: list[AnswerReader] = [import_module(f"{__name__}.{file[:-3]}").READER for file in files]
    return tuple(sorted(modules, key=lambda reader: reader.turn))
