"""The lines of a Python function beside the rows of its trace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..errors import visible
from ..trace.model import Trace
from .document_parts import Table


def beside(trace: Trace, tables: Sequence[Table], style: str) -> list[Table]:
    """The tables of a trace with one more column: number and text of the line that each row comes from.

    The text stands once for several rows on end.
    """
    if style not in ("wide", "paper") or trace.lines is None:
        return list(tables)
    found = [_with(table, names, trace) for table, names in zip(tables, _names(trace, style), strict=False)]
    return [*found, *tables[len(found) :]]


def _names(trace: Trace, style: str) -> Iterator[list[str | None]]:
    """The row that each line of each table is about, in the order in which the layout makes them."""
    primal: list[str | None] = [row.name for row in trace.rows]
    dots, bars = trace.keys
    if style == "wide":
        yield primal
        return
    if trace.mode in ("value", "both"):
        yield primal
    for _ in dots:
        yield primal
    for key in bars:
        steps = [step.source for step in trace.steps if step.sweep == "reverse" and step.key == key]
        yield [*(row.name for row in trace.rows if row.operator == "input"), *reversed(steps)]


def _with(table: Table, names: Sequence[str | None], trace: Trace) -> Table:
    lines = trace.lines or {}
    places = {row.name: lines[row.slot] for row in trace.rows if row.slot in lines}
    column: list[str] = []
    above = None
    for name in names:
        here = places.get(name or "")
        column.append("" if here is None else str(here[0]) if here == above else f"{here[0]}: {visible(here[1])}")
        above = here
    column += [""] * (len(table.rows) - len(column))
    rows = [(*row, text) for row, text in zip(table.rows, column, strict=True)]
    return table._replace(rows=rows, header=(*table.header, "source") if table.header else ())
