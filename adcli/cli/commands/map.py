"""Value and gradient of an expression at very many points.

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

Instead of POINTS: --over makes a grid of equally spaced values (with both ends), --sample draws inputs at random:
normal(mean,sigma), lognormal(mean,sigma), uniform(low,high), triangular(low,mode,high), exponential(mean),
t(freedom); "x1=normal(0,1)" is for one input, "normal(0,1)" for all that have no other value.

The result has the columns that are copied, then for each output its value y and its derivatives dy_dx1, dy_dx2, ...
A point without a value gets NaN in these (null in NDJSON), and so does a row that cannot be read.

Exit code 2: some row could not be read, 3: some point is outside a domain.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import partial

from ...errors import RequestError
from ...files.points import FORMATS, SUFFIXES, PointsFile, RowRange, readable_once
from ...processes import cores
from ...typings import TYPE_CHECKING
from .. import arguments as arg
from .. import row_output, shards
from ..inputs import Inputs
from ..options import Command, NothingToRead, Option, arguments, choice, flag, text, texts, whole
from ..shared_options import DECIMAL, FUNCTIONS, OutputOptions
from ..stream import Stream

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ...files.kinds import Kind
    from ...files.mapping import MappedBatch, MapPlan
    from ...files.reductions import Reduced
    from ...language.problems import Problem

ENGINES = ("auto", "numpy", "native")
NAN = ("null", "NaN", "string")

_PARTS = "Number of parts, computed one after the other (default with --dask: 64)."


class MapRequest(OutputOptions):
    """Options of `adcli map`."""

    expr_points = arguments()
    file = text("-f", "--file", metavar="FILE", help="Read the expression from FILE.")
    at = texts("--at", metavar="x3=2,x4=pi/2", help="Values of inputs that have no column.")
    wrt = texts("--wrt", metavar="x1", help="Derivatives with respect to these inputs only.")
    hessian = flag("--hessian", help="Also compute second derivatives: d2y_dx1_dx2.")
    carry = texts("--carry", metavar="id,x1", help="Columns to copy to the output (default: all that are not inputs).")
    over = texts("--over", metavar="x1=0:10:1000", help="Grid of points instead of a file; several make their product.")
    sample = texts("--sample", metavar="normal(0,1)", help='Draw inputs at random; "x1=normal(0,1)" is for one input.')
    count = text("--n", metavar="1e6", help="Number of random points; with a grid, one is drawn for each grid point.")
    random_seed = Option(("--seed",), 0, "Seed of the random numbers.", between=(0, 2**32 - 1))
    reduce = texts("--reduce", metavar="mean,std,min,max,histogram", help="Print statistics of each result column.")
    engine = Option(("--engine",), "auto", "Compute with NumPy, or with machine code from LLVM.", choices=ENGINES)
    fast = flag("--fast", help="Let machine code round products and sums together (changes last digits).")
    workers = whole("--workers", between=(1, 256), help="Number of threads (default: number of cores).")
    functions = FUNCTIONS
    decimal = DECIMAL
    fail_fast = flag("--fail-fast", help="Stop at the first row that fails.")
    shard = text("--shard", metavar="3/16", help="Compute one part; -o out.csv writes out-00003-of-00016.csv.")
    shards = whole("--shards", between=(1, shards.MOST_SHARDS), help=_PARTS, metavar="16")
    resume = flag("--resume", help="Skip existing parts that were made from the same input.")
    dask = text("--dask", metavar="ADDRESS", help="Compute the parts on this Dask cluster: tcp://host:8786.")
    nan = Option(("--nan",), "null", 'How NDJSON writes nan and infinities; string: "NaN".', choices=NAN)
    format_name = choice("--format", choices=tuple(FORMATS), help="Output format (default: by the suffix, else csv).")


# What the message about a part was when it was made, by its exit code.
_LACKS = {2: "some rows of it could not be read", 3: "some points of it have no value"}

_SMALL = 1_000_000  # bytes of a file of points that is computed without NumPy


def run(stream: Stream, options: MapRequest) -> None:
    """Map a file of points or generated points to rows of values and derivatives, or to statistics (--reduce).

    With --shards or --dask all parts are made, each in its own file; with --shard one part and then its manifest. With
    --resume a part that exists and is unchanged is skipped. If NumPy is missing, a small CSV file with plain options is
    computed in Python. The exit code is 2 if a row cannot be read, 3 (also with such rows) if a point has no value. If
    there are rows and none has a result, an output file stays as it was, except that of a part.

    Raises NothingToRead if there is neither an expression nor a file and standard input is a terminal. Raises
    RequestError for options that do not fit together, if NumPy is needed and missing, and if the points of a part were
    changed meanwhile; AdcliError if the problem or --at cannot be read or does not fit the columns; OutputProblem if a
    part's layout or manifest cannot be written.
    """
    if not options.expr_points and options.file is None and arg.stdin_is_terminal():
        raise NothingToRead
    whole = str(options.path)
    shard, options = _choose_shard(options)
    options.configure(stream)  # with the file of the part
    form = arg.choose_format(options.format_name, options.path, tuple(FORMATS), "csv", SUFFIXES)
    expr, path = _sort_arguments(options)
    if options.shards is not None or options.dask is not None:
        _make_every_part(stream, options, whole)
        return
    small = _load_numpy(options, form, path)
    arg.run_function_files(options.functions, stream.inputs)
    problem = row_output.single_problem(expr, options.file, stream.inputs)
    option_point = arg.merge_points(options.at, "--at")
    at, problem_point = arg.combine_point(problem, option_point)
    arg.note_point_conflicts(stream, problem_point, option_point, single=True)
    if small is not None:
        row_output.map_rows(stream, problem, at, small, options.decimal == "comma")
        return
    sources = None if shard is None else shards.sources_of(shard, options, problem.source.text, path)
    if sources is not None and _is_made(stream, sources, options):
        return
    part = None
    with _open_points(options, problem, at, path, stream.inputs) as reader:
        plan, report = _plan_rows(stream, options, problem, at, reader)
        if options.path is not None:
            stream.write(b"")  # fails early if nothing can be written
        if sources is not None:
            part = _write_part(stream, options, form, reader, plan, report, sources, whole)
            shards.check_unchanged(sources, path)
        elif options.reduce:
            _write_statistics(stream, options, form, reader, plan, report)
        else:
            kinds = row_output.kinds_for(reader, plan, form)
            _write_rows(row_output.ResultsOut(stream, form), options, reader, plan, report, kinds)
    stream.nothing_solved = report.has_nothing and shard is None  # a part without values is still a part
    report.finish()
    if sources is not None and part is not None:
        shards.keep_manifest(sources, part._replace(code=stream.code), str(options.path))


def _plan_rows(
    stream: Stream, options: MapRequest, problem: Problem, at: Mapping[str, float], reader: PointsFile
) -> tuple[MapPlan, row_output.RowReport]:
    """Return (the plan for each row, the report on rows), and print the notes on both.

    These are notes on the reading of the problem, on --fast without effect (with the engine numpy), and on values of
    `at` that are ignored because the input has a column. Names in `at` that are not inputs are ignored. Raises
    NameProblem for an input with neither a column nor a value in `at`, RequestError for an unknown name in --wrt or
    --carry or a result with the name of a carried column, and the errors of reading the problem.
    """
    from ...files.mapping import list_named_columns, make_plan

    columns = list_named_columns(reader.columns)
    program = row_output.program_with(stream, problem, {*columns, *at})
    plan = make_plan(
        program, at, columns, reader, engine=options.engine, hessian=options.hessian, fast=options.fast,
        wrt=arg.split_names(options.wrt), carry=_choose_carried(options, reader),
    )._replace(fail_fast=options.fail_fast)  # fmt: skip
    if options.fast and plan.kernel.engine == "numpy":
        stream.note("--fast has no effect: NumPy rounds every operation separately", topic="unused")
    for name in at:
        if name in plan.inputs:
            stream.note(f"{name} has a column, which is used; its value in the point is ignored", topic="unused")
    return plan, row_output.RowReport(stream, program, options.fail_fast)


def _load_numpy(options: MapRequest, form: str, path: str | None) -> str | None:
    """Import NumPy and return None; if it is missing, return `path`, a file of points that can be mapped without it.

    Raises RequestError if NumPy is missing and the request is more than `row_output.map_rows` can do: small CSV to CSV
    without special options. `form` is the format of the output.
    """
    try:
        row_output.load_numpy()
    except RequestError:
        if not _is_small(options, form, path):
            raise
        return path
    return None


def _make_every_part(stream: Stream, options: MapRequest, whole: str) -> None:
    """Make all parts of --shards (64 with --dask alone), each in its own file.

    They are made one after the other, with --dask in the cluster. After a part that failed no further part is made;
    those before it stay. The exit code of the stream is raised to the highest exit code of a part. `whole` is the file
    of --output, from whose name those of the parts are made; it is not written itself. Raises RequestError if the Dask
    cluster does not answer or loses a part.
    """
    parts = options.shards or shards.DEFAULT_PARTS
    code = shards.every_part(stream, options, COMMAND.options, parts, whole, options.expr_points, options.dask)
    stream.record_exit_code(code)
    stream.drop()


def _is_made(stream: Stream, sources: shards.Sources, options: MapRequest) -> bool:
    """Return whether the part in the output file exists, made from these sources; False without --resume.

    That is if its manifest agrees with `sources` and with the length and SHA-256 of the file; a damaged manifest is as
    good as none. If True, the exit code of the stream is raised to that of the part, with a note if that is not 0, and
    the output of `stream` is discarded.
    """
    code = shards.code_of_part(sources, str(options.path)) if options.resume else None
    if code is None:
        return False
    if code:
        stream.note(f"part {sources.shard.text} exists already; {_LACKS[code]}", topic="cells")
    stream.record_exit_code(code)
    stream.drop()
    return True


def _is_small(options: MapRequest, form: str, path: str | None) -> bool:
    """Return whether `row_output.map_rows` can do what `options` request.

    `form` must be csv, and `path` an ordinary file (not standard input) that ends in .csv (in lower case) and has at
    most 1,000,000 bytes. None of --engine, --shard, --carry, --fail-fast, --reduce, --hessian, --over, --sample, --fast
    and --wrt may be in use.
    """
    plain = options.engine == "auto" and options.shard is None and not options.carry and not options.fail_fast
    special = options.reduce or options.hessian or options.over or options.sample or options.fast or options.wrt
    is_csv = path is not None and path.endswith(".csv") and os.path.isfile(path) and os.path.getsize(path) <= _SMALL
    return form == "csv" and plain and not special and is_csv


def _choose_shard(options: MapRequest) -> tuple[shards.Shard | None, MapRequest]:
    """Return (the part of --shard, the options with the file of that part as output).

    `3/16` is the third of 16 parts, and its file is `out-00003-of-00016.csv` for the output `out.csv`. Without --shard
    return (None, `options`): all rows or all parts are made. Raises RequestError if --shard is not a part (from 1/n to
    n/n), or if --resume comes without one of --shard, --shards and --dask. Raises RequestError for one of these three
    without an output file, with --reduce or with points or the expression from standard input, and for --shard with
    --shards or --dask.
    """
    values = {"--shard": options.shard, "--shards": options.shards, "--dask": options.dask}
    flags = [flag for flag, value in values.items() if value is not None]
    if not flags:
        if options.resume:
            raise RequestError(
                "--resume needs --shards or --dask", help="compute in parts, such as --shards 16 --resume"
            )
        return None, options
    if options.path is None:
        raise RequestError(f"{flags[0]} needs the name of an output file", help="add one, such as -o out.parquet")
    if options.reduce:
        raise RequestError(f"{flags[0]} writes rows, --reduce writes statistics", help="leave one of them out")
    if options.shard is not None and len(flags) > 1:
        raise RequestError("--shard computes one part, --shards all of them", help="leave one of them out")
    named = len(options.expr_points) + (options.file is not None)
    if "-" in options.expr_points or (named < 2 and not _is_generated(options)):
        raise readable_once("parts need a file; standard input", "save it in a file")
    if options.shard is None:
        return None, options
    shard = shards.read_shard(options.shard)
    return shard, MapRequest(**{**vars(options), "output": shard.path(options.path)})


@contextmanager
def _open_points(
    options: MapRequest, problem: Problem, at: Mapping[str, float], path: str | None, inputs: Inputs
) -> Iterator[PointsFile]:
    """Open the points and yield their reader; a file is closed at the end.

    The points are those of the file at `path` (None: standard input) or generated ones (--over, --sample). These are
    the grid that is the product of all --over, with one draw of each --sample at each of its points, or --n draws
    without a grid. `at` has the inputs with one value. A sample without a name is for all inputs of `problem` that are
    neither in `at` nor named by --over or --sample. Raises RequestError if the file or an option cannot be read, for an
    input that has two of them, for --n together with --over, and for --sample without both.
    """
    if not _is_generated(options):
        with row_output.open_points_file(path, inputs, options.decimal == "comma") as reader:
            yield reader
        return
    from ...files.generated import make_points, read_axes, read_samples, whole_number
    from ...files.mapping import program_of

    axes, samples = read_axes(options.over), read_samples(options.sample)
    rows = None if options.count is None else whole_number(options.count, "--n")
    names = {*[axis.name for axis in axes], *[sample.name for sample in samples if sample.name], *at}
    open_inputs = [name for name in program_of(problem.source, names).graph.inputs.values() if name not in at]
    yield make_points(axes, samples, open_inputs, rows, options.random_seed)


def _is_generated(options: MapRequest) -> bool:
    """Return whether the points are generated (--over or --sample), not read from a file."""
    return bool(options.over or options.sample)


def _choose_carried(options: MapRequest, reader: PointsFile) -> Sequence[str] | None:
    """Return the columns of `reader` to copy to the output.

    They are those of --carry, in its order, not checked here; none for --carry "". Without --carry: () with --reduce,
    all columns of generated points, and None (all columns that are not inputs) for a file. Raises RequestError for
    --carry with --reduce.
    """
    if options.carry:
        if options.reduce:
            raise RequestError("--reduce writes no rows, so --carry has no effect", help="leave --carry out")
        return arg.split_columns(options.carry)
    if options.reduce:
        return ()
    return reader.columns if _is_generated(options) else None


def _write_rows(
    out: row_output.ResultsOut, options: MapRequest, reader: PointsFile, plan: MapPlan, report: row_output.RowReport,
    kinds: Mapping[str, Kind], within: RowRange | None = None,
) -> None:  # fmt: skip
    """Write one row for each point to `out`, in order, count each batch in `report` and show the progress.

    `reader` has the points, `plan` the kernel and columns. `within` is the part of the rows that is written (None:
    all); `kinds` are those of the carried columns by name. A point without a result has a row, too, with nan (in NDJSON
    as --nan says). Batches are computed in --workers threads (default: all cores). Raises RequestError if a library for
    the format of `out` is missing. With --fail-fast raises the error of the first row without a result, after the rows
    before it.
    """
    from ...files.mapping import map_batches

    writer = row_output.writer_of(out, plan.columns, kinds, options.nan)
    start = partial(map_batches, reader, plan, kinds=kinds, within=within, workers=options.workers or cores())
    row_output.write_rows(writer, start, reader, report)


def _write_part(
    stream: Stream, options: MapRequest, form: str, reader: PointsFile, plan: MapPlan, report: row_output.RowReport,
    sources: shards.Sources, whole: str,
) -> shards.MadePart:  # fmt: skip
    """Write the rows of one part of the points of `reader` in the format `form`, as `plan` computes them.

    `sources` say which part it is; the rows are counted in `report`. `whole` is the file of all parts together. The
    layout of the parts is read from the file next to `whole`, or computed from all points and written there. The result
    has the engine, the number of rows and their range; its exit code is 0, which the caller completes. Raises
    OutputProblem if the file of the layout cannot be written, RequestError if a library for the format is missing; with
    --fail-fast the error of the first row without a result.
    """
    shard = sources.shard

    def compute() -> shards.PartsLayout:
        return shards.PartsLayout(reader.ranges(shard.parts), row_output.kinds_for(reader, plan, form))

    layout = shards.layout_of(stream, sources, whole, compute)
    within = layout.ranges[shard.number - 1]
    _write_rows(row_output.ResultsOut(stream, form), options, reader, plan, report, layout.kinds, within)
    return shards.MadePart(plan.kernel.engine, 0, report.rows, within)


def _write_statistics(
    stream: Stream, options: MapRequest, form: str, reader: PointsFile, plan: MapPlan, report: row_output.RowReport
) -> None:
    """Write the statistics of --reduce in the format `form`, and count each batch of points in `report`.

    There is a row for each result column: column, count and missing (rows with and without a number), and the requested
    statistics in their order, each once: mean, std (divisor n - 1), min, max, histogram. Batches of `reader`, computed
    by `plan`, are summarized one by one and joined; no column is carried over. Raises RequestError for an unknown
    statistic.
    """
    from ...files.mapping import map_batches
    from ...files.reductions import statistics, summarize, table_of

    names = statistics(arg.split_names(options.reduce))
    every: dict[str, Reduced] = {}

    def reduce_batch(batch: MappedBatch) -> tuple[dict[str, Reduced], MappedBatch]:
        """Return (the summary of each result column of a batch, the batch without its columns)."""
        columns = {name: summarize(column, "histogram" in names) for name, column in batch.results.items()}
        return columns, batch._replace(carried={}, results={})

    def join(columns: dict[str, Reduced]) -> None:
        """Merge the summaries of a batch, by column, into `every`."""
        every.update({name: every[name].merge(x) if name in every else x for name, x in columns.items()})

    batches = map_batches(reader, plan, reduce_batch, workers=options.workers or cores())
    row_output.take_batches(batches, join, reader, report)
    table = table_of(every, names)
    writer = row_output.writer_of(row_output.ResultsOut(stream, form), list(table), {}, options.nan)
    writer.put(writer.encode(table, {}))
    writer.finish()


def _sort_arguments(options: MapRequest) -> tuple[str | None, str | None]:
    """Return the expression (None: --file has it, "-": standard input) and the file of points (None: standard input or
    generated).

    A file that exists may be before the expression. With --file the only argument is the file of points; with neither
    --file nor an argument the expression is "-". "-" as the file of points becomes None. Raises RequestError for too
    many arguments, a file besides generated points, missing points (both would come from standard input, or it is a
    terminal), and without generated points for --n and for a --seed other than 0.
    """
    texts = [*([None] if options.file is not None else []), *arg.expression_first(options.expr_points)]
    expr, *others = texts or ["-"]
    if _is_generated(options):
        if others:
            title = "there are both a file of points and generated points"
            advice = "leave out the file, or the options that generate points (--over, --sample)"
            raise RequestError(title, label=f"the file is {others[0]}", help=advice)
        return expr, None
    for option, value in (("--n", options.count), ("--seed", options.random_seed or None)):
        if value is not None:
            advice = f'add the distribution of the inputs, such as --sample "normal(0,1)", or leave out {option}'
            raise RequestError(f"{option} is only for random points", help=advice)
    if len(others) > 1:
        raise arg.surplus_argument("map", others[1])
    if others and others[0] != "-":
        return expr, others[0]
    if (expr or options.file) == "-":
        raise RequestError("there are no points", help='name a file with points: adcli map "x1*x2" points.csv')
    if arg.stdin_is_terminal():
        raise RequestError("there are no points", help="name a file with points, or pipe the points in")
    return expr, None


COMMAND = Command(__doc__, MapRequest, run)
