"""Synonyms: what people call a command, an option or a subject of the manual, from `grammar/synonyms.txt`."""

from __future__ import annotations

from collections.abc import Collection

from ..language.advice import synonyms

# Options that people expect for the file of points, which `map` and `propagate` take as an argument.
POINTS_FILE = ["--input", "--infile", "--input-file", "--points", "--data", "--dataset", "--source", "-i"]


def meaning_in(table: str, word: str) -> str | None:
    """Return the first meaning of a word, without regard to case, in a table of the file; None if it has none.

    In "commands" it is the command, perhaps with an option, of which `word` is another name. For a `word` that was
    typed as an option it is the argument that was meant, in "arguments", and the help to show, in "advice".
    """
    return next(iter(synonyms(table).get(word.casefold(), ())), None)


def option_of(name: str, known: Collection[str]) -> str | None:
    """Return the option, perhaps with its value, that `name` means among those in `known`; None if none does.

    If `adcli` is in `known`, it may be a command instead, such as `adcli template`.
    """
    meanings = synonyms("options").get(name, ())
    return next((meaning for meaning in meanings if meaning.partition(" ")[0] in known), None)
