"""Blackboard's downloads: `HW 3_alice_attempt_2024-01-15-13-45-10_hw.txt`, and a report of each attempt next to it.

The report has the same name without the student's file name, and contains the text that was typed into the page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from ..errors import AdcliError
from ..records import NamedTuple
from .archives import File
from .naming import Owned, Submission

_NAME = re.compile(r"(.+)_attempt_(\d{4}(?:-\d{2}){5})(?:_(.+)|\.txt)", re.ASCII | re.DOTALL)
_WHO = re.compile(r"Name: *([^\n]{1,200}?) *\(([^()\n]{1,100})\) *(?:\r?\n|\Z)")
_FIELD = re.compile(r"\nSubmission Field:[^\S\n]*\r?\n(.*?)\r?\n\s*\nComments:[^\S\n]*\r?\n", re.DOTALL)
_NONE = "There is no student submission text data"
_LONGEST = 1_000_000  # bytes of a report that are looked at


class _Attempt(NamedTuple):
    """A file of an attempt: the assignment and the student as one text, the digits of the time, the student's own
    file name."""

    head: str
    stamp: int
    student_file: str


class _AttemptReport(NamedTuple):
    """The content of a report: the student's name, the user name, the text of the submission."""

    name: str
    user: str
    text: str


def attempts(files: Sequence[File]) -> tuple[dict[str, Owned], list[File]]:
    """Return the owners of the files that Blackboard named, by file name, and all files without reports that have no
    text although files were handed in.

    A student is called by the user name in a report, else by the last part of the name before `_attempt_`, or more of
    it if several have the same.
    """
    attempts_by_name = {file.name: attempt for file in files if (attempt := _attempt(file)) is not None}
    if not attempts_by_name:
        return {}, list(files)
    reports = {
        file.name: _read_report(file)
        for file in files
        if file.name in attempts_by_name and not attempts_by_name[file.name].student_file
    }
    reports_by_head = {attempts_by_name[name].head: report for name, report in reports.items() if report.user}
    users = _users({attempt.head for attempt in attempts_by_name.values()}, reports_by_head)
    answered = {attempt.head for attempt in attempts_by_name.values() if attempt.student_file}
    owners: dict[str, Owned] = {}
    kept: list[File] = []
    for file in files:
        attempt, report = attempts_by_name.get(file.name), reports.get(file.name)
        if attempt is None:
            kept.append(file)
            continue
        if report is not None and not report.text and attempt.head in answered:
            continue
        names = (
            users[attempt.head],
            *([reports_by_head[attempt.head].name] if attempt.head in reports_by_head else []),
        )
        student_file = attempt.student_file
        if report is not None:
            student_file = "submission.html" if "</" in report.text else "submission.txt"
            file = file._replace(load=_written(report.text))
        owners[file.name] = Owned(Submission(names[0], names, "", ()), student_file, attempt.stamp, by_system=True)
        kept.append(file)
    return owners, kept


def _attempt(file: File) -> _Attempt | None:
    match = _NAME.fullmatch(file.name.rpartition("/")[2])
    return match and _Attempt(match[1], int(match[2].replace("-", "")), match[3] or "")


def _read_report(file: File) -> _AttemptReport:
    """Return the content of a report; empty texts if it cannot be read or has none."""
    try:
        text = file.load()[:_LONGEST].decode("utf-8", "replace").removeprefix("\ufeff")
    except AdcliError:
        return _AttemptReport("", "", "")
    who, field = _WHO.match(text), _FIELD.search(text)
    text_written = field[1].strip() if field else ""
    return _AttemptReport(
        who[1] if who else "", who[2] if who else "", "" if text_written.startswith(_NONE) else text_written
    )


def _users(heads: set[str], reports: dict[str, _AttemptReport]) -> dict[str, str]:
    """Return the user name of each student, by the beginning of the file names: from the report, else the last word,
    else all after the part that all names share."""
    often = Counter(head.rpartition("_")[2] for head in heads - reports.keys())
    first, last = min(heads), max(heads)  # what these share all do
    shared = next((k for k, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), 0)
    shared = first.rfind("_", 0, shared) + 1
    user_names: dict[str, str] = {}
    for head in heads:
        last_word = head.rpartition("_")[2]
        user_names[head] = (
            reports[head].user if head in reports else last_word if often[last_word] == 1 else head[shared:]
        )
    return user_names


def _written(text: str) -> Callable[[], bytes]:
    return lambda: text.encode()
