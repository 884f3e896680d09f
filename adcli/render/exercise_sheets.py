"""Exercise sheets as documents and as data."""

from __future__ import annotations

from ..answers.answer_model import Task
from ..classroom.blank_form import BlankForm
from ..classroom.exercise_sheet import ExerciseSheet, statements
from ..documents import LABEL, STRING, const, record
from ..errors import visible
from ..grammar_files import read_sections
from ..graph.graph import Graph
from ..marking.task import task_text
from ..notation.display_formula import Formula
from ..notation.number_text import NOT_TAKEN, Digits, with_and
from ..notation.table_formulas import join, join_with_commas, write_name, write_words
from ..typings import TYPE_CHECKING, Final
from .document_parts import Formulas, Heading, Paragraph, Part
from .forms import problem_title, spell_point

if TYPE_CHECKING:
    from ..notation.formula_pieces import Piece

_TEXTS: Final = {section: " ".join(filter(None, lines)) for section, lines in read_sections("sheets.txt").items()}

_PLACES = 12  # decimals of the numbers of a point
_EXPLAINED = ("sumsq", "rowsum", "colsum", "logsumexp", "logdet")  # functions of arrays


def _title(sheet: ExerciseSheet) -> str:
    """Return `Homework 3: Jane Doe (jd17)`, `Homework 3: jd17` if the name is empty or the id; only the title if the
    sheet is for all students.
    """
    student = sheet.student
    if student is None:
        return sheet.title
    name = f"{student.name} ({student.id})" if student.name not in ("", student.id) else student.id
    return f"{sheet.title}: {name}"


def parts(sheet: ExerciseSheet) -> list[Part]:
    """Return the sheet as parts of a document: title (with the student, if it is for one), problems, instructions.

    Problems are numbered from 1. The instructions say how to write an answer, for numbers, for arrays, or both, as the
    problems need them. Last is a note on each text of the problems that can be read in two ways (`readings` of their
    programs). Each instruction and note is there only once.
    """
    document: list[Part] = [Heading(_title(sheet), 1)]
    for number, form in enumerate(sheet.forms, 1):
        document += _problem_parts(form, number)
    readings = dict.fromkeys(reading.text for form in sheet.forms for reading in form.task.program.readings)
    how = dict.fromkeys(_TEXTS["how" if form.task.arrays is None else "how arrays"] for form in sheet.forms)
    document.append(Heading("How to write your answer"))
    return [*document, *(Paragraph(text) for text in (*how, *(f"Note: {text}." for text in readings)))]


def _problem_parts(form: BlankForm, number: int) -> list[Part]:
    """Return the problem `number` as heading, statements, point (if there is one) and the sentence on what to compute.

    Without a mode the sentence requests both sweeps; without `wrt` the tangents with respect to all inputs of the
    point. Several outputs are named in the order of the program. For arrays it names instead the inputs whose gradients
    are to be computed: `wrt`, or all inputs.
    """
    task = form.task
    results = [name for name, _ in task.program.graph.outputs]
    order = f", first of {' and then of '.join(results)}" if len(results) > 1 else ""
    if task.arrays is not None:
        order = f", and of {with_and([*(task.wrt or task.arrays.inputs)])}"
    task_sentence = _TEXTS[task.mode or "both"].format(wrt=" and ".join(task.wrt or task.at), order=order)
    title, sentence = problem_title(form, number), visible(task_sentence)
    return [Heading(title), Formulas(_statements(task)), *_point_parts(task), Paragraph(sentence)]


def _point_parts(task: Task) -> list[Part]:
    """Return the point of a task as the paragraph `at x1 = 2, x2 = 5`; [] if it has no point.

    In a task with arrays, a paragraph on each function in `_EXPLAINED`, and on each power of an array, comes first. The
    point is then the paragraph `at` and a formula. If an array is too large to be written out (more than 16 entries in
    more than 5 rows or columns), the point is one paragraph of text, as without arrays.
    """
    point = spell_point(task, "at ")
    if task.arrays is None or not point:
        return [Paragraph(point)] if point else []
    from ..arrays.sweeps import formula
    from .array_tables import point_equations  # few exercises have arrays

    blocks, equations = task.arrays.blocks, point_equations(task.arrays, task.at, Digits(_PLACES))
    parts: list[Part] = [
        Paragraph(f"{formula(blocks, number)} is the {block.row.summary}.")
        for number, block in enumerate(blocks)
        if block.row is not None and (block.row.name in _EXPLAINED or (block.row.name == "power" and block.shape))
    ]
    if any(NOT_TAKEN in equation for equation in equations):  # large arrays are folded
        return [*parts, Paragraph(point)]
    return [*parts, Paragraph("at"), Formulas([join_with_commas(equations)])]


def _statements(task: Task) -> list[Formula]:
    """Return the lines of the program of a task in their order.

    With arrays there is a line `name = formula` for each operation that an output needs. A block that is an output has
    the name of that output (of the last one, if there are several).
    """
    if task.arrays is None:
        return [_statement_formula(task, line) for line in statements(task)]
    from ..arrays.array_formulas import label  # few exercises have arrays
    from ..arrays.sweeps import formula, name_of, needed_blocks

    program = task.arrays
    computed = [k for k in needed_blocks(program) if not program.blocks[k].is_input]
    names = {k: label(name_of(program.blocks[k])) for k in computed}
    names |= {operand.block: write_name(name) for name, operand in program.outputs}
    return [join(names[k], " = ", formula(program.blocks, k)) for k in computed]


def _statement_formula(task: Task, line: str) -> Formula:
    """Return a line of a program; typeset if it is the only one, else as typed."""
    if len(statements(task)) > 1:
        return write_words(visible(line))
    return Formula(visible(line), _equation_piece, task.program.graph)


def _equation_piece(graph: Graph) -> Piece:
    """Return the program of `graph` as a piece of mathematics: `name = program`, with the name of its first output.

    If the slot (node) of the output is named in the program itself (an alias), return the program alone, which has the
    equation already.
    """
    from ..notation.formula_pieces import EQUALS, Joined, NamePiece
    from ..notation.mathematics import program_piece

    name, slot = graph.outputs[0]
    shown = program_piece(graph)
    return shown if slot in graph.aliases else Joined((NamePiece(name), EQUALS, shown))


SHEET: Final = record(
    schema=const("sheet/1"),
    title=STRING,
    problems=record(
        label=LABEL.of("task.label"),
        text=STRING.of(lambda form: task_text(form.task)),
        mode=STRING.or_null.of("task.mode"),
        wrt=STRING.array.of("task.wrt"),
    ).array.of("forms"),
)
