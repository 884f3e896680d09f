"""The plan of a graph: what is to be done at every slot, as data that the loops of `tape` go over in any arithmetic.

The kind of a slot is a small number, so that a loop finds what to do by comparisons alone.  What rows come to is found
once for all graphs that have the same ones; the table stays the only place that says what a function is.
"""

from __future__ import annotations

import operator
from array import array
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from ..numbers.doubles import RAISING
from ..table.primitive import Primitive
from .graph import Graph
from .rules import Partials, partials, value

if TYPE_CHECKING:
    from typing import TypeAlias

    from ..table.arithmetic import PartialRule

    # Of a kind: the name of a function, a rule, or two of which one may not be asked for; None where a row is asked.
    Slopes: TypeAlias = str | PartialRule | tuple[PartialRule | None, PartialRule | None] | None

# The first kinds are done by the loops themselves: sums, products and differences, three of each (of no argument, of
# the first, of the second one no derivative is asked), and leaves.  Functions of the table follow.
PRODUCTS, DIFFERENCES, LEAF, FUNCTIONS = 3, 6, 9, 10
_BEGINNINGS: Final = {"sum": 0, "product": PRODUCTS, "difference": DIFFERENCES}
_BYTE: Final = 256


class Kinds:
    """The kinds that the rows of a graph have.

    From FUNCTIONS on there is one argument and the partial is a function of it, from `ruled` on one argument with a
    rule, from `pairs` on there are two, with three kinds each as above; from `others` on every row has a kind for any
    arguments: there a loop asks the row itself.
    """

    __slots__ = (
        "_doubles", "_first", "_latest", "_other", "_slopes", "_values", "others", "pairs", "routed", "ruled", "truths",
    )  # fmt: skip

    def __init__(self, rows: tuple[Primitive, ...]) -> None:
        self.routed = any(row.route is not None for row in rows)
        self.truths = any(row.truth for row in rows)
        self._values: list[Primitive | None] = [None] * FUNCTIONS
        self._slopes: list[Slopes] = [None] * FUNCTIONS
        self._first: dict[Primitive | None, int] = {None: LEAF}
        self._other: dict[Primitive | None, int] = {}
        groups: tuple[list[tuple[Primitive, Partials]], ...] = ([], [], [])
        for row in rows:
            found = partials(row)
            if found is None or row.truth or row.route is not None:
                continue
            operation = _operation(row, found)
            if operation:
                self._first[row] = _BEGINNINGS[operation]
            else:
                groups[2 if row.arity == 2 else not found.of_argument].append((row, found))
        starts = []
        for group in groups:
            starts.append(len(self._values))
            for row, found in group:
                self._first[row] = len(self._values)
                ways = _ways(found)
                self._slopes += ways
                self._values += [row] * len(ways)
        self.ruled, self.pairs, self.others = starts[1], starts[2], len(self._values)
        for row in rows:
            self._other[row] = len(self._values)
            self._first.setdefault(row, len(self._values))
            self._values.append(row)
            self._slopes.append(None)
        self._doubles = self._bound(RAISING)
        self._latest: tuple[object, tuple[list[Any], list[Any]]] = RAISING, self._doubles

    @staticmethod
    @lru_cache(maxsize=64)
    def of(rows: tuple[Primitive, ...]) -> Kinds:
        """The kinds of these rows, made once."""
        return Kinds(rows)

    # What is bound to an arithmetic takes its numbers, which a loop of any arithmetic cannot name: Any to a checker.

    def bound(self, m: object) -> tuple[list[Any], list[Any]]:
        """In an arithmetic the function of the arguments that each kind is, and its slopes.

        These are the slope at the argument, a rule `(m, z, argument)`, or two rules for two arguments, None where not
        asked for.
        """
        if m is RAISING:
            return self._doubles
        latest, found = self._latest  # points come one after the other in one arithmetic
        if latest is not m:
            found = self._bound(m)
            self._latest = m, found
        return found

    def _bound(self, m: object) -> tuple[list[Any], list[Any]]:
        functions = {row: None if row is None else value(row, m) for row in dict.fromkeys(self._values)}
        slopes = [getattr(m, slope) if isinstance(slope, str) else slope for slope in self._slopes]
        return [functions[row] for row in self._values], slopes

    def of_slots(self, graph: Graph, silent: bytearray) -> Sequence[int]:
        """The kind of every slot; no derivative is asked of those that are `silent`."""
        every = map(self._first.__getitem__, graph.rows)
        kinds = bytearray(every) if len(self._values) <= _BYTE else array("H", every)
        if silent.find(1) >= 0:
            for slot, parents in enumerate(graph.parents):
                if not parents:
                    continue
                kind, row = kinds[slot], graph.rows[slot]
                if silent[slot]:
                    kinds[slot] = self._other[row]
                elif len(parents) == 2:
                    missing = silent[parents[0]] + 2 * silent[parents[1]]
                    if missing and kind < self.others:
                        kinds[slot] = kind + missing if missing < 3 else self._other[row]
                elif silent[parents[0]]:
                    kinds[slot] = self._other[row]
        return kinds


def _operation(row: Primitive, found: Partials) -> str:
    """Which of the operations that the loops do themselves a row is; "" for none."""
    if row.arity != 2:
        return ""
    function = value(row, RAISING)
    if function is operator.add and found.always == (1, 1):
        return "sum"
    if function is operator.sub and found.always == (1, -1):
        return "difference"
    return "product" if function is operator.mul and found.crossed else ""


def _ways(found: Partials) -> list[Slopes]:
    """The slopes of each kind that a row has."""
    if len(found.each) == 1:
        return [found.of_argument or found.each[0]]
    left, right = found.each
    return [(left, right), (None, right), (left, None)]


class Plan:
    """A graph with the kind of every slot, ready for any number of points and any arithmetic.

    `silent` has 1 for each slot of which no derivative is asked whatever the point: literals and conditions.
    """

    __slots__ = ("graph", "kinds", "of_slot", "silent")

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.kinds = Kinds.of(tuple([row for row in dict.fromkeys(graph.rows) if row is not None]))
        self.silent = graph.literal
        if self.kinds.truths:
            self.silent = bytearray(
                [known or (row is not None and row.truth) for known, row in zip(graph.literal, graph.rows, strict=True)]
            )
        self.of_slot = self.kinds.of_slots(graph, self.silent)
