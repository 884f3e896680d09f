"""Several files of one student: versions of each other, the problem of each, and which of them count."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from operator import itemgetter

from ..answers.answer_model import Task
from ..errors import AdcliError
from ..marking.model import Marking
from ..records import NamedTuple
from .archives import File
from .naming import natural

_LAST = (
    "final|last|new|newest|neu|corrected|correction|korrigiert|fixed|resubmission|resubmitted|revised|updated?|nouveau"
    "|nuevo"
)
_VERSION = re.compile(
    r"(?:\s*\((?P<numbered>\d{1,3})\)"
    r"|[\s_.-]+(?:(?:v|ver|vers|version|rev|attempt|versuch)[\s_.-]*(?P<version>\d{1,3})"
    r"|(?:copy|kopie|copie|copia)(?:[\s_.-]*(?P<copy>\d{1,3}))?"
    rf"|(?P<last>{_LAST})(?:[\s_.-]*(?P<lasts>\d{{1,3}}))?))\Z",
    re.IGNORECASE,
)
_MARKS = 4  # of versions, one after the other: hw_v2_final (1)
_TOKEN = re.compile(r"([^\W\d_]*)[\s._-]*(?:(\d{1,3})|(?<=[\s._-])([a-z])\Z)", re.IGNORECASE)
_HOMEWORKS = frozenset(("assignment", "blatt", "hausaufgabe", "homework", "hw", "set", "sheet", "week", "ws"))
_NOT_COUNTED = frozenset({"extra", "superseded", "missing", "unreadable"})

# The files that markings are from, the markings, and notes on what was assumed.
Joined = tuple[Sequence[str], Sequence[Marking], Sequence[str]]
Place = tuple[int, int, int, tuple[tuple[int, str], ...]]


class Read(NamedTuple):
    """The result of a part of an answer: the file that counts and its markings, or the problem if it cannot be
    graded."""

    file: str
    markings: tuple[Marking, ...]
    problem: AdcliError | None = None


def versions(files: Sequence[File]) -> list[list[File]]:
    """Return the files in groups, one for each name without its version marks, the latest version of each first.

    `hw (1).txt` is later than `hw.txt`, `hw_v3.txt` later than both. What is marked final is later than what is not,
    then a higher number, the later `stamp`, and the name. Names are the students' own, with folders. `hw-1.txt` is a
    version of `hw.txt` only if there is a file of that name, version marks aside; its number counts. The groups are in
    the reverse natural order of the names of their latest files.
    """
    stems = {file.name: _split_version(file.student_name or file.name) for file in files}
    bases = {base for base, _ in stems.values()}
    parts: dict[str, list[tuple[Place, File]]] = {}
    for file in files:
        base, (last, number) = stems[file.name]
        first, dash, again = base.rpartition("-")  # what Canvas calls hw.txt handed in again is hw-1.txt
        if dash and first in bases and again.isdecimal() and len(again) < 4:
            base, number = first, max(number, int(again))
        parts.setdefault(base, []).append(((last, number, file.stamp, natural(file.name)), file))
    in_order = [sorted(part, key=lambda item: item[0], reverse=True) for part in parts.values()]
    in_order.sort(key=lambda part: natural(part[0][1].name), reverse=True)
    return [[file for _, file in part] for part in in_order]


def _split_version(file_name: str) -> tuple[str, tuple[int, int]]:
    """Return (stem, (rank, version)) of a file name: `hw_v3.txt` gives ("hw", (0, 3)), `hw_final.txt` ("hw", (1, 0)).

    The stem is the name, with its folders, in lower case without suffix and version marks; up to four marks at its end
    are taken off, but never the whole name. The rank is 0 without a word such as `final`, 1 with it, 1 + n with a
    number n after it (`final2`: 3). The version is the highest number in marks such as `(2)`, `v2` or `copy 2`, 1 for a
    mark without a number, 0 without a mark.
    """
    stem = os.path.splitext(file_name)[0]
    last = number = 0
    for _ in range(_MARKS):
        mark = _VERSION.search(stem)
        if mark is None or mark.start() == 0:
            break
        number_in_name = int(mark["numbered"] or mark["version"] or mark["copy"] or mark["lasts"] or 0)
        if mark["last"]:
            last = max(last, 1 + number_in_name)
        else:
            number = max(number, number_in_name or 1)
        stem = stem[: mark.start()]
    return stem.casefold(), (last, number)


def subjects(parts: Sequence[Sequence[File]], tasks: Sequence[Task]) -> list[int | None]:
    """Return the index of the task of each part by the name of its latest file (`hw3_p2.txt`).

    None for a part whose name has no clear task, or the same as another part. All are None if there is only one part or
    one task. Numbers after words such as `hw` count only if no part has another number or label.
    """
    if len(parts) < 2 or len(tasks) < 2:
        return [None] * len(parts)
    stems = [_split_version(part[0].student_name or part[0].name)[0] for part in parts]
    indices = [_task_in_name(stem, tasks, of_homeworks=False) for stem in stems]
    if all(each is None for each in indices):
        indices = [_task_in_name(stem, tasks, of_homeworks=True) for stem in stems]
    return [each if indices.count(each) == 1 else None for each in indices]


def _task_in_name(stem: str, tasks: Sequence[Task], of_homeworks: bool) -> int | None:
    """Return the index of the task that a file name has by number (from 1) or label: `hw3_p2` → 1.

    None if it has none or several. `stem` is the name in lower case, without version marks and suffix; its folders are
    ignored. A name that is only a label or number decides at once. In other names a number of up to three digits counts
    after all words, but after words such as `hw` only with `of_homeworks`; a label counts only if it is a number or the
    last single letter (`hw_b`). A label has priority over an equal number; the case of labels does not matter.
    """
    labels = {str(place): k for k, place in enumerate(range(1, len(tasks) + 1))}
    labels |= {task.label.casefold(): k for k, task in enumerate(tasks) if task.label}
    name = stem.rpartition("/")[2]
    if name in labels:
        return labels[name]
    tokens = [match for match in _TOKEN.finditer(name) if of_homeworks or match[1] not in _HOMEWORKS]
    candidates = {labels.get(match[2].lstrip("0") if match[2] else match[3]) for match in tokens} - {None}
    return candidates.pop() if len(candidates) == 1 else None


def join_files(parts: Sequence[Read], tasks: Sequence[Task]) -> Joined:
    """Return for each task the marking of the part that answers most rows of the task (`_count_answered`).

    Rows count right or wrong, but not unreadable, extra or superseded ones. Of equal parts the first is taken; a note
    names the other parts that answer the task. Parts that cannot be graded are left out with a note; at least one part
    must be gradable. The result is (files, markings, notes); `files` are the names of the chosen parts of the answered
    tasks; if no task is answered, that of the first gradable part.
    """
    graded = [part for part in parts if part.problem is None]
    notes = [f"{part.file} does not count: {part.problem.title}" for part in parts if part.problem is not None]
    chosen: list[Marking] = []
    files: dict[str, None] = {}
    for k, task in enumerate(tasks):
        answered = [(_count_answered(part.markings[k]), part) for part in graded]
        most, best = max(answered, key=itemgetter(0))
        others = [part.file for count, part in answered if count and part is not best]
        if others:
            name = f"problem {task.label or k + 1}" if len(tasks) > 1 else "the problem"
            notes.append(f"{name} is answered in {', '.join([best.file, *others])}: {best.file} counts")
        chosen.append(best.markings[k])
        if most:
            files[best.file] = None
    return tuple(files) or (graded[0].file,), chosen, notes


def _count_answered(marking: Marking) -> int:
    """Return how many rows of a problem an answer has, right or wrong.

    Rows that are extra, superseded, missing or unreadable do not count.
    """
    return sum(mark.span is not None and mark.verdict not in _NOT_COUNTED for mark in marking.marks)
