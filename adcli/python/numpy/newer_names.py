"""Newer names of NumPy 2: functions of the array standard, which mostly have fewer options."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...numbers.numpy_arrays import np
from ...typings import TYPE_CHECKING
from ..core.traced import as_array, shape
from . import array_reductions, contractions, rearranging

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ..core.traced import Array, Value


def _accumulation(reduction: Callable[..., Value], first: float) -> Callable[..., Value]:
    """Return the function for running results by `reduction` along `axis`, which may be left out for one-dimensional
    arrays.

    With `include_initial` they begin with `first`, and are one longer. The function raises ValueError without an axis
    for any other number of axes.
    """

    def accumulate(
        x: Value, /, *, axis: int | None = None, dtype: DTypeLike | None = None, include_initial: bool = False
    ) -> Value:
        """Return the running results; ValueError without an axis for an array with several axes."""
        x = as_array(x)
        if axis is None and len(shape(x)) != 1:
            raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
        (along,) = rearranging.axes_of(0 if axis is None else axis)
        results = as_array(reduction(x, along, dtype))
        if not include_initial:
            return results
        lengths = list(shape(results))
        lengths[along] = 1
        return np.concatenate([np.full(lengths, first, results.dtype), results], axis=along)

    return accumulate


def astype(x: Value, dtype: DTypeLike, /, *, copy: bool = True) -> Value:
    """Return the array in another type."""
    return rearranging.convert(as_array(x), dtype)


def diagonal(x: Value, /, *, offset: int = 0) -> Array:
    """Return a diagonal of each matrix."""
    return np.diagonal(as_array(x), offset, -2, -1)


def trace(x: Value, /, *, offset: int = 0, dtype: DTypeLike | None = None) -> Value:
    """Return the sum along a diagonal of each matrix."""
    return array_reductions.trace(as_array(x), offset, -2, -1, dtype)


def outer(a: Value, b: Value, /) -> Value:
    """Return the products of each number of one vector with each of another; ValueError for other arrays."""
    a, b = as_array(a), as_array(b)
    if len(shape(a)) != 1 or len(shape(b)) != 1:
        raise ValueError("Input arrays must be one-dimensional")
    return contractions.outer(a, b)


def cross(a: Value, b: Value, /, *, axis: int = -1) -> Array:
    """Return the cross products of vectors with three components along an axis; ValueError for other vectors."""
    a, b = as_array(a), as_array(b)
    if shape(a)[axis] != 3 or shape(b)[axis] != 3:
        raise ValueError("Both input arrays must be (arrays of) 3-dimensional vectors")
    return contractions.cross(a, b, axis=axis)


RULES: Mapping[str, Callable[..., Value]] = {
    **rearranging.by_name(diagonal, trace, outer, cross, module="linalg."),
    **rearranging.by_name(contractions.vecdot, contractions.tensordot, contractions.matmul, module="linalg."),
    "linalg.matrix_transpose": rearranging.mirror, "matrix_transpose": rearranging.mirror, "astype": astype,
    "cumulative_sum": _accumulation(array_reductions.cumsum, 0.0),
    "cumulative_prod": _accumulation(array_reductions.cumprod, 1.0),
}  # fmt: skip
