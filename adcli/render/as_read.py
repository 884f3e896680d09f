"""How an answer was read, before anybody judges it: its rows with quantity, formula and number, and what is none."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import Span, sentence, visible
from ..marking.assessing import ReadAs
from ..marking.model import DERIVATIVE, Entry, Task, row_name
from ..marking.task import task_text
from ..notation.written import partial
from .cells import AnyText, Code, Heading, Paragraph, Part, Table

_HEADER = ("line", "answer", "quantity", "formula", "number")
_NOTHING = "nothing in the answer is read as being about this problem"


def rows(read: ReadAs) -> list[dict[str, object]]:
    """The rows of the likeliest reading, each with the student's own text."""
    entries = read.answers[0].entries if read.answers else ()
    return [_row(entry) for entry in sorted(entries, key=lambda entry: (entry.line, entry.span.start))]


def _row(entry: Entry) -> dict[str, object]:
    kind, name, key = entry.quantity
    formulas = [piece.span.text.strip() for piece in entry.pieces if piece.graph is not None]
    unread = [piece.problem.title for piece in entry.pieces if piece.problem is not None]
    numbers = [piece.span.text.strip() for piece in entry.pieces if piece.number is not None]
    return {
        "line": entry.line,
        "text": _line(entry.span),
        "quantity": str(partial(name, key)) if kind == DERIVATIVE and key else row_name(kind, name, key, bool(key)),
        "kind": kind,
        "formula": " = ".join(formulas) or None,
        "number": numbers[-1] if numbers else None,
        "not_read": unread,
    }


def left_out(read: ReadAs) -> list[dict[str, object]]:
    """What of the likeliest reading is no row, and why."""
    if not read.answers:
        return []
    answer = read.answers[0]
    found = [(each.span, each.why) for each in answer.left_out]
    found += [(each.span, each.problem.title) for each in answer.unread]
    return [{"line": _number(span), "text": _line(span), "why": why} for span, why in sorted(found, key=_place)]


def _place(found: tuple[Span, str]) -> int:
    return _number(found[0])


def _number(span: Span) -> int:
    return span.source.position(span.start)[0]


def _line(span: Span) -> str:
    """The student's own line."""
    source = span.source
    return source.shown.split("\n")[_number(span) - source.first_line]


def as_dict(task: Task, read: ReadAs) -> dict[str, object]:
    """The reading as data, schema `check/1` without verdicts."""
    return {
        "schema": "check/1",
        "problem": task.label or task_text(task),
        "read_as": rows(read),
        "left_out": left_out(read),
        "notes": notes(read),
        "error": None if read.problem is None else read.problem.title,
    }


def notes(read: ReadAs) -> list[str]:
    """What was assumed."""
    return list(read.answers[0].notes) if read.answers else []


def document(tasks: Sequence[Task], found: Sequence[ReadAs], title: str = "") -> list[Part]:
    """The readings of an answer as parts of a document."""
    parts: list[Part] = [Heading(AnyText(title), 1)] if title else []
    for task, read in zip(tasks, found, strict=True):
        parts.append(Heading(AnyText(f"{task.label}: {task_text(task)}" if task.label else task_text(task))))
        if read.problem is not None:
            parts.append(Paragraph(AnyText(sentence(read.problem.title))))
        parts += [Paragraph(AnyText(sentence(note))) for note in notes(read)]
        table: list[tuple[str, ...]] = [
            (AnyText(str(row["line"])), Code(str(row["text"])), Code(str(row["quantity"])), *_pieces(row))
            for row in rows(read)
        ]
        if table:
            parts.append(Table(table, _HEADER, right=(0,)))
        elif read.problem is None:
            parts.append(Paragraph(AnyText(sentence(_NOTHING))))
        parts += [Paragraph(AnyText(_omitted(each))) for each in left_out(read)]
    return parts


def _pieces(row: dict[str, object]) -> tuple[str, str]:
    unread = row["not_read"]
    formula = row["formula"] or ("; ".join(map(str, unread)) if isinstance(unread, list) else "")
    return Code(str(formula or "")), Code(str(row["number"] or ""))


def _omitted(each: dict[str, object]) -> str:
    return f"line {each['line']} is left out: {each['why']}"


def plain(tasks: Sequence[Task], found: Sequence[ReadAs]) -> str:
    """The readings as lines of text: line, quantity, formula and number, and beneath what was left out."""
    out: list[str] = []
    for task, read in zip(tasks, found, strict=True):
        out += [""] if out else []
        out += [f"{task.label}: {task_text(task)}" if task.label else task_text(task), ""]
        out += [f"= {note}" for note in notes(read)]
        if read.problem is not None:
            out.append(f"not gradable: {read.problem.title}")
        own = rows(read)
        width = max((len(str(row["text"]).strip()) for row in own), default=0)
        name = max((len(str(row["quantity"])) for row in own), default=0)
        for row in own:
            formula, number = _pieces(row)
            said = [f"{str(row['quantity']).ljust(name)}", *([f"formula {formula}"] if formula else [])]
            said += [f"number {number}"] if number else []
            out.append(f"{row['line']:>4} | {str(row['text']).strip().ljust(min(width, 60))} | {', '.join(said)}")
        if not own and read.problem is None:
            out.append(_NOTHING)
        out += [f"{_omitted(each)}: {str(each['text']).strip()}" for each in left_out(read)]
    return "".join(visible(line).rstrip() + "\n" for line in out)
