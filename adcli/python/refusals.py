"""What is said of the functions of NumPy that this room has no rule for, and of arrays that are none of its own."""

from __future__ import annotations

from ..errors import RequestError
from ..numbers.arrays import np


class Unsupported(RequestError, NotImplementedError):
    """A function of NumPy that this room has no rule for."""


def unsupported(name: str, why: str = "") -> Unsupported:
    """The error for a function of NumPy that has no rule, or none for arguments of this kind."""
    why = f" {why}" if why else ""
    return Unsupported(
        f"numpy.{name} of a traced array has no rule{why}",
        notes=(f"NumPy is of version {np.version.version} here",),
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
