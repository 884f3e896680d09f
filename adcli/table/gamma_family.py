"""The gamma family: relatives of the gamma function, computed as in `decimals`: chapters 5, 7, 8 and 25 of the DLMF. A
function returns a float, or a function of no arguments that computes (value, size of the largest term) to the digits of
the decimal context.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from decimal import Decimal, getcontext, localcontext
from functools import lru_cache, partial

from .decimals import (
    FAR,
    HIGHEST,
    ONE,
    ZERO,
    Computation,
    Sized,
    asymptotic_terms,
    context,
    euler,
    pi,
    reciprocal_gamma,
    sine_and_cosine_of_pi,
    stirling,
    stirling_terms,
    sum_series,
    whole_order,
)

nan, inf = math.nan, math.inf
LARGEST = 1_000_000  # the largest first argument of the incomplete gamma functions
LEAST = -1000  # the least argument of polygamma, whose recurrence takes one step for each unit
_LEFT = -300  # from here on to the left Hermite functions of negative order have too many terms
_FALLEN = 1_000_000_000  # where gamma densities are 0
_EXACT = context(5000)  # in which a sum of two doubles has no rounding


def _log_gamma(x: Decimal) -> Decimal:
    """Return log gamma(x) of x > 0, with an error of a unit in the last digit of its largest term."""
    product, total = stirling(x)
    return total - product.ln()


def _digits_before_point(*numbers: Decimal) -> int:
    """Return the digits before the point of the largest of these numbers, and some more for a logarithm of it."""
    return max(0, *(x.adjusted() for x in numbers)) + 8


# --- Hermite functions, and the scaled error function among them (DLMF 7.18, 18.5) ------------------------------------


def hermite(order: Decimal, x: Decimal) -> Computation:
    """Return the Hermite function of a whole order at `x`, or a function of no arguments that computes it as (value,
    size of its terms).

    It is a polynomial for orders from 0 on, and exp(x²) times a repeated integral of erfc for negative orders. nan for
    orders that are not whole or beyond ±HIGHEST (200), for negative orders at x below -300, and for a positive order at
    -inf. At +inf it is inf for positive orders, 1 for order 0 and 0 for negative ones.
    """
    n = whole_order(order)
    if n is None or (n < 0 and x < _LEFT) or (x.is_infinite() and n > 0 > x):
        return nan
    if x.is_infinite() or n == 0:
        return inf if n > 0 else 0.0 if n < 0 else 1.0
    return lambda: _hermite_polynomial(n, x) if n > 0 else _hermite_function(-n, x)


def _hermite_polynomial(n: int, x: Decimal) -> Sized:
    """Return the Hermite polynomial of order n ≥ 1 at `x`, as (value, size of the largest term)."""
    if not x:
        value = ZERO if n % 2 else Decimal((-1) ** (n // 2) * math.factorial(n) // math.factorial(n // 2))
        return value, abs(value)
    square = 4 * x * x
    return sum_series((2 * x) ** n, lambda k: -(n - 2 * k + 2) * (n - 2 * k + 1) / (k * square), n)


def _hermite_function(p: int, x: Decimal) -> Sized:
    """Return the Hermite function of order -p, p ≥ 1, as (value, size of the largest term): by the asymptotic series
    above 6 if it converges, else by power series.
    """
    square = 4 * x * x
    asymptotic = asymptotic_terms(lambda k: -(p + 2 * k - 2) * (p + 2 * k - 1) / (k * square)) if x > 6 else None
    if asymptotic is not None:
        scale = (2 * x) ** -p
        return scale * sum(asymptotic[0]), scale * asymptotic[1]
    growing, factor = int(x * x) + 1, 2 * math.factorial(p - 1)
    even, size = sum_series(ONE, lambda j: square * (p + 2 * j - 2) / (2 * (2 * j - 1) * 2 * j), growing)
    odd, other = sum_series(2 * x, lambda j: square * (p + 2 * j - 1) / (2 * 2 * j * (2 * j + 1)), growing)
    a, b = 1 / (reciprocal_gamma(Decimal(p) / 2) * factor), 1 / (reciprocal_gamma(Decimal(p + 1) / 2) * factor)
    return a * even - b * odd, max(a * size, b * other)


def scaled_erfc(x: Decimal) -> Computation:
    """Return exp(x²)·erfc(x), or a function that computes it as (value, size); inf for x below -300, 0.0 at infinity.

    For negative x it is 2·exp(x²) minus the value at -x.
    """
    if x < _LEFT:
        return inf
    if x.is_infinite():
        return 0.0

    def compute() -> Sized:
        value, size = _times(2 / pi().sqrt(), _hermite_function(1, abs(x)))
        if x >= 0:
            return value, size
        with localcontext(context(getcontext().prec + _digits_before_point(x * x))):
            value = 2 * (x * x).exp() - value
        return value, max(value, size)

    return compute


def _times(factor: Decimal, sized: Sized) -> Sized:
    """Return (value, size) times `factor`; the size times its absolute value."""
    return factor * sized[0], abs(factor) * sized[1]


# --- exponential integrals and incomplete gamma functions (DLMF 8.7, 8.9, 8.19) ---------------------------------------


def _continued_fraction(n: Decimal, x: Decimal) -> Decimal:
    """Return exp(x)·E of order `n` at `x` by its continued fraction (DLMF 8.19.17), to the digits of the context.

    It must be used for x well above 0 and above -n only: elsewhere it may never return.
    """
    b = x + n
    c, d = Decimal(inf), 1 / b
    h, k = d, 0
    least = ONE.scaleb(-getcontext().prec)
    while True:
        k += 1
        a = -k * (n - 1 + k)
        b += 2
        d = 1 / (a * d + b)
        c = b + a / c
        h *= c * d
        if abs(c * d - 1) <= least:
            return h


def generalized_exponential_integral(order: Decimal, x: Decimal) -> Computation:
    """Return the exponential integral E of a real order; nan unless x is positive and the order is between ±200, 0.0
    for x above 1000000.
    """
    if not (abs(order) <= HIGHEST and x > 0):
        return nan
    return 0.0 if x > FAR else lambda: _exponential_integral(order, x)


def _exponential_integral(n: Decimal, x: Decimal) -> Sized:
    """Return the exponential integral E of order `n`, any real number, at x > 0, as (value, size of the largest term).

    It is a finite sum for whole n ≤ 0, the continued fraction for x above max(-n, 0) + the precision, else a power
    series, with a logarithm for whole n.
    """
    if n <= 0 and n == n.to_integral_value():
        total, size = sum_series(ONE, lambda k: (-n - k + 1) / x, int(-n))
        return _times((-x).exp() / x, (total, size))
    if x > max(-n, ZERO) + getcontext().prec:
        value = (-x).exp() * _continued_fraction(n, x)
        return value, value
    if n != n.to_integral_value():
        first = x ** (n - 1) / reciprocal_gamma(1 - n)
        total, size = _sum_without(x, 1 - n, -1)
        return first - total, max(abs(first), size)
    m = int(n) - 1
    logarithm = x.ln()
    harmonic = sum((ONE / j for j in range(1, m + 1)), ZERO) - euler()
    scale = (-x) ** m / math.factorial(m) if m else ONE
    total, size = _sum_without(x, Decimal(-m), m)
    return scale * (harmonic - logarithm) - total, max(size, abs(scale * logarithm), abs(scale * harmonic), abs(scale))


def _sum_without(x: Decimal, shift: Decimal, skipped_term: int) -> Sized:
    """Return (sum, largest size of a part) of (-x)^k/(k!·(k + shift)) over k ≥ 0.

    The term k = `skipped_term` is left out (-1: none). The sum ends when parts are below the precision of the context.
    """
    power, total, size, k = ONE, ZERO, ZERO, 0
    least = getcontext().prec + 3
    while True:
        if k != skipped_term:
            part = power / (k + shift)
            total += part
            size = max(size, abs(part))
            if not part or (k > x and k > -shift and part.adjusted() < size.adjusted() - least):
                return total, size
        k += 1
        power = -power * x / k


def first_exponential_integral(x: Decimal) -> Computation:
    """Return the exponential integral E of order 1; nan unless x is positive, inf at 0."""
    return generalized_exponential_integral(ONE, x) if x else inf


def _in_gamma_domain(a: Decimal, x: Decimal) -> bool:
    """Return whether the gamma distribution is computed here: shape 0 < a ≤ LARGEST (1000000) and x ≥ 0."""
    return 0 < a <= LARGEST and x >= 0


def gamma_density(a: Decimal, x: Decimal) -> Computation:
    """Return x^(a-1)·exp(-x)/gamma(a), the density of the gamma distribution; nan unless 0 < a ≤ 1000000 and x ≥ 0.

    A float at 0 (inf for a < 1, 1.0 for a = 1, else 0.0) and above _FALLEN (10^9: 0.0).
    """
    if not _in_gamma_domain(a, x):
        return nan
    if not x:
        return inf if a < 1 else 1.0 if a == 1 else 0.0
    return 0.0 if x > _FALLEN else lambda: (_density(a, x),) * 2


def _density(a: Decimal, x: Decimal) -> Decimal:
    """Return the density x^(a-1)·exp(-x)/gamma(a) of the gamma distribution at x > 0.

    By the factorial if `a` is whole and at most 100, else by its logarithm in more digits.
    """
    with localcontext(context(getcontext().prec + _digits_before_point(a, x))):
        if a <= 100 and a == a.to_integral_value():
            return x ** (a - 1) * (-x).exp() / math.factorial(int(a) - 1)
        return ((a - 1) * x.ln() - x - _log_gamma(a)).exp()


def _regularized_gamma(a: Decimal, x: Decimal, *, upper: bool) -> Computation:
    """Return the regularized incomplete gamma function P, or Q = 1 - P if `upper`; nan unless 0 < a ≤ 1000000 and
    x ≥ 0. P is 0.0 at x = 0 and 1.0 above _FALLEN (10^9), Q the reverse.
    """
    if not _in_gamma_domain(a, x):
        return nan
    return (lambda: _incomplete_gamma(a, x, upper)) if 0 < x <= _FALLEN else float((x == 0) is upper)


lower_gamma, upper_gamma = partial(_regularized_gamma, upper=False), partial(_regularized_gamma, upper=True)


def _incomplete_gamma(a: Decimal, x: Decimal, upper: bool) -> Sized:
    """Return the regularized incomplete gamma function at x > 0 as (value, size): Q(a, x) if `upper`, else P(a, x).

    Up to x = a + precision P is computed by its power series, beyond that Q by its continued fraction; the other one is
    1 minus it.
    """
    scale = x * _density(a, x)
    if far := x > a + getcontext().prec:
        part = scale * _continued_fraction(1 - a, x) if scale else ZERO
    else:
        part = scale / a * sum_series(ONE, lambda k: x / (a + k), max(int(x - a), 0))[0]
    return (part, part) if upper == far else (1 - part, ONE)


# --- beta function, binomial coefficients and differences of polygamma (DLMF 5.12, 1.2.6, 5.15) ----------------------


def beta(a: Decimal, b: Decimal) -> Computation:
    """Return gamma(a)·gamma(b)/gamma(a + b); nan unless both arguments are positive and finite."""
    if not (a > 0 and b > 0 and a.is_finite() and b.is_finite()):
        return nan
    return lambda: _exponential(lambda: _log_beta(a, b)[0], a, b)


def _exponential(logarithm: Callable[[], Decimal], *arguments: Decimal) -> Sized:
    """Return exp(logarithm()), computed with as many more digits as the logarithm may have before its point."""
    with localcontext(context(getcontext().prec + _digits_before_point(*arguments))):
        value = logarithm().exp()
    return value, value


def log_beta(a: Decimal, b: Decimal) -> Computation:
    """Return the logarithm of the beta function; nan unless both arguments are positive and finite."""
    if not (a > 0 and b > 0 and a.is_finite() and b.is_finite()):
        return nan
    return 0.0 if a == b == 1 else lambda: _log_beta(a, b)


def _log_beta(a: Decimal, b: Decimal) -> Sized:
    """Return log(beta(a, b)) for positive `a` and `b` as (value, size of the largest term), from three values of
    log(gamma).

    They are computed with k more digits, as many as `a` and `b` have before the point. The size, in which `a` and `b`
    count as terms, is divided by 10^k, so that it measures the error in the digits of the context. If `a` or `b` is 1,
    the value is -log(a·b), with its own size.
    """
    if a == 1 or b == 1:
        value = -(a * b).ln()
        return value, abs(value)
    digits_lost = _digits_before_point(a, b)
    with localcontext(context(getcontext().prec + digits_lost)):
        parts = _log_gamma(a), _log_gamma(b), -_log_gamma(_EXACT.add(a, b))
        return sum(parts, ZERO), max(*map(abs, parts), abs(a), abs(b)).scaleb(-digits_lost)


def binomial(n: Decimal, k: Decimal) -> Computation:
    """Return a function that computes gamma(n + 1)/(gamma(k + 1)·gamma(n - k + 1)), for real `n` and `k`, as (value,
    size).

    It is the exponential of the logarithms, with those of gamma at negative arguments by reflection. nan itself if an
    argument of one of the three is 0 or a negative whole number, and for infinities.
    """
    if not (n.is_finite() and k.is_finite()):
        return nan
    places = _EXACT.add(n, ONE), _EXACT.add(k, ONE), _EXACT.add(_EXACT.subtract(n, k), ONE)
    if any(x <= 0 and x == x.to_integral_value() for x in places):
        return nan
    parts = list(zip(places, (1, -1, -1), strict=True))

    def logarithm() -> Decimal:
        return sum((sign * _log_gamma(x) if x > 0 else -sign * _log_gamma(1 - x) for x, sign in parts), ZERO)

    def compute() -> Sized:
        factor = ONE
        for x, sign in parts:
            if x < 0:  # by reflection, DLMF 5.5.3
                factor *= (pi() / sine_and_cosine_of_pi(x)[0]) ** sign
        return _times(factor, _exponential(logarithm, n, k))

    return compute


def polygamma_difference(order: Decimal, a: Decimal, b: Decimal) -> Computation:
    """Return a function that computes polygamma(order, a) - polygamma(order, a + b) as (value, size), or the value
    itself.

    nan at poles and below -1000, for infinities, and for orders that are not whole numbers from 0 to 200. 0.0 if b is
    0, or if the difference vanishes by reflection: for even orders, if a and a + b add up to 1 and 2a is whole. Both
    values are computed with k more digits if b is small next to a, and the size is divided by 10^k.
    """
    n = whole_order(order)
    if n is None or n < 0 or not (a.is_finite() and b.is_finite()):
        return nan
    total = _EXACT.add(a, b)
    if any(x < LEAST or (x <= 0 and x == x.to_integral_value()) for x in (a, total)):
        return nan

    def compute() -> Sized:
        digits_lost = max(max(a.adjusted(), total.adjusted()) - b.adjusted(), 0)
        with localcontext(context(getcontext().prec + digits_lost)):
            (left, size), (right, other) = _polygamma(n, a), _polygamma(n, total)
            return left - right, max(size, other).scaleb(-digits_lost)

    is_mirrored = n % 2 == 0 and _EXACT.add(a, total) == 1 and (2 * a) % 1 == 0  # by reflection, DLMF 5.15.6
    return compute if b and not is_mirrored else 0.0


def _polygamma(n: int, x: Decimal) -> Sized:
    """Return polygamma of order n ≥ 0 at `x` as (value, size of the largest term), by the asymptotic series after a
    shift (DLMF 5.15.8, 5.5.2).

    `x` is not a pole; a negative x far from 0 takes many steps.
    """
    digits = getcontext().prec
    z, shifted, size = x, ZERO, ZERO
    while z < digits // 2 + 10 + n:
        part = 1 / z ** (n + 1)
        shifted += part
        size = max(size, abs(part))
        z += 1
    factorial = math.factorial(n)
    total = z.ln() if n == 0 else -factorial / (n * z**n)
    size = max(size * factorial, abs(total))
    total -= factorial / (2 * z ** (n + 1))
    for term in stirling_terms(n, z):
        total -= term
        if not term or term.adjusted() < total.adjusted() - digits - 3:
            break
    value = total - factorial * shifted
    return (value if n % 2 == 0 else -value), size


# --- Riemann's zeta function (Borwein 2000) ---------------------------------------------------------------------------


def zeta(s: Decimal) -> Computation:
    """Return Riemann's zeta function; inf at its pole 1, 0 at -2, -4, …, nan below -200."""
    return zeta_derivative(ZERO, s)


def zeta_derivative(order: Decimal, s: Decimal) -> Computation:
    """Return a function that computes the derivative of Riemann's zeta function of a whole order from 0 to 200 as
    (value, size), or the value itself.

    It is the plain sum for `s` above the precision, else Borwein's algorithm. nan for other orders and below -200. At
    the pole 1 it is infinite, with the sign from the right; at +inf 1 for order 0, else 0; and 0 at the zeros -2, -4, …
    for order 0.
    """
    n = whole_order(order)
    if n is None or n < 0 or s < -HIGHEST:
        return nan
    if s == 1:
        return -inf if n % 2 else inf
    if s.is_infinite() or (n == 0 and s < 0 and s % 2 == 0):
        return 1.0 if s > 0 and n == 0 else 0.0
    return lambda: _zeta_sum(n, s) if s > getcontext().prec else _zeta_series(n, s)


def _zeta_sum(n: int, s: Decimal) -> Sized:
    """Return the derivative of order n by its own series, as (value, its size); 30 terms suffice if s is above the
    precision.
    """
    terms = [(-_log(j, getcontext().prec)) ** n * (-s * _log(j, getcontext().prec)).exp() for j in range(2, 31)]
    total = sum(terms, ZERO if n else ONE)
    return total, abs(total)


@lru_cache(maxsize=4096)
def _log(j: int, digits: int) -> Decimal:
    with localcontext(context(digits + 3)):
        return Decimal(j).ln()


def _powers(s: Decimal, count: int, digits: int) -> list[tuple[Decimal, Decimal]]:
    """Return (log(j), j^-s) for j = 1, …, `count`, in the precision of the context; those of composite numbers are sums
    and products.

    `digits` is the precision of the stored logarithms of primes.
    """
    powers = [(ZERO, ONE)] * (count + 1)
    divisors = [0] * (count + 1)  # 0 marks a prime
    for j in range(2, count + 1):
        if p := divisors[j]:
            (log_p, of_p), (log_rest, of_rest) = powers[p], powers[j // p]
            powers[j] = log_p + log_rest, of_p * of_rest
        else:
            divisors[j * j :: j] = [j] * len(range(j * j, count + 1, j))
            powers[j] = _log(j, digits), (-s * _log(j, digits)).exp()
    return powers[1:]


@lru_cache(maxsize=8)
def _borwein_weights(count: int, digits: int) -> list[Decimal]:
    """Return (-1)^k·(1 - d(k)/d(count)) for k = 0, …, count - 1, to the digits of the context, which are `digits`.

    The integers d are those of Borwein's second algorithm for the zeta function.
    """
    sums, total, term = list[int](), 0, 1  # the term n (n+i-1)! 4^i/((n-i)! (2i)!)
    for i in range(count + 1):
        total += term
        sums.append(total)
        term = term * (count + i) * (count - i) * 4 // ((2 * i + 1) * (2 * i + 2))
    whole = Decimal(total)
    return [(-1) ** k * Decimal(total - part) / whole for k, part in enumerate(sums[:count])]


def _zeta_series(n: int, s: Decimal) -> Sized:
    """Return the derivative of order `n` of zeta at `s` as (value, size of the largest term); s is not 1.

    It is the quotient of Borwein's alternating sum and 1 - 2^(1-s), both as power series about s, with k more digits
    than the context has, more of them near 1. The value is not rounded to the context; the size is divided by 10^k, so
    that it measures the error in the context's digits.
    """
    near = max(0, -(2 ** (1 - s) - 1).adjusted())
    digits = getcontext().prec + (n + 2) * (2 * near + 1) // 2 + int(max(s, ZERO) / 3) + 10
    with localcontext(context(digits)):
        count = int(digits * 1.32) + 2 * int(abs(s)) + n + 10
        logarithms, powers = zip(*_powers(s, count, digits), strict=True)
        terms = [*map(operator.mul, powers, _borwein_weights(count, digits))]
        sums, size = list[Decimal](), ZERO
        for i in range(n + 1):
            below = math.factorial(i)
            sums.append(sum(terms) / ((-1) ** i * below))
            size = max(size, max(map(abs, terms)) / below)
            terms = [*map(operator.mul, terms, logarithms)]
        step = _log(2, digits)
        divisor = [(step * (1 - s)).exp()]
        for i in range(1, n + 1):
            divisor.append(-divisor[-1] * step / i)
        divisor = [1 - divisor[0], *[-x for x in divisor[1:]]]
        quotient = list[Decimal]()
        for i in range(n + 1):
            rest = sum((quotient[j] * divisor[i - j] for j in range(i)), ZERO)
            quotient.append((sums[i] - rest) / divisor[0])
            size = max(size, abs(rest))
        factorial = math.factorial(n)
        digits_lost = digits - getcontext().prec
        return quotient[n] * factorial, (size / abs(divisor[0]) * factorial).scaleb(-digits_lost)
