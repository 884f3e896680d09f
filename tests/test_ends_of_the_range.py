"""Values and derivatives at the ends of the range of doubles, where a step of a rule leaves it and the answer not."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from drawn import THOROUGH, usually
from support import evaluated

import adcli
from adcli.graph.graph import Graph
from adcli.graph.tape import evaluate, linearize
from adcli.language import program  # noqa: F401 - loads the table
from adcli.numbers.arb_intervals import Interval
from adcli.numbers.complexes import Complex
from adcli.numbers.double_intervals import SPREAD
from adcli.numbers.doubles import FLOAT, RAISING
from adcli.numbers.dual import Duals
from adcli.numbers.exact import Exact
from adcli.numbers.numpy_arrays import ARRAYS
from adcli.numbers.precise import Precise
from adcli.numbers.series import Taylor
from adcli.table.primitive import ROWS, Limit, Primitive
from adcli.trace.hessians import second_derivatives

FINE = Precise(700)  # so many that nothing is lost between the largest and the smallest number
SIZES = (1e308, 1.7e308, 1e-308, 5e-324, 1e-310, 1e16, 1e-16, 1e155, 1e-155, 1e100, 1e-100, 709.0, 710.0, 745.0)
ENDS = [sign * x for x in SIZES for sign in (1, -1)] + [1 - 2.0**-53, 1 + 2.0**-52, -1 + 2.0**-53, -1 - 2.0**-52, 0.5]
PAIRS = (1e308, -1e308, 1e-308, 5e-324, 1e155, 1e-155, 1.0, -3.0, *((-1e155, 2.0, 1e16) if THOROUGH else ()))
ASKED = [row for row in ROWS.values() if not row.truth and row.route is None and row.arity]
# These add digits themselves where some are lost, and take seconds with 700.
FEWER = (
    "Zeta", "zetaderivative", "Beta", "betaln", "binomial", "polygammadiff", "erfcx", "gammaincc", "erfcinv", "probit",
    "erfinv", "factorial", "digamma", "gamma", "lgamma", "Ei", "Si", "Ci", "gammainc", "gammaincprime", "polygamma",
    "airyai", "airybi", "airyaiprime", "airybiprime", "lambertw", "bessely",
)  # fmt: skip
PRECISE = {row.name: Precise(60) if row.name in FEWER else FINE for row in ASKED}
SMALLEST, LARGEST = 2.0**-1022, 1e300  # below, doubles have fewer digits; above, steps may overflow


def derivatives(row: Primitive, point: tuple[float, ...], m: Any) -> dict[str, Any]:
    """The value, the slopes and, of one argument, the second derivative."""
    graph = Graph()
    slot = graph.apply(row, tuple(graph.input(f"x{k}") for k in range(len(point))))
    graph.outputs = [("y", slot)]
    values = evaluate(graph, m, {s: m.number(x) for s, x in zip(graph.inputs, point, strict=True)})
    found = {"value": values[slot]}
    found |= {f"slope {k}": x for k, x in enumerate(linearize(graph, m, values)[slot]) if x is not None}
    if len(point) == 1:
        found["second"] = (second_derivatives(graph, m, values)[0].hessian or {})["x0"]["x0"]
    return found


def explained(row: Primitive, point: tuple[float, ...], what: str, found: float, true: Any) -> bool:
    """Whether rounding may make that number of the true one: the rule in intervals of doubles holds both, or is open.

    What a limit serves for has a narrow interval, so that a row that lacks its limit is found.
    """
    try:
        between = SPREAD.number(derivatives(row, point, SPREAD)[what])
    except (ArithmeticError, ValueError):
        return True
    if not between.known:
        return True
    return between.low <= found <= between.high and between.low <= float(true) <= between.high


def faults(row: Primitive, step: int = 1) -> list[str]:
    """Where a row in doubles has another number than in many digits; at every so many of the points."""
    wrong = []
    for point in [*product(ENDS if row.arity == 1 else PAIRS, repeat=row.arity or 1)][::step]:
        kinks = [row.kink(k) for k in range(len(point))]
        if row.find_violation(FLOAT, point) or any(k and not k.holds(FLOAT, *point) for k in kinks):
            continue
        found, true = derivatives(row, point, FLOAT), derivatives(row, point, PRECISE[row.name])
        lost = abs(true["value"]) > LARGEST
        for what, x in true.items():
            if x != x or (what != "value" and (lost or abs(x) > LARGEST)):
                continue  # said to be unknown, or infinite
            expected = float(x)
            near = expected == found[what] or abs(found[what] - expected) <= 1e-13 * abs(expected) + SMALLEST
            if not near and not explained(row, point, what, found[what], x):
                wrong.append(f"{what} of {row.name} at {point}: {found[what]}, not {expected}")
    return wrong


@pytest.mark.parametrize("row", ASKED, ids=lambda row: row.name)
def test_a_row_has_the_numbers_of_many_digits_at_the_ends(row: Primitive) -> None:
    assert [] == faults(row, usually(2, thoroughly=1))


@pytest.mark.parametrize("name", ["asin", "atan", "asec", "atan2", "hypot", "mod", "acsch"])
def test_a_rule_without_its_limit_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Duals.guard

    def as_written(self: Any, limit: Limit, rule: Any, *arguments: Any) -> Any:
        """No limit for doubles; what explains a loss is read as the row has it."""
        return kept(self, limit, rule, *arguments) if getattr(self, "m", None) is SPREAD else rule

    for arithmetic in (type(FLOAT), Duals):
        monkeypatch.setattr(arithmetic, "guard", as_written)
    assert faults(ROWS[name])


BEYOND = [  # in 50 digits
    ("atan2(y, x)", {"x": -5.0, "y": 7e200}, [-1.4285714285714286e-201, 0.0]),
    ("atan2(y, x)", {"x": 3e-200, "y": 4e-200}, [-1.6e199, 1.2e199]),
    ("atan2(y, x)", {"x": 1e-200, "y": 1e-158}, [-1e158, 1e116]),
    ("atan2(y, x)", {"x": 1e308, "y": 1e308}, [-5e-309, 5e-309]),
    ("atan2(x, x)", {"x": -3e-300}, [0.0]),
    ("log10(x)", {"x": 1.5e308}, [2.8952965460216788e-309]),
    ("log2(x)", {"x": 9e-309}, [1.6029944898766256e308]),
    ("log(x, b)", {"x": 2.0, "b": 1e305}, [0.000711964, -1.4053820586318394e-311]),
    ("hypot(a, b)", {"a": 5e-324, "b": 5e-324}, [math.sqrt(0.5), math.sqrt(0.5)]),
    ("root(x, n)", {"x": 1e308, "n": 2.0}, [5e-155, -1.7729903e156]),
    ("a % b", {"a": 1e-308, "b": -1e308}, [1.0, 1.0]),
]


@pytest.mark.parametrize(("text", "at", "slopes"), BEYOND)
@pytest.mark.parametrize("engine", ["sweeps", "numpy", "native"])
def test_slopes_beyond_the_squares_of_doubles(
    text: str, at: dict[str, float], slopes: list[float], engine: str
) -> None:
    parsed = adcli.parse(text)
    if engine == "sweeps":
        found = parsed.gradient(at)
    else:
        columns = parsed.kernel(engine).columns({name: [x] for name, x in at.items()})
        found = {name: next(float(x[0]) for key, x in columns.items() if key.endswith(f"_d{name}")) for name in at}
    assert slopes == [pytest.approx(found[name], rel=1e-5, abs=1e-313) for name in at]


@pytest.mark.parametrize(("x", "value"), [(1e-310, 714.4945260087141), (-5e-324, -745.1332191019412)])
def test_inverse_cosecant_next_to_its_pole(x: float, value: float) -> None:
    assert value == pytest.approx(adcli.parse("acsch(x)").value({"x": x}), rel=1e-15)


def test_exact_slopes_stay_exact_far_out() -> None:
    m = Exact()
    y, x = m.number("1e200"), m.number("-5")
    slope = ROWS["atan2"].rules(m, m.number(0), (y, x), (True, True))[1]
    assert Fraction(-(10**200), 10**400 + 25) == Fraction(str(slope.fraction))


ARITHMETICS = (FLOAT, RAISING, ARRAYS, Precise(30), Exact(), Complex(30), SPREAD, Duals(FLOAT), Taylor(FLOAT, 2))


@pytest.mark.parametrize("m", ARITHMETICS, ids=lambda m: type(m).__name__)
def test_a_zero_has_no_sign_in_any_arithmetic(m: Any) -> None:
    found = ROWS["atan2"].value(m, m.number(-0.0), m.number(-3.0))
    for end in ("low", "high"):  # of a spread; others are a number, or have it as their first part
        number = getattr(found, end, getattr(found, "value", getattr(found, "first", found)))
        assert abs(number - math.pi) < 1e-12


def test_a_zero_has_no_sign_in_intervals() -> None:
    m = Interval(128)
    with m.working():
        assert abs(m.number(ROWS["atan2"].value(m, m.number(-0.0), m.number(-3.0))) - m.pi) < 1e-6


@pytest.mark.parametrize("engine", ["numpy", "native", "sweeps"])
def test_a_product_with_zero_has_the_angle_of_zero(engine: str) -> None:
    parsed = adcli.parse("atan2(0*x, x)")
    value = parsed.value({"x": -3.0}) if engine == "sweeps" else parsed.kernel(engine).columns({"x": [-3.0]})["y"][0]
    assert math.pi == value


@pytest.mark.parametrize("flags", [(), ("--exact",), ("--precision", "30"), ("--certify",)])
def test_commands_agree_on_the_angle_of_zero(flags: tuple[str, ...]) -> None:
    output = evaluated("atan2(0*x, x)", {"x": "-3"}, *flags).data["outputs"][0]
    assert (math.pi, {"x": 0}) == (output["value"], output["gradient"])
