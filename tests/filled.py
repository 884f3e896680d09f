"""Blank forms filled in as a student would: the numbers of a trace written into the blanks, in any format."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Sequence
from io import BytesIO, StringIO

from adcli.homework.form import Form, Line, Part, blank_form
from adcli.homework.model import BAR, DOT, VALUE, Task
from adcli.language.numbers import Digits
from adcli.render import forms
from adcli.trace.model import Request, Trace
from adcli.trace.trace import trace


def numbers(form: Form, digits: Digits) -> list[str]:
    """The number that belongs into each row of a form, as it is shown."""
    found = trace(form.task.program, form.task.at, Request(form.task.mode or "both", form.task.wrt))
    return [digits.show(x) for part in form.parts for x in _column(found, part)]


def _column(found: Trace, part: Part) -> Iterator[float]:
    rows = {row.label: row for row in found.rows} | {o.shown: _row(found, o.node) for o in found.outputs}
    key = part.key if part.key is not None else (found.keys[part.kind == BAR] or ("",))[0]
    names = {output.shown: output.name for output in found.outputs}
    waiting = [s.value for s in found.steps if s.sweep == "reverse" and s.key == names.get(key, key)]
    whole = len(waiting) > len(part.lines)
    for line in part.lines:
        if line.kind == VALUE:
            yield rows[line.label].value or 0.0
        elif line.kind == DOT:
            yield rows[line.label].dot[key]
        else:
            yield rows[line.label].bar[names.get(key, key)] if whole or not waiting else waiting.pop(0)


def _row(found: Trace, node: str):  # type: ignore[no-untyped-def]
    return next(row for row in found.rows if row.name == node)


def filled(form: str, tasks: Sequence[Task], digits: Digits, *, contributions: bool = True) -> bytes:
    """The form of these tasks in a format with its formulas and with every blank filled in."""
    blank = [blank_form(task, contributions=contributions) for task in tasks]
    waiting = [number for each in blank for number in numbers(each, digits)]
    if form == "xlsx":
        return _workbook(forms.workbook(blank, formulas=True), waiting)
    return FILLERS[form](forms.FORMS[form](blank, True), waiting).encode()


def _text(text: str, waiting: list[str]) -> str:
    return re.sub(rf"= {forms.BLANK}$", lambda _: f"= {waiting.pop(0)}", text, flags=re.MULTILINE)


def _markdown(text: str, waiting: list[str]) -> str:
    return re.sub(r"^(\| (?!name |--).*\|) +\|$", lambda m: f"{m[1]} {waiting.pop(0)} |", text, flags=re.MULTILINE)


def _latex(text: str, waiting: list[str]) -> str:
    return re.sub(r"&  \\\\$", lambda _: f"& {waiting.pop(0)} \\\\\\\\", text, flags=re.MULTILINE)


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
        for row in sheet.iter_rows(min_row=3):
            row[2].value = float(waiting.pop(0))
    out = BytesIO()
    book.save(out)
    return out.getvalue()


__all__ = ["Line", "filled", "numbers"]
