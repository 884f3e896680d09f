"""Spacing of nodes within levels: each as near to its neighbours as order and size allow."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .layers import Layers

_TURNS = 12
_STRAIGHT = 6.0  # weight of a bend, relative to that of a node


def tops(layers: Layers, heights: Sequence[float], gap: Callable[[int, int], float]) -> list[float]:
    """Return the upper end of every place of `layers`, the smallest being 0; the order of each row and at least the
    `gap` between its neighbours are kept.

    `heights` are those of all places, bends included. Twelve sweeps, upwards and downwards by turns, move places
    towards the neighbours on one side, the last one towards those on both sides. [] without places.
    """
    top = [0.0] * len(layers.level)
    offsets = []
    for row in layers.rows:
        at, starts = 0.0, []
        for k, place in enumerate(row):
            at += (heights[row[k - 1]] + gap(row[k - 1], place)) if k else 0.0
            starts.append(at)
            top[place] = at
        offsets.append(starts)
        middle = (at + (heights[row[-1]] if row else 0.0)) / 2
        for place in row:
            top[place] -= middle
    for turn in range(_TURNS):
        last = turn == _TURNS - 1
        levels = range(len(layers.rows)) if turn % 2 == 0 else range(len(layers.rows) - 1, -1, -1)
        for level in levels:
            row = layers.rows[level]
            preferred_places, weights = [], []
            for place in row:
                others = layers.before[place] if turn % 2 == 0 else layers.after[place]
                if last:
                    others = [*layers.before[place], *layers.after[place]]
                preferred, weight = _preferred_top(layers, place, others, top, heights)
                preferred_places.append(preferred)
                weights.append(weight)
            shifts = _nearest_ascending([w - o for w, o in zip(preferred_places, offsets[level], strict=True)], weights)
            for place, z, offset in zip(row, shifts, offsets[level], strict=True):
                top[place] = z + offset
    least = min(top, default=0.0)
    return [y - least for y in top]


def _preferred_top(
    layers: Layers, place: int, others: Sequence[int], top: Sequence[float], heights: Sequence[float]
) -> tuple[float, float]:
    """Return (upper end, weight): with that end the middle of `place` is at the weighted mean of the middles of
    `others`, its neighbours.

    `top` and `heights` are the present upper end and the height of each place. Pairs with a bend weigh 6, others 1, and
    the weight is their sum. Without neighbours: the present upper end, with weight 0.01.
    """
    if not others:
        return top[place], 0.01
    total = weights = 0.0
    for other in others:
        weight = _STRAIGHT if place >= layers.nodes or other >= layers.nodes else 1.0
        total += weight * (top[other] + heights[other] / 2)
        weights += weight
    return total / weights - heights[place] / 2, weights


def _nearest_ascending(preferred_places: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return the ascending numbers nearest to `preferred_places` in the weighted sum of squares; equal neighbours are
    allowed.

    By pooling adjacent violators: places in the wrong order get their weighted mean. `weights` must be positive; [] for
    no places.
    """
    pools: list[tuple[float, float, int]] = []  # mean, weight, count
    for preferred, weight in zip(preferred_places, weights, strict=True):
        mean, total, count = preferred, weight, 1
        while pools and pools[-1][0] >= mean:
            other, heavy, many = pools.pop()
            mean = (mean * total + other * heavy) / (total + heavy)
            total, count = total + heavy, count + many
        pools.append((mean, total, count))
    return [mean for mean, _, count in pools for _ in range(count)]
