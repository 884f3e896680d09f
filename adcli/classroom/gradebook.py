"""The gradebook of a class: a line for each student, and what went wrong how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from statistics import mean, median
from types import MappingProxyType

from ..marking.model import GOOD, Mark, Marking, total
from ..records import NamedTuple
from .grading import Graded
from .homework import Key
from .roster import PARTICIPANT, Person, Roster, plain
from .submissions import Submission, natural

NO_SUBMISSION, BY_HAND = "no_submission", "by_hand"
UNMATCHED = "is not in the class list"
OUTCOMES = ("wrong", "formula", "carried", "missing", "right")  # of rows
_NOT_COUNTED = ("extra", "superseded")
TOTAL = "total"  # the quantity of an override that is about all of a problem, or of the homework
_NOTHING = Fraction(0)


class Override(NamedTuple):
    """A line of overrides.csv.

    An empty `problem` is the whole homework (or its only problem), an empty `quantity` or `total` all of the problem.
    `mark` is None if the mark stays as it is.
    """

    student: str
    problem: str
    quantity: str
    mark: Fraction | None
    comment: str

    @property
    def about(self) -> str:
        """Return what the override is about, in words: "v3 of problem 2", "problem 2", "v3", or "total" for the whole
        homework.
        """
        quantity = "" if self.quantity.casefold() == TOTAL else self.quantity
        problem = f"problem {self.problem}" if self.problem else ""
        return " of ".join(filter(None, (quantity, problem))) or TOTAL


class GradeLine(NamedTuple):
    """A student's line: what was handed in, and the marks; without a grade if nothing could be graded.

    `status` is right, incomplete, wrong, not_gradable (`status_of`), no_submission, or by_hand if a person gave a mark;
    `overrides` are the changes of a person, and the marks have them in them. `earned` and `alone` are marks
    with and without the rows that follow from an error. `first` are the first errors, by problem; `notes` are on the
    student, such as a missing entry in the class list.
    """

    student: str
    person: Person | None
    graded: Graded | None
    status: str
    earned: Fraction = _NOTHING
    alone: Fraction = _NOTHING
    possible: Fraction = _NOTHING
    first: tuple[tuple[str, Mark], ...] = ()
    notes: tuple[str, ...] = ()
    overrides: tuple[Override, ...] = ()

    @property
    def markings(self) -> tuple[Marking, ...]:
        """Return the markings of all problems; () if nothing is graded or handed in."""
        return self.graded.markings if self.graded is not None else ()

    @property
    def has_grade(self) -> bool:
        return self.status in ("right", "incomplete", "wrong", BY_HAND)

    @property
    def is_unmatched(self) -> bool:
        """Return whether the student is not in the class list or could be one of several in it."""
        return any(note.startswith(UNMATCHED) for note in self.notes)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Return the notes on the student, and those on assumptions about the answer."""
        return (*self.notes, *(self.graded.notes if self.graded is not None else ()))

    @property
    def reasons(self) -> tuple[str, ...]:
        """Return why the answer, or a problem of it, is not gradable; () if all is gradable or nothing was handed in.

        If the whole answer is not gradable, the only text is its error. Otherwise there is a text for each problem that
        is not gradable, in order. It begins with the name of the problem ("problem 2 is not gradable: …") if the answer
        has several.
        """
        if self.graded is None:
            return ()
        if self.graded.problem is not None:
            return (f"not gradable: {self.graded.problem.title}",)
        problems = [(name, marking.problem) for name, marking in named_markings(self.markings)]
        titles = [(f"problem {name} is " if name else "", each.title) for name, each in problems if each is not None]
        return tuple(f"{which}not gradable: {title}" for which, title in titles)

    @property
    def late(self) -> bool:
        return self.graded is not None and self.graded.submission.late

    @property
    def slips(self) -> set[str]:
        """Return the slips of the first errors."""
        return {slip for _, mark in self.first for slip in mark.slips}

    def rows_with(self, verdict: str) -> int:
        """Return the number of rows with a verdict."""
        return sum(mark.verdict == verdict for marking in self.markings for mark in marking.marks)

    def scaled(self, most: Fraction) -> Fraction:
        """Return the earned marks on a scale up to `most`, because students may have problems of different worth;
        unscaled if nothing is possible.
        """
        return self.earned * most / self.possible if self.possible else self.earned

    @property
    def name(self) -> str:
        """Return the student's name in the class list, else the last alias of the submission, else (nothing handed in)
        `student`.
        """
        if self.person is not None and self.person.name:
            return self.person.name
        return self.graded.submission.aliases[-1] if self.graded is not None else self.student


def status_of(verdicts: Sequence[str]) -> str:
    """Return the status of a student from the `verdicts` of the problems, of which there is at least one.

    All alike: that verdict. Else `wrong` if one is wrong; `incomplete` otherwise, also if one is not gradable.
    """
    if len(set(verdicts)) == 1:
        return verdicts[0]
    return "wrong" if "wrong" in verdicts else "incomplete"


def line_of(graded: Graded, whose: PersonMatch) -> GradeLine:
    """Return the line of a student who handed something in; `whose` is the person in the class list, with notes.

    The marks are the totals of all problems. `first` has (problem name, mark) of the first error of each problem that
    has one. If nothing could be graded the status is not_gradable, all marks (also the possible ones) are 0 and there
    are no first errors. The line has the notes of `whose`, then those of the submission.
    """
    markings, notes = graded.markings, (*whose.notes, *graded.submission.notes)
    student = graded.submission.student
    if graded.problem is not None:
        return GradeLine(student, whose.person, graded, "not_gradable", notes=notes)
    status = status_of([marking.verdict for marking in markings])
    named = named_markings(markings)
    first = tuple((name, marking.marks[marking.first]) for name, marking in named if marking.first is not None)
    return GradeLine(student, whose.person, graded, status, *total(markings), first, notes)


def absent(person: Person) -> GradeLine:
    """Return the line of a student of the class list who handed nothing in."""
    return GradeLine(person.called, person, None, NO_SUBMISSION)


def named_markings(markings: Sequence[Marking]) -> list[tuple[str, Marking]]:
    """Return (name of the problem, marking) of each marking: its label, or its number as text if it has no label.

    The name of a single problem is empty.
    """
    several = len(markings) > 1
    return [((each.task.label or str(place)) if several else "", each) for place, each in enumerate(markings, 1)]


class PersonMatch(NamedTuple):
    """The person of the class list who handed something in (None if that is not certain), and notes for the
    gradebook.
    """

    person: Person | None
    notes: tuple[str, ...] = ()


def people_of(submissions: Sequence[Submission], roster: Roster | None) -> dict[str, PersonMatch]:
    """Return {student: the person of the class list} for all submissions.

    Several submissions of one person get a note with their count ("is one of 2 submissions of …"). Submissions without
    a person and without id numbers whose last aliases are equal (blanks, signs and case ignored) get a note that names
    the others. All stay separate.
    """
    people = {submission.student: _person_of(submission, roster) for submission in submissions}
    often = Counter(id(whose.person) for whose in people.values() if whose.person is not None)
    alike = Counter(_identity_text(submission) for submission in submissions)
    for submission in submissions:
        whose = people[submission.student]
        if often[id(whose.person)] > 1 and whose.person is not None:
            note = f"is one of {often[id(whose.person)]} submissions of {whose.person.called}"
        elif whose.person is None and alike[_identity_text(submission)] > 1:
            look = _identity_text(submission)
            others = [each.student for each in submissions if each is not submission and _identity_text(each) == look]
            note = f"could be the same student as {', '.join(others)}"
        else:
            continue
        people[submission.student] = whose._replace(notes=(*whose.notes, note))
    return people


def _person_of(submission: Submission, roster: Roster | None) -> PersonMatch:
    """Return the person of the class list whose name a submission has, with notes.

    If exactly one person has the name, or if there is no class list (person None), there are no notes. Otherwise the
    person is None, with a note that begins with "is not in the class list" and lists the candidates if there are
    several.
    """
    if roster is None:
        return PersonMatch(None)
    candidates = roster.candidates(names_of(submission))
    if len(candidates) == 1:
        return PersonMatch(candidates[0])
    if candidates:
        names = ", ".join(f"{person.called} ({person.id})" for person in candidates)
        return PersonMatch(None, (f"{UNMATCHED}: it could be one of {names}",))
    return PersonMatch(None, (UNMATCHED,))


def names_of(submission: Submission) -> list[str]:
    """Return all names of the student of a submission: the id, then the aliases.

    If the participant's Moodle number is known, it comes first, as in `participant123`, so that it does not match other
    ids, and an id or alias that is this number is left out.
    """
    names = [submission.student, *submission.aliases]
    if submission.participant:
        return [f"{PARTICIPANT}{submission.participant}", *(name for name in names if name != submission.participant)]
    return names


def _identity_text(submission: Submission) -> str:
    """Return a text that is equal for submissions that may be of the same student: the id if there is a Moodle number
    or an alias of digits alone, else the last alias without blanks, signs and case ("" without aliases).
    """
    numbered = submission.participant or any(alias.isdecimal() for alias in submission.aliases)
    return submission.student if numbered else plain(submission.aliases[-1] if submission.aliases else "")


def names_in_key(submissions: Iterable[Submission], people: Mapping[str, PersonMatch], key: Key) -> dict[str, str]:
    """Return {student of a submission: the id of that student in the key}; the student's own id if the key has none.

    First exact ids are looked for, among the student, the aliases and all cells of the line in the class list, in this
    order. Then the first of these texts counts that equals, without blanks, signs and case, an id, name or address of
    exactly one student in the key.
    """
    owners: dict[str, set[str]] = {}
    for student in key.students:
        for text in (student, *key.called.get(student, ())):
            owners.setdefault(plain(text), set()).add(student)
    key_names = {}
    for submission in submissions:
        person = people[submission.student].person
        cells = [] if person is None else [cell.strip() for cell in (*person.row.values(), person.name, person.email)]
        exact = (name for name in (submission.student, *submission.aliases, *cells) if name in key.students)
        alike = (owners.get(plain(name), set()) for name in (*names_of(submission), *cells) if plain(name))
        loose = (next(iter(students)) for students in alike if len(students) == 1)
        key_names[submission.student] = next(exact, None) or next(loose, None) or submission.student
    return key_names


def with_names_of_key(people: Mapping[str, PersonMatch], names: Mapping[str, str], key: Key) -> dict[str, PersonMatch]:
    """Return `people` with a new person for each student whose name or address is in the key.

    Notes stay. The new person has only what the key gives: name and address ("" for a missing one), and the id there,
    as the only cell of its row. `names` maps each student of `people` to the id in the key; raises KeyError for one
    that it lacks. Students of whom the key has no name and address keep their person.
    """
    named = dict(people)
    for student, whose in people.items():
        called = key.called.get(names[student], ())
        email = next((text for text in called if "@" in text), "")
        name = next((text for text in called if text != email), "")
        if name or email:
            named[student] = whose._replace(person=Person(name, email, {"id": names[student]}))
    return named


def most_possible(lines: Iterable[GradeLine]) -> Fraction:
    """Return the worth of a homework: the most marks that a student can earn; 0 without lines."""
    return max((line.possible for line in lines), default=_NOTHING)


class RowCount(NamedTuple):
    """The number of students by outcome for a quantity of a problem; `first` counts those whose first error it is."""

    problem: str
    row: str
    first: int
    wrong: int
    formula: int
    carried: int
    missing: int
    right: int


class Statistics(NamedTuple):
    """The statistics of a class: lines by status, mean and median fraction of the marks, lines in each tenth,
    quantities with errors, and slips by frequency.

    `flags` are the numbers of students with something that a teacher should look at.
    """

    statuses: Mapping[str, int]
    mean: Fraction | None
    middle: Fraction | None
    tenths: tuple[int, ...]
    rows: tuple[RowCount, ...]
    slips: tuple[tuple[str, int], ...]
    flags: Mapping[str, int] = MappingProxyType({})


FLAGS = ("formula", "does_not_follow")  # verdicts of rows that a person should look at


def statistics(lines: Sequence[GradeLine]) -> Statistics:
    """Return the statistics of a class.

    Mean, median and tenths are of the earned fraction of lines that have a grade and possible marks: mean and median
    are None without any, and the last tenth includes 1 and more. Slips are sorted by falling count, then by name, and
    counted once a line. `flags` counts the lines with a row of the verdict formula, with one of does_not_follow, late
    ones and unmatched ones.
    """
    fractions = [line.earned / line.possible for line in lines if line.has_grade and line.possible]
    tenths = Counter(min(int(fraction * 10), 9) for fraction in fractions)
    slips = Counter(slip for line in lines for slip in line.slips)
    return Statistics(
        dict(Counter(line.status for line in lines)),
        mean(fractions) if fractions else None,
        median(fractions) if fractions else None,
        tuple(tenths[k] for k in range(10)),
        tuple(_row_counts(lines)),
        tuple(sorted(slips.items(), key=lambda item: (-item[1], item[0]))),
        {flag: sum(line.rows_with(flag) > 0 for line in lines) for flag in FLAGS}
        | {"late": sum(line.late for line in lines), "unmatched": sum(line.is_unmatched for line in lines)},
    )


def _row_counts(lines: Sequence[GradeLine]) -> list[RowCount]:
    """Return a RowCount of each quantity that had an outcome other than right in some line; it counts all outcomes.

    `first` counts first errors; the other fields count outcomes of all lines, also right ones. They are sorted by
    number of first errors, then of wrong ones (both falling), then by problem and quantity in natural order. A row that
    belongs to no quantity counts under its name ("not readable" without a name), also if it is right, in three
    cases: it is the first error, it is unreadable, or its marking has no quantities. Extra and superseded rows never
    count.
    """
    counters: dict[tuple[str, str], Counter[str]] = {}
    for line in lines:
        for problem, marking in named_markings(line.markings):
            counted = set[int]()
            for quantity in marking.quantities:
                counts = counters.setdefault((problem, quantity.quantity), Counter())
                counts[_outcome_of_verdict(quantity.verdict)] += 1
                counts["first"] += marking.first in quantity.rows
                counted.update(quantity.rows)
            for index, mark in enumerate(marking.marks):
                if index not in counted and _is_counted(marking, index):
                    counts = counters.setdefault((problem, mark.row or "not readable"), Counter())
                    counts[_outcome_of_verdict(mark.verdict)] += 1
                    counts["first"] += index == marking.first
    wrong = [(each, n) for each, n in counters.items() if any(n[outcome] for outcome in OUTCOMES if outcome != "right")]
    rows = [RowCount(*each, n["first"], *(n[outcome] for outcome in OUTCOMES)) for each, n in wrong]
    return sorted(rows, key=lambda row: (-row.first, -row.wrong, natural(row.problem), natural(row.row)))


def _is_counted(marking: Marking, index: int) -> bool:
    """Return whether the row at `index`, which belongs to no quantity, counts: as the first error, if it cannot be
    read, or if the marking has no quantities; never if its verdict is extra or superseded.
    """
    verdict = marking.marks[index].verdict
    is_counted = not marking.quantities or index == marking.first or verdict == "unreadable"
    return is_counted and verdict not in _NOT_COUNTED


def _outcome_of_verdict(verdict: str) -> str:
    """Return the outcome that counts a verdict: wrong, formula, carried, missing and right are their own; others count
    as right if nothing has to be done about them (correct, rounding, does_not_follow, precision), else as wrong.
    """
    if verdict in OUTCOMES:
        return verdict
    return "right" if verdict in GOOD else "wrong"
