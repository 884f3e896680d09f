"""Markdown: text that stays text, and tables of pipes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..cells import HEADING, Line, Part, Table, padded, visible, width

_SIGNS = re.compile(r"([\\`*_{}\[\]<>#|~$&!^])")


def escaped(text: str) -> str:
    """The text as text in Markdown: nothing in it is markup, a link or HTML."""
    return _SIGNS.sub(r"\\\1", visible(text))


def draw(table: Table) -> str:
    """The table with pipes; a header of blanks where it has none, and its title as a paragraph before it."""
    count = max(len(row) for row in [table.header, *table.rows])
    rows = [
        [escaped(row[k]) if k < len(row) else "" for k in range(count)]
        for row in [table.header, *table.rows]
    ]  # fmt: skip
    columns = [max(3, *(width(row[k]) for row in rows)) for k in range(count)]
    right = [k in table.right for k in range(count)]
    rule = ["-" * (columns[k] - 1) + ":" if right[k] else "-" * columns[k] for k in range(count)]
    lines = [[padded(cell, columns[k], right[k]) for k, cell in enumerate(row)] for row in rows]
    lines.insert(1, rule)
    title = f"{escaped(table.title)}\n\n" if table.title else ""
    return title + "".join(f"| {' | '.join(line)} |\n" for line in lines)


def line(text: Line) -> str:
    """A heading or a paragraph."""
    return f"{'## ' if text.kind == HEADING else ''}{escaped(text.text)}\n"


def body(parts: Sequence[Part]) -> str:
    """The parts one below the other, a blank line between them."""
    return "\n".join(draw(part) if isinstance(part, Table) else line(part) for part in parts)
