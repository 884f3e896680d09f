"""Sine and cosine of an array computed together (sincos): NumPy's own take eight nanoseconds per number.

If NumPy has a vectorised tangent, both come from the tangents of x and x/2.  Otherwise they are polynomials of the
remainder of x after the nearest multiple of pi/2 is subtracted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cache

from ..typings import Any, Final
from .emitter import Emitter, Hold, Number
from .numpy_doubles import Doubles, np

# --- by tangents -----------------------------------------------------------------------------------------------------

_LEAST = 1e-290  # squares below may have lost digits


@cache
def has_fast_tangents() -> bool:
    """Return whether NumPy's tangent of doubles is vectorised on this machine: with AVX-512 on Linux, within 0.6 ulps.

    False on other systems and before NumPy 2, where this cannot be known.
    """
    try:
        from numpy.lib.introspect import opt_func_info
    except ImportError:  # before NumPy 2
        return False
    signatures = opt_func_info(func_name="^tan$", signature="float64")
    targets = [way["current"] for targets_by_signature in signatures.values() for way in targets_by_signature.values()]
    return sys.platform == "linux" and any(target and not target.startswith("baseline") for target in targets)


def _by_tangents(m: Emitter[Hold], x: Number[Hold]) -> tuple[Number[Hold], Number[Hold]]:
    """Return (sine, cosine) of `x`, each within 3 ulps, from t = tan(x/2) and tan(x).

    The sine is 2t/(1 + t²), the cosine is the sine divided by tan(x), improved by a Newton step towards sin² + cos² =
    1; if t² is below 1e-290 or nan, it is 1 + t². No argument reduction is needed, and no digits are lost near zeros.
    """
    half, whole = m.tan(0.5 * x), m.tan(x)
    square = half * half
    size = 1.0 + square
    sine = (half + half) / size
    cosine = sine / whole
    step = 1.5 - 0.5 * (sine * sine + cosine * cosine)
    return sine, m.choose(square >= _LEAST, cosine * step, size)


# By the name that NumPy has for a function; each of one argument.
BY_TANGENTS: Final[Mapping[str, Callable[..., Number[Any]]]] = {
    "sin": lambda m, x: _by_tangents(m, x)[0], "cos": lambda m, x: _by_tangents(m, x)[1],
}  # fmt: skip

# --- by polynomials --------------------------------------------------------------------------------------------------

_QUARTERS = 0.6366197723675814  # 2/pi
# pi/2 as a sum whose first two numbers have 33 bits, so that whole multiples up to 2^20 of them are exact.
_PARTS = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21)
_FARTHEST = 2.0**20
_ROUNDING = 1.5 * 2.0**52  # added to a number, it leaves the next whole number in the last bits
_SERIES = (1.58969099521155010221e-10, -2.50507602534068634195e-08, 2.75573137070700676789e-06,
           -1.98412698298579493134e-04, 8.33333333332248946124e-03, -1.66666666666666324348e-01)  # fmt: skip
_SIGN = -(2**63)
SCRATCH: Final = 3  # arrays that `sine_and_cosine` needs besides its results


def sine_and_cosine(
    x: Doubles, sine: Doubles, cosine: Doubles, quarters: Doubles, square: Doubles, rest: Doubles
) -> None:
    """Fill `sine` and `cosine` with the values at `x`, not empty; `quarters`, `square` and `rest` are work arrays.

    All are different contiguous arrays of one length. Both results are within 3 ulps. Multiples of pi/2 are subtracted
    in three parts (Cody and Waite); then the sine is the polynomial of fdlibm, and the cosine follows from sin² + cos²
    = 1. Points with |x| beyond 2^20, or nan, are computed by NumPy. NumPy's floating-point warnings are not suppressed.
    """
    np.multiply(x, _QUARTERS, quarters)
    np.add(quarters, _ROUNDING, quarters)
    np.subtract(quarters, _ROUNDING, square)
    np.multiply(square, _PARTS[0], rest)
    np.subtract(x, rest, rest)
    for part in _PARTS[1:]:
        np.multiply(square, part, cosine)
        np.subtract(rest, cosine, rest)
    np.square(rest, square)
    np.multiply(square, _SERIES[0], sine)
    for term in _SERIES[1:-1]:
        np.add(sine, term, sine)
        np.multiply(sine, square, sine)
    np.add(sine, _SERIES[-1], sine)
    np.multiply(sine, square, sine)
    np.add(sine, 1.0, sine)  # so that -0.0 stays
    np.multiply(sine, rest, sine)
    np.square(sine, cosine)
    np.subtract(1.0, cosine, cosine)
    np.sqrt(cosine, cosine)
    _rotate(sine, cosine, quarters, square, rest)
    if not np.maximum.reduce(x) <= _FARTHEST or not np.minimum.reduce(x) >= -_FARTHEST:
        far = np.logical_not(np.absolute(x, square) <= _FARTHEST)
        np.sin(x, out=sine, where=far)
        np.cos(x, out=cosine, where=far)


def _rotate(*arrays: Doubles) -> None:
    """Rotate sine and cosine by whole quarter turns, in place and in bits: odd ones exchange both, and the signs
    follow.

    `arrays` are sine, cosine, quarters and two work arrays, of doubles; the last two bits of each double of quarters
    are the number of quarters modulo 4. Quarters are overwritten too.
    """
    sine, cosine, quarters, both, odd = [x.view(np.int64) for x in arrays]
    np.left_shift(quarters, 63, odd)
    np.bitwise_xor(sine, odd, sine)
    np.right_shift(odd, 63, odd)
    np.bitwise_xor(sine, cosine, both)
    np.bitwise_and(both, odd, both)
    np.left_shift(quarters, 62, quarters)
    np.bitwise_and(quarters, _SIGN, quarters)
    np.bitwise_xor(both, quarters, both)
    np.bitwise_xor(sine, both, sine)
    np.bitwise_xor(cosine, both, cosine)
