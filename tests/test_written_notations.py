"""Answers as students write them are read as they were meant; the verdicts were said before any program saw them.

A right answer has no row that is not right, but for steps that it leaves out.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from together import together

from adcli.marking.assessing import assess
from adcli.marking.judging.row_verdicts import GOOD
from adcli.marking.model import Marking, Rules
from adcli.marking.task import task_of

CASES = Path(__file__).parent / "cases" / "notations.jsonl"
ANSWERS = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
PASSED = {"superseded", "extra", *GOOD}


def marked(case: dict[str, Any]) -> Marking:
    """The marking of an answer."""
    task = task_of(case["problem"], mode=case["mode"])
    name = f"answer.{case.get('suffix', 'txt')}"
    (found,) = assess(case["answer"].encode(), name, [task], Rules(), case.get("decimal", "point"))
    return found


@together("case", ANSWERS)
def test_an_answer_is_read_as_its_writer_means_it(case: dict[str, Any]) -> None:
    found = marked(case)
    assert found.verdict != "not_gradable", found.problem
    steps = [mark for mark in found.marks if mark.kind == "value" and mark.verdict == "missing"]
    wrong = {mark.row: mark.verdict for mark in found.marks if mark.verdict not in PASSED and mark not in steps}
    assert wrong == case.get("wrong", {})
    assert (None if found.first is None else found.marks[found.first].row) == case.get("first")
