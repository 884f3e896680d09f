"""Medians, percentiles and quantiles along axes: weighted means of two neighbours in order.

Where a quantile lies among the numbers in order is what NumPy says of 0, 1, 2 …: so each of its methods is its own.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from ...graph.overloading import plain
from ...numbers.numpy_arrays import np
from ..core.traced import Traced, as_array, finite, shape
from ..core.unsupported import unsupported
from .rearranging import axes_of, convert, kept

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from ..core.traced import Array, Axis, Value

# The methods that move with the quantile asked for: α and β of Hyndman and Fan (1996), by which the q-th of n numbers
# has the place α − 1 + q·(n + 1 − α − β), counted from 0.
_MOVING: Final = MappingProxyType({
    "linear": (1.0, 1.0), "hazen": (0.5, 0.5), "weibull": (0.0, 0.0), "interpolated_inverted_cdf": (0.0, 1.0),
    "median_unbiased": (1 / 3, 1 / 3), "normal_unbiased": (3 / 8, 3 / 8),
})  # fmt: skip


def _rows(x: Array, axis: Axis) -> Array:
    """The array with all axes that are gone through as one, the last."""
    count = len(shape(x))
    gone = range(count) if axis is None else [a % count for a in axes_of(axis)]
    stay = [a for a in range(count) if a not in gone]
    moved = np.transpose(x, [*stay, *gone]) if count else x
    return np.reshape(moved, (*(shape(x)[a] for a in stay), -1))


def _quantiles(
    name: str, x: Value, q: Value, unit: float, axis: Axis, method: str, keepdims: bool, weights: Value | None
) -> Value:  # fmt: skip
    """What NumPy's function `name` gives for the quantiles q, in units of a hundredth or of one."""
    x, q = as_array(x), as_array(q)
    axis = tuple(axis) if isinstance(axis, list) else axis
    options = {} if weights is None else {"weights": plain(as_array(weights))}
    if name.endswith("median"):
        bare = getattr(np, name)(plain(x), axis=axis)
    else:
        bare = getattr(np, name)(plain(x), plain(q), axis=axis, method=method, **options)
    rows = _rows(x, axis)
    if weights is not None:
        found = _among(rows, np.asarray(bare), np.ndim(plain(q)))
    else:
        found = _between(rows, q / unit, method, skipping=name.startswith("nan"))
    found = convert(found, np.asarray(bare).dtype)
    ahead = shape(q)
    return np.reshape(found, (*ahead, *kept(shape(x), axis)) if keepdims else (*ahead, *shape(rows)[:-1]))


def _among(rows: Array, bare: NDArray[numpy.inexact], ahead: int) -> Array:
    """Results that are numbers of the rows themselves: which of them, that depends on no number continuously."""
    wanted = np.reshape(bare, (-1, *bare.shape[ahead:], 1))
    places = np.argmax(plain(rows) == wanted, axis=-1)
    found = np.take_along_axis(rows, np.moveaxis(places, 0, -1), -1)
    return np.where(np.isnan(wanted[..., 0]), np.nan, np.moveaxis(found, -1, 0))


def _between(rows: Array, q: Array, method: str, skipping: bool) -> Array:
    """The quantiles of each row; first the axes of q in one, then those of the rows."""
    bare = np.asarray(plain(rows))
    lost = np.isnan(bare)
    counts = np.sum(~lost, axis=-1)
    asked = np.ravel(plain(q))
    places, moves = np.zeros((asked.size, *counts.shape)), np.zeros((asked.size, *counts.shape))
    for n in np.unique(counts):
        if n:
            there = counts == n
            place, move = _places(asked, int(n), method)
            places[:, there], moves[:, there] = place[:, None], move[:, None]
    low = np.minimum(np.floor(places).astype(int), np.maximum(counts - (2 if isinstance(q, Traced) else 1), 0))
    high = np.minimum(low + 1, np.maximum(counts - 1, 0))
    share = (places - low).astype(bare.real.dtype)
    if isinstance(q, Traced):
        share = share + moves * np.reshape(np.ravel(q) - asked, (-1, *(1,) * counts.ndim))
    ordered = np.take_along_axis(rows, np.argsort(bare, axis=-1), -1)
    lower, upper = (
        np.moveaxis(np.take_along_axis(ordered, np.moveaxis(k, 0, -1), -1), -1, 0) for k in (low, high)
    )  # fmt: skip
    found = lower + share * (upper - lower)
    if not finite(rows):
        found = np.where(plain(share) == 0, lower, found)
    without = counts == 0 if skipping else np.any(lost, axis=-1)
    return np.where(without, found * np.nan, found) if np.any(without) else found


def _places(q: NDArray[numpy.floating], n: int, method: str) -> tuple[NDArray[numpy.floating], NDArray[numpy.floating]]:
    """Where the quantiles of n numbers in order lie, counted from 0, and how fast they move with q."""
    places = np.asarray(np.quantile(np.arange(n, dtype=float), q, method=method), float)
    if method not in _MOVING:
        return places, np.zeros(q.shape)
    alpha, beta = _MOVING[method]
    rate = n + 1 - alpha - beta
    inside = np.abs(alpha - 1 + q * rate - places) < 1e-9 * n
    return places, np.where(inside, rate, 0.0)


def _of(name: str, unit: float) -> Callable[..., Value]:
    """The function that NumPy has by this name."""

    def quantiles(
        x: Value, q: Value, /, axis: Axis = None, method: str = "linear", keepdims: bool = False, *,
        weights: Value | None = None,
    ) -> Value:  # fmt: skip
        if isinstance(method, Traced):
            raise unsupported(name, "with method=")
        return _quantiles(name, x, q, unit, axis, method, bool(keepdims), weights)

    return quantiles


def _median_of(name: str) -> Callable[..., Value]:
    def median(x: Value, /, axis: Axis = None, keepdims: bool = False) -> Value:
        return _quantiles(name, x, 0.5, 1.0, axis, "linear", bool(keepdims), None)

    return median


def handlers() -> dict[str, Callable[..., Value]]:
    """The functions by NumPy's names."""
    return {name: _median_of(name) for name in ("median", "nanmedian")} | {
        name: _of(name, unit)
        for name, unit in (("quantile", 1.0), ("nanquantile", 1.0), ("percentile", 100.0), ("nanpercentile", 100.0))
    }
