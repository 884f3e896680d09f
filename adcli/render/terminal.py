"""Tables for terminals, drawn by rich (the only importer of rich).

A table that is too wide wraps inside its cells; nothing is ever cropped.  All text is plain to rich: no markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import StringIO
from typing import TYPE_CHECKING

from ..errors import width
from ..overriding import override
from .document_parts import Part, Table, ascii_table, column_widths, columns_apart
from .plain import Plain

if TYPE_CHECKING:
    from rich.console import Console

Piece = tuple[str, str]  # a text and its style, such as "bold red"; without a style it is plain

_LEAST = 5  # columns of text that a wrapped cell should have
_WORD = 16  # columns of text up to which a word is not to be broken
_FAIR = 24  # columns of text that a cell has at most where a table is taken apart
_GAP, _EDGES = 3, 2  # blanks between columns, and on both sides of a table
_FOLDED, _AROUND = 12, 8  # rows that a folded table has at least, and lines that are left to what stands around it
_WORTH_FOLDING = 8  # rows
_FOLD = "\ue000"  # in the place of rows that are not shown; no text of ours has this sign


class Terminal(Plain):
    """Text for a terminal of so many columns, with tables that rich draws."""

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
        """The text in lines, of which none is longer than the terminal, whatever its words are."""
        return super().paragraph(" ".join(piece for word in text.split(" ") for piece in _pieces(word, self.wide)))

    @override
    def table(self, table: Table) -> str:
        most = self.lines - _AROUND if self.lines is not None and table.folds else None
        return draw(ascii_table(table) if self.ascii else table, self.wide, self.color, self.ascii, most)

    @override
    def apart(self, before: Part, part: Part) -> bool:
        if isinstance(part, Table):  # which begins with a blank line, or with its title
            return bool(part.title) and not isinstance(before, Table)
        return super().apart(before, part) and not isinstance(before, Table)


def _pieces(word: str, columns: int) -> list[str]:
    """The word, or pieces of it of which none is wider than this."""
    if width(word) <= columns:
        return [word]
    pieces = [""]
    for letter in word:
        if width(pieces[-1] + letter) > columns:
            pieces.append("")
        pieces[-1] += letter
    return pieces


def _least(table: Table) -> list[int]:
    """The columns of text that each column of a table needs: words may be wrapped, numbers and short words not."""
    found = []
    for k, wide in enumerate(column_widths(table)):
        head = _longest_word(table.header[k : k + 1])
        word = _longest_word(row[k] for row in table.rows if k < len(row))
        found.append(wide if k in table.right else max(_LEAST, head, min(word, _WORD)))
    return found


def _longest_word(texts: Iterable[str]) -> int:
    return max((width(word) for text in texts for word in text.split()), default=0)


def _gap(table: Table, columns: int) -> int:
    """How many blanks stand between columns: fewer where they make room for words."""
    wide = column_widths(table)
    return next((gap for gap in (_GAP, _GAP - 1) if _total(wide, gap) <= columns), _GAP - 1)


def _total(wide: Sequence[int], gap: int) -> int:
    return sum(wide) + gap * (len(wide) - 1) + _EDGES


def _fitted(table: Table, gap: int, columns: int) -> list[int]:
    """The columns of text of each column: the widest ones give way, and numbers only where words are at an end."""
    found = column_widths(table)
    for least in (_least(table), [1] * len(found)):
        while (excess := _total(found, gap) - columns) > 0:
            slack = [wide for wide, low in zip(found, least, strict=True) if wide > low]
            if not slack:
                break
            level = max(slack)
            below = max((wide for wide in slack if wide < level), default=0)
            widest = [k for k, wide in enumerate(found) if wide == level and wide > least[k]]
            step = min(level - below, max(1, excess // len(widest)))
            for k in widest[:excess]:
                found[k] = max(least[k], level - step)
    return found


def _parts(table: Table, columns: int) -> list[Table]:
    """The table, or several of fewer columns where it has too many for wrapping to help."""
    least, gap = _least(table), _gap(table, columns)
    if _total(least, gap) <= columns:
        return [table]
    fair = [max(narrow, min(wide, _FAIR)) + gap for narrow, wide in zip(least, column_widths(table), strict=True)]
    return columns_apart(table, fair, columns - _EDGES + gap)


def draw(table: Table, columns: int, color: bool, ascii_only: bool = False, most: int | None = None) -> str:
    """The table as a text of at most so many columns, with colours as escape codes where wanted.

    Where its parts have many more than `most` rows the first and the last ones are drawn, and how many are between.
    """
    parts = _parts(table, columns)
    kept = len(table.rows) if most is None else max(_FOLDED, most // len(parts))
    hidden = len(table.rows) - kept
    if hidden < _WORTH_FOLDING:
        return "\n".join(_drawn(part, columns, color, ascii_only) for part in parts)
    folded = _folded(table, kept - kept // 2, hidden)
    told = f"{'...' if ascii_only else '…'} {hidden} rows; --all\n"
    return "\n".join(_unfolded(_drawn(part, columns, color, ascii_only), told) for part in _parts(folded, columns))


def _folded(table: Table, first: int, hidden: int) -> Table:
    """The table without the rows of its middle, in the place of which there is a sign."""
    rows = [*table.rows[:first], (_FOLD,), *table.rows[first + hidden :]]
    shift = hidden - 1
    rules = (rule if rule < first else rule - shift for rule in table.rules if not first <= rule < first + hidden)
    return table._replace(rows=rows, rules=tuple(rules))


def _unfolded(text: str, told: str) -> str:
    """The text with what is told in the place of the line that has the sign."""
    lines = text.splitlines(keepends=True)
    return "".join(told if _FOLD in line else line for line in lines)


def _drawn(table: Table, columns: int, color: bool, ascii_only: bool) -> str:
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    gap = _gap(table, columns)
    drawn = RichTable(
        box=box.ASCII if ascii_only else box.SIMPLE_HEAD if table.header else box.SIMPLE,
        show_header=bool(table.header), title=Text(table.title) if table.title else None, title_justify="left",
        pad_edge=False, padding=(0, gap - 2, 0, 1),
    )  # fmt: skip
    for k, wide in enumerate(_fitted(table, gap, columns)):
        header = Text(table.header[k]) if k < len(table.header) else ""
        justify = "right" if k in table.right else "left"
        drawn.add_column(header, justify=justify, overflow="fold", width=wide, style="bold" * (k == 0))  # type: ignore[arg-type]
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
