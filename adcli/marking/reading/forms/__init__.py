"""Readers of answers: each is one file of this folder, whose `READER` is asked whether an answer is its own."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module

from ....records import NamedTuple
from ..collector import Collector
from ..symbols import Names


class Given(NamedTuple):
    """An answer as it was handed in: its bytes, its text (empty where they are packed) and the name of its file."""

    data: bytes
    text: str
    name: str

    @property
    def suffix(self) -> str:
        return os.path.splitext(self.name)[1].lower()


class AnswerReader(NamedTuple):
    """Reads one kind of answers.

    `rows` gives the rows of an answer, None for one of another kind.  Readers are asked by `turn`, those of `packed`
    files apart from those of text.
    """

    turn: int
    rows: Callable[[Given, Names], Collector | None]
    packed: bool = False


@lru_cache(maxsize=1)
def readers() -> tuple[AnswerReader, ...]:
    """All readers, in the order in which they are asked."""
    files = (file for folder in __path__ for file in os.listdir(folder) if file.endswith(".py") and file[:1] != "_")
    found: list[AnswerReader] = [import_module(f"{__name__}.{file[:-3]}").READER for file in files]
    return tuple(sorted(found, key=lambda reader: reader.turn))
