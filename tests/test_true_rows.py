"""An answer that holds only true rows is not headed wrong, and everything that is said of it agrees."""

from __future__ import annotations

import csv
import json
import random
from itertools import islice
from pathlib import Path

import pytest
from drawn import usually
from one_wrong_row import honest
from running import run
from true_rows import marked, true_rows

from adcli.render.marks import summary


@pytest.mark.parametrize("seed", range(3, usually(6, thoroughly=14)))
def test_verdict_headline_marks_and_rows_agree(seed: int) -> None:
    crossed = 0
    for case in islice(true_rows(seed), 60):
        marking = marked(case)
        whole = marking.earned == marking.possible
        assert marking.earned == sum(each.earned for each in marking.quantities), case
        assert (marking.verdict == "right") <= whole, case
        assert (marking.verdict == "wrong") == any(mark.verdict in ("error", "formula") for mark in marking.marks), case
        assert summary(marking).startswith("Correct: ") == (marking.verdict == "right"), case
        assert ("error" in summary(marking)) <= (marking.verdict == "wrong"), case
        crossed += marking.verdict == "wrong"
    assert crossed <= 1  # of 1,000 answers 1 or 2: a letter such as e is a row that nothing on the left names


@pytest.mark.parametrize("seed", [8, 9])
def test_exit_code_headline_and_grades_agree_with_the_marks(seed: int, tmp_path: Path) -> None:
    """Parts of an honest answer to one problem, some with another number in one row, checked and graded."""
    chance = random.Random(f"agree {seed}")  # noqa: S311 - chance that repeats itself
    case = next(case for case in honest(seed) if case.mode == "reverse")
    key = f'title = "One"\n[[problem]]\ntext = """{case.problem}"""\nmode = "{case.mode}"\n'
    (tmp_path / "key.toml").write_text(key, encoding="utf-8")
    (tmp_path / "answers").mkdir()
    verdicts: dict[str, tuple[str, str]] = {}
    for student in range(12):
        lines = [line for line in case.answer.splitlines() if chance.random() < 0.8] or case.answer.splitlines()
        if chance.random() < 0.4:
            place = chance.randrange(len(lines))
            lines[place] = lines[place].rpartition(" = ")[0] + " = 123.4567"
        (tmp_path / "answers" / f"s{student}.txt").write_text("\n".join(lines), encoding="utf-8")
        checked = [
            "check",
            str(tmp_path / "answers" / f"s{student}.txt"),
            "--problem",
            case.problem,
            "--mode",
            case.mode,
        ]
        done, plain = run(*checked, "--format", "json"), run(*checked)
        marking = json.loads(done.out)
        assert done.code == plain.code == (0 if marking["verdict"] == "right" else 1)
        headline = {"right": "Correct: ", "incomplete": "Correct so far: "}.get(marking["verdict"], " marks: ")
        assert headline in plain.out
        verdicts[f"s{student}"] = marking["verdict"], marking["score"]["earned"]
    run("grade", str(tmp_path / "answers"), "--key", str(tmp_path / "key.toml"), "-o", str(tmp_path / "out"))
    with (tmp_path / "out" / "grades.csv").open(encoding="utf-8") as stream:
        rows = {row["student"]: row for row in csv.DictReader(stream)}
    assert {name: (row["status"], row["earned"]) for name, row in rows.items()} == verdicts
    assert {"wrong", "incomplete"} <= {verdict for verdict, _ in verdicts.values()}


@pytest.mark.parametrize(
    ("problem", "mode", "answer"),
    [
        ("(x*x+sin(y))*(-1) @ x=-2, y=3", None, "z3 = z2 + z1 = 4.14"),  # z1 and z2 have no rows
        (
            "sin(-p)^2/p @ p=-1.5",
            "reverse",
            "v3 = 0.995\nv2 = sin(v1) = 0.9975\ny = -0.6633\nv3bar = -0.6667\nv2bar = -1.330",
        ),
        ("(u*w)*(u*w) @ u=2, w=3", "forward", "q2 = 36\ndq1/du = 3\ndq2/du = 2*q1*dq1/du = 36\ndy/du = dq2/du = 36"),
        ("cos(sqrt(t)/t) @ t=5", None, "h.grad = -0.4324\ng = sqrt(t) = 2.236\nE_t = 0.01934"),
        ("x1+atan(x2) @ x1=5, x2=1.5", None, "E = 5.9828\nE_x1 = 1\nE_x2 = 0.3077"),
        ("15^2", None, "f' = 0"),
        ("x*y+sin(y) @ x=2, y=3", None, "f = x*y = 6\ng = sin(y) = 0.141\nh = f+g = 6.141\ndh/dx = 3\ndh/dy = 1.010"),
        ("x*y+sin(y) @ x=2, y=3", None, "d = 0.141\nf = 6\ng = 6.141\ndg/dx = 3\ndg/dy = 1.010"),
        (
            "ln(y*(x+x))^2 @ y=1.7, x=1.8",
            None,
            "v1 = x+x = 3.6\nv2 = 6.12\nv3 = ln(v2) = 1.8116\ny = v3^2 = 3.2818\n∂y/∂v3 = 3.6231\n"
            "∂y/∂v2 = ∂y/∂v3*1/v2 = 0.5920\n∂y/∂v1 = 1.0064\n∂y/∂y = ∂y/∂v2*v1 = 2.1312\n"
            "∂y/∂x = ∂y/∂v1 + ∂y/∂v1 = 2.0128",
        ),
        (
            "ln(y*(x+x))^2 @ y=1.7, x=1.8",
            None,
            "a = 3.6\nb = 6.12\nc = 1.8116\ng = 3.2818\ny = g = 3.2818\n"
            "dy/dy = 1\ndx/dy = 0\ndb/dy = 3.6\ndg/dy = 2.1312",
        ),
    ],
)
def test_names_without_rows_mean_what_makes_the_rows_true(problem: str, mode: str | None, answer: str) -> None:
    case = next(honest(0))._replace(problem=problem, mode=mode, wrt="u" if mode == "forward" else None, answer=answer)
    assert marked(case).verdict in ("right", "incomplete")
