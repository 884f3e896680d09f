"""Differentiation of Python functions: ordinary code with loops and branches, NumPy arrays, containers, any order.

    from adcli.python import grad, jacobian, tanh
    grad(tanh)(0.5)

Every function of the table (`adcli functions`) can be imported by its name and takes numbers, Nodes, arrays and traced
values; NumPy's own functions differentiate as they are.
"""

from __future__ import annotations

from ..typings import TYPE_CHECKING, Any

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
    """Return the object of the interface called `name`, or the function of the table with this name or alias.

    Names of the interface come first. The object is stored in the module; all aliases of a function give the same
    object. Raises AttributeError for an unknown name, and for one that begins with an underscore.
    """
    from importlib import import_module

    if name.startswith("_"):
        raise AttributeError(name)
    attribute: Callable[..., Any] | None
    if name in _HOMES:
        attribute = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    else:
        from .primitives import function

        attribute = function(name)
        if attribute is not None and attribute.__name__ != name:
            attribute = globals().get(attribute.__name__) or __getattr__(attribute.__name__)
    if attribute is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = attribute
    return attribute
