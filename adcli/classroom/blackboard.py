"""Blackboard's downloads: `HW 3_alice_attempt_2024-01-15-13-45-10_hw.txt`, and a report of each attempt next to it.

The report has the same name without the student's file name, and contains the text that was typed into the page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from ..errors import AdcliError
from ..records import NamedTuple
from .archives import File
from .naming import Owned, Submission

_NAME = re.compile(r"(.+)_attempt_(\d{4}(?:-\d{2}){5})(?:_(.+)|\.txt)", re.ASCII | re.DOTALL)
_WHO = re.compile(r"Name: *([^\n]{1,200}?) *\(([^()\n]{1,100})\) *(?:\r?\n|\Z)")
_FIELD = re.compile(r"\nSubmission Field:[^\S\n]*\r?\n(.*?)\r?\n\s*\nComments:[^\S\n]*\r?\n", re.DOTALL)
_NONE = "There is no student submission text data"
_LONGEST = 1_000_000  # bytes of a report that are looked at


class _AttemptReport(NamedTuple):
    """The content of a report: the student's name, the user name, the text of the submission."""

    name: str
    user: str
    text: str


class _Attempt(NamedTuple):
    """A file of an attempt: the assignment and the student as one text, the digits of the time, and the student's own
    file name, or the report (None for another file)."""

    head: str
    stamp: int
    student_file: str
    report: _AttemptReport | None


def attempts(files: Sequence[File]) -> tuple[dict[str, Owned], list[File]]:
    """Return (the owners of the files that Blackboard named, by file name, all files in order).

    Left out are reports without text if the same attempt has other files; the other reports become files that hold only
    their text, called submission.txt or .html. A student is called by the user name in a report, else by the last part
    of the name before `_attempt_`, or more of it if several have the same. Without any such name all files are returned
    unchanged.
    """
    attempts_by_name: dict[str, _Attempt] = {}
    for file in files:
        match = _NAME.fullmatch(file.name.rpartition("/")[2])
        if match is not None:
            report = None if match[3] else _read_report(file)
            stamp = int(match[2].replace("-", ""))
            attempts_by_name[file.name] = _Attempt(match[1], stamp, match[3] or "", report)
    if not attempts_by_name:
        return {}, list(files)
    every = attempts_by_name.values()
    reports = {attempt.head: attempt.report for attempt in every if attempt.report and attempt.report.user}
    users = _users({attempt.head for attempt in every}, reports)
    answered = {attempt.head for attempt in every if attempt.student_file}
    owners: dict[str, Owned] = {}
    kept: list[File] = []
    for file in files:
        attempt = attempts_by_name.get(file.name)
        if attempt is not None:
            student_file, report = attempt.student_file, attempt.report
            if report is not None:
                if not report.text and attempt.head in answered:
                    continue
                student_file = "submission.html" if "</" in report.text else "submission.txt"
                file = file._replace(load=report.text.encode)
            names = (users[attempt.head], *(reports[head].name for head in (attempt.head,) if head in reports))
            owners[file.name] = Owned(Submission(names[0], names, "", ()), student_file, attempt.stamp, by_system=True)
        kept.append(file)
    return owners, kept


def _read_report(file: File) -> _AttemptReport:
    """Return (name, user name, text) of a report, the text file that Blackboard adds to an attempt.

    The first 1,000,000 bytes are read. Each part is "" if it is not there, all three if the file cannot be loaded; the
    text is "" as well if the report says that there is none.
    """
    try:
        text = file.load()[:_LONGEST].decode("utf-8", "replace").removeprefix("\ufeff")
    except AdcliError:
        return _AttemptReport("", "", "")
    who, field = _WHO.match(text), _FIELD.search(text)
    text_written = field[1].strip() if field else ""
    name, user = (who[1], who[2]) if who else ("", "")
    return _AttemptReport(name, user, "" if text_written.startswith(_NONE) else text_written)


def _users(heads: set[str], reports: dict[str, _AttemptReport]) -> dict[str, str]:
    """Return the user name of each student, by the beginning of the file names (one of `heads`, not empty).

    It is that of the report in `reports`; else the last word if no other student without a report has it; else all
    after the words that all heads share.
    """
    often = Counter(head.rpartition("_")[2] for head in heads - reports.keys())
    first, last = min(heads), max(heads)  # what these share all do
    shared = next((k for k, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), 0)
    shared = first.rfind("_", 0, shared) + 1
    user_names = {head: report.user for head, report in reports.items()}
    for head in heads - reports.keys():
        last_word = head.rpartition("_")[2]
        user_names[head] = last_word if often[last_word] == 1 else head[shared:]
    return user_names
