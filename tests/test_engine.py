"""The engine's short ways: they say what the long ones say, for every row and at the extremes."""

from __future__ import annotations

import math
import operator
import tracemalloc
from typing import Any

import pytest
from expressions import Case, programs
from hypothesis import given
from hypothesis import strategies as st

from adcli.calculus.algebra import FLOAT, RAISING
from adcli.calculus.primitive import ROWS, Primitive
from adcli.errors import Source
from adcli.graph.node import Graph
from adcli.graph.rules import partials, value
from adcli.graph.tape import (
    adjoints,
    apply,
    differentiated,
    evaluate,
    linearize,
    partials_at,
    tangents,
    tangents_by_input,
)
from adcli.language.program import read_program

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
        values, gradients = differentiated(alone(row, len(point)), dict(enumerate(point)))
        if values[-1] is None or None in gradients[-1]:  # conditions and branches go the long way
            continue
        assert same(z, values[-1]), point
        expected = partials_at(row, FLOAT, z, point, (True,) * len(point))
        assert all(map(same, expected, gradients[-1])), (point, expected, gradients[-1])


def test_the_usual_operators_are_done_without_calling_their_rules() -> None:
    assert [operator.add, operator.mul, operator.sub] == [value(ROWS[name], FLOAT) for name in ("add", "mul", "sub")]
    assert math.sin == value(ROWS["sin"], RAISING)
    found = partials(ROWS["sub"], FLOAT)
    assert found is not None
    assert found.always == (1, -1)


@given(programs(), st.data())
def test_one_pass_says_what_two_passes_say(case: Case, data: st.DataObject) -> None:
    graph = read_program(Source(case.text)).graph
    point = {slot: data.draw(st.floats(-3, 3)) for slot in graph.inputs}
    values = evaluate(graph, FLOAT, point)
    once, gradients = differentiated(graph, point)
    assert all(map(same, values, once))
    assert [[repr(g) for g in found] for found in linearize(graph, FLOAT, values)] == [
        [repr(g) for g in found] for found in gradients
    ]
    every = tangents_by_input(graph, gradients, graph.inputs)
    for slot in graph.inputs:
        dots = tangents(graph, gradients, {slot: 1.0})
        assert all(same(dot, found.get(slot, 0.0)) for dot, found in zip(dots, every, strict=True))


def test_an_infinite_partial_of_what_is_not_reached_leaves_no_trace() -> None:
    graph = read_program(Source("a = sqrt(x); b = x*y; a; b")).graph
    _, gradients = differentiated(graph, dict(zip(graph.inputs, (0.0, 2.0), strict=True)))
    outputs = dict(graph.outputs)
    bars = adjoints(graph, gradients, {outputs["b"]: 1.0})
    assert [2.0, 0.0] == [bars[slot] for slot in graph.inputs]
    assert math.inf == adjoints(graph, gradients, {outputs["a"]: 1.0})[next(iter(graph.inputs))]


def test_a_large_graph_takes_less_than_300_bytes_an_operation() -> None:
    size = 20_000
    tracemalloc.start()
    graph = Graph()
    x = y = graph.input("x")
    for k in range(size):
        y = graph.apply(ROWS["mul" if k % 2 else "sin"], (y, x) if k % 2 else (y,))
    _, gradients = differentiated(graph, {x: 0.5})
    adjoints(graph, gradients, {y: 1.0})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak / size < 300


def test_a_text_may_nest_as_deep_as_it_is_long() -> None:
    depth = 200_000
    assert 1 == len(read_program(Source("(" * depth + "x" + ")" * depth)).graph)
