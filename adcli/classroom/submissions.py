"""Who handed in what: the files of a folder or an archive, by student.

Known are `alice.txt`, folders and archives `alice/answer.md`, and what Canvas, Moodle, Gradescope and Blackboard
hand out; folders around all of these, as downloads and archives have them, are nobody's.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Sequence

from ..marking.reading.collector import BYTES
from ..records import NamedTuple
from .archives import File, LeftOut, files_of
from .blackboard import attempts
from .gradescope_export import METADATA, Submitter, read_metadata
from .naming import Owned, Submission, is_around, is_working, natural, owned, owner_of

__all__ = ["File", "HandedIn", "Submission", "found_in", "natural", "owner_of"]

_MANY = 15  # files that one student may well have

Known = Callable[[Sequence[str]], bool]  # whether one of these names is somebody's of the class


class HandedIn(NamedTuple):
    """The submissions in order of students, what was left out, by name and reason, and what was assumed."""

    submissions: tuple[Submission, ...]
    left_out: tuple[LeftOut, ...]
    assumed: tuple[str, ...] = ()


def found_in(path: str, skip: Collection[str] = (), known: Known = lambda _: False, most: int = BYTES) -> HandedIn:
    """What a folder or a zip archive has; the folders and files of `skip` are no submissions, and of none are more than
    `most` bytes and one loaded.

    Raises RequestError for what is neither, and for an archive that is damaged or unpacks to too much.
    """
    files, left_out = files_of(path, skip, most)
    tree = _Tree(files, known, os.path.splitext(os.path.basename(os.path.abspath(path)))[0])
    found, assumed = _by_student(tree), tree.assumed()
    return HandedIn(tuple(found), tuple(sorted(left_out)), tuple(assumed))


class _Tree:
    """Files by their folders: which folders stand around those of students, and whose the files are."""

    def __init__(self, files: Sequence[File], known: Known, stem: str) -> None:
        self.attempts, files = attempts(files)
        self.files, self.known, self.stem = files, known, stem
        self.below: dict[str, dict[str, bool]] = {}  # what a folder has, and whether that is a folder
        for file in files:
            parts = file.name.split("/")
            for depth in range(len(parts)):
                self.below.setdefault("/".join(parts[:depth]), {})[parts[depth]] = depth < len(parts) - 1
        self.submitters: dict[str, Sequence[Submitter]] = {}
        for file in files:
            folder, _, name = file.name.rpartition("/")
            if name == METADATA:
                found = read_metadata(file.load)
                self.submitters |= {f"{folder}/{own}".lstrip("/"): people for own, people in found.items()}
        self.around = set(self._around())

    def _around(self) -> Iterable[str]:
        """The folders around those of students: all above, and every one that is taken for one."""
        waiting = [""]
        while waiting:
            folder = waiting.pop()
            yield folder
            below = self.below.get(folder, {})
            for name, is_folder in below.items():
                path = f"{folder}/{name}".lstrip("/")
                if is_folder and self._is_around(path, name, alone=len(below) == 1):
                    waiting.append(path)

    def _is_around(self, path: str, name: str, alone: bool) -> bool:
        below = self.below[path]
        if path in self.submitters or owned(f"{name}/x").told:
            return False
        if METADATA in below or any(
            f"{path}/{own}" in each for own in below for each in (self.submitters, self.attempts)
        ):
            return True
        whose = [owned(f"{own}/x" if is_folder else own) for own, is_folder in below.items()]
        if self.known((name, *owner_of(f"{name}/x").aliases)):
            return False
        if any(each.told or self.known((each.owner.student, *each.owner.aliases)) for each in whose):
            return True
        named_so = is_around(name) or name.casefold() == self.stem.casefold()
        if len(below) <= _MANY and all(is_working(own) for own in below):
            return alone and named_so
        return named_so or (alone and (len(below) > 1 or any(below.values())))

    def place(self, file: File) -> tuple[str, str]:
        """The folder around a student's, and the file's name from there on."""
        parts = file.name.split("/")
        depth = 0
        while depth < len(parts) - 1 and "/".join(parts[: depth + 1]) in self.around:
            depth += 1
        return "/".join(parts[:depth]), "/".join(parts[depth:])

    def owners(self, file: File) -> list[Owned]:
        """Whose a file is: several people's where a group handed it in."""
        if file.name in self.attempts:
            return [self.attempts[file.name]]
        folder, name = self.place(file)
        first, _, rest = name.partition("/")
        people = self.submitters.get(f"{folder}/{first}".lstrip("/"))
        if people is None:
            return [owned(name)]
        own = rest or first
        together = [person.id for person in people]
        return [
            Owned(Submission(person.id, person.names, "", (), person.late, _group(person.id, together)), own, told=True)
            for person in people
        ]

    def assumed(self) -> list[str]:
        """What was assumed of folders."""
        covers = sorted(folder for folder in self.around if folder and any(self.below.get(folder, {})))
        return [f"{folder}/ is taken for a folder around submissions, not for a student's" for folder in covers]


def _group(person: str, together: Sequence[str]) -> tuple[str, ...]:
    others = [other for other in together if other != person]
    return (f"handed in together with {', '.join(others)}",) if others else ()


def _by_student(tree: _Tree) -> list[Submission]:
    """The submissions; plain names in several folders may be several people's, and stay apart."""
    owners: dict[str, Submission] = {}
    gathered: dict[str, list[File]] = {}
    each_file = [
        (file, tree.place(file)[0], each)
        for file in tree.files
        if file.name.rpartition("/")[2] != METADATA
        for each in tree.owners(file)
    ]
    folders: dict[str, set[str]] = {}
    for _, folder, each in each_file:
        folders.setdefault(each.owner.student, set()).add("" if each.told else folder)
    common = len(os.path.commonpath([folder for _, folder, _ in each_file])) if each_file else 0
    for file, folder, each in each_file:
        owner = each.owner
        if len(folders[owner.student]) > 1 and folder and not each.told:
            owner = owner._replace(student=f"{folder}/{owner.student}", aliases=(owner.student, *owner.aliases))
        before = owners.setdefault(owner.student, owner)
        owners[owner.student] = before._replace(late=before.late or owner.late)
        gathered.setdefault(owner.student, []).append(
            file._replace(name=file.name[common:].lstrip("/"), own=each.own, stamp=each.stamp)
        )
    return [
        owners[student]._replace(files=tuple(sorted(own, key=lambda file: natural(file.name), reverse=True)))
        for student, own in sorted(gathered.items(), key=lambda item: natural(item[0]))
    ]
