"""Tables as cells of text, before any format draws them."""

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple


class Words(str):
    """A cell of words; formats with a mathematics of their own write it as a text."""

    __slots__ = ()


class Table(NamedTuple):
    """Rows of cells: formulas and numbers, or Words; headers and the title are words.

    `rules` are the rows before which a line is drawn; `right` the columns that align right.
    """

    rows: list[tuple[str, ...]]
    header: tuple[str, ...] = ()
    rules: tuple[int, ...] = ()
    title: str = ""
    right: tuple[int, ...] = ()


HEADING, WORDS, FORMULA, LATEX = "heading", "words", "formula", "latex"


class Line(NamedTuple):
    """A line between tables: the heading of a problem (any text), words of ours, a formula as tables write it, or a
    formula that is LaTeX already."""

    text: str
    kind: str


Part = Table | Line


_ASCII = str.maketrans(
    {
        "−": "-", "×": "*", "π": "pi", "τ": "tau", "≤": "<=", "≥": ">=", "≠": "!=", "…": "...", "∂": "d", "─": "-",
        "≈": "~", "→": "->", "·": "*", "—": "-", "–": "-", "✓": "ok", "✗": "x", "↷": ">",
    }
)  # fmt: skip
_GREEK = "[\u0370-\u03ff]"
_DOT = "(\\w)\u0307([\\w']*)"
_BAR = "(\\w)\u0304([\\w']*)"


def ascii_text(text: str) -> str:
    """The text in ASCII: ẋ1 as dx1, x̄1 as x1bar, θ as theta; what has no spelling becomes a question mark."""
    text = unicodedata.normalize("NFD", text)
    text = re.sub(_GREEK, _spelled, text)
    text = re.sub(_DOT, r"d\1\2", text)
    text = re.sub(_BAR, r"\1\2bar", text)
    return text.translate(_ASCII).encode("ascii", "replace").decode("ascii")


def _spelled(letter: re.Match[str]) -> str:
    from ..notation.names import name_parts

    return name_parts(letter.group())[0]


def ascii_table(table: Table) -> Table:
    """The table in ASCII, before anything is aligned."""
    return table._replace(
        rows=[tuple(ascii_text(cell) for cell in row) for row in table.rows],
        header=tuple(ascii_text(cell) for cell in table.header),
        title=ascii_text(table.title),
    )


def visible(text: str) -> str:
    """The text with every character that could steer a terminal or hide something made visible, one for one."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c == " " else " " if c in "\t\u00a0" else "\ufffd" for c in text.replace("\n", " ")
    )


_LONGEST = 240  # characters of a sentence in a message


def sentence(text: str) -> str:
    """A text for one line of a message: visible, and cut in the middle where it is very long."""
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 3 :]}"
    return visible(text)


def width(text: str) -> int:
    """How many columns a terminal gives to a text."""
    if text.isascii():
        return len(text)
    columns = 0
    for character in text:
        if unicodedata.combining(character):
            continue
        columns += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return columns


def padded(text: str, columns: int, right: bool = False) -> str:
    """The text with blanks up to a number of columns."""
    blanks = " " * max(columns - width(text), 0)
    return blanks + text if right else text + blanks


def column_widths(table: Table) -> list[int]:
    """How many columns of text each column of a table takes."""
    every = [table.header, *table.rows]
    count = max(len(row) for row in every)
    return [max(width(row[k]) if k < len(row) else 0 for row in every) for k in range(count)]


def columns_apart(table: Table, widths: Sequence[int], most: int) -> list[Table]:
    """The table, or several of fewer columns where these widths make more than `most`; each keeps the first column."""
    if len(widths) < 3 or sum(widths) <= most:
        return [table]
    groups: list[list[int]] = [[0]]
    for k in range(1, len(widths)):
        if len(groups[-1]) > 1 and sum(widths[c] for c in groups[-1]) + widths[k] > most:
            groups.append([0])
        groups[-1].append(k)
    return [_only(table, group) for group in groups]


def _only(table: Table, group: list[int]) -> Table:
    rows = [tuple(row[k] for k in group if k < len(row)) for row in table.rows]
    header = tuple(table.header[k] for k in group if table.header)
    return table._replace(
        rows=rows, header=header, right=tuple(place for place, k in enumerate(group) if k in table.right)
    )
