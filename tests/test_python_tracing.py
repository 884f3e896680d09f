"""Differentiating Python functions of numbers: operators, levels, every transform, the listings of the sources."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import adcli
from adcli import Node, add, mul, reverse, sub
from adcli.errors import AdcliError, DomainProblem
from adcli.python import (
    IndependenceWarning,
    KinkWarning,
    check_grads,
    cos,
    elementwise_grad,
    exp,
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    log,
    sin,
    sqrt,
    tanh,
    value_and_grad,
    vjp,
)
from adcli.python.primitives import function
from adcli.table.primitive import ROWS

# --- operators on Nodes -----------------------------------------------------------------------------------------------


def test_the_paper_s_example_can_be_written_with_operators() -> None:
    x1, x2 = Node(2), Node(5)
    y = adcli.log(x1) + x1 * x2 - adcli.sin(x2)
    y.backward()
    assert 5.5 == x1.partial_derivative
    assert 2 - math.cos(5) == pytest.approx(x2.partial_derivative, rel=1e-15, abs=0)
    assert math.log(2) + 10 - math.sin(5) == y.value


@pytest.mark.parametrize(
    ("build", "slope"),
    [
        (lambda x: 3 + x, 1.0),
        (lambda x: 3 - x, -1.0),
        (lambda x: 3 * x, 3.0),
        (lambda x: 3 / x, -0.75),
        (lambda x: 3**x, 9 * math.log(3)),
        (lambda x: x**3, 12.0),
        (lambda x: -x, -1.0),
        (lambda x: +x, 1.0),
        (lambda x: abs(-x), 1.0),
        (lambda x: x % 1.5, 1.0),
        (lambda x: 7 % x, -3.0),
        (lambda x: 7 // x * x, 3.0),
        (lambda x: (x + 0.5) // 1 * x, 2.0),
        (lambda x: math.floor(x + 0.5) * x, 2.0),
        (lambda x: x * x - x, 3.0),
    ],
)
def test_operators_mix_with_numbers_on_nodes_and_in_traced_functions(
    build: Callable[..., object], slope: float
) -> None:
    x = Node(2.0)
    build(x).backward()
    assert slope == pytest.approx(x.partial_derivative, rel=1e-15, abs=0)
    assert slope == pytest.approx(grad(build)(2.0), rel=1e-15, abs=0)
    assert slope == pytest.approx(jvp(build)(2.0)(1.0)[1], rel=1e-15, abs=0)


def test_nodes_compare_by_value_and_are_equal_only_to_themselves() -> None:
    x, y = Node(2), Node(2.0)
    assert x < 3 and x <= y and y >= x and 5 > x
    assert x == x and x != y
    assert 2 == len({x, y})


def test_a_node_shows_its_value_and_its_derivative() -> None:
    x = Node(3.0, name="x")
    (x * x).backward()
    assert "<Node x: input value=3.0 partial_derivative=6.0>" == repr(x)


def test_the_tutorial_s_listing_gives_the_numbers_of_its_text() -> None:
    x_1, x_2 = Node(3), Node(4)
    x_3 = x_1 * x_2
    x_4 = Node(5)
    x_5 = x_4 + x_3
    x_6 = Node(2)
    loss = x_5 * x_6
    loss.backward()
    found = [node.partial_derivative for node in (x_1, x_2, x_3, x_4, x_5, x_6, loss)]
    assert [8, 6, 2, 2, 2, 17, 1] == found
    assert 34 == loss.value


def test_the_loop_of_the_study_unrolls_on_nodes() -> None:
    def power_loop(x_val: float, n: int) -> tuple[Node, Node]:
        x = Node(x_val)
        result = x
        for _ in range(n - 1):
            result = mul(result, x)
        return x, result

    x_node, output_node = power_loop(2.0, 3)
    reverse(output_node)
    assert (8.0, 12.0) == (output_node.value, x_node.partial_derivative)


def test_wrapping_functions_take_traced_values_too() -> None:
    assert 5.5 == grad(lambda x1, x2: sub(add(adcli.log(x1), mul(x1, x2)), adcli.sin(x2)))(2.0, 5.0)


def test_functions_of_the_table_take_numbers_nodes_and_traced_values() -> None:
    assert math.sin(1.0) == sin(1.0)
    assert isinstance(sin(Node(1.0)), Node)
    assert math.cos(1.0) == grad(sin)(1.0)


# --- levels -----------------------------------------------------------------------------------------------------------


def test_an_inner_derivative_does_not_take_the_outer_variable_for_its_own() -> None:
    assert 1.0 == grad(lambda x: x * grad(lambda y: x + y)(1.0))(3.0)


@pytest.mark.parametrize(
    ("outer", "expected"),
    [
        (lambda x: x * grad(lambda y: x * y)(2.0), 2 * 3.0),
        (lambda x: grad(lambda y: x * y * y)(x), 4 * 3.0),
        (lambda x: grad(lambda y: y * grad(lambda z: x * y * z)(4.0))(2.0), 4.0),
        (lambda x: jvp(lambda y: x * y * y)(x)(1.0)[1], 4 * 3.0),
        (lambda x: jvp(lambda y: x + y)(1.0)(x)[1], 1.0),
        (lambda x: grad(lambda y: jvp(lambda z: x * y * z)(1.0)(y)[1])(2.0), 4.0),
    ],
)
@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_nested_derivatives_keep_their_variables_apart(
    outer: Callable[..., object], expected: float, mode: str
) -> None:
    got = grad(outer)(3.0) if mode == "reverse" else jvp(outer)(3.0)(1.0)[1]
    assert expected == pytest.approx(got, rel=1e-15, abs=0)


def repeated(transform: Callable[..., object], f: Callable[..., object], times: int) -> Callable[..., object]:
    for _ in range(times):
        f = transform(f)
    return f


def forward_derivative(f: Callable[..., object]) -> Callable[..., object]:
    return lambda x: jvp(f)(x)(1.0)[1]


@pytest.mark.parametrize("transform", [grad, forward_derivative])
def test_the_sixth_derivative_of_tanh(transform: Callable[..., object]) -> None:
    expected = float(mpmath.diff(mpmath.tanh, mpmath.mpf("0.5"), 6))
    assert expected == pytest.approx(repeated(transform, tanh, 6)(0.5), rel=1e-12)


def test_forward_over_reverse_and_reverse_over_forward_agree() -> None:
    def f(x: object) -> object:
        return sin(x * x) / (1 + exp(-x))

    both = grad(forward_derivative(f))(0.7), forward_derivative(grad(f))(0.7)
    assert both[0] == pytest.approx(both[1], rel=1e-14, abs=0)
    assert both[0] == pytest.approx(grad(grad(f))(0.7), rel=1e-14, abs=0)


def test_a_value_that_has_outlived_its_trace_is_refused() -> None:
    kept = []
    grad(lambda x: kept.append(x * 2) or x)(1.0)
    with pytest.raises(AdcliError, match="after its differentiation has ended"):
        grad(lambda y: y * kept[0])(1.0)


def test_threads_trace_apart() -> None:
    def slope(k: int) -> float:
        return grad(lambda x: repeated(lambda f: lambda y: f(y) * x, lambda y: y, 20)(x) * k)(1.0)

    with ThreadPoolExecutor(4) as pool:
        assert [21.0 * k for k in range(40)] == list(pool.map(slope, range(40)))


# --- ordinary Python --------------------------------------------------------------------------------------------------


def test_loops_branches_recursion_closures_and_early_returns_differentiate() -> None:
    def factorial(n: int, x: object) -> object:
        return x if n == 1 else factorial(n - 1, x) * (x + n)

    def f(x: object) -> object:
        total = 0.0
        for k in range(1, 4):
            total = total + x**k
        while x > 1:
            x = x / 2
        if x < 0.9:
            return total * x
        return factorial(3, x)

    assert grad(f)(3.0) == pytest.approx((f(3 + 1e-6) - f(3 - 1e-6)) / 2e-6, rel=1e-8)
    assert grad(partial(factorial, 3))(2.0) == pytest.approx((2 + 2) * (2 + 3) + 2 * (2 + 3) + 2 * (2 + 2))


def test_a_long_loop_needs_no_stack() -> None:
    def f(x: object) -> object:
        y = x
        for _ in range(20_000):
            y = (y + y) / 2.0
        return y

    assert 1.0 == grad(f)(2.0)


def test_whole_numbers_are_differentiated_as_doubles() -> None:
    assert 6.0 == grad(lambda x: x * x)(3)


@pytest.mark.parametrize("call", [grad(lambda x: 1.0), lambda x: jvp(lambda y: 4.0)(x)(1.0)[1]])
def test_an_output_without_the_input_has_derivative_zero_and_a_warning(call: Callable[..., object]) -> None:
    with pytest.warns(IndependenceWarning, match="does not depend on the argument"):
        assert 0.0 == call(2.0)


def test_steps_have_derivative_zero_and_a_warning() -> None:
    with pytest.warns(IndependenceWarning):
        assert 0.0 == grad(lambda x: math.floor(x))(2.5)


def test_outside_a_domain_there_is_an_error_and_no_nan() -> None:
    with pytest.raises(DomainProblem, match="log needs a positive argument"):
        grad(lambda x: log(x - 3))(2.0)
    with pytest.raises(DomainProblem, match="division by zero"):
        grad(lambda x: 1 / (x - 2))(2.0)


@pytest.mark.filterwarnings("ignore:.*the slope of sqrt of 0.0 is inf")
@pytest.mark.parametrize(("f", "slope"), [(abs, 0.0), (sqrt, math.inf)])
def test_corners_follow_the_conventions_of_the_table_and_are_told(f: Callable[..., object], slope: float) -> None:
    with pytest.warns(KinkWarning, match="its slope is set by convention"):
        assert slope == grad(f)(0.0)
    with pytest.raises(DomainProblem, match="at 0"):
        grad(f, kinks="error")(0.0)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x if x > 0 else 2 * x,
        lambda x: 2 * x if x <= 0 else x,
        lambda x: x if x == 0 else x * x,
        lambda x: x if x else 5 * x,
        lambda x: max(x, 2 * x),
        lambda x: min([x, -x]),
        lambda x: sorted([3 * x, x])[0],
        lambda x: x if x in (0, 1) else 2 * x,
        lambda x: np.heaviside(x, 0.5) + np.fix(x + 1) + np.rint(x + 0.5) + np.floor_divide(x, 2.0) * x,
        lambda x: np.greater(x, 0) * x,
        lambda x: np.around(x + 0.5) * x,
        lambda x: np.round(0.1 * x + 0.05, decimals=1) * x,
        lambda x: np.digitize(x, bins=[-1.0, 0.0]) * x,
        lambda x: np.searchsorted([0.0, 2.0], x) * x,
        lambda x: np.interp(x, [-1.0, 0.0, 1.0], [0.0, 1.0, 4.0]),
        lambda x: np.interp(x + 11, [0.0, 1.0], [3.0, 4.0], period=10.0),
        lambda x: np.copysign(2.0, x) * (x + 1),
        lambda x: np.fmod(x + 10, 2.0),
        lambda x: np.modf(x - 10)[0],
        lambda x: np.frexp(3 * x)[0],
        lambda x: np.where(np.signbit(x), x, 2 * x),
        lambda x: np.isclose(x, 1.0, rtol=0, atol=1) * x,
        lambda x: np.angle(x) * x + x,
        lambda x: np.isin(x, [0.0, 1.0]) * x,
        lambda x: np.logical_not(x) * x,
        lambda x: np.where(x, x, 2 * x),
    ],
)
def test_a_condition_that_compares_equal_numbers_is_a_kink(f: Callable[..., object]) -> None:
    for derivative in (grad(f, kinks="error"), lambda x: jvp(f, kinks="error")(x)(1.0)):
        with pytest.raises(DomainProblem, match="0"):
            derivative(0.0)
    with pytest.warns(KinkWarning, match="its slope is set by convention"):
        grad(f)(0.0)
    grad(f, kinks="error")(0.5)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "f",
    [
        *[lambda x, f=f: f(np.stack([x, 0.0])) for f in (np.max, np.min, np.ptp, np.linalg.norm, np.maximum.reduce)],
        *[lambda x, f=f: f(np.stack([x, 0.0]))[0] for f in (np.sort, np.abs, np.floor, np.sqrt, np.fabs)],
        lambda x: np.argmax(np.stack([x, 0.0])) * x,
        lambda x: np.sum(np.where(np.stack([x, 2.0]) > 0, x, 2 * x)),
        lambda x: np.sum(np.maximum(np.stack([x, 2.0]), 0)),
        lambda x: np.sum(np.stack([x, 2.0]) ** 0.5),
        lambda x: x * grad(abs, kinks="error")(0.0),
        lambda x: grad(abs, kinks="error")(x),
        lambda x: x * grad(lambda y: np.max(np.stack([y, 0.0])), kinks="error")(0.0),
    ],
)
def test_arrays_and_inner_derivatives_refuse_kinks_only_if_that_is_requested(f: Callable[..., object]) -> None:
    for derivative in (grad, value_and_grad, jacobian, elementwise_grad, hessian, vjp):
        with pytest.raises(DomainProblem):
            derivative(f, kinks="error")(0.0)
    for derivative in (jvp, hvp):
        with pytest.raises(DomainProblem):
            derivative(f, kinks="error")(0.0)(1.0)
    if "grad" not in f.__code__.co_names:
        grad(f)(0.0)


def test_arrays_without_a_kink_have_slopes_if_kinks_are_refused() -> None:
    def f(x: float) -> object:
        y = np.stack([x, 2.0, 2.0])
        rest = np.min(y) + np.sum(np.abs(y)) + np.sum(np.maximum(y, 0.0)) + np.sum(np.where(y > 1.0, y, 0.0))
        return rest + np.linalg.norm(y) + np.max(np.stack([x, x])) + np.sum(y**2) + grad(abs, kinks="error")(x)

    assert grad(f, kinks="error")(0.5) == pytest.approx(grad(f)(0.5))
    assert 0.0 == grad(lambda t: t * grad(lambda s: abs(s) * s, kinks="error")(0.0))(1.0)


def test_a_number_compared_with_itself_is_no_kink() -> None:
    assert 1.0 == grad(lambda x: max(x, x), kinks="error")(0.0)
    assert 2.0 == grad(lambda x: x if x < x else 2 * x, kinks="error")(0.0)


def test_steps_of_numpy_have_no_kink_between_their_jumps() -> None:
    def f(x: float) -> float:
        stepped = np.around(x) + np.digitize(x, [0.0]) + np.copysign(x, 0.0) + np.interp(x, [0.0, 1.0], [1.0, 3.0])
        return stepped + np.fmod(0 * x, 2.0) + np.modf(0 * x)[0] + np.isclose(x, x) + np.where(x > 2, 0.0, x)

    assert 4.0 == grad(f, kinks="error")(0.3)


def test_a_power_of_exponent_0_is_smooth() -> None:
    assert 0.0 == grad(lambda x: x**0)(0.0)


def test_second_derivatives_exist_where_a_rule_divides_by_zero_on_the_way() -> None:
    assert 2.0 == grad(grad(lambda x: x**2))(0.0)
    assert 0.0 == grad(grad(lambda x: x**1.0 * x**0.0 - x))(0.0)


@pytest.mark.parametrize(
    ("use", "said"),
    [
        (lambda x: math.sin(x), "a plain number would lose its derivative"),
        (lambda x: float(x), "a plain number would lose its derivative"),
        (lambda x: sum(1 for _ in range(x)), "cannot be an index or a count"),
        (lambda x: x.nonsense, "no attribute 'nonsense'"),
        (lambda x: x + "1", "unsupported operand"),
        (lambda x: "text", "that return one number have"),
        (lambda x: (x, x), "that return one number have"),
        (lambda x: x * 1j, "only real functions have a gradient"),
    ],
)
def test_what_would_lose_a_derivative_is_an_error(use: Callable[..., object], said: str) -> None:
    with pytest.raises((TypeError, AttributeError), match=said):
        grad(use)(2.0)


# --- transforms -------------------------------------------------------------------------------------------------------


def f3(x: object, y: object, z: object = 2.0) -> object:
    return x * y * y + sin(z) * x


def test_arguments_are_chosen_by_position_by_name_and_together() -> None:
    assert 9 + math.sin(2) == grad(f3)(5.0, 3.0)
    assert 30.0 == grad(f3, 1)(5.0, 3.0)
    assert 30.0 == grad(f3, "y")(5.0, 3.0)
    assert 5 * math.cos(0.5) == grad(f3, "z")(5.0, 3.0, z=0.5)
    assert 5 * math.cos(0.5) == grad(f3, -1)(5.0, 3.0, 0.5)
    assert (30.0, 9 + math.sin(2)) == grad(f3, (1, 0))(5.0, 3.0)
    assert (30.0, 9 + math.sin(2)) == grad(f3, ["y", "x"])(5.0, 3.0)


@pytest.mark.parametrize("argnum", [3, "w", "z", True, ()])
def test_an_argument_that_is_not_there_is_named(argnum: object) -> None:
    with pytest.raises(AdcliError, match="argument"):
        grad(f3, argnum)(5.0, 3.0)


def test_every_transform_agrees_with_the_formula() -> None:
    def f(x: object) -> object:
        return x**3

    assert (8.0, 12.0) == value_and_grad(f)(2.0)
    value, pull = vjp(f)(2.0)
    assert (8.0, 12.0, 6.0) == (value, pull(1.0), pull(0.5))
    assert (8.0, 24.0) == jvp(f)(2.0)(2.0)
    assert 12.0 == jacobian(f)(2.0)
    assert 12.0 == hessian(f)(2.0)
    assert 36.0 == hvp(f)(2.0)(3.0)
    assert 12.0 == elementwise_grad(f)(2.0)


def test_transforms_have_names_that_say_what_they_are() -> None:
    assert "grad_f3" == grad(f3).__name__
    assert "hessian_f3" == hessian(f3).__name__


def test_several_results_give_several_derivatives() -> None:
    def f(x: object) -> object:
        return x * x, {"s": sin(x), "t": 2 * x}

    assert (6.0, {"s": math.cos(3), "t": 2.0}) == jacobian(f)(3.0)
    assert 6.0 + 2.0 * 10 == vjp(f)(3.0)[1]((1.0, {"s": 0.0, "t": 10.0}))


@given(st.floats(-2, 2), st.floats(-2, 2), st.floats(0.1, 2))
def test_reverse_mode_is_forward_mode_is_the_difference(x: float, y: float, z: float) -> None:
    def f(a: object, b: object, c: object) -> object:
        return sin(a * b) * exp(-b) + log(c) * a / (1 + b * b) - sqrt(c) * tanh(a) ** 2

    by_reverse = grad(f, (0, 1, 2))(x, y, z)
    by_forward = tuple(jvp(f, k)(x, y, z)(1.0)[1] for k in range(3))
    assert by_reverse == pytest.approx(by_forward, rel=1e-12, abs=1e-12)
    check_grads(f)(x, y, z)


smooth_rows = [name for name, row in ROWS.items() if not row.truth and row.route is None and row.arity is not None]


@pytest.mark.parametrize("name", smooth_rows)
def test_every_row_of_the_table_differentiates_to_second_order(name: str) -> None:
    row = ROWS[name]
    point = tuple(low + 0.37 * (high - low) for low, high in row.ranges())
    wanted = tuple(k for k, rule in enumerate(row.partials) if rule is not None)
    if wanted:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IndependenceWarning)
            check_grads(function(name), wanted)(*point)


# --- complex numbers --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "f",
    [
        lambda z: adcli.python.real(z * z * z),
        lambda z: adcli.python.imag(exp(z) / z),
        lambda z: abs(z) ** 2 + abs(z),
        lambda z: adcli.python.angle(z) * adcli.python.real(z),
        lambda z: adcli.python.real(adcli.python.conj(z) * sin(z)),
        lambda z: adcli.python.real(log(z) + sqrt(z) + z**2.5),
    ],
)
def test_the_gradient_by_a_complex_number_is_the_one_stated(f: Callable[..., object]) -> None:
    z, step = 1.2 + 0.7j, 1e-6
    by_x = (f(z + step) - f(z - step)) / (2 * step)
    by_y = (f(z + step * 1j) - f(z - step * 1j)) / (2 * step)
    assert by_x - 1j * by_y == pytest.approx(grad(f)(z), rel=1e-8)
    check_grads(f)(z)


@pytest.mark.parametrize(("f", "slope"), [(sin, cos), (exp, exp), (lambda z: z * z, lambda z: 2 * z)])
def test_the_derivative_of_a_holomorphic_function_is_the_gradient_of_its_real_part(
    f: Callable[..., object], slope: Callable[..., object]
) -> None:
    z = 0.3 - 0.8j
    assert slope(z) == pytest.approx(grad(lambda w: adcli.python.real(f(w)))(z), rel=1e-14)


def test_a_real_argument_has_a_real_gradient_through_complex_numbers() -> None:
    found = grad(lambda x: abs(exp(1j * x) + 1) ** 2)(0.4)
    assert isinstance(found, float)
    assert -2 * math.sin(0.4) == pytest.approx(found, rel=1e-13)
