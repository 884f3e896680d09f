"""The work of `adcli template`: the forms of problems, printed or written into a file."""

from __future__ import annotations

from typing import Any

from ..classroom.blank_form import BlankForm, blank_form
from ..errors import RequestError
from ..marking.model import Task
from ..render import forms
from .arguments import SUFFIXES, chosen_format, split_names
from .each import Posed, each
from .files import key_of, save
from .stream import Stream
from .template import FORMATS

_SUFFIXES = {**SUFFIXES, ".txt": "text", ".xlsx": "xlsx", ".ipynb": "ipynb"}


def template(stream: Stream, flags: dict[str, Any]) -> int | None:
    """Prints the forms of the problems of a command line; None when there is nothing to read."""
    stream.dress(flags)
    form = chosen_format(flags["wanted"], flags["output"], FORMATS, "text", _SUFFIXES)
    if form == "xlsx" and flags["output"] is None:
        raise RequestError("a spreadsheet cannot be printed", help="name a file: -o form.xlsx")
    found: list[BlankForm] = []
    wrt = split_names(flags["wrt"])

    def add(task: Task) -> None:
        found.append(blank_form(task, contributions=not flags["sums"]))

    def work(posed: Posed) -> None:
        for reading in posed.program.readings:
            stream.note(reading.text, once=True)
        add(Task(posed.problem.label, posed.program, posed.at, flags["mode"], wrt))

    if flags["key"] is not None:
        if flags["expr"] is not None or flags["file"] is not None:
            raise RequestError("a key and other problems are given", help="leave one of them out")
        for task in key_of(flags["key"])[0].tasks_for(flags["student"]):
            add(task._replace(mode=flags["mode"] or task.mode, wrt=wrt or task.wrt))
    elif not each(stream, flags, work):
        return None
    if found and form == "xlsx":
        save(flags["output"], forms.workbook(found, flags["formulas"]))
    elif found:
        stream.write(forms.FORMS[form](found, flags["formulas"]))
        stream.close()
    return stream.code
