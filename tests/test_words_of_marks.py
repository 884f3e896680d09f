"""What is said of a row is true of what stands in it."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import islice

import pytest
from drawn import usually
from one_wrong_row import cases, honest
from spelled_slips import told

from adcli.marking.assessing import assess
from adcli.marking.disclosure import redact
from adcli.marking.model import Mark, Marking, Rules
from adcli.marking.programs.value_rows import shown_number
from adcli.marking.task import task_of
from adcli.render.marks import explanations, lines, missing, points, summary

PAPER = "log(x1)+x1*x2-sin(x2) @ x1=2, x2=5"


def marked(text: str, problem: str = PAPER, mode: str | None = "value", wrt: str | None = None) -> Marking:
    return assess(text.encode(), "a.txt", [task_of(problem, mode=mode, wrt=(wrt,) if wrt else ())], Rules())[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("y = 0e9", "y: look at this row again"),
        ("y = 0", "y: look at this row again"),
        ("y = 116.52", "y: the digits are right, the decimal point is in the wrong place"),
        ("y = 10, 11.652", "y has two numbers where one is expected"),
        ("y = 10 vs 11.652", "y has two numbers where one is expected"),
        ("v1 = v1 + 0", "v1 is defined only by itself"),
        ("v1 = log(x1", "v1 has neither a formula nor a number that could be read"),
        ("y = w", "y uses w, which no row defines"),
        ("v2 = 2*5 = 11", "v2: 2*5 is not 11"),
    ],
)
def test_sentences_about_a_single_row(text: str, said: str) -> None:
    assert said == marked(text).marks[0].feedback


def test_a_slip_does_not_contradict_true_arithmetic() -> None:
    answer = "f_y = 2e = 7.389\nf_x = e^1 = 27.18\n"
    first, second = marked(answer, "x*exp(y) @ x=2, y=1", mode=None).marks[:2]
    assert first.feedback == "f_y: 2e is not 7.389"
    assert second.feedback == "f_x: the digits are right, the decimal point is in the wrong place"


def test_an_adjoint_of_a_formula_is_called_adjoint_of() -> None:
    table = "| name | value | adjoint |\n|---|---|---|\n| a | 0.693 | 1 |\n| y | 11.652 | 1 |\n"
    written = [each.written for each in marked(table, mode="reverse").quantities]
    assert "adjoint of (x1 × x2)" in written


def untrue(marking: Marking, mark: Mark) -> str:
    """What a sentence says that is not so, as far as the row itself tells; empty where nothing is found."""
    entry = next((e for e in marking.answer.entries if mark.span and e.line == mark.line), None)  # type: ignore[union-attr]
    number, said = (shown_number(entry) if entry else None), mark.feedback
    truth = Fraction(mark.key) if mark.key and "inf" not in mark.key and "nan" not in mark.key else None
    if number is None or truth is None:
        return "" if "number" not in said or "missing" in said or "neither" in said else said
    right = abs(number.value - truth) <= number.unit
    if any(words in said for words in ("is right, but", "is right as far", "the number of")) and not right:
        return f"{said}: {number} for {truth}"
    if ("decimal point is in the wrong place" in said or "swapped" in said) and (right or not number.value):
        return f"{said}: {number} for {truth}"
    if "just 0 or 1" in said and abs(number.value) not in (0, 1):
        return f"{said}: {number}"
    formulas = any(piece.quantities for piece in entry.pieces) if entry else False
    if "formula" in said and not formulas:
        return f"{said}: no formula"
    return ""


@pytest.mark.parametrize("seed", range(21, usually(23, thoroughly=26)))
def test_what_is_said_of_generated_answers_is_true_of_their_rows(seed: int) -> None:
    for case in (*islice(cases(seed), 40), *islice(honest(seed), 20)):
        marking = marked(case.answer, case.problem, case.mode, case.wrt)
        for mark in marking.marks:
            assert not (mark.feedback and untrue(marking, mark)), case


# Each slip as students make it, by formula or by number: the idea that is named, and never another spelling of the row.
TOLD = [
    ("sin(x^2) @ x=1.3", None, "dy/dx = cos(2x) = -0.857", "dy/dx: chain rule"),
    ("sin(x^2) @ x=1.3", None, "y = 0.993\nf'(x) = cos(2x) = -0.857", "f'(x): chain rule"),
    ("sin(x^2) @ x=1.3", None, "y = 0.993\ndy/dx = -0.857", "dy/dx: chain rule"),
    ("exp(3*x) @ x=0.4", None, "dy/dx = exp(3x) = 3.320", "dy/dx: chain rule"),
    ("sigmoid(x) @ x=1.1", "reverse", "a = 0.7503\na.grad = 1\nx.grad = a*(1+a) = 1.313", "x.grad: check the signs"),
    ("sigmoid(x+b) @ x=1,b=0.1", "reverse", "z = 1.1\na = 0.7503\na.grad = 1\nz.grad = 1.3133", "z.grad: check the"),
    ("tanh(2*x) @ x=0.4", "reverse", "z = 0.8\nh = 0.664\nhbar = 1\nzbar = 1 - h = 0.336", "zbar: a square is missing"),
    ("tan(x) @ x=0.7", None, "dy/dx = 1/cos(x) = 1.307", "dy/dx: a square is missing"),
    ("x*sin(x)-x @ x=2", None, "dy/dx = sin(x)+x*cos(x) = 0.077", "dy/dx: one path is missing"),
    (PAPER, None, "y = 11.652\n∂y/∂x1 = 1/x1 + x2 = 5.5\n∂y/∂x2 = -cos(x2) = -0.284", "∂y/∂x2: one path is missing"),
    (PAPER, None, "y = 11.652\ndy/dx1 = 1.716\ndy/dx2 = 5.5", "dy/dx1: this is the derivative with respect to another"),
    ("sin(x)/x @ x=1.2", None, "f'(x) = cos(x)/1 = 0.362", "f'(x): product or quotient rule"),
    ("log(x)/x @ x=2", None, "f = 0.347\nf' = (1 - ln x)/x = 0.153", "f': a factor is missing"),
    ("x^2*y @ x=2,y=3", None, "f = 12\n∇f = (4, 12)", "∂f/∂x: this is the derivative with respect to another variable"),
    ("1/x @ x=2.5", None, "dy/dx = ln(x) = 0.916", "dy/dx: this is an integral"),
]  # fmt: skip


@pytest.mark.parametrize(("problem", "mode", "text", "said"), TOLD)
def test_the_idea_is_named_and_the_row_as_it_is_written(problem: str, mode: str | None, text: str, said: str) -> None:
    marking = marked(text, problem, mode)
    assert marking.first is not None
    feedback = marking.marks[marking.first].feedback
    assert feedback.startswith(said)
    assert "adjoint" not in feedback or "bar" in said


def test_hardly_any_slip_is_told_in_general_words() -> None:
    found = Counter(each.says for each in told(60, seed=9))
    assert found["fine"] >= 57
    assert not found["named otherwise"]


def test_what_is_missing_is_named_as_the_rest_is_spelled() -> None:
    marking = marked("y = 11.652\ndy/dx1 = 5.5", PAPER, None)
    assert "Correct so far: 4 of 6 marks. Still to show: dy/dx2." == summary(marking)
    assert "w1.grad" in summary(marked("y = 7\nw2.grad = 2", "w1*w2+w1 @ w1=2,w2=2.5", None))
    (free_steps,) = assess(b"y = 11.652", "a.txt", [task_of(PAPER, mode="reverse")], Rules(steps=Fraction(0)))
    assert summary(free_steps) == "Correct so far: 2 of 6 marks. Still to show: ∂y/∂x1 and ∂y/∂x2."
    reverse = "a = x^2 = 9\nb = -a = -9\nbbar = 1\nabar = -1\nxbar = -6"
    said = summary(marked(reverse, "-x^2 @ x=3", "both"))
    assert said.endswith("Still to show: ∂b/∂x, ∂x/∂x and ∂a/∂x.")  # tangents are not called abar


def test_lines_that_are_not_counted_say_so_where_they_are() -> None:
    read = [(1, "Hi!"), (2, "y = 11.652"), (3, "is it?"), (4, "dy/dx1 = 5.5"), (5, "dy/dx2 = 1.716")]
    found = lines(marked("\n".join(text for _, text in read), PAPER, None))
    assert read == [(line.number, line.text) for line in found]
    assert [("not counted: nothing in it is read as a row",), ("not counted",)] == [
        line.uncounted for line in found if line.uncounted
    ]


def test_the_headline_names_the_results_first_and_four_at_most() -> None:
    marking = marked("v1 = 0.693", PAPER, "reverse")
    assert "Still to show: y, ∂y/∂x1, ∂y/∂x2, v2 and 7 more." in summary(marking)
    assert any(text.startswith("Not shown: ∂y/∂v5, ") for text in explanations(marking))


@pytest.mark.parametrize(("mode", "lacking"), [(None, []), ("reverse", ["v1", "v3"])])
def test_a_step_is_missing_only_where_it_costs_marks(mode: str | None, lacking: list[str]) -> None:
    answer = "v2 = x1*x2 = 10\nv4 = v1+v2 = 10.693\ny = v4-v3 = 11.652\ndy/dx1 = 5.5\ndy/dx2 = 1.716"
    for level in range(1, 6):
        marking = redact(marked(answer, PAPER, mode), level)
        assert lacking == [marking.marks[index].row for index in missing(marking)]


def test_few_marks_are_not_shown_as_none() -> None:
    texts = [points(Fraction(x)) for x in ("1e-5", "1e-3", "0.12", "7/3", "1.999", "9.996")]
    assert ["0.00001", "0.001", "0.12", "2.33", "2", "10"] == texts


def test_a_number_that_is_no_step_is_named_when_all_else_is_right() -> None:
    marking = marked("a = 6\nf = 7\nq = 55", "x*y+1 @ x=2, y=3", "value")
    assert "Correct so far: 3 of 3 marks. Not counted: q." == summary(marking)


@pytest.mark.parametrize(
    ("text", "missing_name"),
    [
        ("z = 6\n∂z/∂a = 3", "∂z/∂b"), ("d_1 = 6", "∂d_1/∂b"), ("f(a, b) = 6\nf_a = 3", "f_b"),
        ("f = 6\n∂f/∂a = 3", "∂f/∂b"), ("v1 = 6\ndy/da = 3", "dy/db"),
        ("value: 6", "∂y/∂a"),
    ],
)  # fmt: skip
def test_what_is_still_to_show_has_the_name_of_the_result_in_the_answer(text: str, missing_name: str) -> None:
    assert missing_name in summary(marked(text, "a*b @ a=2, b=3", None))
