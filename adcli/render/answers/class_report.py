"""Class report: scores, rows and slips of a class, as tables and as a document with bars."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ...classroom.gradebook import BY_HAND, OUTCOMES, GradeLine, Statistics
from ...classroom.overrides import teacher_remarks
from ...classroom.review import REVIEW_COLUMNS, ReviewItem
from ...errors import sentence
from ...grammar_files import read_tables
from ..document_parts import Bar, Heading, Paragraph, Part, Strong, Table
from ..marks import points, score

((_COUNTED,), _) = read_tables("class_report.txt", dict[str, str]).values()  # words of statuses and flags
_MOST_ROWS = 30


def counts_table(statistics: Statistics) -> Table:
    """Return the table (class, figure) of numbers of answers: of each status, then with each flag.

    Zeros are left out. Below are the mean and the median of the class in percent with one decimal, if there are any.
    """
    numbers = {**statistics.statuses, **statistics.flags}
    rows = [(name, str(numbers[kind])) for kind, name in _COUNTED.items() if numbers.get(kind)]
    if statistics.mean is not None and statistics.middle is not None:
        rows += [("mean", _percent(statistics.mean)), ("median", _percent(statistics.middle))]
    return Table(rows, ("class", "figure"), right=(1,))


def slips_table(statistics: Statistics) -> Table:
    """Return the table (slip, students) of the slips recognized in first errors, with the numbers of students, in the
    order of `statistics.slips`.
    """
    return Table([(_slip_words(slip), str(n)) for slip, n in statistics.slips], ("slip", "students"), right=(1,))


def rows_table(statistics: Statistics) -> Table:
    """Return the table of the first 30 rows of `statistics.rows`.

    Columns: problem (only if any of all rows has a problem name), row, number of students with their first error there,
    number with each outcome (wrong, formula, carried, missing, right).
    """
    several = any(row.problem for row in statistics.rows)
    rows = [(*[row.problem] * several, row.row, *map(str, row[2:])) for row in statistics.rows[:_MOST_ROWS]]
    head = (*["problem"] * several, "row", "first error", *OUTCOMES)
    return Table(rows, head, right=tuple(range(len(head) - 1 - len(OUTCOMES), len(head))))


def students_table(lines: Sequence[GradeLine]) -> Table:
    """Return a table with one row for each of `lines`, in the given order.

    Columns: name, status, score (`3 of 4`; empty without a grade), first error of each problem, slips recognized in
    these errors. Several problems are separated by `; `, several possible slips by ` or `. The row of a first error has
    the problem's name before it if there is one.
    """
    rows = [
        (
            line.name,
            _COUNTED[line.status],
            score(line.earned, line.possible) if line.has_grade else "",
            "; ".join(f"{problem}: {mark.row}" if problem else mark.row for problem, mark in line.first),
            "; ".join(_slip_words("|".join(mark.slips)) for _, mark in line.first if mark.slips),
        )
        for line in lines
    ]
    return Table(rows, ("student", "answer", "score", "first error", "slip"))


def _slip_words(slip: str) -> str:
    """Return the name of a slip in words: `_` becomes a blank, `+` ` and `, and `|`, between possible slips, ` or `."""
    return slip.replace("_", " ").replace("+", " and ").replace("|", " or ")


def _percent(fraction: Fraction) -> str:
    """Return a fraction as `62.5 %`, with one decimal."""
    return f"{float(100 * fraction):.1f} %"


# --- as a document ----------------------------------------------------------------------------------------------------

_NOTE = "Rows have their names in the problem, and each row is counted once for every student."


def summary(
    title: str, lines: Sequence[GradeLine], statistics: Statistics, review: Sequence[ReviewItem] = ()
) -> list[Part]:
    """Return the report of a class as parts of a document under `title`, with bar charts next to the numbers.

    `statistics` are those of all submissions, `lines` the lines of the students in the order to be shown, `review` the
    answers to look at. Sections: counts, answers to look at, scores in tenths, slips, first errors by row (of the first
    30 rows), rows, students, and the remarks on submissions. All but the counts and students are left out if they have
    no entries.
    """
    out: list[Part] = [Heading(title, 1), counts_table(statistics)]
    if review:
        out += [Heading("Please look at these"), Table(review, REVIEW_COLUMNS)]
    if any(statistics.tenths):
        tenths = [(f"{10 * k} to {10 * (k + 1)} %", n) for k, n in enumerate(statistics.tenths)]
        out += [Heading("Scores"), _chart(tenths, "score")]
    if statistics.slips:
        out += [Heading("Slips"), _chart([(_slip_words(slip), n) for slip, n in statistics.slips], "slip")]
    if statistics.rows:
        named = [(f"{row.problem}: {row.row}" if row.problem else row.row, row.first) for row in statistics.rows]
        first = [(name, n) for name, n in named[:_MOST_ROWS] if n]
        out += [Heading("First errors by row"), _chart(first, "row")] if first else []
        out += [Heading("Rows"), Paragraph(_NOTE), rows_table(statistics)]
    out += [Heading("Students"), students_table(lines)]
    notes = [(line.student, note) for line in lines for note in line.remarks]
    if notes:
        out += [Heading("Notes on submissions"), Table(notes, ("submission", "note"))]
    return out


def section_of_remarks(line: GradeLine) -> list[Part]:
    """Return the teacher's remarks on an answer, `line`, for the end of its report; [] without remarks.

    The parts are a heading, the total if the answer was marked by hand, and a paragraph for each remark.
    """
    sentences = teacher_remarks(line, points)
    if not sentences:
        return []
    whole = [Paragraph(Strong(f"Total: {score(line.earned, line.possible)}"))] if line.status == BY_HAND else []
    return [Heading("From your teacher"), *whole, *(Paragraph(sentence(text)) for text in sentences)]


def note_paragraphs(notes: Sequence[str]) -> list[Part]:
    """Return the assumptions about a submission as paragraphs, `Note: ….`, for the end of its report."""
    return [Paragraph(f"Note: {note}.") for note in notes]


def _chart(items: Sequence[tuple[str, int]], name: str) -> Table:
    """Return a bar chart of (label, number) pairs as a table: label, number, and a bar whose length is the number's
    fraction of the largest one. `name` is the header of the labels; needs at least one pair.
    """
    most = max(n for _, n in items) or 1
    rows: list[tuple[str, ...]] = [(label, str(n), Bar(Fraction(n, most))) for label, n in items]
    return Table(rows, (name, "students", ""), right=(1,))
