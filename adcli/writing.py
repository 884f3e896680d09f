"""Writing of files that appear complete or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator

from .errors import OutputProblem
from .typings import BinaryIO

_HELP = {
    errno.ENOENT: "make the folder first, or name another file",
    errno.EISDIR: "name a file in it",
    errno.EACCES: "name a file in a folder that you may write",
    errno.EROFS: "name a file elsewhere",
    errno.ENOSPC: "make room, or name a file on another disk",
}


class WholeFile:
    """A file that appears at `path` only when it is complete: `keep` puts it there, `drop` leaves the previous file, if
    any.

    A `with` block keeps it, unless an exception is raised. Until then it has no name, if the system has such files, so
    that even a killed process leaves nothing; else it has a temporary name in the same folder. Links stay links; owner
    and permissions are those of the existing file. A pipe, a device, or the file of standard output is written
    directly. Raises OutputProblem if the system refuses.
    """

    def __init__(self, path: str) -> None:
        """Open the file for writing, unnamed or under a temporary name, unless `path` is a pipe, a device or standard
        output.

        The permissions of an existing file are copied to it. Raises OutputProblem if the system refuses.
        """
        self.path = path
        self._temporary_name: str | None = None  # the name that the file has until it is kept
        with _as_output_problem(path):
            status = _state(path)
            self._target = os.path.realpath(path)
            self._in_place = _is_written_in_place(path, status)
            self._previous_status = status
            self._file: BinaryIO = self._open()
            if status is not None and not self._in_place:
                _copy_access(self._file.fileno(), self._target, status)

    def _open(self) -> BinaryIO:
        """Return the file, open for writing.

        If the target is written in place, it is the target itself, or a duplicate of the standard stream. Else it is a
        file without a name in the folder of the target, or, if the system has no such files, one with the name
        `_temporary_name`. Raises OSError if the system refuses.
        """
        if self._in_place:
            standard = _standard_stream(self._previous_status)
            return open(self.path if standard is None else os.dup(standard), "wb")
        descriptor = _open_unnamed_file(os.path.dirname(self._target))
        if descriptor is not None:
            return open(descriptor, "wb")
        self._temporary_name = self._new_name()
        return open(self._temporary_name, "xb")

    def _new_name(self) -> str:
        """Return a hidden, random name in the folder of the target."""
        folder, name = os.path.split(self._target)
        return os.path.join(folder, f".{name[:32]}-{os.urandom(4).hex()}")

    def write(self, piece: bytes) -> None:
        with _as_output_problem(self.path):
            self._file.write(piece)

    def keep(self) -> None:
        """Put the complete file at its path, replacing what was there; afterwards it is closed. Raises OutputProblem
        and drops the file if that is not possible.

        A file written in place is only flushed and closed. The access rights of the old file are not copied here, but
        at opening.
        """
        try:
            with _as_output_problem(self.path):
                self._file.flush()
                if not self._in_place and self._temporary_name is None:
                    self._give_name()
                self._file.close()
                if self._temporary_name is not None:
                    os.replace(self._temporary_name, self._target)
                    self._temporary_name = None
        finally:
            self.drop()

    def _give_name(self) -> None:
        """Link the unnamed file at its path if nothing was there, and still nothing is; else under a temporary name,
        `_temporary_name`, which `keep` then renames.
        """
        if self._previous_status is None:
            with contextlib.suppress(FileExistsError):
                _link(self._file.fileno(), self._target)
                return
        name = self._new_name()
        _link(self._file.fileno(), name)
        self._temporary_name = name

    def drop(self) -> None:
        """Close the file and discard what was written; what is written in place stays, and so does a kept file.

        Errors of the system are ignored; a second call does nothing.
        """
        with contextlib.suppress(OSError):  # the disk is full, which was reported already
            self._file.close()
        if self._temporary_name is not None:
            with contextlib.suppress(OSError):
                os.remove(self._temporary_name)
            self._temporary_name = None

    def __enter__(self) -> WholeFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.keep()
        else:
            self.drop()


def write_file(path: str, content: str | bytes) -> None:
    """Write the text (in UTF-8) or the bytes to `path` and make missing folders. Raises OutputProblem if that is not
    possible."""
    with _as_output_problem(path):
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with WholeFile(path) as file:
        file.write(encode_text(content) if isinstance(content, str) else content)


def encode_text(text: str) -> bytes:
    """Return the text in UTF-8; lone surrogates, as names of files may have them, become question marks."""
    return text.encode("utf-8", "replace")


@contextlib.contextmanager
def _as_output_problem(path: str) -> Iterator[None]:
    """Turn an OSError or ValueError within a `with` block into an OutputProblem about `path`, with the reason of the
    system and advice.

    A broken pipe (BrokenPipeError) passes unchanged, as do all other exceptions.
    """
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
    """Return the status of the file at `path`, links followed; None if there is none."""
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _is_written_in_place(path: str, status: os.stat_result | None) -> bool:
    """Return whether the file at `path` with this `status` is written directly: a pipe, device or folder, or the file
    of standard output or error.

    Without a file (`status` None) it is so if the path ends in a separator or is empty. Raises PermissionError if an
    ordinary file may not be written.
    """
    if status is None:
        return not os.path.basename(path)  # the path of a folder, or an empty one, which the system refuses
    if not stat.S_ISREG(status.st_mode) or _standard_stream(status) is not None:
        return True
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return False


def _standard_stream(status: os.stat_result | None) -> int | None:
    """Return the descriptor, 1 or 2, of the first standard stream that goes to the ordinary file with this `status`, as
    with /dev/stdout; None if there is none, for other kinds of file, and for None.
    """
    if status is None or not stat.S_ISREG(status.st_mode):
        return None
    for descriptor in (1, 2):
        with contextlib.suppress(OSError):
            if os.path.samestat(status, os.fstat(descriptor)):
                return descriptor
    return None


def _open_unnamed_file(folder: str) -> int | None:
    """Return the descriptor of a new file without a name in `folder`, open for writing; None if the system cannot make
    one, or cannot name it later through /proc.
    """
    if not hasattr(os, "O_TMPFILE"):
        return None
    try:
        descriptor = os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o666)
    except OSError:  # such a file system, or what a file with a name will be refused for too
        return None
    if os.path.exists(f"/proc/self/fd/{descriptor}"):
        return descriptor
    os.close(descriptor)
    return None


def _link(descriptor: int, path: str) -> None:
    # The folder is not needed for the path, but only with it the call follows the link that /proc has.
    os.link(f"/proc/self/fd/{descriptor}", path, src_dir_fd=descriptor, follow_symlinks=True)


def _copy_access(descriptor: int, target: str, status: os.stat_result) -> None:
    """Give the new file (its `descriptor`) owner, group, permissions and extended attributes of the existing `target`,
    whose status is `status`; what the system refuses is left out without an error.
    """
    if hasattr(os, "fchown"):
        with contextlib.suppress(OSError):
            os.fchown(descriptor, status.st_uid, status.st_gid)
    if hasattr(os, "fchmod"):
        with contextlib.suppress(OSError):
            os.fchmod(descriptor, stat.S_IMODE(status.st_mode))
    if hasattr(os, "listxattr"):
        with contextlib.suppress(OSError):
            for name in os.listxattr(target):
                with contextlib.suppress(OSError):
                    os.setxattr(descriptor, name, os.getxattr(target, name))
