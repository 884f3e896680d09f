"""Submissions in a zip archive, which may be hostile: nothing is unpacked to disk, and what is read is bounded."""

from __future__ import annotations

import os
import re
import stat
import zipfile
import zlib
from collections.abc import Callable

from ..errors import RequestError
from ..marking.model import NotGradable
from ..marking.reading.limits import BYTES
from .submissions import MOST_FILES, File, is_handed_in

_MOST_BYTES = 2**30  # all files together, unpacked
_MOST_RATIO = 200  # how much larger than packed a file may be; text seldom shrinks to a twentieth
_SMALL = 2**17  # bytes that no ratio makes suspicious
_DRIVE = re.compile(r"[A-Za-z]:")


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
        files[name] = File(name, _loader(archive, entry))
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


def _loader(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Callable[[], bytes]:
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
