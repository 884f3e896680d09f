"""Value and gradient at a million points: adcli's engines and other programs, on the same points in one run."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import adcli

from .timing import in_turn
from .two_expressions import LARGE, SMALL, large, small

Arrays = dict[str, Any]
Program = Callable[[], object]
_BY_HAND = "NumPy written by hand, whole arrays"


def small_by_hand(n: Any, x1: Any, x2: Any) -> list[Any]:
    """Value and partials of the first expression over whole arrays, as one writes them."""
    return [n.log(x1) + x1 * x2 - n.sin(x2), 1 / x1 + x2, x1 - n.cos(x2)]


def large_by_hand(n: Any, x1: Any, x2: Any, x3: Any, x4: Any, x5: Any) -> list[Any]:
    """Value and partials of the second expression over whole arrays: a reverse sweep, written with care."""
    u, z, g, m = x1 * x2 + x3, x2 * x3, x1 - x2, 1 + x3 * x3
    a, b, f = n.sin(u), n.exp(-x4 * x4), 1 + x5 * x5
    c, r, d, w = n.log(f), n.sqrt(x1 * x1 + x2 * x2 + 1), n.tanh(x1 - x5), n.cos(z)
    h = g * g / m
    q, p = n.exp(-h), x4 * x5
    s = n.arctan(p)
    e, k, j, t, o = n.exp(x5 / 3), n.cos(x4), 1 + q * q, r + c, n.sqrt(1 + d * d)
    v, l, s2 = a + d, n.log(t), s * s  # noqa: E741
    y = a * b + c * r + x3 * x4 / f + d * w + s * q + x1 * e * k - r * w * b + v * v / j + l * s2 * s - o * x2
    lt, vj = s2 * s / t, 2 * v / j
    du = (b + vj) * n.cos(u)
    db = (a - r * w) * b
    df = (r + lt) / f - x3 * x4 / (f * f)
    dr = (c - w * b + lt) / r
    dd = (w + vj - x2 * d / o) * (1 - d * d)
    dz = (r * b - d) * n.sin(z)
    dh = -(s - vj * v / j * q) * q / m
    dg, dp = 2 * dh * g, (q + 3 * l * s2) / (1 + p * p)
    ek = e * k
    return [
        y,
        du * x2 + dr * x1 + dd + dg + ek,
        du * x1 + dr * x2 + dz * x3 - dg - o,
        du + dz * x2 + x4 / f - 2 * dh * h * x3,
        dp * x5 - 2 * x4 * db + x3 / f - x1 * e * n.sin(x4),
        2 * df * x5 - dd + dp * x4 + x1 * ek / 3,
    ]


def _ours(expression: adcli.Expression, points: Arrays) -> dict[str, Program]:
    """The engines that are installed."""
    found: dict[str, Program] = {}
    for engine in ("numpy", "native"):
        try:
            found[f"engine {engine}"] = partial(expression.kernel(engine), **points)
        except adcli.AdcliError:
            continue
    return found


def _rivals(function: Callable[..., Any], by_hand: Callable[..., Any], points: Arrays) -> dict[str, Program]:
    """Programs that give value and gradient, of what is installed."""
    import numpy as np

    found: dict[str, Program] = {_BY_HAND: lambda: by_hand(np, **points)}
    for name, rival in (
        ("sympy's lambdify with cse", _sympy),
        ("autograd", _autograd),
        ("jax", _jax),
        ("heyoka", _heyoka),
    ):
        try:
            found[name] = rival(function, points)
        except ImportError:
            continue
    return found


def _sympy(function: Callable[..., Any], points: Arrays) -> Program:
    import sympy

    symbols = [sympy.Symbol(name) for name in points]

    class Functions:
        log, sin, cos, exp, sqrt, tanh, arctan = (
            sympy.log, sympy.sin, sympy.cos, sympy.exp, sympy.sqrt, sympy.tanh, sympy.atan,
        )  # fmt: skip

    value = function(Functions, *symbols)
    compiled = sympy.lambdify(symbols, [value, *(value.diff(symbol) for symbol in symbols)], "numpy", cse=True)
    return lambda: compiled(*points.values())


def _autograd(function: Callable[..., Any], points: Arrays) -> Program:
    import autograd.numpy
    from autograd import make_vjp

    def program() -> object:
        pull, value = make_vjp(lambda inputs: function(autograd.numpy, *inputs))(tuple(points.values()))
        return value, pull(autograd.numpy.ones_like(value))

    return program


def _jax(function: Callable[..., Any], points: Arrays) -> Program:
    import jax

    jax.config.update("jax_enable_x64", val=True)
    each = jax.value_and_grad(lambda *inputs: function(jax.numpy, *inputs), tuple(range(len(points))))
    compiled = jax.jit(jax.vmap(each))
    return lambda: jax.block_until_ready(compiled(*points.values()))


def _heyoka(function: Callable[..., Any], points: Arrays) -> Program:
    """As its users compile it: vectors of doubles, with everything reordered that may be."""
    import heyoka
    import numpy as np

    class Functions:
        log, sin, cos, exp, sqrt, tanh, arctan = (
            heyoka.log, heyoka.sin, heyoka.cos, heyoka.exp, heyoka.sqrt, heyoka.tanh, heyoka.atan,
        )  # fmt: skip

    variables = heyoka.make_vars(*points)
    value = function(Functions, *variables)
    slopes = heyoka.diff_tensors([value], diff_args=variables, diff_order=1).gradient
    compiled = heyoka.cfunc([value, *slopes], vars=variables, fast_math=True)
    together = np.array(list(points.values()))
    return lambda: compiled(together)


def many_points(count: int = 10**6, rounds: int = 7) -> Iterator[tuple[str, float, str]]:
    """Million points a second, by processor time; then how many times faster than the others."""
    import numpy as np

    draw = np.random.default_rng(0)
    for what, function, by_hand, text in (
        ("5 operations, 2 inputs", small, small_by_hand, SMALL),
        ("64 operations, 5 inputs", large, large_by_hand, LARGE),
    ):
        expression = adcli.parse(text)
        points = {name: draw.uniform(0.5, 2.5, count) for name in expression.inputs}
        programs = {**_ours(expression, points), **_rivals(function, by_hand, points)}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for program in programs.values():
                program()
            taken = in_turn(programs, rounds)
        for name, seconds in taken.items():
            yield f"many points, {what}: {name}", count / seconds / 1e6, "million points a second"
        for engine in ("numpy", "native"):
            for name, seconds in taken.items():
                if f"engine {engine}" in taken and name in (_BY_HAND, "jax", "heyoka"):
                    ratio = seconds / taken[f"engine {engine}"]
                    yield f"many points, {what}: engine {engine}, times faster than {name}", ratio, "x"
