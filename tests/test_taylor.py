"""Taylor series: truncated power series read through the table, against 50 and more digits and published numbers."""

from __future__ import annotations

import csv
import io
import json
import math
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from drawn import examples, usually
from expressions import Case, programs
from hypothesis import HealthCheck, given
from support import each, evaluated, point_text, printed, records

import adcli
from adcli.numbers.doubles import FLOAT
from adcli.numbers.exact import Exact
from adcli.numbers.precise import Precise
from adcli.numbers.series import Series, Taylor
from adcli.table import functions as _table  # noqa: F401 - importing it fills the table
from adcli.table.primitive import ROWS

EPS = 2.0**-52


def document(*arguments: str) -> dict[str, Any]:
    """What `adcli taylor … --format json` says."""
    code, out, err = printed("taylor", "--format", "json", *arguments)
    assert 0 == code, err
    found: dict[str, Any] = json.loads(out)
    return found


def coefficients(text: str, at: str, order: int, *more: str) -> list[float]:
    found: list[float] = document(text, "--at", at, "--order", str(order), *more)["outputs"][0]["coefficients"]
    return found


def refused(*arguments: str) -> tuple[int, str]:
    code, out, err = printed("taylor", *arguments)
    assert "" == out
    return code, err


# --- against many digits ----------------------------------------------------------------------------------------------

SERIES = [
    ("exp(sin(x))", "0", 100, lambda x: mpmath.exp(mpmath.sin(x))),
    ("exp(sin(x))", "1.25", 40, lambda x: mpmath.exp(mpmath.sin(x))),
    ("log(x)", "2", 30, mpmath.log),
    ("atan(x)", "0.5", 60, mpmath.atan),
    ("x^x", "1", 40, lambda x: x**x),
    ("tan(x)", "0.5", 60, mpmath.tan),
    ("gamma(x)", "2.5", 10, mpmath.gamma),
    ("erf(x)", "0.5", 30, mpmath.erf),
    ("sqrt(x)", "2", 50, mpmath.sqrt),
    ("x^2.5", "2", 60, lambda x: x ** mpmath.mpf("2.5")),
    ("if(x > 1, log(x), 1/(x - 2))", "2", 40, mpmath.log),
    ("max(x^3, x^2)", "2", 12, lambda x: x**3),
    ("max(x^3, x^2)", "0.5", 12, lambda x: x**2),
    ("abs(sin(x))", "-1", 40, lambda x: -mpmath.sin(x)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "at", "order", "function"), SERIES, ids=[f"{s[0]} at {s[1]}" for s in SERIES])
def test_series_agree_with_differences_in_many_digits(text: str, at: str, order: int, function: Any) -> None:
    with mpmath.workdps(30 if text == "gamma(x)" else 80):  # mpmath's gamma needs long for a thousand digits
        expected = [float(c) for c in mpmath.taylor(function, mpmath.mpf(at), order)]
    found = coefficients(text, f"x={at}", order)
    assert order + 1 == len(found)
    # Each coefficient is a sum of at most 100 rounded products, which is 100 ulps; what cancels in these sums (erf: a
    # bell curve of alternating terms) and the first values of gamma's polygammas may cost another digit and a half.
    for k, (mine, theirs) in enumerate(zip(found, expected, strict=True)):
        tiny = 1e-60 if abs(theirs) < 1e-70 else 0.0
        assert abs(mine - theirs) <= 30 * 100 * EPS * abs(theirs) + tiny, k


def _moved(name: str) -> tuple[list[float], list[float]]:
    """A point inside the range from which tests draw, and a direction; what must stay fixed does not move."""
    ranges = ROWS[name].ranges()
    at = [low + 0.37 * (high - low) for low, high in ranges]
    along = [0.0 if low == high else 0.5 + 0.25 * k for k, (low, high) in enumerate(ranges)]
    return at, along


@pytest.mark.parametrize("name", [row.name for row in ROWS.values() if not row.truth])
def test_every_row_of_the_table_has_its_series_by_its_own_partials(name: str) -> None:
    row, order = ROWS[name], usually(4, thoroughly=6)
    base = Precise(48)
    at, along = _moved(name)
    points = [base.number(x) for x in at]
    slopes = [base.number(v) for v in along]

    def moved(t: Any) -> Any:
        return row.value(base, *[x + v * t for x, v in zip(points, slopes, strict=True)])

    expected = base.context.taylor(moved, 0, order)
    m = Taylor(base, order)
    arguments = [m.variable(x, v) for x, v in zip(points, slopes, strict=True)]
    found = m.apply(row, *arguments)
    m.extend([found])
    mine = found.coefficients + [base.zero] * (order + 1 - len(found.coefficients))
    for theirs, c in zip(expected, mine, strict=True):
        assert abs(c - theirs) <= 1e-40 * max(1, abs(theirs))


@each(records("expressions")[1 :: usually(3, thoroughly=1)])
def test_first_and_second_order_are_gradient_and_hessian_along_the_direction(record: dict[str, Any]) -> None:
    direction = {name: (-1.0) ** k * (1 + k / 4) for k, name in enumerate(record["gradient"])}
    arguments = ["--at", point_text(record["point"]), "--along", point_text(direction), "--order", "2"]
    found = document(record["expr"], *arguments)["outputs"][0]["coefficients"]
    rounding = max(1e-11, record["literal_rounding_rel"])
    slopes = [mpmath.mpf(g) * direction[name] for name, g in record["gradient"].items()]
    assert abs(found[1] - mpmath.fsum(slopes)) <= rounding * max(1e-300, mpmath.fsum(map(abs, slopes)))
    if "hessian" in record:
        v = list(direction.values())
        bends = [mpmath.mpf(h) * v[i] * v[j] / 2 for i, row in enumerate(record["hessian"]) for j, h in enumerate(row)]
        # a Hessian of zeros is the sum of terms that cancel: rounding, measured against the slopes
        scale = max(mpmath.fsum(map(abs, bends)), 1e-4 * mpmath.fsum(map(abs, slopes)))
        assert abs(found[2] - mpmath.fsum(bends)) <= rounding * scale


@examples(40, suppress_health_check=list(HealthCheck))
@given(programs())
def test_on_random_programs_forty_digits_doubles_and_forward_mode_agree(case: Case) -> None:
    along = dict(zip(case.at, (1.0, -0.5, 0.75, 2.0), strict=True))
    forward = evaluated(case.text, case.at, "--seed", point_text(along), "--mode", "forward", "--no-trace")
    arguments = ["--at", point_text(case.at), "--along", point_text(along), "--order", "3"]
    doubles = document(*arguments, "--", case.text)["outputs"]
    precise = document(*arguments, "--precision", "40", "--", case.text)["outputs"]
    for series, exact, output in zip(doubles, precise, forward.data["outputs"], strict=True):
        assert pytest.approx(float(exact["coefficients"][1]), rel=1e-9, abs=1e-9) == output["jvp"]
        assert pytest.approx([float(c) for c in exact["coefficients"]], rel=1e-6, abs=1e-6) == series["coefficients"]


# --- published numbers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("exp(exp(x) - 1)", [1, 1, 2, 5, 15, 52, 203, 877, 4140]),  # Bell numbers
        ("sec(x) + tan(x)", [1, 1, 1, 2, 5, 16, 61, 272, 1385]),  # zigzag numbers
        ("exp(x)*sin(x)", [0, 1, 2, 2, 0, -4, -8, -8, 0]),
        ("x/(1 - x - x^2)", [0, 1, 2, 12, 72, 600, 5760, 65520, 846720]),  # k! times Fibonacci numbers
        ("exp(-x^2)", [1, 0, -2, 0, 12, 0, -120, 0, 1680]),  # Hermite polynomials at 0
        ("1/(1+x^2)", [1, 0, -2, 0, 24, 0, -720, 0, 40320]),
    ],
)
def test_derivatives_are_the_integers_of_the_books(text: str, expected: list[int]) -> None:
    found = document(text, "--at", "x=0", "--exact")["outputs"][0]
    assert expected == found["derivatives"]
    assert expected == [Fraction(c) * math.factorial(k) for k, c in enumerate(found["exact"])]


def test_fractions_are_exact_where_the_series_has_them() -> None:
    expected = ["0", "1", "0", "1/3", "0", "2/15", "0", "17/315", "0", "62/2835"]  # DLMF 4.19.3
    assert expected == document("tan(x)", "--at", "x=0", "--order", "9", "--exact")["outputs"][0]["exact"]
    mixed = document("log(x)", "--at", "x=2", "--order", "2", "--exact")["outputs"][0]
    assert [None, "1/2", "-1/8"] == mixed["exact"]
    assert [math.log(2), 0.5, -0.125] == mixed["coefficients"]


def test_a_hundred_fractions_agree_with_a_hundred_doubles() -> None:
    found = document("exp(sin(x))", "--at", "x=0", "--order", "100", "--exact")["outputs"][0]
    base = Taylor(FLOAT, 100)
    series = base.exp(base.sin(base.variable(0.0, 1.0)))
    base.extend([series])
    for exact, double in zip(found["exact"], series.coefficients, strict=True):
        assert abs(Fraction(exact) - Fraction(double)) <= 1000 * EPS * abs(Fraction(exact))


def test_the_point_and_the_direction_may_be_expressions() -> None:
    assert coefficients("sin(x)", "x=pi/2", 2) == pytest.approx([1.0, 0.0, -0.5], abs=EPS)
    assert [0.5, 1.0, 0.5] == coefficients("x*y", "x=1/2,y=1", 2, "--along", "x=1/2,y=1")
    out = printed("taylor", "1/x", "--at", "x=1/3", "--order", "2")[1]
    assert out.startswith("y = 3 − 9 (x − 0.333) + 27 (x − 0.333)^2 + O((x − 0.333)^3)\n")


def test_digits_as_many_as_asked_for() -> None:
    found = document("gamma(x)", "--at", "x=1", "--order", "2", "--precision", "40")["outputs"][0]["coefficients"]
    with mpmath.workdps(60):
        expected = [mpmath.mpf(1), -mpmath.euler, (mpmath.euler**2 + mpmath.pi**2 / 6) / 2]
        for text, number in zip(found, expected, strict=True):
            assert abs(mpmath.mpf(text) - number) <= mpmath.mpf(10) ** -39
    third = document("x", "--at", "x=1/3", "--order", "0", "--precision", "30")["outputs"][0]["coefficients"]
    assert ["0." + "3" * 30] == third


def test_series_of_an_elementary_function_close_after_a_few_links() -> None:
    m = Taylor(FLOAT, 50)
    x = m.variable(0.5, 1.0)
    ends = [m.apply(ROWS[name], x) for name in ("sin", "tan", "tanh", "exp", "atan", "erf", "sqrt", "sigmoid")]
    m.extend(ends)
    assert len(m._in_order) < 80


def test_what_constants_are_combined_to_is_constant_and_local_if_one_of_them_is() -> None:
    series = Taylor(FLOAT, 3)
    six, two, local = series.number(6.0), series.number(2.0), series.constant(6.0, local=True)
    for combine, value in ((series.add, 8.0), (series.sub, 4.0), (series.mul, 12.0), (series.div, 3.0)):
        assert combine(six, two) is series.number(value)
        assert combine(local, two) is series.constant(value, local=True)


def test_conditions_look_at_the_point_alone() -> None:
    m = Taylor(Exact(), 3)
    x = m.variable(m.base.number("2"), m.base.number("1"))
    assert isinstance(x, Series)
    assert x > 1 and x >= 2 and x == 2 and x != 3 and x < 3 and x <= 2 and bool(x)


# --- what is printed --------------------------------------------------------------------------------------------------


def lines(*arguments: str) -> list[str]:
    code, out, err = printed("taylor", *arguments)
    assert 0 == code, err
    return out.splitlines()


def test_a_series_is_written_as_in_a_book() -> None:
    assert ["y = 1 + x + x^2/2 − x^4/8 − x^5/15 − x^6/240 + O(x^7)"] == lines(
        "exp(sin(x))", "--at", "x=0", "--order", "6", "--no-trace"
    )
    assert ["y = 0.693 + (x − 2)/2 − (x − 2)^2/8 + O((x − 2)^3)"] == lines(
        "log(x)", "--at", "x=2", "--order", "2", "--no-trace"
    )[:1]
    assert ["y = −3 + 10 (x + 2) − 6 (x + 2)^2 + (x + 2)^3 + O((x + 2)^4)"] == lines(
        "x^3 - 2x + 1", "--at", "x=-2", "--order", "3", "--no-trace"
    )
    assert ["y = 0 + O(x^2)"] == lines("x - x", "--at", "x=0", "--order", "1", "--no-trace")
    assert ["f = 4 + 4 (y − 2) + O((y − 2)^2)"] == lines("y^2", "--at", "x=1,y=2", "--order", "1", "--no-trace")[:1]
    assert ["y = 2 + O((x − 1)^3)"] == lines("2", "--at", "x=1", "--order", "2", "--no-trace")[:1]
    assert ["y = x + O(x^2)"] == lines("sin(x)", "--at", "x=0", "--order", "1", "--no-trace")


def test_a_series_in_latex() -> None:
    assert [r"\[", r"y = x - \frac{x^3}{6} + \frac{x^5}{120} + O(x^6)", r"\]"] == lines(
        "sin(x)", "--at", "x=0", "--order", "5", "--format", "latex"
    )
    assert [r"\[", r"y_1 = 1 + (x_1 - 1) + O((x_1 - 1)^3)", r"\]"] == lines(
        "y1 = x1", "--at", "x1=1", "--order", "2", "--format", "latex"
    )


def test_the_table_gives_coefficients_and_derivatives() -> None:
    rows = [line.split() for line in lines("exp(x)", "--at", "x=0", "--order", "3")[4:]]
    assert [["0", "1", "1"], ["1", "1", "1"], ["2", "1/2", "1"], ["3", "1/6", "1"]] == rows


def test_a_direction_makes_a_series_in_t() -> None:
    found = document("x*y", "--at", "x=2,y=3", "--along", "x=1,y=-2", "--order", "3")
    assert [6.0, -1.0, -2.0, 0.0] == found["outputs"][0]["coefficients"]
    assert "t" == found["variable"]
    assert {"x": 1.0, "y": -2.0} == found["along"]
    assert "s" == document("t*y", "--at", "t=2,y=3", "--along", "y=1")["variable"]


def test_the_polynomial_is_read_back_by_the_language() -> None:
    for text, at in (("exp(sin(x))", 0.5), ("log(x)", 2.0), ("tan(x)", -1.25)):
        found = document(text, "--at", f"x={at}", "--order", "12")["outputs"][0]
        near = at + 2.0**-7
        # the first term left out is of order 13: (2^-7)^13 is far below an ulp
        assert adcli.parse(text).value({"x": near}) == pytest.approx(
            adcli.parse(found["polynomial"]).value({"x": near}), rel=64 * EPS
        )


def test_a_sheet_has_a_line_for_each_coefficient() -> None:
    code, out, _ = printed("taylor", "a = x^2; x", "--at", "x=3", "--order", "2", "--format", "csv", "--exact")
    found = list(csv.DictReader(io.StringIO(out)))
    assert 0 == code
    assert ["0", "1", "2"] == [row["order"] for row in found if row["output"] == found[0]["output"]]
    assert all(Fraction(row["exact"]) == Fraction(row["coefficient"]) for row in found)


def test_many_problems_stand_alone(tmp_path: Any) -> None:
    file = tmp_path / "problems.txt"
    file.write_text("a: exp(x) @ x=0\nlog(x) @ x=0\nx*y @ x=1, y=2\nsin(x) @ x=0\n", encoding="utf-8")
    code, out, err = printed("taylor", "--file", str(file), "--order", "2", "--format", "ndjson")
    assert 3 == code
    assert ["taylor/1", "error/1", "error/1", "taylor/1"] == [json.loads(line)["schema"] for line in out.splitlines()]
    assert "log needs a positive argument" in err


# --- where there is no series -----------------------------------------------------------------------------------------


def test_several_inputs_need_a_direction() -> None:
    code, err = refused("x^y", "--at", "x=2,y=3")
    assert 2 == code
    assert "--along x=1,y=0" in err
    assert 2 == refused("x", "--at", "x=2", "--along", "w=1")[0]
    assert 2 == refused("x", "--at", "x=2", "--along", "x=0")[0]


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("abs(x)", 3), ("max(x, -x)", 3), ("if(x >= 0, x, -x)", 1), ("sign(x)", 1), ("relu(x)", 2), ("sqrt(x)", 1),
        ("log(x)", 2), ("1/x", 2), ("sin(x)/x", 2), ("cbrt(x)", 1), ("x^2.5", 3), ("x^(1 + x)", 2), ("floor(x)", 1),
    ],
)  # fmt: skip
def test_where_there_is_no_series_the_mathematics_says_no(text: str, order: int) -> None:
    assert 3 == refused(text, "--at", "x=0", "--order", str(order))[0]


def test_a_series_may_exist_up_to_an_order() -> None:
    assert [0.0, 1.0] == coefficients("elu(x)", "x=0", 1)
    assert (
        "no derivative of order 2 here: 2 from the left, -2" in refused("softsign(x)", "--at", "x=0", "--order", "2")[1]
    )
    assert [0.0, 0.0, 0.0] == coefficients("x^2.5", "x=0", 2)
    assert "the highest order here is --order 2" in refused("x^2.5", "--at", "x=0", "--order", "3")[1]


@pytest.mark.parametrize(
    ("text", "series", "next_order"),
    [
        ("abs(x)^2", [0, 0, 1, 0, 0], ""), ("abs(x)^3", [0, 0, 0], "-6 from the left, 6 from the right"),
        ("max(x,0)^3", [0, 0, 0], "0 from the left, 6 from the right"),
        ("x*abs(x)", [0, 0], "-2 from the left, 2 from the right"),
        ("elu(x)-0*abs(x)", [0, 1], "1 from the left, 0 from the right"),
        ("sqrt(x^4)*exp(x)", [0, 0, 1, 1, 1 / 2], ""), ("cos(sqrt(x^2))", [1, 0, -1 / 2, 0, 1 / 24], ""),
        ("cbrt(8*x^3)*abs(x)*x", [0, 0, 0], "-12 from the left, 12 from the right"),
        ("abs(x)^2.5", [0, 0, 0], "abs has a corner"),
        ("exp(x)+relu(x)^2-relu(-x)^2*(-1)", [1, 1, 3 / 2, 1 / 6], ""),
    ],
)  # fmt: skip
def test_where_both_sides_agree_the_series_is_theirs(text: str, series: list[float], next_order: str) -> None:
    order = len(series) - 1
    found = document(text, "--at", "x=0", "--order", str(order))
    assert series == found["outputs"][0]["coefficients"]
    assert f"smooth here up to order {order}" in found["notes"][-1]["text"]
    if next_order:
        code, error = refused(text, "--at", "x=0", "--order", str(order + 1))[:2]
        assert (3, True) == (code, next_order in error)


def test_at_a_corner_the_convention_may_be_asked_for() -> None:
    found = document("abs(x) + x", "--at", "x=0", "--order", "2", "--kinks", "note")
    assert [0.0, 1.0, 0.0] == found["outputs"][0]["coefficients"]
    assert ["kink"] == [note["kind"] for note in found["notes"]]
    assert ["y = x"] == lines("abs(x) + x", "--at", "x=0", "--order", "2", "--kinks", "note", "--no-trace")


def test_a_corner_that_the_direction_does_not_cross_does_not_matter() -> None:
    arguments = ["abs(y)*x + x^2", "--at", "x=1,y=0", "--along"]
    assert [1.0, 2.0, 1.0] == document(*arguments, "x=1", "--order", "2")["outputs"][0]["coefficients"]
    assert 3 == refused(*arguments, "x=1,y=1")[0]


def test_a_power_of_zero_is_a_polynomial() -> None:
    assert [0.0, 0.0, 1.0, 0.0, 0.0] == coefficients("x^2", "x=0", 4)
    assert [1.0, 0.0, 0.0] == coefficients("x^0", "x=0", 2)
    assert [0.0, 0.0, 0.0, 2.0] == coefficients("2*x*x*x", "x=0", 3)


@pytest.mark.slow
def test_size_and_depth_are_no_obstacle() -> None:
    deep = "sin(" * 3000 + "x" + ")" * 3000
    # sin(sin(…)) iterated n times is x - n x^3/6 + …
    assert [0.0, 1.0, 0.0, pytest.approx(-3000 / 6, rel=1e-9)] == coefficients(deep, "x=0", 3)
    assert [3000.0, 3000.0, 0.0] == coefficients("+".join(["x"] * 3000), "x=1", 2)


def test_numbers_too_large_for_a_double_are_not_made_up() -> None:
    assert 3 == refused("1/(1 - 50*x)", "--at", "x=0", "--order", "200")[0]
    factorials = document("1/(1 - x)", "--at", "x=0", "--order", "180")["outputs"][0]["derivatives"]
    assert [float(math.factorial(170)), "Infinity"] == factorials[170:172]
