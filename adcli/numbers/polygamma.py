"""The family of polygamma below 0, and digamma and trigamma without branches for numbers that are many at once."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from .doubles import BERNOULLI

ORDERS = (0, 1)


@lru_cache(maxsize=128)
def _slopes_of_cotangent(order: int) -> tuple[int, ...]:
    """The polynomial in cot t that the derivative of cot t of this order is, up to its sign: all terms count alike."""
    found = [0, 1]
    for _ in range(order):
        slope = [k * c for k, c in enumerate(found)][1:]
        found = [(slope[k] if k < len(slope) else 0) + (slope[k - 2] if k > 1 else 0) for k in range(len(slope) + 2)]
    return tuple(found)


def reflected(order: int, of_positive: Any, pi: Any, cotangent: Any) -> Any:
    """Polygamma at x < 0, from that at 1 - x and from cot(pi x), in any arithmetic (DLMF 5.5.4 and 5.15.6)."""
    *others, total = _slopes_of_cotangent(order)
    for coefficient in reversed(others):  # after Horner
        total = total * cotangent + coefficient
    scale = pi
    for _ in range(order):
        scale = scale * pi
    return (of_positive if order % 2 == 0 else -of_positive) - (scale * total if order % 2 == 0 else -(scale * total))


def polygamma(m: Any, order: int, x: Any) -> Any:
    """Digamma (order 0) or trigamma (order 1), as in `Float`: the recurrence upwards, then the asymptotic series."""
    below = m.lt(x, 0)
    found = _of_positive(m, order, m.choose(below, 1 - x, x))
    rest = m.pi * (x - m.round(x))
    if order == 0:
        return m.choose(below, found - m.div(m.pi, m.tan(rest)), found)
    other = m.div(m.pi, m.sin(rest))
    return m.choose(below, other * other - found, found)


def _of_positive(m: Any, order: int, x: Any) -> Any:
    enough = 12 + order
    total: Any = 0.0
    for _ in range(enough):
        small = m.lt(x, enough)
        term = m.div(1, x)
        total = total + m.choose(small, term * term if order else -term, 0)
        x = m.choose(small, x + 1, x)
    inverse = m.div(1, x)
    square = inverse * inverse
    series: Any = 0.0
    for k in range(len(BERNOULLI), 0, -1):  # after Horner
        series = square * (series + BERNOULLI[k - 1] * (1 if order else -1 / (2 * k)))
    if order == 0:
        return total + (m.log(x) - 0.5 * inverse + series)
    return total + (inverse + 0.5 * square + inverse * series)
