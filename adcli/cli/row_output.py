"""Row output: what `adcli map` and `adcli propagate` share to read files of points and to write rows and messages. A
batch is a number of rows that are computed together; carried columns are copied to the result.
"""

from __future__ import annotations

import io
import os
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, suppress
from functools import partial
from importlib import import_module
from math import nan

from ..errors import NO_EXPRESSION, AdcliError, DomainProblem, RequestError, visible
from ..extras import Needs
from ..files.points import FORMATS, PointsFile, ResultsFile, Sink
from ..notation.number_text import Digits
from ..typings import TYPE_CHECKING, TypeVar, override
from .arguments import calls_arrays, has_arrays, print_readings, read_problems
from .inputs import Inputs
from .stream import Stream

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from ..engine.point_warnings import KinkCount
    from ..files.kinds import Kind
    from ..files.mapping import LostPoints, MappedBatch, MapPlan
    from ..language.problems import Problem
    from ..language.program import Program
    from ..trace.trace_model import Trace

    Encoded = tuple[object, MappedBatch]
    Start = Callable[[Callable[[MappedBatch], Encoded]], Generator[Encoded]]

Piece = TypeVar("Piece")

_MOST_REPORTED = 5  # errors and remarks that are printed one by one
_BAR = 30


def load_numpy(what: str = "files of points") -> None:
    """Import NumPy with one thread for matrices, because starting more takes a tenth of a second.

    The number is in the environment's OPENBLAS_NUM_THREADS, which is kept if it is set, and removed again if not.
    Raises RequestError, which says that `what` need it, if it is not installed or memory is short.
    """
    known = "OPENBLAS_NUM_THREADS"
    before = os.environ.get(known)
    os.environ.setdefault(known, "1")  # read when it is loaded
    try:
        with Needs(f"{what} need NumPy", "numpy", memory=150_000_000):
            import_module("numpy")
    finally:
        if before is None:
            os.environ.pop(known, None)


def open_points_file(path: str | None, inputs: Inputs, has_commas: bool) -> AbstractContextManager[PointsFile]:
    """Open the file of points at `path` (None: standard input); return a context that yields its reader.

    With `has_commas` its numbers have decimal commas. `inputs` opens it, and has the limit of its size. Raises
    RequestError if it cannot be read or is not a file of points.
    """
    from ..files.mapping import open_points

    source = inputs.standard() if path is None else inputs.open_file(path)
    return open_points(path, source, inputs.most, has_commas)


def single_problem(expr: str | None, file: str | None, inputs: Inputs) -> Problem:
    """Return the one problem of the command line.

    It comes from the expression `expr` or the file `file`, or, if both are None or one is "-", from standard input.
    Raises RequestError if both are present, if `expr` looks like the name of a file, and if there is no problem or more
    than one; the error of a problem that cannot be read; NothingToRead if nothing is named and standard input is a
    terminal.
    """
    from ..language.problems import read_problem

    problems = read_problems(expr, file, inputs)
    texts = list(problems.texts)
    if not texts:
        raise RequestError(NO_EXPRESSION, help='write one, such as "x1*x2"')
    if len(texts) > 1:
        label = f"there are {len(texts)} expressions"
        advice = "write the outputs in one line, with semicolons between them"
        raise RequestError("a file of points takes one expression", label=label, help=advice)
    line, text = texts[0]
    problem = read_problem(text, problems.name, line)
    if isinstance(problem, AdcliError):
        raise problem
    return problem


def program_with(stream: Stream, problem: Problem, names: set[str]) -> Program:
    """Return the program of a problem in which `names` are variables, and print the notes on how it was read.

    The problem is read as a program of vectors and matrices if a name is an entry such as `x[1]`, if the text has a
    list in brackets, or if it calls a function of arrays. Then the entries are the inputs. Raises the errors of reading
    a program: SyntaxProblem, NameProblem, ArityProblem, RequestError, and ShapeProblem for arrays.
    """
    from ..files.mapping import program_of

    text = problem.source.text
    is_array = has_arrays(names, (), text)
    if not is_array:
        try:
            program = program_of(problem.source, names)
        except AdcliError as error:
            is_array = calls_arrays(text, error)
            if not is_array:
                raise
    if is_array:
        from ..arrays.array_program import read_arrays, shapes_of

        program = read_arrays(problem.source, shapes_of(names)).program
    print_readings(stream, program)
    return program


def kinds_for(reader: PointsFile, plan: MapPlan, form: str) -> Mapping[str, Kind]:
    """Return {column that `plan` carries: kind of its values} for a file in the format `form`.

    Carried columns without a kind are written as `reader` reads them.

    For a format of columns (Parquet, Arrow) these are the columns whose type the file of points does not declare, with
    "truth", "whole", "double" or "text". For a format of values (NDJSON) they are the carried columns that are inputs,
    with "input", if the points are texts. Other formats get an empty mapping.
    """
    holds = FORMATS[form].holds
    if holds == "columns":
        return reader.kinds(plan.carried)
    read = set(plan.inputs.values()) if reader.holds == "texts" and holds == "values" else ()
    return {name: "input" for name in plan.carried if name in read}


# --- output -----------------------------------------------------------------------------------------------------------


def writer_of(
    out: ResultsOut, columns: Sequence[str], kinds: Mapping[str, Kind], nan: str = "null"
) -> ResultsFile[object]:
    """Return the writer of a file with these columns in the format of `out`; `kinds` are those of carried columns.

    `nan` is how NDJSON writes nan and infinities ("null", "NaN" or "string"). JSON texts are in ASCII only on standard
    output with --ascii. Raises RequestError if a library for the format is not installed.
    """
    from ..files.mapping import results_file
    from ..render.data import json_text

    is_standard = out.stream.path is None
    spelled = partial(json_text, indent=None, ascii_only=is_standard and out.stream.ascii)
    return results_file(Sink(out.form, columns, out, is_standard, spelled, nan, kinds))


def write_rows(writer: ResultsFile[object], start: Start, reader: PointsFile, report: RowReport) -> None:
    """Write the results of all batches in order by `writer`, and complete its file.

    `start(encode)` yields what `encode` returns for each batch. Batches are counted in `report`, without their columns;
    `reader` says which part of the file is done. With --fail-fast a batch ends before its first row with an error;
    `report` raises the error after `writer` got these rows, and the file is not completed.
    """

    def encode(batch: MappedBatch) -> Encoded:
        """Return (the encoded rows of a batch, the batch without its columns)."""
        return writer.encode(batch.carried, batch.results), batch._replace(carried={}, results={})

    take_batches(start(encode), writer.put, reader, report)
    writer.finish()


def take_batches(
    batches: Generator[tuple[Piece, MappedBatch]], take: Callable[[Piece], object], reader: PointsFile,
    report: RowReport,
) -> None:  # fmt: skip
    """Pass the piece of each batch to `take`, count the batch in `report`, and show the progress of `reader`.

    A piece is taken before its batch is counted. The generator `batches` is closed at the end and after an error.
    """
    with closing(batches):
        for piece, done in batches:
            take(piece)
            report.add(done)
            report.show_progress(reader.fraction_read())


class ResultsOut(io.RawIOBase):
    """The output of a stream as a file in the format `form` (a name such as "parquet") that other libraries write; text
    may go to a terminal.
    """

    def __init__(self, stream: Stream, form: str) -> None:
        self.stream, self.form = stream, form

    @override
    def writable(self) -> bool:
        return True

    @override
    def write(self, piece: Buffer) -> int:
        """Write bytes and return their number.

        On a terminal a text format is written line by line with its control characters made visible. There, bytes after
        the last line end are dropped.
        """
        content = bytes(piece)  # Arrow passes bytes and other buffers
        if FORMATS[self.form].is_text and self.stream.is_terminal:
            self.stream.write("".join([f"{visible(line)}\n" for line in content.decode().split("\n")[:-1]]))
        else:
            self.stream.write(content)
        return len(content)


def _describe_progress(rows: int, part: float | None, seconds: float) -> str:
    """Return the progress after `seconds` as text: `rows` points so far, points per second.

    The speed is "0/s" if no time has passed, and in million/s from a million on. With `part`, the fraction that is done
    (None or 0: unknown), also a bar and the remaining time as M:SS or H:MM:SS. An example of all parts: `[######......]
    12,000 points, 3,000/s, 1:05 left`.
    """
    rate = rows / seconds if seconds > 0 else 0.0
    speed = f"{rate / 1e6:.1f} million/s" if rate >= 1e6 else f"{rate:,.0f}/s"
    text = f"{rows:,} points, {speed}"
    if not part:
        return text
    blocks = round(_BAR * part)
    left = max(round(seconds / part - seconds), 0)
    hours, minutes = divmod(left // 60, 60)
    clock = f"{hours}:{minutes:02}:{left % 60:02}" if hours else f"{minutes}:{left % 60:02}"
    return f"[{'#' * blocks}{'.' * (_BAR - blocks)}] {text}, {clock} left"


# --- messages ---------------------------------------------------------------------------------------------------------


class RowReport:
    """Messages about rows: errors for the first five that cannot be read, and at the end one note about all points
    without a value.

    `rows`, `unread`, `lost`, `strange` and `closer_looks` count rows, rows that cannot be read, points without a value,
    odd cells, and points that were tested for second derivatives without digits; `first` is the first point without a
    value, `on_kink` the count of points on kinks, None if there is none.
    """

    def __init__(self, stream: Stream, program: Program, fail_fast: bool) -> None:
        self.stream, self.program, self.fail_fast = stream, program, fail_fast
        self.rows = self.unread = self.lost = self.strange = self.closer_looks = 0
        self.first: LostPoints | None = None
        self.on_kink: KinkCount | None = None
        self._started = time.monotonic()

    def show_progress(self, part: float | None) -> None:
        """Show the progress on a terminal; `part` is the fraction that is done, None if it is not known."""
        seconds = time.monotonic() - self._started
        self.stream.progress(_describe_progress(self.rows, part, seconds), elsewhere=not self.stream.is_terminal)

    def add(self, batch: MappedBatch) -> None:
        """Count a batch and print the errors and remarks in it, up to five of each in all.

        The first point without a value and the kinks are kept. Second derivatives are examined at doubtful points, five
        in all, and at none after the first of which they have lost digits. With --fail-fast the first error in row
        order, also that of a point without a value, is raised instead of printed, after the rows of the batch are
        counted (it ends before that row).
        """
        self.rows += batch.rows
        if self.fail_fast:
            self._raise_first_error(batch)
        for _, fault in batch.faults[: max(0, _MOST_REPORTED - self.unread)]:
            self.stream.error(fault)
        self.unread += len(batch.faults)
        for remark in batch.remarks[: max(0, _MOST_REPORTED - self.strange)]:
            self.stream.note(remark, topic="cells")
        self.strange += len(batch.remarks)
        if batch.lost is not None:
            self.lost += batch.lost.points
            self.first = self.first or batch.lost
        if batch.on_kink is not None:
            self.on_kink = batch.on_kink.merge(self.on_kink)
        for place, at in batch.doubtful:
            if self.closer_looks < _MOST_REPORTED:
                self._look_closer(place, at)

    def _look_closer(self, place: str, at: dict[str, float]) -> None:
        """Print a note for each output whose second derivatives at the point `at` have lost digits.

        Nothing is printed for a point without a value. `place` is the place of the row in the note. `closer_looks` is
        raised by 1, and to the most that there may be after a note, which ends these looks.
        """
        from ..trace.hessians import lost_digits

        self.closer_looks += 1
        texts = []
        with suppress(AdcliError):  # of a point without a value
            texts = lost_digits(_trace_row(self.program, at, "reverse", hessian=True))
        for text in texts:
            self.closer_looks = _MOST_REPORTED
            note = f"second derivatives have lost digits, for example in {place}: {text}"
            self.stream.note(note, topic="conditioning")

    @property
    def has_nothing(self) -> bool:
        """Return whether there were rows, and not one has a result."""
        return 0 < self.rows == self.unread + self.lost

    def _raise_first_error(self, batch: MappedBatch) -> None:
        """Raise the error of the first row of a batch that cannot be read or has no value; return if there is none."""
        if batch.faults and (batch.lost is None or batch.faults[0][0] < batch.lost.row):
            raise batch.faults[0][1]
        if batch.lost is not None:
            raise self._find_error_of_point(batch.lost)

    def _find_error_of_point(self, lost: LostPoints) -> AdcliError:
        """Return the error of the first point of `lost` when it is evaluated alone, with a note on its place.

        Only values are computed. If the point has a value then, return a DomainProblem with the title that the batch
        reported.
        """
        where = f"{lost.place} has the point {_describe_point(lost)}"
        try:
            _trace_row(self.program, lost.at, "value")
        except AdcliError as error:
            error.notes += (where,)
            return error
        return DomainProblem(lost.title, notes=(where,))

    def finish(self) -> None:
        """Close the output (its file appears), clear the progress, and print what is left to say.

        In this order: a note on kinks; an error with the number of unread rows beyond the first five; a note on odd
        cells beyond the first five; a note on all points without a value, with the first of them, which raises the exit
        code to 3.
        """
        self.stream.close()
        self.stream.clear_progress()
        if self.on_kink is not None:
            self.stream.note(str(self.on_kink), topic="kink")
        if self.unread > _MOST_REPORTED:
            self.stream.error(RequestError(f"{self.unread - _MOST_REPORTED:,} more rows could not be read"))
        if self.strange > _MOST_REPORTED:
            self.stream.note(f"{self.strange - _MOST_REPORTED:,} more cells have control characters", topic="cells")
        if self.first is not None:
            first = f"{self.first.place} ({_describe_point(self.first)}): {self.first.title}"
            self.stream.note(count_without_value(self.lost, self.rows, first), topic="cells")
            self.stream.code = max(self.stream.code, DomainProblem.exit_code)


def _trace_row(program: Program, point: Mapping[str, float], mode: str, *, hessian: bool = False) -> Trace:
    """Return the trace of a program at one point, without its steps. Raises DomainProblem if it has no value there."""
    from ..trace.trace_model import Request
    from ..trace.trace_program import trace

    return trace(program, point, Request(mode, steps=False, hessian=hessian))


def count_without_value(count: int, rows: int, first: str) -> str:
    """Return the note that `count` of the points in `rows` rows have no value; `first` describes the first one."""
    return f"{count:,} of {rows:,} points {'has' if count == 1 else 'have'} no value; the first is {first}"


def _describe_point(lost: LostPoints) -> str:
    """Return the first six values of a point as text, with six digits; further ones as …."""
    digits = Digits(significant=6)
    shown = [f"{name} = {digits.show(x)}" for name, x in lost.at.items()]
    return ", ".join(shown[:6] + ["…"] * (len(shown) > 6))


def map_rows(stream: Stream, problem: Problem, at: Mapping[str, float], path: str, has_commas: bool) -> None:
    """Write the rows of the CSV file at `path` with value and gradient of `problem`, as `adcli map` does with NumPy.

    A row has the columns that are not inputs, then each output with its derivatives with respect to all inputs (`y`,
    `dy_dx`). `at` has values of inputs without a column (a column comes first); with `has_commas` numbers have decimal
    commas. Points without a value get NaN, one note for all of them, and exit code 3. Nothing is written if an error is
    raised. The caller knows that NumPy is missing: a file that is not CSV raises RequestError for that. Raises
    RequestError too for a row that cannot be read, and if a result would have the name of another column; NameProblem
    at the first row if an input has neither a column nor a value.
    """
    from ..files.csv_file import CsvFile, cell_text, quote_cell
    from ..files.mapping import check_distinct, list_named_columns, result_names

    with open_points_file(path, stream.inputs, has_commas) as file:
        if not isinstance(file, CsvFile):
            load_numpy()  # which is missing, as its error says
            return
        columns = list_named_columns(file.columns)
        program = program_with(stream, problem, {*columns, *at})
        inputs = list(program.graph.inputs.values())
        column_of = {name: columns[name] for name in inputs if name in columns}
        carried = [name for name in file.columns if name not in column_of.values()]
        results = list(result_names([name for name, _ in program.graph.outputs], inputs, (), hessian=False))
        check_distinct(carried, results)
        lines = [",".join(map(quote_cell, [*carried, *results]))]
        lost: list[str] = []
        for place, numbers, cells in file.points(list(column_of.values())):
            point = {name: numbers[column] for name, column in column_of.items()}
            try:
                values = _compute_row(program, {**at, **point})
            except DomainProblem as error:
                values = [nan] * len(results)
                shown = ", ".join(f"{name} = {value:g}" for name, value in point.items())
                lost.append(f"{place} ({shown}): {error.title}")
            texts = [*[cells[name] for name in carried], *[cell_text(float(x)) for x in values]]
            lines.append(",".join(map(quote_cell, texts)))
    stream.write("\n".join(lines) + "\n")
    if lost:
        stream.note(count_without_value(len(lost), len(lines) - 1, lost[0]))
        stream.code = max(stream.code, 3)


def _compute_row(program: Program, point: Mapping[str, float]) -> list[float]:
    """Return the value of each output of `program`, followed by its derivatives with respect to all inputs in order.

    Raises DomainProblem if an output has no value at `point`.
    """
    outputs = _trace_row(program, point, "reverse").outputs
    names = program.graph.inputs.values()
    return [x for output in outputs for x in (output.value, *[(output.gradient or {})[name] for name in names])]
