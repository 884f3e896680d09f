"""The roster of a class as CSV: its people, whatever the columns are called; and file names for students."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from hashlib import sha256
from io import StringIO
from itertools import groupby
from string import ascii_letters, digits

from ..errors import RequestError
from ..grammar_files import read_tables
from ..records import NamedTuple

_MOST = 10_000  # lines of a list
# The columns by what they hold, as people and systems call them, without blanks and signs.
_TABLES: Mapping[str, list[dict[str, str]]] = read_tables("rosters.txt", dict)
_COLUMNS = {kind: tuple(names.split()) for kind, names in _TABLES["columns"][0].items()}
_OF_MOODLE, _NAMES, _EMAILS = _COLUMNS["moodle"], _COLUMNS["names"], _COLUMNS["emails"]
_IDS = (*_COLUMNS["ids"], *_OF_MOODLE)
_POINTS = "points possible"
_SAFE = frozenset(f"{ascii_letters}{digits}._@-")
_RESERVED = frozenset(("con", "prn", "aux", "nul", *(f"{port}{k}" for port in ("com", "lpt") for k in range(10))))
_LONGEST = 60
_MISREAD = (
    ("cp437", "cp850"), ("cp437", "cp1252"), ("cp437", "utf-8"), ("cp1252", "utf-8"), ("latin-1", "utf-8"),
    ("cp850", "utf-8"), ("cp437", "gbk"), ("cp437", "shift_jis"), ("cp437", "cp866"), ("cp437", "big5"),
)  # fmt: skip
_SPELLED = re.compile(r"#(?:U([0-9A-Fa-f]{4})|L(00[01][0-9A-Fa-f]{5}))")  # as unzip does for what a system cannot write
_MOST_WORDS = 6  # of a name
PARTICIPANT = "participant"  # what Moodle calls people in its files, before the number; in its lists in any language


class Person(NamedTuple):
    """A line of a class list: the name, the email address, and the line by columns."""

    name: str
    email: str
    row: Mapping[str, str]

    @property
    def id(self) -> str:
        """Return what identifies the student: the first cell that is not empty of the columns of ids (`student` is not
        one here), else the address, else the name.
        """
        return _cell(self.row, _IDS[1:]).strip() or self.email.strip() or self.name.strip()

    @property
    def called(self) -> str:
        """Return the name of the student, else the address, else the first cell that is not empty."""
        return self.name or self.email or next((cell for cell in self.row.values() if cell), "")


class Roster(NamedTuple):
    """A class list: its columns, its people in order, the line of possible points that Canvas has, and two indices of
    people.

    `known` finds people by all their names, `loosely` by these without accents; several people may have one name.
    """

    header: tuple[str, ...]
    people: tuple[Person, ...]
    points: Mapping[str, str] | None
    known: Mapping[str, tuple[Person, ...]]
    loosely: Mapping[str, tuple[Person, ...]]

    def candidates(self, aliases: Iterable[str]) -> list[Person]:
        """Return the people who may have these names, each once; [] if there is no such person.

        Three ways of comparison are tried, and the first with a match decides: exactly (without blanks, signs and
        case), without accents, with characters that were misread (only of names with `#` or letters beyond ASCII). If
        some of the matching names belong to only one person, only the people of these names are returned.
        """
        aliases = list(aliases)
        names = list(dict.fromkeys(map(plain, aliases)))
        odd = [alias for alias in aliases if not alias.isascii() or "#" in alias]
        misread = [plain(other) for alias in odd for other in _misread(alias)]
        tries = (self.known, names), (self.loosely, list(map(_without_accents, names))), (self.known, misread)
        for known, keys in tries:
            matches = [known[key] for key in keys if key in known]
            sure = [people for people in matches if len(people) == 1]
            if matches:
                everybody = {id(person): person for people in sure or matches for person in people}
                return list(everybody.values())
        return []


class CsvSheet(NamedTuple):
    """A CSV file: its columns, its rows by column, the sign between cells, the last line of each row (from 1), and by
    the indices of rows that have more cells than columns these further cells."""

    header: tuple[str, ...]
    rows: list[dict[str, str]]
    separator: str
    lines: tuple[int, ...]
    further: Mapping[int, Sequence[str]]


def read_sheet(text: str, name: str, kind: str = "class list") -> CsvSheet:
    """Return the rows of a CSV text by column; lines whose cells are all empty and a byte order mark are left out.

    Cells are separated by the most frequent of comma, semicolon and tab in the first line (the comma if none occurs).
    Column names are stripped; rows are {column: cell}, filled with empty cells if they are short. Cells beyond the
    header are only in `further`, {index of the row: cells}. `lines` has the number of the line on which each row ends.
    An empty text has no columns and no rows. Raises RequestError, with `name` and `kind` of the file, for invalid CSV
    or more than 10,000 lines.
    """
    text = text.removeprefix("\ufeff")
    separator = max(",;\t", key=text.partition("\n")[0].count)
    try:
        reader = csv.reader(StringIO(text, newline=""), delimiter=separator)
        numbered = [(line, reader.line_num) for line in reader if any(line)]
    except csv.Error:
        raise RequestError(f"{name} is not a {kind}", help=f"a {kind} is a CSV file with a header") from None
    if len(numbered) > _MOST:
        raise RequestError(f"{name} has more than {_MOST} lines", help=f"split the {kind}")
    (first_line, _), *rest = numbered or [([], 0)]
    others = [line for line, _ in rest]
    header = tuple(cell.strip() for cell in first_line)
    rows = [dict(zip(header, [*line, *[""] * len(header)], strict=False)) for line in others]
    further = {k: line[len(header) :] for k, line in enumerate(others) if len(line) > len(header)}
    return CsvSheet(header, rows, separator, tuple(number for _, number in rest), further)


def parse_mark(text: str) -> Fraction | None:
    """Return the number in a cell, with a decimal point or comma (Moodle uses both), blanks around it allowed.

    None if it is not one. There is no sign and no exponent; one to nine digits come first, then none, or a point with
    one to nine more, or a comma with one or two more. `.5` and `5.` are None.
    """
    match = re.fullmatch(r"\s*(\d{1,9})(?:\.(\d{1,9})|,(\d{1,2}))?\s*", text, re.ASCII)
    return Fraction(f"{match[1]}.{match[2] or match[3] or 0}") if match else None


def read_roster(text: str, name: str) -> Roster:
    """Return the class list in a CSV text whose columns are separated by commas, semicolons or tabs.

    The line of Canvas called "Points Possible" becomes `points`; lines without an id, name and address are left out.
    Raises RequestError, with the `name` of the file, for invalid CSV, a text without a column that identifies students,
    or more than 10,000 lines.
    """
    sheet = read_sheet(text, name)
    header, rows = sheet.header, sheet.rows
    if not any(plain(cell) in (*_IDS, *_NAMES, *_EMAILS) for cell in header):
        title = f"{name} has no column for the student"
        advice = "call the columns student, name or email, or use the file that Canvas or Moodle exports"
        raise RequestError(title, help=advice)
    points = next((row for row in rows if _cell(row, _NAMES).strip().casefold() == _POINTS), None)
    people = tuple(_person(row) for row in rows if row is not points and _cell(row, (*_IDS, *_NAMES, *_EMAILS)))
    columns = worksheet_columns(people[0].row) if people else None
    moodle_column = columns.identifier if columns is not None else ""
    known = _by_key((plain(text), person) for person in people for text in _texts_of(person, moodle_column))
    without_accents = _by_key((_without_accents(key), person) for key, each in known.items() for person in each)
    return Roster(header, people, points, known, without_accents)


def plain(text: str) -> str:
    """Return a text without blanks, signs and case, in composed characters."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFC", text).casefold()))


def _misread(name: str) -> Iterator[str]:
    """Yield what a name may have been before a program decoded it in a wrong code page.

    There is one text for each pair of code pages in `_MISREAD` (wrong, right) that fits the name. The last text is the
    name with escapes such as #U00e9 replaced by their characters; without escapes it is the name itself.
    """
    for seen, meant in _MISREAD:
        with suppress(UnicodeError):
            yield name.encode(seen).decode(meant)
    yield _SPELLED.sub(lambda match: chr(int(match.group(1) or match.group(2), 16)), name)


def _without_accents(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def _cell(row: Mapping[str, str], columns: Sequence[str]) -> str:
    """Return the first cell that is not empty of the columns, in this order; empty if there is none."""
    return next((cell for column in columns for name, cell in row.items() if plain(name) == column and cell), "")


def id_columns(header: Iterable[str]) -> list[str]:
    """Return the columns of a class list that identify people: ids and addresses, not names."""
    return [cell for cell in header if plain(cell) in (*_IDS[1:], *_EMAILS)]


def _person(row: Mapping[str, str]) -> Person:
    """Return the person of a row; its name is that of a column of full names other than `student`, else given and
    family name, else what is under `student`.
    """
    names = _cell(row, _COLUMNS["given"]), _cell(row, _COLUMNS["family"])
    name = _cell(row, _NAMES[1:]) or " ".join(part for part in names if part) or _cell(row, _NAMES)
    return Person(name, _cell(row, _EMAILS), row)


def _texts_of(person: Person, moodle_column: str) -> Iterator[str]:
    """Yield all texts by which a person may be called, some of them empty or repeated.

    These are the name, each cell of a column of ids, names or addresses and its part before @, `participant` with the
    digits at the end of a Moodle number (in `moodle_column` or one named like it), and the names in other word orders.
    """
    yield person.name
    for name, cell in person.row.items():
        if plain(name) in (*_IDS, *_NAMES, *_EMAILS):
            yield from (cell, cell.partition("@")[0])
        if name == moodle_column or plain(name) in _OF_MOODLE:
            number = cell[len(cell.rstrip("0123456789")) :]
            yield f"{PARTICIPANT}{number}" if number else ""
    for text in (person.name, _cell(person.row, _NAMES)):
        yield from _rotations_of_name(text)


def _by_key(pairs: Iterable[tuple[str, Person]]) -> dict[str, tuple[Person, ...]]:
    """Return the people of each key that is not empty, each person once."""
    people: dict[str, dict[int, Person]] = {}
    for key, person in pairs:
        if key:
            people.setdefault(key, {})[id(person)] = person
    return {key: tuple(owners.values()) for key, owners in people.items()}


def _rotations_of_name(name: str) -> list[str]:
    """Return the rotations of the words of a name, first the name itself: Jane Doe, Doe Jane.

    García López Ana gives three. With a comma, the words after it are moved to the front before that: `Doe, Jane` gives
    Jane Doe first. At most the first six rotations are returned; an empty name gives none.
    """
    family, comma, first_names = name.partition(",")
    words = f"{first_names} {family}".split() if comma else name.split()
    return [" ".join(words[k:] + words[:k]) for k in range(len(words))][:_MOST_WORDS]


# --- names of files ---------------------------------------------------------------------------------------------------


def safe_names(students: Iterable[str]) -> dict[str, str]:
    """Return for each student a file name (without suffix) that is valid everywhere and unique, also without regard to
    case.

    A name is kept if it has only ASCII letters, digits and ._@-, no point at its ends, at most 60 characters, is not
    reserved by Windows, and no other student has the same stem without regard to case. The stem is the name with _ for
    each run of other characters, without points at its ends, cut to 60 characters. Others get `STEM-DIGITS`: the stem,
    or "student" if it is empty, and eight hex digits of the name's SHA-256.
    """
    runs = {student: groupby(student, _SAFE.__contains__) for student in students}
    stems = {who: "".join("".join(run) if is_safe else "_" for is_safe, run in parts) for who, parts in runs.items()}
    plain = {student: stem.strip(".")[:_LONGEST] for student, stem in stems.items()}
    often = Counter(name.casefold() for name in plain.values())
    for student, name in plain.items():
        is_reserved = name.casefold().partition(".")[0] in _RESERVED
        if not name or name != student or often[name.casefold()] > 1 or is_reserved:
            digest = sha256(student.encode("utf-8", "surrogatepass")).hexdigest()
            plain[student] = f"{name or 'student'}-{digest[:8]}"
    return plain


class WorksheetColumns(NamedTuple):
    """The names of the columns of a grading worksheet."""

    identifier: str
    name: str
    email: str
    grade: str
    most: str
    changed: str
    feedback: str


LANGUAGES = tuple(WorksheetColumns(**names) for names in _TABLES["worksheets"])
ENGLISH = LANGUAGES[0]


def worksheet_columns(header: Collection[str]) -> WorksheetColumns | None:
    """Return the columns of a class list that is a grading worksheet of Moodle; None for any other list."""
    return next((columns for columns in LANGUAGES if {columns.identifier, columns.grade} <= {*header}), None)
