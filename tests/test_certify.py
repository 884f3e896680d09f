"""Certified digits: bounds that hold the true number, and warnings where doubles have lost it."""

from __future__ import annotations

from contextlib import nullcontext
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import mpmath
import pytest
from drawn import usually
from support import each, evaluated, number, printed, records

from adcli.numbers import budget
from adcli.numbers.doubles import FLOAT
from adcli.trace.analysis_results import Enclosure
from adcli.trace.faults import _is_clear

EXPRESSIONS = records("expressions")
RUMP = "333.75*b^6+a^2*(11*a^2*b^2-b^6-121*b^4-2)+5.5*b^8+a/(2*b)"


def certificate(text: str, at: dict[str, str], *flags: str) -> tuple[dict[str, Any], Any]:
    """The certified bounds of the only output, and the answer."""
    answer = evaluated(text, at, "--certify", *flags)
    (output,) = answer.data["outputs"]
    return output["certified"], answer


def holds(bounds: list[str], true: Fraction, slack: Fraction = Fraction(0)) -> bool:
    return Fraction(bounds[0]) - slack <= true <= Fraction(bounds[1]) + slack


def precisely(function: Any, digits: int = 120) -> Fraction:
    """What mpmath makes of a function of no arguments, with far more digits than are compared."""
    with mpmath.workdps(digits):
        return Fraction(mpmath.nstr(function(), digits - 20))


@each(EXPRESSIONS[1 :: usually(3, thoroughly=1)])
def test_bounds_hold_the_published_reference_and_are_tight(record: dict[str, Any]) -> None:
    bounds, _ = certificate(record["expr"], record["point"], "--no-trace")
    pairs = [(bounds["value"], record["value"])]
    pairs += [(bounds["gradient"][name], slope) for name, slope in record["gradient"].items()]
    for found, reference in pairs:
        true = Fraction(reference)
        # The references have some 30 digits; what cancels to 0 has them of the terms that cancel.
        assert holds(found, true, abs(true) * Fraction(1, 10**24) + Fraction(1, 10**40)), found
        low, high = map(Fraction, found)
        assert high - low <= abs(low) * Fraction(1, 10**17) + Fraction(1, 10**200)


# Each is named in the literature as lost in doubles; the digits are of the exact rational or of 120-digit arithmetic.
LOST = [
    (RUMP, {"a": "77617", "b": "33096"}, lambda: mpmath.mpf(-54767) / 66192, "-0.8273960599468214"),
    ("(1-cos(x))/x^2", {"x": "1e-8"}, lambda: (1 - mpmath.cos(mpmath.mpf("1e-8"))) / mpmath.mpf("1e-16"), "0.5"),
    ("sqrt(x+1)-sqrt(x)", {"x": "1e15"}, lambda: 1 / (mpmath.sqrt(10**15 + 1) + mpmath.sqrt(10**15)), "1.58113883"),
    ("tan(x)", {"x": "1.5707963267948966"}, lambda: mpmath.tan(mpmath.mpf("1.5707963267948966")), "51998506188720271"),
    ("exp(x)-1", {"x": "1e-20"}, lambda: mpmath.expm1(mpmath.mpf("1e-20")), "1e-20"),
    ("(x^2-1)/(x-1)-2", {"x": "1+1e-14"}, lambda: mpmath.mpf("1e-14"), "1e-14"),
]


@pytest.mark.parametrize(("text", "at", "true", "digits"), LOST)
def test_what_doubles_have_lost_is_told_with_the_right_digits(
    text: str, at: dict[str, str], true: Any, digits: str
) -> None:
    bounds, answer = certificate(text, at)
    assert holds(bounds["value"], precisely(true), abs(precisely(true)) * Fraction(1, 10**95))
    warned = [note for note in answer.data["notes"] if note["kind"] == "uncertain"]
    assert "y is unreliable" in warned[0]["text"]
    assert f"the true number rounds to {digits[:6]}" in warned[0]["text"]
    _, table, _ = printed("eval", text, "--at", ",".join(f"{k}={v}" for k, v in at.items()), "--certify", "--no-trace")
    assert digits[:17] in table.replace("−", "-")


def test_warnings_name_the_rows_that_lost_their_digits() -> None:
    _, answer = certificate("a = cos(x); b = 1-a; b/x^2", {"x": "1e-8"})
    texts = [note["text"] for note in answer.data["notes"] if note["kind"] == "uncertain"]
    assert ["b = 1 − a: floating point gives 0, no digit of which is right; the true number rounds to 5e-17"] == [
        text for text in texts if text.startswith("b =")
    ]
    assert not any(text.startswith("a = cos") and "certain is 0.99" in text for text in texts)
    for formula, at, named in (("(1+x)-1", "1e-17", ["y"]), ("(exp(x)-1-x)/x^2", "1e-5", ["y", "∂y/∂x", "∂²y/∂x∂x"])):
        _, answer = certificate(formula, {"x": at}, "--hessian")
        texts = [note["text"] for note in answer.data["notes"] if note["kind"] == "uncertain"]
        assert named == [text.split(" is ")[0] for text in texts if "=" not in text]
        assert not any(text.startswith("v2 = v1 − 1") for text in texts)  # which is the output


@pytest.mark.parametrize("text", ["log(x)+x*y-sin(y)", "x^y+exp(-x)", "sigmoid(x)*gamma(y)", "x/3+y/7", "max(x, y)^2"])
def test_nothing_is_said_of_numbers_that_are_right(text: str) -> None:
    bounds, answer = certificate(text, {"x": "0.7", "y": "2.5"})
    assert [] == [note for note in answer.data["notes"] if note["kind"] == "uncertain"]
    (output,) = answer.data["outputs"]
    for found, double in [(bounds["value"], output["value"])] + [
        (bounds["gradient"][name], slope) for name, slope in output["gradient"].items()
    ]:
        true = Fraction(found[0])
        assert abs(Fraction(double) - true) <= abs(true) * Fraction(1, 10**13)


def test_literals_and_inputs_are_what_was_written() -> None:
    bounds, _ = certificate("0.1+x", {"x": "0.2"})
    assert ["1", "1"] == bounds["gradient"]["x"]
    assert not _is_clear(SimpleNamespace(holds=lambda m, x: m.one / (x - x)), FLOAT, (1.0,))  # which is not decided
    for text, reason in (
        ("abs(x)", "∂y/∂x, ∂²y/∂x∂x: y is not smooth here: slope -1 from the left and 1 from the right in x"),
        ("max(x, 0)^2", "∂²y/∂x∂x: second derivatives at a kink are not proven"),
    ):
        answer = evaluated(text, {"x": "0"}, "--certify", "--hessian").data
        assert {"x": {"x": None}} == answer["outputs"][0]["certified"]["hessian"]
        assert f"no bounds were found for {reason}" == answer["notes"][-1]["text"]
    of_two = evaluated("max(x*y, 0)^3", {"x": "0", "y": "2"}, "--certify", "--hessian").data["outputs"][0]["certified"]
    assert {name: {"x": None, "y": None} for name in "xy"} == of_two["hessian"]
    for found, true in ((bounds["value"], "0.3"), (certificate("0.1+0.2-0.3+0*x", {"x": "1"})[0]["value"], "0")):
        low, high = map(Fraction, found)
        assert low <= Fraction(true) <= high
        assert high - low <= Fraction(1, 10**24)  # the nearest double is 2e-17 away
    three = "max(1.3*x - 0.9841, 0.18925 - x/4, 3*x - 2.270999)"  # compared with its result, which bounds do not decide
    assert evaluated(three, {"x": "0.757"}, "--certify", "--hessian").data["outputs"][0]["hessian"] == {"x": {"x": 0.0}}
    for text, x, value in (  # decided in exact numbers
        ("floor(sqrt(x)^2)*x", "2", "4"),
        ("if(sqrt(x)^2 >= x, 1, 2)*x", "2", "2"),
        ("if(x > 0.3, x^2, 2*x)", "0.3", "0.6"),
        ("sqrt(abs(x^2 - 2.89))", "1.7", "0"),
    ):
        low, high = map(Fraction, certificate(text, {"x": x})[0]["value"])
        assert low <= Fraction(value) <= high < low + Fraction(1, 10**20)
    ends = [f"1.92874984796391778301734{digit}e-22" for digit in "23"]
    assert ends == certificate("x*exp(-50)", {"x": "1"})[0]["value"]
    with mpmath.workdps(60):
        low, high = certificate("x", {"x": "pi/3"})[0]["value"]
        assert mpmath.mpf(low) <= mpmath.pi / 3 <= mpmath.mpf(high)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("if(sin(x)^2+cos(x)^2 >= 1, 1, 2)*x", "2"),  # true, but no number of digits decides it
        ("sqrt(sin(x)^2+cos(x)^2-1)", "1"),  # the root of what may be below 0
        ("floor(sin(x)^2+cos(x)^2)*x", "2"),
    ],
)
def test_what_no_number_of_digits_decides_is_not_enclosed_or_widely(text: str, at: str) -> None:
    answer = evaluated(text, {"x": at}, "--certify")
    if answer.code == 0:
        (output,) = answer.data["outputs"]
        value = output["certified"]["value"]
        assert value is None or Fraction(value[0]) < Fraction(value[1])
        assert "uncertain" in answer.kinds
    else:
        assert answer.data["kind"] == "domain"


@pytest.mark.parametrize(
    ("text", "at", "value", "slope"),
    [
        ("if(x > 0, x, 2*x + 1)", "-1.5", -2, 2),
        ("if(x > 0, x, 2*x + 1)", "1.5", Fraction(3, 2), 1),
        ("if(x > 0 and x < 1, x^2, 3*x)", "2", 6, 3),
        ("if(x < 0 or x > 1, x^2, 3*x)", "0.5", Fraction(3, 2), 3),
        ("if(not (x > 0), x^2, 3*x)", "-3", 9, -6),
    ],
)
def test_a_branch_that_is_not_taken_counts_for_nothing(text: str, at: str, value: Fraction, slope: int) -> None:
    bounds, _ = certificate(text, {"x": at})
    assert [value, value] == list(map(Fraction, bounds["value"]))
    assert [slope, slope] == list(map(Fraction, bounds["gradient"]["x"]))


def test_value_mode_certifies_the_value_alone() -> None:
    bounds, _ = certificate("sqrt(x)", {"x": "2"}, "--mode", "value")
    assert ["value"] == list(bounds)
    assert holds(bounds["value"], precisely(lambda: mpmath.sqrt(2)), Fraction(1, 10**90))


@pytest.mark.parametrize("at", ["1e-300", "1e300", "-1e-300", "3e-17", "123456789.125"])
def test_bounds_are_rounded_outwards_at_every_magnitude(at: str) -> None:
    bounds, _ = certificate("x/3", {"x": at})
    low, high = map(Fraction, bounds["value"])
    assert low < Fraction(at) / 3 < high
    assert high - low <= abs(low) * Fraction(1, 10**23)
    bounds, _ = certificate("x", {"x": at})
    low, high = map(Fraction, bounds["value"])
    assert low <= Fraction(at) <= high
    assert high - low <= abs(low) * Fraction(1, 10**23)


@pytest.mark.parametrize(
    ("enclosure", "certain", "right"),
    [
        (Enclosure(1.5, "1.5", "1.5"), "1.5", 17),
        (Enclosure(3.14159, "3.14159265358979", "3.14159265358980"), "3.1415926535898", 6),
        (Enclosure(2.0, "-1e-30", "1e-30"), None, 0),
        (Enclosure(0.0, "-1e-30", "1e-30"), None, 17),
        (Enclosure(1e20, "-0.83", "-0.82"), "-0.8", 0),
        (Enclosure(1e20, "-0.86", "-0.84"), None, 0),
        (Enclosure(7.0), None, None),
    ],
)
def test_certain_digits_are_those_in_which_the_bounds_agree(enclosure: Enclosure, certain: Any, right: Any) -> None:
    assert (certain, right) == (enclosure.certain, enclosure.right)


def test_the_double_in_the_table_is_the_one_in_the_trace() -> None:
    bounds, answer = certificate("sin(x)", {"x": "0.5"})
    assert number(answer.data["outputs"][0]["value"]) == float(Fraction(bounds["value"][0]))


@pytest.mark.parametrize("text", ["erfc(x^9)", "exp(-exp(x^2/2))", "tanh(exp(x^2))", "lgamma(exp(exp(x)))", "x^-99999"])
def test_numbers_beyond_all_doubles_are_enclosed_or_left(text: str) -> None:
    answer = evaluated(text, {"x": "9.5"}, "--certify", "--no-trace")
    assert answer.code == 0
    for bounds in answer.data["outputs"][0]["certified"]["gradient"].values():
        assert bounds is None or len(bounds) == 2
    low, high = answer.data["outputs"][0]["certified"]["value"]
    assert low != high
    assert not (low.startswith("-") and float(low) < 0)


@pytest.mark.parametrize(
    ("text", "at", "value", "slope", "row"),
    [
        ("exp(x)*exp(-x)", "1000", 1, 0, "v4 = v1 × v3"),
        ("log(x)", "1e-400", "-921.0340371976182736071965818737456830404405953", "1e400", "v1 = log x"),
        ("x^2/x^2", "1e200", 1, 0, "v3 = v1/v2"),
        ("gamma(x)/gamma(x-1)", "200", 199, 1, "v4 = v1/v3"),
        ("1/x", "1e-400", "1e400", "-1e800", "v1 = 1/x"),
        ("atan2(x, x)", "1e-400", "0.785398163397448309615660845819875721049292349", 0, "v1 = atan2(x, x)"),
        ("if(x > 1, exp(x)-exp(x), 0)", "1000", 0, 0, "v4 = v2 − v3"),
    ],
)
def test_a_value_that_doubles_alone_do_not_have_is_certified(
    text: str, at: str, value: object, slope: object, row: str
) -> None:
    slack = Fraction("1e-23")
    for flags in ((), ("--no-trace",), ("--mode", "reverse"), ("--kinks", "error"), ("--hessian", "--conditioning")):
        found, answer = certificate(text, {"x": at}, *flags)
        assert answer.code == 0
        for bounds, true in ((found["value"], value), (found["gradient"]["x"], slope)):
            assert holds(bounds, Fraction(true), slack * abs(Fraction(true)))  # type: ignore[call-overload]
        notes = [note["text"] for note in answer.data["notes"]]
        assert any(note.startswith(f"{row} has a value here that doubles cannot compute") for note in notes)
        assert not any("is not known: an intermediate result" in note and "∂²" not in note for note in notes)
    assert evaluated(text, {"x": at}).code == 3


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("log(x)", "-1"), ("x^2/x^2", "0"), ("log(x-x)", "3"), ("log(exp(x)-exp(x))", "1000"),
        ("exp(x)*exp(-x)", "inf"), ("1/(x-x)", "1e-400"), ("if(exp(x)-exp(x) >= 0, x, 2)", "1000"),
    ],
)  # fmt: skip
def test_where_there_is_no_value_or_none_is_certain_the_error_stays(text: str, at: str) -> None:
    plain, certified = (evaluated(text, {"x": at}, *flags) for flags in ((), ("--certify",)))
    assert (3, plain.data) == (certified.code, certified.data)
    assert plain.data["schema"] == "error/1"


@pytest.mark.parametrize("check", ["--certify", "--verify"])
def test_the_time_of_checks_is_limited(monkeypatch: pytest.MonkeyPatch, check: str) -> None:
    limited: list[str] = []
    monkeypatch.setattr(budget, "limit_time", lambda: nullcontext(limited.append(check)))
    assert 0 == printed("eval", "x^2", "--at", "x=2")[0] == printed("eval", "x^2", "--at", "x=2", check)[0]
    assert [check] == limited
