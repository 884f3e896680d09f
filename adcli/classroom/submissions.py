"""Submissions of students: the files of a folder or an archive, by student.

Recognised are `alice.txt`, folders and archives `alice/answer.md`, and downloads of Canvas, Moodle, Gradescope and
Blackboard; folders around all of these, as downloads and archives have them, belong to no student.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Sequence

from ..answers.collector import BYTES
from ..records import NamedTuple
from .archives import File, LeftOut, files_of
from .naming import Owned, Submission, is_around, is_working, natural, owner_of, parse_owner
from .system_downloads import METADATA, Submitter, attempts, read_metadata

__all__ = ["File", "HandedIn", "Submission", "natural", "owner_of", "submissions_in"]

_MANY = 15  # files that one student may well have

Known = Callable[[Sequence[str]], bool]  # whether one of these names is in the class list


class HandedIn(NamedTuple):
    """The submissions in the order of students, what was left out, by name and reason, and what was assumed."""

    submissions: tuple[Submission, ...]
    left_out: tuple[LeftOut, ...]
    assumed: tuple[str, ...] = ()


def submissions_in(
    path: str, skip: Collection[str] = (), known: Known = lambda _: False, most: int = BYTES
) -> HandedIn:
    """Return the submissions in a folder or a zip archive, in the natural order of students, what was left out (name
    and reason, sorted), and sentences on what was assumed.

    If `path` is another file, it is one submission. The folders and files of `skip` are left out. At most `most` + 1
    bytes of each file are loaded, and only when it is needed. `known(names)` returns whether one of these names is in
    the class list. Raises RequestError if `path` does not exist, and for an archive that is damaged, has too many files
    or unpacks to too much.
    """
    files, left_out = files_of(path, skip, most)
    tree = _Tree(files, known, os.path.splitext(os.path.basename(os.path.abspath(path)))[0])
    submissions, assumed = _by_student(tree), tree.assumed()
    return HandedIn(tuple(submissions), tuple(sorted(left_out)), tuple(assumed))


class _Tree:
    """Files by their folders: which folders are around those of students, and whose the files are."""

    def __init__(self, files: Sequence[File], known: Known, stem: str) -> None:
        """Sort `files` by folder, and read the reports of Blackboard and the metadata of Gradescope among them.

        `known` returns whether one of some names is in the class list, `stem` is the name of the folder or archive
        without its suffix. `files` of the tree are those that `attempts` keeps; `submitters` has the people of each
        path that metadata list, relative to the root; `around` are the folders around those of students, "" included.
        """
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
                people_by_file = read_metadata(file.load).items()
                self.submitters |= {f"{folder}/{name}".lstrip("/"): people for name, people in people_by_file}
        self.around = set(self._around())

    def _around(self) -> Iterable[str]:
        """Yield the folders (or archives) that lie around those of students, each before the folders in it.

        The first is "", the root. Depth first, of each folder the last entry first.
        """
        stack = [""]
        while stack:
            folder = stack.pop()
            yield folder
            below = self.below.get(folder, {})
            for name, is_folder in below.items():
                path = f"{folder}/{name}".lstrip("/")
                if is_folder and self._is_around(path, name, alone=len(below) == 1):
                    stack.append(path)

    def _is_around(self, path: str, name: str, alone: bool) -> bool:
        """Return whether the folder `path`, called `name`, contains folders of students instead of being a student's.

        The first that applies:

        - A system wrote its name, or Gradescope lists it: False.
        - It has Gradescope's metadata or files named by a system: True.
        - The class list has its name: False.
        - An entry of it is named by a system or after a student whom `known` has: True.
        - It has at most 15 entries, all called as answers: True only if it is `alone` (without neighbours) and its name
          is a word such as `submissions`, or that of the archive.
        - True if its name is such a word or that of the archive, or if it is `alone` and has several entries or a
          folder; else False.
        """
        below = self.below[path]
        if path in self.submitters or parse_owner(f"{name}/x").by_system:
            return False
        by_system = {*self.submitters, *self.attempts}
        if METADATA in below or any(f"{path}/{entry}" in by_system for entry in below):
            return True
        if self.known((name, *owner_of(f"{name}/x").aliases)):
            return False
        if any(self._is_students(f"{entry}/x" if is_folder else entry) for entry, is_folder in below.items()):
            return True
        named_so = is_around(name) or name.casefold() == self.stem.casefold()
        if len(below) <= _MANY and all(is_working(entry) for entry in below):
            return alone and named_so
        return named_so or (alone and (len(below) > 1 or any(below.values())))

    def _is_students(self, path: str) -> bool:
        """Return whether a path is named by a system, or after a student of the class."""
        whose = parse_owner(path)
        return whose.by_system or self.known((whose.owner.student, *whose.owner.aliases))

    def place(self, file: File) -> tuple[str, str]:
        """Return the folder around a student's, and the file's name from there on."""
        parts = file.name.split("/")
        depth = 0
        while depth < len(parts) - 1 and "/".join(parts[: depth + 1]) in self.around:
            depth += 1
        return "/".join(parts[:depth]), "/".join(parts[depth:])

    def owners(self, file: File) -> list[Owned]:
        """Return the owners of a file: several if a group handed it in, each with a note that names the others.

        Names from Blackboard come first, then Gradescope's metadata, then the file's own path below the folders around
        it.
        """
        if file.name in self.attempts:
            return [self.attempts[file.name]]
        folder, name = self.place(file)
        first, _, rest = name.partition("/")
        people = self.submitters.get(f"{folder}/{first}".lstrip("/"))
        if people is None:
            return [parse_owner(name)]
        student_name = rest or first
        together = [person.id for person in people]
        handed_in = [Submission(one.id, one.names, "", (), one.late, _group(one.id, together)) for one in people]
        return [Owned(submission, student_name, by_system=True) for submission in handed_in]

    def assumed(self) -> list[str]:
        """Return a note for each folder below the root that was taken for one around submissions, if it has a folder
        in it; sorted by path.
        """
        covers = sorted(folder for folder in self.around if folder and any(self.below.get(folder, {})))
        return [f"{folder}/ is read as a folder of submissions, not as the folder of a student" for folder in covers]


def _group(person: str, together: Sequence[str]) -> tuple[str, ...]:
    """Return (a note with the others in `together`,); () if `person` is alone."""
    others = [other for other in together if other != person]
    return (f"handed in together with {', '.join(others)}",) if others else ()


def _by_student(tree: _Tree) -> list[Submission]:
    """Return the submissions in the natural order of students, each with its files in the reverse order of names.

    A file of a group is in the submission of each of its students; metadata files are left out. Equal names in several
    folders are different students, called folder/name; names that a system wrote are one student. A submission is late
    if one of its files is. Aliases and notes are those of the student's first file. Files are called without the folder
    that the files of all students share, and get the `student_name` and `stamp` of their owner.
    """
    owners: dict[str, Submission] = {}
    gathered: dict[str, list[File]] = {}
    answers = [file for file in tree.files if file.name.rpartition("/")[2] != METADATA]
    each_file = [(file, tree.place(file)[0], each) for file in answers for each in tree.owners(file)]
    folders: dict[str, set[str]] = {}
    for _, folder, each in each_file:
        folders.setdefault(each.owner.student, set()).add("" if each.by_system else folder)
    common = len(os.path.commonpath([folder for _, folder, _ in each_file])) if each_file else 0
    for file, folder, each in each_file:
        owner = each.owner
        if len(folders[owner.student]) > 1 and folder and not each.by_system:
            owner = owner._replace(student=f"{folder}/{owner.student}", aliases=(owner.student, *owner.aliases))
        before = owners.setdefault(owner.student, owner)
        owners[owner.student] = before._replace(late=before.late or owner.late)
        gathered.setdefault(owner.student, []).append(
            file._replace(name=file.name[common:].lstrip("/"), student_name=each.student_name, stamp=each.stamp)
        )
    return [
        owners[student]._replace(files=tuple(sorted(student_files, key=lambda file: natural(file.name), reverse=True)))
        for student, student_files in sorted(gathered.items(), key=lambda item: natural(item[0]))
    ]
