"""`adcli propagate`: uncertainties of the inputs carried to the outputs."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

from ..errors import RequestError, Source
from ..notation.number_text import Digits
from .arguments import choose_format, combine_point, merge_points, split_names, surplus_argument
from .options import (
    DIGITS,
    FILE,
    FORMATS,
    PLACES,
    Command,
    DocumentOptions,
    Option,
    arguments,
    left_out,
    texts,
    whole,
)  # fmt: skip
from .pages import Pages
from .stream import Stream

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..files.mapping import MappedBatch
    from ..files.propagating import Draws, RowSpread
    from ..language.problems import Problem
    from ..language.program import Program
    from ..trace.model import Note
    from ..trace.uncertainties import Uncertainties
    from ..trace.uncertainty_propagation import Propagation
    from .problem_loop import PreparedProblem

_HELP = """Uncertainties of the inputs carried to the outputs.

\b
Examples:
  adcli propagate "log(x1)+x1*x2-sin(x2)" --at "x1=2±0.1, x2=5±0.2"
  adcli propagate "V/I" --at "V=4.999+-0.0032, I=19.661e-3+-9.5e-6" --correlation V,I=-0.36
  adcli propagate "x^2" --at "x=0±10" --monte-carlo 1000000 --seed 7
  adcli propagate "a*b" --at "a=2±1%, b=3±0.1" --distribution b=uniform --monte-carlo 100000 --format json
  adcli propagate "x1*x2" points.csv --sigma x1=0.1,x2=5% -o out.parquet

Uncertainties are standard deviations (2±5% is a share of the value). First order from the gradient, second order from
the Hessian, the budget says which input matters. --monte-carlo draws points beside it and tells whether first order
will do (JCGM 101).

A file of points (CSV, NDJSON, Parquet or Arrow) has a column for each input, and for its uncertainty sigma_a, a_sigma,
u_a or a_err; what is the same in all rows comes by --sigma and --at. Out come the other columns, and for each output y,
sigma_y, second_mean_y and second_sigma_y; with --monte-carlo drawn_mean_y, drawn_sigma_y, drawn_low_y, drawn_high_y and
first_order_will_do_y (1 or 0), by the same random numbers for every row.
"""


_MOST_DRAWS = 1_000_000  # for each row of a file


class PropagateRequest(DocumentOptions):
    """Options of `adcli propagate`."""

    expr: Option[str | None] = left_out(None)  # what the command line has of it stands before the points
    expr_points = arguments()
    file = FILE
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
    random_seed = whole("--seed", between=(0, 2**32 - 1), help="Seed of the random points.", default=0)
    places = PLACES
    digits = DIGITS


def run(stream: Stream, options: PropagateRequest) -> int | None:
    """Propagates through the problems of a command line; None when there is nothing to read."""
    from ..language.uncertain import read_uncertain_point
    from ..render import propagation_report as render
    from ..trace.uncertainty_propagation import Propagation, propagated
    from .problem_loop import Results

    options.configure(stream)
    values, given = _given(options)
    expr, path = _named(options)
    if path is not None:
        return _over_rows(stream, options, expr, path, values, given)
    if options.sigma or options.carry:
        raise RequestError("--sigma and --carry are for a file of points", help='at one point: --at "x1=2±0.1"')
    form = choose_format(options.wanted, options.path, FORMATS, "table")
    pages = Pages(stream, form, "Uncertainties", options.standalone)
    digits = Digits(options.places, options.digits)
    results = Results[Propagation](
        pages,
        data=render.PROPAGATE.data,
        parts=lambda found, named: render.parts(found, digits, named),
        lines=render.lines,
    )

    own: dict[str, float] = {}  # what the problem's own point says of uncertainties

    def read(problem: Problem) -> Problem:
        own.clear()
        if problem.point is None:
            return problem
        point = read_uncertain_point(problem.point)
        own.update(point.sigmas)
        return problem._replace(point=point.exact)

    def find(posed: PreparedProblem) -> tuple[Propagation, Iterable[Note]]:
        known = given._replace(sigmas={**given.sigmas, **own})
        if not posed.single:
            known = known.among(posed.program.graph.inputs.values())
        found = propagated(posed.program, posed.at, known, posed.problem.label, options.draws, options.random_seed)
        return found, found.notes

    point = tuple([f"{name}={text}" for name, text in values.items()])
    return results.write_all(PropagateRequest(**{**vars(options), "expr": expr, "at": point}), find, read)


def _named(options: PropagateRequest) -> tuple[str | None, str | None]:
    """The expression (None where a file has it, or standard input) and the file of points, if there is one."""
    texts = [*([None] if options.file is not None and len(options.expr_points) == 1 else []), *options.expr_points]
    if len(texts) > 2:
        raise surplus_argument("propagate", texts[2])
    expr, path = [*texts, None, None][:2]
    if path == "-" and expr == "-":
        raise RequestError("there are no points", help='name a file of them: adcli propagate "x1*x2" points.csv')
    return expr, path


def _given(options: PropagateRequest) -> tuple[dict[str, str], Uncertainties]:
    """The values of the point as they are written, and what is known of their uncertainties."""
    from ..language.uncertain import read_correlation, read_uncertain_point
    from ..trace.uncertainties import Uncertainties

    values: dict[str, str] = {}
    sigmas: dict[str, float] = {}
    for text in options.at:
        point = read_uncertain_point(Source(text, "--at"))
        values |= point.texts
        sigmas |= point.sigmas
    correlations: dict[tuple[str, str], float] = {}
    for text in options.correlation:
        first, second, x = read_correlation(Source(text, "--correlation"))
        if (first, second) in correlations or (second, first) in correlations:
            raise RequestError(f"{first} and {second} have two correlations", help="remove one")
        correlations[first, second] = x
    shapes = {}
    for text in options.distribution:
        name, equals, shape = text.partition("=")
        if not equals:
            raise RequestError(f"--distribution {text} names no input", help="write it as --distribution x1=uniform")
        shapes[name.strip()] = shape.strip()
    if shapes and options.draws is None:
        raise RequestError(
            "--distribution says how random points are drawn, and none are", help="add --monte-carlo 100000"
        )
    return values, Uncertainties(sigmas, correlations, shapes)


def _over_rows(
    stream: Stream,
    options: PropagateRequest,
    expr: str | None,
    path: str,
    values: Mapping[str, str],
    given: Uncertainties,
) -> int:
    """Carries the uncertainties of every row of a file; `values` and `given` are what is the same in all of them."""
    from .map import ResultsOut, RowReport, kinds_for, load_numpy, single_problem

    load_numpy()
    from ..files.mapping import named_columns, opened, program_of, results_file
    from ..files.points import FORMATS as KINDS
    from ..files.points import SUFFIXES, Sink
    from ..files.propagating import columns_of_sigmas, propagated_rows, propagating_plan
    from ..render.data import json_text
    from .workers import cores

    if (options.draws or 0) > _MOST_DRAWS:
        raise RequestError(
            "there are too many random points for a file", label=f"{options.draws:,} for each row",
            help=f"up to {_MOST_DRAWS:,} will do",
        )  # fmt: skip
    form = choose_format(options.wanted, options.path, tuple(KINDS), "csv", SUFFIXES)
    if form not in KINDS:
        raise RequestError(f"{form} is no format for rows", help=f"take one of {', '.join(KINDS)}")
    problem = single_problem(expr, options.file, stream.inputs)
    at, _ = combine_point(problem, merge_points([f"{name}={text}" for name, text in values.items()], "--at"))
    source = stream.inputs.standard() if path == "-" else stream.inputs.opened(path)
    with opened(None if path == "-" else path, source, stream.inputs.most) as reader:
        columns = named_columns(reader.columns)
        program = program_of(problem.source, {*columns, *at})
        for reading in program.readings:
            stream.note(reading.text, once=True, topic=reading.topic)
        inputs = list(program.graph.inputs.values())
        spread = _spread(options, columns_of_sigmas(reader.columns, inputs), inputs, given)
        carry = split_names(options.carry) if options.carry else None
        plan, results = propagating_plan(
            program, at, columns, reader, spread, carry=carry, drawn=options.draws is not None
        )
        plan = plan._replace(fail_fast=options.fail_fast)
        draws = None if options.draws is None else _draws(program, spread, given, options.draws, options.random_seed)
        told = RowReport(stream, program, options.fail_fast)
        kinds = kinds_for(reader, plan, KINDS[form])
        if options.path is not None:
            stream.write(b"")  # where nothing can be written there is no use in computing
        spelled = partial(json_text, indent=None, ascii_only=options.path is None and stream.ascii)
        out = ResultsOut(stream, KINDS[form].is_text)
        writer = results_file(Sink(form, [*plan.carried, *results], out, options.path is None, spelled, kinds=kinds))

        def encoded(done: MappedBatch) -> tuple[object, MappedBatch]:
            return writer.encoded(done.carried, done.results), done._replace(carried={}, results={})

        with closing(
            propagated_rows(reader, plan, spread, encoded, kinds=kinds, workers=cores(), draws=draws)
        ) as found:
            for piece, done in found:
                writer.put(piece)
                told.add(done)
                told.show_progress(reader.part())
        writer.finish()
    stream.nothing_solved = told.has_nothing
    stream.close()
    stream.clear_progress()
    told.finish()
    return stream.code


def _draws(program: Program, spread: RowSpread, given: Uncertainties, count: int, seed: int) -> Draws:
    """What so many random points around a row come to, by the numbers that a point alone would have."""
    from ..trace.monte_carlo import drawing

    drawer = drawing(program.graph, given._replace(sigmas=dict.fromkeys(spread.inputs, 1.0)), count, seed)
    deviations = list(drawer.deviations())

    def found(
        at: Mapping[str, float], sigmas: Mapping[str, float], known: Mapping[str, tuple[float, float]]
    ) -> dict[str, list[float]]:
        by_output = drawer.outputs(at, sigmas, deviations)
        compared = {name: drawn.compared(*known[name]) for name, drawn in by_output.items()}
        return {
            name: [drawn.mean, drawn.sigma, *drawn.interval, float(bool(drawn.first_order_will_do))]
            for name, drawn in compared.items()
        }

    return found


def _spread(
    options: PropagateRequest, columns: Mapping[str, str], inputs: list[str], given: Uncertainties
) -> RowSpread:
    """What is known of uncertainties: columns before --sigma before --at."""
    from ..files.propagating import RowSpread
    from ..language.problems import pieces, read_point
    from ..trace.uncertainty_propagation import check_uncertainties

    sigmas, shares = dict(given.sigmas), dict[str, float]()
    for text in options.sigma:
        for start, end in pieces(text):
            piece = text[start:end].strip()
            if piece:
                share = piece.endswith("%")
                ((name, x),) = read_point(Source(piece.removesuffix("%"), "--sigma")).items()
                if not 0 <= x < float("inf"):
                    raise RequestError(
                        f"the uncertainty of {name} is not a finite number from 0 on", help="as in --sigma x1=0.1"
                    )
                sigmas.pop(name, None)
                (shares if share else sigmas)[name] = x / 100 if share else x
    spread = RowSpread(
        columns,
        {name: x for name, x in sigmas.items() if name not in columns},
        {name: x for name, x in shares.items() if name not in columns},
        given.correlations,
    )
    if not spread.inputs:
        raise RequestError(
            "no input has an uncertainty",
            help="add a column such as sigma_x1, or say it of all rows: --sigma x1=0.1,x2=5%",
        )
    check_uncertainties(inputs, given._replace(sigmas=dict.fromkeys(spread.inputs, 1.0)))
    return spread


COMMAND = Command(_HELP, PropagateRequest, run)
