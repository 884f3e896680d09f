"""Second derivatives of what is smooth at a kink: those of its series on both sides, where these agree."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ..numbers.formal import Real, Unknown
from .neighbourhood import Pieces

Entries = dict[tuple[int, int], Real]


def curvatures(pieces: Pieces, output: int, inputs: Sequence[int]) -> Entries:
    """The second derivatives of an output that is smooth at the point, by two inputs, as far as there are any.

    Those along an input are exact: both sides of a series.  Mixed ones follow from those along both diagonals, if the
    function has second derivatives at all, which is not proven for several inputs.
    """
    active = [slot for slot in inputs if slot in pieces.around(output).sides]
    zero = pieces.reals.zero
    entries: Entries = {(a, b): zero for a in inputs for b in inputs if a not in active or b not in active}
    for slot in active:
        agreed = _agreed([second_along(pieces, output, {slot: sign}) for sign in (-1, 1)])
        if agreed is not None:
            entries[slot, slot] = agreed
    for k, a in enumerate(active):
        for b in active[k + 1 :]:
            along = _agreed([second_along(pieces, output, {a: sign, b: sign}) for sign in (-1, 1)])
            across = _agreed([second_along(pieces, output, {a: sign, b: -sign}) for sign in (-1, 1)])
            if along is None or across is None or (a, a) not in entries or (b, b) not in entries:
                continue
            axes = entries[a, a] + entries[b, b]
            if not (along + across - axes * 2).terms:
                entries[a, b] = entries[b, a] = (along - axes) / 2
    return entries


def second_along(pieces: Pieces, output: int, direction: Mapping[int, Any]) -> Real | float | None:
    """The second derivative on one side along a direction; infinite with its sign, None where it is not known."""
    side = pieces.side(output, direction)
    if side.germ is None or side.slope is None:
        return None
    q = side.germ.m.q
    try:
        for exponent in range(q + 1, 2 * q):
            c: Real = side.germ.at(exponent)
            if c.terms:
                return math.inf if pieces.reals.signum(c) > 0 else -math.inf
        return side.germ.at(2 * q) * 2
    except Unknown:
        return None


def _agreed(sides: Sequence[Real | float | None]) -> Real | None:
    first, last = sides
    if not isinstance(first, Real) or not isinstance(last, Real):
        return None
    try:
        return first if first == last else None
    except Unknown:
        return None
