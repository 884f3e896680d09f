"""What Blackboard hands out: `HW 3_alice_attempt_2024-01-15-13-45-10_hw.txt`, and beside it a report of each attempt,
of the same name without the student's own, which has what was written into the page.
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
    """A file of an attempt: the assignment and the student as one text, the digits of the time, the student's name."""

    head: str
    stamp: int
    own: str


class _AttemptReport(NamedTuple):
    """What the report of an attempt says: the student's name, what the system calls the student, what was written."""

    name: str
    user: str
    text: str


def attempts(files: Sequence[File]) -> tuple[dict[str, Owned], list[File]]:
    """Whose each file is that Blackboard named, by its name, and all files without reports in which nothing stands.

    A student is what stands last before the attempt; where that is the same for several, what tells them apart.
    """
    found = {file.name: attempt for file in files if (attempt := _attempt(file)) is not None}
    if not found:
        return {}, list(files)
    reports = {file.name: _read(file) for file in files if file.name in found and not found[file.name].own}
    told = {found[name].head: report for name, report in reports.items() if report.user}
    users = _users({attempt.head for attempt in found.values()}, told)
    answered = {attempt.head for attempt in found.values() if attempt.own}
    owners: dict[str, Owned] = {}
    kept: list[File] = []
    for file in files:
        attempt, report = found.get(file.name), reports.get(file.name)
        if attempt is None:
            kept.append(file)
            continue
        if report is not None and not report.text and attempt.head in answered:
            continue
        names = (users[attempt.head], *([told[attempt.head].name] if attempt.head in told else []))
        own = attempt.own
        if report is not None:
            own = "submission.html" if "</" in report.text else "submission.txt"
            file = file._replace(load=_written(report.text))
        owners[file.name] = Owned(Submission(names[0], names, "", ()), own, attempt.stamp, told=True)
        kept.append(file)
    return owners, kept


def _attempt(file: File) -> _Attempt | None:
    match = _NAME.fullmatch(file.name.rpartition("/")[2])
    return match and _Attempt(match[1], int(match[2].replace("-", "")), match[3] or "")


def _read(file: File) -> _AttemptReport:
    try:
        text = file.load()[:_LONGEST].decode("utf-8", "replace").removeprefix("\ufeff")
    except AdcliError:
        return _AttemptReport("", "", "")
    who, field = _WHO.match(text), _FIELD.search(text)
    said = field[1].strip() if field else ""
    return _AttemptReport(who[1] if who else "", who[2] if who else "", "" if said.startswith(_NONE) else said)


def _users(heads: set[str], told: dict[str, _AttemptReport]) -> dict[str, str]:
    """What the system calls each student, by the beginning of the names of the files."""
    often = Counter(head.rpartition("_")[2] for head in heads - told.keys())
    first, last = min(heads), max(heads)  # what these share all do
    shared = next((k for k, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), 0)
    shared = first.rfind("_", 0, shared) + 1
    found: dict[str, str] = {}
    for head in heads:
        own = head.rpartition("_")[2]
        found[head] = told[head].user if head in told else own if often[own] == 1 else head[shared:]
    return found


def _written(text: str) -> Callable[[], bytes]:
    return lambda: text.encode()
