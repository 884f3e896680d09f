"""The reading report of an answer, before it is marked: its rows with quantity, formula and number, and lines that
are not rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from ...answers.answer_model import DERIVATIVE, Entry, Task, Unread
from ...documents import STRING, WHOLE, const, record
from ...errors import Span, sentence, visible
from ...marking.assessing import ReadAs
from ...marking.judging.uncreditable_rows import is_read
from ...marking.model import row_name
from ...marking.task import task_text
from ...notation.table_formulas import write_partial
from ...records import NamedTuple
from ...typings import Final
from ..document_parts import Code, Heading, Paragraph, Part, Table
from ..marks import line_of

_HEADER = ("line", "answer", "quantity", "formula", "number")
_NOTHING = "nothing in the answer is read as being about this problem"


class ReadRow(NamedTuple):
    """A row as it was read.

    line      the number of the student's line, `text` the line
    quantity  the quantity that it is about, `kind` its kind
    formula   the formula as typed, `number` the number; None if there is none
    not_read  why parts of it were not read, one text for each part
    """

    line: int
    text: str
    quantity: str
    kind: str
    formula: str | None
    number: str | None
    not_read: list[str]


class OmittedLine(NamedTuple):
    """A line of the answer that is not a row, or, if it `is_part`, a part of a line, and why it is not one."""

    line: int
    text: str
    why: str
    is_part: bool = False


def rows(read: ReadAs) -> list[ReadRow]:
    """Return the rows of the likeliest reading of an answer, by line and position; [] if the answer has no reading."""
    return [_read_row(entry) for entry in sorted(_judged(read), key=lambda entry: (entry.line, entry.span.start))]


def _judged(read: ReadAs) -> list[Entry]:
    """Return the rows that are judged: without those of which nothing was read if their quantity has another row."""
    entries = read.answers[0].entries if read.answers else ()
    known = {entry.quantity for entry in entries if is_read(entry)}
    return [entry for entry in entries if is_read(entry) or not entry.pieces or entry.quantity not in known]


def _read_row(entry: Entry) -> ReadRow:
    """Return an entry as a ReadRow.

    The first fields are the entry's line number and the text of that line. `formula` is all formulas of the entry as
    typed, joined by ` = `, None if it has no formula. `number` is the last of its numbers as typed, without signs of a
    sentence behind it, None if it has no number. `not_read` has the titles of the problems of its unread pieces.
    `quantity` is written ∂y/∂x for a derivative with a key.
    """
    kind, name, key = entry.quantity
    formulas = [piece.span.text.strip() for piece in entry.pieces if piece.graph is not None]
    unread = [piece.problem.title for piece in entry.pieces if piece.problem is not None]
    numbers = [piece.span.text.strip(" .,:;") for piece in entry.pieces if piece.number is not None]
    quantity = str(write_partial(name, key)) if kind == DERIVATIVE and key else row_name(kind, name, key, bool(key))
    formula, number = " = ".join(formulas) or None, numbers[-1] if numbers else None
    return ReadRow(entry.line, line_of(entry.span)[1], quantity, kind, formula, number, unread)


def omitted_lines(read: ReadAs) -> list[OmittedLine]:
    """Return the lines that carry no marks or could not be read, each once for a reason, sorted by line.

    They are those of `read.answers[0]`, the likeliest reading; [] if there is no reading. A line that has a row, or
    several reasons, has the texts of its parts.
    """
    if not read.answers:
        return []
    answer, judged = read.answers[0], _judged(read)
    omitted = [(each.span, each.why) for each in answer.left_out]
    omitted += [(each.span, each.problem.title) for each in (*answer.unread, *_unread_rows(answer.entries, judged))]
    reasons = Counter(line for line, _ in {(line_of(span)[0], why) for span, why in omitted})
    parts = {entry.line for entry in judged}.union(line for line, count in reasons.items() if count > 1)
    lines = (_omitted_line(span, why, parts) for span, why in omitted)
    return sorted(dict.fromkeys(lines), key=lambda each: each.line)


def _unread_rows(entries: Sequence[Entry], judged: Sequence[Entry]) -> list[Unread]:
    """Return the rows that are not `judged` as unread lines with the first problem of their pieces."""
    rows = ((entry, piece.problem) for entry in entries if entry not in judged for piece in entry.pieces[:1])
    return [Unread(entry.place, problem) for entry, problem in rows if problem is not None]


def _omitted_line(span: Span, why: str, parts: Collection[int]) -> OmittedLine:
    """Return the line of a span, or only its text if the number of the line is in `parts`."""
    line, text = line_of(span)
    is_part = line in parts
    return OmittedLine(line, " ".join(span.text.split()) if is_part else text, why, is_part)


def notes(read: ReadAs) -> list[str]:
    """Return the sentences on what was assumed in the likeliest reading; [] if the answer has no reading."""
    return list(read.answers[0].notes) if read.answers else []


class _TaskReading(NamedTuple):
    """A task, and the reading of the answer to it."""

    task: Task
    read: ReadAs


READ: Final = record(
    schema=const("check/1"),
    problem=STRING.of(lambda reading: reading.task.label or task_text(reading.task)),
    read_as=record(
        line=WHOLE,
        text=STRING,
        quantity=STRING,
        kind=STRING,
        formula=STRING.or_null,
        number=STRING.or_null,
        not_read=STRING.array,
    ).array.of(lambda reading: rows(reading.read)),
    left_out=record(line=WHOLE, text=STRING, why=STRING).array.of(lambda reading: omitted_lines(reading.read)),
    notes=STRING.array.of(lambda reading: notes(reading.read)),
    error=STRING.or_null.of(lambda reading: reading.read.problem and reading.read.problem.title),
)


def data(tasks: Sequence[Task], readings: Sequence[ReadAs]) -> list[dict[str, object]]:
    """Return one document for each task, schema `check/1` without verdicts.

    `readings` holds the reading of each task.
    """
    return [READ.data(_TaskReading(*each)) for each in zip(tasks, readings, strict=True)]


def _heading(task: Task) -> str:
    """Return `label: problem` with its data; the problem alone without a label."""
    return (f"{task.label}: " if task.label else "") + task_text(task, with_data=True)


def document(tasks: Sequence[Task], readings: Sequence[ReadAs], title: str = "") -> list[Part]:
    """Return how an answer is interpreted, for each of `tasks`, as parts of a document; `title` is omitted if empty.

    A task has a heading, the problem that stops marking (if there is one), the assumptions, the table of rows (line,
    answer, quantity, formula, number) of the likeliest reading, and the lines that are left out. If it has neither rows
    nor problem, a sentence says that nothing is read as being about it. `readings` has the interpretation of each task.
    """
    parts: list[Part] = [Heading(title, 1)] if title else []
    for task, read in zip(tasks, readings, strict=True):
        parts.append(Heading(_heading(task)))
        if read.problem is not None:
            parts.append(Paragraph(sentence(read.problem.title)))
        parts += [Paragraph(sentence(note)) for note in notes(read)]
        cells = ((str(row.line), row) for row in rows(read))
        table = [(line, Code(row.text), Code(row.quantity), *_row_cells(row)) for line, row in cells]
        if table:
            parts.append(Table(table, _HEADER, right=(0,)))
        elif read.problem is None:
            parts.append(Paragraph(sentence(_NOTHING)))
        parts += [Paragraph(_omission_sentence(each)) for each in omitted_lines(read)]
    return parts


def _row_cells(row: ReadRow) -> tuple[str, str]:
    """Return (formula, number) of a row as cells; the number is empty if it has none. Instead of a missing formula the
    first cell has the reasons why parts of the row were not read, if there are any.
    """
    return Code(row.formula or "; ".join(row.not_read)), Code(row.number or "")


def _omission_sentence(each: OmittedLine) -> str:
    """Return `line 3 is left out: reason` for a line that is left out, `a part of line 3 …` for a part."""
    return f"{'a part of ' * each.is_part}line {each.line} is left out: {each.why}"


def plain(tasks: Sequence[Task], readings: Sequence[ReadAs]) -> str:
    """Return how an answer is interpreted, for each of `tasks`, as text; `readings` has the interpretation of each.

    A task has `label: problem` or the problem alone and an empty line, assumptions after `= `, `not gradable: …` (if it
    is not), its rows, and what is left out, with the reason and the text. A row is `line | text | quantity, formula …,
    number …` in aligned columns; texts beyond 60 columns are not cut. A row without formula has the reasons there why
    its parts were not read, or nothing; a row without number has nothing there. If a task has neither rows nor problem,
    a sentence says that nothing is read as being about it. Every line ends with a line break; an empty line separates
    tasks.
    """
    out: list[str] = []
    for task, read in zip(tasks, readings, strict=True):
        out += [""] if out else []
        out += [_heading(task), ""]
        out += [f"= {note}" for note in notes(read)]
        if read.problem is not None:
            out.append(f"not gradable: {read.problem.title}")
        read_rows = rows(read)
        width = max((len(row.text.strip()) for row in read_rows), default=0)
        name = max((len(row.quantity) for row in read_rows), default=0)
        for row in read_rows:
            formula, number = _row_cells(row)
            parts = [f"{row.quantity.ljust(name)}", *([f"formula {formula}"] if formula else [])]
            parts += [f"number {number}"] if number else []
            out.append(f"{row.line:>4} | {row.text.strip().ljust(min(width, 60))} | {', '.join(parts)}")
        if not read_rows and read.problem is None:
            out.append(_NOTHING)
        out += [f"{_omission_sentence(each)}: {each.text.strip()}" for each in omitted_lines(read)]
    return "".join(visible(line).rstrip() + "\n" for line in out)
