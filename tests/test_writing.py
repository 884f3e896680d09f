"""Files appear complete or not at all, whoever writes them."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from running import UTF8, environment, run

from adcli.errors import OutputProblem
from adcli.writing import WholeFile, write_file

EXISTING = "before"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "out.csv"
    found.write_text(EXISTING, encoding="utf-8")
    found.chmod(0o640)
    return found


@pytest.mark.parametrize("keep", [False, True])
def test_a_file_appears_when_it_is_complete(keep: bool, path: Path) -> None:
    out = WholeFile(str(path))
    out.write(b"after")
    assert EXISTING == path.read_text(encoding="utf-8")
    out.keep() if keep else out.drop()
    assert [path] == list(path.parent.iterdir())
    assert ("after" if keep else EXISTING) == path.read_text(encoding="utf-8")
    assert 0o640 == stat.S_IMODE(path.stat().st_mode)


def test_what_is_raised_leaves_the_file_as_it_was_and_nothing_beside_it(path: Path) -> None:
    with pytest.raises(ZeroDivisionError), WholeFile(str(path)) as out:
        out.write(b"after")
        raise ZeroDivisionError
    assert (EXISTING, [path]) == (path.read_text(encoding="utf-8"), list(path.parent.iterdir()))


def test_a_link_stays_a_link_wherever_it_points(path: Path) -> None:
    for target in (path, path.parent / "new.csv"):
        link = path.parent / "link"
        link.symlink_to(target)
        write_file(str(link), "after")
        assert link.is_symlink()
        assert "after" == target.read_text(encoding="utf-8")
        link.unlink()


def test_a_device_and_a_pipe_are_written_in_their_place(tmp_path: Path) -> None:
    write_file("/dev/null", "after")
    assert Path("/dev/null").is_char_device()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_file(str(pipe), "after")
    reader.join(10)
    assert ([b"after"], True) == (read, pipe.is_fifo())


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is always full")
def test_a_full_disk_is_an_error_that_names_the_file() -> None:
    with pytest.raises(OutputProblem, match="cannot write /dev/full"):
        write_file("/dev/full", "x" * 10**6)


@pytest.mark.parametrize("name", ["", ".", "missing/", "out.csv/x", "o" * 300])
def test_what_cannot_be_a_file_is_an_error_and_leaves_nothing(name: str, path: Path) -> None:
    with pytest.raises(OutputProblem, match="cannot write"):
        WholeFile(os.path.join(path.parent, name) if name else "")
    assert [path] == list(path.parent.iterdir())


def test_a_name_may_be_as_long_as_the_system_allows(tmp_path: Path) -> None:
    path = tmp_path / ("é" * 127)
    write_file(str(path), "after")
    assert [path] == list(tmp_path.iterdir())


@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator may write everywhere")
def test_a_file_that_may_not_be_written_is_left_alone(path: Path) -> None:
    path.chmod(0o440)
    with pytest.raises(OutputProblem, match="cannot write"):
        WholeFile(str(path))
    assert EXISTING == path.read_text(encoding="utf-8")


def test_folders_are_made_for_what_is_written_at_once(tmp_path: Path) -> None:
    write_file(str(tmp_path / "a" / "b.txt"), "text")
    assert "text" == (tmp_path / "a" / "b.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "argv",
    [
        ("plot", "--file", "-", "--format", "svg"),  # the second problem has no place in a picture
        ("graph", "--file", "-", "--format", "svg"),
        ("map", "x", "-", "--fail-fast", "--engine", "numpy"),
    ],
)
def test_a_command_that_fails_leaves_an_existing_file_as_it_was(argv: tuple[str, ...], path: Path) -> None:
    stdin = "x\n1\nno\n" if argv[0] == "map" else "x^2\nx^3\n"
    result = run(*argv, "-o", str(path), stdin=stdin)
    assert 2 == result.code
    assert (EXISTING, [path]) == (path.read_text(encoding="utf-8"), list(path.parent.iterdir()))


@pytest.mark.parametrize("name", ["-", "/dev/stdout"])
def test_standard_output_by_a_name_is_written_where_it_goes(name: str, tmp_path: Path) -> None:
    """A file that a shell has opened stays that file: what is written after us goes there too."""
    argv = [sys.executable, "-m", "adcli", "eval", "x^2", "--at", "x=3", "--no-trace", "--format", "csv", "-o", name]
    with (tmp_path / "out.csv").open("w") as out:
        subprocess.run(argv, stdout=out, check=True, env=environment(**UTF8), cwd=tmp_path)
        inode = os.fstat(out.fileno()).st_ino
    path, *others = tmp_path.iterdir()
    assert ([], inode) == (others, path.stat().st_ino)
    assert run(*argv[3:-2]).out == path.read_text(encoding="utf-8")
