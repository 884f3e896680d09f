"""Sheets of exercises: what a student gets to see, and the key that belongs to them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from ..errors import RequestError
from ..marking.model import Task
from ..records import NamedTuple
from ..trace.trace_program import program_line
from .blank_form import BlankForm, blank_form
from .instances import instance
from .patterns import seed_of
from .roster import Roster

_ASSIGNMENT = re.compile(r"\s*[^\W\d]\w*'*\s*(?:\([^()]*\)\s*)?:?=(?!=)")


class Student(NamedTuple):
    """Whose sheet it is: what the key knows the student by, and what people do."""

    id: str
    name: str


class ExerciseSheet(NamedTuple):
    """One sheet: its title, whose it is (None: everybody's), and a form for each of its problems."""

    title: str
    student: Student | None
    forms: tuple[BlankForm, ...]


def students_of(roster: Roster) -> tuple[Student, ...]:
    """The students of a class list.

    Raises RequestError for a list without students, and for two students that the key could not tell apart.
    """
    found = tuple(Student(person.id, " ".join(person.name.split())) for person in roster.people)
    if not found:
        raise RequestError("there is nobody in the class list", help="write a line for each student below the header")
    for who, count in Counter(student.id for student in found).items():
        if count > 1:
            raise RequestError(f"{who} is {count} times in the class list", help="give each student an id of their own")
    return found


def exercises(
    secret: bytes, seed: int, levels: Sequence[int], count: int, mode: str, student: Student | None = None
) -> tuple[Task, ...]:
    """So many instances of each level, each from a seed of its own: of the secret, the student and the problem."""
    wanted = [level for level in levels for _ in range(count)]
    who = None if student is None else student.id
    return tuple(
        instance(seed_of(secret, seed, who, number, level, mode), level, mode, str(number))
        for number, level in enumerate(wanted, 1)
    )


def sheet_of(title: str, tasks: Sequence[Task], student: Student | None = None) -> ExerciseSheet:
    """The sheet of these tasks."""
    return ExerciseSheet(title, student, tuple(blank_form(task) for task in tasks))


def statements(task: Task) -> list[str]:
    """The program of a task, a line for each statement; the last one names the output where the program does not."""
    lines = [line.strip() for line in program_line(task.program).split(";") if line.strip()]
    outputs = task.program.graph.outputs
    if len(outputs) == 1 and not _ASSIGNMENT.match(lines[-1]):
        lines[-1] = f"{outputs[0][0]} = {lines[-1]}"
    return lines
