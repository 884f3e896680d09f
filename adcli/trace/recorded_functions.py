"""Traces of recorded Python functions: operations are recorded as they run, then treated like any other program."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from itertools import product

from ..errors import AdcliError, DomainProblem, NameProblem, RequestError
from ..graph.overloading import TracingProblem
from ..graph.recording import Recording, doubles_of, element_name
from ..language.program import Program
from ..table.suggest import advice_on_name
from ..typings import Any, override
from .trace_model import Note, Request, Trace
from .trace_program import trace

Function = Callable[..., object]
Arguments = Mapping[str, object]


class RecordedProgram(Program):
    """A program whose source is a file of Python."""

    @override
    def argument_places(self) -> dict[tuple[str, int, int], list[tuple[int, int]]]:
        return {}


def record(
    function: Function, at: Arguments, fixed: Arguments | None = None
) -> tuple[Recording, RecordedProgram, dict[str, float]]:
    """Return (the recording of one call of a function, the program that it makes, its input numbers by name).

    `at` has the inputs by parameter: numbers or small arrays (nested lists), whose elements are named `x[0]`. `fixed`
    has arguments that are passed as they are. If the function raises TypeError for traced numbers and JAX is imported,
    it is traced by JAX. Raises NameProblem for an unknown parameter or one without a value. Raises RequestError for an
    array with which there are more than 64 numbers, and for results that are not numbers. Errors of the function pass.
    """
    recording = Recording(function)
    inputs = RecordedInputs(recording)
    arguments = _build_call(function, inputs.argument, at, fixed or {})
    try:
        result = function(*arguments.args, **arguments.kwargs)
    except TypeError as error:
        if isinstance(error, TracingProblem) or "jax" not in sys.modules:
            raise
        return _record_with_jax(function, at, fixed or {}, error)
    _name_results(recording, result)
    program = RecordedProgram(recording.source, recording.graph, [], frozenset(), tuple(inputs.numbers))
    return recording, program, inputs.numbers


class RecordedInputs:
    """The inputs of a recording: `numbers` has the value of each by its name."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.numbers: dict[str, float] = {}

    def argument(self, name: str, x: object) -> object:
        """Append the numbers of the argument `name` to `numbers` and return the argument as traced values.

        A number becomes one traced value. A list, tuple or array with a shape becomes an array of them (dtype object),
        whose elements are named `x[0]` or `x[0,1]`. Raises RequestError if an array is not made of numbers, or if there
        are more than 64 numbers with it. Raises TypeError or ValueError for a single object that is not a number.
        """
        if not isinstance(x, (list, tuple)) and not getattr(x, "shape", ()):
            self.numbers[name] = number = x if isinstance(x, float) else float(x)  # type: ignore[arg-type]
            return self.recording.input(name, float(number))
        from ..numbers.numpy_arrays import np

        cells = doubles_of(name, x, len(self.numbers)).astype(object)
        for place, number in np.ndenumerate(cells):
            cells[place] = self.argument(element_name(name, place), number)
        return cells


def _record_with_jax(
    function: Function, at: Arguments, fixed: Arguments, failed: TypeError
) -> tuple[Recording, RecordedProgram, dict[str, float]]:
    """Return (recording, program, values of the inputs by name) of a Python `function`, traced by JAX.

    `at` has the inputs by parameter, `fixed` the other arguments. Errors of adcli pass. For any other error `failed`
    (the error of the call without JAX) is raised.
    """
    from ..adapters.jax_program import record_jax

    recording = Recording(inspect.unwrap(function))
    bound = _build_call(function, lambda _, x: x, at, fixed)
    points = {name: at[name] for name in bound.arguments if name in at}

    def call_flat(*inputs: object) -> object:
        bound.arguments.update(zip(points, inputs, strict=True))
        return function(*bound.args, **bound.kwargs)

    try:
        numbers = record_jax(call_flat, points, recording)
    except AdcliError:
        raise
    except Exception:
        raise failed from None
    program = RecordedProgram(recording.source, recording.graph, [], frozenset(), tuple(numbers))
    return recording, program, numbers


def _name_results(recording: Recording, result: object) -> None:
    """Set the results of the function as the outputs of the recording.

    A single result is y. The items of a tuple or list are y1, y2, …, also if there is only one. The items of a dict
    have their keys as names. Elements of an array are named `y[0]` or `y1[0,1]`, in row-major order. Raises
    RequestError if there are no results, or if one is not a number.
    """
    named: dict[str, Any] = {"y": result}
    if isinstance(result, Mapping):
        named = {str(key): x for key, x in result.items()}
    elif isinstance(result, (tuple, list)):
        named = {f"y{k}": x for k, x in enumerate(result, 1)}
    outputs: dict[str, object] = {}
    for name, x in named.items():
        places = product(*map(range, getattr(x, "shape", ())))
        outputs |= {element_name(name, place): x[place] if place else x for place in places}
    recording.set_outputs(outputs)


def _build_call(
    function: Function, argument: Callable[[str, object], object], at: Arguments, fixed: Arguments
) -> inspect.BoundArguments:
    """Return the call with `argument(name, value)` for each input of `at`, in the order of the parameters.

    `fixed` has values that are passed as they are, and wins over `at`; other parameters keep their defaults. Raises
    RequestError if `function` has no signature. Raises NameProblem for a name that is not a parameter (`*args` and
    `**kwargs` are none), and for a parameter that has neither a value nor a default.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        raise RequestError(f"{function!r} is not a Python function", help="name a function defined with def") from None
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    parameters = {name: p for name, p in signature.parameters.items() if p.kind not in several}
    names = {*at, *fixed}
    for name in (*at, *fixed):
        if name not in parameters:
            advice = advice_on_name(name, list(parameters), kind="parameters")
            raise NameProblem(f"the function has no parameter called {name}", help=advice)
    missing = [name for name, p in parameters.items() if p.default is p.empty and name not in names]
    if missing:
        point = ", ".join(f"{name}=…" for name in missing)
        title = f"the argument {missing[0]} has no value"
        raise NameProblem(title, help=f"add {point} to the point, or fix an argument that is not an input: --fixed n=3")
    bound = signature.bind_partial()
    for name in filter(names.__contains__, parameters):
        bound.arguments[name] = fixed[name] if name in fixed else argument(name, at[name])
    return bound


def trace_recording(
    recording: Recording,
    program: RecordedProgram,
    numbers: Mapping[str, float],
    request: Request,
    name: str,
    arguments: Iterable[str],
) -> Trace:
    """Return the trace of `program`, recorded by `recording`, at `numbers`.

    Its `lines` are the lines of the Python file by slot. Its expression is the function `name` called with `arguments`,
    such as `loss(w, x)`. If a condition of Python compared equal numbers, and not in value mode, a note of kind "kink"
    is appended, or DomainProblem raised if the request treats kinks as errors. Raises the errors of a trace:
    NameProblem, DomainProblem and RequestError.
    """
    done = trace(program, numbers, request)
    if recording.tie is not None and request.mode != "value":
        place = recording.line(recording.tie)
        where = "" if place is None else f" in line {place[0]} ({place[1]})"
        text = f"a condition{where} compares two equal numbers: the slopes are those of the branch that was taken"
        if request.kinks == "error":
            advice = "choose another point, or accept the slopes of the branch that was taken: --kinks note"
            raise DomainProblem(
                "a condition compares two equal numbers", recording.span(recording.tie), text, help=advice
            )
        done = done._replace(notes=[*done.notes, Note(None, "kink", text)])
    lines = {row.slot: line for row in done.rows if (line := recording.line(done.graph.spans[row.slot])) is not None}
    return done._replace(expression=f"{name}({', '.join(arguments)})", lines=lines)
