"""The parse tables in use: shipped with the package, or built once into the user's own cache."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import lru_cache

from ..records import NamedTuple


class Tables(NamedTuple):
    """LALR(1) tables as plain data.

    `pattern` finds one token, the name of its group being the type; `skipped` are the types between tokens.
    `states[s][type]` is the next state, or `-1 - r` to reduce by `rules[r]` = (symbol, size, action). `starts` has the
    first and the last state of each symbol that a text may be.
    """

    pattern: str
    skipped: list[str]
    states: list[dict[str, int]]
    rules: list[tuple[str, int, str]]
    starts: dict[str, tuple[int, int]]


@lru_cache
def tables(name: str = "expression.lark") -> Tables:
    """Return the parse tables of the grammar file `name` (cached for the process): those shipped with the package, or
    in a checkout those built from the current file.

    Raises KeyError if the package has no such grammar, FileNotFoundError if the checkout has none.
    """
    try:
        from .shipped_tables import TABLES
    except ImportError:
        return _of_checkout(name)
    return Tables(*TABLES[name])


def _of_checkout(name: str) -> Tables:
    """Return the tables of the grammar `name` in a checkout: from a JSON file in the user's cache folder
    ($XDG_CACHE_HOME or ~/.cache, adcli/), or built by Lark and stored there.

    The cache file is named by size and modification time of the grammar; one that cannot be read is replaced, one that
    cannot be written is passed over. Never in a shared folder, where another user could plant tables. Raises
    FileNotFoundError without the grammar file.
    """
    import json

    from .grammar import build, grammar_path

    state = os.stat(grammar_path(name))
    root = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    path = os.path.join(root, "adcli", f"tables-5-{name}-{state.st_size}-{state.st_mtime_ns}.json")
    with suppress(OSError, ValueError, TypeError), open(path, encoding="utf-8") as stream:
        return Tables(*json.load(stream))
    from ..errors import OutputProblem
    from ..writing import write_file

    raw = build(name)
    with suppress(OSError, OutputProblem):  # without a cache the next run builds them again
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        write_file(path, json.dumps(raw))
    return Tables(*raw)
