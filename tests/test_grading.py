"""`adcli grade`: a class graded by workers, whatever is handed in, with the same files whenever it runs."""

from __future__ import annotations

import csv
import io
import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import time
import zipfile
from collections import deque
from hashlib import shake_256
from html.parser import HTMLParser
from pathlib import Path

import crashing
import pytest
from running import Run, environment, run

from adcli.classroom.pool import Job, NoResult, results
from adcli.cli.commands.grade import with_progress_bar
from adcli.cli.stream import Stream
from adcli.errors import RequestError

KEY = """\
title = "Homework 3"
[[problem]]
label = "1"
text = "log(x1)+x1*x2-sin(x2) @ x1=2, x2=5"
mode = "reverse"
points = 10
"""
RIGHT = """\
v1 = log(x1) = 0.693
v2 = x1*x2 = 10
v3 = sin(x2) = -0.959
v4 = v1 + v2 = 10.693
v5 = v4 - v3 = 11.652
v5bar = 1
v4bar = v5bar*1 = 1
v3bar = v5bar*(-1) = -1
v2bar = v4bar = 1
v1bar = v4bar = 1
x1bar = v1bar/x1 + v2bar*x2 = 5.5
x2bar = v2bar*x1 + v3bar*cos(x2) = 1.716
"""
DEGREES = RIGHT.replace("-0.959", "0.087").replace("11.652", "10.606")
PROSE = "Dear teacher,\nI was ill.\n"
CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section
    Points Possible,,,,
"Doe, Jane",12345,s1,jdoe@uni.edu,A
"Roe, Rick",23456,s2,alice,A
"""


class Course:
    """A folder with a key, submissions and grades."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.submissions, self.grades = folder, folder / "submissions", folder / "grades"
        self.key = folder / "hw.toml"
        self.key.write_text(KEY, encoding="utf-8")
        self.submissions.mkdir()

    def hand_in(self, **answers: str | bytes) -> Course:
        for student, answer in answers.items():
            path = self.submissions / f"{student}.txt"
            path.write_bytes(answer.encode() if isinstance(answer, str) else answer)
        return self

    def grade(self, *argv: str, submissions: Path | None = None) -> Run:
        where = str(submissions or self.submissions)
        return run("grade", where, "--key", str(self.key), "-o", str(self.grades), "--workers", "2", *argv)

    def lines(self) -> dict[str, dict[str, str]]:
        text = (self.grades / "grades.csv").read_text(encoding="utf-8")
        return {line["student"]: line for line in csv.DictReader(io.StringIO(text))}

    def files(self, folder: Path | None = None) -> dict[str, bytes]:
        root = folder or self.grades
        return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return Course(tmp_path)


# --- a class ----------------------------------------------------------------------------------------------------------


def test_everybody_gets_a_report_and_a_line(course: Course) -> None:
    result = course.hand_in(alice=RIGHT, bob=DEGREES, carl=PROSE).grade()
    assert 4 == result.code
    assert {
        "reports/alice.md", "reports/alice.html", "reports/bob.md", "reports/bob.html", "reports/carl.md",
        "reports/carl.html", "grades.csv", "review.csv", "summary.md", "summary.html",
        ".state/alice.json", ".state/bob.json", ".state/carl.json", ".state/written", ".state/grades.csv",
    } == set(course.files())  # fmt: skip
    lines = course.lines()
    assert ["right", "wrong", "not_gradable"] == [lines[name]["status"] for name in ("alice", "bob", "carl")]
    assert ("10", "v3", "degrees") == (lines["alice"]["earned"], lines["bob"]["first_error"], lines["bob"]["slip"])
    assert "calculator" in course.files()["reports/bob.md"].decode()
    assert re.search(r"^right +1\nwrong +1\nnot gradable +1\n", result.out, re.MULTILINE)
    assert re.search(r"^degrees +1$", result.out, re.MULTILINE)
    assert "note: carl.txt could not be graded: there is no row" in result.err


@pytest.mark.slow
def test_the_exit_code_is_the_highest(course: Course) -> None:
    assert 0 == course.hand_in(alice=RIGHT).grade().code
    assert 1 == course.hand_in(bob=DEGREES).grade().code
    assert 4 == course.hand_in(carl=PROSE).grade().code


def test_the_gradable_file_counts_and_the_newest_of_several(course: Course) -> None:
    for name, text in (("hw1.txt", DEGREES), ("hw2.txt", RIGHT), ("hw10.txt", PROSE)):
        (course.submissions / "alice").mkdir(exist_ok=True)
        (course.submissions / "alice" / name).write_text(text, encoding="utf-8")
    result = course.grade()
    assert ("alice/hw2.txt", "right") == (course.lines()["alice"]["file"], course.lines()["alice"]["status"])
    assert "note: alice has 3 files, and alice/hw2.txt counts" in result.err


@pytest.mark.slow
def test_an_archive_gives_what_the_folder_gives(course: Course) -> None:
    course.hand_in(alice=RIGHT, bob=DEGREES, carl=PROSE).grade()
    before = course.files()
    path = course.folder / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for file in course.submissions.iterdir():
            archive.write(file, f"all/{file.name}")
    course.grade("--restart", submissions=path)
    assert before == course.files()


def test_own_problems_follow_the_class_list(course: Course) -> None:
    own = '[[student."jdoe@uni.edu".problem]]\ntext = "x^2 + 2 @ x=3"\nmode = "value"\n'
    course.key.write_text(KEY + own, encoding="utf-8")
    (course.folder / "roster.csv").write_text(CANVAS, encoding="utf-8")
    course.hand_in(doejane_12345_99_hw1="a = x^2 = 9\ny = a + 2 = 11\n", alice=RIGHT)
    assert 0 == course.grade("--roster", str(course.folder / "roster.csv")).code


def test_a_student_without_problems_is_told_and_the_rest_goes_on(course: Course) -> None:
    course.key.write_text('[[student.alice.problem]]\ntext = "x^2 @ x=3"\nmode = "value"\n', encoding="utf-8")
    result = course.hand_in(alice="y = x^2 = 9", bob=RIGHT).grade()
    assert ("right", "not_gradable") == (course.lines()["alice"]["status"], course.lines()["bob"]["status"])
    assert "the key file has no problem for the student bob" in result.err


def test_the_class_list_tells_who_is_missing_and_who_is_unknown(course: Course) -> None:
    (course.folder / "roster.csv").write_text(CANVAS, encoding="utf-8")
    course.hand_in(doejane_12345_99_hw1=RIGHT, zoe=RIGHT)
    argv = [word for name in ("canvas", "moodle", "gradescope", "prairielearn") for word in ("--for", name)]
    result = course.grade("--roster", str(course.folder / "roster.csv"), *argv)
    assert "no_submission" == course.lines()["Roe, Rick"]["status"]
    assert "note: zoe is not in the class list" in result.err
    files = course.files()
    canvas = list(csv.DictReader(io.StringIO(files["canvas.csv"].decode())))
    assert ["10", "10"] == [line["Homework 3"] for line in canvas]
    assert b"doejane" not in files["canvas.csv"]
    assert "Doe, Jane" in files["moodle.csv"].decode()
    assert 10 == json.loads(files["gradescope/results/doejane_12345.json"])["score"]
    assert 1 == json.loads(files["prairielearn/results/doejane_12345.json"])["score"]


def test_two_submissions_of_one_person_are_told(course: Course) -> None:
    (course.folder / "roster.csv").write_text(CANVAS, encoding="utf-8")
    course.hand_in(doejane_12345_99_hw1=RIGHT, jdoe=DEGREES)
    result = course.grade("--roster", str(course.folder / "roster.csv"), "--for", "canvas")
    assert "note: doejane_12345 is one of 2 submissions of Doe, Jane" in result.err
    assert ["right", "wrong"] == [course.lines()[student]["status"] for student in ("doejane_12345", "jdoe")]


# --- again ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_second_run_gives_the_same_bytes_and_marks_nothing_again(course: Course) -> None:
    course.hand_in(alice=RIGHT, bob=DEGREES, carl=PROSE).grade()
    before = course.files()
    stamps = {path: path.stat().st_mtime_ns for path in (course.grades / ".state").iterdir()}
    course.grade()
    assert before == course.files()
    assert stamps == {path: path.stat().st_mtime_ns for path in (course.grades / ".state").iterdir()}
    course.grade("--restart", "--workers", "1")
    assert before == course.files()
    assert stamps != {path: path.stat().st_mtime_ns for path in (course.grades / ".state").iterdir()}


@pytest.mark.slow
def test_what_changed_is_marked_again(course: Course) -> None:
    course.hand_in(alice=DEGREES, bob=DEGREES).grade()
    course.hand_in(alice=RIGHT).grade()
    assert ("right", "wrong") == (course.lines()["alice"]["status"], course.lines()["bob"]["status"])
    course.key.write_text(KEY.replace("points = 10", "points = 20"), encoding="utf-8")
    course.grade()
    assert "20" == course.lines()["bob"]["possible"]


@pytest.mark.slow
def test_a_damaged_memory_is_as_good_as_none(course: Course) -> None:
    states = ["", "{", "[]", "null", '{"digest": 1}', "[" * 100_000]
    course.hand_in(**{f"s{k}": f"{RIGHT}# {k}" for k, _ in enumerate(states)}).grade()
    before = course.files()
    for k, state in enumerate(states):
        (course.grades / ".state" / f"s{k}.json").write_text(state, encoding="utf-8")
    assert 0 == course.grade().code
    assert before == course.files()


@pytest.mark.slow
def test_a_run_that_was_interrupted_goes_on(course: Course) -> None:
    course.hand_in(**{f"s{k}": RIGHT.replace("0.693", f"0.69{k % 10}") for k in range(30)})
    argv = ["grade", str(course.submissions), "--key", str(course.key), "-o", str(course.grades), "--workers", "1"]
    with subprocess.Popen(
        [sys.executable, "-m", "adcli", *argv], env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        state = course.grades / ".state"
        deadline = time.monotonic() + 30
        while len(list(state.glob("*.json")) if state.is_dir() else []) < 5 and time.monotonic() < deadline:
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=30)
        assert (130, b"") == (child.returncode, err)
    done = {path: path.stat().st_mtime_ns for path in state.glob("s*.json")}
    assert 5 <= len(done) < 30
    course.grade()
    assert done == {path: path.stat().st_mtime_ns for path in done}
    assert 30 == len(course.lines())
    whole = course.files()
    course.grade("--restart")
    assert whole == course.files()


# --- leaks ------------------------------------------------------------------------------------------------------------


class _Text(HTMLParser):
    """The text of a page, without its style and the places of its bars."""

    def __init__(self) -> None:
        super().__init__()
        self.text, self.style = "", False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.style = tag == "style"

    def handle_data(self, data: str) -> None:
        self.text += "" if self.style else f" {data}"


def canaries() -> list[str]:
    """The numbers of the key as any artefact might write them, cut so that more digits are found, too."""
    found = run("eval", "log(x1)+x1*x2-sin(x2)", "--at", "x1=2,x2=5", "--format", "json").out
    nodes = json.loads(found)["nodes"]
    numbers = [node["value"] for node in nodes] + [x for node in nodes for x in node["bar"].values()]
    return sorted({f"{abs(x):.3f}"[:-1] for x in numbers if x != round(x)})


@pytest.mark.parametrize("level", range(6))
def test_numbers_of_the_key_are_in_no_artefact_below_level_5(course: Course, level: int) -> None:
    wrong = "a = log(x1) = 3.1\nb = x1*x2 = 12\nc = sin(x2) = 0.4\nd = a+b = 9\ny = d-c = 77\nybar = 1\nx2bar = 8.8\n"
    course.hand_in(alice=wrong, bob="v1 = log(x1) =\nv2 = ????\n", carl=PROSE)
    argv = [word for name in ("moodle", "gradescope", "prairielearn") for word in ("--for", name)]
    result = course.grade("--disclose", str(level), *argv)
    texts = {"stdout": result.out, "stderr": result.err}
    for name, data in course.files().items():
        text = data.decode()
        if name.endswith(".html"):
            page = _Text()
            page.feed(text)
            text = page.text
        texts[name] = name + re.sub(r'"digest": "\w+"', "", text)
    assert len(canaries()) >= 5
    leaks = {(name, number) for name, text in texts.items() for number in canaries() if number in text}
    if level < 5:
        assert set() == leaks
    else:
        assert {"reports/alice.md", "reports/alice.html", "gradescope/results/alice.json"} <= {n for n, _ in leaks}
        assert set() == leaks & {("grades.csv", number) for number in canaries()}


# --- hostile submissions ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_one_bad_file_never_stops_the_run(course: Course) -> None:
    noise = shake_256(b"noise").digest(5_000)
    course.hand_in(
        a=RIGHT, b=noise, c="(" * 200_000, d="v1 = 9^9^9^9^9 = 1\n" * 500, e="=" * 100_000, g=b"PK\x03\x04" + noise,
        f=b"\x89PNG\r\n\x1a\n" + noise, h="v1 = \x1b[31m<script>alert(1)</script> = 1", j="{" * 100_000, k="",
        i=b"\xff\xfe" + RIGHT.encode("utf-16-le"),
    )  # fmt: skip
    with (course.submissions / "z.txt").open("wb") as stream:
        stream.truncate(100 * 2**20)
    result = course.grade()
    assert 4 == result.code
    assert set("abcdefghijkz") == set(course.lines())
    assert "right" == course.lines()["a"]["status"]
    assert "made a mistake" not in result.err
    assert "note: z.txt could not be graded: the answer is too large" in result.err
    for name, data in course.files().items():
        assert b"\x1b" not in data, name
        assert b"<script>" not in data or name.endswith(".json"), name


def test_hostile_names_stay_inside_the_folder(course: Course) -> None:
    path = course.folder / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("../evil", "/evil", "=cmd()", "<b>", "CON", "\x1b[31m", "a" * 200):
            archive.writestr(f"{name}.txt", DEGREES)
    before = set(course.files(course.folder))
    result = course.grade(submissions=path)
    assert 4 == result.code
    assert "note: ../evil.txt is left out: its path leads outside the archive" in result.err
    assert "\x1b" not in result.err + result.out
    new = set(course.files(course.folder)) - before
    assert all(name.startswith("grades/") for name in new)
    assert 5 == len([name for name in new if name.endswith(".md") and "reports" in name])
    assert "'=cmd()" in course.lines()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere all names of files are text")
def test_a_name_that_is_no_text_is_no_end_of_the_run(course: Course) -> None:
    course.hand_in(alice=RIGHT)
    with open(os.fsencode(course.submissions) + b"/b\xff\xfeb.txt", "w", encoding="utf-8") as stream:
        stream.write(DEGREES)
    argv = [word for name in ("moodle", "gradescope", "prairielearn") for word in ("--for", name)]
    assert 1 == course.grade(*argv).code
    assert 2 == len(course.lines())
    assert all(data.decode("utf-8") for data in course.files().values())


def test_grades_inside_the_submissions_are_not_graded(course: Course) -> None:
    course.hand_in(alice=RIGHT)
    course.grades = course.submissions / "grades"
    for _ in range(2):
        course.grade()
        assert ["alice"] == list(course.lines())


# --- requests ---------------------------------------------------------------------------------------------------------


def test_requests_that_cannot_be_met(course: Course) -> None:
    course.hand_in(alice=RIGHT)
    assert 2 == run("grade", str(course.submissions)).code
    assert 2 == course.grade("--for", "canvas").code
    assert 2 == course.grade(submissions=course.folder / "missing").code
    assert 2 == course.grade("--roster", str(course.key)).code
    empty = course.folder / "empty"
    empty.mkdir()
    assert 2 == course.grade(submissions=empty).code
    course.grades.write_text("a file", encoding="utf-8")
    assert 2 == course.grade().code


class _Told(Stream):
    """A stream that keeps what it shows of the progress."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[tuple[str, bool]] = []

    def progress(self, text: str, elsewhere: bool = False) -> None:
        self.told.append((text, elsewhere))


def test_a_bar_says_how_far_it_is() -> None:
    stream = _Told()
    assert [1, 2, 3] == list(with_progress_bar(stream, iter([1, 2, 3]), 3))
    assert [(f"[{'#' * 10 * k}{'.' * (30 - 10 * k)}] {k} of 3 graded", True) for k in (1, 2, 3)] == stream.told


@pytest.mark.parametrize(("out", "err", "shown"), [(True, True, True), (False, True, True), (True, False, False)])
def test_the_bar_is_for_terminals_alone(out: bool, err: bool, shown: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    class Page(io.StringIO):
        def __init__(self, is_terminal: bool) -> None:
            super().__init__()
            self.isatty = lambda: is_terminal  # type: ignore[method-assign]

    monkeypatch.setattr(sys, "stdout", Page(out))
    monkeypatch.setattr(sys, "stderr", said := Page(err))
    monkeypatch.setattr(time, "monotonic", iter([0.0, 5.0]).__next__)
    Stream().progress("half", elsewhere=True)
    assert ("half" in said.getvalue()) == shown


# --- workers ----------------------------------------------------------------------------------------------------------


def pooled(*answers: bytes, seconds: float = 10.0, workers: int = 2) -> dict[str, object]:
    queue = deque(Job(f"s{k}", "x.txt", answer) for k, answer in enumerate(answers))
    return {job.student: result for job, result in results(queue, workers, seconds, crashing.serve, {"a": 1})}


def test_a_worker_that_dies_is_replaced_and_only_its_answer_is_lost() -> None:
    found = pooled(b"die", b"one", b"die", b"two", b"three")
    assert [NoResult(slow=False)] * 2 == [found["s0"], found["s2"]]
    assert ["s4", "x.txt", "three", '{"a": 1}'] == found["s4"]
    assert 5 == len(found)


@pytest.mark.slow
def test_an_answer_that_takes_too_long_is_given_up() -> None:
    started = time.monotonic()
    found = pooled(b"sleep", b"one", b"two", seconds=0.5)
    assert NoResult(slow=True) == found["s0"]
    assert found["s1"] == ["s1", "x.txt", "one", '{"a": 1}']
    assert time.monotonic() - started < 20


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of a process so")
def test_a_worker_has_only_so_much_memory() -> None:
    assert ["too much"] == pooled(b"memory")["s0"]


def test_workers_that_do_not_start_are_an_error_and_no_hang() -> None:
    with pytest.raises(RequestError, match="does not start"):
        list(results(deque([Job("s", "x", b"")]), 1, 5.0, crashing.never, {}))


def test_no_worker_is_left_behind() -> None:
    work = results(deque([Job(f"s{k}", "x", b"one") for k in range(9)]), 2, 5.0, crashing.serve, {})
    next(work)
    children = multiprocessing.active_children()
    work.close()
    assert children
    assert not [child for child in children if os.path.exists(f"/proc/{child.pid}")]


# --- formulas ---------------------------------------------------------------------------------------------------------

FORMULAS = """\
title = "Derivatives"
[[problem]]
text = "sin(x^2)"
points = 4
[[problem]]
text = "x^2*exp(x)"
points = 4
[[problem]]
text = "x^2*y + sin(y)"
points = 6
"""
OF_STUDENTS = {
    "ada": ("1.\nf'(x) = 2x cos(x^2)\n\n2.\nf'(x) = x e^x (2 + x)\n\n3.\nf_x = 2xy\nf_y = x^2 + cos y\n", "14"),
    "ben": ("f'(x) = cos(x^2)\n\ny' = e^x(x^2+2x)\n\n∇f = (2xy, x^2 + cos y)\n", "10"),
    "cem": ("Exercise 3:\nf_x = 2xy\n\nExercise 1:\n$f'(x)=2x\\cos(x^2)$\n", "7"),
    "dan": ("I could not do this\n", ""),
}


def test_a_homework_of_formulas_is_graded_whatever_the_order_and_the_headings(tmp_path: Path) -> None:
    folder = tmp_path / "answers"
    folder.mkdir()
    (tmp_path / "key.toml").write_text(FORMULAS, encoding="utf-8")
    for student, (text, _) in OF_STUDENTS.items():
        (folder / f"{student}.txt").write_text(text, encoding="utf-8")
    done = run("grade", str(folder), "--key", str(tmp_path / "key.toml"), "-o", str(tmp_path / "out"))
    assert done.code == 4  # of one student there is nothing to grade
    with (tmp_path / "out" / "grades.csv").open(encoding="utf-8") as stream:
        grades = {row["student"]: row["earned"] for row in csv.DictReader(stream)}
    assert {student: earned for student, (_, earned) in OF_STUDENTS.items()} == grades
    report = (tmp_path / "out" / "reports" / "ben.md").read_text(encoding="utf-8")
    assert "**Total: 10 of 14**" in report
    assert "chain rule: one of the derivatives" in report
