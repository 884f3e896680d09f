"""Sweep options shared by the commands that show sweeps: their request for a trace, and the page of --interactive."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..errors import RequestError
from ..notation.number_text import Digits
from ..records import NamedTuple
from ..typings import TYPE_CHECKING
from .arguments import merge_points, split_names
from .pages import write
from .shared_options import SweepOptions
from .stream import Stream

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from ..render.graphs.diagram import Diagram
    from ..render.step_sentences import Account
    from ..trace.explained_sweeps import ExplainedSweep
    from ..trace.trace_model import Request, Trace
    from .problem_loop import PreparedProblem


def sweep_request(options: SweepOptions) -> Request:
    """Return the request for a trace with the mode, wrt, seed, numbering, cse, kinks and digits of the options.

    The seed is None if there is none; the other fields have their defaults. Raises AdcliError for a seed that cannot be
    read.
    """
    from ..trace.trace_model import Request

    return Request(
        mode=options.mode, wrt=split_names(options.wrt), seed=merge_points(options.seed, "--seed") or None,
        numbering=options.numbering, cse=options.cse, kinks=options.kinks,
        digits=Digits(options.places, options.digits),
    )  # fmt: skip


class Explained(NamedTuple):
    """The sweeps of one problem in words: its trace, a heading, the sweeps, the point with nested lists for arrays, and
    a function that returns the diagram of one sweep."""

    trace: Trace
    head: str
    accounts: list[Account]
    at: Mapping[str, object]
    diagram: Callable[[ExplainedSweep], Diagram]


def explain_sweeps(
    prepared: PreparedProblem, request: Request, detail: str, *, restart_numbers: bool = False,
    check: Callable[[Graph, Request], None] | None = None,
) -> Explained:  # fmt: skip
    """Return the sweeps of a problem in words, traced as `request` says, but with data left out of `wrt`.

    `detail` is short or full (of no effect for arrays), `restart_numbers` numbers the steps of each sweep anew. The
    result has the trace, a heading, the sweeps in words, `at` (the point, with nested lists for arrays) and a function
    from a sweep to its diagram. `check`, if present, may refuse a graph of numbers before it is
    evaluated, arrays are not checked. Raises what `check` raises, and an AdcliError if the problem cannot be evaluated.
    """
    if prepared.arrays is not None:
        from ..arrays.array_documents import group_entries
        from ..arrays.sweeps import array_trace
        from ..render import array_explanation
        from ..render.array_tables import ArrayTables
        from ..render.graphs.array_diagram import of_sweep

        arrays = array_trace(prepared.arrays, prepared.at, prepared.without_data(request), prepared.problem.label)
        return Explained(
            arrays.trace, ArrayTables(arrays, request.digits).heading(),
            array_explanation.accounts(arrays, request.digits, restart_numbers), group_entries(arrays, arrays.trace.at),
            lambda passage: of_sweep(arrays, passage, request.digits),
        )  # fmt: skip
    from ..render.graphs.diagram import of_sweep as scalar_sweep
    from ..render.step_sentences import accounts
    from ..render.trace_tables import heading
    from ..trace.trace_program import trace

    result = trace(prepared.program, prepared.at, prepared.without_data(request), prepared.problem.label, check)
    return Explained(
        result, heading(result, request.digits),
        accounts(result, request.digits, detail, restart_numbers=restart_numbers), result.at,
        lambda passage: scalar_sweep(result, passage, request.digits),
    )  # fmt: skip


def write_stepper_page(
    stream: Stream, options: SweepOptions, request: Request, form: str | None, *, detail: str = "full",
    unsupported: Sequence[str] = (),
) -> None:  # fmt: skip
    """Write one HTML page to step through all problems; nothing is written if all of them failed, with errors printed.

    `request` says how to trace them, `form` is the value of --format (None: missing), `detail` is short or full. A
    problem of numbers with more than 2000 steps fails; failed problems are not on the page. Notes are printed, except
    those about kinks, which the page has. Raises NothingToRead if there is nothing to read, RequestError, before
    anything is read, if `form` is neither None nor html, or if an option in `unsupported` (fields of `options`) is in
    use.
    """
    from ..render.formats import find_format
    from ..render.stepper import Piece, document, piece
    from ..trace.explained_sweeps import check_step_count
    from .problem_loop import ProblemLoop, print_notes

    if form not in (None, "html"):
        raise RequestError(f"--interactive makes an HTML page, but --format says {form}", help="leave one of them out")
    for field in unsupported:
        if getattr(options, field):
            option = field.replace("_", "-")
            raise RequestError(f"the page of --interactive does not support --{option}", help="leave one of them out")
    pieces: list[Piece] = []

    def work(prepared: PreparedProblem) -> None:
        done = explain_sweeps(prepared, request, detail, restart_numbers=True, check=check_step_count)
        pieces.append(piece(done.trace, done.head, done.accounts, done.diagram, len(pieces)))
        print_notes(stream, [note for note in done.trace.notes if note.kind != "kink"], prepared)  # the page has those

    ProblemLoop(stream, options, work).run()
    if pieces:
        write(stream, find_format("html"), document(pieces))
