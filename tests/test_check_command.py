"""`adcli check`: one answer, marked line by line, in every format, at every level, with its exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st
from running import Run, process, run, terminal
from together import together

from adcli.cli.commands.check import FORMATS
from adcli.marking.assessing import assess
from adcli.marking.model import Rules
from adcli.marking.task import task_of
from adcli.render.formats import DOCUMENTS

SUBMISSIONS = Path(__file__).resolve().parent.parent / "samples" / "homework" / "submissions"
PROBLEM = ("--problem", "log(x1)+x1*x2-sin(x2) @ x1=2, x2=5")
RIGHT = """\
v1 = log(x1) = 0.693
v2 = x1*x2 = 10
v3 = sin(x2) = -0.959
v4 = v1 + v2 = 10.693
v5 = v4 - v3 = 11.652
"""
DEGREES = RIGHT.replace("-0.959", "0.087").replace("11.652", "10.606")
KEY = """\
title = "Homework 3"
[marking]
method = "1/4"
[[problem]]
label = "1"
text = "log(x1)+x1*x2-sin(x2) @ x1=2, x2=5"
mode = "value"
points = 10
[[problem]]
label = "2"
text = "x^2 + 1 @ x=3"
mode = "value"
points = 5
[[student.alice.problem]]
text = "x^2 + 2 @ x=3"
mode = "value"
"""


def check(answer: str, *argv: str) -> Run:
    return run("check", "-", *(argv if "--key" in argv or "--problem" in argv else (*PROBLEM, *argv)), stdin=answer)


def data(answer: str, *argv: str) -> Any:
    return json.loads(check(answer, "--format", "json", *argv).out)


@pytest.fixture
def key(tmp_path: Path) -> str:
    path = tmp_path / "hw.toml"
    path.write_text(KEY, encoding="utf-8")
    return str(path)


# --- verdicts and exit codes ------------------------------------------------------------------------------------------


def test_a_right_answer_gets_exit_code_0() -> None:
    result = check(RIGHT, "--mode", "value")
    assert (0, "") == (result.code, result.err)
    assert result.out.endswith("\nCorrect: 6 of 6 marks.\n")


def test_an_answer_is_as_large_as_it_may_be() -> None:
    text = RIGHT + "\n" + " " * 1000
    assert "Not gradable: the answer is too large" in check(text, "--mode", "value", "--max-size", "1kB").out
    assert 0 == check(text, "--mode", "value", "--max-size", "2kB").code
    pictures = RIGHT + "\n" + ("%" + "A" * 3_000 + "\n") * 1_400
    assert 4 == check(pictures, "--mode", "value").code
    assert "too large" not in check(pictures, "--mode", "value", "--max-size", "8MB").out


def test_a_slip_is_named_and_what_follows_is_carried() -> None:
    found = data(DEGREES, "--mode", "value")
    assert ("wrong", {"line": 3, "row": "v3"}) == (found["verdict"], found["first_error"])
    assert ["correct", "correct", "error", "correct", "carried"] == [row["verdict"] for row in found["rows"]]
    assert "degrees" == found["rows"][2]["slip"]
    assert {"earned": "4", "possible": "6", "earned_without_carry": "3"} == found["score"]
    assert 1 == check(DEGREES, "--mode", "value").code


def test_the_line_is_shown_with_the_number_underlined() -> None:
    lines = check(DEGREES, "--mode", "value").out.splitlines()
    place = lines.index("✗ 3  0 of 1 | v3 = sin(x2) = 0.087")
    assert lines[place + 1] == "            |                ^^^^^"
    assert "            = the first error" == lines[place + 2]
    assert lines[place + 3].startswith("            = v3: check the mode of the calculator")
    assert "↷ 5  1 of 2 | v5 = v4 - v3 = 10.606" in lines


@pytest.mark.parametrize("answer", ["", "\n \n", "Dear teacher, I was ill.", "\x00\x01\x02" * 100, "\x89PNG\r\n\x1a\n"])
def test_what_is_no_answer_gets_exit_code_4_and_a_way_on(answer: str) -> None:
    result = check(answer)
    assert 4 == result.code
    assert "adcli template" in result.err
    assert "Not gradable: " in result.out
    assert ("not_gradable", []) == (data(answer)["verdict"], data(answer)["rows"])


def test_a_wrong_request_gets_exit_code_2(key: str) -> None:
    for argv in (("--problem", "x^2 @ x=1", "--key", key), ("--key", "missing.toml"), (*PROBLEM, "--method", "2")):
        assert 2 == check(RIGHT, *argv).code, argv
    assert 2 == run("check", "-", stdin=RIGHT).code
    assert 2 == run("check", "missing.txt", *PROBLEM).code


# --- options ----------------------------------------------------------------------------------------------------------


def test_the_mode_says_what_was_to_be_worked_out() -> None:
    assert "incomplete" == data(RIGHT)["verdict"]
    missing = [row["row"] for row in data(RIGHT, "--mode", "reverse")["rows"] if row["verdict"] == "missing"]
    assert "x̄1" in missing
    assert "x̄2" in missing


def test_wrt_says_for_which_inputs() -> None:
    answer = "dx1 = 1\ndx2 = 0\ndv1 = dx1/x1 = 0.5\ndv2 = dx1*x2 + dx2*x1 = 5\ndv3 = 0\ndv4 = 5.5\ndv5 = 5.5\n"
    assert "right" == data(RIGHT + answer, "--mode", "forward", "--wrt", "x1")["verdict"]
    assert "incomplete" == data(RIGHT + answer, "--mode", "forward", "--wrt", "x1,x2")["verdict"]


def test_decimal_commas_are_read_where_they_are_announced_or_where_there_is_nothing_else() -> None:
    comma = RIGHT.replace(".", ",")
    assert "right" == data(comma, "--decimal", "comma", "--mode", "value")["verdict"]
    assert "right" == data(comma, "--mode", "value")["verdict"]
    mixed = RIGHT.replace("0.693", "0,693", 1)
    assert "right" != data(mixed, "--mode", "value")["rows"][0]["number"]


def test_places_and_method_are_rules_of_marking() -> None:
    short = RIGHT.replace("0.693\n", "0.69\n", 1)
    assert "right" == data(short, "--mode", "value")["verdict"]
    assert "precision" == data(short, "--mode", "value", "--places", "3")["rows"][0]["verdict"]
    assert "7/2" == data(DEGREES, "--mode", "value", "--method", "1/4")["score"]["earned"]
    assert "5" == data(DEGREES, "--mode", "value", "--method", "1")["score"]["earned"]


@pytest.mark.parametrize("level", range(6))
def test_the_level_of_disclosure_holds_in_every_format(level: int) -> None:
    for form in FORMATS:
        result = check(DEGREES, "--mode", "value", "--disclose", str(level), "--format", form)
        shown = result.out + result.err
        assert ("-0.95" in shown.replace("−", "-")) == (level == 5), form
        assert ("11.65" in shown) == (level == 5), form
        assert ("calculator" in shown) == (level >= 3), form


# --- keys -------------------------------------------------------------------------------------------------------------


def test_sections_go_with_the_problems_of_their_labels(key: str) -> None:
    answer = f"Problem 2\na = x^2 = 9\ny = a + 1 = 10\n\nProblem 1\n{RIGHT}"
    first, second = data(answer, "--key", key)
    assert ("right", "10", "right", "5") == (
        first["verdict"], first["score"]["earned"], second["verdict"], second["score"]["earned"],
    )  # fmt: skip
    assert "Total: 15 of 15 marks" in check(answer, "--key", key).out


@pytest.mark.parametrize(
    ("problems", "answer"),
    [
        (("x^2 @ x=3", "x^3 @ x=2"), "Problem 2:\ny = 8\n\nProblem 1:\ny = 9\n"),
        (("a: x^2 @ x=3", "b: x^3 @ x=2"), "Problem b:\ny = 8\n\nProblem 1:\ny = 9\n"),
        (("2: x^2 @ x=3", "1: x^3 @ x=2"), "Problem 1:\ny = 8\n\nProblem 2:\ny = 9\n"),
        (("x^2 @ x=3", "x^3 @ x=2", "x+1 @ x=6"), "Problem 3:\ny = 7\n\nProblem 1:\ny = 9\n\nProblem 2:\ny = 8\n"),
    ],
)
def test_sections_go_by_labels_first_and_then_by_numbers(problems: tuple[str, ...], answer: str) -> None:
    tasks = [task_of(problem, mode="value") for problem in problems]
    found = assess(answer.encode(), "answer.txt", tasks, Rules())
    assert ["right"] * len(tasks) == [marking.verdict for marking in found]


def test_sections_without_labels_go_in_order_and_what_is_lacking_is_missing(key: str) -> None:
    found = data(RIGHT, "--key", key)
    assert ["right", "incomplete"] == [each["verdict"] for each in found]
    assert {"missing"} == {row["verdict"] for row in found[1]["rows"]}
    assert 1 == check(RIGHT, "--key", key).code


def test_a_student_has_problems_of_the_own_and_rules_come_from_the_key(key: str) -> None:
    found = data("a = x^2 = 9\ny = a + 2 = 11", "--key", key, "--student", "alice")
    assert ("right", "3") == (found["verdict"], found["score"]["possible"])
    assert {"earned": "35/6", "earned_without_carry": "5", "possible": "10"} == data(DEGREES, "--key", key)[0]["score"]


def test_the_key_says_what_students_see_unless_the_command_line_does(key: str) -> None:
    Path(key).write_text("disclose = 0\n" + KEY, encoding="utf-8")
    assert data(DEGREES, "--key", key)[0]["rows"] is None
    assert data(DEGREES, "--key", key, "--disclose", "1")[0]["rows"] is not None


# --- output -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "start"),
    [("r.txt", "log(x1)"), ("r.md", "## log"), ("r.html", "<!doctype html>"), ("r.json", '{\n  "schema": "check/1"')],
)
def test_the_suffix_of_a_file_picks_the_format(name: str, start: str, tmp_path: Path) -> None:
    result = check(DEGREES, "-o", str(tmp_path / name))
    assert (1, "") == (result.code, result.out)
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)


def test_ascii_is_ascii() -> None:
    for form in ("plain", "json"):
        assert check(DEGREES.replace("v5", "ü5"), "--ascii", "--format", form).out.isascii()


@pytest.mark.parametrize(
    ("form", "sign"), [("markdown", "| ok right "), ("html", '&#10003;</span><span class="unseen">right')]
)
def test_in_ascii_the_signs_of_a_document_are_not_lost(form: str, sign: str) -> None:
    out = check(DEGREES, "--ascii", "--format", form).out
    assert out.isascii()
    assert sign in out


@pytest.mark.slow
def test_on_a_terminal_there_is_colour_and_nothing_wider_than_it_but_the_answer(tmp_path: Path) -> None:
    path = tmp_path / "answer.txt"
    path.write_text(DEGREES, encoding="utf-8")
    result = terminal("check", str(path), *PROBLEM, "--mode", "value", columns=60)
    assert 1 == result.code
    assert "\x1b[31m✗\x1b[0m" in result.out
    plain = terminal("check", str(path), *PROBLEM, columns=60, NO_COLOR="1")
    assert "✗ 3         | v3 = sin(x2) = 0.087" in plain.out
    assert max(len(line) for line in plain.out.splitlines()) <= 60


def test_an_answer_named_comes_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "answer.md"
    path.write_text("| step | value |\n|---|---|\n| v1 | 0.693 |\n", encoding="utf-8")
    result = process("check", str(path), *PROBLEM, "--mode", "value", "--format", "json")
    assert {"line": 3, "row": "v1", "verdict": "correct"}.items() <= json.loads(result.out)["rows"][0].items()


# --- hostile answers --------------------------------------------------------------------------------------------------

HOSTILE = [
    "v1 = __import__('os').system('id') = 1", "v1 = 9^9^9^9^9^9 = 1", "v1 = \x1b]0;x\x07 = 1", "v1 = =cmd|'x'!A0",
    "v1 = <script>alert(1)</script> = 2", "v1 = [red]1[/red] = 2", "x" * 100_000 + " = 1", "v1 = " + "(" * 50_000,
    "=" * 10_000, "v1 = \u202e1", "[" * 100_000, '{"v1": ' * 50_000, "v1 = v1 = v1", "v1 = v2\nv2 = v1",
    "v1 = 1e999999999", "v1 = 0." + "0" * 3_000 + "1", "v1 = " + "sin(" * 900 + "x1" + ")" * 900,
]  # fmt: skip


@pytest.mark.parametrize("answer", HOSTILE, ids=range(len(HOSTILE)))
@together("form", ["plain", *DOCUMENTS])
def test_a_hostile_answer_gets_a_verdict_and_nothing_else(answer: str, form: str) -> None:
    result = check(answer, "--format", form)
    shown = result.out + result.err
    assert result.code in (1, 4)
    assert "made a mistake" not in shown
    assert set("\x1b\x07\u202e") & set(shown) == set()
    assert "<script>" not in result.out or form not in ("html", "markdown")


def test_an_answer_that_is_too_large_is_not_gradable(tmp_path: Path) -> None:
    path = tmp_path / "answer.txt"
    with path.open("wb") as stream:
        stream.truncate(100 * 2**20)
    result = run("check", str(path), *PROBLEM)
    assert 4 == result.code


SAMPLES = [path.read_bytes() for path in sorted(SUBMISSIONS.rglob("*")) if path.is_file() and path.stat().st_size]
PIECES = [
    b"=", b"\n", b"|", b"v1", b"bar", b"dv3", b"\\bar{v}_3", b"1e999", b"^", b"(", b")", b"inf", b"nan", b"-", b"/0",
    b"log(", b"sqrt(-1)", b"{", b"[", b'"', b",", b"x9", b"\xcc\x84", b"\xff", b"$", b"\\frac", b"Problem 2\n", b"9^9",
]  # fmt: skip


@examples(60)
@given(
    st.sampled_from(SAMPLES),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 6), st.sampled_from(PIECES)), max_size=8),
    st.sampled_from(FORMATS),
)
def test_an_answer_with_anything_put_into_it_gets_a_verdict(
    answer: bytes, changes: list[tuple[float, int, bytes]], form: str
) -> None:
    for share, dropped, piece in changes:
        place = int(share * len(answer))
        answer = answer[:place] + piece + answer[place + dropped :]
    result = run("check", "-", "--key", str(SUBMISSIONS.parent / "key.toml"), "--format", form, stdin=answer)
    assert result.code in (0, 1, 4)
    assert "made a mistake" not in result.err


def test_how_an_answer_is_read_is_shown_without_a_verdict(tmp_path: Path) -> None:
    answer = tmp_path / "answer.txt"
    answer.write_text("> y = ?\nv1 = x^2 = 8\ny = v1 + 1 = 10\n", encoding="utf-8")
    asked = ("check", str(answer), "--problem", "x^2+1 @ x=3", "--as-read")
    done = run(*asked, "--format", "json")
    found = json.loads(done.out)
    assert (0, "check/1") == (done.code, found["schema"])
    assert [(2, "v1 = x^2 = 8", "v1", "x^2", "8"), (3, "y = v1 + 1 = 10", "y", "v1 + 1", "10")] == [
        (row["line"], row["text"], row["quantity"], row["formula"], row["number"]) for row in found["read_as"]
    ]
    assert [{"line": 1, "text": "> y = ?", "why": "quoted, and not the answer"}] == found["left_out"]
    plain = run(*asked, "--format", "plain").out
    assert "v1, formula x^2, number 8" in plain
    assert not {"✓", "✗", "wrong", "right"} & set(plain.replace(":", " ").split())
    for form in ("html", "latex", "markdown"):
        assert "quoted" in run(*asked, "--format", form).out


def test_a_number_with_too_few_digits_keeps_its_half_next_to_an_error_with_a_formula() -> None:
    answer = "v1 = log(x1) = 0.7\nv2 = x1*x2 = 11\ny = v1+v2 = 11.693\n"
    argv = ["check", "-", "--mode", "value", "--places", "3", "--problem", "log(x1)+x1*x2 @ x1=2,x2=5"]
    done = run(*argv, stdin=answer)
    assert "~ 1  ½ of 1 | v1 = log(x1) = 0.7" in done.out
    assert "1½ of 4 marks: 1 error; 1 row follows from it." in done.out
