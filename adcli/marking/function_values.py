"""Function values (Prints): the values of the slots of a growing graph at several points, by which functions are
compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from ..graph.graph import Graph
from ..numbers.double_intervals import SPREAD, Spread
from ..numbers.doubles import apply

Print = tuple[Spread, ...]  # the values of a slot, one at each point
# Prints by operation and identities of the operands' prints, with these, which must stay alive.
KnownPrints = dict[tuple[object, ...], tuple[Print, list[Print]]]

_MOST = 4096  # prints that are kept


class Prints:
    """The values of the slots of a growing graph at all of its points, each computed once, as `prints[slot]`.

    An input that has no value at a point has a reproducible random value in [0.5, 1.5).
    """

    def __init__(self, graph: Graph, places: Sequence[Mapping[str, Spread]], known: KnownPrints | None = None) -> None:
        """Begin without values; `places` are the points: {name of an input: value} for each.

        `known` are values at the same points that were computed for other graphs; values computed here are added to it,
        in place.
        """
        self.graph, self.places = graph, places
        self._known: KnownPrints = {} if known is None else known
        self._prints: list[Print] = []

    def __getitem__(self, slot: int) -> Print:
        """Return the values of a slot, one at each point, from the cache if possible.

        Slots before it are evaluated first. Values outside a domain are undefined. Slots must not change once they are
        evaluated. Raises IndexError if the graph does not have the slot.
        """
        for s in range(len(self._prints), slot + 1):
            self._prints.append(self._print(s))
        return self._prints[slot]

    def _print(self, slot: int) -> Print:
        """Return the values of a slot at all points; the values of its operands are in `_prints`.

        They are taken from `_known` if possible, else stored there. The key is the name of an input, the text of a
        constant, or the operation and the identities of the operands' values. Once it has 4,096 entries it is emptied
        before the next one.
        """
        graph, known, count = self.graph, self._known, range(len(self.places))
        row, constant = graph.rows[slot], graph.constants.get(slot)
        operands = [self._prints[p] for p in graph.parents[slot]]
        leaf = graph.inputs.get(slot) if constant is None else (constant.text, constant.named)
        key = (leaf,) if row is None else (row, *map(id, operands))
        if key not in known:
            if row is None:
                values = tuple(self._leaf(slot, k) for k in count)
            else:
                values = tuple(SPREAD.number(apply(row, SPREAD, [p[k] for p in operands])) for k in count)
            if len(known) >= _MOST:
                known.clear()
            known[key] = values, operands
        return known[key][0]

    def _leaf(self, slot: int, k: int) -> Spread:
        """Return the value of the input or constant in `slot` at the point number `k`, from 0.

        An input that the point lacks has a reproducible random value in [0.5, 1.5), by its name and `k`.
        """
        if (name := self.graph.inputs.get(slot)) is None:
            return SPREAD.number(self.graph.constants[slot].read(SPREAD))
        if (known := self.places[k].get(name)) is not None:
            return known
        return SPREAD.number(0.5 + Random(f"{name} {k}").random())  # noqa: S311 - a symbol may be anything
