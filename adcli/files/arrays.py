"""Columns as arrays of NumPy, Arrow and Polars, converted between them without a copy where possible.

The conversions of these libraries themselves import pandas and others if they are installed, which takes longer than a
small file.
"""

from __future__ import annotations

from ..engine.numpy_doubles import Doubles, np
from ..extras import Later
from ..typings import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

    Column: TypeAlias = list[object] | Doubles | pa.Array  # cells as they are written in a file, to be carried over
else:
    pl, Column = Later("polars", "arrow"), object  # types are for annotations, which are not evaluated

__all__ = ["Column", "Doubles", "array_of", "doubles_of", "np", "pl", "series_of"]


def doubles_of(column: pa.Array) -> Doubles:
    """Return an Arrow array of doubles without nulls as a NumPy array, which is read-only."""
    if not len(column):
        return np.empty(0)
    return np.frombuffer(column.buffers()[1], np.float64, len(column), 8 * column.offset)


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
    """Return a column as a Polars series."""
    return pl.Series(_Offered(array_of(column) if hasattr(column, "dtype") else column))
