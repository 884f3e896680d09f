"""Plain text: full width, no colour, no boxes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ..errors import width
from ..overriding import override
from .document_format import Format
from .document_parts import Formulas, Heading, Items, Part, Table, ascii_table, column_widths, padded


class Plain(Format):
    """Plain text; paragraphs and lists are wrapped to `columns`, unless that is None."""

    name = "plain"
    suffixes: ClassVar[tuple[str, ...]] = (".txt",)
    complete = False

    def __init__(self, columns: int | None = None, ascii_only: bool = False) -> None:
        self.columns, self.ascii = columns, ascii_only

    @override
    def escaped(self, text: str) -> str:
        return text

    @override
    def inline(self, text: str) -> str:
        return text

    @override
    def heading(self, text: str, level: int) -> str:
        return f"{text}\n"

    @override
    def paragraph(self, text: str) -> str:
        return _lines(broken(text, self.columns))

    @override
    def formulas(self, lines: Sequence[str]) -> str:
        return _lines(lines)

    @override
    def items(self, items: Items) -> str:
        """Return the items wrapped, each with its number or indented by two blanks; further lines of an item are
        indented below it."""
        out: list[str] = []
        for number, (first, *more) in enumerate(items.items, items.first or 0):
            start = "  " if items.first is None else f"{number:3}. "
            out += broken(first, self.columns, start)
            for text in more:
                out += broken(text, self.columns, " " * len(start))
        return _lines(out)

    @override
    def table(self, table: Table) -> str:
        return draw(ascii_table(table) if self.ascii else table)

    @override
    def apart(self, before: Part, part: Part) -> bool:
        if isinstance(part, Heading):
            return True
        if isinstance(before, Heading):
            return False
        return isinstance(before, Table | Formulas) or isinstance(part, Table | Formulas)


def _lines(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def broken(text: str, columns: int | None, start: str = "") -> list[str]:
    """Return the text in lines of at most `columns` (None: no limit), with `start` before the first line and as many
    blanks before the others; [] if it is empty."""
    blank = " " * len(start)
    if text and columns is None:
        return [start + text]
    lines: list[str] = []
    line = start
    for word in text.split(" ") if text else ():
        fresh = line in (start, blank)
        if not fresh and columns is not None and width(line) + 1 + width(word) > columns:
            lines.append(line)
            line, fresh = blank, True
        line += word if fresh else f" {word}"
    return [*lines, line] if text else []


def draw(table: Table) -> str:
    """Return the table with two blanks between columns and rules of hyphens; empty if it has neither header nor
    rows."""
    if not table.header and not table.rows:
        return ""
    columns = column_widths(table)
    lines = [_line(row, columns, table.right) for row in table.rows]
    head = [_line(table.header, columns, table.right)] if table.header else []
    longest = max((width(line) for line in [*head, *lines]), default=0)
    rule = "-" * longest
    out = [table.title] if table.title else []
    out += [*head, rule] if head else []
    for place, line in enumerate(lines):
        if place in table.rules:
            out.append(rule)
        out.append(line)
    return "\n".join(out) + "\n"


def _line(row: tuple[str, ...], columns: list[int], right: tuple[int, ...]) -> str:
    cells = [padded(cell, columns[k], k in right) for k, cell in enumerate(row)]
    return "  ".join(cells).rstrip()
