"""Formats of documents: each is a file of this folder with a `FORMAT`, named as the format.

A new file becomes a format of every command that writes documents: its name is a choice of `--format`, its suffixes
select it.  A file is imported when its format is used, or if a suffix has to be looked up.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from types import MappingProxyType

from ...typings import TYPE_CHECKING
from .. import list_modules

if TYPE_CHECKING:
    from ..document_format import Format

TEXT = ("table", "plain")
DOCUMENTS = list_modules(__file__)
RECORDS = ("json", "ndjson")
DATA = ("csv", *RECORDS)

_SUFFIXES = {".txt": "plain", ".csv": "csv", ".json": "json", ".ndjson": "ndjson", ".jsonl": "ndjson"}


def find_format(name: str) -> Format:
    """Return the format of documents called `name`, one of DOCUMENTS; its module is imported on first use."""
    document_format: Format = import_module(f".{name}", __package__).FORMAT
    return document_format


def name_by_suffix(suffix: str) -> str:
    """Return the name of the format with this suffix, "" if there is none; only documents have to be imported."""
    return _SUFFIXES.get(suffix) or by_suffix().get(suffix, "")


@lru_cache(maxsize=1)
def by_suffix() -> Mapping[str, str]:
    """Return suffix → name of the format, for text, data and documents."""
    documents = {suffix: name for name in DOCUMENTS for suffix in find_format(name).suffixes}
    return MappingProxyType(_SUFFIXES | documents)
