"""What can be done wrong with kernels, with the kind and the title of what is said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import adcli


def _called(**points: Any) -> Callable[[], Any]:
    return lambda: adcli.parse("log(x1)+x1*x2-sin(x2)").kernel("numpy")(**points)


def _kept(**out: Any) -> Callable[[], Any]:
    """Arrays handed in for the results, or True for the array of the points itself."""

    def call() -> Any:
        x = np.ones(3)
        given = {name: x if y is True else np.array(y) for name, y in out.items()}
        return adcli.parse("x^2").kernel("numpy").columns({"x": x}, out=given)

    return call


CALLS: list[tuple[Callable[[], Any], str, str]] = [
    (_called(x1=1.0), "NameProblem", "the input x2 has no value"),
    (_called(x1=1.0, x2=2.0, x3=3.0), "NameProblem", "the name x3 is not an input"),
    (_called(x1=[1.0, 2.0], x2=[1.0, 2.0, 3.0]), "RequestError", "the arrays have different shapes"),
    (_called(x1="a", x2=1.0), "RequestError", "the input x1 is not an array of real numbers"),
    (_called(x1=[[1.0], [2.0, 3.0]], x2=1.0), "RequestError", "the input x1 is not an array of real numbers"),
    (_called(x1=1j, x2=1.0), "RequestError", "the input x1 is not an array of real numbers"),
    (_called(x1=None, x2=1.0), "RequestError", "the input x1 is not an array of real numbers"),
    (
        lambda: adcli.parse("y = x^2; dy_dx = 3*x; y; dy_dx").kernel("numpy"),
        "RequestError", "two columns would be called dy_dx",
    ),
    (_kept(z=[1.0, 2.0, 3.0]), "NameProblem", "the name z is not a column"),
    (_kept(y=[1, 2, 3]), "RequestError", "the array for y cannot be filled"),
    (_kept(dy_dx=[1.0, 2.0]), "RequestError", "the array for dy_dx has another shape than the points"),
    (
        lambda: adcli.parse("x^2").kernel("numpy").columns({"x": np.ones(3)}, out=np.ones(3)),
        "RequestError", "out is not a mapping of names to arrays",
    ),
    (_kept(y=True), "RequestError", "the array for y shares memory with the points or with another column"),
    (lambda: adcli.parse("x").kernel("cuda"), "RequestError", "there is no engine called cuda"),
]  # fmt: skip
