"""Blank forms for answers, to be filled in and handed to adcli check.

\b
Examples:
  adcli template "log(x1)+x1*x2-sin(x2) @ x1=2,x2=5" --mode reverse
  adcli template "log(x1)+x1*x2-sin(x2) @ x1=2,x2=5" --mode forward --wrt x1 --formulas
  adcli template --file problems.txt --format markdown -o form.md
  adcli template --key hw.toml --student alice -o form.xlsx

Rows are in the order in which they are computed: values, then tangents, then adjoints, which begin with the seed.
With --formulas the formulas are printed, and only the numbers are left blank.

EXPR is - to read problems from standard input.
"""

from __future__ import annotations

from ...errors import RequestError
from ...trace.request_choices import MODES
from ...typings import TYPE_CHECKING
from .. import arguments as arg
from ..options import Command, choice, flag, left_out, text, whole
from ..shared_options import STANDALONE, STUDENT, WRT, ProblemOptions
from ..stream import Stream

if TYPE_CHECKING:
    from ...answers.answer_model import Task
    from ..problem_loop import PreparedProblem

FORMATS = ("text", "markdown", "csv", "latex", "json", "xlsx", "ipynb")


class TemplateRequest(ProblemOptions):
    """Options of `adcli template`."""

    key = text("--key", metavar="FILE", help="Homework key: make forms for all its problems.")
    student = STUDENT
    mode = choice("--mode", choices=MODES, help="Quantities to fill in (default: as in the key, else both).")
    wrt = WRT
    order = whole("--order", between=(1, 20), help="Order of the derivatives (default: 1, or as in the key).")
    formulas = flag("--formulas", help="Print the formulas, for practice; only the numbers are left blank.")
    sums = flag("--sums", help="Make one row for each adjoint, instead of one for each contribution to it.")
    functions = left_out(())
    format_name = choice("--format", choices=FORMATS, help="Output format (default: text).")
    standalone = STANDALONE


_SUFFIXES = {".txt": "text", ".xlsx": "xlsx", ".ipynb": "ipynb"}


def run(stream: Stream, options: TemplateRequest) -> None:
    """Write the blank forms of the problems of a command line, or of a student's problems in a key.

    All forms are written at the end as one document, with their formulas if --formulas; nothing is written without a
    form. With --key, --mode, --wrt and --order replace those of the key. --sums leaves out contributions. A problem of
    the key that asks for formulas (it has no point) has a form without rows, with a note. Problems of the command line
    that fail are printed as errors. Raises NothingToRead if there is nothing to read, RequestError for a spreadsheet
    without -o, --standalone without LaTeX, a key that cannot be read or has no problem for --student, --student without
    a key, and a key together with an expression or --file.
    """
    from ...answers.answer_model import Task
    from ...classroom.blank_form import BlankForm, blank_form
    from ...marking.task import of_order
    from ...render import forms
    from ..problem_loop import ProblemLoop

    form = arg.choose_format(options.format_name, options.path, FORMATS, "text", _SUFFIXES)
    arg.require_latex(options.standalone, form)
    if form == "xlsx" and options.path is None:
        raise RequestError("a spreadsheet cannot be printed", help="name a file: -o form.xlsx")
    blank_forms: list[BlankForm] = []
    wrt = arg.split_names(options.wrt)

    def add(task: Task) -> None:
        blank_forms.append(blank_form(task, contributions=not options.sums, formulas=options.formulas))

    def work(prepared: PreparedProblem) -> None:
        """Add the blank form of one problem, and print the notes on how it is read."""
        arg.print_readings(stream, prepared.program)
        order = options.order or 1
        task = Task(
            prepared.problem.label, prepared.program, prepared.at, options.mode, wrt, order=order,
            arrays=prepared.arrays,
        )  # fmt: skip
        add(of_order(task))

    if options.key is not None:
        if options.expr is not None or options.file is not None:
            raise RequestError(
                "there are both a key file and other problems", help="leave out --key or the other problems"
            )
        key = arg.load_key(options.key, stream.inputs)[0]
        tasks = arg.tasks_of_key(key, options.student, options.mode, options.wrt, options.order)
        for place, task in enumerate(tasks, 1):
            if task.asks_formulas:
                blank_forms.append(BlankForm(task, ()))
                what = f"{forms.problem_title(blank_forms[-1], place)} asks for formulas"
                stream.note(f"{what}: its form has no rows; write lines such as dy/dx = … under the heading")
                continue
            add(task)
    else:
        arg.require_key(options.key, options.student)
        ProblemLoop(stream, options, work).run()
    if blank_forms:
        whole = forms.workbook if form == "xlsx" else forms.FORMS[form]
        stream.write(whole(blank_forms))


COMMAND = Command(__doc__, TemplateRequest, run)
