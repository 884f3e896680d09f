"""Uncertainties of inputs: standard uncertainties, correlations and distributions."""

from __future__ import annotations

from collections.abc import Collection, Mapping

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
