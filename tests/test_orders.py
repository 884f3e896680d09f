"""Derivatives of higher orders as formulas: right, short, with the domain of what they are derivatives of."""

from __future__ import annotations

from typing import Any

import mpmath
import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st
from soundness import at

from adcli.errors import RequestError, Source
from adcli.graph.graph import Graph
from adcli.graph.order import arrange
from adcli.graph.tape import evaluate
from adcli.language.program import read_program
from adcli.notation.statements import Statements
from adcli.numbers.precise import Precise
from adcli.symbolic.derivative import derivative
from adcli.symbolic.higher_orders import collect_derivatives, derivative_formula

EXACTLY = Precise(250)  # differences of order 5 lose most of them


def graph_of(text: str) -> Graph:
    return arrange(read_program(Source(text)).graph, extra=("x",))


def operations(graph: Graph) -> int:
    """The operations of the first output when it is written out without names."""
    sizes: list[int] = []
    for row, parents in zip(graph.rows, graph.parents, strict=True):
        sizes.append((row is not None) + sum(sizes[parent] for parent in parents))
    return sizes[graph.outputs[0][1]]


def text_of(graph: Graph) -> str:
    return Statements(graph, [(None, graph.outputs[0][1])], tuple(graph.inputs.values())).text()


def value(graph: Graph, x: Any) -> Any:
    values = evaluate(graph, EXACTLY, {slot: EXACTLY.number(x) for slot in graph.inputs})
    return values[graph.outputs[0][1]]


# --- short ------------------------------------------------------------------------------------------------------------

# What SymPy 1.13 has with `diff`, counted by its `count_ops`.
SYMPY = [
    ("sin(x^2)*exp(x)/(1+x^2)", 10, 1744), ("tan(x)^2/x", 8, 202), ("tan(x)^2/x", 10, 299), ("(x^2+1)^(x/3)", 8, 727),
]  # fmt: skip


@pytest.mark.parametrize(("text", "order", "most"), SYMPY)
def test_high_orders_are_well_below_what_a_computer_algebra_system_writes(text: str, order: int, most: int) -> None:
    assert operations(derivative_formula(graph_of(text), ["x"] * order)) <= 0.7 * most


@pytest.mark.parametrize(
    ("text", "order", "most"),
    [("exp(3*x)", 40, 3), ("sin(2*x)", 41, 3), ("exp(-x^2/2)", 12, 30), ("1/(1 + x^2)", 12, 40), ("log(x)", 30, 3)],
)
def test_length_grows_no_faster_than_the_mathematics_asks_for(text: str, order: int, most: int) -> None:
    assert operations(derivative_formula(graph_of(text), ["x"] * order)) <= most


def test_like_terms_of_all_orders_meet() -> None:
    found = derivative_formula(graph_of("exp(-x^2)*log(x + 2)"), ["x"] * 4)
    assert text_of(found) == (
        "2*exp(-x^2)*(6*(1 - 2*x^2)/(x + 2)^2 - 3/(x + 2)^4 - 8*x/(x + 2)^3 + 8*x*(3 - 2*x^2)/(x + 2)"
        " + 2*log(x + 2)*(4*x^4 - 12*x^2 + 3))"
    )
    assert text_of(derivative_formula(graph_of("x^2*exp(x)"), ["x"] * 20)) == "exp(x)*(x^2 + 40*x + 380)"


@pytest.mark.parametrize(
    ("text", "order", "expected"),
    [
        ("besselj(0, x)", 1, "-besselj(1, x)"), ("bessely(0, x)", 1, "-bessely(1, x)"),
        ("besseli(0, x)", 1, "besseli(1, x)"), ("besselk(0, x)", 1, "-besselk(1, x)"),
        ("besselj(0, x)", 3, "3*besselj(1, x)/4 - besselj(3, x)/4"),
        ("besselj(-1, x)", 1, "besselj(2, x)/2 - besselj(0, x)/2"),
        ("sphericalj(1, x)", 1, "sphericalj(0, x)/3 - 2*sphericalj(2, x)/3"),
        ("besselj(-100, x)", 1, "besselj(99, x)/2 - besselj(101, x)/2"),
    ],
)  # fmt: skip
def test_no_rule_leaves_a_negative_order(text: str, order: int, expected: str) -> None:
    found = derivative_formula(graph_of(text), ["x"] * order)
    assert expected == text_of(found)
    swept = graph_of(text)
    for _ in range(order):
        swept = derivative(swept, ["x"], tidy=False)
    assert abs(value(found, 1.75) - value(swept, 1.75)) <= 1e-40 * abs(value(swept, 1.75))


def test_numbers_of_an_argument_are_joined() -> None:
    assert text_of(derivative_formula(graph_of("x^2*bessely(n, x)"), ["x"] * 4)) == (
        "(12 - x^2)*(bessely(n - 2, x) + bessely(n + 2, x))/4 + 3*bessely(n, x)*(x^2 - 16)/8"
        " + x*(bessely(n - 3, x) - 3*bessely(n - 1, x) + 3*bessely(n + 1, x) - bessely(n + 3, x))"
        " + x^2*(bessely(n - 4, x) + bessely(n + 4, x))/16"
    )


def test_polynomials_end_in_nothing() -> None:
    assert text_of(derivative_formula(graph_of("(x^2 + 1)^3*x"), ["x"] * 8)) == "0"
    assert text_of(derivative_formula(graph_of("(x^2 + 1)^3*x"), ["x"] * 7)) == "5040"


def test_a_long_sum_is_one_of_short_terms() -> None:
    text = " + ".join(f"sin({k}*x)" for k in range(1, 1301))
    found = derivative_formula(graph_of(text), ["x"])
    assert operations(found) <= 4 * 1300
    assert text_of(found).startswith("cos(1*x) + 2*cos(2*x) + 3*cos(3*x)")


# --- right ------------------------------------------------------------------------------------------------------------

PARTS = (
    "x", "x^2 + 1", "x + 3", "sin(x)", "exp(x)", "log(x + 2)", "tan(x)", "sqrt(x + 1)", "atan(x)", "1/x", "erf(x)",
    "tanh(x)", "x^x", "cbrt(x)", "gamma(x)", "besselj(1, x)", "x^2.5", "sigmoid(x)", "pi*x", "abs(x)", "asin(x/3)",
)  # fmt: skip
JOINED = ("({a})*({b})", "({a})/({b})", "({a})^2 - {b}", "sin({a})*({b})", "exp(({a})/({b}))", "({a})/({b})^2 + {a}")


@given(st.sampled_from(JOINED), st.sampled_from(PARTS), st.sampled_from(PARTS), st.integers(2, 5), st.floats(0.3, 1.2))
@examples(12)
def test_collected_terms_are_the_derivative(joined: str, a: str, b: str, order: int, x: float) -> None:
    graph = graph_of(joined.format(a=a, b=b))
    found = collect_derivatives(derivative(graph, ["x"], later=order - 1), ["x"] * (order - 1))
    assert found is not None
    with mpmath.workdps(20):
        expected = mpmath.diff(lambda t: mpmath.mpf(value(graph, t)), mpmath.mpf(x), order)
        size = sum(abs(mpmath.mpf(value(graph, x + k * 0.01))) for k in range(-1, 2))
        assert abs(mpmath.mpf(value(found, x)) - expected) <= 1e-12 * (abs(expected) + size)


# Sums in which something cancels that has no value somewhere, and where that is.
NOWHERE = [
    ("1/(1/x)*x", 0.0), ("x^2/x + x^3", 0.0), ("x*log(x) - x*log(x) + x^4", -1.0), ("(x^2 - 1)^3/(x - 1)", 1.0),
    ("x^3/sin(x)*sin(x)", 0.0), ("sqrt(x)^4", -1.0), ("x^0.5*x^4.5", -1.0), ("exp(log(x))*x^2", 0.0),
]  # fmt: skip


@pytest.mark.parametrize(("text", "x"), NOWHERE)
def test_what_is_cancelled_had_a_value(text: str, x: float) -> None:
    graph = graph_of(text)
    swept = derivative(derivative(graph, ["x"], later=1), ["x"], tidy=False)
    found = collect_derivatives(derivative(graph, ["x"], later=1), ["x"])
    assert found is not None
    if at(swept, x) is None:
        assert at(found, x) is None
    inside = 0.625
    assert at(found, inside) == pytest.approx(at(swept, inside), rel=1e-40)


@pytest.mark.parametrize("later", [0, 1, 2])
def test_a_power_of_0_collected_for_its_exponent_is_0_as_far_as_it_will_be_differentiated(later: int) -> None:
    found = collect_derivatives(arrange(read_program(Source("a^x")).graph), ["x"], later)
    assert found is not None
    assert text_of(found) == f"if(a == 0 and x > {later}, 0, a^x*log(a))"


def test_numbers_stay_numbers() -> None:
    found = derivative_formula(graph_of("sin((gamma(x) - 63)^2*(gamma(x) - 63)^-2)"), ["x", "x"])
    assert "polygamma(1, x)" in text_of(found)


def test_powers_near_a_zero_are_not_multiplied_out() -> None:
    found = derivative_formula(graph_of("log(x + 2)*exp(x)/(x + 2)^2"), ["x"] * 6)
    x = -2 + 2**-30
    exact = value(found, x)
    rounded = evaluate(found, Precise(17), dict.fromkeys(found.inputs, Precise(17).number(x)))[found.outputs[0][1]]
    assert abs(rounded / exact - 1) < 1e-13


# --- cases ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "order", "expected"),
    [
        ("if(x > 0, x^x, 1)", 2, "if(x > 0, x^x*(2*log(x) + log(x)^2 + 1/x + 1), 0)"),
        ("if(x > 0 and x < 1, sin(x)*exp(x), x^2)", 4, "if(x > 0 and x < 1, -4*sin(x)*exp(x), 0)"),
        ("if(x < 1, x^2, if(x < 2, exp(x)*sin(x), x*log(x)))", 6, "if(x < 1, 0, if(x < 2, -8*exp(x)*cos(x), 24/x^5))"),
    ],
)
def test_terms_are_collected_inside_each_case(text: str, order: int, expected: str) -> None:
    assert expected == text_of(derivative_formula(graph_of(text), ["x"] * order))


@pytest.mark.parametrize(
    ("text", "order", "most"),
    [
        ("if(x > 0, x^x, 1)", 10, 200), ("max(exp(x)*sin(x), 1)*x", 8, 40), ("relu(x)*exp(-x^2)", 6, 50),
        ("+".join(f"relu(x - {k})^3*exp(x)" for k in range(8)), 6, 8 * 40),
    ],
)  # fmt: skip
def test_formulas_with_cases_do_not_swell(text: str, order: int, most: int) -> None:
    assert operations(derivative_formula(graph_of(text), ["x"] * order)) <= most


PIECES = (
    "if(x > 0, {a}, {b})", "max({a}, {b})", "abs({a})*({b})", "relu({a}) + {b}", "min(max({a}, 0), 1)*({b})",
    "if(x > 0 or x < -1, {a}, abs({b}))", "if(({a}) > 0.5, sin({b}), ({a})^2)", "max({a}, 0)^({b})",
)  # fmt: skip
SMALL = ("x", "x + 1", "x^2 - 1", "sin(x)", "exp(x)", "x*(x - 1)", "x^3", "1/(x^2 + 1)")


@given(st.sampled_from(PIECES), st.sampled_from(SMALL), st.sampled_from(SMALL), st.sampled_from((-1.0, 0.0, 0.5, 1.0)))
@examples(6)
def test_in_each_case_and_between_them_is_what_sweeps_find(piece: str, a: str, b: str, x: float) -> None:
    graph = graph_of(piece.format(a=a, b=b))
    first = derivative(graph, ["x"], later=2)
    found = collect_derivatives(first, ["x", "x"])
    assert found is not None
    swept = derivative(derivative(first, ["x"], later=1), ["x"])
    for point in (x, x + 0.25, x - 1e-9):
        expected = at(swept, point)
        assert expected is None or at(found, point) == pytest.approx(expected, rel=1e-30, abs=1e-30), point


def test_what_grows_too_fast_is_refused_before_the_work() -> None:
    text = "x"
    for k in range(8):
        text = f"max(sin({text}), {k}*x)"
    with pytest.raises(RequestError, match="order 4 already has 5520 operations"):
        derivative_formula(graph_of(text), ["x"] * 60)
