"""Report of marks: a marked answer as a document, in any format, and as plain data (schema `check/1`). A mark is the
verdict on one row of the answer.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...answers.answer_model import BAR, DERIVATIVE, DOT, Entry, Quantity
from ...documents import FRACTION, STRING, WHOLE, Record, const, either, one, record
from ...errors import AdcliError, sentence
from ...marking.model import Marking, total
from ...notation.display_formula import Formula
from ...notation.formula import TEXT, Leaf, render
from ...notation.number_text import Digits
from ...notation.table_formulas import join, numeral, unfold, write_adjoint, write_name, write_partial, write_tangent
from ...trace.trace_program import program_line
from ...typings import Final
from .. import marks as answer_marks
from ..document_parts import Code, Heading, Judgement, Marked, Paragraph, Part, Runs, Strong, Table
from ..trace_tables import problem_heading
from .reading_report import READ

_ALL_DIGITS = 17  # of a double
_HEADER = ("line", "answer", "marks", "remarks")


def report(markings: Sequence[Marking], title: str = "", problem: AdcliError | None = None) -> list[Part]:
    """Return all markings as parts of a document.

    The parts are `title` as heading (left out if empty), why the answer could not be marked (`problem`, None if it
    could), the total if there are several markings, then each marking. A marking has a heading (number or label,
    formula and point of the problem), its headline (with the help of its problem), assumptions, the table of lines
    (left out if empty), and explanations. The explanations say what each quantity is worth only if the table is empty.
    """
    several = len(markings) > 1
    parts: list[Part] = [Heading(title, 1)] if title else []
    if problem is not None:
        parts += _verdict_paragraphs(Strong(f"Not gradable: {problem.title}", "bad"), problem)
    if several:
        parts.append(Paragraph(Strong(f"Total: {answer_marks.score(*total(markings)[::2])}")))
    for place, marking in enumerate(markings, 1):
        name, task = answer_marks.problem_name(marking, place if several else None), marking.task
        digits = Digits(significant=_ALL_DIGITS)
        if task.arrays is None:
            head = problem_heading(name, program_line(task.program), task.program.graph, task.at, digits)
        else:  # its graph has the entries
            from ..array_tables import problem_heading as array_heading  # few answers have arrays

            head = array_heading(name, program_line(task.program), task.arrays, task.at, digits)
        parts.append(Heading(head))
        headline = Strong(answer_marks.summary(marking), answer_marks.HEADLINE_TONES[marking.verdict])
        parts += _verdict_paragraphs(headline, marking.problem)
        parts += [Paragraph(sentence(note)) for note in answer_marks.assumptions(marking)]
        table = _marks_table(marking)
        parts += [table] if table.rows else []
        parts += [Paragraph(text) for text in answer_marks.explanations(marking, worth=not table.rows)]
    return parts


def _verdict_paragraphs(verdict: Strong, problem: AdcliError | None) -> list[Part]:
    """Return the verdict as a paragraph, and the help of the problem if it has one."""
    return [Paragraph(verdict), *([Paragraph(problem.help)] if problem is not None and problem.help else [])]


def _marks_table(marking: Marking) -> Table:
    """Return the table (line, answer, marks, remarks) of the shown lines, then of the missing rows, which have no line.

    The cell of marks has the sign of the line's worst mark and its score, or the verdict's words if no quantity is
    counted on the line; it is empty for a line without marks. A gap in the answer has no line number. Remarks are those
    of `comments_by_line`, joined by semicolons, then those on parts that are not counted. For a missing row the first
    remark is in the column of the answer, the others in that of remarks. `lit` is the row of the first error (None if
    there is no error).
    """
    rows: list[tuple[str, ...]] = []
    lit = None
    shown = answer_marks.lines(marking)
    by_index = answer_marks.comments_by_line(marking, shown)
    for line in shown:
        lit = len(rows) if marking.first in line.marks else lit
        verdict = answer_marks.worst_mark([marking.marks[index] for index in line.marks]).verdict if line.marks else ""
        number = str(line.number) if line.number else ""
        cell = _verdict_cell(verdict, answer_marks.line_score(marking, line.marks))
        remarks = [*(each for index in line.marks for each in by_index[index]), *line.uncounted]
        rows.append((number, _student_line(marking, line), cell, "; ".join(remarks)))
    for index in answer_marks.missing(marking):
        lit = len(rows) if marking.first == index else lit
        first, *rest = answer_marks.comments(marking, index)
        cell = _verdict_cell("missing", answer_marks.line_score(marking, [index]))
        rows.append(("", first, cell, "; ".join(rest)))
    return Table(rows, _HEADER, right=(0,), lit=lit, remarks=True)


def _verdict_cell(verdict: str, score: str) -> str:
    """Return the cell for a verdict with its sign and its score (empty: its words are shown); "" if `verdict`
    is empty.
    """
    return Judgement(*answer_marks.LOOKS[verdict], score) if verdict else ""


def _student_line(marking: Marking, line: answer_marks.MarkedLine) -> Runs:
    """Return the line as it was typed, with the places underlined that remarks are about.

    If the line has a backslash (LaTeX commands, which are hard to read), a blank and the first row that was read on it,
    typeset, follow.
    """
    typed = _underline(marking, line)
    entries = marking.answer.entries if marking.answer is not None and "\\" in line.text else ()
    typeset = next((_typeset_row(entry) for entry in entries if entry.line == line.number), "")
    return Runs(*typed.runs, " ", typeset) if typeset else typed


def _typeset_row(entry: Entry) -> Formula:
    """Return the row `entry` as a formula, `v̄1 = v̄4 = 1`: its symbol, then `=` and each of its numbers and formulas.

    Numbers are as typed. Names in formulas become the symbols of the quantities that they mean; a name without a known
    quantity becomes that of the value with this name. Pieces that could not be read are left out.
    """
    parts: list[str] = [_symbol(entry.quantity)]
    for piece in entry.pieces:
        if piece.number is not None:
            parts += [" = ", numeral(piece.span.text.strip())]
        elif piece.graph is not None:
            names = piece.graph.inputs.items()
            known = {slot: piece.quantities.get(name) or Quantity("value", name) for slot, name in names}
            leaves = {slot: Leaf(_symbol(quantity)) for slot, quantity in known.items()}
            slot = piece.graph.outputs[0][1]
            text = render(piece.graph, slot, TEXT, leaves.get)
            parts += [" = ", unfold(text, piece.graph, slot, leaves, False)]
    return join(*parts)


def _symbol(quantity: Quantity) -> Formula:
    """Return a quantity as a formula: ∂name/∂key for a derivative with a key, v̇1 for a tangent, v̄1 for an adjoint,
    else its name.
    """
    kind, name, key = quantity
    if kind == DERIVATIVE and key:
        return write_partial(name, key)
    return {DOT: write_tangent, BAR: write_adjoint}.get(kind, write_name)(name)


def _underline(marking: Marking, line: answer_marks.MarkedLine) -> Runs:
    """Return the line as Code, with the places as Marked that remarks are about, in the tone of their verdict.

    These are the places of the line's marks that are not correct and whose feedback is among their comments
    (`is_underlined`). Of overlapping places the one that starts first is marked; of those with the same start the
    shortest. Places end with the line.
    """
    out: list[str] = []
    done = 0
    spans = []
    for index in line.marks:
        mark = marking.marks[index]
        if mark.span is not None and answer_marks.is_underlined(marking, index):
            start = mark.span.source.position(mark.span.start)[1] - 1
            end = min(start + mark.span.end - mark.span.start, len(line.text))
            spans.append((start, end, answer_marks.LOOKS[mark.verdict].tone))
    for start, end, tone in sorted(spans):
        if start >= done:
            out += [Code(line.text[done:start]), Marked(line.text[start:end], tone)]
            done = end
    return Runs(*out, Code(line.text[done:]))


# --- as plain data ---------------------------------------------------------------------------------------------------

_JUDGED: Final = one("right", "wrong", "absent").or_null


_ROW: Final = record(
    line=WHOLE.or_null,
    row=STRING,
    kind=STRING,
    verdict=STRING,
    slip=STRING.or_null.of(lambda mark: "|".join(mark.slips) or None),
    formula=_JUDGED.of(lambda mark: mark.formula or None),
    number=_JUDGED.of(lambda mark: mark.number or None),
    feedback=STRING.or_null.of(lambda mark: mark.feedback or ("" if mark.formula else None)),  # null: not disclosed
    expected=STRING.known(lambda mark: mark.expected or None),
    key=STRING.known(lambda mark: mark.key or None),
)
_NOT_COUNTED: Final = record(line=WHOLE, text=STRING, reason=STRING.of("why"))
# The rows of a quantity are places among the rows of the document, from 0.
_QUANTITY: Final = record(quantity=STRING, rows=WHOLE.array, verdict=STRING, earned=FRACTION, possible=FRACTION)


def _parts_or_none(marking: Marking, parts: tuple[object, ...]) -> tuple[object, ...] | None:
    """Return `parts` (rows or quantities) if there are any; else () if the answer could not be marked, and None if it
    could: then they are not disclosed.
    """
    return parts or (None if marking.problem is None else ())


def _uncounted_lines(marking: Marking) -> tuple[object, ...] | None:
    """Return the parts of the answer that are not counted, by place; () if there are none, None if the rows of the
    answer are not disclosed.
    """
    if marking.answer is None or not marking.answer.left_out:
        return ()
    return marking.answer.left_out if marking.marks else None


# What may not be seen is null.  Where expected formulas or the key are disclosed, rows have the keys for them too.
MARKED: Final = Record(
    {
        "schema": const("check/1"),
        "verdict": one("right", "incomplete", "wrong", "not_gradable").or_null,
        "first_error": record(line=WHOLE.or_null, row=STRING).or_null.of(
            lambda marking: None if marking.first is None else marking.marks[marking.first]
        ),
        "score": record(earned=FRACTION, possible=FRACTION, earned_without_carry=FRACTION.of("alone")).here(),
        "quantities": _QUANTITY.array.or_null.of(lambda marking: _parts_or_none(marking, marking.quantities)),
        "rows": _ROW.array.or_null.of(lambda marking: _parts_or_none(marking, marking.marks)),
        "not_counted": _NOT_COUNTED.array.or_null.of(_uncounted_lines),
        "notes": STRING.array.known(lambda marking: answer_marks.assumptions(marking) or None),
    },
    first=("notes",),
)
CHECK: Final = either(MARKED, READ)
