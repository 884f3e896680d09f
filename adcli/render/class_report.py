"""The summary of a class: scores, rows and slips, as tables, in Markdown and as a page with bars."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..classroom.gradebook import GradeLine, Statistics
from .cells import Table
from .formats import markdown
from .marks import score
from .page import escaped, page

STATUSES = {"right": "right", "wrong": "wrong", "not_gradable": "not gradable", "no_submission": "not handed in"}
_MOST_ROWS = 30
_BAR = 24  # signs of the longest bar
_STYLE = """
svg.bar { height: .8rem; width: 12rem; vertical-align: middle; } svg.bar rect { fill: var(--blue); }
"""


def counts_table(found: Statistics) -> Table:
    """How many answers there are of each kind, and how the class did."""
    rows = [(name, str(found.statuses[status])) for status, name in STATUSES.items() if found.statuses.get(status)]
    if found.mean is not None and found.middle is not None:
        rows += [("mean", _percent(found.mean)), ("median", _percent(found.middle))]
    return Table(list(rows), ("class", "figure"), right=(1,))


def slips_table(found: Statistics) -> Table:
    """Which slips the first errors were."""
    return Table([(_words(slip), str(n)) for slip, n in found.slips], ("slip", "students"), right=(1,))


def rows_table(found: Statistics) -> Table:
    """How the rows fared that gave trouble, by the students' own names for them."""
    several = any(row.problem for row in found.rows)
    rows = [(*((row.problem,) if several else ()), row.row, *map(str, row[2:])) for row in found.rows[:_MOST_ROWS]]
    head = (*(("problem",) if several else ()), "row", "first error", "wrong", "carried", "missing", "right")
    return Table(list(rows), head, right=tuple(range(len(head) - 5, len(head))))


def students_table(lines: Sequence[GradeLine]) -> Table:
    """Everybody with the score and the first error."""
    rows = [
        (
            line.name,
            STATUSES[line.status],
            score(line.earned, line.alone, line.possible) if line.has_grade else "",
            "; ".join(f"{problem}: {mark.row}" if problem else mark.row for problem, mark in line.first),
            "; ".join(_words("|".join(mark.slips)) for _, mark in line.first if mark.slips),
        )
        for line in lines
    ]
    return Table(list(rows), ("student", "answer", "score", "first error", "slip"))


def _tenths(found: Statistics) -> list[tuple[str, int]]:
    return [(f"{10 * k} to {10 * (k + 1)} %", n) for k, n in enumerate(found.tenths)]


def _words(slip: str) -> str:
    return slip.replace("_", " ").replace("|", " or ")


def _percent(share: Fraction) -> str:
    return f"{float(100 * share):.1f} %"


# --- documents --------------------------------------------------------------------------------------------------------

_NOTE = "Rows go by the names that the students gave them."


def as_markdown(title: str, lines: Sequence[GradeLine], found: Statistics) -> str:
    """The summary in Markdown, with bars of characters."""
    out = [f"# {markdown.escaped(title)}\n", markdown.draw(counts_table(found))]
    if any(found.tenths):
        out += ["## Scores\n", markdown.draw(_bars(_tenths(found), "score"))]
    if found.slips:
        out += ["## Slips\n", markdown.draw(_bars([(_words(slip), n) for slip, n in found.slips], "slip"))]
    if found.rows:
        out += ["## Rows\n", f"{_NOTE}\n", markdown.draw(rows_table(found))]
    return "\n".join([*out, "## Students\n", markdown.draw(students_table(lines))])


def _bars(items: Sequence[tuple[str, int]], name: str) -> Table:
    most = max((n for _, n in items), default=0) or 1
    rows = [(label, str(n), "█" * -(-n * _BAR // most)) for label, n in items]
    return Table(list(rows), (name, "students", ""), right=(1,))


def as_html(title: str, lines: Sequence[GradeLine], found: Statistics) -> str:
    """The summary as a page that needs nothing else; every bar stands beside its number."""
    body = f"<h1>{escaped(title)}</h1>\n" + _table(counts_table(found), "Class")
    if any(found.tenths):
        body += _chart(_tenths(found), "Scores", ("score", "students"))
    if found.slips:
        body += _chart([(_words(slip), n) for slip, n in found.slips], "Slips", ("slip", "students"))
    if found.rows:
        named = [(f"{row.problem}: {row.row}" if row.problem else row.row, row.first) for row in found.rows]
        first = [(name, n) for name, n in named[:_MOST_ROWS] if n]
        body += _chart(first, "First errors by row", ("row", "students")) if first else ""
        body += _table(rows_table(found), "Rows", _NOTE)
    body += _table(students_table(lines), "Students")
    return page(title, f"<main>\n{body}</main>\n", style=_STYLE)


def _chart(items: Sequence[tuple[str, int]], title: str, head: tuple[str, str]) -> str:
    most = max(n for _, n in items) or 1
    rows = [
        f'<tr><th scope="row">{escaped(label)}</th><td class="number">{n}</td>'
        f'<td><svg class="bar" aria-hidden="true" viewBox="0 0 100 8" preserveAspectRatio="none">'
        f'<rect width="{100 * n // most}" height="8"/></svg></td></tr>\n'
        for label, n in items
    ]
    columns = "".join(f'<th scope="col">{name}</th>' for name in head) + "<td></td>"
    return _framed(f"<thead><tr>{columns}</tr></thead>\n<tbody>\n{''.join(rows)}</tbody>", title)


def _table(table: Table, title: str, note: str = "") -> str:
    head = "".join(f'<th scope="col">{escaped(name)}</th>' for name in table.header)
    rows = []
    for row in table.rows:
        cells = [f'<th scope="row">{escaped(row[0])}</th>']
        cells += [
            f'<td class="number">{escaped(cell)}</td>' if k in table.right else f"<td>{escaped(cell)}</td>"
            for k, cell in enumerate(row[1:], 1)
        ]
        rows.append(f"<tr>{''.join(cells)}</tr>\n")
    return _framed(f"<thead><tr>{head}</tr></thead>\n<tbody>\n{''.join(rows)}</tbody>", title, note)


def _framed(inside: str, title: str, note: str = "") -> str:
    said = f"<p>{escaped(note)}</p>\n" if note else ""
    return (
        f'<section>\n<h2>{title}</h2>\n{said}<div class="scroll" tabindex="0" role="region" aria-label="{title}">\n'
        f"<table>\n{inside}\n</table>\n</div>\n</section>\n"
    )
