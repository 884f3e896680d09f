"""Nothing is lost on the way out: whatever fails, whoever ends it, a file is complete or as it was before."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path

import pytest
from drawn import THOROUGH
from running import LONGEST_RUN, UTF8, Run, environment, run

from adcli.cli.options import COMMANDS, Command, CommandRequest

EXISTING = "before\n"
PROBLEMS = "x^2 @ x=3\nsin(x) @ x=1\n"
WRONG = {
    "syntax": "x^2+(",
    "name": "qqq(x)",
    "domain": "log(x - 3) @ x=1",
}  # fmt: skip
KEY = '[[problem]]\ntext = "x^2 @ x=3"\n'
MODEL = "def good(x):\n    return x * x\n\ndef bad(x):\n    raise ValueError(x)\n"
WITHOUT_POINT = ("diff", "expand", "graph", "plot")  # what is outside a domain there has a formula all the same
# Commands of problems, and how one is asked of them.
OF_PROBLEMS = ("eval", "diff", "taylor", "explain", "step", "expand", "template", "graph", "plot")


def command(name: str) -> Command[CommandRequest]:
    found: Command[CommandRequest] = import_module(f"adcli.cli.commands.{name}").COMMAND
    return found


def formats(name: str) -> tuple[str, ...]:
    """The formats of a command that writes one file; none for one that writes a folder."""
    options = command(name).options
    if "output" not in options or options["output"].metavar == "FOLDER":
        return ()
    return options["format_name"].choices if "format_name" in options else ("",)


PAIRS = [(name, form) for name in COMMANDS for form in formats(name)]


def test_the_pairs_are_those_of_all_commands() -> None:
    assert len(PAIRS) >= 90
    assert {name for name, _ in PAIRS} >= {*OF_PROBLEMS, "check", "map", "trace", "functions"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder to work in: an output that exists, and inputs of every kind."""
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "out": EXISTING, "problems.txt": PROBLEMS, "wrong.txt": "\n".join(WRONG.values()), "points.csv": "x\n1\n2\n",
        "text.csv": "x\nno\nneither\n", "key.toml": KEY, "answer.txt": "y = 9\n", "model.py": MODEL, "not.toml": "[[",
    }.items():  # fmt: skip
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def form_of(form: str) -> tuple[str, ...]:
    return ("--format", form) if form else ()


def failing(name: str, form: str) -> Iterator[tuple[str, ...]]:
    """Command lines that fail, each in another way."""
    if name in OF_PROBLEMS:
        for kind, text in WRONG.items():
            if kind != "domain" or name not in WITHOUT_POINT:
                yield (name, text, "--at", "x=1") if kind != "domain" else (name, text)
        yield name, "--file", "wrong.txt", "--fail-fast"
        yield name, "--file", "missing.txt"
        yield name, "x^2", "--at", "x=(("
        yield name, "x^2", "--at", "x=1", "--max-size", "nothing"
        if form != "svg":
            yield name, "--file", "problems.txt", "--max-size", "3"
    elif name == "check":
        yield name, "missing.txt", "--key", "key.toml"
        yield name, "answer.txt", "--key", "not.toml"
        yield name, "answer.txt", "--key", "missing.toml"
        yield name, "answer.txt", "--problem", WRONG["syntax"]
        yield name, "answer.txt"
    elif name == "map":
        yield name, WRONG["syntax"], "points.csv"
        yield name, "x*z", "points.csv"
        yield name, "x", "missing.csv"
        yield name, "x", "answer.txt"
        yield name, "x", "text.csv", "--fail-fast"
        yield name, "x", "text.csv"
        yield name, "log(-x)", "points.csv"
        yield name, "log(-x)", "points.csv", "--fail-fast"
    elif name == "trace":
        yield name, "model.py:bad", "--at", "x=1"
        yield name, "model.py:none", "--at", "x=1"
        yield name, "missing.py:good", "--at", "x=1"
        yield name, "model.py:good", "--at", "x=(("
    elif name == "functions":
        yield name, "nothing_of_the_kind"
        yield name, "sin", "--functions", "missing.py"


def add(argv: tuple[str, ...], form: str, out: str = "out") -> tuple[str, ...]:
    return (*argv, *form_of(form), "-o", out)


def contents(folder: Path) -> dict[str, bytes]:
    """What all files in a folder hold, by name, hidden ones too."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize(("name", "form"), PAIRS)
def test_what_fails_leaves_an_existing_file_as_it_was(name: str, form: str, folder: Path) -> None:
    before = contents(folder)
    for argv in failing(name, form):
        answer = run(*add(argv, form))
        assert answer.code in (2, 3), argv
        assert "made a mistake" not in answer.err
        assert (before, argv) == (contents(folder), argv)


@pytest.mark.parametrize(("name", "form"), [pair for pair in PAIRS if pair[0] in OF_PROBLEMS])
def test_of_several_problems_the_good_ones_are_written(name: str, form: str, folder: Path) -> None:
    (folder / "some.txt").write_text(f"x^2+(\n{PROBLEMS.splitlines()[0]}\n", encoding="utf-8")
    answer = run(*add((name, "--file", "some.txt"), form))
    assert 2 == answer.code
    assert (folder / "out").read_bytes() not in (b"", EXISTING.encode())


# --- an input is no output -------------------------------------------------------------------------------------------


def overwriting(name: str, form: str, path: str) -> Iterator[tuple[str, ...]]:
    """Command lines that read `path`, whatever it is called, and are asked to write `input`."""
    if name in OF_PROBLEMS:
        yield name, "--file", path
        if "functions" in command(name).options:
            yield name, "x^2", "--at", "x=1", "--functions", path
    if name == "template":
        yield name, "--key", path
    if name == "check":
        yield name, path, "--problem", "x^2 @ x=3"
        yield name, "answer.txt", "--key", path
    if name == "map":
        yield name, "x^2", path
        yield name, "--file", path, "points.csv"
        yield name, "x", "points.csv", "--functions", path
    if name == "trace":
        yield name, f"{path}:good", "--at", "x=1"
    if name == "functions":
        yield name, "sin", "--functions", path


@pytest.mark.parametrize(("name", "form"), PAIRS)
def test_an_input_is_never_the_output_by_whatever_name(name: str, form: str, folder: Path) -> None:
    (folder / "input.py").write_text(MODEL, encoding="utf-8")
    (folder / "link.py").symlink_to("input.py")
    os.link("input.py", "hard.py")
    (folder / "inside").mkdir()
    before = contents(folder)
    for path in ("input.py", "link.py", "hard.py", "inside/../input.py", str(folder / "input.py")):
        for argv in overwriting(name, form, path):
            answer = run(*add(argv, form, "input.py"))
            assert (2, before, argv) == (answer.code, contents(folder), argv)
            assert "is both an input and the output" in answer.err
    assert (folder / "link.py").is_symlink()


@pytest.mark.parametrize(
    ("argv", "name"),
    [
        (("eval",), "problems.txt"),
        (("eval", "-"), "problems.txt"),
        (("diff", "--file", "-"), "problems.txt"),
        (("map", "x^2", "-", "--format", "csv"), "points.csv"),
        (("check", "-", "--problem", "x^2 @ x=3", "--format", "json"), "answer.txt"),
    ],
)
@pytest.mark.parametrize("to", ["-o", ">>"])
def test_standard_input_is_no_output_either(argv: tuple[str, ...], name: str, to: str, folder: Path) -> None:
    before = (folder / name).read_bytes()
    with (folder / name).open("rb") as given, (folder / name).open("ab") as taken:
        done = subprocess.run(
            [sys.executable, "-m", "adcli", *argv, *(("-o", name) if to == "-o" else ())], env=environment(**UTF8),
            stdin=given, stdout=subprocess.PIPE if to == "-o" else taken, stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
    assert (2, before) == (done.returncode, (folder / name).read_bytes())
    assert done.stderr.startswith(b"error: standard input is both an input and the output")


def test_what_a_class_hands_in_is_never_written_over(folder: Path) -> None:
    for place in ("hw/reports", "hw/answers"):
        (folder / place).mkdir(parents=True)
        (folder / place / "alice.md").write_text("y = 9\n", encoding="utf-8")
    (folder / "hw" / "grades.csv").write_text("id,name\nalice,Alice\n", encoding="utf-8")
    (folder / "roster.csv").symlink_to("hw/grades.csv")
    for argv in (
        ("hw/reports",),
        ("hw/answers", "--roster", "hw/grades.csv"),
        ("hw/answers", "--roster", "roster.csv"),
    ):
        answer = run("grade", *argv, "--key", "key.toml", "-o", "hw", "--workers", "1")
        assert 2 == answer.code
        assert f"error: {argv[-1]} is both an input and the output" in answer.err
    assert "y = 9\n" == (folder / "hw" / "reports" / "alice.md").read_text(encoding="utf-8")
    assert "id,name\nalice,Alice\n" == (folder / "hw" / "grades.csv").read_text(encoding="utf-8")
    answer = run("grade", "hw/answers", "--key", "key.toml", "-o", "hw", "--workers", "1")
    assert answer.code in (0, 1)  # beside what is written they may stand


def test_a_terminal_and_a_device_may_be_read_and_written() -> None:
    assert 0 == run("eval", "x^2 @ x=3", "-o", "/dev/null", "--format", "csv").code


# --- a full disk, and the end of the process -------------------------------------------------------------------------


def started(folder: Path, *argv: str, prepare: Callable[[], object] | None = None) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "adcli", *argv], cwd=folder, env=environment(**UTF8), stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=prepare, start_new_session=True,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("form", ["table", "html", "json", "ndjson", "csv"])
def test_a_disk_that_is_full_in_the_middle_leaves_the_file_as_it_was(form: str, folder: Path) -> None:
    (folder / "many.txt").write_text("".join(f"x^2 + {k} @ x={k}\n" for k in range(300)), encoding="utf-8")
    before = contents(folder)
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (4096, 4096))
    with started(folder, *add(("eval", "-f", "many.txt"), form), prepare=limit) as child:
        assert child.stderr is not None
        assert (2, b"error: cannot write out\n  = File too large\n") == (child.wait(LONGEST_RUN), child.stderr.read())
    assert before == contents(folder)


LONG = [
    ("eval", "-f", "many.txt", "--format", "markdown"),
    ("eval", "-f", "many.txt", "--format", "ndjson", "--workers", "2"),
    ("map", "sin(x)*exp(-x)", "--over", "x=0:1:1e9", "--format", "csv"),
    ("map", "sin(x)*exp(-x)", "--over", "x=0:1:1e9", "--format", "ndjson", "--workers", "2"),
]
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
CODES = {signal.SIGKILL: -9, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGINT: 130}


def of_session(leader: int) -> list[int]:
    """The processes that are left of a session."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == leader and fields[0] != "Z":
            found.append(int(path.parent.name))
    return found


def is_writing(number: int, folder: Path, before: Iterable[str]) -> bool:
    """Return whether a process has opened a new file in a folder: one without a name, or one that was not there."""
    for opened in Path(f"/proc/{number}/fd").glob("*"):
        with suppress(OSError):  # it has been closed
            path = opened.readlink()
            if path.parent == folder and path.name not in before:
                return True
    return False


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="processes are counted in /proc")
@pytest.mark.parametrize("kind", SIGNALS, ids=lambda kind: kind.name)
def test_a_process_that_is_ended_in_the_middle_leaves_nothing(kind: signal.Signals, folder: Path) -> None:
    """Twice, each soon after it has begun to write: the file is as it was, nothing is beside it, nobody goes on or
    says a word.
    """
    (folder / "many.txt").write_text("".join(f"x^2 + sin(x)*{k} @ x={k}\n" for k in range(40_000)), encoding="utf-8")
    before = contents(folder)
    chance = random.Random(kind.value)  # noqa: S311 - moments, no secrets
    place = SIGNALS.index(kind)
    for number in range(len(LONG)) if THOROUGH else (place % 2, 3 - place // 2):
        with started(folder, *LONG[number], "-o", "out") as child:
            assert child.stderr is not None
            limit = time.monotonic() + LONGEST_RUN
            while not is_writing(child.pid, folder, before):
                assert child.poll() is None and time.monotonic() < limit
                time.sleep(0.01)
            time.sleep(chance.uniform(0, 0.2))
            child.send_signal(kind)
            code, said = child.wait(LONGEST_RUN), child.stderr.read()
        limit = time.monotonic() + 5
        while of_session(child.pid) and time.monotonic() < limit:
            time.sleep(0.02)
        assert ([], b"") == (of_session(child.pid), said)
        assert CODES[kind] == code
        assert before == contents(folder)


# --- streams as they are ---------------------------------------------------------------------------------------------


def shell(text: str, folder: Path) -> Run:
    """What a line of a shell gives, in which `adcli` is this program."""
    line = text.replace("adcli", f"{sys.executable} -m adcli", 1)
    done = subprocess.run(
        ["bash", "-c", line], cwd=folder, env=environment(**UTF8), capture_output=True, check=False, timeout=LONGEST_RUN
    )
    return Run(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))


FULL = "error: cannot write to standard output\n  = No space left on device\n"
CLOSED = "error: standard output is closed\n  = help: name a file with -o\n"
NO_INPUT = "error: standard input is closed\n  = help: name a file, or pipe the input in\n"
STREAMS = [
    ('adcli eval "x^2" --at x=3 -q > /dev/full', 2, FULL),
    ('adcli eval "x^2" --at x=3 -q --format json > /dev/full', 2, FULL),
    ('adcli graph "x^2" --format png > /dev/full', 2, FULL),
    ("adcli map x points.csv --engine numpy > /dev/full", 2, FULL),
    ("adcli map x points.csv --engine numpy --format parquet > /dev/full", 2, FULL),
    ('adcli eval "x^2" --at x=3 >&-', 2, CLOSED),
    ("adcli functions --format json >&-", 2, CLOSED),
    ('adcli eval "x^2" --at x=3 -o new.json >&-', 0, ""),
    ('adcli eval "x^2" --at x=3 -o new.json <&- >&- 2>&-', 0, ""),
    ('adcli eval "x^2+(" 2>&-', 2, ""),
    ('adcli eval "x^2+(" 2>/dev/full', 2, ""),
    ('adcli eval "x^2+(" <&- >&- 2>&-', 2, ""),
    ("adcli --help > /dev/full", 2, FULL),
    ("adcli doctor >&-", 2, CLOSED),
    ("adcli prompt <&-", 2, NO_INPUT),
    ("adcli eval <&-", 2, NO_INPUT),
    ("adcli map x - <&-", 2, NO_INPUT),
    ('adcli check - --problem "x @ x=1" <&-', 2, NO_INPUT),
    ("adcli functions | true", 0, ""),
    ("adcli eval -f problems.txt --format ndjson | true", 0, ""),
    ("adcli eval --format ndjson --workers 2 < many.txt | head -c 1 | wc -c", 0, ""),
    ("adcli eval missing/x", 2, None),
    ("ulimit -n 7; adcli eval x @x=1", 2, None),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is always full")
@pytest.mark.parametrize(("line", "code", "said"), STREAMS)
def test_a_stream_that_is_full_or_closed_is_one_message_or_silence(
    line: str, code: int, said: str | None, folder: Path
) -> None:
    (folder / "many.txt").write_text("x^2 @ x=3\n" * 2000, encoding="utf-8")
    answer = shell(line, folder)
    assert code == answer.code
    assert said is None or said == answer.err
    assert "Traceback" not in answer.err
    assert "made a mistake" not in answer.err


@pytest.mark.parametrize(
    ("stdin", "place"),
    [
        (b"x^2 @ x=\xff3\n", "1 | x^2 @ x=\ufffd3\n  |         ^ these bytes are not UTF-8"),
        (b"x @ x=1\nl\xe9: x^2 @ x=3\n", "2 | l\ufffd: x^2 @ x=3\n  |  ^ these bytes are not UTF-8"),
    ],
)
def test_bytes_that_are_no_utf8_are_told_with_their_place(stdin: bytes, place: str) -> None:
    answer = run("eval", "--no-trace", stdin=stdin)
    assert 2 == answer.code
    assert place in answer.err


def test_an_answer_at_a_prompt_that_is_no_utf8_is_no_number_and_asked_for_again() -> None:
    answer = run("step", "x^2 @ x=2", "--mode", "value", "--predict", stdin=b"4\xff\n4\n")
    assert (0, "") == (answer.code, answer.err)
    assert "Write a number" in answer.out
    assert "Right." in answer.out


@pytest.mark.parametrize("option", ["--key", "--roster"])
def test_a_key_and_a_class_list_that_are_no_utf8_are_told_with_the_place(option: str, folder: Path) -> None:
    (folder / "in").mkdir()
    (folder / "bad").write_bytes(b"id,name\n1,Andr\xe9\n")
    files = {"--key": "key.toml", "--roster": "bad", option: "bad"}
    answer = run("grade", "in", *(text for pair in files.items() for text in pair), "-o", "grades")
    assert 2 == answer.code
    assert answer.err.startswith("error: bad is not UTF-8\n --> bad:2:7\n")
    assert not (folder / "grades").exists()


def test_a_list_with_the_mark_of_utf16_is_read(folder: Path) -> None:
    (folder / "class.csv").write_bytes("id,name\n1,André\n".encode("utf-16"))
    (folder / "secret").write_bytes(b"0123456789")
    answer = run("new", "--students", "class.csv", "--secret", "secret", "-o", "made")
    assert 0 == answer.code, answer.err


# --- how much is read ------------------------------------------------------------------------------------------------


def bounded() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (10**9, 10**9))


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is no file without an end")
@pytest.mark.parametrize(
    "argv",
    [
        ("check", "answer.txt", "--key", "/dev/zero"),
        ("check", "/dev/zero", "--key", "key.toml"),
        ("eval", "-f", "/dev/zero"),
        ("map", "x", "/dev/zero"),
        ("grade", ".", "--key", "/dev/zero"),
        ("grade", ".", "--key", "key.toml", "--roster", "/dev/zero"),
        ("new", "--students", "/dev/zero", "--secret", "key.toml", "-o", "made"),
        ("new", "--students", "points.csv", "--secret", "/dev/zero", "-o", "made"),
        ("template", "--key", "/dev/zero"),
        ("eval", "x", "--functions", "sparse.py"),
        ("trace", "sparse.py:f", "--at", "x=1"),
    ],
)
def test_what_has_no_end_is_not_read_to_it(argv: tuple[str, ...], folder: Path) -> None:
    with (folder / "sparse.py").open("wb") as file:
        file.truncate(5 * 10**9)
    with started(folder, *argv, prepare=bounded) as child:
        assert child.stderr is not None
        code, said = child.wait(LONGEST_RUN), child.stderr.read().decode("utf-8")
    assert code in (2, 4)
    assert any(words in said for words in ("is larger than 64,000,000 bytes", "is too long", "is too large"))


def test_the_outputs_alone_have_the_derivatives_that_are_wanted_and_data_may_be_named_before_the_point() -> None:
    wanted = run("eval", "x*t @ x=2, t=3", "--no-trace", "--wrt", "x").out
    assert ["y", "=", "6", "∂y/∂x", "=", "3"] == wanted.split()
    assert wanted == run("eval", "x*t; data t @ x=2, t=3", "--no-trace").out
