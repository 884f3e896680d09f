"""The loop over the problems of a command line, for commands that write one document per problem."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain

from ..errors import AdcliError, OtherCommand, OutputProblem, RequestError, Span
from ..language.name_parts import letters_of
from ..language.problems import NUMBER, Problem, read_problem
from ..language.program import Program, read_program, refuse_product_lists
from ..records import NamedTuple
from ..render.document_parts import Part
from ..render.formats import RECORDS
from ..trace.trace_model import Note, Request
from ..typings import TYPE_CHECKING
from . import arguments
from .pages import Pages
from .shared_options import ProblemOptions
from .stream import Stream

if TYPE_CHECKING:
    from ..arrays.array_program import ArrayProgram

    Compute = Callable[["PreparedProblem"], "ProblemResult"]
    Draw = Callable[["PreparedProblem"], tuple[str | bytes, Iterable[Note]]]
    Read = Callable[[Problem], Problem]


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
        """Return the place that starts a note, "file:line", or "line N" without a file's name; lines count from 1.

        None if the problem is `single`, an expression of one line; the only problem of a file has a place.
        """
        if self.single:
            return None
        name = self.problem.source.name
        return f"{name}:{self.problem.line}" if name else f"line {self.problem.line}"

    def without_data(self, request: Request) -> Request:
        """Return the request with `wrt` set to the inputs that the problem does not mark as data.

        Data are known numbers, which are not differentiated. The request is unchanged if the problem marks no data, if
        all inputs are data, or if the request has a `wrt` or a `seed` itself.
        """
        inputs = self.program.graph.inputs.values() if self.arrays is None else self.arrays.inputs
        wrt = self.problem.inputs_without_data(inputs)
        return request._replace(wrt=wrt) if wrt and not request.wrt and not request.seed else request


class ProblemResult(NamedTuple):
    """The result of one problem, as functions that write it, and the notes to print with it in every format.

    The functions are `data()` for plain data for JSON, `parts(named)` for tables and lines, with a heading if `named`
    is True or the problem has a label, and `lines(number)` for rows of a CSV sheet, with the problem's number from 1.
    """

    data: Callable[[], dict[str, object]]
    parts: Callable[[bool], Sequence[Part]]
    lines: Callable[[int], Iterable[dict[str, object]]]
    notes: Sequence[Note] = ()


class Results:
    """A writer for the results of all problems in the format of `pages`; `count` is their number so far."""

    def __init__(self, pages: Pages) -> None:
        self.pages, self.stream, self.form = pages, pages.stream, pages.form
        self.count = 0
        self._lines: list[Iterable[dict[str, object]]] = []
        self._first: dict[str, object] | None = None  # kept until a second record follows or the end
        self._is_list = False

    def add(self, result: ProblemResult, single: bool) -> None:
        """Write a result at once, or keep it until `finish`.

        Kept are results in CSV, in whole documents, and the first JSON record. Written at once are results in NDJSON,
        in JSON from the second record on, and in text. The result is counted (failed problems are not, see `fail`); CSV
        rows get the count, from 1, as the problem's number. A `single` problem has no heading, except if it has a label
        or in whole documents.
        """
        self.count += 1
        if self.form in RECORDS:
            self._write_record(result.data())
        elif self.form == "csv":
            self._lines.append(result.lines(self.count))
        else:
            self.pages.add(result.parts(not single or self.pages.whole))

    def fail(self, error: AdcliError) -> None:
        """Write an error as a record instead of a result; nothing happens unless the format is JSON or NDJSON.

        It is not counted by `count`, but is an item of the JSON list.
        """
        if self.form in RECORDS:
            self._write_record(error.as_dict())

    def _write_record(self, data: dict[str, object]) -> None:
        """Write a record: one line in NDJSON, an item of an indented list in JSON.

        The first JSON record is kept until a second one starts the list; then both are written. A record that stays
        alone is written by `finish`, without a list.
        """
        if self.form == "ndjson":
            self._write(data, None, "", "\n")
        elif self._is_list:
            self._write(data, 2, ",\n  ", "")
        elif self._first is not None:
            self._write(self._first, 2, "[\n  ", "")
            self._write(data, 2, ",\n  ", "")
            self._first, self._is_list = None, True
        else:
            self._first = data

    def _write(self, data: dict[str, object], indent: int | None, before: str, after: str) -> None:
        """Write a record in blocks, with text `before` and `after`; `indent` is that of JSON (None: one line).

        With a text `before`, the lines after the first are indented by two more blanks; the first has its own in
        `before`.
        """
        from ..render.data import json_pieces

        pieces = json_pieces(data, indent, ascii_only=self.stream.ascii)
        if before:
            pieces = (piece.replace("\n", "\n  ") for piece in pieces)
        self.stream.write_pieces(chain((before,), pieces, (after,)))

    def write_all(self, options: ProblemOptions, compute: Compute, read: Read = lambda problem: problem) -> None:
        """Work on every problem of the command line, write its result and print its notes, and finish the output.

        `compute(problem)` returns the result; an AdcliError that it raises is printed, and written as a record in JSON.
        `read(problem)` returns the problem after this command has taken its own parts out of it, such as uncertainties.
        Problems are worked on one after the other, in this process. Raises NothingToRead if no problem is named and
        standard input is a terminal, RequestError if the input has no problem.
        """

        def work(prepared: PreparedProblem) -> None:
            """Write the result of one problem and print its notes."""
            result = compute(prepared)
            self.add(result, prepared.single)
            print_notes(self.stream, result.notes, prepared)

        ProblemLoop(self.stream, options, work, self.fail, read).run()
        self.finish()

    def finish(self) -> None:
        """Write what was kept; nothing if nothing was kept.

        That is the whole document, the end of a JSON list, a single JSON record, or the CSV sheet.
        """
        self.pages.finish()
        if self._is_list:
            self.stream.write("\n]\n")
        elif self._first is not None:
            self._write(self._first, 2, "", "\n")
        elif self._lines:
            from ..render.data import sheet_pieces

            self.stream.write_pieces(sheet_pieces(self._lines))


def print_notes(stream: Stream, notes: Iterable[Note], prepared: PreparedProblem) -> None:
    """Print notes to standard error, each with the problem's place in front if there are several problems.

    A note of the kind "reading" appears once a run and without a place. The topic by which a note can be hidden is its
    `topic`, else its kind.
    """
    for note in notes:
        reading = note.kind == "reading"
        stream.note(note.text, None if reading else prepared.where, once=reading, topic=note.topic or note.kind)


class ProblemLoop:
    """The loop of a command over its problems: `work` gets each of them, `fail` each error after it was printed.

    `read(problem)` returns the problem without the parts that the command itself reads, such as uncertainties.
    """

    def __init__(
        self, stream: Stream, options: ProblemOptions, work: Callable[[PreparedProblem], None],
        fail: Callable[[AdcliError], None] = lambda _: None,
        read: Read = lambda problem: problem,
    ) -> None:  # fmt: skip
        self.stream, self.options, self.work, self.fail, self.read = stream, options, work, fail, read

    def run(self, work_on_batches: Callable[[arguments.ProblemTexts], Iterator[int]] | None = None) -> None:
        """Work on every problem of the command line, print the errors one by one, and show the progress.

        Runs the files of --functions first. `work_on_batches(problems)`, if present, replaces the loop and yields the
        number of problems done so far. An --at that cannot be read is printed once, with --debug raised, and no problem
        is worked on. The loop ends after an error with --fail-fast or --debug. At the end `stream.nothing_solved` tells
        whether no problem was solved.

        Raises NothingToRead if the command line names no problem and standard input is a terminal, RequestError if the
        input has no problem, there are both an expression and a file, or a file of --functions is missing or fails.
        """
        stream, options = self.stream, self.options
        problems = arguments.read_problems(options.expr, options.file, stream.inputs)
        arguments.run_function_files(options.functions, stream.inputs)
        try:
            option_point = arguments.merge_points(options.at, "--at", options.complex)
        except AdcliError as error:
            error.help = _name_values(options) or error.help
            refuse_all(stream, options, error, self.fail)
            return
        number = 0
        for number in (work_on_batches or partial(self._work_on_each, option_point))(problems):
            stream.progress(f"{number} problems")
        stream.clear_progress()
        if number == 0:
            raise RequestError("there is no problem in the input", help="write one per line, such as x^2 @ x=3")
        stream.nothing_solved = stream.solved == 0

    def _work_on_each(self, option_point: dict[str, float], problems: arguments.ProblemTexts) -> Iterator[int]:
        """Work on one problem after the other and yield their number so far, failed ones included.

        The last number is that of a problem with an error if there is --fail-fast or --debug. `option_point` has the
        values of --at.
        """
        for number, (line, text) in enumerate(problems.texts, 1):
            products = arguments.has_arrays(option_point, self.options.shape)
            problem = read_problem(text, problems.name, line, products=products)
            went_on = self.attempt(problem, option_point, problems.single)
            yield number
            if not went_on:
                return

    def attempt(self, problem: Problem | AdcliError, option_point: dict[str, float], single: bool = False) -> bool:
        """Work on one problem, and return whether the next problem follows.

        The problem is counted as solved, or its error is printed and `fail` called with it. `problem` may be the error
        with which it could not be read. `option_point` has the values of --at, which are combined with the problem's
        own. `single` says that it is the only problem. If an error then advises another command, --at is added to that
        command; with several problems, an error without a place shows the first line of the problem.

        The result is False only after an error with --fail-fast or --debug. An AdcliError is printed with --debug, too;
        another exception becomes a message, but with --debug it is raised. Raises OutputProblem and OSError, because
        the output cannot be written.
        """
        try:
            if isinstance(problem, AdcliError):
                raise problem
            self.work(self._prepare(self.read(problem), option_point, single))
            self.stream.count_solved()
        except (OutputProblem, OSError):
            raise
        except Exception as error:  # a defect of adcli loses one problem, not those after it
            if isinstance(error, AdcliError):
                message = error
            elif self.options.debug:
                raise
            else:
                from .user_modules import explain_failure

                message = explain_failure(error)
            if isinstance(message, OtherCommand) and self.options.at and single:
                import shlex

                message.at(" --at ".join(map(shlex.quote, self.options.at)))
            if message.span is None and not single and isinstance(problem, Problem):
                first_line = problem.source.text.partition("\n")[0].rstrip()
                message.span = Span(0, len(first_line), problem.source)
            self.stream.error(message)
            self.fail(message)
            return not (self.options.fail_fast or self.options.debug)
        return True

    def _prepare(self, problem: Problem, option_point: dict[str, float], single: bool) -> PreparedProblem:
        """Return the problem parsed, with its point, and print notes on values that differ from --at.

        Names of --wrt of more than one letter are read as variables, too. The values of the problem's own point replace
        those of `option_point` (from --at); with --complex they may be complex. If the problem is not `single`, only
        those values of `option_point` are kept that it needs, and those that a name like `xy` could mean as a product
        (`x`, `y`). A problem with vectors or matrices (an entry such as `x[1]` in the point, a --shape, or a list in
        brackets) is read as a program of arrays; so is one that cannot be read as numbers and calls a function of
        arrays (if that fails too, the first error is raised). Raises an AdcliError if the problem cannot be read, but
        not for an input without a value.
        """
        options = self.options
        at, problem_point = arguments.combine_point(problem, option_point, options.complex)
        arguments.note_point_conflicts(self.stream, problem_point, option_point, single)
        if arguments.has_arrays(at, options.shape, problem.source.text):
            return _prepare_arrays(problem, at, problem_point, single, options)
        known = {*at, *arguments.declared_variables(options.wrt)}
        try:
            program = read_program(problem.source, known, letters=options.letters)
        except AdcliError as error:
            if not arguments.calls_arrays(problem.source.text, error):
                raise
            try:
                return _prepare_arrays(problem, at, problem_point, single, options)
            except AdcliError:
                raise error from None
        program = _split_letters_of_wrt(problem, program, known, options)
        if option_point and not single:
            from ..table.suggest import product_of

            inputs = set(program.graph.inputs.values())
            # `xy` may mean x*y, which is suggested.
            factors = (product_of(name, at) or () for name in inputs - at.keys())
            needed = inputs.union(problem_point, *factors)
            at = {name: x for name, x in at.items() if name in needed}
        return PreparedProblem(problem, program, at, single)


def _name_values(options: ProblemOptions) -> str:
    """Return the help for an --at of numbers alone, as in `3,4` or `(3, 4)`; "" for other points.

    The help is such as "write the names of the inputs, too: x=3,y=4". The texts of --at are joined with commas;
    brackets around the whole are dropped, `;` counts as `,`. For a single input, two whole numbers are one with a
    decimal comma: `3,4` becomes x=3.4. Return "" unless all parts are numbers, as many as the expression has inputs.
    """
    from .usage_errors import list_inputs  # only needed after an error

    inputs = list_inputs(options.expr or "")
    text = ",".join(options.at).strip("()[]{} ").replace(";", ",")
    numbers = [number.strip() for number in text.split(",")]
    if len(inputs) == 1 and len(numbers) == 2 and all(number.isdecimal() for number in numbers):
        numbers = [".".join(numbers)]
    if len(numbers) != len(inputs) or not all(map(NUMBER.match, numbers)):
        return ""
    values = ",".join(f"{name}={number}" for name, number in zip(inputs, numbers, strict=True))
    return f"write the {'names of the inputs' if len(inputs) > 1 else 'name of the input'}, too: {values}"


def refuse_all(stream: Stream, options: ProblemOptions, error: AdcliError, fail: Callable[[AdcliError], None]) -> None:
    """Print an error of the options, for which no problem can be solved; with --debug only raise it.

    After printing `fail` is called with the error, and `stream.nothing_solved` is set.
    """
    if options.debug:
        raise error
    stream.error(error)
    fail(error)
    stream.nothing_solved = True


def second_problem(title: str, prepared: PreparedProblem, advice: str) -> OutputProblem:
    """Return the error for a problem after the only one that is allowed; its label says where the problem is."""
    source = prepared.problem.source
    return OutputProblem(
        title, label=f"another one is on line {source.first_line} of {source.name or 'the input'}", help=advice
    )


def draw_each(stream: Stream, options: ProblemOptions, form: str, draw: Draw) -> None:
    """Draw every problem of the command line and print its notes; `draw(problem)` returns (picture, notes).

    `form` is the name of the format. In `plain`, pictures are written one after the other with empty lines between
    them. In all other formats the only picture is written at the end. A further problem after it raises OutputProblem,
    and then nothing is written. Nothing is written either if all problems fail. Raises NothingToRead if no problem is
    named and standard input is a terminal, RequestError if the input has no problem.
    """
    drawings: list[str | bytes] = []

    def work(prepared: PreparedProblem) -> None:
        """Draw one problem: write it at once in `plain`, keep it in other formats.

        Raises OutputProblem for a second picture that is not plain.
        """
        if drawings and form != "plain":
            raise second_problem(
                "a picture shows one problem", prepared, "draw the problems one by one, or choose --format plain"
            )
        picture, notes = draw(prepared)
        if form == "plain":
            stream.write("\n" * bool(drawings) + str(picture))
        drawings.append("" if form == "plain" else picture)
        print_notes(stream, notes, prepared)

    ProblemLoop(stream, options, work).run()
    if form != "plain" and drawings:
        stream.write(drawings[0])


def _split_letters_of_wrt(
    problem: Problem, program: Program, known: Collection[str], options: ProblemOptions
) -> Program:
    """Return `problem` read again with names of several letters as products, if --wrt names a letter in them.

    With --wrt x the name `ax` becomes a·x. The problem is read again in two cases, if an input of several letters is
    not in `known`: a letter of --wrt is not an input; or such a letter is in a name of two letters, while a note says
    that another name was read as a product (t in `ut + at^2`). The result is `program`, the problem as it was read, in
    all other cases, and if not all letters of --wrt are inputs after reading again. Errors of reading again are raised.
    `known` are the names that are never split.
    """
    inputs = set(program.graph.inputs.values())
    letters = {name for name in arguments.split_names(options.wrt) if len(name) == 1}
    runs = [name for name in inputs.difference(known) if len(name) > 1]
    has_products = any(reading.topic == "notation" for reading in program.readings)
    hidden = {letter for name in runs if has_products and len(name) == 2 for letter in letters_of(name)}
    if not (runs and letters) or (letters <= inputs and not letters & hidden):
        return program
    again = read_program(problem.source, known, letters=True)
    return again if letters <= set(again.graph.inputs.values()) else program


def _prepare_arrays(
    problem: Problem, at: dict[str, float], problem_point: Mapping[str, float], single: bool, options: ProblemOptions
) -> PreparedProblem:
    """Return a problem with vectors or matrices, parsed.

    `at` has all values that the problem may use, by entry (`W[1,2]`), `problem_point` the values of its own point. The
    shape of a name is that of its values in `at`, or without values that of --shape; an array of one entry counts as a
    number (`x[1]` becomes `x`). A name without values and shape is a number in two cases: there is a --shape; or the
    command has open inputs and a value or the text has an array. Otherwise the name is an error. The result keeps all
    values of `at` if the problem is `single`, otherwise those of its inputs and of `problem_point`; `at` itself is not
    changed. Raises an AdcliError if shapes do not fit, the text cannot be read, or it has a list without commas such as
    `[x y]`.
    """
    from ..arrays.array_points import read_shapes
    from ..arrays.array_program import read_arrays, shapes_of

    shapes = {**read_shapes(options.shape), **shapes_of(at)}
    numbers = {f"{name}[1]": name for name, shape in shapes.items() if shape == (1,)}  # arrays of one entry
    shapes |= dict.fromkeys(numbers.values(), ())
    points = (at, at if single else problem_point)
    at, kept = ({numbers.get(name, name): x for name, x in point.items()} for point in points)
    has_shapes = bool(options.shape) or (options.has_open_inputs and arguments.has_arrays(at, (), problem.source.text))
    try:
        arrays = read_arrays(problem.source, shapes, options.cse, has_shapes)
        refuse_product_lists(problem.source, at, ["lists"])
    except AdcliError:
        from ..language.notations import refuse_written  # only needed after an error

        for table in ("ambiguous", "cures"):
            refuse_written(problem.source, at, table)
        raise
    at = {name: x for name, x in at.items() if name in kept or name.partition("[")[0] in arrays.inputs}
    return PreparedProblem(problem, arrays.program, at, single, arrays)
