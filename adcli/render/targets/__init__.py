"""Targets: the languages that `adcli compile` writes, each a file of this folder with a `LANGUAGE`, named as the
target."""

from __future__ import annotations

import os
from importlib import import_module

from ...typings import TYPE_CHECKING

if TYPE_CHECKING:
    from ..source_code import Language

TARGETS = tuple(
    sorted(file[:-3] for file in os.listdir(os.path.dirname(__file__)) if file.endswith(".py") and file[:1] != "_")
)


def find_language(name: str) -> Language:
    """Return the language called `name`, one of TARGETS (the file name of the target, such as `numpy`)."""
    language: Language = import_module(f".{name}", __package__).LANGUAGE
    return language
