"""Awkward numerics: outside domains, at corners, beyond the range of doubles, and what is said about each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest
from support import Answer, each, evaluated, number, point_text, printed, records

DOMAIN = records("domain")
GENERATED = {"dom-117": "sin(" * 1000 + "x" + ")" * 1000, "dom-120": "*".join(["x"] * 200)}
MODES = ("value", "forward", "reverse", "both")
ULP = 2.0**-52


class Refused(NamedTuple):
    """There is no value: what the error says, the text that it underlines, the row that it names."""

    title: str
    found: str
    underlined: str
    row: str = ""
    help: str = ""
    code: int = 3


class Found(NamedTuple):
    """There is a value: value and gradient in doubles, and the kinds of the notes that say what is special about them.

    `rel` and `absolute` bound the rounding; a slope of None is one that must not pass for a finite number.
    """

    value: float
    gradient: Mapping[str, float | None]
    kinds: frozenset[str] = frozenset()
    rel: float = 4 * ULP
    absolute: float = 0.0


KINK = frozenset({"kink"})
VERTICAL = frozenset({"kink", "infinite"})
NO_SLOPE = frozenset({"kink", "undefined"})

EXPECTED: dict[str, Refused | Found] = {
    # logarithms and roots
    "dom-001": Refused("log needs a positive argument", "this is 0", "x", "v1 = log x"),
    "dom-002": Refused("log needs a positive argument", "this is -1", "x", "v1 = log x"),
    "dom-006": Refused("log needs a positive argument", "this is 0", "x", "v1 = log x"),
    "dom-009": Found(3.0, {"x": 1 / (8 * math.log(2))}),
    "dom-010": Found(0.0, {"x": math.inf}, VERTICAL),
    "dom-011": Refused("sqrt needs an argument that is not negative", "this is -1", "x", "v1 = sqrt x"),
    "dom-015": Found(0.0, {"x": math.inf, "y": 0.0}, VERTICAL),
    "dom-016": Found(0.0, {"x": math.inf}, VERTICAL),
    "dom-017": Found(0.0, {"x": math.inf}, VERTICAL),
    # powers
    "dom-019": Found(0.0, {"x": 0.0}),
    "dom-020": Found(0.0, {"x": 1.0}),
    "dom-021": Found(1.0, {"x": 0.0}),
    "dom-025": Refused("division by zero", "this is 0", "x", "v1 = x^y"),
    "dom-027": Found(-8.0, {"x": 12.0}),
    "dom-029": Found(9.0, {"x": -6.0}),
    "dom-030": Refused("a negative number has a real power only", "this is -8", "x", "v1 = x^(1/3)", help="cbrt(x)"),
    "dom-031": Refused("division by zero", "this is 0", "x", "v1 = x^(−2)"),
    "dom-033": Found(0.0, {"x": 0.0}),
    "dom-034": Found(1.0, {"x": -math.inf}, VERTICAL),
    "dom-035": Found(1.0, {"x": -math.inf}, VERTICAL),
    "dom-037": Found(1.0, {"x": math.nan}, NO_SLOPE),
    "dom-038": Found(1.0, {"x": 1000.0}),
    # corners and jumps: the convention is one and the same everywhere, and said
    "dom-041": Found(0.0, {"x": 0.0}, KINK),
    "dom-042": Found(0.0, {"x": 0.0}, KINK),
    "dom-043": Found(2.0, {"x": 0.5, "y": 0.5}, KINK),
    "dom-045": Found(0.0, {"x": 0.5}, KINK),
    "dom-048": Found(0.0, {"x": 0.0}, KINK),  # the row |v1| has a corner though the whole has a derivative
    "dom-051": Found(2.0, {"x": 0.0}, KINK),
    # trigonometry
    "dom-053": Found(1.633123935319537e16, {"x": 2.66709378811357119e32}, frozenset({"conditioning"})),
    "dom-059": Found(math.pi, {"y": -1.0, "x": 0.0}, KINK),
    "dom-060": Refused("division by zero", "this is 0", "x", "v1 = y/x"),
    "dom-062": Refused("division by zero", "this is 0", "x", "v2 = v1/x"),
    "dom-063": Found(
        0.0, {"x": 1e-9}, frozenset({"conditioning"})
    ),  # the value 5e-19 is lost in 1 − cos x, the derivative is not
    "dom-064": Found(1.0, {"x": 0.0}, absolute=4 * ULP),  # 2 sin x cos x − 2 cos x sin x
    # division
    "dom-065": Refused("division by zero", "this is 0", "x", "v1 = 1/x"),
    "dom-066": Refused("division by zero", "this is 0", "x", "v1 = x/x"),
    "dom-067": Found(1.0, {"x": 0.0}),
    "dom-068": Found(0.0, {"x": 0.0}),
    "dom-070": Refused("division by zero", "this is 0", "y", "v2 = v1/y"),
    "dom-071": Refused("division by zero", "this is 0", "x", "v1 = 1/x"),
    "dom-072": Refused("this number is too large", "1.8e308", "1e400", code=2),
    "dom-073": Refused("division by zero", "this is 0 when x = 0", "x^2", "v2 = −1/v1"),
    # beyond the largest and below the smallest double
    "dom-076": Refused("inf/inf has no value", "infinite", "exp(x)/(1+exp(x))", "v4 = v1/v3"),
    "dom-077": Found(0.0, {"x": None}, frozenset({"overflow", "undefined"})),  # 5e-435 is 0, its derivative 0·inf
    "dom-081": Refused("inf/inf has no value", "infinite", "sinh(x)/cosh(x)", "v3 = v1/v2"),
    "dom-082": Found(math.inf, {"x": None}, frozenset({"overflow", "undefined"})),
    "dom-087": Found(0.0, {"x": 1.0}, frozenset({"conditioning"})),  # 1e-20 is lost in exp x − 1
    # (x − 1)^8 written out: 25 roundings of terms that add up to 2.001^8 < 260, their derivatives to 8·2.001^7 < 1040
    "dom-095": Found(0.0, {"x": 0.0}, frozenset({"conditioning"}), absolute=25 * ULP * 1040),
    # one node twice over
    "dom-098": Found(0.0, {"x": 0.0}),
    "dom-100": Found(81.0, {"x": 108.0}),
    "dom-101": Found(9.0, {"x": 6.0}, KINK),
    # branches that are not taken
    "dom-103": Found(0.0, {"x": 0.0}, KINK),
    "dom-105": Found(1001.0, {"x": 1.0}),
    "dom-108": Found(0.0, {"x": 0.0}, KINK),
    # literals
    "dom-110": Found(0.0, {"x": 0.0}, frozenset({"underflow"})),
    "dom-111": Found(0.30000000000000004, {"x": 1.0}, rel=0.0),
    "dom-112": Found(9007199254740992.0, {"x": 9007199254740992.0}, frozenset({"rounded"}), rel=0.0),
    # long and deep programs: a thousand factors cos, each with two roundings
    "dom-117": Found(0.0545929715101851774, {"x": 0.000124363811358475424736887940147}, rel=2000 * ULP),
    "dom-120": Found(2.0**200, {"x": 200 * 2.0**199}),
}
# what binary64 cannot reach from the formula as it is written
OUT_OF_REACH = {
    "dom-063": "1 − cos x cancels",
    "dom-072": "a literal beyond the largest double",
    "dom-076": "inf/inf on the way",
    "dom-077": "underflow, and 0·inf on the way to the derivative",
    "dom-081": "inf/inf on the way",
    "dom-082": "x^2 overflows",
    "dom-087": "exp x − 1 cancels",
    "dom-110": "a literal below the smallest double",
}


def answer_to(record: dict[str, Any], *flags: str) -> Answer:
    return evaluated(GENERATED.get(record["id"], record["expr"]), record["point"], "--no-trace", *flags)


def expecting(kind: type) -> Any:
    return each([record for record in DOMAIN if isinstance(EXPECTED[record["id"]], kind)])


def expected_kinds(record: dict[str, Any]) -> frozenset[str]:
    expected = EXPECTED[record["id"]]
    return expected.kinds if isinstance(expected, Found) else frozenset()


def near(expected: float | None, found: float | str, allowed: Found) -> bool:
    """Whether a number is the expected one up to rounding; None stands for any that is not finite."""
    x = number(found)
    if expected is None:
        return not math.isfinite(x)
    return x == pytest.approx(expected, rel=allowed.rel, abs=allowed.absolute, nan_ok=True)


def assert_found(expected: Found, answer: Answer) -> None:
    assert answer.code == 0, answer.err
    (output,) = answer.data["outputs"]
    assert near(expected.value, output["value"], expected), output
    assert set(expected.gradient) == set(output["gradient"])
    for name, slope in expected.gradient.items():
        assert near(slope, output["gradient"][name], expected), (name, output)


def test_every_case_has_an_expectation() -> None:
    assert [record["id"] for record in DOMAIN] == list(EXPECTED)
    assert set(GENERATED) == {record["id"] for record in DOMAIN if "generator" in record}
    assert set(OUT_OF_REACH) < set(EXPECTED)


# --- no value --------------------------------------------------------------------------------------------------------


@expecting(Refused)
def test_no_value_is_an_error_that_says_the_number_and_the_place(record: dict[str, Any]) -> None:
    expected = EXPECTED[record["id"]]
    assert isinstance(expected, Refused)
    answer = answer_to(record)
    error = answer.data
    assert error["schema"] == "error/1", error
    assert expected.code == answer.code
    assert ("domain" if expected.code == 3 else "syntax") == error["kind"]
    assert expected.title in error["title"]
    assert expected.found in error["label"]
    assert expected.underlined == record["expr"][error["column"] - 1 : error["end_column"] - 1]
    assert expected.row in "".join(error["notes"])
    assert error["help"]
    assert expected.help in error["help"]


@pytest.mark.parametrize("mode", MODES)
@expecting(Refused)
def test_no_value_is_an_error_in_every_mode(record: dict[str, Any], mode: str) -> None:
    expected = EXPECTED[record["id"]]
    assert isinstance(expected, Refused)
    answer = answer_to(record, "--mode", mode)
    assert expected.code == answer.code
    assert "outputs" not in answer.data


@expecting(Refused)
def test_people_read_the_same_error(record: dict[str, Any]) -> None:
    answer = answer_to(record)
    assert answer.err.startswith(f"error: {answer.data['title']}\n")
    assert f"1 | {record['expr']}\n" in answer.err
    assert f"^ {answer.data['label']}\n" in answer.err


# --- a value, and what there is to say about it ----------------------------------------------------------------------


@expecting(Found)
def test_value_and_gradient_are_what_doubles_can_give(record: dict[str, Any]) -> None:
    expected = EXPECTED[record["id"]]
    assert isinstance(expected, Found)
    assert_found(expected, answer_to(record))


@pytest.mark.parametrize("mode", ["forward", "reverse"])
@expecting(Found)
def test_each_mode_gives_the_same(record: dict[str, Any], mode: str) -> None:
    expected = EXPECTED[record["id"]]
    assert isinstance(expected, Found)
    assert_found(expected, answer_to(record, "--mode", mode))


@expecting(Found)
def test_what_is_special_is_said(record: dict[str, Any]) -> None:
    expected = EXPECTED[record["id"]]
    assert isinstance(expected, Found)
    assert expected.kinds == answer_to(record).kinds - {"reading"}


@expecting(Found)
def test_every_note_is_said_on_standard_error_too(record: dict[str, Any]) -> None:
    code, out, err = printed(
        "eval", "--at", point_text(record["point"]), "--", GENERATED.get(record["id"], record["expr"])
    )
    assert code == 0
    assert "note: " not in out
    for note in answer_to(record).data["notes"]:
        assert f"note: {note['text']}\n" in err


SMOOTH_ALL_THE_SAME = ("dom-048", "dom-101")  # abs(x^3) at 0, and max(x, x)*min(x, x)


@each([record for record in DOMAIN if record["id"] in SMOOTH_ALL_THE_SAME])
def test_a_corner_of_what_is_smooth_all_the_same_is_none(record: dict[str, Any]) -> None:
    answer = answer_to(record, "--kinks", "error")
    assert answer.code == 0
    assert any("is nevertheless smooth here" in note["text"] for note in answer.data["notes"])


@each([r for r in DOMAIN if "kink" in expected_kinds(r) and r["id"] not in SMOOTH_ALL_THE_SAME])
def test_corners_are_errors_where_no_convention_is_wanted(record: dict[str, Any]) -> None:
    answer = answer_to(record, "--kinks", "error")
    assert answer.code == 3
    assert answer.data["kind"] == "domain"
    assert "this is " in answer.data["label"]


@each([r for r in DOMAIN if isinstance(EXPECTED[r["id"]], Found) and "kink" not in expected_kinds(r)])
def test_what_is_smooth_passes_where_no_convention_is_wanted(record: dict[str, Any]) -> None:
    assert answer_to(record, "--kinks", "error").code == 0


@each([record for record in DOMAIN if isinstance(record.get("reference"), dict) and record["id"] not in OUT_OF_REACH])
def test_true_value_and_gradient_are_met(record: dict[str, Any]) -> None:
    expected = EXPECTED[record["id"]]
    assert isinstance(expected, Found)
    (output,) = answer_to(record).data["outputs"]
    allowed = expected._replace(rel=max(expected.rel, 4 * ULP))
    assert near(float(record["reference"]["value"]), output["value"], allowed)
    for name, slope in record["reference"].get("gradient", {}).items():
        assert near(float(slope), output["gradient"][name], allowed)


@pytest.mark.parametrize(
    ("text", "x", "said"),
    [
        ("1/x", "1e-308", "∂y/∂x is too large for a double and counts as infinite, from v1 = 1/x on"),
        ("gamma(x)", "171.5", "∂y/∂x is too large for a double and counts as infinite, from v1 = gamma x on"),
        ("sqrt(x)", "0", "∂y/∂x is infinite here"),
        ("x^2", "inf", "∂y/∂x is infinite here, from v1 = x^2 on"),
    ],
)
def test_a_slope_beyond_the_doubles_is_told_from_one_that_is_infinite(text: str, x: str, said: str) -> None:
    notes = evaluated(text, {"x": x}, "--no-trace").data["notes"]
    assert [said] == [note["text"] for note in notes if note["kind"] == "infinite"]


@pytest.mark.parametrize(
    ("text", "at", "options", "said"),
    [
        ("sqrt(x^2 + y^2)", {"x": 1e200, "y": 1.0}, (), ["∂f/∂x is not known", "∂f/∂y is not known"]),
        ("x + exp(z)", {"x": 1.0, "z": 1000.0}, (), ["∂y/∂z is not known"]),
        ("exp(x); z", {"x": 1000.0, "z": 1.0}, (), ["∂y1/∂x is not known"]),
        ("1/x", {"x": 1e-200}, ("--hessian",), ["∂²y/∂x∂x is not known"]),
        ("1/x", {"x": 1e-103}, ("--hessian",), ["∂²y/∂x∂x is too large for a double"]),
        ("sqrt(x)", {"x": 0.0}, ("--hessian",), ["∂²y/∂x∂x has no value here"]),
    ],
)
def test_a_derivative_that_an_overflow_has_spoilt_is_named(
    text: str, at: dict[str, Any], options: tuple[str, ...], said: list[str]
) -> None:
    notes = evaluated(text, at, "--no-trace", *options).data["notes"]
    found = [note["text"] for note in notes if note["kind"] == "undefined"]
    assert len(said) == len(found)
    assert all(text.startswith(start) for text, start in zip(found, said, strict=True)), found


@pytest.mark.parametrize("mode", ["forward", "reverse", "both"])
def test_a_branch_not_taken_hands_on_nothing_even_of_an_infinite_slope(mode: str) -> None:
    outputs = evaluated("sqrt(if(y > 0, x, y)) + z", {"x": 0.0, "y": 1.0, "z": 2.0}, "--mode", mode).data["outputs"]
    assert {"x": "Infinity", "y": 0.0, "z": 1.0} == outputs[0]["gradient"]
