"""The key of a homework: its tasks and how they are marked."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ..answers.answer_model import Task
from ..errors import RequestError
from ..marking.model import Rules
from ..records import NamedTuple
from ..table.suggest import did_you_mean


class Key(NamedTuple):
    """The tasks of a homework and how they are marked.

    `disclose` is what students see, from 0 (the score) to 5 (the key); `decimal` is how answers write numbers, with a
    point or a comma. `students` has the tasks of students with their own instances, by the student's id, () for
    students that the key only names; `called` has their other names, which are names of people and addresses.
    """

    title: str
    tasks: tuple[Task, ...]
    rules: Rules = Rules()
    disclose: int = 3
    decimal: str = "point"
    students: Mapping[str, tuple[Task, ...]] = MappingProxyType({})
    called: Mapping[str, tuple[str, ...]] = MappingProxyType({})

    def tasks_or_none(self, student: str | None) -> tuple[Task, ...]:
        """Return the tasks as `tasks_for` does, () if there are none."""
        return self.students.get(student or "") or self.tasks

    def tasks_for(self, student: str | None) -> tuple[Task, ...]:
        """Return the tasks of a student: the student's own if `students` has some for exactly this id, else those for
        all.

        `student` None or "" means the tasks for all. Raises RequestError, with a similar id as help, if there are no
        tasks.
        """
        tasks = self.tasks_or_none(student)
        if not tasks:
            whose = f"no problem for the student {student}" if student else "only problems for individual students"
            names = [name for name, problems in self.students.items() if problems]
            advice = did_you_mean(student or "", names, "name a student whose problems are in the key file")
            raise RequestError(f"the key file has {whose}", help=advice)
        return tasks
