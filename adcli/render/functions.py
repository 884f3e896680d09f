"""The list of functions as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .cells import Table

_HEADER = ("name", "written", "derivative", "domain", "also", "what it is")


def table(found: Sequence[dict[str, Any]]) -> Table:
    """One row a function."""
    return Table([_cells(row) for row in found], _HEADER)


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    derivative = "; ".join(row["derivatives"])
    return row["name"], row["call"], derivative, row["domain"], ", ".join(row["aliases"]), row["summary"]


def markdown(found: Sequence[dict[str, Any]]) -> str:
    """The same as a Markdown pipe table."""
    lines = [_HEADER, ("---",) * len(_HEADER), *(_cells(row) for row in found)]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)
