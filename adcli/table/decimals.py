"""Functions that no doubles come by with sums and products alone, worked out in as many decimal digits as it takes.

A value comes with the size of the largest number that was added up for it; what cancelled is made up for by more
digits, so that what is rounded in the end is right to little more than half a unit in the last place, next to zeros and
far out too.  Power series about 0, series for large arguments, and Newton's method for inverses: chapters 4, 6, 7, 9
and 10 of the DLMF.

Every function here takes decimal numbers that are no nan, and answers with a number at once or with how it is found.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, getcontext, localcontext
from functools import lru_cache
from typing import TypeAlias

# A value, and the size of the largest number that went into it; how it is found with the digits in force.
Sized: TypeAlias = tuple[Decimal, Decimal]
Found: TypeAlias = Callable[[], Sized] | float

nan, inf = math.nan, math.inf
HIGHEST = 200  # the highest order of Bessel functions, derivatives included
DOUBLE = 19  # digits that a double is rounded from
_MORE, _MOST = 12, 4_000  # digits that are tried beyond those that are asked for, and that are ever taken
_ZERO, _ONE = Decimal(0), Decimal(1)


def rounded(function: Callable[..., Found], *arguments: Decimal, digits: int = DOUBLE) -> Decimal:
    """A function of this file to so many digits and a few more."""
    if any(x.is_nan() for x in arguments):
        return Decimal(nan)
    with localcontext(_context(digits + _MORE)):
        found = function(*arguments)
    if not callable(found):
        return Decimal(found)
    taken = digits + _MORE
    while True:
        with localcontext(_context(taken)):
            value, size = found()
        if not value.is_finite() or not value:
            return value
        lost = max(size.adjusted() - value.adjusted(), 0)
        if taken - lost >= digits + 3 or taken >= _MOST:
            return value
        taken = min(max(lost + digits + _MORE, taken + 10), _MOST)


def _context(digits: int) -> Context:
    return Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])


def _turned(negative: bool, found: Found) -> Found:
    """The same with its sign turned where this holds."""
    if not negative:
        return found
    if not callable(found):
        return -found
    compute = found

    def turned() -> Sized:
        value, size = compute()
        return -value, size

    return turned


# --- constants, to the digits in force --------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _pi_to(digits: int) -> Decimal:
    """By arithmetic and geometric means (Brent and Salamin 1976)."""
    with localcontext(_context(digits + 10)):
        a, b, t, p = _ONE, _ONE / Decimal(2).sqrt(), Decimal("0.25"), 1
        while abs(a - b) > _ONE.scaleb(-digits - 5):
            mean = (a + b) / 2
            a, b, t, p = mean, (a * b).sqrt(), t - p * (a - mean) ** 2, 2 * p
        return (a + b) ** 2 / (4 * t)


@lru_cache(maxsize=64)
def _euler_to(digits: int) -> Decimal:
    """Euler's constant, by a quotient of series of Bessel functions (Brent and McMillan 1980)."""
    with localcontext(_context(digits + 20)):
        n = int(digits * 0.6) + 4
        a = -Decimal(n).ln()
        b, top, bottom, k = _ONE, a, _ONE, 0
        while abs(b) > _ONE.scaleb(-digits - 10) or k < n:
            k += 1
            b = b * n * n / (k * k)
            a = (a * n * n / k + b) / k
            top, bottom = top + a, bottom + b
        return top / bottom


@lru_cache(maxsize=64)
def _airy_at_zero(digits: int) -> tuple[Decimal, Decimal]:
    """Ai(0) and -Ai'(0), from gamma(1/3) as an elliptic integral (Borwein and Zucker 1992)."""
    with localcontext(_context(digits + 10)):
        pi, third = _pi_to(digits + 10), _ONE / 3
        a, b = _ONE, (2 + Decimal(3).sqrt()).sqrt() / 2
        while abs(a - b) > _ONE.scaleb(-digits - 5):
            a, b = (a + b) / 2, (a * b).sqrt()
        gamma = Decimal(2) ** (Decimal(7) / 9) * (pi * pi / (2 * a)) ** third / Decimal(3) ** (_ONE / 12)
        other = 2 * pi / (Decimal(3).sqrt() * gamma)
        return 1 / (Decimal(3) ** (2 * third) * other), 1 / (Decimal(3) ** third * gamma)


def _pi() -> Decimal:
    return +_pi_to(getcontext().prec)


def _euler() -> Decimal:
    return +_euler_to(getcontext().prec)


def _waves(x: Decimal) -> tuple[Decimal, Decimal]:
    """Sine and cosine of a number that is known to as many digits behind the point as are in force."""
    digits = getcontext().prec
    with localcontext(_context(digits + max(x.adjusted(), 0) + 5)):
        quarter = _pi_to(getcontext().prec) / 2
        turns = (x / quarter).to_integral_value()
        rest = x - turns * quarter
        turn = int(turns % 4)
    halvings = 8  # so that a short series does
    with localcontext(_context(digits + 10)):
        t = rest / 2**halvings
        square = t * t
        # 1 - cos, which keeps its digits when the angle is doubled: 2 v (2 - v)
        term, versed, k = square / 2, _ZERO, 2
        while term and term.adjusted() > -digits - 12 - 2 * halvings:
            versed += term
            term = -term * square / ((k + 1) * (k + 2))
            k += 2
        for _ in range(halvings):
            versed = 2 * versed * (2 - versed)
        cosine = 1 - versed
        term, sine, k = rest, _ZERO, 1
        while term and term.adjusted() > rest.adjusted() - digits - 5:
            sine += term
            term = -term * rest * rest / ((k + 1) * (k + 2))
            k += 2
    sine, cosine = +sine, +cosine
    return ((sine, cosine), (cosine, -sine), (-sine, -cosine), (-cosine, sine))[turn]


# --- series -----------------------------------------------------------------------------------------------------------


def _summed(first: Decimal, ratio: Callable[[int], Decimal], growing: int = 0) -> Sized:
    """The sum of a series, each term being `ratio(k)` times the one before; it may grow up to the term `growing`."""
    total = term = first
    size, k = abs(first), 0
    least = getcontext().prec + 3
    while term:
        k += 1
        term = term * ratio(k)
        total += term
        size = max(size, abs(term))
        if k > growing and term.adjusted() < size.adjusted() - least:
            break
    return total, size


def _falling(ratio: Callable[[int], Decimal]) -> tuple[list[Decimal], Decimal] | None:
    """The terms from 1 on of a series for large arguments until they no longer count; None where it grows before."""
    terms, term, size = [_ONE], _ONE, _ONE
    least = -getcontext().prec - 3
    for k in range(1, 20_000):
        factor = ratio(k)
        term = term * factor
        size = max(size, abs(term))
        terms.append(term)
        if not term or (term.adjusted() < least and abs(factor) < 1):
            return terms, size
        if abs(factor) >= 1 and k > 1 and abs(ratio(k + 1)) > abs(factor):
            return None
    return None


def _turning(terms: list[Decimal]) -> Sized:
    """The sums of the even and of the odd terms, with signs that alternate in each."""
    even = sum((-t if k % 2 else t for k, t in enumerate(terms[::2])), _ZERO)
    odd = sum((-t if k % 2 else t for k, t in enumerate(terms[1::2])), _ZERO)
    return even, odd


# --- Bessel functions (DLMF 10.2, 10.8, 10.17, 10.25, 10.31, 10.40, 10.47, 10.49) -------------------------------------


def _whole_order(n: Decimal) -> int | None:
    return int(n) if n.is_finite() and n == n.to_integral_value() and abs(n) <= HIGHEST else None


def _hankel(square: int, x: Decimal) -> tuple[list[Decimal], Decimal] | None:
    """The terms for large arguments of a Bessel function whose order has this square, four times."""
    return _falling(lambda k: (square - (2 * k - 1) ** 2) / (8 * k * x))


def _regular(n: int, x: Decimal, sign: int) -> Sized:
    """J (sign -1) or I (sign 1) by the power series."""
    half = x / 2
    square = sign * half * half
    return _summed(half**n / math.factorial(n), lambda k: square / (k * (n + k)))


def _singular(n: int, x: Decimal, sign: int) -> Sized:
    """Y·pi (sign -1) or 2K·(-1)^n (sign 1) but for the sign of the former, by the power series."""
    half = x / 2
    square = half * half
    finite, size = _ZERO, _ZERO
    term = half**-n * math.factorial(n - 1) if n else _ZERO
    for k in range(n):  # the part that is a polynomial in 1/x
        finite += term
        size = max(size, abs(term))
        if k + 1 < n:
            term = -sign * term * square / ((k + 1) * (n - k - 1))
    logarithm = 2 * half.ln()
    harmonic = sum((_ONE / j for j in range(1, n + 1)), _ZERO) - 2 * _euler()
    term = half**n / math.factorial(n)
    rest, k, least = _ZERO, 0, getcontext().prec + 3
    while term:
        part = term * (logarithm - harmonic)
        rest += part
        size = max(size, abs(part), abs(term))
        k += 1
        term = sign * term * square / (k * (n + k))
        harmonic += _ONE / k + _ONE / (n + k)
        if term.adjusted() < size.adjusted() - least:
            break
    return (rest - finite, size) if sign < 0 else (finite * (-1) ** n - rest, size)


def bessel_j(order: Decimal, x: Decimal) -> Found:
    """The Bessel function of the first kind."""
    n, z = _whole_order(order), x.copy_abs()
    if n is None:
        return nan
    if z.is_infinite() or not z:
        return 1.0 if n == z == 0 else 0.0
    return _turned(n % 2 == 1 and (n < 0) != (x < 0), lambda: _first_kind(abs(n), z))


def _first_kind(n: int, x: Decimal) -> Sized:
    terms = _hankel(4 * n * n, x) if x > 20 else None
    if terms is None:
        return _regular(n, x, -1)
    even, odd = _turning(terms[0])
    sine, cosine = _waves(x)
    # cos and sin of x - n pi/2 - pi/4, both times sqrt(2)
    c, s = ((cosine + sine, sine - cosine), (sine - cosine, -cosine - sine))[n % 2]
    c, s = (-c, -s) if n % 4 > 1 else (c, s)
    scale = 1 / (_pi() * x).sqrt()
    return scale * (c * even - s * odd), scale * terms[1]


def bessel_y(order: Decimal, x: Decimal) -> Found:
    """The Bessel function of the second kind."""
    n = _whole_order(order)
    if n is None or not x > 0:
        return nan
    if x.is_infinite():
        return 0.0
    return _turned(n < 0 and n % 2 == 1, lambda: _second_kind(abs(n), x))


def _second_kind(n: int, x: Decimal) -> Sized:
    terms = _hankel(4 * n * n, x) if x > 20 else None
    if terms is None:
        value, size = _singular(n, x, -1)
        return value / _pi(), size / _pi()
    even, odd = _turning(terms[0])
    sine, cosine = _waves(x)
    c, s = ((cosine + sine, sine - cosine), (sine - cosine, -cosine - sine))[n % 2]
    c, s = (-c, -s) if n % 4 > 1 else (c, s)
    scale = 1 / (_pi() * x).sqrt()
    return scale * (s * even + c * odd), scale * terms[1]


def bessel_i(order: Decimal, x: Decimal) -> Found:
    """The modified Bessel function of the first kind."""
    n, z = _whole_order(order), x.copy_abs()
    if n is None:
        return nan
    if not z:
        return 1.0 if n == 0 else 0.0
    return _turned(n % 2 == 1 and x < 0, inf if z > _FAR else lambda: _growing(abs(n), z))


def _growing(n: int, x: Decimal) -> Sized:
    terms = _hankel(4 * n * n, x) if x > 40 else None
    if terms is None:
        return _regular(n, x, 1)
    scale = x.exp() / (2 * _pi() * x).sqrt()
    return scale * sum((-t if k % 2 else t for k, t in enumerate(terms[0])), _ZERO), scale * terms[1]


def bessel_k(order: Decimal, x: Decimal) -> Found:
    """The modified Bessel function of the second kind."""
    n = _whole_order(order)
    if n is None or not x > 0:
        return nan
    return 0.0 if x > _FAR else lambda: _modified(abs(n), x)


_FAR = 1_000_000  # from here on what grows or falls as exp(x) is infinite or nothing


def _modified(n: int, x: Decimal) -> Sized:
    terms = _hankel(4 * n * n, x) if x > 20 else None
    if terms is None:
        value, size = _singular(n, x, 1)
        return value * (-1) ** n / 2, size / 2
    scale = (_pi() / (2 * x)).sqrt() * (-x).exp()
    return scale * sum(terms[0]), scale * terms[1]


def spherical_j(order: Decimal, x: Decimal) -> Found:
    """The spherical Bessel function of the first kind; of order 0 it is sin(x)/x."""
    n, z = _whole_order(order), x.copy_abs()
    if n is None or n < 0:
        return nan
    if z.is_infinite() or not z:
        return 1.0 if n == z == 0 else 0.0
    return _turned(n % 2 == 1 and x < 0, lambda: _spherical(n, z))


def _spherical(n: int, x: Decimal) -> Sized:
    if x < 20 or x < n:
        first = _ONE
        for k in range(1, n + 1):
            first = first * x / (2 * k + 1)
        square = -x * x / 2
        return _summed(first, lambda k: square / (k * (2 * n + 2 * k + 1)))
    terms = _hankel((2 * n + 1) ** 2, x)
    if terms is None:  # never: it ends
        return _ZERO, _ONE
    even, odd = _turning(terms[0])
    sine, cosine = _waves(x)
    c, s = ((sine, -cosine), (-cosine, -sine), (-sine, cosine), (cosine, sine))[n % 4]
    return (c * even - s * odd) / x, terms[1] / x


def sinc(x: Decimal) -> Found:
    """sin(x)/x."""
    return spherical_j(_ZERO, x)


# --- Airy functions (DLMF 9.4, 9.7) -----------------------------------------------------------------------------------


def airy_ai(x: Decimal) -> Found:
    """The Airy function that falls."""
    return _airy(x, growing=False, slope=False)


def airy_bi(x: Decimal) -> Found:
    """The Airy function that grows."""
    return _airy(x, growing=True, slope=False)


def airy_ai_slope(x: Decimal) -> Found:
    """The derivative of Ai."""
    return _airy(x, growing=False, slope=True)


def airy_bi_slope(x: Decimal) -> Found:
    """The derivative of Bi."""
    return _airy(x, growing=True, slope=True)


def _airy(x: Decimal, *, growing: bool, slope: bool) -> Found:
    if x > _FAR:
        return inf if growing else -0.0 if slope else 0.0
    if x.is_infinite():
        return nan if slope else 0.0
    return lambda: _airy_sized(x, growing, slope)


def _airy_sized(x: Decimal, growing: bool, slope: bool) -> Sized:
    found = _airy_far(x, growing, slope) if abs(x) > 12 else None
    if found is not None:
        return found
    cube = x * x * x
    if slope:
        f, size = _summed(x * x / 2, lambda k: cube / (3 * k * (3 * k + 2)))
        g, other = _summed(_ONE, lambda k: cube / ((3 * k - 2) * 3 * k))
    else:
        f, size = _summed(_ONE, lambda k: cube / ((3 * k - 1) * 3 * k))
        g, other = _summed(x, lambda k: cube / (3 * k * (3 * k + 1)))
    a, b = _airy_at_zero(getcontext().prec)
    size = max(size, other)
    return ((a * f + b * g) * Decimal(3).sqrt(), size) if growing else (a * f - b * g, size)


def _airy_far(x: Decimal, growing: bool, slope: bool) -> Sized | None:
    z, digits = x.copy_abs(), getcontext().prec
    with localcontext(_context(digits + max(3 * z.adjusted() // 2, 0) + 5)):
        zeta = z * z.sqrt() * 2 / 3
    found = _falling(lambda k: (6 * k - 5) * (6 * k - 3) * (6 * k - 1) / (216 * k * (2 * k - 1) * zeta))
    if found is None:
        return None
    terms, size = found
    if slope:
        terms = [t * (6 * k + 1) / (1 - 6 * k) for k, t in enumerate(terms)]
        size *= 2
    root = z.sqrt().sqrt()
    scale = (root if slope else 1 / root) / _pi().sqrt()
    if x > 0 and growing:
        return scale * zeta.exp() * sum(terms), scale * zeta.exp() * size
    if x > 0:
        total = sum((-t if k % 2 else t for k, t in enumerate(terms)), _ZERO)
        scale = scale * (-zeta).exp() / 2
        return (-scale if slope else scale) * total, scale * size
    even, odd = _turning(terms)
    sine, cosine = _waves(zeta)
    half = Decimal(2).sqrt()
    c, s = (cosine + sine) / half, (sine - cosine) / half  # of zeta - pi/4
    if slope:
        value = c * even + s * odd if growing else s * even - c * odd
    else:
        value = c * odd - s * even if growing else c * even + s * odd
    return scale * value, scale * size


# --- integrals (DLMF 6.6, 6.12) ---------------------------------------------------------------------------------------


def exponential_integral(x: Decimal) -> Found:
    """Ei."""
    if not x:
        return -inf
    if abs(x) > _FAR:
        return inf if x > 0 else -0.0
    return lambda: _exponential_integral(x)


def _exponential_integral(x: Decimal) -> Sized:
    found = _falling(lambda k: k / x) if abs(x) > 60 else None
    if found is not None:
        scale = x.exp() / x
        return scale * sum(found[0]), abs(scale) * found[1]
    total, size = _harmonic_series(x, lambda k: x / k, 1)
    return _with_logarithm(x, total, size)


def _harmonic_series(x: Decimal, ratio: Callable[[int], Decimal], step: int) -> Sized:
    """The sum of terms from the second on, each divided by `step` times its number."""
    term, total, size, k = _ONE, _ZERO, _ZERO, 0
    least = getcontext().prec + 3
    while True:
        k += 1
        term = term * ratio(k)
        part = term / (step * k)
        total += part
        size = max(size, abs(part))
        if not part or (part.adjusted() < size.adjusted() - least and part.adjusted() < -least):
            return total, size


def _with_logarithm(x: Decimal, total: Decimal, size: Decimal) -> Sized:
    logarithm = abs(x).ln()
    return _euler() + logarithm + total, max(size, abs(logarithm), _ONE)


def sine_integral(x: Decimal) -> Found:
    """Si."""
    if not x:
        return 0.0
    z = x.copy_abs()
    return _turned(x < 0, lambda: (_pi() / 2, _ONE) if z.is_infinite() else _sine_integral(z))


def _sine_integral(x: Decimal) -> Sized:
    found = _falling(lambda k: k / x) if x > 60 else None
    if found is not None:
        f, g = _turning(found[0])
        sine, cosine = _waves(x)
        return _pi() / 2 - (f * cosine + g * sine) / x, _ONE
    square = x * x
    # (-1)^k x^(2k+1)/((2k+1)(2k+1)!)
    return _summed(x, lambda k: -square * (2 * k - 1) / (2 * k * (2 * k + 1) ** 2))


def cosine_integral(x: Decimal) -> Found:
    """Ci of a positive number."""
    if not x > 0:
        return nan if x else -inf
    return 0.0 if x.is_infinite() else lambda: _cosine_integral(x)


def _cosine_integral(x: Decimal) -> Sized:
    found = _falling(lambda k: k / x) if x > 60 else None
    if found is not None:
        f, g = _turning(found[0])
        sine, cosine = _waves(x)
        return (f * sine - g * cosine) / x, 1 / x
    square = x * x
    total, size = _harmonic_series(x, lambda k: -square / ((2 * k - 1) * 2 * k), 2)
    return _with_logarithm(x, total, size)


# --- inverses (DLMF 7.17, 4.13) ---------------------------------------------------------------------------------------


def erf_inverse(y: Decimal) -> Found:
    """What has this error function."""
    if not -1 < y < 1:
        return nan if abs(y) > 1 else inf if y > 0 else -inf
    return _turned(y < 0, lambda: _inverse_of_erf(y.copy_abs())) if y else 0.0


def erfc_inverse(y: Decimal) -> Found:
    """What has this complementary error function."""
    if not 0 < y < 2:
        return nan if y < 0 or y > 2 else inf if y < 1 else -inf
    if y == 1:
        return 0.0
    if y < 1:
        return lambda: _inverse_of_erf(_exactly_one_less(y), y)
    return _turned(
        True,
        lambda: _inverse_of_erf(_exactly_one_less(y).copy_abs(), _exactly_one_less(_exactly_one_less(y).copy_abs())),
    )


def normal_quantile(p: Decimal) -> Found:
    """What this share of a standard normal distribution lies below."""
    if not 0 < p < 1:
        return nan if p < 0 or p > 1 else inf if p else -inf
    with localcontext(_context(getcontext().prec + len(p.as_tuple().digits))):
        found = _turned(True, erfc_inverse(2 * p))
    if not callable(found):
        return found
    compute = found

    def widened() -> Sized:
        value, size = compute()
        root = Decimal(2).sqrt()
        return value * root, size * root

    return widened


def _exactly_one_less(y: Decimal) -> Decimal:
    """1 - y, of which no digit is lost that the number has."""
    with localcontext(_context(2 * getcontext().prec + len(y.as_tuple().digits))):
        return 1 - y


def _inverse_of_erf(y: Decimal, rest: Decimal | None = None) -> Sized:
    """The positive number with this error function, by Newton's method; `rest` is what is left to 1."""
    rest = 1 - y if rest is None else rest
    root = _pi().sqrt()
    if y < Decimal("0.5"):
        z = y * root / 2
        for _ in range(12):
            step = (y - _erf(z)) * root / 2 * (z * z).exp()
            z += step
            if step.adjusted() < z.adjusted() - getcontext().prec // 2 - 3:
                break
        return z, z
    level = -rest.ln()
    z = max((level - (level * 4).ln() / 2), Decimal("0.2")).sqrt()
    for _ in range(40):  # on the logarithm, which is nearly a parabola
        found = _erfc(z)
        step = (found / rest).ln() * found * root / 2 * (z * z).exp()
        z += step
        if step.adjusted() < z.adjusted() - getcontext().prec // 2 - 3:
            break
    return z, z


def _erf(z: Decimal) -> Decimal:
    square = 2 * z * z
    total, _ = _summed(z, lambda k: square / (2 * k + 1), int(z * z) + 1)
    return 2 * total * (-z * z).exp() / _pi().sqrt()


def _erfc(z: Decimal) -> Decimal:
    found = _falling(lambda k: -(2 * k - 1) / (2 * z * z)) if z > 6 else None
    if found is not None:
        return (-z * z).exp() / (z * _pi().sqrt()) * sum(found[0])
    with localcontext(_context(getcontext().prec + int(z * z * Decimal("0.44")) + 3)):
        return 1 - _erf(z)


def lambert_w(x: Decimal) -> Found:
    """The principal branch of the inverse of w exp(w); at the double next to -1/e it is -1."""
    if x == _LEAST_OF_W:
        return -1.0
    if not x or x.is_infinite():
        return 0.0 if not x else inf if x > 0 else nan
    return nan if x < _LEAST_OF_W else lambda: _lambert(x)


_LEAST_OF_W = Decimal.from_float(-0.36787944117144233)


def _lambert(x: Decimal) -> Sized:
    if x < Decimal("-0.25"):
        p = (2 * (x * _ONE.exp() + 1)).sqrt()
        if p.is_nan():
            return p, _ONE
        w = -1 + p * (1 - p / 3 + 11 * p * p / 72)
    elif x < 3:
        w = (1 + x).ln() if x.adjusted() > -5 else x
        w = w * (1 - (1 + w).ln() / (2 + w)) if x > 0 else w
    else:
        w = x.ln() - x.ln().ln()
    for _ in range(60):  # after Halley
        power = w.exp()
        off = w * power - x
        slope = power * (w + 1)
        step = off / (slope - (w + 2) * off / (2 * w + 2))
        w -= step
        if not step or step.adjusted() < w.adjusted() - getcontext().prec + 4 or (w + 1).is_zero():
            break
    return w, max(abs(w), _ONE if x < 0 and (w + 1).adjusted() < 0 else abs(w))
