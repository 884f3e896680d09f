"""`adcli eval`: value, derivatives and evaluation trace of expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from ..errors import AdcliError, RequestError
from .arguments import choose_format, merge_points
from .options import (
    AT,
    CSE,
    DIGITS,
    FAIL_FAST,
    FILE,
    FORMAT,
    FORMATS,
    FUNCTIONS,
    INTERACTIVE,
    KINKS,
    MATH,
    MODE,
    NUMBERING,
    PLACES,
    SEED,
    STANDALONE,
    WRT,
    Command,
    SweepOptions,
    choice,
    flag,
    texts,
    whole,
)
from .pages import Pages
from .stream import Stream
from .sweep_options import sweep_request, write_stepper_page

if TYPE_CHECKING:
    from ..notation.number_text import Digits
    from ..render.document_parts import Part
    from ..trace.model import Request, Trace
    from .problem_loop import PreparedProblem, Results
    from .workers import BatchOutput

_HELP = """Value, derivatives and evaluation trace of expressions.

\b
Examples:
  adcli eval "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5
  adcli eval "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5 --mode reverse --style paper
  adcli eval "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5 --mode forward --wrt x1
  adcli eval "x1^2*x2" --at x1=2,x2=5 --hessian
  adcli eval --file problems.txt --all
  adcli eval "a = x*y; b = sin(a); a + b^2 @ x=1, y=2" --show order
  adcli eval --file problems.txt --no-trace --format csv -o results.csv
  cat problems.txt | adcli eval --format ndjson

\b
A problem is a line  [label:] expression [@ x1=2, x2=5]; # starts a comment.
  2x  x^2  sin x  |x|  3!  sqrt(x)  log(x, 2)  if(x > 0, x, -x)
  sum(i, 1, 10, i*x)
  a = x*y names a step, f(u, v) = u*v a function; a semicolon separates.

EXPR is - to read problems from standard input.
"""


class EvalRequest(SweepOptions):
    """Options of `adcli eval`."""

    file = FILE
    at = AT
    mode = MODE
    wrt = WRT
    seed = SEED
    style = choice(
        "--style",
        choices=("wide", "paper", "baydin"),
        help="Layout: one wide table, the paper's tables, or primal and derivative traces side by side.",
        default="wide",
    )
    numbering = NUMBERING
    cse = CSE
    hessian = flag("--hessian", help="Also compute second derivatives (forward over reverse).")
    hvp = texts("--hvp", metavar="x1=1,x2=0", help="Also compute the Hessian times this direction.")
    show = choice("--show", choices=("nodes", "order", "levels"), help="Show the graph instead of the trace.")
    count = flag("--count", help="Count the operations of the value, forward and reverse programs.")
    all = flag("--all", help="Show the tangents of all inputs in --mode both, and all rows of long tables.")
    no_trace = flag("--no-trace", help="Show only the outputs and their derivatives.")
    places = PLACES
    digits = DIGITS
    kinks = KINKS
    exact = flag("--exact", help="Compute with exact integers and fractions as far as the operations allow.")
    precision = whole("--precision", between=(1, 4000), help="Compute with N decimal digits and print them.")
    complex = flag("--complex", help="Compute with complex numbers (principal branches); i is the imaginary unit.")
    certify = flag("--certify", help="Show which digits are certain, and warn where double precision has lost digits.")
    conditioning = flag(
        "--conditioning", help="Show how each row amplifies rounding, and its contribution to the error, in ulps."
    )
    verify = flag("--verify", help="Compute in several ways and report the largest disagreement.")
    functions = FUNCTIONS
    interactive = INTERACTIVE
    fail_fast = FAIL_FAST
    workers = whole(
        "--workers", between=(1, 64), help="Number of processes for a large file, with ndjson (default: all cores)."
    )
    wanted = FORMAT
    math = MATH
    standalone = STANDALONE


_WRONG = 3  # the exit code where routes to one number disagree


def run(stream: Stream, options: EvalRequest) -> int | None:
    """Evaluates the problems of a command line; None when there is nothing to read."""
    from ..trace.model import Request
    from .problem_loop import for_each_problem

    options.configure(stream)
    if options.interactive:
        return write_stepper_page(
            stream, options, trace_request(options, "html"), options.wanted, elsewhere=_elsewhere(options)
        )
    form = choose_format(options.wanted, options.path, FORMATS, "table")
    pages = Pages(stream, form, "Evaluation traces", options.standalone, math=options.math)
    try:
        request = trace_request(options, form)
    except AdcliError as error:
        if options.debug:
            raise
        found = results(pages, Request(), options)
        stream.error(error)
        found.fail(error)
        stream.nothing_solved = True
    else:
        found = results(pages, request, options)
        apart = None
        if form == "ndjson":
            from .workers import work_in_processes, worker_count

            count = worker_count(options, options.workers)
            apart = work_in_processes(stream, options, count, _batch) if count > 1 else None
        if not for_each_problem(stream, options, _work(found, request), found.fail, options.complex, apart):
            return None
    found.finish()
    stream.close()
    return stream.code


def _work(found: Results[Trace], request: Request) -> Callable[[PreparedProblem], None]:
    from ..trace.trace_program import trace
    from .problem_loop import print_notes

    def work(posed: PreparedProblem) -> None:
        traced = trace(posed.program, posed.at, request, posed.problem.label)
        found.add(traced, posed.single)
        if any(note.kind == "disagreement" for note in traced.notes):
            found.stream.answer(_WRONG)
        if found.form not in ("json", "ndjson"):  # which have the notes themselves
            print_notes(found.stream, traced.notes, posed)

    return work


def _batch(options: EvalRequest, ascii_only: bool, name: str | None, texts: list[tuple[int, str]]) -> BatchOutput:
    """What is to be said of a batch of problems, in another process."""
    from ..language.problems import read_problem
    from .problem_loop import attempt_problem
    from .workers import RecordedStream

    stream = RecordedStream(ascii_only)
    request = trace_request(options, "ndjson")
    found = results(Pages(stream, "ndjson", ""), request, options)
    given = merge_points(options.at, "--at", options.complex)
    work = _work(found, request)
    for line, text in texts:
        problem = read_problem(text, name, line)
        if not attempt_problem(stream, options, problem, given, work, found.fail, imaginary=options.complex):
            return stream.recorded_calls(), False
    return stream.recorded_calls(), True


# --- what is asked of a trace -----------------------------------------------------------------------------------------


def trace_request(options: EvalRequest, form: str) -> Request:
    """The request for a trace that a command line stands for.  Raises RequestError for what does not go together."""
    if options.show == "order" and options.mode == "value":
        raise RequestError("the orders belong to the sweeps", help="choose --mode forward, reverse or both")
    if options.count and form == "csv":
        raise RequestError("what a gradient costs has no place in a sheet", help="use --format json or plain")
    request = sweep_request(options)._replace(
        steps=not options.no_trace, hessian=options.hessian, hvp=merge_points(options.hvp, "--hvp") or None
    )
    request = _with_numbers(request, options)
    if options.complex and (request.hessian or request.hvp):
        raise RequestError("second derivatives are computed with real numbers", help="leave out --complex")
    return request


def _with_numbers(request: Request, options: EvalRequest) -> Request:
    """The request with the numbers and the checks that were asked for."""
    checks = [name for name, is_asked in (
        ("conditioning", options.conditioning), ("certify", options.certify), ("verify", options.verify),
    ) if is_asked]  # fmt: skip
    numbers = None
    if options.exact or options.precision or options.complex:
        from ..trace.number_kinds import numbers_for

        numbers = numbers_for(options.exact, options.precision, options.complex, request.digits)
    if numbers is not None and checks:
        raise RequestError(
            f"--{checks[0]} checks doubles",
            help=f"leave out --{checks[0]}, or --exact, --precision and --complex",
        )
    if options.certify and request.mode != "value" and request.seed:
        raise RequestError("--certify encloses gradients, not products with a seed", help="leave out --seed")
    return request._replace(
        numbers=numbers, digits=request.digits if numbers is None else numbers.digits,
        conditioning=options.conditioning, certify=options.certify, verify=options.verify,
    )  # fmt: skip


def _elsewhere(options: EvalRequest) -> dict[str, object]:
    """The options that ask for something else than the sweeps of doubles."""
    return {
        "no-trace": options.no_trace, "show": options.show, "count": options.count, "hessian": options.hessian,
        "hvp": options.hvp, "certify": options.certify, "verify": options.verify, "exact": options.exact,
        "precision": options.precision, "complex": options.complex,
    }  # fmt: skip


# --- what becomes of traces: tables, lines of a sheet, plain data -----------------------------------------------------


def results(pages: Pages, request: Request, options: EvalRequest) -> Results[Trace]:
    """Takes the traces of a command line."""
    from .problem_loop import Results

    def lines(trace: Trace, number: int) -> list[dict[str, object]]:
        from ..render.data import lines

        return lines(trace, number, request.steps)

    return Results(
        pages,
        data=lambda trace: _data(trace, request, options),
        parts=lambda trace, named: _parts(trace, named, request, options),
        lines=lines,
    )


def _data(trace: Trace, request: Request, options: EvalRequest) -> dict[str, object]:
    from ..trace.trace_document import COST, in_parts

    data = in_parts(trace, request.steps)
    if options.count:
        from ..trace.cost import cost

        data["cost"] = COST.data(cost(trace.graph, trace.values))
    return data


def _parts(trace: Trace, named: bool, request: Request, options: EvalRequest) -> list[Part]:
    """The tables that were asked for, one below the other; those of long traces with the results before and after."""
    from ..render import large_traces, trace_tables
    from ..render.document_parts import Heading

    digits = request.digits
    found: list[Part] = [Heading(trace_tables.heading(trace, digits))] if named or trace.label else []
    results = (
        [large_traces.results(trace, digits)]
        if request.steps and not options.show and large_traces.is_long(trace)
        else []
    )
    if not request.steps:
        found.append(trace_tables.outputs_table(trace, digits))
    else:
        by_input = options.show in (None, "nodes")  # which have a column or a table for each input
        shown = large_traces.few_tangents(trace) if by_input and not options.all else trace
        tables = _tables(shown, digits, options)
        found += [
            *results,
            *(tables if options.all else large_traces.folding(tables)),
            *large_traces.left_out(trace, shown),
        ]
    more = (trace.second or None, trace.shares, trace.certified, trace.verified, options.count or None)
    if any(part is not None for part in more):
        found += _added(trace, digits, options)
    return [*found, *results]


def _added(trace: Trace, digits: Digits, options: EvalRequest) -> Iterator[Part]:
    """Yield what is below the rows: second derivatives, bounds of errors, certificates, verification and costs."""
    from ..render import added_tables, trace_tables
    from ..render.document_parts import AnyText, Paragraph

    if trace.second:
        yield from added_tables.second_tables(trace, digits)
    if trace.shares is not None:
        yield trace_tables.bounds_table(trace)
    yield from added_tables.proof_tables(trace)
    if options.count:
        from ..trace.cost import cost

        counted = cost(trace.graph, trace.values)
        yield added_tables.cost_table(counted)
        yield from (Paragraph(AnyText(text)) for text in added_tables.cost_sentences(counted))


def _tables(trace: Trace, digits: Digits, options: EvalRequest) -> Sequence[Part]:
    """The tables of the rows, or of the graph."""
    from ..render import trace_tables

    if options.show:
        from ..render.views import show

        return show(trace, options.show, digits)
    tables = trace_tables.tables(trace, options.style, digits)
    if trace.lines is None:
        return tables
    from ..render.source_lines import beside

    return beside(trace, tables, options.style)


COMMAND = Command(_HELP, EvalRequest, run)
