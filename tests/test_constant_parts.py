"""Constants that an answer works out in rows of its own are right where they are, and to blame where they are not."""

from __future__ import annotations

import itertools

import pytest
from constant_answers import answered, blame, complaint, marked
from constant_parts import cases, slip_of
from drawn import usually

from adcli.marking.assessing import assess
from adcli.marking.disclosure import redact
from adcli.marking.model import Marking, Rules
from adcli.marking.task import task_of
from adcli.render.answers.marks_text import document, plain

CUBE = "(2^3)*(exp(x1)) @ x1=3.4"


def judged(problem: str, mode: str, text: str, name: str = "answer.txt") -> Marking:
    (found,) = assess(text.replace("; ", "\n").encode(), name, [task_of(problem, mode=mode)], Rules())
    return found


def verdicts(marking: Marking) -> dict[str, str]:
    return {mark.row: mark.verdict for mark in marking.marks}


# --- generated answers ------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, usually(102, thoroughly=104)))
def test_an_honest_answer_that_works_out_constants_has_no_wrong_row(seed: int) -> None:
    for problem, way, _ in itertools.islice(cases(seed), 20):
        answer = answered(problem, way)
        assert answer is not None
        assert "" == complaint(marked(problem, way, answer)), (problem.text, way, answer[0])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200, usually(202, thoroughly=204)))
def test_a_slip_in_a_constant_is_the_first_error_and_what_follows_is_carried(seed: int) -> None:
    tried = 0
    for problem, way, source in itertools.islice(cases(seed), 20):
        slip = slip_of(problem, way, source)
        answer = None if slip is None else answered(problem, way, slip)
        if slip is not None and answer is not None:
            tried += 1
            assert "" == blame(marked(problem, way, answer), way.names[slip[0]]), (problem.text, way, answer[0])
    assert tried > 5


# --- by hand ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "text"),
    [
        ("value", "v1 = 2^3 = 8; v2 = exp(x1) = 29.9641; v3 = v1*v2 = 239.7128"),
        ("value", "v1 = 8; v2 = 29.9641; v3 = 239.7128"),
        ("value", "a = 2^3 = 8; b = exp(x1) = 29.9641; y = a*b = 239.7128"),
        ("value", "a = 8; b = exp(x1) = 29.9641; y = a*b = 239.7128"),
        ("value", "v1 = 2; v2 = 3; v3 = v1^v2 = 8; v4 = exp(x1) = 29.9641; v5 = v3*v4 = 239.7128"),
        ("forward", "v1 = 2^3 = 8; v2 = exp(x1) = 29.9641; v3 = v1*v2 = 239.7128; dx1 = 1; dv1 = 0"
                    "; dv2 = v2*dx1 = 29.9641; dv3 = v1*dv2 + v2*dv1 = 239.7128"),
        ("reverse", "v1 = 2^3 = 8; v2 = exp(x1) = 29.9641; v3 = v1*v2 = 239.7128; v3bar = 1; v2bar = v3bar*v1 = 8"
                    "; v1bar = v3bar*v2 = 29.9641; x1bar = v2bar*v2 = 239.7128"),
    ],
)  # fmt: skip
def test_a_power_of_numbers_may_be_a_row(mode: str, text: str) -> None:
    found = judged(CUBE, mode, text)
    assert ("right", "") == (found.verdict, complaint(found))
    assert all(level or "8" not in plain(document([redact(found, level)])) for level in range(6))  # and all is shown


def test_a_constant_row_is_worth_nothing_so_that_every_answer_is_worth_the_same() -> None:
    with_row = judged(CUBE, "value", "v1 = 2^3 = 8; v2 = exp(x1) = 29.9641; v3 = v1*v2 = 239.7128")
    without = judged(CUBE, "value", "v1 = exp(x1) = 29.9641; v2 = 2^3*v1 = 239.7128")
    assert 3 == with_row.possible == without.possible == with_row.earned == without.earned


@pytest.mark.parametrize(
    "text",
    [
        "v1 = 2^3 = 6; v2 = exp(x1) = 29.9641; v3 = v1*v2 = 179.7846",
        "v1 = 6; v2 = exp(x1) = 29.9641; v3 = v1*v2 = 179.7846",
        "v1 = 3^2 = 9; v2 = exp(x1) = 29.9641; v3 = v1*v2 = 269.6769",
        "a = 2^3 = 6; b = exp(x1) = 29.9641; y = a*b = 179.7846",
        "a = 6; b = exp(x1) = 29.9641; y = a*b = 179.7846",
        "b = exp(x1) = 29.9641; a = 3^2 = 9; y = a*b = 269.6769",
    ],
)
def test_a_wrong_constant_is_the_first_error(text: str) -> None:
    found = judged(CUBE, "value", text)
    wrong = [mark for mark in found.marks if mark.verdict not in ("correct", "carried")]
    assert ["error"] == [mark.verdict for mark in wrong]
    assert found.first == found.marks.index(wrong[0])
    assert wrong[0].row in ("v1", "a")
    assert "carried" == found.marks[-1].verdict


def test_constants_may_be_put_together_in_another_way_than_the_problem_has_them() -> None:
    text = "v1 = 2*3 = 6; v2 = v1*x = 24; v2bar = 1; v1bar = v2bar*x = 4; xbar = v2bar*v1 = 6"
    assert {"correct"} == set(verdicts(judged("x*2*3 @ x=4", "reverse", text)).values())
    slip = verdicts(judged("x*2*3 @ x=4", "value", "c = 2*3 = 5; y = x*c = 20"))
    assert {"c": "error", "y": "carried"} == slip


def test_a_constant_exponent_in_a_row_has_a_tangent_of_0_where_its_base_has_no_logarithm() -> None:
    text = "n = 1 + 2 = 3; y = x^n = -8; dx = 1; dn = 0; dy = n*x^2*dx = 12"
    found = judged("x^(1+2) @ x=-2", "forward", text)
    assert ("right", "") == (found.verdict, complaint(found))
    slip = verdicts(judged("x^(1+2) @ x=-2", "forward", text.replace("= -8", "= -6")))
    assert {"y": "error", "ẏ": "correct"} == {row: slip[row] for row in ("y", "ẏ")}


def test_a_slip_is_no_constant_though_the_problem_has_one_of_that_size() -> None:
    assert {"v1": "error", "v2": "carried"} == verdicts(judged("(1+1)*x + 3 @ x=3", "value", "v1 = 2; v2 = v1 + 3 = 5"))
    assert {"v1": "error", "v2": "carried"} == verdicts(judged("2*x + 3 @ x=3", "value", "v1 = 2; v2 = 5"))


def test_a_result_that_no_row_is_named_for_has_its_own_name_in_marks() -> None:
    found = judged("x1*x2 @ x1=2, x2=5", "forward", "y1 = x1*x2 = 10; dv7/dx1 = 5")
    assert all(mark.row.strip("\u0307\u0304") for mark in found.marks)
