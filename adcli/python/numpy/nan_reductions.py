"""Reductions that leave out nan: sums, products, extremes and statistics; nan contributes nothing and has no slope."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import TYPE_CHECKING

from ...graph.overloading import plain
from ...numbers.numpy_arrays import np
from ..core.traced import as_array, shape
from . import array_reductions

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ..core.traced import Array, Axis, Mask, Value


def _there(x: Array, where: Mask = True) -> Mask:
    """Return the mask of the elements that `where` selects and that are not nan; `where` itself if none is nan."""
    is_nan = np.isnan(plain(x))
    return where if not np.any(is_nan) else ~is_nan if where is True else ~is_nan & plain(where)


def _without(x: Array, instead: float) -> Array:
    """Return the array with the number `instead` for each nan."""
    is_nan = np.isnan(plain(x))
    return np.where(is_nan, instead, x) if np.any(is_nan) else x


def _replacing_nan(reduction: Callable[..., Value], instead: float) -> Callable[..., Value]:
    """Return `reduction`, with its own signature, applied to x with nan replaced by `instead`, which contributes
    nothing.

    For example 0 for sums and 1 for products; a row of nan alone then gives `instead`.
    """

    @wraps(reduction)
    def reduce(x: Value, /, *arguments: object, **options: object) -> Value:
        return reduction(_without(as_array(x), instead), *arguments, **options)

    return reduce


def nanmean(
    x: Array, /, axis: Axis = None, dtype: DTypeLike | None = None, *, keepdims: bool = False, where: Mask = True
) -> Value:
    """Return the means along axes of the elements that are not nan."""
    return array_reductions.mean(_without(x, 0.0), axis, dtype, keepdims=keepdims, where=_there(x, where))


def nanvar(
    x: Array, /, axis: Axis = None, dtype: DTypeLike | None = None, *, ddof: float = 0, keepdims: bool = False,
    where: Mask = True, mean: Value | None = None, correction: float | None = None,
) -> Value:  # fmt: skip
    """Return the variances along axes (None: all) of the elements that are not nan and that `where` selects.

    The divisor is their number less `ddof`, or `correction` if it is given; nan if it is not positive. `mean` is the
    mean if already known; `keepdims` keeps the axes with length 1. Errors are those of `var`.
    """
    # NumPy returns nan if the divisor is not positive, where `var` returns nan or infinity.
    there = _there(x, where)
    counts = np.sum(np.broadcast_to(there, shape(x)), axis=axis, keepdims=bool(keepdims))
    variances = array_reductions.var(
        _without(x, 0.0), axis, dtype, ddof=ddof, keepdims=keepdims, where=there, mean=mean, correction=correction
    )
    too_few = counts <= (ddof if correction is None else correction)
    return np.where(too_few, variances * np.nan, variances) if np.any(too_few) else variances


def _extreme(extreme: Callable[..., Value], last: float) -> Callable[..., Value]:
    """Return the function for the largest or smallest element that is not nan; nan where all are nan, unless `initial`
    is given.

    `extreme` is the rule for max or min; `last` replaces nan: −∞ for the largest, ∞ for the smallest.
    """

    @wraps(extreme)
    def of_numbers(x: Value, /, axis: Axis = None, *, initial: Value | None = None, **options: object) -> Value:
        """Return the extremes along axes (None: all) of the elements that are not nan.

        Where there are none the result is nan, or `initial` if it is given; `options` are those of `extreme`.
        """
        x = as_array(x)
        extremes = extreme(_without(x, last), axis, initial=initial, **options)
        empty = np.all(np.isnan(plain(x)), axis=axis, keepdims=bool(options.get("keepdims", False)))
        return np.where(empty, extremes * np.nan, extremes) if initial is None and np.any(empty) else extremes

    return of_numbers


# By NumPy's names.
RULES: Mapping[str, Callable[..., Value]] = {
    "nansum": _replacing_nan(array_reductions.total, 0.0),
    "nanprod": _replacing_nan(array_reductions.prod, 1.0),
    "nancumsum": _replacing_nan(array_reductions.cumsum, 0.0),
    "nancumprod": _replacing_nan(array_reductions.cumprod, 1.0),
    "nanmax": _extreme(array_reductions.largest, -np.inf),
    "nanmin": _extreme(array_reductions.smallest, np.inf),
    "nanmean": nanmean,
    "nanvar": nanvar,
    "nanstd": array_reductions.root_of(nanvar),
}
