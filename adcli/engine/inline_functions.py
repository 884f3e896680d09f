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
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from ..table.primitive import ROWS
from ..typings import Final, cast, override
from .emitter import Emitted, Number
from .lanes import PRODUCTS, Lanes
from .llvm_text import Value

# Beyond, reducing an angle takes more digits of pi; points there are flagged, as their results are wrong.
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


def _polynomial(m: Lanes, x: Number[Value], coefficients: Sequence[float]) -> Number[Value]:
    total: Number[Value] = coefficients[-1]
    for coefficient in coefficients[-2::-1]:
        total = m.fma(total, x, coefficient)
    return total


def _exp_in_parts(m: Lanes, x: Number[Value], low: Number[Value] = 0.0) -> tuple[Emitted[Value], Emitted[Value]]:
    """Return (n, p) with exp(x + low) = 2^n·(1 + p), n a whole number; `low` is a far smaller correction of `x`.

    `x` is limited to -750…712, at whose ends the result is 0 and infinite. A constant `low` counts as 0.
    """
    x = m.choose(x > 712.0, 712.0, m.choose(x < -750.0, -750.0, x))  # where the result is infinite, and 0
    n = m.whole(x, 1 / math.log(2))
    rest: Number[Value] = m.fma(n, -_LOG_2[1], m.fma(n, -_LOG_2[0], x))
    if isinstance(low, Emitted):
        rest = rest + low
    return n, m.fma(rest * rest, _polynomial(m, rest, _EXP), rest)


def exp(m: Lanes, x: Emitted[Value]) -> Number[Value]:
    n, p = _exp_in_parts(m, x)
    return m.scale_by_power(1.0 + p, n)


# Halves and whole numbers up to this one are exponents of products.
MOST: Final = 64.0


def power(m: Lanes, x: Number[Value], exponent: float) -> Number[Value]:
    """Return x to the power of `exponent`, a multiple of 1/2 of size 1 or more, by squaring in double-double
    arithmetic.

    For a negative exponent the base is 1/x, with its rounding error as correction. A half exponent multiplies by the
    rounded square root of the base; the root of -0 counts as 0. The low part of the product is added only if it is
    finite and not 0; a constant one (exponent 1) is ignored.
    """
    base = x + 0.0 if exponent % 1 else x  # of -0 too the root is 0
    base_low: Number[Value] = 0.0
    if exponent < 0:
        x, base = base, 1 / base
        base_low = base * m.fma(-base, x, 1.0)
    high, low = base, base_low
    for bit in f"{int(abs(exponent)):b}"[1:]:
        high, low = _exact_product(m, high, low, high, low)
        if bit == "1":
            high, low = _exact_product(m, high, low, base, base_low)
    if exponent % 1:
        high, low = _exact_product(m, high, low, m.sqrt(base), 0.0)
    size = m.abs(low)  # nan and infinite where the product has left the range, and 0 + -0 is not -0
    return m.choose(m.both(size > 0.0, size < math.inf), high + low, high)


def _exact_product(
    m: Lanes, a: Number[Value], a_low: Number[Value], b: Number[Value], b_low: Number[Value]
) -> tuple[Number[Value], Number[Value]]:
    """Return (rounded product a·b, its error plus the cross terms) of a + `a_low` and b + `b_low`.

    Low parts that are constants count as 0, and the product of both low parts is left out.
    """
    rounded = a * b
    error: Number[Value] = m.fma(a, b, -rounded)
    if isinstance(a_low, Emitted):
        error = m.fma(b, a_low, error)
    if isinstance(b_low, Emitted):
        error = m.fma(a, b_low, error)
    return rounded, error


def exponential(m: Lanes, base: float, x: Emitted[Value]) -> Number[Value]:
    """Return base^x for a positive constant `base` other than 1, from its logarithm to twice the digits of a double."""
    high, low = _exact_logarithm(base)
    exponent = x * high
    error = m.fma(x, low, m.fma(x, high, -exponent))
    n, p = _exp_in_parts(m, exponent, m.choose(m.abs(exponent) < 1000.0, error, 0.0))
    return m.scale_by_power(1.0 + p, n)


@lru_cache(maxsize=64)
def _exact_logarithm(x: float) -> tuple[float, float]:
    """Return (high, low) with high + low = log(x) to twice the digits of a double, computed with 60 digits; cached.

    `high` is the double nearest to the logarithm, `low` the double nearest to the difference. `x` must be positive and
    finite.
    """
    from decimal import Context, Decimal

    context = Context(prec=60)
    whole = context.ln(Decimal(x))
    high = float(whole)
    return high, float(context.subtract(whole, Decimal(high)))


def _less_one(m: Lanes, n: Number[Value], p: Number[Value]) -> Number[Value]:
    """Return 2^n·(1 + p) - 1 without cancellation for small p."""
    scale = m.scale_by_power(1.0, n)
    return m.fma(scale, p, scale - 1.0)


def tanh(m: Lanes, x: Number[Value]) -> Number[Value]:
    """Return (t² + 2t)/(t² + 2t + 2) with t = exp|x| - 1 and the sign of x; cosh and sinh share this exponential."""
    n, p = _exp_in_parts(m, m.abs(x))
    t = _less_one(m, n, p)
    double = m.fma(t, t, 2.0 * t)
    return m.copy_sign(m.choose(n > 30.0, 1.0, double / (double + 2.0)), x)


def cosh(m: Lanes, x: Number[Value]) -> Number[Value]:
    n, p = _exp_in_parts(m, m.abs(x))
    half: Number[Value] = m.scale_by_power(1.0 + p, n - 1.0)
    return half + m.div(0.25, half)


def sinh(m: Lanes, x: Number[Value]) -> Number[Value]:
    """Return t/2 + t/(2t + 2) with t = exp|x| - 1 and the sign of x; for large |x| half the exponential."""
    n, p = _exp_in_parts(m, m.abs(x))
    half = 0.5 * _less_one(m, n, p)
    near = half + half / (1.0 + 2.0 * half)
    return m.copy_sign(m.choose(n > 100.0, m.scale_by_power(1.0 + p, n - 1.0), near), x)


def log(m: Lanes, x: Emitted[Value]) -> Number[Value]:
    fraction, exponent = m.split_exponent(x)
    return _of_parts(m, fraction - 1.0, exponent)


def _of_parts(m: Lanes, f: Number[Value], exponent: Number[Value]) -> Number[Value]:
    """Return the logarithm of (1 + f)·2^exponent."""
    s = f / (f + 2.0)
    square = s * s
    half = 0.5 * f * f
    rest = m.fma(square, _polynomial(m, square, _LOGARITHM), half)
    return m.fma(exponent, _LOG_2[0], f - (half - m.fma(s, rest, exponent * _LOG_2[1])))


def _of_next(m: Lanes, x: Number[Value], twice: Number[Value] = 0.0) -> Number[Value]:
    """Return the logarithm of (x + 1)·2^twice, for a finite x that is not negative."""
    _, exponent = m.split_exponent(cast("Emitted[Value]", x + 1.0))
    scale = m.scale_by_power(1.0, -exponent)
    return _of_parts(m, m.fma(x, scale, scale - 1.0), exponent + twice)


def expm1(m: Lanes, x: Number[Value]) -> Number[Value]:
    n, p = _exp_in_parts(m, x)
    return m.choose(n > 100.0, m.scale_by_power(1.0 + p, n), m.copy_sign(_less_one(m, n, p), x))


# From here on the inverse of cosh is the logarithm of twice a number, to the last digit.
_FAR: Final = 2.0**54


def acosh(m: Lanes, x: Emitted[Value]) -> Number[Value]:
    """Return the logarithm of 1 + t + √(t(x + 1)) with t = x - 1; nan below 1."""
    t = x - 1.0
    far = x > _FAR
    root = m.choose(far, 0.0, m.sqrt(t * (x + 1.0)))
    result = _of_next(m, t + root, m.choose(far, 1.0, 0.0))
    return m.choose(x >= 1.0, m.choose(x < math.inf, result, x), math.nan)


def _sine_and_cosine(m: Lanes, x: Number[Value]) -> tuple[Emitted[Value], Emitted[Value]]:
    """Return (sine, cosine) of `x`, reduced by the nearest multiple of pi/2.

    The condition |x| > FARTHEST (2^40) is passed to `m.unusual`: results are wrong there. The sine of -0 is -0.
    """
    m.unusual(m.abs(x) > FARTHEST)
    quarters = m.whole(x, 2 / math.pi)
    rest: Number[Value] = x
    for part in _QUARTER:
        rest = m.fma(quarters, -part, rest)
    square = rest * rest
    sine = m.copy_sign(m.fma(square * rest, _polynomial(m, square, _SINE), rest), rest)
    cosine = m.fma(square, m.fma(square, _polynomial(m, square, _COSINE), -0.5), 1.0)
    return m.rotate(quarters, sine, cosine)


def sin(m: Lanes, x: Number[Value]) -> Number[Value]:
    return _sine_and_cosine(m, x)[0]


def cos(m: Lanes, x: Number[Value]) -> Number[Value]:
    return _sine_and_cosine(m, x)[1]


def tan(m: Lanes, x: Number[Value]) -> Number[Value]:
    sine, cosine = _sine_and_cosine(m, x)
    return m.div(sine, cosine)


def atan(m: Lanes, x: Number[Value]) -> Number[Value]:
    """Return the arctangent of `x`, with the sign of `x` (also of -0).

    |x| is reduced by the angle of 0, 1 or infinity, with the limits √2 - 1 and √2 + 1; the arctangent of the reduced
    argument is a polynomial.
    """
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
    return m.copy_sign(whole + (t + rest), x)


def _reduce_for_arcsine(m: Lanes, size: Number[Value]) -> tuple[Number[Value], Number[Value], Number[Value]]:
    """Return (far, s, r), the reduced argument of the arcsine of `size`, an absolute value up to 1.

    far is the condition `size` > 1/2. Without it s is `size` and r = (arcsin(s) - s)/s. With it s = √(2 - 2·`size`),
    which is twice the sine of half the arccosine, and r = (arcsin(t) - t)/t for t = s/2. For a `size` above 1, s is
    nan.
    """
    far = size > 0.5
    square = m.choose(far, 0.5 - 0.5 * size, size * size)
    sine = m.choose(far, m.sqrt(2.0 - 2.0 * size), size)
    even, odd = [_polynomial(m, square * square, _ARCSINE[k::2]) for k in (0, 1)]  # neither waits for the other
    return far, sine, square * m.fma(square, odd, even)


def asin(m: Lanes, x: Number[Value]) -> Number[Value]:
    """Return the arcsine, with the sign of x; nan beyond ±1."""
    far, sine, ratio = _reduce_for_arcsine(m, m.abs(x))
    beyond = _QUARTER[0] - (sine + m.fma(sine, ratio, -_QUARTER[1]))
    return m.copy_sign(m.choose(far, beyond, m.fma(sine, ratio, sine)), x)


def acos(m: Lanes, x: Number[Value]) -> Number[Value]:
    """Return the arccosine; nan beyond ±1."""
    far, sine, ratio = _reduce_for_arcsine(m, m.abs(x))
    part = m.copy_sign(sine, m.choose(far, x, -x))
    whole = m.choose(x > 0.5, 0.0, m.choose(far, 2 * _QUARTER[0], _QUARTER[0]))
    rest: Number[Value] = part + m.fma(part, ratio, whole * (_QUARTER[1] / _QUARTER[0]))
    return whole + rest


# By the name that the C library has for a function, which is its own here; each of one argument.
INLINED: Final[Mapping[str, Callable[..., Number[Value]]]] = {
    function.__name__: function
    for function in (acos, acosh, asin, atan, cos, cosh, exp, expm1, log, sin, sinh, tan, tanh)
}


class InliningLanes(Lanes):
    """The arithmetic of lanes in which the functions of this module are part of the program instead of called."""

    @override
    def call(self, name: str, *arguments: Number[Value]) -> Number[Value]:
        symbol = ROWS[name].libm
        return INLINED[symbol](self, *arguments) if symbol in INLINED else super().call(name, *arguments)

    @override
    def pow(self, a: Number[Value], b: Number[Value]) -> Number[Value]:
        """Return a to the power of b. The first that applies:

        - a positive finite constant `a` other than 1 and an emitted `b`: `exponential`
        - a constant `b`, a multiple of ½ up to ±64 that is not a root or product of `Lanes`: `power`
        - as `Lanes` does
        """
        if isinstance(b, Emitted):
            is_base = not isinstance(a, Emitted) and 0 < a < math.inf and a != 1
            return exponential(self, cast("float", a), b) if is_base else super().pow(a, b)
        is_product = abs(b) == 0.5 or b in PRODUCTS
        is_multiplied_out = isinstance(a, Emitted) and not is_product and abs(b) <= MOST and b % 0.5 == 0
        return power(self, a, b) if is_multiplied_out else super().pow(a, b)
