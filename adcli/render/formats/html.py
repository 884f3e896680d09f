"""Tables and lines as HTML: parts of a page, with formulas in MathML."""

from __future__ import annotations

from collections.abc import Sequence

from ..cells import HEADING, WORDS, Line, Part, Table, Words, column_widths, sentence
from ..mathml import formula, words
from ..page import escaped, page


def document(problems: Sequence[Sequence[Part]], title: str) -> str:
    """A page of one problem or several, each under its heading."""
    first = next((part.text for part in problems[0] if isinstance(part, Line) and part.kind == HEADING), title)
    if len(problems) == 1:
        return page(sentence(first), body(problems[0], "h1"))
    return page(title, f"<h1>{escaped(title)}</h1>\n" + "".join(body(parts, "h2") for parts in problems))


def body(parts: Sequence[Part], heading: str) -> str:
    """The parts one below the other; headings as the element named."""
    return "".join(draw(part) if isinstance(part, Table) else _line(part, heading) for part in parts)


def _line(line: Line, heading: str) -> str:
    if line.kind == HEADING:
        return f"<{heading}>{escaped(line.text)}</{heading}>\n"
    return f"<p>{words(line.text) if line.kind == WORDS else formula(line.text)}</p>\n"


def draw(table: Table) -> str:
    """The table; the first cell of a row is its header."""
    title = f"<caption>{words(table.title)}</caption>\n" if table.title else ""
    head = ""
    if table.header:
        cells = "".join(f'<th scope="col"{_kind(k, table)}>{words(text)}</th>' for k, text in enumerate(table.header))
        head = f"<thead>\n<tr>{cells}</tr>\n</thead>\n"
    rows, blanks = "", [""] * len(column_widths(table))
    for place, row in enumerate(table.rows):
        cells = "".join(_cell(k, text, table) for k, text in enumerate([*row, *blanks[len(row) :]]))
        rows += f'<tr class="rule">{cells}</tr>\n' if place in table.rules else f"<tr>{cells}</tr>\n"
    return f'<div class="scroll">\n<table>\n{title}{head}<tbody>\n{rows}</tbody>\n</table>\n</div>\n'


def _cell(k: int, text: str, table: Table) -> str:
    shown = (words(text) if isinstance(text, Words) else formula(text)) if text else ""
    if k == 0 and shown:
        return f'<th scope="row"{_kind(k, table)}>{shown}</th>'
    return f"<td{_kind(k, table)}>{shown}</td>"


def _kind(k: int, table: Table) -> str:
    return ' class="number"' if k in table.right else ""
