"""The loop over the problems of a command line, for commands that write one document per problem."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Generic, TypeVar

from ..errors import AdcliError, OtherCommand, OutputProblem, RequestError, Span, accident
from ..language.problems import Problem, read_problem
from ..language.program import Program, read_program
from ..records import NamedTuple
from ..render.document_parts import Part
from ..render.formats import RECORDS
from ..table.suggest import product_of
from ..trace.model import Note, Request
from .arguments import (
    ProblemTexts,
    combine_point,
    declared_variables,
    merge_points,
    note_point_conflicts,
    read_problems,
    run_function_files,
    split_names,
)
from .pages import Pages
from .shared_options import ProblemOptions
from .stream import Stream

if TYPE_CHECKING:
    from ..arrays.program import ArrayProgram

R = TypeVar("R")


class PreparedProblem(NamedTuple):
    """A parsed problem: its text, its program, its point (`at`), and whether it is the only one (`single`).

    If it has vectors or matrices, `arrays` is its program of arrays, `program` that of their entries, and the point is
    by entry, as `W[1,2]`.
    """

    problem: Problem
    program: Program
    at: dict[str, float]
    single: bool
    arrays: ArrayProgram | None = None

    @property
    def where(self) -> str | None:
        """Return the place that starts a note, "file:line" or "line N"; None if the problem is the only one."""
        if self.single:
            return None
        name = self.problem.source.name
        return f"{name}:{self.problem.line}" if name else f"line {self.problem.line}"

    def without_data(self, request: Request) -> Request:
        """Return the request without derivatives with respect to the problem's data, unless it names inputs itself."""
        inputs = self.program.graph.inputs.values() if self.arrays is None else self.arrays.inputs
        wrt = self.problem.differentiated(inputs)
        return request._replace(wrt=wrt) if wrt and not request.wrt and not request.seed else request


class Results(Generic[R]):
    """A writer for the results of all problems in the format of `pages`.

    `data(result)` returns plain data for JSON, `parts(result, named)` tables and lines, where `named` is True if a
    problem without a label gets a heading too, and `lines(result, number)` the rows of a CSV sheet, with the problem's
    number from 1.
    """

    def __init__(
        self, pages: Pages, *, data: Callable[[R], dict[str, object]], parts: Callable[[R, bool], Sequence[Part]],
        lines: Callable[[R, int], list[dict[str, object]]],
    ) -> None:  # fmt: skip
        """Prepare to write results of several problems in the format of `pages`.

        `data` makes a record of a result, `parts` those of a document (with a heading if the second argument is true),
        and `lines` its rows of a sheet (the second argument is the problem's number).
        """
        self.pages, self.stream, self.form = pages, pages.stream, pages.form
        self.data, self.parts, self.lines = data, parts, lines
        self.count = 0
        self._gathered: list[dict[str, object]] = []
        self._first: dict[str, object] | None = None  # kept until a second record follows or the end
        self._listed = False

    def add(self, result: R, single: bool) -> None:
        """Write a result, or keep it until `finish` (CSV, whole documents, the first JSON record).

        A `single` problem has no heading, except in whole documents.
        """
        self.count += 1
        if self.form in RECORDS:
            self._record(self.data(result))
        elif self.form == "csv":
            self._gathered += self.lines(result, self.count)
        else:
            self.pages.add(self.parts(result, not single or self.pages.format.whole))

    def fail(self, error: AdcliError) -> None:
        """Write an error as a record in place of a result; nothing happens unless the format is JSON or NDJSON."""
        if self.form in RECORDS:
            self._record(error.as_dict())

    def _record(self, data: dict[str, object]) -> None:
        """Write a record: one line in NDJSON, an item of a list in JSON.

        The first JSON record is kept until a second one starts the list; alone, `finish` writes it without a list.
        """
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
        """Write a record in blocks, with text `before` and `after`; `indent` is that of JSON (None: one line).

        With a text `before`, lines are indented by two more blanks.
        """
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
        """Write the result of every problem and return the exit code; None if there is nothing to read.

        `find(problem)` returns the result and its notes. `read(problem)` returns the problem after this command has
        taken its own parts out of it, such as uncertainties.
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
        """Write what was kept: the end of a JSON list, a single record, the CSV sheet, or the whole document."""
        self.pages.finish()
        if self._listed:
            self.stream.write("\n]\n")
        elif self._first is not None:
            self._write(self._first, 2, "", "\n")
        elif self._gathered:
            from ..render.data import sheet

            self.stream.write(sheet(self._gathered))


def print_notes(stream: Stream, notes: Iterable[Note], posed: PreparedProblem) -> None:
    """Print notes to standard error, with the problem's place if there are several problems; a note about reading
    appears once a run and without a place."""
    for note in notes:
        reading = note.kind == "reading"
        stream.note(note.text, None if reading else posed.where, once=reading, topic=note.topic or note.kind)


def print_readings(stream: Stream, program: Program) -> None:
    """Print the notes on how the text of a program was read, each once a run."""
    for reading in program.readings:
        stream.note(reading.text, once=True, topic=reading.topic)


def for_each_problem(
    stream: Stream, options: ProblemOptions, work: Callable[[PreparedProblem], None],
    fail: Callable[[AdcliError], None] = lambda _: None, imaginary: bool = False,
    work_on_batches: Callable[[ProblemTexts], Iterator[int]] | None = None,
    read: Callable[[Problem], Problem] = lambda problem: problem,
) -> bool:  # fmt: skip
    """Call `work` for every problem of the command line and print errors one by one; False if there is nothing to read.

    Runs the files of --functions first. `fail(error)` is called for each error. With `imaginary` points may be complex.
    `work_on_batches(problems)`, if present, replaces the loop and yields the number of problems done. `read` is as in
    `Results.write_all`. A bad --at is printed once, and no problem is worked on. Raises RequestError if the input has
    no problem.
    """
    problems = read_problems(options.expr, options.file, stream.inputs)
    if problems is None:
        return False
    run_function_files(options.functions, stream.inputs)
    try:
        option_point = merge_points(options.at, "--at", imaginary)
    except AdcliError as error:
        if options.debug:
            raise
        stream.error(error)
        fail(error)
        stream.nothing_solved = True
        return True
    number = 0
    if work_on_batches is not None:
        for number in work_on_batches(problems):
            stream.progress(f"{number} problems")
    else:
        for number, (line, text) in enumerate(problems.texts, 1):
            problem = read_problem(text, problems.name, line, products=has_arrays(option_point, options.shape))
            went_on = attempt_problem(
                stream, options, problem, option_point, work, fail,
                single=problems.single, imaginary=imaginary, read=read,
            )  # fmt: skip
            stream.progress(f"{number} problems")
            if not went_on:
                break
    stream.clear_progress()
    if number == 0:
        raise RequestError("there is no problem in the input", help="write one per line, such as x^2 @ x=3")
    stream.nothing_solved = stream.solved == 0
    return True


def attempt_problem(
    stream: Stream, options: ProblemOptions, problem: Problem | AdcliError, option_point: dict[str, float],
    work: Callable[[PreparedProblem], None], fail: Callable[[AdcliError], None], *, single: bool = False,
    imaginary: bool = False, read: Callable[[Problem], Problem] = lambda problem: problem,
) -> bool:  # fmt: skip
    """Work on one problem, or print its error; return whether the next problem follows.

    A problem is `single` if it is the only one; with `imaginary` its numbers are complex. It is False only after an
    error with --fail-fast or --debug. An exception that is not an AdcliError becomes a message, with --debug it is
    raised. Raises OutputProblem and OSError, because the output cannot be written.
    """
    try:
        if isinstance(problem, AdcliError):
            raise problem
        work(_prepare(read(problem), stream, option_point, single, imaginary, options))
        stream.solve()
    except (OutputProblem, OSError):
        raise
    except Exception as error:  # a defect of adcli loses one problem, not those after it
        if isinstance(error, AdcliError):
            message = error
        elif options.debug:
            raise
        else:
            message = accident(error)
        if isinstance(message, OtherCommand) and options.at and single:
            import shlex

            message.at(" --at ".join(map(shlex.quote, options.at)))
        if message.span is None and not single and isinstance(problem, Problem):
            first_line = problem.source.text.partition("\n")[0].rstrip()
            message.span = Span(0, len(first_line), problem.source)
        stream.error(message)
        fail(message)
        return not (options.fail_fast or options.debug)
    return True


def _prepare(
    problem: Problem, stream: Stream, option_point: dict[str, float], single: bool, imaginary: bool,
    options: ProblemOptions,
) -> PreparedProblem:  # fmt: skip
    """Return the problem parsed, with its point; names of --wrt of more than one letter are read as variables, too.

    With `imaginary` numbers are complex. If --wrt names a letter that occurs only in products without a sign, as x in
    `ax`, all of these are products. Unless the problem is `single`, only the values of `option_point` that this one
    needs are kept, and those that a name like `xy` could mean as a product (`x`, `y`).
    """
    at, problem_point = combine_point(problem, option_point, imaginary)
    note_point_conflicts(stream, problem_point, option_point, single)
    if has_arrays(at, options.shape, problem.source.text):
        return _prepare_arrays(problem, at, at if single else problem_point, options)._replace(single=single)
    known = {*at, *declared_variables(options.wrt)}
    program = read_program(problem.source, known, letters=options.letters)
    missing = {name for name in split_names(options.wrt) if len(name) == 1}.difference(program.graph.inputs.values())
    if missing and any(len(name) > 1 for name in program.graph.inputs.values()):
        again = read_program(problem.source, known, letters=True)
        program = again if missing <= set(again.graph.inputs.values()) else program
    if option_point and not single:
        inputs = set(program.graph.inputs.values())
        factors = (product_of(name, at) or () for name in inputs - at.keys())  # `xy` may mean x*y, which is suggested
        needed = inputs.union(problem_point, *factors)
        at = {name: x for name, x in at.items() if name in needed}
    return PreparedProblem(problem, program, at, single)


def has_arrays(point: Mapping[str, float], shapes: Sequence[str] = (), text: str = "") -> bool:
    """Return whether a problem has vectors or matrices: in its point, in --shape, or as a list in its `text`."""
    if shapes or any("[" in name for name in point):
        return True
    if "[" not in text:
        return False
    from ..arrays.array_points import has_list

    return has_list(text)


def _prepare_arrays(
    problem: Problem, at: dict[str, float], kept: Mapping[str, float], options: ProblemOptions
) -> PreparedProblem:
    """Return a problem with vectors or matrices, parsed; names without a value have the shapes of --shape.

    Of the values in `at` those that the problem needs stay, and those in `kept`.
    """
    from ..arrays.array_points import read_shapes
    from ..arrays.program import read_arrays, shapes_of

    shapes = {**read_shapes(options.shape), **shapes_of(at)}
    arrays = read_arrays(problem.source, shapes, options.cse, others=bool(options.shape))
    at = {name: x for name, x in at.items() if name in kept or name.partition("[")[0] in arrays.inputs}
    return PreparedProblem(problem, arrays.program, at, True, arrays)
