"""Reading takes no more work than an answer needs: each row is read once, and plain text with few patterns."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import pytest

from adcli.answers import answer as reading
from adcli.answers import sections, sessions, spellings
from adcli.answers.answer_model import Entry, Unread
from adcli.answers.collector import RawRow, RawSection
from adcli.answers.left_sides import LeftSides
from adcli.answers.symbols import Names, NameSources
from adcli.classroom.record import as_data
from adcli.marking.assessing import assess, readings
from adcli.marking.model import Rules
from adcli.marking.task import task_of

PLAIN = b"v1 = log(x1) = 0.693\nv2 = x1*x2 = 10\nv3 = sin(x2) = -0.959\nv4 = v1+v2 = 10.693\ny = v4-v3 = 11.652\n"
COUNTED = """
import sys
from adcli import patterns
compiled = []
known = patterns._LazyPattern._compile
def counting(self): compiled.append(self._text); return known(self)
patterns._LazyPattern._compile = counting
from adcli.marking.assessing import readings
from adcli.marking.task import task_of
readings(sys.stdin.buffer.read(), "a.txt", [task_of("log(x1) + x1*x2 - sin(x2) @ x1=2, x2=5")])
print(len(compiled))
"""


@pytest.mark.parametrize("headed", (b"", b"# Trace\n\n", b"Problem 1\n"))
def test_a_row_is_read_once(headed: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    known = reading.read_part

    def counted(
        part: RawSection,
        beside: Sequence[RawRow],
        lefts: LeftSides,
        names: Names,
        decimal: str,
    ) -> tuple[tuple[Entry, ...], tuple[Unread, ...]]:
        read.append(len(part.rows))
        return known(part, beside, lefts, names, decimal)

    monkeypatch.setattr(reading, "read_part", counted)
    (found,) = readings(headed + PLAIN, "a.txt", [task_of("log(x1) + x1*x2 - sin(x2) @ x1=2, x2=5")])
    assert len(found.answers[0].entries) == 5
    assert sum(read) == 5


def test_what_a_class_shares_changes_no_marking() -> None:
    problem = "log(x1) + x1*x2 - sin(x2) @ x1=2, x2=5"
    plain = PLAIN.decode() + "ybar = 1\nv1bar = ybar = 1\nx1bar = v1bar/x1 + ybar*x2 = 5.5\n"
    changes = (("", ""), ("v", "w"), ("+", "*"), ("= 10\n", "= 1\n"), ("log(x1)", "log(x2)"), ("5.5", "5.0"))
    answers = [plain.replace(*change).encode() for change in changes]

    def marked(answers: list[bytes], text: str) -> list[object]:
        task = task_of(text)
        return [as_data(assess(answer, "a.txt", [task], Rules())[0]) for answer in answers]

    together = marked(answers, problem)
    assert together == marked(answers[::-1], problem)[::-1]
    assert together == [marked([answer], problem)[0] for answer in answers]
    other = "log(x1) + x1*x2 - sin(x2) @ x1=3, x2=5"
    assert marked(answers, other) != together == marked(answers, problem)


def test_a_plain_answer_is_read_with_few_patterns() -> None:
    done = subprocess.run([sys.executable, "-c", COUNTED], input=PLAIN, capture_output=True, check=True)
    assert 0 < int(done.stdout) <= 20


@pytest.mark.parametrize("line, told", (
    ("=== Problem 3 ===", "3"), ("== 2 ==", "2"), ("**Exercise 4** (5 points)", "4"), ("#1", "1"),
    ("v1 = log(x1) = 0.693", None),
    ("Problem 3 = 0.5", None), ("(b)", "b"),
))  # fmt: skip
def test_headings_have_no_equation(line: str, told: str | None) -> None:
    assert sections.heading(line) == told


@pytest.mark.parametrize("line, told", (
    ("(∂y)/(∂x) = 2", "∂y/∂x"), ("partial y / partial x = 2", "∂y/∂x"),
    ("the derivative of y with respect to x is 2", "∂y/∂x"),
    ("∂_x y = 2", "∂y/∂x"), ("dy/dx at x = 2 = 4", "dy/dx"), ("Ableitung von y nach x: 2", "∂y/∂x"),
))  # fmt: skip
def test_spellings_are_found_wherever_they_stand(line: str, told: str) -> None:
    assert spellings.respell_derivatives(line).strip().startswith(told)


@pytest.mark.parametrize("sign", (">>>", "...", "In [3]:", "octave:1>", "julia>", "sage:", "(%i3)"))
def test_prompts_are_found(sign: str) -> None:
    assert sessions.without_prompt(f"{sign} v1")[1]


def test_rows_are_read_again_for_problems_with_other_named_steps() -> None:
    plain, named = Names(NameSources(("x",), ("y",))), Names(NameSources(("x",), ("y",), steps=("theta1",)))
    script = reading.split_answer("θ1 = 2\ny = θ1*x = 6\n".encode(), "a.txt", plain)
    rows = script.together()
    for names, expected in ((plain, "θ1"), (named, "theta1"), (plain, "θ1")):
        assert [entry.quantity.name for entry in script.read(rows, names).entries] == [expected, "y"]
