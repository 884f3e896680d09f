"""A pool of worker processes that mark answers or make exercises, each within limits of time and memory.

An answer is hostile input: a worker that takes too long or dies is replaced, and its answer is not gradable.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from multiprocessing.connection import Connection, wait

from ..errors import RequestError
from ..processes import IN_ONE_PROCESS, end_with_parent, start_process
from ..records import NamedTuple

MEMORY = 2**30  # bytes that a worker may take, besides what it starts with
_PATIENCE = 60.0  # seconds that a worker may take to start

Serve = Callable[[Connection, str], None]


class Job(NamedTuple):
    """Work for a worker: the student, the name of the file, and its content."""

    student: str
    name: str
    data: bytes


class NoResult(NamedTuple):
    """Why a job has no result: `slow` if it took too long, else its worker died."""

    slow: bool


class _Worker:
    """A process and the job that it has."""

    def __init__(self, serve: Serve, settings: str) -> None:
        """Start a process that runs `serve(connection, settings)` and ignores interrupts.

        It has 60 seconds to be ready.
        """
        self.connection, self.process = start_process(serve, settings)
        self.job: Job | None = None
        self.ready = False
        self.deadline = time.monotonic() + _PATIENCE

    def give_next(self, queue: deque[Job], seconds: float) -> None:
        """Send the first job of the queue to the process, and set its deadline in `seconds` from now.

        If the queue is empty, `job` becomes None and nothing is sent. If the process has died, sending fails silently
        and `job` stays set; the end of the pipe reports it later.
        """
        self.job = job = queue.popleft() if queue else None
        if job is not None:
            self.deadline = time.monotonic() + seconds
            with suppress(OSError):  # it died; the end of its pipe says so
                self.connection.send_bytes(json.dumps([job.student, job.name]).encode())
                self.connection.send_bytes(job.data)

    def stop(self) -> None:
        self.connection.close()
        self.process.kill()
        self.process.join()


def results(
    queue: deque[Job], workers: int, seconds: float, serve: Serve, settings: Mapping[str, object]
) -> Iterator[tuple[Job, object]]:
    """Yield every job with the plain data that a worker returned for it, in the order in which they are finished.

    A job whose worker was too slow or died has a NoResult instead. At most `workers` processes are started, as they are
    needed; each calls `serve` with `settings` as JSON. A process that was too slow or died is replaced. A worker has
    `seconds` for each job. Jobs may be added to `queue` meanwhile. When none are left, the iterator ends and all
    workers are stopped. Raises RequestError if a worker does not start.
    """
    text = json.dumps(settings)
    pool: list[_Worker] = []
    try:
        while queue or any(worker.job for worker in pool):
            busy = sum(worker.job is not None for worker in pool)
            while len(pool) < min(workers, busy + len(queue)):
                pool.append(_Worker(serve, text))
            for worker in pool:
                if worker.ready and worker.job is None:
                    worker.give_next(queue, seconds)
            for worker in _ready_workers(pool):
                job, result = worker.job, _receive(worker)
                if isinstance(result, NoResult):
                    pool.remove(worker)
                    worker.stop()
                else:
                    worker.give_next(queue, seconds)  # it works on while the result is taken
                if job is not None:
                    yield job, result
                elif isinstance(result, NoResult):
                    raise RequestError("a worker process does not start", help=IN_ONE_PROCESS)
    finally:
        for worker in pool:
            worker.stop()


def _ready_workers(pool: list[_Worker]) -> list[_Worker]:
    """Return the workers that have sent something or are past their deadline; waits until there is one."""
    active = [worker for worker in pool if worker.job is not None or not worker.ready]
    rest = min((worker.deadline for worker in active), default=0.0) - time.monotonic()
    spoken = wait([worker.connection for worker in active], max(rest, 0))
    now = time.monotonic()
    return [worker for worker in active if worker.connection in spoken or worker.deadline <= now]


def _receive(worker: _Worker) -> object:
    """Return what a worker has sent: the result of its job, or None as the report that it has started.

    In both cases `worker.ready` is set. NoResult(slow=True) if it has sent nothing until its deadline,
    NoResult(slow=False) if it is dead.
    """
    if not worker.connection.poll():
        return NoResult(slow=True)
    try:
        result = json.loads(worker.connection.recv_bytes())
    except (EOFError, OSError):
        return NoResult(slow=False)
    worker.ready = True
    return result


def serve_worker(connection: Connection, work: Callable[[str, str, bytes], object]) -> None:
    """Run a worker: report that it has started, then do one job after the other until the connection ends.

    The report is the message `null`. A job is two messages, [student, name] as JSON and the bytes `data`; the answer to
    it is what `work(student, name, data)` returns, plain data, as JSON. The process ends with its parent and is limited
    in memory; what `work` raises ends it.
    """
    end_with_parent()
    _limit_memory()
    with suppress(EOFError, OSError):  # the parent has ended
        connection.send_bytes(b"null")
        while True:
            student, name = json.loads(connection.recv_bytes())
            data = connection.recv_bytes()
            connection.send_bytes(json.dumps(work(student, name, data)).encode())


def _limit_memory() -> None:
    """Limit the memory of this process to what it has now and 1 GiB more, or to less if the system's limit is lower.

    Nothing happens on a system without such limits.
    """
    try:
        import resource

        with open("/proc/self/statm", encoding="ascii") as stream:
            most = MEMORY + int(stream.read().split()[0]) * resource.getpagesize()
    except (ImportError, OSError):  # there is no such limit on this system
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
