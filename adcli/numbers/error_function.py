"""The error function without branches, for arithmetics of many numbers at once that have none.

Rational approximations on three intervals after W. J. Cody, Mathematics of Computation 23 (1969), 631-637: right to a
few units in the last place of a double.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..typings import TYPE_CHECKING

if TYPE_CHECKING:
    from ..table.arithmetic import Arithmetic, T

_NEAR, _FAR = 0.46875, 4.0  # up to the first erf itself is approximated, beyond it erfc
_LARGEST = 28.0  # from here on erfc is 0 in doubles

_A = (1.85777706184603153e-1, 3.16112374387056560, 1.13864154151050156e2, 3.77485237685302021e2, 3.20937758913846947e3)
_B = (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3)
_C = (
    2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594, 6.61191906371416295e1, 2.98635138197400131e2,
    8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3, 1.23033935479799725e3,
)  # fmt: skip
_D = (
    1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3,
    3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3,
)  # fmt: skip
_P = (
    1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1,
    1.60837851487422766e-2, 6.58749161529837803e-4,
)  # fmt: skip
_Q = (
    1.0, 2.56852019228982242, 1.87295284992346047, 5.27905102951428412e-1, 6.05183413124413191e-2,
    2.33520497626869185e-3,
)  # fmt: skip


def _polynomial(coefficients: Sequence[float], x: T) -> T | float:
    """Return the value of a polynomial; coefficients from the highest power down."""
    total: T | float = coefficients[0]
    for coefficient in coefficients[1:]:
        total = total * x + coefficient
    return total


def _near(m: Arithmetic[T], x: T) -> T:
    """Return erf(x) for |x| up to 0.46875."""
    square = x * x
    return x * m.div(_polynomial(_A, square), _polynomial(_B, square))


def _erfc_beyond(m: Arithmetic[T], size: T) -> T:
    """Return erfc(size) for sizes from 0.46875 to 28, by rational approximations.

    Smaller sizes count as 0.46875; larger ones are not allowed (erfc is 0 in doubles there). Without branches: both
    approximations are computed and chosen by `size`.
    """
    y = m.max(size, _NEAR)
    square = m.div(1, y * y)
    middle = m.div(_polynomial(_C, y), _polynomial(_D, y))
    far = m.div(1 / math.sqrt(math.pi) - square * m.div(_polynomial(_P, square), _polynomial(_Q, square)), y)
    # the square of a short number has no rounding, and the rest of the exponent is small
    short = m.div(m.floor(y * 16), 16)
    bell = m.exp(-short * short) * m.exp((short - y) * (short + y))
    return bell * m.choose(m.le(y, _FAR), middle, far)


def _within(m: Arithmetic[T], x: T) -> T:
    """Return |x|, at most 28; nan if x is nan."""
    return m.min(m.abs(x), _LARGEST)


def erf_by_choice(m: Arithmetic[T], x: T) -> T:
    """Return erf(x) without branching, for arithmetics of many numbers at once."""
    size = _within(m, x)
    far = 1 - _erfc_beyond(m, size)
    return m.choose(m.le(size, _NEAR), _near(m, x), m.choose(m.lt(x, 0), -far, far))


def erfc_by_choice(m: Arithmetic[T], x: T) -> T:
    """Return erfc(x), without cancellation for large x."""
    size = _within(m, x)
    far = _erfc_beyond(m, size)
    return m.choose(m.le(size, _NEAR), 1 - _near(m, x), m.choose(m.lt(x, 0), 2 - far, far))
