"""Tables of nothing but numbers: every number of a step stands, in whatever order, with steps left out or shared."""

from __future__ import annotations

import pytest

from adcli.marking.assessing import assess
from adcli.marking.model import Marking, Rules
from adcli.marking.task import task_of

FUSED = "exp(tanh(exp(r)))/sin(2^s - 3) @ r=-1.2, s=-1.2"
SHARED = "exp(x)*(1.5 - (y/x) + (y/x) + z^(y/x)) @ x=0.3, y=-0.5, z=0.6"
PAPER = "log(x1)+x1*x2-sin(x2) @ x1=2, x2=5"


def marked(text: str, problem: str, mode: str | None, wrt: str | None = None, name: str = "a.txt") -> Marking:
    return assess(text.encode(), name, [task_of(problem, mode=mode, wrt=(wrt,) if wrt else ())], Rules())[0]


@pytest.mark.parametrize(
    ("text", "problem", "mode", "wrt"),
    [
        (
            "v1 = 0.43528\nv2 = -2.5647\nv3 = -0.54542\nv4 = -2.4562\nv1dot = 0.30171\nv2dot = 0.30171\n"
            "v3dot = -0.25288\nv4dot = 1.1388",
            FUSED, "forward", "s",
        ),
        ("p = -1.6667\nq = 3.1667\nr = 2.3429\ns = 3.8429\nt = 5.1873", SHARED, "value", None),
        ("a = -0.959\nb = 0.693\nc = 10\nd = 10.693\ne = 11.652", PAPER, "value", None),
        ("v1 = 10\nv2 = 0.693\nv3 = 10.693\nv4 = -0.959\nv5 = 11.652", PAPER, "value", None),
        ("v1 = 10\nv2 = 10.693\nv3 = 11.652", PAPER, "value", None),
        (
            "t1 = 0.49\nt2 = 0.7\nt3 = 0.49\nt4 = 0.7\nt5 = -0.7",
            "-sqrt(x^2/x/x*x^2) @ x=0.7", "value", None,
        ),
        (
            "w1 = 2.2\nw2 = 1.4832\nw3 = 1.8063\nw4 = 9.6923\n∂w4/∂w4 = 1\n∂w4/∂w3 = 30.1372\n∂w4/∂w2 = 55.0547\n"
            "∂w4/∂w1 = 18.5594\n∂w4/∂s = -3.7119\n∂w4/∂r = 18.5594",
            "cosh(sinh(sqrt(r/s + s)^1.5)) @ r=1.2, s=1", "reverse", None,
        ),
        (  # own rounding: dz/ds goes on from z
            "p = 2.2\nq = 0.75\nr = 2.933\ns = 3.409\nz = 1.846\ndz/dz = 1\ndz/ds = 0.2709\ndz/dr = -0.3149\n"
            "dz/dq = 1.232\ndz/dp = -0.4199\ndz/db = -0.4199\ndz/dx = 0.3080\ndz/dw = 3.696",
            "sqrt(10/((1 + b)/(x*w))) @ w=0.25, x=3, b=1.2", "reverse", None,
        ),
    ],
)  # fmt: skip
def test_every_number_of_a_step_stands_and_a_step_left_out_is_not_missing(
    text: str, problem: str, mode: str, wrt: str | None
) -> None:
    marking = marked(text, problem, mode, wrt)
    crossed = [(mark.row, mark.verdict) for mark in marking.marks if mark.verdict not in ("correct", "rounding")]
    assert ([], "right", marking.possible) == (crossed, marking.verdict, marking.earned)


def test_one_wrong_number_among_others_is_the_first_error() -> None:
    text = "a = -0.959\nb = 0.693\nc = 7\nd = 7.693\ne = 8.652"
    marking = marked(text, PAPER, "value")
    assert ["correct", "correct", "error", "carried", "carried"] == [mark.verdict for mark in marking.marks]


@pytest.mark.parametrize("text", ["v1 = 11.652\nv2 = 10.693\nv3 = -0.959\nv4 = 10\nv5 = 0.693",
                                  "v1 = 10\nv2 = -0.959\nv3 = 10.693\nv4 = 11.652\nv5 = 0.693"])  # fmt: skip
def test_a_row_that_comes_after_one_that_uses_it_is_not_told_by_its_number(text: str) -> None:
    assert "wrong" == marked(text, PAPER, "value").verdict


@pytest.mark.parametrize(
    ("text", "problem", "mode"),
    [
        (
            "D = 0.7333\ntmp = 0.9144\ndy/dx2 = -0.6208\nF = -2.2333\ndy/dx1 = -0.8097",
            "cos(3*(x2 + x1/x2)) @ x1=1.1, x2=1.5", None,
        ),
        ("t2 = 1.37840\nt9 = 4.13521\nt8 = 2.75681\nf = 27.56810", "3*sqrt(x1) - sqrt(x1) @ x1=1.9", "value"),
    ],
)  # fmt: skip
def test_a_number_that_is_no_step_keeps_an_answer_from_being_right(text: str, problem: str, mode: str | None) -> None:
    marking = marked(text, problem, mode)
    assert marking.verdict == "incomplete"
    assert any("no step of the problem has this number" in mark.feedback for mark in marking.marks)


def test_the_width_of_a_difference_after_the_values_costs_nothing() -> None:
    assert marked("a = 0.693\nb = 10\nc = -0.959\nd = 10.693\ny = 11.652\nh = 0.001", PAPER, "value").verdict == "right"
