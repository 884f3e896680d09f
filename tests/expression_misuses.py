"""What can be done wrong with expressions in Python, with the kind and the title of what is said."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import adcli
from adcli.graph import graph

NAMELESS: Any = 2.0
NO_TEXTS: list[Any] = [3, None, b"x", ["x"]]
NO_NUMBERS: list[Any] = ["a", None, 1j]


def _from_sympy(make: Callable[[Any], Any]) -> Callable[[], Any]:
    def call() -> Any:
        import sympy

        return adcli.from_sympy(make(sympy))

    return call


def _doubled(sympy: Any) -> Any:
    found = sympy.Symbol("x")
    for _ in range(40):
        found = sympy.Add(found, sympy.sin(found, evaluate=False), evaluate=False)
    return found


FROM_SYMPY: list[tuple[Callable[[], Any], str, str]] = [
    (_from_sympy(lambda _: "x"), "RequestError", "this is not an expression of SymPy"),
    (_from_sympy(lambda sympy: sympy.Symbol("sin")), "RequestError", "an input cannot be called sin"),
    (_from_sympy(lambda sympy: sympy.I), "RequestError", "the language of adcli has no ImaginaryUnit"),
    (_from_sympy(_doubled), "RequestError", "the expression is too long to be written"),
]


def _forged(column: int, content: object) -> Callable[[], Any]:
    """A packed graph of x*2 with other content in one of its columns."""
    state = list(adcli.parse("x*2")._program.graph.pack())
    state[column] = content
    return lambda: graph.unpack(*state)


FORGED: list[tuple[int, object]] = [
    (1, ((), (), (0,))), (1, ((), (), (0, 2))), (1, ((), (), (0, 1.0))), (1, ((), (0,), (0, 1))), (1, ((), ())),
    (2, ((0, 1), (3, 2), (0, 0))), (3, b"\0\0\0"), (3, b"\0\1\1"), (3, b"\1\1\0"), (4, ((1, "1e", False),)),
    (4, ((1, "3" * 50 + "x", True),)), (4, ((1, "1e999", False),)), (5, ((0, "x"), (1, "y"))), (5, ()), (5, ((0, 1),)),
    (5, ((0, "x"), (2, "y"))), (6, (("y", 3),)), (7, ((-1, "u"),)),
]  # fmt: skip

CALLS: list[tuple[Callable[[], Any], str, str]] = [
    (lambda: adcli.parse("x^2")(NAMELESS), "RequestError", "the numbers of a point need names"),
    (lambda: adcli.parse("x*y")(NAMELESS, [1]), "RequestError", "the numbers of a point need names"),
    *((partial(adcli.parse, text), "RequestError", "an expression must be text") for text in NO_TEXTS),
    *((partial(adcli.Node, value), "RequestError", "the value of a Node must be a number") for value in NO_NUMBERS),
    (lambda: adcli.parse("x*k").ode("x"), "NameProblem", "the input k has no value"),
    (lambda: adcli.parse("x").ode("y"), "NameProblem", "the name y is not an input"),
    (lambda: adcli.parse("x; x").ode(), "RequestError",
     "there are 2 outputs instead of 1, one for each state variable"),
    *FROM_SYMPY,
    (lambda: graph.find_row("twice" * 9), "RequestError",
     f"there is no function called {'twice' * 8} in this process"),
    *((_forged(*change), "RequestError", "this is not a pickle of a graph") for change in FORGED),
    (lambda: graph.unpack("x"), "RequestError", "this is not a pickle of a graph"),
]  # fmt: skip
