"""Directions from a point in which a smooth piece lies, and the slopes that do not matter in them. A constraint has
slopes and the sign of their product with the direction.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from ..records import NamedTuple
from ..typings import TypeAlias
from .exact_reals import Real, Reals

_Inequality: TypeAlias = "tuple[list[Fraction], bool]"  # a row whose product is not negative; whether it is positive

Slopes = dict[int, Real]  # by input; those that are left out are 0


class Constraint(NamedTuple):
    """The directions d of a piece: sign · slopes · d is not negative, or it is 0 if the sign is."""

    slopes: Slopes
    sign: int


def scale_first_to_one(slopes: Slopes) -> Slopes:
    """Return the slopes divided by the size of the slope of the first input, so that this one is 1 or -1."""
    first = abs(slopes[min(slopes)])
    return {k: c / first for k, c in slopes.items()}


def find_span(constraints: list[Constraint], inputs: list[int]) -> list[list[Real]]:
    """Return the slopes of `constraints` whose product with every open direction is 0, as rows over `inputs`, in order.

    A direction is open if sign · (slopes · direction) >= 0 for each constraint, and slopes · direction = 0 where the
    sign is 0. The rows are those of constraints with the sign 0, then those that the other constraints together force
    to be 0 (looked for only if all slopes are fractions). In each row the first slope that is not 0 is ±1. [] without
    constraints.
    """
    if not constraints:
        return []
    zero = next(iter(constraints[0].slopes.values())).m.zero
    rows = [[slopes.get(k, zero) for k in inputs] for slopes in (scale_first_to_one(c.slopes) for c in constraints)]
    signs = [c.sign for c in constraints]
    flat = [k for k, sign in enumerate(signs) if sign == 0]
    if all(x.fraction is not None for row in rows for x in row):
        flat += _find_forced([[x.fraction or Fraction(0) for x in row] for row in rows], signs)
    return [rows[k] for k in flat]


def _find_forced(rows: list[list[Fraction]], signs: list[int]) -> list[int]:
    """Return the indices of the rows with a sign of 1 or -1 whose product with every open direction is 0 all the same.

    A direction is open if its product with each row is 0 or has the row's sign in `signs` (1, 0 or -1).
    """
    sides = [[sign * x for x in row] for sign, row in zip(signs, rows, strict=True) if sign]
    edges = [row for sign, row in zip(signs, rows, strict=True) if not sign]
    at_least = [*sides, *edges, *([-x for x in row] for row in edges)]
    inward = [k for k, sign in enumerate(signs) if sign]
    return [k for k, side in zip(inward, sides, strict=True) if not is_feasible(at_least, side)]


def is_feasible(at_least: list[list[Fraction]], positive: list[Fraction]) -> bool:
    """Return whether some direction has a positive product with `positive` and no negative one with a row of
    `at_least`.

    By Fourier-Motzkin elimination; True if this takes too long (more than 400 pairs of rows in a step). All rows have
    the length of `positive`.
    """
    system = [(row, False) for row in at_least] + [(positive, True)]
    for k in range(len(positive)):
        above = [(row, strict) for row, strict in system if row[k] > 0]
        below = [(row, strict) for row, strict in system if row[k] < 0]
        system = [(row, strict) for row, strict in system if row[k] == 0]
        if len(above) * len(below) > 400:
            return True
        for (up, s), (down, t) in product(above, below):
            system.append(([a / up[k] - b / down[k] for a, b in zip(up, down, strict=True)], s or t))
        system = _unite_multiples(system)
    return not any(strict for _, strict in system)


def _unite_multiples(system: list[_Inequality]) -> list[_Inequality]:
    """Return the inequalities (row, whether it is strict), scaled to a largest entry of ±1, each row once.

    A row is strict if one of the equal rows was. A row of zeros stays.
    """
    unique: dict[tuple[Fraction, ...], bool] = {}
    for row, strict in system:
        size = max(map(abs, row), default=Fraction(0)) or Fraction(1)
        key = tuple([x / size for x in row])
        unique[key] = unique.get(key, False) or strict
    return [(list(row), strict) for row, strict in unique.items()]


def lies_in(reals: Reals, row: list[Real], rows: list[list[Real]]) -> bool:
    """Return whether the gradient `row` is a linear combination of `rows`, all of one length; True for a row of zeros.

    Raises Unknown if a sign is not known. `reals` is the arithmetic of the rows.
    """
    pivots: list[tuple[int, list[Real]]] = []
    for gradient in [*rows, row]:
        rest = list(gradient)
        for k, pivot in pivots:
            if rest[k].terms:
                factor = rest[k] / pivot[k]
                rest = [a - factor * b for a, b in zip(rest, pivot, strict=True)]
        place = next((k for k, x in enumerate(rest) if reals.sign_of(x)), None)
        if place is None:
            continue
        if gradient is row:
            return False
        pivots.append((place, rest))
    return True
