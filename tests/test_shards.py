"""Parts of a map: together they are the whole, whoever makes them, however often and whatever is killed."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from jsonschema import validate
from running import environment, run

from adcli.cli.commands.schema import schema
from adcli.files import csv_file

PAPER = "log(x1)+x1*x2-sin(x2)"


@pytest.fixture
def points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Points of several lengths of line, some of them quoted over two lines, some without a value."""
    monkeypatch.chdir(tmp_path)
    chance = random.Random(5)  # noqa: S311
    rows = [f'"a,\n{k}",{chance.uniform(-0.1, 3)!r},{chance.uniform(0.5, 3):.3f}\n' for k in range(3000)]
    (tmp_path / "points.csv").write_text("id,x1,x2\n" + "".join(rows), encoding="utf-8")
    return tmp_path


def parts(count: int, name: str = "out", suffix: str = "csv") -> list[str]:
    return [f"{name}-{k:05}-of-{count:05}.{suffix}" for k in range(1, count + 1)]


def contents(paths: list[str]) -> list[bytes]:
    return [Path(path).read_bytes() for path in paths]


@pytest.mark.parametrize("count", [1, 3, 20])
@pytest.mark.parametrize("suffix", ["csv", "ndjson"])
def test_all_parts_one_after_the_other_are_the_whole(points: Path, count: int, suffix: str) -> None:
    told = run("map", PAPER, "points.csv", "-q", "-o", f"whole.{suffix}")
    for k in range(1, count + 1):
        assert (
            told.code == 3 == run("map", PAPER, "points.csv", "-q", "-o", f"out.{suffix}", f"--shard={k}/{count}").code
        )
    head = b"id,y,dy_dx1,dy_dx2\n" if suffix == "csv" else b""
    made = contents(parts(count, suffix=suffix))
    assert Path(f"whole.{suffix}").read_bytes() == head + b"".join(part.removeprefix(head) for part in made)
    longest = max(map(len, made))
    assert longest <= 1.1 * sum(map(len, made)) / count + 200  # of about one length


def test_made_up_points_are_the_same_in_every_part(points: Path) -> None:
    asked = ("map", PAPER, "--over", "x1=1:2:3000", "--sample", "normal(5,1)")
    assert 0 == run(*asked, "-o", "whole.csv").code
    assert 0 == run(*asked, "-o", "out.csv", "--shards", "3").code
    head, *_ = Path("whole.csv").read_bytes().splitlines(keepends=True)
    made = [part.removeprefix(head) for part in contents(parts(3))]
    assert Path("whole.csv").read_bytes() == head + b"".join(made)


def test_more_parts_than_rows_are_parts_without_rows(points: Path) -> None:
    Path("few.csv").write_text("x1,x2\n1,2\n2,3\n", encoding="utf-8")
    assert 0 == run("map", PAPER, "few.csv", "-o", "out.csv", "--shards", "5").code
    assert 2 == sum(part.count(b"\n") - 1 for part in contents(parts(5)))


def test_a_part_without_any_value_is_a_part(points: Path) -> None:
    Path("bad.csv").write_text("x1,x2\n1,2\n-2,3\n", encoding="utf-8")
    assert 3 == run("map", PAPER, "bad.csv", "-o", "out.csv", "--shards", "2", "-q").code
    assert b"nan" in contents(parts(2))[1].lower()


def manifest(path: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(f"{path}.json").read_text("utf-8"))
    return found


def test_a_manifest_says_what_a_part_was_made_of(points: Path) -> None:
    run("map", "a*x1+x2", "points.csv", "--at", "a=2", "-q", "-o", "out.csv", "--shards", "4")
    at = 0
    for path in parts(4):
        told = manifest(path)
        validate(told, dict(schema("shard/1")))
        assert {"expression": "a*x1+x2", "at": ["a=2"]} == told["request"]
        assert os.path.getsize(path) == told["result"]["bytes"]
        assert at in (0, told["range"]["start"])
        at = told["range"]["stop"]
    assert os.path.getsize("points.csv") == at


ASKED = ("map", PAPER, "points.csv", "-q", "-o", "out.csv", "--shards", "4", "--resume")


def times() -> list[int]:
    return [os.stat(path).st_mtime_ns for path in parts(4)]


def test_what_is_there_is_left_as_it_is(points: Path) -> None:
    first, before = run(*ASKED), times()
    assert first.code == 3 == run(*ASKED).code
    assert before == times()
    told = run(*(word for word in ASKED if word != "-q")).err
    assert "note: part 2/4 exists already; some points of it have no value\n" in told


@pytest.mark.parametrize(
    "change",
    [
        lambda part: Path(part).unlink(),
        lambda part: Path(f"{part}.json").unlink(),
        lambda part: Path(part).write_bytes(Path(part).read_bytes()[:-1]),
        lambda part: Path(part).write_bytes(Path(part).read_bytes().replace(b"1", b"2", 1)),
        lambda part: Path(f"{part}.json").write_text("[" * 100_000),
        lambda part: Path(f"{part}.json").write_bytes(b"\xff\x00"),
        lambda part: Path(f"{part}.json").write_text('{"schema": "shard/1"}'),
        lambda part: Path(f"{part}.json").write_text(
            Path(f"{part}.json").read_text().replace('"code": 3', '"code": 99')
        ),
        lambda part: Path(f"{part}.json").write_text(Path(f"{part}.json").read_text().replace('"rows"', '"shard"')),
    ],
)
def test_what_is_changed_is_made_again_and_nothing_else(points: Path, change: Any) -> None:
    run(*ASKED)
    before, good = times(), contents(parts(4))
    change(parts(4)[2])
    assert 3 == run(*ASKED).code
    assert good == contents(parts(4))
    assert [True, True, False, True] == [a == b for a, b in zip(before, times(), strict=True)]


def test_other_points_and_other_requests_are_made_again(points: Path) -> None:
    run(*ASKED)
    before = times()
    run(*ASKED, "--wrt", "x1")
    assert not set(before) & set(times())
    run(*ASKED)
    before = times()
    Path("points.csv").write_bytes(Path("points.csv").read_bytes().replace(b"id", b"ID", 1))
    run(*ASKED)
    assert not set(before) & set(times())


LAYOUT = "out-of-00004.parquet.json"


def test_points_are_looked_through_once_for_all_parts(points: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[object] = []
    for name in ("ranges", "kinds"):
        whole = getattr(csv_file.CsvFile, name)
        monkeypatch.setattr(csv_file.CsvFile, name, lambda *of, whole=whole: (looked.append(whole), whole(*of))[1])
    asked = ("map", PAPER, "points.csv", "-q", "--wrt", "x1", "-o", "out.parquet")
    for number in (3, 1, 2, 4):
        run(*asked, f"--shard={number}/4")
    assert 2 == len(looked)
    validate(json.loads(Path(LAYOUT).read_text("utf-8")), dict(schema("parts/1")))
    made = contents(parts(4, suffix="parquet"))
    Path(LAYOUT).unlink()
    run(*asked, "--shards", "4")
    assert made == contents(parts(4, suffix="parquet"))


@pytest.mark.parametrize("damage", [lambda told: told.replace("[0,", "[1,"), lambda told: told[:-9], lambda _: "[1]"])
def test_a_layout_that_is_damaged_is_made_again(points: Path, damage: Any) -> None:
    asked = ("map", PAPER, "points.csv", "-q", "-o", "out.parquet", "--shards", "4")
    run(*asked)
    made, layout = contents(parts(4, suffix="parquet")), Path(LAYOUT).read_text("utf-8")
    Path(LAYOUT).write_text(damage(layout), "utf-8")
    run(*asked)
    assert made == contents(parts(4, suffix="parquet"))
    assert layout == Path(LAYOUT).read_text("utf-8")


def test_points_that_change_between_parts_are_told_and_while_a_part_is_made_refused(
    points: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(*ASKED)
    Path("points.csv").write_bytes(Path("points.csv").read_bytes() + b"more,1,2\n")
    told = run("map", PAPER, "points.csv", "-o", "out.csv", "--shard=2/4").err
    assert "note: the points have changed since parts of out.csv were made from them\n" in told
    assert "have changed" not in run("map", PAPER, "points.csv", "-o", "out.csv", "--shard=3/4").err
    kept = contents(parts(4))
    finish = csv_file.CsvWriter.finish
    monkeypatch.setattr(csv_file.CsvWriter, "finish", lambda of: (finish(of), os.utime("points.csv", ns=(1, 1)))[0])
    told = run("map", PAPER, "points.csv", "-q", "-o", "out.csv", "--shard=4/4")
    assert (2, kept) == (told.code, contents(parts(4)))
    assert "points.csv was changed while part 4/4 was made from it" in told.err


@pytest.mark.slow
def test_what_is_killed_at_any_moment_and_taken_up_again_is_what_was_never_killed(points: Path) -> None:
    run("map", PAPER, "points.csv", "-q", "-o", "good.csv", "--shards", "8")
    chance = random.Random(7)  # noqa: S311
    command = [
        sys.executable,
        "-m",
        "adcli",
        "map",
        PAPER,
        "points.csv",
        "-q",
        "-o",
        "out.csv",
        "--shards",
        "8",
        "--resume",
    ]
    for _ in range(5):
        with subprocess.Popen(command, env=environment(), start_new_session=True, stderr=subprocess.DEVNULL) as child:
            time.sleep(chance.uniform(0.2, 0.7))
            child.send_signal(chance.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
    assert 3 == run(*command[3:]).code
    assert contents(parts(8, "good")) == contents(parts(8))
    assert [] == [path.name for path in points.iterdir() if path.name.startswith(".")]


LOST_WORKER = """
import os, signal, subprocess, sys, threading, time
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        first, *_ = cluster.workers.values()
        threading.Timer(0.5, os.kill, [first.pid, signal.SIGKILL]).start()
        command = [sys.executable, "-m", "adcli", "map", sys.argv[1], "points.csv", "-q", "-o", "out.csv"]
        sys.exit(subprocess.run([*command, "--shards", "6", "--dask", cluster.scheduler_address]).returncode)
"""


@pytest.mark.slow
def test_a_cluster_one_worker_of_which_dies_makes_the_same(points: Path) -> None:
    pytest.importorskip("distributed")
    run("map", PAPER, "points.csv", "-q", "-o", "good.csv", "--shards", "6")
    (points / "lost.py").write_text(LOST_WORKER)
    done = subprocess.run(
        [sys.executable, "lost.py", PAPER], env=environment(), stderr=subprocess.PIPE, timeout=120, check=False
    )
    assert 3 == done.returncode, done.stderr
    assert contents(parts(6, "good")) == contents(parts(6))
