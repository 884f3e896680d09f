"""What command lines name: problems, points, formats, files, keys, and files of Python."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from ..errors import RequestError, Source
from ..patterns import pattern
from ..records import NamedTuple
from ..render.formats import by_suffix
from .inputs import Inputs

if TYPE_CHECKING:
    from ..classroom.key import Key
    from ..language.problems import Problem
    from .stream import Stream


class ProblemTexts(NamedTuple):
    """The texts of problems with the numbers of their lines, the file's name, and whether there can be only one."""

    texts: Iterator[tuple[int, str]]
    name: str | None
    single: bool


def surplus_argument(command: str, text: str | None) -> RequestError:
    """Return the error for a text after the expression and the file of points."""
    return RequestError(
        f"adcli {command} takes an expression and one file of points",
        label=f"left over: {text}",
        help="quotation marks keep an expression in one piece",
    )


def read_problems(expression: str | None, file: str | None, inputs: Inputs) -> ProblemTexts | None:
    """The problems of a command line; None when there is nothing to read.

    They come from the argument, from a file, or from standard input (`-`, or when it is no terminal).
    """
    from ..language.problems import problem_texts

    if expression is not None and expression != "-":
        if file is not None:
            raise RequestError("an expression and a file are given", help="leave one of them out")
        _no_file(expression)
        lines = expression.split("\n")
        return ProblemTexts(problem_texts(lines), None, sum(1 for line in lines if line.strip()) <= 1)
    if file is not None and file != "-":
        return ProblemTexts(problem_texts(_decoded(inputs.lines(file)), most=inputs.most), file, False)
    if expression is None and file is None and stdin_is_terminal():
        return None
    return ProblemTexts(problem_texts(_decoded(inputs.lines(None)), most=inputs.most), None, False)


def stdin_is_terminal() -> bool:
    """Whether standard input is a terminal, from which nothing comes unless somebody is asked."""
    return sys.stdin is not None and sys.stdin.isatty()


_LIKE_A_FILE = pattern(r"(?:[\w.~-]*[/\\])*[^\W\d][\w-]*\.[A-Za-z]\w{0,7}")


def _no_file(expression: str) -> None:
    """Raises RequestError for the name of a file where an expression should be."""
    if _LIKE_A_FILE.fullmatch(expression.strip()):
        raise RequestError(
            f"{expression.strip()} is no expression",
            label="it looks like the name of a file",
            help=f"problems are read from a file with -f {expression.strip()}",
        )


def _decoded(stream: Iterable[bytes]) -> Iterator[str]:
    """Lines as text; what is no UTF-8 becomes a character that no expression has, so that the place is told."""
    for number, line in enumerate(stream):
        text = line.decode("utf-8", "replace")
        yield text.removeprefix("\ufeff") if number == 0 else text


def merge_points(texts: Iterable[str], flag: str, imaginary: bool = False) -> dict[str, float]:
    """The values of a repeated flag, merged; later ones win.  With `imaginary` they may be complex."""
    from ..language.problems import read_point

    point: dict[str, float] = {}
    for text in texts:
        point |= read_point(Source(text, flag), imaginary)
    return point


def split_names(texts: Iterable[str]) -> tuple[str, ...]:
    """Names from a repeated flag that also takes commas."""
    return tuple(name.strip() for text in texts for name in text.split(",") if name.strip())


def declared_variables(texts: Iterable[str]) -> list[str]:
    """The names in a repeated flag, which are known to be variables by that, but those of constants."""
    from ..graph.graph import CONSTANTS

    return [name for name in split_names(texts) if len(name) > 1 and name not in CONSTANTS]


def combine_point(
    problem: Problem, given: Mapping[str, float], imaginary: bool = False
) -> tuple[dict[str, float], dict[str, float]]:
    """All values that a problem may use, and those of its own point; its own win."""
    from ..language.problems import read_point

    own = read_point(problem.point, imaginary) if problem.point is not None else {}
    return {**given, **own}, own


def note_point_conflicts(stream: Stream, own: Mapping[str, float], given: Mapping[str, float], single: bool) -> None:
    """A note where a problem's own point says otherwise than --at."""
    for name, value in own.items():
        other = given.get(name, value)
        if other != value and not (other != other and value != value):
            values = (f" {value:g}", f" {other:g}") if single else ("", "")
            text = f"{name} has the value{values[0]} that the problem gives it, not{values[1] or ' that'} of --at"
            stream.note(text, once=True, topic="point")


def run_function_files(files: Iterable[str], inputs: Inputs) -> None:
    """Afterwards the functions of all these files of Python are in the table."""
    for path in files:
        from .user_modules import load_module

        load_module(path, inputs)


def choose_format(
    wanted: str | None,
    output: str | None,
    formats: tuple[str, ...],
    default: str,
    more: Mapping[str, str] | None = None,
) -> str:
    """The format asked for, or the one that a file's suffix stands for; `more` are suffixes of this command alone."""
    if wanted is not None or output is None:
        return wanted or default
    suffixes = {**by_suffix(), **(more or {})}
    dot = output.rfind(".")
    suffix = output[dot:].lower() if dot >= 0 else ""
    found = suffixes.get(suffix)
    if found not in formats:
        known = ", ".join(ending for ending, name in suffixes.items() if name in formats)
        raise RequestError(
            f"the suffix of {output} stands for no format here", help=f"use one of {known}, or give --format"
        )
    return found


def load_key(path: str, inputs: Inputs) -> tuple[Key, str]:
    """The key in a file, and its text."""
    from ..classroom.key import read_key

    text = inputs.text(path)
    return read_key(text, path), text
