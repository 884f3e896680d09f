"""Tasks with vectors or matrices: the program of arrays, and its point by entry."""

from __future__ import annotations

from collections.abc import Mapping

from ...answers.answer_model import Task
from ...arrays.array_points import has_arrays, has_list, read_arrays_point, read_shapes, without_replaced
from ...arrays.array_program import ArrayProgram, check_input_names, read_arrays, shapes_of
from ...arrays.sweeps import array_trace
from ...errors import RequestError, Span
from ...language.problems import Problem
from ...trace.trace_model import Request

_LARGEST_FILE = 64_000_000  # bytes


def array_task(problem: Problem, at: Mapping[str, float], mode: str | None, wrt: tuple[str, ...]) -> Task | None:
    """Return the task of a problem with vectors or matrices, with `points` None; None if it has no arrays.

    It has arrays if its point gives one (`has_arrays`: `[1, 2]`, a file, `x[1]=2`) or its text has a list. `at` has
    values by entry; those of names that the problem's own point has are dropped, and so are those of names that are not
    inputs. An array of one entry becomes a number, `x[1]` is then `x`. Without `wrt` it is all inputs but data. Raises
    RequestError for a mode with tangents, for reverse of a result that is an array, and for several results; also the
    errors of reading and of evaluating the program at its point (values only if the result is an array, else in `mode`,
    None: reverse).
    """
    problem_point = problem.point
    if not (problem_point is not None and has_arrays(problem_point.text)) and not has_list(problem.source.text):
        return None
    newer = read_arrays_point(problem_point, _read_file) if problem_point is not None else {}
    point = {**without_replaced(at, newer), **newer}
    single = {f"{name}[1]": name for name, shape in shapes_of(point).items() if shape == (1,)}
    point = {single.get(name, name): x for name, x in point.items()}
    arrays = read_arrays(problem.source, shapes_of(point))
    _check_mode(problem, arrays, mode)
    point = {name: x for name, x in point.items() if name.partition("[")[0] in arrays.inputs}
    wrt = wrt or problem.inputs_without_data(arrays.inputs)
    swept = "value" if arrays.blocks[arrays.outputs[0][1].block].shape else mode or "reverse"
    array_trace(arrays, point, Request(swept, wrt, steps=False), None)
    return Task(problem.label, arrays.program, point, mode, wrt, arrays=arrays)


def gradient_task(problem: Problem, shapes: tuple[str, ...], mode: str | None, wrt: tuple[str, ...]) -> Task:
    """Return the task of a problem without a point that asks for its gradients as formulas; its `at` is {}.

    `shapes` are those of its arrays as in `--shape`; other names are numbers, and all may be. Without `wrt` it is all
    inputs but data. Raises RequestError for a shape that cannot be read, for a mode, for a name in `wrt` that is not an
    input, and if there are several results or the result is an array; also the errors of reading the program.
    """
    arrays = read_arrays(problem.source, read_shapes(shapes), others=True)
    where = Span(0, len(problem.source.shown.rstrip()), problem.source)
    if mode is not None:
        raise RequestError("a mode needs a problem with a point", where, help="leave out --mode")
    _check_mode(problem, arrays, "reverse")
    check_input_names(wrt, arrays.inputs, where)
    wrt = wrt or problem.inputs_without_data(arrays.inputs)
    return Task(problem.label, arrays.program, {}, None, wrt, arrays=arrays)


def _check_mode(problem: Problem, arrays: ArrayProgram, mode: str | None) -> None:
    """Raise RequestError, at the place of the problem, if `mode` cannot be marked for this program.

    That is so for forward and both, for several results in every mode (also None), and for reverse if the result is not
    a number (shape ()).
    """
    where = Span(0, len(problem.source.shown.rstrip()), problem.source)
    if mode in ("forward", "both"):
        raise RequestError("adcli cannot mark tangents of arrays", where, help="use --mode reverse or --mode value")
    if len(arrays.outputs) > 1 or (mode == "reverse" and arrays.blocks[arrays.outputs[0][1].block].shape):
        title = "adcli marks adjoints of arrays only if the result is one number"
        raise RequestError(title, where, help="use --mode value")


def _read_file(path: str) -> bytes:
    """Return the bytes of a file that a point names. Raises RequestError if it cannot be read, or is over 64 MB."""
    try:
        with open(path, "rb") as file:
            data = file.read(_LARGEST_FILE + 1)
    except OSError as error:
        raise RequestError(f"{path} cannot be read", help=str(error.strerror)) from None
    if len(data) > _LARGEST_FILE:
        raise RequestError(f"{path} cannot be read", help="at most 64 MB are read")
    return data
