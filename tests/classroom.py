"""The files that examples in the help of `check`, `grade`, `new` and `template` name; the answers are right."""

from __future__ import annotations

import zipfile
from pathlib import Path

KEY = """\
title = "Homework"
[[problem]]
text = "x1*sin(x2) @ x1=2, x2=1"
mode = "reverse"
[[student.alice.problem]]
text = "log(x1)+x1*x2-sin(x2) @ x1=2, x2=5"
mode = "value"
"""
PAPER = "v1 = log(x1) = 0.693\nv2 = x1*x2 = 10\nv3 = sin(x2) = -0.959\ny = v1 + v2 - v3 = 11.652\n"
SINE = """\
v1 = sin(x2) = 0.841
v2 = x1*v1 = 1.683
v2bar = 1
x1bar = v2bar*v1 = 0.841
x2bar = v2bar*x1*cos(x2) = 1.081
"""
ROSTER = "Student,ID,SIS User ID,SIS Login ID,Section\nAlice,1,s1,alice,A\nBob,2,s2,bob,A\n"


def put_homework(folder: Path) -> None:
    """The folder holds what the examples name."""
    texts = {
        "hw.toml": KEY, "gradebook.csv": ROSTER, "answer.txt": PAPER, "answer.md": PAPER,
        "class.csv": "name,email\nAlice,alice@uni.edu\nBob,bob@uni.edu\n", "secret.txt": "only the teacher knows",
        "answer.csv": "\n".join(line.replace(" = ", ",") for line in ["name,formula,value", *SINE.splitlines()]),
        "submissions/alice.txt": PAPER, "submissions/bob.txt": SINE,
    }  # fmt: skip
    texts["answer.csv"] = texts["answer.csv"].replace("v2bar,1", "v2bar,,1")
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    with zipfile.ZipFile(folder / "submissions.zip", "w") as archive:
        for name in ("alice.txt", "bob.txt"):
            archive.write(folder / "submissions" / name, name)
