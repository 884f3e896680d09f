"""Tables for terminals, drawn by rich (the only importer of rich).

A table that is too wide wraps inside its cells; nothing is ever cropped.  All text is plain to rich: no markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from io import StringIO

from ..errors import width
from ..typings import TYPE_CHECKING, override
from .document_parts import Part, Table, ascii_table, column_widths, split_columns
from .plain import Plain, split_word

if TYPE_CHECKING:
    from rich.console import Console

Piece = tuple[str, str]  # a text and its style, such as "bold red"; without a style it is plain

_LEAST = 5  # columns of text that a wrapped cell should have
_WORD = 16  # words up to this width are not broken
_FAIR = 24  # columns of text that a cell has at most in a table that is split
_GAP, _EDGES = 3, 2  # blanks between columns, and on both sides of a table
_FOLDED, _AROUND = 12, 8  # rows that a folded table has at least, and lines that are left to what stands around it
_WORTH_FOLDING = 8  # rows
_FOLD = "\ue000"  # represents rows that are not shown; no text contains it


class Terminal(Plain):
    """Text for a terminal of `columns` columns and `lines` lines (None: unlimited), with tables drawn by rich, in
    `color` if that is True.

    Paragraphs are wrapped to `columns`, or to `broken` if that is less; of a table that may fold only as many rows are
    shown as leave 8 lines for other text.
    """

    name = "table"
    suffixes = ()

    def __init__(
        self, columns: int, color: bool, ascii_only: bool = False, broken: int | None = None, lines: int | None = None
    ) -> None:
        super().__init__(min(columns, broken or columns), ascii_only)
        self.wide, self.color, self.lines = columns, color, lines

    @override
    def heading(self, text: str, level: int) -> str:
        return self.paragraph(text)

    @override
    def paragraph(self, text: str) -> str:
        """Return the text in lines no longer than the terminal; longer words are split."""
        return super().paragraph(" ".join(piece for word in text.split(" ") for piece in split_word(word, self.wide)))

    @override
    def table_pieces(self, table: Table) -> Iterator[str]:
        most = self.lines - _AROUND if self.lines is not None and table.folds else None
        yield draw(ascii_table(table) if self.ascii else table, self.wide, self.color, self.ascii, most)

    @override
    def are_separated(self, before: Part, part: Part) -> bool:
        if isinstance(part, Table):  # which begins with a blank line, or with its title
            return bool(part.title) and not isinstance(before, Table)
        return super().are_separated(before, part) and not isinstance(before, Table)


def _least_widths(table: Table) -> list[int]:
    """Return the least width of each column.

    A right-aligned column is not wrapped: its least width is its full width. For another column it is the largest of 5,
    the longest word of the header, and the longest word of the cells (at most 16).
    """
    widths = []
    for k, wide in enumerate(column_widths(table)):
        head = _longest_word(table.header[k : k + 1])
        word = _longest_word(row[k] for row in table.rows if k < len(row))
        widths.append(wide if k in table.right else max(_LEAST, head, min(word, _WORD)))
    return widths


def _longest_word(texts: Iterable[str]) -> int:
    """Return the width of the widest word in all `texts`, in columns; 0 without words."""
    return max((width(word) for text in texts for word in text.split()), default=0)


def _column_gap(table: Table, columns: int) -> int:
    """Return the number of blanks between columns: 3 if the table then fits into `columns`, else 2."""
    wide = column_widths(table)
    return next((gap for gap in (_GAP, _GAP - 1) if _table_width(wide, gap) <= columns), _GAP - 1)


def _table_width(wide: Sequence[int], gap: int) -> int:
    """Return the width of a table with columns of the widths `wide` and `gap` blanks between them, edges included."""
    return sum(wide) + gap * (len(wide) - 1) + _EDGES


def _fit_widths(table: Table, gap: int, columns: int) -> list[int]:
    """Return the width of each column so that the table fits into `columns`, with `gap` blanks between two of them.

    The widest columns are reduced first. Only if all have reached their least widths, they are reduced further, to 1
    column at least. If even that does not fit, the result is too wide.
    """
    widths = column_widths(table)
    for least in (_least_widths(table), [1] * len(widths)):
        while (excess := _table_width(widths, gap) - columns) > 0:
            slack = [wide for wide, low in zip(widths, least, strict=True) if wide > low]
            if not slack:
                break
            level = max(slack)
            below = max((wide for wide in slack if wide < level), default=0)
            widest = [k for k, wide in enumerate(widths) if wide == level and wide > least[k]]
            step = min(level - below, max(1, excess // len(widest)))
            for k in widest[:excess]:
                widths[k] = max(least[k], level - step)
    return widths


def _split_table(table: Table, columns: int) -> list[Table]:
    """Return the table, split into several with fewer columns if its least widths do not fit into `columns`.

    A table of fewer than 3 columns is never split. In the parts, cells that may be folded have room for 24 columns of
    text, or for their longest word; right-aligned columns keep their width. Each part begins with the first
    `table.stub` columns, or with the first one alone if these take more than half of the width.
    """
    least, gap = _least_widths(table), _column_gap(table, columns)
    if _table_width(least, gap) <= columns:
        return [table]
    fair = [max(narrow, min(wide, _FAIR)) + gap for narrow, wide in zip(least, column_widths(table), strict=True)]
    return split_columns(table, fair, columns - _EDGES + gap)


def draw(table: Table, columns: int, color: bool, ascii_only: bool = False, most: int | None = None) -> str:
    """Return the table as text of at most `columns` columns, with escape codes for `color`.

    With `ascii_only` the frame is in ASCII. A table that is too wide is split into several, with an empty line between
    them. Shown are `most` rows (None: all) divided by the number of tables, but at least 12. If at least 8 rows would
    be hidden, the rows in the middle are replaced by a line `… 40 rows; --all`, with half of the shown rows before it.
    If fewer would be hidden, all rows are shown.
    """
    parts = _split_table(table, columns)
    kept = len(table.rows) if most is None else max(_FOLDED, most // len(parts))
    hidden = len(table.rows) - kept
    if hidden < _WORTH_FOLDING:
        return "\n".join(_draw_table(part, columns, color, ascii_only) for part in parts)
    folded = _fold_rows(table, kept - kept // 2, hidden)
    note = f"{'...' if ascii_only else '…'} {hidden} rows; --all\n"
    text = "\n".join(_draw_table(part, columns, color, ascii_only) for part in _split_table(folded, columns))
    return "".join(note if _FOLD in line else line for line in text.splitlines(keepends=True))


def _fold_rows(table: Table, first: int, hidden: int) -> Table:
    """Return the table with the `hidden` rows after the first `first` rows replaced by one row that holds only `_FOLD`,
    a sign that `draw` replaces by a note.

    Rules move with their rows; those among the hidden rows are left out.
    """
    rows = [*table.rows[:first], (_FOLD,), *table.rows[first + hidden :]]
    shift = hidden - 1
    rules = (rule if rule < first else rule - shift for rule in table.rules if not first <= rule < first + hidden)
    return table._replace(rows=rows, rules=tuple(rules))


def _draw_table(table: Table, columns: int, color: bool, ascii_only: bool) -> str:
    """Return a table for a terminal of `columns` columns, drawn by rich, without blanks at the ends of lines.

    Rules become empty lines or lines between sections, the first column is bold, the title is on the left; cells that
    are too long are folded. With `color` it has escape codes, with `ascii_only` a frame in ASCII. It ends in a newline.
    """
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    gap = _column_gap(table, columns)
    rich_table = RichTable(
        box=box.ASCII if ascii_only else box.SIMPLE_HEAD if table.header else box.SIMPLE,
        show_header=bool(table.header), title=Text(table.title) if table.title else None, title_justify="left",
        pad_edge=False, padding=(0, gap - 2, 0, 1),
    )  # fmt: skip
    for k, wide in enumerate(_fit_widths(table, gap, columns)):
        header = Text(table.header[k]) if k < len(table.header) else ""
        justify = "right" if k in table.right else "left"
        rich_table.add_column(header, justify=justify, overflow="fold", width=wide, style="bold" * (k == 0))  # type: ignore[arg-type]
    for place, row in enumerate(table.rows):
        if place in table.rules:
            rich_table.add_section()
        rich_table.add_row(*(Text(cell) for cell in row))
    out = StringIO()
    _console(out, columns, color).print(rich_table)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def style_lines(lines: Sequence[Sequence[Piece]], columns: int, color: bool) -> str:
    """Return lines of (text, style) pieces as text, with escape codes for `color`.

    Lines are neither wrapped nor cut; `columns` is the width of the terminal. Each ends with a line break.
    """
    from rich.text import Text

    out = StringIO()
    console = _console(out, columns, color)
    for line in lines:
        console.print(Text.assemble(*line), soft_wrap=True)
    return out.getvalue()


def _console(out: StringIO, columns: int, color: bool) -> Console:
    """Return a console of rich that writes to `out` with the width `columns`, in colour only if `color` is True.

    It does not interpret markup or emoji codes in texts, and does not highlight numbers.
    """
    from rich.console import Console

    return Console(
        file=out, width=columns, force_terminal=color, no_color=not color, color_system="standard" if color else None,
        markup=False, highlight=False, emoji=False, legacy_windows=False, safe_box=False,
    )  # fmt: skip


def draw_markdown(text: str, columns: int, color: bool) -> str:
    """Return Markdown of this program (`text`) laid out in `columns` columns, with escape codes if `color` is True.

    The address of a link is in brackets after its text.
    """
    from rich.console import Console
    from rich.markdown import Markdown

    out = StringIO()
    console = Console(file=out, width=columns, force_terminal=color, no_color=not color, highlight=False)
    console.print(Markdown(text, code_theme="ansi_dark", hyperlinks=False))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"
