"""Blank forms in every format in which answers are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from io import BytesIO
from types import MappingProxyType

from ..answers.answer_model import Task
from ..answers.collector import FORM_INSTRUCTIONS, FORM_TITLES
from ..classroom.blank_form import BlankForm, BlankPart
from ..errors import visible, width
from ..extras import SPREADSHEETS, Needs
from ..marking.task import point_text
from ..notation.number_text import MINUS
from ..trace.trace_program import program_line
from . import document_parts
from .data import json_text, sheet
from .document_parts import Heading, Paragraph, Table, pad
from .formats import find_format

BLANK = "_" * 8
COLUMNS = ("name", "formula", "value")
_KIND_WORD = re.compile(r"(?:problem|exercise|question|task)\b", re.IGNORECASE)


def part_title(part: BlankPart) -> str:
    """Return the title of a part of a form: `values`, `tangents with respect to x1` or `adjoints of y1`; without `with
    respect to …` or `of …` if the part has no key.
    """
    title, link = FORM_TITLES[part.kind]
    return title if part.key is None else f"{title} {link} {part.key}"


def problem_title(form: BlankForm, number: int) -> str:
    """Return `Problem 2`, with the label of the task or, without one, `number`; a label that begins with Problem,
    Exercise, Question or Task is the whole title.
    """
    label = visible(form.task.label or str(number))
    return label if _KIND_WORD.match(label) else f"Problem {label}"


def _headings(forms: Sequence[BlankForm]) -> Iterator[str]:
    """Yield the heading of each of `forms`, in their order, as `Problem 2: log(x1)*x2 at x1 = 2, x2 = 5`.

    The first part is that of `problem_title`, with the label or the number of the form from 1; for a single form
    without a label it is missing. The point is left out if the task has none.
    """
    for number, form in enumerate(forms, 1):
        title = f"{problem_title(form, number)}: " if len(forms) > 1 or form.task.label is not None else ""
        yield f"{title}{visible(program_line(form.task.program))}{spell_point(form.task, '   at ')}"


def spell_point(task: Task, before: str) -> str:
    """Return the text `before` and the point as `x1 = 2, x2 = −5`; empty if there is no point."""
    point = point_text(task.at).replace("=", " = ").replace("-", MINUS)
    return before + visible(point) if point else ""


def text(forms: Sequence[BlankForm]) -> str:
    """Return the forms as text: for each row a line `v1 = ________ = ________`, for its formula and its number.

    The first blank is filled with the row's formula; without a formula both blanks stay. Instructions, headings and
    titles of parts are comments (#); names are padded to the same width within a part. Every line ends with a line
    break.
    """
    out = [f"# {sentence}" for sentence in FORM_INSTRUCTIONS]
    for heading, form in zip(_headings(forms), forms, strict=True):
        out += ["", f"# {heading}"]
        for part in form.parts:
            columns = max(width(line.name) for line in part.lines)
            out += ["", f"# {part_title(part)}"]
            out += [f"{pad(name, columns)} = {formula or BLANK} = {BLANK}" for name, formula in part.lines]
    return "\n".join(out) + "\n"


def _form_pages(forms: Sequence[BlankForm]) -> Iterator[list[document_parts.Part]]:
    """Yield the instructions as a page (a list of parts), then a page for each of `forms`.

    Such a page has a heading, and for each part of the form (values, tangents, …) a table (name, formula, value) with
    the part's name as its title. The value is always empty.
    """
    yield [Paragraph(" ".join(FORM_INSTRUCTIONS))]
    for heading, form in zip(_headings(forms), forms, strict=True):
        page: list[document_parts.Part] = [Heading(heading)]
        for part in form.parts:
            page.append(Table([(*line, "") for line in part.lines], COLUMNS, title=part_title(part)))
        yield page


def document(form: str, forms: Sequence[BlankForm]) -> str:
    """Return the forms as one document, titled Forms, in the format of documents called `form`: the instructions, then
    for each form a heading and a table for each of its parts, with empty values.
    """
    return find_format(form).document([[part for page in _form_pages(forms) for part in page]], "Forms")


def _form_notebook(forms: Sequence[BlankForm]) -> str:
    """Return a Jupyter notebook (format 4.5) as JSON, with one Markdown cell for the instructions and one for each
    form; it ends with a line break.
    """
    cells = [find_format("markdown").body(page) for page in _form_pages(forms)]
    return json_text(
        {
            "cells": [
                {"cell_type": "markdown", "id": f"cell-{number}", "metadata": {}, "source": cell.splitlines(True)}
                for number, cell in enumerate(cells)
            ],
            "metadata": {"language_info": {"name": "python"}},
            "nbformat": 4,
            "nbformat_minor": 5,
        },
        indent=1,
    ) + "\n"  # fmt: skip


def _form_csv(forms: Sequence[BlankForm]) -> str:
    """Return the rows of all forms as CSV with a header and the columns name, formula and value, which is empty.

    Several forms have a column `problem` first, with the label of the task or, without one, its number.
    """
    lines: list[dict[str, object]] = []
    for number, form in enumerate(forms, 1):
        head = {"problem": form.task.label or str(number)} if len(forms) > 1 else {}
        lines += [head | row for row in _form_records(form)]
    return sheet(lines)


def _form_records(form: BlankForm) -> list[dict[str, object]]:
    """Return the rows of a form as dicts with name, formula and value (always None)."""
    return [dict(zip(COLUMNS, (*line, None), strict=True)) for part in form.parts for line in part.lines]


def _form_json(forms: Sequence[BlankForm]) -> str:
    """Return the forms as JSON, with a final line break.

    A single form is a list of rows, each with name, formula and value (null). Several forms are a list of objects with
    `problem` and `rows`; `problem` is the label as text, or the number from 1 if there is no label.
    """
    if len(forms) == 1:
        return json_text(_form_records(forms[0])) + "\n"
    numbered = enumerate(forms, 1)
    problems = [{"problem": form.task.label or str(n), "rows": _form_records(form)} for n, form in numbered]
    return json_text(problems) + "\n"


FORMS: Mapping[str, Callable[[Sequence[BlankForm]], str]] = MappingProxyType(
    {
        "text": text, "markdown": partial(document, "markdown"), "csv": _form_csv, "latex": partial(document, "latex"),
        "json": _form_json, "ipynb": _form_notebook,
    }
)  # fmt: skip


_TITLE_SIGNS = str.maketrans(dict.fromkeys("[]:*?/\\'", " "))
_LONGEST = 31  # characters of a sheet's title
_NARROWEST, _WIDEST = 12, 60  # characters of a column


def workbook(forms: Sequence[BlankForm]) -> bytes:
    """Return an XLSX file with a sheet (name, formula, value) for each of `forms`; every cell is text, never a formula.

    Sheets are named by the problem, without characters that titles of sheets cannot have, and cut at 31 characters
    (openpyxl numbers equal ones). The heading and the instructions are a comment on the first cell. Characters that
    cannot be printed are replaced (`visible`). Columns have room for 12 to 60 characters; their names are bold and
    fixed. Raises RequestError if openpyxl is missing.
    """
    with Needs(*SPREADSHEETS):
        from openpyxl import Workbook
        from openpyxl.comments import Comment
        from openpyxl.styles import Font
    book = Workbook()
    book.remove(book.active)
    for number, (heading, form) in enumerate(zip(_headings(forms), forms, strict=True), 1):
        page = book.create_sheet(problem_title(form, number).translate(_TITLE_SIGNS)[:_LONGEST])
        for row in [COLUMNS, *(line for part in form.parts for line in part.lines)]:
            page.append([visible(cell) for cell in row])
        for column in page.iter_cols():
            column[0].font = Font(bold=True)
            texts = [cell for cell in column if cell.value]
            for cell in texts:
                cell.data_type = "s"
            longest = max((width(str(cell.value)) for cell in texts), default=0)
            page.column_dimensions[column[0].column_letter].width = min(max(longest, _NARROWEST), _WIDEST) + 2
        page["A1"].comment = Comment("\n".join([heading, *FORM_INSTRUCTIONS]), "adcli", width=400, height=120)
        page.freeze_panes = "A2"
    out = BytesIO()
    book.save(out)
    return out.getvalue()
