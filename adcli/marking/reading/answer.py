"""An answer in any form: which form it is, and its rows."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import PurePath

from ..model import Answer, NotGradable
from .collector import LINES, Collector
from .decoding import FORM, check_size, decoded, picture, unreadable
from .entries import read_part
from .forms.delimited import delimiter, read_sheet
from .forms.document import read_text
from .forms.excel import read_workbook
from .forms.html_page import is_page, page_text
from .forms.json_answers import is_notebook, notebook_text, parsed, read_data
from .symbols import Names

_MARKDOWN = re.compile(r"^(?:#{1,6} |```|\s*\|.*\|\s*$)|\$[^$\n]+\$|\*\*\S", re.M)
_SHAPES = (
    ("latex", re.compile(r"\\begin\s*\{|\\documentclass")),
    ("markdown", _MARKDOWN),
    ("latex", re.compile(r"\\(?:dot|bar|frac|\\)")),
)


def read_answer(
    data: bytes, *, name: str, inputs: Collection[str], outputs: Collection[str], decimal: str = "point"
) -> tuple[Answer, ...]:
    """The sections of an answer, each with its rows; just one where it has no headings.

    `name` is the file's name, whose suffix decides where the content does not; `inputs` and `outputs` are the task's
    names, `decimal` is point or comma.  Raises NotGradable where there is no row.
    """
    check_size(data)
    names = Names(inputs, outputs)
    collector = _collected(data, name, names)
    lines = tuple(collector.lines)
    answers = [read_part(part, collector.form, lines, inputs, outputs, decimal) for part in collector.parts]
    found = _merged([answer for answer in answers if answer.entries or answer.unread], names)
    if not any(entry for answer in found for entry in answer.entries):
        raise _no_rows()
    if not any(entry.pieces for answer in found for entry in answer.entries):
        raise NotGradable("nothing is filled in", label="no row has a formula or a number", help="fill in the form")
    return tuple(found)


def _collected(data: bytes, name: str, names: Names) -> Collector:
    """The rows of an answer as its form's reader splits it."""
    what = picture(data)
    if what is not None:
        raise unreadable(what)
    if data.startswith(b"PK"):
        collector = Collector("xlsx")
        read_workbook(collector, data, names)
        return collector
    text = decoded(data)
    if not text.strip():
        raise NotGradable("the answer is empty", help=FORM)
    if text.count("\n") > LINES:
        raise NotGradable(
            "the answer is too long", label=f"{text.count(chr(10)):,} lines; at most {LINES:,} are read", help=FORM
        )
    if text.lstrip()[:1] in ("{", "["):
        return _of_json(text, name, names)
    if is_page(text):
        return _of_text(page_text(text), names, "html")
    mark = delimiter(text, PurePath(name).suffix.lower())
    if mark is not None:
        collector = Collector("csv")
        read_sheet(collector, text, mark, names)
        return collector
    return _of_text(text, names)


def _of_text(text: str, names: Names, form: str = "") -> Collector:
    shape = next((shape for shape, marks in _SHAPES if marks.search(text)), "text")
    collector = Collector(form or shape)
    read_text(collector, text, names)
    return collector


def _of_json(text: str, name: str, names: Names) -> Collector:
    """The rows of what begins like JSON; it may be a text that begins with a bracket."""
    try:
        data = parsed(text)
    except NotGradable:
        if PurePath(name).suffix.lower() in (".json", ".ndjson", ".jsonl", ".ipynb") or text.lstrip().startswith('{"'):
            raise
        return _of_text(text, names)
    if is_notebook(data):
        collector = _of_text(notebook_text(data, code=False), names, "notebook")
        if any(part.rows for part in collector.parts):
            return collector
        return _of_text(notebook_text(data, code=True), names, "notebook")
    collector = Collector("json")
    read_data(collector, data, names)
    return collector


def _merged(answers: list[Answer], names: Names) -> list[Answer]:
    """The answers without one that only says where the inputs are, before the first heading."""
    if len(answers) < 2 or answers[0].section is not None:
        return answers
    first, second, *rest = answers
    if all(entry.quantity.name in names.inputs for entry in first.entries):
        return [second, *rest]
    return answers


def _no_rows() -> NotGradable:
    return NotGradable(
        "there is no row of a trace in this answer",
        label="a row is a name, an equals sign, and a formula or a number",
        help=f"write rows such as v1 = x^2 = 9; {FORM}",
    )
