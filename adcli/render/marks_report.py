"""A marked answer as a document, in whatever format."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import AdcliError, sentence
from ..marking.assessing import total
from ..marking.model import Marking
from .document_parts import AnyText, Code, Heading, Judgement, Marked, Paragraph, Part, Runs, Strong, Table
from .marks import (
    HEADLINE_TONES,
    SIGNS,
    TONES,
    WORDS,
    MarkedLine,
    heading,
    lines,
    missing,
    remarks,
    score,
    summary,
    underlined,
    worst,
)

_HEADER = ("line", "answer", "mark", "remarks")


def report(markings: Sequence[Marking], title: str = "", problem: AdcliError | None = None) -> list[Part]:
    """All markings; the title is optional, `problem` says why there are no markings."""
    several = len(markings) > 1
    found: list[Part] = [Heading(AnyText(title), 1)] if title else []
    if problem is not None:
        found += _spoken(Strong(f"Not gradable: {problem.title}", "bad"), problem)
    if several:
        found.append(Paragraph(Strong(f"Total: {score(*total(markings)[::2])}")))
    for place, marking in enumerate(markings, 1):
        found.append(Heading(AnyText(heading(marking, place if several else None))))
        found += _spoken(Strong(summary(marking), HEADLINE_TONES[marking.verdict]), marking.problem)
        found += [Paragraph(AnyText(sentence(note))) for note in _assumed(marking)]
        table = _table(marking)
        found += [table] if table.rows else []
    return found


def _assumed(marking: Marking) -> tuple[str, ...]:
    """What was assumed in reading the answer."""
    return () if marking.answer is None else marking.answer.notes


def _spoken(verdict: Strong, problem: AdcliError | None) -> list[Part]:
    return [Paragraph(verdict), *([Paragraph(AnyText(problem.help))] if problem is not None and problem.help else [])]


def _table(marking: Marking) -> Table:
    rows: list[tuple[str, ...]] = []
    lit = None
    for line in lines(marking):
        lit = len(rows) if marking.first in line.marks else lit
        verdict = worst([marking.marks[index] for index in line.marks]).verdict if line.marks else ""
        number = AnyText(str(line.number)) if line.number else ""
        rows.append((number, _pointed(marking, line), _verdict(verdict), _remarked(marking, line.marks)))
    for index in missing(marking):
        lit = len(rows) if marking.first == index else lit
        row = Code(marking.marks[index].row)
        rows.append(("", row, _verdict("missing"), _remarked(marking, [index])))
    return Table(rows, _HEADER, right=(0,), lit=lit)


def _verdict(verdict: str) -> str:
    return Judgement(SIGNS[verdict], WORDS[verdict], TONES[verdict]) if verdict else ""


def _remarked(marking: Marking, marks: Sequence[int]) -> AnyText:
    return AnyText("; ".join(said for index in marks for said in remarks(marking, index)))


def _pointed(marking: Marking, line: MarkedLine) -> Runs:
    """The line with the places that remarks are about marked; of places that overlap the first one."""
    out: list[str] = []
    done = 0
    spans = []
    for index in line.marks:
        mark = marking.marks[index]
        if mark.span is not None and underlined(marking, index):
            start = mark.span.source.position(mark.span.start)[1] - 1
            spans.append((start, min(start + mark.span.end - mark.span.start, len(line.text)), TONES[mark.verdict]))
    for start, end, tone in sorted(spans):
        if start >= done:
            out += [Code(line.text[done:start]), Marked(line.text[start:end], tone)]
            done = end
    return Runs(*out, Code(line.text[done:]))
