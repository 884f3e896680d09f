"""Tables as plain text: full width, no colour, no boxes."""

from __future__ import annotations

from .cells import Table, column_widths, padded, width


def draw(table: Table) -> str:
    """The table with columns two blanks apart and rules of hyphens."""
    if not table.header and not table.rows:
        return ""
    columns = column_widths(table)
    lines = [_line(row, columns, table.right) for row in table.rows]
    head = [_line(table.header, columns, table.right)] if table.header else []
    longest = max((width(line) for line in [*head, *lines]), default=0)
    rule = "-" * longest
    out = [table.title] if table.title else []
    out += [*head, rule] if head else []
    for place, line in enumerate(lines):
        if place in table.rules:
            out.append(rule)
        out.append(line)
    return "\n".join(out) + "\n"


def _line(row: tuple[str, ...], columns: list[int], right: tuple[int, ...]) -> str:
    cells = [padded(cell, columns[k], k in right) for k, cell in enumerate(row)]
    return "  ".join(cells).rstrip()
