"""Where an answer may be read in several ways: orders of gradients, what is added up, two numbers for one quantity."""

from __future__ import annotations

import pytest

from adcli.marking.assessing import assess
from adcli.marking.model import Marking, Rules
from adcli.marking.task import task_of

PAPER = "log(x1)+x1*x2-sin(x2) @ x1=2,x2=5"
VALUES = "v1 = log(x1) = 0.693\nv2 = x1*x2 = 10\nv3 = sin(x2) = -0.959\nv4 = v1+v2 = 10.693\nv5 = v4-v3 = 11.652\n"


def marked(problem: str, text: str, mode: str, name: str = "a.txt") -> Marking:
    (found,) = assess(text.encode(), name, [task_of(problem, mode=mode)], Rules())
    return found


@pytest.mark.parametrize("gradient, order", (("-1.11, -1.50", "x1, x2"), ("-1.50, -1.11", "x2, x1")))
def test_a_gradient_is_read_in_the_order_that_fits(gradient: str, order: str) -> None:
    text = f"v1 = x2/x1 = -2.22\nv2 = x2*v1 = 4.44\nv3 = v2 + v1 = 2.22\nr = ln(v3) = 0.798\n∇r = ({gradient})\n"
    found = marked("log(x2*(x2/x1) + x2/x1) @ x1=0.9, x2=-2", text, "reverse")
    assert found.verdict == "right"
    assert found.answer is not None and f"the gradient is read in the order {order}" in found.answer.notes


def test_a_gradient_that_fits_in_no_order_is_wrong() -> None:
    found = marked("x2/x1 @ x1=2, x2=3", "y = x2/x1 = 1.5\n∇y = (0.75, 0.5)\n", "reverse")
    assert found.verdict == "wrong"


def test_names_in_a_list_keep_their_order() -> None:
    found = marked("x2/x1 @ x1=2, x2=3", "y = x2/x1 = 1.5\n(∂y/∂x1, ∂y/∂x2) = (0.5, -0.75)\n", "reverse")
    assert found.verdict == "wrong"


@pytest.mark.parametrize("rows", (
    "x1bar += 0.5\nx1bar += 5\nx2bar += 2\nx2bar += -0.284\n",
    "x1bar += v1bar/x1 = 0.5\nx1bar += v2bar*x2 = 5\nx2bar += v2bar*x1 = 2\nx2bar += v3bar*cos(x2) = -0.284\n",
    "x1bar += v1bar/x1 = 0.5\nx1bar += v2bar*x2 = 5.5\nx2bar += v2bar*x1 = 2\nx2bar += v3bar*cos(x2) = 1.716\n",
))  # fmt: skip
def test_what_is_added_up_may_be_shown_by_itself_or_as_a_sum(rows: str) -> None:
    bars = "v5bar = 1\nv4bar += v5bar = 1\nv3bar -= v5bar = -1\nv2bar += v4bar = 1\nv1bar += v4bar = 1\n"
    found = marked(PAPER, VALUES + bars + rows, "reverse")
    assert (found.verdict, found.earned) == ("right", found.possible)


@pytest.mark.parametrize("name, text", (
    ("a.csv", "name,value,value\nv1,0.301,0.693\nv2,7,10\nv3,0.087,-0.959\nv4,7,10.693\nv5,8,11.652\n"),
    ("a.csv", "name,value,value\nv1,0.693,0.301\nv2,10,7\nv3,-0.959,0.087\nv4,10.693,7\nv5,11.652,8\n"),
    ("a.txt", "v1 = 0.301 = 0.693\nv2 = 10, 11\nv3 = -0.959; 0.087\nv4 = 7  # 10.693\ny = 3  # 11.652\n"),
    ("a.txt", "v1 = 0.693, 10, -0.959, 10.693, 11.652\nv5 = 0.693, 10, -0.959, 10.693, 11.652\n"),
))  # fmt: skip
def test_two_numbers_for_one_quantity_are_no_answer(name: str, text: str) -> None:
    assert not marked(PAPER, text, "value", name).earned


def test_a_number_may_be_rounded_once_more() -> None:
    found = marked(PAPER, VALUES + "y = 11.6521 ≈ 11.65\n", "value")
    assert (found.verdict, found.earned) == ("right", found.possible)


def test_after_a_colon_a_row_may_only_name_another() -> None:
    text = "v2 = 3*x = 6\nt = v2*x = 12\nt̄: 1\nv̄2: x = 2\nadj x: adj v2 * 3 + adj t*v2 = 12\n"
    assert marked("3*x*x @ x=2", text, "reverse").verdict == "right"


GAUSS = "exp(x*y)+x/y @ x=1.1,y=0.6"
STEPS = "p = x*y = 0.66\nq = exp(p) = 1.935\nr = x/y = 1.833\n"


@pytest.mark.parametrize("mode, text", (
    ("value", STEPS + "y = 3.768\n"),
    ("value", STEPS + "y = q + r = 3.768\n"),
    ("value", "x = 1.1\ny = 0.6\n" + STEPS + "y = 3.768\n"),
    ("value", "y = exp(x*y) + x/y = 3.768\n"),
    ("reverse", STEPS + "y = q + r = 3.768\nybar = 1\nqbar = ybar = 1\nrbar = ybar = 1\npbar = qbar*q = 1.935\n"
                "xbar = pbar*y + rbar/y = 2.828\nybar = pbar*x - rbar*x/y^2 = -0.927\n"),
    ("forward", "x' = 1, y' = 0\np = x*y = 0.66, p' = 0.6\nq = exp(p) = 1.935, q' = 1.161\n"
                "r = x/y = 1.833, r' = 1.667\ny = q + r = 3.768, y' = q' + r' = 2.828\n"),
))  # fmt: skip
def test_a_result_may_go_by_the_name_of_an_input(mode: str, text: str) -> None:
    (found,) = assess(text.encode(), "a.txt", [task_of(GAUSS, mode=mode, wrt=("x",) * (mode == "forward"))], Rules())
    assert (found.verdict, found.earned) == ("right", found.possible)
    assert found.answer is not None and any("y on the left of = is the result" in note for note in found.answer.notes)


@pytest.mark.parametrize("text, row", (
    ("x = 1.1\ny = 3.768\np = x*y = 4.145\nq = exp(p) = 63.1\nr = x/y = 0.292\nz = q+r = 63.4\n", "y"),
    ("p = x*y = 4.145\nq = exp(p) = 63.1\nr = x/y = 0.292\nz = q+r = 63.4\ny = 3.768\n", "y"),
    ("y = 6\n" + STEPS + "z = q+r = 3.768\n", "y"),
    ("Let x = 1.1 and y = 6\n" + STEPS + "z = q+r = 3.768\n", "y"),
    ("We know y = 6\n" + STEPS + "z = q+r = 3.768\n", "y"),
    (STEPS + "z = q+r = 3.768\naccording to me z = 5.1\n", "z"),
    (STEPS + "z = q+r = 3.768\nperhaps, q = 4 is it.\n", "q"),
))  # fmt: skip
def test_a_wrong_row_stays_wrong_next_to_right_ones(text: str, row: str) -> None:
    found = marked(GAUSS, text, "value")
    assert ("wrong", row) == (found.verdict, found.marks[found.first or 0].row)


def test_an_input_that_later_rows_use_is_no_result() -> None:
    found = marked("x*y @ x=2,y=3", "x = 2\ny = 6\nxbar = y = 6\nybar = x = 2\n", "reverse")
    assert ["correct", "error", "carried", "correct"] == [mark.verdict for mark in found.marks]
