"""Sums, products, extremes and statistics that leave out what is no number: nan has no share, and gets no slope."""

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
    """Where there are numbers; True where they are everywhere."""
    lost = np.isnan(plain(x))
    return where if not np.any(lost) else ~lost if where is True else ~lost & plain(where)


def _without(x: Array, instead: float) -> Array:
    """The array with other numbers instead of nan."""
    lost = np.isnan(plain(x))
    return np.where(lost, instead, x) if np.any(lost) else x


def nansum(
    x: Value, /, axis: Axis = None, dtype: DTypeLike | None = None, keepdims: bool = False,
    initial: Value | None = None, where: Mask = True,
) -> Value:  # fmt: skip
    """The sums of the numbers along axes."""
    return array_reductions.total(
        _without(as_array(x), 0.0), axis, dtype, keepdims=keepdims, initial=initial, where=where
    )  # fmt: skip


def nanprod(
    x: Value, /, axis: Axis = None, dtype: DTypeLike | None = None, keepdims: bool = False,
    initial: Value | None = None, where: Mask = True,
) -> Value:  # fmt: skip
    """The products of the numbers along axes."""
    return array_reductions.prod(
        _without(as_array(x), 1.0), axis, dtype, keepdims=keepdims, initial=initial, where=where
    )  # fmt: skip


def nanmean(
    x: Value, /, axis: Axis = None, dtype: DTypeLike | None = None, keepdims: bool = False, *, where: Mask = True
) -> Value:
    """The means of the numbers along axes."""
    x = as_array(x)
    return array_reductions.mean(_without(x, 0.0), axis, dtype, keepdims=keepdims, where=_there(x, where))


def nanvar(
    x: Value, /, axis: Axis = None, dtype: DTypeLike | None = None, ddof: float = 0, keepdims: bool = False, *,
    where: Mask = True, mean: Value | None = None, correction: float | None = None,
) -> Value:  # fmt: skip
    """The mean squared distances of the numbers from their mean along axes; nan for too few of them."""
    x = as_array(x)
    # NumPy gives nan where `ddof` leaves nothing to divide by, which `var` has as nan or infinity.
    there = _there(x, where)
    chosen = np.sum(np.broadcast_to(there, shape(x)), axis=axis, keepdims=bool(keepdims))
    found = array_reductions.var(
        _without(x, 0.0), axis, dtype, ddof=ddof, keepdims=keepdims, where=there, mean=mean, correction=correction
    )
    empty = chosen <= (ddof if correction is None else correction)
    return np.where(empty, found * np.nan, found) if np.any(empty) else found


def nanstd(
    x: Value, /, axis: Axis = None, dtype: DTypeLike | None = None, ddof: float = 0, keepdims: bool = False, *,
    where: Mask = True, mean: Value | None = None, correction: float | None = None,
) -> Value:  # fmt: skip
    """The square roots of the variances of the numbers along axes, with slope 0 where they are all the same."""
    found = nanvar(x, axis, dtype, ddof, keepdims, where=where, mean=mean, correction=correction)
    return array_reductions.root(found)


def _extreme(reduction: Callable[..., Value], last: float) -> Callable[..., Value]:
    """The largest or smallest of the numbers along axes; nan where there is none."""

    def extreme(
        x: Value, /, axis: Axis = None, keepdims: bool = False, initial: Value | None = None, where: Mask = True
    ) -> Value:
        x = as_array(x)
        found = reduction(_without(x, last), axis, keepdims=keepdims, initial=initial, where=where)
        if initial is not None:
            return found
        empty = np.all(np.isnan(plain(x)), axis=axis, keepdims=bool(keepdims))
        return np.where(empty, found * np.nan, found) if np.any(empty) else found

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
