"""The summary of a class: scores, rows and slips, as tables and as a document with bars."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..classroom.gradebook import OUTCOMES, GradeLine, Statistics
from .document_parts import AnyText, Bar, Heading, Paragraph, Part, Table
from .marks import score

FLAGS = {
    "formula": "with a wrong formula or equation beside a right number",
    "does_not_follow": "with a number that does not follow",
    "late": "handed in late",
    "unmatched": "not in the class list",
}
STATUSES = {
    "right": "right", "incomplete": "incomplete", "wrong": "wrong", "not_gradable": "not gradable",
    "no_submission": "not handed in",
}  # fmt: skip
_MOST_ROWS = 30


def counts_table(found: Statistics) -> Table:
    """How many answers there are of each kind, and how the class did."""
    rows = [(name, str(found.statuses[status])) for status, name in STATUSES.items() if found.statuses.get(status)]
    rows += [(name, str(found.flags[flag])) for flag, name in FLAGS.items() if found.flags.get(flag)]
    if found.mean is not None and found.middle is not None:
        rows += [("mean", _percent(found.mean)), ("median", _percent(found.middle))]
    return _texts(rows, ("class", "figure"), (1,))


def slips_table(found: Statistics) -> Table:
    """Which slips the first errors were."""
    return _texts([(_words(slip), str(n)) for slip, n in found.slips], ("slip", "students"), (1,))


def rows_table(found: Statistics) -> Table:
    """How the rows fared that gave trouble."""
    several = any(row.problem for row in found.rows)
    rows = [(*((row.problem,) if several else ()), row.row, *map(str, row[2:])) for row in found.rows[:_MOST_ROWS]]
    head = (*(("problem",) if several else ()), "row", "first error", *OUTCOMES)
    return _texts(rows, head, tuple(range(len(head) - 1 - len(OUTCOMES), len(head))))


def students_table(lines: Sequence[GradeLine]) -> Table:
    """Everybody with the score and the first error."""
    rows = [
        (
            line.name,
            STATUSES[line.status],
            score(line.earned, line.possible) if line.has_grade else "",
            "; ".join(f"{problem}: {mark.row}" if problem else mark.row for problem, mark in line.first),
            "; ".join(_words("|".join(mark.slips)) for _, mark in line.first if mark.slips),
        )
        for line in lines
    ]
    return _texts(rows, ("student", "answer", "score", "first error", "slip"))


def _texts(rows: Sequence[tuple[str, ...]], header: tuple[str, ...], right: tuple[int, ...] = ()) -> Table:
    """A table of texts, whatever they look like."""
    return Table([tuple(AnyText(cell) for cell in row) for row in rows], header, right=right)


def _tenths(found: Statistics) -> list[tuple[str, int]]:
    return [(f"{10 * k} to {10 * (k + 1)} %", n) for k, n in enumerate(found.tenths)]


def _words(slip: str) -> str:
    return slip.replace("_", " ").replace("+", " and ").replace("|", " or ")


def _percent(share: Fraction) -> str:
    return f"{float(100 * share):.1f} %"


# --- as a document ----------------------------------------------------------------------------------------------------

_NOTE = "Rows go by the names that they have in the problem itself, each once for every student."


def summary(title: str, lines: Sequence[GradeLine], found: Statistics) -> list[Part]:
    """The summary; every bar stands beside its number."""
    out: list[Part] = [Heading(AnyText(title), 1), counts_table(found)]
    if any(found.tenths):
        out += [Heading(AnyText("Scores")), _chart(_tenths(found), "score")]
    if found.slips:
        out += [Heading(AnyText("Slips")), _chart([(_words(slip), n) for slip, n in found.slips], "slip")]
    if found.rows:
        named = [(f"{row.problem}: {row.row}" if row.problem else row.row, row.first) for row in found.rows]
        first = [(name, n) for name, n in named[:_MOST_ROWS] if n]
        out += [Heading(AnyText("First errors by row")), _chart(first, "row")] if first else []
        out += [Heading(AnyText("Rows")), Paragraph(AnyText(_NOTE)), rows_table(found)]
    out += [Heading(AnyText("Students")), students_table(lines)]
    notes = [(line.student, note) for line in lines for note in line.remarks]
    if notes:
        out += [Heading(AnyText("To look after")), _texts(notes, ("submission", "note"))]
    return out


def noted(notes: Sequence[str]) -> list[Part]:
    """What was assumed of a submission, at the end of its report."""
    return [Paragraph(AnyText(f"Note: {note}.")) for note in notes]


def _chart(items: Sequence[tuple[str, int]], name: str) -> Table:
    most = max(n for _, n in items) or 1
    rows: list[tuple[str, ...]] = [(AnyText(label), AnyText(str(n)), Bar(Fraction(n, most))) for label, n in items]
    return Table(rows, (name, "students", ""), right=(1,))
