"""Arguments of command lines: problems, points, formats, files, keys and files of Python."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from ..errors import NOT_CLOSED, AdcliError, RequestError, Source
from ..patterns import pattern
from ..records import NamedTuple
from ..render.formats import by_suffix, name_by_suffix
from ..typings import TYPE_CHECKING
from .inputs import Inputs, with_points
from .options import NothingToRead

if TYPE_CHECKING:
    from ..answers.answer_model import Task
    from ..classroom.homework import Key
    from ..language.problems import Problem
    from ..language.program import Program
    from .stream import Stream


class ProblemTexts(NamedTuple):
    """Texts of problems that are not parsed yet.

    `texts` yields pairs (number of the first line, text), `name` is the file's name (None for an argument or standard
    input), and `single` is True if there can be only one problem.
    """

    texts: Iterator[tuple[int, str]]
    name: str | None
    single: bool


def expression_first(texts: Sequence[str]) -> list[str]:
    """Return the arguments `texts` with the expression before the file: ["f.csv", "x^2"] becomes ["x^2", "f.csv"].

    They are exchanged only if there are exactly two, the first is a file that exists, and the second is neither one nor
    "-"; any other list is returned as it is.
    """
    if len(texts) == 2 and os.path.isfile(texts[0]) and not os.path.isfile(texts[1]) and texts[1] != "-":
        return [texts[1], texts[0]]
    return list(texts)


def surplus_argument(command: str, text: str | None) -> RequestError:
    """Return the error for `text`, which is left over after the expression and the file of points of `adcli command`.

    The title says what the command takes, the label shows `text`. The help for a text with `=` is to write it behind
    --at, together with the other values; for any other text (or None) it is to put the expression in quotation marks.
    """
    title = f"adcli {command} takes an expression and one file of points"
    advice = f"give all values in one option: --at …,{text}"
    advice = advice if text and "=" in text else "put quotation marks around an expression with blanks"
    return RequestError(title, label=f"left over: {text}", help=advice)


def read_problems(expression: str | None, file: str | None, inputs: Inputs) -> ProblemTexts:
    """Return the texts of the problems of a command line.

    They are the lines of `expression`, or those of `file`, or, if both are None, those of standard input; "-" in either
    means standard input. The result is `single` only for an `expression` with at most one line that is not blank. Its
    `name` is the path of the file, None for `expression` and standard input. Lines of files are read lazily, with their
    errors. Decimal commas become points if `inputs.has_commas`.

    Raises NothingToRead if both are None and standard input is a terminal. Raises RequestError if both are present, or
    if `expression` looks like the name of a file.
    """
    from ..language.problems import problem_texts

    if expression is not None and file is not None:
        if expression == "-":
            raise RequestError("there are both standard input (-) and a file", help="leave out - or --file")
        is_format = file in by_suffix().values()
        advice = f"leave one of them out; if {file} is a file of points: adcli map EXPR {file}"
        advice = f"did you mean --format {file}?" if is_format else advice
        raise RequestError("there are both an expression and a file", help=advice)
    if expression is not None and expression != "-":
        _refuse_file_name(expression)
        lines = list(_in_points(expression.split("\n"), inputs))
        return ProblemTexts(problem_texts(lines), None, sum(1 for line in lines if line.strip()) <= 1)
    if expression is None and file is None and stdin_is_terminal():
        raise NothingToRead
    path = None if file == "-" else file
    decoded = _in_points(_decode_lines(inputs.read_lines(path)), inputs)
    return ProblemTexts(problem_texts(decoded, most=inputs.most), path, False)


def _in_points(lines: Iterable[str], inputs: Inputs) -> Iterable[str]:
    """Return the lines with decimal points instead of decimal commas, unchanged unless `inputs.has_commas`."""
    return map(with_points, lines) if inputs.has_commas else lines


def stdin_is_terminal() -> bool:
    """Return whether standard input is a terminal; False if it is closed."""
    return sys.stdin is not None and sys.stdin.isatty()


_LIKE_A_FILE = pattern(r"(?:[\w.~-]*[/\\])*[^\W\d][\w-]*\.[A-Za-z]\w{0,7}", signs=".")


def _refuse_file_name(expression: str) -> None:
    """Raise RequestError if `expression` looks like the name of a file, such as `hw/problems.txt`.

    Such a name has letters, digits, _ and -, begins with a letter or _, and has one point, behind which up to eight
    letters, digits or _ follow, a letter first (`a.b` is one, `2.5` and `x.5` are not); perhaps folders before it. The
    file need not exist. If both sides of the point have one character, the help mentions dot(a, b), too.
    """
    if _LIKE_A_FILE.fullmatch(expression.strip()):
        names = expression.strip().split(".")
        title, label = f"{expression.strip()} is not an expression", "it looks like the name of a file"
        advice = f"problems are read from a file with -f {expression.strip()}"
        advice += f"; the product of vectors is dot({', '.join(names)})" * (len(names[0]) == len(names[-1]) == 1)
        raise RequestError(title, label=label, help=advice)


def _decode_lines(stream: Iterable[bytes]) -> Iterator[str]:
    """Yield the lines as text with their line ends, without a byte order mark in the first one.

    Bytes that are not UTF-8 become U+FFFD, which no expression may contain, so that the error shows the place.
    """
    for number, line in enumerate(stream):
        text = line.decode("utf-8", "replace")
        yield text.removeprefix("\ufeff") if number == 0 else text


def merge_points(texts: Iterable[str], flag: str, imaginary: bool = False) -> dict[str, float]:
    """Return the values of all points in `texts`, such as "x1=2,x2=pi/2", as one mapping by input name.

    Later texts win, arrays as a whole. `flag` names the option in errors; with `imaginary` values may be complex.
    Raises AdcliError if a text is not a point.
    """
    point: dict[str, float] = {}
    for text in texts:
        point = _merge_points(point, _read_point(Source(text, flag), imaginary))
    return point


def _read_point(source: Source, imaginary: bool) -> dict[str, float]:
    """Return the values of a point by name; those of arrays by entry, as `W[1,2]`.

    Arrays are lists in brackets or files (`W=@file`), read within the default size limit. With `imaginary` complex
    values are read too. Raises AdcliError if it is not a point or a file cannot be read.
    """
    if "[" in source.text or "@" in source.text:
        from ..arrays.array_points import has_arrays, read_arrays_point

        if has_arrays(source.text):
            return read_arrays_point(source, Inputs().read, imaginary)
    from ..language.problems import read_point

    return read_point(source, imaginary)


def _merge_points(point: Mapping[str, float], newer: Mapping[str, float]) -> dict[str, float]:
    """Return the values of both points by name; those of `newer` replace others, all entries of an array together."""
    if any("[" in name for name in (*point, *newer)):
        from ..arrays.array_points import without_replaced

        point = without_replaced(point, newer)
    return {**point, **newer}


def split_words(line: str) -> list[str]:
    """Return the words of a line, split as a POSIX shell does: quotation marks and backslashes are removed.

    `eval "x^2" --at x=3` gives ["eval", "x^2", "--at", "x=3"]. Raises RequestError if a quotation mark is never closed,
    and with the same message if the line ends in a single backslash.
    """
    import shlex

    try:
        return shlex.split(line)
    except ValueError:
        raise RequestError(NOT_CLOSED, label=line, help='close it, as in "x^2"') from None


def split_names(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the names in all `texts`, in order; commas and blanks separate them."""
    return tuple(name for text in texts for name in text.replace(",", " ").split())


def split_columns(texts: Iterable[str]) -> list[str]:
    """Return the names of columns in all `texts`, in order; commas separate them, since the names may have blanks."""
    return [name.strip() for text in texts for name in text.split(",") if name.strip()]


def declared_variables(texts: Iterable[str]) -> list[str]:
    """Return the names of two or more characters in `texts` that are not constants, in order; repeats stay.

    `texts` are names separated by commas or blanks, as in --wrt; whether a text is a name is not checked. The parser
    then reads each name as one variable.
    """
    from ..graph.graph import CONSTANTS

    return [name for name in split_names(texts) if len(name) > 1 and name not in CONSTANTS]


def combine_point(
    problem: Problem, option_point: Mapping[str, float], imaginary: bool = False
) -> tuple[dict[str, float], dict[str, float]]:
    """Return a pair: all values that the problem may use, and those of its text's point alone (empty without one).

    In the first, values of the problem's text replace those of `option_point` (from --at), arrays as a whole. With
    `imaginary` values may be complex. Raises AdcliError if the problem's point cannot be read.
    """
    problem_point = _read_point(problem.point, imaginary) if problem.point is not None else {}
    return _merge_points(option_point, problem_point), problem_point


def note_point_conflicts(
    stream: Stream, problem_point: Mapping[str, float], option_point: Mapping[str, float], single: bool
) -> None:
    """Print a note for each name whose value in `problem_point` differs from that in `option_point` (from --at).

    Two NaN count as equal. The note shows the values only if the problem is the `single` one; it appears once a run.
    """
    for name, value in problem_point.items():
        other = option_point.get(name, value)
        if other != value and not (other != other and value != value):
            values = (f" {value:g}", f" {other:g}") if single else ("", "")
            text = f"{name} has the value{values[0]} that the problem gives it, not{values[1] or ' that'} of --at"
            stream.note(text, once=True, topic="point")


def run_function_files(files: Iterable[str], inputs: Inputs) -> None:
    """Run these files of Python, which add functions to the table; errors as in `user_modules.load_module`."""
    for path in files:
        from .user_modules import load_module

        load_module(path, inputs)


def choose_format(
    option: str | None, output: str | None, formats: tuple[str, ...], default: str,
    more: Mapping[str, str] | None = None,
) -> str:  # fmt: skip
    """Return the format of the output: `option` (--format), or that of the suffix of the file `output`, or `default`.

    If `option` is not None, it is returned unchecked. If there is no `output` either, return `default`. Otherwise the
    suffix decides, without regard to case; `more` maps suffixes of this command only, such as `.tex`, to formats.
    Raises RequestError if the suffix is missing or not that of one of the `formats`.
    """
    if option is not None or output is None:
        return option or default
    dot = output.rfind(".")
    suffix = output[dot:].lower() if dot >= 0 else ""
    form = (more or {}).get(suffix) or name_by_suffix(suffix)
    if form not in formats:
        suffixes = {**by_suffix(), **(more or {})}
        known = ", ".join(ending for ending, name in suffixes.items() if name in formats)
        title = f"the suffix of {output} does not select a format of this command"
        raise RequestError(title, help=f"use one of {known}, or give --format")
    return form


def require_latex(standalone: bool, form: str) -> None:
    """Raise RequestError for --standalone with another format than LaTeX.

    It is for commands that write complete documents in the other formats anyway.
    """
    if standalone and form != "latex":
        raise RequestError("--standalone makes a LaTeX document", help="add --format latex")


def load_key(path: str, inputs: Inputs) -> tuple[Key, str]:
    """Return the key in the file at `path`, parsed, and its text. Raises RequestError if it cannot be read."""
    from ..classroom.key import read_key

    text = inputs.text(path)
    return read_key(text, path), text


def require_key(key: str | None, student: str | None) -> None:
    """Raise RequestError if there is a --student without a --key, which has the problems of students."""
    if key is None and student is not None:
        raise RequestError(
            "--student needs a key file with the problems of the students", help="add the file: --key hw.toml"
        )


def tasks_of_key(key: Key, student: str | None, mode: str | None, wrt: Iterable[str], order: int | None) -> list[Task]:
    """Return the tasks of the key for --student (None: those for all), changed by --mode, --wrt and --order if present.

    A task is read again if it has a point, one of these options changes it, and its order is then above 1, so that its
    program computes the derivatives of that order. Raises RequestError if the key has no tasks for the student, or if a
    task that is read again has arrays or a mode (of the key or of --mode).
    """
    from ..marking.task import of_order, task_of, task_text

    inputs = split_names(wrt)
    tasks = []
    for task in key.tasks_for(student):
        changed = task._replace(mode=mode or task.mode, wrt=inputs or task.wrt, order=order or task.order)
        if task.at and changed.order > 1 and changed[3:] != task[3:]:
            plain = task_of(task_text(task), label=task.label, wrt=changed.wrt)
            changed = of_order(changed._replace(program=plain.program))
        tasks.append(changed)
    return tasks


def print_readings(stream: Stream, program: Program) -> None:
    """Print the notes on how the text of a program was read, each once a run."""
    for reading in program.readings:
        stream.note(reading.text, once=True, topic=reading.topic)


def has_arrays(point: Collection[str], shapes: Sequence[str] = (), text: str = "") -> bool:
    """Return whether a problem has vectors or matrices.

    True if `shapes` (of --shape) is not empty, if a name in `point` contains `[`, or if `text` has a list in brackets,
    with a comma or semicolon inside, such as `[1, 2]`. Brackets behind a name, also after a blank, are an index:
    `x[1]`, `x [1, 2]`. Files of arrays (`@file`) in `text` do not count.
    """
    if shapes or any("[" in name for name in point):
        return True
    if "[" not in text:
        return False
    from ..arrays.array_points import has_list

    return has_list(text)


def calls_arrays(text: str, error: AdcliError) -> bool:
    """Return whether `text` contains `name(` of a function that only arrays have, such as norm or ones.

    `text` is a problem that could not be read as one of numbers. If `error` says that just this function is unknown,
    its title, label and help are changed in place: they say that the function takes vectors and matrices. Of several
    such functions in `text` only the first in the table of array functions is compared with `error`. Names that numbers
    have too, and `sum`, do not count.
    """
    from ..arrays.array_rows import FUNCTIONS
    from ..language.advice import advise_on_arrays
    from ..table.primitive import lookup

    names = [name for name in FUNCTIONS if name != "sum" and lookup(name) is None]  # sum(i, 1, 3, i*x) is of numbers
    called = next((name for name in names if f"{name}(" in text), None)
    if called is not None and f" called {called}" in error.title:
        error.title, error.label = f"{called} is not a function of numbers", "a function of arrays"
        error.help = f"for vectors and matrices {advise_on_arrays(text)}; for numbers write {called}([x, y])"
    return called is not None
