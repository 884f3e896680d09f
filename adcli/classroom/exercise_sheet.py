"""An exercise sheet: the problems that a student gets, and their forms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..answers.answer_model import Task
from ..errors import RequestError
from ..language.math_requests.request_text import DEFINES
from ..records import NamedTuple
from ..trace.trace_program import program_line
from .blank_form import BlankForm, blank_form
from .exercise_patterns import seed_of
from .instances import instance
from .roster import Roster


class Student(NamedTuple):
    """A student of a sheet: the id in the key, the name and the address."""

    id: str
    name: str
    email: str = ""


class ExerciseSheet(NamedTuple):
    """One sheet: its title, its student (None: for everybody), and a form for each of its problems."""

    title: str
    student: Student | None
    forms: tuple[BlankForm, ...]


def students_of(roster: Roster) -> tuple[Student, ...]:
    """Return the students of a class list in order, with blanks in names reduced to single ones.

    Raises RequestError if it is empty or two students have the same id.
    """
    people = roster.people
    students = tuple(Student(each.id, " ".join(each.name.split()), each.email.strip()) for each in people)
    if not students:
        raise RequestError("the class list has no students", help="write a line for each student below the header")
    for who, count in Counter(student.id for student in students).items():
        if count > 1:
            title = f"the id {who} appears {count} times in the class list"
            raise RequestError(title, help="give each student a different id")
    return students


def exercises(
    secret: bytes, seed: int, levels: Sequence[int | str], count: int, mode: str, student: Student | None = None
) -> tuple[Task, ...]:
    """Return `count` exercises of each of the `levels`, level by level, with labels "1", "2", … through all of them.

    Each has its own seed, made of the secret, `seed`, the student's id (`student` None: the same for everybody), its
    number (its label), the level and the mode. So the same arguments give the same exercises. Raises RequestError if no
    exercise without a flaw can be made.
    """
    all_levels = [level for level in levels for _ in range(count)]
    who = None if student is None else student.id
    return tuple(
        instance(seed_of(secret, seed, who, number, level, mode), level, mode, str(number))
        for number, level in enumerate(all_levels, 1)
    )


def sheet_of(title: str, tasks: Sequence[Task], student: Student | None = None) -> ExerciseSheet:
    """Return the sheet of these tasks, with their blank forms."""
    return ExerciseSheet(title, student, tuple(blank_form(task) for task in tasks))


def statements(task: Task) -> list[str]:
    """Return the program of a task, one statement on a line, without semicolons and empty statements.

    If the program has one output and the last statement does not define a name, it gets the name of the output before
    it, as in `y = x1*x2`. With several outputs the expressions stay without names.
    """
    lines = [line.strip() for line in program_line(task.program).split(";") if line.strip()]
    outputs = task.program.graph.outputs
    if len(outputs) == 1 and not DEFINES.match(lines[-1]):
        lines[-1] = f"{outputs[0][0]} = {lines[-1]}"
    return lines
