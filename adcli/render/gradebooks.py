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
_PLACES = 4  # decimals of a mark, at most


def decimal(mark: Fraction) -> str:
    """Return a mark as a decimal number, since a spreadsheet takes 17/2 for a date; at most four decimals."""
    return f"{float(mark):.{_PLACES}f}".rstrip("0").rstrip(".")


def grades_csv(lines: Sequence[GradeLine]) -> str:
    """Return the gradebook as CSV, one row for each student; empty if there are no lines."""
    return sheet([_gradebook_row(line) for line in lines]) if lines else ""


def _gradebook_row(line: GradeLine) -> dict[str, object]:
    """Return the row of a student: names, file, status, marks and percent (empty without a grade), first errors and
    their slips, counts of flags, lateness and notes."""
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
    """Return the file that Canvas imports: students of its export who have a grade, in its order.  Others are left out,
    since an empty cell would delete a mark.

    Marks are on the scale of the points that Canvas has for the assignment `title`; if it has none, of the most that a
    student can earn.
    """
    column = next((name for name in roster.header if re.sub(r" \(\d+\)\Z", "", name) == title), title)
    lines_of_people = _lines_by_person(lines)
    points = {"Student": "    Points Possible", **(roster.points or {})}
    possible = _parse_points(points.get(column, "")) or most_possible(lines)
    out = [{name: points.get(name, "") for name in _CANVAS} | {column: decimal(possible)}]
    for person in roster.people:
        line = lines_of_people.get(id(person))
        if line is None:
            continue
        cells = {name: person.row.get(name, "") for name in _CANVAS}
        cells["Student"] = cells["Student"] or person.name
        out.append(cells | {column: decimal(line.scaled(possible))})
    return sheet(out)


def moodle_csv(lines: Sequence[GradeLine], roster: Roster | None, level: int) -> str:
    """Return the file that Moodle imports: grade and feedback of every student who has a grade; others are left out.

    If `roster` is Moodle's own worksheet, its columns are kept in its language; otherwise the required columns are
    written in English.  Marks are on the scale of the worksheet's maximum grade, or of the most that a student can
    earn.  `level` is the disclosure of the feedback.
    """
    worksheet = _worksheet(roster)
    columns, possible = worksheet or ENGLISH, most_possible(lines)
    out: list[dict[str, str]] = []
    for line in _single_lines(lines, known_only=worksheet is not None):
        if line.graded is not None:
            number = line.graded.submission.participant
            row = dict(line.person.row) if line.person is not None and worksheet else {}
            email = line.person.email if line.person is not None else ""
            who = (f"Participant {number}" if number else "", line.name, email)
            cells = {name: row.get(name) or text for name, text in zip(columns[: len(who)], who, strict=True)} | row
            cells = cells if worksheet else cells | {columns.most: decimal(possible)}
            scale = _parse_points(row.get(columns.most, "")) or possible
            comments = escaped(feedback(line.graded.markings, level))
            changed = {columns.changed: row.get(columns.changed, ""), columns.feedback: comments}
            out.append({**cells, columns.grade: decimal(line.scaled(scale)), **changed})
    return sheet(out)


def _worksheet(roster: Roster | None) -> WorksheetColumns | None:
    """Return the columns of the class list if it is a worksheet of Moodle, else None."""
    return None if roster is None else worksheet_columns(roster.header)


def left_out(system: str, lines: Sequence[GradeLine], roster: Roster | None) -> list[tuple[str, str]]:
    """Return (student, reason) for every submission that is not in the sheet for `system`; [] unless that is canvas
    or moodle."""
    if system not in ("canvas", "moodle"):
        return []
    known_only = system == "canvas" or _worksheet(roster) is not None
    there = {id(line) for line in _single_lines(lines, known_only)}
    omitted = []
    for line in lines:
        if line.graded is not None and id(line) not in there:
            if not line.has_grade:
                reason = NO_GRADE
            else:
                reason = NOT_KNOWN if line.person is None else "several submissions: choose one of them"
            omitted.append((line.student, reason))
    return omitted


def without_number(lines: Sequence[GradeLine], roster: Roster | None) -> int:
    """Return how many lines of the sheet for Moodle lack Moodle's participant number, which its import needs; 0 if
    the class list is its worksheet."""
    if _worksheet(roster) is not None:
        return 0
    return sum(
        line.graded is None or not line.graded.submission.participant for line in _single_lines(lines, known_only=False)
    )


NO_GRADE = "there is no grade"
NOT_KNOWN = "the student is unknown"


def _single_lines(lines: Sequence[GradeLine], known_only: bool) -> list[GradeLine]:
    """Return the graded lines of people who have exactly one; with `known_only` only of people in the class list."""
    graded = [line for line in lines if line.has_grade]
    often = Counter(id(line.person) for line in graded if line.person is not None)
    return [line for line in graded if (often[id(line.person)] == 1 if line.person is not None else not known_only)]


def _parse_points(text: str) -> Fraction | None:
    """Return the points in a cell, with a decimal point or comma (Moodle uses both); None if it is not a number."""
    match = re.fullmatch(r"\s*(\d{1,9})(?:\.(\d{1,9})|,(\d{1,2}))?\s*", text, re.ASCII)
    return Fraction(f"{match[1]}.{match[2] or match[3] or 0}") if match else None


def _lines_by_person(lines: Sequence[GradeLine]) -> dict[int, GradeLine]:
    """Return id(person) → graded line, for people of the class list who have exactly one."""
    return {id(line.person): line for line in _single_lines(lines, known_only=True)}


def feedback(markings: Sequence[Marking], level: int) -> str:
    """Return a comment for a student: the score, and for each problem the remarks on the first error, as far as
    `level` discloses them."""
    shown = [disclosed(marking, level) for marking in markings]
    texts = [f"{score(*total(shown)[::2])} marks."]
    for place, marking in enumerate(shown, 1):
        name = problem_name(marking, place, len(shown))
        head = f"Problem {name}, " if name else ""
        if marking.problem is not None:
            texts.append(f"{head.replace(', ', ': ')}{summary(marking)}.")
        elif marking.first is not None:
            mark = marking.marks[marking.first]
            sentences = "; ".join(remarks(marking, marking.first))
            texts.append(f"{head or 'In '}line {mark.line}: {sentences}.")
    return " ".join(texts)


# --- Gradescope and PrairieLearn: a file for each student -------------------------------------------------------------


def gradescope(line: GradeLine, level: int, possible: Fraction) -> dict[str, object]:
    """Return the results.json of a student for Gradescope: a test for each problem, and one without points for each
    row.

    `level` is what the student may see (0 to 5). The score is scaled to a homework that is worth `possible` points;
    without a gradable answer it is 0, with the reason.
    """
    if line.graded is None or line.graded.problem is not None:
        return {"score": 0, "output": _reason(line), "visibility": "visible", "tests": []}
    shown = [disclosed(marking, level) for marking in line.graded.markings]
    tests: list[Mapping[str, object]] = []
    for place, marking in enumerate(shown, 1):
        right = "passed" if marking.verdict == "right" else "failed"
        tests.append(
            {
                "name": heading(marking, place),
                "number": str(place),
                "status": right,
                "score": _json_number(marking.earned),
            }
            | {
                "max_score": _json_number(marking.possible),
                "output": plain(document([marking])),
                "visibility": "visible",
            }
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
        "score": _json_number(line.scaled(possible)),
        "output": feedback(line.graded.markings, level),
        "visibility": "visible",
        "tests": tests,
    }


_PASSED = ("correct", "rounding", "does_not_follow")


def prairielearn(line: GradeLine, level: int) -> dict[str, object]:
    """Return the results.json of a student for PrairieLearn; an answer that is not gradable costs no attempt.

    `level` is what the student may see (0 to 5). The score is a fraction of 1.
    """
    if line.graded is None or line.graded.problem is not None:
        return {"gradable": False, "format_errors": [_reason(line)]}
    shown = [disclosed(marking, level) for marking in line.graded.markings]
    return {
        "gradable": True,
        "score": _json_number(line.earned / line.possible) if line.possible else 0,
        "message": feedback(line.graded.markings, level),
        "tests": [
            {
                "name": heading(marking, place),
                "points": _json_number(marking.earned),
                "max_points": _json_number(marking.possible),
                "message": summary(marking),
                "output": plain(document([marking])),
            }
            for place, marking in enumerate(shown, 1)
        ],
    }


def _reason(line: GradeLine) -> str:
    """Return why there is no grade: nothing was handed in, or the problem of the answer and its help."""
    problem = line.graded.problem if line.graded is not None else None
    if problem is None:
        return "nothing was handed in"
    return f"{problem.title}: {problem.help}" if problem.help else problem.title


def _json_number(mark: Fraction) -> float | int:
    return mark.numerator if mark.denominator == 1 else float(mark)
