"""Sums, products, extremes and statistics of arrays along axes."""

from __future__ import annotations

from typing import Any

from ..calculus.arrays import np
from ..calculus.overloading import plain
from .kinds import shape
from .linear import CUMSUM, SUM, as_array, getitem, kept, rearranged, unsupported
from .rules import Rule


def total(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, **_: Any) -> Any:
    return SUM(as_array(x), axis=_axis(axis), keepdims=bool(keepdims))


def _axis(axis: Any) -> Any:
    return tuple(axis) if isinstance(axis, (tuple, list)) else axis


def _count(x: Any, axis: Any) -> int:
    """How many numbers go into each result."""
    size = 1
    for n, k in zip(shape(x), kept(shape(x), axis), strict=True):
        size *= n // k if k else 1
    return size


def mean(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, **_: Any) -> Any:
    x, axis = as_array(x), _axis(axis)
    return SUM(x, axis=axis, keepdims=bool(keepdims)) / _count(x, axis)


def average(x: Any, axis: Any = None, weights: Any = None, **_: Any) -> Any:
    if weights is None:
        return mean(x, axis)
    return np.sum(x * weights, axis=axis) / np.sum(weights + 0 * plain(x), axis=axis)


def var(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = False,
        **_: Any) -> Any:  # fmt: skip
    x, axis = as_array(x), _axis(axis)
    off = x - mean(x, axis, keepdims=True)
    squares = off.real * off.real + off.imag * off.imag if np.iscomplexobj(off) else off * off
    return SUM(squares, axis=axis, keepdims=bool(keepdims)) / (_count(x, axis) - ddof)


def std(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = False,
        **_: Any) -> Any:  # fmt: skip
    return root(var(x, axis, ddof=ddof, keepdims=keepdims))


def root(x: Any) -> Any:
    """The square root, with slope 0 at 0, for sums of squares."""
    if not shape(x):
        return np.sqrt(x) if plain(x) else 0.0 * x
    empty = plain(x) == 0
    return np.where(empty, 0.0, np.sqrt(np.where(empty, 1.0, x)))


def prod(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, **_: Any) -> Any:
    """The product, two halves at a time, so that zeros among the factors need no division."""
    x, axis = as_array(x), _axis(axis)
    whole, want = shape(x), kept(shape(x), axis)
    reduced = [k for k in range(len(whole)) if axis is None or k in {a % len(whole) for a in _several(axis)}]
    stay = [k for k in range(len(whole)) if k not in reduced]
    x = np.reshape(np.transpose(x, [*reduced, *stay]) if whole else x, (-1, *(whole[k] for k in stay)))
    while shape(x)[0] > 1:
        half = shape(x)[0] // 2
        product = x[:half] * x[half : 2 * half]
        x = np.concatenate([product, x[2 * half :]]) if shape(x)[0] % 2 else product
    found = x[0] if shape(x)[0] else np.ones(shape(x)[1:])
    return np.reshape(found, want) if keepdims else found


def _several(axis: Any) -> tuple[int, ...]:
    return axis if isinstance(axis, tuple) else (axis,)


def _shares(x: Any, z: Any, axis: Any) -> Any:
    """What each element has of the largest or smallest: ties share equally."""
    bare = np.asarray(plain(x))
    hits = bare == np.reshape(plain(z), kept(bare.shape, axis))
    return hits / np.sum(hits, axis=axis, keepdims=True)


def _extreme(name: str) -> Rule:
    return Rule(
        name,
        lambda x, axis, keepdims: getattr(np, name)(x, axis=axis, keepdims=keepdims),
        pull=lambda k, g, z, x, axis, keepdims: np.reshape(g, kept(shape(x), axis)) * _shares(x, z, axis),
        push=lambda k, dot, z, x, axis, keepdims: np.sum(dot * _shares(x, z, axis), axis=axis, keepdims=keepdims),
    )


MAX, MIN = _extreme("max"), _extreme("min")


def largest(x: Any, axis: Any = None, out: Any = None, keepdims: Any = False, **_: Any) -> Any:
    return MAX(as_array(x), axis=_axis(axis), keepdims=bool(keepdims))


def smallest(x: Any, axis: Any = None, out: Any = None, keepdims: Any = False, **_: Any) -> Any:
    return MIN(as_array(x), axis=_axis(axis), keepdims=bool(keepdims))


def ptp(x: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    return largest(x, axis, keepdims=keepdims) - smallest(x, axis, keepdims=keepdims)


def cumsum(x: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    x = as_array(x)
    return CUMSUM(np.ravel(x), axis=0) if axis is None else CUMSUM(x, axis=axis)


def cumprod(x: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    x = np.ravel(x) if axis is None else np.moveaxis(x, axis, 0)
    found = [x[0]]
    for k in range(1, len(x)):
        found.append(found[-1] * x[k])
    return np.stack(found, 0 if axis is None else axis)


def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, **_: Any) -> Any:
    return np.sum(rearranged(np.diagonal)(x, offset, axis1, axis2), axis=-1)


def sort(x: Any, axis: Any = -1, **_: Any) -> Any:
    return rearranged(lambda places: _ordered(places, np.argsort, plain(x), axis))(x)


def partition(x: Any, kth: Any, axis: Any = -1, **_: Any) -> Any:
    return rearranged(lambda places: _ordered(places, lambda v, axis: np.argpartition(v, kth, axis), plain(x), axis))(x)


def _ordered(places: Any, order: Any, values: Any, axis: Any) -> Any:
    if axis is None:
        places, values, axis = np.ravel(places), np.ravel(values), -1
    return np.take_along_axis(places, order(values, axis=axis), axis)


def diff(x: Any, n: int = 1, axis: int = -1, **_: Any) -> Any:
    for _step in range(n):
        before = [slice(None)] * len(shape(x))
        after = list(before)
        before[axis], after[axis] = slice(None, -1), slice(1, None)
        x = getitem(x, tuple(after)) - getitem(x, tuple(before))
    return x


def gradient(x: Any, *spacing: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Central differences inside and one-sided ones at the ends, at unit distances."""
    if spacing or edge_order != 1:
        raise unsupported("gradient", "with distances or of order 2 at the edges")
    axes = range(len(shape(x))) if axis is None else _several(_axis(axis))
    found = []
    for a in axes:
        y = np.moveaxis(x, a, 0)
        ends = y[1:2] - y[:1], y[-1:] - y[-2:-1]
        found.append(np.moveaxis(np.concatenate([ends[0], (y[2:] - y[:-2]) / 2, ends[1]]), 0, a))
    return found[0] if len(found) == 1 else found
