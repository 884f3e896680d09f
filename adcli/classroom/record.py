"""Markings as plain data and back: what workers send and what an interrupted run finds again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from ..errors import AdcliError, Source, Span
from ..marking.model import Answer, Mark, Marking, NotGradable, Task

_TEXTS = ("row", "kind", "verdict", "formula", "number", "feedback", "expected", "key")


def as_data(marking: Marking) -> dict[str, Any]:
    """All that is shown of a marking, without the task and without what was read but is not shown."""
    answer = marking.answer
    return {
        "verdict": marking.verdict,
        "first": marking.first,
        "earned": str(marking.earned),
        "alone": str(marking.alone),
        "possible": str(marking.possible),
        "answer": None if answer is None else [answer.form, list(answer.lines), answer.section],
        "marks": [_mark_data(mark) for mark in marking.marks],
        "problem": problem_data(marking.problem),
    }


def from_data(data: Mapping[str, Any], task: Task) -> Marking:
    """The marking of a task that `as_data` told."""
    answer = data["answer"]
    return Marking(
        task,
        None if answer is None else Answer(answer[0], tuple(answer[1]), (), (), answer[2]),
        data["verdict"],
        tuple(_mark(item) for item in data["marks"]),
        data["first"],
        Fraction(data["earned"]),
        Fraction(data["alone"]),
        Fraction(data["possible"]),
        None if data["problem"] is None else problem_from(data["problem"]),
    )


def problem_data(problem: AdcliError | None) -> list[str] | None:
    """Why something is not gradable, as plain data."""
    return None if problem is None else [problem.title, problem.label, problem.help]


def problem_from(data: Sequence[str]) -> AdcliError:
    """The problem that `problem_data` told."""
    title, label, advice = data
    return NotGradable(title, label=label, help=advice)


def _mark_data(mark: Mark) -> dict[str, Any]:
    data: dict[str, Any] = {name: getattr(mark, name) for name in _TEXTS}
    data |= {"slips": list(mark.slips), "earned": str(mark.earned), "alone": str(mark.alone), "place": None}
    if mark.span is not None:
        source = mark.span.source
        line, column = source.position(mark.span.start)
        shown = source.shown.split("\n")[line - source.first_line]
        data["place"] = [line, column, mark.span.end - mark.span.start, shown]
    return data


def _mark(data: Mapping[str, Any]) -> Mark:
    span = None
    if data["place"] is not None:
        line, column, length, shown = data["place"]
        start = column - 1
        span = Span(start, min(start + length, max(len(shown), start)), Source(shown, None, line))
    texts = {name: data[name] for name in _TEXTS}
    return Mark(
        **texts,
        span=span,
        slips=tuple(data["slips"]),
        earned=Fraction(data["earned"]),
        alone=Fraction(data["alone"]),
    )
