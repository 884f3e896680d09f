"""Every row of the table in every arithmetic (exact, of many digits, complex, intervals), and the flags that ask."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from rule_checks import IN_MPMATH, sampled_points
from running import run
from support import evaluated, printed

from adcli.errors import Source
from adcli.language.problems import in_arithmetic, read_point
from adcli.numbers.arb_intervals import Interval
from adcli.numbers.complexes import COMPLEXES, Complex, extend_to_complex
from adcli.numbers.conditions import Truth
from adcli.numbers.doubles import FLOAT, apply
from adcli.numbers.exact import Exact, Number, read_fraction
from adcli.numbers.numpy_arrays import ARRAYS
from adcli.numbers.precise import Precise
from adcli.table.primitive import ROWS, Primitive

PRECISE = Precise(50)
FINE = Precise(80)  # for differences: a step of 1e-25 leaves 80 - 25 digits of them and an error of 1e-50
STEP = FINE.context.mpf(10) ** -25
EXACT = Exact()
COMPLEX = Complex(60)
BOX = Interval(200)
every_row = pytest.mark.parametrize("row", ROWS.values(), ids=lambda row: row.name)

# Some ten operations of 50 digits, each of which may lose one in the last place; differences are good to 1e-45.
ROUNDING = PRECISE.context.mpf(10) ** -43
# The same for ten operations of doubles.
DOUBLES = 450 * 2.0**-52


def points(row: Primitive, count: int = 5) -> list[tuple[Fraction, ...]]:
    """Points of the row's ranges with short fractions for numbers, conditions and orders kept whole."""
    found = []
    for point in sampled_points(row, count):
        found.append(tuple(Fraction(x) if x % 1 == 0 else Fraction(round(x * 64), 64) for x in point))
    return found


def read(row: Primitive, m: Any, point: tuple[Any, ...]) -> tuple[Any, list[Any]]:
    """Value and partials of a row at a point, in an arithmetic."""
    arguments = tuple(m.number(x) for x in point)
    value = row.value(m, *arguments)
    return value, [m.number(p) for p in row.gradient(m, value, arguments, (True,) * len(point))]


def slope(row: Primitive, point: tuple[Any, ...], position: int) -> Any:
    """The partial from the value rule alone, as a difference; None where the function does not go on to both sides."""
    ends = []
    for side in (1, -1):
        moved = [FINE.number(x) for x in point]
        moved[position] += side * STEP
        if (
            row.truth
            or (position in row.truth_arguments or (position == 0 and row.has_order))
            or row.find_violation(FINE, tuple(moved)) is not None
        ):
            return None
        ends.append(FINE.number(row.value(FINE, *moved)))
    return (ends[0] - ends[1]) / (2 * STEP)


# --- many digits -----------------------------------------------------------------------------------------------------


@every_row
def test_partials_of_fifty_digits_are_the_slopes_of_the_value(row: Primitive) -> None:
    for point in points(row):
        _, partials = read(row, PRECISE, point)
        for position, partial in enumerate(partials):
            expected = slope(row, point, position)
            if expected is not None:
                scale = 1 + abs(expected) + abs(FINE.number(row.value(FINE, *map(FINE.number, point))))
                assert abs(expected - partial) <= ROUNDING * scale, (point, position)


def _library(name: str) -> Any:
    """A function of mpmath's own for a row; None where the library has none."""
    others = {
        "log10": mpmath.log10, "log2": lambda x: mpmath.log(x, 2), "logb": mpmath.log, "lgamma": mpmath.loggamma,
        "polygamma": lambda n, x: mpmath.psi(int(n), x), "digamma": mpmath.digamma, "pow": mpmath.power,
        "root": lambda x, n: x ** (1 / n), "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
        "softplus": lambda x: mpmath.log(1 + mpmath.exp(x)), "abs": abs, "relu": lambda x: max(x, 0), "max": max,
        "min": min, "mod": mpmath.fmod, "round": mpmath.nint, "add": mpmath.fadd, "sub": mpmath.fsub,
        "mul": mpmath.fmul, "div": mpmath.fdiv, "neg": mpmath.fneg, "if": lambda c, a, b: a if c else b,
        "lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
        "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "and": lambda a, b: a and b, "or": lambda a, b: a or b,
        "not": lambda a: not a,
    }  # fmt: skip
    return others.get(name) or (getattr(mpmath, name) if name in IN_MPMATH else None)


@pytest.mark.parametrize("row", [row for row in ROWS.values() if _library(row.name)], ids=lambda row: row.name)
def test_values_of_fifty_digits_are_those_of_the_library(row: Primitive) -> None:
    with mpmath.workdps(60):
        for point in points(row):
            arguments = [mpmath.mpf(x.numerator) / x.denominator for x in point]
            expected = mpmath.mpf(_library(row.name)(*arguments))
            value, _ = read(row, PRECISE, point)
            assert abs(expected - mpmath.mpf(value)) <= mpmath.mpf(10) ** -45 * (1 + abs(expected)), point


EXTREMES = ("0", "-1", "1", "0.5", "-0.5", "inf", "nan", "-inf", "1e300", "-1e300", "1e-300", "1e15")


@every_row
def test_no_arithmetic_raises_at_the_extremes(row: Primitive) -> None:
    for m in (PRECISE, EXACT, COMPLEX):
        assert_raises_nothing(row, m)


@every_row
def test_small_numbers_have_the_same_values_in_all_arithmetics(row: Primitive) -> None:
    for text in ("0", "-1", "1", "0.5", "-0.5", "2", "-2"):
        for other in (text, "1", "0"):
            arguments = (text, *(other for _ in row.ranges()[1:]))
            expected = float(apply(row, FLOAT, [float(argument) for argument in arguments]))
            for m in (PRECISE, EXACT):
                found = float(m.number(apply(row, m, [m.number(argument) for argument in arguments])))
                same = expected == pytest.approx(found, rel=1e-11, abs=1e-14, nan_ok=True)
                assert same or (row.name, other) == ("root", "0"), arguments  # outside the domain
    assert math.inf == FLOAT.pow(0.5, -1075.0) == -FLOAT.pow(-0.5, -1075.0)


def assert_raises_nothing(row: Primitive, m: Any) -> None:
    """Fails where a row raises what the engine does not answer with nan."""
    rule = extend_to_complex(row) if m is COMPLEX else row
    special = {"inf": m.infinity, "-inf": -m.infinity, "nan": m.undefined}
    for text in EXTREMES:
        x = special[text] if text in special else m.number(text)
        for other in (x, m.one, m.zero):
            if rule is None:
                return
            arguments = (x, *(other for _ in row.ranges()[1:]))
            try:
                value = rule.value(m, *arguments)
                assert text != "nan" or row.truth or len(arguments) > 1 or m.number(value) != m.number(value)
                rule.gradient(m, value, arguments, (True,) * len(arguments))
            except (ZeroDivisionError, ValueError, OverflowError):
                pass  # what the engine answers with nan


# --- integers and fractions ------------------------------------------------------------------------------------------


@every_row
def test_what_is_marked_exact_is_exact_and_the_rest_is_right_as_a_double(row: Primitive) -> None:
    for point in points(row):
        value, partials = read(row, EXACT, point)
        true, slopes = read(row, PRECISE, point)
        for found, expected in zip([EXACT.number(value), *partials], [PRECISE.number(true), *slopes], strict=True):
            assert isinstance(found, Number)
            if found.fraction is None:
                assert pytest.approx(float(expected), rel=100 * DOUBLES, abs=100 * DOUBLES) == float(found), point
            else:
                assert abs(expected - PRECISE.number(found.fraction)) <= ROUNDING * (1 + abs(expected)), point


RATIONAL = ("add", "sub", "mul", "div", "neg", "abs", "sign", "floor", "ceil", "round", "max", "min", "mod", "relu")


@pytest.mark.parametrize("name", RATIONAL)
def test_rational_functions_never_leave_the_fractions(name: str) -> None:
    row = ROWS[name]
    for point in points(row):
        value, partials = read(row, EXACT, point)
        assert [] == [x for x in [EXACT.number(value), *partials] if x.fraction is None]


@pytest.mark.parametrize(
    ("expression", "at", "expected", "slopes"),
    [
        ("x/3+1/(x^2+1)", {"x": "1/2"}, "29/30", {"x": "-23/75"}),
        ("x^3-0.1", {"x": "1/3"}, str(Fraction(1, 27) - Fraction(1, 10)), {"x": "1/3"}),
        ("sqrt(x)*y", {"x": "4/9", "y": "3"}, "2", {"x": "9/4", "y": "2/3"}),
        ("x!", {"x": "30"}, "265252859812191058636308480000000", {}),
        ("max(x, 0.3, 1/3)", {"x": "1/3"}, "1/3", {"x": "1/2"}),
        ("cbrt(-x) + hypot(3, 4*x) + log2(x)", {"x": "1/8"}, None, {}),
        ("0.1+0.2+x", {"x": "0.1"}, "2/5", {"x": "1"}),
        ("2^-x", {"x": "100"}, f"1/{2**100}", {}),
        ("if(x > 1/3, 1, x)", {"x": "0.3333"}, "3333/10000", {"x": "1"}),
    ],
)
def test_exact_results_are_told_as_fractions(
    expression: str, at: dict[str, str], expected: str | None, slopes: dict[str, str]
) -> None:
    (output,) = evaluated(expression, at, "--exact").data["outputs"]
    assert expected == output.get("exact")
    assert slopes == output.get("exact_gradient", {})
    if expected is not None:
        assert float(Fraction(expected)) == output["value"]


def test_the_step_that_leaves_the_fractions_is_named_and_marked() -> None:
    answer = evaluated("a = x^2; b = log(a); b+x", {"x": "1/2"}, "--exact")
    nodes = {node.get("alias", node["name"]): node for node in answer.data["nodes"]}
    assert ("1/4", None, None) == tuple(nodes[name].get("exact") for name in ("a", "b", "v3"))
    assert ["b"] == [note["text"].split()[0] for note in answer.data["notes"] if note["kind"] == "inexact"]
    _, table, _ = printed("eval", "a = x^2; b = log(a); b+x @ x=1/2", "--exact")
    assert "−1.386…" in table
    assert "−0.886…" in table


def test_numbers_too_long_to_read_become_doubles() -> None:
    short = ("1" * 1200, "1e1200", "1e-1200", "1e+01200", "-1.5", "+.5E2", "2.")
    long = ("1" * 1201, "1e1201", "1e-1201", "1e+001200", "1/2", "inf", "1e", "", "+", "-.", "1e.5", "--1", "1e--1")
    assert [*map(Fraction, short), *[None] * len(long)] == [read_fraction(text) for text in (*short, *long)]
    sizes = [Fraction(sign) ** k * 2**3999 for sign in (1, -1) for k in (1, 2)]
    assert [(x, 1 / x, None, None) for x in sizes] == [
        tuple([Number(y).fraction for y in (x, 1 / x, 2 * x, 1 / (2 * x))]) for x in sizes
    ]
    for name, a, b, expected in (("hypot", 3, 4, 5), ("pow", -1, 1000001, -1), ("pow", -1, 1000000, 1)):
        assert expected == EXACT.number(ROWS[name].value(EXACT, EXACT.number(a), EXACT.number(b))).fraction
    (output,) = evaluated("x^(10^9)", {"x": "3/2"}, "--exact").data["outputs"]
    assert ("Infinity", None) == (output["value"], output.get("exact"))
    assert "3.646e-30…  6.806e-28…" in printed("eval", "x^80", "--at", "x=3/7", "--exact")[1]
    squares = "; ".join(["a0 = x", *(f"a{k + 1} = a{k}*a{k}" for k in range(40)), "a40"])
    (output,) = evaluated(squares, {"x": "3/2"}, "--exact", "--no-trace").data["outputs"]
    assert ("Infinity", None) == (output["value"], output.get("exact"))


# --- complex numbers -------------------------------------------------------------------------------------------------

HOLOMORPHIC = [row for row in ROWS.values() if extend_to_complex(row) is not None]
OFF_THE_LINE = (mpmath.mpc("0.25"), mpmath.mpc("-0.375"))  # imaginary parts that are added to the samples


@pytest.mark.parametrize("row", HOLOMORPHIC, ids=lambda row: row.name)
def test_complex_functions_continue_the_real_ones(row: Primitive) -> None:
    rule = extend_to_complex(row)
    assert rule is not None
    for point in points(row):
        value, partials = read(rule, COMPLEX, point)
        true, slopes = read(row, PRECISE, point)
        for found, expected in zip([value, *partials], [true, *slopes], strict=True):
            assert abs(found - expected) <= ROUNDING * (1 + abs(expected)), point


@pytest.mark.parametrize("row", HOLOMORPHIC, ids=lambda row: row.name)
def test_complex_partials_are_the_same_slope_in_both_directions(row: Primitive) -> None:
    """The Cauchy–Riemann equations: a step of h and one of ih lead to the same derivative, which is the partial."""
    rule = extend_to_complex(row)
    assert rule is not None
    step = COMPLEX.context.mpf(10) ** -15  # leaves an error of 1e-30 and 45 digits of the difference
    for point in points(row, 3):
        for shift in OFF_THE_LINE:
            fixed = set(range(row.has_order))
            z = [
                COMPLEX.number(x) + (0 if k in fixed else COMPLEX.context.mpc(0, shift.real * (k + 1)))
                for k, x in enumerate(point)
            ]
            partials = rule.gradient(COMPLEX, rule.value(COMPLEX, *z), tuple(z), (True,) * len(z))
            for position, partial in enumerate(partials):
                if position in fixed:
                    continue
                for direction in (COMPLEX.context.mpc(1), COMPLEX.context.mpc(0, 1)):
                    ahead, behind = list(z), list(z)
                    ahead[position] += direction * step
                    behind[position] -= direction * step
                    difference = rule.value(COMPLEX, *ahead) - rule.value(COMPLEX, *behind)
                    expected = difference / (2 * direction * step)
                    assert abs(partial - expected) <= 1e-24 * (1 + abs(expected)), (z, position, direction)


def test_every_row_says_whether_it_has_a_complex_derivative() -> None:
    without = {"abs", "sign", "floor", "ceil", "round", "max", "min", "mod", "atan2", "relu", "if", "and", "or", "not"}
    without |= {"lt", "le", "gt", "ge", "eq", "ne"}
    without |= {row.name for row in ROWS.values() if row.continued is False}
    assert without == {row.name for row in ROWS.values() if extend_to_complex(row) is None}


@pytest.mark.parametrize(
    ("expression", "at", "expected"),
    [
        ("(-8)^(1/3)+0*x", "1", 1 + 3**0.5 * 1j),
        ("x^(1/3)", "-8", 1 + 3**0.5 * 1j),
        ("root(x, 2)", "-4", 2j),
        ("log(x)", "-1", 3.141592653589793j),
        ("sqrt(x)", "-4", 2j),
        ("exp(i*x)", "pi/2", 1j),
        ("cosd(x)", "1e50", 0.17364817766693035),  # of 280 degrees
        ("0*x + sin(1e50)", "1", -0.7896724934293101),
        ("(1+2i)*x", "3-i", 5 + 5j),
        ("asin(x)", "2", 1.5707963267948966 - 1.3169578969248168j),  # a cut belongs to its side counter-clockwise
        ("acosh(x)", "i", 0.881373587019543 + 1.5707963267948966j),
        ("softplus(x)", "3.442275117-6.036214956i", 3.4728535636384463 + 0.23938485637330306j),  # log(1 + exp(x))
    ],
)
def test_complex_values_lie_on_the_principal_branch(expression: str, at: str, expected: complex) -> None:
    answer = evaluated(expression, {"x": at}, "--complex")
    value = answer.data["outputs"][0]["value"]
    assert pytest.approx(expected, rel=1e-15, abs=1e-15) == complex(value["re"], value["im"])
    assert "branch" in answer.kinds


@pytest.mark.parametrize("expression", ["abs(z)*z", "max(z, 1)", "floor(z)", "if(z > 1, z, 1)", "z*atan2(z, 1)", "z%2"])
def test_what_is_not_holomorphic_is_a_clear_error(expression: str) -> None:
    answer = evaluated(expression, {"z": "1+2i"}, "--complex")
    assert (3, "domain") == (answer.code, answer.data["kind"])
    assert "no complex derivative" in answer.data["title"]
    assert answer.data["column"] is not None


@pytest.mark.parametrize("size", [50, 300])
def test_a_complex_argument_far_from_zero_keeps_its_digits(size: int) -> None:
    with mpmath.workdps(size + 30):
        expected = complex(mpmath.sin(mpmath.mpc(10**size, "0.5")))
    value = evaluated("sin(z)", {"z": f"1e{size}+0.5i"}, "--complex").data["outputs"][0]["value"]
    assert pytest.approx(expected, rel=1e-13) == complex(value["re"], value["im"])


def test_a_complex_number_that_is_too_large_for_a_double_has_a_note() -> None:
    text = "v1 is too large for a double and is shown as infinite; --precision 20 shows it"
    assert text in run("eval", "exp(x)", "--at", "x=1000", "--complex").err
    assert "too large" not in run("eval", "exp(x)", "--at", "x=1000", "--complex", "--precision", "20").err


def test_what_has_no_complex_derivative_may_stand_among_complex_numbers_as_a_constant() -> None:
    assert {"re": 1.0, "im": 2.0} == evaluated("clamp(4, -1, 1)*z", {"z": "1+2i"}, "--complex").data["outputs"][0][
        "value"
    ]
    answer = evaluated("clamp(4, 2, 1)*z", {"z": "1+2i"}, "--complex")
    assert (3, "domain") == (answer.code, answer.data["kind"])


# --- intervals -------------------------------------------------------------------------------------------------------


def inside(interval: Any, number: Any) -> bool:
    """Whether an interval holds a number of 50 digits, which itself may be off in the last three."""
    exact = BOX.flint.fmpq(*_ratio(number))
    around = BOX.arb(exact, abs(float(number)) * 1e-46 + 1e-60)
    return bool(BOX.number(interval).overlaps(around))


def _ratio(x: Any) -> tuple[int, int]:
    fraction = Fraction(mpmath.nstr(PRECISE.context.mpf(x), 60))
    return fraction.numerator, fraction.denominator


@every_row
def test_intervals_at_points_hold_the_true_number_and_little_else(row: Primitive) -> None:
    with BOX.working():
        for point in points(row):
            value, partials = read(row, BOX, point)
            true, slopes = read(row, PRECISE, point)
            for found, expected in zip([value, *partials], [true, *slopes], strict=True):
                assert inside(found, expected), point
                assert BOX.number(found).rad() <= 1e-45 * (1 + abs(float(expected))), point


@every_row
def test_intervals_of_a_box_hold_every_value_in_it(row: Primitive) -> None:
    with BOX.working():
        for point in points(row, 3):
            whole = [
                (position in row.truth_arguments or (position == 0 and row.has_order)) for position in range(len(point))
            ]
            reach = [Fraction(0) if k else Fraction(1, 256) for k in whole]
            box = tuple(BOX.hull(x - r, x + r) for x, r in zip(point, reach, strict=True))
            value = row.value(BOX, *box)
            partials = row.gradient(BOX, value, box, (True,) * len(box))
            for part in (-1, Fraction(-1, 3), 0, Fraction(5, 7), 1):
                corner = tuple(x + part * r for x, r in zip(point, reach, strict=True))
                true, slopes = read(row, PRECISE, corner)
                if not isinstance(value, Truth):
                    assert inside(value, true), (point, part)
                for found, expected in zip(partials, slopes, strict=True):
                    assert inside(found, expected), (point, part)


def test_a_choice_that_is_not_decided_takes_in_both_sides() -> None:
    with BOX.working():
        around_zero = BOX.hull(-1, 2)
        assert [0, 0, 1, 1, 1, 0] == [getattr(BOX, name)(1, 1) for name in ("lt", "gt", "le", "ge", "eq", "ne")]
        assert (
            [True, False]
            == [BOX.truth(BOX.number(x)).always for x in (1, 0)]
            == [BOX.truth(Truth(x, not x)).always for x in (True, False)]
        )
        for name, low, high in (("abs", 0, 2), ("relu", 0, 2), ("sign", -1, 1), ("round", -1, 2), ("softplus", 0.4, 2)):
            found = ROWS[name].value(BOX, around_zero)
            assert found.lower() <= low and found.upper() >= high, name
        slopes = ROWS["max"].gradient(BOX, None, (around_zero, BOX.number(0)), (True, True))
        assert all(slope.lower() <= 0 and slope.upper() >= 1 for slope in slopes)


# --- how the point was written ---------------------------------------------------------------------------------------


def test_a_point_keeps_what_was_written() -> None:
    point = read_point(Source("a=0.1, b=pi/3, c=1/3, d=-2.50"))
    assert {"a": 0.1, "b": FLOAT.pi / 3, "c": 1 / 3, "d": -2.5} == point
    assert ["1/10", None, "1/3", "-5/2"] == [
        None if number.fraction is None else str(number.fraction)
        for number in (in_arithmetic(EXACT, x) for x in point.values())
    ]
    with mpmath.workdps(50):
        assert abs(mpmath.pi / 3 - in_arithmetic(PRECISE, point["b"])) < mpmath.mpf(10) ** -49
        assert abs(mpmath.mpf("0.1") - in_arithmetic(PRECISE, point["a"])) < mpmath.mpf(10) ** -50


@pytest.mark.parametrize("text", ["sin(x)+exp(y)", "x^y/gamma(x)", "log(x, 3)*atan2(x, y)", "erf(x)-hypot(x, y)"])
def test_so_many_digits_are_right_as_were_asked_for(text: str) -> None:
    at = {"x": "0.7", "y": "pi/5"}
    few = evaluated(text, at, "--precision", "30").data["outputs"][0]
    many = evaluated(text, at, "--precision", "120").data["outputs"][0]
    with mpmath.workdps(130):
        for short, long in [(few["decimal"], many["decimal"])] + [
            (few["decimal_gradient"][name], many["decimal_gradient"][name]) for name in at
        ]:
            expected = mpmath.mpf(long)
            assert abs(mpmath.mpf(short) - expected) <= abs(expected) * mpmath.mpf(10) ** -29
    assert float(many["decimal"]) == many["value"]


@pytest.mark.parametrize("flags", [("--exact",), ("--precision", "40"), ("--complex",)])
@pytest.mark.parametrize("text", ["log(0*x)", "1/(x-x)", "0^(x-5)"])
def test_what_has_no_value_is_an_error_in_every_arithmetic(flags: tuple[str, ...], text: str) -> None:
    answer = evaluated(text, {"x": "2"}, *flags)
    assert (3, "domain") == (answer.code, answer.data["kind"])


@pytest.mark.parametrize("flags", [("--exact",), ("--precision", "40")])
@pytest.mark.parametrize("text", ["log(-x)", "sqrt(1-x)", "asin(x)", "(-x)^0.5", "gamma(2-x)"])
def test_what_has_no_real_value_is_an_error_in_every_real_arithmetic(flags: tuple[str, ...], text: str) -> None:
    ordinary, answer = evaluated(text, {"x": "2"}), evaluated(text, {"x": "2"}, *flags)
    assert (3, ordinary.data) == (answer.code, answer.data)


@pytest.mark.parametrize("flags", [("--exact",), ("--precision", "40")])
@pytest.mark.parametrize(("text", "expected"), [("abs(x)", 0), ("max(x, 0)", 0.5), ("relu(x)", 0), ("floor(x)*x", 0)])
def test_kinks_have_the_same_convention_in_every_arithmetic(flags: tuple[str, ...], text: str, expected: float) -> None:
    answer = evaluated(text, {"x": "0"}, *flags)
    assert expected == answer.data["outputs"][0]["gradient"]["x"]
    assert "kink" in answer.kinds
    assert 3 == evaluated(text, {"x": "0"}, *flags, "--kinks", "error").code


def test_arithmetics_that_exclude_each_other_are_a_request_that_cannot_be_met() -> None:
    for flags in (("--exact", "--complex"), ("--exact", "--precision", "9"), ("--complex", "--certify")):
        code, _, err = printed("eval", "x", "--at", "x=1", *flags)
        assert code == 2, flags
        assert "help:" in err


@pytest.mark.parametrize(("text", "power"), [("1.5e40000", 40000), ("-2e-50000", -50000), ("3e123456789", 123456789)])
def test_a_number_with_a_huge_exponent_is_read_as_it_is_written(text: str, power: int) -> None:
    found = Precise(30).number(text)
    assert power == pytest.approx(float(mpmath.log10(abs(found))), abs=0.5)
    assert (text[0] == "-") == (found < 0)


@pytest.mark.parametrize(
    ("name", "x", "expected"),
    [("lgamma", 1, 0), ("lgamma", 2, 0), ("acosh", 1, 0), ("atanh", 0, 0), ("erf", 0, 0), ("erfc", 0, 1), ("log", 1, 0),
     ("exp", 0, 1), ("cos", 0, 1), ("acos", 1, 0), ("cosh", 0, 1)],
)  # fmt: skip
def test_what_is_exact_of_an_exact_number_stays_exact(name: str, x: int, expected: int) -> None:
    m = Exact()
    found = m.number(ROWS[name].value(m, m.number(x)))
    assert expected == found.fraction
    assert [None, None] == [m.gamma(m.number(z)).fraction for z in (0, 451)]
    assert m.gamma(m.number(450)).fraction == math.factorial(449)
    beside = m.number(Fraction(7, 5) if name == "acosh" else Fraction(1, 3))
    assert m.number(ROWS[name].value(m, beside)).fraction is None


@pytest.mark.parametrize("z", [0.3 + 0.4j, -2.5 + 0.1j, 1e-9 + 1e-9j, 2 - 3j])
def test_functions_of_complex_doubles_that_python_lacks_are_those_of_many_digits(z: complex) -> None:
    with mpmath.workdps(30):
        for name, exactly in (("log1p", mpmath.log(1 + mpmath.mpc(z))), ("expm1", mpmath.expm1(mpmath.mpc(z)))):
            assert abs(complex(exactly) - getattr(COMPLEXES, name)(z)) < 1e-15 * (1 + abs(exactly))


def test_lgamma_keeps_its_digits_next_to_its_zeros() -> None:
    """At 1.0000001 the library of Python has eight right digits; further out it is 25 ulps off, and 7 next to 0."""
    places = [zero + sign * 10.0**-k for zero in (1, 2) for sign in (1, -1) for k in range(1, 16)]
    places += (
        [0.5 + k / 64 for k in range(129)] + [2.5 + k / 19 for k in range(1, 300)] + [k / 101 for k in range(1, 51)]
    )
    places += [1e-300, 1e-17, math.nextafter(0.5, 0), math.nextafter(2.5, 3), 16.0, math.nextafter(16, 17), 1e300]
    found = ARRAYS.lgamma(np.array(places))
    for x, several in zip(places, found, strict=True):
        alone = FLOAT.lgamma(x)
        assert alone == several
        with mpmath.workdps(40):
            expected = mpmath.loggamma(mpmath.mpf(x))
            assert abs(alone - expected) <= 4 * math.ulp(float(expected)), x
    assert 0 == FLOAT.lgamma(1.0) == FLOAT.lgamma(2.0)


def test_every_arithmetic_has_the_constants_that_rules_ask_for() -> None:
    from adcli.kinks.exact_reals import Reals
    from adcli.numbers.complexes import COMPLEXES, Complex
    from adcli.numbers.double_intervals import SPREAD
    from adcli.numbers.doubles import RAISING
    from adcli.numbers.dual import Duals
    from adcli.numbers.numpy_arrays import ARRAYS
    from adcli.numbers.range_arithmetic import Ranges
    from adcli.python.core.evaluation import MIXED

    kinds = [FLOAT, RAISING, ARRAYS, MIXED, COMPLEXES, Complex(20), Precise(20), Exact(), Duals(FLOAT), Ranges()]
    kinds += [SPREAD, Interval(), Reals()]
    constants = ("zero", "one", "undefined", "infinity", "pi", "e")
    assert [] == [(type(m).__name__, name) for m in kinds for name in constants if not hasattr(m, name)]
    assert not any(hasattr(m, "unknown") for m in kinds)


def test_arrays_have_the_cube_roots_of_negative_numbers() -> None:
    cubes = np.array([-8.0, -1.0, -0.0, 0.0, 27.0])
    assert [-2.0, -1.0, 0.0, 0.0, 3.0] == ARRAYS.cbrt(cubes).tolist()
    assert np.allclose(ARRAYS.cbrt(cubes.astype(complex)) ** 3, cubes)
