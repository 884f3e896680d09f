"""Marks an answer that was computed by hand, line by line.

\b
Examples:
  adcli check answer.txt --problem "log(x1)+x1*x2-sin(x2) @ x1=2,x2=5"
  adcli check answer.md --key hw.toml --student alice
  adcli check answer.csv --problem "x1*sin(x2) @ x1=2,x2=1" --mode reverse --format json
  adcli check answer.txt --key hw.toml --student alice --disclose 1 -o report.html
  adcli check answer.txt --key hw.toml --as-read

Many ways to write a trace are read: text, tables in Markdown, CSV or LaTeX, JSON, notebooks, what adcli prints.
Numbering, order and steps are free; rows that follow from a wrong one earn part of their marks.

Exit code 0: right, 1: wrong or incomplete, 4: not gradable.

ANSWER is - to read it from standard input.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial

from ...errors import AdcliError, OtherCommand, RequestError
from ...render.formats import DOCUMENTS, TEXT, find_format
from ...trace.request_choices import MODES
from ...typings import TYPE_CHECKING
from .. import arguments as arg
from ..inputs import Inputs
from ..options import Command, NothingToRead, argument, choice, flag, text, texts, whole
from ..shared_options import AT, KEY, OF_ANSWERS, SHAPE, STANDALONE, STUDENT, OutputOptions, table_format
from ..stream import Stream

if TYPE_CHECKING:
    from fractions import Fraction

    from ...classroom.homework import Key
    from ...marking.model import Marking, Rules
    from ...render.document_parts import Part

FORMATS = (*TEXT, *DOCUMENTS, "json")

_LEVELS = "Feedback level: 0 score, 1 right or wrong, 2 first error, 3 hints (default), 4 formulas, 5 the key."

_METHOD = "Fraction of marks of a row that follows from a wrong one (default: 1/2)."


class CheckRequest(OutputOptions):
    """Options of `adcli check`."""

    answer = argument()
    problem = text("--problem", metavar="PROBLEM", help="Problem with its point: log(x1)*x2 @ x1=2,x2=5.")
    at = AT
    shape = SHAPE
    key = KEY
    student = STUDENT
    mode = choice("--mode", choices=MODES, help="Required quantities (default: the value and its derivatives).")
    wrt = texts("--wrt", metavar="x1", help="Derivatives with respect to these inputs are required (default: all).")
    order = whole("--order", between=(1, 20), help="Order of the requested derivatives (default: 1, or as in the key).")
    decimal = choice("--decimal", choices=("point", "comma"), help="Decimal separator of the numbers in the answer.")
    disclose = whole("--disclose", between=(0, 5), help=_LEVELS)
    places = whole("--places", between=(0, 17), help="Decimal places that each number needs (default: any number).")
    method = text("--method", metavar="1/2", help=_METHOD)
    as_read = flag("--as-read", help="Show how the answer is read, without marking it.")
    max_size = text("--max-size", metavar="64MB", help=OF_ANSWERS)
    format_name = table_format(FORMATS)
    standalone = STANDALONE


def run(stream: Stream, options: CheckRequest) -> None:
    """Mark an answer and write the report at the level of disclosure; with --as-read write only how it is read.

    The level is that of --disclose, else of the key. If no answer is named, standard input is read. The exit code is 1
    if a problem is wrong or incomplete (not with --as-read). Errors of problems that are not gradable (all of them if
    the answer is larger than --max-size) are printed after the report, each once, also with --as-read, and raise the
    exit code to their own. Raises NothingToRead if standard input is needed and a terminal. Raises RequestError for
    both or neither of --key and --problem, for --standalone with another format than LaTeX, for a file that cannot be
    read, for the text of an answer where its file name belongs, and for a key without problems for --student.
    """
    from ...answers.collector import BYTES
    from ...marking.assessing import assess, readings
    from ...marking.disclosure import FORMULA, redact

    if options.answer is None and arg.stdin_is_terminal():
        raise NothingToRead
    form = arg.choose_format(options.format_name, options.path, FORMATS, "table")
    arg.require_latex(options.standalone, form)
    key = _read_key(options, stream.inputs)
    rules = _make_rules(options, key)
    tasks = arg.tasks_of_key(key, options.student, options.mode, options.wrt, options.order)
    most = BYTES if options.max_size is None else stream.inputs.most
    name, decimal = options.answer or "-", options.decimal or key.decimal
    _check_is_file(name)
    data = stream.inputs.read(name, most + 1)  # one more, so that it is seen that an answer is too long
    if options.as_read:
        from ...render.answers.reading_report import data as data_of
        from ...render.answers.reading_report import document, plain

        read_answers = readings(data, name, tasks, decimal, most=most)
        _write_report(
            stream, form, name, partial(data_of, tasks, read_answers), partial(document, tasks, read_answers),
            partial(plain, tasks, read_answers),
        )  # fmt: skip
        problems: list[AdcliError | None] = [each.problem for each in read_answers]
    else:
        from ...render.answers.marks_report import MARKED, report

        level = key.disclose if options.disclose is None else options.disclose
        marked = assess(data, name, tasks, rules, decimal, with_key=level >= FORMULA, most=most)
        markings = [redact(marking, level) for marking in marked]
        _write_report(
            stream, form, name, lambda: [MARKED.data(marking) for marking in markings], partial(report, markings),
            partial(_mark_text, markings, stream, form),
        )  # fmt: skip
        stream.record_exit_code(int(any(marking.verdict in ("incomplete", "wrong") for marking in markings)))
        problems = [marking.problem for marking in markings]
    stream.close()
    for problem in dict.fromkeys(problems):
        if problem is not None:
            stream.error(problem)


def _check_is_file(name: str) -> None:
    """Raise RequestError if `name` is not a file but looks like the text of an answer.

    That is a name with `=` or `*`; or one without a dot that has `^` or `+` or begins with a digit.
    """
    is_text = any(sign in name for sign in ("=*" if "." in name else "=*^+"))
    if (is_text or (name[:1].isdecimal() and "." not in name)) and not os.path.lexists(name):
        from ...language.math_requests.request_text import quote_for_shell  # only for the advice

        advice = "write the answer to a file and name the file, or pipe the text in:"
        advice += f" echo {quote_for_shell(name)} | adcli check - …"
        raise RequestError("the answer is not a file", label="this looks like the text of an answer", help=advice)


def _read_key(options: CheckRequest, inputs: Inputs) -> Key:
    """Return the key of --key, or one made of the problem of --problem.

    With --key all other options are ignored here. A key made of a problem has no title and only this task, changed by
    --at, --mode, --wrt, --order (default 1) and --shape; without a point it asks for formulas. Raises RequestError if
    there are both options or neither, for --student without a key, if the key cannot be read, or if the text is not
    exactly one problem. Raises AdcliError if --at cannot be read or the problem cannot be read or evaluated
    (`task_of`). For a problem that requests the work of another command, such as `diff x^2`, the error (OtherCommand)
    advises to name the function itself.
    """

    from ...classroom.homework import Key
    from ...marking.task import task_of

    arg.require_key(options.key, options.student)
    if options.key is not None and options.problem is None:
        return arg.load_key(options.key, inputs)[0]
    if options.problem is not None and options.key is None:
        wrt, order = arg.split_names(options.wrt), options.order or 1
        at = arg.merge_points(options.at, "--at")
        try:
            task = task_of(
                options.problem, name="--problem", at=at, mode=options.mode, wrt=wrt, order=order, formulas=True,
                shapes=options.shape,
            )  # fmt: skip
        except OtherCommand as error:
            operand = error.help.split('"')[1::2]  # of adcli diff "x^2" --wrt x, which is the solution
            advice = f'the problem is the function: --problem "{operand[0] if operand else "x^2"}"'
            raise type(error)(error.title, error.span, "the derivative is the answer", help=advice) from None
        except AdcliError as error:
            arg.calls_arrays(options.problem, error)  # norm(A x - b) asks for shapes
            raise
        return Key("", (task,))
    title = (
        "no problem is given"
        if options.key is None
        else "an answer is marked with --problem or with --key, not with both"
    )
    raise RequestError(title, help='add --problem "x^2 @ x=3", or --key hw.toml, a file with problems')


def _make_rules(options: CheckRequest, key: Key) -> Rules:
    """Return the rules of the key, with --places as `min_places` and --method as `method` if present.

    Raises RequestError for a wrong --method.
    """
    places = key.rules.min_places if options.places is None else options.places
    method = key.rules.method if options.method is None else _read_fraction(options.method)
    return key.rules._replace(min_places=places, method=method)


def _read_fraction(text: str) -> Fraction:
    """Return the fraction in the text of --method, such as 1/2 or 0.5. Raises RequestError unless it is from 0 to 1."""
    from ...classroom.key import read_fraction

    fraction = read_fraction(text, 1)
    if fraction is None:
        raise RequestError(f"--method {text} is not a fraction from 0 to 1", help="write --method 1/2")
    return fraction


def _write_report(
    stream: Stream, form: str, name: str, records: Callable[[], Sequence[object]], parts: Callable[[str], list[Part]],
    text: Callable[[], str],
) -> None:  # fmt: skip
    """Write a marked or read answer in the format `form`; the stream stays open.

    Only one of the three functions is called. For JSON, `records()` returns one record for each task; a single record
    is written alone, otherwise a list. For a document, `parts(title)` is called; `title` is the base name of the file
    `name` if the format writes whole pages, otherwise "". For all other formats, `text()` is written.
    """
    if form not in (*DOCUMENTS, "json"):
        stream.write(text())
        return
    from ..pages import write, write_json

    if form == "json":
        data = records()
        write_json(stream, data[0] if len(data) == 1 else data)
    else:
        document, title = find_format(form), os.path.basename(name)
        write(stream, document, document.document([parts(title if document.whole else "")], title))


def _mark_text(markings: Sequence[Marking], stream: Stream, form: str) -> str:
    """Return marked answers as text.

    The text is plain, except in the form "table" on a terminal: there it is wrapped to the width of the terminal, and
    coloured if the stream has colours (not with NO_COLOR or --color never). Its signs are ASCII in both cases if
    `stream.ascii`.
    """
    from ...render.answers.marks_text import document, plain

    if form != "table" or not stream.is_terminal:
        return plain(document(markings, stream.ascii))
    from ...render.terminal import style_lines

    return style_lines(document(markings, stream.ascii, stream.width()), stream.width(), stream.wants_color())


COMMAND = Command(__doc__, CheckRequest, run)
