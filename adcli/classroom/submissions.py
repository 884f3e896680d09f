"""Who handed in what: the files of a folder or an archive, by student.

Known are `alice.txt`, folders `alice/answer.md`, and how Canvas and Moodle name what they hand out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from ..errors import RequestError
from ..marking.reading.limits import BYTES

_CANVAS = re.compile(r"([^_/]+)(?:_LATE)?_(\d{1,18})_(?:\d{1,18}_.+|text\.html)", re.ASCII | re.DOTALL)
_MOODLE = re.compile(r"(.+)_(\d{1,18})_assignsubmission_(?:file|onlinetext)_?", re.ASCII | re.DOTALL)
_NOT_HANDED_IN = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini"})
MOST_FILES = 20_000


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


class Found(NamedTuple):
    """The submissions in order of students, and the names of what was left out, each with the reason."""

    submissions: tuple[Submission, ...]
    left_out: tuple[tuple[str, str], ...]


def found_in(path: str, skip: Collection[str] = ()) -> Found:
    """What a folder or a zip archive has; the folders and files of `skip` are no submissions.

    Raises RequestError for what is neither, and for an archive that is damaged or unpacks to too much.
    """
    if os.path.isdir(path):
        files, left_out = _in_folder(path, {os.path.realpath(name) for name in skip})
    elif os.path.isfile(path):
        from .archive import in_archive

        files, left_out = in_archive(path)
    else:
        raise RequestError(f"there is no folder {path}", help="name a folder of answers, or a zip archive of them")
    return Found(tuple(_by_student(files)), tuple(sorted(left_out)))


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
