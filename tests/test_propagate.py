"""Propagated uncertainty: the worked examples of the guides to their printed digits, random draws, what is refused."""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction
from itertools import combinations
from statistics import correlation, mean, stdev
from typing import Any

import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st
from running import PAPER, run

import adcli
from adcli.errors import RequestError
from adcli.render.propagation_report import with_sigma
from adcli.trace.uncertainties import Uncertainties


def propagate(expression: str, at: str, *more: str) -> list[dict[str, Any]]:
    found = run("propagate", expression, "--at", at, *more, "--format", "json")
    assert found.code == 0, found.err
    outputs: list[dict[str, Any]] = json.loads(found.out)["outputs"]
    return outputs


def rounded(x: float, digits: int) -> float:
    return float(f"{x:.{digits - 1}e}")


# --- worked examples: JCGM 100:2008 (GUM) and JCGM 101:2008 -----------------------------------------------------------

_END_GAUGE = "ls + d - ls*(da*theta + as_*dt)"
_END_GAUGE_AT = "ls=50000623±25, d=215±9.7, da=0±0.58e-6, theta=-0.1±0.41, as_=11.5e-6±1.2e-6, dt=0±0.029"
# Five readings of the voltage in V, the current in A and the phase.
_READINGS = {
    "V": (5.007, 4.994, 5.005, 4.990, 4.999),
    "I": (19.663e-3, 19.639e-3, 19.640e-3, 19.685e-3, 19.678e-3),
    "phi": (1.0456, 1.0438, 1.0468, 1.0428, 1.0433),
}
_MASS = "(m + dm)*(1 + (a - 1.2)*(1/w - 1/r)) - 100000"
_MASS_AT = "m=100000±0.05, dm=1.234±0.02, a=1.2±0.1/sqrt(3), w=8000±1000/sqrt(3), r=8000±50/sqrt(3)"
_RECTANGULAR = [word for name in "awr" for word in ("--distribution", f"{name}=uniform")]
DRAWS = ["--monte-carlo", "1000000", "--seed", "1"]


def test_gum_h1_an_end_gauge_to_first_and_to_second_order() -> None:
    (found,) = propagate(_END_GAUGE, _END_GAUGE_AT)
    assert round(found["value"]) == 50000838
    assert round(found["sigma"]) == 32
    assert round(found["second_order"]["sigma"]) == 34


def test_gum_h2_resistance_reactance_impedance_with_correlations() -> None:
    sizes = {name: stdev(readings) / math.sqrt(5) for name, readings in _READINGS.items()}
    at = ", ".join(f"{name}={mean(readings)!r}±{sizes[name]!r}" for name, readings in _READINGS.items())
    more = []
    for a, b in combinations(_READINGS, 2):
        more += ["--correlation", f"{a},{b}={correlation(_READINGS[a], _READINGS[b])!r}"]
    found = propagate("V/I*cos(phi); V/I*sin(phi); V/I", at, *more)
    assert [round(output["value"], 3) for output in found] == [127.732, 219.847, 254.260]
    # for the reactance the guide prints 0.295, which is 0.2956 with all digits of its readings
    assert [math.floor(1000 * output["sigma"] + k) / 1000 for output, k in zip(found, (0.5, 0, 0.5), strict=True)] == [
        0.071, 0.295, 0.236,
    ]  # fmt: skip
    for output in found:
        assert math.isclose(sum(each["share"] for each in output["budget"].values()), 1)


def test_gum_h3_the_correction_of_a_thermometer_at_30_degrees() -> None:
    at, more = "y1=-0.1712±0.0029, y2=0.00218±0.00067", ["--correlation", "y1,y2=-0.930"]
    (found,) = propagate("y1 + y2*(30 - 20)", at, *more)
    assert round(found["value"], 4) == -0.1494
    assert round(found["sigma"], 4) == 0.0041


def test_gum_5_2_2_ten_resistors_that_one_standard_calibrated() -> None:
    names = [f"r{k}" for k in range(1, 11)]
    pairs = [f"{a},{b}=1" for k, a in enumerate(names) for b in names[k + 1 :]]
    more = [word for pair in pairs for word in ("--correlation", pair)]
    (found,) = propagate("+".join(names), ",".join(f"{name}=1000±0.1" for name in names), *more)
    assert found["value"] == 10_000
    assert math.isclose(found["sigma"], 1)


@pytest.mark.parametrize(
    ("width", "shape", "sigma", "end", "will_do"),
    [(1, "normal", 2.0, 3.92, True), (1, "uniform", 2.0, 3.88, True), (10, "uniform", 10.1, 17.0, False)],
)
def test_jcgm_101_9_2_a_sum_of_four(width: float, shape: str, sigma: float, end: float, will_do: bool) -> None:
    pytest.importorskip("numpy")
    at = f"a=0±1, b=0±1, c=0±1, d=0±{width}"
    more = [word for name in "abcd" for word in ("--distribution", f"{name}={shape}")]
    (found,) = propagate("a+b+c+d", at, *more, *DRAWS)
    drawn = found["monte_carlo"]
    assert rounded(found["sigma"], 3 if width > 1 else 2) == sigma
    assert abs(drawn["sigma"] - found["sigma"]) < 0.01 * width
    assert all(abs(abs(x) - end) < (0.015 if width == 1 else 0.06) for x in drawn["interval"])
    assert drawn["first_order_will_do"] is will_do


def test_jcgm_101_9_3_the_calibration_of_a_mass() -> None:
    pytest.importorskip("numpy")
    (found,) = propagate(_MASS, _MASS_AT, *_RECTANGULAR, *DRAWS)
    assert round(found["value"], 4) == 1.2340
    assert round(found["sigma"], 4) == 0.0539
    assert round(found["second_order"]["sigma"], 4) == 0.0750
    drawn = found["monte_carlo"]
    assert abs(drawn["mean"] - 1.2341) < 2e-4
    assert abs(drawn["sigma"] - 0.0754) < 2e-4
    assert drawn["first_order_will_do"] is False


@pytest.mark.parametrize(
    ("x", "together", "first", "second", "drawn"),
    [
        (0.0, 0.0, (0, 0), (50, 50), (50, 50)),
        (0.010, 0.0, (100, 100), (150, 112), (150, 112)),
        (0.050, 0.0, (2500, 500), (2550, 502), (2551, 502)),
        (0.0, 0.9, (0, 0), (50, 67), (50, 67)),
        (0.010, 0.9, (100, 100), (150, 121), (150, 121)),
        (0.050, 0.9, (2500, 500), (2550, 505), (2551, 505)),
    ],
)
def test_jcgm_101_9_4_comparison_loss(
    x: float, together: float, first: tuple[int, int], second: tuple[int, int], drawn: tuple[int, int]
) -> None:
    pytest.importorskip("numpy")
    more = ["--correlation", f"x1,x2={together}"] if together else []
    (found,) = propagate("x1^2 + x2^2", f"x1={x}±0.005, x2=0±0.005", *more, *DRAWS)
    millionths = 1e6
    assert (round(found["value"] * millionths), round(found["sigma"] * millionths)) == first
    assert tuple(round(y * millionths) for y in found["second_order"].values()) == second
    assert abs(found["monte_carlo"]["mean"] * millionths - drawn[0]) < 2
    assert abs(found["monte_carlo"]["sigma"] * millionths - drawn[1]) < 2


def test_zero_with_an_uncertainty_squared_is_not_without_one() -> None:
    (found,) = propagate("x^2", "x=0±10")
    assert (found["value"], found["sigma"]) == (0, 0)
    assert found["second_order"]["mean"] == 100
    assert math.isclose(found["second_order"]["sigma"], math.sqrt(20_000))
    assert "is not nearly linear over these uncertainties" in run("propagate", "x^2", "--at", "x=0±10").err


# --- held against something else --------------------------------------------------------------------------------------


def test_the_contract_s_example_has_its_keys() -> None:
    at = "x1=2±0.1, x2=5 +- 0.2"
    pytest.importorskip("numpy")
    (found,) = propagate(PAPER, at, "--monte-carlo", "100000", "--seed", "7")
    assert list(found) == ["name", "value", "sigma", "second_order", "budget", "monte_carlo"]
    gradient = adcli.parse(PAPER).gradient({"x1": 2, "x2": 5})
    assert math.isclose(found["sigma"], math.hypot(0.1 * gradient["x1"], 0.2 * gradient["x2"]))
    assert list(found["budget"]["x1"]) == ["slope", "sigma", "contribution", "share"]
    drawn = found["monte_carlo"]
    assert abs(drawn["mean"] - found["second_order"]["mean"]) < 0.01
    assert abs(drawn["sigma"] - found["second_order"]["sigma"]) < 0.01
    assert drawn["first_order_will_do"] in (True, False)


@given(st.tuples(*[st.floats(-5, 5)] * 2), st.tuples(*[st.floats(0.01, 3)] * 2), st.floats(-0.99, 0.99))
@examples(60)
def test_a_quadratic_has_its_moments_to_second_order(
    at: tuple[float, float], sigmas: tuple[float, float], together: float
) -> None:
    """E and Var of x² + 3xy − y of normal inputs, from the moments of normal variables worked out by hand."""
    (x, y), (s, t) = at, sigmas
    c = together * s * t
    (found,) = propagate("x^2+3*x*y-y", f"x={x!r}±{s!r}, y={y!r}±{t!r}", "--correlation", f"x,y={together!r}")
    expected = x * x + s * s + 3 * (x * y + c) - y
    slopes = 2 * x + 3 * y, 3 * x - 1
    linear = slopes[0] ** 2 * s * s + slopes[1] ** 2 * t * t + 2 * slopes[0] * slopes[1] * c
    square = 2 * s**4 + 9 * (s * s * t * t + c * c) + 12 * s * s * c
    assert math.isclose(found["second_order"]["mean"], expected, rel_tol=1e-9, abs_tol=1e-9)
    assert math.isclose(found["second_order"]["sigma"], math.sqrt(linear + square), rel_tol=1e-9, abs_tol=1e-9)


@given(st.integers(-290, 290), st.integers(-150, 150), st.sampled_from([0.0, 0.5, -0.9]))
@examples(25)
def test_what_squares_cannot_hold_is_held(power: int, spread: int, together: float) -> None:
    """a·x·y by exact fractions, where contributions or their squares are far out of the range of doubles."""
    a, x, y = 10.0**power, 10.0 ** ((spread - power) // 2), 10.0 ** -((spread + power) // 2)
    at = {"x": (x, x / 8), "y": (y, y / 16)}
    text = ", ".join(f"{name}={value!r}±{sigma!r}" for name, (value, sigma) in at.items())
    more = ["--correlation", f"x,y={together}"] if together else []
    (found,) = propagate(f"{a!r}*x*y", text, *more)
    scale = Fraction(a) * Fraction(x) * Fraction(y)
    first = scale**2 * (Fraction(1, 64) + Fraction(1, 256) + 2 * Fraction(together) / 128)
    second = first + scale**2 * (1 + Fraction(together) ** 2) / 128**2
    assert found["sigma"] == pytest.approx(_root(first), rel=1e-14, abs=0)
    assert found["second_order"]["sigma"] == pytest.approx(_root(second), rel=1e-14, abs=0)
    assert math.fsum(each["share"] for each in found["budget"].values()) == pytest.approx(1)
    pytest.importorskip("numpy")
    rows = f"x,u_x,y,u_y\n{x!r},{x / 8!r},{y!r},{y / 16!r}\n"
    (row,) = rows_of(f"{a!r}*x*y", "-", *more, stdin=rows)
    assert [row["sigma_y"], row["second_sigma_y"]] == pytest.approx([_root(first), _root(second)], rel=1e-14, abs=0)


def _root(x: Fraction) -> float:
    """The square root of a fraction, however large or small."""
    power = 2 * ((x.numerator.bit_length() - x.denominator.bit_length()) // 2)
    return math.ldexp(math.sqrt(x / Fraction(2) ** power), power // 2)


@pytest.mark.parametrize(
    ("at", "x", "sigma"),
    [
        ("x=100.02147(35)", 100.02147, 0.00035), ("x=100.02147(0.00035)", 100.02147, 0.00035), ("x=12(3)", 12, 3),
        ("x=-6.62607015(10)e-34", -6.62607015e-34, 1e-41), ("x=.5(12)", 0.5, 1.2), ("x = 3.(1)E2 ", 300, 100),
        ("x=2*(3)", 6, 0), ("x=2(3)±0.1", 6, 0.1), ("x=2(3)(4)", 24, 0), ("x=1 +/- 2%", 1, 0.02),
    ],
)  # fmt: skip
def test_uncertainties_in_brackets_are_those_of_the_last_digits(at: str, x: float, sigma: float) -> None:
    (found,) = propagate("x", at)
    assert (found["value"], found["sigma"]) == pytest.approx((x, sigma), rel=1e-15, abs=0)


def test_a_problem_may_have_uncertainties_in_its_own_point() -> None:
    lines = "a: x^2 @ x=1.50(2)\nx*y @ x=1±0.1, y=2\nx @ x=1±-2\nz @ z=4\n"
    found = run("propagate", "-", "--at", "x=9±3", "--format", "ndjson", stdin=lines)
    told = [json.loads(line) for line in found.out.splitlines()]
    outputs = [record["outputs"][0] for record in told if "outputs" in record]
    assert [(2.25, 0.06), (2, 0.2)] == [pytest.approx((y["value"], y["sigma"])) for y in outputs[:2]]
    assert (3, 9, 11) == tuple(told[2][key] for key in ("line", "column", "end_column"))
    assert (4, 0) == (outputs[2]["value"], outputs[2]["sigma"])  # x of --at is for those that have one
    assert found.code == 2


def test_the_same_seed_draws_the_same_points_and_another_others() -> None:
    pytest.importorskip("numpy")
    found = [propagate("exp(x)", "x=1±0.3", "--monte-carlo", "5000", "--seed", seed) for seed in ("3", "3", "4")]
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize("shape", ["normal", "uniform", "triangular", "arcsine", "t(50)"])
def test_what_is_drawn_has_the_standard_deviation_that_is_given(shape: str) -> None:
    pytest.importorskip("numpy")
    (found,) = propagate("x", "x=3±0.5", "--distribution", f"x={shape}", "--monte-carlo", "200000")
    assert abs(found["monte_carlo"]["mean"] - 3) < 0.01
    assert abs(found["monte_carlo"]["sigma"] - 0.5 * (math.sqrt(50 / 48) if shape == "t(50)" else 1)) < 0.005


def test_points_without_a_value_are_counted_and_told() -> None:
    pytest.importorskip("numpy")
    found = run("propagate", "log(x)", "--at", "x=1±1", "--monte-carlo", "10000", "--format", "json")
    drawn = json.loads(found.out)["outputs"][0]["monte_carlo"]
    assert 1400 < drawn["without_value"] < 1800
    assert drawn["first_order_will_do"] is False
    assert "random points, which are left out" in found.err


@pytest.mark.parametrize(
    ("value", "sigma", "text"),
    [
        (11.652, 0.6483, "11.65 ± 0.65"), (100, 141.4, "100 ± 140"), (3e-9, 3e-11, "(3.000 ± 0.030)e−9"),
        (-0.5, 0.0996, "−0.50 ± 0.10"), (0, 0.0, "0 ± 0"), (1e8, 3e6, "(1.000 ± 0.030)e8"), (5, 1e-300, "5 ± 1e−300"),
        (9.9999999e149, 1.4e148, "(1.000 ± 0.014)e150"), (5, 3e6, "(0.0 ± 3.0)e6"),
    ],
)  # fmt: skip
def test_a_result_is_written_to_two_digits_of_its_uncertainty(value: float, sigma: float, text: str) -> None:
    assert with_sigma(value, sigma) == text


def test_markdown_has_formulas_between_dollar_signs_if_asked() -> None:
    shown = run("propagate", "x^2", "--at", "x=2±0.1", "--format", "markdown", "--math", "dollars").out
    assert shown.startswith("$y$ = 4.00 $\\pm$ 0.40\n")


def test_percentages_are_of_the_value_and_signs_may_be_written_in_ascii() -> None:
    (found,) = propagate("x*y", "x=-200+/-1%, y=1+-0.5")
    assert found["budget"]["x"]["sigma"] == 2
    assert found["budget"]["y"]["sigma"] == 0.5


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["x", "--at", "x=1±-1"], "not a finite number of 0 or more"),
        (["x", "--at", "x=1±inf"], "not a finite number of 0 or more"),
        (["x", "--at", "x=1±0.1,x=2"], "two values"),
        (["x", "--at", "x=1", "--at", "±2"], "a point consists of names with values"),
        (["x*y", "--at", "x=1±1,y=2±1", "--correlation", "x,y=1.5"], "from -1 to 1"),
        (["x*y", "--at", "x=1±1,y=2±1", "--correlation", "x=0.5"], "between two inputs"),
        (["x*y", "--at", "x=1±1,y=2", "--correlation", "x,y=0.5"], "has a correlation, but no uncertainty"),
        (["x*y", "--at", "x=1±1,y=2±1", "--correlation", "x,z=0.5"], "no input called z"),
        (
            ["x", "--at", "x=1±1", "--distribution", "x=cauchy", "--monte-carlo", "1000"],
            "no distribution called cauchy",
        ),
        (["x", "--at", "x=1±1", "--distribution", "uniform"], "does not name an input"),
    ],
)
def test_what_cannot_be_is_refused(arguments: list[str], words: str) -> None:
    found = run("propagate", *arguments)
    assert found.code == 2
    assert words in found.err


def test_correlations_that_cannot_be_together_are_refused() -> None:
    pairs = [word for pair in ("x,y=0.9", "y,z=0.9", "x,z=-0.9") for word in ("--correlation", pair)]
    found = run("propagate", "x+y+z", "--at", "x=1±1,y=1±1,z=1±1", *pairs)
    assert found.code == 2
    assert "these correlations contradict each other" in found.err
    assert 0 == run("propagate", "x+y+z", "--at", "x=1±1,y=1±1,z=1±1", "--correlation", "y,z=1").code


# --- over files -------------------------------------------------------------------------------------------------------

ROWS = "id,x1,x2,sigma_x1,u_x2\na,2,5,0.1,0.2\nb,1,3,0,0.5\nc,0.5,-2,0.03,0\n"


def rows_of(*argv: str, stdin: str = ROWS) -> list[dict[str, Any]]:
    found = run("propagate", *argv, "--format", "ndjson", "-q", stdin=stdin)
    assert (3 * ("null" in found.out), "") == (found.code, found.err)
    return [json.loads(line) for line in found.out.splitlines()]


@pytest.mark.parametrize("more", [(), ("--correlation", "x1,x2=-0.4")])
@pytest.mark.parametrize("expression", [PAPER, "x1^2*exp(x2)", "x1*x2; p = x1/x2; p"])
def test_every_row_of_a_file_is_what_a_point_is_alone(expression: str, more: tuple[str, ...]) -> None:
    pytest.importorskip("numpy")
    for row, (x1, x2, u1, u2) in zip(
        rows_of(expression, "-", *more), [(2, 5, 0.1, 0.2), (1, 3, 0, 0.5), (0.5, -2, 0.03, 0)], strict=True
    ):
        if more and not u1 * u2:
            continue  # alone it would be refused
        for output in propagate(expression, f"x1={x1}±{u1}, x2={x2}±{u2}", *more):
            name = output["name"]
            expected = [output["value"], output["sigma"], *output["second_order"].values()]
            found = [row[column] for column in (name, f"sigma_{name}", f"second_mean_{name}", f"second_sigma_{name}")]
            assert expected == pytest.approx(found, rel=1e-12, abs=0)


def test_draws_around_a_row_are_those_around_the_point_alone() -> None:
    pytest.importorskip("numpy")
    more = ("--correlation", "x1,x2=-0.4", "--monte-carlo", "2000", "--seed", "5")
    text = "x1,x2,sigma_x1,u_x2\n2,5,0.1,0.2\n1,0,0.1,0.2\n1,3,0.3,0.5\n"
    first, without_value, last = rows_of("p = x1/x2; p; exp(x1)", "-", *more, stdin=text)
    assert not any(isinstance(x, float) for name, x in without_value.items() if "drawn" in name)
    for row, point in zip((first, last), ("x1=2±0.1,x2=5±0.2", "x1=1±0.3,x2=3±0.5"), strict=True):
        for output in propagate("p = x1/x2; p; exp(x1)", point, *more):
            drawn, name = output["monte_carlo"], output["name"]
            expected = [drawn["mean"], drawn["sigma"], *drawn["interval"], float(drawn["first_order_will_do"])]
            columns = [*[f"drawn_{what}_{name}" for what in ("mean", "sigma", "low", "high")]]
            assert expected == [row[column] for column in [*columns, f"first_order_will_do_{name}"]]


def test_what_is_the_same_in_all_rows_comes_from_the_command_line() -> None:
    pytest.importorskip("numpy")
    (row,) = rows_of("x*k", "-", "--at", "k=3±0.1", "--sigma", "x=5%", stdin="t,x\na,-2\n")
    assert {"t": "a", "y": -6.0, "sigma_y": math.hypot(0.3, 0.2)} == pytest.approx(
        {name: row[name] for name in ("t", "y", "sigma_y")}
    )
    assert math.hypot(0.3, 0.2, 0.1 * 0.1) == pytest.approx(row["second_sigma_y"])
    assert ["x", "y"] == list(rows_of("x", "-", "--carry", "x", stdin="x,u_x\n1,2\n")[0])[:2]
    for sigma in ("x=0.5,x=10%", "x=10%,x=0.2"):  # the last one counts
        assert 0.2 == rows_of("x", "-", "--sigma", sigma, stdin="t,x\na,-2\n")[0]["sigma_y"]


def test_rows_without_an_uncertainty_are_told_and_points_without_a_value_are_counted() -> None:
    pytest.importorskip("numpy")
    found = run("propagate", "sqrt(x)", "-", stdin="x,sigma_x\n4,0.1\n4,-1\n4,\n-4,0.1\n")
    assert 3 == found.code
    assert ["y,sigma_y,second_mean_y,second_sigma_y", "2.0,0.025,1.99984375,0.02500097654342726"] == (
        found.out.splitlines()[:2]
    )
    assert ["NaN,NaN,NaN,NaN"] * 3 == found.out.splitlines()[2:]
    assert "error: the column sigma_x has a negative number\n  = line 3" in found.err
    assert "error: the column sigma_x has no value here" in found.err
    assert "1 of 4 points has no value" in found.err


def test_rows_beyond_the_doubles_have_what_is_left_of_them() -> None:
    pytest.importorskip("numpy")
    rows = "x,u_x,z,u_z\n1,1e20,1,1\n"
    assert "1e+300,Infinity,NaN,NaN" == run("propagate", "1e300*x + z", "-", stdin=rows).out.splitlines()[1]
    rows = "x,u_x,z,u_z\n1e200,1e-100,1,1\n"  # the mean is infinite and the uncertainty is not
    assert "Infinity,2e+100,NaN,NaN" == run("propagate", "x^2 + z^2", "-", stdin=rows).out.splitlines()[1]


def test_a_variance_that_rounding_makes_negative_is_zero() -> None:
    pytest.importorskip("numpy")
    sigmas = [word for name in "xyz" for word in ("--sigma", f"{name}=1")]
    pairs = [word for pair in ("x,y=0.6", "x,z=0.8") for word in ("--correlation", pair)]
    (row,) = rows_of("x - 0.6*y - 0.8*z", "-", *sigmas, *pairs, stdin="x,y,z\n1,1,1\n")
    assert (0, 0) == (row["sigma_y"], row["second_sigma_y"])
    rows = "x,u_x,z,u_z\n0,1.7,0,1.7\n"
    (row,) = rows_of("x^2 - 6*x*z + 5*z^2", "-", "--correlation", "x,z=1", stdin=rows)
    assert (0, 0) == (row["sigma_y"], row["second_sigma_y"])


@pytest.mark.parametrize("more", [(), ("--monte-carlo", "1000", "--seed", "1")])
def test_fail_fast_propagates_the_rows_before_the_failing_one(more: tuple[str, ...]) -> None:
    pytest.importorskip("numpy")
    rows = "x,u_x\n1,0.5\n4,0.1\n1,-1\n9,0.1\n"
    done = run("propagate", "x + 1", "-", "--fail-fast", "--format", "ndjson", *more, stdin=rows)
    assert [(2, 0.5), (5, 0.1)] == [(row["y"], row["sigma_y"]) for row in map(json.loads, done.out.splitlines())]
    assert "error: the column u_x has a negative number\n  = line 4" in done.err


@pytest.mark.parametrize(
    ("expression", "header", "words"),
    [
        ("x", "x,u_x,x_err", "the input x has two columns of uncertainties\n  = u_x and x_err\n"),
        ("x", "x,u_x,x_err,sigma_x", "the input x has two columns of uncertainties\n  = sigma_x and u_x\n"),
        ("y = x; sigma_y = 2*x; y; sigma_y", "x,u_x,t", "the result would have two columns called sigma_y"),
        ("x", "x,u_x,second_mean_y", "the result would have two columns called second_mean_y"),
    ],
)
def test_columns_that_would_be_confused_are_refused(expression: str, header: str, words: str) -> None:
    pytest.importorskip("numpy")
    done = run("propagate", expression, "-", stdin=f"{header}\n{re.sub('[^,]+', '1', header)}\n")
    assert (2, "") == (done.code, done.out)
    assert words in done.err


def test_columns_without_a_name_are_not_carried_and_inputs_are_not_uncertainties() -> None:
    pytest.importorskip("numpy")
    assert "t,y,sigma_y" == run("propagate", "x", "-", stdin=",t,x,u_x\n5,a,1,2\n").out[:11]
    (row,) = rows_of("x*u_x", "-", stdin="x,u_x,x_err,u_x_sigma\n3,2,0.5,0.25\n")
    assert math.isclose(math.hypot(2 * 0.5, 3 * 0.25), row["sigma_y"])


def test_the_headline_is_the_second_order_where_the_first_is_too_small_and_domains_are_noted() -> None:
    assert "y = 100 ± 140 to second order\nto first order 0 ± 0\n" in run("propagate", "x^2", "--at", "x=0±10").out
    done = run("propagate", "log(x)", "--at", "x=1±1.5", "--monte-carlo", "1000", "--seed", "1")
    assert "the GUM uncertainty framework is not validated" in done.out
    assert "within one σ of x there is no value: at x = -0.5" in done.err


def test_an_expression_propagates_compiles_and_is_its_formula() -> None:
    f = adcli.parse("x^2*y")
    assert ("2*x*y", "x^2", f.latex) == (str(f.derivative("x")), str(f.diff("y")), f.to_latex())
    output = f.propagate("x=2±0.1, y=3").data["outputs"][0]
    assert output == f.propagate({"x": 2, "y": 3}, {"x": 0.1}).data["outputs"][0]
    assert 1.2 == pytest.approx(output["sigma"])
    assert "FROM runs" in f.compile("sql", table="runs") and "value_and_gradient" in f.compile("c")
    with pytest.raises(RequestError, match="does not read a table"):
        f.compile("c", table="runs")


def test_uncertainties_of_other_names_are_left_out() -> None:
    known = Uncertainties({"x": 1.0, "z": 2.0}, {("x", "y"): 0.5, ("x", "z"): 0.1}, {"x": "uniform", "z": "t(9)"})
    assert Uncertainties({"x": 1.0}, {("x", "y"): 0.5}, {"x": "uniform"}) == known.among(["x", "y"])
