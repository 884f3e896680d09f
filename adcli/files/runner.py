"""Points from a file to a file: batch by batch, several under way at a time, rows in their order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from ..errors import AdcliError
from ..extras import Later
from .files import Job

if TYPE_CHECKING:
    from ..engine.kernel import Kernel
    from ..engine.kinks import Met

np: Any = Later("numpy", "numpy")
Given = TypeVar("Given")
Made = TypeVar("Made")


class Writer(Protocol):
    """A form of output: `encoded` makes a piece of a batch in any thread, `put` writes pieces in order."""

    def encoded(self, carried: Mapping[str, Any], found: Mapping[str, Any]) -> Any: ...

    def put(self, piece: Any) -> None: ...

    def finish(self) -> None: ...


class Plan(NamedTuple):
    """What is computed of every batch.

    `inputs` says for each input the column that has its values, `constants` the values of the others; `results` are
    the columns of the kernel that are written.  `numbers` are inputs to carry over as doubles, whatever the file has.
    """

    kernel: Kernel
    inputs: Mapping[str, str]
    constants: Mapping[str, float]
    results: Sequence[str]
    numbers: Collection[str] = ()
    fail_fast: bool = False


class Lost(NamedTuple):
    """Points without a value: how many, and of the first one its row in the batch, where it stands, its inputs, and
    what is broken there."""

    points: int
    row: int
    place: str
    at: dict[str, float]
    title: str


class Done(NamedTuple):
    """A batch worked on: how many rows, what is to be written, what could not be read, points without a value, and
    those at kinks."""

    rows: int
    piece: Any
    faults: list[tuple[int, AdcliError]]
    lost: Lost | None
    met: Met | None = None


def worked(job: Job, plan: Plan, writer: Writer) -> Done:
    """A batch read, computed and made ready to be written; with `fail_fast` only up to the first row that fails."""
    batch = job()
    bad = [row for row, _ in batch.faults]
    points: dict[str, Any] = {name: _without(batch.inputs[column], bad) for name, column in plan.inputs.items()}
    every, outside, met = plan.kernel.told(points | dict(plan.constants))
    lost = None
    if outside is not None:
        row = outside.first[0] if outside.first else 0
        lost = Lost(outside.points, row, batch.place(row), outside.at, outside.title)
    found = {name: _without(np.broadcast_to(every[name], (batch.rows,)) + 0.0, bad) for name in plan.results}
    carried = {name: batch.inputs[name] if name in plan.numbers else x for name, x in batch.carried.items()}
    count = batch.rows
    if plan.fail_fast and (bad or lost is not None):
        count = min([*bad[:1], *([lost.row] if lost else [])])
        carried, found = ({name: column[:count] for name, column in columns.items()} for columns in (carried, found))
    return Done(count, writer.encoded(carried, found), batch.faults, lost, met)


def _without(column: Any, rows: list[int]) -> Any:
    """The column with nan in these rows."""
    if rows:
        column = column.copy()
        column[rows] = np.nan
    return column


def ordered(given: Iterable[Given], work: Callable[[Given], Made], workers: int) -> Generator[Made, None, None]:
    """What `work` makes of each, in order; with several workers by threads, some ahead of what is taken."""
    if workers == 1:
        yield from map(work, given)
        return
    from concurrent.futures import Future, ThreadPoolExecutor

    waiting = iter(given)
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
