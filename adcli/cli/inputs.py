"""What is read: files and standard input, each within a limit of size, and none of them the file that is written."""

from __future__ import annotations

import codecs
import os
import re
import stat
import sys
from collections.abc import Iterator
from typing import BinaryIO

from ..errors import RequestError, Source, Span
from ..patterns import pattern
from ..records import NamedTuple

MOST = 64_000_000  # bytes of an input that is read whole, and of a line of any other
_SIZE = pattern(r"([0-9]{1,12})\s*([kmg]?)b?\Z", re.IGNORECASE | re.ASCII)
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"),
)  # fmt: skip
_NAMES = {"utf-8": "UTF-8", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16"}


class Inputs(NamedTuple):
    """The inputs of one run: how many bytes each may take in memory, and the file that none of them may be.

    Without an `output` that is the one that standard output goes to.
    """

    most: int = MOST
    output: str | None = None

    def opened(self, path: str) -> BinaryIO:
        """A file to be read.  Raises RequestError for a folder, for what cannot be read, and for the output."""
        try:
            stream = open(path, "rb")  # noqa: SIM115 - whoever asked closes it
        except IsADirectoryError:
            raise RequestError(f"{path} is a folder", help="name a file") from None
        except (OSError, ValueError) as error:
            raise _unread(path, error) from None
        try:
            self._apart(stream, path)
        except RequestError:
            stream.close()
            raise
        return stream

    def standard(self) -> BinaryIO:
        """Standard input.  Raises RequestError where it is closed, or is the output."""
        if sys.stdin is None:
            raise RequestError("standard input is closed", help="name a file, or pipe the input in")
        self._apart(sys.stdin.buffer, "standard input")
        return sys.stdin.buffer

    def whole(self, path: str, most: int | None = None) -> bytes:
        """What a file holds, `-` being standard input; RequestError where that is more than allowed.

        With `most` its first bytes, so many at most.
        """
        name = "standard input" if path == "-" else path
        stream = self.standard() if path == "-" else self.opened(path)
        try:
            data = stream.read(self.most + 1 if most is None else most)
        except OSError as error:
            raise _unread(name, error) from None
        finally:
            if path != "-":
                stream.close()
        if most is None and len(data) > self.most:
            raise self.too_large(name)
        return data

    def text(self, path: str) -> str:
        """The text that a file holds; RequestError with the place where it is none."""
        return decoded(self.whole(path), path)

    def lines(self, path: str | None) -> Iterator[bytes]:
        """The lines of a file, or of standard input (None), each within the limit."""
        name = path or "standard input"
        stream = self.standard() if path is None else self.opened(path)
        try:
            while line := stream.readline(self.most + 1):
                if len(line) > self.most:
                    raise self.too_large(f"a line of {name}")
                yield line
        except OSError as error:
            raise _unread(name, error) from None
        finally:
            if path is not None:
                stream.close()

    def checked(self, path: str) -> None:
        """Raises RequestError where a file that something else will read cannot be read, is too large or the output."""
        with self.opened(path) as stream:
            state = os.fstat(stream.fileno())
            if stat.S_ISREG(state.st_mode) and state.st_size > self.most:
                raise self.too_large(path)

    def too_large(self, name: str) -> RequestError:
        return RequestError(
            f"{name} is larger than {self.most:,} bytes",
            help=f"allow more, as in --max-size {max(2 * self.most // 10**6, 1)}MB",
        )

    def _apart(self, stream: BinaryIO, name: str) -> None:
        """Raises RequestError where a stream is the file that is written; a terminal may be both."""
        try:
            state = os.fstat(stream.fileno())
            written = os.fstat(sys.stdout.fileno()) if self.output is None else os.stat(self.output)
        except (OSError, ValueError, AttributeError):  # one of them is not there, or no file of the system
            return
        if stat.S_ISREG(state.st_mode) and os.path.samestat(state, written):
            where = "standard output goes there" if self.output is None else f"it is {self.output}"
            raise RequestError(f"{name} is an input and the output", label=where, help="write to another file")


def size(text: str) -> int:
    """The number of bytes that a text says, as in 64MB or 2GB.  Raises RequestError."""
    match = _SIZE.match(text.strip())
    if match is None or not int(match[1]):
        raise RequestError(f"--max-size {text} is no size", help="write it as 500kB, 64MB or 2GB")
    return int(match[1]) * _UNITS[match[2].lower()]


def decoded(data: bytes, name: str) -> str:
    """The text in UTF-8, or in UTF-16 with its mark.  Raises RequestError with the place of what is neither."""
    encoding, start = next(((encoding, len(mark)) for mark, encoding in _MARKS if data.startswith(mark)), ("utf-8", 0))
    try:
        return data[start:].decode(encoding)
    except UnicodeDecodeError as error:
        before = data[start : start + error.start].decode(encoding, "replace")
        line = before[before.rfind("\n") + 1 :]
        after = data[start + error.start :][:80].decode(encoding, "replace").partition("\n")[0].rstrip("\r")
        span = Span(len(line), len(line) + 1, Source(line + after, name, before.count("\n") + 1))
        found = " ".join(f"{byte:02x}" for byte in error.object[error.start : error.end])
        raise RequestError(
            f"{name} is no {_NAMES[encoding]}", span, f"the byte {found}",
            help="save it as UTF-8, or: iconv -f WINDOWS-1252 -t UTF-8",
        ) from None  # fmt: skip


def _unread(name: str, error: OSError | ValueError) -> RequestError:
    return RequestError(f"cannot read {name}", label=getattr(error, "strerror", "") or "")
