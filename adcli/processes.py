"""Processes that do work for this one, and end with it."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import Pipe, Process, parent_process
from multiprocessing.connection import Connection, wait
from types import FrameType
from typing import Final, Generic, ParamSpec, TypeAlias, TypeVar, cast

# What is called when a signal comes, or one of the constants of `signal`; None for a handler of another language.
Handler: TypeAlias = "Callable[[int, FrameType | None], object] | int | None"
P = ParamSpec("P")
R = TypeVar("R")

IN_ONE_PROCESS: Final = "try again with --workers 1"


class Helper(Generic[P, R]):
    """A process that does one kind of work whenever it is asked; what is asked and answered goes through a pipe."""

    def __init__(self, work: Callable[P, R]) -> None:
        self._connection, theirs = Pipe()
        self._process = Process(target=_serve, args=(theirs, work), daemon=True)
        before = _interrupts(signal.SIG_IGN)  # the process inherits this: the one that started it answers
        try:
            self._process.start()
        finally:
            _interrupts(before)
            theirs.close()

    def ask(self, *question: P.args, **named: P.kwargs) -> R:
        """The answer; what the work raises is raised here.  Raises EOFError or OSError where the process was ended."""
        self._connection.send((question, named))
        answer = self._connection.recv()
        if isinstance(answer, Exception):
            raise answer
        return cast(R, answer)

    def end(self) -> None:
        """The process is gone; whoever waits for an answer of it is told."""
        self._process.kill()
        self._process.join()


def _interrupts(handler: Handler) -> Handler:
    """Sets what an interrupt does; what it did before, or None outside of the main thread, which alone hears them."""
    with suppress(ValueError):
        return signal.signal(signal.SIGINT, handler)
    return None


def _serve(connection: Connection, work: Callable[..., object]) -> None:
    """A helper's life: one question after the other, until nobody asks."""
    end_with_parent()
    with suppress(EOFError, OSError):
        while True:
            question, named = connection.recv()
            try:
                answer = work(*question, **named)
            except Exception as error:  # whoever asked decides what it means
                answer = error
            connection.send(answer)


def end_with_parent() -> None:
    """Afterwards this process ends when the one that started it does, however that ended; the one that started it
    answers for interrupts, which this one does not hear."""
    _interrupts(signal.SIG_IGN)
    for name in ("SIGTERM", "SIGHUP"):  # what the other one makes of them is no business of this one
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_watch, args=(parent.sentinel,), daemon=True).start()


def _watch(parent: int) -> None:
    wait([parent])
    os._exit(1)  # there is nobody to tell
