"""The list of functions as a table and as a sheet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..notation.table_formulas import joined
from .document_parts import AnyText, Table

if TYPE_CHECKING:
    from ..trace.written_rules import FunctionRecord

_HEADER = ("name", "written", "derivative", "domain", "also", "what it is")


def table(found: Sequence[FunctionRecord]) -> Table:
    """One row a function."""
    return Table([_cells(row) for row in found], _HEADER)


def lines(found: Sequence[FunctionRecord]) -> list[dict[str, str]]:
    """The same for a sheet."""
    return [dict(zip(_HEADER, _cells(row), strict=True)) for row in found]


def _cells(row: FunctionRecord) -> tuple[str, ...]:
    told = row.arity is None or row.derivatives == ("none",)
    derivative = joined(*[part for rule in row.derivatives for part in ("; ", rule)][1:])
    name, *others = (AnyText(text) for text in (row.name, row.domain, ", ".join(row.aliases), row.summary))
    return name, row.call, AnyText(derivative) if told else derivative, *others
