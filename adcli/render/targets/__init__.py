"""The languages that `adcli compile` writes: each is a file of this folder, named as it is, with a `LANGUAGE` in it."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..source_code import Language

TARGETS = tuple(
    sorted(file[:-3] for file in os.listdir(os.path.dirname(__file__)) if file.endswith(".py") and file[:1] != "_")
)


def named(name: str) -> Language:
    """The language with this name."""
    found: Language = import_module(f".{name}", __package__).LANGUAGE
    return found
