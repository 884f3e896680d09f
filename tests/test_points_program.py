"""The joint program: every value and partial, in one graph without repetitions, and nan where there is no value."""

from __future__ import annotations

import math
import time
import warnings
from typing import Any

import pytest
from drawn import examples
from expressions import Case, case_of, programs
from hypothesis import HealthCheck, given

import adcli
from adcli.engine.joint_program import joint_graph, operations
from adcli.engine.kernel import Kernel
from adcli.errors import AdcliError, Source
from adcli.graph.graph import Graph
from adcli.graph.order import arrange
from adcli.graph.tape import adjoints, evaluate, linearize
from adcli.language.program import read_program
from adcli.numbers.doubles import FLOAT
from adcli.numbers.precise import Precise
from adcli.table.primitive import ROWS
from adcli.trace.hessians import second_derivatives

EXACTLY = Precise(60)
PAPER = "log(x1)+x1*x2-sin(x2)"


def graph_of(text: str, names: Any = ()) -> Graph:
    return arrange(read_program(Source(text), tuple(names)).graph)


def at_point(graph: Graph, at: dict[str, float], m: Any = FLOAT) -> dict[str, Any]:
    values = evaluate(graph, m, {slot: m.number(at[name]) for slot, name in graph.inputs.items()})
    return {name: values[slot] for name, slot in graph.outputs}


def swept(graph: Graph, at: dict[str, float], m: Any) -> dict[str, Any]:
    """The same columns by the engine of traces."""
    values = evaluate(graph, m, {slot: m.number(at[name]) for slot, name in graph.inputs.items()})
    gradients = linearize(graph, m, values)
    found = {}
    for output, slot in graph.outputs:
        found[output] = values[slot]
        bars = adjoints(graph, gradients, {slot: 1.0})
        found |= {f"d{output}_d{name}": bars[s] for s, name in graph.inputs.items()}
    for entry in second_derivatives(graph, m, values):
        names = list(graph.inputs.values())
        for k, name in enumerate(names):
            for other in names[k:]:
                found[f"d2{entry.output}_d{name}_d{other}"] = (entry.hessian or {})[name][other]
    return found


def assert_same(case: Case) -> None:
    graph = graph_of(case.text)
    at = {name: case.at[name] for name in graph.inputs.values()}
    expected = swept(graph, at, EXACTLY)
    found = at_point(joint_graph(graph, hessian=True), at, EXACTLY)
    assert set(expected) == set(found)
    size = max([abs(x) for x in expected.values() if EXACTLY.finite(x)], default=0)
    for name, x in expected.items():
        if EXACTLY.finite(x):
            # sixty digits; the sweeps lose a few to cancellation, a wrong term loses them all
            assert abs(x - found[name]) <= 1e-25 * (size + 1), name


@examples(40, suppress_health_check=list(HealthCheck))
@given(programs(depth=2, most_outputs=2))
def test_the_joint_program_is_value_sweep_and_second_sweep(case: Case) -> None:
    assert_same(case)


@pytest.mark.parametrize("row", [row for row in ROWS.values() if not row.has_order], ids=lambda row: row.name)
def test_every_row_of_the_table_stands_in_joint_programs(row: Any) -> None:
    assert_same(case_of(row))


def test_columns_have_the_names_of_the_contract_in_order() -> None:
    graph = joint_graph(graph_of("p = x1*x2; q = x1/x2; p; q"), hessian=True)
    assert [
        "p", "dp_dx1", "dp_dx2", "d2p_dx1_dx1", "d2p_dx1_dx2", "d2p_dx2_dx2",
        "q", "dq_dx1", "dq_dx2", "d2q_dx1_dx1", "d2q_dx1_dx2", "d2q_dx2_dx2",
    ] == [name for name, _ in graph.outputs]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "most"),
    [
        (PAPER, 14),  # five for the value, four for its condition and choice, five for the partials
        ("exp(x*y)", 4),
        ("a = exp(x*y); a; 2*a", 8),
        ("x^2 + y^2", 5),
        ("x^3*y", 5),
        ("(-x)/(-exp(x))", 10),
        ("log(1 + x^2)", 5),  # without a condition, which an interval decides
        ("max(exp(x), -1)", 2),
    ],
)
def test_what_values_and_partials_share_is_computed_once(text: str, most: int) -> None:
    graph = joint_graph(graph_of(text))
    assert operations(graph) <= most
    written = [(graph.rows[slot], graph.parents[slot]) for slot in range(len(graph)) if graph.parents[slot]]
    assert len(written) == len(set(written))


@pytest.mark.parametrize("text", ["x^y", "x^0.3", "(1 + x^2)^1.7"])
def test_the_slope_of_a_power_takes_the_power_that_is_there(text: str) -> None:
    program = joint_graph(graph_of(text), usual=True)
    exponents = [program.parents[slot][1] for slot, row in enumerate(program.rows) if row is ROWS["pow"]]
    assert 1 == len(
        [slot for slot in exponents if slot not in program.constants or program.constants[slot].text != "2"]
    )


def test_slopes_of_powers_keep_their_digits_far_out() -> None:
    at = {"x": 2213080918470630.0, "y": -15.80642240226471}  # where rounding y - 1 would cost 300 ulps
    expected = swept(graph_of("x^y"), at, EXACTLY)["dy_dx"]
    found = of_kernel(Kernel(graph_of("x^y"), "numpy"), at)["dy_dx"]
    assert abs(EXACTLY.number(found) - expected) <= 6 * math.ulp(float(expected))


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_slopes_of_powers_are_those_of_traces_where_the_power_is_none_to_divide(engine: str) -> None:
    expression, kernel = adcli.parse("x^y"), Kernel(graph_of("x^y"), engine)
    for x, y in ((0.0, 2.5), (0.0, 1.0), (0.0, 0.0), (1e-200, 1.7), (1e200, 1.7), (-2.0, 3.0), (5e-324, 1.5)):
        value, gradient = expression.value_and_gradient({"x": x, "y": y})
        found = of_kernel(kernel, {"x": x, "y": y})
        assert [value, gradient["x"]] == pytest.approx([found["y"], found["dy_dx"]], rel=1e-13, abs=0, nan_ok=True), (
            x,
            y,
        )


def test_two_outputs_share_what_they_have_in_common() -> None:
    alone = operations(joint_graph(graph_of("sin(x*y)*exp(x)")))
    together = operations(joint_graph(graph_of("sin(x*y)*exp(x); 3*sin(x*y)*exp(x)")))
    assert together < alone + 10


# --- where there is no value -----------------------------------------------------------------------------------------

EDGES = [
    ("log(x)", (-1.0, -0.0, 0.0, 1.0)),
    ("sqrt(x) + 1", (-1.0, 0.0, 2.0)),
    ("root(x, 2)", (-8.0, 0.0, 8.0)),
    ("root(x, 3)", (-8.0, 0.0, 8.0)),
    ("root(x, y)", (-8.0, 0.0, 2.0, 3.0, -2.0)),
    ("log(x, y)", (-1.0, 0.5, 1.0, 2.0)),
    ("exp(log(x, y))", (0.5, 1.0)),
    ("1/log(exp(x))", (-1000.0, -1.0, 0.0)),
    ("1/x", (-0.0, 0.0, 2.0)),
    ("exp(-1/x^2)", (0.0, 2.0)),
    ("atan2(y, x)", (0.0, 1.0)),
    ("x^y", (-8.0, -0.5, 0.0, 0.5, 3.0)),
    ("x^-1", (0.0, 2.0)),
    ("gamma(x) + lgamma(y)", (-1.0, -1.5, 0.0, 3.0)),
    ("(x - 3)!", (1.0, 2.0, 2.5, 5.0)),
    ("tan(x) + cot(y)", (0.0, 1.0, math.inf)),
    ("sin(x)", (math.inf, 1.0)),
    ("x % y", (0.0, 2.0, -3.0)),
    ("asec(x) + acsc(x)", (0.5, 1.0, -1.0, 2.0)),
    ("max(log(x), 1)", (-1.0, 2.0)),
    ("log(x)^0", (-1.0, 2.0)),
    ("if(log(x) < 1, 2, 3)", (-1.0, 0.5, 9.0)),
    ("hypot(exp(x) - exp(y), 1)", (1.0, 1000.0)),
    ("(exp(x) - exp(y))^0 + x", (1.0, 1000.0)),
    ("if(x > 0, log(x), 0)", (-1.0, 0.0, 2.0)),
    ("if(x > 0, log(x), sqrt(-x))", (-1.0, 0.0, 2.0)),
    ("if(x > 0, if(y > 0, log(x*y), 1/y), sqrt(x + 2))", (-3.0, -1.0, 0.0, 2.0)),
    ("if(x > 0 and log(x) > 0, sqrt(y), y)", (-1.0, 0.5, 3.0)),
    ("if(x < 0 or log(x) > 0, x, 1/y)", (-1.0, 0.0, 0.5, 3.0)),
    ("if(not x > 0, x, 1/log(x))", (-1.0, 0.5, 1.0)),
    ("a = log(x); if(y > 0, a, a^2)", (-1.0, 2.0)),
    ("log(0)*x", (1.0, 2.0)),
    ("sqrt(x^3 - x) - acosh(y)", (-2.0, -0.5, 0.5, 1.0, 2.0)),
    ("coth(x) + csch(y) + acoth(x + 3)", (-2.0, 0.0, 1.0)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "numbers"), EDGES, ids=[text for text, _ in EDGES])
def test_there_is_a_value_exactly_where_a_trace_has_one(text: str, numbers: tuple[float, ...]) -> None:
    expression, graph = adcli.parse(text), joint_graph(graph_of(text))
    names = expression.inputs
    for point in [{"x": x, "y": y} for x in numbers for y in (numbers if "y" in names else (0.0,))]:
        at = {name: point[name] for name in names}
        found = at_point(graph, at)
        try:
            expected = expression.value(at)
        except AdcliError:
            expected = math.nan
        assert expected == pytest.approx(next(iter(found.values())), rel=1e-13, abs=0, nan_ok=True), at


# --- corners ---------------------------------------------------------------------------------------------------------

CORNERED = [
    "abs(x)", "max(x, 0)", "min(x, x^2)", "max(x, 1, x^2)", "relu(x)*x", "sign(x)*x", "floor(x) + x", "x % 0.75",
    "sqrt(abs(x))", "sqrt(x + 1)", "cbrt(x)", "root(x, 3)", "root(x, 5)", "abs(x)^1.5", "abs(x)^0.5", "hypot(x, x)",
    "hypot(x - 0.25, 0*x)", "asin(x)", "acos(x)", "acosh(x + 2)", "asec(x + 2)", "x^1", "x^0", "(x + 3)^x", "acot(x)",
    "if(x > 0, x^2, -x)", "if(x >= 1, x^3, if(x < 0, x, 2*x))", "if(x > 0, sqrt(x), x)", "if(x != 0, sin(x)/x, 1)",
    "a = sqrt(abs(x)); if(x > 1, a, x)", "atan2(0, x + 2)", "softplus(x) + sigmoid(x)",
    "sqrt(x^2)", "sqrt(x)", "x*sqrt(x)",
]  # fmt: skip


def of_kernel(kernel: Kernel, at: dict[str, float]) -> dict[str, float]:
    """What a kernel answers at one point, whatever it has to say of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return {name: float(column[0]) for name, column in kernel.columns({k: [x] for k, x in at.items()}).items()}


@pytest.mark.parametrize("text", CORNERED)
def test_slopes_at_corners_are_those_of_traces(text: str) -> None:
    expression, kernel = adcli.parse(text), Kernel(graph_of(text), "numpy")
    for x in (-1.5, -1.0, -0.25, -0.0, 0.0, 0.25, 1.0, 2.0):
        try:
            expected, gradient = expression.value_and_gradient({"x": x})
        except AdcliError:
            continue
        assert [expected, gradient["x"]] == pytest.approx(list(of_kernel(kernel, {"x": x}).values()), nan_ok=True), x


@pytest.mark.parametrize("text", [*CORNERED, "x*sqrt(y)", "sqrt(x*y)", "hypot(x, y)", "max(x, y)^2", "cbrt(x)*y"])
def test_second_derivatives_at_corners_are_those_of_traces_or_none(text: str) -> None:
    expression, kernel = adcli.parse(text), Kernel(graph_of(text), "numpy", hessian=True)
    names = expression.inputs
    for x in (-1.0, 0.0, 0.25, 1.0, 2.0):
        at = {name: value for name, value in {"x": x, "y": 1.0 if x else 0.0}.items() if name in names}
        try:
            expected = expression.hessian(at)
        except AdcliError:
            continue
        found = of_kernel(kernel, at)
        for k, name in enumerate(names):
            for other in names[k:]:
                want, got = expected[name][other], found[f"d2{expression.outputs[0]}_d{name}_d{other}"]
                # nan in place of a number at a corner, but never a number that a trace has not
                corner = x in (-1.0, 0.0, 1.0) and not math.isfinite(got)
                assert want == pytest.approx(got, rel=1e-12, abs=0, nan_ok=True) or corner, at


# --- large -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_joint_program_of_a_large_expression_takes_linear_time_and_does_not_recurse() -> None:
    pace = {}
    for size in (200, 2000):
        graph = graph_of("+".join(f"x{k % 7}*sin(x{k % 5})^2/({k} + x1^2)" for k in range(size)))
        started = time.process_time()
        assert operations(joint_graph(graph)) <= 20 * size
        pace[size] = (time.process_time() - started) / size
    assert pace[2000] <= 3 * pace[200], pace
    assert operations(joint_graph(graph_of("sin(" * 2000 + "x" + ")" * 2000))) <= 20 * 2000
