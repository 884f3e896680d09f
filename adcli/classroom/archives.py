"""The files of a folder or a zip archive, with those of archives inside archives.

An archive may be hostile: nothing is unpacked to disk, and what is read is limited.
"""

from __future__ import annotations

import os
import stat
import zipfile
import zlib
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from io import BytesIO
from string import ascii_letters

from ..answers.answer_model import NotGradable
from ..answers.collector import BYTES
from ..errors import RequestError
from ..records import NamedTuple

NAME_ANSWERS = "name a folder of answers, a zip archive of them, or one answer"
_FEWER_FILES = "grade a part of the files"
_DOCUMENTS = (".xlsx", ".docx", ".odt", ".ods", ".pages")  # zip archives that are one answer

MOST_FILES = 20_000
MOST_BYTES = 2**30  # all files together, unpacked
_MOST_RATIO = 200  # how much larger than packed a file may be; text seldom shrinks to a twentieth
_SMALL = 2**17  # bytes that no ratio makes suspicious
_LARGEST = 2**26  # bytes of an archive in an archive
_MOST_PACKED, _MOST_UNPACKED = 2_000, 2**27  # files of an archive in a folder or an archive, and their bytes
_DEEPEST = 3  # archives in archives
_NOT_HANDED_IN = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini"})
_UTF8 = 0x800  # the flag of an entry whose name is UTF-8
_UNICODE_PATH = 0x7075  # the extra field in which old programs put the name as UTF-8
_DAMAGED = (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, RuntimeError, ValueError)

LeftOut = tuple[str, str]  # a name, and why it is left out
Opened = Callable[[], AbstractContextManager[zipfile.ZipFile]]  # opens an archive, at every call


class File(NamedTuple):
    """A file that was handed in: its name with slashes, and a function that loads it; `x.zip/y` is the file y of an
    archive.

    `load` returns at most one byte more than may be graded; it raises AdcliError if the file cannot be read.
    `student_name` is the student's own name of the file, `stamp` a number that grows with time if the system numbers
    submissions.
    """

    name: str
    load: Callable[[], bytes]
    student_name: str = ""
    stamp: int = 0


class FoundFiles(NamedTuple):
    """Files, and the names that were left out, with reasons."""

    files: list[File]
    left_out: list[LeftOut]


def is_handed_in(name: str) -> bool:
    """Return whether a name may be a student's file: not hidden, and not added by an operating system."""
    return not any(part.startswith((".", "~$")) or part in _NOT_HANDED_IN for part in name.split("/"))


def files_of(path: str, skip: Collection[str] = (), most: int = BYTES) -> FoundFiles:
    """Return the files of a folder or a zip archive, with archives in them opened; any other file alone.

    In a folder, the folders and files of `skip` are left out. `path` is an archive if it ends in .zip or its content is
    one, but an office document (`_DOCUMENTS`, by its suffix) is a file. At most `most` + 1 bytes of a file are loaded.
    Raises RequestError if `path` does not exist, is a damaged archive, has more than 20,000 files or unpacks to more
    than 1 GiB.
    """
    if os.path.isdir(path):
        return _Gatherer(path, most).folder({os.path.realpath(name) for name in skip})
    if os.path.isfile(path):
        suffix = os.path.splitext(path)[1].casefold()
        if suffix in _DOCUMENTS or not (suffix == ".zip" or zipfile.is_zipfile(path)):
            return FoundFiles([File(os.path.basename(path), partial(_load, path, most))], [])
        return _Gatherer(path, most).archive()
    raise RequestError(f"there is no folder or file called {path}", help=NAME_ANSWERS)


class _Gatherer:
    """A walk through a folder or an archive, which counts files and bytes."""

    def __init__(self, root: str, most: int) -> None:
        self.root, self.most = root, most
        self.tree_files = FoundFiles([], [])
        self.bytes = 0

    def folder(self, skip: Collection[str]) -> FoundFiles:
        """Return the files below the root folder, with archives opened: `self.tree_files`, to which they are added.

        Each folder is read in order of names: first its files, then its subfolders in reverse order. Links, empty
        folders below the root and unreadable folders are listed in `left_out` with the reason. Hidden files and entries
        whose real path is in `skip` are left out silently. Raises RequestError for more than 20,000 files, or 1 GiB in
        archives.
        """
        stack = [("", self.root)]
        while stack:
            prefix, folder = stack.pop()
            try:
                entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
            except OSError as error:
                self.leave(prefix or self.root, error.strerror or "it cannot be read")
                continue
            if prefix and not entries:
                self.leave(prefix, "it is empty")
            for entry in entries:
                name = prefix + entry.name
                if not is_handed_in(entry.name) or os.path.realpath(entry.path) in skip:
                    continue
                if entry.is_symlink():
                    self.leave(name, "it is a link")
                elif entry.is_dir():
                    stack.append((f"{name}/", entry.path))
                elif entry.is_file():
                    file = File(name, partial(_load, entry.path, self.most))
                    self.take(file, partial(zipfile.ZipFile, entry.path), 1)
        return self.tree_files

    def archive(self) -> FoundFiles:
        """Return the files of the root archive, and what was left out.

        Raises RequestError if it is not a zip archive, has more than 20,000 files or unpacks to more than 1 GiB.
        """
        try:
            archive = zipfile.ZipFile(self.root)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
            raise RequestError(f"{self.root} is not a zip archive", help=NAME_ANSWERS) from None

        self.inside("", lambda: nullcontext(archive), 1)  # one for all that is read of it
        return self.tree_files

    def leave(self, name: str, reason: str) -> None:
        self.tree_files.left_out.append((name, reason))

    def check_count(self, more: int) -> None:
        """Raise RequestError if the files so far and `more` that follow are more than 20,000."""
        if len(self.tree_files.files) + more > MOST_FILES:
            title = f"the folder or archive {self.root} has more than {MOST_FILES} files"
            raise RequestError(title, help=_FEWER_FILES)

    def take(self, file: File, opened: Opened, depth: int) -> None:
        """Add a file to the result, or instead of an archive (a name that ends in .zip) its files.

        An archive that is damaged, empty, too large or inside more than two others is added as one file that fails to
        load; files of it that were added before are removed. `opened` opens the archive; `depth` is 1 for a file of a
        folder, one more for each archive around it. Raises RequestError for more than 20,000 files.
        """
        if file.name.casefold().endswith(".zip"):
            before, spent = len(self.tree_files.files), self.bytes
            try:
                if depth > _DEEPEST:
                    raise NotGradable("the archive is nested in too many archives", help="hand in the answer itself")
                if self.inside(f"{file.name}/", opened, depth):
                    return
                raise NotGradable("the archive is empty", help="ask the student for it again")
            except NotGradable as error:
                file = file._replace(load=partial(_fail, error))
            except _DAMAGED:
                file = file._replace(load=partial(_fail, _damaged_error()))
            del self.tree_files.files[before:]  # an archive counts as a whole, or not at all
            self.bytes = spent
        self.tree_files.files.append(file)
        self.check_count(0)

    def inside(self, prefix: str, opened: Opened, depth: int) -> bool:
        """Add the files of an archive, with `prefix` before their names; return whether it has any that may be used.

        Hidden entries are skipped silently, unsafe and repeated names go to `left_out`. `depth` is 1 for an archive in
        no other one. The bytes of a file are its declared size, at most `self.most` (64 MiB for an archive). Raises
        RequestError for more than 20,000 files or 1 GiB in all, NotGradable for an inner archive (one with a prefix) of
        more than 2000 files or 128 MiB, and the exceptions of a damaged archive.
        """
        with opened() as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
        self.check_count(len(entries))
        names: set[str] = set()
        before, spent = len(self.tree_files.files), self.bytes
        for entry in entries:
            full_name = prefix + entry.filename
            name = _entry_name(entry).replace("\\", "/")
            if not is_handed_in(name.replace("../", "")):
                continue
            reason = _reason_unsafe(name, entry) or ("the name occurs twice" if name in names else "")
            if reason:
                self.leave(full_name, reason)
                continue
            names.add(name)
            packed = name.casefold().endswith(".zip")
            self.bytes += min(entry.file_size, _LARGEST if packed else self.most)
            if self.bytes > MOST_BYTES:
                title = f"{self.root} unpacks to more than {MOST_BYTES // 2**20} MB"
                raise RequestError(title, help=_FEWER_FILES)
            load = partial(_load_entry, opened, entry, self.most)
            inner = partial(_open_inner, partial(_load_entry, opened, entry, _LARGEST)) if packed else opened
            self.take(File(prefix + name, load), inner, depth + 1)
            if prefix and (len(self.tree_files.files) - before > _MOST_PACKED or self.bytes - spent > _MOST_UNPACKED):
                raise NotGradable("the archive is too large", help="hand in the answer itself")
        return bool(names)


def _load(path: str, most: int) -> bytes:
    """Return at most `most` + 1 bytes of the file at `path`. Raises RequestError if it cannot be read."""
    try:
        with open(path, "rb") as stream:
            return stream.read(most + 1)
    except OSError as error:
        raise RequestError("the file cannot be read", label=error.strerror or "") from None


def _open_inner(load: Callable[[], bytes]) -> zipfile.ZipFile:
    """Return an archive in an archive, from the bytes that `load` returns.

    Raises NotGradable for more than 64 MiB, BadZipFile if the bytes are not an archive, and what `load` raises.
    """
    data = load()
    if len(data) > _LARGEST:
        raise NotGradable("the archive is too large", help="hand in the answer itself")
    return zipfile.ZipFile(BytesIO(data))


def _fail(error: NotGradable) -> bytes:
    """Raise `error`, instead of loading a file."""
    raise error


def _damaged_error() -> NotGradable:
    return NotGradable("the file is damaged in the archive", help="ask the student for it again")


def _reason_unsafe(name: str, entry: zipfile.ZipInfo) -> str:
    """Return why an entry called `name` must not be used; "" if it is safe.

    Unsafe are an absolute path (also with a drive), a path with an empty part, `.` or `..`, and a link.
    """
    if name.startswith("/") or (name[:1] in ascii_letters and name[1:2] == ":"):
        return "its path is absolute"
    if any(part in ("", ".", "..") for part in name.split("/")):
        return "its path leads outside the archive"
    if stat.S_ISLNK(entry.external_attr >> 16):
        return "it is a link"
    return ""


def _entry_name(entry: zipfile.ZipInfo) -> str:
    """Return the name of an entry of an archive.

    The first that applies: the name that zipfile reads, if it is flagged as UTF-8; the name in a Unicode path field
    with the right checksum; the bytes of the name as UTF-8; these bytes as code page 437.
    """
    if entry.flag_bits & _UTF8:
        return entry.filename
    try:
        raw = entry.filename.encode("cp437")  # as it was read
        return _unicode_path(entry.extra, raw) or raw.decode("utf-8")
    except UnicodeError:
        return entry.filename


def _unicode_path(extra: bytes, raw: bytes) -> str:
    """Return the UTF-8 name in the extra field 0x7075 of version 1 whose checksum is that of `raw`, the name as bytes.

    Return "" if there is no such field. Raises UnicodeDecodeError if the name is not UTF-8.
    """
    while len(extra) >= 4:
        kind, size = int.from_bytes(extra[:2], "little"), int.from_bytes(extra[2:4], "little")
        field, extra = extra[4 : 4 + size], extra[4 + size :]
        if kind == _UNICODE_PATH and field[:1] == b"\1" and int.from_bytes(field[1:5], "little") == zlib.crc32(raw):
            return field[5:].decode("utf-8")
    return ""


def _load_entry(opened: Opened, entry: zipfile.ZipInfo, most: int) -> bytes:
    """Return at most `most` + 1 bytes of an entry of the archive that `opened` opens.

    Raises NotGradable if the entry is encrypted, damaged, or more than 128 KiB large and more than 200 times as large
    as packed.
    """
    if entry.flag_bits & 1:
        raise NotGradable("the file is encrypted", help="hand in the file without a password")
    if entry.file_size > _SMALL and entry.file_size > _MOST_RATIO * max(entry.compress_size, 1):
        raise NotGradable("the file expands to far more data than an answer has", help="hand in the answer itself")
    try:
        with opened() as archive, archive.open(entry) as stream:
            return stream.read(most + 1)
    except _DAMAGED:
        raise _damaged_error() from None
