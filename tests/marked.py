"""Marked answers put together by hand, for tests of what is shown of them and where it goes."""

from __future__ import annotations

from fractions import Fraction

from adcli.answers.answer_model import Answer, NotGradable, Task
from adcli.classroom.grading import Graded
from adcli.classroom.submissions import Submission
from adcli.errors import Source, Span
from adcli.marking.model import Mark, Marking
from adcli.marking.task import task_of

PAPER = "log(x1)+x1*x2-sin(x2) @ x1=2, x2=5"
# The numbers of the key as the marks below bear them; only the first is also in the answer.
KEY_NUMBERS = ("0.6931471805599453", "-0.9589242746631385", "10.693147180559945", "11.652071455223084", "1.7163378")

LINES = (
    "my answer",
    "",
    "v1 = log(x1) = 0.693",
    "v2 = x1*x2 = 10",
    "v3 = sin(x2) = 0.087",
    "v4 = v1 + v2 = 10.7",
    "v5 = v4 - v3 = 10.613",
    "w9 = 3",
    "v6 = ???",
)
_FULL, _HALF, _NONE = Fraction(1), Fraction(1, 2), Fraction(0)


def on_line(number: int, text: str) -> Span:
    """The place of a text on a line of the answer."""
    source = Source(LINES[number - 1], "answer.txt", number)
    start = source.text.index(text)
    return Span(start, start + len(text), source)


MARKS = (
    Mark("v1", "value", "correct", on_line(3, "v1"), (), "right", "right", "", _FULL, _FULL, "log x1", KEY_NUMBERS[0]),
    Mark("v2", "value", "rounding", on_line(4, "v2"), (), "right", "right", "", _FULL, _FULL, "x1 × x2", "10"),
    Mark(
        "v3", "value", "error", on_line(5, "0.087"), ("degrees",), "right", "wrong",
        "v3: angles are not in degrees here", _NONE, _NONE, "sin x2", KEY_NUMBERS[1],
    ),
    Mark(
        "v4", "value", "precision", on_line(6, "10.7"), (), "right", "right", "v4 has too few digits", _HALF, _HALF,
        "v1 + v2", KEY_NUMBERS[2],
    ),
    Mark(
        "v5", "final", "carried", on_line(7, "10.613"), (), "right", "wrong", "v5 follows from a slip", _HALF,
        _NONE, "v4 − v3", KEY_NUMBERS[3],
    ),
    Mark("w9", "value", "extra", on_line(8, "w9")),
    Mark("", "value", "unreadable", on_line(9, "???"), (), "absent", "absent", "this cannot be read"),
    Mark("x̄2", "bar", "missing", None, (), "absent", "absent", "x̄2 is missing", key=KEY_NUMBERS[4]),
)  # fmt: skip


def task(label: str | None = None, points: int = 8) -> Task:
    """The running example as a task."""
    return task_of(PAPER, label=label, points=Fraction(points))


def wrong(label: str | None = None) -> Marking:
    """An answer with a mark of every kind; line 5 is the first error."""
    answer = Answer("text", LINES, ())
    return Marking(task(label), answer, "wrong", MARKS, 2, Fraction(7, 2), Fraction(3), Fraction(8))


def right(label: str | None = None) -> Marking:
    """An answer that is right."""
    answer = Answer("text", LINES, ())
    return Marking(task(label), answer, "right", MARKS[:2], None, Fraction(8), Fraction(8), Fraction(8))


def unreadable(label: str | None = None) -> Marking:
    """An answer that is not gradable."""
    problem = NotGradable("this is a photo", label="a JPEG", help="fill in a blank form: adcli template")
    return Marking(task(label), None, "not_gradable", (), None, Fraction(0), Fraction(0), Fraction(8), problem)


def submission(student: str, *aliases: str, participant: str = "") -> Submission:
    """A submission whose files nobody looks at."""
    return Submission(student, aliases or (student,), participant, ())


def graded(student: str, *markings: Marking, participant: str = "") -> Graded:
    """What became of a student's submission."""
    problem = markings[0].problem
    found = submission(student, student.rpartition("_")[0] or student, participant=participant)
    return Graded(found, f"{student}.txt", () if problem is not None else markings, problem)
