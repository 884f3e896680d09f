"""One answer against all the problems that it is about."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from ..errors import AdcliError
from .judging import mark
from .matching import matched, names_of, without_statement
from .model import BAR, DOT, Answer, Marking, NotGradable, Rules, Task
from .quantities import possible
from .reading.answer import Script, split_answer
from .reading.collector import RawSection

_ADJOINTS = "names such as dv1 are read as adjoints"


class ReadAs(NamedTuple):
    """How the part of an answer that is about a task may be read, the likeliest way first; or why it cannot be."""

    answers: tuple[Answer, ...]
    problem: NotGradable | None = None


def assess(data: bytes, name: str, tasks: Sequence[Task], rules: Rules, decimal: str = "point") -> tuple[Marking, ...]:
    """The markings of an answer, one for each task, in the order of the tasks.

    Of several ways to read it the best for the student is taken.  What cannot be marked is a marking with the verdict
    not_gradable and the reason.
    """
    formulas: dict[int, Marking] = {}
    if any(task.asks_formulas for task in tasks):
        from .derivations.parts import assessed  # few homeworks ask for formulas

        formulas = assessed(data, name, tasks, rules)
        if len(formulas) == len(tasks):
            return tuple(formulas.values())
    found = readings(data, name, tasks, decimal)
    return tuple(
        formulas.get(place) or _best(task, each, rules)
        for place, (task, each) in enumerate(zip(tasks, found, strict=True))
    )


def unanswered(task: Task, rules: Rules) -> Marking:
    """The marking of a task that nothing was written about."""
    if task.asks_formulas:
        from .derivations.verdicts import missing_formulas  # few homeworks ask for formulas

        return missing_formulas(task, rules)
    return _marked(task, Answer("text", (), ()), rules)


def readings(data: bytes, name: str, tasks: Sequence[Task], decimal: str = "point") -> list[ReadAs]:
    """How an answer may be read, for each task."""
    names = names_of(tasks)
    try:
        script = split_answer(data, name, names, decimal)
    except NotGradable as error:
        return [ReadAs((), error) for _ in tasks]
    if len(tasks) == 1:
        return [_readings(script, None, tasks[0], ())]
    found = matched(tasks, script, names)
    nowhere = any(part.rows is not None for part in found.parts) and not found.strange
    nothing = ReadAs((Answer(script.form, (), ()),)) if nowhere else ReadAs((), _no_match(found.strange))
    return [
        nothing if part.rows is None else _readings(script, part.rows, task, part.notes)
        for task, part in zip(tasks, found.parts, strict=True)
    ]


def _readings(script: Script, rows: RawSection | None, task: Task, notes: tuple[str, ...]) -> ReadAs:
    """The readings of some rows, or of a whole answer: `dv1` may be a tangent, and in reverse mode an adjoint."""
    found: list[Answer] = []
    for kind in (DOT, BAR):
        names = names_of([task], kind)
        answer = script.whole(names) if rows is None else script.read(rows, names)
        answer = without_statement(answer, task)
        told = (*answer.notes, *notes, *([_ADJOINTS] if kind == BAR else []))
        found.append(answer._replace(notes=told))
        if kind == DOT and not _may_be_adjoints(answer, task):
            break
    return ReadAs(tuple(reversed(found)) if task.mode == "reverse" else tuple(found))


def _may_be_adjoints(answer: Answer, task: Task) -> bool:
    """Whether an answer that is to go backwards has tangents, spelled dv1, and no adjoints."""
    kinds = {entry.quantity.kind for entry in answer.entries}
    spelled = any(entry.quantity.kind == DOT and entry.span.text.lstrip()[:1] == "d" for entry in answer.entries)
    return task.mode in ("reverse", None) and BAR not in kinds and spelled


def _best(task: Task, read: ReadAs, rules: Rules) -> Marking:
    """The marking of an answer by the reading that earns most."""
    if read.problem is not None:
        return not_gradable(task, read.problem, rules)
    found: list[Marking] = []
    for answer in read.answers:
        found.append(_marked(task, answer, rules))
        if found[-1].verdict == "right":
            return found[-1]
    return max(found, key=lambda marking: (marking.verdict == "right", marking.earned))


def _marked(task: Task, answer: Answer, rules: Rules) -> Marking:
    try:
        return mark(task, answer, rules)
    except NotGradable as error:
        return not_gradable(task, error, rules, answer)


def _no_match(lines: Sequence[tuple[int, int]]) -> NotGradable:
    """That none of the rows can be told to be about a problem."""
    where = ", ".join(f"{first}" if first == last else f"{first} to {last}" for first, last in lines[:5])
    return NotGradable(
        "no part of this answer can be told to be about this problem",
        label=f"what stands on lines {where} fits none of the problems" if lines else "",
        help="head each part by the label of its problem",
    )


def not_gradable(task: Task, error: AdcliError, rules: Rules, answer: Answer | None = None) -> Marking:
    """The marking of an answer that cannot be marked, for the reason given; the task is worth what it always is."""
    nothing = Fraction(0)
    most = unanswered(task, rules).possible if task.asks_formulas else possible(task, rules)
    return Marking(task, answer, "not_gradable", (), None, nothing, nothing, most, error)


def total(markings: Sequence[Marking]) -> tuple[Fraction, Fraction, Fraction]:
    """What several markings earn, with and without carry, of what is possible."""
    nothing = Fraction(0)
    return (
        sum((marking.earned for marking in markings), nothing),
        sum((marking.alone for marking in markings), nothing),
        sum((marking.possible for marking in markings), nothing),
    )
