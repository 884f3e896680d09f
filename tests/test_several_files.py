"""Several files of one student: versions, a file for each problem, what cannot be read; and what people change."""

from __future__ import annotations

import csv
import io
import os
import zipfile
from pathlib import Path

import pytest
from running import Run, run

from adcli.classroom.archives import File
from adcli.classroom.several_files import subjects, versions
from adcli.classroom.system_downloads import Submitter, read_metadata
from adcli.marking.task import task_of

KEY = """\
title = "Homework"
[[problem]]
label = "1"
text = "x1*x2 @ x1=2, x2=5"
mode = "reverse"
[[problem]]
label = "2"
text = "sin(x1)*x2 @ x1=1, x2=2"
mode = "reverse"
"""
FIRST = "v1 = x1*x2 = 10\nv1bar = 1\nx1bar = x2 = 5\nx2bar = x1 = 2\n"
SECOND = (
    "v1 = sin(x1) = 0.841\nv2 = v1*x2 = 1.683\nv2bar = 1\nv1bar = x2 = 2\nx2bar = v1 = 0.841\n"
    "x1bar = v1bar*cos(x1) = 1.081\n"
)


def file(name: str, stamp: int = 0) -> File:
    return File(name, bytes, name, stamp)


def order(*names: str) -> list[list[str]]:
    return [[each.name for each in part] for part in versions([file(name) for name in names])]


@pytest.mark.parametrize(
    "names",
    [
        ("hw (2).txt", "hw (1).txt", "hw.txt"),
        ("hw_v10.txt", "hw_v2.txt", "hw.txt"),
        ("hw-2.txt", "hw-1.txt", "hw.txt"),
        ("hw final.txt", "hw v2.md", "HW.txt"),
        ("hw_final2.txt", "hw_final (1).txt", "hw_final.txt"),
        ("hw - Kopie (2).txt", "hw - Kopie.txt", "hw.txt"),
    ],
)
def test_the_latest_version_comes_first(names: tuple[str, ...]) -> None:
    assert [list(names)] == order(*reversed(names)) == order(*names)


def test_what_is_numbered_otherwise_is_parts() -> None:
    assert [["p2.txt"], ["p1.txt"]] == order("p1.txt", "p2.txt")
    assert [["hw_2.txt"], ["hw_1.txt"]] == order("hw_1.txt", "hw_2.txt")
    assert [["hw-2.txt"], ["hw-1.txt"]] == order("hw-1.txt", "hw-2.txt")
    assert [["(1).txt"], ["v2.txt"]] == sorted(order("(1).txt", "v2.txt"))


def test_a_system_says_by_its_numbers_which_file_is_the_latest() -> None:
    (part,) = versions([file("hw.txt", 7), file("hw.md", 9), file("hw.tex", 8)])
    assert ["hw.md", "hw.tex", "hw.txt"] == [each.name for each in part]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("p1.txt", "p2.txt"), [0, 1]),
        (("hw3_2.txt", "hw3_1.txt"), [1, 0]),
        (("Problem 2.md", "notes.md"), [1, None]),
        (("hw1.txt", "hw2.txt"), [0, 1]),
        (("hw3.txt", "notes.txt"), [None, None]),
        (("1a.txt", "1b.txt"), [None, None]),
        (("2.txt", "aufgabe-2.txt"), [None, None]),
    ],
)
def test_a_name_may_say_which_problem_a_file_is_about(names: tuple[str, ...], expected: list[int | None]) -> None:
    tasks = [task_of(f"{label}: x^2 @ x=3") for label in "12"]
    assert expected == subjects([[file(name)] for name in names], tasks)


# --- graded -----------------------------------------------------------------------------------------------------------


class Class:
    """A class with one key, graded as often as it takes."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.grades = folder, folder / "grades"
        (folder / "hw.toml").write_text(KEY, encoding="utf-8")

    def hand_in(self, **files: str | bytes) -> Class:
        for name, data in files.items():
            path = self.folder / "in" / name.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data.encode() if isinstance(data, str) else data)
        return self

    def grade(self, *argv: str) -> Run:
        where = ("--key", str(self.folder / "hw.toml"), "-o", str(self.grades), "--workers", "1")
        return run("grade", str(self.folder / "in"), *where, *argv)

    def line(self, student: str) -> dict[str, str]:
        text = (self.grades / "grades.csv").read_text(encoding="utf-8")
        return {line["student"]: line for line in csv.DictReader(io.StringIO(text))}[student]


@pytest.fixture
def class_(tmp_path: Path) -> Class:
    return Class(tmp_path)


@pytest.mark.parametrize(
    "names", [("p1.txt", "p2.txt"), ("hw1.txt", "hw2.txt"), ("a.txt", "b.txt"), ("b.txt", "a.txt")]
)
def test_a_file_for_each_problem_is_one_answer(names: tuple[str, str], class_: Class) -> None:
    class_.hand_in(**{f"ada__{names[0]}": FIRST, f"ada__{names[1]}": SECOND})
    result = class_.grade()
    line = class_.line("ada")
    assert ("right", line["possible"]) == (line["status"], line["earned"]), result.err
    assert set(names) == {name.removeprefix("ada/") for name in line["file"].split("; ")}
    assert "note: ada has 2 files" in result.err


def test_the_latest_version_stands_although_an_earlier_one_is_better(class_: Class) -> None:
    whole = f"Problem 1\n{FIRST}\nProblem 2\n{SECOND}"
    class_.hand_in(**{"ada__hw.txt": whole, "ada__hw (1).txt": whole.replace("0.841", "0.017")})
    result = class_.grade()
    assert "wrong" == class_.line("ada")["status"]
    assert "ada: of 2 versions the latest counts, ada/hw (1).txt" in result.err
    assert "of 2 versions the latest counts" in (class_.grades / "reports" / "ada.md").read_text(encoding="utf-8")


def test_where_the_latest_version_cannot_be_read_the_one_before_counts_and_both_are_told(class_: Class) -> None:
    class_.hand_in(
        **{"ada__hw.txt": f"Problem 1\n{FIRST}\nProblem 2\n{SECOND}", "ada__hw (1).txt": b"\xff\xd8\xff\xe0JFIF"}
    )
    result = class_.grade()
    assert "right" == class_.line("ada")["status"]
    assert "ada/hw.txt" in class_.line("ada")["file"]
    assert "ada: ada/hw (1).txt does not count: this is" in result.err


def test_a_photo_beside_an_answer_is_told_and_costs_nothing(class_: Class) -> None:
    class_.hand_in(
        **{"ada__hw.txt": f"Problem 1\n{FIRST}\nProblem 2\n{SECOND}", "ada__scan.jpg": b"\xff\xd8\xff\xe0JFIF"}
    )
    result = class_.grade()
    assert "right" == class_.line("ada")["status"]
    assert "ada/scan.jpg does not count" in result.err


def test_two_answers_to_one_problem_do_not_earn_the_better_of_two(class_: Class) -> None:
    """The one that says more counts, right or wrong; of equals the last."""
    class_.hand_in(**{"ada__a.txt": f"Problem 1\n{FIRST}", "ada__b.txt": f"Problem 1\n{FIRST.replace('= 5', '= 7')}"})
    result = class_.grade()
    assert "ada: problem 1 is answered in ada/b.txt, ada/a.txt: ada/b.txt counts" in result.err
    assert "x̄1" in class_.line("ada")["first_error"]


# --- archives of one student ------------------------------------------------------------------------------------------


def test_one_students_damaged_empty_or_monstrous_archive_is_told_and_the_rest_is_graded(class_: Class) -> None:
    many = io.BytesIO()
    with zipfile.ZipFile(many, "w") as archive:
        for k in range(3000):
            archive.writestr(f"{k}.txt", b"")
    empty = io.BytesIO()
    zipfile.ZipFile(empty, "w").close()
    class_.hand_in(
        **{
            "ada.txt": f"Problem 1\n{FIRST}\nProblem 2\n{SECOND}",
            "ben.zip": b"PK\3\4nonsense", "eve.zip": many.getvalue(), "flo.zip": empty.getvalue(),
        }
    )  # fmt: skip
    result = class_.grade()
    assert 4 == result.code
    assert ["right", "not_gradable", "not_gradable", "not_gradable"] == [
        class_.line(name)["status"] for name in ("ada", "ben", "eve", "flo")
    ]


# --- what people change -----------------------------------------------------------------------------------------------


def test_what_somebody_changed_is_kept_and_told_and_what_would_be_there_stands_beside_it(class_: Class) -> None:
    class_.hand_in(**{"ada.txt": f"Problem 1\n{FIRST}\nProblem 2\n{SECOND}", "ben.txt": FIRST})
    class_.grade()
    gradebook, report = class_.grades / "grades.csv", class_.grades / "reports" / "ada.md"
    summary = class_.grades / "summary.md"
    summary.write_text("by hand\n", encoding="utf-8")
    report.write_text("Well done!\n", encoding="utf-8")
    by_hand = gradebook.read_text(encoding="utf-8").replace("ben,ben", "ben,Ben, with a note")
    gradebook.write_text(by_hand, encoding="utf-8")
    assert "line 3, which overrides cannot contain: see grades.edited.csv" in class_.grade().err
    for _ in range(2):
        result = class_.grade()
        assert (
            "note: summary.md was changed after it was written: it is kept, and the new version is in summary.new.md"
            in result.err
        )
        assert ("by hand\n", "Well done!\n") == (
            summary.read_text(encoding="utf-8"),
            report.read_text(encoding="utf-8"),
        )
        assert "ada" in (class_.grades / "reports" / "ada.new.md").read_text(encoding="utf-8")
    assert by_hand == (class_.grades / "grades.edited.csv").read_text(encoding="utf-8")
    os.remove(summary)
    assert "summary" not in class_.grade().err
    assert summary.exists() and not (class_.grades / "summary.new.md").exists()


def test_what_stands_beside_a_changed_file_is_nobody_elses(class_: Class) -> None:
    class_.hand_in(**{"ada.txt": FIRST, "ada.new.txt": f"Problem 1\n{FIRST}\nProblem 2\n{SECOND}"})
    class_.grade()
    other = (class_.grades / "reports" / "ada.new.md").read_bytes()
    (class_.grades / "reports" / "ada.md").write_text("mine\n", encoding="utf-8")
    (class_.grades / "reports" / "ada.new2.md").write_text("mine, too\n", encoding="utf-8")
    assert "the new version is in reports/ada.new3.md" in class_.grade().err
    found = [(class_.grades / "reports" / f"ada{name}.md").read_bytes() for name in ("", ".new", ".new2")]
    assert [b"mine\n", other, b"mine, too\n"] == found


def test_files_that_are_not_of_this_program_are_kept(class_: Class) -> None:
    class_.hand_in(**{"ada.txt": FIRST})
    class_.grades.mkdir()
    (class_.grades / "grades.csv").write_text("mine\n", encoding="utf-8")
    class_.grade()
    assert "mine\n" == (class_.grades / "grades.csv").read_text(encoding="utf-8")


def test_what_the_program_wrote_itself_it_writes_anew(class_: Class) -> None:
    class_.hand_in(**{"ada.txt": FIRST})
    class_.grade()
    class_.hand_in(**{"ada.txt": f"Problem 1\n{FIRST}\nProblem 2\n{SECOND}"})
    result = class_.grade()
    assert "changed by somebody" not in result.err
    assert "right" == class_.line("ada")["status"]
    assert "changed by somebody" not in class_.grade("--restart").err


# --- Gradescope -------------------------------------------------------------------------------------------------------


def test_the_metadata_of_gradescope_is_read_whatever_its_quotes() -> None:
    text = (
        '---\nsubmission_1:\n  :submitters:\n  - :name: "Jos\\u00e9 \\"Pepe\\" S\\xE1"\n    :sid: 0012\n'
        "    :email: 'o''neill@uni.edu'\n  - :name: Zoë: the second\n    :sid:\n    :email: zoe@uni.edu\n"
        "  :created_at: 2026-01-01\n  :results:\n    :tests:\n    - :name: Not a person\n      :email: x@y\n"
        "'2.pdf':\n  :submitters:\n  - :name: Ann\n    :sid: ~\n"
    )
    assert {
        "submission_1": [
            Submitter('José "Pepe" Sá', "0012", "o'neill@uni.edu"),
            Submitter("Zoë: the second", "", "zoe@uni.edu"),
        ],
        "2.pdf": [Submitter("Ann", "", "")],
    } == read_metadata(text.encode)


@pytest.mark.parametrize(
    "text", ["", "\0", "a:\n  - b", ":\n::\n- :name: x", "x:\n :submitters:\n  - - -", "\ufeff---\n", "x" * 99]
)
def test_metadata_that_are_none_name_nobody(text: str) -> None:
    assert {} == read_metadata(text.encode)
