"""The sweeps one step at a time, in the terminal; if the output is not a terminal, all steps at once.

\b
Examples:
  adcli step "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5 --mode reverse
  adcli step "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5 --mode forward --wrt x1 --predict

Keys: n, space or right arrow: next step; b or left arrow: previous step; Home and End: first and last step; p: predict
the next numbers; q: quit.
"""

from __future__ import annotations

import os
from contextlib import suppress

from ...errors import RequestError
from ...typings import TYPE_CHECKING
from ..arguments import stdin_is_terminal
from ..options import Command, flag
from ..shared_options import DETAIL, SweepOptions
from ..stream import Stream
from ..sweep_options import explain_sweeps, sweep_request

if TYPE_CHECKING:
    from ...trace.trace_model import Request
    from ..problem_loop import PreparedProblem


class StepRequest(SweepOptions):
    """Options of `adcli step`."""

    detail = DETAIL
    predict = flag("--predict", help="Ask for each number before it is shown.")


def run(stream: Stream, options: StepRequest) -> None:
    """Step through the problems of a command line, until the user quits.

    If input and output are a terminal (that is not dumb), keys move between steps, and --predict asks for the number of
    each step before it is shown. Otherwise all steps are printed at once, or with --predict one question at a time.
    Raises NothingToRead if there is nothing to read, RequestError if problems and predictions would both come from
    standard input that is not a terminal, AdcliError for a --seed that cannot be read.
    """
    from ..problem_loop import ProblemLoop
    from ..terminal_stepper import Quit

    from_input = options.expr == "-" or options.file == "-" or (options.expr is None and options.file is None)
    if options.predict and from_input and not stdin_is_terminal():
        title = "problems and predictions cannot both come from standard input"
        raise RequestError(title, help="give the expression as an argument")
    request = sweep_request(options)
    keys = stream.is_terminal and stdin_is_terminal() and os.environ.get("TERM") != "dumb"
    with suppress(Quit):
        ProblemLoop(stream, options, lambda prepared: _show_steps(stream, options, request, keys, prepared)).run()


def _show_steps(stream: Stream, options: StepRequest, request: Request, keys: bool, prepared: PreparedProblem) -> None:
    """Trace one problem, show its steps, and then print its notes except those about kinks, which the steps have.

    The first that applies: with `keys`, and if there are steps, the reader walks through them; with --predict all
    questions follow one another; all steps are printed, with a heading if the problem has a label or is not the only
    one. The detail is --detail; without it, full with `keys` and short without (of no effect for arrays). Raises Quit
    if the user quits, AdcliError if the problem cannot be evaluated.
    """
    from ...render.explanation import parts
    from ...render.plain import Plain
    from ..problem_loop import print_notes
    from ..terminal_stepper import Walk, ask_all

    done = explain_sweeps(prepared, request, options.detail or ("full" if keys else "short"), restart_numbers=keys)
    if keys and any(account.lines for account in done.accounts):
        Walk(stream, done.head, done.accounts, options.predict).run()
    elif options.predict:
        ask_all(stream, done.accounts)
    else:
        named = done.trace.label or not prepared.single
        stream.write(Plain(stream.columns).body(parts(done.head if named else "", done.accounts)))
    print_notes(stream, [note for note in done.trace.notes if note.kind != "kink"], prepared)


COMMAND = Command(__doc__, StepRequest, run)
