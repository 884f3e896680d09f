"""Sine and cosine of the same numbers at once: NumPy's own take ten nanoseconds each, one number after another.

A value and its derivatives nearly always need both.  The quarter turn next to a number is taken off in three parts
(Cody and Waite), the sine of what is left is the polynomial of fdlibm, and its cosine follows from sin² + cos² = 1,
which loses nothing up to an eighth of a turn.  Both are within 2.5 ulps; beyond `_FARTHEST` NumPy is asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..extras import Later

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np

    Doubles: TypeAlias = np.typing.NDArray[np.float64]
    Bits: TypeAlias = np.typing.NDArray[np.int64]  # of doubles
else:
    np = Later("numpy", "numpy")

_QUARTERS = 0.6366197723675814  # 2/pi
# pi/2 as a sum whose first two numbers have 33 bits, so that whole multiples up to 2^20 of them are exact.
_PARTS = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21)
_FARTHEST = 2.0**20
_ROUNDING = 1.5 * 2.0**52  # added to a number, it leaves the next whole number in the last bits
_SERIES = (1.58969099521155010221e-10, -2.50507602534068634195e-08, 2.75573137070700676789e-06,
           -1.98412698298579493134e-04, 8.33333333332248946124e-03, -1.66666666666666324348e-01)  # fmt: skip
_SIGN = -(2**63)


def sine_and_cosine(x: Doubles, sine: Doubles, cosine: Doubles) -> None:
    """Fills two arrays of doubles with the sines and cosines of a third."""
    quarters = np.multiply(x, _QUARTERS)
    np.add(quarters, _ROUNDING, out=quarters)
    turn = quarters.view(np.int64)
    quarters = np.subtract(quarters, _ROUNDING)
    rest = _without_quarters(x, quarters, cosine)
    square = np.multiply(rest, rest, out=quarters)
    np.multiply(square, _SERIES[0], out=sine)
    for term in _SERIES[1:-1]:
        np.add(sine, term, out=sine)
        np.multiply(sine, square, out=sine)
    np.add(sine, _SERIES[-1], out=sine)
    np.multiply(square, rest, out=square)
    np.multiply(sine, square, out=sine)
    np.add(sine, rest, out=sine)
    np.multiply(sine, sine, out=cosine)
    np.subtract(1.0, cosine, out=cosine)
    np.sqrt(cosine, out=cosine)
    _turn(sine.view(np.int64), cosine.view(np.int64), turn, square.view(np.int64))
    far = np.absolute(x, out=square) <= _FARTHEST
    if not far.all():
        np.logical_not(far, out=far)
        np.sin(x, out=sine, where=far)
        np.cos(x, out=cosine, where=far)


def _without_quarters(x: Doubles, quarters: Doubles, scratch: Doubles) -> Doubles:
    """The angles with so many quarter turns taken off."""
    rest = np.multiply(quarters, _PARTS[0])
    np.subtract(x, rest, out=rest)
    for part in _PARTS[1:]:
        np.multiply(quarters, part, out=scratch)
        np.subtract(rest, scratch, out=rest)
    return rest


def _turn(sine: Bits, cosine: Bits, quarters: Bits, scratch: Bits) -> None:
    """Turns on by whole quarters, in bits: odd ones exchange the two, and the second half of a turn has other signs."""
    odd = np.bitwise_and(quarters, 1)
    np.negative(odd, out=odd)
    np.bitwise_xor(sine, cosine, out=scratch)
    np.bitwise_and(scratch, odd, out=scratch)
    np.bitwise_xor(sine, scratch, out=sine)
    np.bitwise_xor(cosine, scratch, out=cosine)
    np.left_shift(quarters, 62, out=scratch)
    np.bitwise_and(scratch, _SIGN, out=scratch)
    np.bitwise_xor(sine, scratch, out=sine)
    np.bitwise_xor(cosine, scratch, out=cosine)
    np.left_shift(quarters, 63, out=scratch)
    np.bitwise_xor(cosine, scratch, out=cosine)
