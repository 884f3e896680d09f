"""Quantiles, percentiles and medians along axes: weighted means of two neighbours in sorted order.

The position of a quantile is that which NumPy returns for the numbers 0, 1, 2 …, so that all its methods are exact.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ...graph.overloading import plain
from ...numbers.numpy_arrays import np
from ...typings import Final
from ..core.traced import Array, Axis, Doubles, Function, Traced, Value, as_array, finite, shape
from ..core.unsupported import unsupported
from .rearranging import convert, merge_axes, shape_with_kept_axes

# The methods that are continuous in q: α and β of Hyndman and Fan (1996), for which the quantile q of n numbers is at
# the position α − 1 + q·(n + 1 − α − β), counted from 0.
_MOVING: Final = MappingProxyType({
    "linear": (1.0, 1.0), "hazen": (0.5, 0.5), "weibull": (0.0, 0.0), "interpolated_inverted_cdf": (0.0, 1.0),
    "median_unbiased": (1 / 3, 1 / 3), "normal_unbiased": (3 / 8, 3 / 8),
})  # fmt: skip


def _quantiles(
    name: str, x: Value, q: Value, unit: float, axis: Axis, method: str, keepdims: bool, weights: Value | None
) -> Value:  # fmt: skip
    """Return the result of NumPy's function `name` (quantile, percentile, median or nan…) for x and q along `axis`, by
    NumPy's `method`.

    q is in multiples of 1/`unit`, e.g. 100 for percent. Shape: that of q, then the axes that remain (of length 1 with
    `keepdims`). Names with "nan" skip nan; otherwise nan in a row gives nan. With `weights` a quantile is one of the
    elements; q and `weights` then have no slope. Raises the errors of NumPy, which is called first with plain values.
    """
    x, q = as_array(x), as_array(q)
    axis = tuple(axis) if isinstance(axis, list) else axis
    options = {} if weights is None else {"weights": plain(as_array(weights))}
    if name.endswith("median"):
        bare = getattr(np, name)(plain(x), axis=axis)
    else:
        bare = getattr(np, name)(plain(x), plain(q), axis=axis, method=method, **options)
    rows = merge_axes(x, axis, -1)
    if weights is not None:
        results = _select_elements(rows, np.asarray(bare), np.ndim(plain(q)))
    else:
        results = _interpolate(rows, q / unit, method, skipping=name.startswith("nan"))
    results = convert(results, np.asarray(bare).dtype)
    ahead = shape(q)
    return np.reshape(
        results, (*ahead, *shape_with_kept_axes(shape(x), axis)) if keepdims else (*ahead, *shape(rows)[:-1])
    )


def _select_elements(rows: Array, bare: Doubles, ahead: int) -> Array:
    """Return the traced elements of the rows that equal the plain results `bare` (of equal ones the first).

    Where bare is nan the result is nan. Rows are along the last axis. `ahead` is the number of leading axes of `bare`
    that belong to q; the result has one axis for them all, first (of length 1 if `ahead` is 0).
    """
    targets = np.reshape(bare, (-1, *bare.shape[ahead:], 1))
    places = np.argmax(plain(rows) == targets, axis=-1)
    elements = np.take_along_axis(rows, np.moveaxis(places, 0, -1), -1)
    return np.where(np.isnan(targets[..., 0]), np.nan, np.moveaxis(elements, -1, 0))


def _interpolate(rows: Array, q: Array, method: str, skipping: bool) -> Array:
    """Return the quantiles q (0 to 1) of each row, along the last axis, by NumPy's `method`.

    The result has the axes of q as one axis, then those of the rows. With `skipping` nan is left out, and a row without
    numbers gives nan; without it a row with nan gives nan. A traced q has as slope that of the position in the sorted
    row, times the difference of the two neighbours there.
    """
    bare = np.asarray(plain(rows))
    is_nan = np.isnan(bare)
    counts = np.sum(~is_nan, axis=-1)
    plain_q = np.ravel(plain(q))
    places, rates = np.zeros((plain_q.size, *counts.shape)), np.zeros((plain_q.size, *counts.shape))
    for n in np.unique(counts):
        if n:
            rows_of_n = counts == n
            place, rate = _sorted_places(plain_q, int(n), method)
            places[:, rows_of_n], rates[:, rows_of_n] = place[:, None], rate[:, None]
    low = np.minimum(np.floor(places).astype(int), np.maximum(counts - (2 if isinstance(q, Traced) else 1), 0))
    high = np.minimum(low + 1, np.maximum(counts - 1, 0))
    fraction = (places - low).astype(bare.real.dtype)
    if isinstance(q, Traced):
        fraction = fraction + rates * np.reshape(np.ravel(q) - plain_q, (-1, *(1,) * counts.ndim))
    ordered = np.take_along_axis(rows, np.argsort(bare, axis=-1), -1)
    lower, upper = (
        np.moveaxis(np.take_along_axis(ordered, np.moveaxis(k, 0, -1), -1), -1, 0) for k in (low, high)
    )  # fmt: skip
    results = lower + fraction * (upper - lower)
    if not finite(rows):
        results = np.where(plain(fraction) == 0, lower, results)
    is_missing = counts == 0 if skipping else np.any(is_nan, axis=-1)
    return np.where(is_missing, results * np.nan, results) if np.any(is_missing) else results


def _sorted_places(q: Doubles, n: int, method: str) -> tuple[Doubles, Doubles]:
    """Return (the positions of the quantiles q of n sorted numbers, from 0, their derivatives with respect to q).

    `method` is NumPy's name of the interpolation; the derivatives are 0 for one that does not interpolate, and where a
    position is limited to the first or last number.
    """
    places = np.asarray(np.quantile(np.arange(n, dtype=float), q, method=method), float)
    if method not in _MOVING:
        return places, np.zeros(q.shape)
    alpha, beta = _MOVING[method]
    rate = n + 1 - alpha - beta
    inside = np.abs(alpha - 1 + q * rate - places) < 1e-9 * n
    return places, np.where(inside, rate, 0.0)


def _quantile_rule(name: str, unit: float) -> Function:
    """Return the rule for NumPy's function `name`, with its signature; its q is in multiples of 1/`unit` (1 or 100).

    The rule raises Unsupported for a traced method, and NumPy's ValueError for q outside of its range or an unknown
    method.
    """

    def quantiles(
        x: Value, q: Value, /, axis: Axis = None, method: str = "linear", keepdims: bool = False, *,
        weights: Value | None = None,
    ) -> Value:  # fmt: skip
        if isinstance(method, Traced):
            raise unsupported(name, "with method=")
        return _quantiles(name, x, q, unit, axis, method, bool(keepdims), weights)

    return quantiles


def median(x: Value, /, axis: Axis = None, keepdims: bool = False) -> Value:
    """Return the medians along axes; nan where a number is nan."""
    return _quantiles("median", x, 0.5, 1.0, axis, "linear", bool(keepdims), None)


def nanmedian(x: Value, /, axis: Axis = None, keepdims: bool = False) -> Value:
    """Return the medians along axes of the elements that are not nan."""
    return _quantiles("nanmedian", x, 0.5, 1.0, axis, "linear", bool(keepdims), None)


RULES: Mapping[str, Function] = {
    "median": median, "nanmedian": nanmedian,
    **{name: _quantile_rule(name, 1.0) for name in ("quantile", "nanquantile")},
    **{name: _quantile_rule(name, 100.0) for name in ("percentile", "nanpercentile")},
}  # fmt: skip
