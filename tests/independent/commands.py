"""Families for everything else that may be asked: other commands, command lines and files by chance."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from random import Random

from . import generators as make
from .evaluations import random_problem
from .process import Adcli, Fault, command

OTHERS = (
    ("graph",), ("graph", "--mode", "both"), ("graph", "--format", "svg"), ("graph", "--format", "dot", "--mode",
    "reverse"), ("graph", "--format", "latex"),
    ("graph", "--format", "mermaid"), ("expand",), ("expand", "--format", "latex"), ("expand", "--format", "json"),
    ("explain",), ("explain", "--format", "html"),
    ("explain", "--detail", "full"), ("step",), ("template",), ("template", "--format", "csv"), ("eval", "--style",
    "paper"), ("eval", "--style", "baydin"),
    ("eval", "--format", "latex"), ("eval", "--format", "html"), ("eval", "--show", "nodes"), ("eval", "--show",
    "order"), ("eval", "--count"), ("eval", "--verify"),
    ("eval", "--hessian", "--format", "markdown"), ("eval", "--cse", "--numbering", "call"), ("diff",), ("diff",
    "--trace"), ("diff", "--format", "latex"),
    ("eval", "--certify", "--hessian"), ("eval", "--exact"), ("eval", "--precision", "30"), ("eval", "--complex"),
    ("eval", "--conditioning"), ("eval", "--digits", "17"),
)  # fmt: skip


def survey(adcli: Adcli, argv: Sequence[str], lines: Sequence[str]) -> Iterator[Fault]:
    """Every line at once; if the contract is broken, the line alone with which it is."""
    answer = adcli(*argv, "-", stdin="\n".join(lines) + "\n", seconds=30 + len(lines))
    why = answer.broken()
    if why is None:
        return
    if len(lines) == 1:
        yield Fault(command(*argv, lines[0]), "an answer or a message", why)
        return
    half = len(lines) // 2
    found = [*survey(adcli, argv, lines[:half]), *survey(adcli, argv, lines[half:])]
    yield from found
    if not found:
        yield Fault(command(*argv, "-", stdin="\n".join(lines)), "an answer or a message", why)


def other_commands(adcli: Adcli, rng: Random) -> Iterator[Fault]:
    """Pictures, sentences, documents: an answer or a message for every problem."""
    for argv in rng.sample(OTHERS, 6):
        number = rng.choice((make.ordinary, make.ordinary, make.extreme))
        lines = [random_problem(rng, number, rng.choice((1, 2, 3))).line for _ in range(16)]
        if "--conditioning" in argv and b"--conditioning" not in adcli("eval", "--help").out:
            continue
        yield from survey(adcli, argv, lines)
    for _ in range(3):
        problem = random_problem(rng)
        over = sorted((float(make.ordinary(rng)), float(make.ordinary(rng)) + 0.5))
        rest = ",".join(f"{n}={x}" for n, x in problem.at.items() if n != "x")
        argv = [
            "plot",
            problem.text,
            "--over",
            f"x={over[0]:g}:{over[1]:g}",
            *(["--at", rest] if rest else []),
            "--format",
            rng.choice(("plain", "csv")),
        ]
        if why := adcli(*argv).broken():
            yield Fault(command(*argv), "a plot or a message", why)


_OPTION = re.compile(r"^\s+(?:-(\w), )?--([a-z-]+)(?: (\S+))?", re.MULTILINE)
_NOT_ASKED = {"interactive", "output", "debug", "functions", "workers"}
_TEXTS = (
    "x",
    "x*y",
    "1/x",
    "abs(x)",
    "log(x)",
    "x^y",
    "a=x*y; a+a",
    "p=x;q=y;p;q",
    "max(x,y)",
    "x1x2",
    "",
    "-x",
    "2x",
    "x @ x=1",
    "l: x^2 @ x=3",
    "sin x",
    "if(x>0,1,x)",
    "x!",
    "NaN",
    "1e400*x",
    "3",
    "f(u)=u^2; f(x)",
)
_WORDS = (
    "x",
    "y",
    "x=1",
    "x=2,y=-3",
    "x=0,y=0",
    "0",
    "1",
    "3",
    "-1",
    "17",
    "1e3",
    "both",
    "reverse",
    "json",
    "wide",
    "nodes",
    "x,y",
    "y=1,q=2",
    "pi",
    "",
    "x=1e400",
    "nan",
    "x=y",
    "=",
    "☃",
    "x=1/0",
    "a",
)


def command_lines(adcli: Adcli, rng: Random) -> Iterator[Fault]:
    """Options of every command by chance, in any order, with any words."""
    helps = {}
    for _ in range(12):
        name = rng.choice(
            (
                "eval",
                "diff",
                "taylor",
                "explain",
                "expand",
                "step",
                "graph",
                "plot",
                "functions",
                "template",
                "new",
                "check",
                "map",
            )
        )
        if name not in helps:
            helps[name] = adcli(name, "--help").out.decode()
        options = [(found[2], found[3]) for found in _OPTION.finditer(helps[name]) if found[2] not in _NOT_ASKED]
        argv = [name]
        if rng.random() < 0.85:
            argv.append(rng.choice(_TEXTS))
        if rng.random() < 0.7 and name not in ("functions", "new"):
            argv += [
                "--at" if name != "check" else "--problem",
                rng.choice(("x=2,y=5", "x=0,y=0", "x=-1,y=0.5", "x*y @ x=1,y=2")),
            ]
        for option, value in rng.sample(options, min(len(options), rng.randrange(5))):
            argv.append(f"--{option}")
            if value:
                choices = value.strip("[]").split("|") if value.startswith("[") else list(_WORDS)
                argv.append(rng.choice(choices) if rng.random() < 0.9 else rng.choice(_WORDS))
        if rng.random() < 0.3:
            head, rest = argv[0], argv[1:]
            rng.shuffle(rest)
            argv = [head, *rest]
        answer = adcli(*argv, stdin=rng.choice(("", "x @ x=1\n", "x,y\n1,2\n")))
        allowed = (0, 1, 2, 3, 4) if name in ("check", "grade") else (0, 2, 3)
        why = answer.broken(allowed)
        if why is None and answer.code and b"error" not in answer.err and name != "check":
            why = f"exit code {answer.code} without an error: {answer.err[:100]!r}"
        if why is None and answer.code == 0 and b"error:" in answer.err:
            why = f"exit code 0 with an error: {answer.err[:100]!r}"
        if why:
            yield Fault(shlex.join(["adcli", *argv]), "an answer or a message", why)
