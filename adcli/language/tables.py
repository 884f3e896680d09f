"""The parse tables in use: shipped with the package, or built once into the user's own cache."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import lru_cache


class _States(dict[int, dict[str, int]]):
    """The states by number, each read from its line when it is first needed: a text reaches few of them."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__()
        self._lines = lines

    def __missing__(self, number: int) -> dict[str, int]:
        words = self._lines[number].split()
        self[number] = state = dict(zip(words[::2], map(int, words[1::2]), strict=True))
        return state


class Tables:
    """LALR(1) tables as plain data.

    `pattern` finds one token, the name of its group being the type; `skipped` are the types between tokens.
    `states[s][type]` is the next state, or `-1 - r` to reduce by `rules[r]` = (symbol, size, action). `starts` has the
    first and the last state of each symbol that a text may be.
    """

    def __init__(self, text: str) -> None:
        """Read a text made by `grammar.build`. Raises ValueError if its end is missing."""
        self.pattern, skipped, starts, rules, *lines, count = text.split("\n")
        self.skipped = skipped.split()
        self.states = _States(lines[: int(count)])
        self.rules = [(symbol, int(size), action) for symbol, size, action in (r.split("/") for r in rules.split())]
        self.starts = {symbol: (first, self.states[first][symbol]) for first, symbol in enumerate(starts.split())}


@lru_cache
def tables(name: str = "expression.lark") -> Tables:
    """Return the parse tables of the grammar file `name` (cached for the process): those of the module shipped_tables,
    or if there is no such module, as in a checkout, those built from the current file.

    Raises KeyError if the module has no such grammar, FileNotFoundError if the checkout has none.
    """
    try:
        from .shipped_tables import TABLES
    except ImportError:
        return _of_checkout(name)
    return Tables(TABLES[name])


def _of_checkout(name: str) -> Tables:
    """Return the tables of the grammar `name` in a checkout: from a file in the user's cache folder
    ($XDG_CACHE_HOME or ~/.cache, adcli/), or built by Lark and stored there.

    The cache file is named by size and modification time of the grammar; one that cannot be read is replaced, one that
    cannot be written is passed over. Never in a shared folder, where another user could plant tables. Raises
    FileNotFoundError without the grammar file, ImportError if the tables have to be built and Lark is missing.
    """
    from ..grammar_files import grammar_path
    from .grammar import build

    state = os.stat(grammar_path(name))
    root = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    path = os.path.join(root, "adcli", f"tables-6-{name}-{state.st_size}-{state.st_mtime_ns}.txt")
    with suppress(OSError, ValueError), open(path, encoding="utf-8") as stream:
        return Tables(stream.read())
    from ..errors import OutputProblem
    from ..writing import write_file

    text = build(name)
    with suppress(OSError, OutputProblem):  # without a cache the next run builds them again
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        write_file(path, text)
    return Tables(text)
