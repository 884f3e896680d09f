"""Families of problems for `eval`: random programs, numbers at the ends, special points, kinks, certificates."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from random import Random
from typing import Any

from . import generators as make
from .generators import Problem
from .judging import Finding, certified, evaluated, number
from .process import Adcli, Fault, command

Judge = Callable[[Problem, dict[str, Any]], Iterator[Finding]]
BATCH = 40


def ask(adcli: Adcli, argv: Sequence[str], problems: Sequence[Problem], judge: Judge) -> Iterator[Fault]:
    """One process for all problems; every finding with the command line that asks for that problem alone."""
    for problem, record in zip(problems, adcli.records(argv, [p.line for p in problems]), strict=True):
        for finding in judge(problem, record):
            asked = command(
                argv[0], problem.text, *(("--at", problem.point.replace(" ", "")) if problem.at else ()), *argv[1:]
            )
            yield Fault(asked, f"{finding.what}: {finding.expected}", finding.got)


def random_problem(rng: Random, number: Callable[[Random], str] = make.ordinary, depth: int = 3) -> Problem:
    names = make.names(rng)
    text = make.expression(rng, names, depth)
    return Problem(text, {name: number(rng) for name in names})


def _mode(rng: Random) -> list[str]:
    return ["eval", "--workers", "1", "--no-trace", "--mode", rng.choice(("forward", "reverse", "both"))]


def values(adcli: Adcli, rng: Random) -> Iterator[Fault]:
    """Random programs at ordinary points: value and slopes, by either sweep."""
    yield from ask(adcli, _mode(rng), [random_problem(rng) for _ in range(BATCH)], evaluated)


def ends(adcli: Adcli, rng: Random) -> Iterator[Fault]:
    """Small programs at the ends of the range, beside special points, at whole numbers."""
    problems = [random_problem(rng, make.extreme, rng.choice((1, 1, 2))) for _ in range(BATCH)]
    yield from ask(adcli, _mode(rng), problems, evaluated)


def one_row(rng: Random, number: Callable[[Random], str]) -> Problem:
    """One function of plain inputs."""
    names = iter(("x", "y", "z"))
    at: dict[str, str] = {}

    def inner(less: int = 1) -> str:
        name = next(names)
        at[name] = number(rng)
        return name

    name = rng.choice([*make.FUNCTIONS, *make.SIGNS, "max", "min", "factorial", "neg"])
    if name in make.SIGNS:
        return Problem(f"{inner()}{make.SIGNS[name]}{inner()}", at)
    if name in ("max", "min"):
        return Problem(f"{name}({inner()}, {inner()})", at)
    if name in ("factorial", "neg"):
        return Problem(f"{inner()}!" if name == "factorial" else f"-{inner()}", at)
    return Problem(make.applied(rng, name, inner), at)


def rows(adcli: Adcli, rng: Random) -> Iterator[Fault]:
    """Every function alone at special points and at the ends of the range."""
    count = max(BATCH, len(make.FUNCTIONS))
    yield from ask(adcli, _mode(rng), [one_row(rng, make.extreme) for _ in range(count)], evaluated)


def certificates(adcli: Adcli, rng: Random) -> Iterator[Fault]:
    """What is called certain, for random programs and for single rows at special points."""
    problems = [one_row(rng, make.extreme) for _ in range(12)] + [random_problem(rng) for _ in range(18)]
    yield from ask(adcli, ["eval", "--workers", "1", "--no-trace", "--certify"], problems, certified)


def kinked(rng: Random) -> tuple[str, str, str]:
    """A program of x with kinks at 0, the same function without, and an inner function that may stand for x."""
    plain = (
        ("relu(X)-relu(-X)", "X"), ("relu(-X)+X-relu(X)", "0"), ("sign(X)*abs(X)", "X"), ("max(X,0)+min(X,0)", "X"),
        ("if(X>=0,X,0)+if(X<=0,X,0)", "X"), ("if(X==2, 4, X^2)", "X^2"), ("abs(X)*abs(X)", "X^2"), ("abs(X)^2", "X^2"),
        ("relu(X)+relu(-X)-abs(X)", "0"), ("max(X,-X)-abs(X)", "0"), ("sqrt(X^2)-abs(X)", "0"), ("relu(X)*relu(-X)",
        "0"),
        ("if(X>0, sin(X), X)+if(X>0, X, sin(X))", "X+sin(X)"), ("max(X, 2*X)+min(X, 2*X)", "3*X"),
        ("abs(X)^3-relu(X)^3-relu(-X)^3", "0"),
        ("abs(abs(X))-abs(X)", "0"), ("abs(X-abs(X))/2-relu(-X)", "0"), ("floor(X)+ceil(-X)", "0"), ("X-floor(X)-X%1",
        "0"),
        ("max(X, 0, -X)-abs(X)", "0"), ("if(X<0, -X, X)-abs(X)", "0"), ("sign(X)*sign(X)*X+if(X==0, 0, 0)", "X"),
        ("cbrt(X^3)", "X"), ("root(X^3, 3)", "X"), ("abs(X^3)-abs(X)*X^2", "0"), ("relu(X)^2+relu(-X)^2", "X^2"),
        ("hypot(X, 0)-abs(X)", "0"),
        ("relu(X-1)-relu(1-X)+1", "X"), ("max(X, 3)+min(X, 3)-3", "X"), ("abs(X)*X-sign(X)*X^2", "0"),
        ("min(abs(X), X^2)*0", "0"),
        ("if(X>=1, X^2, 2*X-1)-relu(X-1)^2", "2*X-1"), ("exp(relu(X))*exp(-relu(-X))", "exp(X)"),
        ("softplus(X)-softplus(-X)", "X"),
        ("log(exp(relu(X)))-relu(-X)", "X"), ("atan2(X, 0)*0+X", "X"), ("mod(X, 1)+floor(X)", "X"),
        ("abs(X)*sign(X)^3", "X"),
        ("if(X!=0, X, 0)", "X"), ("if(X==0, 1, X+1)", "X+1"), ("if(X==0, 1, sin(X)/X)", "S"), ("max(X,X)", "X"),
        ("min(X,X,X)", "X"),
        ("max(X, X+abs(X))-relu(X)", "X"), ("abs(2*X)-2*abs(X)", "0"), ("round(X)-round(X)", "0"),
        ("abs(sin(X))-sign(sin(X))*sin(X)", "0"),
    )  # fmt: skip
    program, known = rng.choice(plain)
    # Each takes the value 0 where x is 0, the others 1, 2, 3 …
    inner = rng.choice(
        (
            "x",
            "x",
            "x",
            "2*x",
            "-x",
            "x^3",
            "x^2",
            "sin(x)",
            "x*y",
            "x+y",
            "x-y",
            "expm1(x)",
            "x*(1+y)",
            "abs(x)*x",
            "x^2-y^2",
        )
    )
    return program, known, inner


def kinks(adcli: Adcli, rng: Random) -> Iterator[Fault]:
    """Programs with kinks whose function is known, on and off the kink: slopes, certificates."""
    problems = []
    for _ in range(BATCH):
        program, _known, inner = kinked(rng)
        text = program.replace("X", make.wrapped(inner))
        if rng.random() < 0.4:
            other, _, again = kinked(rng)
            other = other.replace("X", make.wrapped(again))
            text = f"{rng.choice(('', '2*', '3+', 'y*'))}({text}){rng.choice('+-*')}({other})"
        elif rng.random() < 0.3:
            text = f"{rng.choice(('exp', 'sin', 'sinh', 'atan', '2*', 'x*', 'abs', 'relu'))}({text})"
        at = {"x": rng.choice(("0", "0", "0", "1", "2", "3", "-1", make.dyadic(rng)))}
        if "y" in text:
            at["y"] = rng.choice(("0", at["x"], "1", "2", make.dyadic(rng)))
        problems.append(Problem(text.replace("mod(x, 1)", "x%1") if "mod(" not in text else _percent(text), at))
    flags = rng.choice(([], [], ["--certify"]))
    argv = [*_mode(rng), *flags]

    def judge(problem: Problem, record: dict[str, Any]) -> Iterator[Finding]:
        yield from evaluated(problem, record)
        if flags:
            yield from certified(problem, record)

    yield from ask(adcli, argv, problems, judge)


def _percent(text: str) -> str:
    """The remainder as a sign."""
    before, _, rest = text.partition("mod(")
    inner, _, after = rest.partition(", 1)")
    return f"{before}({inner}%1){after}"


def thresholds(adcli: Adcli, rng: Random) -> Iterator[Fault]:
    """Piecewise functions with a threshold at any magnitude: slopes on all sides."""
    yield from ask(adcli, _mode(rng), [threshold(rng)[0] for _ in range(BATCH)], evaluated)


def threshold(rng: Random) -> tuple[Problem, list[str]]:
    """A piecewise function that changes where a smooth one takes some value, and points on all sides."""
    inner, low, high = make.smooth_inner(rng)
    level = rng.choice(
        (f"{10 ** rng.uniform(-5, 5):.6g}", f"{rng.randint(1, 2000)}", f"{rng.uniform(-2, 2):.4g}", "0.5", "1", "2")
    )
    if rng.random() < 0.2:
        level = f"(-{level.lstrip('-')})"
    shape = rng.choice((
        "abs(F-C)", "max(F-C, 0)", "relu(F-C)", "min(F, C)", "max(F, C)", "if(F > C, F, C)",
        "if(F-C > 0, F^2, 2*F*C-C^2)", "sign(F-C)*F",
        "max(C-F, 0)^2", "abs(F-C)*x", "sqrt(abs(F-C))", "max(F, C, -F)", "abs(abs(F-C)-1)", "relu(C-F)",
        "min(max(F, 0), C)",
        "abs(C-F)/(1+abs(F))", "floor(F/C)*x", "if(F <= C, x, -x)", "abs(F^2-C^2)", "log(1+abs(F-C))", "max(F/C, 1)",
        "atan(relu(F-C))",
        "abs(F*C)", "(F-C)^2^0.5", "sqrt((F-C)^2)", "hypot(F-C, 0)", "cbrt((F-C)^3)", "acosh(max(F-C, 1))",
        "exp(-abs(F-C))", "round(F-C)*x",
        "log(abs(F-C))", "abs(F-C)^1.5", "abs(F-C)^3", "max(abs(F), C)-min(abs(F), C)", "sign(F-C)+sign(C-F)+F",
        "abs(x)*abs(F-C)", "atan2(F-C, 1)",
        "atan2(0, F-C)", "abs(tanh(F-C))", "1/(1+relu(F-C))", "abs(max(F-C, x))", "(abs(F-C)+abs(F+C))/2",
        "lgamma(abs(F-C)+1)", "if(abs(F) < C, 1, F)",
        "abs(erf(F-C))", "root((F-C)^2, 2)", "asinh(abs(F-C))", "max(F,C)*min(F,C)", "relu(relu(F)-C)",
        "abs(relu(F)-C)", "((F-C)^2)^0.5", "((F-C)^4)^0.25",
    ))  # fmt: skip
    text = shape.replace("F", make.wrapped(inner)).replace("C", level)
    points = [f"{rng.uniform(low, high):.6g}" for _ in range(6)]
    return Problem(text, {"x": points[0]}), points


def verified(adcli: Adcli, rng: Random) -> Iterator[Fault]:
    """`--verify` finds no disagreement: where rounding explains one there is none, and else the program is wrong."""
    draw = rng.choice((make.ordinary, make.ordinary, make.extreme))
    problems = [random_problem(rng, draw) for _ in range(BATCH // 2)]
    yield from ask(adcli, ["eval", "--workers", "1", "--no-trace", "--verify"], problems, _agreeing)


def _agreeing(problem: Problem, record: dict[str, Any]) -> Iterator[Finding]:
    yield from evaluated(problem, record)
    for note in record["notes"] if record["schema"] == "trace/1" else ():
        if note["kind"] == "disagreement":
            yield Finding("the routes", "no disagreement", note["text"])


def directions(adcli: Adcli, rng: Random) -> Iterator[Fault]:
    """Directional derivatives and weighted gradients are the sums of the slopes that the program itself gives."""
    weights = [rng.choice(("1", "-1", "0.5", "2", "3")) for _ in range(3)]
    problems = []
    for _ in range(BATCH // 2):
        first, second = (make.expression(rng, ("x", "y"), 2) for _ in range(2))
        at = {"x": make.ordinary(rng), "y": make.ordinary(rng)}
        problems.append(Problem(f"x + y + ({first})*({second})", at))
    seed = f"x={weights[0]},y={weights[1]}"
    common = ["eval", "--workers", "1", "--no-trace"]
    yield from ask(adcli, [*common, "--mode", "forward", "--seed", seed], problems, partial(_along, weights))
    pairs = [Problem(p.text.replace("x + y", "p = x + y", 1) + f"; q = x - y + {p.text}; p; q", p.at) for p in problems]
    pulled = [*common, "--mode", "reverse", "--seed", f"p={weights[0]},q={weights[1]}"]
    yield from ask(adcli, pulled, pairs, partial(_pulled, weights))


def _told_sum(terms: Sequence[tuple[str, Any]], got: Any, what: str) -> Iterator[Finding]:
    slopes = [float(weight) * number(slope) for weight, slope in terms]
    if all(map(math.isfinite, slopes)) and not abs(number(got) - sum(slopes)) <= 1e-12 * sum(map(abs, slopes)):
        yield Finding(what, f"{sum(slopes)!r}", repr(got))


def _along(weights: Sequence[str], problem: Problem, record: dict[str, Any]) -> Iterator[Finding]:
    if record["schema"] == "broken/1":
        yield Finding("the process", "an answer", record["why"])
    for told in record.get("outputs", []):
        slopes = [told["gradient"][name] for name in ("x", "y")]
        yield from _told_sum(list(zip(weights, slopes, strict=False)), told["jvp"], "the slope along the direction")


def _pulled(weights: Sequence[str], problem: Problem, record: dict[str, Any]) -> Iterator[Finding]:
    if record["schema"] == "broken/1":
        yield Finding("the process", "an answer", record["why"])
    for name, got in record.get("vjp", {}).items():
        slopes = [told["gradient"][name] for told in record["outputs"]]
        yield from _told_sum(list(zip(weights, slopes, strict=False)), got, f"the weighted slope by {name}")
