"""Functions of complex numbers that are not holomorphic: real part, imaginary part, conjugate, size and angle.

Adjoints of complex values are ∂f/∂x − i·∂f/∂y, so that those of holomorphic functions multiply with the derivative;
for a function with real values the same number gives the tangent, as the real part of its product with the direction.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from ..graph.overloading import plain
from ..numbers.arrays import np
from .operations import Rule
from .values import is_complex, shape


def _sized(weight: Callable[[Any, Any], Any]) -> dict[str, Any]:
    """The rules of a function with real values from the weight of its adjoint."""

    def push(k: int, dot: Any, z: Any, x: Any) -> Any:
        moved = dot * weight(z, x)
        return moved.real

    return {"pull": lambda k, g, z, x: g * weight(z, x), "push": push}


def _size(x: Any) -> Any:
    return np.abs(x) if shape(x) else abs(x)


def _angle(x: Any) -> Any:
    import cmath

    return np.angle(x) if shape(x) else cmath.phase(x)


def _over_size(z: Any, x: Any) -> Any:
    """conj(x)/|x|, and 0 at the tip."""
    at_tip = plain(z) == 0
    if shape(x):
        return np.conj(x) / (z + at_tip)
    return 0.0 if at_tip else conj(x) / z


REAL = Rule("real", lambda x: x.real, **_sized(lambda z, x: 1))
IMAG = Rule("imag", lambda x: x.imag, **_sized(lambda z, x: -1j))
CONJ = Rule(
    "conj", lambda x: x.conjugate(), pull=lambda k, g, z, x: conj(g), push=lambda k, dot, z, x: conj(dot)
)  # fmt: skip
SIZE = Rule("abs", _size, **_sized(_over_size))
ANGLE = Rule("angle", _angle, **_sized(lambda z, x: -1j * conj(x) / (x.real * x.real + x.imag * x.imag)))


def real(x: Any) -> Any:
    """The real part; a real number itself."""
    return REAL(x) if is_complex(x) else x


def imag(x: Any) -> Any:
    """The imaginary part; 0 for a real number."""
    return IMAG(x) if is_complex(x) else 0 * plain(x)


def conj(x: Any) -> Any:
    """The conjugate; a real number itself."""
    return CONJ(x) if is_complex(x) else x


def angle(x: Any) -> Any:
    """The angle of a complex number; 0 or π for a real one, with slope 0."""
    return ANGLE(x) if is_complex(x) else _angle(plain(x))


INSTEAD = MappingProxyType({"abs": SIZE})
