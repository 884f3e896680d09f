"""Source lines: the lines of a Python function, shown next to the rows of its trace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..errors import visible
from ..trace.model import Trace
from .document_parts import Table


def beside(trace: Trace, tables: Sequence[Table], style: str) -> list[Table]:
    """Return the tables of a trace with one more column: number and text of the source line that each row comes from.

    The text is written once for several consecutive rows.  Unchanged if the trace has no lines or for another style
    than wide and paper.
    """
    if style not in ("wide", "paper") or trace.lines is None:
        return list(tables)
    with_lines = [
        _add_lines(table, names, trace) for table, names in zip(tables, _row_names(trace, style), strict=False)
    ]
    return [*with_lines, *tables[len(with_lines) :]]


def _row_names(trace: Trace, style: str) -> Iterator[list[str | None]]:
    """Yield for each table in the order of the layout, the row name that each of its lines is about (None: none)."""
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


def _add_lines(table: Table, names: Sequence[str | None], trace: Trace) -> Table:
    """Return the table with the column of source lines; lines beyond `names` (the outputs) get blanks."""
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
