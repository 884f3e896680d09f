"""Complex numbers of double precision through the C library, with the principal branch of every function."""

from __future__ import annotations

import cmath
from collections.abc import Callable
from typing import Any

from .doubles import Ordered

_KNOWN = ("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "log", "log10", "sin", "sinh",
          "sqrt", "tan", "tanh")  # fmt: skip


class Complexes(Ordered):
    """Complex doubles; at a pole or on overflow the answer is nan."""

    undefined = complex(cmath.nan, cmath.nan)
    pi = cmath.pi
    e = cmath.e

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in _KNOWN:
            return super().__getattr__(name)
        function: Callable[[Any], complex] = getattr(cmath, name)

        def total(x: Any) -> complex:
            try:
                return function(x)
            except (ValueError, OverflowError):
                return self.undefined

        return total

    def number(self, x: Any) -> complex:
        return complex(x)

    def div(self, a: Any, b: Any) -> Any:
        return a / b if b else self.undefined

    def pow(self, a: Any, b: Any) -> Any:
        return complex(a) ** b

    def expm1(self, x: Any) -> Any:
        return self.exp(x) - 1

    def log1p(self, x: Any) -> Any:
        return self.log(1 + x)

    def log2(self, x: Any) -> Any:
        return self.log(x) / self.log(2)

    def hypot(self, a: Any, b: Any) -> Any:
        return self.sqrt(a * a + b * b)


COMPLEXES = Complexes()
