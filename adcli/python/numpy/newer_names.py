"""Newer names of NumPy 2: functions of the array standard, which mostly have fewer options."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...numbers.numpy_arrays import np
from ..core.traced import as_array, shape
from . import array_reductions, contractions, rearranging

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ..core.traced import Array, Value
    from .contractions import Contracted


def _accumulated(reduction: Callable[..., Value], first: float) -> Callable[..., Value]:
    """Return the function for running results along an axis, which may be left out for one-dimensional arrays.

    With `include_initial` they begin with `first`.
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
    """The array in another type."""
    return rearranging.convert(as_array(x), dtype)


def matrix_transpose(x: Value, /) -> Array:
    """Each matrix with rows and columns exchanged."""
    return np.swapaxes(as_array(x), -1, -2)


def diagonal(x: Value, /, *, offset: int = 0) -> Array:
    """A diagonal of each matrix."""
    return np.diagonal(as_array(x), offset, -2, -1)


def trace(x: Value, /, *, offset: int = 0, dtype: DTypeLike | None = None) -> Value:
    """The sum along a diagonal of each matrix."""
    return array_reductions.trace(as_array(x), offset, -2, -1, dtype)


def outer(a: Value, b: Value, /) -> Value:
    """The products of each number of one vector with each of another."""
    a, b = as_array(a), as_array(b)
    if len(shape(a)) != 1 or len(shape(b)) != 1:
        raise ValueError("Input arrays must be one-dimensional")
    return contractions.outer(a, b)


def cross(a: Value, b: Value, /, *, axis: int = -1) -> Array:
    """The vectors at right angles to those of a and b, all in three dimensions."""
    a, b = as_array(a), as_array(b)
    if shape(a)[axis] != 3 or shape(b)[axis] != 3:
        raise ValueError("Both input arrays must be (arrays of) 3-dimensional vectors")
    return contractions.cross(a, b, axis=axis)


def vecdot(a: Value, b: Value, /, *, axis: int = -1) -> Value:
    """The sums of the products of the conjugate of a with b along an axis."""
    return contractions.vecdot(a, b, axis)


def tensordot(a: Value, b: Value, /, *, axes: Contracted = 2) -> Value:
    """The sum of products over some axes of both."""
    return contractions.tensordot(a, b, axes)


def handlers() -> dict[str, Callable[..., Value]]:
    """The functions by NumPy's names."""
    named = (diagonal, trace, outer, cross, vecdot, tensordot, matrix_transpose, contractions.matmul)
    return {f"linalg.{rule.__name__}": rule for rule in named} | {
        "cumulative_sum": _accumulated(array_reductions.cumsum, 0.0), "astype": astype,
        "cumulative_prod": _accumulated(array_reductions.cumprod, 1.0), "matrix_transpose": matrix_transpose,
    }  # fmt: skip
