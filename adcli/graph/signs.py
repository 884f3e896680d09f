"""What can be known of the signs of a graph's slots without a point: what decides conditions that need not be written.

Nothing is said here about particular functions: a row of the table is tried on arguments of every sign that its own
arguments can have.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from itertools import product
from typing import Any, NamedTuple

from ..calculus.algebra import FLOAT
from ..calculus.primitive import Primitive
from .node import Graph
from .tape import literal_value

Signs = frozenset[int]
ANY: Signs = frozenset((-1, 0, 1))
_SIZES = (1e-3, 0.3, 0.5, 1.0, 1.5, 2.0, 3.0, 7.25, 40.0)
_TRIALS = {-1: tuple(-x for x in reversed(_SIZES)), 0: (0.0,), 1: _SIZES}
_MOST = 1000  # trials of one function


def _sign(x: float) -> int:
    return (x > 0) - (x < 0)


class Knowledge:
    """The possible signs of slots, wherever the slots of `always` have values.

    `always` are slots that are evaluated in any case: their domains are facts about their arguments, save for those in
    `without`.  Slots below `given` and those of `valued` have values wherever the function has one.  `used` are the
    slots of which a fact was of use, `trusted` those of `valued` that were, `seen` what trying functions has told so
    far.
    """

    def __init__(
        self,
        graph: Graph,
        always: Iterable[int] = (),
        *,
        given: int = 0,
        without: Collection[int] = (),
        valued: Collection[int] = (),
        seen: dict[object, _Outcome] | None = None,
    ) -> None:
        self.graph = graph
        self.given = given
        self.without = without
        self.valued = frozenset(valued)
        self._signs: list[Signs] = []
        self._facts: dict[int, Signs] = {}
        self.seen: dict[object, _Outcome] = {} if seen is None else seen
        self.used: set[int] = set()
        self.trusted: set[int] = set()
        for slot in always:
            self.learn(slot)
        self._signs.clear()  # found again when they are asked for, with what is known now
        self.used.clear()

    def of(self, slot: int) -> Signs:
        """The signs that a slot can have."""
        while len(self._signs) <= slot:
            self._signs.append(self._found(len(self._signs)))
        found, fact = self._signs[slot], self._facts.get(slot, ANY)
        if not found <= fact:
            self.used.add(slot)
        return found & fact

    def cases(self, slot: int) -> frozenset[tuple[tuple[int, ...], int]]:
        """Which signs of its arguments lead to which sign of an operation."""
        return self._tried(slot).cases

    def never_zero(self, slot: int) -> bool:
        return 0 not in self.of(slot)

    def learn(self, slot: int) -> None:
        """Takes note of what a slot's domain asks of its arguments, and of what that asks of theirs."""
        row = self.graph.rows[slot]
        if row is None or not row.domain:
            return
        waiting = [slot]
        while waiting:
            current = waiting.pop()
            if self.graph.rows[current] is None or len(self.graph.parents[current]) > 2:
                continue
            # pass on what is known of a slot to its arguments: x^2 is not 0, so x is not
            outcome, signs = self._tried(current), self._facts.get(current, ANY)
            for position, parent in enumerate(self.graph.parents[current]):
                allowed = {arguments[position] for arguments, sign in outcome.cases if sign in signs}
                known = self.of(parent)
                if allowed and not known <= allowed and not self.graph.literal[parent] and parent not in self.without:
                    self._facts[parent] = known & allowed
                    waiting.append(parent)

    def has_value(self, slot: int) -> bool:
        """Whether a slot certainly has a value wherever the function has one."""
        stack = [slot]
        while stack:
            current = stack.pop()
            row = self.graph.rows[current]
            if current < self.given or row is None:
                continue
            if current in self.valued:
                self.trusted.add(current)
                continue
            if not self._tried(current).total:
                return False
            stack.extend(self.graph.parents[current])
        return True

    def _kinds(self, slot: int) -> tuple[Any, ...]:
        """What is known of each argument of a slot: its number, or its signs."""
        graph = self.graph
        return tuple(
            [
                float(literal_value(graph, FLOAT, parent)) if graph.literal[parent] else self.of(parent)
                for parent in graph.parents[slot]
            ]
        )

    def _found(self, slot: int) -> Signs:
        graph = self.graph
        if graph.literal[slot]:
            number = literal_value(graph, FLOAT, slot)
            return frozenset((_sign(number),)) if number == number else ANY
        return ANY if graph.rows[slot] is None else self._tried(slot).signs

    def _tried(self, slot: int) -> _Outcome:
        row = self.graph.rows[slot]
        assert row is not None  # only operations are tried  # noqa: S101
        parents = self.graph.parents[slot]
        if len(parents) > 3:
            return _Outcome(ANY, False, frozenset())
        same = tuple([parents.index(p) for p in parents])
        key = (row.name, self._kinds(slot), same)
        found = self.seen.get(key)
        if found is None:
            found = self.seen[key] = _outcome(row, _combined(key[1], same))
        return found


def _combined(kinds: Sequence[Any], same: Sequence[int]) -> list[tuple[float, ...]]:
    """All combinations of trials for arguments of these kinds; one slot in two places has one value."""
    trials = [
        (kind,) if isinstance(kind, float) else tuple(x for sign in sorted(kind) for x in _TRIALS[sign])
        for kind in kinds
    ]
    distinct = sorted(set(same))
    if math.prod(len(trials[place]) for place in distinct) > _MOST:
        return []
    places = [distinct.index(place) for place in same]
    chosen = product(*(trials[place] for place in distinct))
    return [tuple([values[place] for place in places]) for values in chosen]


class _Outcome(NamedTuple):
    """What came of trying a function: the signs of its values, whether there always was one, and which signs of the
    arguments led to which sign of the value."""

    signs: Signs
    total: bool
    cases: frozenset[tuple[tuple[int, ...], int]]


def _outcome(row: Primitive, trials: Sequence[tuple[float, ...]]) -> _Outcome:
    cases: set[tuple[tuple[int, ...], int]] = set()
    total = bool(trials)
    for arguments in trials:
        if row.broken(FLOAT, arguments) is not None:
            total = False
            continue
        try:
            z: Any = row.value(FLOAT, *arguments)
        except (ZeroDivisionError, OverflowError, ValueError):
            total = False
            continue
        if z == z:
            cases.add((tuple([_sign(x) for x in arguments]), _sign(z)))
    return _Outcome(frozenset(sign for _, sign in cases) or ANY, total, frozenset(cases))


def always_evaluated(graph: Graph, slots: Sequence[int]) -> list[int]:
    """The slots that the given ones need in any case: not those in branches that may not be taken."""
    needed = bytearray(len(graph))
    for slot in slots:
        needed[slot] = 1
    for slot in range(len(graph) - 1, -1, -1):
        if needed[slot]:
            row, parents = graph.rows[slot], graph.parents[slot]
            for parent in parents[:1] if row is not None and row.route is not None else parents:
                needed[parent] = 1
    return [slot for slot in range(len(graph)) if needed[slot]]
