"""Propagating uncertainties of points in files to the results, row by row, to first and second order, and by random
draws. Draws are random points around a row; a fault is the error of one row.

Sources: the Guide to the expression of uncertainty in measurement (JCGM 100:2008), 5.1.2 and 5.2.2.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from functools import reduce
from itertools import combinations_with_replacement
from operator import add

from ..errors import RequestError
from ..language.program import Program
from ..records import NamedTuple
from ..typings import TYPE_CHECKING, TypeVar
from .arrays import Doubles, np
from .kinds import Kind
from .mapping import MappedBatch, MapPlan, check_distinct, make_plan, map_batch, map_in_order
from .points import Batch, PointsFile, RequestedColumns

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    # The results of random points around one, by output: from the point, uncertainties, and (value, uncertainty).
    Draws: TypeAlias = Callable[
        [Mapping[str, float], Mapping[str, float], Mapping[str, tuple[float, float]]], Mapping[str, Sequence[float]]
    ]

Result = TypeVar("Result")

# How the column is called that has the standard uncertainty of an input.
SPELLINGS = ("sigma_{}", "{}_sigma", "u_{}", "{}_err")


class RowSpread(NamedTuple):
    """The uncertainties of inputs: `columns` that hold them, `sigmas` as numbers, `fractions` of the absolute value
    of the input, and correlations of pairs of inputs. Of several for one input a column counts, else a fraction."""

    columns: Mapping[str, str]
    sigmas: Mapping[str, float]
    fractions: Mapping[str, float]
    correlations: Mapping[tuple[str, str], float]

    @property
    def inputs(self) -> list[str]:
        """Return the inputs that have an uncertainty."""
        return list(dict.fromkeys([*self.columns, *self.sigmas, *self.fractions]))


def columns_of_sigmas(columns: Sequence[str], inputs: Sequence[str]) -> dict[str, str]:
    """Return {input: column with its uncertainty}, for columns sigma_x, x_sigma, u_x or x_err (`SPELLINGS`).

    Inputs without such a column are left out. A column that is itself an input does not count. Raises RequestError if
    an input has two columns of uncertainties.
    """
    sigma_columns: dict[str, str] = {}
    for name in inputs:
        there = [text for spelling in SPELLINGS if (text := spelling.format(name)) in columns and text not in inputs]
        if len(there) > 1:
            raise RequestError(f"the input {name} has two columns of uncertainties", label=" and ".join(there[:2]))
        if there:
            sigma_columns[name] = there[0]
    return sigma_columns


def names_of_values(output: str) -> list[str]:
    """Return the columns of an output: value, standard uncertainty to first order, mean and standard uncertainty to
    second order."""
    return [output, f"sigma_{output}", f"second_mean_{output}", f"second_sigma_{output}"]


def names_of_draws(output: str) -> list[str]:
    """Return the columns of an output by random draws: mean, standard deviation, both ends of the interval, and
    whether first order is sufficient (1 or 0)."""
    return [*[f"drawn_{what}_{output}" for what in ("mean", "sigma", "low", "high")], f"first_order_will_do_{output}"]


def _columns(outputs: Sequence[str], drawn: bool) -> list[str]:
    """Return the columns of all results in the order in which they are written."""
    return [name for y in outputs for name in [*names_of_values(y), *(names_of_draws(y) if drawn else [])]]


def propagating_plan(
    program: Program, at: Mapping[str, float], columns: Mapping[str, str], reader: PointsFile, spread: RowSpread, *,
    carry: Sequence[str] | None = None, drawn: bool = False,
) -> tuple[MapPlan, list[str]]:  # fmt: skip
    """Return (plan, names of the result columns) for propagating the uncertainties of `spread`.

    The plan computes values, slopes and second derivatives with respect to the inputs of `spread`. The names come
    output by output, those of random points only with `drawn`; they do not include the carried columns, which are in
    `plan.carried`. Columns to be carried over are `carry`; if None, all named columns of `reader` that hold neither
    inputs nor uncertainties. `columns` maps inputs to columns; the other inputs have their value in `at`.

    Raises NameProblem if an input has neither column nor value. Raises RequestError if `carry` has an unknown name, or
    if two columns would have the same name.
    """
    plan = make_plan(program, at, columns, reader, wrt=spread.inputs, carry=carry or (), hessian=True, fast=False)
    used = {*plan.inputs.values(), *spread.columns.values()}
    carried = [name for name in reader.columns if name and name not in used] if carry is None else plan.carried
    every = _columns(plan.kernel.outputs, drawn)
    check_distinct(carried, every)
    return plan._replace(carried=carried), every


def propagate_batches(
    reader: PointsFile, plan: MapPlan, spread: RowSpread, work: Callable[[MappedBatch], Result], *,
    kinds: Mapping[str, Kind], workers: int, draws: Draws | None,
) -> Generator[Result, None, None]:  # fmt: skip
    """Yield the result of `work` for the results of each batch of `reader`, in order, computed by `plan`.

    The columns of results are values and uncertainties instead of derivatives. `draws` adds results by random draws
    around each row (None: no draws). Rows with a negative uncertainty (by `spread`) have a fault. `kinds` are those of
    carried columns (empty: cells are not converted). At most `workers` + 1 batches are in flight, in `workers` threads.
    """
    columns_read = dict.fromkeys([*plan.inputs.values(), *spread.columns.values()])
    jobs = reader.jobs(RequestedColumns(list(columns_read), plan.carried, kinds))

    def make(job: Callable[[], Batch]) -> Result:
        batch = _fault_negative_sigmas(job(), spread)
        return work(_with_uncertainties(batch, map_batch(batch, plan), plan, spread, draws))

    return map_in_order(jobs, make, workers)


def _fault_negative_sigmas(batch: Batch, spread: RowSpread) -> Batch:
    """Return the batch with a fault in every row with a negative number in a column of `spread`, unless the row has one
    already.

    An uncertainty that is nan gives no fault. A row has at most one, for the first of its negative columns in the order
    of `spread.columns`; faults are in the order of rows.
    """
    faults = dict(batch.faults)
    for column in spread.columns.values():
        for row in np.flatnonzero(batch.inputs[column] < 0).tolist():
            place = batch.place(row)
            fault = RequestError(
                f"the column {column} has a negative number", label=place, help="a standard deviation is 0 or positive"
            )
            faults.setdefault(row, fault)
    return batch._replace(faults=sorted(faults.items()))


def _with_uncertainties(
    batch: Batch, evaluation: MappedBatch, plan: MapPlan, spread: RowSpread, draws: Draws | None
) -> MappedBatch:
    """Return `evaluation` with its results replaced: for each output value, uncertainties, and draws.

    `batch` has the points and uncertainties, of which the first `evaluation.rows` count; `evaluation` values, slopes
    and second derivatives of `plan`; `spread` says where the uncertainties and correlations come from. `draws` (None:
    none) adds the columns by random draws.
    """
    sigmas = {name: _sigma(batch, name, plan, spread)[: evaluation.rows] for name in spread.inputs}
    results: dict[str, Doubles] = {}
    with np.errstate(all="ignore"):
        for output in plan.kernel.outputs:
            results |= _moments(output, evaluation.results, sigmas, spread.correlations)
    if draws is not None:
        results |= _draw_columns(batch, evaluation.rows, plan, sigmas, results, draws)
    results = {name: results[name] for name in _columns(plan.kernel.outputs, draws is not None)}
    return evaluation._replace(results=results)


def _draw_columns(
    batch: Batch, rows: int, plan: MapPlan, sigmas: Mapping[str, Doubles], results: Mapping[str, Doubles], draws: Draws
) -> dict[str, Doubles]:
    """Return for each output y the columns drawn_mean_y, drawn_sigma_y, drawn_low_y, drawn_high_y and
    first_order_will_do_y, by random draws around every row; nan in rows where the value of some output is not finite.

    The first `rows` rows of `batch` are computed, with the columns and constants of `plan`; `sigmas` by input and
    `results` by column have their numbers. `draws` is called for each row with the point, the uncertainties, and
    (value, standard uncertainty) of each output, and returns the numbers of each output in the order of its columns.
    """
    outputs = plan.kernel.outputs
    columns = {name: np.full(rows, np.nan) for output in outputs for name in names_of_draws(output)}
    for row in range(rows):
        known = {y: (float(results[y][row]), float(results[f"sigma_{y}"][row])) for y in outputs}
        if not all(np.isfinite(value) for value, _ in known.values()):
            continue
        at = {name: float(batch.inputs[column][row]) for name, column in plan.inputs.items()} | dict(plan.constants)
        for output, numbers in draws(at, {name: float(x[row]) for name, x in sigmas.items()}, known).items():
            for name, x in zip(names_of_draws(output), numbers, strict=True):
                columns[name][row] = x
    return columns


def _sigma(batch: Batch, name: str, plan: MapPlan, spread: RowSpread) -> Doubles:
    """Return the standard uncertainty of the input `name` in each row of `batch`.

    The first of these in `spread` that has the input: a column; a fraction of the absolute value (a column, or a
    constant of `plan`); the same number for all rows. Raises KeyError if none has it.
    """
    if name in spread.columns:
        return batch.inputs[spread.columns[name]]
    if name in spread.fractions:
        values = batch.inputs[plan.inputs[name]] if name in plan.inputs else np.full(batch.rows, plan.constants[name])
        return np.abs(values) * spread.fractions[name]
    return np.full(batch.rows, spread.sigmas[name])


def _moments(
    output: str, derivatives: Mapping[str, Doubles], sigmas: Mapping[str, Doubles],
    correlations: Mapping[tuple[str, str], float],
) -> dict[str, Doubles]:  # fmt: skip
    """Return the columns y, sigma_y, second_mean_y and second_sigma_y of the output y; both of the last two are nan
    where one of them is not finite.

    `derivatives` has the columns y, dy_dx, d2y_dx_dz. With d = gradient times sigma, correlations R and K = Hessian
    times both sigmas: the variance is dᵀ·R·d, to second order plus tr(K·R·K·R)/2, and the mean the value plus
    tr(K·R)/2. Inputs with sigma 0 contribute nothing; there has to be an input in `sigmas`.
    """
    names = list(sigmas)
    every = range(len(names))
    matrix = _correlation_matrix(names, correlations)
    first, size = _of_one_size([_times_sigmas(derivatives[f"d{output}_d{name}"], sigmas[name]) for name in names])
    variance = np.maximum(reduce(add, [first[i] * _weighted_sum(first, matrix[i]) for i in every]), 0.0)
    sigma = np.ldexp(np.sqrt(variance), size)
    second = _second_derivatives(output, derivatives, sigmas)
    places = [(i, j) for i in every for j in every]
    sums = [_weighted_sum([second[i, k] for k in every], [matrix[k][j] for k in every]) for i, j in places]
    columns, size = _of_one_size(sums)
    columns_by_place = dict(zip(places, columns, strict=True))
    mean = derivatives[output] + np.ldexp(reduce(add, [columns_by_place[i, i] for i in every]) / 2, size)
    squares = [columns_by_place[i, j] * columns_by_place[j, i] for i, j in places]
    more = np.maximum(reduce(add, squares) / 2, 0.0)
    both = [mean, np.hypot(sigma, np.ldexp(np.sqrt(more), size))]
    finite = np.isfinite(both[0]) & np.isfinite(both[1])
    both = [np.where(finite, column, np.nan) for column in both]
    return dict(zip(names_of_values(output), [derivatives[output], sigma, *both], strict=True))


def _correlation_matrix(names: Sequence[str], correlations: Mapping[tuple[str, str], float]) -> list[list[float]]:
    """Return the correlations of all pairs of inputs, 1 with itself and 0 where none is given."""
    known = {(a, b): x for pair, x in correlations.items() for a, b in (pair, pair[::-1])}
    return [[1.0 if a == b else known.get((a, b), 0.0) for b in names] for a in names]


def _second_derivatives(
    output: str, derivatives: Mapping[str, Doubles], sigmas: Mapping[str, Doubles]
) -> dict[tuple[int, int], Doubles]:
    """Return the second derivatives of `output` times both sigmas, by the indices (i, j) and (j, i) of the inputs in
    `sigmas`.

    `derivatives` must have each pair by name, `d2y_dx1_dx2` or `d2y_dx2_dx1`; raises KeyError otherwise.
    """
    second: dict[tuple[int, int], Doubles] = {}
    for (i, a), (j, b) in combinations_with_replacement(enumerate(sigmas), 2):
        name = f"d2{output}_d{a}_d{b}"
        entry = derivatives[name if name in derivatives else f"d2{output}_d{b}_d{a}"]
        second[i, j] = second[j, i] = _times_sigmas(entry, sigmas[a], sigmas[b])
    return second


def _of_one_size(columns: Sequence[Doubles]) -> tuple[list[Doubles], NDArray[np.int32]]:
    """Return the columns divided by a power of two for each row, so that no number is above 1 and no square over- or
    underflows; and the exponents."""
    _, size = np.frexp(np.maximum.reduce([np.abs(column) for column in columns]))
    return [np.ldexp(column, -size) for column in columns], size


def _times_sigmas(column: Doubles, *sigmas: Doubles) -> Doubles:
    """Return the product of a column and sigmas without intermediate over- or underflow; 0 where a sigma is 0, even
    if the column is not finite there."""
    product, size = np.frexp(column)
    for sigma in sigmas:
        part, exponent = np.frexp(sigma)
        product, size = product * part, size + exponent
    return np.where(np.logical_or.reduce([sigma == 0 for sigma in sigmas]), 0.0, np.ldexp(product, size))


def _weighted_sum(columns: Sequence[Doubles], weights: Sequence[float]) -> Doubles:
    return reduce(add, [column * weight for column, weight in zip(columns, weights, strict=True) if weight])
