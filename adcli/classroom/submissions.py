"""Who handed in what: the files of a folder or an archive, by student.

Known are `alice.txt`, folders `alice/answer.md`, and how Canvas and Moodle name what they hand out.  An archive may be
hostile: nothing of it is unpacked to disk, and what is read is bounded.
"""

from __future__ import annotations

import os
import re
import stat
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from ..errors import RequestError
from ..marking.model import NotGradable
from ..marking.reading.collector import BYTES

_CANVAS = re.compile(r"([^_/]+)(?:_LATE)?_(\d{1,18})_(?:\d{1,18}_.+|text\.html)", re.ASCII | re.DOTALL)
_MOODLE = re.compile(r"(.+)_(\d{1,18})_assignsubmission_(?:file|onlinetext)_?", re.ASCII | re.DOTALL)
_NOT_HANDED_IN = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini"})
MOST_FILES = 20_000
_MOST_BYTES = 2**30  # all files together, unpacked
_MOST_RATIO = 200  # how much larger than packed a file may be; text seldom shrinks to a twentieth
_SMALL = 2**17  # bytes that no ratio makes suspicious
_DRIVE = re.compile(r"[A-Za-z]:")


class File(NamedTuple):
    """A file that was handed in: its name with slashes, and what reads it.

    `load` gives at most one byte more than may be graded; it raises AdcliError where the file cannot be read.
    """

    name: str
    load: Callable[[], bytes]


class Submission(NamedTuple):
    """What a student handed in, the newest file by name first.

    `student` is unique among submissions, `aliases` are what else the student may be called, `participant` is the
    number that Moodle gave.
    """

    student: str
    aliases: tuple[str, ...]
    participant: str
    files: tuple[File, ...]


class HandedIn(NamedTuple):
    """The submissions in order of students, and the names of what was left out, each with the reason."""

    submissions: tuple[Submission, ...]
    left_out: tuple[tuple[str, str], ...]


def found_in(path: str, skip: Collection[str] = ()) -> HandedIn:
    """What a folder or a zip archive has; the folders and files of `skip` are no submissions.

    Raises RequestError for what is neither, and for an archive that is damaged or unpacks to too much.
    """
    if os.path.isdir(path):
        files, left_out = _in_folder(path, {os.path.realpath(name) for name in skip})
    elif os.path.isfile(path):
        files, left_out = in_archive(path)
    else:
        raise RequestError(f"there is no folder {path}", help="name a folder of answers, or a zip archive of them")
    return HandedIn(tuple(_by_student(files)), tuple(sorted(left_out)))


def is_handed_in(name: str) -> bool:
    """Whether a name may be a student's: no hidden file, nothing that systems add by themselves."""
    return not any(part.startswith((".", "~$")) or part in _NOT_HANDED_IN for part in name.split("/"))


def _in_folder(root: str, skip: Collection[str]) -> tuple[list[File], list[tuple[str, str]]]:
    files: list[File] = []
    left_out: list[tuple[str, str]] = []
    waiting = [("", root)]
    while waiting:
        prefix, folder = waiting.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            left_out.append((prefix or root, error.strerror or "it cannot be read"))
            continue
        for entry in entries:
            name = prefix + entry.name
            if not is_handed_in(entry.name) or os.path.realpath(entry.path) in skip:
                continue
            if entry.is_symlink():
                left_out.append((name, "it is a link"))
            elif entry.is_dir():
                waiting.append((f"{name}/", entry.path))
            elif entry.is_file():
                files.append(File(name, _loader(entry.path)))
            if len(files) > MOST_FILES:
                raise RequestError(f"there are more than {MOST_FILES} files in {root}", help="grade a part of them")
    return files, left_out


def _loader(path: str) -> Callable[[], bytes]:
    def load() -> bytes:
        try:
            with open(path, "rb") as stream:
                return stream.read(BYTES + 1)
        except OSError as error:
            raise RequestError("the file cannot be read", label=error.strerror or "") from None

    return load


def _by_student(files: Iterable[File]) -> list[Submission]:
    owners: dict[str, Submission] = {}
    gathered: dict[str, list[File]] = {}
    for file in files:
        owner = owner_of(file.name)
        owners.setdefault(owner.student, owner)
        gathered.setdefault(owner.student, []).append(file)
    return [
        owners[student]._replace(files=tuple(sorted(own, key=lambda file: natural(file.name), reverse=True)))
        for student, own in sorted(gathered.items(), key=lambda item: natural(item[0]))
    ]


def owner_of(name: str) -> Submission:
    """The student that a file's name stands for, as a submission without files."""
    folder, _, rest = name.partition("/")
    match = _MOODLE.fullmatch(folder) if rest else _CANVAS.fullmatch(name)
    if match is not None:
        person, number = match.group(1), match.group(2)
        return Submission(f"{person}_{number}", (number, person), number if rest else "", ())
    student = folder if rest else os.path.splitext(name)[0]
    return Submission(student, (student,), "", ())


def natural(text: str) -> tuple[tuple[int, str], ...]:
    """A key that sorts names as people do: hw2 before hw10."""
    pieces = re.findall(r"\d+|\D+", text)
    return (*((len(p.lstrip("0")), p.lstrip("0")) if p.isdecimal() else (-1, p.casefold()) for p in pieces), (-2, text))


# --- archives ---------------------------------------------------------------------------------------------------------


def in_archive(path: str) -> tuple[list[File], list[tuple[str, str]]]:
    """The files of an archive, and what was left out with the reason.

    A folder that holds everything, as many programs add it, is no student's.  Raises RequestError for what is no zip
    archive, and for one with too many files or that unpacks to too much.
    """
    try:
        archive = zipfile.ZipFile(path)
        entries = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        advice = "name a folder of answers, or a zip archive of them"
        raise RequestError(f"{path} is no zip archive", help=advice) from None
    entries = [entry for entry in entries if not entry.is_dir()]
    if len(entries) > MOST_FILES:
        raise RequestError(f"{path} holds more than {MOST_FILES} files", help="grade a part of them")
    files: dict[str, File] = {}
    left_out: list[tuple[str, str]] = []
    total = 0
    for entry in entries:
        name = entry.filename.replace("\\", "/")
        if not is_handed_in(name.replace("../", "")):
            continue
        reason = _unsafe(name, entry) or ("the name is there twice" if name in files else "")
        if reason:
            left_out.append((entry.filename, reason))
            continue
        total += min(entry.file_size, BYTES)
        files[name] = File(name, _from_archive(archive, entry))
    if total > _MOST_BYTES:
        raise RequestError(f"{path} unpacks to more than {_MOST_BYTES // 2**20} MB", help="grade a part of it")
    return _without_cover(list(files.values()), os.path.splitext(os.path.basename(path))[0]), left_out


def _unsafe(name: str, entry: zipfile.ZipInfo) -> str:
    """Why a name is none that a file may have; empty for a good one."""
    if name.startswith("/") or _DRIVE.match(name):
        return "its path is absolute"
    if any(part in ("", ".", "..") for part in name.split("/")):
        return "its path leads elsewhere"
    if stat.S_ISLNK(entry.external_attr >> 16):
        return "it is a link"
    return ""


def _without_cover(files: list[File], stem: str) -> list[File]:
    covers = {file.name.partition("/")[0] for file in files}
    if len(covers) != 1 or not all("/" in file.name for file in files):
        return files
    (cover,) = covers
    if cover.casefold() in (stem.casefold(), "submissions") or any(file.name.count("/") > 1 for file in files):
        return [file._replace(name=file.name.partition("/")[2]) for file in files]
    return files


def _from_archive(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Callable[[], bytes]:
    def load() -> bytes:
        if entry.flag_bits & 1:
            raise NotGradable("the file is encrypted", help="hand it in without a password")
        if entry.file_size > _SMALL and entry.file_size > _MOST_RATIO * max(entry.compress_size, 1):
            raise NotGradable("the file is packed too densely to be an answer", help="hand in the answer itself")
        try:
            with archive.open(entry) as stream:
                return stream.read(BYTES + 1)
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, RuntimeError, ValueError):
            raise NotGradable("the file is damaged in the archive", help="ask for it again") from None

    return load
