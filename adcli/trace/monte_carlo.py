"""Random draws of uncertain inputs, and what the outputs then are (JCGM 101:2008, clauses 7 and 8)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from ..engine.kernel import Kernel
from ..errors import RequestError
from ..extras import Later
from ..graph.graph import Graph
from ..records import NamedTuple

if TYPE_CHECKING:
    import numpy as np

    from ..engine.blocks import Doubles
    from .uncertainties import Uncertainties
else:
    np = Later("numpy", "numpy")

_BATCH = 1 << 18  # points at a time
_OUTSIDE = 0.025  # the probability on either side of the interval
_COVERAGE = 1.959963984540054  # of a normal distribution: so many standard deviations hold all but twice that
_DIGITS = 2  # of a standard uncertainty that are meaningful

Draw: TypeAlias = "Callable[[np.random.Generator, int], Doubles]"

# Distributions of mean 0 and standard deviation 1; what is t has the scale 1, as the guide has it.
SHAPES: Mapping[str, Draw] = {
    "normal": lambda random, count: random.standard_normal(count),
    "uniform": lambda random, count: random.uniform(-math.sqrt(3), math.sqrt(3), count),
    "triangular": lambda random, count: random.triangular(-math.sqrt(6), 0, math.sqrt(6), count),
    "arcsine": lambda random, count: math.sqrt(2) * np.sin(random.uniform(-math.pi, math.pi, count)),
}


class Drawn(NamedTuple):
    """What random points came to: mean, standard deviation, and the interval that holds 95 % of the values, as many
    below it as above.

    `first_order_will_do` says whether the ends of value ± 1.96 sigma agree with that interval to the two meaningful
    digits of sigma (JCGM 101, 8.1); None before they have been compared, and False where values are missing: `lost` of
    `draws` points have none.
    """

    mean: float
    sigma: float
    interval: tuple[float, float]
    draws: int
    lost: int
    first_order_will_do: bool | None = None

    def compared(self, value: float, sigma: float) -> Drawn:
        """The same with the verdict on a first-order result."""
        low, high = self.interval
        tolerance = _tolerance(sigma)
        far = max(abs(value - _COVERAGE * sigma - low), abs(value + _COVERAGE * sigma - high))
        return self._replace(first_order_will_do=not self.lost and far <= tolerance)


def _tolerance(sigma: float) -> float:
    """Half a unit of the last meaningful digit of a standard uncertainty (JCGM 101, 7.9.2)."""
    if not (0 < sigma < math.inf):
        return 0.0
    exponent = math.floor(math.log10(sigma)) - _DIGITS + 1
    if round(sigma / 10.0**exponent) == 10**_DIGITS:  # 9.96 has the digits 10
        exponent += 1
    return 0.5 * 10.0**exponent


def shape_of(text: str) -> Draw:
    """The distribution with this name; t(9) is Student's with nine degrees of freedom."""
    name, _, rest = text.partition("(")
    if name == "t" and rest.endswith(")") and rest[:-1].isdecimal() and 0 < int(rest[:-1]) <= 10**9:
        freedom = int(rest[:-1])
        return lambda random, count: random.standard_t(freedom, count)
    if text not in SHAPES:
        raise RequestError(f"there is no distribution called {text}", help=f"there are {', '.join(SHAPES)} and t(9)")
    return SHAPES[text]


class RandomPoints(NamedTuple):
    """How random points are drawn around any point: the kernel of the outputs, what is drawn for each uncertain input,
    how correlated ones are mixed, how many points, and where the random numbers begin.

    Every point has the same random numbers, in the order of the inputs, so that its results do not depend on others.
    """

    kernel: Kernel
    shapes: Mapping[str, Draw]
    mixing: tuple[list[str], Doubles] | None
    draws: int
    seed: int

    def deviations(self) -> Iterator[Mapping[str, Doubles]]:
        """So many standard deviations from the point, by input, for some points at a time."""
        random = np.random.default_rng(self.seed)
        for start in range(0, self.draws, _BATCH):
            size = min(_BATCH, self.draws - start)
            found = {name: draw(random, size) for name, draw in self.shapes.items()}
            if self.mixing is not None:
                names, matrix = self.mixing
                mixed = matrix @ np.array([found[name] for name in names])
                found |= dict(zip(names, mixed, strict=True))
            yield found

    def outputs(
        self, at: Mapping[str, float], sigmas: Mapping[str, float], deviations: Iterable[Mapping[str, Doubles]]
    ) -> dict[str, Drawn]:
        """What each output is at random points around this one."""
        values = {name: np.empty(self.draws) for name in self.kernel.outputs}
        start = 0
        for several in deviations:
            points: dict[str, float | Doubles] = dict(at)
            with np.errstate(over="ignore"):
                points |= {name: at[name] + sigmas[name] * x for name, x in several.items()}
            size = len(next(iter(several.values()), ())) or min(_BATCH, self.draws - start)
            found = self.kernel.evaluate(points)[0]
            for name, kept in values.items():
                kept[start : start + size] = found[name]
            start += size
        return {name: _summary(kept) for name, kept in values.items()}


def drawing(graph: Graph, given: Uncertainties, count: int, seed: int) -> RandomPoints:
    """How so many random points are drawn.

    Correlated inputs are normal: raises RequestError where they are to be anything else.
    """
    shapes = {
        name: shape_of(given.shapes.get(name, "normal")) for name in graph.inputs.values() if given.sigmas.get(name)
    }
    for pair in given.correlations:
        for name in pair:
            if given.shapes.get(name, "normal") != "normal":
                raise RequestError(f"{name} is correlated and has to be normal", help="leave its distribution out")
    return RandomPoints(Kernel(graph, "numpy"), shapes, _mixing(given), count, seed)


def _mixing(given: Uncertainties) -> tuple[list[str], Doubles] | None:
    """The correlated inputs, and the matrix that makes such numbers of independent ones."""
    names = list(dict.fromkeys(name for pair in given.correlations for name in pair))
    if not names:
        return None
    correlations = np.eye(len(names))
    for (a, b), x in given.correlations.items():
        i, j = names.index(a), names.index(b)
        correlations[i, j] = correlations[j, i] = x
    sizes, directions = np.linalg.eigh(correlations)
    return names, directions * np.sqrt(np.clip(sizes, 0, None))


def _summary(values: Doubles) -> Drawn:
    kept = values[np.isfinite(values)]
    lost = len(values) - len(kept)
    if len(kept) < 2:
        return Drawn(math.nan, math.nan, (math.nan, math.nan), len(values), lost)
    low, high = np.quantile(kept, [_OUTSIDE, 1 - _OUTSIDE])
    _, exponent = np.frexp(np.abs(kept).max())  # over so large a power of two no sum of squares is too large
    with np.errstate(over="ignore", under="ignore"):
        scaled = np.ldexp(kept, -exponent)
        mean, sigma = (float(np.ldexp(x, exponent)) for x in (scaled.mean(), scaled.std(ddof=1)))
    return Drawn(mean, sigma, (float(low), float(high)), len(values), lost)
