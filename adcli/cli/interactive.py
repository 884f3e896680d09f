"""One page to step through, for the commands that write traces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import RequestError
from ..trace.model import Request
from ..trace.trace import trace
from .each import Posed, each, say_notes
from .pages import write_page
from .stream import Stream

# What the page has no place for: the options of `adcli eval` that ask for something else than the sweeps of doubles.
_ELSEWHERE = ("no_trace", "show", "count", "hessian", "hvp", "certify", "verify", "exact", "precision", "complex")


def _agreed(flags: Mapping[str, Any]) -> None:
    """Raises RequestError where other options speak against a page."""
    if flags["wanted"] not in (None, "html"):
        raise RequestError(
            f"--interactive makes an HTML page, --format says {flags['wanted']}", help="leave one of them out"
        )
    for key in _ELSEWHERE:
        if flags.get(key):
            option = key.replace("_", "-")
            raise RequestError(f"the page to step through has nothing of --{option}", help="leave one of them out")


def step_through(stream: Stream, flags: dict[str, Any], request: Request, detail: str = "full") -> int | None:
    """Writes the page for the problems of a command line; None when there is nothing to read.

    Raises RequestError where other options speak against a page.
    """
    from ..render.stepper import Piece, document, piece

    _agreed(flags)
    pieces: list[Piece] = []

    def work(posed: Posed) -> None:
        found = trace(posed.program, posed.at, request, posed.problem.label)
        pieces.append(piece(found, request.digits, detail, len(pieces)))
        say_notes(stream, [note for note in found.notes if note.kind != "kink"], posed)  # the page has those

    if not each(stream, flags, work):
        return None
    if pieces:
        write_page(stream, document(pieces))
    stream.close()
    return stream.code
