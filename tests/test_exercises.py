"""Exercises: that instances tell slips apart, that sheets give nothing away, and that a class gets its own."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from drawn import usually
from planting import slips_of_row
from running import environment, run

from adcli.answers.answer_model import Task
from adcli.classroom.exercise_patterns import LEVELS, Draws, draw_problem, seed_of
from adcli.classroom.exercise_sheet import statements
from adcli.classroom.homework import Key
from adcli.classroom.instances import flaw, instance
from adcli.classroom.key import read_key
from adcli.cli.commands.new import FORMATS
from adcli.errors import DomainProblem
from adcli.marking.assessing import assess
from adcli.marking.model import Rules
from adcli.marking.programs.array_reference import ArrayReference, array_quantities
from adcli.marking.task import task_of, task_text
from adcli.notation.number_text import Digits
from adcli.trace.request_choices import MODES
from adcli.trace.trace_model import Request, Trace
from adcli.trace.trace_program import trace

VIEWS = (Digits(places=3), Digits(significant=3))
SCALAR_LEVELS = [level for level in LEVELS if isinstance(level, int)]
CASES = [(level, mode, number) for level in SCALAR_LEVELS for mode in MODES for number in range(2)]


@cache
def made(level: int | str, mode: str, number: int = 0) -> Task:
    return instance(seed_of(b"a secret", number), level, mode)


def traced(task: Task, at: dict[str, float] | None = None) -> Trace:
    return trace(task.program, at or task.at, Request(task.mode or "both", task.wrt, kinks="error"))


def numbers(task: Task) -> Iterator[float]:
    """All numbers of the trace of a task: values, tangents, contributions, adjoints."""
    found = traced(task)
    for row in found.rows:
        yield from (row.value or 0.0, *row.dot.values(), *row.bar.values())
    yield from (step.value for step in found.steps)


def look_alike(a: float, b: float) -> bool:
    return any(view.show(a) == view.show(b) for view in VIEWS)


# --- instances -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("level", "mode", "number"), CASES)
def test_every_number_prints_well(level: int, mode: str, number: int) -> None:
    assert [] == [x for x in numbers(made(level, mode, number)) if x != 0 and not 0.05 <= abs(x) <= 100]


@pytest.mark.parametrize(("level", "mode", "number"), CASES)
def test_no_slip_gives_what_looks_like_the_truth(level: int, mode: str, number: int) -> None:
    plants = list(slips_of_row(made(level, mode, number), mode))
    assert plants
    assert [] == [plant for plant in plants if look_alike(plant.number, plant.truth)]


@pytest.mark.parametrize(("level", "mode", "number"), CASES)
def test_two_slips_of_a_row_look_alike_only_where_they_always_do(level: int, mode: str, number: int) -> None:
    task = made(level, mode, number)
    elsewhere = task._replace(at={name: x * factor for (name, x), factor in zip(task.at.items(), (0.97, 1.04))})  # noqa: B905
    there = {(plant.row, plant.slip): plant.number for plant in slips_of_row(elsewhere, mode)}
    rows: dict[str, list[tuple[str, float]]] = {}
    for plant in slips_of_row(task, mode):
        rows.setdefault(plant.row, []).append((plant.slip, plant.number))
    for row, slips in rows.items():
        for (first, a), (second, b) in combinations(slips, 2):
            if first != second and look_alike(a, b):
                assert pytest.approx(there[row, first], rel=1e-9) == there[row, second]


@pytest.mark.parametrize("level", SCALAR_LEVELS[1:])
def test_from_level_two_a_node_is_used_twice(level: int) -> None:
    for number in range(4):
        graph = made(level, "reverse", number).program.graph
        assert 1 < max(len(below) for slot, below in enumerate(graph.children()) if not graph.literal[slot])


@pytest.mark.slow
def test_each_level_keeps_its_promise() -> None:
    def operators(level: int) -> list[set[str]]:
        found = [traced(made(level, "reverse", number)) for number in range(8)]
        return [{row.operator for row in each.rows} - {"input"} for each in found]

    assert set.union(*operators(1)) <= {"add", "sub", "mul"}
    assert all(len(names & {"sin", "cos", "exp", "log", "sqrt"}) == 3 for names in operators(3))
    assert all(names & {"div", "pow"} for names in operators(4))
    assert [2] * 8 == [len(traced(made(5, "reverse", number)).outputs) for number in range(8)]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("level", SCALAR_LEVELS)
def test_every_pattern_has_instances(level: int, mode: str) -> None:
    """A pattern without any would be there in vain."""
    wanted = {shape(pattern) for pattern in LEVELS[level]}
    draws = Draws(seed_of(b"patterns", level, mode))
    for _ in range(3000):
        text, wrt = draw_problem(draws, level)
        if shape(text) not in wanted:
            continue
        try:
            task = task_of(text, mode=mode, wrt=(wrt,))
        except DomainProblem:
            continue
        if flaw(task, fans_out=level > 1) is None:
            wanted.discard(shape(text))
        if not wanted:
            break
    assert set() == wanted


def shape(text: str) -> str:
    """A problem with the pieces that are draw_problem left out."""
    text = re.sub(r"\{[fgh]\}|\b(?:sin|cos|exp|log|sqrt)\b", "F", text.partition(" @")[0])
    return re.sub(r"\{[abn]\}|(?<![\w.])\d", "N", text)


@pytest.mark.parametrize("number", range(6))
def test_an_exercise_with_matrices_has_short_numbers_and_is_marked(number: int) -> None:
    task = made("matrix", "reverse", number)
    reference = ArrayReference(task)
    quantities = [*array_quantities(task)]
    rows = {name: (reference.truth(kind, k), reference.blocks[k].shape) for name, _, kind, k, *_ in quantities}
    assert [] == [x for entries, _ in rows.values() for x in entries if 4 * x != round(4 * x) or abs(x) > 200]
    lines = [f"{name} = {np.array(entries).reshape(shape or ()).tolist()}" for name, (entries, shape) in rows.items()]
    again = task_of(task_text(task), mode="reverse", wrt=task.wrt)
    assert "right" == assess("\n".join(lines).encode(), "answer.txt", [again], Rules(numbers=True))[0].verdict


def test_a_sheet_typesets_matrices_as_reports_do_and_explains_their_functions() -> None:
    sheet = run("new", "--level", "matrix", "--seed", "3", "--count", "2", "--format", "latex").out
    assert sheet.count("\\begin{pmatrix}") == 6 and " = [" not in sheet.partition("How to write")[0]
    assert "sumsq(r) is the sum of the squares of the entries." in sheet


REJECTED = [
    ("sin(x1)*x2 @ x1=1.2, x2=1.4", "no node is used twice"),
    ("x1*x2 + x1 @ x1=20, x2=30", "a number does not print well"),
    ("x1*sin(x1) @ x1=3.14", "a number does not print well"),
    ("x1*x1*x2 @ x1=1.2, x2=1.2", "two rows have the same numbers"),
    ("x1*log(x1 - 1) @ x1=1.1", "the edge of the domain is near"),
    ("x1*asin(x1) @ x1=0.95", "the edge of the domain is near"),
    ("x2*cos(x1*x2) @ x1=3.2, x2=0.4", "a slip looks like the truth or like another slip"),
]


@pytest.mark.parametrize(("text", "reason"), REJECTED)
def test_a_problem_that_would_not_do_is_rejected_with_the_reason(text: str, reason: str) -> None:
    assert reason == flaw(task_of(text, mode="reverse"))


# --- seeds -----------------------------------------------------------------------------------------------------------


def test_draws_from_a_seed_are_the_same_on_every_machine() -> None:
    expected = {
        1: "(5*x1 - x2)*(x1 + 4*x2) @ x1=0.6, x2=0.8",
        2: "log(x1)*x2 + x1*sqrt(x2) @ x1=2, x2=2.7",
        3: "x2*sin(exp(x1 + sqrt(x2))) @ x1=4.6, x2=4.3",
        4: "(x1^3 + 3*x2)/(x1*x2) @ x1=1.5, x2=1.3",
        5: "y1 = x1*cos(x2); y2 = x2*log(x1) @ x1=3.2, x2=4.1",
    }
    assert expected == {level: draw_problem(Draws(seed_of(b"a secret", level)), level)[0] for level in SCALAR_LEVELS}


def test_draws_are_even() -> None:
    draws = Draws(b"seed")
    counts = [0] * 5
    for _ in range(5000):
        counts[draws.below(5)] += 1
    assert 850 < min(counts) <= max(counts) < 1150
    assert sorted("abcde") == sorted(draws.some("abcde", 5))


def test_secret_student_and_problem_each_make_another_seed() -> None:
    seeds = [seed_of(b"s", 1, "a"), seed_of(b"t", 1, "a"), seed_of(b"s", 2, "a"), seed_of(b"s", 1, "b"),
             seed_of(b"s", "1", "a"), seed_of(b"s", 1, "a", ""), seed_of(b"s", "1a")]  # fmt: skip
    assert len(seeds) == len(set(seeds))


# --- sheets and folders ----------------------------------------------------------------------------------------------

SHEETS = ("sheet.md", "sheet.tex", "sheet.html", "form.txt", "form.md")
NAMES = [
    ("../../etc/passwd", "Jane <script>alert(1)</script>"),
    ("con", "\\input{/etc/passwd} $x_1$ %"),
    ("=cmd|'/c calc'!A0", "[red]Bob[/red] \x1b[31m ![x](http://example.org) `a`"),
    ("a/b", "</title><b>"),
    ("A_b", "日本 Ñandú ✓ \u202ereversed"),
    ("plain", ""),
]  # fmt: skip


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class with hostile names, and what was made for it."""
    folder = tmp_path_factory.mktemp("course")
    lines = [f'"{who}";"{name}"' for who, name in NAMES]
    (folder / "class.csv").write_text("\ufeffSIS User ID;Student\n" + "\n".join(lines) + "\n", encoding="utf-8")
    (folder / "secret.txt").write_text("nobody knows this\n", encoding="utf-8")
    result = make(folder, "homework")
    assert (0, "") == (result.code, result.out), result.err
    return folder


def make(folder: Path, to: str, *more: str):  # type: ignore[no-untyped-def]
    levels = ("--level", "2", "--level", "5", "--mode", "both")
    students = ("--students", str(folder / "class.csv"), "--secret", str(folder / "secret.txt"))
    return run("new", *levels, *students, "-o", str(folder / to), *more)


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def key_of(folder: Path) -> Key:
    return read_key((folder / "key.toml").read_text(encoding="utf-8"))


def test_everybody_has_sheets_and_forms_in_a_folder_of_their_own(course: Path) -> None:
    found = files(course / "homework")
    folders = {name.split("/")[1] for name in found if name.startswith("students/")}
    assert len(NAMES) == len(folders) == len({name.casefold() for name in folders})
    assert {"key.toml"} | {f"students/{name}/{file}" for name in folders for file in SHEETS} == set(found)
    assert all(re.fullmatch(r"[\w@-][\w.@-]*", name, re.ASCII) for name in folders)
    assert not any(re.fullmatch(r"(?i)con|prn|aux|nul", name) for name in folders)
    assert ["class.csv", "homework", "secret.txt"] == sorted(path.name for path in course.iterdir())


def test_the_key_has_the_problems_of_everybody_and_all_are_different(course: Path) -> None:
    key = key_of(course / "homework")
    assert [who for who, _ in NAMES] == list(key.students)
    assert [2] * len(NAMES) == [len(tasks) for tasks in key.students.values()]
    texts = [task_text(task) for tasks in key.students.values() for task in tasks]
    assert len(texts) == len(set(texts))


def test_sheets_and_forms_hold_the_problems_of_their_student(course: Path) -> None:
    given = [data.decode() for name, data in files(course / "homework").items() if name.endswith("form.txt")]
    for tasks in key_of(course / "homework").students.values():
        parts = [task_text(task).split(" @ ") for task in tasks]  # two may have one expression at different points
        headings = [f"{expression}   at {point.replace('=', ' = ')}" for expression, point in parts]
        assert [1, 1] == [sum(heading in text for text in given) for heading in headings]


def test_no_sheet_and_no_form_contains_an_answer(course: Path) -> None:
    """The canary: every number of every key, to three up to six digits, is looked for in all that students get."""
    given = "\n".join(data.decode() for name, data in files(course / "homework").items() if name != "key.toml")
    tasks = [task for own in key_of(course / "homework").students.values() for task in own]
    answers = {Digits(significant=n).show(abs(x)) for task in tasks for x in numbers(task) for n in range(3, 7)}
    telling = {text for text in answers if len(text.replace(".", "").lstrip("0")) >= 3}
    assert len(telling) > 100
    assert set() == telling & set(re.findall(r"\d+\.?\d*", given))


def test_nobody_can_read_the_secret_off_the_files(course: Path) -> None:
    assert not [name for name, data in files(course / "homework").items() if b"nobody knows" in data]


@pytest.mark.slow
def test_another_secret_gives_other_exercises(course: Path) -> None:
    before = key_of(course / "homework")
    (course / "other.txt").write_text("another secret", encoding="utf-8")
    assert 0 == make(course, "other", "--secret", str(course / "other.txt")).code
    after = key_of(course / "other")
    shutil.rmtree(course / "other")
    (course / "other.txt").unlink()
    assert [task_text(before.students[who][0]) for who, _ in NAMES] != [
        task_text(after.students[who][0]) for who, _ in NAMES
    ]


def test_the_secret_may_come_from_the_environment(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADCLI_SECRET", "nobody knows this")
    result = run("new", "--level", "2", "--level", "5", "--mode", "both", "--students", str(course / "class.csv"),
                 "-o", str(course / "again"))  # fmt: skip
    assert 0 == result.code, result.err
    again = files(course / "again")
    shutil.rmtree(course / "again")
    assert files(course / "homework") == again


def test_a_folder_that_has_the_files_already_is_left_alone(course: Path) -> None:
    before = files(course / "homework")
    result = make(course, "homework")
    assert (0, f"note: all files are in {course / 'homework'} already\n") == (result.code, result.err)
    assert before == files(course / "homework")


def test_what_was_interrupted_goes_on(course: Path) -> None:
    before = files(course / "homework")
    for name in list(before)[::2]:
        (course / "homework" / name).unlink()
    assert 0 == make(course, "homework").code
    assert before == files(course / "homework")


def test_a_folder_with_other_files_is_refused(course: Path) -> None:
    before = files(course / "homework")
    result = make(course, "homework", "--title", "Another")
    assert 2 == result.code
    assert result.err.startswith(f"error: the folder {course / 'homework'} is not empty\n")
    assert before == files(course / "homework")


class _Text(HTMLParser):
    """The elements of a page, and the text of its heading."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.heading = ""
        self.inside = False

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.elements.add(tag)
        self.inside = tag == "h1"

    def handle_endtag(self, tag: str) -> None:
        self.inside = False

    def handle_data(self, data: str) -> None:
        self.heading += data if self.inside else ""


def titles() -> set[str]:
    """What stands at the head of the sheets, hostile characters made visible."""
    found = {f"Exercises: {name} ({who})" if name else f"Exercises: {who}" for who, name in NAMES}
    return {title.replace("\x1b", "\ufffd").replace("\u202e", "\ufffd") for title in found}


def test_a_hostile_name_is_text_in_html(course: Path) -> None:
    found = set()
    for path in (course / "homework").rglob("sheet.html"):
        page = _Text()
        page.feed(path.read_text(encoding="utf-8"))
        assert not page.elements & {"script", "b", "img", "a", "red"}
        found.add(page.heading)
    assert titles() == found


def test_a_hostile_name_is_text_in_markdown(course: Path) -> None:
    found = {path.read_text(encoding="utf-8").partition("\n")[0] for path in (course / "homework").rglob("sheet.md")}
    assert titles() == {re.sub(r"\\(.)", r"\1", line.removeprefix("# ")) for line in found}
    assert not [line for line in found if re.search(r"(?<!\\)[`*_{}\[\]<>#|~$&!^]", line.removeprefix("#"))]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")
def test_every_sheet_compiles_on_its_own(course: Path, tmp_path: Path) -> None:
    for number, path in enumerate(sorted((course / "homework").rglob("sheet.tex"))):
        done = subprocess.run(
            ["pdflatex", "-no-shell-escape", "-halt-on-error", "-interaction=nonstopmode", f"-jobname=sheet{number}",
             f"-output-directory={tmp_path}", path],
            capture_output=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout.decode("utf-8", "replace")[-2000:]


# --- without a class -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("log(x1)*x2 @ x1=2, x2=5", ["y = log(x1)*x2"]),
        ("a = x1*x2; sin(a) @ x1=2, x2=5", ["a = x1*x2", "y = sin(a)"]),
        ("a = x1*x2; y = sin(a) @ x1=2, x2=5", ["a = x1*x2", "y = sin(a)"]),
        ("f(t) = t^2; f(x1) @ x1=2", ["f(t) = t^2", "y = f(x1)"]),
        ("y1 = x1*2; y2 = sin(x1) @ x1=2", ["y1 = x1*2", "y2 = sin(x1)"]),
    ],
)
def test_the_last_statement_names_the_result(text: str, expected: list[str]) -> None:
    assert expected == statements(task_of(text))


@pytest.mark.parametrize("form", FORMATS)
def test_a_sheet_is_printed_in_each_format(form: str) -> None:
    result = run("new", "--seed", "3", "--level", "4", "--format", form)
    assert (0, "note: the key and blank forms are written with -o FOLDER\n") == (result.code, result.err)
    assert result == run("new", "--seed", "3", "--level", "4", "--format", form)
    assert result.out != run("new", "--seed", "4", "--level", "4", "--format", form).out


@pytest.mark.slow
def test_what_is_printed_is_what_is_written(tmp_path: Path) -> None:
    argv = ("new", "--seed", "3", "--level", "1", "--level", "3", "--count", "2", "--title", "Sheet 1")
    assert 0 == run(*argv, "-o", str(tmp_path / "out")).code
    found = files(tmp_path / "out")
    assert {"key.toml", *SHEETS} == set(found)
    assert run(*argv).out.encode() == found["sheet.md"]
    key = tomllib.loads(found["key.toml"].decode())
    assert ("Sheet 1", ["1", "2", "3", "4"]) == (key["title"], [problem["label"] for problem in key["problem"]])


ROSTERS = [
    "Student,ID,SIS User ID,SIS Login ID,Section\n    Points Possible,,,,\n\"Doe, Jane\",17,u1,jd,A\n",
    "name\temail\tid\nJane Doe\tjd@example.org\t17\n",
    "\ufeffFirst name;Last name;ID number\r\nJane;Doe;17\r\n",
    "Username,Email address\n17,jd@example.org\n",
]  # fmt: skip


@pytest.mark.parametrize("roster", ROSTERS)
def test_class_lists_of_several_systems_are_read(roster: str, tmp_path: Path) -> None:
    (tmp_path / "class.csv").write_text(roster, encoding="utf-8", newline="")
    (tmp_path / "secret").write_bytes(b"0123456789")
    result = run("new", "--students", str(tmp_path / "class.csv"), "--secret", str(tmp_path / "secret"), "-o",
                 str(tmp_path / "out"))  # fmt: skip
    assert 0 == result.code, result.err
    assert ["17"] == list(key_of(tmp_path / "out").students)


# --- workers ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_any_number_of_workers_makes_the_same_files(tmp_path: Path) -> None:
    (tmp_path / "class.csv").write_text("name\n" + "".join(f"S{k}, é\n" for k in range(7)), encoding="utf-8")
    (tmp_path / "secret.txt").write_text("nobody knows this\n", encoding="utf-8")
    for count in ("1", "3"):
        assert 0 == make(tmp_path, f"with{count}", "--workers", count).code
    assert files(tmp_path / "with1") == files(tmp_path / "with3")


def test_the_keys_that_are_made_ask_for_three_places(course: Path) -> None:
    assert (3, True) == (key_of(course / "homework").rules.min_places, key_of(course / "homework").rules.numbers)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no process groups")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_workers_do_not_outlive_the_run_and_leave_nothing_half_done(how: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "class.csv").write_text("name\n" + "".join(f"S{k}\n" for k in range(3000)), encoding="utf-8")
    (tmp_path / "secret.txt").write_text("nobody knows this\n", encoding="utf-8")
    command = [sys.executable, "-m", "adcli", "new", "--level", "3", "--students", "class.csv", "--secret",
               "secret.txt", "-o", "out", "--workers", "2"]  # fmt: skip
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as started:
        time.sleep(usually(2, thoroughly=3))
        os.kill(started.pid, how)
        _, said = started.communicate(timeout=30)  # the pipes close when the last process has ended
    assert (b"", 130 if how == signal.SIGINT else -signal.SIGKILL) == (said, started.returncode)
    assert ["class.csv", "secret.txt"] == sorted(path.name for path in tmp_path.iterdir())
