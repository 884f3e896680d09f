"""The formats of documents: each is a file of this folder, named as the format is, with a `FORMAT` in it.

A file that is put here is a format of every command that writes documents: its name is a choice of `--format`, its
suffixes pick it.  A file is read when its format is used, or where a suffix has to be known.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..document_format import Format

TEXT = ("table", "plain")
DOCUMENTS = tuple(
    sorted(file[:-3] for file in os.listdir(os.path.dirname(__file__)) if file.endswith(".py") and file[:1] != "_")
)
RECORDS = ("json", "ndjson")
DATA = ("csv", *RECORDS)

_SUFFIXES = {".txt": "plain", ".csv": "csv", ".json": "json", ".ndjson": "ndjson", ".jsonl": "ndjson"}


def named(name: str) -> Format:
    """The format of documents with this name."""
    found: Format = import_module(f".{name}", __package__).FORMAT
    return found


@lru_cache(maxsize=1)
def by_suffix() -> Mapping[str, str]:
    """The formats of text, data and documents by the suffixes of their files."""
    found = {suffix: name for name in DOCUMENTS for suffix in named(name).suffixes}
    return MappingProxyType(_SUFFIXES | found)
