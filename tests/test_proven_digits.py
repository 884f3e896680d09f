"""Digits that are asked for are right: `--precision` computes with as many as it takes, and says where none are."""

from __future__ import annotations

import mpmath
import pytest
from support import evaluated
from test_taylor import document

from adcli.errors import RequestError
from adcli.numbers import arb_intervals

LOST = [  # what cancels, or turns too fast, with forty digits
    ("sin(10^x)", "120", lambda x: mpmath.sin(mpmath.mpf(10) ** x)),
    ("(1-cos(x))/x^2", "1e-30", lambda x: 2 * mpmath.sin(x / 2) ** 2 / x**2),
    ("(1-cos(x))/x^2", "1e-300", lambda x: 2 * mpmath.sin(x / 2) ** 2 / x**2),
    ("log(1+x)/x", "1e-70", lambda x: mpmath.log1p(x) / x),
    ("exp(x)*exp(-x)-1+x^3", "1e-25", lambda x: x**3),
]


@pytest.mark.parametrize(("text", "at", "function"), LOST)
@pytest.mark.parametrize("library", [True, False])
def test_forty_digits_are_right_where_many_more_are_needed(
    text: str, at: str, function: object, library: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not library:

        def missing(*_: object) -> None:
            raise RequestError("not installed")

        monkeypatch.setattr(arb_intervals.Interval, "__init__", missing)
    answer = evaluated(text, {"x": at}, "--precision", "40", "--hessian")
    (output,) = answer.data["outputs"]
    with mpmath.workdps(2000):
        x = mpmath.mpf(at)
        value, slope = function(x), mpmath.diff(function, x, h=abs(x) * mpmath.mpf(10) ** -200)  # type: ignore[operator]
        assert abs(mpmath.mpf(output["decimal"]) / value - 1) < mpmath.mpf(10) ** -39
        assert abs(mpmath.mpf(output["decimal_gradient"]["x"]) / slope - 1) < mpmath.mpf(10) ** -39
    assert [] == [n for n in answer.data["notes"] if n["kind"] == "uncertain" and "not a proof" not in n["text"]]
    assert library == ("not a proof" not in str(answer.data["notes"]))


def test_a_number_that_may_be_zero_is_said_to_have_no_right_digit() -> None:
    notes = evaluated("sin(pi)+x", {"x": "0"}, "--precision", "30").data["notes"]
    said = [note["text"] for note in notes if note["kind"] == "uncertain"]
    assert "no digit of y is proven right, computed with 4000 digits: it may be 0 or have no value" in said


def test_coefficients_of_a_series_are_right_in_all_digits() -> None:
    arguments = ("(1-cos(x))/x^2", "--at", "x=1e-30", "--order", "2", "--precision", "30")
    coefficients = document(*arguments)["outputs"][0]["coefficients"]
    with mpmath.workdps(40):
        for found, expected in zip(coefficients, ("0.5", mpmath.mpf("-1e-30") / 12, mpmath.mpf(-1) / 24), strict=True):
            assert abs(mpmath.mpf(found) / mpmath.mpf(expected) - 1) < mpmath.mpf(10) ** -29
