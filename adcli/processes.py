"""Processes that work for this process and end with it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

from .typings import TYPE_CHECKING, Final, Generic, ParamSpec, TypeAlias, TypeVar, cast

if TYPE_CHECKING:  # imported late: most commands need one process
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

# What is called when a signal comes, or one of the constants of `signal`; None for a handler of another language.
Handler: TypeAlias = "Callable[[int, FrameType | None], object] | int | None"
P = ParamSpec("P")
R = TypeVar("R")

IN_ONE_PROCESS: Final = "try again with --workers 1"


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Helper(Generic[P, R]):
    """A process that calls `work` for each question; questions and answers go through a pipe."""

    def __init__(self, work: Callable[P, R]) -> None:
        """Start the process, which ignores interrupts and ends with this one."""
        self._connection, self._process = start_process(_serve, work)

    def compute(self, *question: P.args, **named: P.kwargs) -> R:
        """Return `work(*question, **named)`, computed in the other process; an exception that it raises is raised here.

        It waits for the answer. Raises EOFError or OSError if the process has ended.
        """
        self._connection.send((question, named))
        answer = self._connection.recv()
        if isinstance(answer, Exception):
            raise answer
        return cast(R, answer)

    def end(self) -> None:
        """Kill the process; a thread that waits for its answer gets EOFError or OSError."""
        self._process.kill()
        self._process.join()


def start_process(serve: Callable[..., object], *arguments: object) -> tuple[Connection, BaseProcess]:
    """Start a daemon process that calls `serve(connection, *arguments)`; return (this end of the connection, the
    process).

    The process starts with interrupts ignored (if called from the main thread): this one answers them.
    """
    from multiprocessing import get_context

    context = get_context()
    connection, child_end = context.Pipe()
    process: BaseProcess = context.Process(target=serve, args=(child_end, *arguments), daemon=True)
    before = _interrupts(signal.SIG_IGN)
    try:
        process.start()
    finally:
        _interrupts(before)
        child_end.close()
    return connection, process


def _interrupts(handler: Handler) -> Handler:
    """Set the handler of interrupts and return the previous one; outside the main thread do nothing and return None."""
    with suppress(ValueError):
        return signal.signal(signal.SIGINT, handler)
    return None


def _serve(connection: Connection, work: Callable[..., object]) -> None:
    """Answer questions, (arguments, keywords), from the pipe `connection` with `work` until it is closed; an exception
    of `work` is sent as the answer.

    The process then ends with its parent at the latest.
    """
    end_with_parent()
    with suppress(EOFError, OSError):
        while True:
            question, named = connection.recv()
            try:
                answer = work(*question, **named)
            except Exception as error:  # the caller of `ask` decides what it means
                answer = error
            connection.send(answer)


def end_with_parent() -> None:
    """Make this process ignore interrupts, which its parent handles, and have the default handlers of SIGTERM and
    SIGHUP. If it has a parent, a thread waits until that has ended, and then ends this process at once with code 1.
    """
    from multiprocessing import parent_process
    from threading import Thread

    _interrupts(signal.SIG_IGN)
    for name in ("SIGTERM", "SIGHUP"):  # without the handlers that the parent has set
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    parent = parent_process()
    if parent is not None:
        Thread(target=_watch, args=(parent.sentinel,), daemon=True).start()


def _watch(parent: int) -> None:
    """Wait for the parent, given by its sentinel, to end, then end this process with code 1."""
    from multiprocessing.connection import wait

    wait([parent])
    os._exit(1)  # no process is left that could read a message
