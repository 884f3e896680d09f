"""Rules for what moves numbers about without changing them, and for sums of them: all linear.

The tangent of a linear function is the function of the tangent; what it has of its own is the way back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import RequestError
from ..graph.overloading import plain
from ..numbers.arrays import np
from .containers import flattened
from .operation import fitted
from .operations import Rule
from .parts import Piece, scattered
from .traced import Traced, number
from .traces import zeros_like
from .values import shape


def linear(name: str, value: Callable[..., Any], back: Callable[..., Any]) -> Rule:
    """A linear function of one array: `back(g, x, **keywords)` is its transpose."""

    def push(k: int, dot: Any, z: Any, x: Any, **keywords: Any) -> Any:
        return rule(dot, **keywords)

    rule = Rule(name, value, pull=lambda k, g, z, x, **keywords: back(g, x, **keywords), push=push)
    return rule


def kept(lengths: tuple[int, ...], axis: Any) -> tuple[int, ...]:
    """The shape with the reduced axes kept as ones."""
    if axis is None:
        return (1,) * len(lengths)
    axes = axis if isinstance(axis, tuple) else (axis,)
    reduced = {a % len(lengths) for a in axes} if lengths else set()
    return tuple(1 if k in reduced else n for k, n in enumerate(lengths))


def inverse(order: Sequence[int]) -> tuple[int, ...]:
    """The permutation that undoes another."""
    return tuple(sorted(range(len(order)), key=order.__getitem__))


SUM = linear(
    "sum",
    lambda x, axis=None, keepdims=False: np.sum(x, axis=axis, keepdims=keepdims),
    lambda g, x, axis=None, keepdims=False: np.broadcast_to(np.reshape(g, kept(shape(x), axis)), shape(x)),
)
BROADCAST = linear("broadcast_to", lambda x, to: np.broadcast_to(x, to), lambda g, x, to: fitted(g, x))
RESHAPE = linear(
    "reshape",
    lambda x, to, order="C": np.reshape(x, to, order=order),
    lambda g, x, to, order="C": np.reshape(g, shape(x), order=order),
)
TRANSPOSE = linear(
    "transpose",
    lambda x, axes: np.transpose(x, axes),
    lambda g, x, axes: np.transpose(g, None if axes is None else inverse([a % len(axes) for a in axes])),
)
CUMSUM = linear(
    "cumsum",
    lambda x, axis: np.cumsum(x, axis=axis),
    lambda g, x, axis: np.flip(np.cumsum(np.flip(g, axis), axis=axis), axis),
)
CAST = linear("astype", lambda x, dtype: np.asarray(x).astype(dtype), lambda g, x, dtype: g)


def cast(x: Any, dtype: Any, casting: str = "unsafe") -> Any:
    """The numbers as another type; whole numbers are constant between jumps, so that no derivative passes."""
    dtype, bare = np.dtype(dtype), np.asarray(plain(x))
    if not np.can_cast(bare.dtype, dtype, casting):
        raise TypeError(f"Cannot cast array data from {bare.dtype!r} to {dtype!r} according to the rule {casting!r}")
    return bare.astype(dtype) if dtype.kind not in "fc" else x if bare.dtype == dtype else CAST(x, dtype=dtype)


def typed(name: str, x: Any, dtype: Any) -> Any:
    """The array in the type that a function of NumPy is to compute in."""
    if dtype is None:
        return x
    if np.dtype(dtype).kind not in "fc" or not np.can_cast(plain(x).dtype, dtype, "same_kind"):
        raise unsupported(name, f"with dtype={np.dtype(dtype).name}")
    return cast(x, dtype)


# --- parts of arrays --------------------------------------------------------------------------------------------------


def getitem(x: Any, index: Any) -> Any:
    """A part of an array: by whole numbers, slices, masks and arrays of whole numbers."""
    parts = index if isinstance(index, tuple) else (index,)
    return PART(x, index=tuple(map(plain, parts)) if isinstance(index, tuple) else plain(index))


def _part_back(g: Any, x: Any, index: Any) -> Any:
    like = plain(x)
    return SCATTER(g, index=index, like=like) if isinstance(g, Traced) else Piece(g, index, like)


PART: Rule = linear("getitem", lambda x, index: x[index], _part_back)
SCATTER: Rule = linear("setitem", scattered, lambda g, x, index, like: getitem(g, index) if shape(g) else g)


def _gathered(x: Any, picks: Any) -> Any:
    flat = np.ravel(x)
    return np.concatenate([np.zeros(1, flat.dtype), flat])[picks]


def _spread(g: Any, picks: Any, like: Any) -> Any:
    """The sum over all picks of each place; place 0 is no place."""
    flat, count = np.ravel(picks), np.size(like) + 1
    weights = np.ravel(g)
    total = np.bincount(flat, weights.real, count)
    if weights.dtype.kind == "c":
        total = total + 1j * np.bincount(flat, weights.imag, count)
    return np.reshape(total[1:], shape(like))


GATHER: Rule = linear("take", _gathered, lambda g, x, picks: SPREAD(g, picks=picks, like=plain(x)))
SPREAD: Rule = linear("put", _spread, lambda g, x, picks, like: GATHER(g, picks=picks))


def places(like: Any, start: int = 1) -> Any:
    """The array of the numbers of its elements, from 1: what a function makes of it tells where each element goes."""
    return np.arange(start, start + np.size(plain(like))).reshape(shape(like))


def gathered(x: Any, picks: Any) -> Any:
    """The elements at the places; 0 where the place is 0."""
    if isinstance(picks, (list, tuple)):
        return type(picks)(gathered(x, part) for part in picks)
    return GATHER(x, picks=picks)


def rearranged(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of NumPy that only chooses, repeats and moves elements (or puts zeros), for traced arrays."""

    def rearrange(x: Any, *arguments: Any, **keywords: Any) -> Any:
        x = as_array(x)
        return gathered(x, function(places(x), *map(plain, arguments), **keywords))

    return rearrange


def joined(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same for a function of a sequence of arrays, which may be nested."""

    def join(arrays: Any, *arguments: Any, **keywords: Any) -> Any:
        if isinstance(arrays, Traced):
            return rearranged(function)(arrays, *arguments, **keywords)
        leaves, structure = flattened(arrays)
        found = [as_array(a) for a in leaves]
        starts = [1, *np.cumsum([plain(a).size for a in found]) + 1]
        numbered = structure.build([places(a, s) for a, s in zip(found, starts, strict=False)])
        return gathered(concatenate([np.ravel(a) for a in found]), function(numbered, *arguments, **keywords))

    return join


def as_array(x: Any) -> Any:
    """An array, traced or not, of what may also be a number or a list that holds traced numbers."""
    if isinstance(x, Traced):
        return x
    x = number(np.asarray(x))
    return x if isinstance(x, Traced) else np.asarray(x)


# --- several arrays ---------------------------------------------------------------------------------------------------


def _concatenate_pull(k: int, g: Any, z: Any, *arrays: Any, axis: int) -> Any:
    before = sum(shape(a)[axis] for a in arrays[:k])
    span = slice(before, before + shape(arrays[k])[axis])
    return getitem(g, (*([slice(None)] * (axis % len(shape(g)))), span))


def _among_zeros(k: int, dot: Any, arrays: Sequence[Any]) -> list[Any]:
    return [dot if position == k else zeros_like(a) for position, a in enumerate(arrays)]


CONCATENATE: Rule = Rule(
    "concatenate",
    lambda *arrays, axis: np.concatenate(arrays, axis=axis),
    pull=_concatenate_pull,
    push=lambda k, dot, z, *arrays, axis: CONCATENATE(*_among_zeros(k, dot, arrays), axis=axis),
)
STACK: Rule = Rule(
    "stack",
    lambda *arrays, axis: np.stack(arrays, axis=axis),
    pull=lambda k, g, z, *arrays, axis: getitem(g, (*([slice(None)] * (axis % len(shape(g)))), k)),
    push=lambda k, dot, z, *arrays, axis: STACK(*_among_zeros(k, dot, arrays), axis=axis),
)


def concatenate(arrays: Any, /, axis: Any = 0, *, dtype: Any = None) -> Any:
    found = [typed("concatenate", as_array(a), dtype) for a in arrays]
    if axis is None:
        found, axis = [np.ravel(a) for a in found], 0
    return CONCATENATE(*found, axis=axis)


def stack(arrays: Any, /, axis: int = 0, *, dtype: Any = None) -> Any:
    return STACK(*[typed("stack", as_array(a), dtype) for a in arrays], axis=axis)


def _where_pull(k: int, g: Any, z: Any, a: Any, b: Any, condition: Any) -> Any:
    return fitted(where(condition, *((g, 0.0) if k == 0 else (0.0, g))), (a, b)[k])


def _where_push(k: int, dot: Any, z: Any, a: Any, b: Any, condition: Any) -> Any:
    return where(condition, *((dot, 0.0) if k == 0 else (0.0, dot)))


WHERE = Rule("where", lambda a, b, condition: np.where(condition, a, b), pull=_where_pull, push=_where_push)


def where(condition: Any, x: Any = None, y: Any = None, /) -> Any:
    """Elements of x where the condition holds, else of y: what is not taken has derivative 0."""
    if x is None and y is None:
        return np.where(plain(condition))
    return WHERE(_element(x), _element(y), condition=plain(condition))


def _element(x: Any) -> Any:
    return as_array(x) if isinstance(x, (list, tuple)) else x


def unsupported(name: str, why: str = "") -> Unsupported:
    """The error for a function of NumPy that has no rule, or none for arguments of this kind."""
    why = f" {why}" if why else ""
    return Unsupported(
        f"numpy.{name} of a traced array has no rule{why}",
        help="write it with other functions of NumPy, or give it a rule with defvjp or defjvp",
    )


class Unsupported(RequestError, NotImplementedError):
    """A function of NumPy that this room has no rule for."""
