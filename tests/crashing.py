"""A worker for tests of the pool: what it does with an answer is written in it."""

from __future__ import annotations

import os
import time
from multiprocessing.connection import Connection

from adcli.classroom.pool import serve_worker
from adcli.cli.shared_options import ProblemOptions
from adcli.cli.workers import BatchOutput


def serve(connection: Connection, settings: str) -> None:
    """Sleeps, dies, takes memory, or gives back what it was told."""

    def work(student: str, name: str, data: bytes) -> list[str]:
        if data == b"sleep":
            time.sleep(60)
        if b"die" in (data, student.encode()):
            os._exit(3)
        if data == b"memory":
            try:
                return [str(len(bytearray(2**31)))]
            except MemoryError:
                return ["too much"]
        return [student, name, data.decode(), settings]

    serve_worker(connection, work)


def never(connection: Connection, settings: str) -> None:
    """Does not even start."""
    os._exit(3)


def ended(asked: ProblemOptions, ascii_only: bool, name: str | None, texts: list[tuple[int, str]]) -> BatchOutput:
    """A batch of problems whose process is ended."""
    os._exit(3)
