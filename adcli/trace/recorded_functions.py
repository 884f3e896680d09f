"""Traces of recorded Python functions: operations are recorded as they run, then treated like any other program."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping

from ..errors import AdcliError, NameProblem, RequestError
from ..graph.overloading import TracingProblem
from ..graph.recording import Recording
from ..language.program import Program
from ..overriding import override
from ..table.suggest import advice_on_name
from .model import Request, Trace
from .trace_program import trace


class RecordedProgram(Program):
    """A program whose source is a file of Python."""

    __slots__ = ()

    @override
    def argument_places(self) -> dict[tuple[str, int, int], list[tuple[int, int]]]:
        return {}


def record(
    function: Callable[..., object], at: Mapping[str, float], fixed: Mapping[str, object] | None = None
) -> tuple[Recording, RecordedProgram]:
    """Return the recording of one call of a function, and the program that it makes.

    `at` has the inputs, `fixed` arguments that are passed as they are.  Raises NameProblem for an unknown parameter or
    one without a value; errors of the function come through.  A function that uses JAX is traced by JAX.
    """
    recording = Recording(function)
    arguments = _arguments(function, recording, at, fixed or {})
    try:
        result = function(*arguments.args, **arguments.kwargs)
    except TypeError as error:
        if isinstance(error, TracingProblem) or "jax" not in sys.modules:
            raise
        return _record_with_jax(function, at, fixed or {}, error)[:2]
    _name_results(recording, result)
    program = RecordedProgram(recording.source, recording.graph, [], frozenset(), tuple(at))
    return recording, program


def _record_with_jax(
    function: Callable[..., object], at: Mapping[str, object], fixed: Mapping[str, object], failed: TypeError | None
) -> tuple[Recording, RecordedProgram, dict[str, float]]:
    """Return recording, program and the values of the inputs by name, traced by JAX.

    `at` has the inputs by parameter, `fixed` the other arguments. Raises `failed`, the error of the call without JAX,
    if JAX fails too; its own error if `failed` is None.
    """
    from ..adapters.jax_program import write

    recording = Recording(inspect.unwrap(function))
    bound = _arguments(function, Recording(function), dict.fromkeys(at, 0.0), fixed)
    points = {name: at[name] for name in bound.arguments if name in at}

    def called(*inputs: object) -> object:
        bound.arguments.update(zip(points, inputs, strict=True))
        return function(*bound.args, **bound.kwargs)

    try:
        numbers = write(called, points, recording)
    except AdcliError:
        raise
    except Exception:
        if failed is None:
            raise
        raise failed from None
    program = RecordedProgram(recording.source, recording.graph, [], frozenset(), tuple(numbers))
    return recording, program, numbers


def _name_results(recording: Recording, result: object) -> None:
    """Name the results in the recording: y, or y1, y2, … for a tuple or list, or the keys of a dict.

    Raises RequestError if there is no result.
    """
    named: dict[str, object]
    if isinstance(result, Mapping):
        named = {str(key): x for key, x in result.items()}
    elif isinstance(result, (tuple, list)):
        named = {f"y{k}": x for k, x in enumerate(result, 1)}
    else:
        named = {"y": result}
    recording.set_outputs(named)


def _arguments(
    function: Callable[..., object], recording: Recording, at: Mapping[str, float], fixed: Mapping[str, object]
) -> inspect.BoundArguments:
    """Return the call of the function: an input of the recording for each parameter in `at`, other arguments from
    `fixed`.

    Raises RequestError if it is not a Python function, NameProblem for an unknown parameter or one without a value.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        raise RequestError(f"{function!r} is not a Python function", help="name a function defined with def") from None
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    parameters = {name: p for name, p in signature.parameters.items() if p.kind not in several}
    names = list(parameters)
    for name in (*at, *fixed):
        if name not in names:
            advice = advice_on_name(name, names, kind="parameters")
            raise NameProblem(f"the function has no parameter {name}", help=advice)
    missing = [
        name
        for name, parameter in parameters.items()
        if parameter.default is parameter.empty and name not in at and name not in fixed
    ]
    if missing:
        point = ", ".join(f"{name}=…" for name in missing)
        raise NameProblem(
            f"{missing[0]} has no value",
            help=f"add {point} to the point, or fix an argument that is not an input: --fixed n=3",
        )
    bound = signature.bind_partial()
    for name in names:
        if name in fixed:
            bound.arguments[name] = fixed[name]
        elif name in at:
            bound.arguments[name] = recording.input(name, float(at[name]))
    return bound


def trace_function(
    function: Callable[..., object],
    at: Mapping[str, object],
    mode: str = "both",
    *,
    fixed: Mapping[str, object] | None = None,
    request: Request | None = None,
) -> Trace:
    """Return the trace of a Python function at a point: loops unrolled as they ran, each row with its source line.

    Branches are those taken at this point.  Inputs of a function that uses JAX may be arrays.  `request` replaces
    `mode`. Raises as `record`, and DomainProblem if there is no value.
    """
    options = Request(mode) if request is None else request
    numbers: Mapping[str, float]
    if any(isinstance(x, (list, tuple)) or getattr(x, "shape", ()) for x in at.values()):
        recording, program, numbers = _record_with_jax(function, at, fixed or {}, None)
    else:
        numbers = {name: float(x) for name, x in at.items()}  # type: ignore[arg-type]  # an array of one is a number
        recording, program = record(function, numbers, fixed)
    name = getattr(function, "__name__", "function")
    done = finished(recording, program, numbers, options, name)
    return done if len(numbers) == len(at) else done._replace(expression=f"{name}({', '.join(at)})")


def finished(
    recording: Recording, program: RecordedProgram, at: Mapping[str, float], request: Request, name: str
) -> Trace:
    """The trace of a recorded program, with the lines of the file beside its rows."""
    done = trace(program, at, request)
    lines = {row.slot: line for row in done.rows if (line := recording.line(done.graph.spans[row.slot])) is not None}
    return done._replace(expression=f"{name}({', '.join(done.at)})", lines=lines)
