"""Plain text: full width, no colour, no boxes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest

from ..errors import width
from ..typings import ClassVar, override
from .document_format import Format
from .document_parts import Formulas, Heading, Items, Part, Table, ascii_table, column_widths, pad

FOLD = 200  # columns of the widest cell in a table; longer ones are folded


class Plain(Format):
    """Plain text; paragraphs and lists are wrapped to `columns`, unless that is None."""

    name = "plain"
    suffixes: ClassVar[tuple[str, ...]] = (".txt",)
    complete = False
    pages = False

    def __init__(self, columns: int | None = None, ascii_only: bool = False) -> None:
        self.columns, self.ascii = columns, ascii_only

    @override
    def inline(self, text: str) -> str:
        return text

    @override
    def heading(self, text: str, level: int) -> str:
        return f"{text}\n"

    @override
    def paragraph(self, text: str) -> str:
        return _lines(break_text(text, self.columns))

    @override
    def formulas(self, lines: Sequence[str]) -> str:
        return _lines(lines)

    @override
    def items(self, items: Items) -> str:
        """Return the items wrapped, with a line break at the end; each item needs at least one line.

        An item begins with its number (from `items.first`), ` 3. `, or with two blanks if `items.first` is None.
        Further lines of an item are indented as far as its first.
        """
        out: list[str] = []
        for number, (first, *more) in enumerate(items.items, items.first or 0):
            start = "  " if items.first is None else f"{number:3}. "
            out += break_text(first, self.columns, start)
            for text in more:
                out += break_text(text, self.columns, " " * len(start))
        return _lines(out)

    @override
    def table_pieces(self, table: Table) -> Iterator[str]:
        return draw_lines(ascii_table(table) if self.ascii else table)

    @override
    def are_separated(self, before: Part, part: Part) -> bool:
        """Return whether an empty line separates two parts: always before a heading, never after one, else around
        tables and formulas.
        """
        if isinstance(part, Heading):
            return True
        if isinstance(before, Heading):
            return False
        return isinstance(before, Table | Formulas) or isinstance(part, Table | Formulas)


def _lines(lines: Sequence[str]) -> str:
    """Return the lines as one text, each with a line break at its end."""
    return "".join(f"{line}\n" for line in lines)


def break_text(text: str, columns: int | None, start: str = "") -> list[str]:
    """Return `text` in lines of at most `columns` columns (None: no limit), broken at blanks; [] if it is empty.

    The first line begins with `start`, the others with as many blanks: `- one`, `  two`. A word that is too long is not
    broken; its line is longer.
    """
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
    """Return the table as text, with its title as the first line; empty if it has neither header nor rows."""
    return "".join(draw_lines(table))


def draw_lines(table: Table) -> Iterator[str]:
    """Yield the lines of a table, with two blanks between columns; its title is the first line.

    Rules of hyphens are before the rows in `rules`, and below the header if there are rows. Each string ends with a
    line break or is empty (no rule there). A string may have several lines, since cells wider than `FOLD` (200) columns
    continue on further lines of their row. Nothing is yielded if the table has neither header nor rows.
    """
    if not table.header and not table.rows:
        return
    columns = [min(wide, FOLD) for wide in column_widths(table)]
    head = bool(table.header)
    lines = [_line(row, columns, table.right) for row in chain([table.header] * head, table.rows)]
    rule = "-" * max(width(part) for line in lines for part in line.split("\n"))
    yield from [f"{table.title}\n"] if table.title else []
    for place, line in enumerate(lines, -head):
        yield f"{rule}\n" * ((place in table.rules) + (head and not place))
        yield f"{line}\n"


def _line(row: Sequence[str], columns: Sequence[int], right: Sequence[int]) -> str:
    """Return a row as text without a final line break: its cells padded to `columns` (the widths), on the left for the
    indices in `right`, with two blanks between them and none at the end.

    A row with a cell wider than 200 columns is several lines, in which each cell is broken at blanks, or inside longer
    words.
    """
    if all(len(cell) <= FOLD or width(cell) <= FOLD for cell in row):
        return "  ".join([pad(cell, columns[k], k in right) for k, cell in enumerate(row)]).rstrip()
    cells = [[part for word in break_text(cell, FOLD) for part in split_word(word, FOLD)] for cell in row]
    return "\n".join(_line(part, columns, right) for part in zip_longest(*cells, fillvalue=""))


def split_word(word: str, columns: int) -> list[str]:
    """Return the pieces of a word, each as long as possible but not wider than `columns`: `abc`, `def`, `g` for 3.
    [word] if it is not wider.

    A letter that alone is wider than `columns` is a piece of its own, after an empty piece if it is the first.
    """
    if width(word) <= columns:
        return [word]
    pieces = [""]
    for letter in word:
        if width(pieces[-1] + letter) > columns:
            pieces.append("")
        pieces[-1] += letter
    return pieces
