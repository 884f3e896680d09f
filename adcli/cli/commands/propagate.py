"""Uncertainties of the outputs, computed from those of the inputs.

\b
Examples:
  adcli propagate "log(x1)+x1*x2-sin(x2)" --at "x1=2±0.1, x2=5±0.2"
  adcli propagate "V/I" --at "V=4.999+-0.0032, I=19.661e-3+-9.5e-6" --correlation V,I=-0.36
  adcli propagate "x^2" --at "x=0±10" --monte-carlo 1000000 --seed 7
  adcli propagate "a*b" --at "a=2±1%, b=3±0.1" --distribution b=uniform --monte-carlo 100000 --format json
  adcli propagate "x1*x2" points.csv --sigma x1=0.1,x2=5% -o out.parquet

Uncertainties are standard deviations (2±5% is a fraction of the value). The first order uses the gradient, the second
order the Hessian; a table shows what each input contributes. --monte-carlo also draws random points and reports whether
the first order is enough (JCGM 101).

A file of points (CSV, NDJSON, Parquet or Arrow) has a column for each input, and for its uncertainty sigma_a, a_sigma,
u_a or a_err; --sigma and --at are for values that are the same in all rows. The result has the other columns, and for
each output y, sigma_y, second_mean_y and second_sigma_y; with --monte-carlo drawn_mean_y, drawn_sigma_y, drawn_low_y,
drawn_high_y and first_order_will_do_y (1 or 0), with the same random numbers for every row.
"""

from __future__ import annotations

from functools import partial

from ...errors import RequestError, Source, Span
from ...notation.number_text import Digits
from ...typings import TYPE_CHECKING
from ..arguments import choose_format, combine_point, expression_first, merge_points, split_columns, surplus_argument
from ..options import Command, Option, arguments, left_out, texts, whole
from ..shared_options import DIGITS, PLACES, DocumentOptions
from ..stream import Stream

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...files.propagating import Draws, RowSpread
    from ...language.problems import Problem
    from ...language.program import Program
    from ...trace.uncertainties import Uncertainties
    from ..problem_loop import PreparedProblem


_MOST_DRAWS = 1_000_000  # for each row of a file


class PropagateRequest(DocumentOptions):
    """Options of `adcli propagate`."""

    expr: Option[str | None] = left_out(None)  # on the command line it is before the points
    expr_points = arguments()
    at = texts("--at", metavar="x1=2±0.1", help="Point with its uncertainties; +- is read as ±.")
    sigma = texts("--sigma", metavar="x1=0.1,x2=5%", help="Uncertainties that are the same in all rows of a file.")
    carry = texts("--carry", metavar="id,x1", help="Columns of a file to copy to the output (default: all others).")
    correlation = texts("--correlation", metavar="x1,x2=0.3", help="Correlation of two inputs.")
    distribution = texts(
        "--distribution",
        metavar="x1=uniform",
        help="Distribution of an input: normal, uniform, triangular, arcsine (sigma is its standard deviation), "
        "t(9) (sigma is its scale).",
    )
    draws = whole("--monte-carlo", between=(1_000, 20_000_000), help="Number of random points to draw.", metavar="N")
    random_seed = Option(("--seed",), 0, "Seed of the random points.", between=(0, 2**32 - 1))
    places = PLACES
    digits = DIGITS


def run(stream: Stream, options: PropagateRequest) -> None:
    """Propagate uncertainties through every problem, or every row of a file of points.

    With a file of points `_propagate_rows` does all. Else values and uncertainties in a problem's text replace those of
    --at for the same input; a value without an uncertainty keeps that of --at. A note says once if a problem has no
    uncertainties; it is computed all the same. An uncertainty of a name that is not an input is an error if there is a
    single problem, and ignored if there are several. Raises NothingToRead if there is nothing to read, AdcliError if
    --at or --correlation cannot be read. Raises RequestError for --distribution without --monte-carlo, two correlations
    of one pair, too many arguments, --sigma or --carry without a file, and --monte-carlo without NumPy. Problems that
    fail are printed as errors.
    """
    from ...language.uncertain import read_uncertain_point
    from ...render import propagation_report as render
    from ...trace.uncertainty_propagation import propagate_uncertainties
    from ..problem_loop import ProblemResult, Results

    values, uncertainties = _read_point(options)
    expr, path = _sort_arguments(options)
    if path is not None:
        _propagate_rows(stream, options, expr, path, values, uncertainties)
        return
    if options.sigma or options.carry:
        raise RequestError("--sigma and --carry are for a file of points", help='at one point: --at "x1=2±0.1"')
    if options.draws is not None:
        from ..row_output import load_numpy

        load_numpy("random points")
    pages = options.pages(stream, "Uncertainties")
    digits = Digits(options.places, options.digits)
    problem_sigmas: dict[str, float] = {}  # uncertainties in the problem's text

    def read(problem: Problem) -> Problem:
        """Return the problem with an exact point, and keep the uncertainties of its text in `problem_sigmas`, which is
        emptied first.

        A problem without a point is returned unchanged. Raises RequestError if the point has a vector or matrix,
        AdcliError if it cannot be read.
        """
        problem_sigmas.clear()
        if problem.point is None:
            return problem
        _refuse_arrays(problem.point)
        point = read_uncertain_point(problem.point)
        problem_sigmas.update(point.sigmas)
        return problem._replace(point=point.exact)

    def propagate(prepared: PreparedProblem) -> ProblemResult:
        """Return how to write the propagation of one problem as data, parts or lines, with its notes.

        Uncertainties of the problem's text replace those of --at for the same input. If there are several problems,
        uncertainties of names that are not inputs of this one are ignored; with a single problem they are an error.
        """
        known = uncertainties._replace(sigmas={**uncertainties.sigmas, **problem_sigmas})
        if not known.sigmas:
            stream.note("no input has an uncertainty; write it with the value, as x=2±0.1", once=True)
        if not prepared.single:
            known = known.among(prepared.program.graph.inputs.values())
        label, drawn = prepared.problem.label, (options.draws, options.random_seed)
        done = propagate_uncertainties(prepared.program, prepared.at, known, label, *drawn)
        parts, lines = partial(render.parts, done, digits), partial(render.lines, done)
        return ProblemResult(partial(render.PROPAGATE.data, done), parts, lines, done.notes)

    point = tuple([f"{name}={text}" for name, text in values.items()])
    Results(pages).write_all(PropagateRequest(**{**vars(options), "expr": expr, "at": point}), propagate, read)


def _sort_arguments(options: PropagateRequest) -> tuple[str | None, str | None]:
    """Return (the expression, the file of points).

    The expression is None if --file or standard input has it, and "-" if it is written so. The file is None if it is
    not named, "-" for standard input. With --file a single argument is the file of points; two arguments are returned
    as they are, so that the caller refuses the expression besides --file. A file that exists may be before the
    expression (`expression_first`). Raises RequestError for more than two arguments, or if both are "-"; `--file -` is
    not checked.
    """
    is_file_alone = options.file is not None and len(options.expr_points) == 1
    texts = [*[None] * is_file_alone, *expression_first(options.expr_points)]
    if len(texts) > 2:
        raise surplus_argument("propagate", texts[2])
    expr, path = [*texts, None, None][:2]
    if path == "-" and expr == "-":
        raise RequestError("there are no points", help='name a file with points: adcli propagate "x1*x2" points.csv')
    return expr, path


def _read_point(options: PropagateRequest) -> tuple[dict[str, str], Uncertainties]:
    """Return ({input: text of its value}, uncertainties) from --at, with --correlation and --distribution.

    Later values and uncertainties of an input replace earlier ones; a later value without an uncertainty keeps the
    earlier uncertainty. Correlations are by pairs as written, distributions by input as unchecked texts. Raises
    RequestError for a point with a vector, a pair with two correlations (in either order, also equal ones), a
    correlation outside -1 to 1, a distribution without a name, or one without --monte-carlo; AdcliError if --at or
    --correlation cannot be read.
    """
    from ...language.uncertain import read_correlation, read_uncertain_point
    from ...trace.uncertainties import Uncertainties

    values: dict[str, str] = {}
    sigmas: dict[str, float] = {}
    for text in options.at:
        source = Source(text, "--at")
        _refuse_arrays(source)
        point = read_uncertain_point(source)
        values |= point.texts
        sigmas |= point.sigmas
    correlations: dict[tuple[str, str], float] = {}
    for text in options.correlation:
        first, second, x = read_correlation(Source(text, "--correlation"))
        if (first, second) in correlations or (second, first) in correlations:
            raise RequestError(f"{first} and {second} have two correlations", help="remove one of them")
        correlations[first, second] = x
    shapes = {}
    for text in options.distribution:
        name, equals, shape = text.partition("=")
        if not equals:
            raise RequestError(
                f"--distribution {text} does not name an input", help=f"write the input first: --distribution x1={text}"
            )
        shapes[name.strip()] = shape.strip()
    if shapes and options.draws is None:
        raise RequestError("--distribution needs random points", help="add --monte-carlo 100000")
    return values, Uncertainties(sigmas, correlations, shapes)


def _refuse_arrays(point: Source) -> None:
    """Raise RequestError at the first [ in the text of a point, which begins a vector or matrix."""
    if "[" in point.text:
        title, place = "only numbers have uncertainties, but this point has a vector or matrix", point.text.index("[")
        advice = "name the entries: norm([a, b]) @ a=1±0.1, b=2±0.2"
        raise RequestError(title, Span(place, place + 1, point), "the array starts here", help=advice)


def _propagate_rows(
    stream: Stream, options: PropagateRequest, expr: str | None, path: str, values: Mapping[str, str],
    uncertainties: Uncertainties,
) -> None:  # fmt: skip
    """Propagate the uncertainties of every row of the file at `path` ("-": standard input), and write one row for each.

    A row has the carried columns (without --carry all that are neither inputs nor uncertainties), then for each output
    y its value, sigma_y (first order), second_mean_y and second_sigma_y, and with --monte-carlo its columns of random
    points. `expr` is the expression (None: it is in the file of --file or standard input). `values` (texts) and
    `uncertainties` hold for all rows. The format follows --format or the suffix of the output, else CSV.
    `stream.nothing_solved` tells whether there are rows and none has a result; the exit code is raised as in map (2: a
    row cannot be read, 3: a point has no value). With --fail-fast the first error of a row is raised.

    Raises RequestError for more than 1,000,000 random points, another format, a missing NumPy, no uncertainty at all,
    or a file that cannot be read; NothingToRead if no problem is named and standard input is a terminal; AdcliError if
    the problem or its point cannot be read or does not fit the columns.
    """
    from ...files.mapping import list_named_columns
    from ...files.points import FORMATS as POINT_FORMATS
    from ...files.points import SUFFIXES
    from ...files.propagating import columns_of_sigmas, propagate_batches, propagating_plan
    from ...processes import cores
    from .. import row_output

    row_output.load_numpy()
    if (options.draws or 0) > _MOST_DRAWS:
        label, advice = f"{options.draws:,} for each row of the file", f"at most {_MOST_DRAWS:,} are allowed"
        raise RequestError("there are too many random points", label=label, help=advice)
    form = choose_format(options.format_name, options.path, tuple(POINT_FORMATS), "csv", SUFFIXES)
    if form not in POINT_FORMATS:
        title = f"results of many rows are not written in the format {form}"
        raise RequestError(title, help=f"use one of {', '.join(POINT_FORMATS)}")
    problem = row_output.single_problem(expr, options.file, stream.inputs)
    at, _ = combine_point(problem, merge_points([f"{name}={text}" for name, text in values.items()], "--at"))
    name = None if path == "-" else path
    with row_output.open_points_file(name, stream.inputs, options.decimal == "comma") as reader:
        columns = list_named_columns(reader.columns)
        program = row_output.program_with(stream, problem, {*columns, *at})
        inputs = list(program.graph.inputs.values())
        spread = _collect_uncertainties(options, columns_of_sigmas(reader.columns, inputs), inputs, uncertainties)
        carry = split_columns(options.carry) if options.carry else None
        drawn = options.draws is not None
        plan, results = propagating_plan(program, at, columns, reader, spread, carry=carry, drawn=drawn)
        plan = plan._replace(fail_fast=options.fail_fast)
        draws = None
        if options.draws is not None:
            draws = _make_drawer(program, spread, uncertainties, options.draws, options.random_seed)
        report = row_output.RowReport(stream, program, options.fail_fast)
        kinds = row_output.kinds_for(reader, plan, form)
        if options.path is not None:
            stream.write(b"")  # where nothing can be written there is no use in computing
        writer = row_output.writer_of(row_output.ResultsOut(stream, form), [*plan.carried, *results], kinds)
        start = partial(propagate_batches, reader, plan, spread, kinds=kinds, workers=cores(), draws=draws)
        row_output.write_rows(writer, start, reader, report)
    stream.nothing_solved = report.has_nothing
    report.finish()


def _make_drawer(program: Program, spread: RowSpread, uncertainties: Uncertainties, count: int, seed: int) -> Draws:
    """Return a function that draws `count` random points around a row.

    The random numbers (from `seed`) are the same for every row. `spread` has the inputs with uncertainties,
    `uncertainties` the correlations and distributions of these. The function takes the point, the standard deviations
    by input (whatever the distribution), and (mean, deviation) of first order by output. It returns {output: five
    numbers}: mean, deviation, the two ends of the 95 % coverage interval, and 1.0 if first order is sufficient, else
    0.0. Points at which an output is not finite are left out of its numbers. Raises RequestError for a distribution
    that is unknown, and for correlated inputs of which one is not normal.
    """
    from ...trace.monte_carlo import plan_draws

    drawer = plan_draws(program.graph, uncertainties._replace(sigmas=dict.fromkeys(spread.inputs, 1.0)), count, seed)
    deviations = list(drawer.deviations())

    def draw(
        at: Mapping[str, float], sigmas: Mapping[str, float], known: Mapping[str, tuple[float, float]]
    ) -> dict[str, list[float]]:
        """Return {output: its five numbers} for the point `at` with deviations `sigmas`; `known` is {output: (mean,
        deviation) of first order}."""
        by_output = drawer.output_statistics(at, sigmas, deviations)
        drawn = {name: each.compare_first_order(*known[name]) for name, each in by_output.items()}
        will_do = {name: float(bool(each.first_order_will_do)) for name, each in drawn.items()}
        return {name: [each.mean, each.sigma, *each.interval, will_do[name]] for name, each in drawn.items()}

    return draw


def _collect_uncertainties(
    options: PropagateRequest, columns: Mapping[str, str], inputs: list[str], uncertainties: Uncertainties
) -> RowSpread:
    """Return where each input's uncertainty comes from in all rows: from a column, or from --sigma, or from --at.

    The first of these that has the input is used. `columns` maps inputs to their columns of standard deviations;
    `uncertainties` are those of --at, with the correlations. Values of --sigma are absolute; with % they are a fraction
    of the input's value. The last --sigma for an input counts. Raises RequestError for a negative, infinite or nan
    value of --sigma, if no input has an uncertainty, or for names in one of the three or in a correlation that are not
    among `inputs`; AdcliError if a --sigma cannot be read.
    """
    from ...files.propagating import RowSpread
    from ...language.problems import option_pieces, read_point
    from ...language.uncertain import wrong_uncertainty
    from ...trace.uncertainty_propagation import check_uncertainties

    sigmas, fractions = dict(uncertainties.sigmas), dict[str, float]()
    for span in option_pieces(options.sigma, "--sigma"):
        piece = span.text.strip()
        is_fraction = piece.endswith("%")
        ((name, x),) = read_point(Source(piece.removesuffix("%"), "--sigma")).items()
        if not 0 <= x < float("inf"):
            raise wrong_uncertainty(name, "write it as --sigma x1=0.1")
        sigmas.pop(name, None)
        fractions.pop(name, None)
        (fractions if is_fraction else sigmas)[name] = x / 100 if is_fraction else x
    known = {name: x for name, x in sigmas.items() if name not in columns}
    relative = {name: x for name, x in fractions.items() if name not in columns}
    spread = RowSpread(columns, known, relative, uncertainties.correlations)
    if not spread.inputs:
        title = "no input has an uncertainty"
        name = next(iter(inputs), "x")
        advice = f"add a column called sigma_{name}, or give one uncertainty for all rows: --sigma {name}=0.1"
        raise RequestError(title, help=advice)
    check_uncertainties(inputs, uncertainties._replace(sigmas=dict.fromkeys(spread.inputs, 1.0)))
    return spread


COMMAND = Command(__doc__, PropagateRequest, run)
