"""`adcli step`."""

from __future__ import annotations

import os
import sys
from typing import Any

from ..errors import RequestError
from ..trace.trace import trace
from .each import Posed, each, say_notes
from .options import APPEARANCE, FAIL_FAST, FILE, FUNCTIONS, Command, Option
from .stream import Stream
from .sweeping import DETAIL, SWEEPS, sweeps

_HELP = """The sweeps one step at a time, in the terminal; off a terminal all steps at once.

\b
Examples:
  adcli step "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5 --mode reverse
  adcli step "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5 --mode forward --wrt x1 --predict

Keys: n, space or right arrow the next step; b or left arrow the one before; Home and End; p predict the next numbers;
q quit.
"""

OPTIONS = (
    FILE,
    *SWEEPS,
    DETAIL,
    Option(("--predict",), "predict", "Ask for each number before it is shown."),
    FUNCTIONS,
    FAIL_FAST,
    *APPEARANCE,
)


def run(stream: Stream, flags: dict[str, Any]) -> int | None:
    """Walks through the problems of a command line; None when there is nothing to read."""
    from ..render.explanation import plain
    from ..render.layout import heading
    from ..render.telling import accounts
    from .walking import Quit, Walk, ask_all

    stream.dress(flags)
    from_input = flags["expr"] == "-" or flags["file"] == "-" or (flags["expr"] is None and flags["file"] is None)
    if flags["predict"] and from_input and not sys.stdin.isatty():
        raise RequestError(
            "problems and predictions cannot both come from standard input", help="give the expression as an argument"
        )
    request = sweeps(flags)
    keys = stream.is_terminal and sys.stdin.isatty() and os.environ.get("TERM") != "dumb"
    detail = flags["detail"] or ("full" if keys else "short")

    def work(posed: Posed) -> None:
        found = trace(posed.program, posed.at, request, posed.problem.label)
        head = heading(found, request.digits)
        said = accounts(found, request.digits, detail, apart=keys)
        if keys and any(account.lines for account in said):
            Walk(stream, head, said, flags["predict"]).run()
        elif flags["predict"]:
            ask_all(stream, said)
        else:
            named = found.label or not posed.single
            stream.write(plain(head if named else "", said, stream.columns))
        say_notes(stream, [note for note in found.notes if note.kind != "kink"], posed)

    try:
        if not each(stream, flags, work):
            return None
    except Quit:
        pass
    stream.close()
    return stream.code


COMMAND = Command(_HELP, OPTIONS, "expr", 1, run)
