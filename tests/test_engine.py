"""The engine's short ways: they say what the long ones say, for every row and at the extremes."""

from __future__ import annotations

import math
import operator
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from expressions import Case, programs
from hypothesis import given
from hypothesis import strategies as st

import adcli
from adcli.errors import AdcliError, Source
from adcli.graph.graph import Constant, Graph
from adcli.graph.rules import constant_partials, partials_at, value_function
from adcli.graph.tape import adjoints, evaluate, linearize, tangents, tangents_by_input, value_and_partials, vjp
from adcli.language.program import read_program
from adcli.numbers.doubles import FLOAT, RAISING, apply
from adcli.table.primitive import ROWS, Primitive

NUMBERS = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e-320, 1e300, -1e300, 800.0, math.inf, -math.inf, math.nan]


def same(expected: Any, found: Any) -> bool:
    """Equal to the last bit, nan and the sign of zero included, whether a number is whole or not."""
    return repr(expected) == repr(found) or (expected is not None and repr(float(expected)) == repr(float(found)))


def points(row: Primitive) -> list[tuple[float, ...]]:
    if row.arity == 1:
        return [(x,) for x in NUMBERS]
    if row.arity == 3:
        return [(c, x, -x) for c in (0.0, 1.0) for x in NUMBERS]
    return [(x, y) for x in NUMBERS for y in NUMBERS]


def alone(row: Primitive, count: int) -> Graph:
    graph = Graph()
    slots = tuple(graph.input(f"x{k + 1}") for k in range(count))
    graph.outputs = [("y", graph.apply(row, slots))]
    return graph


@pytest.mark.parametrize("name", list(ROWS))
def test_every_row_has_the_value_and_the_partials_of_its_rules_everywhere(name: str) -> None:
    row = ROWS[name]
    for point in points(row):
        z = apply(row, FLOAT, point)
        values, gradients = value_and_partials(alone(row, len(point)), dict(enumerate(point)))
        if values[-1] is None or None in gradients[-1]:  # conditions and branches go the long way
            continue
        assert same(z, values[-1]), point
        expected = partials_at(row, FLOAT, z, point, (True,) * len(point))
        assert all(map(same, expected, gradients[-1])), (point, expected, gradients[-1])


@pytest.mark.parametrize("name", list(ROWS))
def test_one_loop_forward_and_one_back_say_of_every_row_what_the_tape_says(name: str) -> None:
    row = ROWS[name]
    for point in points(row):
        for written in range(len(point) + 1):  # how many of the arguments are numbers of the text
            graph = Graph()
            slots = [graph.constant(Constant(repr(x))) for x in point[:written]]
            slots += [graph.input(f"x{k}") for k in range(written, len(point))]
            y = graph.apply(row, tuple(slots))
            z = graph.apply(ROWS["mul"], (y, y))
            at = dict(zip(slots[written:], point[written:], strict=True))
            assert agrees(graph, at, {z: 1.0, y: -0.5}), (point, written)


def agrees(graph: Graph, at: dict[int, float], seed: dict[int, float]) -> bool:
    """Whether the loops give the numbers of the tape, to the last bit."""
    expected, gradients = value_and_partials(graph, at)
    values, bars = vjp(graph, at, seed)
    return all(map(same, expected, values)) and all(map(same, adjoints(graph, gradients, seed), bars))


def test_the_usual_operators_are_done_without_calling_their_rules() -> None:
    functions = [value_function(ROWS[name], FLOAT) for name in ("add", "mul", "sub")]
    assert functions == [operator.add, operator.mul, operator.sub]
    assert math.sin == value_function(ROWS["sin"], RAISING)
    assert constant_partials(ROWS["sub"]) == (1, -1)


@given(programs(), st.data())
def test_one_pass_says_what_two_passes_say(case: Case, data: st.DataObject) -> None:
    graph = read_program(Source(case.text)).graph
    point = {slot: data.draw(st.floats(-3, 3)) for slot in graph.inputs}
    values = evaluate(graph, FLOAT, point)
    once, gradients = value_and_partials(graph, point)
    assert all(map(same, values, once))
    assert [[repr(g) for g in found] for found in linearize(graph, FLOAT, values)] == [
        [repr(g) for g in found] for found in gradients
    ]
    assert all(agrees(graph, point, {slot: 1.0}) for _, slot in graph.outputs)
    every = tangents_by_input(graph, gradients, graph.inputs)
    for slot in graph.inputs:
        dots = tangents(graph, gradients, {slot: 1.0})
        assert all(same(dot, found.get(slot, 0.0)) for dot, found in zip(dots, every, strict=True))


def test_an_infinite_partial_of_what_is_not_reached_leaves_no_trace() -> None:
    graph = read_program(Source("a = sqrt(x); b = x*y; a; b")).graph
    _, gradients = value_and_partials(graph, dict(zip(graph.inputs, (0.0, 2.0), strict=True)))
    outputs = dict(graph.outputs)
    bars = adjoints(graph, gradients, {outputs["b"]: 1.0})
    assert [2.0, 0.0] == [bars[slot] for slot in graph.inputs]
    assert math.inf == adjoints(graph, gradients, {outputs["a"]: 1.0})[next(iter(graph.inputs))]


@pytest.mark.slow
def test_operations_without_a_value_do_not_slow_the_loops_down() -> None:
    graph = Graph()
    x = y = graph.input("x")
    for _ in range(50_000):
        y = graph.apply(ROWS["add"], (graph.apply(ROWS["log"], (graph.apply(ROWS["sub"], (x, x)),)), y))
    assert agrees(graph, {x: 1.0}, {y: 1.0})


def test_more_functions_than_the_loops_tell_apart_are_done_all_the_same() -> None:
    graph = Graph()
    x = y = graph.input("x")
    for row in ROWS.values():
        if row.arity == 1 and not row.truth:
            y = graph.apply(ROWS["add"], (y, graph.apply(row, (x,))))
    for k in range(70):
        own = Primitive(f"own{k}", value=lambda m, x: m.sin(x), partials=(lambda m, _, x: m.cos(x),))
        y = graph.apply(ROWS["mul"], (y, graph.apply(own, (x,))))
    assert agrees(graph, {x: 0.25}, {y: 1.0})


def by_tape(graph: Graph, point: dict[int, float], seed: dict[int, float]) -> None:
    adjoints(graph, value_and_partials(graph, point)[1], seed)


@pytest.mark.parametrize("sweep", [by_tape, vjp])
def test_a_large_graph_takes_less_than_300_bytes_an_operation(sweep: Callable[..., object]) -> None:
    size = 20_000
    tracemalloc.start()
    graph = Graph()
    x = y = graph.input("x")
    for k in range(size):
        y = graph.apply(ROWS["mul" if k % 2 else "sin"], (y, x) if k % 2 else (y,))
    sweep(graph, {x: 0.5}, {y: 1.0})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak / size < 300


def test_a_text_may_nest_as_deep_as_it_is_long() -> None:
    depth = 200_000
    assert 1 == len(read_program(Source("(" * depth + "x" + ")" * depth)).graph)


def answer(ask: Callable[[], Any]) -> str:
    """What is said, be it an error."""
    try:
        return repr(ask())
    except AdcliError as error:
        return repr(error.as_dict())


@given(programs(), st.data())
def test_an_expression_answers_as_its_trace_does(case: Case, data: st.DataObject) -> None:
    expression = adcli.parse(case.text)
    number = st.one_of(st.floats(-3, 3), st.sampled_from(NUMBERS), st.integers(-2, 2))
    known = [name for name in expression.inputs if data.draw(st.integers(0, 19))]
    at = {name: data.draw(number) for name in [*known, *data.draw(st.sampled_from([[], [], [], ["more"]]))]}

    def outputs() -> Any:
        return expression.trace(at, "reverse").outputs

    for _ in range(2):  # the second time everything is ready
        assert answer(lambda: expression.trace(at, "value").outputs[0].value) == answer(lambda: expression.value(at))
        assert answer(lambda: (outputs()[0].value, outputs()[0].gradient)) == answer(
            lambda: expression.value_and_gradient(at)
        )
        assert answer(lambda: outputs()[0].gradient) == answer(lambda: expression.gradient(at))
        assert answer(lambda: {output.name: output.gradient for output in outputs()}) == answer(
            lambda: expression.jacobian(at)
        )


@pytest.mark.parametrize(
    "text",
    ["root(x, 2)", "log(x, 1)", "log(-x)", "1/(x - x)", "sqrt(x - 5)", "exp(1000*x)", "exp(exp(9*x)) - exp(exp(9*x))",
     "if(x > 0, log(x), 0)", "sqrt(x)", "abs(x); 1/x", "x^-1", "3", "e*x", "min(x, 0)"],
)  # fmt: skip
def test_an_expression_errs_as_its_trace_does(text: str) -> None:
    expression = adcli.parse(text)
    for at in ({"x": x} for x in (-4.0, 0.0, 2.0, math.inf, math.nan)):
        expected = answer(lambda at=at: expression.trace(at, "reverse").outputs[0].gradient)
        assert expected == answer(lambda at=at: expression.gradient(at))
        expected = answer(lambda at=at: expression.trace(at, "value").outputs[0].value)
        assert expected == answer(lambda at=at: expression.value(at))
    assert answer(lambda: expression.trace({"x": 2.0, "e": 3.0}, "reverse").outputs[0].gradient) == answer(
        lambda: expression.gradient({"x": 2.0, "e": 3.0})
    )
