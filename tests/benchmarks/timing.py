"""Programs timed in turn, so that a busy machine slows all of them alike."""

from __future__ import annotations

import gc
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
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


def processes_in_turn(commands: dict[str, Sequence[str]], rounds: int, wall: bool = False) -> dict[str, float]:
    """The median processor time (or with `wall` the time that passes) of whole processes in seconds.

    A command whose module is not installed is left out.
    """
    clock = time.perf_counter if wall else _spent_by_children
    changes = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            before = clock()
            done = subprocess.run(command, capture_output=True, env=changes, stdin=subprocess.DEVNULL, check=False)
            spent = clock() - before
            if number and b"ModuleNotFoundError" not in done.stderr:  # the first round fills caches
                taken[name].append(spent)
    return {name: median(seconds) for name, seconds in taken.items() if seconds}


def _spent_by_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def python(*arguments: str) -> list[str]:
    """A command line of this very interpreter."""
    return [sys.executable, *arguments]
