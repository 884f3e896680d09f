"""Typical uses of adcli, for type checkers: nothing here is run by a test but them."""

from __future__ import annotations

import adcli
from adcli import AdcliError, Expression, Node, parse, reverse
from adcli.python import grad, value_and_grad


def one_point(text: str) -> dict[str, float]:
    f: Expression = parse(text)
    try:
        value, slopes = f.value_and_gradient({"x1": 2, "x2": 5})
    except AdcliError as error:
        print(error.title, error.help, error.exit_code)
        return {}
    number: float = f.value(x1=2.0, x2=5.0) + value
    second: dict[str, dict[str, float]] = f.hessian(x1=2, x2=5)
    values, rows = f.values_and_jacobian({"x1": 2, "x2": 5})
    print(number, second["x1"]["x2"], values["y"], rows["y"]["x1"], f(x1=2, x2=5))
    return slopes


def formulas(f: Expression) -> list[str]:
    d: Expression = f.derivative("x1", order=2)
    shown = f.trace({"x1": 2, "x2": 5}, mode="reverse")
    print(shown.to("latex"), shown.rows[0].value, shown.outputs[0].gradient)
    return [d.text, d.latex, *f.inputs, *f.outputs]


def solved(f: Expression) -> list[float]:
    field = f.ode(fixed={"k": 4.0})
    rows: list[list[float]] = field.jacobian(0.0, [1.0, 0.0])
    return field(0.0, [1.0, 0.0]) + rows[0]


def square(x: float) -> float:
    return x * x


def functions() -> None:
    slope = grad(square)
    value, also = value_and_grad(square)(3.0)
    print(slope(3.0), value + 1.0, also, dict.fromkeys((parse("x"), parse("y")), 1))


def nodes() -> float:
    x = Node(2.0)
    reverse(x)
    print(adcli.__version__)
    return x.partial_derivative
