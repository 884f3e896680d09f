"""The files of points: their formats, batches of rows, texts in blocks of lines, and numbers in cells. Carried columns
are copied to the result; a block is a piece of a text of whole records; a fault is the error of one row.
"""

from __future__ import annotations

import io
import math
import os
import re
import sys
import zlib
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from types import MappingProxyType

from ..errors import WRITE_INF, AdcliError, RequestError, Span
from ..records import NamedTuple
from ..typings import TYPE_CHECKING, Literal, Protocol, TypeAlias, TypeVar
from .arrays import Column, Doubles, np
from .kinds import UNCONVERTED, Kind, PossibleKinds

if TYPE_CHECKING:
    from gzip import GzipFile

Bytes: TypeAlias = "io.BufferedReader | io.BufferedRandom | GzipFile"  # they look ahead with `peek`
BATCH = 1 << 16  # rows that are worked on at a time
BLOCK = 1 << 21  # bytes of a text that make about as many
FEW_ROWS = 1 << 12  # up to this number, loading libraries takes longer than the work without them
_ROW_BYTES = BLOCK // BATCH
FEW_BYTES = FEW_ROWS * _ROW_BYTES
LONGEST = 1 << 26  # bytes that a record may take
DAMAGED = (OSError, EOFError, zlib.error)  # of a disk, or of a compressed file


class PointFormat(NamedTuple):
    """A file format: the module of this package with its `reader` and `writer`, its suffixes, what its cells `holds`
    and the bytes with which such files begin."""

    module: str
    suffixes: tuple[str, ...]
    holds: Literal["texts", "values", "columns"]  # cells are texts, values of any type, or of the type of their column
    beginnings: tuple[bytes, ...] = ()

    @property
    def is_text(self) -> bool:
        return self.holds != "columns"


# All kinds of files.  What begins like none of them is of the first.
FORMATS: Mapping[str, PointFormat] = MappingProxyType({
    "csv": PointFormat("csv_file", (".csv",), "texts"),
    "ndjson": PointFormat("ndjson_file", (".ndjson", ".jsonl"), "values", (b"{", b"[{", b"[ ", b"[\r", b"[\n", b"[\t")),
    "parquet": PointFormat("arrow_file", (".parquet",), "columns", (b"PAR1",)),
    "arrow": PointFormat("arrow_file", (".arrow", ".feather"), "columns", (b"ARROW1", b"\xff\xff\xff\xff")),
})  # fmt: skip
SUFFIXES = MappingProxyType({suffix: name for name, form in FORMATS.items() for suffix in form.suffixes})


class Batch(NamedTuple):
    """Some rows: their number, inputs as doubles by column, carried columns, and faults.

    `faults` are errors with their rows, counted from 0 in the batch and in their order; `place` describes where a row
    is in the file; `remarks` are on cells that are read but contain control characters.
    """

    rows: int
    inputs: dict[str, Doubles]
    carried: dict[str, Column]
    faults: list[tuple[int, AdcliError]]
    place: Callable[[int], str]
    remarks: Sequence[str] = ()


class ReadRows:
    """Rows of a text that are read one by one: numbers of inputs, carried cells, and faults."""

    def __init__(self, requested: RequestedColumns) -> None:
        self.count = 0
        self.faults: list[tuple[int, AdcliError]] = []
        self._numbers: dict[str, list[float]] = {name: [] for name in requested.inputs}
        self._carried: dict[str, list[object]] = {name: [] for name in requested.carried}

    def add(
        self, values: Mapping[str, float | None], cells: Mapping[str, object], fault: AdcliError | None,
        error_of: Callable[[str], AdcliError],
    ) -> None:  # fmt: skip
        """Add a row: the numbers of inputs (None for a cell that is not a number, which becomes nan), and the carried
        cells. Both must have all requested names, which is not checked.

        `fault` is the error of the row as a whole. If it is None, `error_of(name)` is called for the first input
        without a number and returns the error of the row. A row has at most one fault.
        """
        for name, x in values.items():
            if x is None and fault is None:
                fault = error_of(name)
            self._numbers[name].append(math.nan if x is None else x)
        for name, cell in cells.items():
            self._carried[name].append(cell)
        if fault is not None:
            self.faults.append((self.count, fault))
        self.count += 1

    def batch(self, place: Callable[[int], str], remarks: Sequence[str] = ()) -> Batch:
        """Return all rows; `place` and `remarks` are as in Batch."""
        inputs = {name: np.array(column, dtype=float) for name, column in self._numbers.items()}
        return Batch(self.count, inputs, dict(self._carried), self.faults, place, remarks)


class RequestedColumns(NamedTuple):
    """The columns to read: `inputs` as doubles, `carried` unchanged or converted as `kinds` says; a column can be
    both."""

    inputs: Sequence[str]
    carried: Sequence[str]
    kinds: Mapping[str, Kind] = UNCONVERTED

    @property
    def all(self) -> list[str]:
        return list(dict.fromkeys([*self.inputs, *self.carried]))


Job = Callable[[], Batch]  # reads what was taken from a file; may run in another thread
Cut = Callable[[bytes], int]  # how many bytes of a block of a text are whole records


class RowRange(NamedTuple):
    """A range of a file: where its rows begin and before which place they end (bytes of a text, rows of a table), and
    the number of its first line or row."""

    start: int
    stop: int
    first: int


class PointsFile(Protocol):
    """A file of points being read: the names of its columns, and its rows in batches, in order.

    `holds` is the kind of its cells.
    """

    columns: list[str]

    @property
    def holds(self) -> Literal["texts", "values", "columns"]: ...

    def has_at_most(self, rows: int) -> bool:
        """Return whether the points have at most `rows` rows, those of texts counted by their bytes; False if
        unknown."""

    def kinds(self, names: Sequence[str]) -> Mapping[str, Kind]:
        """Return the kinds of those columns whose type the file itself does not declare."""

    def ranges(self, count: int) -> list[RowRange]:
        """Split all rows into `count` ranges of about the same length, each of which can be read alone.

        Raises RequestError for input that can be read only once.
        """

    def jobs(self, requested: RequestedColumns, within: RowRange | None = None) -> Iterator[Job]:
        """Yield the batches, each as a function that reads it, of a range or of the whole file; at least one,
        possibly empty."""

    def fraction_read(self) -> float | None:
        """Return the fraction of the file that has been read, None if unknown."""


Piece = TypeVar("Piece")


class ResultsFile(Protocol[Piece]):
    """A file of results: `encode` converts a batch in any thread, `put` writes the pieces in order."""

    def encode(self, carried: Mapping[str, Column], results: Mapping[str, Doubles]) -> Piece: ...

    def put(self, piece: Piece) -> None: ...

    def finish(self) -> None: ...


class TextWriter:
    """The base of files of results whose batches are encoded as pieces of text, each of which ends with a row."""

    def __init__(self, sink: Sink, header: str = "") -> None:
        """Write to `sink.file`; `header` is a line, with its newline, that is written before the first rows."""
        self._write = sink.file.write
        self._header = [header.encode("utf-8", "replace")] if header else []

    def put(self, pieces: list[bytes]) -> None:
        """Write rows, before the first of them the header."""
        for piece in self._header + pieces:
            self._write(piece)
        self._header = []

    def finish(self) -> None:
        """Do nothing: all rows are written."""


class Intake(NamedTuple):
    """A source of points: a file or standard input (None), its stream, the limit of bytes in a record, whether it can
    be read more than once, and whether inputs in CSV have decimal commas."""

    path: str | None
    stream: Bytes
    longest: int
    is_kept: bool
    has_commas: bool

    @property
    def name(self) -> str:
        return self.path or "standard input"


class Sink(NamedTuple):
    """A target of results and their format.

    `file` takes bytes (standard output if `is_standard`); `to_json` returns a value as JSON, `nan` is the name of what
    NDJSON has for values that are not numbers, `kinds` are those of carried columns whose file did not declare them.
    """

    form: str
    columns: Sequence[str]
    file: io.RawIOBase
    is_standard: bool
    to_json: Callable[[object], str]
    nan: str = "null"
    kinds: Mapping[str, Kind] = UNCONVERTED


def even_ranges(rows: int, count: int) -> list[RowRange]:
    """Split that many rows into `count` ranges of about the same length, possibly empty: start from 0, stop exclusive,
    and as `first` the number of the first row, from 1.
    """
    bounds = [rows * k // count for k in range(count + 1)]
    return [RowRange(start, stop, start + 1) for start, stop in pairwise(bounds)]


def readable_once(name: str, advice: str) -> RequestError:
    """Return the error for input `name` that would have to be read again."""
    return RequestError(f"{name} can be read only once", help=advice)


def lines_in(block: bytes) -> int:
    """Return the number of newlines in a block, counted by NumPy because it is much faster than bytes.count."""
    return int(np.count_nonzero(np.frombuffer(block, np.uint8) == 10))


def whole_lines(block: bytes) -> int:
    """Return the number of bytes of a block that are whole lines."""
    return block.rfind(b"\n") + 1


class TextBlocks:
    """A text read in blocks of whole lines; `line` is the number of the first line of the next block."""

    def __init__(self, intake: Intake) -> None:
        """Prepare to read the lines of a file in blocks, from its present place on, which is the start of all
        positions.

        The size is known only for plain files with a name.
        """
        self.path, self.stream, self._longest, self.is_kept, _ = intake
        self.name = intake.name
        self.line = 1
        self.ended = False
        self._left = b""
        self._begin = self.stream.tell() if self.is_kept else 0
        self._taken = 0  # bytes, since then
        self._stop = sys.maxsize
        # What is compressed or comes through a pipe has no size that is known.
        known = intake.path is not None and isinstance(intake.stream, io.BufferedReader)
        self._size = os.fstat(intake.stream.fileno()).st_size if known else 0

    def fraction_read(self) -> float | None:
        """Return the fraction of the file that has been read; None for compressed files and pipes."""
        return min(self._taken / self._size, 1.0) if self._size else None

    def has_at_most(self, rows: int) -> bool:
        """Return whether the text has at most so many `rows` of 32 bytes; without a known size only if what was read so
        far is less than a block, and thus all."""
        known = self._size or (self._taken if self._taken < BLOCK else sys.maxsize)
        return known <= rows * _ROW_BYTES

    def ranges(self, count: int, cut: Cut, ended: Callable[[bytes], bytes] = bytes) -> list[RowRange]:
        """Split what is still to be read into `count` ranges of whole records, of about the same bytes, and return to
        the same place.

        A RowRange has the first byte, the byte after the last, and the number of the first line. Reads the text once or
        twice; ranges may be empty. `cut(block)` returns how many bytes are whole records, `ended` blanks out the
        newlines of a block that do not end a record. Raises RequestError for input that can be read only once, a record
        that is too long, or a damaged file.
        """
        self.check_kept()
        before, _, line = self.here()
        ends = [(before, line)]  # of blocks: where the next begins, and the number of its first line
        while block := self.read(cut):
            ends.append((ends[-1][0] + len(block), ends[-1][1] + lines_in(block)))
        size = ends[-1][0] - before
        bounds = [ends[0]]
        for target in [before + size * k // count for k in range(1, count)]:
            place = bisect_left(ends, (target, 0))
            if ends[place][0] == target:
                bounds.append(ends[place])
                continue
            start, first = ends[place - 1]
            self.rewind(RowRange(start, ends[place][0], first))
            while (block := self.read(cut)) and start + len(block) < target:  # it may come in smaller pieces now
                start, first = start + len(block), first + lines_in(block)
            end = ended(block).find(b"\n", target - start - 1) + 1 or len(block)
            bounds.append((start + end, first + block.count(b"\n", 0, end)))
        self.rewind(RowRange(before, ends[-1][0], line))
        return [RowRange(start, stop, first) for (start, first), (stop, _) in pairwise([*bounds, ends[-1]])]

    def check_kept(self) -> None:
        """Raise RequestError for input that can be read only once."""
        if not self.is_kept:
            raise readable_once(self.name, "save it, and name the file")

    def here(self) -> RowRange:
        """Return the range from the next byte that is not consumed to the end."""
        return RowRange(self._taken - len(self._left), sys.maxsize, self.line)

    def rewind(self, to: RowRange) -> None:
        """Continue reading at the start of a range, up to its end."""
        self.stream.seek(self._begin + to.start)
        self._left, self._taken, self.line, self.ended = b"", to.start, to.first, False
        self._stop = to.stop

    def look_ahead(self, look: Callable[[bytes, int], bool], cut: Cut = whole_lines) -> None:
        """Call `look(block, line)` with blocks and their first line numbers until it is False; then go back.

        If the text can be read only once, `look` gets the first block alone, whatever it returns. `cut(block)` returns
        how many bytes of a block are whole records. Raises the errors of `read`.
        """
        here = self.here()
        while block := self.read(cut):
            more = look(block, self.line)
            if not self.is_kept:
                self.give_back(block)
                return
            self.line += lines_in(block)
            if not more:
                break
        if self.is_kept:
            self.rewind(here)

    def read(self, cut: Cut = whole_lines) -> bytes:
        """Return the next block of whole records, empty after the last (`ended` is True from the last block on).

        `cut` gets a block and returns how many bytes of its beginning are whole records. The last block has all that is
        left, even without a newline. `line` is not advanced. Raises RequestError for a record with more bytes than the
        limit of the reader, or a damaged file.
        """
        block = self._left
        size = BLOCK
        while True:
            before = len(block)
            block = self._read_more(size, block)
            self._taken += len(block) - before
            if len(block) == before:
                self._left, self.ended = b"", True
                return block
            end = cut(block)
            if end > 0:
                self._left = block[end:]
                return block[:end]
            if len(block) > self._longest:
                title = f"the row that begins on line {self.line} of {self.name} is too long"
                advice = "look for a quotation mark that is not closed, or for lines without an end"
                raise RequestError(title, label=f"this row has more than {self._longest:,} bytes", help=advice)
            size = len(block)  # twice as much next time

    def _read_more(self, size: int, before: bytes) -> bytes:
        """Return the block `before` with up to `size` bytes more, fewer at the end of the file or of the range; read in
        pieces, so that an interrupt has an effect in between.

        Raises RequestError with the line at which the file is damaged.
        """
        pieces = [before]
        size = min(size, self._stop - self._taken)
        try:
            while piece := self.stream.read1(size):
                pieces.append(piece)
                size -= len(piece)
        except DAMAGED as error:
            line = self.line + sum(piece.count(b"\n") for piece in pieces)
            raise RequestError(f"cannot read {self.name} from line {line} on", label=str(error)) from None
        return b"".join(pieces)

    def give_back(self, block: bytes) -> None:
        """Put back a block that is to be read again."""
        self._left = block + self._left

    def place(self, line: int) -> str:
        """Return the file and line for messages."""
        return f"{self.path}:{line}" if self.path else f"line {line}"


class TextFile(ABC):
    """A file of points that is a text: each batch is made from a block of whole records."""

    columns: list[str]

    def __init__(self, intake: Intake) -> None:
        self.blocks = TextBlocks(intake)
        self.has_at_most, self.fraction_read = self.blocks.has_at_most, self.blocks.fraction_read

    @abstractmethod
    def _batch(self, block: bytes, line: int, requested: RequestedColumns) -> Batch:
        """Return the columns of the records of a block whose first line has the number `line`."""

    @abstractmethod
    def _convert_columns(self, batch: Batch, requested: RequestedColumns) -> Batch:
        """Return the batch with carried columns converted in place to the kinds of `requested`."""

    def _spell_column(self, column: Column) -> Column:
        """Return the cells of a carried column as the texts by which its kind is recognised."""
        return column

    def _cut(self, block: bytes) -> int:
        """Return how many bytes of a block are whole records."""
        return whole_lines(block)

    def _mask_newlines(self, block: bytes) -> bytes:
        """Return the block with every newline blanked out that does not end a record."""
        return block

    def _end_fault(self, block: bytes) -> AdcliError | None:
        """Return the error of the last block of the file if it ends inside a record, else None."""
        return None

    def ranges(self, count: int) -> list[RowRange]:
        return self.blocks.ranges(count, self._cut, self._mask_newlines)

    def kinds(self, names: Sequence[str]) -> dict[str, Kind]:
        """Return {column: "truth", "whole", "double" or "text"} for `names`: the first of these that fits all cells.

        If the file can be read only once, the cells are those of its first block. "text" for a column whose cells are
        all empty. Reading goes on at the same place. Raises the errors of reading and of `_batch`.
        """
        kinds = PossibleKinds(names)

        def look(block: bytes, line: int) -> bool:
            batch = self._batch(block, line, RequestedColumns([], kinds.names))
            kinds.add({name: self._spell_column(column) for name, column in batch.carried.items()})
            return bool(kinds.names)

        if kinds.names:
            self.blocks.look_ahead(look, self._cut)
        return kinds.kinds()

    def jobs(self, requested: RequestedColumns, within: RowRange | None = None) -> Iterator[Job]:
        """Yield the batches of the range `within`, or (None) of the file from the present place on, each as a function
        that reads it.

        At least one, possibly empty. Calling a job raises RequestError for cells of another kind than requested, and
        what `_batch` raises. The generator raises the errors of reading, and instead of yielding the last batch
        RequestError if the file ends inside a record.
        """
        if within is not None:
            self.blocks.rewind(within)
        is_first = True
        while (block := self.blocks.read(self._cut)) or is_first:
            is_first = False
            fault = self._end_fault(block) if self.blocks.ended else None
            if fault is not None:
                raise fault
            yield partial(self._read_typed_batch, block, self.blocks.line, requested)
            self.blocks.line += lines_in(block)

    def _read_typed_batch(self, block: bytes, line: int, requested: RequestedColumns) -> Batch:
        return self._convert_columns(self._batch(block, line, requested), requested)


# --- cells ------------------------------------------------------------------------------------------------------------

_SPACE = "[ \t\r\u00a0\u2000-\u200a\u202f\u3000]*"  # no control character that Python takes for a space
_NUMBER = re.compile(rf"{_SPACE}[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?{_SPACE}\Z")
_SPECIAL = frozenset(sign + word for sign in ("", "+", "-") for word in ("nan", "inf", "infinity"))
_DECIMAL_COMMA = re.compile(r"\s*[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?\s*\Z")


def is_number(cell: str) -> bool:
    """Return whether a cell is a finite or too large number, and not a text that a spreadsheet might evaluate."""
    return _NUMBER.match(cell) is not None


def number(cell: str) -> float | None:
    """Return the number in a cell, with blanks around it, as a double; None if it is not one or too large.

    Infinities and nan only if they are written as such: inf, infinity and nan in any case, with or without a sign.
    """
    if _NUMBER.match(cell):
        value = float(cell)
        return None if math.isinf(value) else value
    return float(cell) if cell.strip().lower() in _SPECIAL else None


def cell_error(cell: str | None, column: str, span: Span | None = None, where: str = "") -> AdcliError:
    """Return the RequestError for a cell of `column` that is not a number: empty or None, too large for a double, or a
    text.

    The caller knows that it is none for `number`: a cell that looks like a number counts as too large. `where`, if not
    empty, is the label instead of the usual one. Raises RequestError for decimal commas, which concern the whole file.
    """
    if cell is None or not cell.strip():
        title = f"the column {column} has no value here"
        return RequestError(title, span, where or "this cell is empty", help="write a number, or nan for a missing one")
    if _NUMBER.match(cell):
        return RequestError(
            f"the value of {column} is too large for a double", span, where or "this number", help=WRITE_INF
        )
    if _DECIMAL_COMMA.match(cell):
        raise RequestError(
            f"the column {column} has decimal commas", span, where or "this has a comma", help="add --decimal comma"
        )
    title = f"the value of {column} is not a number"
    return RequestError(title, span, where or "this is text", help="write a number, as in 1.5 or 2e-3")


def check_column_names(names: list[str], path: str | None) -> list[str]:
    """Return the names of columns of the file at `path` (None: standard input), unchanged.

    Raises RequestError if two are equal; several empty names are allowed.
    """
    seen: set[str] = set()
    for name in names:
        if name and name in seen:
            title = f"two columns of {path or 'standard input'} are called {name}"
            raise RequestError(title, help="rename one of them")
        seen.add(name)
    return names
