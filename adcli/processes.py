"""Processes that end with the one that started them."""

from __future__ import annotations

import os
import signal
import threading
from multiprocessing import active_children, parent_process
from multiprocessing.connection import wait


def end_with_parent() -> None:
    """Afterwards this process ends when the one that started it does, however that ended; the one that started it
    answers for interrupts, which this one does not hear."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in ("SIGTERM", "SIGHUP"):  # what the other one makes of them is no business of this one
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_watch, args=(parent.sentinel,), daemon=True).start()


def _watch(parent: int) -> None:
    wait([parent])
    os._exit(1)  # there is nobody to tell


def end_children() -> None:
    """Afterwards no process that this one started is at work."""
    for child in active_children():
        child.kill()
    for child in active_children():
        child.join()
