"""Kernels of the NumPy engine: the numbers of traces at very many points, and what is said where there are none."""

from __future__ import annotations

import math
import subprocess
import sys
import sysconfig
import threading
import warnings
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from benchmarks import points as rivals
from drawn import examples, usually
from expressions import Case, applied, case_of, programs
from hypothesis import HealthCheck, given
from rule_checks import sampled_points
from running import environment
from support import each, records

import adcli
from adcli.engine import blocks, native
from adcli.engine.array_pool import Pool
from adcli.engine.blocks import Blocks, Steps, bind_moves, build_schedule, fill_by_choice, steps_of
from adcli.engine.joint_program import UNUSUAL, joint_graph
from adcli.engine.kernel import Kernel
from adcli.engine.layout import Layout
from adcli.engine.native import Native
from adcli.engine.sincos import sine_and_cosine
from adcli.errors import AdcliError, RequestError
from adcli.expression import Expression
from adcli.numbers.doubles import FLOAT, apply
from adcli.table.primitive import ROWS, Primitive

EXPRESSIONS = records("expressions")
PAPER = "log(x1)+x1*x2-sin(x2)"
# NumPy's functions and those of math are within four ulps of each other; a program adds such errors up.
NEAR = 1e-12


def by_numpy(text: str, names: Any = (), **flags: bool) -> Kernel:
    return adcli.parse(text, names).kernel("numpy", **flags)


def columns(expression: Expression, at: dict[str, float]) -> dict[str, float] | None:
    """What traces say at a point, in columns; None where there is no value."""
    try:
        found = expression.trace(at, "reverse").outputs
    except AdcliError:
        return None
    return {
        name: x
        for output in found
        for name, x in [(output.name, output.value), *((f"d{output.name}_d{n}", d) for n, d in output.gradient.items())]
    }


def near(expected: dict[str, float], found: dict[str, float], at: dict[str, float], allowed: float = NEAR) -> bool:
    """Whether columns are the same but for rounding, which is measured against the largest term of each output.

    A slope counts as large as its product with the input, so that what cancels is allowed what its terms lose.
    """
    size = {name: abs(expected[name]) * (abs(at.get(name.rpartition("_d")[2], 1)) or 1) for name in expected}
    largest = max([x for x in size.values() if math.isfinite(x)], default=0.0)
    for name, x in expected.items():
        y = found[name]
        scale = abs(at.get(name.rpartition("_d")[2], 1)) or 1
        if not (x == y or (x != x and y != y) or abs(x - y) <= allowed * (abs(x) + largest / scale)):
            return False
    return True


# --- right -----------------------------------------------------------------------------------------------------------


@each(EXPRESSIONS[:: usually(3, thoroughly=1)])
def test_a_kernel_gives_the_numbers_of_traces(record: dict[str, Any]) -> None:
    at = {name: float(x) for name, x in record["point"].items()}
    expression = adcli.parse(record["expr"], at)
    kernel = expression.kernel("numpy")
    factors = (1.0, 1.0009765625, 0.90625)
    points = {name: np.array([at[name] * factor for factor in factors]) for name in kernel.inputs}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = kernel.columns(points)
    for k in range(len(factors)):
        here = {name: float(x[k]) for name, x in points.items()}
        expected = columns(expression, here)
        mine = {name: float(x[k]) for name, x in found.items()}
        if expected is None:
            assert all(math.isnan(x) for x in mine.values())
        else:
            assert near(expected, mine, here, max(NEAR, record["literal_rounding_rel"])), (expected, mine)


@examples(80, suppress_health_check=list(HealthCheck))
@given(programs(depth=2, most_outputs=2))
def test_a_kernel_of_a_random_program_gives_the_numbers_of_traces(case: Case) -> None:
    expression = adcli.parse(case.text)
    at = {name: case.at[name] for name in expression.inputs}
    expected = columns(expression, at)
    if expected is not None:
        found = expression.kernel("numpy").columns(at)
        assert near(expected, {name: float(x) for name, x in found.items()}, at, 1e-10), (expected, found)


@pytest.mark.parametrize("row", ROWS.values(), ids=lambda row: row.name)
def test_every_row_of_the_table_has_a_kernel(row: Any) -> None:
    case = case_of(row)
    expression = adcli.parse(case.text)
    expected = columns(expression, case.at)
    assert expected is not None
    found = {name: float(x) for name, x in expression.kernel("numpy").columns(case.at).items()}
    assert near(expected, found, case.at)


@pytest.mark.parametrize("power", [2, 3, 4, 5, 6, 7, 8, -1, -2, -5, 0.5, -0.5, 1.5, 2.5, 9, 12, 0.25])
def test_powers_that_are_products_are_powers(power: float) -> None:
    x = np.array([0.1, 0.7, 1.0, 1.1, 3.3, 90.0])
    y, grads = by_numpy(f"x^({power})")(x=x)
    assert [float(a) ** power for a in x] == pytest.approx(list(y), rel=4 * 2.3e-16)
    assert [power * float(a) ** (power - 1) for a in x] == pytest.approx(list(grads["x"]), rel=5 * 2.3e-16)


def ulps(expected: float, found: float) -> float:
    return abs(expected - found) / float(np.spacing(abs(expected)))


PLAIN = [row for row in ROWS.values() if not (row.truth or row.route) and row.arity is not None]


@pytest.mark.parametrize("row", PLAIN, ids=lambda row: row.name)
def test_a_function_is_within_four_ulps_of_the_one_that_traces_use(row: Any) -> None:
    draw = np.random.default_rng(5)
    points = {f"x{k}": draw.uniform(low, high, 200) for k, (low, high) in enumerate(row.ranges())}
    constant = f"x0 = {row.ranges()[0][0]}; " if row.has_order else ""
    kernel = by_numpy(constant + applied(row, list(points)))
    if constant:
        points["x0"][:] = row.ranges()[0][0]
    value = kernel.columns({name: points[name] for name in kernel.inputs})[kernel.outputs[0]]
    for k in range(200):
        expected = float(row.value(FLOAT, *[float(x[k]) for x in points.values()]))
        assert ulps(expected, value[k]) <= 4


@pytest.mark.parametrize("power", [2, 3, 4, 5, 6, 7, 8, 11, -1, -4, -5, -6, -8, 0.5, -0.5, 1.5, 4.5, 5.5, -5.5, 6.5])
def test_a_power_of_a_number_is_within_four_ulps_of_the_one_that_traces_use(power: float) -> None:
    x = np.random.default_rng(6).uniform(0.1, 90, 3000)
    found = by_numpy(f"x^({power})")(x=x)[0]
    assert max(ulps(math.pow(a, power), b) for a, b in zip(x, found, strict=True)) <= 4


@pytest.mark.parametrize("engine", ["numpy", "native"])
@pytest.mark.parametrize(
    ("text", "by_hand"), [(rivals.SMALL, rivals.small_by_hand), (rivals.LARGE, rivals.large_by_hand)]
)
def test_a_kernel_gives_what_is_written_by_hand(text: str, by_hand: Callable[..., Any], engine: str) -> None:
    expression = adcli.parse(text)
    draw = np.random.default_rng(3)
    points = {name: draw.uniform(0.25, 2.5, 1001) for name in expression.inputs}
    expected = by_hand(np, **points)
    found = expression.kernel(engine).columns(points)
    for x, (name, y) in zip(expected, found.items(), strict=True):
        np.testing.assert_allclose(y, x, rtol=1e-13, atol=1e-13 * float(np.max(np.abs(x))), err_msg=name)


def test_second_derivatives_are_those_of_traces() -> None:
    expression = adcli.parse("x1^2*sin(x2) + x2/x1")
    found = expression.kernel("numpy", hessian=True).columns({"x1": [2.0, 0.5], "x2": [5.0, -1.0]})
    for k, at in enumerate(({"x1": 2.0, "x2": 5.0}, {"x1": 0.5, "x2": -1.0})):
        hessian = expression.hessian(at)
        for name, other in (("x1", "x1"), ("x1", "x2"), ("x2", "x2")):
            assert hessian[name][other] == pytest.approx(found[f"d2y_d{name}_d{other}"][k], rel=1e-14, abs=0)


def _angles() -> np.typing.NDArray[np.float64]:
    """Numbers of all sizes, and those next to multiples of a quarter turn and of half of it."""
    draw = np.random.default_rng(1)
    turns = np.round(10.0 ** draw.uniform(0, 15, 150)) * (math.pi / 2)
    return np.concatenate(
        [
            draw.uniform(-10, 10, 300), draw.uniform(-1e6, 1e6, 300), np.arange(1, 100) * (math.pi / 4), turns, -turns,
            turns * (1 + draw.uniform(-1e-15, 1e-15, 150)), 10.0 ** draw.uniform(-307, 0, 100),
            [0.0, -0.0, 1e-145, -2e-145, 1048576.0, 1048577.0, 1e9, 1e22, -1e300, math.ulp(0), -3 * math.ulp(0)],
        ]
    )  # fmt: skip


@pytest.mark.parametrize("by_tangents", [True, False])
def test_sines_and_cosines_are_within_three_ulps(by_tangents: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "has_fast_tangents", lambda: by_tangents)
    run = Blocks(adcli.parse("sin(x); cos(x)")._program.graph)
    assert by_tangents is all(function is not sine_and_cosine for function, _, _ in run._schedule.moves)
    x = _angles()
    sine, cosine = found = np.empty_like(x), np.empty_like(x)
    run([x], found)
    with mpmath.workdps(400):
        for function, column in zip((mpmath.sin, mpmath.cos), found, strict=True):
            for a, b in zip(x, column, strict=True):
                exact = function(mpmath.mpf(float(a)))
                assert abs(exact - mpmath.mpf(float(b))) <= 3 * np.spacing(abs(float(exact))), a
    assert (np.signbit(sine) == np.signbit([math.sin(a) for a in x])).all()
    run([np.array([math.nan, math.inf, -math.inf, 1.0])], [sine[:4], cosine[:4]])
    assert [math.nan] * 3 + [math.sin(1)] == pytest.approx(list(sine[:4]), nan_ok=True)
    assert [math.nan] * 3 + [math.cos(1)] == pytest.approx(list(cosine[:4]), nan_ok=True)


@pytest.mark.parametrize("text", ["sin(x)", "cos(x)", "sin(x)*cos(y) + cos(x)"])
def test_a_sine_or_a_cosine_alone_is_that_of_both(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.linspace(-9, 9, 1001)
    expected = adcli.parse(text)
    for by_tangents in (True, False):
        monkeypatch.setattr(blocks, "has_fast_tangents", lambda known=by_tangents: known)
        inputs = dict.fromkeys(expected.inputs, x)
        found = np.empty(len(x))
        Blocks(expected._program.graph)(list(inputs.values()), [found])
        np.testing.assert_allclose(found, [expected.value(dict.fromkeys(inputs, a)) for a in x], rtol=0, atol=1e-15)


# --- wrong kernels are noticed ---------------------------------------------------------------------------------------


def _wrong(move: Any) -> list[Any]:
    """The move with another function, with its arguments exchanged, or with one of them read elsewhere."""
    function, arguments, results = move
    other = {np.add: np.subtract, np.subtract: np.add, np.multiply: np.add, np.divide: np.multiply, np.exp: np.cos}
    found = [(other.get(function, np.negative if len(arguments) == 1 else np.minimum), arguments, results)]
    if function is np.negative:
        found = [(np.absolute, arguments, results)]
    if function is sine_and_cosine:
        found = [(function, arguments, (*results[1::-1], *results[2:]))]
    if arguments == (arguments[0],) * 2:  # what asks whether a number is finite
        return []
    if function in (np.subtract, np.divide):
        found.append((function, arguments[::-1], results))
    return found


def test_any_wrong_step_of_a_kernel_is_noticed() -> None:
    """What the tests above compare with would tell of a wrong function, and of registers used again too early."""
    expression = adcli.parse("x*sin(x*y)/(1 + y^2) + exp(-x)*log(y) - sqrt(x + y)")
    kernel = expression.kernel("numpy")
    at = {"x": 0.75, "y": 1.5}
    expected = columns(expression, at)
    assert expected is not None
    plan = kernel._run._schedule

    def right() -> bool:
        with np.errstate(all="ignore"):
            found, _ = kernel.examined(at)
        return near(expected, {name: float(x) for name, x in found.items()}, at)

    assert right()
    planted = 0
    for k, move in enumerate(plan.moves):
        if move[0] in (
            np.logical_and, np.logical_or, np.logical_not, fill_by_choice, np.less, np.greater, np.greater_equal,
            np.not_equal,
        ):  # fmt: skip
            continue  # these say whether there is a value, which the edges below check, and whether a kink is met
        for wrong in _wrong(move):
            planted += 1
            kernel._run._moves = bind_moves([*plan.moves[:k], wrong, *plan.moves[k + 1 :]])
            assert not right(), wrong
    assert planted >= 25


# --- blocks ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 16_383, 16_384, 16_385, 3 * 16_384 + 1, (1 << 18) + 5])
def test_a_point_has_the_same_numbers_in_any_company(count: int) -> None:
    kernel = by_numpy("log(x1)+x1*x2-sin(x2)^3/if(x1 > 1, x1, 2)")
    draw = np.random.default_rng(count)
    x1, x2 = draw.uniform(0.1, 3, count), draw.uniform(-9, 9, count)
    y, grads = kernel(x1=x1, x2=x2)
    assert y.shape == (count,)
    for k in {0, count // 2, count - 1}:
        alone, slopes = kernel(x1=x1[k], x2=x2[k])
        assert (alone, slopes["x1"], slopes["x2"]) == (y[k], grads["x1"][k], grads["x2"][k])


def test_registers_are_used_again() -> None:
    expression = adcli.parse("+".join(f"sin({k}*x)*exp(y/{k})" for k in range(1, 60)))
    plan = build_schedule(joint_graph(expression._program.graph))
    assert len(plan.moves) > 500
    assert len(plan.registers) < len(plan.moves) / 2


def test_one_kernel_serves_several_threads() -> None:
    kernel = by_numpy("exp(x)*sin(y)/(1 + x^2*y^2)")
    points = [{"x": np.full(50_000, k / 7), "y": np.linspace(0, k, 50_000)} for k in range(4)]
    expected = [kernel.columns(at) for at in points]
    found: list[Any] = [None] * 4

    def work(k: int) -> None:
        found[k] = kernel.columns(points[k])

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one, other in zip(expected, found, strict=True):
        assert all(np.array_equal(one[name], other[name]) for name in one)


# --- points as they come ---------------------------------------------------------------------------------------------

_X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


@pytest.mark.parametrize(
    ("x", "y"),
    [
        (_X, _X + 1), (_X, 2.0), (_X, 2), (2.0, _X), (_X.T, _X.T), (_X[:, ::2], _X[:, ::2]), (_X[::-1], _X),
        (_X.astype(int), _X), (_X.astype("f4"), _X > 2), ([1, 2], [3.5, 4]), (_X, _X[0]), (_X.astype(">f8"), 1.0),
        (np.float64(3), 4), (np.array(3), np.array(4.0)), (np.array([3.0]), _X), (np.empty((0, 3)), 1.0),
        (np.asfortranarray(_X), _X), (range(3), 1), (np.array([], dtype=float), np.array([])),
    ],
)  # fmt: skip
def test_points_may_have_any_shape_and_kind(x: Any, y: Any) -> None:
    value, grads = by_numpy("x^2*y - x")(x=x, y=y)
    a, b = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
    assert value.dtype == grads["x"].dtype == np.float64
    assert value.shape == grads["x"].shape == grads["y"].shape == a.shape
    np.testing.assert_allclose(value, a * a * b - a, rtol=1e-15)
    np.testing.assert_allclose(grads["x"], 2 * a * b - 1, rtol=1e-15)
    np.testing.assert_allclose(grads["y"], a * a, rtol=1e-15)


def test_a_number_that_is_masked_is_not_known() -> None:
    y, slopes = by_numpy("x^2")(x=np.ma.array([1, 2, 3], mask=[0, 1, 0]))
    assert ["1.0", "nan", "9.0"] == list(map(str, y.tolist()))
    assert math.isnan(slopes["x"][1]) and type(y) is np.ndarray


def test_points_are_left_as_they_were_and_results_are_not_theirs() -> None:
    x = np.array([1.0, 2.0, -1.0])
    kept = x.copy()
    kernel = by_numpy("a = x; b = x + 0*y; c = 3; a; b; c; log(x)")
    with pytest.warns(RuntimeWarning):
        found = kernel.columns({"x": x, "y": x})
    for column in found.values():
        column[...] = 7.0
    assert np.array_equal(kept, x)
    assert len({id(column) for column in found.values()}) == len(found)


@pytest.mark.filterwarnings("ignore:.*exactly on a kink")
@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_conditions_join_as_in_traces(engine: str) -> None:
    x = np.array([0.5, 1.0, 2.0])
    for text in ("sin(x) + if(not x < 1, 1, 2)", "if(x > 1 and not (x < 1 or x == 2), x, 3)*x"):
        expression = adcli.parse(text)
        y, grads = expression.kernel(engine)(x=x)
        expected = [expression.value_and_gradient({"x": float(a)}) for a in x]
        assert [value for value, _ in expected] == pytest.approx(list(y), rel=1e-15, abs=0)
        assert [slopes["x"] for _, slopes in expected] == pytest.approx(list(grads["x"]), rel=1e-15, abs=0)


def test_inputs_may_have_any_name() -> None:
    value, grads = by_numpy("self*other + points")(self=[2.0], other=3.0, points=1.0)
    assert (7.0, 3.0) == (value[0], grads["self"][0])


def test_a_program_without_inputs_has_one_point() -> None:
    assert (5.0, {}) == by_numpy("2 + 3")()
    kernel = by_numpy("sqrt(2)*x - sqrt(2)*x + 4")
    assert 4.0 == kernel(x=[1.0, 2.0])[0][1]


def test_several_outputs_are_columns_and_a_call_gives_the_first() -> None:
    kernel = by_numpy("p = x*y; q = x/y; p; q")
    assert ["p", "q"] == kernel.outputs
    found = kernel.columns({"x": [6.0], "y": [3.0]})
    assert {"p": 18, "dp_dx": 3, "dp_dy": 6, "q": 2, "dq_dx": 1 / 3, "dq_dy": -2 / 3} == pytest.approx(
        {name: x[0] for name, x in found.items()}
    )
    value, grads = kernel(x=[6.0], y=[3.0])
    assert (18, 3, 6) == (value[0], grads["x"][0], grads["y"][0])


def test_auto_takes_numpy_where_the_native_engine_cannot_do_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: Any, **__: Any) -> Any:
        raise RequestError("not here")

    monkeypatch.setattr(native, "Native", refuses)
    assert "numpy" == adcli.parse(PAPER).kernel().engine
    with pytest.raises(RequestError):
        adcli.parse(PAPER).kernel("native")


def usual(text: str) -> tuple[Any, Layout]:
    """The program of the usual points, and what its outputs are."""
    expression = adcli.parse(text)
    program = joint_graph(expression._program.graph, kinks=True, usual=True)
    return program, Layout(1 + len(expression.inputs), program.outputs[-1][0] == UNUSUAL)


def test_points_where_functions_are_used_are_usual() -> None:
    """What is left out for them is no part of what they need: there a program need not run twice."""
    for row in KNOWN_TO_NUMPY:
        if not row.truth:
            program, layout = usual(case_of(row).text)
            places = [place for place in sampled_points(row, 20) if len(place) == len(program.inputs)]
            columns = [np.array(column) for column in zip(*places, strict=True)]
            if len(columns) == len(program.inputs) > 0:
                found = [np.empty(len(places)) for _ in range(len(program.outputs) - layout.flagged)]
                assert 0 == len(Blocks(program, layout)(columns, found).wrong), row.name


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_unusual_points_have_the_numbers_of_traces_whatever_is_beside_them(engine: str) -> None:
    ordinary = np.linspace(0.3, 0.9, 40_000)
    for text, unusual in (
        ("abs(x)*x", 0.0), ("tanh(x)", 340.0), ("tanh(x)", -500.0), ("atan(x)", 1e160), ("sin(x)", 1e13),
        ("x^0.5", 0.0), ("relu(x) - relu(-x)", 0.0), ("log(x)", -1.0), ("hypot(x, x^2)", 0.0), ("max(x, 0)", 0.0),
    ):  # fmt: skip
        expression = adcli.parse(text)
        x = ordinary.copy()
        x[20_001] = unusual
        columns, _ = expression.kernel(engine).examined({"x": x})
        alone, _ = expression.kernel(engine).examined({"x": ordinary})
        for name, column in columns.items():
            assert (np.delete(column, 20_001) == np.delete(alone[name], 20_001)).all(), text
        try:
            y, slopes = expression.value_and_gradient({"x": unusual})
        except adcli.AdcliError:
            y, slopes = math.nan, {"x": math.nan}
        expected = [y, slopes["x"]]
        assert expected == pytest.approx(
            [columns["y"][20_001], columns["dy_dx"][20_001]], rel=1e-14, abs=0, nan_ok=True
        ), text


def test_what_says_that_it_is_nan_of_itself_is_so_in_every_engine() -> None:
    outside = [math.inf, -math.inf, 1.5, -1.5, 0.5, -1e-300, 1e300, -1e300, 2.0]
    rows = [row for row in ROWS.values() if any(check.gives_nan for check in row.domain)]
    assert len(rows) > 8 and all(row.arity == 1 for row in rows)
    for row in rows:
        told = [check for check in row.domain if check.gives_nan]
        x = np.array([x for x in outside if not all(check.holds(FLOAT, x) for check in told)])
        graph = adcli.parse(f"{row.name}(x)")._program.graph
        for engine in (Blocks(graph), Native(graph), Native(graph, inlines=True)):
            found = np.zeros(len(x))
            engine([x], [found])
            assert np.isnan(found).all(), (row.name, x[~np.isnan(found)])


def test_odd_functions_leave_zeros_their_sign() -> None:
    """As in traces, in one program for each engine."""

    def at(row: Primitive, x: float) -> float:
        return float(apply(row, FLOAT, [x])) if all(check.holds(FLOAT, x) for check in row.domain) else math.nan

    rows = [row for row in ROWS.values() if row.arity == 1 and row.own is None and row.name != "neg"]
    odd = [row for row in rows if at(row, 0.0) == 0 and at(row, 0.5) == -at(row, -0.5)]
    assert {"sin", "tan", "sinh", "asin", "cbrt", "erf", "round"} <= {row.name for row in odd}
    graph = adcli.parse("; ".join(f"{row.name}(x)" for row in odd))._program.graph
    x = np.array([0.0, -0.0] * 8)
    for engine in (Blocks(graph), Native(graph), Native(graph, inlines=True)):
        found = [np.empty(len(x)) for _ in odd]
        engine([x], found)
        for row, column in zip(odd, found, strict=True):
            assert [math.copysign(1, at(row, float(a))) for a in x] == np.copysign(1, column).tolist(), row.name


UNKNOWN_TO_NUMPY = {"erf", "erfc", "gamma", "factorial", "lgamma", "digamma", "polygamma", "normcdf", "gelu"}
UNKNOWN_TO_NUMPY |= {row.name for row in ROWS.values() if row.own is not None}
KNOWN_TO_NUMPY = [row for row in ROWS.values() if row.name not in UNKNOWN_TO_NUMPY]


@pytest.mark.parametrize("row", KNOWN_TO_NUMPY, ids=lambda row: row.name)
def test_no_row_that_numpy_can_do_goes_point_by_point(row: Any) -> None:
    steps = steps_of(joint_graph(adcli.parse(case_of(row).text)._program.graph))[0].steps
    assert not any(isinstance(step.function, np.vectorize) for step in steps)


RULES: dict[str, Callable[..., Any]] = {
    "less": lambda m, x: m.choose(x < 1, x, 2),
    "less or equal": lambda m, x: m.choose(x <= 1, x, 2),
    "greater": lambda m, x: m.choose(x > 1, x, 2),
    "greater or equal": lambda m, x: m.choose(x >= 1, x, 2),
    "equal": lambda m, x: m.choose(x == 1, 5, x),
    "not equal": lambda m, x: m.choose(x != 1, 5, x),
    "a number on the left": lambda m, x: 2 - x + 3 * (1 + x) / (4 / (x + 3)) - m.choose(1 > x, 1, 0),
    "both": lambda m, x: m.choose((x > 0) & (x < 2), x, -x),
    "either": lambda m, x: m.choose((x < 0) | (x > 2), abs(x), -x),
    "not": lambda m, x: m.choose(1 - (x > 1), x, 7),
    "both and a number": lambda m, x: m.choose(m.both(True, x > 1), x, 2) + m.choose(m.both(x > 1, False), 10, 0),
    "either and a number": lambda m, x: m.choose(m.either(False, x > 1), x, 2) + m.choose(m.either(x > 1, 1), 10, 0),
    "truth as a number": lambda m, x: (x > 1) * 3 + (x < 1),
    "a number as truth": lambda m, x: m.choose(m.both(x, x - 1), x, 2) + m.choose(m.either(x, x - 1), 1, 0),
    "a rule of the table": lambda m, x: m.softplus(x) + m.sigmoid(x),
}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_a_rule_of_the_users_goes_block_by_block_and_gives_the_same(
    rule: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    points = [-2.5, -1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0]
    expected = [float(apply(Primitive("own", value=rule, partials=(None,)), FLOAT, [x])) for x in points]
    monkeypatch.setattr(ROWS["sinh"], "value", rule)
    graph = adcli.parse("sinh(x)")._program.graph
    assert not any(isinstance(step.function, np.vectorize) for step in steps_of(graph)[0].steps)
    found = np.empty(len(points))
    Blocks(graph)([np.array(points)], [found])
    assert expected == pytest.approx(found.tolist(), rel=1e-15, abs=0)


def test_what_is_no_function_is_none() -> None:
    assert not hasattr(Steps(1), "nothing")


@pytest.mark.parametrize(
    ("power", "functions"),
    [("2", {np.square}), ("3", {np.square, np.multiply}), ("0.5", {np.sqrt}), ("-1", {np.divide}),
     ("40.25", {np.power}), ("1000", {np.power})],
)  # fmt: skip
def test_small_whole_powers_and_half_ones_are_products_and_roots(power: str, functions: set[Any]) -> None:
    steps = steps_of(adcli.parse(f"x^({power})")._program.graph)[0].steps
    assert functions == {step.function for step in steps}


def test_a_row_whose_rule_asks_numbers_goes_point_by_point(monkeypatch: pytest.MonkeyPatch) -> None:
    def rule(m: Any, x: Any) -> Any:
        return x * x if x > 1 else x

    monkeypatch.setattr(ROWS["sinh"], "value", rule)
    assert [0.5, 4.0] == list(by_numpy("sinh(x)")(x=[0.5, 2.0])[0])


# --- where there is no value -----------------------------------------------------------------------------------------


def quiet(kernel: Kernel, **points: Any) -> tuple[Any, dict[str, Any]]:
    """A call that must not warn."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return kernel(**points)


@pytest.mark.parametrize(
    ("text", "points", "nan", "message"),
    [
        (
            "log(x) + y", {"x": [1.0, -2.0, 0.0], "y": [1.0, 2.0, 3.0]}, [1, 2],
            "no value at 2 of 3 points: log needs a positive argument, first at index 1 (x = -2.0, y = 2.0)",
        ),
        (
            "x^sqrt(y)", {"x": 1.0, "y": [1.0, -4]}, [1],
            "no value at 1 of 2 points: sqrt needs an argument that is not negative,"
            " first at index 1 (x = 1.0, y = -4.0)",
        ),
        (
            "1/x", {"x": [[1.0, 2.0], [3.0, 0.0]]}, [3],
            "no value at 1 of 4 points: division by zero, first at index 1, 1 (x = 0.0)",
        ),
        (
            "root(x, 2)", {"x": [4.0, -8.0]}, [1],
            "no value at 1 of 2 points: a negative number has no real even root, first at index 1 (x = -8.0)",
        ),
        (
            "log(x, b)", {"x": 5.0, "b": [2.0, 1.0, -1.0]}, [1, 2],
            "no value at 2 of 3 points: the base of a logarithm must be positive and not 1,"
            " first at index 1 (x = 5.0, b = 1.0)",
        ),
        (
            "exp(x) - exp(y)", {"x": 1000.0, "y": [1.0, 1000.0]}, [1],
            "no value at 1 of 2 points: sub has no value for inf, inf, since exp of 1000.0 is infinite,"
            " first at index 1 (x = 1000.0, y = 1000.0)",
        ),
        (
            "if(exp(x) - exp(y) < 1, 1, 2)", {"x": 1000.0, "y": [1.0, 1000.0]}, [1],
            "no value at 1 of 2 points: sub has no value for inf, inf, since exp of 1000.0 is infinite,"
            " first at index 1 (x = 1000.0, y = 1000.0)",
        ),
    ],
)  # fmt: skip
def test_no_value_is_nan_in_all_columns_and_is_told(text: str, points: Any, nan: list[int], message: str) -> None:
    kernel = by_numpy(text)
    with pytest.warns(RuntimeWarning) as told:
        value, grads = kernel(**points)
    assert [message] == [str(warning.message) for warning in told]
    assert told[0].filename == __file__
    for column in (value, *grads.values()):
        assert nan == list(np.flatnonzero(np.isnan(column)))


def test_of_several_outputs_only_those_without_a_value_are_nan() -> None:
    with pytest.warns(
        RuntimeWarning, match="no value at 2 of 3 points: log needs a positive argument, first at index 0"
    ):
        found = by_numpy("p = log(x); q = x^2; r = sqrt(x + 1); p; q; r").columns({"x": [-1.0, 1.0, -3.0]})
    assert [True, False, True] == [math.isnan(x) for x in found["dp_dx"]]
    assert [-2.0, 2.0, -6.0] == list(found["dq_dx"])
    assert [math.inf, True] == [found["dr_dx"][0], math.isnan(found["dr_dx"][2])]


def test_points_without_a_value_are_counted_over_all_blocks() -> None:
    x = np.ones(600_000)
    x[5::7] = -1.0
    columns, outside = by_numpy("log(x)").examined({"x": x})
    assert outside is not None
    assert (len(x[5::7]), 600_000, (5,)) == (outside.points, outside.total, outside.first)
    assert np.array_equal(np.isnan(columns["dy_dx"]), x < 0)


def test_without_numpy_the_error_names_the_extra() -> None:
    program = "import sys; sys.modules['numpy'] = None; import adcli; adcli.parse('x').kernel()(x=1.0)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment(), check=False
    )
    assert "RequestError: this needs numpy, which is not installed" in done.stderr


def test_an_input_that_is_nan_gives_nan_and_is_not_told() -> None:
    kernel = by_numpy("log(x)*y")
    quiet(kernel, x=[4.0], y=3.0)  # whose work arrays are too short for the next points
    value, grads = quiet(kernel, x=[1.0, math.nan, 2.0], y=3.0)
    assert [False, True, False] == list(np.isnan(value)) == list(np.isnan(grads["x"])) == list(np.isnan(grads["y"]))


def test_what_is_too_large_is_infinite() -> None:
    value, grads = quiet(by_numpy("exp(x) + y"), x=[1000.0, 0.0], y=1.0)
    assert [math.inf, 2.0] == list(value)
    assert [1.0, 1.0] == list(grads["y"])


def test_a_branch_not_taken_contributes_nothing() -> None:
    kernel = by_numpy("if(x > 0, log(x), x^2) + y*0")
    with pytest.warns(RuntimeWarning, match="1 point lies exactly on a kink, and derivatives are by convention"):
        value, grads = kernel(x=[-1.0, 0.0, 1.0], y=1.0)
    assert [1.0, 0.0, 0.0] == list(value)
    assert [-2.0, 0.0, 1.0] == list(grads["x"])
    for text in ("t = x*y; p = if(x > 1, t, x + 7); q = t*y; p; q", "t = x*y; q = t*y; p = if(x > 1, t, x + 7); q; p"):
        found = by_numpy(text).columns({"x": [0.5, 2.0], "y": 3.0})
        assert [[7.5, 6.0], [4.5, 18.0]] == [found[name].tolist() for name in "pq"]


def test_one_number_is_told_as_one_point() -> None:
    with pytest.warns(RuntimeWarning, match="no value at 1 of 1 point: division by zero, at x = 0.0"):
        by_numpy("1/x")(x=0)


def test_blocks_take_nothing_from_outside_their_arrays() -> None:
    run = Blocks(joint_graph(adcli.parse(PAPER)._program.graph))
    wide = np.full(20_002, math.nan)
    results = np.full((3, 20_002), -7.0)
    wide[1:-1] = 2.0
    run([wide[1:-1], wide[1:-1]], [row[1:-1] for row in results])
    assert np.all(results[:, [0, -1]] == -7.0)
    assert np.all(np.isfinite(results[:, 1:-1]))
    assert blocks._BLOCK < 20_000


# --- arrays that are kept, and one point ------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_arrays_that_are_handed_in_are_filled_and_handed_back(engine: str) -> None:
    kernel = adcli.parse(PAPER).kernel(engine)
    points = {"x1": np.linspace(-1, 3, 24).reshape(4, 6), "x2": 5.0}
    with pytest.warns(RuntimeWarning, match="no value"):
        expected = kernel.columns(points)
    kept = {name: np.full((4, 6), 7.25) for name in ("y", "dy_dx2")}
    with pytest.warns(RuntimeWarning, match="no value"):
        found = kernel.columns(points, out=kept)
    assert found["y"] is kept["y"] and found["dy_dx2"] is kept["dy_dx2"]
    assert list(expected) == list(found) and all(np.array_equal(expected[k], found[k], equal_nan=True) for k in found)
    with pytest.warns(RuntimeWarning, match="no value"):
        assert kernel(**points, out=kept)[0] is kept["y"]


def test_arrays_that_do_not_fit_are_not_filled() -> None:
    kernel, x = adcli.parse("x^2").kernel("numpy"), np.ones(9)
    for out, title in (
        ({"z": np.ones(9)}, "the name z is not a column"), ({"y": np.ones(8)}, "another shape"),
        ({"y": [1.0]}, "cannot be filled"),
        ({"y": np.ones(9, "f4")}, "cannot be filled"), ({"y": np.ones(18)[::2]}, "cannot be filled"),
        ({"y": x}, "shares memory with the points"), ({"y": (y := np.ones(9)), "dy_dx": y}, "another column"),
    ):  # fmt: skip
        with pytest.raises(AdcliError, match=title):
            kernel.columns({"x": x}, out=out)


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_a_matrix_may_be_kept() -> None:
    kept = np.asmatrix(np.zeros((1, 2)))
    assert by_numpy("x^2").columns({"x": np.array([[2.0, 3.0]])}, out={"y": kept})["y"] is kept
    assert [[4.0, 9.0]] == kept.tolist()


def test_an_input_may_be_called_out() -> None:
    y, slopes = adcli.parse("out^2").kernel("numpy")(out=np.array([3.0]))
    assert [9.0, 6.0] == [y[0], slopes["out"][0]]


def test_results_that_somebody_holds_are_never_written_over() -> None:
    count = 10_000  # enough to be kept
    kernel = adcli.parse("x^2").kernel("numpy")
    first = kernel(x=np.full(count, 2.0))[0]
    part = kernel(x=np.full(count, 3.0))[1]["x"][5:7]
    memory = memoryview(kernel(x=np.full(count, 4.0))[0])
    place = kernel(x=np.full(count, 5.0))[0].ctypes.data
    again = {kernel(x=np.full(count, k))[0].ctypes.data for k in (6.0, 7.0)}
    assert place in again or len(again) == 1  # what nobody held is used again
    pool = Pool()
    place = pool.arrays(1, count)[0].ctypes.data
    others = [np.empty(count + extra) for extra in range(0, 2000, 64)]  # they would take memory that is given back
    keeps = sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED")
    assert others and keeps == (pool.arrays(1, count)[0].ctypes.data == place)
    assert (first == 4).all() and part.tolist() == [6.0, 6.0] and set(memory[:3]) == {16.0}


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_what_becomes_of_results_is_nothing_to_later_calls(engine: str) -> None:
    kernel = adcli.parse("x*y").kernel(engine)
    x = np.linspace(0, 1, 20_000)
    for _ in range(3):
        y, slopes = kernel(x=x, y=x)
        assert (y == x * x).all() and y.shape == x.shape and y.flags.writeable and (slopes["x"] == x).all()
        y.shape = 200, 100
        slopes["x"].flags.writeable = False
        del y, slopes


@pytest.mark.parametrize("points", [[1.0], "x", {"x": _X[0]}, {"x": _X[0], "z": _X[0]}])
def test_what_gives_no_points_for_an_input_is_refused(points: Any) -> None:
    with pytest.raises(AdcliError, match="has no value"):
        by_numpy("x^2*y").columns(points)


def test_a_multiple_of_doubles_that_is_none_of_the_decimals_is_at_no_kink() -> None:
    at = {"x": 0.051000000000000004, "y": 0.017}  # the doubles are 3 to 1
    (y, slopes), expected = by_numpy("mod(x, y)*x")(**at), adcli.parse("mod(x, y)*x").value_and_gradient(at)
    assert (2.04e-19, expected) == (y, (y, slopes))


@pytest.mark.filterwarnings("ignore:1 point lies exactly on a kink")
def test_one_point_needs_no_arrays_and_has_the_same_numbers() -> None:
    kernel = adcli.parse("u = log(x1); v = abs(x2); u*v + sin(x1*x2); u").kernel("native")
    first = kernel.outputs[0]
    for at in (
        {"x1": 2.0, "x2": 5}, {"x1": 0.5, "x2": 0.0}, {"x1": 1e17, "x2": 3.0}, {"x2": 1e200, "x1": np.float64(2)},
        {"x1": 1e-310, "x2": 1.0}, {"x1": 3.0, "x2": -4.0},  # the logarithm of the second one is nobody's
    ):  # fmt: skip
        y, slopes = kernel(**at)
        columns = kernel.columns({name: np.array([float(x)]) for name, x in at.items()})
        expected = [columns[first][0], *(columns[f"d{first}_d{name}"][0] for name in slopes)]
        assert np.array_equal(expected, [y, *slopes.values()], equal_nan=True)
        assert isinstance(y, np.float64) and ["x1", "x2"] == list(slopes)
    with pytest.warns(RuntimeWarning, match="log needs a positive argument"):
        assert math.isnan(kernel(x1=-2.0, x2=5.0)[0])
    with pytest.raises(AdcliError, match="the input x2 has no value"):
        kernel(x1=2.0)
    with pytest.raises(AdcliError, match="the name x3 is not an input"):
        kernel(x1=2.0, x2=5.0, x3=1.0)
    assert (9.0, {"x": 6.0}) == adcli.parse("x^2").kernel("native")(x=3.0)
