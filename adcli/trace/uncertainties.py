"""What is known of the uncertainties of inputs."""

from __future__ import annotations

from collections.abc import Mapping

from ..records import NamedTuple


class Uncertainties(NamedTuple):
    """Standard uncertainties by input, the correlations of pairs of them, and what is drawn for each (else normal)."""

    sigmas: Mapping[str, float]
    correlations: Mapping[tuple[str, str], float]
    shapes: Mapping[str, str]
