"""Answers with vectors and matrices: verdicts written beforehand, in five spellings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from time import process_time

import pytest
from array_generator import many
from running import run
from together import together

from adcli.marking.assessing import assess, readings
from adcli.marking.model import CROSSED, Marking, Rules
from adcli.marking.task import task_of
from adcli.render.marks import heading

_FILE = Path(__file__).with_name("array_answers.txt")
_BATCH = "batch_sum_missing"


def _cases() -> Iterator[tuple[str, str, str, str, str, str]]:
    """Yield (name, problem, mode, verdict, line of the first error, answer) for each case of the file."""
    problems: dict[str, str] = {}
    for block in _FILE.read_text(encoding="utf-8").split("\n=== "):
        head, _, answer = block.partition("\n")
        if block.startswith("#"):
            lines = [line[4:].partition(": ") for line in block.splitlines() if line.startswith("---")]
            problems = {name: text for name, _, text in lines}
            continue
        name, problem, mode, verdict, line = (part.strip() for part in head.split("|"))
        yield name, problems[problem], mode, verdict, line, answer


def _gradients() -> Iterator[tuple[str, str, str, str, str]]:
    """Yield (problem, shapes, inputs, verdict, answer) for each line of the file of formulas."""
    head = ["", "", ""]
    for line in Path(__file__).with_name("gradient_answers.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("@@"):
            head = [*map(str.strip, line[2:].split("|||")), "", ""][:3]
        elif line[:1] in ("+", "-", "?"):
            yield (*head, line[0], line[2:].replace("⏎", "\n"))


def marked(problem: str, answer: str, mode: str | None = None) -> Marking:
    return assess(answer.encode(), "answer.txt", [task_of(problem, mode=mode)], Rules())[0]


@pytest.mark.parametrize(("name", "problem", "mode", "verdict", "line", "answer"), [*_cases()])
def test_verdicts_written_beforehand(name: str, problem: str, mode: str, verdict: str, line: str, answer: str) -> None:
    marking = marked(problem, answer, mode or None)
    crossed = [str(mark.line) for mark in marking.marks if mark.verdict in CROSSED]
    assert (marking.verdict, crossed) == (verdict, [line] if line else []), name


@together(("problem", "shapes", "inputs", "verdict", "answer"), [*_gradients()])
def test_spellings_of_gradients(problem: str, shapes: str, inputs: str, verdict: str, answer: str) -> None:
    task = task_of(problem, wrt=tuple(inputs.split()), shapes=tuple(shapes.split(", ")) if shapes else ())
    marking = assess(answer.encode(), "answer.txt", [task], Rules())[0]
    is_crossed = any(mark.verdict in CROSSED for mark in marking.marks)
    assert verdict == ("+" if marking.verdict == "right" else "-" if is_crossed else "?"), answer


@pytest.mark.parametrize("seed", range(0, 4000, 500))
def test_true_answers_are_right(seed: int) -> None:
    made = next(many(1, with_slip=False, first=seed))
    marking = assess(made.text.encode(), "answer.txt", [made.task], Rules())[0]
    assert marking.verdict == "right", made.text


@pytest.mark.parametrize("seed", range(100, 4100, 500))
def test_one_slip_is_one_cross(seed: int) -> None:
    made = next(many(1, with_slip=True, first=seed))
    marking = assess(made.text.encode(), "answer.txt", [made.task], Rules())[0]
    crossed = [mark.line or 0 for mark in marking.marks if mark.verdict in CROSSED]
    assert len(crossed) <= 1, made.text
    assert all(made.line <= line <= made.line + 6 for line in crossed), made.text


def test_an_adjoint_may_be_summed_in_rows_that_are_read_upwards() -> None:
    problem = "0.5 x^T A x @ A=[2,1;1,3], x=[1,2]"
    printed = run("eval", problem, "--mode", "reverse", "--style", "paper").out
    marking = marked(problem, printed, "reverse")
    assert "x̄ + 0.5" in printed  # the value of y is not in that table
    assert ("incomplete", []) == (marking.verdict, [mark.row for mark in marking.marks if mark.verdict in CROSSED])


def test_zeros_and_ones_under_another_name_are_those_of_the_problem() -> None:
    marks = marked("h = relu(z); h^T w @ z=[-1,1], w=[2,3]", "a = [0, 1]\nL = 3\n").marks
    assert ["correct", "correct"] == [mark.verdict for mark in marks if mark.line]


def test_one_of_many_sums_is_no_guess_that_counts() -> None:
    rows = "".join(f"xbar = xbar + {k} = [{k}, 7]\n" for k in range(2, 8))  # one of them is [4, 7], which is true
    marking = marked("0.5 x^T A x @ A=[2,1;1,3], x=[1,2]", f"y = 9\nAbar = [0.5, 1; 1, 2]\n{rows}", "reverse")
    assert marking.verdict == "wrong"


@pytest.mark.parametrize("form", ["plain", "markdown", "latex", "csv", "json", "html"])
def test_own_tables_are_read_back(form: str) -> None:
    problem = "h = tanh(W x + b); 0.5 norm(h - t)^2 @ W=[1,0;0.5,1], x=[1,-1], b=[0,0.5], t=[1,0]"
    printed = run("eval", problem, "--mode", "reverse", "--format", form).out
    assert marked(problem, printed, "reverse").verdict == "right"


@pytest.mark.parametrize(
    ("row", "slip"),
    [
        ("dx = W dz = [33, -61]", "factor_transposed"),
        ("dW = x dz^T = [[1, 16], [-1, -16]]", "transposed"),
        ("dW = dz .* x = [1, -16]", "entrywise_for_product"),
        ("dW = dz^T x = -15", "outer_for_inner"),
    ],
)
def test_slips_have_names(row: str, slip: str) -> None:
    problem = "norm(W x + b)^2 @ W=[1,2;3,-4], x=[1,-1], b=[1.5,1]"
    marking = marked(problem, f"z = W x + b = [0.5, 8]\nL = 64.25\ndz = 2 z = [1, 16]\n{row}\n", "reverse")
    assert [(mark.line, mark.slips) for mark in marking.marks if mark.verdict in CROSSED] == [(4, (slip,))]


@pytest.mark.parametrize(
    ("problem", "answer", "slip"),
    [
        ("Z = X W + b; sum(Z.^2) @ X=[1,2;3,1], W=[1;2], b=[1]; data X", "Z = [6, 6]\ny = 72\ndb = [12, 12]", _BATCH),
        ("Z = X + b; sum(Z.^2) @ X=[1,2;3,1], b=[1,2]; data X", "y = 54\nZ.grad = [4,8;8,6]\ndb = [4, 8]", _BATCH),
        ("u^T A v @ u=[1,2], A=[1,2;3,5], v=[1,-1]; data A, u", "y = -5\ndv = [5, 13]", "factor_transposed"),
        ("Z = A B; R = Z - C; sumsq(R) @ A=[1,0;0,1], B=[1,2;3,4], C=[0,1;5,1]", "Z = [1,2;3,4]\nR = [1,-3;2,3]",
         "factor_transposed"),
        ("h = tanh(z); a^T h @ z=[0.5,1], a=[1,2]; data a", "h = [0.622, 0.731]", "wrong_operation"),
        ("p = softmax(z); -log(p[1]) @ z=[1,2,0]", "p = [0.245,0.665,0.090]\nL = 1.408\ndz = [0.185,0.223,0.082]",
         "softmax_diagonal"),
        ("0.5 sumsq(A x) @ A=[1,2;3,1], x=[2,1]", "L = 65.00", "factor_forgotten"),
    ],
)  # fmt: skip
def test_slips_in_layers_have_names(problem: str, answer: str, slip: str) -> None:
    crossed = [mark for mark in marked(problem, answer, "reverse").marks if mark.verdict in CROSSED]
    assert [slip] == [name for mark in crossed for name in mark.slips]


def test_a_row_that_is_not_understood_is_not_crossed() -> None:
    problem = "norm(W x + b)^2 @ W=[1,2;3,-4], x=[1,-1], b=[1.5,1]; data x, b"
    marking = marked(problem, "L = 64.25\nfoo = [9, 7, 5]\nW.grad = [[1, -1], [16, -16]]\n")
    assert marking.verdict == "right"
    assert marking.answer is not None
    assert [part.line for part in marking.answer.left_out] == [2]


@pytest.mark.parametrize(
    ("answer", "missing"),
    [
        ("y = 5", "ȳ v̄2 v̄1 ō h̄ z̄ W̄ V̄"),
        ("h = [1, 0]", "o v1 v2 y ȳ v̄2 v̄1 ō h̄ z̄ W̄ V̄"),
        ("z = [1, -4]\nh = [1, 0]\no = [2, 3]\ny = 5", "ȳ v̄2 v̄1 ō h̄ z̄ W̄ V̄"),
        ("y = 5\ndL/do = [1, 3]", "h̄ z̄ W̄ V̄"),
        ("dL/dh = [11, -2]", "z h y z̄ W̄ V̄"),
    ],
)
def test_a_row_shows_the_values_before_it_and_the_adjoints_behind_it(answer: str, missing: str) -> None:
    problem = (
        "z = W x; h = relu(z); o = V h; 0.5 sumsq(o - t) @ W=[1,2;-1,1], x=[3,-1], V=[2,1;3,-1], t=[1,0]; data x, t"
    )
    found = marked(problem, answer, "reverse").quantities
    assert missing.split() == [each.quantity for each in found if each.verdict == "missing"]
    assert {"correct", "missing"} == {each.verdict for each in found}


def test_messages_have_names_that_people_wrote() -> None:
    marking = marked(
        "sum(exp(A x)) @ A=[1,-1;2,0], x=[0,1]; data A", "A x = [-1, 2]\ny = 7.757\ndy/dx1 = 0.368", "reverse"
    )
    feedback = [mark.feedback for mark in marking.marks if mark.feedback]
    assert feedback[0] == "A x: the formula is right, entry [2] does not follow from it"
    assert "the adjoint of exp(A x) is missing" in feedback
    problem = "norm(W x)^2; data x @ W=[1, 2;], x=[3, 4]"
    assert problem == heading(marked(problem, "y = 121"))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "code", ["+".join(["W"] * 1500), "1or W", f"np.sum(W, axis={'-' * 2000}1)", "np.sum(W, axis=~0)", "W[" * 300]
)
def test_code_that_is_not_read_is_answered_soon_and_without_a_warning(code: str) -> None:
    problem = "norm(W x + b)^2 @ W=[1,2;3,-4], x=[1,-1], b=[1.5,1]; data x, b"
    start = process_time()
    marking = marked(problem, f"L = 64.25\nfoo = {code}\nW.grad = [[1, -1], [16, -16]]\n")
    assert process_time() - start < 5
    assert marking.verdict == "right"


def test_an_answer_to_several_problems_is_split_at_its_titles_and_labels() -> None:
    tasks = [task_of("x^T x @ x=[1,2]"), task_of("a1*a2 @ a1=2, a2=5", mode="reverse"), task_of("sum(3 x) @ x=[1,2]")]
    rows = {1: [("y", 5), ("xbar", [2, 4])], 2: [("v1", 10), ("a1bar", 5), ("a2bar", 2)], 3: [("y", 9), ("dx", [3, 3])]}
    cells = [f'{problem},{name},"{value}"\n' for problem, each in rows.items() for name, value in each]
    records = [{"problem": k, "rows": [{"name": name, "value": x} for name, x in each]} for k, each in rows.items()]
    flat = [{"problem": each["problem"], **row} for each in records for row in each["rows"]]
    text = "".join(f"# Problem {k}: x\n" + "".join(f"{name} = {x}\n" for name, x in rows[k]) for k in rows)
    sheets = ["".join(["problem,name,value\n", *each]) for each in (cells, cells[::-1], cells[::2] + cells[1::2])]
    forms = [("a.csv", each) for each in sheets]
    for name, form in [*forms, ("a.json", json.dumps(records)), ("b.json", json.dumps(flat)), ("a.txt", text)]:
        markings = assess(form.encode(), name, tasks, Rules())
        assert ["right"] * 3 == [marking.verdict for marking in markings], form
    for place, paragraph in enumerate(text.split("# Problem")[1:]):  # without a heading: the others are not about it
        verdicts = [each.verdict for each in assess(paragraph.partition("\n")[2].encode(), "a.txt", tasks, Rules())]
        assert ["right" if k == place else "incomplete" for k in range(3)] == verdicts, paragraph
    for last, verdict in (("[3, 3]", "right"), ("[3, 4]", "wrong")):  # in one paragraph
        joined = f"a1bar = 5\na2bar = 2\nv1 = 10\ndx = {last}\ny = 9\nv1 = [3, 6]"
        assert verdict == assess(joined.encode(), "a.txt", tasks[1:], Rules())[1].verdict, joined
    for data, name in ((b"", "a.txt"), (bytes(range(256)), "a.pdf"), (b'{"cells": [', "a.ipynb")):
        problem = readings(data, name, tasks)[0].problem
        unread = [marking.problem for marking in assess(data, name, tasks, Rules())]
        assert [str(problem)] * 3 == [*map(str, unread)] != ["None"] * 3, name
    assert "not_gradable" == assess(b"[[]]", "a.json", tasks, Rules())[1].verdict


def test_a_list_as_the_derivative_of_the_result_is_that_of_the_only_array_that_is_required() -> None:
    problem, answer = "sum(w.*x) @ w=[1,2], x=[3,4]", b"f = 11\ndf = [3, 4]\n"
    (one,) = assess(answer, "a.txt", [task_of(problem, wrt=("w",))], Rules())
    assert ("right", ["correct"] * 2) == (one.verdict, [mark.verdict for mark in one.marks])
    (several,) = assess(answer, "a.txt", [task_of(problem)], Rules())  # it is not said of which
    assert several.answer is not None and ["df"] == [part.text for part in several.answer.left_out]
    assert "incomplete" == several.verdict


@pytest.mark.parametrize(
    ("problem", "text", "verdict"),
    [
        ("sum(pi*x) @ x=[1,2]", "y = 3", "wrong"),
        ("5 @ x=[1]", "y = 3\ny_bar = 1", "wrong"),
        ("pi @ x=[1,2]", "y = [1,2]", "incomplete"),
        ("if(x>0,x,-x) @ x=1", "v1 = x^2 = 9\ny = v1 + 1 = 10\ndy/dx = 2x = 4", "wrong"),
        ("if(x>0,x,-x)", "- y = 3\n- f_x = 2", "not_gradable"),
        ("5 @ x=1", "dy/dx = 2x = 4", "wrong"),
        ("0^x @ x=2, y=[1]", f"y = {'9' * 5000}", "wrong"),
    ],
)
def test_wrong_answers_to_problems_with_constants_and_branches_are_marked(
    problem: str, text: str, verdict: str
) -> None:
    order = 1 if "@" in problem else 3
    (marking,) = assess(text.encode(), "a.txt", [task_of(problem, order=order, formulas=True)], Rules())
    assert (verdict, 0) == (marking.verdict, marking.earned)
