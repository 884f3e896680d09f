"""Tables in answers with arrays: the roles of their columns by the titles, and the cells of their lines."""

from __future__ import annotations

from ...errors import Source, Span
from ..answer_model import BAR, VALUE
from ..chains import cut
from ..collector import Cut
from .array_texts import Shapes, read_symbol

_ROLES = {
    VALUE: ("value", "wert", "values"), "formula": ("formula", "expression", "formel"), "index": ("index",),
    "": ("shape", "label", "problem", "operator", "v̄ by the rule", "\\bar v by the rule", "rule"),
    "name": ("", "name", "step", "row", "variable", "array", "node", "quantity"),
    BAR: ("adjoint", "gradient", "bar", "grad", "derivative", "bar y"),
}  # fmt: skip


def role_of(title: str, shapes: Shapes) -> str:
    """Return the role of a column by its title in small letters: name, formula, value, index, bar, or "" for others."""
    for role, titles in _ROLES.items():
        if title in titles:
            return role
    symbol = read_symbol(title, {**shapes, "v": ()})
    return BAR if symbol is not None and symbol[0] == BAR else ""


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
