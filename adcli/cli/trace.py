"""`adcli trace`: a Python function as the paper's table."""

from __future__ import annotations

from typing import Any

from ..errors import AdcliError, NameProblem, RequestError, Source
from .arguments import chosen_format, given_point
from .eval import OPTIONS as OF_EXPRESSIONS
from .options import FORMATS, Command, Option
from .stream import Stream

_HELP = """The evaluation trace of a Python function.

\b
Examples:
  adcli trace model.py:loss --at x1=2,x2=5
  adcli trace model.py:loss --at x1=2,x2=5 --mode reverse --style paper
  adcli trace model.py:power_loop --at x=2 --fixed n=3

The file is run. The function is called once, with the point as its arguments: loops are unrolled as they ran, and each
row has the line that it comes from beside it.
"""

# What belongs to texts of problems, and not to a function.
_NOT_HERE = {"file", "fail_fast", "complex", "functions", "workers", "interactive"}

OPTIONS = (
    Option(("--fixed",), "fixed", "Arguments that are no inputs, passed as they are.", "n=3", many=True),
    *(option for option in OF_EXPRESSIONS if option.key not in _NOT_HERE),
)


def run(stream: Stream, flags: dict[str, Any]) -> int | None:
    """Traces the function that a command line names; None when it names none."""
    if flags["function"] is None:
        return None
    from ..trace.model import Request
    from .documents import results
    from .each import Posed, say_notes
    from .evaluating import requested
    from .pages import Pages

    stream.dress(flags)
    flags = {**flags, "complex": False}
    form = chosen_format(flags["wanted"], flags["output"], FORMATS, "table")
    pages = Pages(stream, form, "Evaluation trace", flags["standalone"])
    found = results(pages, Request(), flags)
    try:
        request = requested(flags, form)
        found = results(pages, request, flags)
        problem, program, trace = _traced(flags, request)
        found.add(trace, single=True)
        if form not in ("json", "ndjson"):  # which have the notes themselves
            say_notes(stream, trace.notes, Posed(problem, program, trace.at, single=True))
    except AdcliError as error:
        if flags["debug"]:
            raise
        stream.error(error)
        found.fail(error)
    found.finish()
    stream.close()
    return stream.code


def _traced(flags: dict[str, Any], request: Any) -> tuple[Any, Any, Any]:
    from ..language.problems import Problem
    from ..trace.recorded import finished, record
    from .modules import failed

    path, colon, name = flags["function"].rpartition(":")
    if not colon or not path or not name:
        raise RequestError(
            f"{flags['function']} names no function", help="write the file and the function, such as model.py:loss"
        )
    function = _named(path, name)
    at = given_point(flags["at"], "--at")
    fixed = {key: int(x) if x.is_integer() else x for key, x in given_point(flags["fixed"], "--fixed").items()}
    try:
        recording, program = record(function, at, fixed)
    except AdcliError as error:
        error.span = error.span or _place(error, function)
        raise
    except (Exception, SystemExit) as error:
        raise failed(name, error, _place(error, function)) from None
    problem = Problem(None, Source(name), None, 1)
    return problem, program, finished(recording, program, at, request, name)


def _place(error: BaseException, function: Any) -> Any:
    from ..graph.recording import Recording

    return Recording(function).failed_at(error)


def _named(path: str, name: str) -> Any:
    """The function of this name that a file defines."""
    from ..table.suggest import similar
    from .modules import loaded

    module = loaded(path)
    found = getattr(module, name, None)
    if not callable(found):
        known = [key for key, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
        guess = similar(name, known)
        advice = f"did you mean {guess}?" if guess else f"its functions are {', '.join(known) or 'none'}"
        raise NameProblem(f"{path} has no function called {name}", help=advice)
    return found


COMMAND = Command(_HELP, OPTIONS, "function", 1, run)
