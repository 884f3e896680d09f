"""Programs timed in turn, so that a busy machine slows all of them alike."""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Container, Sequence
from statistics import median


def in_turn(programs: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The median processor time of each program in seconds, from rounds in which each has its turn."""
    taken: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(rounds):
        for name, program in programs.items():
            gc.collect()
            start = time.process_time()
            program()
            taken[name].append(time.process_time() - start)
    return {name: median(seconds) for name, seconds in taken.items()}


def processes_in_turn(
    commands: dict[str, Sequence[str]], rounds: int, wall: bool = False, on_terminal: Container[str] = ()
) -> dict[str, float]:
    """The median processor time (or with `wall` the time that passes) of whole processes in seconds.

    The output of those named in `on_terminal` is a terminal.  A command whose module is not installed is left out.
    """
    clock = time.perf_counter if wall else _spent_by_children
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            before = clock()
            said = _said_on_terminal(command) if name in on_terminal else _said(command)
            spent = clock() - before
            if number and b"ModuleNotFoundError" not in said:  # the first round fills caches
                taken[name].append(spent)
    return {name: median(seconds) for name, seconds in taken.items() if seconds}


def _environment(**changes: str) -> dict[str, str]:
    """An environment in which modules are compiled once, and which says nothing about colours and widths."""
    left_out = {"PYTHONDONTWRITEBYTECODE", "NO_COLOR", "COLUMNS"}
    return {name: text for name, text in os.environ.items() if name not in left_out} | changes


def _said(command: Sequence[str]) -> bytes:
    """Runs a command off a terminal; what it says on standard error."""
    done = subprocess.run(command, capture_output=True, env=_environment(), stdin=subprocess.DEVNULL, check=False)
    return done.stderr


def _said_on_terminal(command: Sequence[str]) -> bytes:
    """Runs a command on a terminal of its own; all that it says."""
    ours, theirs = os.openpty()
    changed = _environment(TERM="xterm-256color")
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=changed):
        os.close(theirs)
        pieces = []
        with contextlib.suppress(OSError):  # the other end is closed
            while piece := os.read(ours, 65536):
                pieces.append(piece)
        os.close(ours)
    return b"".join(pieces)


def _spent_by_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def python(*arguments: str) -> list[str]:
    """A command line of this very interpreter."""
    return [sys.executable, *arguments]
