"""The program under test, run as a process: what it says to a batch of problems, and whether it kept its contract."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

CHECKOUT = Path(__file__).resolve().parent.parent.parent
CODES = {"eval": {0, 2, 3}, "check": {0, 1, 2, 4}, "grade": {0, 1, 2, 4}}
_OWN_FAULT = re.compile(rb"adcli has made a mistake|Traceback \(most recent call last\)|Fatal Python error")
SECONDS = 30  # that one problem may take
_KINDS = {"syntax": 2, "name": 2, "arity": 2, "request": 2, "domain": 3}


class Fault(NamedTuple):
    """A disagreement: the command line that shows it, what had to come and what came."""

    command: str
    expected: str
    got: str


class Answer(NamedTuple):
    """What came of one process; the code is None if it had to be ended."""

    code: int | None
    out: bytes
    err: bytes
    seconds: float

    def broken(self, allowed: Iterable[int] = (0, 2, 3)) -> str | None:
        """How the contract is broken, if it is."""
        if self.code is None:
            return f"no end after {self.seconds:.0f} s"
        if self.code < 0:
            return f"ended by signal {-self.code} ({signal.Signals(-self.code).name})"
        if found := _OWN_FAULT.search(self.err + self.out):
            said = (self.err + self.out)[found.start() :].decode("utf-8", "replace")
            return " / ".join(said.strip().splitlines()[:1] + said.strip().splitlines()[-1:])[:300]
        if self.code not in allowed:
            return f"exit code {self.code}"
        return None


class Adcli:
    """The command line of one package folder, in a working folder of its own."""

    def __init__(self, package: Path = CHECKOUT) -> None:
        self.package = package
        self.folder = tempfile.TemporaryDirectory(prefix="independent-")
        self.here = Path(self.folder.name)
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "ADCLI", "COLUMNS", "LC_", "LANG"))}
        self.environment = {**kept, "PYTHONPATH": str(package), "PYTHONUTF8": "1", "OMP_NUM_THREADS": "1"}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.folder.cleanup()

    def __call__(self, *argv: str, stdin: bytes | str = b"", seconds: float | None = None) -> Answer:
        """One process, with so many seconds."""
        began = time.monotonic()
        with subprocess.Popen(
            [sys.executable, "-m", "adcli", *argv],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            cwd=self.here, env=self.environment, start_new_session=True,
        ) as child:  # fmt: skip
            try:
                given = stdin.encode("utf-8", "surrogateescape") if isinstance(stdin, str) else stdin
                out, err = child.communicate(given, timeout=seconds or SECONDS)
                code: int | None = child.returncode
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                out, err = child.communicate()
                code = None
        return Answer(code, out, err, time.monotonic() - began)

    def records(self, argv: Sequence[str], lines: Sequence[str]) -> list[dict[str, Any]]:
        """One JSON record for each line; what breaks the contract is found by halving, its record is `broken/1`."""
        if not lines:
            return []
        answer = self(
            *argv, "--format", "ndjson", "-", stdin="\n".join(lines) + "\n", seconds=SECONDS * (1 + len(lines) / 60)
        )
        why = answer.broken()
        found: list[dict[str, Any]] = []
        if why is None:
            try:
                found = [json.loads(line) for line in answer.out.splitlines()]
            except ValueError as error:
                why = f"the output is no NDJSON: {error}"
        if why is None and len(found) != len(lines):
            why = f"{len(found)} records for {len(lines)} lines"
        if why is None:
            code = max(map(_code, found))
            if code != answer.code:
                why = f"exit code {answer.code} where the records say {code}"
        if why is None:
            return found
        if len(lines) == 1:
            return [{"schema": "broken/1", "why": why}]
        half = len(lines) // 2
        return self.records(argv, lines[:half]) + self.records(argv, lines[half:])

    def keep(self, name: str, data: bytes) -> Path:
        """A file in the working folder."""
        path = self.here / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path


def _code(record: dict[str, Any]) -> int:
    """The exit code that a record stands for."""
    if record["schema"] == "error/1":
        return _KINDS.get(record["kind"], 99)
    return 3 if any(note["kind"] == "disagreement" for note in record.get("notes", ())) else 0


def command(*argv: str, stdin: str | None = None) -> str:
    """A line for a shell that asks the same."""
    asked = shlex.join(["adcli", *argv])
    return asked if stdin is None else f"printf %s {shlex.quote(stdin)} | {asked}"
