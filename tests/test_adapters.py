"""Expressions in other libraries: SymPy and back, PyTorch, JAX.  Each is tried where it is installed."""

from __future__ import annotations

import math
from typing import Any

import pytest
from running import PAPER
from support import each, records

import adcli
from adcli.errors import AdcliError, RequestError
from adcli.table.primitive import ROWS

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
F = adcli.parse(PAPER)


@each(records("expressions")[::9])
def test_an_expression_of_sympy_has_the_same_value_and_comes_back(record: dict[str, Any]) -> None:
    sympy = pytest.importorskip("sympy")
    names = list(record["point"])
    e = adcli.parse(record["expr"], names)
    at = {name: adcli.parse(text).value() for name, text in record["point"].items()}
    try:
        made = e.to_sympy()
    except RecursionError:
        pytest.fail("SymPy was asked for too much")
    numbers = {sympy.Symbol(name): sympy.Float(x, 40) for name, x in at.items()}
    expected = e.value(at)
    assert expected == pytest.approx(float(sympy.N(made.subs(numbers), 20)), rel=1e-11, abs=1e-300)
    if all(name not in ("e", "pi", "tau") and name not in ROWS for name in names):
        back = adcli.from_sympy(made)
        assert expected == pytest.approx(back.value({n: x for n, x in at.items() if n in back.inputs}), rel=1e-9)


NUMBERS = [name for name, row in ROWS.items() if name.isidentifier() and not row.truth and not row.truth_arguments]


@pytest.mark.parametrize("name", NUMBERS)
def test_every_function_of_the_table_means_the_same_to_sympy(name: str) -> None:
    sympy = pytest.importorskip("sympy")
    row = ROWS[name]
    count = row.arity or 3
    arguments = ["x", "y", "z"][:count]
    e = adcli.parse(f"{name}({', '.join(arguments)})", arguments)
    if name == "zetaderivative":
        with pytest.raises(RequestError, match="SymPy has no function for zetaderivative"):
            e.to_sympy()
        return
    made = e.to_sympy()
    for share in (0.3, 0.7):
        at = {n: low + share * (high - low) for n, (low, high) in zip(arguments, row.ranges(count), strict=True)}
        try:
            expected = e.value(at)
        except AdcliError:
            continue
        found = complex(sympy.N(made.subs({sympy.Symbol(n): sympy.Float(x, 40) for n, x in at.items()}), 20))
        assert expected == pytest.approx(found.real, rel=1e-9, abs=1e-12) and abs(found.imag) < 1e-9


def test_sympy_gives_expressions_that_are_parsed_no_worse_than_typed_ones() -> None:
    sympy = pytest.importorskip("sympy")
    x, y, t = sympy.symbols("x y t")
    cases = [
        (sympy.log(x) + x * y - sympy.sin(y), {"x": 2.0, "y": 5.0}),
        (sympy.Piecewise((x**2, x > 1), (-x, sympy.And(x > 0, y < 3)), (sympy.Abs(x), True)), {"x": 0.5, "y": 1.0}),
        (sympy.sqrt(x) / sympy.cbrt(y) + sympy.E**t + sympy.pi, {"x": 2.0, "y": 5.0, "t": 0.1}),
        (sympy.Max(x, y, t) - sympy.Min(x, y) + sympy.Mod(x, 2), {"x": 3.5, "y": 5.0, "t": -1.0}),
        (sympy.Rational(1, 3) * x ** sympy.Rational(-3, 2) + 0.1, {"x": 2.0}),
        (sympy.diff(sympy.tanh(x) * sympy.erf(x), x), {"x": 0.4}),
        (sympy.EulerGamma + sympy.gamma(x) + sympy.loggamma(x) + sympy.ceiling(x), {"x": 2.5}),
    ]
    for found, at in cases:
        e = adcli.from_sympy(found)
        assert set(e.inputs) == set(at)
        assert e.value(at) == pytest.approx(float(sympy.N(found.subs(at))), rel=1e-13, abs=0)
    assert ["y1", "y2"] == adcli.from_sympy([x, y]).outputs
    assert F == adcli.from_sympy(F.to_sympy()) or F.value(x1=2, x2=5) == adcli.from_sympy(F.to_sympy()).value(
        x1=2, x2=5
    )


def test_what_the_language_lacks_is_refused_by_name() -> None:
    sympy = pytest.importorskip("sympy")
    x = sympy.Symbol("x")
    wrong = [
        sympy.I * x, x + sympy.oo, sympy.nan, sympy.Integral(sympy.exp(x**x), x), sympy.dirichlet_eta(x),
        sympy.Function("f")(x), sympy.Symbol("a*b"), sympy.Symbol("sin"),
        sympy.Matrix([x]), "x", None, sympy.Sum(x, (x, 1, 3)),
        sympy.Piecewise((x, x > 0)), sympy.Symbol("e"),
    ]  # fmt: skip
    for found in wrong:
        with pytest.raises(RequestError):
            adcli.from_sympy(found)


def test_torch_differentiates_through_it() -> None:
    torch = pytest.importorskip("torch")
    f = F.to_torch("numpy")
    x1 = torch.tensor([2.0, 3.0], dtype=torch.float64, requires_grad=True)
    x2 = torch.tensor([[5.0], [6.0], [7.0]], dtype=torch.float64, requires_grad=True)
    y = f(x1, x2=x2)
    assert (3, 2) == tuple(y.shape)
    y.sum().backward()
    assert x1.grad.tolist() == pytest.approx([1 / 2 * 3 + 18, 1 / 3 * 3 + 18])
    assert torch.autograd.gradcheck(f, (x1, x2))
    g = adcli.parse("x*y; sin(x)/y").to_torch("numpy")
    a, b = (torch.rand(4, dtype=torch.float64) + 0.5 for _ in range(2))
    assert torch.autograd.gradcheck(g, (a.requires_grad_(), b.requires_grad_()))
    assert torch.func.vmap(f, in_dims=(0, None))(x1.detach(), torch.tensor(5.0)).tolist() == pytest.approx(
        [F(x1=2, x2=5), F(x1=3, x2=5)]
    )
    slope = torch.func.vmap(torch.func.grad(f), in_dims=(0, None))(x1.detach(), torch.tensor(5.0, dtype=torch.float64))
    assert slope.tolist() == pytest.approx([5.5, 5 + 1 / 3])
    single = torch.tensor(2.0, requires_grad=True)
    f(single, 5.0).backward()
    assert (5.5, torch.float32) == (single.grad.item(), single.grad.dtype)
    with pytest.raises(TypeError, match="the input x2 has no value"):
        f(x1)


def test_jax_differentiates_through_it() -> None:
    jax = pytest.importorskip("jax")
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        f = F.to_jax("numpy")
        assert 11.652071455223084 == float(f(2.0, 5.0)) == float(jax.jit(f)(x1=2.0, x2=5.0))
        assert (5.5, 1.7163378145367738) == tuple(map(float, jax.grad(f, argnums=(0, 1))(2.0, 5.0)))
        many = jax.numpy.array([2.0, 3.0])
        assert [5.5, 5 + 1 / 3] == jax.jit(jax.vmap(jax.grad(f), in_axes=(0, None)))(many, 5.0).tolist()
        assert 5.5 == float(jax.jvp(lambda x: f(x, 5.0), (2.0,), (1.0,))[1])
        u, w = adcli.parse("x*y; x/y").to_jax("numpy")(many, 2.0)
        assert ([4.0, 6.0], [1.0, 1.5]) == (u.tolist(), w.tolist())
        total = jax.grad(lambda x: f(x, many[:, None]).sum())(many)
        assert total.tolist() == pytest.approx([2 * 0.5 + 5, 2 / 3 + 5])
    finally:
        jax.config.update("jax_enable_x64", before)


def test_a_library_that_is_missing_is_named_with_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, ask in (("sympy", F.to_sympy), ("torch", F.to_torch), ("jax", F.to_jax)):
        with monkeypatch.context() as patch:
            patch.setitem(__import__("sys").modules, name, None)
            with pytest.raises(RequestError, match=f"need {name}"):
                ask()
    assert math.isfinite(F(x1=2, x2=5))


def test_an_expression_of_sympy_may_be_deep() -> None:
    sympy = pytest.importorskip("sympy")
    deep = sympy.Symbol("x")
    for _ in range(3000):
        deep = sympy.sin(deep, evaluate=False)
    assert 3000 == adcli.from_sympy(deep).text.count("sin(")
