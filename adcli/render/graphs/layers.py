"""Layers of a graph, an order of nodes within each that lets few edges cross, and their spacing. A place is a node or a
bend, where an edge passes a level; the places of a level are a row.

An edge over several levels goes through a bend in each level between; edges from one node share their bends, so that a
node with many uses has one line that branches.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from ...records import NamedTuple

_MOST_BENDS = 20_000  # with more bends the longest edges go straight
_WORK = 200_000  # segments and places visited in all sweeps together
_TURNS = 16  # sweeps from one start
_MOST_PAIRS = 2_500  # of segments at two neighbours, to see whether an exchange helps
_SPACING_TURNS = 12  # sweeps, upwards and downwards by turns, that move places
_STRAIGHT = 6.0  # weight of a bend, relative to that of a node


class Layers(NamedTuple):
    """The layers of a graph.

    nodes   the number of nodes; a place below it is a node, any other a bend of edges
    rows    the places of every level from top to bottom
    paths   for each edge the places that it goes through, ends included
    level   the level of each place
    before  for each place its neighbours in the previous level; `after` those in the next one; the ends of an edge over
            several levels that has no bends are not neighbours
    """

    nodes: int
    rows: list[list[int]]
    paths: list[tuple[int, ...]]
    level: list[int]
    before: list[list[int]]
    after: list[list[int]]


def assign_layers(levels: Sequence[int], edges: Sequence[tuple[int, int]]) -> Layers:
    """Return the layers for nodes of these `levels` and `edges` (source, target) to higher levels, ordered by
    barycentre sweeps so that few edges cross.

    The result is deterministic; with much to do the search stops early.
    """
    layers = _add_bends(levels, edges)
    _uncross(layers)
    return layers


def arriving_edges(layers: Layers, positions: Sequence[int], rank: Callable[[int], float]) -> list[list[int]]:
    """Return for each node of `layers` the indices of the edges into it, in the order of their last places before it.

    That place is the edge's source or its last bend; it is on the level before the node, except the source of a long
    edge without bends. `rank` returns the position of a place in its level. Edges with equal ranks are in the order of
    `positions`, the index of each edge's argument.
    """
    arriving: list[list[int]] = [[] for _ in range(layers.nodes)]
    for k, path in enumerate(layers.paths):
        arriving[path[-1]].append(k)
    for edges in arriving:
        edges.sort(key=lambda k: (rank(layers.paths[k][-2]), positions[k]))
    return arriving


def _add_bends(levels: Sequence[int], edges: Sequence[tuple[int, int]]) -> Layers:
    """Return the layers in which every edge is a path with a bend in each level that it crosses.

    `paths` is in the order of `edges`. Edges from one source share their bends. If there would be more than 20,000
    bends, the longest edges have none (`_longest_bent_span`), and their ends are not neighbours. Rows are in the order
    of places, not yet uncrossed.
    """
    reach = _longest_bent_span(levels, edges)
    level = list(levels)
    bends: dict[tuple[int, int], int] = {}
    paths = []
    joined: dict[tuple[int, int], None] = {}
    for source, target in edges:
        path = [source]
        if levels[target] - levels[source] <= reach:
            for between in range(levels[source] + 1, levels[target]):
                bend = bends.setdefault((source, between), len(level))
                if bend == len(level):
                    level.append(between)
                path.append(bend)
        path.append(target)
        paths.append(tuple(path))
        joined |= dict.fromkeys(pairwise(path))
    before: list[list[int]] = [[] for _ in level]
    after: list[list[int]] = [[] for _ in level]
    for source, target in joined:
        if level[target] == level[source] + 1:
            after[source].append(target)
            before[target].append(source)
    rows: list[list[int]] = [[] for _ in range(max(levels, default=-1) + 1)]
    for place, height in enumerate(level):
        rows[height].append(place)
    return Layers(len(levels), rows, paths, level, before, after)


def _longest_bent_span(levels: Sequence[int], edges: Sequence[tuple[int, int]]) -> int:
    """Return the largest number of levels that an edge with bends may span, so that there are at most 20,000 bends.

    Edges from one source share the bends of the longest. The result is at least 1. If there are not too many bends, it
    is the largest span of an edge.
    """
    longest: dict[int, int] = {}
    for source, target in edges:
        longest[source] = max(longest.get(source, 0), levels[target] - levels[source])
    total = 0
    for span in sorted(longest.values()):
        total += span - 1
        if total > _MOST_BENDS:
            return max(span - 1, 1)
    return max(longest.values(), default=1)


def _uncross(layers: Layers) -> None:
    """Order the rows of `layers` in place by the mean positions of neighbours, to and fro, and keep the order with the
    fewest crossings.

    As long as there are crossings and the allowance of work is not used up, start again from another order of the first
    row, with up to 16 sweeps each. Equal counts keep the earlier order.
    """
    rows = layers.rows
    work = sum(len(crossings) for crossings in layers.after) + len(layers.level)
    left = _WORK // (work + 1) + 1
    best, kept = -1, rows
    for start in _start_orders(rows):
        rows[:] = start
        order = [0.0] * len(layers.level)
        for row in rows:
            _number_row(row, order)
        for turn in range(min(_TURNS, left)):
            left -= 1
            one_way, neighbours = (rows[-2::-1], layers.after) if turn % 2 else (rows[1:], layers.before)
            for row in one_way:
                _sort_by_neighbours(row, order, neighbours)
                _swap_neighbours(row, order, layers)
            crossings = _count_crossings(layers, order)
            if best < 0 or crossings < best:
                best, kept = crossings, [row.copy() for row in rows]
            if best == 0:
                break
        if best == 0 or left == 0:
            break
    rows[:] = kept


def _start_orders(rows: Sequence[Sequence[int]]) -> Iterator[list[list[int]]]:
    """Yield initial orders of the rows, as copies: unchanged, then all reversed, then with the first row changed.

    The changes of the first row: each of its places in turn is put first, then last. The other rows are unchanged. If
    there are no rows, two orders with one empty row are yielded.
    """
    first, rest = list(rows[0]) if rows else [], [list(row) for row in rows[1:]]
    yield [first.copy(), *(row.copy() for row in rest)]
    yield [first[::-1], *(row[::-1] for row in rest)]
    for k, place in enumerate(first):
        others = first[:k] + first[k + 1 :]
        for start in ([place, *others], [*others, place]):
            yield [start, *(row.copy() for row in rest)]


def _number_row(row: Sequence[int], order: list[float]) -> None:
    """Set in `order`, in place, the position (0, 1, …) of each place of `row`."""
    for k, place in enumerate(row):
        order[place] = float(k)


def _sort_by_neighbours(row: list[int], order: list[float], neighbours: Sequence[Sequence[int]]) -> None:
    """Sort a row in place by the mean position (in `order`) of each place's neighbours, and set in `order` the new
    position (0, 1, …) of each place of the row.

    Places without neighbours count with their present position; equal ones keep their order.
    """
    preferred = {place: order[place] for place in row}
    for place in row:
        if neighbours[place]:
            preferred[place] = sum(order[other] for other in neighbours[place]) / len(neighbours[place])
    row.sort(key=preferred.__getitem__)
    _number_row(row, order)


def _swap_neighbours(row: list[int], order: list[float], layers: Layers) -> None:
    """Exchange adjacent places of `row`, from first to last, if fewer of their segments then cross.

    Changes `row` and `order` (the position of each place in its row) in place. A side on which two places have more
    than 2,500 pairs of segments is not counted.
    """
    for k in range(len(row) - 1):
        upper, lower = row[k], row[k + 1]
        gain = 0
        for side in (layers.before, layers.after):
            if len(side[upper]) * len(side[lower]) <= _MOST_PAIRS:
                gain += sum((order[a] > order[b]) - (order[a] < order[b]) for a in side[upper] for b in side[lower])
        if gain > 0:
            row[k], row[k + 1] = lower, upper
            order[lower], order[upper] = float(k), float(k + 1)


def _count_crossings(layers: Layers, order: Sequence[float]) -> int:
    """Return the number of pairs of segments between adjacent levels of `layers` that cross; segments that share an end
    do not.

    `order` is the position of each place in its row. Edges without bends over several levels are not counted.
    """
    total = 0
    for row in layers.rows[:-1]:
        places = sorted(row, key=order.__getitem__)
        ends = [int(x) for place in places for x in sorted(order[target] for target in layers.after[place])]
        total += _count_inversions(ends)
    return total


def _count_inversions(numbers: Sequence[int]) -> int:
    """Return the number of pairs in which an earlier number is larger than a later one; pairs of equal numbers do not
    count.
    """
    before: list[int] = []  # sorted
    total = 0
    for number in numbers:
        place = bisect_right(before, number)
        total += len(before) - place
        before.insert(place, number)
    return total


# --- spacing: each place as near to its neighbours as order and size allow --------------------------------------------


def tops(layers: Layers, heights: Sequence[float], gap: Callable[[int, int], float]) -> list[float]:
    """Return the upper end of every place of `layers`, the smallest being 0; [] without places.

    The order of each row is kept, and at least `gap(a, b)` between neighbours `a` and `b`. `heights` are those of all
    places, bends included. Twelve sweeps, alternately down and up the levels, move places towards their neighbours on
    the side that the sweep comes from. The last sweep moves them towards the neighbours on both sides.
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
    for turn in range(_SPACING_TURNS):
        sides = [layers.before, layers.after]
        if turn < _SPACING_TURNS - 1:
            sides = sides[turn % 2 :][:1]
        levels = range(len(layers.rows)) if turn % 2 == 0 else range(len(layers.rows) - 1, -1, -1)
        for level in levels:
            row, starts = layers.rows[level], offsets[level]
            preferred = [_preferred_top(layers, place, sides, top, heights) for place in row]
            shifts = _nearest_ascending(
                [(y - start, weight) for (y, weight), start in zip(preferred, starts, strict=True)]
            )
            for place, z, start in zip(row, shifts, starts, strict=True):
                top[place] = z + start
    least = min(top, default=0.0)
    return [y - least for y in top]


def _preferred_top(
    layers: Layers, place: int, sides: Sequence[list[list[int]]], top: Sequence[float], heights: Sequence[float]
) -> tuple[float, float]:
    """Return (upper end, weight): with that end the middle of `place` is at the weighted mean of the middles of its
    neighbours on `sides`, which are `layers.before`, `layers.after` or both.

    `top` and `heights` are the present upper end and the height of each place. Pairs with a bend weigh 6, others 1, and
    the weight is their sum. Without neighbours: the present upper end, with weight 0.01.
    """
    others = [other for side in sides for other in side[place]]
    if not others:
        return top[place], 0.01
    total = weights = 0.0
    for other in others:
        weight = _STRAIGHT if place >= layers.nodes or other >= layers.nodes else 1.0
        total += weight * (top[other] + heights[other] / 2)
        weights += weight
    return total / weights - heights[place] / 2, weights


def _nearest_ascending(preferred: Sequence[tuple[float, float]]) -> list[float]:
    """Return the ascending numbers nearest to `preferred`, pairs (number, weight), in the weighted sum of squares.

    Equal neighbours are allowed. By pooling adjacent violators: numbers in the wrong order get their weighted mean.
    Weights must be positive; [] for no numbers.
    """
    pools: list[tuple[float, float, int]] = []  # mean, weight, count
    for mean, total in preferred:
        count = 1
        while pools and pools[-1][0] >= mean:
            other, heavy, many = pools.pop()
            mean = (mean * total + other * heavy) / (total + heavy)
            total, count = total + heavy, count + many
        pools.append((mean, total, count))
    return [mean for mean, _, count in pools for _ in range(count)]
