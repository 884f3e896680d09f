"""What Python code can do wrong with derivatives, with the kind and the title of what it is told."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import adcli
from adcli import Node
from adcli.extras import Later
from adcli.graph import recording
from adcli.python import (
    check_grads,
    cosd,
    defjvp,
    defvjp,
    erf,
    flatten,
    gamma,
    grad,
    jvp,
    log,
    primitive,
    relu,
    sin,
    vjp,
)
from adcli.python.extend import checkpoint, def_linear, vspace
from adcli.python.scipy import integrate, signal, stats
from adcli.trace.trace_model import Request


@primitive
def tripled(x: Any) -> Any:
    return 3 * x


def_linear(tripled)


@primitive
def bare(x: Any, y: Any = 0.0) -> Any:
    return x + y


@primitive
def wrong(x: Any) -> Any:
    return x * x


defvjp(wrong, lambda ans, x: lambda g: g * x)


@primitive
def wrong_shape(x: Any) -> Any:
    return x[0] * x[1]


defvjp(wrong_shape, lambda ans, x: lambda g: [g])


@primitive
def doubled(x: Any) -> Any:
    return 2 * x


doubled = np.frompyfunc(doubled, 1, 1)

VECTOR = np.ones(3)
KEPT: list[Any] = []


def _kept(transform: Callable[[], Any], use: Callable[[], Any]) -> Callable[[], Any]:
    def call() -> Any:
        KEPT.clear()
        transform()
        return use()

    return call


def _in_a_circle() -> Any:
    circle: list[Any] = []
    circle.append(circle)
    return flatten(circle)


def _changed(x: Any) -> Any:
    x[0] = 1.0
    return x


def _shared(x: Any) -> Any:
    y = x * 1.0
    z = y[::2]
    z *= 3.0
    return y.sum() + z.sum()


def _rewritten(x: Any) -> Any:
    weights = np.ones(50000)
    y = (np.broadcast_to(x.sum(), (50000,)) * weights).sum()
    weights[0] = 2.0
    return y


def _endless() -> Any:
    before = recording._LARGEST
    recording._LARGEST = 100
    try:
        return adcli.trace(lambda x: sum(x for _ in range(10**6)), {"x": 1.0})
    finally:
        recording._LARGEST = before


def _row(**cells: Any) -> Callable[[], Any]:
    return lambda: adcli.declare("brand_new", **cells)


def _jax(function: Callable[[Any, Any], Any], x: object = 2.0) -> Callable[[], Any]:
    """The trace of a function of JAX and a number."""

    def asked() -> Any:
        jax = pytest.importorskip("jax")
        return adcli.trace(lambda x: function(jax, x), {"x": x})

    return asked


def _tripled(jax: Any, x: Any) -> Any:
    """A function that is called relu and has another derivative."""

    def relu(x: Any) -> Any:
        return jax.numpy.maximum(x, 0.0)

    found = jax.custom_jvp(relu)
    found.defjvp(lambda p, t: (relu(*p), 3.0 * t[0]))
    return found(x)


def _own_way_back(jax: Any, x: Any) -> Any:
    square = jax.custom_vjp(lambda x: x * x)
    square.defvjp(lambda x: (x * x, x), lambda x, g: (x * g,))
    return square(x) + jax.numpy.sin(x)


CALLS: list[tuple[Callable[[], Any], str, str]] = [
    (lambda: grad(lambda x: float(x))(1.0), "TracingProblem", "a plain number would lose its derivative"),
    (lambda: grad(lambda x: range(x))(1.0), "TracingProblem", "a traced value cannot be an index or a count"),
    (lambda: grad(_changed)(VECTOR), "TracingProblem", "a traced value cannot be changed in place"),
    (
        lambda: grad(_shared)(VECTOR), "TracingProblem",
        "this array shares memory with another one and cannot be changed in place",
    ),
    (
        lambda: grad(_rewritten)(VECTOR), "TracingProblem",
        "an array is changed in place after a result was computed from it",
    ),
    (
        lambda: grad(lambda x: x if x > 0 else 2 * x, kinks="error")(0.0), "DomainProblem",
        "0.0 > 0 compares two equal numbers",
    ),
    (
        lambda: adcli.trace(lambda x: x if x > 0 else 2 * x, {"x": 0.0}, request=Request(kinks="error")),
        "DomainProblem", "a condition compares two equal numbers",
    ),
    (lambda: grad(lambda x: x.item())(VECTOR), "TracingProblem", "item() needs an array of one number"),
    (
        _kept(lambda: grad(lambda x: KEPT.append(x) or x)(1.0), lambda: grad(lambda x: x * KEPT[0])(1.0)),
        "TracingProblem", "a traced value is used after its differentiation has ended",
    ),
    (
        _kept(lambda: adcli.trace(lambda x: KEPT.append(x) or x, {"x": 1}),
              lambda: adcli.trace(lambda x: x * KEPT[0], {"x": 1})),
        "TracingProblem", "a recorded value comes from another call",
    ),
    (
        _kept(lambda: adcli.trace(lambda x: KEPT.append(x * 2) or KEPT[0], {"x": 3.0}),
              lambda: adcli.trace(lambda x: KEPT[0], {"x": 5.0})),
        "TracingProblem", "a recorded value comes from another call",
    ),
    (lambda: grad(lambda x: x * x)(VECTOR), "TracingProblem",
     "only functions that return one number have a gradient"),
    (lambda: grad(lambda x: x * 1j)(1.0), "TracingProblem", "only real functions have a gradient"),
    (lambda: grad(sin, ())(1.0), "TracingProblem", "no argument is selected"),
    (lambda: grad(sin, 1.5)(1.0), "TracingProblem", "argnum 1.5 does not select an argument"),
    (lambda: grad(sin, 3)(1.0), "TracingProblem", "the function sin was called without argument 3"),
    (lambda: vjp(lambda x: (x, x))(1.0)[1](1.0), "TracingProblem",
     "the adjoint has another number of parts than the result: 1 instead of 2"),
    (lambda: jvp(sin)(1.0)((1.0, 2.0)), "TracingProblem",
     "the direction has another number of parts than the argument: 2 instead of 1"),
    (lambda: vjp(lambda x: x * x)(VECTOR)[1](np.ones(2)), "TracingProblem",
     "the shape of an adjoint or a direction differs from that of its value"),
    (_in_a_circle, "TracingProblem", "a container contains itself"),
    (lambda: sin("text"), "TracingProblem", "the function sin takes only numbers and arrays"),
    (lambda: relu(1j), "TracingProblem", "the function relu takes only real numbers"),
    (lambda: log(0j), "DomainProblem", "the function log has no value here"),
    (lambda: sin(1.0, 2.0), "ArityProblem", "sin takes 1 argument, got 2"),
    (lambda: grad(bare)(1.0), "MissingRule", "the function bare has no rule for its derivative"),
    (lambda: grad(tripled)(1.0), "MissingRule", "the only rule of the function tripled calls the function itself"),
    (lambda: grad(lambda x: wrong_shape([x, x]))(1.0), "TracingProblem",
     "a rule of the function wrong_shape returns another structure than that of the argument"),
    (lambda: grad(lambda x: checkpoint(lambda t: t * x)(x))(1.0), "TracingProblem",
     "checkpoint of <lambda> uses a traced value that is not among its arguments"),
    (lambda: vspace([1.0]).shape, "TracingProblem", "a container has no shape; only its parts have one"),
    (lambda: grad(import_module("scipy.stats").norm.pdf)(0.3), "Unsupported",
     "scipy.stats.norm.pdf does not accept traced values"),
    (lambda: grad(lambda x: doubled(x))(VECTOR), "Unsupported",
     "adcli cannot differentiate doubled (vectorized), which is not a function of NumPy or SciPy"),
    (lambda: grad(lambda k: stats.poisson.pmf(k, 1.0))(3.0), "TracingProblem",
     "scipy.stats.poisson.pmf is discrete: it has no derivative with respect to the number"),
    (lambda: grad(lambda k: integrate.odeint(lambda y, t: -k * y, 1.0, [0.0, 1.0])[-1, 0])(0.3), "TracingProblem",
     "scipy.integrate.odeint: the function uses a traced value that is not one of its arguments"),
    (lambda: signal.convolve(VECTOR, VECTOR, axes=([0], [])), "RequestError",
     "a convolution needs two arrays with the same number of axes"),
    (lambda: signal.convolve(VECTOR, VECTOR, "round", axes=([0], [0])), "RequestError",
     "there is no mode called 'round'"),
    (lambda: signal.convolve(np.ones((2, 3)), np.ones((3, 2)), "valid", axes=([0, 1], [0, 1])), "RequestError",
     'with mode="valid" one array must be at least as long as the other along every axis'),
    (lambda: grad(lambda x: bare(1.0, y=x))(1.0), "TracingProblem",
     "the function bare got the traced argument y by keyword"),
    (lambda: defvjp(abs, None), "TracingProblem", "<built-in function abs> is not a primitive"),
    (lambda: defvjp(bare, None, argnums=(0, 1)), "TracingProblem",
     "the numbers of rules and of arguments differ: 1 and 2"),
    (lambda: defjvp(bare, "other"), "TracingProblem", "'other' is not a rule"),
    (lambda: check_grads(wrong)(3.0), "WrongDerivative", "derivative (JVP) check of wrong failed"),
    (lambda: check_grads(sin, modes=["up"]), "RequestError", "there is no mode called up"),
    (lambda: grad(lambda x: np.nextafter(x, 2.0))(VECTOR), "Unsupported",
     "adcli cannot differentiate numpy.nextafter"),
    (lambda: grad(lambda x: np.sum(x))(np.ones((2, 2)).view(np.matrix)), "Unsupported",
     "numpy.matrix cannot be differentiated, because its operators differ from those of arrays"),
    (lambda: grad(lambda x: np.array([[x, x]]).view(np.matrix))(1.0), "Unsupported",
     "numpy.matrix cannot be differentiated, because its operators differ from those of arrays"),
    (lambda: grad(lambda x: np.sum(x))(np.ma.array([1.0, 2.0], mask=[True, False])), "Unsupported",
     "numpy.ma.MaskedArray cannot be differentiated, because its operators differ from those of arrays"),
    (lambda: grad(lambda x: np.sum(np.linalg.pinv(x, rcond=1e-9, rtol=1e-9)))(np.eye(2)), "Unsupported",
     "adcli cannot differentiate numpy.linalg.pinv with both rcond= and rtol="),
    (lambda: grad(lambda x: x.view(np.int64))(VECTOR), "Unsupported",
     "adcli cannot differentiate numpy.ndarray.view"),
    (lambda: grad(lambda x: x.fill(2.0))(VECTOR), "TracingProblem", "a traced value cannot be changed in place"),
    (lambda: grad(lambda x: np.sin(np.array([x, 1.0]))[0])(0.5), "TracingProblem",
     "NumPy received traced numbers in an array of objects"),
    (lambda: grad(lambda x: np.linalg.det([[x, 1.0], [2.0, x]]))(0.5), "TracingProblem",
     "NumPy received traced numbers in an array of objects"),
    (lambda: grad(lambda x: np.arctan2(np.array([x, 1.0]), 1.0)[0])(0.5), "TracingProblem",
     "NumPy received traced numbers in an array of objects"),
    (lambda: erf(1j), "TracingProblem", "the function erf takes only real numbers"),
    (lambda: grad(lambda x: sin(gamma(x * 1j)).real)(0.5), "TracingProblem",
     "the function gamma takes only real numbers"),
    (lambda: grad(lambda x: abs(cosd(x * 1j)))(0.5), "TracingProblem", "the function cosd takes only real numbers"),
    (lambda: grad(lambda x: np.sum(np.add(x, x, out=np.zeros(3))))(VECTOR), "Unsupported",
     "adcli cannot differentiate numpy.add with out="),
    (lambda: Later("no_such_package", "extra").sin, "RequestError",
     "this needs no_such_package, which is not installed"),
    (lambda: adcli.trace(lambda x: x.max(), {"x": 1.0}), "ArityProblem", "max takes 2 or more arguments, got 1"),
    (lambda: adcli.trace(3, {"x": 1.0}), "RequestError", "3 is not a Python function"),
    (lambda: adcli.trace(lambda x: x[0], {"x": ["a"]}), "RequestError",
     "the input x is neither a number nor an array of numbers"),
    (lambda: adcli.trace(lambda x: x[0], {"x": np.ones(65)}), "RequestError",
     "a trace takes at most 64 input numbers"),
    (_endless, "RequestError", "the function takes more than 100 operations"),
    (_row(), "RequestError", "the function brand_new has no value"),
    (_row(value=abs, partials=(), colour=1), "RequestError", "the function brand_new cannot be declared"),
    (lambda: adcli.declare("no name"), "RequestError", "'no name' cannot be the name of a function"),
    (lambda: adcli.log(Node(-1.0)), "DomainProblem", "log needs a positive argument"),
    (_jax(lambda jax, x: jax.numpy.cumsum(jax.numpy.stack([x, x]))), "RequestError",
     "a trace does not support cumsum of JAX"),
    (_jax(lambda jax, x: jax.numpy.round(x)), "RequestError", "a trace does not support round of JAX"),
    (_jax(lambda jax, x: jax.numpy.real(jax.numpy.exp(1j * x))), "RequestError",
     "a trace does not support complex of JAX"),
    (_jax(_tripled), "RequestError", "relu has its own derivative in JAX, for which the table has no row"),
    (_jax(_own_way_back), "RequestError", "<lambda> has its own derivative in JAX, for which the table has no row"),
    (_jax(lambda jax, x: x if jax.numpy.sin(x) > 0 else -x), "RequestError",
     "JAX cannot trace the function without knowing its numbers"),
    (_jax(lambda jax, x: jax.numpy.sin(x) * jax.numpy.array(jax.numpy.inf)), "RequestError",
     "the function computes with a number that is not finite"),
    (_jax(lambda jax, x: jax.numpy.sum(x), [[1.0], [1.0, 2.0]]), "RequestError",
     "the input x is neither a number nor an array of numbers"),
    (_jax(lambda jax, x: jax.numpy.sum(x), np.ones(65)), "RequestError",
     "a trace takes at most 64 input numbers"),
    (_jax(lambda jax, x: jax.numpy.sum(x + jax.numpy.zeros(30_000))), "RequestError",
     "the function takes more than 20000 operations on numbers"),
    (_jax(lambda jax, x: jax.lax.while_loop(lambda y: y < 9, lambda y: y, x)), "RequestError",
     "the function takes more than 20000 operations on numbers"),
    (_jax(lambda jax, x: (), [1.0]), "RequestError", "the function returns nothing"),
]  # fmt: skip
