"""Points from a file to a file: opened as what they are, planned, and worked on batch by batch, rows in their order."""

from __future__ import annotations

import contextlib
import io
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from itertools import chain, islice
from typing import TYPE_CHECKING, BinaryIO, TypeVar

from ..engine.kernel import Kernel
from ..errors import AdcliError, NameProblem, RequestError, Source, Span
from ..extras import Later
from ..language.program import Program, read_program
from ..language.scanner import plain_name, plain_spelling
from ..records import NamedTuple
from ..table.suggest import advice_on_name, similar
from .kinds import AS_THEY_STAND, Kind
from .points import DAMAGED, FORMATS, LONGEST, Batch, Intake, PointsFile, ResultsFile, RowRange, Sink, WantedColumns

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from ..engine.point_warnings import Met
    from .points import Bytes, Column, Doubles
else:
    np = Later("numpy", "numpy")

Given = TypeVar("Given")
Made = TypeVar("Made")


@contextlib.contextmanager
def opened(path: str | None, stream: BinaryIO, longest: int = LONGEST) -> Iterator[PointsFile]:
    """A file of points, or standard input (None), closed at the end; `longest` is how many bytes a record may take.

    Raises RequestError for what is no such file.
    """
    with contextlib.nullcontext() if path is None else stream:
        yield _reader(path, stream, longest)


def _reader(path: str | None, raw: BinaryIO, longest: int) -> PointsFile:
    """What reads a file; its beginning says what it is."""
    plain = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(raw)  # type: ignore[type-var]  # it can read
    stream: Bytes = plain
    begun = _begun(stream, path)
    if begun.startswith(b"\x1f\x8b"):
        import gzip

        stream = gzip.GzipFile(fileobj=plain)
        begun = _begun(stream, path)
    if begun.startswith(b"PK\x03\x04"):
        raise RequestError(f"{path or 'standard input'} is a spreadsheet or an archive", help="save the points as CSV")
    text = begun.removeprefix(b"\xef\xbb\xbf").lstrip()
    first, *_ = FORMATS.values()
    kind = next((x for x in FORMATS.values() if (text if x.is_text else begun).startswith(x.beginnings)), first)
    intake = Intake(path, stream, longest, plain.seekable())
    found: PointsFile = import_module(f".{kind.module}", __package__).reader(intake)
    return found


def results_file(sink: Sink) -> ResultsFile[object]:
    """The file of results that goes there.  Raises RequestError where a library is not installed."""
    found: ResultsFile[object] = import_module(f".{FORMATS[sink.form].module}", __package__).writer(sink)
    return found


def _begun(stream: Bytes, path: str | None) -> bytes:
    """The first bytes of a stream, which stay in it."""
    try:
        return stream.peek(8)[:8]
    except DAMAGED as error:
        raise RequestError(f"cannot read {path or 'standard input'}", label=str(error)) from None


# --- what is computed -------------------------------------------------------------------------------------------------


class MapPlan(NamedTuple):
    """What is computed of every batch.

    `inputs` says for each input the column that has its values, `constants` the values of the others, `carried` are the
    columns to carry over; `results` are the columns of the kernel that are written.
    """

    kernel: Kernel
    inputs: Mapping[str, str]
    constants: Mapping[str, float]
    carried: Sequence[str]
    results: Sequence[str]
    fail_fast: bool = False

    @property
    def columns(self) -> list[str]:
        """The columns of the result."""
        return [*self.carried, *self.results]


def program_of(source: Source, names: set[str]) -> Program:
    """The program, in which these names are variables unless it defines them itself."""
    program = read_program(source, names)
    defined = names.intersection(program.graph.aliases.values())
    return read_program(source, names - defined) if defined else program


def named_columns(columns: Iterable[str]) -> dict[str, str]:
    """Columns by the names of the inputs that they are for."""
    return {plain_name(plain_spelling(name)): name for name in columns if name}


def planned(
    program: Program,
    at: Mapping[str, float],
    columns: Mapping[str, str],
    reader: PointsFile,
    *,
    wrt: Sequence[str] = (),
    carry: Sequence[str] | None = None,
    engine: str = "auto",
    hessian: bool = False,
    fast: bool = False,
) -> MapPlan:
    """What is to be computed and written.

    `columns` are by the names of inputs, `at` has values for the others; slopes are by the inputs `wrt`, or by all,
    and `carry` are the columns to carry over, or all that are no inputs.
    Raises NameProblem and RequestError for what does not go together.
    """
    small = engine == "auto" and reader.few  # to compile it would take longer than the work
    kernel = Kernel(program.graph, "numpy" if small else engine, hessian=hessian, fast=fast)
    inputs = {name: columns[name] for name in kernel.inputs if name in columns}
    constants = {name: float(at[name]) for name in kernel.inputs if name in at and name not in columns}
    _all_there(program, kernel.inputs, {*inputs, *constants}, reader.columns)
    carried = _carried(carry, reader.columns, set(inputs.values()))
    results = list(result_names(kernel.outputs, kernel.inputs, wrt, hessian))
    apart(carried, results)
    return MapPlan(kernel, inputs, constants, carried, results)


def _all_there(program: Program, names: Sequence[str], known: Collection[str], columns: Sequence[str]) -> None:
    """Raises NameProblem for an input that has neither a column nor a value."""
    lacking = [name for name in names if name not in known]
    if not lacking:
        return
    name = lacking[0]
    slot = next(slot for slot, used in program.graph.inputs.items() if used == name)
    guess = similar(name, columns)
    raise NameProblem(
        f"the points have no column {name}",
        Span(*program.graph.spans[slot], program.source),
        f"did you mean {guess}?" if guess else f"the columns are {', '.join(columns[:12])}",
        help=f"add the column, or a value for all points: --at {','.join(f'{n}=…' for n in lacking)}",
    )


def _carried(names: Sequence[str] | None, columns: Sequence[str], used: set[str]) -> list[str]:
    """The columns to carry over: those asked for, or all that are no inputs and have a name."""
    if names is None:
        return [name for name in columns if name and name not in used]
    for name in names:
        if name not in columns:
            guess = similar(name, columns)
            raise RequestError(
                f"there is no column {name} to carry over",
                help=f"did you mean {guess}?" if guess else f"the columns are {', '.join(columns)}",
            )
    return list(dict.fromkeys(names))


def result_names(outputs: Sequence[str], inputs: Sequence[str], wrt: Sequence[str], hessian: bool) -> Iterator[str]:
    """The columns of the result, by the names of the contract.  Raises RequestError for a name that is no input."""
    for name in wrt:
        if name not in inputs:
            raise RequestError(f"there is no input called {name}", help=advice_on_name(name, inputs, "--wrt {}"))
    wanted = [name for name in inputs if not wrt or name in wrt]
    for output in outputs:
        yield output
        yield from (f"d{output}_d{name}" for name in wanted)
        if hessian:
            for k, name in enumerate(wanted):
                yield from (f"d2{output}_d{name}_d{other}" for other in wanted[k:])


def apart(carried: Sequence[str], results: Sequence[str]) -> None:
    """Raises RequestError where two columns of the result would have one name."""
    seen = set(carried)
    for name in results:
        if name in seen:
            raise RequestError(
                f"the result would have two columns called {name}",
                help="name the output, as in z = x1*x2; z, or choose what is carried over: --carry id",
            )
        seen.add(name)


class LostPoints(NamedTuple):
    """Points without a value: how many, and of the first one its row in the batch, where it stands, its inputs, and
    what is broken there."""

    points: int
    row: int
    place: str
    at: dict[str, float]
    title: str


class MappedBatch(NamedTuple):
    """A batch worked on: how many rows, the columns of the result, what could not be read, points without a value,
    those at kinks, and what is strange in it."""

    rows: int
    carried: dict[str, Column]
    found: dict[str, Doubles]
    faults: list[tuple[int, AdcliError]]
    lost: LostPoints | None
    met: Met | None = None
    remarks: Sequence[str] = ()


def mapped(batch: Batch, plan: MapPlan) -> MappedBatch:
    """The results of a batch; with `fail_fast` only up to the first row that fails."""
    bad = [row for row, _ in batch.faults]
    points = {name: _without(batch.inputs[column], bad) for name, column in plan.inputs.items()}
    every, outside, met = plan.kernel.evaluate(points | dict(plan.constants))
    lost = None
    if outside is not None:
        row = outside.first[0] if outside.first else 0
        lost = LostPoints(outside.points, row, batch.place(row), outside.at, outside.title)
    found = {name: _without(np.broadcast_to(every[name], (batch.rows,)) + 0.0, bad) for name in plan.results}
    carried, count = batch.carried, batch.rows
    if plan.fail_fast and (bad or lost is not None):
        count = min([*bad[:1], *([lost.row] if lost else [])])
        carried = {name: column[:count] for name, column in carried.items()}
        found = {name: column[:count] for name, column in found.items()}
    return MappedBatch(count, carried, found, batch.faults, lost, met, batch.remarks)


def streamed(
    reader: PointsFile,
    plan: MapPlan,
    work: Callable[[MappedBatch], Made],
    *,
    kinds: Mapping[str, Kind] = AS_THEY_STAND,
    within: RowRange | None = None,
    workers: int = 1,
) -> Generator[Made, None, None]:
    """What `work` makes of the results of each batch of a file, or of a range of it, in order.

    No more batches are under way than there are workers, and one.
    """
    jobs = reader.jobs(WantedColumns(list(plan.inputs.values()), plan.carried, kinds), within)
    return ordered(jobs, lambda job: work(mapped(job(), plan)), workers)


def through(batches: Iterable[pa.RecordBatch], plan: MapPlan) -> Iterator[pa.RecordBatch]:
    """The results of record batches, one of each, with the columns of the plan; nan where there is no value.

    Raises RequestError for columns that hold no numbers.
    """
    from .arrow_file import check_numbers, points_of, results_of

    done = 0
    wanted = WantedColumns(list(plan.inputs.values()), plan.carried)
    for batch in batches:
        for name in wanted.inputs:
            check_numbers(batch.schema.field(name).type, name)
        found = mapped(points_of(batch, wanted, partial(_row, done)), plan)
        done += batch.num_rows
        yield results_of(found.carried, found.found)


def _row(before: int, row: int) -> str:
    return f"row {before + row + 1}"


def _without(column: Doubles, rows: list[int]) -> Doubles:
    """The column with nan in these rows."""
    if rows:
        column = column.copy()
        column[rows] = np.nan
    return column


def ordered(given: Iterable[Given], work: Callable[[Given], Made], workers: int) -> Generator[Made, None, None]:
    """What `work` makes of each, in order; with several workers by threads, some ahead of what is taken."""
    waiting = iter(given)
    first = list(islice(waiting, 2 if workers > 1 else 0))
    if len(first) < 2:
        yield from map(work, chain(first, waiting))
        return
    from concurrent.futures import Future, ThreadPoolExecutor

    waiting = chain(first, waiting)
    with ThreadPoolExecutor(workers) as pool:
        under_way: deque[Future[Made]] = deque()
        try:
            while True:
                while len(under_way) <= workers and (one := next(waiting, None)) is not None:
                    under_way.append(pool.submit(work, one))
                if not under_way:
                    return
                yield under_way.popleft().result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
