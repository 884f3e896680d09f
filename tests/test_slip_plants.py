"""Of slips that are planted most are named, and hardly any number that they do not explain is explained by them."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest
from answers import read_answer
from slip_plants import cases, verdict

from adcli.marking.judging.hint_texts import sentence
from adcli.marking.judging.row_verdicts import mark
from adcli.marking.model import Rules
from adcli.marking.programs.reference_traces import trace_worksheet
from adcli.marking.programs.resolving import Resolved
from adcli.marking.slips.catalogue import quantities, slips_of
from adcli.marking.slips.diagnosis import chance, pairs_and_edits
from adcli.marking.task import task_of
from adcli.numbers.double_intervals import Spread

EACH = 50


@cache
def table() -> Counter[tuple[str, str]]:
    return Counter((case.what, verdict(case)) for case in cases(EACH, seed=5))


@pytest.mark.slow
@pytest.mark.parametrize(("what", "named"), [("single", 0.93), ("pair", 0.6), ("edit", 0.6)])
def test_most_of_what_is_planted_is_named(what: str, named: float) -> None:
    assert table()[what, "named"] >= named * EACH


@pytest.mark.slow
@pytest.mark.parametrize("what", ["single", "pair", "random"])
def test_hardly_anything_is_named_that_was_not_planted(what: str) -> None:
    assert table()[what, "false"] <= 0.03 * EACH
    assert 0 == table()[what, "missed"]


def slips(problem: str, text: str, row: str) -> tuple[str, ...]:
    task = task_of(problem)
    (answer,) = read_answer(text.encode(), name="a.txt", inputs=list(task.at), outputs=["y"])
    (found,) = [found for found in mark(task, answer, Rules()).marks if found.row == row]
    assert "error" == found.verdict
    return found.slips


@pytest.mark.parametrize(
    ("problem", "text", "row", "named"),
    [
        # two slips in one row: cos(a) for −sin(a)·ȧ; 1/√a without ½ and with a sign; three times 10 too large
        ("cos(x^2) @ x=1.3", "a = 1.69\ny = -0.11895\ndx = 1\nda = 2.6\ndy = 0.9929", "ẏ", "chain_rule_forgotten+sign"),
        ("sqrt(x^3) @ x=1.3", "a = 2.197\ny = 1.48223\nybar = 1\nabar = -0.67466", "ā", "factor_forgotten+sign"),
        # one edit of a formula, by the number and by the formula
        ("exp(x*z)+x @ x=1.3, z=0.7", "a = x*z = 0.91\nb = 2.48432\ny = 3.18432", "y", "wrong_operand"),
        ("3*x^2 @ x=1.37", "a = x^2 = 1.8769\ny = 7.5076", "y", "wrong_constant"),
        ("2*x+5*z @ x=1.5, z=0.2", "a = 2*x = 3\nb = 3*z = 0.6\ny = a+b = 3.6", "b", "wrong_constant"),
        ("x^3*z @ x=1.3, z=0.7", "a = x^2 = 1.69\ny = a*z = 1.183", "a", "wrong_exponent"),
        ("sin(x)*z @ x=1.3, z=0.7", "a = cos(x) = 0.267\ny = a*z = 0.187", "a", "wrong_operation"),
        # a formula decides, whatever the number may be: x·ȧ for 2x·ẋ at x = 0.5, where the exponent would fit too
        ("x^2+x @ x=0.5", "a = x^2 = 0.25\ny = 0.75\ndx = 1\nda = x*dx = 0.5", "ȧ", "factor_forgotten"),
        ("atan(x) @ x=2", "y = atan(x) = 63.435", "y", "degrees"),
    ],
)
def test_explanations_by_hand(problem: str, text: str, row: str, named: str) -> None:
    assert named.split() == sorted(slips(problem, text, row))


@pytest.mark.parametrize(
    ("problem", "text", "row"),
    [
        ("a = x+z; y = a*x @ x=3, z=2", "a = x+z = 5\ny = a*x = 8", "y"),  # the formula says that it is no sum
        ("x^2*z @ x=1.3, z=0.7", "a = x^2 = 1.69\ny = a*z = 2.39", "y"),
        ("x*z @ x=1.3, z=0.7", "dx = 1\ndz = 0\ny = 0.91\ndy = z*dx = 1.3", "ẏ"),
        ("sin(x)*z @ x=1.3, z=0.7", "a = 0.964\ny = a^7 - 3 = -2.226", "y"),
    ],
)
def test_no_hint_contradicts_a_formula(problem: str, text: str, row: str) -> None:
    assert () == slips(problem, text, row)


@pytest.mark.parametrize(
    "text", ["x1^3/x2 - sqrt(x1)*atan(x2) @ x1=1.3, x2=0.7", "a = x1*x2; a*cos(a) @ x1=1.3, x2=0.7"]
)
def test_everything_that_may_be_named_has_a_sentence(text: str) -> None:
    task = task_of(text)
    sheet = trace_worksheet(task)
    read = sheet.truths()[0].read
    names = {
        name
        for kind, slot, key in quantities(sheet, task, "both")
        for name, _ in (
            *slips_of(sheet, Resolved(kind, slot, key), read),
            *pairs_and_edits(Resolved(kind, slot, key), None, sheet, read),
        )
    }
    assert len(names) > 40
    for name in names:
        assert sentence(name)


def test_the_chance_of_an_accident_is_the_share_that_explanations_cover() -> None:
    number, right = Spread(9.5, 10.5), Spread(8.0, 8.0)
    assert 0 == chance([], number, right)
    assert 0.1 == pytest.approx(chance([Spread(7.0, 7.0)], number, right))  # 1 of 10
    assert 0.2 == pytest.approx(chance([Spread(7.0, 7.0), Spread(12.0, 12.0), Spread(40.0, 40.0)], number, right))
    assert 0.15 == pytest.approx(chance([Spread(7.0, 7.0), Spread(7.5, 7.5)], number, right))
    assert 0.3 == pytest.approx(chance([Spread(8.0, 10.0), Spread(9.0, 9.5)], number, right))
    assert 1 == chance([Spread(0.0, 0.0)], Spread(0.0, 0.0), Spread(0.0, 0.0))
    finer = Spread(9.95, 10.05)
    assert 0.01 == pytest.approx(chance([Spread(7.0, 7.0)], finer, right))
