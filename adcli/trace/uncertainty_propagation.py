"""Propagation of uncertainty: from standard uncertainties of the inputs to those of the outputs.

First order from the gradient, second order from the Hessian, and random draws beside them.  Sources: the Guide to the
expression of uncertainty in measurement (GUM, JCGM 100:2008), 5.1 and 5.2, and its supplement 1 (JCGM 101:2008).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..errors import RequestError
from ..language.program import Program
from ..numbers.doubles import scaled_product, times_power
from ..records import NamedTuple
from ..table.suggest import advice_on_name
from .model import Note, Request, Trace
from .trace_program import trace
from .uncertainties import Uncertainties

if TYPE_CHECKING:
    from .monte_carlo import Drawn

_ROUNDING = 1e-9  # how far below 0 a pivot of a correlation matrix may be by rounding


class Contribution(NamedTuple):
    """What one input has of an output's uncertainty.

    `contribution` is |slope| times its standard uncertainty; the `share`s of all inputs in the variance add up to 1,
    and may be negative where inputs are correlated.  None where the output has no uncertainty.
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

    `second_order` holds exactly for a quadratic function of normal inputs; None where there are no second derivatives.
    """

    name: str
    shown: str
    value: float
    sigma: float
    second_order: Moments | None
    budget: dict[str, Contribution]
    monte_carlo: Drawn | None


class Propagation(NamedTuple):
    """The outputs of a program at an uncertain point; `trace` has the point and the graph."""

    trace: Trace
    uncertainties: Uncertainties
    outputs: list[Propagated]
    notes: list[Note]


def propagated(
    program: Program,
    at: Mapping[str, float],
    given: Uncertainties,
    label: str | None = None,
    draws: int | None = None,
    seed: int = 0,
) -> Propagation:
    """Every output with its uncertainty; with `draws` also by that many random points.

    Raises what a trace raises, and RequestError for names that are no inputs and correlations that cannot be.
    """
    found = trace(program, at, Request("reverse", steps=False, hessian=True), label)
    inputs = list(found.graph.inputs.values())
    check_uncertainties(inputs, given)
    drawn: Mapping[str, Drawn] = {}
    if draws is not None:
        from .monte_carlo import drawing

        drawer = drawing(found.graph, given, draws, seed)
        drawn = drawer.outputs({name: at[name] for name in inputs}, given.sigmas, drawer.deviations())
    outputs = []
    for output, second in zip(found.outputs, found.second, strict=True):
        gradient = output.gradient or {}
        sigma, budget = _first_order(gradient, given)
        curved = _second_order(output.value, sigma, second.hessian, given)
        points = drawn[output.name].compared(output.value, sigma) if output.name in drawn else None
        outputs.append(Propagated(output.name, output.shown, output.value, sigma, curved, budget, points))
    return Propagation(found, given, outputs, [*found.notes, *_remarks(outputs)])


def check_uncertainties(inputs: Sequence[str], given: Uncertainties) -> None:
    """Raises RequestError for a name that is no input, and for correlations that no random numbers have."""
    for name in [*given.sigmas, *given.shapes, *[name for pair in given.correlations for name in pair]]:
        if name not in inputs:
            raise RequestError(f"there is no input called {name}", help=advice_on_name(name, inputs))
    for pair in given.correlations:
        for name in pair:
            if not given.sigmas.get(name):
                raise RequestError(f"{name} is correlated and has no uncertainty", help=f"write {name}=value±sigma")
    names = list(dict.fromkeys(name for pair in given.correlations for name in pair))
    if not _may_be([[_correlation(given, a, b) for b in names] for a in names]):
        raise RequestError(
            "no inputs have these correlations at once",
            help="the matrix of all of them has to be positive semidefinite",
        )


def _correlation(given: Uncertainties, a: str, b: str) -> float:
    if a == b:
        return 1.0
    return given.correlations.get((a, b), given.correlations.get((b, a), 0.0))


def _may_be(matrix: list[list[float]]) -> bool:
    """Whether a symmetric matrix has no negative eigenvalue, by elimination."""
    rows = [list(row) for row in matrix]
    while rows:
        pivot = max(range(len(rows)), key=lambda k: rows[k][k])
        size = rows[pivot][pivot]
        if size <= _ROUNDING:
            return all(abs(x) <= math.sqrt(_ROUNDING) for row in rows for x in row)
        rest = [k for k in range(len(rows)) if k != pivot]
        rows = [[rows[i][j] - rows[i][pivot] * rows[pivot][j] / size for j in rest] for i in rest]
    return True


def _first_order(gradient: Mapping[str, float], given: Uncertainties) -> tuple[float, dict[str, Contribution]]:
    """The standard uncertainty and the budget: the variance is gᵀ·C·g (GUM, equation 13).

    Squares are of contributions over a power of two, so that none is too large or too small.
    """
    moves = {name: slope * given.sigmas[name] for name, slope in gradient.items() if given.sigmas.get(name)}
    size = _size(moves.values())
    parts = {name: times_power(x, -size) for name, x in moves.items()}
    shares = dict.fromkeys(gradient, 0.0)
    if all(map(math.isfinite, parts.values())):
        shares |= {a: math.fsum(x * _correlation(given, a, b) * y for b, y in parts.items()) for a, x in parts.items()}
        variance = max(math.fsum(shares.values()), 0.0)
    else:
        variance = math.nan if any(x != x for x in parts.values()) else math.inf
    budget = {}
    for name, slope in gradient.items():
        share = shares[name] / variance if 0 < variance < math.inf else None
        budget[name] = Contribution(slope, given.sigmas.get(name, 0.0), abs(moves.get(name, 0.0)), share)
    return times_power(math.sqrt(variance), size), budget


def _size(numbers: Iterable[float]) -> int:
    """The power of two that is no less than the largest of these numbers."""
    return max((math.frexp(x)[1] for x in numbers if x and math.isfinite(x)), default=0)


def _second_order(
    value: float, sigma: float, hessian: Mapping[str, Mapping[str, float]] | None, given: Uncertainties
) -> Moments | None:
    """Mean f + tr(H·C)/2 and variance gᵀ·C·g + tr(H·C·H·C)/2, which a quadratic function of normal inputs has."""
    if hessian is None:
        return None
    names = [name for name in hessian if given.sigmas.get(name)]
    curved = {a: {b: scaled_product(hessian[a][b], given.sigmas[a], given.sigmas[b]) for b in names} for a in names}
    size = _size(x for row in curved.values() for x in row.values())
    if not all(math.isfinite(x) for row in curved.values() for x in row.values()):
        return None
    product = {
        a: {b: math.fsum(times_power(curved[a][c], -size) * _correlation(given, c, b) for c in names) for b in names}
        for a in names
    }
    trace_of_product = math.fsum(product[a][a] for a in names)
    trace_of_square = math.fsum(product[a][b] * product[b][a] for a in names for b in names)
    more = times_power(math.sqrt(max(trace_of_square / 2, 0.0)), size)
    found = Moments(value + times_power(trace_of_product / 2, size), math.hypot(sigma, more))
    return found if all(map(math.isfinite, found)) else None


def _remarks(outputs: Sequence[Propagated]) -> list[Note]:
    """What is to be said where a slope does not say how an output moves."""
    found = []
    for output in outputs:
        drawn = output.monte_carlo
        if drawn is not None and drawn.lost:
            text = f"{output.shown} has no value at {drawn.lost:,} of {drawn.draws:,} random points, which are left out"
            found.append(Note(None, "domain", text))
        second = output.second_order
        if drawn is None and second is not None and second.sigma > 1.1 * output.sigma + abs(output.value) * 1e-12:
            text = f"the curvature of {output.shown} matters over these uncertainties: see its second order"
            found.append(Note(None, "curvature", text))
    return found
