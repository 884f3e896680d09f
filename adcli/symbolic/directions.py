"""The directions that a piece leaves open: which slopes do not matter there."""

from __future__ import annotations

from fractions import Fraction

from ..numbers.formal import Real
from ..numbers.reals import Reals
from .selection import Constraint, scaled


def spanned_by(constraints: list[Constraint], inputs: list[int]) -> list[list[Real]]:
    """Gradients whose directional derivative is 0 in every direction that the constraints leave, as far as found.

    These are the slopes that must be 0, and those that others together leave no room but 0.
    """
    rows = [[slopes.get(k) for k in inputs] for slopes in (scaled(c.slopes) for c in constraints)]
    flat = [k for k, c in enumerate(constraints) if c.sign == 0]
    fractions = []
    for c, row in zip(constraints, rows, strict=True):
        exact = [Fraction(0) if x is None else x.fraction for x in row]
        if any(x is None for x in exact):
            return _filled([rows[k] for k in flat], constraints)
        fractions.append([x * (c.sign or 1) for x in exact if x is not None])
    at_least = [f for f, c in zip(fractions, constraints, strict=True) if c.sign]
    at_least += [side for k in flat for side in (fractions[k], [-x for x in fractions[k]])]
    for k, c in enumerate(constraints):
        if c.sign and not feasible(at_least, fractions[k]):
            flat.append(k)
    return _filled([rows[k] for k in flat], constraints)


def _filled(rows: list[list[Real | None]], constraints: list[Constraint]) -> list[list[Real]]:
    if not rows:
        return []
    zero = next(iter(constraints[0].slopes.values())).m.zero
    return [[zero if x is None else x for x in row] for row in rows]


def feasible(at_least: list[list[Fraction]], positive: list[Fraction]) -> bool:
    """Whether a direction has no negative product with any of these, and a positive one with the last.

    Fourier-Motzkin elimination; True where it would take too long.
    """
    system = [(row, False) for row in at_least] + [(positive, True)]
    for k in range(len(positive)):
        above = [(row, strict) for row, strict in system if row[k] > 0]
        below = [(row, strict) for row, strict in system if row[k] < 0]
        system = [(row, strict) for row, strict in system if row[k] == 0]
        if len(above) * len(below) > 400:
            return True
        for up, s in above:
            for down, t in below:
                system.append(([a / up[k] - b / down[k] for a, b in zip(up, down, strict=True)], s or t))
        unique: dict[tuple[Fraction, ...], bool] = {}
        for row, strict in system:
            size = max(map(abs, row), default=Fraction(0))
            key = tuple([x / size for x in row]) if size else tuple(row)
            unique[key] = unique.get(key, False) or strict
        system = [(list(row), strict) for row, strict in unique.items()]
    return not any(strict for _, strict in system)


def lies_in(reals: Reals, row: list[Real], rows: list[list[Real]]) -> bool:
    """Whether a gradient is a combination of these."""
    pivots: list[tuple[int, list[Real]]] = []
    for given in [*rows, row]:
        rest = list(given)
        for k, pivot in pivots:
            if rest[k].terms:
                factor = rest[k] / pivot[k]
                rest = [a - factor * b for a, b in zip(rest, pivot, strict=True)]
        place = next((k for k, x in enumerate(rest) if reals.signum(x)), None)
        if place is None:
            continue
        if given is row:
            return False
        pivots.append((place, rest))
    return True
