"""Numbers as people read them: so many decimals, or so many significant digits, halves rounded up as schools do.

Rounding works on the shortest decimal that stands for the double (what `repr` prints), so that 1.0005 to three places
is 1.001 although the double lies a hair below.
"""

from __future__ import annotations

import math

MINUS = "−"
TRUTH = {0.0: "false", 1.0: "true"}
NOT_TAKEN = "…"  # stands for a number that only a branch not taken has
_LARGE = 1e6


class Noise(float):
    """A double that is nothing but rounding; people are shown that it is, data have the double."""

    __slots__ = ()
    SHOWN = "≈ 0"


class Digits:
    """How numbers are shown: `places` decimals at most, or `significant` digits at most."""

    __slots__ = ("places", "significant")

    def __init__(self, places: int = 3, significant: int | None = None) -> None:
        self.places = places
        self.significant = significant

    def show(self, x: float) -> str:
        """The number rounded, without trailing zeros, with a plain hyphen for a minus sign.

        What would show as 0 and is not, and what is 1e6 or larger, is shown in scientific form.
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
        rounded = _rounded(digits, exponent, -self.places)
        if abs(x) >= _LARGE or rounded[0] == 0:
            return sign + _scientific(digits, exponent, self.places + 1)
        return sign + _plain(*rounded)


def _decimal(x: float) -> tuple[int, int]:
    """A positive double as digits × 10^exponent, by its shortest decimal."""
    mantissa, _, power = repr(x).partition("e")
    whole, _, decimals = mantissa.partition(".")
    return int(whole + decimals), int(power or 0) - len(decimals)


def _rounded(digits: int, exponent: int, place: int) -> tuple[int, int]:
    """Rounded to a multiple of 10^place, halves away from zero."""
    drop = place - exponent
    if drop <= 0:
        return digits, exponent
    if drop > len(str(digits)):
        return 0, place
    unit = 10**drop
    return (2 * digits + unit) // (2 * unit), place


def _plain(digits: int, exponent: int) -> str:
    if exponent >= 0:
        return str(digits * 10**exponent)
    padded = str(digits).rjust(1 - exponent, "0")
    return (padded[:exponent] + "." + padded[exponent:]).rstrip("0").rstrip(".")


def _scientific(digits: int, exponent: int, count: int) -> str:
    power = exponent + len(str(digits)) - 1
    digits, exponent = _rounded(digits, exponent, power - count + 1)
    power = exponent + len(str(digits)) - 1
    text = str(digits).rstrip("0") or "0"
    return f"{text[0]}{'.' if len(text) > 1 else ''}{text[1:]}e{power}"


def _significant(digits: int, exponent: int, count: int) -> str:
    power = exponent + len(str(digits)) - 1
    if power < -5 or power >= max(count, 6):
        return _scientific(digits, exponent, count)
    return _plain(*_rounded(digits, exponent, power - count + 1))
