"""Nothing that simplifies is wrong on any side of a threshold, and a rule that is unsound would be found."""

from __future__ import annotations

import math
import os
from itertools import product

import pytest
import soundness
from drawn import THOROUGH, usually
from support import printed
from test_ranges import MONOTONE, complaints, monotone_complaints

from adcli import parse
from adcli.numbers.range_arithmetic import RANGES
from adcli.numbers.ranges import POSITIVE, Range
from adcli.symbolic.derivative import Adjoints
from adcli.symbolic.knowledge import Knowledge
from adcli.table.primitive import ROWS

MANY = int(os.environ.get("ADCLI_SOUNDNESS", "0"))  # programs for each check; by default a few
FEW = {"formulas": usually(25, thoroughly=80), "second": usually(6, thoroughly=14), "third": usually(3, thoroughly=10),
       "kernels": usually(20, thoroughly=30), "expansions": usually(12, thoroughly=20), "counts": 50, "readings": 15,
       "homework": usually(25, thoroughly=40), "domains": usually(60, thoroughly=100),
       "ends": usually(25, thoroughly=40)}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("check", soundness.CHECKS)
def test_what_is_simplified_is_right_on_every_side(check: str) -> None:
    pairs, wrong = soundness.complaints(MANY or FEW[check], seed=20, check=check)
    assert [] == wrong
    assert pairs >= (MANY or FEW[check]) / 2


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("abs(exp(x)-50)", "exp(x)*sign(exp(x) - 50)"),
        ("max(exp(x)-50, 0)", "if(exp(x) - 50 > 0, exp(x), if(exp(x) - 50 == 0, exp(x)/2, 0))"),
        ("max(x^2+1-100, 0)", "if(x^2 > 99, 2*x, if(x^2 == 99, x, 0))"),
        ("sqrt(abs(sin(sqrt(x))))", "sign(sin(sqrt(x)))*cos(sqrt(x))/(4*sqrt(x)*sqrt(abs(sin(sqrt(x)))))"),
        (
            "abs(gamma(2^x)-20000)",
            "2^x*gamma(2^x)*sign(gamma(2^x) - 20000)*polygamma(0, 2^x)*log(2)",
        ),
        # what is certain goes: ranges know more than signs
        ("abs(x^2 + 1)", "2*x"),
        ("max(x^2 + 1, 0.5)", "2*x"),
        ("abs(sin(x) - 1.5)", "-cos(x)"),
        ("abs(exp(-x^2) + 1e-5)", "-2*x*exp(-x^2)"),
        ("log(x - 3) + abs(x)", "1/(x - 3) + 1"),
        ("asin(x)*abs(x + 2)", "abs(x + 2)/sqrt(1 - x^2) + asin(x)"),
        ("max(exp(x), -3)", "exp(x)"),
        # what is level has the slope 0, whatever stands around it
        (
            "acosh(max(x, 1))",
            "if(x > 1, 1/(sqrt(max(x, 1) - 1)*sqrt(max(x, 1) + 1)), "
            "if(x == 1, 1/(2*sqrt(max(x, 1) - 1)*sqrt(max(x, 1) + 1)), 0))",
        ),
        ("sqrt(relu(x))", "if(x > 0, 1/(2*sqrt(relu(x))), 0)"),
        # a factor that stands twice is not taken out as one
        ("abs(x)^3/abs(x)", "2*abs(x)^2*sign(x)/abs(x)"),
        ("(exp(-x) - 2)/(1 + (abs(x)^1.5)^2)*sign(x)", None),
    ],
)
def test_only_what_is_certain_is_dropped(text: str, formula: str | None) -> None:
    code, out, _ = printed("diff", text)
    assert code == 0
    assert formula is None or formula == out.split("= ", 1)[1].strip()


def test_a_rule_that_comes_to_nothing_is_no_fact() -> None:
    formula = parse("log(c*(b*x^n)^p)*x^0").derivative("x")  # x^0 has no derivative in which x stands below the line
    assert formula.value({"c": 2.0, "b": 3.0, "p": 0.5, "x": 0.0, "n": 0.0}) == 0


def test_a_sum_over_a_root_that_stands_twice_keeps_both() -> None:
    made = soundness.Program("(exp(-x) - 1.125)/(1 + (abs(log(1 + x^2) - 19.7)^1.5)^2)", [1.0, 19000.0])
    assert (soundness.POINTS, []) == soundness.formula_complaints(made, soundness.random.Random(1))


# --- rules that are unsound -------------------------------------------------------------------------------------------


def _always_positive(patch: pytest.MonkeyPatch) -> None:
    right = Knowledge.range_of
    patch.setattr(Knowledge, "range_of", lambda of, slot: POSITIVE if right(of, slot).high > 0 else right(of, slot))


def _never_zero(patch: pytest.MonkeyPatch) -> None:
    right = Knowledge.range_of

    def range_of(self: Knowledge, slot: int) -> Range:
        found = right(self, slot)
        return Range(found.low, found.high, found.open_low, found.open_high, nonzero=True)

    patch.setattr(Knowledge, "range_of", range_of)


def _few_examples(patch: pytest.MonkeyPatch) -> None:
    """What the method of nine sizes would say of a difference."""
    right = Range.__sub__
    sizes = (1e-3, 0.3, 0.5, 1.0, 1.5, 2.0, 3.0, 7.25, 40.0)

    def difference(self: Range, other: Range) -> Range:
        found = right(self, other)
        signs = {size > other.low for size in sizes} if getattr(other, "point", False) and self.low >= 0 else {0, 1}
        return found if len(signs) > 1 else found.meeting(POSITIVE if True in signs else -POSITIVE)

    patch.setattr(Range, "__sub__", difference)


def _everything_has_a_value(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Knowledge, "has_value", lambda *_: True)


def _certain_in_any_case(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Adjoints, "_find_certain", lambda _, output: set(product(range(output + 1), range(9))))


def _cell(name: str, wrong: Range) -> object:
    def plant(patch: pytest.MonkeyPatch) -> None:
        right = getattr(RANGES, name)
        patch.setattr(RANGES, name, lambda x: right(x).meeting(wrong))

    return plant


PLANTED = {
    "every number is positive": (_always_positive, "formulas"),
    "no number is 0": (_never_zero, "domains"),
    "nine sizes": (_few_examples, "formulas"),
    "the exponential function is above 1": (_cell("exp", Range(1.0, math.inf)), "formulas"),
    "the logarithm is positive": (_cell("log", POSITIVE), "formulas"),
    "the square root is above 2": (_cell("sqrt", Range(2.0, math.inf)), "formulas"),
    "rules count where their factor is 0": (_certain_in_any_case, "ends"),
    "everything has a value": (_everything_has_a_value, "domains"),
}  # fmt: skip


# What is planted as others are, in another cell or another row: usually their likes stand for them.
LIKEWISE = {"the logarithm is positive", "the square root is above 2"}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PLANTED if THOROUGH or name not in LIKEWISE])
def test_an_unsound_rule_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant, check = PLANTED[name]
    plant(monkeypatch)
    wrong: list[str] = []
    for seed in range(120):
        wrong = soundness.complaints(5, seed, check)[1]
        if wrong:
            return
    assert wrong, f"nobody noticed that {name}"


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("tanh", POSITIVE), ("erf", -POSITIVE), ("sin", Range(0.0, 1.0)), ("cosh", Range(1.5, math.inf)),
        ("log1p", POSITIVE), ("gamma", POSITIVE), ("atan", Range(-1.5, 1.5)), ("floor", Range(-9.0, 9.0)),
        ("expm1", Range(-0.9, math.inf)),
    ],
)  # fmt: skip
def test_a_wrong_range_is_found(name: str, wrong: Range, monkeypatch: pytest.MonkeyPatch) -> None:
    right, source = getattr(RANGES, name), soundness.random.Random(1)
    monkeypatch.setattr(RANGES, name, lambda x: right(x).meeting(wrong))
    assert any(complaints(ROWS[name], source) for _ in range(400))


def test_a_wrong_cell_is_found_by_enclosures() -> None:
    for name, wrong in (("exp", {"rising": False}), ("tanh", {"image": POSITIVE}), ("acos", {"rising": True})):
        assert [] == monotone_complaints(name, MONOTONE[name])
        assert monotone_complaints(name, MONOTONE[name]._replace(**wrong))
