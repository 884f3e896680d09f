"""The error Unsupported, for functions of NumPy and SciPy without a rule, and for arrays that cannot be traced."""

from __future__ import annotations

import re
import sys
from types import FrameType

from ...errors import AdcliError, RequestError
from ...graph.overloading import TracingProblem
from ...numbers.numpy_arrays import np


class Unsupported(RequestError, NotImplementedError):
    """An error: a function of NumPy or SciPy has no differentiation rule."""


def unsupported(name: str, condition: str = "") -> Unsupported:
    """Return the error for a function without a rule, or without one for arguments of this kind.

    `name` is the function without "numpy." but with "scipy."; `condition` ends the message, e.g. "with out=": "adcli
    cannot differentiate numpy.sum with out=". A note has the version of NumPy or SciPy.
    """
    condition = f" {condition}" if condition else ""
    is_scipy = name.startswith("scipy.")
    title = f"adcli cannot differentiate {name if is_scipy else f'numpy.{name}'}{condition}"
    advice = "use other functions of NumPy, or add a rule with defvjp or defjvp"
    return Unsupported(title, notes=(_scipy_version_note() if is_scipy else _numpy_version_note(),), help=advice)


def refuse_array_subclasses(x: object) -> None:
    """Raise Unsupported if `x` is a matrix or a masked array, whose operators mean something else."""
    if isinstance(x, (np.matrix, np.ma.MaskedArray)):
        kind = "matrix" if isinstance(x, np.matrix) else "ma.MaskedArray"
        title = f"numpy.{kind} cannot be differentiated, because its operators differ from those of arrays"
        advice = f"convert the argument to an array: {'numpy.asarray(x)' if kind == 'matrix' else 'x.filled(0.0)'}"
        raise Unsupported(title, notes=(_numpy_version_note(),), help=advice)


def _scipy_version_note() -> str:
    return f"installed version: SciPy {getattr(sys.modules.get('scipy'), '__version__', 'unknown')}"


def _calling_scipy_function(frame: FrameType | None) -> str | None:
    """Return the outermost function of SciPy on the stack that leads to `frame`, e.g. "scipy.stats.norm.pdf".

    The name is scipy, the subpackage, the attribute `name` of `self` if that is a text, and the function. NumPy frames
    are passed over before the first of SciPy. Any other frame ends the search, after SciPy also one of NumPy; helpers
    in `scipy._lib` do not, and are no result. None if no function of SciPy is found.
    """
    caller = None
    while frame is not None:
        module: str = frame.f_globals.get("__name__", "")
        if module.startswith("scipy."):
            if not module.startswith("scipy._lib"):
                owner = getattr(frame.f_locals.get("self"), "name", None)
                owners = [owner] if isinstance(owner, str) else []
                caller = ".".join(["scipy", module.split(".")[1], *owners, frame.f_code.co_name])
        elif caller or not module.startswith("numpy"):
            break
        frame = frame.f_back
    return caller


def refuse_scipy_call(frame: FrameType) -> None:
    """Raise Unsupported if a function of SciPy calls from `frame`, to convert a traced value to an array."""
    caller = _calling_scipy_function(frame)
    if caller is not None:
        advice = "use the function of adcli.python.scipy that has the same name"
        raise Unsupported(f"{caller} does not accept traced values", notes=(_scipy_version_note(),), help=advice)


# NumPy's error messages for operations on arrays of objects that it does not know as numbers.
_OF_OBJECTS = re.compile(
    r"dtype\('O'\)|loop of ufunc does not support|NPY_ITER_REFS_OK"
    r"|^ufunc '\w+' not supported for the input types|^'(?:float|int|complex)' object has no attribute '\w+'$"
)


def object_array_problem(problem: BaseException) -> TracingProblem | None:
    """Return a clearer error for NumPy's error `problem` about an array of traced numbers (dtype object).

    Its label is the first line of the message. None if `problem` is an error of this package; if its message is not
    about objects (`dtype('O')`, a loop of a ufunc that "does not support" a method, a ufunc "not supported for the
    input types", `'float' object has no attribute 'sqrt'`); or if it is an AttributeError raised outside of NumPy about
    a name that is not a ufunc of NumPy.
    """
    if isinstance(problem, AdcliError) or not _OF_OBJECTS.search(str(problem)):
        return None
    innermost = problem.__traceback__
    while innermost is not None and innermost.tb_next is not None:
        innermost = innermost.tb_next
    in_numpy = innermost is not None and "numpy" in innermost.tb_frame.f_code.co_filename.replace("\\", "/").split("/")
    if isinstance(problem, AttributeError) and not in_numpy and not isinstance(
        getattr(np, str(problem).split("'")[-2], None), np.ufunc
    ):  # fmt: skip
        return None
    title = "NumPy received traced numbers in an array of objects"
    advice = "make arrays of traced numbers with numpy.stack([x, 1.0]), not with numpy.array or a list"
    return TracingProblem(title, label=str(problem).splitlines()[0], help=advice)


def _numpy_version_note() -> str:
    return f"installed version: NumPy {np.version.version}"
