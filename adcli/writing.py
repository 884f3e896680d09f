"""Files that appear complete or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from typing import BinaryIO

from .errors import OutputProblem


class WholeFile:
    """A file written beside the one that it will be: `keep` puts it there, `drop` leaves what was there before.

    At the end of a `with` it is kept, unless something was raised.  A link stays a link, and owner and permissions are
    those of before.  What is no ordinary file (a pipe, a device), or is where standard output goes, is written in its
    place.  Raises OutputProblem for what the system refuses.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        with _told(self.path):
            there = _state(path)
            self._target = os.path.realpath(path)
            self._beside = _beside(path, self._target, there)
            self._file: BinaryIO = open(self._beside or path, "xb" if self._beside else "wb")  # noqa: SIM115 - closed by keep or drop
        if self._beside is not None and there is not None:
            _same_access(self._beside, there)

    def write(self, piece: bytes) -> None:
        with _told(self.path):
            self._file.write(piece)

    def keep(self) -> None:
        """The file is there, with all that was written; or it is not, where that cannot be."""
        try:
            with _told(self.path):
                self._file.close()
                if self._beside is not None:
                    os.replace(self._beside, self._target)
                    self._beside = None
        finally:
            self.drop()

    def drop(self) -> None:
        """What was written is gone, save in a pipe or a device; nothing happens to a file that was kept."""
        with contextlib.suppress(OSError):  # the disk is full, which was said already
            self._file.close()
        if self._beside is not None:
            with contextlib.suppress(OSError):
                os.remove(self._beside)
            self._beside = None

    def __enter__(self) -> WholeFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.keep()
        else:
            self.drop()


def written(path: str, content: str | bytes) -> None:
    """The file holds the text or the bytes, in a folder that is made where it is missing.  Raises OutputProblem."""
    with _told(path):
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with WholeFile(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextlib.contextmanager
def _told(path: str) -> Iterator[None]:
    """Turns what the system says of a file into an error of ours."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputProblem(f"cannot write {path}", label=error.strerror or "") from None


def _state(path: str) -> os.stat_result | None:
    """What is at a path, behind a link too; None if nothing is."""
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _beside(path: str, target: str, there: os.stat_result | None) -> str | None:
    """Where to write until the file is complete; None for in place.  Raises PermissionError for a file that is kept."""
    if there is None and not os.path.basename(path):
        return None  # the path of a folder, or of nothing, which the system refuses by itself
    if there is not None:
        if not stat.S_ISREG(there.st_mode) or _is_standard(there):
            return None
        if not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    folder, name = os.path.split(target)
    return os.path.join(folder, f".{name[:32]}-{os.urandom(4).hex()}")


def _is_standard(there: os.stat_result) -> bool:
    """Whether standard output or standard error go to this file, as they do by /dev/stdout."""
    for descriptor in (1, 2):
        with contextlib.suppress(OSError):
            if os.path.samestat(there, os.fstat(descriptor)):
                return True
    return False


def _same_access(path: str, there: os.stat_result) -> None:
    """The file has owner, group and permissions as those, as far as this process may give them."""
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):
            os.chown(path, there.st_uid, there.st_gid)
    with contextlib.suppress(OSError):
        os.chmod(path, stat.S_IMODE(there.st_mode))
