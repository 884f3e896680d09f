"""Function values: what the slots of a growing graph are at several points, by which functions are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from ..graph.graph import Graph
from ..graph.rules import apply
from ..numbers.double_intervals import SPREAD, Spread

Print = tuple[Spread, ...]  # the values of a slot, one at each point


class Prints:
    """The values of the slots of a growing graph at all of its points, each computed once.

    An input that has no value at a point has a reproducible random one in [0.5, 1.5).
    """

    def __init__(self, graph: Graph, places: Sequence[Mapping[str, Spread]]) -> None:
        """Begin without values; `places` are the points: the values of inputs by name."""
        self.graph, self.places = graph, places
        self._prints: list[Print] = []

    def __getitem__(self, slot: int) -> Print:
        """Return the values of a slot, in the order of the points, from the cache if possible; new slots before it are
        evaluated first.

        Values outside a domain are undefined. Slots must not change once they are evaluated; raises IndexError if the
        graph does not have the slot.
        """
        count = range(len(self.places))
        for s in range(len(self._prints), slot + 1):
            row = self.graph.rows[s]
            if row is None:
                self._prints.append(tuple(self._leaf(s, k) for k in count))
            else:
                parents = [self._prints[p] for p in self.graph.parents[s]]
                self._prints.append(tuple(SPREAD.number(apply(row, SPREAD, [p[k] for p in parents])) for k in count))
        return self._prints[slot]

    def _leaf(self, slot: int, k: int) -> Spread:
        """Return the value of the input or constant in `slot` at the point number `k`, from 0.

        An input that the point lacks has a reproducible random value in [0.5, 1.5), by its name and `k`.
        """
        name = self.graph.inputs.get(slot)
        if name is None:
            return SPREAD.number(self.graph.constants[slot].read(SPREAD))
        known = self.places[k].get(name)
        if known is not None:
            return known
        return SPREAD.number(0.5 + Random(f"{name} {k}").random())  # noqa: S311 - a symbol may be anything
