"""Blank forms: the right rows in the order of working, in formats that `adcli check` reads back."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import pytest
from drawn import THOROUGH, examples
from filled import FILLERS, filled
from hypothesis import given
from hypothesis import strategies as st
from running import PAPER, run

from adcli.answers.answer_model import Task
from adcli.classroom.blank_form import blank_form
from adcli.classroom.exercise_patterns import seed_of
from adcli.classroom.homework import Key
from adcli.classroom.instances import instance
from adcli.classroom.key import write_key
from adcli.cli.commands.template import FORMATS
from adcli.marking.assessing import assess
from adcli.marking.model import Marking, Rules
from adcli.marking.task import task_of
from adcli.notation.number_text import Digits
from adcli.render.document_parts import ascii_text
from adcli.render.forms import FORMS
from adcli.trace.request_choices import MODES

AT = "x1=2,x2=5"
PROBLEM = f"{PAPER} @ {AT}"


def lines(*argv: str) -> list[str]:
    result = run("template", *argv)
    assert 0 == result.code, result.err
    return result.out.splitlines()


def rows(*argv: str) -> list[str]:
    """The rows of a form as text, comments left out."""
    return [line for line in lines(*argv) if line and not line.startswith("#")]


# --- rows and their order --------------------------------------------------------------------------------------------


def test_the_form_of_the_paper_has_one_row_for_each_contribution_from_the_seed_down() -> None:
    names = [row.partition(" ")[0] for row in rows(PROBLEM, "--mode", "reverse")]
    assert "v1 v2 v3 v4 v5 v̄5 v̄4 v̄3 v̄1 v̄2 x̄2 x̄1 x̄2 x̄1" == " ".join(names)


def test_with_sums_each_adjoint_has_one_row() -> None:
    assert [
        "v̄5 = 1 = ________",
        "v̄4 = v̄5 × 1 = ________",
        "v̄3 = v̄5 × (−1) = ________",
        "v̄2 = v̄4 × 1 = ________",
        "v̄1 = v̄4 × 1 = ________",
        "x̄2 = v̄3 × cos x2 + v̄2 × x1 = ________",
        "x̄1 = v̄2 × x2 + v̄1/x1 = ________",
    ] == rows(PROBLEM, "--mode", "reverse", "--sums", "--formulas")[5:]


def test_a_form_for_a_key_has_the_order_that_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "key.toml").write_text('[[problem]]\ntext = "x^2*y @ x=2, y=3"\n')
    names = [row.partition(" ")[0] for row in rows("--key", str(tmp_path / "key.toml"), "--order", "2")]
    assert ["∂²f/∂x²", "∂²f/∂x∂y", "∂²f/∂y²"] == names


def test_tangents_start_with_the_seeds() -> None:
    assert [
        "ẋ1 = 1 = ________",
        "ẋ2 = 0 = ________",
        "v̇1 = ẋ1/x1 = ________",
        "v̇2 = ẋ1 × x2 + ẋ2 × x1 = ________",
        "v̇3 = ẋ2 × cos x2 = ________",
        "v̇4 = v̇1 + v̇2 = ________",
        "v̇5 = v̇4 − v̇3 = ________",
    ] == rows(PROBLEM, "--mode", "forward", "--wrt", "x1", "--formulas")[5:]


def test_without_formulas_both_are_left_blank() -> None:
    blank = "________ = ________"
    assert [f"v1 = {blank}", f"v2 = {blank}"] == rows("x1*x2 + x1 @ x1=2, x2=3", "--mode", "value")


def test_a_title_says_which_of_several_inputs_moves() -> None:
    assert "# tangents with respect to x2" in lines(PROBLEM, "--mode", "forward", "--wrt", "x2")
    assert "# tangents" in lines("x^2 @ x=3", "--mode", "forward")


def test_several_inputs_and_outputs_have_titles() -> None:
    titles = [line for line in lines("a = x*y; p = a^2; q = sin(a) @ x=1, y=2") if line.startswith("# ")][4:]
    expected = ["values", "tangents with respect to x", "tangents with respect to y", "adjoints of p", "adjoints of q"]
    assert [f"# {title}" for title in expected] == titles


def test_results_without_names_have_rows_that_say_what_they_are() -> None:
    found = rows("x*y; x/y @ x=1, y=2", "--mode", "value", "--formulas")
    assert ["y1 = v1 = ________", "y2 = v2 = ________"] == found[2:]


def test_an_input_that_does_not_matter_has_an_adjoint_all_the_same() -> None:
    for flags in ([], ["--sums"]):
        assert "x̄2 = 0 = ________" in rows("sin(x1) @ x1=1, x2=2", "--mode", "reverse", "--formulas", *flags)


def test_in_ascii_rows_are_named_as_they_are_typed() -> None:
    names = {row.partition(" ")[0] for row in rows(PROBLEM, "--ascii", "--wrt", "x1")}
    assert {"v1", "dv1", "v1bar"} <= names
    assert "".join(lines(PROBLEM, "--ascii", "--formulas")).isascii()


def test_how_log_was_read_is_said() -> None:
    assert run("template", PROBLEM).err.startswith("note: log is read as the natural logarithm")


# --- where problems come from ----------------------------------------------------------------------------------------


def test_problems_come_from_a_file_from_standard_input_and_with_a_point_apart(tmp_path: Path) -> None:
    expected = run("template", PROBLEM)
    (tmp_path / "problems.txt").write_text(PROBLEM + "\n", encoding="utf-8")
    assert expected.out == run("template", "--file", str(tmp_path / "problems.txt")).out
    assert expected.out == run("template", "-", stdin=PROBLEM).out
    assert expected.out == run("template", PAPER, "--at", AT).out


def test_one_broken_problem_leaves_the_others() -> None:
    result = run("template", "-", stdin="a: x^2 @ x=3\nb: log(x) @ x=-1\nc: x +\nd: x^3 @ x=2\n")
    assert 3 == result.code
    assert ["# Problem a: x^2   at x = 3", "# Problem d: x^3   at x = 2"] == re.findall("# Problem.*", result.out)
    assert 2 == result.err.count("error: ")


def test_a_key_gives_all_problems_or_those_of_a_student(tmp_path: Path) -> None:
    tasks = (task_of("x^2 @ x=3", label="1", mode="value"), task_of("x^3 @ x=2", label="2", mode="reverse"))
    own = (task_of("x^2 @ x=3", label="3")._replace(at={}), task_of("sin(x)*x @ x=1", label="1", mode="forward"))
    (tmp_path / "hw.toml").write_text(write_key(Key("", tasks, students={"alice": own})), encoding="utf-8")
    key = ("--key", str(tmp_path / "hw.toml"), "--formulas")
    assert ["v1 = x^2 = ________", "v1 = x^3 = ________", "v̄1 = 1 = ________", "x̄  = v̄1 × 3 × x^2 = ________"] == [
        *rows(*key)
    ]
    assert "v̇1 = ẋ × cos x = ________" in rows(*key, "--student", "alice")
    result = run("template", *key, "--student", "alice")
    assert "# Problem 3: x^2\n\n# Problem 1" in result.out and "note: Problem 3 asks for formulas" in result.err


def test_the_suffix_picks_the_format(tmp_path: Path) -> None:
    for suffix, form in [(".txt", "text"), (".md", "markdown"), (".csv", "csv"), (".tex", "latex"), (".json", "json"),
                         (".ipynb", "ipynb")]:  # fmt: skip
        path = tmp_path / f"form{suffix}"
        assert "" == run("template", PROBLEM, "-o", str(path)).out
        assert run("template", PROBLEM, "--format", form).out == path.read_text(encoding="utf-8")


# --- reading back ----------------------------------------------------------------------------------------------------

PROBLEMS = [
    (PROBLEM, "value", ()),
    (PROBLEM, "reverse", ()),
    (PROBLEM, "forward", ("x1",)),
    (PROBLEM, "both", ()),
    ("a = x1*x2; a*sin(a) @ x1=2, x2=5", "reverse", ()),
    ("a = x*y; p = a^2; q = a/x @ x=1.2, y=2", "both", ()),
    ("x1*x2; x1/x2 @ x1=2, x2=5", "both", ()),
    ("(x1 - 2)^3/(1 - x2) @ x1=-0.5, x2=3", "reverse", ()),
]
CHECKED = [*FILLERS, "xlsx"]


def test_every_format_is_tried() -> None:
    assert set(FORMATS) == set(CHECKED) == {*FORMS, "xlsx"}


def marks(data: bytes, form: str, tasks: Sequence[Task]) -> list[Marking]:
    return list(assess(data, f"answer.{'txt' if form == 'text' else form}", tasks, Rules()))


def faults(marking: Marking) -> list[object]:
    """What is wrong with an answer that ought to be right."""
    found: list[object] = [(mark.row, mark.verdict) for mark in marking.marks if mark.earned != 1]
    return found + ([marking.problem] if marking.verdict != "right" else [])


@pytest.mark.parametrize("form", CHECKED)
@pytest.mark.parametrize(("text", "mode", "wrt"), PROBLEMS)
def test_a_form_that_is_filled_in_is_right(text: str, mode: str, wrt: tuple[str, ...], form: str) -> None:
    task = task_of(text, mode=mode, wrt=wrt)
    in_turn = (PROBLEMS.index((text, mode, wrt)) + [*CHECKED].index(form)) % 2 == 0
    for contributions in (True, False) if THOROUGH else (in_turn,):
        data = filled(form, [task], Digits(4), contributions=contributions)
        assert [[]] == [faults(marking) for marking in marks(data, form, [task])], contributions


@pytest.mark.parametrize("form", CHECKED)
def test_a_form_of_several_problems_is_right_problem_by_problem(form: str) -> None:
    tasks = [task_of(PROBLEM, label="1", mode="reverse"), task_of(PROBLEMS[5][0], label="b", mode="both"),
             task_of("x^2*sin(x) @ x=2", label="Exercise 3", mode="forward")]  # fmt: skip
    assert [[], [], []] == [faults(marking) for marking in marks(filled(form, tasks, Digits(5)), form, tasks)]


@examples(60)
@given(
    st.integers(0, 10**6), st.sampled_from([1, 2, 3, 4, 5]), st.sampled_from(MODES), st.sampled_from(list(FILLERS)),
    st.booleans(), st.integers(3, 6),
)  # fmt: skip
def test_the_form_of_any_exercise_is_right_when_filled_in(
    seed: int, level: int, mode: str, form: str, whole: bool, digits: int
) -> None:
    task = instance(seed_of(b"any", seed), level, mode)
    data = filled(form, [task], Digits(significant=digits), contributions=whole)
    assert [[]] == [faults(marking) for marking in marks(data, form, [task])]


def test_a_form_in_ascii_is_right_too() -> None:
    task = task_of(PROBLEM, mode="both")
    data = ascii_text(filled("text", [task], Digits(4)).decode()).encode()
    assert [[]] == [faults(marking) for marking in marks(data, "text", [task])]


@pytest.mark.parametrize("form", [form for form in CHECKED if form != "xlsx"])
def test_a_form_that_is_left_blank_earns_nothing(form: str) -> None:
    task = task_of(PROBLEM, mode="reverse")
    for marking in marks(FORMS[form]([blank_form(task)]).encode(), form, [task]):
        assert ("not_gradable", 0) == (marking.verdict, marking.earned)


def test_the_command_line_says_that_a_filled_form_is_right(tmp_path: Path) -> None:
    (tmp_path / "answer.md").write_bytes(filled("markdown", [task_of(PROBLEM, mode="reverse")], Digits(4)))
    result = run("check", str(tmp_path / "answer.md"), "--problem", PROBLEM, "--mode", "reverse", "--format", "json")
    assert (0, "right") == (result.code, json.loads(result.out)["verdict"])


# --- hostile text ----------------------------------------------------------------------------------------------------

LABEL = "=cmd|' <b>`x`</b> $y$ \\input{a} [r]\x1b[31m"


def hostile(form: str) -> str:
    return FORMS[form]([blank_form(task_of("x^2 @ x=3", label=label)) for label in (LABEL, "2")])


@pytest.mark.parametrize("form", list(FORMS))
def test_a_hostile_label_cannot_steer_a_terminal(form: str) -> None:
    assert "\x1b" not in hostile(form)


def test_a_hostile_label_is_text() -> None:
    shown = LABEL.replace("\x1b", "\ufffd")
    assert {f"'{shown}", "2"} == {row["problem"] for row in csv.DictReader(StringIO(hostile("csv")))}
    assert [shown, "2"] == [each["problem"].replace("\x1b", "\ufffd") for each in json.loads(hostile("json"))]
    assert "## Problem =cmd\\|' \\<b\\>\\`x\\`\\</b\\> \\$y\\$ \\\\input\\{a\\} \\[r\\]" in hostile("markdown")
    assert "Problem =cmd\\textbar{}' \\textless{}b" in hostile("latex")


def test_a_hostile_label_is_text_in_a_spreadsheet(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    (tmp_path / "hw.toml").write_text(write_key(Key("", (task_of("x^2 @ x=3", label=LABEL),))), encoding="utf-8")
    assert 0 == run("template", "--key", str(tmp_path / "hw.toml"), "--formulas", "-o", str(tmp_path / "f.xlsx")).code
    (sheet,) = openpyxl.load_workbook(tmp_path / "f.xlsx")
    assert {"s", "n"} >= {cell.data_type for row in sheet.iter_rows() for cell in row}
    assert ("name", "formula", "value") == tuple(cell.value for cell in sheet[1])
