"""Grammar files: tables in the folder grammar/ of the package, in sections of lines or of entries."""

from __future__ import annotations

import os
from collections.abc import Callable

from .typings import TypeVar

E = TypeVar("E")  # an entry of a table


def grammar_path(name: str) -> str:
    """Return the path of the file `name` in the folder grammar/ of the package or, as in a checkout, next to the
    package.

    Links to the package are followed. Raises FileNotFoundError if the file is in neither folder.
    """
    package = os.path.dirname(os.path.realpath(__file__))
    for folder in (package, os.path.dirname(package)):
        path = os.path.join(folder, "grammar", name)
        if os.path.isfile(path):
            return path
    raise FileNotFoundError(f"the grammar {name} is missing from this installation")


def read_sections(name: str) -> dict[str, list[str]]:
    """Return {section: its lines} of a file of the folder grammar/; a line `[name]` starts a section.

    Lines are kept as they are, without their ends; also empty ones, and sections without lines. Lines before the first
    section and lines that start with # are left out; any other line that starts with [ starts a section. Of two
    sections with one name the last counts.
    """
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    with open(grammar_path(name), encoding="utf-8") as stream:
        for line in stream.read().splitlines():
            if line.startswith("["):
                lines = sections[line.strip("[]")] = []
            elif not line.startswith("#"):
                lines.append(line)
    return sections


def read_tables(name: str, entry_class: Callable[..., E]) -> dict[str, list[E]]:
    """Return {section: its entries, in order} of the file `name` of the folder grammar/.

    Empty lines separate entries. Each line of an entry is `field: value` with a field of `entry_class`, which is called
    with these texts by keyword. A line that begins with two blanks continues the text of the line above, without them.
    """
    tables: dict[str, list[E]] = {}
    for table, lines in read_sections(name).items():
        entries = [entry.splitlines() for entry in "\n".join(lines).replace("\n  ", "").split("\n\n") if entry.strip()]
        tables[table] = [entry_class(**dict(line.split(": ", 1) for line in entry)) for entry in entries]
    return tables
