"""Blank forms filled in as a student would: the numbers of a trace written into the blanks, in any format."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Sequence
from io import BytesIO, StringIO

from adcli.answers.answer_model import BAR, VALUE, Task
from adcli.classroom.blank_form import BlankForm, BlankPart, blank_form
from adcli.notation.number_text import Digits
from adcli.notation.table_formulas import write_adjoint, write_tangent
from adcli.render import forms
from adcli.trace.trace_model import Request, Trace
from adcli.trace.trace_program import trace


def numbers(form: BlankForm, digits: Digits) -> list[str]:
    """The number that belongs into each row of a form, as it is shown."""
    found = trace(form.task.program, form.task.at, Request(form.task.mode or "both", form.task.wrt))
    return [digits.show(x) for part in form.parts for x in _column(found, part)]


def _column(found: Trace, part: BlankPart) -> Iterator[float]:
    """The numbers of a part; an adjoint that grows over several rows is shown as far as it has grown."""
    key = {output.shown: output.name for output in found.outputs}.get(part.key or "", part.key)
    if key is None and part.kind != VALUE:
        key = found.keys[part.kind == BAR][0]
    grown = [step.value for step in found.steps if step.sweep == "reverse" and step.key == key]
    known: dict[str, float] = {output.shown: output.value for output in found.outputs}
    for row in found.rows:
        known[row.label] = row.value or 0.0
        known[write_tangent(row.label)] = row.dot.get(key or "", 0.0)
        known[write_adjoint(row.label)] = row.bar.get(key or "", 0.0)
    repeated = len({line.name for line in part.lines}) < len(part.lines)
    for line in part.lines:
        yield grown.pop(0) if part.kind == BAR and repeated and grown else known[line.name]


def filled(form: str, tasks: Sequence[Task], digits: Digits, *, contributions: bool = True) -> bytes:
    """The form of these tasks in a format with its formulas and with every blank filled in."""
    blank = [blank_form(task, contributions=contributions, formulas=True) for task in tasks]
    waiting = [number for each in blank for number in numbers(each, digits)]
    if form == "xlsx":
        return _workbook(forms.workbook(blank), waiting)
    return FILLERS[form](forms.FORMS[form](blank), waiting).encode()


def _text(text: str, waiting: list[str]) -> str:
    return re.sub(rf"= {forms.BLANK}$", lambda _: f"= {waiting.pop(0)}", text, flags=re.MULTILINE)


def _markdown(text: str, waiting: list[str]) -> str:
    return re.sub(r"^(\| (?!name |--).*\|) +\|$", lambda m: f"{m[1]} {waiting.pop(0)} |", text, flags=re.MULTILINE)


def _latex(text: str, waiting: list[str]) -> str:
    return re.sub(r"&  (?=\\\\(?:\[3pt\])?$)", lambda _: f"& {waiting.pop(0)} ", text, flags=re.MULTILINE)


def _csv(text: str, waiting: list[str]) -> str:
    head, *rows = csv.reader(StringIO(text))
    out = StringIO()
    csv.writer(out).writerows([head, *([*row[:-1], waiting.pop(0)] for row in rows)])
    return out.getvalue()


def _json(text: str, waiting: list[str]) -> str:
    data = json.loads(text)
    for each in data:
        for row in each.get("rows", [each]):
            row["value"] = waiting.pop(0)
    return json.dumps(data)


def _notebook(text: str, waiting: list[str]) -> str:
    book = json.loads(text)
    for cell in book["cells"]:
        cell["source"] = _markdown("".join(cell["source"]), waiting).splitlines(True)
    return json.dumps(book)


FILLERS = {
    "text": _text, "markdown": _markdown, "latex": _latex, "csv": _csv, "json": _json, "ipynb": _notebook,
}  # fmt: skip


def _workbook(data: bytes, waiting: list[str]) -> bytes:
    from openpyxl import load_workbook

    book = load_workbook(BytesIO(data))
    for sheet in book:
        for row in sheet.iter_rows(min_row=2):
            row[2].value = float(waiting.pop(0))
    out = BytesIO()
    book.save(out)
    return out.getvalue()
