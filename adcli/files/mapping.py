"""The mapping of points from a file to a file: recognise the format, plan, and evaluate batch by batch, rows in their
order. A batch is a number of rows that are computed together; carried columns are copied to the result; a fault is the
error of one row.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from itertools import chain, islice

from ..engine.kernel import Kernel
from ..errors import AdcliError, NameProblem, RequestError, Source, Span
from ..language.program import Program, read_program
from ..language.scanner import plain_name, plain_spelling
from ..records import NamedTuple
from ..table.suggest import check_inputs, did_you_mean
from ..typings import TYPE_CHECKING, BinaryIO, TypeVar
from . import points as pf
from .arrays import Column, Doubles, np
from .kinds import UNCONVERTED, Kind

if TYPE_CHECKING:
    import pyarrow as pa

    from ..engine.point_warnings import KinkCount

Item = TypeVar("Item")
Result = TypeVar("Result")


_UNNAMEABLE = re.compile(r"\W+")
_SAMPLED = 256  # rows of a batch whose second derivatives are tested for lost digits
_MOST_DOUBTFUL = 3
_QUICK_SLOTS = 1 << 24  # values that NumPy computes, with their adjoints, while a program is compiled
_LOST = 1e-10  # relative error of a number with fewer than ten right digits


@contextlib.contextmanager
def open_points(
    path: str | None, raw: BinaryIO, longest: int = pf.LONGEST, comma: bool = False
) -> Iterator[pf.PointsFile]:
    """Yield, for a `with` statement, the reader of the file of points at `path` (None: standard input); its first bytes
    show the format. At its end close `raw`, which has the bytes, unless `path` is None.

    Gzip is unpacked; a file of unknown format is read as CSV. Byte order marks and leading blanks of texts are ignored.
    `longest` is the most bytes of a record; with `comma` inputs in CSV have decimal commas. Raises RequestError for a
    zip archive (also a spreadsheet), a file that cannot be read, and a header that the reader of the format rejects
    (such as a column that is named twice).
    """
    with contextlib.nullcontext() if path is None else raw:
        plain: pf.Bytes = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(raw)  # type: ignore[arg-type]
        stream = plain
        begun = _first_bytes(stream, path)
        if begun.startswith(b"\x1f\x8b"):
            import gzip

            stream = gzip.GzipFile(fileobj=plain)
            begun = _first_bytes(stream, path)
        if begun.startswith(b"PK\x03\x04"):
            title = f"{path or 'standard input'} is a spreadsheet or an archive, from which no points can be read"
            raise RequestError(title, help="save the points as CSV")
        text = begun.removeprefix(b"\xef\xbb\xbf").lstrip()
        first, *_ = pf.FORMATS.values()
        kind = next((x for x in pf.FORMATS.values() if (text if x.is_text else begun).startswith(x.beginnings)), first)
        intake = pf.Intake(path, stream, longest, plain.seekable(), comma)
        yield import_module(f".{kind.module}", __package__).reader(intake)


def results_file(sink: pf.Sink) -> pf.ResultsFile[object]:
    """Return the writer of results to `sink`. Raises RequestError if a library is not installed."""
    writer: pf.ResultsFile[object] = import_module(f".{pf.FORMATS[sink.form].module}", __package__).writer(sink)
    return writer


def _first_bytes(stream: pf.Bytes, path: str | None) -> bytes:
    """Return the first bytes of a stream, 8 or more, which stay in it. Raises RequestError if it cannot be read."""
    try:
        return stream.peek(8)
    except pf.DAMAGED as error:
        raise RequestError(f"cannot read {path or 'standard input'}", label=str(error)) from None


# --- what is computed -------------------------------------------------------------------------------------------------


class MapPlan(NamedTuple):
    """The computation for every batch.

    `inputs` maps each input with a column to that column, `constants` has the values of the others; `carried` are the
    columns to carry over, `results` the columns of the kernel that are written. With `fail_fast` a batch ends before
    its first row that fails.
    """

    kernel: Kernel
    inputs: Mapping[str, str]
    constants: Mapping[str, float]
    carried: Sequence[str]
    results: Sequence[str]
    fail_fast: bool = False

    @property
    def columns(self) -> list[str]:
        """Return the columns of the result, carried ones first."""
        return [*self.carried, *self.results]


def program_of(source: Source, names: set[str]) -> Program:
    """Return the program in `source`, read with `names` as variables, except those that it defines itself.

    A name in brackets with blanks, `[Voltage in V]`, is the variable `Voltage_in_V` if `names` has that. Raises the
    errors of `read_program`.
    """
    text = source.text
    for name in filter(lambda name: "_" in name, names if "[" in text else ()):
        spaced = name.replace("_", " ")
        text = text.replace(f"[{spaced}]", f'"{spaced}"')
    source = Source(text, source.name, source.first_line, source.shown)
    program = read_program(source, names)
    defined = names.intersection(program.graph.aliases.values())
    return read_program(source, names - defined) if defined else program


def list_named_columns(columns: Iterable[str]) -> dict[str, str]:
    """Return {name of an input in the plain spelling: column that has its values}; columns without a name are left out.

    A column with blanks or signs also has an entry with underscores instead of them, `Voltage_V` for `Voltage [V]`,
    unless another column has that name. For a column with a bracket this is the only entry, except for an entry of an
    array, `W[1,2]`. Of two columns with the same entry the last one counts.
    """
    names = [name for name in columns if name]
    spelled = {_UNNAMEABLE.sub("_", name).strip("_"): name for name in names if _UNNAMEABLE.search(name)}
    indices = {name: name.partition("[")[2][:-1].split(",") for name in names}
    readable = [name for name in names if "[" not in name or all(map(str.isdecimal, indices[name]))]
    return {**spelled, **{plain_name(plain_spelling(name)): name for name in readable}}


def make_plan(
    program: Program, at: Mapping[str, float], columns: Mapping[str, str], reader: pf.PointsFile, *,
    wrt: Sequence[str] = (), carry: Sequence[str] | None = None, engine: str = "auto", hessian: bool = False,
    fast: bool,
) -> MapPlan:  # fmt: skip
    """Return the plan of the computation and the columns for a file of points.

    `columns` maps names of inputs to columns of `reader`; `at` has values for the other inputs. Slopes are with respect
    to the inputs `wrt` (all if it is empty), with `hessian` also second derivatives. `carry` are the columns to carry
    over; None means all named columns that are not inputs. `engine` and `fast` are those of a kernel; with "auto" a
    program for few points (`_is_quick`) is not compiled. Raises NameProblem for an input without a value,
    RequestError for an unknown name in `wrt` or `carry`, and if a result has the name of a carried column.
    """
    engine = "numpy" if engine == "auto" and _is_quick(program, reader, hessian or fast) else engine
    kernel = Kernel(program.graph, engine, hessian=hessian, fast=fast)
    inputs = {name: columns[name] for name in kernel.inputs if name in columns}
    constants = {name: float(at[name]) for name in kernel.inputs if name in at and name not in columns}
    _check_inputs(program, kernel.inputs, {*inputs, *constants}, reader.columns)
    carried = _columns_to_carry(carry, reader.columns, set(inputs.values()))
    results = list(result_names(kernel.outputs, kernel.inputs, wrt, hessian))
    check_distinct(carried, results)
    return MapPlan(kernel, inputs, constants, carried, results)


def _is_quick(program: Program, reader: pf.PointsFile, only_few: bool) -> bool:
    """Return whether NumPy evaluates all points in less time than it takes to compile the program.

    True for at most 4,096 points. Unless `only_few`, also true for up to 2^24 values of slots, such as 2 million points
    of 8 slots, if all functions of the program are powers or NumPy's own: others are computed point by point. False if
    `reader` does not know how many points it has.
    """
    graph = program.graph
    is_vectorized = not only_few and all(row is None or row.numpy or row.name == "pow" for row in graph.rows)
    return reader.has_at_most(max(_QUICK_SLOTS // len(graph) if is_vectorized else 0, pf.FEW_ROWS))


def _check_inputs(program: Program, names: Sequence[str], known: Collection[str], columns: Sequence[str]) -> None:
    """Raise NameProblem for the first of `names`, the inputs of the program, that is not in `known`.

    The error underlines the name in the program, and advises to use the columns' names or to add a value for each
    missing input. It suggests a similar one of `columns`, or lists the first twelve columns. If the name is one word of
    a column's name, it advises other separators instead.
    """
    lacking = [name for name in names if name not in known]
    if not lacking:
        return
    name = lacking[0]
    slot = next(slot for slot, used in program.graph.inputs.items() if used == name)
    joined = next((column for column in columns if name in column.split()), "")
    columns = [column for column in list_named_columns(columns) if "[" in column or not _UNNAMEABLE.search(column)]
    values = ",".join(f"{n}=…" for n in lacking)
    cure = "separate columns by commas, semicolons or tabs" if joined else "use the names of the columns"
    error = no_column(name, f"{cure}, or add a value for all points: --at {values}")
    error.span = Span(*program.graph.spans[slot], program.source)
    label = did_you_mean(name, columns, f"the columns are {', '.join(columns[:12])}")
    error.label = f"{joined} is one column" if joined else label
    raise error


def no_column(name: str, advice: str) -> NameProblem:
    """Return the error for an input without a column."""
    return NameProblem(f"the points have no column called {name}", help=advice)


def _columns_to_carry(names: Sequence[str] | None, columns: Sequence[str], used: set[str]) -> list[str]:
    """Return the columns to carry over: `names` in their order, each once.

    If `names` is None, return all named columns that are not in `used`. Raises RequestError for a name that is not in
    `columns`.
    """
    if names is None:
        return [name for name in columns if name and name not in used]
    for name in names:
        if name not in columns:
            advice = did_you_mean(name, columns, f"the columns are {', '.join(columns)}")
            raise RequestError(f"there is no column called {name} to copy", help=advice)
    return list(dict.fromkeys(names))


def result_names(outputs: Sequence[str], inputs: Sequence[str], wrt: Sequence[str], hessian: bool) -> Iterator[str]:
    """Yield the columns of the result, output by output: y, then dy_dx for each input of `wrt` (all if it is empty).

    With `hessian` then d2y_dx_dz for each pair of these inputs once. Both kinds of derivatives are in the order of
    `inputs`, not of `wrt`. Raises RequestError for a name that is not an input, when iteration begins.
    """
    check_inputs(wrt, inputs, "--wrt {}")
    differentiated = [name for name in inputs if not wrt or name in wrt]
    for output in outputs:
        yield output
        yield from (f"d{output}_d{name}" for name in differentiated)
        if hessian:
            for k, name in enumerate(differentiated):
                yield from (f"d2{output}_d{name}_d{other}" for other in differentiated[k:])


def check_distinct(carried: Sequence[str], results: Sequence[str]) -> None:
    """Raise RequestError if a name in `results` is also in `carried` or twice in `results`; `carried` alone is not
    checked.
    """
    seen = set(carried)
    for name in results:
        if name in seen:
            advice = "name the output, as in z = x1*x2; z, or choose the columns to copy: --carry id"
            raise RequestError(f"the result would have two columns called {name}", help=advice)
        seen.add(name)


class LostPoints(NamedTuple):
    """Points without a value: their number, and of the first one its row in the batch, its place, its inputs, and the
    title of its error.
    """

    points: int
    row: int
    place: str
    at: dict[str, float]
    title: str


class MappedBatch(NamedTuple):
    """An evaluated batch: the number of rows, carried columns, results, faults by row, points without a value,
    points at kinks, remarks on its cells, and points whose second derivatives may have lost digits: (place, inputs)."""

    rows: int
    carried: dict[str, Column]
    results: dict[str, Doubles]
    faults: list[tuple[int, AdcliError]]
    lost: LostPoints | None
    on_kink: KinkCount | None = None
    remarks: Sequence[str] = ()
    doubtful: Sequence[tuple[str, dict[str, float]]] = ()


def map_batch(batch: pf.Batch, plan: MapPlan) -> MappedBatch:
    """Return the results of a batch by `plan` (kernel and columns), nan in rows with faults.

    If the plan has `fail_fast`, only the rows before the first row with a fault or without a value are returned, and
    `rows` is their number. Faults, remarks, `lost` and `on_kink` are those of the whole batch even then. `lost` has the
    number of points that the kernel reports as outside a domain, and the first of them (None: there are none).
    `doubtful` (() without second derivatives in the kernel) has the points of `_doubtful`.
    """
    bad = [row for row, _ in batch.faults]
    points = {name: _with_nan(batch.inputs[column], bad) for name, column in plan.inputs.items()}
    every, outside, on_kink = plan.kernel.evaluate(points | dict(plan.constants))
    lost = None
    if outside is not None:
        row = (*outside.first, 0)[0]
        lost = LostPoints(outside.points, row, batch.place(row), outside.at, outside.title)
    results = {name: _with_nan(np.broadcast_to(every[name], (batch.rows,)) + 0.0, bad) for name in plan.results}
    carried, count = batch.carried, batch.rows
    if plan.fail_fast and (bad or lost is not None):
        count = min([*bad[:1], *([lost.row] if lost else [])])
        carried = {name: column[:count] for name, column in carried.items()}
        results = {name: column[:count] for name, column in results.items()}
    kept = {name: column[:count] for name, column in points.items()}
    doubtful = [(batch.place(row), at) for row, at in _doubtful(plan, kept, results)] if plan.kernel.hessian else ()
    return MappedBatch(count, carried, results, batch.faults, lost, on_kink, batch.remarks, doubtful)


def _doubtful(
    plan: MapPlan, points: Mapping[str, Doubles], results: Mapping[str, Doubles]
) -> Iterator[tuple[int, dict[str, float]]]:
    """Yield (row of the batch, from 0, point) of the points with the largest relative error bounds of second
    derivatives, worst first.

    All of up to 511 rows are checked, of more every n-th, so that 256 to 384 are. At most 3 are yielded, those with
    bounds above 1e-10; the bound of a row is the largest of all its second derivatives. A bound that is nan counts as
    0. `points` are the inputs with columns, `results` the columns by name. A yielded point has the constant inputs too.
    Nothing is yielded without columns of inputs; with them `results` must have second derivatives, for as many rows as
    `points`.
    """
    names = [name for name in results if any(name.startswith(f"d2{output}_d") for output in plan.kernel.outputs)]
    every = max(len(results[names[0]]) // _SAMPLED, 1) if names else 1
    sample = {name: np.asarray(x)[::every] for name, x in points.items()}
    with np.errstate(all="ignore"):
        bounds = plan.kernel.bounds(sample | dict(plan.constants))
        errors = [np.nan_to_num(bounds[name] / np.abs(results[name][::every]), posinf=np.inf) for name in names]
    worst = np.max(errors, axis=0) if points else np.zeros(0)
    for row in np.argsort(-worst)[:_MOST_DOUBTFUL]:
        if worst[row] > _LOST:
            yield int(row) * every, {name: float(x[row]) for name, x in sample.items()} | dict(plan.constants)


def map_batches(
    reader: pf.PointsFile, plan: MapPlan, work: Callable[[MappedBatch], Result], *,
    kinds: Mapping[str, Kind] = UNCONVERTED, within: pf.RowRange | None = None, workers: int = 1,
) -> Generator[Result, None, None]:  # fmt: skip
    """Yield what `work` returns for the results, computed by `plan`, of each batch of a file, or of a range of it, in
    order.

    `kinds` are those of carried columns (empty: cells are not converted), `within` the range of rows (None: all),
    `workers` the number of threads; at most `workers` + 1 batches are in flight. Raises what the reader and `work`
    raise, when the batch's turn comes.
    """
    jobs = reader.jobs(pf.RequestedColumns(list(plan.inputs.values()), plan.carried, kinds), within)
    return map_in_order(jobs, lambda job: work(map_batch(job(), plan)), workers)


def map_record_batches(batches: Iterable[pa.RecordBatch], plan: MapPlan) -> Iterator[pa.RecordBatch]:
    """Yield the results of each of `batches`, computed by `plan`: carried columns, then results; nan where there is no
    value.

    Faults of cells are not reported. Raises KeyError if a batch lacks an input or carried column, RequestError for
    input columns of a type that cannot hold numbers, and if the cells of a column of text have decimal commas.
    """
    from .arrow_file import check_numbers, points_of, results_of

    done = 0
    requested = pf.RequestedColumns(list(plan.inputs.values()), plan.carried)
    for batch in batches:
        for name in requested.inputs:
            check_numbers(batch.schema.field(name).type, name)
        mapped_batch = map_batch(points_of(batch, requested, partial(_row, done)), plan)
        done += batch.num_rows
        yield results_of(mapped_batch.carried, mapped_batch.results)


def _row(before: int, row: int) -> str:
    return f"row {before + row + 1}"


def _with_nan(column: Doubles, rows: list[int]) -> Doubles:
    """Return the column with nan in these rows; the column itself if there are none."""
    if rows:
        column = column.copy()
        column[rows] = np.nan
    return column


def map_in_order(items: Iterable[Item], work: Callable[[Item], Result], workers: int) -> Generator[Result, None, None]:
    """Yield what `work` returns for each item, in order, computed in `workers` threads; no item may be None.

    Up to `workers` + 1 items are in flight. One worker, or fewer than two items, need no threads. An error of `work` is
    raised when its item's turn comes; items not yet begun are then cancelled, as when the generator is closed.
    """
    queue = iter(items)
    first = list(islice(queue, 2 if workers > 1 else 0))
    if len(first) < 2:
        yield from map(work, chain(first, queue))
        return
    from concurrent.futures import Future, ThreadPoolExecutor

    queue = chain(first, queue)
    with ThreadPoolExecutor(workers) as pool:
        in_flight: deque[Future[Result]] = deque()
        try:
            while True:
                while len(in_flight) <= workers and (one := next(queue, None)) is not None:
                    in_flight.append(pool.submit(work, one))
                if not in_flight:
                    return
                yield in_flight.popleft().result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
