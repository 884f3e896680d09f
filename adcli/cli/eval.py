"""`adcli eval`: value, derivatives and evaluation trace of expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from ..errors import AdcliError, RequestError
from .arguments import chosen_format, given_point
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
from .sweep_options import step_through, sweeps

if TYPE_CHECKING:
    from ..notation.number_text import Digits
    from ..render.document_parts import Part
    from ..trace.model import Request, Trace
    from .problem_loop import Posed, Results
    from .workers import Said

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
    """What `adcli eval` is asked."""

    file = FILE
    at = AT
    mode = MODE
    wrt = WRT
    seed = SEED
    style = choice(
        "--style",
        choices=("wide", "paper", "baydin"),
        help="One wide table, the paper's tables, or primal and derivative traces side by side.",
        default="wide",
    )
    numbering = NUMBERING
    cse = CSE
    hessian = flag("--hessian", help="Second derivatives too, forward over reverse.")
    hvp = texts("--hvp", metavar="x1=1,x2=0", help="The Hessian times this direction.")
    show = choice("--show", choices=("nodes", "order", "levels"), help="Show the graph instead of the trace.")
    count = flag("--count", help="What the gradient costs: operations of value, forward and reverse programs.")
    all = flag("--all", help="Tangents of all inputs with --mode both, and long tables whole on a terminal.")
    no_trace = flag("--no-trace", help="Only the outputs and their derivatives.")
    places = PLACES
    digits = DIGITS
    kinks = KINKS
    exact = flag("--exact", help="Integers and fractions as long as the operations allow.")
    precision = whole("--precision", between=(1, 4000), help="Compute with N decimal digits and print them.")
    complex = flag("--complex", help="Complex numbers, with principal branches; i is the imaginary unit.")
    certify = flag("--certify", help="Digits that are certain, and a warning where a double has lost them.")
    conditioning = flag("--conditioning", help="What each row does to rounding, and its share in the error, in ulps.")
    verify = flag("--verify", help="Compute in several ways and tell the largest disagreement.")
    functions = FUNCTIONS
    interactive = INTERACTIVE
    fail_fast = FAIL_FAST
    workers = whole("--workers", between=(1, 64), help="Processes for a large file, with ndjson; default: all cores.")
    wanted = FORMAT
    math = MATH
    standalone = STANDALONE


_WRONG = 3  # the exit code where routes to one number disagree


def run(stream: Stream, asked: EvalRequest) -> int | None:
    """Evaluates the problems of a command line; None when there is nothing to read."""
    from ..trace.model import Request
    from .problem_loop import each

    asked.dress(stream)
    if asked.interactive:
        return step_through(stream, asked, requested(asked, "html"), asked.wanted, elsewhere=_elsewhere(asked))
    form = chosen_format(asked.wanted, asked.path, FORMATS, "table")
    pages = Pages(stream, form, "Evaluation traces", asked.standalone, math=asked.math)
    try:
        request = requested(asked, form)
    except AdcliError as error:
        if asked.debug:
            raise
        found = results(pages, Request(), asked)
        stream.error(error)
        found.fail(error)
        stream.in_vain = True
    else:
        found = results(pages, request, asked)
        apart = None
        if form == "ndjson":
            from .workers import shared, workers

            count = workers(asked, asked.workers)
            apart = shared(stream, asked, count, _batch) if count > 1 else None
        if not each(stream, asked, _work(found, request), found.fail, asked.complex, apart):
            return None
    found.finish()
    stream.close()
    return stream.code


def _work(found: Results[Trace], request: Request) -> Callable[[Posed], None]:
    from ..trace.trace_program import trace
    from .problem_loop import say_notes

    def work(posed: Posed) -> None:
        traced = trace(posed.program, posed.at, request, posed.problem.label)
        found.add(traced, posed.single)
        if any(note.kind == "disagreement" for note in traced.notes):
            found.stream.answer(_WRONG)
        if found.form not in ("json", "ndjson"):  # which have the notes themselves
            say_notes(found.stream, traced.notes, posed)

    return work


def _batch(asked: EvalRequest, ascii_only: bool, name: str | None, texts: list[tuple[int, str]]) -> Said:
    """What is to be said of a batch of problems, in another process."""
    from ..language.problems import read_problem
    from .problem_loop import attempt
    from .workers import Retelling

    stream = Retelling(ascii_only)
    request = requested(asked, "ndjson")
    found = results(Pages(stream, "ndjson", ""), request, asked)
    given = given_point(asked.at, "--at", asked.complex)
    work = _work(found, request)
    for line, text in texts:
        problem = read_problem(text, name, line)
        if not attempt(stream, asked, problem, given, work, found.fail, imaginary=asked.complex):
            return stream.said(), False
    return stream.said(), True


# --- what is asked of a trace -----------------------------------------------------------------------------------------


def requested(asked: EvalRequest, form: str) -> Request:
    """The request for a trace that a command line stands for.  Raises RequestError for what does not go together."""
    if asked.show == "order" and asked.mode == "value":
        raise RequestError("the orders belong to the sweeps", help="choose --mode forward, reverse or both")
    if asked.count and form == "csv":
        raise RequestError("what a gradient costs has no place in a sheet", help="use --format json or plain")
    request = sweeps(asked)._replace(
        steps=not asked.no_trace, hessian=asked.hessian, hvp=given_point(asked.hvp, "--hvp") or None
    )
    request = _with_numbers(request, asked)
    if asked.complex and (request.hessian or request.hvp):
        raise RequestError("second derivatives are computed with real numbers", help="leave out --complex")
    return request


def _with_numbers(request: Request, asked: EvalRequest) -> Request:
    """The request with the numbers and the checks that were asked for."""
    checks = [name for name, is_asked in (
        ("conditioning", asked.conditioning), ("certify", asked.certify), ("verify", asked.verify),
    ) if is_asked]  # fmt: skip
    numbers = None
    if asked.exact or asked.precision or asked.complex:
        from ..trace.number_kinds import numbers_for

        numbers = numbers_for(asked.exact, asked.precision, asked.complex, request.digits)
    if numbers is not None and checks:
        raise RequestError(
            f"--{checks[0]} checks doubles",
            help=f"leave out --{checks[0]}, or --exact, --precision and --complex",
        )
    if asked.certify and request.mode != "value" and request.seed:
        raise RequestError("--certify encloses gradients, not products with a seed", help="leave out --seed")
    return request._replace(
        numbers=numbers, digits=request.digits if numbers is None else numbers.digits,
        conditioning=asked.conditioning, certify=asked.certify, verify=asked.verify,
    )  # fmt: skip


def _elsewhere(asked: EvalRequest) -> dict[str, object]:
    """The options that ask for something else than the sweeps of doubles."""
    return {
        "no-trace": asked.no_trace, "show": asked.show, "count": asked.count, "hessian": asked.hessian,
        "hvp": asked.hvp, "certify": asked.certify, "verify": asked.verify, "exact": asked.exact,
        "precision": asked.precision, "complex": asked.complex,
    }  # fmt: skip


# --- what becomes of traces: tables, lines of a sheet, plain data -----------------------------------------------------


def results(pages: Pages, request: Request, asked: EvalRequest) -> Results[Trace]:
    """Takes the traces of a command line."""
    from .problem_loop import Results

    def lines(trace: Trace, number: int) -> list[dict[str, object]]:
        from ..render.data import lines

        return lines(trace, number, request.steps)

    return Results(
        pages,
        data=lambda trace: _data(trace, request, asked),
        parts=lambda trace, named: _parts(trace, named, request, asked),
        lines=lines,
    )


def _data(trace: Trace, request: Request, asked: EvalRequest) -> dict[str, object]:
    from ..trace.trace_document import COST, in_parts

    data = in_parts(trace, request.steps)
    if asked.count:
        from ..trace.cost import cost

        data["cost"] = COST.data(cost(trace.graph, trace.values))
    return data


def _parts(trace: Trace, named: bool, request: Request, asked: EvalRequest) -> list[Part]:
    """The tables that were asked for, one below the other; those of long traces with the results before and after."""
    from ..render import large_traces, trace_tables
    from ..render.document_parts import Heading

    digits = request.digits
    found: list[Part] = [Heading(trace_tables.heading(trace, digits))] if named or trace.label else []
    results = (
        [large_traces.results(trace, digits)]
        if request.steps and not asked.show and large_traces.is_long(trace)
        else []
    )
    if not request.steps:
        found.append(trace_tables.outputs_table(trace, digits))
    else:
        by_input = asked.show in (None, "nodes")  # which have a column or a table for each input
        shown = large_traces.few_tangents(trace) if by_input and not asked.all else trace
        tables = _tables(shown, digits, asked)
        found += [
            *results,
            *(tables if asked.all else large_traces.folding(tables)),
            *large_traces.left_out(trace, shown),
        ]
    more = (trace.second or None, trace.shares, trace.certified, trace.verified, asked.count or None)
    if any(part is not None for part in more):
        found += _added(trace, digits, asked)
    return [*found, *results]


def _added(trace: Trace, digits: Digits, asked: EvalRequest) -> Iterator[Part]:
    """Yield what is below the rows: second derivatives, bounds of errors, certificates, verification and costs."""
    from ..render import added_tables, trace_tables
    from ..render.document_parts import AnyText, Paragraph

    if trace.second:
        yield from added_tables.second_tables(trace, digits)
    if trace.shares is not None:
        yield trace_tables.bounds_table(trace)
    yield from added_tables.proof_tables(trace)
    if asked.count:
        from ..trace.cost import cost

        counted = cost(trace.graph, trace.values)
        yield added_tables.cost_table(counted)
        yield from (Paragraph(AnyText(text)) for text in added_tables.cost_sentences(counted))


def _tables(trace: Trace, digits: Digits, asked: EvalRequest) -> Sequence[Part]:
    """The tables of the rows, or of the graph."""
    from ..render import trace_tables

    if asked.show:
        from ..render.views import show

        return show(trace, asked.show, digits)
    tables = trace_tables.tables(trace, asked.style, digits)
    if trace.lines is None:
        return tables
    from ..render.source_lines import beside

    return beside(trace, tables, asked.style)


COMMAND = Command(_HELP, EvalRequest, run)
