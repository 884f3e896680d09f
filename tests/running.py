"""Running the command line in tests: inside this process, as a process of its own, and on a terminal."""

from __future__ import annotations

import io
import math
import os
import shutil
import subprocess
import sys
import time
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from held import held

import adcli
from adcli.cli.main import main

PACKAGE = Path(adcli.__file__).resolve().parent
CHECKOUT = Path(__file__).resolve().parent.parent
PAPER = "log(x1)+x1*x2-sin(x2)"
LONGEST_RUN = 60  # seconds after which a process counts as hanging


class Run(NamedTuple):
    """What came of a command line: exit code, standard output, standard error."""

    code: int
    out: str
    err: str


class Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


def run(*argv: str, stdin: str | bytes | None = b"") -> Run:
    """The command line run inside this process, off a terminal; with stdin None standard input is a terminal."""
    before = sys.stdin, sys.stdout, sys.stderr
    given = stdin.encode() if isinstance(stdin, str) else stdin
    reader = io.TextIOWrapper if given is not None else Terminal
    out, err = io.BytesIO(), io.BytesIO()
    sys.stdin = reader(io.BytesIO(given or b""), encoding="utf-8")
    sys.stdout = written = io.TextIOWrapper(out, encoding="utf-8", newline="")
    sys.stderr = said = io.TextIOWrapper(err, encoding="utf-8", newline="")
    try:
        code = main(list(argv))
        written.flush()
        said.flush()
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
    found = Run(code, out.getvalue().decode(), err.getvalue().decode())
    held(found.out)
    return found


def cpu_seconds(work: Callable[[], object], enough: float) -> float:
    """Return the processor time that `work` takes: the least of three runs, or the first that is below `enough`.

    Others at work on the machine make a run longer, never shorter.
    """
    least = math.inf
    for _ in range(3):
        started = time.process_time()
        work()
        least = min(least, time.process_time() - started)
        if least < enough:
            break
    return least


def copy_tree(source: Path, target: Path) -> None:
    """Copy a folder, into one that may exist, with its compiled modules, which stay valid as times are copied too."""
    # Files whose names end in .pyc and a number are being written by another process.
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("*.pyc.*", ".hypothesis"), dirs_exist_ok=True)


def environment(**changes: str) -> dict[str, str]:
    """An environment in which this adcli is found from any folder, and that says nothing about terminals."""
    kept = {name: text for name, text in os.environ.items() if name not in _APPEARANCE}
    return {**kept, "PYTHONPATH": str(PACKAGE.parent), "TERM": "xterm", **changes}


_APPEARANCE = (
    "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "PYTHONIOENCODING", "PYTHONUTF8", "LANG", "LC_ALL", "LC_CTYPE",
)  # fmt: skip
UTF8 = {"PYTHONUTF8": "1"}


def process(*argv: str, stdin: str | bytes = b"", cwd: Path | None = None, **changes: str) -> Run:
    """The command line as a process of its own, all three streams being pipes."""
    done = subprocess.run(
        [sys.executable, "-m", "adcli", *argv],
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        cwd=cwd,
        env=environment(**(changes or UTF8)),
        timeout=LONGEST_RUN,
        check=False,
    )
    found = Run(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))
    held(found.out)
    return found


def terminal(*argv: str, columns: int = 80, **changes: str) -> Run:
    """The command line on a terminal of so many columns, which stands for all three streams: all text is in `out`."""
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    with subprocess.Popen(
        [sys.executable, "-m", "adcli", *argv],
        stdin=theirs, stdout=theirs, stderr=theirs, env=environment(**{**UTF8, **changes}), close_fds=True,
    ) as child:  # fmt: skip
        os.close(theirs)
        pieces = []
        try:
            while piece := os.read(ours, 65536):
                pieces.append(piece)
        except OSError:  # the other end is closed
            pass
        os.close(ours)
        code = child.wait(LONGEST_RUN)
    return Run(code, b"".join(pieces).decode("utf-8").replace("\r\n", "\n"), "")


def width(text: str) -> int:
    """How many columns a line takes on a terminal."""
    wide = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
    return wide - sum(1 for c in text if unicodedata.combining(c))


def only_json(result: Run) -> object:
    """What a run wrote to standard output, which must be one JSON document."""
    import json

    return json.loads(result.out)
