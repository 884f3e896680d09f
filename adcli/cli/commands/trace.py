"""The evaluation trace of a Python function.

\b
Examples:
  adcli trace model.py:loss --at x1=2,x2=5
  adcli trace model.py:loss --at x1=2,x2=5 --mode reverse --style paper
  adcli trace model.py:power_loop --at x=2 --fixed n=3
  adcli trace model.py:energy --at "w=[1,2]" --fixed "A=[1,2;3,4]"

The file is run. The function is called once, with the point as its arguments: loops are unrolled as they ran, and each
row is shown next to the line that it comes from. Small NumPy arrays of inputs are traced number by number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ...errors import SAME_LENGTH, AdcliError, NameProblem, RequestError, Source, Span
from ...typings import TYPE_CHECKING
from ..arguments import merge_points
from ..inputs import Inputs
from ..options import Command, NothingToRead, argument, left_out, texts
from ..stream import Stream
from .eval import EvalRequest, note_trace, trace_request, trace_result

if TYPE_CHECKING:
    from ...language.problems import Problem
    from ...trace.recorded_functions import RecordedProgram
    from ...trace.trace_model import Request, Trace


class TraceRequest(EvalRequest):
    """Options of `adcli trace`: those of `adcli eval` without the ones for texts of problems."""

    listed_first: tuple[str, ...] = ("fixed", *EvalRequest.listed_first)

    function = argument()
    fixed = texts("--fixed", metavar="n=3", help="Arguments that are not inputs, passed unchanged.")
    expr = left_out(None)
    file = left_out(None)
    complex = left_out(False)
    functions = left_out(())
    interactive = left_out(False)
    fail_fast = left_out(False)
    workers = left_out(None)


def run(stream: Stream, options: TraceRequest) -> None:
    """Trace the function that a command line names, and write the trace with its notes.

    An error (also of the options or the user's code) is printed and written as a record in JSON; with --debug it is
    raised. Raises NothingToRead if no function is named, RequestError for --math, --standalone or a file's suffix that
    does not fit the format.
    """
    from ..problem_loop import PreparedProblem, Results, refuse_all

    if options.function is None:
        raise NothingToRead
    writer = Results(options.pages(stream, "Evaluation trace"))
    try:
        request = trace_request(options, writer.form)
        problem, program, trace = _trace_function(options, options.function, request, stream.inputs)
        writer.add(trace_result(trace, request, options), single=True)
        note_trace(writer, trace, PreparedProblem(problem, program, trace.at, single=True))
    except AdcliError as error:
        refuse_all(stream, options, error, writer.fail)
    writer.finish()


def _trace_function(
    options: TraceRequest, place: str, request: Request, inputs: Inputs
) -> tuple[Problem, RecordedProgram, Trace]:
    """Return (problem, recorded program, trace) of the function called `place`, such as `model.py:loss`.

    The trace is that at the point of --at, as `request` says; the problem has the name of the function. Whole numbers
    of --fixed are passed as int; parameters in neither option have their defaults. Raises NameProblem if the function
    does not exist, a parameter has no value, or a name is not a parameter. Raises RequestError if `place` is not
    FILE:NAME or the code fails or exits, with the line in the file, AdcliError if --at or --fixed cannot be read,
    DomainProblem if there is no value at the point. An AdcliError of the function without a place gets the line where
    it was raised.
    """
    from ...language.problems import Problem
    from ...trace.recorded_functions import record, trace_recording
    from ..user_modules import user_code_error

    path, colon, name = place.rpartition(":")
    if not colon or not path or not name:
        title = f"the name of the function is missing after {place}"
        raise RequestError(title, help="write the file and the function, such as model.py:loss")
    function = _load_function(path, name, inputs)
    at = _read_arguments(options.at, "--at")
    constants = _read_arguments(options.fixed, "--fixed")
    try:
        fixed = {key: int(x) if isinstance(x, float) and x.is_integer() else x for key, x in constants.items()}
        recording, program, numbers = record(function, at, fixed)
    except AdcliError as error:
        error.span = error.span or _find_failing_line(error, function)
        raise
    except (Exception, SystemExit) as error:
        raise user_code_error(name, error, _find_failing_line(error, function)) from None
    problem = Problem(None, Source(name), None, 1)
    return problem, program, trace_recording(recording, program, numbers, request, name, at)


def _read_arguments(texts: Iterable[str], flag: str) -> dict[str, object]:
    """Return the values of arguments by name from `texts` such as `x=2, w=[1, 2], A=[1, 2; 3, 4]`.

    A value is a float; in brackets it is a NumPy array of floats. The array is a matrix, row by row, if the brackets
    have semicolons or lists inside, `[[1, 2], [3, 4]]`, otherwise a vector. A later value of a name replaces an earlier
    one, also within a text. `flag` is the option in errors. Raises AdcliError if a text is not a point, RequestError
    for rows of different lengths.
    """
    from ...arrays.array_points import write_rows
    from ...language.problems import pieces
    from ...numbers.numpy_arrays import np

    values: dict[str, object] = {}
    for text in texts:
        for start, end in pieces(text):
            name, _, value = text[start:end].partition("=")
            if not (value.strip().startswith("[") and value.strip().endswith("]")):
                values |= merge_points([text[start:end]], flag)
                continue
            inside = write_rows(value.strip()[1:-1].rstrip())
            rows = [
                [x for a, b in pieces(row) for x in merge_points([f"{name}={row[a:b]}"], flag).values()]
                for row in inside.removesuffix(";").split(";")
            ]
            if len(lengths := {len(row): 0 for row in rows}) > 1:
                title = f"{name.strip()} has rows of {' and of '.join(map(str, lengths))} entries"
                raise RequestError(title, help=SAME_LENGTH)
            values[name.strip()] = np.array(rows if ";" in inside else rows[0], float)
    return values


def _find_failing_line(error: BaseException, function: Callable[..., object]) -> Span | None:
    """Return the span of the line of `function` where an exception was raised; None if it is not known."""

    from ...graph.recording import Recording

    return Recording(function).failed_at(error)


def _load_function(path: str, name: str, inputs: Inputs) -> Callable[..., object]:
    """Run the file at `path` and return its function `name`.

    Raises NameProblem, with a guess or the names that the file defines, if the function is missing or not callable.
    Raises RequestError if the file is missing or its code fails. An AdcliError raised by its code is not caught.
    """
    from ...table.suggest import did_you_mean
    from ..user_modules import load_module

    module = load_module(path, inputs)
    function: object = getattr(module, name, None)
    if not callable(function):
        known = [key for key, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
        advice = did_you_mean(name, known, f"the functions in {path} are {', '.join(known) or 'none'}")
        raise NameProblem(f"{path} has no function called {name}", help=advice)
    return function


COMMAND = Command(__doc__, TraceRequest, run)
