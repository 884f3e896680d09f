"""Four walks through the house: which rooms a request passes, and that nothing is read twice or written early."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import numpy as np
import pytest
from running import PACKAGE, PAPER, run

import adcli
from adcli.python import grad

AT = ("--at", "x1=2,x2=5")
_HOUSE = f"{PACKAGE}/"


class Walk(NamedTuple):
    """The rooms in the order in which they were first entered, and how often each function of the house was called."""

    rooms: tuple[str, ...]
    calls: Counter[str]


def walk(errand: Callable[[], object], first: Callable[[], object] | None = None) -> Walk:
    """What an errand passes after a `first` one, by default the same, which loads what is imported late."""
    (first or errand)()
    rooms: dict[str, None] = {}
    calls: Counter[str] = Counter()

    def entered(frame: FrameType, event: str, _: object) -> None:
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(_HOUSE):
            place = file.removeprefix(_HOUSE).removesuffix(".py")
            rooms.setdefault(place.split("/")[0])
            calls[f"{place}.{frame.f_code.co_name}"] += 1

    before = sys.getprofile()
    sys.setprofile(entered)
    try:
        errand()
    finally:
        sys.setprofile(before)
    return Walk(tuple(rooms), calls)


def command(*arguments: str) -> Callable[[], object]:
    def errand() -> None:
        assert 0 == run(*arguments).code

    return errand


def in_order(found: Walk, *rooms: str) -> bool:
    """Whether these rooms were entered, each after the one before it."""
    return list(rooms) == [room for room in found.rooms if room in rooms]


@pytest.mark.parametrize("form", ["plain", "json", "latex", "markdown", "html", "rst", "typst"])
def test_from_text_to_table_the_text_is_read_once(form: str) -> None:
    found = walk(command("eval", PAPER, *AT, "--format", form))
    assert in_order(found, "cli", "language", "graph", "trace")
    assert not {"marking", "classroom", "engine", "files", "python"} & set(found.rooms)
    assert (1, 1) == (found.calls["language/scanner.scan"], found.calls["language/parser.parse"])


def test_an_answer_is_read_marked_and_only_then_written(tmp_path: Path) -> None:
    answer = tmp_path / "answer.txt"
    rows = (
        "v1 = log(x1) + 0*8128 = 0.693",
        "v2 = x1*x2 + 0*8128 = 10",
        "v3 = sin(x2) + 0*8128 = -0.959",
        "v4 = v1+v2 + 0*8128 = 10.693",
        "y = v4-v3 + 0*8128 = 11.652",
    )
    answer.write_text("\n".join(rows), encoding="utf-8")
    # The other answer has other formulas, because those that were read, here or in other tests, are kept.
    other = tmp_path / "other.txt"
    other.write_text("\n".join(rows).replace("8128", "496"), encoding="utf-8")
    first, errand = (
        command("check", str(file), "--problem", "log(x1)+x1*x2-sin(x2) @ x1=2, x2=5", "--mode", "value")
        for file in (other, answer)
    )
    found = walk(errand, first)
    assert in_order(found, "cli", "marking", "trace", "render")  # numbers are spelled for what is wrong alone
    assert not {"engine", "files", "python"} & set(found.rooms)
    # The problem, and each formula of the answer.
    assert 1 + len(rows) == found.calls["language/parser.parse"]


def test_a_function_of_python_passes_no_text_at_all() -> None:
    gradient = grad(lambda x: np.sum(np.sin(x) * x))
    found = walk(lambda: gradient(np.ones(3)))
    assert {"python", "table"} <= set(found.rooms) <= {"python", "graph", "numbers", "table", "extras"}


def test_an_expression_becomes_a_kernel_once_for_all_points(tmp_path: Path) -> None:
    points = tmp_path / "points.csv"
    points.write_text("x1,x2\n" + "2,5\n" * 1000, encoding="utf-8")
    found = walk(command("map", PAPER, str(points), "--quiet", "-o", str(tmp_path / "out.csv")))
    assert in_order(found, "cli", "language", "graph", "symbolic")
    assert {"engine", "files"} <= set(found.rooms)
    assert not {"trace", "marking", "classroom", "python"} & set(found.rooms)
    assert (1, 1) == (found.calls["language/scanner.scan"], found.calls["language/parser.parse"])


def test_an_expression_that_is_kept_is_not_read_again() -> None:
    expression = adcli.parse(PAPER)
    found = walk(lambda: expression.gradient({"x1": 2, "x2": 5}))
    assert not {"language", "notation", "render"} & set(found.rooms)
