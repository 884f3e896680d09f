"""What functions are known by: their values at the point of a task and at the random points."""

from __future__ import annotations

from ..graph.rules import apply
from ..numbers.spread import SPREAD, Spread
from .worksheet import Worksheet, close

Print = tuple[Spread, ...]


class Prints:
    """The values of the slots of a growing worksheet at all its points, each worked out once."""

    def __init__(self, sheet: Worksheet) -> None:
        self.sheet = sheet
        self.values: list[list[Spread]] = [[] for _ in sheet.places]

    def __getitem__(self, slot: int) -> Print:
        graph = self.sheet.graph
        for values, place in zip(self.values, self.sheet.places, strict=True):
            for s in range(len(values), slot + 1):
                row = graph.rows[s]
                if row is not None:
                    found = apply(row, SPREAD, [values[p] for p in graph.parents[s]])
                else:
                    name = graph.inputs.get(s)
                    found = graph.constants[s].read(SPREAD) if name is None else place[name]
                values.append(SPREAD.number(found))
        return tuple(values[slot] for values in self.values)


def same(mine: Print, theirs: Print) -> bool:
    """Whether two functions agree wherever doubles can tell, and can be told to somewhere."""
    verdicts = [close(a, b) for a, b in zip(mine, theirs, strict=True)]
    defined = all(a.known or not b.known for a, b in zip(mine, theirs, strict=True))
    return defined and False not in verdicts and True in verdicts
