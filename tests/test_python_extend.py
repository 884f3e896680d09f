"""What extensions of autograd are written against, and its names: rules, spaces, checkpoints, iterations."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from adcli.errors import AdcliError
from adcli.python import autograd, check_grads, grad, hessian, jacobian, jvp, primitive, vjp
from adcli.python.extend import (
    checkpoint,
    def_linear,
    defjvp,
    defjvp_argnum,
    defjvp_argnums,
    defvjp,
    defvjp_argnum,
    defvjp_argnums,
    notrace_primitive,
    vspace,
)
from adcli.python.iterations import adam, fixed_point, rmsprop, sgd

VECTOR = np.array([0.3, -0.4, 1.2])
MATRIX = np.array([[2.0, 0.5, 0.1], [0.2, 1.5, 0.3], [0.4, 0.1, 1.0]])


# --- rules for several arguments --------------------------------------------------------------------------------------


def product() -> Any:
    return primitive(lambda x, y, scale=1.0: x * y * scale)


def test_a_rule_by_argument_serves_all_of_them_and_both_modes() -> None:
    f = product()
    defvjp_argnum(f, lambda k, ans, args, kwargs: lambda g: g * args[1 - k] * kwargs.get("scale", 1.0))
    check_grads(lambda x, y: f(x, y, scale=3.0))(0.7, 1.9)
    assert 8.0 == grad(lambda x: f(x, 4.0, scale=2.0))(1.0)


def test_a_rule_for_all_arguments_is_asked_once() -> None:
    asked = []
    f = product()

    def maker(argnums: tuple[int, ...], ans: Any, args: Any, kwargs: Any) -> Any:
        asked.append(argnums)
        return lambda g: [g * args[1 - k] for k in argnums]

    defvjp_argnums(f, maker)
    assert (5.0, 2.0) == grad(lambda x, y: f(x, y), (0, 1))(2.0, 5.0)
    assert [(0, 1)] == asked
    check_grads(lambda x, y: f(x, y))(VECTOR, VECTOR + 1)


def test_rules_for_tangents_of_all_arguments_give_the_way_back_too() -> None:
    f, g = product(), product()
    defjvp_argnums(
        f, lambda argnums, dots, ans, args, kwargs: sum(dot * args[1 - k] for k, dot in zip(argnums, dots, strict=True))
    )
    defjvp_argnum(g, lambda k, dot, ans, args, kwargs: dot * args[1 - k])
    for function in (f, g):
        check_grads(lambda x, y, function=function: function(x, y))(VECTOR, VECTOR + 1)
        check_grads(lambda x, function=function: function(x, 3.0))(0.4)


def test_a_linear_function_is_its_own_tangent() -> None:
    f = primitive(lambda x, y: np.dot(x, y))
    def_linear(f)
    check_grads(lambda x, y: f(x, y), modes=["fwd"])(MATRIX, VECTOR)


def test_containers_of_traced_values_are_arguments_of_a_primitive() -> None:
    @primitive
    def energy(parameters: Any, x: Any) -> Any:
        return np.sum(parameters["w"] @ x) + parameters["b"]

    defvjp(
        energy,
        lambda ans, p, x: lambda g: {"w": g * np.outer(np.ones(3), x), "b": g},
        lambda ans, p, x: lambda g: g * np.sum(p["w"], axis=0),
    )
    start = {"w": MATRIX, "b": 0.3}
    found = grad(energy)(start, VECTOR)
    assert (1.0, MATRIX.shape) == (found["b"], found["w"].shape)
    check_grads(lambda p, x: energy(p, x) ** 2)(start, VECTOR)
    forward = primitive(lambda pair: pair[0] * pair[1])
    defjvp(forward, lambda dot, ans, pair: dot[0] * pair[1] + pair[0] * dot[1])
    check_grads(lambda x: forward((x, x * x)), modes=["fwd"])(1.3)
    with pytest.raises(AdcliError, match="returns another structure than"):
        defvjp(energy, lambda ans, p, x: lambda g: [g], lambda ans, p, x: lambda g: g)
        grad(energy)(start, VECTOR)


def test_what_is_no_primitive_has_no_rules() -> None:
    for register in (defvjp_argnum, defvjp_argnums, defjvp_argnum, defjvp_argnums):
        with pytest.raises(AdcliError, match="is not a primitive"):
            register(np.sin, lambda *_: None)


def test_a_function_that_is_not_traced_sees_plain_values() -> None:
    seen = []

    @notrace_primitive
    def look(x: Any, names: Any) -> int:
        seen.append((type(x), names))
        return 2

    assert 6.0 == grad(lambda x: x**2 * look(x, {"x": x}) / 2)(3.0)
    assert [(float, {"x": 3.0})] == seen


# --- checkpoints ------------------------------------------------------------------------------------------------------


def test_a_checkpoint_keeps_nothing_and_runs_once_more() -> None:
    runs = []

    @checkpoint
    def layer(parameters: Any, x: Any, *, power: Any = 2) -> Any:
        runs.append(type(x).__name__)
        return {"y": np.tanh(parameters[0] @ x + parameters[1]) ** power}

    def loss(parameters: Any, x: Any) -> Any:
        return np.sum(layer(parameters, x)["y"])

    def bare(parameters: Any, x: Any) -> Any:
        return np.sum(np.tanh(parameters[0] @ x + parameters[1]) ** 2)

    at = ((MATRIX, VECTOR), VECTOR)
    assert np.allclose(grad(loss, 1)(*at), grad(bare, 1)(*at), rtol=1e-13)
    assert ["ndarray", "TracedArray"] == runs
    assert np.allclose(hessian(loss, 1)(*at), hessian(bare, 1)(*at))
    check_grads(loss)(*at)


@pytest.mark.parametrize("derivative", [lambda f: grad(f)(2.0), lambda f: jvp(f)(2.0)(1.0), lambda f: hessian(f)(2.0)])
def test_a_checkpoint_refuses_traced_values_that_are_not_its_arguments(derivative: Any) -> None:
    with pytest.raises(AdcliError, match="checkpoint of <lambda> uses a traced value that is not among its arguments"):
        derivative(lambda x: checkpoint(lambda t: t * x)(x))


# --- spaces -----------------------------------------------------------------------------------------------------------


def test_spaces_answer_for_numbers_arrays_and_containers() -> None:
    space = vspace({"a": 1.0, "b": np.zeros((2, 1), complex)})
    assert (5, True) == (space.size, space.iscomplex)
    assert 5 == len(list(space.standard_basis()))
    x, y = space.randn(), space.randn()
    assert vspace(space.add(x, y)) == space == vspace(space.ones()) != vspace(1.0)
    check_grads(space.inner_prod)(x, y)
    check_grads(space.scalar_mul)(x, 0.3)
    assert (2, 3) == vspace(np.zeros((2, 3))).shape
    with pytest.raises(AdcliError, match="has no shape"):
        _ = space.shape
    grad(lambda z: float(vspace(z) == vspace(1.0)) * z)(2.0)


# --- autograd's names -------------------------------------------------------------------------------------------------


def cubes(x: Any) -> Any:
    return np.sum(x**3)


def test_autograds_names_are_those_of_here_in_its_order() -> None:
    pull, value = autograd.make_vjp(np.sin)(0.4)
    assert (np.sin(0.4), pytest.approx(np.cos(0.4))) == (value, pull(1.0))
    assert autograd.make_jvp(np.sin)(0.4)(2.0) == jvp(np.sin)(0.4)(2.0)
    product, gradient = autograd.make_hvp(cubes)(VECTOR)
    assert np.allclose(product(VECTOR), 6 * VECTOR**2) and np.allclose(gradient, 3 * VECTOR**2)
    assert np.allclose(autograd.hessian_vector_product(cubes)(VECTOR, VECTOR), 6 * VECTOR**2)
    curved = jacobian(np.tanh)(VECTOR)
    assert np.allclose(autograd.make_ggnvp(np.tanh)(VECTOR)(VECTOR), curved.T @ curved @ VECTOR)
    assert np.allclose(autograd.vector_jacobian_product(np.tanh)(VECTOR, VECTOR), VECTOR @ curved)
    assert np.allclose(autograd.deriv(np.tanh)(VECTOR), np.diag(curved))
    assert autograd.holomorphic_grad(lambda z: z**3)(1 + 2j) == pytest.approx(3 * (1 + 2j) ** 2)
    assert (6.0, 5.0) == autograd.grad_and_aux(lambda x: (x * x, 5.0))(3.0)
    assert {"x": 4.0, "y": 3.0} == autograd.multigrad_dict(lambda x, y=4.0: x * y)(3.0)
    assert 2.0 == autograd.grad_named(lambda x, y: x * y, "y")(2.0, 3.0)
    assert (tuple, isinstance) == (autograd.tuple, autograd.isinstance)


# --- iterations -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "step"), [(sgd, 0.05), (rmsprop, 0.02), (adam, 0.1)])
def test_gradient_methods_descend_through_containers_and_are_differentiated(method: Any, step: float) -> None:
    told = []

    def loss(p: Any) -> Any:
        return (p["x"] - 1) ** 2 + np.sum((p["y"] + 2) ** 2)

    start = {"x": 3.0, "y": np.zeros(2)}
    end = method(
        lambda p, i: grad(loss)(p), start, callback=lambda p, i, g: told.append(i), num_iters=150, step_size=step
    )
    assert loss(end) < 1e-2 * loss(start) and list(range(150)) == told
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        slope = grad(lambda x: method(lambda p, i: 2 * p, x, num_iters=3, step_size=step))(1.5)
    assert np.isfinite(slope)


def test_a_fixed_point_is_differentiated_as_the_solution_that_it_is() -> None:
    def newton(a: Any) -> Any:
        return lambda x: (x + a / x) / 2

    def root(a: Any) -> Any:
        return fixed_point(newton, a, 1.0, lambda x, y: abs(x - y), 1e-12)

    assert root(2.0) == pytest.approx(np.sqrt(2.0))
    assert grad(root)(2.0) == pytest.approx(0.5 / np.sqrt(2.0))
    assert jvp(root)(2.0)(1.0)[1] == pytest.approx(0.5 / np.sqrt(2.0))
    assert grad(grad(root))(2.0) == pytest.approx(-0.25 * 2**-1.5)
    assert vjp(root)(2.0)[0] == root(2.0)
