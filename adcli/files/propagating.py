"""Uncertainties of points in files carried to the results, row by row, to first and to second order, and by draws.

Sources: the Guide to the expression of uncertainty in measurement (JCGM 100:2008), 5.1.2 and 5.2.2.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from ..errors import RequestError
from ..extras import Later
from ..language.program import Program
from ..records import NamedTuple
from .kinds import AS_THEY_STAND, Kind
from .mapping import MappedBatch, MapPlan, apart, mapped, ordered, planned
from .points import Batch, PointsFile, WantedColumns

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    from numpy.typing import NDArray

    from .points import Doubles

    # What random points around one come to, by output: from the point, uncertainties, and values with theirs.
    Draws: TypeAlias = Callable[
        [Mapping[str, float], Mapping[str, float], Mapping[str, tuple[float, float]]], Mapping[str, Sequence[float]]
    ]
else:
    np = Later("numpy", "numpy")

Made = TypeVar("Made")

# How the column is called that has the standard uncertainty of an input.
SPELLINGS = ("sigma_{}", "{}_sigma", "u_{}", "{}_err")


class RowSpread(NamedTuple):
    """What is known of the uncertainties of inputs: columns that have them, and numbers, of which those in `shares` are
    parts of the value; correlations of pairs."""

    columns: Mapping[str, str]
    sigmas: Mapping[str, float]
    shares: Mapping[str, float]
    correlations: Mapping[tuple[str, str], float]

    @property
    def inputs(self) -> list[str]:
        """The inputs that have an uncertainty."""
        return list(dict.fromkeys([*self.columns, *self.sigmas, *self.shares]))


def columns_of_sigmas(columns: Sequence[str], inputs: Sequence[str]) -> dict[str, str]:
    """The columns that have the uncertainties of inputs, by these.  Raises RequestError where one has two."""
    found: dict[str, str] = {}
    for name in inputs:
        there = [text for spelling in SPELLINGS if (text := spelling.format(name)) in columns and text not in inputs]
        if len(there) > 1:
            raise RequestError(f"{name} has two columns of uncertainties", label=" and ".join(there[:2]))
        if there:
            found[name] = there[0]
    return found


def results_of(output: str) -> list[str]:
    """The columns of an output: its value, standard uncertainty to first order, and mean and standard uncertainty to
    second."""
    return [output, f"sigma_{output}", f"second_mean_{output}", f"second_sigma_{output}"]


def drawn_results_of(output: str) -> list[str]:
    """The columns of an output by random draws: mean, standard deviation, both ends of the interval, and whether first
    order will do, as 1 or 0."""
    return [*[f"drawn_{what}_{output}" for what in ("mean", "sigma", "low", "high")], f"first_order_will_do_{output}"]


def _columns(outputs: Sequence[str], drawn: bool) -> list[str]:
    """The columns of all results, in the order in which they are written."""
    return [name for output in outputs for name in [*results_of(output), *(drawn_results_of(output) if drawn else [])]]


def propagating_plan(
    program: Program,
    at: Mapping[str, float],
    columns: Mapping[str, str],
    reader: PointsFile,
    spread: RowSpread,
    *,
    carry: Sequence[str] | None = None,
    engine: str = "auto",
    drawn: bool = False,
) -> tuple[MapPlan, list[str]]:
    """What is to be computed: values, slopes and second derivatives, and the columns of results; carried are all other
    columns, or `carry`."""
    plan = planned(program, at, columns, reader, wrt=spread.inputs, carry=carry or (), engine=engine, hessian=True)
    used = {*plan.inputs.values(), *spread.columns.values()}
    carried = [name for name in reader.columns if name and name not in used] if carry is None else plan.carried
    every = _columns(plan.kernel.outputs, drawn)
    apart(carried, every)
    return plan._replace(carried=carried), every


def propagated_rows(
    reader: PointsFile,
    plan: MapPlan,
    spread: RowSpread,
    work: Callable[[MappedBatch], Made],
    *,
    kinds: Mapping[str, Kind] = AS_THEY_STAND,
    workers: int = 1,
    draws: Draws | None = None,
) -> Generator[Made, None, None]:
    """What `work` makes of the results of each batch, in order."""
    asked = dict.fromkeys([*plan.inputs.values(), *spread.columns.values()])
    jobs = reader.jobs(WantedColumns(list(asked), plan.carried, kinds))

    def made(job: Callable[[], Batch]) -> Made:
        batch = _checked(job(), spread)
        return work(_propagated(batch, mapped(batch, plan), plan, spread, draws))

    return ordered(jobs, made, workers)


def _checked(batch: Batch, spread: RowSpread) -> Batch:
    """The batch with a fault in every row that has a negative uncertainty."""
    faults = dict(reversed(batch.faults))
    for column in spread.columns.values():
        for row in np.flatnonzero(batch.inputs[column] < 0).tolist():
            said = batch.place(row)
            faults.setdefault(row, RequestError(f"{column} is negative", label=said, help="it is a standard deviation"))
    return batch._replace(faults=sorted(faults.items(), key=lambda fault: fault[0]))


def _propagated(batch: Batch, found: MappedBatch, plan: MapPlan, spread: RowSpread, draws: Draws | None) -> MappedBatch:
    """The results with uncertainties in the place of derivatives."""
    sigmas = {name: _sigma(batch, name, plan, spread)[: found.rows] for name in spread.inputs}
    results: dict[str, Doubles] = {}
    with np.errstate(all="ignore"):
        for output in plan.kernel.outputs:
            results |= _moments(output, found.found, sigmas, spread.correlations)
    if draws is not None:
        results |= _drawn(batch, found.rows, plan, sigmas, results, draws)
    results = {name: results[name] for name in _columns(plan.kernel.outputs, draws is not None)}
    return found._replace(found=results)


def _drawn(
    batch: Batch,
    rows: int,
    plan: MapPlan,
    sigmas: Mapping[str, Doubles],
    results: Mapping[str, Doubles],
    draws: Draws,
) -> dict[str, Doubles]:
    """The columns by random draws, around every row that has a value."""
    outputs = plan.kernel.outputs
    made = {name: np.full(rows, np.nan) for output in outputs for name in drawn_results_of(output)}
    for row in range(rows):
        known = {y: (float(results[y][row]), float(results[f"sigma_{y}"][row])) for y in outputs}
        if not all(np.isfinite(value) for value, _ in known.values()):
            continue
        at = {name: float(batch.inputs[column][row]) for name, column in plan.inputs.items()} | dict(plan.constants)
        for output, numbers in draws(at, {name: float(x[row]) for name, x in sigmas.items()}, known).items():
            for name, x in zip(drawn_results_of(output), numbers, strict=True):
                made[name][row] = x
    return made


def _sigma(batch: Batch, name: str, plan: MapPlan, spread: RowSpread) -> Doubles:
    if name in spread.columns:
        return batch.inputs[spread.columns[name]]
    if name in spread.shares:
        values = batch.inputs[plan.inputs[name]] if name in plan.inputs else np.full(batch.rows, plan.constants[name])
        return np.abs(values) * spread.shares[name]
    return np.full(batch.rows, spread.sigmas[name])


def _moments(
    output: str,
    found: Mapping[str, Doubles],
    sigmas: Mapping[str, Doubles],
    correlations: Mapping[tuple[str, str], float],
) -> dict[str, Doubles]:
    """Variance dᵀ·R·d with d = gradient times sigma, to second order tr(K·R·K·R)/2 more, and the mean tr(K·R)/2 more;
    K is the Hessian times both sigmas, and what is exact counts nothing."""
    names = list(sigmas)
    every = range(len(names))
    known = {(a, b): x for pair, x in correlations.items() for a, b in (pair, pair[::-1])}
    matrix = [[1.0 if a == b else known.get((a, b), 0.0) for b in names] for a in names]
    first, size = _of_one_size([_times(found[f"d{output}_d{name}"], sigmas[name]) for name in names])
    variance = np.maximum(_sum([first[i] * _weighted(first, matrix[i]) for i in every]), 0.0)
    sigma = np.ldexp(np.sqrt(variance), size)
    second: dict[tuple[int, int], Doubles] = {}
    for i, a in enumerate(names):
        for j, b in enumerate(names[i:], i):
            name = f"d2{output}_d{a}_d{b}"
            entry = found[name if name in found else f"d2{output}_d{b}_d{a}"]
            second[i, j] = second[j, i] = _times(entry, sigmas[a], sigmas[b])
    places = [(i, j) for i in every for j in every]
    columns, size = _of_one_size(
        [_weighted([second[i, k] for k in every], [matrix[k][j] for k in every]) for i, j in places]
    )
    mixed = dict(zip(places, columns, strict=True))
    mean = found[output] + np.ldexp(_sum([mixed[i, i] for i in every]) / 2, size)
    more = np.maximum(_sum([mixed[i, j] * mixed[j, i] for i in every for j in every]) / 2, 0.0)
    both = [mean, np.hypot(sigma, np.ldexp(np.sqrt(more), size))]
    finite = np.isfinite(both[0]) & np.isfinite(both[1])
    both = [np.where(finite, column, np.nan) for column in both]
    return dict(zip(results_of(output), [found[output], sigma, *both], strict=True))


def _of_one_size(columns: Sequence[Doubles]) -> tuple[list[Doubles], NDArray[np.int32]]:
    """The columns over a power of two for each row, so that no number is above 1 and squares are neither too large for
    a double nor too small; and these powers."""
    largest = np.abs(columns[0])
    for column in columns[1:]:
        largest = np.maximum(largest, np.abs(column))
    _, size = np.frexp(largest)
    return [np.ldexp(column, -size) for column in columns], size


def _times(column: Doubles, *sigmas: Doubles) -> Doubles:
    """The product, whatever is too large or too small on the way to it; 0 where nothing is uncertain, whatever the
    column has there."""
    product, size = column, 0
    for sigma in sigmas:
        part, exponent = np.frexp(sigma)
        product, size = product * part, size + exponent
    exact = np.logical_or.reduce([sigma == 0 for sigma in sigmas])
    return np.where(exact, 0.0, np.ldexp(product, size))


def _weighted(columns: Sequence[Doubles], weights: Sequence[float]) -> Doubles:
    return _sum([column * weight for column, weight in zip(columns, weights, strict=True) if weight])


def _sum(columns: Sequence[Doubles]) -> Doubles:
    total = columns[0]
    for column in columns[1:]:
        total = total + column
    return total
