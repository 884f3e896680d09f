"""`adcli explain`: the sweeps in sentences, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...render.formats import DATA, DOCUMENTS, RECORDS
from ..arguments import choose_format
from ..options import Command, choice
from ..pages import Pages
from ..shared_options import DETAIL, FAIL_FAST, FUNCTIONS, INTERACTIVE, MATH, SweepOptions
from ..stream import Stream
from ..sweep_options import sweep_request, write_stepper_page

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...arrays.sweeps import ArrayTrace
    from ...render.document_parts import Part
    from ...trace.model import Note, Request, Trace
    from ..problem_loop import PreparedProblem

_HELP = """The sweeps in sentences, one step at a time: which rule, why this row comes next, what is added up.

\b
Examples:
  adcli explain "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5 --mode reverse
  adcli explain "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5 --mode forward --wrt x1 --detail full
  adcli explain "x^2*sin(x) @ x=1" --format markdown -o notes.md
  adcli explain "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5 --interactive -o page.html
"""

FORMATS = ("plain", *DOCUMENTS, *RECORDS)


class ExplainRequest(SweepOptions):
    """Options of `adcli explain`."""

    detail = DETAIL
    interactive = INTERACTIVE
    functions = FUNCTIONS
    fail_fast = FAIL_FAST
    wanted = choice("--format", choices=FORMATS, help="Output format (default: plain).")
    math = MATH


def run(stream: Stream, options: ExplainRequest) -> int | None:
    """Write explanations of every problem, or with --interactive one page to step through; return the exit code, None
    if there is nothing to read."""
    from ...render import explanation
    from ...render.step_sentences import accounts
    from ...trace.explained_sweeps import tellable
    from ...trace.trace_program import trace
    from ..problem_loop import Results

    options.configure(stream)
    request = sweep_request(options)
    detail = options.detail or "short"
    if options.interactive:
        return write_stepper_page(stream, options, request, options.wanted, detail=options.detail or "full")
    form = choose_format(options.wanted, options.path, FORMATS, "plain")
    columns = stream.width() if stream.is_terminal else stream.columns
    results: Results[Trace | ArrayTrace] = Results(
        Pages(stream, form, "Explanations", columns=columns, math=options.math),
        data=lambda trace: explanation.data(_scalar(trace), accounts(_scalar(trace), request.digits, detail)),
        parts=lambda trace, named: _parts(trace, named, request, detail),
        lines=lambda *_: [],  # there are no sheets of sentences
    )

    def explain(posed: PreparedProblem) -> tuple[Trace | ArrayTrace, Iterable[Note]]:
        """Return (the trace of one problem, the notes to print, none of which the format has itself)."""
        if posed.arrays is not None and form not in DATA:
            from ...arrays.sweeps import array_trace

            arrays = array_trace(posed.arrays, posed.at, posed.without_data(request), posed.problem.label)
            return arrays, arrays.trace.notes
        result = trace(posed.program, posed.at, posed.without_data(request), posed.problem.label, tellable)
        if form in DATA:  # which have all notes; the sentences have those on kinks
            return result, ()
        return result, [note for note in result.notes if note.kind != "kink"]

    return results.write_all(options, explain)


def _scalar(trace: Trace | ArrayTrace) -> Trace:
    from ...trace.model import Trace

    return trace if isinstance(trace, Trace) else trace.trace


def _parts(trace: Trace | ArrayTrace, named: bool, request: Request, detail: str) -> list[Part]:
    """Return the sentences of one trace as parts, below a heading if the problem is `named` or has a label; `detail` is
    short or full."""
    from ...trace.model import Trace

    if not isinstance(trace, Trace):
        from ...render import array_explanation

        return array_explanation.parts(trace, named, request.digits)

    from ...render import explanation
    from ...render.step_sentences import accounts
    from ...render.trace_tables import heading

    head = heading(trace, request.digits) if trace.label or named else ""
    return explanation.parts(head, accounts(trace, request.digits, detail))


COMMAND = Command(_HELP, ExplainRequest, run)
