"""Report of marks: a marked answer as a document, in any format."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import AdcliError, sentence
from ..marking.assessing import total
from ..marking.model import Marking
from . import marks as answer_marks
from .document_parts import AnyText, Code, Heading, Judgement, Marked, Paragraph, Part, Runs, Strong, Table

_HEADER = ("line", "answer", "marks", "remarks")


def report(markings: Sequence[Marking], title: str = "", problem: AdcliError | None = None) -> list[Part]:
    """Return all markings as parts of a document, with a total if there are several; the title is left out if empty.

    `problem` is the reason if the answer could not be marked at all.
    """
    several = len(markings) > 1
    parts: list[Part] = [Heading(AnyText(title), 1)] if title else []
    if problem is not None:
        parts += _verdict_paragraphs(Strong(f"Not gradable: {problem.title}", "bad"), problem)
    if several:
        parts.append(Paragraph(Strong(f"Total: {answer_marks.score(*total(markings)[::2])}")))
    for place, marking in enumerate(markings, 1):
        parts.append(Heading(AnyText(answer_marks.heading(marking, place if several else None))))
        headline = Strong(answer_marks.summary(marking), answer_marks.HEADLINE_TONES[marking.verdict])
        parts += _verdict_paragraphs(headline, marking.problem)
        parts += [Paragraph(AnyText(sentence(note))) for note in _assumptions(marking)]
        table = _marks_table(marking)
        parts += [table] if table.rows else []
        parts += [Paragraph(AnyText(text)) for text in answer_marks.explanations(marking)]
        parts += [Paragraph(AnyText(sentence(line))) for line in answer_marks.not_counted(marking)]
    return parts


def _assumptions(marking: Marking) -> tuple[str, ...]:
    """Return the assumptions made in reading the answer."""
    return () if marking.answer is None else marking.answer.notes


def _verdict_paragraphs(verdict: Strong, problem: AdcliError | None) -> list[Part]:
    """Return the verdict as a paragraph, and the help of the problem if it has one."""
    return [Paragraph(verdict), *([Paragraph(AnyText(problem.help))] if problem is not None and problem.help else [])]


def _marks_table(marking: Marking) -> Table:
    """Return the table of lines with mark and remarks, then of the missing rows; the row of the first error is
    highlighted."""
    rows: list[tuple[str, ...]] = []
    lit = None
    for line in answer_marks.lines(marking):
        lit = len(rows) if marking.first in line.marks else lit
        verdict = answer_marks.worst([marking.marks[index] for index in line.marks]).verdict if line.marks else ""
        number = AnyText(str(line.number)) if line.number else ""
        cell = _verdict_cell(verdict, answer_marks.line_score(marking, line.marks))
        rows.append((number, _underline(marking, line), cell, _remarks_cell(marking, line.marks)))
    for index in answer_marks.missing(marking):
        lit = len(rows) if marking.first == index else lit
        first, *rest = answer_marks.comments(marking, index)
        cell = _verdict_cell("missing", answer_marks.line_score(marking, [index]))
        rows.append(("", AnyText(first), cell, AnyText("; ".join(rest))))
    return Table(rows, _HEADER, right=(0,), lit=lit, remarks=True)


def _verdict_cell(verdict: str, score: str) -> str:
    if not verdict:
        return ""
    return Judgement(answer_marks.SIGNS[verdict], answer_marks.WORDS[verdict], answer_marks.TONES[verdict], score)


def _remarks_cell(marking: Marking, marks: Sequence[int]) -> AnyText:
    return AnyText("; ".join(remark for index in marks for remark in answer_marks.comments(marking, index)))


def _underline(marking: Marking, line: answer_marks.MarkedLine) -> Runs:
    """Return the line with the places marked that remarks are about; of overlapping places the first one."""
    out: list[str] = []
    done = 0
    spans = []
    for index in line.marks:
        mark = marking.marks[index]
        if mark.span is not None and answer_marks.underlined(marking, index):
            start = mark.span.source.position(mark.span.start)[1] - 1
            end = min(start + mark.span.end - mark.span.start, len(line.text))
            spans.append((start, end, answer_marks.TONES[mark.verdict]))
    for start, end, tone in sorted(spans):
        if start >= done:
            out += [Code(line.text[done:start]), Marked(line.text[start:end], tone)]
            done = end
    return Runs(*out, Code(line.text[done:]))
