"""The naming of submitted files: whose file a name tells it is, as people name files, and as Canvas and Moodle name
them.

Canvas: `get_filename` and `add_upload_submission` of its lib/content_zipper.rb. Moodle: `get_student_prefix` and
`load_submissionplugin_filelist` of its mod/assign/classes/downloader.php; older versions add an underscore at the end.
"""

from __future__ import annotations

import os
import re
import unicodedata
from itertools import groupby

from ..answers.row_tokens import words_of
from ..grammar_files import read_sections
from ..records import NamedTuple
from .archives import File

_CANVAS = re.compile(
    r"(?:([^/]+?)(_LATE)?_(\d{1,18})|(LATE_)?(anon_[A-Za-z0-9]{3,12}))_(?:(\d{1,18})_(.+)|((?:text|link)\.html))",
    re.ASCII | re.DOTALL,
)
_MOODLE = re.compile(r"(.+?)(?:_(\d{1,18}))?_assignsubmission_[a-z]+(?:_(.*))?", re.ASCII | re.DOTALL)


class Submission(NamedTuple):
    """The files of a student, the last by name first.

    `student` is unique among submissions, `aliases` are other names of the student, `participant` is the number that
    Moodle gave. `late` is set if the system marked it so; `notes` tell what was assumed.
    """

    student: str
    aliases: tuple[str, ...]
    participant: str
    files: tuple[File, ...]
    late: bool = False
    notes: tuple[str, ...] = ()


class Owned(NamedTuple):
    """The owner of a file, as a submission without files; the student's own name of the file; and a number that grows
    with time (0 if unknown).

    `by_system` is True if a system wrote the name, so that the owner is certain.
    """

    owner: Submission
    student_name: str
    stamp: int = 0
    by_system: bool = False


def owner_of(name: str) -> Submission:
    """Return the student whom a file's name denotes, as a submission without files."""
    return parse_owner(name).owner


def parse_owner(name: str) -> Owned:
    """Return the owner of a path by its first part, in composed characters; `x.zip/y` is the file y of an archive.

    The result has a Submission without files (the student and aliases), the student's own name of the file, `stamp` (a
    number in Canvas's name, else 0) and `by_system`.

    If Canvas or Moodle wrote the name (`by_system`), the student's own name of the file is the text after the system's
    part. Otherwise the student is the folder (or archive, without .zip), and the own name is the path inside it; for a
    file alone, the student is its name without suffix, and the own name is the file name.
    """
    name = unicodedata.normalize("NFC", name)
    first, _, rest = name.partition("/")
    plain = _without_zip(first) if rest else first
    folder = _MOODLE.fullmatch(plain) if rest else None
    moodle = folder if folder is not None and not folder[3] else _MOODLE.fullmatch(first)
    if moodle is not None and (moodle is folder or moodle[3]):
        student_name = "/".join(filter(None, (moodle[3], rest)))
        return Owned(_moodle(moodle[1], moodle[2] or ""), student_name, by_system=True)
    canvas = _CANVAS.fullmatch(first)
    if canvas is not None:
        return _canvas(canvas, rest)
    student = plain if rest else os.path.splitext(first)[0]
    return Owned(Submission(student, (student,), "", ()), rest or first)


def _canvas(match: re.Match[str], rest: str) -> Owned:
    """Return the owner of a file as Canvas named it; `match` is the match of the first part of its path.

    The student is NAME_NUMBER with number and name as aliases, or the anonymous code. The submission is late if the
    name says so, `stamp` is the number of the submission (0 without one), and the student's own name is the last part
    of the name (or the page of a text or link), with `rest`, the path in the archive of that name.
    """
    person, late, number, late_anonymous, anonymous, stamp, student_name, page = match.groups()
    student = anonymous or f"{person}_{number}"
    aliases = (anonymous,) if anonymous else (number, person)
    owner = Submission(student, aliases, "", (), late=bool(late or late_anonymous))
    return Owned(owner, "/".join(filter(None, (student_name or page, rest))), int(stamp or 0), by_system=True)


def _without_zip(name: str) -> str:
    return name[:-4] if name.casefold().endswith(".zip") else name


def _moodle(person: str, number: str) -> Submission:
    """Return a Moodle participant; a group has a name, and a number that is the group's."""
    if not number:
        return Submission(person, (person,), "", ())
    return Submission(f"{person}_{number}", (number, person), number, ())


def natural(text: str) -> tuple[tuple[int, str], ...]:
    """Return a key that sorts names as people do: hw2 before hw10."""
    pieces = _runs_of_digits_and_others(text)
    return (*((len(p.lstrip("0")), p.lstrip("0")) if p.isdecimal() else (-1, p.casefold()) for p in pieces), (-2, text))


def _runs_of_digits_and_others(text: str) -> list[str]:
    return ["".join(run) for _, run in groupby(text, str.isdecimal)]


# --- names of files as students choose them ---------------------------------------------------------------------------

_WORKING, _AROUND = (frozenset(" ".join(lines).split()) for lines in read_sections("filenames.txt").values())
_LONGEST_NUMBER = 3  # digits of a problem's number; more are a student's


def is_working(name: str) -> bool:
    """Return whether a name is what a student calls an answer (`hw3_p2.txt`, `a.md`), not the name of a person.

    All its words must be single letters or words such as answer, final and homework in several languages, and no number
    may have more than three digits; a name without words is one. The suffix does not count.
    """
    stem = os.path.splitext(_without_zip(name))[0]
    if any(run.isdecimal() and len(run) > _LONGEST_NUMBER for run in _runs_of_digits_and_others(stem)):
        return False
    return all(len(word) == 1 or word in _WORKING for word in words_of(stem.casefold()))


def is_around(name: str) -> bool:
    """Return whether a folder's name is one for a whole class (`submissions`, `HW 3`, `section 2`): all its words are
    single letters or words for classes or answers; also a name without words (`2023`).
    """
    words = words_of(_without_zip(name).casefold())
    return all(len(word) == 1 or word in _AROUND or word in _WORKING for word in words)
