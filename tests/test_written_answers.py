"""Right answers written with constants, in every format, are right; spoilt ones are marked all the same."""

from __future__ import annotations

import random
from itertools import islice

import pytest
from drawn import usually
from running import run
from written import cases, checked, failed


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(usually(2, thoroughly=4)))
def test_rows_may_be_written_with_constants_and_no_answer_ends_marking(seed: int) -> None:
    chance = random.Random(f"written {seed}")  # noqa: S311 - chance that repeats itself
    for problem, mode, suffix, data, whole in islice(cases(chance), 80):
        done = checked(problem, mode, suffix, data, chance)
        assert not failed(done), (problem, mode, suffix, data, done.err)
        assert done.code == 0 or not whole, (problem, mode, suffix, data, done.out)


def test_an_answer_may_end_in_a_minus_sign() -> None:
    assert not failed(run("check", "-", "--problem", "-(1*x)/(e^2+3) @ x=1", stdin="v1 = 1\nv2 := -1.- ~ 80751 -\n"))
    assert not failed(run("check", "-", "--problem", "-x @ x=1", stdin="v1 = 0005.0-,\nv1bar = 2.-\n"))


@pytest.mark.parametrize(
    ("problem", "answer"),
    [
        ("tau", "y = tau = 6.283"),  # a problem without inputs ended marking
        ("tau", "ybar = e^0 = 1.0000\nbar(x) = 0"),
        ("2*3 + 1", "v1 = 2*3 = 6\nv2 = v1 + 1 = 7"),
        ("2*pi*x @ x=1", "xbar = 2 pi"),  # which was taken for 2, with a word
        ("tau*x @ x=1", "v1 = 6.283\nv1dot = 2 pi = tau"),
        ("-x*2 @ x=1", "xbar = 2 cos pi"),
    ],
)
def test_one_answer(problem: str, answer: str) -> None:
    done = run("check", "-", "--problem", problem, "--format", "plain", stdin=answer)
    assert not failed(done), done.err
    assert "✗" not in done.out


def test_a_number_may_still_have_words_after_it() -> None:
    done = run("check", "-", "--problem", "2*x @ x=1", "--format", "plain", stdin="y = 2\nxbar = 2 by the rule\n")
    assert done.code == 0, done.out
