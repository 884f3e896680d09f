"""The names that the tests of HIPS/autograd import, from where `adcli.python` has them; see `autograd_suite`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adcli.python import extend
from adcli.python.autograd import *  # noqa: F403 - they are what the tests name
from adcli.python.autograd import grad, vjp  # noqa: F401 - the tests import these from here
from adcli.python.core.containers import flatten_tree

Function = Callable[..., Any]


def __getattr__(name: str) -> Function:
    """What adcli does not have fails where it is used, so that the other tests of a file run."""
    if name.startswith("__"):
        raise AttributeError(name)
    if name in extend.__all__:
        found: Function = getattr(extend, name)
        return found

    def missing(*_: Any, **__: Any) -> Any:
        raise NotImplementedError(f"adcli.python has no {name}")

    return missing


def make_vjp(function: Function, at: Any = 0) -> Any:
    """Both of its forms: with an argument's number, and at a point."""
    if not isinstance(at, int | tuple | list | str):
        return vjp(function)(at)[::-1]
    return lambda *a, **k: vjp(function, at)(*a, **k)[::-1]


def unary_to_nary(transform: Function) -> Function:
    def nary(function: Function, argnum: int = 0) -> Function:
        def at(*a: Any, **k: Any) -> Any:
            return transform(lambda x: function(*a[:argnum], x, *a[argnum + 1 :], **k), a[argnum])

        return at

    return nary


def check_equivalent(x: Any, y: Any) -> None:
    for one, other in zip(flatten_tree(x)[0], flatten_tree(y)[0], strict=True):
        assert np.shape(one) == np.shape(other)
        assert np.allclose(one, other, 1e-6, 1e-6)


def scalar_close(a: float, b: float) -> bool:
    return abs(a - b) < 1e-6 * (1 + abs(a + b))
