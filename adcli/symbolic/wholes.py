"""What a number is on a whole piece: a polynomial in the distances of the inputs and in parts known by name.

Numbers with one polynomial are one function there, so that what decides a kink is decided once.
"""

from __future__ import annotations

from fractions import Fraction

Monomial = tuple[int, ...]  # factors in order: inputs are below 0, named parts are not
Whole = dict[Monomial, Fraction]

_MOST_TERMS = 40
_HIGHEST = 12


def affine(value: Fraction, slopes: dict[int, Fraction]) -> Whole:
    """value + Σ slope · distance, by the slots of inputs."""
    found = {(): value} if value else {}
    return found | {(-1 - slot,): c for slot, c in slopes.items() if c}


def read_affine(whole: Whole) -> tuple[Fraction, dict[int, Fraction]] | None:
    """The value and the slopes of what is no more than that; None for all else."""
    if any(len(monomial) > 1 or (monomial and monomial[0] >= 0) for monomial in whole):
        return None
    return whole.get((), Fraction(0)), {-1 - monomial[0]: c for monomial, c in whole.items() if monomial}


def total(a: Whole | None, b: Whole | None) -> Whole | None:
    """The sum; None where it is not known or too long."""
    if a is None or b is None or len(a) + len(b) > _MOST_TERMS:
        return None
    found = dict(a)
    for monomial, c in b.items():
        found[monomial] = found.get(monomial, Fraction(0)) + c
    return {monomial: c for monomial, c in found.items() if c}


def times(a: Whole | None, b: Whole | None) -> Whole | None:
    """The product; None where it is not known or too long."""
    if a is None or b is None or len(a) * len(b) > _MOST_TERMS:
        return None
    found: Whole = {}
    for left, c in a.items():
        for right, d in b.items():
            if len(left) + len(right) > _HIGHEST:
                return None
            monomial = tuple(sorted(left + right))
            found[monomial] = found.get(monomial, Fraction(0)) + c * d
    return {monomial: c for monomial, c in found.items() if c}


def key(whole: Whole) -> tuple[tuple[Monomial, Fraction], ...]:
    """What two equal ones have in common."""
    return tuple(sorted(whole.items()))


def up_to_a_factor(whole: Whole) -> tuple[object, bool]:
    """What multiples of one another have in common, and whether the sign is the other one."""
    first = whole[min(whole)]
    return key({monomial: c / first for monomial, c in whole.items()}), first < 0
