"""Columns between NumPy, Arrow and Polars, as they lie in memory.

The ways of these libraries themselves load pandas where that is installed, and others, which takes longer than a small
file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..extras import Later

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    import pyarrow as pa

    from .points import Doubles
else:
    np = Later("numpy", "numpy")
    pl = Later("polars", "arrow")


def doubles_of(column: pa.Array) -> Doubles:
    """An Arrow array of doubles, none of them null, as one of NumPy, which nobody may write to."""
    if not len(column):
        return np.empty(0)
    return np.frombuffer(column.buffers()[1], np.float64, len(column), 8 * column.offset)


def array_of(column: Doubles) -> pa.Array:
    """Doubles as an Arrow array, none of them null."""
    import pyarrow as pa

    return pa.Array.from_buffers(pa.float64(), len(column), [None, pa.py_buffer(np.ascontiguousarray(column))])


class _Offered:
    """An Arrow array as any library may take it, and nothing else."""

    def __init__(self, column: pa.Array) -> None:
        self._column = column

    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        return self._column.__arrow_c_array__(requested_schema)


def series_of(column: pa.Array | Doubles) -> pl.Series:
    """A column as a series of Polars."""
    return pl.Series(_Offered(array_of(column) if hasattr(column, "dtype") else column))
