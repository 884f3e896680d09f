"""Synonyms: what people call a command, an option or a subject of the manual, from `grammar/synonyms.txt`."""

from __future__ import annotations

from collections.abc import Collection

from ..language.advice import synonyms

# Options that people expect for the file of points, which `map` and `propagate` take as an argument.
POINTS_FILE = ["--input", "--infile", "--input-file", "--points", "--data", "--dataset", "--source", "-i"]


def meaning_in(table: str, word: str) -> str | None:
    """Return the first meaning of a word, without regard to case, in a table of the file: the command (perhaps with an
    option) that it is another name of in `commands`; in `arguments` the argument and in `advice` the help for an option
    called so. None if the table does not have it."""
    return next(iter(synonyms()[table].get(word.casefold(), ())), None)


def option_of(name: str, known: Collection[str]) -> str | None:
    """Return the option, perhaps with its value, that `name` means among the options in `known`, or, if `adcli` is in
    `known`, the command (`adcli template`) that it means; None if none does."""
    meanings = synonyms()["options"].get(name, ())
    return next((meaning for meaning in meanings if meaning.partition(" ")[0] in known), None)
