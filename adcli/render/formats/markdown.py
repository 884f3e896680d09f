"""Markdown: text in which nothing is markup, and tables of pipes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, groupby

from ...errors import visible, width
from ...notation.display_formula import Formula
from ...typings import override
from ..document_format import Format, escapes
from ..document_parts import Code, Marked, Runs, Table, pad
from ..plain import FOLD

_STARTS = re.compile(r"(\d{0,9})([-+=.)])(?!\d)")  # what would start a list or underline a title


class Markdown(Format):
    """Markdown as GitHub reads it."""

    name = "markdown"
    suffixes = (".md", ".markdown")
    complete = False
    line_break = "  \n"
    around_strong = ("**", "**")
    special = escapes("\\`*_{}[]<>#|~$&!^")
    hashes = "#"

    @override
    def code(self, text: str) -> str:
        """Return the text between backquotes, so that nothing in it is markup or mathematics.

        It becomes escaped text if it is blank, or contains a backquote, a bar (which would end a cell) or `<` (which
        poor readers take for HTML).
        """
        shown = visible(text)
        return self.escaped(text) if {"`", "|", "<"} & {*shown} or not shown.strip() else f"`{shown}`"

    @override
    def runs(self, text: Runs) -> str:
        return super().runs(_join_code(text))

    @override
    def formulas(self, lines: Sequence[Formula]) -> str:
        return "".join(f"    {visible(line)}\n" for line in lines)  # as code, so that stars need no backslashes

    @override
    def line(self, text: str) -> str:
        return _escape_start(self.inline(text))

    @override
    def paragraph(self, text: str) -> str:
        return f"{_escape_start(text)}\n"

    @override
    def table_pieces(self, table: Table) -> Iterator[str]:
        """Yield the table with pipes in pieces: title, header with the rule below it, each row.

        All columns are in one table, however wide. The title is a paragraph ("" if there is none); every other piece
        ends with a line break. A missing header becomes blanks. Cells are padded to the width of their column, at least
        3 and at most `FOLD` (200). Rules between rows are not shown.
        """
        columns = [3] * table.columns
        for row in chain([table.header], table.rows):  # which are written twice: together they may fill the memory
            columns = list(map(max, columns, map(width, self.cells(row, len(columns)))))
        columns = [min(wide, FOLD) for wide in columns]
        right = [k in table.right for k in range(len(columns))]
        column_widths = self.column_widths(table, columns)
        rule = ["-" * (column_widths[k] - 1) + ":" if right[k] else "-" * column_widths[k] for k in range(len(columns))]
        yield f"{self.paragraph(self.inline(table.title))}\n" if table.title else ""
        for place, row in enumerate(chain([table.header], table.rows)):
            cells = map(pad, self.cells(row, len(columns)), columns, right)
            yield f"| {' | '.join(cells)} |\n" + f"| {' | '.join(rule)} |\n" * (place == 0)

    def column_widths(self, table: Table, columns: Sequence[int]) -> Sequence[int]:
        """Return the number of hyphens under each column, by default the width of its text."""
        return columns


def _join_code(text: Runs) -> Runs:
    """Return the line with neighbouring texts as typed (Code or Marked) joined to one Code, since the backquotes of two
    would touch.
    """
    parts = groupby(text.runs, key=lambda run: isinstance(run, Code | Marked))
    return Runs(*[run for is_code, runs in parts for run in ([Code("".join(runs))] if is_code else runs)])


def _escape_start(text: str) -> str:
    r"""Return a line whose start is not taken for a list or the underline of a title: `1. a` becomes `1\. a`, `- a`
    becomes `\- a`.
    """
    return _STARTS.sub(r"\1\\\2", text, count=1) if _STARTS.match(text) else text


FORMAT = Markdown()
