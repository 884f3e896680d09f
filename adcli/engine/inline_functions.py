"""Inline functions of doubles in a few operations, for processors with a fused multiply-add.

The largest error found against 60 digits, among millions of points for each function, is 3.5 ulps (tan, large
arguments), 3.4 (tanh), 2.5 (sinh), 2.4 (acosh), 1.8 (atan), 1.7 (asin, expm1), and 1.5 for the others.

A call of a library's vector function saves all registers to memory and restores them; these functions are part of the
loop, and what two functions share is computed once: sine and cosine, exp and tanh, asin and acos.  Arguments are
reduced as in fdlibm and by Cody and Waite; the coefficients minimise the relative error (Remez), which is below 0.05
ulp.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, cast

from .emitter import Emitted, Emitter, Hold, Number

# Beyond, reducing an angle takes more digits of pi; the whole program is asked there.
FARTHEST: Final = 2.0**40

# log(2) and pi/2 as sums.  Whole multiples up to 2^11 of the first part of log(2) are exact; the parts of pi/2 have one
# sign, so that no quarters taken off -0.0 leave it as it is.
_LOG_2: Final = (6.93147180369123816490e-01, 1.90821492927058770002e-10)
_QUARTER: Final = (1.5707963267948966, 6.123233995736765e-17, 1.082856673921914e-32)

# (exp(x) - 1 - x)/x², (sin(√z)/√z - 1)/z, (cos(√z) - 1 + z/2)/z², (atan(√z)/√z - 1)/z, 2(artanh(√z)/√z - 1)/z,
# (asin(√z)/√z - 1)/z
_EXP: Final = (0.5000000000000012, 0.166666666666667, 0.04166666666651545, 0.008333333333307175, 0.0013888888947006545,
               0.00019841269917470974, 2.4801489952148858e-05, 2.7557216203949454e-06, 2.763127677569954e-07,
               2.5117896702802308e-08)  # fmt: skip
_SINE: Final = (-0.1666666666666663, 0.008333333333322063, -0.00019841269829542615, 2.75573136045357e-06,
                -2.505074504006819e-08, 1.5896067673240336e-10)  # fmt: skip
_COSINE: Final = (0.041666666666666595, -0.0013888888888872975, 2.480158728880007e-05, -2.7557314163988007e-07,
                  2.0875698709940326e-09, -1.1358423582452602e-11)  # fmt: skip
_ARCTANGENT: Final = (-0.333333333333332, 0.19999999999953225, -0.1428571428016469, 0.11111110782080333,
                      -0.09090897723499809, 0.07692059691609934, -0.06663098957876626, 0.05847857762667855,
                      -0.05039184649514897, 0.03806201499676826, -0.01790492299985319)  # fmt: skip
_LOGARITHM: Final = (0.6666666666666666, 0.4000000000000798, 0.2857142856726053, 0.22222223050660703,
                     0.1818173746150871, 0.1538887384108151, 0.13209598657408578, 0.13609811798878765)  # fmt: skip

_ARCSINE: Final = (0.16666666666666669, 0.07499999999998337, 0.04464285714653954, 0.03038194412465065,
                   0.022372173482090304, 0.017352380342407197, 0.013971392706800817, 0.011477460839896633,
                   0.010333743770597441, 0.005411569466817004, 0.017523264775636094, -0.015039119422294744,
                   0.028883126517606043)  # fmt: skip


class Inlining(Emitter[Hold]):
    """An arithmetic that writes instructions, with what these functions ask of it beside those of all."""

    @abstractmethod
    def fma(self, a: Number[Hold], b: Number[Hold], c: Number[Hold]) -> Emitted[Hold]:
        """`a*b + c`, rounded once."""

    @abstractmethod
    def whole(self, x: Number[Hold], factor: float) -> Emitted[Hold]:
        """The whole number next to a product below 2^51."""

    @abstractmethod
    def scaled(self, x: Number[Hold], n: Number[Hold]) -> Emitted[Hold]:
        """`x*2^n` for a whole number below 2,000."""

    @abstractmethod
    def parted(self, x: Emitted[Hold]) -> tuple[Number[Hold], Number[Hold]]:
        """m and k with x = m·2^k and m between 0.7 and 1.5; of 0, infinity and what has no logarithm k is its value."""

    @abstractmethod
    def turned(
        self, quarters: Emitted[Hold], sine: Number[Hold], cosine: Number[Hold]
    ) -> tuple[Emitted[Hold], Emitted[Hold]]:
        """Sine and cosine of an angle that is so many quarter turns farther."""

    @abstractmethod
    def signed(self, size: Number[Hold], sign: Number[Hold]) -> Emitted[Hold]:
        """The size, with the sign of another number."""

    @abstractmethod
    def unusual(self, condition: Number[Hold]) -> None:
        """Says that what is written here is not right where the condition holds."""


def _polynomial(m: Inlining[Hold], x: Number[Hold], coefficients: Sequence[float]) -> Number[Hold]:
    found: Number[Hold] = coefficients[-1]
    for coefficient in coefficients[-2::-1]:
        found = m.fma(found, x, coefficient)
    return found


def _exponential(m: Inlining[Hold], x: Number[Hold], beside: Number[Hold] = 0.0) -> tuple[Emitted[Hold], Emitted[Hold]]:
    """n and p with exp(x + beside) = 2^n·(1 + p), for a number beside that is far smaller."""
    x = m.choose(x > 712.0, 712.0, m.choose(x < -750.0, -750.0, x))  # where the result is infinite, and 0
    n = m.whole(x, 1 / math.log(2))
    rest: Number[Hold] = m.fma(n, -_LOG_2[1], m.fma(n, -_LOG_2[0], x))
    if isinstance(beside, Emitted):
        rest = rest + beside
    return n, m.fma(rest * rest, _polynomial(m, rest, _EXP), rest)


def exp(m: Inlining[Hold], x: Emitted[Hold]) -> Number[Hold]:
    n, p = _exponential(m, x)
    return m.scaled(1.0 + p, n)


# Halves and whole numbers up to this one are exponents of products.
MOST: Final = 64.0


def power(m: Inlining[Hold], x: Number[Hold], exponent: float) -> Number[Hold]:
    """A power of a whole or half exponent, but 0, by squaring: what rounding takes from products is carried beside.

    Of half powers the root and the last product are rounded, and the inverse where the exponent is negative.
    """
    base, beside = (x + 0.0 if exponent % 1 else x), cast("Number[Hold]", 0.0)  # of -0 too the root is 0
    if exponent < 0:
        x, base = base, 1 / base
        beside = base * m.fma(-base, x, 1.0)
    high, low = base, beside
    for bit in f"{int(abs(exponent)):b}"[1:]:
        high, low = _product(m, high, low, high, low)
        if bit == "1":
            high, low = _product(m, high, low, base, beside)
    if exponent % 1:
        high, low = _product(m, high, low, m.sqrt(base), 0.0)
    if not isinstance(low, Emitted):
        return high
    size = m.abs(low)  # nan and infinite where the product has left the range, and 0 + -0 is no -0
    return m.choose(m.both(size > 0.0, size < math.inf), high + low, high)


def _product(
    m: Inlining[Hold], a: Number[Hold], beside_a: Number[Hold], b: Number[Hold], beside_b: Number[Hold]
) -> tuple[Number[Hold], Number[Hold]]:
    """A product of two numbers with what is beside each of them, and what is beside it."""
    found = a * b
    beside: Number[Hold] = m.fma(a, b, -found)
    if isinstance(beside_a, Emitted):
        beside = m.fma(b, beside_a, beside)
    if isinstance(beside_b, Emitted):
        beside = m.fma(a, beside_b, beside)
    return found, beside


def exponential(m: Inlining[Hold], base: float, x: Emitted[Hold]) -> Number[Hold]:
    """A power of a positive number other than 1, by its logarithm to twice the digits."""
    high, low = _logarithm(base)
    found = x * high
    beside = m.fma(x, low, m.fma(x, high, -found))
    n, p = _exponential(m, found, m.choose(m.abs(found) < 1000.0, beside, 0.0))
    return m.scaled(1.0 + p, n)


@lru_cache(maxsize=64)
def _logarithm(x: float) -> tuple[float, float]:
    """The natural logarithm as a sum."""
    from decimal import Context, Decimal

    context = Context(prec=60)
    whole = context.ln(Decimal(x))
    high = float(whole)
    return high, float(context.subtract(whole, Decimal(high)))


def _less_one(m: Inlining[Hold], n: Number[Hold], p: Number[Hold]) -> Number[Hold]:
    """2^n·(1 + p) - 1, which keeps the digits of the exponential's own series."""
    scale = m.scaled(1.0, n)
    return m.fma(scale, p, scale - 1.0)


def tanh(m: Inlining[Hold], x: Number[Hold]) -> Number[Hold]:
    """(t² + 2t)/(t² + 2t + 2) of t = exp|x| - 1, the exponential that cosh and sinh of it have too."""
    n, p = _exponential(m, m.abs(x))
    t = _less_one(m, n, p)
    double = m.fma(t, t, 2.0 * t)
    return m.signed(m.choose(n > 30.0, 1.0, double / (double + 2.0)), x)


def cosh(m: Inlining[Hold], x: Number[Hold]) -> Number[Hold]:
    n, p = _exponential(m, m.abs(x))
    half = m.scaled(1.0 + p, n - 1.0)
    return half + 0.25 / half


def sinh(m: Inlining[Hold], x: Number[Hold]) -> Number[Hold]:
    """t/2 + t/(2t + 2) of t = exp|x| - 1."""
    n, p = _exponential(m, m.abs(x))
    half = 0.5 * _less_one(m, n, p)
    near = half + half / (1.0 + 2.0 * half)
    return m.signed(m.choose(n > 100.0, m.scaled(1.0 + p, n - 1.0), near), x)


def log(m: Inlining[Hold], x: Emitted[Hold]) -> Number[Hold]:
    fraction, exponent = m.parted(x)
    return _of_parts(m, fraction - 1.0, exponent)


def _of_parts(m: Inlining[Hold], f: Number[Hold], exponent: Number[Hold]) -> Number[Hold]:
    """The logarithm of (1 + f)·2^exponent."""
    s = f / (f + 2.0)
    square = s * s
    half = 0.5 * f * f
    rest = m.fma(square, _polynomial(m, square, _LOGARITHM), half)
    return m.fma(exponent, _LOG_2[0], f - (half - m.fma(s, rest, exponent * _LOG_2[1])))


def _of_next(m: Inlining[Hold], x: Number[Hold], twice: Number[Hold] = 0.0) -> Number[Hold]:
    """The logarithm of (x + 1)·2^twice, for a finite x that is not below 0."""
    _, exponent = m.parted(cast("Emitted[Hold]", x + 1.0))
    scale = m.scaled(1.0, -exponent)
    return _of_parts(m, m.fma(x, scale, scale - 1.0), exponent + twice)


def expm1(m: Inlining[Hold], x: Number[Hold]) -> Number[Hold]:
    n, p = _exponential(m, x)
    return m.choose(n > 100.0, m.scaled(1.0 + p, n), m.signed(_less_one(m, n, p), x))


# From here on the inverse of cosh is the logarithm of twice a number, to the last digit.
_FAR: Final = 2.0**54


def acosh(m: Inlining[Hold], x: Emitted[Hold]) -> Number[Hold]:
    """The logarithm of 1 + t + √(t(x + 1)) of t = x - 1."""
    t = x - 1.0
    far = x > _FAR
    beside = m.choose(far, 0.0, m.sqrt(t * (x + 1.0)))
    found = _of_next(m, t + beside, m.choose(far, 1.0, 0.0))
    return m.choose(x >= 1.0, m.choose(x < math.inf, found, x), math.nan)


def _circular(m: Inlining[Hold], x: Number[Hold]) -> tuple[Emitted[Hold], Emitted[Hold]]:
    m.unusual(m.abs(x) > FARTHEST)
    quarters = m.whole(x, 2 / math.pi)
    rest: Number[Hold] = x
    for part in _QUARTER:
        rest = m.fma(quarters, -part, rest)
    square = rest * rest
    sine = m.signed(m.fma(square * rest, _polynomial(m, square, _SINE), rest), rest)
    cosine = m.fma(square, m.fma(square, _polynomial(m, square, _COSINE), -0.5), 1.0)
    return m.turned(quarters, sine, cosine)


def sin(m: Inlining[Hold], x: Number[Hold]) -> Number[Hold]:
    return _circular(m, x)[0]


def cos(m: Inlining[Hold], x: Number[Hold]) -> Number[Hold]:
    return _circular(m, x)[1]


def tan(m: Inlining[Hold], x: Number[Hold]) -> Number[Hold]:
    sine, cosine = _circular(m, x)
    return sine / cosine


def atan(m: Inlining[Hold], x: Number[Hold]) -> Number[Hold]:
    """By the angle between it and that of 0, 1 or infinity, whichever is the nearest."""
    size = m.abs(x)
    middle, far = size > math.sqrt(2) - 1, size > math.sqrt(2) + 1
    top = m.choose(far, -1.0, m.choose(middle, size - 1.0, size))
    bottom = m.choose(far, size, m.choose(middle, size + 1.0, 1.0))
    whole, part = [
        m.choose(far, 2 * angle, m.choose(middle, angle, 0.0)) for angle in (_QUARTER[0] / 2, _QUARTER[1] / 2)
    ]
    t = top / bottom
    square = t * t
    rest = m.fma(square * t, _polynomial(m, square, _ARCTANGENT), part)
    return m.signed(whole + (t + rest), x)


def _halved(m: Inlining[Hold], size: Number[Hold]) -> tuple[Number[Hold], Number[Hold], Number[Hold]]:
    """Whether a size is beyond 1/2, and it with what its arcsine has beside it for each unit of it.

    Beyond 1/2 instead of the size twice the sine of half the angle whose cosine it is.
    """
    far = size > 0.5
    square = m.choose(far, 0.5 - 0.5 * size, size * size)
    sine = m.choose(far, m.sqrt(2.0 - 2.0 * size), size)
    even, odd = [_polynomial(m, square * square, _ARCSINE[k::2]) for k in (0, 1)]  # neither waits for the other
    return far, sine, square * m.fma(square, odd, even)


def asin(m: Inlining[Hold], x: Number[Hold]) -> Number[Hold]:
    far, sine, beside = _halved(m, m.abs(x))
    beyond = _QUARTER[0] - (sine + m.fma(sine, beside, -_QUARTER[1]))
    return m.signed(m.choose(far, beyond, m.fma(sine, beside, sine)), x)


def acos(m: Inlining[Hold], x: Number[Hold]) -> Number[Hold]:
    far, sine, beside = _halved(m, m.abs(x))
    part = m.signed(sine, m.choose(far, x, -x))
    whole = m.choose(x > 0.5, 0.0, m.choose(far, 2 * _QUARTER[0], _QUARTER[0]))
    return whole + (part + m.fma(part, beside, whole * (_QUARTER[1] / _QUARTER[0])))


# By the name that the C library has for a function, which is its own here; each of one argument.
INLINED: Final[Mapping[str, Callable[..., Number[Any]]]] = {
    function.__name__: function
    for function in (acos, acosh, asin, atan, cos, cosh, exp, expm1, log, sin, sinh, tan, tanh)
}
