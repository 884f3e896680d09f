"""One typed number against the truth: a number s with last place u stands for s − u/2 to s + u/2."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from adcli.marking.prediction import COARSE, RIGHT, UNREADABLE, WORDS, WRONG, judge_number, numeral
from adcli.notation.number_text import Digits

# What is typed, the truth, and what is thought of it; the page to step through is held to the same table.
CASES = [
    ("0.693", 0.6931471805599453, RIGHT), ("0.694", 0.6931471805599453, WRONG), ("0.69", 0.6931471805599453, RIGHT),
    ("0.7", 0.6931471805599453, RIGHT), ("1", 0.6931471805599453, RIGHT), ("0", 0.2, COARSE), ("0", 0.0, RIGHT),
    ("0.0", 0.04, COARSE), ("-0.284", -0.28366218546322625, RIGHT), ("−0.284", -0.28366218546322625, RIGHT),
    ("0.284", -0.28366218546322625, WRONG), ("+5.5", 5.5, RIGHT), ("5.", 5.0, RIGHT), (".5", 0.5, RIGHT),
    ("1.001", 1.0005, RIGHT), ("1.000", 1.0005, RIGHT), ("1.0", 1.0005, RIGHT), ("1.002", 1.0005, WRONG),
    ("10.693", 10.693147180559945, RIGHT), ("10.692", 10.693147180559945, WRONG), (" 12 ", 11.652, RIGHT),
    ("1/2", 0.5, RIGHT), ("-1/3", -1 / 3, RIGHT), ("3/5", 0.5, WRONG), ("1/0", 0.5, UNREADABLE),
    ("1/0.0", 0.5, UNREADABLE), ("0.5/1.5", 1 / 3, RIGHT), ("1/2/3", 0.5, UNREADABLE), ("0/3", 0.0, RIGHT),
    ("0/3", 1e-300, WRONG), ("1e3", 1000.0, RIGHT), ("1e3", 1400.0, RIGHT), ("1e3", 1600.0, WRONG),
    ("1.2e-3", 0.0012, RIGHT), ("1.2·10^-3", 0.0012, RIGHT), ("1.2 × 10^(-3)", 0.0012, RIGHT),
    ("1.2*10^-3", 0.0013, WRONG), ("5.551e-17", 5.551115123125783e-17, RIGHT), ("1e300", 1e300, RIGHT),
    ("1e308", 1.7e308, WRONG), ("1e22", 1e22, RIGHT), ("0.1", 0.1, RIGHT),
    ("0.30000000000000004", 0.30000000000000004, RIGHT), ("0.3", 0.30000000000000004, RIGHT),
    ("0.30000000000000000", 0.30000000000000004, WRONG), ("5", 4.5, RIGHT), ("4", 4.5, RIGHT), ("-5", -4.5, RIGHT),
    ("", 1.0, UNREADABLE), (".", 1.0, UNREADABLE), ("-", 1.0, UNREADABLE), ("one", 1.0, UNREADABLE),
    ("1,5", 1.5, UNREADABLE), ("--1", 1.0, UNREADABLE), ("1e9999", 1.0, UNREADABLE), ("1e", 1.0, UNREADABLE),
    ("0x10", 16.0, UNREADABLE), ("٣", 3.0, UNREADABLE), ("inf", 1.0, UNREADABLE), ("nan", 1.0, UNREADABLE),
    ("1" * 60, 1.0, WRONG), ("1" * 61, 1.0, UNREADABLE), ("<b>1</b>", 1.0, UNREADABLE),
]  # fmt: skip

numbers = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(("text", "truth", "expected"), CASES)
def test_a_typed_number_is_judged_by_its_last_place(text: str, truth: float, expected: str) -> None:
    assert expected == judge_number(text, truth)


@given(truth=numbers, places=st.integers(0, 12))
@example(truth=1.0005, places=3)
@example(truth=-2.5, places=0)
def test_what_tables_show_is_right(truth: float, places: int) -> None:
    assert RIGHT == judge_number(Digits(places).show(truth), truth)


@given(truth=st.floats(-1e6, 1e6), places=st.integers(0, 6), steps=st.integers(-3, 3))
def test_a_number_is_right_if_and_only_if_the_truth_is_within_half_its_last_place(
    truth: float, places: int, steps: int
) -> None:
    unit = Decimal(1).scaleb(-places)
    shown = Decimal(repr(truth)).quantize(unit) + steps * unit
    inside = abs(Fraction(shown) - Fraction(repr(truth))) <= Fraction(unit) / 2
    expected = (COARSE if truth and abs(shown) <= unit / 2 else RIGHT) if inside else WRONG
    assert expected == judge_number(f"{shown:f}", truth)


@given(above=st.integers(-999, 999), below=st.integers(1, 999))
def test_a_fraction_is_exact(above: int, below: int) -> None:
    assert RIGHT == judge_number(f"{above}/{below}", above / below)
    assume(above)
    assert WRONG == judge_number(f"{above + 1}/{below}", above / below)


@given(st.text(max_size=70))
def test_no_text_does_harm(text: str) -> None:
    assert judge_number(text, 1.0) in WORDS
    found = numeral(text)
    assert found is None or found.unit > 0
