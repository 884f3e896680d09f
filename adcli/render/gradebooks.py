"""Gradebooks: a line for each student as CSV, and the files that Canvas, Moodle, Gradescope and PrairieLearn take.

Canvas: the columns of its gradebook export, https://community.canvaslms.com (How do I import grades).  Moodle: its
offline grading worksheet.  Gradescope: https://gradescope-autograders.readthedocs.io/en/latest/specs/.  PrairieLearn:
https://prairielearn.readthedocs.io/en/latest/externalGrading/.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from ..classroom.gradebook import FLAGS, GradeLine, most_possible, problem_name
from ..classroom.moodle import ENGLISH, WorksheetColumns, worksheet_columns
from ..classroom.roster import Roster
from ..marking.assessing import total
from ..marking.disclosure import disclosed
from ..marking.model import Marking
from .data import sheet
from .html_page import escaped
from .marks import heading, remarks, score, summary
from .marks_text import document, plain

_CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
_PLACES = 4  # decimals of a mark that has no end


def decimal(mark: Fraction) -> str:
    """A mark as a decimal number: a spreadsheet takes 17/2 for a date."""
    return f"{float(mark):.{_PLACES}f}".rstrip("0").rstrip(".")


def grades_csv(lines: Sequence[GradeLine]) -> str:
    """The gradebook, a line for each student; marks are decimals."""
    return sheet([_grade(line) for line in lines]) if lines else ""


def _grade(line: GradeLine) -> dict[str, object]:
    data: dict[str, object] = {
        "student": line.student,
        "name": line.name,
        "file": line.graded.file if line.graded is not None else "",
        "status": line.status,
    }
    shown = line.has_grade
    percent = 100 * line.earned / line.possible if line.possible else Fraction(0)
    for column, mark in (
        ("earned", line.earned), ("possible", line.possible), ("percent", percent), ("without_carry", line.alone),
    ):  # fmt: skip
        data[column] = decimal(mark) if shown else ""
    data["first_error"] = "; ".join(f"{problem}: {mark.row}" if problem else mark.row for problem, mark in line.first)
    data["slip"] = "; ".join("|".join(mark.slips) for _, mark in line.first if mark.slips)
    for flag in FLAGS:
        data[flag] = str(line.rows_with(flag)) if shown else ""
    data["late"] = "yes" if line.late else ""
    data["note"] = "; ".join(line.remarks)
    return data


# --- Canvas and Moodle: sheets ----------------------------------------------------------------------------------------


def canvas_csv(lines: Sequence[GradeLine], roster: Roster, title: str) -> str:
    """What Canvas imports: everybody of its export who has a grade, in its order; an empty cell would remove a mark.

    Marks are on the scale of the points that Canvas has for the assignment; where it has none, of the most that a
    student can earn.
    """
    column = next((name for name in roster.header if re.sub(r" \(\d+\)\Z", "", name) == title), title)
    own = _lines_by_person(lines)
    points = {"Student": "    Points Possible", **(roster.points or {})}
    possible = _points(points.get(column, "")) or most_possible(lines)
    out = [{name: points.get(name, "") for name in _CANVAS} | {column: decimal(possible)}]
    for person in roster.people:
        line = own.get(id(person))
        if line is None:
            continue
        cells = {name: person.row.get(name, "") for name in _CANVAS}
        cells["Student"] = cells["Student"] or person.name
        out.append(cells | {column: decimal(line.scaled(possible))})
    return sheet(out)


def moodle_csv(lines: Sequence[GradeLine], roster: Roster | None, level: int) -> str:
    """What Moodle imports: grade and feedback of everybody who has a grade, so that no other grade is lost.

    With Moodle's own worksheet as class list its columns are kept, in its language, which its import asks for; without
    it the columns are those without which Moodle takes no worksheet: who it is, the grade, and when it was last
    modified.  Marks are on the scale of its largest grade, without one on that of the most that a student can earn.
    """
    worksheet = _worksheet(roster)
    columns, possible = worksheet or ENGLISH, most_possible(lines)
    out: list[dict[str, str]] = []
    for line in _alone(lines, known_only=worksheet is not None):
        if line.graded is not None:
            number = line.graded.submission.participant
            row = dict(line.person.row) if line.person is not None and worksheet else {}
            email = line.person.email if line.person is not None else ""
            who = (f"Participant {number}" if number else "", line.name, email)
            cells = {name: row.get(name) or text for name, text in zip(columns[: len(who)], who, strict=True)} | row
            cells = cells if worksheet else cells | {columns.most: decimal(possible)}
            scale = _points(row.get(columns.most, "")) or possible
            said = escaped(feedback(line.graded.markings, level))
            changed = {columns.changed: row.get(columns.changed, ""), columns.feedback: said}
            out.append({**cells, columns.grade: decimal(line.scaled(scale)), **changed})
    return sheet(out)


def _worksheet(roster: Roster | None) -> WorksheetColumns | None:
    """The columns of the class list if it is Moodle's worksheet."""
    return None if roster is None else worksheet_columns(roster.header)


def left_out(system: str, lines: Sequence[GradeLine], roster: Roster | None) -> list[tuple[str, str]]:
    """Who handed something in and is not in the sheet for a system, with the reason."""
    if system not in ("canvas", "moodle"):
        return []
    known_only = system == "canvas" or _worksheet(roster) is not None
    there = {id(line) for line in _alone(lines, known_only)}
    found = []
    for line in lines:
        if line.graded is not None and id(line) not in there:
            if not line.has_grade:
                reason = NO_GRADE
            else:
                reason = NOT_KNOWN if line.person is None else "somebody has to choose among several submissions"
            found.append((line.student, reason))
    return found


def without_number(lines: Sequence[GradeLine], roster: Roster | None) -> int:
    """How many lines of the sheet for Moodle have no number of Moodle's, by which alone its worksheet is taken."""
    if _worksheet(roster) is not None:
        return 0
    return sum(
        line.graded is None or not line.graded.submission.participant for line in _alone(lines, known_only=False)
    )


NO_GRADE = "there is no grade"
NOT_KNOWN = "it is not known whose it is"


def _alone(lines: Sequence[GradeLine], known_only: bool) -> list[GradeLine]:
    """The graded lines of people who have one; with `known_only` of those in the class list."""
    graded = [line for line in lines if line.has_grade]
    often = Counter(id(line.person) for line in graded if line.person is not None)
    return [line for line in graded if (often[id(line.person)] == 1 if line.person is not None else not known_only)]


def _points(text: str) -> Fraction | None:
    """The points of a cell, whose decimals may follow a comma, as Moodle writes them in many languages."""
    found = re.fullmatch(r"\s*(\d{1,9})(?:\.(\d{1,9})|,(\d{1,2}))?\s*", text, re.ASCII)
    return Fraction(f"{found[1]}.{found[2] or found[3] or 0}") if found else None


def _lines_by_person(lines: Sequence[GradeLine]) -> dict[int, GradeLine]:
    """The graded line of each person of the class list who has one."""
    return {id(line.person): line for line in _alone(lines, known_only=True)}


def feedback(markings: Sequence[Marking], level: int) -> str:
    """Some sentences for a student: the score, and what may be said about the first errors."""
    shown = [disclosed(marking, level) for marking in markings]
    said = [f"{score(*total(shown)[::2])} marks."]
    for place, marking in enumerate(shown, 1):
        name = problem_name(marking, place, len(shown))
        head = f"Problem {name}, " if name else ""
        if marking.problem is not None:
            said.append(f"{head.replace(', ', ': ')}{summary(marking)}.")
        elif marking.first is not None:
            mark = marking.marks[marking.first]
            sentences = "; ".join(remarks(marking, marking.first))
            said.append(f"{head or 'In '}line {mark.line}: {sentences}.")
    return " ".join(said)


# --- Gradescope and PrairieLearn: a file for each student -------------------------------------------------------------


def gradescope(line: GradeLine, level: int, possible: Fraction) -> dict[str, object]:
    """The results.json of a student for Gradescope: a test for each problem, and one without points for each row.

    The score is on the scale of a homework that is worth `possible` points, whatever this student's problems are worth.
    """
    if line.graded is None or line.graded.problem is not None:
        return {"score": 0, "output": _why(line), "visibility": "visible", "tests": []}
    shown = [disclosed(marking, level) for marking in line.graded.markings]
    tests: list[Mapping[str, object]] = []
    for place, marking in enumerate(shown, 1):
        right = "passed" if marking.verdict == "right" else "failed"
        tests.append(
            {"name": heading(marking, place), "number": str(place), "status": right, "score": _number(marking.earned)}
            | {"max_score": _number(marking.possible), "output": plain(document([marking])), "visibility": "visible"}
        )
        tests += [
            {
                "name": ", ".join([mark.row] * bool(mark.row) + [f"line {mark.line}"] * (mark.line is not None)),
                "number": f"{place}.{index + 1}",
                "status": "passed" if mark.verdict in _PASSED else "failed",
                "output": "\n".join(remarks(marking, index)),
                "visibility": "visible",
            }
            for index, mark in enumerate(marking.marks)
        ]
    return {
        "score": _number(line.scaled(possible)),
        "output": feedback(line.graded.markings, level),
        "visibility": "visible",
        "tests": tests,
    }


_PASSED = ("correct", "rounding", "does_not_follow")


def prairielearn(line: GradeLine, level: int) -> dict[str, object]:
    """The results.json of a student for PrairieLearn; what is not gradable costs no attempt."""
    if line.graded is None or line.graded.problem is not None:
        return {"gradable": False, "format_errors": [_why(line)]}
    shown = [disclosed(marking, level) for marking in line.graded.markings]
    return {
        "gradable": True,
        "score": _number(line.earned / line.possible) if line.possible else 0,
        "message": feedback(line.graded.markings, level),
        "tests": [
            {
                "name": heading(marking, place),
                "points": _number(marking.earned),
                "max_points": _number(marking.possible),
                "message": summary(marking),
                "output": plain(document([marking])),
            }
            for place, marking in enumerate(shown, 1)
        ],
    }


def _why(line: GradeLine) -> str:
    problem = line.graded.problem if line.graded is not None else None
    if problem is None:
        return "nothing was handed in"
    return f"{problem.title}: {problem.help}" if problem.help else problem.title


def _number(mark: Fraction) -> float | int:
    return mark.numerator if mark.denominator == 1 else float(mark)
