"""Uncertainties of inputs: standard uncertainties, correlations and distributions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import chain

from ..records import NamedTuple


class Uncertainties(NamedTuple):
    """Uncertainties of the inputs of a program.

    sigmas        {input: standard uncertainty}
    correlations  {(input, input): correlation coefficient}
    shapes        {input: name of its distribution}; normal if missing
    """

    sigmas: Mapping[str, float]
    correlations: Mapping[tuple[str, str], float]
    shapes: Mapping[str, str]

    def among(self, inputs: Collection[str]) -> Uncertainties:
        """Return the part that is about these inputs only; of correlations those of two of them."""
        return Uncertainties(
            {name: x for name, x in self.sigmas.items() if name in inputs},
            {pair: x for pair, x in self.correlations.items() if pair[0] in inputs and pair[1] in inputs},
            {name: x for name, x in self.shapes.items() if name in inputs},
        )

    def correlation(self, a: str, b: str) -> float:
        """Return the correlation of two inputs: 1 for an input with itself, 0 if none is known."""
        return 1.0 if a == b else self.correlations.get((a, b), self.correlations.get((b, a), 0.0))

    def correlation_matrix(self) -> tuple[list[str], list[list[float]]]:
        """Return (names of the correlated inputs in order of appearance, their correlations by row and column)."""
        names = list(dict.fromkeys(chain.from_iterable(self.correlations)))
        return names, [[self.correlation(a, b) for b in names] for a in names]
