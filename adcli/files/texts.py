"""Columns as text: rows of CSV and lines of NDJSON, numbers with full precision."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..extras import Later
from .files import is_number
from .optional import arrow_if_there

np: Any = Later("numpy", "numpy")

# As everywhere else; what Python and Arrow write for them differs.
_SPECIAL = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
_QUOTED = re.compile(r'["\n\r,]')
# Texts that neither need quotation marks nor could be a formula or steer a terminal.
_HARMLESS = r"^(?:[A-Za-z0-9_. ][!#-+\--~ ]*)?$"
# Texts that JSON holds as they are.
_VERBATIM = r"^[ !#-\[\]-~]*$"


class Csv:
    """Writes batches of columns as CSV; `guarded` is what becomes of a text that a spreadsheet might compute with."""

    def __init__(self, names: Iterable[str], put: Callable[[bytes], Any], guarded: Callable[[str], str]) -> None:
        self._guarded = guarded
        self._put = put
        self._header = ",".join(map(self._cell, names)) + "\n"

    def encoded(self, carried: Mapping[str, Any], found: Mapping[str, Any]) -> bytes:
        columns = [_texts(column, self._cell, _HARMLESS) for column in carried.values()]
        columns += [number_texts(column) for column in found.values()]
        return _rows(columns, ["", *[","] * (len(columns) - 1), "\n"])

    def put(self, piece: bytes) -> None:
        self._put(self._header.encode() + piece)
        self._header = ""

    def finish(self) -> None:
        pass

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
        keys = [f"{spelled(name)}: " for name in names]
        self._between = ["{" + keys[0], *[f", {key}" for key in keys[1:]], "}\n"]

    def encoded(self, carried: Mapping[str, Any], found: Mapping[str, Any]) -> bytes:
        columns = [_texts(column, self._cell, _VERBATIM, '"') for column in carried.values()]
        columns += [number_texts(column, '"') for column in found.values()]
        return _rows(columns, self._between)

    def put(self, piece: bytes) -> None:
        self._put(piece)

    def finish(self) -> None:
        pass

    def _cell(self, cell: Any) -> str:
        return self._spelled(_SPECIAL.get(repr(cell), cell) if isinstance(cell, float) else cell)


def _texts(column: Any, cell: Callable[[Any], str], verbatim: str, mark: str = "") -> Any:
    """The texts of a carried column: what matches `verbatim` as it is, between marks, all else as `cell` says."""
    if isinstance(column, list):
        return [cell(x) for x in column]
    if hasattr(column, "dtype"):
        return number_texts(column, mark)
    pa = arrow_if_there()
    types, compute = pa.types, pa.compute
    if column.null_count == 0:
        if types.is_integer(column.type):
            return compute.cast(column, pa.string())
        if types.is_float64(column.type):
            return number_texts(column.to_numpy(zero_copy_only=False), mark)
        if types.is_string(column.type) and compute.all(compute.match_substring_regex(column, verbatim)).as_py():
            return compute.binary_join_element_wise(mark, column, mark, "") if mark else column
    if types.is_temporal(column.type) or types.is_decimal(column.type):
        column = compute.cast(column, pa.string())
    return [cell(x) for x in column.to_pylist()]


def _rows(columns: list[Any], between: list[str]) -> bytes:
    """The rows of columns of texts, with a text before, between and after them."""
    pa = arrow_if_there()
    if pa is None:
        line = "%s".join(text.replace("%", "%%") for text in between)
        return "".join([line % row for row in zip(*columns, strict=True)]).encode("utf-8", "replace")
    parts: list[Any] = [pa.scalar(between[0])]
    for column, text in zip(columns, between[1:], strict=True):
        parts += [pa.array(column, pa.string()) if isinstance(column, list) else column, pa.scalar(text)]
    rows = pa.compute.binary_join_element_wise(*[part for part in parts if part is not parts[0] or between[0]], "")
    if not len(rows):
        return b""
    _, offsets, data = rows.buffers()
    first, last = np.frombuffer(offsets, np.int32)[[rows.offset, rows.offset + len(rows)]]
    return bytes(data[int(first) : int(last)])


def number_texts(column: Any, mark: str = "") -> Any:
    """The shortest texts from which the doubles can be read back, as a list or as an Arrow array; nan and infinities
    between marks."""
    special = {word: f"{mark}{text}{mark}" for word, text in _SPECIAL.items()}
    pa = arrow_if_there()
    if pa is None:
        return [special.get(text, text) for text in map(repr, column.tolist())]
    size = np.abs(column)
    # Arrow writes a whole number without its point, and differs from Python in what is small, large or special.
    other = ~((size >= 1e-4) & (size < 1e10)) | (column == np.rint(column))
    texts = pa.compute.cast(pa.array(column), pa.string())
    if other.any():
        mine = [special.get(text, text) for text in map(repr, column[other].tolist())]
        texts = pa.compute.replace_with_mask(texts, pa.array(other), pa.array(mine, pa.string()))
    return texts


def _plain(x: Any) -> str:
    return _SPECIAL.get(repr(x), repr(x)) if isinstance(x, (int, float)) else json.dumps(x, default=str)
