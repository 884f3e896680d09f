"""Tables for terminals, drawn by rich (the only importer of rich).

A table that is too wide wraps inside its cells; nothing is ever cropped.  All text is plain to rich: no markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from itertools import zip_longest
from typing import TYPE_CHECKING

from ..errors import width
from .cells import Part, Table, ascii_table, column_widths, columns_apart
from .plain import Plain

if TYPE_CHECKING:
    from rich.console import Console

Piece = tuple[str, str]  # a text and its style, such as "bold red"; without a style it is plain

_LEAST = 8  # columns of text that a wrapped cell should have, blanks beside it included


class Terminal(Plain):
    """Text for a terminal of so many columns, with tables that rich draws."""

    name = "table"
    suffixes = ()

    def __init__(self, columns: int, color: bool, ascii_only: bool = False, broken: int | None = None) -> None:
        super().__init__(broken, ascii_only)
        self.wide, self.color = columns, color

    def table(self, table: Table) -> str:
        return draw(ascii_table(table) if self.ascii else table, self.wide, self.color, self.ascii)

    def apart(self, before: Part, part: Part) -> bool:
        return super().apart(before, part) and not (isinstance(before, Table) or isinstance(part, Table))


def _parts(table: Table, columns: int) -> list[Table]:
    """The table, or several of fewer columns where it has too many for wrapping to help."""
    widths = column_widths(table)
    least = [max(_LEAST, word + 3) for word in _longest_words(table)]
    return [table] if sum(least) <= columns else columns_apart(table, [wide + 3 for wide in widths], columns)


def _longest_words(table: Table) -> list[int]:
    """The width of the longest word of each header, which is not to be broken."""
    every = zip_longest(range(len(column_widths(table))), table.header, fillvalue="")
    return [max((width(word) for word in head.split()), default=0) for _, head in every]


def draw(table: Table, columns: int, color: bool, ascii_only: bool = False) -> str:
    """The table as a text of at most so many columns, with colours as escape codes where wanted."""
    return "\n".join(_drawn(part, columns, color, ascii_only) for part in _parts(table, columns))


def _drawn(table: Table, columns: int, color: bool, ascii_only: bool) -> str:
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    drawn = RichTable(
        box=box.ASCII if ascii_only else box.SIMPLE_HEAD if table.header else box.SIMPLE,
        show_header=bool(table.header), title=Text(table.title) if table.title else None, title_justify="left",
        pad_edge=False, padding=(0, 1),
    )  # fmt: skip
    words = _longest_words(table)
    fits = sum(words) + 3 * len(words) <= columns  # otherwise words are broken, lest anything be cropped
    for k, word in enumerate(words):
        header = Text(table.header[k]) if k < len(table.header) else ""
        justify = "right" if k in table.right else "left"
        drawn.add_column(header, justify=justify, overflow="fold", min_width=word * fits, style="bold" * (k == 0))  # type: ignore[arg-type]
    for place, row in enumerate(table.rows):
        if place in table.rules:
            drawn.add_section()
        drawn.add_row(*(Text(cell) for cell in row))
    out = StringIO()
    _console(out, columns, color).print(drawn)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def styled(lines: Sequence[Sequence[Piece]], columns: int, color: bool) -> str:
    """Lines of pieces as a text, with colours as escape codes where wanted; no line is wrapped or cropped."""
    from rich.text import Text

    out = StringIO()
    console = _console(out, columns, color)
    for line in lines:
        console.print(Text.assemble(*line), soft_wrap=True)
    return out.getvalue()


def _console(out: StringIO, columns: int, color: bool) -> Console:
    from rich.console import Console

    return Console(
        file=out, width=columns, force_terminal=color, no_color=not color, color_system="standard" if color else None,
        markup=False, highlight=False, emoji=False, legacy_windows=False, safe_box=False,
    )  # fmt: skip


def drawn_markdown(text: str, columns: int, color: bool) -> str:
    """A text of ours in Markdown, laid out in so many columns."""
    from rich.console import Console
    from rich.markdown import Markdown

    out = StringIO()
    console = Console(file=out, width=columns, force_terminal=color, no_color=not color, highlight=False)
    console.print(Markdown(text, code_theme="ansi_dark", hyperlinks=False))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"
