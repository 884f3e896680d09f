"""What kind of value something is, traced or not: its shape, and whether it is complex."""

from __future__ import annotations

from typing import Any

from ..calculus.overloading import plain


def shape(x: Any) -> tuple[int, ...]:
    """The shape of an array, traced or not; () for a number."""
    found: tuple[int, ...] = getattr(plain(x), "shape", ())
    return found


def is_complex(x: Any) -> bool:
    """Whether a number or an array is of a complex type."""
    x = plain(x)
    return x.dtype.kind == "c" if hasattr(x, "dtype") else isinstance(x, complex)
