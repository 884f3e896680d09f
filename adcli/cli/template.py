"""`adcli template`: the forms of problems, in every format, printed or written into a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import RequestError
from ..trace.request_choices import MODES
from .arguments import chosen_format, key_of, split_names
from .options import AT, FAIL_FAST, FILE, STUDENT, WRT, Command, ProblemOptions, choice, flag, left_out, text
from .stream import Stream

if TYPE_CHECKING:
    from ..classroom.blank_form import BlankForm
    from ..marking.model import Task
    from .problem_loop import Posed

_HELP = """Blank forms for answers, to be filled in and handed to adcli check.

\b
Examples:
  adcli template "log(x1)+x1*x2-sin(x2) @ x1=2,x2=5" --mode reverse
  adcli template "log(x1)+x1*x2-sin(x2) @ x1=2,x2=5" --mode forward --wrt x1 --formulas
  adcli template --file problems.txt --format markdown -o form.md
  adcli template --key hw.toml --student alice -o form.xlsx

Rows stand in the order in which they are computed: values, tangents, adjoints from the seed down. With --formulas
the formulas are there and only the numbers are left blank.

EXPR is - to read problems from standard input.
"""

FORMATS = ("text", "markdown", "csv", "latex", "json", "xlsx", "ipynb")


class TemplateRequest(ProblemOptions):
    """What `adcli template` is asked."""

    file = FILE
    key = text("--key", metavar="FILE", help="All problems of a homework.")
    student = STUDENT
    at = AT
    mode = choice("--mode", choices=MODES, help="What is to be worked out; both, unless the key says so.")
    wrt = WRT
    formulas = flag("--formulas", help="With the formulas, for practice: adcli check takes a right one for the row.")
    sums = flag("--sums", help="One row for each adjoint, not one for each contribution to it.")
    functions = left_out(())
    fail_fast = FAIL_FAST
    wanted = choice("--format", choices=FORMATS, help="Default: text.")


_SUFFIXES = {".txt": "text", ".xlsx": "xlsx", ".ipynb": "ipynb"}


def run(stream: Stream, asked: TemplateRequest) -> int | None:
    """Prints the forms of the problems of a command line; None when there is nothing to read."""
    from ..classroom.blank_form import blank_form
    from ..marking.model import Task
    from ..render import forms
    from .problem_loop import each

    asked.dress(stream)
    form = chosen_format(asked.wanted, asked.path, FORMATS, "text", _SUFFIXES)
    if form == "xlsx" and asked.path is None:
        raise RequestError("a spreadsheet cannot be printed", help="name a file: -o form.xlsx")
    found: list[BlankForm] = []
    wrt = split_names(asked.wrt)

    def add(task: Task) -> None:
        found.append(blank_form(task, contributions=not asked.sums))

    def work(posed: Posed) -> None:
        for reading in posed.program.readings:
            stream.note(reading.text, once=True, topic=reading.topic)
        add(Task(posed.problem.label, posed.program, posed.at, asked.mode, wrt))

    if asked.key is not None:
        if asked.expr is not None or asked.file is not None:
            raise RequestError("a key and other problems are given", help="leave one of them out")
        for task in key_of(asked.key, stream.inputs)[0].tasks_for(asked.student):
            add(task._replace(mode=asked.mode or task.mode, wrt=wrt or task.wrt))
    elif not each(stream, asked, work):
        return None
    if found:
        whole = forms.workbook if form == "xlsx" else forms.FORMS[form]
        stream.write(whole(found, asked.formulas))
        stream.close()
    return stream.code


COMMAND = Command(_HELP, TemplateRequest, run)
