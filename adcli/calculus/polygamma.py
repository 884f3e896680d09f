"""Digamma and trigamma without branches, for arithmetics whose numbers are many at once."""

from __future__ import annotations

from typing import Any

from .algebra import BERNOULLI, FARTHEST

ORDERS = (0, 1)


def polygamma(m: Any, order: int, x: Any) -> Any:
    """Digamma (order 0) or trigamma (order 1), as in `Float`: the recurrence upwards, then the asymptotic series.

    Below 0 by reflection (DLMF 5.5.4, 5.15.6), the second no farther than `Float` goes.
    """
    below = m.lt(x, 0)
    found = _of_positive(m, order, m.choose(below, 1 - x, x))
    rest = m.pi * (x - m.round(x))
    if order == 0:
        return m.choose(below, found - m.div(m.pi, m.tan(rest)), found)
    other = m.div(m.pi, m.sin(rest))
    return m.choose(m.lt(x, -FARTHEST), m.undefined, m.choose(below, other * other - found, found))


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
