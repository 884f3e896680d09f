"""Fast kernels, whose products and sums are rounded together, and bounds of what rounding does in any kernel."""

from __future__ import annotations

import copy
import math
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from benchmarks.two_expressions import LARGE
from drawn import examples
from expressions import Case, case_of, programs
from hypothesis import HealthCheck, given
from test_points_program import EXACTLY, graph_of, swept

import adcli
from adcli.engine import fast_math
from adcli.engine.joint_program import joint_graph
from adcli.engine.kernel import Kernel, _exact, _unpickle_kernel
from adcli.engine.native import fuses
from adcli.table.primitive import ROWS

needs_fma = pytest.mark.skipif(not fuses(), reason="this machine does not multiply and add in one")

# Polynomials and high powers have the most to gain; others hang conditions, domains and divisors on sums of products.
FAST = [
    LARGE,
    "x*y + x*z + y*z + x^2*y - y^2*z + 2*x*y*z - x^2*y^2",
    "sqrt(x*x - y*y) + x*y + x^2*y - y^2*x + x*y*x*(x*y - y)",
    "d = x*y - y*x*1; x*y + x*z + y*z + x^2*y - y^2*z + (x*y + z)*(y*z - x)/(x*z - y*y)",
    "if(x*x - y*y > 0, log(x*x - y*y), x*y) + x*y + x*z + y*z + x^2*y - y^2*z + x*z*(x*y - z)",
    "4*(1/x^12 - 1/x^6) + x^7*y^9/(x^8 - y^8) - x^-10",
    "exp(-(x - 1)^2/2 - (y - 2)^2/3)*(x^2 + 3*x*y + y^2) + sin(x*y + x)*(y - x) + x*y*exp(x*y - z)",
]


def points_of(expression: Any, count: int, seed: int = 0) -> dict[str, Any]:
    """Points in the middle, of every size, and where doubles end; many coordinates are equal."""
    draw = np.random.default_rng(seed)
    odd = (0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 5e-324, 1e-27, 1.2e-46, 3e25, 1e308, -1e308, 1.3408e154)
    columns = [
        np.concatenate([
            draw.uniform(-3, 3, count),
            draw.uniform(-1, 1, count) * 10.0 ** draw.uniform(-300, 300, count),
            draw.choice(odd, count),
            draw.choice((0.1, 0.3, 0.7, 1.1), count),
        ])
        for _ in expression.inputs
    ]  # fmt: skip
    return dict(zip(expression.inputs, columns, strict=True))


def told(kernel: Kernel, points: dict[str, Any]) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return kernel.columns(points)


def differences(text: str, *, hessian: bool = True, count: int = 25) -> list[str]:
    """Columns in which a fast kernel is nan or infinite elsewhere, or farther from the default than both bounds say."""
    expression = adcli.parse(text)
    kernels = [expression.kernel("native", hessian=hessian, fast=fast) for fast in (False, True)]
    assert [False, True] == [kernel.fast for kernel in kernels]
    points = points_of(expression, count)
    (default, fast), bounds = (
        [told(kernel, points) for kernel in kernels],
        [kernel.bounds(points) for kernel in kernels],
    )
    found = []
    for name, x in default.items():
        y, reach = fast[name], bounds[0][name] + bounds[1][name]
        same = np.array_equal(np.isnan(x), np.isnan(y)) and np.array_equal(x[np.isinf(x)], y[np.isinf(x)])
        known = np.isfinite(x) & np.isfinite(reach)
        if not same or np.isinf(y[np.isfinite(x)]).any() or (np.abs(x[known] - y[known]) > reach[known]).any():
            found.append(name)
    return found


@needs_fma
@pytest.mark.parametrize("text", FAST, ids=range(len(FAST)))
def test_fast_kernels_are_nan_and_infinite_where_others_are_and_near_them_elsewhere(text: str) -> None:
    assert [] == differences(text, hessian=text != LARGE, count=150 if "(" not in text else 12)


def _everything_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_math, "_find_fixed_slots", lambda program, *_: bytearray(len(program)))


def _nothing_far(monkeypatch: pytest.MonkeyPatch) -> None:
    found = fast_math._find_intervals
    monkeypatch.setattr(fast_math, "_find_intervals", lambda program: (found(program)[0], []))


def _sums_for_differences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(fast_math._TOGETHER, ("sub", 1), fast_math.PRODUCT_AND)


@needs_fma
@pytest.mark.parametrize("plant", [_everything_free, _nothing_far, _sums_for_differences])
def test_a_freedom_that_is_too_large_is_found(plant: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    pole = FAST[2].replace("sqrt(x*x - y*y)", "log(x*x - y*y)")
    assert differences(FAST[1], hessian=False, count=300) or differences(pole)


@needs_fma
def test_what_is_far_out_is_computed_as_by_default() -> None:
    expression = adcli.parse(FAST[1])
    points = {name: np.full(3, 2.0**121) for name in expression.inputs}
    default, fast = [expression.kernel("native", fast=fast).columns(points) for fast in (False, True)]
    assert {name: x.tolist() for name, x in default.items()} == {name: x.tolist() for name, x in fast.items()}


@needs_fma
def test_powers_share_their_products() -> None:
    program = fast_math.fuse_operations(joint_graph(graph_of("a^10 - a^9 + 2*a^8"), kinks=True, usual=True))
    found = [row.name for row in program.rows if row is not None]
    exponents = [program.parents[slot][1] for slot, row in enumerate(program.rows) if row is ROWS["pow"]]
    assert {"2"} == {program.constants[slot].text for slot in exponents}
    assert 16 >= found.count("mul") + found.count("pow")
    program = fast_math.fuse_operations(joint_graph(graph_of("if(a^8 > b^9, a, b)/a^7"), usual=True))
    assert {"8", "9"} < {constant.text for constant in program.constants.values()}
    program = fast_math.fuse_operations(joint_graph(graph_of("b/a^7"), kinks=True, usual=True))  # only its sign matters
    exponents = [program.parents[slot][1] for slot, row in enumerate(program.rows) if row is ROWS["pow"]]
    assert {"2"} == {program.constants[slot].text for slot in exponents}
    assert repr(2.0**-900) in {constant.text for constant in program.constants.values()}
    program = fast_math.fuse_operations(joint_graph(graph_of("b/(a^8 - 1)^7"), kinks=True, usual=True))
    exponents = [program.parents[slot][1] for slot, row in enumerate(program.rows) if row is ROWS["pow"]]
    assert {"2", "8"} == {program.constants[slot].text for slot in exponents}  # the last digit of a^8 may be a sign
    program = fast_math.fuse_operations(joint_graph(graph_of("a^4*b + a^8"), kinks=True, usual=True))
    found = [row.name for row in program.rows if row is not None]
    assert 12 >= found.count("mul") + found.count("pow")  # of which a^8 is a^4 times itself
    assert [True, True, False, False] == [_exact(x) for x in (2**53, -(2**53), 2**53 + 1, 1.0)]
    program = joint_graph(graph_of("x^5"), hessian=True, usual=True)
    assert "20" in {constant.text for constant in program.constants.values()}  # of x^3, not 5*(4*x^3)
    program = joint_graph(graph_of("log(sin(x))*y"), usual=True)  # nan goes through to all columns by itself
    assert ["sin", "log", "mul", "gt", "if", "div", "cos", "mul"] == [
        row.name for row in program.rows if row is not None
    ]
    program = fast_math._fuse_products(joint_graph(graph_of("a^2 + b"), usual=True), 0)
    fused = [program.parents[slot] for slot, row in enumerate(program.rows) if row is fast_math.PRODUCT_AND]
    assert (0, 0) in [parents[:2] for parents in fused]


@pytest.mark.parametrize("name", ["numpy", pytest.param("native", marks=needs_fma)])
@pytest.mark.parametrize("number", [2**64 + 1, 10**400])
def test_an_integer_that_is_no_double_is_refused_at_a_point_too(name: str, number: int) -> None:
    kernel = adcli.parse("x*y").kernel(name)
    assert kernel(x=2**53, y=1)[0] == 2.0**53
    with pytest.raises(adcli.errors.RequestError, match="not an array of real numbers"):
        kernel(x=number, y=1)


@pytest.mark.parametrize(
    ("inner", "is_certain"), [("x^2 + 1", True), ("exp(x)", True), ("cos(x)", False), ("x", False)]
)
def test_a_comparison_is_decided_in_advance_if_its_intervals_are_known(inner: str, is_certain: bool) -> None:
    program = joint_graph(graph_of(f"max({inner}, -0.5)"))
    assert is_certain == (ROWS["if"] not in program.rows)


@needs_fma
def test_a_short_program_stays_as_it_is() -> None:
    kernel = adcli.parse("x*y + z").kernel("native", fast=True)
    assert (False, "<Kernel of y by x, y, z, engine native>") == (kernel.fast, repr(kernel))


def test_numpy_rounds_every_operation_by_itself() -> None:
    expression = adcli.parse(FAST[1])
    asked, kernel = expression.kernel("numpy", fast=True), expression.kernel("numpy")
    points = points_of(expression, 50)
    assert not asked.fast
    for x, y in zip(told(asked, points).values(), told(kernel, points).values(), strict=True):
        np.testing.assert_array_equal(x, y)


@needs_fma
def test_fast_kernels_travel_and_differ_from_others() -> None:
    kernel = adcli.parse(FAST[1]).kernel("native", fast=True)
    again = pickle.loads(pickle.dumps(kernel))  # noqa: S301
    assert (kernel, True, "<Kernel of y by x, y, z, engine native, fast>") == (again, again.fast, repr(again))
    assert kernel is copy.copy(kernel)
    assert kernel != adcli.parse(FAST[1]).kernel("native") == _unpickle_kernel(kernel._graph.pack(), "native", False)
    for columns in ("", ([],)):  # not a graph, and what cannot be hashed
        with pytest.raises(adcli.AdcliError, match="this is not a pickle of a kernel"):
            _unpickle_kernel(columns, "native", False)


# --- bounds -----------------------------------------------------------------------------------------------------------


def beyond(case: Case, **choices: Any) -> list[Any]:
    """The columns of a kernel that are farther from the numbers of sixty digits than their bounds say."""
    graph = graph_of(case.text)
    at = {name: case.at[name] for name in graph.inputs.values()}
    kernel = Kernel(graph, hessian=True, **choices)
    bounds, expected = kernel.bounds(at), swept(graph, at, EXACTLY)
    found = []
    for name, x in told(kernel, at).items():
        off = abs(EXACTLY.number(float(x)) - expected[name]) if math.isfinite(x) else EXACTLY.zero
        if EXACTLY.finite(expected[name]) and math.isfinite(bounds[name]) and off > bounds[name]:
            found.append((name, float(x), float(off), float(bounds[name])))
    return found


@pytest.mark.parametrize("row", [row for row in ROWS.values() if not row.has_order], ids=lambda row: row.name)
def test_bounds_hold_for_every_row_of_the_table(row: Any) -> None:
    assert [] == beyond(case_of(row), engine="numpy")


@examples(8, suppress_health_check=list(HealthCheck))
@given(programs(depth=2, most_outputs=1))
def test_bounds_hold_for_programs(case: Case) -> None:
    assert [] == beyond(case, engine="numpy")


@needs_fma
def test_bounds_hold_for_fast_kernels() -> None:
    draw = np.random.default_rng(1)
    expression = adcli.parse(LARGE)
    case = Case(LARGE, {name: float(draw.uniform(0.5, 2.5)) for name in expression.inputs})
    assert [] == beyond(case, engine="native", fast=True)


def test_bounds_are_honest_where_digits_are_lost() -> None:
    kernel = adcli.parse("(1 - cos(x))/x^2").kernel("numpy")
    bound = kernel.bounds({"x": 1e-7})["y"]
    assert abs(kernel(x=1e-7)[0] - 0.5) < bound < 1


def test_the_square_of_a_lost_number_has_a_bound() -> None:
    assert 0 < adcli.parse("(exp(x) - exp(1)*1)^2").kernel("numpy").bounds({"x": 1.0})["y"] < 1e-28


def test_a_jump_counts_where_rounding_may_take_it() -> None:
    bounds = adcli.parse("if(x*10 >= 1, 1, 0) + floor(x)").kernel("numpy").bounds({"x": [0.1, 1.5]})["y"]
    assert bounds[0] >= 1 > bounds[1]


@pytest.mark.parametrize(("text", "x", "y"), [("x^y", 0.0, 1.0), ("acos(x)*y", 1.0, 0.0), ("atan2(x, y)", 0.0, 1e-200)])
def test_where_the_quick_program_is_wrong_the_bounds_are_those_of_the_complete_one(
    text: str, x: float, y: float
) -> None:
    kernel = Kernel(graph_of(text), "numpy", hessian=True)
    bounds, columns = kernel.bounds({"x": [0.5, x], "y": [0.5, y]}), told(kernel, {"x": x, "y": y})
    assert [math.isnan(z) for z in columns.values()] == [math.isnan(bounds[name][1]) for name in columns]


def test_where_there_is_no_value_there_is_no_bound() -> None:
    bounds = adcli.parse("log(x)").kernel("numpy").bounds({"x": [[-1.0, 2.0]]})
    assert (1, 2) == bounds["y"].shape
    assert [True, False] == np.isnan(bounds["y"][0]).tolist()
