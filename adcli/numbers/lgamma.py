"""lgamma next to its zeros at 1 and 2, where libraries lose its digits: a series, in any arithmetic."""

from __future__ import annotations

import math
from typing import Any

from .doubles import LGAMMA_HIGH, LGAMMA_LOW

_MIDDLE = 1.25  # up to here from the zero at 1, from there from that at 2

# 1 - γ, and (ζ(k) - 1)/k for k = 2, 3, …: DLMF 5.7.3, with signs that alternate.
_FIRST = 0.42278433509846713
_REST = (
    0.3224670334241132, 0.0673523010531981, 0.020580808427784546, 0.007385551028673986,
    0.0028905103307415234, 0.001192753911703261, 0.0005096695247430425, 0.00022315475845357939,
    9.945751278180853e-05, 4.492623673813314e-05, 2.050721277567069e-05, 9.439488275268397e-06,
    4.374866789907488e-06, 2.039215753801366e-06, 9.55141213040742e-07, 4.492469198764566e-07,
    2.1207184805554665e-07, 1.0043224823968099e-07, 4.7698101693639804e-08, 2.2711094608943164e-08,
    1.0838659214896955e-08, 5.183475041970047e-09, 2.4836745438024785e-09, 1.1921401405860912e-09,
    5.731367241678862e-10, 2.7595228851242334e-10, 1.330476437424449e-10, 6.4229645638381e-11,
    3.1044247747322276e-11, 1.5021384080754142e-11, 7.275974480239079e-12, 3.527742476575915e-12,
    1.711991790559618e-12, 8.315385841420285e-13, 4.04220052528944e-13, 1.9664756310966165e-13,
    9.573630387838556e-14,
)  # fmt: skip


def beyond_two(t: Any) -> Any:
    """lgamma(2 + t) for t from -3/4 to 1/2; little cancels."""
    total: Any = 0.0
    for coefficient in reversed(_REST):  # after Horner
        total = t * (coefficient - total)
    return t * (_FIRST + total)


def lgamma(x: float) -> float:
    """The logarithm of |gamma| of a double from LGAMMA_LOW to LGAMMA_HIGH, right to a few units in the last place."""
    return float(beyond_two(x - 2) if x > _MIDDLE else beyond_two(x - 1) - math.log1p(x - 1))


def without_branches(m: Any, x: Any, elsewhere: Any) -> Any:
    """The same for numbers that are many at once; `elsewhere` is what a library answers."""
    above = m.gt(x, _MIDDLE)
    t = m.choose(above, x - 2, x - 1)
    near = beyond_two(t) - m.choose(above, 0.0, m.log1p(t))
    return m.choose(m.lt(x, LGAMMA_LOW), elsewhere, m.choose(m.gt(x, LGAMMA_HIGH), elsewhere, near))
