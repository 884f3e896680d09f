"""The list of functions as a table and as a sheet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..notation.written import joined
from .cells import AnyText, Table

_HEADER = ("name", "written", "derivative", "domain", "also", "what it is")


def table(found: Sequence[dict[str, Any]]) -> Table:
    """One row a function."""
    return Table([_cells(row) for row in found], _HEADER)


def lines(found: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same for a sheet."""
    return [dict(zip(_HEADER, _cells(row), strict=True)) for row in found]


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    told = row["arity"] is None or row["derivatives"] == ["none"]
    derivative = joined(*[part for rule in row["derivatives"] for part in ("; ", rule)][1:])
    name, *others = (AnyText(text) for text in (row["name"], row["domain"], ", ".join(row["aliases"]), row["summary"]))
    return name, row["call"], AnyText(derivative) if told else derivative, *others
