"""What is said of functions of NumPy and SciPy that have no rule here, and of arrays that are none of this room's."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from ...errors import AdcliError, RequestError
from ...graph.overloading import TracingProblem
from ...numbers.numpy_arrays import np

if TYPE_CHECKING:
    from types import FrameType


class Unsupported(RequestError, NotImplementedError):
    """A function of NumPy or SciPy that this room has no rule for."""


def unsupported(name: str, why: str = "") -> Unsupported:
    """The error for a function of NumPy, or one of "scipy.", that has no rule, or none for arguments of this kind."""
    why = f" {why}" if why else ""
    scipys = name.startswith("scipy.")
    return Unsupported(
        f"{name if scipys else f'numpy.{name}'} of a traced array has no rule{why}",
        notes=(_scipys_version() if scipys else f"NumPy is of version {np.version.version} here",),
        help="write it with other functions of NumPy, or give it a rule with defvjp or defjvp",
    )


def only_arrays(x: object) -> None:
    """Raises Unsupported for matrices and masked arrays, whose operators mean something else."""
    if isinstance(x, (np.matrix, np.ma.MaskedArray)):
        kind = "matrix" if isinstance(x, np.matrix) else "ma.MaskedArray"
        raise Unsupported(
            f"a numpy.{kind} has no rules: its operators are not those of arrays",
            notes=(f"NumPy is of version {np.version.version} here",),
            help="give it as an array: numpy.asarray(x)" if kind == "matrix" else "give it as an array: x.filled(0.0)",
        )


def _scipys_version() -> str:
    return f"SciPy is of version {getattr(sys.modules.get('scipy'), '__version__', 'unknown')} here"


def _asked_by_scipy(frame: FrameType | None) -> str | None:
    """The function of SciPy's that asks for an array, as it is called from outside; None where none does."""
    found = None
    while frame is not None:
        home: str = frame.f_globals.get("__name__", "")
        if home.startswith("scipy."):
            if not home.startswith("scipy._lib"):
                of = getattr(frame.f_locals.get("self"), "name", None)
                parts = ["scipy", home.split(".")[1], *([of] if isinstance(of, str) else []), frame.f_code.co_name]
                found = ".".join(parts)
        elif found or not home.startswith("numpy"):
            break
        frame = frame.f_back
    return found


def no_scipy(frame: FrameType) -> None:
    """Raises Unsupported where a function of SciPy's asks for an array: it wants plain numbers."""
    asking = _asked_by_scipy(frame)
    if asking is not None:
        raise Unsupported(
            f"{asking} takes no traced values",
            notes=(_scipys_version(),),
            help="adcli.python.scipy has such functions that do, called as SciPy's are",
        )


# How NumPy says that it cannot do something with objects that are no numbers to it.
_OF_OBJECTS = re.compile(
    r"dtype\('O'\)|loop of ufunc does not support|NPY_ITER_REFS_OK"
    r"|^ufunc '\w+' not supported for the input types|^'(?:float|int|complex)' object has no attribute '\w+'$"
)


def about_objects(problem: BaseException) -> TracingProblem | None:
    """What to say of an error of NumPy's that comes from an array of traced numbers, which are objects to it."""
    if isinstance(problem, AdcliError) or not _OF_OBJECTS.search(str(problem)):
        return None
    last = problem.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    inside = last is not None and "numpy" in last.tb_frame.f_code.co_filename.replace("\\", "/").split("/")
    if isinstance(problem, AttributeError) and not inside and not isinstance(
        getattr(np, str(problem).split("'")[-2], None), np.ufunc
    ):  # fmt: skip
        return None
    return TracingProblem(
        "NumPy was given traced numbers as an array of objects",
        label=str(problem).splitlines()[0],
        help="make arrays of traced numbers with numpy.stack([x, 1.0]), not with numpy.array or a list",
    )
