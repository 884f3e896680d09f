"""Fifty published and real expressions: value and gradient by adcli's engines and by other programs, in turn.

`python -m tests.benchmarks.fifty [--of 50] [--only ENGINE,…] [-o FILE]` shows every expression; each program has a
process and a core of its own, and is asked in turn for its processor time.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import adcli

from .timing import python

CASES = Path(__file__).resolve().parent.parent / "cases"
FILES = {"published": "expression", "expressions": "expr"}
COUNT, ROUNDS, SECONDS = 10**5, 5, 0.02


class Posed(NamedTuple):
    """An expression and points beside the one that it was published with."""

    text: str
    names: list[str]
    points: Any


def chosen(count: int) -> Iterator[tuple[str, dict[str, float]]]:
    """So many expressions with their points, evenly from the files, half of each."""
    for file, key in FILES.items():
        lines = (CASES / f"{file}.jsonl").read_text("utf-8").splitlines()
        found: dict[str, dict[str, float]] = {}
        for record in map(json.loads, lines):
            point = {name: float(x) for name, x in record["point"].items()}
            if point and _differentiable(record[key], point):
                found.setdefault(record[key], point)
        share = count // len(FILES)
        every = list(found.items())
        yield from [every[k * len(every) // share] for k in range(share)]


def _differentiable(text: str, point: dict[str, float]) -> bool:
    """Whether this is one smooth function there, of more than one operation."""
    try:
        expression = adcli.parse(text, list(point))
        if expression.inputs != list(point) or len(expression.outputs) > 1 or not any(c in text for c in "(^/*"):
            return False
        y, slopes = expression.value_and_gradient(point)
    except adcli.AdcliError:
        return False
    return all(map(math.isfinite, [y, *slopes.values()]))


def posed(text: str, point: dict[str, float], count: int) -> Posed:
    """Points within a tenth of each input where there is a value."""
    import numpy as np

    draw = np.random.default_rng(0)
    kernel = adcli.parse(text, list(point)).kernel("numpy")
    kept = np.empty((len(point), 0))
    for _ in range(8):
        drawn = np.array([(x or 1.0) * draw.uniform(-0.1, 0.1, count) + x for x in point.values()])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            y, slopes = kernel(**dict(zip(point, drawn, strict=True)))
        inside = np.all(np.isfinite([np.broadcast_to(x, count) for x in (y, *slopes.values())]), axis=0)
        kept = np.concatenate([kept, drawn[:, inside]], axis=1)
        if kept.shape[1] >= count:
            break
    return Posed(text, list(point), np.resize(kept.T, (count, len(point))).T.copy())


class Engine:
    """A program in a process of its own."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._process = subprocess.Popen(
            python("-W", "ignore", "-m", "tests.benchmarks.engines", name), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env=os.environ | {"OMP_NUM_THREADS": "1"},
        )  # fmt: skip

    def ask(self, **question: Any) -> dict[str, Any]:
        """What it answers; an end of it is an answer."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
            found: dict[str, Any] = json.loads(self._process.stdout.readline() or "{}")
        except BrokenPipeError:
            found = {}
        if not found:
            self.__init__(self.name)  # type: ignore[misc]
            return {"unable": "its process ended"}
        return found

    def close(self) -> None:
        """Ends it."""
        self._process.stdin.close()  # type: ignore[union-attr]
        self._process.wait()


class Taken(NamedTuple):
    """What was found of an expression: seconds of each program, and words on those that have none."""

    posed: Posed
    seconds: dict[str, float]
    words: dict[str, str]


def taken(engines: Sequence[Engine], problem: Posed, rounds: int) -> Taken:
    """The shortest processor time of a call of each program, over rounds in which each has its turn."""
    import numpy as np

    words: dict[str, str] = {}
    able: dict[str, Engine] = {}
    truth: list[Any] | None = None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "points.npy"
        np.save(file, problem.points)
        for engine in engines:
            said = engine.ask(prepare={"text": problem.text, "names": problem.names, "points": str(file)})
            if "columns" not in said:
                words[engine.name] = said.get("missing") or said.get("unable", "")
                continue
            able[engine.name] = engine
            columns = said["columns"]
            truth = truth or columns
            scale = max(abs(x) for column in truth for x in column) or 1.0
            apart = max(abs(a - b) for x, y in zip(truth, columns, strict=True) for a, b in zip(x, y, strict=True))
            if not apart <= 1e-6 * scale:
                words[engine.name] = f"finds other numbers: {apart / scale:.1g}"
            elif said["vectors"] is False:
                words[engine.name] = "not in vectors"
        found: dict[str, list[float]] = {name: [] for name in able}
        for _ in range(rounds):
            for name, engine in able.items():
                said = engine.ask(run=SECONDS)
                if "seconds" in said:
                    found[name].append(said["seconds"])
    return Taken(problem, {name: min(times) for name, times in found.items() if times}, words)


def fifty(of: int = 50, rounds: int = ROUNDS, only: Sequence[str] = ()) -> Iterator[Taken]:
    """Every expression with what was found."""
    from .engines import ENGINES

    engines = [Engine(name) for name in only or ENGINES]
    for text, point in chosen(of):
        yield taken(engines, posed(text, point, COUNT), rounds)
    for engine in engines:
        engine.close()


def ratios(found: Sequence[Taken], ours: str) -> dict[str, list[float]]:
    """For each rival how many times its time is that of one of our engines, for each expression that both can do."""
    rivals = dict.fromkeys(name for one in found for name in one.seconds if name != ours)
    return {
        rival: [one.seconds[rival] / one.seconds[ours] for one in found if {rival, ours} <= one.seconds.keys()]
        for rival in rivals
    }


def fifty_expressions(of: int = 50) -> Iterator[tuple[str, float, str]]:
    """How many times faster adcli is than each rival, in the middle and at worst, and how often it is behind."""
    from .engines import OURS

    found = list(fifty(of))
    for ours in OURS:
        for rival, times in ratios(found, ours).items():
            if rival not in OURS and times:
                head = f"{of} expressions, {rival}: {ours}"
                yield f"{head}, median", median(times), "x"
                yield f"{head}, worst", min(times), "x"
                yield f"{head}, behind", sum(x < 1 for x in times), f"of {len(times)}"


def main() -> int:
    """Shows every expression: nanoseconds a point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--of", type=int, default=50)
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("-o", "--output", type=Path)
    asked = parser.parse_args()
    found = []
    for one in fifty(asked.of, asked.rounds, asked.only.split(",") if asked.only else ()):
        found.append(one)
        times = "  ".join(f"{name} {seconds / COUNT * 1e9:.3g}" for name, seconds in one.seconds.items())
        print(f"{one.posed.text}\n    {times}  {one.words or ''}", flush=True)
    for ours in ("native", "numpy"):
        for rival, times in ratios(found, ours).items():
            if times:
                behind = sum(x < 1 for x in times)
                told = f"median {median(times):.2f} worst {min(times):.2f} behind {behind} of {len(times)}"
                print(f"{ours}, times faster than {rival}: {told}")
    if asked.output:
        asked.output.write_text(json.dumps([[x.posed.text, x.seconds, x.words] for x in found], indent=1), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
