"""Blank forms in every format in which answers are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import Any

from ..homework.form import Form, Line, Part
from ..homework.model import BAR, DOT, VALUE
from ..homework.task import point_text
from ..language.formula import latex_name
from ..trace.names import barred, dotted, partial
from ..trace.trace import program_line
from . import markdown
from .cells import Table, padded, visible, width
from .data import json_text, sheet

BLANK = "_" * 8
HOW = (
    "Write into each row the formula that you use and the number that it gives.",
    "Rows may be left empty; rows, names and an order of your own are welcome.",
)
COLUMNS = ("name", "formula", "value")


def row_name(line: Line) -> str:
    """What the row is called: `v3`, `v̇3`, `v̄3`; with several inputs or outputs `∂v3/∂x1`, `∂y1/∂v3`."""
    if line.kind == VALUE:
        return line.label
    if line.key is None:
        return dotted(line.label) if line.kind == DOT else barred(line.label)
    return partial(line.label, line.key) if line.kind == DOT else partial(line.key, line.label)


def part_title(part: Part) -> str:
    """`values`, `tangents with respect to x1`, `adjoints of y1`."""
    name = {VALUE: "values", DOT: "tangents", BAR: "adjoints"}[part.kind]
    return name if part.key is None else f"{name} {'with respect to' if part.kind == DOT else 'of'} {part.key}"


def form_title(form: Form, number: int) -> str:
    """`Problem 2`, by the label of its task or by its number."""
    return f"Problem {visible(form.task.label or str(number))}"


def statement(form: Form) -> str:
    """`log(x1)*x2 at x1=2, x2=5`."""
    point = point_text(form.task.at)
    return visible(program_line(form.task.program)) + (f" at {point}" if point else "")


def _titles(forms: Sequence[Form]) -> list[str]:
    """The headings of the forms; a form alone needs none unless it has a label."""
    single = len(forms) == 1 and forms[0].task.label is None
    return [""] if single else [form_title(form, number) for number, form in enumerate(forms, 1)]


def _texts(form: Form, formulas: bool) -> Iterator[tuple[Part, list[tuple[str, str]]]]:
    """Each part with the names and the formulas of its rows."""
    for part in form.parts:
        yield part, [(row_name(line), line.formula if formulas else "") for line in part.lines]


def text(forms: Sequence[Form], formulas: bool = False) -> str:
    """One row a line, as `v1 = ________ = ________`, under comments."""
    out = []
    for title, form in zip(_titles(forms), forms, strict=True):
        out += [f"# {title}"] if title else []
        out.append(f"# {statement(form)}")
        for part, rows in _texts(form, formulas):
            out += ["", f"# {part_title(part)}"]
            columns = max(width(name) for name, _ in rows)
            out += [f"{padded(name, columns)} = {formula or BLANK} = {BLANK}" for name, formula in rows]
        out.append("")
    return "".join(f"# {sentence}\n" for sentence in HOW) + "\n" + "\n".join(out).rstrip("\n") + "\n"


def _markdown_form(form: Form, formulas: bool) -> str:
    out = [f"{markdown.code(statement(form))}\n"]
    for part, rows in _texts(form, formulas):
        table = Table([(name, formula, "") for name, formula in rows], COLUMNS)
        out.append(f"**{markdown.escaped(part_title(part))}**\n\n{markdown.draw(table)}")
    return "\n".join(out)


def _markdown(forms: Sequence[Form], formulas: bool) -> str:
    parts = [" ".join(HOW) + "\n"]
    for title, form in zip(_titles(forms), forms, strict=True):
        parts += [f"## {markdown.escaped(title)}\n"] if title else []
        parts.append(_markdown_form(form, formulas))
    return "\n".join(parts)


def _csv(forms: Sequence[Form], formulas: bool) -> str:
    return sheet([dict(zip((*_heads(forms), *COLUMNS), cells, strict=True)) for cells in table_rows(forms, formulas)])


def _heads(forms: Sequence[Form]) -> tuple[str, ...]:
    return ("problem",) if len(forms) > 1 else ()


def table_rows(forms: Sequence[Form], formulas: bool) -> Iterator[tuple[str, ...]]:
    """The rows of all forms as cells; with several forms the first cell is the label of the problem."""
    for number, form in enumerate(forms, 1):
        head = (form.task.label or str(number),) if len(forms) > 1 else ()
        for _, rows in _texts(form, formulas):
            yield from ((*head, name, formula, "") for name, formula in rows)


def _json(forms: Sequence[Form], formulas: bool) -> str:
    found: list[Any] = []
    for cells in table_rows(forms, formulas):
        *head, name, formula, _ = cells
        found.append((head, {"name": name, "formula": formula, "value": None}))
    if len(forms) == 1:
        return json_text([row for _, row in found]) + "\n"
    grouped = groupby(found, key=lambda pair: pair[0])
    return json_text([{"problem": label, "rows": [row for _, row in rows]} for (label,), rows in grouped]) + "\n"


def _notebook(forms: Sequence[Form], formulas: bool) -> str:
    cells = [" ".join(HOW)]
    for title, form in zip(_titles(forms), forms, strict=True):
        cells.append((f"## {markdown.escaped(title)}\n\n" if title else "") + _markdown_form(form, formulas))
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


Drawn = Callable[[Sequence[Form], bool], str]
FORMS: Mapping[str, Drawn] = MappingProxyType(
    {"text": text, "markdown": _markdown, "csv": _csv, "json": _json, "ipynb": _notebook}
)
