"""Equations between numbers as they are shown: with as many digits as it takes for them to hold.

`1 − 1 = 5e-5` is false, though each number in it is well rounded; `1 − 0.99995 = 5e-5` holds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeGuard

from ..notation.numbers import Digits

_LONGER = tuple(Digits(significant=count) for count in (5, 7, 9, 12, 15, 17))
_CLOSE = 0.01  # of the result that is shown
_NEAR = 0.3  # the same where that is less than a unit of the last place


def agreeing(
    digits: Digits,
    shown: Sequence[float],
    compute: Callable[[Sequence[float]], float | None],
    operands: Sequence[float],
    result: float,
) -> Digits:
    """These digits, or more where the operands as they are `shown` do not give the result that is shown.

    `compute` works a result out of operands, all of which are finite doubles.
    """
    text = digits.show(result)
    target = float(text)
    slack = max(_CLOSE * abs(target), _unit(digits, text, target))

    def holds(operands: Sequence[float]) -> bool:
        try:
            found = compute(operands)
        except (ArithmeticError, ValueError):
            return False
        return finite(found) and (abs(found - target) <= slack or digits.show(found) == text)

    if holds(shown):
        return digits
    return next((longer for longer in _LONGER if holds([float(longer.show(x)) for x in operands])), digits)


def finite(x: float | None) -> TypeGuard[float]:
    """Whether this is a double, and a finite one."""
    return isinstance(x, (int, float)) and math.isfinite(x)


def _unit(digits: Digits, text: str, shown: float) -> float:
    """A unit of the last place that is shown, as far as that is little beside the number."""
    if digits.significant is not None or "e" in text:
        return 0.0
    return float(min(10.0**-digits.places, _NEAR * abs(shown)))
