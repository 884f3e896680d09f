"""`adcli map`: value and gradient at very many points, from file to file."""

from __future__ import annotations

import io
import os
import time
from contextlib import closing, contextmanager
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from ...errors import AdcliError, DomainProblem, RequestError, visible
from ...extras import Needs
from ...files.points import FORMATS, SUFFIXES
from ...notation.number_text import Digits
from ...overriding import override
from ..arguments import (
    choose_format,
    combine_point,
    expression_first,
    merge_points,
    note_point_conflicts,
    read_problems,
    run_function_files,
    split_names,
    stdin_is_terminal,
    surplus_argument,
)
from ..inputs import Inputs
from ..options import Command, arguments, choice, flag, text, texts, whole
from ..shards import (
    DEFAULT_PARTS,
    MOST_SHARDS,
    AllParts,
    MadePart,
    PartsLayout,
    Shard,
    check_unchanged,
    done_before,
    every_part,
    keep_manifest,
    layout_of,
    read_shard,
    sources_of,
)
from ..shared_options import DECIMAL, FUNCTIONS, OutputOptions
from ..stream import Stream
from ..workers import cores

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from typing_extensions import Buffer

    from ...engine.point_warnings import Met
    from ...files.kinds import Kind
    from ...files.mapping import LostPoints, MappedBatch, MapPlan
    from ...files.points import PointFormat, PointsFile, RowRange, Sink
    from ...files.reductions import Reduced
    from ...language.problems import Problem
    from ...language.program import Program

_HELP = """Value and gradient of an expression at very many points.

\b
Examples:
  adcli map "log(x1)+x1*x2-sin(x2)" points.csv
  adcli map "log(x1)+x1*x2-sin(x2)" points.csv -o out.parquet
  adcli map "a*x1^2 + x2" points.parquet --at a=3 --wrt x1 -o out.csv
  adcli map "p = x1*x2; q = x1/x2; p; q" points.csv --hessian --carry id
  cat points.csv | adcli map "exp(-x1*x2)" - --format ndjson
  adcli map "x1*sin(x2)" --over x1=0:10:1000 --over x2=0:pi:500 -o grid.parquet
  adcli map "x1*sin(x2)" --sample "normal(0,1)" --n 1e6 --seed 7 --reduce mean,std,histogram

POINTS has a column for each input, and names them in its first line: CSV (separated by commas, semicolons or tabs),
NDJSON, Parquet or Arrow; - is standard input. Files of any size stream through, and rows keep their order.

Instead of POINTS: --over makes the product of equally spaced values (both ends among them), --sample draws inputs at
random: normal(mean,sigma), lognormal(mean,sigma), uniform(low,high), triangular(low,mode,high), exponential(mean),
t(freedom); "x1=normal(0,1)" is for one input, "normal(0,1)" for all that have no other value.

The result has the columns that are copied, then for each output its value y and its derivatives dy_dx1, dy_dx2, ...
A point without a value gets NaN in these (null in NDJSON), and so does a row that cannot be read.

Exit code 2: some row could not be read, 3: some point is outside a domain.
"""

ENGINES = ("auto", "numpy", "native")
NAN = ("null", "NaN", "string")


class MapRequest(OutputOptions):
    """Options of `adcli map`."""

    expr_points = arguments()
    file = text("-f", "--file", metavar="FILE", help="Read the expression from FILE.")
    at = texts("--at", metavar="x3=2,x4=pi/2", help="Values of inputs that have no column.")
    wrt = texts("--wrt", metavar="x1", help="Derivatives with respect to these inputs only.")
    hessian = flag("--hessian", help="Also compute second derivatives: d2y_dx1_dx2.")
    carry = texts("--carry", metavar="id,x1", help="Columns to copy to the output (default: all that are not inputs).")
    over = texts(
        "--over", metavar="x1=0:10:1000", help="Grid of points instead of a file; several --over make their product."
    )
    sample = texts("--sample", metavar="normal(0,1)", help='Draw inputs at random; "x1=normal(0,1)" is for one input.')
    count = text("--n", metavar="1e6", help="Number of random points; with a grid, one is drawn for each grid point.")
    random_seed = whole("--seed", between=(0, 2**32 - 1), help="Seed of the random numbers.", default=0)
    reduce = texts(
        "--reduce",
        metavar="mean,std,min,max,histogram",
        help="Print summary statistics, one row for each result column, instead of rows.",
    )
    engine = choice(
        "--engine",
        choices=ENGINES,
        help="Engine that computes: NumPy, or machine code compiled by LLVM.",
        default="auto",
    )
    fast = flag("--fast", help="Let machine code round products and sums together (changes last digits).")
    workers = whole("--workers", between=(1, 256), help="Number of threads (default: number of cores).")
    functions = FUNCTIONS
    decimal = DECIMAL
    fail_fast = flag("--fail-fast", help="Stop at the first row that fails.")
    shard = text(
        "--shard",
        metavar="3/16",
        help="Compute one part of the rows; with -o out.csv it goes to out-00003-of-00016.csv.",
    )
    shards = whole(
        "--shards",
        between=(1, MOST_SHARDS),
        help="Number of parts, computed one after the other (default with --dask: 64).",
        metavar="16",
    )
    resume = flag("--resume", help="Skip existing parts that were made from the same input.")
    dask = text("--dask", metavar="ADDRESS", help="Compute the parts on this Dask cluster: tcp://host:8786.")
    nan = choice("--nan", choices=NAN, help='How NDJSON writes nan and infinities; string: "NaN".', default="null")
    wanted = choice(
        "--format", choices=tuple(FORMATS), help="Output format (default: by the suffix of the output, else csv)."
    )


_MOST_REPORTED = 5  # errors and remarks that are printed one by one
_BAR = 30
# What the message about a part was when it was made, by its exit code.
_LACKS = {2: "some rows of it could not be read", 3: "some points of it have no value"}


def run(stream: Stream, options: MapRequest) -> int | None:
    """Map a file of points or generated points, and return the exit code.

    None if there is neither an expression nor a file. With --shards or --dask all parts are made, with --shard one part
    and its manifest; a part that exists is skipped with --resume. Raises RequestError for options that do not fit
    together.
    """
    if not options.expr_points and options.file is None and stdin_is_terminal():
        return None
    from ...files.mapping import named_columns, planned, program_of

    whole = str(options.path)
    shard, options = _shard(options)
    options.configure(stream)
    form = choose_format(options.wanted, options.path, tuple(FORMATS), "csv", SUFFIXES)
    expr, path = _expression_and_points(options)
    if options.shards is not None or options.dask is not None:
        every = AllParts(options.shards or DEFAULT_PARTS, whole, options.expr_points, options.dask)
        return every_part(stream, options, COMMAND.options, every)
    load_numpy()
    run_function_files(options.functions, stream.inputs)
    problem = single_problem(expr, options.file, stream.inputs)
    option_point = merge_points(options.at, "--at")
    at, problem_point = combine_point(problem, option_point)
    note_point_conflicts(stream, problem_point, option_point, single=True)
    sources = None if shard is None else sources_of(shard, options, problem.source.text, path)
    if sources is not None and options.resume and (code := done_before(sources, str(options.path))) is not None:
        if code:
            stream.note(f"part {sources.shard.text} is there; {_LACKS[code]}", topic="cells")
        return code
    with _points(options, problem, at, path, stream.inputs) as reader:
        columns = named_columns(reader.columns)
        program = program_of(problem.source, {*columns, *at})
        for reading in program.readings:
            stream.note(reading.text, once=True, topic=reading.topic)
        plan = planned(
            program, at, columns, reader, engine=options.engine, hessian=options.hessian, fast=options.fast,
            wrt=split_names(options.wrt), carry=_carry(options, reader),
        )._replace(fail_fast=options.fail_fast)  # fmt: skip
        if options.fast and plan.kernel.engine == "numpy":
            stream.note("--fast has no effect: NumPy rounds every operation separately", topic="unused")
        for name in at:
            if name in plan.inputs:
                stream.note(f"{name} has a column, which is used; its value in the point is ignored", topic="unused")
        report = RowReport(stream, program, options.fail_fast)
        if options.path is not None:
            stream.write(b"")  # fails early if nothing can be written
        if options.reduce:
            _write_statistics(stream, options, form, reader, plan, report)
        else:
            out = ResultsOut(stream, FORMATS[form].is_text, is_known=sources is not None)
            within = None
            if sources is None:
                kinds = kinds_for(reader, plan, FORMATS[form])
            else:
                layout = layout_of(stream, sources, whole, partial(_layout, reader, plan, form, sources.shard.parts))
                within, kinds = layout.ranges[sources.shard.number - 1], layout.kinds
            _write_rows(stream, options, form, reader, plan, report, out, kinds, within)
            if sources is not None:
                check_unchanged(sources, path)
    stream.nothing_solved = report.has_nothing and shard is None  # a part without values is still a part
    stream.close()
    stream.clear_progress()
    report.finish()
    if sources is not None and within is not None:
        part = MadePart(plan.kernel.engine, stream.code, report.rows, within, out.length, out.sha256)
        keep_manifest(sources, part, str(options.path))
    return stream.code


def load_numpy(what: str = "files of points") -> None:
    """Import NumPy with one thread for matrices, because starting more takes a tenth of a second. Raises RequestError
    if it is not installed, or memory is short."""
    known = "OPENBLAS_NUM_THREADS"
    before = os.environ.get(known)
    os.environ.setdefault(known, "1")  # read when it is loaded
    try:
        with Needs(f"{what} need NumPy", "numpy", memory=150_000_000):
            import_module("numpy")
    finally:
        if before is None:
            os.environ.pop(known, None)


def _shard(options: MapRequest) -> tuple[Shard | None, MapRequest]:
    """Return the part of --shard (None: all rows) and the options, whose output is then the file of that part.

    Raises RequestError if parts are combined with standard output or input, with --reduce, or --shard with --shards.
    """
    many = options.shards is not None or options.dask is not None
    if options.shard is None and not many:
        if options.resume:
            raise RequestError("--resume is for parts", help="make parts: --shards 16 --resume")
        return None, options
    flag = "--shard" if options.shard is not None else "--shards" if options.shards is not None else "--dask"
    if options.path is None:
        raise RequestError(f"{flag} needs a file for the parts", help="name one: -o out.parquet")
    if options.reduce:
        raise RequestError(f"{flag} writes rows, --reduce writes statistics", help="leave one of them out")
    if options.shard is not None and many:
        raise RequestError("--shard is one part, --shards are all", help="leave one of them out")
    if "-" in options.expr_points or (
        len(options.expr_points) + (options.file is not None) < 2 and not _is_generated(options)
    ):
        raise RequestError("parts need a file; standard input can be read only once", help="save it in a file")
    if options.shard is None:
        return None, options
    shard = read_shard(options.shard)
    return shard, MapRequest(**{**vars(options), "output": shard.path(options.path)})


@contextmanager
def _points(
    options: MapRequest, problem: Problem, at: Mapping[str, float], path: str | None, inputs: Inputs
) -> Iterator[PointsFile]:
    """Open the points, those of the file at `path` (None: standard input) or generated ones (--over, --sample).

    `at` has the inputs with one value; samples without a name are for the other inputs. Raises RequestError if the file
    or an option cannot be read.
    """
    from ...files.mapping import opened, program_of

    if not _is_generated(options):
        source = inputs.standard() if path is None else inputs.opened(path)
        with opened(path, source, inputs.most, options.decimal == "comma") as reader:
            yield reader
        return
    from ...files.generated import generated, read_axes, read_samples, whole_number

    axes, samples = read_axes(options.over), read_samples(options.sample)
    rows = None if options.count is None else whole_number(options.count, "--n")
    names = {*[axis.name for axis in axes], *[sample.name for sample in samples if sample.name], *at}
    open_inputs = [name for name in program_of(problem.source, names).graph.inputs.values() if name not in at]
    yield generated(axes, samples, open_inputs, rows, options.random_seed)


def _is_generated(options: MapRequest) -> bool:
    """Return whether the points are generated (--over or --sample), not read from a file."""
    return bool(options.over or options.sample)


def _carry(options: MapRequest, reader: PointsFile) -> Sequence[str] | None:
    """Return the columns to copy to the output; None for all that are not inputs.

    Of generated points all columns are copied, with --reduce none. Raises RequestError for --carry with --reduce.
    """
    if options.carry:
        if options.reduce:
            raise RequestError("--reduce writes no rows, so --carry has no effect", help="leave --carry out")
        return split_names(options.carry)
    if options.reduce:
        return ()
    return reader.columns if _is_generated(options) else None


def _sink(
    stream: Stream, options: MapRequest, form: str, columns: Sequence[str], kinds: Mapping[str, Kind], out: ResultsOut
) -> Sink:
    """Return the description of the output file: its format `form`, columns, target and how numbers and texts are
    written.
    """

    from ...files.points import Sink
    from ...render.data import json_text

    spelled = partial(json_text, indent=None, ascii_only=options.path is None and stream.ascii)
    return Sink(form, columns, out, options.path is None, spelled, options.nan, kinds)


def _write_rows(
    stream: Stream, options: MapRequest, form: str, reader: PointsFile, plan: MapPlan, report: RowReport,
    out: ResultsOut, kinds: Mapping[str, Kind], within: RowRange | None,
) -> None:  # fmt: skip
    """Write one row for each point in the format `form`, and add each batch to `report`.

    `within` is the part of the rows that is written (None: all); `kinds` are those of the carried columns.
    """
    from ...files.mapping import results_file, streamed

    writer = results_file(_sink(stream, options, form, plan.columns, kinds, out))

    def encoded(done: MappedBatch) -> tuple[object, MappedBatch]:
        return writer.encoded(done.carried, done.results), done._replace(carried={}, results={})

    with closing(
        streamed(reader, plan, encoded, kinds=kinds, within=within, workers=options.workers or cores())
    ) as batches:
        for piece, done in batches:
            writer.put(piece)
            report.add(done)
            report.show_progress(reader.part())
    writer.finish()


def _layout(reader: PointsFile, plan: MapPlan, form: str, parts: int) -> PartsLayout:
    """Return where each of `parts` parts begins and the kinds of carried columns; all points are read once for it."""
    return PartsLayout(reader.ranges(parts), kinds_for(reader, plan, FORMATS[form]))


def _write_statistics(
    stream: Stream, options: MapRequest, form: str, reader: PointsFile, plan: MapPlan, report: RowReport
) -> None:
    """Write the statistics of --reduce in the format `form`, one row for each result column, and add each batch of
    points to `report`.
    """
    from ...files.mapping import results_file, streamed
    from ...files.reductions import reduced, statistics, table_of

    names = statistics(split_names(options.reduce))

    def reduce_batch(done: MappedBatch) -> tuple[dict[str, Reduced], MappedBatch]:
        columns = {name: reduced(column, "histogram" in names) for name, column in done.results.items()}
        return columns, done._replace(carried={}, results={})

    every: dict[str, Reduced] = {}
    with closing(streamed(reader, plan, reduce_batch, workers=options.workers or cores())) as batches:
        for here, done in batches:
            every = {name: every[name].joined(x) if every else x for name, x in here.items()}
            report.add(done)
            report.show_progress(reader.part())
    table = table_of(every, names)
    out = ResultsOut(stream, FORMATS[form].is_text)
    writer = results_file(_sink(stream, options, form, list(table), {}, out))
    writer.put(writer.encoded(table, {}))
    writer.finish()


def kinds_for(reader: PointsFile, plan: MapPlan, form: PointFormat) -> Mapping[str, Kind]:
    """Return the kind of each carried column in a file of this format; columns that stay as they are may be missing.

    A format of columns gets the kinds of the reader. A format of values gets "input" for columns that are inputs, if
    the points are texts.
    """
    if form.holds == "columns":
        return reader.kinds(plan.carried)
    read = set(plan.inputs.values()) if reader.holds == "texts" and form.holds == "values" else ()
    return {name: "input" for name in plan.carried if name in read}


def _expression_and_points(options: MapRequest) -> tuple[str | None, str | None]:
    """Return the expression (None: --file has it, "-": standard input) and the file of points (None: standard input or
    generated).

    Raises RequestError for too many arguments, missing points, or options that are only for generated points.
    """
    texts = [*([None] if options.file is not None else []), *expression_first(options.expr_points)]
    if _is_generated(options):
        if len(texts) > 1:
            raise RequestError(
                "there are both a file of points and generated points", label=f"the file is {texts[1]}",
                help="leave the file out, or --over and --sample",
            )  # fmt: skip
        return texts[0] if texts else "-", None
    for option, value in (("--n", options.count), ("--seed", options.random_seed or None)):
        if value is not None:
            raise RequestError(f"{option} is for random points", help='draw them: --sample "normal(0,1)"')
    if len(texts) > 2:
        raise surplus_argument("map", texts[2])
    expr = texts[0] if texts else "-"
    path = texts[1] if len(texts) > 1 else "-"
    if path == "-" and (expr == "-" or (expr is None and options.file == "-")):
        raise RequestError("there are no points", help='name a file of them: adcli map "x1*x2" points.csv')
    if path == "-" and stdin_is_terminal():
        raise RequestError("there are no points", help="name a file of them, or pipe them in")
    return expr, None if path == "-" else path


def single_problem(expr: str | None, file: str | None, inputs: Inputs) -> Problem:
    """Return the one problem of the command line, from the expression `expr` or the file `file`.

    Raises RequestError if there is none or more than one, and the error of a problem that cannot be read.
    """
    from ...language.problems import read_problem

    problems = read_problems(expr, file, inputs)
    texts = list(problems.texts) if problems is not None else []
    if problems is None or not texts:
        raise RequestError("there is no expression", help='write one, such as "x1*x2"')
    if len(texts) > 1:
        raise RequestError(
            "adcli map takes one expression", label=f"here are {len(texts)}", help="separate outputs by semicolons"
        )
    line, text = texts[0]
    problem = read_problem(text, problems.name, line)
    if isinstance(problem, AdcliError):
        raise problem
    return problem


# --- output -----------------------------------------------------------------------------------------------------------


class ResultsOut(io.RawIOBase):
    """The output of a stream as a file that other libraries write; text may go to a terminal.

    With `is_known` the length and the SHA-256 of all bytes are kept, for the manifest of a part.
    """

    def __init__(self, stream: Stream, is_text: bool, is_known: bool = False) -> None:
        """Write to the stream, as text if `is_text`; with `is_known` the SHA-256 of what is written is computed on the
        way.
        """
        self.stream, self.is_text = stream, is_text
        self.length = 0
        self._digest = None
        if is_known:
            from hashlib import sha256

            self._digest = sha256()

    @property
    def sha256(self) -> str:
        """Return the SHA-256 of all bytes that were written, in hex; "" without `is_known`."""
        return "" if self._digest is None else self._digest.hexdigest()

    @override
    def writable(self) -> bool:
        return True

    @override
    def write(self, piece: Buffer) -> int:
        """Write bytes and return their number; text on a terminal has its control characters made visible."""
        content = bytes(piece)  # Arrow passes bytes and other buffers
        if self.is_text and self.stream.is_terminal:
            self.stream.write("".join([f"{visible(line)}\n" for line in content.decode().split("\n")[:-1]]))
        else:
            self.stream.write(content)
            if self._digest is not None:
                self._digest.update(content)
                self.length += len(content)
        return len(content)


def _progress_text(rows: int, part: float | None, seconds: float) -> str:
    """Return the progress as text: `rows` points so far and points per second.

    With `part`, the fraction that is done (None: unknown), also a bar and the remaining time.
    """
    rate = rows / seconds if seconds > 0 else 0.0
    speed = f"{rate / 1e6:.1f} million/s" if rate >= 1e6 else f"{rate:,.0f}/s"
    text = f"{rows:,} points, {speed}"
    if not part:
        return text
    filled = round(_BAR * part)
    left = max(round(seconds / part - seconds), 0)
    hours, minutes = divmod(left // 60, 60)
    clock = f"{hours}:{minutes:02}:{left % 60:02}" if hours else f"{minutes}:{left % 60:02}"
    return f"[{'#' * filled}{'.' * (_BAR - filled)}] {text}, {clock} left"


# --- messages ---------------------------------------------------------------------------------------------------------


class RowReport:
    """Messages about rows: errors for the first five that cannot be read, and at the end one note about all points
    without a value.

    `rows`, `unread`, `lost` and `strange` count rows, rows that cannot be read, points without a value, and odd cells.
    """

    def __init__(self, stream: Stream, program: Program, fail_fast: bool) -> None:
        self.stream, self.program, self.fail_fast = stream, program, fail_fast
        self.rows = self.unread = self.lost = self.strange = 0
        self.first: LostPoints | None = None
        self.met: Met | None = None
        self._started = time.monotonic()

    def show_progress(self, part: float | None) -> None:
        """Show the progress on a terminal; `part` is the fraction that is done, None if it is not known."""
        passed = time.monotonic() - self._started
        self.stream.progress(_progress_text(self.rows, part, passed), elsewhere=not self.stream.is_terminal)

    def add(self, done: MappedBatch) -> None:
        """Count a batch and print its first errors and remarks. With --fail-fast the first error is raised."""
        self.rows += done.rows
        if self.fail_fast:
            self._stop(done)
        for _, fault in done.faults[: max(0, _MOST_REPORTED - self.unread)]:
            self.stream.error(fault)
        self.unread += len(done.faults)
        for remark in done.remarks[: max(0, _MOST_REPORTED - self.strange)]:
            self.stream.note(remark, topic="cells")
        self.strange += len(done.remarks)
        if done.lost is not None:
            self.lost += done.lost.points
            self.first = self.first or done.lost
        if done.met is not None:
            self.met = done.met.joined(self.met)

    @property
    def has_nothing(self) -> bool:
        """Return whether there were rows, and not one has a result."""
        return 0 < self.rows == self.unread + self.lost

    def _stop(self, done: MappedBatch) -> None:
        """Raise the error of the first row of a batch that cannot be read or has no value, if there is one."""
        if done.faults and (done.lost is None or done.faults[0][0] < done.lost.row):
            raise done.faults[0][1]
        if done.lost is not None:
            raise self._error_of_point(done.lost)

    def _error_of_point(self, lost: LostPoints) -> AdcliError:
        """Return the error of evaluating this point alone, with a note about its place; if that has a value, a
        DomainProblem with the reported title."""
        from ...trace.model import Request
        from ...trace.trace_program import trace

        where = f"{lost.place} has the point {_point(lost)}"
        try:
            trace(self.program, lost.at, Request("value", steps=False))
        except AdcliError as error:
            error.notes += (where,)
            return error
        return DomainProblem(lost.title, notes=(where,))

    def finish(self) -> None:
        """Print what is left to say: kinks, the number of further errors and remarks, and of points without a value,
        which sets the exit code 3."""
        if self.met is not None:
            self.stream.note(str(self.met), topic="kink")
        if self.unread > _MOST_REPORTED:
            self.stream.error(RequestError(f"{self.unread - _MOST_REPORTED:,} more rows could not be read"))
        if self.strange > _MOST_REPORTED:
            self.stream.note(f"{self.strange - _MOST_REPORTED:,} more cells have control characters", topic="cells")
        if self.first is not None:
            have = "has" if self.lost == 1 else "have"
            self.stream.note(
                f"{self.lost:,} of {self.rows:,} points {have} no value; the first is {self.first.place} "
                f"({_point(self.first)}): {self.first.title}",
                topic="cells",
            )
            self.stream.code = max(self.stream.code, DomainProblem.exit_code)


def _point(lost: LostPoints) -> str:
    """Return the first six values of a point as text, with six digits; … stands for the rest."""
    digits = Digits(significant=6)
    shown = [f"{name} = {digits.show(x)}" for name, x in lost.at.items()]
    return ", ".join(shown[:6] + ["…"] * (len(shown) > 6))


COMMAND = Command(_HELP, MapRequest, run)
