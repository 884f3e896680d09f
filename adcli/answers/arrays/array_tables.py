"""Tables in answers with arrays: the roles of their columns by the titles, and the cells of their lines."""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import normalize

from ...errors import Source, Span
from ..answer_model import BAR, DOT, VALUE
from ..chains import cut
from ..collector import Cut
from ..headers import NAME, RESULT, Column, arrange, column_of_word
from .array_texts import Shapes, read_symbol

_OWN = {  # besides the words of all tables; empty roles are of columns to ignore
    **{word: Column("") for word in ("shape", "label", "problem", "v̄ by the rule", "\\bar v by the rule")},
    "index": Column("index"), "array": Column(NAME), "bar y": Column(RESULT, BAR),
}  # fmt: skip


def roles_of(titles: Sequence[str], shapes: Shapes) -> list[str]:
    """Return the role of each column by the titles in small letters; [] if these are not the header of a table.

    Roles are name, formula, numbers, value, index, bar, or others for columns to ignore; `arrange` has the rules.
    """
    words = [normalize("NFC", title) for title in titles]
    cells = [_OWN.get(word) or column_of_word(word) or _of_symbol(word, shapes) for word in words]
    return [_role(each) for each in arrange(titles, cells) or []]


def _role(column: Column | None) -> str:
    """Return the role of a column, value or bar for results; empty for tangents, guesses and unknown words."""
    if column is None or column.guess or column.kind == DOT:
        return ""
    return column.role if column.role != RESULT else VALUE if column.kind == VALUE else BAR


def _of_symbol(title: str, shapes: Shapes) -> Column | None:
    """Return a column of adjoints for a title such as v̄ or dy/dv; None for another one."""
    symbol = read_symbol(title, {**shapes, "v": ()})
    return Column(RESULT, BAR) if symbol is not None and symbol[0] == BAR else None


def table_cells(source: Source, header: str) -> list[Cut]:
    """Return the cells of a line of a table whose header line is `header`, each with its span.

    Cells are separated by |, & or commas, whichever separates the titles of the header (a comma only after `name`),
    except inside matrices of LaTeX and quotes. Without such a sign, a cell begins below each title of the header;
    titles have at least two blanks between them.
    """
    sign = next((sign for sign in ("|", "&", "name,") if sign in header), "")[-1:]
    if not sign:
        starts = [0] + [k for k in range(2, len(header)) if header[k] != " " and header[k - 2 : k] == "  "]
        ends = [*starts[1:], len(source.text)]
        return [cut(source, source.text, start, end) for start, end in zip(starts, ends, strict=True)]
    cells, start = [], 0
    for cell in _split_cells(source.text, sign):
        before, gap, end = cell.rpartition("\\\\[")
        plain = (before if gap and end.strip().endswith("pt]") else cell).strip().removesuffix("\\\\").strip()
        place = source.text.find(plain, start) if plain else -1
        start = place + len(plain) if place >= 0 else start
        cells.append(Cut(plain, Span(max(place, 0), max(place, 0) + max(len(plain), 1), source)))
    return cells


def _split_cells(text: str, sign: str) -> list[str]:
    """Return the parts of a line between its signs `sign`, except those in matrices of LaTeX and between quotes."""
    cells: list[str] = []
    for part in text.replace("\\|", "‖ ").strip().strip("|").split(sign):
        if cells and (cells[-1].count("\\begin{") > cells[-1].count("\\end{") or cells[-1].count('"') % 2):
            cells[-1] += sign + part
        else:
            cells.append(part)
    return cells
