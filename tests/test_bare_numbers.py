"""Answers of nothing but numbers: named where only one choice of quantities has them, and never by guessing."""

from __future__ import annotations

import pytest

from adcli.marking.assessing import assess
from adcli.marking.model import Marking, Rules
from adcli.marking.task import task_of

TWO = "exp(x*y)+x/y @ x=1.1,y=0.6"


def marked(text: str, mode: str | None, wrt: str | None = None, problem: str = TWO) -> Marking:
    return assess(text.encode(), "a.txt", [task_of(problem, mode=mode, wrt=(wrt,) if wrt else ())], Rules())[0]


@pytest.mark.parametrize(
    ("text", "mode", "wrt"),
    [
        ("0.66\n1.935\n1.833\n3.768\n", "value", None),
        ("0.66, 1.935, 1.833, 3.768\n", "value", None),
        ("0,66; 1,935; 1,833; 3,768\n", "value", None),
        ("values:\n1) 0,66\n2) 1,935\n3) 1,833\n4) 3,768\n", "value", None),
        ("1.833 -> 0.66 -> 1.935 -> 3.768", "value", None),
        ("1.1, 0.6, 0.66, 1.935, 1.833, 3.768\n", "value", None),
        ("0.66 0.6\n1.935 1.161\n1.833 1.667\n3.768 2.828\n", "forward", "x"),
        ("1 0.66 0.6\n2 1.935 1.161\n3 1.833 1.667\n4 3.768 2.828\n", "forward", "x"),
        ("0.66 1.935\n1.935 1\n1.833 1\n3.768 1\n2.828 -0.927", "reverse", None),
        ("0.66, 1.935, 1.833, 3.768, 1, 1, 1, 1.935, 2.828, -0.927\n", "reverse", None),
        ("0.66, 1.935, 1.833, 3.768, 2.828, -0.927\n", None, None),
    ],
)
def test_numbers_that_can_be_nothing_else_are_right(text: str, mode: str | None, wrt: str | None) -> None:
    found = marked(text, mode, wrt)
    if "2.828 -0.927" in text:  # columns that end in a line of something else are no table
        assert "not_gradable" == found.verdict
    else:
        assert ("right", found.possible) == (found.verdict, found.earned)
        assert found.answer is not None and "are read, in their order, as" in found.answer.notes[-1]


def test_the_one_wrong_number_among_all_steps_is_the_first_error_and_what_follows_is_carried() -> None:
    found = marked("0.66\n1.735\n1.833\n3.568\n", "value")
    assert ["correct", "error", "correct", "carried"] == [mark.verdict for mark in found.marks]


@pytest.mark.parametrize(
    ("text", "mode", "problem"),
    [
        ("1.0, 2.5, 3.768", "value", TWO),
        ("0.66\n1.835\n1.833\n3.668\n", "value", TWO),  # which of the two is the slip?
        ("3.768, -0.927, 2.828", "reverse", TWO),
        ("2, 3", "reverse", "x*y @ x=2, y=3"),
        ("1\n1\n1", "reverse", "x/y @ x=1, y=1"),
        ("1\n2\n3\n4", "value", TWO),
        ("0 0 0 0", "value", TWO),
    ],
)
def test_what_may_be_this_or_that_is_marked_as_neither(text: str, mode: str, problem: str) -> None:
    found = marked(text, mode, problem=problem)
    assert ("not_gradable", 0) == (found.verdict, found.earned)
    assert found.problem is not None and "which of" in found.problem.label
