"""One answer against all the problems that it is about."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..errors import AdcliError
from .judging import mark
from .model import Answer, Marking, NotGradable, Rules, Task
from .reading import read_answer
from .reading.patterns import pattern

_WORDS = pattern(r"(?:problem|exercise|question|task|part|number|no)\b[\s.:#]*")
_BLANKS = pattern(r"[\s.:()\[\]#]+")


def assess(data: bytes, name: str, tasks: Sequence[Task], rules: Rules, decimal: str = "point") -> tuple[Marking, ...]:
    """The markings of an answer, one for each task, in the order of the tasks.

    Sections of the answer go with the tasks of their labels, the others in the order in which they stand.  What cannot
    be marked is a marking with the verdict not_gradable and the reason.
    """
    formulas: dict[int, Marking] = {}
    if any(task.asks_formulas for task in tasks):
        from .derivations.parts import assessed  # few homeworks ask for formulas

        formulas = assessed(data, name, tasks, rules)
        if len(formulas) == len(tasks):
            return tuple(formulas.values())
    graphs = [task.program.graph for task in tasks]
    inputs = dict.fromkeys(name for graph in graphs for name in graph.inputs.values())
    outputs = dict.fromkeys(name for graph in graphs for name, _ in graph.outputs)
    try:
        sections = read_answer(data, name=name, inputs=inputs, outputs=outputs, decimal=decimal)
    except NotGradable as error:
        return tuple(formulas.get(place) or not_gradable(task, error) for place, task in enumerate(tasks))
    return tuple(
        formulas.get(place) or _marked(task, answer, rules)
        for place, (task, answer) in enumerate(zip(tasks, matched(tasks, sections), strict=True))
    )


def unanswered(task: Task, rules: Rules) -> Marking:
    """The marking of a task that nothing was written about."""
    if task.asks_formulas:
        from .derivations.verdicts import missing_formulas  # few homeworks ask for formulas

        return missing_formulas(task, rules)
    return _marked(task, Answer("text", (), ()), rules)


def _marked(task: Task, answer: Answer, rules: Rules) -> Marking:
    try:
        return mark(task, answer, rules)
    except NotGradable as error:
        return not_gradable(task, error, answer)


def not_gradable(task: Task, error: AdcliError, answer: Answer | None = None) -> Marking:
    """The marking of an answer that cannot be marked, for the reason given."""
    nothing = Fraction(0)
    return Marking(task, answer, "not_gradable", (), None, nothing, nothing, task.points or nothing, error)


def total(markings: Sequence[Marking]) -> tuple[Fraction, Fraction, Fraction]:
    """What several markings earn, with and without carry, of what is possible."""
    nothing = Fraction(0)
    return (
        sum((marking.earned for marking in markings), nothing),
        sum((marking.alone for marking in markings), nothing),
        sum((marking.possible for marking in markings), nothing),
    )


def matched(tasks: Sequence[Task], sections: Sequence[Answer]) -> list[Answer]:
    """The part of an answer that is about each task; an answer without rows where there is none.

    With a single task all parts are about it, whatever their headings say.
    """
    if len(tasks) == 1:
        return [_joined(sections)]
    found: list[list[Answer]] = [[] for _ in tasks]
    names = [{_plain(task.label or ""), str(number)} - {""} for number, task in enumerate(tasks, 1)]
    labelled = [_plain(task.label) for task in tasks if task.label]
    rest = []
    for section in sections:
        title = _plain(section.section or "")
        own = [k for k, task in enumerate(tasks) if task.label and _plain(task.label) == title]
        own = own or [k for k, known in enumerate(names) if title in known and title not in labelled]
        if own:
            found[own[0]].append(section)
        else:
            rest.append(section)
    empty = [k for k, parts in enumerate(found) if not parts]
    for k, section in zip(empty, rest, strict=False):
        found[k].append(section)
    return [_joined(parts) for parts in found]


def _plain(label: str) -> str:
    """A label without the words and signs that people put around it: `Problem 2:` is 2."""
    return _BLANKS.sub(" ", _WORDS.sub("", _BLANKS.sub(" ", label.casefold()).strip())).strip()


def _joined(parts: Sequence[Answer]) -> Answer:
    if not parts:
        return Answer("text", (), ())
    if len(parts) == 1:
        return parts[0]
    return Answer(
        parts[0].form,
        max((part.lines for part in parts), key=len),
        tuple(entry for part in parts for entry in part.entries),
        tuple(line for part in parts for line in part.unread),
        parts[0].section,
    )
