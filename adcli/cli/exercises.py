"""The work of `adcli new`: exercises made, and their sheets, forms and key printed or written into a folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ..classroom.exercise_sheet import ExerciseSheet, Student, exercises, sheet_of, students_of
from ..classroom.folder import written
from ..classroom.key import Key, write_key
from ..classroom.roster import read_roster, safe_names
from ..errors import OutputProblem, RequestError
from ..marking.model import Rules, Task
from ..render import forms
from ..render.cells import ascii_text
from ..render.data import json_text
from ..render.sheets import SHEETS, as_dict
from .files import file_bytes
from .pages import write_page
from .stream import Stream

_VARIABLE = "ADCLI_SECRET"
_SHORTEST = 8  # bytes of a secret

Files = dict[str, str]  # texts by their paths in the folder


def make(stream: Stream, flags: dict[str, Any]) -> int:
    """Makes the exercises that the flags ask for; returns the exit code."""
    stream.dress(flags | {"output": None})
    if flags["text"] is not None:
        raise RequestError("adcli new makes problems, it takes none", help="adcli template has forms for your problems")
    secret = _secret(flags)
    if flags["students"] is not None:
        _put(stream, flags["output"], _for_class(stream, flags, secret))
        return stream.code
    tasks = _tasks(flags, secret)
    sheet = sheet_of(flags["title"], tasks)
    if flags["output"] is not None:
        _put(stream, flags["output"], _files(sheet, "", flags) | _key(flags, tasks, {}))
    else:
        _print(stream, sheet, flags["wanted"])
        stream.note("the key and blank forms are written with -o FOLDER")
    return stream.code


def _secret(flags: dict[str, Any]) -> bytes:
    """The secret of the course; the seed itself where there are no students whom it must be kept from."""
    if flags["secret"] is None and flags["students"] is None:
        return str(flags["seed"]).encode()
    if flags["students"] is not None and flags["output"] is None:
        raise RequestError("sheets for a class go into a folder", help="name it: -o homework3")
    path = flags["secret"]
    secret = os.environ.get(_VARIABLE, "").encode("utf-8", "surrogateescape") if path is None else file_bytes(path)
    if path is None and not secret:
        raise RequestError(
            "the exercises of a class follow from a secret",
            help=f"write one into a file and add --secret FILE, or put it into {_VARIABLE}",
        )
    if len(secret.strip()) < _SHORTEST:
        raise RequestError("the secret is too short to be one", help=f"take {_SHORTEST} characters or more")
    return secret.strip()


def _tasks(flags: dict[str, Any], secret: bytes, student: Student | None = None) -> tuple[Task, ...]:
    return exercises(secret, flags["seed"], flags["level"] or (1,), flags["count"], flags["mode"], student)


def _for_class(stream: Stream, flags: dict[str, Any], secret: bytes) -> Files:
    """The files of exercises of their own for everybody in a class list."""
    path = flags["students"]
    students = students_of(read_roster(file_bytes(path).decode("utf-8", "replace"), path))
    folders = safe_names(student.id for student in students)
    files: Files = {}
    own: dict[str, tuple[Task, ...]] = {}
    for number, student in enumerate(students, 1):
        own[student.id] = tasks = _tasks(flags, secret, student)
        sheet = sheet_of(flags["title"], tasks, student)
        files |= _files(sheet, f"students/{folders[student.id]}/", flags)
        stream.progress(f"{number} of {len(students)} students", elsewhere=True)
    stream.clear_progress()
    return files | _key(flags, (), own)


def _key(flags: dict[str, Any], tasks: tuple[Task, ...], own: Mapping[str, tuple[Task, ...]]) -> Files:
    return {"key.toml": write_key(Key(flags["title"], tasks, Rules(numbers=True), students=own))}


def _files(sheet: ExerciseSheet, folder: str, flags: dict[str, Any]) -> Files:
    """A sheet in all formats, and its blank forms."""
    plain = {
        "sheet.md": SHEETS["markdown"](sheet),
        "form.txt": forms.text(sheet.forms),
        "form.md": forms.markdown(sheet.forms),
    }
    if flags["ascii_only"]:
        plain = {name: ascii_text(text) for name, text in plain.items()}
    pages = {"sheet.tex": SHEETS["latex"](sheet), "sheet.html": SHEETS["html"](sheet)}
    return {folder + name: text for name, text in {**plain, **pages}.items()}


def _print(stream: Stream, sheet: ExerciseSheet, form: str) -> None:
    if form == "json":
        stream.write(json_text(as_dict(sheet), ascii_only=stream.ascii) + "\n")
    elif form == "html":
        write_page(stream, SHEETS["html"](sheet))
    else:
        stream.write(SHEETS[form](sheet))


def _put(stream: Stream, folder: str, files: Files) -> None:
    """The folder holds these files, and nothing in it was lost.

    Raises OutputProblem for a folder that holds other files, or others of these names.
    """
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise OutputProblem(f"{folder} is no folder", help="name another one with -o")
    there = {
        os.path.relpath(os.path.join(place, name), folder).replace(os.sep, "/")
        for place, _, names in os.walk(folder)
        for name in names
        if not name.startswith(".")
    }
    changed = sorted(path for path in there & files.keys() if not _holds(os.path.join(folder, path), files[path]))
    missing = [path for path in files if path not in there]
    others = sorted(there - files.keys())
    if changed or (missing and others):
        raise OutputProblem(
            f"{folder} is not empty", label=f"{(changed or others)[0]} is there and would not fit",
            help="name a new folder with -o, or take away what is in this one",
        )  # fmt: skip
    for path in missing:
        written(os.path.join(folder, path), files[path])
    stream.note(f"{len(missing)} files written into {folder}" if missing else f"all files are in {folder} already")


def _holds(path: str, text: str) -> bool:
    try:
        with open(path, "rb") as stream:
            return stream.read() == text.encode()
    except OSError:
        return False
