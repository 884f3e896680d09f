"""Gamma functions that the C library lacks, or computes with too few digits, for doubles and for other numbers.

`polygamma` and `lgamma` are for doubles and branch on the number; the functions `…_by_choice` do the same without
branching, for arithmetics of many numbers at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, reduce
from operator import mul

from ..typings import TYPE_CHECKING
from .budget import HIGHEST

if TYPE_CHECKING:
    from ..table.arithmetic import Arithmetic, T

nan, inf = math.nan, math.inf

# --- lgamma next to its zeros at 1 and 2, where libraries lose its digits ---------------------------------------------

LGAMMA_LOW, LGAMMA_HIGH = 0.5, 2.5  # between these a series serves
_LGAMMA_FAR = 16  # up to here arguments are reduced to these, one by one
_MIDDLE = 1.25  # up to here from the zero at 1, from there from that at 2

# 1 - γ, and (ζ(k) - 1)/k for k = 2, 3, …: DLMF 5.7.3, with signs that alternate.
_FIRST = 0.42278433509846713
_REST = (
    0.3224670334241132, 0.0673523010531981, 0.020580808427784546, 0.007385551028673986,
    0.0028905103307415234, 0.001192753911703261, 0.0005096695247430425, 0.00022315475845357939,
    9.945751278180853e-05, 4.492623673813314e-05, 2.050721277567069e-05, 9.439488275268397e-06,
    4.374866789907488e-06, 2.039215753801366e-06, 9.55141213040742e-07, 4.492469198764566e-07,
    2.1207184805554665e-07, 1.0043224823968099e-07, 4.7698101693639804e-08, 2.2711094608943164e-08,
    1.0838659214896955e-08, 5.183475041970047e-09, 2.4836745438024785e-09, 1.1921401405860912e-09,
    5.731367241678862e-10, 2.7595228851242334e-10, 1.330476437424449e-10, 6.4229645638381e-11,
    3.1044247747322276e-11, 1.5021384080754142e-11, 7.275974480239079e-12, 3.527742476575915e-12,
    1.711991790559618e-12, 8.315385841420285e-13, 4.04220052528944e-13, 1.9664756310966165e-13,
    9.573630387838556e-14,
)  # fmt: skip


def _lgamma_beyond_two(t: T) -> T:
    """Return lgamma(2 + t) for t from -3/4 to 1/2, without much cancellation."""
    total: T | float = 0.0
    for coefficient in reversed(_REST):  # after Horner
        total = t * (coefficient - total)
    return t * (_FIRST + total)


def lgamma(x: float) -> float:
    """Return log |gamma(x)| of a double, accurate to a few units in the last place except next to its zeros below 0.

    nan at the poles (0, -1, …) and for nan; inf for ±inf and on overflow.
    """
    if LGAMMA_LOW <= x <= LGAMMA_HIGH:
        return _lgamma_beyond_two(x - 2) if x > _MIDDLE else _lgamma_beyond_two(x - 1) - math.log1p(x - 1)
    if 0 < x < LGAMMA_LOW:
        return lgamma(x + 1) - math.log(x)
    if LGAMMA_HIGH < x <= _LGAMMA_FAR:  # gamma(x) = (x - 1) gamma(x - 1)
        factor = 1.0
        while x > LGAMMA_HIGH:
            x -= 1
            factor *= x
        return math.log(factor) + _lgamma_beyond_two(x - 2)
    try:
        return math.lgamma(x)
    except ValueError:
        return nan
    except OverflowError:
        return inf


def lgamma_by_choice(m: Arithmetic[T], x: T, elsewhere: T) -> T:
    """Return lgamma(x) without branching; outside 1/2…5/2 the result is `elsewhere`, the value of a library."""
    above = m.gt(x, _MIDDLE)
    t = m.choose(above, x - 2, x - 1)
    near = _lgamma_beyond_two(t) - m.choose(above, 0.0, m.log1p(t))
    return m.choose(m.lt(x, LGAMMA_LOW), elsewhere, m.choose(m.gt(x, LGAMMA_HIGH), elsewhere, near))


# --- gamma and lgamma themselves, for languages that have none --------------------------------------------------------


def _shift_up(m: Arithmetic[T], x: T) -> tuple[T, T, T]:
    """Return (x + n, gamma(x + n)/gamma(x), the sum of Stirling's series at x + n), with the least n ≥ 0 for which x +
    n ≥ 12; x must be positive.

    The series is the correction to log gamma (DLMF 5.11.1). It does not branch: the loop runs 12 times and chooses.
    """
    factor, place = m.one, x
    for _ in range(_FROM):
        small = m.lt(place, _FROM)
        factor = factor * m.choose(small, place, 1)
        place = m.choose(small, place + 1, place)
    inverse = 1 / place
    square = inverse * inverse
    series: T | float = 0.0
    for k in range(len(_BERNOULLI), 0, -1):  # after Horner, DLMF 5.11.1
        series = series * square + _BERNOULLI[k - 1] / (2 * k * (2 * k - 1))
    return place, factor, series * inverse


def _sine_of_pi(m: Arithmetic[T], x: T) -> T:
    """Return |sin(pi x)|, from the distance to the next zero."""
    return m.abs(m.sin(m.pi * (x - m.round(x))))


_INFINITE = 250  # gamma is from 172 on, and its parts still are numbers here


def gamma_by_choice(m: Arithmetic[T], x: T) -> T:
    """Return gamma(x) without branching, accurate to 2e-14; a positive integer gives an integer, exact up to thirteen
    digits.

    Below 1/2 by reflection (DLMF 5.5.3), with a division by zero (`m.div`) at the poles 0, -1, …. An argument above
    _INFINITE (250) counts as 250, where the result is infinite in doubles; so does 1 - `x` in the reflection.
    """
    below = m.lt(x, 0.5)
    place = m.choose(below, 1 - x, x)
    place, factor, series = _shift_up(m, m.choose(m.gt(place, _INFINITE), m.number(_INFINITE), place))
    root = m.pow(place, place / 2 - 0.25)  # the power itself may be too large before it is made smaller
    gamma = root * m.exp(series - place) * root * math.sqrt(2 * math.pi) / factor
    gamma = m.choose(m.eq(x, m.floor(x)), m.round(gamma), gamma)  # a factorial, which is whole, so that floor is right
    half = m.floor(x) / 2
    odd = m.ne(half, m.floor(half))
    reflected_one = m.div(m.pi, m.choose(odd, -1, 1) * _sine_of_pi(m, x) * gamma)
    return m.choose(below, reflected_one, gamma)


def log_gamma_by_choice(m: Arithmetic[T], x: T) -> T:
    """Return lgamma(x) without branching; inaccurate next to its zeros."""
    below = m.lt(x, 0.5)
    place, factor, series = _shift_up(m, m.choose(below, 1 - x, x))
    log_gamma = (place - 0.5) * (m.log(place) - 1) + (0.5 * math.log(2 * math.pi) - 0.5) + series - m.log(factor)
    return m.choose(below, m.log(m.div(m.pi, _sine_of_pi(m, m.choose(below, x, m.number(0.5))))) - log_gamma, log_gamma)


# --- polygamma: upward recurrence, then the asymptotic series (DLMF 5.15.8, 5.15.5); below 0 by reflection ------------

# Bernoulli numbers B_2, B_4, … of the asymptotic series, DLMF 24.2.
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798)
BY_CHOICE = (0, 1)  # the orders that `polygamma_by_choice` knows
_FROM = 12  # arguments from here on, and the order further, are large enough for the series


def polygamma(order: float, x: float) -> float:
    """Return the derivative of digamma of this order at x, in doubles (order 0: digamma itself).

    nan at the poles 0, -1, …, at -inf, and unless the order is an integer from 0 to HIGHEST (100); at +inf it is inf
    for order 0, else 0. So close to the pole that it overflows it is infinite with the right sign.
    """
    if order != order or x != x or order < 0 or order % 1 or order > HIGHEST:
        return nan
    n = int(order)
    if math.isinf(x):
        return (inf if n == 0 else 0.0) if x > 0 else nan
    if x <= 0 and x % 1 == 0:
        return nan
    if x < 0:
        return reflect_polygamma(n, polygamma(n, 1 - x), math.pi, _cotangent(x))
    total = 0.0
    sign = -1.0 if n % 2 == 0 else 1.0
    factorial = float(math.factorial(n))
    try:
        while x < _FROM + n:
            total += sign * factorial / x ** (n + 1)
            x += 1
    except (OverflowError, ZeroDivisionError):  # next to the pole
        return sign * inf
    return total + _asymptotic_polygamma(n, x, math.log)


def _cotangent(x: float) -> float:
    """Return cot(pi x) for x < 0 that is not an integer, from the distance to the nearest pole or zero."""
    rest = math.fmod(x, 1.0)
    nearest = rest + 1 if rest < -0.5 else rest
    if abs(nearest) <= 0.25:
        return 1 / math.tan(math.pi * nearest)
    return math.copysign(math.tan(math.pi * (0.5 - abs(nearest))), nearest)


def polygamma_by_choice(m: Arithmetic[T], order: int, x: T) -> T:
    """Return digamma (order 0) or trigamma (order 1) of x without branching; other orders are wrong.

    By a shift to 12 + order or more and the asymptotic series; below 0 by reflection. At the poles it is what the
    arithmetic gives for 1/0 or the tangent there.
    """
    below = m.lt(x, 0)
    place = m.choose(below, 1 - x, x)
    total = m.zero
    for _ in range(_FROM + order):
        small = m.lt(place, _FROM + order)
        term = 1 / place
        total = total + m.choose(small, term * term if order else -term, 0)
        place = m.choose(small, place + 1, place)
    positive_side = total + _asymptotic_polygamma(order, place, m.log)
    cotangent = m.div(1, m.tan(m.pi * (x - m.round(x))))
    return m.choose(below, reflect_polygamma(order, positive_side, m.pi, cotangent), positive_side)


def _asymptotic_polygamma(n: int, x: T, log: Callable[[T], T]) -> T:
    """Return polygamma of order n for x ≥ 12 + n by its asymptotic series (DLMF 5.15.8); `log` is used for order 0
    only.
    """
    inverse = 1 / x
    square = inverse * inverse
    series: T | float = 0.0
    for k in range(len(_BERNOULLI), 0, -1):  # after Horner: no power of x is ever too large
        series = square * (series + _BERNOULLI[k - 1] * (math.comb(2 * k + n - 1, 2 * k) if n else -1 / (2 * k)))
    if n == 0:
        return log(x) - 0.5 * inverse + series
    first = inverse if n % 2 else -inverse
    for k in range(1, n):
        first = first * (k * inverse)
    return first * (1 + 0.5 * n * inverse + series)


def reflect_polygamma(order: int, of_positive: T, pi: T, cotangent: T) -> T:
    """Return polygamma of this order at x < 0 in any arithmetic (DLMF 5.5.4 and 5.15.6).

    `of_positive` is its value at 1 - x, `cotangent` is cot(pi x), `pi` that of the arithmetic.
    """
    *others, last = _slopes_of_cotangent(order)
    total: T | float = last
    for coefficient in reversed(others):  # after Horner
        total = total * cotangent + coefficient
    scaled = reduce(mul, [pi] * (order + 1)) * total
    return of_positive - scaled if order % 2 == 0 else -of_positive - -scaled


@lru_cache(maxsize=128)
def _slopes_of_cotangent(order: int) -> tuple[int, ...]:
    """Return the coefficients, lowest power first, of the polynomial in cot t that is (-1)^order times the derivative
    of cot t of this order.

    For order 0 it is cot t itself, (0, 1). All coefficients are positive or zero. Cached.
    """
    coefficients = [0, 1]
    for _ in range(order):
        slope = [k * c for k, c in enumerate(coefficients)][1:]
        coefficients = [a + b for a, b in zip([*slope, 0, 0], [0, 0, *slope], strict=True)]
    return tuple(coefficients)
