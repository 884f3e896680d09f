"""Limits that no sample reaches: each is made small, or what would break is broken, and the message it gives."""

from __future__ import annotations

import zipfile
from collections import deque
from collections.abc import Callable
from pathlib import Path

import crashing
import pytest

from adcli.cli.grading import tell_left_out
from adcli.cli.stream import Stream
from adcli.homework.grading import archive, roster, submissions
from adcli.homework.grading.pool import Job, results
from adcli.homework.grading.submissions import Found, found_in
from adcli.homework.key import read_key


def _zipped(*names: str) -> str:
    with zipfile.ZipFile("hw.zip", "w") as made:
        for name in names:
            made.writestr(name, "v1 = 1")
    return "hw.zip"


def _many_files(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(submissions, "MOST_FILES", 1)
    Path("in").mkdir()
    for name in ("a.txt", "b.txt"):
        Path("in", name).touch()
    found_in("in")


def _many_files_packed(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(archive, "MOST_FILES", 1)
    found_in(_zipped("a.txt", "b.txt"))


def _many_bytes_packed(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(archive, "_MOST_BYTES", 2**20)
    monstrous = _zipped("a.txt")
    with zipfile.ZipFile(monstrous, "a") as made:
        made.writestr("b.txt", b" " * 2**20)
    found_in(monstrous)


def _gone(patch: pytest.MonkeyPatch) -> None:
    Path("in").mkdir()
    Path("in", "a.txt").touch()
    found = found_in("in")
    Path("in", "a.txt").unlink()
    found.submissions[0].files[0].load()


def _long_list(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(roster, "_MOST", 1)
    roster.read_roster("name\nJane\n", "class.csv")


def _no_list(patch: pytest.MonkeyPatch) -> None:
    roster.read_roster('name\n"' + "x" * 200_000, "class.csv")


def _no_worker(patch: pytest.MonkeyPatch) -> None:
    list(results(deque([Job("s", "x", b"")]), 1, 5.0, crashing.never, {}))


def _no_tasks(patch: pytest.MonkeyPatch) -> None:
    read_key('[[student.a.problem]]\ntext = "x @ x=1"\n').tasks_for("b")


def _nobody(patch: pytest.MonkeyPatch) -> None:
    tell_left_out(Stream(), Found((), ()))


LIMITS: list[tuple[Callable[[pytest.MonkeyPatch], None], str]] = [
    (_many_files, "there are more than 1 files in in"),
    (_many_files_packed, "hw.zip holds more than 1 files"),
    (_many_bytes_packed, "hw.zip unpacks to more than 1 MB"),
    (_gone, "the file cannot be read"),
    (_long_list, "class.csv has more than 1 lines"),
    (_no_list, "class.csv is no class list"),
    (_nobody, "there is no submission"),
    (_no_worker, "a worker does not start"),
    (_no_tasks, "the key has no problem for b"),
]
