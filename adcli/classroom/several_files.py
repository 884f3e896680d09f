"""Several files of one student: which are versions of one, which problem each is about, and which of them count."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence

from ..errors import AdcliError
from ..marking.model import Marking, Task
from ..records import NamedTuple
from .archives import File
from .naming import natural

_NUMBERED = re.compile(r"\s*\((\d{1,3})\)\Z")
_VERSION = re.compile(r"[\s_.-]+(?:v|ver|vers|version|rev|attempt|versuch)[\s_.-]*(\d{1,3})\Z", re.IGNORECASE)
_COPY = re.compile(r"[\s_.-]+(?:copy|kopie|copie|copia)(?:[\s_.-]*(\d{1,3}))?\Z", re.IGNORECASE)
_LAST = re.compile(
    r"[\s_.-]+(?:final|last|new|newest|neu|corrected|correction|korrigiert|fixed|resubmission|resubmitted|revised"
    r"|updated?|nouveau|nuevo)(?:[\s_.-]*(\d{1,3}))?\Z",
    re.IGNORECASE,
)
_DASHED = re.compile(r"-(\d{1,3})\Z")  # hw-1.txt beside hw.txt is what Canvas calls a file handed in again
_MARKS = 4  # of versions, one after the other: hw_v2_final (1)
_TOKEN = re.compile(r"([^\W\d_]*)[\s._-]*(?:(\d{1,3})|(?<=[\s._-])([a-z])\Z)", re.IGNORECASE)
_HOMEWORKS = frozenset("assignment blatt hausaufgabe homework hw set sheet week ws".split())  # noqa: SIM905
_NOT_COUNTED = frozenset({"extra", "superseded", "missing", "unreadable"})

Place = tuple[int, int, int, tuple[tuple[int, str], ...]]


class Read(NamedTuple):
    """What came of a part of an answer: the file that counts and its markings, or why it cannot be graded."""

    file: str
    markings: tuple[Marking, ...]
    problem: AdcliError | None = None


class JointMarkings(NamedTuple):
    """The markings of all parts together, the files that they are from, and what was assumed."""

    files: tuple[str, ...]
    markings: tuple[Marking, ...]
    notes: tuple[str, ...]


def versions(files: Iterable[File]) -> list[list[File]]:
    """The files in parts, the latest version of each first: `hw (1).txt` comes after `hw.txt`, `hw_v3.txt` after both.

    The parts are in the order of their names, the last first.
    """
    found = {file.name: _told(file.own or file.name) for file in files}
    bases = {base for base, _ in found.values()}
    parts: dict[str, list[tuple[Place, File]]] = {}
    for file in files:
        base, (last, number) = found[file.name]
        dashed = _DASHED.search(base)
        if dashed is not None and base[: dashed.start()] in bases:
            base, number = base[: dashed.start()], max(number, int(dashed.group(1)))
        parts.setdefault(base, []).append(((last, number, file.stamp, natural(file.name)), file))
    in_order = [sorted(part, key=lambda item: item[0], reverse=True) for part in parts.values()]
    in_order.sort(key=lambda part: natural(part[0][1].name), reverse=True)
    return [[file for _, file in part] for part in in_order]


def _told(own: str) -> tuple[str, tuple[int, int]]:
    """The name without what tells versions apart and without the kind of file, and what it tells."""
    stem = os.path.splitext(own)[0]
    last = number = 0
    for _ in range(_MARKS):
        marks = [(pattern, pattern.search(stem)) for pattern in (_NUMBERED, _VERSION, _COPY, _LAST)]
        match = next(((pattern, found) for pattern, found in marks if found is not None), None)
        if match is None or match[1].start() == 0:
            break
        pattern, mark = match
        told = int(mark.group(1) or 0)
        if pattern is _LAST:
            last = max(last, 1 + told)
        else:
            number = max(number, told or 1)
        stem = stem[: mark.start()]
    return stem.casefold(), (last, number)


def subjects(parts: Sequence[Sequence[File]], tasks: Sequence[Task]) -> list[int | None]:
    """Which task each part is about by its name (`hw3_p2.txt`); None where that is not said, or by several parts."""
    if len(parts) < 2 or len(tasks) < 2:
        return [None] * len(parts)
    found = [_subject(_told(part[0].own or part[0].name)[0], tasks, of_homeworks=False) for part in parts]
    if all(each is None for each in found):
        found = [_subject(_told(part[0].own or part[0].name)[0], tasks, of_homeworks=True) for part in parts]
    return [each if found.count(each) == 1 else None for each in found]


def _subject(stem: str, tasks: Sequence[Task], of_homeworks: bool) -> int | None:
    labels = {str(place): k for k, place in enumerate(range(1, len(tasks) + 1))}
    labels |= {task.label.casefold(): k for k, task in enumerate(tasks) if task.label}
    name = stem.rpartition("/")[2]
    if name in labels:
        return labels[name]
    told = {
        labels.get(match.group(2).lstrip("0") if match.group(2) else match.group(3))
        for match in _TOKEN.finditer(name)
        if of_homeworks or match.group(1) not in _HOMEWORKS
    } - {None}
    return told.pop() if len(told) == 1 else None


def joined(parts: Sequence[Read], tasks: Sequence[Task]) -> JointMarkings:
    """For each task the part that answers most of it, the last of them by name: how right it is does not count."""
    graded = [part for part in parts if part.problem is None]
    notes = [f"{part.file} does not count: {part.problem.title}" for part in parts if part.problem is not None]
    chosen: list[Marking] = []
    files: dict[str, None] = {}
    for k, task in enumerate(tasks):
        said = [(_said(part.markings[k]), part) for part in graded]
        most = max(count for count, _ in said)
        best = next(part for count, part in said if count == most)
        others = [part.file for count, part in said if count and part is not best]
        if others:
            name = f"problem {task.label or k + 1}" if len(tasks) > 1 else "the problem"
            notes.append(f"{name} is answered in {', '.join([best.file, *others])}: {best.file} counts")
        chosen.append(best.markings[k])
        if most:
            files[best.file] = None
    return JointMarkings(tuple(files) or (graded[0].file,), tuple(chosen), tuple(notes))


def _said(marking: Marking) -> int:
    """How much of a problem an answer works out, right or wrong."""
    return sum(mark.span is not None and mark.verdict not in _NOT_COUNTED for mark in marking.marks)
