"""Where rows and tables of LaTeX begin and end."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TABLES = frozenset({"tabular", "tabularx", "array", "longtable"})
_MARK = re.compile(
    r"\\begin\s*+\{(?P<begin>[a-zA-Z]++)\*?\}(?:\s*+\[[^\[\]]*+\])?+(?:\s*+\{(?:[^{}]|\{[^{}]*+\})*+\})*+"
    r"|\\end\s*+\{(?P<end>[a-zA-Z]++)\*?\}|(?P<row>\\\\(?:\s*+\[[\d.]++\s*+[a-z]{2}\])?+|\\tabularnewline(?![A-Za-z]))"
)
_CELL = re.compile(r"(?<!\\)&")
BREAK, TABLE, TABLE_END, OTHER = "break", "table", "end of table", "other"


def marks(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and kind of what parts the rows in a line: breaks, and environments that begin or end."""
    if "\\" in text:
        for match in _MARK.finditer(text):
            kind = BREAK
            if match["begin"]:
                kind = TABLE if match["begin"] in _TABLES else OTHER
            elif match["end"]:
                kind = TABLE_END if match["end"] in _TABLES else OTHER
            yield match.start(), match.end(), kind


def cells(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The places of the cells between two places of a line."""
    for match in _CELL.finditer(text, start, end):
        yield start, match.start()
        start = match.end()
    yield start, end
