"""Differentiating Python functions: ordinary code with loops and branches, NumPy arrays, containers, any order.

    from adcli.python import grad, jacobian, tanh
    grad(tanh)(0.5)

Every function of the table (`adcli functions`) can be imported by its name and takes numbers, Nodes, arrays and traced
values; NumPy's own functions differentiate as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from .core.containers import flatten
    from .core.evaluation import angle, conj, imag, real
    from .gradient_check import WrongDerivative, check_grads
    from .kink_slopes import KinkWarning
    from .primitives import defjvp, defvjp, primitive
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

# Where the names of the interface are.
_FILES = {
    "core.containers": ("flatten",), "core.evaluation": ("angle", "conj", "imag", "real"),
    "gradient_check": ("WrongDerivative", "check_grads"), "kink_slopes": ("KinkWarning",),
    "primitives": ("defjvp", "defvjp", "primitive"), "traces": ("MissingRule",),
    "transforms": (
        "IndependenceWarning", "elementwise_grad", "grad", "hessian", "hvp", "jacobian", "jvp", "value_and_grad", "vjp",
    ),
}  # fmt: skip
_HOMES = {name: file for file, names in _FILES.items() for name in names}

__all__ = [
    "IndependenceWarning", "KinkWarning", "MissingRule", "WrongDerivative", "angle", "check_grads", "conj", "defjvp",
    "defvjp", "elementwise_grad", "flatten", "grad", "hessian", "hvp", "imag", "jacobian", "jvp", "primitive", "real",
    "value_and_grad", "vjp",
]  # fmt: skip


def __getattr__(name: str) -> Callable[..., Any]:  # the result is of the kind of the arguments
    """What a name of the interface stands for, or the function of the table that is called so.

    Raises AttributeError where there is neither.
    """
    from importlib import import_module

    if name.startswith("_"):
        raise AttributeError(name)
    found: Callable[..., Any] | None
    if name in _HOMES:
        found = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    else:
        from .primitives import function

        found = function(name)
        if found is not None and found.__name__ != name:
            found = globals().get(found.__name__) or __getattr__(found.__name__)  # one function for all its names
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found
