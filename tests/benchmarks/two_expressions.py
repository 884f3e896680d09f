"""Two expressions, one small and one larger: as text, and with the functions of a module like NumPy."""

from __future__ import annotations

from typing import Any

SMALL = "log(x1)+x1*x2-sin(x2)"
LARGE = (
    "a = sin(x1*x2 + x3); b = exp(-x4^2); c = log(1 + x5^2); r = sqrt(x1^2 + x2^2 + 1); d = tanh(x1 - x5);"
    " w = cos(x2*x3); q = exp(-(x1 - x2)^2/(1 + x3^2)); s = atan(x4*x5);"
    " a*b + c*r + x3*x4/(1 + x5^2) + d*w + s*q + x1*exp(x5/3)*cos(x4) - r*w*b + (a + d)^2/(1 + q^2)"
    " + log(r + c)*s^3 - sqrt(1 + d^2)*x2"
)


def small(n: Any, x1: Any, x2: Any) -> Any:
    """The first expression with the functions of a module like NumPy."""
    return n.log(x1) + x1 * x2 - n.sin(x2)


def large(n: Any, x1: Any, x2: Any, x3: Any, x4: Any, x5: Any) -> Any:
    """The second expression, likewise."""
    a, b, c, r = n.sin(x1 * x2 + x3), n.exp(-(x4**2)), n.log(1 + x5**2), n.sqrt(x1**2 + x2**2 + 1)
    d, w = n.tanh(x1 - x5), n.cos(x2 * x3)
    q, s = n.exp(-((x1 - x2) ** 2) / (1 + x3**2)), n.arctan(x4 * x5)
    first = a * b + c * r + x3 * x4 / (1 + x5**2) + d * w + s * q + x1 * n.exp(x5 / 3) * n.cos(x4)
    return first - r * w * b + (a + d) ** 2 / (1 + q**2) + n.log(r + c) * s**3 - n.sqrt(1 + d**2) * x2
