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
    """Another process that calls `work` at each `compute`; arguments and results go through a pipe."""

    def __init__(self, work: Callable[P, R]) -> None:
        """Start the process, which ignores interrupts and ends with this one."""
        self._connection, self._process = start_process(_serve, work)

    def compute(self, *arguments: P.args, **named: P.kwargs) -> R:
        """Return `work(*arguments, **named)`, computed in the other process; an exception from there is raised here.

        It waits for the result. Raises EOFError or OSError if the process has ended.
        """
        self._connection.send((arguments, named))
        result = self._connection.recv()
        if isinstance(result, Exception):
            raise result
        return cast(R, result)

    def end(self) -> None:
        """Kill the process; a thread that waits for its result gets EOFError or OSError."""
        self._process.kill()
        self._process.join()


def start_process(serve: Callable[..., object], *arguments: object) -> tuple[Connection, BaseProcess]:
    """Start a daemon process that calls `serve(connection, *arguments)`; return (this end of the connection, the
    process).

    The process ignores interrupts from the start, which are for this process to answer; but not if this is called
    outside the main thread.
    """
    from multiprocessing import get_context

    context = get_context()
    connection, child_end = context.Pipe()
    process: BaseProcess = context.Process(target=serve, args=(child_end, *arguments), daemon=True)
    before = _set_interrupt_handler(signal.SIG_IGN)
    try:
        process.start()
    finally:
        _set_interrupt_handler(before)
        child_end.close()
    return connection, process


def _set_interrupt_handler(handler: Handler) -> Handler:
    """Set the handler of interrupts and return the previous one; outside the main thread do nothing and return None."""
    with suppress(ValueError):
        return signal.signal(signal.SIGINT, handler)
    return None


def _serve(connection: Connection, work: Callable[..., object]) -> None:
    """Call `work` with each (arguments, keywords) that comes through the pipe `connection` until it is closed, and send
    its result back; an exception of `work` is sent as the result.

    A result that cannot be pickled ends the process with an error. The process ends with its parent at the latest.
    """
    end_with_parent()
    with suppress(EOFError, OSError):
        while True:
            arguments, named = connection.recv()
            try:
                result = work(*arguments, **named)
            except Exception as error:  # the caller of `compute` decides what it means
                result = error
            connection.send(result)


def end_with_parent() -> None:
    """Make this process ignore interrupts, which its parent handles, and have the default handlers of SIGTERM and
    SIGHUP. If it has a parent, a thread waits until that has ended, and then ends this process at once with code 1.
    """
    from multiprocessing import parent_process
    from threading import Thread

    _set_interrupt_handler(signal.SIG_IGN)
    for name in ("SIGTERM", "SIGHUP"):  # without the handlers that the parent has set
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    parent = parent_process()
    if parent is not None:
        Thread(target=_watch, args=(parent.sentinel,), daemon=True).start()


def _watch(parent: int) -> None:
    """Wait for the parent, known by its sentinel, to end, then end this process with code 1."""
    from multiprocessing.connection import wait

    wait([parent])
    os._exit(1)  # no process is left that could read a message
