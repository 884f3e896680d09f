"""Columns as arrays of NumPy, Arrow and Polars, converted between them without a copy where possible.

The conversions of these libraries themselves import pandas and others if they are installed, which takes longer than a
small file.
"""

from __future__ import annotations

import sys

from ..engine.numpy_doubles import Doubles, np
from ..extras import Later, if_installed
from ..typings import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

    Column: TypeAlias = list[object] | Doubles | pa.Array  # cells as they are written in a file, to be carried over
else:
    pl, Column = Later("polars", "arrow"), object  # types are for annotations, which are not evaluated

__all__ = ["Column", "Doubles", "array_of", "doubles_of", "np", "pl", "read_doubles", "series_of"]


def doubles_of(column: pa.Array) -> Doubles:
    """Return an Arrow array of doubles without nulls as a NumPy array, which is read-only."""
    if not len(column):
        return np.empty(0)
    return np.frombuffer(column.buffers()[1], np.float64, len(column), 8 * column.offset)


def read_doubles(column: pa.Array) -> Doubles:
    """Return an Arrow array of doubles, or of their texts, as a NumPy array; raises ValueError for a null and for a
    text that is not a number.

    Texts are read by Polars, by Arrow if pyarrow.compute is loaded already or Polars is not installed: to import
    pyarrow.compute takes longer than most files.
    """
    if column.type == "string" and not ("pyarrow.compute" in sys.modules or if_installed("polars") is None):
        series = series_of(column).cast(pl.Float64, strict=False)  # null for what is not a number
        if not series.null_count():
            return series.to_numpy()
    elif not column.null_count:
        return doubles_of(column if column.type == "double" else column.cast("double"))
    raise ValueError


def array_of(column: Doubles) -> pa.Array:
    """Return doubles as an Arrow array without nulls."""
    import pyarrow as pa

    return pa.Array.from_buffers(pa.float64(), len(column), [None, pa.py_buffer(np.ascontiguousarray(column))])


class _Offered:
    """An Arrow array that offers only the Arrow C interface, which any library can import."""

    def __init__(self, column: pa.Array) -> None:
        self._column = column

    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        return self._column.__arrow_c_array__(requested_schema)


def series_of(column: pa.Array | Doubles) -> pl.Series:
    """Return a column as a Polars series, by Arrow if that is loaded: for arrays of NumPy Polars imports numpy.ma."""
    if hasattr(column, "dtype"):
        if "pyarrow" not in sys.modules:
            return pl.Series(column)
        column = array_of(column)
    return pl.Series(_Offered(column))
