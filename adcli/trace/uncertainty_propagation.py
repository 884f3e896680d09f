"""Propagation of uncertainty: from standard uncertainties of the inputs to those of the outputs.

First order from the gradient, second order from the Hessian, and optionally random draws.  Sources: the Guide to the
expression of uncertainty in measurement (GUM, JCGM 100:2008), 5.1 and 5.2, and its supplement 1 (JCGM 101:2008).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence

from ..errors import DomainProblem, RequestError
from ..language.program import Program
from ..numbers.doubles import scaled_product, times_power
from ..records import NamedTuple
from ..table.suggest import check_inputs
from ..typings import TYPE_CHECKING
from .trace_model import Note, Request, Trace
from .trace_program import trace
from .uncertainties import Uncertainties

if TYPE_CHECKING:
    from .monte_carlo import DrawStatistics

_ROUNDING = 1e-9  # how far below 0 a pivot of a correlation matrix may be by rounding


class Contribution(NamedTuple):
    """The contribution of one input to an output's uncertainty.

    `sigma` is its standard uncertainty, `contribution` |slope|·sigma.  `share` is its fraction of the variance: those
    of all inputs add up to 1, may be negative if inputs are correlated, and None if the variance is 0 or not finite.
    """

    slope: float
    sigma: float
    contribution: float
    share: float | None


class Moments(NamedTuple):
    """Mean and standard deviation."""

    mean: float
    sigma: float


class Propagated(NamedTuple):
    """One output: its value and standard uncertainty to first order, its moments to second, its budget by input.

    `second_order` is exact for a quadratic function of normal inputs; None if second derivatives are missing or not
    finite.
    """

    name: str
    shown: str
    value: float
    sigma: float
    second_order: Moments | None
    budget: dict[str, Contribution]
    monte_carlo: DrawStatistics | None

    @property
    def is_curved(self) -> bool:
        """Return whether the standard uncertainty to second order is more than a tenth larger than that to first order.

        A difference of up to 1e-12 of the value does not count; False without a second order.
        """
        second = self.second_order
        return second is not None and second.sigma > 1.1 * self.sigma + abs(self.value) * 1e-12


class Propagation(NamedTuple):
    """The outputs of a program at an uncertain point; `trace` has the point and the graph."""

    trace: Trace
    uncertainties: Uncertainties
    outputs: list[Propagated]
    notes: list[Note]


def propagate_uncertainties(
    program: Program,
    at: Mapping[str, float],
    spread: Uncertainties,
    label: str | None = None,
    draws: int | None = None,
    seed: int = 0,
) -> Propagation:
    """Return the value and the uncertainty of every output of `program`, to first and second order, with a budget.

    `at` is the point by input name, `spread` has the uncertainties (an input without one is exact), `label` is the
    problem's label. Second derivatives are always computed. With `draws` there are also statistics of this many random
    points, compared with first order; their random numbers start from `seed`, and points without a value are left out
    and counted. Notes are those of the trace, then those on outputs and on the domain.

    Raises NameProblem for an input without a value, DomainProblem without a value, and RequestError for uncertainties
    that are negative, contradictory or of names that are not inputs; with `draws` also for an unknown distribution, and
    for a correlated input that is not normal.
    """
    point_trace = trace(program, at, Request("reverse", steps=False, hessian=True), label)
    inputs = list(point_trace.graph.inputs.values())
    check_uncertainties(inputs, spread)
    statistics: Mapping[str, DrawStatistics] = {}
    if draws is not None:
        from .monte_carlo import plan_draws

        drawer = plan_draws(point_trace.graph, spread, draws, seed)
        statistics = drawer.output_statistics({name: at[name] for name in inputs}, spread.sigmas, drawer.deviations())
    outputs = []
    for output, second in zip(point_trace.outputs, point_trace.second, strict=True):
        gradient = output.gradient or {}
        sigma, budget = _first_order(gradient, spread)
        curved = _second_order(output.value, sigma, second.hessian, spread)
        points = statistics[output.name].compare_first_order(output.value, sigma) if output.name in statistics else None
        outputs.append(Propagated(output.name, output.shown, output.value, sigma, curved, budget, points))
    remarks = [*_make_notes(outputs), *_domain_remarks(program, at, spread)]
    return Propagation(point_trace, spread, outputs, [*point_trace.notes, *remarks])


def _domain_remarks(program: Program, at: Mapping[str, float], spread: Uncertainties) -> list[Note]:
    """Return a note for each input and side on which the program has no value one standard uncertainty from the point.

    The inputs are moved one at a time, down and then up, in the order of `spread`. A note is of kind "domain", on no
    row, with the input's value and the reason. Inputs with uncertainty 0 or not in `at` are skipped. Errors other than
    DomainProblem are passed on.
    """
    notes = []
    for name, sigma in spread.sigmas.items():
        for sign in (-1, 1) if sigma and name in at else ():
            shifted_value = at[name] + sign * sigma
            try:
                trace(program, {**at, name: shifted_value}, Request("value", steps=False))
            except DomainProblem as problem:
                text = f"within one σ of {name} there is no value: at {name} = {shifted_value:.6g}, {problem.title}"
                notes.append(Note(None, "domain", text))
    return notes


def check_uncertainties(inputs: Sequence[str], spread: Uncertainties) -> None:
    """Check the uncertainties, correlations and distributions of `spread` against the names of the `inputs`.

    Raises RequestError for a name that is not an input, for an uncertainty that is negative or nan, for a correlated
    input without uncertainty (or with 0), and if the correlation matrix is not positive semidefinite (as with a
    correlation above 1). Whether a distribution is known is not checked.
    """
    check_inputs(itertools.chain(spread.sigmas, spread.shapes, *spread.correlations), inputs)
    for name, sigma in spread.sigmas.items():
        if not sigma >= 0:
            raise RequestError(f"the uncertainty of {name} is {sigma:g}", help="an uncertainty is 0 or positive")
    names, matrix = spread.correlation_matrix()
    for name in names:
        if not spread.sigmas.get(name):
            raise RequestError(
                f"the input {name} has a correlation, but no uncertainty", help=f"write {name}=value±sigma"
            )
    if not _is_positive_semidefinite(matrix):
        advice = "the correlation matrix has to be positive semidefinite"
        raise RequestError("these correlations contradict each other", help=advice)


def _is_positive_semidefinite(matrix: list[list[float]]) -> bool:
    """Return whether a symmetric matrix has no negative eigenvalue, up to rounding.

    By elimination with the largest diagonal entry as pivot. If the largest pivot is at most 1e-9, all entries that are
    left must be at most √1e-9 in size. True for an empty matrix.
    """
    rows = [list(row) for row in matrix]
    while rows:
        pivot = max(range(len(rows)), key=lambda k: rows[k][k])
        size = rows[pivot][pivot]
        if size <= _ROUNDING:
            return all(abs(x) <= math.sqrt(_ROUNDING) for row in rows for x in row)
        rest = [k for k in range(len(rows)) if k != pivot]
        rows = [[rows[i][j] - rows[i][pivot] * rows[pivot][j] / size for j in rest] for i in rest]
    return True


def _first_order(gradient: Mapping[str, float], spread: Uncertainties) -> tuple[float, dict[str, Contribution]]:
    """Return (standard uncertainty, budget by input): the variance is gᵀ·C·g (GUM, equation 13).

    `gradient` is g by input; C is the covariance matrix of `spread`. The budget has a Contribution for every input of
    `gradient`: slope, sigma (0 without uncertainty), |slope|·sigma, and the fraction of the variance, including its
    covariances with other inputs (None if the variance is 0 or not finite). Inputs with sigma 0 contribute nothing,
    whatever their slope. If a slope·sigma is nan, so is the uncertainty, else infinite if one is infinite; a variance
    below 0 counts as 0. Numbers are scaled by a power of two before they are squared, so that nothing overflows or
    underflows.
    """
    moves = {name: slope * spread.sigmas[name] for name, slope in gradient.items() if spread.sigmas.get(name)}
    size = _size(moves.values())
    parts = {name: times_power(x, -size) for name, x in moves.items()}
    contributions = dict.fromkeys(gradient, 0.0)
    if all(map(math.isfinite, parts.values())):
        for a, x in parts.items():
            contributions[a] = math.fsum(x * spread.correlation(a, b) * y for b, y in parts.items())
        variance = max(math.fsum(contributions.values()), 0.0)
    else:
        variance = math.nan if any(x != x for x in parts.values()) else math.inf
    budget = {}
    for name, slope in gradient.items():
        share = contributions[name] / variance if 0 < variance < math.inf else None
        budget[name] = Contribution(slope, spread.sigmas.get(name, 0.0), abs(moves.get(name, 0.0)), share)
    return times_power(math.sqrt(variance), size), budget


def _size(numbers: Iterable[float]) -> int:
    """Return the least exponent e with |x| < 2^e for all finite nonzero numbers; 0 if there are none."""
    return max((math.frexp(x)[1] for x in numbers if x and math.isfinite(x)), default=0)


def _second_order(
    value: float, sigma: float, hessian: Mapping[str, Mapping[str, float]] | None, spread: Uncertainties
) -> Moments | None:
    """Return the Moments to second order; None without a Hessian, or if a number is not finite.

    They are the mean f + tr(H·C)/2, and the root of the variance gᵀ·C·g + tr(H·C·H·C)/2, exact for a quadratic function
    of normal inputs. `value` is f, `sigma` the first-order uncertainty (the root of gᵀ·C·g), `hessian` is H by input
    and input; C is the covariance matrix of `spread`. Inputs without uncertainty are left out; a second trace below 0
    counts as 0.
    """
    if hessian is None:
        return None
    names = [name for name in hessian if spread.sigmas.get(name)]
    pairs = list(itertools.product(names, names))
    curved = {(a, b): scaled_product(hessian[a][b], spread.sigmas[a], spread.sigmas[b]) for a, b in pairs}
    if not all(map(math.isfinite, curved.values())):
        return None
    size = _size(curved.values())
    scaled = {pair: times_power(x, -size) for pair, x in curved.items()}
    product = {(a, b): math.fsum(scaled[a, c] * spread.correlation(c, b) for c in names) for a, b in pairs}
    trace_of_product = math.fsum(product[a, a] for a in names)
    trace_of_square = math.fsum(product[a, b] * product[b, a] for a, b in pairs)
    more = times_power(math.sqrt(max(trace_of_square / 2, 0.0)), size)
    moments = Moments(value + times_power(trace_of_product / 2, size), math.hypot(sigma, more))
    return moments if all(map(math.isfinite, moments)) else None


def _make_notes(outputs: Sequence[Propagated]) -> list[Note]:
    """Return notes on the outputs, output by output, on no row.

    A note of kind "domain" says how many random points have no value, if there are any. Without random draws, one of
    kind "curvature" says that the uncertainty to second order is more than a tenth larger than that to first order
    (`is_curved`).
    """
    notes = []
    for output in outputs:
        simulation = output.monte_carlo
        if simulation is not None and simulation.lost:
            without_value = f"{simulation.lost:,} of {simulation.draws:,} random points"
            text = f"{output.shown} has no value at {without_value}, which are left out"
            notes.append(Note(None, "domain", text))
        if simulation is None and output.is_curved:
            text = f"{output.shown} is not nearly linear over these uncertainties, so first order is not enough"
            notes.append(Note(None, "curvature", text))
    return notes
