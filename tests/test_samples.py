"""The theme files of samples/: every problem runs in both modes, and the two agree."""

from __future__ import annotations

import json
import math
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from running import run
from together import together

import adcli
from adcli.errors import AdcliError
from adcli.language.problems import Problem, read_problems

SAMPLES = Path(__file__).resolve().parent.parent / "samples"
THEMES = sorted(SAMPLES.glob("*.txt"))
SWEEPS = ("reverse", "forward")
# The two sweeps multiply and add the same partials in another order.
RELATIVE = 1e-9
# Below this a difference is rounding of partials that cancel, as in sin(x)^2 + cos(x)^2.
ABSOLUTE = 1e-12


def problems(path: Path) -> list[Problem | AdcliError]:
    """The problems of a theme file."""
    return list(read_problems(path.read_text(encoding="utf-8").split("\n"), path.name))


@cache
def answers(path: Path, sweep: str) -> tuple[int, list[dict[str, Any]]]:
    """The exit code for a whole theme file and a record for each of its problems."""
    result = run("eval", "--file", str(path), "--mode", sweep, "--format", "ndjson")
    return result.code, [json.loads(line) for line in result.out.splitlines()]


PROBLEMS = [
    pytest.param(path, place, id=f"{path.stem}:{getattr(problem, 'line', '?')}")
    for path in THEMES
    for place, problem in enumerate(problems(path))
]


@pytest.mark.parametrize("sweep", SWEEPS)
@pytest.mark.parametrize("path", THEMES, ids=lambda path: path.stem)
def test_a_theme_file_runs_as_it_stands(path: Path, sweep: str) -> None:
    code, found = answers(path, sweep)
    assert code == 0
    assert [problem.label for problem in problems(path) if isinstance(problem, Problem)] == [
        record["label"] for record in found
    ]


@together(("path", "place"), PROBLEMS)
def test_forward_and_reverse_agree_and_no_derivative_is_missing(path: Path, place: int) -> None:
    backward, ahead = (answers(path, sweep)[1][place] for sweep in SWEEPS)
    for one, other in zip(backward["outputs"], ahead["outputs"], strict=True):
        assert one["value"] == other["value"]
        assert one["gradient"] == pytest.approx(other["gradient"], rel=RELATIVE, abs=ABSOLUTE)
        assert all(math.isfinite(slope) for slope in one["gradient"].values())
    assert "undefined" not in {note["kind"] for record in (backward, ahead) for note in record["notes"]}


BY_HAND = re.compile(r"^([^:#]+):.*# by hand: (.+)$", re.MULTILINE)
DRILLS = BY_HAND.findall((SAMPLES / "calculus.txt").read_text(encoding="utf-8"))


def test_every_drill_problem_has_its_derivative_by_hand() -> None:
    assert [problem.label for problem in problems(SAMPLES / "calculus.txt") if isinstance(problem, Problem)] == [
        label for label, _ in DRILLS
    ]


@pytest.mark.parametrize("place", range(len(DRILLS)), ids=lambda place: f"{place + 1}-{DRILLS[place][0]}")
def test_a_drill_problem_has_the_derivative_found_by_hand(place: int) -> None:
    record = answers(SAMPLES / "calculus.txt", "reverse")[1][place]
    expected = adcli.parse(DRILLS[place][1], names=("x",)).value(record["at"])
    assert expected == pytest.approx(record["outputs"][0]["gradient"]["x"], rel=RELATIVE, abs=ABSOLUTE)


def test_every_theme_file_says_how_it_is_run() -> None:
    silent = [path.name for path in THEMES if f"adcli eval --file samples/{path.name}" not in path.read_text("utf-8")]
    assert not silent
