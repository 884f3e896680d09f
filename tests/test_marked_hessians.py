"""Second derivatives at a point: set in a key or with --order 2, printed as a form, read in many spellings, marked."""

from __future__ import annotations

from itertools import combinations_with_replacement
from pathlib import Path

import pytest
from filled import FILLERS, filled
from running import run

import adcli
from adcli.marking.assessing import assess
from adcli.marking.model import Rules
from adcli.marking.task import task_of
from adcli.notation.number_text import Digits

PROBLEM = "x^3*y+y^2 @ x=2, y=3"  # f_xx = 6xy = 36, f_xy = 3x^2 = 12, f_yy = 2
SPELLINGS = (
    ("f_xx", "f_xy", "f_yy"),
    ("f_xx(2,3)", "f_yx(2,3)", "f_yy(2,3)"),
    ("fxx", "fxy", "fyy"),
    ("f_{xx}", "f_{xy}", "f_{yy}"),
    ("∂²f/∂x²", "∂²f/∂x∂y", "∂²f/∂y²"),
    ("d^2f/dx^2", "d^2f/dxdy", "d^2f/dy^2"),
    ("d2f/dx2", "d2f/dydx", "d2f/dy2"),
    (r"\frac{\partial^2 f}{\partial x^2}", r"\frac{\partial^2 f}{\partial x \partial y}",
     r"\frac{\partial^{2} f}{\partial y^{2}}"),
    ("H11", "H12", "H22"),
    ("H_xx", "H_xy", "H_yy"),
    ("- f_xx", "- f_xy", "- f_yy"),
)  # fmt: skip
MATRICES = (
    "H = [[36, 12], [12, 2]]",
    "Hessian = [36, 12; 12, 2]",
    r"$$H = \begin{pmatrix} 6xy & 3x^2 \\ 3x^2 & 2 \end{pmatrix} = \begin{pmatrix} 36 & 12 \\ 12 & 2\end{pmatrix}$$",
    "H = np.array([[36., 12.],\n              [12., 2.]])",
    "H =\n( 36 12 )\n( 12  2 )",
    "H = [36 12]\n    [12  2]",
    "Hess f = ((6xy, 3x^2), (3x^2, 2)) = ((36, 12), (12, 2))",
    "H_f = [ 6xy   3x^2 ]  =  [ 36 12 ]\n      [ 3x^2   2   ]     [ 12  2 ]",
    "Hesse-Matrix:\n\n36 12\n12 2",
    r"$$\nabla^2 f = \begin{bmatrix} 36 & 12 \\ 12 & 2 \end{bmatrix}$$",
    "| H | x | y |\n|---|---|---|\n| x | 36 | 12 |\n| y | 12 | 2 |",
)


def verdicts(answer: str, problem: str = PROBLEM) -> tuple[str, list[str]]:
    (marking,) = assess(answer.encode(), "a.txt", [task_of(problem, order=2)], Rules())
    return marking.verdict, [mark.verdict for mark in marking.marks if mark.verdict not in ("correct", "extra")]


@pytest.mark.parametrize("names", SPELLINGS)
def test_each_spelling_is_read_and_one_wrong_number_is_one_cross(names: tuple[str, ...]) -> None:
    numbers = ["6xy = 36", "3x^2 = 12", "2"]
    assert ("right", []) == verdicts("\n".join(f"{a} = {b}" for a, b in zip(names, numbers, strict=True)))
    numbers[1] = "11"
    assert ("wrong", ["error"]) == verdicts("\n".join(f"{a} = {b}" for a, b in zip(names, numbers, strict=True)))


@pytest.mark.parametrize("answer", MATRICES)
def test_a_matrix_is_all_second_derivatives(answer: str) -> None:
    assert ("right", []) == verdicts(answer)
    assert "wrong" == verdicts(answer.replace("36", "30"))[0]


@pytest.mark.parametrize(
    "problem",
    [
        "x^2*y^3 @ x=3, y=2",
        "x*y @ x=3, y=2",
        "x + y^2 @ x=3, y=2",
        "b^2*a + c*b @ c=1, a=2, b=3",
        "y*exp(x) @ x=0, y=2",
    ],
)
def test_its_rows_are_in_the_order_of_the_inputs_also_of_those_that_it_does_not_need(problem: str) -> None:
    text, _, point = problem.partition(" @ ")
    at = {name: float(number) for name, number in (part.split("=") for part in point.split(", "))}
    entries = [list(row.values()) for row in adcli.parse(text).hessian(at).values()]
    assert ("right", []) == verdicts(f"H = {entries}", problem)
    for i, k in combinations_with_replacement(range(len(at)), 2):
        wrong = [[*row] for row in entries]
        wrong[i][k] = wrong[k][i] = entries[i][k] + 5
        verdict, marks = verdicts(f"H = {wrong}", problem)
        assert ("wrong", 1) == (verdict, marks.count("error"))


def test_entries_of_a_hessian_that_should_be_equal_are_not_two_guesses() -> None:
    assert "right" != verdicts("H = [[36, 12], [13, 2]]")[0]
    assert "right" != verdicts("H = [[36, 13], [12, 2]]")[0]


def test_first_derivatives_beside_them_cost_nothing() -> None:
    first = "f = 30\nf_x = 3x^2 y = 35\n∂f/∂y = x^3\n"
    assert ("right", []) == verdicts(first + "f_xx = 6xy = 36\nf_xy = f_yx = 12\nf_yy = 2\n")


def test_primes_are_second_derivatives_with_respect_to_the_only_input() -> None:
    for answer in ("f''(2) = 12x^2 = 48", "y'' = 48", "d^2y/dx^2 = 12 * 2^2 = 48", "y' = 32\ny'' = 48"):
        assert ("right", []) == verdicts(answer, "x^4 @ x=2")
    assert ("wrong", ["error"]) == verdicts("y'' = 24", "x^4 @ x=2")


@pytest.mark.parametrize("form", [*FILLERS, "xlsx"])
def test_a_form_is_read_back(form: str) -> None:
    task = task_of("exp(x*y) + y*sin(x) @ x=0.5, y=2", order=2)
    (marking,) = assess(filled(form, [task], Digits(places=4)), f"a.{form}", [task], Rules())
    assert "right" == marking.verdict


def test_a_key_asks_for_them_and_a_folder_is_graded(tmp_path: Path) -> None:
    key = tmp_path / "hw.toml"
    key.write_text(f'[[problem]]\nlabel = "1"\ntext = "{PROBLEM}"\norder = 2\npoints = 6\n', encoding="utf-8")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "alice.txt").write_text("f_xx = 36\nf_xy = 12\nf_yy = 3\n", encoding="utf-8")
    result = run("grade", str(tmp_path / "in"), "--key", str(key), "-o", str(tmp_path / "out"))
    assert 1 == result.code
    assert ",4" in (tmp_path / "out" / "grades.csv").read_text(encoding="utf-8")
    assert "∂²f/∂x∂y" in run("template", "--key", str(key)).out
    assert "∂²f/∂x∂y" in run("template", PROBLEM, "--order", "2").out


def test_a_mode_asks_for_first_derivatives() -> None:
    result = run("check", "-", "--problem", PROBLEM, "--order", "2", "--mode", "reverse", stdin="f_xx = 36\n")
    assert 2 == result.code
    assert "--order" in result.err
