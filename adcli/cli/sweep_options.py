"""Sweep options shared by the commands that show sweeps: their request for a trace, and the page of --interactive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..errors import RequestError
from ..notation.number_text import Digits
from .arguments import merge_points, split_names
from .pages import write
from .shared_options import SweepOptions
from .stream import Stream

if TYPE_CHECKING:
    from ..trace.model import Request
    from .problem_loop import PreparedProblem


def sweep_request(options: SweepOptions) -> Request:
    """Return the request for a trace that the options describe. Raises AdcliError for a seed that cannot be read."""
    from ..trace.model import Request

    return Request(
        mode=options.mode, wrt=split_names(options.wrt), seed=merge_points(options.seed, "--seed") or None,
        numbering=options.numbering, cse=options.cse, kinks=options.kinks,
        digits=Digits(options.places, options.digits),
    )  # fmt: skip


def write_stepper_page(
    stream: Stream, options: SweepOptions, request: Request, form: str | None, *, detail: str = "full",
    unsupported: Sequence[str] = (),
) -> int | None:  # fmt: skip
    """Write one HTML page to step through all problems, and return the exit code; None if there is nothing to read.

    `form` is the value of --format, `detail` is short or full. Raises RequestError if `form` is not html, or if an
    option in `unsupported` (fields of `options`) is in use.
    """
    from ..render.formats import named
    from ..render.stepper import Piece, document, piece
    from ..trace.explained_sweeps import tellable
    from ..trace.trace_program import trace
    from .problem_loop import for_each_problem, print_notes

    if form not in (None, "html"):
        raise RequestError(f"--interactive makes an HTML page, --format says {form}", help="leave one of them out")
    for field in unsupported:
        if getattr(options, field):
            option = field.replace("_", "-")
            raise RequestError(f"the page of --interactive does not support --{option}", help="leave one of them out")
    pieces: list[Piece] = []

    def work(posed: PreparedProblem) -> None:
        result = trace(posed.program, posed.at, posed.without_data(request), posed.problem.label, tellable)
        pieces.append(piece(result, request.digits, detail, len(pieces)))
        print_notes(stream, [note for note in result.notes if note.kind != "kink"], posed)  # the page has those

    if not for_each_problem(stream, options, work):
        return None
    if pieces:
        write(stream, named("html"), document(pieces))
    stream.close()
    return stream.code
