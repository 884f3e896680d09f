"""Answers with vectors and matrices: verdicts written beforehand, in five spellings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from adcli.marking.assessing import assess
from adcli.marking.model import CROSSED, Marking, Rules
from adcli.marking.task import task_of

_FILE = Path(__file__).with_name("array_answers.txt")


def _cases() -> Iterator[tuple[str, str, str, str, str, str]]:
    """Yield (name, problem, mode, verdict, line of the first error, answer) for each case of the file."""
    problems: dict[str, str] = {}
    for block in _FILE.read_text(encoding="utf-8").split("\n=== "):
        head, _, answer = block.partition("\n")
        if block.startswith("#"):
            lines = [line[4:].partition(": ") for line in block.splitlines() if line.startswith("---")]
            problems = {name: text for name, _, text in lines}
            continue
        name, problem, mode, verdict, line = (part.strip() for part in head.split("|"))
        yield name, problems[problem], mode, verdict, line, answer


def marked(problem: str, answer: str, mode: str | None = None) -> Marking:
    return assess(answer.encode(), "answer.txt", [task_of(problem, mode=mode)], Rules())[0]


@pytest.mark.parametrize(("name", "problem", "mode", "verdict", "line", "answer"), [*_cases()])
def test_verdicts_written_beforehand(name: str, problem: str, mode: str, verdict: str, line: str, answer: str) -> None:
    marking = marked(problem, answer, mode or None)
    crossed = [str(mark.line) for mark in marking.marks if mark.verdict in CROSSED]
    assert (marking.verdict, crossed) == (verdict, [line] if line else []), name
