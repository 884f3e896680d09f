"""Derivatives against differences: for rules that a user writes, and for ours."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ParamSpec

from ..errors import RequestError
from ..graph.overloading import plain
from ..numbers.numpy_arrays import np
from .core.containers import flattened
from .core.traced import is_complex, number, shape
from .transforms import Pick, Selected, Transformed, jvp, name_of, vjp

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from .core.containers import Tree
    from .core.traced import Plain, Value

P = ParamSpec("P")

# A central difference errs by a third derivative times the square of its step, 1e-12, and by what rounding leaves of
# the difference, 1e-16 over the step.
STEP = 1e-6
TOLERANCE = 1e-6
_FEW = 100  # so many random numbers are drawn before a generator of NumPy's is made


class WrongDerivative(RequestError, AssertionError):
    """A derivative is not the slope of its function."""


def check_grads(
    function: Callable[P, object], argnum: Pick | None = None, modes: Sequence[str] = ("fwd", "rev"), order: int = 2
) -> Callable[P, None]:
    """`check_grads(f)(x)` raises WrongDerivative if a derivative of f at x, up to an order, is not its slope.

    Compared with central differences along random directions, the same in every run, in forward mode ("fwd"), in
    reverse mode ("rev"), or both; by all arguments given by position unless `argnum` chooses.  Arguments and results
    are numbers, arrays and containers of any shape; nothing is returned where all agree.  Raises RequestError for
    another mode; what f itself raises comes through.
    """
    unknown = [mode for mode in modes if mode not in ("fwd", "rev")]
    if unknown:
        raise RequestError(f"there is no mode called {unknown[0]}", help="the modes are fwd and rev")

    def check(*arguments: P.args, **keywords: P.kwargs) -> None:
        picks = range(len(arguments)) if argnum is None else [argnum] if isinstance(argnum, (int, str)) else argnum
        _checked(function, tuple(picks), modes, order, arguments, keywords, random.Random(0))  # noqa: S311 - no secret

    return check


def combo_check(
    function: Callable[..., object], argnum: Pick | None = None, modes: Sequence[str] = ("fwd", "rev"), order: int = 2
) -> Callable[..., None]:
    """`combo_check(f)([x1, x2], [y1, y2], k=[a, b])` is `check_grads` for every combination of the arguments given."""
    check = check_grads(function, argnum, modes, order)

    def each(*choices: Sequence[Tree], **keywords: Sequence[Tree]) -> None:
        for arguments in itertools.product(*choices):
            for named in itertools.product(*keywords.values()):
                check(*arguments, **dict(zip(keywords, named, strict=True)))

    return each


def _checked(
    function: Callable[..., object], picks: tuple[int | str, ...], modes: Sequence[str], order: int,
    arguments: tuple[Tree, ...], keywords: dict[str, Tree], chance: random.Random,
) -> None:  # fmt: skip
    selected = Selected(function, picks, arguments, keywords)
    at = [plain(leaf) for leaf in selected.leaves]
    along = [_direction(leaf, chance) for leaf in at]
    direction = selected.structure.build(along)
    slopes = _slopes(selected, at, along)
    name = name_of(function)
    for mode in modes:
        if mode == "fwd":
            moved = flattened(jvp(function, picks)(*arguments, **keywords)(direction)[1])[0]
            agree = len(moved) == len(slopes) and all(map(_close, moved, slopes))
            _demand(agree, name, "JVP", moved, slopes)
        else:
            value, pull = vjp(function, picks)(*arguments, **keywords)
            leaves, structure = flattened(number(value))
            weights = [_direction(plain(leaf), chance) for leaf in leaves]
            shares = flattened(pull(structure.build(weights)))[0]
            expected = sum(_inner(w, s) for w, s in zip(weights, slopes, strict=True))
            got = sum(_inner(s, a) for s, a in zip(shares, along, strict=True))
            _demand(_close(got, expected), name, "VJP", got, expected)
        if order > 1:
            made, extra = (_pushed, direction) if mode == "fwd" else (_pulled, structure.build(weights))
            places = (*picks, len(arguments))
            _checked(made(function, picks), places, modes, order - 1, (*arguments, extra), keywords, chance)


def _pushed(function: Callable[..., object], picks: Pick) -> Callable[..., Tree]:
    def pushed(*arguments: Tree, **keywords: Tree) -> Tree:
        return jvp(function, picks)(*arguments[:-1], **keywords)(arguments[-1])

    return Transformed(jvp, function, pushed, picks)


def _pulled(function: Callable[..., object], picks: Pick) -> Callable[..., Tree]:
    def pulled(*arguments: Tree, **keywords: Tree) -> Tree:
        value, pull = vjp(function, picks)(*arguments[:-1], **keywords)
        return value, pull(arguments[-1])

    return Transformed(vjp, function, pulled, picks)


def _direction(leaf: Plain, chance: random.Random) -> Plain:
    """A random direction of the space of a number or an array."""
    if not hasattr(leaf, "dtype"):
        return complex(chance.gauss(0, 1), chance.gauss(0, 1)) if is_complex(leaf) else chance.gauss(0, 1)
    array: NDArray[numpy.inexact] = leaf
    if not array.shape:
        return complex(chance.gauss(0, 1), chance.gauss(0, 1)) if is_complex(array) else chance.gauss(0, 1)
    found = _gauss(array.shape, chance)
    return (found + 1j * _gauss(array.shape, chance) if is_complex(array) else found).astype(array.dtype)


def _gauss(shape: tuple[int, ...], chance: random.Random) -> NDArray[numpy.inexact]:
    size = math.prod(shape)
    if size > _FEW:
        return np.random.RandomState(chance.getrandbits(32)).randn(*shape)
    return np.array([chance.gauss(0, 1) for _ in range(size)], float).reshape(shape)


def _slopes(selected: Selected, at: Sequence[Plain], along: Sequence[Plain]) -> list[Plain]:
    """The derivative along a direction by a central difference."""

    def moved(step: float) -> list[Plain]:
        leaves = [x + step * d for x, d in zip(at, along, strict=True)]
        return [plain(leaf) for leaf in selected.run(leaves)[0]]

    return [(ahead - behind) / (2 * STEP) for ahead, behind in zip(moved(STEP), moved(-STEP), strict=True)]


def _inner(a: Value, b: Value) -> float:
    """The real part of the sum of products, which is what adjoints and tangents have in common."""
    product = plain(a) * plain(b)
    found: float = np.sum(product).real if shape(product) else product.real
    return found


def _close(got: Value, expected: Value) -> bool:
    got, expected = plain(got), plain(expected)
    if shape(got) != shape(expected):
        return False
    gap = abs(got - expected) - TOLERANCE * (1 + abs(expected))
    return bool(np.all(gap <= 0)) if shape(gap) else bool(gap <= 0)


def _demand(agree: bool, name: str, kind: str, got: object, expected: object) -> None:
    if not agree:
        raise WrongDerivative(
            f"derivative ({kind}) check of {name} failed",
            label=f"the rule gives {got!r}, differences give {expected!r}",
            help="look at the rule given with defvjp or defjvp, or at a corner of the function",
        )
