"""What systems hand out for a class, built as they build it: a roster of students, and their answers in every layout.

Names are as awkward as people's are: of any alphabet, with commas, hyphens and apostrophes, and some of them alike.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple


class Pupil(NamedTuple):
    """A student: given and family name, and what systems know the student by."""

    given: str
    family: str
    number: int

    @property
    def name(self) -> str:
        return f"{self.given} {self.family}"

    @property
    def login(self) -> str:
        return f"u{self.number}"

    @property
    def email(self) -> str:
        return f"{self.login}@uni.edu"


_GIVEN = [
    "Jane",
    "José",
    "Zoë",
    "Jean-Luc",
    "Ana María",
    "李",
    "Ольга",
    "Nuño",
    "Ann",
    "Mary Ann",
    "Björn",
    "Ṣọlá",
    "Mark",
]
_FAMILY = ["Doe", "O'Neill", "García López", "van der Berg", "Müller-Lüdenscheidt", "小龍", "Иванова", "Nguyễn", "Page"]
# Two pairs have one name each; Jose is not José.
_ALIKE = [
    ("Sam", "Smith"),
    ("Sam", "Smith"),
    ("Li", "Wei"),
    ("Li", "Wei"),
    ("Jose", "García López"),
    ("José", "García López"),
]


def pupils(count: int = 30) -> list[Pupil]:
    """So many students; no two have a number in common, some a name."""
    names = [(_GIVEN[k % len(_GIVEN)], _FAMILY[(k * 4 + k // 9) % len(_FAMILY)]) for k in range(count - len(_ALIKE))]
    return [Pupil(given, family, 4100 + 7 * k) for k, (given, family) in enumerate([*names, *_ALIKE])]


Files = dict[str, bytes]
Answer = Callable[[Pupil], bytes]


def _sheet(rows: list[dict[str, object]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def canvas_roster(class_: list[Pupil]) -> str:
    """Canvas's gradebook."""
    head: dict[str, object] = {
        "Student": "    Points Possible",
        "ID": "",
        "SIS User ID": "",
        "SIS Login ID": "",
        "Section": "",
    }
    return _sheet([head] + [
        {"Student": f"{p.family}, {p.given}", "ID": p.number * 3, "SIS User ID": p.number, "SIS Login ID": p.login,
         "Section": "A"} for p in class_
    ])  # fmt: skip


def moodle_roster(class_: list[Pupil]) -> str:
    """Moodle's worksheet."""
    return _sheet([
        {"Identifier": f"Participant {p.number * 5}", "Full name": p.name, "Email address": p.email,
         "Status": "Submitted", "Grade": "", "Maximum Grade": "100.00", "Grade can be changed": "Yes",
         "Last modified (grade)": "-",
         "Feedback comments": ""} for p in class_
    ])  # fmt: skip


def plain_roster(class_: list[Pupil]) -> str:
    return _sheet([{"name": p.name, "id": p.number, "email": p.email} for p in class_])


def canvas(class_: list[Pupil], answer: Answer) -> Files:
    """`get_filename` of Canvas: all that is no letter, digit or underscore is gone; every seventh is late."""
    found = {}
    for k, p in enumerate(class_):
        person = re.sub(r"\W", "", f"{p.family}, {p.given}".casefold())
        late = "_LATE" if k % 7 == 3 else ""
        found[f"{person}{late}_{p.number * 3}_{900000 + k}_hw 3.txt"] = answer(p)
    return found


def moodle_folders(class_: list[Pupil], answer: Answer, old: bool = True) -> Files:
    return {
        f"{p.name.replace('_', ' ')}_{p.number * 5}_assignsubmission_file{'_' * old}/hw3.txt": answer(p) for p in class_
    }


def moodle_flat(class_: list[Pupil], answer: Answer) -> Files:
    return {f"{p.name}_{p.number * 5}_assignsubmission_file_hw_3.txt": answer(p) for p in class_}


def moodle_texts(class_: list[Pupil], answer: Answer) -> Files:
    return {
        f"{p.name}_{p.number * 5}_assignsubmission_onlinetext/onlinetext.html": b"<p>"
        + answer(p).replace(b"\n", b"<br />")
        + b"</p>"
        for p in class_
    }


def moodle_blind(class_: list[Pupil], answer: Answer) -> Files:
    return {f"Participant_{p.number * 5}_assignsubmission_file_/hw3.txt": answer(p) for p in class_}


def gradescope(class_: list[Pupil], answer: Answer) -> Files:
    """The export: a folder each, and who it is of in a file beside them."""
    lines = ["---"]
    found: Files = {}
    for k, p in enumerate(class_):
        name = f"submission_{55000 + k}"
        found[f"assignment_77_export/{name}/hw3.txt"] = answer(p)
        lines += [f"{name}:", "  :submitters:", f"  - :name: {p.name}", f"    :sid: '{p.number}'",
                  f"    :email: {p.email}", "  :created_at: 2026-01-05 10:00:00.000000000 Z", "  :score: 0.0",
                  "  :results:", "    tests:", "    - name: Problem 1", "      output: 'a: b'"]  # fmt: skip
    found["assignment_77_export/submission_metadata.yml"] = "\n".join(lines).encode()
    return found


_REPORT = """Name: {name} ({login})
Assignment: HW_3
Date Submitted: Monday, January 15, 2024 1:45:10 PM EST
Current Grade: Not Yet Graded

Submission Field:
{text}

Comments:
There are no student comments for this assignment.

Files:
{files}
"""


def blackboard(class_: list[Pupil], answer: Answer) -> Files:
    """A file and a report of each attempt; every third typed the answer into the page."""
    found: Files = {}
    for k, p in enumerate(class_):
        head = f"HW_3_{p.login}_attempt_2024-01-15-13-45-{k % 60:02}"
        typed = k % 3 == 0
        nothing = "There is no student submission text data for this assignment."
        text = answer(p).decode().replace("\n", "<br />").join(("<p>", "</p>")) if typed else nothing
        named = "" if typed else f"\tOriginal filename: hw 3.txt\n\tFilename: {head}_hw 3.txt"
        found[f"{head}.txt"] = _REPORT.format(name=p.name, login=p.login, text=text, files=named).encode()
        if not typed:
            found[f"{head}_hw 3.txt"] = answer(p)
    return found


def by_login(class_: list[Pupil], answer: Answer) -> Files:
    return {f"{p.login}.txt": answer(p) for p in class_}


def by_folder(class_: list[Pupil], answer: Answer) -> Files:
    return {f"{p.login}/{'answer.txt' if p.number % 2 else 'hw3/p1.txt'}": answer(p) for p in class_}


def by_number(class_: list[Pupil], answer: Answer) -> Files:
    return {f"{p.number}.txt": answer(p) for p in class_}


def sections(class_: list[Pupil], answer: Answer) -> Files:
    return {f"section {'AB'[p.number % 2]}/{p.login}.txt": answer(p) for p in class_}


LAYOUTS: Mapping[str, tuple[Callable[[list[Pupil], Answer], Files], Callable[[list[Pupil]], str]]] = {
    "canvas": (canvas, canvas_roster),
    "moodle folders": (moodle_folders, moodle_roster),
    "moodle new folders": (lambda class_, answer: moodle_folders(class_, answer, old=False), moodle_roster),
    "moodle flat": (moodle_flat, moodle_roster),
    "moodle online texts": (moodle_texts, moodle_roster),
    "moodle blind": (moodle_blind, moodle_roster),
    "gradescope": (gradescope, plain_roster),
    "blackboard": (blackboard, plain_roster),
    "logins": (by_login, plain_roster),
    "folders": (by_folder, plain_roster),
    "numbers": (by_number, plain_roster),
    "sections": (sections, plain_roster),
}


def _as_is(files: Files) -> Files:
    return files


def _wrapped(files: Files) -> Files:
    return {f"homework-3 (2)/{name}": data for name, data in files.items()}


def _nested(files: Files) -> Files:
    return {f"Downloads/submissions/hw3/{name}": data for name, data in files.items()}


def _by_a_mac(files: Files) -> Files:
    found = {f"hw3/{unicodedata.normalize('NFD', name)}": data for name, data in files.items()}
    noise = {f"__MACOSX/hw3/._{name.replace('/', '_')}": b"\0\5\x16\7" for name in files}
    return {**noise, "hw3/.DS_Store": b"\0\0\0\1Bud1", **found}


def _zipped_each(files: Files) -> Files:
    """An archive for every student: a folder is packed, and so is a file."""
    folders: dict[str, Files] = {}
    loose: Files = {}
    for name, data in files.items():
        place, _, own = name.rpartition("/")
        if name.endswith(".yml"):
            loose[name] = data
        elif re.search(r"assignsubmission_\w+?_?\Z|submission_\d+\Z", place):
            folders.setdefault(f"{place}/work.zip", {})[own] = data
        else:
            folders.setdefault(f"{name.rpartition('.')[0]}.zip", {})[own] = data
    return {**loose, **{name: packed(own) for name, own in folders.items()}}


WRAPPINGS: Mapping[str, Callable[[Files], Files]] = {
    "as they are": _as_is,
    "in a folder": _wrapped,
    "in folders": _nested,
    "by a Mac": _by_a_mac,
    "an archive each": _zipped_each,
    "archives in a folder": lambda files: _wrapped(_zipped_each(files)),
    "an archive of all": lambda files: {"hw3 submissions.zip": packed(files)},
}


def packed(files: Files) -> bytes:
    """A zip archive of these files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return out.getvalue()


def put(files: Files, folder: Path) -> Path:
    """The files in a folder."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder
