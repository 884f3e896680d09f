"""Coincidence: how likely it is that an explanation fits a number by accident.

A number with few digits represents an interval, and each further explanation covers another one.  Numbers that nothing
explains lie anywhere near the right one; the fraction of that neighbourhood which the explanations cover together, each
as wide as what it may give and the number's own rounding, is the fraction of such numbers that would be explained all
the same.  The rule: of a number as it was written, with all that was tried for it, an explanation is named only if that
fraction is small.  More digits make it smaller, more explanations make it larger; two that give the same number count
once.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...numbers.double_intervals import Spread

_NEAR = 0.5  # the neighbourhood, to either side, as a fraction of the larger of the number and what should be there


def chance(tried: Iterable[Spread], number: Spread, right: Spread) -> float:
    """Return the fraction of the numbers near `number`, each as wide as it is, that some explanation in `tried` would
    fit.

    Near: within half of the larger of `number` and `right`, the number that should be there (ignored if unknown), in
    absolute value. Overlaps count once; unknown and far explanations do not count. 1.0 if both are 0, or `number` is
    and `right` is unknown; else 0.0 without explanations.
    """
    reach = _NEAR * max(abs(number.middle), abs(right.middle) if right.known else 0.0)
    low, high, half = number.middle - reach, number.middle + reach, (number.high - number.low) / 2
    if not reach:
        return 1.0
    covered, end = 0.0, low
    for z in sorted((z for z in tried if z.known), key=lambda z: z.low):
        start, stop = max(z.low - half, end), min(z.high + half, high)
        if stop > start:
            covered += stop - start
            end = stop
    return covered / (high - low)
