"""The plan of a graph: the kind of each slot, by which the loops of `tape` choose its operation.

A kind is a small integer, so that a loop selects by comparisons alone.  The kinds of a set of rows are computed once
and shared by all graphs with these rows.
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

    # The partials of a kind: the name of a function of the arithmetic (of the only argument), a partial rule, a pair of
    # rules (None for the argument whose partial is not needed), or None if the row itself has to be called.
    Slopes: TypeAlias = str | PartialRule | tuple[PartialRule | None, PartialRule | None] | None

# The loops themselves compute the first kinds: sums from 0, products from PRODUCTS, differences from DIFFERENCES (three
# kinds each: both partials needed, + 1 not the first, + 2 not the second), and leaves; others begin at FUNCTIONS.
PRODUCTS, DIFFERENCES, LEAF, FUNCTIONS = 3, 6, 9, 10
_BEGINNINGS: Final = {"sum": 0, "product": PRODUCTS, "difference": DIFFERENCES}
_BYTE: Final = 256


class Kinds:
    """The numbering of the kinds of a set of rows; `rows` are distinct.

    FUNCTIONS … ruled-1   one argument; the partial is a function of the arithmetic, called on the argument
    ruled … pairs-1       one argument and a partial rule `(m, z, argument)`
    pairs … others-1      two arguments, three kinds for each row as for sums
    others …              one kind for every row, whatever its arguments: the loop calls the rules of the row
    routed, truths        whether any row has branches (`route`), or is a condition (`truth`)
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
            rules = partials(row)
            if rules is None or row.truth or row.route is not None:
                continue
            operation = _operation(row, rules)
            if operation:
                self._first[row] = _BEGINNINGS[operation]
            else:
                groups[2 if row.arity == 2 else not rules.of_argument].append((row, rules))
        starts = []
        for group in groups:
            starts.append(len(self._values))
            for row, rules in group:
                self._first[row] = len(self._values)
                slopes = _slopes_of_kinds(rules)
                self._slopes += slopes
                self._values += [row] * len(slopes)
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
        """Return the Kinds of these rows; the last 64 are cached."""
        return Kinds(rows)

    # Functions bound to one arithmetic take its numbers, a type that a generic loop cannot name: Any to a type checker.

    def bound(self, m: object) -> tuple[list[Any], list[Any]]:
        """Return two lists indexed by kind: value functions in the arithmetic `m`, and slopes; None if there is none.

        A value function takes the arguments alone.  A slope is a function of the only argument, a rule
        `(m, z, argument)`, or a pair of rules `(m, z, first, second)`, None for a partial that is not needed.  Those of
        RAISING and of the latest other arithmetic are cached.
        """
        if m is RAISING:
            return self._doubles
        latest, latest_functions = self._latest  # many points in a row use the same arithmetic
        if latest is not m:
            latest_functions = self._bound(m)
            self._latest = m, latest_functions
        return latest_functions

    def _bound(self, m: object) -> tuple[list[Any], list[Any]]:
        """Return what `bound` describes, computed."""
        functions = {row: None if row is None else value(row, m) for row in dict.fromkeys(self._values)}
        slopes = [getattr(m, slope) if isinstance(slope, str) else slope for slope in self._slopes]
        return [functions[row] for row in self._values], slopes

    def of_slots(self, graph: Graph, silent: bytearray) -> Sequence[int]:
        """Return the kind of every slot; no derivatives with respect to slots with 1 in `silent` are needed.

        A slot that is silent itself, or whose one or two arguments all are, gets the kind of its row in `others`.
        """
        first_kinds = map(self._first.__getitem__, graph.rows)
        kinds = bytearray(first_kinds) if len(self._values) <= _BYTE else array("H", first_kinds)
        if silent.find(1) >= 0:
            for slot, parents in enumerate(graph.parents):
                if not parents:
                    continue
                kind, row = kinds[slot], graph.rows[slot]
                if silent[slot]:
                    kinds[slot] = self._other[row]
                elif len(parents) == 2:
                    silent_arguments = silent[parents[0]] + 2 * silent[parents[1]]
                    if silent_arguments and kind < self.others:
                        kinds[slot] = kind + silent_arguments if silent_arguments < 3 else self._other[row]
                elif silent[parents[0]]:
                    kinds[slot] = self._other[row]
        return kinds


def _operation(row: Primitive, rules: Partials) -> str:
    """Return "sum", "difference" or "product" if the loops can compute this row themselves, else ""."""
    if row.arity != 2:
        return ""
    function = value(row, RAISING)
    if function is operator.add and rules.always == (1, 1):
        return "sum"
    if function is operator.sub and rules.always == (1, -1):
        return "difference"
    return "product" if function is operator.mul and rules.crossed else ""


def _slopes_of_kinds(rules: Partials) -> list[Slopes]:
    """Return the slopes of the kinds of one row: one for one argument, three for two (see Kinds)."""
    if len(rules.each) == 1:
        return [rules.of_argument or rules.each[0]]
    left, right = rules.each
    return [(left, right), (None, right), (left, None)]


class Plan:
    """A graph with its kinds: `of_slot` is the kind of every slot, for any point and any arithmetic.

    `silent` has 1 for each slot with respect to which no derivative is ever needed: literals and conditions.
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
