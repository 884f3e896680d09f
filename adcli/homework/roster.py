"""Rosters: who is in a course, from the CSV files that course systems export."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from typing import NamedTuple

from ..errors import RequestError, Source, Span

# The columns that are used, by what systems call them; of an id the first of these that a file has.
_COLUMNS = {
    "id": (
        "id", "student id", "studentid", "sis user id", "sis login id", "username", "user name", "login", "login id",
        "identifier", "id number", "uid", "sid", "student number", "matriculation number", "matrikelnummer",
    ),
    "name": ("name", "student", "student name", "full name", "fullname", "display name"),
    "first": ("first name", "firstname", "given name", "first", "vorname"),
    "last": ("last name", "lastname", "surname", "family name", "last", "nachname"),
    "email": ("email", "email address", "e-mail", "e-mail address", "mail"),
}  # fmt: skip
_MOST = 100_000  # lines
_LONGEST = 60  # characters of a file's name
_NOT_IN_NAMES = re.compile(r"[^\w.@+-]+")
# What Windows keeps for devices.
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|\Z)", re.IGNORECASE)


class Student(NamedTuple):
    """Somebody in a course: what keys know them by, their name and address, and what their files are called."""

    id: str
    name: str
    email: str
    file: str


def read_roster(text: str, name: str | None = None) -> tuple[Student, ...]:
    """The students in a CSV file with a header, separated by commas, semicolons or tabs, columns in any order.

    The id is the first of the columns for it, else the address, else the name.  Raises RequestError for a file without
    such columns or without students, and for an id that is there twice.
    """
    text = text.removeprefix("\ufeff")
    lines = _cells(text, name)
    header = next(lines, (1, []))[1]
    columns = _known(header)
    if not columns.keys() & {"id", "name", "first", "last", "email"}:
        raise RequestError(
            "the roster has no column that says who the students are", _line(text, name, 1),
            help="name the columns in the first line: id,name,email",
        )  # fmt: skip
    found: dict[str, tuple[int, str, str]] = {}
    for number, cells in lines:
        student = {key: cells[place].strip() if place < len(cells) else "" for key, place in columns.items()}
        email = student.get("email", "")
        full = student.get("name") or " ".join(filter(None, (student.get("first"), student.get("last"))))
        identity = student.get("id") or email or full
        if not identity or _no_student(full):
            continue
        if identity in found:
            raise RequestError(
                f"{identity} is in the roster twice", _line(text, name, number), f"first on line {found[identity][0]}",
                help="give each student an id of their own",
            )  # fmt: skip
        found[identity] = number, full, email
    if not found:
        raise RequestError("the roster has no students", help="add a line for each, below the names of the columns")
    return tuple(
        Student(identity, full, email, file)
        for (identity, (_, full, email)), file in zip(found.items(), safe_names(found), strict=True)
    )


def _cells(text: str, name: str | None) -> Iterator[tuple[int, list[str]]]:
    first = next((line for line in text.splitlines() if line.strip()), "")
    separator = max(",;\t", key=first.count)
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator)
    try:
        for cells in reader:
            if reader.line_num > _MOST:
                raise RequestError(f"the roster has more than {_MOST} lines", help="split it")
            if any(cell.strip() for cell in cells):
                yield reader.line_num, cells
    except csv.Error as error:
        raise RequestError("the roster is no CSV", _line(text, name, reader.line_num), str(error)) from None


def _line(text: str, name: str | None, number: int) -> Span:
    """A whole line of the roster."""
    source = Source(text, name)
    lines = text.split("\n")
    start = sum(len(line) + 1 for line in lines[: number - 1])
    return Span(start, start + max(len(lines[number - 1].rstrip()), 1) if number <= len(lines) else start + 1, source)


def _known(header: Sequence[str]) -> dict[str, int]:
    """The places of the columns that a header names, by what they are."""
    spelled = [" ".join(cell.replace("_", " ").split()).casefold() for cell in header]
    known = {}
    for key, spellings in _COLUMNS.items():
        found = next((spelled.index(spelling) for spelling in spellings if spelling in spelled), None)
        if found is not None:
            known[key] = found
    return known


def _no_student(name: str) -> bool:
    """Whether a line of a gradebook is about something else: what an assignment is worth, a student made for tests."""
    return name.casefold() in ("points possible", "student, test", "test student")


def safe_names(texts: Iterable[str]) -> list[str]:
    """A name for files for each text, all different even where case does not count, with nothing of a path in them."""
    used: set[str] = set()
    counts: Counter[str] = Counter()
    found = []
    for text in texts:
        name = stem = safe_name(text)
        while name.casefold() in used:
            counts[stem] += 1
            name = f"{stem}-{counts[stem] + 1}"
        used.add(name.casefold())
        found.append(name)
    return found


def safe_name(text: str) -> str:
    """The text as the name of a file: letters, digits and a few signs, no path, no hidden file, no device."""
    name = _NOT_IN_NAMES.sub("_", unicodedata.normalize("NFKC", text))[:_LONGEST].strip("._-+@") or "student"
    return f"_{name}" if _DEVICES.match(name) else name
