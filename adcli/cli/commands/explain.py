"""The sweeps in sentences, one step at a time: which rule, why this row comes next, what is added up.

\b
Examples:
  adcli explain "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5 --mode reverse
  adcli explain "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5 --mode forward --wrt x1 --detail full
  adcli explain "x^2*sin(x) @ x=1" --format markdown -o notes.md
  adcli explain "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5 --interactive -o page.html
"""

from __future__ import annotations

from functools import partial

from ...render.formats import DATA, DOCUMENTS, RECORDS
from ...typings import TYPE_CHECKING
from ..arguments import choose_format
from ..options import Command, choice
from ..pages import Pages
from ..shared_options import DETAIL, INTERACTIVE, PageOptions, SweepOptions
from ..stream import Stream
from ..sweep_options import explain_sweeps, sweep_request, write_stepper_page

if TYPE_CHECKING:
    from ..problem_loop import PreparedProblem

FORMATS = ("plain", *DOCUMENTS, *RECORDS)


class ExplainRequest(PageOptions, SweepOptions):
    """Options of `adcli explain`."""

    detail = DETAIL
    interactive = INTERACTIVE
    format_name = choice("--format", choices=FORMATS, help="Output format (default: plain).")


def run(stream: Stream, options: ExplainRequest) -> None:
    """Write explanations of every problem, or with --interactive one page to step through all that do not fail.

    Problems without a point for their inputs fail; arrays are accepted. The detail is --detail; without it, full with
    --interactive and short otherwise. Notes on kinks are not printed, because the sentences have them. Formats of data
    contain all notes, so that none are printed. Raises NothingToRead if there is nothing to read. Raises RequestError
    for --interactive with a --format other than html, and for --standalone or --math dollars with a format that does
    not support it; AdcliError for a --seed that cannot be read.
    """
    from ...render import explanation
    from ...trace.explained_sweeps import check_step_count
    from ..problem_loop import ProblemResult, Results

    request = sweep_request(options)
    detail = options.detail or "short"
    if options.interactive:
        write_stepper_page(stream, options, request, options.format_name, detail=options.detail or "full")
        return
    form = choose_format(options.format_name, options.path, FORMATS, "plain")
    columns = stream.width() if stream.is_terminal else stream.columns

    def explain(prepared: PreparedProblem) -> ProblemResult:
        """Return how to write the explanation of one problem, with the notes to print.

        Data formats contain all notes, so that none are to be printed; the sentences contain those on kinks.
        """
        done = explain_sweeps(prepared, request, detail, check=check_step_count)
        return ProblemResult(
            partial(explanation.data, done.trace, done.accounts, done.at),
            lambda named: explanation.parts(done.head if done.trace.label or named else "", done.accounts),
            lambda _: [],  # there are no sheets of sentences
            [note for note in done.trace.notes if form not in DATA and note.kind != "kink"],
        )

    pages = Pages(stream, form, "Explanations", options.standalone, columns, options.math)
    Results(pages).write_all(options, explain)


COMMAND = Command(__doc__, ExplainRequest, run)
