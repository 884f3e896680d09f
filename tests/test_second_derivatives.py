"""Second and third derivatives of every row at the points where rules have exceptions, by every route."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from functools import cache
from itertools import product
from typing import Any

import pytest
from drawn import THOROUGH

import adcli
from adcli.errors import Source
from adcli.graph.graph import Graph
from adcli.graph.order import arrange
from adcli.graph.tape import evaluate
from adcli.language.program import read_program
from adcli.numbers.doubles import FLOAT
from adcli.numbers.precise import Precise
from adcli.numbers.series import Taylor
from adcli.symbolic.derivative import derivative, gradient_graph
from adcli.table.primitive import ROWS, Primitive
from adcli.trace.hessians import second_derivatives

FINE = Precise(60)
STEP = FINE.context.mpf(10) ** -12  # differences of order 3 keep 60 - 36 digits and are off by 1e-24
SPECIAL = (0, 1, -1, 2, 3, -2, 0.5, -0.5, 1.5)
FEW = (0, 1, -1, 2, 0.5)  # of three arguments, whose points are 125
OF_COUNT = {1: SPECIAL, 2: SPECIAL if THOROUGH else (0, 1, -1, 2, 0.5, -0.5)}
DIFFERENTIABLE = [row for row in ROWS.values() if not row.truth and row.route is None and row.arity]


def graph_of(text: str, at: Mapping[str, float]) -> Graph:
    return arrange(read_program(Source(text), tuple(at)).graph, extra=at)


@cache
def value_near(row: Primitive, point: tuple[Any, ...], halves: tuple[int, ...]) -> Any:
    """Return the value so many half steps from a point; None where the function has none or meets a kink."""
    moved = tuple(FINE.number(x) + k * STEP / 2 for x, k in zip(point, halves, strict=True))
    kinks = [row.kink(k) for k in range(len(point))]
    if row.find_violation(FINE, moved) is not None or any(k and not k.holds(FINE, *moved) for k in kinks):
        return None
    return FINE.number(row.value(FINE, *moved))


def difference(row: Primitive, point: tuple[Any, ...], places: tuple[int, ...]) -> Any:
    """A derivative from values alone, by central differences; None where the function does not go on or has corners.

    It has a corner in a derivative where another step gives another number.
    """
    found, other = _difference(row, point, places, 2), _difference(row, point, places, 1)
    return None if found is None or other is None or abs(found - other) > 1e-8 * (1 + abs(found)) else found


def _difference(row: Primitive, point: tuple[Any, ...], places: tuple[int, ...], halves: int) -> Any:
    total = FINE.zero
    for signs in product((1, -1), repeat=len(places)):
        moves = [0] * len(point)
        for sign, place in zip(signs, places, strict=True):
            moves[place] += sign * halves
        value = value_near(row, point, tuple(moves))
        if value is None:
            return None
        total += math.prod(signs) * value
    return total / (halves * STEP) ** len(places)


def written(row: Primitive) -> tuple[Graph, list[str]]:
    """A program of one operation."""
    graph = Graph()
    names = ["a", "b", "c"][: row.arity]
    graph.outputs = [("y", graph.apply(row, tuple(graph.input(name) for name in names)))]
    return graph, names


def regular(row: Primitive, point: tuple[Any, ...]) -> bool:
    kinks = [row.kink(k) for k in range(len(point))]
    return row.find_violation(FLOAT, point) is None and all(k is None or k.holds(FLOAT, *point) for k in kinks)


@pytest.mark.slow
@pytest.mark.parametrize("row", DIFFERENTIABLE, ids=lambda row: row.name)
def test_hessian_of_a_row_is_its_transpose_and_that_of_differences(row: Primitive) -> None:
    graph, names = written(row)
    twice = gradient_graph(gradient_graph(graph))
    shown = {name: derivative(graph, [name, name]) for name in names}
    for point in product(OF_COUNT.get(len(names), FEW), repeat=len(names)):
        if not regular(row, tuple(map(float, point))):
            continue
        at = dict(zip(names, point, strict=True))
        for m in (FINE, FLOAT) if set(point) <= set(FEW) else (FLOAT,):
            given = {slot: m.number(at[name]) for slot, name in graph.inputs.items()}
            found = second_derivatives(graph, m, evaluate(graph, m, given))[0].hessian or {}
            again = evaluate(twice, m, {slot: m.number(at[name]) for slot, name in twice.inputs.items()})
            entries = iter([again[slot] for _, slot in twice.outputs])
            by_graph = {name: {other: next(entries) for other in names} for name in names}
            for (i, name), (j, other) in product(enumerate(names), repeat=2):
                if {i, j} & set(range(row.has_order)):  # nothing is differentiated with respect to an order
                    continue
                expected = difference(row, point, (min(i, j), max(i, j)))
                if expected is None:
                    continue
                near = pytest.approx(float(expected), rel=1e-11, abs=1e-11)
                assert near == float(found[name][other]), (point, name, other)
                assert near == float(by_graph[name][other]), (point, name, other)
                if i == j:
                    slots = shown[name].inputs.items()
                    values = evaluate(shown[name], m, {slot: m.number(at[k]) for slot, k in slots})
                    formula = float(values[shown[name].outputs[0][1]])
                    # a formula for people may have no number at a limit, but never a wrong one
                    assert not math.isfinite(formula) or near == formula, (point, name)


@pytest.mark.parametrize("row", DIFFERENTIABLE, ids=lambda row: row.name)
def test_series_of_a_row_has_the_third_derivative_of_differences(row: Primitive) -> None:
    names = range(row.arity or 0)
    for point in product(OF_COUNT.get(len(names), FEW), repeat=len(names)):
        if not regular(row, tuple(map(float, point))):
            continue
        for k in set(names) - set(range(row.has_order)):
            expected = difference(row, point, (k, k, k))
            if expected is None:
                continue
            m = Taylor(FLOAT, 3)
            parts = [m.variable(float(x), 1.0) if j == k else m.number(float(x)) for j, x in enumerate(point)]
            end = m.apply(row, *parts)
            m.extend([end])
            found = (end.coefficients + [0.0] * 3)[3] * 6
            assert pytest.approx(float(expected), rel=1e-10, abs=1e-10) == found, (point, k)


POWERS = [  # the second derivatives by the directions as they are written, in 50 digits by hand or mpmath
    ("(t+2)^t", {"t": 0}, {"tt": math.log(2) ** 2 + 1}),
    ("(t^2+1)^(t^2)", {"t": 0}, {"tt": 0}),
    ("cos(t)^t", {"t": 0}, {"tt": 0}),
    ("x^y", {"x": 0, "y": 1}, {"xx": 0, "xy": -math.inf, "yy": 0}),
    ("x^y", {"x": 0, "y": 2}, {"xx": 2, "xy": 0, "yy": 0}),
    ("x^y", {"x": 0, "y": 2.5}, {"xx": 0, "xy": 0, "yy": 0}),
    ("x^y", {"x": 1e-200, "y": 2}, {"xx": 2, "xy": 2e-200 * math.log(1e-200) + 1e-200, "yy": 0}),
    ("x^y", {"x": 5, "y": 0}, {"xx": 0, "xy": 0.2, "yy": math.log(5) ** 2}),
    ("root(x, n)", {"x": 0, "n": 0.5}, {"xx": 2, "xn": 0, "nn": 0}),
    ("root(x, n)", {"x": 0, "n": 1}, {"xx": 0, "xn": math.inf, "nn": 0}),
    ("root(x, n)", {"x": 0, "n": 0.25}, {"xx": 0, "xn": 0, "nn": 0}),
]


@pytest.mark.parametrize(("text", "at", "entries"), POWERS, ids=lambda x: x if isinstance(x, str) else "")
@pytest.mark.parametrize("engine", ["sweeps", "graph", "numpy", "native"])
def test_no_limit_of_a_power_cuts_a_derivative_short(
    text: str, at: dict[str, float], entries: dict[str, float], engine: str
) -> None:
    graph, names = graph_of(text, at), list(at)
    if engine == "sweeps":
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = adcli.parse(text).hessian(at)
        both_orders = all(found[b][a] == pytest.approx(x, rel=1e-10, abs=0) for (a, b), x in entries.items())
        assert not (both_orders and caught)
    elif engine == "graph":
        twice = gradient_graph(gradient_graph(graph))
        values = evaluate(twice, FLOAT, {slot: float(at[name]) for slot, name in twice.inputs.items()})
        numbers = iter([values[slot] for _, slot in twice.outputs])
        found = {name: {other: next(numbers) for other in names} for name in names}
    else:
        columns = adcli.parse(text).kernel(engine, hessian=True).columns({name: [float(x)] for name, x in at.items()})
        found = {}
        for place, name in enumerate(names):
            for other in names[place:]:
                found.setdefault(name, {})[other] = columns[f"d2y_d{name}_d{other}"][0]
    for (one, other), expected in entries.items():
        assert expected == pytest.approx(found[one][other], rel=1e-14, abs=0), (one, other)


def test_taylor_goes_as_far_at_a_zero_base_as_the_function_does() -> None:
    m = Taylor(FLOAT, 3)
    x, y = m.variable(0.0, 1.0), m.variable(2.0, 1.0)
    end = m.apply(ROWS["pow"], x, y)  # t^(2 + t) = t^2 (1 + t log t + …)
    m.extend([end])
    assert [0.0, 0.0, 1.0] == end.coefficients[:3]
    assert not math.isfinite(end.coefficients[3])


@pytest.mark.parametrize("text", ["tanh(x)", "coth(x)"])
@pytest.mark.parametrize("x", [356.5, -400.0, 709.0, 1e5])
@pytest.mark.parametrize("engine", ["sweeps", "numpy", "native"])
def test_what_has_become_level_has_no_curvature(text: str, x: float, engine: str) -> None:
    parsed = adcli.parse(text)
    if engine == "sweeps":
        assert abs(parsed.hessian({"x": x})["x"]["x"]) < 1e-300
    else:
        assert abs(parsed.kernel(engine, hessian=True).columns({"x": [x]})["d2y_dx_dx"][0]) < 1e-300


@pytest.mark.parametrize(
    ("text", "slope"), [("max(acos(x/x), exp(x))", math.exp(2)), ("acos(x/x)", 0.0), ("asin(x^3/(x*x)/x)", 0.0)]
)
def test_what_is_cancelled_at_the_end_of_a_domain_leaves_derivatives(text: str, slope: float) -> None:
    expression = adcli.parse(text)
    assert expression.gradient({"x": 2.0}) == {"x": slope}
    assert expression.hessian({"x": 2.0}) == {"x": {"x": slope}}


@pytest.mark.parametrize(
    ("x", "value"),
    [
        (1e-310, math.log(2) - math.log(1e-310)), (5e-324, math.log(2) - math.log(5e-324)),
        (1 - 2.0**-53, 1.4901161193847656e-8), (0.5, 1.3169578969248167),
    ],
)  # fmt: skip
def test_inverse_secant_next_to_both_ends(x: float, value: float) -> None:
    assert value == pytest.approx(adcli.parse("asech(x)").value({"x": x}), rel=1e-13, abs=0)
