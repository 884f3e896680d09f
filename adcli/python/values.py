"""What kind of value something is, traced or not: its shape, and whether it is complex."""

from __future__ import annotations

from typing import Any

from ..graph.overloading import Overloaded, plain
from ..numbers.arrays import np


def shape(x: Any) -> tuple[int, ...]:
    """The shape of an array, traced or not; () for a number."""
    while isinstance(x, Overloaded):  # as `plain`, without a call: this is asked for every argument
        x = x.value
    return getattr(x, "shape", ())


def is_complex(x: Any) -> bool:
    """Whether a number or an array is of a complex type."""
    while isinstance(x, Overloaded):
        x = x.value
    return x.dtype.kind == "c" if hasattr(x, "dtype") else isinstance(x, complex)


def floored(found: Any, a: Any, b: Any) -> Any:
    """The floor of a quotient as Python has it, which rounds once: 1 // 0.1 is 9, where 1 / 0.1 is 10."""
    exact = plain(a) // plain(b)
    agree = plain(found) == exact
    return found if (agree.all() if shape(agree) else agree) else exact


def finite(x: Any) -> bool:
    """Whether a number, or all numbers of an array, are neither nan nor infinite; what is no number is."""
    x = plain(x)
    if isinstance(x, (float, complex)):
        return x - x == 0.0
    if getattr(getattr(x, "dtype", None), "kind", "-") not in "fc":
        return True
    with np.errstate(all="ignore"):
        return bool(np.isfinite(np.sum(x))) or bool(np.isfinite(x).all())
