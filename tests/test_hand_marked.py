"""Answers as students write them, with a marker's verdicts that were said before any program saw them.

Of `rows` those that are not listed are right: e an error, c carried, f a right number whose formula is not, m missing,
x extra or superseded.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from adcli.marking.assessing import assess
from adcli.marking.model import Rules
from adcli.marking.task import task_of

CASES = Path(__file__).with_name("cases") / "hand_marked.jsonl"
CODES = {
    "correct": "", "rounding": "", "carried": "c", "error": "e", "does_not_follow": "f", "formula": "f", "missing": "m",
    "unreadable": "u", "precision": "p", "extra": "", "superseded": "",
}  # fmt: skip


@pytest.mark.parametrize(
    "case", [json.loads(line) for line in CASES.read_text("utf-8").splitlines()], ids=lambda case: case["id"]
)
def test_an_answer_is_marked_as_a_good_marker_would(case: dict[str, Any]) -> None:
    task = task_of(case["problem"], mode=case["mode"], wrt=(case["wrt"],) if case["wrt"] else ())
    (marking,) = assess(case["answer"].encode(), f"a.{case['ext']}", [task], Rules())
    found, seen = {}, Counter[str]()
    for mark in marking.marks:
        seen[mark.row] += 1
        found[mark.row if seen[mark.row] == 1 else f"{mark.row}#{seen[mark.row]}"] = CODES[mark.verdict]
    expected = {row: code for row, code in case["rows"].items() if code != "x"}
    assert expected == {row: code for row, code in found.items() if code}
    assert case["first"] == (None if marking.first is None else marking.marks[marking.first].row)
    assert case["overall"] == marking.verdict
    if case["overall"] == "right":
        assert marking.possible == marking.earned
