"""NDJSON files of points and results: one object on each line, its numbers by name; also a JSON list of objects.
Carried columns are copied to the result; a block is a piece of the file of whole lines; a fault is the error of one
row.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from types import MappingProxyType

from ..errors import AdcliError, RequestError, Source, Span
from ..extras import if_installed
from ..typings import Final, override
from . import points
from .arrays import Column, Doubles, np, pl
from .column_texts import SPECIAL, CellSpelling, number_texts, records, texts
from .kinds import typed_array

# What is written for nan and infinities, which JSON has not: nothing that breaks a reader of numbers, the words that
# Python and JavaScript know, or these as texts.
NAN: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType({
    "null": MappingProxyType(dict.fromkeys(SPECIAL, "null")),
    "NaN": SPECIAL,
    "string": MappingProxyType({word: f'"{text}"' for word, text in SPECIAL.items()}),
})  # fmt: skip
# Texts that JSON holds as they are.
_VERBATIM = r"^[ !#-\[\]-~]*$"


class NdjsonFile(points.TextFile):
    """An NDJSON file of points, whose columns are the names in its first record."""

    holds: Final = "values"

    def __init__(self, intake: points.Intake) -> None:
        """Open the file and read its columns: the names in the first line that is not blank, which stays to be read.

        No columns if that line is not a JSON object, or the file is empty; the fault is reported with its row.
        """
        begun = intake.stream.peek(8).removeprefix(b"\xef\xbb\xbf").lstrip()
        super().__init__(_separate_records(intake) if begun.startswith(b"[") else intake)
        blocks = self.blocks
        self._schemas: dict[tuple[str, ...], Mapping[str, pl.DataType]] = {}  # of the last block, by inputs
        block = blocks.read().removeprefix(b"\xef\xbb\xbf")
        blocks.give_back(block)
        lines = (line for line in block.split(b"\n") if line.strip())
        first = _read_line(next(lines, b"{").decode("utf-8", "replace"))
        self.columns = list(first) if isinstance(first, dict) else []

    @override
    def _spell_column(self, column: Column) -> Column:
        return list(_spell_values(column))

    @override
    def _convert_columns(self, batch: points.Batch, requested: points.RequestedColumns) -> points.Batch:
        """Replace the carried columns of `requested.kinds` in `batch` by Arrow arrays of these types, and return it.

        A cell of kind "text" that is not a text becomes its JSON. Raises RequestError for a cell of another kind than
        that of its column.
        """
        for name, kind in requested.kinds.items():
            cells = list(_spell_values(batch.carried[name], keep_texts=kind == "text"))
            batch.carried[name] = typed_array(cells, kind, name, batch.place)
        return batch

    @override
    def _batch(self, block: bytes, line: int, requested: points.RequestedColumns) -> points.Batch:
        """Return the points on the lines of a block, of which the first has the number `line`.

        The `requested` inputs are doubles, carried columns JSON values. Polars reads the block if it is installed, the
        block has more than 128 KiB and nothing unusual is in it (`_by_polars`); otherwise each line is read exactly. A
        line that is not an object, or in which an input is missing or not a number, gets a fault, and nan for each such
        input. Missing carried cells are None; empty lines are skipped.
        """
        if len(block) > points.FEW_BYTES and if_installed("polars") is not None:
            quick = self._by_polars(block, requested)
            if quick is not None:
                count, inputs, carried = quick
                return points.Batch(count, inputs, carried, [], lambda row: self.blocks.place(line + row))
        rows, lines = points.ReadRows(requested), list[int]()
        for place, raw in enumerate(block.split(b"\n"), line):
            if not raw.strip():
                continue
            text = raw.decode("utf-8", "replace").rstrip("\r")
            record = _read_line(text)
            fault = None if isinstance(record, dict) else self._line_error(record, place, text)
            fields = record if isinstance(record, dict) else {}
            values = {name: _number_of(fields.get(name)) for name in requested.inputs}
            cells = {name: _plain(fields.get(name)) for name in requested.carried}
            rows.add(values, cells, fault, partial(self._input_error, fields, place, text))
            lines.append(place)
        return rows.batch(lambda row: self.blocks.place(lines[row]))

    def _by_polars(
        self, block: bytes, requested: points.RequestedColumns
    ) -> tuple[int, dict[str, Doubles], dict[str, Column]] | None:
        r"""Return (number of rows, inputs, carried columns) as Polars reads them; None if that might not be exact.

        Inputs are doubles, carried columns doubles or Arrow arrays, by name. None if the block has an escape such as
        \u0041, or if a line is empty, not an object, or has a requested name twice or not at all. None if an input is
        not a finite number in some row. A carried column must hold texts only, whole numbers only (nulls are allowed in
        both), or doubles none of which is null or whole. The types found are remembered for the next block.
        """
        rows = points.lines_in(block) + (not block.endswith(b"\n"))
        frame = self._read_frame(block, requested)
        if frame is None or frame.height != rows or not set(requested.all) <= set(frame.columns):
            return None
        inputs = {name: frame[name].to_numpy() for name in requested.inputs if not frame[name].null_count()}
        carried = {name: frame[name] for name in requested.carried}
        if len(inputs) < len(requested.inputs) or not all(np.isfinite(x).all() for x in inputs.values()):
            return None
        if not all(map(_is_exact, carried.values())) or not _is_regular(block, frame, requested):
            return None
        self._schemas[tuple(requested.inputs)] = frame.schema
        cells = {name: x.to_numpy() if x.dtype == pl.Float64 else x.to_arrow() for name, x in carried.items()}
        return rows, inputs, cells

    def _read_frame(self, block: bytes, requested: points.RequestedColumns) -> pl.DataFrame | None:
        r"""Return a block as a data frame that Polars reads; None if it cannot, or for an escape such as \u0041.

        The types of its columns are those of the last block with the same `requested` inputs, if the block fits them
        and has no null; that takes a third of the time. Otherwise they are its own types, with inputs as doubles.
        """
        if b"\\" in block and b"\\u" in block:  # a single byte is found much faster than two
            return None
        known = self._schemas.get(tuple(requested.inputs))
        unreadable = (pl.exceptions.PolarsError, OverflowError)
        with suppress(*unreadable):
            frame = pl.read_ndjson(block, schema=known) if known else None
            if frame is not None and not any(frame.null_count().row(0)):
                return frame
        with suppress(*unreadable):
            kinds = dict.fromkeys(requested.inputs, pl.Float64)
            return pl.read_ndjson(block, schema_overrides=kinds, infer_schema_length=None)
        return None

    def _span(self, line: int, text: str, name: str) -> Span:
        """Return the place of a name in a record; the whole record if it is not there."""
        written = json.dumps(name, ensure_ascii=False)
        start = text.find(written)
        place = (start, start + len(written)) if start >= 0 else (0, len(text))
        return Span(*place, Source(text, self.blocks.path, line))

    def _line_error(self, record: object, line: int, text: str) -> AdcliError:
        """Return the error for the line `text` that is not a JSON object; `record` is a JSON error or another value."""
        reason = record.msg if isinstance(record, json.JSONDecodeError) else "this is not an object"
        start = record.pos if isinstance(record, json.JSONDecodeError) else 0
        span = Span(start, start + 1, Source(text, self.blocks.path, line))
        advice = 'write one on each line: {"x1": 2, "x2": 5}'
        return RequestError("a line is not a JSON object", span, reason[:1].lower() + reason[1:], help=advice)

    def _input_error(self, fields: Mapping[str, object], line: int, text: str, name: str) -> AdcliError:
        """Return the error for the value of the input `name` that is missing, not a number, or too large for a double.

        `fields` is the record, `text` its line, `line` the number of the line. Raises RequestError instead for a text
        with a decimal comma (`cell_error`).
        """
        x = fields.get(name)
        cell = x if isinstance(x, str) else None if x is None else json.dumps(x)
        if isinstance(x, (list, dict)):
            advice = "write one object for each point"
            title = f"the value of {name} is not a number"
            return RequestError(title, self._span(line, text, name), f"this is {cell}"[:60], help=advice)
        if isinstance(x, (int, float)) and not isinstance(x, bool):
            cell = "1e999"  # it was too large, or it would be a number
        return points.cell_error(cell, name, self._span(line, text, name))


def _separate_records(intake: points.Intake) -> points.Intake:
    """Return the intake of a JSON list with each of its values on a line of its own, `[{"x": 1}, {"x": 2}]` on two
    lines; its stream is in memory, and can be read again.

    Line breaks inside a value become blanks and follow behind it, so that each value begins on the line that it begins
    on in the file, if no two begin on one line. What follows the last value is appended unchanged, without the ].
    Raises RequestError if the file has more than 64 MiB, or ends inside the list.
    """
    data = intake.stream.read(points.LONGEST + 1)
    text = data.decode("utf-8-sig", "replace")
    last, place, lines = 0, text.index("[") + 1, list[str]()
    while len(data) <= points.LONGEST:
        start = place
        while text[start : start + 1] in tuple(", \t\r\n"):
            start += 1
        lines.append("\n" * max(text.count("\n", last, start), bool(lines)))
        try:
            last, place = start, _DECODER.raw_decode(text, start)[1]
            lines.append(text[start:place].replace("\n", " "))
        except (json.JSONDecodeError, RecursionError):
            if start == len(text):
                raise RequestError(f"{intake.name} ends inside a list", help="end it with ]") from None
            lines.append(text[start:].removeprefix("]"))
            records = io.BufferedRandom(io.BytesIO("".join(lines).encode()))  # type: ignore[arg-type]
            return intake._replace(stream=records, is_kept=True)
    advice = "write one object on each line, without the list: jq -c '.[]'"
    raise RequestError(f"{intake.name} is a list of more than {points.LONGEST:,} bytes", help=advice)


def _is_regular(block: bytes, frame: pl.DataFrame, requested: points.RequestedColumns) -> bool:
    """Return True only if each row of a block has each of the `requested` names exactly once (its value may be null),
    and only texts in the carried columns of texts.

    It may be False for such a block, too, as when a text in it equals a name. Other names may be repeated. `frame` has
    all columns of the block. Signs of the block are counted: a name that occurs twice has a colon more, and numbers in
    a column of texts lack quotation marks. The second check is skipped if no carried column holds texts.
    """
    letters = np.frombuffer(block, np.uint8)
    columns, rows = frame.get_columns(), frame.height
    names = rows * len(columns)
    if any(frame.null_count().row(0)) or np.count_nonzero(letters == ord(":")) != names:
        counts = {name: block.count(json.dumps(name, ensure_ascii=False).encode()) for name in frame.columns}
        if any(counts[name] != rows for name in requested.all):
            return False
        names = sum(counts.values())
    if all(frame[name].dtype != pl.String for name in requested.carried):
        return True
    marks = np.count_nonzero(letters == ord('"')) - (block.count(b'\\"') if b"\\" in block else 0)
    lengths = [len(column) - column.null_count() for column in columns if column.dtype == pl.String]
    return bool(marks == 2 * (names + sum(lengths)))


def _is_exact(column: pl.Series) -> bool:
    """Return whether a column that Polars has read from JSON has the numbers as they are written: whole or broken."""
    if column.dtype == pl.Float64:
        return bool((column != column.round()).all()) and not column.null_count()
    return column.dtype in (pl.String, pl.Int64)


def _plain(cell: object) -> object:
    """Return a value to carry over, without lone surrogates, which a file cannot hold; NaN and infinities as
    doubles."""
    if isinstance(cell, _NoNumber):
        return float(cell)
    return cell if not isinstance(cell, str) or cell.isascii() else cell.encode("utf-8", "replace").decode()


def _spell_values(column: Column, keep_texts: bool = False) -> Iterator[str | None]:
    """Yield values as JSON spells them, so that numbers and texts of digits differ, unless texts are kept; None for
    null."""
    cells: Iterable[object] = column.to_pylist() if hasattr(column, "to_pylist") else column
    for cell in cells:
        yield cell if cell is None or (keep_texts and isinstance(cell, str)) else json.dumps(cell)


class _NoNumber(str):
    """NaN, Infinity or -Infinity, which JSON does not have, as a word."""

    __slots__ = ()


_DECODER: Final = json.JSONDecoder(parse_constant=_NoNumber)


def _read_line(text: str) -> object:
    """Return the JSON value in the line `text`, with NaN and infinities as _NoNumber (their word, a str).

    A number beyond doubles, 1e999, is infinite. For a line that is not JSON return the error itself, for one that is
    nested too deeply None.
    """
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        return error
    except RecursionError:
        return None


def _number_of(x: object) -> float | None:
    """Return a JSON number or a text with a number, infinity or nan as a double.

    None for anything else (also true and false), and for numbers that are too large.
    """
    if isinstance(x, (int, float)) and not isinstance(x, bool):
        try:
            value = float(x)
        except OverflowError:
            return None
        return None if math.isinf(value) else value
    return points.number(x) if isinstance(x, str) else None


# --- writing ----------------------------------------------------------------------------------------------------------


class NdjsonWriter(points.TextWriter):
    """A writer of results, at least one column, as one JSON object on each line; nan and infinities, also those inside
    lists and objects, are written as `nan` of the sink says."""

    def __init__(self, sink: points.Sink) -> None:
        """Prepare to write rows to `sink.file`: the texts between the cells, with the names of `sink.columns`, and how
        cells are written as JSON (`sink.to_json`, `sink.nan` for nan and infinities).
        """
        super().__init__(sink)
        to_json, special = sink.to_json, NAN[sink.nan]
        keys = [f"{to_json(name)}: " for name in sink.columns]
        self._between = ["{" + keys[0], *[f", {key}" for key in keys[1:]], "}"]

        words = {word: special[name] for name, word in SPECIAL.items()}

        def cell(x: object) -> str:
            text = special.get(repr(x)) if isinstance(x, float) else None
            if isinstance(x, (list, dict)):  # they may hold nan and infinities, too
                x = json.loads(json.dumps(x), parse_constant=lambda word: json.loads(words[word]))
            return to_json(x) if text is None else text

        self._spelling = CellSpelling(cell, special, _VERBATIM)

    def encode(self, carried: Mapping[str, Column], results: Mapping[str, Doubles]) -> list[bytes]:
        """Return the rows of a batch, in pieces that each end with a row."""
        columns = [texts(column, self._spelling) for column in carried.values()]
        return records([*columns, *[number_texts(x, self._spelling) for x in results.values()]], self._between)


reader, writer = NdjsonFile, NdjsonWriter
