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
from adcli.render.marks import assumptions, comments_by_line, explanations, lines, missing, points, summary

UNEXPLAINED = "the number is wrong, but it does not show which slip was made: write the formula, too"
PAPER = "log(x1)+x1*x2-sin(x2) @ x1=2, x2=5"


def marked(text: str, problem: str = PAPER, mode: str | None = "value", wrt: str | None = None) -> Marking:
    return assess(text.encode(), "a.txt", [task_of(problem, mode=mode, wrt=(wrt,) if wrt else ())], Rules())[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("y = 0e9", f"y: {UNEXPLAINED}"),
        ("y = 0", f"y: {UNEXPLAINED}"),
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
    ("x*sin(x)-x @ x=2", None, "dy/dx = sin(x)+x*cos(x) = 0.077", "dy/dx: a term is missing"),
    (PAPER, None, "y = 11.652\n∂y/∂x1 = 1/x1 + x2 = 5.5\n∂y/∂x2 = -cos(x2) = -0.284", "∂y/∂x2: a term is missing"),
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
    assert [("not counted: nothing in it is read as a row",), ("not counted: as above",)] == [
        line.uncounted for line in found if line.uncounted
    ]


def test_a_hint_says_which_line_replaces_which_and_a_line_that_it_is_struck_out() -> None:
    rows = "v1 = x*y = 6\nv2 = sin(x) = 0.909\nf = v1 + v2 = 6.909\nfbar = 1\nxbar = y = 3\nybar = 2\n~~ybar = 3~~\n"
    marking = marked(rows + "xbar = cos(x) = -0.416", "x*y+sin(x) @ x=2, y=3", "reverse")
    assert "xbar: line 8 replaces line 5; an adjoint is the sum of its contributions" == marking.marks[-1].feedback
    assert "8 of 11 marks: 1 error." == summary(marking)
    assert [("not counted: struck out",)] == [line.uncounted for line in lines(marking) if line.uncounted]


def test_layout_and_prompts_are_not_reported_and_photos_are_not_read() -> None:
    rows = "\\hline\nf = 6\nOut[3]:\n\\multicolumn{2}{c}{primal} \\\\ \\hline\nthe derivatives: photo IMG_2043.jpg"
    found = [(line.number, line.uncounted) for line in lines(marked(rows, "x*y @ x=2, y=3", None)) if line.uncounted]
    assert [(5, ("not counted: photos are not read; type what is on it",))] == found


def test_a_sweep_that_is_missing_is_called_so_and_not_by_a_name_of_the_other() -> None:
    marking = marked("a = x*y = 6\nda/dx = y = 3\nf = a^2 = 36\ndf/dx = 2*a*3 = 36", "(x*y)^2 @ x=2, y=3", "both", "x")
    assert "x̄ is missing, as is the whole reverse sweep" == marking.marks[-1].feedback
    assert summary(marking).endswith("Still to show: x̄, f̄ and ā.")


def test_a_wrong_formula_of_a_right_number_has_a_hint() -> None:
    rows = "p = sigmoid(z) = 0.7311\nL = p^2 = 0.5344\ndL/dp = 2*p = 1.4621\n"
    marking = marked(rows + "dL/dz = dL/dp*p*(1+p) = 0.2875", "p = sigmoid(z); p^2 @ z=1", "reverse")
    reason = "the number of dL/dz is right, its formula is not: check the signs; one of them is reversed"
    assert [reason] == [mark.feedback for mark in marking.marks if mark.feedback]


def test_a_name_for_a_derivative_needs_no_remark() -> None:
    rows = "z = w*x = 6\nL = z^2 = 36\nd = dL/dz = 2*z = 12\ndL/dw = d*x = 36"
    marking = marked(rows, "(w*x)^2; data x @ w=2, x=3", "reverse")
    assert ("right", []) == (marking.verdict, [mark.feedback for mark in marking.marks if mark.feedback])


def test_the_headline_names_the_results_first_and_four_at_most() -> None:
    marking = marked("v1 = 0.693", PAPER, "reverse")
    assert "Still to show: y, ∂y/∂x1, ∂y/∂x2, x1 × x2 and 7 more." in summary(marking)
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


CHAIN_RULE = "chain rule: one of the derivatives that are multiplied is missing, or taken at a wrong argument"
FACTOR = "a factor is missing: check the n of n·x^(n−1) (½ for √x), the v² of a quotient, and constant factors"
DEGREES = "check the mode of the calculator: angles are in radians here, not in degrees"
TOO_MANY = "one term too many: the derivative of a constant, or of a term without the variable, is 0"
# The errors of an answer, each with its hint; names and numbers as the student wrote them.
HINTED = [
    ("x*y @ x=1, y=2", "∂f/∂y = x^2 = 4", ["∂f/∂y: the formula is wrong, but it is not the result of one common slip"]),
    ("log(x*y) @ x=2, y=0.5", "f = 0\nfx = 1/(xy) = 1\nfy = 1/(xy) = 1",
     [f"f{by}: chain rule: the derivative of x × y with respect to {by} is missing" for by in "xy"]),
    ("y*sin(x) @ x=0.8, y=3", "f = y*sind(x) = 0.0419\ndfdx = y*cosd(x) = 2.9997\ndfdy = sind(x) = 0.0140",
     [f"f: {DEGREES}", f"dfdx: {DEGREES}", f"dfdy: {DEGREES}"]),
    ("y*sin(x) @ x=0.8, y=3", "f = 0.0419\nf_x = y*cosd(x) = 2.9997", [f"f: {DEGREES}", f"f_x: {DEGREES}"]),
    ("a*b + b*c @ a=1, b=2, c=3", "f = 8\n∂f/∂a = 2\n∂f/∂b = 1\n∂f/∂c = 2",
     ["∂f/∂b: a term is missing: add the contributions of all paths from this variable to the result"]),
    ("a*b + b*c", "∂f/∂b = a", ["∂f/∂b: a term is missing: differentiate every factor and every summand that contains "
     "the variable"]),
    ("(x-3)^2*y/2", "∂f/∂x = (3-x)*y", ["∂f/∂x: check the signs; one of them is reversed"]),
    ("x^2*y", "∂f/∂x = 2x", [f"∂f/∂x: {FACTOR}"]),
    ("x^2*y @ x=3, y=2", "∂f/∂x = 2x = 6",
     ["∂f/∂x: a factor is missing: check the n of n·x^(n−1) and the other factors of a product"]),
    ("sin(x)^2", "dg/dx = 2 cos(x)", [f"dg/dx: {FACTOR}"]),
    ("x^2*y", "z_y = x^2 + y", [f"z_y: {TOO_MANY}"]),
    ("x^2*y + y^3", "∂z/∂x = 2xy + y^3", [f"∂z/∂x: {TOO_MANY}"]),
    ("a*exp(-b*t) @ a=5, b=0.2, t=3", "∂N/∂a = 0.5488\n∂N/∂t = 0.5488",
     ["∂N/∂t: check the signs; one of them is reversed"]),
    ("w*x+b @ w=2, x=3, b=1", "z = 7\ndz/dx = 3", ["dz/dx: this is the derivative with respect to another variable"]),
    ("x^2*y", "∂f/∂x = x^2\n∂f/∂y = 2xy",
     ["∂f/∂x: this is the derivative with respect to another variable: are ∂f/∂x and ∂f/∂y swapped?",
      "∂f/∂y: see ∂f/∂x"]),
    ("max(0, x)*y @ x=-1, y=2", "f = 0\ndf/dx = 2\ndf/dy = 0",
     ["df/dx: the derivative of max is different on the two sides of its kink: check on which side the argument is"]),
    ("exp(x^2*y)", "∂z/∂y = x^2*exp(2*x*y)", [f"∂z/∂y: {CHAIN_RULE}"]),
    ("x/(1+x^2)", "f'(x) = (1+x^2 + x*2x)/(1+x^2)^2", ["f'(x): quotient rule: check the sign"]),
    ("x^2", "We differentiate: f'(x) = 3x", ["f'(x): check the constants; one of them is wrong"]),
    ("x^2*y", "fx = 2x\nfy = x^2", [f"fx: {FACTOR}"]),
    ("x^2*y @ x=3, y=2", "x = 5\nf = 18\n∂f/∂x = 12", ["x: this is not the value that the problem gives"]),
    ("x^2*y @ x=3, y=2", "∂f/∂y = x^2 = 9.\nAnswer: the gradient is (12, 6)",
     ["∂f/∂y: line 1 has another number; the later one counts"]),
    ("x^2 - 3*x*y @ x=2, y=-1", "∂f/∂x = 2x - 3y = 4 - 3 = 1",
     ["∂f/∂x: the formula is right, the number does not follow from it: check the signs; one of them is reversed"]),
    ("x^3 + x @ x=2", "u = sqrt(-1-x^2)\nf = x^3+x = 10\nf' = 13", ["the formula of u has no value here"]),
]  # fmt: skip


def shown(problem: str, text: str, mode: str | None = None, name: str = "a.txt", order: int = 1) -> Marking:
    task = task_of(problem, mode=mode, order=order, formulas=True)
    return assess(text.encode(), name, [task], Rules())[0]


@pytest.mark.parametrize(("problem", "text", "hints"), HINTED)
def test_a_hint_says_what_the_difference_shows(problem: str, text: str, hints: list[str]) -> None:
    marks = shown(problem, text).marks
    assert hints == [mark.feedback for mark in marks if mark.verdict in ("error", "unreadable")]


def test_the_step_between_a_formula_and_its_result_is_underlined() -> None:
    mark = shown("x^2 - 3*x*y @ x=2, y=-1", "∂f/∂x = 2x - 3y = 4 - 3 = 1").marks[0]
    assert mark.span is not None
    assert "4 - 3" == mark.span.text
    mark = shown("x^2 - 3*x*y @ x=2, y=-1", "∂f/∂x = 2x - 3y = 4 + 3 = 8").marks[0]
    assert mark.span is not None
    assert "8" == mark.span.text


def test_in_reverse_mode_hints_are_about_the_row_itself() -> None:
    marks = shown("x*y @ x=2, y=3", "v1 = 6\nv1bar = 1\nxbar = 4\nybar = 2", "reverse").marks
    assert "xbar: chain rule: this number is not v1bar times a local derivative" == marks[2].feedback
    text = "v1 = x*y = 0.5\nv2 = sin(v1) = 0.4794\nv2bar = 1\nv1bar = v2bar*sin(v1) = 0.4794"
    hint = shown("sin(x*y) @ x=1, y=0.5", text, "reverse").marks[3].feedback
    assert "v1bar: this uses a value or a function instead of its derivative, in one term or in the whole row" == hint
    marks = shown("sin(x*y) @ x=0.5, y=2", "f_xy = -xy*sin(xy) = -0.8415", order=2).marks
    assert "f_xy: a term is missing" == marks[0].feedback


def test_repeats_earn_no_remark_and_hints_are_written_once() -> None:
    text = "f = 18\ndf/dx = 12\ndf/dy = 9\nSo f = 18, df/dx = 12 and df/dy = 9."
    assert not [mark.feedback for mark in shown("x^2*y @ x=3, y=2", text).marks if mark.feedback]
    marking = shown("y*sin(x) @ x=0.8, y=3", "f = 0.0419\nfx = y*cosd(x) = 2.9997")
    comments = comments_by_line(marking, lines(marking))
    assert "fx: as in line 1" == comments[1][0]


def test_quantities_have_the_names_of_the_student() -> None:
    def names(*answer: str) -> list[str]:
        return [each.written for each in shown(*answer).quantities]

    assert ["f", "f'(2)"] == names("x*log(x) @ x=2", "f'(2) = 1.5")
    text = "z = w*x + b = 2\nL = (z-t)^2 = 1\ndL/dz = 2(z-t) = 2\ndL/dw = dL/dz*x = 3\ndL/db = dL/dz = 2"
    assert "dL/dL" in names("(w*x+b-t)^2; data x, t @ w=2, x=1.5, b=-1, t=3", text, "reverse")
    text = "z = w*x + b = 0.55\nh = tanh(z) = 0.5005\ny = v*h = -0.6006\ndy/dv = h = 0.5005"
    assert "dy/d(w × x)" in names("h = tanh(w*x+b); v*h @ w=0.7, x=0.5, b=0.2, v=-1.2", text, "reverse")
    text = "v1 = x1/x2 = 3\nv2 = sin(v1) = 0.1411\nv3 = exp(x2) = 1.6487\nv4 = v1 - v3 = 1.3513\nv5 = v2 + v4 = 1.4924"
    called = names("(sin(x1/x2)+x1/x2-exp(x2))*(x1/x2-exp(x2)) @ x1=1.5, x2=0.5", text, "reverse")
    assert {"v2 + v1", "∂y/∂(v2 + v1)", "∂y/∂v5"} <= {*called}
    text = "a = x*w = 0.9\nc = -a = -0.9\ne = exp(c) = 0.407\nd = 1 + e = 1.407\ny = 1/d = 0.711"
    assert "∂y/∂(−x)" in names("1/(1+exp(-x*w)) @ x=1.5, w=0.6", text, "reverse")
    text = "e = w*x - t = 0.5\nL = e^2/2 = 0.125\nL̄ = 1\nē = 0.5\nw̄ = 1"
    called = names("(w*x-t)^2/2; data x, t @ w=1, x=2, t=1.5", text, "reverse")
    assert {"e^2", "adjoint of (e^2)", "w × x", "w̄"} <= {*called}
    table = "| v_i | formula | value | v̄_i |\n|---|---|---|---|\n| v0 | x | 3 | 6 |\n| v1 | v0^2 | 9 | 1 |"
    assert ["v1", "v̄1", "v̄0"] == names("x^2 @ x=3", table, "reverse")


@pytest.mark.parametrize(
    ("problem", "text", "hint"),
    [
        ("z = w*x+b; p = sigmoid(z); (p-t)^2; data x, t @ w=-0.9, x=1.1, b=0.35, t=1",
         "m = -0.99\nz = -0.64\np = 0.3452\nd = -0.6548\nL = 0.4287\nL̄ = 1\nd̄ = -1.3095\np̄ = -1.3095\nz̄ = -0.4521",
         "z̄: a factor is missing: check both factors of s·(1 − s), the derivative of s = sigmoid(x)"),
        ("s = x + 1; sqrt(s) @ x=3", "s = 4\nr = 2\nr̄ = 1\ns̄ = r̄/sqrt(s) = 0.5\nx̄ = 0.5",
         "s̄: a factor is missing: check the ½ in the derivative of √x"),
        ("d = x - y; relu(d)*z @ x=1, y=3, z=2", "d = -2\nb = relu(d) = 0\nf = b z = 0\nf̄ = 1\nb̄ = 2\nd̄ = b̄ = 2",
         "d̄: the derivative of relu is different on the two sides of its kink: check on which side the argument is"),
        ("u = a*b; u + log(b); data a @ a=3, b=0.5",
         "u = 1.5\nv = -0.693\nw = u+v = 0.807\nw̄ = 1\nv̄ = 1\nū = u = 1.5",
         "ū: this is a value, not a derivative: check which derivatives it is computed from"),
        ("e = exp(z); log(1+e) @ z=0.7",
         "e = 2.0138\ns = 3.0138\nL = 1.1032\nL̄ = 1\ns̄ = 0.3318\nē = 0.3318\nz̄ = 0.3318",
         "z̄: chain rule: the derivative of e with respect to z is missing"),
    ],
)  # fmt: skip
def test_a_hint_names_the_operation_of_the_row(problem: str, text: str, hint: str) -> None:
    assert hint in [mark.feedback for mark in shown(problem, text, "reverse").marks if mark.verdict == "error"]


def test_what_is_not_counted_is_quoted_once() -> None:
    marking = shown("x^2 + x*y + y^3 @ x=1, y=2", "grad f = (4, 13)\nH = [[2, 1], [1, 12]]", order=2)
    lower = "not counted: no derivative of the order that the problem asks for"
    assert (lower,) == lines(marking)[0].uncounted
    assert ("line 2: a matrix is read as one row for each entry",) == assumptions(marking)
    latex = "\\begin{align*}\n\\frac{\\partial f}{\\partial x} &= 2 x y\\\\\n\\end{align*}"
    assert not [line.uncounted for line in lines(shown("x^2*y", latex, name="a.tex")) if line.uncounted]
    marking = shown("x^2*y @ x=3, y=2", "f = 18\n∂f/∂x = 12\n∂f/∂y = 9\nx = 5 gives f = 50")
    elsewhere = "not counted: a remark that is not understood, or is about other values"
    assert (elsewhere, f"{elsewhere}; another row counts") == lines(marking)[3].uncounted
    text = "z = w*x + b = -2 + 3 = 1\nf = max(0, 1) = 1\ndf/dw = x = 2\ndf/dx = w = -1\ndf/db = 1"
    assert not assumptions(shown("max(0, w*x+b) @ w=-1, x=2, b=3", text))
