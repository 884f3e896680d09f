"""What kind of value something is, traced or not: its shape, whether it is complex, whether it is finite."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from ..graph.overloading import Overloaded, plain
from ..numbers.arrays import np

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    # What is inside of all traces.
    Plain: TypeAlias = float | complex | NDArray[numpy.inexact]


def shape(x: object) -> tuple[int, ...]:
    """The shape of an array, traced or not; () for a number."""
    while isinstance(x, Overloaded):  # as `plain`, without a call: this is asked for every argument
        x = x.value
    return getattr(x, "shape", ())


def is_complex(x: object) -> bool:
    """Whether a number or an array is of a complex type."""
    while isinstance(x, Overloaded):
        x = x.value
    if hasattr(x, "dtype"):
        kind: str = x.dtype.kind
        return kind == "c"
    return isinstance(x, complex)


def finite(x: object) -> bool:
    """Whether a number, or all numbers of an array, are neither nan nor infinite; what is no number is."""
    x = plain(x)
    if isinstance(x, (float, complex)):
        return x - x == 0.0
    if getattr(getattr(x, "dtype", None), "kind", "-") not in "fc":
        return True
    with np.errstate(all="ignore"):
        return bool(np.isfinite(np.sum(x))) or bool(np.isfinite(x).all())


def zeros_like(x: object) -> Plain:
    """The zero of the space that a value lies in."""
    inside = plain(x)
    return np.zeros(inside.shape, inside.dtype) if shape(inside) else 0.0
