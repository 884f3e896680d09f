"""Points and results in Parquet and Arrow files, read and written by pyarrow. Carried columns are copied to the result;
packed ones are read as dictionaries of repeated texts.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, pairwise

from ..errors import AdcliError, RequestError
from ..extras import Needs
from ..typings import TYPE_CHECKING, Final
from . import points
from .arrays import Column, Doubles, array_of, doubles_of, np
from .kinds import Kind

if TYPE_CHECKING:
    from types import ModuleType

    import pyarrow as pa
    import pyarrow.parquet as pq


_BUFFER = 1 << 20  # bytes of a column that are read at a time
_GROUP = 1 << 19  # rows of Parquet that are written at a time
_PACKED = 16  # bytes for each text of a column, next to its dictionary, below which texts count as repeated
_LARGEST = 1 << 26  # bytes of rows that are converted, buffered or read at a time


def arrow() -> ModuleType:
    """Return the module pyarrow, with pyarrow.compute loaded. Raises RequestError if it is not installed."""
    with Needs("Parquet and Arrow files need pyarrow", "arrow"):
        import pyarrow
        import pyarrow.compute
    module: ModuleType = pyarrow
    return module


_NO_DATA = (ValueError, IndexError, KeyError, OverflowError, TypeError)  # what else pyarrow says of damaged data


class ArrowFile:
    """A Parquet or Arrow file of points: its columns, and its rows, which have numbers from 1 instead of lines."""

    holds: Final = "columns"

    _read: Callable[[list[str], int, int], Iterable[pa.RecordBatch]]  # columns, first row, and the one after the last
    _packed: frozenset[str] = frozenset()  # columns that are read as dictionaries, although their type is another
    _lengths: Callable[[], Iterable[int]] | None = None  # of all batches, where the file can be read again

    def __init__(self, intake: points.Intake) -> None:
        """Open a Parquet or Arrow file, or a stream of Arrow, by its first bytes, and read its columns' names.

        Bytes that begin neither as Parquet nor as an Arrow file are read as a stream. The number of rows (`_count`) is
        known for Parquet, and for an Arrow file of at most one batch. Columns of Parquet whose texts repeat are read as
        dictionaries (`_packed`). Raises RequestError if pyarrow is not installed, or if the file is damaged or names a
        column twice, and for a pipe with a format that is read at several places (all except a stream of Arrow).
        """
        pa = arrow()
        path, stream, _, is_kept, _ = intake
        begun = stream.peek(8)
        self.name = intake.name
        self._count: int | None = None
        if not is_kept and not begun.startswith(b"\xff"):
            raise RequestError("this kind of file cannot be read from a pipe", help="name the file itself")
        try:
            if begun.startswith(b"PAR1"):
                from pyarrow import parquet

                # Pages are taken as they are needed: whole columns of large groups would fill the memory.
                bounded = partial(parquet.ParquetFile, stream, pre_buffer=False, buffer_size=_BUFFER)
                file = bounded()
                self._schema, self._count = file.schema_arrow, file.metadata.num_rows
                self._packed = _find_repeating_columns(file)
                if self._packed:
                    file = bounded(metadata=file.metadata, read_dictionary=list(self._packed))
                self._read = partial(_parquet_batches, file)
            elif begun.startswith(b"ARROW1"):
                table = pa.ipc.open_file(stream)
                self._schema = table.schema
                self._lengths = lambda: (table.get_batch(k).num_rows for k in range(table.num_record_batches))
                if table.num_record_batches <= 1:
                    self._count = sum(self._lengths())
                self._read = partial(_arrow_batches, table)
            else:
                streamed = pa.ipc.open_stream(stream)
                self._schema = streamed.schema
                self._read = lambda names, *_: (batch.select(names) for batch in streamed)
            names = self._schema.names
        except (pa.ArrowException, *points.DAMAGED, *_NO_DATA) as error:
            raise self._damage_error(error) from None
        self.columns = points.check_column_names(names, path)

    def has_at_most(self, rows: int) -> bool:
        return self._count is not None and self._count <= rows

    def kinds(self, names: Sequence[str]) -> dict[str, Kind]:
        """Return nothing: the file itself declares the types of all columns."""
        return {}

    def ranges(self, count: int) -> list[points.RowRange]:
        """Split all rows into `count` ranges of about the same length, numbered from 1; some are empty if there are
        fewer rows.

        Raises RequestError for a stream, which can be read only once.
        """
        if self._count is None and self._lengths is None:
            raise points.readable_once(self.name, "save it as a Parquet file, and name that")
        rows = sum(self._lengths()) if self._lengths is not None else self._count or 0
        return points.even_ranges(rows, count)

    def _damage_error(self, error: Exception, row: int = 0) -> AdcliError:
        """Return the error for a damaged file; `row` is the number of rows read before."""
        where = f" from row {row + 1:,} on" if row else ""
        return RequestError(f"cannot read {self.name}{where}", label=str(error).partition("\n")[0])

    def fraction_read(self) -> float | None:
        return self._done / self._count if self._count else None

    def jobs(self, requested: points.RequestedColumns, within: points.RowRange | None = None) -> Iterator[points.Job]:
        """Yield the batches of a range of rows (`within`, None: all), each as a function that converts it to a Batch.

        There is at least one batch, possibly empty. A batch has at most 65,536 rows, fewer if repeated texts are long.
        Only the requested columns are read, or the first column if none is requested. A job raises RequestError, when
        it is called, if its data are damaged. This generator raises RequestError if the file is damaged or an input
        column cannot hold numbers.
        """
        pa = arrow()
        for name in requested.inputs:
            check_numbers(self._schema.field(name).type, name)
        names = requested.all or self.columns[:1]
        start, stop, _ = within or points.RowRange(0, sys.maxsize, 1)
        self._done = start
        try:
            for batch in self._read(names, start, stop):
                step = _rows_at_once(batch)
                for first in range(0, batch.num_rows, step):
                    piece = batch.slice(first, step)
                    yield partial(self._batch, piece, self._done, requested)
                    self._done += piece.num_rows
        except (pa.ArrowException, *points.DAMAGED, *_NO_DATA) as error:
            raise self._damage_error(error, self._done) from None
        if self._done == start:
            fields = pa.schema([self._schema.field(name) for name in names])
            yield partial(self._batch, pa.RecordBatch.from_pylist([], schema=fields), start, requested)

    def _batch(self, batch: pa.RecordBatch, before: int, requested: points.RequestedColumns) -> points.Batch:
        """Return a record batch as points, with packed columns unpacked; `before` is the number of rows before it, for
        messages.

        Raises RequestError if the data are damaged, or for decimal commas.
        """

        def place(row: int) -> str:
            return f"{self.name}, row {before + row + 1}"

        pa = arrow()
        try:
            batch.validate(full=True)  # what is damaged may lead anywhere
            for k, field in enumerate(batch.schema):
                if field.name in self._packed:
                    plain = self._schema.field(field.name)
                    batch = batch.set_column(k, plain, batch.column(k).cast(plain.type))
            return points_of(batch, requested, place)
        except (pa.ArrowException, *_NO_DATA) as error:
            raise self._damage_error(error, before) from None


def points_of(batch: pa.RecordBatch, requested: points.RequestedColumns, place: Callable[[int], str]) -> points.Batch:
    """Return a record batch as points: the inputs of `requested` as doubles, its carried columns unchanged.

    An input that is null, or a text that is not a number, becomes nan. A row with such inputs has one fault, for the
    first of them. `place` describes the place of a row. Raises RequestError for decimal commas.
    """
    faults: dict[int, AdcliError] = {}
    columns = {}
    for name in requested.inputs:
        columns[name], wrong = _column_doubles(_plain(batch.column(name)))
        for row, cell in wrong:
            faults.setdefault(row, points.cell_error(cell, name, where=place(row)))
    to_carry = {name: batch.column(name) for name in requested.carried}
    return points.Batch(batch.num_rows, columns, to_carry, sorted(faults.items()), place)


def _find_repeating_columns(file: pq.ParquetFile) -> frozenset[str]:
    """Return the names of columns of texts or bytes that repeat in all row groups.

    A column repeats if it has a dictionary and fewer than `_PACKED` bytes for each value; without row groups all such
    columns do. They are to be read as dictionaries, since a few kilobytes may expand beyond the memory. Nested columns
    are left out.
    """
    pa = arrow()
    tests = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
    groups = [file.metadata.row_group(k) for k in range(file.metadata.num_row_groups)]
    return frozenset(
        column.path
        for place, column in enumerate(file.schema)
        if column.path in file.schema_arrow.names
        and any(test(file.schema_arrow.field(column.path).type) for test in tests)
        and all(_repeats(group.column(place)) for group in groups)
    )


def _repeats(chunk: pq.ColumnChunkMetaData) -> bool:
    """Return whether a column chunk has a dictionary, and fewer than _PACKED bytes for each value besides it."""
    offset, values = chunk.dictionary_page_offset, chunk.total_compressed_size - chunk.data_page_offset
    return offset is not None and bool(values + offset < _PACKED * chunk.num_values)


def _rows_at_once(batch: pa.RecordBatch) -> int:
    """Return the number of rows of `batch` to convert at a time, from 1 to 65,536.

    It keeps them below 64 MiB if every text in a dictionary is as long as the longest; other columns are not counted.
    """
    pa = arrow()
    longest = 1
    for column in batch.columns:
        if pa.types.is_dictionary(column.type) and len(column.dictionary):
            kind = column.type.value_type
            if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_binary(kind):
                longest += pa.compute.max(pa.compute.binary_length(column.dictionary)).as_py() or 0
    return max(1, min(points.BATCH, _LARGEST // longest))


def _parquet_batches(file: pq.ParquetFile, names: list[str], start: int, stop: int) -> Iterator[pa.RecordBatch]:
    """Return the rows from `start` to before `stop` of a Parquet file, its columns `names`, in batches.

    Only the row groups with such rows are read. A batch has at most 65,536 rows and about 64 MiB, by the mean size of
    rows in the group with the largest (more if repeated texts were packed). Nothing if `stop` ≤ `start` or the file
    ends before `start`.
    """
    groups = [file.metadata.row_group(place) for place in range(file.metadata.num_row_groups)]
    ends = [*accumulate((group.num_rows for group in groups), initial=0)]
    read = [k for k, (begin, end) in enumerate(pairwise(ends)) if begin < stop and end > start and end > begin]
    if not read:
        return iter(())
    size = max(1, *[groups[k].total_byte_size // groups[k].num_rows for k in read])
    batches = file.iter_batches(max(1, min(points.BATCH, _LARGEST // size)), row_groups=read, columns=names)
    return _cut_batches(batches, ends[read[0]], start, stop)


def _arrow_batches(file: pa.RecordBatchFileReader, names: list[str], start: int, stop: int) -> Iterator[pa.RecordBatch]:
    """Return the rows from `start` to before `stop` of an Arrow file, its columns `names`, in its own batches
    (`_cut_batches`).
    """
    batches = (file.get_batch(place).select(names) for place in range(file.num_record_batches))
    return _cut_batches(batches, 0, start, stop)


def _cut_batches(batches: Iterable[pa.RecordBatch], begin: int, start: int, stop: int) -> Iterator[pa.RecordBatch]:
    """Yield the rows from `start` to before `stop` of batches that follow each other, the first of which begins at row
    `begin`: the batches that reach into this range, cut at both ends. Reading ends with the last of them.

    `start` must not be after `stop`. Empty batches may be among them, also one with no rows if `start` is `stop`.
    """
    for batch in batches:
        end = begin + batch.num_rows
        if begin < stop and end > start:
            first = max(start - begin, 0)
            yield batch.slice(first, min(stop, end) - begin - first)
        begin = end
        if begin >= stop:
            return


def _plain(column: pa.Array) -> pa.Array:
    """Return the array with a dictionary replaced by its values; other arrays unchanged."""
    return column.dictionary_decode() if hasattr(column, "dictionary_decode") else column


def check_numbers(kind: pa.DataType, name: str) -> None:
    """Raise RequestError unless the type `kind` of the column `name` can hold numbers.

    Integers, floats, decimals, texts (string, large_string) and nulls can, and dictionaries of these; truth values,
    dates, bytes and nested types cannot.
    """
    types = arrow().types
    kind = kind.value_type if types.is_dictionary(kind) else kind
    names = ("integer", "floating", "decimal", "null", "string", "large_string")
    if not any(getattr(types, f"is_{name}")(kind) for name in names):
        title = f"the column {name} does not have numbers"
        raise RequestError(title, label=f"its type is {kind}", help="convert the column to float64 or int64")


def _column_doubles(column: pa.Array) -> tuple[Doubles, list[tuple[int, str | None]]]:
    """Return (a column as doubles, [(row, text) of each cell that is not a number]); such cells are nan.

    The text is None for null. In columns of texts, numbers are read as in CSV cells (`number`); other types are cast,
    whole numbers beyond 2^53 rounded. A nan that the column holds as a number is not listed.
    """
    pa = arrow()
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        doubles = pa.compute.cast(column, pa.float64(), safe=False)
        rows = pa.compute.indices_nonzero(doubles.is_null()).to_pylist() if doubles.null_count else []
        return doubles_of(pa.compute.fill_null(doubles, float("nan"))), [(row, None) for row in rows]
    cells = column.to_pylist()
    numbers = [None if cell is None else points.number(cell) for cell in cells]
    array = np.array([float("nan") if x is None else x for x in numbers])
    return array, [(row, cells[row]) for row, x in enumerate(numbers) if x is None]


# --- writing ----------------------------------------------------------------------------------------------------------


class ArrowWriter:
    """A writer of results to Parquet, to an Arrow file, or (on standard output) to an Arrow stream."""

    def __init__(self, sink: points.Sink) -> None:
        self._pa = arrow()
        self._out = sink.file
        self._form = "stream" if sink.form == "arrow" and sink.is_standard else sink.form
        self._writer: pa.RecordBatchWriter | None = None
        self._buffered: list[pa.RecordBatch] = []

    def encode(self, carried: Mapping[str, Column], results: Mapping[str, Doubles]) -> pa.RecordBatch:
        """Return the columns as a record batch: carried ones in their own type (dictionaries decoded for an Arrow
        file), results as doubles."""
        columns = dict(carried)
        if self._form == "arrow":  # such a file has one dictionary for each column, once and for all
            columns = {name: _plain(column) for name, column in carried.items()}
        return results_of(columns, results)

    def put(self, batch: pa.RecordBatch) -> None:
        """Add a batch; write all that are buffered, at once for Arrow, for Parquet from 524,288 rows or 64 MiB on."""
        self._buffered.append(batch)
        rows, size = (sum(f(x) for x in self._buffered) for f in (len, lambda x: x.nbytes))
        if self._form != "parquet" or rows >= _GROUP or size >= _LARGEST:
            self._flush()

    def _flush(self) -> None:
        """Write the batches that are buffered as one row group and empty the buffer; do nothing if there are none.

        The first time the writer is opened, with the schema of the first batch.
        """
        if not self._buffered:
            return
        if self._writer is None:
            self._writer = self._open_writer(self._buffered[0].schema)
        table = self._pa.Table.from_batches(self._buffered)
        self._buffered = []
        self._writer.write_table(table, max(table.num_rows, 1))

    def finish(self) -> None:
        self._flush()
        if self._writer is not None:
            self._writer.close()

    def _open_writer(self, schema: pa.Schema) -> pa.RecordBatchWriter:
        """Return the writer of pyarrow for the form: "parquet", "arrow" (a file), or else a stream of Arrow.

        Parquet uses dictionaries for all columns except floating-point ones.
        """
        if self._form == "parquet":
            from pyarrow import parquet

            # Doubles hardly repeat: to look for those that do takes five times as long as to write them.
            floating = self._pa.types.is_floating
            repeated = [field.name for field in schema if not floating(field.type)]
            return parquet.ParquetWriter(self._out, schema, use_dictionary=repeated or False)
        return (self._pa.ipc.new_file if self._form == "arrow" else self._pa.ipc.new_stream)(self._out, schema)


def results_of(carried: Mapping[str, Column], results: Mapping[str, Doubles]) -> pa.RecordBatch:
    """Return carried columns and then results as a record batch, under their names.

    Arrow arrays stay as they are, arrays of NumPy and lists are converted. All must have the same length.
    """
    pa = arrow()
    columns = [*carried.values(), *results.values()]
    arrays = [x if isinstance(x, pa.Array) else array_of(x) if hasattr(x, "dtype") else pa.array(x) for x in columns]
    return pa.RecordBatch.from_arrays(arrays, names=[*carried, *results])


reader, writer = ArrowFile, ArrowWriter
