"""What can be done wrong with kernels, with the kind and the title of what is said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import adcli


def _called(**points: Any) -> Callable[[], Any]:
    return lambda: adcli.parse("log(x1)+x1*x2-sin(x2)").kernel("numpy")(**points)


CALLS: list[tuple[Callable[[], Any], str, str]] = [
    (_called(x1=1.0), "NameProblem", "x2 has no value"),
    (_called(x1=1.0, x2=2.0, x3=3.0), "NameProblem", "x3 is no input"),
    (_called(x1=[1.0, 2.0], x2=[1.0, 2.0, 3.0]), "RequestError", "the arrays have different shapes"),
    (_called(x1="a", x2=1.0), "RequestError", "x1 is no array of real numbers"),
    (_called(x1=[[1.0], [2.0, 3.0]], x2=1.0), "RequestError", "x1 is no array of real numbers"),
    (_called(x1=1j, x2=1.0), "RequestError", "x1 is no array of real numbers"),
    (_called(x1=None, x2=1.0), "RequestError", "x1 is no array of real numbers"),
    (
        lambda: adcli.parse("y = x^2; dy_dx = 3*x; y; dy_dx").kernel("numpy"),
        "RequestError", "two columns would be called dy_dx",
    ),
    (lambda: adcli.parse("x").kernel("cuda"), "RequestError", "there is no engine called cuda"),
]  # fmt: skip
