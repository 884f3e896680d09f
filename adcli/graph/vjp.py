"""Value and adjoints of a large graph in doubles: one loop forward, one back, and nothing kept between but the values.

`tape` keeps the partials of every slot, for all who show or check them.  Here they are worked out where the sweep back
needs them, and rules that only add, subtract or multiply are done in the loop itself.  Which rules these are the table
says: `rules` asks them.  The numbers are those of `tape`, to the last bit.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from ..numbers.algebra import FLOAT, RAISING
from ..table.primitive import Primitive
from .graph import Graph
from .rules import Partials, apply, partials, partials_at, value
from .tape import adjoints, evaluate, leaves, linearize

_LEAF, _SUM, _PRODUCT, _DIFFERENCE, _FIRST = range(5)
_MOST: Final = 60  # rows whose kinds fit into a byte
_FAULTS: Final = (ZeroDivisionError, ValueError, OverflowError)


def vjp(graph: Graph, point: Mapping[int, float], seed: Mapping[int, float]) -> tuple[list[Any], list[Any]]:
    """The values of all slots, and the derivatives of the seeded combination of slots with respect to every slot.

    This is the vector–Jacobian product with the seed; `point` and `seed` go by slot.  Outside a domain a value is nan
    or infinite, as in `tape`.
    """
    loops = Loops(graph)
    values = loops.values(point)
    return values, loops.adjoints(values, seed)


class Loops:
    """The two loops over a graph, ready for any number of points."""

    __slots__ = ("_found", "_kinds", "graph")

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        rows = tuple([row for row in dict.fromkeys(graph.rows) if row is not None])
        # With conditions a slot may have no value; they are left to `tape`, as are more rows than a byte can tell.
        plain = len(rows) <= _MOST and not any(row.truth or row.route is not None for row in rows)
        self._kinds = _Kinds.of(rows) if plain else None
        self._found = self._kinds.of_slots(graph) if self._kinds else bytearray()

    def values(self, point: Mapping[int, float]) -> list[Any]:
        """The value of every slot; None for what only a branch not taken needs."""
        if self._kinds is None:
            return evaluate(self.graph, FLOAT, point)
        return _values(self.graph, self._kinds, self._found, point)

    def adjoints(self, values: list[Any], seed: Mapping[int, float]) -> list[Any]:
        """The adjoint of every slot; a zero for those that no seeded one depends on, and for literals."""
        if self._kinds is None:
            return adjoints(self.graph, linearize(self.graph, FLOAT, values), seed)
        return _adjoints(self.graph, self._kinds, self._found, values, seed)


class _Kinds:
    """What is to be done at a slot, as a small number, so that the loops find it by comparisons alone.

    Below `plain` they know by themselves.  From there on there is one argument and the partial is a function of it,
    from `ruled` on one argument with a rule, from `pairs` on there are two, from `others` on any number.  A row of two
    arguments has four kinds: none, the first, the second or both of them may be literals, of which nothing is asked.
    """

    __slots__ = ("functions", "kind", "others", "pairs", "plain", "ruled", "slopes")

    def __init__(self, rows: tuple[Primitive, ...]) -> None:
        self.functions: list[Any] = [None] * _FIRST
        self.slopes: list[Any] = [None] * _FIRST
        self.kind: dict[Primitive | None, int] = {None: _LEAF}
        groups: list[list[tuple[Primitive, Partials | None]]] = [[], [], [], []]
        for row in rows:
            slopes = partials(row, RAISING)
            shape = _shape(row, slopes)
            if shape:
                self.kind[row] = shape
            elif slopes is None:
                groups[3].append((row, None))
            elif row.arity == 2:
                groups[2].append((row, slopes))
            else:
                groups[slopes.of_argument is None].append((row, slopes))
        starts = []
        for group in groups:
            starts.append(len(self.functions))
            for row, slopes in group:
                self.kind[row] = len(self.functions)
                ways = _ways(slopes)
                self.slopes += ways
                self.functions += [value(row, RAISING)] * len(ways)
        self.plain, self.ruled, self.pairs, self.others = starts

    @staticmethod
    @lru_cache(maxsize=64)
    def of(rows: tuple[Primitive, ...]) -> _Kinds:
        """The kinds of these rows, made once."""
        return _Kinds(rows)

    def of_slots(self, graph: Graph) -> bytearray:
        """The kind of every slot."""
        kinds = bytearray(map(self.kind.__getitem__, graph.rows))
        literal = graph.literal
        if any(literal):
            for slot, kind in enumerate(kinds):
                if self.pairs <= kind < self.others:
                    left, right = graph.parents[slot]
                    kinds[slot] = kind + literal[left] + 2 * literal[right]
        return kinds


def _shape(row: Primitive, slopes: Partials | None) -> int:
    """Which of the operations that the loops do themselves a row is; 0 for none."""
    if row.arity != 2 or slopes is None:
        return 0
    function = value(row, RAISING)
    if function is operator.add and slopes.always == (1, 1):
        return _SUM
    if function is operator.sub and slopes.always == (1, -1):
        return _DIFFERENCE
    return _PRODUCT if function is operator.mul and slopes.crossed else 0


def _ways(slopes: Partials | None) -> list[Any]:
    """The slopes of each kind that a row has."""
    if slopes is None:
        return [None]
    if len(slopes.each) == 1:
        return [slopes.of_argument or slopes.each[0]]
    left, right = slopes.each
    return [(left, right), (None, right), (left, None), (None, None)]


def _values(graph: Graph, kinds: _Kinds, found: bytearray, point: Mapping[int, float]) -> list[Any]:
    functions, plain, pairs, others = kinds.functions, kinds.plain, kinds.pairs, kinds.others
    values: list[Any] = []
    append = values.append
    steps = zip(found, graph.parents, leaves(graph, FLOAT, point), strict=True)
    while True:
        try:
            for kind, parents, known in steps:
                if kind < plain:
                    if kind == _SUM:
                        i, j = parents
                        append(values[i] + values[j])
                    elif kind == _PRODUCT:
                        i, j = parents
                        append(values[i] * values[j])
                    elif kind == _LEAF:
                        append(known)
                    else:
                        i, j = parents
                        append(values[i] - values[j])
                elif kind < pairs:
                    append(functions[kind](values[parents[0]]))
                elif kind < others:
                    i, j = parents
                    append(functions[kind](values[i], values[j]))
                else:
                    append(functions[kind](*[values[i] for i in parents]))
            return values
        except _FAULTS:
            row: Any = graph.rows[len(values)]  # no leaf, since something was computed
            append(apply(row, FLOAT, [values[i] for i in graph.parents[len(values)]]))


def _adjoints(graph: Graph, kinds: _Kinds, found: bytearray, values: list[Any], seed: Mapping[int, float]) -> list[Any]:
    slopes, plain, ruled, pairs, others = kinds.slopes, kinds.plain, kinds.ruled, kinds.pairs, kinds.others
    untouched = 0.0  # a slot that still holds this very object was not reached
    bars: list[Any] = [untouched] * len(graph)
    for slot, number in seed.items():
        bars[slot] = bars[slot] + number
    ahead = reversed(graph.parents)  # as many slots are still to come as it has left
    steps = zip(reversed(found), ahead, reversed(bars), reversed(values), strict=True)
    while True:
        try:
            for kind, parents, bar, z in steps:
                if bar is untouched:
                    continue
                if kind < plain:
                    if kind == _SUM:
                        i, j = parents
                        bars[i] += bar
                        bars[j] += bar
                    elif kind == _PRODUCT:
                        i, j = parents
                        bars[i] += bar * values[j]
                        bars[j] += bar * values[i]
                    elif kind == _DIFFERENCE:
                        i, j = parents
                        bars[i] += bar
                        bars[j] -= bar
                elif kind < ruled:
                    (i,) = parents
                    bars[i] += bar * slopes[kind](values[i])
                elif kind < pairs:
                    (i,) = parents
                    bars[i] += bar * slopes[kind](RAISING, z, values[i])
                elif kind < others:
                    i, j = parents
                    left, right = slopes[kind]
                    a, b = values[i], values[j]
                    first, second = left and left(RAISING, z, a, b), right and right(RAISING, z, a, b)
                    if left:
                        bars[i] += bar * first
                    if right:
                        bars[j] += bar * second
                else:
                    _hand_down(graph, operator.length_hint(ahead), values, bars)
            break
        except _FAULTS:
            _hand_down(graph, operator.length_hint(ahead), values, bars)
    slot = graph.literal.find(1)
    while slot >= 0:  # products and sums hand something down to literals too, which nobody asked for
        bars[slot] = 0.0 + seed.get(slot, 0.0)
        slot = graph.literal.find(1, slot + 1)
    return bars


def _hand_down(graph: Graph, slot: int, values: list[Any], bars: list[Any]) -> None:
    """The step back at one slot, in the arithmetic that never raises."""
    row: Any = graph.rows[slot]
    parents = graph.parents[slot]
    arguments = tuple([values[i] for i in parents])
    wanted = tuple([not graph.literal[i] for i in parents])
    for i, slope in zip(parents, partials_at(row, FLOAT, values[slot], arguments, wanted), strict=True):
        if slope is not None:
            bars[i] += bars[slot] * slope
