"""The gradebook of a class: a line for each student, and what went wrong how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from statistics import median
from typing import NamedTuple

from ..marking.assessing import total
from ..marking.disclosure import is_right
from ..marking.model import Mark, Marking
from .grading import Graded
from .key import Key
from .roster import Person, Roster
from .submissions import Submission, natural

NO_SUBMISSION = "no_submission"
_NOTHING = Fraction(0)


class GradeLine(NamedTuple):
    """A student's line: what was handed in, and what it earned; without a grade where nothing could be graded.

    `status` is right, wrong, not_gradable or no_submission.  `first` are the first errors, of each problem one.
    """

    student: str
    person: Person | None
    graded: Graded | None
    status: str
    earned: Fraction
    alone: Fraction
    possible: Fraction
    first: tuple[tuple[str, Mark], ...]

    @property
    def has_grade(self) -> bool:
        return self.status in ("right", "wrong")

    def scaled(self, most: Fraction) -> Fraction:
        """What the line earned if all of it were worth so much: students may have problems of unequal worth."""
        return self.earned * most / self.possible if self.possible else self.earned

    @property
    def name(self) -> str:
        """What a teacher calls the student."""
        if self.person is not None and self.person.name:
            return self.person.name
        return self.graded.submission.aliases[-1] if self.graded is not None else self.student


def line_of(graded: Graded, person: Person | None) -> GradeLine:
    """The line of a student who handed something in."""
    markings = graded.markings
    if graded.problem is not None:
        return GradeLine(graded.submission.student, person, graded, "not_gradable", _NOTHING, _NOTHING, _NOTHING, ())
    return GradeLine(
        graded.submission.student,
        person,
        graded,
        "right" if all(marking.verdict == "right" for marking in markings) else "wrong",
        *total(markings),
        tuple(
            (problem_name(marking, place, len(markings)), marking.marks[marking.first])
            for place, marking in enumerate(markings, 1)
            if marking.first is not None
        ),
    )


def absent(person: Person) -> GradeLine:
    """The line of a student of the class list who handed nothing in."""
    name = person.name or person.email or next((cell for cell in person.row.values() if cell), "")
    return GradeLine(name, person, None, NO_SUBMISSION, _NOTHING, _NOTHING, _NOTHING, ())


def problem_name(marking: Marking, place: int, count: int) -> str:
    """What a problem is called where there are several: its label, or its place."""
    return (marking.task.label or str(place)) if count > 1 else ""


def people_of(submissions: Iterable[Submission], roster: Roster | None) -> dict[str, Person | None]:
    """Who of the class list handed in which submission."""
    return {
        submission.student: roster.person((submission.student, *submission.aliases)) if roster is not None else None
        for submission in submissions
    }


def names_in_key(submissions: Iterable[Submission], people: Mapping[str, Person | None], key: Key) -> dict[str, str]:
    """By which name each student's own problems are found in the key; the student's where it has none."""
    found = {}
    for submission in submissions:
        person = people[submission.student]
        names = [submission.student, *submission.aliases]
        if person is not None:
            names += [cell.strip() for cell in person.row.values()]
        found[submission.student] = next((name for name in names if name in key.students), submission.student)
    return found


def most_possible(lines: Iterable[GradeLine]) -> Fraction:
    """What a homework is worth: the most that a student can earn."""
    return max((line.possible for line in lines), default=_NOTHING)


class RowCount(NamedTuple):
    """How a row of a problem fared, by the students' own name for it."""

    problem: str
    row: str
    first: int
    wrong: int
    carried: int
    missing: int
    right: int


class Statistics(NamedTuple):
    """What a class has in common: how many lines of each status, points, tenths of points, rows and slips."""

    statuses: Mapping[str, int]
    mean: Fraction | None
    middle: Fraction | None
    tenths: tuple[int, ...]
    rows: tuple[RowCount, ...]
    slips: tuple[tuple[str, int], ...]


def statistics(lines: Sequence[GradeLine]) -> Statistics:
    """The statistics of a class; shares of what is possible are over the lines that have a grade."""
    shares = [line.earned / line.possible for line in lines if line.has_grade and line.possible]
    tenths = Counter(min(int(share * 10), 9) for share in shares)
    slips: Counter[str] = Counter()
    for line in lines:
        slips.update({slip for _, mark in line.first for slip in mark.slips})
    return Statistics(
        dict(Counter(line.status for line in lines)),
        sum(shares, _NOTHING) / len(shares) if shares else None,
        median(shares) if shares else None,
        tuple(tenths[k] for k in range(10)),
        tuple(_row_counts(lines)),
        tuple(sorted(slips.items(), key=lambda item: (-item[1], item[0]))),
    )


def _row_counts(lines: Sequence[GradeLine]) -> list[RowCount]:
    """All rows that gave trouble, those with the most first errors first."""
    found: dict[tuple[str, str], Counter[str]] = {}
    for line in lines:
        markings = line.graded.markings if line.graded is not None else ()
        for place, marking in enumerate(markings, 1):
            for index, mark in enumerate(marking.marks):
                if mark.verdict != "extra":
                    problem = problem_name(marking, place, len(markings))
                    counts = found.setdefault((problem, mark.row or "not readable"), Counter())
                    counts[_outcome(mark)] += 1
                    counts["first"] += index == marking.first
    rows = [
        RowCount(problem, row, n["first"], n["wrong"], n["carried"], n["missing"], n["right"])
        for (problem, row), n in found.items()
        if n["wrong"] or n["carried"] or n["missing"]
    ]
    return sorted(rows, key=lambda row: (-row.first, -row.wrong, natural(row.problem), natural(row.row)))


def _outcome(mark: Mark) -> str:
    if is_right(mark):
        return "right"
    return mark.verdict if mark.verdict in ("carried", "missing") else "wrong"
