"""Several processes say what one says: the same records, messages and exit code, in the same order."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from running import environment, run

LINES = [
    "a{0}: x^2 + {0} @ x={0}", "log(x - {0}) @ x=1", "2*(x @ x=1", "|x| * y @ x=0", "x1x2 + {0} @ x1=1, x2=2",
    "u = x*{0}; sin(u)/u @ x=0.5, @", "1e400*x @ x=1",
]  # fmt: skip


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("problems") / "problems.txt"
    path.write_text("\n".join(line.format(k) for k in range(1, 32) for line in LINES), encoding="utf-8")
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    "flags",
    [
        (),
        ("--no-trace", "--mode", "forward"),
        ("--kinks", "error", "--ascii"),
        ("--at", "y=pi/2"),
        ("--at", "y=sqrt(-1)"),
        ("--exact", "--quiet"),
        ("--fail-fast",),
    ],
)
def test_two_processes_say_what_one_says(file: Path, flags: tuple[str, ...]) -> None:
    alone = run("eval", "--file", str(file), "--format", "ndjson", *flags, "--workers", "1")
    assert alone == run("eval", "--file", str(file), "--format", "ndjson", *flags, "--workers", "2")
    assert alone.out.count("\n") > 1 or flags in {("--fail-fast",), ("--at", "y=sqrt(-1)")}


def test_standard_input_is_shared_out_too(file: Path) -> None:
    argv = ("eval", "--format", "ndjson", "--no-trace", "--workers")
    text = file.read_bytes()
    assert run(*argv, "1", stdin=text) == run(*argv, "2", stdin=text)


def test_no_problem_is_the_same_mistake_for_two_processes() -> None:
    argv = ("eval", "--format", "ndjson", "--workers")
    assert run(*argv, "1", stdin="# nothing\n") == run(*argv, "2", stdin="# nothing\n")


@pytest.mark.parametrize("form", ["plain", "csv", "json"])
def test_other_formats_take_the_option_and_stay_in_one_process(file: Path, form: str) -> None:
    argv = ("eval", "--file", str(file), "--no-trace", "--format", form)
    assert run(*argv) == run(*argv, "--workers", "2")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there Ctrl-C reaches no single group of processes")
def test_ctrl_c_is_quiet_in_all_processes() -> None:
    """They wait for work, the first one for a line that never comes, when all of them are interrupted."""
    command = [sys.executable, "-m", "adcli", "eval", "--format", "ndjson", "--no-trace", "--workers", "2"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment(),
        start_new_session=True,
    ) as started:  # fmt: skip
        assert started.stdin is not None and started.stderr is not None
        started.stdin.write(b"x @ x=1\n" * 500)
        started.stdin.flush()
        time.sleep(1)
        os.killpg(started.pid, signal.SIGINT)
        try:
            _, said = started.communicate(timeout=30)
        finally:
            started.kill()
        assert (b"", 130) == (said, started.returncode)
