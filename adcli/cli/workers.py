"""Workers: processes that share the problems of a large file; their output is written here, in order."""

from __future__ import annotations

import os
import stat
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice

from ..errors import AdcliError, RequestError
from ..processes import IN_ONE_PROCESS, Helper, cores
from ..typings import TypeVar, TypeVarTuple
from .arguments import ProblemTexts
from .shared_options import ProblemOptions
from .stream import Stream

P = TypeVar("P", bound=ProblemOptions)
Question = TypeVarTuple("Question")
Result = TypeVar("Result")

_BATCH = 200  # problems that one process takes at a time
_LARGE = 100_000  # bytes from which a file is worth the start of other processes

StreamCall = tuple[str, tuple[object, ...], dict[str, object]]  # the method of a stream and its arguments
# The output of a batch, and whether the problems after it are to follow.
BatchOutput = tuple[list[StreamCall], bool]
# The options, whether to write only ASCII, the file's name, and pairs (line number, text) of problems.
Batch = Callable[[P, bool, str | None, list[tuple[int, str]]], BatchOutput]


class RecordedStream(Stream):
    """A stream that records its calls in `calls`, for the process that writes them."""

    def __init__(self, ascii_only: bool) -> None:
        super().__init__()
        self.ascii = ascii_only
        self.calls: list[StreamCall] = []
        for method in ("write", "error", "record_exit_code", "count_solved", "note"):
            setattr(self, method, partial(self._record, method))

    def _record(self, method: str, *arguments: object, **named: object) -> None:
        self.calls.append((method, arguments, named))


def worker_count(options: ProblemOptions, count: int | None) -> int:
    """Return how many processes to use.

    The first that applies: one with --debug, --functions or an expression as the argument; `count` if it is not None;
    all cores if the input is an ordinary file of 100,000 bytes or more (also as standard input); one.
    """
    if options.debug or options.functions or options.expr not in (None, "-"):
        return 1
    if count is not None:
        return count
    try:
        state = os.fstat(sys.stdin.fileno()) if options.file in (None, "-") else os.stat(options.file)
    except (OSError, ValueError, AttributeError):  # standard input may be closed
        return 1
    return cores() if stat.S_ISREG(state.st_mode) and state.st_size >= _LARGE else 1


def in_processes(
    work: Callable[[*Question], Result], questions: Iterable[tuple[*Question]], count: int,
    ended: Callable[[*Question], AdcliError],
) -> Iterator[Result]:  # fmt: skip
    """Yield `work(*question)` for each question, in order, computed in `count` processes (also in a single one).

    At most `count` + 1 questions (with `count` 1, one) are taken ahead of the answers, so that an unlimited number can
    stream through. The processes are started when iteration begins and killed when the generator ends or is closed.
    Raises the errors of `work` when their question's turn comes. If a process was ended from outside, or `work` raised
    OSError or EOFError, `ended(*question)` is raised.
    """
    from queue import SimpleQueue

    from ..files.mapping import map_in_order

    idle: SimpleQueue[Helper[..., Result]] = SimpleQueue()

    def answer(question: tuple[*Question]) -> Result:
        """Wait for an idle process and return its answer.

        Raises what the work raises, and the error of `ended` if the process was ended.
        """
        helper = idle.get()
        try:
            return helper.compute(*question)
        except (EOFError, OSError):
            raise ended(*question) from None
        finally:
            idle.put(helper)

    helpers = [Helper(work) for _ in range(count)]
    for helper in helpers:
        idle.put(helper)
    answers = map_in_order(questions, answer, count)
    try:
        yield from answers
    finally:
        for helper in helpers:
            helper.end()  # the threads that wait for them end
        answers.close()


def work_in_processes(
    stream: Stream, options: P, count: int, batch: Batch[P], problems: ProblemTexts
) -> Iterator[int]:  # fmt: skip
    """Work on problems in `count` processes, in batches of 200, and yield the number done so far after each batch.

    `batch` does the work for a batch and returns (recorded calls, whether to go on). The calls are made on `stream`, in
    order; after a batch that is not to go on no other one is written. Raises RequestError if a process was ended from
    outside.
    """
    sizes: deque[int] = deque()

    def questions() -> Iterator[tuple[P, bool, str | None, list[tuple[int, str]]]]:
        while texts := list(islice(problems.texts, _BATCH)):
            sizes.append(len(texts))
            yield options, stream.ascii, problems.name, texts

    done = 0
    for calls, go_on in in_processes(batch, questions(), count, _worker_ended_error):
        for method, arguments, named in calls:
            getattr(stream, method)(*arguments, **named)
        done += sizes.popleft()
        yield done
        if not go_on:
            return


def _worker_ended_error(*_question: object) -> AdcliError:
    return RequestError("a worker process was ended", label="by the system, or for lack of memory", help=IN_ONE_PROCESS)
