"""Derivatives of functions of Python by `adcli.python` and by others, each function as one writes it for each of them.

With OMP_NUM_THREADS=1 and XLA_FLAGS=--xla_cpu_multi_thread_eigen=false all of them work in one thread; else the
processor time of threads that wait for work counts too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import adcli.python

from .timing import in_turn

# Of a module like NumPy, what is differentiated (an array, a number or a list of arrays), and data.
Function = Callable[..., Any]
Work = Callable[[], Any]
_SOURCE = np.random.RandomState(0)


def scalar_loop(m: Any, x: Any) -> Any:
    y = 1.0
    for _ in range(200):
        y = y * x * 0.999 + x / 3
    return y


def sines(m: Any, x: Any) -> Any:
    for _ in range(50):
        x = m.sin(x)
    return x


def neighbours(m: Any, x: Any) -> Any:
    return sum(x[k] * x[k + 1] for k in range(len(x) - 1))


def elementwise(m: Any, x: Any) -> Any:
    return m.sum(m.sin(x) * m.exp(-x * x) + x / (1 + x**2))


def hyperbolic(m: Any, x: Any) -> Any:
    for _ in range(20):
        x = m.tanh(x)
    return m.sum(x)


def product(m: Any, matrices: Any) -> Any:
    return m.sum(matrices[0] @ matrices[1])


def layers(m: Any, weights: Any, x: Any, wanted: Any) -> Any:
    for k in range(0, len(weights) - 2, 2):
        x = m.tanh(x @ weights[k] + weights[k + 1])
    return m.sum((x @ weights[-2] + weights[-1] - wanted) ** 2)


def recurrent(m: Any, weights: Any, xs: Any, wanted: Any) -> Any:
    inwards, across, shift = weights
    h = 0.0 * wanted
    for x in xs:
        h = m.tanh(x @ inwards + h @ across + shift)
    return m.sum((h - wanted) ** 2)


def valley(m: Any, x: Any) -> Any:
    return m.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


class Case(NamedTuple):
    """A function with the point and the data; how often it is called for one time; gradient or Hessian."""

    function: Function
    at: Any
    data: Sequence[Any] = ()
    times: int = 20
    derivative: str = "grad"


def _random(*shapes: tuple[int, ...]) -> list[Any]:
    return [0.3 * _SOURCE.randn(*shape) for shape in shapes]


CASES = {
    "a loop of 800 operations on numbers": Case(scalar_loop, 0.7),
    "50 sines of a number": Case(sines, 2.0),
    "9 products of elements": Case(neighbours, _random((10,))[0]),
    "an expression of 3 elements": Case(elementwise, _random((3,))[0]),
    "an expression of 10 elements": Case(elementwise, _random((10,))[0]),
    "20 times tanh of 5 elements": Case(hyperbolic, _random((5,))[0]),
    "a product of matrices 3 x 3": Case(product, _random((3, 3), (3, 3))),
    "a product of matrices 100 x 100": Case(product, _random((100, 100), (100, 100))),
    "4 layers of 32, batch of 16": Case(layers, _random(*[(32, 32), (32,)] * 4), _random((16, 32), (16, 32))),
    "20 steps of a recurrent net of 32": Case(
        recurrent, _random((8, 32), (32, 32), (32,)), _random((20, 16, 8), (16, 32))
    ),
    "Hessian of 50 inputs": Case(valley, _random((50,))[0], times=5, derivative="hessian"),
}


def _adcli(case: Case) -> Work:
    derivative = getattr(adcli.python, case.derivative)(partial(case.function, np))
    return lambda: derivative(case.at, *case.data)


def _autograd(case: Case) -> Work:
    import autograd
    import autograd.numpy

    derivative = getattr(autograd, case.derivative)(partial(case.function, autograd.numpy))
    return lambda: derivative(case.at, *case.data)


def _jax(case: Case, jitted: bool = False) -> Work:
    import jax

    jax.config.update("jax_enable_x64", True)
    derivative = getattr(jax, case.derivative)(partial(case.function, jax.numpy))
    derivative = jax.jit(derivative) if jitted else derivative
    at, data = jax.tree.map(jax.numpy.asarray, (case.at, tuple(case.data)))
    return lambda: jax.block_until_ready(derivative(at, *data))


def _torch(case: Case) -> Work:
    import torch

    several = isinstance(case.at, list)
    at = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (case.at if several else [case.at])]
    data = [torch.tensor(x) for x in case.data]
    if case.derivative == "hessian":
        derivative = torch.func.hessian(partial(case.function, torch))
        return lambda: derivative(at[0].detach())
    return lambda: torch.autograd.grad(case.function(torch, at if several else at[0], *data), at)


_RIVALS: dict[str, Callable[[Case], Work]] = {
    "autograd": _autograd, "torch": _torch, "jax": _jax, "jax, compiled before": partial(_jax, jitted=True),
}  # fmt: skip


def _numbers(found: Any) -> Any:
    parts = found if isinstance(found, (list, tuple)) else [found]
    return np.concatenate([np.ravel(np.asarray(part)) for part in parts])


def _again(work: Work, times: int) -> Work:
    return lambda: [work() for _ in range(times)]


def python_functions(rounds: int = 9) -> Iterator[tuple[str, float, str]]:
    """Gradients and a Hessian, beside those of the rivals that are installed, where these are the same numbers."""
    for name, case in CASES.items():
        programs = {"adcli": _adcli(case)}
        wanted = _numbers(programs["adcli"]())
        for rival, of in _RIVALS.items():
            try:
                programs[rival] = of(case)
            except ImportError:
                continue
            np.testing.assert_allclose(_numbers(programs[rival]()), wanted, rtol=1e-9, atol=1e-12)
        taken = in_turn({name: _again(work, case.times) for name, work in programs.items()}, rounds)
        yield f"Python, {name}", 1e6 * taken["adcli"] / case.times, "µs"
        for rival in programs:
            if rival != "adcli":
                yield f"Python, {name}: times the speed of {rival}", taken[rival] / taken["adcli"], "x"
