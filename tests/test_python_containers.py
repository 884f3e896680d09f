"""Containers as arguments and results: gradients have the shape of what they belong to."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adcli.errors import AdcliError
from adcli.python import check_grads, flatten, grad, hessian, hvp, jacobian, jvp, sin, value_and_grad, vjp
from adcli.python.core.containers import flatten_tree


@dataclass(frozen=True)
class Layer:
    weights: np.ndarray
    bias: float
    name: str = "layer"
    seen: list[float] = field(default_factory=list)


class Point(NamedTuple):
    x: float
    y: float


Pair = namedtuple("Pair", "first second")


def test_branches_that_use_one_entry_add_up() -> None:
    assert {"x": 6.0} == grad(lambda params: params["x"] * params["x"])({"x": 3.0})


@pytest.mark.parametrize(
    ("f", "at", "expected"),
    [
        (lambda p: p[0] * p[1], (2.0, 3.0), (3.0, 2.0)),
        (lambda p: p[0] * p[1], [2.0, 3.0], [3.0, 2.0]),
        (lambda p: p.x * p.y, Point(2.0, 3.0), Point(3.0, 2.0)),
        (lambda p: p.first * p.second, Pair(2.0, 3.0), Pair(3.0, 2.0)),
        (lambda p: p["a"] * p["b"][1], {"a": 2.0, "b": (7.0, 3.0)}, {"a": 3.0, "b": (0.0, 2.0)}),
        (lambda p: p["a"] * p["a"], OrderedDict(b=1.0, a=2.0), OrderedDict(b=0.0, a=4.0)),
        (lambda p: sum(x * x for row in p for x in row), [[1.0, 2.0], [3.0]], [[2.0, 4.0], [6.0]]),
        (lambda p: p["layers"][0] * 3, {"layers": [2, None], "name": "n"}, {"layers": [3.0, None], "name": "n"}),
        (lambda p: sum(v for k, v in sorted(p.items())), {"b": 1.0, "a": 2.0}, {"b": 1.0, "a": 1.0}),
        (lambda p: p[0] * len(p[1:]), [1.0, 2.0, 3.0], [2.0, 0.0, 0.0]),
    ],
)
def test_a_gradient_has_the_shape_of_its_argument(f: Any, at: Any, expected: Any) -> None:
    got = grad(f)(at)
    assert expected == got
    assert type(expected) is type(got)


def test_dataclasses_keep_what_is_no_number() -> None:
    layer = Layer(np.array([1.0, 2.0]), 0.5, seen=[1.0])
    found = grad(lambda p: np.sum(p.weights**2) * p.bias)(layer)
    assert [1.0, 2.0] == found.weights.tolist()
    assert (5.0, "layer", [0.0]) == (found.bias, found.name, found.seen)
    assert 0.5 == layer.bias


def test_containers_may_be_results_and_directions() -> None:
    def f(p: dict[str, Any]) -> Any:
        return Point(p["x"] * p["y"], sin(p["x"]))

    at = {"x": 2.0, "y": 3.0}
    value, pull = vjp(f)(at)
    assert Point(6.0, sin(2.0)) == value
    assert {"x": 3.0, "y": 2.0} == pull(Point(1.0, 0.0))
    assert Point(2.0, 0.0) == jvp(f)(at)({"x": 0.0, "y": 1.0})[1]
    assert Point({"x": 3.0, "y": 2.0}, {"x": pytest.approx(-0.4161468365), "y": 0.0}) == jacobian(f)(at)


def test_second_derivatives_of_containers_are_containers_of_containers() -> None:
    def f(p: dict[str, float]) -> Any:
        return p["x"] * p["x"] * p["y"]

    at = {"x": 2.0, "y": 3.0}
    assert {"x": {"x": 6.0, "y": 4.0}, "y": {"x": 4.0, "y": 0.0}} == hessian(f)(at)
    assert {"x": 6.0, "y": 4.0} == hvp(f)(at)({"x": 1.0, "y": 0.0})


def test_several_arguments_give_a_tuple_of_their_shapes() -> None:
    f = lambda a, b, c: a["k"] * b[0] + c  # noqa: E731
    assert (15.0 + 1.0, ((5.0,), {"k": 3.0})) == value_and_grad(f, (1, 0))({"k": 5.0}, (3.0,), 1.0)


def test_arrays_and_numbers_in_containers_are_checked_to_second_order() -> None:
    at = {"w": np.array([[0.3, -0.2], [0.1, 0.7]]), "b": (0.5, [np.array([1.0, 2.0])])}
    check_grads(lambda p: np.sum(np.tanh(p["w"] @ p["b"][1][0]) * p["b"][0]))(at)


def test_a_container_becomes_a_vector_and_comes_back() -> None:
    tree = {"w": np.arange(4.0).reshape(2, 2), "b": (4.0, [5.0])}
    vector, unflatten = flatten(tree)
    assert [0, 1, 2, 3, 4, 5] == vector.tolist()
    again = unflatten(vector)
    assert (4.0, [5.0]) == again["b"] and np.array_equal(tree["w"], again["w"])
    check_grads(lambda t: np.sum(flatten(t)[0] ** 2))(tree)


def test_a_direction_of_another_structure_is_refused() -> None:
    with pytest.raises(AdcliError, match="the direction has another number of parts than the argument: 1 instead of 2"):
        jvp(lambda p: p[0] * p[1])((1.0, 2.0))((1.0,))
    with pytest.raises(AdcliError, match="the adjoint has another number of parts than the result: 1 instead of 2"):
        vjp(lambda x: (x, x))(1.0)[1](1.0)


def test_a_direction_may_name_its_entries_in_another_order() -> None:
    f = lambda p: {"s": p["a"]["x"] * 2, "t": p["a"]["y"] * 3 + p["b"]}  # noqa: E731
    at = {"a": {"x": 1.0, "y": 2.0}, "b": 3.0}
    assert {"s": 2.0, "t": 30.0} == jvp(f)(at)({"b": 0.0, "a": {"y": 10.0, "x": 1.0}})[1]
    assert {"a": {"x": 2.0, "y": 30.0}, "b": 10.0} == vjp(f)(at)[1]({"t": 10.0, "s": 1.0})


def test_deep_nesting_needs_no_stack_and_a_circle_is_refused() -> None:
    deep: Any = 2.0
    for _ in range(5000):
        deep = [deep]
    leaves, structure = flatten_tree(deep)
    assert [2.0] == leaves
    structure.build(leaves)
    circle: list[Any] = []
    circle.append(circle)
    with pytest.raises(AdcliError, match="contains itself"):
        flatten_tree(circle)


trees = st.recursive(
    st.floats(-1e3, 1e3) | st.none() | st.text(max_size=2),
    lambda inner: (
        st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.dictionaries(st.text(max_size=2), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(trees)
def test_what_is_taken_apart_is_put_together_the_same(tree: Any) -> None:
    leaves, structure = flatten_tree(tree)
    assert tree == structure.build(leaves)
