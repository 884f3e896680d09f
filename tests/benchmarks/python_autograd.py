"""Time of gradients of Python functions beside HIPS/autograd, on its own benchmarks' shapes, in turn in one run.

pip install autograd && OMP_NUM_THREADS=1 python tests/benchmarks/python_autograd.py
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import autograd
import autograd.numpy as anp
import numpy as np

import adcli.python

Work = Callable[[], Any]
_SOURCE = np.random.RandomState(0)
_BUDGET = 0.3  # seconds for one program at a time


def best(work: Work) -> float:
    """The shortest time of one call."""
    work()
    found, start = float("inf"), time.perf_counter()
    while time.perf_counter() - start < _BUDGET:
        before = time.perf_counter()
        work()
        found = min(found, time.perf_counter() - before)
    return found


def duel(name: str, theirs: Work, ours: Work) -> None:
    """Prints the times of both, run in turn three times, and their ratio."""
    rounds = [(best(theirs), best(ours)) for _ in range(3)]
    other, mine = (min(times) * 1e6 for times in zip(*rounds, strict=True))
    print(
        f"{name:28s} autograd {other:10.1f} µs   adcli {mine:10.1f} µs   {other / mine:6.2f} times as fast", flush=True
    )


def by_grad(name: str, make: Callable[[Any], Callable[..., Any]], *at: Any) -> None:
    """A duel of gradients of a function that is made of one module or the other."""
    duel(name, lambda: autograd.grad(make(anp))(*at), lambda: adcli.python.grad(make(np))(*at))


def sines(m: Any) -> Callable[..., Any]:
    def f(x: Any) -> Any:
        for _ in range(50):
            x = m.sin(x)
        return x

    return f


def fan_out_fan_in(m: Any) -> Callable[..., Any]:
    def f(x: Any) -> Any:
        for _ in range(10**4):
            x = (x + x) / 2.0
        return m.sum(x)

    return f


def scalar_loop(m: Any) -> Callable[..., Any]:
    def f(x: Any) -> Any:
        y = 1.0
        for _ in range(1000):
            y = y * x * 0.999 + x / 3
        return y

    return f


def neighbours(m: Any) -> Callable[..., Any]:
    return lambda x: sum(x[k] * x[k + 1] for k in range(len(x) - 1))


def elementwise(m: Any) -> Callable[..., Any]:
    return lambda x: m.sum(m.sin(x) * m.exp(-x * x) + m.tanh(x) / (1 + x**2))


def logistic(m: Any) -> Callable[..., Any]:
    inputs, labels = _SOURCE.randn(1000, 20), _SOURCE.randn(1000)
    return lambda w: m.sum(m.log(1 + m.exp(-(inputs @ w) * labels)))


def recurrent(m: Any) -> Callable[..., Any]:
    def f(params: Any, x: Any, labels: Any) -> Any:
        weights, bias, out, shift = params
        for _ in range(50):
            x = m.tanh(m.dot(x, weights) + bias)
        logit = m.dot(x, out) + shift
        return -m.sum(labels * logit - (logit + m.log(1 + m.exp(-logit))))

    return f


def products() -> None:
    """The adjoints of dot and tensordot, and the adjoints of these."""
    a, b, g = _SOURCE.randn(2, 3, 4, 5), _SOURCE.randn(2, 3, 5, 4), _SOURCE.randn(2, 3, 4, 2, 3, 4)

    def theirs(x: Any, y: Any, z: Any, k: int = 0) -> Any:
        return autograd.make_vjp(anp.dot, argnum=k)(x, y)[0](z)

    def ours(x: Any, y: Any, z: Any, k: int = 0) -> Any:
        return adcli.python.vjp(np.dot, k)(x, y)[1](z)

    for k in (0, 1):
        duel(f"adjoint of dot, {k}", lambda k=k: theirs(a, b, g, k), lambda k=k: ours(a, b, g, k))
    for k in (0, 1, 2):
        duel(
            f"adjoint of that, {k}",
            lambda k=k: autograd.make_vjp(theirs, argnum=k)(a, b, g)[0](a),
            lambda k=k: adcli.python.vjp(ours, k)(a, b, g)[1](a),
        )


def main() -> None:
    """Prints a line for each duel."""
    warnings.simplefilter("ignore")
    by_grad("50 sines", sines, 2.0)
    duel(
        "50 sines of adcli", lambda: autograd.grad(sines(anp))(2.0), lambda: adcli.python.grad(sines(adcli.python))(2.0)
    )
    by_grad("fan out, fan in", fan_out_fan_in, 2.0)
    by_grad("scalar loop", scalar_loop, 1.0)
    by_grad("300 elements", neighbours, _SOURCE.randn(300))
    by_grad("elementwise, 10", elementwise, _SOURCE.randn(10))
    by_grad("elementwise, 100,000", elementwise, _SOURCE.randn(10**5))
    by_grad("logistic, 1000 x 20", logistic, _SOURCE.randn(20))
    for size, kind in ((64, "float64"), (1024, "float32")):
        params = tuple((0.01 * _SOURCE.randn(*s)).astype(kind) for s in ((size, size), (size,), (size, 1), (1,)))
        x = 0.01 * _SOURCE.randn(16, size).astype(kind)
        by_grad(f"recurrent, {size}", recurrent, params, x, (_SOURCE.rand(16, 1) > 0.5).astype(kind))
    products()


if __name__ == "__main__":
    main()
