"""Blank forms in every format in which answers are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType

from ..classroom.blank_form import BlankForm, BlankPart
from ..errors import visible, width
from ..marking.model import BAR, DOT, VALUE, Task
from ..marking.task import point_text
from ..notation.number_text import MINUS
from ..trace.trace_program import program_line
from . import document_parts
from .data import json_text, sheet
from .document_parts import AnyText, Heading, Paragraph, Table, padded
from .formats import named

BLANK = "_" * 8
HOW = (
    "Write into each row the formula that you use and the number that it gives.",
    "Rows may be left empty; rows, names and an order of your own are welcome.",
)
COLUMNS = ("name", "formula", "value")
_TELLS_ITS_KIND = re.compile(r"(?:problem|exercise|question|task)\b", re.IGNORECASE)


def part_title(part: BlankPart) -> str:
    """`values`, `tangents with respect to x1`, `adjoints of y1`."""
    name = {VALUE: "values", DOT: "tangents", BAR: "adjoints"}[part.kind]
    return name if part.key is None else f"{name} {'with respect to' if part.kind == DOT else 'of'} {part.key}"


def problem_title(form: BlankForm, number: int) -> str:
    """`Problem 2`, by the label of its task or by its number."""
    label = visible(form.task.label or str(number))
    return label if _TELLS_ITS_KIND.match(label) else f"Problem {label}"


def _headings(forms: Sequence[BlankForm]) -> Iterator[str]:
    """`Problem 2: log(x1)*x2   at x1 = 2, x2 = 5`, as above a trace; a form alone goes without its number."""
    for number, form in enumerate(forms, 1):
        title = f"{problem_title(form, number)}: " if len(forms) > 1 or form.task.label is not None else ""
        yield f"{title}{visible(program_line(form.task.program))}{spelled_point(form.task, '   at ')}"


def spelled_point(task: Task, before: str) -> str:
    """`x1 = 2, x2 = −5` after these words; nothing where there is no point."""
    point = point_text(task.at).replace("=", " = ").replace("-", MINUS)
    return before + visible(point) if point else ""


def _rows(form: BlankForm, formulas: bool) -> Iterator[tuple[BlankPart, list[tuple[str, str]]]]:
    """Each part with the names and the formulas of its rows."""
    for part in form.parts:
        yield part, [(line.name, line.formula if formulas else "") for line in part.lines]


def text(forms: Sequence[BlankForm], formulas: bool = False) -> str:
    """One row a line, as `v1 = ________ = ________`, under comments."""
    out = [f"# {sentence}" for sentence in HOW]
    for heading, form in zip(_headings(forms), forms, strict=True):
        out += ["", f"# {heading}"]
        for part, rows in _rows(form, formulas):
            columns = max(width(name) for name, _ in rows)
            out += ["", f"# {part_title(part)}"]
            out += [f"{padded(name, columns)} = {formula or BLANK} = {BLANK}" for name, formula in rows]
    return "\n".join(out) + "\n"


def _pages(forms: Sequence[BlankForm], formulas: bool) -> Iterator[list[document_parts.Part]]:
    """How to fill the forms in, and then each form as a heading and tables."""
    yield [Paragraph(AnyText(" ".join(HOW)))]
    for heading, form in zip(_headings(forms), forms, strict=True):
        yield [
            Heading(AnyText(heading)),
            *(
                Table([(*row, "") for row in rows], COLUMNS, title=part_title(part))
                for part, rows in _rows(form, formulas)
            ),
        ]


def document(form: str, forms: Sequence[BlankForm], formulas: bool = False) -> str:
    """A table for each part, under headings, in a format of documents."""
    return named(form).document([[part for page in _pages(forms, formulas) for part in page]], "Forms")


def _notebook(forms: Sequence[BlankForm], formulas: bool) -> str:
    found = [named("markdown").body(page) for page in _pages(forms, formulas)]
    return json_text(
        {
            "cells": [
                {"cell_type": "markdown", "id": f"cell-{number}", "metadata": {}, "source": cell.splitlines(True)}
                for number, cell in enumerate(found)
            ],
            "metadata": {"language_info": {"name": "python"}},
            "nbformat": 4,
            "nbformat_minor": 5,
        },
        indent=1,
    ) + "\n"  # fmt: skip


def _csv(forms: Sequence[BlankForm], formulas: bool) -> str:
    lines: list[dict[str, object]] = []
    for number, form in enumerate(forms, 1):
        head = {"problem": form.task.label or str(number)} if len(forms) > 1 else {}
        lines += [head | row for row in _records(form, formulas)]
    return sheet(lines)


def _records(form: BlankForm, formulas: bool) -> list[dict[str, object]]:
    return [dict(zip(COLUMNS, (*row, None), strict=True)) for _, rows in _rows(form, formulas) for row in rows]


def _json(forms: Sequence[BlankForm], formulas: bool) -> str:
    if len(forms) == 1:
        return json_text(_records(forms[0], formulas)) + "\n"
    numbered = enumerate(forms, 1)
    found = [{"problem": form.task.label or str(n), "rows": _records(form, formulas)} for n, form in numbered]
    return json_text(found) + "\n"


FORMS: Mapping[str, Callable[[Sequence[BlankForm], bool], str]] = MappingProxyType(
    {
        "text": text, "markdown": partial(document, "markdown"), "csv": _csv, "latex": partial(document, "latex"),
        "json": _json, "ipynb": _notebook,
    }
)  # fmt: skip


def workbook(forms: Sequence[BlankForm], formulas: bool = False) -> bytes:
    """A spreadsheet with a sheet for each form; its cells are texts, whatever they look like."""
    from .workbook import Page, written

    pages = [
        Page(
            problem_title(form, number),
            "\n".join([heading, *HOW]),
            COLUMNS,
            [row for _, rows in _rows(form, formulas) for row in rows],
        )
        for number, (heading, form) in enumerate(zip(_headings(forms), forms, strict=True), 1)
    ]
    return written(pages)
