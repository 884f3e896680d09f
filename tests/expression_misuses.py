"""What can be done wrong with expressions in Python, with the kind and the title of what is said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import adcli
from adcli.graph import graph

NAMELESS: Any = 2.0

CALLS: list[tuple[Callable[[], Any], str, str]] = [
    (lambda: adcli.parse("x^2")(NAMELESS), "RequestError", "a point says which number is which"),
    (lambda: adcli.parse("x*k").ode("x"), "NameProblem", "k has no value"),
    (lambda: adcli.parse("x").ode("y"), "NameProblem", "y is no input"),
    (lambda: adcli.parse("x; x").ode(), "RequestError",
     "there are not as many outputs as there are numbers in the state"),
    (lambda: graph.row_named("twice"), "RequestError", "there is no function called twice here"),
    (lambda: graph.unpacked("x"), "RequestError", "this is no pickle of a graph"),
]  # fmt: skip
