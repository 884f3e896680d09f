"""The gradebook of a class: a line for each student, and what went wrong how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from statistics import median
from types import MappingProxyType

from ..marking.assessing import total
from ..marking.model import GOOD, Mark, Marking
from ..records import NamedTuple
from .grading import Graded
from .key import Key
from .roster import PARTICIPANT, Person, Roster, plain
from .submissions import Submission, natural

NO_SUBMISSION = "no_submission"
UNMATCHED = "is not in the class list"
OUTCOMES = ("wrong", "formula", "carried", "missing", "right")  # of rows
_NOT_COUNTED = ("extra", "superseded")
_NOTHING = Fraction(0)


class GradeLine(NamedTuple):
    """A student's line: what was handed in, and what it earned; without a grade where nothing could be graded.

    `status` is right, incomplete, wrong, not_gradable (`status_of`) or no_submission.  `first` are the first errors,
    one for each problem; `notes` say what is the matter with the student, such as that it is not sure who it is.
    """

    student: str
    person: Person | None
    graded: Graded | None
    status: str
    earned: Fraction
    alone: Fraction
    possible: Fraction
    first: tuple[tuple[str, Mark], ...]

    notes: tuple[str, ...] = ()

    @property
    def has_grade(self) -> bool:
        return self.status in ("right", "incomplete", "wrong")

    @property
    def is_unmatched(self) -> bool:
        """Whether it is not known whose in the class list it is."""
        return any(note.startswith(UNMATCHED) for note in self.notes)

    @property
    def remarks(self) -> tuple[str, ...]:
        """All that somebody should know: what is the matter with the student, and what was assumed of the answer."""
        return (*self.notes, *(self.graded.notes if self.graded is not None else ()))

    @property
    def late(self) -> bool:
        return self.graded is not None and self.graded.submission.late

    def rows_with(self, verdict: str) -> int:
        """How many rows have a verdict."""
        markings = self.graded.markings if self.graded is not None else ()
        return sum(mark.verdict == verdict for marking in markings for mark in marking.marks)

    def scaled(self, most: Fraction) -> Fraction:
        """What the line earned if all of it were worth so much: students may have problems of unequal worth."""
        return self.earned * most / self.possible if self.possible else self.earned

    @property
    def name(self) -> str:
        """What a teacher calls the student."""
        if self.person is not None and self.person.name:
            return self.person.name
        return self.graded.submission.aliases[-1] if self.graded is not None else self.student


def status_of(verdicts: Sequence[str]) -> str:
    """Return the status of a student from the verdicts of the problems.

    All alike: that verdict.  Else `wrong` if one is wrong; `incomplete` otherwise, also if one is not gradable.
    """
    if len(set(verdicts)) == 1:
        return verdicts[0]
    return "wrong" if "wrong" in verdicts else "incomplete"


def line_of(graded: Graded, whose: Whose) -> GradeLine:
    """The line of a student who handed something in."""
    markings, notes = graded.markings, (*whose.notes, *graded.submission.notes)
    student = graded.submission.student
    if graded.problem is not None:
        return GradeLine(
            student, whose.person, graded, "not_gradable", _NOTHING, _NOTHING, _NOTHING, (), notes
        )  # fmt: skip
    return GradeLine(
        student,
        whose.person,
        graded,
        status_of([marking.verdict for marking in markings]),
        *total(markings),
        tuple(
            (problem_name(marking, place, len(markings)), marking.marks[marking.first])
            for place, marking in enumerate(markings, 1)
            if marking.first is not None
        ),
        notes,
    )


def absent(person: Person) -> GradeLine:
    """The line of a student of the class list who handed nothing in."""
    return GradeLine(person.called, person, None, NO_SUBMISSION, _NOTHING, _NOTHING, _NOTHING, ())


def problem_name(marking: Marking, place: int, count: int) -> str:
    """What a problem is called where there are several: its label, or its place."""
    return (marking.task.label or str(place)) if count > 1 else ""


class Whose(NamedTuple):
    """Who of the class list handed something in, None where that is not sure; and what is to be said of it."""

    person: Person | None
    notes: tuple[str, ...] = ()


def people_of(submissions: Sequence[Submission], roster: Roster | None) -> dict[str, Whose]:
    """Who of the class list handed in which submission; two that may be one are said to be, and stay two."""
    found = {submission.student: _person_of(submission, roster) for submission in submissions}
    often = Counter(id(whose.person) for whose in found.values() if whose.person is not None)
    alike = Counter(_looks(submission) for submission in submissions)
    for submission in submissions:
        whose = found[submission.student]
        if often[id(whose.person)] > 1 and whose.person is not None:
            note = f"is one of {often[id(whose.person)]} submissions of {whose.person.called}"
        elif whose.person is None and alike[_looks(submission)] > 1:
            note = f"could be the same student as {_others(submission, submissions)}"
        else:
            continue
        found[submission.student] = whose._replace(notes=(*whose.notes, note))
    return found


def _person_of(submission: Submission, roster: Roster | None) -> Whose:
    if roster is None:
        return Whose(None)
    candidates = roster.candidates(names_of(submission))
    if len(candidates) == 1:
        return Whose(candidates[0])
    if candidates:
        names = ", ".join(f"{person.called} ({person.id})" for person in candidates)
        return Whose(None, (f"{UNMATCHED}: it could be one of {names}",))
    return Whose(None, (UNMATCHED,))


def names_of(submission: Submission) -> list[str]:
    """All that a submission says its student is called; a number of Moodle's is a participant's and no other."""
    names = [submission.student, *submission.aliases]
    if submission.participant:
        return [f"{PARTICIPANT}{submission.participant}", *(name for name in names if name != submission.participant)]
    return names


def _looks(submission: Submission) -> str:
    """What two submissions have in common whose names a person may take for one; those with numbers are sure."""
    numbered = submission.participant or any(alias.isdecimal() for alias in submission.aliases)
    return submission.student if numbered else plain(submission.aliases[-1] if submission.aliases else "")


def _others(submission: Submission, submissions: Iterable[Submission]) -> str:
    look = _looks(submission)
    return ", ".join(each.student for each in submissions if each is not submission and _looks(each) == look)


def names_in_key(submissions: Iterable[Submission], people: Mapping[str, Whose], key: Key) -> dict[str, str]:
    """By which name each student's own problems are found in the key; the student's where it has none.

    Where no name is in the key as it stands, one counts that is the same but for blanks, signs and case.
    """
    often = Counter(map(plain, key.students))
    alike = {plain(name): name for name in key.students if often[plain(name)] == 1}
    found = {}
    for submission in submissions:
        person = people[submission.student].person
        names = [submission.student, *submission.aliases]
        if person is not None:
            names += [cell.strip() for cell in person.row.values()]
        exact = next((name for name in names if name in key.students), None)
        loose = next((alike[look] for look in map(plain, names_of(submission)) if look in alike), None)
        found[submission.student] = exact or loose or submission.student
    return found


def most_possible(lines: Iterable[GradeLine]) -> Fraction:
    """What a homework is worth: the most that a student can earn."""
    return max((line.possible for line in lines), default=_NOTHING)


class RowCount(NamedTuple):
    """How a quantity of a problem fared, by its name in the problem's own trace."""

    problem: str
    row: str
    first: int
    wrong: int
    formula: int
    carried: int
    missing: int
    right: int


class Statistics(NamedTuple):
    """What a class has in common: how many lines of each status, points, tenths of points, rows and slips.

    `flags` says how many students have what somebody should look at.
    """

    statuses: Mapping[str, int]
    mean: Fraction | None
    middle: Fraction | None
    tenths: tuple[int, ...]
    rows: tuple[RowCount, ...]
    slips: tuple[tuple[str, int], ...]
    flags: Mapping[str, int] = MappingProxyType({})


FLAGS = ("formula", "does_not_follow")  # verdicts of rows that somebody should look at


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
        {flag: sum(line.rows_with(flag) > 0 for line in lines) for flag in FLAGS}
        | {"late": sum(line.late for line in lines), "unmatched": sum(line.is_unmatched for line in lines)},
    )


def _row_counts(lines: Sequence[GradeLine]) -> list[RowCount]:
    """All quantities of problems that gave trouble, those with the most first errors first.

    Rows that belong to no quantity count where they are the first error, or cannot be read.
    """
    found: dict[tuple[str, str], Counter[str]] = {}
    for line in lines:
        markings = line.graded.markings if line.graded is not None else ()
        for place, marking in enumerate(markings, 1):
            problem, counted = problem_name(marking, place, len(markings)), set[int]()
            for quantity in marking.quantities:
                counts = found.setdefault((problem, quantity.quantity), Counter())
                counts[_outcome(quantity.verdict)] += 1
                counts["first"] += marking.first in quantity.rows
                counted.update(quantity.rows)
            for index, mark in enumerate(marking.marks):
                told = not marking.quantities or index == marking.first or mark.verdict == "unreadable"
                if told and index not in counted and mark.verdict not in _NOT_COUNTED:
                    counts = found.setdefault((problem, mark.row or "not readable"), Counter())
                    counts[_outcome(mark.verdict)] += 1
                    counts["first"] += index == marking.first
    rows = [
        RowCount(problem, row, n["first"], *(n[outcome] for outcome in OUTCOMES))
        for (problem, row), n in found.items()
        if any(n[outcome] for outcome in OUTCOMES if outcome != "right")
    ]
    return sorted(rows, key=lambda row: (-row.first, -row.wrong, natural(row.problem), natural(row.row)))


def _outcome(verdict: str) -> str:
    if verdict in OUTCOMES:
        return verdict
    return "right" if verdict in GOOD else "wrong"
