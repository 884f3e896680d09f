"""Functions in decimals: computed in as many decimal digits as needed, because sums and products of doubles would not
be accurate enough. A function of the table takes decimals that are not nan, and returns a float, or a function of no
arguments that computes (value, size of the largest number that was added up for it) to the digits of the context.

Digits lost by cancellation are made up for by a higher precision, so that the rounded result is accurate to little more
than half a unit in the last place, also next to zeros and for large arguments. Power series about 0, asymptotic series,
and Newton's method for inverses: chapters 4, 6, 7, 9 and 10 of the DLMF.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, getcontext, localcontext
from fractions import Fraction
from functools import lru_cache, partial

from ..typings import TypeAlias

# A value and the largest size of a term in its sum; a function that computes both with the digits of the context.
Sized: TypeAlias = tuple[Decimal, Decimal]
Computation: TypeAlias = Callable[[], Sized] | float

nan, inf = math.nan, math.inf
FAR = 1_000_000  # from here on what grows or falls as exp(x) is infinite or nothing
HIGHEST = 200  # the highest order of a function, derivatives included
DOUBLE = 19  # digits that a double is rounded from
_MORE, _MOST = 12, 4_000  # digits tried beyond those requested at first, and the most that are ever tried
ZERO, ONE = Decimal(0), Decimal(1)


def round_correctly(function: Callable[..., Computation], *arguments: Decimal, digits: int = DOUBLE) -> Decimal:
    """Return `function` of the arguments with at least `digits` correct digits; nan if an argument is nan.

    `function` is one of `decimals`, `bessel` or `gamma_family`: it returns a float, which is taken exactly, or a
    function without arguments that computes (value, size of its largest term) at the precision of the context. The
    precision is raised by the digits lost to cancellation until it suffices, or up to `_MOST` (4000) digits. A value
    that is nan or infinite, or 0 with the size 0, is returned as it is. More digits than `digits` may be returned.
    """
    if any(x.is_nan() for x in arguments):
        return Decimal(nan)
    with localcontext(context(digits + _MORE)):
        computation = function(*arguments)
    if not callable(computation):
        return Decimal(computation)
    precision = digits + _MORE
    while True:
        with localcontext(context(precision)):
            value, size = computation()
        if not value.is_finite() or not (value or size):
            return value
        if not value and precision < _MOST:  # all digits are lost
            precision = min(2 * precision, _MOST)
            continue
        digits_lost = max(size.adjusted() - value.adjusted(), 0)
        if precision - digits_lost >= digits + 3 or precision >= _MOST:
            return value
        precision = min(max(digits_lost + digits + _MORE, precision + 10), _MOST)


def whole_order(n: Decimal) -> int | None:
    """Return the order as an int if it is a whole number within ±HIGHEST (200), else None."""
    return int(n) if abs(n) <= HIGHEST and n == n.to_integral_value() else None


def context(digits: int) -> Context:
    """Return a decimal context with that many digits, the widest range of exponents and no exceptions."""
    return Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])


def scaled(result: Computation, factor: Callable[[], Decimal]) -> Computation:
    """Return `result` times `factor()`, a number that is not 0: a float if `result` is one, else a function of no
    arguments that computes (value, size) times it in the precision of the context, the size times its absolute value.
    """
    if not callable(result):
        return result * float(factor())
    compute = result

    def scale() -> Sized:
        (value, size), number = compute(), factor()
        return value * number, size * abs(number)

    return scale


def negate_if(negative: bool, result: Computation) -> Computation:
    """Return `result` negated if `negative` is true, else `result` itself."""
    return scaled(result, lambda: -ONE) if negative else result


# --- constants, to the digits in force --------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _pi_to(digits: int) -> Decimal:
    """Return pi to at least this number of digits, by arithmetic and geometric means (Brent and Salamin 1976)."""
    with localcontext(context(digits + 10)):
        a, b, t, p = ONE, ONE / Decimal(2).sqrt(), Decimal("0.25"), 1
        while abs(a - b) > ONE.scaleb(-digits - 5):
            mean = (a + b) / 2
            a, b, t, p = mean, (a * b).sqrt(), t - p * (a - mean) ** 2, 2 * p
        return (a + b) ** 2 / (4 * t)


@lru_cache(maxsize=64)
def _euler_to(digits: int) -> Decimal:
    """Return Euler's constant to at least this number of digits, by a quotient of series of Bessel functions (Brent and
    McMillan 1980).
    """
    with localcontext(context(digits + 20)):
        n = int(digits * 0.6) + 4
        a = -Decimal(n).ln()
        b, top, bottom, k = ONE, a, ONE, 0
        while abs(b) > ONE.scaleb(-digits - 10) or k < n:
            k += 1
            b = b * n * n / (k * k)
            a = (a * n * n / k + b) / k
            top, bottom = top + a, bottom + b
        return top / bottom


@lru_cache(maxsize=64)
def airy_at_zero(digits: int) -> tuple[Decimal, Decimal]:
    """Return (Ai(0), -Ai'(0)), both positive, to at least this number of digits, from gamma(1/3) as an elliptic
    integral (Borwein and Zucker 1992).
    """
    with localcontext(context(digits + 10)):
        pi, third = _pi_to(digits + 10), ONE / 3
        a, b = ONE, (2 + Decimal(3).sqrt()).sqrt() / 2
        while abs(a - b) > ONE.scaleb(-digits - 5):
            a, b = (a + b) / 2, (a * b).sqrt()
        gamma = Decimal(2) ** (Decimal(7) / 9) * (pi * pi / (2 * a)) ** third / Decimal(3) ** (ONE / 12)
        other = 2 * pi / (Decimal(3).sqrt() * gamma)
        return 1 / (Decimal(3) ** (2 * third) * other), 1 / (Decimal(3) ** third * gamma)


def pi() -> Decimal:
    return +_pi_to(getcontext().prec)


def euler() -> Decimal:
    return +_euler_to(getcontext().prec)


def sine_and_cosine(x: Decimal) -> tuple[Decimal, Decimal]:
    """Return (sine, cosine) of x radians, accurate to as many digits after the point as the context has.

    A large `x` is reduced by quarter turns, with more digits by as many as `x` has before the point. A sine near 0 has
    all its digits if `x` itself is near 0; near other multiples of π it has fewer.
    """
    digits = getcontext().prec
    with localcontext(context(digits + max(x.adjusted(), 0) + 5)):
        quarter = _pi_to(getcontext().prec) / 2
        turns = (x / quarter).to_integral_value()
        rest = x - turns * quarter
        turn = int(turns % 4)
    halvings = 8  # so that a short series does
    with localcontext(context(digits + 10)):
        t = rest / 2**halvings
        square = t * t
        # 1 - cos, which keeps its digits when the angle is doubled: 2 v (2 - v)
        versed, _ = sum_series(square / 2, lambda k: -square / ((2 * k + 1) * (2 * k + 2)))
        for _ in range(halvings):
            versed = 2 * versed * (2 - versed)
        cosine = 1 - versed
        sine, _ = sum_series(rest, lambda k: -rest * rest / (2 * k * (2 * k + 1)))
    sine, cosine = +sine, +cosine
    return ((sine, cosine), (cosine, -sine), (-sine, -cosine), (-cosine, sine))[turn]


def sine_and_cosine_of_pi(half_turns: Decimal) -> tuple[Decimal, Decimal]:
    """Return sine and cosine of pi times a number, accurate next to their zeros too; exactly 0 at them."""
    whole = half_turns.to_integral_value()
    part = half_turns - whole
    sine, cosine = (2 * part, ZERO) if 2 * abs(part) == 1 else sine_and_cosine(pi() * part)
    return (-sine, -cosine) if whole % 2 else (sine, cosine)


@lru_cache(maxsize=16)
def _bernoulli(count: int) -> list[Fraction]:
    """Return the first `count` Bernoulli numbers with even indices, from B2 on, by the numbers of tangents (Brent and
    Harvey 2013). Cached: the list must not be changed.
    """
    tangents = [0, 1, *[0] * (count - 1)]
    for k in range(2, count + 1):
        tangents[k] = (k - 1) * tangents[k - 1]
    for k in range(2, count + 1):
        for j in range(k, count + 1):
            tangents[j] = (j - k) * tangents[j - 1] + (j - k + 2) * tangents[j]
    return [Fraction((-1) ** (k - 1) * 2 * k * tangents[k], 4**k * (4**k - 1)) for k in range(1, count + 1)]


def reciprocal_gamma(x: Decimal) -> Decimal:
    """Return 1/gamma(x), exactly 0 at its poles (0, -1, -2, …), to the digits of the context.

    By Stirling's series after a shift, and by reflection for x ≤ 0 (DLMF 5.5.1, 5.5.3, 5.11.1).
    """
    return _reciprocal_gamma(x, getcontext().prec)


@lru_cache(maxsize=256)
def _reciprocal_gamma(x: Decimal, digits: int) -> Decimal:
    """Return 1/gamma(x) to the digits of the context, which are `digits`; exactly 0 at its poles (0, -1, -2, …).

    By Stirling's series after a shift, and by reflection for x ≤ 0 (DLMF 5.5.1, 5.5.3, 5.11.1). Cached.
    """
    if x <= 0:
        sine, _ = sine_and_cosine_of_pi(x)
        return sine / (pi() * reciprocal_gamma(1 - x)) if sine else ZERO
    with localcontext(context(digits + 15 + digits // 4)):
        product, total = stirling(x)
        return product * (-total).exp()


def stirling(x: Decimal) -> Sized:
    """Return (x(x+1)…(z-1), log gamma(z)) for the first z = x + n that is large enough for Stirling's series, to the
    digits of the context; x > 0.

    So gamma(x) is exp(log gamma(z)) divided by the first number.
    """
    digits = getcontext().prec
    product, z = ONE, x
    while z < digits // 2 + 10:
        product *= z
        z += 1
    total = (z - ONE / 2) * z.ln() - z + (2 * pi()).ln() / 2
    for term in stirling_terms(-1, z):
        total += term
        if not term or term.adjusted() < -digits - 12:
            break
    return product, total


def stirling_terms(n: int, z: Decimal) -> Iterator[Decimal]:
    """Yield B(2k)/(2k)·(2k + n - 1)!/((2k - 1)!·z^(2k + n)) for k = 1, 2, …, to the digits of the context; n ≥ -1.

    They are the terms of Stirling's series for n = -1, else those of polygamma of order n (DLMF 5.11.1, 5.15.8). There
    are at least 20 more of them than half the digits of the context.
    """
    step = 1 / (z * z)
    factor = math.factorial(n + 1) / z ** (n + 2)
    for k, quotient in enumerate(_bernoulli_quotients(getcontext().prec), 1):
        yield quotient * factor
        factor *= step * ((2 * k + n) * (2 * k + n + 1)) / (2 * k * (2 * k + 1))


@lru_cache(maxsize=32)
def _bernoulli_quotients(digits: int) -> list[Decimal]:
    """Return B(2k)/(2k) for k = 1, 2, … to at least `digits` / 2 + 20 (to the next multiple of 64), to the digits of
    the context, which are `digits`.
    """
    numbers = enumerate(_bernoulli(-(-(digits // 2 + 20) // 64) * 64), 1)
    return [Decimal(number.numerator) / (number.denominator * 2 * k) for k, number in numbers]


# --- series -----------------------------------------------------------------------------------------------------------


def sum_series(first: Decimal, ratio: Callable[[int], Decimal], growing: int = 0) -> Sized:
    """Return (sum, largest size of a term) of a series that begins with `first`; each term is `ratio(k)` times the
    previous one, from k = 1.

    Summation stops at a term 0, or at a term behind number `growing` that is too small, next to the largest one, for
    the precision of the context; terms up to that number may be small and grow again.
    """
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


def asymptotic_terms(ratio: Callable[[int], Decimal]) -> tuple[list[Decimal], Decimal] | None:
    """Return (terms, largest size of a term) of an asymptotic series that begins with 1, up to the first one that no
    longer counts, included.

    Each term is `ratio(k)` times the previous one, from k = 1. None after 20,000 terms, or if before that a term, from
    the second `ratio` on, is not smaller than the previous one while the next ratio is larger still; terms that grow at
    first, by falling ratios, are allowed.
    """
    terms, term, size = [ONE], ONE, ONE
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


def alternating_sums(terms: list[Decimal]) -> Sized:
    """Return (t0 - t2 + t4 - …, t1 - t3 + t5 - …) of the terms t0, t1, …."""
    signed = [-t if k % 4 > 1 else t for k, t in enumerate(terms)]
    return sum(signed[::2], ZERO), sum(signed[1::2], ZERO)


# --- integrals (DLMF 6.6, 6.12) ---------------------------------------------------------------------------------------


def exponential_integral(x: Decimal) -> Computation:
    """Return the exponential integral Ei; -inf at 0, and inf or -0.0 beyond ±FAR (10^6)."""
    if not x:
        return -inf
    if abs(x) > FAR:
        return inf if x > 0 else -0.0
    return lambda: _exponential_integral(x)


def _exponential_integral(x: Decimal) -> Sized:
    """Return the exponential integral Ei of x, not 0, as (value, size of the largest term).

    By the asymptotic series beyond ±60 if it converges, else by the power series.
    """
    asymptotic = asymptotic_terms(lambda k: k / x) if abs(x) > 60 else None
    if asymptotic is not None:
        scale = x.exp() / x
        return scale * sum(asymptotic[0]), abs(scale) * asymptotic[1]
    return _harmonic_series(x, lambda k: x / k, 1)


def _harmonic_series(x: Decimal, ratio: Callable[[int], Decimal], step: int) -> Sized:
    """Return Euler's constant + log|x| + the sum over k from 1 of t(k)/(step*k), as (value, size of the largest term),
    with t(0) = 1 and t(k) = t(k - 1)*ratio(k); the terms fall once k is above the size of x.
    """
    total, size = sum_series(ratio(1) / step, lambda k: ratio(k + 1) * k / (k + 1), int(abs(x)))
    logarithm = abs(x).ln()
    return euler() + logarithm + total, max(size, abs(logarithm), ONE)


def sine_integral(x: Decimal) -> Computation:
    """Return the sine integral Si, for any `x`; ±pi/2 at ±inf."""
    if not x:
        return 0.0
    z = x.copy_abs()
    return negate_if(x < 0, lambda: (pi() / 2, ONE) if z.is_infinite() else _sine_integral(z))


def _sine_integral(x: Decimal) -> Sized:
    """Return the sine integral Si of x > 0, as (value, size of the largest term).

    By the asymptotic series above 60 if it converges, else by the power series.
    """
    far = _far_integrals(x)
    if far is not None:
        return pi() / 2 - far[0], ONE
    square = x * x
    # (-1)^k x^(2k+1)/((2k+1)(2k+1)!)
    return sum_series(x, lambda k: -square * (2 * k - 1) / (2 * k * (2 * k + 1) ** 2))


def _far_integrals(x: Decimal) -> tuple[Decimal, Decimal] | None:
    """Return (pi/2 - Si(x), Ci(x)) for x > 60 by the asymptotic series.

    None for 60 and below, or if the series diverges before the digits are reached.
    """
    asymptotic = asymptotic_terms(lambda k: k / x) if x > 60 else None
    if asymptotic is None:
        return None
    f, g = alternating_sums(asymptotic[0])
    sine, cosine = sine_and_cosine(x)
    return (f * cosine + g * sine) / x, (f * sine - g * cosine) / x


def cosine_integral(x: Decimal) -> Computation:
    """Return the cosine integral Ci; nan for negative numbers, -inf at 0, 0.0 at inf."""
    if not x > 0:
        return nan if x else -inf
    return 0.0 if x.is_infinite() else lambda: _cosine_integral(x)


def _cosine_integral(x: Decimal) -> Sized:
    """Return the cosine integral Ci of x > 0, as (value, size of the largest term).

    By the asymptotic series above 60 if it converges, else by the power series.
    """
    far = _far_integrals(x)
    if far is not None:
        return far[1], 1 / x
    square = x * x
    return _harmonic_series(x, lambda k: -square / ((2 * k - 1) * 2 * k), 2)


# --- inverses (DLMF 7.17, 4.13) ---------------------------------------------------------------------------------------


def erf_inverse(y: Decimal) -> Computation:
    """Return the number whose error function is y; ±inf at ±1, nan beyond."""
    if not -1 < y < 1:
        return nan if abs(y) > 1 else inf if y > 0 else -inf
    return negate_if(y < 0, lambda: _inverse_of_erf(y.copy_abs())) if y else 0.0


def erfc_inverse(y: Decimal) -> Computation:
    """Return a function of no arguments that computes the number whose erfc is `y`, as (value, size of its terms).

    Floats are returned directly: inf at 0, 0.0 at 1, -inf at 2, nan outside.
    """
    if not 0 < y < 2:
        return nan if y < 0 or y > 2 else inf if y < 1 else -inf
    if y > 1:
        return negate_if(True, erfc_inverse(_exact_complement(_exact_complement(y).copy_abs())))
    return 0.0 if y == 1 else lambda: _inverse_of_erf(_exact_complement(y), y)


def normal_quantile(p: Decimal) -> Computation:
    """Return the quantile of the standard normal distribution for the probability `p`, or a function of no arguments
    that computes it as (value, size).

    -inf at 0, -0.0 at 1/2, inf at 1, nan outside.
    """
    if not 0 < p < 1:
        return nan if p < 0 or p > 1 else inf if p else -inf
    with localcontext(context(getcontext().prec + len(p.as_tuple().digits))):
        return scaled(erfc_inverse(2 * p), lambda: -Decimal(2).sqrt())


def _exact_complement(y: Decimal) -> Decimal:
    """Return 1 - `y` without losing a digit of `y`."""
    with localcontext(context(2 * getcontext().prec + len(y.as_tuple().digits))):
        return 1 - y


def _inverse_of_erf(y: Decimal, rest: Decimal | None = None) -> Sized:
    """Return the positive number z with erf(z) = y, for 0 < y < 1, by Newton's method, as (value, size): (z, z).

    `rest` is 1 - y if it is known more accurately (None: it is computed from y); it is needed for y near 1.
    """
    rest = 1 - y if rest is None else rest
    root = pi().sqrt()
    is_small = y < Decimal("0.5")
    if is_small:
        z = y * root / 2
    else:
        level = -rest.ln()
        z = max((level - (level * 4).ln() / 2), Decimal("0.2")).sqrt()
    for _ in range(40):
        if is_small:
            missing = y - _erf(z)
        else:  # on the logarithm, which is nearly a parabola
            tail = _erfc(z)
            missing = (tail / rest).ln() * tail
        step = missing * root / 2 * (z * z).exp()
        z += step
        if step.adjusted() < z.adjusted() - getcontext().prec // 2 - 3:
            break
    return z, z


def _erf(z: Decimal) -> Decimal:
    square = 2 * z * z
    total, _ = sum_series(z, lambda k: square / (2 * k + 1), int(z * z) + 1)
    return 2 * total * (-z * z).exp() / pi().sqrt()


def _erfc(z: Decimal) -> Decimal:
    """Return erfc(z) for positive z: by the asymptotic series above 6 if it converges, else 1 - erf(z) with more
    digits.
    """
    asymptotic = asymptotic_terms(lambda k: -(2 * k - 1) / (2 * z * z)) if z > 6 else None
    if asymptotic is not None:
        return (-z * z).exp() / (z * pi().sqrt()) * sum(asymptotic[0])
    with localcontext(context(getcontext().prec + int(z * z * Decimal("0.44")) + 3)):
        return 1 - _erf(z)


def _lambert_w(x: Decimal, *, below: bool) -> Computation:
    """Return the inverse of w·exp(w) at `x`, or a function of no arguments that computes it as (value, size): the
    branch with w ≤ -1 if `below`, else the principal one.

    Both are -1.0 at the double next to -1/e (_LEAST_OF_W) and nan left of it. At 0 the principal one is 0.0, at inf
    inf; the other one is -inf at 0 and nan above.
    """
    if x == _LEAST_OF_W:
        return -1.0
    if not x:
        return -inf if below else 0.0
    if x < _LEAST_OF_W or (below and x > 0):
        return nan
    return inf if x.is_infinite() else lambda: _lambert(x, below)


lambert_w, lambert_w_below = partial(_lambert_w, below=False), partial(_lambert_w, below=True)
_LEAST_OF_W = Decimal.from_float(-0.36787944117144233)


def _lambert(x: Decimal, below: bool) -> Sized:
    """Return W(x) as (value, size of the largest term), of the branch with W ≤ -1 if `below`, else the principal one.

    By Halley's method, from a series about -1/e or logarithms as a first value (DLMF 4.13.6, 4.13.11). nan below -1/e;
    `below` needs x < 0. The size is |W|, but at least 1 where -2 < W < 0 (x < 0), because digits are lost near -1/e.
    """
    if x < Decimal("-0.25"):
        p = (2 * (x * ONE.exp() + 1)).sqrt()
        p = -p if below else p
        w = -1 + p * (1 - p / 3 + 11 * p * p / 72)
    elif below:
        w = (-x).ln() - (-(-x).ln()).ln()
    elif x < 3:
        w = (1 + x).ln() if x.adjusted() > -5 else x
        w = w * (1 - (1 + w).ln() / (2 + w)) if x > 0 else w
    else:
        w = x.ln() - x.ln().ln()
    for _ in range(60):  # after Halley
        power = w.exp()
        residual = w * power - x
        slope = power * (w + 1)
        step = residual / (slope - (w + 2) * residual / (2 * w + 2))
        w -= step
        if not step or step.adjusted() < w.adjusted() - getcontext().prec + 4 or (w + 1).is_zero():
            break
    return w, max(abs(w), ONE if x < 0 and (w + 1).adjusted() < 0 else abs(w))
