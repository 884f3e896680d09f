"""Families for the other arithmetics: many digits, fractions, complex numbers; and digits that doubles lose."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from random import Random
from typing import Any

from mpmath import mp, mpc, mpf

from . import generators as make
from . import truth
from .evaluations import ask, one_row, random_problem
from .generators import Problem
from .judging import Finding, agrees, kinds, number, parsed, shown
from .process import Adcli, Fault
from .reader import Program, read
from .values import NoValue, Unknown


def precision(adcli: Adcli, rng: Random) -> Iterator[Fault]:
    """Every digit that `--precision` shows is right, to a unit of the last one."""
    digits = rng.choice((3, 10, 16, 25, 34))
    problems = [one_row(rng, make.extreme) for _ in range(12)] + [random_problem(rng) for _ in range(12)]
    problems += [cancelling(rng) for _ in range(12)]
    yield from ask(
        adcli, ["eval", "--workers", "1", "--no-trace", "--precision", str(digits)], problems, partial(_digits, digits)
    )


def cancelling(rng: Random) -> Problem:
    """An expression of the books that loses digits, near where it does."""
    text, near = rng.choice((
        ("(1-cos(x))/x^2", 0), ("(exp(x)-1)/x", 0), ("sqrt(x+1)-sqrt(x)", 9), ("log(1+x)/x", 0), ("1/x-1/(x+1)", 9),
        ("x-sin(x)", 0), ("(1+1/x)^x", 9),
        ("(x+1)^3-x^3-3*x^2-3*x", 9), ("exp(x)-exp(-x)", 0), ("tan(x)-sin(x)", 0), ("sqrt(x^2+1)-x", 9),
        ("(1-cos(x))/sin(x)", 0), ("atan(x+1)-atan(x)", 9),
        ("x*(sqrt(x+1)-sqrt(x))", 9), ("log(x+1)-log(x)", 9), ("cbrt(x+1)-cbrt(x)", 9), ("1/sqrt(x)-1/sqrt(x+1)", 9),
        ("exp(x)-2+exp(-x)", 0), ("cosh(x)-1", 0),
        ("sin(x+1e-9)-sin(x)", 1), ("log(cosh(x))", 0), ("(1-x)^2-(1-2*x)", 0), ("1-tanh(x)", 1),
        ("sqrt(1+x)-sqrt(1-x)", 0), ("acos(1-x)", 0), ("x/(1-cos(x))-2/x", 0),
        ("sin(10^x)", 2), ("log(exp(x)+1)-x", 1), ("erf(x)-1", 1), ("gamma(1+x)-1", 0), ("x^x-1", 0),
        ("(exp(x)-1-x)/x^2", 0), ("floor(1/x)-1/x", 0), ("sin(x)/x-1", 0),
    ))  # fmt: skip
    if near == 0:
        x = f"{rng.randint(1, 99)}e-{rng.choice((1, 2, 4, 6, 8, 10, 16, 30))}"
    elif near == 9:
        x = f"{rng.randint(1, 99)}e{rng.choice((1, 3, 6, 9, 12, 15, 18))}"
    else:
        x = f"{rng.uniform(1, 40):.5g}"
    return Problem(text, {"x": x})


def _digits(digits: int, problem: Problem, record: dict[str, Any]) -> Iterator[Finding]:
    program = parsed(problem)
    if record["schema"] == "broken/1":
        yield Finding("the process", "an answer", record["why"])
    if program is None or record["schema"] != "trace/1":
        return
    told, at, output = record["outputs"][0], problem.fractions, program.outputs[0][1]
    said = kinds(record) & {"uncertain", "conditioning", "infinite", "overflow", "undefined"}
    try:
        with truth.limited():
            if (
                (text := told.get("decimal"))
                and not said
                and not _shown_right(text, truth.value(program, output, at), digits)
            ):
                yield Finding("the digits of the value", mp.nstr(truth.value(program, output, at), 40), text)
            for name, text in (told.get("decimal_gradient") or {}).items():
                if name not in program.inputs or not isinstance(text, str) or said:
                    continue
                slope = truth.slope(program, output, at, name)
                if slope.smooth and not _shown_right(text, slope.right, digits, slope.unseen):
                    yield Finding(f"the digits of the slope by {name}", mp.nstr(slope.right, 40), text)
    except NoValue:
        yield Finding("the value", "none", str(told.get("decimal")))
    except Unknown:
        return


def _shown_right(text: str, true: Any, digits: int, unseen: Any = 0) -> bool:
    """Whether a decimal text is the number to a unit of its last place, of which only the first digits count."""
    if not any(c.isdigit() for c in text):
        return bool(abs(true) > mpf("1e300"))
    mantissa, _, exponent = text.lower().partition("e")
    places = len(mantissa.partition(".")[2])
    with mp.workdps(60):
        unit = mpf(10) ** (int(exponent or 0) - places)
        if true:
            unit = max(unit, mpf(10) ** (int(mp.floor(mp.log10(abs(true)))) + 1 - digits))
        return bool(abs(truth.number(Fraction(text)) - true) <= unit + unseen + mpf(10) ** -38 * abs(true))


def exact(adcli: Adcli, rng: Random) -> Iterator[Fault]:
    """Fractions that `--exact` gives are the values."""
    problems = []
    for _ in range(40):
        names = make.names(rng)
        text = _rational(rng, names, 3)
        number = (
            (lambda: f"{rng.randint(-9, 9)}/{rng.randint(1, 9)}")
            if rng.random() < 0.5
            else (lambda: make.ordinary(rng))
        )
        problems.append(Problem(text, {name: number() for name in names}))
    yield from ask(adcli, ["eval", "--workers", "1", "--no-trace", "--exact"], problems, _fractions)


def _rational(rng: Random, names: tuple[str, ...], depth: int) -> str:
    if depth == 0:
        return rng.choice((*names, *names, "2", "3", "1/3", "0.1", "7"))
    a, b = (make.wrapped(_rational(rng, names, depth - 1)) for _ in range(2))
    return rng.choice((
        f"{a}+{b}", f"{a}-{b}", f"{a}*{b}", f"{a}/{b}", f"{a}^2", f"{a}^-3", f"abs({a})", f"max({a}, {b})",
        f"min({a}, {b})", f"floor({a})", f"if({a} < {b}, {a}, {b}*{b})", f"{a}%{b}", f"-{a}", f"relu({a})",
        f"round({a})", f"ceil({a})*{b}", f"sign({a})+{b}", f"sqrt({a}^2)", f"{a}*{b}*{a}",
    ))  # fmt: skip


def _fractions(problem: Problem, record: dict[str, Any]) -> Iterator[Finding]:
    program = parsed(problem)
    if record["schema"] == "broken/1":
        yield Finding("the process", "an answer", record["why"])
    if program is None or record["schema"] != "trace/1":
        return
    told, at, output = record["outputs"][0], problem.fractions, program.outputs[0][1]
    try:
        with truth.limited(), mp.workdps(60):
            true = truth.value(program, output, at)
            text = told.get("exact")
            if text and abs(truth.number(Fraction(text)) - true) > mpf(10) ** -35 * abs(true):
                yield Finding("the exact value", shown(true), text)
            for name, text in (told.get("exact_gradient") or {}).items():
                slope = (
                    truth.slope(program, output, at, name) if name in program.inputs else truth.Slope(mpf(0), mpf(0))
                )
                if (
                    text
                    and slope.smooth
                    and abs(truth.number(Fraction(text)) - slope.right)
                    > mpf(10) ** -30 * abs(slope.right) + slope.unseen
                ):
                    yield Finding(f"the exact slope by {name}", shown(slope.right), text)
    except NoValue:
        yield Finding("the value", "none", str(told.get("exact", told["value"])))
    except Unknown:
        return


_COMPLEX: dict[str, Any] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b, "neg": lambda a: -a, "pow": lambda a, b: mp.power(a, b),
    "exp": mp.exp, "log": mp.log, "sqrt": mp.sqrt, "sin": mp.sin, "cos": mp.cos, "tan": mp.tan, "sinh": mp.sinh,
    "cosh": mp.cosh, "tanh": mp.tanh, "asin": mp.asin, "acos": mp.acos,
    "atan": mp.atan, "asinh": mp.asinh, "acosh": mp.acosh, "atanh": mp.atanh,
    "log1p": lambda a: mp.log(1 + a),
    "expm1": lambda a: mp.exp(a) - 1, "sec": mp.sec, "csc": mp.csc, "cot": mp.cot, "sech": mp.sech, "csch": mp.csch,
    "coth": mp.coth, "log10": lambda a: mp.log(a) / mp.log(10), "log2": lambda a: mp.log(a) / mp.log(2),
    "logb": lambda a, b: mp.log(a) / mp.log(b),
    "erf": mp.erf, "gamma": mp.gamma, "sigmoid": lambda a: 1 / (1 + mp.exp(-a)),
    "digamma": mp.digamma, "softplus": lambda a: mp.log(1 + mp.exp(a)),
}  # fmt: skip


def _complex_value(program: Program, output: int, at: dict[str, Any]) -> Any:
    values: list[Any] = []
    for name, arguments, given in program.nodes[: output + 1]:
        if name == "number":
            values.append(mpc(truth.number(given)))  # type: ignore[arg-type]
        elif name == "input":
            values.append(at[given])  # type: ignore[index]
        elif name == "constant":
            values.append(mpc({"pi": mp.pi, "e": mp.e, "tau": 2 * mp.pi}[given]))  # type: ignore[index]
        elif name in _COMPLEX:
            values.append(_COMPLEX[name](*(values[k] for k in arguments)))
        else:
            raise Unknown(name)
    return values[output]


def complexes(adcli: Adcli, rng: Random) -> Iterator[Fault]:
    """Values and slopes of analytic programs off the branch cuts."""
    problems = []
    for _ in range(40):
        names = make.names(rng, 2)[:2]
        text = _analytic(rng, names, rng.choice((1, 2, 3)))
        at = {name: f"{rng.randint(-24, 24) / 8:g}{rng.choice('+-')}{rng.randint(1, 24) / 8:g}i" for name in names}
        problems.append(Problem(text, at))
    yield from ask(adcli, ["eval", "--workers", "1", "--no-trace", "--complex"], problems, _complex)
    real = [random_problem(rng, rng.choice((make.ordinary, make.extreme)), 2) for _ in range(30)]
    yield from ask(adcli, ["eval", "--workers", "1", "--no-trace", "--complex"], real, _only_an_answer)


def _only_an_answer(problem: Problem, record: dict[str, Any]) -> Iterator[Finding]:
    if record["schema"] == "broken/1":
        yield Finding("the process", "an answer", record["why"])


def _analytic(rng: Random, names: tuple[str, ...], depth: int) -> str:
    if depth == 0:
        return rng.choice((*names, *names, *names, "2", "0.5", "3"))
    a, b = (make.wrapped(_analytic(rng, names, depth - 1)) for _ in range(2))
    if rng.random() < 0.45:
        return f"{a}{rng.choice('+-*/')}{b}"
    name = rng.choice([n for n in _COMPLEX if n not in ("add", "sub", "mul", "div", "neg", "logb")])
    return f"{a}^{rng.choice(('2', '3', '-1', '0.5', b))}" if name == "pow" else f"{name}({a})"


def _complex_number(text: str) -> Any:
    middle = max(text.rfind("+"), text.rfind("-"))
    return mpc(mpf(text[:middle]), mpf(text[middle:-1]))


def _complex(problem: Problem, record: dict[str, Any]) -> Iterator[Finding]:
    if record["schema"] == "broken/1":
        yield Finding("the process", "an answer", record["why"])
    if record["schema"] != "trace/1":
        return
    program = read(problem.text)
    output, told = program.outputs[0][1], record["outputs"][0]
    with mp.workdps(80):
        at = {name: _complex_number(x) for name, x in problem.at.items()}
        try:
            with truth.limited():
                true = _complex_value(program, output, at)
                around = [
                    _complex_value(program, output, {n: z * (1 + mpf(10) ** -12 * w) for n, z in at.items()})
                    for w in (1, -1, 1j, -1j)
                ]
                # Beside a branch cut, or where digits go, nothing is said.
                if (
                    max(abs(z - true) for z in around) > mpf(10) ** -8 * (abs(true) + mpf(10) ** -8)
                    or not 1e-200 < abs(true) < 1e200
                ):
                    return
                got = _told(told["value"])
                if abs(got - true) > mpf(10) ** -8 * abs(true):
                    yield Finding("the complex value", mp.nstr(true, 17), str(told["value"]))
                h = mpf(10) ** -20
                for name, slope in told["gradient"].items():
                    if name not in program.inputs:
                        continue
                    true = (
                        _complex_value(program, output, at | {name: at[name] + h})
                        - _complex_value(program, output, at | {name: at[name] - h})
                    ) / (2 * h)
                    if abs(_told(slope) - true) > mpf(10) ** -6 * abs(true) + mpf(10) ** -8:
                        yield Finding(f"the complex slope by {name}", mp.nstr(true, 17), str(slope))
        except (Unknown, ZeroDivisionError, ValueError, OverflowError):
            return


def _told(x: Any) -> Any:
    return mpc(number(x["re"]), number(x["im"])) if isinstance(x, dict) else mpc(number(x))


def digits(adcli: Adcli, rng: Random) -> Iterator[Fault]:
    """Where no digit of a value or slope is right, a note says that digits are lost."""
    problems = [cancelling(rng) for _ in range(60)]
    yield from ask(adcli, ["eval", "--workers", "1", "--no-trace"], problems, _told_of_loss)


def _told_of_loss(problem: Problem, record: dict[str, Any]) -> Iterator[Finding]:
    program = parsed(problem)
    if record["schema"] == "broken/1":
        yield Finding("the process", "an answer", record["why"])
    if program is None or record["schema"] != "trace/1":
        return
    told, at, output = record["outputs"][0], problem.fractions, program.outputs[0][1]
    try:
        with truth.limited():
            true, got = truth.value(program, output, at), number(told["value"])
            # A whole step of a function that jumps there is no loss of digits that could be told.
            if "floor" not in problem.text and abs(got - true) > abs(true) / 2 and not kinds(record):
                yield Finding("a note on lost digits; the value", shown(true), repr(got))
            elif not agrees(program, output, at, true, got):
                yield Finding("the value", shown(true), repr(got))
    except (Unknown, NoValue):
        return
