"""The names of HIPS/autograd for users who move from it, in terms of `adcli.python`; the manual has a table of them.

from adcli.python.autograd import grad, make_vjp      # for `from autograd import grad, make_vjp`

Containers are Python's own, so `tuple`, `list`, `dict`, `isinstance` and `type` are the built-in ones.
"""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable

from ..numbers.numpy_arrays import np
from ..typings import Any
from .core.containers import Tree, flatten
from .core.evaluation import real
from .extend import checkpoint, vspace
from .gradient_check import check_grads, combo_check
from .primitives import defjvp, defvjp, primitive
from .transforms import Pick, elementwise_grad, grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp

Function = Callable[..., Any]

__all__ = [
    "check_grads", "checkpoint", "combo_check", "defjvp", "defvjp", "deriv", "dict", "elementwise_grad", "flatten",
    "flatten_func", "grad", "grad_and_aux", "grad_named", "hessian", "hessian_tensor_product", "hessian_vector_product",
    "holomorphic_grad", "isinstance", "jacobian", "list", "make_ggnvp", "make_hvp", "make_jvp", "make_vjp",
    "multigrad_dict", "primitive", "tensor_jacobian_product", "tuple", "type", "value_and_grad",
    "vector_jacobian_product",
]  # fmt: skip


def __getattr__(name: str) -> object:
    """Return Python's own object for a name of autograd's that is a built-in one, such as `tuple`.

    Raises AttributeError for a name that is not in `__all__`.
    """
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(builtins, name)


def make_vjp(function: Function, argnum: Pick = 0) -> Function:
    """Return a function: `make_vjp(f)(x)` is (the map of `vjp(f)(x)`, the value of f), in this order.

    `argnum` is the argument to differentiate with respect to.
    """
    return lambda *arguments, **keywords: vjp(function, argnum)(*arguments, **keywords)[::-1]


def make_hvp(function: Function, argnum: Pick = 0) -> Function:
    """Return a function: `make_hvp(f)(x)` is (the map from a direction to the Hessian times it, the gradient).

    `argnum` is the argument to differentiate with respect to. f returns one real number.
    """

    def at(*arguments: Tree, **keywords: Tree) -> tuple[Function, Tree]:
        return hvp(function, argnum)(*arguments, **keywords), grad(function, argnum)(*arguments, **keywords)

    return at


def _half_square(x: Tree) -> Tree:
    """Return half the sum of squares of an array."""
    return np.sum(x * x) / 2


def make_ggnvp(function: Function, g: Function = _half_square, f_argnum: Pick = 0) -> Function:
    """Return a function: `make_ggnvp(f, g)(x)` maps a direction v to Jᵀ·H·J·v.

    J is the Jacobian of f at x and H the Hessian of g at f(x); by default g is half the sum of squares, so that H = 1.
    `f_argnum` is the argument of f; g takes the value of f, an array or container (the default g: arrays and numbers),
    and returns a number.
    """

    def at(*arguments: Tree, **keywords: Tree) -> Function:
        value, pull = vjp(function, f_argnum)(*arguments, **keywords)
        push, curved = jvp(function, f_argnum)(*arguments, **keywords), hvp(g)(value)
        return lambda v: pull(curved(push(v)[1]))

    return at


def deriv(function: Function, argnum: Pick = 0) -> Function:
    """Return a function: `deriv(f)(x)` is the derivative of f along the direction of ones, in the structure of f(x).

    `argnum` is the argument to differentiate with respect to; the ones (1 + i for complex numbers) fill its arrays and
    containers. For an `argnum` that is not one position the direction is the number 1: TracingProblem if the arguments
    that it chooses have more than one leaf.
    """

    def at(*arguments: Tree, **keywords: Tree) -> Tree:
        ones = vspace(arguments[argnum]).ones() if isinstance(argnum, int) else 1.0
        return jvp(function, argnum)(*arguments, **keywords)(ones)[1]

    return at


def holomorphic_grad(function: Function, argnum: Pick = 0) -> Function:
    """Return a function: `holomorphic_grad(f)(z)` is f′(z) of a holomorphic f."""
    return grad(lambda *arguments, **keywords: real(function(*arguments, **keywords)), argnum)


def grad_and_aux(function: Function, argnum: Pick = 0) -> Function:
    """Return a function: if f returns two results, `grad_and_aux(f)(x)` is (gradient of the first, the second).

    The gradient is that of the sum of all its numbers (of a complex number: its real part minus its imaginary part).
    `argnum` is the argument to differentiate with respect to. Raises what unpacking raises (TypeError, ValueError) if f
    does not return two results.
    """

    def at(*arguments: Tree, **keywords: Tree) -> tuple[Tree, Tree]:
        (value, aux), pull = vjp(function, argnum)(*arguments, **keywords)
        return pull((vspace(value).ones(), vspace(aux).zeros())), aux

    return at


def multigrad_dict(function: Function) -> Function:
    """Return a function for the gradients of `function`, whose value is a number, with respect to all its arguments.

    It returns a dict by parameter name. Parameters with defaults are included; `*args` is one entry, a tuple, and
    `**kwargs` one entry, a dict. An argument that is not a number, array or container, such as a text or True, is its
    own entry. It raises TracingProblem if the value of `function` is not one real number.
    """
    signature = inspect.signature(function)

    def at(*arguments: Tree, **keywords: Tree) -> dict[str, Tree]:
        """Return {parameter: gradient} for this call, with defaults; TypeError if it does not fit the signature."""
        bound = signature.bind(*arguments, **keywords)
        bound.apply_defaults()

        def of(named: dict[str, Tree]) -> Tree:
            again = inspect.BoundArguments(signature, dict(named))
            return function(*again.args, **again.kwargs)

        gradients: dict[str, Tree] = grad(of)(dict(bound.arguments))
        return gradients

    return at


def flatten_func(function: Function, example: Tree) -> tuple[Function, Function, Any]:
    """Return (`function` as a function of a vector with its result as a vector, the builder, the example as a vector).

    The builder makes from a vector a container with the structure of `example`. The first function passes further
    positional arguments on as they are.
    """
    vector, build = flatten(example)
    return lambda x, *rest: flatten(function(build(x), *rest))[0], build, vector


def hessian_tensor_product(function: Function, argnum: int = 0) -> Function:
    """Return a function: `hessian_tensor_product(f)(x, v)` is the Hessian of f at x times v."""
    return lambda *arguments, **keywords: hvp(function, argnum)(*arguments[:-1], **keywords)(arguments[-1])


def tensor_jacobian_product(function: Function, argnum: int = 0) -> Function:
    """Return a function g of the arguments of `function` and a last one v: v times the Jacobian of `function`.

    v is the last positional argument of g and has the shape of the value of `function`. `argnum` is the position of the
    argument x with respect to which `function` is differentiated; the value of g has the shape of x.
    """

    def at(*arguments: Tree, **keywords: Tree) -> Tree:
        v = arguments[-1]
        return jacobian(lambda *x, **named: np.tensordot(v, function(*x, **named), axes=np.ndim(v)), argnum)(
            *arguments[:-1], **keywords
        )

    return at


hessian_vector_product, vector_jacobian_product = hessian_tensor_product, tensor_jacobian_product
make_jvp, grad_named = jvp, grad
