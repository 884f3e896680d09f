"""Check of gradients and other derivatives against finite differences, for rules of users and of this package."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Sequence

from ..errors import RequestError, unknown
from ..graph.overloading import plain
from ..numbers.numpy_arrays import np
from ..typings import ParamSpec
from .core.containers import Tree, flatten_tree
from .core.traced import Doubles, Plain, Value, is_complex, number, shape
from .transforms import Pick, Selected, Transformed, jvp, name_of, vjp

P = ParamSpec("P")

# A central difference errs by a third derivative times the square of its step, 1e-12, and by what rounding leaves of
# the difference, 1e-16 over the step.
STEP = 1e-6
TOLERANCE = 1e-6
_FEW = 100  # up to this size random numbers are drawn one by one; making a generator of NumPy's takes longer


class WrongDerivative(RequestError, AssertionError):
    """An error: a derivative differs from the slope of its function."""


def check_grads(
    function: Callable[P, object], argnum: Pick | None = None, modes: Sequence[str] = ("fwd", "rev"), order: int = 2
) -> Callable[P, None]:
    """Return a function: `check_grads(f)(x)` raises WrongDerivative if a derivative of f at x, up to `order`, is wrong.

    Derivatives are compared with central differences along random directions, the same in every call; an `order` below
    1 counts as 1. A derivative is wrong if it is nan or differs from this slope by more than 1e-6·(1 + |slope|).
    `modes` has "fwd" for forward mode, "rev" for reverse mode, or both. Derivatives are with respect to all positional
    arguments, or those that `argnum` chooses. Arguments and results are numbers, arrays and containers. `check_grads`
    itself raises RequestError for another mode. Errors of f are not caught.
    """
    others = [mode for mode in modes if mode not in ("fwd", "rev")]
    if others:
        raise unknown("mode", others[0], "the modes are fwd and rev")

    def check(*arguments: P.args, **keywords: P.kwargs) -> None:
        picks = range(len(arguments)) if argnum is None else [argnum] if isinstance(argnum, (int, str)) else argnum
        _check_orders(function, tuple(picks), modes, order, arguments, keywords, random.Random(0))  # noqa: S311 - no secret

    return check


def combo_check(
    function: Callable[..., object], argnum: Pick | None = None, modes: Sequence[str] = ("fwd", "rev"), order: int = 2
) -> Callable[..., None]:
    """Return a function: `combo_check(f)([x1, x2], k=[a, b])` runs `check_grads` for all combinations of arguments.

    The derivatives of f up to `order` are compared with finite differences in `modes` (fwd, rev), with respect to
    `argnum` (None: all positional arguments). The function raises WrongDerivative if one differs, else it returns None.
    `combo_check` itself raises RequestError for another mode.
    """
    check = check_grads(function, argnum, modes, order)

    def each(*choices: Sequence[Tree], **keywords: Sequence[Tree]) -> None:
        for arguments in itertools.product(*choices):
            for named in itertools.product(*keywords.values()):
                check(*arguments, **dict(zip(keywords, named, strict=True)))

    return each


def _check_orders(
    function: Callable[..., object], picks: tuple[int | str, ...], modes: Sequence[str], order: int,
    arguments: tuple[Tree, ...], keywords: dict[str, Tree], chance: random.Random,
) -> None:  # fmt: skip
    """Raise WrongDerivative if a derivative at `arguments` with respect to `picks`, up to `order`, is wrong.

    Derivatives are compared with central differences along a random direction from `chance`: in forward mode ("fwd" in
    `modes`) each leaf of the tangent, in reverse mode one number, the sum of all leaves with random weights (its real
    part, if complex). The first order is always checked. For an `order` above 1 the function (value and tangent, or
    value and adjoints) of the arguments and of the direction or weights is checked likewise, with all `modes` and
    `order` − 1.
    """
    selected = Selected(function, picks, arguments, keywords)
    point = [plain(leaf) for leaf in selected.leaves]
    along = [_random_direction(leaf, chance) for leaf in point]
    direction = selected.structure.build(along)
    slopes = _slopes_along(selected, point, along)
    name = name_of(function)
    for mode in modes:
        if mode == "fwd":
            tangents = flatten_tree(jvp(function, picks)(*arguments, **keywords)(direction)[1])[0]
            agree = len(tangents) == len(slopes) and all(map(_close, tangents, slopes))
            _raise_unless(agree, name, "JVP", tangents, slopes)
        else:
            value, pull = vjp(function, picks)(*arguments, **keywords)
            leaves, structure = flatten_tree(number(value))
            weights = [_random_direction(plain(leaf), chance) for leaf in leaves]
            adjoints = flatten_tree(pull(structure.build(weights)))[0]
            expected = sum(_inner(w, s) for w, s in zip(weights, slopes, strict=True))
            actual = sum(_inner(s, a) for s, a in zip(adjoints, along, strict=True))
            _raise_unless(_close(actual, expected), name, "VJP", actual, expected)
        if order > 1:
            transform, seed = (jvp, direction) if mode == "fwd" else (vjp, structure.build(weights))
            both, places = _with_seed(transform, function, picks), (*picks, len(arguments))
            _check_orders(both, places, modes, order - 1, (*arguments, seed), keywords, chance)


def _with_seed(transform: Callable[..., Tree], function: Callable[..., object], picks: Pick) -> Callable[..., Tree]:
    """Return the function of the arguments of f and, last, a seed, for the `transform` jvp or vjp of f.

    It returns the value of f and, for jvp, its tangent along the seed, a direction of the arguments; for vjp the
    adjoints of `picks` (positions or names of arguments) for the seed, an adjoint of the value.
    """

    def apply(*arguments: Tree, **keywords: Tree) -> Tree:
        result = transform(function, picks)(*arguments[:-1], **keywords)
        if transform is jvp:
            return result(arguments[-1])
        value, pull = result
        return value, pull(arguments[-1])

    return Transformed(transform, function, apply, picks)


def _random_direction(leaf: Plain, chance: random.Random) -> Plain:
    """Return a random number or array in the shape of `leaf`, normally distributed, drawn from `chance`.

    Complex if `leaf` is (both parts random). An array has the dtype of `leaf`. A number, a NumPy number or an array
    without axes gives a float or complex of Python.
    """
    if not shape(leaf):
        return complex(chance.gauss(0, 1), chance.gauss(0, 1)) if is_complex(leaf) else chance.gauss(0, 1)
    array: Doubles = leaf
    real_part = _gauss(array.shape, chance)
    return (real_part + 1j * _gauss(array.shape, chance) if is_complex(array) else real_part).astype(array.dtype)


def _gauss(shape: tuple[int, ...], chance: random.Random) -> Doubles:
    """Return an array of this shape of normally distributed random numbers."""
    size = math.prod(shape)
    if size > _FEW:
        return np.random.RandomState(chance.getrandbits(32)).randn(*shape)
    return np.array([chance.gauss(0, 1) for _ in range(size)], float).reshape(shape)


def _slopes_along(selected: Selected, at: Sequence[Plain], along: Sequence[Plain]) -> list[Plain]:
    """Return the derivative of each leaf of the result of `selected` at the leaves `at` along the direction `along`.

    It is the central difference with step 1e-6; the lists go leaf by leaf.
    """

    def shift(step: float) -> list[Plain]:
        leaves = [x + step * d for x, d in zip(at, along, strict=True)]
        return [plain(leaf) for leaf in selected.run(leaves)[0]]

    return [(ahead - behind) / (2 * STEP) for ahead, behind in zip(shift(STEP), shift(-STEP), strict=True)]


def _inner(a: Value, b: Value) -> float:
    """Return the real part of the sum of products of a and b."""
    product = plain(a) * plain(b)
    total: float = np.sum(product).real if shape(product) else product.real
    return total


def _close(actual: Value, expected: Value) -> bool:
    """Return whether shapes agree and all numbers differ by at most TOLERANCE·(1 + |expected|); nan never does."""
    actual, expected = plain(actual), plain(expected)
    if shape(actual) != shape(expected):
        return False
    gap = abs(actual - expected) - TOLERANCE * (1 + abs(expected))
    return bool(np.all(gap <= 0)) if shape(gap) else bool(gap <= 0)


def _raise_unless(agree: bool, name: str, kind: str, actual: object, expected: object) -> None:
    """Raise WrongDerivative unless `agree` is true.

    The title is `derivative (VJP) check of f failed`, with the `kind` (JVP or VJP) and the `name` of the function; the
    label gives the `actual` derivative, that of the rule, and the `expected` one, that of finite differences.
    """
    if not agree:
        raise WrongDerivative(
            f"derivative ({kind}) check of {name} failed",
            label=f"the rule gives {actual!r}, finite differences give {expected!r}",
            help="check the rule that defvjp or defjvp registers, and whether the function has a kink here",
        )
