"""Gradebooks: sheets that spreadsheets and systems take, results for each student, and the summary of a class."""

from __future__ import annotations

import csv
import io
import json
import re
from fractions import Fraction
from html.parser import HTMLParser
from typing import Any

import pytest
from marked import KEY_NUMBERS, graded, right, unreadable, wrong

from adcli.classroom.gradebook import (
    GradeLine,
    PersonMatch,
    absent,
    line_of,
    names_in_key,
    people_of,
    statistics,
    with_names_of_key,
)
from adcli.classroom.homework import Key
from adcli.classroom.roster import LANGUAGES, Roster, WorksheetColumns, read_roster
from adcli.marking.model import Marking
from adcli.render.answers import gradebooks
from adcli.render.answers.class_report import slips_table, summary
from adcli.render.answers.gradebooks import (
    canvas_csv,
    decimal,
    feedback,
    grades_csv,
    gradescope,
    missing_in_gradebook,
    moodle_csv,
    prairielearn,
)  # fmt: skip
from adcli.render.formats import DOCUMENTS, find_format

CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Homework 3 (98765),Final Score
    Points Possible,,,,,10,(read only)
"Doe, Jane",12345,s1,jdoe@uni.edu,A,,50
"Roe, Rick",23456,s2,rroe@uni.edu,A,7,60
"=Sly, Sam",34567,s3,ssly@uni.edu,B,,70
"""
WORKSHEET = """\
Identifier,Full name,Email address,Status,Grade,Maximum Grade,Last modified (grade),Feedback comments
Participant 12345,Jane Doe,jane@uni.edu,Submitted,,100,-,
Participant 23456,Rick Roe,rick@uni.edu,No submission,,8,-,
"""


def line(student: str, *markings: Marking, roster: Roster | None = None, participant: str = "") -> GradeLine:
    found = graded(student, *markings, participant=participant)
    return line_of(found, people_of([found.submission], roster)[student])


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


# --- the gradebook ----------------------------------------------------------------------------------------------------


FLAGLESS = {"formula": "0", "does_not_follow": "0", "late": "", "note": "", "comment": ""}


REASON = "not gradable: this is a photo"


def test_the_gradebook_has_a_line_for_each_student() -> None:
    found = read(grades_csv([line("alice", right()), line("bob", wrong()), line("carl", unreadable())]))
    everybody = {"id": "", "possible": "8", "first_error": "", "slip": "", **FLAGLESS}
    assert [
        {"student": "alice", "name": "alice", "file": "alice.txt", "status": "right", "earned": "8",
         "percent": "100", "without_carry": "8"},
        {"student": "bob", "name": "bob", "file": "bob.txt", "status": "wrong", "earned": "3.5",
         "percent": "43.75", "without_carry": "3", "first_error": "v3", "slip": "degrees"},
        {"student": "carl", "name": "carl", "file": "carl.txt", "status": "not_gradable", "earned": "",
         "percent": "", "without_carry": "", **dict.fromkeys(everybody, ""), "note": REASON},
    ] == [{name: cell for name, cell in row.items() if cell != everybody.get(name) or row["student"] == "carl"}
          for row in found]  # fmt: skip


def test_errors_of_several_problems_say_which_problem() -> None:
    (found,) = read(grades_csv([line("bob", right("a"), wrong("b"))]))
    assert ("b: v3", "11.5", "16") == (found["first_error"], found["earned"], found["possible"])


@pytest.mark.parametrize(
    ("mark", "shown"), [(Fraction(17, 2), "8.5"), (Fraction(7), "7"), (Fraction(0), "0"), (Fraction(20, 3), "6.6667")]
)
def test_marks_in_sheets_are_decimals(mark: Fraction, shown: str) -> None:
    assert shown == decimal(mark)


@pytest.mark.parametrize("name", ["=cmd()", "+1", "-1", "@x"])
def test_no_cell_is_a_formula(name: str) -> None:
    roster = read_roster(f'name,email\n"{name}",x@y.z\n', "r.csv")
    lines = [line(name, wrong(), roster=roster)]
    for text in (grades_csv(lines), moodle_csv(lines, roster, 3), canvas_csv(lines, roster, name)):
        cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
        assert f"'{name}" in cells
        assert [] == [cell for cell in cells if cell[:1] in ("=", "+", "-", "@") and not re.match(r"-?\d", cell)]


# --- Canvas and Moodle ------------------------------------------------------------------------------------------------


def canvas(*lines: GradeLine) -> list[dict[str, str]]:
    return read(canvas_csv(lines, ROSTER, "Homework 3"))


ROSTER = read_roster(CANVAS, "gradebook.csv")


def test_canvas_gets_its_columns_who_has_a_grade_and_the_line_of_points() -> None:
    """An empty cell would remove a mark that Canvas has."""
    found = canvas(line("doejane_12345", wrong(), roster=ROSTER), line("s2", unreadable(), roster=ROSTER))
    assert ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Homework 3 (98765)"] == list(found[0])
    assert ["    Points Possible", "Doe, Jane"] == [row["Student"] for row in found]
    assert ["10", "4.375"] == [row["Homework 3 (98765)"] for row in found]
    assert ("12345", "s1", "jdoe@uni.edu", "A") == tuple(found[1].values())[1:5]


def test_homework_of_unequal_worth_is_put_on_one_scale() -> None:
    roster = read_roster("name\nalice\nbob\n", "r.csv")
    lines = [line("alice", right(), roster=roster), line("bob", wrong("a"), wrong("b"), roster=roster)]
    found = read(canvas_csv(lines, roster, "t"))
    assert ["16", "16", "7"] == [row["t"] for row in found]
    assert ["16", "7"] == [row["Grade"] for row in read(moodle_csv(lines, roster, 3))]
    assert 16 == gradescope(lines[0], 3, Fraction(16))["score"]
    assert ["8", "7"] == [row["earned"] for row in read(grades_csv(lines))]


def test_an_assignment_that_canvas_does_not_know_is_a_new_column() -> None:
    lines = [line("doejane_12345", wrong(), roster=ROSTER)]
    assert ["8", "3.5"] == [row["Homework 4"] for row in read(canvas_csv(lines, ROSTER, "Homework 4"))]


def test_moodle_always_gets_grade_and_feedback_and_nobody_without() -> None:
    lines = [line("Jane Doe_12345", wrong(), participant="12345"), line("carl", unreadable())]
    (found,) = read(moodle_csv(lines, None, 3))
    assert {
        "Identifier": "Participant 12345", "Full name": "Jane Doe", "Email address": "", "Maximum Grade": "8",
        "Grade": "3.5", "Last modified (grade)": "",
    } == {name: text for name, text in found.items() if name != "Feedback comments"}  # fmt: skip
    assert (
        "3½ of 8 marks. In line 5: the first error; v3: angles are not in degrees here." == (found["Feedback comments"])
    )


def test_moodles_worksheet_keeps_its_columns() -> None:
    roster = read_roster(WORKSHEET, "worksheet.csv")
    (found,) = read(moodle_csv([line("Jane Doe_12345", right(), roster=roster, participant="12345")], roster, 3))
    assert WORKSHEET.splitlines()[0].split(",") == list(found)
    assert ("Participant 12345", "-", "100") == (found["Identifier"], found["Last modified (grade)"], found["Grade"])


@pytest.mark.parametrize("columns", LANGUAGES, ids=[columns.identifier for columns in LANGUAGES])
def test_moodles_worksheet_is_known_in_other_languages_and_stays_in_them(columns: WorksheetColumns) -> None:
    header = [*columns[:3], "Status", *columns[3:]]
    cells = ["Teilnehmer/in12345", "Jane Doe", "jane@uni.edu", "-", "", "10,00", "-", ""]
    roster = read_roster(";".join(header) + "\n" + ";".join(cells), "worksheet.csv")
    assert ("Jane Doe", "jane@uni.edu") == (roster.people[0].name, roster.people[0].email)
    one = line("Participant_12345", right(), roster=roster, participant="12345")
    assert [] == missing_in_gradebook("moodle", [one], roster)
    (found,) = read(moodle_csv([one], roster, 3))
    assert header == list(found)
    assert ("Teilnehmer/in12345", "-", "10") == (
        found[columns.identifier],
        found[columns.changed],
        found[columns.grade],
    )
    assert found[columns.feedback].startswith("8 of 8")


def test_feedback_for_moodle_is_no_markup() -> None:
    roster = read_roster(WORKSHEET, "worksheet.csv")
    marking = wrong()
    marks = (marking.marks[2]._replace(feedback="<img src=x>"),)
    lines = [line("Jane Doe_12345", marking._replace(marks=marks, first=0), roster=roster, participant="12345")]
    (found,) = read(moodle_csv(lines, roster, 3))
    assert "&lt;img src=x&gt;" in found["Feedback comments"]


# --- Gradescope and PrairieLearn --------------------------------------------------------------------------------------


def test_gradescope_gets_a_score_and_tests() -> None:
    found = gradescope(line("bob", wrong()), 3, Fraction(8))
    assert (3.5, "visible") == (found["score"], found["visibility"])
    problem, *rows = found["tests"]
    assert (3.5, 8, "failed", "1") == tuple(problem[name] for name in ("score", "max_score", "status", "number"))
    assert "↷ 7 | v5 = v4 - v3 = 10.613" in problem["output"]
    assert ("v3, line 5", "1.3", "failed") == (rows[2]["name"], rows[2]["number"], rows[2]["status"])
    assert "score" not in rows[2]
    assert found["score"] == sum(test.get("score", 0) for test in found["tests"])


def test_gradescope_needs_a_score_for_what_is_not_gradable() -> None:
    found = gradescope(line("carl", unreadable()), 3, Fraction(8))
    assert (0, [], "this is a photo: fill in a blank form: adcli template") == (
        found["score"], found["tests"], found["output"],
    )  # fmt: skip


def test_prairielearn_gets_a_share_and_costs_no_attempt_for_what_is_not_gradable() -> None:
    found = prairielearn(line("bob", wrong()), 3)
    assert (True, 0.4375, "3½ of 8 marks.") == (
        found["gradable"], found["score"], found["message"].partition(" In line 5")[0],
    )  # fmt: skip
    assert (3.5, 8) == (found["tests"][0]["points"], found["tests"][0]["max_points"])
    assert {"gradable": False, "format_errors": ["this is a photo: fill in a blank form: adcli template"]} == (
        prairielearn(line("carl", unreadable()), 3)
    )


@pytest.mark.parametrize("level", range(6))
def test_what_systems_show_students_obeys_the_level(level: int) -> None:
    one = line("bob", wrong())
    for told in (gradescope(one, level, Fraction(8)), prairielearn(one, level), moodle_csv([one], None, level)):
        text = json.dumps(told, ensure_ascii=False)
        assert (level >= 3) == ("degrees" in text)
        shown = [number for number in KEY_NUMBERS if number in text]
        assert level == 5 or [] == shown
    assert "3½ of 8" in feedback(one, level)
    assert (level >= 2) == ("v3" in feedback(one, level))


# --- the class --------------------------------------------------------------------------------------------------------


def a_class() -> list[GradeLine]:
    roster = read_roster("name\nNora None\n", "r.csv")
    lines = [line("alice", right()), line("bob", wrong()), line("carl", unreadable()), line("dora", wrong())]
    return [*lines, absent(roster.people[0])]


def test_the_statistics_of_a_class() -> None:
    found = statistics(a_class())
    assert {"right": 1, "wrong": 2, "not_gradable": 1, "no_submission": 1} == found.statuses
    assert (1 + 2 * Fraction(7, 16)) / 3 == found.mean
    assert Fraction(7, 16) == found.middle
    assert (0, 0, 0, 0, 2, 0, 0, 0, 0, 1) == found.tenths
    assert (("degrees", 2),) == found.slips
    first = found.rows[0]
    assert ("v3", 2, 2, 0, 0, 0) == (first.row, first.first, first.wrong, first.carried, first.missing, first.right)
    assert {"v3", "v5", "not readable", "x̄2"} == {row.row for row in found.rows}


def written(form: str, title: str, lines: list[GradeLine]) -> str:
    """The summary of a class as a document."""
    return find_format(form).document([summary(title, lines, statistics(lines))], "")


def test_nobody_graded_is_no_mean() -> None:
    found = statistics([line("carl", unreadable())])
    assert (None, None, ()) == (found.mean, found.middle, found.rows)
    assert "Students" in written("markdown", "t", [])


def test_the_summary_names_students_scores_rows_and_slips() -> None:
    lines = a_class()
    found = written("markdown", "Homework *3*", lines)
    assert found.startswith("# Homework \\*3\\*\n")
    assert re.search(r"\| degrees +\| +2 \| █+ +\|", found)
    assert re.search(r"\| Nora None \| not handed in", found)
    assert re.search(r"\| bob +\| wrong +\| 3½ of 8 \| v3 +\| degrees", found)
    assert [("degrees", "2")] == slips_table(statistics(lines)).rows


class _Cells(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.hidden = 0
        self.shown = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "rect"):
            self.open.append(tag)
        self.hidden += ("aria-hidden", "true") in attrs

    def handle_endtag(self, tag: str) -> None:
        if tag != "rect":
            assert tag == self.open.pop()

    def handle_data(self, data: str) -> None:
        self.shown += data


def test_the_page_is_well_formed_and_every_bar_has_its_number_beside_it() -> None:
    lines = a_class()
    cells = _Cells()
    cells.feed(written("html", "<b>Homework</b>", lines))
    assert [] == cells.open
    assert "<b>Homework</b>" in cells.shown
    assert "degrees2" in cells.shown
    assert 10 + 1 + 1 == cells.hidden  # tenths, slips, rows with first errors


def test_the_same_class_gives_the_same_texts() -> None:
    def texts() -> list[Any]:
        lines = a_class()
        return [grades_csv(lines), *(written(form, "t", lines) for form in DOCUMENTS)]

    assert texts() == texts()


# --- whose problems ---------------------------------------------------------------------------------------------------


def test_without_a_class_list_names_are_those_of_the_key() -> None:
    key = Key("Homework", (), called={"s1": ("Jane Doe", "jdoe@uni.edu")})
    people = with_names_of_key({"a": PersonMatch(None), "b": PersonMatch(None)}, {"a": "s1", "b": "b"}, key)
    assert people["b"].person is None and people["a"].person is not None
    assert (people["a"].person.name, people["a"].person.email) == ("Jane Doe", "jdoe@uni.edu")


def test_own_problems_are_found_by_any_name_that_a_student_has() -> None:
    one, other = graded("doejane_12345", right()).submission._replace(aliases=("12345",)), graded("bob", right())
    submissions = [one, other.submission]
    people = people_of(submissions, ROSTER)
    task = right().task
    for name in ("doejane_12345", "12345", "s1", "jdoe@uni.edu"):
        key = Key("t", (task,), students={name: (task,)})
        assert {"doejane_12345": name, "bob": "bob"} == names_in_key(submissions, people, key)


def test_formats_are_spelled_as_on_the_command_line() -> None:
    from adcli.cli.commands.grade import SYSTEMS

    assert all(callable(getattr(gradebooks, name, None) or getattr(gradebooks, f"{name}_csv")) for name in SYSTEMS)
