"""Tables as cells of text, before any format draws them."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple


class Table(NamedTuple):
    """Rows of cells.  `rules` are the rows before which a line is drawn; `right` the columns that align right."""

    rows: list[tuple[str, ...]]
    header: tuple[str, ...] = ()
    rules: tuple[int, ...] = ()
    title: str = ""
    right: tuple[int, ...] = ()


_ASCII = str.maketrans(
    {
        "−": "-", "×": "*", "π": "pi", "τ": "tau", "≤": "<=", "≥": ">=", "≠": "!=", "…": "...", "∂": "d", "─": "-",
        "→": "->", "·": "*", "—": "-", "–": "-",
    }
)  # fmt: skip
_DOT = re.compile("(\\w)\u0307([\\w']*)")
_BAR = re.compile("(\\w)\u0304([\\w']*)")


def ascii_text(text: str) -> str:
    """The text in ASCII: ẋ1 as dx1, x̄1 as x1bar; what has no spelling becomes a question mark."""
    text = unicodedata.normalize("NFD", text)
    text = _DOT.sub(r"d\1\2", text)
    text = _BAR.sub(r"\1\2bar", text)
    return text.translate(_ASCII).encode("ascii", "replace").decode("ascii")


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
