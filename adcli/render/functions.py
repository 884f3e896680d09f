"""The list of functions as a table and as a sheet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .cells import Table

_HEADER = ("name", "written", "derivative", "domain", "also", "what it is")


def table(found: Sequence[dict[str, Any]]) -> Table:
    """One row a function."""
    return Table([_cells(row) for row in found], _HEADER, words=(0, 3, 4, 5))


def lines(found: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same for a sheet."""
    return [dict(zip(_HEADER, _cells(row), strict=True)) for row in found]


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    derivative = "; ".join(row["derivatives"])
    return row["name"], row["call"], derivative, row["domain"], ", ".join(row["aliases"]), row["summary"]
