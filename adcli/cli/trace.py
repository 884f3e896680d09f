"""`adcli trace`: a Python function as the paper's table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..errors import AdcliError, NameProblem, RequestError, Source, Span
from .arguments import choose_format, merge_points
from .eval import EvalRequest, results, trace_request
from .inputs import Inputs
from .options import FORMATS, Command, argument, left_out, texts
from .pages import Pages
from .stream import Stream

if TYPE_CHECKING:
    from ..language.problems import Problem
    from ..trace.model import Request, Trace
    from ..trace.recorded_functions import RecordedProgram

_HELP = """The evaluation trace of a Python function.

\b
Examples:
  adcli trace model.py:loss --at x1=2,x2=5
  adcli trace model.py:loss --at x1=2,x2=5 --mode reverse --style paper
  adcli trace model.py:power_loop --at x=2 --fixed n=3

The file is run. The function is called once, with the point as its arguments: loops are unrolled as they ran, and each
row has the line that it comes from beside it.
"""


class TraceRequest(EvalRequest):
    """What `adcli trace` is asked: what belongs to texts of problems is not offered for a function."""

    function = argument()
    fixed = texts("--fixed", metavar="n=3", help="Arguments that are not inputs, passed unchanged.")
    expr = left_out(None)
    file = left_out(None)
    complex = left_out(False)
    functions = left_out(())
    interactive = left_out(False)
    fail_fast = left_out(False)
    workers = left_out(None)


def run(stream: Stream, options: TraceRequest) -> int | None:
    """Traces the function that a command line names; None when it names none."""
    from ..trace.model import Request
    from .problem_loop import PreparedProblem, print_notes

    if options.function is None:
        return None
    options.configure(stream)
    form = choose_format(options.wanted, options.path, FORMATS, "table")
    pages = Pages(stream, form, "Evaluation trace", options.standalone, math=options.math)
    found = results(pages, Request(), options)
    try:
        request = trace_request(options, form)
        found = results(pages, request, options)
        problem, program, trace = _traced(options, options.function, request, stream.inputs)
        found.add(trace, single=True)
        if form not in ("json", "ndjson"):  # which have the notes themselves
            print_notes(stream, trace.notes, PreparedProblem(problem, program, trace.at, single=True))
    except AdcliError as error:
        if options.debug:
            raise
        stream.error(error)
        found.fail(error)
        stream.nothing_solved = True
    found.finish()
    stream.close()
    return stream.code


def _traced(
    options: TraceRequest, place: str, request: Request, inputs: Inputs
) -> tuple[Problem, RecordedProgram, Trace]:
    """The function that `model.py:loss` names, and its trace."""
    from ..language.problems import Problem
    from ..trace.recorded_functions import finished, record
    from .user_modules import user_code_error

    path, colon, name = place.rpartition(":")
    if not colon or not path or not name:
        raise RequestError(f"{place} names no function", help="write the file and the function, such as model.py:loss")
    function = _named(path, name, inputs)
    at = merge_points(options.at, "--at")
    fixed = {key: int(x) if x.is_integer() else x for key, x in merge_points(options.fixed, "--fixed").items()}
    try:
        recording, program = record(function, at, fixed)
    except AdcliError as error:
        error.span = error.span or _place(error, function)
        raise
    except (Exception, SystemExit) as error:
        raise user_code_error(name, error, _place(error, function)) from None
    problem = Problem(None, Source(name), None, 1)
    return problem, program, finished(recording, program, at, request, name)


def _place(error: BaseException, function: Callable[..., object]) -> Span | None:
    from ..graph.recording import Recording

    return Recording(function).failed_at(error)


def _named(path: str, name: str, inputs: Inputs) -> Callable[..., object]:
    """The function of this name that a file defines."""
    from ..table.suggest import similar
    from .user_modules import load_module

    module = load_module(path, inputs)
    found: object = getattr(module, name, None)
    if not callable(found):
        known = [key for key, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
        guess = similar(name, known)
        advice = f"did you mean {guess}?" if guess else f"its functions are {', '.join(known) or 'none'}"
        raise NameProblem(f"{path} has no function called {name}", help=advice)
    return found


COMMAND = Command(_HELP, TraceRequest, run)
