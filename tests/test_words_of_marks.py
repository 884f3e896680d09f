"""What is said of a row is true of what stands in it."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice

import pytest
from one_wrong_row import cases, honest

from adcli.marking.assessing import assess
from adcli.marking.model import Mark, Marking, Rules
from adcli.marking.programs.value_rows import shown_number
from adcli.marking.task import task_of

PAPER = "log(x1)+x1*x2-sin(x2) @ x1=2, x2=5"


def marked(text: str, problem: str = PAPER, mode: str | None = "value", wrt: str | None = None) -> Marking:
    return assess(text.encode(), "a.txt", [task_of(problem, mode=mode, wrt=(wrt,) if wrt else ())], Rules())[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("y = 0e9", "y: look at this row again"),
        ("y = 0", "y: look at this row again"),
        ("y = 116.52", "y: the digits are right, the decimal point is in the wrong place"),
        ("y = 10, 11.652", "y has two numbers where one is asked for"),
        ("y = 10 vs 11.652", "y has two numbers where one is asked for"),
        ("v1 = v1 + 0", "v1 is given by nothing but itself"),
        ("v1 = log(x1", "v1 has neither a formula nor a number that could be read"),
        ("y = w", "y uses w, which no row defines"),
    ],
)
def test_sentences_about_a_single_row(text: str, said: str) -> None:
    assert said == marked(text).marks[0].feedback


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
    if "a mere 0 or 1" in said and abs(number.value) not in (0, 1):
        return f"{said}: {number}"
    formulas = any(piece.quantities for piece in entry.pieces) if entry else False
    if "formula" in said and not formulas:
        return f"{said}: no formula"
    return ""


@pytest.mark.parametrize("seed", [21, *(pytest.param(k, marks=pytest.mark.slow) for k in range(22, 26))])
def test_what_is_said_of_generated_answers_is_true_of_their_rows(seed: int) -> None:
    for case in (*islice(cases(seed), 40), *islice(honest(seed), 20)):
        marking = marked(case.answer, case.problem, case.mode, case.wrt)
        for mark in marking.marks:
            assert not (mark.feedback and untrue(marking, mark)), case
