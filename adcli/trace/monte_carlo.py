"""Monte Carlo propagation of uncertainty: random draws of the inputs, and statistics of the outputs.

Source: JCGM 101:2008, clauses 7 and 8.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain

from ..engine.kernel import Kernel
from ..engine.numpy_doubles import Doubles, np
from ..errors import RequestError, unknown
from ..graph.graph import Graph
from ..records import NamedTuple
from ..typings import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from .uncertainties import Uncertainties

_BATCH = 1 << 18  # points at a time
_OUTSIDE = 0.025  # the probability on either side of the interval
_COVERAGE = 1.959963984540054  # of a normal distribution: this many standard deviations hold all but twice that
_DIGITS = 2  # of a standard uncertainty that are meaningful

Draw: TypeAlias = "Callable[[np.random.Generator, int], Doubles]"

# Distributions of mean 0 and standard deviation 1; what is t has the scale 1, as the guide has it.
SHAPES: Mapping[str, Draw] = {
    "normal": lambda random, count: random.standard_normal(count),
    "uniform": lambda random, count: random.uniform(-math.sqrt(3), math.sqrt(3), count),
    "triangular": lambda random, count: random.triangular(-math.sqrt(6), 0, math.sqrt(6), count),
    "arcsine": lambda random, count: math.sqrt(2) * np.sin(random.uniform(-math.pi, math.pi, count)),
}


class DrawStatistics(NamedTuple):
    """Statistics of one output over random points.

    mean, sigma          mean and standard deviation (with n − 1)
    interval             from the 2.5 % to the 97.5 % quantile
    draws                the number of points; `lost` of them have no finite value and are left out
    first_order_will_do  whether the ends of value ± 1.96 sigma agree with the interval to the two meaningful digits of
                         sigma (JCGM 101, 8.1); False if points are lost, None before `compare_first_order`
    """

    mean: float
    sigma: float
    interval: tuple[float, float]
    draws: int
    lost: int
    first_order_will_do: bool | None = None

    def compare_first_order(self, value: float, sigma: float) -> DrawStatistics:
        """Return the same with `first_order_will_do` set for a first-order result."""
        low, high = self.interval
        tolerance = _numerical_tolerance(sigma)
        far = max(abs(value - _COVERAGE * sigma - low), abs(value + _COVERAGE * sigma - high))
        return self._replace(first_order_will_do=not self.lost and far <= tolerance)


def _numerical_tolerance(sigma: float) -> float:
    """Return half a unit of the second significant digit of `sigma`, a standard uncertainty (JCGM 101, 7.9.2).

    `sigma` is rounded to two digits first: 9.96 has the digits 10, not 9.9. 0 if `sigma` is not positive and finite.
    """
    if not (0 < sigma < math.inf):
        return 0.0
    exponent = math.floor(math.log10(sigma)) - _DIGITS + 1
    if round(sigma / 10.0**exponent) == 10**_DIGITS:  # 9.96 has the digits 10
        exponent += 1
    return 0.5 * 10.0**exponent


def shape_of(text: str) -> Draw:
    """Return the function that draws from the distribution named `text`, called with a random generator and a count.

    `text` is one of SHAPES (mean 0, standard deviation 1) or `t(9)`: Student's distribution with scale 1 and, here, 9
    degrees of freedom, an integer from 1 to 10^9. Raises RequestError for another name or number of degrees.
    """
    name, _, rest = text.partition("(")
    if name == "t" and rest.endswith(")") and rest[:-1].isdecimal() and 0 < int(rest[:-1]) <= 10**9:
        freedom = int(rest[:-1])
        return lambda random, count: random.standard_t(freedom, count)
    if text not in SHAPES:
        raise unknown("distribution", text, f"available are {', '.join(SHAPES)} and t(9)")
    return SHAPES[text]


class RandomPoints(NamedTuple):
    """A plan for drawing random points around any point.

    kernel  evaluates the outputs
    shapes  the distribution of each uncertain input
    mixing  names of correlated inputs, and the matrix that correlates independent numbers; None if there are none
    draws   the number of points
    seed    of the random numbers, which are the same around every point
    """

    kernel: Kernel
    shapes: Mapping[str, Draw]
    mixing: tuple[list[str], Doubles] | None
    draws: int
    seed: int

    def deviations(self) -> Iterator[Mapping[str, Doubles]]:
        """Yield batches of random deviations of the uncertain inputs from the point, `draws` in all.

        Each batch is {input: numbers}, with up to 262,144 numbers from its distribution in `shapes`; the unit is the
        standard uncertainty of the input. Deviations of the correlated inputs are multiplied by the matrix in `mixing`.
        Every call yields the same numbers, because it starts from `seed`. If no input is uncertain, as many batches
        come, but empty.
        """
        random = np.random.default_rng(self.seed)
        for start in range(0, self.draws, _BATCH):
            size = min(_BATCH, self.draws - start)
            deviations = {name: draw(random, size) for name, draw in self.shapes.items()}
            if self.mixing is not None:
                names, matrix = self.mixing
                mixed = matrix @ np.array([deviations[name] for name in names])
                deviations |= dict(zip(names, mixed, strict=True))
            yield deviations

    def output_statistics(
        self, at: Mapping[str, float], sigmas: Mapping[str, float], deviations: Iterable[Mapping[str, Doubles]]
    ) -> dict[str, DrawStatistics]:
        """Return statistics of each output at the random points around `at`, by output name.

        An input has the value `at[name] + sigmas[name] * deviation`. `at` has all inputs, `sigmas` the standard
        uncertainties of those with deviations. `deviations` are the batches of `self.deviations()`, in units of the
        standard uncertainty, `self.draws` numbers in all for each input. An input without deviations keeps its value;
        an empty batch counts as up to 262,144 points. Points at which an output is not finite are left out of its
        statistics and counted in `lost`. `first_order_will_do` is None.
        """
        values = {name: np.empty(self.draws) for name in self.kernel.outputs}
        start = 0
        for several in deviations:
            with np.errstate(over="ignore"):
                points = {**at, **{name: at[name] + sigmas[name] * x for name, x in several.items()}}
            size = len(next(iter(several.values()), ())) or min(_BATCH, self.draws - start)
            values_by_output = self.kernel.evaluate(points)[0]
            for name, kept in values.items():
                kept[start : start + size] = values_by_output[name]
            start += size
        return {name: _summary(kept) for name, kept in values.items()}


def plan_draws(graph: Graph, spread: Uncertainties, count: int, seed: int) -> RandomPoints:
    """Return the plan for drawing `count` random points around any point, from `seed`.

    Outputs are evaluated by the engine numpy. Inputs whose uncertainty is 0 or missing are not drawn (their
    distribution is not looked up); those without a distribution are normal. Raises RequestError for an unknown
    distribution, or if a correlated input is not normal. `spread` has the uncertainties, correlations and distributions
    of the inputs.
    """
    uncertain = filter(spread.sigmas.get, graph.inputs.values())
    shapes = {name: shape_of(spread.shapes.get(name, "normal")) for name in uncertain}
    for name in chain.from_iterable(spread.correlations):
        if spread.shapes.get(name, "normal") != "normal":
            title = f"the input {name} has a correlation, so its distribution must be normal"
            raise RequestError(title, help=f"leave out the distribution of {name}")
    return RandomPoints(Kernel(graph, "numpy"), shapes, _mixing_matrix(spread), count, seed)


def _mixing_matrix(spread: Uncertainties) -> tuple[list[str], Doubles] | None:
    """Return (names of the correlated inputs, a matrix A with A·Aᵀ their correlation matrix); None if there are none.

    Negative eigenvalues of the matrix count as 0.
    """
    names, correlations = spread.correlation_matrix()
    if not names:
        return None
    sizes, directions = np.linalg.eigh(correlations)
    return names, directions * np.sqrt(np.clip(sizes, 0, None))


def _summary(values: Doubles) -> DrawStatistics:
    """Return statistics of the finite values of an output, and how many values are not finite (`lost`).

    Standard deviation with n − 1, interval from the 2.5 % to the 97.5 % quantile. Statistics are nan if fewer than two
    values are finite.
    """
    kept = values[np.isfinite(values)]
    lost = len(values) - len(kept)
    if len(kept) < 2:
        return DrawStatistics(math.nan, math.nan, (math.nan, math.nan), len(values), lost)
    low, high = np.quantile(kept, [_OUTSIDE, 1 - _OUTSIDE])
    _, exponent = np.frexp(np.abs(kept).max())  # over so large a power of two no sum of squares is too large
    with np.errstate(over="ignore", under="ignore"):
        scaled = np.ldexp(kept, -exponent)
        mean, sigma = (float(np.ldexp(x, exponent)) for x in (scaled.mean(), scaled.std(ddof=1)))
    return DrawStatistics(mean, sigma, (float(low), float(high)), len(values), lost)
