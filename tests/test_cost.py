"""What a gradient costs: counts by hand, the bound on real expressions, and how adjoints travel."""

from __future__ import annotations

import json
from collections.abc import Collection
from statistics import mean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import evaluated, printed, records

import adcli
from adcli.graph.graph import Graph
from adcli.table import functions as _table  # noqa: F401 - importing it fills the table
from adcli.table.primitive import ROWS
from adcli.trace.cost import MANY, Cost, cost

REAL = records("expressions")


def counted(text: str, names: Collection[str] = ()) -> Cost:
    return cost(adcli.parse(text, names)._program.graph)


@pytest.mark.parametrize(
    ("text", "value", "forward", "reverse"),
    [
        # value; value and tangent; value and adjoints, in operations counted by hand
        ("x*y", 1, 4, 1),  # dx*y + dy*x; with the adjoint 1 of the result nothing is left to do
        ("x + y", 1, 2, 1),
        ("x - y", 1, 2, 2),  # the adjoint of y is -1
        ("sin(x)", 1, 3, 2),  # dx*cos x; cos x
        ("exp(x)", 1, 2, 1),  # the partial is the value
        ("log(x)", 1, 2, 2),  # dx/x; 1/x
        ("x*x", 1, 4, 2),  # x + x
        ("x*y*z", 2, 8, 4),  # v1*z: adjoints z and v1; then z*y and z*x
        ("2*x + 3", 2, 3, 3),  # literals have no derivative
        ("(x + y)*(x + y)", 3, 8, 5),  # two values, each used once: adjoints are the other one; x and y get two each
        ("s = x + y; s*s", 2, 6, 3),  # one value used twice: its adjoint s + s goes on to x and y as it is
    ],
)
def test_counts_are_those_of_a_careful_hand(text: str, value: int, forward: int, reverse: int) -> None:
    found = counted(text)
    assert (value, forward, reverse) == (found.value.total(), found.forward.total(), found.reverse.total())


def test_operations_are_told_by_kind() -> None:
    answer = evaluated("log(x1)+x1*x2-sin(x2)", {"x1": 2, "x2": 5}, "--count").data["cost"]
    kinds = ["additions", "multiplications", "divisions", "changes_of_sign", "function_calls", "conditions", "total"]
    assert {"value", "forward", "reverse", "ratio", "adjoints", "one_by_one"} == set(answer)
    assert dict(zip(kinds, (2, 1, 0, 0, 2, 0, 5), strict=True)) == answer["value"]
    # v̄1/x1; v̄2*x2, v̄2*x1; v̄3*cos x2; sums in x̄1 and x̄2; v̄3 = -1
    assert dict(zip(kinds, (4, 4, 1, 1, 3, 0, 13), strict=True)) == answer["reverse"]
    assert 13 / 5 == answer["ratio"]["reverse"]


def test_what_is_used_once_is_passed_on_and_what_is_used_often_is_accumulated() -> None:
    found = evaluated("s = x*y; t = sin(s); t*s + exp(t)", {"x": 1, "y": 2}, "--count").data["cost"]
    assert {"passed_on": 2, "accumulated": 2} == found["adjoints"]  # t*s and exp(t); s and t
    assert found["one_by_one"] > found["reverse"]["total"]


def test_without_sharing_both_ways_cost_the_same() -> None:
    found = counted("sin(x*y) + cos(z)")
    assert 0 == found.accumulated
    assert found.reverse.total() == found.one_by_one


def test_handing_on_every_contribution_grows_with_the_paths_and_accumulating_does_not() -> None:
    def doubled(times: int) -> Cost:
        return counted("; ".join(["u0 = x", *(f"u{k + 1} = u{k}*u{k}" for k in range(times)), f"u{times} + 0"]))

    ten, eleven, hundred = doubled(10), doubled(11), doubled(100)
    assert eleven.one_by_one > 1.9 * ten.one_by_one
    assert MANY == hundred.one_by_one
    assert hundred.reverse.total() < 5 * hundred.value.total()


def test_on_real_expressions_a_gradient_costs_at_most_five_values() -> None:
    """Of the 344 only two exceed it, both of one or two operations: x^x, where one call has two partials, and asec."""
    found = {record["expr"]: counted(record["expr"], record["point"]) for record in REAL}
    ratios = {text: c.reverse_ratio or 0.0 for text, c in found.items() if c.value.total() >= 3}
    assert len(ratios) > 250
    assert max(ratios.values()) <= 5
    assert mean(ratios.values()) < 3
    assert {"x ^ x", "asec(1 / x)"} >= {text for text, c in found.items() if (c.reverse_ratio or 0) > 5}


def test_the_gradient_of_many_inputs_costs_no_more_than_that_of_one() -> None:
    few, many = counted("x1*sin(x1) + x1*sin(x1)"), counted("+".join(f"x{k}*sin(x{k})" for k in range(1, 101)))
    assert many.reverse_ratio is not None and few.reverse_ratio is not None
    assert many.reverse_ratio <= few.reverse_ratio + 1


_UNARY = [ROWS[name] for name in ("sin", "cos", "exp", "tanh", "sqrt", "log", "neg")]
_BINARY = [ROWS[name] for name in ("add", "sub", "mul", "div")]


@given(st.integers(0, 2**32), st.integers(20, 200))
def test_on_random_programs_of_arithmetic_and_functions_the_bound_holds(seed: int, size: int) -> None:
    from random import Random

    random = Random(seed)  # noqa: S311 - a test
    graph = Graph()
    slots = [graph.input(f"x{k}") for k in range(3)]
    for _ in range(size):
        row = random.choice([*_UNARY, *_BINARY])
        slots.append(graph.apply(row, tuple(random.choice(slots) for _ in range(row.arity or 1))))
    graph.outputs = [("y", slots[-1])]
    found = cost(graph)
    # the dearest row, a quotient, hands on two contributions for three operations and both may have to be added
    assert found.reverse.total() <= 6 * found.value.total() + 1
    assert found.value.total() <= found.reverse.total() <= found.one_by_one


def test_a_branch_not_taken_costs_nothing() -> None:
    taken = evaluated("if(x > 0, x^2, exp(sin(x)))", {"x": 1}, "--count").data["cost"]
    other = evaluated("if(x > 0, x^2, exp(sin(x)))", {"x": -1}, "--count").data["cost"]
    assert (1, 2) == (taken["value"]["function_calls"], other["value"]["function_calls"])


@pytest.mark.slow
def test_a_hundred_thousand_operations_are_counted_at_once() -> None:
    graph = Graph()
    slot = graph.input("x")
    for _ in range(50_000):
        slot = graph.apply(ROWS["sin"], (graph.apply(ROWS["mul"], (slot, slot)),))
    graph.outputs = [("y", slot)]
    found = cost(graph)
    assert 100_000 == found.value.total()
    assert found.reverse.total() <= 500_000


def test_the_table_of_the_cost() -> None:
    code, out, _ = printed("eval", "x*y", "--at", "x=1,y=2", "--count", "--no-trace")
    cells = [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in out.splitlines()]
    assert 0 == code
    assert ["multiplications", "1", "3", "1"] in cells
    assert ["operations", "1", "4", "1"] in cells
    assert ["times the value", "1", "4", "1"] in cells
    assert "0 used once and passed on, 0 used several times" in out


def test_a_constant_costs_no_division_by_zero() -> None:
    found: dict[str, Any] = evaluated("3", {}, "--count").data["cost"]
    assert {"forward": None, "reverse": None} == found["ratio"]
    assert json.dumps(found)
