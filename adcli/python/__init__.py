"""Differentiating Python functions: ordinary code with loops and branches, NumPy arrays, containers, any order.

    from adcli.python import grad, jacobian, tanh
    grad(tanh)(0.5)

Every function of the table (`adcli functions`) can be imported by its name and takes numbers, Nodes, arrays and traced
values; NumPy's own functions differentiate as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from .checking import WrongDerivative, check_grads
    from .containers import flatten
    from .kinks import KinkWarning
    from .operations import angle, conj, imag, real
    from .primitives import defjvp, defvjp, primitive
    from .traced import Value
    from .traces import MissingRule
    from .transforms import (
        IndependenceWarning,
        elementwise_grad,
        grad,
        hessian,
        hvp,
        jacobian,
        jvp,
        value_and_grad,
        vjp,
    )

_HOMES = {
    "KinkWarning": "kinks", "WrongDerivative": "checking", "check_grads": "checking", "angle": "operations",
    "conj": "operations", "imag": "operations", "real": "operations", "defjvp": "primitives", "defvjp": "primitives",
    "primitive": "primitives", "MissingRule": "traces", "IndependenceWarning": "transforms", "flatten": "containers",
    "elementwise_grad": "transforms", "grad": "transforms", "hessian": "transforms", "hvp": "transforms",
    "jacobian": "transforms", "jvp": "transforms", "value_and_grad": "transforms", "vjp": "transforms",
}  # fmt: skip

__all__ = [
    "IndependenceWarning", "KinkWarning", "MissingRule", "WrongDerivative", "angle", "check_grads", "conj", "defjvp",
    "defvjp", "elementwise_grad", "flatten", "grad", "hessian", "hvp", "imag", "jacobian", "jvp", "primitive", "real",
    "value_and_grad", "vjp",
]  # fmt: skip


def __getattr__(name: str) -> Callable[..., Value]:
    """What a name of the interface stands for, or the function of the table that is called so.

    Raises AttributeError where there is neither.
    """
    from importlib import import_module

    if name.startswith("_"):
        raise AttributeError(name)
    found: Callable[..., Value] | None
    if name in _HOMES:
        found = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    else:
        from .primitives import function

        found = function(name)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found
