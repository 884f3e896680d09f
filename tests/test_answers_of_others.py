"""Answers whose verdicts were written before the program read them: mails, sessions, notebooks, tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from together import together

from adcli.marking.assessing import assess
from adcli.marking.model import Rules
from adcli.marking.task import task_of

# What the verdict on a row says of its formula and its number: those that these are not.
EXCLUDED = {
    "correct": ("wrong", "wrong"), "rounding": ("wrong", "wrong"), "precision": ("wrong", "wrong"),
    "does_not_follow": ("wrong", "wrong"), "missing": ("wrong", "right"), "formula": ("right", ""),
}  # fmt: skip
CASES = (Path(__file__).parent / "cases" / "answers_of_others.jsonl").read_text(encoding="utf-8").splitlines()


@together("case", [json.loads(line) for line in CASES])
def test_an_answer_has_the_verdict_that_its_writer_gave_it(case: dict[str, Any]) -> None:
    options = dict(zip(case["flags"][::2], case["flags"][1::2], strict=True))
    task = task_of(
        case["problem"], mode=options.get("--mode"), wrt=tuple(filter(None, options.get("--wrt", "").split(","))),
        order=int(options.get("--order", 1)), formulas=True,
    )  # fmt: skip
    name, decimal = f"a.{case['ext']}", options.get("--decimal", "point")
    marking = assess(case["answer"].encode(), name, [task], Rules(), decimal)[0]
    assert case["overall"] == marking.verdict
    crosses = [mark.row for mark in marking.marks if mark.verdict in ("error", "does_not_follow", "formula")]
    assert case.get("crossed", len(crosses)) == len(crosses), crosses
    carried = [mark.row for mark in marking.marks if mark.verdict == "carried"]
    assert case.get("carried", len(carried)) == len(carried), carried
    for mark in marking.marks:
        formula, number = EXCLUDED.get(mark.verdict, ("", ""))
        assert formula != mark.formula
        assert number != mark.number
        assert mark.verdict != "error" or "wrong" in (mark.formula, mark.number)
