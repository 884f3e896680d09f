"""Columns as texts: cells as they are to be written, numbers with full precision, and rows of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

from ..extras import Later, if_installed

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from .points import Column, Doubles

    Texts: TypeAlias = list[str] | pa.Array
else:
    np = Later("numpy", "numpy")

# What has no digits, by what Python writes for it: as everywhere else; what Arrow writes differs.
SPECIAL: Final = MappingProxyType({"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"})


def texts(
    column: Column,
    cell: Callable[[object], str],
    verbatim: str,
    mark: str = "",
    special: Mapping[str, str] = SPECIAL,
) -> Texts:
    """The texts of a carried column: what matches `verbatim` as it is, between marks, all else as `cell` says."""
    if isinstance(column, list):
        return [cell(x) for x in column]
    if hasattr(column, "dtype"):
        return number_texts(column, special)
    import pyarrow as pa
    from pyarrow import compute, types

    if column.null_count == 0:
        if types.is_integer(column.type):
            return compute.cast(column, pa.string())
        if types.is_float64(column.type):
            return number_texts(column.to_numpy(zero_copy_only=False), special)
        if types.is_string(column.type) and compute.all(compute.match_substring_regex(column, verbatim)).as_py():
            return compute.binary_join_element_wise(mark, column, mark, "") if mark else column
    if types.is_temporal(column.type) or types.is_decimal(column.type):
        column = compute.cast(column, pa.string())
    return [cell(x) for x in column.to_pylist()]


def rows(columns: list[Texts], between: list[str]) -> bytes:
    """The rows of columns of texts, with a text before, between and after them."""
    if if_installed("pyarrow", "pyarrow.compute") is None:
        line = "%s".join(text.replace("%", "%%") for text in between)
        return "".join([line % row for row in zip(*columns, strict=True)]).encode("utf-8", "replace")
    import pyarrow as pa

    parts = [pa.scalar(between[0])]
    for column, text in zip(columns, between[1:], strict=True):
        parts += [pa.array(column, pa.string()) if isinstance(column, list) else column, pa.scalar(text)]
    rows = pa.compute.binary_join_element_wise(*[part for part in parts if part is not parts[0] or between[0]], "")
    if not len(rows):
        return b""
    _, offsets, data = rows.buffers()
    first, last = np.frombuffer(offsets, np.int32)[[rows.offset, rows.offset + len(rows)]]
    return bytes(data[int(first) : int(last)])


def number_texts(column: Doubles, special: Mapping[str, str] = SPECIAL) -> Texts:
    """The shortest texts from which the doubles can be read back, as a list or as an Arrow array; nan and infinities
    as `special` says."""
    if if_installed("pyarrow", "pyarrow.compute") is None:
        return [special.get(text, text) for text in map(repr, column.tolist())]
    import pyarrow as pa

    size = np.abs(column)
    # Arrow writes a whole number without its point, and differs from Python in what is small, large or special.
    other = ~((size >= 1e-4) & (size < 1e10)) | (column == np.rint(column))
    texts = pa.compute.cast(pa.array(column), pa.string())
    if other.any():
        mine = [special.get(text, text) for text in map(repr, column[other].tolist())]
        texts = pa.compute.replace_with_mask(texts, pa.array(other), pa.array(mine, pa.string()))
    return texts
