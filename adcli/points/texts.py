"""Columns as text: rows of CSV and lines of NDJSON, numbers with full precision."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..calculus.later import Later
from .files import is_number
from .optional import arrow_if_there

np: Any = Later("numpy", "numpy")

# As everywhere else; what Python and Arrow write for them differs.
_SPECIAL = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
_QUOTED = re.compile(r'["\n\r,]')
# Texts that neither need quotation marks nor could be a formula or steer a terminal.
_HARMLESS = r"^(?:[A-Za-z0-9_. ][!#-+\--~ ]*)?$"
_UNSURE = r"^ *[=+@-]"


class Csv:
    """Writes batches of columns as CSV; `guarded` is what becomes of a text that a spreadsheet might compute with."""

    def __init__(self, names: Iterable[str], put: Callable[[bytes], Any], guarded: Callable[[str], str]) -> None:
        self._guarded = guarded
        self._put = put
        self._header = ",".join(map(self._cell, names)) + "\n"

    def encoded(self, carried: Mapping[str, Any], found: Mapping[str, Any]) -> bytes:
        columns = [self._texts(column) for column in carried.values()]
        columns += [number_texts(column) for column in found.values()]
        pa = arrow_if_there()
        if pa is None:
            return "".join([f"{','.join(row)}\n" for row in zip(*columns, strict=True)]).encode()
        arrays = [pa.array(column, pa.string()) if isinstance(column, list) else column for column in columns]
        return _joined(arrays, ",", pa)

    def put(self, piece: bytes) -> None:
        self._put(self._header.encode() + piece)
        self._header = ""

    def finish(self) -> None:
        pass

    def _texts(self, column: Any) -> Any:
        if isinstance(column, list):
            return [self._cell(cell) for cell in column]
        pa = arrow_if_there()
        if hasattr(column, "dtype") or pa.types.is_floating(column.type):
            return _numbers_or_nothing(column)
        if pa.types.is_integer(column.type):
            return pa.compute.fill_null(pa.compute.cast(column, pa.string()), "")
        if pa.types.is_string(column.type) and column.null_count == 0:
            test = pa.compute.match_substring_regex
            if pa.compute.all(test(column, _HARMLESS)).as_py() is not False:
                return column
        return [self._cell(cell) for cell in _values(column, pa)]

    def _cell(self, cell: Any) -> str:
        text = "" if cell is None else cell if isinstance(cell, str) else _plain(cell)
        if not is_number(text):
            text = self._guarded(text)
        return '"{}"'.format(text.replace('"', '""')) if _QUOTED.search(text) else text


class Ndjson:
    """Writes batches of columns as one JSON object a line; `spelled` is how a carried value is written."""

    def __init__(self, names: Iterable[str], put: Callable[[bytes], Any], spelled: Callable[[Any], str]) -> None:
        self._put = put
        self._spelled = spelled
        keys = [spelled(name).replace("%", "%%") for name in names]
        self._line = "{" + ", ".join(f"{key}: %s" for key in keys) + "}\n"

    def encoded(self, carried: Mapping[str, Any], found: Mapping[str, Any]) -> bytes:
        columns = [self._texts(column) for column in carried.values()]
        columns += [_marked(number_texts(column)) for column in found.values()]
        return "".join([self._line % row for row in zip(*columns, strict=True)]).encode()

    def put(self, piece: bytes) -> None:
        self._put(piece)

    def finish(self) -> None:
        pass

    def _texts(self, column: Any) -> list[str]:
        if hasattr(column, "dtype"):
            return _marked(number_texts(column))
        values = column if isinstance(column, list) else _values(column, arrow_if_there())
        return [self._spelled(_finite(x)) for x in values]


def number_texts(column: Any) -> Any:
    """The shortest texts from which the doubles can be read back, as a list or as an Arrow array."""
    pa = arrow_if_there()
    if pa is None:
        return [_SPECIAL.get(text, text) for text in map(repr, column.tolist())]
    size = np.abs(column)
    # Arrow writes a whole number without its point, and differs from Python in what is small or special.
    other = ~((size >= 1e-4) & (size < 1e16)) | (column == np.rint(column))
    texts = pa.compute.cast(pa.array(column), pa.string())
    if other.any():
        mine = [_SPECIAL.get(text, text) for text in map(repr, column[other].tolist())]
        texts = pa.compute.replace_with_mask(texts, pa.array(other), pa.array(mine, pa.string()))
    return texts


def _numbers_or_nothing(column: Any) -> Any:
    """Texts of a column of doubles, empty where it has none."""
    if hasattr(column, "dtype"):
        return number_texts(column)
    pa = arrow_if_there()
    whole = pa.compute.cast(column, pa.float64())
    texts = number_texts(pa.compute.fill_null(whole, 0.0).to_numpy(zero_copy_only=False))
    return pa.compute.if_else(column.is_null(), "", texts) if column.null_count else texts


def _joined(columns: list[Any], separator: str, pa: Any) -> bytes:
    """The rows of columns of texts, each with a newline."""
    if not len(columns[0]):
        return b""
    ends = pa.compute.binary_join_element_wise(columns[-1], "\n", "")
    rows = pa.compute.binary_join_element_wise(*columns[:-1], ends, separator) if len(columns) > 1 else ends
    _, offsets, data = rows.buffers()
    first, last = np.frombuffer(offsets, np.int32)[[rows.offset, rows.offset + len(rows)]]
    return bytes(data[int(first) : int(last)])


def _values(column: Any, pa: Any) -> list[Any]:
    """An Arrow column as values of Python, times and the like as text."""
    if pa.types.is_temporal(column.type) or pa.types.is_decimal(column.type):
        column = pa.compute.cast(column, pa.string())
    return list(column.to_pylist())


def _finite(x: Any) -> Any:
    return _SPECIAL.get(repr(x), x) if isinstance(x, float) else x


def _plain(x: Any) -> str:
    return _SPECIAL.get(repr(x), repr(x)) if isinstance(x, (int, float)) else json.dumps(x, default=str)


def _marked(texts: Any) -> list[str]:
    """Numbers for JSON, in which infinities and nan are strings."""
    found = texts if isinstance(texts, list) else texts.to_pylist()
    return [f'"{text}"' if text[-1] in "Ny" else text for text in found]
