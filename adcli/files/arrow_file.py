"""Points and results in Parquet and Arrow files, read and written by pyarrow."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from ..errors import AdcliError, RequestError
from ..extras import Needs
from .points import BATCH, DAMAGED, Batch, Intake, Job, Sink, number, once, refused

if TYPE_CHECKING:
    from types import ModuleType

    import pyarrow as pa

    from .points import Column, Doubles

    Batches: TypeAlias = pa.RecordBatchReader | pa.RecordBatchFileReader


def reader(intake: Intake) -> ArrowFile:
    """Raises RequestError where pyarrow is not installed, or cannot read the file."""
    return ArrowFile(intake)


def writer(sink: Sink) -> ArrowWriter:
    """Raises RequestError where pyarrow is not installed."""
    return ArrowWriter("stream" if sink.form == "arrow" and sink.is_standard else sink.form, sink.file)


def arrow() -> ModuleType:
    """The module pyarrow.  Raises RequestError where it is not installed."""
    with Needs("Parquet and Arrow files need pyarrow", "arrow"):
        import pyarrow
        import pyarrow.compute
    found: ModuleType = pyarrow
    return found


_NO_DATA = (ValueError, IndexError, KeyError, OverflowError, TypeError)  # what else pyarrow says of damaged data


class ArrowFile:
    """Points in a Parquet or Arrow file: its columns, and its rows, which have no lines but numbers from 1."""

    _read: Callable[[list[str]], Iterable[pa.RecordBatch]]

    def __init__(self, intake: Intake) -> None:
        pa = arrow()
        path, stream, _ = intake
        begun = stream.peek(8)
        self.name = intake.name
        self._done = 0
        self._count: int | None = None
        if path is None and not begun.startswith(b"\xff"):
            raise RequestError("this kind of file cannot be read from a pipe", help="name the file itself")
        try:
            if begun.startswith(b"PAR1"):
                from pyarrow import parquet

                file = parquet.ParquetFile(stream)
                self._schema, self._count = file.schema_arrow, file.metadata.num_rows
                self._read = lambda names: file.iter_batches(BATCH, columns=names)
            else:
                reader = (pa.ipc.open_file if begun.startswith(b"ARROW1") else pa.ipc.open_stream)(stream)
                self._schema = reader.schema
                self._read = lambda names: _selected(reader, names)
            names = self._schema.names
        except (pa.ArrowException, *DAMAGED, *_NO_DATA) as error:
            raise self._broken(error) from None
        self.columns = once(names, path)

    def _broken(self, error: Exception, row: int = 0) -> AdcliError:
        """What is said of a file that is damaged, in or after so many rows."""
        where = f" from row {row + 1:,} on" if row else ""
        return RequestError(f"cannot read {self.name}{where}", label=str(error).partition("\n")[0])

    def part(self) -> float | None:
        return self._done / self._count if self._count else None

    def jobs(self, inputs: Sequence[str], carried: Sequence[str]) -> Iterator[Job]:
        """The batches, still to be read, with these columns."""
        pa = arrow()
        for name in inputs:
            _check(self._schema.field(name).type, name)
        names = list(dict.fromkeys([*inputs, *carried])) or self.columns[:1]
        try:
            for batch in self._read(names):
                for start in range(0, batch.num_rows, BATCH):
                    piece = batch.slice(start, BATCH)
                    yield partial(self._batch, piece, self._done, inputs, carried)
                    self._done += piece.num_rows
        except (pa.ArrowException, *DAMAGED, *_NO_DATA) as error:
            raise self._broken(error, self._done) from None
        if self._done == 0:
            fields = pa.schema([self._schema.field(name) for name in names])
            yield partial(self._batch, pa.RecordBatch.from_pylist([], schema=fields), 0, inputs, carried)

    def _batch(self, batch: pa.RecordBatch, before: int, inputs: Sequence[str], carried: Sequence[str]) -> Batch:
        def place(row: int) -> str:
            return f"{self.name}, row {before + row + 1}"

        pa = arrow()
        try:
            batch.validate(full=True)  # what is damaged may lead anywhere
            return self._checked(batch, place, inputs, carried)
        except (pa.ArrowException, *_NO_DATA) as error:
            raise self._broken(error, before) from None

    def _checked(
        self, batch: pa.RecordBatch, place: Callable[[int], str], inputs: Sequence[str], carried: Sequence[str]
    ) -> Batch:
        faults: dict[int, AdcliError] = {}
        columns = {}
        for name in inputs:
            columns[name], wrong = _doubles(_plain(batch.column(name)))
            for row, cell in wrong:
                faults.setdefault(row, refused(cell, name, where=place(row)))
        kept = {name: _plain(batch.column(name)) for name in carried}
        return Batch(batch.num_rows, columns, kept, sorted(faults.items(), key=lambda fault: fault[0]), place)


def _selected(reader: Batches, names: list[str]) -> Iterator[pa.RecordBatch]:
    """The record batches of an Arrow file or stream."""
    if hasattr(reader, "num_record_batches"):
        batches: Iterable[pa.RecordBatch] = (reader.get_batch(place) for place in range(reader.num_record_batches))
    else:
        batches = reader
    for batch in batches:
        yield batch.select(names)


def _plain(column: pa.Array) -> pa.Array:
    return column.dictionary_decode() if hasattr(column, "dictionary_decode") else column


def _check(kind: pa.DataType, name: str) -> None:
    """Raises RequestError for a column that can hold no numbers."""
    types = arrow().types
    kind = kind.value_type if types.is_dictionary(kind) else kind
    tests = (
        types.is_integer,
        types.is_floating,
        types.is_decimal,
        types.is_null,
        types.is_string,
        types.is_large_string,
    )
    if not any(test(kind) for test in tests):
        raise RequestError(
            f"{name} is no column of numbers", label=f"its type is {kind}", help="convert it to float64 or int64"
        )


def _doubles(column: pa.Array) -> tuple[Doubles, list[tuple[int, str | None]]]:
    """A column as doubles, and the rows that have none, with their texts."""
    pa = arrow()
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        found = pa.compute.cast(column, pa.float64(), safe=False)
        rows = pa.compute.indices_nonzero(found.is_null()).to_pylist() if found.null_count else []
        return pa.compute.fill_null(found, float("nan")).to_numpy(zero_copy_only=False), [(row, None) for row in rows]
    cells = column.to_pylist()
    numbers = [None if cell is None else number(cell) for cell in cells]
    array = pa.array(numbers, pa.float64()).fill_null(float("nan")).to_numpy(zero_copy_only=False)
    return array, [(row, cells[row]) for row, x in enumerate(numbers) if x is None]


# --- writing ----------------------------------------------------------------------------------------------------------


class ArrowWriter:
    """Results in Parquet, in an Arrow file, or in an Arrow stream."""

    def __init__(self, form: str, out: io.RawIOBase) -> None:
        self._pa = arrow()
        self._form, self._out = form, out
        self._writer: pa.RecordBatchWriter | None = None

    def encoded(self, carried: Mapping[str, Column], found: Mapping[str, Doubles]) -> pa.RecordBatch:
        """The columns as a record batch: what is carried in its own type (texts and the like as text), doubles."""
        pa = self._pa
        columns = {name: _typed(column) for name, column in carried.items()}
        columns |= {name: pa.array(column) for name, column in found.items()}
        return pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))

    def put(self, batch: pa.RecordBatch) -> None:
        if self._writer is None:
            self._writer = self._opened(batch.schema)
        self._writer.write_batch(batch)

    def finish(self) -> None:
        if self._writer is not None:
            self._writer.close()

    def _opened(self, schema: pa.Schema) -> pa.RecordBatchWriter:
        if self._form == "parquet":
            from pyarrow import parquet

            return parquet.ParquetWriter(self._out, schema)
        return (self._pa.ipc.new_file if self._form == "arrow" else self._pa.ipc.new_stream)(self._out, schema)


def _typed(column: Column) -> pa.Array:
    pa = arrow()
    if isinstance(column, pa.Array):
        return column
    if hasattr(column, "dtype"):
        return pa.array(column)
    import json

    return pa.array([x if x is None or isinstance(x, str) else json.dumps(x) for x in column], pa.string())
