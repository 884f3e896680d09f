"""Sheets of exercises in Markdown, LaTeX and HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from ..classroom.blank_form import BlankForm
from ..classroom.exercise_sheet import ExerciseSheet, statements
from ..marking.task import task_text
from .cells import FORMULA, HEADING, WORDS, Line, visible
from .forms import problem_title, spelled_point

_ASKED = {
    "value": "Work out the value, one step after the other.",
    "forward": "Work out the value and, in forward mode, the tangent of every step with respect to {wrt}.",
    "reverse": "Work out the value and, in reverse mode, the adjoint of every step{order}.",
    "both": "Work out the value, in forward mode the tangent of every step with respect to {wrt}, and in reverse mode "
    "the adjoint of every step{order}.",
}
_HOW = (
    "Write one row for each step: its name, the formula that you use, and the number that it gives. Call values v1, "
    "tangents v̇1 (or dv1) and adjoints v̄1 (or v1bar), or use names of your own. The blank form has a place for each. "
    "Three decimals are enough."
)


def _title(sheet: ExerciseSheet) -> str:
    """`Homework 3: Jane Doe (jd17)`."""
    student = sheet.student
    if student is None:
        return sheet.title
    name = f"{student.name} ({student.id})" if student.name not in ("", student.id) else student.id
    return f"{sheet.title}: {name}"


def _problem(form: BlankForm, number: int) -> list[Line]:
    task = form.task
    point = spelled_point(task, "at ")
    results = [name for name, _ in task.program.graph.outputs]
    order = f", first of {' and then of '.join(results)}" if len(results) > 1 else ""
    asked = _ASKED[task.mode or "both"].format(wrt=" and ".join(task.wrt or task.at), order=order)
    return [
        Line(problem_title(form, number), HEADING),
        *(Line(visible(line), FORMULA) for line in statements(task)),
        *([Line(point, WORDS)] if point else []),
        Line(visible(asked), WORDS),
    ]


def _parts(sheet: ExerciseSheet) -> Iterator[list[Line]]:
    """Each problem, and how to write an answer, as parts below the title."""
    for number, form in enumerate(sheet.forms, 1):
        yield _problem(form, number)
    readings = dict.fromkeys(reading.text for form in sheet.forms for reading in form.task.program.readings)
    yield [
        Line("How to write your answer", HEADING),
        Line(_HOW, WORDS),
        *(Line(f"Note: {text}.", WORDS) for text in readings),
    ]


def _markdown(sheet: ExerciseSheet) -> str:
    from .formats.markdown import body, escaped

    out = [f"# {escaped(_title(sheet))}\n"]
    for parts in _parts(sheet):
        # formulas as code, so that their stars need no backslashes
        formulas = "".join(f"    {line.text}\n" for line in parts if line.kind == FORMULA)
        heading, *rest = [line for line in parts if line.kind != FORMULA]
        out += [body([heading]), *([formulas] if formulas else []), body(rest)]
    return "\n".join(out)


def _latex(sheet: ExerciseSheet) -> str:
    from .formats.latex import body, document, escaped

    parts = [part for parts in _parts(sheet) for part in parts]
    return document(f"\\section*{{{escaped(_title(sheet))}}}\n{body(parts, alone=True)}")


def _html(sheet: ExerciseSheet) -> str:
    from .formats.html import body
    from .page import escaped, page

    parts = [part for parts in _parts(sheet) for part in parts]
    return page(_title(sheet), f"<h1>{escaped(_title(sheet))}</h1>\n{body(parts, 'h2')}")


SHEETS: Mapping[str, Callable[[ExerciseSheet], str]] = MappingProxyType(
    {"markdown": _markdown, "latex": _latex, "html": _html}
)


def as_dict(sheet: ExerciseSheet) -> dict[str, Any]:
    """The sheet as plain data (schema `sheet/1`)."""
    return {
        "schema": "sheet/1",
        "title": sheet.title,
        "problems": [
            {"label": form.task.label, "text": task_text(form.task), "mode": form.task.mode, "wrt": list(form.task.wrt)}
            for form in sheet.forms
        ],
    }
