"""Fitting of adjoints to the shape of the argument they belong to: sums over the axes that were broadcast."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from ...numbers.numpy_arrays import np
from .traced import Traced, is_complex, shape

if TYPE_CHECKING:
    from .traced import Doubles, Value


@overload
def fit(g: None, x: Value) -> None: ...
@overload
def fit(g: Value, x: Value) -> Value: ...
def fit(g: Value | None, x: Value) -> Value | None:
    """Return the adjoint `g` in the shape of its argument `x`, summed over the axes along which x was broadcast.

    The sum over all for a number x; the real part if x is real and g complex. None for None; `g` itself if shape and
    type agree. The shape of g must be one that x broadcasts to.
    """
    if g is None:
        return None
    if type(g) is type(x) and type(g) is not Traced and hasattr(g, "dtype"):
        array: Doubles = g
        like: Doubles = x
        if array.shape == like.shape and array.dtype == like.dtype:
            return g
    g_shape, x_shape = shape(g), shape(x)
    if g_shape != x_shape:
        extra = len(g_shape) - len(x_shape)
        spread = tuple(k for k, n in enumerate(g_shape) if k < extra or (x_shape[k - extra] == 1 and n != 1))
        g = np.reshape(np.sum(g, axis=spread), x_shape) if x_shape else np.sum(g)
    return g.real if is_complex(g) and not is_complex(x) else g


def fit_rows(g: Value, x: Value) -> Doubles:
    """Return many adjoints `g`, along a first axis, each in the shape of their argument `x`, as `fit` does for one.

    Axes along which x was broadcast are summed, the first one never; the real part if x is real.
    """
    rows: Doubles = g
    x_shape = shape(x)
    if rows.shape[1:] != x_shape:
        extra = rows.ndim - 1 - len(x_shape)
        spread = [k for k in range(1, rows.ndim) if k <= extra or (x_shape[k - 1 - extra] == 1 and rows.shape[k] != 1)]
        rows = np.reshape(np.sum(rows, axis=tuple(spread)), (len(rows), *x_shape))
    return rows.real if is_complex(rows) and not is_complex(x) else rows
