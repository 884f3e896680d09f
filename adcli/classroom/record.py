"""The record of a marking as plain data, and back: what workers send and what an interrupted run reads again."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TypedDict

from ..errors import AdcliError, Source, Span
from ..marking.model import Answer, LeftOut, Mark, Marking, NotGradable, QuantityMark, Task

Place = tuple[int, int, int, str]  # the line, the column, the length and the text of the line that is underlined


class MarkRecord(TypedDict):
    """A mark as plain data; its fields are those of Mark, fractions as texts."""

    row: str
    kind: str
    verdict: str
    formula: str
    number: str
    feedback: str
    expected: str
    key: str
    slips: list[str]
    earned: str
    alone: str
    place: Place | None


QuantityRecord = tuple[str, list[int], str, str, str, str, str]  # the fields of a mark of a quantity


class MarkingRecord(TypedDict):
    """A marking without its task; `answer` is the form, the lines, the section, what was assumed, and what is left
    out with its place."""

    verdict: str
    first: int | None
    earned: str
    alone: str
    possible: str
    answer: tuple[str, list[str], str | None, list[str], list[tuple[Place, str]]] | None
    marks: list[MarkRecord]
    quantities: list[QuantityRecord]
    problem: list[str] | None


def as_data(marking: Marking) -> MarkingRecord:
    """Return all that is shown of a marking as plain data, without the task and what was read but is not shown."""
    answer = marking.answer
    return {
        "verdict": marking.verdict,
        "first": marking.first,
        "earned": str(marking.earned),
        "alone": str(marking.alone),
        "possible": str(marking.possible),
        "answer": None if answer is None else _answer_data(answer),
        "marks": [_mark_data(mark) for mark in marking.marks],
        "quantities": [
            (q.quantity, list(q.rows), q.verdict, str(q.earned), str(q.alone), str(q.possible), q.written)
            for q in marking.quantities
        ],
        "problem": problem_data(marking.problem),
    }


def from_data(data: MarkingRecord, task: Task) -> Marking:
    """Return the marking of a task from the data of `as_data`."""
    answer = data["answer"]
    return Marking(
        task,
        None if answer is None else _answer(*answer),
        data["verdict"],
        tuple(_mark(item) for item in data["marks"]),
        data["first"],
        Fraction(data["earned"]),
        Fraction(data["alone"]),
        Fraction(data["possible"]),
        None if data["problem"] is None else problem_from(data["problem"]),
        tuple(
            QuantityMark(name, tuple(rows), verdict, Fraction(earned), Fraction(alone), Fraction(possible), written)
            for name, rows, verdict, earned, alone, possible, written in data["quantities"]
        ),
    )


def _answer_data(answer: Answer) -> tuple[str, list[str], str | None, list[str], list[tuple[Place, str]]]:
    left_out = [(_place(each.span), each.why) for each in answer.left_out]
    return answer.form, list(answer.lines), answer.section, list(answer.notes), left_out


def _answer(
    form: str, lines: Sequence[str], section: str | None, notes: Sequence[str], left_out: Sequence[tuple[Place, str]]
) -> Answer:
    omitted = tuple(LeftOut(_span(place), why) for place, why in left_out)
    return Answer(form, tuple(lines), (), (), section, omitted, tuple(notes))


def _place(span: Span) -> Place:
    source = span.source
    line, column = source.position(span.start)
    return line, column, span.end - span.start, source.shown.split("\n")[line - source.first_line]


def _span(place: Place) -> Span:
    line, column, length, shown = place
    start = column - 1
    return Span(start, min(start + length, max(len(shown), start)), Source(shown, None, line))


def problem_data(problem: AdcliError | None) -> list[str] | None:
    """Return title, label and help of a problem; None without one."""
    return None if problem is None else [problem.title, problem.label, problem.help]


def problem_from(data: Sequence[str]) -> AdcliError:
    """Return the problem from the data of `problem_data`."""
    title, label, advice = data
    return NotGradable(title, label=label, help=advice)


def _mark_data(mark: Mark) -> MarkRecord:
    """Return a mark as plain data."""
    return {
        "row": mark.row,
        "kind": mark.kind,
        "verdict": mark.verdict,
        "formula": mark.formula,
        "number": mark.number,
        "feedback": mark.feedback,
        "expected": mark.expected,
        "key": mark.key,
        "slips": list(mark.slips),
        "earned": str(mark.earned),
        "alone": str(mark.alone),
        "place": None if mark.span is None else _place(mark.span),
    }


def _mark(data: MarkRecord) -> Mark:
    """Return the mark from the data of `_mark_data`."""
    return Mark(
        data["row"],
        data["kind"],
        data["verdict"],
        None if data["place"] is None else _span(data["place"]),
        tuple(data["slips"]),
        data["formula"],
        data["number"],
        data["feedback"],
        Fraction(data["earned"]),
        Fraction(data["alone"]),
        data["expected"],
        data["key"],
    )
