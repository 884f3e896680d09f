"""Inputs of a run, files and standard input, read within a size limit; none of them may be the file that is written."""

from __future__ import annotations

import codecs
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import RequestError, Source, Span
from ..patterns import pattern
from ..records import NamedTuple
from ..typings import BinaryIO

MOST = 64_000_000  # bytes of an input that is read whole, and of a line of any other
_DECIMAL_COMMA = pattern(r"(?<![\w.])([0-9]++),(?=[0-9])")  # a comma inside a number; that after x1 is not one
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"),
)  # fmt: skip
_NAMES = {"utf-8": "UTF-8", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16"}


class Inputs(NamedTuple):
    """The inputs of one run.

    `most` is the number of bytes that each input (or line) may have, `output` the file that none of them may be; None
    for the file that standard output goes to. With `has_commas` the numbers of problems have decimal commas.
    """

    most: int = MOST
    output: str | None = None
    has_commas: bool = False

    def open_file(self, path: str) -> BinaryIO:
        """Return the file at `path`, open for reading in bytes; the caller closes it.

        Raises RequestError if it is a folder, cannot be opened, or is the output, which is closed again before.
        """
        try:
            stream = open(path, "rb")  # noqa: SIM115 - the caller closes it
        except IsADirectoryError:
            raise RequestError(f"{path} is a folder, not a file", help="name a file") from None
        except (OSError, ValueError) as error:
            raise _unreadable_error(path, error) from None
        try:
            self._check_not_output(stream, path)
        except RequestError:
            stream.close()
            raise
        return stream

    def standard(self) -> BinaryIO:
        """Return standard input as a binary stream. Raises RequestError if it is closed or is the output."""
        if sys.stdin is None:
            raise RequestError("standard input is closed", help="name a file, or pipe the input in")
        self._check_not_output(sys.stdin.buffer, "standard input")
        return sys.stdin.buffer

    def read(self, path: str, most: int | None = None) -> bytes:
        """Return the bytes of the file at `path`; `-` is standard input.

        With `most` only the first `most` bytes are returned, and a longer file is not an error; without it,
        RequestError is raised for more than `self.most` bytes. Raises RequestError if the file cannot be read or is the
        output, too.
        """
        with self._open_for_reading(path) as (stream, name):
            data = stream.read(self.most + 1 if most is None else most)
        if most is None and len(data) > self.most:
            raise self.too_large(name)
        return data

    def text(self, path: str) -> str:
        """Return the text of a file. Raises RequestError, with the place, if it is not UTF-8 or UTF-16."""
        return decode_text(self.read(path), path)

    def read_lines(self, path: str | None) -> Iterator[bytes]:
        """Yield the lines of the file at `path`, or of standard input (None or `-`), as bytes with their line ends.

        Raises RequestError if the file cannot be read or a line, with its end, is longer than `self.most` bytes.
        """
        with self._open_for_reading(path or "-") as (stream, name):
            while line := stream.readline(self.most + 1):
                if len(line) > self.most:
                    raise self.too_large(f"a line of {name}")
                yield line

    @contextmanager
    def _open_for_reading(self, path: str) -> Iterator[tuple[BinaryIO, str]]:
        """Open the file at `path`, or standard input for `-`, and yield (stream, name); files are closed at the end.

        The name is the path or "standard input". Raises RequestError if it cannot be opened, and instead of an OSError
        inside the block.
        """
        is_standard = path == "-"
        name = "standard input" if is_standard else path
        stream = self.standard() if is_standard else self.open_file(path)
        try:
            yield stream, name
        except OSError as error:
            raise _unreadable_error(name, error) from None
        finally:
            if not is_standard:
                stream.close()

    def check_file(self, path: str) -> None:
        """Check a file that another library will read.

        Raises RequestError if the file at `path` is the output, cannot be read, or has more than `self.most` bytes. The
        size of devices and pipes is not checked.
        """
        with self.open_file(path) as stream:
            state = os.fstat(stream.fileno())
            if stat.S_ISREG(state.st_mode) and state.st_size > self.most:
                raise self.too_large(path)

    def too_large(self, name: str) -> RequestError:
        title = f"{name} is larger than {self.most:,} bytes"
        return RequestError(title, help=f"allow more, as in --max-size {max(2 * self.most // 10**6, 1)}MB")

    def _check_not_output(self, stream: BinaryIO, name: str) -> None:
        """Raise RequestError if `stream`, called `name`, is the file that is written.

        That is `self.output`, or the file to which standard output goes if that is None. Only ordinary files count;
        nothing happens if one of the two does not exist or is not a file of the system.
        """
        try:
            state = os.fstat(stream.fileno())
            written = os.fstat(sys.stdout.fileno()) if self.output is None else os.stat(self.output)
        except (OSError, ValueError, AttributeError):  # one of them is not there, or no file of the system
            return
        if stat.S_ISREG(state.st_mode) and os.path.samestat(state, written):
            where = (
                "standard output goes to this file"
                if self.output is None
                else f"the input and the output are {self.output}"
            )
            raise is_output(name, where, "file")


# Signs in the name of a file that does not exist, and what to do, because it was meant for something else.
_NO_FILES = {
    "@": 'this is a problem, not a file: --problem "{name}"', "=": 'this is a point, not a file: --at "{name}"',
    "^": "this is an expression, not a file",
}  # fmt: skip


def is_output(name: str, where: str, kind: str) -> RequestError:
    """Return the error for an input that would be overwritten; `where` says by what, `kind` is file or folder."""
    return RequestError(f"{name} is both an input and the output", label=where, help=f"write to another {kind}")


def read_size(text: str) -> int:
    """Return the number of bytes in a text such as 500, 500kB, 64MB or 2g (k, M, G: powers of 1000, in either case).

    A `B` may follow the number or the unit; KiB is not a unit. Raises RequestError unless the number is whole, above 0
    and of at most 12 digits. Blanks around the text and before the unit are ignored.
    """
    number, unit = text.strip().lower().removesuffix("b"), ""
    if number[-1:] in _UNITS:
        number, unit = number[:-1].rstrip(), number[-1:]
    if not (number.isascii() and number.isdecimal() and len(number) <= 12 and int(number)):
        raise RequestError(f"--max-size {text} is not a size", help="write it as 500kB, 64MB or 2GB")
    return int(number) * _UNITS[unit]


def with_points(text: str) -> str:
    """Return the text with decimal points instead of the decimal commas of its numbers.

    A comma is replaced if it is directly between digits, and the digits before it are not part of a name or behind a
    point: the commas of `x=2,y=3`, `x1,2` and `1.5,2` stay, but `f(2,3)` becomes `f(2.3)` and `1,2,3` becomes `1.2.3`.
    `x=2,5; W=[1,2]` becomes `x=2.5; W=[1,2]`, because commas in square brackets separate entries.
    """
    before, *lists = text.split("[")
    parts = [part.rpartition("]") for part in lists]
    plain = ["[" + inside + end + _DECIMAL_COMMA.sub(r"\1.", rest) for inside, end, rest in parts]
    return _DECIMAL_COMMA.sub(r"\1.", before) + "".join(plain)


def decode_text(data: bytes, name: str) -> str:
    """Return the text of `data` in UTF-8, or in UTF-16 if `data` starts with a byte order mark of UTF-16.

    The mark, also that of UTF-8, is dropped. Raises RequestError with the line and column of the first wrong byte, the
    bytes, and a hint how to convert the file; `name` is the file's name in the message.
    """
    encoding, start = next(((encoding, len(mark)) for mark, encoding in _MARKS if data.startswith(mark)), ("utf-8", 0))
    try:
        return data[start:].decode(encoding)
    except UnicodeDecodeError as error:
        before = data[start : start + error.start].decode(encoding, "replace")
        line = before[before.rfind("\n") + 1 :]
        after = data[start + error.start :][:80].decode(encoding, "replace").partition("\n")[0].rstrip("\r")
        span = Span(len(line), len(line) + 1, Source(line + after, name, before.count("\n") + 1))
        wrong_bytes = " ".join(f"{byte:02x}" for byte in error.object[error.start : error.end])
        advice = "save it as UTF-8, or: iconv -f WINDOWS-1252 -t UTF-8"
        raise RequestError(f"{name} is not {_NAMES[encoding]}", span, f"the byte {wrong_bytes}", help=advice) from None


def _unreadable_error(name: str, error: OSError | ValueError) -> RequestError:
    """Return the error for a file that cannot be read; `name` is as it was written, `error` says why.

    For a file that does not exist, the help is the first that applies: a file of its folder with a similar name; if
    `name` has `@`, to write it behind --problem, if it has `=`, behind --at; if it has `^`, that it is an expression;
    to name a file or write its path. Other errors have no help.
    """
    advice = ""
    if isinstance(error, FileNotFoundError):
        from difflib import get_close_matches  # only needed after an error

        folder, file = os.path.split(os.path.abspath(name))
        sign = next((sign for sign in _NO_FILES if sign in name), "")
        near = get_close_matches(file, os.listdir(folder) if os.path.isdir(folder) else (), n=1, cutoff=0.75)
        advice = _NO_FILES.get(sign, "name a file of this folder, or write the path to it").format(name=name)
        advice = f"did you mean {os.path.join(os.path.dirname(name), near[0])}?" if near else advice
    return RequestError(f"cannot read {name}", label=getattr(error, "strerror", "") or "", help=advice)
