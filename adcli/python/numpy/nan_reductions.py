"""Reductions that leave out nan: sums, products, extremes and statistics; nan contributes nothing and has no slope."""

from __future__ import annotations

from collections.abc import Callable
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
    lost = np.isnan(plain(x))
    return where if not np.any(lost) else ~lost if where is True else ~lost & plain(where)


def _without(x: Array, instead: float) -> Array:
    """Return the array with the number `instead` in the place of each nan."""
    lost = np.isnan(plain(x))
    return np.where(lost, instead, x) if np.any(lost) else x


def nansum(
    x: Value, /, axis: Axis = None, dtype: DTypeLike | None = None, keepdims: bool = False,
    initial: Value | None = None, where: Mask = True,
) -> Value:  # fmt: skip
    """Return the sums along axes of the elements that are not nan."""
    return array_reductions.total(
        _without(as_array(x), 0.0), axis, dtype, keepdims=keepdims, initial=initial, where=where
    )  # fmt: skip


def nanprod(
    x: Value, /, axis: Axis = None, dtype: DTypeLike | None = None, keepdims: bool = False,
    initial: Value | None = None, where: Mask = True,
) -> Value:  # fmt: skip
    """Return the products along axes of the elements that are not nan."""
    return array_reductions.prod(
        _without(as_array(x), 1.0), axis, dtype, keepdims=keepdims, initial=initial, where=where
    )  # fmt: skip


def nanmean(
    x: Value, /, axis: Axis = None, dtype: DTypeLike | None = None, keepdims: bool = False, *, where: Mask = True
) -> Value:
    """Return the means along axes of the elements that are not nan."""
    x = as_array(x)
    return array_reductions.mean(_without(x, 0.0), axis, dtype, keepdims=keepdims, where=_there(x, where))


def nanvar(
    x: Value, /, axis: Axis = None, dtype: DTypeLike | None = None, ddof: float = 0, keepdims: bool = False, *,
    where: Mask = True, mean: Value | None = None, correction: float | None = None,
) -> Value:  # fmt: skip
    """Return the variances along axes of the elements that are not nan; nan if `ddof` is not less than their number."""
    x = as_array(x)
    # NumPy returns nan if the divisor is not positive, where `var` returns nan or infinity.
    there = _there(x, where)
    counts = np.sum(np.broadcast_to(there, shape(x)), axis=axis, keepdims=bool(keepdims))
    variances = array_reductions.var(
        _without(x, 0.0), axis, dtype, ddof=ddof, keepdims=keepdims, where=there, mean=mean, correction=correction
    )
    too_few = counts <= (ddof if correction is None else correction)
    return np.where(too_few, variances * np.nan, variances) if np.any(too_few) else variances


def nanstd(
    x: Value, /, axis: Axis = None, dtype: DTypeLike | None = None, ddof: float = 0, keepdims: bool = False, *,
    where: Mask = True, mean: Value | None = None, correction: float | None = None,
) -> Value:  # fmt: skip
    """Return the standard deviations of the elements that are not nan, with slope 0 where they are all equal."""
    variances = nanvar(x, axis, dtype, ddof, keepdims, where=where, mean=mean, correction=correction)
    return array_reductions.root(variances)


def _extreme(reduction: Callable[..., Value], last: float) -> Callable[..., Value]:
    """Return the function for the largest or smallest element that is not nan; nan if all are nan.

    `last` replaces nan: −∞ for the largest, ∞ for the smallest.
    """

    def extreme(
        x: Value, /, axis: Axis = None, keepdims: bool = False, initial: Value | None = None, where: Mask = True
    ) -> Value:
        """Return the extremes along axes; `initial` if nothing else is there."""
        x = as_array(x)
        extremes = reduction(_without(x, last), axis, keepdims=keepdims, initial=initial, where=where)
        if initial is not None:
            return extremes
        empty = np.all(np.isnan(plain(x)), axis=axis, keepdims=bool(keepdims))
        return np.where(empty, extremes * np.nan, extremes) if np.any(empty) else extremes

    return extreme


def nancumsum(x: Value, /, axis: Axis = None, dtype: DTypeLike | None = None) -> Value:
    """The sums of the numbers so far along an axis; of all in one row for None."""
    return array_reductions.cumsum(_without(as_array(x), 0.0), axis, dtype)


def nancumprod(x: Value, /, axis: Axis = None, dtype: DTypeLike | None = None) -> Value:
    """The products of the numbers so far along an axis; of all in one row for None."""
    return array_reductions.cumprod(_without(as_array(x), 1.0), axis, dtype)


def handlers() -> dict[str, Callable[..., Value]]:
    """The functions by NumPy's names."""
    named = (nansum, nanprod, nanmean, nanvar, nanstd, nancumsum, nancumprod)
    extremes = {"nanmax": (array_reductions.largest, -np.inf), "nanmin": (array_reductions.smallest, np.inf)}
    return {rule.__name__: rule for rule in named} | {name: _extreme(*pick) for name, pick in extremes.items()}
