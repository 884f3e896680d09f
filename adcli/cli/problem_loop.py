"""The loop over the problems of a command line, for commands that write one document a problem."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import Generic, TypeVar

from ..errors import AdcliError, OtherCommand, OutputProblem, RequestError, Span, accident
from ..language.problems import Problem, read_problem
from ..language.program import Program, read_program
from ..records import NamedTuple
from ..render.document_parts import Part
from ..render.formats import RECORDS
from ..table.suggest import product_of
from ..trace.model import Note
from .arguments import (
    ProblemTexts,
    combine_point,
    declared_variables,
    merge_points,
    note_point_conflicts,
    read_problems,
    run_function_files,
)
from .options import ProblemOptions
from .pages import Pages
from .stream import Stream

R = TypeVar("R")


class PreparedProblem(NamedTuple):
    """A problem ready to be worked on: its program, its point, and whether it is the only one."""

    problem: Problem
    program: Program
    at: dict[str, float]
    single: bool

    @property
    def where(self) -> str | None:
        """What a note of one problem among several starts with."""
        if self.single:
            return None
        name = self.problem.source.name
        return f"{name}:{self.problem.line}" if name else f"line {self.problem.line}"


class Results(Generic[R]):
    """What becomes of the results: `data` makes plain data of one, `parts` tables and lines, `lines` those of a sheet.

    `parts` is also told whether a problem is to be named that has no label.
    """

    def __init__(
        self,
        pages: Pages,
        *,
        data: Callable[[R], dict[str, object]],
        parts: Callable[[R, bool], Sequence[Part]],
        lines: Callable[[R, int], list[dict[str, object]]],
    ) -> None:
        self.pages, self.stream, self.form = pages, pages.stream, pages.form
        self.data, self.parts, self.lines = data, parts, lines
        self.count = 0
        self._gathered: list[dict[str, object]] = []
        self._first: dict[str, object] | None = None  # until it is known whether others follow
        self._listed = False

    def add(self, result: R, single: bool) -> None:
        """Writes a result, or keeps it for the end."""
        self.count += 1
        if self.form in RECORDS:
            self._record(self.data(result))
        elif self.form == "csv":
            self._gathered += self.lines(result, self.count)
        else:
            self.pages.add(self.parts(result, not single or self.pages.format.whole))

    def fail(self, error: AdcliError) -> None:
        """Puts an error in the place of a result, where the format has such a place."""
        if self.form in RECORDS:
            self._record(error.as_dict())

    def _record(self, data: dict[str, object]) -> None:
        if self.form == "ndjson":
            self._write(data, None, "", "\n")
        elif self._listed:
            self._write(data, 2, ",\n  ", "")
        elif self._first is not None:
            self._write(self._first, 2, "[\n  ", "")
            self._write(data, 2, ",\n  ", "")
            self._first, self._listed = None, True
        else:
            self._first = data

    def _write(self, data: dict[str, object], indent: int | None, before: str, after: str) -> None:
        """Writes a record, which may be large, as it comes; one in a list is indented with it."""
        from ..render.data import in_blocks, json_pieces

        pieces = json_pieces(data, indent, ascii_only=self.stream.ascii)
        if before:
            pieces = (piece.replace("\n", "\n  ") for piece in pieces)
        for block in in_blocks(chain((before,), pieces, (after,))):
            self.stream.write(block)

    def write_all(
        self,
        options: ProblemOptions,
        find: Callable[[PreparedProblem], tuple[R, Iterable[Note]]],
        read: Callable[[Problem], Problem] = lambda problem: problem,
    ) -> int | None:
        """Writes what is found of every problem; the exit code, or None when there is nothing to read.

        `find` makes the result of a problem, and tells what there is to know about it.  `read` takes from a problem
        what this command alone reads in it.
        """

        def work(posed: PreparedProblem) -> None:
            result, notes = find(posed)
            self.add(result, posed.single)
            print_notes(self.stream, notes, posed)

        if not for_each_problem(self.stream, options, work, self.fail, read=read):
            return None
        self.finish()
        self.stream.close()
        return self.stream.code

    def finish(self) -> None:
        """Writes what was kept."""
        self.pages.finish()
        if self._listed:
            self.stream.write("\n]\n")
        elif self._first is not None:
            self._write(self._first, 2, "", "\n")
        elif self._gathered:
            from ..render.data import sheet

            self.stream.write(sheet(self._gathered))


def print_notes(stream: Stream, notes: Iterable[Note], posed: PreparedProblem) -> None:
    """Notes to standard error; with the line of their problem, where there are several."""
    for note in notes:
        reading = note.kind == "reading"
        stream.note(note.text, None if reading else posed.where, once=reading, topic=note.topic or note.kind)


def for_each_problem(
    stream: Stream,
    options: ProblemOptions,
    work: Callable[[PreparedProblem], None],
    fail: Callable[[AdcliError], None] = lambda _: None,
    imaginary: bool = False,
    apart: Callable[[ProblemTexts], Iterator[int]] | None = None,
    read: Callable[[Problem], Problem] = lambda problem: problem,
) -> bool:
    """Works on every problem of the command line, errors told one by one; False when there is nothing to read.

    The functions of the files under --functions are in the table then.
    `fail` puts an error in the place of a result, in documents that have such a place.  `apart` is another way to work
    on many problems: it does so and counts them; `read` is as in `Results.of_each`.
    """
    found = read_problems(options.expr, options.file, stream.inputs)
    if found is None:
        return False
    run_function_files(options.functions, stream.inputs)
    try:
        given = merge_points(options.at, "--at", imaginary)
    except AdcliError as error:
        if options.debug:
            raise
        stream.error(error)
        fail(error)
        stream.nothing_solved = True
        return True
    number = 0
    if apart is not None:
        for number in apart(found):
            stream.progress(f"{number} problems")
    else:
        for number, (line, text) in enumerate(found.texts, 1):
            problem = read_problem(text, found.name, line)
            went_on = attempt_problem(
                stream, options, problem, given, work, fail, single=found.single, imaginary=imaginary, read=read
            )  # fmt: skip
            stream.progress(f"{number} problems")
            if not went_on:
                break
    stream.clear_progress()
    if number == 0:
        raise RequestError("there is no problem in the input", help="write one a line, such as x^2 @ x=3")
    stream.nothing_solved = stream.solved == 0
    return True


def attempt_problem(
    stream: Stream,
    options: ProblemOptions,
    problem: Problem | AdcliError,
    given: dict[str, float],
    work: Callable[[PreparedProblem], None],
    fail: Callable[[AdcliError], None],
    *,
    single: bool = False,
    imaginary: bool = False,
    read: Callable[[Problem], Problem] = lambda problem: problem,
) -> bool:
    """Works on one problem or tells its error; whether the next one is to follow."""
    try:
        if isinstance(problem, AdcliError):
            raise problem
        work(_posed(read(problem), stream, given, single, imaginary, declared_variables(options.wrt)))
        stream.solve()
    except (OutputProblem, OSError):
        raise
    except Exception as error:  # a defect of ours costs one problem, not those that follow
        if isinstance(error, AdcliError):
            told = error
        elif options.debug:
            raise
        else:
            told = accident(error)
        if isinstance(told, OtherCommand) and options.at and single:
            import shlex

            told.at(" --at ".join(map(shlex.quote, options.at)))
        if told.span is None and not single and isinstance(problem, Problem):
            told.span = _first_line(problem)
        stream.error(told)
        fail(told)
        return not (options.fail_fast or options.debug)
    return True


def _first_line(problem: Problem) -> Span:
    """What is pointed at where an error is about a whole problem among several."""
    return Span(0, len(problem.source.text.partition("\n")[0].rstrip()), problem.source)


def _posed(
    problem: Problem, stream: Stream, given: dict[str, float], single: bool, imaginary: bool, named: Collection[str]
) -> PreparedProblem:
    """Of a point for many problems only what this one needs is used; `named` are variables too."""
    at, own = combine_point(problem, given, imaginary)
    note_point_conflicts(stream, own, given, single)
    program = read_program(problem.source, {*at, *named})
    if given and not single:
        needed = set(program.graph.inputs.values())
        for name in needed - at.keys():
            needed |= set(product_of(name, at) or ())  # names run together are answered with what they may stand for
        at = {name: x for name, x in at.items() if name in needed or name in own}
    return PreparedProblem(problem, program, at, single)
