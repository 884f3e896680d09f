"""Class lists as CSV: who is who, whatever the columns are called; and names of files for students."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from io import StringIO
from typing import NamedTuple

from ..errors import RequestError

_MOST = 10_000  # lines of a list
# Columns by what they hold, as people and systems call them, without blanks and signs.
_IDS = ("student", "id", "studentid", "idnumber", "sisuserid", "sisloginid", "username", "login", "identifier")
_NAMES = ("student", "name", "fullname", "studentname")
_EMAILS = ("email", "emailaddress", "mail")
_POINTS = "points possible"
_UNSAFE = re.compile(r"[^A-Za-z0-9._@-]+")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|\Z)", re.IGNORECASE)
_LONGEST = 60


class Person(NamedTuple):
    """A line of a class list: how people call the student, the address, and the line by columns."""

    name: str
    email: str
    row: Mapping[str, str]

    @property
    def id(self) -> str:
        """What tells the student from all others: the first column of that kind, else the address, else the name."""
        return _cell(self.row, _IDS[1:]).strip() or self.email.strip() or self.name.strip()


class Roster(NamedTuple):
    """A class list: its columns, its people in order, the line of possible points that Canvas has, and who is meant."""

    header: tuple[str, ...]
    people: tuple[Person, ...]
    points: Mapping[str, str] | None
    known: Mapping[str, Person]

    def person(self, aliases: Iterable[str]) -> Person | None:
        """The one whom one of these names stands for; None where none does, or where it may be several."""
        return next((self.known[key] for key in map(_plain, aliases) if key in self.known), None)


def read_roster(text: str, name: str) -> Roster:
    """The class list in a text; columns are separated by commas, semicolons or tabs.

    Raises RequestError for a text without a column that tells who somebody is, or with too many lines.
    """
    text = text.removeprefix("\ufeff")
    first = text.partition("\n")[0]
    separator = max(",;\t", key=first.count)
    try:
        lines = [line for line in csv.reader(StringIO(text, newline=""), delimiter=separator) if any(line)]
    except csv.Error:
        raise RequestError(f"{name} is no class list", help="a class list is a CSV file with a header") from None
    if len(lines) > _MOST:
        raise RequestError(f"{name} has more than {_MOST} lines", help="split the class list")
    header = tuple(cell.strip() for cell in lines[0]) if lines else ()
    if not any(_plain(cell) in (*_IDS, *_NAMES, *_EMAILS) for cell in header):
        raise RequestError(
            f"{name} names no column for the student",
            help="call the columns student, name or email, or take what Canvas or Moodle exports",
        )
    rows = [dict(zip(header, [*line, *[""] * len(header)], strict=False)) for line in lines[1:]]
    points = next((row for row in rows if _cell(row, _NAMES).strip().casefold() == _POINTS), None)
    people = tuple(_person(row) for row in rows if row is not points and _is_person(row))
    return Roster(header, people, points, _known(people))


def _plain(text: str) -> str:
    """A text without blanks, signs and case."""
    return re.sub(r"[\W_]+", "", text.casefold())


def _cell(row: Mapping[str, str], columns: Sequence[str]) -> str:
    return next((cell for wanted in columns for name, cell in row.items() if _plain(name) == wanted and cell), "")


def _is_person(row: Mapping[str, str]) -> bool:
    return bool(_cell(row, _IDS) or _cell(row, _NAMES) or _cell(row, _EMAILS))


def _person(row: Mapping[str, str]) -> Person:
    names = (_cell(row, ("firstname",)), _cell(row, ("lastname", "surname")))
    name = _cell(row, _NAMES[1:]) or " ".join(part for part in names if part) or _cell(row, _NAMES)
    return Person(name, _cell(row, _EMAILS), row)


def _known(people: Sequence[Person]) -> dict[str, Person]:
    """Everybody by everything that they alone are called."""
    found: dict[str, Person | None] = {}
    for person in people:
        texts = [cell for name, cell in person.row.items() if _plain(name) in (*_IDS, *_NAMES, *_EMAILS)]
        texts += [person.name, *(text.partition("@")[0] for text in texts)]
        family, comma, given = person.name.partition(",")
        texts += [f"{given} {family}"] * bool(comma)
        for key in {_plain(text) for text in texts} - {""}:
            found[key] = person if found.get(key, person) is person else None
    return {key: person for key, person in found.items() if person is not None}


# --- names of files ---------------------------------------------------------------------------------------------------


def safe_names(students: Iterable[str]) -> dict[str, str]:
    """A name for each student that is a plain file name everywhere and no other student's, however case is treated.

    A name that is plain is kept; others get a part of their digest.
    """
    plain = {student: _UNSAFE.sub("_", student).strip(".")[:_LONGEST] for student in students}
    often = Counter(name.casefold() for name in plain.values())
    return {
        student: name
        if name and name == student and often[name.casefold()] == 1 and not _RESERVED.match(name)
        else f"{name or 'student'}-{_digest(student)}"
        for student, name in plain.items()
    }


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
