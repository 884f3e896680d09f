"""The names that the tests of HIPS/autograd import, in terms of `adcli.python`; see `autograd_suite`."""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from adcli.python import (  # noqa: F401 - the tests import these from here
    check_grads,
    defjvp,
    defvjp,
    elementwise_grad,
    flatten,
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    primitive,
    real,
    value_and_grad,
    vjp,
)
from adcli.python.containers import flattened
from adcli.python.traced import Traced

Function = Callable[..., Any]
# Containers are Python's own here, so there is nothing to replace.
dict, list, tuple, isinstance = builtins.dict, builtins.list, builtins.tuple, builtins.isinstance  # noqa: A001


def __getattr__(name: str) -> Function:
    """What adcli does not have fails where it is used, so that the other tests of a file run."""
    if name.startswith("__"):
        raise AttributeError(name)

    def missing(*_: Any, **__: Any) -> Any:
        raise NotImplementedError(f"adcli.python has no {name}")

    return missing


def isbox(x: Any) -> bool:
    return isinstance(x, Traced)


def make_vjp(function: Function, at: Any = 0) -> Any:
    """Both of its forms: with an argument's number, and at a point."""
    if not isinstance(at, (int, builtins.tuple, builtins.list, str)):
        return vjp(function)(at)[::-1]
    return lambda *a, **k: vjp(function, at)(*a, **k)[::-1]


def make_jvp(function: Function, argnum: Any = 0) -> Function:
    return jvp(function, argnum)


def make_hvp(function: Function, argnum: Any = 0) -> Function:
    return lambda *a, **k: (hvp(function, argnum)(*a, **k), grad(function, argnum)(*a, **k))


def make_ggnvp(function: Function, g: Function = lambda x: np.sum(x**2) / 2) -> Function:
    def at(*a: Any, **k: Any) -> Function:
        value, pull = vjp(function)(*a, **k)
        return lambda v: pull(hvp(g)(value)(jvp(function)(*a, **k)(v)[1]))

    return at


def deriv(function: Function, argnum: Any = 0) -> Function:
    return lambda *a, **k: jvp(function, argnum)(*a, **k)(1.0)[1]


def holomorphic_grad(function: Function, argnum: Any = 0) -> Function:
    return grad(lambda *a: real(function(*a)), argnum)


def hessian_tensor_product(function: Function, argnum: Any = 0) -> Function:
    return lambda *a, **k: hvp(function, argnum)(*a[:-1], **k)(a[-1])


def tensor_jacobian_product(function: Function, argnum: Any = 0) -> Function:
    def at(*a: Any, **k: Any) -> Any:
        product = lambda *b, **kk: np.tensordot(a[-1], function(*b, **kk), axes=np.ndim(a[-1]))  # noqa: E731
        return jacobian(product, argnum)(*a[:-1], **k)

    return at


def grad_and_aux(function: Function) -> Function:
    def at(x: Any) -> Any:
        (_, aux), pull = vjp(function)(x)
        return pull((1.0, 0 * aux)), aux

    return at


def checkpoint(function: Function) -> Function:
    return function


def unary_to_nary(transform: Function) -> Function:
    def nary(function: Function, argnum: int = 0) -> Function:
        def at(*a: Any, **k: Any) -> Any:
            return transform(lambda x: function(*a[:argnum], x, *a[argnum + 1 :], **k), a[argnum])

        return at

    return nary


def check_equivalent(x: Any, y: Any) -> None:
    for one, other in zip(flattened(x)[0], flattened(y)[0], strict=True):
        assert np.shape(one) == np.shape(other)
        assert np.allclose(one, other, 1e-6, 1e-6)


def scalar_close(a: float, b: float) -> bool:
    return abs(a - b) < 1e-6 * (1 + abs(a + b))


def combo_check(function: Function, *checking: Any, **how: Any) -> Function:
    check = check_grads(function, *checking, **how)

    def each(*choices: Any, **keywords: Any) -> None:
        for arguments in itertools.product(*choices):
            for chosen in _combinations(keywords):
                check(*arguments, **chosen)

    return each


def _combinations(keywords: Any) -> Iterator[Any]:
    for values in itertools.product(*keywords.values()):
        yield builtins.dict(zip(keywords, values, strict=True))
