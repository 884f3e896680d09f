"""Bessel and Airy functions, computed as in `decimals`: chapters 9 and 10 of the DLMF. A function returns a float, or a
function of no arguments that computes (value, size of the largest term) to the digits of the decimal context.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, getcontext, localcontext
from functools import partial

from .decimals import (
    FAR,
    HIGHEST,
    ONE,
    ZERO,
    Computation,
    Sized,
    airy_at_zero,
    alternating_sums,
    asymptotic_terms,
    context,
    euler,
    negate_if,
    pi,
    reciprocal_gamma,
    sine_and_cosine,
    sine_and_cosine_of_pi,
    sum_series,
    whole_order,
)

nan, inf = math.nan, math.inf


# --- Bessel functions (DLMF 10.2, 10.8, 10.17, 10.25, 10.31, 10.40, 10.47, 10.49) -------------------------------------


def _hankel(square: Decimal | int, x: Decimal) -> tuple[list[Decimal], Decimal] | None:
    """Return the terms of the asymptotic series of a Bessel function and their largest size; `square` is 4·order².

    None if the series diverges before the digits are reached.
    """
    return asymptotic_terms(lambda k: (square - (2 * k - 1) ** 2) / (8 * k * x))


def _power_series(n: Decimal | int, x: Decimal, sign: int) -> Sized:
    """Return J (sign -1) or I (sign 1) of order `n` at `x` by the power series, as (value, size of the largest term).

    `n` is an int ≥ 0, or a Decimal that is not a whole number, with x > 0.
    """
    half = x / 2
    square = sign * half * half
    first = half**n / math.factorial(n) if isinstance(n, int) else half**n * reciprocal_gamma(n + 1)
    return sum_series(first, lambda k: square / (k * (n + k)), max(0, int(-n) + 2))


def _connect_orders(n: Decimal, x: Decimal, sign: int) -> Sized:
    """Return Y (sign -1) or K (sign 1) of an order that is not an integer, at x > 0, as (value, size of the largest
    term).

    They follow from the power series of the orders n and -n (DLMF 10.2.3, 10.27.4).
    """
    (above, size), (below, other) = _power_series(n, x, sign), _power_series(-n, x, sign)
    sine, cosine = sine_and_cosine_of_pi(n)
    if sign < 0:
        return (above * cosine - below) / sine, max(size * abs(cosine), other) / abs(sine)
    return pi() * (below - above) / (2 * sine), 2 * max(size, other) / abs(sine)


def _singular_series(n: int, x: Decimal, sign: int) -> Sized:
    """Return Y (sign -1) or K (sign 1) of integer order n ≥ 0 at x > 0 by the power series, as (value, size of the
    largest term).

    It is the sum of a polynomial in 1/x, and of a series with a logarithm (DLMF 10.8.1, 10.31.1).
    """
    half = x / 2
    square = half * half
    finite, size = ZERO, ZERO
    term = half**-n * math.factorial(n - 1) if n else ZERO
    for k in range(n):  # the part that is a polynomial in 1/x
        finite += term
        size = max(size, abs(term))
        if k + 1 < n:
            term = -sign * term * square / ((k + 1) * (n - k - 1))
    logarithm = 2 * half.ln()
    harmonic = sum((ONE / j for j in range(1, n + 1)), ZERO) - 2 * euler()
    term = half**n / math.factorial(n)
    rest, k, least = ZERO, 0, getcontext().prec + 3
    while term:
        part = term * (logarithm - harmonic)
        rest += part
        size = max(size, abs(part), abs(term))
        k += 1
        term = sign * term * square / (k * (n + k))
        harmonic += ONE / k + ONE / (n + k)
        if term.adjusted() < size.adjusted() - least:
            break
    if sign < 0:
        return (rest - finite) / pi(), size / pi()
    return (finite - rest * (-1) ** n) / 2, size / 2


def _sized_bessel_j_or_y(n: Decimal | int, x: Decimal, second: bool) -> Sized:
    """Return J, or Y with `second`, of order n at x > 0, as (value, size of the largest term). A Decimal `n` is not a
    whole number, an int is ≥ 0.

    By the asymptotic series above 20 if that converges (DLMF 10.17.3), else by power series.
    """
    terms = _hankel(4 * n * n, x) if x > 20 else None
    if terms is None and not second:
        return _power_series(n, x, -1)
    if terms is None and isinstance(n, Decimal):
        return _connect_orders(n, x, -1)
    if terms is None:
        return _singular_series(int(n), x, -1)
    even, odd = alternating_sums(terms[0])
    sine, cosine = sine_and_cosine(x)
    shift, base = sine_and_cosine_of_pi(Decimal(2 * n + 1) / 4)
    c, s = cosine * base + sine * shift, sine * base - cosine * shift  # of x - n pi/2 - pi/4
    scale = (2 / (pi() * x)).sqrt()
    return scale * (s * even + c * odd if second else c * even - s * odd), scale * terms[1]


def _sized_bessel_i(n: Decimal | int, x: Decimal) -> Sized:
    """Return I of order `n` at x > 0, as (value, size of the largest term).

    By the asymptotic series above 40 if that converges, else by the power series. A whole `n` is an int ≥ 0.
    """
    terms = _hankel(4 * n * n, x) if x > 40 else None
    if terms is None:
        return _power_series(n, x, 1)
    scale = x.exp() / (2 * pi() * x).sqrt()
    return scale * sum((-t if k % 2 else t for k, t in enumerate(terms[0])), ZERO), scale * terms[1]


def _sized_bessel_k(n: Decimal | int, x: Decimal) -> Sized:
    """Return K of order n ≥ 0 at x > 0, as (value, size of the largest term): by the asymptotic series above 20 if that
    converges (DLMF 10.40.2), else by power series. A Decimal `n` is not a whole number, an int is.
    """
    terms = _hankel(4 * n * n, x) if x > 20 else None
    if terms is None:
        return _connect_orders(n, x, 1) if isinstance(n, Decimal) else _singular_series(n, x, 1)
    scale = (pi() / (2 * x)).sqrt() * (-x).exp()
    return scale * sum(terms[0]), scale * terms[1]


def _bessel(
    order: Decimal, x: Decimal, *, sized: Callable[[Decimal | int, Decimal], Sized], second: bool = False,
    modified: bool = False, far: float = 0.0,
) -> Computation:  # fmt: skip
    """Return a Bessel function of the `second` or first kind at `x`, or a function of no arguments that computes it as
    (value, size of its terms), by `sized(order, x)` for x > 0 and an order that is an int from 0 on, or not whole.

    Orders reach to ±HIGHEST (200); those that are not whole, and the second kind, need a positive `x`; else nan. At 0 a
    whole order gives 1 for order 0, else 0. At infinity, with `modified` beyond FAR (10^6), the value is `far`, which
    is 0 or infinite; infinity has a minus sign for odd orders at negative `x`.
    """
    n, z = whole_order(order), x.copy_abs()
    if abs(order) > HIGHEST or ((n is None or second) and not x > 0):
        return nan
    if not z:
        return 1.0 if n == 0 else 0.0
    is_far = z > FAR if modified else z.is_infinite()
    if is_far and not far:
        return 0.0
    is_negated = (n or 0) % 2 == 1 and (x < 0) != (order < 0 and not modified)
    return negate_if(is_negated, far if is_far else lambda: sized(order if n is None else abs(n), z))


bessel_j = partial(_bessel, sized=partial(_sized_bessel_j_or_y, second=False))
bessel_y = partial(_bessel, sized=partial(_sized_bessel_j_or_y, second=True), second=True)
bessel_i = partial(_bessel, sized=_sized_bessel_i, modified=True, far=inf)
bessel_k = partial(_bessel, sized=_sized_bessel_k, modified=True, second=True)


def spherical_j(order: Decimal, x: Decimal) -> Computation:
    """Return the spherical Bessel function of the first kind at `x` (order 0: sin(x)/x), or a function of no arguments
    that computes it as (value, size).

    At 0 it is 1 for order 0, else 0; at ±infinity 0. nan unless the order is a whole number from 0 to HIGHEST (200).
    For negative `x` it is the value at -x, negated for odd orders.
    """
    n, z = whole_order(order), x.copy_abs()
    if n is None or n < 0:
        return nan
    if z.is_infinite() or not z:
        return 1.0 if n == z == 0 else 0.0
    return negate_if(n % 2 == 1 and x < 0, lambda: _sized_spherical_j(n, z))


def _sized_spherical_j(n: int, x: Decimal) -> Sized:
    """Return the spherical Bessel function j of order n ≥ 0 at x > 0, as (value, size of the largest term).

    By the power series for x < 20 or x < n, else by the finite Hankel sum.
    """
    if x < 20 or x < n:
        first = ONE
        for k in range(1, n + 1):
            first = first * x / (2 * k + 1)
        square = -x * x / 2
        return sum_series(first, lambda k: square / (k * (2 * n + 2 * k + 1)))
    terms = _hankel((2 * n + 1) ** 2, x)
    if terms is None:  # never: it ends
        return ZERO, ONE
    even, odd = alternating_sums(terms[0])
    sine, cosine = sine_and_cosine(x)
    c, s = ((sine, -cosine), (-cosine, -sine), (-sine, cosine), (cosine, sine))[n % 4]
    return (c * even - s * odd) / x, terms[1] / x


sinc = partial(spherical_j, ZERO)  # sin(x)/x; 1 at 0


# --- Airy functions (DLMF 9.4, 9.7) -----------------------------------------------------------------------------------


def _airy(x: Decimal, *, growing: bool, slope: bool) -> Computation:
    """Return Ai or, if `growing`, Bi at `x`, with `slope` its derivative, or a function of no arguments that computes
    it as (value, size).

    Above FAR (10^6) it is 0 (-0.0 for the derivative), or inf if `growing`; at -inf 0, and nan for the derivative.
    """
    if x > FAR:
        return inf if growing else -0.0 if slope else 0.0
    if x.is_infinite():
        return nan if slope else 0.0
    return lambda: _sized_airy(x, growing, slope)


airy_ai, airy_ai_slope = partial(_airy, growing=False, slope=False), partial(_airy, growing=False, slope=True)
airy_bi, airy_bi_slope = partial(_airy, growing=True, slope=False), partial(_airy, growing=True, slope=True)


def _sized_airy(x: Decimal, growing: bool, slope: bool) -> Sized:
    """Return Ai, or Bi with `growing`, or its derivative with `slope`, at x, as (value, size of the largest term).

    By the asymptotic series beyond ±12 if it converges, else by combining both power series about 0; then the size is
    that of their terms without the factors Ai(0), -Ai'(0) and √3.
    """
    asymptotic = _airy_far(x, growing, slope) if abs(x) > 12 else None
    if asymptotic is not None:
        return asymptotic
    cube = x * x * x
    if slope:
        f, size = sum_series(x * x / 2, lambda k: cube / (3 * k * (3 * k + 2)))
        g, other = sum_series(ONE, lambda k: cube / ((3 * k - 2) * 3 * k))
    else:
        f, size = sum_series(ONE, lambda k: cube / ((3 * k - 1) * 3 * k))
        g, other = sum_series(x, lambda k: cube / (3 * k * (3 * k + 1)))
    a, b = airy_at_zero(getcontext().prec)
    size = max(size, other)
    return ((a * f + b * g) * Decimal(3).sqrt(), size) if growing else (a * f - b * g, size)


def _airy_far(x: Decimal, growing: bool, slope: bool) -> Sized | None:
    """Return (value, size of its terms) of an Airy function by the asymptotic series in zeta = 2/3·|x|^(3/2) (DLMF
    9.7).

    It is Bi if `growing`, else Ai; with `slope` its derivative. None if the series diverges too soon. For negative x it
    is a sum of sine and cosine of zeta - pi/4.
    """
    z, digits = x.copy_abs(), getcontext().prec
    with localcontext(context(digits + max(3 * z.adjusted() // 2, 0) + 5)):
        zeta = z * z.sqrt() * 2 / 3
    series = asymptotic_terms(lambda k: (6 * k - 5) * (6 * k - 3) * (6 * k - 1) / (216 * k * (2 * k - 1) * zeta))
    if series is None:
        return None
    terms, size = series
    if slope:
        terms = [t * (6 * k + 1) / (1 - 6 * k) for k, t in enumerate(terms)]
        size *= 2
    root = z.sqrt().sqrt()
    scale = (root if slope else 1 / root) / pi().sqrt()
    if x > 0 and growing:
        return scale * zeta.exp() * sum(terms), scale * zeta.exp() * size
    if x > 0:
        total = sum((-t if k % 2 else t for k, t in enumerate(terms)), ZERO)
        scale = scale * (-zeta).exp() / 2
        return (-scale if slope else scale) * total, scale * size
    even, odd = alternating_sums(terms)
    sine, cosine = sine_and_cosine(zeta)
    half = Decimal(2).sqrt()
    c, s = (cosine + sine) / half, (sine - cosine) / half  # of zeta - pi/4
    if slope:
        value = c * even + s * odd if growing else s * even - c * odd
    else:
        value = c * odd - s * even if growing else c * even + s * odd
    return scale * value, scale * size
