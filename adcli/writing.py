"""Files that appear complete or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from typing import BinaryIO

from .errors import OutputProblem

_HELP = {
    errno.ENOENT: "make the folder first, or name another file",
    errno.EISDIR: "name a file in it",
    errno.EACCES: "name a file in a folder that you may write",
    errno.EROFS: "name a file elsewhere",
    errno.ENOSPC: "make room, or name a file on another disk",
}


class WholeFile:
    """A file that is no file yet: `keep` puts it where it belongs, `drop` leaves what was there before.

    At the end of a `with` it is kept, unless something was raised.  Until then it has no name where the system has
    files without one, so that not even a process that is killed leaves anything; elsewhere it stands beside the file
    that it will be.  A link stays a link, and owner and permissions are those of before.  What is no ordinary file (a
    pipe, a device), or is where standard output goes, is written in its place.  Raises OutputProblem for what the
    system refuses.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._beside: str | None = None  # the name that the file has until it is kept
        with _told(path):
            there = _state(path)
            self._target = os.path.realpath(path)
            self._in_place = _is_written_in_place(path, there)
            self._there = there
            self._file: BinaryIO = self._opened()
            if there is not None and not self._in_place:
                _same_access(self._file.fileno(), self._target, there)

    def _opened(self) -> BinaryIO:
        if self._in_place:
            standard = _standard(self._there)
            return open(self.path if standard is None else os.dup(standard), "wb")
        unnamed = _without_name(os.path.dirname(self._target))
        if unnamed is not None:
            return open(unnamed, "wb")
        self._beside = self._new_name()
        return open(self._beside, "xb")

    def _new_name(self) -> str:
        folder, name = os.path.split(self._target)
        return os.path.join(folder, f".{name[:32]}-{os.urandom(4).hex()}")

    def write(self, piece: bytes) -> None:
        with _told(self.path):
            self._file.write(piece)

    def keep(self) -> None:
        """The file is there, with all that was written; or it is not, where that cannot be."""
        try:
            with _told(self.path):
                self._file.flush()
                if not self._in_place and self._beside is None:
                    self._named()
                self._file.close()
                if self._beside is not None:
                    os.replace(self._beside, self._target)
                    self._beside = None
        finally:
            self.drop()

    def _named(self) -> None:
        """The file without a name has one: its own where nothing is in the way, else one beside it."""
        if self._there is None:
            with contextlib.suppress(FileExistsError):
                _link(self._file.fileno(), self._target)
                return
        name = self._new_name()
        _link(self._file.fileno(), name)
        self._beside = name

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
        file.write(encoded(content) if isinstance(content, str) else content)


def encoded(text: str) -> bytes:
    """The text in UTF-8; halves of characters, as names of files may have them, become question marks."""
    return text.encode("utf-8", "replace")


@contextlib.contextmanager
def _told(path: str) -> Iterator[None]:
    """Turns what the system says of a file into an error of ours."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        advice = _HELP.get(error.errno or 0, "")
        raise OutputProblem(f"cannot write {path}", label=error.strerror or "", help=advice) from None
    except ValueError as error:  # a name with a zero byte
        raise OutputProblem(f"cannot write {path}", label=str(error), help="name another file") from None


def _state(path: str) -> os.stat_result | None:
    """What is at a path, behind a link too; None if nothing is."""
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _is_written_in_place(path: str, there: os.stat_result | None) -> bool:
    """Whether a file is written as it stands.  Raises PermissionError for a file that is kept."""
    if there is None:
        return not os.path.basename(path)  # the path of a folder, or of nothing, which the system refuses by itself
    if not stat.S_ISREG(there.st_mode) or _standard(there) is not None:
        return True
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return False


def _standard(there: os.stat_result | None) -> int | None:
    """Which of standard output and standard error goes to this ordinary file, as they do by /dev/stdout."""
    if there is None or not stat.S_ISREG(there.st_mode):
        return None
    for descriptor in (1, 2):
        with contextlib.suppress(OSError):
            if os.path.samestat(there, os.fstat(descriptor)):
                return descriptor
    return None


def _without_name(folder: str) -> int | None:
    """A new file in a folder that has no name; None where the system cannot make one, or not name it later."""
    if not hasattr(os, "O_TMPFILE"):
        return None
    try:
        made = os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o666)
    except OSError:  # such a file system, or what a file with a name will be refused for too
        return None
    if os.path.exists(f"/proc/self/fd/{made}"):
        return made
    os.close(made)
    return None


def _link(descriptor: int, path: str) -> None:
    # A folder is given, though the path needs none, because only then the call follows the link that /proc has.
    os.link(f"/proc/self/fd/{descriptor}", path, src_dir_fd=descriptor, follow_symlinks=True)


def _same_access(descriptor: int, target: str, there: os.stat_result) -> None:
    """The file has owner, group, permissions and lists of access as that one, as far as this process may give them."""
    if hasattr(os, "fchown"):
        with contextlib.suppress(OSError):
            os.fchown(descriptor, there.st_uid, there.st_gid)
    if hasattr(os, "fchmod"):
        with contextlib.suppress(OSError):
            os.fchmod(descriptor, stat.S_IMODE(there.st_mode))
    if hasattr(os, "listxattr"):
        with contextlib.suppress(OSError):
            for name in os.listxattr(target):
                with contextlib.suppress(OSError):
                    os.setxattr(descriptor, name, os.getxattr(target, name))
