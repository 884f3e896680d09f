"""The list of functions as a table and as a sheet."""

from __future__ import annotations

from collections.abc import Sequence

from ..notation.table_formulas import join
from ..typings import TYPE_CHECKING
from .document_parts import Table

if TYPE_CHECKING:
    from ..trace.written_rules import FunctionRecord

_HEADER = ("name", "written", "derivative", "domain", "also", "what it is")


def table(functions: Sequence[FunctionRecord]) -> Table:
    """Return a table with one row for each function; the columns are those of _HEADER: name, written (an example call),
    derivative, domain, also (other names), what it is.
    """
    return Table([_cells(row) for row in functions], _HEADER)


def lines(functions: Sequence[FunctionRecord]) -> list[dict[str, str]]:
    """Return one row of a sheet for each function: column of _HEADER → text."""
    return [dict(zip(_HEADER, _cells(row), strict=True)) for row in functions]


def _cells(row: FunctionRecord) -> tuple[str, ...]:
    """Return name, call, derivatives, domain, aliases and summary of a function; the derivatives are text instead of
    a formula if the function takes any number of arguments or has none."""
    is_prose = row.arity is None or row.derivatives == ("none",)
    derivative: str = join(*[part for rule in row.derivatives for part in ("; ", rule)][1:])
    derivative = str(derivative) if is_prose else derivative
    return row.name, row.call, derivative, row.domain, ", ".join(row.aliases), row.summary
