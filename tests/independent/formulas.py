"""Families for what is computed from formulas: `diff`, `taylor`, second derivatives."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

from mpmath import mp, mpf

from . import generators as make
from . import truth
from .evaluations import BATCH, ask, one_row, random_problem, threshold
from .generators import Problem
from .judging import Finding, kinds, number, parsed, shown
from .process import Adcli, Fault, command
from .reader import Program, Unreadable, read
from .values import NoValue, Unknown


def _wild(problem: Problem) -> bool:
    """Whether differences of a high order take too long."""
    return any(name in problem.text for name in ("gamma", "!", "erf"))


def formula_faults(adcli: Adcli, problems: list[tuple[Problem, list[str]]], order: int) -> Iterator[Fault]:
    """The formulas that `diff` prints, read here and held against differences at points."""
    flags = ["--order", str(order)] if order > 1 else []
    records = adcli.records(["diff", *flags], [problem.text for problem, _ in problems])
    for (problem, points), record in zip(problems, records, strict=True):
        program = parsed(problem)
        if program is None:
            continue
        if record["schema"] == "broken/1":
            yield Fault(command("diff", problem.text, *flags), "a formula", record["why"])
        if record["schema"] == "error/1" and record["kind"] not in ("domain", "request"):
            yield Fault(command("diff", problem.text, *flags), "a formula", f"{record['kind']}: {record['title']}")
        for told in record.get("derivatives", []):
            if len(set(told["wrt"])) != 1 or told["wrt"][0] not in program.inputs:
                continue
            for finding in _formula(program, told, problem, points, order):
                asked = command("diff", problem.text, "--wrt", told["wrt"][0], *flags)
                yield Fault(
                    f"{asked}   # at {finding.what}", finding.expected, f"{finding.got} from {told['expression']}"[:600]
                )


def _formula(
    program: Program, told: dict[str, Any], problem: Problem, points: list[str], order: int
) -> Iterator[Finding]:
    wrt = told["wrt"][0]
    output = program.outputs[0][1]
    try:
        formula = read(told["expression"])
    except (Unreadable, RecursionError) as error:
        yield Finding("any point", "a program of the language", repr(error))
        return
    for text in points:
        at = {**problem.fractions, wrt: Fraction(text)}
        try:
            with truth.limited():
                true = _derivative(program, output, at, wrt, order)
                if true is None:
                    continue
                try:
                    got = truth.value(formula, formula.outputs[0][1], at)
                except NoValue:
                    yield Finding(f"{wrt}={text}", shown(true[0]), "no value")
                    return
                with mp.workdps(30):
                    if abs(got - true[0]) > mpf(10) ** -9 * max(abs(got), abs(true[0])) + true[1]:
                        yield Finding(f"{wrt}={text}", shown(true[0]), shown(got))
                        return
        except (NoValue, Unknown):
            continue


def _derivative(program: Program, output: int, at: truth.Point, wrt: str, order: int) -> tuple[Any, Any] | None:
    if order == 1:
        slope = truth.slope(program, output, at, wrt)
        return (slope.right, slope.unseen * 4) if slope.smooth else None
    if not truth.slope(program, output, at, wrt).smooth:
        return None
    return truth.coefficients(program, output, at, wrt, order)[order]


def thresholded(adcli: Adcli, rng: Random) -> Iterator[Fault]:
    """Formulas of piecewise functions with a threshold at any magnitude, at points on all sides."""
    yield from formula_faults(adcli, [threshold(rng) for _ in range(16)], rng.choice((1, 1, 1, 2)))


def formulas(adcli: Adcli, rng: Random) -> Iterator[Fault]:
    """Formulas of random programs, of orders one to three."""
    problems = []
    for _ in range(10):
        problem = random_problem(rng)
        problems.append((problem, [*problem.at.values(), *(make.ordinary(rng) for _ in range(4))]))
    yield from formula_faults(adcli, problems, rng.choice((1, 1, 2, 3)))


def second_derivatives(adcli: Adcli, rng: Random) -> Iterator[Fault]:
    """Hessians: equal to their transposes, to the Taylor coefficients along each input, to differences."""
    draw = rng.choice((_special, _special, random_problem))
    problems = [p for p in (draw(rng) for _ in range(BATCH)) if parsed(p) is not None]
    yield from ask(adcli, ["eval", "--workers", "1", "--no-trace", "--hessian"], problems, _hessian)
    alone = [p for p in problems if len(p.at) == 1][:25]
    yield from ask(adcli, ["taylor", "--order", "4", "--no-trace"], alone, _taylor)


def _special(rng: Random) -> Problem:
    """One row at a special point of it: guards, ends, zeros; now and then with something before or after."""
    special = (
        "0",
        "1",
        "-1",
        "2",
        "0.5",
        "-0.5",
        "3",
        "-2",
        "1e-8",
        "1.5",
        "1e-3",
        "-3",
        "20",
        "30",
        "360",
        "-400",
        "1e5",
        "10",
    )
    name = rng.choice(("pow", "pow", "any", "any", "any", "any"))
    if name == "pow":
        a, b = rng.choice((
            ("x", "y"), ("x+2", "x"), ("x", "0"), ("x", "1"), ("x", "2"), ("x", "3"), ("x+y", "x-y"), ("x", "x"),
            ("x^2", "y"), ("y", "x*0"),
            ("x", "2.5"), ("x", "3.5"), ("-x", "y"), ("x*y", "2"), ("x*y", "y"), ("2", "x*y"), ("1+x*y", "x"), ("x",
            "y^2"), ("0", "x+1"), ("sin(x)", "3"),
        ))  # fmt: skip
        text = f"({a})^({b})"
        return Problem(text, {n: rng.choice(special) for n in ("x", "y") if n in text})
    problem = one_row(rng, lambda r: r.choice(special))
    text = problem.text
    if rng.random() < 0.5:
        text = (
            text.replace("x", "(x+x^2)")
            .replace("e(x+x^2)p", "exp")
            .replace("ma(x+x^2)", "max")
            .replace("ac(x+x^2)", "x")
            if "exp" not in text and "max" not in text
            else f"({text})^2"
        )
    if rng.random() < 0.3:
        text = f"{rng.choice(('sin', 'exp', 'x*'))}({text})"
    return Problem(text, problem.at)


def _hessian(problem: Problem, record: dict[str, Any]) -> Iterator[Finding]:
    program = parsed(problem)
    if program is None or record["schema"] != "trace/1":
        if record["schema"] == "broken/1":
            yield Finding("the process", "an answer", record["why"])
        return
    at, output = problem.fractions, program.outputs[0][1]
    hessian = record["outputs"][0].get("hessian", {})
    notes = kinds(record)
    for a in (n for n in hessian if n in program.inputs):
        for b in (n for n in hessian[a] if n in program.inputs and n >= a):
            got, mirrored = number(hessian[a][b]), number(hessian[b][a])
            try:
                with truth.limited():
                    true = truth.second(program, output, at, a, b)
                    same = all(_near(problem, program, true, x, (a, b), notes) for x in (got, mirrored))
            except (Unknown, NoValue):
                continue
            if not same:
                yield Finding(f"the second derivative by {a} and {b}", shown(true), f"{got!r}, mirrored {mirrored!r}")


def _near(problem: Problem, program: Program, true: Any, got: float, by: tuple[str, str], notes: set[str]) -> bool:
    """Whether a second derivative is right to eight digits, or lost them to rounding of what is larger."""
    at, output = problem.fractions, program.outputs[0][1]
    if not math.isfinite(got):
        far = abs(true) > 1e300 or max(truth.sizes(program, output, at)) > 1e100
        return bool({"overflow", "infinite"} & notes) and far
    # As large as value and slope let a curvature be, by this point: its digits are those of what cancels.
    usual = mpf(0)
    if at[by[0]] and at[by[1]]:
        x, y = (abs(truth.number(at[name])) for name in by)
        usual = abs(truth.value(program, output, at)) / (x * y)
        for name, other in ((by[0], y), (by[1], x)):
            slope = truth.slope(program, output, at, name)
            usual += abs(slope.right or 0) / other
    if abs(got - true) <= mpf(10) ** -8 * abs(true) + mpf(10) ** -13 * usual + mpf(10) ** -290:
        return True
    return bool(abs(got - true) <= 4 * truth.rounding_of_second(program, output, at, *by))


def _taylor(problem: Problem, record: dict[str, Any]) -> Iterator[Finding]:
    program = parsed(problem)
    if program is None or record["schema"] != "taylor/1":
        if record["schema"] == "broken/1":
            yield Finding("the process", "an answer", record["why"])
        return
    (name,) = problem.at
    if name not in program.inputs:
        return
    try:
        with truth.limited():
            found = truth.coefficients(program, program.outputs[0][1], problem.fractions, name, 4)
            true = [derivative for derivative, _ in found]
            wide = any(x > 1e8 or 0 < x < 1e-8 for x in truth.sizes(program, program.outputs[0][1], problem.fractions))
    except (Unknown, NoValue):
        return
    x = abs(truth.number(problem.fractions[name]))
    most = mpf(1)
    for k, (t, g) in enumerate(zip(true, record["outputs"][0]["derivatives"], strict=True)):
        got = number(g)
        most = max(most / min(x, 1) if x else most, abs(t))
        if got != got or abs(got - t) > mpf(10) ** (-4 if wide else -8) * most:
            if abs(got) == mp.inf and abs(t) > 1e300:
                continue
            yield Finding(f"derivative {k} of the series", shown(t), repr(got))
            return
