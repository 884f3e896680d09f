"""Files of points: what kinds there are, batches of their rows, texts in blocks of lines, and numbers in cells."""

from __future__ import annotations

import io
import math
import os
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

from ..errors import AdcliError, RequestError, Span
from ..records import NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    Doubles: TypeAlias = NDArray[np.float64]
    Column: TypeAlias = list[object] | Doubles | pa.Array  # cells as they stand in a file, to be carried over

BATCH = 1 << 16  # rows that are worked on at a time
BLOCK = 1 << 21  # bytes of a text that make about as many
LONGEST = 1 << 26  # bytes that a record may take
DAMAGED = (OSError, EOFError, zlib.error)  # of a disk, or of a compressed file


class PointFormat(NamedTuple):
    """A kind of file: the module of this room that has its `reader` and its `writer`, its suffixes, how it begins."""

    module: str
    suffixes: tuple[str, ...]
    is_text: bool = False
    beginnings: tuple[bytes, ...] = ()


# All kinds of files.  What begins like none of them is of the first.
FORMATS: Mapping[str, PointFormat] = MappingProxyType({
    "csv": PointFormat("csv_file", (".csv",), is_text=True),
    "ndjson": PointFormat("ndjson_file", (".ndjson", ".jsonl"), True, (b"{",)),
    "parquet": PointFormat("arrow_file", (".parquet",), False, (b"PAR1",)),
    "arrow": PointFormat("arrow_file", (".arrow", ".feather"), False, (b"ARROW1", b"\xff\xff\xff\xff")),
})  # fmt: skip
SUFFIXES = MappingProxyType({suffix: name for name, form in FORMATS.items() for suffix in form.suffixes})


class Batch(NamedTuple):
    """Some rows: how many, their inputs as doubles by column, what is carried, and what could not be read.

    `faults` are errors with their rows, counted from 0 in the batch; `place` says where such a row stands in the file,
    and `remarks` are of cells that are read and yet strange.
    """

    rows: int
    inputs: dict[str, Doubles]
    carried: dict[str, Column]
    faults: list[tuple[int, AdcliError]]
    place: Callable[[int], str]
    remarks: Sequence[str] = ()


Job = Callable[[], Batch]  # reads what was taken from a file; may run in another thread


class PointsFile(Protocol):
    """A file of points that is read: the names of its columns, and its rows in batches, in order."""

    columns: list[str]

    def jobs(self, inputs: Sequence[str], carried: Sequence[str]) -> Iterator[Job]:
        """The batches, still to be read, with these columns; at least one, be it empty."""

    def part(self) -> float | None:
        """Which part of the file was taken so far, where that is known."""


Piece = TypeVar("Piece")


class ResultsFile(Protocol[Piece]):
    """A file of results: `encoded` makes a piece of a batch in any thread, `put` writes pieces in order."""

    def encoded(self, carried: Mapping[str, Column], found: Mapping[str, Doubles]) -> Piece: ...

    def put(self, piece: Piece) -> None: ...

    def finish(self) -> None: ...


class Bytes(Protocol):
    """A binary file that points come from; `peek` looks ahead."""

    def peek(self, size: int, /) -> bytes: ...

    def read1(self, size: int = -1, /) -> bytes: ...

    def fileno(self) -> int: ...


class Intake(NamedTuple):
    """Where points come from: a file or standard input (None), opened, and how many bytes a record may take."""

    path: str | None
    stream: Bytes
    longest: int

    @property
    def name(self) -> str:
        return self.path or "standard input"


class Sink(NamedTuple):
    """What results are written as, and where they go.

    `file` takes bytes, standard output if it `is_standard`; `guarded` is what becomes of a text that a spreadsheet
    might compute with, `spelled` how JSON spells a value, and `nan` what NDJSON has for what is no number.
    """

    form: str
    columns: Sequence[str]
    file: io.RawIOBase
    is_standard: bool
    guarded: Callable[[str], str]
    spelled: Callable[[object], str]
    nan: str = "null"


class TextBlocks:
    """A text taken in blocks of whole lines, each with the number of its first line."""

    def __init__(self, intake: Intake) -> None:
        self.path, self.stream, self._longest = intake
        self.line = 1
        self.ended = False
        self._left = b""
        self._taken = 0
        # What is compressed or comes through a pipe has no size that is known.
        known = intake.path is not None and isinstance(intake.stream, io.BufferedReader)
        self._size = os.fstat(intake.stream.fileno()).st_size if known else 0

    def part(self) -> float | None:
        return min(self._taken / self._size, 1.0) if self._size else None

    def read(self, cut: Callable[[bytes], int] = lambda block: block.rfind(b"\n") + 1) -> bytes:
        """The next block, empty at the end; `cut` says how many of its bytes are whole records."""
        block = self._left
        size = BLOCK
        while True:
            more = self._more(size, block)
            self._taken += len(more)
            block = block + more if block else more
            if not more:
                self._left, self.ended = b"", True
                return block
            end = cut(block)
            if end > 0:
                self._left = block[end:]
                return block[:end]
            if len(block) > self._longest:
                raise RequestError(
                    f"the record from line {self.line} of {self.name} on is too long",
                    label=f"it has more than {self._longest:,} bytes",
                    help="end every line, and close every quotation mark",
                )
            size = len(block)  # twice as much next time

    def _more(self, size: int, before: bytes) -> bytes:
        """So many bytes, fewer at the end; taken as they come, so that an interrupt is heard in between.

        Raises RequestError with the line where the file is damaged; `before` is what of the block is there already.
        """
        pieces = []
        try:
            while size > 0 and (piece := self.stream.read1(size)):
                pieces.append(piece)
                size -= len(piece)
        except DAMAGED as error:
            line = self.line + sum(piece.count(b"\n") for piece in (before, *pieces))
            raise RequestError(f"cannot read {self.name} from line {line} on", label=str(error)) from None
        return b"".join(pieces)

    def give_back(self, block: bytes) -> None:
        """What was read and is to be read again."""
        self._left = block + self._left

    @property
    def name(self) -> str:
        return self.path or "standard input"

    def place(self, line: int) -> str:
        return f"{self.path}:{line}" if self.path else f"line {line}"


# --- cells ------------------------------------------------------------------------------------------------------------

_SPACE = "[ \t\r\u00a0\u2000-\u200a\u202f\u3000]*"  # no control character that Python takes for a space
_NUMBER = re.compile(rf"{_SPACE}[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?{_SPACE}\Z")
_SPECIAL = re.compile(r"\s*[+-]?(?:nan|inf(?:inity)?)\s*\Z", re.IGNORECASE)
_DECIMAL_COMMA = re.compile(r"\s*[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?\s*\Z")


def is_number(cell: str) -> bool:
    """Whether a cell is a number, and so no text that a spreadsheet might compute with."""
    return _NUMBER.match(cell) is not None


def number(cell: str) -> float | None:
    """The number in a cell; infinities and nan only where they are written."""
    if _NUMBER.match(cell):
        found = float(cell)
        return None if math.isinf(found) else found
    return float(cell) if _SPECIAL.match(cell) else None


def refused(cell: str | None, column: str, span: Span | None = None, where: str = "") -> AdcliError:
    """What is wrong with a cell that holds no number; `where` says the place that no span can.

    Raises RequestError for decimal commas, which a file has throughout.
    """
    if cell is None or not cell.strip():
        return RequestError(
            f"{column} has no value", span, where or "this cell is empty", help="write a number, or nan for none"
        )
    if _NUMBER.match(cell):
        return RequestError(
            f"{column} is too large for a double", span, where or "this number", help="write inf where it is meant"
        )
    if _DECIMAL_COMMA.match(cell):
        raise RequestError(
            f"{column} has decimal commas", span, where or "this is one", help="write decimal points, as in 1.5"
        )
    return RequestError(
        f"{column} is no number", span, where or "this is text", help="write a number, as in 1.5 or 2e-3"
    )


def once(names: list[str], path: str | None) -> list[str]:
    """The names of columns, of which no two may be alike; those without a name cannot be asked for."""
    seen: set[str] = set()
    for name in names:
        if name and name in seen:
            raise RequestError(
                f"two columns of {path or 'standard input'} are called {name}", help="rename one of them"
            )
        seen.add(name)
    return names
