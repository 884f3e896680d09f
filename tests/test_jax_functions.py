"""Traces of functions that use JAX: what JAX writes down of them, with the numbers of JAX's own derivatives."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
from running import PACKAGE, run

import adcli
from adcli.adapters.jax_program import record_jax
from adcli.errors import AdcliError, DomainProblem, RequestError
from adcli.graph.recording import Recording

jax = pytest.importorskip("jax")
jnp, lax, np = jax.numpy, jax.lax, pytest.importorskip("numpy")


@pytest.fixture(autouse=True)
def in_doubles() -> Iterator[None]:
    """JAX's own numbers are doubles while they are held against ours."""
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def network(x: Any, w: Any, b: Any, v: Any) -> Any:
    hidden = jnp.tanh(w @ x + b)
    return jax.nn.sigmoid(v @ jax.nn.relu(hidden))


NUMBERS = {
    "x": np.array([0.5, -1.0]),
    "w": np.array([[0.3, -0.8], [0.9, 0.4], [-0.2, 0.7]]),
    "b": np.array([0.1, 0.2, -0.3]),
    "v": np.array([1.5, -0.7, 0.4]),
}


def test_a_small_network_has_the_gradients_that_jax_has() -> None:
    trace = adcli.trace(network, NUMBERS)
    assert "network(x, w, b, v)" == trace.expression
    value, gradients = jax.value_and_grad(network, argnums=(0, 1, 2, 3))(*NUMBERS.values())
    (y,) = trace.outputs
    assert float(value) == pytest.approx(y.value, rel=1e-12)
    expected = {
        f"{name}[{','.join(map(str, place))}]": float(slope)
        for name, gradient in zip(NUMBERS, gradients, strict=True)
        for place, slope in np.ndenumerate(np.asarray(gradient))
    }
    assert expected == pytest.approx(y.gradient, rel=1e-12)
    assert list(expected) == list(trace.at)
    operators = [row.operator for row in trace.rows]
    assert (3, 3, 1) == tuple(operators.count(name) for name in ("tanh", "relu", "sigmoid"))
    assert trace.lines is not None
    lines = {trace.lines[row.slot][1] for row in trace.rows if row.operator in ("tanh", "sigmoid")}
    assert lines == {"hidden = jnp.tanh(w @ x + b)", "return jax.nn.sigmoid(v @ jax.nn.relu(hidden))"}


def _many(x: Any) -> Any:
    return (
        jnp.exp2(x) + jnp.log2(x) + jnp.log10(x) + jnp.expm1(x) * jnp.log1p(x) - jnp.sqrt(x) + lax.rsqrt(x)
        + jnp.cbrt(x) + jnp.square(x) + x**-3 + x**1.5 + jnp.hypot(x, 2.0) + jnp.arctan2(x, 2.0) + jnp.arcsinh(x)
        - jnp.abs(-x) + jax.scipy.special.gammaln(x) + jax.scipy.special.erfc(x) + jnp.sign(x) + jnp.floor(x)
        + jnp.clip(x, 0.0, 0.5)
    )  # fmt: skip


def _moved(x: Any) -> Any:
    a = jnp.stack([x, 2.0 * x, jnp.sin(x), 1.0 / x]).reshape(2, 2)
    b = jnp.concatenate([a.T, a[::-1], jnp.pad(a, 1)[1:3, 1:3]])
    return (b @ a).sum() + a[jnp.array([1, 0]), 0].prod() + jnp.max(b) * jnp.min(b) + b[jnp.argmax(x), 1]


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "many": _many, "moved": _moved, "relu": jax.nn.relu, "softplus": jax.nn.softplus, "gelu": jax.nn.gelu,
    "elu": jax.nn.elu, "silu": jax.nn.silu, "mish": jax.nn.mish, "normal": jax.scipy.stats.norm.logpdf,
    "softmax": lambda x: jax.nn.softmax(jnp.stack([x, x * x]))[0], "jitted": jax.jit(lambda x: 0.1 * x),
    "gradient": jax.grad(jax.grad(jnp.tanh)),
    "branch": lambda x: jnp.where(x > 0, jnp.log(jnp.abs(x)), jnp.sqrt(jnp.abs(x))),
    "loop": lambda x: lax.fori_loop(0, 3, lambda _, y: y * x + 1.0, x),
    "scan": lambda x: lax.scan(lambda c, t: (c * x, c + t), 1.0, jnp.arange(3.0), reverse=True)[1].sum(),
    "cond": lambda x: lax.cond(x < 1.0, jnp.sin, jnp.cos, x), "stopped": lambda x: x * lax.stop_gradient(x),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_slopes_are_those_of_jax(name: str) -> None:
    f, x = FUNCTIONS[name], 0.7
    (y,) = adcli.trace(f, {_parameter(f): x}).outputs
    value, slope = jax.jit(jax.value_and_grad(f))(x)
    assert y.gradient is not None
    assert (float(value), float(slope)) == pytest.approx((y.value, *y.gradient.values()), rel=1e-12, abs=1e-14)


def _parameter(f: Callable[..., Any]) -> str:
    return next(iter(inspect.signature(f).parameters))


@pytest.mark.parametrize("f", [jax.nn.relu, jax.nn.softplus, lambda x: jnp.where(x > 0, x, 0.0)])
def test_at_corners_the_slope_is_that_of_jax(f: Callable[[Any], Any]) -> None:
    (y,) = adcli.trace(f, {"x": 0.0}).outputs
    assert y.gradient == {"x": float(jax.grad(f)(0.0))}


def test_while_loops_run_as_they_ran_and_what_is_not_chosen_is_not_there() -> None:
    trace = adcli.trace(lambda x: lax.while_loop(lambda y: y < 20.0, lambda y: y * x, x), {"x": 2.0})
    assert ({"x": 80.0}, 32.0) == (trace.outputs[0].gradient, trace.outputs[0].value)
    trace = adcli.trace(lambda x: jnp.where(x > 0, x, jnp.log(x)), {"x": 2.0})
    assert ["input"] == [row.operator for row in trace.rows]


def test_results_have_the_names_of_what_holds_them() -> None:
    def f(x: Any, n: int) -> Any:
        return {"a": jnp.sin(x) * n, "b": jnp.stack([x, 2 * x])}

    assert ["a", "b[0]", "b[1]"] == [y.name for y in adcli.trace(f, {"x": 2.0}, fixed={"n": 3}).outputs]
    assert ["y1", "y2"] == [y.name for y in adcli.trace(lambda x: (jnp.sin(x), x), {"x": 2.0}).outputs]


def test_numbers_are_doubles_whatever_jax_is_set_to() -> None:
    jax.config.update("jax_enable_x64", False)
    trace = adcli.trace(lambda x: jnp.exp(0.1 * x), {"x": 3.0})
    assert "0.1 × x" == trace.rows[1].formula
    assert trace.outputs[0].value == pytest.approx(1.349858807576003, rel=1e-15)
    assert not jax.config.jax_enable_x64


def test_where_there_is_no_value_the_line_is_named() -> None:
    with pytest.raises(DomainProblem, match="log needs a positive argument") as caught:
        adcli.trace(lambda x: jnp.log(x - 3.0), {"x": 2.0})
    assert caught.value.span is not None


def test_what_a_function_without_jax_raises_comes_through() -> None:
    with pytest.raises(TypeError) as caught:
        adcli.trace(lambda x: x + "text", {"x": 2.0})
    assert not isinstance(caught.value, AdcliError)


def test_arrays_need_jax_which_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "jax", None)
    with pytest.raises(RequestError, match="inputs that are arrays need jax"):
        record_jax(lambda x: x, {"x": [1.0, 2.0]}, Recording(lambda x: x))


def test_the_manual_shows_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (PACKAGE / "manual" / "python.md").read_text(encoding="utf-8")
    _, _, rest = page.partition("    $ cat net.py\n")
    shown = "\n".join(
        line[4:] for line in takewhile(lambda line: not line.strip() or line[:4] == "    ", rest.split("\n"))
    )
    text, _, printed = shown.partition("$ adcli trace net.py:net --at x1=1,x2=0.5\n")
    (tmp_path / "net.py").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    answer = run("trace", "net.py:net", "--at", "x1=1,x2=0.5")
    assert printed.strip().split("\n") == [line.rstrip() for line in answer.out.strip().split("\n")]
