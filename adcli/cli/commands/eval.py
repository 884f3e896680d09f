"""Value, derivatives and evaluation trace of expressions.

\b
Examples:
  adcli eval "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5
  adcli eval "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5 --mode reverse --style paper
  adcli eval "x1^2*x2" --at x1=2,x2=5 --hessian
  adcli eval "a = x*y; b = sin(a); a + b^2 @ x=1, y=2" --show order

\b
A problem is a line  [label:] expression [@ x1=2, x2=5]; # starts a comment.
  2x  x^2  sin x  |x|  3!  sqrt(x)  log(x, 2)  if(x > 0, x, -x)
  sum(i, 1, 10, i*x)
  a = x*y names a step, f(u, v) = u*v a function; a semicolon separates.

EXPR is - to read problems from standard input.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from ...errors import AdcliError, RequestError
from ...render.document_parts import Heading, Paragraph, Part
from ...render.formats import RECORDS
from ...typings import TYPE_CHECKING
from ..arguments import has_arrays, merge_points
from ..options import Command, Option, choice, flag, texts, whole
from ..pages import Pages
from ..shared_options import INTERACTIVE, LAYOUT, DocumentOptions, SweepOptions
from ..stream import Stream
from ..sweep_options import sweep_request, write_stepper_page

if TYPE_CHECKING:
    from ...arrays.sweeps import ArrayTrace
    from ...notation.number_text import Digits
    from ...trace.trace_model import Request, Trace
    from ..problem_loop import PreparedProblem, ProblemResult, Results
    from ..workers import BatchOutput

_STYLES = "Layout: one wide table, the paper's tables, or primal and derivative traces side by side."

_VIEWS = "Instead of the trace show nodes with their neighbours, the order of the sweeps, or levels of rows."


class EvalRequest(SweepOptions, DocumentOptions):
    """Options of `adcli eval`."""

    listed_first: tuple[str, ...] = ("file", "at", "mode", "wrt", "seed", "style")

    style = Option(("--style",), "wide", _STYLES, choices=("wide", "paper", "baydin"))
    hessian = flag("--hessian", help="Also compute second derivatives (forward over reverse).")
    hvp = texts("--hvp", metavar="x1=1,x2=0", help="Also compute the Hessian times this direction.")
    show = choice("--show", choices=("nodes", "order", "levels"), help=_VIEWS)
    count = flag("--count", help="Count the operations of the value, forward and reverse programs.")
    scalars = flag("--scalars", help="Show the numbers of vectors and matrices one by one, a row for each.")
    layout = LAYOUT
    all = flag("--all", help="Show the tangents of all inputs in --mode both, and all rows of long tables.")
    no_trace = flag("--no-trace", help="Show only the outputs and their derivatives.")
    exact = flag("--exact", help="Compute with exact integers and fractions as far as the operations allow.")
    precision = whole("--precision", between=(1, 4000), help="Compute with N decimal digits and print them.")
    complex = flag("--complex", help="Compute with complex numbers (principal branches); i is the imaginary unit.")
    certify = flag("--certify", help="Show which digits are certain, and warn where double precision has lost digits.")
    conditioning = flag("--conditioning", help="Show how each row amplifies rounding and adds to the error, in ulps.")
    verify = flag("--verify", help="Compute in several ways and report the largest disagreement.")
    interactive = INTERACTIVE
    workers = whole("--workers", between=(1, 64), help="Processes for a large file, with ndjson (default: all cores).")


_WRONG = 3  # the exit code where routes to one number disagree


def run(stream: Stream, options: EvalRequest) -> None:
    """Evaluate the problems of a command line, and write the results; with --interactive write one page with all.

    Options that do not fit together are printed as one error, and written as a record in JSON; with --interactive they
    raise RequestError. With NDJSON and more than one process the problems are shared by processes. The exit code is 3
    if --verify finds a disagreement. Raises NothingToRead if there is nothing to read.
    """
    from ..problem_loop import ProblemLoop, Results, refuse_all

    if options.interactive:
        request = trace_request(options, "html")
        write_stepper_page(stream, options, request, options.format_name, unsupported=_NOT_IN_STEPPER)
        return
    pages = options.pages(stream, "Evaluation traces")
    writer = Results(pages)
    try:
        request = trace_request(options, pages.form)
    except AdcliError as error:
        refuse_all(stream, options, error, writer.fail)
    else:
        work_on_batches = None
        if pages.form == "ndjson":
            from ..workers import work_in_processes, worker_count

            count = worker_count(options, options.workers)
            work_on_batches = partial(work_in_processes, stream, options, count, _work_on_batch) if count > 1 else None
        ProblemLoop(stream, options, partial(_write_trace, writer, request, options), writer.fail).run(work_on_batches)
    writer.finish()


def _write_trace(writer: Results, request: Request, options: EvalRequest, prepared: PreparedProblem) -> None:
    """Trace one problem as `request` says, add the trace to `writer`, and print its notes to standard error.

    In JSON and NDJSON the notes are in the records and not printed. With --scalars vectors and matrices are traced
    number by number. Raises an AdcliError if the problem cannot be evaluated.
    """
    from ...trace.trace_program import trace

    at, label, its_request = prepared.at, prepared.problem.label, prepared.without_data(request)
    if prepared.arrays is not None and not options.scalars:
        from ...arrays.sweeps import array_trace

        arrays = array_trace(prepared.arrays, at, its_request, label, rows=writer.form in RECORDS)
        traced, result = arrays.trace, _make_array_result(arrays, request, options)
    else:
        traced = trace(prepared.program, at, its_request, label)
        result = trace_result(traced, request, options)
    writer.add(result, prepared.single)
    note_trace(writer, traced, prepared)


def note_trace(writer: Results, trace: Trace, prepared: PreparedProblem) -> None:
    """Print the notes of a trace, unless the format has them itself.

    A note of a disagreement (--verify) sets the exit code of the writer's stream to 3.
    """
    from ..problem_loop import print_notes

    if any(note.kind == "disagreement" for note in trace.notes):
        writer.stream.record_exit_code(_WRONG)
    if writer.form not in RECORDS:
        print_notes(writer.stream, trace.notes, prepared)


def _work_on_batch(
    options: EvalRequest, ascii_only: bool, name: str | None, texts: list[tuple[int, str]]
) -> BatchOutput:
    """Work on a batch of problems in another process, with NDJSON as the format.

    `texts` are pairs (line number, text) of the file `name` (None: standard input); with `ascii_only` other characters
    are escaped. Returns (the recorded calls of the stream, in order; whether the batches after this one are to follow).
    The latter is False only after an error with --fail-fast or --debug, at which the batch ends. Errors of problems are
    among the calls; raises RequestError for options that contradict each other.
    """
    from ...language.problems import read_problem
    from ..problem_loop import ProblemLoop, Results
    from ..workers import RecordedStream

    stream = RecordedStream(ascii_only)
    request = trace_request(options, "ndjson")
    writer = Results(Pages(stream, "ndjson", ""))
    option_point = merge_points(options.at, "--at", options.complex)
    loop = ProblemLoop(stream, options, partial(_write_trace, writer, request, options), writer.fail)
    for line, text in texts:
        problem = read_problem(text, name, line, products=has_arrays(option_point))
        if not loop.attempt(problem, option_point):
            return stream.calls, False
    return stream.calls, True


# --- requests for traces ----------------------------------------------------------------------------------------------


def trace_request(options: EvalRequest, form: str) -> Request:
    """Return the request for a trace that the options describe, for the output format `form`.

    Raises RequestError for --show order with --mode value, --count with CSV, --hessian or --hvp with --complex,
    --certify with --seed (except in mode value), and --conditioning, --certify or --verify with --exact, --precision or
    --complex; AdcliError if --seed or --hvp cannot be read.
    """
    if options.show == "order" and options.mode == "value":
        title = "--show order needs a forward or reverse sweep"
        raise RequestError(title, help="choose --mode forward, reverse or both")
    if options.count and form == "csv":
        raise RequestError("operation counts cannot be written as CSV", help="use --format json or plain")
    hvp = merge_points(options.hvp, "--hvp") or None
    request = sweep_request(options)._replace(steps=not options.no_trace, hessian=options.hessian, hvp=hvp)
    request = _with_numbers(request, options)
    if options.complex and (request.hessian or request.hvp):
        raise RequestError("second derivatives are computed with real numbers", help="leave out --complex")
    return request


def _with_numbers(request: Request, options: EvalRequest) -> Request:
    """Return the request with the kind of numbers and the checks that the options choose.

    The kind is that of --exact, --precision or --complex, otherwise None (doubles); `digits` become those of the kind,
    if there is one. The checks are --conditioning, --certify and --verify. Raises RequestError for --exact with one of
    the other kinds, for a check together with a kind of numbers, and for --certify with a seed in any mode except
    value.
    """
    checks = [name for name in ("conditioning", "certify", "verify") if getattr(options, name)]
    numbers = None
    if options.exact or options.precision or options.complex:
        from ...trace.number_kinds import numbers_for

        numbers = numbers_for(options.exact, options.precision, options.complex, request.digits)
    if numbers is not None and checks:
        kind = next(kind for kind in ("exact", "precision", "complex") if getattr(options, kind))
        title = f"--{checks[0]} checks computations with doubles, not those of --{kind}"
        raise RequestError(title, help=f"leave out --{checks[0]} or --{kind}")
    if options.certify and request.mode != "value" and request.seed:
        raise RequestError(
            "--certify gives bounds of gradients, not of derivatives along a seed", help="leave out --seed"
        )
    return request._replace(
        numbers=numbers, digits=request.digits if numbers is None else numbers.digits,
        conditioning=options.conditioning, certify=options.certify, verify=options.verify,
    )  # fmt: skip


# The options that the page of --interactive does not support, by their fields.
_NOT_IN_STEPPER = (
    "no_trace", "show", "count", "hessian", "hvp", "certify", "verify", "exact", "precision", "complex",
)  # fmt: skip


# --- output of traces: tables, lines of a sheet, plain data -----------------------------------------------------------


def trace_result(trace: Trace, request: Request, options: EvalRequest) -> ProblemResult:
    """Return the ways to write a trace: as data, as tables, and as rows of a CSV sheet.

    The tables have what the options add. The rows are one for each output if `request` has no steps. Each is a
    function, of nothing, of `named` (whether to print a heading) and of the number of the problem; nothing is made
    before it is called.
    """
    from ..problem_loop import ProblemResult

    def lines(number: int) -> Iterable[dict[str, object]]:
        from ...render.data import lines  # only needed for a sheet

        return lines(trace, number, request.steps)

    data = partial(_make_data, trace, request, options)
    return ProblemResult(data, lambda named: _make_parts(trace, named, request, options), lines)


def _make_array_result(trace: ArrayTrace, request: Request, options: EvalRequest) -> ProblemResult:
    """Return the ways to write a trace of vectors and matrices: as data, as tables, and as rows of a CSV sheet.

    The tables have what the options add. There is a CSV row for each entry of each input and operation if `request` has
    steps, else for each entry of an output. The functions take nothing, `named` (whether to print a heading) and the
    number of the problem; nothing is made before they are called.
    """
    from ...arrays.array_documents import document
    from ...render.array_tables import lines
    from ..problem_loop import ProblemResult

    return ProblemResult(
        lambda: document(trace, request.steps),
        lambda named: _make_array_parts(trace, named, request, options),
        lambda number: lines(trace, number, request.steps),
    )


def _make_data(trace: Trace, request: Request, options: EvalRequest) -> dict[str, object]:
    """Return a trace as plain data, with its rows if the request has steps.

    With --count the operation counts are under `cost`.
    """

    from ...trace.trace_document import COST, in_parts

    data = in_parts(trace, request.steps)
    if options.count:
        from ...trace.cost import cost

        data["cost"] = COST.data(cost(trace.graph, trace.values))
    return data


def _make_parts(trace: Trace, named: bool, request: Request, options: EvalRequest) -> list[Part]:
    """Return the parts of one trace: heading, tables, and the parts that the options add below them.

    The heading is there if the problem is `named` or has a label. Without steps the only table is that of outputs. With
    steps and without --show, the results of a long trace (more than 24 rows and outputs) come before the tables, and in
    text again at the end of all parts; in documents a shorter trace has its Jacobian there. Without --all, a terminal
    may fold the tables, and in mode both, without --wrt and a seed, only the tangents of some inputs are shown, those
    with the largest derivatives, at least three (all with --show order or levels); further parts say which.
    """
    from ...render import large_traces, trace_tables

    digits = request.digits
    parts: list[Part] = [Heading(trace_tables.heading(trace, digits))] if named or trace.label else []
    before, after = large_traces.results(trace, digits) if request.steps and not options.show else ([], [])
    if not request.steps:
        parts.append(trace_tables.outputs_table(trace, digits))
    else:
        by_input = options.show in (None, "nodes")  # which have a column or a table for each input
        shown = trace
        if by_input and not options.all:
            shown = large_traces.few_tangents(trace, digits, options.show or options.style)
        tables = _make_trace_tables(shown, digits, options)
        parts += [*before, *(tables if options.all else large_traces.mark_foldable(tables))]
        parts += large_traces.omission_notes(trace, shown)
    more = (trace.second or None, trace.shares, trace.certified, trace.verified, options.count or None)
    if any(part is not None for part in more):
        parts += _make_extra_parts(trace, digits, options)
    return [*parts, *after]


def _make_array_parts(trace: ArrayTrace, named: bool, request: Request, options: EvalRequest) -> list[Part]:
    """Return the parts of a trace of arrays: its tables, and what the options add, entry by entry.

    They begin with a heading if the problem is `named` or has a label. Without steps the only table is that of results.
    Rows are not folded; without --all at most three columns of derivatives of each kind are shown. With --hvp the
    products with the direction are among the tables; of second derivatives only the Hessian, if --hessian asks for it,
    is then below them. Raises RequestError for --show, which arrays do not have.
    """
    from ...render.array_tables import ArrayTables

    if options.show:
        title = f"--show {options.show} lists rows of single numbers, and this problem has vectors or matrices"
        raise RequestError(title, help="add --scalars: every entry becomes a row")
    tables = ArrayTables(trace, request.digits, options.layout == "numerator", options.all)
    parts: list[Part] = [Heading(tables.heading())] if named or trace.trace.label else []
    parts += tables.parts(options.style) if request.steps else [tables.results()]
    # The products with a direction are among the tables already.
    second = [each._replace(product=None, sweeps={}) if options.hvp else each for each in trace.trace.second]
    extra = _make_extra_parts(trace.trace._replace(second=second), request.digits, options)
    return [*parts, *tables.products(), *extra]


def _make_extra_parts(trace: Trace, digits: Digits, options: EvalRequest) -> Iterator[Part]:
    """Yield the parts below the rows: second derivatives, error bounds, certificates, verification, costs.

    Each is yielded only if the trace has it. Costs are yielded only with --count: the table of operation counts, then a
    paragraph for each sentence about them.
    """
    from ...render import added_tables, trace_tables

    if trace.second:
        yield from added_tables.second_tables(trace, digits)
    if trace.shares is not None:
        yield trace_tables.bounds_table(trace)
    yield from added_tables.proof_tables(trace)
    if options.count:
        from ...trace.cost import cost

        costs = cost(trace.graph, trace.values)
        yield added_tables.cost_table(costs)
        yield from (Paragraph(text) for text in added_tables.cost_sentences(costs))


def _make_trace_tables(trace: Trace, digits: Digits, options: EvalRequest) -> Sequence[Part]:
    """Return the tables of the rows in the style of the options, or instead the view of --show.

    In the styles wide and paper the tables of a trace of a Python function have one more column at the end: number and
    text of the source line of each row. A view does not have it.
    """
    from ...render import trace_tables

    if options.show:
        from ...render.views import show

        return show(trace, options.show, digits)
    return trace_tables.with_source_lines(trace, trace_tables.tables(trace, options.style, digits), options.style)


# The options that `adcli eval --help` shows.
_COMMON = (
    "file", "at", "mode", "wrt", "style", "hessian", "no_trace", "places", "letters", "format_name", "output",
)  # fmt: skip

COMMAND = Command(__doc__, EvalRequest, run, _COMMON)
