"""Gradebooks: a line for each student as CSV, and the files that Canvas, Moodle, Gradescope and PrairieLearn take. A
line is the entry of a student; its `graded` is what was handed in and marked (None: nothing).

Canvas: the columns of its gradebook export, https://community.canvaslms.com (How do I import grades).  Moodle: its
offline grading worksheet.  Gradescope: https://gradescope-autograders.readthedocs.io/en/latest/specs/.  PrairieLearn:
https://prairielearn.readthedocs.io/en/latest/externalGrading/.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from ...classroom.gradebook import BY_HAND, FLAGS, GradeLine, most_possible, named_markings
from ...classroom.overrides import comments, teacher_remarks
from ...classroom.review import REVIEW_COLUMNS, ReviewItem
from ...classroom.roster import ENGLISH, Roster, WorksheetColumns, id_columns, parse_mark, worksheet_columns
from ...classroom.roster import plain as plain_name
from ...marking.disclosure import redact
from ...marking.model import NOTHING
from ..data import sheet
from ..html_page import escaped
from ..marks import heading, points, remarks, score, summary
from .marks_text import document, plain

_CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
_PLACES = 4  # decimals of a mark, at most


def decimal(mark: Fraction) -> str:
    """Return a mark as a decimal number of at most four decimals, without final zeros: `8.5` (a spreadsheet would take
    17/2 for a date).
    """
    return f"{float(mark):.{_PLACES}f}".rstrip("0").rstrip(".")


def grades_csv(lines: Sequence[GradeLine], roster: Roster | None = None) -> str:
    """Return the gradebook as CSV, one row for each student, with the ids of the class list; empty without lines."""
    ids = [] if roster is None else id_columns(roster.header)
    return sheet([_gradebook_row(line, ids) for line in lines]) if lines else ""


def _gradebook_row(line: GradeLine, ids: Sequence[str]) -> dict[str, object]:
    """Return the row of a student, `line`: column → text.

    Columns: student, name, the columns `ids` of the class list (without them `id`, from the download's name), file,
    status, earned, possible, percent, without_carry, first_error, slip, one count for each flag, late (yes or empty),
    note, comment. Marks and counts (of rows) are empty without a grade; percent is 0 if nothing can be earned.
    first_error is `problem: row` (row alone if the problem has no name), slip the names of its slips. Several problems
    are separated by `; `, several slips by `|`. note has the remarks and reasons of the line, comment the teacher's
    comments.
    """
    data: dict[str, object] = {"student": line.student, "name": line.name}
    row: Mapping[str, str] = line.person.row if line.person is not None else {}
    data |= {column: row.get(column, "") for column in ids} or {"id": _id_of_download(line)}
    data |= {"file": line.graded.file if line.graded is not None else "", "status": line.status}
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
    data["note"] = "; ".join((*line.remarks, *line.reasons))
    data["comment"] = comments(line)
    return data


def review_csv(items: Sequence[ReviewItem]) -> str:
    """Return the answers that a person should look at as CSV, with the columns REVIEW_COLUMNS; without any the header
    alone.
    """
    return sheet([dict(zip(REVIEW_COLUMNS, item, strict=True)) for item in items]) or ",".join(REVIEW_COLUMNS) + "\n"


def _id_of_download(line: GradeLine) -> str:
    """Return the number or address by which a download names the student; "" if it has none or nothing was handed in.

    It is Moodle's participant number. Without one, it is the first of the submission's aliases that is all digits or
    contains an @.
    """
    submission = line.graded.submission if line.graded is not None else None
    if submission is None:
        return ""
    numbers = (name for name in submission.aliases if name.isdecimal() or "@" in name)
    return submission.participant or next(numbers, "")


# --- Canvas and Moodle: sheets ----------------------------------------------------------------------------------------


def canvas_column(roster: Roster, title: str, assignment: str | None = None) -> str | None:
    """Return the column of `roster`, Canvas's gradebook, for an assignment; None if no column fits, or more than one.

    Only columns such as `Homework 3 (1234)` count. Three tests are tried, and the first that any column passes decides:

    - `assignment` (`title` if it is None) is the column, its title or its id.
    - The title of the column has the same plain words (`plain_name`).
    - If `assignment` is None: `title` begins with the title of the column, both in plain words.
    """
    columns = {name: parts for name in roster.header if (parts := _title_and_id(name)) is not None}
    requested = assignment if assignment is not None else title
    names = [name for name, parts in columns.items() if requested.strip() in (name, *parts)]
    names = names or [name for name, (head, _) in columns.items() if plain_name(head) == plain_name(requested)]
    if not names and assignment is None:
        names = [name for name, (head, _) in columns.items() if plain_name(title).startswith(plain_name(head))]
    return names[0] if len(names) == 1 else None


def _title_and_id(column: str) -> tuple[str, str] | None:
    """Return (title, id) of a column of Canvas, such as `Homework 3 (1234)`; None for another one."""
    title, bracket, number = column.rpartition("(")
    if not (bracket and number.endswith(")") and number[:-1].isdecimal()):
        return None
    return title.removesuffix(" "), number[:-1]


def canvas_csv(lines: Sequence[GradeLine], roster: Roster, title: str, assignment: str | None = None) -> str:
    """Return the CSV file that Canvas imports: the students of its export, `roster`, who have a grade, in its order.

    Students without a grade are left out, since an empty cell would delete a mark; so are students with several graded
    lines, unless exactly one was marked by hand. The first row has the points possible. Columns are those of Canvas
    that identify students, and one for the marks: the one that fits `assignment` or `title`; if none fits, a new one
    called `assignment`, by default `title`. Marks are on the scale of the points of the column. If it has no points, or
    0, they are on the scale of the most that a student can earn.
    """
    column = canvas_column(roster, title, assignment) or assignment or title
    lines_of_people = {id(line.person): line for line in _single_lines(lines, known_only=True)}
    points = {"Student": "    Points Possible", **(roster.points or {})}
    possible = parse_mark(points.get(column, "")) or most_possible(lines)
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
    """Return the CSV file that Moodle imports: grade and feedback of the students who have exactly one graded line.

    If a student has several graded lines and exactly one was marked by hand, this one is used. Lines without a
    submission (`graded` is None) are left out. If `roster` is Moodle's own worksheet, its columns are kept in its
    language; only its students with such a line are written. Otherwise the columns are in English: identifier
    (`Participant 7`, empty without a number), name, email, maximum grade, grade, last modified (empty), feedback. Marks
    are on the scale of the worksheet's maximum grade, or, without it, of the most that a student can earn. `level` (0
    to 5) is what the student may see in the feedback, which is escaped as HTML.
    """
    worksheet = _worksheet(roster)
    columns, possible = worksheet or ENGLISH, most_possible(lines)
    out: list[dict[str, str]] = []
    for line in _single_lines(lines, known_only=worksheet is not None):
        if line.graded is not None:
            number = line.graded.submission.participant
            row = dict.fromkeys(columns[:3], "")
            if worksheet is not None and line.person is not None:
                row = dict(line.person.row)
            email = line.person.email if line.person is not None else ""
            who = (f"Participant {number}" if number else "", line.name, email)
            cells = row | {name: row[name] or text for name, text in zip(columns, who, strict=False) if name in row}
            cells = cells if worksheet else cells | {columns.most: decimal(possible)}
            scale = parse_mark(row.get(columns.most, "")) or possible
            comments = escaped(feedback(line, level))
            changed = {columns.changed: row.get(columns.changed, ""), columns.feedback: comments}
            out.append({**cells, columns.grade: decimal(line.scaled(scale)), **changed})
    return sheet(out)


def _worksheet(roster: Roster | None) -> WorksheetColumns | None:
    """Return the columns of the class list if it is a worksheet of Moodle, else None."""
    return None if roster is None else worksheet_columns(roster.header)


def missing_in_gradebook(system: str, lines: Sequence[GradeLine], roster: Roster | None) -> list[tuple[str, str]]:
    """Return (student, reason) for every submission among `lines` that is not in the sheet for `system`.

    [] if `system` is not canvas or moodle. The reason is, in this order, that there is no grade, that the line has no
    person of the class list, or that there are several submissions. For Moodle, unknown students are missing only if
    `roster` is Moodle's worksheet. Students who handed in nothing are not listed.
    """
    if system not in ("canvas", "moodle"):
        return []
    known_only = system == "canvas" or _worksheet(roster) is not None
    written = {id(line) for line in _single_lines(lines, known_only)}
    missing = [line for line in lines if line.graded is not None and id(line) not in written]
    reasons = {True: NOT_KNOWN, False: "several submissions: choose one of them"}  # by whether the student is unknown
    return [(line.student, reasons[line.person is None] if line.has_grade else NO_GRADE) for line in missing]


def count_without_number(lines: Sequence[GradeLine], roster: Roster | None) -> int:
    """Return how many lines of the sheet for Moodle lack Moodle's participant number, which the import needs: the
    submission's name has none, or nothing is handed in.

    0 if the class list `roster` is Moodle's worksheet, which identifies the students itself.
    """
    if _worksheet(roster) is not None:
        return 0
    single = _single_lines(lines, known_only=False)
    return sum(line.graded is None or not line.graded.submission.participant for line in single)


NO_GRADE = "there is no grade"
NOT_KNOWN = "the student is unknown"


def _single_lines(lines: Sequence[GradeLine], known_only: bool) -> list[GradeLine]:
    """Return the graded line of each person who has a single one, in the given order.

    If a person has several graded lines, of which exactly one was marked by hand, this one is returned; otherwise none
    of them. Lines without a grade are left out. Graded lines without a person of the class list are left out with
    `known_only`, and all kept without it.
    """
    graded = [line for line in lines if line.has_grade]
    by_hand = Counter(id(line.person) for line in graded if line.status == BY_HAND)
    graded = [line for line in graded if line.status == BY_HAND or line.person is None or by_hand[id(line.person)] != 1]
    often = Counter(id(line.person) for line in graded if line.person is not None)
    return [line for line in graded if (often[id(line.person)] == 1 if line.person is not None else not known_only)]


def feedback(line: GradeLine, level: int) -> str:
    """Return a comment for a student: `3 of 4 marks.`, then a sentence for each problem, then the teacher's remarks.

    A problem that could not be marked has its summary. A problem with an error has the line number of the first error
    (none if a row is missing) and the remarks on it, as far as `level` (0 to 5, what the student may see) discloses
    them. Problems without an error are not mentioned.
    """
    texts = [f"{score(line.earned, line.possible)} marks."]
    for name, marking in named_markings([redact(marking, level) for marking in line.markings]):
        head = f"Problem {name}: " if name else ""
        if marking.problem is not None:
            texts.append(f"{head}{summary(marking)}.")
        elif marking.first is not None:
            number, sentences = marking.marks[marking.first].line, "; ".join(remarks(marking, marking.first))
            line_head = f"Problem {name}, line {number}: " if name else f"In line {number}: "
            texts.append(f"{head if number is None else line_head}{sentences}.")
    texts += [f"Teacher: {remark}." for remark in teacher_remarks(line, points)]
    return " ".join(texts)


# --- Gradescope and PrairieLearn: a file for each student -------------------------------------------------------------


def gradescope(line: GradeLine, level: int, possible: Fraction) -> dict[str, object]:
    """Return the results.json of a student, `line`, for Gradescope: a test for each problem and for each of its rows.

    Keys are score, output, visibility and tests. `visibility` is always `visible`. `level` (0 to 5) is what the student
    may see.

    - The score is scaled to a homework that is worth `possible` points; the scores of tests are in points of their
      problem.
    - The test of a problem has name, number (`1`), status, score, max_score, output (the marked answer as text) and
      visibility; it passes if the verdict is right.
    - The test of a row (`1.2`) has no score and max_score; its name is the row and `line 3`, as far as they are known,
      its output the remarks. It passes if the verdict, as `level` discloses it, is correct, rounding, or
      does_not_follow.

    Without a gradable answer the score is 0, `tests` is empty, and the output is the reason.
    """
    if line.graded is None or line.graded.problem is not None:
        return {"score": 0, "output": _reason(line), "visibility": "visible", "tests": []}
    shown = [redact(marking, level) for marking in line.graded.markings]
    tests: list[Mapping[str, object]] = []
    for place, marking in enumerate(shown, 1):
        marks = {"score": _json_number(marking.earned), "max_score": _json_number(marking.possible)}
        output = plain(document([marking]))
        tests.append(_gradescope_test(heading(marking, place), str(place), marking.verdict == "right", output, marks))
        for index, mark in enumerate(marking.marks):
            name = ", ".join([mark.row] * bool(mark.row) + [f"line {mark.line}"] * (mark.line is not None))
            output = "\n".join(remarks(marking, index))
            tests.append(_gradescope_test(name, f"{place}.{index + 1}", mark.verdict in _PASSED, output, {}))
    total = _json_number(line.scaled(possible))
    return {"score": total, "output": feedback(line, level), "visibility": "visible", "tests": tests}


def _gradescope_test(
    name: str, number: str, is_right: bool, output: str, marks: Mapping[str, object]
) -> dict[str, object]:
    """Return one test of the results for Gradescope; `marks` are its score and max_score, or nothing."""
    status = "passed" if is_right else "failed"
    return {"name": name, "number": number, "status": status, **marks, "output": output, "visibility": "visible"}


_PASSED = ("correct", "rounding", "does_not_follow")


def prairielearn(line: GradeLine, level: int) -> dict[str, object]:
    """Return the results.json of a student, `line`, for PrairieLearn, with a test for each problem.

    `level` is what the student may see (0 to 5). The score is a fraction of 1; 0 if nothing can be earned. Keys are
    gradable, score, message (the feedback) and tests, each with name, points, max_points, message (the headline) and
    output (the marked answer as text). A missing or unreadable answer gives only `gradable` False and `format_errors`,
    a list with the reason, so that it costs no attempt.
    """
    if line.graded is None or line.graded.problem is not None:
        return {"gradable": False, "format_errors": [_reason(line)]}
    shown = [redact(marking, level) for marking in line.graded.markings]
    tests = [
        {
            "name": heading(marking, place), "points": _json_number(marking.earned),
            "max_points": _json_number(marking.possible), "message": summary(marking),
            "output": plain(document([marking])),
        }
        for place, marking in enumerate(shown, 1)
    ]  # fmt: skip
    fraction = _json_number(line.earned / line.possible) if line.possible else 0
    return {"gradable": True, "score": fraction, "message": feedback(line, level), "tests": tests}


def _reason(line: GradeLine) -> str:
    """Return why there is no grade, as `title: help` of the answer's problem (the title alone without help); without a
    problem NOTHING, that nothing was handed in.
    """
    problem = line.graded.problem if line.graded is not None else None
    if problem is None:
        return NOTHING
    return f"{problem.title}: {problem.help}" if problem.help else problem.title


def _json_number(mark: Fraction) -> float | int:
    """Return a mark as JSON has it: a whole number as int, else a float."""
    return mark.numerator if mark.denominator == 1 else float(mark)
