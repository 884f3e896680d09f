"""Targets: the languages that `adcli compile` writes, each a file of this folder with a `LANGUAGE`, named as the
target."""

from __future__ import annotations

from importlib import import_module

from ...typings import TYPE_CHECKING
from .. import list_modules

if TYPE_CHECKING:
    from ..source_code import Language

TARGETS = list_modules(__file__)


def find_language(name: str) -> Language:
    """Return the language called `name`, one of TARGETS (the file name of the target, such as `numpy`)."""
    language: Language = import_module(f".{name}", __package__).LANGUAGE
    return language
