"""The text of numbers: rounded to decimals or to significant digits, halves away from zero.

Rounding works on the shortest decimal of the double (what `repr` prints), so that 1.0005 to three places is 1.001
although the double is slightly smaller.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

MINUS = "−"
TRUTH = {0.0: "false", 1.0: "true"}
NOT_TAKEN = "…"  # shown for a number in a branch that is not taken
_LARGE = 1e6


class Noise(float):
    """A double that is only rounding error: shown as `≈ 0`, while data keep the double."""

    __slots__ = ()
    SHOWN = "≈ 0"


class Digits:
    """A number format: at most `places` decimals, or, if `significant` is not None, at most that many significant
    digits."""

    __slots__ = ("places", "significant")

    def __init__(self, places: int = 3, significant: int | None = None) -> None:
        self.places = places
        self.significant = significant

    def show(self, x: float) -> str:
        """Return the number x rounded, without trailing zeros, with a plain hyphen as minus sign.

        Without `significant` the number has up to `places` decimals; from 1e6 on, and if a nonzero number would round
        to 0, it is in scientific form (`1.5e-7`, `places` + 1 digits). With `significant` digits it is in scientific
        form below 1e-5, and from 1e6 (or 10^significant if that is more) on. nan gives `NaN`, infinities `inf` and
        `-inf`, both zeros `0`, Noise `≈ 0`.
        """
        if type(x) is Noise:
            return Noise.SHOWN
        if math.isnan(x):
            return "NaN"
        if math.isinf(x):
            return "inf" if x > 0 else "-inf"
        if x == 0:
            return "0"
        digits, exponent = _decimal(abs(x))
        sign = "-" if x < 0 else ""
        if self.significant is not None:
            return sign + _significant(digits, exponent, self.significant)
        rounded = _round_decimal(digits, exponent, -self.places)
        if abs(x) >= _LARGE or rounded[0] == 0:
            return sign + _scientific(digits, exponent, self.places + 1)
        return sign + _positional(*rounded)


def _decimal(x: float) -> tuple[int, int]:
    """Return (digits, exponent) of a positive double, which equals digits × 10^exponent in its shortest decimal."""
    mantissa, _, power = repr(x).partition("e")
    whole, _, decimals = mantissa.partition(".")
    return int(whole + decimals), int(power or 0) - len(decimals)


def _round_decimal(digits: int, exponent: int, place: int) -> tuple[int, int]:
    """Return (digits, exponent) of digits·10^exponent rounded to a multiple of 10^`place`, halves up.

    `digits` must be ≥ 0 (without sign). If no digit is dropped (`place` ≤ `exponent`) both are returned unchanged; else
    the exponent is `place`, with digits 0 if the number is less than a tenth of that unit.
    """
    drop = place - exponent
    if drop <= 0:
        return digits, exponent
    if drop > len(str(digits)):
        return 0, place
    unit = 10**drop
    return (2 * digits + unit) // (2 * unit), place


def _positional(digits: int, exponent: int) -> str:
    """Return digits × 10^exponent without an exponent, trailing zeros after the point removed."""
    if exponent >= 0:
        return str(digits * 10**exponent)
    padded = str(digits).rjust(1 - exponent, "0")
    return (padded[:exponent] + "." + padded[exponent:]).rstrip("0").rstrip(".")


def _scientific(digits: int, exponent: int, count: int) -> str:
    """Return digits × 10^exponent as `1.5e7` or `1e-7`, of at most `count` significant digits, rounded."""
    power = exponent + len(str(digits)) - 1
    digits, exponent = _round_decimal(digits, exponent, power - count + 1)
    power = exponent + len(str(digits)) - 1
    text = str(digits).rstrip("0") or "0"
    return f"{text[0]}{'.' if len(text) > 1 else ''}{text[1:]}e{power}"


def _significant(digits: int, exponent: int, count: int) -> str:
    """Return digits × 10^exponent rounded to `count` significant digits; scientific if the decimal exponent is below
    −5 or at least max(count, 6)."""
    power = exponent + len(str(digits)) - 1
    if power < -5 or power >= max(count, 6):
        return _scientific(digits, exponent, count)
    return _positional(*_round_decimal(digits, exponent, power - count + 1))


def with_and(items: Sequence[str]) -> str:
    """Return the items as in a sentence: `a`, `a and b`, or `a, b and c`; empty without items."""
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)
