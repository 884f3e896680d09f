"""Overrides: marks and comments by hand are in every file and survive changes of key and answers."""

from __future__ import annotations

import csv
import io
import json
import random
from fractions import Fraction
from pathlib import Path

import pytest
from drawn import usually
from running import Run, run

from adcli.classroom.overrides import read_overrides, with_more
from adcli.errors import RequestError

RIGHT = "f'(x) = 2x"
WRONG = "f'(x) = x"
KEY = """\
title = "Homework 3"
[[problem]]
label = "1"
text = "x^2"
{more}
[[problem]]
label = "2"
text = "log(x1)+x1*x2 @ x1=2, x2=5"
mode = "reverse"
"""
TWO = "Problem 2\nv1 = log(x1) = 0.693\nv2 = x1*x2 = 10\nv3 = v1+v2 = 10.693\nx1bar = 5.5\nx2bar = 2\n"
COLUMNS = "student,problem,quantity,mark,comment\n"


class Course:
    """A class whose answers, overrides and key may change between runs."""

    def __init__(self, folder: Path, count: int) -> None:
        self.folder, self.grades = folder, folder / "grades"
        self.students = [f"student{k:02}" for k in range(count)]
        (folder / "answers").mkdir(parents=True)
        for k, student in enumerate(self.students):
            self.hand_in(student, f"Problem 1\n{(RIGHT, WRONG)[k % 2]}\n{TWO}")
        roster = "Student,ID,SIS User ID,SIS Login ID,Section,Homework 3 (4711)\n    Points Possible,,,,,10\n"
        roster += "".join(f"Name {s},{100 + k},x{k},{s},A,\n" for k, s in enumerate(self.students))
        (folder / "roster.csv").write_text(roster, encoding="utf-8")
        self.set_key("")

    def hand_in(self, student: str, text: str | bytes) -> None:
        data = text if isinstance(text, bytes) else text.encode()
        (self.folder / "answers" / f"{student}.txt").write_bytes(data)

    def set_key(self, more: str) -> None:
        (self.folder / "key.toml").write_text(KEY.format(more=more), encoding="utf-8")

    def override(self, *lines: str) -> None:
        """Adds lines to overrides.csv, as a person would."""
        self.grades.mkdir(exist_ok=True)
        path = self.grades / "overrides.csv"
        before = path.read_text(encoding="utf-8") if path.exists() else COLUMNS
        path.write_text(before + "".join(f"{line}\n" for line in lines), encoding="utf-8")

    def edit(self, student: str, **cells: str) -> None:
        """Changes cells of grades.csv, as a spreadsheet would."""
        rows = self.rows()
        for row in rows:
            row.update(cells if row["student"] == student else {})
        out = io.StringIO()
        writer = csv.DictWriter(out, list(rows[0]), delimiter=";")
        writer.writeheader()
        writer.writerows(rows)
        (self.grades / "grades.csv").write_text("\ufeff" + out.getvalue(), encoding="utf-8")

    def grade(self, *options: str) -> Run:
        systems = [word for system in ("canvas", "moodle", "gradescope", "prairielearn") for word in ("--for", system)]
        folder = self.folder
        return run(
            "grade", str(folder / "answers"), "--key", str(folder / "key.toml"), "--roster", str(folder / "roster.csv"),
            "-o", str(self.grades), "--workers", "1", *systems, *options,
        )  # fmt: skip

    def rows(self, name: str = "grades.csv") -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO((self.grades / name).read_text(encoding="utf-8"))))

    def row(self, student: str) -> dict[str, str]:
        return next(row for row in self.rows() if row["student"] == student)

    def result(self, student: str) -> tuple[str, str, str]:
        row = self.row(student)
        return row["status"], row["earned"], row["comment"]

    def outcomes(self, student: str, name: str) -> tuple[list[Fraction], str]:
        """The marks of a student as fractions of the whole in all files, and all words that a student gets together."""
        row = self.row(student)
        possible = Fraction(row["possible"])
        canvas = next(r for r in self.rows("canvas.csv") if r["SIS Login ID"] == student)["Homework 3 (4711)"]
        moodle = next(r for r in self.rows("moodle.csv") if r["Full name"] == name)
        gradescope, prairielearn = (
            json.loads((self.grades / system / "results" / f"{student}.json").read_text(encoding="utf-8"))
            for system in ("gradescope", "prairielearn")
        )
        report = (self.grades / "reports" / f"{student}.md").read_text(encoding="utf-8")
        words = [moodle["Feedback comments"], gradescope["output"], prairielearn["message"], report, row["comment"]]
        marks = [
            Fraction(row["earned"]) / possible,
            Fraction(canvas) / 10,
            Fraction(moodle["Grade"]) / Fraction(moodle["Maximum Grade"]),
            Fraction(str(gradescope["score"])) / Fraction(moodle["Maximum Grade"]),
            Fraction(str(prairielearn["score"])),
        ]
        return marks, "\n@\n".join(words)


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return Course(tmp_path, 4)


def test_a_mark_by_hand_is_in_every_file(course: Course) -> None:
    for student in "student02", "student03":
        course.hand_in(student, b"\x89PNG\r\n\x1a\n a photo")
    assert "student03" not in str(course.grade().out)
    doubts = course.rows("review.csv")
    course.override("student03,,total,7.5,neatly drawn", "student01,1,dy/dx,1,half an idea", "student00,,,,well done")
    course.override("student02,,,,see me")
    assert 4 == course.grade().code
    assert [row for row in doubts if row["student"] == "student02"] == course.rows("review.csv")  # a comment only
    assert ("by_hand", "7.5", "neatly drawn") == course.result("student03")
    assert "dy/dx of problem 1: half an idea" == course.row("student01")["comment"]
    for student, said in ("student03", "neatly drawn"), ("student01", "half an idea"), ("student00", "well done"):
        marks, words = course.outcomes(student, f"Name {student}")
        assert all(abs(mark - marks[0]) < Fraction(1, 1000) for mark in marks)
        assert all(said in part for part in words.split("\n@\n"))


def test_a_student_whom_the_key_only_names_has_the_problems_for_all(course: Course) -> None:
    with (course.folder / "key.toml").open("a", encoding="utf-8") as key:
        key.write('[student.student00]\nemail = "s@uni.edu"\n')
    course.override("student00,1,dy/dx,1,seen in class")
    assert "not used" not in course.grade().err
    assert "by_hand" == course.row("student00")["status"]


def test_an_edit_of_the_gradebook_is_an_override_and_nobody_elses_marks_freeze(course: Course) -> None:
    course.grade()
    course.edit("student01", earned="5,5", comment="seen in class")
    course.hand_in("student02", f"Problem 1\n{WRONG}\n{TWO}")
    result = course.grade()
    assert "grades.csv was changed for student01" in result.err
    assert ("by_hand", "5.5", "seen in class") == course.result("student01")
    assert "wrong" == course.row("student02")["status"]
    assert "student01,,total,5.5,seen in class" in (course.grades / "overrides.csv").read_text(encoding="utf-8")
    kept = {path: path.read_bytes() for path in course.grades.rglob("*") if path.is_file()}
    assert "was changed" not in course.grade().err
    assert kept == {path: path.read_bytes() for path in course.grades.rglob("*") if path.is_file()}


def test_what_overrides_cannot_hold_is_kept_beside(course: Course) -> None:
    course.grade()
    course.edit("student01", status="right")
    assert "status of student01, which overrides cannot contain: see grades.edited.csv" in course.grade().err
    assert "right" in (course.grades / "grades.edited.csv").read_text(encoding="utf-8")


def test_an_override_that_fits_nothing_is_reported(course: Course) -> None:
    course.override("student00,9,total,1,", "student00,2,x9bar,1,", "paula,,total,4,on paper", "student01,,total,x,")
    course.override(
        "student01,1,f'(x),1.5,as in the report",
        "student03,2,v1,99,",
        "student03,2,v1,1,",
        "student03,2,x1bar,99,bonus",
        "student02,1,,3,",
    )
    assert "x is not a mark on line 5" in course.grade().err
    text = (course.grades / "overrides.csv").read_text(encoding="utf-8").replace("student01,,total,x,\n", "")
    (course.grades / "overrides.csv").write_text(text, encoding="utf-8")
    result = course.grade()
    assert 4 == result.code
    assert (
        "is not used: there is no problem 9" in result.err
        and "there is no quantity x9bar; its quantities are v1," in result.err
    )
    assert ("by_hand", "4", "on paper") == course.result("paula")
    assert "f'(x) of problem 1: as in the report" == course.row("student01")["comment"]
    above = [line.partition("override of ")[2] for line in result.err.splitlines() if line.endswith("kept as a bonus")]
    end = ": it is kept as a bonus"
    assert [
        f"problem 1 for student02 gives 3, above the maximum 2{end}",
        f"x1bar of problem 2 for student03 gives 99, above the maximum 2{end}",
    ] == sorted(above)
    assert {"override that is not used"} <= {row["reason"] for row in course.rows("review.csv")}


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_no_mark_or_comment_of_a_person_is_lost(tmp_path: Path, seed: int) -> None:
    source = random.Random(seed)  # noqa: S311
    course = Course(tmp_path, 6)
    course.grade()
    totals: dict[str, Fraction] = {}
    said: dict[str, set[str]] = {}
    for step in range(usually(12, thoroughly=20)):
        student = source.choice(course.students)
        mark, comment = Fraction(source.randrange(0, 13), 2), f"comment {step}"
        match source.choice(["edit", "edit comment", "override", "comment", "rerun", "key", "answer", "restart"]):
            case "edit":
                course.edit(student, earned=f"{float(mark):g}")
                totals[student] = mark
            case "edit comment":
                before = course.row(student)["comment"]
                course.edit(student, comment=f"{before}; {comment}" if before else comment)
                said.setdefault(student, set()).add(comment)
            case "override":
                course.override(f'{student},,{source.choice(["total", ""])},{float(mark):g},"{comment}, really"')
                totals[student] = mark
                said.setdefault(student, set()).add(f"{comment}, really")
            case "comment":
                course.override(f"{student},2,x1bar,,{comment}")
                said.setdefault(student, set()).add(comment)
            case "key":
                course.set_key(source.choice(["points = 4", "", 'wrt = ["x"]']))
            case "answer":
                course.hand_in(student, f"Problem 1\n{source.choice([RIGHT, WRONG])}\n{TWO}")
            case "restart":
                course.grade("--restart")
        if source.random() < 0.7:
            course.grade()
    course.grade()
    assert set(totals) <= {row["student"] for row in course.rows() if row["status"] == "by_hand"}
    for student in course.students:
        marks, words = course.outcomes(student, f"Name {student}")
        assert all(abs(mark - marks[0]) < Fraction(1, 1000) for mark in marks), student
        if student in totals:
            assert totals[student] == Fraction(course.row(student)["earned"]), student
        for comment in said.get(student, ()):
            assert all(comment in part for part in words.split("\n@\n")), (student, comment)


# --- what a person should look at -------------------------------------------------------------------------------------

INSTANCES = """\
[student.s1]
name = "Ann Adams"
email = "ann@uni.edu"
[[student.s1.problem]]
text = "x1*x2 + sin(x1) @ x1=2, x2=5"
[student.s2]
name = "Bob Braun"
email = "bob@uni.edu"
[[student.s2.problem]]
text = "log(x1)*x2 + x1 @ x1=3, x2=4"
[[student.s3.problem]]
text = "x^2"
"""
OF_ANN = "v1 = x1*x2 = 10\nv2 = sin(x1) = 0.909\ny = v1 + v2 = 10.909\ndy/dx1 = 4.584\ndy/dx2 = 2\n"


def test_keys_join_a_worksheet_of_moodle_by_name_or_address_and_copies_are_seen(tmp_path: Path) -> None:
    (tmp_path / "key.toml").write_text(INSTANCES, encoding="utf-8")
    people = [(11, "Ann Adams", "ann@uni.edu"), (12, "Bob B.", "bob@uni.edu"), (13, "s3", "c@uni.edu")]
    sheet = "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Last modified (grade),Feedback comments\n"
    sheet += "".join(f"Participant {n},{name},{email},Submitted,,100,-,\n" for n, name, email in people)
    (tmp_path / "worksheet.csv").write_text(sheet, encoding="utf-8")
    for number, name, _ in people:
        folder = tmp_path / "answers" / f"{name}_{number}_assignsubmission_file"
        folder.mkdir(parents=True)
        (folder / "hw.txt").write_text("f' = 2*x + 1e-40*x" if number == 13 else OF_ANN, encoding="utf-8")
    grades = tmp_path / "grades"
    run(
        "grade", str(tmp_path / "answers"), "--key", str(tmp_path / "key.toml"), "--roster",
        str(tmp_path / "worksheet.csv"), "-o", str(grades), "--workers", "1",
    )  # fmt: skip
    rows = list(csv.DictReader(io.StringIO((grades / "grades.csv").read_text(encoding="utf-8"))))
    assert [("Participant 11", "right"), ("Participant 12", "wrong"), ("Participant 13", "not_gradable")] == [
        (row["Identifier"], row["status"]) for row in rows
    ]
    found = list(csv.reader(io.StringIO((grades / "review.csv").read_text(encoding="utf-8"))))
    assert ["Bob B._12", "", "problems of another student", "s1"] in found
    assert ["Bob B._12", "", "identical answers", "Ann Adams_11"] in found
    assert ["s3_13", "", "undecided formula"] in [row[:3] for row in found]


def test_a_new_column_of_canvas_is_never_silent(course: Course) -> None:
    assert "new assignment" not in course.grade().err
    assert "new assignment called Final; if it is one of Homework 3 (4711)" in course.grade("--assignment", "Final").err
    assert "new assignment" not in course.grade("--assignment", "4711").err


def test_rows_beyond_the_header_and_empty_lines_keep_their_place() -> None:
    assert "a,1,,,,extra" == with_more("student,mark\na,1,extra\n", [], str).splitlines()[1]
    with pytest.raises(RequestError, match="line 5 of"):
        read_overrides("student,mark\na,1\n\n\nb,x\n", "overrides.csv")
    with pytest.raises(RequestError, match="is not a table of marks"):
        read_overrides(f"student,mark\na,{'1' * 140_000}\n", "overrides.csv")
